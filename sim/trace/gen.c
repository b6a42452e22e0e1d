/*
 * gen.c -- checks the parameters, fills in the pattern's defaults, and makes
 * CTAs in the order x, y.
 */
#include "trace/gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/gen_internal.h"
#include "trace/gen_program.h"
#include "trace/gen_recipes.h"

#define N_LANES     32u
#define ARRAY_ALIGN (UINT64_C(2) << 20) /* as the driver places allocations */
#define SIZE_MAX_N  8192u
#define FIRST_PC    0x100u
#define PC_STEP     0x10u

struct wm_gen {
    wm_gen_params params;
    const wm_gen_pattern *pattern; /* NULL: program */
    wm_gen_program *program;
    wm_launch launch;
    wm_static statics[WM_GEN_STATICS_MAX];
    char opcodes[WM_GEN_STATICS_MAX][32];
    uint64_t array_bytes;
    uint64_t next; /* CTA */
};

void wm_gen_params_init(wm_gen_params *params)
{
    *params = (wm_gen_params){
        .pattern = "copy",
        .n_ctas = 64,
        .n_warps = 8,
        .n_accesses = 16,
        .width_bytes = 4,
        .base = UINT64_C(0x7f0000000000),
        .seed = 1,
        .size = 128,
    };
}

const char *wm_gen_pattern_name(size_t i)
{
    size_t recipe = i - wm_gen_n_patterns;
    return i < wm_gen_n_patterns       ? wm_gen_patterns[i].name
           : recipe < wm_gen_n_recipes ? wm_gen_recipes[recipe].name
                                       : NULL;
}

const char *wm_gen_pattern_summary(size_t i)
{
    size_t recipe = i - wm_gen_n_patterns;
    return i < wm_gen_n_patterns       ? wm_gen_patterns[i].summary
           : recipe < wm_gen_n_recipes ? wm_gen_recipes[recipe].summary
                                       : NULL;
}

static const wm_gen_pattern *find_pattern(const char *name)
{
    for (size_t i = 0; i < wm_gen_n_patterns; i++) {
        if (strcmp(wm_gen_patterns[i].name, name) == 0) {
            return &wm_gen_patterns[i];
        }
    }
    return NULL;
}

static const wm_gen_recipe *find_recipe(const char *name)
{
    for (size_t i = 0; i < wm_gen_n_recipes; i++) {
        if (strcmp(wm_gen_recipes[i].name, name) == 0) {
            return &wm_gen_recipes[i];
        }
    }
    return NULL;
}

static wm_status fail_pattern(const char *name, wm_error *err)
{
    wm_buffer names;
    wm_buffer_init(&names);
    for (size_t i = 0; wm_gen_pattern_name(i) != NULL; i++) {
        wm_buffer_printf(&names, "%s%s", i == 0 ? "" : ", ",
                         wm_gen_pattern_name(i));
    }
    wm_status status =
        names.is_failed
            ? wm_fail_memory(err)
            : wm_fail(err, WM_EUSAGE, "pattern: found '%s', wanted one of %s",
                      name, names.bytes);
    wm_buffer_fini(&names);
    return status;
}

static wm_status check_range(const char *name, uint64_t value, uint64_t min,
                             uint64_t max, wm_error *err)
{
    return value >= min && value <= max
               ? WM_OK
               : wm_fail(err, WM_EUSAGE,
                         "%s: found %" PRIu64 ", wanted %" PRIu64
                         " to %" PRIu64,
                         name, value, min, max);
}

static wm_status check_params(const wm_gen_params *p, bool is_square,
                              wm_error *err)
{
    wm_status status = check_range("CTAs", p->n_ctas, 1, INT32_MAX, err);
    if (status == WM_OK) {
        status = check_range("warps", p->n_warps, 1, WM_GEN_WARPS_MAX, err);
    }
    if (status == WM_OK) {
        status =
            check_range("accesses", p->n_accesses, 1, WM_GEN_ACCESSES_MAX, err);
    }
    if (status == WM_OK) {
        status = check_range("width", p->width_bytes, 1, WM_WIDTH_MAX, err);
    }
    if (status == WM_OK && !wm_is_power_of_two(p->width_bytes)) {
        status = wm_fail(err, WM_EUSAGE,
                         "width: found %" PRIu32 ", wanted a power of two",
                         p->width_bytes);
    }
    if (status == WM_OK && is_square) {
        status = check_range("size", p->size, N_LANES, SIZE_MAX_N, err);
        if (status == WM_OK &&
            (p->size % N_LANES != 0 || p->size % p->n_warps != 0)) {
            status = wm_fail(err, WM_EUSAGE,
                             "size: found %" PRIu32 ", wanted a multiple of "
                             "32 and of the %" PRIu32 " warps",
                             p->size, p->n_warps);
        }
    }
    return status;
}

