/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/timed_replay.h"

/* One instruction of a warp leaves the issue stage. */

/*
 * What a completion says of an access. Of a load, whose warp stays until it is done: its
 * instruction, and so the registers that it writes. Others may outlive their warp: they
 * say which of those that its slot has had it was, with an odd number, as no instruction's place is.
 */
static uint64_t token_of(const gpci_timed_warp *w, const gpc_instruction *i, bool holds) {
    return holds ? (uint64_t)(uintptr_t)i : (uint64_t)w->starts << 1 | 1;
}

static gpc_status send(gpci_timed_replay *t, uint32_t number, uint32_t slot, const gpc_instruction *i) {
    gpci_timed_sm *m = &t->sms[number];
    gpci_timed_warp *w = &m->warps[slot];
    const gpc_scheduler *scheduler = m->issuers[w->issuer].scheduler;
    bool holds = i->kind == GPC_LOAD || i->kind == GPC_ATOMIC;
    const gpci_opcode *opcode = gpci_replay_opcode(t->r, i);
    gpci_block_run *run = w->run;
    gpci_warp_run *warp = &run->warps[slot - run->slot * run->block->warp_count];
    uint64_t addresses[GPCI_MOST_LANES];
    gpci_address_cursor cursor = warp->addresses;
    gpci_packed_take(&cursor, gpci_popcount(i->mask), addresses);
    gpc_warp_access access = {.struct_size = sizeof access,
                              .sm = number,
                              .warp = slot,
                              .warp_age = w->age,
                              .block = run->block->index,
                              .pc = i->pc,
                              .mask = i->mask,
                              .addresses = addresses,
                              .width = i->width,
                              .kind = i->kind,
                              .space = i->space,
                              .hint = i->hint,
                              .priority = i->priority,
                              .scope = opcode->scope,
                              .order = opcode->order,
                              .token = (uint8_t)gpci_scheduler_token(scheduler, w->place, 1),
                              .token_l2 = (uint8_t)gpci_scheduler_token(scheduler, w->place, 2)};
    uint64_t *board = gpci_board_of(m, slot);
    uint32_t *in_flight = holds ? &w->loads : &w->others;
    if (holds)
        gpci_scoreboard_write(board, i, GPCI_NEVER);
    (*in_flight)++;
    m->deeds->in_flight++;
    gpc_busy busy = GPC_BUSY_NOT;
    gpc_status status = gpci_timed_issue(t->r->hierarchy, &access, token_of(w, i, holds), &busy);
    if (status == GPC_OK) {
        warp->addresses = cursor;
        m->deeds->told++;
        return GPC_OK;
    }
    if (holds)
        gpci_scoreboard_write(board, i, 0);
    (*in_flight)--;
    m->deeds->in_flight--;
    m->refused = true;
    m->busy = (uint8_t)busy;
    return status;
}

/* The hierarchy counts the accesses that it gets; everything else is counted here. */
static void count(gpci_timed_sm *m, const gpc_instruction *i) {
    uint32_t threads = gpci_popcount(i->mask);
    m->deeds->instructions++;
    m->deeds->threads += threads;
    m->counts.threads += threads;
}

/* A fence: the warp goes on once it is done. */
static GPCI_COLD gpc_status send_fence(gpci_timed_replay *t, uint32_t number, uint32_t slot, const gpc_instruction *i) {
    gpci_timed_sm *m = &t->sms[number];
    gpci_timed_warp *w = &m->warps[slot];
    gpc_busy busy = GPC_BUSY_NOT;
    gpc_fence fence = GPC_FENCE_INIT;
    gpci_replay_fence(t->r, i, number, slot, &fence);
    gpc_status status = gpci_timed_fence(t->r->hierarchy, &fence, token_of(w, i, false), &busy);
    if (status == GPC_OK) {
        w->fenced = true;
        m->deeds->in_flight++;
        count(m, i);
        return GPC_OK;
    }
    m->refused = true;
    m->busy = (uint8_t)busy;
    return status;
}

/* Results, the unit's next turn, and when the warp may go on. */
static void take_effect(gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, const gpc_instruction *i, uint64_t now) {
    gpci_timed_warp *w = &m->warps[slot];
    const gpci_op *op = gpci_op_of(t, i);
    w->not_before = now;
    if (!i->mask || op->unit == GPCI_UNIT_MEMORY)
        return;
    if (i->op_class >= GPC_OP_CONTROL && i->op_class <= GPC_OP_FENCE)
        w->not_before = now + t->latency_control;
    gpci_scoreboard_write(gpci_board_of(m, slot), i, now + op->latency);
    if (op->unit == GPCI_UNIT_SHARED)
        for (uint32_t n = 0; n < t->schedulers; n++)
            m->issuers[n].free_at[GPCI_UNIT_SHARED] = now + op->interval;
    else if (op->unit != GPCI_UNIT_NONE)
        m->issuers[w->issuer].free_at[op->unit] = now + op->interval;
}

gpc_status gpci_sm_issue(gpci_timed_replay *t, uint32_t number, uint32_t slot, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    gpci_sm_deeds *deeds = m->deeds;
    gpci_timed_warp *w = &m->warps[slot];
    gpci_issuer *s = &m->issuers[w->issuer];
    const gpc_instruction *i = *w->next;
    if (w->unit == GPCI_UNIT_MEMORY) {
        gpc_status status =
            GPCI_LIKELY(i->op_class == GPC_OP_MEMORY) ? send(t, number, slot, i) : send_fence(t, number, slot, i);
        if (status != GPC_OK)
            return status;
    } else {
        s->wanting[w->unit * t->scheduler_words + w->place / 64] &= ~gpci_warp_bit(w->place);
        count(m, i);
    }
    gpci_scheduler_issued(s->scheduler, w->place, now);
    deeds->first_pc = i->pc < deeds->first_pc ? i->pc : deeds->first_pc;
    deeds->last_pc = i->pc > deeds->last_pc ? i->pc : deeds->last_pc;
    deeds->progress = now;
    m->counts.instructions++;
    if (t->classed)
        m->counts.by_bypassing += gpci_scheduler_class(s->scheduler, w->place) == GPC_CLASS_BYPASS;
    if (GPCI_UNLIKELY(!--deeds->left))
        t->stopped = true;
    w->next++;
    take_effect(t, m, slot, i, now);
    if (i->op_class == GPC_OP_BARRIER && i->mask && w->next < w->end)
        gpci_warp_barrier(t, number, slot, now);
    else if (w->next == w->end)
        gpci_warp_end(t, number, slot, now);
    else
        gpci_sm_look(t, m, slot, now, now + 1);
    return GPC_OK;
}
