/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"

#include "base/array.h"
#include "timed/core/kept_access.h"

#include <string.h>

/* Values of accesses in a tree with a clock: bytes of packets' lines, and atomics. */

static size_t packets_of(const gpci_timed *timed) {
    return (size_t)timed->pool.chunk_count * GPCI_POOL_CHUNK;
}

/* Make room for values and atomics by packet. New room is zeroed, because a snapshot contains elements never set. */
static bool reserve_packets(gpci_timed *timed) {
    gpci_coherent_host *host = timed->coherent;
    const size_t values = host->value_capacity, atomics = host->atomic_capacity;
    if (!GPCI_ARRAY_RESERVE(timed->context, host->values, host->value_capacity, 0, packets_of(timed)))
        return false;
    if (host->value_capacity > values)
        memset(host->values + values, 0, (host->value_capacity - values) * sizeof *host->values);
    if (!GPCI_ARRAY_RESERVE(timed->context, host->atomics, host->atomic_capacity, 0, packets_of(timed)))
        return false;
    if (host->atomic_capacity > atomics)
        memset(host->atomics + atomics, 0, (host->atomic_capacity - atomics) * sizeof *host->atomics);
    return true;
}

/* Make room for a kept access per in-flight access. Existing accesses keep memory for atomics. */
static bool reserve_kept(gpci_timed *timed) {
    gpci_coherent_host *host = timed->coherent;
    const size_t had = host->kept_capacity;
    if (!GPCI_ARRAY_RESERVE(timed->context, host->kept, host->kept_capacity, 0, timed->inflight_capacity))
        return false;
    if (host->kept_capacity > had)
        memset(host->kept + had, 0, (host->kept_capacity - had) * sizeof *host->kept);
    return true;
}

/* Memory for atomics, which must not move: the engine writes results into it. */
static gpc_atomic *make_atomics(const gpci_timed *timed) {
    return gpci_zalloc(timed->context, GPCI_MAX_LANES, sizeof(gpc_atomic));
}

static bool reserve_atomics(gpci_timed *timed, const gpc_warp_access *access) {
    gpci_coherent_host *host = timed->coherent;
    if (access->atomic && !host->spare)
        host->spare = make_atomics(timed);
    return !access->atomic || host->spare;
}

gpc_status gpci_coherent_values_reserve(gpci_timed *timed, const gpc_warp_access *access) {
    return reserve_packets(timed) && reserve_kept(timed) && reserve_atomics(timed, access) ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_coherent_values_free(gpci_timed *timed) {
    gpci_coherent_host *host = timed->coherent;
    for (size_t i = 0; i < host->kept_capacity; i++)
        gpci_free(timed->context, host->kept[i].items);
    gpci_free(timed->context, host->spare);
    gpci_free(timed->context, host->values);
    gpci_free(timed->context, host->atomics);
    gpci_free(timed->context, host->kept);
}

void gpci_coherent_values_keep(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access) {
    gpci_kept_atomics *kept = &timed->coherent->kept[inflight];
    kept->taken = 0;
    if (access->atomic && !kept->items) {
        kept->items = timed->coherent->spare;
        timed->coherent->spare = NULL;
    }
}

/* Atomics of a packet. */
static gpc_atomic *atomics_of(const gpci_timed *timed, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    return timed->coherent->kept[pkt->line.inflight].items +
           timed->coherent->atomics[gpci_pool_place(&timed->pool, packet)].first;
}

void gpci_coherent_values_take(gpci_timed *timed, uint32_t packet, const gpc_warp_access *access) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const gpci_lanes lanes = gpci_lanes_of(access);
    const uint32_t line_bytes = timed->hierarchy->l1_level.line_bytes;
    gpc_coherence_request request = gpci_coherent_request(timed->hierarchy->coherent, &pkt->request, pkt->bytes);
    if (!lanes.op) {
        gpci_values_gather(&lanes, pkt->address, line_bytes, &request,
                           &timed->coherent->values[gpci_pool_place(&timed->pool, packet)]);
        return;
    }
    gpci_kept_atomics *kept = &timed->coherent->kept[pkt->line.inflight];
    gpci_line_atomics *own = &timed->coherent->atomics[gpci_pool_place(&timed->pool, packet)];
    own->first = kept->taken;
    own->count = gpci_values_atomics(&lanes, pkt->address, line_bytes, &request, atomics_of(timed, packet));
    kept->taken += own->count;
}

