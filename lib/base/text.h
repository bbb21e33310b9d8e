/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_TEXT_H
#define GPC_BASE_TEXT_H

#include "base/base.h"

/* Reading, quoting and writing text, independent of the host's locale. */

#define GPCI_BLANK " \t\r\n"

/*
 * Read a decimal number (sign, fraction and exponent allowed) at `text`. Returns the end of the number, or `text` if
 * there is no number.
 */
const char *gpci_read_decimal(const char *text, double *value);

/* First bytes of a text, for a message on a single line: "..." marks a cut, and control characters become '?'. */
typedef struct gpci_quoted {
    char text[72];
} gpci_quoted;

gpci_quoted gpci_quote(const char *text);

/* Move `*start` forwards and `*end` backwards over GPCI_BLANK characters. */
void gpci_trim(const char **start, const char **end);

/*
 * Output text, to a buffer or piece by piece to a function. The buffer is never overrun and always ends in a NUL. The
 * length of the whole text is counted, even if the buffer is too short, or NULL: the caller then knows the needed size.
 */
typedef struct gpci_text {
    char *buffer;                                                      /* may be NULL, with size 0 */
    size_t size;                                                       /* bytes of the buffer, including the NUL */
    size_t length;                                                     /* characters of the whole text, fitted or not */
    gpc_status (*write)(void *data, const char *bytes, size_t length); /* function instead of the buffer, unless NULL */
    void *data;
    gpc_status status; /* the first failure, returned by `write`; nothing is written afterwards */
} gpci_text;

/* Begin a text into a buffer of `size` bytes; NULL: only count the length. */
gpci_text gpci_text_of(char *buffer, size_t size);
/* Append bytes unchanged. */
void gpci_text_bytes(gpci_text *text, const char *bytes, size_t length);
/*
 * Append formatted text, as printf does. Do not use %f or %g, which depend on the locale. With `write`, formatted text
 * of GPCI_TEXT_PIECE bytes or more fails with GPC_ERROR_RANGE: append strings without a limit by other functions.
 */
void gpci_text_put(gpci_text *text, const char *format, ...) GPCI_PRINTF(2, 3);
#define GPCI_TEXT_PIECE 512u
/* Append a JSON string, in quotes. */
void gpci_text_json(gpci_text *text, const char *string);
/* Append "[1, 2, 3]". */
void gpci_text_numbers(gpci_text *text, const uint64_t *values, size_t count);
/* Append a number of millionths: 2500000 is "2.500000". */
void gpci_text_millionths(gpci_text *text, uint64_t millionths);
/* Append over / under with six decimals, truncated, exact for all 64-bit numbers; `under` is not 0. */
void gpci_text_ratio(gpci_text *text, uint64_t over, uint64_t under);
/*
 * Store the length, unless out_length is NULL. Returns the first failure; GPC_ERROR_RANGE if the buffer was too small.
 */
gpc_status gpci_text_end(const gpci_text *text, size_t *out_length);

#endif
