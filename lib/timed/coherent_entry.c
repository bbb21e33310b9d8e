/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

/*
 * MSHR entries of a coherent slice (l2.mshr_entries). A request that has the slice ask memory has one from its lookup
 * until its answer is sent, or until it is refused; what only waits for a block has none. The tags are in order: where
 * none is free the request waits, and the requests behind it do too. All else goes past them.
 *
 * Nothing can lock up. What waits here holds nothing of its slice yet, at most a block of a cluster; what has passed
 * waits for blocks of the slice or of its memory, which those have who have passed or need not, and for probes,
 * write-backs and answers, none of which waits here or for a cluster's block. So those with entries come to their end
 * whatever waits behind them, with one entry as with many.
 */

static bool is_request(const gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    if (stage->level != 2 || gpci_at(t, packet)->flags & GPCI_PACKET_REFUSED)
        return false;
    const gpci_step *s = gpci_step_of(t, packet);
    return s->kind <= GPC_MESSAGE_WRITE_REQUEST && gpci_is_slice(t->h->coherent, s->to);
}

static bool lacks(const gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    return gpci_step_of(t, packet)->below && stage->mshr.used[0] >= stage->options->entries;
}

void gpci_play_find_below(const gpci_timed *t, gpci_exchange *e) {
    const gpci_coherent *c = t->h->coherent;
    for (uint32_t i = 1; c->l2 && i < e->count; i++) {
        const gpci_step *asked = &e->steps[i];
        if (asked->kind > GPC_MESSAGE_WRITE_REQUEST || !gpci_is_memory(c, asked->to))
            continue;
        uint64_t line = gpci_l2_line(t, asked->address);
        for (uint32_t j = i; j-- > 0;) {
            gpci_step *s = &e->steps[j];
            s->below |=
                s->kind <= GPC_MESSAGE_WRITE_REQUEST && s->to == asked->from && gpci_l2_line(t, s->address) == line;
        }
    }
}

bool gpci_play_hold_up(gpci_timed *t, gpci_stage *stage, gpci_queue *queue) {
    uint32_t packet = queue->first;
    if (!is_request(t, stage, packet) || (!stage->returned.count && !lacks(t, stage, packet)))
        return false;
    gpci_queue_pop(queue, &t->pool, t->wheel.now);
    if (!stage->returned.count)
        gpci_stage_block(stage, &stage->held[0], t->wheel.now, GPC_BUSY_MSHR);
    gpci_see_held(t, stage, gpci_at(t, packet), &stage->held[0], (gpc_busy)stage->held[0].reason);
    gpci_queue_push(&stage->returned, &t->pool, t->wheel.now, packet);
    return true;
}

bool gpci_play_is_held(gpci_timed *t, gpci_stage *stage) {
    if (!lacks(t, stage, stage->returned.first)) {
        gpci_see_held(t, stage, gpci_at(t, stage->returned.first), &stage->held[0], GPC_BUSY_NOT);
        gpci_stage_unblock(stage, &stage->held[0], t->wheel.now);
        return false;
    }
    gpci_stage_block(stage, &stage->held[0], t->wheel.now, GPC_BUSY_MSHR);
    gpci_see_held(t, stage, gpci_at(t, stage->returned.first), &stage->held[0], GPC_BUSY_MSHR);
    return true;
}

void gpci_play_take_entry(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    gpci_step *s = gpci_step_of(t, packet);
    if (!s->below || s->entry || !is_request(t, stage, packet))
        return;
    s->entry = true;
    gpci_see(t, GPC_WHAT_MSHR_ALLOCATE, stage, gpci_at(t, packet), 0);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, ++stage->mshr.used[0]);
}

void gpci_play_give_entry(gpci_timed *t, gpci_step *s) {
    if (!s->entry)
        return;
    gpci_stage *stage = gpci_play_stage(t, s->to, s->address);
    s->entry = false;
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, --stage->mshr.used[0]);
    if (stage->returned.count)
        gpci_wake(t, stage->component, t->wheel.now);
}
