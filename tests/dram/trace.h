/*
 * trace.h -- the command trace of `warpmem dram`, read as a stream
 * (docs/DRAM.md, section 4).
 *
 * Ownership  open/close.
 * Errors     a message on stderr; next() then answers false and is_good too.
 * Cost       some 20 ns a line; memory does not grow with the trace.
 */
#ifndef AUDIT_TRACE_H
#define AUDIT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "command.h"

typedef struct audit_header {
    char standard[512];
    int64_t tick; /* 10^-6 ps; 0 where the header does not say */
    int64_t ck;
    uint32_t n_channels;
} audit_header;

typedef struct audit_trace audit_trace;

/* Opens a file ("-": standard input) and reads its header lines. */
audit_trace *audit_trace_open(const char *path, audit_header *header);
void audit_trace_close(audit_trace *trace);

/* The next command; false at the end and after an error. */
bool audit_trace_next(audit_trace *trace, audit_command *command);
bool audit_trace_is_good(const audit_trace *trace);

#endif
