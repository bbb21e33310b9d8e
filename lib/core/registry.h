/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CORE_REGISTRY_H
#define GPC_CORE_REGISTRY_H

#include "core/core.h"

/* Built-in policies, NULL-terminated; each list stands in its folder's builtin.c. */
extern const gpc_replacement_ops *const gpci_builtin_replacements[];
extern const gpc_predictor_ops *const gpci_builtin_predictors[];
extern const gpc_scheduler_ops *const gpci_builtin_schedulers[];

#define GPCI_MAX_SCHEDULER_WARPS 1024u

gpci_registry *gpci_registry_create(gpc_context *context);
void gpci_registry_destroy(gpc_context *context, gpci_registry *registry);

/* A policy at work: the table, its slab and its environment. */
typedef struct gpci_policy {
    gpc_context *context;
    const void *ops; /* gpc_replacement_ops, gpc_predictor_ops or gpc_scheduler_ops */
    void *self;
    char *spec;      /* as configured */
    char *arguments; /* what stands in its parentheses */
    void (*finish)(void *self);
    void *first_state, *second_state; /* per set and line, or per warp */
    void *user_data;
    union {
        gpc_policy_env env;
        gpc_scheduler_env scheduler_env;
    };
    double parameters[GPC_MAX_PARAMETERS];
} gpci_policy;

/*
 * Make a policy from `name` or `name(parameter=value, ...)` for a cache of the
 * geometry in `geometry` (sets to count are read).
 */
gpc_status gpci_policy_create(gpc_context *context, gpc_policy_kind kind, const char *spec,
                              const gpc_policy_env *geometry, gpc_error *error, gpci_policy **out);
/* The same for a scheduler: warps, sm, index, count, sms and seed are read. */
gpc_status gpci_scheduler_policy_create(gpc_context *context, const char *spec, const gpc_scheduler_env *geometry,
                                        gpc_error *error, gpci_policy **out);
void gpci_policy_destroy(gpci_policy *policy);

/* Check a spec without making anything: known name, known parameters, values in range. */
gpc_status gpci_policy_check(const gpc_context *context, gpc_policy_kind kind, const char *spec, gpc_error *error);

/* Of `count` names, the one nearest to `name` in edits, or NULL if none is near. `at` yields the names. */
const char *gpci_nearest(const char *name, size_t count, const char *(*at)(const void *data, size_t index),
                         const void *data);

#endif
