/* The rewriter: what it finds in LLVM assembly, with pointers typed (clang 14)
 * and opaque (15 and later), and what it puts in. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "ir.h"

#define TAIL                                                                   \
    "!llvm.ident = !{!0}\n"                                                    \
    "!0 = !{!\"clang version %s\"}\n"                                          \
    "!1 = !DIFile(filename: \"./k.cl\", directory: \"/\")\n"                   \
    "!2 = distinct !DISubprogram(name: \"k\", file: !1, line: 1)\n"            \
    "!3 = !DILocation(line: 7, column: 3, scope: !2)\n"                        \
    "!4 = !DILocalVariable(name: \"data\", arg: 1, scope: !2)\n"               \
    "!5 = !DILocation(line: 9, column: 3, scope: !2)\n"

static const char typed[] =
    "define spir_kernel void @k(float* noundef %0, i32 noundef %1) #0 !dbg !2 "
    "{\n"
    "  %3 = sext i32 %1 to i64, !dbg !3\n"
    "  %4 = getelementptr inbounds float, float* %0, i64 %3, !dbg !3\n"
    "  %5 = load float, float* %4, align 4, !dbg !3, !tbaa !9\n"
    "  %6 = fmul float %5, 2.000000e+00, !dbg !5\n"
    "  store float %6, float* %4, align 4, !dbg !5\n"
    "  ret void, !dbg !5\n"
    "}\n\n";

static const char opaque[] =
    "define spir_kernel void @k(ptr noundef %0, i32 noundef %1) #0 !dbg !2 {\n"
    "  %3 = sext i32 %1 to i64, !dbg !3\n"
    "  %4 = getelementptr inbounds float, ptr %0, i64 %3, !dbg !3\n"
    "  %5 = load float, ptr %4, align 4, !dbg !3, !tbaa !9\n"
    "    #dbg_value(float %5, !4, !DIExpression(), !3)\n"
    "  %6 = fmul float %5, 2.000000e+00, !dbg !5\n"
    "  store float %6, ptr %4, align 4, !dbg !5\n"
    "  ret void, !dbg !5\n"
    "}\n\n";

typedef struct rewritten {
    wm_buffer out;
    wm_events events;
    wm_ir_kernel kernel;
    wm_error err;
    wm_status status;
} rewritten;

static rewritten rewrite(const char *body, const char *version,
                         const char *kernel)
{
    rewritten r = {.err = {.status = WM_OK}};
    char text[4096];
    int n = snprintf(text, sizeof(text), "%s" TAIL, body, version);
    wm_ir_request request = {
        .kernel = kernel, .source = "k.cl", .is_opencl = true};
    cr_assert(n > 0 && (size_t)n < sizeof(text));
    wm_buffer_init(&r.out);
    r.status =
        wm_ir_rewrite(text, &request, &r.out, &r.events, &r.kernel, &r.err);
    return r;
}

static void finish(rewritten *r)
{
    wm_buffer_fini(&r->out);
    wm_events_fini(&r->events);
}

static void check_accesses(const char *body, const char *version)
{
    rewritten r = rewrite(body, version, "k");
    cr_assert_eq(r.status, WM_OK, "%s", r.err.text);
    cr_assert_eq(r.events.n, 2);
    const wm_event *load = &r.events.items[0];
    const wm_event *store = &r.events.items[1];
    cr_assert_eq(load->op, WM_EVENT_LOAD);
    cr_assert_eq(load->width, 4);
    cr_assert_eq(load->line, 7);
    cr_assert_str_eq(r.events.files[load->file], "k.cl");
    cr_assert_eq(load->pre.slots, 1, "the getelementptr, not the cast");
    cr_assert_eq(load->pre.uses, 0);
    cr_assert_eq(store->op, WM_EVENT_STORE);
    cr_assert_eq(store->line, 9);
    cr_assert_eq(store->pre.slots, 1);
    cr_assert_eq(store->pre.flops_fp32, 1);
    cr_assert_eq(store->pre.uses, UINT64_C(1) << load->load_bit);
    cr_assert_eq(store->pre.before, 0, "the multiplication waits");
    cr_assert_eq(r.kernel.n_params, 2);
    cr_assert(r.kernel.params[0].is_pointer);
    cr_assert_str_eq(r.kernel.params[0].name, "data");
    cr_assert_str_eq(r.kernel.params[1].type, "i32");
    cr_assert_not_null(strstr(r.out.bytes, "call void @wm_rt_access(i64 "));
    cr_assert_not_null(strstr(r.out.bytes, "define void @wm_entry(i64 %a)"));
    finish(&r);
}

Test(ir, finds_accesses_with_typed_pointers)
{
    check_accesses(typed, "14.0.6");
}

Test(ir, finds_accesses_with_opaque_pointers)
{
    check_accesses(opaque, "19.1.7");
}

Test(ir, names_the_kernels_there_are_when_one_is_missing)
{
    rewritten r = rewrite(typed, "14.0.6", "kernel");
    cr_assert_eq(r.status, WM_EFORMAT);
    cr_assert_str_eq(r.err.text,
                     "k.cl: found no kernel 'kernel', wanted one of: k");
    finish(&r);
}

Test(ir, a_load_is_not_held_up_by_work_it_does_not_need)
{
    /* Two loads with a multiplication of the first between them: both issue,
     * then the work waits. */
    rewritten r = rewrite(
        "define spir_kernel void @k(float* %0) #0 !dbg !2 {\n"
        "  %2 = load float, float* %0, align 4, !dbg !3\n"
        "  %3 = fmul float %2, %2, !dbg !3\n"
        "  %4 = getelementptr inbounds float, float* %0, i64 1, !dbg !3\n"
        "  %5 = load float, float* %4, align 4, !dbg !3\n"
        "  %6 = fadd float %3, %5, !dbg !3\n"
        "  store float %6, float* %0, align 4, !dbg !3\n"
        "  ret void, !dbg !3\n"
        "}\n\n",
        "14.0.6", "k");
    cr_assert_eq(r.status, WM_OK, "%s", r.err.text);
    cr_assert_eq(r.events.n, 3);
    cr_assert_eq(r.events.items[1].pre.uses, 0);
    cr_assert_eq(r.events.items[1].pre.flops_fp32, 0);
    cr_assert_eq(r.events.items[2].pre.uses, 3);
    cr_assert_eq(r.events.items[2].pre.flops_fp32, 2);
    finish(&r);
}

