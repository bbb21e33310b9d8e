/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "functional/functional.h"
#include "level/build/gl1.h"
#include "level/rules/cache_lines.h"
#include "level/rules/events.h"
#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"

/* Functional path of a line transaction through its SM's L1: lookup, requests to the levels below, and evictions. */

GPCI_INLINE void see(const gpc_hierarchy *hierarchy, const gpci_line_access *access, gpc_what what, uint8_t segments,
                     uint8_t outcome, bool watched) {
    if (watched)
        gpci_append_step(hierarchy->log, what, GPC_COMPONENT_L1, access->request.sm, access->request.address,
                         gpci_count_sectors(segments), outcome);
}

/* Write the dirty bytes of an evicted or cleaned line to the level below. */
static gpc_status write_back(gpc_hierarchy *hierarchy, const gpci_line_access *access, uint32_t sm,
                             const gpc_eviction *eviction) {
    gpc_request request;
    if (!gpci_l1_line_left(hierarchy, sm, eviction, &request))
        return GPC_OK;
    gpci_log_step(hierarchy, GPC_WHAT_WRITE_BACK, GPC_COMPONENT_L1, sm, eviction->line_address,
                  gpci_count_sectors(gpci_segments_of(eviction->dirty_bytes)), 0);
    return gpci_functional_l2_write(hierarchy, access, &request, 0, eviction->dirty_bytes);
}

/* Handle an eviction from L1. */
GPCI_INLINE gpc_status evicted(gpc_hierarchy *hierarchy, const gpci_line_access *access, uint32_t sm,
                               const gpc_eviction *eviction, bool watched) {
    if (watched)
        gpci_append_evict(hierarchy->log, GPC_COMPONENT_L1, sm, eviction->line_address, eviction);
    return write_back(hierarchy, access, sm, eviction);
}

GPCI_INLINE gpc_status read_below(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                                  uint8_t segments, uint32_t word, uint32_t *reply_word, bool watched) {
    gpci_count_l1_asked(hierarchy, request, segments);
    see(hierarchy, access, GPC_WHAT_FETCH, segments, 0, watched);
    return gpci_functional_l2_read(hierarchy, access, request, segments, word, reply_word);
}

/* Fetch sectors missed in L1, or the sectors of a load that bypasses L1. */
GPCI_INLINE gpc_status fetch(gpc_hierarchy *hierarchy, const gpci_line_access *access, gpc_cache *l1,
                             const gpc_request *request, gpc_access_result *result, bool watched) {
    bool passes = result->outcome == GPC_BYPASSED, own_only = l1->options.bypass_fetch == GPC_BYPASS_FETCH_NEEDED;
    bool declined = result->admission == GPC_DECLINED;
    uint8_t fetched = result->fetch_sectors, sectors = hierarchy->l1_level.segments_of[fetched];
    uint8_t asked = gpci_level_missing(&hierarchy->l1_level, request, result, access->line->segments, own_only,
                                       (gpci_line_state){0})
                        .fetch;
    uint32_t word;
    gpc_status status = read_below(hierarchy, access, request, asked, result->policy_word, &word, watched);
    if (status < 0)
        return status;
    if (gpci_l1_verify(l1, request, passes ? GPC_BYPASS : GPC_CACHE, declined, word) == GPC_BYPASS) {
        gpci_count_l1_unfilled(hierarchy, request->sm, asked);
        gpci_count_l1_bypass(hierarchy, request->sm, asked);
        see(hierarchy, access, GPC_WHAT_BYPASS, asked, 0, watched);
        return GPC_OK;
    }
    uint8_t rest = sectors & (uint8_t)~asked;
    if (rest)
        status = read_below(hierarchy, access, request, rest, 0, &word, watched);
    if (status == GPC_OK)
        status = gpci_fill_own(l1, request, fetched, result);
    if (status == GPC_OK && result->outcome == GPC_BYPASSED)
        gpci_l1_on_not_allocated(hierarchy, request->sm, fetched, true);
    see(hierarchy, access, result->outcome == GPC_BYPASSED ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, sectors, 0, watched);
    return status == GPC_OK && result->evicted ? evicted(hierarchy, access, request->sm, &result->eviction, watched)
                                               : status;
}

#ifdef GPCI_CHECK
static void count_again(gpc_hierarchy *hierarchy, const gpc_request *request, uint8_t segments, uint8_t missing) {
    if (request->kind == GPC_LOAD)
        gpci_count_load_again(hierarchy, request->sm, gpci_count_sectors(segments), gpci_count_sectors(missing), 0);
    gpci_count_token_again(hierarchy, request, missing);
}
#endif

GPCI_INLINE gpc_status load(gpc_hierarchy *hierarchy, const gpci_line_access *access, bool watched) {
    gpc_request request = access->request;
    uint8_t segments = access->line->segments;
    uint32_t word;
    if (!access->l1)
        return gpci_functional_l2_read(hierarchy, access, &request, segments, 0, &word);
    gpc_access_result result = {.way = GPCI_NO_WAY};
    gpci_view view;
    request.sector_mask = hierarchy->l1_level.sectors_of[segments];
    gpc_status status = gpci_view_of_own(access->l1, &request, &view, NULL);
    if (status < 0)
        return status;
    gpci_level_look_up(access->l1, &request, &view, true, &result);
    uint32_t hits = gpci_count_sectors(hierarchy->l1_level.segments_of[result.hit_sectors] & segments);
    access->result->l1_sector_hits += hits;
    gpci_count_l1_found(hierarchy, &request, request.kind == GPC_LOAD ? hits : 0, 0);
    gpci_count_token(hierarchy, &request, hits != gpci_count_sectors(segments));
    GPCI_AGAIN(count_again(hierarchy, &request, segments,
                           segments & (uint8_t)~hierarchy->l1_level.segments_of[result.hit_sectors]));
    see(hierarchy, access, GPC_WHAT_LOOKUP, segments, result.outcome, watched);
    return result.fetch_sectors ? fetch(hierarchy, access, access->l1, &request, &result, watched) : GPC_OK;
}

