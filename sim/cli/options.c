/*
 * options.c -- the parser of option tables, and the help made from them.
 */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "report/human.h"

#define WORD_MAX 64u

void wm_words_fini(wm_words *words)
{
    free(words->items);
    memset(words, 0, sizeof(*words));
}

static wm_status words_add(wm_words *words, const char *word, wm_error *err)
{
    if (!wm_grow(&words->items, &words->capacity, words->n + 1,
                 sizeof(*words->items))) {
        return wm_fail_memory(err);
    }
    words->items[words->n++] = word;
    return WM_OK;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

size_t wm_word_distance(const char *a, const char *b)
{
    size_t row[WORD_MAX];
    size_t n = strlen(b) < WORD_MAX ? strlen(b) : WORD_MAX - 1;
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i < WORD_MAX && a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t above = row[j];
            size_t cost = a[i - 1] != b[j - 1];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + cost);
            diagonal = above;
        }
    }
    return row[n];
}

/* --- help ---------------------------------------------------------------- */

static void help_option(const wm_option *option, wm_buffer *out)
{
    char left[WORD_MAX];
    char letter[8] = "    ";
    if (option->letter != '\0') {
        (void)snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    }
    int n = snprintf(left, sizeof(left), "  %s--%s%s%s", letter, option->name,
                     option->argument != NULL ? " " : "",
                     option->argument != NULL ? option->argument : "");
    wm_buffer_printf(out, "%-28s", left);
    if (n > 27) {
        wm_buffer_printf(out, "\n%28s", "");
    }
    wm_human_wrap(out, option->sentence, 28, 28);
}

static wm_status help_print(const wm_subcommand *self,
                            const wm_option_table *table, wm_error *err)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_buffer_printf(&out, "%s\n\nUsage: warpmem %s%s%s\n\n", self->summary,
                     self->name, *self->arguments != '\0' ? " " : "",
                     self->arguments);
    for (size_t i = 0; i < table->n_options; i++) {
        help_option(&table->options[i], &out);
    }
    wm_buffer_printf(&out, "%-28s%s\n", "  -h, --help", "Print this help.");
    if (table->notes != NULL) {
        wm_buffer_printf(&out, "\n%s\n", table->notes);
    }
    return wm_output_print(&out, err);
}

/* --- values -------------------------------------------------------------- */

/* Is value one of the words of choices, separated by '|'? */
static bool is_choice(const char *choices, const char *value)
{
    size_t n_value = strlen(value);
    while (*choices != '\0') {
        size_t n = strcspn(choices, "|");
        if (n == n_value && memcmp(choices, value, n) == 0) {
            return true;
        }
        choices += n;
        choices += *choices == '|';
    }
    return false;
}

static bool parse_number(const char *text, uint64_t *value)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    unsigned long long n = strtoull(text, &end, 0);
    if (errno != 0) {
        return false;
    }
    *value = n;
    if (*end != '\0') {
        const char *unit = strchr(units, *end);
        uint32_t shift = 0;
        if (unit == NULL) {
            return false;
        }
        shift = 10 * (uint32_t)(unit - units + 1);
        end++;
        if (strcmp(end, "") != 0 && strcmp(end, "iB") != 0 &&
            strcmp(end, "B") != 0) {
            return false;
        }
        if (n > (UINT64_MAX >> shift)) {
            return false;
        }
        *value = n << shift;
    }
    return true;
}

static wm_status set_number(const wm_subcommand *self, const wm_option *option,
                            const char *text, uint64_t *field, wm_error *err)
{
    if (!parse_number(text, field) || *field < option->min ||
        *field > option->max) {
        return wm_fail(
            err, WM_EUSAGE,
            "%s: --%s \"%.64s\": want a number from %" PRIu64 " to %" PRIu64,
            self->name, option->name, text, option->min, option->max);
    }
    return WM_OK;
}

/* Stores text (NULL for a flag) into the option's field. */
static wm_status set_value(const wm_subcommand *self, const wm_option *option,
                           const char *text, void *values, wm_error *err)
{
    char *field = (char *)values + option->offset;
    switch (option->kind) {
    case WM_OPTION_FLAG:
        *(bool *)(void *)field = true;
        return WM_OK;
    case WM_OPTION_CHOICE:
        if (!is_choice(option->argument, text)) {
            return wm_fail(err, WM_EUSAGE, "%s: --%s \"%.64s\": want %s",
                           self->name, option->name, text, option->argument);
        }
        *(const char **)(void *)field = text;
        return WM_OK;
    case WM_OPTION_TEXT:
        *(const char **)(void *)field = text;
        return WM_OK;
    case WM_OPTION_NUMBER:
        return set_number(self, option, text, (uint64_t *)(void *)field, err);
    case WM_OPTION_LIST:
        return words_add((wm_words *)(void *)field, text, err);
    }
    return WM_OK;
}

