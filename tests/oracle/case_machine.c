/*
 * case_machine.c -- a random configuration.  Keys that decide counts are kept
 * as numbers too; keys that decide time alone are drawn and forgotten.
 *
 * Left as tests/data/ref.yaml has them: sm.fp32_lanes and fp64_lanes (the
 * report's roofline), dram.standard and mapping (tests/dram holds the banked
 * model to a naive controller), l1.size and l2.size (derived from the sets),
 * l1.lookup and l2.hash's "drawn" (an MI210's; fuzz target `whole` has them).
 */
#include "case.h"

#include <inttypes.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

void case_set(oracle_case *c, const char *key, uint64_t value, const char *unit)
{
    char *text = c->sets[c->n_sets];
    (void)snprintf(text, sizeof(c->sets[0]), "%s=%" PRIu64 "%s%s", key, value,
                   unit[0] != '\0' ? " " : "", unit);
    c->set[c->n_sets++] = text;
}

static uint64_t set_word(oracle_case *c, const char *key,
                         const char *const *words, uint64_t n)
{
    const uint64_t chosen = case_below(c, n);
    char *text = c->sets[c->n_sets];
    (void)snprintf(text, sizeof(c->sets[0]), "%s=%s", key, words[chosen]);
    c->set[c->n_sets++] = text;
    return chosen;
}

/* A number from..to. */
static uint64_t set_number(oracle_case *c, const char *key, uint64_t from,
                           uint64_t to, const char *unit)
{
    const uint64_t value = from + case_below(c, to - from + 1);
    case_set(c, key, value, unit);
    return value;
}

/* One of 1, 2, 4 ... 2^(n - 1) times the unit. */
static uint64_t set_power(oracle_case *c, const char *key, uint64_t least,
                          uint64_t n, const char *unit)
{
    const uint64_t value = least << case_below(c, n);
    case_set(c, key, value, unit);
    return value;
}

static bool set_chance(oracle_case *c, const char *key, const char *no,
                       const char *yes)
{
    const char *const words[] = {no, yes};
    return set_word(c, key, words, 2) == 1;
}

/* --- what counts ---------------------------------------------------------- */
static void machine_cache(oracle_case *c, const char *level, case_cache *cache)
{
    static const char *const policies[] = {"lru",   "fifo",   "plru",
                                           "srrip", "random", "aged"};
    char key[32];
    (void)snprintf(key, sizeof(key), "%s.policy", level);
    cache->policy = (case_policy)set_word(c, key, policies, N(policies));
    (void)snprintf(key, sizeof(key), "%s.hash", level);
    cache->is_hashed = set_chance(c, key, "none", "xor");
    (void)snprintf(key, sizeof(key), "%s.ways", level);
    /* Rows of ranks change form at 16 and at 256 ways. */
    if (cache->policy == PLRU) {
        cache->ways = set_power(c, key, 1, 6, "");
    } else if (case_below(c, 40) == 0) {
        cache->ways = set_number(c, key, 17, 300, "");
    } else {
        cache->ways = set_number(c, key, 1, 1 + case_below(c, 20), "");
    }
    (void)snprintf(key, sizeof(key), "%s.sets", level);
    cache->sets = set_number(c, key, 1, 1 + case_below(c, 8), "");
}

static void machine_caches(oracle_case *c)
{
    static const char *const writes[] = {"through", "allocate", "evict"};
    case_machine *m = &c->machine;
    m->line = 32u << case_below(c, 3);
    do {
        m->sector = 32u << case_below(c, 3);
    } while (m->sector > m->line);
    case_set(c, "l1.line", m->line, "B");
    case_set(c, "l2.line", m->line, "B");
    case_set(c, "l1.sector", m->sector, "B");
    case_set(c, "l2.sector", m->sector, "B");
    machine_cache(c, "l1", &m->l1);
    machine_cache(c, "l2", &m->l2);
    m->is_l1_on = case_below(c, 12) != 0;
    c->set[c->n_sets++] = m->is_l1_on ? "l1.enabled=true" : "l1.enabled=false";
    m->l1_write = (case_l1_write)set_word(c, "l1.write", writes, 3);
    m->tag_banks = case_below(c, 2) != 0
                       ? set_power(c, "l1.tag_banks", 1, 7, "")
                       : set_number(c, "l1.tag_banks", 1, 64, "");
    m->halves = set_number(c, "l2.partitions", 1, 1 + case_below(c, 2), "");
    m->slices = m->halves * (1 + case_below(c, 5));
    case_set(c, "l2.slices", m->slices, "");
    m->interleave = m->line * (1 + case_below(c, 4));
    case_set(c, "l2.interleave", m->interleave, "B");
    do {
        m->fetch = 1u << case_below(c, 3);
    } while (m->fetch * m->sector > m->line);
    case_set(c, "l2.fetch", m->fetch, "");
    m->is_l2_through = set_chance(c, "l2.write", "back", "through");
}

