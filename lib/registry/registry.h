/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_REGISTRY_H
#define GPC_REGISTRY_REGISTRY_H

#include "registry/spec.h"

/*
 * Make a context with the built-in tables by kind (context.c); see gpc_context_create. Every list of tables ends with
 * NULL. The lists belong to the caller and outlive the context.
 */
gpc_status gpci_context_make(const gpc_context_options *options, const void *const *const *builtins, gpc_error *error,
                             gpc_context **out);

#define GPCI_MAX_SCHEDULER_WARPS 1024u
#define GPCI_MAX_THROTTLES 8u /* per scheduler */

/*
 * Shared parts of the policies of a level of caches, or of an SM's schedulers. A spec is parsed once, and policies of
 * equal name and arguments may share state.
 */
typedef struct gpci_commons gpci_commons;

gpci_commons *gpci_commons_create(gpc_context *context);
gpci_commons *gpci_commons_retain(gpci_commons *commons);
/* True if more than one reference to the commons exists. */
bool gpci_commons_are_shared(const gpci_commons *commons);
/* Give up a reference. The last release comes after all policies made with the commons are gone. NULL is allowed. */
void gpci_commons_release(gpci_commons *commons);

/*
 * Shape of a level outside a hierarchy. The caches of a level (gpc_cache), or its policies for a host's caches, may
 * share state.
 */
typedef struct gpci_level_shape {
    gpc_context *context;
    gpci_commons *commons; /* NULL: the cache is the only cache of its level */
    uint64_t sets, ways, line_bytes, sectors, instances;
} gpci_level_shape;

/*
 * Get the commons of a level: those of `other`, or new commons if `other` is NULL. The caller must release them. Shared
 * state requires equal context and shape; otherwise GPC_ERROR_ARGUMENT, of `type`.share_with.
 */
gpc_status gpci_commons_join(gpci_level_shape *shape, const gpci_level_shape *other, const char *type,
                             gpc_error *error);

typedef struct gpci_policy_spec gpci_policy_spec;

/* A running policy: table, slab and environment. */
typedef struct gpci_policy {
    gpc_context *context;
    const void *ops; /* table of the policy's kind */
    void *self;
    gpci_policy_spec *spec; /* parsed spec */
    void (*finish)(void *self);
    /*
     * Policy of a cache: states of the sets, states of the lines. Scheduler or throttle: states of the warp slots,
     * NULL.
     */
    void *first_state, *second_state;
    struct gpci_common *common;
    union {
        gpc_policy_env env;
        gpc_scheduler_env scheduler_env;
    };
} gpci_policy;

/*
 * Make a policy from `name` or `name(parameter=value, ...)` for a cache of `geometry` (the fields from sets to count
 * are read). `commons`: the commons of the cache's level; NULL: the cache belongs to no level.
 */
gpc_status gpci_policy_create(gpc_context *context, gpc_policy_kind kind, const char *spec,
                              const gpc_policy_env *geometry, gpci_commons *commons, gpc_error *error,
                              gpci_policy **out);
/* True if a host has registered the policy's table. */
bool gpci_policy_is_hosts(const gpci_policy *policy);
/* True if the two policies have a common table and equal arguments. */
bool gpci_policy_same(const gpci_policy *left, const gpci_policy *right);
/* Make a scheduler policy or a throttle: warps, sm, index, count, sms and seed of `geometry` are read. */
gpc_status gpci_scheduler_policy_create(gpc_context *context, gpc_policy_kind kind, const char *spec,
                                        const gpc_scheduler_env *geometry, gpci_commons *commons, gpc_error *error,
                                        gpci_policy **out);
void gpci_policy_destroy(gpci_policy *policy);
/*
 * Visit the whole state of a policy for a snapshot, including shared state. For a policy without `state`, visit NULL
 * (gpc_state_fn).
 */
void gpci_policy_state(gpci_policy *policy, gpci_state_fn visit, void *user_data);
bool gpci_policy_has_state(const gpci_policy *policy);
/* Spec as configured. */
const char *gpci_policy_text(const gpci_policy *policy);

/* Table of a spec. NULL if gpci_policy_check refuses the spec. */
const void *gpci_policy_table(const gpc_context *context, gpc_policy_kind kind, const char *spec);

/* Cost of a spec in the environment of a cache: geometry, index and count. Otherwise as gpc_policy_cost. */
gpc_status gpci_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                            const gpc_policy_env *geometry, gpc_error *error, uint64_t *out_bits);

/* As gpc_policy_reads, for replacement policies and predictors. */
gpc_status gpci_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *spec, gpc_error *error,
                             uint64_t *out_reads);

/* Inputs that the table of a replacement policy or predictor gets by separate calls: GPC_READS_ bits. */
uint64_t gpci_policy_hears(gpc_policy_kind kind, const void *ops);
/*
 * Check the inputs of a replacement policy or predictor, with its parameters. If the policy reads more than `tells`,
 * fails with GPC_ERROR_UNSUPPORTED, naming the inputs. A policy that does not state its inputs counts as reading
 * everything that its functions can receive.
 */
gpc_status gpci_policy_check_tells(const gpci_policy *policy, uint64_t tells, gpc_error *error);

/* Names of GPC_READS_ bits for messages: "address, pc". GPC_READS_PLACE, which every host gives, is left out. */
#define GPCI_READS_TEXT 256u
void gpci_reads_text(uint64_t reads, char text[GPCI_READS_TEXT]);

/* Check a spec without making a policy: known name, known parameters, values in range. */
gpc_status gpci_policy_check(const gpc_context *context, gpc_policy_kind kind, const char *spec, gpc_error *error);

/*
 * Split a scheduler's text in place, `policy + throttle + ...`: `parts` points into the text. GPC_ERROR_FORMAT;
 * GPC_ERROR_RANGE (too many throttles).
 */
gpc_status gpci_scheduler_parts(char *text, char *parts[1 + GPCI_MAX_THROTTLES], size_t *out_count, gpc_error *error);
/* Find out whether the policy or a throttle of a scheduler's text needs L1's events. */
gpc_status gpci_scheduler_text_wants_events(gpc_context *context, const char *text, gpc_error *error, bool *out);
/* gpci_policy_check for all parts of a scheduler's text. */
gpc_status gpci_scheduler_check(const gpc_context *context, const char *text, gpc_error *error);

/*
 * Find among `count` names the name with the fewest edits to `name`; NULL if no name is near. `at` returns the names.
 */
const char *gpci_nearest(const char *name, size_t count, const char *(*at)(const void *data, size_t index),
                         const void *data);

#endif
