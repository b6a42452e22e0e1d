/*
 * case.h -- one random case: a small machine and a small trace for it, as
 * plain numbers that the naive model reads and as the text that the simulator
 * reads.
 *
 * Ownership  case_new/free; all inside belongs to the case.
 * Repeatable the same seed gives the same case on every host.
 */
#ifndef ORACLE_CASE_H
#define ORACLE_CASE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/record.h"

#define CASE_LANES 64u
#define CASE_SETS  128u /* KEY=VALUE strings at most */
#define CASE_CTAS  24u
#define CASE_WARPS 4u
#define CASE_STEPS 6u

typedef enum case_policy { LRU, FIFO, PLRU, SRRIP, RANDOM, AGED } case_policy;
typedef enum case_l1_write { THROUGH, ALLOCATE, EVICT } case_l1_write;
typedef enum case_mode { BY_SECTOR, BY_LINE, BY_SEGMENT } case_mode;
typedef enum case_between { KEEP, INVALIDATE, FLUSH } case_between;

typedef struct case_cache {
    uint64_t sets, ways;
    case_policy policy;
    bool is_hashed;
} case_cache;

/* What of the configuration decides counts. */
typedef struct case_machine {
    uint64_t n_sms, max_warps, max_ctas, max_threads, registers;
    uint64_t line, sector; /* of both caches, in bytes */
    case_cache l1, l2;     /* l2: of one slice */
    bool is_l1_on;
    case_l1_write l1_write;
    uint64_t unified; /* 0: separate arrays */
    uint64_t shared, shared_reserved;
    uint64_t n_carveouts, carveout[4];
    uint64_t tag_banks, banks, bank_width;
    uint64_t slices, interleave, fetch, halves;
    bool is_l2_through;
    case_mode mode;
    uint64_t segment, split, store_split;
    bool is_l1_kept;
    case_between l2_between;
    bool is_copied; /* memcpy.l2: fill */
    uint64_t copy_share;
} case_machine;

typedef enum case_form {
    FORM_AFFINE,
    FORM_AT,
    FORM_LIST,
    FORM_LIST64
} case_form;

typedef struct case_record {
    wm_kind kind;
    uint32_t width;
    bool is_bypass, is_continued;
    case_form form; /* how the text gives the addresses */
    int64_t stride; /* FORM_AFFINE */
    uint64_t mask;
    uint64_t address[CASE_LANES]; /* by lane; where the mask has a bit */
    uint32_t wait;
} case_record;

typedef struct case_warp {
    uint32_t n; /* 0: the warp is absent */
    uint32_t first;
} case_warp;

typedef struct case_cta {
    case_warp warp[CASE_WARPS];
    uint64_t other, flops[4];
} case_cta;

/* A launch, or a copy before it. */
typedef struct case_step {
    bool is_copy;
    wm_copy copy;
    uint32_t warp_size, n_threads, n_warps, n_ctas;
    uint32_t registers, shared;
    uint64_t local_base;
    case_cta cta[CASE_CTAS];
} case_step;

typedef struct oracle_case {
    case_machine machine;
    uint32_t n_steps;
    case_step step[CASE_STEPS];
    case_record *records;
    uint32_t n_records, cap_records;
    uint32_t jobs;
    uint32_t n_sets;
    char sets[CASE_SETS][64]; /* for wm_config_load */
    const char *set[CASE_SETS];
    uint64_t random; /* the generator's state */
} oracle_case;

/* NULL when memory is short. */
oracle_case *case_new(uint64_t seed);
void case_free(oracle_case *c);
/* The trace as text; false when writing failed. */
bool case_write(const oracle_case *c, FILE *out);

/* --- for the two files that make a case ----------------------------------- */
/* Uniform below n; n != 0. */
uint64_t case_below(oracle_case *c, uint64_t n);
/* Adds KEY=VALUE. */
void case_set(oracle_case *c, const char *key, uint64_t value,
              const char *unit);
/* Draws the machine and all of the configuration. */
void case_machine_new(oracle_case *c);

#endif
