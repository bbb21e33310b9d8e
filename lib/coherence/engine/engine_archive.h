/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_ARCHIVE_H
#define GPC_COHERENCE_ENGINE_ARCHIVE_H

#include "base/archive.h"
#include "coherence/engine/engine.h"

/*
 * Save the numbers of accesses, tasks and other items; when loading, make room for the saved numbers. Call before
 * gpci_engine_state.
 */
void gpci_engine_archive_counts(gpci_engine *engine, gpci_archive *archive);

#endif
