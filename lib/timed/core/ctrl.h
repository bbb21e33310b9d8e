/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CTRL_H
#define GPC_TIMED_CTRL_H

#include "level/rules/level_rules.h"
#include "timed/core/ctrl_parts.h"
#include "timed/network/coalescer.h"
#include "timed/network/network.h"

/*
 * A controller: an L1 or an L2 slice, as a cache with MSHRs, ports and queues. ctrl.c has the common part, l1.c and
 * l2.c the specific parts.
 *
 *  packets from above -> in -> tags -> out -> to below
 *                               |
 *                          MSHR entry: packets waiting for the line
 *                               |
 *               replies <- released <- fill <- replies from below
 */

typedef struct gpci_timed gpci_timed;

#define GPCI_LEVEL_MEMORY 6 /* gpci_ctrl.level of a cache beside memory */

/*
 * A bucket of a coherent controller's MSHR table. The bucket has the line of the first entry, so most searches touch no
 * packet. Entries are chained through packets: unlike in a gpci_map, a single entry can be removed.
 */
typedef struct gpci_mshr_bucket {
    uint64_t line;       /* line number of the first entry */
    uint32_t mshr_entry; /* GPCI_NO_PACKET: empty; further entries are chained through the packets */
} gpci_mshr_bucket;

/*
 * A row of the MSHR table of caches, a cache line of the processor. Entries are identified by the upper half of the
 * hash of the line number; the lower bits select the row. Most searches touch only the wanted packet. If a row is full,
 * further entries are chained behind the row. With all of 512 entries in use, a row has four entries on average.
 */
#define GPCI_MSHR_ROW 9u
typedef struct gpci_mshr_row {
    uint16_t tags[GPCI_MSHR_ROW], count;
    uint32_t mshr_entries[GPCI_MSHR_ROW], chain; /* GPCI_NO_PACKET: all entries are in the row */
    uint32_t reserved;
} gpci_mshr_row;

/* Misses in flight, by line. */
typedef struct gpci_mshr {
    gpci_mshr_bucket *buckets; /* of coherent controllers */
    gpci_mshr_row *rows;       /* [mask + 1] for controllers of plain caches */
    uint32_t mask;
    /* state */
    uint32_t used[2];    /* entries in use: for lines homed in this partition, and in the other partition */
    uint32_t sectors[2]; /* with options->by_sector: sectors in flight, likewise */
    uint16_t entry;      /* with l1.allocate = replaceable: number given to the latest entry (gpci_packet_mshr.entry) */
    gpci_gauge gauge;
} gpci_mshr;

/* State of a packet at the tags, from the lookup to leaving. */
typedef struct gpci_tag_access {
    gpc_access_result result;
    gpci_view view;      /* the request in terms of the controller's cache */
    uint64_t since;      /* core cycle since which the packet is held up */
    uint8_t reason;      /* gpc_busy */
    uint8_t freed;       /* bit per gpc_busy: the resource became free since the last attempt */
    uint8_t asked;       /* bit per gpc_busy: the predictor was asked whether a load held up passes L1 */
    uint8_t passes;      /* bit per gpc_busy: the load passes L1 */
    uint8_t flags;       /* coherent L1: GPC_ACCESS_ bits added by the predictor */
    uint8_t flying;      /* from the lookup: needed segments already in flight in the line's MSHR entry */
    uint32_t mshr_entry; /* from the lookup: the line's MSHR entry; or GPCI_NO_PACKET */
    bool fresh;          /* `mshr_entry` is still valid: no change since the lookup */
    bool looked;         /* lookup done */
    bool reserved;       /* a line has been reserved, or the access needs none */
    bool declined;       /* the replacement policy would give up no line */
    uint64_t until;      /* cycle of the slice's clock up to which a part of the slice holds the packet up */
} gpci_tag_access;

/* Result for a packet at the tags. */
typedef enum gpci_verdict {
    GPCI_SERVED = 0,  /* the packet has passed, and waits for nothing more */
    GPCI_WAITING = 1, /* the packet has passed, and waits in an MSHR entry, or was sent below */
    GPCI_BLOCKED = 2  /* the packet stays at the tags: gpci_tag_access.reason */
} gpci_verdict;

