/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdlib.h>

/*
 * Linked by wakes.py into programs with wake-ups numbered from 1, and by increments.py into programs with numbered
 * increments. A numbered statement first compares its number with GPUCACHE_LEFT_OUT, the statement to skip. In test
 * programs reach.c records the reached numbers.
 */

void gpci_reach(size_t at) __attribute__((weak));
int gpci_left_out(unsigned number);

static unsigned left_out;

__attribute__((constructor)) static void choose(void) {
    const char *number = getenv("GPUCACHE_LEFT_OUT");
    left_out = number ? (unsigned)strtoul(number, NULL, 10) : 0;
}

int gpci_left_out(unsigned number) {
    if (gpci_reach)
        gpci_reach(number);
    return number == left_out;
}
