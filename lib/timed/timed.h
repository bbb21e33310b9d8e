/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_TIMED_H
#define GPC_TIMED_TIMED_H

#include "dram/dram.h"
#include "level/access/fence.h"
#include "level/access/warp_access.h"
#include "level/rules/cache_lines.h"
#include "timed/sm_front_end.h"
#include "timed/stage.h"

#include <string.h>

/*
 * The hierarchy with a clock: stages (L1s and L2 slices: a cache, its MSHRs, its
 * ports and queues), networks between them, memory channels below. A packet is in
 * one place at a time; what blocks it wakes it.
 *
 * Nothing can lock up: a reply is always taken by whom it is for (but for a host that grants no credits, replies.h), a
 * channel always drains, and what comes from the other partition needs nothing but its home slice's channel.
 */

/* A fence, where a gpc_kind is asked for: beyond all of them. */
#define GPCI_KIND_FENCE GPC_KIND_COUNT
/* A bulk copy, likewise; its kind is in `fence.phase`. */
#define GPCI_KIND_COPY (GPC_KIND_COUNT + 1)

/* An accepted warp instruction, a fence, or request of gpc_hierarchy_try_miss. */
typedef struct gpci_flight {
    uint64_t token, issued;
    uint64_t due; /* core cycle at which its last hit's data are there */
    uint32_t sm, warp;
    uint32_t left;        /* lines that are not done */
    uint32_t next;        /* free, or in an L1's list of those that become due */
    uint32_t unsignalled; /* accesses of which its load/store unit has not been told yet (lsu.h) */
    uint8_t kind, level;
    bool framed;         /* from an SM of this library */
    bool acquires;       /* L1 drops its lines before it completes */
    bool constant;       /* a load of constants: its hits have a data port of their own (constant_cache.h) */
    bool performed;      /* a write that acquires: its fences know that it is done, though it does not complete yet */
    uint16_t turns;      /* of a load or store, of the banks of L1's data (data_banks.h); 0: they are not limited */
    uint32_t epoch;      /* fences that its SM had accepted before it */
    struct {             /* kind GPCI_KIND_FENCE */
        uint32_t writes; /* in flight, that came before it and behind the fence before it */
        uint8_t phase;   /* gpci_fence_phase */
        uint8_t marks;   /* in a tree: its markers have set out, 1; are back, 2 (coherent_sweep.c) */
        uint16_t sweep;  /* likewise: how far its acquire has come */
        gpci_fence_plan plan;
        uint32_t held, held_count; /* packets of the access that it stands before; none: it is a host's */
    } fence;
    struct { /* for the trace of events; id 0: the rest is undefined */
        uint64_t id, pc, address;
        uint32_t block;
    } trace;
} gpci_flight;

/* Before a DRAM channel, or a channel of the host's memory. */
typedef struct gpci_memory_channel {
    gpci_network *requests_in, *replies_out; /* links to slices; NULL: slices put packets into the channel themselves */
    gpci_queue replies;                      /* before the link */
    gpci_queue delayed;                      /* before the channel's queue, with dram.latency_at = request */
    uint64_t ticked;                         /* DRAM cycle up to which one a cycle has entered and left that */
    uint32_t waiting;                        /* packet that waits for room in the channel; GPCI_NO_PACKET */
    uint32_t component;
    bool host_full; /* the host's memory refused, and has not said that it is ready */
    /* the host's memory has what a read asks for: gpci_channel_done, or gpci_message_memory_done */
    void (*done)(struct gpci_timed *t, uint32_t packet);
} gpci_memory_channel;

/* A slice's atomic unit (atomic_unit.h). */
typedef struct gpci_atomic_options {
    uint32_t cycles; /* of L2, a turn; 0: as many turns at once as there are to do */
    uint32_t width;  /* of the part of a line that a turn is for */
    uint64_t lanes;  /* most of a turn */
} gpci_atomic_options;

typedef struct gpci_plain_values gpci_plain_values; /* plain_values.h */
typedef struct gpci_kept_access gpci_kept_access;   /* kept_access.h */
typedef struct gpci_stage_times gpci_stage_times;   /* stage_times.h */

