/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_STAGES_H
#define GPUCACHE_STAGES_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Stages of an access: why a request took 900 cycles. With the key `stats.stages` (mode = timed) a hierarchy reports
 * the core cycles of every access in every stage (gpc_completion.stages), and sums them: over all accesses (counters
 * `stages.*`), and by instruction, kind and level (gpc_hierarchy_stages).
 *
 * The stages of an access sum exactly to the cycles from acceptance to completion. An access of several lines has the
 * stages of its last completed line, which the access has waited for. If a line sends a request below, the line has the
 * stages of the request. If a line waits for another line's request, the wait is in MERGED or L2_MERGED. In a tree of
 * coherent modules, messages of a transaction travel side by side: the last received message counts. The queues of a
 * host's memory (on_memory) and of `dram.model = fixed` are not visible: their time is in DRAM.
 *
 * Example, a load that misses everywhere, alone, preset gtx480: 35 cycles before and in L1's tags, then REQUEST,
 * L2_QUEUE, L2, DRAM_QUEUE, DRAM, L2, REPLY, and FILL.
 * X(identifier, value, "name", "meaning")
 */
#define GPC_STAGE_LIST(X)                                                                                           \
    X(GPC_STAGE_QUEUE, 0, "queue", "before L1's tags: the load/store unit, issue latency, ports, fences before it") \
    X(GPC_STAGE_L1_STALL, 1, "l1_stall", "held up at L1's tags: reservation failures")                              \
    X(GPC_STAGE_L1, 2, "l1", "L1's tags, and its data where they are found there")                                  \
    X(GPC_STAGE_MERGED, 3, "merged", "waits above L2 for what another asked for: MSHR entry, LRC, combined store")  \
    X(GPC_STAGE_REQUEST, 4, "request", "L1's miss queue and the networks towards L2")                               \
    X(GPC_STAGE_L2_QUEUE, 5, "l2_queue", "before L2's tags, and held up at them; a cluster's cache likewise")       \
    X(GPC_STAGE_L2, 6, "l2", "L2's tags, fill, data port and atomic unit; a cluster's cache likewise")              \
    X(GPC_STAGE_L2_MERGED, 7, "l2_merged", "waits at an MSHR entry of L2 for what another asked for")               \
    X(GPC_STAGE_PARTITION, 8, "partition", "to the other partition of L2, or another GPU, and back")                \
    X(GPC_STAGE_DRAM_QUEUE, 9, "dram_queue", "L2's miss queue, the link to memory, and the channel's queue")        \
    X(GPC_STAGE_DRAM, 10, "dram", "from its first DRAM command until its data are there")                           \
    X(GPC_STAGE_REPLY, 11, "reply", "the networks back, the queues before them, and L1's fill port")                \
    X(GPC_STAGE_FILL, 12, "fill", "in its SM again: until the host has it")                                         \
    X(GPC_STAGE_COHERENCE, 13, "coherence", "waits for others: a tree's probes, locks and refusals; fences, acquires")

typedef enum gpc_stage {
#define X(id, value, name, meaning) id = value,
    GPC_STAGE_LIST(X)
#undef X
        GPC_STAGE_COUNT
} gpc_stage;

/*
 * Accesses of an instruction, a kind and a level. A read-only record of the library; a later version may have more
 * fields.
 */
typedef struct gpc_stage_row {
    uint64_t pc;     /* UINT64_MAX: fences */
    uint32_t kernel; /* launch number, as gpc_request.kernel */
    uint8_t kind;    /* gpc_kind; GPC_KIND_COUNT: fences */
    uint8_t level;   /* deepest level that served the accesses: 1, 2, or 3 = DRAM */
    uint8_t reserved[2];
    uint64_t accesses;      /* number of completed accesses */
    uint64_t latency;       /* cycles from acceptance to completion, summed over the accesses: the sum of `stages` */
    uint64_t longest;       /* cycles of the longest access */
    const uint64_t *stages; /* [stage_count], cycles in every stage; lives for the call */
    uint32_t stage_count;   /* GPC_STAGE_COUNT of the library */
    uint32_t reserved_2;
} gpc_stage_row;

/* May call functions marked "any thread", and no function of the hierarchy. */
typedef void (*gpc_stage_fn)(void *user_data, const gpc_stage_row *row);

/*
 * Report all rows since the last reset of the statistics, rows with the most cycles first. Accesses that touch no
 * modelled memory are in no row. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (without stats.stages);
 * GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_stages(const gpc_hierarchy *hierarchy, gpc_stage_fn on_row, void *user_data);

/* Names and meanings of the list above, "" for an unknown number. Static. Thread rule: any thread. Since: 0.2. */
GPC_API const char *gpc_stage_name(unsigned stage);
GPC_API const char *gpc_stage_meaning(unsigned stage);

GPC_END_DECLS

#endif
