/*
 * streams.c -- streams of DRAM requests, as `warpmem dram` replays them.
 *
 *     streams PATTERN N [SEED]       lines "R|W ADDRESS" on standard output
 *
 * The patterns are those that the golden rows were measured with, and one of a
 * few hot rows; seed 0 is theirs.  A pattern makes an address whose lowest bit
 * is set for a write.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGE    (UINT64_C(1) << 32)
#define ATOM     UINT64_C(32)
#define STREAMS  64u
#define FIRST    UINT64_C(88172645463325252)
#define STRIDE_P UINT64_C(524288)

typedef struct generator {
    uint64_t state;
    uint64_t start[STREAMS];
    uint64_t current; /* of the start addresses */
} generator;

static uint64_t draw(generator *g)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return g->state * UINT64_C(2685821657736338717);
}

typedef uint64_t (*pattern)(generator *g, uint64_t i);

static uint64_t next_seq(generator *g, uint64_t i)
{
    (void)g;
    return i * ATOM % RANGE;
}

static uint64_t next_stride(generator *g, uint64_t i)
{
    (void)g;
    return i % STRIDE_P * 2048 + i / STRIDE_P * ATOM % 2048;
}

static uint64_t next_rand(generator *g, uint64_t i)
{
    (void)i;
    return ((draw(g) >> 11) % RANGE) & ~(ATOM - 1);
}

static uint64_t next_copy(generator *g, uint64_t i)
{
    (void)g;
    uint64_t write = i / 8 & 1;
    uint64_t j = i / 16 * 8 + (i & 7);
    return (j * ATOM % (RANGE / 2) + write * (RANGE / 2)) | write;
}

static uint64_t next_rmix(generator *g, uint64_t i)
{
    uint64_t address = next_rand(g, i);
    return address | draw(g) >> 63;
}

/* Bursts of 128 B from 64 streams that now and then jump. */
static uint64_t next_gpu(generator *g, uint64_t i)
{
    if (i % 4 == 0) {
        g->current = draw(g) >> 58;
        if ((draw(g) & 1023) < 8) {
            g->start[g->current] = draw(g) % RANGE & ~UINT64_C(127);
        }
    }
    uint64_t *start = &g->start[g->current];
    uint64_t address = *start % RANGE & ~(ATOM - 1);
    *start += ATOM;
    return address | (g->current % 10 < 3);
}

/* A few rows of a few banks: conflicts, hits and merges in turn. */
static uint64_t next_hot(generator *g, uint64_t i)
{
    (void)i;
    uint64_t d = draw(g);
    uint64_t row = d >> 61 << 20;
    return row | (d >> 20 & 0x1fe0) | ((d & 3) == 0);
}

static const struct {
    const char *name;
    pattern next;
} patterns[] = {
    {"seq", next_seq},   {"stride", next_stride}, {"rand", next_rand},
    {"copy", next_copy}, {"rmix", next_rmix},     {"gpu", next_gpu},
    {"hot", next_hot},
};

int main(int argc, char **argv)
{
    generator g = {.state = FIRST};
    pattern next = NULL;
    for (size_t p = 0; argc >= 3 && p < sizeof(patterns) / sizeof(*patterns);
         p++) {
        if (strcmp(argv[1], patterns[p].name) == 0) {
            next = patterns[p].next;
        }
    }
    if (next == NULL) {
        fprintf(stderr, "usage: streams seq|stride|rand|copy|rmix|gpu|hot N "
                        "[SEED]\n");
        return 2;
    }
    uint64_t n = strtoull(argv[2], NULL, 10);
    if (argc > 3) {
        g.state ^= strtoull(argv[3], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15);
        g.state += g.state == 0;
    }
    for (unsigned s = 0; s < STREAMS; s++) {
        g.start[s] = draw(&g) % RANGE & ~UINT64_C(127);
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t record = next(&g, i);
        printf("%c 0x%" PRIx64 "\n", record & 1 ? 'W' : 'R',
               record & ~UINT64_C(1));
    }
    return fflush(stdout) != 0;
}
