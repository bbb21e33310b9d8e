/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/coherent.h"

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
 * If the sender's queue is full, a message waits in the protocol engine (gpci_message_has_room); meanwhile the
 * controller accepts all arriving messages. A message before the tags waits only for a port: a request without a free
 * MSHR entry moves to `returned`. So full queues delay networks and senders, but always drain.
 */

/* Slice to which an L1 or a cluster sends messages about an address. */
static uint32_t slice_for(const gpci_timed *timed, uint32_t module, uint64_t address) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    const uint32_t sm = module < coherent->sms ? module : (module - coherent->first_cluster) * coherent->cluster_sms;
    return gpci_part_of_sm(timed->hierarchy, sm) * coherent->part_slices +
           gpci_l2_place_of(timed->hierarchy, address).slice;
}

static bool is_l1(const gpci_timed *timed, uint32_t module) {
    return module < timed->hierarchy->sms;
}

static bool is_cluster(const gpci_timed *timed, uint32_t module) {
    return module >= timed->hierarchy->sms && module < timed->hierarchy->coherent->first_slice;
}

gpci_ctrl *gpci_coherent_ctrl_of(const gpci_timed *timed, uint32_t module) {
    if (is_l1(timed, module))
        return &timed->l1[module];
    if (is_cluster(timed, module))
        return &timed->clusters[module - timed->hierarchy->sms];
    return &timed->l2[gpci_slice_number(timed->hierarchy->coherent, module)];
}

/* Queue of the sender's controller for messages from module `from` to module `to`; NULL: an unbounded queue. */
static const gpci_queue *queue_for(const gpci_timed *timed, uint32_t from, uint32_t to) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    if (is_l1(timed, from))
        return &timed->l1[from].out;
    if (is_cluster(timed, from))
        return is_l1(timed, to) ? &timed->clusters[from - coherent->first_cluster].served
                                : &timed->clusters[from - coherent->first_cluster].out;
    if ((coherent->l2 && gpci_is_memory(coherent, from)) || gpci_gpu_of(coherent, from) != gpci_gpu_of(coherent, to) ||
        gpci_crosses_partitions(coherent, from, to))
        return NULL;
    const gpci_ctrl *ctrl = &timed->l2[gpci_slice_number(coherent, from)];
    return coherent->l2 && gpci_is_memory(coherent, to) ? &ctrl->link : &ctrl->served;
}

bool gpci_message_has_room(const gpci_timed *timed, const gpci_message *message, bool behind) {
    const gpci_queue *queue = queue_for(timed, message->from, message->to);
    return !queue || !(behind || gpci_queue_full(queue)) || gpci_bundle_takes(timed, queue, message);
}

bool gpci_message_queue_full(const gpci_timed *timed, uint32_t module, bool up) {
    const gpci_ctrl *ctrl = gpci_coherent_ctrl_of(timed, module);
    return gpci_queue_full(up ? &ctrl->served : ctrl->level == 2 ? &ctrl->link : &ctrl->out);
}

void gpci_message_left(gpci_timed *timed, uint32_t module, bool up) {
    gpci_engine *engine = gpci_engine_of(timed);
    if (GPCI_LIKELY(!gpci_engine_wait(engine, module, up)))
        return;
    gpci_engine_at(engine, timed->wheel.now);
    gpci_engine_sent(engine, module, up);
    gpci_wheel_wake(&timed->wheel, 0, timed->wheel.now + 1);
}

/* Put a packet into a queue of a controller, to be sent to `port` of the network. Returns as gpci_bundle_push. */
static bool leave(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue, uint32_t port, uint32_t packet) {
    gpci_packet_at(&timed->pool, packet)->path.to = (uint16_t)port;
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
    return gpci_bundle_push(timed, queue, packet);
}

/* Slice of a message: sender, receiver, or the slice that a message between L1s or clusters passes. */
static uint32_t slice_between(const gpci_timed *timed, uint32_t from, uint32_t to, uint64_t address) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    return from >= coherent->first_slice ? gpci_slice_number(coherent, from)
           : to >= coherent->first_slice ? gpci_slice_number(coherent, to)
                                         : slice_for(timed, to, address);
}

