/*
 * test_accelsim.c -- Accel-Sim traces of every version, whole and damaged.
 */
#include "trace_files.h"

#define HEADER_OF(version)                                                     \
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n"                  \
    "-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 80\n"   \
    "-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"             \
    "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.7.6\n"      \
    "-accelsim tracer version = " version "\n-enable lineinfo = 0\n\n"         \
    "#traces format = PC mask dest_num\n\n"
#define BLOCK "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = "
#define END   "\n#END_TB\n"

/* A version 5 trace with one warp of these lines. */
static test_run *run_version(const char *header, int n, const char *lines,
                             bool keep_going)
{
    test_files files;
    char text[8192];
    files_init(&files);
    snprintf(text, sizeof(text), "%s" BLOCK "%d\n%s" END, header, n, lines);
    test_run *run =
        test_run_path(files_text(&files, "k.traceg", text), keep_going);
    files_fini(&files);
    return run;
}

static test_run *run_lines(int n, const char *lines)
{
    test_run *run = run_version(HEADER_OF("5"), n, lines, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    return run;
}

static void check_fails(const char *version_header, int n, const char *lines,
                        const char *wanted)
{
    test_run *run = run_version(version_header, n, lines, false);
    cr_assert_eq(run->status, WM_EFORMAT, "wanted %s", wanted);
    cr_assert_not_null(strstr(run->err.text, wanted), "got: %s", run->err.text);
    cr_assert_not_null(strstr(run->err.text, "k.traceg:"), "got: %s",
                       run->err.text);
    test_run_free(run);
}

static uint64_t address(const test_run *run, size_t record, uint32_t lane)
{
    return wm_record_address(&run->last.records[record], run->last.lanes, lane);
}

Test(accelsim, a_load_with_no_lane_is_an_instruction_without_addresses)
{
    test_run *run =
        run_lines(1, "c3c0 00000000 1 R28 LD.E.64 1 R24 8 1 0x0 0\n");
    const test_kind *kind = &run->kind[WM_KIND_GLOBAL_LOAD];
    cr_assert_eq(kind->n_requests, 1);
    cr_assert_eq(kind->n_active, 0);
    cr_assert_eq(kind->n_bytes, 0);
    cr_assert_eq(run->last.records[0].width, 8);
    cr_assert(run->is_complete);
    cr_assert_eq(run->diag.n_warnings, 0);
    test_run_free(run);
}

Test(accelsim, exactly_popcount_minus_one_deltas_are_taken)
{
    static const char *const lines[] = {
        "0100 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f2000000000 128 -128 256 64\n",
        "0100 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f2000000000 128 -128 256\n"};
    for (int i = 0; i < 2; i++) {
        test_run *run = run_lines(1, lines[i]);
        const uint64_t base = 0x7f2000000000;
        cr_assert_eq(address(run, 0, 0), base);
        cr_assert_eq(address(run, 0, 1), base + 128);
        cr_assert_eq(address(run, 0, 2), base);
        cr_assert_eq(address(run, 0, 3), base + 256);
        test_run_free(run);
    }
}

Test(accelsim, a_wrong_number_of_deltas_is_an_error_with_the_line)
{
    check_fails(HEADER_OF("5"), 1,
                "0100 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f2000000000 128 -128\n",
                ":23: expected 3 deltas, got 2");
    check_fails(HEADER_OF("3"), 1,
                "0100 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f20 128 -128 256 64\n",
                "expected 3 deltas, got 4");
    check_fails(HEADER_OF("5"), 1,
                "0100 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f20 1 -1 2 64 7\n",
                "expected 3 deltas, got 5");
}

Test(accelsim, base_and_stride_without_immediate)
{
    test_run *run =
        run_lines(1, "0110 ffffffff 1 R252 LDG.E 1 R1 4 1 0x7f2000001000 4 \n");
    const wm_record *r = &run->last.records[0];
    cr_assert_eq(r->pattern, WM_PATTERN_AFFINE);
    cr_assert_eq(r->u.stride, 4);
    cr_assert_eq(address(run, 0, 31), 0x7f2000001000 + 31 * 4);
    test_run_free(run);
}

Test(accelsim, store_data_behind_the_immediate_is_skipped)
{
    test_run *run = run_lines(
        2, "0110 00000001 0 STG.E 2 R2 R4 4 2 0x7f20 0 STORE_DATA I32 1 "
           "REG0:T0:0x00000000 T1:0x40400000\n"
           "0120 ffffffff 0 EXIT 0 0 -3\n");
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_STORE].n_lanes, 1);
    test_run_free(run);
}

