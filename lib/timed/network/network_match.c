/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network/network.h"

/* Match packets at a network's inputs with outputs, and move them across. */

/*
 * Form of a network, for which the matching is compiled separately. plain: core clock, rooms are packets, and no
 * turnaround; most networks are plain.
 */
typedef struct form {
    bool plain, virtual_queues, bursts;
} form;

static inline bool is_fast(const gpci_network *network, form variant) {
    return !variant.plain && network->fast;
}

static inline bool is_in_bytes(const gpci_network *network, form variant) {
    return !variant.plain && network->link.unit != GPCI_ROOM_MESSAGES;
}

static inline gpci_clock clock_of(const gpci_network *network, form variant) {
    return variant.plain ? (gpci_clock){1, 1} : network->options.clock;
}

static inline gpci_packet_list *queue_of(const gpci_network *network, uint32_t input, uint32_t output, form variant) {
    return &network->lanes[variant.virtual_queues ? (size_t)input * network->options.outputs + output : input];
}

/*
 * Work is done only for a cause. An output is a candidate in a cycle if the output's link became free, room appeared in
 * the buffer, the link of an input with a packet for the output became free, or a packet reached the head of a queue.
 * Both links of a transfer become free together, so one wake of the output serves both. All candidates of a cycle are
 * matched at once, in the turn of the last output's component: no output is favoured by number.
 */

static bool any_bit(const uint64_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (words[i])
            return true;
    return false;
}

GPCI_INLINE void withdraw(gpci_network *network, uint32_t input, uint32_t output, form variant) {
    gpci_bit_clear(network->requests + (size_t)output * network->in_words, input);
    if (variant.virtual_queues)
        gpci_bit_clear(network->wanted + (size_t)input * network->out_words, output);
}

/* The link of an input is free: add the outputs for which the input has a packet to the candidates. */
GPCI_INLINE void consider_input(gpci_network *network, uint32_t input, form variant) {
    if (variant.virtual_queues) {
        const uint64_t *wanted = network->wanted + (size_t)input * network->out_words;
        for (uint32_t i = 0; i < network->out_words; i++)
            network->candidates[i] |= wanted[i];
    } else if (network->lanes[input].first != GPCI_NO_PACKET) {
        gpci_bit_set(network->candidates, network->pool->links[network->lanes[input].first].to);
    }
}

/* True if an input's packet for an output has arrived by network cycle `at`, and the input's turnaround is over. */
GPCI_INLINE bool is_ready(gpci_network *network, uint32_t input, uint32_t output, uint64_t at, form variant) {
    const uint64_t free = variant.bursts ? 0 : network->inputs[input].room.read_free;
    if (free > at) {
        const uint64_t core = gpci_clock_core(clock_of(network, variant), free);
        if (core > network->wheel->now)
            gpci_wheel_wake(network->wheel, gpci_network_last_output(network), core);
        return false;
    }
    return network->pool->links[queue_of(network, input, output, variant)->first].due <= at;
}

/* Match an output in the network cycle after `at`. */
GPCI_INLINE void match_next(gpci_network *network, uint32_t output, uint64_t at, form variant) {
    const uint64_t now = network->wheel->now, core = gpci_clock_core(clock_of(network, variant), at + 1);
    gpci_bit_set(network->requested, output);
    if (core > now)
        gpci_wheel_wake(network->wheel, gpci_network_last_output(network), core);
}

/* Next input, in turn, able to send to this output at network cycle `at`; or `inputs`. */
GPCI_INLINE uint32_t choose(gpci_network *network, uint32_t output, uint64_t at, form variant) {
    gpci_link_turn turn = gpci_link_turn_from(network->requests + (size_t)output * network->in_words, network->sending,
                                              network->in_words, network->outputs[output].next);
    for (uint32_t input; (input = gpci_link_turn_next(&turn)) != GPCI_NO_TURN;) {
        if (variant.bursts && network->inputs[input].sent_at == at + 1 && output <= network->inputs[input].sent_to)
            match_next(network, output, at, variant);
        else if (!is_fast(network, variant) || is_ready(network, input, output, at, variant))
            return input;
        gpci_bit_set(network->requested, output); /* ready later, in this core cycle or the next */
    }
    return network->options.inputs;
}

