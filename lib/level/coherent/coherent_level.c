/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/coherent/coherent_level.h"
#include "base/check.h"
#include "coherence/tree/tree_archive.h"

#include "coherence/module/transaction.h"
#include "coherence/module/tree.h"
#include "level/access/values.h"
#include "level/rules/driver.h"
#include "level/rules/events.h"
#include "level/rules/level_count.h"

#include <string.h>

/* Line transactions as accesses of the tree, and the counts of these accesses in the hierarchy's statistics. */

/*
 * Access flags, named after AMD's bits, for PTX cache operators. GLC: skip L1. GLC and SLC: a load skips all caches, a
 * store writes through all caches.
 */
static const uint8_t bits_of[GPC_HINT_COUNT] = {
    [GPC_HINT_CG] = GPC_ACCESS_GLC,
    [GPC_HINT_CV] = GPC_ACCESS_GLC | GPC_ACCESS_SLC,
    [GPC_HINT_WT] = GPC_ACCESS_GLC | GPC_ACCESS_SLC,
};

static uint32_t sectors_of(const gpci_coherent *coherent, uint32_t bytes) {
    return bytes > coherent->control ? (bytes - coherent->control + GPCI_SEGMENT - 1) / GPCI_SEGMENT : 0;
}

/*
 * A step that reads memory (memory = 1) sends the data: the size is that of the step's message. A step that writes
 * memory has received the data: the size is that of the message before the step (`after`).
 */
uint32_t gpci_coherent_sectors(const gpc_hierarchy *hierarchy, const gpc_coherence_message *messages, uint32_t step) {
    const gpc_coherence_message *message = &messages[step];
    if (message->memory == 1)
        return sectors_of(hierarchy->coherent, message->bytes);
    return message->memory && message->after != GPC_NO_MESSAGE
               ? sectors_of(hierarchy->coherent, messages[message->after].bytes)
               : 0;
}

/* Count packets and bytes between GPUs, and requests to memories of the own GPU and of other GPUs. */
static GPCI_NOINLINE void count_gpus(gpc_hierarchy *hierarchy, gpc_message_kind kind, uint32_t from, uint32_t to,
                                     uint32_t bytes) {
    const gpci_coherent *coherent = hierarchy->coherent;
    const bool crosses = gpci_gpu_of(coherent, from) != gpci_gpu_of(coherent, to);
    const bool asks = kind == GPC_MESSAGE_READ_REQUEST || kind == GPC_MESSAGE_WRITE_REQUEST;
    const bool home = gpci_is_memory(coherent, to) || gpci_is_near(coherent, from);
    hierarchy->stats.gpu_link_packets += crosses;
    hierarchy->stats.gpu_link_bytes += crosses ? bytes : 0;
    hierarchy->stats.local_requests += asks && gpci_is_memory(coherent, to) && !crosses;
    hierarchy->stats.remote_requests += asks && home && crosses;
}

/* Count sectors between a near half and a home half. `from` or `to` is a near half. */
static void count_remote(gpc_hierarchy *hierarchy, uint32_t from, uint32_t to, uint32_t sectors) {
    const gpci_coherent *coherent = hierarchy->coherent;
    const uint32_t near = gpci_is_near(coherent, from) ? from : to, other = near == from ? to : from;
    if (gpci_is_slice(coherent, other))
        gpci_count_l2_remote(hierarchy, near - coherent->first_near, sectors);
}

bool gpci_coherent_passes(const gpci_coherent *coherent, uint32_t module, uint32_t kind, uint32_t flags) {
    const gpci_module *l1 = gpci_module_at(coherent->tree, module);
    return gpci_tree_bypasses(l1, gpci_tree_event_of(coherent->tree, kind, flags), kind, flags);
}