/* Banks of L1's data (data_banks.h). */
typedef struct gpci_data_banks {
    uint32_t count; /* 0: no banks */
    unsigned shift; /* log2 of a word's bytes */
    uint32_t moved; /* bytes of a word of each bank */
    uint32_t width; /* bytes of lanes that leave in a cycle, at most `moved` */
    bool full_line; /* banks deliver a whole line at once */
} gpci_data_banks;

/* In-flight accesses in order of due cycles. */
typedef struct gpci_due_list {
    uint32_t first, last; /* or UINT32_MAX */
} gpci_due_list;

/* Resources of a level. */
typedef struct gpci_ctrl_options {
    uint32_t latency, ports, banks, data_width, fill_width; /* cycles and bytes of the controller's clock */
    uint64_t entries, merges;
    bool on_miss;        /* a line is reserved at the miss; false: taken at the fill */
    bool replaceable;    /* L1: lines in flight may be replaced, and are fetched again after a miss */
    bool by_sector;      /* merges are limited per sector */
    bool drains;         /* L1: MSHR entries stay until all waiting packets have had their turn: drain.h */
    bool reserves;       /* L1: a load at a draining entry reserves a line if the entry's line is gone: drain.h */
    bool sector_packets; /* L1: every sector is a packet, passing in parallel: l1.coalescer = sector */
    bool packed;         /* data of several packets pass the data port in a cycle */
    bool part;           /* L1: bypassing reads fetch only needed segments, not whole sectors */
    bool hashed;         /* L1: a hash maps lines to banks of the tags (gpci_tag_banks) */
    gpci_clock clock;
} gpci_ctrl_options;

typedef struct gpci_ctrl_counts {
    uint64_t failures[GPC_BUSY_COUNT], stalls[GPC_BUSY_COUNT];
    uint64_t passed[GPC_BUSY_COUNT]; /* L1: loads that passed L1 instead of being held up */
    uint64_t bank_failures;
#ifdef GPCI_CHECK
    uint64_t data_waits_again, atomic_waits_again; /* from the cycles that callers of the data port, or unit, see */
    uint64_t combined_again;                       /* requests that went with an earlier request */
    uint64_t merged_again;                         /* sectors of reads that joined another SM's read */
    uint64_t own_pending_again;                    /* L2: pending sectors that the reading SM itself brings */
    uint64_t no_victims_again;
    uint64_t around_again;        /* sectors of writes that got no line, and went below */
    uint64_t request_bytes_again; /* L2: bytes of requests from the network; L1 of a tree: minus bytes joined in LRCs */
    uint64_t reply_bytes_again;   /* L1: bytes of replies from the network, computed from the requests */
    /* cycles in which waits ended, minus cycles in which waits began */
    uint64_t stalls_again[GPC_BUSY_COUNT], unsent_again, congested_again, replies_again;
    uint64_t passed_again[GPC_BUSY_COUNT];
    uint64_t copy_stalls_again; /* cycles with a bulk copy due, minus cycles with a request of a bulk copy */
    /* turns that callers take at the data banks, and accesses that take turns */
    uint64_t data_turns_again, data_accesses_again;
#endif
} gpci_ctrl_counts;

#define GPCI_LEVEL_GL1 5 /* gpci_ctrl.level of a GL1 (gl1_ctrl.h) */

struct gpci_fetch_request;

/*
 * Differences between an L1 and an L2 slice as controllers; ctrl.c has the common part. Every controller of caches has
 * a table; coherent modules handle packets differently, and use none.
 */
typedef struct gpci_ctrl_rules {
    bool own_lines; /* `address` and `segments` of packets are of the controller's lines; if false, only `request` is */
    bool loads_go;  /* a load that misses travels below, and leaves a waiter */
    /* `mshr_target` has an MSHR entry and lacks segments of the line: fetch them. */
    void (*send)(gpci_timed *t, struct gpci_ctrl *ctrl, const struct gpci_fetch_request *asked);
    /* A dirty line leaves the cache. */
    void (*evicted)(gpci_timed *t, struct gpci_ctrl *ctrl, const gpc_eviction *eviction);
    /* A packet waiting at an MSHR entry has data now. */
    void (*released)(gpci_timed *t, struct gpci_ctrl *ctrl, uint32_t packet, uint8_t level);
    /*
     * A packet at the tags lacks the resource `reason`: hold the packet up, or send the packet by another way.
     * `mshr_entry`: the line's MSHR entry.
     */
    gpci_verdict (*on_stall)(gpci_timed *t, struct gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                             uint32_t mshr_entry, gpc_busy reason);
    /* The cache had no way for sectors of a read: the sectors bypassed the cache. */
    void (*on_not_allocated)(struct gpci_ctrl *ctrl, const gpci_packet *packet, uint8_t sectors);
} gpci_ctrl_rules;

