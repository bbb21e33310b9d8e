/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"

#include <criterion/criterion.h>

/* Every mask of up to eight sectors has as many as it has bits. */
Test(sectors, counted_in_every_mask) {
    for (unsigned mask = 0; mask < 256; mask++) {
        unsigned expected = 0;
        for (unsigned sector = 0; sector < 8; sector++)
            expected += mask >> sector & 1;
        cr_expect_eq(gpci_count_sectors((uint8_t)mask), expected, "mask 0x%x", mask);
    }
}
