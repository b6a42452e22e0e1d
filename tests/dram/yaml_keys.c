/*
 * yaml_keys.c -- libyaml's document tree, flattened.
 */
#include "yaml_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define BASES_MAX 8

typedef struct source {
    audit_keys *keys;
    yaml_document_t document;
    const char *path;
    int depth; /* of base */
} source;

static bool keys_load(audit_keys *keys, const char *path, int depth);

audit_key *audit_keys_find(audit_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->n; i++) {
        if (strcmp(keys->key[i].name, name) == 0) {
            keys->key[i].is_used = true;
            return &keys->key[i];
        }
    }
    return NULL;
}

/* The file a `base` means: a path beside this file, or a name there. */
static bool load_base(source *from, const char *base)
{
    char path[512];
    const char *slash = strrchr(from->path, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - from->path);
    const char *suffix = strchr(base, '.') == NULL ? ".yaml" : "";
    if (base[0] == '/') {
        folder = 0;
    }
    snprintf(path, sizeof(path), "%.*s%s%s", folder, from->path, base, suffix);
    return keys_load(from->keys, path, from->depth + 1);
}

static bool set_key(source *from, const char *name, const char *value,
                    size_t line)
{
    if (strcmp(name, "base") == 0) {
        return true; /* read before all other keys */
    }
    audit_key *key = audit_keys_find(from->keys, name);
    if (key == NULL) {
        if (from->keys->n == AUDIT_KEYS_MAX) {
            fprintf(stderr, "audit: %s: more than %u keys\n", from->path,
                    AUDIT_KEYS_MAX);
            return false;
        }
        key = &from->keys->key[from->keys->n++];
    }
    snprintf(key->name, sizeof(key->name), "%s", name);
    snprintf(key->value, sizeof(key->value), "%s", value);
    snprintf(key->place, sizeof(key->place), "%.260s:%zu", from->path,
             line + 1);
    key->is_used = false;
    return true;
}

static const char *scalar_text(yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE
               ? (const char *)node->data.scalar.value
               : NULL;
}

static bool add_mapping(source *from, yaml_node_t *node, const char *prefix,
                        int depth)
{
    yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = yaml_document_get_node(&from->document, pair->key);
        yaml_node_t *value =
            yaml_document_get_node(&from->document, pair->value);
        const char *word = scalar_text(key);
        const char *text = scalar_text(value);
        char name[96];
        if (word == NULL || value == NULL) {
            return false;
        }
        snprintf(name, sizeof(name), "%.40s%s%.50s", prefix,
                 prefix[0] == '\0' ? "" : ".", word);
        if (text != NULL) {
            if (!set_key(from, name, text, value->start_mark.line)) {
                return false;
            }
        } else if (value->type != YAML_MAPPING_NODE || depth == 4 ||
                   !add_mapping(from, value, name, depth + 1)) {
            fprintf(stderr, "audit: %s:%zu: %s is not a text\n", from->path,
                    value->start_mark.line + 1, name);
            return false;
        }
    }
    return true;
}

/* The top level's `base`, or NULL. */
static const char *find_base(source *from, yaml_node_t *root)
{
    yaml_node_pair_t *pair = root->data.mapping.pairs.start;
    for (; pair < root->data.mapping.pairs.top; pair++) {
        const char *word =
            scalar_text(yaml_document_get_node(&from->document, pair->key));
        if (word != NULL && strcmp(word, "base") == 0) {
            return scalar_text(
                yaml_document_get_node(&from->document, pair->value));
        }
    }
    return NULL;
}

static bool add_document(source *from)
{
    yaml_node_t *root = yaml_document_get_root_node(&from->document);
    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        fprintf(stderr, "audit: %s: not a mapping\n", from->path);
        return false;
    }
    const char *base = find_base(from, root);
    if (base != NULL && !load_base(from, base)) {
        return false;
    }
    return add_mapping(from, root, "", 0);
}

static bool keys_load(audit_keys *keys, const char *path, int depth)
{
    source from = {.keys = keys, .path = path, .depth = depth};
    FILE *file = depth < BASES_MAX ? fopen(path, "rb") : NULL;
    yaml_parser_t parser;
    bool is_good = false;
    if (file == NULL) {
        fprintf(stderr, "audit: %s: cannot be opened\n", path);
        return false;
    }
    if (yaml_parser_initialize(&parser)) {
        yaml_parser_set_input_file(&parser, file);
        if (yaml_parser_load(&parser, &from.document)) {
            is_good = add_document(&from);
            yaml_document_delete(&from.document);
        } else {
            fprintf(stderr, "audit: %s:%zu: not YAML\n", path,
                    parser.problem_mark.line + 1);
        }
        yaml_parser_delete(&parser);
    }
    fclose(file);
    return is_good;
}

bool audit_keys_load(audit_keys *keys, const char *path)
{
    keys->n = 0;
    return keys_load(keys, path, 0);
}