void gpci_coherent_count(gpc_hierarchy *hierarchy, gpc_message_kind kind, uint32_t from, uint32_t to, uint32_t bytes,
                         bool passes) {
    const gpci_coherent *coherent = hierarchy->coherent;
    if (GPCI_UNLIKELY(coherent->gpus > 1 && bytes))
        count_gpus(hierarchy, kind, from, to, bytes);
    uint32_t sectors = sectors_of(coherent, bytes);
    if (!sectors)
        return;
    if (GPCI_UNLIKELY(coherent->parts > 1 && (gpci_is_near(coherent, from) || gpci_is_near(coherent, to))))
        count_remote(hierarchy, from, to, sectors);
    if (kind == GPC_MESSAGE_DATA) {
        const uint8_t segments = (uint8_t)((1u << sectors) - 1);
        if (to < coherent->sms)
            gpci_count_l1_fetch(hierarchy, to, segments);
        if (to < coherent->sms && passes)
            gpci_count_l1_unfilled(hierarchy, to, segments);
        return;
    }
    if (kind != GPC_MESSAGE_WRITE_BACK && kind != GPC_MESSAGE_WRITE_THROUGH)
        return;
    if (kind == GPC_MESSAGE_WRITE_BACK && from < coherent->sms)
        gpci_count_l1_write_back(hierarchy, from, sectors);
    if (gpci_is_slice(coherent, from))
        gpci_count_l2_write_back(hierarchy, from - coherent->first_slice, sectors);
    if (gpci_is_slice(coherent, to))
        gpci_count_l2_write(hierarchy, to - coherent->first_slice, sectors, sectors);
}

void gpci_coherent_count_along(gpc_hierarchy *hierarchy, uint32_t from, uint32_t to, uint32_t header) {
    const bool crosses = gpci_gpu_of(hierarchy->coherent, from) != gpci_gpu_of(hierarchy->coherent, to);
    hierarchy->stats.gpu_link_packets -= crosses;
    hierarchy->stats.gpu_link_bytes -= crosses ? header : 0;
}

/* Count the messages of an access, which may bypass L1. Returns the sectors read from memory. */
static uint32_t count(gpc_hierarchy *hierarchy, const gpc_coherence_result *result, bool passes) {
    uint32_t read = 0;
    for (uint32_t i = 0; i < result->message_count; i++) {
        const gpc_coherence_message *message = &result->messages[i];
        gpci_coherent_count(hierarchy, (gpc_message_kind)message->kind, message->from, message->to, message->bytes,
                            passes);
        if (!message->memory)
            continue;
        uint32_t sectors = gpci_coherent_sectors(hierarchy, result->messages, i);
        read += message->memory == 1 ? sectors : 0;
        gpci_count_dram_write(hierarchy, message->memory == 1 ? 0 : sectors);
    }
    gpci_count_dram_read(hierarchy, read);
    return read;
}

/* Byte mask of a store of `size` bytes from the line's byte `first` on. NULL: the store writes all these bytes. */
static const uint8_t *mask_of(gpci_coherent *coherent, const uint64_t bytes[2], uint32_t first, uint32_t size) {
    bool all = true;
    memset(coherent->mask, 0, sizeof coherent->mask);
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t bit = bytes[(first + i) / 64] >> (first + i) % 64 & 1;
        coherent->mask[i / 8] |= (uint8_t)(bit << (i & 7));
        all &= bit;
    }
    return all ? NULL : coherent->mask;
}

/*
 * True if a slice needs the byte mask: slices keep single bytes (masks), or the store has the size of a whole block but
 * does not write all bytes.
 */
static bool needs_mask(const gpci_coherent *coherent, const gpc_coherence_request *request, const uint64_t bytes[2]) {
    return coherent->masks || (request->size == coherent->full_block_bytes &&
                               gpci_popcount(bytes[0]) + gpci_popcount(bytes[1]) != request->size);
}

/*
 * With l1.write_allocate = lazy: true if a store that misses L1 goes to the low module. A store of a whole block
 * allocates in L1 if the protocol's table requests only write permission. If the table requests data, L1 would read
 * bytes that the store overwrites.
 */
static bool goes_around(const gpci_coherent *coherent, const gpc_coherence_request *request, const uint64_t bytes[2]) {
    const gpci_module *l1 = gpci_module_at(coherent->tree, request->module);
    const bool n_store = request->kind == GPC_COHERENCE_N_STORE;
    const gpc_protocol_rule rule = l1->rules[GPC_LINE_I][n_store ? GPC_EVENT_N_STORE : GPC_EVENT_STORE];
    return gpci_popcount(bytes[0]) + gpci_popcount(bytes[1]) != l1->given.block_bytes ||
           rule.actions & GPC_DO_READ_REQUEST;
}

