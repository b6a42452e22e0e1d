/*
 * main.c -- one command of warpmem, again and again, each time with another
 * call of the system failing.
 *
 *     faults KIND RUNS [-a N] [-k] [-d FOLDER] [-w PATH]... -- ARGUMENT...
 *
 * Runs `warpmem ARGUMENT...` once whole, counting the calls of the kind, then
 * with the n-th call failing: every n if there are at most RUNS calls, else
 * RUNS of them, the first ones and the last ones all.  -w names a file that
 * the command writes, -d a folder that it makes; both are removed before each
 * run.  -a: only call N fails, in this process, for a debugger.  -k: the
 * command starts others, which may fail alone (exit 1).  Each run must either
 * give the same bytes and exit 0, or end with exit 3, a message, no file at
 * PATH, nothing left beside it, and no more memory held than after the whole
 * run.  A failed write may never end with exit 0.
 */
/* MAP_ANONYMOUS, nftw. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "faults.h"

#define N_WATCHED_MAX 8
#define SECONDS_MAX   120u

/* The command's own main; sim/cli/main.c is built under this name. */
int wm_main(int argc, char **argv);

typedef struct outcome {
    int code; /* exit code, or 128 + the signal */
    wm_buffer out, errors;
    wm_buffer watched[N_WATCHED_MAX]; /* bytes NULL: no such file */
} outcome;

typedef struct plan {
    const char *kind_name;
    fault_kind kind;
    uint64_t n_runs;
    uint64_t only; /* 0: all */
    bool has_children;
    const char *watched[N_WATCHED_MAX];
    size_t n_watched;
    const char *folder; /* or NULL */
    int argc;
    char **argv;
    fault_state *state;
    char out[64], errors[64];
    outcome whole;
    int64_t n_live; /* after the whole run */
} plan;

static const char *const kind_names[] = {"none", "alloc", "write", "read",
                                         "open", "eintr", "short"};

static void fail_usage(void)
{
    (void)fprintf(stderr, "usage: faults KIND RUNS [-a N] [-k] [-d FOLDER] "
                          "[-w PATH]... -- ARGUMENT...\n");
    exit(2);
}

static bool read_file(const char *path, wm_buffer *out)
{
    char block[4096];
    size_t n = 0;
    FILE *file = fopen(path, "rb");
    wm_buffer_init(out);
    if (file == NULL) {
        return false;
    }
    wm_buffer_puts(out, "");
    while ((n = fread(block, 1, sizeof(block), file)) != 0) {
        wm_buffer_add(out, block, n);
    }
    (void)fclose(file);
    return true;
}

static bool is_same(const wm_buffer *a, const wm_buffer *b)
{
    return (a->bytes == NULL) == (b->bytes == NULL) &&
           a->n_bytes == b->n_bytes &&
           (a->n_bytes == 0 || memcmp(a->bytes, b->bytes, a->n_bytes) == 0);
}

static void outcome_fini(outcome *o)
{
    wm_buffer_fini(&o->out);
    wm_buffer_fini(&o->errors);
    for (size_t i = 0; i < N_WATCHED_MAX; i++) {
        wm_buffer_fini(&o->watched[i]);
    }
}

