/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/mbarriers.h"

#include <string.h>

/*
 * Barriers of thread blocks. All live warps of a block meet at them.
 *
 * A trace of which instructions without addresses were found afterwards (the shortest path from one recorded access to
 * the next) may lack barriers: of a loop over rounds, in each of which all warps meet and the first one stores a
 * result, it has for the others the last round's alone. If all waited for all, the first warp's first round would meet
 * the others' last, and its last would have nobody to run beside. So where barriers of a block differ in number, each
 * warp's are looked for among those of the warp that has most, by address and by the loads before them; and a warp
 * takes no part in those that come before its own.
 *
 * Example, L a load, B the barrier of a round: warp 0 has L B L B, the others L L B. Theirs comes after two loads, and
 * so does warp 0's second: at its first it does not wait.
 */

/* The first barrier from `step` on; its loads are added to those before. The path's end, where there is none. */
static size_t next_barrier(const gpci_path *path, size_t step, uint64_t *loads) {
    for (; step < path->count; step++) {
        const gpci_form *form = path->steps[step].form;
        const unsigned use = form->operands.use;
        if (use == GPC_OP_BARRIER)
            break;
        *loads += use == GPC_OP_MEMORY &&
                  form->instruction.kind == GPC_LOAD; /* of recorded addresses: not of shared memory */
    }
    return step;
}

/* Are all barriers of a path those of another from its `from`-th on, which is at `step` there, behind `loads`? */
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

/* How many of another path's barriers come before the first of a path; 0, too, where they are not among them. */
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
        run->apart |= run->warps[w].barrier != 0;
    }
}

static bool waits(const gpci_timed_sm *m, const gpci_block_run *run, uint32_t w) {
    const gpci_timed_warp *warp = &m->warps[run->warps[w].slot];
    return warp->run == run && gpci_warp_state(m, warp) == GPC_STATE_BARRIER;
}

/* The first barrier that a live warp has before it, if all for which it is the next wait there. */
static bool is_complete(const gpci_timed_sm *m, const gpci_block_run *run, uint32_t *out_barrier) {
    bool complete = true;
    *out_barrier = UINT32_MAX;
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        const gpci_warp_run *warp = &run->warps[w];
        if (m->warps[warp->slot].run != run || warp->barrier > *out_barrier)
            continue;
        complete = (complete || warp->barrier < *out_barrier) && waits(m, run, w);
        *out_barrier = warp->barrier;
    }
    return complete;
}

/* Do a block's warps wait for those of its whole cluster? */
static bool is_of_cluster(const gpci_timed_replay *t, uint32_t number, const gpci_block_run *run) {
    const gpci_timed_sm *m = &t->sms[number];
    for (uint32_t w = 0; w < run->block->warp_count; w++)
        if (waits(m, run, w)) {
            const gpci_path_step *step = m->warps[run->warps[w].slot].next - 1;
            return !strncmp(gpc_trace_opcode(run->trace, step->form->instruction.opcode), "UCGABAR", 7);
        }
    return false;
}

/* A block has come to a barrier of its cluster: if all have, each is told. `at_cluster` is odd while one waits. */
static void come_to_cluster(gpci_timed_replay *t, uint32_t number, gpci_block_run *run, uint64_t now) {
    if (run->at_cluster & 1)
        return;
    run->at_cluster++;
    t->sms[number].counts.cluster_barriers++;
    const gpci_block_run *at = run;
    do {
        if (at->live && at->at_cluster < run->at_cluster)
            return;
        at = at->ring;
    } while (at != run);
    do {
        const gpci_cluster_message message = {
            .due = now + t->latency_cluster, .block = at->block->index, .sm = at->sm, .opens = 1};
        if (gpci_cluster_tell(t, &message) < 0) {
            t->status = gpci_out_of_memory(&t->error);
            t->stopped = true;
        }
        at = at->ring;
    } while (at != run);
}

static void open_barrier(gpci_timed_replay *t, uint32_t number, gpci_block_run *run, uint32_t barrier, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        uint32_t slot = run->warps[w].slot;
        if (!waits(m, run, w) || (run->apart && run->warps[w].barrier != barrier))
            continue;
        run->at_barrier--;
        run->warps[w].barrier += run->apart;
        gpci_timed_warp *warp = &m->warps[slot];
        const uint64_t opens = now + t->latency_control;
        warp->not_before = opens > warp->not_before ? opens : warp->not_before; /* it may be without instructions */
        gpci_sm_look(t, m, slot, now, now);
    }
}

void gpci_barrier_open(gpci_timed_replay *t, uint32_t number, gpci_block_run *run, uint64_t now) {
    uint32_t barrier = 0;
    if (run->apart ? !is_complete(&t->sms[number], run, &barrier) : run->at_barrier != run->live)
        return;
    if (GPCI_UNLIKELY(run->ring != NULL) && is_of_cluster(t, number, run))
        come_to_cluster(t, number, run, now);
    else
        open_barrier(t, number, run, barrier, now);
}

void gpci_barrier_cluster_opens(gpci_timed_replay *t, uint32_t number, gpci_block_run *run, uint64_t now) {
    uint32_t barrier = 0;
    run->at_cluster++;
    if (run->apart)
        is_complete(&t->sms[number], run, &barrier);
    open_barrier(t, number, run, barrier, now);
    gpci_timed_wake(t->r->hierarchy, number, now + 1);
}

void gpci_warp_barrier(gpci_timed_replay *t, uint32_t number, uint32_t slot, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    gpci_timed_warp *w = &m->warps[slot];
    gpci_warp_tell(t, number, slot, GPC_WARP_BARRIER, now);
    gpci_warp_set(m, w, GPC_STATE_BARRIER);
    w->run->at_barrier++;
    gpci_barrier_open(t, number, w->run, now);
}