/* Fills in what the pattern decides; the span must hold one warp's access. */
static wm_status resolve(wm_gen *gen, wm_error *err)
{
    wm_gen_params *p = &gen->params;
    const wm_gen_pattern *pattern = gen->pattern;
    wm_status status = check_params(p, pattern->is_square, err);
    if (status != WM_OK) {
        return status;
    }
    if (p->stride_bytes == 0) {
        p->stride_bytes = pattern->stride_bytes != 0 ? pattern->stride_bytes
                                                     : (int32_t)p->width_bytes;
    }
    if (pattern->is_square) {
        p->n_ctas = (uint64_t)(p->size / N_LANES) * (p->size / p->n_warps);
        p->span_bytes = (uint64_t)p->size * p->size * p->width_bytes;
    }
    int64_t stride = p->stride_bytes;
    uint64_t tile = N_LANES * (uint64_t)(stride < 0 ? -stride : stride);
    uint64_t n_tiles = p->n_ctas * p->n_warps * p->n_accesses;
    if (p->span_bytes == 0) {
        p->span_bytes = pattern->span_bytes;
    }
    if (p->span_bytes == 0) {
        p->span_bytes = n_tiles > (UINT64_MAX >> 4) / tile ? UINT64_MAX >> 4
                                                           : n_tiles * tile;
    }
    uint64_t span_max = UINT64_MAX >> 4;
    gen->array_bytes = (p->span_bytes + ARRAY_ALIGN - 1) & ~(ARRAY_ALIGN - 1);
    status = check_range("span", p->span_bytes, tile, span_max, err);
    if (status == WM_OK && pattern->is_forward && stride < 0) {
        status =
            wm_fail(err, WM_EUSAGE,
                    "stride: found %" PRId64 ", wanted a positive one", stride);
    }
    return status;
}

/* "LDG.E" and 16 bytes: "LDG.E.128"; 4 bytes have no suffix. */
static void set_opcode(char opcode[32], const char *base, wm_kind kind,
                       uint32_t width_bytes)
{
    const char *format = "%s";
    if (wm_kind_is_memory(kind) && width_bytes != 4) {
        format = width_bytes < 4 ? "%s.U%" PRIu32 : "%s.%" PRIu32;
    }
    (void)snprintf(opcode, 32, format, base, 8 * width_bytes);
}

static void make_launch(wm_gen *gen)
{
    const wm_gen_params *p = &gen->params;
    const wm_gen_pattern *pattern = gen->pattern;
    wm_launch *launch = &gen->launch;
    launch->name = pattern->kernel_name;
    launch->grid[0] =
        pattern->is_square ? p->size / N_LANES : (uint32_t)p->n_ctas;
    launch->grid[1] = pattern->is_square ? p->size / p->n_warps : 1;
    launch->grid[2] = 1;
    launch->block[0] = pattern->is_square ? N_LANES : N_LANES * p->n_warps;
    launch->block[1] = pattern->is_square ? p->n_warps : 1;
    launch->block[2] = 1;
    launch->registers = 32;
    launch->warp_size = N_LANES;
    launch->sm_version = 80;
    launch->n_ctas = p->n_ctas;
    launch->n_warps_per_cta = p->n_warps;
    launch->statics = gen->statics;
    launch->where = "generated";
    for (uint32_t i = 0; i < WM_GEN_STATICS_MAX; i++) {
        wm_static *item = &gen->statics[i];
        if (pattern->statics[i].opcode == NULL) {
            break;
        }
        wm_kind kind = pattern->statics[i].kind;
        set_opcode(gen->opcodes[i], pattern->statics[i].opcode, kind,
                   p->width_bytes);
        item->pc = FIRST_PC + (uint64_t)i * PC_STEP;
        item->kind = (uint8_t)kind;
        item->width = (uint8_t)(wm_kind_is_memory(kind) ? p->width_bytes : 0);
        item->opcode = gen->opcodes[i];
        launch->shared_bytes =
            kind == WM_KIND_SHARED_LOAD ? 16384 : launch->shared_bytes;
        launch->n_statics = i + 1;
    }
}

