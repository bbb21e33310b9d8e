/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"

/*
 * OWL, CTA-aware scheduling (Jog et al., "OWL: Cooperative Thread Array Aware Scheduling Techniques for Improving GPGPU
 * Performance", ASPLOS 2013). A group has `blocks` neighbouring thread blocks, whose warps issue in round robin.
 * `order` selects one of the paper's steps, each added to the one before (section 4):
 *   round     CTA-aware two-level: a group goes on until all its warps wait for memory; then the next group
 *   locality  the group of the oldest blocks goes first whenever one of its warps is ready, and so keeps its lines in
 *             L1; other groups fill its gaps, in order
 *   banks     as locality, but the first group differs by SM: neighbouring blocks share rows of DRAM, and if all SMs
 *             put their first blocks first, few banks are used
 * The paper's fourth step, a prefetch of the rest of such a row, is no scheduler's task.
 *
 * The paper leaves open how blocks form groups. Here the running blocks, in the order of their start, are divided into
 * groups of `blocks`, anew after the end of a block.
 *
 * Example, locality, blocks=1, warps 0 and 1 of block 0, 2 and 3 of block 1:
 *   0 1 2 3   issues 0
 *   0 1 2 3   issues 1
 *       2 3   issues 2: block 0 waits
 *   0     3   issues 0: block 0 is ready again, and goes first
 * With order=round the last step issues 3.
 */

enum { ROUND, LOCALITY, BANKS };

typedef struct owl_state {
    uint32_t warps, words;
    uint32_t blocks, order;
    uint32_t sm;
    uint32_t running;                  /* number of running blocks */
    uint32_t last;                     /* slot of the last issuer; GPC_NO_WARP at first */
    uint32_t *number;                  /* [warps]: block number of the slot */
    uint32_t *oldest;                  /* [warps]: numbers of the running blocks in order of start, `running` of them */
    uint32_t *left;                    /* [warps]: running warps of the block in `oldest` at the same index */
    uint64_t present[GPCI_WARP_WORDS]; /* slots with a warp */
    /* slots waiting for a fixed latency; with order=round a waiting slot keeps the turn of its group */
    uint64_t stalled[GPCI_WARP_WORDS];
} owl_state;

static const gpc_parameter parameters[] = {
    {"blocks", 2, 1, 1024, true, "thread blocks of a group"},
};

static const gpc_text_parameter texts[] = {
    {"order", "banks", "round|locality|banks", "which group goes first"},
};

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    owl_state *owl = self;
    owl->warps = env->warps;
    owl->words = gpci_warp_words(env->warps);
    owl->blocks = (uint32_t)env->parameters[0];
    owl->order = env->words[0];
    owl->sm = env->sm;
    owl->last = GPC_NO_WARP;
    owl->number = env->warp_state;
    owl->oldest = owl->number + env->warps;
    owl->left = owl->oldest + env->warps;
    return GPC_OK;
}

static uint32_t place_of(const owl_state *owl, uint32_t block) {
    uint32_t at = 0;
    while (at < owl->running && owl->oldest[at] != block)
        at++;
    return at;
}

static void on_block(void *self, uint32_t slot, uint32_t block) {
    owl_state *owl = self;
    const uint32_t at = place_of(owl, block);
    if (at == owl->running) {
        owl->oldest[owl->running] = block;
        owl->left[owl->running++] = 0;
    }
    owl->left[at]++;
    owl->number[slot] = block;
    owl->present[slot / 64] |= gpci_warp_bit(slot);
    owl->stalled[slot / 64] |= gpci_warp_bit(slot);
}

static void end(owl_state *owl, uint32_t slot) {
    uint32_t at = place_of(owl, owl->number[slot]);
    owl->present[slot / 64] &= ~gpci_warp_bit(slot);
    if (--owl->left[at])
        return;
    for (owl->running--; at < owl->running; at++) {
        owl->oldest[at] = owl->oldest[at + 1];
        owl->left[at] = owl->left[at + 1];
    }
}

