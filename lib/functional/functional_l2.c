/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/below.h"
#include "level/events.h"

#include "cache/cache.h"

/*
 * Below L1: the SM's own L2 partition, the line's home partition, DRAM. Counts are
 * in 32-byte segments whatever the levels' sectors are.
 *
 * Two partitions, line homed in the other one (H100): a read that misses in the
 * SM's own slice goes on to the home slice and leaves a copy in both; a write or an
 * atomic goes to the home slice and drops the copy.
 */

static gpc_cache *slice_at(const gpc_hierarchy *h, uint32_t partition, const gpci_place *p) {
    return h->l2[partition * h->slices_per_partition + p->slice];
}

/* Addresses are the host's. */
static void see_memory(const gpc_hierarchy *h, gpc_what what, uint64_t address, uint32_t segments) {
    if (GPCI_UNLIKELY(h->trace != NULL) && segments)
        gpci_tell_step(h->trace, what, GPC_COMPONENT_MEMORY, gpci_place_of(h, address).slice, address, segments, 0);
}

static void write_dram(gpc_hierarchy *h, uint64_t address, uint32_t segments) {
    h->stats.dram_write_sectors += segments;
    see_memory(h, GPC_WHAT_MEMORY_WRITE, address, segments);
}

/* A line's dirty segments in an L1 that must give it up. */
static void write_taken(void *user_data, uint64_t address, uint8_t segments) {
    write_dram(user_data, address, gpci_count_sectors(segments));
}

static void read_dram(gpc_hierarchy *h, const gpci_access *a, uint64_t address, uint32_t segments) {
    h->stats.dram_read_sectors += segments;
    see_memory(h, GPC_WHAT_MEMORY_READ, address, segments);
    a->result->dram_sectors += segments;
}

uint8_t gpci_whole_segments(const uint64_t bytes[2]) {
    uint8_t segments = 0;
    for (unsigned s = 0; s < 4; s++)
        segments |= (uint8_t)(((uint32_t)(bytes[s / 2] >> (s % 2 * 32)) == UINT32_MAX ? 1u : 0u) << s);
    return segments;
}

void gpci_take_from_l1(gpc_hierarchy *h, uint64_t address, gpci_dirty_fn write, void *user_data) {
    for (uint32_t sm = 0; sm < h->sms; sm++)
        for (uint32_t at = 0; at < h->l2_level.line_bytes; at += h->l1_level.line_bytes) {
            gpc_line line;
            if (!gpci_line_of(h->l1[sm], address + at, &line))
                continue;
            uint64_t bytes[2];
            gpci_dirty_bytes(h->l1[sm], &line, bytes);
            uint8_t segments = gpci_segments_of(bytes);
            h->of_sm[sm].l1_write_back_sectors += gpci_count_sectors(segments);
            gpci_see_dropped(h, h->l1[sm], GPC_COMPONENT_L1, sm, address + at, address + at);
            write(user_data, address + at, segments);
            gpc_cache_invalidate_line(h->l1[sm], address + at);
        }
}

/* A line of a slice, as the host knows it. */
static uint64_t outer(const gpc_hierarchy *h, uint32_t slice, uint64_t inner) {
    return gpci_interleave_address(&h->interleave, slice % h->slices_per_partition, inner);
}

static void tell_write_back(const gpc_hierarchy *h, uint32_t slice, uint64_t line, uint32_t segments) {
    gpci_ids present = h->trace->below;
    gpci_see_step(h, GPC_WHAT_WRITE_BACK, GPC_COMPONENT_L2, slice, line, segments, 0);
    see_memory(h, GPC_WHAT_MEMORY_WRITE, line, segments);
    h->trace->below = present;
}

/* Dirty bytes of an L2 line go to DRAM. */
static void write_back(gpc_hierarchy *h, uint32_t slice, uint64_t line, const uint64_t bytes[2]) {
    uint32_t segments = gpci_count_sectors(gpci_segments_of(bytes));
    h->stats.l2_write_back_sectors += segments;
    h->stats.dram_write_sectors += segments;
    if (GPCI_UNLIKELY(h->trace != NULL) && segments)
        tell_write_back(h, slice, outer(h, slice, line), segments);
}

