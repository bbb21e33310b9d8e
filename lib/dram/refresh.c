/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/dram_internal.h"

#include <string.h>

/*
 * Refreshes, of all banks of a lane together, or of sets of banks in turn. A set is a single bank (HBM's REFSB and
 * REFpb), or the banks with a common number in every group (DDR5's REFsb). From the cycle lane->refresh_due on, the
 * banks to refresh take no other command until the refresh has been sent. Their open rows are closed first. The other
 * banks of the lane continue.
 * Example, 16 banks, tREFI 5,105 cycles. All banks together: every 5,105 cycles, no bank is served for 458 cycles
 * (dram.trfc). Single banks: every 319 cycles, a single bank is not served for 210 cycles (dram.trfc_bank).
 */
GPCI_INLINE uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Mask of the banks of the next set to refresh. */
static uint64_t banks_of_set(const gpci_lane *lane) {
    const gpci_dram_rules *rules = lane->rules;
    uint64_t banks = 0;
    for (uint32_t b = lane->refresh_set; b < rules->banks; b += rules->refresh_sets)
        banks |= (uint64_t)1 << b;
    return banks;
}

/* Plan the next step of the refresh of a set: mark the refresh as due, then close open rows, then refresh. */
static void plan_banks(const gpci_lane *lane, uint64_t from, gpci_plan *best) {
    uint64_t start = later(from, lane->row_bus), cycle, open = lane->open_banks & lane->refreshing;
    if (!lane->refreshing) {
        if (best->cycle >= lane->refresh_due)
            *best = (gpci_plan){later(from, lane->refresh_due), 0, GPCI_ALL_BANKS, GPCI_DRAM_REFRESH_DUE};
        return;
    }
    if (!lane->rules->dual)
        start = later(start, lane->column_bus);
    for (uint64_t left = open; left; left &= left - 1) {
        const uint32_t b = gpci_lowest(left);
        cycle = later(start, lane->banks[b].precharge);
        if (cycle < best->cycle || (cycle == best->cycle && left == open))
            *best = (gpci_plan){cycle, 0, b, GPCI_DRAM_PRECHARGE};
    }
    cycle = later(start, lane->activate);
    for (uint64_t left = lane->refreshing; left; left &= left - 1) {
        const uint32_t b = gpci_lowest(left);
        cycle = later(cycle, later(lane->banks[b].activate, lane->groups[b >> lane->rules->group_shift].activate));
    }
    if (!open && cycle <= best->cycle)
        *best = (gpci_plan){cycle, 0, GPCI_ALL_BANKS, GPCI_DRAM_REFRESH_BANK};
}

/* Plan a refresh of all banks: from the due time on, no other command goes first. */
static void plan_all(const gpci_lane *lane, uint64_t from, gpci_plan *best) {
    if (best->cycle < lane->refresh_due)
        return;
    uint64_t cycle = later(later(from, lane->refresh_due), lane->row_bus);
    if (!lane->rules->dual)
        cycle = later(cycle, lane->column_bus);
    if (lane->open_banks) {
        for (uint32_t b = 0; b < lane->rules->banks; b++) /* including banks that close by auto precharge */
            cycle = later(cycle, lane->banks[b].precharge);
        *best = (gpci_plan){cycle, 0, GPCI_ALL_BANKS, GPCI_DRAM_PRECHARGE_ALL};
        return;
    }
    for (uint32_t b = 0; b < lane->rules->banks; b++)
        cycle = later(cycle, lane->banks[b].activate);
    *best = (gpci_plan){later(cycle, lane->activate), 0, GPCI_ALL_BANKS, GPCI_DRAM_REFRESH};
}

void gpci_lane_plan_refresh(const gpci_lane *lane, uint64_t from, gpci_plan *best) {
    if (lane->rules->refresh_sets)
        plan_banks(lane, from, best);
    else
        plan_all(lane, from, best);
}

