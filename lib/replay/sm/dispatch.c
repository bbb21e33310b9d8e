/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "replay/blocks/clusters.h"
#include "replay/sm/together.h"

#include <string.h>

/*
 * Dispatch of thread blocks to SMs. Hardware dispatches blocks in order of index, round robin over the SMs until all
 * are full, then to any SM with room. A placement map gives the SM each block ran on. Blocks for a full SM wait in a
 * queue of this SM, so blocks for other SMs can start.
 *
 * Example, 2 SMs with room for 2 blocks each: blocks 0 and 2 go to SM 0, blocks 1 and 3 to SM 1. Block 4 goes to the
 * first SM to finish a block.
 */

/* Blocks to read ahead, per SM: enough to keep the neighbours of a full SM supplied. */
#define QUEUED_PER_SM 4u

gpci_block_run *gpci_dispatch_take(gpc_replay *r, const gpci_packed_block *block) {
    gpci_block_run *run = r->spare;
    if (run)
        r->spare = run->queued;
    else
        run = gpci_zalloc(r->context, 1, sizeof *run);
    if (!run)
        return NULL;
    if (!GPCI_ARRAY_ROOM(r->context, run->warps, run->capacity, 0, block->warp_count)) {
        run->queued = r->spare;
        r->spare = run;
        return NULL;
    }
    run->block = block;
    run->trace = r->trace;
    run->stream = r->stream;
    run->process = 0;
    run->queued = NULL;
    run->turn = run->at_barrier = 0;
    run->apart = false;
    run->ring = NULL;
    run->mates = run->at_cluster = 0;
    run->live = block->warp_count;
    run->writes = 0;
    return run;
}

void gpci_dispatch_give(gpc_replay *r, gpci_block_run *run) {
    gpci_clusters_leave(run);
    gpci_trace_release_packed(run->trace, run->block);
    run->block = NULL;
    run->queued = r->spare;
    r->spare = run;
}

/* First block the map puts on a missing SM; block_count: none. */
static uint64_t misplaced(const gpc_replay *r) {
    uint64_t b = 0;
    while (b < r->kernel.block_count && r->kernel.placement[b] < r->block_sms)
        b++;
    return b;
}

/*
 * Choose between map and round robin. A map for another grid is damaged input. A map of a larger GPU is an error only
 * if the map was requested; with `auto`, blocks then go round robin.
 */
static gpc_status choose_placement(gpc_replay *r, gpc_error *error) {
    const gpc_kernel *k = &r->kernel;
    uint64_t how = gpci_config_number(r->config, GPCI_KEY_BLOCKS_PLACEMENT); /* 0: auto, 1: round-robin, 2: map */
    r->by_map = false;
    if (how == 1 || (how == 0 && !k->placement))
        return GPC_OK;
    if (!k->placement)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: blocks.placement = map, but the trace has no map", k->file);
    if (k->placement_count < k->block_count)
        return gpci_fail(error, GPC_ERROR_FORMAT, "%s: the placement map has %llu blocks, the grid %llu", k->file,
                         (unsigned long long)k->placement_count, (unsigned long long)k->block_count);
    uint64_t block = misplaced(r);
    r->by_map = block == k->block_count;
    if (r->by_map)
        return GPC_OK;
    if (how == 2)
        return gpci_fail(error, GPC_ERROR_FORMAT,
                         "%s: the placement map puts block %llu on SM %u, but sm.count is %u%s", k->file,
                         (unsigned long long)block, k->placement[block], r->sm_count,
                         r->block_sms < r->sm_count ? ", CPUs' cores included" : "");
    gpci_log(r->context, GPC_LOG_INFO, "%s: the placement map is of a GPU with more than %u SMs: blocks go round robin",
             k->file, r->block_sms);
    return GPC_OK;
}

gpc_status gpci_dispatch_start(gpc_replay *r, const gpc_launch *launch, gpc_error *error) {
    gpc_status status = choose_placement(r, error);
    if (status < 0)
        return status;
    uint32_t room = gpc_hierarchy_occupancy(r->hierarchy, launch);
    uint64_t limit = gpci_config_number(r->config, GPCI_KEY_SM_BLOCK_LIMIT);
    if (limit && room > limit)
        room = (uint32_t)limit;
    status = gpci_dispatch_room(r, room, error);
    return status < 0 ? status : gpci_clusters_start(r, error);
}

gpc_status gpci_dispatch_room(gpc_replay *r, uint32_t room, gpc_error *error) {
    if (room > r->room_capacity) {
        for (uint32_t sm = 0; sm < r->sm_count; sm++) {
            gpci_block_run **resident = gpci_resize(r->context, r->sms[sm].resident, room, sizeof *resident);
            if (!resident)
                return gpci_out_of_memory(error);
            r->sms[sm].resident = resident;
        }
        r->room_capacity = room;
    }
    r->room = room;
    return GPC_OK;
}

void gpci_dispatch_again(gpc_replay *r) {
    r->next_sm = 0;
    r->ended = false;
    r->blocks_read = 0;
    r->blocks_last = UINT64_MAX;
}

/* Lowest free block slot of an SM; warp numbers follow from the slot. */
static uint32_t take_slot(const gpc_replay *r, const gpci_sm_run *sm) {
    for (uint32_t slot = 0;; slot++) {
        bool used = false;
        for (uint32_t i = 0; i < sm->residents && !used; i++)
            used = sm->resident[i]->slot == slot;
        if (!used || slot >= r->room)
            return slot;
    }
}

