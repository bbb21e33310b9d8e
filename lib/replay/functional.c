/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/internal.h"

/*
 * Functional replay: no clock. An SM's warps take turns, block after block, warp
 * after warp; a turn lasts through one memory instruction, or to a barrier.
 * Instructions between cost nothing and are only counted.
 */

static gpc_status access_memory(gpc_replay *r, uint32_t sm, const gpci_block_run *run, uint32_t age,
                                const gpci_warp_run *warp, const gpc_instruction *i, gpc_error *error) {
    gpc_warp_access access = {.struct_size = sizeof access,
                              .sm = sm,
                              .warp = warp->slot,
                              .warp_age = age,
                              .block = run->block->index,
                              .pc = i->pc,
                              .mask = i->mask,
                              .addresses = i->addresses,
                              .width = i->width,
                              .kind = i->kind,
                              .space = i->space,
                              .hint = i->hint,
                              .priority = i->priority};
    gpc_status status = gpc_hierarchy_access(r->hierarchy, &access, NULL);
    if (status < 0)
        gpci_fail(error, status, "%s: block %u, pc 0x%llx, %s: %s", r->kernel.file, run->block->index,
                  (unsigned long long)i->pc, gpc_trace_opcode(r->trace, i->opcode), gpc_status_string(status));
    return status;
}

static void tell_warp(gpc_replay *r, uint32_t sm, const gpci_block_run *run, const gpci_warp_run *warp,
                      gpc_warp_event_kind kind) {
    gpc_warp_event event = {.kind = kind,
                            .sm = sm,
                            .warp = warp->slot,
                            .block = run->block->index,
                            .kernel = r->hierarchy->kernel};
    gpc_hierarchy_warp_event(r->hierarchy, &event);
}

/* All live warps are at the barrier: they go on. */
static void release_barrier(gpci_block_run *run) {
    for (uint32_t w = 0; w < run->block->warp_count; w++)
        run->warps[w].at_barrier = false;
    run->at_barrier = 0;
}

static void end_warp(gpc_replay *r, uint32_t sm, gpci_block_run *run, gpci_warp_run *warp) {
    tell_warp(r, sm, run, warp, GPC_WARP_EXIT);
    run->live--;
    if (run->live && run->at_barrier == run->live)
        release_barrier(run);
}

/* A warp's turn. */
static gpc_status run_warp(gpc_replay *r, uint32_t sm, gpci_block_run *run, uint32_t age, gpci_warp_run *warp,
                           gpc_error *error) {
    while (warp->next < warp->end) {
        const gpc_instruction *i = warp->next++;
        if (i->pc < r->first_pc)
            r->first_pc = i->pc;
        if (i->pc > r->last_pc)
            r->last_pc = i->pc;
        if (i->op_class == GPC_OP_MEMORY && i->addresses && i->space <= GPC_SPACE_LOCAL) {
            gpc_status status = access_memory(r, sm, run, age, warp, i, error);
            if (status < 0)
                return status;
            r->instructions_told++;
            if (warp->next == warp->end)
                break;
            return GPC_OK;
        }
        r->instructions++;
        r->threads += gpci_popcount(i->mask);
        if (i->op_class == GPC_OP_BARRIER && i->mask && warp->next < warp->end) {
            tell_warp(r, sm, run, warp, GPC_WARP_BARRIER);
            warp->at_barrier = true;
            if (++run->at_barrier == run->live)
                release_barrier(run);
            return GPC_OK;
        }
    }
    end_warp(r, sm, run, warp);
    return GPC_OK;
}

/* The next warp of the block, from `turn` on, that can go on. The block has one: a full barrier opens. */
static uint32_t next_warp(const gpci_block_run *run) {
    for (uint32_t n = 0, w = run->turn; n < run->block->warp_count; n++) {
        if (run->warps[w].next < run->warps[w].end && !run->warps[w].at_barrier)
            return w;
        w = w + 1 < run->block->warp_count ? w + 1 : 0;
    }
    return run->block->warp_count;
}

/* A block's share of a round: one warp's turn; true in `round_done` when its last warp has had its own. */
static gpc_status run_block(gpc_replay *r, uint32_t sm, uint32_t place, bool *round_done, gpc_error *error) {
    gpci_block_run *run = r->sms[sm].resident[place];
    uint32_t warps = run->block->warp_count, w = next_warp(run);
    *round_done = true;
    if (w == warps)
        return GPC_OK;
    bool wrapped = w < run->turn;
    if (wrapped && !r->block_order) {
        run->turn = 0;
        return GPC_OK;
    }
    gpc_status status = run_warp(r, sm, run, place * warps + w, &run->warps[w], error);
    if (status < 0)
        return status;
    bool stays = r->block_order && run->warps[w].next < run->warps[w].end && !run->warps[w].at_barrier;
    run->turn = stays ? w : w + 1 < warps ? w + 1 : 0;
    *round_done = run->turn == 0;
    return GPC_OK;
}

gpc_status gpci_functional_turn(gpc_replay *r, uint32_t number, gpc_error *error) {
    gpci_sm_run *sm = &r->sms[number];
    if (!sm->residents)
        return GPC_OK;
    if (sm->turn >= sm->residents || r->block_order)
        sm->turn = 0;
    uint32_t place = sm->turn;
    gpci_block_run *run = sm->resident[place];
    bool round_done = true;
    gpc_status status = run->live ? run_block(r, number, place, &round_done, error) : GPC_OK;
    if (status < 0)
        return status;
    if (round_done)
        sm->turn = place + 1 < sm->residents ? place + 1 : 0;
    if (!run->live)
        gpci_dispatch_retire(r, number, run);
    return GPC_OK;
}
