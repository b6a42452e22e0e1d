/*
 * mrc_write.c -- a miss-ratio curve as text, CSV or JSON.
 */
#include "study/mrc_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/human.h"
#include "report/json.h"

#define JSON_FORMAT 1u
#define BAR_COLUMNS 36

/* --- text ----------------------------------------------------------------- */

static void text_head(const wm_mrc_view *view, wm_buffer *out)
{
    const wm_mrc *mrc = view->mrc;
    const uint64_t n = wm_mrc_n_accesses(mrc);
    char text[WM_HUMAN_BYTES];
    if (view->options->level == 1) {
        wm_buffer_printf(out, "Miss ratio of L1s (%u) by the size of each",
                         wm_mrc_n_units(mrc));
    } else {
        wm_buffer_printf(out, "Miss ratio of the L2 (slices: %u) by its size",
                         wm_mrc_n_units(mrc));
    }
    wm_buffer_puts(out, ", fully associative, LRU\n");
    for (size_t i = 0; i < view->n_traces; i++) {
        wm_buffer_puts(out, "trace     ");
        wm_human_cut_path(out, view->traces[i], 70);
        wm_buffer_puts(out, "\n");
    }
    wm_buffer_printf(out, "config    %s%s%s%s\n", view->config,
                     *view->config_note != '\0' ? " (" : "", view->config_note,
                     *view->config_note != '\0' ? ")" : "");
    wm_buffer_printf(out,
                     "accesses  %s sectors of %" PRIu64 " B in lines of "
                     "%" PRIu64 " B\n",
                     wm_human_count(text, n), view->sector_bytes,
                     wm_mrc_line_bytes(mrc));
    wm_buffer_printf(out, "cold      %s of them miss at any size\n",
                     wm_human_percent(text, n != 0,
                                      (double)(wm_mrc_n_cold(mrc) +
                                               wm_mrc_n_bypassing(mrc)) /
                                          (double)n));
    if (view->options->sample_shift != 0) {
        wm_buffer_printf(out,
                         "sampled   one line in %" PRIu64
                         "; +- is three standard errors\n",
                         UINT64_C(1) << view->options->sample_shift);
    } else {
        wm_buffer_puts(out, "exact     every line followed\n");
    }
}

static void text_point(const wm_mrc_view *view, const wm_mrc_point *point,
                       wm_buffer *out)
{
    char text[WM_HUMAN_BYTES];
    wm_buffer_printf(out, "%10s",
                     wm_human_bytes(text, (double)point->size_bytes));
    wm_buffer_printf(out, " %8s", wm_human_percent(text, true, point->lru));
    if (view->options->sample_shift != 0) {
        wm_buffer_printf(out, " +-%7s",
                         wm_human_percent(text, true, point->lru_error));
    }
    if (point->has_optimal) {
        wm_buffer_printf(out, " %8s",
                         wm_human_percent(text, true, point->optimal));
    }
    wm_buffer_puts(out, "  ");
    const int n = (int)lround(point->lru * BAR_COLUMNS);
    for (int i = 0; i < n; i++) {
        wm_buffer_puts(out, "#");
    }
    wm_buffer_puts(out, "\n");
}

void wm_mrc_text(const wm_mrc_view *view, wm_buffer *out)
{
    text_head(view, out);
    wm_buffer_printf(out, "\n%10s %8s", "size", "misses");
    if (view->options->sample_shift != 0) {
        wm_buffer_puts(out, "          ");
    }
    wm_buffer_puts(out, wm_mrc_has_optimal(view->mrc) ? "  optimal\n" : "\n");
    for (size_t i = 0; i < view->n_points; i++) {
        text_point(view, &view->points[i], out);
    }
    wm_buffer_puts(out, "\nconfigured:\n");
    text_point(view, &view->configured, out);
    if (view->options->has_optimal && !wm_mrc_has_optimal(view->mrc)) {
        wm_buffer_puts(out, "\nNo curve of optimal replacement: it needs an "
                            "exact run that fits --lines.\n");
    }
}

/* --- CSV ------------------------------------------------------------------ */

void wm_mrc_csv(const wm_mrc_view *view, wm_buffer *out)
{
    wm_buffer_puts(out, "size_bytes,unit_lines,lru_miss_ratio,lru_error,"
                        "optimal_miss_ratio\n");
    for (size_t i = 0; i < view->n_points; i++) {
        const wm_mrc_point *point = &view->points[i];
        wm_buffer_printf(out, "%" PRIu64 ",%" PRIu64 ",", point->size_bytes,
                         point->unit_lines);
        wm_print_double(out, point->lru);
        wm_buffer_puts(out, ",");
        wm_print_double(out, point->lru_error);
        wm_buffer_puts(out, ",");
        if (point->has_optimal) {
            wm_print_double(out, point->optimal);
        }
        wm_buffer_puts(out, "\n");
    }
}

/* --- JSON ----------------------------------------------------------------- */

static void json_point(wm_json *json, const wm_mrc_point *point)
{
    wm_json_open(json, '{');
    wm_json_put_u64(json, "size_bytes", point->size_bytes);
    wm_json_put_u64(json, "unit_lines", point->unit_lines);
    wm_json_put_double(json, "lru_miss_ratio", point->lru);
    wm_json_put_double(json, "lru_error", point->lru_error);
    wm_json_put_double(json, "optimal_miss_ratio",
                       point->has_optimal ? point->optimal : (double)NAN);
    wm_json_close(json, '}');
}

static void json_head(wm_json *json, const wm_mrc_view *view)
{
    wm_json_put_program(json, WM_VERSION, JSON_FORMAT);
    wm_json_put_string(json, "kind", "mrc");
    wm_json_put_bool(json, "complete", view->is_complete);
    wm_json_put_string(json, "level", view->options->level == 1 ? "l1" : "l2");
    wm_json_put_string(json, "config", view->config);
    wm_json_key(json, "traces");
    wm_json_open(json, '[');
    for (size_t i = 0; i < view->n_traces; i++) {
        wm_json_open(json, '{');
        wm_json_put_string(json, "path", view->traces[i]);
        wm_json_put_string(json, "digest", view->digests[i]);
        wm_json_close(json, '}');
    }
    wm_json_close(json, ']');
}

static void json_numbers(wm_json *json, const wm_mrc_view *view)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"line_bytes", wm_mrc_line_bytes(view->mrc)},
        {"sector_bytes", view->sector_bytes},
        {"units", wm_mrc_n_units(view->mrc)},
        {"accesses", wm_mrc_n_accesses(view->mrc)},
        {"cold_misses", wm_mrc_n_cold(view->mrc)},
        {"bypassing", wm_mrc_n_bypassing(view->mrc)},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        wm_json_put_u64(json, numbers[i].key, numbers[i].value);
    }
    wm_json_key(json, "sampling");
    wm_json_open(json, '{');
    wm_json_put_u64(json, "one_in", UINT64_C(1) << view->options->sample_shift);
    wm_json_put_bool(json, "is_exact", view->options->sample_shift == 0);
    wm_json_close(json, '}');
}

void wm_mrc_json(const wm_mrc_view *view, wm_buffer *out)
{
    wm_json json;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    json_head(&json, view);
    json_numbers(&json, view);
    wm_json_key(&json, "configured");
    json_point(&json, &view->configured);
    wm_json_key(&json, "curve");
    wm_json_open(&json, '[');
    for (size_t i = 0; i < view->n_points; i++) {
        json_point(&json, &view->points[i]);
    }
    wm_json_close(&json, ']');
    wm_json_close(&json, '}');
}
