/*
 * options.h -- one table of options per subcommand; the parser and the help
 * read the same table.
 *
 * Long options take their value with `=` or as the next argument, short ones
 * attached or as the next argument.  "--" ends the options; "-" is an
 * argument.  Options and arguments may be mixed.
 *
 * Ownership  values and arguments point into argv; wm_words are the caller's
 *            to free with wm_words_fini.
 * Errors     WM_EUSAGE with the nearest known option; WM_ENOMEM.
 */
#ifndef WM_CLI_OPTIONS_H
#define WM_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/command.h"

typedef struct wm_words {
    const char **items;
    size_t n;
    size_t capacity;
} wm_words;

void wm_words_fini(wm_words *words);

typedef enum wm_option_kind {
    WM_OPTION_FLAG,   /* bool */
    WM_OPTION_TEXT,   /* const char * */
    WM_OPTION_CHOICE, /* const char *: one of `argument`, separated by '|' */
    WM_OPTION_NUMBER, /* uint64_t in min..max; takes K, M, G as powers of 2 */
    WM_OPTION_LIST    /* wm_words; may be repeated */
} wm_option_kind;

typedef struct wm_option {
    wm_option_kind kind;
    char letter;          /* 'c', or '\0' */
    const char *name;     /* "config" */
    const char *argument; /* "NAME|FILE"; NULL for a flag */
    const char *sentence; /* with its [Default: ...] */
    size_t offset;        /* of the field in the values struct */
    uint64_t min, max;    /* WM_OPTION_NUMBER */
} wm_option;

typedef struct wm_option_table {
    const wm_option *options;
    size_t n_options;
    size_t min_arguments, max_arguments;
    const char *notes; /* text under the options, lines of <= 80; or NULL */
} wm_option_table;

/*
 * Fills the fields of *values and *arguments.  -h and --help print the help
 * and set *is_help: the command returns at once.
 */
wm_status wm_options_parse(const wm_subcommand *self,
                           const wm_option_table *table, int argc, char **argv,
                           void *values, wm_words *arguments, bool *is_help,
                           wm_error *err);

/* Edit distance, for suggestions; words over 63 letters are cut. */
size_t wm_word_distance(const char *a, const char *b);

#endif
