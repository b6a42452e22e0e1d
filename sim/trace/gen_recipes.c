/*
 * gen_recipes.c -- see gen_recipes.h.
 */
#include "trace/gen_recipes.h"

#include <inttypes.h>
#include <string.h>

void wm_gen_recipe_text(const wm_gen_recipe *recipe,
                        const wm_gen_params *params, wm_buffer *out)
{
    uint64_t span =
        params->span_bytes != 0 ? params->span_bytes : recipe->span_bytes;
    int64_t stride =
        params->stride_bytes != 0 ? params->stride_bytes : recipe->stride_bytes;
    uint64_t n_elements = span / params->width_bytes;
    for (const char *at = recipe->text; *at != '\0'; at++) {
        if (*at != '$') {
            wm_buffer_add(out, at, 1);
            continue;
        }
        at++;
        if (*at == 'S') {
            wm_buffer_printf(out, "(%" PRId64 ")", stride);
        } else {
            uint64_t x = *at == 'K'   ? params->n_accesses
                         : *at == 'W' ? params->width_bytes
                                      : (n_elements == 0 ? 1 : n_elements);
            wm_buffer_printf(out, "%" PRIu64, x);
        }
    }
}

const wm_gen_recipe wm_gen_recipes[] = {
    {.name = "offset",
     .summary = "a copy that starts a stride beside the lines",
     .stride_bytes = 4,
     .text = "for k in 0..$K { let i = gid + k*ctas*warps*32;"
             " load$W a + $S + $W*i; store$W b + $S + $W*i }"},
    {.name = "tiled",
     .summary = "matrix multiply, tiles of 32 rows in shared memory",
     .text = "for k in 0..$K {"
             " for r in warp..32 step warps {"
             "  load$W a + $W*((cta*32 + r)*32*$K + k*32 + lane);"
             "  load$W b + $W*((k*32 + r)*32*ctas + cta*32 + lane) }"
             " for r in warp..32 step warps {"
             "  sts$W $W*(r*32 + lane); sts$W $W*(1024 + r*32 + lane) }"
             " barrier;"
             " for j in 0..32 { lds$W $W*(warp*32 + j);"
             "  lds$W $W*(1024 + j*32 + lane); wait; fma 1 }"
             " barrier }"
             " store$W c + $W*gid"},
    {.name = "hotset",
     .summary = "random loads, nine of ten in a sixteenth of the span",
     .span_bytes = 64u << 20,
     .text = "for k in 0..$K { load$W a + $W*(rand(10) < 9 ?"
             " rand(max(1, $N/16)) : rand($N)) }"},
    {.name = "mixed",
     .summary = "streams, gathers, shared memory and reductions in turns",
     .span_bytes = 16u << 20,
     .text = "for k in 0..$K { let i = gid + k*ctas*warps*32;"
             " load$W a + $W*i; load$W b + $W*rand($N);"
             " wait; fma 4; sts$W $W*thread; barrier;"
             " lds$W $W*(thread ^ 32); wait; fma 2; store$W c + $W*i;"
             " if k % 4 == 3 { red$W d + $W*rand(1K) if lane < 8 } }"},
};

const size_t wm_gen_n_recipes =
    sizeof(wm_gen_recipes) / sizeof(wm_gen_recipes[0]);