/* Fences of an SM in order of acceptance, and the events to wait for (timed_fence.c). */
typedef struct gpci_fences {
    uint32_t first, last; /* in-flight accesses; or UINT32_MAX */
    uint32_t count;       /* fences accepted so far: gpci_inflight.epoch of the next access */
    uint32_t writes;      /* writes in flight that were accepted after the last fence */
    uint32_t fetches[2];  /* reads of L1 in flight, by the value of `generation` when the read was sent */
    uint8_t generation;   /* changes, 0 or 1, when L1 drops all lines */
    uint64_t joins_since; /* core cycle: reads of this L1 may join reads of other SMs sent in or after the cycle */
    uint32_t walker;      /* in-flight access of the fence writing back dirty lines; or UINT32_MAX */
    size_t slot;          /* slot of the cache from which `walker` looks for the next dirty line */
} gpci_fences;

/* State of an SM with possibly limited replies (replies.h). */
typedef struct gpci_replies {
    uint64_t credits;     /* left; or GPC_UNLIMITED_CREDITS */
    uint64_t since;       /* core cycle since accesses wait for a credit; or GPCI_NEVER */
    uint64_t waited;      /* cycles waited, before `since` */
    uint32_t first, last; /* in-flight accesses that wait only for a credit; or UINT32_MAX */
    uint32_t count;       /* waiting in-flight accesses */
    bool limited;         /* the host has limited the credits */
} gpci_replies;

/* Networks of a controller, or NULL. */
typedef struct gpci_ctrl_networks {
    gpci_network *requests_in, *replies_out;    /* from above: of a cluster or a slice */
    gpci_network *requests_out, *replies_in;    /* to below: of an L1, a cluster, or a slice with a link to channels */
    gpci_network *peer_requests, *peer_replies; /* to the slices of the other partition, and back */
} gpci_ctrl_networks;

/* Tag ports and banks in a cycle. */
typedef struct gpci_tag_port {
    uint64_t cycle; /* cycle of the controller's clock in which a port was used last */
    uint64_t banks; /* bitmap of banks used in `cycle` */
    uint32_t used;  /* number of ports used in `cycle` */
} gpci_tag_port;

typedef struct gpci_data_port {
    uint64_t free; /* cycle of the controller's clock from which the port is free */
    uint32_t left; /* unused bytes of the port in the cycle before `free` */
} gpci_data_port;

/* Cycles of a wait. */
typedef struct gpci_wait {
    uint64_t since;  /* the wait lasts since this core cycle; or GPCI_NEVER */
    uint64_t cycles; /* core cycles of earlier waits */
} gpci_wait;

/* Packets of an L1 that are below. */
typedef struct gpci_below {
    uint32_t packets; /* sent, and will have a reply */
    uint32_t joined;  /* reads waiting for another SM's read (coalescer) */
    uint32_t stores;  /* in a tree: stores not done that have given their MSHR entry in this L1 back */
} gpci_below;

/* Instructions of the L1's SM, as the L1 knows them. */
typedef struct gpci_sm_instructions {
    gpci_gauge gauge;
    uint32_t waiting;           /* instructions before the tags, or before the reorder buffer */
    bool refused, refused_miss; /* an instruction, or a miss of a host's L1, was refused since the last on_ready */
    bool takes_misses;          /* a miss has entered (gpc_hierarchy_try_miss, gpci_timed_read) */
} gpci_sm_instructions;

/* An L1 ahead of the clock (run_ahead.h). */
typedef struct gpci_ahead {
    uint64_t until;     /* core cycle up to which L1 and SM have been stepped */
    uint64_t passed_at; /* core cycle of a step ahead of the clock that ended before the miss queue */
} gpci_ahead;