Test(ir, a_load_that_needs_a_loaded_index_waits_for_it)
{
    rewritten r = rewrite(
        "define spir_kernel void @k(i32* %0, float* %1) #0 !dbg !2 {\n"
        "  %3 = load i32, i32* %0, align 4, !dbg !3\n"
        "  %4 = sext i32 %3 to i64, !dbg !3\n"
        "  %5 = getelementptr inbounds float, float* %1, i64 %4, !dbg !3\n"
        "  %6 = load float, float* %5, align 4, !dbg !3\n"
        "  store float %6, float* %1, align 4, !dbg !3\n"
        "  ret void, !dbg !3\n"
        "}\n\n",
        "14.0.6", "k");
    cr_assert_eq(r.status, WM_OK, "%s", r.err.text);
    cr_assert_eq(r.events.items[1].pre.uses, 1);
    cr_assert_eq(r.events.items[2].pre.uses, 2);
    finish(&r);
}

Test(ir, a_function_without_an_end_is_refused)
{
    rewritten r = rewrite("define spir_kernel void @k() {\n", "14.0.6", "k");
    cr_assert_eq(r.status, WM_EFORMAT);
    finish(&r);
}

Test(ir, any_text_is_read_without_a_crash)
{
    /* Every prefix of a good program, each as a program of its own. */
    for (size_t n = 0; n < strlen(typed); n++) {
        char body[sizeof(typed) + 1];
        memcpy(body, typed, n);
        body[n] = '\n';
        body[n + 1] = '\0';
        rewritten r = rewrite(body, "14.0.6", "k");
        finish(&r);
    }
}
