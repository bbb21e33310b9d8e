/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/ctrl_holders.h"
#include "timed/core/coherent.h"
#include "timed/ctrl/atomic_unit.h"

/* Holders of controllers (holders.h): L1s, slices, clusters, L1.5s. Parts declare their own (ctrl_parts.h). */

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
    const gpci_timed *t = ctrl->timed;
    const uint64_t entries = ctrl->options->entries;
    const uint32_t *used = ctrl->mshr.used;
    const gpci_atomic_unit *atomics = gpci_atomic_unit_of(ctrl);
    switch (access->reason) {
    case GPC_BUSY_MISS_QUEUE:
        return gpci_queue_full(&ctrl->out) || gpci_queue_full(&ctrl->link);
    case GPC_BUSY_NETWORK:
        return gpci_queue_full(&ctrl->served) || (atomics && gpci_queue_full(&atomics->replies));
    case GPC_BUSY_MSHR:
        return used[0] >= entries || used[1] >= entries;
    case GPC_BUSY_MERGE:
    case GPC_BUSY_LINE:
        return (used[0] | used[1]) || (t->coherent && t->coherent->sealed);
    default:
        return true;
    }
}

gpci_mover gpci_by_tags(const gpci_holders *to, const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    if (!gpci_ctrl_stuck(access))
        return gpci_by_clock(ctrl->component);
    return is_in_the_way(ctrl, access) ? gpci_by_itself(to) : gpci_by_nobody();
}

const char *gpci_name_at_tags(const gpci_tag_access *access) {
    return at_tags[gpci_ctrl_stuck(access) ? access->reason : GPC_BUSY_NOT];
}

/* Mover of packets for a network: the network without room, else the controller. */
static gpci_mover by_network(const gpci_ctrl *ctrl, gpci_group_kind kind, bool room) {
    return room ? gpci_by_clock(ctrl->component) : gpci_by_object(kind, 0);
}

static const gpci_packet *first_of(const gpci_timed *t, const gpci_queue *queue) {
    return gpci_packet_at(&t->pool, queue->first);
}

static bool is_due(const gpci_timed *t, const gpci_queue *queue) {
    return t->pool.links[queue->first].due <= t->wheel.now;
}

/* Packets at an output of a network, ready for the controller. */
static void hold_arrival(gpci_holders *to, const gpci_network *network, uint32_t output, const char *what,
                         gpci_mover mover) {
    gpci_held(to, what, network && gpci_network_peek(network, output) != GPCI_NO_PACKET, mover);
}

static void hold_misses(gpci_holders *to, const gpci_ctrl *ctrl) {
    gpci_held(to, "lines that are to come from below", ctrl->mshr.used[0] + ctrl->mshr.used[1], gpci_by_any());
}

/* L1s. */

/* Accesses on the way out of the data. */
static void hold_due(gpci_holders *to, const gpci_ctrl *ctrl, const gpci_due_list *due) {
    gpci_held(to, "access whose data are coming out", due->first != UINT32_MAX, gpci_by_clock(ctrl->component));
}

/* Mover of the miss queue. The first packet may be still on the way to the queue. */
static gpci_mover by_way_out(const gpci_timed *t, const gpci_ctrl *ctrl) {
    if (!ctrl->out.count || !is_due(t, &ctrl->out))
        return gpci_by_clock(ctrl->component);
    const gpci_packet *p = first_of(t, &ctrl->out);
    const bool room =
        t->coherent ? gpci_coherent_l1_room(t, ctrl)
        : ctrl->networks.requests_out->in_flits
            ? gpci_network_takes(ctrl->networks.requests_out, ctrl->index, t->header + gpci_packet_payload(t, p))
            : gpci_network_can_send(ctrl->networks.requests_out, ctrl->index);
    return by_network(ctrl, GPCI_GROUP_REQUESTS, room);
}

/* If room has come free, a refused SM waits for the controller's next step, which announces the room. */
static void hold_refused(gpci_holders *to, const gpci_timed *t, const gpci_ctrl *ctrl) {
    const bool room = (ctrl->sm.refused && gpci_l1_has_place(t, ctrl)) ||
                      (ctrl->sm.refused_miss && !gpci_queue_full(&ctrl->out)) || gpci_parts_have_room(ctrl);
    const bool waits = ctrl->sm.refused || ctrl->sm.refused_miss || ctrl->parts.refused;
    gpci_awaited(to, "SM to tell of room", waits && room, gpci_by_clock(ctrl->component));
}

