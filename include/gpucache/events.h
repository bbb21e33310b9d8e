/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EVENTS_H
#define GPUCACHE_EVENTS_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * See what happens: a callback for every step that a request takes through a hierarchy.
 *
 * Whatever moves is a packet with a number of its own: a warp access, each line transaction of it, each fetch that a
 * cache sends for what it lacks, each write-back, and with `coherence` each message. An event names its packet, the
 * packet on whose account that was made (`parent`), and the warp access that all began with (`access`). So all of one
 * load are the events with its `access`, and one of its transactions the events of a packet and of those it is the
 * parent of. Numbers count from 1 for each trace and are used once.
 *
 * Example, a load that misses everywhere (timed, no coherence):
 *   issue sm 0           packet 1
 *   line sm 0            packet 2, parent 1: one for each line that the warp touches
 *   lookup l1 0          packet 2: miss
 *   mshr-allocate l1 0   packet 2: it waits, and
 *   fetch l1 0           packet 3, parent 2, goes below; queue: into the miss queue
 *   send, receive        packet 3 crosses the request network: port of the SM, port of the slice
 *   lookup l2 5          packet 3: miss; mshr-allocate; fetch packet 4, parent 3; queue
 *   memory-read          packet 4 enters channel 2's queue; activate, read: its bank; data: it has come
 *   fill l2 5            in the name of packet 3; mshr-free; serve: the data port brings packet 3 its data
 *   send, receive        packet 3 goes back over the reply network
 *   fill l1 0            mshr-free; reply: packet 2 has what it asked for
 *   complete sm 0        packet 1: `value` cycles after its issue
 */

/*
 * Where something happens. `index` of an event counts these from 0.
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
    X(GPC_COMPONENT_L15, 17, "l15", "cache of code and constants before L2, of all of them (l15.size)")

typedef enum gpc_component {
#define X(id, value, name, meaning) id = value,
    GPC_COMPONENT_LIST(X)
#undef X
        GPC_COMPONENT_COUNT
} gpc_component;

/*
 * What happens. Marked t: with a clock alone; c: with `coherence` alone.
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

/* What is not known of an event, or does not apply, in its 32-bit fields; in address and pc it is UINT64_MAX. */
#define GPC_NONE UINT32_MAX

/* One thing that happened. A record of the library's, to read: a later version may have more fields at its end. */
typedef struct gpc_event {
    uint64_t cycle;   /* core cycles; functional: warp accesses since the trace was set, this one included */
    uint64_t until;   /* core cycle at which what begins here ends, where that is known by now; else `cycle` */
    uint64_t packet;  /* 0: of none */
    uint64_t parent;  /* packet on whose account this one was made; 0: none */
    uint64_t access;  /* packet of the warp access, or request of gpc_hierarchy_try_miss, that it is for; 0: none */
    uint64_t address; /* bytes, of the line, as the host knows it, of `process`; UINT64_MAX */
    uint64_t pc;      /* of the instruction; UINT64_MAX */
    uint64_t value;   /* as GPC_WHAT_LIST says; else 0 */
    uint32_t sm;      /* SM, warp and thread block of the warp access; GPC_NONE */
    uint32_t warp;
    uint32_t block;
    uint32_t index;    /* of the component, as GPC_COMPONENT_LIST says */
    uint32_t bank;     /* DRAM: pseudo channel * banks of each + bank, of what all of them do its first; GPC_NONE */
    uint32_t bytes;    /* that are asked for, moved or valid; 0 where nothing is said of them */
    uint32_t from, to; /* of a message: modules of gpc_hierarchy_coherence; else GPC_NONE */
    uint8_t what;      /* gpc_what */
    uint8_t component; /* gpc_component */
    uint8_t kind;      /* gpc_kind of the warp access, STORE for a write-back; GPC_KIND_COUNT: none */
    uint8_t outcome;   /* as GPC_WHAT_LIST says; else 0 */
    uint8_t process;   /* of `address` (types.h). Since: 0.2 */
    uint8_t reserved[3];
} gpc_event;

