/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/mbarriers.h"

#include "replay/blocks/clusters.h"

static bool is_of(const gpci_mbarrier *b, const gpci_block_run *run) {
    return b->used && b->first == run->first && b->block == run->block->index;
}

/* Index of a barrier in its SM; GPCI_MBARRIERS: not present. `spare`: a free index. */
static uint32_t find(const gpci_timed_sm *m, const gpci_block_run *run, uint32_t number, uint32_t *spare) {
    *spare = GPCI_MBARRIERS;
    for (uint32_t n = 0; n < GPCI_MBARRIERS; n++) {
        const gpci_mbarrier *b = &m->barriers[n];
        if (b->number == number && is_of(b, run))
            return n;
        *spare = !b->used && *spare == GPCI_MBARRIERS ? n : *spare;
    }
    return GPCI_MBARRIERS;
}

uint32_t gpci_mbarrier_place(gpci_timed_sm *m, const gpci_block_run *run, uint32_t number) {
    uint32_t spare, at = find(m, run, number, &spare);
    if (at == GPCI_MBARRIERS && spare != GPCI_MBARRIERS) {
        at = spare;
        m->barriers[at] = (gpci_mbarrier){
            .number = (uint16_t)number, .first = (uint16_t)run->first, .block = run->block->index, .used = true};
        m->barriers_used++;
    }
    return at;
}

/* Free the place if no copy is pending and no count is known. */
static void settle_place(gpci_timed_sm *m, gpci_mbarrier *b) {
    if (b->pending || b->count)
        return;
    b->used = false;
    m->barriers_used--;
}

/* Let the block's waiting warps look again. */
static void tell_block(gpci_timed_replay *t, uint32_t number, const gpci_block_run *run, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        const uint32_t slot = run->first + w;
        if (m->warps[slot].run != run || gpci_warp_state(m, &m->warps[slot]) != GPC_STATE_WAITING)
            continue;
        m->answered[slot / 64] |= gpci_warp_bit(slot);
        m->any_answered = true;
    }
    if (m->any_answered)
        gpci_timed_wake(t->r->hierarchy, number, now);
}

/*
 * End the phase if it is complete. More arrivals than expected belong to an unrecorded phase: from then on the count is
 * unknown.
 */
static void settle(gpci_timed_sm *m, gpci_mbarrier *b) {
    if (b->count && b->left < 0)
        b->count = 0;
    if (!b->count || b->left || b->bytes)
        return;
    b->parity ^= 1;
    b->left = b->count;
    m->counts.mbarrier_phases++;
}

void gpci_mbarrier_send(gpci_timed_sm *m, uint32_t place) {
    m->barriers[place].pending++;
}

void gpci_mbarrier_copied(gpci_timed_replay *t, uint32_t number, uint32_t place, const gpci_block_run *run,
                          uint32_t bytes) {
    gpci_timed_sm *m = &t->sms[number];
    gpci_mbarrier *b = &m->barriers[place];
    b->pending--;
    b->bytes -= bytes;
    settle(m, b);
    settle_place(m, b);
    if (run)
        tell_block(t, number, run, gpci_timed_now(t->r->hierarchy));
}

void gpci_mbarrier_init(gpci_timed_sm *m, const gpci_block_run *run, const gpc_instruction *i) {
    const uint32_t number = gpci_barrier_of(i);
    uint32_t count = 0;
    if (number == UINT32_MAX)
        return;
    gpci_number_of_barrier(i, 0, &count);
    const uint32_t at = gpci_mbarrier_place(m, run, number);
    if (at == GPCI_MBARRIERS)
        return;
    gpci_mbarrier *b = &m->barriers[at];
    b->count = count;
    b->left = count;
    b->parity = 0;
    if (!b->pending)
        b->bytes = 0;
    settle_place(m, b);
}

/* Add arrivals and bytes to a barrier. `told`: false if the trace lacks the amounts. */
static void arrive(gpci_timed_replay *t, uint32_t number, const gpci_block_run *run,
                   const gpci_cluster_message *message, bool told, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    uint32_t spare;
    const uint32_t at = find(m, run, message->barrier, &spare);
    if (at == GPCI_MBARRIERS)
        return;
    gpci_mbarrier *b = &m->barriers[at];
    b->bytes += message->bytes;
    b->left -= message->arrivals;
    b->count = told ? b->count : 0;
    settle(m, b);
    settle_place(m, b);
    tell_block(t, number, run, now);
}

