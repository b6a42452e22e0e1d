/*
 * naive_machine.c -- warps that take turns on SMs, CTAs that follow each other
 * on them, launch after launch, in counts mode (docs/MODEL.md, 11).
 */
#include "naive_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- warps ---------------------------------------------------------------- */
/* Lets a CTA's warps go on when all that have not ended stand at it. */
static void barrier(naive_sm *sm, uint32_t place)
{
    bool are_all_there = true;
    for (uint32_t w = 0; w < SLOTS; w++) {
        const bool is_ours = sm->warp[w].is_used && sm->warp[w].cta == place;
        if (is_ours && sm->warp[w].next != NULL && !sm->at_barrier[w]) {
            are_all_there = false;
        }
    }
    for (uint32_t w = 0; w < SLOTS && are_all_there; w++) {
        const bool is_ours = sm->warp[w].is_used && sm->warp[w].cta == place;
        if (is_ours && sm->at_barrier[w]) {
            sm->at_barrier[w] = false;
            sm->warp[w].is_live = true;
        }
    }
}

/* Takes records until the warp stops, waits or has had its turn. */
static uint64_t warp_turn(naive_machine *g, naive_sm *sm, uint32_t w,
                          uint64_t now)
{
    naive_warp *warp = &sm->warp[w];
    for (uint64_t n = 1;; n++) {
        const case_record *r = warp->next++;
        if (r->kind <= WM_KIND_BARRIER && !r->is_continued) {
            g->n[WM_C_INSTRUCTIONS_GLOBAL_LOAD + r->kind]++;
        }
        g->n[WM_C_LAUNCH_RECORDS]++;
        if (wm_kind_is_memory(r->kind)) {
            naive_record(g, sm, w, r);
        } else if (r->kind == WM_KIND_BARRIER) {
            warp->is_live = false;
            sm->at_barrier[w] = true;
            barrier(sm, warp->cta);
            return n;
        } else if (r->kind == WM_KIND_EXIT) {
            warp->is_live = false;
            warp->next = NULL;
            barrier(sm, warp->cta);
            if (--sm->place[warp->cta].n_running == 0) {
                sm->place[warp->cta].end = now;
            }
            return n;
        }
        if (warp->next->wait != 0 || n == TURN ||
            sm->n_lines + BOX_ROOM > BOX) {
            return n;
        }
    }
}

static uint32_t next_live(const naive_sm *sm)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        const uint32_t w = (sm->turn + i) % SLOTS;
        if (sm->warp[w].is_live) {
            return w;
        }
    }
    return SLOTS;
}

static void sm_turn(naive_machine *g, naive_sm *sm, uint64_t now)
{
    uint64_t n = 0;
    sm->n_lines = 0;
    while (n < WINDOW && next_live(sm) != SLOTS &&
           sm->n_lines + BOX_ROOM <= BOX) {
        const uint32_t w = next_live(sm);
        sm->turn = (w + 1) % SLOTS;
        n += warp_turn(g, sm, w, now + n);
    }
}

/* --- launches ------------------------------------------------------------- */
static void start_cta(naive_machine *g, naive_sm *sm)
{
    if (g->next_cta == g->step->n_ctas) {
        return;
    }
    const case_cta *cta = &g->step->cta[g->next_cta++];
    uint32_t place = 0;
    while (sm->place[place].is_used) {
        place++;
    }
    sm->place[place] = (naive_place){.is_used = true};
    for (uint32_t i = 0; i < g->step->n_warps; i++) {
        uint32_t w = 0;
        if (cta->warp[i].n == 0) {
            continue;
        }
        while (sm->warp[w].is_used) {
            w++;
        }
        sm->warp[w] =
            (naive_warp){true, true, place, &g->c->records[cta->warp[i].first]};
        sm->at_barrier[w] = false;
        sm->place[place].n_running++;
        g->n[WM_C_LAUNCH_WARPS]++;
    }
    g->n[WM_C_LAUNCH_CTAS]++;
    g->n[WM_C_INSTRUCTIONS_OTHER] += cta->other;
    for (uint32_t f = 0; f < 4; f++) {
        g->n[WM_C_FLOPS_FP16 + f] += cta->flops[f];
    }
}

static void end_cta(naive_sm *sm, uint32_t place)
{
    sm->place[place].is_used = false;
    for (uint32_t w = 0; w < SLOTS; w++) {
        if (sm->warp[w].cta == place) {
            sm->warp[w].is_used = false;
        }
    }
}

/* The CTA that ended first (then: of the first SM, in the first place), or
 * false. */
static bool next_ended(const naive_machine *g, uint64_t *sm, uint32_t *place)
{
    bool is_found = false;
    uint64_t end = 0;
    for (uint64_t s = 0; s < g->m->n_sms; s++) {
        for (uint32_t p = 0; p < SLOTS; p++) {
            const naive_place *one = &g->sm[s].place[p];
            if (one->is_used && one->n_running == 0 &&
                (!is_found || one->end < end)) {
                is_found = true;
                end = one->end;
                *sm = s;
                *place = p;
            }
        }
    }
    return is_found;
}

/* All that ended in a turn leave, one after the other, and each makes place
 * for one more.  A CTA that starts now cannot end now. */
