/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/ctrl_holders.h"
#include "timed/core/coherent.h"
#include "timed/core/gl1_ctrl.h"
#include "timed/ctrl/atomic_unit.h"

/* Holders of controllers (holders.h): L1s, slices, clusters, L1.5s, GL1s. Parts declare their own (ctrl_parts.h). */

static const char *const at_tags[] = {"packets before its tags",
                                      "packets before its tags, held up",
                                      "packets before its tags, held up for a line",
                                      "packets before its tags, held up for an MSHR entry",
                                      "packets before its tags, held up for an MSHR merge",
                                      "packets before its tags, held up for the miss queue",
                                      "packets before its tags, held up for the network",
                                      "packets before its tags, held up for a reply"};

/* Tell whether the lack that holds up a packet at the tags still exists. */
static bool is_in_the_way(const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    const uint64_t entries = ctrl->options->entries;
    const uint32_t *used = ctrl->mshr.used;
    const gpci_atomic_unit *atomics = gpci_atomic_unit_of(ctrl);
    switch (access->reason) {
    case GPC_BUSY_MISS_QUEUE:
        return gpci_queue_full(&ctrl->out) || gpci_queue_full(&ctrl->link);
    case GPC_BUSY_NETWORK:
        return gpci_queue_full(&ctrl->served) || (atomics && gpci_queue_full(&atomics->replies));
    case GPC_BUSY_MSHR:
        return used[0] >= entries || used[1] >= entries || ctrl->mshr.sectors[0] || ctrl->mshr.sectors[1];
    case GPC_BUSY_MERGE:
    case GPC_BUSY_LINE:
        return (used[0] | used[1]) != 0;
    default:
        return true;
    }
}

gpci_mover gpci_by_tags(const gpci_holders *holders, const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    if (!gpci_ctrl_stuck(access))
        return gpci_by_clock(ctrl->component);
    if (access->reason == GPC_BUSY_LINE && ctrl->timed->coherent && ctrl->timed->coherent->sealed)
        return gpci_by_object(GPCI_GROUP_CONTROLLERS, 0); /* a kernel begins: the end of the sweeps wakes L1 */
    return is_in_the_way(ctrl, access) ? gpci_by_itself(holders) : gpci_by_nobody();
}

const char *gpci_name_at_tags(const gpci_tag_access *access) {
    return at_tags[gpci_ctrl_stuck(access) ? access->reason : GPC_BUSY_NOT];
}

/* Mover of packets for a network: the network without room, else the controller. */
static gpci_mover by_network(const gpci_ctrl *ctrl, gpci_group_kind kind, bool room) {
    return room ? gpci_by_clock(ctrl->component) : gpci_by_object(kind, 0);
}

static const gpci_packet *first_of(const gpci_timed *timed, const gpci_queue *queue) {
    return gpci_packet_at(&timed->pool, queue->first);
}

static bool is_due(const gpci_timed *timed, const gpci_queue *queue) {
    return timed->pool.links[queue->first].due <= timed->wheel.now;
}

/* Packets at an output of a network, ready for the controller. */
static void hold_arrival(gpci_holders *holders, const gpci_network *network, uint32_t output, const char *what,
                         gpci_mover mover) {
    gpci_held(holders, what, network && gpci_network_peek(network, output) != GPCI_NO_PACKET, mover);
}

static void hold_misses(gpci_holders *holders, const gpci_ctrl *ctrl) {
    gpci_held(holders, "lines that are to come from below", ctrl->mshr.used[0] + ctrl->mshr.used[1], gpci_by_any());
}

/* L1s. */

/* Accesses whose data are on the way to the SM. */
static void hold_due(gpci_holders *holders, const gpci_ctrl *ctrl, const gpci_due_list *due) {
    gpci_held(holders, "access whose data are coming out", due->first != UINT32_MAX, gpci_by_clock(ctrl->component));
}

