/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"
#include "replay/sampling/sampling.h"

#include <string.h>

/*
 * Sampling within a launch (sample = blocks, intervals). A window ends when as many blocks have ended as the SMs hold
 * together; a window therefore covers a full round even if SMs run their blocks in step. The first window, in which the
 * SMs start, never counts.
 *
 * Example, 5 windows: windows 2 to 6 are alike, so the rate has settled; windows 7 to 11 are measured. Of the blocks
 * not started then, all full waves are skipped; the partial wave runs, and the launch ends as it would without
 * sampling.
 *
 * Intervals repeat: windows in which pipelines and queues fill, measured windows (together a unit of the sample), and
 * waves without the clock. Work outside the measured windows (blocks under way at the end of a unit, the first windows
 * after skipped waves) is not in the sample; the sample stands for its instructions too.
 */

void gpci_blocks_begin(gpc_replay *replay) {
    gpci_sampling *sampling = replay->sampling;
    double *rates = sampling->blocks.rates;
    memset(&sampling->blocks, 0, sizeof sampling->blocks);
    sampling->blocks.rates = rates;
    sampling->blocks.wave = (uint64_t)replay->block_sms * replay->occupancy;
    sampling->blocks.on = sampling->mode != GPCI_SAMPLE_KERNELS;
    gpci_stats_init(&sampling->blocks.rest);
    sampling->blocks.cycle = gpci_timed_now(replay->hierarchy);
}

/* True if the rates of the last windows are alike. With intervals: true if enough windows have passed. */
static bool has_settled(gpci_sampling *sampling, double rate) {
    if (sampling->mode == GPCI_SAMPLE_INTERVALS)
        return ++sampling->blocks.settling >= sampling->settle;
    sampling->blocks.rates[sampling->blocks.settling++ % sampling->windows] = rate;
    if (sampling->blocks.settling <= sampling->windows) /* the first window differs and does not count */
        return false;
    double least = rate, most = rate;
    for (uint64_t n = 0; n < sampling->windows; n++) {
        double other = sampling->blocks.rates[n];
        least = other < least ? other : least;
        most = other > most ? other : most;
    }
    return most - least <= sampling->tolerance * most;
}

/* Full waves of unread blocks. */
static uint64_t waves_left(const gpc_replay *replay) {
    uint64_t rest =
        replay->kernel.block_count > replay->blocks_read ? replay->kernel.block_count - replay->blocks_read : 0;
    return rest / replay->sampling->blocks.wave;
}

/*
 * Waves to skip: for a settled launch all; for intervals up to `skip`, but enough waves stay for a measured unit and
 * the end.
 */
static uint64_t waves_to_skip(const gpc_replay *replay) {
    const gpci_sampling *sampling = replay->sampling;
    uint64_t waves = waves_left(replay), kept = sampling->settle + sampling->unit + 2;
    if (sampling->mode == GPCI_SAMPLE_BLOCKS)
        return waves;
    waves = waves > kept ? waves - kept : 0;
    return waves < sampling->skip ? waves : sampling->skip;
}

/*
 * Stop measuring and skip the blocks not begun, if a wave or more is left. With sample = blocks, run the end of the
 * launch first.
 */
static void stop(gpc_replay *replay, const gpc_stats *now) {
    gpci_sampling *sampling = replay->sampling;
    sampling->blocks.on = false;
    sampling->blocks.skipped = waves_to_skip(replay) * sampling->blocks.wave;
    sampling->blocks.before = *now;
    if (!sampling->blocks.skipped)
        return;
    sampling->blocks.open = true;
    replay->blocks_last = replay->blocks_read;
    if (sampling->mode == GPCI_SAMPLE_BLOCKS)
        replay->blocks_last += replay->kernel.block_count - replay->blocks_read - sampling->blocks.skipped;
}

static void add_between(gpc_stats *into, const gpc_stats *from, const gpc_stats *stats) {
    gpc_stats between = *stats;
    gpci_stats_subtract(&between, from);
    gpci_stats_add(into, &between);
}

