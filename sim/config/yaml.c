/*
 * yaml.c -- libyaml events to dotted keys.
 */
#include "config/yaml.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/buffer.h"

typedef struct yaml_reader {
    const char *name;
    const char *bytes;
    size_t n_bytes;
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
    bool has_event;
    char path[WM_YAML_KEY_MAX];
    wm_yaml *out;
} yaml_reader;

static unsigned long yaml_line(const yaml_mark_t *mark)
{
    return (unsigned long)mark->line + 1;
}

static unsigned long yaml_column(const yaml_mark_t *mark)
{
    return (unsigned long)mark->column + 1;
}

/* Whether the indent of line (from 0) holds a tab. */
static bool yaml_has_tab_indent(const yaml_reader *reader, size_t line)
{
    const char *p = reader->bytes;
    const char *end = p + reader->n_bytes;
    while (line != 0 && p < end) {
        line -= *p == '\n';
        p++;
    }
    while (p < end && *p == ' ') {
        p++;
    }
    return p < end && *p == '\t';
}

static wm_status yaml_syntax_error(const yaml_reader *reader, wm_error *err)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem =
        parser->problem != NULL ? parser->problem : "bad text";
    if (parser->error == YAML_MEMORY_ERROR) {
        return wm_fail_memory(err);
    }
    if (parser->error == YAML_READER_ERROR) {
        return wm_fail(err, WM_ECONFIG, "%s: byte %lu: %s, wanted UTF-8 text",
                       reader->name, (unsigned long)parser->problem_offset,
                       problem);
    }
    if (yaml_has_tab_indent(reader, parser->problem_mark.line)) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:%lu:%lu: a tab in the indent, wanted spaces",
                       reader->name, yaml_line(&parser->problem_mark),
                       yaml_column(&parser->problem_mark));
    }
    return wm_fail(err, WM_ECONFIG, "%s:%lu:%lu: %s, wanted YAML (KEY: VALUE)",
                   reader->name, yaml_line(&parser->problem_mark),
                   yaml_column(&parser->problem_mark), problem);
}

/* Makes the next event the current one. */
static wm_status yaml_next(yaml_reader *reader, wm_error *err)
{
    if (reader->has_event) {
        yaml_event_delete(&reader->event);
        reader->has_event = false;
    }
    if (!yaml_parser_parse(&reader->parser, &reader->event)) {
        return yaml_syntax_error(reader, err);
    }
    reader->has_event = true;
    return WM_OK;
}

/* Fails at the current event; key may be "". */
static wm_status yaml_fail_here(const yaml_reader *reader, const char *key,
                                const char *what, wm_error *err)
{
    const yaml_mark_t *mark = &reader->event.start_mark;
    return wm_fail(err, WM_ECONFIG, "%s:%lu:%lu: %s%s%s", reader->name,
                   yaml_line(mark), yaml_column(mark), key,
                   key[0] != '\0' ? ": " : "", what);
}

/* Refuses an alias, an anchor or a tag at the current event. */
static wm_status yaml_check_plain(const yaml_reader *reader, const char *key,
                                  wm_error *err)
{
    const yaml_event_t *event = &reader->event;
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    }
    if (event->type == YAML_ALIAS_EVENT || anchor != NULL) {
        return yaml_fail_here(
            reader, key,
            "anchors and aliases (& *) are not supported, wanted "
            "the value itself or `base:`",
            err);
    }
    if (tag != NULL) {
        return yaml_fail_here(
            reader, key, "a tag (!) is not supported, wanted a value", err);
    }
    return WM_OK;
}

static wm_status yaml_copy_scalar(const yaml_reader *reader, const char *key,
                                  wm_buffer *text, wm_error *err)
{
    const char *bytes = (const char *)reader->event.data.scalar.value;
    size_t n_bytes = reader->event.data.scalar.length;
    if (strlen(bytes) != n_bytes) {
        return yaml_fail_here(reader, key, "a NUL byte, wanted text", err);
    }
    wm_buffer_add(text, bytes, n_bytes);
    return text->is_failed ? wm_fail_memory(err) : WM_OK;
}

/* Appends the current event, an item of the list that text holds so far. */
static wm_status yaml_copy_item(yaml_reader *reader, const char *key,
                                wm_buffer *text, wm_buffer *items,
                                wm_error *err)
{
    wm_buffer_puts(text, text->n_bytes != 0 ? ", " : "");
    const size_t first = text->n_bytes;
    wm_status status = yaml_copy_scalar(reader, key, text, err);
    if (status == WM_OK) {
        wm_buffer_add(items, text->bytes + first, text->n_bytes - first);
        wm_buffer_add(items, "", 1);
        status = items->is_failed ? wm_fail_memory(err) : WM_OK;
    }
    return status;
}

