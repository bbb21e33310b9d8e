/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_DATA_BANKS_H
#define GPC_TIMED_DATA_BANKS_H

#include "timed/core/timed.h"

/*
 * Banks of L1's data; a bank reads or writes one word a cycle (l1.data_banks, l1.data_bank_width). An access needs as
 * many turns as the access has words in the most used bank. Lanes with the same word share a turn; words of different
 * lines count like words of one line. Two accesses never share a cycle of the banks.
 *
 * Lanes that ask for more bytes than the banks move at once come in parts, each with its own turns: half warps of 8
 * bytes a lane, quarter warps of 16. Source: wavefronts of an A100's, an A40's and an H200's data pipe by the stride of
 * floats and doubles, https://github.com/RRZE-HPC/gpu-benches, gpu-strides. If l1.data_width is less, a part needs at
 * least as many turns as its lanes' bytes have of these widths: an A40 gives 64 bytes a cycle to registers.
 *
 * A load reads when its last line is present: found in L1, with l1.latency after the read; or filled from below, with
 * no further latency. A store writes when its last line passes the tags. Accesses take their turns in this order. Up to
 * l1.latency accesses may wait for turns; while as many wait, the tags stop. A data port (l1.data_width) stops the tags
 * in the same way, if every access takes one cycle.
 *
 * Example, 32 banks of 4 bytes, lines of 128. 32 lanes, 128 bytes apart: 32 words of bank 0, 32 turns. 132 bytes apart:
 * one word per bank, 1 turn. The same word: 1. 8 bytes each, adjacent: 64 words, 2.
 * 8 bytes each, the same: 2, one for each half warp.
 */

typedef struct gpci_data_queue {
    uint32_t capacity;
    /* state */
    uint32_t next;
    uint64_t turns, conflicts, waits; /* counters: cycles */
    uint64_t starts[]; /* [capacity] core cycles in which the last accesses take their first turns; `next`: oldest */
} gpci_data_queue;

/* Turns of an access, or of two, whose lanes come together: of its lines. */
uint32_t gpci_data_turns(const gpci_data_banks *banks, const gpci_transaction *lines, uint32_t count);
/* Turns of an access by its lanes. With `range`, lanes touch adjacent bytes or the same, and have no addresses. */
uint32_t gpci_data_turns_of_lanes(const gpci_data_banks *banks, const gpc_warp_access *access, bool range,
                                  const gpci_transaction *lines, uint32_t count);
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