/* The child's side; does not return. */
static void run_child(const plan *p)
{
    const int out = open(p->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int errors = open(p->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(errors, STDERR_FILENO);
    (void)close(out);
    (void)close(errors);
    (void)alarm(SECONDS_MAX);
    fault_arm(p->state);
    const int code = wm_main(p->argc, p->argv);
    fault_disarm();
    _exit(code);
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static void run_once(plan *p, uint64_t at, outcome *o)
{
    int code = 0;
    memset(o, 0, sizeof(*o));
    p->state->at = at;
    p->state->what[0] = '\0';
    atomic_store(&p->state->n_calls, 0);
    atomic_store(&p->state->n_failed, 0);
    atomic_store(&p->state->n_live, 0);
    for (size_t i = 0; i < p->n_watched; i++) {
        (void)unlink(p->watched[i]);
    }
    if (p->folder != NULL) {
        (void)nftw(p->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        run_child(p);
    }
    while (waitpid(pid, &code, 0) < 0 && errno == EINTR) {
    }
    o->code = WIFSIGNALED(code) ? 128 + WTERMSIG(code) : WEXITSTATUS(code);
    (void)read_file(p->out, &o->out);
    (void)read_file(p->errors, &o->errors);
    for (size_t i = 0; i < p->n_watched; i++) {
        (void)read_file(p->watched[i], &o->watched[i]);
    }
}

static bool has_leftover(const plan *p)
{
    bool has_any = false;
    for (size_t i = 0; i < p->n_watched; i++) {
        wm_buffer pattern;
        glob_t found;
        memset(&found, 0, sizeof(found));
        wm_buffer_init(&pattern);
        wm_buffer_printf(&pattern, "%s.tmp-*", p->watched[i]);
        has_any |= glob(pattern.bytes, 0, NULL, &found) == 0;
        for (size_t k = 0; k < found.gl_pathc; k++) {
            (void)unlink(found.gl_pathv[k]);
        }
        globfree(&found);
        wm_buffer_fini(&pattern);
    }
    return has_any;
}

/* Where two texts part, for who reads the failure. */
static void show_difference(const wm_buffer *found, const wm_buffer *wanted)
{
    size_t at = 0;
    while (at < found->n_bytes && at < wanted->n_bytes &&
           found->bytes[at] == wanted->bytes[at]) {
        at++;
    }
    const size_t from = at > 40 ? at - 40 : 0;
    (void)printf("byte %zu: found \"%.80s\", wanted \"%.80s\"\n", at,
                 found->n_bytes > from ? found->bytes + from : "",
                 wanted->n_bytes > from ? wanted->bytes + from : "");
}

/* Why a run that ended with exit 0 is wrong, or NULL. */
static const char *judge_success(const plan *p, const outcome *o)
{
    if (!is_same(&o->out, &p->whole.out)) {
        show_difference(&o->out, &p->whole.out);
        return "exit 0 and another report";
    }
    for (size_t i = 0; i < p->n_watched; i++) {
        if (!is_same(&o->watched[i], &p->whole.watched[i])) {
            show_difference(&o->watched[i], &p->whole.watched[i]);
            return "exit 0 and another file";
        }
    }
    /* A process of its own may write notes that nothing depends on. */
    if (p->kind == FAULT_WRITE && !p->has_children &&
        atomic_load(&p->state->n_failed) != 0) {
        return "exit 0 though a write failed";
    }
    return NULL;
}

static const char *judge_failure(const plan *p, const outcome *o)
{
    const bool is_mild =
        (p->has_children && o->code == 1) || p->kind == FAULT_OPEN;
    if (o->code != 3 && !(is_mild && o->code > 0 && o->code < 3)) {
        return "wanted exit 3";
    }
    if (o->errors.bytes == NULL ||
        strstr(o->errors.bytes, "warpmem: ") == NULL) {
        return "no message";
    }
    if (p->kind == FAULT_EINTR || p->kind == FAULT_SHORT) {
        return "wanted exit 0";
    }
    if (o->out.bytes != NULL && o->out.n_bytes != 0 &&
        is_same(&o->out, &p->whole.out)) {
        return "a report that looks complete";
    }
    for (size_t i = 0; i < p->n_watched && !p->has_children; i++) {
        if (o->watched[i].bytes != NULL && o->watched[i].n_bytes != 0 &&
            is_same(&o->watched[i], &p->whole.watched[i])) {
            return "a file that looks complete";
        }
    }
    return NULL;
}

static const char *judge(const plan *p, const outcome *o)
{
    if (has_leftover(p)) {
        return "a temporary file is left";
    }
    const char *why = o->code == 0 ? judge_success(p, o) : judge_failure(p, o);
    if (why == NULL && !p->has_children &&
        atomic_load(&p->state->n_live) > p->n_live) {
        why = "memory is not freed";
    }
    return why;
}

/* The k-th of n_runs calls to fail, of n: the ends whole, the middle spread. */
static uint64_t call_at(uint64_t k, uint64_t n_runs, uint64_t n)
{
    const uint64_t n_end = n_runs / 3;
    if (n <= n_runs || k < n_end) {
        return k + 1;
    }
    if (k >= n_runs - n_end) {
        return n - (n_runs - 1 - k);
    }
    return n_end + 1 + (k - n_end) * (n - 2 * n_end) / (n_runs - 2 * n_end);
}

static int run_all(plan *p)
{
    int n_wrong = 0;
    outcome o;
    const fault_kind kind = p->kind;
    run_once(p, 0, &p->whole);
    const uint64_t n = atomic_load(&p->state->n_calls);
    p->n_live = atomic_load(&p->state->n_live);
    if (kind != FAULT_SHORT && p->whole.code != 0) {
        (void)printf("without a fault: exit %d\n%s", p->whole.code,
                     p->whole.errors.bytes);
        return 1;
    }
    const uint64_t n_runs = n < p->n_runs ? n : p->n_runs;
    for (uint64_t k = 0; k < n_runs && n_wrong < 10; k++) {
        const uint64_t at = call_at(k, n_runs, n);
        run_once(p, at, &o);
        const char *why = judge(p, &o);
        if (why != NULL) {
            n_wrong++;
            (void)printf("%s %" PRIu64 " of %" PRIu64 " (%s): %s; exit %d, "
                         "%" PRId64 " blocks more: %s\n",
                         p->kind_name, at, n, p->state->what, why, o.code,
                         atomic_load(&p->state->n_live) - p->n_live,
                         o.errors.bytes != NULL ? o.errors.bytes : "");
        }
        outcome_fini(&o);
    }
    (void)printf("%s: %" PRIu64 " of %" PRIu64
                 " calls made to fail, %d wrong\n",
                 p->kind_name, n_runs, n, n_wrong);
    return n_wrong != 0;
}

/* Every read and write is short: the same bytes as with whole ones. */
static int run_short(plan *p)
{
    outcome o;
    p->state->kind = FAULT_NONE;
    run_once(p, 0, &p->whole);
    p->n_live = atomic_load(&p->state->n_live);
    p->state->kind = FAULT_SHORT;
    run_once(p, 0, &o);
    const char *why = judge(p, &o);
    (void)printf("short: %s\n", why != NULL ? why : "the same");
    if (why != NULL) {
        (void)printf("exit %d: %s\n", o.code,
                     o.errors.bytes != NULL ? o.errors.bytes : "");
    }
    outcome_fini(&o);
    return why != NULL;
}

static void parse(plan *p, int argc, char **argv)
{
    int i = 3;
    if (argc < 4) {
        fail_usage();
    }
    p->kind_name = argv[1];
    p->n_runs = strtoull(argv[2], NULL, 10);
    for (size_t k = 1; k < sizeof(kind_names) / sizeof(kind_names[0]); k++) {
        if (strcmp(kind_names[k], argv[1]) == 0) {
            p->kind = (fault_kind)k;
        }
    }
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-k") == 0) {
            p->has_children = true;
        } else if (strcmp(argv[i], "-d") == 0 && i + 1 < argc) {
            p->folder = argv[++i];
        } else if (strcmp(argv[i], "-a") == 0 && i + 1 < argc) {
            p->only = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "-w") == 0 && i + 1 < argc &&
                   p->n_watched < N_WATCHED_MAX) {
            p->watched[p->n_watched++] = argv[++i];
        } else {
            fail_usage();
        }
    }
    if (p->kind == FAULT_NONE || i >= argc) {
        fail_usage();
    }
    p->argc = argc - i; /* "--" stands for the program's name */
    p->argv = argv + i;
}

int main(int argc, char **argv)
{
    plan p;
    memset(&p, 0, sizeof(p));
    fault_init();
    parse(&p, argc, argv);
    p.state = mmap(NULL, sizeof(*p.state), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p.state == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    p.state->kind = p.kind;
    if (p.only != 0) {
        p.state->at = p.only;
        fault_arm(p.state);
        return wm_main(p.argc, p.argv);
    }
    (void)snprintf(p.out, sizeof(p.out), "faults-%ld.out", (long)getpid());
    (void)snprintf(p.errors, sizeof(p.errors), "faults-%ld.err",
                   (long)getpid());
    const int code = p.kind == FAULT_SHORT ? run_short(&p) : run_all(&p);
    outcome_fini(&p.whole);
    (void)unlink(p.out);
    (void)unlink(p.errors);
    return code;
}
