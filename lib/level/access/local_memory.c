/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/local_memory.h"

/* Mapping of threads' words to addresses, and of a warp's words to lines. */

#define OFFSET_BITS 27u /* with the maximum of SMs, warps and lanes, the last byte is below 2^57 */

uint64_t gpci_local_address(const gpc_hierarchy *h, uint32_t sm, uint32_t warp, uint32_t lane, uint64_t offset) {
    const uint64_t of_sm = (uint64_t)h->warps * h->lanes, thread = sm * of_sm + (uint64_t)warp * h->lanes + lane;
    const uint64_t byte = offset & (((uint64_t)1 << OFFSET_BITS) - 1);
    return GPCI_LOCAL_MEMORY + 4 * (byte / 4 * h->sms * of_sm + thread) + byte % 4;
}

uint64_t gpc_hierarchy_local_address(const gpc_hierarchy *h, uint32_t sm, uint32_t warp, uint32_t lane,
                                     uint64_t offset) {
    return h && sm < h->sms && warp < h->warps && lane < h->lanes ? gpci_local_address(h, sm, warp, lane, offset) : 0;
}

const char *gpci_local_wrong(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (w->local_offsets > 1)
        return "local_offsets is neither 0 nor 1";
    if (w->space != GPC_SPACE_LOCAL)
        return "local_offsets is given, and space is not LOCAL";
    if (w->warp >= h->warps)
        return "local_offsets is given, and warp is not below sm.warps";
    if (w->bytes || w->out || w->compare || w->atomic)
        return "local_offsets is given with bytes, out, compare or atomic: words of a lane are not side by side";
    if (gpci_popcount(w->mask) * gpci_local_words(w->width) > GPCI_MAX_TRANSACTIONS)
        return "local_offsets is given, and the lanes have more than 256 words";
    return NULL;
}

/* Find the line of an address, from `first` on, or append a new line. */
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

uint32_t gpci_local_lines(const gpc_hierarchy *h, const gpc_warp_access *w, bool apart, unsigned line_shift,
                          gpci_transaction *lines) {
    const uint64_t within = ((uint64_t)1 << line_shift) - 1;
    const uint64_t *offset = w->addresses;
    gpci_transaction *end = lines;
    for (uint64_t mask = w->mask; mask; mask &= mask - 1, offset++) {
        gpci_transaction *first = apart ? end : lines;
        const uint64_t start = w->width < 4 ? *offset : *offset & ~(uint64_t)3;
        for (uint32_t done = 0; done < w->width; done += 4) {
            const uint64_t at = gpci_local_address_of(h, w, gpci_lowest(mask), start + done);
            const uint32_t left = w->width - done, room = 4 - (uint32_t)(at & 3);
            touch(line_at(first, &end, at & ~within), (uint32_t)(at & within), left < room ? left : room);
        }
    }
    return (uint32_t)(end - lines);
}
