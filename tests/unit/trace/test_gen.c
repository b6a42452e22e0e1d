/* Generated launches. */
#include <criterion/criterion.h>
#include <string.h>

#include "trace/gen.h"
#include "trace/record_check.h"
#include "trace_random.h"

/* All CTAs of a pattern as plain bytes; returns the number of records. */
static uint64_t dump_pattern(const wm_gen_params *params, wm_buffer *out)
{
    wm_gen *gen = NULL;
    wm_error err;
    wm_cta cta;
    bool has_cta = true;
    uint64_t n_ctas = 0;
    uint64_t n_records = 0;
    wm_cta_init(&cta);
    cr_assert_eq(wm_gen_open(params, &gen, &err), WM_OK, "%s: %s",
                 params->pattern, err.text);
    const wm_launch *launch = wm_gen_launch(gen);
    dump_launch(out, launch);
    dump_statics(out, launch);
    for (;;) {
        cr_assert_eq(wm_gen_next_cta(gen, &cta, &has_cta, &err), WM_OK);
        if (!has_cta) {
            break;
        }
        dump_cta(out, &cta);
        n_ctas++;
        n_records += cta.n_records;
        for (size_t i = 0; i < cta.n_records; i++) {
            const char *fault =
                wm_record_fault(&cta.records[i], launch->n_statics, 32);
            cr_assert_null(fault, "%s: %s", params->pattern, fault);
        }
        for (uint32_t w = 0; w < cta.n_warps; w++) {
            const wm_warp_span *span = &cta.warps[w];
            cr_assert_gt(span->n_records, 1);
            cr_assert_eq(cta.records[span->first + span->n_records - 1].kind,
                         WM_KIND_EXIT);
        }
    }
    cr_assert_eq(n_ctas, launch->n_ctas);
    wm_cta_fini(&cta);
    wm_gen_close(gen);
    return n_records;
}

static wm_gen_params small(const char *pattern)
{
    wm_gen_params params;
    wm_gen_params_init(&params);
    params.pattern = pattern;
    params.n_ctas = 4;
    params.n_warps = 4;
    params.n_accesses = 8;
    params.size = 64;
    return params;
}

Test(gen, every_pattern_is_well_formed_and_the_same_each_time)
{
    for (size_t i = 0; wm_gen_pattern_name(i) != NULL; i++) {
        for (uint32_t width = 1; width <= 32; width *= 2) {
            wm_gen_params params = small(wm_gen_pattern_name(i));
            wm_buffer dump[2];
            params.width_bytes = width;
            params.is_dependent = width == 4;
            cr_assert_not_null(wm_gen_pattern_summary(i));
            for (int k = 0; k < 2; k++) {
                wm_buffer_init(&dump[k]);
                (void)dump_pattern(&params, &dump[k]);
            }
            assert_same_dump(&dump[0], &dump[1], 0);
            wm_buffer_fini(&dump[0]);
            wm_buffer_fini(&dump[1]);
        }
    }
    cr_expect_null(wm_gen_pattern_summary(1000));
}

