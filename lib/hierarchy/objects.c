/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/objects.h"

#include "cache/cache.h"
#include "level/observe/energy.h"

#include <stdio.h>
#include <string.h>

/* Statistics of one object (an SM, a slice, a network). Statistics of the whole hierarchy are sums over objects. */

uint32_t gpc_hierarchy_object_count(const gpc_hierarchy *hierarchy, gpc_object kind) {
    if (!hierarchy)
        return 0;
    switch (kind) {
    case GPC_OBJECT_WHOLE:
        return 1;
    case GPC_OBJECT_SM:
        return hierarchy->sms;
    case GPC_OBJECT_STREAM:
        return hierarchy->of_stream ? hierarchy->streams : 0;
    default:
        return hierarchy->levels->objects(hierarchy, kind) + hierarchy->driver->objects(hierarchy, kind);
    }
}

gpc_status gpc_hierarchy_object_name(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index, char *name,
                                     size_t size, gpc_error *error) {
    static const char *const stems[] = {"whole", "sm", "l1", "cluster", NULL, "l2", "channel", "stream"};
    if (!hierarchy || !name)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_object_name: %s is NULL",
                         hierarchy ? "name" : "hierarchy");
    if (!size)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_object_name: size is 0");
    if (index >= gpc_hierarchy_object_count(hierarchy, kind))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_hierarchy_object_name: index is %u, of %u objects of kind %u",
                         index, gpc_hierarchy_object_count(hierarchy, kind), (unsigned)kind);
    int length = kind == GPC_OBJECT_WHOLE ? snprintf(name, size, "%s", stems[kind])
                 : kind == GPC_OBJECT_NETWORK
                     ? snprintf(name, size, "%s", hierarchy->driver->network_name(hierarchy, index))
                     : snprintf(name, size, "%s-%u", stems[kind], index);
    return (size_t)length < size
               ? GPC_OK
               : gpci_fail(error, GPC_ERROR_RANGE, "gpc_hierarchy_object_name: size is %zu, but the name has %d bytes",
                           size, length + 1);
}

gpc_status gpci_object_values_get(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                  gpci_object_values *values) {
    if (index >= gpc_hierarchy_object_count(hierarchy, kind))
        return GPC_ERROR_RANGE;
    memset(values, 0, sizeof *values);
    values->has[GPC_TABLE_HIERARCHY] = kind != GPC_OBJECT_NETWORK && kind != GPC_OBJECT_CLUSTER;
    values->has[GPC_TABLE_NETWORK] = kind == GPC_OBJECT_NETWORK;
    if (kind == GPC_OBJECT_WHOLE) {
        gpci_hierarchy_stats(hierarchy, &values->stats);
    } else if (kind == GPC_OBJECT_SM || kind == GPC_OBJECT_L1) {
        gpci_hierarchy_add_sm(hierarchy, index, &values->stats);
        gpci_hierarchy_add_sm_histograms(hierarchy, index, &values->stats);
    } else if (kind == GPC_OBJECT_SLICE) {
        gpci_hierarchy_add_slice(hierarchy, index, &values->stats);
    } else if (kind == GPC_OBJECT_STREAM) {
        gpci_hierarchy_add_stream(hierarchy, index, &values->stats);
        return GPC_OK;
    }
    hierarchy->levels->object(hierarchy, kind, index, values);
    hierarchy->driver->object(hierarchy, kind, index, values);
    gpci_energy_of(hierarchy->config, gpci_unfilled_sectors(hierarchy, kind, index), &values->stats);
    return GPC_OK;
}

void gpci_object_values_subtract(gpci_object_values *later, const gpci_object_values *earlier) {
    gpci_stats_subtract(&later->stats, &earlier->stats);
#define X(id, field, ...) later->cache.field -= earlier->cache.field;
    GPC_CACHE_COUNTERS(X)
#undef X
#define X(id, field, ...) later->network.field -= earlier->network.field;
    GPC_NETWORK_COUNTERS(X)
#undef X
#define X(id, field, ...) later->coherence.field -= earlier->coherence.field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
}