/* Send from a slice or a memory to an L1 or a cluster. */
static bool send_up(gpci_timed *timed, uint32_t slice, uint32_t packet, uint32_t to) {
    gpci_ctrl *ctrl = &timed->l2[slice];
    const uint32_t clusters = timed->hierarchy->coherent->cluster_sms; /* messages to an L1 pass the L1's cluster */
    return leave(timed, ctrl, &ctrl->served,
                 !is_l1(timed, to) ? to - timed->hierarchy->sms
                 : clusters        ? to / clusters
                                   : to,
                 packet);
}

static bool between_slice_and_memory(gpci_timed *timed, uint32_t packet, uint32_t slice, bool up) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_ctrl *ctrl = &timed->l2[slice];
    uint64_t local;
    uint32_t channel = gpci_channel_of(
        timed, slice, gpci_l2_line(timed, gpci_l2_place_of(timed->hierarchy, pkt->address).inner), &local);
    if (!ctrl->networks.requests_out) {
        timed->pool.links[packet].due = timed->wheel.now;
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
        return gpci_bundle_push(timed, up ? &ctrl->fills : &ctrl->link, packet);
    }
    if (up) {
        pkt->path.slice = (uint16_t)slice;
        gpci_wheel_wake(&timed->wheel, timed->memory[channel].component, timed->wheel.now);
        return gpci_bundle_push(timed, &timed->memory[channel].replies, packet);
    }
    return leave(timed, ctrl, &ctrl->link, channel, packet);
}

/* Send from a slice to the other partition's slice: from a near half (towards memory) by across[0], else across[1]. */
static bool send_across(gpci_timed *timed, uint32_t packet, uint32_t from, uint32_t to) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    gpci_ctrl *ctrl = &timed->l2[gpci_slice_number(coherent, from)];
    return leave(timed, ctrl, &ctrl->across[gpci_is_near(coherent, from) ? 0 : 1], gpci_slice_number(coherent, to),
                 packet);
}

bool gpci_message_send(gpci_timed *timed, uint32_t packet, uint32_t from, uint32_t to) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint32_t gpu = gpci_gpu_of(coherent, from), other = gpci_gpu_of(coherent, to);
    pkt->message.module = to;
    if (GPCI_UNLIKELY(gpu != other))
        return gpci_gpu_link_send(timed, packet, gpu, other);
    if (GPCI_UNLIKELY(gpci_crosses_partitions(coherent, from, to)))
        return send_across(timed, packet, from, to);
    const uint32_t slice = slice_between(timed, from, to, pkt->address);
    if (is_l1(timed, from)) {
        gpci_ctrl *ctrl = &timed->l1[from];
        return leave(timed, ctrl, &ctrl->out, coherent->clusters ? from / coherent->cluster_sms : slice, packet);
    }
    if (is_cluster(timed, from)) {
        gpci_ctrl *ctrl = &timed->clusters[from - coherent->sms];
        return leave(timed, ctrl, is_l1(timed, to) ? &ctrl->served : &ctrl->out, is_l1(timed, to) ? to : slice, packet);
    }
    return coherent->l2 && (gpci_is_memory(coherent, from) || gpci_is_memory(coherent, to))
               ? between_slice_and_memory(timed, packet, slice, gpci_is_memory(coherent, from))
               : send_up(timed, slice, packet, to);
}

/*
 * True if a controller stands for a module. A slice's controller also stands for the memory behind it if there is no
 * L2.
 */
static bool is_at(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t module) {
    if (ctrl->level == 2)
        return !is_l1(timed, module) && !is_cluster(timed, module);
    return module == timed->hierarchy->sms + ctrl->index;
}

/* Queue for a message that passes through a controller: up, to an L1 or from a slice to a cluster; or down. */
static gpci_queue *way_on(const gpci_timed *timed, gpci_ctrl *ctrl, uint32_t to) {
    return is_l1(timed, to) || ctrl->level == 2 ? &ctrl->served : &ctrl->out;
}

/*
 * True if an arrived message can proceed: with a tag port if it looks up a block; with room in the next queue if it
 * passes through.
 */
