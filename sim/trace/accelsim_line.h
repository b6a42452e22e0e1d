/*
 * accelsim_line.h -- one instruction line of an Accel-Sim trace:
 *
 *     [x y z warp [sm slot]] [line] PC mask ndst [Rd].. OPCODE nsrc [Rs]..
 *     width [mode addresses] [immediate] [store data]
 *
 * Which of the optional fields are there follows from the file (layout).
 * Addresses are taken by what mode and mask demand, never "the rest".
 *
 * Ownership  opcode and the places point into the line.
 * Errors     false: problem says what was wanted, at points at what was found
 *            (NULL when problem is the whole sentence).
 * Cost       one pass over the bytes, no allocation.
 */
#ifndef WM_TRACE_ACCELSIM_LINE_H
#define WM_TRACE_ACCELSIM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_ACCELSIM_DST_MAX 4u
#define WM_ACCELSIM_SRC_MAX 12u
#define WM_ACCELSIM_LANES   32u

typedef struct wm_accelsim_layout {
    uint32_t version;  /* tracer's; 2 when the file does not say */
    uint32_t n_prefix; /* numbers before the line's own fields: 0, 4 or 6 */
    bool has_source_line;
} wm_accelsim_layout;

typedef enum wm_accelsim_mode {
    WM_ACCELSIM_LIST,   /* addresses[0 .. active-1] */
    WM_ACCELSIM_STRIDE, /* base, stride */
    WM_ACCELSIM_DELTAS, /* read into addresses[] */
    WM_ACCELSIM_BULK    /* modes 3 and 4: not read */
} wm_accelsim_mode;

typedef struct wm_accelsim_line {
    /* What all lines of a static instruction share. */
    uint32_t source_line;
    uint64_t pc;
    uint8_t n_dst, n_src;
    uint8_t dst[WM_ACCELSIM_DST_MAX]; /* 255 for what is not a register */
    uint8_t src[WM_ACCELSIM_SRC_MAX];
    const char *opcode;
    size_t n_opcode;
    uint64_t width;
    int64_t immediate; /* 0 where the layout has none */
    /* What they do not. */
    uint32_t mask;
    wm_accelsim_mode mode;
    uint64_t base;
    int64_t stride;
    uint64_t addresses[WM_ACCELSIM_LANES];
    /* Behind the prefix; the mask; the byte behind it; behind the width. */
    const char *start, *at_mask, *at_tail, *at_rest;
    const char *at;
    char problem[96];
} wm_accelsim_line;

/* text must be followed by a byte below ' ' and WM_STREAM_PAD readable bytes
 * (wm_stream_line). */
bool wm_accelsim_line_parse(const wm_accelsim_layout *layout, const char *text,
                            wm_accelsim_line *out);

/* The place behind the prefix, or NULL where no prefix is. */
const char *wm_accelsim_line_start(const wm_accelsim_layout *layout,
                                   const char *text);

/* Parses from the addresses on; width, mask and immediate must be set. */
bool wm_accelsim_line_rest(const wm_accelsim_layout *layout, const char *rest,
                           wm_accelsim_line *out);

/*
 * Finds n_prefix and has_source_line in a file's first instruction line, when
 * the prefix can be 4 or 6 numbers: they end where an 8-digit mask follows
 * the PC.  Leaves the layout as it is when neither fits.
 */
void wm_accelsim_line_probe(wm_accelsim_layout *layout, const char *text);

/* The first n numbers of a line only; false when they are not there. */
bool wm_accelsim_line_prefix(const char *text, uint32_t n, uint32_t *out);

#endif
