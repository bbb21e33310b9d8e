/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/clusters.h"

#include "replay/core/timed_replay.h"
#include "replay/sampling/sampling.h"
#include "trace/sources.h"

#include <string.h>

/* Blocks to read ahead per SM under a placement map (see QUEUED_PER_SM in dispatch.c). */
#define GATHERED_PER_SM 4u

static uint32_t gpcs(const gpc_replay *r) {
    return r->hierarchy->sm_coalescer ? r->hierarchy->coalescers : 1;
}

static uint32_t gpc_of(const gpc_replay *r, uint32_t sm) {
    return r->hierarchy->sm_coalescer ? r->hierarchy->sm_coalescer[sm] : 0;
}

/*
 * Read the cluster dimensions: from the trace if present, otherwise from the keys. Without clusters each dimension is
 * 1.
 */
static gpc_status take_dimensions(gpc_replay *r, gpc_error *error) {
    static const gpci_key keys[3] = {GPCI_KEY_BLOCKS_CLUSTER_X, GPCI_KEY_BLOCKS_CLUSTER_Y, GPCI_KEY_BLOCKS_CLUSTER_Z};
    const gpc_kernel *k = &r->kernel;
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        r->cluster[i] = k->cluster[0] ? k->cluster[i] : (uint32_t)gpci_config_number(r->config, keys[i]);
        blocks = blocks > GPCI_CLUSTER_BLOCKS ? blocks : blocks * r->cluster[i];
    }
    if (blocks > GPCI_CLUSTER_BLOCKS)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: a cluster of %u x %u x %u thread blocks is more than %u", k->file,
                         r->cluster[0], r->cluster[1], r->cluster[2], GPCI_CLUSTER_BLOCKS);
    if (!gpci_cluster_divides(k->grid, r->cluster))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "%s: clusters of %u x %u x %u thread blocks (blocks.cluster_x and so on) do not fill the grid "
                         "of %u x %u x %u",
                         k->file, r->cluster[0], r->cluster[1], r->cluster[2], k->grid[0], k->grid[1], k->grid[2]);
    r->cluster_blocks = (uint32_t)blocks;
    return GPC_OK;
}

/* Number of SMs in the largest GPC. */
static uint32_t largest_gpc(const gpc_replay *r) {
    uint32_t most = 0;
    for (uint32_t gpc = 0; gpc < gpcs(r); gpc++) {
        uint32_t count = 0;
        for (uint32_t sm = 0; sm < r->block_sms; sm++)
            count += gpc_of(r, sm) == gpc;
        most = count > most ? count : most;
    }
    return most;
}

gpc_status gpci_clusters_start(gpc_replay *r, gpc_error *error) {
    gpc_status status = take_dimensions(r, error);
    if (status < 0 || r->cluster_blocks == 1)
        return status;
    const uint32_t sms = largest_gpc(r);
    if (r->cluster_blocks > (uint64_t)sms * r->room)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "%s: a cluster of %u thread blocks does not fit a GPC, of %u SMs (lrc.sms) with room for %u "
                         "each",
                         r->kernel.file, r->cluster_blocks, sms, r->room);
    if (r->sampling && gpci_config_number(r->config, GPCI_KEY_SAMPLE) != GPCI_SAMPLE_KERNELS)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "%s: sample = %s stops between thread blocks, which wait for each other in clusters; sample = "
                         "kernels can be had",
                         r->kernel.file, gpci_config_text(r->config, GPCI_KEY_SAMPLE));
    return GPC_OK;
}

gpc_status gpci_clusters_refuse(gpc_replay *r, gpc_error *error) {
    const gpc_status status = take_dimensions(r, error);
    const uint32_t blocks = r->cluster_blocks;
    r->cluster_blocks = 1;
    if (status < 0 || blocks == 1)
        return status;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "%s: clusters of %u thread blocks start as a whole, and kernels at once block by block: "
                     "gpc_replay_streams takes kernels without clusters",
                     r->kernel.file, blocks);
}

static void place_of(const gpc_replay *r, uint32_t block, uint32_t at[3]) {
    const uint32_t *grid = r->kernel.grid;
    at[0] = block % grid[0];
    at[1] = block / grid[0] % grid[1];
    at[2] = block / grid[0] / grid[1];
}

uint32_t gpci_cluster_rank(const gpc_replay *r, const gpci_block_run *run) {
    uint32_t at[3];
    place_of(r, run->block->index, at);
    return at[0] % r->cluster[0] + r->cluster[0] * (at[1] % r->cluster[1] + r->cluster[1] * (at[2] % r->cluster[2]));
}

