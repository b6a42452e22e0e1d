/*
 * test_distil.c -- the scoreboard: gaps, stalls and who waits for whom.
 */
#include "trace_files.h"

#include "trace/distil.h"

typedef struct warp {
    wm_distil *distil;
    wm_cta cta;
} warp;

static void warp_start(warp *w)
{
    w->distil = malloc(sizeof(*w->distil));
    wm_distil_init(w->distil);
    wm_distil_start(w->distil);
    wm_cta_init(&w->cta);
}

static void warp_end(warp *w)
{
    cr_assert(wm_distil_finish(w->distil, &w->cta, 0));
    free(w->distil);
}

/* An instruction "dst = f(a, b)"; 255 names no register. */
static wm_use use_of(int dst, int a, int b, int latency)
{
    wm_use use = {.latency_cycles = (uint8_t)latency,
                  .awaits_copies = WM_COPIES_NONE};
    const int sources[] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (sources[i] < 255) {
            use.reads[use.n_reads++] =
                (wm_register_run){(uint16_t)sources[i], 1};
        }
    }
    if (dst < 255) {
        use.writes[use.n_writes++] = (wm_register_run){(uint16_t)dst, 1};
    }
    return use;
}

static void alu(warp *w, int dst, int a, int b)
{
    wm_use use = use_of(dst, a, b, 4);
    cr_assert(wm_distil_pass(w->distil, &w->cta, &use));
}

static wm_record *memory(warp *w, wm_kind kind, int dst, int src, int n_regs,
                         uint64_t mask)
{
    wm_record record = {.kind = (uint8_t)kind, .mask = mask, .width = 4};
    wm_use use = use_of(dst, src, 255, 4);
    use.is_off = mask == 0;
    use.writes[0].n = (uint16_t)n_regs;
    cr_assert(wm_distil_record(w->distil, &w->cta, &use, &record, 1));
    return &w->cta.records[w->cta.n_records - 1];
}

static wm_record *load(warp *w, int dst)
{
    return memory(w, WM_KIND_GLOBAL_LOAD, dst, 255, 1, 1);
}

static wm_record *store(warp *w, int src)
{
    return memory(w, WM_KIND_GLOBAL_STORE, 255, src, 1, 1);
}

