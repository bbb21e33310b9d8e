/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_TIMED_H
#define GPC_TIMED_TIMED_H

#include "dram/dram.h"
#include "level/access/fence.h"
#include "level/access/warp_access.h"
#include "level/rules/cache_lines.h"
#include "timed/core/ctrl.h"
#include "timed/core/event_log.h"
#include "timed/core/reorder.h"
#include "timed/core/sm_front_end.h"

#include <string.h>

/*
 * The hierarchy with a clock: controllers (L1s and L2 slices: a cache with MSHRs, ports and queues), networks between
 * controllers, memory channels below. A packet is in one place at a time, and is woken by the resource that blocked it.
 *
 * Deadlock is impossible: a reply is always accepted by the receiver (except if a host grants no credits, replies.h), a
 * channel always drains, and packets from the other partition need only the home slice's channel.
 */

/* Kind of a fence, beyond all gpc_kind. */
#define GPCI_KIND_FENCE GPC_KIND_COUNT
/* Kind of a bulk copy, beyond all gpc_kind; gpci_inflight.fence.phase has the copy's gpc_kind. */
#define GPCI_KIND_COPY (GPC_KIND_COUNT + 1)

/* An accepted warp instruction, fence, or request of gpc_hierarchy_try_miss. */
typedef struct gpci_inflight {
    uint64_t token, issued;
    uint64_t due; /* core cycle of the last hit's data */
    uint32_t sm, warp;
    uint32_t left;        /* lines not done */
    uint32_t next;        /* next in a list: of free accesses, or of an L1 (due, replies, fences, copies) */
    uint32_t unsignalled; /* accesses not yet reported to the load/store unit (lsu.h) */
    uint8_t kind, level;
    bool framed;         /* from an SM of this library (sm_front_end.h) */
    bool acquires;       /* when all lines are done, L1 drops its lines before the access completes */
    bool constant;       /* a load of constants: hits use a separate data port (constant_cache.h) */
    bool performed;      /* acquiring access with all lines done: fences no longer wait for its write */
    uint16_t turns;      /* load or store: turns needed at the banks of L1's data (data_banks.h); 0: no banks */
    uint32_t epoch;      /* number of fences that the SM had accepted before */
    struct {             /* kind GPCI_KIND_FENCE */
        uint32_t writes; /* writes in flight that were accepted between the previous fence and this fence */
        uint8_t phase;   /* gpci_fence_phase */
        uint8_t marks;   /* in a tree: 1: markers were sent; 2: markers have returned (coherent_sweep.c) */
        uint16_t sweep;  /* in a tree: progress of the acquire */
        gpci_fence_plan plan;
        uint32_t held, held_count; /* packets of the ordered access that waits for the fence; none for a host's fence */
    } fence;
    struct { /* for the event log; if `id` is 0, the other fields are undefined */
        uint64_t id, pc, address;
        uint32_t block;
    } trace;
} gpci_inflight;

/* Part in front of a DRAM channel, or a channel of the host's memory. */
typedef struct gpci_memory_channel {
    gpci_network *requests_in, *replies_out; /* links to slices; NULL: slices use the channel directly */
    uint32_t component;
    /* function for a read that the host's memory has answered: gpci_channel_done, or gpci_message_memory_done */
    void (*done)(struct gpci_timed *t, uint32_t packet);
    /* state */
    gpci_queue replies; /* before the link */
    gpci_queue delayed; /* before the channel's queue, with dram.latency_at = request */
    uint64_t ticked;    /* DRAM cycle up to which packets have entered and left `delayed` */
    uint32_t waiting;   /* packet waiting for room in the channel; or GPCI_NO_PACKET */
    bool host_full;     /* the host's memory refused, and is not ready yet */
} gpci_memory_channel;

/* A slice's atomic unit (atomic_unit.h). */
typedef struct gpci_atomic_options {
    uint32_t cycles; /* cycles of L2, per turn; 0: any number of turns at once */
    uint32_t width;  /* bytes of a line per turn */
    uint64_t lanes;  /* most lanes of a turn */
} gpci_atomic_options;

typedef struct gpci_plain_values gpci_plain_values; /* plain_values.h */
typedef struct gpci_kept_access gpci_kept_access;   /* kept_access.h */
typedef struct gpci_stage_times gpci_stage_times;   /* stage_times.h */

