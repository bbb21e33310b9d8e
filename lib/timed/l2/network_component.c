/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

#include <gpucache/ext/observe.h>
#include <gpucache/ext/policies.h>

#include <stddef.h>

/*
 * The networks of a hierarchy, a group per network: connected parts, keys, counters, names in events. A further network
 * needs a row here and a row in GPCI_GROUPS.
 *
 *  L1s -- request, reply -- slices              without clusters
 *  L1s -- request, reply -- clusters -- cluster request, cluster reply -- slices
 *  slices of a partition -- partition request, reply -- slices of the other
 *  slices -- memory request, reply -- channels
 *  GPUs -- GPU link -- GPUs
 */

/* Parts of a hierarchy at a side of a network. */
typedef enum endpoint {
    L1S,
    NEAREST, /* clusters if present, otherwise slices */
    CLUSTERS,
    SLICES,
    CHANNELS,
    GPUS
} endpoint;

typedef struct keys {
    gpci_key width, latency, input_capacity, output_capacity;
    bool queues; /* arranged by network.queues, with the turnaround of network.turnaround */
} keys;

static const keys request_keys = {GPCI_KEY_NETWORK_WIDTH, GPCI_KEY_NETWORK_LATENCY, GPCI_KEY_NETWORK_INPUT,
                                  GPCI_KEY_NETWORK_OUTPUT, true};
static const keys reply_keys = {GPCI_KEY_NETWORK_REPLY_WIDTH, GPCI_KEY_NETWORK_LATENCY, GPCI_KEY_NETWORK_INPUT,
                                GPCI_KEY_NETWORK_OUTPUT, true};
static const keys partition_keys = {GPCI_KEY_L2_LINK_WIDTH, GPCI_KEY_L2_LINK_LATENCY, GPCI_KEY_L2_LINK_BUFFER,
                                    GPCI_KEY_L2_LINK_BUFFER, false};
static const keys memory_keys = {GPCI_KEY_MEMORY_LINK_WIDTH, GPCI_KEY_MEMORY_LINK_LATENCY, GPCI_KEY_MEMORY_LINK_BUFFER,
                                 GPCI_KEY_MEMORY_LINK_BUFFER, false};

static const keys gpu_keys = {GPCI_KEY_GPU_LINK_WIDTH, GPCI_KEY_GPU_LINK_LATENCY, GPCI_KEY_GPU_LINK_BUFFER,
                              GPCI_KEY_GPU_LINK_BUFFER, false};

/* Offsets of a network's counters in gpc_stats; or UNCOUNTED. */
typedef struct places {
    size_t packets, cycles, bytes, input_cycles, output_cycles;
} places;

#define UNCOUNTED SIZE_MAX
#define AT(field) offsetof(gpc_stats, field)

static const places request_places = {AT(network_requests), AT(network_request_cycles), AT(network_request_bytes),
                                      AT(network_input_cycles), AT(network_output_cycles)};
static const places reply_places = {AT(network_replies), AT(network_reply_cycles), AT(network_reply_bytes),
                                    AT(network_input_cycles), AT(network_output_cycles)};
static const places cluster_request_places = {AT(cluster_network_requests), AT(cluster_network_request_cycles),
                                              AT(cluster_network_request_bytes), AT(cluster_network_input_cycles),
                                              AT(cluster_network_output_cycles)};
static const places cluster_reply_places = {AT(cluster_network_replies), AT(cluster_network_reply_cycles),
                                            AT(cluster_network_reply_bytes), AT(cluster_network_input_cycles),
                                            AT(cluster_network_output_cycles)};
static const places link_places = {AT(link_packets), AT(link_cycles), AT(link_bytes), UNCOUNTED, UNCOUNTED};

/* Traffic between GPUs is counted at the sender (level/coherent/coherent_level.c), with or without a clock. */
static const places no_places = {UNCOUNTED, UNCOUNTED, UNCOUNTED, UNCOUNTED, UNCOUNTED};

typedef struct network_plan {
    endpoint senders, receivers;
    const keys *keys;
    const places *places;
    gpc_component component; /* for events */
} network_plan;