Test(distil, independent_instructions_take_one_cycle_each)
{
    warp w;
    warp_start(&w);
    for (int i = 0; i < 5; i++) {
        alu(&w, i, 255, 255);
    }
    const wm_record *r = load(&w, 10);
    cr_assert_eq(r->head_slots, 5);
    cr_assert_eq(r->head_cycles, 5);
    cr_assert_eq(r->wait, 0);
    cr_assert_eq(r->tail_cycles, 0);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, a_chain_takes_its_latency)
{
    warp w;
    warp_start(&w);
    alu(&w, 1, 255, 255);
    alu(&w, 1, 1, 255);
    alu(&w, 1, 1, 255);
    const wm_record *r = store(&w, 1);
    cr_assert_eq(r->head_slots, 3);
    cr_assert_eq(r->head_cycles, 12, "issue at 0, 4, 8; result at 12");
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, the_first_use_of_a_load_splits_the_gap)
{
    warp w;
    warp_start(&w);
    load(&w, 1);
    load(&w, 2);
    alu(&w, 3, 255, 255);
    alu(&w, 4, 1, 255); /* stalls on the older load */
    alu(&w, 5, 255, 255);
    const wm_record *r = load(&w, 6);
    cr_assert_eq(r->head_slots, 1);
    cr_assert_eq(r->wait, 2, "bit 1: the second youngest load");
    cr_assert_eq(r->tail_slots, 2);
    cr_assert_eq(r->tail_cycles, 2);
    r = store(&w, 2);
    cr_assert_eq(r->wait, 2, "load 2 is second youngest by now");
    r = store(&w, 1);
    cr_assert_eq(r->wait, 0, "load 1 has been waited for");
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, overwriting_a_register_in_flight_waits)
{
    warp w;
    warp_start(&w);
    load(&w, 1);
    alu(&w, 1, 255, 255);
    cr_assert_eq(store(&w, 255)->wait, 1);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, a_wide_load_writes_consecutive_registers)
{
    warp w;
    warp_start(&w);
    memory(&w, WM_KIND_GLOBAL_LOAD, 4, 255, 4, 1);
    cr_assert_eq(store(&w, 8)->wait, 0);
    cr_assert_eq(store(&w, 7)->wait, 1);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, an_empty_load_is_never_waited_for_but_counts)
{
    warp w;
    warp_start(&w);
    load(&w, 1);
    memory(&w, WM_KIND_GLOBAL_LOAD, 2, 255, 1, 0);
    cr_assert_eq(store(&w, 2)->wait, 0);
    cr_assert_eq(store(&w, 1)->wait, 2);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, near_stalls_join_and_far_stalls_leave_a_gap_record)
{
    warp w;
    warp_start(&w);
    load(&w, 1);
    load(&w, 2);
    alu(&w, 10, 1, 255);
    for (uint32_t i = 0; i + 1 < WM_DISTIL_JOIN_SLOTS; i++) {
        alu(&w, 11, 255, 255);
    }
    alu(&w, 12, 2, 255);
    const wm_record *r = store(&w, 255);
    cr_assert_eq(r->wait, 3);
    cr_assert_eq(r->tail_slots, WM_DISTIL_JOIN_SLOTS + 1);
    load(&w, 1);
    load(&w, 2);
    alu(&w, 10, 1, 255);
    for (uint32_t i = 0; i < WM_DISTIL_JOIN_SLOTS; i++) {
        alu(&w, 11, 255, 255);
    }
    alu(&w, 12, 2, 255);
    r = store(&w, 255);
    cr_assert_eq(r->wait, 1);
    cr_assert_eq(r->tail_slots, 1);
    cr_assert_eq(r[-1].kind, WM_KIND_GAP);
    cr_assert_eq(r[-1].wait, 2);
    cr_assert_eq(r[-1].tail_slots, WM_DISTIL_JOIN_SLOTS + 1);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, copies_are_waited_for_together)
{
    warp w;
    warp_start(&w);
    memory(&w, WM_KIND_ASYNC_COPY, 255, 255, 1, 1);
    load(&w, 1);
    memory(&w, WM_KIND_ASYNC_COPY, 255, 255, 1, 1);
    wm_use depbar = use_of(255, 255, 255, 4);
    depbar.awaits_copies = 0;
    cr_assert(wm_distil_pass(w.distil, &w.cta, &depbar));
    cr_assert_eq(store(&w, 255)->wait, 5);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

/* Two groups of one copy, and one copy in no group yet. */
static uint32_t wait_of_depbar(uint8_t n_allowed)
{
    warp w;
    warp_start(&w);
    memory(&w, WM_KIND_ASYNC_COPY, 255, 255, 1, 1);
    wm_distil_commit(w.distil);
    load(&w, 1);
    memory(&w, WM_KIND_ASYNC_COPY, 255, 255, 1, 1);
    wm_distil_commit(w.distil);
    memory(&w, WM_KIND_ASYNC_COPY, 255, 255, 1, 1);
    wm_use depbar = use_of(255, 255, 255, 4);
    depbar.awaits_copies = n_allowed;
    cr_assert(wm_distil_pass(w.distil, &w.cta, &depbar));
    uint32_t wait = store(&w, 255)->wait;
    warp_end(&w);
    wm_cta_fini(&w.cta);
    return wait;
}

Test(distil, a_wait_leaves_the_youngest_groups_of_copies_in_flight)
{
    cr_assert_eq(wait_of_depbar(0), 0xb);
    cr_assert_eq(wait_of_depbar(1), 0x8);
    cr_assert_eq(wait_of_depbar(2), 0);
    cr_assert_eq(wait_of_depbar(200), 0);
    cr_assert_eq(wait_of_depbar(WM_COPIES_NONE), 0);
}

Test(distil, groups_older_than_those_counted_are_one)
{
    warp w;
    warp_start(&w);
    for (int i = 0; i < 12; i++) {
        memory(&w, WM_KIND_ASYNC_COPY, 255, 255, 1, 1);
        wm_distil_commit(w.distil);
    }
    wm_use depbar = use_of(255, 255, 255, 4);
    depbar.awaits_copies = 4;
    cr_assert(wm_distil_pass(w.distil, &w.cta, &depbar));
    cr_assert_eq(store(&w, 255)->wait, 0xff0);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, nothing_is_joined_when_all_is_kept)
{
    warp w;
    warp_start(&w);
    w.distil->keeps_all = true;
    load(&w, 1);
    load(&w, 2);
    w.distil->static_id = 77;
    alu(&w, 3, 1, 255);
    alu(&w, 4, 2, 255);
    alu(&w, 5, 4, 255);
    wm_record *last = store(&w, 255);
    cr_assert_eq(w.cta.n_records, 6);
    const wm_record *r = &last[-3];
    cr_assert_eq(r[0].kind, WM_KIND_GAP);
    cr_assert_eq(r[0].static_id, 77);
    cr_assert_eq(r[0].wait, 2);
    cr_assert_eq(r[0].tail_slots, 1);
    cr_assert_eq(r[1].wait, 1);
    cr_assert_eq(r[2].wait, 0);
    cr_assert_eq(r[2].head_cycles, 4);
    cr_assert_eq(r[2].head_slots, 1);
    cr_assert_eq(last->head_slots, 0);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, all_parts_of_a_split_load_are_waited_for)
{
    warp w;
    warp_start(&w);
    wm_record parts[2] = {{.kind = WM_KIND_GLOBAL_LOAD, .mask = 1},
                          {.kind = WM_KIND_SHARED_LOAD, .mask = 2}};
    wm_use use = use_of(7, 255, 255, 4);
    cr_assert(wm_distil_record(w.distil, &w.cta, &use, parts, 2));
    load(&w, 1);
    cr_assert_eq(store(&w, 7)->wait, 6);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, a_load_more_than_32_loads_old_is_taken_for_the_32nd)
{
    warp w;
    warp_start(&w);
    load(&w, 100);
    for (int i = 0; i < 40; i++) {
        load(&w, i);
    }
    cr_assert_eq(store(&w, 100)->wait, UINT32_C(1) << 31);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}

Test(distil, long_gaps_take_gap_records_and_lose_nothing)
{
    warp w;
    uint64_t n_slots = 0;
    warp_start(&w);
    for (int i = 0; i < 200000; i++) {
        alu(&w, 255, 255, 255);
    }
    load(&w, 1);
    alu(&w, 2, 1, 255);
    for (int i = 0; i < 99999; i++) {
        alu(&w, 255, 255, 255);
    }
    warp_end(&w);
    uint32_t n_waits = 0;
    for (size_t i = 0; i < w.cta.n_records; i++) {
        const wm_record *r = &w.cta.records[i];
        cr_assert_geq(r->head_cycles, r->head_slots);
        cr_assert_geq(r->tail_cycles, r->tail_slots);
        n_slots += r->head_slots + r->tail_slots;
        n_waits += r->wait != 0;
    }
    cr_assert_eq(n_slots, 300000);
    cr_assert_eq(n_waits, 1);
    cr_assert_eq(w.cta.records[w.cta.n_records - 1].kind, WM_KIND_EXIT);
    wm_cta_fini(&w.cta);
}

Test(distil, a_new_warp_knows_nothing_of_the_last)
{
    warp w;
    warp_start(&w);
    load(&w, 1);
    alu(&w, 2, 255, 255);
    cr_assert(wm_distil_finish(w.distil, &w.cta, 0));
    wm_distil_start(w.distil);
    alu(&w, 3, 1, 2);
    const wm_record *r = store(&w, 255);
    cr_assert_eq(r->wait, 0);
    cr_assert_eq(r->head_cycles, 1);
    warp_end(&w);
    wm_cta_fini(&w.cta);
}