struct gpci_timed {
    gpc_hierarchy *hierarchy;
    gpc_context *context;
    gpci_wheel wheel;
    gpci_pool pool;
    gpci_inflight *inflights; /* [inflight_capacity] */
    uint32_t inflight_capacity;
    uint32_t inflight_stride;   /* numbers of other shards' in-flight accesses, between two chunks of the shard */
    uint32_t shard;             /* number of the shard, in a shard's view */
    struct gpci_shards *shards; /* shards.h; NULL: one thread */
    gpci_ctrl *l1;              /* [sms] */
    gpci_ctrl *l2;              /* [slices] */
    gpci_ctrl_options l1_options, l2_options;
    gpci_ctrl_options constants_options; /* with const.size */
    gpci_level constants_level;          /* with const.size */
    gpci_ctrl *l15;                      /* [l15_count], with l15.size */
    gpci_ctrl_options l15_options;
    gpci_level l15_level; /* with l15.size */
    gpci_ctrl *gl1;       /* [gl1_count], with gl1.size (gl1_ctrl.h) */
    gpci_ctrl_options gl1_options;
    struct gpci_gl1_way *gl1_ways; /* [sms], with gl1.size */
    uint32_t gl1_queue;            /* packets of an SM before the tags of a GL1 */
    gpci_ctrl *memory_caches;      /* [channels], with memory_cache.size (l2/memory_cache_ctrl.h); NULL: none */
    gpci_ctrl_options memory_cache_options;
    gpci_level memory_cache_level;
    gpci_reorder_options reorder_options;
    gpci_clock network_clock, dram_clock;
    gpci_ctrl *clusters;             /* caches of clusters of SMs, in a tree; or NULL */
    struct gpci_gpu_port *gpu_ports; /* [gpus], with several GPUs (coherent_link.c) */
    gpci_ctrl_options cluster_options;
    struct gpci_coherent_host *coherent; /* tree's engine; NULL: L1s and slices are independent caches */
    gpc_dram *dram;
    uint32_t channels, burst;
    /* By segments of a line: bitmap of the DRAM bursts that have a part of the segments, from the line's start. */
    uint8_t bursts_of[16];
    gpci_memory_channel *memory; /* [channels] */
    uint32_t header, write_mask, write_to_read, rop_latency, l1_queue, issue_latency, miss_latency, bypass_latency,
        release_width, release_latency;
    bool rop_queue;         /* l2.intake = queue */
    uint64_t dram_delay;    /* DRAM cycles, with dram.latency_at = request; 0: requests reach the channel at once */
    uint32_t longest_way;   /* longer of miss_latency and bypass_latency */
    uint32_t miss_interval; /* core cycles between two packets from an L1's miss queue */
    gpci_atomic_options atomic_unit;
    uint32_t bundle_line;     /* bytes of a line whose sectors' messages may leave as one packet, in a tree; 0: never */
    bool bypass_alone;        /* l1.bypass_mshrs = false: bypassing loads take no MSHR entries */
    uint32_t bypass_capacity; /* places beyond a full miss queue of L1, for loads that the predictor sends past L1 */
    gpci_group groups[GPCI_GROUP_COUNT];
    uint8_t *group_of;               /* [components] gpci_group_kind */
    uint64_t *expected;              /* bitmap of components with gpci_component_class.expect */
    uint32_t expect_from, expect_to; /* first and last component in `expected` */
    uint32_t self_started;           /* most lines that ports and prefetchers begin in a cycle */
    gpci_event_log *log;             /* event log of the hierarchy; if absent, of `values` or `stage_times`; or NULL */
    gpci_plain_values *values;       /* values of plain caches, with coherence.data; or NULL */
    gpci_stage_times *stage_times;   /* with stats.stages; or NULL */
    gpc_hierarchy_callbacks callbacks;
    gpci_sm_front_end front;
    gpci_kept_access *kept; /* [kept_capacity] by in-flight access, of accesses with values; or NULL */
    size_t kept_capacity;
    bool runs_ahead;            /* SMs may run ahead of the clock (run_ahead.h) */
    bool in_step;               /* SMs may not run ahead: other SMs' copies arrive (multicast.h) */
    uint64_t ahead_limit;       /* last core cycle to which SMs may run ahead, as known in this cycle; 0: not allowed */
    gpc_status failed;          /* a policy chose an impossible victim, or a protocol has no rule */
    gpc_error error;            /* a protocol's description of the failure */
    gpci_data_banks data_banks; /* of L1s */
    uint64_t deadlock_cycles;   /* deadlock.cycles */
    struct {
        uint32_t kind, object; /* checking build: the next object to check */
        bool defective;        /* set by tests that inject a defect: no assertions */
    } checked;
    uint64_t starters; /* number of active parts of L1s that begin lines without an issue: of bulk copies and fences */
    /* state */
    uint32_t inflight_fresh, inflight_free;
    uint64_t in_flight;
    uint64_t taken, ended; /* accesses: gpc_stats.accepted and .completed */
    uint64_t memory_ids;   /* transfers offered to the host's memory so far */
    uint64_t memory_reads; /* reads that the host's memory has not answered */
    uint64_t progress;     /* core cycle of the last completion, acceptance, or request of a bulk copy */
    uint64_t counted_from; /* core cycle since which statistics count */
    struct {               /* for gpc_hierarchy_advance, used when `progress` is long past: */
        uint64_t since;    /* no packet has appeared or ended since this core cycle */
        uint32_t live;     /* packets in flight */
    } still;
};

