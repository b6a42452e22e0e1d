/*
 * reference.c -- replays a stream on the plain controller of controller.h.
 *
 *     reference [OPTION...] STANDARD < STREAM
 *
 *     --rate V          request i is due at tick i V / 1024 (default 0: at
 * once)
 *     --queue N         entries of either queue (default 32)
 *     --no-refresh
 *     --row-hit         FRFCFS-RowHit
 *     --commands FILE   writes the command trace
 *
 * The mapping is mop4clxor.  Prints one line: cycles, requests, completed reads
 * and the sums of their latencies from arrival and from when they were due, row
 * hits, misses and conflicts, forwarded reads, merged writes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller.h"

#define OFFERS_PER_TICK 4

typedef struct mapping {
    unsigned atom_bits;
    unsigned column_bits;
    unsigned level_bits[4]; /* pc, sid, bg, ba */
} mapping;

typedef struct replay {
    const char *standard_path;
    const char *commands_path;
    int64_t rate;
    ref_options options;
    audit_standard standard;
    mapping map;
} replay;

static unsigned log2_of(uint64_t n)
{
    unsigned bits = 0;
    while (UINT64_C(1) << bits < n) {
        bits++;
    }
    return bits;
}

/* Two column bits, the levels, the other column bits, the row; then each
 * level is folded with the next bits of the column. */
static void map_address(const replay *p, uint64_t address, ref_request *r)
{
    uint64_t x = address >> p->map.atom_bits;
    uint32_t *level[4] = {&r->pc, &r->sid, &r->bg, &r->ba};
    uint64_t column = x & 3;
    x >>= 2;
    for (int i = 0; i < 4; i++) {
        *level[i] = (uint32_t)(x & ((1u << p->map.level_bits[i]) - 1));
        x >>= p->map.level_bits[i];
    }
    unsigned rest = p->map.column_bits - 2;
    column |= (x & ((UINT64_C(1) << rest) - 1)) << 2;
    uint64_t row = x >> rest;
    uint64_t fold = column;
    for (int i = 0; i < 4; i++) {
        *level[i] ^= (uint32_t)(fold & ((1u << p->map.level_bits[i]) - 1));
        fold >>= p->map.level_bits[i];
    }
    r->row = (int64_t)(row ^ fold);
    r->column = (int64_t)column;
    const audit_standard *s = &p->standard;
    r->bank =
        ((r->pc * s->n_sids + r->sid) * s->n_bgs + r->bg) * s->n_bas + r->ba;
}

static bool read_request(const replay *p, int64_t i, ref_request *r)
{
    char direction;
    uint64_t address;
    if (scanf(" %c %" SCNx64, &direction, &address) != 2) {
        return false;
    }
    *r = (ref_request){.address = address >> p->map.atom_bits,
                       .is_write = direction == 'W',
                       .due = i * p->rate / 1024};
    map_address(p, address, r);
    return true;
}

/* Returns the tick at which all is accepted and read. */
static int64_t run(const replay *p, ref_controller *c, int64_t *n_requests)
{
    ref_request next;
    int64_t now = 0;
    int64_t i = 0;
    bool has_next = read_request(p, i, &next);
    while (has_next || ref_controller_n_waiting(c) > 0) {
        for (int n = 0; has_next && n < OFFERS_PER_TICK && next.due <= now;
             n++) {
            if (!ref_controller_offer(c, &next, now)) {
                break;
            }
            has_next = read_request(p, ++i, &next);
        }
        ref_controller_tick(c, ++now);
    }
    *n_requests = i;
    return now;
}

static bool parse_arguments(replay *p, int argc, char **argv)
{
    *p = (replay){.options = {32, true, false}};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--no-refresh") == 0) {
            p->options.has_refresh = false;
        } else if (strcmp(argv[i], "--row-hit") == 0) {
            p->options.keeps_hits = true;
        } else if (strcmp(argv[i], "--rate") == 0 && value != NULL) {
            p->rate = strtoll(value, NULL, 10);
            i++;
        } else if (strcmp(argv[i], "--queue") == 0 && value != NULL) {
            p->options.n_queue = (uint32_t)strtoul(value, NULL, 10);
            i++;
        } else if (strcmp(argv[i], "--commands") == 0 && value != NULL) {
            p->commands_path = value;
            i++;
        } else if (p->standard_path == NULL && argv[i][0] != '-') {
            p->standard_path = argv[i];
        } else {
            return false;
        }
    }
    return p->standard_path != NULL && p->options.n_queue > 0 &&
           p->options.n_queue <= 256;
}

static void make_mapping(replay *p)
{
    const audit_standard *s = &p->standard;
    p->map = (mapping){log2_of(s->atom_bytes),
                       log2_of(s->row_bytes / s->atom_bytes),
                       {log2_of(s->n_pcs), log2_of(s->n_sids),
                        log2_of(s->n_bgs), log2_of(s->n_bas)}};
}

static void print_result(const ref_result *r, int64_t cycles, int64_t n)
{
    printf("cycles %" PRId64 " requests %" PRId64 " reads %" PRIu64
           " latency_sum %" PRIu64 " late_sum %" PRIu64 " hits %" PRIu64
           " misses %" PRIu64 " conflicts %" PRIu64 " forwarded %" PRIu64
           " merged %" PRIu64 "\n",
           cycles, n, r->n_reads, r->latency, r->late, r->n_hits, r->n_misses,
           r->n_conflicts, r->n_forwarded, r->n_merged);
}

int main(int argc, char **argv)
{
    replay p;
    if (!parse_arguments(&p, argc, argv)) {
        fprintf(stderr, "usage: reference [--rate V] [--queue N] "
                        "[--no-refresh] [--row-hit] [--commands FILE] "
                        "STANDARD < STREAM\n");
        return 2;
    }
    if (!audit_standard_load(&p.standard, p.standard_path, 0)) {
        return 2;
    }
    make_mapping(&p);
    FILE *out = NULL;
    if (p.commands_path != NULL) {
        out = fopen(p.commands_path, "w");
        if (out == NULL) {
            fprintf(stderr, "reference: %s: cannot be written\n",
                    p.commands_path);
            return 2;
        }
        fprintf(out, "# warpmem dram commands 1\n# standard: %s\n",
                p.standard_path);
    }
    int code = 2;
    int64_t n_requests;
    ref_controller *c = ref_controller_new(&p.standard, &p.options, out);
    if (c != NULL) {
        int64_t cycles = run(&p, c, &n_requests);
        print_result(ref_controller_result(c), cycles, n_requests);
        ref_controller_free(c);
        code = 0;
    }
    if (out != NULL && fclose(out) != 0) {
        code = 2;
    }
    return code;
}
