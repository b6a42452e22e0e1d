/*
 * host.h -- what a run took of the machine it ran on.  Never part of a
 * result's comparable bytes.
 */
#ifndef WM_CLI_HOST_H
#define WM_CLI_HOST_H

#include <stdint.h>

/* n_jobs as given to --jobs; 0 = one per online processor. */
uint32_t wm_host_jobs(uint64_t n_jobs);

/* The most memory this program has held, in bytes; 0 when nobody tells. */
uint64_t wm_host_peak_bytes(void);

#endif