/* True if an atomic has an order, and the scope of a thread block. */
static bool is_local(const gpc_request *request) {
    return request->scope == GPC_SCOPE_CTA && request->order >= GPC_ORDER_RELAXED;
}

gpc_coherence_request gpci_coherent_request(gpci_coherent *coherent, const gpc_request *r, const uint64_t bytes[2]) {
    uint32_t first = bytes[0] ? gpci_lowest(bytes[0]) : bytes[1] ? 64 + gpci_lowest(bytes[1]) : 0;
    uint32_t last = bytes[1] ? 64 + gpci_log2(bytes[1]) : bytes[0] ? gpci_log2(bytes[0]) : 0;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = r->sm;
    request.address = r->address + first;
    request.size = last - first + 1;
    request.flags = bits_of[r->hint];
    const bool core = r->sm >= coherent->first_core;
    const bool local = GPCI_UNLIKELY(r->kind == GPC_ATOMIC) && coherent->local_atomics && is_local(r);
    request.kind = (r->kind == GPC_STORE && !core) || local                                    ? GPC_COHERENCE_N_STORE
                   : r->kind == GPC_STORE || r->kind == GPC_ATOMIC || r->kind == GPC_REDUCTION ? GPC_COHERENCE_STORE
                                                                                               : GPC_COHERENCE_LOAD;
    if (GPCI_UNLIKELY(r->kind == GPC_ATOMIC))
        request.flags |= GPC_ACCESS_RETURNS;
    if (request.kind != GPC_COHERENCE_LOAD)
        request.flags |= coherent->stores[r->space == GPC_SPACE_LOCAL];
    if (GPCI_UNLIKELY(coherent->lazy[r->space == GPC_SPACE_LOCAL]) && r->kind == GPC_STORE &&
        goes_around(coherent, &request, bytes))
        request.flags |= GPC_ACCESS_NO_ALLOCATE;
    if (request.kind == GPC_COHERENCE_N_STORE && !local && needs_mask(coherent, &request, bytes))
        request.mask = mask_of(coherent, bytes, first, request.size);
    return request;
}

void gpci_coherent_say(const gpci_coherent *coherent, const gpc_request *request, uint8_t needs) {
    const gpci_module *l1 = gpci_module_at(coherent->tree, request->sm);
    const uint64_t line = request->address >> l1->line_shift << l1->line_shift;
    uint8_t absent = 0, wanted = 0;
    for (uint32_t sector = 0; sector < l1->sectors; sector++)
        if (gpci_module_find(l1, line + ((uint64_t)sector << l1->block_shift)) == GPCI_TREE_NO_BLOCK)
            absent |= (uint8_t)(1u << sector);
    needs &= absent;
    for (uint32_t sector = 0; sector < l1->sectors; sector++)
        if (needs & ((1u << (l1->fetch_mask + 1)) - 1) << (sector & ~l1->fetch_mask))
            wanted |= (uint8_t)(1u << sector);
    coherent->tree->asks = (gpci_tree_asks){.own = needs, .below = wanted & absent};
}

/* Values that an access of the tree carries: bytes of a line, or atomic operations. */
typedef struct carried {
    gpci_line_values line;
    gpc_atomic atomics[GPCI_MAX_LANES];
} carried;

static GPCI_COLD void carry(const gpc_hierarchy *hierarchy, const gpci_line_access *access,
                            gpc_coherence_request *request, carried *values) {
    const gpci_lanes lanes = gpci_lanes_of(access->warp);
    if (lanes.op)
        gpci_values_atomics(&lanes, access->line->address, hierarchy->l1_level.line_bytes, request, values->atomics);
    else
        gpci_values_gather(&lanes, access->line->address, hierarchy->l1_level.line_bytes, request, &values->line);
}

static GPCI_COLD void deliver(const gpc_hierarchy *hierarchy, const gpci_line_access *access, const carried *values) {
    const gpci_lanes lanes = gpci_lanes_of(access->warp);
    if (lanes.op)
        gpci_values_found(&lanes, access->line->address, hierarchy->l1_level.line_bytes, values->atomics);
    else
        gpci_values_scatter(&lanes, access->line->address, hierarchy->l1_level.line_bytes, &values->line);
}

