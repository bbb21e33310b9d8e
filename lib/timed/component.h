/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COMPONENT_H
#define GPC_TIMED_COMPONENT_H

#include "timed/holders.h"

/*
 * The parts of a timed hierarchy, as a table.
 *
 * A component is a part that the clock steps: an L1, an output of a network, a slice, a channel. It has a number on the
 * wheel (timed/wheel.h). Those that are alike are a group: their numbers follow one another. What a group does is its
 * class: one const struct of functions, all or none. GPCI_GROUPS lists the groups; its order is the order in which the
 * components of a cycle are stepped, which decides who comes first where two want the same thing in one cycle.
 *
 * Example, 2 SMs, 1 slice, 1 channel, no links between:
 *
 *   number      0        1      2 and 3                      4 and 5  6 and 7  8
 *   component   channel  slice  outputs of the reply network L1s      SMs      output of the request network
 *
 * What is counted, reset and reported is an object of a group. Most components are one object each; a network is one
 * object with a component for each output; L2 request coalescers and the host's memory are objects that are not
 * stepped, for others call them.
 *
 * When a component has something to do next is not asked of it: it tells the wheel (gpci_wheel_wake), and being stepped
 * early is harmless. So its next event is the wheel's to say: gpci_component_next.
 */

struct gpci_timed;
typedef struct gpci_component_class gpci_component_class;

/* X(name, class, what an object of it is called in reports). Two groups of one name are never there at once. */
#define GPCI_GROUPS(X)                                       \
    X(CONTROLLERS, controllers, "controllers")               \
    X(CHANNELS, channel, "memory channel")                   \
    X(COHERENT_CHANNELS, coherent_channel, "memory channel") \
    X(HOST_MEMORY, host_memory, "host memory channel")       \
    X(GPU_PORTS, gpu_port, "GPU link port")                  \
    X(MEMORY_REPLIES, network, "memory reply link")          \
    X(PARTITION_REPLIES, network, "partition reply link")    \
    X(SLICES, slice, "L2 slice")                             \
    X(COHERENT_SLICES, coherent_slice, "L2 slice")           \
    X(CLUSTER_REPLIES, network, "cluster reply network")     \
    X(CLUSTERS, cluster, "cluster cache")                    \
    X(REPLIES, network, "reply network")                     \
    X(L15S, l15, "L1.5")                                     \
    X(L1S, l1, "L1")                                         \
    X(COHERENT_L1S, coherent_l1, "L1")                       \
    X(SMS, sm, "SM")                                         \
    X(TLBS, tlb, "L2 TLB")                                   \
    X(COALESCERS, coalescer, "L2 request coalescers")        \
    X(REQUESTS, network, "request network")                  \
    X(PARTITION_REQUESTS, network, "partition request link") \
    X(MEMORY_REQUESTS, network, "memory request link")       \
    X(CLUSTER_REQUESTS, network, "cluster request network")  \
    X(GPU_LINKS, network, "GPU link")                        \
    X(PORTS, port, "port")

typedef enum gpci_group_kind {
#define X(name, class, text) GPCI_GROUP_##name,
    GPCI_GROUPS(X)
#undef X
        GPCI_GROUP_COUNT
} gpci_group_kind;

/* A group of one hierarchy. Without objects it is not there, and nothing of its class is called. */
typedef struct gpci_group {
    const gpci_component_class *class;
    struct gpci_timed *timed;
    /* of its class, which the clock has closer at hand here */
    void (*step)(const struct gpci_group *group, uint32_t index);
    void (*expect)(const struct gpci_group *group, uint32_t index, unsigned pass);
    void *self;                 /* the class's own: a network */
    uint32_t first, components; /* numbers on the wheel; `first` is that of its place, even where there are none */
    uint32_t objects;
    uint32_t kind; /* gpci_group_kind */
} gpci_group;

/* What a pass fetches leads the next one further: from queues to packets, to what these ask for, to where that is. */
#define GPCI_EXPECT_PASSES 3u

typedef struct gpci_group_size {
    uint32_t objects, components;
} gpci_group_size;

/* What counters are of, one by one: of an object's they are the object's part of the hierarchy's. */
typedef enum gpci_scope {
    GPCI_SCOPE_HIERARCHY = 0,
    GPCI_SCOPE_SM = 1,
    GPCI_SCOPE_CLUSTER = 2,
    GPCI_SCOPE_NETWORK = 3,
    GPCI_SCOPE_SLICE = 4,
    GPCI_SCOPE_CHANNEL = 5
} gpci_scope;

