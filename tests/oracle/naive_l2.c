/*
 * naive_l2.c -- the slices of the L2, its two halves, and what reaches DRAM
 * (docs/MODEL.md, 9).
 */
#include "naive_internal.h"

static void dram_write(naive_machine *g, uint64_t n)
{
    g->n[WM_C_DRAM_WRITE_SECTORS] += n;
    g->n[WM_C_DRAM_WRITE_BYTES] += n * g->m->sector;
    g->n[WM_C_L2_WRITTEN_BACK_SECTORS] += n;
}

/* Dirty sectors leave the line. */
static void l2_clean(naive_machine *g, naive_way *way, bool is_written)
{
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        if (way->is_there && way->is_dirty[s]) {
            g->n[WM_C_L2_CLEANED_SECTORS]++;
            way->is_dirty[s] = false;
            if (is_written) {
                dram_write(g, 1);
            }
        }
    }
}

/* The slice of a line, and its number in it. */
static uint64_t l2_slice(const naive_machine *g, uint64_t line, uint64_t *local)
{
    const uint64_t per_chunk = g->m->interleave / g->m->line;
    const uint64_t chunk = line / per_chunk;
    *local = chunk / g->m->slices * per_chunk + line % per_chunk;
    return naive_spread(chunk, g->m->slices, g->m->l2.is_hashed);
}

/* Copies of the other half's lines stand in sets as if their number had one
 * bit more, above all numbers of a slice: half of all lines, or all. */
static naive_set *l2_set(naive_machine *g, uint64_t slice, uint64_t local,
                         bool is_copy)
{
    const uint64_t half = (UINT64_C(1) << 63) / g->m->line;
    const uint64_t above = g->m->slices >= 4 ? half : 2 * half;
    return naive_cache_set(&g->slice[slice], local + (is_copy ? above : 0));
}

/* The line's way in the slice, used now; *was_there: not brought in now. */
static naive_way *l2_use(naive_machine *g, uint64_t slice, uint64_t local,
                         bool is_copy)
{
    naive_cache *cache = &g->slice[slice];
    naive_set *set = l2_set(g, slice, local, is_copy);
    naive_way *way = naive_find(set, cache, local, is_copy);
    if (way != NULL) {
        naive_touch(cache, set, way);
        return way;
    }
    naive_way gone;
    way = naive_make_room(cache, set, local, is_copy, &gone);
    l2_clean(g, &gone, true);
    return way;
}

/* Brings sectors in; counts hits and misses of the operation. */
static void l2_need(naive_machine *g, naive_way *way, const bool *need,
                    uint32_t op)
{
    uint64_t *count = &g->n[WM_C_L2_READ_REQUESTS + op * WM_L2_FIELDS];
    bool is_miss[NAIVE_SECTORS] = {false};
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        is_miss[s] = need[s] && !way->is_valid[s];
        count[WM_L2_HIT_SECTORS] += need[s] && way->is_valid[s];
        count[WM_L2_MISS_SECTORS] += is_miss[s];
    }
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        bool is_asked = false;
        for (uint64_t t = 0; t < naive_n_sectors(g); t++) {
            is_asked =
                is_asked || (is_miss[t] && t / g->m->fetch == s / g->m->fetch);
        }
        /* A sector beside the missing one that was written in part stays. */
        if (!is_asked || way->is_valid[s] ||
            (!is_miss[s] && way->is_partial[s])) {
            continue;
        }
        g->n[WM_C_DRAM_READ_SECTORS]++;
        g->n[WM_C_DRAM_READ_BYTES] += g->m->sector;
        g->n[WM_C_L2_FETCHED_SECTORS]++;
    }
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        for (uint64_t t = 0; t < naive_n_sectors(g); t++) {
            if (is_miss[t] && t / g->m->fetch == s / g->m->fetch &&
                (is_miss[s] || !way->is_partial[s])) {
                way->is_valid[s] = true;
            }
        }
        way->is_partial[s] = way->is_partial[s] && !way->is_valid[s];
    }
}

