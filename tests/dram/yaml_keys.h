/*
 * yaml_keys.h -- a YAML file as a list of dotted keys and their texts.
 *
 * Ownership  init/fini; the texts live as long as the list.
 * Errors     a message on stderr and false.
 */
#ifndef AUDIT_YAML_KEYS_H
#define AUDIT_YAML_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#define AUDIT_KEYS_MAX 256u

typedef struct audit_key {
    char name[96]; /* "timing.tRCD_RD" */
    char value[160];
    char place[288]; /* "FILE:LINE" */
    bool is_used;
} audit_key;

typedef struct audit_keys {
    audit_key key[AUDIT_KEYS_MAX];
    size_t n;
} audit_keys;

/* Adds the keys of a file, after those of its `base`; later ones win. */
bool audit_keys_load(audit_keys *keys, const char *path);

/* The key of this name, marked as used, or NULL. */
audit_key *audit_keys_find(audit_keys *keys, const char *name);

#endif