static bool may_enter(const gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (!is_at(timed, ctrl, pkt->message.module))
        return !gpci_queue_full(way_on(timed, ctrl, pkt->message.module));
    return !gpci_message_looks(pkt) || gpci_ctrl_port(ctrl, timed->wheel.now, pkt->address);
}

/*
 * A request joined another request in an LRC. When the other request arrives at the slice, put the joined request
 * before the tags, too: the directory must list every L1, and every L1 gets an answer. The LRC only saves traffic.
 */
static void follow(void *slice, uint32_t packet) {
    gpci_ctrl *ctrl = slice;
    gpci_timed *timed = ctrl->timed;
    timed->pool.links[packet].due = timed->wheel.now;
    gpci_queue_push(&ctrl->in, &timed->pool, timed->wheel.now, packet);
}

/*
 * A message has arrived at a cluster or slice: handle the message, or, if the message is for another module, put the
 * message into the next queue. The controller's step then sends the messages of the queues.
 */
static void enter(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint32_t to = pkt->message.module;
    if (is_at(timed, ctrl, to)) {
        if (GPCI_UNLIKELY(gpci_lrc_of(timed->l1) != NULL) && pkt->message.kind == GPC_MESSAGE_READ_REQUEST)
            gpci_lrc_reply(gpci_lrc_of(timed->l1), packet, follow, ctrl);
        gpci_message_arrived(timed, packet);
        return;
    }
    gpci_queue *queue = way_on(timed, ctrl, to);
    gpci_packet_at(&timed->pool, packet)->path.to =
        (uint16_t)(is_l1(timed, to)         ? to
                   : queue == &ctrl->served ? to - timed->hierarchy->sms
                                            : slice_between(timed, to, to, pkt->address));
    gpci_queue_push(queue, &timed->pool, timed->wheel.now, packet);
}

/* Step the controller in the next cycle. */
static void again(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_clock clock = ctrl->options->clock;
    gpci_wheel_wake(&timed->wheel, ctrl->component,
                    gpci_clock_core(clock, gpci_clock_own(clock, timed->wheel.now) + 1));
}

/* Process the due messages of a queue, as many as tag ports allow. */
static void run_queue(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue) {
    while (queue->count) {
        uint32_t packet = queue->first;
        if (timed->pool.links[packet].due > timed->wheel.now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[packet].due);
            return;
        }
        if (gpci_coherent_mshr_stall(timed, ctrl, queue))
            continue;
        if (!may_enter(timed, ctrl, packet)) {
            again(timed, ctrl);
            return;
        }
        gpci_queue_pop(queue, &timed->pool, timed->wheel.now);
        enter(timed, ctrl, packet);
    }
}

/* Process requests that waited for an MSHR entry, and requests behind; all are older than the packets of `in`. */
static void run_stalled(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->returned.count && !gpci_coherent_mshr_is_stalled(timed, ctrl)) {
        if (!may_enter(timed, ctrl, ctrl->returned.first)) {
            again(timed, ctrl);
            return;
        }
        enter(timed, ctrl, gpci_queue_pop(&ctrl->returned, &timed->pool, timed->wheel.now));
    }
}

/* Data from below (`fills`) pass the fill port one packet after the other. */
void gpci_coherent_ctrl_take(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue, uint64_t latency, bool fills,
                             uint32_t packet) {
    const gpci_clock clock = ctrl->options->clock;
    const uint64_t now = timed->wheel.now;
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint64_t due = gpci_clock_after(clock, now, latency);
    if (fills && pkt->path.size > timed->header) {
        uint64_t own = gpci_clock_own(clock, now), width = ctrl->options->fill_width;
        uint64_t start = own > ctrl->fill_free ? own : ctrl->fill_free;
        ctrl->fill_free = start + (pkt->path.size - timed->header + width - 1) / width;
        due = start == own ? now : gpci_clock_core(clock, start);
    }
    timed->pool.links[packet].due = due;
    gpci_queue_push(queue, &timed->pool, now, packet);
}

