/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_COMMONS_H
#define GPC_REGISTRY_COMMONS_H

#include "registry/resolve.h"

/* A spec that was read. The policies of a level that are made from the same text have one. */
struct gpci_policy_spec {
    gpci_policy_spec *next; /* of its level's */
    gpci_commons *level;    /* NULL for a policy that stands alone */
    size_t users;
    gpc_policy_kind kind;
    const gpci_ops_head *ops;
    void *user_data; /* its registrant's */
    char *text;      /* as configured */
    char *arguments; /* what stands in its parentheses */
    gpci_values values;
};

/* On success, left with gpci_policy_spec_leave; before its level's commons are released. */
gpc_status gpci_policy_spec_join(gpc_context *context, gpc_policy_kind kind, const char *text, gpci_commons *level,
                                 gpc_error *error, gpci_policy_spec **out);
void gpci_policy_spec_leave(gpc_context *context, gpci_policy_spec *spec);

/* State that policies of one table and the same arguments share. */
typedef struct gpci_common {
    struct gpci_common *next; /* of its level's */
    gpci_commons *level;
    size_t users;
    const void *ops;
    char *arguments;
    void *state;
} gpci_common;

/* For `count` caches or schedulers that may share. `out` is left alone where the spec's table wants none. */
gpc_status gpci_common_join(gpc_context *context, const gpci_policy_spec *spec, gpci_commons *level, size_t count,
                            gpc_error *error, gpci_common **out);
void gpci_common_leave(gpc_context *context, gpci_common *common);

#endif
