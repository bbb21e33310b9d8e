/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_OBSERVE_H
#define GPUCACHE_EXT_OBSERVE_H

/* Extension: event traces, profiles of loads in L1, recordings of a host's calls. */

#include <gpucache/hierarchy.h>
#include <gpucache/replay.h>

GPC_BEGIN_DECLS

/*
 * Event trace: a callback for every step of a request through a hierarchy.
 *
 * A packet is a moving unit with a number: a warp access, a line transaction of the access, a fetch by a cache for
 * missing sectors, a write-back, and with `coherence` a message. An event names its packet, the packet that caused the
 * packet (`parent`), and the warp access at the root (`access`). Therefore the events of a load are the events with the
 * load's `access`. The events of a transaction are the events of its packet and of the packet's children. Packet
 * numbers start at 1 for every trace, and are used once. A bulk copy is an access, and the lines of the copy are its
 * line transactions; a copy to several SMs completes once at each SM. A request of a port (ext/hierarchy.h) is an
 * access without SM, warp and instruction, and the lines of the request are its line transactions. Messages of fences
 * and of a kernel's begin (`coherence`) have no parent, no access, and the kind GPC_KIND_COUNT.
 *
 * Example, a load that misses everywhere (timed, no coherence):
 *   issue sm 0           packet 1
 *   line sm 0            packet 2, parent 1: a packet for every line that the warp touches
 *   lookup l1 0          packet 2: miss
 *   mshr-allocate l1 0   packet 2 waits
 *   fetch l1 0           packet 3, parent 2, goes below; queue: into the miss queue
 *   send, receive        packet 3 crosses the request network: port of the SM, port of the slice
 *   lookup l2 5          packet 3: miss; mshr-allocate; fetch packet 4, parent 3; queue
 *   memory-read          packet 4 enters channel 2's queue; activate, read: in its bank; data: arrived
 *   fill l2 5            named after packet 3; mshr-free; serve: the data port gives packet 3 its data
 *   send, receive        packet 3 returns over the reply network
 *   fill l1 0            mshr-free; reply: packet 2 has its data
 *   complete sm 0        packet 1: `value` cycles after its issue
 */

/*
 * Component in which an event happens. `index` of an event counts the components of a kind from 0.
 * X(identifier, value, "name", "meaning of index")
 */
#define GPC_COMPONENT_LIST(X)                                                                             \
    X(GPC_COMPONENT_SM, 0, "sm", "SM")                                                                    \
    X(GPC_COMPONENT_L1, 1, "l1", "SM whose L1 it is")                                                     \
    X(GPC_COMPONENT_COALESCER, 2, "coalescer", "SM whose read meets another SM's (lrc.sms)")              \
    X(GPC_COMPONENT_CLUSTER, 3, "cluster", "cluster of SMs with a cache (cluster.sms)")                   \
    X(GPC_COMPONENT_L2, 4, "l2", "slice, over both partitions")                                           \
    X(GPC_COMPONENT_MEMORY, 5, "memory", "channel; functional or a coherent module: the slice before it") \
    X(GPC_COMPONENT_HOST, 6, "host", "channel that the host's own memory stands for")                     \
    X(GPC_COMPONENT_REQUESTS, 7, "requests", "send: SM; receive: slice or cluster")                       \
    X(GPC_COMPONENT_REPLIES, 8, "replies", "send: slice or cluster; receive: SM")                         \
    X(GPC_COMPONENT_PARTITION_REQUESTS, 9, "partition-requests", "slice")                                 \
    X(GPC_COMPONENT_PARTITION_REPLIES, 10, "partition-replies", "slice")                                  \
    X(GPC_COMPONENT_MEMORY_REQUESTS, 11, "memory-requests", "send: slice; receive: channel")              \
    X(GPC_COMPONENT_MEMORY_REPLIES, 12, "memory-replies", "send: channel; receive: slice")                \
    X(GPC_COMPONENT_CLUSTER_REQUESTS, 13, "cluster-requests", "send: cluster; receive: slice")            \
    X(GPC_COMPONENT_CLUSTER_REPLIES, 14, "cluster-replies", "send: slice; receive: cluster")              \
    X(GPC_COMPONENT_GPU_LINKS, 15, "gpu-links", "GPU")                                                    \
    X(GPC_COMPONENT_CONST, 16, "const", "SM whose constant cache it is (const.size)")                     \
    X(GPC_COMPONENT_L15, 17, "l15", "cache of code and constants before L2, of all of them (l15.size)")   \
    X(GPC_COMPONENT_PORT, 18, "port", "port of requests past L1 (ext/hierarchy.h)")                       \
    X(GPC_COMPONENT_GL1, 19, "gl1", "cache of data between L1s and L2, of all of them (gl1.size)")        \
    X(GPC_COMPONENT_MEMORY_CACHE, 20, "memory-cache", "channel whose cache it is (memory_cache.size)")

