/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/warp_ranks.h"
#include "level/rules/kernels.h"
#include "replay/blocks/copies.h"
#include "replay/blocks/mbarriers.h"
#include "replay/sm/fetch.h"

#include <string.h>

/* Start and end of blocks and warps on an SM. */

void gpci_warp_tell(const gpci_timed_replay *t, uint32_t sm, uint32_t slot, gpc_warp_event_kind kind, uint64_t now) {
    const gpci_timed_warp *w = &t->sms[sm].warps[slot];
    gpc_warp_event event = {.kind = kind,
                            .sm = sm,
                            .warp = slot,
                            .block = w->run->block->index,
                            .kernel = gpci_kernel_of(t->r->hierarchy, w->run->stream),
                            .cycle = now};
    gpc_hierarchy_warp_event(t->r->hierarchy, &event);
}

void gpci_timed_place(gpci_timed_replay *t, uint32_t number, gpci_block_run *run) {
    gpci_timed_sm *m = &t->sms[number];
    uint64_t start = gpci_timed_now(t->r->hierarchy) + 1;
    start = start > t->first_start ? start : t->first_start;
    start = start > t->next_dispatch ? start : t->next_dispatch;
    t->next_dispatch = start + t->dispatch_interval;
    run->start = start > m->next_start ? start : m->next_start;
    m->next_start = run->start + t->block_interval;
    run->queued = NULL;
    gpci_barriers_begin(run);
    gpci_sm_await_start(m, run);
    gpci_timed_wake(t->r->hierarchy, number, m->first_start->start);
}

void gpci_timed_start_as_one(gpci_timed_replay *t, gpci_block_run *const *blocks, uint32_t count) {
    uint64_t start = 0;
    for (uint32_t n = 0; n < count; n++)
        start = blocks[n]->start > start ? blocks[n]->start : start;
    for (uint32_t n = 0; n < count; n++) {
        gpci_timed_sm *m = &t->sms[blocks[n]->sm];
        blocks[n]->start = start;
        m->next_start = start + t->block_interval;
        gpci_timed_wake(t->r->hierarchy, blocks[n]->sm, m->first_start->start);
    }
}

static void start_warp(gpci_timed_replay *t, uint32_t number, gpci_block_run *run, uint32_t index, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    const gpci_packed_warp *warp = &run->block->warps[index];
    uint32_t slot = run->first + index;
    gpci_timed_warp *w = &m->warps[slot];
    run->warps[index].slot = slot;
    run->warps[index].addresses = gpci_packed_begin(warp);
    w->next = warp->path->steps;
    w->end = warp->path->steps + warp->path->count;
    w->run = run;
    w->not_before = now;
    w->held = 0;
    if (GPCI_UNLIKELY(t->fetch))
        gpci_fetch(t, m, w, now);
    w->settled = 0;
    w->loads = w->others = 0;
    gpci_copies_start(&m->copies[slot]);
    w->starts++;
    w->age = (uint16_t)m->live++;
    w->planes = (uint8_t)warp->path->planes;
    gpci_scoreboard_start(gpci_board_of(m, slot), w->planes, now);
    gpci_scheduler_start(m->issuers[w->issuer].scheduler, w->place, run->block->index);
    gpci_warp_tell(t, number, slot, GPC_WARP_START, now);
    gpci_sm_look(t, m, slot, now, now);
}

void gpci_sm_start_blocks(gpci_timed_replay *t, uint32_t number, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    while (m->first_start && m->first_start->start <= now) {
        gpci_block_run *run = m->first_start;
        m->first_start = run->queued;
        run->queued = NULL;
        m->deeds->progress = now;
        for (uint32_t w = 0; w < run->block->warp_count; w++)
            start_warp(t, number, run, w, now);
        gpci_gauge_set(&m->warps_gauge, now, m->live);
        m->running_blocks++;
        gpci_gauge_set(&m->blocks_gauge, now, 1);
    }
}

/* End a block; its room becomes free. */
static void end_block(gpci_timed_sm *m, uint32_t number, gpci_block_run *run, uint64_t now) {
    if (GPCI_UNLIKELY(m->barriers_used))
        gpci_mbarriers_drop(m, run);
    if (!--m->running_blocks)
        gpci_gauge_set(&m->blocks_gauge, now + 1, 0);
    run->sm = number;
    run->queued = m->ended;
    m->ended = run;
    m->ended_at = now;
}

void gpci_warp_end(gpci_timed_replay *t, uint32_t number, uint32_t slot, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    gpci_timed_warp *w = &m->warps[slot];
    gpci_block_run *run = w->run;
    gpci_warp_tell(t, number, slot, GPC_WARP_EXIT, now);
    gpci_scheduler_end(m->issuers[w->issuer].scheduler, w->place);
    m->stirred |= 1u << w->issuer;
    w->run = NULL;
    for (uint32_t other = 0; other < t->slots; other++)
        if (m->warps[other].run)
            m->warps[other].age = gpci_rank_after(m->warps[other].age, w->age);
    gpci_gauge_set(&m->warps_gauge, now + 1, --m->live);
    if (GPCI_UNLIKELY(t->keeps_blocks))
        run->writes += w->others;
    if (--run->live)
        gpci_barrier_open(t, number, run, now);
    else if (!run->writes)
        end_block(m, number, run, now);
}

void gpci_warp_wrote(const gpci_timed_replay *t, uint32_t number, uint32_t slot, uint64_t now) {
    const gpci_sm_run *sm = &t->r->sms[number];
    uint32_t at = 0;
    while (slot - sm->resident[at]->first >= sm->resident[at]->block->warp_count)
        at++;
    gpci_block_run *run = sm->resident[at];
    if (--run->writes || run->live)
        return;
    end_block(&t->sms[number], number, run, now);
    gpci_timed_wake(t->r->hierarchy, number, now); /* hands the block over */
}

void gpci_sm_clear(gpci_timed_replay *t, uint32_t number) {
    gpci_timed_sm *m = &t->sms[number];
    for (uint32_t slot = 0; slot < t->slots; slot++) {
        gpci_timed_warp *w = &m->warps[slot];
        if (w->run)
            gpci_scheduler_end(m->issuers[w->issuer].scheduler, w->place);
        w->run = NULL;
        w->listed = 0;
    }
    for (uint32_t n = 0; n < t->schedulers; n++) {
        gpci_issuer *s = &m->issuers[n];
        memset(s->wanting, 0, (size_t)GPCI_TIMED_UNITS * t->scheduler_words * sizeof *s->wanting);
        memset(s->free_at, 0, sizeof s->free_at);
        s->busy_until = 0;
        s->wanted = 0;
        s->next = GPCI_NEVER;
        s->class = GPCI_CYCLE_EMPTY;
        s->declined = false;
    }
    gpci_icaches_clear(t, m);
    memset(m->barriers, 0, GPCI_MBARRIERS * sizeof *m->barriers);
    m->barriers_used = 0;
    memset(m->units, 0, t->unit_count * sizeof *m->units);
    memset(m->calendar, 0, (size_t)GPCI_CALENDAR * t->words * sizeof *m->calendar);
    memset(m->answered, 0, t->words * sizeof *m->answered);
    m->calendar_used = 0;
    m->stirred = 0;
    m->later = GPCI_NEVER;
    m->any_answered = m->refused = false;
    m->next_start = 0;
    m->first_start = m->last_start = m->ended = NULL;
    m->ended_at = 0;
    m->live = m->running_blocks = 0;
    m->warps_gauge.level = m->blocks_gauge.level = 0;
    m->bypassing_gauge.level = m->throttled_gauge.level = 0;
}