Test(gen, the_seed_changes_random_patterns_only)
{
    static const struct {
        const char *name;
        bool is_random;
    } cases[] = {{"gather", true},
                 {"histogram", true},
                 {"chase", true},
                 {"copy", false},
                 {"gemm", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        wm_gen_params params = small(cases[i].name);
        wm_buffer dump[2];
        for (int k = 0; k < 2; k++) {
            params.seed = 1 + (uint64_t)k;
            wm_buffer_init(&dump[k]);
            (void)dump_pattern(&params, &dump[k]);
        }
        bool is_same =
            dump[0].n_bytes == dump[1].n_bytes &&
            memcmp(dump[0].bytes, dump[1].bytes, dump[0].n_bytes) == 0;
        cr_expect_eq(is_same, !cases[i].is_random, "%s", cases[i].name);
        wm_buffer_fini(&dump[0]);
        wm_buffer_fini(&dump[1]);
    }
}

/* The first CTA of a pattern; the caller frees both. */
static wm_gen *first_cta(const wm_gen_params *params, wm_cta *cta)
{
    wm_gen *gen = NULL;
    wm_error err;
    bool has_cta = false;
    wm_cta_init(cta);
    cr_assert_eq(wm_gen_open(params, &gen, &err), WM_OK, "%s", err.text);
    cr_assert_eq(wm_gen_next_cta(gen, cta, &has_cta, &err), WM_OK);
    cr_assert(has_cta);
    return gen;
}

Test(gen, a_store_waits_for_the_load_it_stores)
{
    wm_cta cta;
    wm_gen_params params = small("copy");
    wm_gen *gen = first_cta(&params, &cta);
    cr_expect_eq(cta.records[0].kind, WM_KIND_GLOBAL_LOAD);
    cr_expect_eq(cta.records[0].wait, 0);
    cr_expect_eq(cta.records[1].kind, WM_KIND_GLOBAL_STORE);
    cr_expect_eq(cta.records[1].wait, 1);
    cr_expect_eq(cta.records[1].base - cta.records[0].base, UINT64_C(2) << 20,
                 "the arrays lie apart");
    wm_cta_fini(&cta);
    wm_gen_close(gen);
}

Test(gen, dependent_loads_wait_for_the_one_before)
{
    wm_cta cta;
    wm_gen_params params = small("read");
    params.is_dependent = true;
    wm_gen *gen = first_cta(&params, &cta);
    cr_expect_eq(cta.records[0].wait, 0, "there is none before the first");
    cr_expect_eq(cta.records[1].wait, 1);
    wm_cta_fini(&cta);
    wm_gen_close(gen);
}

Test(gen, a_chase_meets_every_element_once_before_any_twice)
{
    wm_cta cta;
    wm_gen_params params = small("chase");
    bool seen[256] = {false};
    params.n_ctas = 1;
    params.n_warps = 1;
    params.n_accesses = 256;
    params.stride_bytes = 64;
    params.span_bytes = 256 * 64;
    wm_gen *gen = first_cta(&params, &cta);
    for (uint32_t i = 0; i < 256; i++) {
        uint64_t element = (cta.records[i].base - params.base) / 64;
        cr_assert_lt(element, 256);
        cr_assert_not(seen[element]);
        seen[element] = true;
        cr_assert_eq(cta.records[i].mask, 1);
    }
    wm_cta_fini(&cta);
    wm_gen_close(gen);
}

Test(gen, gemm_does_the_work_of_a_matrix_multiply)
{
    wm_gen_params params = small("gemm");
    wm_gen *gen = NULL;
    wm_error err;
    wm_cta cta;
    bool has_cta = true;
    uint64_t n_flops = 0;
    uint64_t n_loads = 0;
    uint64_t n_stores = 0;
    wm_cta_init(&cta);
    cr_assert_eq(wm_gen_open(&params, &gen, &err), WM_OK);
    cr_expect_str_eq(wm_gen_launch(gen)->name, "sgemm_naive");
    while (wm_gen_next_cta(gen, &cta, &has_cta, &err) == WM_OK && has_cta) {
        n_flops += cta.work.flops_fp32;
        for (size_t i = 0; i < cta.n_records; i++) {
            n_loads += cta.records[i].kind == WM_KIND_GLOBAL_LOAD;
            n_stores += cta.records[i].kind == WM_KIND_GLOBAL_STORE;
        }
    }
    cr_expect_eq(n_flops, 2 * 64 * 64 * 64);
    cr_expect_eq(n_loads, 64 * 64 / 32 * 2 * 64);
    cr_expect_eq(n_stores, 64 * 64 / 32);
    wm_cta_fini(&cta);
    wm_gen_close(gen);
}

Test(gen, parameters_out_of_range_are_named)
{
    static const struct {
        const char *wanted;
        uint32_t n_warps, width, size;
        uint64_t span;
        const char *pattern;
        int32_t stride;
    } cases[] = {
        {"warps: found 33", 33, 4, 64, 0, "copy", 0},
        {"width: found 3", 4, 3, 64, 0, "copy", 0},
        {"width: found 64", 4, 64, 64, 0, "copy", 0},
        {"size: found 48", 4, 4, 48, 0, "gemm", 0},
        {"span: found 64", 4, 4, 64, 64, "read", 0},
        {"stride: found -8", 4, 4, 64, 0, "chase", -8},
        {"pattern: found 'none'", 4, 4, 64, 0, "none", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        wm_gen_params params = small(cases[i].pattern);
        wm_gen *gen = NULL;
        wm_error err;
        params.n_warps = cases[i].n_warps;
        params.width_bytes = cases[i].width;
        params.size = cases[i].size;
        params.span_bytes = cases[i].span;
        params.stride_bytes = cases[i].stride;
        cr_expect_eq(wm_gen_open(&params, &gen, &err), WM_EUSAGE);
        cr_expect_not_null(strstr(err.text, cases[i].wanted), "%s", err.text);
    }
}
