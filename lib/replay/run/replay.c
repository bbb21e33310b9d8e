/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/replay.h"
#include "functional/functional.h"
#include "hierarchy/objects.h"
#include "level/access/future.h"
#include "replay/blocks/parked.h"
#include "replay/sampling/sampling.h"
#include "timed/core/sm_front_end.h"

#include <string.h>

#define PROGRESS_EVERY 1000000u
#define PROGRESS_TURNS 16384u /* with a clock, 1 million instructions may take minutes, too long for Ctrl-C */

/* Without a clock the replay owns the threads: a hierarchy takes one access at a time. */
static gpc_status make_hierarchy(gpc_replay *r, gpc_error *error) {
    gpc_config *config;
    gpc_status status = gpc_config_copy(r->config, error, &config);
    if (status < 0)
        return status;
    if (gpci_config_number(config, GPCI_KEY_MODE) == 0)
        status = gpc_config_set(config, gpci_key_name(GPCI_KEY_THREADS), "1", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(r->context, config, error, &r->hierarchy);
    if (status == GPC_OK)
        r->hierarchy->replayed = true;
    gpc_config_destroy(config);
    return status;
}

static gpc_status check_copies(const gpc_replay *r, gpc_error *error) {
    const char *what = gpci_hierarchy_no_copies(r->hierarchy);
    return what && gpci_config_number(r->config, GPCI_KEY_KERNELS_COPIES)
               ? gpci_fail(error, GPC_ERROR_UNSUPPORTED, "kernels.copies = l2: %s: kernels.copies = none", what)
               : GPC_OK;
}

gpc_status gpc_replay_create(gpc_context *context, const gpc_config *config, gpc_error *error, gpc_replay **out) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    gpc_replay *r = gpci_zalloc(context, 1, sizeof *r);
    if (!r)
        return gpci_out_of_memory(error);
    r->context = gpci_retain(context);
    r->pause_at = UINT64_MAX;
    r->turns_to_tell = PROGRESS_TURNS;
    gpc_stats_init(&r->total);
    gpc_stats_init(&r->before);
    gpc_status status = gpc_config_copy(config, error, &r->config);
    if (status == GPC_OK)
        status = make_hierarchy(r, error);
    if (status == GPC_OK) {
        r->driver = r->hierarchy->driver;
        r->block_order = gpci_config_number(config, GPCI_KEY_WARPS_ORDER) == 1;
        r->recorded_order = gpci_order_is_recorded(config);
        r->sm_count = (uint32_t)gpci_config_number(config, GPCI_KEY_SM_COUNT);
        r->block_sms = r->sm_count / r->hierarchy->gpus * (r->hierarchy->gpus - r->hierarchy->cpus);
        r->sms = gpci_zalloc(context, r->sm_count, sizeof *r->sms);
        r->turns = gpci_zalloc(context, r->sm_count, sizeof *r->turns);
        r->turn_addresses = gpci_zalloc(context, r->sm_count, GPCI_MOST_LANES * sizeof *r->turn_addresses);
        r->samples = gpci_zalloc(context, r->sm_count, sizeof *r->samples);
        r->policy_period = gpci_config_number(config, GPCI_KEY_SAMPLE_PERIOD);
        if (!r->sms || !r->turns || !r->turn_addresses || !r->samples)
            status = gpci_out_of_memory(error);
    }
    if (status == GPC_OK && r->recorded_order && r->hierarchy->timed)
        status = gpci_fail(error, GPC_ERROR_RANGE,
                           "warps.order = recorded needs mode = functional: with a clock warps issue when they may");
    if (status == GPC_OK)
        status = check_copies(r, error);
    if (status == GPC_OK && r->hierarchy->l1_future)
        status = gpci_future_create(context, r->sm_count, error, &r->future);
    if (status == GPC_OK)
        status = gpci_config_number(config, GPCI_KEY_MODE) == 1 ? gpci_timed_replay_create(r, error)
                                                                : gpci_functional_threads(r, error);
    if (status == GPC_OK)
        status = gpci_sampling_create(r, error);
    if (status < 0) {
        gpc_replay_destroy(r);
        return status;
    }
    *out = r;
    return GPC_OK;
}

