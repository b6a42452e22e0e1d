/* Packing of lane lists: what is packed unpacks to the same bytes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "trace/wmt_deflate.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_list.h"
#include "trace/wmt_pack.h"

typedef struct payload {
    wm_buffer bytes;
    size_t n_head;
    uint32_t lists[20000];
    size_t n_lists;
} payload;

static payload *payload_new(void)
{
    payload *p = calloc(1, sizeof(*p));
    cr_assert_not_null(p);
    wm_buffer_init(&p->bytes);
    return p;
}

static void payload_free(payload *p)
{
    wm_buffer_fini(&p->bytes);
    free(p);
}

static void add_noise(wm_buffer *bytes, wm_rng *rng, size_t n, uint32_t below)
{
    for (size_t i = 0; i < n; i++) {
        char byte = (char)wm_rng_below(rng, below);
        wm_buffer_add(bytes, &byte, 1);
    }
}

/* A list: noise, or one of those before it, or its first part; some are
 * empty. */
static void add_list(payload *p, wm_rng *rng, uint32_t share_new)
{
    size_t n = wm_rng_below(rng, 4) * wm_rng_below(rng, 200);
    size_t from = p->n_head;
    cr_assert_lt(p->n_lists, 20000);
    if (p->n_lists > 0) {
        from += p->lists[wm_rng_below(rng, (uint32_t)p->n_lists)];
    }
    p->lists[p->n_lists++] = (uint32_t)(p->bytes.n_bytes - p->n_head);
    size_t n_left = p->bytes.n_bytes - from;
    if (n_left == 0 || wm_rng_below(rng, 100) < share_new) {
        add_noise(&p->bytes, rng, n, 256);
        return;
    }
    n = n < n_left ? n : n_left;
    for (size_t i = 0; i < n; i++) {
        char byte = p->bytes.bytes[from + i];
        wm_buffer_add(&p->bytes, &byte, 1);
    }
}

/* The packed size. */
static size_t assert_round_trip(const payload *p, wm_wmt_deflater *deflater)
{
    wm_buffer packed;
    wm_wmt_unpacker *unpacker = wm_wmt_unpacker_new();
    size_t n = p->bytes.n_bytes;
    uint8_t *back = malloc(n + WM_WMT_LIST_SLACK);
    wm_buffer_init(&packed);
    cr_assert(unpacker != NULL && back != NULL);
    cr_assert(wm_wmt_deflate(deflater, (const uint8_t *)p->bytes.bytes, n,
                             p->n_head, p->lists, p->n_lists, &packed));
    cr_assert(wm_wmt_unpack(unpacker, (const uint8_t *)packed.bytes,
                            packed.n_bytes, back, n));
    cr_assert_arr_eq(back, p->bytes.bytes, n);
    size_t n_packed = packed.n_bytes;
    wm_buffer_fini(&packed);
    wm_wmt_unpacker_free(unpacker);
    free(back);
    return n_packed;
}

Test(wmt_deflate, random_payloads_unpack_to_the_same_bytes)
{
    wm_wmt_deflater *deflater = wm_wmt_deflater_new();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_rng rng = {seed};
        payload *p = payload_new();
        uint32_t below = 1 + wm_rng_below(&rng, 256);
        add_noise(&p->bytes, &rng, wm_rng_below(&rng, 70000) + 1, below);
        p->n_head = p->bytes.n_bytes;
        uint32_t n_lists = wm_rng_below(&rng, 3) * wm_rng_below(&rng, 1000);
        uint32_t share_new = wm_rng_below(&rng, 101);
        for (uint32_t i = 0; i < n_lists; i++) {
            add_list(p, &rng, share_new);
        }
        (void)assert_round_trip(p, deflater);
        payload_free(p);
    }
    wm_wmt_deflater_free(deflater);
}

/* Counts that double: codes as long as there are symbols, were they not
 * bounded. */
Test(wmt_deflate, codes_are_bounded_where_counts_are_far_apart)
{
    wm_wmt_deflater *deflater = wm_wmt_deflater_new();
    payload *p = payload_new();
    wm_rng rng = {5};
    for (uint32_t i = 0; i < 30000; i++) {
        char byte = (char)wm_lowest_bit(wm_rng_next(&rng) | 1u << 20);
        wm_buffer_add(&p->bytes, &byte, 1);
    }
    p->n_head = 0; /* a list without a start: all are literals */
    cr_expect_lt(assert_round_trip(p, deflater), 8000);
    payload_free(p);
    wm_wmt_deflater_free(deflater);
}

Test(wmt_deflate, one_byte_alone_runs_and_noise_are_packed_as_small_as_can_be)
{
    static const struct {
        size_t n;
        uint32_t below;
        size_t n_packed_max;
    } cases[] = {{1, 1, 12},
                 {7, 1, 18},
                 {300000, 1, 1500},
                 {65535, 256, 65560},
                 {300000, 256, 300100},
                 {32769, 16, 18000}};
    wm_wmt_deflater *deflater = wm_wmt_deflater_new();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (uint32_t is_list = 0; is_list < 2; is_list++) {
            wm_rng rng = {i + 1};
            payload *p = payload_new();
            add_noise(&p->bytes, &rng, cases[i].n, cases[i].below);
            p->n_head = is_list ? 0 : cases[i].n;
            p->n_lists = is_list;
            size_t n = assert_round_trip(p, deflater);
            cr_expect(is_list || n <= cases[i].n_packed_max, "%zu: %zu",
                      cases[i].n, n);
            payload_free(p);
        }
    }
    wm_wmt_deflater_free(deflater);
}

/* Three arrays read at the same indices. */
Test(wmt_deflate, a_list_that_was_there_before_costs_a_few_bytes)
{
    wm_wmt_deflater *deflater = wm_wmt_deflater_new();
    payload *p = payload_new();
    wm_rng rng = {9};
    for (uint32_t i = 0; i < 1000; i++) {
        size_t first = p->bytes.n_bytes;
        p->lists[p->n_lists++] = (uint32_t)first;
        add_noise(&p->bytes, &rng, 100, 256);
        for (uint32_t again = 0; again < 2; again++) {
            p->lists[p->n_lists++] = (uint32_t)p->bytes.n_bytes;
            for (uint32_t k = 0; k < 100; k++) {
                char byte = p->bytes.bytes[first + k];
                wm_buffer_add(&p->bytes, &byte, 1);
            }
        }
    }
    cr_expect_lt(assert_round_trip(p, deflater), 105000);
    payload_free(p);
    wm_wmt_deflater_free(deflater);
}

Test(wmt_deflate, the_bytes_do_not_depend_on_what_was_packed_before)
{
    wm_wmt_deflater *used = wm_wmt_deflater_new();
    size_t n_packed[2] = {0, 0};
    for (uint32_t i = 0; i < 2; i++) {
        wm_rng rng = {3};
        payload *p = payload_new();
        for (uint32_t k = 0; k < 500; k++) {
            add_list(p, &rng, 50);
        }
        n_packed[i] = assert_round_trip(p, used);
        payload_free(p);
    }
    cr_assert_eq(n_packed[0], n_packed[1]);
    wm_wmt_deflater_free(used);
}
