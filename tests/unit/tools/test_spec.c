/* The launch file: what its keys mean, and that whatever stands in it gives a
 * launch or a message with its place. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "base/rng.h"
#include "spec.h"

static const char whole[] = "# a comment\n"
                            "kernel: 'k<1>'\n"
                            "source: k.cu\n"
                            "grid: [4, 2]\n"
                            "block: 64\n"
                            "shared: 1 KiB\n"
                            "warp: 32\n"
                            "sm: 90\n"
                            "registers: 40\n"
                            "flags: [-DN=3, -Ix]\n"
                            "args:\n"
                            "  n: 7\n"
                            "  level: [0, 1, 2]\n"
                            "  x: {type: int, count: 5, fill: ramp 10 -2}\n"
                            "  y: {size: 64 B}\n"
                            "  z: {type: short, fill: [3, -1, 0x10]}\n"
                            "  t: {local: 2 KiB}\n"
                            "  r: {type: int, count: 9, fill: rising 1 3 5}\n"
                            "  l: {type: int, count: 4, fill: ramp 0 5 7}\n";

static char path[64];

static wm_status load(const char *text, size_t n, wm_spec *spec, wm_error *err)
{
    (void)snprintf(path, sizeof(path), "/tmp/wm_spec_%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, n, file), n);
    cr_assert_eq(fclose(file), 0);
    wm_status status = wm_spec_load(path, NULL, spec, err);
    (void)unlink(path);
    return status;
}

Test(spec, keys_mean_what_the_document_says)
{
    wm_spec spec;
    wm_error err;
    cr_assert_eq(load(whole, strlen(whole), &spec, &err), WM_OK, "%s",
                 err.text);
    cr_assert_str_eq(spec.kernel, "k<1>");
    cr_assert_str_eq(spec.source, "/tmp/k.cu");
    cr_assert_not(spec.is_opencl);
    cr_assert_eq(spec.grid[0], 4);
    cr_assert_eq(spec.grid[1], 2);
    cr_assert_eq(spec.grid[2], 1);
    cr_assert_eq(spec.block[0], 64);
    cr_assert_eq(spec.shared_bytes, 1024);
    cr_assert_eq(spec.sm_version, 90);
    cr_assert_eq(spec.n_launches, 3);
    cr_assert_eq(spec.n_args, 8);
    cr_assert_eq(spec.args[0].kind, WM_ARG_SCALAR);
    cr_assert_eq(spec.args[2].n_bytes, 20);
    cr_assert_eq(spec.args[4].n_bytes, 6);
    cr_assert_eq(spec.args[5].kind, WM_ARG_LOCAL);
    cr_assert_eq(wm_spec_dynamic_bytes(&spec), 1024 + 2048);
    wm_spec_fini(&spec);
}

Test(spec, buffers_hold_what_their_fill_says)
{
    wm_spec spec;
    wm_error err;
    wm_arena arena;
    cr_assert_eq(load(whole, strlen(whole), &spec, &err), WM_OK);
    cr_assert_eq(wm_arena_init(&arena, &spec, &err), WM_OK, "%s", err.text);
    const int wanted[] = {10, 8, 6, 4, 2};
    const short listed[] = {3, -1, 16};
    const int limited[] = {0, 5, 7, 7};
    const wm_arena_buffer *x = wm_arena_find(&arena, &spec.args[2]);
    const wm_arena_buffer *z = wm_arena_find(&arena, &spec.args[4]);
    const wm_arena_buffer *r = wm_arena_find(&arena, &spec.args[6]);
    const wm_arena_buffer *l = wm_arena_find(&arena, &spec.args[7]);
    cr_assert_eq(memcmp(arena.host + x->offset, wanted, sizeof(wanted)), 0);
    cr_assert_eq(memcmp(arena.host + z->offset, listed, sizeof(listed)), 0);
    cr_assert_eq(memcmp(arena.host + l->offset, limited, sizeof(limited)), 0);
    int rising[9];
    memcpy(rising, arena.host + r->offset, sizeof(rising));
    cr_assert_eq(rising[0], 0);
    for (int i = 1; i < 9; i++) {
        int step = rising[i] - rising[i - 1];
        cr_assert(step >= 1 && step <= 3, "step %d", step);
    }
    wm_arena_fini(&arena);
    wm_spec_fini(&spec);
}

Test(spec, a_cut_file_is_a_launch_or_a_message)
{
    for (size_t n = 0; n < strlen(whole); n++) {
        wm_spec spec;
        wm_error err = {.status = WM_OK};
        wm_status status = load(whole, n, &spec, &err);
        cr_assert(status == WM_OK || strstr(err.text, path) == err.text, "%s",
                  err.text);
        wm_spec_fini(&spec);
    }
}

Test(spec, changed_bytes_are_a_launch_or_a_message)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        char text[sizeof(whole)];
        wm_rng rng = {seed};
        wm_spec spec;
        wm_error err = {.status = WM_OK};
        memcpy(text, whole, sizeof(whole));
        for (uint32_t k = 1 + wm_rng_below(&rng, 4); k > 0; k--) {
            const char *from = ":{}[],- \n'09x.kK\t";
            text[wm_rng_below(&rng, sizeof(whole) - 1)] =
                from[wm_rng_below(&rng, 17)];
        }
        wm_status status = load(text, strlen(whole), &spec, &err);
        cr_assert(status == WM_OK || err.text[0] != '\0', "seed %u",
                  (unsigned)seed);
        wm_spec_fini(&spec);
    }
}

Test(spec, lists_of_different_lengths_are_refused)
{
    wm_spec spec;
    wm_error err;
    const char *text = "kernel: k\nsource: k.cl\ngrid: 1\nblock: 1\nargs:\n"
                       "  a: [1, 2]\n  b: [1, 2, 3]\n";
    cr_assert_eq(load(text, strlen(text), &spec, &err), WM_ECONFIG);
    cr_assert_not_null(strstr(err.text, ":7:3: args.b: found 3 values"), "%s",
                       err.text);
    wm_spec_fini(&spec);
}
