/*
 * trace_cat.c -- `warpmem trace cat`: a trace as text, CTA by CTA.
 *
 * Memory does not grow with the trace: the text leaves after each CTA.
 */
#include <stddef.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/trace_walk.h"
#include "trace/text_write.h"

wm_status wm_trace_cmd_cat(const wm_subcommand *self, int argc, char **argv,
                           wm_error *err);

typedef struct cat_options {
    const char *output;
    const char *kinds; /* NULL = all */
    wm_part_options part;
    bool keep_going;
} cat_options;

static const wm_option cat_option_list[] = {
    {WM_OPTION_TEXT, 'o', "output", "FILE",
     "Write to FILE, - = stdout. [Default: -]", offsetof(cat_options, output),
     0, 0},
    WM_PART_OPTIONS(cat_options, part),
    {WM_OPTION_TEXT, '\0', "kind", "KIND,...",
     "Only records of these kinds, as in global_load,barrier: to look at, "
     "since "
     "what waits names loads that may be left out.",
     offsetof(cat_options, kinds), 0, 0},
    {WM_OPTION_FLAG, '\0', "keep-going", NULL,
     "Go on after a damaged kernel; exit 1 then.",
     offsetof(cat_options, keep_going), 0, 0},
};

static const wm_option_table cat_table = {
    cat_option_list, sizeof(cat_option_list) / sizeof(cat_option_list[0]), 1, 1,
    "The text is itself a trace that every command reads."};

typedef struct cat_state {
    wm_output output;
    wm_buffer text;
    uint32_t n_statics; /* of the launch, written so far */
    uint32_t kinds;     /* bit k: records of kind k are shown */
    wm_cta shown;       /* warps and records of those kinds */
} cat_state;

/* "global_load,barrier" as bits; NULL is all of them. */
static wm_status cat_kinds(const char *text, uint32_t *kinds, wm_error *err)
{
    *kinds = text == NULL ? UINT32_MAX : 0;
    while (text != NULL) {
        size_t n = strcspn(text, ",");
        uint32_t kind = 0;
        while (kind < WM_KIND_COUNT &&
               (strlen(wm_kind_name((wm_kind)kind)) != n ||
                memcmp(wm_kind_name((wm_kind)kind), text, n) != 0)) {
            kind++;
        }
        if (kind == WM_KIND_COUNT) {
            return wm_fail(err, WM_EUSAGE,
                           "trace cat: --kind \"%.*s\": want kinds such as "
                           "global_load, shared_store or barrier",
                           (int)(n < 40 ? n : 40), text);
        }
        *kinds |= UINT32_C(1) << kind;
        text = text[n] == ',' ? text + n + 1 : NULL;
    }
    return WM_OK;
}

/* Fills cat->shown, which borrows the lanes. */
static bool cat_pick(cat_state *cat, const wm_cta *cta)
{
    wm_cta *shown = &cat->shown;
    if (!wm_grow(&shown->warps, &shown->cap_warps, cta->n_warps + (size_t)1,
                 sizeof(*shown->warps)) ||
        !wm_grow(&shown->records, &shown->cap_records, cta->n_records + 1,
                 sizeof(*shown->records))) {
        return false;
    }
    memcpy(shown->id, cta->id, sizeof(shown->id));
    shown->work = cta->work;
    shown->n_warps = cta->n_warps;
    shown->lanes = cta->lanes;
    shown->n_records = 0;
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        const wm_warp_span *span = &cta->warps[w];
        shown->warps[w].first = (uint32_t)shown->n_records;
        for (uint32_t i = 0; i < span->n_records; i++) {
            const wm_record *record = &cta->records[span->first + i];
            if ((cat->kinds >> record->kind & 1) != 0) {
                shown->records[shown->n_records++] = *record;
            }
        }
        shown->warps[w].n_records =
            (uint32_t)shown->n_records - shown->warps[w].first;
    }
    return true;
}

static wm_status cat_copy(void *context, const wm_copy *copy, wm_error *err)
{
    cat_state *cat = context;
    wm_text_add_copy(&cat->text, copy);
    return wm_output_add(&cat->output, &cat->text, err);
}

static wm_status cat_launch(void *context, const wm_launch *launch,
                            wm_error *err)
{
    cat_state *cat = context;
    cat->n_statics = 0;
    wm_text_add_launch(&cat->text, launch);
    return wm_output_add(&cat->output, &cat->text, err);
}

static wm_status cat_cta(void *context, const wm_launch *launch,
                         const wm_cta *cta, wm_error *err)
{
    cat_state *cat = context;
    wm_text_add_statics(&cat->text, launch, cat->n_statics);
    cat->n_statics = launch->n_statics;
    if (!cat_pick(cat, cta)) {
        return wm_fail_memory(err);
    }
    wm_text_add_cta(&cat->text, launch, &cat->shown);
    return wm_output_add(&cat->output, &cat->text, err);
}

static const wm_trace_sink cat_sink = {cat_copy, cat_launch, cat_cta, NULL};

static wm_status cat_walk(const cat_options *options, wm_trace_walk *walk,
                          wm_error *err)
{
    cat_state cat = {.n_statics = 0};
    walk->context = &cat;
    wm_status status = cat_kinds(options->kinds, &cat.kinds, err);
    if (status == WM_OK) {
        status = wm_output_open(&cat.output, options->output, err);
    }
    if (status != WM_OK) {
        return status;
    }
    wm_cta_init(&cat.shown);
    wm_buffer_init(&cat.text);
    wm_text_add_head(&cat.text);
    status = wm_output_add(&cat.output, &cat.text, err);
    if (status == WM_OK) {
        status = wm_trace_walk_run(walk, err);
    }
    if (status == WM_OK) {
        status = wm_output_close(&cat.output, err);
    } else {
        wm_output_abort(&cat.output);
    }
    wm_buffer_fini(&cat.text);
    cat.shown.lanes = NULL; /* the reader's */
    wm_cta_fini(&cat.shown);
    return status;
}

static wm_status cat_run(const cat_options *options, const char *path,
                         wm_error *err)
{
    wm_part_walk part;
    wm_status status = wm_part_walk_init(&part, path, &options->part,
                                         options->keep_going, err);
    if (status != WM_OK) {
        return status;
    }
    part.walk.sink = &cat_sink;
    status = cat_walk(options, &part.walk, err);
    wm_part_walk_fini(&part, false);
    if (status == WM_OK && !part.walk.is_complete) {
        status = wm_fail(err, WM_EFORMAT, "%s: the trace is incomplete", path);
    }
    return status;
}

wm_status wm_trace_cmd_cat(const wm_subcommand *self, int argc, char **argv,
                           wm_error *err)
{
    cat_options options = {.output = "-", .part = WM_PART_ALL};
    wm_words arguments = {0};
    bool is_help = false;
    wm_status status = wm_options_parse(self, &cat_table, argc, argv, &options,
                                        &arguments, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = cat_run(&options, arguments.items[0], err);
    }
    wm_words_fini(&arguments);
    return status;
}
