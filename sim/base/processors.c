/*
 * processors.c -- the affinity mask where there is one, else what is online.
 */
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

uint32_t wm_processors(void)
{
#if defined(CPU_COUNT)
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof(mask), &mask) == 0 &&
        CPU_COUNT(&mask) > 0) {
        return (uint32_t)CPU_COUNT(&mask);
    }
#endif
    /* A machine with more processors than the mask has bits, or another
     * system. */
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}
