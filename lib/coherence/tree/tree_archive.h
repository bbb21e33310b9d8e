/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_ARCHIVE_H
#define GPC_COHERENCE_TREE_ARCHIVE_H

#include "base/archive.h"
#include "coherence/module/tree.h"

/* Save a tree to an archive, or load it. A tree may only be loaded into a tree made from equal options. */
void gpci_coherence_archive(gpc_coherence *tree, gpci_archive *archive);

#endif