/* Sectors were changed in the L2. */
static void l2_dirty(naive_machine *g, naive_way *way, const bool *sector)
{
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        if (!sector[s]) {
            continue;
        }
        if (g->m->is_l2_through) {
            g->n[WM_C_L2_DIRTIED_SECTORS]++;
            g->n[WM_C_L2_CLEANED_SECTORS]++;
            dram_write(g, 1);
        } else if (!way->is_dirty[s]) {
            g->n[WM_C_L2_DIRTIED_SECTORS]++;
            way->is_dirty[s] = true;
        }
    }
}

static void l2_write_sector(const naive_machine *g, naive_way *way,
                            const naive_line *line, uint64_t s)
{
    const uint64_t first = s * g->m->sector;
    if (line->is_full[s]) {
        way->is_valid[s] = true;
        way->is_partial[s] = false;
        return;
    }
    if (!line->sector[s] || way->is_valid[s] || g->m->is_l2_through) {
        return;
    }
    bool is_whole = true;
    for (uint64_t b = first; b < first + g->m->sector; b++) {
        way->written[b] =
            line->byte[b] || (way->is_partial[s] && way->written[b]);
        is_whole = is_whole && way->written[b];
    }
    way->is_valid[s] = is_whole;
    way->is_partial[s] = !is_whole;
}

static void l2_write(naive_machine *g, naive_way *way, const naive_line *line)
{
    uint64_t *count = &g->n[WM_C_L2_WRITE_REQUESTS];
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        count[WM_L2_HIT_SECTORS] += line->sector[s] && way->is_valid[s];
        count[WM_L2_MISS_SECTORS] += line->sector[s] && !way->is_valid[s];
        l2_write_sector(g, way, line, s);
    }
    l2_dirty(g, way, line->sector);
}

/* A read from the other half: the SM's own half is asked first, and keeps
 * what it has to get. */
static void l2_read_far(naive_machine *g, uint64_t home, uint64_t local,
                        const bool *need)
{
    naive_cache *near = &g->slice[home ^ 1];
    naive_set *set = l2_set(g, home ^ 1, local, true);
    naive_way *copy = naive_find(set, near, local, true);
    bool is_miss[NAIVE_SECTORS] = {false};
    bool is_crossing = false;
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        const bool is_hit = need[s] && copy != NULL && copy->is_valid[s];
        is_miss[s] = need[s] && !is_hit;
        is_crossing = is_crossing || is_miss[s];
        g->n[WM_C_L2_READ_HIT_SECTORS] += is_hit;
        g->n[WM_C_L2_CROSSED_SECTORS] += is_miss[s];
    }
    if (copy != NULL) {
        naive_touch(near, set, copy);
    }
    if (!is_crossing) {
        return;
    }
    l2_need(g, l2_use(g, home, local, false), is_miss, WM_L2_READ);
    if (copy == NULL) {
        naive_way gone;
        copy = naive_make_room(near, set, local, true, &gone);
        l2_clean(g, &gone, true);
    }
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        copy->is_valid[s] = copy->is_valid[s] || is_miss[s];
    }
}

/* One line of an SM at the L2; line is NULL but for a write. */
void naive_l2_access(naive_machine *g, uint32_t sm, uint64_t number,
                     const bool *sector, const naive_line *line, uint32_t op)
{
    uint64_t local = 0;
    const uint64_t slice = l2_slice(g, number, &local);
    uint64_t *count = &g->n[WM_C_L2_READ_REQUESTS + op * WM_L2_FIELDS];
    count[WM_L2_REQUESTS]++;
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        count[WM_L2_SECTORS] += sector[s];
    }
    if (g->m->halves == 2 && op == WM_L2_READ && slice % 2 != sm % 2) {
        l2_read_far(g, slice, local, sector);
        return;
    }
    if (g->m->halves == 2 && op != WM_L2_READ) {
        naive_way *copy = naive_find(l2_set(g, slice ^ 1, local, true),
                                     &g->slice[slice ^ 1], local, true);
        if (copy != NULL) {
            copy->is_there = false;
        }
    }
    naive_way *way = l2_use(g, slice, local, false);
    if (line != NULL) {
        l2_write(g, way, line);
        return;
    }
    l2_need(g, way, sector, op);
    if (op == WM_L2_ATOMIC) {
        l2_dirty(g, way, sector);
    }
}