gpc_status gpci_mbarrier_arrive(gpci_timed_replay *t, uint32_t number, gpci_block_run *run, const gpc_instruction *i,
                                uint64_t now) {
    gpci_cluster_message message = {.due = now + t->latency_cluster, .barrier = gpci_barrier_of(i)};
    if (message.barrier == UINT32_MAX)
        return GPC_OK;
    const bool told = gpci_number_of_barrier(i, 0, &message.bytes) && gpci_number_of_barrier(i, 1, &message.arrivals);
    const uint32_t rank = message.arrivals >> 20;
    message.arrivals &= 0xfffff;
    t->sms[number].counts.mbarrier_arrivals += message.arrivals;
    gpci_block_run *target = rank && t->r->cluster_blocks > 1 ? gpci_cluster_member(t->r, run, rank - 1) : run;
    if (target == run) {
        arrive(t, number, run, &message, told, now + 1);
        return GPC_OK;
    }
    if (!target)
        return GPC_OK;
    message.sm = target->sm;
    message.block = target->block->index;
    return gpci_cluster_tell(t, &message);
}

static void expect_fewer(gpci_timed_replay *t, uint32_t number, const gpci_block_run *run, const gpc_instruction *i,
                         uint32_t bytes, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    uint32_t spare;
    const uint32_t at = find(m, run, gpci_barrier_of(i), &spare);
    if (at == GPCI_MBARRIERS)
        return;
    m->barriers[at].bytes -= bytes;
    settle(m, &m->barriers[at]);
    tell_block(t, number, run, now);
}

void gpci_mbarrier_outside(gpci_timed_replay *t, uint32_t number, gpci_block_run *run, const gpc_instruction *i,
                           uint64_t now) {
    uint32_t bytes, mask;
    if (!gpci_number_of_barrier(i, 0, &mask) || !gpci_number_of_barrier(i, 1, &bytes))
        return;
    if (!mask || t->r->cluster_blocks == 1) {
        expect_fewer(t, number, run, i, bytes, now + 1);
        return;
    }
    for (; mask; mask &= mask - 1) {
        const gpci_block_run *target = gpci_cluster_member(t->r, run, gpci_lowest(mask));
        if (target && target->live)
            expect_fewer(t, target->sm, target, i, bytes, now + 1);
    }
}

bool gpci_mbarrier_holds(const gpci_timed_sm *m, const gpci_block_run *run, const gpc_instruction *i, bool *told) {
    const uint32_t number = gpci_barrier_of(i);
    uint32_t parity, spare;
    *told = false;
    if (number == UINT32_MAX)
        return false;
    const uint32_t at = find(m, run, number, &spare);
    if (at == GPCI_MBARRIERS)
        return false;
    const gpci_mbarrier *b = &m->barriers[at];
    *told = b->count && gpci_number_of_barrier(i, 0, &parity);
    return *told ? b->parity == parity : b->pending != 0;
}

void gpci_mbarriers_drop(gpci_timed_sm *m, const gpci_block_run *run) {
    for (uint32_t n = 0; n < GPCI_MBARRIERS && m->barriers_used; n++) {
        gpci_mbarrier *b = &m->barriers[n];
        if (!is_of(b, run))
            continue;
        b->count = 0;
        settle_place(m, b);
    }
}

void gpci_cluster_messages_deliver(gpci_timed_replay *t, uint64_t now) {
    while (gpci_cluster_messages_next(t) <= now) {
        const gpci_cluster_message message = t->messages.each[t->messages.first++];
        gpci_block_run *run = gpci_run_of_block(t, message.sm, message.block);
        if (run && message.opens)
            gpci_barrier_cluster_opens(t, message.sm, run, now);
        else if (run)
            arrive(t, message.sm, run, &message, true, now + 1);
    }
    if (t->messages.first == t->messages.count)
        t->messages.first = t->messages.count = 0;
}
