/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

#include <gpucache/events.h>

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
typedef enum side {
    L1S,
    NEAREST, /* clusters if present, otherwise slices */
    CLUSTERS,
    SLICES,
    CHANNELS,
    GPUS
} side;

typedef struct keys {
    gpci_key width, latency, input_room, output_room;
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

/* Places of a network's counters; or UNCOUNTED. */
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
    side senders, receivers;
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

static uint32_t clusters_of(const gpci_timed *t) {
    return gpci_class_of(GPCI_GROUP_CLUSTERS)->size(t, GPCI_GROUP_CLUSTERS).objects;
}

/* Number of parts at a side, and the number of the first. */
static uint32_t count_of(const gpci_timed *t, side s) {
    switch (s) {
    case L1S:
        return t->h->sms;
    case CHANNELS:
        return t->channels;
    case SLICES:
        return t->h->slices;
    case GPUS:
        return t->h->gpus > 1 ? t->h->gpus : 0;
    default:
        return s == CLUSTERS || clusters_of(t) ? clusters_of(t) : t->h->slices;
    }
}

static uint32_t first_of(const gpci_timed *t, side s) {
    switch (s) {
    case L1S:
        return t->groups[GPCI_GROUP_L1S].first;
    case CHANNELS:
        return t->groups[GPCI_GROUP_CHANNELS].first;
    case SLICES:
        return t->groups[GPCI_GROUP_SLICES].first;
    case GPUS:
        return t->groups[GPCI_GROUP_GPU_PORTS].first;
    default:
        return t->groups[s == CLUSTERS || clusters_of(t) ? GPCI_GROUP_CLUSTERS : GPCI_GROUP_SLICES].first;
    }
}

static bool is_there(const gpci_timed *t, const network_plan *p) {
    if (p->keys == &partition_keys)
        return t->h->partitions == 2 && (t->h->l2 || t->h->coherent); /* trees without an L2 have no such links */
    if (p->keys == &memory_keys)
        return gpci_number(t->h, GPCI_KEY_MEMORY_LINK_WIDTH) != 0;
    return count_of(t, p->senders) && count_of(t, p->receivers);
}

static gpci_group_size network_size(const gpci_timed *t, gpci_group_kind kind) {
    if (!is_there(t, &plans[kind]))
        return (gpci_group_size){0, 0};
    return (gpci_group_size){1, count_of(t, plans[kind].receivers)};
}

static uint32_t number(const gpci_timed *t, gpci_key key) {
    uint64_t value = gpci_number(t->h, key);
    return value >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)value;
}

/* Bytes of the largest packet if buffers are bytes or flits; otherwise 0. */
static uint32_t largest_packet(const gpci_timed *t) {
    const uint32_t l1 = t->h->l1_level.line_bytes, l2 = t->h->l2_level.line_bytes;
    return gpci_number(t->h, GPCI_KEY_NETWORK_UNIT) ? t->header + t->write_mask + (l1 > l2 ? l1 : l2) : 0;
}

/* Check that a buffer of bytes, or flits, holds every packet. */
static gpc_status check_room(const gpci_timed *t, gpci_key key, const gpci_network_options *o, gpc_error *error) {
    const uint64_t room = gpci_number(t->h, key);
    const uint32_t largest = o->flits ? (o->largest + o->width - 1) / o->width : o->largest;
    if (room >= largest)
        return GPC_OK;
    const char *unit = o->flits ? "flits" : "bytes";
    return gpci_fail(error, GPC_ERROR_RANGE,
                     "%s = %llu, with network.buffer_unit = %s, does not hold a packet of %u %s", gpci_key_name(key),
                     (unsigned long long)room, unit, largest, unit);
}

static gpc_status network_make(gpci_group *group, gpc_error *error) {
    gpci_timed *t = group->timed;
    const network_plan *p = &plans[group->kind];
    gpci_network_options o = {.inputs = count_of(t, p->senders),
                              .outputs = count_of(t, p->receivers),
                              .width = number(t, p->keys->width),
                              .latency = number(t, p->keys->latency),
                              .turnaround = p->keys->queues ? number(t, GPCI_KEY_NETWORK_TURNAROUND) : 0,
                              .input_room = gpci_number(t->h, p->keys->input_room),
                              .output_room = gpci_number(t->h, p->keys->output_room),
                              .largest = largest_packet(t),
                              .flits = gpci_number(t->h, GPCI_KEY_NETWORK_UNIT) == 2,
                              .queues = p->keys->queues ? (gpci_queues)gpci_number(t->h, GPCI_KEY_NETWORK_QUEUES)
                                                        : GPCI_QUEUES_FIFO,
                              .clock = t->network_clock,
                              .first_output = group->first,
                              .first_receiver = first_of(t, p->receivers),
                              .first_sender = first_of(t, p->senders),
                              .component = (uint8_t)p->component};
    gpc_status status = check_room(t, p->keys->input_room, &o, error);
    if (status == GPC_OK)
        status = check_room(t, p->keys->output_room, &o, error);
    if (status < 0)
        return status;
    gpci_network *network;
    status = gpci_network_create(t->context, &o, &t->pool, &t->wheel, error, &network);
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
    gpci_network_stats n = gpci_network_get_stats(group->self);
    (void)object;
    add(stats, at->packets, n.packets);
    add(stats, at->cycles, n.cycles);
    add(stats, at->bytes, n.bytes);
    add(stats, at->input_cycles, n.input_cycles);
    add(stats, at->output_cycles, n.output_cycles);
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

static void network_hold(const gpci_group *group, uint32_t object, gpci_holders *to) {
    (void)object;
    gpci_network_hold(group->self, group->timed->group_of, to);
}

const gpci_component_class gpci_network_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_NETWORK, network_size, network_make, network_destroy, gpci_network_step, NULL,
                         network_count, network_reset, network_state, network_hold);