Test(accelsim, list_mode_has_one_address_a_lane)
{
    test_run *run = run_lines(
        1, "0110 00000005 1 R4 LDG.E 1 R2 4 0 0x100 0x9000000140 0\n");
    cr_assert_eq(address(run, 0, 0), 0x100);
    cr_assert_eq(address(run, 0, 2), 0x9000000140);
    test_run_free(run);
}

Test(accelsim, addresses_4_gib_apart_stay_apart)
{
    test_run *run = run_lines(
        1, "0110 00000003 1 R4 LDG.E 1 R2 4 2 0x7f2000000000 4294967296 0\n");
    cr_assert_eq(address(run, 0, 1), 0x7f2100000000);
    test_run_free(run);
}

Test(accelsim, the_opcode_names_width_kind_and_cache_operator)
{
    static const struct {
        const char *opcode;
        int traced;
        wm_kind kind;
        int width, flags;
    } rows[] = {
        {"LDG.E", 4, WM_KIND_GLOBAL_LOAD, 4, 0},
        {"LDG.E.U8", 1, WM_KIND_GLOBAL_LOAD, 1, 0},
        {"LDG.E.S8", 4, WM_KIND_GLOBAL_LOAD, 1, 0},
        {"LDG.E.S16.SYS", 4, WM_KIND_GLOBAL_LOAD, 2, 0},
        {"LDG.E.128.CONSTANT", 4, WM_KIND_GLOBAL_LOAD, 16, 0},
        {"LDG.E.STRONG.SM", 4, WM_KIND_GLOBAL_LOAD, 4, 0},
        {"LDG.E.SYS", 4, WM_KIND_GLOBAL_LOAD, 4, 0},
        {"LDG.E.STRONG.GPU", 4, WM_KIND_GLOBAL_LOAD, 4, WM_FLAG_BYPASS_L1},
        {"LDG.E.EF", 4, WM_KIND_GLOBAL_LOAD, 4, WM_FLAG_EVICT_FIRST},
        {"LDGSTS.E.BYPASS.LTC128B.128", 16, WM_KIND_ASYNC_COPY, 16,
         WM_FLAG_BYPASS_L1},
        {"STG.E.64", 8, WM_KIND_GLOBAL_STORE, 8, 0},
        {"ATOMG.E.ADD.F64.RN.STRONG.GPU", 4, WM_KIND_GLOBAL_ATOMIC, 8,
         WM_FLAG_BYPASS_L1},
        {"RED.E.ADD.F16x2.RN", 4, WM_KIND_GLOBAL_REDUCTION, 4, 0},
        {"LDL.LU", 4, WM_KIND_LOCAL_LOAD, 4, 0},
        {"STL.64", 8, WM_KIND_LOCAL_STORE, 8, 0},
        {"LDS.U.128", 16, WM_KIND_SHARED_LOAD, 16, 0},
        {"LDSM.16.M88.4", 2, WM_KIND_SHARED_LOAD, 16, 0},
        {"STS", 4, WM_KIND_SHARED_STORE, 4, 0},
        {"ATOMS.POPC.INC.32", 4, WM_KIND_SHARED_ATOMIC, 4, 0},
        {"LDG.E", 77, WM_KIND_GLOBAL_LOAD, 4, 0},
        {"LDG.E", 32, WM_KIND_GLOBAL_LOAD, 32, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char line[200];
        snprintf(line, sizeof(line),
                 "0110 ffffffff 1 R4 %s 1 R2 %d 1 0x40 32 0\n", rows[i].opcode,
                 rows[i].traced);
        test_run *run = run_lines(1, line);
        const wm_record *r = &run->last.records[0];
        cr_assert_eq(r->kind, rows[i].kind, "%s", rows[i].opcode);
        cr_assert_eq(r->width, rows[i].width, "%s", rows[i].opcode);
        cr_assert_eq(r->flags, rows[i].flags, "%s", rows[i].opcode);
        cr_assert_str_eq(run->format, "accelsim");
        test_run_free(run);
    }
}

Test(accelsim, ldsm_of_one_matrix_names_eight_rows)
{
    test_run *run =
        run_lines(1, "0110 ffffffff 1 R4 LDSM.16.M88 1 R2 2 1 0x0 16 0\n");
    cr_assert_eq(run->kind[WM_KIND_SHARED_LOAD].n_lanes, 8);
    test_run_free(run);
}

Test(accelsim, a_generic_access_is_split_by_window)
{
    test_run *run = run_lines(
        1, "0110 0000000f 1 R4 LD.E 1 R2 4 0 0x7f0000000010 0x7f1000000020 "
           "0x500000 0x7f0000ffffff 0\n");
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_lanes, 1);
    cr_assert_eq(run->kind[WM_KIND_LOCAL_LOAD].n_lanes, 1);
    cr_assert_eq(run->kind[WM_KIND_SHARED_LOAD].n_lanes, 2);
    cr_assert_eq(run->n_lines, 1, "the parts are one instruction");
    cr_assert_eq(address(run, 0, 2), 0x500000);
    cr_assert_eq(address(run, 1, 1), 0x20);
    cr_assert_eq(address(run, 2, 0), 0x10);
    cr_assert_eq(address(run, 2, 3), 0xffffff);
    cr_assert_eq(run->last.records[1].flags, WM_FLAG_CONTINUED);
    test_run_free(run);
}