/* A unified array, and which parts of it shared memory may take. */
static void machine_unified(oracle_case *c)
{
    case_machine *m = &c->machine;
    const uint64_t l1_bytes = m->l1.sets * m->l1.ways * m->line;
    m->unified = 0;
    if (case_below(c, 3) == 0) {
        m->unified = l1_bytes + case_below(c, 2 * l1_bytes);
    }
    case_set(c, "l1.unified", m->unified, "B");
    m->shared =
        m->unified != 0 ? case_below(c, m->unified + 1) : case_below(c, 8192);
    case_set(c, "shared.size", m->shared, "B");
    m->shared_reserved = set_number(c, "shared.reserved", 0, 64, "B");
    m->n_carveouts = 0;
    if (m->unified != 0 && case_below(c, 2) != 0) {
        m->carveout[0] = 0;
        m->carveout[1] = m->shared / 2 + 1;
        m->carveout[2] = m->unified;
        m->n_carveouts = m->shared / 2 + 1 < m->unified ? 3 : 0;
    }
    char *text = c->sets[c->n_sets];
    if (m->n_carveouts != 0) {
        (void)snprintf(text, sizeof(c->sets[0]),
                       "shared.carveouts=0 %" PRIu64 " %" PRIu64 " B",
                       m->carveout[1], m->carveout[2]);
        c->set[c->n_sets++] = text;
    }
}

static void machine_front(oracle_case *c)
{
    static const char *const modes[] = {"sector", "line", "segment"};
    case_machine *m = &c->machine;
    m->mode = BY_SECTOR;
    if (case_below(c, 2) != 0) {
        m->mode = (case_mode)set_word(c, "coalescer.mode", modes, 3);
    }
    do {
        m->segment = 32u << case_below(c, 3);
    } while (m->segment > m->line || m->segment < m->sector);
    case_set(c, "coalescer.segment", m->segment, "B");
    m->split = case_below(c, 3) == 0 ? 2u << case_below(c, 5) : 0;
    m->store_split = case_below(c, 4) == 0 ? 2u << case_below(c, 5) : 0;
    case_set(c, "coalescer.split", m->split, "");
    case_set(c, "coalescer.store_split", m->store_split, "");
    m->banks = case_below(c, 2) != 0 ? set_power(c, "shared.banks", 1, 7, "")
                                     : set_number(c, "shared.banks", 1, 64, "");
    m->bank_width = set_power(c, "shared.bank_width", 4, 2, "B");
}

static void machine_places(oracle_case *c)
{
    static const char *const between[] = {"keep", "invalidate", "flush"};
    case_machine *m = &c->machine;
    m->n_sms = set_number(c, "sm.count", 1, 1 + case_below(c, 5), "");
    m->max_warps = set_number(c, "sm.max_warps", 1, 64, "");
    m->max_ctas = set_number(c, "sm.max_ctas", 1, 6, "");
    m->max_threads = 32 + case_below(c, m->max_warps * 64 - 31);
    case_set(c, "sm.max_threads", m->max_threads, "");
    m->registers = set_power(c, "sm.registers", 1024, 8, "");
    m->is_l1_kept = set_chance(c, "kernel.l1_between", "invalidate", "keep");
    m->l2_between = (case_between)set_word(c, "kernel.l2_between", between, 3);
    m->is_copied = set_chance(c, "memcpy.l2", "ignore", "fill");
    m->copy_share =
        set_number(c, "memcpy.share", case_below(c, 2) != 0 ? 100 : 1, 100, "");
}

