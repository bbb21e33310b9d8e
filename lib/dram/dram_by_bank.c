/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "dram/dram_internal.h"

/*
 * Scheduling by bank, as in GPGPU-Sim (dram.cc, dram_sched.cc). Reads and writes wait in a single queue. A bank chooses
 * one request at a time: the oldest request to the last opened row; if no request is to the row, the oldest request. In
 * a cycle only a single bank chooses. Then the banks are looked at in turn, from bank next_bank on. The first bank that
 * may send its command (read, write, activation or precharge) sends the command. With two command buses, the first bank
 * with a read or write and the first bank with an activation or precharge send. Therefore reads continue as long as a
 * bank has a ready read, and writes come in runs: the bus changes its direction when no bank can continue. In a
 * gpci_bank, others[0] is the bank's queue, and hits[0].first is its chosen request.
 */
GPCI_INLINE uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

GPCI_INLINE uint32_t bank_at(const gpci_lane *lane, uint32_t place) {
    const uint32_t bank = lane->next_bank + place;
    return bank < lane->rules->banks ? bank : bank - lane->rules->banks;
}

/* Remove the request that a bank chooses from its queue: the oldest to the last opened row; if none, the oldest. */
static uint32_t take(gpci_lane *lane, uint32_t b) {
    gpci_burst *pool = lane->channel->pool;
    gpci_bursts *queue = &lane->banks[b].others[0];
    uint32_t before = GPCI_NO_REQUEST, found = queue->first;
    for (uint32_t i = queue->first, last = GPCI_NO_REQUEST; i != GPCI_NO_REQUEST; last = i, i = pool[i].next)
        if (pool[i].row == lane->banks[b].row) {
            before = last;
            found = i;
            break;
        }
    if (before == GPCI_NO_REQUEST)
        queue->first = pool[found].next;
    else
        pool[before].next = pool[found].next;
    if (queue->last == found)
        queue->last = before;
    if (queue->first == GPCI_NO_REQUEST)
        lane->waiting &= ~((uint64_t)1 << b);
    return found;
}

/* Let the first bank without a chosen request, from next_bank on, choose a request. */
static void serve(gpci_lane *lane) {
    if (!(lane->waiting & ~lane->serving))
        return;
    for (uint32_t place = 0;; place++) {
        const uint32_t b = bank_at(lane, place);
        if (!(lane->waiting & ~lane->serving & (uint64_t)1 << b))
            continue;
        lane->banks[b].hits[0].first = take(lane, b);
        lane->serving |= (uint64_t)1 << b;
        lane->served++;
        lane->next_bank = (uint8_t)(lane->next_bank + 1u < lane->rules->banks ? lane->next_bank + 1 : 0);
        return;
    }
}

/* Command for a bank's chosen request, and the earliest cycle of the command. */
static uint64_t wanted(const gpci_lane *lane, uint32_t b, uint8_t *command) {
    const gpci_bank *bank = &lane->banks[b];
    const gpci_bank_group *group = &lane->groups[b >> lane->rules->group_shift];
    const gpci_burst *burst = &lane->channel->pool[bank->hits[0].first];
    if (!(lane->open_banks >> b & 1)) {
        *command = GPCI_DRAM_ACTIVATE;
        return later(later(lane->activate, group->activate), bank->activate);
    }
    *command = bank->row != burst->row ? GPCI_DRAM_PRECHARGE : burst->write ? GPCI_DRAM_WRITE : GPCI_DRAM_READ;
    if (*command == GPCI_DRAM_PRECHARGE)
        return bank->precharge;
    return later(later(lane->column[burst->write], group->column[burst->write]), bank->column[burst->write]);
}

GPCI_INLINE void raise_to(uint64_t *time, uint64_t least) {
    *time = later(*time, least);
}

static void activate(gpci_lane *lane, uint32_t b, uint64_t cycle) {
    const gpci_dram_rules *rules = lane->rules;
    gpci_bank *bank = &lane->banks[b];
    gpci_burst *burst = &lane->channel->pool[bank->hits[0].first];
    burst->opened = true;
    bank->row = burst->row;
    bank->column[0] = cycle + rules->open[0];
    bank->column[1] = cycle + rules->open[1];
    bank->activate = cycle + rules->timing.trc;
    raise_to(&bank->precharge, cycle + rules->timing.tras);
    raise_to(&lane->activate, cycle + rules->timing.trrd_s);
    raise_to(&lane->groups[b >> rules->group_shift].activate, cycle + rules->timing.trrd_l);
    lane->open_banks |= (uint64_t)1 << b;
    lane->counters.activates++;
    gpci_lane_show(lane, cycle, GPCI_DRAM_ACTIVATE, b, bank->row, burst->token, false);
}

