/*
 * test_dram_golden.c -- the banked model against Ramulator 2.1, cell by cell.
 *
 * The numbers were measured with CMU-SAFARI/ramulator2@c5b1c3a on one channel:
 * its controllers with 32 + 32 entries, FRFCFS (or FRFCFS-RowHit), open rows,
 * all-bank refresh, MOP4CLXOR; up to four requests offered per tick, in order.
 * Bar: equal, latencies to two decimals.
 */
#include <criterion/criterion.h>

#include "replay_fixture.h"

typedef struct golden_row {
    const char *standard, *stream;
    uint64_t rate_q10; /* 0 = max, 2048 = 1/2, 4096 = 1/4 */
    uint64_t n_requests;
    bool is_hit_first;
    uint64_t cycles;
    uint64_t latency_x100, due_x100; /* due: 0 = not given */
    uint64_t n_hits, n_misses, n_conflicts;
    uint64_t n_reads; /* 0 = not given */
} golden_row;

/* clang-format off */
static const golden_row rows[] = {
    {"hbm2", "rand", 0, 60000, false, 199622, 13736, 0, 0, 1331, 58669, 0},
    {"hbm2", "rand", 2048, 60000, false, 199597, 13729, 3951605, 0, 1367, 58633, 0},
    {"hbm2", "rand", 4096, 60000, false, 240151, 9581, 13564, 0, 1763, 58237, 0},
    {"hbm2", "gpu", 0, 60000, false, 186648, 17720, 0, 8957, 4939, 46096, 0},
    {"hbm2", "gpu", 2048, 60000, false, 186698, 17715, 3372847, 8946, 5095, 45951, 0},
    {"hbm2", "gpu", 4096, 60000, false, 240011, 10782, 14037, 6854, 4059, 49084, 0},
    {"hbm2", "copy", 0, 60000, false, 129892, 16017, 0, 35626, 3807, 20553, 0},
    {"hbm2", "copy", 2048, 60000, false, 130245, 15919, 521952, 35563, 3718, 20711, 0},
    {"hbm2", "copy", 4096, 60000, false, 240035, 8824, 10431, 32362, 2453, 25177, 0},
    {"hbm2", "stride", 0, 60000, false, 201778, 13147, 0, 29828, 283, 29889, 0},
    {"hbm2", "stride", 2048, 60000, false, 201778, 13143, 4078281, 29828, 283, 29889, 0},
    {"hbm2", "stride", 4096, 60000, false, 240017, 7475, 11497, 29809, 403, 29788, 0},
    {"hbm2", "seq", 0, 60000, false, 68755, 5332, 0, 57397, 799, 1804, 0},
    {"hbm2", "seq", 2048, 60000, false, 120015, 3174, 5980, 57203, 1023, 1774, 0},
    {"hbm2", "seq", 4096, 60000, false, 240013, 3318, 4462, 56337, 1993, 1670, 0},
    {"hbm2", "rmix", 0, 60000, false, 217810, 26343, 0, 0, 6766, 53229, 0},
    {"hbm2", "rmix", 2048, 60000, false, 217683, 26314, 4892207, 1, 6882, 53113, 0},
    {"hbm2", "rmix", 4096, 60000, false, 240138, 18149, 23824, 0, 5168, 54828, 0},
    {"hbm2", "gpu", 0, 60000, true, 186648, 17711, 0, 9155, 4787, 46050, 0},
    {"hbm2", "stride", 0, 60000, true, 202234, 13168, 0, 29850, 276, 29874, 0},
    {"hbm2", "copy", 0, 60000, true, 129831, 16011, 0, 35695, 3796, 20495, 0},
    {"hbm3", "seq", 0, 40000, false, 96877, 12447, 0, 38272, 512, 1216, 40000},
    {"hbm3", "rand", 0, 40000, false, 277561, 32976, 0, 0, 1101, 38899, 40000},
    {"hbm3", "gpu", 0, 40000, false, 266457, 41680, 0, 7090, 4278, 28630, 26628},
    {"hbm3", "copy", 0, 40000, false, 236825, 44707, 0, 25078, 4114, 10805, 20000},
    {"hbm3", "rmix", 0, 40000, false, 315317, 61063, 0, 0, 6226, 33772, 20060},
    {"gddr6", "seq", 0, 40000, false, 99345, 10791, 0, 36725, 993, 2282, 40000},
    {"gddr6", "rand", 0, 40000, false, 481876, 44125, 0, 1, 1000, 38999, 40000},
    {"gddr6", "gpu", 0, 40000, false, 428225, 56625, 0, 5130, 4615, 30252, 26628},
    {"gddr6", "copy", 0, 40000, false, 184844, 33033, 0, 27050, 3215, 9732, 20000},
    {"gddr6", "rmix", 0, 40000, false, 487985, 83392, 0, 0, 6608, 33379, 20060},
};
/* clang-format on */

