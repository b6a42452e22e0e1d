/*
 * ir.h -- puts reports into a kernel: reads the LLVM assembly that clang made
 * of it, finds every memory access, and writes it again with a call before
 * each.
 *
 * Why the text of the optimised program and not a sanitizer's instrumentation
 * (-fsanitize=thread, which also reports every access): the same place in the
 * compiler's pipeline, and besides the accesses the text holds what a trace
 * wants of the instructions between them - arithmetic, which load feeds which
 * use, the paths that meet again - and private arrays and 32-byte vectors,
 * which that instrumentation leaves out.
 *
 * What is called (lanes.h has the bodies):
 *     wm_rt_access(i64 address, i32 event)         before a load or store
 *     wm_rt_copy(i64 address, i64 bytes, i32 event) before a block copy
 *     wm_rt_block(i32 event), wm_rt_mark(i32 event)
 * Calls of wm_rt_barrier, wm_rt_atomic32 and the like are in the program
 * already (include/); their last argument, WM_IR_PLACE, becomes the event.
 *
 * It also makes the function wm_entry(i64), which calls the kernel with the
 * arguments found at 16-byte steps from there, and the table wm_image of the
 * module's addresses (WM_IMAGE_*).
 *
 * Not modelled  accesses of functions outside the source file.
 * Ownership     out, events and kernel are the caller's.
 * Errors        WM_EFORMAT when the kernel is not there or has parameters
 *               that cannot be handed over; WM_ENOMEM.
 * Repeatable    the same text gives the same text.
 */
#ifndef WM_TOOLS_IR_H
#define WM_TOOLS_IR_H

#include "base/buffer.h"
#include "base/status.h"
#include "events.h"

#define WM_IR_PLACE      "305419896"
#define WM_IR_PARAMS_MAX 64u
#define WM_IR_ARG_BYTES  16u

enum {
    WM_IMAGE_START, /* of all the module's memory */
    WM_IMAGE_END,
    WM_IMAGE_SHARED,  /* static, then dynamic shared memory */
    WM_IMAGE_DYNAMIC, /* where the dynamic part starts */
    WM_IMAGE_SHARED_END,
    WM_IMAGE_MODULE, /* __device__ variables */
    WM_IMAGE_MODULE_END,
    WM_IMAGE_COUNT
};

typedef struct wm_ir_param {
    char type[64];   /* LLVM's: "i32", "float", "i8*", "ptr" */
    char name[64];   /* as in the source; "" when it is not known */
    char extend[10]; /* "signext", "zeroext" or "" */
    bool is_pointer;
    bool is_local; /* OpenCL: __local */
} wm_ir_param;

typedef struct wm_ir_kernel {
    char name[256]; /* as the linker knows it */
    uint32_t n_params;
    wm_ir_param params[WM_IR_PARAMS_MAX];
} wm_ir_kernel;

typedef struct wm_ir_request {
    const char *kernel; /* as in the source */
    const char *source; /* path, for messages */
    bool is_opencl;
    uint64_t dynamic_bytes; /* of shared memory */
} wm_ir_request;

wm_status wm_ir_rewrite(const char *text, const wm_ir_request *request,
                        wm_buffer *out, wm_events *events, wm_ir_kernel *kernel,
                        wm_error *err);

void wm_events_fini(wm_events *events);

#endif
