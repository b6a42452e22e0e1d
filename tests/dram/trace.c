/*
 * trace.c -- lines of a command trace from a block buffer.
 */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (1u << 20)
#define LINE_MAX    1024u

struct audit_trace {
    FILE *file;
    const char *path;
    char *block;
    char *at;  /* start of the next line */
    char *end; /* of what was read; *end is NUL */
    uint64_t line;
    bool has_channels;
    bool is_good;
    bool is_last; /* the file has no more bytes */
};

const char *audit_kind_name(audit_kind kind)
{
    static const char *const names[] = {
#define X(name) #name,
        AUDIT_COMMAND_LIST(X)
#undef X
    };
    return names[kind];
}

static bool bad_line(audit_trace *t, const char *what)
{
    fprintf(stderr, "audit: %s:%llu: %s\n", t->path,
            (unsigned long long)t->line, what);
    t->is_good = false;
    return false;
}

/* Moves what is left to the front and reads more behind it. */
static void refill(audit_trace *t)
{
    size_t n = (size_t)(t->end - t->at);
    memmove(t->block, t->at, n);
    size_t got = fread(t->block + n, 1, BLOCK_BYTES - n, t->file);
    t->is_last = got == 0;
    t->at = t->block;
    t->end = t->block + n + got;
    *t->end = '\0';
}

/* The next line, ended by NUL or newline, or NULL. */
static char *next_line(audit_trace *t)
{
    while ((size_t)(t->end - t->at) < LINE_MAX && !t->is_last) {
        refill(t);
    }
    if (t->at == t->end) {
        if (ferror(t->file)) {
            bad_line(t, "cannot be read");
        }
        return NULL;
    }
    t->line++;
    return t->at;
}

/* A field as a number; '-' is -1.  Moves past it and its blank. */
static bool take_number(const char **at, int64_t *value)
{
    const char *p = *at;
    int64_t sum = 0;
    if (*p == '-') {
        sum = -1;
        p++;
    } else {
        const char *first = p;
        for (; *p >= '0' && *p <= '9' && p - first < 18; p++) {
            sum = sum * 10 + (*p - '0');
        }
        if (p == first) {
            return false;
        }
    }
    if (*p == ' ') {
        p++;
    } else if (*p != '\n' && *p != '\0') {
        return false;
    }
    *at = p;
    *value = sum;
    return true;
}

static bool take_kind(const char **at, audit_kind *kind)
{
    for (int k = 0; k < AUDIT_N_KINDS; k++) {
        const char *name = audit_kind_name((audit_kind)k);
        size_t n = strlen(name);
        if (strncmp(*at, name, n) == 0 && (*at)[n] == ' ') {
            *at += n + 1;
            *kind = (audit_kind)k;
            return true;
        }
    }
    return false;
}

static bool parse_command(audit_trace *t, const char *at,
                          audit_command *command, const char **end)
{
    int64_t channel = 0;
    int64_t place[4];
    bool is_good = !t->has_channels || take_number(&at, &channel);
    is_good = is_good && take_number(&at, &command->tick);
    is_good = is_good && take_kind(&at, &command->kind);
    for (int i = 0; i < 4 && is_good; i++) {
        is_good = take_number(&at, &place[i]) && place[i] < 65536;
    }
    is_good = is_good && take_number(&at, &command->row);
    is_good = is_good && take_number(&at, &command->column);
    if (!is_good || (*at != '\n' && *at != '\0') || channel < 0 ||
        channel > 65535) {
        return bad_line(t, "not [CH] TICK CMD PC SID BG BA ROW COL");
    }
    command->channel = (uint32_t)channel;
    command->pc = (int32_t)place[0];
    command->sid = (int32_t)place[1];
    command->bg = (int32_t)place[2];
    command->ba = (int32_t)place[3];
    command->line = t->line;
    *end = at;
    return true;
}

bool audit_trace_next(audit_trace *trace, audit_command *command)
{
    char *line = trace->is_good ? next_line(trace) : NULL;
    while (line != NULL && *line == '#') {
        trace->at = strchr(line, '\n');
        trace->at = trace->at == NULL ? trace->end : trace->at + 1;
        line = next_line(trace);
    }
    const char *end;
    if (line == NULL || !parse_command(trace, line, command, &end)) {
        return false;
    }
    trace->at += end - line;
    trace->at += *trace->at == '\n';
    return true;
}

/* A decimal number in millionths, 0 where it is none. */
static int64_t millionths(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end == text || value < 0 || value > 1e9
               ? 0
               : (int64_t)(value * 1000000 + 0.5);
}

static void header_line(audit_header *header, const char *line, size_t length)
{
    char text[640];
    snprintf(text, sizeof(text), "%.*s", (int)(length < 600 ? length : 600),
             line);
    if (strncmp(text, "# standard: ", 12) == 0) {
        snprintf(header->standard, sizeof(header->standard), "%.500s",
                 text + 12);
    } else if (strncmp(text, "# tick_ps: ", 11) == 0) {
        header->tick = millionths(text + 11);
    } else if (strncmp(text, "# ck_ps: ", 9) == 0) {
        header->ck = millionths(text + 9);
    } else if (strncmp(text, "# channels: ", 12) == 0) {
        header->n_channels = (uint32_t)strtoul(text + 12, NULL, 10);
    }
}

audit_trace *audit_trace_open(const char *path, audit_header *header)
{
    audit_trace *t = calloc(1, sizeof(*t));
    *header = (audit_header){.n_channels = 1};
    if (t == NULL) {
        return NULL;
    }
    t->path = strcmp(path, "-") == 0 ? "standard input" : path;
    t->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    t->block = malloc(BLOCK_BYTES + 1);
    if (t->file == NULL || t->block == NULL) {
        fprintf(stderr, "audit: %s: cannot be opened\n", path);
        audit_trace_close(t);
        return NULL;
    }
    t->is_good = true;
    t->at = t->end = t->block;
    *t->end = '\0';
    static const char magic[] = "# warpmem dram commands 1\n";
    char *line = next_line(t);
    if (line == NULL || strncmp(line, magic, sizeof(magic) - 1) != 0) {
        bad_line(t, "not \"# warpmem dram commands 1\"");
        audit_trace_close(t);
        return NULL;
    }
    while (line != NULL && *line == '#') {
        char *end = strchr(line, '\n');
        end = end == NULL ? t->end : end;
        header_line(header, line, (size_t)(end - line));
        t->at = *end == '\n' ? end + 1 : end;
        line = next_line(t);
    }
    t->line -= line != NULL; /* it is read again */
    t->has_channels = header->n_channels > 1;
    return t;
}

void audit_trace_close(audit_trace *trace)
{
    if (trace->file != NULL && trace->file != stdin) {
        fclose(trace->file);
    }
    free(trace->block);
    free(trace);
}

bool audit_trace_is_good(const audit_trace *trace)
{
    return trace->is_good;
}
