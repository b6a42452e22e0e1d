/*
 * digest.h -- a 128-bit digest that names inputs and configurations.
 *
 * Four lanes of the XXH64 round (Collet, xxHash specification 0.1.1) with two
 * different finishes.  Not cryptographic: it tells files apart, it does not
 * defend against someone who wants two to collide.
 *
 * Repeatable  the same bytes give the same digest however they are cut into
 *             calls, on any host.
 * Cost        about 8 bytes per host cycle.
 */
#ifndef WM_BASE_DIGEST_H
#define WM_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define WM_DIGEST_HEX 33u /* 32 hex digits and the NUL */

typedef struct wm_digest {
    uint64_t lane[4];
    uint64_t n_bytes;
    uint8_t rest[32];
    uint32_t n_rest;
} wm_digest;

void wm_digest_init(wm_digest *digest);
void wm_digest_add(wm_digest *digest, const void *bytes, size_t n_bytes);
/* Writes 32 lower-case hex digits and a NUL; the state stays usable. */
void wm_digest_hex(const wm_digest *digest, char hex[WM_DIGEST_HEX]);

#endif
