/*
 * flow.c -- the order is built from its end: what is finished first stands
 * last, so the result is turned round at the end.
 */
#include "flow.h"

#include <stdlib.h>

typedef struct walk {
    const wm_flow *flow;
    uint32_t *number; /* 0 = not visited; UINT32_MAX = placed */
    uint32_t *stack;
    size_t n_stack;
    uint32_t n_numbers;
    uint32_t *sequence; /* reversed */
    size_t n;
} walk;

static uint32_t visit(walk *w, uint32_t block);

/* Places a loop: its mark, all inside it, its header (in reverse). */
static void place_loop(walk *w, uint32_t header)
{
    size_t mark = w->n++;
    w->sequence[mark] = header | WM_FLOW_MARK;
    for (uint32_t i = w->flow->first[header]; i < w->flow->first[header + 1];
         i++) {
        if (w->number[w->flow->to[i]] == 0) {
            (void)visit(w, w->flow->to[i]);
        }
    }
    if (w->n == mark + 1) {
        w->n = mark; /* a single block: lanes cannot part inside */
    }
    w->sequence[w->n++] = header;
}

static uint32_t visit(walk *w, uint32_t block)
{
    bool is_loop = false;
    uint32_t head = w->number[block] = ++w->n_numbers;
    w->stack[w->n_stack++] = block;
    for (uint32_t i = w->flow->first[block]; i < w->flow->first[block + 1];
         i++) {
        uint32_t to = w->flow->to[i];
        uint32_t low = w->number[to] == 0 ? visit(w, to) : w->number[to];
        if (low <= head) {
            head = low;
            is_loop = true;
        }
    }
    if (head != w->number[block]) {
        return head;
    }
    w->number[block] = UINT32_MAX;
    uint32_t top = w->stack[--w->n_stack];
    while (top != block) {
        w->number[top] = 0; /* visited again, as part of this loop */
        top = w->stack[--w->n_stack];
    }
    if (is_loop) {
        place_loop(w, block);
    } else {
        w->sequence[w->n++] = block;
    }
    return head;
}

bool wm_flow_order(const wm_flow *flow, uint32_t *sequence, size_t *n)
{
    walk w = {.flow = flow, .sequence = sequence};
    w.number = calloc(flow->n_blocks, sizeof(*w.number));
    /* A block is on the stack once for each loop around it at most. */
    w.stack = malloc(2 * flow->n_blocks * sizeof(*w.stack));
    bool is_done = w.number != NULL && w.stack != NULL;
    if (is_done) {
        (void)visit(&w, 0);
        for (size_t i = 0; i < w.n / 2; i++) {
            uint32_t swapped = sequence[i];
            sequence[i] = sequence[w.n - 1 - i];
            sequence[w.n - 1 - i] = swapped;
        }
        *n = w.n;
    }
    free(w.number);
    free(w.stack);
    return is_done;
}
