/*
 * test_coalescer_property.c -- random warps against a model that only keeps
 * a set of bytes for each line.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/rng.h"
#include "config/config.h"
#include "model/coalescer/coalescer.h"
#include "random_access.h"

typedef struct naive_entry {
    uint64_t line;
    uint32_t group;
    bool byte[128];
} naive_entry;

typedef struct naive_result {
    uint32_t n;
    naive_entry entry[WM_LINES_MAX];
} naive_result;

static void naive_add(naive_result *naive, uint32_t group, uint64_t address,
                      uint32_t line_bytes)
{
    uint64_t line = address / line_bytes;
    uint32_t i = naive->n;
    while (i > 0 && (naive->entry[i - 1].line != line ||
                     naive->entry[i - 1].group != group)) {
        i--;
    }
    if (i == 0) {
        i = ++naive->n;
        naive->entry[i - 1].line = line;
        naive->entry[i - 1].group = group;
        memset(naive->entry[i - 1].byte, 0, 128);
    }
    naive->entry[i - 1].byte[address % line_bytes] = true;
}

static bool naive_any(const naive_entry *entry, uint32_t from, uint32_t n)
{
    return memchr(entry->byte + from, true, n) != NULL;
}

static bool naive_all(const naive_entry *entry, uint32_t from, uint32_t n)
{
    return memchr(entry->byte + from, false, n) == NULL;
}

typedef struct geometry {
    uint32_t line, sector, segment, mode, split, tag_banks;
} geometry;

static geometry random_geometry(wm_rng *rng)
{
    geometry g;
    g.line = 32u << wm_rng_below(rng, 3);
    if (wm_rng_below(rng, 2) == 0) {
        g.line = 128;
    }
    do {
        g.sector = 32u << wm_rng_below(rng, 3);
    } while (g.sector > g.line);
    do {
        g.segment = 32u << wm_rng_below(rng, 3);
    } while (g.segment > g.line);
    static const uint32_t splits[] = {0, 0, 0, 16, 8, 4, 32, 5, 1, 64};
    static const uint32_t banks[] = {4, 4, 4, 1, 2, 3, 8, 16, 64, 5};
    g.mode = wm_rng_below(rng, 3);
    g.split = splits[wm_rng_below(rng, 10)];
    g.tag_banks = banks[wm_rng_below(rng, 10)];
    return g;
}

/* The sectors of a touched entry and its transactions. */
static uint8_t naive_sectors(const geometry *g, const naive_entry *entry,
                             uint32_t *n_transactions)
{
    uint8_t sectors = 0;
    uint32_t unit = g->mode == WM_COALESCE_SECTOR    ? g->sector
                    : g->mode == WM_COALESCE_SEGMENT ? g->segment
                                                     : g->line;
    for (uint32_t from = 0; from < g->line; from += unit) {
        if (naive_any(entry, from, unit)) {
            (*n_transactions)++;
            for (uint32_t b = from; b < from + unit; b++) {
                sectors |= (uint8_t)(1u << (b / g->sector));
            }
        }
    }
    return sectors;
}

static uint32_t naive_bank(uint64_t line, uint32_t banks)
{
    if ((banks & (banks - 1)) != 0) {
        return (uint32_t)(line % banks);
    }
    uint64_t bank = 0;
    for (; banks > 1 && line != 0; line /= banks) {
        bank ^= line % banks;
    }
    return (uint32_t)bank;
}

static uint32_t naive_tags(const geometry *g, const naive_result *naive)
{
    uint32_t count[64] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < naive->n; i++) {
        uint32_t n = ++count[naive_bank(naive->entry[i].line, g->tag_banks)];
        most = n > most ? n : most;
    }
    return most;
}

static uint32_t naive_lines(const naive_result *naive)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < naive->n; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i; k++) {
            is_new = is_new && naive->entry[k].line != naive->entry[i].line;
        }
        n += is_new;
    }
    return n;
}

/* 0, or a number that says which property failed. */
static int check_entry(const geometry *g, const naive_entry *entry,
                       const wm_coalesced *out, uint32_t i, bool is_store,
                       bool *is_partial, uint32_t *n_transactions)
{
    uint8_t sectors = naive_sectors(g, entry, n_transactions);
    uint8_t full = 0;
    if (out->sectors[i] != sectors) {
        return 1;
    }
    for (uint32_t s = 0; s < g->line / g->sector; s++) {
        if (naive_all(entry, s * g->sector, g->sector)) {
            full |= (uint8_t)(1u << s);
        }
    }
    *is_partial = *is_partial || full != sectors;
    if (!is_store) {
        return 0;
    }
    for (uint32_t b = 0; b < 128; b++) {
        bool bit = (out->bytes[i][b / 64] >> (b % 64) & 1) != 0;
        if (out->is_partial && bit != (b < g->line && entry->byte[b])) {
            return 2;
        }
    }
    return out->full[i] == full ? 0 : 3;
}