/* timed_build.c */
gpc_status gpci_timed_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_timed_destroy(gpci_timed *timed);
/* The hierarchy has replaced caches: controllers take the new caches. */
void gpci_timed_relink(gpci_timed *timed);
/*
 * timed_driver.c: tell whether no access and no packet is under way, and all holders are empty (holders.h). Without
 * `memory`, writes accepted by DRAM do not count.
 */
bool gpci_timed_is_idle(gpci_timed *timed, bool memory);
/* State of all work, except the contents of caches (gpci_component_class.state). */
void gpci_timed_state(gpci_timed *timed, gpci_state_fn visit, void *user_data);
/*
 * quiet.c. gpci_timed_is_quiet: true if an SM's L1 has no work under way, and can be emptied. gpci_timed_empty_l1: drop
 * all lines; dirty lines leave as if evicted. Needs no further memory after gpci_timed_reserve_l1 for all dirty lines.
 */
bool gpci_timed_is_quiet(const gpc_hierarchy *hierarchy, uint32_t sm);
gpc_status gpci_timed_reserve_l1(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t lines);
gpc_status gpci_timed_empty_l1(gpc_hierarchy *hierarchy, uint32_t sm);
/* hook.c: the receivers of fills and evictions have changed. */
void gpci_timed_hook(gpci_timed *timed);

/* memory_channel.c */
void gpci_channel_step(const gpci_group *group, uint32_t channel);
void gpci_coherent_channel_step(const gpci_group *group, uint32_t channel);
/* Pass packets of a slice's miss queue to memory while there is room. */
void gpci_channel_send(gpci_timed *timed, gpci_ctrl *slice);
void gpci_coherent_channel_send(gpci_timed *timed, gpci_ctrl *slice);
/* A read has all data from memory: return the data to the slice. */
void gpci_channel_done(gpci_timed *timed, uint32_t packet);
gpc_status gpci_channel_reply(gpci_timed *timed, uint64_t id);
void gpci_channel_ready(gpci_timed *timed, uint32_t channel);
/* Channel of a slice's address, and the address within the channel. */
uint32_t gpci_channel_of(const gpci_timed *timed, uint32_t slice, uint64_t inner, uint64_t *local);

/* The network of a group; or NULL. */
GPCI_INLINE gpci_network *gpci_network_of(const gpci_timed *timed, gpci_group_kind kind) {
    return timed->groups[kind].self;
}

/* ctrl_component.c: connect every controller and channel to networks. All groups exist. */
void gpci_stages_connect(gpci_timed *timed);
/* components.c: add the counters of a slice or channel. */
void gpci_timed_add_object(const gpci_timed *timed, gpci_scope scope, uint32_t index, gpc_stats *stats);
/* Existing networks, by index in the order of GPCI_GROUPS. */
uint32_t gpci_timed_networks(const gpci_timed *timed);
const char *gpci_timed_network_name(const gpci_timed *timed, uint32_t index);
gpci_network_stats gpci_timed_network_stats(const gpci_timed *timed, uint32_t index);
#ifdef GPCI_CHECK
/* count_again.c: count the whole GPU's counters a second time, to check `stats`. */
void gpci_timed_count_again(gpci_timed *timed, gpc_stats *stats);
/* Allocations that the cache of an L1 or a slice refused; false: another object. */
bool gpci_timed_cache_stats_again(const gpci_timed *timed, gpc_object kind, uint32_t index, uint64_t *out);
/* Packets and bytes that have entered a network, counted a second time. */
gpci_network_stats gpci_timed_network_stats_again(const gpci_timed *timed, uint32_t index);
#endif