Test(accelsim, without_windows_generic_is_global_with_one_warning)
{
    const char *header = "-kernel name = k\n-grid dim = (1,1,1)\n"
                         "-block dim = (32,1,1)\n-accelsim tracer version = 3\n"
                         "-shmem base_addr = 0xffffffff\n";
    test_run *run = run_version(header, 2,
                                "0 1 1 R4 LD.E 1 R2 4 2 0xffffffff\n"
                                "10 1 1 R4 LD.E 1 R2 4 2 0x10\n",
                                false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_active, 2);
    cr_assert_eq(test_run_warning(run, "generic-window-missing")->n_times, 2);
    test_run_free(run);
}

Test(accelsim, misaligned_wide_accesses_are_counted_and_kept)
{
    test_run *run =
        run_lines(3, "0100 00000001 1 R4 LDG.E.128 1 R2 16 2 0x1078 0\n"
                     "0110 ffffffff 1 R4 LDG.E.128 1 R2 16 1 0x1008 16 0\n"
                     "0120 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1004 4 0\n");
    const wm_warning *warning = test_run_warning(run, "misaligned");
    cr_assert_not_null(warning);
    cr_assert_eq(warning->n_times, 2);
    cr_assert_not_null(strstr(warning->first, "k.traceg:23"));
    cr_assert_eq(address(run, 1, 31), 0x1008 + 31 * 16);
    test_run_free(run);
}

Test(accelsim, unknown_opcodes_with_a_width_are_taken_by_their_beginning)
{
    test_run *run =
        run_lines(4, "0100 00000001 1 R4 LDX.E.64 1 R2 8 2 0x1000 0\n"
                     "0110 00000001 0 STX 1 R2 4 2 0x1000 0\n"
                     "0120 00000001 0 FROB 1 R2 4 2 0x1000 0\n"
                     "0130 00000001 1 R3 UNKNOWN.THING 1 R2 0 0\n");
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 2);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_STORE].n_requests, 1);
    cr_assert_eq(run->last.records[0].width, 8);
    cr_assert_eq(test_run_warning(run, "opcode-unknown")->n_times, 3);
    cr_assert_eq(run->work.n_other, 1);
    test_run_free(run);
}

Test(accelsim, arithmetic_is_counted_by_precision)
{
    test_run *run = run_lines(
        8, "00 0000ffff 1 R1 FADD 2 R2 R3 0 0\n10 ffffffff 1 R1 FFMA 0 0 0\n"
           "20 00000001 1 R2 DFMA 0 0 0\n30 00000003 1 R4 HFMA2.MMA 0 0 0\n"
           "40 ffffffff 1 R4 HMMA.16816.F32 3 R1 R2 R3 0 0\n"
           "50 00000000 1 R1 FADD 0 0 0\n60 ffffffff 0 BAR.SYNC 0 0 0\n"
           "70 ffffffff 0 EXIT 0 0 0\n");
    cr_assert_eq(run->work.flops_fp32, 16 + 64);
    cr_assert_eq(run->work.flops_fp64, 2);
    cr_assert_eq(run->work.flops_fp16, 8);
    cr_assert_eq(run->work.flops_tensor, 16 * 8 * 16 * 2);
    cr_assert_eq(run->work.n_other, 7, "exits count, barriers do not");
    cr_assert_eq(run->kind[WM_KIND_BARRIER].n_requests, 1);
    cr_assert_eq(run->kind[WM_KIND_EXIT].n_requests, 1);
    test_run_free(run);
}

