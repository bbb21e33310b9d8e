/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/l2_send.h"

#include "level/rules/level_rules.h"
#include "timed/core/watch.h"
#include "timed/stage/prefetch.h"

/* Packets from a slice to memory or to the other partition: reads of MSHR entries, writes, write-backs. */

void gpci_l2_write_memory(gpci_timed *t, gpci_stage *stage, uint64_t inner, uint8_t segments) {
    if (!segments)
        return;
    uint32_t packet = gpci_pool_take(&t->pool);
    *gpci_packet_at(&t->pool, packet) = (gpci_packet){
        .request = gpci_request_of_nobody(t->h, inner, gpci_l2_host_address(t->h, stage->index, inner), 0, GPC_STORE),
        .born = t->wheel.now,
        .line = {.flight = UINT32_MAX},
        .segments = segments,
        .type = GPCI_WRITE,
        .flags = GPCI_PACKET_POSTED};
    gpci_count_slice_dram_write(t->h, stage->index, gpci_count_sectors(segments));
    gpci_see_new(t, GPC_WHAT_WRITE_BACK, stage, packet, NULL, false);
    gpci_queue_push(&stage->out, &t->pool, t->wheel.now, packet);
}

/* Write a line's dirty segments, taken from an L1. */
static void write_taken(void *user_data, uint64_t address, uint8_t segments) {
    gpci_stage *stage = user_data;
    gpci_timed *t = stage->timed;
    gpci_l2_place place = gpci_l2_place_of(t->h, address);
    gpci_l2_write_memory(t, stage, gpci_l2_line(t, place.inner), (uint8_t)(segments << place.shift));
}

void gpci_l2_evicted(gpci_timed *t, gpci_stage *stage, const gpc_eviction *eviction) {
    if (GPCI_UNLIKELY(stage->prefetch != NULL))
        gpci_prefetch_evicted(stage, eviction);
    gpci_l2_write_memory(t, stage, eviction->line_address,
                         gpci_l2_write_back(t->h, stage->index, eviction->dirty_bytes));
    gpci_l2_take_from_l1(t->h, stage->index, eviction->line_address, write_taken, stage);
}

/* A fetch to the other partition's slice copies the leader. A fetch of memory has the leader's request. */
static void make_fetch(gpci_packet *f, const gpci_packet *leader, bool remote) {
    if (remote) {
        *f = *leader;
        return;
    }
    f->address = leader->address;
    f->request = leader->request;
}

void gpci_l2_count_memory_read(gpc_hierarchy *h, uint32_t slice, const gpci_packet *p) {
    const uint32_t sectors = gpci_count_sectors(p->segments);
    gpci_count_slice_dram_read(h, slice, sectors);
    gpci_stream_dram_read(h, slice, &p->request, sectors);
}

void gpci_l2_send_fetch(gpci_timed *t, gpci_stage *stage, const gpci_fetch_request *asked) {
    uint32_t fetch = gpci_pool_take(&t->pool);
    bool remote = asked->remote;
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    make_fetch(f, gpci_packet_at(&t->pool, asked->waiter), remote);
    f->request.address = gpci_l2_line(t, f->request.address);
    f->address = gpci_l2_line(t, f->address);
    f->request.kind = GPC_LOAD;
    f->request.byte_mask[0] = f->request.byte_mask[1] = 0;
    f->line.fetched = t->h->l2_level.sectors_of[asked->segments];
    gpci_l2_ask_on(&f->request, f->line.fetched, asked->word);
    f->segments = asked->segments;
    f->type = GPCI_READ;
    f->line.flight = UINT32_MAX;
    f->line.waiter = asked->waiter; /* for gpci_slice_expect; may be gone by then */
    f->line.marks = 0;
    f->level = 3;
    f->flags = (uint8_t)(GPCI_PACKET_FETCH | (remote ? GPCI_PACKET_LINK : 0));
    uint32_t count = gpci_count_sectors(f->segments);
    if (remote)
        gpci_count_l2_remote(t->h, stage->index, count);
    else
        gpci_l2_count_memory_read(t->h, stage->index, f);
    gpci_queue_push(remote ? &stage->link : &stage->out, &t->pool, t->wheel.now, fetch);
    gpci_see_new(t, GPC_WHAT_FETCH, stage, fetch, gpci_packet_at(&t->pool, asked->waiter), false);
}