static const network_plan plans[GPCI_GROUP_COUNT] = {
    [GPCI_GROUP_REQUESTS] = {L1S, NEAREST, &request_keys, &request_places, GPC_COMPONENT_REQUESTS},
    [GPCI_GROUP_REPLIES] = {NEAREST, L1S, &reply_keys, &reply_places, GPC_COMPONENT_REPLIES},
    [GPCI_GROUP_CLUSTER_REQUESTS] = {CLUSTERS, SLICES, &request_keys, &cluster_request_places,
                                     GPC_COMPONENT_CLUSTER_REQUESTS},
    [GPCI_GROUP_CLUSTER_REPLIES] = {SLICES, CLUSTERS, &reply_keys, &cluster_reply_places,
                                    GPC_COMPONENT_CLUSTER_REPLIES},
    [GPCI_GROUP_PARTITION_REQUESTS] = {SLICES, SLICES, &partition_keys, &link_places, GPC_COMPONENT_PARTITION_REQUESTS},
    [GPCI_GROUP_PARTITION_REPLIES] = {SLICES, SLICES, &partition_keys, &link_places, GPC_COMPONENT_PARTITION_REPLIES},
    [GPCI_GROUP_MEMORY_REQUESTS] = {SLICES, CHANNELS, &memory_keys, &link_places, GPC_COMPONENT_MEMORY_REQUESTS},
    [GPCI_GROUP_MEMORY_REPLIES] = {CHANNELS, SLICES, &memory_keys, &link_places, GPC_COMPONENT_MEMORY_REPLIES},
    [GPCI_GROUP_GPU_LINKS] = {GPUS, GPUS, &gpu_keys, &no_places, GPC_COMPONENT_GPU_LINKS},
};

static uint32_t clusters_of(const gpci_timed *timed) {
    return gpci_class_of(GPCI_GROUP_CLUSTERS)->size(timed, GPCI_GROUP_CLUSTERS).objects;
}

/* Number of parts at an endpoint; first_of: number of the first part. */
static uint32_t count_of(const gpci_timed *timed, endpoint s) {
    switch (s) {
    case L1S:
        return timed->hierarchy->sms;
    case CHANNELS:
        return timed->channels;
    case SLICES:
        return timed->hierarchy->slices;
    case GPUS:
        return gpci_has_gpu_links(timed->hierarchy) ? timed->hierarchy->gpus : 0;
    default:
        return s == CLUSTERS || clusters_of(timed) ? clusters_of(timed) : timed->hierarchy->slices;
    }
}

static uint32_t first_of(const gpci_timed *timed, endpoint s) {
    switch (s) {
    case L1S:
        return timed->groups[GPCI_GROUP_L1S].first;
    case CHANNELS:
        return timed->groups[GPCI_GROUP_CHANNELS].first;
    case SLICES:
        return timed->groups[GPCI_GROUP_SLICES].first;
    case GPUS:
        return timed->groups[GPCI_GROUP_GPU_PORTS].first;
    default:
        return timed->groups[s == CLUSTERS || clusters_of(timed) ? GPCI_GROUP_CLUSTERS : GPCI_GROUP_SLICES].first;
    }
}

static bool is_there(const gpci_timed *timed, const network_plan *layout) {
    if (layout->keys == &partition_keys)
        return timed->hierarchy->partitions == 2 && !timed->hierarchy->homeless &&
               (timed->hierarchy->l2 || timed->hierarchy->coherent); /* trees without an L2 have no such links */
    if (layout->keys == &memory_keys)
        return gpci_number(timed->hierarchy, GPCI_KEY_MEMORY_LINK_WIDTH) != 0;
    return count_of(timed, layout->senders) && count_of(timed, layout->receivers);
}

static gpci_group_size network_size(const gpci_timed *timed, gpci_group_kind kind) {
    if (!is_there(timed, &plans[kind]))
        return (gpci_group_size){0, 0};
    return (gpci_group_size){1, count_of(timed, plans[kind].receivers)};
}

static uint32_t number(const gpci_timed *timed, gpci_key key) {
    uint64_t value = gpci_number(timed->hierarchy, key);
    return value >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)value;
}

