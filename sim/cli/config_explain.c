/*
 * config_explain.c -- `warpmem config explain`: what a key means, and where
 * addresses land.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "config/config.h"
#include "engine/locate.h"
#include "model/cache/policy.h"
#include "report/human.h"

wm_status wm_config_cmd_explain(const wm_subcommand *self, int argc,
                                char **argv, wm_error *err);

typedef struct explain_options {
    bool is_page;
    const char *config;
    wm_words sets;
    wm_words addresses;
} explain_options;

static const wm_option explain_option_list[] = {
    {WM_OPTION_FLAG, '\0', "all", NULL, "As the page docs/CONFIG.md.",
     offsetof(explain_options, is_page), 0, 0},
    {WM_OPTION_LIST, 'a', "address", "ADDR",
     "With dram.mapping: where it lands; may be repeated.",
     offsetof(explain_options, addresses), 0, 0},
    {WM_OPTION_TEXT, 'c', "config", "NAME|FILE",
     "For which configuration. [Default: a100]",
     offsetof(explain_options, config), 0, 0},
    {WM_OPTION_LIST, 's', "set", "KEY=VALUE", "Override one key.",
     offsetof(explain_options, sets), 0, 0},
};

static const wm_option_table explain_table = {
    explain_option_list,
    sizeof(explain_option_list) / sizeof(explain_option_list[0]), 0, SIZE_MAX,
    "Without KEY: one line per key.  KEY may be a section, as in l2."};

/* Each schema type: what a value looks like, and the unit that min, max and
 * result JSON use. */
static const struct {
    const char *type;
    const char *form;
    const char *unit;
} explain_types[] = {
    {"INT", "a whole number", ""},
    {"SIZE", "a size with its unit, as in 128 KiB", " B"},
    {"SIZES", "up to 16 rising sizes and one unit, as in 0 8 16 32 KiB", " B"},
    {"CLOCK", "a frequency with its unit, as in 1380 MHz", " Hz"},
    {"TIME", "a time with its unit, as in 160 ns", " ps"},
    {"CYCLES", "SM cycles, or a time with its unit, as in 20 ns", " cycles"},
    {"RATE", "a rate with its unit, as in 898 GB/s", " B/s"},
    {"PER_CLK", "bytes per SM cycle, as in 64 B/clk", " / 1000 B/clk"},
    {"BOOL", "true or false", ""},
    {"CHOICE", "one of the choices below", ""},
    {"NAME", "one of the names below", ""},
    {"TEXT", "text, 1 to 255 characters", ""},
};

static void explain_range(const wm_key *key, wm_buffer *out)
{
    for (size_t i = 0; i < sizeof(explain_types) / sizeof(explain_types[0]);
         i++) {
        if (strcmp(explain_types[i].type, key->type) != 0) {
            continue;
        }
        wm_buffer_printf(out, "  value    %s\n", explain_types[i].form);
        if (key->max != 0 && strcmp(key->type, "BOOL") != 0) {
            wm_buffer_printf(out, "  range    %" PRIu64 " to %" PRIu64 "%s\n",
                             key->min, key->max, explain_types[i].unit);
        }
    }
}

static void explain_choices(const wm_key *key, wm_buffer *out)
{
    if (strcmp(key->type, "CHOICE") == 0) {
        wm_buffer_printf(out, "  choices  %s\n", key->unit);
    }
    if (strcmp(key->type, "NAME") == 0) {
        for (size_t i = 0; wm_policies[i] != NULL; i++) {
            wm_buffer_printf(out, "  %-8s %-7s ", i == 0 ? "names" : "",
                             wm_policies[i]->name);
            wm_human_wrap(out, wm_policies[i]->summary, 19, 19);
        }
    }
}

static void explain_key(const wm_key *key, wm_buffer *out)
{
    wm_buffer_printf(out, "%s\n  ", key->name);
    wm_human_wrap(out, key->sentence, 2, 2);
    explain_range(key, out);
    wm_buffer_printf(out, "  default  %s\n",
                     *key->preset != '\0' ? key->preset : "derived, or empty");
    explain_choices(key, out);
}

