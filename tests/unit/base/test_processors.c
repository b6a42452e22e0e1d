/* test_processors.c -- the affinity mask counts, not the machine. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <criterion/criterion.h>
#include <sched.h>
#include <unistd.h>

#include "base/processors.h"

Test(processors, are_those_of_the_affinity_mask)
{
    cpu_set_t mask;
    cr_assert_eq(sched_getaffinity(0, sizeof(mask), &mask), 0);
    cr_assert_eq(wm_processors(), (uint32_t)CPU_COUNT(&mask));
    int first = 0;
    while (!CPU_ISSET(first, &mask)) {
        first++;
    }
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    cr_assert_eq(sched_setaffinity(0, sizeof(mask), &mask), 0);
    cr_assert_eq(wm_processors(), 1);
}
