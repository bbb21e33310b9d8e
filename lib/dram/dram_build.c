/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/dram_internal.h"

/* Read the configuration, and create a gpc_dram. */

GPCI_INLINE uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static gpc_status refuse(const gpc_config *config, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), gpci_config_text(config, key), why);
}

/* Compute the cycles between commands from the timing. `latency`: dram.latency. */
static void derive(gpci_dram_rules *rules, uint32_t latency) {
    const gpci_dram_timing *timing = &rules->timing;
    uint32_t other = larger(larger(timing->tccd_s, timing->burst), 1), same = larger(timing->tccd_l, other);
    int64_t turnaround = (int64_t)timing->tcl + timing->burst + timing->trtw - timing->tcwl;
    uint32_t written = timing->tcwl + timing->burst;
    for (int kind = 0; kind < 2; kind++) {
        rules->other[kind] = other;
        rules->same[kind] = same;
    }
    rules->turnaround_other[0] = rules->turnaround_same[0] = turnaround > (int64_t)other ? (uint32_t)turnaround : other;
    rules->turnaround_other[1] = larger(written + timing->twtr_s, other);
    rules->turnaround_same[1] = larger(written + timing->twtr_l, rules->turnaround_other[1]);
    rules->close[0] = timing->trtp;
    rules->close[1] = written + timing->twr;
    rules->data[0] = timing->tcl + timing->burst + latency;
    rules->data[1] = written;
    rules->open[0] = timing->trcd;
    rules->open[1] = timing->trcd_write;
    rules->banks = timing->groups * timing->group_banks;
    rules->group_shift = gpci_log2(timing->group_banks);
    rules->dual = timing->dual;
}

static gpc_status read_queues(const gpc_config *config, gpci_dram_rules *rules, gpc_error *error) {
    uint32_t high = (uint32_t)gpci_config_number(config, GPCI_KEY_DRAM_WRITE_HIGH);
    uint32_t low = (uint32_t)gpci_config_number(config, GPCI_KEY_DRAM_WRITE_LOW);
    rules->capacity[0] = (uint32_t)gpci_config_number(config, GPCI_KEY_DRAM_READ_QUEUE);
    rules->capacity[1] = (uint32_t)gpci_config_number(config, GPCI_KEY_DRAM_WRITE_QUEUE);
    if (high > rules->capacity[1])
        return refuse(config, GPCI_KEY_DRAM_WRITE_HIGH, "must be at most dram.write_queue", error);
    if (low >= high)
        return refuse(config, GPCI_KEY_DRAM_WRITE_LOW, "must be less than dram.write_high", error);
    rules->write_high = (high + rules->timing.pseudo - 1) / rules->timing.pseudo;
    rules->write_low = low / rules->timing.pseudo;
    if (rules->write_low >= rules->write_high)
        rules->write_low = rules->write_high - 1;
    return GPC_OK;
}

/*
 * Read dram.refresh: all-bank, none, per-bank, same-bank. timing.c has checked that requests have time between two
 * refreshes.
 */
static gpc_status read_refresh(const gpc_config *config, gpci_dram_rules *rules, gpc_error *error) {
    const uint64_t choice = gpci_config_number(config, GPCI_KEY_DRAM_REFRESH);
    if (choice > 1 && rules->by_bank)
        return refuse(config, GPCI_KEY_DRAM_REFRESH, "with dram.scheduler = by-bank there is none", error);
    if (choice > 1 && !rules->fixed && !rules->timing.trfc_bank)
        return refuse(config, GPCI_KEY_DRAM_REFRESH, "dram.timing has none of single banks; dram.trfc_bank says one",
                      error);
    rules->refresh = !rules->fixed && !rules->by_bank && choice != 1;
    if (rules->refresh)
        rules->refresh_sets = gpci_dram_refresh_sets(&rules->timing, choice, &rules->refresh_interval);
    return GPC_OK;
}

