/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/l2_send.h"

#include "level/rules/level_rules.h"
#include "timed/core/event_log.h"

/* Packets from a slice to memory or to the other partition: reads of MSHR entries, writes, write-backs. */

void gpci_l2_write_memory(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t inner, uint8_t segments) {
    if (!segments)
        return;
    uint32_t packet = gpci_pool_take(&timed->pool);
    *gpci_packet_at(&timed->pool, packet) = (gpci_packet){
        .request = gpci_request_of_nobody(timed->hierarchy, inner,
                                          gpci_l2_host_address(timed->hierarchy, ctrl->index, inner), 0, GPC_STORE),
        .born = timed->wheel.now,
        .line = {.inflight = UINT32_MAX},
        .segments = segments,
        .type = GPCI_WRITE,
        .flags = GPCI_PACKET_POSTED};
    gpci_count_slice_dram_write(timed->hierarchy, ctrl->index, gpci_count_sectors(segments));
    gpci_log_new_packet(timed, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, packet);
}

/* Write a line's dirty segments, taken from an L1. */
static void write_taken(void *user_data, uint64_t address, uint8_t segments) {
    gpci_ctrl *ctrl = user_data;
    gpci_timed *timed = ctrl->timed;
    gpci_l2_place place = gpci_l2_place_of(timed->hierarchy, address);
    gpci_l2_write_memory(timed, ctrl, gpci_l2_line(timed, place.inner), (uint8_t)(segments << place.shift));
}

void gpci_l2_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    if (gpci_parts_at(ctrl, GPCI_AT_EVICT))
        gpci_parts_evicted(ctrl, eviction);
    gpci_l2_write_memory(timed, ctrl, eviction->line_address,
                         gpci_l2_write_back(timed->hierarchy, ctrl->index, eviction->dirty_bytes));
    gpci_l2_take_from_l1(timed->hierarchy, ctrl->index, eviction->line_address, write_taken, ctrl);
}

/* A fetch to the other partition's slice copies the leader. A fetch of memory has the leader's request. */
static void make_fetch(gpci_packet *fetched, const gpci_packet *mshr_entry, bool remote) {
    if (remote) {
        *fetched = *mshr_entry;
        return;
    }
    fetched->address = mshr_entry->address;
    fetched->request = mshr_entry->request;
}

void gpci_l2_count_memory_read(gpc_hierarchy *hierarchy, uint32_t slice, const gpci_packet *pkt) {
    const uint32_t sectors = gpci_count_sectors(pkt->segments);
    gpci_count_slice_dram_read(hierarchy, slice, sectors);
    gpci_stream_dram_read(hierarchy, slice, &pkt->request, sectors);
}

void gpci_l2_send_fetch(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    uint32_t fetch = gpci_pool_take(&timed->pool);
    bool remote = asked->remote;
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    make_fetch(fetched, gpci_packet_at(&timed->pool, asked->mshr_target), remote);
    fetched->request.address = gpci_l2_line(timed, fetched->request.address);
    fetched->address = gpci_l2_line(timed, fetched->address);
    fetched->request.kind = GPC_LOAD;
    fetched->request.byte_mask[0] = fetched->request.byte_mask[1] = 0;
    fetched->line.fetched = timed->hierarchy->l2_level.sectors_of[asked->segments];
    gpci_l2_ask_on(&fetched->request, fetched->line.fetched, asked->word);
    fetched->segments = asked->segments;
    fetched->type = GPCI_READ;
    fetched->line.inflight = UINT32_MAX;
    fetched->line.mshr_target = asked->mshr_target; /* for gpci_slice_expect; may be gone by then */
    fetched->line.marks = 0;
    fetched->level = 3;
    fetched->flags = (uint8_t)(GPCI_PACKET_FETCH | (remote ? GPCI_PACKET_LINK : 0));
    uint32_t count = gpci_count_sectors(fetched->segments);
    if (remote)
        gpci_count_l2_remote(timed->hierarchy, ctrl->index, count);
    else
        gpci_l2_count_memory_read(timed->hierarchy, ctrl->index, fetched);
    gpci_queue_push(remote ? &ctrl->link : &ctrl->out, &timed->pool, timed->wheel.now, fetch);
    gpci_log_new_packet(timed, GPC_WHAT_FETCH, ctrl, fetch, gpci_packet_at(&timed->pool, asked->mshr_target), false);
}
