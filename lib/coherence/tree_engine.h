/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_ENGINE_H
#define GPC_COHERENCE_TREE_ENGINE_H

#include "coherence/transaction.h"

/* The calls' beginning and end. */

/* hit.c: the whole of an access that hits, if it is an ordinary one; otherwise nothing is done, and false returned. */
bool gpci_engine_hit(gpc_coherence *c, const gpc_coherence_request *request, gpc_coherence_result *result);

/* A processor's access, and whether it asked nothing of the low module. */
GPCI_INLINE void gpci_count_access(gpc_coherence_stats *stats, uint32_t kind, bool hit) {
    const bool load = kind == GPC_COHERENCE_LOAD, store = kind == GPC_COHERENCE_STORE;
    *(load ? &stats->loads : store ? &stats->stores : &stats->n_stores) += 1;
    *(load ? &stats->load_hits : store ? &stats->store_hits : &stats->n_store_hits) += hit;
}

/* Empty lists, an idle system. */
gpci_point gpci_engine_begin(gpc_coherence *c, uint64_t cycle);
/* Room for what one access to an address may take, beside what is listed. GPC_ERROR_MEMORY. */
gpc_status gpci_engine_room(gpc_coherence *c, uint64_t address);
/* The lists and what else is known, to the caller, who may not want them. */
gpc_status gpci_engine_result(gpc_coherence *c, gpc_coherence_result *done, gpc_coherence_result *result);
/* Why the object has failed. */
gpc_status gpci_engine_failure(const gpc_coherence *c, gpc_error *error);

/* evict.c, below.c: a flushed block's bytes to the low module, which forgets who had it; only the latter. */
gpci_point gpci_give_up(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at);
void gpci_forget(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r, uint64_t tag);

#endif
