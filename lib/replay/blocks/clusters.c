/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/clusters.h"

#include "replay/core/timed_replay.h"
#include "replay/sampling/sampling.h"
#include "trace/sources.h"

#include <string.h>

/* With a placement map, number of blocks to read ahead, per SM (see QUEUED_PER_SM in dispatch.c). */
#define GATHERED_PER_SM 4u

static uint32_t gpcs(const gpc_replay *replay) {
    return replay->hierarchy->sm_coalescer ? replay->hierarchy->coalescers : 1;
}

static uint32_t gpc_of(const gpc_replay *replay, uint32_t sm) {
    return replay->hierarchy->sm_coalescer ? replay->hierarchy->sm_coalescer[sm] : 0;
}

/*
 * Read the cluster dimensions: from the trace if present, otherwise from the keys. Without clusters each dimension is
 * 1.
 */
static gpc_status take_dimensions(gpc_replay *replay, gpc_error *error) {
    static const gpci_key keys[3] = {GPCI_KEY_BLOCKS_CLUSTER_X, GPCI_KEY_BLOCKS_CLUSTER_Y, GPCI_KEY_BLOCKS_CLUSTER_Z};
    const gpc_kernel *kernel = &replay->kernel;
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        replay->cluster[i] =
            kernel->cluster[0] ? kernel->cluster[i] : (uint32_t)gpci_config_number(replay->config, keys[i]);
        blocks = blocks > GPCI_CLUSTER_BLOCKS ? blocks : blocks * replay->cluster[i];
    }
    if (blocks > GPCI_CLUSTER_BLOCKS)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: a cluster of %u x %u x %u thread blocks is more than %u",
                         kernel->file, replay->cluster[0], replay->cluster[1], replay->cluster[2], GPCI_CLUSTER_BLOCKS);
    if (!gpci_cluster_divides(kernel->grid, replay->cluster))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "%s: clusters of %u x %u x %u thread blocks (blocks.cluster_x and so on) do not fill the grid "
                         "of %u x %u x %u",
                         kernel->file, replay->cluster[0], replay->cluster[1], replay->cluster[2], kernel->grid[0],
                         kernel->grid[1], kernel->grid[2]);
    replay->cluster_blocks = (uint32_t)blocks;
    return GPC_OK;
}

/* Number of SMs in the largest GPC. */
static uint32_t largest_gpc(const gpc_replay *replay) {
    uint32_t most = 0;
    for (uint32_t gpc = 0; gpc < gpcs(replay); gpc++) {
        uint32_t count = 0;
        for (uint32_t sm = 0; sm < replay->block_sms; sm++)
            count += gpc_of(replay, sm) == gpc;
        most = count > most ? count : most;
    }
    return most;
}

gpc_status gpci_clusters_start(gpc_replay *replay, gpc_error *error) {
    gpc_status status = take_dimensions(replay, error);
    if (status < 0 || replay->cluster_blocks == 1)
        return status;
    const uint32_t sms = largest_gpc(replay);
    if (replay->cluster_blocks > (uint64_t)sms * replay->occupancy)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "%s: a cluster of %u thread blocks does not fit a GPC, of %u SMs (lrc.sms) with room for %u "
                         "each",
                         replay->kernel.file, replay->cluster_blocks, sms, replay->occupancy);
    if (replay->sampling && gpci_config_number(replay->config, GPCI_KEY_SAMPLE) != GPCI_SAMPLE_KERNELS)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "%s: sample = %s stops between thread blocks, which wait for each other in clusters; sample = "
                         "kernels can be had",
                         replay->kernel.file, gpci_config_text(replay->config, GPCI_KEY_SAMPLE));
    return GPC_OK;
}

gpc_status gpci_clusters_refuse(gpc_replay *replay, gpc_error *error) {
    const gpc_status status = take_dimensions(replay, error);
    const uint32_t blocks = replay->cluster_blocks;
    replay->cluster_blocks = 1;
    if (status < 0 || blocks == 1)
        return status;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "%s: clusters of %u thread blocks start as a whole, and kernels at once block by block: "
                     "gpc_replay_streams takes kernels without clusters",
                     replay->kernel.file, blocks);
}

static void place_of(const gpc_replay *replay, uint32_t block, uint32_t at[3]) {
    const uint32_t *grid = replay->kernel.grid;
    at[0] = block % grid[0];
    at[1] = block / grid[0] % grid[1];
    at[2] = block / grid[0] / grid[1];
}

uint32_t gpci_cluster_rank(const gpc_replay *replay, const gpci_block_run *run) {
    uint32_t at[3];
    place_of(replay, run->block->index, at);
    return at[0] % replay->cluster[0] +
           replay->cluster[0] * (at[1] % replay->cluster[1] + replay->cluster[1] * (at[2] % replay->cluster[2]));
}