static void tell_access(const gpc_hierarchy *h, uint32_t slice, const gpc_request *request,
                        const gpc_access_result *result) {
    uint32_t segments = gpci_count_sectors(h->l2_level.segments_of[request->sector_mask]);
    gpci_see_step(h, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2, slice, outer(h, slice, request->address), segments,
                  result->outcome);
    if (result->evicted)
        gpci_tell_evict(h->trace, GPC_COMPONENT_L2, slice, outer(h, slice, result->eviction.line_address),
                        &result->eviction);
}

/* A slice asks for what a read lacks. */
static void tell_fetch(const gpc_hierarchy *h, uint32_t slice, uint64_t inner, const gpc_access_result *result) {
    gpci_see_step(h, GPC_WHAT_FETCH, GPC_COMPONENT_L2, slice, outer(h, slice, inner),
                  gpci_count_sectors(h->l2_level.segments_of[result->fetch_sectors]), 0);
}

static gpc_status l2_access(gpc_hierarchy *h, uint32_t partition, const gpci_place *p, const gpc_request *request,
                            gpc_access_result *result) {
    uint32_t slice = partition * h->slices_per_partition + p->slice;
    gpc_status status = gpc_cache_access(h->l2[slice], request, result);
    if (GPCI_UNLIKELY(h->trace != NULL) && status == GPC_OK)
        tell_access(h, slice, request, result);
    if (status < 0 || !result->evicted)
        return status;
    write_back(h, slice, result->eviction.line_address, result->eviction.dirty_bytes);
    if (h->inclusive && h->l1)
        gpci_take_from_l1(h, gpci_interleave_address(&h->interleave, p->slice, result->eviction.line_address),
                          write_taken, h);
    return GPC_OK;
}

/* Segments of the L2 line, read through the SM's own partition. Returns those found there in `hits`. */
static gpc_status l2_read(gpc_hierarchy *h, const gpci_access *a, gpc_request *request, uint8_t segments, uint8_t *hits,
                          uint32_t *reply_word) {
    const gpci_level *level = &h->l2_level;
    gpci_place p = gpci_place_of(h, request->address);
    uint32_t own = h->sm_partition[request->sm], home = gpci_home_of(h, request->address);
    gpc_access_result result;
    request->address = p.inner;
    request->sector_mask = level->sectors_of[segments << p.shift];
    gpc_status status = l2_access(h, own, &p, request, &result);
    if (status < 0)
        return status;
    *reply_word = gpc_cache_respond(slice_at(h, own, &p), request);
    *hits = gpci_hits_of(h, p.shift, result.hit_sectors, segments);
    if (!result.fetch_sectors)
        return GPC_OK;
    if (GPCI_UNLIKELY(h->trace != NULL))
        tell_fetch(h, own * h->slices_per_partition + p.slice, p.inner, &result);
    if (home != own) {
        h->stats.l2_remote_sectors += gpci_count_sectors(level->segments_of[result.fetch_sectors]);
        request->sector_mask = result.fetch_sectors;
        request->policy_word = result.policy_word;
        status = l2_access(h, home, &p, request, &result);
    }
    if (status == GPC_OK)
        read_dram(h, a, a->request.address, gpci_count_sectors(level->segments_of[result.fetch_sectors]));
    return status;
}

gpc_status gpci_below_read(gpc_hierarchy *h, const gpci_access *a, const gpc_request *request, uint8_t segments,
                           uint32_t policy_word, uint32_t *reply_word) {
    uint32_t count = gpci_count_sectors(segments);
    *reply_word = 0;
    if (!h->l2) {
        read_dram(h, a, request->address, count);
        return GPC_OK;
    }
    uint8_t hits = 0;
    gpc_request down = *request;
    down.policy_word = policy_word;
    down.token = down.token_l2;
    down.admitted = 0;
    if (down.kind == GPC_STORE) {
        down.kind = GPC_LOAD;
        down.byte_mask[0] = down.byte_mask[1] = 0;
    }
    gpc_status status = l2_read(h, a, &down, segments, &hits, reply_word);
    h->stats.l2_read_sectors += count;
    h->stats.l2_read_sector_hits += gpci_count_sectors(hits);
    a->result->l2_sectors += count;
    a->result->l2_sector_hits += gpci_count_sectors(hits);
    return status;
}