void gpc_replay_destroy(gpc_replay *r) {
    if (!r)
        return;
    gpc_context *context = r->context;
    gpci_dispatch_forget(r);
    gpci_parked_destroy(r);
    gpci_timed_replay_destroy(r->timed);
    gpci_round_lanes_destroy(r->lanes);
    for (uint32_t sm = 0; r->sms && sm < r->sm_count; sm++)
        gpci_free(context, r->sms[sm].resident);
    while (r->spare) {
        gpci_block_run *run = r->spare;
        r->spare = run->queued;
        gpci_free(context, run->warps);
        gpci_free(context, run);
    }
    gpci_free(context, r->sms);
    gpci_free(context, r->turns);
    gpci_free(context, r->turn_addresses);
    gpci_free(context, r->samples);
    gpci_free(context, r->sample_stats);
    gpci_free(context, r->objects);
    gpci_free(context, r->stream_ids);
    gpci_sampling_destroy(context, r->sampling);
    gpci_future_destroy(r->future);
    gpc_hierarchy_destroy(r->hierarchy);
    gpc_config_destroy(r->config);
    gpci_free(context, r);
    gpci_release(context);
}

void gpc_replay_on_progress(gpc_replay *r, gpc_progress_fn on_progress, void *user_data) {
    if (!r)
        return;
    r->on_progress = on_progress;
    r->progress_data = user_data;
}

gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *r) {
    return r ? r->hierarchy : NULL;
}

gpc_status gpc_replay_get_config(const gpc_replay *r, gpc_error *error, gpc_config **out) {
    return r && out ? gpc_config_copy(r->config, error, out)
                    : gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_get_config: %s is NULL", r ? "out" : "replay");
}

gpc_status gpci_replay_give(const gpc_replay *r, const gpc_stats *ours, const gpc_layout *layout, void *theirs) {
    gpc_stats known = *ours;
    gpci_hierarchy_forget(r->hierarchy, true, &known);
    return gpci_layout_give(layout, GPC_TABLE_HIERARCHY, &known, theirs);
}

gpc_status gpc_replay_get_stats_as(const gpc_replay *r, const gpc_layout *layout, void *stats) {
    return r ? gpci_replay_give(r, &r->total, layout, stats) : GPC_ERROR_ARGUMENT;
}

gpc_status gpc_replay_on_sample_as(gpc_replay *r, uint64_t interval, const gpc_layout *layout, gpc_sample_fn on_sample,
                                   void *user_data) {
    if (!r || (on_sample && !interval))
        return GPC_ERROR_ARGUMENT;
    void *buffer = NULL;
    if (on_sample) {
        gpc_status status = gpci_layout_check(layout, GPC_TABLE_HIERARCHY);
        if (status < 0)
            return status;
        buffer = gpci_zalloc(r->context, 1, layout->bytes);
        if (!buffer)
            return GPC_ERROR_MEMORY;
        memcpy(buffer, &layout->bytes, sizeof layout->bytes);
    }
    gpci_free(r->context, r->sample_stats);
    r->sample_stats = buffer;
    r->sample_layout = layout;
    r->on_sample = on_sample;
    r->sample_data = user_data;
    r->sample_interval = interval;
    return GPC_OK;
}

gpc_status gpci_replay_progress(gpc_replay *r, gpc_error *error) {
    uint64_t instructions = r->instructions + r->instructions_told;
    if (instructions < r->next_progress && (!r->timed || --r->turns_to_tell))
        return GPC_OK;
    r->turns_to_tell = PROGRESS_TURNS;
    if (instructions >= r->next_progress)
        r->next_progress += PROGRESS_EVERY;
    if (r->lanes)
        gpci_round_lanes_fold(r->lanes);
    gpc_progress progress = {.struct_size = sizeof progress,
                             .warp_instructions = instructions,
                             .blocks = r->blocks,
                             .block_count = r->kernel.block_count,
                             .trace_fraction = gpc_trace_progress(r->trace)};
    if (r->on_progress && !r->on_progress(r->progress_data, &progress))
        return gpci_fail(error, GPC_ERROR_CANCELLED, "%s: replay cancelled", r->kernel.file);
    return GPC_OK;
}

