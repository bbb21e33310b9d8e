/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_STAGE_H
#define GPC_TIMED_STAGE_H

#include "level/rules/level_rules.h"
#include "timed/coalescer.h"
#include "timed/component.h"
#include "timed/network.h"
#include "timed/reorder.h"

/*
 * A stage: an L1 or an L2 slice, as a cache with MSHRs, ports and queues. stage.c is what both do, l1.c and l2.c what
 * each does besides.
 *
 *   packets from above -> in -> tags -> out -> to below
 *                                |
 *                           MSHR entry: who waits for the line
 *                                |
 *                replies <- released <- fill <- replies from below
 */

typedef struct gpci_timed gpci_timed;
typedef struct gpci_collector gpci_collector;

/*
 * A bucket of a coherent stage's MSHR table: its first entry's line beside the leader, so that most searches touch no
 * packet. Entries are chained through their packets, for they leave one by one, which those of a gpci_map cannot.
 */
typedef struct gpci_mshr_bucket {
    uint64_t line;   /* number */
    uint32_t leader; /* GPCI_NO_PACKET: empty; further ones are chained through the packets */
} gpci_mshr_bucket;

/*
 * The same for caches, a cache line of the processor's: so many entries are told by the upper half of what their lines'
 * numbers hash to, whose lower bits tell the row, and hardly any search touches a packet but the one that it is for.
 * What does not fit is chained. With all of 512 entries in use there are four a row.
 */
#define GPCI_MSHR_ROW 9u
typedef struct gpci_mshr_row {
    uint16_t tags[GPCI_MSHR_ROW], count;
    uint32_t leaders[GPCI_MSHR_ROW], chain; /* GPCI_NO_PACKET: all are in the row */
    uint32_t reserved;
} gpci_mshr_row;

