/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"
#include "replay/sampling/sampling.h"

#include <string.h>

/*
 * Sampling within a launch (sample = blocks, intervals). A wave is the number of blocks that all SMs hold together. A
 * window is the time in which a wave of blocks ends. Therefore a window contains all phases of a block, even if all SMs
 * run their blocks in the same phase. The first window, in which the SMs start, is never measured.
 *
 * Example, sample = blocks, sample.windows = 5: windows 2 to 6 have similar rates, so the rate has settled; windows 7
 * to 11 are measured. Of the blocks that have not started then, all full waves are skipped. The remaining blocks run,
 * so that the launch ends as without sampling.
 *
 * With sample = intervals, three steps repeat: windows in which pipelines and queues fill (sample.settle), measured
 * windows that form a unit of the sample (sample.unit), and waves without the clock (sample.skip). The sample also
 * stands for all work outside the measured windows, such as blocks under way at the end of a unit.
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

/* True if the last sample.windows windows have similar rates. With sample = intervals: after sample.settle windows. */
static bool has_settled(gpci_sampling *sampling, double rate) {
    if (sampling->mode == GPCI_SAMPLE_INTERVALS)
        return ++sampling->blocks.settling >= sampling->settle;
    sampling->blocks.rates[sampling->blocks.settling++ % sampling->windows] = rate;
    if (sampling->blocks.settling <= sampling->windows) /* the first window, in which the SMs start, does not count */
        return false;
    double least = rate, most = rate;
    for (uint64_t n = 0; n < sampling->windows; n++) {
        double other = sampling->blocks.rates[n];
        least = other < least ? other : least;
        most = other > most ? other : most;
    }
    return most - least <= sampling->tolerance * most;
}

/* Number of full waves of blocks that have not been read. */
static uint64_t waves_left(const gpc_replay *replay) {
    uint64_t rest =
        replay->kernel.block_count > replay->blocks_read ? replay->kernel.block_count - replay->blocks_read : 0;
    return rest / replay->sampling->blocks.wave;
}

/*
 * Number of waves to skip. With sample = blocks, all full waves. With sample = intervals, up to sample.skip, but enough
 * waves remain for another measured unit and the end of the launch.
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
 * Stop measuring. If waves can be skipped, stop reading blocks (blocks_last): at once, or, with sample = blocks, after
 * the blocks that do not fill a wave.
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

/* Handle the end of a measured window, or of the last window before measuring. */
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

/* Run `blocks` blocks without the clock. The cycle does not change. */
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

/* Run with the clock until the next unit is measured, or the launch ends. */
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
            gpci_replay_stats(replay, &sampling->blocks.before); /* the timed end of the launch is not in `rest` */
        status = warm(replay, sampling->blocks.skipped, error);
        if (status == GPC_OK && sampling->mode == GPCI_SAMPLE_INTERVALS)
            status = resume(replay, error);
        else
            break;
    }
    if (status == GPC_BUSY) /* paused: a later call continues */
        return status;
    gpc_stats now;
    gpci_replay_count(replay);
    gpci_replay_stats(replay, &now);
    if (sampling->blocks.open)
        add_between(&sampling->blocks.rest, &sampling->blocks.before, &now);
    return status;
}
