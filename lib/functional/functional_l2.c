/* SPDX-License-Identifier: BSD-2-Clause */
#include "functional/functional.h"
#include "level/events.h"
#include "level/level_count.h"
#include "level/level_rules.h"

/* The functional way through L2: the SM's own partition, the line's home partition, DRAM. */

/* Addresses are the host's. */
static void see_memory(const gpc_hierarchy *h, gpc_what what, uint64_t address, uint32_t sectors) {
    if (GPCI_UNLIKELY(h->trace != NULL) && sectors)
        gpci_tell_step(h->trace, what, GPC_COMPONENT_MEMORY, gpci_l2_place_of(h, address).slice, address, sectors, 0);
}

static void read_memory(gpc_hierarchy *h, const gpci_line_access *a, uint64_t address, uint32_t sectors) {
    gpci_count_dram_read(h, sectors);
    see_memory(h, GPC_WHAT_MEMORY_READ, address, sectors);
    a->result->dram_sectors += sectors;
}

static void write_memory(void *user_data, uint64_t address, uint8_t segments) {
    gpc_hierarchy *h = user_data;
    uint32_t sectors = gpci_count_sectors(segments);
    gpci_count_dram_write(h, sectors);
    see_memory(h, GPC_WHAT_MEMORY_WRITE, address, sectors);
}

static void tell_write_back(const gpc_hierarchy *h, uint32_t slice, uint64_t line, uint32_t sectors) {
    gpci_ids present = h->trace->below;
    gpci_see_step(h, GPC_WHAT_WRITE_BACK, GPC_COMPONENT_L2, slice, line, sectors, 0);
    see_memory(h, GPC_WHAT_MEMORY_WRITE, line, sectors);
    h->trace->below = present;
}

/* Dirty bytes of a slice's line go to DRAM. */
static void write_back(gpc_hierarchy *h, uint32_t slice, uint64_t line, const uint64_t bytes[2]) {
    uint32_t sectors = gpci_count_sectors(gpci_l2_write_back(h, slice, bytes));
    gpci_count_dram_write(h, sectors);
    if (GPCI_UNLIKELY(h->trace != NULL) && sectors)
        tell_write_back(h, slice, gpci_l2_host_address(h, slice, line), sectors);
}

static void tell_access(const gpc_hierarchy *h, uint32_t slice, const gpc_request *request,
                        const gpc_access_result *result) {
    uint32_t sectors = gpci_count_sectors(h->l2_level.segments_of[request->sector_mask]);
    gpci_see_step(h, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2, slice, gpci_l2_host_address(h, slice, request->address),
                  sectors, result->outcome);
    if (result->evicted)
        gpci_tell_evict(h->trace, GPC_COMPONENT_L2, slice,
                        gpci_l2_host_address(h, slice, result->eviction.line_address), &result->eviction);
}

/* A slice asks for what a read lacks. */
static void tell_fetch(const gpc_hierarchy *h, uint32_t slice, uint64_t inner, const gpc_access_result *result) {
    gpci_see_step(h, GPC_WHAT_FETCH, GPC_COMPONENT_L2, slice, gpci_l2_host_address(h, slice, inner),
                  gpci_count_sectors(h->l2_level.segments_of[result->fetch_sectors]), 0);
}

/* A line has left a slice. */
static GPCI_NOINLINE void line_left(gpc_hierarchy *h, uint32_t slice, const gpc_eviction *eviction) {
    write_back(h, slice, eviction->line_address, eviction->dirty_bytes);
    gpci_l2_take_from_l1(h, slice, eviction->line_address, write_memory, h);
}

GPCI_INLINE gpc_status access_slice(gpc_hierarchy *h, uint32_t slice, const gpc_request *request,
                                    gpc_access_result *result) {
    gpc_status status = gpc_cache_access(h->l2[slice], request, result);
    if (GPCI_UNLIKELY(h->trace != NULL) && status == GPC_OK)
        tell_access(h, slice, request, result);
    if (status == GPC_OK && result->evicted)
        line_left(h, slice, &result->eviction);
    return status;
}

/* Through the SM's own partition. Returns the segments found there in `hits`. */
static gpc_status read_slices(gpc_hierarchy *h, const gpci_line_access *a, const gpci_l2_place *p, gpc_request *request,
                              uint8_t segments, uint8_t *hits, uint32_t *reply_word) {
    const gpci_level *level = &h->l2_level;
    uint32_t own = h->sm_partition[request->sm], home = gpci_l2_home(h, request->address);
    uint32_t slice = gpci_l2_slice(h, own, p->slice);
    gpc_access_result result;
    gpci_l2_ask(h, p, segments, request);
    gpc_status status = access_slice(h, slice, request, &result);
    if (status < 0)
        return status;
    *reply_word = gpc_cache_respond(h->l2[slice], request);
    *hits = gpci_l2_segments(h, p->shift, result.hit_sectors, segments);
    if (!result.fetch_sectors)
        return GPC_OK;
    if (GPCI_UNLIKELY(h->trace != NULL))
        tell_fetch(h, slice, p->inner, &result);
    if (home != own) {
        gpci_count_l2_remote(h, slice, gpci_count_sectors(level->segments_of[result.fetch_sectors]));
        gpci_l2_ask_on(request, result.fetch_sectors, result.policy_word);
        status = access_slice(h, gpci_l2_slice(h, home, p->slice), request, &result);
    }
    if (status == GPC_OK)
        read_memory(h, a, a->request.address, gpci_count_sectors(level->segments_of[result.fetch_sectors]));
    return status;
}

