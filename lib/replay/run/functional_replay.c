/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "functional/round_lanes.h"
#include "level/access/fence.h"
#include "level/access/local_memory.h"
#include "level/rules/kernels.h"
#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"
#include "replay/blocks/clusters.h"
#include "replay/sm/together.h"

/*
 * Functional replay, without a clock. The warps of an SM take turns, block after block, warp after warp. In a turn a
 * warp advances through one memory instruction, or to a barrier. Other instructions take no time and are only counted.
 *
 * A round gives every SM a turn. First every SM advances to its memory instruction; no cache changes. Then the accesses
 * are performed in random order, drawn anew for each round. In a fixed order one SM would always come before its
 * neighbour, and the first SM that touches a shared line decides what L2 fetches.
 */

/* Prefetch distance: the CPU loads the data of a turn this many turns ahead. */
#define TURNS_AHEAD 16u
#define MOST_AUTOMATIC 8u /* most threads of threads = auto: a part of each turn runs on a single thread */

static void tell_warp(gpc_replay *replay, uint32_t sm, const gpci_block_run *run, const gpci_warp_run *warp,
                      gpc_warp_event_kind kind) {
    gpc_warp_event event = {.kind = kind,
                            .sm = sm,
                            .warp = warp->slot,
                            .block = run->block->index,
                            .kernel = gpci_kernel_of(replay->hierarchy, run->stream)};
    if (!replay->learning)
        gpc_hierarchy_warp_event(replay->hierarchy, &event, NULL);
}

/* Let the warps of a block continue after a barrier. With warps.order = block, the first warp continues first. */
static void release_barrier(const gpc_replay *replay, gpci_block_run *run) {
    for (uint32_t w = 0; w < run->block->warp_count; w++)
        run->warps[w].at_barrier = false;
    run->at_barrier = 0;
    run->next_warp = replay->block_order ? 0 : run->next_warp;
}

static void reach_barrier(gpc_replay *replay, uint32_t sm, gpci_block_run *run, gpci_warp_run *warp) {
    tell_warp(replay, sm, run, warp, GPC_WARP_BARRIER);
    warp->at_barrier = true;
    if (++run->at_barrier == run->live)
        release_barrier(replay, run);
}

static void end_warp(gpc_replay *replay, uint32_t sm, gpci_block_run *run, const gpci_warp_run *warp) {
    tell_warp(replay, sm, run, warp, GPC_WARP_EXIT);
    run->live--;
    if (run->live && run->at_barrier == run->live)
        release_barrier(replay, run);
}

/* True if a fence changes L1: the fence is then the access of a turn. Otherwise count the fence; no turn is needed. */
static GPCI_COLD bool takes_turn(const gpc_replay *replay, uint32_t sm, const gpci_block_run *run,
                                 const gpc_instruction *instruction) {
    gpc_fence fence;
    if (replay->learning || !gpci_replay_fence(replay, run, instruction, 0, 0, &fence))
        return false;
    if (gpci_fence_acts(replay->hierarchy, &fence))
        return true;
    gpci_count_fence(replay->hierarchy, sm);
    GPCI_AGAIN(replay->hierarchy->of_sm[sm].again.fences++);
    return false;
}

/*
 * Advance the warp through its next memory instruction, and return the instruction. NULL: the warp came to a barrier or
 * to its end before.
 */
