/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_SCHEDULER_SCHEDULERS_H
#define GPC_POLICIES_SCHEDULER_SCHEDULERS_H

#include "base/base.h"

/*
 * Built-in schedulers: their tables, states and choices. The choices are inline, shared by the tables and by the
 * scheduler object's fast path. A choice never changes the state; the state changes when the warp issues.
 */

#define POLICY(table, file) extern const gpc_scheduler_ops table;
#include "policies/scheduler/list.def"
#undef POLICY

#define GPCI_WARP_WORDS 16u /* words of a bitmap for the largest number of warps */

GPCI_INLINE uint32_t gpci_warp_words(uint32_t warps) {
    return (warps + 63) / 64;
}

GPCI_INLINE uint64_t gpci_warp_bit(uint32_t slot) {
    return (uint64_t)1 << (slot % 64);
}

/* Lowest set slot in [from, end), or GPC_NO_WARP. */
GPCI_INLINE uint32_t gpci_next_ready(const uint64_t *ready, uint32_t from, uint32_t end) {
    if (from >= end)
        return GPC_NO_WARP;
    uint32_t word = from / 64, last = (end - 1) / 64;
    uint64_t bits = ready[word] & ~(uint64_t)0 << (from % 64);
    while (!bits && word < last)
        bits = ready[++word];
    if (!bits)
        return GPC_NO_WARP;
    uint32_t slot = word * 64 + gpci_lowest(bits);
    return slot < end ? slot : GPC_NO_WARP;
}

/* First set slot, searching [start, end) and then [first, start); or GPC_NO_WARP. */
GPCI_INLINE uint32_t gpci_next_round(const uint64_t *ready, uint32_t first, uint32_t start, uint32_t end) {
    uint32_t slot = gpci_next_ready(ready, start, end);
    return slot != GPC_NO_WARP ? slot : gpci_next_ready(ready, first, start);
}

/*
 * Age order of warps as in issue queues: a bit matrix. Row w has the slots taken before w. A new warp's row is all ones
 * and its column all zeros. A freed slot is never a candidate, and needs no clearing.
 */
typedef struct gpci_age_row {
    uint64_t older[GPCI_WARP_WORDS];
} gpci_age_row;

typedef struct gpci_age_matrix {
    uint64_t *older; /* [warps][words] */
    uint32_t warps, words;
} gpci_age_matrix;

void gpci_age_init(gpci_age_matrix *ages, const gpc_scheduler_env *env);
void gpci_age_start(gpci_age_matrix *ages, uint32_t slot);

/* Oldest warp of `ready`, which must not be empty: step from a warp to an older warp until no older warp is ready. */
GPCI_INLINE uint32_t gpci_age_oldest(const gpci_age_matrix *ages, const uint64_t *ready) {
    if (GPCI_LIKELY(ages->words == 1)) {
        uint32_t slot = gpci_lowest(ready[0]);
        for (uint64_t older; (older = ready[0] & ages->older[slot]);)
            slot = gpci_lowest(older);
        return slot;
    }
    uint32_t slot = gpci_next_ready(ready, 0, ages->warps);
    for (uint32_t word = 0; word < ages->words;) {
        uint64_t older = ready[word] & ages->older[(size_t)slot * ages->words + word];
        if (older)
            slot = word * 64 + gpci_lowest(older), word = 0;
        else
            word++;
    }
    return slot;
}

/* Cost of the matrix in bits: a bit per pair of slots. */
GPCI_INLINE uint64_t gpci_age_bits(const gpc_scheduler_env *env) {
    return (uint64_t)env->warps * (env->warps - 1) / 2;
}

typedef struct gpci_lrr_state {
    uint32_t warps;
    uint32_t next; /* first slot of the next search */
} gpci_lrr_state;

GPCI_INLINE uint32_t gpci_lrr_pick(const gpci_lrr_state *lrr, const uint64_t *ready) {
    if (GPCI_LIKELY(lrr->warps <= 64 && ready[0])) {
        uint64_t behind = ready[0] & ~(uint64_t)0 << lrr->next;
        return gpci_lowest(behind ? behind : ready[0]);
    }
    return gpci_next_round(ready, 0, lrr->next, lrr->warps);
}

GPCI_INLINE void gpci_lrr_issued(gpci_lrr_state *lrr, uint32_t slot) {
    lrr->next = slot + 1 < lrr->warps ? slot + 1 : 0;
}

typedef struct gpci_gto_state {
    gpci_age_matrix ages;
    uint32_t greedy; /* slot of the last issuer, or GPC_NO_WARP */
} gpci_gto_state;

GPCI_INLINE uint32_t gpci_gto_pick(const gpci_gto_state *gto, const uint64_t *ready) {
    uint32_t slot = gto->greedy;
    if (slot != GPC_NO_WARP && ready[slot / 64] & gpci_warp_bit(slot))
        return slot;
    return gpci_age_oldest(&gto->ages, ready);
}

typedef struct gpci_two_level_state {
    /* warps: number of slots. size: slots of a group. */
    uint32_t warps, size;
    /* groups: number of groups. current: group of the last issuer. */
    uint32_t groups, current;
    uint32_t *next;                    /* [groups]: first slot of the group's next search */
    uint64_t stalled[GPCI_WARP_WORDS]; /* slots waiting for a fixed latency: the slot's group keeps its turn */
} gpci_two_level_state;

uint32_t gpci_two_level_pick(const gpci_two_level_state *two, const uint64_t *ready);

#endif