/* True if an output's buffer has room at network cycle `at`. */
GPCI_INLINE bool has_room(gpci_network *network, uint32_t output, uint64_t at, form variant) {
    const gpci_network_output *port = &network->outputs[output];
    if (!is_fast(network, variant) || port->freed_at <= at ||
        gpci_link_has_room(&port->room, (uint64_t)port->freed + 1))
        return true;
    gpci_bit_set(network->requested, output); /* room later in this core cycle */
    return false;
}

/* Rooms in bytes: true if an input's packet for this output fits at network cycle `at`. */
GPCI_INLINE bool fits(const gpci_network *network, uint32_t input, uint32_t output, uint64_t at, form variant) {
    const gpci_network_output *port = &network->outputs[output];
    const uint64_t freed = is_fast(network, variant) && port->freed_at > at ? port->freed : 0;
    return gpci_link_has_room(&port->room,
                              freed + gpci_network_room_of(network, queue_of(network, input, output, variant)->first));
}

/* Occupy the links of an input and an output up to network cycle `until`. The last output's turn frees the links. */
GPCI_INLINE void occupy(gpci_network *network, uint32_t input, uint32_t output, uint64_t until, form variant) {
    gpci_network_output *port = &network->outputs[output];
    const uint64_t now = network->wheel->now, core = gpci_clock_core(clock_of(network, variant), until),
                   ahead = core - now;
    const uint32_t slot = (uint32_t)core % GPCI_NETWORK_SPAN;
    const uint32_t word = output / 64;
    const uint64_t bit = (uint64_t)1 << (output & 63);
    port->input = input;
    if (!variant.bursts)
        gpci_bit_set(network->sending, input);
    network->linked[word] |= bit;
    network->open[word] &= ~bit;
    network->candidates[word] &= ~bit;
    if (is_fast(network, variant) && until <= gpci_clock_own(clock_of(network, variant), now)) {
        network->released[word] |= bit; /* within this turn */
        return;
    }
    if (GPCI_UNLIKELY(ahead >= GPCI_NETWORK_SPAN)) {
        gpci_wheel_wake(network->wheel, network->options.first_output + output, core);
        return;
    }
    network->releases[slot * network->out_words + word] |= bit;
    if (network->releasing >> slot & 1)
        return;
    network->releasing |= (uint64_t)1 << slot;
    gpci_wheel_wake(network->wheel, gpci_network_last_output(network), core);
}

/* Remove the head of a queue from the input, with the head's request. */
GPCI_INLINE uint32_t leave_input(gpci_network *network, uint32_t input, uint32_t output, form variant) {
    gpci_packet_list *from = queue_of(network, input, output, variant);
    gpci_network_input *port = &network->inputs[input];
    uint32_t packet = from->first;
    from->first = network->pool->links[packet].next;
    if (from->first == GPCI_NO_PACKET) {
        withdraw(network, input, output, variant);
    } else if (!variant.virtual_queues) {
        uint32_t next = network->pool->links[from->first].to;
        gpci_sw_prefetch_link(network->pool, network->pool->links[from->first].next);
        if (next != output) {
            withdraw(network, input, output, variant);
            gpci_network_note_request(network, input, next, true);
        }
    }
    if (is_in_bytes(network, variant) || port->room.used == port->room.capacity)
        gpci_wheel_wake(network->wheel, network->options.first_sender + input, network->wheel->now);
    gpci_network_go(&port->stay, network->wheel->now);
    return packet;
}

/* With bursts, the packet behind goes to an output of a higher number in this cycle, to any other in the next cycle. */
GPCI_INLINE void consider_behind(gpci_network *network, uint32_t input, uint32_t output, uint64_t at, form variant) {
    const uint32_t behind = network->lanes[input].first;
    network->inputs[input].sent_at = at + 1;
    network->inputs[input].sent_to = output;
    if (behind == GPCI_NO_PACKET)
        return;
    if (network->pool->links[behind].to > output)
        gpci_bit_set(network->candidates, network->pool->links[behind].to);
    else
        match_next(network, network->pool->links[behind].to, at, variant);
}