static void precharge(gpci_lane *lane, uint32_t b, uint64_t cycle) {
    gpci_lane_show(lane, cycle, GPCI_DRAM_PRECHARGE, b, lane->banks[b].row, 0, false);
    raise_to(&lane->banks[b].activate, cycle + lane->rules->timing.trp);
    lane->open_banks &= ~((uint64_t)1 << b);
    lane->counters.precharges++;
}

static void column(gpci_lane *lane, uint32_t b, uint64_t cycle) {
    const gpci_dram_rules *rules = lane->rules;
    gpci_bank *bank = &lane->banks[b];
    gpci_bank_group *group = &lane->groups[b >> rules->group_shift];
    const uint32_t i = bank->hits[0].first;
    const gpci_burst *burst = &lane->channel->pool[i];
    const uint32_t kind = burst->write;
    raise_to(&lane->column[kind], cycle + rules->other[kind]);
    raise_to(&lane->column[!kind], cycle + rules->turnaround_other[kind]);
    raise_to(&group->column[kind], cycle + rules->same[kind]);
    raise_to(&group->column[!kind], cycle + rules->turnaround_same[kind]);
    raise_to(&bank->precharge, cycle + rules->close[kind]);
    lane->counters.row_hits += !burst->opened;
    GPCI_AGAIN(lane->counters.opened_again += burst->opened);
    lane->serving &= ~((uint64_t)1 << b);
    lane->served--;
    gpci_lane_show(lane, cycle, kind ? GPCI_DRAM_WRITE : GPCI_DRAM_READ, b, bank->row, burst->token, false);
    gpci_lane_complete(lane, i, cycle, cycle + rules->data[kind]);
}

enum { COLUMNS = 1, ROWS = 2 }; /* kinds of commands */

/*
 * Send a command of `kinds` from the first bank, from next_bank on, that may send its command in `cycle`. False: no
 * bank may send; `*next` is lowered to the earliest cycle in which a bank may send.
 */
static bool send(gpci_lane *lane, uint64_t cycle, unsigned kinds, uint64_t *next) {
    for (uint32_t place = 0; place < lane->rules->banks; place++) {
        const uint32_t b = bank_at(lane, place);
        uint8_t command;
        if (!(lane->serving >> b & 1))
            continue;
        const uint64_t ready = wanted(lane, b, &command);
        const bool of_column = command == GPCI_DRAM_READ || command == GPCI_DRAM_WRITE;
        if (!(kinds & (of_column ? COLUMNS : ROWS)))
            continue;
        if (ready > cycle) {
            *next = ready < *next ? ready : *next;
            continue;
        }
        if (of_column) {
            column(lane, b, cycle);
        } else {
            (command == GPCI_DRAM_ACTIVATE ? activate : precharge)(lane, b, cycle);
            lane->next_bank = (uint8_t)(b + 1 < lane->rules->banks ? b + 1 : 0);
        }
        return true;
    }
    return false;
}

/* Run a cycle; returns the next cycle with an event. */
static uint64_t cycle_of(gpci_lane *lane, uint64_t cycle) {
    uint64_t next = GPCI_NO_TIME;
    lane->row_bus = cycle + 1; /* a request that arrives in this cycle is looked at only in the next cycle */
    serve(lane);
    bool sent = send(lane, cycle, lane->rules->dual ? COLUMNS : COLUMNS | ROWS, &next);
    if (lane->rules->dual)
        sent |= send(lane, cycle, ROWS, &next);
    if (!(lane->serving | lane->waiting))
        return GPCI_NO_TIME;
    return sent || lane->waiting & ~lane->serving ? cycle + 1 : next;
}

void gpci_by_bank_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle) {
    gpci_burst *burst = &lane->channel->pool[i];
    const uint64_t bit = (uint64_t)1 << burst->bank;
    gpci_bursts_push(lane->channel->pool, &lane->banks[burst->bank].others[0], i);
    lane->waiting |= bit;
    gpci_lane_enters(lane, burst->write, cycle);
    lane->now = cycle;
    const uint64_t at = later(cycle, lane->row_bus);
    if (!(lane->serving & bit) && at < lane->plan.cycle)
        lane->plan.cycle = at;
}

void gpci_by_bank_run(gpci_lane *lane, uint64_t cycle) {
    while (lane->plan.cycle <= cycle) {
        lane->now = lane->plan.cycle;
        lane->plan.cycle = cycle_of(lane, lane->now);
    }
}