/* Grid index of the block of rank 0 in the cluster. */
static uint32_t cluster_of(const gpc_replay *r, const gpci_block_run *run) {
    uint32_t at[3];
    place_of(r, run->block->index, at);
    for (int i = 0; i < 3; i++)
        at[i] -= at[i] % r->cluster[i];
    return at[0] + r->kernel.grid[0] * (at[1] + r->kernel.grid[1] * at[2]);
}

gpci_block_run *gpci_cluster_member(const gpc_replay *r, gpci_block_run *run, uint32_t rank) {
    gpci_block_run *at = run;
    do {
        if (gpci_cluster_rank(r, at) == rank)
            return at;
        at = at->ring;
    } while (at && at != run);
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

/* Link the blocks of a cluster in a ring. */
static void link(gpci_block_run *const *blocks, uint32_t count) {
    for (uint32_t n = 0; n < count; n++)
        blocks[n]->ring = blocks[(n + 1) % count];
}

void gpci_clusters_relink(gpc_replay *r) {
    for (uint32_t sm = 0; sm < r->sm_count && r->cluster_blocks > 1; sm++)
        for (uint32_t i = 0; i < r->sms[sm].residents; i++) {
            gpci_block_run *run = r->sms[sm].resident[i], *first = NULL;
            for (uint32_t other = 0; other <= sm && !first; other++)
                for (uint32_t n = 0; n < r->sms[other].residents && !first; n++) {
                    gpci_block_run *at = r->sms[other].resident[n];
                    first = at != run && at->ring && cluster_of(r, at) == cluster_of(r, run) ? at : NULL;
                }
            run->ring = first ? first->ring : run;
            if (first)
                first->ring = run;
        }
}

void gpci_clusters_gather(gpc_replay *r, gpci_block_run *run) {
    const uint32_t cluster = cluster_of(r, run);
    uint32_t count = 1;
    run->queued = NULL;
    if (r->first_gathered)
        r->last_gathered->queued = run;
    else
        r->first_gathered = run;
    r->last_gathered = run;
    r->queued++;
    for (const gpci_block_run *at = r->first_gathered; at != run; at = at->queued)
        count += cluster_of(r, at) == cluster;
    for (gpci_block_run *at = r->first_gathered; at; at = at->queued)
        if (cluster_of(r, at) == cluster)
            at->mates = count;
}

gpci_block_run *gpci_clusters_take(gpc_replay *r) {
    gpci_block_run *run = r->first_gathered;
    if (!run)
        return NULL;
    r->first_gathered = run->queued;
    r->queued--;
    return run;
}

/* Collect the gathered blocks of a cluster, in order of rank. Returns their number. */
static uint32_t mates_of(const gpc_replay *r, const gpci_block_run *run, gpci_block_run *blocks[GPCI_CLUSTER_BLOCKS]) {
    gpci_block_run *by_rank[GPCI_CLUSTER_BLOCKS] = {NULL};
    uint32_t count = 0;
    for (gpci_block_run *at = r->first_gathered; at; at = at->queued)
        if (cluster_of(r, at) == cluster_of(r, run))
            by_rank[gpci_cluster_rank(r, at)] = at;
    for (uint32_t rank = 0; rank < GPCI_CLUSTER_BLOCKS; rank++)
        if (by_rank[rank])
            blocks[count++] = by_rank[rank];
    return count;
}

/* Number of the first `count` blocks planned for an SM. */
static uint32_t planned(const uint32_t *sms, uint32_t count, uint32_t sm) {
    uint32_t found = 0;
    for (uint32_t n = 0; n < count; n++)
        found += sms[n] == sm;
    return found;
}

/* Choose SMs of a GPC for `count` blocks. False if the GPC lacks room. */
static bool plan_gpc(const gpc_replay *r, uint32_t gpc, uint32_t count, uint32_t *sms) {
    for (uint32_t n = 0; n < count; n++) {
        uint32_t best = r->block_sms, least = r->room;
        for (uint32_t sm = 0; sm < r->block_sms; sm++) {
            if (gpc_of(r, sm) != gpc)
                continue;
            const uint32_t has = r->sms[sm].residents + planned(sms, n, sm);
            if (has < least) {
                least = has;
                best = sm;
            }
        }
        if (best == r->block_sms)
            return false;
        sms[n] = best;
    }
    return true;
}

/* Choose SMs for a cluster. GPC_BUSY: not enough room now. */
static gpc_status plan(gpc_replay *r, gpci_block_run *const *blocks, uint32_t count, uint32_t *sms, gpc_error *error) {
    if (!r->by_map) {
        for (uint32_t n = 0; n < gpcs(r); n++) {
            const uint32_t gpc = (r->next_sm + n) % gpcs(r);
            if (!plan_gpc(r, gpc, count, sms))
                continue;
            r->next_sm = (gpc + 1) % gpcs(r);
            return GPC_OK;
        }
        return GPC_BUSY;
    }
    for (uint32_t n = 0; n < count; n++)
        sms[n] = r->kernel.placement[blocks[n]->block->index];
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t needs = planned(sms, count, sms[n]);
        if (needs > r->room)
            return gpci_fail(error, GPC_ERROR_RANGE,
                             "%s: the placement map puts %u thread blocks of the cluster of block %u on SM %u, which "
                             "has room for %u",
                             r->kernel.file, needs, blocks[n]->block->index, sms[n], r->room);
        if (r->sms[sms[n]].residents + needs > r->room)
            return GPC_BUSY;
    }
    return GPC_OK;
}

