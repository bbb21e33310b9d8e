/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/coherent/coherent_level.h"
#include "coherence/tree/tree_archive.h"

#include "coherence/module/tree.h"
#include "level/access/values.h"
#include "level/rules/driver.h"
#include "level/rules/events.h"
#include "level/rules/level_count.h"

#include <string.h>

/* Accesses of the tree, and their counts in the hierarchy. */

/* PTX cache operators as AMD's bits: skip L1; skip all caches; write through all caches. */
static const uint8_t bits_of[GPC_HINT_COUNT] = {
    [GPC_HINT_CG] = GPC_ACCESS_GLC,
    [GPC_HINT_CV] = GPC_ACCESS_GLC | GPC_ACCESS_SLC,
    [GPC_HINT_WT] = GPC_ACCESS_GLC | GPC_ACCESS_SLC,
};

static uint32_t sectors_of(const gpci_coherent *c, uint32_t bytes) {
    return bytes > c->control ? (bytes - c->control + GPCI_SEGMENT - 1) / GPCI_SEGMENT : 0;
}

/* Size of a memory read: the answer of the step. Size of a memory write: the message it answers. */
uint32_t gpci_coherent_sectors(const gpc_hierarchy *h, const gpc_coherence_message *messages, uint32_t step) {
    const gpc_coherence_message *m = &messages[step];
    if (m->memory == 1)
        return sectors_of(h->coherent, m->bytes);
    return m->memory && m->after != GPC_NO_MESSAGE ? sectors_of(h->coherent, messages[m->after].bytes) : 0;
}

/* Count traffic between GPUs, and between slices and memories. */
static GPCI_NOINLINE void count_gpus(gpc_hierarchy *h, gpc_message_kind kind, uint32_t from, uint32_t to,
                                     uint32_t bytes) {
    const gpci_coherent *c = h->coherent;
    const bool crosses = gpci_gpu_of(c, from) != gpci_gpu_of(c, to);
    const bool asks = kind == GPC_MESSAGE_READ_REQUEST || kind == GPC_MESSAGE_WRITE_REQUEST;
    const bool home = gpci_is_memory(c, to) || gpci_is_near(c, from);
    h->stats.gpu_link_packets += crosses;
    h->stats.gpu_link_bytes += crosses ? bytes : 0;
    h->stats.local_requests += asks && gpci_is_memory(c, to) && !crosses;
    h->stats.remote_requests += asks && home && crosses;
}

/* Count traffic between a near half and a home half; one of the modules is near. */
static void count_remote(gpc_hierarchy *h, uint32_t from, uint32_t to, uint32_t sectors) {
    const gpci_coherent *c = h->coherent;
    const uint32_t near = gpci_is_near(c, from) ? from : to, other = near == from ? to : from;
    if (gpci_is_slice(c, other))
        gpci_count_l2_remote(h, near - c->first_near, sectors);
}

void gpci_coherent_count(gpc_hierarchy *h, gpc_message_kind kind, uint32_t from, uint32_t to, uint32_t bytes) {
    const gpci_coherent *c = h->coherent;
    if (GPCI_UNLIKELY(c->gpus > 1 && bytes))
        count_gpus(h, kind, from, to, bytes);
    uint32_t sectors = sectors_of(c, bytes);
    if (!sectors)
        return;
    if (GPCI_UNLIKELY(c->parts > 1 && (gpci_is_near(c, from) || gpci_is_near(c, to))))
        count_remote(h, from, to, sectors);
    if (kind == GPC_MESSAGE_DATA) {
        if (to < c->sms)
            gpci_count_l1_fetch(h, to, (uint8_t)((1u << sectors) - 1));
        return;
    }
    if (kind != GPC_MESSAGE_WRITE_BACK && kind != GPC_MESSAGE_WRITE_THROUGH)
        return;
    if (kind == GPC_MESSAGE_WRITE_BACK && from < c->sms)
        gpci_count_l1_write_back(h, from, sectors);
    if (gpci_is_slice(c, from))
        gpci_count_l2_write_back(h, from - c->first_slice, sectors);
    if (gpci_is_slice(c, to))
        gpci_count_l2_write(h, to - c->first_slice, sectors, sectors);
}

void gpci_coherent_count_along(gpc_hierarchy *h, uint32_t from, uint32_t to, uint32_t header) {
    const bool crosses = gpci_gpu_of(h->coherent, from) != gpci_gpu_of(h->coherent, to);
    h->stats.gpu_link_packets -= crosses;
    h->stats.gpu_link_bytes -= crosses ? header : 0;
}