/* Accept everything a network has for a controller. */
static void receive(gpci_timed *timed, gpci_ctrl *ctrl, gpci_network *network, gpci_queue *queue, uint64_t latency,
                    bool fills) {
    while (!gpci_queue_full(queue) && gpci_network_peek(network, ctrl->index) != GPCI_NO_PACKET)
        gpci_coherent_ctrl_take(timed, ctrl, queue, latency, fills, gpci_network_receive(network, ctrl->index));
}

/* Module whose messages leave by a controller: a cluster or a slice; without an L2, the memory behind the slice. */
static uint32_t module_of(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    return (ctrl->level == 2 ? timed->hierarchy->coherent->first_slice : timed->hierarchy->sms) + ctrl->index;
}

static void send(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue, gpci_network *network) {
    while (queue->count &&
           gpci_network_can_take(network, ctrl->index, gpci_packet_at(&timed->pool, queue->first)->path.size)) {
        gpci_message_left(timed, module_of(timed, ctrl), queue == &ctrl->served);
        uint32_t packet = gpci_queue_pop(queue, &timed->pool, timed->wheel.now);
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        gpci_network_send(network, ctrl->index, pkt->path.to, pkt->path.size, packet);
    }
}

/* Send messages to the other partition. The queues are unbounded, and the other slice accepts everything. */
static void send_to_peer(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_network *const networks[] = {ctrl->networks.peer_requests, ctrl->networks.peer_replies};
    for (uint32_t i = 0; i < 2; i++) {
        gpci_queue *queue = &ctrl->across[i];
        while (queue->count && gpci_network_can_send(networks[i], ctrl->index)) {
            const uint32_t packet = gpci_queue_pop(queue, &timed->pool, timed->wheel.now);
            const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
            gpci_network_send(networks[i], ctrl->index, pkt->path.to, pkt->path.size, packet);
        }
    }
}

/*
 * Without a link, messages from a slice to the memory arrive at once, while the queue to DRAM has room: an arrived
 * message may lead to an access of DRAM.
 */
static void send_to_memory(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->link.count && !gpci_queue_full(&ctrl->out)) {
        gpci_message_left(timed, module_of(timed, ctrl), false);
        uint32_t packet = gpci_queue_pop(&ctrl->link, &timed->pool, timed->wheel.now);
        gpci_message_arrived(timed, packet);
    }
}

void gpci_coherent_slice_step(const gpci_group *group, uint32_t slice) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->l2[slice];
    if (ctrl->networks.replies_in)
        receive(timed, ctrl, ctrl->networks.replies_in, &ctrl->fills, 0, true);
    if (GPCI_UNLIKELY(ctrl->networks.peer_requests != NULL)) {
        receive(timed, ctrl, ctrl->networks.peer_replies, &ctrl->fills, 0, true);
        receive(timed, ctrl, ctrl->networks.peer_requests, &ctrl->fills, 0, true);
    }
    run_queue(timed, ctrl, &ctrl->fills);
    run_stalled(timed, ctrl);
    run_queue(timed, ctrl, &ctrl->in);
    receive(timed, ctrl, ctrl->networks.requests_in, &ctrl->in, timed->rop_latency, false);
    if (GPCI_UNLIKELY(ctrl->networks.peer_requests != NULL))
        send_to_peer(timed, ctrl);
    if (ctrl->networks.requests_out)
        send(timed, ctrl, &ctrl->link, ctrl->networks.requests_out);
    else
        send_to_memory(timed, ctrl);
    send(timed, ctrl, &ctrl->served, ctrl->networks.replies_out);
    if (ctrl->out.count)
        gpci_coherent_channel_send(timed, ctrl);
    if (ctrl->link.count && !ctrl->networks.requests_out && !gpci_queue_full(&ctrl->out))
        again(timed, ctrl);
    if (ctrl->in.count)
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[ctrl->in.first].due);
}

void gpci_coherent_cluster_step(const gpci_group *group, uint32_t cluster) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->clusters[cluster];
    receive(timed, ctrl, ctrl->networks.replies_in, &ctrl->fills, 0, true);
    run_queue(timed, ctrl, &ctrl->fills);
    run_queue(timed, ctrl, &ctrl->in);
    receive(timed, ctrl, ctrl->networks.requests_in, &ctrl->in, 0, false);
    send(timed, ctrl, &ctrl->out, ctrl->networks.requests_out);
    send(timed, ctrl, &ctrl->served, ctrl->networks.replies_out);
    if (ctrl->in.count)
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[ctrl->in.first].due);
}

