/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_ARCHIVE_H
#define GPC_COHERENCE_TREE_ARCHIVE_H

#include "base/archive.h"
#include "coherence/tree.h"

/* A tree's part of a snapshot; loading, into one that was made from the same options. */
void gpci_coherence_archive(gpc_coherence *tree, gpci_archive *archive);

#endif