static uint64_t mean_x100(uint64_t sum, uint64_t n)
{
    return (sum * 100 + n / 2) / n;
}

static void golden_check(const golden_row *row)
{
    wm_standard *standard = replay_standard(row->standard);
    wm_replay_params params = {.standard = standard,
                               .mapping = "mop4clxor",
                               .controller = replay_controller(),
                               .n_channels = 1,
                               .interleave_bytes = 256,
                               .request_bytes = 32,
                               .jobs = 1};
    params.controller.is_hit_first = row->is_hit_first;
    const wm_replay_result result =
        replay_run(&params, row->stream, row->n_requests, row->rate_q10);
    const wm_banked_stats *s = &result.stats;
    const char *name = row->stream;
    cr_expect_eq(result.ticks, row->cycles, "%s %s: %lu ticks", row->standard,
                 name, result.ticks);
    cr_expect_eq(mean_x100(s->sum_latency, s->n_completed), row->latency_x100,
                 "%s %s: latency", row->standard, name);
    if (row->due_x100 != 0) {
        cr_expect_eq(mean_x100(s->sum_due, s->n_completed), row->due_x100,
                     "%s %s: end to end", row->standard, name);
    }
    cr_expect_eq(s->n_hits, row->n_hits, "%s %s", row->standard, name);
    cr_expect_eq(s->n_misses, row->n_misses, "%s %s", row->standard, name);
    cr_expect_eq(s->n_conflicts, row->n_conflicts, "%s %s", row->standard,
                 name);
    cr_expect_eq(s->n_reads + s->n_writes, row->n_requests);
    if (row->n_reads != 0) {
        cr_expect_eq(s->n_reads, row->n_reads);
    }
    free(standard);
}

Test(dram_golden, hbm2_hbm3_and_gddr6_equal_ramulator_in_all_31_rows)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        golden_check(&rows[i]);
    }
}

Test(dram_golden, shares_of_the_data_bus_sum_to_the_time)
{
    wm_standard *standard = replay_standard("hbm2");
    wm_replay_params params = {.standard = standard,
                               .mapping = "mop4clxor",
                               .controller = replay_controller(),
                               .n_channels = 1,
                               .interleave_bytes = 256,
                               .request_bytes = 32,
                               .jobs = 1};
    const wm_replay_result result = replay_run(&params, "gpu", 20000, 4096);
    uint64_t sum = 0;
    for (int i = 0; i < WM_LOSS_COUNT; i++) {
        sum += result.stats.lost[i];
    }
    /* Each of the two pseudo-channels may be cut in the middle of a wait. */
    cr_expect_leq(sum, 2 * (result.ticks + 2));
    cr_expect_geq(sum, 2 * (result.ticks - 500));
    free(standard);
}

/* --- the streams ---------------------------------------------------------- */
static uint64_t stream_fnv(const char *name, uint64_t n, uint64_t *n_writes)
{
    wm_traffic stream;
    uint64_t hash = UINT64_C(14695981039346656037);
    *n_writes = 0;
    wm_traffic_init(&stream, replay_pattern(name), 32);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t record = wm_traffic_next(&stream);
        *n_writes += record & 1;
        for (int b = 0; b < 8; b++) {
            hash ^= record >> (8 * b) & 255;
            hash *= UINT64_C(1099511628211);
        }
    }
    return hash;
}

Test(dram_golden, streams_are_those_the_numbers_were_measured_with)
{
    static const struct {
        const char *name;
        uint64_t n_writes, first_1000, first_40000, first_60000;
    } checks[] = {
        {"rand", 0, 0xae1f108506ad42fd, 0x4119bc99602370a6, 0xaed83eb8dd79f945},
        {"gpu", 19740, 0xef7291c75c5a83f5, 0x328f36241b8a501d,
         0x431a63e1e3a34cd5},
        {"copy", 30000, 0x0ab86a4663c75595, 0xf066f0b3b25b6a25,
         0x9d27cd2a2c7d4855},
        {"stride", 0, 0xa32df4e243df9f25, 0x9e1846f9cce29225,
         0x207e3df2b148a665},
        {"seq", 0, 0x2cea90086cea7b25, 0x6e887b2a65f88ee5, 0x66e05f3ce1f311c5},
        {"rmix", 29980, 0x116f1b4a3974e0d8, 0x78201f12cfaf456e,
         0x0a7c50c02ad2cd4a},
    };
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        uint64_t n = 0;
        cr_expect_eq(stream_fnv(checks[i].name, 1000, &n), checks[i].first_1000,
                     "%s", checks[i].name);
        cr_expect_eq(stream_fnv(checks[i].name, 40000, &n),
                     checks[i].first_40000);
        cr_expect_eq(stream_fnv(checks[i].name, 60000, &n),
                     checks[i].first_60000);
        cr_expect_eq(n, checks[i].n_writes);
    }
}
