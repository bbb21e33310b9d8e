/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"

gpci_divisor gpci_divisor_of(uint32_t divisor) {
    if (gpci_power_of_two(divisor))
        return (gpci_divisor){0, divisor, gpci_log2(divisor)};
    unsigned l = gpci_ceil_log2(divisor);
    /* Long division of 2^(63+l): the quotient has 64 bits, the remainder stays below 2 d. */
    uint64_t quotient = 0, remainder = 0;
    for (unsigned bit = 64 + l; bit-- > 0;) {
        remainder = remainder << 1 | (bit == 63 + l);
        quotient <<= 1;
        if (remainder >= divisor) {
            remainder -= divisor;
            quotient |= 1;
        }
    }
    return (gpci_divisor){quotient + 1, divisor, l - 1};
}
