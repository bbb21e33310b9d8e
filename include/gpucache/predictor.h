/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PREDICTOR_H
#define GPUCACHE_PREDICTOR_H

#include <gpucache/policy.h>

GPC_BEGIN_DECLS

/*
 * Bypass predictors decide for every request whether a miss may allocate. They are made as replacement policies are:
 * sizes, a zeroed slab, (set, way).
 *
 * Order of calls for an access at the predictor's level:
 *   [predict, if before_lookup is set: a bypass then skips the tags]
 *   lookup: on_hit, or on_sector_miss, or [predict, if before_lookup is not set]
 *   the request goes down with the prediction's word; `on_reply` gets the word of the reply and may overturn the
 *   prediction
 *   [on_evict of the victim,] on_fill; no call if the request bypassed
 * In the level below, the predictor's `respond` gives the word of the reply. Examples of words: AGCB's verification
 * through L2 (seeds/000 section 4) and PCAL's priority bit (seeds/004 section 4.2).
 *
 * None of the functions may call into the library.
 */

typedef enum gpc_decision { GPC_CACHE = 0, GPC_BYPASS = 1 } gpc_decision;

typedef struct gpc_prediction {
    uint32_t decision;    /* gpc_decision */
    uint32_t policy_word; /* goes down with the request */
} gpc_prediction;

typedef struct gpc_predictor_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* a single line */
    const char *source;  /* document and section, "" if unpublished */
    size_t instance_bytes, set_bytes, line_bytes;
    const gpc_parameter *parameters;
    size_t parameter_count;
    /* true: `predict` is called for every read before the tag lookup, hits included; for a store after a miss */
    bool before_lookup;

    /* As in gpc_replacement_ops. */
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    /* Fill `prediction`, zeroed (= cache). Required. */
    void (*predict)(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction);
    /* `word` came back with the reply; return the decision that holds. [the prediction's] */
    gpc_decision (*on_reply)(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word);
    /*
     * This level served a request from above; return the word for the reply. `way` is UINT32_MAX if not resident. [0]
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
     * Question for a load that a timed L1 holds up at its tags for `reason` (gpc_busy: LINE, MSHR or MISS_QUEUE): go
     * below without L1 (Jia et al., HPCA 2014)? Asked once for each reason of the wait. [GPC_CACHE: the load waits]
     */
    gpc_decision (*on_stall)(void *self, const gpc_request *request, uint32_t reason);
    /*
     * Name of the predictor that keeps this predictor's bits in the caches below, and responds to this predictor. If
     * the caches below have always-cache, a hierarchy gives them the named predictor. If they have another predictor,
     * the hierarchy is refused. [no predictor]
     */
    const char *below;
    /* As in gpc_replacement_ops. */
    uint64_t reads;
    uint64_t (*reads_with)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
    /*
     * As in gpc_replacement_ops: the line is in `way`, but without the needed sectors; or the request continues the
     * request before. on_hit and predict are not called. Set the function if a tag match counts as a use of the line.
     * [nothing; tables that end before this field: on_hit]. Since: 0.2
     */
    void (*on_sector_miss)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
} gpc_predictor_ops;

/* As gpc_context_register_replacement, for predictors. Since: 0.1. */
GPC_API gpc_status gpc_context_register_predictor(gpc_context *context, const gpc_predictor_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);

GPC_END_DECLS

#endif
