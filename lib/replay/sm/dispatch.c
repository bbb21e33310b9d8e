/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "replay/blocks/clusters.h"
#include "replay/sm/together.h"

#include <string.h>

/*
 * Dispatch of thread blocks to SMs. Hardware dispatches blocks in the order of their indices, round robin over the SMs
 * until all SMs are full, and then to any SM with room. A trace can have a placement map: the SM on which each block
 * ran. With a map, blocks for a full SM wait in a queue of the SM, so that blocks for other SMs can start.
 *
 * Example, 2 SMs with room for 2 blocks each: blocks 0 and 2 go to SM 0, blocks 1 and 3 to SM 1. Block 4 goes to the
 * first SM to finish a block.
 */

/* With a placement map, largest number of waiting blocks, per SM: enough to find blocks for SMs that are not full. */
#define QUEUED_PER_SM 4u

gpci_block_run *gpci_dispatch_take(gpc_replay *replay, const gpci_packed_block *block) {
    gpci_block_run *run = replay->spare;
    if (run)
        replay->spare = run->queued;
    else
        run = gpci_zalloc(replay->context, 1, sizeof *run);
    if (!run)
        return NULL;
    if (!GPCI_ARRAY_RESERVE(replay->context, run->warps, run->capacity, 0, block->warp_count)) {
        run->queued = replay->spare;
        replay->spare = run;
        return NULL;
    }
    run->block = block;
    run->trace = replay->trace;
    run->stream = replay->stream;
    run->process = 0;
    run->queued = NULL;
    run->next_warp = run->at_barrier = 0;
    run->counts_by_warp = false;
    run->ring = NULL;
    run->mates = run->at_cluster = 0;
    run->live = block->warp_count;
    run->writes = 0;
    return run;
}

void gpci_dispatch_give(gpc_replay *replay, gpci_block_run *run) {
    gpci_clusters_leave(run);
    gpci_trace_release_packed(run->trace, run->block);
    run->block = NULL;
    run->queued = replay->spare;
    replay->spare = run;
}

/* First block that the map puts on an SM beyond block_sms; block_count: no such block. */
static uint64_t misplaced(const gpc_replay *replay) {
    uint64_t b = 0;
    while (b < replay->kernel.block_count && replay->kernel.placement[b] < replay->block_sms)
        b++;
    return b;
}

/*
 * Choose between the placement map and round robin (blocks.placement). A map with too few blocks is an error. A map of
 * a larger GPU is an error with blocks.placement = map; with auto, blocks go round robin.
 */
static gpc_status choose_placement(gpc_replay *replay, gpc_error *error) {
    const gpc_kernel *kernel = &replay->kernel;
    uint64_t how = gpci_config_number(replay->config, GPCI_KEY_BLOCKS_PLACEMENT); /* 0: auto, 1: round-robin, 2: map */
    replay->by_map = false;
    if (how == 1 || (how == 0 && !kernel->placement))
        return GPC_OK;
    if (!kernel->placement)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: blocks.placement = map, but the trace has no map",
                         kernel->file);
    if (kernel->placement_count < kernel->block_count)
        return gpci_fail(error, GPC_ERROR_FORMAT, "%s: the placement map has %llu blocks, the grid %llu", kernel->file,
                         (unsigned long long)kernel->placement_count, (unsigned long long)kernel->block_count);
    uint64_t block = misplaced(replay);
    replay->by_map = block == kernel->block_count;
    if (replay->by_map)
        return GPC_OK;
    if (how == 2)
        return gpci_fail(error, GPC_ERROR_FORMAT,
                         "%s: the placement map puts block %llu on SM %u, but sm.count is %u%s", kernel->file,
                         (unsigned long long)block, kernel->placement[block], replay->sm_count,
                         replay->block_sms < replay->sm_count ? ", CPUs' cores included" : "");
    gpci_log(replay->context, GPC_LOG_INFO,
             "%s: the placement map is of a GPU with more than %u SMs: blocks go round robin", kernel->file,
             replay->block_sms);
    return GPC_OK;
}

