/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "replay/blocks/mbarriers.h"
#include "replay/blocks/parked.h"
#include "replay/sm/icache.h"
#include "scheduler/scheduler_archive.h"

/* SMs of a timed replay in a snapshot. Positions of warps in the trace are saved with the blocks (parked.h). */

static bool is_live(const gpci_timed_sm *core, uint32_t slot) {
    return gpci_warp_state(core, &core->warps[slot]) != GPC_STATE_ABSENT;
}

/* Save or load the warps of an SM. Between kernels, only the number of warps that each slot has had. */
static void archive_warps(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, bool in_kernel,
                          gpci_archive *archive) {
    const size_t behind = offsetof(gpci_timed_warp, not_before); /* first field after the pointers */
    for (uint32_t slot = 0; slot < timed_replay->slots; slot++) {
        gpci_timed_warp *warp = &core->warps[slot];
        if (!in_kernel) {
            GPCI_ARCHIVE_FIELD(archive, warp->starts);
            continue;
        }
        gpci_archive_bytes(archive, (char *)warp + behind, sizeof *warp - behind);
        if (!is_live(core, slot)) /* a slot without a warp: the start of the next warp clears the scoreboard */
            continue;
        for (uint32_t plane = 0; plane < GPCI_BOARD_PLANES; plane++)
            if (warp->planes >> plane & 1)
                gpci_archive_bytes(archive, gpci_board_of(core, slot).entries + plane * GPCI_BOARD_STRIDE,
                                   GPCI_BOARD_ENTRIES * sizeof *core->boards);
        GPCI_ARCHIVE_FIELD(archive, core->epochs[slot]);
        GPCI_ARCHIVE_FIELD(archive, core->copies[slot]);
    }
}

static void archive_sm(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, bool in_kernel,
                       gpci_archive *archive) {
    const size_t of_issuer = offsetof(gpci_issuer, next), gauges = offsetof(gpci_timed_sm, warps_gauge);
    for (uint32_t n = 0; n < timed_replay->schedulers; n++) {
        gpci_issuer *issuer = &core->issuers[n];
        gpci_archive_bytes(archive, (char *)issuer + of_issuer, sizeof *issuer - of_issuer); /* fields after pointers */
        gpci_archive_bytes(archive, issuer->wanting,
                           (size_t)GPCI_TIMED_UNITS * timed_replay->scheduler_words * sizeof *issuer->wanting);
        gpci_scheduler_archive(issuer->scheduler, archive);
    }
    archive_warps(timed_replay, core, in_kernel, archive);
    if (in_kernel)
        gpci_archive_bytes(archive, core->barriers, GPCI_MBARRIERS * sizeof *core->barriers);
    gpci_archive_bytes(archive, core->calendar, (size_t)GPCI_CALENDAR * timed_replay->words * sizeof *core->calendar);
    gpci_archive_bytes(archive, core->units, timed_replay->unit_count * sizeof *core->units);
    gpci_icaches_archive(timed_replay, core, archive);
    gpci_archive_bytes(archive, core->answered, timed_replay->words * sizeof *core->answered);
    GPCI_ARCHIVE_FIELD(archive, core->calendar_used), GPCI_ARCHIVE_FIELD(archive, core->next_start);
    gpci_archive_bytes(archive, (char *)core + gauges, sizeof *core - gauges); /* the fields after the pointers */
}

void gpci_timed_archive_sms(gpci_timed_replay *timed_replay, bool in_kernel, gpci_archive *archive) {
    const gpc_replay *replay = timed_replay->replay;
    GPCI_ARCHIVE_FIELD(archive, timed_replay->cycles), GPCI_ARCHIVE_FIELD(archive, timed_replay->launched),
        GPCI_ARCHIVE_FIELD(archive, timed_replay->first_start),
        GPCI_ARCHIVE_FIELD(archive, timed_replay->next_dispatch), GPCI_ARCHIVE_FIELD(archive, timed_replay->progress),
        GPCI_ARCHIVE_FIELD(archive, timed_replay->counted);
    GPCI_ARCHIVE_FIELD(archive, timed_replay->left), GPCI_ARCHIVE_FIELD(archive, timed_replay->next_vote),
        GPCI_ARCHIVE_FIELD(archive, timed_replay->voted);
    GPCI_ARCHIVE_FIELD(archive, timed_replay->in_flight), GPCI_ARCHIVE_FIELD(archive, timed_replay->ahead),
        GPCI_ARCHIVE_FIELD(archive, timed_replay->next_sample),
        GPCI_ARCHIVE_FIELD(archive, timed_replay->sample_interval), GPCI_ARCHIVE_FIELD(archive, timed_replay->sampled);
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        archive_sm(timed_replay, &timed_replay->sms[sm], in_kernel, archive);
    if (in_kernel)
        gpci_cluster_messages_archive(timed_replay, archive);
    if (timed_replay->sampler.seen)
        gpci_archive_bytes(archive, timed_replay->sampler.seen,
                           ((size_t)replay->sm_count * timed_replay->sampler.by_sm + timed_replay->sampler.rest) *
                               sizeof *timed_replay->sampler.seen);
}

uint64_t gpci_timed_step_of(const gpci_timed_replay *timed_replay, const gpci_block_run *run, uint32_t sm,
                            uint32_t warp) {
    const gpci_timed_warp *timed_warp = &timed_replay->sms[sm].warps[run->warps[warp].slot];
    const gpci_path *path = run->block->warps[warp].path;
    return timed_warp->run == run ? (uint64_t)(timed_warp->next - path->steps) : path->count;
}

void gpci_timed_return(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run,
                       const gpci_parked_warp *warps) {
    gpci_timed_sm *core = &timed_replay->sms[sm];
    if (!warps) {
        gpci_barriers_begin(run);
        gpci_sm_await_start(core, run);
    }
    for (uint32_t n = 0; n < run->block->warp_count && warps; n++) {
        const gpci_warp_run *warp = &run->warps[n];
        gpci_timed_warp *timed_warp = &core->warps[warp->slot];
        if (warp->next == warp->end)
            continue; /* the warp has ended; another warp may have the slot */
        timed_warp->run = run;
        timed_warp->next = warp->next;
        timed_warp->end = warp->end;
    }
}
