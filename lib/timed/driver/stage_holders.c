/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/stage_holders.h"
#include "timed/core/coherent.h"
#include "timed/l1/collector.h"
#include "timed/l1/combine.h"
#include "timed/l1/copy_engine.h"
#include "timed/l1/lsu.h"
#include "timed/l1/replies.h"
#include "timed/pages/l1_tlb.h"
#include "timed/stage/l15_stage.h"
#include "timed/stage/prefetch.h"

/* Holders of stages (holders.h): L1s with TLBs, collectors and constant caches, slices, clusters, L1.5s. */

static const char *const at_tags[] = {"packets before its tags",
                                      "packets before its tags, held up",
                                      "packets before its tags, held up for a line",
                                      "packets before its tags, held up for an MSHR entry",
                                      "packets before its tags, held up for an MSHR merge",
                                      "packets before its tags, held up for the miss queue",
                                      "packets before its tags, held up for the network",
                                      "packets before its tags, held up for a reply"};

/* Tell whether the lack that holds up a packet at the tags still exists. */
static bool is_in_the_way(const gpci_stage *stage, const gpci_tag_access *access) {
    const gpci_timed *t = stage->timed;
    const uint64_t entries = stage->options->entries;
    const uint32_t *used = stage->mshr.used;
    switch (access->reason) {
    case GPC_BUSY_MISS_QUEUE:
        return gpci_queue_full(&stage->out) || gpci_queue_full(&stage->link);
    case GPC_BUSY_NETWORK:
        return gpci_queue_full(&stage->served) || gpci_queue_full(&stage->atomics);
    case GPC_BUSY_MSHR:
        return used[0] >= entries || used[1] >= entries;
    case GPC_BUSY_MERGE:
    case GPC_BUSY_LINE:
        return (used[0] | used[1]) || (t->coherent && t->coherent->sealed);
    default:
        return true;
    }
}

gpci_mover gpci_by_tags(const gpci_holders *to, const gpci_stage *stage, const gpci_tag_access *access) {
    if (!gpci_stage_stuck(access))
        return gpci_by_clock(stage->component);
    return is_in_the_way(stage, access) ? gpci_by_itself(to) : gpci_by_nobody();
}

static const char *name_at_tags(const gpci_tag_access *access) {
    return at_tags[gpci_stage_stuck(access) ? access->reason : GPC_BUSY_NOT];
}

/* Mover of packets for a network: the network without room, else the stage. */
static gpci_mover by_network(const gpci_stage *stage, gpci_group_kind kind, bool room) {
    return room ? gpci_by_clock(stage->component) : gpci_by_object(kind, 0);
}

static const gpci_packet *first_of(const gpci_timed *t, const gpci_queue *queue) {
    return gpci_packet_at(&t->pool, queue->first);
}

static bool is_due(const gpci_timed *t, const gpci_queue *queue) {
    return t->pool.links[queue->first].due <= t->wheel.now;
}

/* Packets at an output of a network, ready for the stage. */
static void hold_arrival(gpci_holders *to, const gpci_network *network, uint32_t output, const char *what,
                         gpci_mover mover) {
    gpci_held(to, what, network && gpci_network_peek(network, output) != GPCI_NO_PACKET, mover);
}

static void hold_misses(gpci_holders *to, const gpci_stage *stage) {
    gpci_held(to, "lines that are to come from below", stage->mshr.used[0] + stage->mshr.used[1], gpci_by_any());
}

static void hold_prefetches(gpci_holders *to, const gpci_stage *stage, bool stops) {
    const gpci_prefetch *p = stage->prefetch;
    if (!p || !p->count)
        return;
    const bool tags = stage->tag_access[0].reason != GPC_BUSY_NOT || stage->tag_access[1].reason != GPC_BUSY_NOT;
    const bool full = stage->mshr.used[0] >= stage->options->entries || stage->mshr.used[1] >= stage->options->entries;
    gpci_held(to, "prefetches to send", p->count,
              stops || tags || full ? gpci_by_itself(to) : gpci_by_clock(stage->component));
}

/* L1s. */

/* Mover of a fence behind so many writes in flight. */
static gpci_mover by_fence(const gpci_holders *to, const gpci_timed *t, const gpci_stage *stage, uint32_t number,
                           uint64_t writes) {
    switch (gpci_fence_waits(t, stage, number, writes)) {
    case GPCI_FENCE_FOR_OTHERS:
        return gpci_by_any();
    case GPCI_FENCE_FOR_ITS_L1:
        return gpci_by_itself(to);
    default:
        return gpci_by_clock(stage->component);
    }
}