/* Ask L1's policies about an access (gpci_coherent_predict). Returns the segments of a load that bypasses L1, or 0. */
static GPCI_NOINLINE uint8_t predict(gpc_hierarchy *hierarchy, gpc_request *policy_request, uint8_t segments,
                                     gpc_coherence_request *request) {
    const uint32_t bits = gpci_coherent_predict(hierarchy, policy_request, request->flags);
    const uint8_t bypass = gpci_coherent_bypass(hierarchy, segments, bits, request);
    return gpci_passes_l1(hierarchy, policy_request->space) ? bypass : 0;
}

static void log_lookup(gpc_hierarchy *hierarchy, const gpc_request *request, uint32_t segments,
                       const gpc_coherence_result *result) {
    gpci_append_step(hierarchy->log, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1, request->sm, request->address, segments,
                     result->hit ? GPC_HIT : GPC_MISS);
    gpci_append_messages(hierarchy, result);
}

gpc_status gpci_coherent_line(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    const uint32_t segments = gpci_count_sectors(access->line->segments);
    gpc_coherence_request request = gpci_coherent_request(hierarchy->coherent, &access->request, access->line->bytes);
    carried values;
    if (!access->line->follows)
        gpci_tree_begin_line(hierarchy->coherent->tree);
    gpci_coherent_tell(hierarchy->coherent, &access->request, access->line->asks);
    if (GPCI_UNLIKELY(hierarchy->with_data))
        carry(hierarchy, access, &request, &values);
    const gpc_request *policy_request = &access->request;
    gpc_request own;
    uint8_t bypass = 0;
    if (gpci_coherent_asks(hierarchy->coherent, &access->request)) {
        own = access->request;
        policy_request = &own;
        bypass = predict(hierarchy, &own, access->line->segments, &request);
    }
    gpc_status status = gpci_coherence_access(hierarchy->coherent->tree, &request, policy_request, NULL, &result);
    if (status < 0)
        return status;
    const bool overturned = hierarchy->coherent->tree->overturned;
    if (GPCI_UNLIKELY(bypass) && !overturned)
        gpci_count_l1_bypass(hierarchy, policy_request->sm, bypass);
    if (GPCI_UNLIKELY(hierarchy->with_data))
        deliver(hierarchy, access, &values);
    const uint32_t read =
        count(hierarchy, &result,
              !overturned && gpci_coherent_passes(hierarchy->coherent, request.module, request.kind, request.flags));
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        log_lookup(hierarchy, &access->request, segments, &result);
    if (GPCI_UNLIKELY(hierarchy->coherent->tracks))
        gpci_coherent_follow(hierarchy, policy_request,
                             access->request.kind == GPC_STORE ? result.found != GPC_LINE_I : result.hit,
                             &hierarchy->coherent->tree->line->seen);
    if (result.hit) {
        access->result->l1_sector_hits += segments;
        gpci_count_l1_load(hierarchy, access->request.sm, access->request.kind == GPC_LOAD ? segments : 0, 0);
    }
    GPCI_AGAIN(hierarchy->of_sm[access->request.sm].again.l1_load_sector_hits +=
               access->request.kind == GPC_LOAD && result.hit ? segments : 0);
    /* a store that evicts a present block counts as a hit */
    if (access->request.kind == GPC_STORE &&
        (result.hit || (request.flags & GPC_ACCESS_EVICT && result.found != GPC_LINE_I)))
        gpci_count_l1_store(hierarchy, access->request.sm, segments);
    if (result.level > 1 && hierarchy->coherent->l2) {
        access->result->l2_sectors += segments;
        access->result->l2_sector_hits += result.level < hierarchy->coherent->memory_level ? segments : 0;
    }
    access->result->dram_sectors += read;
    return GPC_OK;
}

/* Count the messages of a flush or an acquire, and write the messages to the event log. */
static void count_sweep(gpc_hierarchy *hierarchy, const gpc_coherence_result *result) {
    (void)count(hierarchy, result, false);
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        gpci_append_messages(hierarchy, result);
}

static gpc_status flush_module(gpc_hierarchy *hierarchy, uint32_t module) {
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    const gpc_status status = gpc_coherence_flush(hierarchy->coherent->tree, module, 0, &result, NULL);
    if (status == GPC_OK)
        count_sweep(hierarchy, &result);
    return status;
}

static gpc_status flush_modules(gpc_hierarchy *hierarchy, gpci_private_modules all) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < all.count && status == GPC_OK; i++)
        status = flush_module(hierarchy, all.first + i);
    return status;
}

