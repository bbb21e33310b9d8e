/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/*
 * Read digits, with at most one point, into a mantissa of at most 19 digits. `*exponent` is raised for further digits
 * before the point, and lowered for mantissa digits after the point: the value is mantissa x 10^exponent. `*digits`
 * receives the number of digits. Returns the end.
 */
static const char *read_digits(const char *at, uint64_t *mantissa, int *exponent, int *digits) {
    bool point = false;
    for (;; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*at))
            return at;
        ++*digits;
        if (*mantissa < UINT64_MAX / 10 - 1)
            *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
        else if (*exponent < 10000)
            ++*exponent;
        if (point && *exponent > -10000)
            --*exponent;
    }
}

static const char *read_exponent(const char *at, int *exponent) {
    if (*at != 'e' && *at != 'E')
        return at;
    const char *digits = at + 1 + (at[1] == '-' || at[1] == '+');
    if (!is_digit(*digits))
        return at;
    int value = 0;
    const char *end = digits;
    for (; is_digit(*end); end++)
        if (value < 10000)
            value = value * 10 + (*end - '0');
    *exponent += at[1] == '-' ? -value : value;
    return end;
}

/*
 * Compute value x 10^exponent. Powers of ten to 1e22 are exact doubles: the result is the nearest double if the value
 * is below 2^53 and the exponent is -22 to 22. Other results may be off by one or two units in the last place.
 */
static double scale(double value, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (exponent > 400)
        exponent = 400;
    if (exponent < -400)
        exponent = -400;
    for (; exponent > 22; exponent -= 22)
        value *= 1e22;
    for (; exponent < -22; exponent += 22)
        value /= 1e22;
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

const char *gpci_read_decimal(const char *text, double *value) {
    const char *at = text + (*text == '-' || *text == '+');
    uint64_t mantissa = 0;
    int exponent = 0, digits = 0;
    at = read_digits(at, &mantissa, &exponent, &digits);
    if (!digits)
        return text;
    at = read_exponent(at, &exponent);
    double magnitude = mantissa ? scale((double)mantissa, exponent) : 0;
    *value = *text == '-' ? -magnitude : magnitude;
    return at;
}

gpci_quoted gpci_quote(const char *text) {
    enum { ROOM = 64 };
    gpci_quoted quoted;
    size_t n = 0;
    for (; n < ROOM && text[n]; n++)
        quoted.text[n] = (unsigned char)text[n] < ' ' || text[n] == 127 ? '?' : text[n];
    if (text[n]) {
        /* do not cut within a UTF-8 character */
        while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        memcpy(quoted.text + n, "...", 3);
        n += 3;
    }
    quoted.text[n] = '\0';
    return quoted;
}

void gpci_trim(const char **start, const char **end) {
    while (*start < *end && strchr(GPCI_BLANK, **start))
        ++*start;
    while (*end > *start && strchr(GPCI_BLANK, (*end)[-1]))
        --*end;
}