gpc_status gpci_dispatch_start(gpc_replay *replay, const gpc_launch *launch, gpc_error *error) {
    gpc_status status = choose_placement(replay, error);
    if (status < 0)
        return status;
    uint32_t occupancy = gpc_hierarchy_occupancy(replay->hierarchy, launch);
    uint64_t limit = gpci_config_number(replay->config, GPCI_KEY_SM_BLOCK_LIMIT);
    if (limit && occupancy > limit)
        occupancy = (uint32_t)limit;
    status = gpci_dispatch_occupancy(replay, occupancy, error);
    return status < 0 ? status : gpci_clusters_start(replay, error);
}

gpc_status gpci_dispatch_occupancy(gpc_replay *replay, uint32_t occupancy, gpc_error *error) {
    if (occupancy > replay->room_capacity) {
        for (uint32_t sm = 0; sm < replay->sm_count; sm++) {
            gpci_block_run **resident =
                gpci_resize(replay->context, replay->sms[sm].resident, occupancy, sizeof *resident);
            if (!resident)
                return gpci_out_of_memory(error);
            replay->sms[sm].resident = resident;
        }
        replay->room_capacity = occupancy;
    }
    replay->occupancy = occupancy;
    return GPC_OK;
}

void gpci_dispatch_again(gpc_replay *replay) {
    replay->next_sm = 0;
    replay->ended = false;
    replay->blocks_read = 0;
    replay->blocks_last = UINT64_MAX;
}

/* Lowest free block slot of an SM. The block's warp slots follow from the block slot. */
static uint32_t take_slot(const gpc_replay *replay, const gpci_sm_run *sm) {
    for (uint32_t slot = 0;; slot++) {
        bool used = false;
        for (uint32_t i = 0; i < sm->residents && !used; i++)
            used = sm->resident[i]->slot == slot;
        if (!used || slot >= replay->occupancy)
            return slot;
    }
}

void gpci_dispatch_start_block(gpc_replay *replay, uint32_t number, gpci_block_run *run) {
    gpci_sm_run *sm = &replay->sms[number];
    run->sm = number;
    run->slot = take_slot(replay, sm);
    if (GPCI_LIKELY(!replay->together))
        run->first = run->slot * run->block->warp_count;
    sm->resident[sm->residents++] = run;
    replay->resident++;
    if (replay->timed && !replay->warming) {
        gpci_timed_place(replay->timed, number, run);
        return;
    }
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        run->warps[w] = gpci_warp_run_begin(&run->block->warps[w], run->first + w);
        gpc_warp_event event = {.kind = GPC_WARP_START,
                                .sm = number,
                                .warp = run->warps[w].slot,
                                .block = run->block->index,
                                .kernel = gpci_kernel_of(replay->hierarchy, run->stream)};
        if (!replay->learning)
            gpc_hierarchy_warp_event(replay->hierarchy, &event, NULL);
    }
}

void gpci_dispatch_queue(gpc_replay *replay, uint32_t number, gpci_block_run *run) {
    gpci_sm_run *sm = &replay->sms[number];
    if (sm->first_queued)
        sm->last_queued->queued = run;
    else
        sm->first_queued = run;
    sm->last_queued = run;
    replay->queued++;
}

/* Next SM with room, round robin; block_sms: no SM has room. */
static uint32_t next_with_room(gpc_replay *replay) {
    for (uint32_t i = 0; i < replay->block_sms; i++) {
        uint32_t sm = (replay->next_sm + i) % replay->block_sms;
        if (replay->sms[sm].residents < replay->occupancy)
            return sm;
    }
    return replay->block_sms;
}