void gpci_coherent_channel_receive(gpci_timed *timed, uint32_t channel) {
    gpci_network *network = timed->memory[channel].requests_in;
    while (gpci_network_peek(network, channel) != GPCI_NO_PACKET)
        gpci_message_arrived(timed, gpci_network_receive(network, channel));
}

/* Send an access to DRAM. A read is done when the data are ready, a write when the channel has accepted the write. */
void gpci_coherent_access_memory(gpci_timed *timed, const gpci_use *usage, uint32_t sectors) {
    const gpci_l2_place place = gpci_l2_place_of(timed->hierarchy, usage->address);
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(timed, usage->module);
    const bool as_packet = gpci_accesses_are_packets(timed);
    const uint32_t number = as_packet ? gpci_pool_take(&timed->pool) : gpci_pool_take_message(&timed->pool);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, number);
    const uint8_t all = (uint8_t)((1u << timed->hierarchy->l2_level.line_bytes / GPCI_SEGMENT) - 1);
    pkt->address = usage->address;
    pkt->inner = gpci_l2_line(timed, place.inner);
    pkt->message = (gpci_packet_message){.task = usage->task, .step = (uint8_t)usage->step};
    pkt->flags = as_packet ? 0 : GPCI_PACKET_MESSAGE;
    pkt->segments = (uint8_t)(((1u << sectors) - 1) << place.shift) & all;
    pkt->type = usage->write ? GPCI_WRITE : GPCI_READ;
    gpci_log_memory_access(timed, usage->task, number);
    gpci_bundle_push_access(timed, &ctrl->out, number);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

/* -- packets of several messages */

/*
 * Messages for sectors of a line leave together (l1.sectors > 1). For the engine, every sector is a block with its own
 * lock and messages. If the last message in the sender's queue has the same kind, sender and receiver, and belongs
 * to another sector of the line, a new message joins it: one packet with one header, one place in queues and one tag
 * port at the receiver. Accesses of memory do the same. The last but one also qualifies, because an owner's data to
 * another L1 and the answer to the slice alternate. Messages of one sector keep their order.
 *
 * When a packet arrives, all its messages arrive, one after the other, and every continues by itself: one may wait for
 * a lock or be refused while others are served. No message waits for another of the packet, and an arrived packet holds
 * nothing. Dependencies are therefore as if messages had come alone.
 *
 * Data read or written by the messages of a packet pass the data port together, like a single request. So their answers
 * leave together too, except answers that wait for something else.
 *
 * Messages of a packet are packets themselves; the first stands in queues, and `next_of_bundle` links the others. The
 * first has the size of the whole packet, the others only of their data.
 *
 * Example, a load of a line of four sectors of 32 bytes, missing in L1 and present in the slice, headers of 8 bytes:
 * four controller accesses, a packet of 8 bytes and one of 136. A sector locked in the slice comes in a packet of 40.
 */

static bool is_together(const gpci_timed *timed, uint64_t address, uint64_t other) {
    return address != other && (address ^ other) < timed->bundle_line;
}

/* True if the request of a task is refused instead of waiting: the request must not join, and wait with, others. */
static bool is_forwarded(const gpci_timed *timed, uint32_t task) {
    return gpci_task_at(gpci_engine_of(timed), task)->forwarded;
}

static bool has(const gpci_timed *timed, const gpci_packet *pkt, uint64_t address) {
    while (pkt->address != address && pkt->flags & GPCI_PACKET_BUNDLE)
        pkt = gpci_packet_at(&timed->pool, gpci_bundle_next(pkt));
    return pkt->address == address;
}

/* True if a message of a task may join a packet. */
static bool fits(const gpci_timed *timed, const gpci_packet *pkt, uint64_t address, uint32_t to,
                 const gpci_packet_message *message) {
    return is_together(timed, pkt->address, address) && pkt->message.module == to &&
           pkt->message.kind == message->kind && pkt->message.step == message->step &&
           is_forwarded(timed, pkt->message.task) == is_forwarded(timed, message->task) && !has(timed, pkt, address);
}

