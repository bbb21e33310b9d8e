/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network/network.h"

/* A network: packets entering at inputs, and leaving at outputs. network_match.c moves packets between. */

/* True if a bit is set (gpci_network_set_shared). */
static inline bool has_shared(const gpci_network *network, const uint64_t *words, uint32_t bit, bool alone) {
#if defined(__GNUC__) || defined(__clang__)
    if (!alone && GPCI_UNLIKELY(network->sharing != NULL))
        return __atomic_load_n(&words[bit / 64], __ATOMIC_RELAXED) >> (bit & 63) & 1;
#endif
    return gpci_bit_is_set(words, bit);
}

/* Set a flag for gpci_network_settle. */
static inline void note(bool *flag) {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(flag, true, __ATOMIC_RELAXED);
#else
    *flag = true;
#endif
}

/* Match the requested outputs in the present cycle, in the turn of the last output. */
static inline void wake_matching(gpci_network *network, bool simple) {
    if (!simple && GPCI_UNLIKELY(network->sharing != NULL))
        note(&network->sharing->asked);
    else
        gpci_wheel_wake(network->wheel, gpci_network_last_output(network), network->wheel->now);
}

void gpci_network_announce_shared(gpci_network *network, uint32_t output, uint64_t due) {
    if (network->outputs[output].distant)
        note(&network->sharing->distant);
    else
        gpci_wheel_wake(network->sharing->receivers[output], network->options.first_receiver + output, due);
}

/* Put a packet into a queue of an input. `simple`: gpci_network.simple is known to be true. */
GPCI_INLINE void enter(gpci_network *network, uint32_t input, uint32_t output, uint32_t size, uint32_t index,
                       bool simple) {
    const uint64_t now = network->wheel->now;
    gpci_packet *packet = gpci_packet_at(network->pool, index);
    gpci_packet_list *list = gpci_network_lane(network, input, output);
    bool head = list->first == GPCI_NO_PACKET;
    packet->path.from = (uint16_t)input;
    packet->path.to = (uint16_t)output;
    packet->path.size = size;
    packet->path.entered = now;
    gpci_packet_link *link = &network->pool->links[index];
    const uint32_t flits = gpci_link_cycles(&network->link, size);
    link->due = !simple && network->fast ? gpci_clock_own(network->options.clock, now) : 0;
    link->to = (uint16_t)output;
    link->flits = (uint16_t)(flits < GPCI_MANY_FLITS ? flits : GPCI_MANY_FLITS);
    gpci_network_append(list, network->pool, index);
    gpci_network_input *port = &network->inputs[input];
    port->room.used += simple ? 1 : gpci_network_room_of(network, index);
    gpci_network_come(&port->stay, now);
    GPCI_AGAIN(port->packets_again++);
    GPCI_AGAIN(port->bytes_again += size);
    if (!head)
        return;
    gpci_network_note_request(network, input, output, simple);
    if (has_shared(network, network->open, output, simple) && !gpci_bit_is_set(network->sending, input)) {
        gpci_network_set_shared(network, network->requested, output, simple);
        wake_matching(network, simple);
    }
}

/* Watched networks use separate functions, so that others pay only for a comparison. */
static GPCI_COLD void send_watched(gpci_network *network, uint32_t input, uint32_t output, uint32_t size,
                                   uint32_t index) {
    enter(network, input, output, size, index, false);
    network->watch(network->watch_data, network->options.component, false, input, index);
}

static GPCI_NOINLINE void send_any(gpci_network *network, uint32_t input, uint32_t output, uint32_t size,
                                   uint32_t index) {
    if (network->watch)
        send_watched(network, input, output, size, index);
    else
        enter(network, input, output, size, index, false);
}

void gpci_network_send(gpci_network *network, uint32_t input, uint32_t output, uint32_t size, uint32_t index) {
    if (GPCI_LIKELY(network->simple))
        enter(network, input, output, size, index, true);
    else
        send_any(network, input, output, size, index);
}

/* The full buffer of an output has room again: the output may take part in the next matching. */
GPCI_INLINE void reopen(gpci_network *network, uint32_t output, bool simple) {
    if (gpci_bit_is_set(network->linked, output))
        return;
    gpci_network_set_shared(network, network->open, output, simple);
    gpci_network_set_shared(network, network->requested, output, simple);
    wake_matching(network, simple);
}

