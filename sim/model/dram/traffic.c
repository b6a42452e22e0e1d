/*
 * traffic.c -- six patterns over 4 GiB.
 */
#include "model/dram/traffic.h"

#include <string.h>

#include "base/bits.h"

#define SPAN       (UINT64_C(1) << 32)
#define BLOCK_MASK UINT64_C(127)
#define STRIDE     UINT64_C(2048)

static const char *const patterns[WM_TRAFFIC_PATTERNS] = {
    "seq",    /* consecutive addresses */
    "stride", /* 2 KiB apart, shifted by one request each time round */
    "rand",   /* random addresses */
    "copy",   /* bursts of 8 reads and 8 writes, 2 GiB apart */
    "rmix",   /* random addresses, half of them writes */
    "gpu", /* 64 walkers in bursts of 128 B that jump at times, 3 of 10 write */
};

const char *wm_traffic_name(size_t pattern)
{
    return pattern < WM_TRAFFIC_PATTERNS ? patterns[pattern] : NULL;
}

static uint64_t traffic_draw(wm_traffic *stream)
{
    uint64_t s = stream->state;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    stream->state = s;
    return s * UINT64_C(2685821657736338717);
}

void wm_traffic_init(wm_traffic *stream, wm_traffic_pattern pattern,
                     uint64_t granule)
{
    memset(stream, 0, sizeof(*stream));
    stream->pattern = pattern;
    stream->granule = granule;
    stream->is_power = wm_is_power_of_two(granule);
    stream->state = UINT64_C(88172645463325252);
    for (uint32_t k = 0; k < WM_TRAFFIC_WALKERS; k++) {
        stream->walker[k] = traffic_draw(stream) % SPAN & ~BLOCK_MASK;
    }
}

static uint64_t traffic_gpu(wm_traffic *stream, uint64_t i, bool *is_write)
{
    if (i % 4 == 0) {
        stream->turn = (uint32_t)(traffic_draw(stream) >> 58);
        if ((traffic_draw(stream) & 1023) < 8) {
            stream->walker[stream->turn] =
                traffic_draw(stream) % SPAN & ~BLOCK_MASK;
        }
    }
    *is_write = stream->turn % 10 < 3;
    const uint64_t addr = stream->walker[stream->turn] % SPAN;
    stream->walker[stream->turn] += stream->granule;
    return addr;
}

uint64_t wm_traffic_next(wm_traffic *stream)
{
    const uint64_t i = stream->index++;
    const uint64_t g = stream->granule;
    const uint64_t rows = 524288;
    uint64_t addr = 0;
    bool is_write = false;
    switch (stream->pattern) {
    case WM_TRAFFIC_STRIDE:
        addr = i % rows * STRIDE + i / rows * g % STRIDE;
        break;
    case WM_TRAFFIC_RAND:
        addr = (traffic_draw(stream) >> 11) % SPAN;
        break;
    case WM_TRAFFIC_COPY:
        is_write = (i / 8 & 1) != 0;
        addr =
            (i / 16 * 8 + (i & 7)) * g % (SPAN / 2) + (is_write ? SPAN / 2 : 0);
        break;
    case WM_TRAFFIC_RMIX:
        addr = (traffic_draw(stream) >> 11) % SPAN;
        is_write = traffic_draw(stream) >> 63 != 0;
        break;
    case WM_TRAFFIC_GPU:
        addr = traffic_gpu(stream, i, &is_write);
        break;
    default:
        addr = i * g % SPAN;
        break;
    }
    return (stream->is_power ? addr & ~(g - 1) : addr - addr % g) | is_write;
}
