/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/awid.h"
#include "policies/replacement/ranks.h"
#include "policies/replacement/replacement.h"

/*
 * AgeLRU: evict a line that an inactive warp fetched; if no such line exists, the least recently used line of the
 * youngest warp (seeds/004 section 5.2). Greedy-then-oldest scheduling runs old warps first. Old warps' lines are used
 * again soonest, and so the set is kept for as few warps as possible.
 *
 * As bypassing algorithm (bypass=1): if a request's warp is younger than the victim's, the request does not allocate.
 * An inactive warp counts as younger than any active warp.
 *
 * With exact=1 an id is inactive as soon as its warp has ended, as in the flowchart (Figure 5.2). With exact=0 an id is
 * inactive after the window (awid.h) has moved past the id, the document's approximation. exact=1 costs a bit of
 * storage for each id.
 *
 * A line belongs to the warp that fetched the line, also after hits by other warps. The document leaves open which line
 * leaves if several warps are inactive; here the least recently used of their lines.
 *
 * Example, 2 ways, one set, warps 0, 1 and 2 started in this order; A0 = warp 0 asks for A:
 *   A0 miss, B1 miss   lines A of age 0, B of age 1
 *   C2 evicts B        B is of the youngest warp, A of the oldest; with bypass=1 C2, younger still, bypasses
 *   D1 evicts C        (bypass=1: D1 is no younger than B1, and evicts B)
 *   warp 0 ends        Oldest-AWID is warp 1's: A is a line of an inactive warp
 *   E2 evicts A        although D is of a younger warp than A was
 * LRU would have evicted A for C2, and B for D1.
 */

typedef struct age_state {
    gpci_lru_state lru;
    uint8_t *awids; /* [sets x ways]: id of the fetching warp */
    bool bypass, exact;
    gpci_awid warps;
} age_state;

static const gpc_parameter parameters[] = {
    {"bypass", 0, 0, 1, true, "1 = a request of a younger warp than the victim's does not allocate"},
    {"exact", 0, 0, 1, true, "1 = inactive are all warps that are, not only those outside the window of ids"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    age_state *state = self;
    gpc_status status = gpci_lru_init(&state->lru, env, message);
    state->awids = (uint8_t *)(state->lru.links + (size_t)env->sets * env->ways);
    state->bypass = env->parameters[0] > 0;
    state->exact = env->parameters[1] > 0;
    gpci_awid_init(&state->warps);
    return status;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    age_state *state = self;
    gpci_awid_use(&state->warps, request);
    gpci_lru_touch(&state->lru, set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)set;
    age_state *state = self;
    gpci_awid_use(&state->warps, request);
}

static uint32_t rank(const void *self, size_t line) {
    const age_state *state = self;
    const uint8_t id = state->awids[line];
    if (state->exact && state->warps.told && !state->warps.active[id])
        return GPCI_AWID_INACTIVE;
    return gpci_awid_age(&state->warps, id);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    age_state *state = self;
    uint32_t age, victim = gpci_highest_rank(&state->lru, set, candidates, rank, state, &age);
    if (state->bypass && gpci_awid_age(&state->warps, gpci_awid_of(&state->warps, request)) > age)
        return GPC_WAY_BYPASS;
    return victim;
}

/* True if choose_victim would bypass the request. The call changes no state. */
static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    return choose_victim(self, set, candidates, request) == GPC_WAY_BYPASS;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    age_state *state = self;
    state->awids[(size_t)set * state->lru.ways + way] = gpci_awid_of(&state->warps, request);
    gpci_lru_touch(&state->lru, set, way);
}

static void on_warp_event(void *self, const gpc_warp_event *event) {
    age_state *state = self;
    gpci_awid_event(&state->warps, event);
}

/*
 * Cost: LRU's order, an 8-bit id per line, and two 8-bit registers: sets x ways x (ceil(log2(ways)) + 8) + 16. With
 * exact=1 a bit more for each of 256 ids. The scheduler owns the id in each warp's status field (8 bits a warp): a
 * cache does not know the scheduler's warps.
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_lru.cost_bits(env) + (uint64_t)env->sets * env->ways * 8 + GPCI_AWID_BITS +
           (env->parameters[1] > 0 ? 256 : 0);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | GPCI_AWID_READS | (env->parameters[0] > 0 ? GPC_READS_ADMISSION : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    age_state *state = self;
    visit(user_data, &state->warps, sizeof state->warps);
}

const gpc_replacement_ops gpci_age_lru = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "age-lru",
    .summary = "evict an inactive warp's line, else the youngest warp's least recent "
               "(bypass=1: younger requests bypass)",
    .source = "seeds/004, section 5.2",
    .instance_bytes = sizeof(age_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(gpci_lru_link) + 1,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = on_hit,
    .on_sector_miss = on_hit,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .on_warp_event = on_warp_event,
    .cost_bits = cost_bits,
    .declines = declines,
    .reads = GPC_READS_PLACE | GPCI_AWID_READS | GPC_READS_ADMISSION,
    .reads_with = reads_with,
};
