/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_EXPLORE_FAMILIES_H
#define TESTS_COHERENCE_EXPLORE_FAMILIES_H

#include "coherence/explore.h"

/* Explored protocols, with promises. */

#define EXPLORE_BIT(kind) (1u << GPCI_VERIFY_##kind)
#define EXPLORE_ALL_KINDS ((1u << GPCI_VERIFY_KINDS) - 1)

typedef struct explore_family {
    const char *protocol, *letters; /* letters: if seeds/002 has a table or a text */
    bool races, refreshes, steered;
} explore_family;

enum { EXPLORE_FAMILIES = 8 };
extern const explore_family explore_families[EXPLORE_FAMILIES];
/* Multi2Sim's, without the flags that lose data. */
extern const explore_family explore_mended;
extern const explore_family explore_forwarding; /* mesif: without letters in a document */

const explore_family *explore_family_of(const char *protocol);

explore_setup explore_setup_of(gpc_context *context, const explore_family *family, const gpci_verify_tree *tree,
                               uint32_t blocks, uint32_t positions);

#endif
