/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/l2_send.h"

#include "level/rules/level_rules.h"
#include "timed/core/event_log.h"

/* Packets from a slice to memory or to the other partition: reads of MSHR entries, writes, write-backs. */

void gpci_l2_write_memory(gpci_timed *t, gpci_ctrl *ctrl, uint64_t inner, uint8_t segments) {
    if (!segments)
        return;
    uint32_t packet = gpci_pool_take(&t->pool);
    *gpci_packet_at(&t->pool, packet) = (gpci_packet){
        .request = gpci_request_of_nobody(t->h, inner, gpci_l2_host_address(t->h, ctrl->index, inner), 0, GPC_STORE),
        .born = t->wheel.now,
        .line = {.inflight = UINT32_MAX},
        .segments = segments,
        .type = GPCI_WRITE,
        .flags = GPCI_PACKET_POSTED};
    gpci_count_slice_dram_write(t->h, ctrl->index, gpci_count_sectors(segments));
    gpci_log_new_packet(t, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
    gpci_queue_push(&ctrl->out, &t->pool, t->wheel.now, packet);
}

/* Write a line's dirty segments, taken from an L1. */
static void write_taken(void *user_data, uint64_t address, uint8_t segments) {
    gpci_ctrl *ctrl = user_data;
    gpci_timed *t = ctrl->timed;
    gpci_l2_place place = gpci_l2_place_of(t->h, address);
    gpci_l2_write_memory(t, ctrl, gpci_l2_line(t, place.inner), (uint8_t)(segments << place.shift));
}

void gpci_l2_evicted(gpci_timed *t, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    if (gpci_parts_at(ctrl, GPCI_AT_EVICT))
        gpci_parts_evicted(ctrl, eviction);
    gpci_l2_write_memory(t, ctrl, eviction->line_address, gpci_l2_write_back(t->h, ctrl->index, eviction->dirty_bytes));
    gpci_l2_take_from_l1(t->h, ctrl->index, eviction->line_address, write_taken, ctrl);
}

/* A fetch to the other partition's slice copies the leader. A fetch of memory has the leader's request. */
static void make_fetch(gpci_packet *f, const gpci_packet *mshr_entry, bool remote) {
    if (remote) {
        *f = *mshr_entry;
        return;
    }
    f->address = mshr_entry->address;
    f->request = mshr_entry->request;
}

void gpci_l2_count_memory_read(gpc_hierarchy *h, uint32_t slice, const gpci_packet *p) {
    const uint32_t sectors = gpci_count_sectors(p->segments);
    gpci_count_slice_dram_read(h, slice, sectors);
    gpci_stream_dram_read(h, slice, &p->request, sectors);
}

void gpci_l2_send_fetch(gpci_timed *t, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    uint32_t fetch = gpci_pool_take(&t->pool);
    bool remote = asked->remote;
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    make_fetch(f, gpci_packet_at(&t->pool, asked->mshr_target), remote);
    f->request.address = gpci_l2_line(t, f->request.address);
    f->address = gpci_l2_line(t, f->address);
    f->request.kind = GPC_LOAD;
    f->request.byte_mask[0] = f->request.byte_mask[1] = 0;
    f->line.fetched = t->h->l2_level.sectors_of[asked->segments];
    gpci_l2_ask_on(&f->request, f->line.fetched, asked->word);
    f->segments = asked->segments;
    f->type = GPCI_READ;
    f->line.inflight = UINT32_MAX;
    f->line.mshr_target = asked->mshr_target; /* for gpci_slice_expect; may be gone by then */
    f->line.marks = 0;
    f->level = 3;
    f->flags = (uint8_t)(GPCI_PACKET_FETCH | (remote ? GPCI_PACKET_LINK : 0));
    uint32_t count = gpci_count_sectors(f->segments);
    if (remote)
        gpci_count_l2_remote(t->h, ctrl->index, count);
    else
        gpci_l2_count_memory_read(t->h, ctrl->index, f);
    gpci_queue_push(remote ? &ctrl->link : &ctrl->out, &t->pool, t->wheel.now, fetch);
    gpci_log_new_packet(t, GPC_WHAT_FETCH, ctrl, fetch, gpci_packet_at(&t->pool, asked->mshr_target), false);
}
