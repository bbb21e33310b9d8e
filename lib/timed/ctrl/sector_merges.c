/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

/* MSHR merges by sector (l1.mshr_merged, l2.mshr_merged): a limit per sector of a line. */

/* Returns 1 if a packet still waits for a segment, else 0. A leader may have its data already. */
static uint32_t waits_for(const gpci_timed *timed, uint32_t mshr_target, uint8_t segment) {
    const gpci_packet *target = gpci_packet_at(&timed->pool, mshr_target);
    return !target->mshr.done && target->mshr.needs & segment;
}

bool gpci_sector_is_full(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t mshr_entry, uint8_t needs) {
    for (; needs; needs &= (uint8_t)(needs - 1)) {
        const uint8_t segment = needs & (uint8_t)-needs;
        uint64_t count = waits_for(timed, mshr_entry, segment);
        for (uint32_t n = gpci_packet_at(&timed->pool, mshr_entry)->mshr.first; n != GPCI_NO_PACKET;
             n = *gpci_next_of(&timed->pool, n))
            count += waits_for(timed, n, segment);
        if (count >= ctrl->options->merges)
            return true;
    }
    return false;
}