static const gpci_path_step *go_on(gpc_replay *replay, uint32_t sm, gpci_block_run *run, gpci_warp_run *warp) {
    const gpci_path_step *next = warp->next, *found = NULL;
    uint64_t first = replay->first_pc, last = replay->last_pc, threads = 0;
    bool barrier = false;
    for (; next < warp->end && !found && !barrier; next++) {
        const gpc_instruction *instruction = &next->form->instruction;
        first = instruction->pc < first ? instruction->pc : first;
        last = instruction->pc > last ? instruction->pc : last;
        if (instruction->addresses) {
            found = next;
        } else {
            threads += gpci_path_lanes(next);
            barrier = instruction->op_class == GPC_OP_BARRIER && instruction->mask;
            if (GPCI_UNLIKELY(instruction->op_class == GPC_OP_FENCE) && takes_turn(replay, sm, run, instruction))
                found = next;
        }
    }
    /* the hierarchy counts instructions with accesses; the other instructions are counted here */
    const bool access = found && found->form->instruction.op_class != GPC_OP_FENCE;
    uint64_t passed = (uint64_t)(next - warp->next) - access;
    replay->first_pc = first;
    replay->last_pc = last;
    replay->sms[sm].threads += threads;
    replay->sms[sm].instructions += passed;
    replay->instructions += passed;
    if (replay->policies_vote) {
        replay->samples[sm].active_cycles++;
        replay->samples[sm].instructions += passed + access;
    }
    warp->next = next;
    if (barrier)
        reach_barrier(replay, sm, run, warp);
    else if (!found)
        end_warp(replay, sm, run, warp);
    return found;
}

/* Number of the block's first warp, from `warp` on, that can continue; warp_count: no such warp. */
static uint32_t ready_warp(const gpci_block_run *run, uint32_t warp) {
    const gpci_warp_run *warps = run->warps;
    while (warp < run->block->warp_count && (warps[warp].next == warps[warp].end || warps[warp].at_barrier))
        warp++;
    return warp;
}

/*
 * Choose the warp for the next turn on an SM with blocks. A warp can always continue: when the last live warp arrives
 * at a barrier, the barrier opens.
 */
static void choose_warp(const gpc_replay *replay, gpci_sm_run *sm, uint32_t *place, uint32_t *warp) {
    for (;;) {
        if (replay->block_order || sm->next_block >= sm->residents)
            sm->next_block = 0;
        gpci_block_run *run = sm->resident[sm->next_block];
        uint32_t found = ready_warp(run, run->next_warp);
        *place = sm->next_block;
        *warp = found;
        if (found < run->block->warp_count) {
            run->next_warp = replay->block_order ? found : found + 1;
            return;
        }
        run->next_warp = 0;
        sm->next_block++;
    }
}

/* Advance an SM to the memory instruction of its turn. False: the turn has no memory instruction. */
static bool begin_turn(gpc_replay *replay, uint32_t number, gpci_turn *turn) {
    gpci_sm_run *sm = &replay->sms[number];
    uint32_t place, w;
    choose_warp(replay, sm, &place, &w);
    gpci_block_run *run = sm->resident[place];
    *turn = (gpci_turn){.sm = number,
                        .block = run->block->index,
                        .warp = run->warps[w].slot,
                        .age = GPCI_UNLIKELY(replay->together != NULL) ? gpci_together_age(sm, place, w)
                                                                       : place * run->block->warp_count + w,
                        .run = run,
                        .access = go_on(replay, number, run, &run->warps[w]),
                        .addresses = replay->turn_addresses + (size_t)(turn - replay->turns) * GPCI_MOST_LANES};
    if (turn->access && turn->access->form->instruction.addresses)
        gpci_packed_take(&run->warps[w].addresses, gpci_path_lanes(turn->access), turn->addresses);
    if (!run->live)
        gpci_dispatch_retire(replay, number, run);
    return turn->access != NULL;
}