void gpci_dispatch_start_block(gpc_replay *r, uint32_t number, gpci_block_run *run) {
    gpci_sm_run *sm = &r->sms[number];
    run->sm = number;
    run->slot = take_slot(r, sm);
    if (GPCI_LIKELY(!r->together))
        run->first = run->slot * run->block->warp_count;
    sm->resident[sm->residents++] = run;
    r->resident++;
    if (r->timed && !r->warming) {
        gpci_timed_place(r->timed, number, run);
        return;
    }
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        run->warps[w] = gpci_warp_run_begin(&run->block->warps[w], run->first + w);
        gpc_warp_event event = {.kind = GPC_WARP_START,
                                .sm = number,
                                .warp = run->warps[w].slot,
                                .block = run->block->index,
                                .kernel = gpci_kernel_of(r->hierarchy, run->stream)};
        if (!r->learning)
            gpc_hierarchy_warp_event(r->hierarchy, &event);
    }
}

void gpci_dispatch_queue(gpc_replay *r, uint32_t number, gpci_block_run *run) {
    gpci_sm_run *sm = &r->sms[number];
    if (sm->first_queued)
        sm->last_queued->queued = run;
    else
        sm->first_queued = run;
    sm->last_queued = run;
    r->queued++;
}

/* Round robin: next SM with room; block_sms: none. */
static uint32_t next_with_room(gpc_replay *r) {
    for (uint32_t i = 0; i < r->block_sms; i++) {
        uint32_t sm = (r->next_sm + i) % r->block_sms;
        if (r->sms[sm].residents < r->room)
            return sm;
    }
    return r->block_sms;
}

gpc_status gpci_dispatch_read(gpc_replay *r, gpc_error *error, gpci_block_run **out) {
    const gpci_packed_block *block;
    *out = NULL;
    const gpc_status status =
        r->blocks_read == r->blocks_last ? GPC_END : gpci_trace_next_packed(r->trace, &block, error);
    r->ended |= status == GPC_END;
    if (status != GPC_OK)
        return status == GPC_END ? GPC_OK : status;
    r->blocks_read++;
    *out = gpci_dispatch_take(r, block);
    if (*out)
        return GPC_OK;
    gpci_trace_release_packed(r->trace, block);
    return gpci_out_of_memory(error);
}

gpc_status gpci_dispatch_fill(gpc_replay *r, gpc_error *error) {
    bool map = r->by_map;
    if (GPCI_UNLIKELY(r->together != NULL))
        return gpci_together_fill(r, error);
    if (r->cluster_blocks > 1)
        return gpci_clusters_fill(r, error);
    while (!r->ended) {
        uint32_t sm = map ? 0 : next_with_room(r);
        if (map ? r->queued >= QUEUED_PER_SM * r->block_sms : sm == r->block_sms)
            return GPC_OK;
        gpci_block_run *run;
        const gpc_status status = gpci_dispatch_read(r, error, &run);
        if (status < 0 || !run)
            return status;
        if (map)
            sm = r->kernel.placement[run->block->index];
        else
            r->next_sm = (sm + 1) % r->block_sms;
        if (r->sms[sm].residents < r->room)
            gpci_dispatch_start_block(r, sm, run);
        else
            gpci_dispatch_queue(r, sm, run);
    }
    return GPC_OK;
}

void gpci_dispatch_retire(gpc_replay *r, uint32_t number, gpci_block_run *run) {
    gpci_sm_run *sm = &r->sms[number];
    uint32_t at = 0;
    while (sm->resident[at] != run)
        at++;
    memmove(&sm->resident[at], &sm->resident[at + 1], (sm->residents - at - 1) * sizeof *sm->resident);
    sm->residents--;
    if (sm->turn > at)
        sm->turn--;
    r->resident--;
    r->blocks++;
    if (GPCI_UNLIKELY(r->together != NULL))
        gpci_together_retire(r, number, run);
    gpci_dispatch_give(r, run);
    gpci_block_run *waiting = sm->first_queued;
    if (waiting) {
        sm->first_queued = waiting->queued;
        waiting->queued = NULL;
        r->queued--;
        gpci_dispatch_start_block(r, number, waiting);
    }
}

/* Remove a block of an SM: the last resident block, else the first queued block; NULL if the SM has no block. */
static gpci_block_run *take_away(gpci_sm_run *sm) {
    if (sm->residents)
        return sm->resident[--sm->residents];
    gpci_block_run *run = sm->first_queued;
    if (run)
        sm->first_queued = run->queued;
    return run;
}

void gpci_dispatch_abandon(gpc_replay *r) {
    for (uint32_t i = 0; i < r->sm_count; i++) {
        for (gpci_block_run *run; (run = take_away(&r->sms[i])) != NULL;)
            gpci_dispatch_give(r, run);
        r->sms[i].turn = 0;
    }
    for (gpci_block_run *run; (run = gpci_clusters_take(r)) != NULL;)
        gpci_dispatch_give(r, run);
    r->queued = r->resident = 0;
}

void gpci_dispatch_forget(gpc_replay *r) {
    for (gpci_block_run *run; (run = gpci_clusters_take(r)) != NULL;) {
        run->queued = r->spare;
        r->spare = run;
    }
    for (uint32_t i = 0; r->sms && i < r->sm_count; i++)
        for (gpci_block_run *run; (run = take_away(&r->sms[i])) != NULL;) {
            run->queued = r->spare;
            r->spare = run;
        }
}