/* Misses in flight, by line. */
typedef struct gpci_mshr {
    gpci_mshr_bucket *buckets; /* of coherent stages, */
    gpci_mshr_row *rows;       /* and of all others: [mask + 1] */
    uint32_t mask;
    uint32_t used[2]; /* entries: of lines homed here, and in the other partition */
    uint16_t entry;   /* of the last one: gpci_packet_mshr.entry */
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
    uint8_t flags;    /* of a coherent L1: GPC_ACCESS_ bits that its predictor adds to the access's own */
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

/* Banks of L1's data (data_banks.h). */
typedef struct gpci_data_banks {
    uint32_t count; /* 0: none */
    unsigned shift; /* log2 of a word's bytes */
    bool whole;     /* they have all of a line at once */
} gpci_data_banks;

/* Flights in the order in which they become due. */
typedef struct gpci_due_list {
    uint32_t first, last; /* UINT32_MAX: none */
} gpci_due_list;

/* A level's resources. */
typedef struct gpci_stage_options {
    uint32_t latency, ports, banks, data_width, fill_width; /* cycles and bytes of the stage's clock */
    uint64_t entries, merges;
    bool on_miss;
    bool replaceable; /* L1: lines on their way may be replaced, and are fetched again for who misses them then */
    bool by_sector;   /* merges are those of a sector */
    bool drains;      /* L1: MSHR entries stay until all who wait with them have their turn: drain.h */
    bool reserves;    /* L1: a load that comes to such an entry when its line has gone reserves one: drain.h */
    bool apart;       /* L1: each sector is a packet, and they pass beside each other: l1.coalescer = sector */
    bool part;        /* L1: what bypasses fetches just the segments that it needs, not all of its sectors */
    bool hashed;      /* L1: lines to banks of the tags: gpci_tag_banks */
    gpci_clock clock;
} gpci_stage_options;

typedef struct gpci_stage_counts {
    uint64_t failures[GPC_BUSY_COUNT], stalls[GPC_BUSY_COUNT];
    uint64_t passed[GPC_BUSY_COUNT]; /* L1: loads that would have been held up, and went past it */
    uint64_t bank_failures;
    uint64_t data_turns, data_conflicts, data_waits; /* L1, with l1.data_banks: cycles */
} gpci_stage_counts;

struct gpci_fetch_request;
struct gpci_lsus;
struct gpci_combine;

/*
 * What an L1 and an L2 slice do differently as stages; the rest is in stage.c, for both. Each stage of caches has one
 * of the two tables; coherent modules, whose packets pass their own way, look at none of it.
 */
typedef struct gpci_stage_rules {
    /* `waiter` has an MSHR entry and lacks segments of its line: send for them. */
    void (*send)(gpci_timed *t, struct gpci_stage *stage, const struct gpci_fetch_request *asked);
    /* A dirty line leaves the cache. */
    void (*evicted)(gpci_timed *t, struct gpci_stage *stage, const gpc_eviction *eviction);
    /* A packet that waited at an MSHR entry has its data. */
    void (*released)(gpci_timed *t, struct gpci_stage *stage, uint32_t packet, uint8_t level);
    /* A packet at the tags lacks `reason`: it is held up, or it goes another way. `leader`: its line's MSHR entry. */
    gpci_verdict (*hold_up)(gpci_timed *t, struct gpci_stage *stage, uint32_t packet, gpci_tag_access *access,
                            uint32_t leader, gpc_busy reason);
    /* The cache had no way for sectors of a read: they have passed it by. */
    void (*passed_by)(struct gpci_stage *stage, const gpc_request *request, uint8_t sectors);
} gpci_stage_rules;

/* Fences of an SM, in the order of their acceptance, and what they wait for (timed_fence.c). */
typedef struct gpci_fences {
    uint32_t first, last; /* flights; UINT32_MAX: none */
    uint32_t count;       /* so far: tells which writes came before one */
    uint32_t writes;      /* in flight, that none of them is to wait for */
    uint32_t fetches[2];  /* reads of L1 in flight, by the generation in which they set out */
    uint8_t generation;   /* changes, 0 or 1, when L1 drops its lines */
    uint64_t dropped_at;  /* core cycle at which it last did; GPCI_NEVER */
    uint32_t walker;      /* flight of that for which dirty lines are being written back; UINT32_MAX */
    size_t slot;          /* how far it has come, */
    bool held_up;         /* the miss queue being full */
} gpci_fences;

/* Of an SM whose host may limit its replies (replies.h). */
typedef struct gpci_replies {
    uint64_t credits;     /* left; GPC_UNLIMITED_CREDITS */
    uint64_t since;       /* core cycle from which some have waited for one; GPCI_NEVER */
    uint64_t waited;      /* cycles, before that */
    uint32_t first, last; /* flights that are done, but for that; UINT32_MAX: none */
    uint32_t count;       /* of them */
    bool limited;         /* credits have been */
} gpci_replies;

typedef struct gpci_stage {
    const gpci_stage_rules *rules;
    /* L1: packets are about the stage's own lines, their address and segments; of an L2 slice their requests alone. */
    bool own_lines;
    bool loads_go;          /* L1: a load that misses goes below itself, and leaves behind who waits for it */
    gpc_cache *cache;       /* NULL: everything passes */
    const gpci_level *line; /* its segments and sectors */
    gpci_timed *timed;      /* that it belongs to */
    const gpci_stage_options *options;
    uint32_t component;
    /* Networks; NULL: none. From above, for a cluster or a slice; */
    gpci_network *requests_in, *replies_out;
    /* to below, for an L1, a cluster, or a slice with a link to its channels; */
    gpci_network *requests_out, *replies_in;
    /* to the slices of the other partition and from them. */
    gpci_network *peer_requests, *peer_replies;
    gpci_lrc *coalescer;  /* of an L1, before its network; NULL: none */
    uint32_t index;       /* SM, or slice over both partitions */
    uint8_t level;        /* 1 or 2 */
    uint64_t ahead_until; /* L1: it and its SM have had their steps up to this core cycle (run_ahead.h); */
    uint64_t passed_at;   /* and the one at this, the clock being behind, as far as its miss queue */
    gpci_mshr mshr;
    gpci_queue in;      /* before the tags */
    gpci_queue out;     /* miss queue: to the network, or to memory */
    gpci_queue rop;     /* L2: on the way from the network to `in`, with l2.intake = queue */
    gpci_queue served;  /* L2: data on their way to the reply network */
    gpci_queue fills;   /* L2: data from memory; L1: data that another SM's read brought along */
    uint64_t tag_cycle; /* own cycle in which ports and banks were last used */
    uint64_t banks_used;
    uint64_t data_free, fill_free; /* own cycles from which on the ports are free */
    uint64_t congested_since;      /* L2: the network's packet could not enter; GPCI_NEVER */
    uint64_t unsent_since;         /* L1: the miss queue's head waits for the network; GPCI_NEVER */
    uint32_t ports_used;
    uint32_t data_left;            /* bytes that the data port has room for in the cycle before `data_free` */
    uint32_t link_at;              /* L2: the other partition's packet at the tags; GPCI_NO_PACKET */
    bool memory_full;              /* L2: its channel takes no more for now */
    gpci_tag_access tag_access[2]; /* of the requests from above, and of those from the other partition */
    gpci_queue link;               /* L2: to the other partition */
    gpci_queue atomics;            /* L2: as `served`, of atomics, where the atomic unit is limited */
    gpci_queue
        returned; /* L2: what the other partition did for an SM of this one; coherent: held up for an MSHR entry; */
                  /* coherent L1: who waited with an MSHR entry, and looks again */
    gpci_queue across[2];             /* coherent L2: to the other partition: requests; and all others */
    uint64_t atomic_free;             /* L2: own cycle from which on its atomic unit is */
    uint64_t release_free;            /* L1: those that waited have what they asked for by then */
    uint32_t drain_first, drain_last; /* L1: leaders of entries that stay until then (drain.h); GPCI_NO_PACKET */
    gpci_stage_counts counts;
    uint64_t congested, unsent;
    uint64_t atomic_waits, atomic_busy; /* L2: own cycles */
    uint64_t written_waits;             /* L2: likewise, of its tags */
    /* L1 */
    gpci_reorder *reorder;              /* between coalescer and tags; NULL: none */
    struct gpci_prefetch *prefetch;     /* of plain caches, with l1.prefetcher, l2.prefetcher (prefetch.h); NULL */
    struct gpci_stage *constants;       /* the SM's constant cache, with const.size (constant_cache.h); NULL */
    struct gpci_stage *l15;             /* that the SM has, or shares, with l15.size (l15_stage.h); NULL */
    bool beside;                        /* it has either of the two: what is beside L1 sends through its miss queue */
    struct gpci_combine *combine;       /* where requests leave, with l1.combine_lines (combine.h); NULL */
    struct gpci_copy_engine *engine;    /* of bulk copies, of plain caches (copy_engine.h); NULL */
    gpci_queue *entrance;               /* what an SM sends comes here: `in`, or before its TLB */
    struct gpci_l1_tlb *tlb;            /* with tlb.page (l1_tlb.h); NULL */
    gpci_collector *collector;          /* with l1.collectors (collector.h); NULL */
    struct gpci_data_queue *data_queue; /* with l1.data_banks (data_banks.h); NULL */
    struct gpci_written *written;       /* L2: with l2.write_to_read (written.h); NULL */
    struct gpci_lsus *lsus; /* with l1.coalescer = multi2sim, in place of what is before the tags; NULL (lsu.h) */
    uint32_t stores_below;  /* coherent: that need no line here any more, and are not done */
    uint32_t below;         /* packets sent below that will have a reply */
    uint32_t joined;        /* reads that wait for that of another SM (coalescer) */
    uint32_t waiting;       /* instructions before the tags, or before the reorder buffer */
    uint32_t bulk;          /* bulk copies that are not yet all asked for */
    bool refused_bulk;      /* one more was refused */
    gpci_gauge waiting_gauge;
    bool refused, refused_miss; /* has refused one since it last told that it is ready */
    bool refused_read;          /* likewise, for want of room in its L1.5 */
    bool takes_misses;          /* of a host's own L1: there has been one */
    uint8_t notified;           /* gpc_busy for which the SM of this library knows itself refused */
    gpci_due_list due, filled;  /* loads whose data are on their way out of the data: found here, and come from below */
    gpci_replies replies;
    gpci_fences fences;
} gpci_stage;

/* stage_ports.c */
/* Take a tag port, and the bank of a line or sector, in the present cycle; false if there is none left. */
bool gpci_stage_port(gpci_stage *stage, uint64_t now, uint64_t address);
/* Is there none left, whatever the line? */
GPCI_INLINE bool gpci_stage_ports_used(const gpci_stage *stage, uint64_t now) {
    return stage->ports_used >= stage->options->ports && stage->tag_cycle == gpci_clock_own(stage->options->clock, now);
}
/* Use the data port for `bytes`, sectors beside others; returns the core cycle at which they are out. */
uint64_t gpci_stage_data(gpci_stage *stage, uint64_t now, uint32_t bytes);

/* stage.c */
/* The packet's lookup, and what of its line is in flight. A failure ends the run. */
void gpci_stage_look(gpci_timed *t, gpci_stage *stage, gpci_packet *packet, gpci_tag_access *access);
/*
 * Having looked: reserve, merge, ask below. May be repeated after GPCI_BLOCKED. `remote`: the line is homed in the
 * other partition.
 */
gpci_verdict gpci_stage_settle(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access, bool remote);
/* A fetch has come back. Those that waited for it are released. */
void gpci_stage_fill(gpci_timed *t, gpci_stage *stage, uint32_t fetch);
/*
 * L1: a fetch has brought part of its sectors, and all of them are to be kept: those that waited for just that part are
 * released, and it goes once more, for the rest. False where all the rest is on its way already: nothing was done.
 */
bool gpci_stage_complete_fetch(gpci_timed *t, gpci_stage *stage, uint32_t fetch, uint32_t leader);
/* What is at the tags is held up, by `reason`, from cycle `now` on; returns GPCI_BLOCKED. And: it is not. */
gpci_verdict gpci_stage_block(gpci_stage *stage, gpci_tag_access *access, uint64_t now, gpc_busy reason);
void gpci_stage_unblock(gpci_stage *stage, gpci_tag_access *access, uint64_t now);
/* Something came free; those held up for it may try again. */
GPCI_INLINE void gpci_stage_relieve(gpci_stage *stage, gpc_busy reason) {
    stage->tag_access[0].relieved |= (uint8_t)(1u << reason);
    stage->tag_access[1].relieved |= (uint8_t)(1u << reason);
}
/* Held up, and nothing of what it lacks has come free? */
GPCI_INLINE bool gpci_stage_stuck(const gpci_tag_access *access) {
    return access->reason != GPC_BUSY_NOT && !(access->relieved >> access->reason & 1);
}
/* Held up, but for something that has come free: to be tried again. */
GPCI_INLINE bool gpci_stage_eager(const gpci_tag_access *access) {
    return access->reason != GPC_BUSY_NOT && access->relieved >> access->reason & 1;
}
/* The MSHR entry of a line, by its leader; GPCI_NO_PACKET: none, or only such whose line has been replaced since. */
uint32_t gpci_mshr_find(const gpci_timed *t, const gpci_stage *stage, uint64_t address);
/* The MSHR entry that a fetch was sent for. */
uint32_t gpci_mshr_of_fetch(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *fetch);
/* An entry goes, and its leader with it. */
void gpci_mshr_free(gpci_timed *t, gpci_stage *stage, uint32_t leader);
/* A line has been written in the slice that is its home: what this stage has on its way of it is out of date. */
GPCI_COLD void gpci_stage_outdate(const gpci_timed *t, const gpci_stage *stage, uint64_t address);
/* Is what it has on its way of a line out of date? */
GPCI_COLD bool gpci_stage_outdated(const gpci_timed *t, const gpci_stage *stage, uint64_t address);
/* A line's tags and MSHR bucket will soon be looked at: fetch them. No effect but on speed. */
void gpci_stage_expect(const gpci_stage *stage, uint64_t address);
/* The same of a line that a fetch brings, whose place is known where it has been reserved. */
void gpci_stage_expect_fill(const gpci_stage *stage, uint64_t address);

/*
 * verify.c: L1's predictor, which has an on_reply, hears what L2 says of its prediction, and may overturn it; what the
 * replacement policy declined stays out. Returns true where a bypassing read is to be kept after all, but brought only
 * part of its sectors: the rest is sent for, and says nothing more to L2's predictor.
 */
bool gpci_verify(gpci_timed *t, gpci_stage *stage, uint32_t fetch);

/* stall.c: a packet of L1 is to be held up; its predictor may send it past L1 instead (GPCI_WAITING). */
gpci_verdict gpci_l1_hold_up(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access,
                             uint32_t leader, gpc_busy reason);

/* What a stage asks the level below for: segments that `waiter`, which has an MSHR entry, lacks of its line. */
typedef struct gpci_fetch_request {
    uint32_t packet; /* in L1, where it is not the one that waits, it goes itself */
    uint32_t waiter;
    uint32_t word; /* the stage's predictor's, for the level below */
    uint8_t segments;
    bool cached;    /* they are to be kept */
    bool declined;  /* they are not, because of the replacement policy */
    bool remote;    /* from the other partition */
    uint16_t entry; /* gpci_packet_mshr.entry */
} gpci_fetch_request;
/* hook.c */
/* A load has been looked up: to the scheduler of its SM, which there is. */
void gpci_l1_tell_event(const gpci_timed *t, uint32_t sm, const gpci_packet *packet, bool hit);
/* A line leaves the stage on a packet's account. */
void gpci_stage_evicted(gpci_timed *t, gpci_stage *stage, const gpci_packet *packet, const gpc_eviction *eviction);
/* What a store or an atomic wrote finds no room: it goes to the level below. */
void gpci_stage_write_below(gpci_timed *t, gpci_stage *stage, const gpci_packet *packet);

/* sector_merges.c: do as many wait with an MSHR entry for one of these segments as may? */
bool gpci_sector_is_full(const gpci_timed *t, const gpci_stage *stage, uint32_t leader, uint8_t needs);

/* l1.c */
/* A step ahead of the clock. False: its miss queue has something, and the rest of the step is left to the clock. */
bool gpci_l1_step_ahead(gpci_timed *t, gpci_stage *stage);
void gpci_l1_step(const gpci_group *group, uint32_t sm);
void gpci_coherent_l1_step(const gpci_group *group, uint32_t sm);
extern const gpci_stage_rules gpci_l1_stage;
gpc_busy gpci_l1_busy(const gpci_stage *stage);
/* A hit: its data come out of the port. */
void gpci_l1_serve(gpci_timed *t, gpci_stage *stage, uint32_t packet);
/* l1_fill.c: as many replies as the fill port takes. */
void gpci_l1_fills(gpci_timed *t, gpci_stage *stage);

/* l1_send.c */
/* The packet itself goes below; its reply completes its line. */
void gpci_l1_send_itself(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet_type type);
/* A fetch has brought part of its sectors, and goes once more for the rest. */
void gpci_l1_send_rest(gpci_timed *t, gpci_stage *stage, uint32_t fetch);

/* l1_done.c */
/* A line of an access is done; so is the access, if it was the last. */
void gpci_l1_release_line(gpci_timed *t, uint32_t flight, uint8_t level);
/* Reply of a packet that went below as a part of an access: the copy engine and the access hear of the reply. */
void gpci_l1_answer(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, uint8_t level);
/* A packet that waited has its data: its access is told, and it is given back. */
void gpci_l1_release(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint8_t level);
/* The access has what it waited for, the packet stays as its MSHR entry's leader. */
void gpci_l1_done(gpci_timed *t, uint32_t packet, uint8_t level);
/* Loads whose data are out of their port: L1's hits, or of its SM's constant cache; what came from below. */
void gpci_l1_run_due(gpci_timed *t, gpci_stage *stage, gpci_due_list *due);
/* Those that waited for their host's room for replies, as far as there is some. */
GPCI_COLD void gpci_l1_run_replies(gpci_timed *t, gpci_stage *stage);

/* timed_fence.c: each fence goes on as far as it can. There is one. */
GPCI_COLD void gpci_fences_step(gpci_timed *t, gpci_stage *stage);
/* Mover of a fence with so many writes in flight before the fence (holders.h). */
typedef enum gpci_fence_wait { GPCI_FENCE_GOES_ON, GPCI_FENCE_FOR_ITS_L1, GPCI_FENCE_FOR_OTHERS } gpci_fence_wait;
gpci_fence_wait gpci_fence_waits(const gpci_timed *t, const gpci_stage *stage, uint32_t fence, uint64_t writes);
/* A fence has passed the tags, and with it all that was issued before. */
GPCI_COLD void gpci_fence_passed(gpci_timed *t, uint32_t packet);
/* A read that set out before L1 dropped its lines has filled some. */
GPCI_COLD void gpci_fence_stale(gpci_stage *stage, uint64_t address, uint8_t sectors);

/*
 * A read of this L1 may join another SM's that set out in this core cycle or later: after this L1's last emptying, for
 * what set out before may be older than what the acquire is to see. Under viper a strong load joins none (UINT64_MAX):
 * it may not read what is older than what its thread has read.
 */
uint64_t gpci_fence_joins_since(const gpci_stage *stage, const gpci_packet *packet);

/* l2.c */
void gpci_slice_step(const gpci_group *group, uint32_t slice);
void gpci_slice_expect(const gpci_group *group, uint32_t slice, unsigned pass);
extern const gpci_stage_rules gpci_l2_stage;

/* stage_component.c */
/* Rules of stages of which nothing goes another way, and nobody is told what the cache had no way for. */
gpci_verdict gpci_stage_wait(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access,
                             uint32_t leader, gpc_busy reason);
void gpci_stage_tell_nobody(gpci_stage *stage, const gpc_request *request, uint8_t sectors);
/*
 * A stage that is stepped with an L1: its queues have no end, but for `out`, whose is the caller's to set. Its cache is
 * the caller's, too. GPC_ERROR_MEMORY; gpci_stage_unmake.
 */
gpc_status gpci_stage_make_beside(gpci_timed *t, const gpci_stage *l1, const gpci_stage_rules *rules,
                                  const gpci_stage_options *options, const gpci_level *line, gpci_stage *stage);
void gpci_stage_unmake(gpci_timed *t, gpci_stage *stage);
/* Its queues, as long as keys say: those of slices are for clusters, too. */
void gpci_stage_queues(const gpci_timed *t, gpci_stage *stage);
void gpci_stage_reset(gpci_stage *stage, uint64_t now);
/* Core cycles that its tags have waited for a reason, up to now. */
uint64_t gpci_stage_stalls(const gpci_stage *stage, gpc_busy reason, uint64_t now);
/* Fetch what an L1's next step will look at. No effect but on speed. */
void gpci_l1_expect(const gpci_group *group, uint32_t sm, unsigned pass);
void gpci_stage_state(gpci_stage *stage, gpci_state_fn visit, void *user_data);

#endif