/* Perform the access of a turn (not a fence). `hierarchy`: the hierarchy, or the copy of a thread (round_lanes.h). */
static gpc_status perform(const gpc_replay *replay, gpc_hierarchy *hierarchy, const gpci_turn *turn) {
    gpc_warp_access access = gpci_replay_access(turn->run, turn->access, turn->addresses);
    access.sm = turn->sm;
    access.warp = turn->warp;
    access.warp_age = turn->age;
    access.block = turn->block;
    uint32_t sms[GPCI_CLUSTER_BLOCKS];
    if (GPCI_UNLIKELY(access.copy == GPC_COPY_BULK) && replay->cluster_blocks > 1) {
        access.multicast_count =
            gpci_cluster_targets(replay, turn->sm, turn->block, &turn->access->form->instruction, sms);
        access.multicast = access.multicast_count ? sms : NULL;
    }
    if (GPCI_UNLIKELY(access.space != GPC_SPACE_GLOBAL))
        return gpci_replay_other(replay, hierarchy, turn->run, turn->access, &access, turn->addresses);
    if (!gpci_replay_enter(replay, turn->run, turn->addresses, gpci_path_lanes(turn->access), access.width))
        return GPC_ERROR_FORMAT;
    return GPCI_UNLIKELY(replay->learning) ? gpci_replay_record(replay, &access)
                                           : replay->driver->access(hierarchy, &access, NULL, NULL);
}

static GPCI_COLD gpc_status failed(const gpc_replay *replay, const gpci_turn *turn, gpc_status status,
                                   gpc_error *error) {
    const gpc_instruction *instruction = &turn->access->form->instruction;
    char room[GPCI_FAULT];
    return gpci_fail(error, status, "%s: block %u, pc 0x%llx, %s: %s", replay->kernel.file, turn->block,
                     (unsigned long long)instruction->pc, gpc_trace_opcode(turn->run->trace, instruction->opcode),
                     status == GPC_ERROR_FORMAT ? GPCI_BEYOND_PROCESS : gpci_fault_of(replay->hierarchy, status, room));
}

static gpc_status end_turn(gpc_replay *replay, const gpci_turn *turn, gpc_error *error) {
    const gpc_instruction *instruction = &turn->access->form->instruction;
    gpc_fence fence;
    if (GPCI_UNLIKELY(instruction->op_class == GPC_OP_FENCE))
        return gpci_replay_fence(replay, turn->run, instruction, turn->sm, turn->warp, &fence)
                   ? replay->driver->fence(replay->hierarchy, &fence, error)
                   : GPC_OK;
    gpc_status status = perform(replay, replay->hierarchy, turn);
    if (status < 0)
        return replay->learning ? gpci_out_of_memory(error) : failed(replay, turn, status, error);
    replay->instructions_told++;
    return GPC_OK;
}

gpc_status gpci_functional_share(gpc_replay *replay, const gpci_workers_options *options, gpc_error *error) {
    gpc_status status = gpci_round_lanes_create(replay->hierarchy, options, error, &replay->lanes);
    replay->hierarchy->round_threads = replay->lanes ? gpci_round_lanes_count(replay->lanes) : 1;
    return status;
}

/* Start as many threads as key `threads` says, if rounds can use several threads. */
gpc_status gpci_functional_threads(gpc_replay *replay, gpc_error *error) {
    const uint64_t asked = gpci_config_number(replay->config, GPCI_KEY_THREADS);
    const bool automatic = asked == UINT64_MAX;
    const uint32_t most = gpci_processors() < MOST_AUTOMATIC ? gpci_processors() : MOST_AUTOMATIC;
    const gpci_workers_options options = {.count = automatic ? most : (uint32_t)asked};
    char why[GPCI_THREADS_TEXT];
    if (options.count == 1)
        return GPC_OK;
    if (replay->recorded_order && !automatic)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "threads = %u has no effect: warps.order = recorded takes one turn at "
                         "a time",
                         options.count);
    if (replay->recorded_order)
        return GPC_OK;
    if (gpci_round_lanes_check(replay->hierarchy, why))
        return gpci_functional_share(replay, &options, error);
    if (!automatic)
        return gpci_fail(error, GPC_ERROR_RANGE, "threads = %u has no effect: %s", options.count, why);
    gpci_log(replay->context, GPC_LOG_INFO, "threads = auto: one thread: %s", why);
    return GPC_OK;
}

static gpc_status perform_on_lane(void *replay, gpc_hierarchy *hierarchy, uint32_t turn) {
    const gpc_replay *r = replay;
    return perform(r, hierarchy, &r->turns[turn]);
}

