/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_REGISTRY_H
#define GPC_REGISTRY_REGISTRY_H

#include "registry/spec.h"

/*
 * context.c: gpc_context_create, given the built-in tables by kind. Each list of tables ends with NULL. The lists stay
 * the caller's and outlive the context.
 */
gpc_status gpci_context_make(const gpc_context_options *options, const void *const *const *builtins, gpc_error *error,
                             gpc_context **out);

#define GPCI_MAX_SCHEDULER_WARPS 1024u
#define GPCI_MAX_THROTTLES 8u /* on one scheduler */

/*
 * What the policies of a level of caches or of an SM's schedulers have in common: each spec is read once, and those of
 * one name and the same arguments may share state.
 */
typedef struct gpci_commons gpci_commons;

gpci_commons *gpci_commons_create(gpc_context *context);
gpci_commons *gpci_commons_retain(gpci_commons *commons);
/* Has somebody else a reference? */
bool gpci_commons_are_shared(const gpci_commons *commons);
/* Give up a reference; the last after all policies made with it are gone. NULL is allowed. */
void gpci_commons_release(gpci_commons *commons);

/* Caches, or what decides for them, that are of a level which no hierarchy has, and may share. */
typedef struct gpci_level_shape {
    gpc_context *context;
    gpci_commons *commons; /* NULL: it is the only one of its level */
    uint64_t sets, ways, line_bytes, sectors, instances;
} gpci_level_shape;

/*
 * Find the commons of one of several: those of `other`, or, where that is NULL, new ones; to be released in any case.
 * What is shared is laid out for one context's of one shape: any other is GPC_ERROR_ARGUMENT, of `type`.share_with.
 */
gpc_status gpci_commons_join(gpci_level_shape *shape, const gpci_level_shape *other, const char *type,
                             gpc_error *error);

typedef struct gpci_policy_spec gpci_policy_spec;

/* A policy at work: the table, its slab and its environment. */
typedef struct gpci_policy {
    gpc_context *context;
    const void *ops; /* the table of its kind */
    void *self;
    gpci_policy_spec *spec; /* as configured */
    void (*finish)(void *self);
    void *first_state, *second_state; /* per set and line, or per warp */
    const gpc_layout *sample_layout;  /* of the statistics that a scheduler's or throttle's `sample` gets, */
    void *sample_stats;               /* and one such struct; both NULL: the library's own */
    struct gpci_common *common;
    union {
        gpc_policy_env env;
        gpc_scheduler_env scheduler_env;
    };
} gpci_policy;

/*
 * Make a policy from `name` or `name(parameter=value, ...)` for a cache of the
 * geometry in `geometry` (sets to count are read). `commons`: those of its level; NULL: it stands alone.
 */
gpc_status gpci_policy_create(gpc_context *context, gpc_policy_kind kind, const char *spec,
                              const gpc_policy_env *geometry, gpci_commons *commons, gpc_error *error,
                              gpci_policy **out);
/* Is its table one that a host has registered? */
bool gpci_policy_is_hosts(const gpci_policy *policy);
/* Whether both are of one table, with the same arguments. */
bool gpci_policy_same(const gpci_policy *a, const gpci_policy *b);
/* The same for a scheduler or a throttle: warps, sm, index, count, sms and seed are read. */
gpc_status gpci_scheduler_policy_create(gpc_context *context, gpc_policy_kind kind, const char *spec,
                                        const gpc_scheduler_env *geometry, gpci_commons *commons, gpc_error *error,
                                        gpci_policy **out);
void gpci_policy_destroy(gpci_policy *policy);
/*
 * All that it has come to, for a snapshot, what it shares included. Of one that does not say what that is, a stretch
 * that is not there (gpc_state_fn).
 */
void gpci_policy_state(gpci_policy *policy, gpci_state_fn visit, void *user_data);
bool gpci_policy_has_state(const gpci_policy *policy);
/* As configured. */
const char *gpci_policy_text(const gpci_policy *policy);
/* Statistics as the policy's `sample` is to get them; valid until the next call. */
const gpc_stats *gpci_policy_sample(const gpci_policy *policy, const gpc_stats *stats);

/* The table of a spec. NULL where the spec is none that gpci_policy_check accepts. */
const void *gpci_policy_table(const gpc_context *context, gpc_policy_kind kind, const char *spec);

/* Cost of a spec in the environment of a cache: geometry, index and count. As gpc_policy_cost otherwise. */
gpc_status gpci_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                            const gpc_policy_env *geometry, gpc_error *error, uint64_t *out_bits);

/* As gpc_policy_reads, of replacement policies and predictors. */
gpc_status gpci_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *spec, gpc_error *error,
                             uint64_t *out_reads);

/* What the table of a replacement policy or predictor can be told in calls of its own: GPC_READS_ bits. */
uint64_t gpci_policy_hears(gpc_policy_kind kind, const void *ops);
/*
 * Does a replacement policy or predictor read, with its parameters, more than `tells`? One that does not state what it
 * reads is taken to read what it can be told in calls. GPC_ERROR_UNSUPPORTED names it.
 */
gpc_status gpci_policy_check_tells(const gpci_policy *policy, uint64_t tells, gpc_error *error);

/* Names of GPC_READS_ bits, for messages: "address, pc". GPC_READS_PLACE, which all know, is not named. */
#define GPCI_READS_TEXT 256u
void gpci_reads_text(uint64_t reads, char text[GPCI_READS_TEXT]);

/* Check a spec without making anything: known name, known parameters, values in range. */
gpc_status gpci_policy_check(const gpc_context *context, gpc_policy_kind kind, const char *spec, gpc_error *error);

/*
 * A scheduler's text taken apart in place, `policy + throttle + ...`: `parts` points into it.
 * GPC_ERROR_FORMAT, GPC_ERROR_RANGE (more throttles than there may be).
 */
gpc_status gpci_scheduler_parts(char *text, char *parts[1 + GPCI_MAX_THROTTLES], size_t *out_count, gpc_error *error);
/* Do the policy or a throttle of such a text want the L1's events? */
gpc_status gpci_scheduler_text_wants_events(gpc_context *context, const char *text, gpc_error *error, bool *out);
/* gpci_policy_check of all of them. */
gpc_status gpci_scheduler_check(const gpc_context *context, const char *text, gpc_error *error);

/* Of `count` names, the one nearest to `name` in edits, or NULL if none is near. `at` yields the names. */
const char *gpci_nearest(const char *name, size_t count, const char *(*at)(const void *data, size_t index),
                         const void *data);

#endif
