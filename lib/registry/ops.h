/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_OPS_H
#define GPC_REGISTRY_OPS_H

#include "registry/registry.h"

/* Kinds of tables with functions: all but protocols, which come last. */
enum { GPCI_OPS_KINDS = GPC_POLICY_PROTOCOL };

/* The fields with which all policy tables begin, so that what handles them need not know which it has. */
typedef struct gpci_ops_head {
    size_t struct_size;
    const char *name, *summary, *source;
    size_t instance_bytes;
    size_t set_bytes, line_bytes; /* a scheduler's or throttle's: warp_bytes and none */
    const gpc_parameter *parameters;
    size_t parameter_count;
} gpci_ops_head;

/* What a table of any kind holds further on. */
typedef struct gpci_ops_tail {
    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_each_bytes; /* of all, and times the number of caches or schedulers */
} gpci_ops_tail;

gpci_ops_tail gpci_ops_tail_of(gpc_policy_kind kind, const gpci_ops_head *head);

extern const char *const gpci_kind_names[GPC_POLICY_KIND_COUNT];

/* The table at `index` of a registry, below gpc_policy_count; of these kinds only, as all below. */
const gpci_ops_head *gpci_ops_at(const gpc_context *context, gpc_policy_kind kind, size_t index);

/* The table of a name, NULL if there is none; its registrant's data, and whether it is the host's own. */
const gpci_ops_head *gpci_ops_find(const gpc_context *context, gpc_policy_kind kind, const char *name, size_t length,
                                   void **user_data, bool *hosts);

#endif
