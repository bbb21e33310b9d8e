/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/warp_ranks.h"

#include <gpucache/host.h>

#include "base/array.h"

static gpc_status make_room(gpc_hierarchy *h, gpci_warp_ranks *r, uint32_t warp) {
    size_t room = r->slots;
    if (!GPCI_ARRAY_ROOM(h->context, r->ranks, room, r->slots, warp + 1 - r->slots))
        return GPC_ERROR_MEMORY;
    for (size_t slot = r->slots; slot < room; slot++)
        r->ranks[slot] = GPCI_NOT_RUNNING;
    r->slots = (uint32_t)room;
    return GPC_OK;
}

static gpc_status start(gpc_hierarchy *h, gpci_warp_ranks *r, uint32_t warp) {
    if (warp >= GPCI_NOT_RUNNING || (warp < r->slots && r->ranks[warp] != GPCI_NOT_RUNNING))
        return GPC_ERROR_ARGUMENT;
    gpc_status status = warp < r->slots ? GPC_OK : make_room(h, r, warp);
    if (status == GPC_OK)
        r->ranks[warp] = (uint16_t)r->running++;
    return status;
}

static gpc_status end(gpci_warp_ranks *r, uint32_t warp) {
    if (warp >= r->slots || r->ranks[warp] == GPCI_NOT_RUNNING)
        return GPC_ERROR_ARGUMENT;
    const uint16_t gone = r->ranks[warp];
    r->ranks[warp] = GPCI_NOT_RUNNING;
    r->running--;
    for (uint32_t slot = 0; slot < r->slots; slot++)
        if (r->ranks[slot] != GPCI_NOT_RUNNING)
            r->ranks[slot] = gpci_rank_after(r->ranks[slot], gone);
    return GPC_OK;
}

gpc_status gpci_warp_ranks_event(gpc_hierarchy *h, const gpc_warp_event *event) {
    gpci_warp_ranks *r = &h->warp_ranks[event->sm];
    if (event->kind == GPC_WARP_START)
        return start(h, r, event->warp);
    return event->kind == GPC_WARP_EXIT ? end(r, event->warp) : GPC_OK;
}

void gpci_warp_ranks_destroy(gpc_hierarchy *h) {
    for (uint32_t sm = 0; h->warp_ranks && sm < h->sms; sm++)
        gpci_free(h->context, h->warp_ranks[sm].ranks);
    gpci_free(h->context, h->warp_ranks);
    h->warp_ranks = NULL;
}

gpc_status gpc_hierarchy_rank_warps(gpc_hierarchy *h, bool on, gpc_error *error) {
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_rank_warps: hierarchy is NULL");
    if (h->replayed)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_rank_warps: its replay ranks warps by itself");
    if (on == (h->warp_ranks != NULL))
        return GPC_OK;
    if (!on) {
        gpci_warp_ranks_destroy(h);
        return GPC_OK;
    }
    h->warp_ranks = gpci_zalloc(h->context, h->sms, sizeof *h->warp_ranks);
    return h->warp_ranks ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_warp_ranks_archive(gpc_hierarchy *h, gpci_archive *a) {
    const bool on = gpci_archive_number(a, h->warp_ranks != NULL) != 0;
    if (a->loading && a->status == GPC_OK && on && gpc_hierarchy_rank_warps(h, on, NULL) < 0)
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "out of memory");
    for (uint32_t sm = 0; on && a->status == GPC_OK && sm < h->sms; sm++) {
        gpci_warp_ranks *r = &h->warp_ranks[sm];
        const uint32_t slots = (uint32_t)gpci_archive_count(a, r->slots, sizeof *r->ranks);
        if (slots > r->slots && make_room(h, r, slots - 1) < 0)
            gpci_archive_fail(a, GPC_ERROR_MEMORY, "out of memory");
        if (a->status < 0)
            return;
        gpci_archive_bytes(a, r->ranks, slots * sizeof *r->ranks);
        GPCI_ARCHIVE_FIELD(a, r->running);
    }
}