void gpci_lane_refresh(gpci_lane *lane, const gpci_plan *plan) {
    const gpci_dram_rules *rules = lane->rules;
    const uint64_t cycle = plan->cycle, banks = lane->refreshing;
    if (plan->command == GPCI_DRAM_REFRESH_DUE) {
        lane->refreshing = banks_of_set(lane);
        return;
    }
    const bool all = plan->command == GPCI_DRAM_REFRESH;
    lane->activate = later(lane->activate, cycle + (all ? rules->timing.trfc : rules->timing.trrefd));
    for (uint64_t left = banks; left; left &= left - 1) {
        gpci_bank *bank = &lane->banks[gpci_lowest(left)];
        bank->activate = later(bank->activate, cycle + rules->timing.trfc_bank);
    }
    gpci_lane_show(lane, cycle, plan->command, all ? 0 : gpci_lowest(banks), GPCI_NO_ROW, gpci_popcount(banks), false);
    lane->refreshing = 0;
    if (!all)
        lane->refresh_set = (lane->refresh_set + 1) % rules->refresh_sets;
    const bool last = lane->refresh_due > GPCI_NO_TIME - rules->refresh_interval; /* no later cycle exists */
    lane->refresh_due = last ? GPCI_NO_TIME : lane->refresh_due + rules->refresh_interval;
    lane->counters.refreshes++;
}

/*
 * Count refreshes of an idle lane that are due by `cycle` without simulating the refreshes. If no earlier command
 * delays the refreshes, they follow each other at the interval. The last refreshes, as many as may be in progress at
 * `cycle`, are left for gpci_lane_catch_up.
 */
static void skip(gpci_lane *lane, uint64_t cycle) {
    const gpci_dram_rules *rules = lane->rules;
    const uint64_t due = lane->refresh_due,
                   left = rules->refresh_sets ? rules->timing.trfc_bank / rules->refresh_interval + 2 : 0;
    const uint64_t later_ones = (cycle - due) / rules->refresh_interval;
    bool quiet = later_ones > left && !lane->open_banks && !lane->refreshing && lane->activate <= due &&
                 lane->now <= due && (!lane->channel->dram->trace || lane->muted);
    for (uint32_t b = 0; quiet && b < rules->banks; b++)
        quiet = lane->banks[b].activate <= due;
    if (!quiet)
        return;
    lane->refresh_due += (later_ones - left) * rules->refresh_interval;
    lane->counters.refreshes += later_ones - left;
    if (rules->refresh_sets)
        lane->refresh_set = (uint32_t)((lane->refresh_set + later_ones - left) % rules->refresh_sets);
}

/* Simulate the refreshes of a lane without requests up to `cycle`. A lane without requests is otherwise not run. */
void gpci_lane_catch_up(gpci_lane *lane, uint64_t cycle) {
    while (lane->rules->refresh && lane->refresh_due <= cycle && lane->refresh_due != GPCI_NO_TIME) {
        gpci_plan plan = {.cycle = GPCI_NO_TIME};
        skip(lane, cycle);
        gpci_lane_plan_refresh(lane, lane->now, &plan);
        if (plan.cycle > cycle)
            return;
        lane->plan = plan;
        gpci_lane_issue(lane);
        lane->plan.cycle = GPCI_NO_TIME;
    }
}

/* Count the precharges and refreshes that gpci_lane_catch_up would add: catch up with a copy of the lane. */
void gpci_lane_idle(const gpci_lane *lane, uint64_t cycle, uint64_t *precharges, uint64_t *refreshes) {
    gpci_bank banks[GPCI_MOST_BANKS];
    gpci_row_request row_requests[GPCI_MOST_BANKS];
    gpci_bank_group groups[GPCI_MOST_BANKS];
    gpci_lane copy = *lane;
    *precharges = *refreshes = 0;
    if (!lane->rules->refresh || lane->queued[0] + lane->queued[1] || lane->refresh_due > cycle)
        return;
    memcpy(banks, lane->banks, lane->rules->banks * sizeof *banks);
    memcpy(row_requests, lane->row_requests, lane->rules->banks * sizeof *row_requests);
    memcpy(groups, lane->groups, lane->rules->timing.groups * sizeof *groups);
    copy.banks = banks;
    copy.row_requests = row_requests;
    copy.groups = groups;
    copy.muted = true;
    gpci_lane_catch_up(&copy, cycle);
    *precharges = copy.counters.precharges - lane->counters.precharges;
    *refreshes = copy.counters.refreshes - lane->counters.refreshes;
}
