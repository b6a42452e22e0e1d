/*
 * access_words.h -- words that lists of accesses use, made into the opcodes
 * that opcode.h reads.  Private to the trace floor.
 */
#ifndef WM_TRACE_ACCESS_WORDS_H
#define WM_TRACE_ACCESS_WORDS_H

#include "trace/text_scan.h"

/*
 * The SASS opcode for an operation in words ("load", "st", "atomic", "R") and
 * a space ("global", "shared", "local"; empty: global); the word itself where
 * it is an opcode.  An empty word is a load.
 */
wm_word wm_access_opcode(const wm_word *operation, const wm_word *space);

#endif
