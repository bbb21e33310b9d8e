/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent.h"

#include "base/array.h"

#include <string.h>

/* Values that timed accesses carry: of each line on its way, and the lanes that they are of. */

/* Lanes that have been kept for a while have their atomics still; those that are new have none. */
static bool reserve_lanes(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    const size_t had = host->lane_room;
    if (!GPCI_ARRAY_ROOM(t->context, host->lanes, host->lane_room, 0, t->flight_room))
        return false;
    for (size_t i = had; i < host->lane_room; i++)
        host->lanes[i].atomics = NULL;
    return true;
}

/* Atomics do not move, for controllers write what they find into them. */
static bool reserve_atomics(gpci_timed *t, const gpc_warp_access *w) {
    gpci_coherent_host *host = t->coherent;
    if (w->atomic && !host->spare)
        host->spare = gpci_alloc(t->context, GPCI_MAX_LANES * sizeof *host->spare);
    return !w->atomic || host->spare;
}

gpc_status gpci_coherent_values_reserve(gpci_timed *t, const gpc_warp_access *w) {
    gpci_coherent_host *host = t->coherent;
    const size_t packets = (size_t)t->pool.chunk_count * GPCI_POOL_CHUNK;
    return GPCI_ARRAY_ROOM(t->context, host->values, host->value_room, 0, packets) &&
                   GPCI_ARRAY_ROOM(t->context, host->atomics, host->atomic_room, 0, packets) && reserve_lanes(t) &&
                   reserve_atomics(t, w)
               ? GPC_OK
               : GPC_ERROR_MEMORY;
}

void gpci_coherent_values_free(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    for (size_t i = 0; i < host->lane_room; i++)
        gpci_free(t->context, host->lanes[i].atomics);
    gpci_free(t->context, host->spare);
    gpci_free(t->context, host->values);
    gpci_free(t->context, host->atomics);
    gpci_free(t->context, host->lanes);
}

void gpci_coherent_values_keep(gpci_timed *t, uint32_t flight, const gpc_warp_access *w) {
    gpci_kept_lanes *kept = &t->coherent->lanes[flight];
    kept->lanes = gpci_lanes_of(w);
    kept->taken = 0;
    if (w->atomic && !kept->atomics) {
        kept->atomics = t->coherent->spare;
        t->coherent->spare = NULL;
    }
    memcpy(kept->addresses, w->addresses, kept->lanes.count * sizeof *kept->addresses);
}

static gpci_lanes lanes_of(const gpci_timed *t, uint32_t flight) {
    gpci_lanes lanes = t->coherent->lanes[flight].lanes;
    lanes.addresses = t->coherent->lanes[flight].addresses;
    return lanes;
}

void gpci_coherent_values_take(gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const gpci_lanes lanes = lanes_of(t, p->line.flight);
    const uint32_t line_bytes = t->h->l1_level.line_bytes;
    gpc_coherence_request request = gpci_coherent_request(t->h->coherent, &p->request, p->bytes);
    if (!lanes.op) {
        gpci_values_gather(&lanes, p->address, line_bytes, &request, &t->coherent->values[packet]);
        return;
    }
    gpci_kept_lanes *kept = &t->coherent->lanes[p->line.flight];
    gpci_line_atomics *own = &t->coherent->atomics[packet];
    own->first = kept->atomics + kept->taken;
    own->count = gpci_values_atomics(&lanes, p->address, line_bytes, &request, own->first);
    kept->taken += own->count;
}

void gpci_coherent_values_attach(const gpci_timed *t, uint32_t packet, gpc_coherence_request *request) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_line_values *values = &t->coherent->values[packet];
    uint8_t *bytes = values->bytes + (request->address - p->address);
    if (t->coherent->lanes[p->line.flight].lanes.op) {
        request->atomics = t->coherent->atomics[packet].first;
        request->atomic_count = t->coherent->atomics[packet].count;
    } else if (request->kind == GPC_COHERENCE_LOAD) {
        request->out = bytes;
    } else {
        request->bytes = bytes;
        request->mask = gpci_values_mask(values, request->size);
    }
}

void gpci_coherent_values_deliver(gpci_timed *t, uint32_t packet, const uint8_t *line) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const gpci_lanes lanes = lanes_of(t, p->line.flight);
    gpci_line_values *values = &t->coherent->values[packet];
    if (lanes.op) {
        gpci_values_found(&lanes, p->address, t->h->l1_level.line_bytes, t->coherent->atomics[packet].first);
        return;
    }
    if (line)
        memcpy(values->bytes, line, t->h->l1_level.line_bytes);
    gpci_values_scatter(&lanes, p->address, t->h->l1_level.line_bytes, values);
}
