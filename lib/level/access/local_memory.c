/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/local_memory.h"

/* Map the words of threads to addresses, and the words of a warp to lines. */

#define OFFSET_BITS 27u /* with the most SMs, warps and lanes, the last byte of local memory is below 2^57 */

uint64_t gpci_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane,
                            uint64_t offset) {
    const uint64_t of_sm = (uint64_t)hierarchy->warps * hierarchy->lanes,
                   thread = sm * of_sm + (uint64_t)warp * hierarchy->lanes + lane;
    const uint64_t byte = offset & (((uint64_t)1 << OFFSET_BITS) - 1);
    return GPCI_LOCAL_MEMORY + 4 * (byte / 4 * hierarchy->sms * of_sm + thread) + byte % 4;
}

uint64_t gpc_hierarchy_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane,
                                     uint64_t offset) {
    return hierarchy && sm < hierarchy->sms && warp < hierarchy->warps && lane < hierarchy->lanes
               ? gpci_local_address(hierarchy, sm, warp, lane, offset)
               : 0;
}

const char *gpci_local_wrong(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (access->local_offsets > 1)
        return "local_offsets is neither 0 nor 1";
    if (access->space != GPC_SPACE_LOCAL)
        return "local_offsets is given, and space is not LOCAL";
    if (access->warp >= hierarchy->warps)
        return "local_offsets is given, and warp is not below sm.warps";
    if (access->bytes || access->out || access->compare || access->atomic)
        return "local_offsets is given with bytes, out, compare or atomic: words of a lane are not side by side";
    if (gpci_popcount(access->mask) * gpci_local_words(access->width) > GPCI_MAX_TRANSACTIONS)
        return "local_offsets is given, and the lanes have more than 256 words";
    return NULL;
}

/* Find the transaction of the line `address` between `first` and `end`, or append a new transaction. */
static gpci_transaction *line_at(gpci_transaction *first, gpci_transaction **end, uint64_t address) {
    for (gpci_transaction *line = *end; line > first; line--)
        if (line[-1].address == address)
            return line - 1;
    **end = (gpci_transaction){.address = address};
    return (*end)++;
}

/* Mark the bytes of one word. */
static void touch(gpci_transaction *line, uint32_t first, uint32_t bytes) {
    line->bytes[first / 64] |= (((uint64_t)1 << bytes) - 1) << first % 64;
    line->segments |= (uint8_t)(1u << first / GPCI_SEGMENT);
}

uint32_t gpci_local_lines(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, bool by_lane,
                          unsigned line_shift, gpci_transaction *lines) {
    const uint64_t within = ((uint64_t)1 << line_shift) - 1;
    const uint64_t *offset = access->addresses;
    gpci_transaction *end = lines;
    for (uint64_t mask = access->mask; mask; mask &= mask - 1, offset++) {
        gpci_transaction *first = by_lane ? end : lines;
        const uint64_t start = access->width < 4 ? *offset : *offset & ~(uint64_t)3;
        for (uint32_t done = 0; done < access->width; done += 4) {
            const uint64_t at = gpci_local_address_of(hierarchy, access, gpci_lowest(mask), start + done);
            const uint32_t left = access->width - done, room = 4 - (uint32_t)(at & 3);
            touch(line_at(first, &end, at & ~within), (uint32_t)(at & within), left < room ? left : room);
        }
    }
    return (uint32_t)(end - lines);
}
