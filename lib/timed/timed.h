/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_TIMED_H
#define GPC_TIMED_TIMED_H

#include "cache/cache.h"
#include "dram/dram.h"
#include "level/cache_lines.h"
#include "level/level_rules.h"
#include "level/warp_access.h"
#include "timed/coalescer.h"
#include "timed/component.h"
#include "timed/network.h"
#include "timed/reorder.h"
#include "timed/sm_front_end.h"

/*
 * The hierarchy with a clock: stages (L1s and L2 slices: a cache, its MSHRs, its
 * ports and queues), networks between them, memory channels below. A packet is in
 * one place at a time; what blocks it wakes it.
 *
 * Nothing can lock up: a reply is always taken by whom it is for, a channel always
 * drains, and what comes from the other partition needs nothing but its home slice's channel.
 */

/* An accepted warp instruction, or request of gpc_hierarchy_try_miss. */
typedef struct gpci_flight {
    uint64_t token, issued;
    uint64_t due; /* core cycle at which its last hit's data are there */
    uint32_t sm, warp;
    uint32_t left; /* lines that are not done */
    uint32_t next; /* free, or in an L1's list of those that become due */
    uint8_t kind, level;
    bool framed; /* from an SM of this library */
    struct {     /* for the trace of events; id 0: the rest is undefined */
        uint64_t id, pc, address;
        uint32_t block;
    } trace;
} gpci_flight;

/*
 * A bucket of an MSHR table: its first entry's line beside the leader, so that most searches touch no packet. Entries
 * are chained through their packets, for they leave one by one, which those of a gpci_map cannot.
 */
typedef struct gpci_mshr_bucket {
    uint64_t line;   /* number */
    uint32_t leader; /* GPCI_NO_PACKET: empty; further ones are chained through the packets */
} gpci_mshr_bucket;

/* Misses in flight, by line. */
typedef struct gpci_mshr {
    gpci_mshr_bucket *buckets;
    uint32_t mask;
    uint32_t used[2]; /* entries: of lines homed here, and in the other partition */
    gpci_gauge gauge;
} gpci_mshr;

/* Where a packet at the tags stands, between its lookup and its way on. */
typedef struct gpci_tag_access {
    gpc_access_result result;
    gpci_view view;   /* the request in terms of the stage's cache */
    uint64_t since;   /* core cycle from which it has been held up */
    uint8_t reason;   /* gpc_busy */
    uint8_t relieved; /* bit per gpc_busy: something of that came free since it was last tried */
    uint8_t asked;    /* bit per gpc_busy: the predictor has been asked whether a load held up for it goes past L1 */
    uint8_t passes;   /* likewise: and it does */
    uint8_t flying;   /* as found by the lookup: needed segments that its line's MSHR entry has in flight */
    uint32_t leader;  /* likewise: that entry; GPCI_NO_PACKET */
    bool fresh;       /* `leader` still holds: nothing has happened since the lookup */
    bool looked;      /* lookup done */
    bool reserved;    /* reserve done, or not needed */
    bool declined;    /* the replacement policy would give up no line for it */
} gpci_tag_access;

/* What came of a packet at the tags. */
typedef enum gpci_verdict {
    GPCI_SERVED = 0,  /* nothing more to wait for */
    GPCI_WAITING = 1, /* with an MSHR entry */
    GPCI_BLOCKED = 2
} gpci_verdict;

/* A level's resources. */
typedef struct gpci_stage_options {
    uint32_t latency, ports, banks, data_width, fill_width; /* cycles and bytes of the stage's clock */
    uint64_t entries, merges;
    bool on_miss;
    bool part; /* L1: what bypasses fetches just the segments that it needs, not all of its sectors */
    gpci_clock clock;
} gpci_stage_options;

typedef struct gpci_stage_counts {
    uint64_t failures[GPC_BUSY_COUNT], stalls[GPC_BUSY_COUNT];
    uint64_t passed[GPC_BUSY_COUNT]; /* L1: loads that would have been held up, and went past it */
    uint64_t bank_failures;
} gpci_stage_counts;

