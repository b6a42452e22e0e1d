/*
 * main.c -- dispatch; the one place that prints errors and exits.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"

#define WM_COMMAND(id, arguments, sentence)                                    \
    wm_status wm_cmd_##id(const wm_subcommand *self, int argc, char **argv,    \
                          wm_error *err);
#include "cli/commands.def"
#undef WM_COMMAND

static const wm_subcommand commands[] = {
#define WM_COMMAND(id, arguments, sentence)                                    \
    {#id, arguments, sentence, wm_cmd_##id},
#include "cli/commands.def"
#undef WM_COMMAND
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static wm_status print_help(wm_error *err)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_buffer_puts(
        &out, "Simulate a GPU memory system from per-warp address traces.\n\n"
              "Usage: warpmem COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    wm_subcommand_list(commands, N_COMMANDS, &out);
    wm_buffer_puts(
        &out,
        "\n  -h, --help     Print this help; `warpmem COMMAND -h` explains "
        "each.\n"
        "  -V, --version  Print the version.\n\n"
        "Example: warpmem run -c v100 -s l2.size=12MiB kernelslist.g\n\n"
        "Reports go to stdout or to -o FILE, all else to stderr.\n"
        "Exit: 0 done and complete; 1 bad trace or incomplete result; 2 bad "
        "command line\nor configuration; 3 out of memory, input or output "
        "failed.\n");
    return wm_output_print(&out, err);
}

static wm_status print_version(wm_error *err)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_buffer_printf(&out, "warpmem %s\n", WM_VERSION);
    return wm_output_print(&out, err);
}

static wm_status dispatch(int argc, char **argv, wm_error *err)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (word == NULL) {
        return wm_fail(err, WM_EUSAGE, "no command given; see warpmem -h");
    }
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        return print_help(err);
    }
    if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0) {
        return print_version(err);
    }
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, word) == 0) {
            return commands[i].run(&commands[i], argc - 1, argv + 1, err);
        }
    }
    return wm_fail(err, WM_EUSAGE,
                   "unknown command \"%.64s\"; did you mean \"%s\"?", word,
                   wm_subcommand_nearest(commands, N_COMMANDS, word));
}

void wm_print_error(const wm_error *err)
{
    wm_output_note("%s", err->text);
}

static int exit_code(wm_status status)
{
    switch (status) {
    case WM_OK:
        return 0;
    case WM_EFORMAT:
    case WM_EINTERNAL:
        return 1;
    case WM_EUSAGE:
    case WM_ECONFIG:
        return 2;
    case WM_ENOMEM:
    case WM_EIO:
        break;
    }
    return 3;
}

int main(int argc, char **argv)
{
    wm_error err = {WM_OK, ""};
    /* A closed pipe is a failed write, so that -o files are cleaned up. */
    (void)signal(SIGPIPE, SIG_IGN);
    wm_status status = dispatch(argc, argv, &err);
    if (status != WM_OK && err.text[0] != '\0') {
        wm_print_error(&err);
    }
    return exit_code(status);
}
