/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_BUILD_H
#define GPC_COHERENCE_TREE_BUILD_H

#include "coherence/module/tree.h"

/*
 * Steps of gpc_coherence_create (tree_build.c), in order; a step relies on the earlier steps. If a step fails,
 * gpc_coherence_destroy releases what exists.
 */

/* tree_build.c: name of a module in error messages: "gpc_coherence_options.modules[3] 'l2-0'". */
typedef struct gpci_tree_title {
    char text[128];
} gpci_tree_title;

gpci_tree_title gpci_tree_title_of(const gpci_module *module);

/* Return an error with a module and one of the fields: GPCI_TREE_REFUSE(ARGUMENT, m, "low_count", "is %u", ...) */
#define GPCI_TREE_REFUSE(status, m, field, format, ...) \
    return gpci_fail(error, GPC_ERROR_##status, "%s." field " " format, gpci_tree_title_of(m).text, __VA_ARGS__)

/* Most banks in a lookup table or under a hash. */
#define GPCI_TREE_BANKS 65536u

/* fields.c: check fields of every module and network, and of a module together with the low modules. */
gpc_status gpci_tree_check_networks(const gpc_coherence *coherence, gpc_error *error);
gpc_status gpci_tree_check_modules(const gpc_coherence *coherence, gpc_error *error);

/* selector.c: check for equal HASHED modules, and for addresses of unhashed modules that fit. */
gpc_status gpci_tree_check_hashes(const gpc_coherence *coherence, gpc_error *error);

/* shape.c: modules above, levels, sub-blocks. */
gpc_status gpci_tree_shape(gpc_coherence *coherence, gpc_error *error);

/* cover.c: check for exactly one low module per address of a module. */
gpc_status gpci_tree_cover(gpc_coherence *coherence, gpc_error *error);
/* Sample of the addresses in [first, last]: every address is served by the modules of an address in the sample. */
typedef struct gpci_tree_steps {
    const gpci_module *own; /* further module with residues; or NULL */
    const uint32_t *list;   /* [count] modules whose ranges and residues matter; NULL: the first `count` of the tree */
    uint32_t count;
    uint64_t first, last;
    gpc_status (*visit)(void *data, uint64_t address); /* anything but GPC_OK ends the visits */
} gpci_tree_steps;
/* Visit the sample. Returns the last result of `visit`, or GPC_END: too many addresses. */
gpc_status gpci_tree_visit_steps(const gpc_coherence *coherence, const gpci_tree_steps *steps, void *data);

/* fields.c: check homes of pages. */
gpc_status gpci_tree_check_pages(gpc_coherence *coherence, const gpc_coherence_options *options, gpc_error *error);

/* halves.c: find caches made of two modules; once levels are known, set the common fields of both halves. */
gpc_status gpci_tree_find_halves(gpc_coherence *coherence, gpc_error *error);
gpc_status gpci_tree_join_halves(gpc_coherence *coherence, gpc_error *error);

/* places.c: place of every module, and the rules. */
gpc_status gpci_tree_places(gpc_coherence *coherence, gpc_error *error);

/* selector.c: selectors for the modules in need. */
gpc_status gpci_tree_select(gpc_coherence *coherence, gpc_error *error);
void gpci_tree_selectors_release(gpc_coherence *coherence);

/* layout.c: memory of everything an access changes, replacement policies, networks, lists of a transaction. */
gpc_status gpci_tree_layout(gpc_coherence *coherence, gpc_error *error);

#endif