gpc_status gpci_coherent_flush(gpc_hierarchy *hierarchy, bool all) {
    if (all)
        return flush_module(hierarchy, GPC_NO_MODULE);
    gpc_status status = flush_modules(hierarchy, (gpci_private_modules){0, hierarchy->sms});
    for (uint32_t level = 0; level < 2 && status == GPC_OK && gpci_coherent_merges(hierarchy); level++)
        status = flush_modules(hierarchy, gpci_coherent_private_level(hierarchy->coherent, level));
    return status;
}

static gpc_status acquire(gpc_hierarchy *hierarchy, uint32_t module) {
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    const gpc_status status = gpc_coherence_acquire(hierarchy->coherent->tree, module, 0, &result, NULL);
    if (status == GPC_OK)
        count_sweep(hierarchy, &result);
    return status;
}

bool gpci_coherent_tracks(const gpc_hierarchy *hierarchy) {
    return hierarchy->coherent->tree->protocol->flags & GPC_PROTOCOL_DIRECTORY;
}

bool gpci_coherent_drops(const gpc_hierarchy *hierarchy) {
    const gpc_coherence *tree = hierarchy->coherent->tree;
    if (!gpci_coherent_tracks(hierarchy))
        return true;
    for (uint32_t state = 0; state < tree->states; state++) {
        const uint32_t actions = gpci_module_at(tree, 0)->rules[state][GPC_EVENT_ACQUIRE].actions;
        if (actions & ~(uint32_t)(GPC_DO_IGNORE | GPC_DO_FORBID))
            return true;
    }
    return false;
}

gpc_status gpci_coherent_acquire(gpc_hierarchy *hierarchy, uint32_t sm) {
    const gpci_coherent *coherent = hierarchy->coherent;
    if (!gpci_coherent_drops(hierarchy))
        return GPC_OK;
    const gpci_coherence_stats *l1 = &gpci_module_at(coherent->tree, sm)->stats;
    const uint64_t before = l1->invalidations;
    gpc_status status = acquire(hierarchy, sm);
    gpci_count_fence_lines(hierarchy, sm, l1->invalidations - before);
    if (status == GPC_OK && coherent->clusters)
        status = acquire(hierarchy, coherent->first_cluster + sm / coherent->cluster_sms);
    const gpci_private_modules own = gpci_coherent_private(hierarchy, sm);
    for (uint32_t i = 0; i < own.count && status == GPC_OK; i++)
        status = acquire(hierarchy, own.first + i);
    return status;
}

bool gpci_coherent_tells(const gpc_hierarchy *hierarchy, uint8_t scope) {
    const gpci_coherent *coherent = hierarchy->coherent;
    const bool within = coherent->clusters || (coherent->parts > 1 && coherent->gpus == 1);
    const bool beyond = scope == GPC_SCOPE_SYS && coherent->gpus > 1;
    return coherent->tree->protocol->flags & GPC_PROTOCOL_INVALIDATES && (within || beyond);
}

bool gpci_coherent_keeps(const gpc_hierarchy *hierarchy) {
    return !gpci_coherent_tracks(hierarchy) && hierarchy->coherent->tree->non_coherent;
}

gpc_status gpci_coherent_begin(gpc_hierarchy *hierarchy) {
    uint64_t flush = gpci_number(hierarchy, GPCI_KEY_KERNELS_FLUSH); /* 0: none, 1: l1, 2: all */
    gpc_status status = acquire(hierarchy, GPC_NO_MODULE);
    if (status == GPC_OK && flush >= 1)
        status = gpci_coherent_flush(hierarchy, flush == 2);
    hierarchy->cold |= flush == 2;
    return status;
}

void gpci_coherent_add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats) {
    const gpci_coherence_stats *l1 = &gpci_module_at(hierarchy->coherent->tree, sm)->stats;
    stats->l1_evictions += l1->evictions;
    stats->l1_invalidations += l1->invalidations;
    gpci_coherent_add_counts(hierarchy, sm, stats);
}

