/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_DATA_BANKS_H
#define GPC_TIMED_DATA_BANKS_H

#include "timed/core/timed.h"

/*
 * Banks of L1's data; a bank reads or writes one word a cycle (l1.data_banks, l1.data_bank_width). An access needs as
 * many turns as the access has words in the most used bank. Lanes with the same word share a turn; words of different
 * lines count like words of one line. Two accesses never share a cycle of the banks.
 *
 * A load reads when its last line is present: found in L1, with l1.latency after the read; or filled from below, with
 * no further latency. A store writes when its last line passes the tags. Accesses take their turns in this order. Up to
 * l1.latency accesses may wait for turns; while as many wait, the tags stop. A data port (l1.data_width) stops the tags
 * in the same way, if every access takes one cycle.
 *
 * Example, 32 banks of 4 bytes, lines of 128. 32 lanes, 128 bytes apart: 32 words of bank 0, 32 turns. 132 bytes apart:
 * one word per bank, 1 turn. The same word: 1. 8 bytes each, adjacent: 64 words, 2.
 */

typedef struct gpci_data_queue {
    uint32_t capacity;
    /* state */
    uint32_t next;
    uint64_t turns, conflicts, waits; /* counters: cycles */
    uint64_t starts[]; /* [capacity] core cycles in which the last accesses take their first turns; `next`: oldest */
} gpci_data_queue;

/* Turns of an access's lines. */
uint32_t gpci_data_turns(const gpci_data_banks *banks, const gpci_transaction *lines, uint32_t count);
/* A load has all lines: take the turns, and set inflight->due. True if no line's latency is left to wait for. */
bool gpci_data_read(gpci_timed *timed, gpci_ctrl *ctrl, gpci_inflight *inflight);
/* A line of a load or store has passed the tags. Returns the core cycle in which a load's data are ready for turns. */
uint64_t gpci_data_passed(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_inflight *inflight);

/* True if waiting accesses of the banks stop the tags. */
bool gpci_data_is_full(const gpci_ctrl *ctrl, uint64_t now);

/* Cycle at which a line's data are ready, after the turn at the data port or banks. */
GPCI_INLINE uint64_t gpci_data_take(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt) {
    const gpci_inflight *access = &timed->inflights[pkt->line.inflight];
    if (GPCI_UNLIKELY(access->turns))
        return gpci_data_passed(timed, ctrl, pkt, access);
    return gpci_ctrl_data(ctrl, timed->wheel.now, gpci_packet_bytes(pkt));
}

#endif