struct gpci_timed {
    gpc_hierarchy *h;
    gpc_context *context;
    gpci_wheel wheel;
    gpci_pool pool;
    gpci_flight *flights; /* [flight_room] */
    uint32_t flight_room, flight_fresh, flight_free;
    uint32_t flight_stride;       /* flights of other strands between two chunks of this one's */
    uint32_t strand;              /* whose view this is, if it is one */
    struct gpci_strands *strands; /* strands.h; NULL: one thread */
    uint64_t in_flight;
    gpci_stage *l1; /* [sms] */
    gpci_stage *l2; /* [slices] */
    gpci_stage_options l1_options, l2_options;
    gpci_stage_options constants_options; /* with const.size, */
    gpci_level constants_level;           /* likewise */
    gpci_stage *l15;                      /* [l15_count], with l15.size, */
    gpci_stage_options l15_options;
    gpci_level l15_level; /* likewise */
    gpci_reorder_options reorder_options;
    gpci_clock network_clock, dram_clock;
    gpci_stage *clusters;            /* [clusters] of SMs, coherent */
    struct gpci_gpu_port *gpu_ports; /* [gpus] of several (coherent_link.c) */
    gpci_stage_options cluster_options;
    struct gpci_coherent_host *coherent; /* of a tree's controllers; NULL: L1s and slices are caches of their own */
    gpc_dram *dram;
    uint32_t channels, slices_per_channel, channels_per_slice, burst;
    uint8_t bursts_of[16]; /* segments of a line -> bursts that hold any of them: bit n = n bursts from its begin */
    uint64_t interleave_bytes;
    gpci_memory_channel *memory; /* [channels] */
    uint32_t header, write_mask, write_to_read, rop_latency, l1_queue, issue_latency, miss_latency, bypass_latency,
        release_width, release_latency;
    bool rop_apart;       /* l2.intake = queue */
    uint64_t dram_delay;  /* DRAM cycles, with dram.latency_at = request; 0: requests are in the channel at once */
    uint32_t longest_way; /* of these two latencies */
    gpci_atomic_options atomic_unit;
    uint32_t bundle_line; /* bytes of a line whose sectors' messages may leave as one packet, in a tree; 0: none do */
    uint32_t bypass_room; /* packets beyond L1's miss queue, for loads that go past it because it is full */
    gpci_group groups[GPCI_GROUP_COUNT];
    uint8_t *group_of;               /* [components] gpci_group_kind */
    uint64_t *expected;              /* bitmap of components whose steps are expected, */
    uint32_t expect_from, expect_to; /* the first and the last of them */
    gpci_trace *trace;               /* the hierarchy's; with `values` or `stage_times`, if it has none, theirs */
    gpci_plain_values *values;       /* of plain caches, with coherence.data; NULL */
    gpci_stage_times *stage_times;   /* with stats.stages; NULL */
    gpc_hierarchy_callbacks callbacks;
    gpci_sm_front_end front;
    gpci_kept_access *kept; /* [kept_room] by flight, of accesses that carry values; NULL */
    size_t kept_room;
    bool runs_ahead;       /* SMs may run ahead of the clock (run_ahead.h), */
    bool in_step;          /* they may not, as others' copies reach them (multicast.h) */
    uint64_t ahead_limit;  /* in this cycle, as far as that; 0: not */
    gpc_status failed;     /* a policy chose an impossible victim, or a protocol has no rule */
    gpc_error error;       /* what a protocol says of it */
    uint64_t taken, ended; /* accesses: gpc_stats.accepted and .completed */
    uint64_t memory_ids;   /* given to the host's memory so far */
    uint64_t memory_reads; /* that it has, and has not answered */
    uint64_t progress;     /* core cycle of the last completion or acceptance */
    uint64_t counted_from; /* core cycle since which statistics count */
    struct {               /* for gpc_hierarchy_advance, which looks when `progress` is long past: */
        uint64_t since;    /* no packet has come or gone since this core cycle, */
        uint32_t live;     /* and there are so many */
    } still;
    gpci_data_banks data_banks; /* of L1s */
    uint64_t rested;            /* 1 + `progress` when all holders were empty and nothing was due; 0 */
    struct {
        uint32_t kind, object; /* of the checking build: the next object to check */
        bool defective;        /* set by tests that inject a defect: nothing is asserted */
    } checked;
};

/* timed_build.c */
gpc_status gpci_timed_create(gpc_hierarchy *h, gpc_error *error);
void gpci_timed_destroy(gpci_timed *t);
/* The hierarchy has replaced its caches: stages take the new ones. */
void gpci_timed_relink(gpci_timed *t);
/*
 * timed_driver.c: tell whether no access and no packet is under way, and all holders are empty (holders.h). Without
 * `memory`, writes that DRAM has taken do not count.
 */