static gpc_status read_rules(const gpc_config *config, gpci_dram_rules *rules, gpc_error *error) {
    gpc_status status = gpci_dram_timing_read(config, error, &rules->timing);
    rules->fixed = gpci_config_number(config, GPCI_KEY_DRAM_MODEL) == 1;
    if (status == GPC_OK && rules->fixed)
        rules->timing.pseudo = 1;
    else if (status == GPC_OK)
        status = gpci_dram_mapping_read(config, &rules->timing, error, &rules->mapping);
    if (status == GPC_OK)
        status = read_queues(config, rules, error);
    if (status < 0)
        return status;
    rules->fixed_latency = gpci_config_number(config, GPCI_KEY_DRAM_FIXED_LATENCY);
    rules->fixed_bandwidth = gpci_config_number(config, GPCI_KEY_DRAM_FIXED_BANDWIDTH);
    rules->age_cap = gpci_config_number(config, GPCI_KEY_DRAM_AGE_CAP);
    rules->in_order = gpci_config_number(config, GPCI_KEY_DRAM_SCHEDULER) == 1;
    rules->closed_page = gpci_config_number(config, GPCI_KEY_DRAM_PAGE) == 1;
    rules->by_bank = !rules->fixed && gpci_config_number(config, GPCI_KEY_DRAM_SCHEDULER) == 2;
    if (rules->by_bank && rules->closed_page)
        return refuse(config, GPCI_KEY_DRAM_PAGE, "with dram.scheduler = by-bank rows stay open", error);
    derive(rules, (uint32_t)gpci_config_number(config, GPCI_KEY_DRAM_LATENCY));
    return read_refresh(config, rules, error);
}

/* Largest number of a channel's requests with data in flight at once. */
static uint32_t in_flight(const gpci_dram_rules *rules) {
    const uint64_t most = 4096;
    uint64_t count;
    if (!rules->fixed)
        count =
            rules->timing.pseudo * ((uint64_t)rules->data[0] / rules->other[0] + rules->data[1] / rules->other[1] + 4);
    else
        count = rules->fixed_bandwidth ? rules->fixed_latency * rules->fixed_bandwidth / rules->timing.burst_bytes + 2
                                       : most;
    return (uint32_t)(count < most ? count : most);
}

static void empty(gpci_bursts list[2]) {
    list[0].first = list[1].first = GPCI_NO_REQUEST;
}

static void start_lane(gpci_lane *lane, const gpci_dram_rules *rules) {
    lane->rules = rules;
    lane->plan.cycle = lane->columns.cycle = GPCI_NO_TIME;
    lane->opens.cycle = lane->closes.cycle = GPCI_NO_TIME;
    lane->refresh_due = rules->refresh_interval;
    empty(lane->queue);
    empty(lane->done);
    for (uint32_t b = 0; b < rules->banks; b++) {
        lane->banks[b].row = GPCI_NO_ROW;
        empty(lane->banks[b].hits);
        empty(lane->banks[b].others);
    }
}

static void start(gpc_dram *dram) {
    const gpci_dram_rules *rules = &dram->rules;
    for (uint32_t n = 0; n < dram->channels; n++) {
        gpci_channel *channel = &dram->channel[n];
        *channel = (gpci_channel){.dram = dram,
                                  .pool = dram->pool + (size_t)n * dram->capacity,
                                  .lanes = dram->lanes + (size_t)n * rules->timing.pseudo,
                                  .end = GPCI_NO_TIME,
                                  .index = n};
        for (uint32_t i = 0; i < dram->capacity; i++)
            channel->pool[i].next = i + 1;
        dram->next[n] = GPCI_NO_TIME;
        for (uint32_t l = 0; l < rules->timing.pseudo; l++) {
            gpci_lane *lane = &channel->lanes[l];
            size_t number = (size_t)n * rules->timing.pseudo + l;
            lane->index = l;
            lane->channel = channel;
            lane->banks = dram->banks + number * rules->banks;
            lane->row_requests = dram->row_requests + number * rules->banks;
            lane->groups = dram->groups + number * rules->timing.groups;
            start_lane(lane, rules);
        }
    }
}

