/*
 * test_mutations.c -- no bytes crash the loader; a refusal names the file.
 */
#include "base/rng.h"
#include "config_fixture.h"

static size_t read_preset(const char *name, char *bytes, size_t n_max)
{
    char path[512];
    (void)snprintf(path, sizeof(path), WM_SOURCE_DIR "/configs/gpu/%s.yaml",
                   name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t n = fread(bytes, 1, n_max, file);
    (void)fclose(file);
    return n;
}

/* Changes, inserts, removes or repeats a few bytes. */
static size_t mutate(char *bytes, size_t n, size_t n_max, wm_rng *rng)
{
    static const char odd[] = "\t\r\n:{}[]&*!|>'\"%@`#-,.\0\xff\xef\xbb\xbf 09";
    uint32_t n_changes = 1 + wm_rng_below(rng, 8);
    for (uint32_t i = 0; i < n_changes && n > 64; i++) {
        uint32_t at = wm_rng_below(rng, (uint32_t)n);
        char byte = odd[wm_rng_below(rng, sizeof(odd) - 1)];
        uint32_t length = 1 + wm_rng_below(rng, 32);
        switch (wm_rng_below(rng, 5)) {
        case 0:
            bytes[at] = byte;
            break;
        case 1:
            bytes[at] = (char)wm_rng_next(rng);
            break;
        case 2:
            if (n < n_max) {
                memmove(bytes + at + 1, bytes + at, n - at);
                bytes[at] = byte;
                n++;
            }
            break;
        case 3:
            length = length < n - at ? length : (uint32_t)(n - at);
            memmove(bytes + at, bytes + at + length, n - at - length);
            n -= length;
            break;
        default:
            n = wm_rng_below(rng, 8) == 0 ? at + 1 : n;
            break;
        }
    }
    return n;
}

Test(mutations, never_crash_and_always_say_where)
{
    enum { N_MAX = 16384, ROUNDS = 4000 };
    static char original[N_MAX];
    static char bytes[N_MAX];
    const uint64_t seed = 8675309;
    wm_rng rng = {seed};
    fixture_folder folder;
    char path[128];
    size_t n_refused = 0;
    size_t n_original = read_preset("a100", original, N_MAX);
    fixture_open(&folder);
    fixture_path(&folder, "c.yaml", path);
    for (int round = 0; round < ROUNDS; round++) {
        wm_config_set *set = NULL;
        wm_error err = {WM_OK, ""};
        memcpy(bytes, original, n_original);
        size_t n = mutate(bytes, n_original, N_MAX, &rng);
        fixture_write(&folder, "c.yaml", bytes, n);
        wm_status status = wm_config_load(path, NULL, 0, &set, &err);
        if (status != WM_OK) {
            n_refused++;
            cr_expect_null(set);
            cr_expect_not_null(strstr(err.text, "c.yaml"),
                               "seed %llu round %d: %s",
                               (unsigned long long)seed, round, err.text);
        }
        wm_config_free(set);
    }
    cr_expect_gt(n_refused, ROUNDS / 10u);
    cr_expect_lt(n_refused, (size_t)ROUNDS);
    fixture_remove(&folder, "c.yaml");
    fixture_close(&folder);
}

Test(mutations, random_bytes_are_refused)
{
    const uint64_t seed = 5551212;
    wm_rng rng = {seed};
    char bytes[300];
    for (int round = 0; round < 500; round++) {
        wm_config_set *set = NULL;
        wm_error err = {WM_OK, ""};
        size_t n = wm_rng_below(&rng, sizeof(bytes));
        for (size_t i = 0; i < n; i++) {
            bytes[i] = (char)wm_rng_next(&rng);
        }
        cr_expect_neq(fixture_load_bytes(bytes, n, &set, &err), WM_OK,
                      "seed %llu round %d", (unsigned long long)seed, round);
    }
}

Test(mutations, deep_nesting_and_many_keys_are_bounded)
{
    static char text[60000];
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    memset(text, '{', 5000);
    cr_expect_eq(fixture_load_bytes(text, 5000, &set, &err), WM_ECONFIG);
    memset(text, '[', 5000);
    cr_expect_eq(fixture_load_bytes(text, 5000, &set, &err), WM_ECONFIG);
    size_t n = 0;
    for (int i = 0; i < 20; i++) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%*sa:\n", i, "");
    }
    cr_expect_eq(fixture_load_bytes(text, n, &set, &err), WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "nested too deeply"), "%s", err.text);
    n = 0;
    for (int i = 0; i < 2000; i++) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "k%d: 1\n", i);
    }
    cr_expect_eq(fixture_load_bytes(text, n, &set, &err), WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "over 1024 keys"), "%s", err.text);
}
