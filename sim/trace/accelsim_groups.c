/*
 * accelsim_groups.c -- see accelsim_groups.h.
 */
#include "trace/accelsim_groups.h"

#include <string.h>

#include "base/bits.h"

#define N_ALLOWED_MAX 6u
#define N_AGES        32u

/* The youngest loads of a warp, by number modulo 32. */
typedef struct plan_loads {
    uint32_t n;
    uint32_t record[N_AGES];
    bool is_in_flight[N_AGES]; /* a copy that nothing has waited for */
} plan_loads;

/* Age of the youngest copy in flight that `wait` names; N_AGES: none. */
static uint32_t youngest(const plan_loads *loads, uint32_t wait)
{
    for (; wait != 0; wait &= wait - 1) {
        const uint32_t age = wm_lowest_bit(wait);
        if (age < loads->n && loads->is_in_flight[(loads->n - 1 - age) % 32]) {
            return age;
        }
    }
    return N_AGES;
}

/* Marks where a group has to end for this wait; false when groups cannot say
 * it. */
static bool plan_wait(wm_accelsim_out *out, plan_loads *loads, uint32_t wait)
{
    uint32_t age = youngest(loads, wait);
    if (age == N_AGES) {
        return true;
    }
    out->groups.ends[loads->record[(loads->n - 1 - age) % N_AGES]] = true;
    for (; age < N_AGES && age < loads->n; age++) {
        bool *is_in_flight =
            &loads->is_in_flight[(loads->n - 1 - age) % N_AGES];
        if (*is_in_flight && (wait >> age & 1) == 0) {
            return false;
        }
        *is_in_flight = false;
    }
    return true;
}

bool wm_accelsim_groups_plan(wm_accelsim_out *out, const wm_record *records,
                             uint32_t n_records)
{
    wm_accelsim_groups *groups = &out->groups;
    plan_loads loads = {0};
    if (!wm_grow(&groups->ends, &groups->cap_ends, n_records,
                 sizeof(*groups->ends))) {
        return false;
    }
    memset(groups->ends, 0, n_records * sizeof(*groups->ends));
    groups->n_ended = groups->n_open = 0;
    groups->is_due = false;
    groups->is_used = true;
    for (uint32_t i = 0; i < n_records && groups->is_used; i++) {
        const wm_record *record = &records[i];
        groups->is_used = plan_wait(out, &loads, record->wait);
        if (wm_kind_is_load((wm_kind)record->kind)) {
            loads.record[loads.n % N_AGES] = i;
            loads.is_in_flight[loads.n % N_AGES] =
                record->kind == WM_KIND_ASYNC_COPY && record->mask != 0;
            loads.n++;
        }
    }
    return true;
}

/* The group of the youngest copy that `wait` names; false: it names none. */
static bool find_group(const wm_accelsim_out *out, uint32_t wait,
                       uint32_t *group)
{
    for (; out->groups.is_used && wait != 0; wait &= wait - 1) {
        const uint32_t age = wm_lowest_bit(wait);
        const uint32_t at = (out->n_loads - 1 - age) % N_AGES;
        if (age < out->n_loads && out->load_register[at] == 0) {
            *group = out->groups.of_load[at];
            return true;
        }
    }
    return false;
}

bool wm_accelsim_groups_end(wm_accelsim_out *out, const wm_record *record,
                            uint32_t n_slots)
{
    const wm_accelsim_groups *groups = &out->groups;
    uint32_t group = 0;
    if (!groups->is_used || groups->n_open == 0) {
        return false;
    }
    /* Nothing in flight is left out of a wait but what is in a group. */
    const bool is_youngest =
        find_group(out, record->wait, &group) && group + 1 == groups->n_ended;
    const bool is_next = groups->is_due && record->kind == WM_KIND_ASYNC_COPY;
    return is_youngest || is_next || (groups->is_due && n_slots != 0);
}

void wm_accelsim_add_commit(wm_accelsim_out *out)
{
    wm_sources from = {0, {0}};
    wm_accelsim_read_chain(out, &from);
    wm_accelsim_begin_line(out, WM_ACCELSIM_ALL_LANES, 0, "LDGDEPBAR", &from);
    wm_buffer_puts(&out->lines, "0 0\n");
    out->groups.n_ended++;
    out->groups.n_open = 0;
    out->groups.is_due = false;
}

uint32_t wm_accelsim_add_await(wm_accelsim_out *out, uint32_t wait)
{
    wm_sources from = {0, {0}};
    uint32_t group = 0;
    if (!find_group(out, wait, &group)) {
        return 0;
    }
    const uint32_t n_younger =
        group < out->groups.n_ended ? out->groups.n_ended - group - 1 : 0;
    wm_accelsim_begin_line(out, WM_ACCELSIM_ALL_LANES, 0, "DEPBAR.LE", &from);
    wm_buffer_printf(
        &out->lines, "0 %u\n",
        (unsigned)(n_younger < N_ALLOWED_MAX ? n_younger : N_ALLOWED_MAX));
    return 1;
}

void wm_accelsim_groups_copy(wm_accelsim_out *out, uint32_t number)
{
    out->groups.of_load[(out->n_loads - 1) % N_AGES] = out->groups.n_ended;
    out->groups.n_open++;
    out->groups.is_due |= out->groups.ends[number];
}
