/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "dram/dram_internal.h"

/* A lane: choice and time of the next command, and the effect of a command on the lane's times. */

/*
 * Choice and time of a lane's next command. Only banks with a request are looked at. The lane keeps the earliest cycle
 * of each kind of command. Therefore the next command is found at once, without a step for every cycle. The plan stands
 * until the command is issued, or until a request arrives that may change the plan.
 *
 * Priority in a cycle: first a row command for a request beyond the age cap, then reads or writes of open rows, then
 * other row commands. Among equals the oldest request goes first.
 *
 * Activations (`opens`), precharges (`closes`), and reads or writes (`columns`) are planned separately, because most
 * events change only one of the three plans. A bank's command is due at the later of two cycles: the bank's own
 * earliest cycle, and a start common to all banks. If the start is not after the planned cycle, the plan is still right
 * for the unchanged banks, and only the changed bank is looked at. If the plan was for the changed bank, all banks are
 * looked at.
 */
GPCI_INLINE uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/*
 * Cycle from which on hits of a bank must let the bank's oldest other request go first (dram.age_cap). GPCI_NO_TIME: no
 * cap, or the oldest hit is older than the other request.
 */
static uint64_t cap_time(const gpci_lane *lane, const gpci_bank *bank, uint32_t kind) {
    const gpci_burst *pool = lane->channel->pool;
    const gpci_burst *other = &pool[bank->others[kind].first];
    if (lane->rules->age_cap == GPCI_WORD || pool[bank->hits[kind].first].order < other->order)
        return GPCI_NO_TIME;
    return other->arrival + lane->rules->age_cap;
}