/* The current event starts a list; leaves its end as the current event. */
static wm_status yaml_copy_list(yaml_reader *reader, const char *key,
                                wm_buffer *text, wm_buffer *items,
                                uint32_t *n_items, wm_error *err)
{
    wm_status status = yaml_next(reader, err);
    while (status == WM_OK && reader->event.type != YAML_SEQUENCE_END_EVENT) {
        status = yaml_check_plain(reader, key, err);
        if (status == WM_OK && reader->event.type != YAML_SCALAR_EVENT) {
            status = yaml_fail_here(reader, key,
                                    "a list or map inside a list, wanted a "
                                    "list of plain values",
                                    err);
        }
        if (status == WM_OK) {
            status = yaml_copy_item(reader, key, text, items, err);
            ++*n_items;
        }
        if (status == WM_OK) {
            status = yaml_next(reader, err);
        }
    }
    return status;
}

static const wm_yaml_entry *yaml_find(const wm_yaml *yaml, const char *key)
{
    for (size_t i = 0; i < yaml->n_entries; i++) {
        if (strcmp(yaml->entry[i].key, key) == 0) {
            return &yaml->entry[i];
        }
    }
    return NULL;
}

/* Adds an entry for the key in reader->path, which starts at *mark. */
static wm_status yaml_add_entry(yaml_reader *reader, const yaml_mark_t *mark,
                                wm_error *err)
{
    wm_yaml *out = reader->out;
    const wm_yaml_entry *first = yaml_find(out, reader->path);
    if (first != NULL) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:%lu:%lu: %s: given twice, first on line %lu",
                       reader->name, yaml_line(mark), yaml_column(mark),
                       reader->path, (unsigned long)first->line);
    }
    if (out->n_entries == WM_YAML_MAX) {
        return wm_fail(err, WM_ECONFIG, "%s:%lu: over %u keys in one file",
                       reader->name, yaml_line(mark), WM_YAML_MAX);
    }
    if (!wm_grow(&out->entry, &out->capacity, out->n_entries + 1,
                 sizeof(out->entry[0]))) {
        return wm_fail_memory(err);
    }
    wm_yaml_entry *entry = &out->entry[out->n_entries++];
    memset(entry, 0, sizeof(*entry));
    memcpy(entry->key, reader->path, sizeof(entry->key));
    entry->line = (uint32_t)yaml_line(mark);
    entry->column = (uint32_t)yaml_column(mark);
    return WM_OK;
}

/* The current event is the value of the last entry; reads scalars and lists
 * whole, of a map only the start. */
static wm_status yaml_read_value(yaml_reader *reader, wm_error *err)
{
    wm_buffer text;
    wm_buffer items;
    size_t index = reader->out->n_entries - 1;
    wm_yaml_entry *entry = &reader->out->entry[index];
    wm_status status = yaml_check_plain(reader, entry->key, err);
    entry->value_line = (uint32_t)yaml_line(&reader->event.start_mark);
    entry->value_column = (uint32_t)yaml_column(&reader->event.start_mark);
    if (status != WM_OK) {
        return status;
    }
    wm_buffer_init(&text);
    wm_buffer_init(&items);
    wm_buffer_puts(&text, "");
    if (reader->event.type == YAML_SCALAR_EVENT) {
        entry->kind = WM_YAML_SCALAR;
        status = yaml_copy_scalar(reader, entry->key, &text, err);
    } else if (reader->event.type == YAML_SEQUENCE_START_EVENT) {
        entry->kind = WM_YAML_LIST;
        status = yaml_copy_list(reader, entry->key, &text, &items,
                                &entry->n_items, err);
    } else {
        entry->kind = WM_YAML_MAP;
    }
    if (status == WM_OK && text.is_failed) {
        status = wm_fail_memory(err);
    }
    entry->value = text.bytes;
    entry->items = items.bytes;
    return status;
}

/* Appends the current event, a key, to the path. */
static wm_status yaml_push_key(yaml_reader *reader, size_t n_path,
                               wm_error *err)
{
    const yaml_event_t *event = &reader->event;
    wm_status status = yaml_check_plain(reader, "", err);
    if (status != WM_OK) {
        return status;
    }
    if (event->type != YAML_SCALAR_EVENT) {
        return yaml_fail_here(reader, "",
                              "a list or map as a key, wanted a "
                              "name such as l2.size",
                              err);
    }
    const char *text = (const char *)event->data.scalar.value;
    size_t n_text = event->data.scalar.length;
    size_t n_dot = n_path != 0 ? 1 : 0;
    if (n_text == 0 || strlen(text) != n_text) {
        return yaml_fail_here(reader, "", "an empty key, wanted a name", err);
    }
    if (n_path + n_dot + n_text >= sizeof(reader->path)) {
        return yaml_fail_here(reader, "", "a key of over 127 bytes", err);
    }
    memset(reader->path + n_path, 0, sizeof(reader->path) - n_path);
    memcpy(reader->path + n_path, ".", n_dot);
    memcpy(reader->path + n_path + n_dot, text, n_text);
    return WM_OK;
}

