/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_RESOLVE_H
#define GPC_REGISTRY_RESOLVE_H

#include "registry/kinds.h"

/*
 * A resolved spec: parsed text, table, and the user_data given at the table's registration. For kinds with parameters.
 */
typedef struct gpci_resolved {
    gpci_spec spec;
    const gpci_ops_head *ops;
    void *user_data;
} gpci_resolved;

/* Resolve a spec. The message names the fault: the form, the name with the nearest known name, or a parameter. */
gpc_status gpci_resolve(const gpc_context *context, gpc_policy_kind kind, const char *text, gpci_resolved *resolved,
                        gpci_values *values, gpc_error *error);

/* Environment for a question to a table without an instance: `geometry`, and the resolved spec. */
gpc_policy_env gpci_resolved_env(const gpc_context *context, const gpci_resolved *resolved, const gpci_values *values,
                                 const gpc_policy_env *geometry);

/* Kind of the part at an index in a scheduler's text, `policy + throttle + ...`. */
gpc_policy_kind gpci_kind_of_part(size_t part);

#endif