/* Move an input's packet to an output at network cycle `at`. */
GPCI_INLINE void cross(gpci_network *network, uint32_t input, uint32_t output, uint64_t at, form variant) {
    gpci_network_output *port = &network->outputs[output];
    uint32_t index = leave_input(network, input, output, variant);
    gpci_packet_link *link = &network->pool->links[index];
    uint64_t now = network->wheel->now;
    uint32_t cycles = link->flits;
    if (GPCI_UNLIKELY(cycles == GPCI_MANY_FLITS))
        cycles = gpci_link_cycles(&network->link, gpci_packet_at(network->pool, index)->path.size);
    if (variant.bursts && !cycles) /* an output takes a packet a cycle */
        cycles = 1;
    if (GPCI_UNLIKELY(gpci_network_in_flits(network)))
        gpci_network_leave_by_flits(network, input, at + cycles);
    const uint64_t there = gpci_link_grant(&network->link, &network->inputs[input].room, &port->room, at, cycles,
                                           variant.plain ? 1 : gpci_network_room_of(network, index));
    const uint64_t due = gpci_clock_core(clock_of(network, variant), there);
    link->due = due > now ? due : now;
    if (variant.virtual_queues)
        network->inputs[input].next = output + 1 < network->options.outputs ? output + 1 : 0;
    if (!variant.virtual_queues || port->refused != network->matchings) /* a refused output keeps the turn */
        port->next = input + 1 < network->options.inputs ? input + 1 : 0;
    const bool first = port->buffer.first == GPCI_NO_PACKET;
    gpci_network_append(&port->buffer, network->pool, index);
    if (first)
        gpci_network_announce(network, output, false);
    gpci_network_come(&port->stay, now);
    if (cycles) {
        occupy(network, input, output, at + cycles, variant);
        if (variant.bursts)
            consider_behind(network, input, output, at, variant);
        return;
    }
    if (!gpci_link_has_room(&port->room, 1))
        gpci_bit_clear(network->open, output);
    consider_input(network, input, variant); /* the packet occupied no link: the input may send another packet */
}

/*
 * With one queue, an input has a packet for only one output: grant at once if the packet occupies the link, so that
 * packets behind take no part in choices of this round.
 */
GPCI_INLINE bool cross_alone(gpci_network *network, uint32_t input, uint32_t output, uint64_t at, form variant) {
    if (!variant.bursts && (is_in_bytes(network, variant) || !network->pool->links[network->lanes[input].first].flits))
        return false;
    cross(network, input, output, at, variant);
    return true;
}

/* Every candidate chooses an input; an input chosen by several takes the next output in turn. */
GPCI_INLINE uint32_t collect_offers(gpci_network *network, uint64_t at, form variant) {
    const uint32_t outputs = network->options.outputs;
    uint32_t offered = 0;
    for (uint32_t word = 0; word < network->out_words; word++) {
        network->candidates[word] &= network->open[word];
        for (uint64_t bits = network->candidates[word]; bits; bits &= bits - 1) {
            uint32_t output = word * 64 + gpci_lowest(bits);
            uint32_t input =
                has_room(network, output, at, variant) ? choose(network, output, at, variant) : network->options.inputs;
            if (input == network->options.inputs) {
                network->candidates[word] &= ~(bits & -bits);
                continue;
            }
            if (is_in_bytes(network, variant) && !fits(network, input, output, at, variant))
                continue; /* may choose again in this cycle, after others have taken turns */
            if (!variant.virtual_queues && cross_alone(network, input, output, at, variant)) {
                if (variant.bursts) /* `cross` may have added outputs beyond this output */
                    bits |= network->candidates[word] & network->open[word] & ~((bits & -bits) | ((bits & -bits) - 1));
                continue;
            }
            gpci_network_input *port = &network->inputs[input];
            uint32_t other = port->offer, refused = output;
            if (other == outputs)
                network->offered[offered++] = input;
            /* outputs come in ascending order, so only an output at port->next or beyond can overtake */
            if (other == outputs || (other < port->next && output >= port->next)) {
                port->offer = output;
                refused = other;
            }
            if (refused != outputs)
                network->outputs[refused].refused = network->matchings;
        }
    }
    return offered;
}

/* All grants of network cycle `at`: rounds, until no candidate finds a free input. */
GPCI_INLINE void match(gpci_network *network, uint64_t at, form variant) {
    network->matchings++;
    for (uint32_t offered; (offered = collect_offers(network, at, variant));)
        for (uint32_t i = 0; i < offered; i++) {
            uint32_t input = network->offered[i], output = network->inputs[input].offer;
            network->inputs[input].offer = network->options.outputs;
            cross(network, input, output, at, variant);
        }
}

