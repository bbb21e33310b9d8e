/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/changes.h"

/*
 * The part of a slice of plain caches that knows the last changes of lines, by hash of the line: lines with equal
 * hashes share an element.
 */
#define CHANGES_BITS 6u

static uint64_t *at(const gpci_timed *timed, const gpci_ctrl *slice, uint64_t inner) {
    uint64_t *changes = slice->parts.self[GPCI_PART_CHANGES];
    return &changes[gpci_l2_line(timed, inner) * 0x9e3779b97f4a7c15u >> (64 - CHANGES_BITS)];
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *slice, gpc_error *error) {
    if (timed->hierarchy->coherent)
        return GPC_OK;
    uint64_t *changes = gpci_zalloc(timed->context, (size_t)1 << CHANGES_BITS, sizeof *changes);
    if (!changes)
        return gpci_out_of_memory(error);
    gpci_part_add(slice, GPCI_PART_CHANGES, &gpci_changes_part, changes);
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *slice) {
    gpci_free(timed->context, slice->parts.self[GPCI_PART_CHANGES]);
}

static void state(gpci_ctrl *slice, gpci_state_fn visit, void *user_data) {
    visit(user_data, slice->parts.self[GPCI_PART_CHANGES], sizeof(uint64_t) << CHANGES_BITS);
}

static void changes(gpci_timed *timed, gpci_ctrl *slice, uint64_t inner) {
    *at(timed, slice, inner) = timed->wheel.now;
}

uint64_t gpci_changes_since(const gpci_timed *timed, uint32_t sm, uint64_t address) {
    const gpci_l2_place place = gpci_l2_place_of(timed->hierarchy, address);
    const uint32_t home = gpci_l2_home(timed->hierarchy, timed->hierarchy->sm_partition[sm], address),
                   slice = gpci_l2_slice(timed->hierarchy, home, place.slice);
    return *at(timed, &timed->l2[slice], place.inner);
}

bool gpci_changes_forbid(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                         const gpci_tag_access *access) {
    const uint32_t mshr_entry = gpci_mshr_find(timed, ctrl, pkt->request.address);
    if (mshr_entry == GPCI_NO_PACKET)
        return false;
    const gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    const uint8_t flying = gpci_mshr_in_flight(entry);
    if (flying && !(flying & timed->hierarchy->l1_level.segments_of[access->result.needed_sectors]))
        return false;
    return gpci_changes_since(timed, pkt->request.sm, pkt->address) > gpci_mshr_sent(timed, entry);
}

const gpci_part_class gpci_changes_part = {
    .levels = GPCI_OF_SLICES, .make = make, .destroy = destroy, .changes = changes, .state = state};
