/*
 * gen_recipes.h -- patterns that are written as programs (gen_program.h).
 * Private to the trace floor.
 */
#ifndef WM_TRACE_GEN_RECIPES_H
#define WM_TRACE_GEN_RECIPES_H

#include "base/buffer.h"
#include "trace/gen.h"

typedef struct wm_gen_recipe {
    const char *name;
    const char *summary;
    const char *text; /* $K accesses, $W width, $S stride, $N elements of the
                         span, all as numbers */
    int32_t stride_bytes; /* where the parameters say 0 */
    uint64_t span_bytes;
} wm_gen_recipe;

extern const wm_gen_recipe wm_gen_recipes[];
extern const size_t wm_gen_n_recipes;

/* The program, its parameters filled in. */
void wm_gen_recipe_text(const wm_gen_recipe *recipe,
                        const wm_gen_params *params, wm_buffer *out);

#endif
