/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EVENTS_H
#define GPUCACHE_EVENTS_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Event trace: a callback for every step of a request through a hierarchy.
 *
 * A packet is a moving unit with a number: a warp access, a line transaction of the access, a fetch by a cache for
 * missing sectors, a write-back, and with `coherence` a message. An event names its packet, the packet that caused the
 * packet (`parent`), and the warp access at the root (`access`). Therefore the events of a load are the events with the
 * load's `access`. The events of a transaction are the events of its packet and of the packet's children. Packet
 * numbers start at 1 for every trace, and are used once. A bulk copy is an access, and the lines of the copy are its
 * line transactions; a copy to several SMs completes once at each SM. A request of a port (port.h) is an access without
 * SM, warp and instruction, and the lines of the request are its line transactions. Messages of fences and of a
 * kernel's begin (`coherence`) have no parent, no access, and the kind GPC_KIND_COUNT.
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
    X(GPC_COMPONENT_PORT, 18, "port", "port of requests past L1 (port.h)")

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

GPC_END_DECLS

#endif
