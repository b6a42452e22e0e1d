/* Print-outs of NVBit's mem_trace. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/rng.h"
#include "trace_files.h"

#define LAUNCH(id, name, grid, block)                                          \
    "MEMTRACE: CTX 0x0000561b7f632ec0 - LAUNCH - Kernel pc "                   \
    "0x00007f7e26fa0f00 - Kernel name " name " - grid launch id " id           \
    " - grid size " grid " - block size " block                                \
    " - nregs 12 - shmem 64 - cuda stream id 7\n"

static void add_access(wm_buffer *text, uint32_t cta, uint32_t warp,
                       const char *opcode, const uint64_t addresses[32])
{
    wm_buffer_printf(text,
                     "MEMTRACE: CTX 0x0000561b7f632ec0 - grid_launch_id 0 - "
                     "CTA %u,0,0 - warp %u - %s - ",
                     cta, warp, opcode);
    for (int i = 0; i < 32; i++) {
        wm_buffer_printf(text, "0x%016llx ", (unsigned long long)addresses[i]);
    }
    wm_buffer_puts(text, "\n");
}

static void add_line(wm_buffer *text, uint32_t cta, uint32_t warp,
                     const char *opcode, uint64_t base)
{
    uint64_t addresses[32];
    for (uint64_t i = 0; i < 32; i++) {
        addresses[i] = base + 4 * i;
    }
    add_access(text, cta, warp, opcode, addresses);
}

static test_run *run_buffer(wm_buffer *text, bool keep_going)
{
    test_files files;
    files_init(&files);
    test_run *run = test_run_path(
        files_add(&files, "m.txt", text->bytes, text->n_bytes), keep_going);
    files_fini(&files);
    wm_buffer_fini(text);
    return run;
}

static const wm_record *first_record(const test_run *run)
{
    const wm_cta *cta = &run->last;
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        if (cta->warps[w].n_records > 0) {
            return cta->records + cta->warps[w].first;
        }
    }
    cr_assert_fail("no record");
    return NULL;
}

Test(memtrace, repeated_and_unaligned_lanes_are_kept_as_printed)
{
    static const uint16_t offsets[] = {
        0x890, 0x894, 0x898, 0x89c, 0x850, 0x854, 0x858, 0x85c,
        0x860, 0x864, 0x868, 0x86c, 0x870, 0x874, 0x878, 0x87c,
        0x880, 0x884, 0x888, 0x88c, 0x890, 0x894, 0x898, 0x89c,
        0x850, 0x854, 0x858, 0x85c, 0x860, 0x864, 0x868, 0x86c};
    uint64_t addresses[32];
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("1", "k", "1,1,1", "32,1,1"));
    for (int i = 0; i < 32; i++) {
        addresses[i] = UINT64_C(0x7ff412a00000) + offsets[i];
    }
    add_access(&text, 0, 0, "LDG.E", addresses);
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 1);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_lanes, 32);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_bytes, 128);
    const wm_record *r = first_record(run);
    for (uint32_t i = 0; i < 32; i++) {
        cr_expect_eq(wm_record_address(r, run->last.lanes, i), addresses[i]);
    }
    test_run_free(run);
}

Test(memtrace, address_0_is_a_lane_that_is_off)
{
    uint64_t addresses[32] = {0};
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("1", "k", "1,1,1", "32,1,1"));
    for (uint64_t i = 0; i < 16; i++) {
        addresses[i] = UINT64_C(0x7ff412a00860) + 4 * i;
    }
    add_access(&text, 0, 0, "LDG.E", addresses);
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    const wm_record *r = first_record(run);
    cr_expect_eq(r->mask, 0xffff);
    cr_expect_eq(r->base, UINT64_C(0x7ff412a00860));
    cr_expect_eq(r->pattern, WM_PATTERN_AFFINE);
    cr_expect_eq(r->u.stride, 4);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_bytes, 64);
    test_run_free(run);
}

Test(memtrace, a_demangled_name_may_hold_what_separates_the_fields)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("3", "f<1 - 2>(int, T - grid launch id x)",
                                 "2,1,1", "64,1,1"));
    add_line(&text, 1, 1, "LDG.E.64", 0x1000);
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_str_eq(run->name, "f<1 - 2>(int, T - grid launch id x)");
    cr_expect_eq(first_record(run)->width, 8);
    cr_expect(run->is_complete, "CTAs without accesses do not show");
    test_run_free(run);
}

Test(memtrace, mixed_lines_are_sorted_into_ctas_and_warps)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, "---- banner\nNo CUDA error.\n"
                          "alloc address : 139806607671296, Size : 32768\n");
    wm_buffer_puts(&text, LAUNCH("1", "first", "2,1,1", "64,1,1"));
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t warp = 2; warp > 0; warp--) {
            add_line(&text, 1, warp - 1, "LDG.E", 0x1000 * (i + 1));
            add_line(&text, 0, warp - 1, "STG.E", 0x9000);
            wm_buffer_puts(&text, "program output\n");
        }
    }
    wm_buffer_puts(&text, LAUNCH("2", "second", "1,1,1", "32,1,1"));
    add_line(&text, 0, 0, "RED.E.ADD", 0x5000);
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_str_eq(run->format, "memtrace");
    cr_expect_eq(run->n_launches, 2);
    cr_expect_eq(run->n_ctas, 3);
    cr_expect_eq(run->n_copies, 0);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 6);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_STORE].n_requests, 6);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_REDUCTION].n_requests, 1);
    cr_expect_eq(run->kind[WM_KIND_EXIT].n_requests, 5);
    cr_expect_str_eq(run->name, "second");
    cr_expect_eq(wm_diag_total(&run->diag), 0);
    test_run_free(run);
}

Test(memtrace, the_exit_waits_for_all_loads_of_its_warp)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("1", "k", "1,1,1", "32,1,1"));
    add_line(&text, 0, 0, "LDG.E", 0x1000);
    add_line(&text, 0, 0, "STG.E", 0x2000);
    add_line(&text, 0, 0, "LDG.E", 0x3000);
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->last.warps[0].n_records, 4);
    cr_expect_eq(run->last.records[3].kind, WM_KIND_EXIT);
    cr_expect_eq(run->last.records[3].wait, 3);
    cr_expect_eq(run->last.records[2].base, 0x3000);
    test_run_free(run);
}

Test(memtrace, hardware_warp_slots_become_warps_of_the_cta)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("1", "k", "1,1,1", "64,1,1"));
    add_line(&text, 0, 41, "LDG.E", 0x2000);
    add_line(&text, 0, 17, "LDG.E", 0x1000);
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->last.n_warps, 2);
    cr_expect_eq(run->last.records[run->last.warps[0].first].base, 0x1000);
    cr_expect_eq(run->last.records[run->last.warps[1].first].base, 0x2000);
    test_run_free(run);
}

Test(memtrace, variants_with_size_and_threads_are_read)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("1", "k", "1,1,1", "32,1,1"));
    wm_buffer_puts(
        &text, "MEMTRACE: CTX 0x1 - SM_id 3 - grid_launch_id 0 - CTA 0,0,0 - "
               "warp 0 - LDG.E.64.SYS - pc 144 - Size 8 - MREF per "
               "threads(threadidx,data,address) : Thread0,0x12,0x1000 "
               "Thread1,0x13,0x1008 Thread2,0x0,0x0\n");
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    const wm_record *r = first_record(run);
    cr_expect_eq(r->mask, 3);
    cr_expect_eq(r->width, 8);
    cr_expect_eq(r->base, 0x1000);
    cr_expect_eq(r->u.stride, 8);
    cr_expect_eq(run->first_static.pc, 144);
    test_run_free(run);
}

Test(memtrace, accesses_without_a_launch_line_get_a_launch)
{
    wm_buffer text;
    wm_buffer_init(&text);
    add_line(&text, 3, 1, "LDG.E", 0x1000);
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_eq(run->n_launches, 1);
    cr_expect_eq(run->n_ctas, 1);
    cr_expect_not_null(test_run_warning(run, "memtrace-no-launch"));
    test_run_free(run);
}

Test(memtrace, bare_lines_are_taken_as_loads_of_32_lanes)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("1", "k", "2,1,1", "64,1,1"));
    for (uint64_t i = 0; i < 4 * 32 + 5; i++) {
        wm_buffer_printf(&text, "0x0000000040000000,0x%016llx\n",
                         (unsigned long long)(0x7f0000000000 + 4 * i));
    }
    test_run *run = run_buffer(&text, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_eq(run->n_ctas, 2);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 5);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_lanes, 133);
    cr_expect_not_null(test_run_warning(run, "memtrace-no-warps"));
    test_run_free(run);
}

Test(memtrace, a_short_line_is_an_error_with_its_number)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, LAUNCH("1", "k", "1,1,1", "32,1,1"));
    wm_buffer_puts(&text, "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 "
                          "- warp 0 - LDG.E - 0x1 0x2\n");
    test_run *run = run_buffer(&text, false);
    cr_expect_eq(run->status, WM_EFORMAT);
    cr_expect_not_null(strstr(run->err.text, "m.txt:2: "), "%s", run->err.text);
    test_run_free(run);
}

Test(memtrace, keep_going_skips_a_damaged_line_and_says_so)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, "MEMTRACE: CTX 0x1 - CTA x - warp 0 - LDG\n");
    wm_buffer_puts(&text, LAUNCH("1", "k", "1,1,1", "32,1,1"));
    wm_buffer_puts(&text, "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 "
                          "- warp 0 - LDG.E - 0x1 0x2\n");
    add_line(&text, 0, 0, "LDG.E", 0x1000);
    wm_buffer_puts(&text, "MEMTRACE: CTX 0x1 - LAUNCH - no name\n");
    add_line(&text, 0, 0, "LDG.E", 0x1000);
    wm_buffer_puts(&text, LAUNCH("2", "l", "1,1,1", "32,1,1"));
    add_line(&text, 0, 0, "LDG.E", 0x1000);
    test_run *run = run_buffer(&text, true);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_not(run->is_complete);
    cr_expect_eq(run->n_launches, 2);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 2);
    cr_expect_eq(test_run_warning(run, "line-skipped")->n_times, 3);
    test_run_free(run);
}

Test(memtrace, no_changed_byte_does_harm)
{
    wm_rng rng = {31};
    wm_buffer whole;
    wm_buffer_init(&whole);
    for (uint32_t l = 0; l < 3; l++) {
        wm_buffer_puts(&whole, LAUNCH("1", "k", "2,1,1", "64,1,1"));
        for (uint32_t i = 0; l != 1 && i < 4; i++) {
            add_line(&whole, i % 2, i / 2, "LDG.E", 0x1000 * i);
        }
        for (uint64_t i = 0; i < 70; i++) {
            wm_buffer_printf(&whole, "0x40,0x%llx\n",
                             (unsigned long long)(0x1000 + 4 * i));
        }
    }
    for (int i = 0; i < 1500; i++) {
        wm_buffer text;
        wm_buffer_init(&text);
        wm_buffer_add(&text, whole.bytes, whole.n_bytes);
        for (int k = 0; k < 3; k++) {
            uint32_t at = wm_rng_below(&rng, (uint32_t)text.n_bytes);
            text.bytes[at] = " \n-,0xMC9"[wm_rng_below(&rng, 9)];
        }
        test_run *run = run_buffer(&text, i % 4 != 0);
        cr_assert(run->status == WM_OK || run->status == WM_EFORMAT, "%s",
                  run->err.text);
        test_run_free(run);
    }
    wm_buffer_fini(&whole);
}

Test(memtrace, real_print_outs_are_read)
{
    char path[512];
    const char *folder = real_traces();
    if (folder == NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/memtrace/vecadd-modified.txt", folder);
    test_run *run = test_run_path(path, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_str_eq(run->format, "memtrace");
    cr_expect_str_eq(run->name, "vecAdd(float*, float*, float*, int)");
    cr_expect_eq(run->n_ctas, 8);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 768);
    cr_expect_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_lanes, 24576);
    test_run_free(run);
    snprintf(path, sizeof(path), "%s/memtrace/value-address-list.txt", folder);
    run = test_run_path(path, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_eq(run->n_launches, 1);
    cr_expect_eq(run->n_ctas, 0);
    test_run_free(run);
}