/* Bytes of the largest packet if buffers are bytes or flits; otherwise 0. */
static uint32_t largest_packet(const gpci_timed *timed) {
    const uint32_t l1 = timed->hierarchy->l1_level.line_bytes, l2 = timed->hierarchy->l2_level.line_bytes;
    return gpci_number(timed->hierarchy, GPCI_KEY_NETWORK_UNIT)
               ? timed->header + timed->write_mask + (l1 > l2 ? l1 : l2)
               : 0;
}

/* Check that a buffer of bytes, or flits, holds every packet. */
static gpc_status check_room(const gpci_timed *timed, gpci_key key, const gpci_network_options *options,
                             gpc_error *error) {
    const uint64_t room = gpci_number(timed->hierarchy, key);
    const uint32_t largest =
        options->flits ? (options->largest + options->width - 1) / options->width : options->largest;
    if (room >= largest)
        return GPC_OK;
    const char *unit = options->flits ? "flits" : "bytes";
    return gpci_fail(error, GPC_ERROR_RANGE,
                     "%s = %llu, with network.buffer_unit = %s, does not hold a packet of %u %s", gpci_key_name(key),
                     (unsigned long long)room, unit, largest, unit);
}

static gpc_status network_make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    const network_plan *layout = &plans[group->kind];
    gpci_network_options options = {.inputs = count_of(timed, layout->senders),
                                    .outputs = count_of(timed, layout->receivers),
                                    .width = number(timed, layout->keys->width),
                                    .latency = number(timed, layout->keys->latency),
                                    .turnaround = layout->keys->queues ? number(timed, GPCI_KEY_NETWORK_TURNAROUND) : 0,
                                    .input_capacity = gpci_number(timed->hierarchy, layout->keys->input_capacity),
                                    .output_capacity = gpci_number(timed->hierarchy, layout->keys->output_capacity),
                                    .largest = largest_packet(timed),
                                    .flits = gpci_number(timed->hierarchy, GPCI_KEY_NETWORK_UNIT) == 2,
                                    .queues = layout->keys->queues
                                                  ? (gpci_queues)gpci_number(timed->hierarchy, GPCI_KEY_NETWORK_QUEUES)
                                                  : GPCI_QUEUES_FIFO,
                                    .clock = timed->network_clock,
                                    .first_output = group->first,
                                    .first_receiver = first_of(timed, layout->receivers),
                                    .first_sender = first_of(timed, layout->senders),
                                    .component = (uint8_t)layout->component};
    gpc_status status = check_room(timed, layout->keys->input_capacity, &options, error);
    if (status == GPC_OK)
        status = check_room(timed, layout->keys->output_capacity, &options, error);
    if (status < 0)
        return status;
    gpci_network *network;
    status = gpci_network_create(timed->context, &options, &timed->pool, &timed->wheel, error, &network);
    group->self = network;
    return status;
}

static void network_destroy(gpci_group *group) {
    gpci_network_destroy(group->self);
}

static void add(gpc_stats *stats, size_t place, uint64_t count) {
    if (place != UNCOUNTED)
        *(uint64_t *)(void *)((char *)stats + place) += count;
}

static void network_count(const gpci_group *group, uint32_t object, gpc_stats *stats) {
    const places *at = plans[group->kind].places;
    gpci_network_stats network_stats = gpci_network_get_stats(group->self);
    (void)object;
    add(stats, at->packets, network_stats.packets);
    add(stats, at->cycles, network_stats.cycles);
    add(stats, at->bytes, network_stats.bytes);
    add(stats, at->input_cycles, network_stats.input_cycles);
    add(stats, at->output_cycles, network_stats.output_cycles);
}

static void network_reset(const gpci_group *group, uint32_t object, uint64_t now) {
    (void)object;
    (void)now;
    gpci_network_reset_stats(group->self);
}

static void network_state(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data) {
    (void)object;
    gpci_network_state(group->self, visit, user_data);
}

static void network_hold(const gpci_group *group, uint32_t object, gpci_holders *holders) {
    (void)object;
    gpci_network_hold(group->self, group->timed->group_of, holders);
}

const gpci_component_class gpci_network_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_NETWORK, network_size, network_make, network_destroy, gpci_network_step, NULL,
                         network_count, network_reset, network_state, network_hold);
