/*
 * test_accelsim_form.c -- lines that are recognised, not parsed, give the
 * same records.
 *
 * Two blanks before the mask keep a line from being remembered, so the same
 * trace with and without them goes both ways.
 */
#include "base/rng.h"
#include "trace/text_digits.h"
#include "trace_dump.h"

#define N_SEEDS 60u

/* Instructions of which a random warp picks; %s is the mask. */
static const char *const kinds[] = {
    "%sffffffff 1 R4 IADD3 2 R4 R255 0 ",
    "%s0000ffff 1 R4 IADD3 2 R4 R255 0 ",
    "%sffffffff 0 ISETP.NE.AND 1 R8 0 ",
    "%sffffffff 1 R8 LDG.E 1 R2 4 1 0x7f0000000000 4 ",
    "%s0000000f 1 R8 LDG.E 1 R2 4 2 0x7f0000000000 8 -4 65296 ",
    "%s00000003 1 R8 LDG.E 1 R2 4 0 0x7f0000000100 0x00007f0000000000 ",
    "%s00000000 1 R8 LDG.E 1 R2 4 1 0x0 0 ",
    "%sffffffff 0 STG.E 2 R2 R8 4 1 0x7f0000000200 -4 ",
    "%sffffffff 0 LDGSTS.E.BYPASS.128 2 R35 R30 16 1 0x7f0000000200 16 ",
    "%sffffffff 0 LDGDEPBAR 0 0 ",
    "%sffffffff 0 DEPBAR.LE 0 0 ",
    "%sffffffff 1 R9 LDS 1 R3 4 1 0x0 4 ",
    "%sffffffff 0 BAR.SYNC 0 0 ",
    "%s00000000 0 BAR.SYNC 0 0 ",
    "%s00000000 0 EXIT 0 0 ",
    "%sffffffff 1 R9 FFMA 3 R8 R9 R4 0 ",
    "%sffffffff 1 R9 WHATEVER.64 1 R8 8 1 0x100 8 ",
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The same pc mostly has the same instruction, with an immediate behind. */
static void add_line(wm_rng *rng, wm_buffer *text, const char *blanks,
                     bool has_immediate)
{
    uint32_t pc = wm_rng_below(rng, 2 * N_KINDS);
    uint32_t kind = wm_rng_below(rng, 20) == 0 ? wm_rng_below(rng, N_KINDS)
                                               : pc % (uint32_t)N_KINDS;
    uint32_t immediate = wm_rng_below(rng, 3);
    wm_buffer_printf(text, "%04x ", pc * 16);
    wm_buffer_printf(text, kinds[kind], blanks);
    if (has_immediate) {
        wm_buffer_printf(text, "%u%s", immediate, immediate == 2 ? "" : " ");
    }
    wm_buffer_puts(text, "\n");
}

static void random_text(uint64_t seed, const char *blanks, wm_buffer *text)
{
    wm_rng rng = {seed};
    bool has_immediate = wm_rng_below(&rng, 2) == 0;
    wm_buffer_init(text);
    wm_buffer_printf(text,
                     "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = "
                     "(96,1,1)\n-accelsim tracer version = %d\n",
                     has_immediate ? 5 : 4);
    for (int cta = 0; cta < 2; cta++) {
        wm_buffer_printf(text, "#BEGIN_TB\nthread block = %d,0,0\n", cta);
        for (int warp = 0; warp < 3; warp++) {
            wm_buffer_printf(text, "warp = %d\ninsts = 80\n", warp);
            for (int i = 0; i < 80; i++) {
                add_line(&rng, text, blanks, has_immediate);
            }
        }
        wm_buffer_puts(text, "#END_TB\n");
    }
}

static void dump_of(const char *text, wm_buffer *dump)
{
    test_files files;
    files_init(&files);
    wm_buffer_init(dump);
    test_run *run =
        dump_path(files_text(&files, "k.traceg", text), false, dump);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->n_ctas, 2);
    test_run_free(run);
    files_fini(&files);
}

Test(accelsim_form, recognised_lines_give_the_records_of_parsed_ones)
{
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        wm_buffer plain, spaced, a, b;
        random_text(seed, "", &plain);
        random_text(seed, " ", &spaced);
        dump_of(plain.bytes, &a);
        dump_of(spaced.bytes, &b);
        assert_same_dump(&a, &b, seed);
        cr_assert_gt(a.n_bytes, 10000);
        wm_buffer_fini(&plain);
        wm_buffer_fini(&spaced);
        wm_buffer_fini(&a);
        wm_buffer_fini(&b);
    }
}

/* The exit that a warp without one gets is an instruction no line has shown. */
Test(accelsim_form, a_warp_without_exit_is_no_form)
{
    test_files files;
    files_init(&files);
    test_run *run = test_run_path(
        files_text(&files, "k.traceg",
                   "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = "
                   "(64,1,1)\n-accelsim tracer version = 4\n#BEGIN_TB\n"
                   "thread block = 0,0,0\nwarp = 0\ninsts = 0\nwarp = 1\n"
                   "insts = 2\n0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4\n"
                   "0010 ffffffff 0 NOP 0 0\n#END_TB\n"),
        false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_lanes, 32);
    test_run_free(run);
    files_fini(&files);
}

Test(text_digits, every_byte_that_is_no_digit_ends_a_run)
{
    for (int c = 0; c < 256; c++) {
        bool is_decimal = c >= '0' && c <= '9';
        bool is_hex =
            is_decimal || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        for (uint32_t i = 0; i < 8; i++) {
            char text[] = "12345678";
            text[i] = (char)c;
            uint64_t x = wm_load_le64(text);
            cr_assert_eq(wm_marked_run(wm_decimal_bytes(x)), is_decimal ? 8 : i,
                         "byte %d at %u", c, i);
            cr_assert_eq(wm_marked_run(wm_hex_bytes(x)), is_hex ? 8 : i,
                         "byte %d at %u", c, i);
        }
    }
}

Test(text_digits, a_run_is_the_number_that_printf_wrote)
{
    wm_rng rng = {1};
    for (int i = 0; i < 200000; i++) {
        char text[48] = {0};
        uint64_t wanted = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        uint64_t found = 0;
        const char *format = i % 2 == 0 ? "%llx " : "%llX:";
        snprintf(text, sizeof(text), format, (unsigned long long)wanted);
        cr_assert_eq(wm_hex_run(text, &found), strlen(text) - 1);
        cr_assert_eq(found, wanted, "%s", text);
        wanted %= UINT64_C(10000000000000000000);
        snprintf(text, sizeof(text), "%llu/", (unsigned long long)wanted);
        cr_assert_eq(wm_decimal_run(text, &found), strlen(text) - 1);
        cr_assert_eq(found, wanted, "%s", text);
    }
}

Test(text_digits, a_run_that_is_too_long_says_so)
{
    uint64_t x = 0;
    cr_assert_gt(wm_hex_run("00000000000000001 .............", &x),
                 WM_HEX_DIGITS_MAX);
    cr_assert_gt(wm_decimal_run("00000000000000000001 ..........", &x),
                 WM_DECIMALS_MAX);
    cr_assert_eq(wm_hex_run(" .......", &x), 0);
}
