/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network_internal.h"

/*
 * Nothing is looked at without cause. An output is a candidate in a cycle when its link came free,
 * room came free in its buffer, an input's link came free that has a packet for it, or a packet
 * came to the head of a queue. As both links of a transfer come free together, one wake of the
 * output serves both. The candidates of a cycle are matched all at once, in the turn of the
 * last output's component, so that no output is ahead of another by its number.
 */

static bool any_bit(const uint64_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (words[i])
            return true;
    return false;
}

static void withdraw(gpci_network *network, uint32_t input, uint32_t output) {
    gpci_clear_bit(network->requests + (size_t)output * network->in_words, input);
    if (gpci_network_is_virtual(network))
        gpci_clear_bit(network->wanted + (size_t)input * network->out_words, output);
}

/* The outputs that could take a packet from an input whose link is free. */
static void consider_input(gpci_network *network, uint32_t input) {
    if (gpci_network_is_virtual(network)) {
        const uint64_t *wanted = network->wanted + (size_t)input * network->out_words;
        for (uint32_t i = 0; i < network->out_words; i++)
            network->candidates[i] |= wanted[i];
    } else if (network->inputs[input].count) {
        gpci_set_bit(network->candidates, gpci_packet_at(network->pool, network->lanes[input].first)->path.to);
    }
}

/* Among the inputs that could send to this output at network cycle `at`, the next in turn; `inputs` where none. */
static uint32_t choose(gpci_network *network, uint32_t output, uint64_t at) {
    const uint64_t *requests = network->requests + (size_t)output * network->in_words;
    const uint32_t words = network->in_words, start = network->outputs[output].next;
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t word = start / 64 + i < words ? start / 64 + i : start / 64 + i - words;
        uint64_t bits = requests[word] & ~network->sending[word];
        if (bits && word == start / 64) { /* first from the start on, in the end what lies before it */
            uint64_t from = ~(uint64_t)0 << (start & 63);
            bits &= i ? ~from : from;
        }
        for (; bits; bits &= bits - 1) {
            uint32_t input = word * 64 + gpci_lowest(bits);
            if (!network->fast ||
                gpci_packet_at(network->pool, gpci_network_lane(network, input, output)->first)->due <= at)
                return input;
            gpci_set_bit(network->requested, output); /* it came later in this core cycle */
        }
    }
    return network->options.inputs;
}

/* Room in an output's buffer at network cycle `at`. */
static bool has_room(gpci_network *network, uint32_t output, uint64_t at) {
    const gpci_network_output *port = &network->outputs[output];
    if (!network->fast || port->freed_at <= at || port->count + (uint64_t)port->freed < network->output_room)
        return true;
    gpci_set_bit(network->requested, output); /* it comes later in this core cycle */
    return false;
}

/* Both links are busy for some cycles; the output's component is woken when they come free. */
static void occupy(gpci_network *network, uint32_t input, uint32_t output, uint64_t until) {
    gpci_network_output *port = &network->outputs[output];
    port->ready = until;
    port->input = input;
    gpci_set_bit(network->sending, input);
    gpci_set_bit(network->linked, output);
    gpci_clear_bit(network->open, output);
    gpci_clear_bit(network->candidates, output);
    if (network->fast && until <= gpci_clock_own(network->options.clock, network->wheel->now))
        gpci_set_bit(network->released, output); /* within this turn */
    else
        gpci_wheel_wake(network->wheel, network->options.first_output + output,
                        gpci_clock_core(network->options.clock, until));
}

/* The head of the queue leaves its input, and with it what the queue asks for. */
static uint32_t leave_input(gpci_network *network, uint32_t input, uint32_t output) {
    gpci_packet_list *from = gpci_network_lane(network, input, output);
    gpci_network_input *port = &network->inputs[input];
    uint32_t packet = from->first;
    from->first = network->pool->next[packet];
    if (from->first == GPCI_NO_PACKET) {
        withdraw(network, input, output);
    } else if (!gpci_network_is_virtual(network)) {
        uint32_t next = gpci_packet_at(network->pool, from->first)->path.to;
        if (next != output) {
            withdraw(network, input, output);
            gpci_network_request(network, input, next);
        }
    }
    if (port->count-- == network->input_room)
        gpci_wheel_wake(network->wheel, network->options.first_sender + input, network->wheel->now);
    gpci_gauge_set(&network->input_gauge, network->wheel->now, network->input_gauge.level - 1);
    return packet;
}

