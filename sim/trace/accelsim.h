/*
 * accelsim.h -- the parts of the Accel-Sim reader (format_accelsim.c).
 *
 *     accelsim_header.c  "-key = value" lines  -> wm_launch, layout
 *     accelsim_line.c    one instruction line  -> fields
 *     accelsim_form.c    ... or the instruction it was before
 *     accelsim_feed.c    fields                -> records of one warp
 *     accelsim_group.c   grouped files: one CTA after the other
 *     accelsim_raw.c     raw files: CTAs interleaved in arrival order
 *
 * Private to the trace floor.
 */
#ifndef WM_TRACE_ACCELSIM_H
#define WM_TRACE_ACCELSIM_H

#include "trace/accelsim_form.h"
#include "trace/format.h"
#include "trace/statics.h"
#include "trace/stream.h"

/* Warps per CTA that a header or a file may name: far above hardware. */
#define WM_ACCELSIM_WARPS_MAX 1024u

typedef struct wm_accelsim_raw wm_accelsim_raw;

/* A warp being read. */
typedef struct wm_accelsim_warp {
    wm_distil distil;
    uint32_t last; /* form of its last line, or WM_ACCELSIM_FORM_NONE */
} wm_accelsim_warp;

struct wm_reader {
    wm_reader_context context;
    wm_stream *stream;
    wm_launch launch;
    char *name;
    char *where;
    wm_statics statics;
    wm_accelsim_layout layout;
    wm_accelsim_line line;   /* the one being read */
    uint32_t at;             /* its entry of statics, its form */
    wm_accelsim_form *forms; /* of each entry of statics */
    size_t cap_forms;
    uint32_t n_forms;      /* entries of statics that have one by now */
    wm_accelsim_warp warp; /* grouped files: one at a time */
    wm_accelsim_raw *raw;  /* raw files */
    const char *text;      /* a line read ahead, or NULL */
    size_t n_text;
    uint64_t n_ctas_read;
    uint32_t exit_id; /* static of the EXIT line last read */
    bool has_newline; /* the last line read had one */
    bool has_body;    /* the body's first line has been seen */
    bool is_raw;
    bool is_launched;
    bool is_ended;
    bool has_warned_misaligned, has_warned_window, has_warned_warp;
    bool has_warned_opcode;
};

/* "FILE:LINE" of the line last read. */
typedef struct wm_accelsim_place {
    char text[512];
} wm_accelsim_place;
wm_accelsim_place wm_accelsim_here(const wm_reader *reader);

/* The next line that is not blank, into reader->text; NULL at the end. */
wm_status wm_accelsim_next_line(wm_reader *reader, wm_error *err);
bool wm_accelsim_starts(const wm_reader *reader, const char *prefix);

/*
 * What to do about damage: with keep_going a warning, and WM_OK (the trace is
 * no longer complete); else WM_EFORMAT with the same sentence.
 */
wm_status wm_accelsim_damage(wm_reader *reader, const char *code,
                             const char *sentence, wm_error *err);
/* A file that ends early is read as far as it goes, with a warning. */
void wm_accelsim_cut(wm_reader *reader, const char *code, const char *sentence);

/* Reads the header up to the body's first line, left in reader->text. */
wm_status wm_accelsim_header(wm_reader *reader, wm_error *err);
/* "(x,y,z)" or "x,y,z", each 0 .. 2^32-1. */
bool wm_accelsim_parse_triple(const char *text, size_t n_bytes,
                              uint32_t out[3]);

void wm_accelsim_warp_init(const wm_reader *reader, wm_accelsim_warp *warp);
void wm_accelsim_warp_start(wm_accelsim_warp *warp);
/* reader->text into reader->line and reader->at; a bad line is damage. */
wm_status wm_accelsim_parse(wm_reader *reader, wm_accelsim_warp *warp,
                            bool *is_parsed, wm_error *err);
/* Feeds reader->line to the warp. */
wm_status wm_accelsim_feed(wm_reader *reader, wm_cta *cta,
                           wm_accelsim_warp *warp, wm_error *err);
/* Ends a warp: its exit record. */
wm_status wm_accelsim_end_warp(wm_reader *reader, wm_cta *cta,
                               wm_accelsim_warp *warp, wm_error *err);
/* Makes room for warp w of the CTA; spans not yet seen are empty. */
wm_status wm_accelsim_grow_warps(wm_reader *reader, wm_cta *cta, uint32_t warp,
                                 wm_error *err);

wm_status wm_accelsim_group_cta(wm_reader *reader, wm_cta *cta, bool *has_cta,
                                wm_error *err);
wm_status wm_accelsim_raw_cta(wm_reader *reader, wm_cta *cta, bool *has_cta,
                              wm_error *err);
void wm_accelsim_raw_free(wm_accelsim_raw *raw);

#endif
