/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network/network.h"

/* Creation of a network. */

/* Bitmaps lie in one block of memory. */
static bool create_bitmaps(gpci_network *network) {
    const size_t in = network->in_words, out = network->out_words;
    const size_t requests = network->options.outputs * in;
    const size_t wanted = network->virtual_queues ? network->options.inputs * out : 0;
    network->word_count = requests + wanted + in + (5 + GPCI_NETWORK_SPAN) * out;
    network->words = gpci_zalloc(network->context, network->word_count, sizeof *network->words);
    if (!network->words)
        return false;
    network->requests = network->words;
    network->wanted = network->requests + requests;
    network->sending = network->wanted + wanted;
    network->open = network->sending + in;
    network->linked = network->open + out;
    network->released = network->linked + out;
    network->requested = network->released + out;
    network->candidates = network->requested + out;
    network->releases = network->candidates + out;
    return true;
}

/* A buffer of length 0 still holds one packet, in the latch of the port. */
static uint32_t room_of(uint64_t capacity) {
    return capacity >= GPCI_UNLIMITED ? GPCI_UNLIMITED : capacity ? (uint32_t)capacity : 1;
}

static bool create_ports(gpci_network *network) {
    const uint32_t inputs = network->options.inputs, outputs = network->options.outputs;
    const size_t lanes = network->virtual_queues ? (size_t)inputs * outputs : inputs;
    network->inputs = gpci_zalloc(network->context, inputs, sizeof *network->inputs);
    network->outputs = gpci_zalloc(network->context, outputs, sizeof *network->outputs);
    network->arrivals = gpci_zalloc(network->context, outputs, sizeof *network->arrivals);
    network->lanes = gpci_zalloc(network->context, lanes, sizeof *network->lanes);
    network->offered = gpci_zalloc(network->context, inputs, sizeof *network->offered);
    if (!network->inputs || !network->outputs || !network->arrivals || !network->lanes || !network->offered ||
        !create_bitmaps(network))
        return false;
    for (uint32_t i = 0; i < inputs; i++) {
        network->inputs[i].room.capacity = room_of(network->options.input_capacity);
        network->inputs[i].offer = outputs;
    }
    for (uint32_t i = 0; i < outputs; i++) {
        network->outputs[i].room.capacity = room_of(network->options.output_capacity);
        network->outputs[i].buffer.first = GPCI_NO_PACKET;
        network->arrivals[i] = GPCI_NEVER;
        gpci_bit_set(network->open, i);
    }
    for (size_t i = 0; i < lanes; i++)
        network->lanes[i].first = GPCI_NO_PACKET;
    return true;
}

gpc_status gpci_network_create(gpc_context *context, const gpci_network_options *options, gpci_pool *pool,
                               gpci_wheel *wheel, gpc_error *error, gpci_network **out) {
    gpci_network *network = gpci_zalloc(context, 1, sizeof *network);
    *out = NULL;
    if (!network)
        return gpci_out_of_memory(error);
    network->context = context;
    network->pool = pool;
    network->wheel = wheel;
    network->options = *options;
    network->virtual_queues = options->queues == GPCI_QUEUES_VIRTUAL;
    network->link = (gpci_link){.width = gpci_divisor_of(options->width),
                                .latency = options->latency,
                                .turnaround = options->turnaround,
                                .unit = options->flits     ? GPCI_ROOM_FLITS
                                        : options->largest ? GPCI_ROOM_BYTES
                                                           : GPCI_ROOM_MESSAGES};
    network->largest = gpci_link_room(&network->link, options->largest);
    network->in_words = (options->inputs + 63) / 64;
    network->out_words = (options->outputs + 63) / 64;
    network->fast = options->clock.own > options->clock.core || options->turnaround;
    network->simple = network->link.unit == GPCI_ROOM_MESSAGES && !network->fast;
    if (!create_ports(network)) {
        gpci_network_destroy(network);
        return gpci_out_of_memory(error);
    }
    gpci_network_reset_stats(network);
    *out = network;
    return GPC_OK;
}

void gpci_network_destroy(gpci_network *network) {
    if (!network)
        return;
    gpci_free(network->context, network->inputs);
    gpci_free(network->context, network->outputs);
    gpci_free(network->context, network->arrivals);
    gpci_free(network->context, network->lanes);
    gpci_free(network->context, network->offered);
    gpci_free(network->context, network->words);
    gpci_free(network->context, network);
}

void gpci_network_state(gpci_network *network, gpci_state_fn visit, void *user_data) {
    const uint32_t inputs = network->options.inputs, outputs = network->options.outputs;
    const size_t lanes = network->virtual_queues ? (size_t)inputs * outputs : inputs;
    visit(user_data, network->inputs, inputs * sizeof *network->inputs);
    visit(user_data, network->outputs, outputs * sizeof *network->outputs);
    visit(user_data, network->arrivals, outputs * sizeof *network->arrivals);
    visit(user_data, network->lanes, lanes * sizeof *network->lanes);
    visit(user_data, network->words, network->word_count * sizeof *network->words);
    GPCI_STATE_FROM(visit, user_data, gpci_network, network, releasing);
}
