/*
 * test_dram_closed.c -- the banked model against what a pencil says: peak, tRC,
 * rate of activates, refresh, unloaded latency; and what must always hold.
 */
#include <criterion/criterion.h>

#include "replay_fixture.h"

typedef struct closed_source {
    uint64_t index, count;
    uint64_t step; /* address of request i: (i mod wrap) * step */
    uint64_t wrap;
    uint64_t gap; /* ticks between due times */
} closed_source;

static wm_status closed_next(void *context, wm_replay_request *requests,
                             size_t n_wanted, size_t *n_made, wm_error *err)
{
    closed_source *source = context;
    (void)err;
    for (*n_made = 0; *n_made < n_wanted && source->index < source->count;
         ++*n_made) {
        wm_replay_request *request = &requests[*n_made];
        request->addr = source->index % source->wrap * source->step;
        request->due = source->index * source->gap;
        request->is_write = false;
        source->index++;
    }
    return WM_OK;
}

static wm_replay_params closed_params(const wm_standard *standard,
                                      const char *mapping,
                                      wm_dram_refresh refresh)
{
    wm_replay_params params = {.standard = standard,
                               .mapping = mapping,
                               .controller = replay_controller(),
                               .n_channels = 1,
                               .interleave_bytes = 256,
                               .request_bytes = standard->atom_bytes,
                               .jobs = 1};
    params.controller.read_queue = 256;
    params.controller.refresh = refresh;
    return params;
}

static wm_replay_result closed_run(const wm_replay_params *params,
                                   closed_source source)
{
    wm_replay *replay = NULL;
    wm_replay_result result;
    wm_error err;
    cr_assert_eq(wm_replay_new(params, &replay, &err), WM_OK, "%s", err.text);
    cr_assert_eq(wm_replay_run(replay, closed_next, &source, &result, &err),
                 WM_OK);
    wm_replay_free(replay);
    return result;
}

static void expect_near(double found, double wanted, double part,
                        const char *what)
{
    cr_expect(found > wanted * (1 - part) && found < wanted * (1 + part),
              "%s: %g, want %g", what, found, wanted);
}

/* A standard, its timing, and a controller for them. */
typedef struct closed_case {
    wm_standard *s;
    wm_dram_timing *t;
    wm_replay_params params;
} closed_case;

static closed_case closed_open(const char *name, const char *mapping,
                               wm_dram_refresh refresh)
{
    closed_case c;
    wm_error err;
    c.s = replay_standard(name);
    c.t = malloc(sizeof(*c.t));
    c.params = closed_params(c.s, mapping, refresh);
    cr_assert_eq(wm_dram_timing_init(c.t, c.s, &err), WM_OK);
    return c;
}

static void closed_close(closed_case *c)
{
    free(c->t);
    free(c->s);
}

static const char *const all[] = {"hbm2",  "hbm2e",  "hbm3",   "hbm3e", "gddr5",
                                  "gddr6", "gddr6x", "lpddr5", "ddr4",  "ddr5"};
#define N_ALL (sizeof(all) / sizeof(all[0]))

Test(dram_closed, hits_dealt_over_groups_reach_the_peak)
{
    for (size_t i = 0; i < N_ALL; i++) {
        wm_standard *s = replay_standard(all[i]);
        /* Where there are stacks, their bit above those of a row's columns: a
         * change of stack costs tCCD_R, and FR-FCFS does not avoid it. */
        const char *mapping =
            s->stack_ids > 1
                ? "bg 5 6; pc 7; column 8-12; bank 13 14; sid 15; row 16-"
                : "gpu";
        wm_replay_params params = closed_params(s, mapping, WM_REFRESH_NONE);
        /* One row of every bank, over and over. */
        const uint64_t row = s->row_bytes * wm_standard_n_banks(s);
        const wm_replay_result r =
            closed_run(&params, (closed_source){.count = 200000,
                                                .step = s->atom_bytes,
                                                .wrap = row / s->atom_bytes});
        const double slot = s->ticks[WM_T_CCD_S];
        const double per_stack =
            (double)(s->row_bytes / s->atom_bytes) * s->bank_groups * s->banks;
        const double change =
            s->stack_ids > 1 ? s->ticks[WM_T_CCD_R] - slot : 0;
        expect_near((double)r.n_requests * slot /
                        ((double)r.ticks * s->pseudo_channels),
                    1 / (1 + change / (slot * per_stack)), 0.005, all[i]);
        free(s);
    }
}

Test(dram_closed, one_bank_opens_a_row_per_trc)
{
    for (size_t i = 0; i < N_ALL; i++) {
        closed_case c = closed_open(all[i], "robaracoch", WM_REFRESH_NONE);
        const wm_standard *s = c.s;
        const wm_dram_timing *t = c.t;
        /* Rows of bank 0: the row is the highest field. */
        const wm_replay_result r = closed_run(
            &c.params,
            (closed_source){.count = 20000,
                            .step = s->row_bytes * wm_standard_n_banks(s),
                            .wrap = 1 << 20});
        int32_t cycle = t->act_rd + t->rd_pre;
        cycle = (cycle > t->act_pre ? cycle : t->act_pre) + t->pre_act;
        cycle = cycle > t->act_act ? cycle : t->act_act;
        expect_near((double)r.ticks / (double)r.n_requests, cycle, 0.005,
                    all[i]);
        closed_close(&c);
    }
}

/* On one bus a column of an open row goes before an ACT: with four ACTs in
 * period ticks, `apart` from each other, whether one of their columns needs the
 * tick of an ACT. */
static bool closed_collides(const wm_dram_timing *t, int32_t period,
                            int32_t apart)
{
    for (int32_t k = 0; k < 16; k++) {
        const int32_t late = (k / 4 - k % 4) * apart - t->act_rd;
        if ((late % period + period) % period < t->len_col) {
            return true;
        }
    }
    return false;
}