/* A measured window, or the last window before measuring, has ended. */
static void measure(gpc_replay *replay, uint64_t now) {
    gpci_sampling *sampling = replay->sampling;
    gpc_stats stats;
    gpci_timed_stats_at(replay->timed, now, &stats);
    if (!sampling->blocks.settled) {
        if (sampling->blocks.open)
            add_between(&sampling->blocks.rest, &sampling->blocks.before, &stats);
        sampling->blocks.open = false;
        sampling->blocks.settled = true;
        sampling->blocks.before = stats;
        sampling->blocks.measured = 0;
        return;
    }
    bool unit_ends = ++sampling->blocks.measured % sampling->unit == 0;
    if (!unit_ends)
        return;
    gpc_stats window = stats;
    gpci_stats_subtract(&window, &sampling->blocks.before);
    gpci_units_add(&sampling->blocks.units, &window,
                   (double)(sampling->warming ? window.warp_instructions : window.blocks));
    sampling->blocks.before = stats;
    if (sampling->mode == GPCI_SAMPLE_INTERVALS || sampling->blocks.measured == sampling->windows)
        stop(replay, &stats);
}

static void begin_window(gpc_replay *replay, uint64_t now) {
    gpci_sampling *sampling = replay->sampling;
    sampling->blocks.begun = replay->blocks;
    sampling->blocks.instructions = replay->instructions + replay->instructions_told;
    sampling->blocks.cycle = now;
}

void gpci_blocks_ended(gpc_replay *replay, uint64_t now) {
    gpci_sampling *sampling = replay->sampling;
    if (!sampling->blocks.on || replay->ended || replay->blocks - sampling->blocks.begun < sampling->blocks.wave)
        return;
    uint64_t instructions = replay->instructions + replay->instructions_told - sampling->blocks.instructions;
    double rate = (double)(now - sampling->blocks.cycle) / (double)(instructions ? instructions : 1);
    begin_window(replay, now);
    if (sampling->blocks.settled || has_settled(sampling, rate))
        measure(replay, now);
}

uint64_t gpci_blocks_left(const gpc_replay *replay) {
    return replay->blocks_read == replay->blocks_last ? replay->sampling->blocks.skipped : 0;
}

/* Run a number of blocks without the clock; the cycle stays. */
static gpc_status warm(gpc_replay *replay, uint64_t blocks, gpc_error *error) {
    gpci_sampling *sampling = replay->sampling;
    uint64_t before = replay->instructions_told, begun = replay->blocks;
    bool vote = replay->policies_vote;
    gpci_replay_warm(replay, true);
    replay->policies_vote = replay->ended = false;
    replay->blocks_last = replay->blocks_read + blocks;
    gpc_status status = gpci_replay_rounds(replay, error);
    gpci_replay_count(replay);
    gpci_replay_warm(replay, false);
    replay->policies_vote = vote;
    sampling->blocks.warmed += replay->instructions_told - before;
    sampling->blocks.warmed_blocks += replay->blocks - begun;
    return status;
}

/* Run with the clock until the next interval's windows are measured, or the launch ends. */
static gpc_status resume(gpc_replay *replay, gpc_error *error) {
    gpci_sampling *sampling = replay->sampling;
    sampling->blocks.on = true;
    sampling->blocks.settled = replay->ended = false;
    sampling->blocks.settling = sampling->blocks.skipped = 0;
    replay->blocks_last = UINT64_MAX;
    begin_window(replay, gpci_timed_now(replay->hierarchy));
    gpci_timed_begin(replay->timed);
    return gpci_timed_run(replay->timed, error);
}

gpc_status gpci_blocks_rest(gpc_replay *replay, gpc_error *error) {
    gpci_sampling *sampling = replay->sampling;
    gpc_status status = GPC_OK;
    if (!sampling->warming)
        return GPC_OK;
    while (status == GPC_OK && gpci_blocks_left(replay)) {
        gpci_replay_count(replay);
        if (sampling->mode == GPCI_SAMPLE_BLOCKS)
            gpci_replay_stats(replay, &sampling->blocks.before); /* count the end of the launch by itself */
        status = warm(replay, sampling->blocks.skipped, error);
        if (status == GPC_OK && sampling->mode == GPCI_SAMPLE_INTERVALS)
            status = resume(replay, error);
        else
            break;
    }
    if (status == GPC_BUSY) /* paused; a later call returns here */
        return status;
    gpc_stats now;
    gpci_replay_count(replay);
    gpci_replay_stats(replay, &now);
    if (sampling->blocks.open)
        add_between(&sampling->blocks.rest, &sampling->blocks.before, &now);
    return status;
}
