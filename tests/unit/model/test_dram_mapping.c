/*
 * test_dram_mapping.c -- bit lists and rules, standard files, and vectors of
 * lanes against plain C.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "model/dram/lanes.h"
#include "model/dram/mapping.h"
#include "naive_lanes.h"

static wm_standard *load(const char *name)
{
    wm_error err;
    wm_standard *s = malloc(sizeof(*s));
    cr_assert_eq(wm_standard_load(name, s, &err), WM_OK, "%s", err.text);
    return s;
}

static wm_mapping *mapping_of(const wm_standard *s, const char *text)
{
    wm_error err;
    wm_mapping *m = malloc(sizeof(*m));
    cr_assert_eq(wm_mapping_init(m, s, text, "here", &err), WM_OK, "%s",
                 err.text);
    return m;
}

Test(dram_mapping, mop4clxor_writes_what_the_three_standards_say)
{
    static const char *const names[] = {"hbm2", "hbm3", "gddr6"};
    for (size_t i = 0; i < 3; i++) {
        wm_standard *s = load(names[i]);
        wm_mapping *a = mapping_of(s, "mop4clxor");
        wm_mapping *b = mapping_of(s, "standard");
        wm_rng rng = {7};
        for (int n = 0; n < 10000; n++) {
            const uint64_t addr = wm_rng_next(&rng) >> 20;
            const wm_dram_place p = wm_mapping_place(a, addr);
            const wm_dram_place q = wm_mapping_place(b, addr);
            cr_assert(p.bank == q.bank && p.row == q.row &&
                          p.column == q.column,
                      "%s, 0x%lx", names[i], addr);
        }
        free(a);
        free(b);
        free(s);
    }
}

Test(dram_mapping, no_two_addresses_share_a_cell)
{
    static const char *const names[] = {"hbm2",  "hbm2e", "hbm3",   "hbm3e",
                                        "gddr5", "gddr6", "gddr6x", "lpddr5",
                                        "ddr4",  "ddr5"};
    static const char *const rules[] = {"mop4clxor", "robaracoch", "gpu",
                                        "standard"};
    enum { ATOMS = 1 << 18 };
    unsigned char *seen = malloc(ATOMS);
    for (size_t i = 0; i < 10; i++) {
        wm_standard *s = load(names[i]);
        const uint64_t columns = s->row_bytes / s->atom_bytes;
        const uint64_t banks = wm_standard_n_banks(s);
        for (size_t r = 0; r < 4; r++) {
            wm_mapping *m = mapping_of(s, rules[r]);
            memset(seen, 0, ATOMS);
            for (uint64_t a = 0; a < ATOMS; a++) {
                const wm_dram_place p =
                    wm_mapping_place(m, a * s->atom_bytes + 7);
                cr_assert(p.bank < banks && p.column < columns);
                const uint64_t cell =
                    (p.row * banks + p.bank) * columns + p.column;
                cr_assert_lt(cell, ATOMS, "%s %s", names[i], rules[r]);
                cr_assert_eq(seen[cell]++, 0, "%s %s", names[i], rules[r]);
            }
            free(m);
        }
        free(s);
    }
    free(seen);
}

Test(dram_mapping, gpu_keeps_a_line_of_128_bytes_in_one_row)
{
    wm_standard *s = load("hbm3");
    wm_mapping *m = mapping_of(s, "gpu");
    cr_expect_eq(m->run_atoms, 4);
    for (uint64_t line = 0; line < 4096; line++) {
        const wm_dram_place first = wm_mapping_place(m, line * 128);
        for (uint64_t i = 1; i < 4; i++) {
            const wm_dram_place p = wm_mapping_place(m, line * 128 + i * 32);
            cr_assert(p.bank == first.bank && p.row == first.row &&
                      p.column == first.column + i);
        }
    }
    free(m);
    free(s);
}

Test(dram_mapping, texts_that_are_no_mapping_are_refused_with_what_was_wanted)
{
    static const char *const cases[][2] = {
        {"column 5-9; pc 10", "bg has 0 bits, wanted 2"},
        {"column 5 6 12-14; pc 7^5; bg 8^6 9^12; bank 10^13 10^13; row 15-",
         "bit 1 of bank follows from the others"},
        {"column 5 6 12-14; pc 7; bg 8 9; bank 10 11; row 16-",
         "10 bits in all, wanted each"},
        {"column 5 6 12-14; pc 7; bg 8 9; bank 10 99; row 15-",
         "\"99; row 15-\", wanted an address bit"},
        {"column 5 6 12-14; pc 7^66", "\"66\", wanted an address bit"},
        {"column 5-; pc 7", "wanted an open run in row only"},
        {"rank 5", "\"rank 5\", wanted column, pc, sid, bg, bank or row"},
        {"zigzag", "\"zigzag\", wanted bit lists such as"},
    };
    wm_standard *s = load("hbm2");
    wm_mapping *m = malloc(sizeof(*m));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        wm_error err = {WM_OK, ""};
        cr_expect_eq(wm_mapping_init(m, s, cases[i][0], "here", &err),
                     WM_ECONFIG, "%s", cases[i][0]);
        cr_expect(strncmp(err.text, "here: ", 6) == 0 &&
                      strstr(err.text, cases[i][1]) != NULL,
                  "%s", err.text);
    }
    free(m);
    free(s);
}

/* Loads a file of these lines; the message, or "" when it is fine. */
static void load_text(const char *text, wm_standard *s, wm_error *err)
{
    char path[64] = "/tmp/standard_XXXXXX";
    const int free_name = mkstemp(path);
    cr_assert_geq(free_name, 0);
    (void)close(free_name);
    (void)unlink(path);
    (void)strcat(path, ".yaml");
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(file);
    memset(err, 0, sizeof(*err));
    (void)wm_standard_load(path, s, err);
    (void)unlink(path);
}

