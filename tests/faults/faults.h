/*
 * faults.h -- makes the system fail on purpose, once, at a chosen call.
 *
 * faulty.c stands before the C library: the program that links it, and the
 * libraries it uses, call malloc, write, open and so on there.  While a fault
 * is armed every call of its kind is counted and the chosen one fails.
 *
 * Not modelled  what the C library calls inside itself: the write below a
 *               full stdio buffer (fwrite fails as a whole), its own mmap.
 * Threads       counters are atomic; the n-th call is that of any thread.
 */
#ifndef WM_TESTS_FAULTS_H
#define WM_TESTS_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_ALLOC, /* malloc, calloc, realloc, aligned_alloc, posix_memalign */
    FAULT_WRITE, /* ENOSPC: write, fwrite, fflush, fsync, rename, and what
                    closes a file that was written */
    FAULT_READ,  /* EIO: read, fread */
    FAULT_OPEN,  /* EMFILE: open, fopen, opendir, mkdir, pipe, fork */
    FAULT_EINTR, /* read, write, poll, waitpid: a signal came first */
    FAULT_SHORT  /* every read and write moves 7 bytes at most; at = 0 */
} fault_kind;

/* Shared by a program and all processes it starts. */
typedef struct fault_state {
    fault_kind kind;
    uint64_t at; /* fails the at-th call, from 1; 0 = none */
    _Atomic uint64_t n_calls;
    _Atomic uint64_t n_failed;
    _Atomic int64_t n_live; /* blocks allocated and not freed */
    char what[32];          /* the function that failed */
} fault_state;

/* Everything behaves until a state is armed. */
void fault_arm(fault_state *state);
void fault_disarm(void);

/* Looks up what faulty.c stands before; call it first. */
void fault_init(void);

#endif
