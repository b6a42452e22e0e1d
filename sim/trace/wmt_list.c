/*
 * wmt_list.c -- see wmt_list.h.
 */
#include "trace/wmt_list.h"

#include "base/bits.h"

#define SHIFT_MASK    63u
#define HAS_FIRST     64u /* v[0] is not 0 and is kept too */
#define WIDTH_MAX     64u
#define FAST_BITS_MAX 56u /* an 8-byte load holds them wherever they begin */

/* The values of the list into v; LIST32 offsets sign-extended. */
static void values_get(const wm_record *record, const uint32_t *pool,
                       uint32_t n, uint64_t *v)
{
    if (record->pattern == WM_PATTERN_LIST32) {
        for (uint32_t i = 0; i < n; i++) {
            v[i] = (uint64_t)(int64_t)(int32_t)pool[record->u.list + i];
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *pair = &pool[record->u.list + 2 * i];
        v[i] = ((uint64_t)pair[1] << 32 | pair[0]) - record->base;
    }
}

/* n numbers of width bits, the lowest bit first, to whole bytes. */
static void bits_add(wm_buffer *lanes, const uint64_t *x, uint32_t n,
                     uint32_t width)
{
    uint8_t bytes[WM_LANES_MAX * 8];
    size_t n_bytes = 0;
    uint64_t waiting = 0;
    uint32_t n_waiting = 0;
    for (uint32_t i = 0; i < n; i++) {
        waiting |= x[i] << n_waiting;
        uint32_t n_bits = n_waiting + width;
        if (n_bits >= 64) {
            wm_wmt_put_u64(bytes + n_bytes, waiting);
            n_bytes += 8;
            waiting = n_waiting == 0 ? 0 : x[i] >> (64 - n_waiting);
            n_bits -= 64;
        }
        n_waiting = n_bits;
    }
    for (uint32_t done = 0; done < n_waiting; done += 8) {
        bytes[n_bytes++] = (uint8_t)(waiting >> done);
    }
    if (n_bytes > 0) {
        wm_buffer_add(lanes, bytes, n_bytes);
    }
}

void wm_wmt_list_write(wm_buffer *lists, wm_buffer *lanes,
                       const wm_record *record, const uint32_t *pool,
                       uint32_t n)
{
    uint64_t x[WM_LANES_MAX] = {0};
    uint64_t last = 0;
    uint64_t all = 0;
    bool is_narrow = record->pattern == WM_PATTERN_LIST32;
    values_get(record, pool, n, x);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = x[i];
        uint64_t step = value - last;
        x[i] = is_narrow ? (uint64_t)(int64_t)(int32_t)step : step;
        all |= x[i];
        last = value;
    }
    uint32_t shift = all == 0 ? 0 : wm_lowest_bit(all);
    uint64_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t sign = 0 - (x[i] >> 63);
        x[i] = wm_wmt_zigzag((x[i] ^ sign) >> shift ^ sign);
        used |= x[i];
    }
    bool has_first = x[0] != 0;
    uint32_t width = used == 0 ? 0 : wm_highest_bit(used) + 1;
    uint8_t control[2] = {(uint8_t)width,
                          (uint8_t)(shift | (has_first ? HAS_FIRST : 0))};
    wm_buffer_add(lists, control, sizeof(control));
    uint32_t first = has_first ? 0 : 1;
    if (n > first) {
        bits_add(lanes, x + first, n - first, width);
    }
}

/* The number of width bits at the bit-th bit; see WM_WMT_LIST_SLACK. */
static inline uint64_t bits_get(const uint8_t *at, size_t bit, uint32_t width)
{
    const uint8_t *from = at + bit / 8;
    uint32_t skew = (uint32_t)bit & 7;
    uint64_t x = wm_wmt_get_u64(from) >> skew;
    if (width > FAST_BITS_MAX && skew != 0) {
        x |= (uint64_t)from[8] << (64 - skew);
    }
    return x & wm_low_mask(width);
}

static void read_narrow(const uint8_t *at, uint32_t width, uint32_t shift,
                        uint32_t *pool, uint32_t n)
{
    uint64_t mask = wm_low_mask(width);
    uint32_t value = 0;
    size_t bit = 0;
    for (uint32_t i = 0; i < n; i++, bit += width) {
        uint64_t x = (wm_wmt_get_u64(at + bit / 8) >> (bit & 7)) & mask;
        value += (uint32_t)(wm_wmt_unzigzag(x) << shift);
        pool[i] = value;
    }
}

static void read_wide(const uint8_t *at, uint32_t width, uint32_t shift,
                      uint64_t base, uint32_t *pool, uint32_t n)
{
    uint64_t value = base;
    size_t bit = 0;
    for (uint32_t i = 0; i < n; i++, bit += width) {
        value += wm_wmt_unzigzag(bits_get(at, bit, width)) << shift;
        pool[2 * i] = (uint32_t)value;
        pool[2 * i + 1] = (uint32_t)(value >> 32);
    }
}

bool wm_wmt_list_read(wm_wmt_cursor *lists, wm_wmt_cursor *lanes,
                      const wm_record *record, uint32_t *pool, uint32_t n)
{
    bool is_narrow = record->pattern == WM_PATTERN_LIST32;
    if (wm_wmt_left(lists) < 2) {
        return false;
    }
    uint32_t width = lists->at[0];
    uint32_t shift = lists->at[1] & SHIFT_MASK;
    bool has_first = (lists->at[1] & HAS_FIRST) != 0;
    if (width > (is_narrow ? WIDTH_MAX / 2 : WIDTH_MAX) ||
        lists->at[1] > (SHIFT_MASK | HAS_FIRST)) {
        return false;
    }
    lists->at += 2;
    if (!has_first) {
        /* v[0] is 0: the first lane's address is the base. */
        pool[0] = is_narrow ? 0 : (uint32_t)record->base;
        if (!is_narrow) {
            pool[1] = (uint32_t)(record->base >> 32);
        }
        pool += is_narrow ? 1 : 2;
        n--;
    }
    size_t n_bytes = ((size_t)n * width + 7) / 8;
    if (n_bytes > wm_wmt_left(lanes)) {
        return false;
    }
    if (is_narrow) {
        read_narrow(lanes->at, width, shift, pool, n);
    } else {
        read_wide(lanes->at, width, shift, record->base, pool, n);
    }
    lanes->at += n_bytes;
    return true;
}