void gpci_coherent_values_attach(const gpci_timed *timed, uint32_t packet, gpc_coherence_request *request) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_line_values *values = &timed->coherent->values[gpci_pool_place(&timed->pool, packet)];
    uint8_t *bytes = values->bytes + (request->address - pkt->address);
    if (timed->kept[pkt->line.inflight].shape.op) {
        request->atomics = atomics_of(timed, packet);
        request->atomic_count = timed->coherent->atomics[gpci_pool_place(&timed->pool, packet)].count;
    } else if (request->kind == GPC_COHERENCE_LOAD) {
        request->out = bytes;
    } else {
        request->bytes = bytes;
        request->mask = gpci_values_mask(values, request->size);
    }
}

void gpci_coherent_values_deliver(gpci_timed *timed, uint32_t packet, const uint8_t *line) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const gpci_lanes lanes = gpci_kept_lanes(timed, pkt->line.inflight);
    gpci_line_values *values = &timed->coherent->values[gpci_pool_place(&timed->pool, packet)];
    if (lanes.op) {
        gpci_values_found(&lanes, pkt->address, timed->hierarchy->l1_level.line_bytes, atomics_of(timed, packet));
        return;
    }
    if (line)
        memcpy(values->bytes, line, timed->hierarchy->l1_level.line_bytes);
    gpci_values_scatter(&lanes, pkt->address, timed->hierarchy->l1_level.line_bytes, values);
}

/* Values in a snapshot. */

static void archive_kept(gpci_timed *timed, gpci_archive *archive) {
    gpci_coherent_host *host = timed->coherent;
    for (size_t i = 0; i < timed->inflight_fresh && archive->status == GPC_OK; i++) {
        gpci_kept_atomics *kept = &host->kept[i];
        const bool has = gpci_archive_number(archive, kept->items != NULL) != 0;
        if (archive->loading && has && archive->status == GPC_OK && !kept->items &&
            !(kept->items = make_atomics(timed)))
            gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
        if (has && archive->status == GPC_OK)
            gpci_archive_bytes(archive, kept->items, GPCI_MAX_LANES * sizeof *kept->items);
    }
}

void gpci_coherent_values_archive(gpci_timed *timed, gpci_archive *archive) {
    gpci_coherent_host *host = timed->coherent;
    const uint32_t packets = gpci_pool_place(&timed->pool, timed->pool.fresh);
    /* room first: a snapshot has as many values as there are packets, whatever room has been made so far */
    if (archive->status == GPC_OK && (!reserve_packets(timed) || !reserve_kept(timed)))
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    gpci_archive_bytes(archive, host->values, packets * sizeof *host->values);
    gpci_archive_bytes(archive, host->atomics, packets * sizeof *host->atomics);
    archive_kept(timed, archive);
}

void gpci_coherent_values_know(const gpci_timed *timed, bool known) {
    const gpci_engine *engine = gpci_engine_of(timed);
    for (uint32_t i = 0; engine->rests && i < engine->inflights.count; i++) {
        const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, i);
        gpci_inflight_rest *rest = gpci_inflight_rest_of(engine, i);
        const bool has = known && rest->atomic_count && !access->ended;
        rest->atomics = has ? atomics_of(timed, (uint32_t)access->token) : NULL;
        rest->out = NULL; /* a load's values come with the line */
    }
}
