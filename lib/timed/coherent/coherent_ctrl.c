/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/event_log_coherent.h"

/*
 * Path of messages between modules. A message is in a queue of the sender's controller, in a network, or in a queue
 * before the tags of the receiving controller; a message for a peer passes through a controller without a lookup.
 * Queues of a controller, and the keys that bound them:
 *
 *   in        from above, before the tags, l2.queue     fills  from below, before the tags
 *   served    to L1s or clusters, l2.reply_queue        out    cluster: to slices, l2.miss_queue; slice: to DRAM
 *   link      slice: messages to memory, l2.miss_queue  returned  slice: requests waiting for an MSHR entry
 *   across    slice: to the other partition, requests and others, unbounded
 *
 * A message whose sender's queue is full waits in the controller; the controller accepts everything that comes
 * meanwhile. A message before the tags never waits for more than a port: a request without MSHR entry steps aside. So
 * full queues delay networks and senders, but always drain.
 */

/* An L1's or a cluster's slice for an address. */
static uint32_t slice_for(const gpci_timed *t, uint32_t module, uint64_t address) {
    const gpci_coherent *c = t->h->coherent;
    const uint32_t sm = module < c->sms ? module : (module - c->first_cluster) * c->cluster_sms;
    return gpci_part_of_sm(t->h, sm) * c->part_slices + gpci_l2_place_of(t->h, address).slice;
}

/* True if two modules of L2 are in different partitions. */
static bool is_apart(const gpci_timed *t, uint32_t from, uint32_t to) {
    const gpci_coherent *c = t->h->coherent;
    return t->h->partitions == 2 && from >= c->first_slice && to >= c->first_slice &&
           gpci_slice_number(c, from) / c->part_slices != gpci_slice_number(c, to) / c->part_slices;
}

static bool is_l1(const gpci_timed *t, uint32_t module) {
    return module < t->h->sms;
}

static bool is_cluster(const gpci_timed *t, uint32_t module) {
    return module >= t->h->sms && module < t->h->coherent->first_slice;
}

gpci_ctrl *gpci_coherent_ctrl_of(const gpci_timed *t, uint32_t module) {
    if (is_l1(t, module))
        return &t->l1[module];
    if (is_cluster(t, module))
        return &t->clusters[module - t->h->sms];
    return &t->l2[gpci_slice_number(t->h->coherent, module)];
}

/* Queue for messages from module to module; NULL: an unbounded queue. */
static const gpci_queue *queue_for(const gpci_timed *t, uint32_t from, uint32_t to) {
    const gpci_coherent *c = t->h->coherent;
    if (is_l1(t, from))
        return &t->l1[from].out;
    if (is_cluster(t, from))
        return is_l1(t, to) ? &t->clusters[from - c->first_cluster].served : &t->clusters[from - c->first_cluster].out;
    if ((c->l2 && gpci_is_memory(c, from)) || gpci_gpu_of(c, from) != gpci_gpu_of(c, to) || is_apart(t, from, to))
        return NULL;
    const gpci_ctrl *ctrl = &t->l2[gpci_slice_number(c, from)];
    return c->l2 && gpci_is_memory(c, to) ? &ctrl->link : &ctrl->served;
}

bool gpci_message_has_room(const gpci_timed *t, const gpci_message *l, bool behind) {
    const gpci_queue *queue = queue_for(t, l->from, l->to);
    return !queue || !(behind || gpci_queue_full(queue)) || gpci_bundle_takes(t, queue, l);
}

bool gpci_message_queue_full(const gpci_timed *t, uint32_t module, bool up) {
    const gpci_ctrl *ctrl = gpci_coherent_ctrl_of(t, module);
    return gpci_queue_full(up ? &ctrl->served : ctrl->level == 2 ? &ctrl->link : &ctrl->out);
}

void gpci_message_left(gpci_timed *t, uint32_t module, bool up) {
    gpci_engine *e = gpci_engine_of(t);
    if (GPCI_LIKELY(!gpci_engine_wait(e, module, up)))
        return;
    gpci_engine_at(e, t->wheel.now);
    gpci_engine_sent(e, module, up);
    gpci_wheel_wake(&t->wheel, 0, t->wheel.now + 1);
}

/* Put a packet into a queue of a controller, to be sent to `port` of the network. Returns as gpci_bundle_push. */
static bool leave(gpci_timed *t, gpci_ctrl *ctrl, gpci_queue *queue, uint32_t port, uint32_t packet) {
    gpci_packet_at(&t->pool, packet)->path.to = (uint16_t)port;
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
    return gpci_bundle_push(t, queue, packet);
}

