/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "dram/dram_internal.h"
#include "stats/stats.h"

/* Functions of dram.h for a channel: spread over the lanes of the channel. */

bool gpci_dram_has_room(const gpc_dram *dram, uint32_t channel, bool write) {
    const gpci_channel *c = &dram->channel[channel];
    if (GPCI_UNLIKELY(dram->rules.by_bank)) {
        uint32_t served = 0;
        for (uint32_t l = 0; l < dram->rules.timing.pseudo; l++)
            served += c->lanes[l].served;
        return c->queued[0] + c->queued[1] - served < dram->rules.capacity[0] && c->count < dram->capacity;
    }
    return c->queued[write] < dram->rules.capacity[write] && c->count < dram->capacity;
}

static void run_lane(gpci_lane *lane, uint64_t cycle) {
    if (lane->rules->fixed)
        gpci_fixed_run(lane, cycle);
    else if (GPCI_UNLIKELY(lane->rules->by_bank))
        gpci_by_bank_run(lane, cycle);
    else
        gpci_lane_run(lane, cycle);
}

void gpci_dram_enqueue(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token, uint64_t cycle) {
    gpci_channel *c = &dram->channel[channel];
    gpci_dram_place place = gpci_dram_locate(&dram->rules.mapping, address);
    gpci_lane *lane = &c->lanes[place.pseudo];
    uint32_t i = c->free;
    c->free = c->pool[i].next;
    c->queued[write]++;
    c->count++;
    c->pool[i] = (gpci_burst){.token = token,
                              .row = place.row,
                              .order = c->order++,
                              .arrival = cycle,
                              .bank = (uint8_t)place.bank,
                              .pseudo = (uint8_t)place.pseudo,
                              .write = write};
    GPCI_AGAIN(lane->counters.read_cycles_again -= write ? 0 : cycle);
    if (lane->plan.cycle < cycle)
        run_lane(lane, cycle - 1);
    if (dram->rules.fixed) {
        gpci_fixed_arrive(lane, i, cycle);
        return;
    }
    if (GPCI_UNLIKELY(dram->rules.by_bank)) {
        gpci_by_bank_arrive(lane, i, cycle);
        return;
    }
    if (lane->refresh_due < cycle && !(lane->queued[0] + lane->queued[1]))
        gpci_lane_catch_up(lane, cycle - 1);
    gpci_lane_arrive(lane, i, cycle);
}

/* Earliest end of data after `cycle`. Data that have ended by `cycle` wait for gpci_dram_done, and do not count. */
static uint64_t next_end(const gpci_channel *channel, uint32_t lanes, uint64_t cycle) {
    uint64_t next = GPCI_NO_TIME;
    if (channel->end > cycle)
        return channel->end;
    for (uint32_t l = 0; l < lanes; l++)
        for (uint32_t kind = 0; kind < 2; kind++) {
            uint32_t i = channel->lanes[l].done[kind].first;
            while (i != GPCI_NO_REQUEST && channel->pool[i].end <= cycle)
                i = channel->pool[i].next;
            if (i != GPCI_NO_REQUEST && next > channel->pool[i].end)
                next = channel->pool[i].end;
        }
    return next;
}

uint64_t gpci_dram_run(gpc_dram *dram, uint32_t channel, uint64_t cycle) {
    gpci_channel *c = &dram->channel[channel];
    uint32_t lanes = dram->rules.timing.pseudo;
    uint64_t next = GPCI_NO_TIME;
    c->now = cycle;
    for (uint32_t l = 0; l < lanes; l++) {
        gpci_lane *lane = &c->lanes[l];
        if (lane->plan.cycle <= cycle)
            run_lane(lane, cycle);
        if (next > lane->plan.cycle)
            next = lane->plan.cycle;
    }
    uint64_t end = next_end(c, lanes, cycle);
    return next < end ? next : end;
}

static uint64_t first_end(const gpci_channel *channel, uint32_t lanes) {
    uint64_t end = GPCI_NO_TIME;
    for (uint32_t l = 0; l < lanes; l++)
        for (uint32_t kind = 0; kind < 2; kind++) {
            uint32_t i = channel->lanes[l].done[kind].first;
            if (i != GPCI_NO_REQUEST && channel->pool[i].end < end)
                end = channel->pool[i].end;
        }
    return end;
}

/* List `done` with the request that ended first; equal ends are ordered by arrival. NULL: no data have ended. */
static gpci_bursts *first_done(gpci_channel *channel, uint32_t lanes) {
    gpci_bursts *first = NULL;
    uint64_t end = channel->now, order = GPCI_NO_TIME;
    for (uint32_t l = 0; l < lanes; l++)
        for (uint32_t kind = 0; kind < 2; kind++) {
            gpci_bursts *list = &channel->lanes[l].done[kind];
            if (list->first == GPCI_NO_REQUEST)
                continue;
            const gpci_burst *burst = &channel->pool[list->first];
            if (burst->end < end || (burst->end == end && burst->order < order)) {
                first = list;
                end = burst->end;
                order = burst->order;
            }
        }
    return first;
}

