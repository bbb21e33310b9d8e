/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_FIELDS_H
#define GPC_TRACE_FIELDS_H

#include "base/buffer.h"

/* Number of bytes behind a line's newline that a reader may read. */
#define GPCI_LINE_SLACK 128u

/*
 * Fields of a line that ends in a newline. Each reader skips blanks, takes one field up to a blank or the newline, and
 * returns the field's end. NULL: no such field, or a value too large.
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

/*
 * Number of hexadecimal digits among eight characters, counted from the first, and their values, a byte each. A
 * non-digit is found by writing its value as a digit again: the result differs from the character.
 */
GPCI_INLINE unsigned gpci_hex_run(const char *at, uint64_t *values) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t word = gpci_load64((const uint8_t *)at), letters = word >> 6 & ones;
    uint64_t value = (word & ones * 0x0f) + letters * 9;
    uint64_t again = value + ones * '0' + ((value + ones * 0x76) >> 7 & ones) * ('a' - '0' - 10);
    uint64_t wrong = (again ^ (word | letters << 5)) | (value & ones * 0xf0);
    *values = value;
    return wrong ? gpci_lowest(wrong) / 8 : 8;
}

/* Number with the first `count` digits, 1 to 8, of gpci_hex_run's values. */
GPCI_INLINE uint64_t gpci_hex_join(uint64_t values, unsigned count) {
    uint64_t v = values << (64 - 8 * count);
    v = (v << 4 | v >> 8) & 0x00ff00ff00ff00ffu;
    v = (v << 8 | v >> 16) & 0x0000ffff0000ffffu;
    return (v << 16 | v >> 32) & 0xffffffffu;
}

/*
 * Read a hexadecimal number of at most 16 digits, with or without 0x. Reads GPCI_LINE_SLACK bytes beyond the newline at
 * most.
 */
GPCI_INLINE const char *gpci_field_hex(const char *at, uint64_t *value) {
    at = gpci_skip_blanks(at);
    if (at[0] == '0' && (at[1] | 0x20) == 'x')
        at += 2;
    uint64_t digits;
    unsigned count = gpci_hex_run(at, &digits);
    if (!count)
        return NULL;
    uint64_t v = gpci_hex_join(digits, count);
    at += count;
    if (count == 8 && (count = gpci_hex_run(at, &digits)) > 0) {
        v = v << 4 * count | gpci_hex_join(digits, count);
        at += count;
    }
    if (!gpci_is_end(*at))
        return NULL;
    *value = v;
    return at;
}

/* Read decimal digits up to `most`; the field may continue behind the digits. */
GPCI_INLINE const char *gpci_digits(const char *at, uint64_t most, uint64_t *value) {
    const char *first = at;
    uint64_t v = 0;
    bool lost = false;
    for (unsigned digit; (digit = (unsigned char)*at - (unsigned)'0') <= 9; at++) {
        /* 19 digits always fit */
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

/* Read a 64-bit handle in decimal. Some tracers print handles as signed numbers, and so a minus is allowed. */
GPCI_INLINE const char *gpci_field_handle(const char *at, uint64_t *value) {
    at = gpci_skip_blanks(at);
    const bool negative = *at == '-';
    uint64_t v;
    at = gpci_digits(at + negative, negative ? UINT64_C(1) << 63 : UINT64_MAX, &v);
    if (!at || !gpci_is_end(*at))
        return NULL;
    *value = negative ? 0 - v : v;
    return at;
}

/*
 * Number of decimal digits among eight characters, counted from the first. For one to seven digits `*value` is their
 * number.
 */
GPCI_INLINE unsigned gpci_decimal_run(const char *at, uint64_t *value) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t digits = gpci_load64((const uint8_t *)at) ^ ones * '0';
    uint64_t wrong = (digits | (digits + ones * 0x76)) & ones * 0x80;
    unsigned count = wrong ? gpci_lowest(wrong) / 8 : 8;
    uint64_t v = count ? digits << (64 - 8 * count) : 0; /* pad with zeros in front */
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffu;
    v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffu;
    *value = (v * 10000 + (v >> 32)) & 0xffffffffu;
    return count;
}

/*
 * Read a decimal number with an optional minus, as two's complement. Reads as far beyond the newline as gpci_field_hex.
 */
GPCI_INLINE const char *gpci_field_signed(const char *at, uint64_t *value) {
    at = gpci_skip_blanks(at);
    bool negative = *at == '-';
    uint64_t v;
    unsigned count = gpci_decimal_run(at + negative, &v);
    if (GPCI_LIKELY(count - 1 < 7 && gpci_is_end(at[negative + count]))) {
        *value = negative ? 0 - v : v;
        return at + negative + count;
    }
    at = gpci_digits(at + negative, (uint64_t)INT64_MAX + negative, &v);
    if (!at || !gpci_is_end(*at))
        return NULL;
    *value = negative ? 0 - v : v;
    return at;
}

#endif
