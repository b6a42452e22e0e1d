/* The order of blocks: joins behind branches, exits behind loops. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "flow.h"

#define N_MAX        64u
#define MARK(header) ((header) | WM_FLOW_MARK)

/* Edges as "01 02 13": a digit or letter per block. */
static uint32_t block_of(char c)
{
    return (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static size_t order(const char *edges, size_t n_blocks, uint32_t *sequence)
{
    uint32_t first[N_MAX + 1] = {0};
    uint32_t to[256];
    uint32_t n = 0;
    size_t n_sequence = 0;
    for (uint32_t b = 0; b < n_blocks; b++) {
        first[b] = n;
        for (const char *e = edges; *e != '\0'; e += e[2] == ' ' ? 3 : 2) {
            if (block_of(e[0]) == b) {
                to[n++] = block_of(e[1]);
            }
        }
    }
    first[n_blocks] = n;
    wm_flow flow = {n_blocks, first, to};
    cr_assert(wm_flow_order(&flow, sequence, &n_sequence));
    return n_sequence;
}

static size_t place(const uint32_t *sequence, size_t n, uint32_t item)
{
    for (size_t i = 0; i < n; i++) {
        if (sequence[i] == item) {
            return i;
        }
    }
    cr_assert_fail("%x is not in the order", item);
    return n;
}

Test(flow, both_branches_stand_before_the_join)
{
    uint32_t s[2 * N_MAX];
    size_t n = order("01 02 13 23", 4, s);
    cr_assert_eq(n, 4);
    cr_assert_eq(s[0], 0);
    cr_assert_eq(s[3], 3);
}

Test(flow, an_exit_stands_behind_the_loop_whatever_the_branch_order)
{
    const char *const edges[] = {"01 13 12 21", "01 12 13 21"};
    for (size_t i = 0; i < 2; i++) {
        uint32_t s[2 * N_MAX];
        size_t n = order(edges[i], 4, s);
        const uint32_t wanted[] = {0, 1, 2, MARK(1), 3};
        cr_assert_eq(n, 5);
        cr_assert_eq(memcmp(s, wanted, sizeof(wanted)), 0);
    }
}

Test(flow, a_loop_of_one_block_has_no_mark)
{
    uint32_t s[2 * N_MAX];
    const uint32_t wanted[] = {0, 1, 2};
    cr_assert_eq(order("01 11 12", 3, s), 3);
    cr_assert_eq(memcmp(s, wanted, sizeof(wanted)), 0);
}

Test(flow, an_inner_loop_stands_together_inside_the_outer)
{
    /* 1 outer header, 2-3 inner loop, 4 outer latch, 5 exit */
    uint32_t s[2 * N_MAX];
    size_t n = order("01 12 23 32 34 41 45", 6, s);
    const uint32_t wanted[] = {0, 1, 2, 3, MARK(2), 4, MARK(1), 5};
    cr_assert_eq(n, 8);
    cr_assert_eq(memcmp(s, wanted, sizeof(wanted)), 0);
}

Test(flow, a_branch_in_a_loop_joins_before_the_next_round)
{
    /* 1 header, 2 sometimes, 3 latch, 4 exit */
    uint32_t s[2 * N_MAX];
    size_t n = order("01 12 13 23 31 34", 5, s);
    cr_assert_lt(place(s, n, 2), place(s, n, 3));
    cr_assert_lt(place(s, n, 3), place(s, n, MARK(1)));
    cr_assert_lt(place(s, n, MARK(1)), place(s, n, 4));
}

Test(flow, blocks_that_nothing_reaches_are_left_out)
{
    uint32_t s[2 * N_MAX];
    cr_assert_eq(order("01 21", 3, s), 2);
}

/* Random graphs: every reached block once, every edge forward but into the
 * header of a loop around it. */
Test(flow, only_ways_back_into_a_loop_lead_backwards)
{
    for (uint64_t seed = 1; seed <= 500; seed++) {
        wm_rng rng = {seed};
        uint32_t n_blocks = 2 + wm_rng_below(&rng, 14);
        char edges[256] = "";
        uint32_t s[2 * N_MAX];
        for (uint32_t b = 0; b < n_blocks; b++) {
            for (uint32_t k = wm_rng_below(&rng, 3); k > 0; k--) {
                const char *digits = "0123456789abcdef";
                size_t at = strlen(edges);
                edges[at] = digits[b];
                edges[at + 1] = digits[wm_rng_below(&rng, n_blocks)];
                edges[at + 2] = ' ';
                edges[at + 3] = '\0';
            }
        }
        size_t n = order(edges, n_blocks, s);
        for (const char *e = edges; *e != '\0'; e += 3) {
            size_t from = n, to = n, mark = n;
            for (size_t i = 0; i < n; i++) {
                from = s[i] == block_of(e[0]) ? i : from;
                to = s[i] == block_of(e[1]) ? i : to;
                mark = s[i] == MARK(block_of(e[1])) ? i : mark;
            }
            bool is_back = to <= from;
            bool is_in_loop = e[0] == e[1] || (mark < n && from < mark);
            cr_assert(from == n || !is_back || is_in_loop,
                      "seed %u: edge %.2s of %s", (unsigned)seed, e, edges);
        }
    }
}