/*
 * First of the caches that the counter counts: an L1, or, if `kind` is a slice and the counter is in GPC_TABLE_CACHE, a
 * slice. NULL: no such cache.
 */
static const gpc_cache *cache_of(const gpc_hierarchy *hierarchy, gpc_object kind, const gpci_counter_row *info) {
    gpc_cache *const *caches =
        info->table == GPC_TABLE_CACHE && kind == GPC_OBJECT_SLICE ? hierarchy->l2 : hierarchy->l1;
    return caches ? caches[0] : NULL;
}

/* True for DRAM counters if the host provides the memory (gpc_hierarchy_callbacks.on_memory). */
static bool of_absent_memory(const gpc_hierarchy *hierarchy, const gpci_counter_row *info) {
    return info->objects == GPC_OBJECTS_CHANNEL && !gpc_hierarchy_object_count(hierarchy, GPC_OBJECT_CHANNEL);
}

static bool measured(const gpc_hierarchy *hierarchy, gpc_object kind, bool replayed, const gpci_counter_row *info);

/*
 * True if an energy is known. The energy of one kind of event is known if its key is set and the events are counted.
 * The dynamic energy is known if a dynamic energy is known. The total is known if also a static energy is known.
 */
static bool energy_known(const gpc_hierarchy *hierarchy, gpc_object kind, bool replayed, uint32_t id) {
    size_t count;
    const gpci_energy *energies = gpci_energies(&count);
    bool fixed = false, dynamic = false;
    for (size_t i = 0; i < count; i++) {
        const gpci_energy *energy = &energies[i];
        bool known = gpci_energy_is_set(hierarchy->config, energy) &&
                     measured(hierarchy, kind, replayed, gpci_counter(energy->of));
        if (energy->id == id)
            return known;
        *(gpci_energy_is_static(energy) ? &fixed : &dynamic) |= known;
    }
    return dynamic && (fixed || gpci_counter(id)->offset == offsetof(gpc_stats, energy_dynamic));
}

/* True if the counter is measured in this mode and configuration. */
static bool measured(const gpc_hierarchy *hierarchy, gpc_object kind, bool replayed, const gpci_counter_row *info) {
    const gpc_cache *cache = cache_of(hierarchy, kind, info);
    switch ((gpci_counter_needs)info->needs) {
    case GPCI_NEEDS_REPLAY:
        return replayed && hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK);
    case GPCI_NEEDS_ISSUE: /* a replayed recording has only the host's counts for the whole, not for an SM */
        return kind == GPC_OBJECT_WHOLE || (replayed && !gpci_order_is_recorded(hierarchy->config));
    case GPCI_NEEDS_REUSE:
        return hierarchy->coherent ? gpci_number(hierarchy, GPCI_KEY_L1_TRACK_REUSE)
                                   : cache && cache->options.track_reuse;
    case GPCI_NEEDS_WARPS:
        return hierarchy->coherent ? gpci_number(hierarchy, GPCI_KEY_L1_TRACK_WARPS)
                                   : cache && cache->options.track_warps;
    case GPCI_NEEDS_FUTURE:
        return cache && cache->options.track_future;
    case GPCI_NEEDS_CACHES:
        return !hierarchy->coherent;
    case GPCI_NEEDS_L1I:
        return replayed && hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK) &&
               gpci_number(hierarchy, GPCI_KEY_L1I_SIZE);
    case GPCI_NEEDS_CONST:
        return hierarchy->constants;
    case GPCI_NEEDS_CONST_TIME:
        return hierarchy->constants && hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK);
    case GPCI_NEEDS_MEMORY_CACHE:
        return hierarchy->memory_caches;
    case GPCI_NEEDS_MEMORY_CACHE_TIME:
        return hierarchy->memory_caches && hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK);
    case GPCI_NEEDS_L15:
        return hierarchy->l15;
    case GPCI_NEEDS_L15_TIME:
        return hierarchy->l15 && hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK);
    case GPCI_NEEDS_GL1:
        return hierarchy->gl1;
    case GPCI_NEEDS_GL1_TIME:
        return hierarchy->gl1 && hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK);
    case GPCI_NEEDS_L1I_PREFETCH:
        return replayed && hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK) &&
               gpci_number(hierarchy, GPCI_KEY_L1I_SIZE) && gpci_number(hierarchy, GPCI_KEY_L1I_PREFETCH);
    case GPCI_NEEDS_DATA_BANKS:
        return hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK) &&
               gpci_number(hierarchy, GPCI_KEY_L1_DATA_BANKS);
    case GPCI_NEEDS_TLB:
        return hierarchy->tlbs;
    case GPCI_NEEDS_GPUS:
        return gpci_has_gpu_links(hierarchy);
    case GPCI_NEEDS_CLOCK:
        return hierarchy->driver->measures(hierarchy, GPCI_NEEDS_CLOCK) && !of_absent_memory(hierarchy, info);
    case GPCI_NEEDS_ENERGY:
        return energy_known(hierarchy, kind, replayed, info->id);
    case GPCI_NEEDS_REORDER:
    case GPCI_NEEDS_LINKS:
    case GPCI_NEEDS_CLUSTERS:
    case GPCI_NEEDS_PREFETCHER:
    case GPCI_NEEDS_L2_PREFETCHER:
    case GPCI_NEEDS_CREDITS:
    case GPCI_NEEDS_MISSES:
    case GPCI_NEEDS_TLB_TIME:
    case GPCI_NEEDS_STAGES:
        return hierarchy->driver->measures(hierarchy, (gpci_counter_needs)info->needs);
    default:
        return true;
    }
}

