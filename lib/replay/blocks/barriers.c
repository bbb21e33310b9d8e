/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "replay/blocks/mbarriers.h"

#include <string.h>

/*
 * Barriers of thread blocks. All live warps of a block meet at a barrier.
 *
 * Some traces recorded only the addresses of accesses; the instructions between two accesses were reconstructed
 * (shortest path). In such a trace barriers may be missing. Example: a loop, in which all warps meet at a barrier in
 * each round, and the first warp stores a result. For the other warps only the barrier of the last round remains. If
 * every barrier stopped all warps, warp 0 in the first round would meet the other warps in the last round, and would
 * run the other rounds alone.
 *
 * So if the warps of a block have different numbers of barriers, match the barriers of each warp with those of the warp
 * that has most, by address and by the number of loads before. A warp skips the barriers before its first match.
 *
 * Example, L a load, B the barrier of a round: warp 0 has L B L B, the others L L B. The barrier of the others comes
 * after two loads, as does the second barrier of warp 0. Warp 0 does not wait at its first barrier.
 */

/*
 * Find the first barrier of the path from `step` on. Adds the number of loads before the barrier to `loads`. Returns
 * the index of the barrier's step; the length of the path if no barrier follows.
 */
static size_t next_barrier(const gpci_path *path, size_t step, uint64_t *loads) {
    for (; step < path->count; step++) {
        const gpci_form *form = path->steps[step].form;
        const unsigned use = form->operands.use;
        if (use == GPC_OP_BARRIER)
            break;
        *loads +=
            use == GPC_OP_MEMORY && form->instruction.kind == GPC_LOAD; /* loads of shared memory were not recorded */
    }
    return step;
}

/* True if all barriers of `path` match the barriers of `most` from `step` on, after `loads` loads of `most`. */
static bool match(const gpci_path *path, const gpci_path *most, size_t step, uint64_t loads) {
    uint64_t own = 0;
    size_t at = next_barrier(path, 0, &own);
    for (size_t n = 0;; n++) {
        if (own != loads || path->steps[at].form->instruction.pc != most->steps[step].form->instruction.pc)
            return false;
        if (n + 1 == path->barriers)
            return true;
        at = next_barrier(path, at + 1, &own);
        step = next_barrier(most, step + 1, &loads);
    }
}

/* Number of barriers of `most` before the first match of `path`; 0 if `path` does not match. */
static uint32_t barriers_before(const gpci_path *path, const gpci_path *most) {
    uint64_t loads = 0;
    size_t step = next_barrier(most, 0, &loads);
    for (size_t before = 0; path->barriers && before + path->barriers <= most->barriers; before++) {
        if (match(path, most, step, loads))
            return (uint32_t)before;
        step = next_barrier(most, step + 1, &loads);
    }
    return 0;
}

void gpci_barriers_begin(gpci_block_run *run) {
    const gpci_packed_block *block = run->block;
    const gpci_path *most = block->warps[0].path;
    bool differ = false;
    for (uint32_t w = 1; w < block->warp_count; w++) {
        const gpci_path *path = block->warps[w].path;
        differ |= path->barriers != most->barriers;
        most = path->barriers > most->barriers ? path : most;
    }
    for (uint32_t w = 0; differ && w < block->warp_count; w++) {
        run->warps[w].barrier = barriers_before(block->warps[w].path, most);
        run->counts_by_warp |= run->warps[w].barrier != 0;
    }
}

static bool waits(const gpci_timed_sm *core, const gpci_block_run *run, uint32_t w) {
    const gpci_timed_warp *warp = &core->warps[run->warps[w].slot];
    return warp->run == run && gpci_warp_state(core, warp) == GPC_STATE_BARRIER;
}

/*
 * Find the lowest number of a barrier that a live warp meets next. True if all live warps with this number as the next
 * barrier wait at the barrier.
 */