static void hold_fences(gpci_holders *to, const gpci_timed *t, const gpci_stage *stage) {
    uint64_t writes = 0;
    for (uint32_t n = stage->fences.first; n != UINT32_MAX; n = t->flights[n].next) {
        writes += t->flights[n].fence.writes;
        gpci_held(to, "fence that waits", 1, by_fence(to, t, stage, n, writes));
    }
}

static void hold_copies(gpci_holders *to, const gpci_timed *t, const gpci_stage *stage, bool stops) {
    const gpci_copy_engine *e = stage->engine;
    if (!e)
        return;
    gpci_mover mover = gpci_by_clock(stage->component);
    if (stage->bulk && (stops || (e->queue[e->first].due <= t->wheel.now && stage->tlb && stage->tlb->used)))
        mover = gpci_by_itself(to);
    else if (stage->bulk && e->queue[e->first].due <= t->wheel.now && e->under_way >= e->most)
        mover = gpci_by_any();
    gpci_held(to, "bulk copies to ask for", stage->bulk, mover);
    gpci_held(to, "requests of bulk copies under way", e->under_way, gpci_by_any());
}

/* Accesses on the way out of the data. */
static void hold_due(gpci_holders *to, const gpci_stage *stage, const gpci_due_list *due) {
    gpci_held(to, "access whose data are coming out", due->first != UINT32_MAX, gpci_by_clock(stage->component));
}

static void hold_constants(gpci_holders *to, const gpci_stage *l1, bool stops) {
    const gpci_stage *stage = l1->constants;
    if (!stage)
        return;
    gpci_mover out = gpci_by_clock(l1->component);
    if (l1->l15 && !gpci_l15_has_room(l1))
        out = gpci_by_object(GPCI_GROUP_L15S, l1->l15->index);
    else if (!l1->l15 && gpci_queue_full(&l1->out))
        out = gpci_by_itself(to);
    hold_due(to, l1, &stage->due);
    gpci_held(to, name_at_tags(stage->tag_access), stage->in.count,
              stops ? gpci_by_itself(to) : gpci_by_tags(to, stage, stage->tag_access));
    gpci_held(to, "constants to ask for", stage->out.count, out);
    gpci_held(to, "lines of constants that are to come from below", stage->mshr.used[0], gpci_by_any());
}

/* Mover of the miss queue. The first packet may be still on the way to the queue. */
static gpci_mover by_way_out(const gpci_timed *t, const gpci_stage *stage) {
    if (!stage->out.count || !is_due(t, &stage->out))
        return gpci_by_clock(stage->component);
    const gpci_packet *p = first_of(t, &stage->out);
    const bool room = t->coherent ? gpci_coherent_l1_room(t, stage)
                      : stage->requests_out->in_flits
                          ? gpci_network_takes(stage->requests_out, stage->index, t->header + gpci_packet_payload(t, p))
                          : gpci_network_can_send(stage->requests_out, stage->index);
    return by_network(stage, GPCI_GROUP_REQUESTS, room);
}

/* If room has come free, a refused SM waits for the stage's next step, which announces the room. */
static void hold_refused(gpci_holders *to, const gpci_timed *t, const gpci_stage *stage) {
    const bool room = (stage->refused && gpci_l1_has_place(t, stage)) ||
                      (stage->refused_miss && !gpci_queue_full(&stage->out)) ||
                      (stage->refused_read && stage->l15 && gpci_l15_has_room(stage)) ||
                      (stage->refused_bulk && gpci_copy_has_room(stage));
    const bool waits = stage->refused || stage->refused_miss || stage->refused_read || stage->refused_bulk;
    gpci_awaited(to, "SM to tell of room", waits && room, gpci_by_clock(stage->component));
}

static void hold_below(gpci_holders *to, const gpci_stage *stage) {
    gpci_held(to, "packets below that will have a reply", stage->below, gpci_by_any());
    gpci_held(to, "reads that have joined another SM's", stage->joined, gpci_by_any());
    gpci_held(to, "stores on their way below", stage->stores_below, gpci_by_any());
    hold_misses(to, stage);
}

