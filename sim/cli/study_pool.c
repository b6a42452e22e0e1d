/*
 * study_pool.c -- runs points of a study in processes of their own.
 */
#include "cli/study_pool.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/host.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "study/simulate.h"

/* How a child ends. */
enum {
    CHILD_DONE = 0,
    CHILD_FAILED = 1,
    CHILD_BUSY = 2, /* another process runs the point */
    CHILD_STOPPED = 3,
    CHILD_FOUND = 4 /* finished by another process meanwhile */
};

/* Writing and syncing a result takes no processor: a child that has come so
 * far says so, and the next one may start. */
typedef struct pool_child {
    pid_t pid;
    size_t point;
    bool is_writing;
} pool_child;

#define POLL_MS          20 /* between looks at children that ended */
#define WRITERS_PER_SLOT 4u /* children at most, per process wanted */

typedef struct pool_state {
    wm_study_pool *pool;
    wm_study_job *job;
    pool_child *children; /* [WRITERS_PER_SLOT * n_slots] */
    uint32_t n_slots, n_running;
    uint32_t n_writing; /* of those running */
    int told[2];        /* pipe: pids of children that write */
    uint32_t n_threads; /* of each child */
    size_t *queue;      /* points to run in this round */
    size_t n_queue;
    size_t *again; /* points that others were running */
    size_t n_again;
    double start_seconds, last_seconds;
    uint64_t weight_done, weight_total; /* records */
    bool is_terminal, is_drawn;
    bool is_forwarded; /* the wish to stop, to the children */
} pool_state;

/* --- the child ------------------------------------------------------------ */

static void child_note(const pool_state *s, const wm_point *point,
                       const char *event, const char *rest)
{
    char line[512];
    char host[64] = "";
    (void)gethostname(host, sizeof(host) - 1);
    (void)snprintf(line, sizeof(line),
                   "{\"event\": \"%s\", \"point\": \"%s\", \"host\": \"%.60s\","
                   " \"pid\": %ld, \"time\": %lld%s}\n",
                   event, point->digest, host, (long)getpid(),
                   (long long)time(NULL), rest);
    wm_store_note(&s->job->store, line);
}

static bool child_progress(const wm_progress *progress, void *context)
{
    (void)progress;
    (void)context;
    return !wm_interrupt_is_wanted();
}

static int child_simulate(const pool_state *s, const wm_point *point)
{
    wm_study_job *job = s->job;
    wm_simulation simulation = {
        .study = &job->study,
        .point = point,
        .tape = job->traces[point->trace].tape,
        .diag = &job->traces[point->trace].diag,
        .trace_digest = job->facts[point->trace].digest,
        .jobs = s->n_threads,
        .progress = child_progress,
    };
    wm_error err = {WM_OK, ""};
    wm_buffer out;
    char rest[256];
    const double start = wm_host_seconds();
    wm_buffer_init(&out);
    child_note(s, point, "start", "");
    wm_status status = wm_simulate(&simulation, &out, &err);
    if (wm_interrupt_is_wanted()) {
        return CHILD_STOPPED;
    }
    const pid_t self = getpid();
    (void)!write(s->told[1], &self, sizeof(self));
    if (status == WM_OK) {
        status = wm_store_save(&job->store, point->digest, &out, &err);
    }
    if (status != WM_OK) {
        wm_store_failed(&job->store, point->digest, err.text);
        child_note(s, point, "failed", "");
        return CHILD_FAILED;
    }
    (void)snprintf(rest, sizeof(rest),
                   ", \"mode\": \"%s\", \"records\": %" PRIu64
                   ", \"seconds\": %.3f, \"threads\": %u, "
                   "\"peak_bytes\": %" PRIu64,
                   job->study.is_counts ? "counts" : "timing",
                   simulation.n_records, wm_host_seconds() - start,
                   s->n_threads, wm_host_peak_bytes());
    child_note(s, point, "done", rest);
    wm_store_failed(&job->store, point->digest, NULL);
    return CHILD_DONE;
}

static int child_main(const pool_state *s, const wm_point *point)
{
    int lock = -1;
    if (wm_store_take(&s->job->store, point->digest, &lock) == WM_STORE_BUSY) {
        return CHILD_BUSY;
    }
    /* Another process may have finished it before the lock was free. */
    if (wm_store_has(&s->job->store, point->digest)) {
        return CHILD_FOUND;
    }
    return child_simulate(s, point);
}

/* --- progress ------------------------------------------------------------- */