typedef enum gpc_component {
#define X(id, value, name, meaning) id = value,
    GPC_COMPONENT_LIST(X)
#undef X
        GPC_COMPONENT_COUNT
} gpc_component;

/*
 * Events. Marked t: only with a clock; c: only with `coherence`.
 * X(identifier, value, "name", "meaning")
 */
#define GPC_WHAT_LIST(X)                                                                                               \
    X(GPC_WHAT_ISSUE, 0, "issue", "a warp access is accepted; bytes: that its lanes touch, in 32-byte sectors")        \
    X(GPC_WHAT_LINE, 1, "line", "a line transaction of it, coalesced; a new packet")                                   \
    X(GPC_WHAT_LOOKUP, 2, "lookup", "the tags are looked up; outcome: gpc_outcome")                                    \
    X(GPC_WHAT_MSHR_ALLOCATE, 3, "mshr-allocate", "t: takes an MSHR entry for its line")                               \
    X(GPC_WHAT_MSHR_MERGE, 4, "mshr-merge", "t: waits at its line's MSHR entry; value: packet that has it")            \
    X(GPC_WHAT_MSHR_FREE, 5, "mshr-free", "t: the MSHR entry of a line comes free")                                    \
    X(GPC_WHAT_FETCH, 6, "fetch", "a cache asks below for what the parent lacks; a new packet")                        \
    X(GPC_WHAT_WRITE_BACK, 7, "write-back", "modified bytes go below; a new packet")                                   \
    X(GPC_WHAT_BYPASS, 8, "bypass", "goes below past the cache, or its data are not kept")                             \
    X(GPC_WHAT_QUEUE, 9, "queue", "t: enters the miss queue of a cache")                                               \
    X(GPC_WHAT_BLOCK, 10, "block", "t: is held up at the tags from now on; outcome: gpc_busy, why")                    \
    X(GPC_WHAT_UNBLOCK, 11, "unblock", "t: is not held up any more; outcome: likewise")                                \
    X(GPC_WHAT_JOIN, 12, "join", "t: waits for another SM's read of its line; or, a store, goes with one of its line") \
    X(GPC_WHAT_SEND, 13, "send", "t: enters a network; bytes: header included")                                        \
    X(GPC_WHAT_RECEIVE, 14, "receive", "t: leaves it")                                                                 \
    X(GPC_WHAT_FILL, 15, "fill", "sectors become valid in a cache")                                                    \
    X(GPC_WHAT_EVICT, 16, "evict", "a line makes room for another; value: its modified sectors")                       \
    X(GPC_WHAT_INVALIDATE, 17, "invalidate", "a line is dropped: by a write, for inclusion, ...; value: likewise")     \
    X(GPC_WHAT_SERVE, 18, "serve", "t: found, or here: its data are out of the data port at `until`")                  \
    X(GPC_WHAT_MEMORY_READ, 19, "memory-read", "memory takes a read")                                                  \
    X(GPC_WHAT_MEMORY_WRITE, 20, "memory-write", "memory takes a write, which nobody waits for")                       \
    X(GPC_WHAT_ACTIVATE, 21, "activate", "t: a DRAM bank opens row `value`; until: it may be read")                    \
    X(GPC_WHAT_READ, 22, "read", "t: a DRAM burst is read; until: its data are there; outcome 1: its row closes")      \
    X(GPC_WHAT_WRITE, 23, "write", "t: a DRAM burst is written; likewise")                                             \
    X(GPC_WHAT_PRECHARGE, 24, "precharge", "t: a DRAM bank closes its row; value: how many do, where all of them do")  \
    X(GPC_WHAT_REFRESH, 25, "refresh", "t: a pseudo channel is refreshed, or `value` banks of it; until: it is done")  \
    X(GPC_WHAT_DATA, 26, "data", "t: all data of a read have come from memory")                                        \
    X(GPC_WHAT_REPLY, 27, "reply", "t: a line transaction has what it asked for; outcome: deepest level")              \
    X(GPC_WHAT_COMPLETE, 28, "complete", "a warp access is done; outcome: deepest level, 3 = DRAM; value: its cycles") \
    X(GPC_WHAT_MESSAGE, 29, "message", "c: a new packet, from a module to another; outcome: gpc_message_kind")         \
    X(GPC_WHAT_ARRIVE, 30, "arrive", "t, c: it has come, and takes effect")                                            \
    X(GPC_WHAT_WAIT, 31, "wait", "t, c: it finds its block in use, and waits in turn")                                 \
    X(GPC_WHAT_REFUSE, 32, "refuse", "t, c: likewise, and goes back to its sender")                                    \
    X(GPC_WHAT_HOLD, 33, "hold", "t: a warp access is done, and waits for its host's credit; value: how many do")