/* The launch of a program: one-dimensional. */
static void make_program_launch(wm_gen *gen, const char *name)
{
    const wm_gen_params *p = &gen->params;
    wm_launch *launch = &gen->launch;
    launch->name = name;
    launch->grid[0] = (uint32_t)p->n_ctas;
    launch->block[0] = N_LANES * p->n_warps;
    launch->grid[1] = launch->grid[2] = 1;
    launch->block[1] = launch->block[2] = 1;
    launch->registers = 32;
    launch->warp_size = N_LANES;
    launch->sm_version = 80;
    launch->n_ctas = p->n_ctas;
    launch->n_warps_per_cta = p->n_warps;
    launch->where = "generated";
    launch->statics = wm_gen_program_statics(gen->program, &launch->n_statics);
    for (uint32_t i = 0; i < launch->n_statics; i++) {
        bool is_shared = launch->statics[i].kind >= WM_KIND_SHARED_LOAD &&
                         launch->statics[i].kind <= WM_KIND_SHARED_ATOMIC;
        launch->shared_bytes = is_shared ? 16384 : launch->shared_bytes;
    }
}

/* The parameters' expression, or the recipe's. */
static wm_status open_program(wm_gen *gen, const wm_gen_recipe *recipe,
                              wm_error *err)
{
    const wm_gen_params *p = &gen->params;
    wm_buffer text;
    wm_buffer_init(&text);
    wm_status status = check_params(p, false, err);
    if (recipe != NULL) {
        wm_gen_recipe_text(recipe, p, &text);
    } else {
        wm_buffer_puts(&text, p->expression);
    }
    if (status == WM_OK) {
        status = text.is_failed
                     ? wm_fail_memory(err)
                     : wm_gen_compile(text.bytes, &gen->program, err);
    }
    if (status == WM_OK) {
        make_program_launch(gen, recipe == NULL ? "expression" : recipe->name);
    }
    wm_buffer_fini(&text);
    return status;
}

wm_status wm_gen_open(const wm_gen_params *params, wm_gen **out, wm_error *err)
{
    *out = NULL;
    bool is_named = params->expression == NULL;
    const wm_gen_pattern *pattern =
        is_named ? find_pattern(params->pattern) : NULL;
    const wm_gen_recipe *recipe =
        is_named ? find_recipe(params->pattern) : NULL;
    if (is_named && pattern == NULL && recipe == NULL) {
        return fail_pattern(params->pattern, err);
    }
    wm_gen *gen = calloc(1, sizeof(*gen));
    if (gen == NULL) {
        return wm_fail_memory(err);
    }
    gen->params = *params;
    gen->pattern = pattern;
    wm_status status =
        pattern == NULL ? open_program(gen, recipe, err) : resolve(gen, err);
    if (status != WM_OK) {
        free(gen);
        return status;
    }
    if (pattern != NULL) {
        make_launch(gen);
    }
    *out = gen;
    return WM_OK;
}

const wm_launch *wm_gen_launch(const wm_gen *gen)
{
    return &gen->launch;
}

static wm_status make_warp(wm_gen *gen, wm_cta *cta, uint32_t w, wm_error *err)
{
    const wm_gen_params *p = &gen->params;
    if (gen->program != NULL) {
        const wm_gen_place place = {.cta = gen->next,
                                    .warp = w,
                                    .n_ctas = p->n_ctas,
                                    .n_warps = p->n_warps,
                                    .base = p->base,
                                    .seed = p->seed};
        return wm_gen_program_run(gen->program, &place, cta, err);
    }
    wm_gen_warp warp = {.params = p,
                        .cta = cta,
                        .launch = &gen->launch,
                        .number = gen->next * p->n_warps + w,
                        .n_total = p->n_ctas * p->n_warps,
                        .array_bytes = gen->array_bytes};
    gen->pattern->emit(&warp);
    return warp.is_failed ? wm_fail_memory(err) : WM_OK;
}

wm_status wm_gen_next_cta(wm_gen *gen, wm_cta *cta, bool *has_cta,
                          wm_error *err)
{
    const wm_gen_params *p = &gen->params;
    wm_cta_clear(cta);
    *has_cta = gen->next < gen->launch.n_ctas;
    if (!*has_cta) {
        return WM_OK;
    }
    if (!wm_grow(&cta->warps, &cta->cap_warps, p->n_warps,
                 sizeof(*cta->warps))) {
        return wm_fail_memory(err);
    }
    cta->id[0] = (uint32_t)(gen->next % gen->launch.grid[0]);
    cta->id[1] = (uint32_t)(gen->next / gen->launch.grid[0]);
    cta->n_warps = p->n_warps;
    for (uint32_t w = 0; w < p->n_warps; w++) {
        cta->warps[w].first = (uint32_t)cta->n_records;
        wm_status status = make_warp(gen, cta, w, err);
        if (status != WM_OK) {
            return status;
        }
        cta->warps[w].n_records =
            (uint32_t)cta->n_records - cta->warps[w].first;
    }
    gen->next++;
    return WM_OK;
}

void wm_gen_close(wm_gen *gen)
{
    if (gen != NULL) {
        wm_gen_program_free(gen->program);
    }
    free(gen);
}