/* Grid index of the block of rank 0 in the cluster. */
static uint32_t cluster_of(const gpc_replay *replay, const gpci_block_run *run) {
    uint32_t at[3];
    place_of(replay, run->block->index, at);
    for (int i = 0; i < 3; i++)
        at[i] -= at[i] % replay->cluster[i];
    return at[0] + replay->kernel.grid[0] * (at[1] + replay->kernel.grid[1] * at[2]);
}

gpci_block_run *gpci_cluster_member(const gpc_replay *replay, gpci_block_run *run, uint32_t rank) {
    gpci_block_run *other = run;
    do {
        if (gpci_cluster_rank(replay, other) == rank)
            return other;
        other = other->ring;
    } while (other && other != run);
    return NULL;
}

void gpci_clusters_leave(gpci_block_run *run) {
    gpci_block_run *before = run->ring;
    while (before && before->ring != run)
        before = before->ring;
    if (before)
        before->ring = run->ring;
    run->ring = NULL;
}

/* Link the blocks of a cluster in a ring (gpci_block_run.ring). */
static void link(gpci_block_run *const *blocks, uint32_t count) {
    for (uint32_t n = 0; n < count; n++)
        blocks[n]->ring = blocks[(n + 1) % count];
}

void gpci_clusters_relink(gpc_replay *replay) {
    for (uint32_t sm = 0; sm < replay->sm_count && replay->cluster_blocks > 1; sm++)
        for (uint32_t i = 0; i < replay->sms[sm].residents; i++) {
            gpci_block_run *run = replay->sms[sm].resident[i], *first = NULL;
            for (uint32_t other = 0; other <= sm && !first; other++)
                for (uint32_t n = 0; n < replay->sms[other].residents && !first; n++) {
                    gpci_block_run *member = replay->sms[other].resident[n];
                    first = member != run && member->ring && cluster_of(replay, member) == cluster_of(replay, run)
                                ? member
                                : NULL;
                }
            run->ring = first ? first->ring : run;
            if (first)
                first->ring = run;
        }
}

void gpci_clusters_gather(gpc_replay *replay, gpci_block_run *run) {
    const uint32_t cluster = cluster_of(replay, run);
    uint32_t count = 1;
    run->queued = NULL;
    if (replay->first_gathered)
        replay->last_gathered->queued = run;
    else
        replay->first_gathered = run;
    replay->last_gathered = run;
    replay->queued++;
    for (const gpci_block_run *other = replay->first_gathered; other != run; other = other->queued)
        count += cluster_of(replay, other) == cluster;
    for (gpci_block_run *other = replay->first_gathered; other; other = other->queued)
        if (cluster_of(replay, other) == cluster)
            other->mates = count;
}

gpci_block_run *gpci_clusters_take(gpc_replay *replay) {
    gpci_block_run *run = replay->first_gathered;
    if (!run)
        return NULL;
    replay->first_gathered = run->queued;
    replay->queued--;
    return run;
}

/* Collect the gathered blocks of the cluster of `run`, in order of rank. Returns the number of blocks. */
static uint32_t mates_of(const gpc_replay *replay, const gpci_block_run *run,
                         gpci_block_run *blocks[GPCI_CLUSTER_BLOCKS]) {
    gpci_block_run *by_rank[GPCI_CLUSTER_BLOCKS] = {NULL};
    uint32_t count = 0;
    for (gpci_block_run *other = replay->first_gathered; other; other = other->queued)
        if (cluster_of(replay, other) == cluster_of(replay, run))
            by_rank[gpci_cluster_rank(replay, other)] = other;
    for (uint32_t rank = 0; rank < GPCI_CLUSTER_BLOCKS; rank++)
        if (by_rank[rank])
            blocks[count++] = by_rank[rank];
    return count;
}

/* How many of the first `count` elements of `sms` are SM number `sm`. */
static uint32_t planned(const uint32_t *sms, uint32_t count, uint32_t sm) {
    uint32_t found = 0;
    for (uint32_t n = 0; n < count; n++)
        found += sms[n] == sm;
    return found;
}

/* Choose an SM of a GPC for each of `count` blocks. False if the GPC lacks room. */
static bool plan_gpc(const gpc_replay *replay, uint32_t gpc, uint32_t count, uint32_t *sms) {
    for (uint32_t n = 0; n < count; n++) {
        uint32_t best = replay->block_sms, least = replay->occupancy;
        for (uint32_t sm = 0; sm < replay->block_sms; sm++) {
            if (gpc_of(replay, sm) != gpc)
                continue;
            const uint32_t has = replay->sms[sm].residents + planned(sms, n, sm);
            if (has < least) {
                least = has;
                best = sm;
            }
        }
        if (best == replay->block_sms)
            return false;
        sms[n] = best;
    }
    return true;
}