static bool is_complete(const gpci_timed_sm *core, const gpci_block_run *run, uint32_t *out_barrier) {
    bool complete = true;
    *out_barrier = UINT32_MAX;
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        const gpci_warp_run *warp = &run->warps[w];
        if (core->warps[warp->slot].run != run || warp->barrier > *out_barrier)
            continue;
        complete = (complete || warp->barrier < *out_barrier) && waits(core, run, w);
        *out_barrier = warp->barrier;
    }
    return complete;
}

/* True if the warps of the block wait at a barrier of the whole cluster (UCGABAR). */
static bool is_of_cluster(const gpci_timed_replay *timed_replay, uint32_t number, const gpci_block_run *run) {
    const gpci_timed_sm *core = &timed_replay->sms[number];
    for (uint32_t w = 0; w < run->block->warp_count; w++)
        if (waits(core, run, w)) {
            const gpci_path_step *step = core->warps[run->warps[w].slot].next - 1;
            return !strncmp(gpc_trace_opcode(run->trace, step->form->instruction.opcode), "UCGABAR", 7);
        }
    return false;
}

/*
 * Let a block arrive at a barrier of the cluster. If all blocks of the cluster have arrived, send a message to each
 * block. run->at_cluster is odd while the block waits.
 */
static void come_to_cluster(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run, uint64_t now) {
    if (run->at_cluster & 1)
        return;
    run->at_cluster++;
    timed_replay->sms[number].counts.cluster_barriers++;
    GPCI_AGAIN(timed_replay->sms[number].again.cluster_barriers++);
    const gpci_block_run *other = run;
    do {
        if (other->live && other->at_cluster < run->at_cluster)
            return;
        other = other->ring;
    } while (other != run);
    do {
        const gpci_cluster_message message = {
            .due = now + timed_replay->latency_cluster, .block = other->block->index, .sm = other->sm, .opens = 1};
        if (gpci_cluster_tell(timed_replay, &message) < 0) {
            timed_replay->status = gpci_out_of_memory(&timed_replay->error);
            timed_replay->stopped = true;
        }
        other = other->ring;
    } while (other != run);
}

static void open_barrier(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run, uint32_t barrier,
                         uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        uint32_t slot = run->warps[w].slot;
        if (!waits(core, run, w) || (run->counts_by_warp && run->warps[w].barrier != barrier))
            continue;
        run->at_barrier--;
        run->warps[w].barrier += run->counts_by_warp;
        gpci_timed_warp *warp = &core->warps[slot];
        const uint64_t opens = now + timed_replay->latency_control;
        /* the warp may also wait for instruction fetch, beyond `opens` */
        warp->not_before = opens > warp->not_before ? opens : warp->not_before;
        gpci_sm_look(timed_replay, core, slot, now, now);
    }
}

void gpci_barrier_open(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run, uint64_t now) {
    uint32_t barrier = 0;
    if (run->counts_by_warp ? !is_complete(&timed_replay->sms[number], run, &barrier) : run->at_barrier != run->live)
        return;
    if (GPCI_UNLIKELY(run->ring != NULL) && is_of_cluster(timed_replay, number, run))
        come_to_cluster(timed_replay, number, run, now);
    else
        open_barrier(timed_replay, number, run, barrier, now);
}

void gpci_barrier_cluster_opens(gpci_timed_replay *timed_replay, uint32_t number, gpci_block_run *run, uint64_t now) {
    uint32_t barrier = 0;
    run->at_cluster++;
    if (run->counts_by_warp)
        is_complete(&timed_replay->sms[number], run, &barrier);
    open_barrier(timed_replay, number, run, barrier, now);
    gpci_timed_wake(timed_replay->replay->hierarchy, number, now + 1);
}

void gpci_warp_barrier(gpci_timed_replay *timed_replay, uint32_t number, uint32_t slot, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    gpci_timed_warp *warp = &core->warps[slot];
    gpci_warp_tell(timed_replay, number, slot, GPC_WARP_BARRIER, now);
    gpci_warp_set(core, warp, GPC_STATE_BARRIER);
    warp->run->at_barrier++;
    gpci_barrier_open(timed_replay, number, warp->run, now);
}