/* miss.c: gpc_hierarchy_try_miss. */
gpc_status gpci_timed_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token, gpc_busy *out_busy,
                               gpc_error *error);
/*
 * Convert a host's request to a transaction of a level's line. Returns an error text, or NULL. A load has all bytes of
 * the request's sectors. gpci_cut_bytes reduces the bytes: to the bytes that a store writes, that an atomic may write,
 * or that a load uses. `offset`: of the request's address in the line.
 */
const char *gpci_line_of_request(const gpc_hierarchy *hierarchy, const gpci_level *level, const gpc_request *request,
                                 gpci_transaction *line);
void gpci_cut_bytes(const gpc_request *request, uint32_t offset, gpci_transaction *line);
/* transactions.c: gpc_hierarchy_try_transactions. */
gpc_status gpci_timed_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                       uint64_t token, gpc_busy *out_busy, gpc_error *error);
/* issue.c: gpc_hierarchy_try_issue. */
gpc_status gpci_timed_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                gpc_busy *out_busy, gpc_error *error);
/* Issue lines coalesced by a host; `access` describes the instruction without addresses. L1 must have a place. */
GPCI_COLD gpc_status gpci_issue_given(gpci_timed *timed, const gpc_warp_access *access, gpci_transaction *lines,
                                      uint32_t count, uint64_t token);
/*
 * gpci_packets_per_line: most packets caused by a line. gpci_make_packets: make room for all packets that `lines`
 * further lines, and the lines in flight, may cause. gpci_reserve_inflights: make room for the packets, and for an
 * in-flight access (may move the in-flight accesses). gpci_take_inflight: take the in-flight access.
 */
uint64_t gpci_packets_per_line(const gpci_timed *timed);
gpc_status gpci_make_packets(gpci_timed *timed, uint32_t lines);
/* Most lines that begin in the next cycle without an issue: of `starters`, ports and prefetchers. */
uint64_t gpci_lines_to_begin(const gpci_timed *timed, uint64_t starters);
gpc_status gpci_reserve_inflights(gpci_timed *timed, uint32_t lines);
/* Make room for `count` further in-flight accesses, never used before. */
gpc_status gpci_make_inflights(gpci_timed *timed, uint32_t count);
GPCI_INLINE void gpci_give_inflight(gpci_timed *timed, uint32_t number) {
    gpci_inflight *inflight = &timed->inflights[number];
    GPCI_POISON(inflight, sizeof *inflight);
    inflight->next = timed->inflight_free;
    timed->inflight_free = number;
}
uint32_t gpci_take_inflight(gpci_timed *timed, uint32_t sm, uint32_t warp, uint8_t kind, uint64_t token,
                            uint32_t lines);
/* Refuse an instruction for now, because of `reason`. Returns GPC_BUSY. */
gpc_status gpci_refuse(gpci_ctrl *ctrl, gpc_busy reason, gpc_busy *out_busy);
/* timed_fence.c: gpc_hierarchy_try_fence, except for a tree's fences. */
gpc_status gpci_timed_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy,
                                gpc_error *error);
/*
 * Order an access above RELAXED with a scope wider than the SM. gpci_fence_before, before the access is queued: a
 * release enters a fence, and returns the in-flight access of the fence; otherwise returns UINT32_MAX. Room for two
 * in-flight accesses must exist. gpci_fence_around, when the `count` packets of the access are the last before the
 * tags: the packets wait for the fence, and an acquire lets L1 drop its lines before the access completes.
 */
GPCI_COLD uint32_t gpci_fence_before(gpci_timed *timed, const gpc_warp_access *access);
GPCI_COLD void gpci_fence_around(gpci_timed *timed, const gpc_warp_access *access, uint32_t inflight, uint32_t count,
                                 uint32_t fence);
