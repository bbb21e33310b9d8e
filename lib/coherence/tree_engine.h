/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_ENGINE_H
#define GPC_COHERENCE_TREE_ENGINE_H

#include "coherence/transaction.h"

/* How an access or a flush begins and ends. */

/* hit.c: the whole of an access that hits, if it is an ordinary one; otherwise nothing is done, and false returned. */
bool gpci_tree_engine_hit(gpc_coherence *c, const gpc_coherence_request *request, gpc_coherence_result *result);

/* A processor's access, and whether it asked nothing of the low module. */
GPCI_INLINE void gpci_tree_count_access(gpc_coherence_stats *stats, uint32_t kind, bool hit) {
    const bool load = kind == GPC_COHERENCE_LOAD, store = kind == GPC_COHERENCE_STORE;
    *(load ? &stats->loads : store ? &stats->stores : &stats->n_stores) += 1;
    *(load ? &stats->load_hits : store ? &stats->store_hits : &stats->n_store_hits) += hit;
}

/* Empty lists, an idle system. */
gpci_tree_point gpci_tree_engine_begin(gpc_coherence *c, uint64_t cycle);
/* Room for what one access to an address may take, beside what is listed. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_engine_reserve(gpc_coherence *c, uint64_t address);
/* The lists and what else is known, to the caller, who may not want them. */
gpc_status gpci_tree_engine_result(gpc_coherence *c, gpc_coherence_result *done, gpc_coherence_result *result);
/* Why the object has failed. */
gpc_status gpci_tree_engine_failure(const gpc_coherence *c, gpc_error *error);

/* evict.c: write a flushed block back, and strike it off the low module's directory. put.c: the latter alone. */
gpci_tree_point gpci_tree_give_up(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
void gpci_tree_drop_sharers(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r, uint64_t tag);

#endif
