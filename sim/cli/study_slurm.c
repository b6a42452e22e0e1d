/*
 * study_slurm.c -- a study as a Slurm job array.
 */
#include "cli/study_slurm.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/child.h"
#include "cli/output.h"

/* --- scripts -------------------------------------------------------------- */

/* text as one word of a shell. */
static void shell_quote(wm_buffer *out, const char *text)
{
    wm_buffer_puts(out, "'");
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            wm_buffer_puts(out, "'\\''");
        } else {
            wm_buffer_add(out, text, 1);
        }
    }
    wm_buffer_puts(out, "'");
}

/* Paths in scripts start at the root: tasks run anywhere. */
static void shell_path(wm_buffer *out, const char *path)
{
    wm_buffer whole;
    char here[PATH_MAX] = "";
    wm_buffer_init(&whole);
    if (path[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        wm_buffer_printf(&whole, "%s/", here);
    }
    wm_buffer_puts(&whole, path);
    out->is_failed = out->is_failed || whole.is_failed;
    if (!whole.is_failed) {
        shell_quote(out, whole.bytes);
    }
    wm_buffer_fini(&whole);
}

/* This program. */
static void shell_program(wm_buffer *out)
{
    char path[PATH_MAX] = "warpmem";
    const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (n > 0) {
        path[n] = '\0';
    }
    shell_quote(out, path);
}

static void script_option(wm_buffer *out, const char *name, const char *value)
{
    if (value != NULL) {
        wm_buffer_printf(out, "#SBATCH --%s=%s\n", name, value);
    }
}

static void script_head(const wm_study_job *job,
                        const wm_slurm_request *request, const char *log,
                        wm_buffer *out)
{
    char here[PATH_MAX] = ".";
    char folder[PATH_MAX] = "";
    (void)getcwd(here, sizeof(here));
    if (job->store.folder[0] != '/') {
        (void)snprintf(folder, sizeof(folder), "%.2000s/", here);
    }
    wm_buffer_printf(out, "#!/bin/sh\n#SBATCH --job-name=%.60s\n",
                     job->study.name);
    wm_buffer_printf(out, "#SBATCH --output=%s%s/slurm/%s\n", folder,
                     job->store.folder, log);
    wm_buffer_puts(out, "#SBATCH --open-mode=append\n");
    wm_buffer_printf(out, "#SBATCH --chdir=%s\n", here);
    script_option(out, "time", request->time);
    script_option(out, "partition", request->partition);
    script_option(out, "account", request->account);
    for (size_t i = 0; i < request->lines->n; i++) {
        wm_buffer_printf(out, "#SBATCH %s\n", request->lines->items[i]);
    }
}

static wm_status script_save(const wm_study_job *job, const char *name,
                             wm_buffer *text, wm_error *err)
{
    wm_buffer path;
    wm_buffer_init(&path);
    wm_buffer_printf(&path, "%s/slurm", job->store.folder);
    if (!path.is_failed && mkdir(path.bytes, 0777) != 0 && errno != EEXIST) {
        wm_status status = wm_fail(err, WM_EIO, "%s: cannot be made: %s",
                                   path.bytes, strerror(errno));
        wm_buffer_fini(&path);
        wm_buffer_fini(text);
        return status;
    }
    wm_buffer_printf(&path, "/%s", name);
    wm_status status = path.is_failed ? wm_fail_memory(err)
                                      : wm_output_write(text, path.bytes, err);
    wm_buffer_fini(&path);
    return status;
}

static wm_status write_task(const wm_study_job *job,
                            const wm_slurm_request *request, wm_error *err)
{
    wm_buffer text;
    wm_buffer_init(&text);
    script_head(job, request, "task-%A_%a.log", &text);
    wm_buffer_printf(&text, "#SBATCH --cpus-per-task=%" PRIu64 "\n",
                     request->cpus);
    wm_buffer_puts(&text, "#SBATCH --requeue\n");
    script_option(&text, "mem", request->memory);
    wm_buffer_puts(&text, "exec ");
    shell_program(&text);
    wm_buffer_printf(&text,
                     " study run -j %" PRIu64 " --chunks %" PRIu64
                     " --chunk \"$SLURM_ARRAY_TASK_ID\" -d ",
                     request->cpus, request->n_chunks);
    shell_path(&text, job->store.folder);
    wm_buffer_puts(&text, " ");
    shell_path(&text, request->study_path);
    wm_buffer_puts(&text, "\n");
    return script_save(job, "task.sh", &text, err);
}

static wm_status write_collector(const wm_study_job *job,
                                 const wm_slurm_request *request, wm_error *err)
{
    wm_buffer text;
    wm_buffer_init(&text);
    script_head(job, request, "collect-%j.log", &text);
    wm_buffer_puts(&text, "exec ");
    shell_program(&text);
    wm_buffer_printf(&text, " study collect -f %s -o ", request->format);
    shell_path(&text, request->table);
    wm_buffer_puts(&text, " -d ");
    shell_path(&text, job->store.folder);
    wm_buffer_puts(&text, " ");
    shell_path(&text, request->study_path);
    wm_buffer_puts(&text, "\n");
    return script_save(job, "collect.sh", &text, err);
}

wm_status wm_slurm_write(const wm_study_job *job,
                         const wm_slurm_request *request, wm_error *err)
{
    wm_status status = write_task(job, request, err);
    return status == WM_OK ? write_collector(job, request, err) : status;
}

/* --- submission ----------------------------------------------------------- */

static bool chunk_is_finished(const wm_study_job *job, uint64_t chunk,
                              uint64_t n_chunks)
{
    const size_t n = job->points.n;
    for (size_t i = n * chunk / n_chunks; i < n * (chunk + 1) / n_chunks; i++) {
        if (!wm_store_has(&job->store, job->points.items[i].digest)) {
            return false;
        }
    }
    return true;
}

/* "0-3,7": chunks with unfinished points. */
static void array_text(const wm_study_job *job, uint64_t n_chunks,
                       wm_buffer *out)
{
    for (uint64_t first = 0; first < n_chunks; first++) {
        if (chunk_is_finished(job, first, n_chunks)) {
            continue;
        }
        uint64_t last = first;
        while (last + 1 < n_chunks &&
               !chunk_is_finished(job, last + 1, n_chunks)) {
            last++;
        }
        wm_buffer_printf(out, "%s%" PRIu64, out->n_bytes != 0 ? "," : "",
                         first);
        if (last != first) {
            wm_buffer_printf(out, "-%" PRIu64, last);
        }
        first = last;
    }
}

/* Runs sbatch; the id that it prints goes to id. */
static wm_status run_sbatch(const char *const *argv, char id[32], wm_error *err)
{
    wm_buffer out;
    wm_buffer errors;
    int code = 0;
    wm_buffer_init(&out);
    wm_buffer_init(&errors);
    wm_status status = wm_child_run(argv, &out, &errors, &code, err);
    if (status == WM_OK && code == 127) {
        status = wm_fail(err, WM_EIO,
                         "sbatch is not on the path: is this a Slurm cluster?");
    } else if (status == WM_OK && (code != 0 || out.n_bytes == 0)) {
        status = wm_fail(err, WM_EIO, "sbatch: exit %d: %.300s", code,
                         errors.bytes != NULL ? errors.bytes : "");
    } else if (status == WM_OK) {
        (void)snprintf(id, 32, "%.*s", (int)strspn(out.bytes, "0123456789"),
                       out.bytes);
    }
    wm_buffer_fini(&out);
    wm_buffer_fini(&errors);
    return status;
}

wm_status wm_slurm_submit(const wm_study_job *job,
                          const wm_slurm_request *request, wm_slurm_job *out,
                          wm_error *err)
{
    wm_buffer array;
    wm_buffer script;
    wm_buffer after;
    memset(out, 0, sizeof(*out));
    wm_buffer_init(&array);
    wm_buffer_init(&script);
    wm_buffer_init(&after);
    array_text(job, request->n_chunks, &array);
    if (request->array_limit != 0) {
        wm_buffer_printf(&array, "%%%" PRIu64, request->array_limit);
    }
    wm_buffer_printf(&script, "%s/slurm/task.sh", job->store.folder);
    wm_status status =
        array.is_failed || script.is_failed ? wm_fail_memory(err) : WM_OK;
    if (status == WM_OK) {
        const char *const argv[] = {"sbatch",    "--parsable", "--array",
                                    array.bytes, script.bytes, NULL};
        status = run_sbatch(argv, out->array, err);
    }
    if (status == WM_OK) {
        wm_buffer_printf(&after, "afterany:%s", out->array);
        wm_buffer_clear(&script);
        wm_buffer_printf(&script, "%s/slurm/collect.sh", job->store.folder);
        const char *const argv[] = {"sbatch",
                                    "--parsable",
                                    "--kill-on-invalid-dep=yes",
                                    "--dependency",
                                    after.bytes,
                                    script.bytes,
                                    NULL};
        status = after.is_failed || script.is_failed
                     ? wm_fail_memory(err)
                     : run_sbatch(argv, out->collector, err);
    }
    wm_buffer_fini(&array);
    wm_buffer_fini(&script);
    wm_buffer_fini(&after);
    return status;
}

/* --- state ---------------------------------------------------------------- */

/* Whether squeue lists a task that may still do something.  One whose node
 * died can stay "completing" for good, and one that a restarted controller
 * could not launch is held for good. */
static bool has_live_task(const char *lines)
{
    while (lines != NULL && *lines != '\0') {
        char line[256];
        const size_t n = strcspn(lines, "\n");
        (void)snprintf(line, sizeof(line), "%.*s", (int)(n < 255 ? n : 255),
                       lines);
        if (n != 0 && strncmp(line, "COMPLETING", 10) != 0 &&
            strstr(line, "requeued held") == NULL) {
            return true;
        }
        lines += n;
        lines += *lines == '\n';
    }
    return false;
}

wm_status wm_slurm_ask(const char *job_id, wm_slurm_state *state, wm_error *err)
{
    const char *const argv[] = {"squeue", "-h",    "-j", job_id,
                                "-o",     "%T %r", NULL};
    wm_buffer out;
    wm_buffer errors;
    int code = 0;
    wm_buffer_init(&out);
    wm_buffer_init(&errors);
    *state = WM_SLURM_QUEUED;
    wm_status status = wm_child_run(argv, &out, &errors, &code, err);
    if (status == WM_OK && code == 0 && !has_live_task(out.bytes)) {
        *state = WM_SLURM_GONE;
    }
    if (status == WM_OK && code != 0 && errors.bytes != NULL &&
        strstr(errors.bytes, "Invalid job id") != NULL) {
        *state = WM_SLURM_GONE;
    }
    wm_buffer_fini(&out);
    wm_buffer_fini(&errors);
    return status;
}

void wm_slurm_cancel(const char *job_id)
{
    const char *const argv[] = {"scancel", job_id, NULL};
    wm_buffer out;
    int code = 0;
    if (job_id[0] == '\0') {
        return;
    }
    wm_buffer_init(&out);
    (void)wm_child_run(argv, &out, &out, &code, NULL);
    wm_buffer_fini(&out);
}