/* Functions of a part of an L1 that replaces the queue before the tags; functions may be NULL. */
typedef struct gpci_intake {
    /* Queue for the lines of a warp's instruction; NULL: `entrance`. */
    gpci_queue *(*entrance)(struct gpci_ctrl *ctrl, uint32_t warp);
    /* True if an SM's memory pipeline accepts another instruction; NULL: fewer than l1.queue are before the tags. */
    bool (*has_place)(const struct gpci_ctrl *ctrl);
    /* Choose the queue with the next packet for the tags, or an empty queue; NULL: `in`. passed: the packet left. */
    gpci_queue *(*choose)(const gpci_timed *t, struct gpci_ctrl *ctrl);
    void (*passed)(gpci_timed *t, struct gpci_ctrl *ctrl);
    /* Step the accesses of a coherent L1, in place of the tags. */
    void (*run)(gpci_timed *t, struct gpci_ctrl *ctrl);
} gpci_intake;

typedef struct gpci_ctrl {
    const gpci_ctrl_rules *rules;
    gpc_cache *cache;       /* NULL: the level has no cache, and all packets go on to the level below */
    const gpci_level *line; /* segments and sectors of the controller's lines */
    gpci_timed *timed;      /* owner */
    const gpci_ctrl_options *options;
    uint32_t component;
    uint32_t index; /* SM, or slice over both partitions */
    uint8_t level;  /* 1, 2, GPCI_LEVEL_CLUSTER, GPCI_LEVEL_GL1 or GPCI_LEVEL_MEMORY */
    gpci_ctrl_networks networks;
    gpci_queue *entrance;      /* queue that packets of the SM, or a slice's of the network, enter: `in`, or a part's */
    const gpci_intake *intake; /* functions of a part of L1 that replaces the queue before the tags; or NULL */
    gpci_parts parts;
    gpci_mshr mshr;
    gpci_ahead ahead;    /* only within a cycle of the clock: when the cycle ends, L1 is not ahead */
    bool reads_anew;     /* L1: gpci_reads_anew may be true for an instruction before the tags */
    uint64_t dropped_at; /* L1: core cycle in which L1 last dropped all lines, to drop once a cycle; or GPCI_NEVER */
    /* state */
    gpci_queue in;     /* before the tags */
    gpci_queue out;    /* miss queue: to the network, or to memory */
    gpci_queue served; /* L2: data on the way to the reply network */
    /*
     * L2: data from memory. Coherent L2 and clusters: messages from below, and from slices of the other partition or of
     * other GPUs. L1: data brought by another SM's read, or replies from the SM's GL1.
     */
    gpci_queue fills;
    gpci_tag_port tag_port;
    gpci_data_port data;
    uint64_t fill_free;            /* cycle of the controller's clock from which the fill port is free */
    gpci_wait congested;           /* L2: the network's packet cannot enter */
    gpci_wait unsent;              /* L1: the miss queue's head waits for the network */
    uint64_t sends_from;           /* L1: core cycle from which the miss queue may send (l1.miss_interval) */
    uint32_t link_at;              /* L2: the other partition's packet at the tags; or GPCI_NO_PACKET */
    bool memory_full;              /* L2: the channel is full for now */
    gpci_tag_access tag_access[2]; /* for requests from above, and from the other partition */
    gpci_queue link;               /* L2: to the other partition */
    /*
     * L2: replies of the other partition for SMs of this partition. Coherent L2: requests that wait for an MSHR entry.
     * Coherent L1: packets that waited at an MSHR entry, and return to the tags.
     */
    gpci_queue returned;
    gpci_queue across[2];  /* coherent L2, to the other partition: [0] requests, [1] all other messages */
    uint64_t release_free; /* L1: core cycle from which the port that releases waiting packets is free */
    gpci_ctrl_counts counts;
    /* L1 */
    gpci_below below;
    gpci_sm_instructions sm;
    gpci_due_list due, filled; /* accesses whose data are on the way to the SM: of hits, and from below */
    gpci_replies replies;
    gpci_fences fences;
} gpci_ctrl;

