/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_COMMONS_H
#define GPC_REGISTRY_COMMONS_H

#include "registry/resolve.h"

/* A parsed spec. The policies of a level that are made from equal texts use a common spec. */
struct gpci_policy_spec {
    gpci_policy_spec *next; /* next spec of the level */
    gpci_commons *level;    /* NULL for a policy outside a level */
    size_t users;
    gpc_policy_kind kind;
    const gpci_ops_head *ops;
    void *user_data; /* as given at the registration of the table */
    char *text;      /* spec as configured */
    char *arguments; /* text between the parentheses */
    gpci_values values;
};

/* Get the parsed spec of `text`. Leave with gpci_policy_spec_leave, before the level's commons are released. */
gpc_status gpci_policy_spec_join(gpc_context *context, gpc_policy_kind kind, const char *text, gpci_commons *level,
                                 gpc_error *error, gpci_policy_spec **out);
void gpci_policy_spec_leave(gpc_context *context, gpci_policy_spec *spec);

/* State shared by the policies with a common table and equal arguments. */
typedef struct gpci_common {
    struct gpci_common *next; /* next state of the level */
    gpci_commons *level;
    size_t users;
    const void *ops;
    char *arguments;
    void *state;
} gpci_common;

/*
 * Get the shared state for `count` caches or schedulers. If the spec's table needs no shared state, `out` is not
 * written.
 */
gpc_status gpci_common_join(gpc_context *context, const gpci_policy_spec *spec, gpci_commons *level, size_t count,
                            gpc_error *error, gpci_common **out);
void gpci_common_leave(gpc_context *context, gpci_common *common);

#endif