Test(accelsim, a_warp_of_no_instructions_still_exits)
{
    test_run *run = run_lines(0, "");
    cr_assert_eq(run->last.n_warps, 1);
    cr_assert_eq(run->last.warps[0].n_records, 1);
    cr_assert_eq(run->last.records[0].kind, WM_KIND_EXIT);
    cr_assert_str_eq(run->first_static.opcode == NULL ? "" : "EXIT", "EXIT");
    test_run_free(run);
}

Test(accelsim, insts_must_equal_the_lines_unless_told_to_go_on)
{
    const char *two = "00 ffffffff 0 NOP 0 0 0\n10 ffffffff 0 EXIT 0 0 0\n";
    check_fails(HEADER_OF("5"), 3, two,
                "insts = 3, but 2 instruction lines follow");
    check_fails(HEADER_OF("5"), 1, two,
                "insts = 1, but 2 instruction lines follow");
    test_run *run = run_version(HEADER_OF("5"), 3, two, true);
    cr_assert_eq(run->status, WM_OK);
    cr_assert_eq(run->n_lines, 2);
    cr_assert_not(run->is_complete);
    cr_assert_not_null(test_run_warning(run, "insts-mismatch"));
    test_run_free(run);
}

Test(accelsim, bad_fields_are_named_with_line_and_column)
{
    check_fails(HEADER_OF("5"), 1, "xyz ffffffff 0 EXIT 0 0 0\n",
                ":23:1: found \"xyz\", wanted");
    check_fails(HEADER_OF("5"), 1, "00 1ffffffff 0 EXIT 0 0 0\n",
                ":23:4: found \"1ffffffff\", wanted a lane mask");
    check_fails(HEADER_OF("5"), 1, "00 ffffffff 99 EXIT 0 0 0\n",
                "destination registers");
    check_fails(HEADER_OF("5"), 1, "00 ffffffff 0 EXIT 0\n", "memory width");
    check_fails(HEADER_OF("5"), 1, "00 ffffffff 0 LDG 0 4 9 0x0\n",
                "address mode");
    check_fails(HEADER_OF("4"), 1, "00 ffffffff 0 EXIT 0 0 7\n",
                "end of the line");
    check_fails("-kernel name = k\n-block dim = (32,1,1)\n", 0, "",
                "without -grid dim");
    check_fails("-kernel name = k\n-grid dim = (0,1,1)\n", 0, "",
                "-grid dim = (0,1,1), wanted");
    check_fails("-kernel name = k\n-grid dim = (1,1,1)\n"
                "-block dim = (4096,4096,64)\n",
                0, "", "wanted at most 32768 threads");
}

Test(accelsim, keep_going_skips_a_bad_line_and_says_so)
{
    test_run *run = run_version(HEADER_OF("5"), 3,
                                "00 ffffffff 0 NOP 0 0 0\n10 what 0 NOP\n"
                                "20 ffffffff 0 EXIT 0 0 0\n",
                                true);
    cr_assert_eq(run->status, WM_OK);
    cr_assert_eq(run->n_lines, 2);
    cr_assert_not(run->is_complete);
    cr_assert_eq(test_run_warning(run, "line-skipped")->n_times, 1);
    test_run_free(run);
}

static test_run *run_text(const char *text, size_t n, bool keep_going)
{
    test_files files;
    files_init(&files);
    test_run *run =
        test_run_path(files_add(&files, "k.traceg", text, n), keep_going);
    files_fini(&files);
    return run;
}

#define WHOLE                                                                  \
    HEADER_OF("5")                                                             \
    BLOCK "2\n00 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 \n"                   \
          "10 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n"

