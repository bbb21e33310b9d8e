/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_TEXT_H
#define GPC_BASE_TEXT_H

#include "base/base.h"

/* Reading, quoting and writing text, the same whatever locale the host has set. */

#define GPCI_BLANK " \t\r\n"

/* A decimal number (sign, fraction and exponent allowed) at `text`. Returns its end, or `text` where there is none. */
const char *gpci_read_decimal(const char *text, double *value);

/* What a message quotes of a text: its start, on one line. */
typedef struct gpci_quoted {
    char text[72];
} gpci_quoted;

gpci_quoted gpci_quote(const char *text);

/* Move `start` and `end` inwards over blanks. */
void gpci_trim(const char **start, const char **end);

/*
 * A text being written: to a buffer, which is never overrun and always ends in a NUL, or piece by piece to a function.
 * Either way it is counted whole, so that a call with a short or no buffer tells what the next one needs.
 */
typedef struct gpci_text {
    char *buffer;  /* may be NULL, with size 0 */
    size_t size;   /* bytes of the buffer, with the NUL's */
    size_t length; /* characters of the whole text, whether they fitted or not */
    gpc_status (*write)(void *data, const char *bytes, size_t length); /* instead of the buffer, unless NULL */
    void *data;
    gpc_status status; /* the first failure, upon which nothing more is written: what `write` returned */
} gpci_text;

/* A text that goes to a buffer of `size` bytes; NULL: it is counted only. */
gpci_text gpci_text_of(char *buffer, size_t size);
/* Text as it is. */
void gpci_text_bytes(gpci_text *text, const char *bytes, size_t length);
/*
 * As printf; no %f or %g, which follow the locale. With `write`, pieces of GPCI_TEXT_PIECE bytes and more fail with
 * GPC_ERROR_RANGE: strings without a limit are for the functions below.
 */
void gpci_text_put(gpci_text *text, const char *format, ...) GPCI_PRINTF(2, 3);
#define GPCI_TEXT_PIECE 512u
/* A string of JSON, in quotes. */
void gpci_text_json(gpci_text *text, const char *string);
/* "[1, 2, 3]" */
void gpci_text_numbers(gpci_text *text, const uint64_t *values, size_t count);
/* A number of millionths: 2500000 is "2.500000". */
void gpci_text_millionths(gpci_text *text, uint64_t millionths);
/* over / under with six decimals, cut off, exact for all numbers of 64 bits; `under` is not 0. */
void gpci_text_ratio(gpci_text *text, uint64_t over, uint64_t under);
/* Store the length, unless out_length is NULL. The first failure; GPC_ERROR_RANGE where the buffer was too small. */
gpc_status gpci_text_end(const gpci_text *text, size_t *out_length);

#endif