/* Returns the sectors read from memory. */
static uint32_t count(gpc_hierarchy *h, const gpc_coherence_result *r) {
    uint32_t read = 0;
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        gpci_coherent_count(h, (gpc_message_kind)m->kind, m->from, m->to, m->bytes);
        if (!m->memory)
            continue;
        uint32_t sectors = gpci_coherent_sectors(h, r->messages, i);
        read += m->memory == 1 ? sectors : 0;
        gpci_count_dram_write(h, m->memory == 1 ? 0 : sectors);
    }
    gpci_count_dram_read(h, read);
    return read;
}

/* Mask of the bytes a store writes, from `first` on; NULL: all. */
static const uint8_t *mask_of(gpci_coherent *c, const uint64_t bytes[2], uint32_t first, uint32_t size) {
    bool all = true;
    memset(c->mask, 0, sizeof c->mask);
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t bit = bytes[(first + i) / 64] >> (first + i) % 64 & 1;
        c->mask[i / 8] |= (uint8_t)(bit << (i & 7));
        all &= bit;
    }
    return all ? NULL : c->mask;
}

/* True if a slice needs the byte mask: slices keep partial bytes, or the store looks like a whole block but is not. */
static bool needs_mask(const gpci_coherent *c, const gpc_coherence_request *request, const uint64_t bytes[2]) {
    return c->masks ||
           (request->size == c->whole_bytes && gpci_popcount(bytes[0]) + gpci_popcount(bytes[1]) != request->size);
}

/*
 * With l1.write_allocate = lazy: true if a store miss is left to the low module. A store of a whole block stays in L1
 * if the table requests only write permission; otherwise the request would read bytes in vain.
 */
static bool goes_around(const gpci_coherent *c, const gpc_coherence_request *request, const uint64_t bytes[2]) {
    const gpci_module *l1 = gpci_module_at(c->tree, request->module);
    const bool n_store = request->kind == GPC_COHERENCE_N_STORE;
    const gpc_protocol_rule rule = l1->rules[GPC_LINE_I][n_store ? GPC_EVENT_N_STORE : GPC_EVENT_STORE];
    return gpci_popcount(bytes[0]) + gpci_popcount(bytes[1]) != l1->given.block_bytes ||
           rule.actions & GPC_DO_READ_REQUEST;
}

/* True for an atomic with thread-block scope. */
static bool is_local(const gpc_request *r) {
    return r->scope == GPC_SCOPE_CTA && r->order >= GPC_ORDER_RELAXED;
}

gpc_coherence_request gpci_coherent_request(gpci_coherent *c, const gpc_request *r, const uint64_t bytes[2]) {
    uint32_t first = bytes[0] ? gpci_lowest(bytes[0]) : bytes[1] ? 64 + gpci_lowest(bytes[1]) : 0;
    uint32_t last = bytes[1] ? 64 + gpci_log2(bytes[1]) : bytes[0] ? gpci_log2(bytes[0]) : 0;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = r->sm;
    request.address = r->address + first;
    request.size = last - first + 1;
    request.flags = bits_of[r->hint];
    const bool core = r->sm >= c->first_core;
    const bool local = GPCI_UNLIKELY(r->kind == GPC_ATOMIC) && c->local_atomics && is_local(r);
    request.kind = (r->kind == GPC_STORE && !core) || local                                    ? GPC_COHERENCE_N_STORE
                   : r->kind == GPC_STORE || r->kind == GPC_ATOMIC || r->kind == GPC_REDUCTION ? GPC_COHERENCE_STORE
                                                                                               : GPC_COHERENCE_LOAD;
    if (GPCI_UNLIKELY(r->kind == GPC_ATOMIC))
        request.flags |= GPC_ACCESS_RETURNS;
    if (request.kind != GPC_COHERENCE_LOAD)
        request.flags |= c->stores[r->space == GPC_SPACE_LOCAL];
    if (GPCI_UNLIKELY(c->lazy[r->space == GPC_SPACE_LOCAL]) && r->kind == GPC_STORE && goes_around(c, &request, bytes))
        request.flags |= GPC_ACCESS_NO_ALLOCATE;
    if (request.kind == GPC_COHERENCE_N_STORE && !local && needs_mask(c, &request, bytes))
        request.mask = mask_of(c, bytes, first, request.size);
    return request;
}

