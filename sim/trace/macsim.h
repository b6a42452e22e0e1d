/*
 * macsim.h -- the parts of a MacSim trace (format_macsim.c).  Private to the
 * trace floor.
 *
 * Layout and numbers are those of the reader of gthparch/macsim
 * (src/trace_read_nvbit.cc, BSD) and of trace files stored there.
 */
#ifndef WM_TRACE_MACSIM_H
#define WM_TRACE_MACSIM_H

#include "trace/distil.h"
#include "trace/statics.h"

#define WM_MACSIM_RECORD_BYTES 64u

/* One record of a trace_<warp>.raw file, little-endian. */
typedef struct wm_macsim_record {
    uint8_t opcode; /* number in MacSim's list */
    uint8_t n_src, n_dst;
    uint16_t src[4], dst[4]; /* registers; 255 reads as zero */
    uint32_t mask;
    uint64_t pc;
    uint64_t address;
    uint8_t size; /* bytes; of the first of a split access: times its parts */
} wm_macsim_record;

void wm_macsim_decode(const uint8_t bytes[WM_MACSIM_RECORD_BYTES],
                      wm_macsim_record *out);
/* True when next is a further part of the access that first began. */
bool wm_macsim_continues(const wm_macsim_record *first,
                         const wm_macsim_record *next);

/* A warp being read. */
typedef struct wm_macsim_warp {
    wm_distil distil;
    wm_macsim_record first; /* of the access being gathered */
    uint64_t addresses[64]; /* of its parts */
    uint32_t n_parts;       /* 0: no access waits */
    uint32_t n_last_bytes;  /* size of the last part */
} wm_macsim_warp;

void wm_macsim_warp_start(wm_macsim_warp *warp);
/* One record; false when memory is short. */
bool wm_macsim_feed(wm_macsim_warp *warp, wm_statics *statics, wm_cta *cta,
                    const wm_macsim_record *record);
/* The end of the warp: its exit. */
bool wm_macsim_finish(wm_macsim_warp *warp, wm_statics *statics, wm_cta *cta);

#endif
