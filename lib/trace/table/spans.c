/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/table/line_table.h"

#include <string.h>

/* Parts of a line, and their values. */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

gpci_span gpci_span_trim(gpci_span span) {
    while (span.at < span.end && is_space(*span.at))
        span.at++;
    while (span.at < span.end && is_space(span.end[-1]))
        span.end--;
    return span;
}

bool gpci_span_is(gpci_span span, const char *text) {
    size_t length = strlen(text);
    return span.at && (size_t)(span.end - span.at) == length && !memcmp(span.at, text, length);
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool gpci_span_number(gpci_span span, uint64_t most, uint64_t *value) {
    span = gpci_span_trim(span);
    uint64_t base = 10, found = 0;
    if (span.end - span.at > 2 && span.at[0] == '0' && (span.at[1] | 0x20) == 'x') {
        base = 16;
        span.at += 2;
    }
    if (span.at >= span.end)
        return false;
    for (; span.at < span.end; span.at++) {
        uint64_t digit = (uint64_t)digit_of(*span.at);
        if (digit >= base || found > (UINT64_MAX - digit) / base)
            return false;
        found = found * base + digit;
    }
    *value = found;
    return found <= most;
}

bool gpci_span_handle(gpci_span span, uint64_t *value) {
    span = gpci_span_trim(span);
    const bool negative = span.at < span.end && *span.at == '-';
    span.at += negative;
    if (!gpci_span_number(span, negative ? UINT64_C(1) << 63 : UINT64_MAX, value))
        return false;
    *value = negative ? 0 - *value : *value;
    return true;
}

gpci_column gpci_column_of(gpci_span name) {
    static const char *const names[GPCI_COLUMN_COUNT] = {"kernel", "block", "warp",    "pc",    "kind", "width",
                                                         "mask",   "lane",  "address", "cycle", "sm"};
    unsigned column = 0;
    while (column < GPCI_COLUMN_COUNT && !gpci_span_is(name, names[column]))
        column++;
    return (gpci_column)column;
}