/* Add the instructions counted per SM. */
static void count_by_sm(gpc_replay *r) {
    for (uint32_t sm = 0; sm < r->sm_count; sm++) {
        r->hierarchy->of_sm[sm].warp_instructions += r->sms[sm].instructions;
        r->hierarchy->of_sm[sm].thread_instructions += r->sms[sm].threads;
        r->sms[sm].instructions = r->sms[sm].threads = 0;
    }
}

void gpci_replay_count(gpc_replay *r) {
    bool clock = r->timed && !r->warming;
    if (!clock)
        count_by_sm(r);
    gpc_hierarchy_count_instructions(r->hierarchy, clock ? r->instructions : 0, r->threads, r->blocks - r->blocks_told);
    r->instructions_told += r->instructions;
    r->blocks_told = r->blocks;
    r->instructions = r->threads = 0;
}

void gpci_replay_warm(gpc_replay *r, bool warming) {
    r->warming = warming;
    r->driver = warming ? &gpci_functional_caches : r->hierarchy->driver;
}

void gpci_replay_sample(gpc_replay *r, uint64_t cycle, uint64_t cycles) {
    for (uint32_t sm = 0; sm < r->sm_count; sm++) {
        r->samples[sm].struct_size = sizeof *r->samples;
        r->samples[sm].cycle = cycle;
        r->samples[sm].cycles = cycles;
    }
    gpc_hierarchy_sample(r->hierarchy, r->samples);
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        r->samples[sm] = (gpc_sample)GPC_SAMPLE_INIT;
}

void gpci_replay_begin(gpc_replay *r) {
    r->instructions = r->threads = r->blocks = r->instructions_told = r->blocks_told = 0;
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        r->sms[sm].instructions = r->sms[sm].threads = 0;
    r->next_progress = PROGRESS_EVERY;
    r->first_pc = UINT64_MAX;
    r->last_pc = 0;
    r->random = r->context->seed;
}

/* A timed replay pauses only at cycles, even while blocks run without the clock. */
static bool pauses(const gpc_replay *r) {
    return r->all_rounds >= r->pause_at && !r->timed && !r->learning;
}

gpc_status gpci_replay_rounds(gpc_replay *r, gpc_error *error) {
    uint64_t limit = gpci_config_number(r->config, GPCI_KEY_LIMIT_INSTRUCTIONS);
    if (GPCI_UNLIKELY(r->recorded_order))
        return gpci_recorded_run(r, error);
    gpc_status status = gpci_dispatch_fill(r, error);
    if (r->lanes)
        gpci_round_lanes_begin(r->lanes);
    while (status == GPC_OK && r->resident && (!limit || r->instructions + r->instructions_told < limit)) {
        uint64_t before = r->blocks;
        if (pauses(r)) {
            status = GPC_BUSY;
            break;
        }
        r->all_rounds += !r->learning;
        status = gpci_functional_round(r, error);
        if (status == GPC_OK && r->policies_vote && ++r->rounds == r->policy_period) {
            r->rounds = 0;
            if (r->lanes)
                gpci_round_lanes_fold(r->lanes);
            gpci_replay_sample(r, 0, 0);
        }
        if (status == GPC_OK && r->blocks != before)
            status = gpci_dispatch_fill(r, error);
        if (status == GPC_OK)
            status = gpci_replay_progress(r, error);
    }
    if (r->lanes)
        gpci_round_lanes_fold(r->lanes);
    return status;
}

void gpci_replay_stats(const gpc_replay *r, gpc_stats *stats) {
    if (r->timed)
        gpci_timed_stats(r->timed, stats);
    else
        gpci_hierarchy_stats(r->hierarchy, stats);
}

uint64_t gpci_replay_now(const gpc_replay *r) {
    return r->timed ? gpci_timed_now(r->hierarchy) : r->all_rounds;
}

gpc_status gpc_replay_pause_at(gpc_replay *r, uint64_t time) {
    if (!r)
        return GPC_ERROR_ARGUMENT;
    r->pause_at = time;
    return GPC_OK;
}

uint64_t gpc_replay_now(const gpc_replay *r) {
    return r ? gpci_replay_now(r) : 0;
}
