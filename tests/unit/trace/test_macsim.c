/*
 * test_macsim.c -- MacSim traces: lists, and records of 64 bytes.
 */
#include <sys/stat.h>

#include "trace/macsim.h"
#include "trace_files.h"

enum { FFMA = 4, LDG = 73, STG = 78, BAR = 151, EXIT = 139 };

/* A record as the tracer writes it. */
static void put(uint8_t *at, int opcode, int dst, int src, uint32_t mask,
                uint64_t pc, uint64_t address, int size)
{
    memset(at, 0, WM_MACSIM_RECORD_BYTES);
    at[0] = (uint8_t)opcode;
    at[4] = src >= 0;
    at[5] = dst >= 0;
    at[6] = (uint8_t)src;
    at[14] = (uint8_t)dst;
    memcpy(at + 24, &mask, 4);
    memcpy(at + 32, &pc, 8);
    memcpy(at + 48, &address, 8);
    at[56] = (uint8_t)size;
}

/* A kernel of two blocks; the second has one warp, its number 1. */
static const char *write_kernel(test_files *files)
{
    uint8_t bytes[8 * WM_MACSIM_RECORD_BYTES];
    uint8_t *at = bytes;
    put(at, LDG, 8, 2, UINT32_MAX, 0x10, 0x7f0000000000, 4);
    put(at += 64, LDG, 9, 2, UINT32_MAX, 0x20, 0x7f0000001000, 16);
    put(at += 64, LDG, 9, 2, UINT32_MAX, 0x20, 0x7f0000001080, 8);
    put(at += 64, FFMA, 10, 8, UINT32_MAX, 0x30, 0, 0);
    put(at += 64, STG, -1, 10, 7, 0x40, 0x7f0000005000, 12);
    put(at += 64, STG, -1, 10, 7, 0x40, 0x7f0000006000, 4);
    put(at += 64, STG, -1, 10, 7, 0x40, 0x7f0000004000, 4);
    put(at += 64, EXIT, -1, -1, UINT32_MAX, 0x50, 0, 0);
    files_add(files, "trace_0.raw", bytes, sizeof(bytes));
    files_add(files, "trace_1.raw", bytes, 64);
    files_add(files, "trace_65537.raw", bytes, 64);
    return files_text(files, "trace.txt",
                      "nvbit\n14\n16\n3\n0 0\n65537 3\n1 0\n");
}

Test(macsim, blocks_and_warps_come_from_the_ids)
{
    test_files files;
    files_init(&files);
    test_run *run = test_run_path(write_kernel(&files), false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_str_eq(run->format, "macsim");
    cr_assert_eq(run->n_launches, 1);
    cr_assert_eq(run->n_ctas, 2);
    cr_assert_eq(run->last.id[0], 1);
    cr_assert_eq(run->last.n_warps, 2);
    cr_assert_eq(run->last.warps[0].n_records, 0);
    cr_assert_eq(run->last.warps[1].n_records, 2, "a load and the exit");
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 4);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_STORE].n_requests, 1);
    cr_assert_eq(run->work.flops_fp32, 64);
    test_run_free(run);
    files_fini(&files);
}

Test(macsim, records_of_one_instruction_in_a_row_are_one_access)
{
    wm_macsim_warp warp;
    wm_statics statics;
    wm_cta cta;
    uint8_t bytes[WM_MACSIM_RECORD_BYTES];
    wm_macsim_record record;
    memset(&warp, 0, sizeof(warp));
    wm_statics_init(&statics);
    wm_cta_init(&cta);
    wm_macsim_warp_start(&warp);
    const struct {
        int opcode, dst, src;
        uint32_t mask;
        uint64_t pc, address;
        int size;
    } rows[] = {
        {LDG, 8, 2, UINT32_MAX, 0x10, 0x1000, 16}, /* 8 bytes, 2 lines */
        {LDG, 8, 2, UINT32_MAX, 0x10, 0x1080, 8},
        {STG, -1, 8, 5, 0x20, 0x9000, 8}, /* 2 lanes apart */
        {STG, -1, 8, 5, 0x20, 0x2000, 4},
    };
    for (size_t i = 0; i < 4; i++) {
        put(bytes, rows[i].opcode, rows[i].dst, rows[i].src, rows[i].mask,
            rows[i].pc, rows[i].address, rows[i].size);
        wm_macsim_decode(bytes, &record);
        cr_assert(wm_macsim_feed(&warp, &statics, &cta, &record));
    }
    cr_assert(wm_macsim_finish(&warp, &statics, &cta));
    cr_assert_eq(cta.n_records, 3);
    const wm_record *r = cta.records;
    cr_assert_eq(r[0].width, 8);
    cr_assert_eq(wm_record_address(&r[0], cta.lanes, 31), 0x1000 + 31 * 8);
    cr_assert_eq(r[1].width, 4);
    cr_assert_eq(r[1].wait, 1, "the store reads what the load writes");
    cr_assert_eq(wm_record_address(&r[1], cta.lanes, 0), 0x9000);
    cr_assert_eq(wm_record_address(&r[1], cta.lanes, 2), 0x2000);
    wm_cta_fini(&cta);
    wm_statics_fini(&statics);
}

Test(macsim, a_list_names_kernels_that_may_have_moved)
{
    test_files files;
    char list[256];
    files_init(&files);
    write_kernel(&files);
    const char *folder = strrchr(files.folder, '/') + 1;
    snprintf(list, sizeof(list),
             "nvbit\n14\n-1\n/gone/far/%s/trace.txt\ntrace.txt\n", folder);
    /* Beside the list by the last folder: the list lies one above. */
    char path[128];
    snprintf(path, sizeof(path), "%s-kernel_config.txt", files.folder);
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out);
    fputs("nvbit 14 -1 /gone/far/", out);
    fputs(folder, out);
    fputs("/trace.txt\n", out);
    fclose(out);
    test_run *run = test_run_path(path, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->n_launches, 1);
    cr_assert_str_eq(run->name, folder);
    test_run_free(run);
    unlink(path);
    run = test_run_path(files_text(&files, "kernel_config.txt", list), true);
    cr_assert_eq(run->n_launches, 1, "the second is there");
    cr_assert(!run->is_complete, "the first is not");
    test_run_free(run);
    files_fini(&files);
}

static void check_fails(const char *text, const char *wanted)
{
    test_files files;
    files_init(&files);
    write_kernel(&files);
    files_add(&files, "trace_2.raw", "half", 4);
    test_run *run = test_run_path(files_text(&files, "t.txt", text), false);
    cr_assert_eq(run->status, WM_EFORMAT, "wanted %s", wanted);
    cr_assert_not_null(strstr(run->err.text, wanted), "got: %s", run->err.text);
    test_run_free(run);
    files_fini(&files);
}

Test(macsim, damage_is_named)
{
    check_fails("nvbit 14", "found the end of the file, wanted nvbit, a vers");
    check_fails("nvbit 14 16 2 0 0", "wanted the warps it promises");
    check_fails("nvbit 14 16 x", "t.txt:1: found 'x', wanted a number");
    check_fails("nvbit 14 16 1 5000 0", "found warp 5000, wanted block");
    check_fails("nvbit 14 16 1 9 0", "trace_9.raw: No such file");
    check_fails("nvbit 14 16 1 2 0", "trace_2.raw: byte 0: found 4 bytes");
    check_fails("nvbit 14 -1 none/trace.txt", "none/trace.txt: No such file");
}