/* True if completed accesses wait for a credit: the tags and the fill port then stand still. */
GPCI_INLINE bool gpci_replies_wait(const gpci_ctrl *ctrl) {
    return GPCI_UNLIKELY(ctrl->replies.first != UINT32_MAX);
}

/* ctrl_parts.c */
/* Add a part to a controller; the part is active. */
void gpci_part_add(gpci_ctrl *ctrl, gpci_part_kind kind, const gpci_part_class *class, void *self);
/* True if the controller has active parts at a point. */
GPCI_INLINE bool gpci_parts_at(const gpci_ctrl *ctrl, gpci_point point) {
    return GPCI_UNLIKELY((ctrl->parts.at[point] & ctrl->parts.active) != 0);
}
/* Call the parts at a point of a step. */
void gpci_parts_step(gpci_timed *timed, gpci_ctrl *ctrl, gpci_point point);
GPCI_INLINE void gpci_parts_run(gpci_timed *timed, gpci_ctrl *ctrl, gpci_point point) {
    if (gpci_parts_at(ctrl, point))
        gpci_parts_step(timed, ctrl, point);
}
/*
 * Calls of the parts at other points. gpci_parts_looked and _evicted tell all parts. gpci_parts_fill calls the first
 * part with `fill` (must be active). gpci_parts_leave and _answer ask the parts in turn; true: a part has taken the
 * packet.
 */
void gpci_parts_looked(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_tag_access *access,
                       bool found);
/* Tell all parts: a line changes (gpci_parts_change), or a packet is looked up (_look). */
void gpci_parts_change(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t inner);
void gpci_parts_look(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt);
/*
 * gpci_parts_hold_up: ask the parts in turn; true: a packet of a slice waits at the tags, up to access->until.
 * gpci_parts_passed: tell all parts that a packet has passed the tags.
 */
bool gpci_parts_hold_up(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, gpci_tag_access *access);
void gpci_parts_passed(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt);
void gpci_parts_evicted(gpci_ctrl *ctrl, const gpc_eviction *eviction);
void gpci_parts_fill(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch);
bool gpci_parts_leave(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet);
bool gpci_parts_answer(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *replies);
/* gpci_part_wakes: a part has work, and is called from now on. gpci_part_rests: the part has no work left. */
GPCI_INLINE void gpci_part_wakes(gpci_ctrl *ctrl, gpci_part_kind kind) {
    ctrl->parts.active |= (uint32_t)1 << kind;
}
GPCI_INLINE void gpci_part_rests(gpci_ctrl *ctrl, gpci_part_kind kind) {
    ctrl->parts.active &= ~((uint32_t)1 << kind);
}
GPCI_INLINE bool gpci_part_is_active(const gpci_ctrl *ctrl, gpci_part_kind kind) {
    return ctrl->parts.active >> kind & 1;
}
GPCI_INLINE bool gpci_part_is_there(const gpci_ctrl *ctrl, gpci_part_kind kind) {
    return ctrl->parts.self[kind] != NULL;
}
/* The coalescer between an SM's L1 and the network; or NULL. */
GPCI_INLINE gpci_lrc *gpci_lrc_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_COALESCER];
}
/* Note that a part has refused an SM. gpci_parts_have_room: true if a part that has refused has room again. */
GPCI_INLINE void gpci_part_refuses(gpci_ctrl *ctrl, gpci_part_kind kind) {
    ctrl->parts.refused |= (uint32_t)1 << kind;
}
bool gpci_parts_have_room(const gpci_ctrl *ctrl);
/* True if a part keeps the L1 in step with the clock. */
bool gpci_parts_in_step(const gpci_ctrl *ctrl);
/* Destroy the parts of a controller. The functions below call count, reset, state or hold of all parts. */
void gpci_parts_destroy(gpci_timed *timed, gpci_ctrl *ctrl);
void gpci_parts_count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats);
#ifdef GPCI_CHECK
void gpci_parts_count_again(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats);
#endif
void gpci_parts_reset(gpci_ctrl *ctrl, uint64_t now);
void gpci_parts_state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data);
void gpci_parts_hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders);

