/*
 * whole_config.c -- a legal configuration from the fuzzer's bytes: every key
 * over its range, small enough for a thousand runs a second where only time and
 * memory hang on it (SMs, slices, sets).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whole.h"

#define SETS_MAX  128u
#define SET_BYTES 96u

typedef struct maker {
    whole_bytes *from;
    bool is_wide;   /* times over all of their range */
    bool is_roomy;  /* many CTAs on an SM, so that threads have work */
    bool is_plain;  /* lines and coalescer as they are today: the short ways */
    bool is_banked; /* every command of simulated time costs host time */
    char text[SETS_MAX][SET_BYTES];
    const char *set[SETS_MAX];
    uint32_t n;
} maker;

static void set_text(maker *m, const char *key, const char *value)
{
    if (m->n == SETS_MAX) {
        fuzz_fail("%s=%s: no room", key, value);
    }
    const int n = snprintf(m->text[m->n], SET_BYTES, "%s=%s", key, value);
    if (n < 0 || n >= (int)SET_BYTES) {
        fuzz_fail("%s=%s: too long", key, value);
    }
    m->set[m->n] = m->text[m->n];
    m->n++;
}

static void set_number(maker *m, const char *key, uint64_t value,
                       const char *unit)
{
    char text[48];
    (void)snprintf(text, sizeof(text), "%" PRIu64 "%s", value, unit);
    set_text(m, key, text);
}

static uint64_t choose(maker *m, const char *key, uint64_t least, uint64_t most,
                       const char *unit)
{
    const uint64_t value = whole_range(m->from, least, most);
    set_number(m, key, value, unit);
    return value;
}

static const char *choose_word(maker *m, const char *key,
                               const char *const *words, uint32_t n)
{
    const char *word = words[whole_below(m->from, n)];
    set_text(m, key, word);
    return word;
}

/* A number of cycles or picoseconds: all of its range, or its near end. */
static uint64_t choose_time(maker *m, const char *key, uint64_t least,
                            uint64_t most, const char *unit)
{
    const uint64_t near = least + (unit[0] == ' ' ? 60000 : 300);
    return choose(m, key, least, m->is_wide || near > most ? most : near, unit);
}

#define WORDS(m, key, ...)                                                     \
    choose_word((m), (key), (const char *const[]){__VA_ARGS__},                \
                sizeof((const char *const[]){__VA_ARGS__}) /                   \
                    sizeof(const char *))

/* Thousandths of bytes per cycle. */
static void choose_per_clock(maker *m, const char *key)
{
    char text[48];
    const uint64_t x = whole_range(m->from, 1000, 1024000);
    (void)snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64 " B/clk",
                   x / 1000, x % 1000);
    set_text(m, key, text);
}

/* A policy and ways that it can rank. */
static uint64_t choose_ways(maker *m, const char *policy_key,
                            const char *ways_key)
{
    const char *policy =
        WORDS(m, policy_key, "lru", "fifo", "plru", "srrip", "random", "aged");
    uint64_t ways = whole_range(m->from, 1, 40);
    if (strcmp(policy, "plru") == 0) {
        ways = UINT64_C(1) << whole_below(m->from, 6);
    }
    set_number(m, ways_key, ways, "");
    return ways;
}

static void make_sm(maker *m)
{
    if (m->is_roomy) { /* the defaults */
        (void)choose(m, "sm.count", 2, 5, "");
        (void)choose(m, "sm.clock", 800000000, 2000000000, " Hz");
        (void)choose(m, "sm.schedulers", 1, 16, "");
        (void)choose(m, "sm.lsu_queue", 1, 256, "");
        return;
    }
    (void)choose(m, "sm.count", 1, 4, "");
    (void)choose(m, "sm.clock", m->is_wide ? 1000000 : 800000000,
                 UINT64_C(20000000000), " Hz");
    const uint64_t n_warps = choose(m, "sm.max_warps", 1, 64, "");
    const uint64_t n_threads = n_warps * 64 < 4096 ? n_warps * 64 : 4096;
    (void)choose(m, "sm.max_ctas", 1, 64, "");
    (void)choose(m, "sm.max_threads", 32, n_threads, "");
    (void)choose(m, "sm.registers", 1024, 1048576, "");
    (void)choose(m, "sm.schedulers", 1, 16, "");
    (void)choose(m, "sm.lsu_lanes", 1, 64, "");
    (void)choose(m, "sm.lsu_queue", 1, 256, "");
}

