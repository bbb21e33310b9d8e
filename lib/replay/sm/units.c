/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "replay/blocks/mbarriers.h"
#include "replay/sm/icache.h"

/* Build the SMs of a timed replay from the configuration. */

/* Scoreboard planes begin at pages of the CPU's memory, so that unused planes never take memory. */
#define PAGE 4096u

static uint64_t number(const gpci_timed_replay *timed_replay, gpci_key key) {
    return gpci_config_number(timed_replay->replay->config, key);
}

static gpc_status read_options(gpci_timed_replay *timed_replay, gpc_error *error) {
    timed_replay->schedulers = (uint32_t)number(timed_replay, GPCI_KEY_SM_SCHEDULERS);
    timed_replay->slots = (uint32_t)number(timed_replay, GPCI_KEY_SM_WARPS);
    timed_replay->words = gpci_warp_words(timed_replay->slots);
    timed_replay->all_schedulers = (1u << timed_replay->schedulers) - 1;
    timed_replay->scheduler_words =
        gpci_warp_words((timed_replay->slots + timed_replay->schedulers - 1) / timed_replay->schedulers);
    timed_replay->issue_width = (uint32_t)number(timed_replay, GPCI_KEY_SM_ISSUE);
    timed_replay->turns = number(timed_replay, GPCI_KEY_SM_MEMORY_ORDER) != 0;
    timed_replay->fetch = (uint32_t)number(timed_replay, GPCI_KEY_SM_FETCH);
    timed_replay->fetch_latency = (uint32_t)number(timed_replay, GPCI_KEY_SM_FETCH_LATENCY);
    timed_replay->block_interval = number(timed_replay, GPCI_KEY_BLOCKS_INTERVAL);
    timed_replay->block_latency = number(timed_replay, GPCI_KEY_BLOCKS_LATENCY);
    timed_replay->dispatch_interval = number(timed_replay, GPCI_KEY_BLOCKS_DISPATCH);
    timed_replay->keeps_blocks = number(timed_replay, GPCI_KEY_BLOCKS_RELEASE) == 1;
    timed_replay->launch_cycles = number(timed_replay, GPCI_KEY_LAUNCH_CYCLES);
    timed_replay->limit_cycles = number(timed_replay, GPCI_KEY_LIMIT_CYCLES);
    timed_replay->limit_instructions = number(timed_replay, GPCI_KEY_LIMIT_INSTRUCTIONS);
    timed_replay->deadlock_cycles = number(timed_replay, GPCI_KEY_DEADLOCK);
    return gpci_classes_read(timed_replay, error);
}

/* Number of words of an SM's bit maps: `calendar`, `answered`, and `wanting` of each scheduler. */
static size_t bitmap_words(const gpci_timed_replay *timed_replay) {
    return (GPCI_CALENDAR + 1) * (size_t)timed_replay->words +
           (size_t)timed_replay->schedulers * GPCI_TIMED_UNITS * timed_replay->scheduler_words;
}

static gpc_status make_schedulers(gpci_timed_replay *timed_replay, uint32_t sm, gpc_error *error) {
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = (timed_replay->slots + timed_replay->schedulers - 1) / timed_replay->schedulers;
    options.warp_limit = (uint32_t)number(timed_replay, GPCI_KEY_SM_WARP_LIMIT);
    options.sm = sm;
    options.count = timed_replay->schedulers;
    options.sms = timed_replay->replay->sm_count;
    options.policy = gpci_config_text(timed_replay->replay->config, GPCI_KEY_SCHEDULER);
    for (uint32_t n = 0; n < timed_replay->schedulers; n++) {
        uint64_t index = (uint64_t)sm * timed_replay->schedulers + n;
        options.index = n;
        options.seed = gpci_mix(timed_replay->replay->context->seed + index);
        options.share_with = timed_replay->issuers[0].scheduler;
        gpc_scheduler **scheduler = &timed_replay->sms[sm].issuers[n].scheduler;
        gpc_status status = gpc_scheduler_create(timed_replay->replay->context, &options, scheduler, error);
        if (status < 0)
            return status;
        timed_replay->wants_events |= gpci_scheduler_wants_events(*scheduler);
        timed_replay->wants_samples |= gpci_scheduler_wants_samples(*scheduler);
        (*scheduler)->admissions = &timed_replay->sms[sm].admissions;
        timed_replay->throttled |= (*scheduler)->throttle_count != 0;
        timed_replay->policy_classes |= (*scheduler)->ops->class_of != NULL;
        timed_replay->classed |=
            timed_replay->throttled || timed_replay->policy_classes || (*scheduler)->limit < (*scheduler)->warps;
        timed_replay->watches |= timed_replay->classed || (*scheduler)->kind == GPCI_SCHEDULER_TABLE;
    }
    return GPC_OK;
}

