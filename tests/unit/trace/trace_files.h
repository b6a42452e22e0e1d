/* trace_files.h -- what the trace tests share: small files in a temporary
 * folder, and a trace read to its end into counts. */
#ifndef WM_TESTS_TRACE_FILES_H
#define WM_TESTS_TRACE_FILES_H

#include "base/bits.h"
#include "trace/reader.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A temporary folder with the files of one test; removed by files_fini. */
typedef struct test_files {
    char folder[64];
    char path[8][128];
    int n;
} test_files;

static inline void files_init(test_files *files)
{
    memset(files, 0, sizeof(*files));
    strcpy(files->folder, "/tmp/wm-test-XXXXXX");
    cr_assert_not_null(mkdtemp(files->folder));
}

static inline const char *files_add(test_files *files, const char *name,
                                    const void *bytes, size_t n_bytes)
{
    char joined[128];
    char *path = files->path[files->n++];
    snprintf(joined, sizeof(joined), "%s/%s", files->folder, name);
    memcpy(path, joined, sizeof(joined));
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, n_bytes, file), n_bytes);
    cr_assert_eq(fclose(file), 0);
    return path;
}

static inline const char *files_text(test_files *files, const char *name,
                                     const char *text)
{
    return files_add(files, name, text, strlen(text));
}

static inline void files_fini(test_files *files)
{
    for (int i = 0; i < files->n; i++) {
        (void)unlink(files->path[i]);
    }
    (void)rmdir(files->folder);
}

typedef struct test_kind {
    uint64_t n_requests, n_active, n_lanes, n_bytes;
} test_kind;

typedef struct test_run {
    wm_status status;
    wm_error err;
    wm_diag diag;
    bool is_complete;
    uint64_t n_copies, n_launches, n_ctas, n_gaps, n_lines;
    wm_work work;
    test_kind kind[WM_KIND_COUNT];
    char format[32];
    char digest[WM_DIGEST_HEX];
    wm_cta last; /* the last CTA read; test_run_fini frees it */
    char name[64];
    wm_static first_static;
} test_run;

static inline void run_count(test_run *run, const wm_cta *cta)
{
    run->n_ctas++;
    run->work.n_other += cta->work.n_other;
    run->work.flops_fp16 += cta->work.flops_fp16;
    run->work.flops_fp32 += cta->work.flops_fp32;
    run->work.flops_fp64 += cta->work.flops_fp64;
    run->work.flops_tensor += cta->work.flops_tensor;
    run->n_lines += cta->work.n_other;
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        const wm_record *r = cta->records + cta->warps[w].first;
        for (uint32_t i = 0; i < cta->warps[w].n_records; i++, r++) {
            test_kind *kind = &run->kind[r->kind];
            uint64_t n = wm_popcount64(r->mask);
            bool is_whole = (r->flags & WM_FLAG_CONTINUED) == 0;
            kind->n_requests += is_whole;
            kind->n_active += r->mask != 0;
            kind->n_lanes += n;
            kind->n_bytes += n * r->width;
            run->n_lines += is_whole && r->kind <= WM_KIND_BARRIER;
        }
    }
    run->n_gaps = run->kind[WM_KIND_GAP].n_requests;
}

static inline void run_copy_last(test_run *run, const wm_cta *cta,
                                 const wm_launch *launch)
{
    wm_cta *last = &run->last;
    wm_cta_fini(last);
    *last = *cta;
    last->warps = malloc((cta->n_warps + 1) * sizeof(*cta->warps));
    last->records = malloc((cta->n_records + 1) * sizeof(*cta->records));
    last->lanes = malloc((cta->n_lanes + 1) * sizeof(*cta->lanes));
    if (cta->n_warps > 0) {
        memcpy(last->warps, cta->warps, cta->n_warps * sizeof(*cta->warps));
    }
    if (cta->n_records > 0) {
        memcpy(last->records, cta->records, cta->n_records * sizeof(wm_record));
    }
    if (cta->n_lanes > 0) {
        memcpy(last->lanes, cta->lanes, cta->n_lanes * sizeof(uint32_t));
    }
    snprintf(run->name, sizeof(run->name), "%s", launch->name);
    if (launch->n_statics > 0) {
        run->first_static = launch->statics[0];
    }
}

static inline void run_read(test_run *run, wm_trace *trace)
{
    wm_command command;
    wm_cta cta;
    wm_cta_init(&cta);
    while ((run->status = wm_trace_next_command(trace, &command, &run->err)) ==
               WM_OK &&
           command.kind != WM_COMMAND_END) {
        run->n_copies += command.kind == WM_COMMAND_COPY;
        if (command.kind != WM_COMMAND_LAUNCH) {
            continue;
        }
        bool has_cta = true;
        run->n_launches++;
        while ((run->status = wm_trace_next_cta(trace, &cta, &has_cta,
                                                &run->err)) == WM_OK &&
               has_cta) {
            run_count(run, &cta);
            run_copy_last(run, &cta, wm_trace_launch(trace));
        }
        if (run->status != WM_OK) {
            break;
        }
    }
    wm_cta_fini(&cta);
}

/* Reads the whole trace; free with test_run_free. */
static inline test_run *test_run_path(const char *path, bool keep_going)
{
    test_run *run = calloc(1, sizeof(*run));
    wm_trace_options options = {.keep_going = keep_going};
    wm_trace *trace = NULL;
    cr_assert_not_null(run);
    wm_diag_init(&run->diag);
    run->status = wm_trace_open(path, &options, &run->diag, &trace, &run->err);
    if (run->status == WM_OK) {
        run_read(run, trace);
        run->is_complete = wm_trace_is_complete(trace);
        snprintf(run->format, sizeof(run->format), "%s",
                 wm_trace_format_name(trace));
        wm_trace_digest(trace, run->digest);
    }
    wm_trace_close(trace);
    return run;
}

static inline void test_run_free(test_run *run)
{
    wm_cta_fini(&run->last);
    free(run);
}

/* The warning with this code, or NULL. */
static inline const wm_warning *test_run_warning(const test_run *run,
                                                 const char *code)
{
    for (uint32_t i = 0; i < run->diag.n_warnings; i++) {
        if (strcmp(run->diag.warning[i].code, code) == 0) {
            return &run->diag.warning[i];
        }
    }
    return NULL;
}

/* Real traces lie beside the source tree; NULL, with a message, elsewhere. */
static inline const char *real_traces(void)
{
    static const char folder[] = WM_SOURCE_DIR "/../shared/traces";
    if (access(folder, R_OK) != 0) {
        cr_log_warn("no real traces in %s: skipped", folder);
        return NULL;
    }
    return folder;
}

#endif