GPCI_INLINE gpc_status store(gpc_hierarchy *hierarchy, const gpci_line_access *access, bool watched) {
    const gpci_level *level = &hierarchy->l1_level;
    gpc_request request = access->request;
    if (!access->l1)
        return gpci_functional_l2_write(hierarchy, access, &request, 0, access->line->bytes);
    gpc_access_result result;
    request.sector_mask = level->sectors_of[access->line->segments];
    request.byte_mask[0] = access->line->bytes[0];
    request.byte_mask[1] = access->line->bytes[1];
    gpc_status status = gpc_cache_access(access->l1, &request, &result, NULL);
    if (status < 0)
        return status;
    gpci_count_l1_store(hierarchy, request.sm,
                        gpci_count_sectors(level->segments_of[result.hit_sectors] & access->line->segments));
    GPCI_AGAIN(hierarchy->of_sm[request.sm].again.l1_store_sector_hits +=
               gpci_count_sectors(access->line->segments & level->segments_of[result.hit_sectors]));
    see(hierarchy, access, GPC_WHAT_LOOKUP, access->line->segments, result.outcome, watched);
    if (result.evicted)
        status = evicted(hierarchy, access, request.sm, &result.eviction, watched);
    uint32_t word;
    if (status == GPC_OK && result.fetch_sectors) {
        uint8_t fetched = level->segments_of[result.fetch_sectors];
        status = read_below(hierarchy, access, &request, fetched, result.policy_word, &word, watched);
        see(hierarchy, access, GPC_WHAT_FILL, fetched, 0, watched);
    }
    if (status == GPC_OK && result.write_sectors)
        status = gpci_functional_l2_write(hierarchy, access, &request, result.policy_word, result.write_bytes);
    return status;
}

/* Perform an atomic at L2. If L1 has the line, L1 drops the line. */
GPCI_INLINE gpc_status atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access, bool watched) {
    if (access->l1) {
        gpc_request request = access->request;
        gpc_access_result result;
        request.sector_mask = hierarchy->l1_level.sectors_of[access->line->segments];
        gpc_status status = gpc_cache_access(access->l1, &request, &result, NULL);
        see(hierarchy, access, GPC_WHAT_LOOKUP, access->line->segments, result.outcome, watched);
        if (status == GPC_OK && result.evicted)
            status = evicted(hierarchy, access, request.sm, &result.eviction, watched);
        if (status < 0)
            return status;
    }
    return gpci_functional_l2_atomic(hierarchy, access);
}

gpc_status gpci_functional_load(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    return load(hierarchy, access, false);
}

gpc_status gpci_functional_store(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    return store(hierarchy, access, false);
}

gpc_status gpci_functional_atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    return atomic(hierarchy, access, false);
}

gpc_status gpci_functional_load_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    return load(hierarchy, access, true);
}

gpc_status gpci_functional_store_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    return store(hierarchy, access, true);
}

gpc_status gpci_functional_atomic_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    return atomic(hierarchy, access, true);
}

void gpci_functional_expect_l1(const gpc_cache *l1, uint64_t address) {
    if (l1)
        gpci_sw_prefetch_set(l1, address);
}

void gpci_functional_expect_below(const gpc_hierarchy *hierarchy, uint32_t sm, const gpc_cache *l1, uint64_t address) {
    if (!l1 || !gpci_holds(l1, address))
        gpci_functional_l2_expect(hierarchy, sm, address);
}

/*
 * Write back an L1's dirty lines, and drop or clean each line. A line is dropped before its write-back: an inclusive L2
 * that must make room may request lines of this L1, and must not find the line twice.
 */
static gpc_status pass_dirty(gpc_hierarchy *hierarchy, uint32_t sm, bool drop) {
    gpc_cache *l1 = hierarchy->l1[sm];
    gpc_warp_result ignored = GPC_WARP_RESULT_INIT;
    gpci_line_access access = {.result = &ignored};
    gpc_line line;
    for (size_t slot = 0; gpci_next_dirty(l1, &slot, &line);) {
        gpc_eviction eviction = {.line_address = line.line_address, .dirty_sectors = line.dirty_sectors};
        gpci_dirty_bytes(l1, &line, eviction.dirty_bytes);
        if (drop)
            gpc_cache_invalidate_line(l1, line.line_address, NULL);
        else
            gpci_clean_line(l1, &line);
        gpc_status status = write_back(hierarchy, &access, sm, &eviction);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

gpc_status gpci_functional_empty_l1(gpc_hierarchy *hierarchy, uint32_t sm) {
    gpc_status status = pass_dirty(hierarchy, sm, true);
    if (status == GPC_OK)
        gpci_drop_all(hierarchy->l1[sm]);
    if (status == GPC_OK && hierarchy->gl1)
        gpci_drop_all(gpci_gl1_of(hierarchy, sm));
    return status;
}

gpc_status gpci_functional_clean_l1(gpc_hierarchy *hierarchy, uint32_t sm) {
    return pass_dirty(hierarchy, sm, false);
}

gpc_status gpci_functional_flush_l1(gpc_hierarchy *hierarchy) {
    gpc_status status = GPC_OK;
    for (uint32_t sm = 0; hierarchy->l1 && sm < hierarchy->sms && status == GPC_OK; sm++)
        status = gpci_functional_empty_l1(hierarchy, sm);
    return status;
}