/* Statistics of a slice. If the slice has a near half, the sum of both halves. */
static gpci_coherence_stats slice_stats(const gpci_coherent *coherent, uint32_t slice) {
    gpci_coherence_stats sum = gpci_module_at(coherent->tree, coherent->first_slice + slice)->stats;
    if (gpci_near_of(coherent, slice) != GPC_NO_MODULE)
        gpci_coherence_add_stats(&sum, &gpci_module_at(coherent->tree, gpci_near_of(coherent, slice))->stats);
    return sum;
}

/*
 * Every request to a slice counts as a read of a whole L1 block (l1_level.line_bytes). A request of a near half to a
 * home half is not counted, because the request to the near half was counted.
 */
void gpci_coherent_add_slice(const gpc_hierarchy *hierarchy, uint32_t slice, gpc_stats *stats) {
    const gpci_coherent *coherent = hierarchy->coherent;
    uint64_t sectors = hierarchy->l1_level.line_bytes / GPCI_SEGMENT;
    if (!coherent->l2)
        return;
    const gpci_line_counts *counts = &gpci_module_at(coherent->tree, coherent->first_slice + slice)->counts;
    const gpci_coherence_stats both = slice_stats(coherent, slice), *l2 = &both;
    stats->l2_read_sectors += (l2->read_requests + l2->write_requests - counts->near_requests) * sectors;
    stats->l2_read_sector_hits += (l2->read_request_hits + l2->write_request_hits - counts->near_hits) * sectors;
    stats->l2_evictions += l2->evictions;
    stats->l2_token_bypasses += counts->token_bypasses;
    stats->l2_opportunistic_fills += counts->opportunistic_fills;
    stats->l2_priority_evictions += counts->priority_evictions;
}

static gpc_status flush_all(gpc_hierarchy *hierarchy) {
    return gpci_coherent_flush(hierarchy, true);
}

static void reset_stats(gpc_hierarchy *hierarchy) {
    gpc_coherence_reset_stats(hierarchy->coherent->tree);
    gpci_coherent_reset_counts(hierarchy);
}

static gpc_status warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event) {
    if (event->kind > GPC_KERNEL_END)
        return GPC_ERROR_ARGUMENT;
    gpci_module_warp_event(gpci_module_at(hierarchy->coherent->tree, event->sm), event);
    return GPC_OK;
}

static uint32_t objects(const gpc_hierarchy *hierarchy, gpc_object kind) {
    const gpci_coherent *coherent = hierarchy->coherent;
    switch (kind) {
    case GPC_OBJECT_L1:
        return hierarchy->sms;
    case GPC_OBJECT_CLUSTER:
        return coherent->clusters;
    case GPC_OBJECT_SLICE:
        return coherent->l2 ? hierarchy->slices : 0;
    default:
        return 0;
    }
}

static void object(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index, gpci_object_values *values) {
    const gpci_coherent *coherent = hierarchy->coherent;
    bool l1 = kind == GPC_OBJECT_L1, cluster = kind == GPC_OBJECT_CLUSTER;
    if (!l1 && !cluster && kind != GPC_OBJECT_SLICE)
        return;
    uint32_t first = l1 ? 0 : cluster ? coherent->first_cluster : coherent->first_slice;
    values->has[GPC_TABLE_COHERENCE] = true;
    values->coherence =
        l1 || cluster ? gpci_module_at(coherent->tree, first + index)->stats : slice_stats(coherent, index);
}

static void archive(gpc_hierarchy *hierarchy, gpci_archive *archived) {
    if (!hierarchy->timed && hierarchy->coherent->tree->busy)
        gpci_archive_fail(archived, GPC_ERROR_STATE, "accesses that the host has given to the tree are in flight");
    gpci_coherence_archive(hierarchy->coherent->tree, archived);
}

const gpci_levels gpci_tree_levels = {.check = gpci_coherent_check,
                                      .create = gpci_coherent_create,
                                      .destroy = gpci_coherent_destroy,
                                      .resize = gpci_coherent_resize,
                                      .begin = gpci_coherent_begin,
                                      .flush = flush_all,
                                      .add_sm = gpci_coherent_add_sm,
                                      .add_slice = gpci_coherent_add_slice,
                                      .reset_stats = reset_stats,
                                      .warp_event = warp_event,
                                      .objects = objects,
                                      .object = object,
                                      .archive = archive};

gpc_coherence *gpc_hierarchy_coherence(gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->coherent ? hierarchy->coherent->tree : NULL;
}
