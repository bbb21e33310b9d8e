/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_ARCHIVE_H
#define GPC_COHERENCE_ENGINE_ARCHIVE_H

#include "base/archive.h"
#include "coherence/engine/engine.h"

/* Make room for the saved number of accesses, tasks and so on; call before gpci_engine_state. */
void gpci_engine_archive_counts(gpci_engine *engine, gpci_archive *archive);

#endif
