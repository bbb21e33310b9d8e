/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"

#include <criterion/criterion.h>

/* The number of sectors in a mask is the number of its bits, for every mask of up to eight sectors. */
Test(sectors, counted_in_every_mask) {
    for (unsigned mask = 0; mask < 256; mask++) {
        unsigned expected = 0;
        for (unsigned sector = 0; sector < 8; sector++)
            expected += mask >> sector & 1;
        cr_expect_eq(gpci_count_sectors((uint8_t)mask), expected, "mask 0x%x", mask);
    }
}