/* Last or second-last packet of a queue, joinable by a message; or NULL. */
static gpci_packet *joinable_packet(const gpci_timed *timed, const gpci_queue *queue, uint64_t address, uint32_t to,
                                    const gpci_packet_message *message) {
    if (GPCI_LIKELY(!timed->bundle_line) || !queue->count)
        return NULL;
    gpci_packet *last = gpci_packet_at(&timed->pool, queue->last);
    if (fits(timed, last, address, to, message))
        return last;
    const gpci_coherent_host *host = timed->coherent;
    if (queue->count < 2 || host->unbundled != queue->last || timed->pool.links[host->before].next != queue->last ||
        has(timed, last, address))
        return NULL;
    gpci_packet *before = gpci_packet_at(&timed->pool, host->before);
    return fits(timed, before, address, to, message) ? before : NULL;
}

static void append(const gpci_timed *timed, gpci_packet *first, uint32_t packet) {
    while (first->flags & GPCI_PACKET_BUNDLE)
        first = gpci_packet_at(&timed->pool, gpci_bundle_next(first));
    first->flags |= GPCI_PACKET_BUNDLE;
    if (first->type == GPCI_REPLY)
        first->path.next_of_bundle = packet;
    else
        first->path.with = packet;
}

bool gpci_bundle_takes(const gpci_timed *timed, const gpci_queue *queue, const gpci_message *message) {
    const gpci_packet_message packet_message = {
        .task = message->receiver, .step = (uint8_t)message->arrives, .kind = (uint8_t)message->kind};
    return joinable_packet(timed, queue, message->address, message->to, &packet_message) != NULL;
}

bool gpci_bundle_goes_with(const gpci_timed *timed, const gpci_queue *queue, uint64_t address) {
    return timed->bundle_line && queue->count &&
           is_together(timed, gpci_packet_at(&timed->pool, queue->last)->address, address);
}

bool gpci_bundle_push(gpci_timed *timed, gpci_queue *queue, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_packet *last = joinable_packet(timed, queue, pkt->address, pkt->message.module, &pkt->message);
    if (GPCI_LIKELY(!last)) {
        timed->coherent->unbundled = packet;
        timed->coherent->before = queue->last;
        gpci_queue_push(queue, &timed->pool, timed->wheel.now, packet);
        return false;
    }
    pkt->path.size -= timed->header;
    last->path.size += pkt->path.size;
    append(timed, last, packet);
    return true;
}

/* An access joins no packet that the channel may have processed in part (`due` is GPCI_NEVER). */
void gpci_bundle_push_access(gpci_timed *timed, gpci_queue *queue, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_packet *last = queue->count ? gpci_packet_at(&timed->pool, queue->last) : NULL;
    if (GPCI_LIKELY(!timed->bundle_line) || !last || timed->pool.links[queue->last].due == GPCI_NEVER ||
        last->type != pkt->type || last->inner != pkt->inner || !is_together(timed, last->address, pkt->address) ||
        last->segments & pkt->segments) {
        gpci_queue_push(queue, &timed->pool, timed->wheel.now, packet);
        return;
    }
    last->segments |= pkt->segments;
    append(timed, last, packet);
}

uint32_t gpci_bundle_split(gpci_packet *pkt) {
    if (GPCI_LIKELY(!(pkt->flags & GPCI_PACKET_BUNDLE)))
        return GPCI_NO_PACKET;
    pkt->flags &= (uint8_t)~GPCI_PACKET_BUNDLE;
    return gpci_bundle_next(pkt);
}

uint8_t gpci_bundle_sectors(const gpci_timed *timed, const gpci_packet *pkt) {
    const uint32_t block = timed->hierarchy->l1_level.line_bytes;
    uint32_t sectors = 0;
    for (;; pkt = gpci_packet_at(&timed->pool, gpci_bundle_next(pkt))) {
        sectors |= 1u << (pkt->address & (timed->bundle_line - 1)) / block;
        if (!(pkt->flags & GPCI_PACKET_BUNDLE))
            return (uint8_t)sectors;
    }
}
