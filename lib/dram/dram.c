/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/dram_internal.h"
#include "stats/stats.h"

/* Public calls of gpc_dram: all channels with a common clock. */

void gpci_dram_on_command(gpc_dram *dram, gpci_dram_trace_fn trace, void *user_data) {
    dram->trace = trace;
    dram->trace_data = user_data;
}

void gpc_dram_on_done(gpc_dram *dram, gpc_dram_done_fn on_done, void *user_data) {
    if (!dram)
        return;
    dram->on_done = on_done;
    dram->done_data = user_data;
}

uint32_t gpc_dram_burst_bytes(const gpc_dram *dram) {
    return dram ? dram->rules.timing.burst_bytes : 0;
}

uint32_t gpci_dram_bank(const gpc_dram *dram, uint64_t address, uint64_t *out_row, uint32_t *out_column) {
    const gpci_dram_mapping *dram_mapping = &dram->rules.mapping;
    *out_row = 0;
    *out_column = 0;
    if (dram->rules.fixed)
        return UINT32_MAX;
    const gpci_dram_place place = gpci_dram_locate(dram_mapping, address);
    *out_row = place.row;
    *out_column = gpci_dram_column(dram_mapping, address);
    return place.pseudo * dram->rules.banks + gpci_dram_bank_number(dram_mapping, place.bank);
}

static GPCI_COLD gpc_status refuse(const gpc_dram *dram, const char *call, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s", call, dram ? "called from on_done" : "dram is NULL");
}

gpc_status gpc_dram_try_request(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token,
                                gpc_error *error) {
    if (!dram || dram->calling)
        return refuse(dram, "gpc_dram_try_request", error);
    if (channel >= dram->channels)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_dram_try_request: channel %u of %u", channel, dram->channels);
    if (!gpci_dram_has_room(dram, channel, write))
        return GPC_BUSY;
    gpci_dram_enqueue(dram, channel, address, write, token, dram->now);
    dram->next[channel] = dram->now;
    gpci_bit_set(dram->active, channel);
    return GPC_OK;
}

/* Channel with the earliest end of data, up to `limit`; dram->channels if none. */
static uint32_t first_channel(gpc_dram *dram, uint64_t limit) {
    uint32_t first = dram->channels;
    for (uint32_t w = 0; w < dram->words; w++)
        for (uint64_t set = dram->active[w]; set; set &= set - 1) {
            uint32_t c = w * 64 + gpci_lowest(set);
            uint64_t end = gpci_dram_first_end(dram, c);
            if (end <= limit && (first == dram->channels || end < limit)) {
                first = c;
                limit = end;
            }
        }
    return first;
}

/* Call on_done for all requests with ended data, in order of their end. */
static void deliver(gpc_dram *dram) {
    uint64_t token, end;
    bool write;
    dram->calling = true;
    for (uint32_t c; (c = first_channel(dram, dram->now)) < dram->channels;) {
        gpci_dram_done_at(dram, c, &token, &write, &end);
        if (!gpci_dram_count(dram, c))
            gpci_bit_clear(dram->active, c);
        if (dram->on_done)
            dram->on_done(dram->done_data, token, write, end);
    }
    dram->calling = false;
}

gpc_status gpc_dram_advance(gpc_dram *dram, uint64_t cycles, gpc_error *error) {
    if (!dram || dram->calling)
        return refuse(dram, "gpc_dram_advance", error);
    if (cycles >= GPCI_NO_TIME - dram->now)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_dram_advance: %llu cycles after cycle %llu is beyond the last",
                         (unsigned long long)cycles, (unsigned long long)dram->now);
    dram->now += cycles;
    bool ended = false;
    for (uint32_t w = 0; w < dram->words; w++)
        for (uint64_t set = dram->active[w]; set; set &= set - 1) {
            uint32_t c = w * 64 + gpci_lowest(set);
            if (dram->next[c] > dram->now)
                continue;
            dram->next[c] = gpci_dram_run(dram, c, dram->now);
            ended = ended || gpci_dram_first_end(dram, c) <= dram->now;
        }
    if (ended)
        deliver(dram);
    return GPC_OK;
}

uint64_t gpc_dram_now(const gpc_dram *dram) {
    return dram ? dram->now : 0;
}

uint64_t gpc_dram_next_event(const gpc_dram *dram) {
    uint64_t next = GPCI_NO_TIME;
    for (uint32_t w = 0; dram && w < dram->words; w++)
        for (uint64_t set = dram->active[w]; set; set &= set - 1) {
            uint32_t c = w * 64 + gpci_lowest(set);
            next = dram->next[c] < next ? dram->next[c] : next;
        }
    return next;
}

static void get_stats(const gpc_dram *dram, gpc_stats *stats) {
    gpci_stats_init(stats);
    for (uint32_t channel = 0; channel < dram->channels; channel++)
        gpci_dram_add_stats(dram, channel, dram->now, stats);
    size_t rows;
    const gpci_counter_row *row = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (size_t i = 0; i < rows; i++)
        if (!row[i].ratio && (row[i].objects != GPC_OBJECTS_CHANNEL || row[i].needs == GPCI_NEEDS_ENERGY))
            gpci_stats_forget(stats, &row[i]);
}

gpc_status gpc_dram_read(const gpc_dram *dram, const uint32_t *ids, size_t count, uint64_t *values, size_t value_count,
                         gpc_error *error) {
    if (!dram)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_dram_read: dram is NULL");
    gpc_stats stats;
    get_stats(dram, &stats);
    return gpci_read_table(GPC_TABLE_HIERARCHY, &stats, ids, count, values, value_count, "gpc_dram_read", error);
}
