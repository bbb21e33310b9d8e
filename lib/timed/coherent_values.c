/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent.h"

#include "base/array.h"

#include <string.h>

/* Values that timed accesses carry: of each line on its way, and the lanes that they are of. */

gpc_status gpci_coherent_values_reserve(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    const size_t packets = (size_t)t->pool.chunk_count * GPCI_POOL_CHUNK;
    return GPCI_ARRAY_ROOM(t->context, host->values, host->value_room, 0, packets) &&
                   GPCI_ARRAY_ROOM(t->context, host->lanes, host->lane_room, 0, t->flight_room)
               ? GPC_OK
               : GPC_ERROR_MEMORY;
}

void gpci_coherent_values_keep(gpci_timed *t, uint32_t flight, const gpc_warp_access *w) {
    gpci_kept_lanes *kept = &t->coherent->lanes[flight];
    kept->lanes = gpci_lanes_of(w);
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
    gpc_coherence_request request = gpci_coherent_request(&p->request, p->bytes);
    gpci_values_gather(&lanes, p->address, t->h->l1_level.line_bytes, &request, &t->coherent->values[packet]);
}

void gpci_coherent_values_attach(const gpci_timed *t, uint32_t packet, gpc_coherence_request *request) {
    gpci_line_values *values = &t->coherent->values[packet];
    uint8_t *bytes = values->bytes + (request->address - gpci_packet_at(&t->pool, packet)->address);
    if (request->kind == GPC_COHERENCE_LOAD) {
        request->out = bytes;
    } else {
        request->bytes = bytes;
        request->mask = values->mask;
    }
}

void gpci_coherent_values_deliver(gpci_timed *t, uint32_t packet, const uint8_t *line) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const gpci_lanes lanes = lanes_of(t, p->line.flight);
    gpci_line_values *values = &t->coherent->values[packet];
    if (line)
        memcpy(values->bytes, line, t->h->l1_level.line_bytes);
    gpci_values_scatter(&lanes, p->address, t->h->l1_level.line_bytes, values);
}
