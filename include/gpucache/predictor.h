/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PREDICTOR_H
#define GPUCACHE_PREDICTOR_H

#include <gpucache/policy.h>

GPC_BEGIN_DECLS

/*
 * Bypass predictors decide, per request, whether a miss may allocate. They are
 * made like replacement policies: sizes, a zeroed slab, (set, way).
 *
 * One access at this level, in order:
 *   [predict, if before_lookup is set: a bypass then skips the tags]
 *   lookup: on_hit, or on_sector_miss, or [predict, if before_lookup is not set]
 *   the request goes down with the prediction's word; `on_reply` sees the word
 *   that came back and may overturn the prediction
 *   [on_evict of the victim,] on_fill, or nothing where the request bypassed
 * and at the level below, for its own predictor: `respond` gives the word that
 * goes back up. AGCB's verification through L2 (seeds/000 section 4) and PCAL's
 * priority bit (seeds/004 section 4.2) are such words.
 *
 * None of these functions may call into the library.
 */

typedef enum gpc_decision { GPC_CACHE = 0, GPC_BYPASS = 1 } gpc_decision;

typedef struct gpc_prediction {
    uint32_t decision;    /* gpc_decision */
    uint32_t policy_word; /* goes down with the request */
} gpc_prediction;

typedef struct gpc_predictor_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* one line */
    const char *source;  /* document and section, "" if none */
    size_t instance_bytes, set_bytes, line_bytes;
    const gpc_parameter *parameters;
    size_t parameter_count;
    bool before_lookup; /* predict reads before the tags are looked up, for hits too; a store is predicted on a miss */

    /* As in gpc_replacement_ops. */
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    /* Fill `prediction`, zeroed (= cache). Required. */
    void (*predict)(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction);
    /* `word` came back with the reply; returns the decision that holds. [the prediction's] */
    gpc_decision (*on_reply)(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word);
    /*
     * This level served a request from above; returns the word for its reply. `way` is UINT32_MAX if not resident. [0]
     */
    uint32_t (*respond)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_hit)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_fill)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_evict)(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request);
    void (*on_invalidate)(void *self, uint32_t set, uint32_t way);
    void (*on_warp_event)(void *self, const gpc_warp_event *event);
    uint64_t (*cost_bits)(const gpc_policy_env *env); /* by the rule of gpc_replacement_ops.cost_bits */

    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_cache_bytes;
    void (*on_sample)(void *self, const gpc_sample *sample);
    /*
     * A timed L1 holds a load up at its tags for `reason` (gpc_busy: LINE, MSHR or MISS_QUEUE): shall it go below
     * without L1 instead (Jia et al., HPCA 2014)? Asked once for each reason that holds it up. [GPC_CACHE: it waits]
     */
    gpc_decision (*on_stall)(void *self, const gpc_request *request, uint32_t reason);
    /*
     * Name of the predictor that keeps this one's bits in the caches below, `respond`ing to it: a hierarchy gives it to
     * them where they have no other than always-cache, and is refused where they have. [none]
     */
    const char *below;
    /* As in gpc_replacement_ops. */
    uint64_t reads;
    uint64_t (*reads_with)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
    /*
     * As in gpc_replacement_ops: the line is in `way`, but no sector that the request needs, or the request continues
     * the one before it. Not told of on_hit, and predict is not asked. Predictors to which a tag that matches is a use
     * of its line set this. [nothing; tables that end before this field: on_hit]. Since: 0.2
     */
    void (*on_sector_miss)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
} gpc_predictor_ops;

/* As gpc_context_register_replacement, for predictors. Since: 0.1. */
GPC_API gpc_status gpc_context_register_predictor(gpc_context *context, const gpc_predictor_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);

GPC_END_DECLS

#endif
