/*
 * status.c -- error texts.
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *wm_status_text(wm_status status)
{
    static const char *const texts[] = {
#define X(name, text) text,
        WM_STATUS_LIST(X)
#undef X
    };
    if ((unsigned)status >= sizeof(texts) / sizeof(texts[0])) {
        return "unknown status";
    }
    return texts[status];
}

wm_status wm_fail(wm_error *err, wm_status status, const char *fmt, ...)
{
    if (err != NULL) {
        va_list args;
        err->status = status;
        va_start(args, fmt);
        (void)vsnprintf(err->text, sizeof(err->text), fmt, args);
        va_end(args);
        for (char *c = err->text; *c != '\0'; c++) {
            if ((unsigned char)*c < 0x20 || *c == 0x7f) {
                *c = '?';
            }
        }
    }
    return status;
}

wm_status wm_fail_memory(wm_error *err)
{
    return wm_fail(err, WM_ENOMEM, "out of memory");
}
