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

/* Of a scheduler's text, `policy + throttle + ...`: what the part at an index is. */
gpc_policy_kind gpci_kind_of_part(size_t part);

#endif
