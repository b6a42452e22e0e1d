/*
 * child.c -- runs another program.
 */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's side; does not return. */
static void child_exec(const char *const *argv, int out, int errors)
{
    char *words[64];
    size_t n = 0;
    const int nothing = open("/dev/null", O_RDONLY);
    for (; argv[n] != NULL && n < 63; n++) {
        /* execvp takes what it does not change as if it might. */
        memcpy(&words[n], &argv[n], sizeof(words[n]));
    }
    words[n] = NULL;
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(errors, STDERR_FILENO);
    (void)execvp(words[0], words);
    _exit(127);
}

/* Moves what the pipes hold into the buffers until both are closed. */
static void child_listen(int out, int errors, wm_buffer *out_text,
                         wm_buffer *error_text)
{
    struct pollfd events[2] = {{out, POLLIN, 0}, {errors, POLLIN, 0}};
    wm_buffer *texts[2] = {out_text, error_text};
    int n_open = 2;
    while (n_open != 0) {
        char block[4096];
        if (poll(events, 2, -1) < 0 && errno != EINTR) {
            return;
        }
        for (int i = 0; i < 2; i++) {
            if (events[i].fd < 0 || events[i].revents == 0) {
                continue;
            }
            const ssize_t n = read(events[i].fd, block, sizeof(block));
            if (n > 0) {
                wm_buffer_add(texts[i], block, (size_t)n);
            } else if (n == 0 || errno != EINTR) {
                events[i].fd = -1;
                n_open--;
            }
        }
    }
}

wm_status wm_child_run(const char *const *argv, wm_buffer *out,
                       wm_buffer *errors, int *exit_code, wm_error *err)
{
    int out_pipe[2];
    int error_pipe[2];
    int code = 0;
    if (pipe(out_pipe) != 0) {
        return wm_fail(err, WM_EIO, "no pipe: %s", strerror(errno));
    }
    if (pipe(error_pipe) != 0) {
        (void)close(out_pipe[0]);
        (void)close(out_pipe[1]);
        return wm_fail(err, WM_EIO, "no pipe: %s", strerror(errno));
    }
    const pid_t pid = fork();
    if (pid == 0) {
        child_exec(argv, out_pipe[1], error_pipe[1]);
    }
    (void)close(out_pipe[1]);
    (void)close(error_pipe[1]);
    if (pid > 0) {
        child_listen(out_pipe[0], error_pipe[0], out, errors);
    }
    (void)close(out_pipe[0]);
    (void)close(error_pipe[0]);
    if (pid < 0) {
        return wm_fail(err, WM_EIO, "cannot start %s: %s", argv[0],
                       strerror(errno));
    }
    while (waitpid(pid, &code, 0) < 0 && errno == EINTR) {
    }
    *exit_code = WIFSIGNALED(code) ? 128 + WTERMSIG(code) : WEXITSTATUS(code);
    return WM_OK;
}
