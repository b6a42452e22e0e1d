/* What the GPU sends, in any order of warps, becomes a trace in theirs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/reader.h"
#include "warpmem_drain.h"

static char path[64];

static wm_drain *open_drain(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/wm_drain_%ld.wmt", (long)getpid());
    wm_drain *drain = wm_drain_open(path);
    cr_assert_not_null(drain);
    return drain;
}

static const wm_drain_launch_info two_by_two = {
    .name = "k", .grid = {2, 1, 1}, .block = {64, 1, 1}, .sm_version = 90};

static wm_drain_slot slot(uint64_t block, uint32_t warp, uint32_t line,
                          uint64_t base)
{
    wm_drain_slot s = {.block = block,
                       .warp = warp,
                       .mask = 0xffffffff,
                       .line = line,
                       .op = WM_DRAIN_LOAD,
                       .width = 4};
    for (uint32_t i = 0; i < WM_DRAIN_LANES; i++) {
        s.address[i] = base + 4 * (uint64_t)i;
    }
    return s;
}

Test(drain, warps_that_arrive_mixed_are_written_in_order)
{
    wm_drain *drain = open_drain();
    cr_assert_eq(wm_drain_launch(drain, &two_by_two), 0);
    const struct {
        uint64_t block;
        uint32_t warp, line;
    } sent[] = {{1, 1, 5}, {0, 1, 5}, {1, 0, 5}, {1, 1, 6}, {0, 1, 6}};
    for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
        wm_drain_slot s = slot(sent[i].block, sent[i].warp, sent[i].line,
                               0x1000 * (uint64_t)(i + 1));
        cr_assert_eq(wm_drain_add(drain, &s), 0);
    }
    cr_assert_eq(wm_drain_launch_end(drain), 0);
    cr_assert_eq(wm_drain_close(drain, NULL, 0), 0);

    wm_error err;
    wm_trace *trace = NULL;
    wm_command command;
    wm_cta cta;
    bool has_cta;
    wm_cta_init(&cta);
    cr_assert_eq(wm_trace_open(path, NULL, NULL, &trace, &err), WM_OK);
    cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
    cr_assert_eq(command.kind, WM_COMMAND_LAUNCH);
    cr_assert_eq(command.launch.sm_version, 90);
    cr_assert_eq(wm_trace_next_cta(trace, &cta, &has_cta, &err), WM_OK);
    cr_assert_eq(cta.n_warps, 2);
    cr_assert_eq(cta.warps[0].n_records, 1, "warp 0 did nothing but exit");
    cr_assert_eq(cta.warps[1].n_records, 3);
    const wm_record *first = &cta.records[cta.warps[1].first];
    cr_assert_eq(first[0].base, 0x2000);
    cr_assert_eq(first[0].u.stride, 4);
    cr_assert_eq(first[1].base, 0x5000);
    cr_assert_eq(first[2].kind, WM_KIND_EXIT);
    const wm_launch *launch = wm_trace_launch(trace);
    cr_assert_eq(launch->statics[first[0].static_id].line, 5);
    cr_assert_eq(launch->statics[first[1].static_id].line, 6);
    cr_assert_eq(wm_trace_next_cta(trace, &cta, &has_cta, &err), WM_OK);
    cr_assert_eq(cta.id[0], 1);
    cr_assert_eq(cta.warps[0].n_records, 2);
    cr_assert_eq(cta.warps[1].n_records, 3);
    wm_cta_fini(&cta);
    wm_trace_close(trace);
    (void)unlink(path);
}

Test(drain, a_slot_outside_the_launch_is_refused_and_leaves_no_file)
{
    char message[256];
    wm_drain *drain = open_drain();
    wm_drain_slot s = slot(2, 0, 17, 0x1000);
    cr_assert_eq(wm_drain_launch(drain, &two_by_two), 0);
    cr_assert_neq(wm_drain_add(drain, &s), 0);
    cr_assert_neq(wm_drain_launch_end(drain), 0);
    cr_assert_neq(wm_drain_close(drain, message, sizeof(message)), 0);
    cr_assert_not_null(strstr(message, "line 17: found an access of block 2"),
                       "%s", message);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(drain, broken_slots_are_refused)
{
    for (int i = 0; i < 5; i++) {
        wm_drain *drain = open_drain();
        wm_drain_slot s = slot(0, 0, 1, 0x1000);
        s.warp = i == 0 ? 2 : 0;
        s.width = (uint8_t)(i == 1 ? 0 : i == 2 ? 3 : i == 3 ? 64 : 4);
        s.op = i == 4 ? 9 : WM_DRAIN_LOAD;
        cr_assert_eq(wm_drain_launch(drain, &two_by_two), 0);
        cr_assert_neq(wm_drain_add(drain, &s), 0, "case %d", i);
        (void)wm_drain_close(drain, NULL, 0);
    }
}

Test(drain, a_launch_left_open_is_no_trace)
{
    char message[256];
    wm_drain *drain = open_drain();
    cr_assert_eq(wm_drain_launch(drain, &two_by_two), 0);
    cr_assert_neq(wm_drain_close(drain, message, sizeof(message)), 0);
    cr_assert_not_null(strstr(message, "found no end of this launch"));
    cr_assert_neq(access(path, F_OK), 0);
}

Test(drain, a_folder_that_is_not_there_is_named)
{
    char message[256];
    wm_drain *drain = wm_drain_open("/nowhere/x.wmt");
    cr_assert_not_null(drain);
    cr_assert_neq(wm_drain_launch(drain, &two_by_two), 0);
    cr_assert_neq(wm_drain_close(drain, message, sizeof(message)), 0);
    cr_assert_not_null(strstr(message, "/nowhere/x.wmt"), "%s", message);
}
