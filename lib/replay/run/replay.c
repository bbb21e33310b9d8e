/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/replay.h"
#include "functional/functional.h"
#include "hierarchy/objects.h"
#include "level/access/future.h"
#include "replay/blocks/parked.h"
#include "replay/sampling/sampling.h"
#include "timed/core/sm_front_end.h"

#include <string.h>

/* Call on_progress after this many instructions. */
#define PROGRESS_EVERY 1000000u
#define PROGRESS_TURNS 16384u /* timed: also after this many cycles with events; PROGRESS_EVERY may take minutes */

/*
 * Create the hierarchy. A functional hierarchy has 1 thread: the replay has the threads of key `threads`
 * (gpci_functional_threads).
 */
static gpc_status make_hierarchy(gpc_replay *replay, gpc_error *error) {
    gpc_config *config;
    gpc_status status = gpc_config_copy(replay->config, &config, error);
    if (status < 0)
        return status;
    if (gpci_config_number(config, GPCI_KEY_MODE) == 0)
        status = gpc_config_set(config, gpci_key_name(GPCI_KEY_THREADS), "1", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(replay->context, config, &replay->hierarchy, error);
    if (status == GPC_OK)
        replay->hierarchy->replayed = true;
    gpc_config_destroy(config);
    return status;
}

static gpc_status check_copies(const gpc_replay *replay, gpc_error *error) {
    const char *what = gpci_hierarchy_no_copies(replay->hierarchy);
    return what && gpci_config_number(replay->config, GPCI_KEY_KERNELS_COPIES)
               ? gpci_fail(error, GPC_ERROR_UNSUPPORTED, "kernels.copies = l2: %s: kernels.copies = none", what)
               : GPC_OK;
}

gpc_status gpc_replay_create(gpc_context *context, const gpc_config *config, gpc_replay **out, gpc_error *error) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    gpc_replay *replay = gpci_zalloc(context, 1, sizeof *replay);
    if (!replay)
        return gpci_out_of_memory(error);
    replay->context = gpci_retain(context);
    replay->pause_at = UINT64_MAX;
    replay->turns_to_tell = PROGRESS_TURNS;
    gpci_stats_init(&replay->total);
    gpci_stats_init(&replay->last);
    gpci_stats_init(&replay->before);
    gpc_status status = gpc_config_copy(config, &replay->config, error);
    if (status == GPC_OK)
        status = make_hierarchy(replay, error);
    if (status == GPC_OK) {
        replay->driver = replay->hierarchy->driver;
        replay->block_order = gpci_config_number(config, GPCI_KEY_WARPS_ORDER) == 1;
        replay->recorded_order = gpci_order_is_recorded(config);
        replay->sm_count = replay->hierarchy->sms;
        replay->block_sms =
            replay->sm_count / replay->hierarchy->gpus * (replay->hierarchy->gpus - replay->hierarchy->cpus);
        replay->sms = gpci_zalloc(context, replay->sm_count, sizeof *replay->sms);
        replay->turns = gpci_zalloc(context, replay->sm_count, sizeof *replay->turns);
        replay->turn_addresses =
            gpci_zalloc(context, replay->sm_count, GPCI_MOST_LANES * sizeof *replay->turn_addresses);
        replay->samples = gpci_zalloc(context, replay->sm_count, sizeof *replay->samples);
        replay->policy_period = gpci_config_number(config, GPCI_KEY_SAMPLE_PERIOD);
        if (!replay->sms || !replay->turns || !replay->turn_addresses || !replay->samples)
            status = gpci_out_of_memory(error);
    }
    if (status == GPC_OK && replay->recorded_order && replay->hierarchy->timed)
        status = gpci_fail(error, GPC_ERROR_RANGE,
                           "warps.order = recorded needs mode = functional: with a clock warps issue when they may");
    if (status == GPC_OK)
        status = check_copies(replay, error);
    if (status == GPC_OK && replay->hierarchy->l1_future)
        status = gpci_future_create(context, replay->sm_count, error, &replay->future);
    if (status == GPC_OK)
        status = gpci_config_number(config, GPCI_KEY_MODE) == 1 ? gpci_timed_replay_create(replay, error)
                                                                : gpci_functional_threads(replay, error);
    if (status == GPC_OK)
        status = gpci_sampling_create(replay, error);
    if (status < 0) {
        gpc_replay_destroy(replay);
        return status;
    }
    *out = replay;
    return GPC_OK;
}

