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

/* Return an error about a field of a module, for example: GPCI_TREE_REFUSE(ARGUMENT, m, "low_count", "is %u", ...) */
#define GPCI_TREE_REFUSE(status, m, field, format, ...) \
    return gpci_fail(error, GPC_ERROR_##status, "%s." field " " format, gpci_tree_title_of(m).text, __VA_ARGS__)

/* Upper bound of the banks in a lookup table, or under a hash. */
#define GPCI_TREE_BANKS 65536u

/*
 * fields.c: check the fields of every module and network, and the fields of a module against the fields of the low
 * modules.
 */
gpc_status gpci_tree_check_networks(const gpc_coherence *coherence, gpc_error *error);
gpc_status gpci_tree_check_modules(const gpc_coherence *coherence, gpc_error *error);

/*
 * selector.c: check that all HASHED modules have equal hashes, and that ranges of other modules do not cut the hashed
 * groups.
 */
gpc_status gpci_tree_check_hashes(const gpc_coherence *coherence, gpc_error *error);

/* shape.c: compute modules above, levels, and sub-blocks. */
gpc_status gpci_tree_shape(gpc_coherence *coherence, gpc_error *error);

/* cover.c: check that exactly one low module serves each address of a module. */
gpc_status gpci_tree_cover(gpc_coherence *coherence, gpc_error *error);
/*
 * A sample of the addresses in [first, last] (cover.c): for every address, the sample has an address that the same
 * modules serve.
 */
typedef struct gpci_tree_steps {
    const gpci_module *own; /* a further module whose residues matter; or NULL */
    /* [count] modules whose ranges and residues matter; NULL: the first `count` modules of the tree */
    const uint32_t *list;
    uint32_t count;
    uint64_t first, last;
    gpc_status (*visit)(void *data, uint64_t address); /* anything but GPC_OK ends the visits */
} gpci_tree_steps;
/*
 * Visit the addresses of the sample. Returns the last result of `visit`. GPC_END: the sample has too many addresses,
 * and only the first addresses were visited.
 */
gpc_status gpci_tree_visit_steps(const gpc_coherence *coherence, const gpci_tree_steps *steps, void *data);

/* fields.c: check homes of pages. */
gpc_status gpci_tree_check_pages(gpc_coherence *coherence, const gpc_coherence_options *options, gpc_error *error);

/* halves.c: find the caches of two halves; later, when levels are known, set the fields that both halves share. */
gpc_status gpci_tree_find_halves(gpc_coherence *coherence, gpc_error *error);
gpc_status gpci_tree_join_halves(gpc_coherence *coherence, gpc_error *error);

/* places.c: find the place and the rules of every module. */
gpc_status gpci_tree_places(gpc_coherence *coherence, gpc_error *error);

/* selector.c: make selectors for the modules that need them. */
gpc_status gpci_tree_select(gpc_coherence *coherence, gpc_error *error);
void gpci_tree_selectors_release(gpc_coherence *coherence);

/*
 * layout.c: allocate the memory of everything that an access changes; make replacement policies, networks, and the
 * lists of a transaction.
 */
gpc_status gpci_tree_layout(gpc_coherence *coherence, gpc_error *error);

#endif