void gpci_l1_hold(const gpci_group *group, uint32_t sm, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_stage *stage = &t->l1[sm];
    const bool stops = gpci_replies_wait(stage);
    const gpci_mover clock = gpci_by_clock(stage->component),
                     tags = stops ? gpci_by_itself(to) : gpci_by_tags(to, stage, stage->tag_access);
    const char *before = name_at_tags(stage->tag_access);
    gpci_held(to, "replies that its host has no credit for", stage->replies.count,
              stage->replies.credits ? clock : gpci_by_host());
    hold_fences(to, t, stage);
    if (stage->tlb)
        gpci_l1_tlb_hold(t, stage, to);
    if (stage->collector)
        gpci_collector_hold(stage, to);
    if (stage->lsus)
        gpci_lsus_hold(t, stage, to);
    if (stage->reorder)
        gpci_reorder_hold(t, stage, to, before, tags);
    else
        gpci_held(to, before, stage->in.count, tags);
    gpci_held(to, "packets that come back to its tags", stage->returned.count, tags);
    gpci_held(to, "packets in its miss queue", stage->out.count, by_way_out(t, stage));
    gpci_held(to, "lines that others of theirs may join", stage->combine ? stage->combine->open : 0, clock);
    gpci_held(to, "data that another SM's read has brought", stage->fills.count, stops ? gpci_by_itself(to) : clock);
    hold_arrival(to, stage->replies_in, sm, "packets that have come", stops ? gpci_by_itself(to) : clock);
    hold_due(to, stage, &stage->due);
    hold_due(to, stage, &stage->filled);
    gpci_held(to, "MSHR entry that drains", stage->drain_first != GPCI_NO_PACKET, clock);
    hold_copies(to, t, stage, stops);
    hold_constants(to, stage, stops);
    hold_prefetches(to, stage, stops);
    hold_below(to, stage);
    gpci_held(to, "instructions before its tags", stage->waiting, gpci_by_itself(to));
    hold_refused(to, t, stage);
}

/* Slices. */

/* Mover of the miss queue of a slice, into channels or over the link. */
static gpci_mover by_memory(const gpci_timed *t, const gpci_stage *slice) {
    if (t->dram_delay && !t->callbacks.on_memory)
        return gpci_by_clock(t->memory[slice->index].component);
    if (slice->requests_out && !t->coherent)
        return by_network(slice, GPCI_GROUP_MEMORY_REQUESTS, gpci_network_can_send(slice->requests_out, slice->index));
    if (!slice->memory_full)
        return gpci_by_clock(slice->component);
    const gpci_packet *p = first_of(t, &slice->out);
    const uint32_t channel = p->path.channel;
    if (t->callbacks.on_memory)
        return t->memory[channel].host_full ? gpci_by_host() : gpci_by_clock(slice->component);
    return gpci_dram_room(t->dram, channel, p->type == GPCI_WRITE) ? gpci_by_clock(slice->component)
                                                                   : gpci_by_clock(t->memory[channel].component);
}

/* Mover of replies of a slice, to SMs, ports or the other partition. */
static gpci_mover by_replies(const gpci_timed *t, const gpci_stage *slice, const gpci_queue *queue) {
    if (!queue->count || !is_due(t, queue))
        return gpci_by_clock(slice->component);
    const gpci_packet *p = first_of(t, queue);
    const bool link = p->flags & GPCI_PACKET_LINK;
    if (p->flags & GPCI_PACKET_PORT && !link)
        return gpci_by_clock(slice->component);
    return by_network(
        slice, link ? GPCI_GROUP_PARTITION_REPLIES : GPCI_GROUP_REPLIES,
        gpci_network_can_take(link ? slice->peer_replies : slice->replies_out, slice->index, p->path.size));
}

/* Mover of packets behind a queue. */
static gpci_mover by_room(const gpci_holders *to, const gpci_stage *stage, const gpci_queue *queue) {
    return gpci_queue_full(queue) ? gpci_by_itself(to) : gpci_by_clock(stage->component);
}

void gpci_slice_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_stage *slice = &t->l2[index];
    const gpci_mover clock = gpci_by_clock(slice->component), in = by_room(to, slice, &slice->in),
                     link_tags = gpci_by_tags(to, slice, &slice->tag_access[1]);
    const bool peer = slice->link_at != GPCI_NO_PACKET;
    gpci_held(to, name_at_tags(slice->tag_access), slice->in.count, gpci_by_tags(to, slice, slice->tag_access));
    gpci_held(to, "packet of the other partition at its tags", peer, link_tags);
    hold_arrival(to, slice->peer_requests, index, "packets of the other partition", peer ? link_tags : clock);
    gpci_held(to, "packets on their way to its tags", slice->rop.count, in);
    hold_arrival(to, slice->requests_in, index, "packets that have come", in);
    gpci_held(to, "packets in its miss queue", slice->out.count, slice->out.count ? by_memory(t, slice) : clock);
    gpci_held(to, "packets for the other partition", slice->link.count,
              by_network(slice, GPCI_GROUP_PARTITION_REQUESTS,
                         !slice->link.count || gpci_network_can_send(slice->peer_requests, index)));
    gpci_held(to, "replies to send", slice->served.count, by_replies(t, slice, &slice->served));
    gpci_held(to, "replies of atomics to send", slice->atomics.count, by_replies(t, slice, &slice->atomics));
    gpci_held(to, "replies of the other partition to send", slice->returned.count,
              by_replies(t, slice, &slice->returned));
    gpci_held(to, "data to take", slice->fills.count, clock);
    hold_arrival(to, slice->replies_in, index, "data from memory", clock);
    hold_arrival(to, slice->peer_replies, index, "data of the other partition", clock);
    hold_prefetches(to, slice, false);
    hold_misses(to, slice);
}