bool gpci_timed_is_idle(gpci_timed *t, bool memory);
/* All that it is doing, but for what its caches hold (gpci_component_class.state). */
void gpci_timed_state(gpci_timed *t, gpci_state_fn visit, void *user_data);
/* quiet.c: has an SM's L1 nothing under way? Then it can be emptied: dirty lines leave as if evicted. */
bool gpci_timed_is_quiet(const gpc_hierarchy *h, uint32_t sm);
gpc_status gpci_timed_empty_l1(gpc_hierarchy *h, uint32_t sm);
/* hook.c: who wants to hear of fills and evictions has changed. */
void gpci_timed_hook(gpci_timed *t);

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
/* components.c: what one slice or channel has counted is added. */
void gpci_timed_add_object(const gpci_timed *t, gpci_scope scope, uint32_t index, gpc_stats *stats);
/* Networks that there are, by index in the order of GPCI_GROUPS. */
uint32_t gpci_timed_networks(const gpci_timed *t);
const char *gpci_timed_network_name(const gpci_timed *t, uint32_t index);
gpci_network_stats gpci_timed_network_stats(const gpci_timed *t, uint32_t index);

/* miss.c: gpc_hierarchy_try_miss, gpc_hierarchy_check_miss. */
gpc_status gpci_timed_try_miss(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy);
gpc_status gpci_timed_check_miss(const gpc_hierarchy *h, const gpc_request *request, gpc_error *error);
/*
 * A host's request as a transaction of one line of a level. Returns what is wrong with it, NULL: nothing. The bytes of
 * a load are those of its sectors; gpci_cut_bytes leaves of the bytes of a store those that it writes, of an atomic
 * those that it may, of a load those that it uses. `offset`: of its address in the line.
 */
const char *gpci_line_of_request(const gpc_hierarchy *h, const gpci_level *level, const gpc_request *request,
                                 gpci_transaction *line);
void gpci_cut_bytes(const gpc_request *request, uint32_t offset, gpci_transaction *line);
/* transactions.c: gpc_hierarchy_try_transactions, gpc_hierarchy_check_transactions. */
gpc_status gpci_timed_try_transactions(gpc_hierarchy *h, const gpc_request *requests, uint32_t count, uint64_t token,
                                       gpc_busy *out_busy);
gpc_status gpci_timed_check_transactions(const gpc_hierarchy *h, const gpc_request *requests, uint32_t count,
                                         gpc_error *error);
/* issue.c: gpc_hierarchy_try_issue. */
gpc_status gpci_timed_try_issue(gpc_hierarchy *h, const gpc_warp_access *access, uint64_t token, gpc_busy *out_busy);
/* Lines that a host has coalesced, of an instruction of which `access` says all but addresses. There is place. */
GPCI_COLD gpc_status gpci_issue_given(gpci_timed *t, const gpc_warp_access *access, gpci_transaction *lines,
                                      uint32_t count, uint64_t token);
/*
 * Packets for `lines` lines, with all that may follow from them and from what is in flight; the same, and a flight,
 * which may move the others; that flight.
 */
uint64_t gpci_packets_per_line(const gpci_timed *t);
gpc_status gpci_make_packets(gpci_timed *t, uint32_t lines);
gpc_status gpci_make_room(gpci_timed *t, uint32_t lines);
/* Flights that were never used, for `count` more. */
gpc_status gpci_make_flights(gpci_timed *t, uint32_t count);
GPCI_INLINE void gpci_give_flight(gpci_timed *t, uint32_t number) {
    gpci_flight *flight = &t->flights[number];
    GPCI_POISON(flight, sizeof *flight);
    flight->next = t->flight_free;
    t->flight_free = number;
}
uint32_t gpci_take_flight(gpci_timed *t, uint32_t sm, uint32_t warp, uint8_t kind, uint64_t token, uint32_t lines);
/* Not accepted now. GPC_BUSY. */
gpc_status gpci_refuse(gpci_stage *stage, gpc_busy reason, gpc_busy *out_busy);
/* timed_fence.c: gpc_hierarchy_try_fence; a tree's fences are not of this kind. */
gpc_status gpci_timed_try_fence(gpc_hierarchy *h, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy);
/*
 * An access above RELAXED whose scope is wider than the SM. Before it is queued: a release has a fence before it,
 * which is returned; UINT32_MAX: none. There is room for two flights. And when its `count` packets are the last
 * before the tags: with that fence they wait for it, and an acquire empties L1 before it completes.
 */
