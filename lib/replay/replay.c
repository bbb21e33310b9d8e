/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/replay.h"
#include "functional/functional.h"
#include "level/future.h"
#include "replay/sampling.h"

#include <string.h>

#define PROGRESS_EVERY 1000000u

/* Without a clock threads are the replay's: a hierarchy by itself is called access by access. */
static gpc_status make_hierarchy(gpc_replay *r, gpc_error *error) {
    gpc_config *config;
    gpc_status status = gpc_config_copy(r->config, error, &config);
    if (status < 0)
        return status;
    if (gpci_config_number(config, GPCI_KEY_MODE) == 0)
        status = gpc_config_set(config, gpci_key_name(GPCI_KEY_THREADS), "1", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(r->context, config, error, &r->hierarchy);
    gpc_config_destroy(config);
    return status;
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
    gpc_stats_init(&r->total);
    gpc_status status = gpc_config_copy(config, error, &r->config);
    if (status == GPC_OK)
        status = make_hierarchy(r, error);
    if (status == GPC_OK) {
        r->driver = r->hierarchy->driver;
        r->block_order = gpci_config_number(config, GPCI_KEY_WARPS_ORDER) == 1;
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

gpc_status gpc_replay_get_stats_as(const gpc_replay *r, const gpc_layout *layout, void *stats) {
    return r ? gpci_layout_give(layout, GPC_TABLE_HIERARCHY, &r->total, stats) : GPC_ERROR_ARGUMENT;
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
    if (instructions < r->next_progress)
        return GPC_OK;
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

/* Each SM has counted its own. */
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

gpc_status gpci_replay_rounds(gpc_replay *r, gpc_error *error) {
    uint64_t limit = gpci_config_number(r->config, GPCI_KEY_LIMIT_INSTRUCTIONS);
    gpc_status status = gpci_dispatch_fill(r, error);
    if (r->lanes)
        gpci_round_lanes_begin(r->lanes);
    while (status == GPC_OK && r->resident && (!limit || r->instructions + r->instructions_told < limit)) {
        uint64_t before = r->blocks;
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

static void get_stats(gpc_replay *r, gpc_stats *stats) {
    gpci_replay_count(r);
    gpci_replay_stats(r, stats);
}

/* What the kernel needs of an SM. A warp of fewer lanes than the SM's takes as much as a full one. */
static gpc_status launch_of(const gpc_replay *r, gpc_launch *launch, gpc_error *error) {
    const gpc_kernel *k = &r->kernel;
    uint32_t lanes = (uint32_t)gpci_config_number(r->config, GPCI_KEY_SM_LANES);
    uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
    if (k->warp_lanes > lanes)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: its warps have %u lanes, but sm.lanes is %u", k->file,
                         k->warp_lanes, lanes);
    if (k->warp_lanes < lanes)
        threads = (threads + k->warp_lanes - 1) / k->warp_lanes * lanes;
    launch->threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
    launch->registers = k->registers;
    launch->shared_bytes = k->shared_bytes;
    return GPC_OK;
}

/* What is not timed, and the estimate of the whole, which `stats` becomes. */
static void take_sample(gpc_replay *r, gpc_stats *stats) {
    gpc_stats none;
    gpc_stats_init(&none);
    if (r->warming) {
        gpci_sampling_note(r, &none, stats, stats);
        return;
    }
    gpc_stats timed = *stats;
    gpci_stats_subtract(&timed, &r->sampling->blocks.rest);
    gpci_sampling_note(r, &timed, &r->sampling->blocks.rest, stats);
}

static gpc_status run_kernel(gpc_replay *r, gpc_stats *stats, gpc_error *error) {
    const gpc_kernel *k = &r->kernel;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_status status = launch_of(r, &launch, error);
    /* After a kernel that was given up, what it left behind must not complete within this one. */
    if (status == GPC_OK && gpc_hierarchy_in_flight(r->hierarchy))
        status = gpc_hierarchy_drain(r->hierarchy, error);
    if (status < 0)
        return status;
    gpc_error detail = GPC_ERROR_INIT;
    gpc_stats before, after;
    /* Write-backs of a flush between kernels belong to none of them. A kernel that does not fit flushes nothing. */
    gpci_l1_share share;
    status = gpci_launch_l1_share(r->hierarchy, &launch, &share, &detail);
    if (status == GPC_OK)
        status = gpci_hierarchy_flush_for_kernel(r->hierarchy);
    if (status == GPC_OK) {
        get_stats(r, &before);
        if (r->objects)
            gpci_replay_note_objects(r);
        status = gpc_hierarchy_begin_kernel(r->hierarchy, &launch, &detail);
    }
    if (status < 0)
        return gpci_fail(error, status, "%s: %s", k->file,
                         detail.message[0] ? detail.message : gpc_status_string(status));
    r->policies_vote = false;
    status = gpci_dispatch_start(r, &launch, error);
    if (status == GPC_OK && r->future)
        status = gpci_replay_learn(r, error);
    if (r->sampling)
        gpci_blocks_begin(r);
    r->policies_vote = gpc_hierarchy_wants_samples(r->hierarchy) && !r->warming;
    r->hierarchy->future = r->future;
    if (status == GPC_OK)
        status = r->timed && !r->warming ? gpci_timed_run(r->timed, &before, error) : gpci_replay_rounds(r, error);
    if (status == GPC_OK && r->sampling)
        status = gpci_blocks_rest(r, &before, error);
    r->hierarchy->future = NULL;
    gpci_dispatch_abandon(r);
    gpci_hierarchy_tell_policies(r->hierarchy, GPC_KERNEL_END);
    if (r->last_pc >= r->first_pc)
        gpci_launch_code(r->hierarchy, r->last_pc - r->first_pc + (k->binary_version >= 70 ? 16 : 8));
    gpci_replay_count(r);
    get_stats(r, &after);
    if (r->timed && status == GPC_OK)
        gpci_timed_last_sample(r->timed, &after);
    *stats = after;
    gpci_stats_subtract(stats, &before);
    if (status == GPC_OK && r->sampling)
        take_sample(r, stats);
    gpci_stats_add(&r->total, stats);
    return status;
}

/* A launch of a replay of which only a part is timed. */
static gpc_status run_sampled(gpc_replay *r, gpc_stats *stats, gpc_error *error) {
    bool timed = true;
    gpc_status status = gpci_sampling_check(r, error);
    if (status == GPC_OK && r->sampling->mode == GPCI_SAMPLE_KERNELS)
        status = gpci_launch_choose(r, &timed, error);
    if (status < 0)
        return status;
    r->skipping = !timed;
    if (timed || r->sampling->warming) {
        gpci_replay_warm(r, !timed);
        status = run_kernel(r, stats, error);
        gpci_replay_warm(r, false);
        return status;
    }
    gpci_sampling_note(r, stats, stats, stats);
    gpci_stats_add(&r->total, stats);
    return GPC_OK;
}

static gpc_status check_results(const gpc_kernel *kernel, const gpc_layout *layout, const void *stats,
                                gpc_error *error) {
    size_t given = SIZE_MAX;
    if (stats)
        memcpy(&given, stats, sizeof given);
    if ((kernel && kernel->struct_size <= sizeof(size_t)) || given <= sizeof(size_t))
        return gpci_fail(error, GPC_ERROR_ABI, "gpc_replay_kernel: struct_size of %s is not set",
                         kernel && kernel->struct_size <= sizeof(size_t) ? "gpc_kernel" : "gpc_stats");
    gpc_status status = stats ? gpci_layout_check(layout, GPC_TABLE_HIERARCHY) : GPC_OK;
    return status < 0 ? gpci_fail(error, status, "gpc_replay_kernel: the library does not know the layout of stats")
                      : GPC_OK;
}

gpc_status gpc_replay_kernel_as(gpc_replay *r, gpc_trace *trace, gpc_kernel *kernel, const gpc_layout *layout,
                                void *stats, gpc_error *error) {
    if (!r || !trace)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_kernel: %s is NULL", r ? "trace" : "replay");
    gpc_status status = check_results(kernel, layout, stats, error);
    if (status < 0)
        return status;
    r->kernel = (gpc_kernel)GPC_KERNEL_INIT;
    status = gpc_trace_next_kernel(trace, &r->kernel, error);
    if (status != GPC_OK)
        return status;
    gpci_replay_had(r, &r->kernel);
    r->trace = trace;
    gpci_replay_begin(r);
    gpc_stats own;
    gpc_stats_init(&own);
    status = r->sampling ? run_sampled(r, &own, error) : run_kernel(r, &own, error);
    r->trace = NULL;
    if (status == GPC_OK && kernel)
        gpci_give(kernel, &r->kernel, sizeof r->kernel);
    if (status == GPC_OK && stats)
        gpci_layout_give(layout, GPC_TABLE_HIERARCHY, &own, stats);
    return status;
}
