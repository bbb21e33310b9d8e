/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/bulk.h"

#include "cache/cache.h"
#include "level/rules/cache_lines.h"
#include "level/rules/kernels.h"

#include <string.h>

gpci_bulk gpci_bulk_of(const gpc_warp_access *w) {
    gpci_bulk b = {.rows = gpci_popcount(w->mask), .width = w->width};
    memcpy(b.addresses, w->addresses, b.rows * sizeof *b.addresses);
    return b;
}

static void touch(gpci_transaction *line, uint32_t first, uint32_t end) {
    const gpci_bytes bytes = gpci_bytes_between(first, end);
    line->bytes[0] |= bytes.word[0];
    line->bytes[1] |= bytes.word[1];
    line->segments = gpci_segments_of(line->bytes);
}

bool gpci_bulk_next(gpci_bulk *b, unsigned line_shift, gpci_transaction *line) {
    if (b->row == b->rows)
        return false;
    const uint64_t line_bytes = (uint64_t)1 << line_shift;
    uint64_t at = b->addresses[b->row] + b->done;
    *line = (gpci_transaction){.address = at & ~(line_bytes - 1)};
    while (b->row < b->rows && b->addresses[b->row] + b->done == at) {
        const uint64_t offset = at - line->address, left = b->width - b->done, room = line_bytes - offset;
        const uint32_t bytes = (uint32_t)(left < room ? left : room);
        touch(line, (uint32_t)offset, (uint32_t)offset + bytes);
        at += bytes;
        b->done += bytes;
        if (b->done == b->width) {
            b->done = 0;
            b->row++;
        }
        if (at - line->address == line_bytes)
            break;
    }
    return true;
}

uint32_t gpci_bulk_count(const gpci_bulk *b, unsigned line_shift) {
    gpci_bulk rest = *b;
    gpci_transaction line;
    uint32_t count = 0;
    while (gpci_bulk_next(&rest, line_shift, &line))
        count++;
    return count;
}

unsigned gpci_bulk_shift(const gpc_hierarchy *h) {
    return h->has_l1 ? h->l1_level.line_shift : h->l2_level.line_shift;
}

gpc_request gpci_bulk_request(gpc_hierarchy *h, const gpc_warp_access *w, uint32_t requests) {
    gpci_sm_counts *c = &h->of_sm[w->sm];
    c->warp_instructions++;
    c->thread_instructions += gpci_popcount(w->mask);
    c->bulk_copies++;
    c->bulk_multicast_copies += gpci_is_multicast(w);
    return gpci_access_request(h, w, requests);
}

void gpci_bulk_count_request(gpc_hierarchy *h, const gpc_request *request, const gpci_transaction *line,
                             uint32_t targets) {
    gpci_sm_counts *c = &h->of_sm[request->sm];
    const bool reads = request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
    c->bulk_requests++;
    c->bulk_bytes += gpci_transaction_bytes(line);
    const uint32_t sectors = gpci_count_sectors(line->segments);
    c->bulk_read_sectors += reads ? sectors : 0;
    c->bulk_write_sectors += reads ? 0 : sectors;
    c->bulk_multicast_sectors += (uint64_t)sectors * (targets - 1);
}

static const char *wrong_multicast(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (w->kind != GPC_LOAD)
        return "multicast is given, and the bulk copy is no load";
    if (!w->multicast || !w->multicast_count || w->multicast_count > GPCI_BULK_TARGETS)
        return "multicast_count is not 1 to 16, or multicast is NULL";
    for (uint32_t n = 0; n < w->multicast_count; n++) {
        if (w->multicast[n] >= h->sms)
            return "multicast has an SM that is not below sm.count";
        for (uint32_t other = 0; other < n; other++)
            if (w->multicast[other] == w->multicast[n])
                return "multicast has an SM twice";
    }
    return NULL;
}

const char *gpci_bulk_wrong(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (h->coherent)
        return "copy is BULK, which trees of coherent modules do not know";
    if (h->with_data)
        return "copy is BULK, which carries no values (coherence.data)";
    if (w->kind == GPC_ATOMIC || w->space != GPC_SPACE_GLOBAL)
        return "copy is BULK, but the access is an atomic, or not of global memory";
    if (w->order != GPC_ORDER_WEAK)
        return "copy is BULK, and order is not WEAK";
    for (uint32_t n = 0; n < gpci_popcount(w->mask); n++)
        if (!gpci_is_range(w->addresses[n], w->width))
            return "copy is BULK, and a row goes beyond the last address there is";
    return gpci_is_multicast(w) ? wrong_multicast(h, w) : NULL;
}
