/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/warp_ranks.h"
#include "level/rules/kernels.h"
#include "replay/blocks/copies.h"
#include "replay/blocks/mbarriers.h"
#include "replay/sm/fetch.h"

#include <string.h>

/* Start and end of blocks and warps on an SM. */

void gpci_warp_tell(const gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, gpc_warp_event_kind kind,
                    uint64_t now) {
    const gpci_timed_warp *warp = &timed_replay->sms[sm].warps[slot];
    gpc_warp_event event = {.kind = kind,
                            .sm = sm,
                            .warp = slot,
                            .block = warp->run->block->index,
                            .kernel = gpci_kernel_of(timed_replay->replay->hierarchy, warp->run->stream),
                            .cycle = now};
    gpc_hierarchy_warp_event(timed_replay->replay->hierarchy, &event, NULL);
}

void gpci_timed_place(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    uint64_t start = gpci_timed_now(timed_replay->replay->hierarchy) + 1;
    start += start > timed_replay->first_start ? timed_replay->block_latency : 0;
    start = start > timed_replay->first_start ? start : timed_replay->first_start;
    start = start > timed_replay->next_dispatch ? start : timed_replay->next_dispatch;
    timed_replay->next_dispatch = start + timed_replay->dispatch_interval;
    run->start = start > core->next_start ? start : core->next_start;
    core->next_start = run->start + timed_replay->block_interval;
    run->queued = NULL;
    gpci_barriers_begin(run);
    gpci_sm_await_start(core, run);
    gpci_timed_wake(timed_replay->replay->hierarchy, number, core->first_start->start);
}

void gpci_timed_start_as_one(gpci_timed_replay *timed_replay, gpci_block_run *const *blocks, uint32_t count) {
    uint64_t start = 0;
    for (uint32_t n = 0; n < count; n++)
        start = blocks[n]->start > start ? blocks[n]->start : start;
    for (uint32_t n = 0; n < count; n++) {
        gpci_timed_sm *core = &timed_replay->sms[blocks[n]->sm];
        blocks[n]->start = start;
        core->next_start = start + timed_replay->block_interval;
        gpci_timed_wake(timed_replay->replay->hierarchy, blocks[n]->sm, core->first_start->start);
    }
}

static void start_warp(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run, uint32_t index,
                       uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    const gpci_packed_warp *warp = &run->block->warps[index];
    uint32_t slot = run->first + index;
    gpci_timed_warp *timed_warp = &core->warps[slot];
    run->warps[index].slot = slot;
    run->warps[index].addresses = gpci_packed_begin(warp);
    timed_warp->next = warp->path->steps;
    timed_warp->end = warp->path->steps + warp->path->count;
    timed_warp->run = run;
    timed_warp->not_before = now;
    timed_warp->held = 0;
    if (GPCI_UNLIKELY(timed_replay->fetch))
        gpci_fetch(timed_replay, core, timed_warp, now);
    timed_warp->settled = 0;
    timed_warp->loads = timed_warp->others = 0;
    gpci_copies_start(&core->copies[slot]);
    timed_warp->starts++;
    timed_warp->age = (uint16_t)core->live++;
    timed_warp->planes = (uint8_t)warp->path->planes;
    gpci_scoreboard_start(gpci_board_of(core, slot), timed_warp->planes, now);
    gpci_scheduler_start(core->issuers[timed_warp->issuer].scheduler, timed_warp->place, run->block->index);
    gpci_warp_tell(timed_replay, number, slot, GPC_WARP_START, now);
    gpci_sm_look(timed_replay, core, slot, now, now);
}

void gpci_sm_start_blocks(gpci_timed_replay *timed_replay, uint32_t number, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    while (core->first_start && core->first_start->start <= now) {
        gpci_block_run *run = core->first_start;
        core->first_start = run->queued;
        run->queued = NULL;
        core->deeds->progress = now;
        for (uint32_t w = 0; w < run->block->warp_count; w++)
            start_warp(timed_replay, number, run, w, now);
        gpci_gauge_move(&core->warps_gauge, now, core->live);
        core->running_blocks++;
        gpci_gauge_move(&core->blocks_gauge, now, 1);
    }
}

