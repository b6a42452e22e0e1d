/*
 * processors.h -- how many processors this process may run on: those of its
 * affinity mask, which batch systems and taskset set, and not those of the
 * whole node.
 *
 * Not modelled  processor time limits of control groups.
 * Repeatable    no result may depend on it.
 */
#ifndef WM_BASE_PROCESSORS_H
#define WM_BASE_PROCESSORS_H

#include <stdint.h>

/* At least 1. */
uint32_t wm_processors(void);

#endif
