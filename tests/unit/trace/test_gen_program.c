/*
 * test_gen_program.c -- the language of `trace gen -e`.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/rng.h"
#include "trace/gen.h"
#include "trace/gen_program.h"

#define BASE UINT64_C(0x7f0000000000)

/* One warp of a program; free with warp_fini. */
typedef struct warp {
    wm_gen_program *program;
    wm_cta cta;
    wm_error err;
    wm_status status;
} warp;

static void warp_init(warp *w, const char *text, uint64_t cta, uint32_t number)
{
    const wm_gen_place place = {.cta = cta,
                                .warp = number,
                                .n_ctas = 10,
                                .n_warps = 4,
                                .base = BASE,
                                .seed = 1};
    memset(w, 0, sizeof(*w));
    wm_cta_init(&w->cta);
    w->status = wm_gen_compile(text, &w->program, &w->err);
    if (w->status == WM_OK) {
        w->status = wm_gen_program_run(w->program, &place, &w->cta, &w->err);
    }
}

static void warp_fini(warp *w)
{
    wm_gen_program_free(w->program);
    wm_cta_fini(&w->cta);
}

static uint64_t address(const warp *w, size_t record, uint32_t lane)
{
    return wm_record_address(&w->cta.records[record], w->cta.lanes, lane);
}

/* The value of an expression in one lane of warp 2 of CTA 3. */
static uint64_t value_of(const char *expression, uint32_t lane)
{
    warp w;
    char text[4096];
    snprintf(text, sizeof(text), "load1 %s", expression);
    warp_init(&w, text, 3, 2);
    cr_assert_eq(w.status, WM_OK, "%s: %s", text, w.err.text);
    uint64_t value = address(&w, 0, lane);
    warp_fini(&w);
    return value;
}

Test(gen_program, names_have_the_values_of_the_lane)
{
    cr_assert_eq(value_of("lane", 5), 5);
    cr_assert_eq(value_of("warp", 5), 2);
    cr_assert_eq(value_of("cta", 5), 3);
    cr_assert_eq(value_of("thread", 5), 69);
    cr_assert_eq(value_of("gid", 5), 3 * 128 + 69);
    cr_assert_eq(value_of("warps", 5), 4);
    cr_assert_eq(value_of("ctas", 5), 10);
    cr_assert_eq(value_of("a", 5), BASE);
    cr_assert_eq(value_of("d - c", 5), WM_GEN_ARRAY_BYTES);
}

Test(gen_program, operators_bind_as_in_c)
{
    static const struct {
        const char *text;
        int64_t wanted;
    } rows[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 3 - 2", 5},
        {"100 / 7 % 5", 4},
        {"1 << 2 + 1", 8},
        {"7 & 3 == 3", 1},
        {"6 ^ 3 | 8", 13},
        {"1 || 0 && 0", 1},
        {"-3 / 2", -1},
        {"-3 % 2", -1},
        {"-8 >> 1", -4},
        {"!0 + !5", 1},
        {"~0", -1},
        {"- - 4", 4},
        {"2 < 3", 1},
        {"-1 < 0", 1},
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 0 ? 4 : 5", 5},
        {"min(3, -4) + max(3, -4)", -1},
        {"0x10 + 2K + 1M", 16 + 2048 + 1048576},
        {"3G", INT64_C(3) << 30},
        {"0xffffffffffffffff", -1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq(value_of(rows[i].text, 0), (uint64_t)rows[i].wanted, "%s",
                     rows[i].text);
    }
}

/* A random value, written with every parenthesis, and worked out apart. */
static int64_t random_value(wm_rng *rng, uint32_t depth, uint32_t lane,
                            wm_buffer *text)
{
    static const char *const operators[] = {"+", "-", "*",  "&",  "|",
                                            "^", "<", "==", "!=", "&&"};
    uint32_t kind = depth == 0 ? wm_rng_below(rng, 2) : wm_rng_below(rng, 14);
    if (kind == 0) {
        uint32_t n = wm_rng_below(rng, 1000);
        wm_buffer_printf(text, "%" PRIu32, n);
        return n;
    }
    if (kind == 1) {
        wm_buffer_puts(text, "lane");
        return lane;
    }
    wm_buffer_puts(text, "(");
    if (kind == 2) {
        wm_buffer_puts(text, "-");
        int64_t x = random_value(rng, depth - 1, lane, text);
        wm_buffer_puts(text, ")");
        return (int64_t)(0 - (uint64_t)x);
    }
    int64_t x = random_value(rng, depth - 1, lane, text);
    if (kind == 3) {
        wm_buffer_puts(text, " ? ");
        int64_t yes = random_value(rng, depth - 1, lane, text);
        wm_buffer_puts(text, " : ");
        int64_t no = random_value(rng, depth - 1, lane, text);
        wm_buffer_puts(text, ")");
        return x != 0 ? yes : no;
    }
    wm_buffer_printf(text, " %s ", operators[kind - 4]);
    int64_t y = random_value(rng, depth - 1, lane, text);
    wm_buffer_puts(text, ")");
    const uint64_t a = (uint64_t)x;
    const uint64_t b = (uint64_t)y;
    const int64_t results[] = {(int64_t)(a + b),
                               (int64_t)(a - b),
                               (int64_t)(a * b),
                               (int64_t)(a & b),
                               (int64_t)(a | b),
                               (int64_t)(a ^ b),
                               x < y,
                               x == y,
                               x != y,
                               x != 0 && y != 0};
    return results[kind - 4];
}

Test(gen_program, random_values_are_what_they_should_be)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        wm_rng rng = {seed};
        wm_buffer text;
        wm_buffer_init(&text);
        uint32_t lane = (uint32_t)seed % 32;
        int64_t wanted = random_value(&rng, 5, lane, &text);
        if (text.n_bytes < 4000) {
            cr_assert_eq(value_of(text.bytes, lane), (uint64_t)wanted,
                         "seed %" PRIu64 ": %s", seed, text.bytes);
        }
        wm_buffer_fini(&text);
    }
}

