/*
 * check.c -- rules over several keys, and of values that no range can say.
 *
 * Replacement policies are registered with the engine, which checks their
 * names.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "config/config_internal.h"

const char *wm_config_where(const wm_config_set *set, wm_key_index index)
{
    const char *where = set->place[index].where;
    return where != NULL ? where : "default";
}

wm_key_index wm_config_newer(const wm_config_set *set, wm_key_index a,
                             wm_key_index b)
{
    return set->place[b].layer > set->place[a].layer ? b : a;
}

/* Keys whose value is one of a few numbers. */
typedef struct check_few {
    wm_key_index index;
    uint64_t allowed[8]; /* ends with a repeat of the first */
    const char *text;
} check_few;

static const check_few few[] = {
    {WM_KEY_l1_line, {32, 64, 128, 32}, "32 B, 64 B or 128 B"},
    {WM_KEY_l1_sector, {32, 64, 128, 32}, "32 B, 64 B or 128 B"},
    {WM_KEY_l2_line, {32, 64, 128, 32}, "32 B, 64 B or 128 B"},
    {WM_KEY_l2_sector, {32, 64, 128, 32}, "32 B, 64 B or 128 B"},
    {WM_KEY_coalescer_segment, {32, 64, 128, 32}, "32 B, 64 B or 128 B"},
    {WM_KEY_shared_bank_width, {4, 8, 4}, "4 B or 8 B"},
    {WM_KEY_l2_fetch, {1, 2, 4, 1}, "1, 2 or 4"},
    {WM_KEY_coalescer_split, {0, 2, 4, 8, 16, 32, 0}, "0, 2, 4, 8, 16 or 32"},
    {WM_KEY_coalescer_store_split,
     {0, 2, 4, 8, 16, 32, 0},
     "0, 2, 4, 8, 16 or 32"},
};

static bool check_is_allowed(const check_few *rule, uint64_t value)
{
    size_t i = 0;
    do {
        if (rule->allowed[i] == value) {
            return true;
        }
        i++;
    } while (rule->allowed[i] != rule->allowed[0]);
    return false;
}

/* "PLACE: key VALUE" of a, then middle, "key VALUE" of b, then wanted. */
static wm_status check_fail(const wm_config_set *set, wm_key_index a,
                            const char *middle, wm_key_index b,
                            const char *wanted, wm_error *err)
{
    wm_buffer text;
    wm_key_index blamed = wm_config_newer(set, a, b);
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s ", wm_keys[a].name);
    wm_key_format(&wm_keys[a], &set->values, &text);
    wm_buffer_printf(&text, " %s %s ", middle, wm_keys[b].name);
    wm_key_format(&wm_keys[b], &set->values, &text);
    wm_status status =
        text.is_failed
            ? wm_fail_memory(err)
            : wm_fail(err, WM_ECONFIG, "%s: %s, wanted %s",
                      wm_config_where(set, blamed), text.bytes, wanted);
    wm_buffer_fini(&text);
    return status;
}

static wm_status check_fail_few(const wm_config_set *set, const check_few *rule,
                                wm_error *err)
{
    wm_buffer text;
    const wm_key *key = &wm_keys[rule->index];
    wm_buffer_init(&text);
    wm_key_format(key, &set->values, &text);
    wm_status status =
        text.is_failed
            ? wm_fail_memory(err)
            : wm_fail(err, WM_ECONFIG, "%s: %s %s is not allowed, wanted %s",
                      wm_config_where(set, rule->index), key->name, text.bytes,
                      rule->text);
    wm_buffer_fini(&text);
    return status;
}

wm_status wm_config_check_each(const wm_config_set *set, wm_error *err)
{
    for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++) {
        const wm_key *key = &wm_keys[few[i].index];
        if (!check_is_allowed(&few[i], wm_value_get(key, &set->values))) {
            return check_fail_few(set, &few[i], err);
        }
    }
    return WM_OK;
}

/* Two keys that must be in order or equal. */
typedef struct check_pair {
    wm_key_index a;
    bool is_equal; /* wanted a = b; otherwise a <= b */
    wm_key_index b;
    const char *middle;
    const char *wanted;
} check_pair;

static const check_pair pairs[] = {
    {WM_KEY_l1_sector, false, WM_KEY_l1_line, "is over", "at most the line"},
    {WM_KEY_l2_sector, false, WM_KEY_l2_line, "is over", "at most the line"},
    {WM_KEY_l1_line, true, WM_KEY_l2_line, "differs from",
     "equal: lines of two sizes are not modelled yet"},
    {WM_KEY_l1_sector, true, WM_KEY_l2_sector, "differs from",
     "equal: sectors of two sizes are not modelled yet"},
    {WM_KEY_l1_latency, false, WM_KEY_l2_latency, "is over",
     "an L1 at least as fast as the L2"},
    {WM_KEY_dram_row_miss, false, WM_KEY_dram_latency, "is over",
     "at most the latency, which includes it"},
    {WM_KEY_dram_write_low, false, WM_KEY_dram_write_high, "is over",
     "at most the high level"},
    {WM_KEY_dram_write_high, false, WM_KEY_dram_write_queue, "is over",
     "at most the queue"},
};

static wm_status check_pairs(const wm_config_set *set, wm_error *err)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const check_pair *pair = &pairs[i];
        uint64_t a = wm_value_get(&wm_keys[pair->a], &set->values);
        uint64_t b = wm_value_get(&wm_keys[pair->b], &set->values);
        if (pair->is_equal ? a != b : a > b) {
            return check_fail(set, pair->a, pair->middle, pair->b, pair->wanted,
                              err);
        }
    }
    return WM_OK;
}

