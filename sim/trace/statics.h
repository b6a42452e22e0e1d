/*
 * statics.h -- the static instructions of one launch, found by program counter
 * and mnemonic, in order of first appearance.
 *
 * Every instruction of the trace has an entry, so that its mnemonic is parsed
 * once; only those that become records are numbered and listed.
 *
 * Ownership  owns the mnemonics and the list; both live until clear or fini.
 *            An entry pointer is valid until the next find.
 * Errors     NULL or UINT32_MAX when memory is short or the launch has more
 *            than WM_STATICS_MAX instructions.
 */
#ifndef WM_TRACE_STATICS_H
#define WM_TRACE_STATICS_H

#include "trace/opcode.h"
#include "trace/record.h"

#define WM_STATICS_MAX (UINT32_C(1) << 20)
#define WM_STATIC_NONE UINT32_MAX

typedef struct wm_static_entry {
    uint64_t pc;
    const char *text; /* NUL-terminated */
    uint32_t n_text;
    uint32_t static_id; /* WM_STATIC_NONE until numbered */
    wm_opcode opcode;
} wm_static_entry;

typedef struct wm_text_block wm_text_block;

typedef struct wm_statics {
    wm_static *list;
    uint32_t n_listed;
    size_t cap_listed;
    wm_static_entry *entries;
    uint32_t n_entries;
    size_t cap_entries;
    uint32_t *slots; /* entry + 1, open addressing; 0 = free */
    uint32_t n_slots;
    wm_text_block *texts;
} wm_statics;

void wm_statics_init(wm_statics *statics);
void wm_statics_fini(wm_statics *statics);
void wm_statics_clear(wm_statics *statics);

/* The entry of this instruction, added when it is new. */
wm_static_entry *wm_statics_find(wm_statics *statics, uint64_t pc,
                                 const char *text, size_t n_text);

/* Numbers an entry that has no number yet; returns its number. */
uint32_t wm_statics_number(wm_statics *statics, wm_static_entry *entry,
                           wm_kind kind, uint8_t width, uint32_t source_line);

#endif
