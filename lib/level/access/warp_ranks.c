/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/warp_ranks.h"

#include <gpucache/ext/hierarchy.h>

#include "base/array.h"

static gpc_status reserve(gpc_hierarchy *hierarchy, gpci_warp_ranks *ranks, uint32_t warp) {
    size_t capacity = ranks->slots;
    if (!GPCI_ARRAY_RESERVE(hierarchy->context, ranks->ranks, capacity, ranks->slots, warp + 1 - ranks->slots))
        return GPC_ERROR_MEMORY;
    for (size_t slot = ranks->slots; slot < capacity; slot++)
        ranks->ranks[slot] = GPCI_NOT_RUNNING;
    ranks->slots = (uint32_t)capacity;
    return GPC_OK;
}

static gpc_status start(gpc_hierarchy *hierarchy, gpci_warp_ranks *ranks, uint32_t warp, gpc_error *error) {
    if (warp >= GPCI_NOT_RUNNING || (warp < ranks->slots && ranks->ranks[warp] != GPCI_NOT_RUNNING))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_event.warp: %u %s", warp,
                         warp < GPCI_NOT_RUNNING ? "runs already" : "is not below 65535");
    if (warp >= ranks->slots && reserve(hierarchy, ranks, warp) < 0)
        return gpci_out_of_memory(error);
    ranks->ranks[warp] = (uint16_t)ranks->running++;
    return GPC_OK;
}

static gpc_status end(gpci_warp_ranks *ranks, uint32_t warp, gpc_error *error) {
    if (warp >= ranks->slots || ranks->ranks[warp] == GPCI_NOT_RUNNING)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_event.warp: %u does not run", warp);
    const uint16_t gone = ranks->ranks[warp];
    ranks->ranks[warp] = GPCI_NOT_RUNNING;
    ranks->running--;
    for (uint32_t slot = 0; slot < ranks->slots; slot++)
        if (ranks->ranks[slot] != GPCI_NOT_RUNNING)
            ranks->ranks[slot] = gpci_rank_after(ranks->ranks[slot], gone);
    return GPC_OK;
}

gpc_status gpci_warp_ranks_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event, gpc_error *error) {
    gpci_warp_ranks *ranks = &hierarchy->warp_ranks[event->sm];
    if (event->kind == GPC_WARP_START)
        return start(hierarchy, ranks, event->warp, error);
    return event->kind == GPC_WARP_EXIT ? end(ranks, event->warp, error) : GPC_OK;
}

void gpci_warp_ranks_destroy(gpc_hierarchy *hierarchy) {
    for (uint32_t sm = 0; hierarchy->warp_ranks && sm < hierarchy->sms; sm++)
        gpci_free(hierarchy->context, hierarchy->warp_ranks[sm].ranks);
    gpci_free(hierarchy->context, hierarchy->warp_ranks);
    hierarchy->warp_ranks = NULL;
}

gpc_status gpc_hierarchy_rank_warps(gpc_hierarchy *hierarchy, bool on, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_rank_warps: hierarchy is NULL");
    if (hierarchy->replayed)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_rank_warps: its replay ranks warps by itself");
    if (on == (hierarchy->warp_ranks != NULL))
        return GPC_OK;
    if (!on) {
        gpci_warp_ranks_destroy(hierarchy);
        return GPC_OK;
    }
    hierarchy->warp_ranks = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *hierarchy->warp_ranks);
    return hierarchy->warp_ranks ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_warp_ranks_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    const bool on = gpci_archive_number(archive, hierarchy->warp_ranks != NULL) != 0;
    if (archive->loading && archive->status == GPC_OK && on && gpc_hierarchy_rank_warps(hierarchy, on, NULL) < 0)
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "out of memory");
    for (uint32_t sm = 0; on && archive->status == GPC_OK && sm < hierarchy->sms; sm++) {
        gpci_warp_ranks *ranks = &hierarchy->warp_ranks[sm];
        const uint32_t slots = (uint32_t)gpci_archive_count(archive, ranks->slots, sizeof *ranks->ranks);
        if (slots > ranks->slots && reserve(hierarchy, ranks, slots - 1) < 0)
            gpci_archive_fail(archive, GPC_ERROR_MEMORY, "out of memory");
        if (archive->status < 0)
            return;
        gpci_archive_bytes(archive, ranks->ranks, slots * sizeof *ranks->ranks);
        GPCI_ARCHIVE_FIELD(archive, ranks->running);
    }
}