Test(gen_program, the_loop_runs_from_its_first_value_below_its_end)
{
    warp w;
    warp_init(&w,
              "for i in 2..9 step 3 { load4 a + i } for j in 3..3 "
              "{ store4 b }",
              0, 0);
    cr_assert_eq(w.status, WM_OK, "%s", w.err.text);
    cr_assert_eq(w.cta.n_records, 4);
    cr_assert_eq(address(&w, 0, 0), BASE + 2);
    cr_assert_eq(address(&w, 2, 0), BASE + 8);
    warp_fini(&w);
}

Test(gen_program, if_takes_the_lanes_for_which_it_holds)
{
    warp w;
    warp_init(&w,
              "let x = 1; if lane < 4 { load4 a; x = 2 } else if lane == 9 "
              "{ load8 b } else { if 0 { red4 c } load1 c } load4 d + x",
              0, 0);
    cr_assert_eq(w.status, WM_OK, "%s", w.err.text);
    cr_assert_eq(w.cta.n_records, 5);
    cr_assert_eq(w.cta.records[0].mask, 0xf);
    cr_assert_eq(w.cta.records[1].mask, 0x200);
    cr_assert_eq(w.cta.records[1].width, 8);
    cr_assert_eq(w.cta.records[2].mask, 0xfffffdf0);
    cr_assert_eq(w.cta.records[3].mask, 0xffffffff);
    cr_assert_eq(address(&w, 3, 3) - address(&w, 3, 4), 1);
    warp_fini(&w);
}

Test(gen_program, an_access_with_a_condition_is_predicated)
{
    warp w;
    warp_init(&w, "load4 a + 4*lane if lane % 2 == 1; load4 a if 0", 0, 0);
    cr_assert_eq(w.cta.records[0].mask, 0xaaaaaaaa);
    cr_assert_eq(w.cta.records[1].mask, 0);
    warp_fini(&w);
}

Test(gen_program, arms_of_a_choice_are_worked_out_for_their_lanes_only)
{
    cr_assert_eq(value_of("lane == 0 ? 7 : 100 / lane", 0), 7);
    cr_assert_eq(value_of("lane == 0 ? 7 : 100 / lane", 8), 12);
}

Test(gen_program, stores_wait_for_loads_and_loads_for_wait)
{
    warp w;
    warp_init(&w,
              "load4 a; load4 b; store4 c; load4 a; wait; load4 b; wait 2; "
              "load4 a; barrier",
              0, 0);
    const wm_record *r = w.cta.records;
    cr_assert_eq(r[1].wait, 0);
    cr_assert_eq(r[2].wait, 0x3);
    cr_assert_eq(r[3].wait, 0);
    cr_assert_eq(r[4].wait, 0x7);
    cr_assert_eq(r[5].wait, 0xc);
    cr_assert_eq(r[6].kind, WM_KIND_BARRIER);
    cr_assert_eq(r[6].wait, 0);
    cr_assert_eq(r[7].kind, WM_KIND_EXIT);
    warp_fini(&w);
}

Test(gen_program, work_takes_slots_and_fma_counts_operations)
{
    warp w;
    warp_init(&w, "work 10; load4 a; fma 3; store4 b; work 100000; load4 a", 0,
              0);
    const wm_record *r = w.cta.records;
    cr_assert_eq(r[0].head_slots, 12);
    cr_assert_eq(r[1].tail_slots, 5, "behind the stall");
    cr_assert_eq(r[2].kind, WM_KIND_GAP);
    cr_assert_eq(r[2].head_slots + r[3].head_slots, 100002);
    cr_assert_eq(w.cta.work.flops_fp32, 3 * 64);
    cr_assert_eq(w.cta.work.n_other, 10 + 3 + 100000 + 3 * 2 + 1);
    warp_fini(&w);
}

