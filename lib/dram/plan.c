/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/internal.h"

/*
 * Which command of a lane goes next, and when. Only banks that have a request are
 * looked at, and the times before which they may do nothing are kept, so that one
 * look finds the next command however far away it is. It stands until it has been
 * issued or a request arrives that may change it.
 *
 * In one cycle there go first: a row command for a request beyond the age cap, then
 * reads or writes of open rows, then other row commands; among equals the oldest request's.
 */
enum { RANK_AGED, RANK_COLUMN, RANK_ROW };

GPCI_INLINE uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

GPCI_INLINE void propose(gpci_plan *best, uint64_t cycle, uint8_t rank, uint64_t order, uint32_t bank,
                         uint8_t command) {
    if (cycle < best->cycle || (cycle == best->cycle && (rank < best->rank || (rank == best->rank &&
                                                                               order < best->order))))
        *best = (gpci_plan){cycle, order, bank, command, rank};
}

/* From when on younger hits of a bank give way to its oldest other request. */
static uint64_t cap_time(const gpci_lane *lane, const gpci_bank *bank, uint32_t kind) {
    const gpci_burst *pool = lane->channel->pool;
    const gpci_burst *other = &pool[bank->others[kind].first];
    if (lane->rules->age_cap == GPCI_WORD || pool[bank->hits[kind].first].order < other->order)
        return GPCI_NO_TIME;
    return other->arrival + lane->rules->age_cap;
}

static void plan_columns(gpci_lane *lane, uint64_t from, gpci_plan *best) {
    uint32_t kind = lane->mode, shift = lane->rules->group_shift;
    uint64_t start = later(later(from, lane->column_bus), lane->column[kind]);
    if (start > best->cycle)
        return;
    for (uint64_t banks = lane->hit_banks[kind]; banks; banks &= banks - 1) {
        uint32_t b = gpci_lowest(banks);
        const gpci_bank *bank = &lane->banks[b];
        uint64_t cycle = later(later(start, lane->groups[b >> shift].column[kind]), bank->column[kind]);
        if (cycle > best->cycle)
            continue;
        if (lane->other_banks[kind] >> b & 1 && cycle >= cap_time(lane, bank, kind))
            continue;
        propose(best, cycle, RANK_COLUMN, lane->channel->pool[bank->hits[kind].first].order, b,
                kind ? GPCI_DRAM_WRITE : GPCI_DRAM_READ);
    }
}

/* A bank's oldest request to another row than the open one wants that opened. */
static void plan_rows(gpci_lane *lane, uint64_t from, gpci_plan *best) {
    uint32_t kind = lane->mode, shift = lane->rules->group_shift;
    uint64_t start = later(from, lane->row_bus);
    uint64_t activate = later(lane->activate, lane->window[lane->window_at]);
    activate = later(start, activate);
    for (uint64_t banks = lane->other_banks[kind]; banks; banks &= banks - 1) {
        uint32_t b = gpci_lowest(banks);
        const gpci_bank *bank = &lane->banks[b];
        const gpci_burst *wants = &lane->channel->pool[bank->others[kind].first];
        uint64_t cycle;
        uint8_t command = GPCI_DRAM_ACTIVATE;
        if (bank->row == GPCI_NO_ROW) {
            cycle = later(later(activate, bank->activate), lane->groups[b >> shift].activate);
        } else {
            command = GPCI_DRAM_PRECHARGE;
            cycle = later(start, bank->precharge);
            if (lane->hit_banks[kind] >> b & 1) {
                uint64_t cap = cap_time(lane, bank, kind);
                if (cap == GPCI_NO_TIME)
                    continue;
                cycle = later(cycle, cap);
            }
        }
        bool aged = lane->rules->age_cap != GPCI_WORD && cycle >= wants->arrival + lane->rules->age_cap;
        propose(best, cycle, aged ? RANK_AGED : RANK_ROW, wants->order, b, command);
    }
}

/* From the time it is due, nothing goes before the refresh. */
void gpci_lane_plan_refresh(const gpci_lane *lane, uint64_t from, gpci_plan *best) {
    if (best->cycle < lane->refresh_due)
        return;
    uint64_t cycle = later(later(from, lane->refresh_due), lane->row_bus);
    if (!lane->rules->dual)
        cycle = later(cycle, lane->column_bus);
    if (lane->open_banks) {
        for (uint32_t b = 0; b < lane->rules->banks; b++) /* those that close by themselves as well */
            cycle = later(cycle, lane->banks[b].precharge);
        *best = (gpci_plan){cycle, 0, 0, GPCI_DRAM_PRECHARGE_ALL, RANK_AGED};
        return;
    }
    for (uint32_t b = 0; b < lane->rules->banks; b++)
        cycle = later(cycle, lane->banks[b].activate);
    *best = (gpci_plan){later(cycle, lane->activate), 0, 0, GPCI_DRAM_REFRESH, RANK_AGED};
}

void gpci_lane_plan(gpci_lane *lane, uint64_t from) {
    gpci_plan best = {.cycle = GPCI_NO_TIME};
    if (lane->queued[0] + lane->queued[1]) {
        plan_columns(lane, from, &best);
        plan_rows(lane, from, &best);
        if (lane->rules->refresh)
            gpci_lane_plan_refresh(lane, from, &best);
    }
    lane->plan = best;
}
