/*
 * host.c -- peak memory from /proc where there is one.  getrusage() alone is
 * not enough: on Linux it starts from what the parent held before the exec.
 */
#include "cli/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/processors.h"

/* VmHWM of /proc/self/status; 0 when there is no such file or line. */
static uint64_t host_high_water_kib(void)
{
    char line[256];
    uint64_t kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) {
        return 0;
    }
    while (fgets(line, sizeof(line), file) != NULL &&
           sscanf(line, "VmHWM: %" SCNu64, &kib) != 1) {
    }
    (void)fclose(file);
    return kib;
}

uint64_t wm_host_peak_bytes(void)
{
    struct rusage usage;
    uint64_t kib = host_high_water_kib();
    if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0) {
        kib = (uint64_t)usage.ru_maxrss; /* KiB on Linux and the BSDs */
    }
    return kib * 1024;
}

uint32_t wm_host_jobs(uint64_t n_jobs)
{
    if (n_jobs == 0) {
        n_jobs = wm_processors();
    }
    return n_jobs < UINT32_MAX ? (uint32_t)n_jobs : UINT32_MAX;
}
