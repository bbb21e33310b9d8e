/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_LINE_READER_H
#define GPC_TRACE_LINE_READER_H

#include "trace/input.h"

/* Lines of an input, in one buffer that is refilled behind the lines already read. */
typedef struct gpci_lines {
    gpc_context *context;
    gpci_input *input;
    char *buffer;
    size_t capacity, begin, end; /* unread bytes lie in [begin, end), */
    size_t whole;                /* whole lines in [begin, whole) */
    uint64_t number;             /* of the line last returned, from 1 */
    bool at_end;
} gpci_lines;

gpc_status gpci_lines_open(gpci_lines *lines, gpc_context *context, const char *path, gpc_error *error);
/* Of an input, which is the lines' from then on, also where it fails. */
gpc_status gpci_lines_take_input(gpci_lines *lines, gpc_context *context, gpci_input *input, gpc_error *error);
void gpci_lines_close(gpci_lines *lines);

/*
 * The next line, from *line to *stop, where a newline stands, the last line's too: a parser may run until it meets it.
 * Both live until the next call. GPC_END behind the last line.
 */
gpc_status gpci_lines_next(gpci_lines *lines, char **line, char **stop, gpc_error *error);

/*
 * For a parser that finds the newline by itself: the next line, or NULL where it is not in the buffer as a whole; and
 * its end, the newline's place, when it was taken.
 */
GPCI_INLINE const char *gpci_lines_peek(const gpci_lines *lines) {
    return lines->begin < lines->whole ? lines->buffer + lines->begin : NULL;
}

GPCI_INLINE void gpci_lines_take(gpci_lines *lines, const char *stop) {
    lines->begin = (size_t)(stop - lines->buffer) + 1;
    lines->number++;
}

/*
 * Look ahead: the line that begins `*offset` bytes behind what was read, which stays to be read; `*offset` moves on to
 * the next. It lives until the next call. GPC_END behind the last line.
 */
gpc_status gpci_lines_ahead(gpci_lines *lines, size_t *offset, const char **line, gpc_error *error);

/* The next line that is not blank. */
gpc_status gpci_lines_next_text(gpci_lines *lines, char **line, char **stop, gpc_error *error);

/* GPC_ERROR_FORMAT at the present line: "FILE:LINE: expected WHAT". */
gpc_status gpci_lines_expected(const gpci_lines *lines, gpc_error *error, const char *what);

#endif