/* A line changes in its home slice: no copy stays behind in the other partition. */
static void keep_home_only(gpc_hierarchy *h, uint32_t sm, uint32_t home, const gpci_place *p, uint32_t segments) {
    if (h->partitions == 1)
        return;
    h->stats.l2_remote_sectors += h->sm_partition[sm] != home ? segments : 0;
    uint32_t copy = !home * h->slices_per_partition + p->slice;
    if (GPCI_UNLIKELY(h->trace != NULL))
        gpci_tell_dropped(h, h->l2[copy], GPC_COMPONENT_L2, copy, p->inner, outer(h, copy, p->inner));
    gpc_cache_invalidate_line(h->l2[copy], p->inner);
}

gpc_status gpci_below_write(gpc_hierarchy *h, const gpci_access *a, const gpc_request *request, uint32_t policy_word,
                            const uint64_t bytes[2]) {
    uint8_t segments = gpci_segments_of(bytes);
    uint32_t count = gpci_count_sectors(segments);
    if (!h->l2) {
        write_dram(h, request->address, count);
        return GPC_OK;
    }
    gpc_request down = *request;
    gpc_access_result result;
    gpci_place p = gpci_place_of(h, down.address);
    uint32_t home = gpci_home_of(h, down.address);
    keep_home_only(h, down.sm, home, &p, count);
    down.address = p.inner;
    down.kind = GPC_STORE;
    down.token = down.token_l2;
    down.policy_word = policy_word;
    down.sector_mask = h->l2_level.sectors_of[segments << p.shift];
    gpci_shift_bytes(p.shift, bytes, down.byte_mask);
    gpc_status status = l2_access(h, home, &p, &down, &result);
    if (status < 0)
        return status;
    uint32_t hits =
        gpci_count_sectors(gpci_hits_of(h, p.shift, result.hit_sectors, segments) | gpci_whole_segments(bytes));
    h->stats.l2_write_sectors += count;
    h->stats.l2_write_sector_hits += hits;
    a->result->l2_sectors += count;
    a->result->l2_sector_hits += hits;
    read_dram(h, a, request->address, gpci_count_sectors(h->l2_level.segments_of[result.fetch_sectors]));
    write_dram(h, request->address, gpci_count_sectors(gpci_segments_of(result.write_bytes)));
    return GPC_OK;
}

gpc_status gpci_below_atomic(gpc_hierarchy *h, const gpci_access *a) {
    uint32_t count = gpci_count_sectors(a->line->segments);
    if (!h->l2) {
        read_dram(h, a, a->request.address, count);
        write_dram(h, a->request.address, count);
        return GPC_OK;
    }
    gpc_request down = a->request;
    gpc_access_result result;
    down.token = down.token_l2;
    gpci_place p = gpci_place_of(h, down.address);
    uint32_t home = gpci_home_of(h, down.address);
    keep_home_only(h, down.sm, home, &p, count);
    down.address = p.inner;
    down.sector_mask = h->l2_level.sectors_of[a->line->segments << p.shift];
    gpc_status status = l2_access(h, home, &p, &down, &result);
    if (status < 0)
        return status;
    uint32_t hits = gpci_count_sectors(gpci_hits_of(h, p.shift, result.hit_sectors, a->line->segments));
    h->stats.l2_atomic_sectors += count;
    h->stats.l2_atomic_sector_hits += hits;
    a->result->l2_sectors += count;
    a->result->l2_sector_hits += hits;
    read_dram(h, a, a->request.address, gpci_count_sectors(h->l2_level.segments_of[result.fetch_sectors]));
    write_dram(h, a->request.address, result.write_sectors ? count : 0);
    return GPC_OK;
}

void gpci_below_expect(const gpc_hierarchy *h, uint32_t sm, uint64_t address) {
    if (!h->l2)
        return;
    gpci_place p = gpci_place_of(h, address);
    uint32_t home = gpci_home_of(h, address), own = h->sm_partition[sm];
    gpci_expect_set(slice_at(h, home, &p), p.inner);
    if (home != own)
        gpci_expect_set(slice_at(h, own, &p), p.inner);
}

void gpci_below_flush(gpc_hierarchy *h) {
    for (uint32_t i = 0; h->l2 && i < h->slices; i++) {
        gpc_line line;
        gpc_cache *slice = h->l2[i];
        for (size_t slot = 0; gpci_next_dirty(slice, &slot, &line); slot++) {
            uint64_t bytes[2];
            gpci_dirty_bytes(slice, &line, bytes);
            write_back(h, i, line.line_address, bytes);
        }
        gpci_drop_all(slice);
    }
}
