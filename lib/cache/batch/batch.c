/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"
#include "cache/cache.h"

/* Batches of accesses. The plain loop (batch_loop.h) runs the accesses that it may; the others run one by one. */

static gpci_batch_fn loop_for(gpc_simd simd) {
    switch (simd) {
#if defined(GPCI_X86_BATCHES)
    case GPC_SIMD_AVX512:
        return gpci_batch_avx512;
    case GPC_SIMD_AVX2:
        return gpci_batch_avx2;
    case GPC_SIMD_SSE2:
        return gpci_batch_sse2;
#endif
    default:
        return gpci_batch_none;
    }
}

static gpc_status access_one(gpc_cache *cache, const gpc_batch *batch, size_t i, gpc_error *error) {
    gpc_request request = {.address = batch->addresses[i],
                           .pc = batch->pcs ? batch->pcs[i] : 0,
                           .policy.next_use = batch->next_uses ? batch->next_uses[i] : 0,
                           .size = batch->size,
                           .sm = batch->sm,
                           .warp = batch->warps ? batch->warps[i] : 0,
                           .kind = batch->kinds ? batch->kinds[i] : (uint8_t)GPC_LOAD};
    gpc_access_result result;
    gpc_status status = gpc_cache_access(cache, &request, &result, error);
    if (status < 0)
        return status;
    bool replaced = result.evicted;
    if (batch->results)
        batch->results[i] =
            (uint8_t)((result.outcome == GPC_HIT ? GPC_BATCH_HIT : 0) | (replaced ? GPC_BATCH_EVICTED : 0) |
                      (replaced && result.eviction.dirty_sectors ? GPC_BATCH_WRITE_BACK : 0) |
                      (result.outcome == GPC_BYPASSED ? GPC_BATCH_BYPASSED : 0) |
                      (result.outcome == GPC_SECTOR_MISS ? GPC_BATCH_SECTOR_MISS : 0) |
                      (result.write_sectors ? GPC_BATCH_WRITE_BELOW : 0));
    if (batch->evicted)
        batch->evicted[i] = replaced ? result.eviction.line_address : UINT64_MAX;
    return GPC_OK;
}

gpc_status gpc_cache_access_many(gpc_cache *cache, const gpc_batch *batch, size_t *out_done, gpc_error *error) {
    gpc_batch b = GPC_BATCH_INIT;
    if (out_done)
        *out_done = 0;
    if (!cache || !batch)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_access_many: %s is NULL", cache ? "batch" : "cache");
    gpc_status status = gpci_take(&b, sizeof b, sizeof b, batch, "gpc_batch", error);
    if (status == GPC_OK && b.count && !b.addresses)
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_batch.addresses is NULL");
    if (status == GPC_OK && b.size > cache->options.line_bytes)
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_batch.size: %u bytes are more than the line's %u", b.size,
                           cache->options.line_bytes);
    size_t i = 0;
    if (status == GPC_OK && b.count && !cache->tags.started)
        gpci_admit_high(cache, b.addresses[0] >> cache->line_shift);
    gpci_batch_fn loop = loop_for(cache->context->simd);
    while (status == GPC_OK && i < b.count) {
        if (cache->plain && !cache->tags.wide && !cache->priorities && !cache->pending_lines)
            i = loop(cache, &b, i);
        if (i < b.count) {
            status = access_one(cache, &b, i, error);
            i += status == GPC_OK;
        }
    }
    if (out_done)
        *out_done = i;
    return status;
}

/* Compute next uses from the last access to the first. The map `uses` has, for each line, the access met last. */
gpc_status gpc_next_uses(gpc_context *context, const uint64_t *addresses, size_t count, uint32_t line_bytes,
                         uint64_t *next_uses, gpc_error *error) {
    if (!context || (count && (!addresses || !next_uses)))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_next_uses: %s is NULL",
                         !context     ? "context"
                         : !addresses ? "addresses"
                                      : "next_uses");
    if (!gpci_power_of_two(line_bytes))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_next_uses: line_bytes %u is no power of two", line_bytes);
    if (count > SIZE_MAX / 4 / sizeof(gpci_map_entry))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_next_uses: count %zu is too large for an array", count);
    unsigned shift = gpci_log2(line_bytes);
    gpci_map uses = {.entries = NULL};
    /* reserve first: if memory is missing, no result is written */
    bool room = gpci_map_reserve(context, &uses, count);
    for (size_t i = count; room && i-- > 0;) {
        uint64_t line = addresses[i] >> shift;
        gpci_map_entry *next = gpci_map_find(&uses, line);
        next_uses[i] = next ? next->value : UINT64_MAX;
        if (!next)
            next = gpci_map_add(&uses, line, i);
        next->value = i;
    }
    gpci_map_free(context, &uses);
    return room ? GPC_OK : gpci_out_of_memory(error);
}
