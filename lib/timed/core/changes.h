/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CHANGES_H
#define GPC_TIMED_CHANGES_H

#include "level/rules/level_rules.h"
#include "timed/core/timed.h"

/*
 * Last changes of lines in slices of plain caches, by hash of the line: lines with equal hashes share an element. A
 * read that L1 sent before a change of its line may bring older data. A load that must find the value of its moment
 * (gpci_reads_anew) therefore joins only reads sent at the change or later. Slices step before L1s in a cycle.
 *
 * Example: L1 sends a read of line A in cycle 100; the home slice performs a store to line A in 160. A strong load of
 * line A, at L1's tags in 150, joins the read; a strong load in 200 goes below by itself.
 */
#define GPCI_CHANGES_BITS 6u

GPCI_INLINE gpc_status gpci_changes_create(const gpci_timed *timed, gpci_ctrl *slice) {
    slice->changes = gpci_zalloc(timed->context, (size_t)1 << GPCI_CHANGES_BITS, sizeof *slice->changes);
    return slice->changes ? GPC_OK : GPC_ERROR_MEMORY;
}

GPCI_INLINE uint64_t *gpci_changes_at(const gpci_ctrl *slice, uint64_t line) {
    return &slice->changes[line * 0x9e3779b97f4a7c15u >> (64 - GPCI_CHANGES_BITS)];
}

/* A line of the slice is changed in core cycle `now`. */
GPCI_INLINE void gpci_changes_note(const gpci_timed *timed, const gpci_ctrl *slice, uint64_t inner) {
    *gpci_changes_at(slice, gpci_l2_line(timed, inner)) = timed->wheel.now;
}

/* Core cycle since which reads sent by L1s have all changes of the line of an address, as seen by the host. */
GPCI_INLINE uint64_t gpci_changes_since(const gpci_timed *timed, uint64_t address) {
    const gpci_l2_place place = gpci_l2_place_of(timed->hierarchy, address);
    const uint32_t slice = gpci_l2_slice(timed->hierarchy, gpci_l2_home(timed->hierarchy, address), place.slice);
    return *gpci_changes_at(&timed->l2[slice], gpci_l2_line(timed, place.inner));
}

#endif
