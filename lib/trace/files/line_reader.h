/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_LINE_READER_H
#define GPC_TRACE_LINE_READER_H

#include "trace/files/input.h"

/* Lines of an input, in a buffer that is refilled behind the lines already read. */
typedef struct gpci_lines {
    gpc_context *context;
    gpci_input *input;
    char *buffer;
    size_t capacity, begin, end; /* unread bytes are in [begin, end) */
    size_t complete;             /* whole lines are in [begin, complete) */
    uint64_t number;             /* number of the line last returned, from 1 */
    bool at_end;
} gpci_lines;

gpc_status gpci_lines_open(gpci_lines *lines, gpc_context *context, const char *path, gpc_error *error);
/* Open for an input. The lines own the input from then on, even after an error. */
gpc_status gpci_lines_take_input(gpci_lines *lines, gpc_context *context, gpci_input *input, gpc_error *error);
void gpci_lines_close(gpci_lines *lines);

/*
 * Read the next line, from *line to *stop, the place of a newline; the last line also ends in a newline. A parser may
 * run up to the newline. Both pointers are valid until the next call. GPC_END behind the last line.
 */
gpc_status gpci_lines_next(gpci_lines *lines, char **line, char **stop, gpc_error *error);

/*
 * For a parser that finds the newline itself. gpci_lines_peek returns the next line, or NULL if the buffer lacks the
 * whole line. gpci_lines_take consumes the line up to the newline at `stop`.
 */
GPCI_INLINE const char *gpci_lines_peek(const gpci_lines *lines) {
    return lines->begin < lines->complete ? lines->buffer + lines->begin : NULL;
}

GPCI_INLINE void gpci_lines_take(gpci_lines *lines, const char *stop) {
    lines->begin = (size_t)(stop - lines->buffer) + 1;
    lines->number++;
}

/*
 * Look ahead without reading: return the line `*offset` bytes behind the lines read, and move `*offset` to the
 * following line. The line is valid until the next call. GPC_END behind the last line.
 */
gpc_status gpci_lines_ahead(gpci_lines *lines, size_t *offset, const char **line, gpc_error *error);

/* Read the next line that is not blank. */
gpc_status gpci_lines_next_text(gpci_lines *lines, char **line, char **stop, gpc_error *error);

/* Fail with GPC_ERROR_FORMAT at the present line: "FILE:LINE: expected WHAT". */
gpc_status gpci_lines_expected(const gpci_lines *lines, gpc_error *error, const char *what);

#endif