gpc_status gpci_functional_l2_read(gpc_hierarchy *h, const gpci_line_access *a, const gpc_request *request,
                                   uint8_t segments, uint32_t policy_word, uint32_t *reply_word) {
    uint32_t count = gpci_count_sectors(segments);
    *reply_word = 0;
    if (!h->l2) {
        read_memory(h, a, request->address, count);
        return GPC_OK;
    }
    uint8_t found = 0;
    gpc_request down = *request;
    gpci_l1_ask_read(&down, policy_word);
    gpci_l2_place p = gpci_l2_place_of(h, request->address);
    gpc_status status = read_slices(h, a, &p, &down, segments, &found, reply_word);
    uint32_t hits = gpci_count_sectors(found);
    gpci_count_l2_read(h, gpci_l2_slice(h, h->sm_partition[request->sm], p.slice), count, hits);
    a->result->l2_sectors += count;
    a->result->l2_sector_hits += hits;
    return status;
}

/*
 * A write or an atomic of segments of the L1 line at an address, at its home slice. `down`: the request as the slice is
 * asked.
 */
GPCI_INLINE gpc_status change(gpc_hierarchy *h, const gpci_line_access *a, uint64_t address, const gpci_l2_place *p,
                              const gpc_request *down, uint8_t segments, const uint64_t bytes[2]) {
    uint32_t count = gpci_count_sectors(segments), home = gpci_l2_home(h, address);
    uint32_t slice = gpci_l2_slice(h, home, p->slice);
    gpc_access_result result;
    if (h->sm_partition[down->sm] != home)
        gpci_count_l2_remote(h, gpci_l2_slice(h, h->sm_partition[down->sm], p->slice), count);
    gpci_l2_drop_copy(h, slice, p->inner, address);
    gpc_status status = access_slice(h, slice, down, &result);
    if (status < 0)
        return status;
    a->result->l2_sectors += count;
    a->result->l2_sector_hits += gpci_l2_count_change(h, slice, down, p->shift, segments, bytes, &result);
    read_memory(h, a, address, gpci_count_sectors(h->l2_level.segments_of[result.fetch_sectors]));
    write_memory(h, address, gpci_l2_written(down, &result, (uint8_t)(segments << p->shift)));
    return GPC_OK;
}

gpc_status gpci_functional_l2_write(gpc_hierarchy *h, const gpci_line_access *a, const gpc_request *request,
                                    uint32_t policy_word, const uint64_t bytes[2]) {
    uint8_t segments = gpci_segments_of(bytes);
    if (!h->l2) {
        write_memory(h, request->address, segments);
        return GPC_OK;
    }
    gpc_request down = *request;
    gpci_l2_place p = gpci_l2_place_of(h, down.address);
    gpci_l2_ask_write(h, &p, bytes, segments, &down);
    down.policy_word = policy_word;
    return change(h, a, request->address, &p, &down, segments, bytes);
}

gpc_status gpci_functional_l2_atomic(gpc_hierarchy *h, const gpci_line_access *a) {
    uint8_t segments = a->line->segments;
    if (!h->l2) {
        read_memory(h, a, a->request.address, gpci_count_sectors(segments));
        write_memory(h, a->request.address, segments);
        return GPC_OK;
    }
    gpc_request down = a->request;
    gpci_l2_place p = gpci_l2_place_of(h, down.address);
    gpci_l2_ask(h, &p, segments, &down);
    return change(h, a, a->request.address, &p, &down, segments, a->line->bytes);
}

void gpci_functional_l2_expect(const gpc_hierarchy *h, uint32_t sm, uint64_t address) {
    if (!h->l2)
        return;
    gpci_l2_place p = gpci_l2_place_of(h, address);
    uint32_t home = gpci_l2_home(h, address), own = h->sm_partition[sm];
    gpci_expect_set(h->l2[gpci_l2_slice(h, home, p.slice)], p.inner);
    if (home != own)
        gpci_expect_set(h->l2[gpci_l2_slice(h, own, p.slice)], p.inner);
}

void gpci_functional_flush_l2(gpc_hierarchy *h) {
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