typedef enum gpc_what {
#define X(id, value, name, meaning) id = value,
    GPC_WHAT_LIST(X)
#undef X
        GPC_WHAT_COUNT
} gpc_what;

/* Unknown or inapplicable value of an event's 32-bit fields; in address and pc the value is UINT64_MAX. */
#define GPC_NONE UINT32_MAX

/* An event. A read-only record of the library; a later version may have more fields at the end. */
typedef struct gpc_event {
    /* core cycles; functional: number of warp accesses since the trace was set, including the present access */
    uint64_t cycle;
    uint64_t until;  /* core cycle at which the action ends, if known already; else `cycle` */
    uint64_t packet; /* 0: no packet */
    uint64_t parent; /* packet that caused this packet; 0: none */
    uint64_t access; /* packet of the warp access, or of the request of try_miss or try_port, at the root; 0: none */
    /* bytes, address of the line within `process`, as the host knows the address; UINT64_MAX: unknown */
    uint64_t address;
    uint64_t pc;    /* address of the instruction; UINT64_MAX: unknown */
    uint64_t value; /* see GPC_WHAT_LIST; else 0 */
    uint32_t sm;    /* SM, warp and thread block of the warp access; GPC_NONE */
    uint32_t warp;
    uint32_t block;
    uint32_t index; /* index of the component, see GPC_COMPONENT_LIST */
    /* DRAM: pseudo channel * banks per pseudo channel + bank; for an event of all banks the first; GPC_NONE */
    uint32_t bank;
    uint32_t bytes;    /* bytes requested, moved or valid; 0 if not applicable */
    uint32_t from, to; /* modules of gpc_hierarchy_coherence, for a message; else GPC_NONE */
    uint8_t what;      /* gpc_what */
    uint8_t component; /* gpc_component */
    uint8_t kind;      /* gpc_kind of the warp access, STORE for a write-back; GPC_KIND_COUNT: none */
    uint8_t outcome;   /* see GPC_WHAT_LIST; else 0 */
    uint8_t process;   /* process of `address` (types.h). Since: 0.2 */
    uint8_t reserved[3];
} gpc_event;

/*
 * Called for every event that passes the filter, on the thread of the causing call, from within every function with the
 * hierarchy or its replay as an argument, before the function returns. `event` lives for the call. May call
 * gpc_hierarchy_now and functions marked "any thread"; no other function of the hierarchy, its replay, caches or
 * context.
 *
 * Returns true to continue. After false the trace is removed, and the function is not called again. The interrupted
 * call (gpc_hierarchy_advance and _drain, gpc_replay_kernel, gpc_hierarchy_access) completes the cycle or the access,
 * and returns GPC_ERROR_CANCELLED. The next call continues as if no trace had existed.
 */
typedef bool (*gpc_event_fn)(void *user_data, const gpc_event *event);

/*
 * Callback and filter. An event is reported if the event passes every filter. An unknown field of an event passes only
 * the full range: a refresh has no SM, and a write-back has no PC.
 */