static void take_out(gpc_replay *r, const gpci_block_run *run) {
    gpci_block_run **at = &r->first_gathered, *before = NULL;
    while (*at != run) {
        before = *at;
        at = &before->queued;
    }
    *at = run->queued;
    if (r->last_gathered == run)
        r->last_gathered = before;
    r->queued--;
}

/* Start the gathered blocks of a cluster. GPC_BUSY: not enough room now. */
static gpc_status start_cluster(gpc_replay *r, const gpci_block_run *run, gpc_error *error) {
    gpci_block_run *blocks[GPCI_CLUSTER_BLOCKS];
    uint32_t sms[GPCI_CLUSTER_BLOCKS];
    const uint32_t count = mates_of(r, run, blocks);
    const gpc_status status = plan(r, blocks, count, sms, error);
    if (status != GPC_OK)
        return status;
    for (uint32_t n = 0; n < count; n++) {
        take_out(r, blocks[n]);
        gpci_dispatch_start_block(r, sms[n], blocks[n]);
    }
    link(blocks, count);
    if (r->timed && !r->warming)
        gpci_timed_start_as_one(r->timed, blocks, count);
    return GPC_OK;
}

/* Start complete clusters in order of completion, until room runs out. */
static gpc_status start_clusters(gpc_replay *r, bool *waits, gpc_error *error) {
    gpci_block_run *run = r->first_gathered;
    *waits = false;
    while (run) {
        if (run->mates < r->cluster_blocks && !r->ended) {
            run = run->queued;
            continue;
        }
        const gpc_status status = start_cluster(r, run, error);
        if (status < 0)
            return status;
        *waits |= status == GPC_BUSY;
        if (status == GPC_BUSY && !r->by_map)
            return GPC_OK;
        run = status == GPC_BUSY ? run->queued : r->first_gathered;
    }
    return GPC_OK;
}

/* Gather the next block of the trace; at the end of the kernel set `ended`. */
static gpc_status read_block(gpc_replay *r, gpc_error *error) {
    gpci_block_run *run;
    const gpc_status status = gpci_dispatch_read(r, error, &run);
    if (run)
        gpci_clusters_gather(r, run);
    return status;
}

gpc_status gpci_clusters_fill(gpc_replay *r, gpc_error *error) {
    for (;;) {
        bool waits;
        gpc_status status = start_clusters(r, &waits, error);
        if (status < 0 || r->ended || (waits && (!r->by_map || r->queued >= GATHERED_PER_SM * r->block_sms)))
            return status;
        status = read_block(r, error);
        if (status < 0)
            return status;
    }
}

uint32_t gpci_cluster_targets(const gpc_replay *r, uint32_t sm, uint32_t block, const gpc_instruction *i,
                              uint32_t sms[GPCI_CLUSTER_BLOCKS]) {
    uint32_t mask = 0, count = 0, at = 0;
    if (i->kind != GPC_LOAD || !gpci_number_of_barrier(i, 0, &mask))
        return 0;
    while (r->sms[sm].resident[at]->block->index != block)
        at++;
    for (; mask; mask &= mask - 1) {
        const gpci_block_run *run = gpci_cluster_member(r, r->sms[sm].resident[at], gpci_lowest(mask));
        if (run && !planned(sms, count, run->sm))
            sms[count++] = run->sm;
    }
    return count;
}
