/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_ALONE_H
#define GPC_COHERENCE_ENGINE_ALONE_H

#include "coherence/engine/engine.h"

/*
 * Lone accesses, one at a time from issue to end: gpc_coherence_access, flushes, acquires. Lone accesses have
 * engine of their own (gpc_coherence.lone), without other accesses in flight. In a tree without `timing` all
 * delays are 0. Messages and transitions of an access are listed (gpc_coherence.messages).
 */

/* Perform a checked access. `carried`: request shown to policies, or NULL in a tree without policies. */
gpc_status gpci_alone_access(gpc_coherence *coherence, const gpc_coherence_request *request, const gpc_request *carried,
                             gpc_error *error, gpc_coherence_result *result);
/* Begin work on all blocks of modules, one after another, with empty lists. */
gpc_status gpci_alone_begin(gpc_coherence *coherence, uint64_t cycle, gpc_error *error);
/* Perform `kind` (gpci_sweep) on a valid block of a module. GPC_ERROR_MEMORY: nothing was done. */
gpc_status gpci_alone_block(gpc_coherence *coherence, uint32_t module, uint32_t block, uint32_t kind, gpc_error *error);
/* End the work: append the FINISH of a module, and report the result. */
gpc_status gpci_alone_end(gpc_coherence *coherence, uint32_t module, gpc_coherence_result *result);

#endif