Test(dram_standard, a_speed_grade_scales_what_is_in_ck_and_rounds_ns_anew)
{
    wm_error err;
    wm_standard *s = malloc(sizeof(*s));
    load_text("base: hbm2\nclock.ck: 0.8 ns\ntiming.tRTP: max(4 ns, 7 ck)\n", s,
              &err);
    cr_assert_eq(err.status, WM_OK, "%s", err.text);
    cr_expect_eq(s->ticks[WM_T_CL], 18); /* 14 ns / 0.8 ns, up */
    cr_expect_eq(s->ticks[WM_T_CCD_L], 4);
    cr_expect_eq(s->ticks[WM_T_RTP], 7);
    cr_expect_eq(s->ticks[WM_T_REFI], 4875); /* down */
    cr_expect_eq(s->ticks[WM_T_RTW], 18 + 2 + 2 - 7);
    cr_expect_eq(wm_standard_ck_for(s, 32000000000), 1000000);
    free(s);
}

Test(dram_standard, mistakes_are_shown_with_their_place)
{
    static const char *const cases[][2] = {
        {"base: hbm2\nclock.ck: 5\n", ":2:11: clock.ck: \"5\", wanted a time"},
        {"base: hbm2\ntiming.tCL: 14\n", ":2:13: tCL: \"14\", wanted a time"},
        {"base: hbm2\ntiming:\n  tCL: tRP + tCL\n",
         ":3:8: tCL: leads back to itself"},
        {"base: hbm2\ntiming.tXX: 1 ns\n", ":2:13: timing.tXX: unknown key"},
        {"base: hbm2\norganisation.banks: 3\n",
         ":2:21: organisation.banks: 3, wanted a power of two"},
        {"base: hbm2\norganisation.bank_groups: 16\n",
         "128 banks in a channel, wanted at most 64"},
        {"base: hbm2\ncommand.act: 1.5 ck\n",
         ": 1.5 ck is no whole number of ticks"},
        {"base: hbm2\ncommand.bus: both\n", "both, wanted split or single"},
        {"standard: x\n", "is not given, wanted a value"},
        {"base: nobody\n", "'nobody' is not a memory standard, wanted one of"},
        {"base: hbm2\ntiming: 5\n", ": timing: a section"},
    };
    wm_standard *s = malloc(sizeof(*s));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        wm_error err;
        load_text(cases[i][0], s, &err);
        cr_expect_neq(err.status, WM_OK, "%s", cases[i][0]);
        cr_expect_not_null(strstr(err.text, cases[i][1]), "%s", err.text);
    }
    free(s);
}

Test(dram_lanes, vectors_give_the_bits_of_plain_c)
{
    const uint64_t seed = 11;
    wm_rng rng = {seed};
    for (int round = 0; round < 20000; round++) {
        int16_t at[80];
        int16_t plain[80];
        int16_t row[80];
        uint16_t age[80];
        const uint32_t n = 8u << wm_rng_below(&rng, 4);
        const int16_t now = (int16_t)wm_rng_below(&rng, 9000);
        const uint64_t mask =
            (wm_rng_next(&rng) & wm_rng_next(&rng) & wm_low_mask(n)) |
            UINT64_C(1) << wm_rng_below(&rng, n);
        for (uint32_t i = 0; i < 80; i++) {
            at[i] = (int16_t)(wm_rng_below(&rng, 40000) - 20000);
            plain[i] = at[i];
            row[i] = i < n ? (int16_t)wm_rng_below(&rng, 2000) : -20000;
            age[i] = (uint16_t)((i * 771 + (uint32_t)round) % 65535);
        }
        cr_assert_eq(wm_lanes_due(at, n, now), naive_lanes_due(at, n, now));
        cr_assert_eq(wm_lanes_least(at, n, mask),
                     naive_lanes_least(at, n, mask));
        int16_t in[2][96];
        for (uint32_t k = 0; k < 96; k++) {
            const bool is_in = k < n && (mask >> (k & 63) & 1) != 0;
            const uint32_t which = wm_rng_below(&rng, 4);
            in[0][k] = is_in && which != 0 ? INT16_MIN : INT16_MAX;
            in[1][k] = is_in && which != 1 ? INT16_MIN : INT16_MAX;
        }
        const wm_lanes_two two = {at, in[0], row, in[1]};
        cr_assert_eq(wm_lanes_pick(&two, age, n, mask, now),
                     naive_lanes_pick(&two, age, n, mask, now), "seed %llu",
                     (unsigned long long)seed);
        cr_assert_eq(wm_lanes_soonest(&two, n), naive_lanes_soonest(&two, n));
        cr_assert_eq(wm_lanes_oldest(age, n, mask),
                     naive_lanes_oldest(age, n, mask), "seed %llu",
                     (unsigned long long)seed);
        wm_lanes_raise(at, row, n, now);
        naive_lanes_raise(plain, row, n, now);
        cr_assert_arr_eq(at, plain, sizeof(at));
    }
}