void gpci_hierarchy_forget(const gpc_hierarchy *hierarchy, bool replayed, gpc_stats *stats) {
    size_t rows;
    const gpci_counter_row *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (size_t i = 0; i < rows; i++)
        if (!info[i].ratio && !measured(hierarchy, GPC_OBJECT_WHOLE, replayed, &info[i]))
            gpci_stats_forget(stats, &info[i]);
}

const uint64_t *gpci_object_find(const gpc_hierarchy *hierarchy, gpc_object kind, bool replayed,
                                 const gpci_object_values *values, const gpci_counter_row *info) {
    const void *const tables[GPC_TABLE_COUNT] = {&values->stats, &values->cache, &values->network, &values->coherence};
    if (!info || !(info->objects >> kind & 1) || !values->has[info->table] ||
        !measured(hierarchy, kind, replayed, info))
        return NULL;
    return (const void *)((const char *)tables[info->table] + info->offset);
}

typedef struct object_view {
    const gpc_hierarchy *hierarchy;
    const gpci_object_values *values;
    gpc_object kind;
    bool replayed;
} object_view;

static const uint64_t *find_in_object(const void *data, const gpci_counter_row *row) {
    const object_view *view = data;
    return gpci_object_find(view->hierarchy, view->kind, view->replayed, view->values, row);
}

gpc_status gpci_object_read(const gpc_hierarchy *hierarchy, gpc_object kind, bool replayed,
                            const gpci_object_values *values, const uint32_t *ids, size_t count, uint64_t *out,
                            size_t value_count, const char *function, gpc_error *error) {
    const object_view view = {.hierarchy = hierarchy, .values = values, .kind = kind, .replayed = replayed};
    return gpci_read(find_in_object, &view, ids, count, out, value_count, function, error);
}

gpc_status gpc_hierarchy_read(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index, const uint32_t *ids,
                              size_t count, uint64_t *values, size_t value_count, gpc_error *error) {
    gpci_object_values object;
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_read: hierarchy is NULL");
    if (gpci_object_values_get(hierarchy, kind, index, &object) < 0)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_hierarchy_read: no object of kind %d has the index %u", (int)kind,
                         index);
    return gpci_object_read(hierarchy, kind, false, &object, ids, count, values, value_count, "gpc_hierarchy_read",
                            error);
}
