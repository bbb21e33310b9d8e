/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_BUILD_H
#define GPC_COHERENCE_TREE_BUILD_H

#include "coherence/tree.h"

/*
 * The steps of gpc_coherence_create (tree_build.c), in the order in which they are done. Each relies on those before
 * it. If one fails, gpc_coherence_destroy releases what is there.
 */

/* tree_build.c: what a module is called in error messages: "gpc_coherence_options.modules[3] 'l2-0'". */
typedef struct gpci_tree_title {
    char text[128];
} gpci_tree_title;

gpci_tree_title gpci_tree_title_of(const gpci_module *m);

/*
 * Return an error that names a module and one of its fields: GPCI_TREE_REFUSE(ARGUMENT, m, "low_count", "is %u", ...)
 */
#define GPCI_TREE_REFUSE(status, m, field, format, ...) \
    return gpci_fail(error, GPC_ERROR_##status, "%s." field " " format, gpci_tree_title_of(m).text, __VA_ARGS__)

/* The most banks that addresses are looked up in one by one, or hashed over. */
#define GPCI_TREE_BANKS 65536u

/* fields.c: are the fields of each module and network possible, and those of a module and its low modules together? */
gpc_status gpci_tree_check_networks(const gpc_coherence *c, gpc_error *error);
gpc_status gpci_tree_check_modules(const gpc_coherence *c, gpc_error *error);

/* selector.c: are the HASHED modules of a tree all alike, and other modules' addresses such as may be beside them? */
gpc_status gpci_tree_check_hashes(const gpc_coherence *c, gpc_error *error);

/* shape.c: the modules above each, levels, sub-blocks. */
gpc_status gpci_tree_shape(gpc_coherence *c, gpc_error *error);

/* cover.c: each address that a module serves is served by exactly one of its low modules. */
gpc_status gpci_tree_cover(gpc_coherence *c, gpc_error *error);
/*
 * A set of addresses in [first, last] that stands for all of them: the modules that serve any other address are those
 * that serve one of these.
 */
typedef struct gpci_tree_steps {
    const gpci_module *own; /* a module whose residues matter besides those of the list; NULL */
    const uint32_t *list;   /* [count] modules whose ranges and residues matter; NULL: the first `count` of the tree */
    uint32_t count;
    uint64_t first, last;
    gpc_status (*visit)(void *data, uint64_t address); /* anything but GPC_OK ends the visits */
} gpci_tree_steps;
/* Visit them. What `visit` returned last, or GPC_END: there are too many. */
gpc_status gpci_tree_visit_steps(const gpc_coherence *c, const gpci_tree_steps *steps, void *data);

/* pages.c: homes of pages. */
gpc_status gpci_tree_check_pages(gpc_coherence *c, const gpc_coherence_options *o, gpc_error *error);

/* halves.c: caches that are two modules each; when levels are known, what of these is common to both halves. */
gpc_status gpci_tree_find_halves(gpc_coherence *c, gpc_error *error);
gpc_status gpci_tree_join_halves(gpc_coherence *c, gpc_error *error);

/* places.c: each module's place, and the rules that go with it. */
gpc_status gpci_tree_places(gpc_coherence *c, gpc_error *error);

/* selector.c: selectors for modules that need one. */
gpc_status gpci_tree_select(gpc_coherence *c, gpc_error *error);
void gpci_tree_selectors_release(gpc_coherence *c);

/* layout.c: memory for all that an access changes, replacement policies, networks, the lists of a transaction. */
gpc_status gpci_tree_layout(gpc_coherence *c, gpc_error *error);

#endif
