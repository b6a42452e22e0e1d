/*
 * config_fixture.h -- configurations from texts, and what became of them.
 */
#ifndef WM_TESTS_CONFIG_FIXTURE_H
#define WM_TESTS_CONFIG_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"

/* A folder of its own for each test; files in it are written by name. */
typedef struct fixture_folder {
    char path[64];
} fixture_folder;

static inline void fixture_open(fixture_folder *folder)
{
    (void)snprintf(folder->path, sizeof(folder->path),
                   "/tmp/warpmem_config_XXXXXX");
    cr_assert_not_null(mkdtemp(folder->path));
}

static inline void fixture_path(const fixture_folder *folder, const char *name,
                                char path[128])
{
    (void)snprintf(path, 128, "%s/%s", folder->path, name);
}

static inline void fixture_write(const fixture_folder *folder, const char *name,
                                 const void *bytes, size_t n_bytes)
{
    char path[128];
    fixture_path(folder, name, path);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, n_bytes, file), n_bytes);
    cr_assert_eq(fclose(file), 0);
}

static inline void fixture_remove(const fixture_folder *folder,
                                  const char *name)
{
    char path[128];
    fixture_path(folder, name, path);
    (void)unlink(path);
}

static inline void fixture_close(const fixture_folder *folder)
{
    (void)rmdir(folder->path);
}

/* Loads text as the file c.yaml; out is NULL after a failure. */
static inline wm_status fixture_load_bytes(const void *bytes, size_t n_bytes,
                                           wm_config_set **out, wm_error *err)
{
    fixture_folder folder;
    char path[128];
    fixture_open(&folder);
    fixture_write(&folder, "c.yaml", bytes, n_bytes);
    fixture_path(&folder, "c.yaml", path);
    wm_status status = wm_config_load(path, NULL, 0, out, err);
    fixture_remove(&folder, "c.yaml");
    fixture_close(&folder);
    return status;
}

/* A file that must load. */
static inline wm_config_set *fixture_load(const char *text)
{
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    wm_status status = fixture_load_bytes(text, strlen(text), &set, &err);
    cr_assert_eq(status, WM_OK, "%s", err.text);
    return set;
}

/* A file that must fail with exactly this text after ".../c.yaml". */
static inline void fixture_refuses(const char *text, const char *wanted)
{
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    wm_status status = fixture_load_bytes(text, strlen(text), &set, &err);
    cr_expect_eq(status, WM_ECONFIG, "%s", text);
    cr_expect_null(set);
    const char *tail = strstr(err.text, "c.yaml");
    cr_assert_not_null(tail, "%s", err.text);
    cr_expect_str_eq(tail + strlen("c.yaml"), wanted);
}

/* A preset with one or two --set, "" for none, that must load. */
static inline wm_config_set *fixture_preset(const char *name, const char *a,
                                            const char *b)
{
    const char *sets[2] = {a, b};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    size_t n = (a[0] != '\0') + (b[0] != '\0');
    wm_status status = wm_config_load(name, sets, n, &set, &err);
    cr_assert_eq(status, WM_OK, "%s", err.text);
    return set;
}

static inline void fixture_preset_refuses(const char *name, const char *a,
                                          const char *b, const char *wanted)
{
    const char *sets[2] = {a, b};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    size_t n = (a[0] != '\0') + (b[0] != '\0');
    wm_status status = wm_config_load(name, sets, n, &set, &err);
    cr_expect_eq(status, WM_ECONFIG, "%s %s", a, b);
    cr_expect_null(set);
    cr_expect_str_eq(err.text, wanted);
}

static inline const char *fixture_origin(const wm_config_set *set,
                                         const char *key)
{
    return wm_config_origin(set, wm_key_find(key));
}

#endif