/* Banks to look at for an update of a plan: the changed bank; or all of `banks`, and the plan is cleared. */
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
    for (uint64_t banks = to_look_at(best, start, changed, lane->hit_banks[kind] & ~lane->refreshing); banks;
         banks &= banks - 1) {
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

/* Compute the bank's row request: cycle of the activation or precharge for the bank's oldest request to another row. */
static void request_row(gpci_lane *lane, uint32_t b) {
    const gpci_bank *bank = &lane->banks[b];
    uint32_t kind = lane->mode;
    uint64_t cycle = bank->precharge;
    if (!(lane->open_banks >> b & 1))
        cycle = later(bank->activate, lane->groups[b >> lane->rules->group_shift].activate);
    else if (lane->hit_banks[kind] >> b & 1)
        cycle = later(cycle, cap_time(lane, bank, kind)); /* hits go first until the age cap */
    lane->row_requests[b] = (gpci_row_request){cycle, lane->channel->pool[bank->others[kind].first].order};
}

/* Set the plan to the earliest of the present plan and the row requests of `banks`. */
static void plan_rows(const gpci_row_request *row_requests, gpci_plan *plan, uint64_t banks, uint64_t start,
                      uint8_t command) {
    uint64_t cycle = plan->cycle, order = plan->order;
    uint32_t bank = plan->bank;
    for (; banks; banks &= banks - 1) {
        uint32_t b = gpci_lowest(banks);
        uint64_t at = later(start, row_requests[b].cycle), its = row_requests[b].order;
        uint64_t first =
            0 - (uint64_t)((at < cycle) | ((at == cycle) & (its < order))); /* mask of all bits: no branch */
        cycle ^= (cycle ^ at) & first;
        order ^= (order ^ its) & first;
        bank ^= (bank ^ b) & (uint32_t)first;
    }
    *plan = (gpci_plan){cycle, order, bank, command};
}

static void plan_row_requests(gpci_lane *lane, uint64_t from, uint32_t changed) {
    uint64_t row_requests = lane->other_banks[lane->mode] & ~lane->refreshing, open = lane->open_banks,
             banks = row_requests;
    if (changed != GPCI_ALL_BANKS)
        banks &= (uint64_t)1 << changed;
    for (; banks; banks &= banks - 1)
        request_row(lane, gpci_lowest(banks));
    uint64_t start = later(from, lane->row_bus);
    banks = to_look_at(&lane->closes, start, changed, row_requests & open);
    if (banks)
        plan_rows(lane->row_requests, &lane->closes, banks, start, GPCI_DRAM_PRECHARGE);
    start = later(start, later(lane->activate, lane->window[lane->window_at]));
    banks = to_look_at(&lane->opens, start, changed, row_requests & ~open);
    if (banks)
        plan_rows(lane->row_requests, &lane->opens, banks, start, GPCI_DRAM_ACTIVATE);
}

/* True if the row command `row` is for a request that has reached the age cap. */
GPCI_INLINE bool aged(const gpci_lane *lane, const gpci_plan *row) {
    const gpci_burst *wants = &lane->channel->pool[lane->banks[row->bank].others[lane->mode].first];
    return lane->rules->age_cap != GPCI_WORD && row->cycle >= wants->arrival + lane->rules->age_cap;
}

/* Plan the lane's next command, from cycle `from` on. `changed`: the only bank that has changed, or GPCI_ALL_BANKS. */
static void plan_next(gpci_lane *lane, uint64_t from, uint32_t changed) {
    plan_columns(lane, from, changed);
    plan_row_requests(lane, from, changed);
    const gpci_plan *opens = &lane->opens, *closes = &lane->closes, *columns = &lane->columns;
    /* Between two row commands the older request goes first, which also reaches the age cap first. */
    const gpci_plan *row = opens;
    if (closes->cycle < opens->cycle || (closes->cycle == opens->cycle && closes->order < opens->order))
        row = closes;
    bool row_first = row->cycle < columns->cycle;
    if (row->cycle == columns->cycle && row->cycle != GPCI_NO_TIME)
        row_first = aged(lane, row);
    lane->plan = row_first ? *row : *columns;
    if ((lane->plan.cycle >= lane->refresh_due || lane->refreshing) && lane->rules->refresh &&
        lane->queued[0] + lane->queued[1])
        gpci_lane_plan_refresh(lane, from, &lane->plan);
}

/* Effects of commands. */

GPCI_INLINE void raise_to(uint64_t *time, uint64_t least) {
    if (*time < least)
        *time = least;
}

/* Choose lane->mode. Writes go if no read waits, or once write_high writes wait, until write_low writes are left. */
static void choose_mode(gpci_lane *lane) {
    const gpci_dram_rules *rules = lane->rules;
    uint32_t reads = lane->queued[0], writes = lane->queued[1];
    if (!writes)
        lane->mode = 0;
    else if (!reads || writes >= rules->write_high)
        lane->mode = 1;
    else if (writes <= rules->write_low)
        lane->mode = 0;
}

/* Cycles from a command to its effect (gpci_dram_event.end). */
static uint64_t duration(const gpci_dram_rules *rules, uint8_t command) {
    switch (command) {
    case GPCI_DRAM_ACTIVATE:
        return rules->timing.trcd;
    case GPCI_DRAM_PRECHARGE:
    case GPCI_DRAM_PRECHARGE_ALL:
        return rules->timing.trp;
    case GPCI_DRAM_REFRESH:
        return rules->timing.trfc;
    case GPCI_DRAM_REFRESH_BANK:
        return rules->timing.trfc_bank;
    default:
        return rules->fixed ? rules->fixed_latency : rules->data[command == GPCI_DRAM_WRITE];
    }
}

void gpci_lane_tell(const gpci_lane *lane, uint64_t cycle, uint8_t command, uint32_t bank, uint64_t row, uint64_t token,
                    bool closes) {
    const gpc_dram *dram = lane->channel->dram;
    gpci_dram_event event = {.cycle = cycle,
                             .row = row,
                             .token = token,
                             .end = cycle + duration(lane->rules, command),
                             .channel = lane->channel->index,
                             .pseudo = lane->index,
                             .bank = gpci_dram_bank_number(&lane->rules->mapping, bank),
                             .banks = lane->rules->banks,
                             .command = command,
                             .auto_precharge = closes};
    dram->trace(dram->trace_data, &event);
}

void gpci_lane_complete(gpci_lane *lane, uint32_t i, uint64_t cycle, uint64_t end) {
    gpci_burst *burst = &lane->channel->pool[i];
    uint32_t kind = burst->write;
    gpci_lane_leaves(lane, kind, cycle);
    lane->channel->queued[kind]--;
    burst->end = end;
    if (lane->channel->end > end)
        lane->channel->end = end;
    lane->counters.columns[kind]++;
    if (!kind)
        lane->counters.read_cycles += end - burst->arrival;
    GPCI_AGAIN(lane->counters.read_cycles_again += kind ? 0 : end);
    GPCI_AGAIN(lane->counters.busy_again += lane->rules->timing.burst);
    gpci_bursts_push(lane->channel->pool, &lane->done[kind], i);
}

/* Append a request to `hits` or `others` of its bank. True if the list was empty. */
static bool admit(gpci_lane *lane, uint32_t i) {
    gpci_burst *pool = lane->channel->pool, *burst = &pool[i];
    gpci_bank *bank = &lane->banks[burst->bank];
    uint32_t kind = burst->write;
    uint64_t bit = (uint64_t)1 << burst->bank;
    bool hit = bank->row == burst->row;
    uint64_t *banks = hit ? &lane->hit_banks[kind] : &lane->other_banks[kind];
    bool first = !(*banks & bit);
    gpci_bursts_push(pool, hit ? &bank->hits[kind] : &bank->others[kind], i);
    *banks |= bit;
    return first;
}

void gpci_lane_arrive(gpci_lane *lane, uint32_t i, uint64_t cycle) {
    gpci_burst *pool = lane->channel->pool;
    uint32_t kind = pool[i].write, mode = lane->mode;
    bool first = false;
    if (lane->rules->in_order && lane->queued[kind])
        gpci_bursts_push(pool, &lane->queue[kind], i);
    else
        first = admit(lane, i);
    gpci_lane_enters(lane, kind, cycle);
    choose_mode(lane);
    lane->now = cycle;
    /*
     * If the request is not the first of its list, the plan stays. If the request is a write while reads go, or a read
     * while writes go, the plan stays, too.
     */
    if (mode != lane->mode || (kind == mode && first))
        plan_next(lane, cycle, mode == lane->mode ? pool[i].bank : GPCI_ALL_BANKS);
}

/* After the activation of a row: move the bank's requests to the row from `others` to `hits`, in order. */
static void gather_hits(gpci_lane *lane, uint32_t b) {
    gpci_bank *bank = &lane->banks[b];
    gpci_burst *pool = lane->channel->pool;
    uint64_t bit = (uint64_t)1 << b;
    for (uint32_t kind = 0; kind < 2; kind++) {
        if (!(lane->other_banks[kind] & bit))
            continue;
        uint32_t *link = &bank->others[kind].first;
        for (uint32_t i; (i = *link) != GPCI_NO_REQUEST;) {
            if (pool[i].row == bank->row) {
                *link = pool[i].next;
                gpci_bursts_push(pool, &bank->hits[kind], i);
            } else {
                bank->others[kind].last = i;
                link = &pool[i].next;
            }
        }
        if (bank->hits[kind].first != GPCI_NO_REQUEST)
            lane->hit_banks[kind] |= bit;
        if (bank->others[kind].first == GPCI_NO_REQUEST)
            lane->other_banks[kind] &= ~bit;
    }
}

/* Before a row is closed: move the waiting `hits` of the bank to `others`, in order of arrival. */
static void scatter_hits(gpci_lane *lane, uint32_t b) {
    gpci_bank *bank = &lane->banks[b];
    gpci_burst *pool = lane->channel->pool;
    uint64_t bit = (uint64_t)1 << b;
    for (uint32_t kind = 0; kind < 2; kind++) {
        if (!(lane->hit_banks[kind] & bit))
            continue;
        uint32_t one = bank->hits[kind].first, two = bank->others[kind].first;
        gpci_bursts all = {GPCI_NO_REQUEST, GPCI_NO_REQUEST};
        while (one != GPCI_NO_REQUEST || two != GPCI_NO_REQUEST) {
            bool first = two == GPCI_NO_REQUEST || (one != GPCI_NO_REQUEST && pool[one].order < pool[two].order);
            uint32_t i = first ? one : two;
            *(first ? &one : &two) = pool[i].next;
            gpci_bursts_push(pool, &all, i);
        }
        bank->hits[kind].first = GPCI_NO_REQUEST;
        bank->others[kind] = all;
        lane->hit_banks[kind] &= ~bit;
        lane->other_banks[kind] |= bit;
    }
}

/* Allow no activation in a group before `cycle`, and update the row requests of the group's closed banks. */
static void postpone(gpci_lane *lane, uint32_t group, uint64_t cycle) {
    uint32_t shift = lane->rules->group_shift, first = group << shift;
    raise_to(&lane->groups[group].activate, cycle);
    for (uint32_t b = first; b < first + (1u << shift); b++) {
        /* `least` is 0 if the bank is open: its row request is a precharge */
        uint64_t its = lane->row_requests[b].cycle, least = cycle & ((lane->open_banks >> b & 1) - 1);
        lane->row_requests[b].cycle = its < least ? least : its;
    }
}

static void activate(gpci_lane *lane, uint32_t b, uint64_t cycle) {
    const gpci_dram_rules *rules = lane->rules;
    gpci_bank *bank = &lane->banks[b];
    gpci_burst *wants = &lane->channel->pool[bank->others[lane->mode].first];
    bank->row = wants->row;
    wants->opened = true;
    lane->open_banks |= (uint64_t)1 << b;
    bank->column[0] = cycle + rules->open[0];
    bank->column[1] = cycle + rules->open[1];
    raise_to(&bank->precharge, cycle + rules->timing.tras);
    bank->activate = cycle + rules->timing.trc;
    postpone(lane, b >> rules->group_shift, cycle + rules->timing.trrd_l);
    raise_to(&lane->activate, cycle + rules->timing.trrd_s);
    lane->window[lane->window_at] = cycle + rules->timing.tfaw;
    lane->window_at = (lane->window_at + 1) & 3;
    lane->counters.activates++;
    gather_hits(lane, b);
    gpci_lane_show(lane, cycle, GPCI_DRAM_ACTIVATE, b, bank->row, wants->token, false);
}

/* Close the open row of a bank; the precharge begins at `cycle`. */
static void close_row(gpci_lane *lane, uint32_t b, uint64_t cycle) {
    gpci_bank *bank = &lane->banks[b];
    raise_to(&bank->activate, cycle + lane->rules->timing.trp);
    scatter_hits(lane, b);
    bank->row = GPCI_NO_ROW;
    lane->open_banks &= ~((uint64_t)1 << b);
    lane->counters.precharges++;
}

static void precharge_all(gpci_lane *lane, uint64_t cycle) {
    uint32_t rows = gpci_popcount(lane->open_banks);
    for (uint64_t banks = lane->open_banks; banks; banks &= banks - 1)
        close_row(lane, gpci_lowest(banks), cycle);
    gpci_lane_show(lane, cycle, GPCI_DRAM_PRECHARGE_ALL, 0, GPCI_NO_ROW, rows, false);
}

static void column(gpci_lane *lane, uint32_t b, uint64_t cycle) {
    const gpci_dram_rules *rules = lane->rules;
    gpci_bank *bank = &lane->banks[b];
    gpci_bank_group *group = &lane->groups[b >> rules->group_shift];
    uint32_t kind = lane->mode;
    uint64_t bit = (uint64_t)1 << b;
    uint32_t i = gpci_bursts_pop(lane->channel->pool, &bank->hits[kind]);
    if (bank->hits[kind].first == GPCI_NO_REQUEST)
        lane->hit_banks[kind] &= ~bit;
    if (lane->queue[kind].first != GPCI_NO_REQUEST)
        admit(lane, gpci_bursts_pop(lane->channel->pool, &lane->queue[kind]));
    raise_to(&lane->column[kind], cycle + rules->other[kind]);
    raise_to(&lane->column[!kind], cycle + rules->turnaround_other[kind]);
    raise_to(&group->column[kind], cycle + rules->same[kind]);
    raise_to(&group->column[!kind], cycle + rules->turnaround_same[kind]);
    raise_to(&bank->precharge, cycle + rules->close[kind]);
    const gpci_burst *burst = &lane->channel->pool[i];
    lane->counters.row_hits += !burst->opened;
    GPCI_AGAIN(lane->counters.opened_again += burst->opened);
    bool closes = rules->closed_page && !((lane->hit_banks[0] | lane->hit_banks[1]) & bit);
    gpci_lane_show(lane, cycle, kind ? GPCI_DRAM_WRITE : GPCI_DRAM_READ, b, bank->row, burst->token, closes);
    if (closes)
        close_row(lane, b, bank->precharge);
    gpci_lane_complete(lane, i, cycle, cycle + rules->data[kind]);
    choose_mode(lane);
}

void gpci_lane_issue(gpci_lane *lane) {
    gpci_plan plan = lane->plan;
    uint64_t cycle = plan.cycle;
    bool row = plan.command < GPCI_DRAM_READ;
    lane->now = cycle;
    if (GPCI_UNLIKELY(plan.command == GPCI_DRAM_REFRESH_DUE)) { /* uses no bus */
        gpci_lane_refresh(lane, &plan);
        return;
    }
    if (row || !lane->rules->dual)
        lane->row_bus = cycle + 1;
    if (!row || !lane->rules->dual)
        lane->column_bus = cycle + 1;
    switch (plan.command) {
    case GPCI_DRAM_ACTIVATE:
        activate(lane, plan.bank, cycle);
        break;
    case GPCI_DRAM_PRECHARGE:
        gpci_lane_show(lane, cycle, GPCI_DRAM_PRECHARGE, plan.bank, lane->banks[plan.bank].row, 0, false);
        close_row(lane, plan.bank, cycle);
        break;
    case GPCI_DRAM_PRECHARGE_ALL:
        precharge_all(lane, cycle);
        break;
    case GPCI_DRAM_REFRESH:
    case GPCI_DRAM_REFRESH_BANK:
        gpci_lane_refresh(lane, &plan);
        break;
    default:
        column(lane, plan.bank, cycle);
    }
}

void gpci_lane_run(gpci_lane *lane, uint64_t cycle) {
    while (lane->plan.cycle <= cycle) {
        uint32_t bank = lane->plan.bank, mode = lane->mode;
        gpci_lane_issue(lane);
        /* fcfs (in_order): the next request may be for another bank */
        plan_next(lane, lane->now, mode == lane->mode && !lane->rules->in_order ? bank : GPCI_ALL_BANKS);
    }
}
