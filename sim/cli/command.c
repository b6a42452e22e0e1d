/*
 * command.c -- groups of subcommands.
 */
#include "cli/command.h"

#include <string.h>

#include "cli/options.h"
#include "cli/output.h"
#include "report/human.h"

static const char *last_word(const char *name)
{
    const char *blank = strrchr(name, ' ');
    return blank != NULL ? blank + 1 : name;
}

static int wider(int width, const char *text)
{
    const int n = (int)strlen(text);
    return n > width ? n : width;
}

void wm_subcommand_list(const wm_subcommand *commands, size_t n, wm_buffer *out)
{
    int name = 8;
    int arguments = 24;
    for (size_t i = 0; i < n; i++) {
        name = wider(name, last_word(commands[i].name));
        arguments = wider(arguments, commands[i].arguments);
    }
    const uint32_t column = (uint32_t)(name + arguments + 6);
    for (size_t i = 0; i < n; i++) {
        wm_buffer_printf(out, "  %-*s  %-*s  ", name,
                         last_word(commands[i].name), arguments,
                         commands[i].arguments);
        wm_human_wrap(out, commands[i].summary, column, column);
    }
}

const char *wm_subcommand_nearest(const wm_subcommand *commands, size_t n,
                                  const char *word)
{
    const char *best = last_word(commands[0].name);
    for (size_t i = 1; i < n; i++) {
        const char *name = last_word(commands[i].name);
        if (wm_word_distance(word, name) < wm_word_distance(word, best)) {
            best = name;
        }
    }
    return best;
}

static wm_status group_help(const wm_subcommand *self,
                            const wm_subcommand *commands, size_t n,
                            wm_error *err)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_buffer_printf(&out, "%s\n\nUsage: warpmem %s %s\n\n", self->summary,
                     self->name, self->arguments);
    wm_subcommand_list(commands, n, &out);
    wm_buffer_printf(&out, "\n`warpmem %s COMMAND -h` explains each.\n",
                     self->name);
    return wm_output_print(&out, err);
}

wm_status wm_subcommand_dispatch(const wm_subcommand *self,
                                 const wm_subcommand *commands, size_t n,
                                 int argc, char **argv, wm_error *err)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (word == NULL) {
        return wm_fail(err, WM_EUSAGE,
                       "%s: no command given; see warpmem %s -h", self->name,
                       self->name);
    }
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        return group_help(self, commands, n, err);
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(last_word(commands[i].name), word) == 0) {
            return commands[i].run(&commands[i], argc - 1, argv + 1, err);
        }
    }
    return wm_fail(err, WM_EUSAGE,
                   "%s: unknown command \"%.64s\"; did you mean \"%s\"?",
                   self->name, word, wm_subcommand_nearest(commands, n, word));
}