/* Choose an SM for each block of a cluster. GPC_BUSY: the SMs lack room at present. */
static gpc_status plan(gpc_replay *replay, gpci_block_run *const *blocks, uint32_t count, uint32_t *sms,
                       gpc_error *error) {
    if (!replay->by_map) {
        for (uint32_t n = 0; n < gpcs(replay); n++) {
            const uint32_t gpc = (replay->next_sm + n) % gpcs(replay);
            if (!plan_gpc(replay, gpc, count, sms))
                continue;
            replay->next_sm = (gpc + 1) % gpcs(replay);
            return GPC_OK;
        }
        return GPC_BUSY;
    }
    for (uint32_t n = 0; n < count; n++)
        sms[n] = replay->kernel.placement[blocks[n]->block->index];
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t needs = planned(sms, count, sms[n]);
        if (needs > replay->occupancy)
            return gpci_fail(error, GPC_ERROR_RANGE,
                             "%s: the placement map puts %u thread blocks of the cluster of block %u on SM %u, which "
                             "has room for %u",
                             replay->kernel.file, needs, blocks[n]->block->index, sms[n], replay->occupancy);
        if (replay->sms[sms[n]].residents + needs > replay->occupancy)
            return GPC_BUSY;
    }
    return GPC_OK;
}

static void take_out(gpc_replay *replay, const gpci_block_run *run) {
    gpci_block_run **other = &replay->first_gathered, *before = NULL;
    while (*other != run) {
        before = *other;
        other = &before->queued;
    }
    *other = run->queued;
    if (replay->last_gathered == run)
        replay->last_gathered = before;
    replay->queued--;
}

/* Start the gathered blocks of the cluster of `run`. GPC_BUSY: the SMs lack room at present. */
static gpc_status start_cluster(gpc_replay *replay, const gpci_block_run *run, gpc_error *error) {
    gpci_block_run *blocks[GPCI_CLUSTER_BLOCKS];
    uint32_t sms[GPCI_CLUSTER_BLOCKS];
    const uint32_t count = mates_of(replay, run, blocks);
    const gpc_status status = plan(replay, blocks, count, sms, error);
    if (status != GPC_OK)
        return status;
    for (uint32_t n = 0; n < count; n++) {
        take_out(replay, blocks[n]);
        gpci_dispatch_start_block(replay, sms[n], blocks[n]);
    }
    link(blocks, count);
    if (replay->timed && !replay->warming)
        gpci_timed_start_as_one(replay->timed, blocks, count);
    return GPC_OK;
}

/* Start complete clusters. `waits`: receives true if a complete cluster lacks room. */
static gpc_status start_clusters(gpc_replay *replay, bool *waits, gpc_error *error) {
    gpci_block_run *run = replay->first_gathered;
    *waits = false;
    while (run) {
        if (run->mates < replay->cluster_blocks && !replay->ended) {
            run = run->queued;
            continue;
        }
        const gpc_status status = start_cluster(replay, run, error);
        if (status < 0)
            return status;
        *waits |= status == GPC_BUSY;
        if (status == GPC_BUSY && !replay->by_map)
            return GPC_OK;
        run = status == GPC_BUSY ? run->queued : replay->first_gathered;
    }
    return GPC_OK;
}

/* Read and gather the next block of the trace. At the end of the kernel, set replay->ended. */
static gpc_status read_block(gpc_replay *replay, gpc_error *error) {
    gpci_block_run *run;
    const gpc_status status = gpci_dispatch_read(replay, error, &run);
    if (run)
        gpci_clusters_gather(replay, run);
    return status;
}

gpc_status gpci_clusters_fill(gpc_replay *replay, gpc_error *error) {
    for (;;) {
        bool waits;
        gpc_status status = start_clusters(replay, &waits, error);
        if (status < 0 || replay->ended ||
            (waits && (!replay->by_map || replay->queued >= GATHERED_PER_SM * replay->block_sms)))
            return status;
        status = read_block(replay, error);
        if (status < 0)
            return status;
    }
}

uint32_t gpci_cluster_targets(const gpc_replay *replay, uint32_t sm, uint32_t block, const gpc_instruction *instruction,
                              uint32_t sms[GPCI_CLUSTER_BLOCKS]) {
    uint32_t mask = 0, count = 0, at = 0;
    if (instruction->kind != GPC_LOAD || !gpci_number_of_barrier(instruction, 0, &mask))
        return 0;
    while (replay->sms[sm].resident[at]->block->index != block)
        at++;
    for (; mask; mask &= mask - 1) {
        const gpci_block_run *run = gpci_cluster_member(replay, replay->sms[sm].resident[at], gpci_lowest(mask));
        if (run && !planned(sms, count, run->sm))
            sms[count++] = run->sm;
    }
    return count;
}
