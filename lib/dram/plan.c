/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/dram_internal.h"

/*
 * Which command of a lane goes next, and when. Only banks that have a request are
 * looked at, and the times before which they may do nothing are kept, so that one
 * look finds the next command however far away it is. It stands until it has been
 * issued or a request arrives that may change it.
 *
 * In one cycle there go first: a row command for a request beyond the age cap, then
 * reads or writes of open rows, then other row commands; among equals the oldest request's.
 *
 * Activations, precharges, and reads or writes are planned apart, since most events move only
 * one of them. A bank's command is due at the later of the bank's own time and a start that all
 * share. As long as the start has not passed the planned cycle, all other banks stand as they
 * did, and only the bank that changed is looked at; unless the plan was that bank's.
 */
GPCI_INLINE uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* From when on younger hits of a bank give way to its oldest other request. */
static uint64_t cap_time(const gpci_lane *lane, const gpci_bank *bank, uint32_t kind) {
    const gpci_burst *pool = lane->channel->pool;
    const gpci_burst *other = &pool[bank->others[kind].first];
    if (lane->rules->age_cap == GPCI_WORD || pool[bank->hits[kind].first].order < other->order)
        return GPCI_NO_TIME;
    return other->arrival + lane->rules->age_cap;
}

/* Those of `banks` that must be looked at to bring a plan up to date. */
GPCI_INLINE uint64_t to_look_at(gpci_plan *plan, uint64_t start, uint32_t changed, uint64_t banks) {
    if (plan->cycle >= start && plan->bank != changed && changed != GPCI_ALL_BANKS)
        return banks & (uint64_t)1 << changed;
    plan->cycle = GPCI_NO_TIME;
    return banks;
}

static void plan_columns(gpci_lane *lane, uint64_t from, uint32_t changed) {
    uint32_t kind = lane->mode, shift = lane->rules->group_shift;
    uint64_t start = later(later(from, lane->column_bus), lane->column[kind]);
    gpci_plan *best = &lane->columns;
    for (uint64_t banks = to_look_at(best, start, changed, lane->hit_banks[kind]); banks; banks &= banks - 1) {
        uint32_t b = gpci_lowest(banks);
        const gpci_bank *bank = &lane->banks[b];
        uint64_t cycle = later(later(start, lane->groups[b >> shift].column[kind]), bank->column[kind]);
        if (cycle > best->cycle)
            continue;
        uint64_t order = lane->channel->pool[bank->hits[kind].first].order;
        if (cycle == best->cycle && order > best->order)
            continue;
        if (lane->other_banks[kind] >> b & 1 && cycle >= cap_time(lane, bank, kind))
            continue;
        *best = (gpci_plan){cycle, order, b, kind ? GPCI_DRAM_WRITE : GPCI_DRAM_READ};
    }
}

/* A bank's oldest request to another row than the open one wants that opened. */
static void wish(gpci_lane *lane, uint32_t b) {
    const gpci_bank *bank = &lane->banks[b];
    uint32_t kind = lane->mode;
    uint64_t cycle = bank->precharge;
    if (!(lane->open_banks >> b & 1))
        cycle = later(bank->activate, lane->groups[b >> lane->rules->group_shift].activate);
    else if (lane->hit_banks[kind] >> b & 1)
        cycle = later(cycle, cap_time(lane, bank, kind)); /* never, where there is none */
    lane->wishes[b] = (gpci_wish){cycle, lane->channel->pool[bank->others[kind].first].order};
}

/* The first of the wishes of `banks`, and the plan so far. */
static void plan_rows(const gpci_wish *wishes, gpci_plan *plan, uint64_t banks, uint64_t start, uint8_t command) {
    uint64_t cycle = plan->cycle, order = plan->order;
    uint32_t bank = plan->bank;
    for (; banks; banks &= banks - 1) {
        uint32_t b = gpci_lowest(banks);
        uint64_t at = later(start, wishes[b].cycle), its = wishes[b].order;
        uint64_t first = 0 - (uint64_t)((at < cycle) | ((at == cycle) & (its < order))); /* all bits: no branch */
        cycle ^= (cycle ^ at) & first;
        order ^= (order ^ its) & first;
        bank ^= (bank ^ b) & (uint32_t)first;
    }
    *plan = (gpci_plan){cycle, order, bank, command};
}

static void plan_wishes(gpci_lane *lane, uint64_t from, uint32_t changed) {
    uint64_t wishes = lane->other_banks[lane->mode], open = lane->open_banks, banks = wishes;
    if (changed != GPCI_ALL_BANKS)
        banks &= (uint64_t)1 << changed;
    for (; banks; banks &= banks - 1)
        wish(lane, gpci_lowest(banks));
    uint64_t start = later(from, lane->row_bus);
    banks = to_look_at(&lane->closes, start, changed, wishes & open);
    if (banks)
        plan_rows(lane->wishes, &lane->closes, banks, start, GPCI_DRAM_PRECHARGE);
    start = later(start, later(lane->activate, lane->window[lane->window_at]));
    banks = to_look_at(&lane->opens, start, changed, wishes & ~open);
    if (banks)
        plan_rows(lane->wishes, &lane->opens, banks, start, GPCI_DRAM_ACTIVATE);
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
        *best = (gpci_plan){cycle, 0, GPCI_ALL_BANKS, GPCI_DRAM_PRECHARGE_ALL};
        return;
    }
    for (uint32_t b = 0; b < lane->rules->banks; b++)
        cycle = later(cycle, lane->banks[b].activate);
    *best = (gpci_plan){later(cycle, lane->activate), 0, GPCI_ALL_BANKS, GPCI_DRAM_REFRESH};
}

GPCI_INLINE bool aged(const gpci_lane *lane, const gpci_plan *row) {
    const gpci_burst *wants = &lane->channel->pool[lane->banks[row->bank].others[lane->mode].first];
    return lane->rules->age_cap != GPCI_WORD && row->cycle >= wants->arrival + lane->rules->age_cap;
}

void gpci_lane_plan(gpci_lane *lane, uint64_t from, uint32_t changed) {
    plan_columns(lane, from, changed);
    plan_wishes(lane, from, changed);
    const gpci_plan *opens = &lane->opens, *closes = &lane->closes, *columns = &lane->columns;
    /* Among rows the order says it all: an older request is beyond the cap before a younger one. */
    const gpci_plan *row = opens;
    if (closes->cycle < opens->cycle || (closes->cycle == opens->cycle && closes->order < opens->order))
        row = closes;
    bool row_first = row->cycle < columns->cycle;
    if (row->cycle == columns->cycle && row->cycle != GPCI_NO_TIME)
        row_first = aged(lane, row);
    lane->plan = row_first ? *row : *columns;
    if (lane->plan.cycle >= lane->refresh_due && lane->rules->refresh && lane->queued[0] + lane->queued[1])
        gpci_lane_plan_refresh(lane, from, &lane->plan);
}