static gpc_status allocate(gpc_dram *dram, gpc_error *error) {
    const gpci_dram_rules *rules = &dram->rules;
    size_t lanes = (size_t)dram->channels * rules->timing.pseudo;
    dram->words = (dram->channels + 63) / 64;
    dram->capacity = rules->capacity[0] + rules->capacity[1] + in_flight(rules);
    dram->capacity += rules->by_bank ? rules->timing.pseudo * rules->banks : 0;
    dram->channel = gpci_zalloc(dram->context, dram->channels, sizeof *dram->channel);
    dram->lanes = gpci_zalloc(dram->context, lanes, sizeof *dram->lanes);
    dram->banks = gpci_zalloc(dram->context, lanes * rules->banks, sizeof *dram->banks);
    dram->row_requests = gpci_zalloc(dram->context, lanes * rules->banks, sizeof *dram->row_requests);
    dram->groups = gpci_zalloc(dram->context, lanes * rules->timing.groups, sizeof *dram->groups);
    dram->pool = gpci_zalloc(dram->context, (size_t)dram->channels * dram->capacity, sizeof *dram->pool);
    dram->next = gpci_zalloc(dram->context, dram->channels, sizeof *dram->next);
    dram->active = gpci_zalloc(dram->context, dram->words, sizeof *dram->active);
    bool all = dram->channel && dram->lanes && dram->banks && dram->row_requests && dram->groups && dram->pool &&
               dram->next && dram->active;
    return all ? GPC_OK : gpci_out_of_memory(error);
}

gpc_status gpc_dram_create(gpc_context *context, const gpc_config *config, gpc_dram **out, gpc_error *error) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_dram_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    return gpci_dram_create(context, config, (uint32_t)gpci_config_number(config, GPCI_KEY_DRAM_CHANNELS), out, error);
}

gpc_status gpci_dram_create(gpc_context *context, const gpc_config *config, uint32_t channels, gpc_dram **out,
                            gpc_error *error) {
    gpci_dram_rules rules = {0};
    gpc_status status = read_rules(config, &rules, error);
    if (status < 0)
        return status;
    gpc_dram *dram = gpci_zalloc(context, 1, sizeof *dram);
    if (!dram)
        return gpci_out_of_memory(error);
    dram->context = gpci_retain(context);
    dram->rules = rules;
    dram->channels = channels;
    status = allocate(dram, error);
    if (status < 0) {
        gpc_dram_destroy(dram);
        return status;
    }
    start(dram);
    *out = dram;
    return GPC_OK;
}

void gpc_dram_destroy(gpc_dram *dram) {
    if (!dram)
        return;
    gpc_context *context = dram->context;
    gpci_free(context, dram->channel);
    gpci_free(context, dram->lanes);
    gpci_free(context, dram->banks);
    gpci_free(context, dram->row_requests);
    gpci_free(context, dram->groups);
    gpci_free(context, dram->pool);
    gpci_free(context, dram->next);
    gpci_free(context, dram->active);
    gpci_free(context, dram);
    gpci_release(context);
}

void gpci_dram_state(gpc_dram *dram, uint32_t channel, gpci_state_fn visit, void *user_data) {
    /* the fields before `order` and before `plan` are pointers, which are not state */
    const size_t of_channel = offsetof(gpci_channel, order), of_lane = offsetof(gpci_lane, plan);
    const gpci_dram_rules *rules = &dram->rules;
    gpci_channel *c = &dram->channel[channel];
    visit(user_data, (char *)c + of_channel, sizeof *c - of_channel);
    visit(user_data, &dram->next[channel], sizeof *dram->next);
    visit(user_data, dram->active, dram->words * sizeof *dram->active); /* bitmap of all channels */
    visit(user_data, c->pool, dram->capacity * sizeof *c->pool);
    for (uint32_t l = 0; l < rules->timing.pseudo; l++) {
        gpci_lane *lane = &c->lanes[l];
        visit(user_data, (char *)lane + of_lane, sizeof *lane - of_lane);
        visit(user_data, lane->banks, rules->banks * sizeof *lane->banks);
        visit(user_data, lane->row_requests, rules->banks * sizeof *lane->row_requests);
        visit(user_data, lane->groups, rules->timing.groups * sizeof *lane->groups);
    }
}

uint64_t gpci_dram_take_latency(gpc_dram *dram, const gpc_config *config) {
    if (!gpci_config_number(config, GPCI_KEY_DRAM_LATENCY_AT) || dram->rules.fixed)
        return 0;
    const uint32_t latency = (uint32_t)gpci_config_number(config, GPCI_KEY_DRAM_LATENCY);
    dram->rules.data[0] -= latency;
    return latency;
}