/*
 * Called for each event that passes the filter, on the thread of the call that caused it, from within any function that
 * is given the hierarchy or its replay, and before that returns. `event` lives for the call. May call
 * gpc_hierarchy_now, and functions marked "any thread"; nothing else of the hierarchy, its replay, caches or context.
 *
 * Returns whether to go on. After false it is not called again, the trace is removed, and the call that let time go on
 * (gpc_hierarchy_advance and _drain, gpc_replay_kernel), or gpc_hierarchy_access, returns GPC_ERROR_CANCELLED. The
 * cycle, or the access, has been done to its end; a hierarchy goes on with the next call as if nobody had looked.
 */
typedef bool (*gpc_event_fn)(void *user_data, const gpc_event *event);

/*
 * The callback and its filter: an event is told if it passes all of these. What is not known of an event passes only
 * the whole range: a refresh has no SM, and a write-back no PC.
 */
typedef struct gpc_event_options {
    size_t struct_size;
    gpc_event_fn on_event;
    void *user_data;
    void (*destroy)(void *user_data); /* once the callback will not be called again; NULL: nothing to do */
    uint64_t whats;                   /* bit (1 << gpc_what); 0: all */
    uint32_t components;              /* bit (1 << gpc_component); 0: all */
    uint32_t kinds;                   /* bit (1 << gpc_kind); 0: all */
    uint32_t first_sm, last_sm;       /* of the warp access, or write-back */
    uint64_t first_address, last_address;
    uint64_t first_pc, last_pc;
    uint64_t first_cycle, last_cycle;
} gpc_event_options;

#define GPC_EVENT_OPTIONS_INIT \
    { sizeof(gpc_event_options), NULL, NULL, NULL, 0, 0, 0, 0, UINT32_MAX, 0, UINT64_MAX, 0, UINT64_MAX, 0, UINT64_MAX }

/*
 * Tell of what happens from now on. `options` is copied; NULL, or one without a callback, removes the trace. There is
 * one trace for a hierarchy: another replaces it. Without one a hierarchy is as fast as if there were none.
 *
 * Not told of: what was in flight when the trace was set, up to its end; L1 and L2 of a coherent hierarchy state by
 * state (gpc_coherence_callbacks of gpc_hierarchy_coherence are). A kernel's begin and gpc_hierarchy_flush tell of what
 * they write and drop without a packet. Events come in the order in which the library does things, and so of their
 * cycles, but for DRAM commands: `cycle` is when these were issued, by the DRAM's clock, and refreshes of an idle
 * channel are told when it is next used. DRAM writes know their packet, but nothing of where it came from: it has its
 * place in the event memory-write.
 *
 * `options->destroy` runs once: when the trace is replaced, removed or cancelled, when the hierarchy is destroyed, or
 * when this call fails.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (hierarchy NULL; a range whose last is before its first; a bit that stands for
 * nothing); GPC_ERROR_ABI; GPC_ERROR_MEMORY; GPC_ERROR_STATE (from within the callback). After an error the trace that
 * there was is still there. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_set_trace(gpc_hierarchy *hierarchy, const gpc_event_options *options,
                                           gpc_error *error);

/* Names and meanings as the lists above say, "" for what is in none. Static. Thread rule: any thread. Since: 0.1. */
GPC_API const char *gpc_what_name(unsigned what);
GPC_API const char *gpc_what_meaning(unsigned what);
GPC_API const char *gpc_component_name(unsigned component);
GPC_API const char *gpc_component_meaning(unsigned component);

/*
 * An event's outcome as a word: "miss", "mshr", "read-request", "dram"; "" where it says nothing. Static.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API const char *gpc_event_outcome(const gpc_event *event);

GPC_END_DECLS

#endif