void gpc_replay_destroy(gpc_replay *replay) {
    if (!replay)
        return;
    gpc_context *context = replay->context;
    gpci_dispatch_forget(replay);
    gpci_parked_destroy(replay);
    gpci_timed_replay_destroy(replay->timed);
    gpci_round_lanes_destroy(replay->lanes);
    for (uint32_t sm = 0; replay->sms && sm < replay->sm_count; sm++)
        gpci_free(context, replay->sms[sm].resident);
    while (replay->spare) {
        gpci_block_run *run = replay->spare;
        replay->spare = run->queued;
        gpci_free(context, run->warps);
        gpci_free(context, run);
    }
    gpci_free(context, replay->sms);
    gpci_free(context, replay->turns);
    gpci_free(context, replay->turn_addresses);
    gpci_free(context, replay->samples);
    gpci_free(context, replay->objects);
    gpci_free(context, replay->stream_ids);
    gpci_sampling_destroy(context, replay->sampling);
    gpci_future_destroy(replay->future);
    gpc_hierarchy_destroy(replay->hierarchy);
    gpc_config_destroy(replay->config);
    gpci_free(context, replay);
    gpci_release(context);
}

void gpc_replay_on_progress(gpc_replay *replay, gpc_progress_fn on_progress, void *user_data) {
    if (!replay)
        return;
    replay->on_progress = on_progress;
    replay->progress_data = user_data;
}

gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *replay) {
    return replay ? replay->hierarchy : NULL;
}

gpc_status gpc_replay_get_config(const gpc_replay *replay, gpc_config **out, gpc_error *error) {
    return replay && out
               ? gpc_config_copy(replay->config, out, error)
               : gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_get_config: %s is NULL", replay ? "out" : "replay");
}

gpc_status gpc_replay_on_sample(gpc_replay *replay, uint64_t interval, gpc_sample_fn on_sample, void *user_data,
                                gpc_error *error) {
    if (!replay || (on_sample && !interval))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_on_sample: %s",
                         replay ? "interval is 0" : "replay is NULL");
    replay->on_sample = on_sample;
    replay->sample_data = user_data;
    replay->sample_interval = interval;
    return GPC_OK;
}

gpc_status gpci_replay_progress(gpc_replay *replay, gpc_error *error) {
    uint64_t instructions = replay->instructions + replay->instructions_told;
    if (instructions < replay->next_progress && (!replay->timed || --replay->turns_to_tell))
        return GPC_OK;
    replay->turns_to_tell = PROGRESS_TURNS;
    if (instructions >= replay->next_progress)
        replay->next_progress += PROGRESS_EVERY;
    if (replay->lanes)
        gpci_round_lanes_fold(replay->lanes);
    gpc_progress progress = {.struct_size = sizeof progress,
                             .warp_instructions = instructions,
                             .blocks = replay->blocks,
                             .block_count = replay->kernel.block_count,
                             .trace_fraction = gpc_trace_progress(replay->trace)};
    if (replay->on_progress && !replay->on_progress(replay->progress_data, &progress))
        return gpci_fail(error, GPC_ERROR_CANCELLED, "%s: replay cancelled", replay->kernel.file);
    return GPC_OK;
}

/* Add the instructions and threads counted per SM to the hierarchy's counters. */
static void count_by_sm(gpc_replay *replay) {
    for (uint32_t sm = 0; sm < replay->sm_count; sm++) {
        replay->hierarchy->of_sm[sm].warp_instructions += replay->sms[sm].instructions;
        replay->hierarchy->of_sm[sm].thread_instructions += replay->sms[sm].threads;
        replay->sms[sm].instructions = replay->sms[sm].threads = 0;
    }
}

