/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_FIELDS_H
#define GPC_TRACE_FIELDS_H

#include "core/core.h"

/*
 * Fields of a line that ends in a newline. Each reader passes blanks, takes one
 * field that ends at a blank or the newline, and returns where it ended, or NULL
 * where there is no such field or its value does not fit.
 */

GPCI_INLINE bool gpci_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

GPCI_INLINE const char *gpci_skip_blanks(const char *at) {
    while (gpci_is_blank(*at))
        at++;
    return at;
}

GPCI_INLINE bool gpci_is_end(char c) {
    return c == '\n' || gpci_is_blank(c);
}

/* 0 to 15, or more for what is no hexadecimal digit. */
GPCI_INLINE unsigned gpci_hex_digit(char c) {
    unsigned digit = (unsigned char)c - (unsigned)'0';
    if (digit <= 9)
        return digit;
    unsigned letter = ((unsigned char)c | 0x20u) - (unsigned)'a';
    return letter <= 5 ? letter + 10 : 16;
}

/* Hexadecimal, with or without 0x. */
GPCI_INLINE const char *gpci_field_hex(const char *at, uint64_t *value) {
    at = gpci_skip_blanks(at);
    if (at[0] == '0' && (at[1] | 0x20) == 'x')
        at += 2;
    const char *first = at;
    uint64_t v = 0;
    bool lost = false;
    for (unsigned digit; (digit = gpci_hex_digit(*at)) < 16; at++) {
        lost |= v >> 60 != 0;
        v = v << 4 | digit;
    }
    if (at == first || lost || !gpci_is_end(*at))
        return NULL;
    *value = v;
    return at;
}

/* Decimal digits up to `most`; the field may go on behind them. */
GPCI_INLINE const char *gpci_digits(const char *at, uint64_t most, uint64_t *value) {
    const char *first = at;
    uint64_t v = 0;
    bool lost = false;
    for (unsigned digit; (digit = (unsigned char)*at - (unsigned)'0') <= 9; at++) {
        /* 19 digits always fit. */
        if (GPCI_UNLIKELY(at - first >= 19))
            lost |= at - first > 19 || v > (UINT64_MAX - digit) / 10;
        v = v * 10 + digit;
    }
    if (at == first || lost || v > most)
        return NULL;
    *value = v;
    return at;
}

GPCI_INLINE const char *gpci_field_decimal(const char *at, uint64_t most, uint64_t *value) {
    at = gpci_digits(gpci_skip_blanks(at), most, value);
    return at && gpci_is_end(*at) ? at : NULL;
}

/* Decimal with an optional minus, as two's complement. */
GPCI_INLINE const char *gpci_field_signed(const char *at, uint64_t *value) {
    at = gpci_skip_blanks(at);
    bool negative = *at == '-';
    uint64_t v;
    at = gpci_digits(at + negative, (uint64_t)INT64_MAX + negative, &v);
    if (!at || !gpci_is_end(*at))
        return NULL;
    *value = negative ? 0 - v : v;
    return at;
}

#endif