void gpci_coherent_say(const gpci_coherent *c, const gpc_request *r, uint8_t needs) {
    const gpci_module *l1 = gpci_module_at(c->tree, r->sm);
    const uint64_t line = r->address >> l1->line_shift << l1->line_shift;
    uint8_t absent = 0, wanted = 0;
    for (uint32_t sector = 0; sector < l1->sectors; sector++)
        if (gpci_module_find(l1, line + ((uint64_t)sector << l1->block_shift)) == GPCI_TREE_NO_BLOCK)
            absent |= (uint8_t)(1u << sector);
    needs &= absent;
    for (uint32_t sector = 0; sector < l1->sectors; sector++)
        if (needs & ((1u << (l1->fetch_mask + 1)) - 1) << (sector & ~l1->fetch_mask))
            wanted |= (uint8_t)(1u << sector);
    c->tree->asks = (gpci_tree_asks){.own = needs, .below = wanted & absent};
}

/* Values of a line in flight. */
typedef struct carried {
    gpci_line_values line;
    gpc_atomic atomics[GPCI_MAX_LANES];
} carried;

static GPCI_COLD void carry(const gpc_hierarchy *h, const gpci_line_access *a, gpc_coherence_request *request,
                            carried *values) {
    const gpci_lanes lanes = gpci_lanes_of(a->warp);
    if (lanes.op)
        gpci_values_atomics(&lanes, a->line->address, h->l1_level.line_bytes, request, values->atomics);
    else
        gpci_values_gather(&lanes, a->line->address, h->l1_level.line_bytes, request, &values->line);
}

static GPCI_COLD void deliver(const gpc_hierarchy *h, const gpci_line_access *a, const carried *values) {
    const gpci_lanes lanes = gpci_lanes_of(a->warp);
    if (lanes.op)
        gpci_values_found(&lanes, a->line->address, h->l1_level.line_bytes, values->atomics);
    else
        gpci_values_scatter(&lanes, a->line->address, h->l1_level.line_bytes, &values->line);
}

/* Ask L1's predictor about an access. Returns the segments to bypass. */
static GPCI_NOINLINE uint8_t predict(gpc_hierarchy *h, gpc_request *policy_request, uint8_t segments,
                                     gpc_coherence_request *request) {
    const uint32_t bits = gpci_coherent_predict(h, policy_request, request->flags);
    const uint8_t bypass = gpci_coherent_bypass(h, segments, bits, request);
    return gpci_passes_l1(h, policy_request->space) ? bypass : 0;
}

static void log_lookup(gpc_hierarchy *h, const gpc_request *request, uint32_t segments, const gpc_coherence_result *r) {
    gpci_append_step(h->log, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1, request->sm, request->address, segments,
                     r->hit ? GPC_HIT : GPC_MISS);
    gpci_append_messages(h, r);
}

gpc_status gpci_coherent_line(gpc_hierarchy *h, const gpci_line_access *a) {
    gpc_coherence_result r = GPC_COHERENCE_RESULT_INIT;
    const uint32_t segments = gpci_count_sectors(a->line->segments);
    gpc_coherence_request request = gpci_coherent_request(h->coherent, &a->request, a->line->bytes);
    carried values;
    gpci_coherent_tell(h->coherent, &a->request, a->line->asks, a->line->follows);
    if (GPCI_UNLIKELY(h->with_data))
        carry(h, a, &request, &values);
    const gpc_request *policy_request = &a->request;
    gpc_request own;
    uint8_t bypass = 0;
    if (gpci_coherent_asks(h->coherent, &a->request)) {
        own = a->request;
        policy_request = &own;
        bypass = predict(h, &own, a->line->segments, &request);
    }
    gpc_status status = gpci_coherence_access(h->coherent->tree, &request, policy_request, NULL, &r);
    if (status < 0)
        return status;
    if (GPCI_UNLIKELY(bypass) && !h->coherent->tree->overturned)
        gpci_count_l1_bypass(h, policy_request->sm, bypass);
    if (GPCI_UNLIKELY(h->with_data))
        deliver(h, a, &values);
    const uint32_t read = count(h, &r);
    if (GPCI_UNLIKELY(h->log != NULL))
        log_lookup(h, &a->request, segments, &r);
    if (GPCI_UNLIKELY(h->coherent->tracks))
        gpci_coherent_follow(h, policy_request, a->request.kind == GPC_STORE ? r.found != GPC_LINE_I : r.hit);
    if (r.hit) {
        a->result->l1_sector_hits += segments;
        gpci_count_l1_load(h, a->request.sm, a->request.kind == GPC_LOAD ? segments : 0, 0);
    }
    /* a store that evicts a present block counts as a hit */
    if (a->request.kind == GPC_STORE && (r.hit || (request.flags & GPC_ACCESS_EVICT && r.found != GPC_LINE_I)))
        gpci_count_l1_store(h, a->request.sm, segments);
    if (r.level > 1 && h->coherent->l2) {
        a->result->l2_sectors += segments;
        a->result->l2_sector_hits += r.level < h->coherent->memory_level ? segments : 0;
    }
    a->result->dram_sectors += read;
    return GPC_OK;
}