typedef struct gpc_event_options {
    size_t struct_size;
    gpc_event_fn on_event;
    void *user_data;
    void (*destroy)(void *user_data); /* called once, when the callback will not be called again; may be NULL */
    uint64_t whats;                   /* bit (1 << gpc_what); 0: all */
    uint32_t components;              /* bit (1 << gpc_component); 0: all */
    uint32_t kinds;                   /* bit (1 << gpc_kind); 0: all */
    uint32_t first_sm, last_sm;       /* SM of the warp access or write-back */
    uint64_t first_address, last_address;
    uint64_t first_pc, last_pc;
    uint64_t first_cycle, last_cycle;
} gpc_event_options;

#define GPC_EVENT_OPTIONS_INIT \
    { sizeof(gpc_event_options), NULL, NULL, NULL, 0, 0, 0, 0, UINT32_MAX, 0, UINT64_MAX, 0, UINT64_MAX, 0, UINT64_MAX }

/*
 * Report events from now on. `options` is copied. If `options` or its callback is NULL, the trace is removed. A
 * hierarchy has a single trace: a new trace replaces the old trace. Without a trace a hierarchy is as fast as if traces
 * did not exist.
 *
 * Not reported: packets in flight when the trace was set, until they end; state changes in L1 and L2 of a coherent
 * hierarchy (use gpc_coherence_callbacks of gpc_hierarchy_coherence). gpc_hierarchy_begin_kernel and
 * gpc_hierarchy_flush report writes and drops without a packet, and in a coherent hierarchy their messages too. Events
 * come in the library's order of work, and so in the order of their cycles, with an exception: `cycle` of a DRAM
 * command is the cycle of issue by DRAM's clock, and refreshes of an idle channel are reported when the channel is next
 * used.
 * DRAM writes have a packet number, but no origin: see the event memory-write for the origin.
 *
 * `options->destroy` runs once: when the trace is replaced, removed or cancelled, when the hierarchy is destroyed, or
 * when this call fails.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (hierarchy NULL; a range whose last is before its first; an unknown bit);
 * GPC_ERROR_ABI; GPC_ERROR_MEMORY; GPC_ERROR_STATE (from within the callback). After an error the old trace is still
 * set. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_set_trace(gpc_hierarchy *hierarchy, const gpc_event_options *options,
                                           gpc_error *error);

/* Names and meanings of the lists above, "" for an unknown number. Static. Thread rule: any thread. Since: 0.1. */
GPC_API const char *gpc_what_name(unsigned what);
GPC_API const char *gpc_what_meaning(unsigned what);
GPC_API const char *gpc_component_name(unsigned component);
GPC_API const char *gpc_component_meaning(unsigned component);

/*
 * Outcome of an event as a word: "miss", "mshr", "read-request", "dram"; "" if the event has no outcome. Static. Thread
 * rule: any thread. Since: 0.1.
 */
GPC_API const char *gpc_event_outcome(const gpc_event *event);

/*
 * Profile: hits, misses and reuse of a trace's loads in L1, from a single pass with or without a clock. Results are by
 * SM, by instruction, by the number of transactions of an instruction, and by line address (seeds/001 sections III to
 * V).
 *
 * The modelled cache is the configuration's L1, with its replacement policy and predictor. To profile all loads, use a
 * predictor that bypasses nothing; otherwise the profile shows the loads that the predictor leaves. With `mode = timed`
 * the scheduler orders the warps, and the order decides whether a line is still in L1 at its next use (seeds/001
 * section III profiles in a timed simulator). A timed profile takes only traces, and runs on a single thread whatever
 * the key `threads`.
 *
 * Words. An access is a line transaction of a load. A residence is the time from a line's fill to its eviction. The
 * residence belongs to the load that brought the line in, and so do the hits in the residence, by whatever load. From
 * the counts:
 *
 *   R = reuses / fills               hits per residence; hits if nothing was filled
 *   U = bytes used / bytes moved     bytes moved by caching accesses: the whole line, or in a sectored L1 the sectors
 *                                    touched
 *   score = U x (1 + R)              Eq. (1) of seeds/001: if the score is below 1, bypassing moves fewer bytes
 *
 * With a clock, a load is a hit if all its bytes are in L1 or in flight to L1, as in the counters. A hit on in-flight
 * bytes counts for the residence that begins with them, and has no position in its set. If a predictor decides only
 * when the data arrive, or because the data could not be requested, the access is counted by the late decision.
 *
 * Distances are in the SM's stream of cached loads. Reuse distance: accesses between two accesses to a line. Stack
 * distance: distinct lines between them. The stack distance is exact for every size of a fully associative LRU cache: a
 * cache with more lines than the distance hits. Prefetches and allocating stores take their place in the stream and are
 * not counted. Lines dropped by write-evict stores and atomics leave the stream. Stores that do not allocate are
 * skipped. If `kernels.flush` or a new share of a unified memory empties L1, the stream starts again.
 *
 * Memory grows with the distinct lines of every SM (about 300 bytes a line, with the tables) and with the instructions,
 * not with the length of the trace.
 */