/* --- parser -------------------------------------------------------------- */

typedef struct option_parser {
    const wm_subcommand *self;
    const wm_option_table *table;
    int argc;
    char **argv;
    int at;
    void *values;
} option_parser;

static wm_status unknown_option(const option_parser *p, const char *word,
                                size_t n_word, wm_error *err)
{
    char cut[WORD_MAX];
    const char *best = "help";
    (void)snprintf(cut, sizeof(cut), "%.*s", (int)n_word, word);
    for (size_t i = 0; i < p->table->n_options; i++) {
        const char *name = p->table->options[i].name;
        if (wm_word_distance(cut, name) < wm_word_distance(cut, best)) {
            best = name;
        }
    }
    return wm_fail(err, WM_EUSAGE,
                   "%s: unknown option --%s; did you mean --%s?", p->self->name,
                   cut, best);
}

/* The value that belongs to an option: attached, or the next argument. */
static wm_status take_value(option_parser *p, const wm_option *option,
                            const char *attached, wm_error *err)
{
    if (option->kind == WM_OPTION_FLAG) {
        if (attached != NULL) {
            return wm_fail(err, WM_EUSAGE, "%s: --%s takes no value",
                           p->self->name, option->name);
        }
    } else if (attached == NULL) {
        if (p->at + 1 >= p->argc) {
            return wm_fail(err, WM_EUSAGE, "%s: --%s: %s is missing",
                           p->self->name, option->name, option->argument);
        }
        attached = p->argv[++p->at];
    }
    return set_value(p->self, option, attached, p->values, err);
}

static wm_status parse_long(option_parser *p, const char *word, wm_error *err)
{
    size_t n = strcspn(word, "=");
    for (size_t i = 0; i < p->table->n_options; i++) {
        const wm_option *option = &p->table->options[i];
        if (strlen(option->name) == n && memcmp(option->name, word, n) == 0) {
            return take_value(p, option, word[n] == '=' ? word + n + 1 : NULL,
                              err);
        }
    }
    return unknown_option(p, word, n, err);
}

static const wm_option *find_letter(const option_parser *p, char letter)
{
    for (size_t i = 0; i < p->table->n_options; i++) {
        if (p->table->options[i].letter == letter) {
            return &p->table->options[i];
        }
    }
    return NULL;
}

/* "j2", "q", or flags in front of another: "qj2". */
static wm_status parse_short(option_parser *p, const char *word, wm_error *err)
{
    const wm_option *option = find_letter(p, *word);
    while (option != NULL && option->kind == WM_OPTION_FLAG &&
           word[1] != '\0') {
        wm_status status = take_value(p, option, NULL, err);
        if (status != WM_OK) {
            return status;
        }
        option = find_letter(p, *++word);
    }
    if (option != NULL) {
        return take_value(p, option, word[1] != '\0' ? word + 1 : NULL, err);
    }
    return wm_fail(err, WM_EUSAGE,
                   "%s: unknown option -%.32s; see warpmem %s -h",
                   p->self->name, word, p->self->name);
}

static wm_status check_arguments(const option_parser *p, size_t n,
                                 wm_error *err)
{
    if (n < p->table->min_arguments) {
        return wm_fail(err, WM_EUSAGE,
                       "%s: too few arguments, want: warpmem %s %s",
                       p->self->name, p->self->name, p->self->arguments);
    }
    if (n > p->table->max_arguments) {
        return wm_fail(err, WM_EUSAGE,
                       "%s: too many arguments, want: warpmem %s %s",
                       p->self->name, p->self->name, p->self->arguments);
    }
    return WM_OK;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            return true;
        }
    }
    return false;
}

wm_status wm_options_parse(const wm_subcommand *self,
                           const wm_option_table *table, int argc, char **argv,
                           void *values, wm_words *arguments, bool *is_help,
                           wm_error *err)
{
    option_parser p = {self, table, argc, argv, 1, values};
    bool has_ended = false;
    *is_help = asks_for_help(argc, argv);
    if (*is_help) {
        return help_print(self, table, err);
    }
    for (; p.at < argc; p.at++) {
        const char *word = argv[p.at];
        wm_status status;
        if (has_ended || word[0] != '-' || word[1] == '\0') {
            status = words_add(arguments, word, err);
        } else if (strcmp(word, "--") == 0) {
            has_ended = true;
            status = WM_OK;
        } else if (word[1] == '-') {
            status = parse_long(&p, word + 2, err);
        } else {
            status = parse_short(&p, word + 1, err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
    return check_arguments(&p, arguments->n, err);
}