/* Mover of the miss queue. The first packet may be still on the way to the queue, or the queue has just sent. */
static gpci_mover by_way_out(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    if (!ctrl->out.count || !is_due(timed, &ctrl->out) || ctrl->sends_from > timed->wheel.now)
        return gpci_by_clock(ctrl->component);
    if (gpci_gl1_way_of(ctrl))
        return gpci_gl1_has_room(timed, ctrl) ? gpci_by_clock(ctrl->component)
                                              : gpci_by_object(GPCI_GROUP_GL1S, gpci_gl1_way_of(ctrl)->gl1->index);
    const gpci_packet *pkt = first_of(timed, &ctrl->out);
    const bool room = timed->coherent ? gpci_coherent_l1_room(timed, ctrl)
                      : gpci_network_in_flits(ctrl->networks.requests_out)
                          ? gpci_network_takes(ctrl->networks.requests_out, ctrl->index,
                                               timed->header + gpci_packet_payload(timed, pkt))
                          : gpci_network_can_send(ctrl->networks.requests_out, ctrl->index);
    return by_network(ctrl, GPCI_GROUP_REQUESTS, room);
}

/* If room has come free, a refused SM waits for the controller's next step, which announces the room. */
static void hold_refused(gpci_holders *holders, const gpci_timed *timed, const gpci_ctrl *ctrl) {
    const bool room = (ctrl->sm.refused && gpci_l1_has_place(timed, ctrl)) ||
                      (ctrl->sm.refused_miss && !gpci_queue_full(&ctrl->out)) || gpci_parts_have_room(ctrl);
    const bool waits = ctrl->sm.refused || ctrl->sm.refused_miss || ctrl->parts.refused;
    gpci_awaited(holders, "SM to tell of room", waits && room, gpci_by_clock(ctrl->component));
}

static void hold_below(gpci_holders *holders, const gpci_ctrl *ctrl) {
    gpci_held(holders, "packets below that will have a reply", ctrl->below.packets, gpci_by_any());
    gpci_held(holders, "reads that have joined another SM's", ctrl->below.joined, gpci_by_any());
    gpci_held(holders, "stores on their way below", ctrl->below.stores, gpci_by_any());
    hold_misses(holders, ctrl);
}

void gpci_hold_at_tags(const gpci_ctrl *ctrl, uint64_t count, gpci_holders *holders) {
    gpci_held(holders, gpci_name_at_tags(ctrl->tag_access), count,
              gpci_replies_wait(ctrl) ? gpci_by_itself(holders) : gpci_by_tags(holders, ctrl, ctrl->tag_access));
}

void gpci_l1_hold(const gpci_group *group, uint32_t sm, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *ctrl = &timed->l1[sm];
    const gpci_mover clock = gpci_by_clock(ctrl->component),
                     arrives = gpci_replies_wait(ctrl) ? gpci_by_itself(holders) : clock;
    gpci_held(holders, "replies that its host has no credit for", ctrl->replies.count,
              ctrl->replies.credits ? clock : gpci_by_host());
    if (!ctrl->intake || !ctrl->intake->choose)
        gpci_hold_at_tags(ctrl, ctrl->in.count, holders);
    gpci_parts_hold(timed, ctrl, holders);
    gpci_held(holders, "packets that come back to its tags", ctrl->returned.count,
              gpci_replies_wait(ctrl) ? arrives : gpci_by_tags(holders, ctrl, ctrl->tag_access));
    gpci_held(holders, "packets in its miss queue", ctrl->out.count, by_way_out(timed, ctrl));
    gpci_held(holders, "data that another SM's read has brought", ctrl->fills.count, arrives);
    hold_arrival(holders, ctrl->networks.replies_in, sm, "packets that have come", arrives);
    hold_due(holders, ctrl, &ctrl->due);
    hold_due(holders, ctrl, &ctrl->filled);
    hold_below(holders, ctrl);
    gpci_held(holders, "instructions before its tags", ctrl->sm.waiting, gpci_by_itself(holders));
    hold_refused(holders, timed, ctrl);
}

/* Slices. */

/* Mover of the miss queue of a slice, into channels or over the link. */
static gpci_mover by_memory(const gpci_timed *timed, const gpci_ctrl *slice) {
    if (timed->dram_delay && !timed->callbacks.on_memory)
        return gpci_by_clock(timed->memory[slice->index].component);
    if (slice->networks.requests_out && !timed->coherent)
        return by_network(slice, GPCI_GROUP_MEMORY_REQUESTS,
                          gpci_network_can_send(slice->networks.requests_out, slice->index));
    if (!slice->memory_full)
        return gpci_by_clock(slice->component);
    const gpci_packet *pkt = first_of(timed, &slice->out);
    const uint32_t channel = pkt->path.channel;
    if (timed->memory_caches)
        return gpci_queue_full(&timed->memory_caches[channel].in) ? gpci_by_object(GPCI_GROUP_CHANNELS, channel)
                                                                  : gpci_by_clock(slice->component);
    if (timed->callbacks.on_memory)
        return timed->memory[channel].host_full ? gpci_by_host() : gpci_by_clock(slice->component);
    return gpci_dram_has_room(timed->dram, channel, pkt->type == GPCI_WRITE)
               ? gpci_by_clock(slice->component)
               : gpci_by_clock(timed->memory[channel].component);
}