GPCI_INLINE uint32_t leave(gpci_network *network, uint32_t output, bool simple) {
    const uint64_t now = network->wheel->now;
    gpci_network_output *port = &network->outputs[output];
    uint32_t index = port->buffer.first;
    const gpci_packet *packet = gpci_packet_at(network->pool, index);
    const uint32_t room = simple ? 1 : gpci_network_room_of(network, index);
    const bool had_none =
        (!simple && network->link.unit != GPCI_ROOM_MESSAGES) || port->room.used == port->room.capacity;
    port->buffer.first = network->pool->links[index].next;
    if (!simple && network->fast) {
        uint64_t at = gpci_clock_own(network->options.clock, now);
        port->freed = port->freed_at == at ? port->freed + room : room;
        port->freed_at = at;
    }
    port->room.used -= room;
    if (had_none && gpci_link_has_room(&port->room, 1))
        reopen(network, output, simple);
    port->distant = false;
    network->arrivals[output] = GPCI_NEVER;
    if (port->buffer.first != GPCI_NO_PACKET)
        gpci_network_announce(network, output, simple);
    gpci_network_go(&port->stay, now);
    port->packets++;
    port->bytes += packet->path.size;
    port->spent += now - packet->path.entered;
    return index;
}

static GPCI_COLD uint32_t receive_watched(gpci_network *network, uint32_t output) {
    uint32_t index = leave(network, output, false);
    network->watch(network->watch_data, network->options.component, true, output, index);
    return index;
}

static GPCI_NOINLINE uint32_t receive_any(gpci_network *network, uint32_t output) {
    return network->watch ? receive_watched(network, output) : leave(network, output, false);
}

uint32_t gpci_network_receive(gpci_network *network, uint32_t output) {
    return GPCI_LIKELY(network->simple) ? leave(network, output, true) : receive_any(network, output);
}

/* Room at the inputs of a network. */

/* The sender tries again in every core cycle up to `until`. */
void gpci_network_leave_by_flits(gpci_network *network, uint32_t input, uint64_t until) {
    const uint64_t now = network->wheel->now, end = gpci_clock_core(network->options.clock, until),
                   last = end < now + GPCI_NETWORK_SPAN ? end : now + GPCI_NETWORK_SPAN - 1;
    network->inputs[input].left = until;
    for (uint64_t cycle = now + 1; cycle <= last; cycle++)
        gpci_wheel_wake(network->wheel, network->options.first_sender + input, cycle);
}

bool gpci_network_can_send(const gpci_network *network, uint32_t input) {
    return gpci_link_has_room(&network->inputs[input].room, network->largest);
}

bool gpci_network_can_take(const gpci_network *network, uint32_t input, uint32_t size) {
    if (GPCI_UNLIKELY(gpci_network_in_flits(network)))
        return gpci_network_takes(network, input, size);
    const uint32_t room = gpci_link_room(&network->link, size);
    return gpci_link_has_room(&network->inputs[input].room, room ? room : 1);
}

bool gpci_network_takes(const gpci_network *network, uint32_t input, uint32_t size) {
    if (!gpci_network_in_flits(network))
        return gpci_network_can_send(network, input);
    const gpci_network_input *port = &network->inputs[input];
    const uint64_t now = gpci_clock_own(network->options.clock, network->wheel->now),
                   leaving = port->left > now ? port->left - now : 0;
    return gpci_link_has_room(&port->room, leaving + gpci_link_room(&network->link, size));
}

/* Several threads. */

static void simplify(gpci_network *network) {
    network->simple =
        network->link.unit == GPCI_ROOM_MESSAGES && !network->fast && !network->sharing && !network->watch;
}

void gpci_network_share(gpci_network *network, gpci_network_sharing *sharing) {
    network->sharing = sharing;
    simplify(network);
}

void gpci_network_settle(gpci_network *network) {
    gpci_network_sharing *shared = network->sharing;
    if (shared->asked)
        gpci_wheel_wake(network->wheel, gpci_network_last_output(network), network->wheel->now);
    for (uint32_t o = 0; shared->distant && o < network->options.outputs; o++)
        if (network->outputs[o].distant)
            gpci_wheel_wake(network->wheel, network->options.first_output + o,
                            network->pool->links[network->outputs[o].buffer.first].due);
    shared->asked = shared->distant = false;
}

void gpci_network_watch(gpci_network *network, gpci_network_watch_fn watch, void *user_data) {
    network->watch = watch;
    network->watch_data = user_data;
    simplify(network);
}
