/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/parts.h>

#include "cache/cache.h"
#include "level/access/processes.h"
#include "level/rules/events.h"
#include "level/rules/level_rules.h"
#include "level/rules/recorder.h"

/* Queries of a host (acceptance, idleness, location of a line, shape), and preloading of caches before a run. */

static bool accepts(const gpc_hierarchy *hierarchy, uint32_t sm, bool miss, gpc_busy *out_busy) {
    gpc_busy ignored;
    out_busy = out_busy ? out_busy : &ignored;
    *out_busy = GPC_BUSY_NOT;
    return hierarchy && sm < hierarchy->sms && hierarchy->driver->clock->accepts(hierarchy, sm, miss, out_busy);
}

bool gpc_hierarchy_can_accept(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy) {
    return accepts(hierarchy, sm, false, out_busy);
}

bool gpc_hierarchy_can_accept_miss(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy) {
    return accepts(hierarchy, sm, true, out_busy);
}

bool gpc_hierarchy_is_idle(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->driver->idle(hierarchy);
}

gpc_status gpc_hierarchy_locate(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address, gpc_location *location,
                                gpc_error *error) {
    if (!hierarchy || !location)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_locate: %s is NULL",
                         hierarchy ? "location" : "hierarchy");
    if (sm >= hierarchy->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_locate: sm %u is not below sm.count", sm);
    if (hierarchy->coherent)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_locate: lines of a tree of coherent modules have no slice");
    const uint64_t line = address & ~(uint64_t)(hierarchy->l2_level.line_bytes - 1);
    const gpci_l2_place place = gpci_l2_place_of(hierarchy, line);
    gpc_location l = {.struct_size = sizeof l,
                      .line = line,
                      .slice_address = place.inner,
                      .partition = gpci_l2_home(hierarchy, hierarchy->sm_partition[sm], line),
                      .near_slice = gpci_l2_slice(hierarchy, hierarchy->sm_partition[sm], place.slice),
                      .set = GPC_NOWHERE,
                      .channel = GPC_NOWHERE,
                      .bank = GPC_NOWHERE};
    l.slice = gpci_l2_slice(hierarchy, l.partition, place.slice);
    if (hierarchy->l2)
        l.set = gpci_index_of(&hierarchy->l2[l.slice]->index, place.inner >> hierarchy->l2[l.slice]->line_shift);
    hierarchy->driver->clock->locate(hierarchy, &l);
    return gpci_give(location, &l, sizeof l, "gpc_location", error);
}

gpc_status gpc_hierarchy_get_shape(const gpc_hierarchy *hierarchy, gpc_shape *shape, gpc_error *error) {
    if (!hierarchy || !shape)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_get_shape: %s is NULL",
                         hierarchy ? "shape" : "hierarchy");
    gpc_shape s = {.struct_size = sizeof s,
                   .sms = hierarchy->sms,
                   .partitions = hierarchy->partitions * (hierarchy->coherent ? 1 : hierarchy->gpus),
                   .slices = hierarchy->slices,
                   .channels = hierarchy->driver->objects(hierarchy, GPC_OBJECT_CHANNEL),
                   .lanes = hierarchy->lanes};
    if (hierarchy->has_l1) {
        s.l1_bytes = hierarchy->share.l1_bytes;
        s.shared_bytes = hierarchy->share.carveout;
        s.l1_sets = hierarchy->share.sets;
        s.l1_ways = hierarchy->share.ways;
        s.l1_line = hierarchy->l1_level.line_bytes;
        s.l1_sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_SECTORS);
    }
    if (gpci_number(hierarchy, GPCI_KEY_L2_ENABLED)) {
        s.l2_line = hierarchy->l2_level.line_bytes;
        s.l2_ways = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_WAYS);
        s.l2_sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_SECTORS);
        s.l2_sets = (uint32_t)(gpci_total(hierarchy, GPCI_KEY_L2_SIZE) / s.l2_line / s.slices / s.l2_ways);
        s.l2_bytes = (uint64_t)s.l2_sets * s.l2_ways * s.l2_line * s.slices;
    }
    return gpci_give(shape, &s, sizeof s, "gpc_shape", error);
}

/*
 * Fill sectors of a line of a cache as after a load, but leave the counters unchanged, because no access requests the
 * sectors. If the line is in flight, do nothing: the line will arrive.
 */
static gpc_status put_quietly(gpc_cache *cache, const gpc_request *request, uint8_t sectors) {
    const gpci_cache_stats stats = cache->stats;
#ifdef GPCI_CHECK
    const gpci_cache_stats again = cache->again;
#endif
    gpc_access_result result;
    gpc_line line;
    if (gpci_line_of(cache, request->address, &line) && line.pending_sectors)
        return GPC_OK;
    const gpc_status status = gpc_cache_fill(cache, request, sectors, &result, NULL);
    cache->stats = stats;
#ifdef GPCI_CHECK
    cache->again = again;
#endif
    return status;
}

