/*
 * digest.c -- the 128-bit digest.
 */
#include "base/digest.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define P1 UINT64_C(0x9e3779b185ebca87)
#define P2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define P3 UINT64_C(0x165667b19e3779f9)
#define P4 UINT64_C(0x85ebca77c2b2ae63)

static uint64_t digest_rotate(uint64_t x, unsigned n)
{
    return (x << n) | (x >> (64 - n));
}

static uint64_t digest_round(uint64_t lane, uint64_t word)
{
    return digest_rotate(lane + word * P2, 31) * P1;
}

static void digest_block(wm_digest *digest, const uint8_t *p)
{
    for (unsigned i = 0; i < 4; i++) {
        digest->lane[i] =
            digest_round(digest->lane[i], wm_load_le64(p + 8 * i));
    }
}

void wm_digest_init(wm_digest *digest)
{
    memset(digest, 0, sizeof(*digest));
    digest->lane[0] = P1 + P2;
    digest->lane[1] = P2;
    digest->lane[2] = 0;
    digest->lane[3] = 0 - P1;
}

void wm_digest_add(wm_digest *digest, const void *bytes, size_t n_bytes)
{
    const uint8_t *p = bytes;
    digest->n_bytes += n_bytes;
    if (digest->n_rest != 0) {
        size_t want = 32u - digest->n_rest;
        size_t take = n_bytes < want ? n_bytes : want;
        memcpy(digest->rest + digest->n_rest, p, take);
        digest->n_rest += (uint32_t)take;
        p += take;
        n_bytes -= take;
        if (digest->n_rest < 32) {
            return;
        }
        digest_block(digest, digest->rest);
        digest->n_rest = 0;
    }
    for (; n_bytes >= 32; n_bytes -= 32, p += 32) {
        digest_block(digest, p);
    }
    if (n_bytes != 0) {
        memcpy(digest->rest, p, n_bytes);
        digest->n_rest = (uint32_t)n_bytes;
    }
}

void wm_digest_hex(const wm_digest *digest, char hex[WM_DIGEST_HEX])
{
    wm_digest copy = *digest;
    if (copy.n_rest != 0) {
        memset(copy.rest + copy.n_rest, 0, 32u - copy.n_rest);
        digest_block(&copy, copy.rest);
    }
    uint64_t a = copy.n_bytes * P3;
    uint64_t b = copy.n_bytes ^ P4;
    for (unsigned i = 0; i < 4; i++) {
        a = digest_rotate(a ^ digest_round(0, copy.lane[i]), 27) * P1 + P4;
        b = digest_rotate(b ^ wm_mix64(copy.lane[i] + i), 29) * P2 + P3;
    }
    (void)snprintf(hex, WM_DIGEST_HEX, "%016llx%016llx",
                   (unsigned long long)wm_mix64(a),
                   (unsigned long long)wm_mix64(b));
}
