/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/mbarriers.h"
#include "base/check.h"

#include "replay/blocks/clusters.h"

static bool is_of(const gpci_mbarrier *mbarrier, const gpci_block_run *run) {
    return mbarrier->used && mbarrier->first == run->first && mbarrier->block == run->block->index;
}

/* Index of a block's barrier in core->barriers; GPCI_MBARRIERS: not found. `spare` receives a free index. */
static uint32_t find(const gpci_timed_sm *core, const gpci_block_run *run, uint32_t number, uint32_t *spare) {
    *spare = GPCI_MBARRIERS;
    for (uint32_t n = 0; n < GPCI_MBARRIERS; n++) {
        const gpci_mbarrier *mbarrier = &core->barriers[n];
        if (mbarrier->number == number && is_of(mbarrier, run))
            return n;
        *spare = !mbarrier->used && *spare == GPCI_MBARRIERS ? n : *spare;
    }
    return GPCI_MBARRIERS;
}

uint32_t gpci_mbarrier_place(gpci_timed_sm *core, const gpci_block_run *run, uint32_t number) {
    uint32_t spare, at = find(core, run, number, &spare);
    if (at == GPCI_MBARRIERS && spare != GPCI_MBARRIERS) {
        at = spare;
        core->barriers[at] = (gpci_mbarrier){
            .number = (uint16_t)number, .first = (uint16_t)run->first, .block = run->block->index, .used = true};
        core->barriers_used++;
    }
    return at;
}

/* Free the place of a barrier, if no copy is in flight, and the number of arrivals is unknown. */
static void settle_place(gpci_timed_sm *core, gpci_mbarrier *mbarrier) {
    if (mbarrier->pending || mbarrier->count)
        return;
    mbarrier->used = false;
    core->barriers_used--;
}

/* Let the block's waiting warps check again if they can issue. */
static void tell_block(gpci_timed_replay *timed_replay, uint32_t number, const gpci_block_run *run, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        const uint32_t slot = run->first + w;
        if (core->warps[slot].run != run || gpci_warp_state(core, &core->warps[slot]) != GPC_STATE_WAITING)
            continue;
        core->answered[slot / 64] |= gpci_warp_bit(slot);
        core->any_answered = true;
    }
    if (core->any_answered)
        gpci_timed_wake(timed_replay->replay->hierarchy, number, now);
}

/*
 * End the phase if the phase is complete. If more threads arrive than expected, the trace lacks a phase: set the number
 * of arrivals to unknown (count 0).
 */
static void settle(gpci_timed_sm *core, gpci_mbarrier *mbarrier) {
    if (mbarrier->count && mbarrier->left < 0)
        mbarrier->count = 0;
    if (!mbarrier->count || mbarrier->left || mbarrier->bytes)
        return;
    mbarrier->parity ^= 1;
    mbarrier->left = mbarrier->count;
    core->counts.mbarrier_phases++;
    GPCI_AGAIN(core->again.mbarrier_phases++);
}

void gpci_mbarrier_send(gpci_timed_sm *core, uint32_t place) {
    core->barriers[place].pending++;
}

void gpci_mbarrier_copied(gpci_timed_replay *timed_replay, uint32_t number, uint32_t place, const gpci_block_run *run,
                          uint32_t bytes) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    gpci_mbarrier *mbarrier = &core->barriers[place];
    mbarrier->pending--;
    mbarrier->bytes -= bytes;
    settle(core, mbarrier);
    settle_place(core, mbarrier);
    if (run)
        tell_block(timed_replay, number, run, gpci_timed_now(timed_replay->replay->hierarchy));
}

void gpci_mbarrier_init(gpci_timed_sm *core, const gpci_block_run *run, const gpc_instruction *instruction) {
    const uint32_t number = gpci_barrier_of(instruction);
    uint32_t count = 0;
    if (number == UINT32_MAX)
        return;
    gpci_number_of_barrier(instruction, 0, &count);
    const uint32_t at = gpci_mbarrier_place(core, run, number);
    if (at == GPCI_MBARRIERS)
        return;
    gpci_mbarrier *mbarrier = &core->barriers[at];
    mbarrier->count = count;
    mbarrier->left = count;
    mbarrier->parity = 0;
    if (!mbarrier->pending)
        mbarrier->bytes = 0;
    settle_place(core, mbarrier);
}

