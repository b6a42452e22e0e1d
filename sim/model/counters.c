/*
 * counters.c -- the counters' names and meanings.
 */
#include "model/counters.h"

const wm_counter_info wm_counter_infos[] = {
#define WM_COUNTER(id, name, unit, nsight, sentence)                           \
    {name, unit, nsight, sentence},
#include "model/counters.def"
#undef WM_COUNTER
};
