/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "replay/blocks/mbarriers.h"
#include "replay/blocks/parked.h"
#include "replay/sm/icache.h"
#include "scheduler/scheduler_archive.h"

/* SMs of a timed replay in a snapshot. Pointers into the trace are stored with the blocks (parked.h). */

static bool is_live(const gpci_timed_sm *m, uint32_t slot) {
    return gpci_warp_state(m, &m->warps[slot]) != GPC_STATE_ABSENT;
}

/* Save or load the warps of an SM. Between kernels only the number of warps each slot has had. */
static void archive_warps(const gpci_timed_replay *t, gpci_timed_sm *m, bool in_kernel, gpci_archive *a) {
    const size_t behind = offsetof(gpci_timed_warp, not_before); /* skip its pointers */
    for (uint32_t slot = 0; slot < t->slots; slot++) {
        gpci_timed_warp *w = &m->warps[slot];
        if (!in_kernel) {
            GPCI_ARCHIVE_FIELD(a, w->starts);
            continue;
        }
        gpci_archive_bytes(a, (char *)w + behind, sizeof *w - behind);
        if (!is_live(m, slot)) /* a warp's start clears its scoreboard */
            continue;
        for (uint32_t plane = 0; plane < GPCI_BOARD_PLANES; plane++)
            if (w->planes >> plane & 1)
                gpci_archive_bytes(a, gpci_board_of(m, slot).entries + plane * GPCI_BOARD_STRIDE,
                                   GPCI_BOARD_ENTRIES * sizeof *m->boards);
        GPCI_ARCHIVE_FIELD(a, m->epochs[slot]);
        GPCI_ARCHIVE_FIELD(a, m->copies[slot]);
    }
}

static void archive_sm(const gpci_timed_replay *t, gpci_timed_sm *m, bool in_kernel, gpci_archive *a) {
    const size_t of_issuer = offsetof(gpci_issuer, next), gauges = offsetof(gpci_timed_sm, warps_gauge);
    for (uint32_t n = 0; n < t->schedulers; n++) {
        gpci_issuer *issuer = &m->issuers[n];
        gpci_archive_bytes(a, (char *)issuer + of_issuer, sizeof *issuer - of_issuer); /* without its pointers */
        gpci_archive_bytes(a, issuer->wanting, (size_t)GPCI_TIMED_UNITS * t->scheduler_words * sizeof *issuer->wanting);
        gpci_scheduler_archive(issuer->scheduler, a);
    }
    archive_warps(t, m, in_kernel, a);
    if (in_kernel)
        gpci_archive_bytes(a, m->barriers, GPCI_MBARRIERS * sizeof *m->barriers);
    gpci_archive_bytes(a, m->calendar, (size_t)GPCI_CALENDAR * t->words * sizeof *m->calendar);
    gpci_archive_bytes(a, m->units, t->unit_count * sizeof *m->units);
    gpci_icaches_archive(t, m, a);
    gpci_archive_bytes(a, m->answered, t->words * sizeof *m->answered);
    GPCI_ARCHIVE_FIELD(a, m->calendar_used), GPCI_ARCHIVE_FIELD(a, m->next_start);
    gpci_archive_bytes(a, (char *)m + gauges, sizeof *m - gauges); /* without its pointers */
}

void gpci_timed_archive_sms(gpci_timed_replay *t, bool in_kernel, gpci_archive *a) {
    const gpc_replay *r = t->r;
    GPCI_ARCHIVE_FIELD(a, t->cycles), GPCI_ARCHIVE_FIELD(a, t->launched), GPCI_ARCHIVE_FIELD(a, t->first_start),
        GPCI_ARCHIVE_FIELD(a, t->next_dispatch), GPCI_ARCHIVE_FIELD(a, t->progress), GPCI_ARCHIVE_FIELD(a, t->counted);
    GPCI_ARCHIVE_FIELD(a, t->left), GPCI_ARCHIVE_FIELD(a, t->next_vote), GPCI_ARCHIVE_FIELD(a, t->voted);
    GPCI_ARCHIVE_FIELD(a, t->in_flight), GPCI_ARCHIVE_FIELD(a, t->ahead), GPCI_ARCHIVE_FIELD(a, t->next_sample),
        GPCI_ARCHIVE_FIELD(a, t->sample_interval), GPCI_ARCHIVE_FIELD(a, t->sampled);
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        archive_sm(t, &t->sms[sm], in_kernel, a);
    if (in_kernel)
        gpci_cluster_messages_archive(t, a);
    if (t->sampler.seen)
        gpci_archive_bytes(a, t->sampler.seen,
                           ((size_t)r->sm_count * t->sampler.by_sm + t->sampler.rest) * sizeof *t->sampler.seen);
}

uint64_t gpci_timed_step_of(const gpci_timed_replay *t, const gpci_block_run *run, uint32_t sm, uint32_t warp) {
    const gpci_timed_warp *w = &t->sms[sm].warps[run->warps[warp].slot];
    const gpci_path *path = run->block->warps[warp].path;
    return w->run == run ? (uint64_t)(w->next - path->steps) : path->count;
}

void gpci_timed_return(gpci_timed_replay *t, uint32_t sm, gpci_block_run *run, const gpci_parked_warp *warps) {
    gpci_timed_sm *m = &t->sms[sm];
    if (!warps) {
        gpci_barriers_begin(run);
        gpci_sm_await_start(m, run);
    }
    for (uint32_t n = 0; n < run->block->warp_count && warps; n++) {
        const gpci_warp_run *warp = &run->warps[n];
        gpci_timed_warp *w = &m->warps[warp->slot];
        if (warp->next == warp->end)
            continue; /* ended, and its slot may be free */
        w->run = run;
        w->next = warp->next;
        w->end = warp->end;
    }
}