/* Mover of replies of a slice, to SMs, ports or the other partition. */
static gpci_mover by_replies(const gpci_timed *timed, const gpci_ctrl *slice, const gpci_queue *queue) {
    if (!queue->count || !is_due(timed, queue))
        return gpci_by_clock(slice->component);
    const gpci_packet *pkt = first_of(timed, queue);
    const bool link = pkt->flags & GPCI_PACKET_LINK;
    if (pkt->flags & GPCI_PACKET_PORT && !link)
        return gpci_by_clock(slice->component);
    return by_network(slice, link ? GPCI_GROUP_PARTITION_REPLIES : GPCI_GROUP_REPLIES,
                      gpci_network_can_take(link ? slice->networks.peer_replies : slice->networks.replies_out,
                                            slice->index, pkt->path.size));
}

void gpci_hold_replies(const gpci_timed *timed, const gpci_ctrl *slice, const gpci_queue *queue, const char *what,
                       gpci_holders *holders) {
    gpci_held(holders, what, queue->count, by_replies(timed, slice, queue));
}

/* Mover of packets behind a queue. */
static gpci_mover by_room(const gpci_holders *holders, const gpci_ctrl *ctrl, const gpci_queue *queue) {
    return gpci_queue_full(queue) ? gpci_by_itself(holders) : gpci_by_clock(ctrl->component);
}

void gpci_slice_hold(const gpci_group *group, uint32_t index, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *slice = &timed->l2[index];
    const gpci_mover clock = gpci_by_clock(slice->component), mover = by_room(holders, slice, &slice->in),
                     link_tags = gpci_by_tags(holders, slice, &slice->tag_access[1]);
    const bool peer = slice->link_at != GPCI_NO_PACKET;
    gpci_held(holders, gpci_name_at_tags(slice->tag_access), slice->in.count,
              gpci_by_tags(holders, slice, slice->tag_access));
    gpci_held(holders, "packet of the other partition at its tags", peer, link_tags);
    hold_arrival(holders, slice->networks.peer_requests, index, "packets of the other partition",
                 peer ? link_tags : clock);
    hold_arrival(holders, slice->networks.requests_in, index, "packets that have come", mover);
    gpci_held(holders, "packets in its miss queue", slice->out.count,
              slice->out.count ? by_memory(timed, slice) : clock);
    gpci_held(holders, "packets for the other partition", slice->link.count,
              by_network(slice, GPCI_GROUP_PARTITION_REQUESTS,
                         !slice->link.count || gpci_network_can_send(slice->networks.peer_requests, index)));
    gpci_hold_replies(timed, slice, &slice->served, "replies to send", holders);
    gpci_hold_replies(timed, slice, &slice->returned, "replies of the other partition to send", holders);
    gpci_held(holders, "data to take", slice->fills.count, clock);
    hold_arrival(holders, slice->networks.replies_in, index, "data from memory", clock);
    hold_arrival(holders, slice->networks.peer_replies, index, "data of the other partition", clock);
    gpci_parts_hold(timed, slice, holders);
    hold_misses(holders, slice);
}

/* Controllers of trees. */

static gpci_mover by_send(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_queue *queue,
                          const gpci_network *network, gpci_group_kind kind) {
    return by_network(ctrl, kind,
                      !queue->count || gpci_network_can_take(network, ctrl->index, first_of(timed, queue)->path.size));
}

/* Holders of slices and clusters. */
static void hold_messages(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders,
                          gpci_group_kind replies) {
    const gpci_mover clock = gpci_by_clock(ctrl->component);
    gpci_held(holders, "messages before its tags", ctrl->in.count, clock);
    gpci_held(holders, "messages from below before its tags", ctrl->fills.count, clock);
    hold_arrival(holders, ctrl->networks.requests_in, ctrl->index, "messages that have come",
                 by_room(holders, ctrl, &ctrl->in));
    hold_arrival(holders, ctrl->networks.replies_in, ctrl->index, "messages that have come from below", clock);
    gpci_held(holders, "messages to send up", ctrl->served.count,
              by_send(timed, ctrl, &ctrl->served, ctrl->networks.replies_out, replies));
}

