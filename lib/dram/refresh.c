/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/dram_internal.h"

/*
 * Refreshes of a lane that has no requests. Nobody runs it; before the next
 * request, they are caught up with. The first may have rows to close, the others
 * only follow each other every tREFI and are counted by a division.
 */
void gpci_lane_catch_up(gpci_lane *lane, uint64_t cycle) {
    if (!lane->rules->refresh)
        return;
    while (lane->refresh_due <= cycle) {
        gpci_plan plan = {.cycle = GPCI_NO_TIME};
        uint64_t more = (cycle - lane->refresh_due) / lane->rules->t.trefi;
        if (more && !lane->open_banks && lane->activate <= lane->refresh_due && !lane->channel->dram->trace) {
            lane->refresh_due += more * lane->rules->t.trefi;
            lane->counters.refreshes += more;
        }
        gpci_lane_plan_refresh(lane, lane->now, &plan);
        if (plan.cycle > cycle)
            return;
        lane->plan = plan;
        gpci_lane_issue(lane);
        lane->plan.cycle = GPCI_NO_TIME;
    }
}

void gpci_lane_idle(const gpci_lane *lane, uint64_t cycle, uint64_t *precharges, uint64_t *refreshes) {
    *precharges = *refreshes = 0;
    if (!lane->rules->refresh || lane->queued[0] + lane->queued[1] || lane->refresh_due > cycle)
        return;
    gpci_plan plan = {.cycle = GPCI_NO_TIME};
    gpci_lane_plan_refresh(lane, lane->now, &plan);
    uint64_t first = plan.cycle;
    if (plan.command == GPCI_DRAM_PRECHARGE_ALL) {
        *precharges = first <= cycle ? gpci_popcount(lane->open_banks) : 0;
        first += lane->rules->t.trp ? lane->rules->t.trp : 1;
        for (uint32_t b = 0; b < lane->rules->banks; b++)
            first = first < lane->banks[b].activate ? lane->banks[b].activate : first;
    }
    if (first <= cycle)
        *refreshes = 1 + (cycle - lane->refresh_due) / lane->rules->t.trefi;
}