/* --- between launches ----------------------------------------------------- */
static uint64_t l2_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What a copy leaves in the L2: its last bytes, at most `room` of them. */
static void copy_fill(naive_machine *g, const wm_copy *copy, uint64_t room)
{
    uint64_t first = copy->addr;
    uint64_t last = copy->addr + (copy->n_bytes - 1);
    if (last < first) {
        last = UINT64_MAX;
    }
    if (last - first >= room) {
        first = last - room + 1;
    }
    for (uint64_t line = first / g->m->line; line <= last / g->m->line;
         line++) {
        uint64_t local = 0;
        const uint64_t slice = l2_slice(g, line, &local);
        naive_way *way = l2_use(g, slice, local, false);
        for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
            const uint64_t at = line * naive_n_sectors(g) + s;
            if (at >= first / g->m->sector && at <= last / g->m->sector) {
                way->is_valid[s] = true;
                way->is_partial[s] = false;
                g->n[WM_C_L2_COPIED_SECTORS]++;
            }
        }
    }
}

/* All copies before a launch: of their bytes the last `share` of the L2. */
void naive_l2_copies(naive_machine *g)
{
    const case_machine *m = g->m;
    const uint64_t size = m->slices * m->l2.sets * m->l2.ways * m->line;
    uint64_t room = size * m->copy_share / 100;
    uint64_t take[CASE_STEPS] = {0};
    for (uint32_t i = g->n_copies; i > 0; i--) {
        const wm_copy *copy = &g->copies[i - 1];
        uint64_t n = copy->n_bytes;
        if (copy->addr + (n - 1) < copy->addr) {
            n = UINT64_MAX - copy->addr + 1;
        }
        take[i - 1] = l2_least(n, room);
        room -= m->copy_share == 100 ? 0 : take[i - 1];
        if (m->copy_share == 100) {
            /* More than twice the L2 leaves no trace of what came first. */
            take[i - 1] = l2_least(n, 2 * size + (n == 2 * size + 1));
        }
    }
    for (uint32_t i = 0; i < g->n_copies; i++) {
        if (take[i] != 0) {
            copy_fill(g, &g->copies[i], take[i]);
        }
    }
    g->n_copies = 0;
}

void naive_l2_after(naive_machine *g)
{
    const case_machine *m = g->m;
    for (uint64_t i = 0; i < m->slices; i++) {
        for (uint64_t s = 0; s < m->l2.sets && m->l2_between != KEEP; s++) {
            for (uint64_t w = 0; w < m->l2.ways; w++) {
                l2_clean(g, &g->slice[i].set[s].way[w], m->l2_between == FLUSH);
            }
        }
        if (m->l2_between != KEEP) {
            naive_cache_fini(&g->slice[i]);
            g->is_short = !naive_cache_init(&g->slice[i], &m->l2,
                                            UINT64_C(0x10000) + i) ||
                          g->is_short;
        }
        for (uint64_t s = 0; s < m->l2.sets; s++) {
            for (uint64_t w = 0; w < m->l2.ways; w++) {
                const naive_way *way = &g->slice[i].set[s].way[w];
                for (uint64_t k = 0; k < naive_n_sectors(g); k++) {
                    g->n[WM_C_L2_DIRTY_BYTES_LEFT] +=
                        way->is_there && way->is_dirty[k] ? m->sector : 0;
                }
            }
        }
    }
}