/* Where L1 and shared memory are one array it holds both at their largest. */
static void make_shared(maker *m, uint64_t l1_bytes)
{
    const bool is_unified = whole_below(m->from, 2) == 1;
    const uint64_t size =
        choose(m, "shared.size", m->is_roomy ? 1 << 17 : 0, 1 << 18, " B");
    uint64_t largest = size;
    if (!m->is_plain) {
        (void)WORDS(m, "shared.bank_width", "4 B", "8 B");
        (void)choose(m, "shared.banks", 1, 64, "");
    }
    (void)choose_time(m, "shared.latency", 1, 1000000, "");
    (void)choose(m, "shared.reserved", 0, 65536, " B");
    if (whole_below(m->from, 2) == 1) {
        char text[64];
        const uint64_t half = size / 2;
        largest = size + whole_byte(m->from) * 64;
        (void)snprintf(text, sizeof(text),
                       half < largest ? "[%" PRIu64 " B, %" PRIu64 " B]"
                                      : "[%" PRIu64 " B]",
                       half, largest);
        set_text(m, "shared.carveouts", text);
    }
    if (is_unified) {
        const uint64_t least = largest > l1_bytes ? largest : l1_bytes;
        (void)choose(m, "l1.unified", least, least + (1 << 16), " B");
    }
}

static void make_latencies(maker *m)
{
    const uint64_t ask =
        choose_time(m, "fabric.request_latency", 1, 1000000, "");
    const uint64_t reply =
        choose_time(m, "fabric.response_latency", 1, 1000000, "");
    const uint64_t l2 =
        choose_time(m, "l2.latency", ask + reply + 1, 10000000, "");
    (void)choose_time(m, "l1.latency", 1, l2 < 1000000 ? l2 : 1000000, "");
    (void)choose_time(m, "l2.far_latency", 0, 10000000, "");
    choose_per_clock(m, "fabric.sm_bandwidth");
    choose_per_clock(m, "fabric.request_bandwidth");
}

static void make_coalescer(maker *m, uint64_t line, uint64_t sector)
{
    (void)WORDS(m, "coalescer.mode", "sector", "line", "segment");
    set_number(m, "coalescer.segment", whole_below(m->from, 2) ? line : sector,
               " B");
    (void)WORDS(m, "coalescer.split", "0", "2", "4", "8", "16", "32");
    (void)WORDS(m, "coalescer.store_split", "0", "2", "4", "8", "16", "32");
}

static void make_caches(maker *m)
{
    const uint64_t line =
        m->is_plain ? 128 : UINT64_C(32) << whole_below(m->from, 3);
    uint64_t sector =
        m->is_plain ? 32 : UINT64_C(32) << whole_below(m->from, 3);
    sector = sector < line ? sector : line;
    set_number(m, "l1.line", line, " B");
    set_number(m, "l2.line", line, " B");
    set_number(m, "l1.sector", sector, " B");
    set_number(m, "l2.sector", sector, " B");
    (void)WORDS(m, "l1.enabled", "true", "true", "true", "false");
    const uint64_t ways = choose_ways(m, "l1.policy", "l1.ways");
    const uint64_t sets = choose(m, "l1.sets", 1, 64, "");
    (void)choose(m, "l1.mshrs", 1, 65536, "");
    (void)WORDS(m, "l1.hash", "none", "xor");
    (void)choose(m, "l1.tag_banks", 1, 64, "");
    (void)WORDS(m, "l1.lookup", "warp", "warp", "warp", "quads");
    (void)WORDS(m, "l1.write", "through", "allocate", "evict");
    make_shared(m, ways * sets * line);
    const uint64_t halves = choose(m, "l2.partitions", 1, 2, "");
    set_number(m, "l2.slices", halves * whole_range(m->from, 1, 5), "");
    (void)choose_ways(m, "l2.policy", "l2.ways");
    (void)choose(m, "l2.sets", 1, 64, "");
    (void)choose(m, "l2.mshrs", 1, 65536, "");
    set_number(m, "l2.interleave", line * whole_range(m->from, 1, 1 << 20),
               " B");
    (void)WORDS(m, "l2.hash", "none", "xor", "drawn");
    choose_per_clock(m, "l2.bandwidth");
    uint64_t fetch = UINT64_C(1) << whole_below(m->from, 3);
    fetch = fetch * sector <= line ? fetch : 1;
    set_number(m, "l2.fetch", fetch, "");
    (void)WORDS(m, "l2.write", "back", "through");
    (void)choose_time(m, "l2.atomic_cycles", 0, 100000, "");
    if (!m->is_plain) {
        make_coalescer(m, line, sector);
    }
    set_number(m, "dram.row", line * whole_range(m->from, 1, (1 << 20) / line),
               " B");
}