Test(accelsim, a_file_cut_anywhere_never_looks_complete)
{
    for (size_t n = 1; n < strlen(WHOLE); n++) {
        test_run *run = run_text(WHOLE, n, false);
        bool is_whole = n >= strlen(WHOLE) - 1;
        cr_assert_eq(run->status == WM_OK && run->is_complete, is_whole,
                     "cut at byte %zu", n);
        test_run_free(run);
        run = run_text(WHOLE, n, true);
        cr_assert_eq(run->status == WM_OK && run->is_complete, is_whole);
        test_run_free(run);
    }
}

Test(accelsim, a_file_cut_between_lines_is_delivered_with_a_warning)
{
    const char *last = strstr(WHOLE, "10 ffffffff 0 EXIT");
    test_run *run = run_text(WHOLE, (size_t)(last - WHOLE), false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 1);
    cr_assert_not(run->is_complete);
    cr_assert_not_null(test_run_warning(run, "kernel-cut"));
    test_run_free(run);
    run = run_text(WHOLE, (size_t)(last - WHOLE) + 9, false);
    cr_assert_eq(run->status, WM_EFORMAT);
    cr_assert_not_null(strstr(run->err.text, "in the middle of a line"));
    test_run_free(run);
}

Test(accelsim, carriage_returns_change_nothing)
{
    char text[4096];
    size_t n = 0;
    for (const char *c = WHOLE; *c != '\0'; c++) {
        if (*c == '\n') {
            text[n++] = '\r';
        }
        text[n++] = *c;
    }
    test_run *run = run_text(text, n, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert(run->is_complete);
    cr_assert_str_eq(run->name, "k");
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_bytes, 128);
    test_run_free(run);
}

Test(accelsim, missing_blocks_and_warps_outside_the_block_are_warned)
{
    test_run *run = run_version("-kernel name = k\n-grid dim = (3,1,1)\n"
                                "-block dim = (32,1,1)\n"
                                "-accelsim tracer version = 3\n",
                                0, "warp = 5\ninsts = 0\n", false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->last.n_warps, 6);
    cr_assert_eq(run->last.warps[3].n_records, 0);
    cr_assert_not_null(test_run_warning(run, "warp-outside-block"));
    cr_assert_not_null(test_run_warning(run, "ctas-missing"));
    cr_assert_not(run->is_complete);
    test_run_free(run);
    check_fails(HEADER_OF("5"), 0, "warp = 1024\ninsts = 0\n", "warp below");
    check_fails(HEADER_OF("5"), 0, "warp = 0\ninsts = 0\n", "each warp once");
}

Test(accelsim, source_lines_and_block_prefixes_are_read_when_announced)
{
    test_run *run =
        run_version("-kernel name = k\n-grid dim = (1,1,1)\n"
                    "-block dim = (32,1,1)\n"
                    "-accelsim tracer version = 4\n"
                    "-enable lineinfo = 1\n",
                    1, "17 0008 ffffffff 1 R1 LDG 0 4 1 0x0 4\n", false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->first_static.line, 17);
    cr_assert_eq(run->first_static.pc, 8);
    test_run_free(run);
    run = run_version("-kernel name = k\n-grid dim = (1,1,1)\n"
                      "-block dim = (32,1,1)\n",
                      1, "0 0 0 0 0010 00000001 1 R1 LDG 0 4 2 0x40\n", false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->first_static.pc, 16);
    test_run_free(run);
}

#define RAW_HEADER                                                             \
    "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"           \
    "-accelsim tracer version = 3\n\n#traces format = x\n\n"

Test(accelsim, raw_lines_go_to_their_block_and_warp)
{
    static const char *const extra[] = {"", "3 9 "}; /* sm and slot */
    for (int i = 0; i < 2; i++) {
        char text[2048];
        const char *e = extra[i];
        snprintf(text, sizeof(text),
                 RAW_HEADER
                 "1 0 0 1 %s0000 00000001 1 R1 LDG 1 R2 4 2 0x40\n"
                 "0 0 0 0 %s0000 00000003 1 R1 LDG 1 R2 4 2 0x80 64\n"
                 "1 0 0 0 %s0000 00000001 1 R1 LDG 1 R2 4 2 0xc0\n"
                 "0 0 0 0 %s0010 ffffffff 0 EXIT 0 0\n"
                 "1 0 0 1 %s0010 00000007 0 STG 1 R2 4 0 0x10 0x30 "
                 "0x90",
                 e, e, e, e, e);
        test_run *run = run_text(text, strlen(text), false);
        cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
        cr_assert(run->is_complete);
        cr_assert_eq(run->n_ctas, 2);
        cr_assert_eq(run->n_lines, 5);
        cr_assert_eq(run->last.id[0], 1);
        cr_assert_eq(run->last.n_warps, 2);
        cr_assert_eq(run->last.warps[0].n_records, 2);
        cr_assert_eq(run->last.warps[1].n_records, 3);
        uint32_t first = run->last.warps[1].first;
        cr_assert_eq(address(run, run->last.warps[0].first, 0), 0xc0);
        cr_assert_eq(address(run, first, 0), 0x40);
        cr_assert_eq(address(run, first + 1, 2), 0x90);
        test_run_free(run);
    }
}