static wm_status check_l2(const wm_config_set *set, wm_error *err)
{
    const wm_config *v = &set->values;
    if (v->l2.slices % v->l2.partitions != 0) {
        return check_fail(set, WM_KEY_l2_slices, "are not shared evenly by",
                          WM_KEY_l2_partitions, "as many slices in each", err);
    }
    if (!wm_is_power_of_two(v->tlb.page)) {
        return wm_fail(err, WM_ECONFIG,
                       "tlb.page: %llu B, wanted a power of two",
                       (unsigned long long)v->tlb.page);
    }
    if (v->l2.interleave % v->l2.line != 0) {
        return check_fail(set, WM_KEY_l2_interleave, "is not a multiple of",
                          WM_KEY_l2_line, "whole lines", err);
    }
    if (v->l2.fetch * v->l2.sector > v->l2.line) {
        return check_fail(set, WM_KEY_l2_fetch, "sectors are over",
                          WM_KEY_l2_line, "fetch x l2.sector within a line",
                          err);
    }
    if (v->dram.row % v->l2.line != 0) {
        return check_fail(set, WM_KEY_dram_row, "is not a multiple of",
                          WM_KEY_l2_line, "whole lines", err);
    }
    return WM_OK;
}

static wm_status check_fabric(const wm_config_set *set, wm_error *err)
{
    const wm_config *v = &set->values;
    uint64_t both = v->fabric.request_latency + v->fabric.response_latency;
    if (both < v->l2.latency) {
        return WM_OK;
    }
    wm_key_index blamed = wm_config_newer(set, WM_KEY_fabric_request_latency,
                                          WM_KEY_fabric_response_latency);
    blamed = wm_config_newer(set, blamed, WM_KEY_l2_latency);
    return wm_fail(err, WM_ECONFIG,
                   "%s: fabric.request_latency %" PRIu64
                   " + fabric.response_latency %" PRIu64 " = %" PRIu64
                   " cycles, wanted below l2.latency, %" PRIu64
                   " cycles, which includes both",
                   wm_config_where(set, blamed), v->fabric.request_latency,
                   v->fabric.response_latency, both, v->l2.latency);
}

static wm_status check_carveouts(const wm_config_set *set, wm_error *err)
{
    const wm_config *v = &set->values;
    const wm_sizes *list = &v->shared.carveouts;
    uint64_t largest = list->n != 0 ? list->bytes[list->n - 1] : 0;
    if (v->l1.unified != 0 && largest > v->l1.unified) {
        return check_fail(set, WM_KEY_shared_carveouts, "go over",
                          WM_KEY_l1_unified, "sizes within the unified array",
                          err);
    }
    if (list->n != 0 && largest < v->shared.size) {
        return check_fail(set, WM_KEY_shared_size, "is over the largest of",
                          WM_KEY_shared_carveouts, "a carve-out that holds it",
                          err);
    }
    return WM_OK;
}

static wm_status check_unified(const wm_config_set *set, wm_error *err)
{
    const wm_config *v = &set->values;
    if (v->l1.unified != 0 && v->l1.size > v->l1.unified) {
        return check_fail(set, WM_KEY_l1_size, "is over", WM_KEY_l1_unified,
                          "at most the unified array (or l1.unified 0)", err);
    }
    if (v->l1.unified != 0 && v->shared.size > v->l1.unified) {
        return check_fail(set, WM_KEY_shared_size, "is over", WM_KEY_l1_unified,
                          "at most the unified array (or l1.unified 0)", err);
    }
    return check_carveouts(set, err);
}

static wm_status check_segment(const wm_config_set *set, wm_error *err)
{
    const wm_config *v = &set->values;
    if (v->coalescer.mode != WM_COALESCE_SEGMENT) {
        return WM_OK;
    }
    if (v->coalescer.segment > v->l1.line) {
        return check_fail(set, WM_KEY_coalescer_segment, "is over",
                          WM_KEY_l1_line, "at most the line", err);
    }
    if (v->coalescer.segment < v->l1.sector) {
        return check_fail(set, WM_KEY_coalescer_segment, "is below",
                          WM_KEY_l1_sector, "at least a sector", err);
    }
    return WM_OK;
}

/* A thread limit that no warp size up to 64 can reach would be a knob that
 * does nothing.  A warp limit lowered below it is an ordinary what-if, and so
 * is one that stands beside it, as where such a what-if was written down. */
static wm_status check_threads(const wm_config_set *set, wm_error *err)
{
    const wm_config *v = &set->values;
    if (v->sm.max_threads > v->sm.max_warps * 64 &&
        set->place[WM_KEY_sm_max_threads].layer >
            set->place[WM_KEY_sm_max_warps].layer) {
        return check_fail(set, WM_KEY_sm_max_threads, "cannot be reached with",
                          WM_KEY_sm_max_warps,
                          "at most 64 threads for each warp", err);
    }
    return WM_OK;
}

wm_status wm_config_check_together(const wm_config_set *set, wm_error *err)
{
    static wm_status (*const rules[])(const wm_config_set *, wm_error *) = {
        check_pairs,   check_l2,      check_fabric,
        check_unified, check_segment, check_threads};
    wm_status status = WM_OK;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        status = rules[i](set, err);
        if (status != WM_OK) {
            break;
        }
    }
    return status;
}