/* Bucket 0 = distance 0, bucket n = from 2^(n-1) on, the last bucket = 2^31 and more. */
#define GPC_PROFILE_DISTANCE_BUCKETS 33
/* Bucket n = n times, the last bucket = n times and more (seeds/001 Figure 3). */
#define GPC_PROFILE_REUSE_BUCKETS 16
/*
 * Bucket n = position n in the set's order of recency, 0 = most recent; the last bucket includes all further positions.
 */
#define GPC_PROFILE_RECENCY_BUCKETS 65
/*
 * Largest number of transactions of a load with its own class; the last class also has loads with more (warps of 64
 * lanes).
 */
#define GPC_PROFILE_CLASSES 32
/* Argument of gpc_profile_curve. */
#define GPC_PROFILE_ALL_SMS UINT32_MAX

/* Counts of an SM, an instruction or a class. A plain record. */
typedef struct gpc_profile_counts {
    uint64_t loads;                /* warp instructions */
    uint64_t accesses;             /* line transactions of the loads */
    uint64_t hits;                 /* accesses with all needed sectors in L1 */
    uint64_t sector_misses;        /* the line was resident, a sector was not */
    uint64_t bypasses;             /* accesses that skipped L1, or were kept from allocating */
    uint64_t fills;                /* residences begun by the accesses */
    uint64_t reuses;               /* hits in the residences, by every load */
    uint64_t evictions;            /* residences ended by replacement */
    uint64_t zero_reuse_evictions; /* residences ended by replacement without a hit */
    uint64_t intra_warp_hits;      /* hits by the warp slot that filled the line */
    /* hits by another warp slot, or in a line that no load filled */
    uint64_t inter_warp_hits;
    uint64_t mru_hits; /* hits on the most recent line of the set */
    /* hits on the line that LRU would replace next, in a full set */
    uint64_t lru_hits;
    uint64_t bytes_used;  /* distinct bytes requested by the lanes of an access */
    uint64_t bytes_moved; /* bytes that the accesses would move into L1 if all of them missed */
    uint64_t segments;    /* 32-byte segments that the accesses touch, and would move if all of them bypassed L1 */
    /* first accesses to a line in the SM's stream: no distance */
    uint64_t first_accesses;
    uint64_t reuse_distances[GPC_PROFILE_DISTANCE_BUCKETS]; /* accesses */
    uint64_t stack_distances[GPC_PROFILE_DISTANCE_BUCKETS]; /* accesses */
    double reuse;                                           /* R */
    double utilisation;                                     /* U, 0 to 1 */
    double score;                                           /* U x (1 + R), 0 without accesses */
} gpc_profile_counts;

/* Profile of an SM. A plain record. */
typedef struct gpc_profile_sm {
    uint32_t sm;
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;                                          /* distinct line addresses accessed */
    uint64_t bypass_lines;                                   /* lines with a score below 1 */
    uint64_t lines_by_reuse[GPC_PROFILE_REUSE_BUCKETS];      /* lines by their total hits: Figure 3 */
    uint64_t residences_by_reuse[GPC_PROFILE_REUSE_BUCKETS]; /* residences of loads, by their hits until now */
    uint64_t loads_by_transactions[GPC_PROFILE_CLASSES + 1]; /* loads by transactions, 0 unused: Figure 5 */
    uint64_t hits_by_age[GPC_AGE_BUCKETS];                   /* hits by relative warp age, 0 = oldest warp of the SM */
    uint64_t hits_by_recency[GPC_PROFILE_RECENCY_BUCKETS];
} gpc_profile_sm;