Test(accelsim, the_shared_side_of_a_raw_async_copy_is_dropped)
{
    const char *text = RAW_HEADER
        "0 0 0 0 0000 00000001 0 LDGSTS.E 2 R2 R4 4 2 0x40\n"
        "0 0 0 0 0000 00000001 0 LDGSTS.E 2 R2 R4 4 2 0x7f0000000000\n"
        "0 0 0 0 0010 00000000 0 LDGSTS.E 2 R2 R4 4 1 0x0 0\n"
        "0 0 0 0 0010 00000000 0 LDGSTS.E 2 R2 R4 4 1 0x0 0\n"
        "1 0 0 0 0010 ffffffff 0 EXIT 0 0\n";
    test_run *run = run_text(text, strlen(text), false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->kind[WM_KIND_ASYNC_COPY].n_requests, 2);
    cr_assert_eq(run->kind[WM_KIND_ASYNC_COPY].n_active, 1);
    test_run_free(run);
}

/* One row of the independent counts, or false at the end. */
typedef struct truth_row {
    char file[128];
    char kind[32];
    unsigned long long n_lines, n_requests, n_active, n_lanes, n_bytes;
} truth_row;

static bool truth_next(FILE *file, truth_row *row)
{
    char line[512];
    if (fgets(line, sizeof(line), file) == NULL) {
        return false;
    }
    return sscanf(line,
                  "%127[^,],%*[^,],%*[^,],%llu,%*[^,],%*[^,],%31[^,],%llu,"
                  "%llu,%llu,%llu",
                  row->file, &row->n_lines, row->kind, &row->n_requests,
                  &row->n_active, &row->n_lanes, &row->n_bytes) == 7;
}

static wm_kind kind_of(const char *name)
{
    unsigned kind = 0;
    while (kind < WM_KIND_COUNT &&
           strcmp(wm_kind_name((wm_kind)kind), name) != 0) {
        kind++;
    }
    return (wm_kind)kind;
}

Test(accelsim, real_traces_have_the_independently_counted_accesses,
     .timeout = 120)
{
    const char *folder = real_traces();
    if (folder == NULL) {
        return;
    }
    char line[1024];
    char path[512];
    char last[128] = "";
    test_run *run = NULL;
    truth_row row;
    unsigned n_rows = 0;
    snprintf(path, sizeof(path), "%s/../truth/trace_counts.csv", folder);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_assert_not_null(fgets(line, sizeof(line), file));
    while (truth_next(file, &row)) {
        if (strcmp(row.file, last) != 0) {
            if (run != NULL) {
                test_run_free(run);
            }
            snprintf(path, sizeof(path), "%s/%s", folder, row.file);
            run = test_run_path(path, false);
            cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
            cr_assert_eq(run->n_lines, row.n_lines, "%s", row.file);
            strcpy(last, row.file);
        }
        n_rows++;
        wm_kind kind = kind_of(row.kind);
        if (kind < WM_KIND_COUNT) {
            const test_kind *found = &run->kind[kind];
            cr_assert_eq(found->n_requests, row.n_requests, "%s %s", row.file,
                         row.kind);
            cr_assert_eq(found->n_active, row.n_active, "%s", row.file);
            cr_assert_eq(found->n_lanes, row.n_lanes, "%s", row.file);
            cr_assert_eq(found->n_bytes, row.n_bytes, "%s", row.file);
        }
    }
    cr_assert_eq(n_rows, 620);
    test_run_free(run);
    fclose(file);
}