/* Number of separate places that a step touches: one per lane, or one per word of a lane in local memory. */
static uint32_t places_of(const gpci_path_step *step) {
    const gpc_instruction *instruction = &step->form->instruction;
    return gpci_path_lanes(step) * (instruction->space == GPC_SPACE_GLOBAL ? 1 : gpci_local_words(instruction->width));
}

/*
 * Prepare a round for several threads. False: use one thread, because a turn does more than an access through its SM's
 * L1, or memory runs out, or an observer or an event log must see the accesses in order.
 */
static bool ready_lanes(gpc_replay *replay, uint32_t count) {
    if (replay->hierarchy->log || replay->hierarchy->observer)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const gpci_path_step *step = replay->turns[i].access;
        const gpc_instruction *access = &step->form->instruction;
        if (access->op_class == GPC_OP_FENCE || step->form->operands.copy == GPC_COPY_BULK ||
            gpci_replay_opcode(replay->turns[i].run, access)->order > GPC_ORDER_RELAXED ||
            gpci_round_lanes_reserve(replay->lanes, replay->turns[i].sm, places_of(step), access->width) < 0)
            return false;
        gpci_round_lanes_order(replay->lanes)[i] = replay->turns[i].sm;
    }
    return true;
}

static gpc_status end_on_lanes(gpc_replay *replay, uint32_t count, gpc_error *error) {
    uint32_t wrong;
    gpc_status status = gpci_round_lanes_round(replay->lanes, count, perform_on_lane, replay, &wrong);
    replay->instructions_told += wrong;
    return status < 0 ? failed(replay, &replay->turns[wrong], status, error) : GPC_OK;
}

/* Prefetch the instructions and addresses of an SM's next turn into the CPU's cache. */
static void expect_turn(const gpc_replay *replay, uint32_t number) {
    const gpci_sm_run *sm = &replay->sms[number];
    if (sm->next_block >= sm->residents)
        return;
    const gpci_block_run *run = sm->resident[sm->next_block];
    if (run->next_warp >= run->block->warp_count)
        return;
    GPCI_PREFETCH(run->warps[run->next_warp].next);
    GPCI_PREFETCH(run->warps[run->next_warp].addresses.at);
}

/* Prefetch the simulator's tables for the first line of a turn into the CPU's cache. */
static void expect_line(const gpc_replay *replay, const gpci_turn *turn) {
    const gpc_instruction *access = &turn->access->form->instruction;
    if (!access->addresses)
        return;
    const gpc_cache *l1 = gpci_l1_for(replay->hierarchy, turn->sm, access->space);
    gpci_functional_expect_l1(l1, turn->addresses[0]);
    gpci_functional_expect_below(replay->hierarchy, turn->sm, l1, turn->addresses[0]);
}

/* Shuffle the turns uniformly (Fisher-Yates). */
static void shuffle(gpc_replay *replay, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t drawn = i + gpci_random_below(&replay->random, count - i);
        gpci_turn turn = replay->turns[drawn];
        replay->turns[drawn] = replay->turns[i];
        replay->turns[i] = turn;
    }
}

gpc_status gpci_functional_round(gpc_replay *replay, gpc_error *error) {
    uint32_t count = 0;
    for (uint32_t sm = 0; sm < replay->sm_count; sm++) {
        if (sm + TURNS_AHEAD < replay->sm_count)
            expect_turn(replay, sm + TURNS_AHEAD);
        if (replay->sms[sm].residents && begin_turn(replay, sm, &replay->turns[count]))
            count++;
    }
    shuffle(replay, count);
    if (replay->lanes && !replay->learning && ready_lanes(replay, count))
        return end_on_lanes(replay, count, error);
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < count && status == GPC_OK; i++) {
        if (i + TURNS_AHEAD < count)
            expect_line(replay, &replay->turns[i + TURNS_AHEAD]);
        status = end_turn(replay, &replay->turns[i], error);
    }
    return status;
}