/* ctrl/ports.c */
/* Take a tag port, and the bank of a line or sector, in the present cycle; false if unavailable. */
bool gpci_ctrl_port(gpci_ctrl *ctrl, uint64_t now, uint64_t address);
/* True if no tag port is left, whatever the line. */
GPCI_INLINE bool gpci_ctrl_ports_used(const gpci_ctrl *ctrl, uint64_t now) {
    return ctrl->tag_port.used >= ctrl->options->ports &&
           ctrl->tag_port.cycle == gpci_clock_own(ctrl->options->clock, now);
}
/* gpci_ctrl_waits: an instruction begins to wait before the tags. gpci_ctrl_waited: the instruction has passed. */
GPCI_INLINE void gpci_ctrl_waits(gpci_ctrl *ctrl, uint64_t now) {
    gpci_gauge_come(&ctrl->sm.gauge, now, 1);
    gpci_gauge_set(&ctrl->sm.gauge, now, ++ctrl->sm.waiting);
}

GPCI_INLINE void gpci_ctrl_waited(gpci_ctrl *ctrl, uint64_t now) {
    gpci_gauge_go(&ctrl->sm.gauge, now, 1);
    gpci_gauge_set(&ctrl->sm.gauge, now, --ctrl->sm.waiting);
}

/*
 * Use the data port for `bytes`. With `packed` the port passes data of several packets in a cycle. Returns the
 * core cycle at which the data are out.
 */
uint64_t gpci_ctrl_data(gpci_ctrl *ctrl, uint64_t now, uint32_t bytes);
/* Keep the data port busy up to cycle `until` of the controller's clock. Unused bytes of an earlier cycle are lost. */
GPCI_INLINE void gpci_ctrl_occupy_data(gpci_ctrl *ctrl, uint64_t until) {
    if (ctrl->data.free < until)
        ctrl->data = (gpci_data_port){.free = until};
}

/* ctrl.c */
/* Look up a packet, and find the line's segments in flight. An invalid request sets timed->failed. */
void gpci_ctrl_look(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *packet, gpci_tag_access *access);
/*
 * After the lookup: reserve, merge, fetch. Repeatable after GPCI_BLOCKED. `remote`: the line is homed in the other
 * partition.
 */
gpci_verdict gpci_ctrl_settle(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                              bool remote);
/*
 * Send the data of a read, a hit or released after a fill, through the data port into `served`. The component takes the
 * packet from there when the data are out. `level`: where the data came from.
 */
void gpci_ctrl_serve(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level);
/* A fetch returns. Waiting packets are released. */
void gpci_ctrl_fill(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch);
/*
 * L1: a fetch has brought a part of the sectors, and all sectors are to be kept: release packets waiting for only this
 * part, and fetch the rest. False if the rest is already in flight: no change.
 */
bool gpci_ctrl_complete_fetch(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch, uint32_t mshr_entry);
/*
 * Hold the packet at the tags up for `reason`, from cycle `now` on; returns GPCI_BLOCKED. gpci_ctrl_unblock: the packet
 * is no longer held up.
 */
gpci_verdict gpci_ctrl_block(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now, gpc_busy reason);
void gpci_ctrl_unblock(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now);
/* A resource became free; packets held up by `reason` may try again. */
GPCI_INLINE void gpci_ctrl_resource_freed(gpci_ctrl *ctrl, gpc_busy reason) {
    ctrl->tag_access[0].freed |= (uint8_t)(1u << reason);
    ctrl->tag_access[1].freed |= (uint8_t)(1u << reason);
}
/* True if the packet is held up, and the lacking resource has not become free since. */
GPCI_INLINE bool gpci_ctrl_stuck(const gpci_tag_access *access) {
    return access->reason != GPC_BUSY_NOT && !(access->freed >> access->reason & 1);
}
/* True if the packet is held up, but the lacking resource became free: the packet may try again. */
GPCI_INLINE bool gpci_ctrl_may_retry(const gpci_tag_access *access) {
    return access->reason != GPC_BUSY_NOT && access->freed >> access->reason & 1;
}
/* Leader of a line's MSHR entry; GPCI_NO_PACKET: no entry, or only entries of a replaced line. */
uint32_t gpci_mshr_find(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address);
/* The MSHR entry of a fetch. */
uint32_t gpci_mshr_of_fetch(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *fetch);
/* Free an entry and the leader. */
void gpci_mshr_free(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry);
/*
 * `segments` of a line change in the line's home slice. Data of the segments in flight to `ctrl` may be older: no
 * packet that needs the segments joins the MSHR entry any more, and `ctrl` does not keep the segments.
 */