static void hold_below(gpci_holders *to, const gpci_ctrl *ctrl) {
    gpci_held(to, "packets below that will have a reply", ctrl->below.packets, gpci_by_any());
    gpci_held(to, "reads that have joined another SM's", ctrl->below.joined, gpci_by_any());
    gpci_held(to, "stores on their way below", ctrl->below.stores, gpci_by_any());
    hold_misses(to, ctrl);
}

void gpci_hold_at_tags(const gpci_ctrl *ctrl, uint64_t count, gpci_holders *to) {
    gpci_held(to, gpci_name_at_tags(ctrl->tag_access), count,
              gpci_replies_wait(ctrl) ? gpci_by_itself(to) : gpci_by_tags(to, ctrl, ctrl->tag_access));
}

void gpci_l1_hold(const gpci_group *group, uint32_t sm, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_ctrl *ctrl = &t->l1[sm];
    const gpci_mover clock = gpci_by_clock(ctrl->component),
                     arrives = gpci_replies_wait(ctrl) ? gpci_by_itself(to) : clock;
    gpci_held(to, "replies that its host has no credit for", ctrl->replies.count,
              ctrl->replies.credits ? clock : gpci_by_host());
    if (!ctrl->intake || !ctrl->intake->choose)
        gpci_hold_at_tags(ctrl, ctrl->in.count, to);
    gpci_parts_hold(t, ctrl, to);
    gpci_held(to, "packets that come back to its tags", ctrl->returned.count,
              gpci_replies_wait(ctrl) ? arrives : gpci_by_tags(to, ctrl, ctrl->tag_access));
    gpci_held(to, "packets in its miss queue", ctrl->out.count, by_way_out(t, ctrl));
    gpci_held(to, "data that another SM's read has brought", ctrl->fills.count, arrives);
    hold_arrival(to, ctrl->networks.replies_in, sm, "packets that have come", arrives);
    hold_due(to, ctrl, &ctrl->due);
    hold_due(to, ctrl, &ctrl->filled);
    hold_below(to, ctrl);
    gpci_held(to, "instructions before its tags", ctrl->sm.waiting, gpci_by_itself(to));
    hold_refused(to, t, ctrl);
}

/* Slices. */

/* Mover of the miss queue of a slice, into channels or over the link. */
static gpci_mover by_memory(const gpci_timed *t, const gpci_ctrl *slice) {
    if (t->dram_delay && !t->callbacks.on_memory)
        return gpci_by_clock(t->memory[slice->index].component);
    if (slice->networks.requests_out && !t->coherent)
        return by_network(slice, GPCI_GROUP_MEMORY_REQUESTS,
                          gpci_network_can_send(slice->networks.requests_out, slice->index));
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
static gpci_mover by_replies(const gpci_timed *t, const gpci_ctrl *slice, const gpci_queue *queue) {
    if (!queue->count || !is_due(t, queue))
        return gpci_by_clock(slice->component);
    const gpci_packet *p = first_of(t, queue);
    const bool link = p->flags & GPCI_PACKET_LINK;
    if (p->flags & GPCI_PACKET_PORT && !link)
        return gpci_by_clock(slice->component);
    return by_network(slice, link ? GPCI_GROUP_PARTITION_REPLIES : GPCI_GROUP_REPLIES,
                      gpci_network_can_take(link ? slice->networks.peer_replies : slice->networks.replies_out,
                                            slice->index, p->path.size));
}

void gpci_hold_replies(const gpci_timed *t, const gpci_ctrl *slice, const gpci_queue *queue, const char *what,
                       gpci_holders *to) {
    gpci_held(to, what, queue->count, by_replies(t, slice, queue));
}

/* Mover of packets behind a queue. */
static gpci_mover by_room(const gpci_holders *to, const gpci_ctrl *ctrl, const gpci_queue *queue) {
    return gpci_queue_full(queue) ? gpci_by_itself(to) : gpci_by_clock(ctrl->component);
}

void gpci_slice_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_ctrl *slice = &t->l2[index];
    const gpci_mover clock = gpci_by_clock(slice->component), in = by_room(to, slice, &slice->in),
                     link_tags = gpci_by_tags(to, slice, &slice->tag_access[1]);
    const bool peer = slice->link_at != GPCI_NO_PACKET;
    gpci_held(to, gpci_name_at_tags(slice->tag_access), slice->in.count, gpci_by_tags(to, slice, slice->tag_access));
    gpci_held(to, "packet of the other partition at its tags", peer, link_tags);
    hold_arrival(to, slice->networks.peer_requests, index, "packets of the other partition", peer ? link_tags : clock);
    hold_arrival(to, slice->networks.requests_in, index, "packets that have come", in);
    gpci_held(to, "packets in its miss queue", slice->out.count, slice->out.count ? by_memory(t, slice) : clock);
    gpci_held(to, "packets for the other partition", slice->link.count,
              by_network(slice, GPCI_GROUP_PARTITION_REQUESTS,
                         !slice->link.count || gpci_network_can_send(slice->networks.peer_requests, index)));
    gpci_hold_replies(t, slice, &slice->served, "replies to send", to);
    gpci_hold_replies(t, slice, &slice->returned, "replies of the other partition to send", to);
    gpci_held(to, "data to take", slice->fills.count, clock);
    hold_arrival(to, slice->networks.replies_in, index, "data from memory", clock);
    hold_arrival(to, slice->networks.peer_replies, index, "data of the other partition", clock);
    gpci_parts_hold(t, slice, to);
    hold_misses(to, slice);
}

