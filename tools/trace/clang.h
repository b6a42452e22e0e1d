/*
 * clang.h -- runs the compiler: source to LLVM assembly, assembly to a shared
 * object, and loads that.
 *
 * The compiler is $WARPMEM_CLANG, else the first of clang, clang-21 ...
 * clang-14 on the path.  Its messages go to stderr as they come.
 *
 * Ownership  init/fini; a folder under $TMPDIR or /tmp holds the files.
 * Errors     WM_EIO when there is no compiler (says what to install), when a
 *            process cannot be started; WM_EFORMAT when the compiler or the
 *            loader refuses the source.
 */
#ifndef WM_TOOLS_CLANG_H
#define WM_TOOLS_CLANG_H

#include "base/buffer.h"
#include "base/status.h"
#include "ir.h"
#include "run.h"
#include "spec.h"

typedef struct wm_clang {
    char program[256];
    char folder[256];
    void *library;
} wm_clang;

wm_status wm_clang_init(wm_clang *clang, wm_error *err);
void wm_clang_fini(wm_clang *clang);
/* The source as LLVM assembly, appended to text. */
wm_status wm_clang_compile(wm_clang *clang, const wm_spec *spec,
                           wm_buffer *text, wm_error *err);
wm_status wm_clang_load(wm_clang *clang, const wm_spec *spec,
                        const wm_buffer *text, wm_module *module,
                        wm_error *err);

#endif