bool gpci_dram_done_at(gpc_dram *dram, uint32_t channel, uint64_t *token, bool *write, uint64_t *end) {
    gpci_channel *c = &dram->channel[channel];
    gpci_bursts *list = c->end <= c->now ? first_done(c, dram->rules.timing.pseudo) : NULL;
    if (!list)
        return false;
    uint32_t i = gpci_bursts_pop(c->pool, list);
    c->end = first_end(c, dram->rules.timing.pseudo);
    *token = c->pool[i].token;
    *write = c->pool[i].write;
    *end = c->pool[i].end;
    c->pool[i].next = c->free;
    c->free = i;
    c->count--;
    return true;
}

bool gpci_dram_done(gpc_dram *dram, uint32_t channel, uint64_t *token, bool *write) {
    uint64_t end;
    return gpci_dram_done_at(dram, channel, token, write, &end);
}

uint32_t gpci_dram_count(const gpc_dram *dram, uint32_t channel) {
    return dram->channel[channel].count;
}

static uint64_t busy_cycles(const gpci_dram_rules *rules, uint64_t bursts) {
    if (!rules->fixed)
        return bursts * rules->timing.burst;
    return rules->fixed_bandwidth ? bursts * rules->timing.burst_bytes / rules->fixed_bandwidth : 0;
}

void gpci_dram_add_stats(const gpc_dram *dram, uint32_t channel, uint64_t cycle, gpc_stats *stats) {
    const gpci_dram_rules *rules = &dram->rules;
    const gpci_channel *c = &dram->channel[channel];
    for (uint32_t l = 0; l < rules->timing.pseudo; l++) {
        const gpci_lane *lane = &c->lanes[l];
        const gpci_lane_counters *counters = &lane->counters;
        uint64_t precharges = 0, refreshes = 0;
        if (!rules->fixed)
            gpci_lane_idle(lane, cycle, &precharges, &refreshes);
        stats->dram_reads += counters->columns[0];
        stats->dram_writes += counters->columns[1];
        stats->dram_read_bytes += counters->columns[0] * rules->timing.burst_bytes;
        stats->dram_write_bytes += counters->columns[1] * rules->timing.burst_bytes;
        stats->dram_row_hits += counters->row_hits;
        stats->dram_activates += counters->activates;
        stats->dram_precharges += counters->precharges + precharges;
        stats->dram_refreshes += counters->refreshes + refreshes;
        stats->dram_read_cycles += counters->read_cycles;
        stats->dram_busy_cycles += busy_cycles(rules, counters->columns[0] + counters->columns[1]);
        stats->dram_queue_cycles += counters->queue_cycles + (lane->queued[0] + lane->queued[1]) * cycle;
    }
    stats->dram_cycles += (cycle - c->since) * rules->timing.pseudo;
}

#ifdef GPCI_CHECK
void gpci_dram_count_again(const gpc_dram *dram, uint32_t channel, uint64_t cycle, gpc_stats *stats) {
    for (uint32_t l = 0; l < dram->rules.timing.pseudo; l++) {
        const gpci_lane *lane = &dram->channel[channel].lanes[l];
        const gpci_lane_counters *counters = &lane->counters;
        uint64_t precharges = 0, refreshes = 0;
        if (!dram->rules.fixed)
            gpci_lane_idle(lane, cycle, &precharges, &refreshes);
        stats->dram_queue_cycles +=
            counters->queue_again + (lane->queued[0] + lane->queued[1]) * (cycle - counters->queue_since);
        stats->dram_row_hits += counters->columns[0] + counters->columns[1] - counters->opened_again;
        stats->dram_read_cycles += counters->read_cycles_again;
        stats->dram_busy_cycles += counters->busy_again;
        stats->dram_cycles += cycle - dram->channel[channel].since;
        stats->dram_precharges += counters->activates - gpci_popcount(lane->open_banks) + precharges;
        if (dram->rules.refresh && !dram->rules.fixed)
            stats->dram_refreshes += lane->refresh_due / dram->rules.refresh_interval - 1 + refreshes;
    }
}
#endif

void gpci_dram_reset_stats(gpc_dram *dram, uint32_t channel, uint64_t cycle) {
    gpci_channel *c = &dram->channel[channel];
    for (uint32_t l = 0; l < dram->rules.timing.pseudo; l++) {
        gpci_lane *lane = &c->lanes[l];
        if (!dram->rules.fixed && !(lane->queued[0] + lane->queued[1]))
            gpci_lane_catch_up(lane, cycle);
        lane->counters = (gpci_lane_counters){0};
        lane->counters.queue_cycles = 0 - (lane->queued[0] + lane->queued[1]) * cycle;
        GPCI_AGAIN(lane->counters.queue_since = cycle);
    }
    c->since = cycle;
}