/* Apply the arrivals and expected bytes of `message` to a barrier. `told`: false if the trace lacks the numbers. */
static void arrive(gpci_timed_replay *timed_replay, uint32_t number, const gpci_block_run *run,
                   const gpci_cluster_message *message, bool told, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    uint32_t spare;
    const uint32_t at = find(core, run, message->barrier, &spare);
    if (at == GPCI_MBARRIERS)
        return;
    gpci_mbarrier *mbarrier = &core->barriers[at];
    mbarrier->bytes += message->bytes;
    mbarrier->left -= message->arrivals;
    mbarrier->count = told ? mbarrier->count : 0;
    settle(core, mbarrier);
    settle_place(core, mbarrier);
    tell_block(timed_replay, number, run, now);
}

gpc_status gpci_mbarrier_arrive(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run,
                                const gpc_instruction *instruction, uint64_t now) {
    gpci_cluster_message message = {.due = now + timed_replay->latency_cluster,
                                    .barrier = gpci_barrier_of(instruction)};
    if (message.barrier == UINT32_MAX)
        return GPC_OK;
    const bool told = gpci_number_of_barrier(instruction, 0, &message.bytes) &&
                      gpci_number_of_barrier(instruction, 1, &message.arrivals);
    const uint32_t rank = message.arrivals >> 20;
    GPCI_AGAIN(timed_replay->sms[number].again.mbarrier_arrivals += message.arrivals - (rank << 20));
    message.arrivals &= 0xfffff;
    timed_replay->sms[number].counts.mbarrier_arrivals += message.arrivals;
    gpci_block_run *target = rank && timed_replay->replay->cluster_blocks > 1
                                 ? gpci_cluster_member(timed_replay->replay, run, rank - 1)
                                 : run;
    if (target == run) {
        arrive(timed_replay, number, run, &message, told, now + 1);
        return GPC_OK;
    }
    if (!target)
        return GPC_OK;
    message.sm = target->sm;
    message.block = target->block->index;
    return gpci_cluster_tell(timed_replay, &message);
}

static void expect_fewer(gpci_timed_replay *timed_replay, uint32_t number, const gpci_block_run *run,
                         const gpc_instruction *instruction, uint32_t bytes, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    uint32_t spare;
    const uint32_t at = find(core, run, gpci_barrier_of(instruction), &spare);
    if (at == GPCI_MBARRIERS)
        return;
    core->barriers[at].bytes -= bytes;
    settle(core, &core->barriers[at]);
    tell_block(timed_replay, number, run, now);
}

void gpci_mbarrier_outside(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run,
                           const gpc_instruction *instruction, uint64_t now) {
    uint32_t bytes, mask;
    if (!gpci_number_of_barrier(instruction, 0, &mask) || !gpci_number_of_barrier(instruction, 1, &bytes))
        return;
    if (!mask || timed_replay->replay->cluster_blocks == 1) {
        expect_fewer(timed_replay, number, run, instruction, bytes, now + 1);
        return;
    }
    for (; mask; mask &= mask - 1) {
        const gpci_block_run *target = gpci_cluster_member(timed_replay->replay, run, gpci_lowest(mask));
        if (target && target->live)
            expect_fewer(timed_replay, target->sm, target, instruction, bytes, now + 1);
    }
}

bool gpci_mbarrier_holds(const gpci_timed_sm *core, const gpci_block_run *run, const gpc_instruction *instruction,
                         bool *told) {
    const uint32_t number = gpci_barrier_of(instruction);
    uint32_t parity, spare;
    *told = false;
    if (number == UINT32_MAX)
        return false;
    const uint32_t at = find(core, run, number, &spare);
    if (at == GPCI_MBARRIERS)
        return false;
    const gpci_mbarrier *mbarrier = &core->barriers[at];
    *told = mbarrier->count && gpci_number_of_barrier(instruction, 0, &parity);
    return *told ? mbarrier->parity == parity : mbarrier->pending != 0;
}

void gpci_mbarriers_drop(gpci_timed_sm *core, const gpci_block_run *run) {
    for (uint32_t n = 0; n < GPCI_MBARRIERS && core->barriers_used; n++) {
        gpci_mbarrier *mbarrier = &core->barriers[n];
        if (!is_of(mbarrier, run))
            continue;
        mbarrier->count = 0;
        settle_place(core, mbarrier);
    }
}

void gpci_cluster_messages_deliver(gpci_timed_replay *timed_replay, uint64_t now) {
    while (gpci_cluster_messages_next(timed_replay) <= now) {
        const gpci_cluster_message message = timed_replay->messages.each[timed_replay->messages.first++];
        gpci_block_run *run = gpci_run_of_block(timed_replay, message.sm, message.block);
        if (run && message.opens)
            gpci_barrier_cluster_opens(timed_replay, message.sm, run, now);
        else if (run)
            arrive(timed_replay, message.sm, run, &message, true, now + 1);
    }
    if (timed_replay->messages.first == timed_replay->messages.count)
        timed_replay->messages.first = timed_replay->messages.count = 0;
}
