/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "base/check.h"

#include "replay/blocks/mbarriers.h"
#include "replay/core/sm_tokens.h"

#include <string.h>

static uint32_t *of_group(gpci_copy_groups *groups, uint32_t number) {
    return &groups->under_way[number % GPCI_COPY_GROUPS];
}

static uint32_t closed(const gpci_copy_groups *groups) {
    return groups->open - groups->oldest;
}

/* Advance groups->oldest past completed groups. */
static void advance(gpci_copy_groups *groups) {
    while (groups->oldest != groups->open && !*of_group(groups, groups->oldest))
        groups->oldest++;
}

void gpci_copies_start(gpci_copy_groups *groups) {
    if (groups->used)
        memset(groups, 0, sizeof *groups);
}

uint64_t gpci_copies_place(const gpci_copy_groups *groups) {
    return 1 + groups->open % GPCI_COPY_GROUPS;
}

void gpci_copies_send(gpci_copy_groups *groups) {
    groups->used = true;
    ++*of_group(groups, groups->open);
}

void gpci_copies_done(gpci_copy_groups *groups, uint64_t place) {
    groups->under_way[place - 1]--;
    advance(groups);
}

void gpci_copies_commit(gpci_timed_sm *core, gpci_copy_groups *groups) {
    groups->used = true;
    groups->open++;
    advance(groups);
    core->counts.copy_groups++;
}

uint64_t gpci_bulk_place(gpci_timed_sm *core, uint32_t slot, const gpci_block_run *run,
                         const gpc_instruction *instruction) {
    const uint32_t barrier = gpci_barrier_of(instruction);
    if (barrier == UINT32_MAX)
        return gpci_copies_place(&core->copies[slot]);
    const uint32_t at = gpci_mbarrier_place(core, run, barrier);
    return at == GPCI_MBARRIERS ? 0 : GPCI_COPY_GROUPS + 1 + at;
}

void gpci_bulk_send(gpci_timed_sm *core, uint32_t slot, uint64_t place) {
    if (place <= GPCI_COPY_GROUPS) {
        gpci_copies_send(&core->copies[slot]);
        return;
    }
    core->copies[slot].used = true;
    core->copies[slot].bulk++;
    gpci_mbarrier_send(core, (uint32_t)place - GPCI_COPY_GROUPS - 1);
}

_Static_assert(GPCI_COPY_GROUPS + GPCI_MBARRIERS <= GPCI_TOKEN_PLACES, "a token has any place");

void gpci_bulk_done(gpci_timed_replay *timed_replay, const gpc_completion *completion, uint32_t place) {
    const gpci_timed_sm *core = &timed_replay->sms[completion->sm];
    if (place <= GPCI_COPY_GROUPS) {
        gpci_copies_done(&core->copies[completion->warp], place);
        return;
    }
    core->copies[completion->warp].bulk--;
    gpci_mbarrier_copied(timed_replay, completion->sm, place - GPCI_COPY_GROUPS - 1, core->warps[completion->warp].run,
                         gpci_token_bytes(completion->token));
}

void gpci_multicast_done(gpci_timed_replay *timed_replay, const gpc_completion *completion) {
    gpci_mbarrier_copied(timed_replay, completion->sm, gpci_token_place(completion->token) - GPCI_COPY_GROUPS - 1,
                         gpci_run_of_block(timed_replay, completion->sm, gpci_token_number(completion->token)),
                         gpci_token_bytes(completion->token));
}

gpc_status gpci_copies_issued(gpci_timed_replay *timed_replay, uint32_t number, uint32_t slot, const gpci_form *form,
                              uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    gpci_block_run *run = core->warps[slot].run;
    const gpc_instruction *instruction = &form->instruction;
    bool told;
    switch (form->operands.copy) {
    case GPC_COPY_COMMIT:
        gpci_copies_commit(core, &core->copies[slot]);
        GPCI_AGAIN(core->again.copy_groups++);
        break;
    case GPC_COPY_BULK:
        gpci_mbarrier_outside(timed_replay, number, run, instruction, now);
        break;
    case GPC_COPY_BARRIER:
        gpci_mbarrier_holds(core, run, instruction, &told);
        core->counts.mbarrier_checks++;
        core->counts.mbarrier_untold += !told;
        GPCI_AGAIN(core->again.mbarrier_checks++);
        GPCI_AGAIN(core->again.mbarrier_untold_checks += told ? 0 : 1);
        break;
    case GPC_COPY_BARRIER_INIT:
        gpci_mbarrier_init(core, run, instruction);
        break;
    case GPC_COPY_BARRIER_ARRIVE:
        return gpci_mbarrier_arrive(timed_replay, number, run, instruction, now);
    }
    return GPC_OK;
}

static bool holds(const gpci_copy_groups *groups, const gpci_form *next) {
    if (next->operands.copy == GPC_COPY_COMMIT)
        return closed(groups) >= GPCI_COPY_GROUPS - 1;
    return closed(groups) > next->instruction.width;
}

/* Count the end of a wait. If the copies completed before the warp could issue, the warp has not waited. */
static void count_wait(gpci_timed_sm *core, gpci_copy_groups *groups, uint64_t now) {
    const uint64_t from = groups->since - 1;
    core->counts.copy_waits += now > from;
    core->counts.copy_wait_cycles += now > from ? now - from : 0;
    GPCI_AGAIN(core->again.copy_waits += groups->since <= now);
    GPCI_AGAIN(core->again.copy_wait_cycles += groups->since <= now ? now + 1 - groups->since : 0);
    groups->since = 0;
}

bool gpci_copies_hold(gpci_timed_sm *core, uint32_t slot, const gpci_form *next, uint64_t now, uint64_t first) {
    gpci_copy_groups *groups = &core->copies[slot];
    const uint8_t copy = next->operands.copy;
    bool told;
    if (!next->instruction.mask || copy == GPC_COPY_BULK || copy > GPC_COPY_BARRIER)
        return false;
    const bool held = copy == GPC_COPY_BARRIER
                          ? gpci_mbarrier_holds(core, core->warps[slot].run, &next->instruction, &told)
                          : holds(groups, next);
    if (held && !groups->since)
        groups->since = first + 1;
    else if (!held && groups->since)
        count_wait(core, groups, now);
    return held;
}