void gpci_replay_count(gpc_replay *replay) {
    bool clock = replay->timed && !replay->warming;
    if (!clock)
        count_by_sm(replay);
    gpc_hierarchy_count_instructions(replay->hierarchy, clock ? replay->instructions : 0, replay->threads,
                                     replay->blocks - replay->blocks_told);
    replay->instructions_told += replay->instructions;
    replay->blocks_told = replay->blocks;
    replay->instructions = replay->threads = 0;
}

void gpci_replay_warm(gpc_replay *replay, bool warming) {
    replay->warming = warming;
    replay->driver = warming ? &gpci_functional_caches : replay->hierarchy->driver;
}

void gpci_replay_sample(gpc_replay *replay, uint64_t cycle, uint64_t cycles) {
    for (uint32_t sm = 0; sm < replay->sm_count; sm++) {
        replay->samples[sm].struct_size = sizeof *replay->samples;
        replay->samples[sm].cycle = cycle;
        replay->samples[sm].cycles = cycles;
    }
    gpc_hierarchy_sample(replay->hierarchy, replay->samples, NULL);
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        replay->samples[sm] = (gpc_sample)GPC_SAMPLE_INIT;
}

void gpci_replay_begin(gpc_replay *replay) {
    replay->instructions = replay->threads = replay->blocks = replay->instructions_told = replay->blocks_told = 0;
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        replay->sms[sm].instructions = replay->sms[sm].threads = 0;
    replay->next_progress = PROGRESS_EVERY;
    replay->first_pc = UINT64_MAX;
    replay->last_pc = 0;
    replay->random = replay->context->seed;
}

/* True if a functional replay has reached `pause_at`. A timed replay that warms pauses later, at a cycle. */
static bool pauses(const gpc_replay *replay) {
    return replay->all_rounds >= replay->pause_at && !replay->timed && !replay->learning;
}

gpc_status gpci_replay_rounds(gpc_replay *replay, gpc_error *error) {
    uint64_t limit = gpci_config_number(replay->config, GPCI_KEY_LIMIT_INSTRUCTIONS);
    if (GPCI_UNLIKELY(replay->recorded_order))
        return gpci_recorded_run(replay, error);
    gpc_status status = gpci_dispatch_fill(replay, error);
    if (replay->lanes)
        gpci_round_lanes_begin(replay->lanes);
    while (status == GPC_OK && replay->resident &&
           (!limit || replay->instructions + replay->instructions_told < limit)) {
        uint64_t before = replay->blocks;
        if (pauses(replay)) {
            status = GPC_BUSY;
            break;
        }
        replay->all_rounds += !replay->learning;
        status = gpci_functional_round(replay, error);
        if (status == GPC_OK && replay->policies_vote && ++replay->rounds == replay->policy_period) {
            replay->rounds = 0;
            if (replay->lanes)
                gpci_round_lanes_fold(replay->lanes);
            gpci_replay_sample(replay, 0, 0);
        }
        if (status == GPC_OK && replay->blocks != before)
            status = gpci_dispatch_fill(replay, error);
        if (status == GPC_OK)
            status = gpci_replay_progress(replay, error);
    }
    if (replay->lanes)
        gpci_round_lanes_fold(replay->lanes);
    return status;
}

void gpci_replay_stats(const gpc_replay *replay, gpc_stats *stats) {
    if (replay->timed)
        gpci_timed_stats(replay->timed, stats);
    else
        gpci_hierarchy_stats(replay->hierarchy, stats);
}

uint64_t gpci_replay_now(const gpc_replay *replay) {
    return replay->timed ? gpci_timed_now(replay->hierarchy) : replay->all_rounds;
}

gpc_status gpc_replay_pause_at(gpc_replay *replay, uint64_t time, gpc_error *error) {
    if (!replay)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_pause_at: replay is NULL");
    replay->pause_at = time;
    return GPC_OK;
}

uint64_t gpc_replay_now(const gpc_replay *replay) {
    return replay ? gpci_replay_now(replay) : 0;
}
