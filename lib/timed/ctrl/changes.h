/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CHANGES_H
#define GPC_TIMED_CHANGES_H

#include "timed/core/mshr_table.h"

/*
 * Last changes of lines in slices of plain caches. A read that L1 sent before a change of its line may bring older
 * data. A load that must find the line's present value (gpci_reads_anew) therefore joins only reads sent in the cycle
 * of the change or later: slices step before L1s in a cycle.
 *
 * Example: L1 sends a read of line A in cycle 100; the home slice performs a store to line A in 160. A strong load of
 * line A, at L1's tags in 150, joins the read; a strong load in 200 goes below by itself.
 */

/* Core cycle: reads that an SM's L1 sends in or after the cycle find all changes of the line of host's address. */
uint64_t gpci_changes_since(const gpci_timed *timed, uint32_t sm, uint64_t address);

#endif
