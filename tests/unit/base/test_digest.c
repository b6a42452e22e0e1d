/*
 * test_digest.c -- a digest depends on all bytes and on nothing else.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/digest.h"
#include "base/rng.h"

static void digest_of(const void *bytes, size_t n, char hex[WM_DIGEST_HEX])
{
    wm_digest digest;
    wm_digest_init(&digest);
    wm_digest_add(&digest, bytes, n);
    wm_digest_hex(&digest, hex);
}

Test(digest, is_32_lower_case_hex_digits)
{
    char hex[WM_DIGEST_HEX];
    digest_of("warpmem", 7, hex);
    cr_expect_eq(strlen(hex), 32u);
    cr_expect_eq(strspn(hex, "0123456789abcdef"), 32u);
}

/* Results name their inputs by it: it may not change from one version or host
 * to the next. */
Test(digest, of_known_bytes_is_known)
{
    char hex[WM_DIGEST_HEX];
    uint8_t bytes[100];
    for (unsigned i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)i;
    }
    digest_of("", 0, hex);
    cr_expect_str_eq(hex, "36cd40400b5d7c931755f5e35fd6c85d");
    digest_of("abc", 3, hex);
    cr_expect_str_eq(hex, "27a255d662211e20f6d76a9d67b00cdb");
    digest_of(bytes, sizeof(bytes), hex);
    cr_expect_str_eq(hex, "08571b474fc90335aa7f545dced98018");
}

Test(digest, does_not_depend_on_how_the_bytes_are_cut)
{
    const uint64_t seed = 7;
    wm_rng rng = {seed};
    uint8_t bytes[300];
    char whole[WM_DIGEST_HEX];
    char pieces[WM_DIGEST_HEX];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)wm_rng_next(&rng);
    }
    for (int round = 0; round < 500; round++) {
        size_t n = wm_rng_below(&rng, sizeof(bytes) + 1);
        wm_digest digest;
        wm_digest_init(&digest);
        for (size_t at = 0; at < n;) {
            size_t step = wm_rng_below(&rng, 70);
            step = step < n - at ? step : n - at;
            wm_digest_add(&digest, bytes + at, step);
            at += step;
        }
        wm_digest_hex(&digest, pieces);
        digest_of(bytes, n, whole);
        cr_assert_str_eq(pieces, whole, "seed %llu, %zu bytes",
                         (unsigned long long)seed, n);
    }
}

Test(digest, every_bit_and_the_length_matter)
{
    uint8_t bytes[97] = {0};
    char base[WM_DIGEST_HEX];
    char other[WM_DIGEST_HEX];
    digest_of(bytes, sizeof(bytes), base);
    for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        digest_of(bytes, sizeof(bytes), other);
        cr_expect_str_neq(other, base, "bit %zu", bit);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    for (size_t n = 0; n < sizeof(bytes); n++) {
        digest_of(bytes, n, other);
        cr_expect_str_neq(other, base, "%zu zero bytes", n);
    }
}

Test(digest, hex_leaves_the_state_usable)
{
    wm_digest digest;
    char hex[WM_DIGEST_HEX];
    char whole[WM_DIGEST_HEX];
    wm_digest_init(&digest);
    wm_digest_add(&digest, "abc", 3);
    wm_digest_hex(&digest, hex);
    wm_digest_add(&digest, "def", 3);
    wm_digest_hex(&digest, hex);
    digest_of("abcdef", 6, whole);
    cr_expect_str_eq(hex, whole);
}
