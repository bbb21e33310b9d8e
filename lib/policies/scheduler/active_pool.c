/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"

/*
 * Two levels as an active pool (Gebhart et al., "Energy-Efficient Mechanisms for Managing Thread Context in Throughput
 * Processors", ISCA 2011). A few of the warps are active and issue, in round robin. If an active warp waits for memory
 * or at a barrier, the warp leaves the pool, and the next ready warp in turn takes the place. Active warps need not be
 * neighbours, unlike in fetch groups (two_level.c). The paper's aim was energy: a small register file for the active
 * warps. The policy is among those of seeds/004 section 2.1.1 because only a few warps compete for L1 at a time.
 *
 * The paper leaves open a place whose warp cannot issue for another reason (memory pipeline, limit). Here the place is
 * lent, because the lender may wait for the borrower. A borrower that issues becomes active; then an active warp that
 * was not able to issue leaves for good.
 *
 * Example, active=2, warps 0 to 3. A row shows the ready warps, and behind '/' the warps that wait for a fixed latency.
 * The other warps wait for memory:
 *   0 1 2 3     issues 0: a place is free
 *   0 1 2 3     issues 1: the second place is free
 *   0 1 2 3     issues 0, round robin among 0 and 1
 *     2 3 / 0 1 none: both active warps keep their places
 *   0   2 3     issues 2: 1 has left, and 2 is the first ready warp behind 0, the last issuer
 *   0 1 2 3     issues 0: 1 is ready again, and not active
 */

typedef struct pool_state {
    uint32_t warps, words, size;
    uint32_t last;                     /* slot of the last issuer */
    uint64_t active[GPCI_WARP_WORDS];  /* slots with a place */
    uint64_t stalled[GPCI_WARP_WORDS]; /* slots waiting for a fixed latency */
} pool_state;

static const gpc_parameter parameters[] = {
    {"active", 8, 1, 1024, true, "warps of a scheduler that are active; 6 to 8 of an SM's 32 lost nothing there"},
};

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    pool_state *pool = self;
    pool->warps = env->warps;
    pool->words = gpci_warp_words(env->warps);
    pool->size = (uint32_t)env->parameters[0];
    pool->last = env->warps - 1;
    return GPC_OK;
}

static uint32_t next_slot(const pool_state *pool, const uint64_t *slots) {
    return gpci_next_round(slots, 0, pool->last + 1 < pool->warps ? pool->last + 1 : 0, pool->warps);
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)cycle;
    const pool_state *pool = self;
    uint64_t mine[GPCI_WARP_WORDS], others[GPCI_WARP_WORDS];
    uint32_t held = 0;
    for (uint32_t word = 0; word < pool->words; word++) {
        mine[word] = ready[word] & pool->active[word];
        others[word] = ready[word] & ~pool->active[word];
        held += gpci_popcount((ready[word] | pool->stalled[word]) & pool->active[word]);
    }
    /* a warp that takes a free place has its turn among the active warps at once */
    for (uint32_t slot; held < pool->size && (slot = next_slot(pool, others)) != GPC_NO_WARP; held++) {
        mine[slot / 64] |= gpci_warp_bit(slot);
        others[slot / 64] &= ~gpci_warp_bit(slot);
    }
    return next_slot(pool, mine);
}

static void leave(pool_state *pool, uint32_t slot) {
    pool->active[slot / 64] &= ~gpci_warp_bit(slot);
}

static void on_start(void *self, uint32_t slot, uint64_t order) {
    (void)order;
    pool_state *pool = self;
    leave(pool, slot);
    pool->stalled[slot / 64] |= gpci_warp_bit(slot);
}

static void on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    (void)before;
    pool_state *pool = self;
    uint64_t bit = gpci_warp_bit(slot), *word = &pool->stalled[slot / 64];
    *word = after == GPC_STATE_STALLED ? *word | bit : *word & ~bit;
    if (after == GPC_STATE_WAITING || after == GPC_STATE_BARRIER || after == GPC_STATE_ABSENT)
        leave(pool, slot);
}

/*
 * If more warps are active than the pool has places, remove an active warp: the first warp behind `slot`, searching
 * round the slots, that does not wait for a fixed latency.
 */
static void make_room(pool_state *pool, uint32_t slot) {
    uint64_t able[GPCI_WARP_WORDS];
    uint32_t count = 0;
    for (uint32_t word = 0; word < pool->words; word++) {
        count += gpci_popcount(pool->active[word]);
        able[word] = pool->active[word] & ~pool->stalled[word];
    }
    able[slot / 64] &= ~gpci_warp_bit(slot);
    const uint32_t next = gpci_next_round(able, 0, slot, pool->warps);
    if (count > pool->size && next != GPC_NO_WARP)
        leave(pool, next);
}

static void on_issue(void *self, uint32_t slot, uint64_t cycle) {
    (void)cycle;
    pool_state *pool = self;
    const bool borrows = !(pool->active[slot / 64] & gpci_warp_bit(slot));
    pool->active[slot / 64] |= gpci_warp_bit(slot);
    pool->last = slot;
    if (borrows)
        make_room(pool, slot);
}

/* Cost: for each slot a bit (the warp is active), and the slot with the next turn. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    return env->warps + gpci_ceil_log2(env->warps);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    pool_state *pool = self;
    visit(user_data, &pool->last, sizeof pool->last);
    visit(user_data, pool->active, sizeof pool->active);
    visit(user_data, pool->stalled, sizeof pool->stalled);
}

const gpc_scheduler_ops gpci_active_pool = {
    .struct_size = sizeof(gpc_scheduler_ops),
    .state = state_of,
    .name = "active-pool",
    .summary = "round robin among a few active warps; who waits for memory gives its place to one that is ready",
    .source = "seeds/004 section 2.1.1; Gebhart et al., ISCA 2011",
    .instance_bytes = sizeof(pool_state),
    .parameters = parameters,
    .parameter_count = 1,
    .init = init,
    .on_start = on_start,
    .on_state = on_state,
    .pick = pick,
    .on_issue = on_issue,
    .cost_bits = cost_bits,
};