/* Move the links that become free in the present core cycle from `releases` to `released`. */
static void take_releases(gpci_network *network) {
    const uint32_t slot = (uint32_t)network->wheel->now % GPCI_NETWORK_SPAN;
    uint64_t *words = network->releases + slot * network->out_words;
    if (!(network->releasing >> slot & 1))
        return;
    network->releasing &= ~((uint64_t)1 << slot);
    for (uint32_t word = 0; word < network->out_words; word++) {
        network->released[word] |= words[word];
        words[word] = 0;
    }
}

/* Release links that are free from network cycle `at` on. */
GPCI_INLINE void release_links(gpci_network *network, uint64_t at, form variant) {
    for (uint32_t word = 0; word < network->out_words; word++)
        for (uint64_t bits = network->released[word]; bits; bits &= bits - 1) {
            uint32_t output = word * 64 + gpci_lowest(bits);
            gpci_network_output *port = &network->outputs[output];
            if (port->room.write_free > at)
                continue;
            const uint64_t bit = bits & -bits;
            network->released[word] &= ~bit;
            network->linked[word] &= ~bit;
            gpci_bit_clear(network->sending, port->input);
            if (gpci_link_has_room(&port->room, 1))
                network->open[word] |= bit;
            network->candidates[word] |= bit;
            consider_input(network, port->input, variant);
        }
}

/* First network cycle of the present turn in which a link becomes free, at most `end`. */
static uint64_t first_release(const gpci_network *network, uint64_t end) {
    for (uint32_t word = 0; word < network->out_words; word++)
        for (uint64_t bits = network->released[word]; bits; bits &= bits - 1) {
            const uint64_t free = network->outputs[word * 64 + gpci_lowest(bits)].room.write_free;
            end = free < end ? free : end;
        }
    return end;
}

/*
 * Match in the network cycles that have begun since the last core cycle. Cycles without a cause are left out, except
 * for the last cycle.
 */
GPCI_INLINE void match_due(gpci_network *network, form variant) {
    const gpci_clock clock = clock_of(network, variant);
    const uint64_t now = network->wheel->now, end = gpci_clock_own(clock, now);
    uint64_t at = end;
    network->match_woken = false;
    take_releases(network);
    if (is_fast(network, variant)) {
        uint64_t first = now ? gpci_clock_own(clock, now - 1) + 1 : 0;
        first = first < end ? first : end; /* a slow clock has no new cycle */
        at = any_bit(network->requested, network->out_words) ? first : first_release(network, end);
    }
    for (;;) {
        for (uint32_t word = 0; word < network->out_words; word++) {
            network->candidates[word] |= network->requested[word];
            network->requested[word] = 0;
        }
        release_links(network, at, variant);
        match(network, at, variant);
        if (at == end)
            return;
        at = variant.bursts && any_bit(network->requested, network->out_words) ? at + 1 : first_release(network, end);
    }
}

static void match_form(gpci_network *network) {
    const gpci_clock clock = network->options.clock;
    const bool plain =
        network->link.unit == GPCI_ROOM_MESSAGES && clock.own == clock.core && !network->options.turnaround;
    if (GPCI_UNLIKELY(!plain))
        match_due(network, (form){false, network->virtual_queues, network->options.queues == GPCI_QUEUES_BURSTS});
    else if (network->virtual_queues)
        match_due(network, (form){true, true, false});
    else if (network->options.queues == GPCI_QUEUES_BURSTS)
        match_due(network, (form){true, false, true});
    else
        match_due(network, (form){true, false, false});
}

void gpci_network_step(const gpci_group *group, uint32_t output) {
    gpci_network *network = group->self;
    const uint32_t component = network->options.first_output + output;
    const gpci_network_output *port = &network->outputs[output];
    if (gpci_bit_is_set(network->linked, output)) {
        uint64_t core = gpci_clock_core(network->options.clock, port->room.write_free);
        if (core <= network->wheel->now)
            gpci_bit_set(network->released, output);
        else
            gpci_wheel_wake(network->wheel, component, core); /* was limited to the wheel's span */
    }
    if (port->distant)
        gpci_network_announce(network, output, false);
    if (component == gpci_network_last_output(network))
        match_form(network);
    else if (!network->match_woken) {
        network->match_woken = true;
        gpci_wheel_wake(network->wheel, gpci_network_last_output(network), network->wheel->now);
    }
}