static void replace_ctas(naive_machine *g)
{
    uint64_t s = 0;
    uint32_t place = 0;
    while (next_ended(g, &s, &place)) {
        end_cta(&g->sm[s], place);
        start_cta(g, &g->sm[s]);
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* CTAs of the launch that one SM holds. */
static uint64_t launch_places(const naive_machine *g)
{
    const case_machine *m = g->m;
    const case_step *step = g->step;
    const uint64_t per_warp =
        ((uint64_t)step->registers * step->warp_size + 255) / 256 * 256;
    const uint64_t shared =
        step->shared != 0 ? step->shared + m->shared_reserved : 0;
    uint64_t n = least(m->max_ctas, m->max_warps / step->n_warps);
    n = least(n, m->max_threads / ((uint64_t)step->n_warps * step->warp_size));
    if (per_warp != 0) {
        n = least(n, m->registers / (per_warp * step->n_warps));
    }
    if (shared != 0) {
        n = least(n, m->shared / shared);
    }
    return n != 0 ? n : 1;
}

/* Sets of the L1 that shared memory leaves. */
static uint64_t launch_l1_sets(const naive_machine *g, uint64_t places)
{
    const case_machine *m = g->m;
    const case_step *step = g->step;
    const uint64_t each =
        step->shared != 0 ? step->shared + m->shared_reserved : 0;
    const uint64_t used = (step->n_ctas + m->n_sms - 1) / m->n_sms;
    const uint64_t need = least(places, used) * each;
    uint64_t carved = need;
    if (m->unified == 0) {
        return m->l1.sets;
    }
    for (uint64_t i = m->n_carveouts; i > 0; i--) {
        if (m->carveout[i - 1] >= need) {
            carved = m->carveout[i - 1];
        }
    }
    const uint64_t left = m->unified > carved ? m->unified - carved : 0;
    const uint64_t sets = least(left / (m->line * m->l1.ways), m->l1.sets);
    return sets != 0 ? sets : 1;
}

static void reset_l1(naive_machine *g, naive_sm *sm, uint64_t sets)
{
    if (sm->l1.set != NULL && sm->l1.shape.sets == sets && g->m->is_l1_kept) {
        return;
    }
    case_cache shape = g->m->l1;
    shape.sets = sets;
    naive_cache_fini(&sm->l1);
    g->is_short = !naive_cache_init(&sm->l1, &shape, sm->id) || g->is_short;
}

static void launch(naive_machine *g)
{
    naive_l2_copies(g);
    const uint64_t places = launch_places(g);
    const uint64_t sets = launch_l1_sets(g, places);
    g->next_cta = 0;
    for (uint64_t s = 0; s < g->m->n_sms; s++) {
        reset_l1(g, &g->sm[s], sets);
    }
    for (uint64_t round = 0; round < places; round++) {
        for (uint64_t s = 0; s < g->m->n_sms; s++) {
            start_cta(g, &g->sm[s]);
        }
    }
    uint64_t now = 0;
    for (;;) {
        bool is_live = false;
        for (uint64_t s = 0; s < g->m->n_sms && !g->is_short; s++) {
            is_live = is_live || next_live(&g->sm[s]) != SLOTS;
            sm_turn(g, &g->sm[s], now);
        }
        if (!is_live) {
            break;
        }
        replace_ctas(g);
        now += WINDOW;
    }
    naive_l2_after(g);
}

static bool machine_init(naive_machine *g, const oracle_case *c)
{
    memset(g, 0, sizeof(*g));
    g->c = c;
    g->m = &c->machine;
    g->sm = calloc(g->m->n_sms, sizeof(*g->sm));
    g->slice = calloc(g->m->slices, sizeof(*g->slice));
    if (g->sm == NULL || g->slice == NULL) {
        return false;
    }
    for (uint64_t s = 0; s < g->m->n_sms; s++) {
        g->sm[s].id = (uint32_t)s;
    }
    for (uint64_t i = 0; i < g->m->slices; i++) {
        if (!naive_cache_init(&g->slice[i], &g->m->l2, UINT64_C(0x10000) + i)) {
            return false;
        }
    }
    return true;
}

static void machine_fini(naive_machine *g)
{
    for (uint64_t s = 0; g->sm != NULL && s < g->m->n_sms; s++) {
        naive_cache_fini(&g->sm[s].l1);
    }
    for (uint64_t i = 0; g->slice != NULL && i < g->m->slices; i++) {
        naive_cache_fini(&g->slice[i]);
    }
    free(g->sm);
    free(g->slice);
}

bool naive_run(const oracle_case *c, naive_result *result)
{
    naive_machine *g = malloc(sizeof(*g));
    if (g == NULL) {
        return false;
    }
    memset(result, 0, sizeof(*result));
    bool is_whole = machine_init(g, c);
    for (uint32_t i = 0; i < c->n_steps && is_whole && !g->is_short; i++) {
        const case_step *step = &c->step[i];
        g->n = result->launch[result->n_launches].value;
        g->step = step;
        if (!step->is_copy) {
            launch(g);
            result->n_launches++;
        } else if (g->m->is_copied && step->copy.n_bytes != 0 &&
                   step->copy.kind != WM_COPY_DEVICE_TO_HOST) {
            g->copies[g->n_copies++] = step->copy;
        }
    }
    is_whole = is_whole && !g->is_short;
    machine_fini(g);
    free(g);
    return is_whole;
}