gpc_status gpci_dispatch_read(gpc_replay *replay, gpc_error *error, gpci_block_run **out) {
    const gpci_packed_block *block;
    *out = NULL;
    const gpc_status status =
        replay->blocks_read == replay->blocks_last ? GPC_END : gpci_trace_next_packed(replay->trace, &block, error);
    replay->ended |= status == GPC_END;
    if (status != GPC_OK)
        return status == GPC_END ? GPC_OK : status;
    replay->blocks_read++;
    *out = gpci_dispatch_take(replay, block);
    if (*out)
        return GPC_OK;
    gpci_trace_release_packed(replay->trace, block);
    return gpci_out_of_memory(error);
}

gpc_status gpci_dispatch_fill(gpc_replay *replay, gpc_error *error) {
    bool map = replay->by_map;
    if (GPCI_UNLIKELY(replay->together != NULL))
        return gpci_together_fill(replay, error);
    if (replay->cluster_blocks > 1)
        return gpci_clusters_fill(replay, error);
    while (!replay->ended) {
        uint32_t sm = map ? 0 : next_with_room(replay);
        if (map ? replay->queued >= QUEUED_PER_SM * replay->block_sms : sm == replay->block_sms)
            return GPC_OK;
        gpci_block_run *run;
        const gpc_status status = gpci_dispatch_read(replay, error, &run);
        if (status < 0 || !run)
            return status;
        if (map)
            sm = replay->kernel.placement[run->block->index];
        else
            replay->next_sm = (sm + 1) % replay->block_sms;
        if (replay->sms[sm].residents < replay->occupancy)
            gpci_dispatch_start_block(replay, sm, run);
        else
            gpci_dispatch_queue(replay, sm, run);
    }
    return GPC_OK;
}

void gpci_dispatch_retire(gpc_replay *replay, uint32_t number, gpci_block_run *run) {
    gpci_sm_run *sm = &replay->sms[number];
    uint32_t at = 0;
    while (sm->resident[at] != run)
        at++;
    memmove(&sm->resident[at], &sm->resident[at + 1], (sm->residents - at - 1) * sizeof *sm->resident);
    sm->residents--;
    if (sm->next_block > at)
        sm->next_block--;
    replay->resident--;
    replay->blocks++;
    if (GPCI_UNLIKELY(replay->together != NULL))
        gpci_together_retire(replay, number, run);
    gpci_dispatch_give(replay, run);
    gpci_block_run *waiting = sm->first_queued;
    if (waiting) {
        sm->first_queued = waiting->queued;
        waiting->queued = NULL;
        replay->queued--;
        gpci_dispatch_start_block(replay, number, waiting);
    }
}

/* Remove a block from an SM: the last resident block; without one, the first queued block. NULL: no block is left. */
static gpci_block_run *take_away(gpci_sm_run *sm) {
    if (sm->residents)
        return sm->resident[--sm->residents];
    gpci_block_run *run = sm->first_queued;
    if (run)
        sm->first_queued = run->queued;
    return run;
}

void gpci_dispatch_abandon(gpc_replay *replay) {
    for (uint32_t i = 0; i < replay->sm_count; i++) {
        for (gpci_block_run *run; (run = take_away(&replay->sms[i])) != NULL;)
            gpci_dispatch_give(replay, run);
        replay->sms[i].next_block = 0;
    }
    for (gpci_block_run *run; (run = gpci_clusters_take(replay)) != NULL;)
        gpci_dispatch_give(replay, run);
    replay->queued = replay->resident = 0;
}

void gpci_dispatch_forget(gpc_replay *replay) {
    for (gpci_block_run *run; (run = gpci_clusters_take(replay)) != NULL;) {
        run->queued = replay->spare;
        replay->spare = run;
    }
    for (uint32_t i = 0; replay->sms && i < replay->sm_count; i++)
        for (gpci_block_run *run; (run = take_away(&replay->sms[i])) != NULL;) {
            run->queued = replay->spare;
            replay->spare = run;
        }
}
