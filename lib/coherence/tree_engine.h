/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_ENGINE_H
#define GPC_COHERENCE_TREE_ENGINE_H

#include "coherence/transaction.h"

/* What every access, flush and acquire begins and ends with. */

/* hit.c: an access that is a plain hit of the first level, all of it. If it is not, false: nothing has been done. */
bool gpci_tree_engine_hit(gpc_coherence *c, const gpc_coherence_request *request, gpc_coherence_result *result);

/*
 * Count a processor's access. `hit`: the block was there with the rights needed, so no request went to the low module.
 */
GPCI_INLINE void gpci_tree_count_access(gpc_coherence_stats *stats, uint32_t kind, bool hit) {
    const bool load = kind == GPC_COHERENCE_LOAD, store = kind == GPC_COHERENCE_STORE;
    *(load ? &stats->loads : store ? &stats->stores : &stats->n_stores) += 1;
    *(load ? &stats->load_hits : store ? &stats->store_hits : &stats->n_store_hits) += hit;
}

/* What policies are shown of a host's access: all that its request says and a gpc_request has a field for. */
GPCI_INLINE gpc_request gpci_tree_shown(const gpc_coherence_request *request) {
    return (gpc_request){.address = request->address,
                         .cycle = request->cycle,
                         .sm = request->module,
                         .kind = request->kind == GPC_COHERENCE_LOAD    ? GPC_LOAD
                                 : request->kind == GPC_COHERENCE_STORE ? GPC_ATOMIC
                                                                        : GPC_STORE};
}

/* Empty the lists of steps; all networks are idle. The point in time at which the transaction begins. */
gpci_tree_point gpci_tree_engine_begin(gpc_coherence *c, uint64_t cycle);
/* Reserve the memory that an access to this address may need, so that it cannot fail half-way. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_engine_reserve(gpc_coherence *c, uint64_t address);
/* Call back for each step, and fill in the caller's result, which may be NULL, from `done` and the lists. */
gpc_status gpci_tree_engine_result(gpc_coherence *c, gpc_coherence_result *done, gpc_coherence_result *result);
/* Is a request to `call` sound, and the object not failed? */
gpc_status gpci_tree_engine_check(const gpc_coherence *c, const char *call, const gpc_coherence_request *request,
                                  gpc_error *error);
/* Is nothing in flight, so that a transaction can be done at once? */
gpc_status gpci_tree_engine_check_idle(const gpc_coherence *c, const char *call, gpc_error *error);
/* The failure of gpci_tree_fail, as an error. */
gpc_status gpci_tree_engine_failure(const gpc_coherence *c, gpc_error *error);

/*
 * evict.c: write a block back for the last time; the low module removes m from its sharers.
 * put.c: T's part of that: remove R from the sharers of R's block.
 */
gpci_tree_point gpci_tree_write_back_and_leave(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
void gpci_tree_drop_sharers(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r, uint64_t tag);

#endif
