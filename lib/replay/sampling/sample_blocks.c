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

void gpci_blocks_begin(gpc_replay *r) {
    gpci_sampling *s = r->sampling;
    double *rates = s->blocks.rates;
    memset(&s->blocks, 0, sizeof s->blocks);
    s->blocks.rates = rates;
    s->blocks.wave = (uint64_t)r->block_sms * r->room;
    s->blocks.on = s->mode != GPCI_SAMPLE_KERNELS;
    gpc_stats_init(&s->blocks.rest);
    s->blocks.cycle = gpci_timed_now(r->hierarchy);
}

/* True if the rates of the last windows are alike. With intervals: true if enough windows have passed. */
static bool has_settled(gpci_sampling *s, double rate) {
    if (s->mode == GPCI_SAMPLE_INTERVALS)
        return ++s->blocks.settling >= s->settle;
    s->blocks.rates[s->blocks.settling++ % s->windows] = rate;
    if (s->blocks.settling <= s->windows) /* the first window differs and does not count */
        return false;
    double least = rate, most = rate;
    for (uint64_t n = 0; n < s->windows; n++) {
        double other = s->blocks.rates[n];
        least = other < least ? other : least;
        most = other > most ? other : most;
    }
    return most - least <= s->tolerance * most;
}

/* Full waves of unread blocks. */
static uint64_t waves_left(const gpc_replay *r) {
    uint64_t rest = r->kernel.block_count > r->blocks_read ? r->kernel.block_count - r->blocks_read : 0;
    return rest / r->sampling->blocks.wave;
}

/*
 * Waves to skip: for a settled launch all; for intervals up to `skip`, but enough waves stay for a measured unit and
 * the end.
 */
static uint64_t waves_to_skip(const gpc_replay *r) {
    const gpci_sampling *s = r->sampling;
    uint64_t waves = waves_left(r), kept = s->settle + s->unit + 2;
    if (s->mode == GPCI_SAMPLE_BLOCKS)
        return waves;
    waves = waves > kept ? waves - kept : 0;
    return waves < s->skip ? waves : s->skip;
}

/*
 * Stop measuring and skip the blocks not begun, if a wave or more is left. With sample = blocks, run the end of the
 * launch first.
 */
static void stop(gpc_replay *r, const gpc_stats *now) {
    gpci_sampling *s = r->sampling;
    s->blocks.on = false;
    s->blocks.skipped = waves_to_skip(r) * s->blocks.wave;
    s->blocks.before = *now;
    if (!s->blocks.skipped)
        return;
    s->blocks.open = true;
    r->blocks_last = r->blocks_read;
    if (s->mode == GPCI_SAMPLE_BLOCKS)
        r->blocks_last += r->kernel.block_count - r->blocks_read - s->blocks.skipped;
}

static void add_between(gpc_stats *into, const gpc_stats *from, const gpc_stats *to) {
    gpc_stats between = *to;
    gpci_stats_subtract(&between, from);
    gpci_stats_add(into, &between);
}

/* A measured window, or the last window before measuring, has ended. */
static void measure(gpc_replay *r, uint64_t now) {
    gpci_sampling *s = r->sampling;
    gpc_stats stats;
    gpci_timed_stats_at(r->timed, now, &stats);
    if (!s->blocks.settled) {
        if (s->blocks.open)
            add_between(&s->blocks.rest, &s->blocks.before, &stats);
        s->blocks.open = false;
        s->blocks.settled = true;
        s->blocks.before = stats;
        s->blocks.measured = 0;
        return;
    }
    bool unit_ends = ++s->blocks.measured % s->unit == 0;
    if (!unit_ends)
        return;
    gpc_stats window = stats;
    gpci_stats_subtract(&window, &s->blocks.before);
    gpci_units_add(&s->blocks.units, &window, (double)(s->warming ? window.warp_instructions : window.blocks));
    s->blocks.before = stats;
    if (s->mode == GPCI_SAMPLE_INTERVALS || s->blocks.measured == s->windows)
        stop(r, &stats);
}

static void begin_window(gpc_replay *r, uint64_t now) {
    gpci_sampling *s = r->sampling;
    s->blocks.begun = r->blocks;
    s->blocks.instructions = r->instructions + r->instructions_told;
    s->blocks.cycle = now;
}

void gpci_blocks_ended(gpc_replay *r, uint64_t now) {
    gpci_sampling *s = r->sampling;
    if (!s->blocks.on || r->ended || r->blocks - s->blocks.begun < s->blocks.wave)
        return;
    uint64_t instructions = r->instructions + r->instructions_told - s->blocks.instructions;
    double rate = (double)(now - s->blocks.cycle) / (double)(instructions ? instructions : 1);
    begin_window(r, now);
    if (s->blocks.settled || has_settled(s, rate))
        measure(r, now);
}

uint64_t gpci_blocks_left(const gpc_replay *r) {
    bool stopped = r->blocks_last != UINT64_MAX && r->blocks_read == r->blocks_last;
    return stopped ? r->sampling->blocks.skipped : 0;
}

/* Run a number of blocks without the clock; the cycle stays. */
static gpc_status warm(gpc_replay *r, uint64_t blocks, gpc_error *error) {
    gpci_sampling *s = r->sampling;
    uint64_t before = r->instructions_told, begun = r->blocks;
    bool vote = r->policies_vote;
    gpci_replay_warm(r, true);
    r->policies_vote = r->ended = false;
    r->blocks_last = r->blocks_read + blocks;
    gpc_status status = gpci_replay_rounds(r, error);
    gpci_replay_count(r);
    gpci_replay_warm(r, false);
    r->policies_vote = vote;
    s->blocks.warmed += r->instructions_told - before;
    s->blocks.warmed_blocks += r->blocks - begun;
    return status;
}

/* Run with the clock until the next interval's windows are measured, or the launch ends. */
static gpc_status resume(gpc_replay *r, gpc_error *error) {
    gpci_sampling *s = r->sampling;
    s->blocks.on = true;
    s->blocks.settled = r->ended = false;
    s->blocks.settling = s->blocks.skipped = 0;
    r->blocks_last = UINT64_MAX;
    begin_window(r, gpci_timed_now(r->hierarchy));
    gpci_timed_begin(r->timed);
    return gpci_timed_run(r->timed, error);
}

gpc_status gpci_blocks_rest(gpc_replay *r, gpc_error *error) {
    gpci_sampling *s = r->sampling;
    gpc_status status = GPC_OK;
    if (!s->warming)
        return GPC_OK;
    while (status == GPC_OK && gpci_blocks_left(r)) {
        gpci_replay_count(r);
        if (s->mode == GPCI_SAMPLE_BLOCKS)
            gpci_replay_stats(r, &s->blocks.before); /* count the end of the launch by itself */
        status = warm(r, s->blocks.skipped, error);
        if (status == GPC_OK && s->mode == GPCI_SAMPLE_INTERVALS)
            status = resume(r, error);
        else
            break;
    }
    if (status == GPC_BUSY) /* paused; a later call returns here */
        return status;
    gpc_stats now;
    gpci_replay_count(r);
    gpci_replay_stats(r, &now);
    if (s->blocks.open)
        add_between(&s->blocks.rest, &s->blocks.before, &now);
    return status;
}