struct gpci_component_class {
    gpci_scope scope;
    /* How many a hierarchy has, from its configuration; no objects: none. */
    gpci_group_size (*size)(const struct gpci_timed *t, gpci_group_kind kind);
    /* Its objects; every group's numbers are known. What a failure leaves is destroyed. */
    gpc_status (*make)(gpci_group *group, gpc_error *error);
    void (*destroy)(gpci_group *group);
    /* Component `index` of the group is due, or is stepped for nothing. */
    void (*step)(const gpci_group *group, uint32_t index);
    /* The processor's own caches fetch what the next step will look at: once a pass; NULL: nothing worth it. */
    void (*expect)(const gpci_group *group, uint32_t index, unsigned pass);
    /* Add what object `object` has counted, up to now, to a hierarchy's counters. */
    void (*count)(const gpci_group *group, uint32_t object, gpc_stats *stats);
    /* Its counters begin anew, now. */
    void (*reset)(const gpci_group *group, uint32_t object, uint64_t now);
    /*
     * Name every stretch of memory that holds what the object does and has counted, for a snapshot. Between cycles.
     * What other objects own (its cache) is theirs to name. No addresses: in a struct that has some, they come first,
     * and it is named from the field behind them on. What there are many of is named after how many there are: so,
     * copied back in while they are named, the stretches are those that were copied out, though there may be more by
     * then. Whoever adds a field that steps change adds it here; one that can grow has to be there before it is named:
     * timed_archive.c. tests/hierarchy/snapshots.c sees what is forgotten where a configuration of its uses it.
     */
    void (*state)(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data);
    /* Declare the holders of an object (holders.h). Between cycles. */
    void (*hold)(const gpci_group *group, uint32_t object, gpci_holders *to);
};

/* A class, of all its functions: one that lacks any does not compile. */
#define GPCI_COMPONENT_CLASS(its_scope, size_, make_, destroy_, step_, expect_, count_, reset_, state_, hold_) \
    {                                                                                                          \
        .scope = (its_scope), .size = (size_), .make = (make_), .destroy = (destroy_), .step = (step_),        \
        .expect = (expect_), .count = (count_), .reset = (reset_), .state = (state_), .hold = (hold_)          \
    }

/* Where there is nothing to do, said so. */
void gpci_step_nothing(const gpci_group *group, uint32_t index);
void gpci_count_nothing(const gpci_group *group, uint32_t object, gpc_stats *stats);
void gpci_reset_nothing(const gpci_group *group, uint32_t object, uint64_t now);
void gpci_state_nothing(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data);
void gpci_hold_nothing(const gpci_group *group, uint32_t object, gpci_holders *to);

extern const gpci_component_class gpci_controllers_class, gpci_channel_class, gpci_coherent_channel_class,
    gpci_host_memory_class, gpci_network_class, gpci_slice_class, gpci_coherent_slice_class, gpci_cluster_class,
    gpci_l1_class, gpci_coherent_l1_class, gpci_sm_class, gpci_coalescer_class, gpci_gpu_port_class, gpci_tlb_class,
    gpci_port_class, gpci_l15_class;

/* The table, by gpci_group_kind. */
const gpci_component_class *gpci_class_of(gpci_group_kind kind);
const char *gpci_group_name(gpci_group_kind kind);

/* components.c: all groups of a hierarchy. */
/* Number all components, and make all objects. What a failure leaves is destroyed by gpci_groups_destroy. */
gpc_status gpci_groups_make(struct gpci_timed *t, gpc_error *error);
void gpci_groups_destroy(struct gpci_timed *t);
/* One SM's objects; or all that are no SM's. */
void gpci_groups_count_sm(const struct gpci_timed *t, uint32_t sm, gpc_stats *stats);
void gpci_groups_count_rest(const struct gpci_timed *t, gpc_stats *stats);
void gpci_groups_reset(struct gpci_timed *t, uint64_t now);
void gpci_groups_state(const struct gpci_timed *t, gpci_state_fn visit, void *user_data);
/* engine.c: the cycle at which a component is to be stepped next; GPCI_NEVER. */
uint64_t gpci_component_next(const struct gpci_timed *t, uint32_t number);

#endif