static void pool_draw(pool_state *s)
{
    const wm_study_pool *pool = s->pool;
    const double now = wm_host_seconds();
    char eta[48] = "";
    if (!pool->is_shown ||
        now - s->last_seconds < (s->is_terminal ? 0.5 : 5.0)) {
        return;
    }
    s->last_seconds = now;
    if (s->weight_done != 0) {
        const double left = (double)(s->weight_total - s->weight_done);
        (void)snprintf(eta, sizeof(eta), ", ETA %.0f s",
                       (now - s->start_seconds) * left /
                           (double)s->weight_done);
    }
    (void)fprintf(stderr,
                  "%s%" PRIu64 " of %zu points finished, %u running, %" PRIu64
                  " failed%s%s",
                  s->is_terminal ? "\r\033[K" : "warpmem: ", pool->n_finished,
                  pool->last - pool->first, s->n_running, pool->n_failed, eta,
                  s->is_terminal ? "" : "\n");
    (void)fflush(stderr);
    s->is_drawn = true;
}

static void pool_erase(pool_state *s)
{
    if (s->is_drawn && s->is_terminal) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
    s->is_drawn = false;
}

/* --- the parent ----------------------------------------------------------- */

static void pool_failed(pool_state *s, const wm_point *point)
{
    char *text = wm_store_failure(&s->job->store, point->digest);
    s->pool->n_failed++;
    if (!s->pool->is_quiet) {
        pool_erase(s);
        wm_output_note("point %.8s failed: %s", point->digest,
                       text != NULL ? text : "no reason left");
    }
    free(text);
}

static void pool_ended(pool_state *s, size_t index, int code)
{
    const wm_point *point = &s->job->points.items[index];
    char text[128];
    s->weight_done += wm_study_job_records(s->job, point);
    /* Ctrl-C on a terminal and pool_forward are two signals to a child. */
    if (WIFSIGNALED(code) && wm_interrupt_is_wanted() &&
        (WTERMSIG(code) == SIGTERM || WTERMSIG(code) == SIGINT)) {
        s->pool->is_stopped = true;
        return;
    }
    if (WIFSIGNALED(code)) {
        (void)snprintf(text, sizeof(text), "killed by signal %d%s",
                       WTERMSIG(code),
                       WTERMSIG(code) == SIGKILL ? " (out of memory?)" : "");
        wm_store_failed(&s->job->store, point->digest, text);
        pool_failed(s, point);
        return;
    }
    switch (WEXITSTATUS(code)) {
    case CHILD_DONE:
        s->pool->n_run++;
        s->pool->n_finished++;
        break;
    case CHILD_FOUND:
        s->pool->n_finished++;
        break;
    case CHILD_BUSY:
        s->weight_done -= wm_study_job_records(s->job, point);
        s->again[s->n_again++] = index;
        break;
    case CHILD_STOPPED:
        s->pool->is_stopped = true;
        break;
    default:
        pool_failed(s, point);
        break;
    }
}

/* A signal to the parent alone stops the children too. */
static void pool_forward(pool_state *s)
{
    for (uint32_t i = 0;
         i < s->n_running && wm_interrupt_is_wanted() && !s->is_forwarded;
         i++) {
        (void)kill(s->children[i].pid, SIGTERM);
    }
    s->is_forwarded = wm_interrupt_is_wanted();
}

/* Takes note of children that write now; waits some time for the first. */
static void pool_listen(pool_state *s)
{
    struct pollfd event = {s->told[0], POLLIN, 0};
    pid_t pid = 0;
    if (poll(&event, 1, POLL_MS) <= 0 ||
        read(s->told[0], &pid, sizeof(pid)) != (ssize_t)sizeof(pid)) {
        return;
    }
    for (uint32_t i = 0; i < s->n_running; i++) {
        if (s->children[i].pid == pid && !s->children[i].is_writing) {
            s->children[i].is_writing = true;
            s->n_writing++;
        }
    }
}

/* Takes note of a child that has ended. */
static void pool_reap(pool_state *s, pid_t pid, int code)
{
    for (uint32_t i = 0; i < s->n_running; i++) {
        if (s->children[i].pid == pid) {
            const size_t point = s->children[i].point;
            s->n_writing -= s->children[i].is_writing;
            s->children[i] = s->children[--s->n_running];
            pool_ended(s, point, code);
            return;
        }
    }
}