/* Slice of a message: its sender or receiver, or the slice it passes between L1s or clusters of a GPU. */
static uint32_t slice_between(const gpci_timed *t, uint32_t from, uint32_t to, uint64_t address) {
    const gpci_coherent *c = t->h->coherent;
    return from >= c->first_slice ? gpci_slice_number(c, from)
           : to >= c->first_slice ? gpci_slice_number(c, to)
                                  : slice_for(t, to, address);
}

/* Send from a slice or a memory to an L1 or a cluster. */
static bool send_up(gpci_timed *t, uint32_t slice, uint32_t packet, uint32_t to) {
    gpci_ctrl *ctrl = &t->l2[slice];
    const uint32_t clusters = t->h->coherent->cluster_sms; /* an L1's messages pass the cluster */
    return leave(t, ctrl, &ctrl->served, !is_l1(t, to) ? to - t->h->sms : clusters ? to / clusters : to, packet);
}

static bool between_slice_and_memory(gpci_timed *t, uint32_t packet, uint32_t slice, bool up) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_ctrl *ctrl = &t->l2[slice];
    uint64_t local;
    uint32_t channel = gpci_channel_of(t, slice, gpci_l2_line(t, gpci_l2_place_of(t->h, p->address).inner), &local);
    if (!ctrl->networks.requests_out) {
        t->pool.links[packet].due = t->wheel.now;
        gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
        return gpci_bundle_push(t, up ? &ctrl->fills : &ctrl->link, packet);
    }
    if (up) {
        p->path.slice = (uint16_t)slice;
        gpci_wheel_wake(&t->wheel, t->memory[channel].component, t->wheel.now);
        return gpci_bundle_push(t, &t->memory[channel].replies, packet);
    }
    return leave(t, ctrl, &ctrl->link, channel, packet);
}

/* Send between halves of slices of two partitions: towards memory on the first link, the rest on the second. */
static bool send_across(gpci_timed *t, uint32_t packet, uint32_t from, uint32_t to) {
    const gpci_coherent *c = t->h->coherent;
    gpci_ctrl *ctrl = &t->l2[gpci_slice_number(c, from)];
    return leave(t, ctrl, &ctrl->across[gpci_is_near(c, from) ? 0 : 1], gpci_slice_number(c, to), packet);
}

bool gpci_message_send(gpci_timed *t, uint32_t packet, uint32_t from, uint32_t to) {
    const gpci_coherent *c = t->h->coherent;
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const uint32_t gpu = gpci_gpu_of(c, from), other = gpci_gpu_of(c, to);
    p->message.module = to;
    if (GPCI_UNLIKELY(gpu != other))
        return gpci_gpu_link_send(t, packet, gpu, other);
    if (GPCI_UNLIKELY(is_apart(t, from, to)))
        return send_across(t, packet, from, to);
    const uint32_t slice = slice_between(t, from, to, p->address);
    if (is_l1(t, from)) {
        gpci_ctrl *ctrl = &t->l1[from];
        return leave(t, ctrl, &ctrl->out, c->clusters ? from / c->cluster_sms : slice, packet);
    }
    if (is_cluster(t, from)) {
        gpci_ctrl *ctrl = &t->clusters[from - c->sms];
        return leave(t, ctrl, is_l1(t, to) ? &ctrl->served : &ctrl->out, is_l1(t, to) ? to : slice, packet);
    }
    return c->l2 && (gpci_is_memory(c, from) || gpci_is_memory(c, to))
               ? between_slice_and_memory(t, packet, slice, gpci_is_memory(c, from))
               : send_up(t, slice, packet, to);
}

/*
 * True if a controller stands for a module. A slice's controller also stands for the memory behind it if there is no
 * L2.
 */
static bool is_at(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t module) {
    if (ctrl->level == 2)
        return !is_l1(t, module) && !is_cluster(t, module);
    return module == t->h->sms + ctrl->index;
}

/* Queue by which a message for another module continues: up to an L1, from a slice to a cluster, or down. */
static gpci_queue *way_on(const gpci_timed *t, gpci_ctrl *ctrl, uint32_t to) {
    return is_l1(t, to) || ctrl->level == 2 ? &ctrl->served : &ctrl->out;
}

/*
 * True if an arrived message can proceed: with a tag port if it looks up a block; with room in the next queue if it
 * passes through.
 */
static bool may_enter(const gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (!is_at(t, ctrl, p->message.module))
        return !gpci_queue_full(way_on(t, ctrl, p->message.module));
    return !gpci_message_looks(p) || gpci_ctrl_port(ctrl, t->wheel.now, p->address);
}

/*
 * A request that joined another of the LRC reaches the slice with that request, and passes the tags after it: the
 * directory must list every L1, and answers are separate. The LRC only saves network traffic.
 */
static void follow(void *slice, uint32_t packet) {
    gpci_ctrl *ctrl = slice;
    gpci_timed *t = ctrl->timed;
    t->pool.links[packet].due = t->wheel.now;
    gpci_queue_push(&ctrl->in, &t->pool, t->wheel.now, packet);
}