/* Entries fall with the stride, so a lane's bytes are taken from its end.
 * (Strides so long that they go round 2^64 in a warp are taken as lists.) */
static bool is_falling(const wm_access *access)
{
    return access->form == WM_ACCESS_AFFINE && access->stride < 0 &&
           access->stride >= -(INT64_C(1) << 56);
}

static int compare(const geometry *g, const wm_access *access, bool is_store)
{
    static naive_result naive;
    static wm_coalesced out;
    wm_coalescer coalescer;
    uint64_t at[WM_ACCESS_LANES_MAX];
    naive.n = 0;
    cr_assert_eq(wm_coalescer_init(&coalescer, g->line, g->sector, g->mode,
                                   g->segment, g->split, g->tag_banks, NULL),
                 WM_OK);
    uint32_t n_lanes = 0;
    for (uint32_t lane = 0; lane < 64; lane++) {
        if ((access->mask >> lane & 1) == 0) {
            continue;
        }
        at[n_lanes] = naive_address(access, lane, n_lanes);
        for (uint32_t b = 0; b < access->width; b++) {
            uint32_t byte = is_falling(access) ? access->width - 1 - b : b;
            naive_add(&naive, g->split == 0 ? 0 : lane / g->split,
                      at[n_lanes] + byte, g->line);
        }
        n_lanes++;
    }
    wm_coalesce(&coalescer, access, is_store, &out);
    if (out.n_entries != naive.n || out.n_lanes != n_lanes) {
        return 10;
    }
    bool is_partial = false;
    uint32_t n_transactions = 0;
    uint32_t n_sectors = 0;
    for (uint32_t i = 0; i < naive.n; i++) {
        const naive_entry *entry = &naive.entry[i];
        int failed = entry->line != out.line[i]
                         ? 11
                         : check_entry(g, entry, &out, i, is_store, &is_partial,
                                       &n_transactions);
        if (failed != 0) {
            return failed;
        }
        n_sectors += (uint32_t)__builtin_popcount(out.sectors[i]);
    }
    if (out.n_sectors != n_sectors || out.n_transactions != n_transactions) {
        return 12;
    }
    if (out.n_lines != naive_lines(&naive)) {
        return 13;
    }
    if (out.n_tag_wavefronts != naive_tags(g, &naive)) {
        return 14;
    }
    return is_store && out.is_partial != is_partial ? 15 : 0;
}

static void run_cases(uint64_t seed, uint32_t n_cases)
{
    static uint32_t lanes[128];
    for (uint32_t i = 0; i < n_cases; i++) {
        wm_rng rng = {seed + i};
        geometry g = random_geometry(&rng);
        wm_access access = random_access(&rng, lanes);
        bool is_store = wm_rng_below(&rng, 2) != 0;
        int failed = compare(&g, &access, is_store);
        cr_assert_eq(failed, 0,
                     "seed %llu, check %d: line %u sector %u segment %u mode "
                     "%u split %u banks %u; form %u base %llx mask %llx stride "
                     "%lld width %u store %d",
                     (unsigned long long)(seed + i), failed, g.line, g.sector,
                     g.segment, g.mode, g.split, g.tag_banks, access.form,
                     (unsigned long long)access.base,
                     (unsigned long long)access.mask, (long long)access.stride,
                     access.width, is_store);
    }
}

Test(coalescer_property, equals_a_set_of_bytes_on_random_warps)
{
    run_cases(UINT64_C(1000000), 550000);
}

Test(coalescer_property, equals_a_set_of_bytes_on_further_random_warps)
{
    run_cases(UINT64_C(9000000), 550000);
}

Test(coalescer_property, same_address_lanes_equals_pairwise_counting)
{
    static uint32_t lanes[128];
    for (uint64_t seed = 1; seed <= 100000; seed++) {
        wm_rng rng = {seed};
        wm_access access = random_access(&rng, lanes);
        uint64_t at[WM_ACCESS_LANES_MAX];
        uint32_t n = 0;
        uint32_t most = 0;
        for (uint32_t lane = 0; lane < 64; lane++) {
            if ((access.mask >> lane & 1) != 0) {
                at[n] = naive_address(&access, lane, n);
                n++;
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t same = 0;
            for (uint32_t k = 0; k < n; k++) {
                same += at[i] == at[k];
            }
            most = same > most ? same : most;
        }
        cr_assert_eq(wm_same_address_lanes(&access), most, "seed %llu",
                     (unsigned long long)seed);
    }
}
