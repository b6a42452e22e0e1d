/*
 * host.h -- what a run took of the machine it ran on.  Never part of a
 * result's comparable bytes.
 */
#ifndef WM_CLI_HOST_H
#define WM_CLI_HOST_H

#include <stdint.h>

/* The most memory this program has held, in bytes; 0 when nobody tells. */
uint64_t wm_host_peak_bytes(void);

#endif