/*
 * A message has arrived at a cluster or slice, or continues to a peer. The step of the controller goes on to the
 * queues.
 */
static void enter(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const uint32_t to = p->message.module;
    if (is_at(t, ctrl, to)) {
        if (GPCI_UNLIKELY(gpci_lrc_of(t->l1) != NULL) && p->message.kind == GPC_MESSAGE_READ_REQUEST)
            gpci_lrc_reply(gpci_lrc_of(t->l1), packet, follow, ctrl);
        gpci_message_arrived(t, packet);
        return;
    }
    gpci_queue *queue = way_on(t, ctrl, to);
    gpci_packet_at(&t->pool, packet)->path.to =
        (uint16_t)(is_l1(t, to)             ? to
                   : queue == &ctrl->served ? to - t->h->sms
                                            : slice_between(t, to, to, p->address));
    gpci_queue_push(queue, &t->pool, t->wheel.now, packet);
}

/* Step the controller in the next cycle. */
static void again(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_clock clock = ctrl->options->clock;
    gpci_wheel_wake(&t->wheel, ctrl->component, gpci_clock_core(clock, gpci_clock_own(clock, t->wheel.now) + 1));
}

/* Process the due messages of a queue, as many as tag ports allow. */
static void run_queue(gpci_timed *t, gpci_ctrl *ctrl, gpci_queue *queue) {
    while (queue->count) {
        uint32_t packet = queue->first;
        if (t->pool.links[packet].due > t->wheel.now) {
            gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[packet].due);
            return;
        }
        if (gpci_coherent_mshr_stall(t, ctrl, queue))
            continue;
        if (!may_enter(t, ctrl, packet)) {
            again(t, ctrl);
            return;
        }
        gpci_queue_pop(queue, &t->pool, t->wheel.now);
        enter(t, ctrl, packet);
    }
}

/* Requests that waited for an MSHR entry, and requests behind; older than the packets of `in`. */
static void run_stalled(gpci_timed *t, gpci_ctrl *ctrl) {
    while (ctrl->returned.count && !gpci_coherent_mshr_is_stalled(t, ctrl)) {
        if (!may_enter(t, ctrl, ctrl->returned.first)) {
            again(t, ctrl);
            return;
        }
        enter(t, ctrl, gpci_queue_pop(&ctrl->returned, &t->pool, t->wheel.now));
    }
}

/* Data from below pass the fill port in turn. */
void gpci_coherent_ctrl_take(gpci_timed *t, gpci_ctrl *ctrl, gpci_queue *queue, uint64_t latency, bool fills,
                             uint32_t packet) {
    const gpci_clock clock = ctrl->options->clock;
    const uint64_t now = t->wheel.now;
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint64_t due = gpci_clock_after(clock, now, latency);
    if (fills && p->path.size > t->header) {
        uint64_t own = gpci_clock_own(clock, now), width = ctrl->options->fill_width;
        uint64_t start = own > ctrl->fill_free ? own : ctrl->fill_free;
        ctrl->fill_free = start + (p->path.size - t->header + width - 1) / width;
        due = start == own ? now : gpci_clock_core(clock, start);
    }
    t->pool.links[packet].due = due;
    gpci_queue_push(queue, &t->pool, now, packet);
}

/* Accept everything a network has for a controller. */
static void receive(gpci_timed *t, gpci_ctrl *ctrl, gpci_network *network, gpci_queue *queue, uint64_t latency,
                    bool fills) {
    while (!gpci_queue_full(queue) && gpci_network_peek(network, ctrl->index) != GPCI_NO_PACKET)
        gpci_coherent_ctrl_take(t, ctrl, queue, latency, fills, gpci_network_receive(network, ctrl->index));
}

/* Module whose messages leave by a controller; for a slice without L2, the memory's. */
static uint32_t module_of(const gpci_timed *t, const gpci_ctrl *ctrl) {
    return (ctrl->level == 2 ? t->h->coherent->first_slice : t->h->sms) + ctrl->index;
}

static void send(gpci_timed *t, gpci_ctrl *ctrl, gpci_queue *queue, gpci_network *network) {
    while (queue->count &&
           gpci_network_can_take(network, ctrl->index, gpci_packet_at(&t->pool, queue->first)->path.size)) {
        gpci_message_left(t, module_of(t, ctrl), queue == &ctrl->served);
        uint32_t packet = gpci_queue_pop(queue, &t->pool, t->wheel.now);
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        gpci_network_send(network, ctrl->index, p->path.to, p->path.size, packet);
    }
}