static wm_status explain_word(const char *word, wm_buffer *out, wm_error *err)
{
    const wm_key *key = wm_key_find(word);
    size_t n_shown = 0;
    if (key != NULL) {
        explain_key(key, out);
        return WM_OK;
    }
    for (size_t i = 0; i < wm_n_keys; i++) {
        if (strcmp(wm_keys[i].section, word) == 0) {
            wm_buffer_puts(out, n_shown++ == 0 ? "" : "\n");
            explain_key(&wm_keys[i], out);
        }
    }
    if (n_shown != 0) {
        return WM_OK;
    }
    return wm_fail(err, WM_EUSAGE,
                   "config explain: unknown key \"%.64s\"; did you mean "
                   "\"%s\"?",
                   word, wm_key_nearest(word)->name);
}

/* A number as C writes it. */
static bool explain_number(const char *text, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0';
}

static wm_status explain_address(const wm_config *config, const char *text,
                                 bool is_first, wm_buffer *out, wm_error *err)
{
    uint64_t addr = 0;
    wm_location at;
    if (!explain_number(text, &addr)) {
        return wm_fail(err, WM_EUSAGE,
                       "--address: %.40s, wanted a number as in 0x7f1200",
                       text);
    }
    wm_status status = wm_engine_locate(config, addr, &at, err);
    if (status != WM_OK) {
        return status;
    }
    if (is_first) {
        wm_buffer_printf(
            out, "\n%s\n%-18s %6s %8s %14s %3s %4s %6s %5s %8s %7s\n",
            at.mapping, "address", "slice", "channel", "in channel", "pc",
            "sid", "group", "bank", "row", "column");
    }
    wm_buffer_printf(out,
                     "0x%-16" PRIx64 " %6" PRIu32 " %8" PRIu32 "   0x%09" PRIx64
                     " %3" PRIu32 " %4" PRIu32 " %6" PRIu32 " %5" PRIu32
                     " %8" PRIu64 " %7" PRIu32 "\n",
                     addr, at.slice, at.channel, at.channel_addr, at.pc, at.sid,
                     at.group, at.bank, at.row, at.column);
    return WM_OK;
}

static wm_status explain_addresses(const explain_options *options,
                                   wm_buffer *out, wm_error *err)
{
    wm_config_set *set = NULL;
    wm_status status = wm_config_load(options->config, options->sets.items,
                                      options->sets.n, &set, err);
    for (size_t i = 0; status == WM_OK && i < options->addresses.n; i++) {
        status = explain_address(wm_config_values(set),
                                 options->addresses.items[i], i == 0, out, err);
    }
    wm_config_free(set);
    return status;
}

static void explain_all(wm_buffer *out)
{
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_buffer_printf(out, "%-25s ", wm_keys[i].name);
        wm_human_wrap(out, wm_keys[i].sentence, 26, 26);
    }
}

wm_status wm_config_cmd_explain(const wm_subcommand *self, int argc,
                                char **argv, wm_error *err)
{
    explain_options options = {.config = "a100"};
    wm_words words = {0};
    wm_buffer out;
    bool is_help = false;
    wm_buffer_init(&out);
    wm_status status = wm_options_parse(self, &explain_table, argc, argv,
                                        &options, &words, &is_help, err);
    for (size_t i = 0; status == WM_OK && i < words.n; i++) {
        wm_buffer_puts(&out, i == 0 ? "" : "\n");
        status = explain_word(words.items[i], &out, err);
    }
    if (status == WM_OK && !is_help && options.addresses.n != 0) {
        status = explain_addresses(&options, &out, err);
    }
    if (status == WM_OK && !is_help) {
        if (options.is_page) {
            wm_config_reference(&out);
        } else if (words.n == 0 && options.addresses.n == 0) {
            explain_all(&out);
        }
        status = wm_output_print(&out, err);
    } else {
        wm_buffer_fini(&out);
    }
    wm_words_fini(&words);
    wm_words_fini(&options.sets);
    wm_words_fini(&options.addresses);
    return status;
}
