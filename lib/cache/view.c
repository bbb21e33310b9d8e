/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

/* Resolution of a request: line, set, sectors, and a store's bytes. */

gpci_bytes gpci_bytes_between(uint32_t first, uint32_t end) {
    gpci_bytes bytes = {{0, 0}};
    for (unsigned word = 0; word < 2; word++) {
        uint32_t low = word * 64, high = low + 64;
        uint32_t from = first > low ? first : low, to = end < high ? end : high;
        if (from < to)
            bytes.word[word] = (~(uint64_t)0 >> (64 - (to - from))) << (from - low);
    }
    return bytes;
}

/* Sectors with all bytes in the mask. */
uint8_t gpci_covered_by(const gpc_cache *cache, const gpci_bytes *bytes) {
    uint8_t covered = 0;
    uint32_t size = 1u << cache->sector_shift;
    for (unsigned s = 0; s < cache->sectors; s++) {
        gpci_bytes sector = gpci_bytes_between(s * size, (s + 1) * size);
        if ((bytes->word[0] & sector.word[0]) == sector.word[0] && (bytes->word[1] & sector.word[1]) == sector.word[1])
            covered |= (uint8_t)(1u << s);
    }
    return covered;
}

/* Byte mask of two sectors of 32 bytes. */
static uint64_t bytes_of_two(uint32_t sectors) {
    return (0 - (uint64_t)(sectors & 1)) >> 32 | (0 - (uint64_t)(sectors >> 1 & 1)) << 32;
}

gpci_bytes gpci_bytes_of(const gpc_cache *cache, uint8_t sectors) {
    if (GPCI_LIKELY(cache->sector_shift == 5))
        return (gpci_bytes){{bytes_of_two(sectors), bytes_of_two(sectors >> 2)}};
    gpci_bytes bytes = {{0, 0}};
    uint32_t size = 1u << cache->sector_shift;
    for (unsigned s = 0; s < cache->sectors; s++)
        if (sectors >> s & 1) {
            gpci_bytes sector = gpci_bytes_between(s * size, (s + 1) * size);
            bytes.word[0] |= sector.word[0];
            bytes.word[1] |= sector.word[1];
        }
    return bytes;
}

/* Sectors that a store of the bytes from `first` to before `end` writes whole. For lines longer than a byte mask. */
static uint8_t covered_interval(const gpc_cache *cache, uint32_t first, uint32_t end) {
    uint32_t size = 1u << cache->sector_shift;
    uint8_t covered = 0;
    for (unsigned s = 0; s < cache->sectors; s++)
        if (first <= s * size && (s + 1) * size <= end)
            covered |= (uint8_t)(1u << s);
    return covered;
}

static gpc_status view_store(const gpc_cache *cache, const gpc_request *request, uint32_t offset, gpci_view *view,
                             gpc_error *error) {
    uint32_t line_bytes = cache->options.line_bytes;
    bool masked = request->byte_mask[0] | request->byte_mask[1];
    if (line_bytes > 128) {
        if (masked)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request.byte_mask: a line of %u bytes has no byte masks",
                             line_bytes);
        view->covered =
            request->size ? covered_interval(cache, offset, offset + request->size) & view->need : view->need;
        view->bytes = (gpci_bytes){{0, 0}};
        return GPC_OK;
    }
    if (masked) {
        gpci_bytes line = gpci_bytes_between(0, line_bytes);
        view->bytes = (gpci_bytes){{request->byte_mask[0], request->byte_mask[1]}};
        if ((view->bytes.word[0] & ~line.word[0]) || (view->bytes.word[1] & ~line.word[1]))
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request.byte_mask has bytes beyond the line of %u bytes",
                             line_bytes);
        if (!request->sector_mask && !request->size) {
            view->need = 0;
            for (unsigned s = 0; s < cache->sectors; s++) {
                gpci_bytes sector = gpci_bytes_of(cache, (uint8_t)(1u << s));
                if ((sector.word[0] & view->bytes.word[0]) | (sector.word[1] & view->bytes.word[1]))
                    view->need |= (uint8_t)(1u << s);
            }
        }
    } else {
        view->bytes =
            request->size ? gpci_bytes_between(offset, offset + request->size) : gpci_bytes_of(cache, view->need);
    }
    if (request->sector_mask || masked) {
        gpci_bytes needed = gpci_bytes_of(cache, view->need);
        view->bytes.word[0] &= needed.word[0];
        view->bytes.word[1] &= needed.word[1];
    }
    view->covered = gpci_covered_by(cache, &view->bytes);
    return GPC_OK;
}

gpc_status gpci_view_change(const gpc_cache *cache, const gpc_request *request, gpci_view *view, gpc_error *error) {
    const uint32_t line_bytes = cache->options.line_bytes;
    if (request->kind == GPC_STORE) {
        gpc_status status = view_store(cache, request, (uint32_t)request->address & (line_bytes - 1), view, error);
        if (gpci_write_policy(cache, request) == GPC_WRITE_EVICT)
            view->covered = 0;
        return status;
    }
    if (line_bytes <= 128) /* an atomic may write any byte of its sectors */
        view->bytes = gpci_bytes_of(cache, view->need);
    return GPC_OK;
}

gpc_status gpci_refuse_request(const gpc_cache *cache, const gpc_request *request, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request.%s cannot be what it is",
                     gpci_request_fault(request, cache->options.line_bytes, cache->all_sectors));
}