/* All lines of an acquiring access have arrived. */
GPCI_COLD void gpci_fence_after(gpci_timed *timed, uint32_t inflight);
/* A write, atomic or reduction is done. */
GPCI_COLD void gpci_fence_wrote(gpci_timed *timed, const gpci_inflight *inflight);

/* clock.c: end a cycle, after all components have been stepped. */
gpc_status gpci_timed_end_cycle(gpci_timed *timed);
/* End of a run, because no step is due. Returns GPC_END. gpci_timed_next: next cycle with a step; or GPCI_NEVER. */
gpc_status gpci_timed_end(gpci_timed *timed);
uint64_t gpci_timed_next(const gpci_timed *timed);

/* clock.c: calls of a host that need a clock, for plain caches and for a coherent tree. */
extern const struct gpci_clock_calls gpci_timed_cache_clock, gpci_timed_tree_clock;

/* False if a packet's read was counted before the last reset: the read's outcome does not count either. */
GPCI_INLINE bool gpci_is_counted(const gpci_timed *timed, const gpci_packet *packet) {
    return packet->born >= timed->hierarchy->timed->counted_from;
}

/* Bytes of the segments asked for or brought by a packet. */
GPCI_INLINE uint32_t gpci_packet_bytes(const gpci_packet *packet) {
    return gpci_count_sectors(packet->segments) * GPCI_SEGMENT;
}

/*
 * Payload bytes of a packet to L2. A read has none. A write has the sectors, and a mask if the sectors are not written
 * whole. An atomic of at most 8 bytes has only the bytes.
 */
GPCI_INLINE uint32_t gpci_packet_payload(const gpci_timed *timed, const gpci_packet *pkt) {
    if (pkt->type == GPCI_READ)
        return 0;
    const uint32_t bytes = gpci_packet_bytes(pkt);
    if (GPCI_LIKELY(!timed->write_mask))
        return bytes;
    const uint32_t written = gpci_popcount(pkt->bytes[0]) + gpci_popcount(pkt->bytes[1]);
    if (pkt->type == GPCI_ATOMIC)
        return written <= 8 ? written : bytes + timed->write_mask;
    return written < bytes ? bytes + timed->write_mask : bytes;
}

/* Address that selects a bank of the tags: of the packet's line; if every sector is a packet, of the sector. */
GPCI_INLINE uint64_t gpci_packet_place(const gpci_timed *timed, const gpci_packet *packet) {
    return GPCI_UNLIKELY(timed->hierarchy->sector_packets) && packet->segments
               ? packet->address + gpci_lowest(packet->segments) * GPCI_SEGMENT
               : packet->address;
}

/*
 * gpci_l1_has_place: true if an SM's memory pipeline accepts another instruction. gpci_l1_entrance: queue for the lines
 * of the instruction.
 */
GPCI_INLINE bool gpci_l1_has_place(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    const gpci_intake *intake = ctrl->intake;
    return GPCI_UNLIKELY(intake != NULL) && intake->has_place ? intake->has_place(ctrl)
                                                              : ctrl->sm.waiting < timed->l1_queue;
}
GPCI_INLINE gpci_queue *gpci_l1_entrance(gpci_ctrl *ctrl, uint32_t warp) {
    const gpci_intake *intake = ctrl->intake;
    return GPCI_UNLIKELY(intake != NULL) && intake->entrance ? intake->entrance(ctrl, warp) : ctrl->entrance;
}

/* Put a packet into an L1's miss queue, to leave after `cycles`. Packets on the way count as in the queue. */
GPCI_INLINE void gpci_l1_queue_miss(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint32_t cycles) {
    timed->pool.links[packet].due = timed->wheel.now + cycles;
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, packet);
}

/* L2 line of an address. */
GPCI_INLINE uint64_t gpci_l2_line(const gpci_timed *timed, uint64_t address) {
    return address & ~(uint64_t)(timed->hierarchy->l2_level.line_bytes - 1);
}

/*
 * Leave a waiter in place of a packet. The waiter has only the first cache line, with the fields that complete the line
 * transaction. Returns GPCI_NO_PACKET without room for a waiter, or with an event log, which needs whole packets.
 */