GPCI_COLD void gpci_ctrl_outdate(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address, uint8_t segments);
/* Prefetch a line's tags and MSHR row into the processor's caches. Affects only the simulator's speed. */
void gpci_ctrl_sw_prefetch(const gpci_ctrl *ctrl, uint64_t address);
/* As gpci_ctrl_sw_prefetch, for a line about to be filled. Leaves out the tags if the line's place is known. */
void gpci_ctrl_sw_prefetch_fill(const gpci_ctrl *ctrl, uint64_t address);

/*
 * verify.c: show L1's predictor (with on_reply) the policy word of L2 in a reply. The predictor may overturn the first
 * prediction; lines declined by the replacement policy stay out. True if the data of a bypassing read are to be kept
 * after all, but the read brought only a part of the sectors: the read now fetches the other sectors, without telling
 * L2's predictor.
 */
bool gpci_verify(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch);

/*
 * changes.c: true if a load past L1 that must find the present value (gpci_reads_anew) cannot wait for a read of the
 * line in flight: the line has changed since the read. An entry that drains (drain.h) has the data of such a read.
 */
bool gpci_changes_forbid(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                         const gpci_tag_access *access);

/* stall.c: hold up a packet of L1, unless the predictor sends it past L1 (GPCI_WAITING). */
gpci_verdict gpci_l1_on_stall(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                              uint32_t mshr_entry, gpc_busy reason);

/*
 * A controller's request to the level below: segments of the line lacking for `mshr_target`, which has an MSHR entry.
 */
typedef struct gpci_fetch_request {
    uint32_t packet; /* if other than `mshr_target`: the load, which L1 sends below as the fetch */
    uint32_t mshr_target;
    uint32_t word; /* word of the controller's predictor, for the level below */
    uint8_t segments;
    bool cached;    /* the controller is to keep the data */
    bool declined;  /* the controller does not keep the data: the replacement policy gave up no line */
    bool remote;    /* the other partition has the line's home */
    uint16_t entry; /* gpci_packet_mshr.entry */
} gpci_fetch_request;
/* hook.c */
/* Tell the SM's scheduler (must exist) about a load's lookup. */
void gpci_l1_notify_scheduler(const gpci_timed *timed, uint32_t sm, const gpci_packet *packet, bool hit);
/* A line leaves the controller's cache because of a packet: log the eviction, and send dirty bytes below. */
void gpci_ctrl_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *packet, const gpc_eviction *eviction);
/* Bytes of a store or atomic find no room: send them to the level below. */
void gpci_ctrl_write_below(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *packet);

/* sector_merges.c: true if as many packets wait at an MSHR entry for one of these segments as allowed. */
bool gpci_sector_is_full(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t mshr_entry, uint8_t needs);

/* l1.c */
/* Step ahead of the clock. False: the miss queue has a packet, and the rest of the step is left to the clock. */
bool gpci_l1_step_ahead(gpci_timed *timed, gpci_ctrl *ctrl);
void gpci_l1_step(const gpci_group *group, uint32_t sm);
/* Step of an L1 above a GL1, in place of gpci_l1_step (gl1_ctrl.h). */
void gpci_l1_gl1_step(const gpci_group *group, uint32_t sm);
void gpci_coherent_l1_step(const gpci_group *group, uint32_t sm);
/* Prefetch data for an L1's next step into the CPU's cache. Affects only the simulator's speed. */
void gpci_l1_expect(const gpci_group *group, uint32_t sm, unsigned pass);
extern const gpci_ctrl_rules gpci_l1_ctrl;
gpc_busy gpci_l1_busy(const gpci_ctrl *ctrl);
/* Serve a hit: the data leave L1 through the data port, and the packet is freed. */
void gpci_l1_serve(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet);
/* l1_below.c: take replies while the fill port has room. */
void gpci_l1_fills(gpci_timed *timed, gpci_ctrl *ctrl);

/* Send the packet below; the reply completes the line. */
void gpci_l1_send_itself(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet_type type);
/* A fetch has brought a part of the sectors: fetch the rest. */
void gpci_l1_send_rest(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch);

