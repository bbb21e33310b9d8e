/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/cache.h"
#include "functional/functional.h"
#include "level/access/constants.h"
#include "level/access/l15.h"
#include "level/rules/events.h"

/* A load of constants without a clock. */

static void see(const gpc_hierarchy *hierarchy, gpc_what what, const gpc_request *request, uint32_t segments,
                uint8_t outcome) {
    gpci_log_step(hierarchy, what, GPC_COMPONENT_CONST, request->sm, request->address, segments, outcome);
}

/* Read from L2 the data that a constant cache lacks. */
static gpc_status read_l2(gpc_hierarchy *hierarchy, gpci_line_access *access, const gpc_request *request, uint8_t all) {
    uint32_t word;
    return gpci_functional_l2_read(hierarchy, access, request, all, 0, &word);
}

/* Read from the SM's L1.5. If the L1.5 lacks the line, the L1.5 reads the whole line from L2. */
static gpc_status read_l15(gpc_hierarchy *hierarchy, gpci_line_access *access, const gpc_request *asked) {
    gpc_cache *cache = gpci_l15_of(hierarchy, asked->sm);
    const uint32_t index = hierarchy->sm_l15[asked->sm], line = cache->options.line_bytes,
                   segments = line / GPCI_SEGMENT;
    gpc_access_result result = {.way = GPCI_NO_WAY};
    const gpci_ids before = hierarchy->log ? hierarchy->log->below : (gpci_ids){0};
    gpc_request request = *asked;
    request.address &= ~(uint64_t)(line - 1);
    gpc_status status = gpc_cache_lookup(cache, &request, &result, NULL);
    if (status < 0)
        return status;
    gpci_l15_looked(hierarchy, asked, result.outcome == GPC_HIT, false);
    gpci_log_step(hierarchy, GPC_WHAT_LOOKUP, GPC_COMPONENT_L15, index, request.address, segments, result.outcome);
    if (result.outcome == GPC_HIT)
        return GPC_OK;
    gpci_log_step(hierarchy, GPC_WHAT_FETCH, GPC_COMPONENT_L15, index, request.address, segments, 0);
    status = read_l2(hierarchy, access, &request, (uint8_t)((1u << segments) - 1));
    if (status == GPC_OK && result.outcome != GPC_BYPASSED)
        status = gpc_cache_fill(cache, &request, 1, &result, NULL);
    if (hierarchy->log)
        hierarchy->log->below = before;
    gpci_log_step(hierarchy, result.outcome == GPC_BYPASSED ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, GPC_COMPONENT_L15, index,
                  request.address, segments, 0);
    return status;
}

static gpc_status pass(gpc_hierarchy *hierarchy, gpci_line_access *access, const gpc_request *request, uint8_t all) {
    gpc_cache *cache = hierarchy->constants[request->sm];
    gpc_access_result result = {.way = GPCI_NO_WAY};
    const uint32_t segments = gpci_count_sectors(all);
    gpc_status status = gpc_cache_lookup(cache, request, &result, NULL);
    if (status < 0)
        return status;
    gpci_constants_looked(hierarchy, request->sm, result.outcome == GPC_HIT, false);
    see(hierarchy, GPC_WHAT_LOOKUP, request, segments, result.outcome);
    if (result.outcome == GPC_HIT)
        return GPC_OK;
    see(hierarchy, GPC_WHAT_FETCH, request, segments, 0);
    status = hierarchy->l15 ? read_l15(hierarchy, access, request) : read_l2(hierarchy, access, request, all);
    if (status == GPC_OK && result.outcome != GPC_BYPASSED)
        status = gpc_cache_fill(cache, request, 1, &result, NULL);
    see(hierarchy, result.outcome == GPC_BYPASSED ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, request, segments, 0);
    return status;
}

gpc_status gpci_functional_constants(gpc_hierarchy *hierarchy, const gpc_warp_access *warp_access,
                                     gpc_warp_result *result) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    gpci_line_access access = {.result = result, .warp = warp_access};
    const uint8_t all = gpci_constants_segments(hierarchy);
    const uint32_t count = gpci_constants_lines(hierarchy, warp_access, lines, &access.request);
    GPCI_AGAIN(hierarchy->of_sm[warp_access->sm].again.const_requests++);
    gpc_status status = GPC_OK;
    result->lines = count;
    for (uint32_t i = 0; i < count; i++)
        result->sectors += gpci_count_sectors(lines[i].segments);
    if (hierarchy->log)
        gpci_append_access(hierarchy->log, &access.request, lines[0].address, result->sectors);
    for (uint32_t i = 0; i < count && status == GPC_OK; i++) {
        access.line = &lines[i];
        access.request.address = lines[i].address;
        access.request.bytes_used = (uint16_t)gpci_transaction_bytes(&lines[i]);
        if (hierarchy->log)
            gpci_append_line(hierarchy->log, &access.request, lines[i].segments);
        status = pass(hierarchy, &access, &access.request, all);
    }
    return status;
}