static void make_simple(maker *m)
{
    const uint64_t latency =
        choose_time(m, "dram.latency", 0, 1000000000, " ps");
    (void)choose_time(m, "dram.row_miss", 0, latency, " ps");
    (void)choose(m, "dram.bandwidth",
                 m->is_wide ? 1000000 : UINT64_C(10000000000),
                 UINT64_C(1000000000000000), " B/s");
    (void)choose(m, "dram.banks", 1, 1024, "");
    (void)choose_time(m, "dram.bank_cycle", 0, 1000000000, " ps");
    (void)choose_time(m, "dram.activate_interval", 0, 1000000000, " ps");
    (void)choose_time(m, "dram.turnaround", 0, 1000000000, " ps");
    (void)choose(m, "dram.read_share", m->is_wide ? 1 : 200, 1000, "");
    (void)choose(m, "dram.write_share", m->is_wide ? 1 : 200, 1000, "");
    (void)choose(m, "dram.row_window", 0, 65536, "");
    (void)choose(m, "dram.write_behind", 1, 65536, "");
    (void)choose(m, "dram.write_batch", 1, 4096, "");
}

/* A standard at a clock near its own. */
static void make_banked(maker *m, uint64_t n_channels)
{
    static const struct {
        const char *name;
        uint64_t channel_mb; /* per second, about */
    } standards[] = {{"ddr4", 25600},  {"ddr5", 19200},   {"gddr5", 32000},
                     {"gddr6", 28000}, {"gddr6x", 38000}, {"hbm2", 28000},
                     {"hbm2e", 32000}, {"hbm3", 40000},   {"hbm3e", 60000},
                     {"lpddr5", 12800}};
    const uint32_t which = whole_below(m->from, 10);
    const uint64_t share = 40 + whole_below(m->from, 100); /* percent */
    const uint64_t latency =
        choose_time(m, "dram.latency", 0, 1000000000, " ps");
    (void)choose_time(m, "dram.row_miss", 0, latency, " ps");
    set_text(m, "dram.model", "banked");
    set_text(m, "dram.standard", standards[which].name);
    set_number(m, "dram.bandwidth",
               standards[which].channel_mb * n_channels * share / 100, "MB/s");
    (void)WORDS(m, "dram.mapping", "gpu", "mop4clxor", "robaracoch",
                "standard");
    (void)WORDS(m, "dram.scheduler", "frfcfs", "frfcfs_rowhit");
    (void)WORDS(m, "dram.page", "open", "closed", "timeout");
    (void)choose_time(m, "dram.page_timeout", 0, 1000000000, " ps");
    (void)choose(m, "dram.hit_cap", 0, 1000000, "");
    (void)WORDS(m, "dram.refresh", "all_bank", "none", "per_bank", "none");
    (void)choose(m, "dram.read_queue", 1, 512, "");
    const uint64_t queue = choose(m, "dram.write_queue", 1, 512, "");
    const uint64_t high = choose(m, "dram.write_high", 1, queue, "");
    (void)choose(m, "dram.write_low", 1, high, "");
}

static void make_rest(maker *m)
{
    const uint64_t n_channels = choose(m, "dram.channels", 1, 6, "");
    if (m->is_banked) {
        make_banked(m, n_channels);
    } else {
        make_simple(m);
    }
    const uint64_t page = UINT64_C(4096) << whole_below(m->from, 19);
    set_number(m, "tlb.page", page, " B");
    set_number(m, "tlb.reach", /* each page takes memory */
               whole_range(m->from, 0, 300) * page + whole_byte(m->from) % 8,
               " B");
    (void)choose_time(m, "tlb.latency", 0, 1000000, "");
    (void)WORDS(m, "kernel.l1_between", "invalidate", "keep");
    (void)WORDS(m, "kernel.l2_between", "keep", "invalidate", "flush");
    (void)choose_time(m, "kernel.launch_latency", 0, 100000000, "");
    /* Short ones make short windows, many of them. */
    (void)choose_time(m, "kernel.cta_latency",
                      whole_below(m->from, 8) == 0 ? 1 : 60, 1000000, "");
    (void)WORDS(m, "memcpy.l2", "fill", "ignore");
    (void)choose(m, "memcpy.share", 1, 100, "");
}

wm_config_set *whole_config(whole_bytes *from, bool *is_wide)
{
    static char base[FUZZ_PATH_BYTES];
    static maker m;
    wm_config_set *config = NULL;
    wm_error err;
    m.from = from;
    m.n = 0;
    const uint32_t kind = whole_below(from, 6);
    m.is_banked = kind < 2;
    m.is_wide = *is_wide = kind == 5;
    const uint32_t bits = whole_byte(from);
    m.is_roomy = !m.is_wide && bits % 2 == 1;
    m.is_plain = bits / 2 % 2 == 1;
    make_sm(&m);
    make_caches(&m);
    make_latencies(&m);
    make_rest(&m);
    if (getenv("FUZZ_SHOW") != NULL) { /* to see what an input says */
        for (uint32_t i = 0; i < m.n; i++) {
            (void)fprintf(stderr, "-s %s\n", m.set[i]);
        }
    }
    fuzz_put("base.yaml", "sm: {count: 1}\n", 15, base);
    if (wm_config_load(base, m.set, m.n, &config, &err) != WM_OK) {
        fuzz_fail("a legal configuration is refused: %s", err.text);
    }
    return config;
}
