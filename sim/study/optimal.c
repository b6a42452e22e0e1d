/*
 * optimal.c -- Belady's replacement on a recorded stream.
 */
#include "study/optimal.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"

#define NEVER       UINT32_MAX
#define FIRST_TABLE 64u

void wm_optimal_init(wm_optimal *optimal)
{
    memset(optimal, 0, sizeof(*optimal));
}

void wm_optimal_fini(wm_optimal *optimal)
{
    free(optimal->access);
    free(optimal->next);
    free(optimal->key);
    free(optimal->number);
    wm_optimal_init(optimal);
}

/* --- recording ------------------------------------------------------------ */

static uint32_t number_place(const uint64_t *key, uint32_t mask, uint64_t line)
{
    uint32_t i = (uint32_t)wm_mix64(line) & mask;
    while (key[i] != 0 && key[i] != line + 1) {
        i = (i + 1) & mask;
    }
    return i;
}

static bool number_grow(wm_optimal *optimal)
{
    const uint32_t n_old = optimal->key != NULL ? optimal->mask + 1 : 0;
    const uint32_t n_new = n_old != 0 ? 2 * n_old : FIRST_TABLE;
    uint64_t *key = calloc(n_new, sizeof(*key));
    uint32_t *number = calloc(n_new, sizeof(*number));
    if (key == NULL || number == NULL || n_new < n_old) {
        free(key);
        free(number);
        return false;
    }
    for (uint32_t i = 0; i < n_old; i++) {
        if (optimal->key[i] != 0) {
            const uint32_t to =
                number_place(key, n_new - 1, optimal->key[i] - 1);
            key[to] = optimal->key[i];
            number[to] = optimal->number[i];
        }
    }
    free(optimal->key);
    free(optimal->number);
    optimal->key = key;
    optimal->number = number;
    optimal->mask = n_new - 1;
    return true;
}

static bool number_of(wm_optimal *optimal, uint64_t line, uint32_t *number)
{
    if (optimal->key == NULL || optimal->n_lines >= optimal->mask / 4 * 3) {
        if (!number_grow(optimal)) {
            return false;
        }
    }
    const uint32_t place = number_place(optimal->key, optimal->mask, line);
    if (optimal->key[place] == 0) {
        optimal->key[place] = line + 1;
        optimal->number[place] = optimal->n_lines++;
    }
    *number = optimal->number[place];
    return true;
}

bool wm_optimal_add(wm_optimal *optimal, wm_optimal_what what, uint64_t line,
                    uint32_t sectors, uint32_t full)
{
    wm_optimal_access access = {0, (uint8_t)what, (uint8_t)sectors,
                                (uint8_t)full};
    if (optimal->n_accesses == NEVER - 1 ||
        (what != WM_OPTIMAL_CLEAR && !number_of(optimal, line, &access.line)) ||
        !wm_grow(&optimal->access, &optimal->cap_accesses,
                 optimal->n_accesses + 1, sizeof(optimal->access[0]))) {
        return false;
    }
    optimal->access[optimal->n_accesses++] = access;
    return true;
}

bool wm_optimal_finish(wm_optimal *optimal)
{
    uint32_t *last = malloc(((size_t)optimal->n_lines + 1) * sizeof(*last));
    uint32_t *next = malloc((optimal->n_accesses + 1) * sizeof(*next));
    if (last == NULL || next == NULL) {
        free(last);
        free(next);
        return false;
    }
    memset(last, 0xff, ((size_t)optimal->n_lines + 1) * sizeof(*last));
    for (size_t i = optimal->n_accesses; i-- > 0;) {
        const wm_optimal_access *access = &optimal->access[i];
        if (access->what == WM_OPTIMAL_CLEAR) {
            memset(last, 0xff, ((size_t)optimal->n_lines + 1) * sizeof(*last));
            continue;
        }
        next[i] = last[access->line];
        last[access->line] = (uint32_t)i;
    }
    free(last);
    free(optimal->next);
    optimal->next = next;
    return true;
}

