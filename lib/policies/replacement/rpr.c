/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rpr.h"

#include "policies/replacement/ranks.h"
#include "policies/replacement/replacement.h"

#include <string.h>

/*
 * Reuse-prediction-based replacement, RPR (seeds/004 chapter 6). A line is fetched with a prediction: after how many
 * accesses to its set the block is used again (distance), and how often (count). The prediction is learnt from blocks
 * of the same signature, a hash of the fetching instruction's pc and its warp's relative age. Every access to the set
 * lowers the distances of the set's lines by one. A hit lowers its line's count by one. Neither goes below zero.
 *
 * A line is dead if its warp is inactive, or if a hit has run its count down to zero. A dead line is evicted first. If
 * no line is dead, the line with the lowest score is evicted. Of equals, also of dead lines, the least recently used
 * leaves.
 *   age       256 - relative age of the fetching warp                  (6.3)
 *   distance  256 - distance left                                      (6.4)
 *   count     256 + count left, or 0 if count left is 0                (6.5)
 *
 * Zero has three meanings in the document: a count that "reaches zero", an average below one (rounded down), and no
 * prediction. Only the first meaning is dead here. If an average of zero were dead, a block used again every other time
 * would leave at once, 6.3 would differ from AgeLRU (against the text), and 6.5 would need no case for zero. If no
 * prediction were dead, every new block would be dead. The same eight bits therefore mean:
 *   count 0, distance 15        dead
 *   count 0, distance 0 to 14   scored by the formulas: 256 - distance, or 0 by count; a predicted 15 is stored as 14
 *                               (with unpredicted=1, count 0 and distance 0 means dead)
 *
 * Example, 2 ways, score by distance, count/distance of each line; A comes with 2/4, B with 1/2, C with 1/3:
 *   A miss   A 2/4
 *   B miss   A 2/3   B 1/2
 *   B hit    A 2/2   B dead: 1/1 before the hit
 *   A hit    A 1/1   B dead
 *   C miss   A 1/0   C 1/3: C has evicted B, which was dead
 *   D miss   A 1/0   C 1/2: the scores are 256 and 254, and so D evicts C
 * LRU would have evicted A for D.
 */

static void set_ranks(gpci_rpr *rpr, gpci_rpr_score score, bool unpredicted_dead) {
    for (uint32_t reuse = 0; reuse < 256; reuse++) {
        uint32_t count = reuse >> 4, distance = reuse & 15;
        uint32_t rank = score == GPCI_RPR_DISTANCE ? distance : score == GPCI_RPR_COUNT ? 16 - count : 0;
        bool dead = reuse == GPCI_RPR_DEAD || (reuse == GPCI_RPR_NONE && unpredicted_dead);
        rpr->ranks[reuse] = (uint16_t)(dead ? GPCI_RPR_RANK_DEAD : rank);
    }
}

gpc_status gpci_rpr_init(gpci_rpr *rpr, const gpc_policy_env *env, gpci_rpr_score score, char *message) {
    size_t lines = (size_t)env->sets * env->ways;
    gpc_status status = gpci_lru_init(&rpr->lru, env, message);
    if (status == GPC_OK) /* a link has 4 bytes: the tags behind the links are aligned */
        status = gpci_rpr_sampler_init(&rpr->sampler, env, (uint32_t)env->parameters[1], rpr->lru.links + lines,
                                       rpr->lru.orders + env->sets, message);
    if (status < 0)
        return status;
    rpr->history = env->shared_state;
    rpr->awids = (uint8_t *)(rpr->sampler.tags + lines);
    rpr->reuse = rpr->awids + lines;
    rpr->hash_shift = 64 - (unsigned)env->parameters[0];
    rpr->by_age = score == GPCI_RPR_AGE;
    set_ranks(rpr, score, env->parameters[2] > 0);
    gpci_awid_init(&rpr->warps);
    return status;
}

uint32_t gpci_rpr_signature(const gpci_rpr *rpr, const gpc_request *request) {
    uint64_t age = gpci_awid_age(&rpr->warps, gpci_awid_of(&rpr->warps, request));
    return gpci_rpr_hash(request->pc, age, rpr->hash_shift);
}

/*
 * Lower by one all distances above 0, except distances of dead lines. A byte of the word is count << 4 | distance.
 * Adding 15 to a nibble carries into the bit above if the nibble is not 0; adding 1 carries if the nibble is 15. No
 * carry goes further.
 */