struct gpci_fetch_request;

/*
 * What an L1 and an L2 slice do differently as stages; the rest is in stage.c, for both. Each stage of caches has one
 * of the two tables; coherent modules, whose packets pass their own way, look at none of it.
 */
typedef struct gpci_stage_rules {
    /* `waiter` has an MSHR entry and lacks segments of its line: send for them. */
    void (*send)(struct gpci_timed *t, struct gpci_stage *stage, const struct gpci_fetch_request *asked);
    /* A dirty line leaves the cache. */
    void (*evicted)(struct gpci_timed *t, struct gpci_stage *stage, const gpc_eviction *eviction);
    /* A packet that waited at an MSHR entry has its data. */
    void (*released)(struct gpci_timed *t, struct gpci_stage *stage, uint32_t packet, uint8_t level);
    /* A packet at the tags lacks `reason`: it is held up, or it goes another way. `leader`: its line's MSHR entry. */
    gpci_verdict (*hold_up)(struct gpci_timed *t, struct gpci_stage *stage, uint32_t packet, gpci_tag_access *held,
                            uint32_t leader, gpc_busy reason);
    /* The cache had no way for sectors of a read: they have passed it by. */
    void (*passed_by)(struct gpci_stage *stage, uint8_t sectors);
} gpci_stage_rules;

typedef struct gpci_stage {
    const gpci_stage_rules *rules;
    /* L1: packets are about the stage's own lines, their address and segments; of an L2 slice their requests alone. */
    bool own_lines;
    bool loads_go;            /* L1: a load that misses goes below itself, and leaves behind who waits for it */
    gpc_cache *cache;         /* NULL: everything passes */
    const gpci_level *line;   /* its segments and sectors */
    struct gpci_timed *timed; /* that it belongs to */
    const gpci_stage_options *options;
    uint32_t component;
    /* Networks; NULL: none. From above, for a cluster or a slice; */
    gpci_network *requests_in, *replies_out;
    /* to below, for an L1, a cluster, or a slice with a link to its channels; */
    gpci_network *requests_out, *replies_in;
    /* to the slices of the other partition and from them. */
    gpci_network *peer_requests, *peer_replies;
    gpci_lrc *coalescer; /* of an L1, before its network; NULL: none */
    uint32_t index;      /* SM, or slice over both partitions */
    uint8_t level;       /* 1 or 2 */
    gpci_mshr mshr;
    gpci_tag_access held[2]; /* of the requests from above, and of those from the other partition */
    gpci_queue in;           /* before the tags */
    gpci_queue out;          /* miss queue: to the network, or to memory */
    gpci_queue link;         /* L2: to the other partition */
    gpci_queue served;       /* L2: data on their way to the reply network */
    gpci_queue fills;        /* L2: data from memory; L1: data that another SM's read brought along */
    gpci_queue returned;     /* L2: what the other partition did for an SM of this one; coherent: requests held up */
    uint32_t link_at;        /* L2: the other partition's packet at the tags; GPCI_NO_PACKET */
    uint64_t tag_cycle;      /* own cycle in which ports and banks were last used */
    uint32_t ports_used;
    uint64_t banks_used;
    uint64_t data_free, fill_free; /* own cycles from which on the ports are free */
    uint64_t congested_since;      /* L2: the network's packet could not enter; GPCI_NEVER */
    uint64_t unsent_since;         /* L1: the miss queue's head waits for the network; GPCI_NEVER */
    gpci_stage_counts counts;
    uint64_t congested, unsent;
    bool memory_full; /* L2: its channel takes no more for now */
    /* L1 */
    gpci_reorder *reorder; /* between coalescer and tags; NULL: none */
    uint32_t waiting;      /* instructions before the tags, or before the reorder buffer */
    gpci_gauge waiting_gauge;
    bool refused, refused_miss;   /* has refused one since it last told that it is ready */
    uint8_t notified;             /* gpc_busy for which the SM of this library knows itself refused */
    uint32_t first_due, last_due; /* flights */
} gpci_stage;