GPCI_COLD uint32_t gpci_fence_before(gpci_timed *t, const gpc_warp_access *w);
GPCI_COLD void gpci_fence_around(gpci_timed *t, const gpc_warp_access *w, uint32_t flight, uint32_t count,
                                 uint32_t fence);
/* All lines of such an acquire are here. */
GPCI_COLD void gpci_fence_after(gpci_timed *t, uint32_t flight);
/*
 * May a read not be served with data that are out of date: a strong load whose scope is wider than the SM, or one of an
 * SM that has acquired? Others may: without fences no program can tell how old its data are.
 */
bool gpci_fence_needs_new(const gpci_timed *t, const gpci_packet *packet);
/* A write, atomic or reduction is done. */
GPCI_COLD void gpci_fence_wrote(gpci_timed *t, const gpci_flight *flight);

/* engine.c: a cycle's components have been stepped: what it comes to. When something happens next. */
gpc_status gpci_timed_end_cycle(gpci_timed *t);
/* Nothing is due: GPC_END. */
gpc_status gpci_timed_end(gpci_timed *t);
uint64_t gpci_timed_next(const gpci_timed *t);

/* clock_calls.c: what else is asked of the clock; of caches, and of a coherent tree. */
extern const struct gpci_clock_calls gpci_timed_cache_clock, gpci_timed_tree_clock;

/* Bytes of the segments that a packet asks for or brings. */
GPCI_INLINE uint32_t gpci_packet_bytes(const gpci_packet *packet) {
    return gpci_count_sectors(packet->segments) * GPCI_SEGMENT;
}

/* Bytes that a packet takes to L2: sectors, and where they are not written whole a mask; an atomic's word is alone. */
GPCI_INLINE uint32_t gpci_packet_payload(const gpci_timed *t, const gpci_packet *p) {
    if (p->type == GPCI_READ)
        return 0;
    const uint32_t bytes = gpci_packet_bytes(p);
    if (GPCI_LIKELY(!t->write_mask))
        return bytes;
    const uint32_t written = gpci_popcount(p->bytes[0]) + gpci_popcount(p->bytes[1]);
    if (p->type == GPCI_ATOMIC)
        return written <= 8 ? written : bytes + t->write_mask;
    return written < bytes ? bytes + t->write_mask : bytes;
}

/* Where its line is, or where each sector is a packet, its sector. */
GPCI_INLINE uint64_t gpci_packet_place(const gpci_timed *t, const gpci_packet *packet) {
    return GPCI_UNLIKELY(t->h->sectors_apart) && packet->segments
               ? packet->address + gpci_lowest(packet->segments) * GPCI_SEGMENT
               : packet->address;
}

/* A packet is in an L1's miss queue, and can leave it after `cycles`: what is on its way there counts as in it. */
GPCI_INLINE void gpci_l1_queue_miss(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint32_t cycles) {
    t->pool.links[packet].due = t->wheel.now + cycles;
    gpci_queue_push(&stage->out, &t->pool, t->wheel.now, packet);
}

/* The line of L2 that an address lies in. */
GPCI_INLINE uint64_t gpci_l2_line(const gpci_timed *t, uint64_t address) {
    return address & ~(uint64_t)(t->h->l2_level.line_bytes - 1);
}

/*
 * Who waits in place of a packet: just what is needed to complete its line, one cache line. A trace of events knows
 * packets by more than that. GPCI_NO_PACKET: there is none.
 */
GPCI_INLINE uint32_t gpci_leave_waiter(gpci_timed *t, const gpci_packet *p) {
    const uint32_t waiter = GPCI_UNLIKELY(t->trace != NULL) ? GPCI_NO_PACKET : gpci_pool_take_waiter(&t->pool);
    if (waiter == GPCI_NO_PACKET)
        return waiter;
    gpci_packet *w = gpci_packet_at(&t->pool, waiter);
    memcpy(w, p, offsetof(gpci_packet, request));
    w->flags |= GPCI_PACKET_WAITER;
    return waiter;
}

/* All of a packet that a stage looks at. */
GPCI_INLINE void gpci_expect_packet(const gpci_timed *t, uint32_t packet) {
    const char *p = (const char *)gpci_packet_at(&t->pool, packet);
    GPCI_PREFETCH(p);
    GPCI_PREFETCH(p + 64);
    GPCI_PREFETCH(p + 128);
}

#endif
