/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_STAGES_H
#define GPUCACHE_STAGES_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Why one request took 900 cycles: with the key `stats.stages` (mode = timed) a hierarchy tells of each access how many
 * core cycles it has spent in which stage of its way (gpc_completion.stages), and sums them up: over all accesses
 * (counters `stages.*`), and by instruction, kind and level (gpc_hierarchy_stages).
 *
 * The stages of an access sum up to the cycles from its acceptance to its completion, exactly. Of an access of several
 * lines they are those of the line that was done last, for which the others have waited. Where a line asks below, its
 * stages are those of what it has sent; where it waits for what another has sent, it is in MERGED or L2_MERGED for as
 * long. In a tree of coherent modules messages of one transaction go side by side: there the last that was heard of it
 * counts. A memory of the host's (on_memory), and `dram.model = fixed`, have no queue that is seen from here: DRAM.
 *
 * Example, a load that misses everywhere, alone, preset gtx480: 35 cycles before L1's tags and in them, then REQUEST,
 * L2_QUEUE, L2, DRAM_QUEUE, DRAM, L2, REPLY, and FILL.
 *
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

/* Accesses of one instruction, kind and level. A record of the library's, to read: a later version may have more. */
typedef struct gpc_stage_row {
    uint64_t pc;     /* UINT64_MAX: of fences */
    uint32_t kernel; /* launch number, as gpc_request.kernel */
    uint8_t kind;    /* gpc_kind; GPC_KIND_COUNT: fences */
    uint8_t level;   /* deepest that served them: 1, 2, or 3 = DRAM */
    uint8_t reserved[2];
    uint64_t accesses;      /* that completed */
    uint64_t latency;       /* cycles from acceptance to completion, of all of them: the sum of `stages` */
    uint64_t longest;       /* of one of them */
    const uint64_t *stages; /* [stage_count] cycles in each; lives for the call */
    uint32_t stage_count;   /* GPC_STAGE_COUNT of the library */
    uint32_t reserved_2;
} gpc_stage_row;

/* May call functions marked "any thread", nothing of the hierarchy. */
typedef void (*gpc_stage_fn)(void *user_data, const gpc_stage_row *row);

/*
 * Tell of all rows since the statistics were last reset, those of the most cycles first. Accesses that touch no memory
 * that is modelled are in none.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (without stats.stages); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_stages(const gpc_hierarchy *hierarchy, gpc_stage_fn on_row, void *user_data);

/* Names and meanings as the list above says, "" for what is not in it. Static. Thread rule: any thread. Since: 0.2. */
GPC_API const char *gpc_stage_name(unsigned stage);
GPC_API const char *gpc_stage_meaning(unsigned stage);

GPC_END_DECLS

#endif
