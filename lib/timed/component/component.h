/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COMPONENT_H
#define GPC_TIMED_COMPONENT_H

#include "timed/component/holders.h"

/*
 * Parts of a timed hierarchy, as a table.
 *
 * A component is a part stepped by the clock: an L1, an output of a network, a slice, a channel. It has a number on the
 * wheel (timed/component/clock.h). Components of a kind form a group with consecutive numbers. The class of a group is
 * a const struct of functions, all of them set. GPCI_GROUPS lists the groups; their order is the order of steps within
 * a cycle, which decides between components that want the same resource in a cycle.
 *
 * Example, 2 SMs, 1 slice, 1 channel, no links between:
 *
 *   number      0        1      2 and 3                      4 and 5  6 and 7  8
 *   component   channel  slice  outputs of the reply network L1s      SMs      output of the request network
 *
 * Counting, reset and reports work on objects of a group. Most components are an object each; a network is one object
 * with a component per output; L2 request coalescers and the host's memory are objects without steps.
 *
 * A component announces its next step to the wheel (gpci_wheel_wake); an early step does no harm. Hence the wheel knows
 * the next event: gpci_component_next.
 */

struct gpci_timed;
typedef struct gpci_component_class gpci_component_class;

/* X(name, class, name of an object in reports). Two groups with equal report names never exist together. */
#define GPCI_GROUPS(X)                                       \
    X(CONTROLLERS, engine, "controllers")                    \
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
    X(GL1S, gl1, "GL1")                                      \
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

/* A group of a hierarchy. A group without objects is absent, and the class is never called. */
typedef struct gpci_group {
    const gpci_component_class *class;
    struct gpci_timed *timed;
    /* functions of the class, copied here for speed */
    void (*step)(const struct gpci_group *group, uint32_t index);
    void (*expect)(const struct gpci_group *group, uint32_t index, unsigned pass);
    void *self;                 /* the class's own data: a network, an array of controllers */
    uint32_t first, components; /* numbers on the wheel; `first` is set even without components */
    uint32_t objects;
    uint32_t kind; /* gpci_group_kind */
} gpci_group;

/* Mover of a holder that waits for another holder of the same object. */
GPCI_INLINE gpci_mover gpci_by_itself(const gpci_holders *holders) {
    return gpci_by_object(holders->group->kind, holders->object);
}

/*
 * Passes of gpci_component_class.expect. The first pass prefetches packets at the heads of queues. The next passes
 * prefetch the data that the packets name: MSHR rows and cache sets, then lines and in-flight accesses.
 */
#define GPCI_EXPECT_PASSES 3u

typedef struct gpci_group_size {
    uint32_t objects, components;
} gpci_group_size;

/* Scope of counters; an object's counters are a part of the hierarchy's. */
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
    /* Numbers of objects and components, from the configuration; may be 0. */
    gpci_group_size (*size)(const struct gpci_timed *t, gpci_group_kind kind);
    /* Make the objects; component numbers of all groups are known. After a failure, `destroy` is called. */
    gpc_status (*make)(gpci_group *group, gpc_error *error);
    void (*destroy)(gpci_group *group);
    /* Step component `index` of the group. The step may come before work is due. */
    void (*step)(const gpci_group *group, uint32_t index);
    /* Prefetch the simulator's data for the next step into the CPU's cache, once per pass. NULL: not worthwhile. */
    void (*expect)(const gpci_group *group, uint32_t index, unsigned pass);
    /* Add the counts of object `object`, up to now, to a hierarchy's counters. */
    void (*count)(const gpci_group *group, uint32_t object, gpc_stats *stats);
    /* Reset the object's counters, now. */
    void (*reset)(const gpci_group *group, uint32_t object, uint64_t now);
    /*
     * Pass all memory with state and counters of the object to `visit`, for a snapshot. Called between cycles. Memory
     * of another owner (the cache of a controller) is passed by the owner. Pass no pointers: in a struct, pointers
     * come first, and the passed memory begins after the pointers. Pass the length of a list before the list: when
     * loading, the sizes then match, even if the list has more room. If you add a field that steps change, pass the
     * field, too. A growing array must be enlarged before loading (timed_archive.c). tests/hierarchy/snapshots.c
     * detects forgotten fields if one of the configurations uses the fields.
     */
    void (*state)(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data);
    /* Declare the holders of an object (holders.h). Called between cycles. */
    void (*hold)(const gpci_group *group, uint32_t object, gpci_holders *to);
};

/* A class with all functions; a missing function does not compile. */
#define GPCI_COMPONENT_CLASS(its_scope, size_, make_, destroy_, step_, expect_, count_, reset_, state_, hold_) \
    {                                                                                                          \
        .scope = (its_scope), .size = (size_), .make = (make_), .destroy = (destroy_), .step = (step_),        \
        .expect = (expect_), .count = (count_), .reset = (reset_), .state = (state_), .hold = (hold_)          \
    }

/* Functions without effect. */
void gpci_step_nothing(const gpci_group *group, uint32_t index);
void gpci_count_nothing(const gpci_group *group, uint32_t object, gpc_stats *stats);
void gpci_reset_nothing(const gpci_group *group, uint32_t object, uint64_t now);
void gpci_state_nothing(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data);
void gpci_hold_nothing(const gpci_group *group, uint32_t object, gpci_holders *holders);

extern const gpci_component_class gpci_engine_class, gpci_channel_class, gpci_coherent_channel_class,
    gpci_host_memory_class, gpci_network_class, gpci_slice_class, gpci_coherent_slice_class, gpci_cluster_class,
    gpci_l1_class, gpci_coherent_l1_class, gpci_sm_class, gpci_coalescer_class, gpci_gpu_port_class, gpci_tlb_class,
    gpci_port_class, gpci_l15_class, gpci_gl1_class;

/* Class table, by gpci_group_kind. */
const gpci_component_class *gpci_class_of(gpci_group_kind kind);
const char *gpci_group_name(gpci_group_kind kind);

/* components.c: all groups of a hierarchy. */
/* Number all components and make all objects. After a failure, call gpci_groups_destroy. */
gpc_status gpci_groups_make(struct gpci_timed *timed, gpc_error *error);
void gpci_groups_destroy(struct gpci_timed *timed);
/* Count the objects of one SM; gpci_groups_count_rest: all other objects. */
void gpci_groups_count_sm(const struct gpci_timed *timed, uint32_t sm, gpc_stats *stats);
void gpci_groups_count_rest(const struct gpci_timed *timed, gpc_stats *stats);
void gpci_groups_reset(struct gpci_timed *timed, uint64_t now);
void gpci_groups_state(const struct gpci_timed *timed, gpci_state_fn visit, void *user_data);
/* clock.c: cycle of a component's next step; or GPCI_NEVER. */
uint64_t gpci_component_next(const struct gpci_timed *timed, uint32_t number);

#endif
