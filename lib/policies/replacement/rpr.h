/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_RPR_H
#define GPC_POLICIES_REPLACEMENT_RPR_H

#include "policies/replacement/awid.h"
#include "policies/replacement/lru.h"
#include "policies/replacement/rpr_history.h"
#include "policies/replacement/rpr_sampler.h"

/* Replacement controller of RPR, and parts shared by the policies derived from RPR. rpr.c describes the algorithm. */

typedef enum gpci_rpr_score {
    GPCI_RPR_AGE = 0,
    GPCI_RPR_DISTANCE = 1,
    GPCI_RPR_COUNT = 2,
} gpci_rpr_score;

typedef struct gpci_rpr {
    gpci_lru_state lru;
    uint8_t *awids; /* [sets x ways]: id of the fetching warp */
    uint8_t *reuse; /* [sets x ways]: what is left of the prediction, count << 4 | distance; or GPCI_RPR_DEAD */
    gpci_rpr_history *history;
    gpci_rpr_sampler sampler;
    unsigned hash_shift; /* `shift` of gpci_rpr_hash */
    bool by_age;         /* the score is the age of the fetching warp */
    uint16_t ranks[256]; /* rank of each value of `reuse` */
    gpci_awid warps;
} gpci_rpr;

#define GPCI_RPR_DEAD 15u /* count 0, distance 15: hits have lowered the line's count to 0. No fill has this value. */
#define GPCI_RPR_RANK_DEAD GPCI_AWID_INACTIVE /* above all other ranks */

/* Parameters 0 to 2 of RPR and of every derived policy. */
#define GPCI_RPR_PARAMETERS                                                                                            \
    {"signature", 8, 1, GPCI_RPR_SIGNATURE_BITS, true, "bits of a signature; 8 is the sampler's field (section 6.3)"}, \
        {"sample", 4, 1, 1024, true, "one set in so many is sampled, a power of two (4: section 6.3)"}, {              \
        "unpredicted", 0, 0, 1, true, "1 = dead is, too, a line of which nothing is predicted, or nothing is left"     \
    }

/* Request fields for signatures (pc, age of the warp) and for the sampler's tags. */
#define GPCI_RPR_READS (GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC | GPCI_AWID_READS)

#define GPCI_RPR_SET_BYTES (sizeof(uint64_t) + sizeof(uint16_t))
#define GPCI_RPR_LINE_BYTES (sizeof(gpci_lru_link) + sizeof(gpci_rpr_tag) + 2)

gpc_status gpci_rpr_init(gpci_rpr *rpr, const gpc_policy_env *env, gpci_rpr_score score, char *message);
uint32_t gpci_rpr_signature(const gpci_rpr *rpr, const gpc_request *request);
/* Choose the victim. *out_dead: the victim is predicted dead, or its warp is inactive. */
uint32_t gpci_rpr_victim(gpci_rpr *rpr, uint32_t set, const uint64_t *candidates, bool *out_dead);

/*
 * If `set` is sampled, enter the block in the sampler as a fetched block, even if the block does not enter the cache.
 */
void gpci_rpr_sample(gpci_rpr *rpr, uint32_t set, const gpc_request *request);

/* Functions for the ops table; `self` is a gpci_rpr or begins with a gpci_rpr. */
void gpci_rpr_on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request);
void gpci_rpr_on_miss(void *self, uint32_t set, const gpc_request *request);
void gpci_rpr_on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request);
void gpci_rpr_on_warp_event(void *self, const gpc_warp_event *event);
uint64_t gpci_rpr_cost_bits(const gpc_policy_env *env);

/* Visit the state for a snapshot (gpc_replacement_ops.state). */
void gpci_rpr_state(gpci_rpr *rpr, gpc_state_fn visit, void *user_data);

#endif