/* Before a DRAM channel, or a channel of the host's memory. */
typedef struct gpci_memory_channel {
    gpci_network *requests_in, *replies_out; /* links to slices; NULL: slices put packets into the channel themselves */
    gpci_queue replies;                      /* before the link */
    uint32_t held;                           /* packet that waits for room in the channel; GPCI_NO_PACKET */
    uint32_t component;
    bool host_full; /* the host's memory refused, and has not said that it is ready */
    /* the host's memory has what a read asks for: gpci_channel_done, or a transaction's */
    void (*done)(struct gpci_timed *t, uint32_t packet);
} gpci_memory_channel;

typedef struct gpci_timed {
    gpc_hierarchy *h;
    gpc_context *context;
    gpci_wheel wheel;
    gpci_pool pool;
    gpci_flight *flights; /* [flight_room] */
    uint32_t flight_room, flight_fresh, flight_free;
    uint64_t in_flight;
    gpci_stage *l1; /* [sms] */
    gpci_stage *l2; /* [slices] */
    gpci_stage_options l1_options, l2_options;
    gpci_reorder_options reorder_options;
    gpci_clock network_clock, dram_clock;
    gpci_stage *clusters; /* [clusters] of SMs, coherent */
    gpci_stage_options cluster_options;
    struct gpci_transactions
        *transactions; /* coherent: those under way; NULL: L1s and slices are caches of their own */
    gpc_dram *dram;
    uint32_t channels, slices_per_channel, channels_per_slice, burst;
    uint64_t interleave_bytes;
    gpci_memory_channel *memory; /* [channels] */
    uint32_t header, rop_latency, l1_queue;
    uint32_t bypass_room; /* packets beyond L1's miss queue, for loads that go past it because it is full */
    gpci_group groups[GPCI_GROUP_COUNT];
    uint8_t *group_of;               /* [components] gpci_group_kind */
    uint32_t expect_from, expect_to; /* components whose steps are expected, and others between them */
    gpci_trace *trace;               /* the hierarchy's */
    gpc_hierarchy_callbacks callbacks;
    gpci_sm_front_end front;
    gpc_status failed; /* a policy chose an impossible victim, or a protocol has no rule */
    gpc_error error;   /* what a protocol says of it */
    uint64_t accepted, completed;
    uint64_t memory_ids;   /* given to the host's memory so far */
    uint64_t progress;     /* core cycle of the last completion or acceptance */
    uint64_t counted_from; /* core cycle since which statistics count */
} gpci_timed;

/* timed_build.c */
gpc_status gpci_timed_create(gpc_hierarchy *h, gpc_error *error);
void gpci_timed_destroy(gpci_timed *t);
/* All that a timed hierarchy is doing, but for what its caches hold (gpci_component_class.state). */
void gpci_timed_state(gpci_timed *t, gpci_state_fn visit, void *user_data);
/* The hierarchy's caches are others now. */
void gpci_timed_relink(gpci_timed *t);
/* hook.c: who wants to hear of fills and evictions has changed. */
void gpci_timed_hook(gpci_timed *t);

/* stage.c */
/* Take a tag port, and the bank of a line, in the present cycle; false if there is none left. */
bool gpci_stage_port(gpci_stage *stage, uint64_t now, uint64_t address);
/* The packet's lookup, and what of its line is in flight. A failure ends the run. */
void gpci_stage_look(gpci_timed *t, gpci_stage *stage, gpci_packet *packet, gpci_tag_access *held);
/*
 * Having looked: reserve, merge, ask below. May be repeated after GPCI_BLOCKED. `remote`: the line is homed in the
 * other partition.
 */
gpci_verdict gpci_stage_settle(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *held, bool remote);
/* A fetch has come back. Those that waited for it are released. */
void gpci_stage_fill(gpci_timed *t, gpci_stage *stage, uint32_t fetch);
/*
 * L1: a fetch has brought part of its sectors, and all of them are to be kept: those that waited for just that part are
 * released, and it goes once more, for the rest. False where all the rest is on its way already: nothing was done.
 */
