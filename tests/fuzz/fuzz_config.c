/*
 * fuzz_config.c -- any bytes as a configuration: loaded or refused with a
 * sentence; what loads has a digest, and what `config show` says of every key,
 * given by --set, makes the same configuration.  The same bytes as a memory
 * standard, and a configuration's mapping on one.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "fuzz.h"
#include "model/dram/mapping.h"
#include "model/dram/standard.h"
#include "model/dram/timing.h"

#define KEYS_MAX 160u

static void check_said(wm_status status, const wm_error *err)
{
    if (status != WM_OK && err->text[0] == '\0') {
        fuzz_fail("failure %d without a sentence", (int)status);
    }
}

/* Every value as it is shown, given again. */
static void give_again(const wm_config_set *config)
{
    static wm_buffer text[KEYS_MAX];
    static char base[FUZZ_PATH_BYTES];
    const char *sets[KEYS_MAX];
    char hex[2][WM_DIGEST_HEX];
    wm_config_set *again = NULL;
    wm_error err;
    size_t n_sets = 0;
    for (size_t k = 0; k < wm_n_keys && k < KEYS_MAX; k++) {
        wm_buffer_clear(&text[k]);
        wm_buffer_printf(&text[k], "%s=", wm_keys[k].name);
        wm_key_format(&wm_keys[k], wm_config_values(config), &text[k]);
        sets[n_sets++] = text[k].bytes;
    }
    fuzz_put("base.yaml", "sm: {count: 1}\n", 15, base);
    if (wm_config_load(base, sets, n_sets, &again, &err) != WM_OK) {
        fuzz_fail("what is shown is refused: %s", err.text);
    }
    wm_config_digest(config, hex[0]);
    wm_config_digest(again, hex[1]);
    if (strcmp(hex[0], hex[1]) != 0) {
        fuzz_fail("what is shown is another configuration");
    }
    wm_config_free(again);
}

static void try_standard(const char *path)
{
    wm_standard standard;
    wm_dram_timing timing;
    wm_mapping mapping;
    wm_error err = {WM_OK, ""};
    wm_status status = wm_standard_load(path, &standard, &err);
    check_said(status, &err);
    if (status == WM_OK) {
        check_said(wm_dram_timing_init(&timing, &standard, &err), &err);
        check_said(wm_mapping_init(&mapping, &standard, "", "mapping", &err),
                   &err);
        check_said(wm_standard_settle(&standard, UINT64_C(1234567), &err),
                   &err);
    }
}

static void try_mapping(const char *text)
{
    static wm_standard standard;
    static bool has_standard;
    wm_mapping mapping;
    wm_error err = {WM_OK, ""};
    if (!has_standard && wm_standard_load("hbm2", &standard, &err) != WM_OK) {
        fuzz_fail("%s", err.text);
    }
    has_standard = true;
    check_said(wm_mapping_init(&mapping, &standard, text, "dram.mapping", &err),
               &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    const char *path = fuzz_file(bytes, n_bytes, ".yaml");
    wm_config_set *config = NULL;
    wm_error err = {WM_OK, ""};
    wm_status status = wm_config_load(path, NULL, 0, &config, &err);
    check_said(status, &err);
    if (status == WM_OK) {
        give_again(config);
        try_mapping(wm_config_values(config)->dram.mapping);
    } else {
        try_standard(path);
    }
    wm_config_free(config);
    (void)unlink(path);
    return 0;
}