/* Count and report the messages of a flush or an acquire; neither takes time. */
static void count_sweep(gpc_hierarchy *h, const gpc_coherence_result *r) {
    (void)count(h, r);
    if (GPCI_UNLIKELY(h->log != NULL))
        gpci_append_messages(h, r);
}

static gpc_status flush_module(gpc_hierarchy *h, uint32_t module) {
    gpc_coherence_result r = GPC_COHERENCE_RESULT_INIT;
    const gpc_status status = gpc_coherence_flush(h->coherent->tree, module, 0, NULL, &r);
    if (status == GPC_OK)
        count_sweep(h, &r);
    return status;
}

static gpc_status flush_modules(gpc_hierarchy *h, gpci_private_modules all) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < all.count && status == GPC_OK; i++)
        status = flush_module(h, all.first + i);
    return status;
}

gpc_status gpci_coherent_flush(gpc_hierarchy *h, bool all) {
    if (all)
        return flush_module(h, GPC_NO_MODULE);
    gpc_status status = flush_modules(h, (gpci_private_modules){0, h->sms});
    for (uint32_t level = 0; level < 2 && status == GPC_OK && gpci_coherent_merges(h); level++)
        status = flush_modules(h, gpci_coherent_private_level(h->coherent, level));
    return status;
}

static gpc_status acquire(gpc_hierarchy *h, uint32_t module) {
    gpc_coherence_result r = GPC_COHERENCE_RESULT_INIT;
    const gpc_status status = gpc_coherence_acquire(h->coherent->tree, module, 0, NULL, &r);
    if (status == GPC_OK)
        count_sweep(h, &r);
    return status;
}

bool gpci_coherent_tracks(const gpc_hierarchy *h) {
    return h->coherent->tree->protocol->flags & GPC_PROTOCOL_DIRECTORY;
}

bool gpci_coherent_drops(const gpc_hierarchy *h) {
    const gpc_coherence *tree = h->coherent->tree;
    if (!gpci_coherent_tracks(h))
        return true;
    for (uint32_t state = 0; state < tree->states; state++) {
        const uint32_t actions = gpci_module_at(tree, 0)->rules[state][GPC_EVENT_ACQUIRE].actions;
        if (actions & ~(uint32_t)(GPC_DO_IGNORE | GPC_DO_FORBID))
            return true;
    }
    return false;
}

gpc_status gpci_coherent_acquire(gpc_hierarchy *h, uint32_t sm) {
    const gpci_coherent *c = h->coherent;
    if (!gpci_coherent_drops(h))
        return GPC_OK;
    const gpc_coherence_stats *l1 = &gpci_module_at(c->tree, sm)->stats;
    const uint64_t before = l1->invalidations;
    gpc_status status = acquire(h, sm);
    gpci_count_fence_lines(h, sm, l1->invalidations - before);
    if (status == GPC_OK && c->clusters)
        status = acquire(h, c->first_cluster + sm / c->cluster_sms);
    const gpci_private_modules own = gpci_coherent_private(h, sm);
    for (uint32_t i = 0; i < own.count && status == GPC_OK; i++)
        status = acquire(h, own.first + i);
    return status;
}

bool gpci_coherent_tells(const gpc_hierarchy *h, uint8_t scope) {
    const gpci_coherent *c = h->coherent;
    const bool within = c->clusters || (c->parts > 1 && c->gpus == 1);
    const bool beyond = scope == GPC_SCOPE_SYS && c->gpus > 1;
    return c->tree->protocol->flags & GPC_PROTOCOL_INVALIDATES && (within || beyond);
}

bool gpci_coherent_keeps(const gpc_hierarchy *h) {
    return !gpci_coherent_tracks(h) && h->coherent->tree->non_coherent;
}

