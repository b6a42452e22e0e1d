/*
 * naive_record.c -- one memory record: what its lanes touch, and what the L1
 * does with it (docs/MODEL.md, 2 to 7).
 */
#include "naive_internal.h"

/* --- L1 ------------------------------------------------------------------- */
/* Returns how many sectors the L1 held. */
static uint64_t l1_load(naive_machine *g, naive_sm *sm, const naive_line *line,
                        bool is_cached)
{
    bool is_miss[NAIVE_SECTORS] = {false};
    naive_way *way = NULL;
    if (is_cached) {
        naive_set *set = naive_cache_set(&sm->l1, line->line);
        way = naive_find(set, &sm->l1, line->line, false);
        if (way != NULL) {
            naive_touch(&sm->l1, set, way);
        } else {
            naive_way gone;
            way = naive_make_room(&sm->l1, set, line->line, false, &gone);
        }
    }
    uint64_t n_hits = 0;
    bool is_sent = false;
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        const bool is_hit = line->sector[s] && way != NULL && way->is_valid[s];
        n_hits += is_hit;
        is_miss[s] = line->sector[s] && !is_hit;
        is_sent = is_sent || is_miss[s];
        if (way != NULL && is_miss[s]) {
            way->is_valid[s] = true;
        }
    }
    if (is_sent) {
        naive_l2_access(g, sm->id, line->line, is_miss, NULL, WM_L2_READ);
    }
    return n_hits;
}

static uint64_t l1_store(naive_machine *g, naive_sm *sm, const naive_line *line)
{
    uint64_t n_hits = 0;
    bool is_any_full = false;
    naive_set *set = naive_cache_set(&sm->l1, line->line);
    naive_way *way = naive_find(set, &sm->l1, line->line, false);
    for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
        n_hits += way != NULL && line->sector[s] && way->is_valid[s];
        is_any_full = is_any_full || line->is_full[s];
    }
    if (way != NULL && g->m->l1_write == EVICT) {
        way->is_there = false;
    } else if (way != NULL) {
        naive_touch(&sm->l1, set, way);
    }
    if (g->m->l1_write == ALLOCATE && is_any_full) {
        naive_way gone;
        if (way == NULL) {
            way = naive_make_room(&sm->l1, set, line->line, false, &gone);
        }
        for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
            way->is_valid[s] = way->is_valid[s] || line->is_full[s];
        }
    }
    return n_hits;
}

/* --- records -------------------------------------------------------------- */
static uint64_t n_active(uint64_t mask)
{
    uint64_t n = 0;
    for (uint32_t lane = 0; lane < CASE_LANES; lane++) {
        n += mask >> lane & 1;
    }
    return n;
}

/* Do the addresses fall from lane to lane by a stride that the record keeps?
 * "at" keeps one where active lanes are equally far apart. */
static bool is_falling(const case_record *r)
{
    if (r->form == FORM_AFFINE) {
        return r->stride < 0;
    }
    uint32_t first = CASE_LANES;
    uint32_t before = CASE_LANES;
    int64_t stride = 0;
    for (uint32_t lane = 0; lane < CASE_LANES; lane++) {
        if ((r->mask >> lane & 1) == 0) {
            continue;
        }
        if (first == CASE_LANES) {
            first = lane;
        } else if (before == first) {
            stride = (int64_t)(r->address[lane] - r->address[first]);
            if (stride % (int64_t)(lane - first) != 0) {
                return false;
            }
            stride /= (int64_t)(lane - first);
        }
        if (r->address[lane] !=
            r->address[first] + (lane - first) * (uint64_t)stride) {
            return false;
        }
        before = lane;
    }
    return r->form == FORM_AT && stride < 0 && stride >= INT32_MIN;
}

/* Word w of the thread in place p lies at (w x places + p) x 4; what
 * is not aligned is taken as the aligned one below. */
static void local_lines(naive_machine *g, const naive_sm *sm, uint32_t warp,
                        const case_record *r, uint32_t word, bool is_store,
                        naive_lines *lines)
{
    const uint64_t size = g->step->warp_size;
    const uint64_t places = g->m->n_sms * SLOTS * size;
    uint64_t address[CASE_LANES];
    for (uint32_t lane = 0; lane < CASE_LANES; lane++) {
        uint64_t offset = r->address[lane];
        if (g->step->local_base != 0 &&
            offset - g->step->local_base < UINT64_C(1) << 24) {
            offset -= g->step->local_base;
        }
        offset -= offset % (r->width > 4 ? 4 : r->width);
        const uint64_t place = (sm->id * SLOTS + warp) * size + lane;
        address[lane] = UINT64_C(0xf000000000000000) +
                        ((offset / 4 + word) * places + place) * 4 + offset % 4;
    }
    lines->n = 0;
    naive_lines_add(g->m, address, r->mask, r->width > 4 ? 4 : r->width,
                    is_store, false, lines);
}