static void on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    (void)before;
    owl_state *owl = self;
    uint64_t bit = gpci_warp_bit(slot), *word = &owl->stalled[slot / 64];
    *word = after == GPC_STATE_STALLED ? *word | bit : *word & ~bit;
    if (after == GPC_STATE_ABSENT)
        end(owl, slot);
}

static uint32_t group_of(const owl_state *owl, uint32_t slot) {
    return place_of(owl, owl->number[slot]) / owl->blocks;
}

/* Rank of a group: the distance from the first group, searching round the groups. The smallest rank goes first. */
static uint32_t rank_of(const owl_state *owl, uint32_t group) {
    const uint32_t groups = (owl->running + owl->blocks - 1) / owl->blocks;
    uint32_t first = 0;
    if (owl->order == BANKS)
        first = owl->sm % groups;
    else if (owl->order == ROUND && owl->last != GPC_NO_WARP && owl->present[owl->last / 64] & gpci_warp_bit(owl->last))
        first = group_of(owl, owl->last);
    return (group + groups - first) % groups;
}

/*
 * Find the group with the smallest rank among the groups of `slots`, and put the slots of this group into `of_group`.
 * Returns the rank; UINT32_MAX if `slots` is empty.
 */
static uint32_t foremost(const owl_state *owl, const uint64_t *slots, uint64_t *of_group) {
    uint32_t best = UINT32_MAX;
    for (uint32_t word = 0; word < owl->words; word++) {
        of_group[word] = 0;
        for (uint64_t bits = slots[word]; bits; bits &= bits - 1) {
            const uint32_t slot = word * 64 + gpci_lowest(bits), rank = rank_of(owl, group_of(owl, slot));
            if (rank > best)
                continue;
            for (uint32_t before = 0; rank < best && before <= word; before++)
                of_group[before] = 0;
            best = rank;
            of_group[word] |= gpci_warp_bit(slot);
        }
    }
    return best;
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)cycle;
    const owl_state *owl = self;
    uint64_t slots[GPCI_WARP_WORDS], holding[GPCI_WARP_WORDS];
    const uint32_t rank = foremost(owl, ready, slots);
    if (owl->order == ROUND && rank && foremost(owl, owl->stalled, holding) == 0)
        return GPC_NO_WARP;
    const uint32_t next = owl->last + 1; /* before the first issue: GPC_NO_WARP + 1 = 0 */
    return gpci_next_round(slots, 0, next < owl->warps ? next : 0, owl->warps);
}

static void on_issue(void *self, uint32_t slot, uint64_t cycle) {
    (void)cycle;
    ((owl_state *)self)->last = slot;
}

/* Cost: the group of each slot; the slot of the last issuer. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    return (uint64_t)env->warps * gpci_ceil_log2(env->warps) + gpci_ceil_log2(env->warps);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    owl_state *owl = self;
    visit(user_data, &owl->running, sizeof owl->running);
    visit(user_data, &owl->last, sizeof owl->last);
    visit(user_data, owl->present, sizeof owl->present);
    visit(user_data, owl->stalled, sizeof owl->stalled);
}

const gpc_scheduler_ops gpci_owl = {
    .struct_size = sizeof(gpc_scheduler_ops),
    .state = state_of,
    .name = "owl",
    .summary = "groups of thread blocks, of which one goes first, another one on each SM",
    .source = "seeds/004 section 2.1.1; Jog et al., ASPLOS 2013",
    .instance_bytes = sizeof(owl_state),
    .warp_bytes = 3 * sizeof(uint32_t),
    .parameters = parameters,
    .parameter_count = 1,
    .texts = texts,
    .text_count = 1,
    .init = init,
    .on_block = on_block,
    .on_state = on_state,
    .pick = pick,
    .on_issue = on_issue,
    .cost_bits = cost_bits,
};
