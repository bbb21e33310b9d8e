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

/* A store that does not want to know what was there: no read-modify-write, and nothing is read back. */
GPCI_INLINE bool gpci_tree_is_blind(const gpc_coherence_request *request) {
    return request->kind == GPC_COHERENCE_N_STORE && !request->out && !request->atomic_count &&
           !(request->flags & GPC_ACCESS_RETURNS);
}

/* The column of the first level's table: the one it names, or the kind of access, as the protocol's flags steer it. */
GPCI_INLINE uint32_t gpci_tree_event_of(const gpc_coherence *c, uint32_t kind, uint32_t flags) {
    if (GPCI_UNLIKELY(flags >> GPC_ACCESS_EVENT_SHIFT))
        return flags >> GPC_ACCESS_EVENT_SHIFT;
    if (kind == GPC_COHERENCE_LOAD)
        return flags & c->protocol->pass_loads[0] ? GPC_EVENT_PASSING_LOAD : GPC_EVENT_LOAD;
    if (flags & c->protocol->pass_stores[0])
        return GPC_EVENT_PASSING_STORE;
    if (kind == GPC_COHERENCE_STORE)
        return GPC_EVENT_STORE;
    return flags & c->protocol->through_stores ? GPC_EVENT_THROUGH_STORE : GPC_EVENT_N_STORE;
}

/* Does an access evict the block that it finds, and go below? */
GPCI_INLINE bool gpci_tree_evicts(uint32_t flags) {
    return GPCI_UNLIKELY(flags & GPC_ACCESS_EVICT);
}

/* Is it written through its module? */
GPCI_INLINE bool gpci_tree_goes_through(const gpci_module *m, uint32_t kind, uint32_t flags) {
    return (m->given.write_through || flags & GPC_ACCESS_THROUGH) && kind != GPC_COHERENCE_LOAD;
}

/* Does an access that misses bypass its first-level module, and allocate nothing? `event`: of the access. */
GPCI_INLINE bool gpci_tree_bypasses(const gpci_module *m, uint32_t event, uint32_t kind, uint32_t flags) {
    const bool load = kind == GPC_COHERENCE_LOAD;
    return gpci_module_rule(m, GPC_LINE_I, event)->actions & GPC_DO_PASS || (m->given.no_write_allocate && !load) ||
           flags & GPC_ACCESS_NO_ALLOCATE || gpci_tree_evicts(flags);
}

/* Does an access with these flags bypass T, too? `bits`: the protocol's, of the first level and of caches below it. */
GPCI_INLINE bool gpci_tree_passes(const gpci_module *t, const uint32_t bits[2], uint32_t flags) {
    return t->place != GPCI_PLACE_MEMORY && (flags & bits[t->level > 1]);
}

/* put.c: the event at T, and why T's state is written, which was `state`. */
gpc_coherence_event gpci_tree_put_event(bool non_coherent);
uint32_t gpci_tree_put_origin(const gpc_coherence *c, gpc_message_kind kind, bool non_coherent, uint8_t state);
/*
 * evict.c: a store to a block has been written through. The copy stays, clean if nothing else in it is modified;
 * without data that is not known: if any byte was modified before, one is taken to be still.
 */
void gpci_tree_written_through(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store,
                               bool was_modified, gpci_tree_point at);

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
/* Of an ACQUIRE, which has no address. */
/* An ACQUIRE or RELEASE, at once. */
gpc_status gpci_tree_order(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                           gpc_coherence_result *result);
gpc_status gpci_tree_check_acquire(const gpc_coherence *c, const char *call, const gpc_coherence_request *request,
                                   gpc_error *error);
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