Test(gen_program, rand_stays_below_its_bound_and_differs_between_warps)
{
    warp w, other;
    warp_init(&w, "for i in 0..50 { load1 rand(7) } load1 rand(1G)", 0, 0);
    warp_init(&other, "for i in 0..50 { load1 rand(7) } load1 rand(1G)", 0, 1);
    bool is_hit[7] = {false};
    for (uint32_t i = 0; i < 50 * 32; i++) {
        uint64_t x = address(&w, i / 32, i % 32);
        cr_assert_lt(x, 7);
        is_hit[x] = true;
    }
    for (int i = 0; i < 7; i++) {
        cr_assert(is_hit[i], "%d never comes", i);
    }
    cr_assert_neq(address(&w, 50, 0), address(&other, 50, 0));
    warp_fini(&w);
    warp_fini(&other);
}

Test(gen_program, a_fault_is_named_with_its_line_and_column)
{
    static const struct {
        const char *text;
        const char *wanted;
    } rows[] = {
        {"", "-e:1:1: found no access"},
        {"load4 a +", "-e:1:10: found the end, wanted a value"},
        {"load4 a;\n  load4 zz", "-e:2:9: found 'zz', wanted a known name"},
        {"load3 a", "-e:1:1: found 'load3', wanted bytes per lane"},
        {"let lane = 3", "-e:1:5: found 'lane', wanted a name of your own"},
        {"x = 3", "-e:1:1: found 'x', wanted a statement"},
        {"load4 a load4 b", "-e:1:9: found 'load4', wanted ';'"},
        {"load4 a)", "-e:1:8: found ')', wanted ';'"},
        {"if lane { load4 a", "-e:1:18: found the end, wanted '}'"},
        {"load4 12abc", "-e:1:7: found '12abc', wanted a number"},
        {"load4 99999999999999999999", "-e:1:7: found a number over 64 bits"},
        {"load4 a @ 3", "-e:1:9: found '@', wanted ';'"},
        {"load4 1 / (lane - 4)", "-e:1:9: found a division by 0"},
        {"load4 1 << lane * 3", "-e:1:9: found a shift"},
        {"load4 rand(lane)", "-e:1:7: found rand(n) with n below 1"},
        {"for i in 0..lane { load4 a }", "-e:1:13: found a value that diff"},
        {"for i in 0..4 step 0 { load4 a }", "-e:1:20: found a step below 1"},
        {"work 0 - 1; load4 a", "found a number below 0"},
        {"for i in 0..1G { let x = i } load4 a", "steps"},
        {"load4 min(1)", "-e:1:12: found ')', wanted ','"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        warp w;
        warp_init(&w, rows[i].text, 0, 0);
        cr_assert_eq(w.status, WM_EUSAGE, "%s", rows[i].text);
        cr_assert_not_null(strstr(w.err.text, rows[i].wanted), "%s: %s",
                           rows[i].text, w.err.text);
        warp_fini(&w);
    }
}

/* Every text ends in a program or an error: no crash, no hang. */
Test(gen_program, torn_texts_are_refused_or_run)
{
    static const char whole[] =
        "let x = gid % 7 ? hash(lane) & 0xff : min(1K, 3); for i in 0..2 step "
        "1 { if x > 3 && lane != 2 { lds8 8 * lane if !i } else { barrier } } "
        "wait 1; red4 c + x # end";
    wm_rng rng = {7};
    for (int i = 0; i < 3000; i++) {
        char text[sizeof(whole)];
        memcpy(text, whole, sizeof(whole));
        for (uint32_t k = wm_rng_below(&rng, 4); k > 0; k--) {
            size_t at = wm_rng_below(&rng, sizeof(whole) - 1);
            text[at] = whole[wm_rng_below(&rng, sizeof(whole) - 1)];
        }
        text[wm_rng_below(&rng, sizeof(whole) - 1)] =
            wm_rng_below(&rng, 2) == 0 ? '\0' : ' ';
        warp w;
        warp_init(&w, text, 0, 0);
        cr_assert(w.status == WM_OK || w.err.text[0] != '\0');
        warp_fini(&w);
    }
}

Test(gen_program, every_pattern_makes_a_launch)
{
    for (size_t i = 0; wm_gen_pattern_name(i) != NULL; i++) {
        wm_gen_params params;
        wm_gen *gen = NULL;
        wm_error err;
        wm_cta cta;
        bool has_cta = false;
        wm_gen_params_init(&params);
        params.pattern = wm_gen_pattern_name(i);
        params.n_ctas = 2;
        wm_cta_init(&cta);
        cr_assert_eq(wm_gen_open(&params, &gen, &err), WM_OK, "%s: %s",
                     params.pattern, err.text);
        cr_assert_eq(wm_gen_next_cta(gen, &cta, &has_cta, &err), WM_OK,
                     "%s: %s", params.pattern, err.text);
        cr_assert(has_cta);
        cr_assert_gt(cta.n_records, cta.n_warps);
        wm_gen_close(gen);
        wm_cta_fini(&cta);
    }
}