void gpci_coherent_slice_hold(const gpci_group *group, uint32_t index, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *slice = &timed->l2[index];
    const gpci_mover clock = gpci_by_clock(slice->component);
    const bool lacks = slice->mshr.used[0] >= slice->options->entries;
    hold_messages(timed, slice, holders, timed->clusters ? GPCI_GROUP_CLUSTER_REPLIES : GPCI_GROUP_REPLIES);
    hold_arrival(holders, slice->networks.peer_requests, index, "messages of the other partition", clock);
    hold_arrival(holders, slice->networks.peer_replies, index, "messages of the other partition", clock);
    gpci_held(holders, "requests that wait for an MSHR entry", slice->returned.count, lacks ? gpci_by_any() : clock);
    gpci_held(holders, "messages to memory", slice->link.count,
              slice->networks.requests_out
                  ? by_send(timed, slice, &slice->link, slice->networks.requests_out, GPCI_GROUP_MEMORY_REQUESTS)
                  : by_room(holders, slice, &slice->out));
    gpci_held(holders, "accesses of memory", slice->out.count, slice->out.count ? by_memory(timed, slice) : clock);
    gpci_held(holders, "requests for the other partition", slice->across[0].count,
              by_network(slice, GPCI_GROUP_PARTITION_REQUESTS,
                         !slice->across[0].count || gpci_network_can_send(slice->networks.peer_requests, index)));
    gpci_held(holders, "messages for the other partition", slice->across[1].count,
              by_network(slice, GPCI_GROUP_PARTITION_REPLIES,
                         !slice->across[1].count || gpci_network_can_send(slice->networks.peer_replies, index)));
    hold_misses(holders, slice);
}

void gpci_cluster_hold(const gpci_group *group, uint32_t index, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *cluster = &timed->clusters[index];
    hold_messages(timed, cluster, holders, GPCI_GROUP_REPLIES);
    gpci_held(holders, "messages to send down", cluster->out.count,
              by_send(timed, cluster, &cluster->out, cluster->networks.requests_out, GPCI_GROUP_CLUSTER_REQUESTS));
}

/* Holders of L1.5s. The first packet of the miss queue leaves through the L1 of the SM that asked. */
void gpci_l15_hold(const gpci_group *group, uint32_t index, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *ctrl = &timed->l15[index];
    const gpci_mover clock = gpci_by_clock(ctrl->component);
    const gpci_ctrl *l1 = ctrl->out.count ? &timed->l1[first_of(timed, &ctrl->out)->request.sm] : timed->l1;
    gpci_held(holders, gpci_name_at_tags(ctrl->tag_access), ctrl->in.count,
              gpci_by_tags(holders, ctrl, ctrl->tag_access));
    gpci_held(holders, "lines to ask for", ctrl->out.count,
              gpci_queue_full(&l1->out) ? gpci_by_object(GPCI_GROUP_L1S, l1->index) : gpci_by_clock(l1->component));
    gpci_held(holders, "lines on their way to their SMs", ctrl->served.count, clock);
    hold_misses(holders, ctrl);
}

/* Holders of GL1s. Room at a port of the network wakes the L1 of the port. */
void gpci_gl1_hold(const gpci_group *group, uint32_t index, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *ctrl = &timed->gl1[index];
    const gpci_mover clock = gpci_by_clock(ctrl->component);
    gpci_mover out = clock;
    if (ctrl->out.count) {
        const gpci_packet *pkt = first_of(timed, &ctrl->out);
        const gpci_ctrl *l1 = &timed->l1[gpci_gl1_port(timed, ctrl, pkt->address)];
        out = by_network(
            l1, GPCI_GROUP_REQUESTS,
            gpci_network_takes(l1->networks.requests_out, l1->index, timed->header + gpci_packet_payload(timed, pkt)));
    }
    gpci_held(holders, gpci_name_at_tags(ctrl->tag_access), ctrl->in.count,
              gpci_by_tags(holders, ctrl, ctrl->tag_access));
    gpci_held(holders, "packets in its miss queue", ctrl->out.count, out);
    gpci_held(holders, "replies on their way to their SMs", ctrl->served.count, clock);
    hold_misses(holders, ctrl);
}