/* End a block: append it to the SM's ended blocks. Its room becomes free after gpci_sm_hand_over. */
static void end_block(gpci_timed_sm *core, uint32_t number, gpci_block_run *run, uint64_t now) {
    if (GPCI_UNLIKELY(core->barriers_used))
        gpci_mbarriers_drop(core, run);
    if (!--core->running_blocks)
        gpci_gauge_move(&core->blocks_gauge, now + 1, 0);
    run->sm = number;
    run->queued = core->ended;
    core->ended = run;
    core->ended_at = now;
}

void gpci_warp_end(gpci_timed_replay *timed_replay, uint32_t number, uint32_t slot, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    gpci_timed_warp *warp = &core->warps[slot];
    gpci_block_run *run = warp->run;
    gpci_warp_tell(timed_replay, number, slot, GPC_WARP_EXIT, now);
    gpci_scheduler_end(core->issuers[warp->issuer].scheduler, warp->place);
    core->stirred |= 1u << warp->issuer;
    warp->run = NULL;
    for (uint32_t other = 0; other < timed_replay->slots; other++)
        if (core->warps[other].run)
            core->warps[other].age = gpci_rank_after(core->warps[other].age, warp->age);
    gpci_gauge_move(&core->warps_gauge, now + 1, --core->live);
    if (GPCI_UNLIKELY(timed_replay->keeps_blocks))
        run->writes += warp->others;
    if (--run->live)
        gpci_barrier_open(timed_replay, number, run, now);
    else if (!run->writes)
        end_block(core, number, run, now);
}

void gpci_warp_wrote(const gpci_timed_replay *timed_replay, uint32_t number, uint32_t slot, uint64_t now) {
    const gpci_sm_run *sm = &timed_replay->replay->sms[number];
    uint32_t at = 0;
    while (slot - sm->resident[at]->first >= sm->resident[at]->block->warp_count)
        at++;
    gpci_block_run *run = sm->resident[at];
    if (--run->writes || run->live)
        return;
    end_block(&timed_replay->sms[number], number, run, now);
    gpci_timed_wake(timed_replay->replay->hierarchy, number, now); /* the step calls gpci_sm_hand_over */
}

void gpci_sm_clear(gpci_timed_replay *timed_replay, uint32_t number) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    for (uint32_t slot = 0; slot < timed_replay->slots; slot++) {
        gpci_timed_warp *warp = &core->warps[slot];
        if (warp->run)
            gpci_scheduler_end(core->issuers[warp->issuer].scheduler, warp->place);
        warp->run = NULL;
        warp->listed = 0;
    }
    for (uint32_t n = 0; n < timed_replay->schedulers; n++) {
        gpci_issuer *issuer = &core->issuers[n];
        memset(issuer->wanting, 0, (size_t)GPCI_TIMED_UNITS * timed_replay->scheduler_words * sizeof *issuer->wanting);
        memset(issuer->free_at, 0, sizeof issuer->free_at);
        issuer->busy_until = 0;
        issuer->wanted = 0;
        issuer->next = GPCI_NEVER;
        issuer->class = GPCI_CYCLE_EMPTY;
        issuer->declined = false;
    }
    gpci_icaches_clear(timed_replay, core);
    memset(core->barriers, 0, GPCI_MBARRIERS * sizeof *core->barriers);
    core->barriers_used = core->turn = 0;
    memset(core->units, 0, timed_replay->unit_count * sizeof *core->units);
    memset(core->calendar, 0, (size_t)GPCI_CALENDAR * timed_replay->words * sizeof *core->calendar);
    memset(core->answered, 0, timed_replay->words * sizeof *core->answered);
    core->calendar_used = 0;
    core->stirred = 0;
    core->later = GPCI_NEVER;
    core->any_answered = core->refused = false;
    core->next_start = 0;
    core->first_start = core->last_start = core->ended = NULL;
    core->ended_at = 0;
    core->live = core->running_blocks = 0;
    gpci_gauge *gauges[] = {&core->warps_gauge, &core->blocks_gauge, &core->bypassing_gauge, &core->throttled_gauge};
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
        gpci_gauge_move(gauges[i], gauges[i]->since, 0);
}
