/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_BUILD_H
#define GPC_COHERENCE_TREE_BUILD_H

#include "coherence/tree.h"

/*
 * Making a tree, step by step. Each step relies on those before it; what a failed one leaves behind is
 * gpc_coherence_destroy's.
 */

/* build.c: a module for messages, "gpc_coherence_options.modules[3] 'l2-0'", in a buffer of the caller's. */
typedef struct gpci_tree_title {
    char text[128];
} gpci_tree_title;

gpci_tree_title gpci_tree_title_of(const gpci_module *m);

/* Refuse a module's field: REFUSE(ARGUMENT, m, "low_count", "is %u", ...) */
#define GPCI_TREE_REFUSE(status, m, field, format, ...) \
    return gpci_fail(error, GPC_ERROR_##status, "%s." field " " format, gpci_tree_title_of(m).text, __VA_ARGS__)

/* fields.c: each module and network by itself, and the ways between them. */
gpc_status gpci_tree_check_networks(const gpc_coherence *c, gpc_error *error);
gpc_status gpci_tree_check_modules(const gpc_coherence *c, gpc_error *error);

/* shape.c: who is above whom, levels, places and their rules, sub-blocks. */
gpc_status gpci_tree_shape(gpc_coherence *c, gpc_error *error);

/* cover.c: each address that a module serves is served by exactly one of its low modules. */
gpc_status gpci_tree_cover(gpc_coherence *c, gpc_error *error);

/* layout.c: the slab, policies, networks and the lists of a transaction. */
gpc_status gpci_tree_layout(gpc_coherence *c, gpc_error *error);

#endif
