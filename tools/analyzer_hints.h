/*
 * analyzer_hints.h -- included first by tools/check_static.sh, and by nothing
 * else: gcc -fanalyzer sees one file at a time and does not know that what
 * wm_fail returns is never WM_OK.
 */
#ifndef WM_TOOLS_ANALYZER_HINTS_H
#define WM_TOOLS_ANALYZER_HINTS_H

#include "base/status.h"

#define wm_fail(err, status, ...) (wm_fail(err, status, __VA_ARGS__), (status))
#define wm_fail_memory(err)       (wm_fail_memory(err), WM_ENOMEM)

#endif