/* Stages of trees. */

static gpci_mover by_send(const gpci_timed *t, const gpci_stage *stage, const gpci_queue *queue,
                          const gpci_network *network, gpci_group_kind kind) {
    return by_network(stage, kind,
                      !queue->count || gpci_network_can_take(network, stage->index, first_of(t, queue)->path.size));
}

/* Holders of slices and clusters. */
static void hold_messages(const gpci_timed *t, const gpci_stage *stage, gpci_holders *to, gpci_group_kind replies) {
    const gpci_mover clock = gpci_by_clock(stage->component);
    gpci_held(to, "messages before its tags", stage->in.count, clock);
    gpci_held(to, "messages from below before its tags", stage->fills.count, clock);
    hold_arrival(to, stage->requests_in, stage->index, "messages that have come", by_room(to, stage, &stage->in));
    hold_arrival(to, stage->replies_in, stage->index, "messages that have come from below", clock);
    gpci_held(to, "messages to send up", stage->served.count,
              by_send(t, stage, &stage->served, stage->replies_out, replies));
}

void gpci_coherent_slice_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_stage *slice = &t->l2[index];
    const gpci_mover clock = gpci_by_clock(slice->component);
    const bool lacks = slice->mshr.used[0] >= slice->options->entries;
    hold_messages(t, slice, to, t->clusters ? GPCI_GROUP_CLUSTER_REPLIES : GPCI_GROUP_REPLIES);
    hold_arrival(to, slice->peer_requests, index, "messages of the other partition", clock);
    hold_arrival(to, slice->peer_replies, index, "messages of the other partition", clock);
    gpci_held(to, "requests that wait for an MSHR entry", slice->returned.count, lacks ? gpci_by_any() : clock);
    gpci_held(to, "messages to memory", slice->link.count,
              slice->requests_out ? by_send(t, slice, &slice->link, slice->requests_out, GPCI_GROUP_MEMORY_REQUESTS)
                                  : by_room(to, slice, &slice->out));
    gpci_held(to, "accesses of memory", slice->out.count, slice->out.count ? by_memory(t, slice) : clock);
    gpci_held(to, "requests for the other partition", slice->across[0].count,
              by_network(slice, GPCI_GROUP_PARTITION_REQUESTS,
                         !slice->across[0].count || gpci_network_can_send(slice->peer_requests, index)));
    gpci_held(to, "messages for the other partition", slice->across[1].count,
              by_network(slice, GPCI_GROUP_PARTITION_REPLIES,
                         !slice->across[1].count || gpci_network_can_send(slice->peer_replies, index)));
    hold_misses(to, slice);
}

void gpci_cluster_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_stage *cluster = &t->clusters[index];
    hold_messages(t, cluster, to, GPCI_GROUP_REPLIES);
    gpci_held(to, "messages to send down", cluster->out.count,
              by_send(t, cluster, &cluster->out, cluster->requests_out, GPCI_GROUP_CLUSTER_REQUESTS));
}

/* Holders of L1.5s. The first packet of the miss queue leaves through the L1 of the SM that asked. */
void gpci_l15_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_stage *stage = &t->l15[index];
    const gpci_mover clock = gpci_by_clock(stage->component);
    const gpci_stage *l1 = stage->out.count ? &t->l1[first_of(t, &stage->out)->request.sm] : t->l1;
    gpci_held(to, name_at_tags(stage->tag_access), stage->in.count, gpci_by_tags(to, stage, stage->tag_access));
    gpci_held(to, "lines to ask for", stage->out.count,
              gpci_queue_full(&l1->out) ? gpci_by_object(GPCI_GROUP_L1S, l1->index) : gpci_by_clock(l1->component));
    gpci_held(to, "lines on their way to their SMs", stage->served.count, clock);
    hold_misses(to, stage);
}
