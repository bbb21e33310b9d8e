/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/bulk.h"
#include "base/check.h"

#include "cache/cache.h"
#include "level/access/warp_access.h"
#include "level/rules/cache_lines.h"

#include <string.h>

gpci_bulk gpci_bulk_of(const gpc_warp_access *access) {
    gpci_bulk bulk = {.rows = gpci_popcount(access->mask), .width = access->width};
    memcpy(bulk.addresses, access->addresses, bulk.rows * sizeof *bulk.addresses);
    return bulk;
}

static void touch(gpci_transaction *line, uint32_t first, uint32_t end) {
    const gpci_bytes bytes = gpci_bytes_between(first, end);
    line->bytes[0] |= bytes.word[0];
    line->bytes[1] |= bytes.word[1];
    line->segments = gpci_segments_of(line->bytes);
}

bool gpci_bulk_next(gpci_bulk *bulk, unsigned line_shift, gpci_transaction *line) {
    if (bulk->row == bulk->rows)
        return false;
    const uint64_t line_bytes = (uint64_t)1 << line_shift;
    uint64_t at = bulk->addresses[bulk->row] + bulk->done;
    *line = (gpci_transaction){.address = at & ~(line_bytes - 1)};
    while (bulk->row < bulk->rows && bulk->addresses[bulk->row] + bulk->done == at) {
        const uint64_t offset = at - line->address, left = bulk->width - bulk->done, room = line_bytes - offset;
        const uint32_t bytes = (uint32_t)(left < room ? left : room);
        touch(line, (uint32_t)offset, (uint32_t)offset + bytes);
        at += bytes;
        bulk->done += bytes;
        if (bulk->done == bulk->width) {
            bulk->done = 0;
            bulk->row++;
        }
        if (at - line->address == line_bytes)
            break;
    }
    return true;
}

uint32_t gpci_bulk_count(const gpci_bulk *bulk, unsigned line_shift) {
    gpci_bulk rest = *bulk;
    gpci_transaction line;
    uint32_t count = 0;
    while (gpci_bulk_next(&rest, line_shift, &line))
        count++;
    return count;
}

unsigned gpci_bulk_shift(const gpc_hierarchy *hierarchy) {
    return hierarchy->has_l1 ? hierarchy->l1_level.line_shift : hierarchy->l2_level.line_shift;
}

gpc_request gpci_bulk_request(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t requests) {
    gpci_sm_counts *counts = &hierarchy->of_sm[access->sm];
    counts->warp_instructions++;
    counts->thread_instructions += gpci_popcount(access->mask);
    counts->bulk_copies++;
    counts->bulk_multicast_copies += gpci_is_multicast(access);
    return gpci_access_request(hierarchy, access, requests);
}

void gpci_bulk_count_request(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *line,
                             uint32_t targets) {
    gpci_sm_counts *counts = &hierarchy->of_sm[request->sm];
    const bool reads = request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
    counts->bulk_requests++;
    counts->bulk_bytes += gpci_transaction_bytes(line);
    const uint32_t sectors = gpci_count_sectors(line->segments);
    counts->bulk_read_sectors += reads ? sectors : 0;
    counts->bulk_write_sectors += reads ? 0 : sectors;
    counts->bulk_multicast_sectors += (uint64_t)sectors * (targets - 1);
}

#ifdef GPCI_CHECK
void gpci_bulk_count_again(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t requests) {
    gpc_stats *stats = &hierarchy->of_sm[access->sm].again;
    const uint32_t rows = gpci_popcount(access->mask);
    stats->thread_instructions += rows;
    stats->bulk_copies++;
    stats->bulk_multicast_copies += access->multicast_count != 0;
    stats->bulk_requests += requests;
    stats->bulk_bytes += (uint64_t)rows * access->width;
}

void gpci_bulk_count_line_again(gpc_hierarchy *hierarchy, const gpc_request *request, uint8_t segments,
                                uint32_t targets) {
    gpc_stats *stats = &hierarchy->of_sm[request->sm].again;
    const uint32_t sectors = gpci_popcount(segments);
    const bool writes = request->kind == GPC_STORE || request->kind == GPC_REDUCTION;
    *(writes ? &stats->bulk_write_sectors : &stats->bulk_read_sectors) += sectors;
    for (uint32_t more = 1; more < targets; more++)
        stats->bulk_multicast_sectors += sectors;
}
#endif

static const char *wrong_multicast(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (access->kind != GPC_LOAD)
        return "multicast is given, and the bulk copy is no load";
    if (!access->multicast || !access->multicast_count || access->multicast_count > GPCI_BULK_TARGETS)
        return "multicast_count is not 1 to 16, or multicast is NULL";
    for (uint32_t n = 0; n < access->multicast_count; n++) {
        if (access->multicast[n] >= hierarchy->sms)
            return "multicast has an SM that is not below sm.count";
        for (uint32_t other = 0; other < n; other++)
            if (access->multicast[other] == access->multicast[n])
                return "multicast has an SM twice";
    }
    return NULL;
}

const char *gpci_bulk_wrong(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (hierarchy->coherent)
        return "copy is BULK, which trees of coherent modules do not know";
    if (hierarchy->with_data)
        return "copy is BULK, which carries no values (coherence.data)";
    if (access->kind == GPC_ATOMIC || access->space != GPC_SPACE_GLOBAL)
        return "copy is BULK, but the access is an atomic, or not of global memory";
    if (access->order != GPC_ORDER_WEAK)
        return "copy is BULK, and order is not WEAK";
    for (uint32_t n = 0; n < gpci_popcount(access->mask); n++)
        if (!gpci_is_range(access->addresses[n], access->width))
            return "copy is BULK, and a row goes beyond the last address there is";
    return gpci_is_multicast(access) ? wrong_multicast(hierarchy, access) : NULL;
}
