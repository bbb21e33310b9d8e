/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"

#define COUNTS_OF_2_BITS(n) (n), (n) + 1, (n) + 1, (n) + 2
#define COUNTS_OF_4_BITS(n) \
    COUNTS_OF_2_BITS(n), COUNTS_OF_2_BITS((n) + 1), COUNTS_OF_2_BITS((n) + 1), COUNTS_OF_2_BITS((n) + 2)
#define COUNTS_OF_6_BITS(n) \
    COUNTS_OF_4_BITS(n), COUNTS_OF_4_BITS((n) + 1), COUNTS_OF_4_BITS((n) + 1), COUNTS_OF_4_BITS((n) + 2)

_Alignas(64) const uint8_t gpci_sector_counts[256] = {COUNTS_OF_6_BITS(0), COUNTS_OF_6_BITS(1), COUNTS_OF_6_BITS(1),
                                                      COUNTS_OF_6_BITS(2)};