/* A load instruction, over all SMs. A plain record. */
typedef struct gpc_profile_instruction {
    const char *kernel; /* name; lives as long as the row */
    uint64_t pc;
    uint32_t kernel_index; /* index of the distinct name, in the order of first launch */
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;        /* distinct (SM, line address) accessed by the instruction */
    uint64_t bypass_lines; /* lines with a score below 1 */
    /* accesses to lines with a score below 1: the share of counts.accesses that should bypass, Figure 4 */
    uint64_t bypass_accesses;
} gpc_profile_instruction;

/* Loads with a given number of transactions, over all SMs: a row of Table 1. A plain record. */
typedef struct gpc_profile_class {
    uint32_t transactions; /* 1 to GPC_PROFILE_CLASSES */
    uint32_t reserved;
    gpc_profile_counts counts;
} gpc_profile_class;

/* A line address on an SM. A plain record. */
typedef struct gpc_profile_line {
    uint64_t address; /* bytes, aligned to the line */
    uint32_t sm;
    uint32_t reserved;
    uint64_t accesses, hits, fills; /* as in gpc_profile_counts */
    uint64_t evictions, zero_reuse_evictions;
    uint64_t bytes_used, bytes_moved, segments;
    uint64_t distances;                              /* accesses with a distance */
    uint64_t reuse_distance_sum, stack_distance_sum; /* sums over the accesses with a distance */
    double reuse, utilisation, score;
} gpc_profile_line;

typedef struct gpc_profile_summary {
    size_t struct_size;
    uint32_t line_bytes; /* bytes of an L1 line */
    uint32_t sms;
    uint64_t launches;            /* kernels begun */
    uint64_t kernels;             /* distinct names */
    uint64_t instructions, lines; /* rows of the tables of instructions and lines */
    uint64_t bypass_lines;        /* lines with a score below 1 */
    gpc_profile_counts counts;    /* sum over all SMs */
} gpc_profile_summary;

/* No counts. */
#define GPC_PROFILE_SUMMARY_INIT                                                 \
    {                                                                            \
        sizeof(gpc_profile_summary), 0, 0, 0, 0, 0, 0, 0, {                      \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, {0}, 0, 0, 0 \
        }                                                                        \
    }

/* A point of a miss-ratio curve: the misses are accesses - hits. A plain record. */
typedef struct gpc_profile_point {
    uint64_t bytes;    /* in: capacity of every SM's cache; a part of a line does not count */
    uint64_t accesses; /* out: cached loads */
    uint64_t hits;     /* out: hits in a fully associative LRU cache of the capacity */
} gpc_profile_point;

/*
 * Create an empty profile from a configuration, which is copied. Returns as gpc_hierarchy_create; GPC_ERROR_ARGUMENT
 * also without an L1 (l1.enabled); GPC_ERROR_UNSUPPORTED for trees of coherent modules and samples. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_create(gpc_context *context, const gpc_config *config, gpc_profile **out,
                                      gpc_error *error);
GPC_API void gpc_profile_destroy(gpc_profile *profile);

/* As gpc_replay_on_progress. Since: 0.1. */
GPC_API void gpc_profile_on_progress(gpc_profile *profile, gpc_progress_fn on_progress, void *user_data);

/*
 * Replay the trace's next kernel into the profile.
 *   kernel  as in gpc_replay_kernel; may be NULL
 * Returns as gpc_replay_kernel; GPC_END when no kernel is left; GPC_ERROR_STATE (the profile was read from a file).
 * After an error the profile keeps the counts until the error. Since: 0.2.
 */
GPC_API gpc_status gpc_profile_kernel(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);

/* Read counters of the last kernel by id, as gpc_replay_read of the whole. Since: 0.3. */
GPC_API gpc_status gpc_profile_read_kernel(const gpc_profile *profile, const uint32_t *ids, size_t count,
                                           uint64_t *values, size_t value_count, gpc_error *error);

/* Replay all remaining kernels: GPC_OK at the trace's end. Since: 0.1. */
GPC_API gpc_status gpc_profile_run(gpc_profile *profile, gpc_trace *trace, gpc_error *error);