GPCI_INLINE uint64_t nearer(uint64_t word) {
    const uint64_t nibble = 0x0f0f0f0f0f0f0f0fu, one = 0x0101010101010101u, above = 0x1010101010101010u;
    uint64_t distance = word & nibble, counts = (word >> 4 & nibble) + nibble;
    uint64_t farthest = distance + one;
    return word - (((distance + nibble) & (counts | ~farthest) & above) >> 4);
}

/*
 * Record an access to the set: lower the distance of every line. True if the set is sampled, and the sampler does not
 * have the tag of the request's block.
 */
static bool approach(gpci_rpr *rpr, uint32_t set, const gpc_request *request) {
    gpci_awid_use(&rpr->warps, request);
    uint8_t *at = rpr->reuse + (size_t)set * rpr->lru.ways, *end = at + rpr->lru.ways;
    for (uint64_t word; end - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        word = nearer(word);
        memcpy(at, &word, 8);
    }
    for (uint32_t word; end - at >= 4; at += 4) {
        memcpy(&word, at, 4);
        word = (uint32_t)nearer(word);
        memcpy(at, &word, 4);
    }
    for (; at < end; at++)
        *at = (uint8_t)nearer(*at);
    return gpci_rpr_samples(&rpr->sampler, rpr->history, set) &&
           !gpci_rpr_sample_access(&rpr->sampler, rpr->history, set, request->address);
}

void gpci_rpr_sample(gpci_rpr *rpr, uint32_t set, const gpc_request *request) {
    if (gpci_rpr_samples(&rpr->sampler, rpr->history, set))
        gpci_rpr_sample_enter(&rpr->sampler, rpr->history, set, request->address, gpci_rpr_signature(rpr, request));
}

void gpci_rpr_on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    gpci_rpr *rpr = self;
    uint8_t *reuse = &rpr->reuse[(size_t)set * rpr->lru.ways + way];
    bool enters = approach(rpr, set, request);
    if (*reuse >= 16)
        *reuse = *reuse < 32 ? GPCI_RPR_DEAD : (uint8_t)(*reuse - 16);
    if (enters)
        gpci_rpr_sample_enter(&rpr->sampler, rpr->history, set, request->address, gpci_rpr_signature(rpr, request));
    gpci_lru_touch(&rpr->lru, set, way);
}

void gpci_rpr_on_miss(void *self, uint32_t set, const gpc_request *request) {
    approach(self, set, request); /* the block enters the sampler later, in gpci_rpr_on_fill */
}

static uint32_t rank_of(const void *self, size_t line) {
    const gpci_rpr *rpr = self;
    uint32_t rank = rpr->ranks[rpr->reuse[line]], age = gpci_awid_age(&rpr->warps, rpr->awids[line]);
    bool counts = rpr->by_age || age == GPCI_AWID_INACTIVE;
    return counts && age > rank ? age : rank;
}

uint32_t gpci_rpr_victim(gpci_rpr *rpr, uint32_t set, const uint64_t *candidates, bool *out_dead) {
    uint32_t rank, victim = gpci_highest_rank(&rpr->lru, set, candidates, rank_of, rpr, &rank);
    *out_dead = rank == GPCI_RPR_RANK_DEAD;
    return victim;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    bool dead;
    return gpci_rpr_victim(self, set, candidates, &dead);
}

void gpci_rpr_on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    gpci_rpr *rpr = self;
    size_t line = (size_t)set * rpr->lru.ways + way;
    uint32_t signature = gpci_rpr_signature(rpr, request);
    rpr->awids[line] = gpci_awid_of(&rpr->warps, request);
    uint8_t reuse = gpci_rpr_predict(rpr->history, signature);
    rpr->reuse[line] = reuse == GPCI_RPR_DEAD ? GPCI_RPR_DEAD - 1 : reuse;
    if (gpci_rpr_samples(&rpr->sampler, rpr->history, set))
        gpci_rpr_sample_enter(&rpr->sampler, rpr->history, set, request->address, signature);
    gpci_lru_touch(&rpr->lru, set, way);
}

void gpci_rpr_on_warp_event(void *self, const gpc_warp_event *event) {
    gpci_rpr *rpr = self;
    gpci_awid_event(&rpr->warps, event);
    gpci_rpr_sampler_event(rpr->history, event);
}