/* Grant an input's packet at network cycle `at`. */
static void cross(gpci_network *network, uint32_t input, uint32_t output, uint64_t at) {
    const uint32_t width = network->options.width;
    gpci_network_output *port = &network->outputs[output];
    uint32_t index = leave_input(network, input, output);
    gpci_packet *packet = gpci_packet_at(network->pool, index);
    uint64_t now = network->wheel->now;
    uint32_t cycles = packet->path.size / width + (packet->path.size % width != 0);
    uint64_t due = gpci_clock_core(network->options.clock, at + cycles + network->options.latency);
    packet->due = due > now ? due : now;
    network->inputs[input].next = output + 1 < network->options.outputs ? output + 1 : 0;
    if (port->refused != network->matchings) /* who was refused keeps its turn */
        port->next = input + 1 < network->options.inputs ? input + 1 : 0;
    gpci_packet_list_push(&port->buffer, network->pool, index);
    if (port->count++ == 0)
        gpci_network_announce(network, output);
    gpci_gauge_set(&network->output_gauge, now, network->output_gauge.level + 1);
    if (port->count == network->output_room)
        gpci_clear_bit(network->open, output);
    if (cycles)
        occupy(network, input, output, at + cycles);
    else
        consider_input(network, input); /* neither link was busy */
}

/* Each candidate chooses an input; of several that chose it, the input takes the next in turn. */
static uint32_t collect_offers(gpci_network *network, uint64_t at) {
    const uint32_t outputs = network->options.outputs;
    uint32_t offered = 0;
    for (uint32_t word = 0; word < network->out_words; word++) {
        network->candidates[word] &= network->open[word];
        for (uint64_t bits = network->candidates[word]; bits; bits &= bits - 1) {
            uint32_t output = word * 64 + gpci_lowest(bits);
            uint32_t input = has_room(network, output, at) ? choose(network, output, at) : network->options.inputs;
            if (input == network->options.inputs) {
                gpci_clear_bit(network->candidates, output);
                continue;
            }
            gpci_network_input *port = &network->inputs[input];
            uint32_t other = port->offer, refused = output;
            if (other == outputs)
                network->offered[offered++] = input;
            /* outputs come in ascending order, so that only one beyond the pointer can overtake */
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
static void match(gpci_network *network, uint64_t at) {
    network->matchings++;
    for (uint32_t offered; (offered = collect_offers(network, at));)
        for (uint32_t i = 0; i < offered; i++) {
            uint32_t input = network->offered[i], output = network->inputs[input].offer;
            network->inputs[input].offer = network->options.outputs;
            cross(network, input, output, at);
        }
}

/* Links that are free from network cycle `at` on. */
static void release_links(gpci_network *network, uint64_t at) {
    for (uint32_t word = 0; word < network->out_words; word++)
        for (uint64_t bits = network->released[word]; bits; bits &= bits - 1) {
            uint32_t output = word * 64 + gpci_lowest(bits);
            gpci_network_output *port = &network->outputs[output];
            if (port->ready > at)
                continue;
            gpci_clear_bit(network->released, output);
            gpci_clear_bit(network->linked, output);
            gpci_clear_bit(network->sending, port->input);
            if (port->count < network->output_room)
                gpci_set_bit(network->open, output);
            gpci_set_bit(network->candidates, output);
            consider_input(network, port->input);
        }
}

/* The first network cycle of this turn in which a link comes free, at most `end`. */
static uint64_t first_release(const gpci_network *network, uint64_t end) {
    for (uint32_t word = 0; word < network->out_words; word++)
        for (uint64_t bits = network->released[word]; bits; bits &= bits - 1) {
            uint64_t ready = network->outputs[word * 64 + gpci_lowest(bits)].ready;
            end = ready < end ? ready : end;
        }
    return end;
}

/* The network cycles that have begun since the last core cycle, of which all but the last can be empty. */
static void turn(gpci_network *network) {
    const gpci_clock clock = network->options.clock;
    const uint64_t now = network->wheel->now, end = gpci_clock_own(clock, now);
    uint64_t at = end;
    network->turning = false;
    if (network->fast) {
        uint64_t first = now ? gpci_clock_own(clock, now - 1) + 1 : 0;
        at = any_bit(network->requested, network->out_words) ? first : first_release(network, end);
    }
    for (;;) {
        for (uint32_t word = 0; word < network->out_words; word++) {
            network->candidates[word] |= network->requested[word];
            network->requested[word] = 0;
        }
        release_links(network, at);
        match(network, at);
        if (at == end)
            return;
        at = first_release(network, end);
    }
}

void gpci_network_step(gpci_network *network, uint32_t output) {
    const uint32_t component = network->options.first_output + output;
    const gpci_network_output *port = &network->outputs[output];
    if (gpci_has_bit(network->linked, output)) {
        uint64_t core = gpci_clock_core(network->options.clock, port->ready);
        if (core <= network->wheel->now)
            gpci_set_bit(network->released, output);
        else
            gpci_wheel_wake(network->wheel, component, core); /* it was clamped to the wheel's span */
    }
    if (port->distant)
        gpci_network_announce(network, output);
    if (component == gpci_network_last_output(network))
        turn(network);
    else if (!network->turning) {
        network->turning = true;
        gpci_wheel_wake(network->wheel, gpci_network_last_output(network), network->wheel->now);
    }
}