/*
 * Profile without a trace: begin a kernel as gpc_hierarchy_begin_kernel, then pass its warp instructions as
 * gpc_hierarchy_access.
 *   name    of the kernel, for the rows of instructions; NULL = ""
 *   launch  may be NULL: the largest L1
 *   result  may be NULL
 * Returns as gpc_hierarchy_begin_kernel and gpc_hierarchy_access; GPC_ERROR_MEMORY; GPC_ERROR_STATE (a profile read
 * from a file; an access with `mode = timed`). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_begin_kernel(gpc_profile *profile, const char *name, const gpc_launch *launch,
                                            gpc_error *error);
GPC_API gpc_status gpc_profile_access(gpc_profile *profile, const gpc_warp_access *access, gpc_warp_result *result,
                                      gpc_error *error);

/*
 * Forget all counts, for example between kernels to compare. The caches keep their lines. Returns GPC_OK;
 * GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (the profile was read from a file). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_reset(gpc_profile *profile, gpc_error *error);

/* Totals. Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_ABI; GPC_ERROR_MEMORY. Since: 0.1. */
GPC_API gpc_status gpc_profile_get_summary(gpc_profile *profile, gpc_profile_summary *summary, gpc_error *error);

/*
 * Tables of a profile. SMs and classes: a row per SM or class, all of them, in order. Instructions: by kernel_index and
 * pc. Lines: by SM and address. Instructions and lines without an access have no row.
 *   out_rows   receives the array, owned by the profile; lives until the profile is next run, reset or destroyed; NULL
 *              if the table is empty
 *   out_count  receives the number of rows
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_sms(gpc_profile *profile, const gpc_profile_sm **out_rows, size_t *out_count,
                                   gpc_error *error);
GPC_API gpc_status gpc_profile_instructions(gpc_profile *profile, const gpc_profile_instruction **out_rows,
                                            size_t *out_count, gpc_error *error);
GPC_API gpc_status gpc_profile_classes(gpc_profile *profile, const gpc_profile_class **out_rows, size_t *out_count,
                                       gpc_error *error);
GPC_API gpc_status gpc_profile_lines(gpc_profile *profile, const gpc_profile_line **out_rows, size_t *out_count,
                                     gpc_error *error);

/*
 * Points of the miss-ratio curve, from stack distances: exact.
 *   sm      an SM, or GPC_PROFILE_ALL_SMS: every SM has a cache of the capacity, and the counts are summed
 *   points  `count` elements; `bytes` is read, the rest written
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (unknown SM). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_curve(const gpc_profile *profile, uint32_t sm, gpc_profile_point *points, size_t count,
                                     gpc_error *error);

/* Score of Eq. (1): U x (1 + R). Bypass if the score is below 1. Any thread. Since: 0.1. */
GPC_API double gpc_profile_score(double utilisation, double reuse);

/*
 * Candidates for the threshold of `hybrid` (seeds/001 section IV.D): the distinct scores of the classes, ascending. If
 * a class was not seen, 0 is included; the threshold 0 caches every seen class. With `use = segments` hybrid has other
 * scores: 32 x segments instead of bytes_used.
 *   values     room for `capacity`; NULL and 0 to count; GPC_PROFILE_CLASSES is always enough
 *   out_count  receives the number of candidates
 * Returns GPC_OK; GPC_ERROR_RANGE if the room was too small; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_thresholds(gpc_profile *profile, double *values, size_t capacity, size_t *out_count,
                                          gpc_error *error);

/*
 * Classes that a threshold keeps in L1: classes with a larger score.
 *   out_classes  receives bit n - 1 for class n
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_classes_above(gpc_profile *profile, double threshold, uint32_t *out_classes,
                                             gpc_error *error);

/* Form of a saved profile. */
typedef enum gpc_profile_format {
    /* with checksums, for gpc_profile_load and the predictors `profile-address`, `hybrid` and `compiler` */
    GPC_PROFILE_BINARY = 0,
    GPC_PROFILE_JSON = 1 /* a JSON object, for other programs */
} gpc_profile_format;

typedef struct gpc_profile_save_options {
    size_t struct_size;
    uint32_t format; /* gpc_profile_format */
    uint32_t lines;  /* JSON: 1 = also an object per line address, as long as the table of lines; BINARY: 0 */
} gpc_profile_save_options;

#define GPC_PROFILE_SAVE_OPTIONS_INIT \
    { sizeof(gpc_profile_save_options), GPC_PROFILE_BINARY, 0 }

