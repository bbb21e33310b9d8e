/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore_families.h"

#include <string.h>

const explore_family explore_families[EXPLORE_FAMILIES] = {
    {"msi", "MSI", false, false, false},      {"mesi", "MESI", false, false, false},
    {"mosi", "MOSI", false, false, false},    {"moesi", "MOESI", false, false, false},
    {"nmoesi", "NMOESI", true, false, false}, {"vi", NULL, true, true, false},
    {"none", NULL, true, false, false},       {"slc-glc", NULL, true, true, true},
};

const explore_family explore_mended = {"nmoesi-multi2sim", NULL, true, false, false};
const explore_family explore_forwarding = {"mesif", NULL, false, false, false};

const explore_family *explore_family_of(const char *protocol) {
    for (size_t i = 0; i < EXPLORE_FAMILIES; i++)
        if (strcmp(explore_families[i].protocol, protocol) == 0)
            return &explore_families[i];
    if (strcmp(protocol, explore_forwarding.protocol) == 0)
        return &explore_forwarding;
    return strcmp(protocol, explore_mended.protocol) == 0 ? &explore_mended : NULL;
}

explore_setup explore_setup_of(gpc_context *context, const explore_family *f, const gpci_verify_tree *tree,
                               uint32_t blocks, uint32_t positions) {
    return (explore_setup){
        .context = context,
        .protocol = f->protocol,
        .tree = *tree,
        .blocks = blocks,
        .positions = positions,
        .kinds = EXPLORE_ALL_KINDS,
        .races = f->races,
        .refreshes = f->refreshes,
        .steered = f->steered,
        .letters = tree->write_through ? NULL : f->letters,
        .multi2sim = f == &explore_mended,
        .plain =
            f->letters || f == &explore_mended || f == &explore_forwarding || tree->write_through ? NULL : f->protocol,
    };
}
