/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/line_reader.h"

#include "trace/files/fields.h"

#include <inttypes.h>
#include <string.h>

#define LINE_BUFFER (256u << 10)
#define LONGEST_LINE (64u << 20)

gpc_status gpci_lines_open(gpci_lines *lines, gpc_context *context, const char *path, gpc_error *error) {
    *lines = (gpci_lines){0};
    gpci_input *input;
    gpc_status status = gpci_input_open(context, path, error, &input);
    return status < 0 ? status : gpci_lines_take_input(lines, context, input, error);
}

gpc_status gpci_lines_take_input(gpci_lines *lines, gpc_context *context, gpci_input *input, gpc_error *error) {
    *lines = (gpci_lines){.context = context, .capacity = LINE_BUFFER, .input = input};
    lines->buffer = gpci_alloc(context, lines->capacity + GPCI_LINE_SLACK);
    if (lines->buffer)
        return GPC_OK;
    gpci_lines_close(lines);
    return gpci_out_of_memory(error);
}

void gpci_lines_close(gpci_lines *lines) {
    if (lines->context)
        gpci_free(lines->context, lines->buffer);
    gpci_input_close(lines->input);
    *lines = (gpci_lines){0};
}

/* Read more bytes behind `end`. At the end of the input, put a newline there: the last line may lack one. */
static gpc_status refill(gpci_lines *lines, gpc_error *error) {
    if (lines->begin) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->complete = lines->complete > lines->begin ? lines->complete - lines->begin : 0;
        lines->begin = 0;
    }
    if (lines->end >= lines->capacity) {
        if (lines->capacity >= LONGEST_LINE)
            return gpci_fail(error, GPC_ERROR_FORMAT, "%s:%" PRIu64 ": the line is longer than %u bytes",
                             gpci_input_path(lines->input), lines->number + 1, LONGEST_LINE);
        /* doubled without GPCI_ARRAY_RESERVE: messages state the limit LONGEST_LINE, and the slack does not count */
        char *grown = gpci_resize(lines->context, lines->buffer, lines->capacity * 2 + GPCI_LINE_SLACK, 1);
        if (!grown)
            return gpci_out_of_memory(error);
        lines->buffer = grown;
        lines->capacity *= 2;
    }
    size_t got;
    gpc_status status =
        gpci_input_read(lines->input, lines->buffer + lines->end, lines->capacity - lines->end, &got, error);
    if (status < 0)
        return status;
    size_t last = got;
    while (last && lines->buffer[lines->end + last - 1] != '\n')
        last--;
    lines->complete = last ? lines->end + last : lines->complete;
    lines->end += got;
    lines->at_end = got == 0;
    memset(lines->buffer + lines->end, '\n', GPCI_LINE_SLACK);
    return GPC_OK;
}

gpc_status gpci_lines_next(gpci_lines *lines, char **line, char **stop, gpc_error *error) {
    size_t scanned = 0;
    for (;;) {
        char *begin = lines->buffer + lines->begin;
        size_t unread = lines->end - lines->begin;
        char *found = memchr(begin + scanned, '\n', unread - scanned);
        if (!found && lines->at_end) {
            if (!unread)
                return GPC_END;
            found = begin + unread;
            *found = '\n';
            lines->end++;
        }
        if (found) {
            *line = begin;
            *stop = found;
            lines->begin = (size_t)(found - lines->buffer) + 1;
            lines->number++;
            return GPC_OK;
        }
        scanned = unread;
        gpc_status status = refill(lines, error);
        if (status < 0)
            return status;
    }
}

gpc_status gpci_lines_ahead(gpci_lines *lines, size_t *offset, const char **line, gpc_error *error) {
    for (;;) {
        char *from = lines->buffer + lines->begin + *offset;
        const size_t unread = lines->end - lines->begin - *offset;
        const char *found = memchr(from, '\n', unread);
        if (!found && lines->at_end && !unread)
            return GPC_END;
        if (found || lines->at_end) { /* the last line also has a newline behind its end */
            *line = from;
            *offset += found ? (size_t)(found - from) + 1 : unread;
            return GPC_OK;
        }
        gpc_status status = refill(lines, error);
        if (status < 0)
            return status;
    }
}

gpc_status gpci_lines_next_text(gpci_lines *lines, char **line, char **stop, gpc_error *error) {
    gpc_status status;
    do
        status = gpci_lines_next(lines, line, stop, error);
    while (status == GPC_OK && *gpci_skip_blanks(*line) == '\n');
    return status;
}

gpc_status gpci_lines_expected(const gpci_lines *lines, gpc_error *error, const char *what) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s:%" PRIu64 ": expected %s", gpci_input_path(lines->input),
                     lines->number, what);
}
