/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "functional/functional.h"
#include "level/build/gl1.h"
#include "level/rules/events.h"
#include "level/rules/level_rules.h"

/* A read of an L1 through the SM's GL1, without a clock. */

static void see(const gpc_hierarchy *hierarchy, gpc_what what, const gpc_request *request, uint8_t segments,
                uint8_t outcome) {
    gpci_log_step(hierarchy, what, GPC_COMPONENT_GL1, gpci_gl1_index(hierarchy, request->sm), request->address,
                  gpci_count_sectors(segments), outcome);
}

/* Read missing sectors from L2, and keep the sectors unless the replacement policy gives up no line. */
static gpc_status fetch(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                        const gpc_request *asked, uint32_t policy_word, gpc_access_result *result) {
    const uint8_t segments = hierarchy->l1_level.segments_of[result->fetch_sectors];
    const gpci_ids before = hierarchy->log ? hierarchy->log->below : (gpci_ids){0};
    uint32_t word;
    see(hierarchy, GPC_WHAT_FETCH, asked, segments, 0);
    gpci_count_gl1_fetch(hierarchy, asked->sm, gpci_count_sectors(segments));
    gpc_status status = gpci_functional_slice_read(hierarchy, access, request, segments, policy_word, &word);
    if (status == GPC_OK && result->outcome != GPC_BYPASSED)
        status = gpc_cache_fill(gpci_gl1_of(hierarchy, asked->sm), asked, result->fetch_sectors, result, NULL);
    GPCI_AGAIN(gpci_count_gl1_fetch_again(hierarchy, asked->sm, segments));
    if (hierarchy->log)
        hierarchy->log->below = before;
    see(hierarchy, result->outcome == GPC_BYPASSED ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, asked, segments, 0);
    if (hierarchy->log && result->evicted)
        gpci_append_evict(hierarchy->log, GPC_COMPONENT_GL1, gpci_gl1_index(hierarchy, asked->sm),
                          result->eviction.line_address, &result->eviction);
    return status;
}

gpc_status gpci_functional_gl1_read(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                    const gpc_request *request, uint8_t segments, uint32_t policy_word) {
    gpc_access_result result = {.way = GPCI_NO_WAY};
    gpc_request asked = *request;
    gpci_l1_ask_read(&asked, 0);
    gpci_gl1_ask(hierarchy, segments, &asked);
    const gpc_status status = gpc_cache_lookup(gpci_gl1_of(hierarchy, asked.sm), &asked, &result, NULL);
    if (status < 0)
        return status;
    gpci_count_gl1_read(hierarchy, asked.sm, gpci_count_sectors(segments),
                        gpci_count_sectors(segments & hierarchy->l1_level.segments_of[result.hit_sectors]), 0);
    GPCI_AGAIN(gpci_count_gl1_read_again(
        hierarchy, asked.sm, segments,
        segments & (uint8_t)~hierarchy->l1_level.segments_of[asked.sector_mask & (uint8_t)~result.hit_sectors], 0));
    see(hierarchy, GPC_WHAT_LOOKUP, &asked, segments, result.outcome);
    return result.fetch_sectors ? fetch(hierarchy, access, request, &asked, policy_word, &result) : GPC_OK;
}