GPCI_INLINE uint32_t gpci_leave_target(gpci_timed *timed, const gpci_packet *pkt) {
    const uint32_t mshr_target =
        GPCI_UNLIKELY(timed->log != NULL) ? GPCI_NO_PACKET : gpci_pool_take_target(&timed->pool);
    if (mshr_target == GPCI_NO_PACKET)
        return mshr_target;
    gpci_packet *target = gpci_packet_at(&timed->pool, mshr_target);
    memcpy(target, pkt, offsetof(gpci_packet, request));
    target->flags |= GPCI_PACKET_TARGET;
    return mshr_target;
}

/* Prefetch all three cache lines of a packet into the CPU's cache. */
GPCI_INLINE void gpci_sw_prefetch_packet(const gpci_timed *timed, uint32_t packet) {
    const char *p = (const char *)gpci_packet_at(&timed->pool, packet);
    GPCI_PREFETCH(p);
    GPCI_PREFETCH(p + 64);
    GPCI_PREFETCH(p + 128);
}

/* Threads. */
/* shards.c: the view of an SM's shard; add the shards' counts to the hierarchy. */
gpci_timed *gpci_shards_of_sm(gpci_timed *timed, uint32_t sm);
void gpci_shards_fold(gpci_timed *timed);
GPCI_INLINE gpci_timed *gpci_timed_of_sm(gpci_timed *timed, uint32_t sm) {
    return GPCI_LIKELY(!timed->shards) ? timed : gpci_shards_of_sm(timed, sm);
}

GPCI_INLINE void gpci_timed_fold(gpci_timed *timed) {
    if (GPCI_UNLIKELY(timed->shards != NULL))
        gpci_shards_fold(timed);
}

/* True if an L1, or the SM, has already been stepped in the clock's cycle. */
GPCI_INLINE bool gpci_is_behind(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    return GPCI_UNLIKELY(ctrl->ahead.until >= timed->wheel.now);
}

/* True if a load must find the line's present value: a strong load of a scope wider than the SM, or a load of .cv. */
GPCI_INLINE bool gpci_reads_anew(const gpc_request *request) {
    return request->kind == GPC_LOAD &&
           (request->hint == GPC_HINT_CV || (request->order != GPC_ORDER_WEAK && gpci_scope_is_wide(request->scope)));
}

/* The event log (event_log.h). */

/* A controller acts on a packet. `detail`: gpc_event.outcome; for SERVE, gpc_event.until; for MSHR_MERGE, .value. */
GPCI_INLINE void gpci_log_event(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                uint64_t detail) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_event(timed, what, ctrl, pkt, detail);
}

/*
 * gpci_log_issue: a warp access was accepted, and the queue ends with the access's `count` line transactions.
 * gpci_log_miss: a request of gpc_hierarchy_try_miss was accepted.
 */
GPCI_INLINE void gpci_log_issue(gpci_timed *timed, const gpci_queue *queue, uint32_t inflight, uint32_t count,
                                uint32_t segments) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_issue(timed, queue, inflight, count, segments);
}
GPCI_INLINE void gpci_log_miss(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t inflight, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_miss(timed, ctrl, inflight, packet);
}

/*
 * Packet `parent` causes a new packet, which enters the miss queue. `parent` NULL: the cause is the last packet that
 * passed the controller's tags, or filled the cache. `passes`: the cache does not keep the data.
 */
GPCI_INLINE void gpci_log_new_packet(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, uint32_t packet,
                                     const gpci_packet *parent, bool passes) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_new_packet(timed, what, ctrl, packet, parent, passes);
}

/* A copy of a store was made, to be sent below while the store waits for a fetch. */
GPCI_INLINE void gpci_log_copy(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_copy(timed, ctrl, packet);
}

/* gpci_log_bulk: a bulk copy was accepted. gpci_log_bulk_request: a request of a bulk copy was created. */
GPCI_INLINE void gpci_log_bulk(gpci_timed *timed, const struct gpci_bulk_entry *copy) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_bulk(timed, copy);
}
GPCI_INLINE void gpci_log_bulk_request(gpci_timed *timed, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_bulk_request(timed, packet);
}

/* A reply was copied for a further SM: the copy gets the label, and the times so far, of the reply. */
GPCI_INLINE void gpci_log_fork(gpci_timed *timed, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_fork(timed, packet);
}