/* What of a line does not depend on any cache. */
static void count_lines(const naive_machine *g, const naive_lines *lines,
                        uint64_t *count)
{
    for (uint32_t i = 0; i < lines->n; i++) {
        const naive_line *line = &lines->line[i];
        bool is_new = true;
        uint64_t n = 0;
        for (uint32_t k = 0; k < i; k++) {
            is_new = is_new && lines->line[k].line != line->line;
        }
        for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
            n += line->sector[s];
        }
        count[WM_L1_LINES] += is_new;
        count[WM_L1_SECTORS] += n;
        count[WM_L1_TRANSACTIONS] += g->m->mode == BY_SECTOR ? n
                                     : g->m->mode == BY_LINE ? 1
                                                             : line->n_segments;
    }
    count[WM_L1_TAG_WAVEFRONTS] += naive_tag_passes(g->m, lines);
}

static void access_lines(naive_machine *g, naive_sm *sm, const case_record *r,
                         const naive_lines *lines, uint64_t *count)
{
    const bool is_store =
        r->kind == WM_KIND_GLOBAL_STORE || r->kind == WM_KIND_LOCAL_STORE;
    const bool is_atomic =
        r->kind == WM_KIND_GLOBAL_ATOMIC || r->kind == WM_KIND_GLOBAL_REDUCTION;
    sm->n_lines += lines->n;
    for (uint32_t i = 0; i < lines->n; i++) {
        const naive_line *line = &lines->line[i];
        uint64_t n = 0;
        uint64_t n_hits = 0;
        for (uint64_t s = 0; s < naive_n_sectors(g); s++) {
            n += line->sector[s];
        }
        if (is_store) {
            n_hits = g->m->is_l1_on ? l1_store(g, sm, line) : 0;
            naive_l2_access(g, sm->id, line->line, line->sector, line,
                            WM_L2_WRITE);
        } else if (is_atomic) {
            naive_l2_access(g, sm->id, line->line, line->sector, NULL,
                            WM_L2_ATOMIC);
        } else {
            n_hits = l1_load(g, sm, line, g->m->is_l1_on && !r->is_bypass);
        }
        count[WM_L1_HIT_SECTORS] += n_hits;
        count[WM_L1_MISS_SECTORS] += n - n_hits;
    }
}

static void record_memory(naive_machine *g, naive_sm *sm, uint32_t warp,
                          const case_record *r)
{
    uint64_t *count =
        &g->n[WM_C_L1_GLOBAL_LOAD_REQUESTS + r->kind * WM_L1_FIELDS];
    const bool is_local =
        r->kind == WM_KIND_LOCAL_LOAD || r->kind == WM_KIND_LOCAL_STORE;
    const bool is_store =
        r->kind == WM_KIND_GLOBAL_STORE || r->kind == WM_KIND_LOCAL_STORE;
    uint32_t n_phases = 0;
    count[WM_L1_REQUESTS] += !r->is_continued;
    count[WM_L1_ACTIVE_REQUESTS] += r->mask != 0;
    count[WM_L1_LANES] += n_active(r->mask);
    count[WM_L1_REQUESTED_BYTES] += n_active(r->mask) * r->width;
    if (!is_local) {
        g->lines.n = 0;
        naive_lines_add(g->m, r->address, r->mask, r->width, is_store,
                        is_falling(r), &g->lines);
        count_lines(g, &g->lines, count);
        access_lines(g, sm, r, &g->lines, count);
        count[WM_L1_WAVEFRONTS] +=
            naive_passes(32, 4, r->address, r->mask, r->width, &n_phases);
        return;
    }
    const uint32_t n_words = r->width > 4 ? r->width / 4 : 1;
    for (uint32_t word = 0; word < n_words; word++) {
        local_lines(g, sm, warp, r, word, is_store, &g->lines);
        count_lines(g, &g->lines, count);
        access_lines(g, sm, r, &g->lines, count);
    }
    count[WM_L1_WAVEFRONTS] += r->mask != 0 ? n_words : 0;
}

static void record_shared(naive_machine *g, const case_record *r)
{
    uint64_t *count = &g->n[WM_C_SHARED_LOAD_REQUESTS +
                            (r->kind - WM_KIND_SHARED_LOAD) * WM_SH_FIELDS];
    uint32_t n_phases = 0;
    uint32_t n_passes =
        naive_passes((uint32_t)g->m->banks, (uint32_t)g->m->bank_width,
                     r->address, r->mask, r->width, &n_phases);
    const uint32_t turns = naive_same_address(r->address, r->mask);
    if (r->kind == WM_KIND_SHARED_ATOMIC && turns > n_passes) {
        n_passes = turns;
    }
    count[WM_SH_REQUESTS] += !r->is_continued;
    count[WM_SH_ACTIVE_REQUESTS] += r->mask != 0;
    count[WM_SH_LANES] += n_active(r->mask);
    count[WM_SH_REQUESTED_BYTES] += n_active(r->mask) * r->width;
    count[WM_SH_WAVEFRONTS] += n_passes;
    count[WM_SH_IDEAL_WAVEFRONTS] += n_phases;
}

void naive_record(naive_machine *g, naive_sm *sm, uint32_t warp,
                  const case_record *r)
{
    if (r->kind < WM_KIND_SHARED_LOAD) {
        record_memory(g, sm, warp, r);
    } else {
        record_shared(g, r);
    }
}