/* --- what only takes time ------------------------------------------------- */
static void time_sms(oracle_case *c)
{
    (void)set_power(c, "sm.schedulers", 1, 5, "");
    (void)set_number(c, "sm.lsu_lanes", 1, 64, "");
    (void)set_number(c, "sm.lsu_queue", 1, 1 + case_below(c, 20), "");
    (void)set_number(c, "sm.clock", 100, 3000, "MHz");
    (void)set_number(c, "l1.mshrs", 1, 1 + case_below(c, 64), "");
    (void)set_number(c, "shared.latency", 1, 100, "");
    (void)set_number(c, "kernel.launch_latency", 0, 1000, "");
    (void)set_number(c, "kernel.cta_latency", 1, 300, "");
    const uint64_t request = set_number(c, "fabric.request_latency", 1, 99, "");
    const uint64_t reply = set_number(c, "fabric.response_latency", 1, 99, "");
    const uint64_t l2 = request + reply + 1 + case_below(c, 300);
    case_set(c, "l2.latency", l2, "");
    (void)set_number(c, "l1.latency", 1, l2, "");
    (void)set_number(c, "l2.far_latency", 0, 300, "");
    (void)set_number(c, "l2.atomic_cycles", 0, 20, "");
    (void)set_number(c, "l2.mshrs", 1, 1 + case_below(c, 64), "");
    (void)set_number(c, "l2.bandwidth", 1, 128, "B/clk");
    (void)set_number(c, "fabric.sm_bandwidth", 1, 128, "B/clk");
    (void)set_number(c, "fabric.request_bandwidth", 1, 128, "B/clk");
    (void)set_number(c, "tlb.reach", 0, case_below(c, 2) * 65536, "B");
    (void)set_power(c, "tlb.page", 4096, 3, "B");
    (void)set_number(c, "tlb.latency", 0, 500, "");
}

static void time_dram(oracle_case *c)
{
    static const char *const pages[] = {"open", "closed", "timeout"};
    static const char *const refresh[] = {"all_bank", "per_bank", "none"};
    const uint64_t channels = set_number(c, "dram.channels", 1, 6, "");
    /* The standard's clock follows from it: 1 to 2 GHz of HBM2. */
    case_set(c, "dram.bandwidth", channels * (16 + case_below(c, 16)), "GB/s");
    case_set(c, "dram.row", c->machine.line << case_below(c, 6), "B");
    (void)set_number(c, "dram.banks", 1, 32, "");
    (void)set_number(c, "dram.row_miss", 0, 40, "ns");
    (void)set_number(c, "dram.latency", 40, 400, "ns");
    (void)set_number(c, "dram.bank_cycle", 0, 80, "ns");
    (void)set_number(c, "dram.activate_interval", 0, 8, "ns");
    (void)set_number(c, "dram.turnaround", 0, 30, "ns");
    (void)set_number(c, "dram.read_share", 500, 1000, "");
    (void)set_number(c, "dram.write_share", 500, 1000, "");
    (void)set_number(c, "dram.row_window", 0, 64, "");
    (void)set_number(c, "dram.write_behind", 1, 300, "");
    (void)set_number(c, "dram.write_batch", 1, 64, "");
    if (case_below(c, 4) != 0) {
        return;
    }
    c->set[c->n_sets++] = "dram.model=banked";
    (void)set_chance(c, "dram.scheduler", "frfcfs", "frfcfs_rowhit");
    (void)set_word(c, "dram.page", pages, 3);
    (void)set_number(c, "dram.page_timeout", 1, 300, "ns");
    (void)set_number(c, "dram.hit_cap", 0, 8, "");
    (void)set_word(c, "dram.refresh", refresh, 3);
    (void)set_number(c, "dram.read_queue", 1, 64, "");
    const uint64_t queue = set_number(c, "dram.write_queue", 2, 64, "");
    const uint64_t high = 1 + case_below(c, queue);
    case_set(c, "dram.write_high", high, "");
    (void)set_number(c, "dram.write_low", 1, high, "");
}

void case_machine_new(oracle_case *c)
{
    machine_caches(c);
    machine_unified(c);
    machine_front(c);
    machine_places(c);
    time_sms(c);
    time_dram(c);
}
