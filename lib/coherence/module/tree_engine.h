/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_ENGINE_H
#define GPC_COHERENCE_TREE_ENGINE_H

#include "base/check.h"
#include "coherence/module/transaction.h"

/* Begin and end of every access, flush and acquire. */

/* hit.c: perform an access that is a plain hit of the first level. False: no plain hit; nothing was done. */
bool gpci_tree_engine_hit(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_coherence_result *result);

/*
 * Count a processor's access. `hit`: the block was present with sufficient permission, so no request went to the low
 * module.
 */
GPCI_INLINE void gpci_tree_count_access(gpc_coherence_stats *stats, uint32_t kind, bool hit) {
    const bool load = kind == GPC_COHERENCE_LOAD, store = kind == GPC_COHERENCE_STORE;
    *(load ? &stats->loads : store ? &stats->stores : &stats->n_stores) += 1;
    *(load ? &stats->load_hits : store ? &stats->store_hits : &stats->n_store_hits) += hit;
}

#ifdef GPCI_CHECK
/* Count a processor's access again. */
GPCI_INLINE void gpci_tree_count_access_again(gpci_module *module, uint32_t kind, bool hit) {
    gpc_coherence_stats *stats = &module->again;
    switch (kind) {
    case GPC_COHERENCE_LOAD:
        stats->loads++;
        stats->load_hits += hit;
        break;
    case GPC_COHERENCE_STORE:
        stats->stores++;
        stats->store_hits += hit;
        break;
    default:
        stats->n_stores++;
        stats->n_store_hits += hit;
    }
}
#endif

/* True for a store whose old value is not needed: no read-modify-write, and no value returned. */
GPCI_INLINE bool gpci_tree_is_blind(const gpc_coherence_request *request) {
    return request->kind == GPC_COHERENCE_N_STORE && !request->out && !request->atomic_count &&
           !(request->flags & GPC_ACCESS_RETURNS);
}

/* Column of the first level's table: the event named by the access, or its kind, modified by the protocol's flags. */
GPCI_INLINE uint32_t gpci_tree_event_of(const gpc_coherence *coherence, uint32_t kind, uint32_t flags) {
    if (GPCI_UNLIKELY(flags >> GPC_ACCESS_EVENT_SHIFT))
        return flags >> GPC_ACCESS_EVENT_SHIFT;
    if (kind == GPC_COHERENCE_LOAD)
        return flags & coherence->protocol->pass_loads[0] ? GPC_EVENT_PASSING_LOAD : GPC_EVENT_LOAD;
    if (flags & coherence->protocol->pass_stores[0])
        return GPC_EVENT_PASSING_STORE;
    if (kind == GPC_COHERENCE_STORE)
        return GPC_EVENT_STORE;
    return flags & coherence->protocol->through_stores ? GPC_EVENT_THROUGH_STORE : GPC_EVENT_N_STORE;
}

/* True if an access evicts the block it finds, and goes below. */
GPCI_INLINE bool gpci_tree_evicts(uint32_t flags) {
    return GPCI_UNLIKELY(flags & GPC_ACCESS_EVICT);
}

/* True if a store is written through the module. */
GPCI_INLINE bool gpci_tree_goes_through(const gpci_module *module, uint32_t kind, uint32_t flags) {
    return (module->given.write_through || flags & GPC_ACCESS_THROUGH) && kind != GPC_COHERENCE_LOAD;
}

/* True if a missing access bypasses its first-level module without allocating. `event`: of the access. */
GPCI_INLINE bool gpci_tree_bypasses(const gpci_module *module, uint32_t event, uint32_t kind, uint32_t flags) {
    const bool load = kind == GPC_COHERENCE_LOAD;
    return gpci_module_rule(module, GPC_LINE_I, event)->actions & GPC_DO_PASS ||
           (module->given.no_write_allocate && !load) || flags & GPC_ACCESS_NO_ALLOCATE || gpci_tree_evicts(flags);
}

/*
 * True if an access with these flags also bypasses T. `bits`: the protocol's, for the first level and for caches below.
 */
GPCI_INLINE bool gpci_tree_passes(const gpci_module *target, const uint32_t bits[2], uint32_t flags) {
    return target->place != GPCI_PLACE_MEMORY && (flags & bits[target->level > 1]);
}

/*
 * hit.c: perform a checked access that needs no module but the first-level one, with calls of policies and callbacks.
 * `status`: status of the access. False: the access needs other modules, and nothing was done.
 */
bool gpci_tree_engine_own(gpc_coherence *coherence, const gpc_coherence_request *request, const gpc_request *carried,
                          gpc_coherence_result *result, gpc_status *status);

/* Request shown to policies for a host's access: all fields that also exist in gpc_request. */
GPCI_INLINE gpc_request gpci_tree_policy_request(const gpc_coherence_request *request) {
    return (gpc_request){.address = request->address,
                         .cycle = request->cycle,
                         .sm = request->module,
                         .kind = request->kind == GPC_COHERENCE_LOAD    ? GPC_LOAD
                                 : request->kind == GPC_COHERENCE_STORE ? GPC_ATOMIC
                                                                        : GPC_STORE};
}

/* Make room in the lists of messages and transitions for an access. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_make_lists(gpc_coherence *coherence);
/* Reserve the memory for an access to an address: the access cannot fail half way. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_engine_reserve(gpc_coherence *coherence, uint64_t address);
/* Call back for every step, and fill in the caller's result (may be NULL) from `done` and the lists. */
gpc_status gpci_tree_engine_result(gpc_coherence *coherence, gpc_coherence_result *done, gpc_coherence_result *result);
/* Check a request to `call`, and that the object has not failed. */
gpc_status gpci_tree_engine_check(const gpc_coherence *coherence, const char *call,
                                  const gpc_coherence_request *request, gpc_error *error);
/* flush.c: perform an ACQUIRE or RELEASE at once. */
gpc_status gpci_tree_order(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_error *error,
                           gpc_coherence_result *result);
/* Check an ACQUIRE, which needs no address. */
gpc_status gpci_tree_check_acquire(const gpc_coherence *coherence, const char *call,
                                   const gpc_coherence_request *request, gpc_error *error);
/* Check for accesses in flight: an access at once needs an idle tree. */
gpc_status gpci_tree_engine_check_idle(const gpc_coherence *coherence, const char *call, gpc_error *error);
/* Failure of gpci_tree_fail, as an error. */
gpc_status gpci_tree_engine_failure(const gpc_coherence *coherence, gpc_error *error);

#endif