Test(dram_closed, closed_rows_are_bound_by_the_rate_of_activates)
{
    for (size_t i = 0; i < N_ALL; i++) {
        /* Pseudo-channels and banks in turn, a row of its own each time: the
         * column is the lowest field. */
        closed_case c = closed_open(all[i], "robaracoch", WM_REFRESH_NONE);
        const wm_dram_timing *t = c.t;
        c.params.controller.page = WM_PAGE_CLOSED;
        const wm_replay_result r =
            closed_run(&c.params, (closed_source){.count = 20000,
                                                  .step = c.s->row_bytes,
                                                  .wrap = UINT64_C(1) << 20});
        int32_t apart = t->act_refp_other + t->len_ref - t->len_act;
        apart += t->has_hbm3_edges ? apart & 1 : 0;
        int32_t period = t->faw > 4 * apart ? t->faw : 4 * apart;
        while (t->is_single_bus && closed_collides(t, period, apart)) {
            period++;
        }
        /* A command bus that pseudo-channels share may be slower. */
        const double bus = (double)t->len_act * t->n_pcs;
        const double pace = period / 4.0 > bus ? period / 4.0 : bus;
        expect_near((double)r.ticks * t->n_pcs /
                        (double)r.stats.n_commands[WM_DRAM_ACT],
                    pace, 0.005, all[i]);
        closed_close(&c);
    }
}

Test(dram_closed, a_refresh_costs_its_time_and_the_way_there_and_back)
{
    static const char *const one_pc[] = {"gddr5",  "gddr6", "gddr6x",
                                         "lpddr5", "ddr4",  "ddr5"};
    for (size_t i = 0; i < sizeof(one_pc) / sizeof(one_pc[0]); i++) {
        closed_case c =
            closed_open(one_pc[i], "mop4clxor", WM_REFRESH_ALL_BANK);
        const wm_standard *s = c.s;
        const wm_dram_timing *t = c.t;
        /* Atoms of one group's bank each: few rows to open again. */
        const wm_replay_result r = closed_run(
            &c.params, (closed_source){
                           .count = 400000, .step = s->atom_bytes, .wrap = 16});
        const double lost =
            1 - (double)r.n_requests * s->ticks[WM_T_CCD_S] / (double)r.ticks;
        const double share =
            (double)(t->rd_prea + t->prea_refa + t->refa_act + t->act_rd) /
            t->refi;
        cr_expect(lost > share - 0.005 && lost < share + 0.005,
                  "%s: %g lost, want %g", one_pc[i], lost, share);
        closed_close(&c);
    }
}

Test(dram_closed, every_interval_brings_a_refresh)
{
    for (size_t i = 0; i < N_ALL; i++) {
        wm_standard *s = replay_standard(all[i]);
        wm_replay_params params =
            closed_params(s, "mop4clxor", WM_REFRESH_ALL_BANK);
        const wm_replay_result r = replay_run(&params, "rand", 60000, 4096);
        const uint64_t due =
            s->pseudo_channels * (r.ticks / s->ticks[WM_T_REFI]);
        cr_expect_leq(r.stats.n_commands[WM_DRAM_REFA], due, "%s", all[i]);
        cr_expect_geq(r.stats.n_commands[WM_DRAM_REFA] + s->pseudo_channels,
                      due, "%s", all[i]);
        free(s);
    }
}

Test(dram_closed, a_lone_read_takes_activate_column_and_data)
{
    for (size_t i = 0; i < N_ALL; i++) {
        closed_case c = closed_open(all[i], "robaracoch", WM_REFRESH_NONE);
        const wm_dram_timing *t = c.t;
        const wm_replay_result r = closed_run(
            &c.params, (closed_source){.count = 1, .step = 0, .wrap = 1});
        /* On half ticks the column waits for its edge. */
        const uint64_t wanted =
            1 + (uint64_t)(t->act_rd + t->read_latency) +
            (t->has_hbm3_edges ? (uint64_t)(t->act_rd & 1) : 0);
        cr_expect_eq(r.stats.sum_latency, wanted, "%s: %lu, want %lu", all[i],
                     r.stats.sum_latency, wanted);
        closed_close(&c);
    }
}

Test(dram_closed, slower_cells_never_make_it_faster)
{
    static const char *const streams[] = {"rand", "gpu", "copy", "rmix"};
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        uint64_t before = 0;
        for (uint32_t trc = 48; trc <= 96; trc += 16) {
            wm_standard *s = replay_standard("hbm2");
            s->ticks[WM_T_RC] = trc;
            wm_replay_params params =
                closed_params(s, "mop4clxor", WM_REFRESH_ALL_BANK);
            const wm_replay_result r =
                replay_run(&params, streams[i], 40000, 0);
            cr_expect_geq(r.ticks * 1003 / 1000, before, "%s, tRC %u",
                          streams[i], trc);
            before = r.ticks;
            free(s);
        }
    }
}

Test(dram_closed, any_number_of_threads_and_channels_gives_one_answer)
{
    wm_standard *s = replay_standard("gddr6");
    const uint32_t channels[] = {1, 3, 8};
    for (size_t i = 0; i < 3; i++) {
        wm_replay_params params = closed_params(s, "gpu", WM_REFRESH_PER_BANK);
        params.n_channels = channels[i];
        params.is_hashed = true;
        const wm_replay_result one = replay_run(&params, "gpu", 30000, 500);
        params.jobs = 3;
        const wm_replay_result three = replay_run(&params, "gpu", 30000, 500);
        cr_expect_arr_eq(&one, &three, sizeof(one));
        cr_expect_eq(one.stats.n_reads + one.stats.n_writes, 30000);
    }
    free(s);
}
