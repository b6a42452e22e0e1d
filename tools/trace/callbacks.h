/*
 * callbacks.h -- the calls of a traced kernel.  They are looked up by name
 * when the compiled kernel is loaded, hence visible.
 *
 * Units  addresses of the host; event: a number from ir.h.
 */
#ifndef WM_TOOLS_CALLBACKS_H
#define WM_TOOLS_CALLBACKS_H

#include <stdint.h>

#define WM_VISIBLE __attribute__((visibility("default")))

/* Must be as in include/warpmem_common.h. */
enum {
    WM_ATOMIC_ADD,
    WM_ATOMIC_SUB,
    WM_ATOMIC_EXCHANGE,
    WM_ATOMIC_MIN,
    WM_ATOMIC_MAX,
    WM_ATOMIC_UMIN,
    WM_ATOMIC_UMAX,
    WM_ATOMIC_AND,
    WM_ATOMIC_OR,
    WM_ATOMIC_XOR,
    WM_ATOMIC_COMPARE,
    WM_ATOMIC_INC,
    WM_ATOMIC_DEC,
    WM_ATOMIC_FADD
};

enum {
    WM_EXCHANGE_SYNC,
    WM_EXCHANGE_SHUFFLE, /* argument: lane, or distance; width << 8 */
    WM_EXCHANGE_BALLOT,
    WM_EXCHANGE_ALL,
    WM_EXCHANGE_UP,
    WM_EXCHANGE_DOWN,
    WM_EXCHANGE_XOR
};

WM_VISIBLE void wm_rt_access(uint64_t address, uint32_t event);
WM_VISIBLE void wm_rt_copy(uint64_t address, uint64_t n_bytes, uint32_t event);
WM_VISIBLE void wm_rt_async(uint64_t to, uint64_t from, uint32_t n_bytes,
                            uint32_t event);
WM_VISIBLE void wm_rt_async_commit(void);
/* Waits for all groups but the youngest n_groups. */
WM_VISIBLE void wm_rt_async_wait(uint32_t n_groups);
WM_VISIBLE void wm_rt_block(uint32_t event);
WM_VISIBLE void wm_rt_mark(uint32_t event);
/* source_line keeps the compiler from joining barriers of two branches. */
WM_VISIBLE void wm_rt_barrier(uint32_t source_line, uint32_t event);
WM_VISIBLE uint64_t wm_rt_exchange(uint32_t op, uint32_t mask, uint64_t value,
                                   uint32_t argument, uint32_t event);
WM_VISIBLE uint32_t wm_rt_atomic32(uint64_t address, uint32_t op,
                                   uint32_t value, uint32_t compare,
                                   uint32_t event);
WM_VISIBLE uint64_t wm_rt_atomic64(uint64_t address, uint32_t op,
                                   uint64_t value, uint64_t compare,
                                   uint32_t event);
/* 0-2 threadIdx, 3-5 blockIdx, 6-8 blockDim, 9-11 gridDim, 12 warpSize. */
WM_VISIBLE uint32_t wm_rt_index(uint32_t which);

WM_VISIBLE uint64_t _Z13get_global_idj(uint32_t i);
WM_VISIBLE uint64_t _Z12get_local_idj(uint32_t i);
WM_VISIBLE uint64_t _Z12get_group_idj(uint32_t i);
WM_VISIBLE uint64_t _Z14get_local_sizej(uint32_t i);
WM_VISIBLE uint64_t _Z15get_global_sizej(uint32_t i);
WM_VISIBLE uint64_t _Z14get_num_groupsj(uint32_t i);
WM_VISIBLE uint32_t _Z12get_work_dimv(void);
WM_VISIBLE uint64_t _Z17get_global_offsetj(uint32_t i);

#endif
