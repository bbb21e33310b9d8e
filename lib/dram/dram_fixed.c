/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/dram_internal.h"

/*
 * Fixed model: requests use the bus in order of arrival, with a fixed number of bytes per cycle. The data end a fixed
 * latency after the request's turn. The end is known on arrival.
 * Example, bursts of 32 bytes, 24 bytes per cycle: four requests at cycle 0 have their turns at 0, 4/3, 8/3 and 4. The
 * turns begin with cycles 0, 2, 3 and 4.
 */
void gpci_fixed_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle) {
    const gpci_dram_rules *rules = lane->rules;
    gpci_burst *burst = &lane->channel->pool[i];
    uint64_t width = rules->fixed_bandwidth;
    if (lane->bus_cycle < cycle) {
        lane->bus_cycle = cycle;
        lane->bus_part = 0;
    }
    burst->end = lane->bus_cycle + (lane->bus_part != 0); /* cycle of the turn, until gpci_fixed_run sets the end */
    if (width) {
        uint64_t part = lane->bus_part + rules->timing.burst_bytes;
        lane->bus_cycle += part / width;
        lane->bus_part = part % width;
    }
    gpci_lane_enters(lane, burst->write, cycle);
    gpci_bursts_push(lane->channel->pool, &lane->queue[0], i);
    lane->plan.cycle = lane->channel->pool[lane->queue[0].first].end;
}

static GPCI_COLD void tell(const gpci_lane *lane, uint64_t cycle, const gpci_burst *burst) {
    gpci_lane_tell(lane, cycle, burst->write ? GPCI_DRAM_WRITE : GPCI_DRAM_READ, 0, GPCI_NO_ROW, burst->token, false);
}

GPCI_INLINE void run(gpci_lane *lane, uint64_t cycle, bool watched) {
    gpci_burst *pool = lane->channel->pool;
    while (lane->plan.cycle <= cycle) {
        uint64_t start = lane->plan.cycle;
        uint32_t i = gpci_bursts_pop(pool, &lane->queue[0]);
        if (watched)
            tell(lane, start, &pool[i]);
        gpci_lane_complete(lane, i, start, start + lane->rules->fixed_latency);
        lane->plan.cycle = lane->queue[0].first == GPCI_NO_REQUEST ? GPCI_NO_TIME : pool[lane->queue[0].first].end;
    }
}

static GPCI_COLD void run_watched(gpci_lane *lane, uint64_t cycle) {
    run(lane, cycle, true);
}

void gpci_fixed_run(gpci_lane *lane, uint64_t cycle) {
    if (GPCI_UNLIKELY(lane->channel->dram->trace != NULL))
        run_watched(lane, cycle);
    else
        run(lane, cycle, false);
}