/* --- replay --------------------------------------------------------------- */

/* The resident line used again latest lies on top of a heap.  An entry whose
 * line has been used since is stale: it is dropped when it comes up. */
typedef struct heap_entry {
    uint32_t next;
    uint32_t line;
} heap_entry;

typedef struct replay {
    heap_entry *heap;
    size_t n_heap, cap_heap;
    uint32_t *next;  /* by line: when it is used again */
    uint8_t *valid;  /* by line: sectors */
    uint8_t *inside; /* by line: resident */
    uint32_t n_resident;
} replay;

static bool heap_push(replay *r, uint32_t next, uint32_t line)
{
    if (!wm_grow(&r->heap, &r->cap_heap, r->n_heap + 1, sizeof(r->heap[0]))) {
        return false;
    }
    size_t at = r->n_heap++;
    while (at != 0 && r->heap[(at - 1) / 2].next < next) {
        r->heap[at] = r->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    r->heap[at] = (heap_entry){next, line};
    return true;
}

static heap_entry heap_pop(replay *r)
{
    const heap_entry top = r->heap[0];
    const heap_entry last = r->heap[--r->n_heap];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= r->n_heap) {
            break;
        }
        child += child + 1 < r->n_heap &&
                 r->heap[child + 1].next > r->heap[child].next;
        if (r->heap[child].next <= last.next) {
            break;
        }
        r->heap[at] = r->heap[child];
        at = child;
    }
    r->heap[at] = last;
    return top;
}

static void replay_evict(replay *r)
{
    for (;;) {
        const heap_entry entry = heap_pop(r);
        if (r->inside[entry.line] && r->next[entry.line] == entry.next) {
            r->inside[entry.line] = 0;
            r->n_resident--;
            return;
        }
    }
}

static void replay_clear(replay *r, uint32_t n_lines)
{
    memset(r->inside, 0, n_lines);
    r->n_heap = 0;
    r->n_resident = 0;
}

static bool replay_access(replay *r, const wm_optimal_access *access,
                          uint32_t next, uint32_t capacity, uint64_t *n_misses)
{
    const uint32_t line = access->line;
    if (!r->inside[line]) {
        if (r->n_resident == capacity) {
            replay_evict(r);
        }
        r->inside[line] = 1;
        r->valid[line] = 0;
        r->n_resident++;
    }
    if (access->what != WM_OPTIMAL_FILL) {
        *n_misses += wm_popcount64(access->sectors & ~(uint32_t)r->valid[line]);
    }
    r->valid[line] |=
        access->what == WM_OPTIMAL_WRITE ? access->full : access->sectors;
    r->next[line] = next;
    return heap_push(r, next, line);
}

bool wm_optimal_misses(const wm_optimal *optimal, uint32_t n_lines,
                       uint64_t *n_misses)
{
    replay r = {0};
    const size_t n = (size_t)optimal->n_lines + 1;
    r.next = malloc(n * sizeof(*r.next));
    r.valid = calloc(n, 1);
    r.inside = calloc(n, 1);
    bool is_ok = r.next != NULL && r.valid != NULL && r.inside != NULL;
    for (size_t i = 0; i < optimal->n_accesses && is_ok; i++) {
        const wm_optimal_access *access = &optimal->access[i];
        if (access->what == WM_OPTIMAL_CLEAR) {
            replay_clear(&r, optimal->n_lines);
        } else if (n_lines == 0) {
            *n_misses += access->what != WM_OPTIMAL_FILL
                             ? wm_popcount64(access->sectors)
                             : 0;
        } else {
            is_ok =
                replay_access(&r, access, optimal->next[i], n_lines, n_misses);
        }
    }
    free(r.heap);
    free(r.next);
    free(r.valid);
    free(r.inside);
    return is_ok;
}
