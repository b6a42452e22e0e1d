/*
 * command.h -- what a subcommand is to main.c.
 *
 * A subcommand reads its arguments, writes its report with output.h and
 * returns a status; main.c prints the error and turns the status into the
 * exit code:
 *     0 WM_OK
 *     1 WM_EFORMAT, WM_EINTERNAL      bad trace, or an incomplete result
 *     2 WM_EUSAGE, WM_ECONFIG         bad command line or configuration
 *     3 WM_ENOMEM, WM_EIO             out of memory, input or output failed
 */
#ifndef WM_CLI_COMMAND_H
#define WM_CLI_COMMAND_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/status.h"

typedef struct wm_subcommand {
    const char *name;      /* "run", "trace info" */
    const char *arguments; /* as in the usage line */
    const char *summary;   /* one sentence */
    /* argv[0] is the subcommand's last word. */
    wm_status (*run)(const struct wm_subcommand *self, int argc, char **argv,
                     wm_error *err);
} wm_subcommand;

/*
 * Runs the one of commands[0..n) whose last word is argv[1].  self is the
 * group, whose help lists them.
 */
wm_status wm_subcommand_dispatch(const wm_subcommand *self,
                                 const wm_subcommand *commands, size_t n,
                                 int argc, char **argv, wm_error *err);

/* Appends one aligned line per subcommand. */
void wm_subcommand_list(const wm_subcommand *commands, size_t n,
                        wm_buffer *out);

/* The name in commands[0..n) nearest to word by its last word. */
const char *wm_subcommand_nearest(const wm_subcommand *commands, size_t n,
                                  const char *word);

/* Prints "warpmem: TEXT" on stderr, for commands that go on after an error;
 * defined beside main(). */
void wm_print_error(const wm_error *err);

#endif