/* Controllers of trees. */

static gpci_mover by_send(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_queue *queue,
                          const gpci_network *network, gpci_group_kind kind) {
    return by_network(ctrl, kind,
                      !queue->count || gpci_network_can_take(network, ctrl->index, first_of(t, queue)->path.size));
}

/* Holders of slices and clusters. */
static void hold_messages(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to, gpci_group_kind replies) {
    const gpci_mover clock = gpci_by_clock(ctrl->component);
    gpci_held(to, "messages before its tags", ctrl->in.count, clock);
    gpci_held(to, "messages from below before its tags", ctrl->fills.count, clock);
    hold_arrival(to, ctrl->networks.requests_in, ctrl->index, "messages that have come", by_room(to, ctrl, &ctrl->in));
    hold_arrival(to, ctrl->networks.replies_in, ctrl->index, "messages that have come from below", clock);
    gpci_held(to, "messages to send up", ctrl->served.count,
              by_send(t, ctrl, &ctrl->served, ctrl->networks.replies_out, replies));
}

void gpci_coherent_slice_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_ctrl *slice = &t->l2[index];
    const gpci_mover clock = gpci_by_clock(slice->component);
    const bool lacks = slice->mshr.used[0] >= slice->options->entries;
    hold_messages(t, slice, to, t->clusters ? GPCI_GROUP_CLUSTER_REPLIES : GPCI_GROUP_REPLIES);
    hold_arrival(to, slice->networks.peer_requests, index, "messages of the other partition", clock);
    hold_arrival(to, slice->networks.peer_replies, index, "messages of the other partition", clock);
    gpci_held(to, "requests that wait for an MSHR entry", slice->returned.count, lacks ? gpci_by_any() : clock);
    gpci_held(to, "messages to memory", slice->link.count,
              slice->networks.requests_out
                  ? by_send(t, slice, &slice->link, slice->networks.requests_out, GPCI_GROUP_MEMORY_REQUESTS)
                  : by_room(to, slice, &slice->out));
    gpci_held(to, "accesses of memory", slice->out.count, slice->out.count ? by_memory(t, slice) : clock);
    gpci_held(to, "requests for the other partition", slice->across[0].count,
              by_network(slice, GPCI_GROUP_PARTITION_REQUESTS,
                         !slice->across[0].count || gpci_network_can_send(slice->networks.peer_requests, index)));
    gpci_held(to, "messages for the other partition", slice->across[1].count,
              by_network(slice, GPCI_GROUP_PARTITION_REPLIES,
                         !slice->across[1].count || gpci_network_can_send(slice->networks.peer_replies, index)));
    hold_misses(to, slice);
}

void gpci_cluster_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_ctrl *cluster = &t->clusters[index];
    hold_messages(t, cluster, to, GPCI_GROUP_REPLIES);
    gpci_held(to, "messages to send down", cluster->out.count,
              by_send(t, cluster, &cluster->out, cluster->networks.requests_out, GPCI_GROUP_CLUSTER_REQUESTS));
}

/* Holders of L1.5s. The first packet of the miss queue leaves through the L1 of the SM that asked. */
void gpci_l15_hold(const gpci_group *group, uint32_t index, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_ctrl *ctrl = &t->l15[index];
    const gpci_mover clock = gpci_by_clock(ctrl->component);
    const gpci_ctrl *l1 = ctrl->out.count ? &t->l1[first_of(t, &ctrl->out)->request.sm] : t->l1;
    gpci_held(to, gpci_name_at_tags(ctrl->tag_access), ctrl->in.count, gpci_by_tags(to, ctrl, ctrl->tag_access));
    gpci_held(to, "lines to ask for", ctrl->out.count,
              gpci_queue_full(&l1->out) ? gpci_by_object(GPCI_GROUP_L1S, l1->index) : gpci_by_clock(l1->component));
    gpci_held(to, "lines on their way to their SMs", ctrl->served.count, clock);
    hold_misses(to, ctrl);
}
