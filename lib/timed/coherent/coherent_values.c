/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"

#include "base/array.h"
#include "timed/core/kept_access.h"

#include <string.h>

/* Values of timed accesses: lines in flight, and atomics performed there. */

static size_t packets_of(const gpci_timed *t) {
    return (size_t)t->pool.chunk_count * GPCI_POOL_CHUNK;
}

/* New room is zeroed, because a snapshot stores values only through packets. */
static bool reserve_packets(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    const size_t values = host->value_room, atomics = host->atomic_room;
    if (!GPCI_ARRAY_ROOM(t->context, host->values, host->value_room, 0, packets_of(t)))
        return false;
    if (host->value_room > values)
        memset(host->values + values, 0, (host->value_room - values) * sizeof *host->values);
    if (!GPCI_ARRAY_ROOM(t->context, host->atomics, host->atomic_room, 0, packets_of(t)))
        return false;
    if (host->atomic_room > atomics)
        memset(host->atomics + atomics, 0, (host->atomic_room - atomics) * sizeof *host->atomics);
    return true;
}

/* Make room for a kept access per in-flight access. Existing accesses keep memory for atomics. */
static bool reserve_kept(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    const size_t had = host->kept_room;
    if (!GPCI_ARRAY_ROOM(t->context, host->kept, host->kept_room, 0, t->inflight_room))
        return false;
    if (host->kept_room > had)
        memset(host->kept + had, 0, (host->kept_room - had) * sizeof *host->kept);
    return true;
}

/* Atomics must not move, as targets of engine' writes. */
static gpc_atomic *make_atomics(const gpci_timed *t) {
    return gpci_zalloc(t->context, GPCI_MAX_LANES, sizeof(gpc_atomic));
}

static bool reserve_atomics(gpci_timed *t, const gpc_warp_access *w) {
    gpci_coherent_host *host = t->coherent;
    if (w->atomic && !host->spare)
        host->spare = make_atomics(t);
    return !w->atomic || host->spare;
}

gpc_status gpci_coherent_values_reserve(gpci_timed *t, const gpc_warp_access *w) {
    return reserve_packets(t) && reserve_kept(t) && reserve_atomics(t, w) ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_coherent_values_free(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    for (size_t i = 0; i < host->kept_room; i++)
        gpci_free(t->context, host->kept[i].items);
    gpci_free(t->context, host->spare);
    gpci_free(t->context, host->values);
    gpci_free(t->context, host->atomics);
    gpci_free(t->context, host->kept);
}

void gpci_coherent_values_keep(gpci_timed *t, uint32_t inflight, const gpc_warp_access *w) {
    gpci_kept_atomics *kept = &t->coherent->kept[inflight];
    kept->taken = 0;
    if (w->atomic && !kept->items) {
        kept->items = t->coherent->spare;
        t->coherent->spare = NULL;
    }
}

/* Atomics of a packet. */
static gpc_atomic *atomics_of(const gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    return t->coherent->kept[p->line.inflight].items + t->coherent->atomics[gpci_pool_place(&t->pool, packet)].first;
}

void gpci_coherent_values_take(gpci_timed *t, uint32_t packet, const gpc_warp_access *w) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const gpci_lanes lanes = gpci_lanes_of(w);
    const uint32_t line_bytes = t->h->l1_level.line_bytes;
    gpc_coherence_request request = gpci_coherent_request(t->h->coherent, &p->request, p->bytes);
    if (!lanes.op) {
        gpci_values_gather(&lanes, p->address, line_bytes, &request,
                           &t->coherent->values[gpci_pool_place(&t->pool, packet)]);
        return;
    }
    gpci_kept_atomics *kept = &t->coherent->kept[p->line.inflight];
    gpci_line_atomics *own = &t->coherent->atomics[gpci_pool_place(&t->pool, packet)];
    own->first = kept->taken;
    own->count = gpci_values_atomics(&lanes, p->address, line_bytes, &request, atomics_of(t, packet));
    kept->taken += own->count;
}

void gpci_coherent_values_attach(const gpci_timed *t, uint32_t packet, gpc_coherence_request *request) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_line_values *values = &t->coherent->values[gpci_pool_place(&t->pool, packet)];
    uint8_t *bytes = values->bytes + (request->address - p->address);
    if (t->kept[p->line.inflight].shape.op) {
        request->atomics = atomics_of(t, packet);
        request->atomic_count = t->coherent->atomics[gpci_pool_place(&t->pool, packet)].count;
    } else if (request->kind == GPC_COHERENCE_LOAD) {
        request->out = bytes;
    } else {
        request->bytes = bytes;
        request->mask = gpci_values_mask(values, request->size);
    }
}

void gpci_coherent_values_deliver(gpci_timed *t, uint32_t packet, const uint8_t *line) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const gpci_lanes lanes = gpci_kept_lanes(t, p->line.inflight);
    gpci_line_values *values = &t->coherent->values[gpci_pool_place(&t->pool, packet)];
    if (lanes.op) {
        gpci_values_found(&lanes, p->address, t->h->l1_level.line_bytes, atomics_of(t, packet));
        return;
    }
    if (line)
        memcpy(values->bytes, line, t->h->l1_level.line_bytes);
    gpci_values_scatter(&lanes, p->address, t->h->l1_level.line_bytes, values);
}

/* In a snapshot. */

static void archive_kept(gpci_timed *t, gpci_archive *a) {
    gpci_coherent_host *host = t->coherent;
    for (size_t i = 0; i < t->inflight_fresh && a->status == GPC_OK; i++) {
        gpci_kept_atomics *kept = &host->kept[i];
        const bool has = gpci_archive_number(a, kept->items != NULL) != 0;
        if (a->loading && has && a->status == GPC_OK && !kept->items && !(kept->items = make_atomics(t)))
            gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
        if (has && a->status == GPC_OK)
            gpci_archive_bytes(a, kept->items, GPCI_MAX_LANES * sizeof *kept->items);
    }
}

void gpci_coherent_values_archive(gpci_timed *t, gpci_archive *a) {
    gpci_coherent_host *host = t->coherent;
    const uint32_t packets = gpci_pool_place(&t->pool, t->pool.fresh);
    /* room first: a snapshot has as many values as there are packets, whatever room has been made so far */
    if (a->status == GPC_OK && (!reserve_packets(t) || !reserve_kept(t)))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    gpci_archive_bytes(a, host->values, packets * sizeof *host->values);
    gpci_archive_bytes(a, host->atomics, packets * sizeof *host->atomics);
    archive_kept(t, a);
}

void gpci_coherent_values_know(const gpci_timed *t, bool known) {
    const gpci_engine *e = gpci_engine_of(t);
    for (uint32_t i = 0; e->rests && i < e->inflights.count; i++) {
        const gpci_tree_inflight *a = gpci_tree_inflight_at(e, i);
        gpci_inflight_rest *rest = gpci_inflight_rest_of(e, i);
        const bool has = known && rest->atomic_count && !a->ended;
        rest->atomics = has ? atomics_of(t, (uint32_t)a->token) : NULL;
        rest->out = NULL; /* a load's values come with the line */
    }
}