/* A line of an access is done; after the last line, so is the access. */
void gpci_l1_release_line(gpci_timed *timed, uint32_t inflight, uint8_t level);
/* Reply of a packet that went below as a part of an access: tell the copy engine and the access. */
void gpci_l1_answer(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, uint8_t level);
/* A waiting packet has data: tell the access, and free the packet. */
void gpci_l1_release(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level);
/* The access has the awaited data; the packet stays as first packet of an MSHR entry. */
void gpci_l1_done(gpci_timed *timed, uint32_t packet, uint8_t level);
/* Complete the accesses of a due list whose data have reached the SM. */
void gpci_l1_run_due(gpci_timed *timed, gpci_ctrl *ctrl, gpci_due_list *due);
/* Complete accesses waiting for the host's room for replies, as far as credits allow. */
GPCI_COLD void gpci_l1_run_replies(gpci_timed *timed, gpci_ctrl *ctrl);

/* timed_fence.c */
/* A fence, and with it all earlier accesses, has passed the tags. */
GPCI_COLD void gpci_fence_passed(gpci_timed *timed, uint32_t packet);
/* A read sent before L1 dropped all lines has filled sectors: drop the sectors. */
GPCI_COLD void gpci_fence_stale(gpci_ctrl *ctrl, uint64_t address, uint8_t sectors);

/*
 * Core cycle: a read of this L1 may join only reads that other SMs sent in or after the cycle. The cycle is after this
 * L1's last drop of all lines: earlier reads may bring data older than an acquire must see. A strong load of a wide
 * scope, or a load of .cv, joins no read sent before the last change of the line: such a load must not find data older
 * than the thread has already read.
 */
uint64_t gpci_fence_joins_since(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *packet);

/* l2.c */
/* Send the first of a queue of replies, if due and accepted by the network. */
bool gpci_slice_send_reply(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue);
/* Second count of network.request_bytes, by type and sectors; nothing without the checking build. */
void gpci_slice_count_request(const gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet);
void gpci_slice_count_congestion(const gpci_timed *timed, gpci_ctrl *ctrl);
void gpci_slice_step(const gpci_group *group, uint32_t slice);
void gpci_slice_expect(const gpci_group *group, uint32_t slice, unsigned pass);
extern const gpci_ctrl_rules gpci_l2_ctrl;

/* ctrl_component.c */
/* gpci_ctrl_rules.on_stall that always holds the packet up; and .on_not_allocated without effect. */
gpci_verdict gpci_ctrl_wait(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                            uint32_t mshr_entry, gpc_busy reason);
void gpci_ctrl_notify_none(gpci_ctrl *ctrl, const gpci_packet *packet, uint8_t sectors);
/*
 * Make a controller without parts: a constant cache, an L1.5, a GL1 or a cache beside memory. `place` has its index,
 * component and level. Queues are unbounded; the caller sets the bounds, and the cache. GPC_ERROR_MEMORY.
 * gpci_ctrl_unmake: free the controller's memory.
 */
gpc_status gpci_ctrl_make_plain(gpci_timed *timed, const gpci_ctrl *place, const gpci_ctrl_rules *rules,
                                const gpci_ctrl_options *options, const gpci_level *line, gpci_ctrl *ctrl);
void gpci_ctrl_unmake(gpci_timed *timed, gpci_ctrl *ctrl);
/* Make queues with lengths from keys; clusters use the keys of slices. */
void gpci_ctrl_queues(const gpci_timed *timed, gpci_ctrl *ctrl);
void gpci_ctrl_reset(gpci_ctrl *ctrl, uint64_t now);
/* Core cycles the tags have waited for a reason, up to now. */
uint64_t gpci_ctrl_stalls(const gpci_ctrl *ctrl, gpc_busy reason, uint64_t now);
void gpci_ctrl_state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data);
/* `reset` and `state` of component classes whose gpci_group.self is an array of controllers. */
void gpci_ctrls_reset(const gpci_group *group, uint32_t index, uint64_t now);
void gpci_ctrls_state(const gpci_group *group, uint32_t index, gpci_state_fn visit, void *user_data);

#endif
