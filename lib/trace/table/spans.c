/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/table/line_table.h"

#include <string.h>

/* Parts of a line, and their values. */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

gpci_span gpci_span_trim(gpci_span s) {
    while (s.at < s.end && is_space(*s.at))
        s.at++;
    while (s.at < s.end && is_space(s.end[-1]))
        s.end--;
    return s;
}

bool gpci_span_is(gpci_span s, const char *text) {
    size_t length = strlen(text);
    return s.at && (size_t)(s.end - s.at) == length && !memcmp(s.at, text, length);
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool gpci_span_number(gpci_span s, uint64_t most, uint64_t *value) {
    s = gpci_span_trim(s);
    uint64_t base = 10, found = 0;
    if (s.end - s.at > 2 && s.at[0] == '0' && (s.at[1] | 0x20) == 'x') {
        base = 16;
        s.at += 2;
    }
    if (s.at >= s.end)
        return false;
    for (; s.at < s.end; s.at++) {
        uint64_t digit = (uint64_t)digit_of(*s.at);
        if (digit >= base || found > (UINT64_MAX - digit) / base)
            return false;
        found = found * base + digit;
    }
    *value = found;
    return found <= most;
}

bool gpci_span_handle(gpci_span s, uint64_t *value) {
    s = gpci_span_trim(s);
    const bool negative = s.at < s.end && *s.at == '-';
    s.at += negative;
    if (!gpci_span_number(s, negative ? UINT64_C(1) << 63 : UINT64_MAX, value))
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