/*
 * Storage as section 6.3 counts:
 *   in each cache   sets x ways x (4 + 4 + 8)            distance, count, id of the fetching warp
 *   shared by all   512 x (11 + 8 + 5 + 4 + 4)           the history table
 *   on one SM       ceil(sets / 4) x (16 + ways x (24 + 16 + 8))   counter; tag, last access, signature
 * With 32 sets of 4 ways on 15 SMs: 15 x 256 + 2,048 + 208 = 6,096 bytes. Section 6.3 leaves out two things, counted
 * here in each cache: LRU's order, which settles ties, and the two registers of active warp ids.
 */
uint64_t gpci_rpr_cost_bits(const gpc_policy_env *env) {
    return gpci_lru.cost_bits(env) + GPCI_AWID_BITS + (uint64_t)env->sets * env->ways * (4 + 4 + 8) +
           gpci_rpr_shared_bits(env, (uint32_t)env->parameters[1], (uint32_t)env->parameters[0]);
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    return gpci_rpr_init(self, env, (gpci_rpr_score)env->words[0], message);
}

static gpc_status init_age(void *self, const gpc_policy_env *env, char *message) {
    return gpci_rpr_init(self, env, GPCI_RPR_AGE, message);
}

static gpc_status init_distance(void *self, const gpc_policy_env *env, char *message) {
    return gpci_rpr_init(self, env, GPCI_RPR_DISTANCE, message);
}

static gpc_status init_count(void *self, const gpc_policy_env *env, char *message) {
    return gpci_rpr_init(self, env, GPCI_RPR_COUNT, message);
}

static const gpc_parameter parameters[] = {GPCI_RPR_PARAMETERS};

static const gpc_text_parameter texts[] = {
    {"score", "distance", "age|distance|count", "what orders lines that are not dead; distance did best (section 6.4)"},
};

void gpci_rpr_state(gpci_rpr *rpr, gpc_state_fn visit, void *user_data) {
    visit(user_data, rpr->history, sizeof *rpr->history);
    visit(user_data, rpr->ranks, sizeof rpr->ranks);
    visit(user_data, &rpr->warps, sizeof rpr->warps);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gpci_rpr_state(self, visit, user_data);
}

#define RPR(id, policy, what, where, initialise, ...)                                          \
    const gpc_replacement_ops id = {.struct_size = sizeof(gpc_replacement_ops),                \
                                    .state = state_of,                                         \
                                    .name = policy,                                            \
                                    .summary = what,                                           \
                                    .source = where,                                           \
                                    .instance_bytes = sizeof(gpci_rpr),                        \
                                    .set_bytes = GPCI_RPR_SET_BYTES,                           \
                                    .line_bytes = GPCI_RPR_LINE_BYTES,                         \
                                    .shared_bytes = sizeof(gpci_rpr_history),                  \
                                    .parameters = parameters,                                  \
                                    .parameter_count = sizeof parameters / sizeof *parameters, \
                                    .init = initialise,                                        \
                                    .on_hit = gpci_rpr_on_hit,                                 \
                                    .on_sector_miss = gpci_lru_use,                            \
                                    .on_miss = gpci_rpr_on_miss,                               \
                                    .choose_victim = choose_victim,                            \
                                    .on_fill = gpci_rpr_on_fill,                               \
                                    .on_warp_event = gpci_rpr_on_warp_event,                   \
                                    .cost_bits = gpci_rpr_cost_bits,                           \
                                    .reads = GPCI_RPR_READS,                                   \
                                    __VA_ARGS__}

RPR(gpci_rpr_policy, "rpr", "predicted reuse: evict a dead line, else the lowest score (the farthest reuse)",
    "seeds/004, chapter 6", init, .texts = texts, .text_count = 1);
RPR(gpci_rpr_age, "rpr-age", "predicted reuse: evict a dead line, else the youngest warp's", "seeds/004, equation 6.3",
    init_age, .texts = NULL);
RPR(gpci_rpr_distance, "rpr-distance", "predicted reuse: evict a dead line, else the one reused farthest in future",
    "seeds/004, equation 6.4", init_distance, .texts = NULL);
RPR(gpci_rpr_count, "rpr-count", "predicted reuse: evict a dead line, else the one with the fewest reuses left",
    "seeds/004, equation 6.5", init_count, .texts = NULL);
