/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "replay/blocks/mbarriers.h"
#include "replay/sm/icache.h"

/* Build the SMs of a timed replay from the configuration. */

/* Scoreboard planes begin at pages, so that an unused plane shares no page with its neighbours. */
#define PAGE 4096u

static uint64_t number(const gpci_timed_replay *t, gpci_key key) {
    return gpci_config_number(t->r->config, key);
}

static gpc_status read_options(gpci_timed_replay *t, gpc_error *error) {
    t->schedulers = (uint32_t)number(t, GPCI_KEY_SM_SCHEDULERS);
    t->slots = (uint32_t)number(t, GPCI_KEY_SM_WARPS);
    t->words = gpci_warp_words(t->slots);
    t->all_schedulers = (1u << t->schedulers) - 1;
    t->scheduler_words = gpci_warp_words((t->slots + t->schedulers - 1) / t->schedulers);
    t->issue_width = (uint32_t)number(t, GPCI_KEY_SM_ISSUE);
    t->fetch = (uint32_t)number(t, GPCI_KEY_SM_FETCH);
    t->fetch_latency = (uint32_t)number(t, GPCI_KEY_SM_FETCH_LATENCY);
    t->block_interval = number(t, GPCI_KEY_BLOCKS_INTERVAL);
    t->dispatch_interval = number(t, GPCI_KEY_BLOCKS_DISPATCH);
    t->keeps_blocks = number(t, GPCI_KEY_BLOCKS_RELEASE) == 1;
    t->launch_cycles = number(t, GPCI_KEY_LAUNCH_CYCLES);
    t->limit_cycles = number(t, GPCI_KEY_LIMIT_CYCLES);
    t->limit_instructions = number(t, GPCI_KEY_LIMIT_INSTRUCTIONS);
    t->deadlock_cycles = number(t, GPCI_KEY_DEADLOCK);
    return gpci_classes_read(t, error);
}

/* Words of an SM's bitmaps: calendar, answered warps, and per scheduler the warps wanting a unit. */
static size_t bitmap_words(const gpci_timed_replay *t) {
    return (GPCI_CALENDAR + 1) * (size_t)t->words + (size_t)t->schedulers * GPCI_TIMED_UNITS * t->scheduler_words;
}

static gpc_status make_schedulers(gpci_timed_replay *t, uint32_t sm, gpc_error *error) {
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = (t->slots + t->schedulers - 1) / t->schedulers;
    options.warp_limit = (uint32_t)number(t, GPCI_KEY_SM_WARP_LIMIT);
    options.sm = sm;
    options.count = t->schedulers;
    options.sms = t->r->sm_count;
    options.policy = gpci_config_text(t->r->config, GPCI_KEY_SCHEDULER);
    for (uint32_t n = 0; n < t->schedulers; n++) {
        uint64_t index = (uint64_t)sm * t->schedulers + n;
        options.index = n;
        options.seed = gpci_mix(t->r->context->seed + index);
        options.share_with = t->issuers[0].scheduler;
        gpc_scheduler **scheduler = &t->sms[sm].issuers[n].scheduler;
        gpc_status status = gpc_scheduler_create(t->r->context, &options, error, scheduler);
        if (status < 0)
            return status;
        t->wants_events |= gpci_scheduler_wants_events(*scheduler);
        t->wants_samples |= gpci_scheduler_wants_samples(*scheduler);
        (*scheduler)->admissions = &t->sms[sm].admissions;
        t->throttled |= (*scheduler)->throttle_count != 0;
        t->policy_classes |= (*scheduler)->ops->class_of != NULL;
        t->classed |= t->throttled || t->policy_classes || (*scheduler)->limit < (*scheduler)->warps;
        t->watches |= t->classed || (*scheduler)->kind == GPCI_SCHEDULER_TABLE;
    }
    return GPC_OK;
}