/* Set the pointers of an SM to its parts of the arrays for all SMs. */
static void lay_out(gpci_timed_replay *timed_replay, uint32_t sm) {
    gpci_timed_sm *core = &timed_replay->sms[sm];
    core->deeds = &timed_replay->deeds[gpci_timed_shard_of(timed_replay->replay->hierarchy, sm)];
    uint64_t *bitmap = timed_replay->bitmaps + sm * bitmap_words(timed_replay);
    core->issuers = timed_replay->issuers + (size_t)sm * timed_replay->schedulers;
    core->warps = timed_replay->warps + (size_t)sm * timed_replay->slots;
    core->boards = timed_replay->boards + sm * gpci_scoreboards_entries(timed_replay->slots);
    core->epochs = timed_replay->epochs + (size_t)sm * timed_replay->slots;
    core->copies = timed_replay->copies + (size_t)sm * timed_replay->slots;
    core->barriers = timed_replay->barriers + (size_t)sm * GPCI_MBARRIERS;
    core->units = timed_replay->units + (size_t)sm * timed_replay->unit_count;
    core->calendar = bitmap;
    bitmap += (size_t)GPCI_CALENDAR * timed_replay->words;
    core->answered = bitmap;
    bitmap += timed_replay->words;
    for (uint32_t n = 0; n < timed_replay->schedulers;
         n++, bitmap += (size_t)GPCI_TIMED_UNITS * timed_replay->scheduler_words)
        core->issuers[n].wanting = bitmap;
    for (uint32_t slot = 0; slot < timed_replay->slots; slot++) {
        core->warps[slot].issuer = (uint8_t)(slot % timed_replay->schedulers);
        core->warps[slot].place = (uint16_t)(slot / timed_replay->schedulers);
    }
}

gpc_status gpci_timed_replay_create(gpc_replay *replay, gpc_error *error) {
    gpci_timed_replay *timed_replay = gpci_zalloc(replay->context, 1, sizeof *timed_replay);
    if (!timed_replay)
        return gpci_out_of_memory(error);
    replay->timed = timed_replay;
    timed_replay->replay = replay;
    gpci_stats_init(&timed_replay->sampled);
    gpc_status status = read_options(timed_replay, error);
    if (status < 0)
        return status;
    size_t sms = replay->sm_count, slots = sms * timed_replay->slots;
    timed_replay->shards = gpci_timed_shards(replay->hierarchy);
    timed_replay->deeds = gpci_zalloc_lines(replay->context, timed_replay->shards, sizeof *timed_replay->deeds);
    timed_replay->sms = gpci_zalloc(replay->context, sms, sizeof *timed_replay->sms);
    timed_replay->issuers = gpci_zalloc(replay->context, sms * timed_replay->schedulers, sizeof *timed_replay->issuers);
    timed_replay->warps = gpci_zalloc(replay->context, slots, sizeof *timed_replay->warps);
    timed_replay->board_memory = gpci_zalloc(
        replay->context, sms * gpci_scoreboards_entries(timed_replay->slots) * sizeof *timed_replay->boards + PAGE, 1);
    timed_replay->epochs = gpci_zalloc(replay->context, slots, sizeof *timed_replay->epochs);
    timed_replay->copies = gpci_zalloc(replay->context, slots, sizeof *timed_replay->copies);
    timed_replay->barriers = gpci_zalloc(replay->context, sms * GPCI_MBARRIERS, sizeof *timed_replay->barriers);
    timed_replay->bitmaps =
        gpci_zalloc(replay->context, sms * bitmap_words(timed_replay), sizeof *timed_replay->bitmaps);
    timed_replay->units = gpci_zalloc(replay->context, sms * timed_replay->unit_count + 1, sizeof *timed_replay->units);
    if (!timed_replay->deeds || !timed_replay->sms || !timed_replay->issuers || !timed_replay->warps ||
        !timed_replay->board_memory || !timed_replay->epochs || !timed_replay->copies || !timed_replay->barriers ||
        !timed_replay->bitmaps || !timed_replay->units)
        return gpci_out_of_memory(error);
    timed_replay->boards =
        (uint32_t *)(void *)(timed_replay->board_memory + (PAGE - (uintptr_t)timed_replay->board_memory % PAGE));
    for (uint32_t sm = 0; sm < sms && status == GPC_OK; sm++) {
        lay_out(timed_replay, sm);
        status = make_schedulers(timed_replay, sm, error);
    }
    if (status == GPC_OK)
        status = gpci_icaches_create(timed_replay, error);
    return status == GPC_OK && timed_replay->wants_samples ? gpci_sampler_create(timed_replay, error) : status;
}

void gpci_timed_replay_destroy(gpci_timed_replay *timed_replay) {
    if (!timed_replay)
        return;
    gpc_context *context = timed_replay->replay->context;
    for (size_t n = 0; timed_replay->issuers && n < (size_t)timed_replay->replay->sm_count * timed_replay->schedulers;
         n++)
        gpc_scheduler_destroy(timed_replay->issuers[n].scheduler);
    gpci_sampler_destroy(timed_replay);
    gpci_icaches_destroy(timed_replay);
    gpci_free_lines(context, timed_replay->deeds);
    gpci_free(context, timed_replay->sms);
    gpci_free(context, timed_replay->issuers);
    gpci_free(context, timed_replay->warps);
    gpci_free(context, timed_replay->board_memory);
    gpci_free(context, timed_replay->epochs);
    gpci_free(context, timed_replay->copies);
    gpci_free(context, timed_replay->barriers);
    gpci_free(context, timed_replay->messages.each);
    gpci_free(context, timed_replay->bitmaps);
    gpci_free(context, timed_replay->units);
    gpci_free(context, timed_replay);
}