/* Home slice of a line in a GPU. */
static gpc_cache *slice_of(const gpc_hierarchy *hierarchy, uint32_t gpu, uint64_t address, uint64_t *inner) {
    const gpci_l2_place place = gpci_l2_place_of(hierarchy, address);
    *inner = place.inner;
    return hierarchy
        ->l2[gpci_l2_slice(hierarchy, gpci_l2_home(hierarchy, gpu * hierarchy->partitions, address), place.slice)];
}

/* If a copy is larger than this many times L2's size, load only the end: the end would evict the beginning. */
#define MOST_COPIED 4u

gpc_status gpci_hierarchy_copy_in(gpc_hierarchy *hierarchy, uint64_t address, uint64_t bytes) {
    const uint64_t step = hierarchy->l2_level.line_bytes;
    const uint64_t most = MOST_COPIED * gpci_number(hierarchy, GPCI_KEY_L2_SIZE);
    gpc_status status = GPC_OK;
    if (!bytes)
        return GPC_OK;
    GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "kernels.copies = l2"));
    hierarchy->counts_fresh = false;
    const uint64_t last = bytes - 1 > UINT64_MAX - address ? UINT64_MAX : address + (bytes - 1);
    address = last - address >= most ? last - most + 1 : address;
    for (uint64_t line = address / step; line <= last / step && status >= 0; line++) {
        uint64_t inner;
        gpc_cache *cache = slice_of(hierarchy, 0, line * step, &inner);
        const uint64_t from = line == address / step ? address % step : 0;
        const uint64_t to = line == last / step ? last % step : step - 1;
        const unsigned first = (unsigned)(from >> cache->sector_shift), end = (unsigned)(to >> cache->sector_shift) + 1;
        const gpc_request request = gpci_request_of_nobody(hierarchy, inner, line * step, 0, GPC_LOAD);
        status = put_quietly(cache, &request, (uint8_t)(((1u << end) - 1) & ~((1u << first) - 1)));
    }
    return status < 0 ? status : GPC_OK;
}

const char *gpci_hierarchy_no_copies(const gpc_hierarchy *hierarchy) {
    return hierarchy->coherent    ? "a tree of coherent modules"
           : hierarchy->with_data ? "accesses carry values (coherence.data)"
           : hierarchy->inclusive ? "L2 is inclusive: lines that make room would have to leave L1s"
           : !hierarchy->l2       ? "there is no L2"
                                  : NULL;
}

static gpc_status check_preload(const gpc_hierarchy *hierarchy, unsigned level, uint32_t sm, uint64_t address,
                                uint64_t bytes, gpc_error *error) {
#define REFUSE(status, ...) return gpci_fail(error, status, "gpc_hierarchy_preload: " __VA_ARGS__)
    if (!hierarchy)
        REFUSE(GPC_ERROR_ARGUMENT, "hierarchy is NULL");
    if (hierarchy->called_back)
        REFUSE(GPC_ERROR_STATE, "called from within a callback");
    if (hierarchy->coherent || hierarchy->with_data || hierarchy->inclusive)
        REFUSE(GPC_ERROR_UNSUPPORTED, "%s", gpci_hierarchy_no_copies(hierarchy));
    if (level < 1 || level > 2 || (level == 1 && sm >= hierarchy->sms))
        REFUSE(GPC_ERROR_ARGUMENT, "%s", level < 1 || level > 2 ? "level is not 1 or 2" : "sm is not below sm.count");
    if (!(level == 1 ? hierarchy->l1 : hierarchy->l2))
        REFUSE(GPC_ERROR_ARGUMENT, "there is no L%u", level);
    if (bytes && address > UINT64_MAX - (bytes - 1))
        REFUSE(GPC_ERROR_RANGE, "address and bytes go beyond the last address");
    if (!hierarchy->driver->idle(hierarchy))
        REFUSE(GPC_ERROR_STATE, "accesses are in flight");
    return GPC_OK;
#undef REFUSE
}

gpc_status gpc_hierarchy_preload(gpc_hierarchy *hierarchy, unsigned level, uint32_t sm, uint64_t address,
                                 uint64_t bytes, gpc_error *error) {
    gpc_status status = check_preload(hierarchy, level, sm, address, bytes, error);
    if (status < 0 || !bytes)
        return status;
    GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_preload"));
    hierarchy->counts_fresh = false; /* no counter counts the preloaded lines */
    const uint64_t step = level == 1 ? hierarchy->l1_level.line_bytes : hierarchy->l2_level.line_bytes;
    const uint64_t first = address / step, last = (address + (bytes - 1)) / step;
    for (uint64_t line = first; line <= last && status >= 0; line++)
        for (uint32_t gpu = 0; gpu < (level == 1 ? 1 : hierarchy->gpus) && status >= 0; gpu++) {
            uint64_t at = line * step;
            gpc_cache *cache = level == 1 ? hierarchy->l1[sm] : slice_of(hierarchy, gpu, at, &at);
            const gpc_request request = gpci_request_of_nobody(hierarchy, at, line * step, sm, GPC_LOAD);
            status = put_quietly(cache, &request, cache->all_sectors);
        }
    return status < 0 ? gpci_fail(error, status, "gpc_hierarchy_preload: %s", gpc_status_string(status)) : GPC_OK;
}
