/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_RESOLVE_H
#define GPC_REGISTRY_RESOLVE_H

#include "registry/kinds.h"

/* A spec of a kind that has parameters, taken apart: its table, and its registrant's data. */
typedef struct gpci_resolved {
    gpci_spec spec;
    const gpci_ops_head *ops;
    void *user_data;
} gpci_resolved;

/* The message names what is wrong: the form, the name with the nearest one, or a parameter. */
gpc_status gpci_resolve(const gpc_context *context, gpc_policy_kind kind, const char *text, gpci_resolved *r,
                        gpci_values *values, gpc_error *error);

/* What a table is shown that is asked without making an object: `geometry`, and what was resolved. */
gpc_policy_env gpci_resolved_env(const gpc_context *context, const gpci_resolved *r, const gpci_values *values,
                                 const gpc_policy_env *geometry);

/* Of a scheduler's text, `policy + throttle + ...`: what the part at an index is. */
gpc_policy_kind gpci_kind_of_part(size_t part);

#endif