gpc_status gpci_coherent_begin(gpc_hierarchy *h) {
    uint64_t flush = gpci_number(h, GPCI_KEY_KERNELS_FLUSH); /* 0: none, 1: l1, 2: all */
    gpc_status status = acquire(h, GPC_NO_MODULE);
    if (status == GPC_OK && flush >= 1)
        status = gpci_coherent_flush(h, flush == 2);
    h->cold |= flush == 2;
    return status;
}

void gpci_coherent_add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *s) {
    const gpc_coherence_stats *l1 = &gpci_module_at(h->coherent->tree, sm)->stats;
    s->l1_evictions += l1->evictions;
    s->l1_invalidations += l1->invalidations;
    gpci_coherent_add_counts(h, sm, s);
}

/* Statistics of a slice, summed over both halves if divided. */
static gpc_coherence_stats slice_stats(const gpci_coherent *c, uint32_t slice) {
    gpc_coherence_stats sum = gpci_module_at(c->tree, c->first_slice + slice)->stats;
    if (gpci_near_of(c, slice) != GPC_NO_MODULE)
        gpci_coherence_add_stats(&sum, &gpci_module_at(c->tree, gpci_near_of(c, slice))->stats);
    return sum;
}

/*
 * Requests are for whole lines of the requester. Requests of near halves to home halves are not counted as further L2
 * reads.
 */
void gpci_coherent_add_slice(const gpc_hierarchy *h, uint32_t slice, gpc_stats *s) {
    const gpci_coherent *c = h->coherent;
    uint64_t sectors = h->l1_level.line_bytes / GPCI_SEGMENT;
    if (!c->l2)
        return;
    const gpci_line_counts *counts = &gpci_module_at(c->tree, c->first_slice + slice)->counts;
    const gpc_coherence_stats both = slice_stats(c, slice), *l2 = &both;
    s->l2_read_sectors += (l2->read_requests + l2->write_requests - counts->near_requests) * sectors;
    s->l2_read_sector_hits += (l2->read_request_hits + l2->write_request_hits - counts->near_hits) * sectors;
    s->l2_evictions += l2->evictions;
    s->l2_token_bypasses += counts->token_bypasses;
    s->l2_opportunistic_fills += counts->opportunistic_fills;
    s->l2_priority_evictions += counts->priority_evictions;
}

static gpc_status flush_all(gpc_hierarchy *h) {
    return gpci_coherent_flush(h, true);
}

static void reset_stats(gpc_hierarchy *h) {
    gpc_coherence_reset_stats(h->coherent->tree);
    gpci_coherent_reset_counts(h);
}

static gpc_status warp_event(gpc_hierarchy *h, const gpc_warp_event *event) {
    if (event->kind > GPC_KERNEL_END)
        return GPC_ERROR_ARGUMENT;
    gpci_module_warp_event(gpci_module_at(h->coherent->tree, event->sm), event);
    return GPC_OK;
}

static uint32_t objects(const gpc_hierarchy *h, gpc_object kind) {
    const gpci_coherent *c = h->coherent;
    switch (kind) {
    case GPC_OBJECT_L1:
        return h->sms;
    case GPC_OBJECT_CLUSTER:
        return c->clusters;
    case GPC_OBJECT_SLICE:
        return c->l2 ? h->slices : 0;
    default:
        return 0;
    }
}

static void object(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values) {
    const gpci_coherent *c = h->coherent;
    bool l1 = kind == GPC_OBJECT_L1, cluster = kind == GPC_OBJECT_CLUSTER;
    if (!l1 && !cluster && kind != GPC_OBJECT_SLICE)
        return;
    uint32_t first = l1 ? 0 : cluster ? c->first_cluster : c->first_slice;
    values->has[GPC_TABLE_COHERENCE] = true;
    values->coherence = l1 || cluster ? gpci_module_at(c->tree, first + index)->stats : slice_stats(c, index);
}

static void archive(gpc_hierarchy *h, gpci_archive *a) {
    if (!h->timed && h->coherent->tree->busy)
        gpci_archive_fail(a, GPC_ERROR_STATE, "accesses that the host has given to the tree are in flight");
    gpci_coherence_archive(h->coherent->tree, a);
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

gpc_coherence *gpc_hierarchy_coherence(gpc_hierarchy *h) {
    return h && h->coherent ? h->coherent->tree : NULL;
}
