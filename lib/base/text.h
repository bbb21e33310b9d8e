/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_TEXT_H
#define GPC_BASE_TEXT_H

#include "base/base.h"

/* Reading and quoting text, the same whatever locale the host has set. */

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

#endif