/* A packet enters the miss queue. `passes`: the cache does not keep the data. */
GPCI_INLINE void gpci_log_queued(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, bool passes) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_queued(timed, ctrl, pkt, passes);
}

/* L1 serves a packet without data from below. The data have passed the data port at `due`. */
GPCI_INLINE void gpci_log_hit(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, uint64_t due) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_hit(timed, ctrl, pkt, due);
}

/* Packet `mshr_target` waits at an MSHR entry, new or old. In L1 it may be the copy that load `packet` leaves. */
GPCI_INLINE void gpci_log_waits(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet, uint32_t mshr_target) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_waits(timed, ctrl, packet, mshr_target);
}

GPCI_INLINE void gpci_log_lookup(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                 const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_lookup(timed, ctrl, pkt, access);
}

/* gpci_log_blocked: a packet is held up at the tags. gpci_log_released: the packet is no longer held up. */
GPCI_INLINE void gpci_log_blocked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                  const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_blocked(timed, ctrl, pkt, access);
}
GPCI_INLINE void gpci_log_released(const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(ctrl->timed->log != NULL))
        gpci_append_released(ctrl, access);
}

/* A line leaves the cache because of a packet. */
GPCI_INLINE void gpci_log_eviction(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                   const gpc_eviction *eviction) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_leaves(timed, ctrl, pkt, eviction);
}

GPCI_INLINE void gpci_log_done(gpci_timed *timed, const gpci_inflight *inflight) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_done(timed, inflight);
}

/* A warp access is done, and waits for the host's credit; now `count` accesses wait. */
GPCI_INLINE void gpci_log_held(gpci_timed *timed, const gpci_inflight *inflight, uint32_t count) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_held(timed, inflight, count);
}

GPCI_INLINE void gpci_log_data(gpci_timed *timed, const gpci_packet *pkt) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_data(timed, pkt);
}

/* True for a tree's message, or memory access, sent without an event log: no label. */
GPCI_INLINE bool gpci_is_bare(const gpci_timed *timed, const gpci_packet *pkt) {
    return timed->coherent && pkt->flags & GPCI_PACKET_MESSAGE;
}

/* Bit of the token of a write's bursts: the token has the event id, because the packet is gone when DRAM writes. */
#define GPCI_WRITE_TOKEN ((uint64_t)1 << 63)
GPCI_INLINE uint64_t gpci_burst_token(const gpci_timed *timed, const gpci_packet *pkt, uint32_t packet) {
    if (pkt->type != GPCI_WRITE)
        return packet;
    const bool notified = GPCI_UNLIKELY(timed->log != NULL) && !gpci_is_bare(timed, pkt);
    return (notified ? gpci_label_of(&timed->pool, pkt)->id : 0) | GPCI_WRITE_TOKEN;
}

/*
 * The first packet of a queue at a controller's tags. The packet leaves the queue before passing the tags, because it
 * may enter another queue when passing. It counts as in the queue until passed.
 */

/* Take the first packet out of a queue. Returns the packet that is now first. */
GPCI_INLINE uint32_t gpci_tags_take(const gpci_timed *timed, gpci_queue *queue) {
    return queue->first = timed->pool.links[queue->first].next;
}

/* Put a held-up packet back as first of the queue, before `next`. */
GPCI_INLINE void gpci_tags_put_back(gpci_timed *timed, const gpci_ctrl *ctrl, gpci_queue *queue, uint32_t packet,
                                    uint32_t next, const gpci_tag_access *access) {
    gpci_log_blocked(timed, ctrl, gpci_packet_at(&timed->pool, packet), access);
    timed->pool.links[packet].next = next;
    queue->first = packet;
}

/* A packet has passed the tags: the tags are free for the next packet. */
GPCI_INLINE void gpci_tags_free(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now) {
    gpci_ctrl_unblock(ctrl, access, now);
    access->looked = false;
}

/* A packet has passed the tags, and no longer counts as in the queue. */
GPCI_INLINE void gpci_tags_passed(gpci_ctrl *ctrl, gpci_queue *queue, gpci_tag_access *access, uint64_t now) {
    gpci_gauge_go(&queue->gauge, now, 1);
    gpci_gauge_set(&queue->gauge, now, --queue->count);
    gpci_tags_free(ctrl, access, now);
}

#endif
