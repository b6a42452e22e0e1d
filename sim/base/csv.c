/*
 * csv.c -- comma-separated texts, record by record.
 */
#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void wm_csv_init(wm_csv *csv, const char *text, size_t n_text)
{
    memset(csv, 0, sizeof(*csv));
    csv->at = text;
    csv->end = text + n_text;
    csv->line = 1;
    wm_buffer_init(&csv->text);
}

void wm_csv_fini(wm_csv *csv)
{
    wm_buffer_fini(&csv->text);
    free(csv->starts);
    memset(csv, 0, sizeof(*csv));
}

static void csv_start_field(wm_csv *csv)
{
    if (!wm_grow(&csv->starts, &csv->cap_starts, csv->n_fields + 1,
                 sizeof(csv->starts[0]))) {
        csv->is_failed = true;
        return;
    }
    csv->starts[csv->n_fields++] = csv->text.n_bytes;
}

/* Reads one field; leaves csv->at on what follows it. */
static void csv_read_field(wm_csv *csv)
{
    bool is_quoted = false;
    csv_start_field(csv);
    for (; csv->at < csv->end; csv->at++) {
        const char c = *csv->at;
        if (c == '"') {
            if (is_quoted && csv->at + 1 < csv->end && csv->at[1] == '"') {
                wm_buffer_add(&csv->text, "\"", 1);
                csv->at++;
            } else {
                is_quoted = !is_quoted;
            }
            continue;
        }
        if (!is_quoted && (c == ',' || c == '\n' || c == '\r')) {
            break;
        }
        csv->line += c == '\n';
        wm_buffer_add(&csv->text, &c, 1);
    }
    wm_buffer_add(&csv->text, "", 1);
}

bool wm_csv_next(wm_csv *csv)
{
    wm_buffer_clear(&csv->text);
    csv->n_fields = 0;
    csv->record_line = csv->line;
    if (csv->at >= csv->end || csv->is_failed) {
        return false;
    }
    while (csv->at < csv->end && *csv->at != '\n' && *csv->at != '\r') {
        csv_read_field(csv);
        if (csv->at < csv->end && *csv->at == ',') {
            csv->at++;
            if (csv->at == csv->end || *csv->at == '\n' || *csv->at == '\r') {
                csv_start_field(csv); /* "a," has two fields */
                wm_buffer_add(&csv->text, "", 1);
            }
        }
    }
    csv->at += csv->at < csv->end && *csv->at == '\r';
    if (csv->at < csv->end && *csv->at == '\n') {
        csv->at++;
        csv->line++;
    }
    csv->is_failed = csv->is_failed || csv->text.is_failed;
    return !csv->is_failed;
}

void wm_csv_skip_line(wm_csv *csv)
{
    while (csv->at < csv->end && *csv->at != '\n') {
        csv->at++;
    }
    if (csv->at < csv->end) {
        csv->at++;
        csv->line++;
    }
}

const char *wm_csv_field(const wm_csv *csv, size_t i)
{
    return i < csv->n_fields ? csv->text.bytes + csv->starts[i] : "";
}

void wm_csv_quote(wm_buffer *out, const char *text)
{
    wm_buffer_puts(out, "\"");
    if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL) {
        wm_buffer_puts(out, "'");
    }
    for (size_t i = 0; text[i] != '\0'; i++) {
        const unsigned char c = (unsigned char)text[i];
        /* U+0080 to U+009F are two bytes, both blanks then. */
        const bool is_first = c == 0xc2 && wm_text_is_c1(text, i + 1);
        if (c == '"') {
            wm_buffer_puts(out, "\"\"");
        } else if (c < 0x20 || c == 0x7f || is_first ||
                   wm_text_is_c1(text, i)) {
            wm_buffer_puts(out, " ");
        } else {
            wm_buffer_add(out, text + i, 1);
        }
    }
    wm_buffer_puts(out, "\"");
}