/* The current event starts a map whose keys go below reader->path; leaves
 * its end as the current event. */
static wm_status yaml_read_map(yaml_reader *reader, unsigned depth,
                               wm_error *err)
{
    size_t n_path = strlen(reader->path);
    if (depth > WM_YAML_DEPTH_MAX) {
        return yaml_fail_here(reader, reader->path,
                              "maps nested too deeply, wanted section.key",
                              err);
    }
    wm_status status = yaml_next(reader, err);
    while (status == WM_OK && reader->event.type != YAML_MAPPING_END_EVENT) {
        yaml_mark_t mark = reader->event.start_mark;
        status = yaml_push_key(reader, n_path, err);
        if (status == WM_OK) {
            status = yaml_add_entry(reader, &mark, err);
        }
        if (status == WM_OK) {
            status = yaml_next(reader, err);
        }
        if (status == WM_OK) {
            status = yaml_read_value(reader, err);
        }
        if (status == WM_OK && reader->event.type == YAML_MAPPING_START_EVENT) {
            status = yaml_read_map(reader, depth + 1, err);
        }
        if (status == WM_OK) {
            reader->path[n_path] = '\0';
            status = yaml_next(reader, err);
        }
    }
    return status;
}

static wm_status yaml_fail_empty(const yaml_reader *reader, wm_error *err)
{
    return wm_fail(err, WM_ECONFIG, "%s:1: an empty file, wanted KEY: VALUE",
                   reader->name);
}

/* The current event starts a document. */
static wm_status yaml_read_document(yaml_reader *reader, wm_error *err)
{
    wm_status status = yaml_next(reader, err);
    if (status == WM_OK) {
        status = yaml_check_plain(reader, "", err);
    }
    if (status != WM_OK) {
        return status;
    }
    if (reader->event.type == YAML_SCALAR_EVENT &&
        reader->event.data.scalar.length == 0) {
        return yaml_fail_empty(reader, err);
    }
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        return yaml_fail_here(reader, "",
                              "not a map, wanted lines of KEY: VALUE", err);
    }
    status = yaml_read_map(reader, 1, err);
    return status == WM_OK ? yaml_next(reader, err) : status;
}

static wm_status yaml_read_stream(yaml_reader *reader, wm_error *err)
{
    wm_status status = yaml_next(reader, err);
    if (status == WM_OK) {
        status = yaml_next(reader, err);
    }
    if (status == WM_OK && reader->event.type == YAML_STREAM_END_EVENT) {
        return yaml_fail_empty(reader, err);
    }
    if (status == WM_OK) {
        status = yaml_read_document(reader, err);
    }
    if (status == WM_OK) {
        status = yaml_next(reader, err);
    }
    if (status == WM_OK && reader->event.type != YAML_STREAM_END_EVENT) {
        status = yaml_fail_here(reader, "",
                                "a second document, wanted one per file", err);
    }
    return status;
}

wm_status wm_yaml_parse(const char *name, const char *bytes, size_t n_bytes,
                        wm_yaml *out, wm_error *err)
{
    yaml_reader reader;
    memset(&reader, 0, sizeof(reader));
    memset(out, 0, sizeof(*out));
    reader.name = name;
    reader.out = out;
    if (n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        n_bytes -= 3;
    }
    reader.bytes = bytes;
    reader.n_bytes = n_bytes;
    if (!yaml_parser_initialize(&reader.parser)) {
        return wm_fail_memory(err);
    }
    /* Set, or a file that starts with two odd bytes is taken for UTF-16. */
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)bytes,
                                 n_bytes);
    wm_status status = yaml_read_stream(&reader, err);
    if (reader.has_event) {
        yaml_event_delete(&reader.event);
    }
    yaml_parser_delete(&reader.parser);
    return status;
}

void wm_yaml_fini(wm_yaml *yaml)
{
    for (size_t i = 0; i < yaml->n_entries; i++) {
        free(yaml->entry[i].value);
        free(yaml->entry[i].items);
    }
    free(yaml->entry);
    memset(yaml, 0, sizeof(*yaml));
}