bool gpci_stage_complete_fetch(gpci_timed *t, gpci_stage *stage, uint32_t fetch, uint32_t leader);
/* Held up by `reason` from now on, GPCI_BLOCKED; or no longer. */
gpci_verdict gpci_stage_block(gpci_stage *stage, gpci_tag_access *held, uint64_t now, gpc_busy reason);
void gpci_stage_unblock(gpci_stage *stage, gpci_tag_access *held, uint64_t now);
/* Something came free; those held up for it may try again. */
GPCI_INLINE void gpci_stage_relieve(gpci_stage *stage, gpc_busy reason) {
    stage->held[0].relieved |= (uint8_t)(1u << reason);
    stage->held[1].relieved |= (uint8_t)(1u << reason);
}
/* Held up, and nothing of what it lacks has come free? */
GPCI_INLINE bool gpci_stage_stuck(const gpci_tag_access *held) {
    return held->reason != GPC_BUSY_NOT && !(held->relieved >> held->reason & 1);
}
/* Held up, but for something that has come free: to be tried again. */
GPCI_INLINE bool gpci_stage_eager(const gpci_tag_access *held) {
    return held->reason != GPC_BUSY_NOT && held->relieved >> held->reason & 1;
}
/* Use the data port for `bytes`; returns the core cycle at which they are out. */
uint64_t gpci_stage_data(gpci_stage *stage, uint64_t now, uint32_t bytes);
/* The MSHR entry of a line, by its leader; GPCI_NO_PACKET. */
uint32_t gpci_mshr_find(const gpci_timed *t, const gpci_stage *stage, uint64_t address);
/* A line's tags and MSHR bucket will soon be looked at: fetch them. No effect but on speed. */
void gpci_stage_expect(const gpci_stage *stage, uint64_t address);

/*
 * verify.c: L1's predictor, which has an on_reply, hears what L2 says of its prediction, and may overturn it; what the
 * replacement policy declined stays out. Returns true where a bypassing read is to be kept after all, but brought only
 * part of its sectors: the rest is sent for, and says nothing more to L2's predictor.
 */
bool gpci_verify(gpci_timed *t, gpci_stage *stage, uint32_t fetch);

/* stall.c: a packet of L1 is to be held up; its predictor may send it past L1 instead (GPCI_WAITING). */
gpci_verdict gpci_l1_hold_up(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *held, uint32_t leader,
                             gpc_busy reason);

/* What a stage asks the level below for: segments that `waiter`, which has an MSHR entry, lacks of its line. */
typedef struct gpci_fetch_request {
    uint32_t packet; /* in L1, where it is not the one that waits, it goes itself */
    uint32_t waiter;
    uint32_t word; /* the stage's predictor's, for the level below */
    uint8_t segments;
    bool cached;   /* they are to be kept */
    bool declined; /* they are not, because of the replacement policy */
    bool remote;   /* from the other partition */
} gpci_fetch_request;
/* hook.c: a line leaves the stage on a packet's account. */
void gpci_stage_evicted(gpci_timed *t, gpci_stage *stage, const gpci_packet *packet, const gpc_eviction *eviction);
/* What a store or an atomic wrote finds no room: it goes to the level below. */
void gpci_stage_write_below(gpci_timed *t, gpci_stage *stage, const gpci_packet *packet);

/* l1.c */
void gpci_l1_step(const gpci_group *group, uint32_t sm);
void gpci_coherent_l1_step(const gpci_group *group, uint32_t sm);
/* Fetch what the next step will look at. No effect but on speed. */
void gpci_l1_expect(const gpci_group *group, uint32_t sm, unsigned pass);
extern const gpci_stage_rules gpci_l1_stage;
/* A packet that waited has its data: its access is told, and it is given back. */
void gpci_l1_release(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint8_t level);
/* The access has what it waited for, the packet stays as its MSHR entry's leader. */
void gpci_l1_done(gpci_timed *t, uint32_t packet, uint8_t level);
/* The packet itself goes below; its reply completes its line. */
void gpci_l1_send_itself(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet_type type);
/* A fetch has brought part of its sectors, and goes once more for the rest. */
void gpci_l1_send_rest(gpci_timed *t, gpci_stage *stage, uint32_t fetch);
gpc_busy gpci_l1_busy(const gpci_stage *stage);
/* A hit: its data come out of the port. */
void gpci_l1_serve(gpci_timed *t, gpci_stage *stage, uint32_t packet);
void gpci_l1_round_trip(gpci_timed *t, const gpci_stage *stage, const gpci_packet *packet);