/* Send messages to the other partition. The queues are unbounded, and the other slice accepts everything. */
static void send_to_peer(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_network *const networks[] = {ctrl->networks.peer_requests, ctrl->networks.peer_replies};
    for (uint32_t i = 0; i < 2; i++) {
        gpci_queue *queue = &ctrl->across[i];
        while (queue->count && gpci_network_can_send(networks[i], ctrl->index)) {
            const uint32_t packet = gpci_queue_pop(queue, &t->pool, t->wheel.now);
            const gpci_packet *p = gpci_packet_at(&t->pool, packet);
            gpci_network_send(networks[i], ctrl->index, p->path.to, p->path.size, packet);
        }
    }
}

/*
 * Messages from a slice to the memory without a link arrive at once. They may lead to further messages, while the queue
 * to DRAM has room.
 */
static void run_beside(gpci_timed *t, gpci_ctrl *ctrl) {
    while (ctrl->link.count && !gpci_queue_full(&ctrl->out)) {
        gpci_message_left(t, module_of(t, ctrl), false);
        uint32_t packet = gpci_queue_pop(&ctrl->link, &t->pool, t->wheel.now);
        gpci_message_arrived(t, packet);
    }
}

void gpci_coherent_slice_step(const gpci_group *group, uint32_t slice) {
    gpci_timed *t = group->timed;
    gpci_ctrl *ctrl = &t->l2[slice];
    if (ctrl->networks.replies_in)
        receive(t, ctrl, ctrl->networks.replies_in, &ctrl->fills, 0, true);
    if (GPCI_UNLIKELY(ctrl->networks.peer_requests != NULL)) {
        receive(t, ctrl, ctrl->networks.peer_replies, &ctrl->fills, 0, true);
        receive(t, ctrl, ctrl->networks.peer_requests, &ctrl->fills, 0, true);
    }
    run_queue(t, ctrl, &ctrl->fills);
    run_stalled(t, ctrl);
    run_queue(t, ctrl, &ctrl->in);
    receive(t, ctrl, ctrl->networks.requests_in, &ctrl->in, t->rop_latency, false);
    if (GPCI_UNLIKELY(ctrl->networks.peer_requests != NULL))
        send_to_peer(t, ctrl);
    if (ctrl->networks.requests_out)
        send(t, ctrl, &ctrl->link, ctrl->networks.requests_out);
    else
        run_beside(t, ctrl);
    send(t, ctrl, &ctrl->served, ctrl->networks.replies_out);
    if (ctrl->out.count)
        gpci_coherent_channel_send(t, ctrl);
    if (ctrl->link.count && !ctrl->networks.requests_out && !gpci_queue_full(&ctrl->out))
        again(t, ctrl);
    if (ctrl->in.count)
        gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[ctrl->in.first].due);
}

void gpci_coherent_cluster_step(const gpci_group *group, uint32_t cluster) {
    gpci_timed *t = group->timed;
    gpci_ctrl *ctrl = &t->clusters[cluster];
    receive(t, ctrl, ctrl->networks.replies_in, &ctrl->fills, 0, true);
    run_queue(t, ctrl, &ctrl->fills);
    run_queue(t, ctrl, &ctrl->in);
    receive(t, ctrl, ctrl->networks.requests_in, &ctrl->in, 0, false);
    send(t, ctrl, &ctrl->out, ctrl->networks.requests_out);
    send(t, ctrl, &ctrl->served, ctrl->networks.replies_out);
    if (ctrl->in.count)
        gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[ctrl->in.first].due);
}

void gpci_coherent_channel_receive(gpci_timed *t, uint32_t channel) {
    gpci_network *network = t->memory[channel].requests_in;
    while (gpci_network_peek(network, channel) != GPCI_NO_PACKET)
        gpci_message_arrived(t, gpci_network_receive(network, channel));
}

/* A read is done when data are ready, a write when accepted by the channel. */
void gpci_coherent_access_memory(gpci_timed *t, const gpci_use *u, uint32_t sectors) {
    const gpci_l2_place place = gpci_l2_place_of(t->h, u->address);
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(t, u->module);
    const bool whole = gpci_accesses_are_whole(t);
    const uint32_t number = whole ? gpci_pool_take(&t->pool) : gpci_pool_take_message(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, number);
    const uint8_t all = (uint8_t)((1u << t->h->l2_level.line_bytes / GPCI_SEGMENT) - 1);
    p->address = u->address;
    p->inner = gpci_l2_line(t, place.inner);
    p->message = (gpci_packet_message){.task = u->task, .step = (uint8_t)u->step};
    p->flags = whole ? 0 : GPCI_PACKET_MESSAGE;
    p->segments = (uint8_t)(((1u << sectors) - 1) << place.shift) & all;
    p->type = u->write ? GPCI_WRITE : GPCI_READ;
    gpci_log_memory_access(t, u->task, number);
    gpci_bundle_push_access(t, &ctrl->out, number);
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
}