/*
 * Save a whole profile to a stream, or load a profile of the binary form. A loaded profile answers every question, and
 * takes no further access.
 *   options  NULL for the defaults
 * The JSON object has the members "line_bytes", "sms", "launches", "kernels", "summary", "sm" [...], "instructions"
 * [...], "classes" [...], "thresholds" [...], "curve" [{"bytes", "accesses", "hits"}, ...] at every power of two of
 * lines, up to the first capacity whose only misses are first accesses, and "lines" [...]. Members have the names of
 * the fields above.
 * Returns GPC_OK; GPC_ERROR_IO, or the status of the stream's function; GPC_ERROR_NOT_FOUND (the file does not exist);
 * GPC_ERROR_FORMAT naming the offset of the damage; GPC_ERROR_UNSUPPORTED (another version); GPC_ERROR_MEMORY;
 * GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL, a stream without or with two sources, an unknown format); GPC_ERROR_RANGE
 * (`lines`). Since: 0.3.
 */
GPC_API gpc_status gpc_profile_save(gpc_profile *profile, const gpc_stream *to, const gpc_profile_save_options *options,
                                    gpc_error *error);
GPC_API gpc_status gpc_profile_load(gpc_context *context, const gpc_stream *from, gpc_profile **out, gpc_error *error);

/*
 * Record the calls of a host on a hierarchy from now on, as a trace: a .gct, for every replay.
 *
 * Recorded calls: gpc_hierarchy_access, _access_many, _try_issue, _fence and _try_fence, if accepted, in the warp and
 * thread block of the access; gpc_hierarchy_begin_kernel, which begins a kernel; gpc_hierarchy_warp_event, _flush and
 * _count_instructions. A thread block is a number `block` of the host on a single SM. Warps of a block are in the order
 * of their first access. If several SMs use a block number, or if the numbers are far apart, blocks are renumbered in
 * order of appearance.
 *
 * Replay. A replay without a clock, with the same configuration and with `warps.order = recorded`, also repeats order,
 * SMs, slots, ages and tokens. If the host had no clock and the recording began with the first access,
 * the counters of the replay's hierarchy equal the host's counters. If the host had a clock, the recorded order is
 * the order of acceptance: the replay has the same instructions, requests and transactions, and hits are those of an L1
 * that answers at once. Replays in another order, and timed replays, keep only the order of the accesses within a warp,
 * and their SM. The file does not have the time at which a host issued an access.
 *
 * Not recorded: values (coherence.data: only addresses are recorded), gpc_hierarchy_sample, gpc_hierarchy_reset_stats,
 * and calls on a borrowed cache or tree.
 *
 * Calls that a trace cannot hold end the recording, and a failure of the file (a full disk) does too. Such calls are
 * gpc_hierarchy_try_miss, _try_transactions, _try_port, _preload, _start_kernel, _set_window and _reset_persisting,
 * which are no instructions with lanes; accesses with `copy`, because no call says what waits for the copy; and
 * accesses of a process above 0, because a trace has a single process. After a failure the hierarchy works on as
 * without a recording, no regular file is left, the log gets a WARNING at once, and gpc_hierarchy_record_end returns
 * the status.
 *
 * Memory: a kernel is held until the kernel ends, about 100 bytes and 8 bytes a lane for every access. A snapshot or a
 * copy has no part of a recording: the recording stays with its hierarchy, and a loaded hierarchy does not record.
 *   path  as in gpc_trace_writer_create
 * Returns GPC_OK; GPC_ERROR_STATE (a recording is in progress; a replay's hierarchy; something is in flight);
 * GPC_ERROR_UNSUPPORTED (`sm.lanes` is not 32 or 64, as in traces); GPC_ERROR_ARGUMENT, GPC_ERROR_IO, GPC_ERROR_MEMORY.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_record(gpc_hierarchy *hierarchy, const char *path, gpc_error *error);

/* True if the hierarchy records; false after a failure. Since: 0.2. */
GPC_API bool gpc_hierarchy_is_recording(const gpc_hierarchy *hierarchy);

/*
 * End the recording, and give the file its name. A hierarchy destroyed during a recording leaves no file. Returns
 * GPC_OK; the status and sentence of the failure that ended the recording before; GPC_ERROR_ARGUMENT (`hierarchy` is
 * NULL); GPC_ERROR_STATE (no recording);
 * GPC_ERROR_IO; GPC_ERROR_MEMORY. With every status the recording is over. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_record_end(gpc_hierarchy *hierarchy, gpc_error *error);

GPC_END_DECLS

#endif