/* l2.c */
void gpci_slice_step(const gpci_group *group, uint32_t slice);
void gpci_slice_expect(const gpci_group *group, uint32_t slice, unsigned pass);
extern const gpci_stage_rules gpci_l2_stage;

/* memory_channel.c */
void gpci_channel_step(const gpci_group *group, uint32_t channel);
void gpci_coherent_channel_step(const gpci_group *group, uint32_t channel);
/* Pass as much of a slice's miss queue to memory as it takes. */
void gpci_channel_send(gpci_timed *t, gpci_stage *slice);
void gpci_coherent_channel_send(gpci_timed *t, gpci_stage *slice);
/* A read has all its data. */
void gpci_channel_done(gpci_timed *t, uint32_t packet);
gpc_status gpci_channel_reply(gpci_timed *t, uint64_t id);
void gpci_channel_ready(gpci_timed *t, uint32_t channel);
/* The channel of a slice's address, and the address within it. */
uint32_t gpci_channel_of(const gpci_timed *t, uint32_t slice, uint64_t inner, uint64_t *local);

/* The network of a group; NULL where there is none. */
GPCI_INLINE gpci_network *gpci_network_of(const gpci_timed *t, gpci_group_kind kind) {
    return t->groups[kind].self;
}

/* stage_component.c: every stage, and every channel, knows the networks that it is at. All groups are made. */
void gpci_stages_connect(gpci_timed *t);
void gpci_stage_reset(gpci_stage *stage, uint64_t now);
bool gpci_stage_idle(const gpci_stage *stage);
void gpci_stage_state(gpci_stage *stage, gpci_state_fn visit, void *user_data);
/* `below`: who takes what is in its miss queue. */
void gpci_stage_report(const gpci_group *group, const gpci_stage *stage, const char *below, gpci_text *report);

/* components.c: what one slice or channel has counted is added. */
void gpci_timed_add_object(const gpci_timed *t, gpci_scope scope, uint32_t index, gpc_stats *stats);
/* Networks that there are, by index in the order of GPCI_GROUPS. */
uint32_t gpci_timed_networks(const gpci_timed *t);
const char *gpci_timed_network_name(const gpci_timed *t, uint32_t index);
gpci_network_stats gpci_timed_network_stats(const gpci_timed *t, uint32_t index);

/* issue.c: gpc_hierarchy_try_issue and gpc_hierarchy_try_miss. */
gpc_status gpci_timed_try_issue(gpc_hierarchy *h, const gpc_warp_access *access, uint64_t token, gpc_busy *out_busy);
gpc_status gpci_timed_try_miss(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy);
/* clock_calls.c: what else is asked of the clock; of caches, and of a coherent tree. */
extern const struct gpci_clock_calls gpci_timed_cache_clock, gpci_timed_tree_clock;

/* Bytes of the segments that a packet asks for or brings. */
GPCI_INLINE uint32_t gpci_packet_bytes(const gpci_packet *packet) {
    return gpci_count_sectors(packet->segments) * GPCI_SEGMENT;
}

/* The line of L2 that an address lies in. */
GPCI_INLINE uint64_t gpci_l2_line(const gpci_timed *t, uint64_t address) {
    return address & ~(uint64_t)(t->h->l2_level.line_bytes - 1);
}

/* All of a packet that a stage looks at. */
GPCI_INLINE void gpci_expect_packet(const gpci_timed *t, uint32_t packet) {
    const char *p = (const char *)gpci_packet_at(&t->pool, packet);
    GPCI_PREFETCH(p);
    GPCI_PREFETCH(p + 64);
    GPCI_PREFETCH(p + 128);
}

#endif