/* Point an SM to its parts of the common arrays. */
static void lay_out(gpci_timed_replay *t, uint32_t sm) {
    gpci_timed_sm *m = &t->sms[sm];
    m->deeds = &t->deeds[gpci_timed_shard_of(t->r->hierarchy, sm)];
    uint64_t *bitmap = t->bitmaps + sm * bitmap_words(t);
    m->issuers = t->issuers + (size_t)sm * t->schedulers;
    m->warps = t->warps + (size_t)sm * t->slots;
    m->boards = t->boards + sm * gpci_scoreboards_entries(t->slots);
    m->epochs = t->epochs + (size_t)sm * t->slots;
    m->copies = t->copies + (size_t)sm * t->slots;
    m->barriers = t->barriers + (size_t)sm * GPCI_MBARRIERS;
    m->units = t->units + (size_t)sm * t->unit_count;
    m->calendar = bitmap;
    bitmap += (size_t)GPCI_CALENDAR * t->words;
    m->answered = bitmap;
    bitmap += t->words;
    for (uint32_t n = 0; n < t->schedulers; n++, bitmap += (size_t)GPCI_TIMED_UNITS * t->scheduler_words)
        m->issuers[n].wanting = bitmap;
    for (uint32_t slot = 0; slot < t->slots; slot++) {
        m->warps[slot].issuer = (uint8_t)(slot % t->schedulers);
        m->warps[slot].place = (uint16_t)(slot / t->schedulers);
    }
}

gpc_status gpci_timed_replay_create(gpc_replay *r, gpc_error *error) {
    gpci_timed_replay *t = gpci_zalloc(r->context, 1, sizeof *t);
    if (!t)
        return gpci_out_of_memory(error);
    r->timed = t;
    t->r = r;
    gpc_stats_init(&t->sampled);
    gpc_status status = read_options(t, error);
    if (status < 0)
        return status;
    size_t sms = r->sm_count, slots = sms * t->slots;
    t->shards = gpci_timed_shards(r->hierarchy);
    t->deeds = gpci_zalloc_lines(r->context, t->shards, sizeof *t->deeds);
    t->sms = gpci_zalloc(r->context, sms, sizeof *t->sms);
    t->issuers = gpci_zalloc(r->context, sms * t->schedulers, sizeof *t->issuers);
    t->warps = gpci_zalloc(r->context, slots, sizeof *t->warps);
    t->board_memory = gpci_zalloc(r->context, sms * gpci_scoreboards_entries(t->slots) * sizeof *t->boards + PAGE, 1);
    t->epochs = gpci_zalloc(r->context, slots, sizeof *t->epochs);
    t->copies = gpci_zalloc(r->context, slots, sizeof *t->copies);
    t->barriers = gpci_zalloc(r->context, sms * GPCI_MBARRIERS, sizeof *t->barriers);
    t->bitmaps = gpci_zalloc(r->context, sms * bitmap_words(t), sizeof *t->bitmaps);
    t->units = gpci_zalloc(r->context, sms * t->unit_count + 1, sizeof *t->units);
    if (!t->deeds || !t->sms || !t->issuers || !t->warps || !t->board_memory || !t->epochs || !t->copies ||
        !t->barriers || !t->bitmaps || !t->units)
        return gpci_out_of_memory(error);
    t->boards = (uint32_t *)(void *)(t->board_memory + (PAGE - (uintptr_t)t->board_memory % PAGE));
    for (uint32_t sm = 0; sm < sms && status == GPC_OK; sm++) {
        lay_out(t, sm);
        status = make_schedulers(t, sm, error);
    }
    if (status == GPC_OK)
        status = gpci_icaches_create(t, error);
    return status == GPC_OK && t->wants_samples ? gpci_sampler_create(t, error) : status;
}

void gpci_timed_replay_destroy(gpci_timed_replay *t) {
    if (!t)
        return;
    gpc_context *context = t->r->context;
    for (size_t n = 0; t->issuers && n < (size_t)t->r->sm_count * t->schedulers; n++)
        gpc_scheduler_destroy(t->issuers[n].scheduler);
    gpci_sampler_destroy(t);
    gpci_icaches_destroy(t);
    gpci_free_lines(context, t->deeds);
    gpci_free(context, t->sms);
    gpci_free(context, t->issuers);
    gpci_free(context, t->warps);
    gpci_free(context, t->board_memory);
    gpci_free(context, t->epochs);
    gpci_free(context, t->copies);
    gpci_free(context, t->barriers);
    gpci_free(context, t->messages.each);
    gpci_free(context, t->bitmaps);
    gpci_free(context, t->units);
    gpci_free(context, t);
}
