/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/reuse.h"

#include <string.h>

static uint32_t counters_of(const gpci_reuse_config *config) {
    return (config->longest + config->step - 1) / config->step;
}

gpc_status gpci_reuse_init(gpci_reuse *reuse, gpc_context *context, const gpci_reuse_config *config) {
    size_t tags = (size_t)config->sets * config->depth;
    reuse->config = *config;
    reuse->context = context;
    reuse->counters = counters_of(config);
    reuse->fullest = (uint32_t)(((uint64_t)1 << config->counter_bits) - 1);
    reuse->fifos = gpci_zalloc(context, config->sets, sizeof *reuse->fifos);
    reuse->tags = gpci_zalloc(context, tags, sizeof *reuse->tags);
    reuse->counts = gpci_zalloc(context, reuse->counters, sizeof *reuse->counts);
    if (!reuse->fifos || !reuse->tags || !reuse->counts) {
        gpci_reuse_finish(reuse);
        return GPC_ERROR_MEMORY;
    }
    memset(reuse->tags, 0xff, tags * sizeof *reuse->tags);
    return GPC_OK;
}

void gpci_reuse_finish(gpci_reuse *reuse) {
    gpci_free(reuse->context, reuse->fifos);
    gpci_free(reuse->context, reuse->tags);
    gpci_free(reuse->context, reuse->counts);
}

/* Tag: line number `line`, folded by XOR. */
static uint32_t tag_of(const gpci_reuse *reuse, uint64_t line) {
    uint32_t bits = reuse->config.tag_bits;
    uint64_t folded = line;
    while (line >>= bits)
        folded ^= line;
    return (uint32_t)folded & (uint32_t)(((uint64_t)1 << bits) - 1);
}

static void count(gpci_reuse *reuse, uint32_t distance) {
    if (reuse->full || distance > reuse->config.longest)
        return;
    uint32_t *counter = &reuse->counts[(distance - 1) / reuse->config.step];
    reuse->full = ++*counter == reuse->fullest;
}

void gpci_reuse_access(gpci_reuse *reuse, uint32_t index, uint64_t line) {
    gpci_reuse_fifo *fifo = &reuse->fifos[index];
    uint32_t depth = reuse->config.depth, tag = tag_of(reuse, line), at = 0;
    uint32_t *tags = &reuse->tags[(size_t)index * depth];
    fifo->since++;
    while (at < depth && tags[at] != tag)
        at++;
    if (at < depth) {
        uint32_t behind = fifo->newest >= at ? fifo->newest - at : fifo->newest + depth - at;
        tags[at] = GPCI_NO_TAG;
        count(reuse, behind * reuse->config.every + fifo->since);
    }
    if (fifo->since < reuse->config.every)
        return;
    fifo->since = 0;
    fifo->newest = fifo->newest + 1 < depth ? fifo->newest + 1 : 0;
    tags[fifo->newest] = tag;
    if (!reuse->full)
        reuse->full = ++reuse->total == UINT32_MAX;
}

uint32_t gpci_reuse_best(gpci_reuse *reuse, uint32_t eviction, uint32_t current) {
    uint64_t hits = 0, occupied = 0;
    double best = 0;
    for (uint32_t i = 0; i < reuse->counters; i++) {
        uint64_t distance = (uint64_t)(i + 1) * reuse->config.step;
        hits += reuse->counts[i];
        occupied += reuse->counts[i] * distance;
        /* `hits` may exceed the total: a tag put in before the last clearing may be found after the clearing */
        uint64_t others = reuse->total > hits ? reuse->total - hits : 0;
        double rate = hits ? (double)hits / (double)(occupied + others * (distance + eviction)) : 0;
        if (rate > best) {
            best = rate;
            current = (uint32_t)distance;
        }
    }
    memset(reuse->counts, 0, reuse->counters * sizeof *reuse->counts);
    reuse->total = 0;
    reuse->full = false;
    return current;
}

uint64_t gpci_reuse_bits(const gpci_reuse_config *config) {
    return (uint64_t)config->sets * ((uint64_t)config->depth * (config->tag_bits + 1) + gpci_ceil_log2(config->every)) +
           (uint64_t)counters_of(config) * config->counter_bits + 32;
}

void gpci_reuse_state(gpci_reuse *reuse, gpc_state_fn visit, void *user_data) {
    const size_t sets = reuse->config.sets;
    visit(user_data, &reuse->total, sizeof reuse->total);
    visit(user_data, &reuse->full, sizeof reuse->full);
    if (!reuse->fifos) /* the policy has a fixed distance, and measures none */
        return;
    visit(user_data, reuse->fifos, sets * sizeof *reuse->fifos);
    visit(user_data, reuse->tags, sets * reuse->config.depth * sizeof *reuse->tags);
    visit(user_data, reuse->counts, reuse->counters * sizeof *reuse->counts);
}
