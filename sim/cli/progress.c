/*
 * progress.c -- how far a run is, and the wish to stop it.
 */
#include "cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/output.h"
#include "report/human.h"

/* What a signal handler may touch has to have static storage. */
static volatile sig_atomic_t interrupt_is_wanted;

/* The next signal, whichever of the two, ends the program at once. */
static void interrupt_handle(int number)
{
    (void)number;
    interrupt_is_wanted = 1;
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
}

void wm_interrupt_init(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = interrupt_handle;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

bool wm_interrupt_is_wanted(void)
{
    return interrupt_is_wanted != 0;
}

double wm_host_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void wm_progress_init(wm_progress_line *line, bool is_shown)
{
    memset(line, 0, sizeof(*line));
    line->is_shown = is_shown;
    line->is_terminal = wm_output_is_terminal(STDERR_FILENO);
    line->start_seconds = wm_host_seconds();
    line->last_seconds = line->start_seconds;
}

/* "45 %, ETA 12 s", or "" while nothing is known. */
static void progress_share(const wm_progress *progress, double elapsed_seconds,
                           char *text, size_t n_bytes)
{
    text[0] = '\0';
    if (progress->n_bytes_total == 0 || progress->n_bytes_done == 0) {
        return;
    }
    double part =
        (double)progress->n_bytes_done / (double)progress->n_bytes_total;
    /* A small file is read whole long before it is simulated. */
    if (part >= 1) {
        return;
    }
    (void)snprintf(text, n_bytes, ", %.0f %%, ETA %.0f s", part * 100,
                   elapsed_seconds * (1 - part) / part);
}

static void progress_print(const wm_progress_line *line,
                           const wm_progress *progress, double now_seconds)
{
    char records[WM_HUMAN_BYTES], rate[WM_HUMAN_BYTES], time[WM_HUMAN_BYTES];
    char share[64], trace[64] = "";
    double elapsed = now_seconds - line->start_seconds;
    double per_second = elapsed > 0 ? (double)progress->n_records / elapsed : 0;
    progress_share(progress, elapsed, share, sizeof(share));
    if (line->n_traces > 1) {
        (void)snprintf(trace, sizeof(trace), "trace %zu/%zu, ", line->trace,
                       line->n_traces);
    }
    (void)fprintf(stderr,
                  "%s%s%llu kernels, %s records, %s/s, %s simulated%s%s",
                  line->is_terminal ? "\r\033[K" : "warpmem: ", trace,
                  (unsigned long long)progress->n_kernels,
                  wm_human_count(records, progress->n_records),
                  wm_human_count(rate, (uint64_t)per_second),
                  wm_human_time(time, (double)progress->time_ns / 1e9), share,
                  line->is_terminal ? "" : "\n");
    (void)fflush(stderr);
}

bool wm_progress_draw(const wm_progress *progress, void *context)
{
    wm_progress_line *line = context;
    double now = wm_host_seconds();
    double pause = line->is_terminal ? 0.5 : 5.0;
    if (line->is_shown && now - line->last_seconds >= pause) {
        line->last_seconds = now;
        line->is_drawn = true;
        progress_print(line, progress, now);
    }
    return !wm_interrupt_is_wanted();
}

void wm_progress_erase(wm_progress_line *line)
{
    if (line->is_drawn && line->is_terminal) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
    line->is_drawn = false;
}
