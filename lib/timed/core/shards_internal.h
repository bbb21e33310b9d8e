/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_SHARDS_INTERNAL_H
#define GPC_TIMED_SHARDS_INTERNAL_H

#include "level/build/threads_check.h"
#include "timed/core/shards.h"

/* The inside of shards.h. */

typedef enum gpci_phase_part { GPCI_PHASE_OUTSIDE, GPCI_PHASE_BELOW, GPCI_PHASE_ABOVE } gpci_phase_part;

typedef struct gpci_shard {
    gpci_timed view;
    uint64_t *own; /* bitmap of the shard's components */
    int64_t spare; /* packets available at the last fold; view.pool.live has the packets taken since */
    uint32_t sms;  /* number of SMs */
    uint32_t first_packet, first_inflight; /* first numbers of the shard that were unused at the last split */
    uint64_t padding[8];                   /* distance to the next shard, changed by another thread */
} gpci_shard;

/* Components stepped between two meetings of the threads: bitmap, numbers of the first and last. */
typedef struct gpci_shard_phase {
    gpci_phase_part part; /* GPCI_PHASE_OUTSIDE: components outside shards, stepped by one thread */
    uint64_t *set;
    uint32_t first, last;
} gpci_shard_phase;

#define GPCI_PHASES GPCI_GROUP_COUNT

struct gpci_shards {
    gpci_timed *main; /* the hierarchy, of which shards have views */
    gpci_workers *workers;
    gpci_shard *shard; /* [count] */
    uint8_t *of;       /* [components] shard; or GPCI_NO_STRAND */
    uint64_t *bits;    /* the memory of all bitmaps */
    gpci_wheel **receivers;
    gpci_network_sharing networks[GPCI_GROUP_COUNT];
    gpci_shard_phase phases[GPCI_PHASES];
    const gpci_shard_phase *phase; /* running phase */
    uint32_t count, phase_count;
    uint32_t slot;       /* slot of the wheel, for the present cycle */
    uint32_t least;      /* threads share a phase if at least so many components are to be stepped */
    bool own_state_only; /* a shared phase runs, in which a shard may change only its own state */
    bool above, below;   /* one thread runs all SMs and L1s (above), or all slices (below), because of shared state */
    bool keep_sms;
    uint64_t shared; /* phases shared by threads */
};

#define GPCI_NO_STRAND UINT8_MAX
#define GPCI_MOST_STRANDS 128u

/*
 * shards_check.c: tell whether threads may share the SMs and L1s (`above`), and the slices (`below`), with the
 * configuration. If not, `text` has the reason.
 */
void gpci_shards_check(const gpci_timed *timed, bool *above, bool *below, char text[GPCI_THREADS_TEXT]);

/*
 * shards_memory.c: make room for as many packets and in-flight accesses as a shard may take in a phase.
 * GPC_ERROR_MEMORY. gpci_shards_share_memory: copy the addresses of the memory to the views.
 */
gpc_status gpci_shards_reserve(gpci_shards *shards);
void gpci_shards_share_memory(gpci_shards *shards);

#endif