/* Waits until a child may start, or (is_last) until none is left. */
static void pool_wait(pool_state *s, bool is_last)
{
    while (s->n_running != 0) {
        int code = 0;
        pid_t pid = 0;
        pool_forward(s);
        const bool is_full = s->n_running - s->n_writing >= s->n_slots ||
                             s->n_running >= WRITERS_PER_SLOT * s->n_slots;
        while ((pid = waitpid(-1, &code, WNOHANG)) > 0) {
            pool_reap(s, pid, code);
        }
        if (pid < 0 && errno != EINTR) {
            return;
        }
        if (!is_last && !is_full) {
            return;
        }
        pool_draw(s);
        if (s->n_running != 0) {
            pool_listen(s);
        }
    }
}

static wm_status pool_start(pool_state *s, size_t index, wm_error *err)
{
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        return wm_fail(err, WM_EIO, "cannot start a process: %s",
                       strerror(errno));
    }
    if (pid == 0) {
        _exit(child_main(s, &s->job->points.items[index]));
    }
    s->children[s->n_running++] = (pool_child){pid, index, false};
    pool_draw(s);
    return WM_OK;
}

/* Starts all points of the queue, trace by trace. */
static wm_status pool_round(pool_state *s, wm_error *err)
{
    wm_study_job *job = s->job;
    wm_status status = WM_OK;
    uint32_t trace = UINT32_MAX;
    for (size_t q = 0; q < s->n_queue && status == WM_OK; q++) {
        const wm_point *point = &job->points.items[s->queue[q]];
        if (wm_store_has(&job->store, point->digest)) {
            s->pool->n_finished++;
            continue;
        }
        if (point->trace != trace) {
            if (trace != UINT32_MAX) {
                wm_study_job_unload(job, trace);
            }
            trace = point->trace;
            status = wm_study_job_load(job, trace, err);
        }
        pool_wait(s, false);
        s->pool->is_stopped = s->pool->is_stopped || wm_interrupt_is_wanted();
        if (s->pool->is_stopped || status != WM_OK) {
            break;
        }
        status = pool_start(s, s->queue[q], err);
    }
    pool_wait(s, true);
    return status;
}

/* Rounds until nobody else runs a point of ours. */
static wm_status pool_rounds(pool_state *s, wm_error *err)
{
    wm_status status = WM_OK;
    while (s->n_queue != 0 && status == WM_OK && !s->pool->is_stopped) {
        const struct timespec pause = {0, 200 * 1000 * 1000};
        s->n_again = 0;
        status = pool_round(s, err);
        size_t *queue = s->queue;
        s->queue = s->again;
        s->n_queue = s->n_again;
        s->again = queue;
        if (s->n_queue != 0 && !wm_interrupt_is_wanted()) {
            pool_draw(s);
            (void)nanosleep(&pause, NULL);
        }
    }
    return status;
}

static void pool_fill_queue(pool_state *s)
{
    const wm_study_pool *pool = s->pool;
    for (size_t i = pool->first; i < pool->last; i++) {
        const wm_point *point = &s->job->points.items[i];
        if (wm_store_has(&s->job->store, point->digest)) {
            s->pool->n_finished++;
        } else {
            s->queue[s->n_queue++] = i;
            s->weight_total += wm_study_job_records(s->job, point);
        }
    }
}

wm_status wm_study_pool_run(wm_study_pool *pool, wm_error *err)
{
    const size_t n = pool->last - pool->first;
    pool_state s = {.pool = pool, .job = pool->job};
    s.n_slots = wm_host_jobs(pool->n_jobs);
    s.start_seconds = wm_host_seconds();
    s.last_seconds = s.start_seconds;
    s.is_terminal = wm_output_is_terminal(STDERR_FILENO);
    s.children = calloc(WRITERS_PER_SLOT * s.n_slots, sizeof(*s.children));
    s.queue = calloc(n + 1, sizeof(*s.queue));
    s.again = calloc(n + 1, sizeof(*s.again));
    wm_status status = WM_OK;
    if (s.children == NULL || s.queue == NULL || s.again == NULL) {
        status = wm_fail_memory(err);
    } else if (pipe(s.told) != 0) {
        status = wm_fail(err, WM_EIO, "no pipe: %s", strerror(errno));
    } else {
        pool_fill_queue(&s);
        /* Few points: each may use what cores there are. */
        s.n_threads = 1;
        if (s.n_queue != 0 && s.n_queue < s.n_slots) {
            s.n_threads = s.n_slots / (uint32_t)s.n_queue;
        }
        status = pool_rounds(&s, err);
        pool_erase(&s);
        (void)close(s.told[0]);
        (void)close(s.told[1]);
    }
    free(s.children);
    free(s.queue);
    free(s.again);
    return status;
}
