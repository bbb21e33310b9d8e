/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_sweep.h"

/*
 * Actions on all blocks of a module, or of all caches, one block after another:
 *   flush    write modified bytes back and invalidate, as at the end of a program (Table 2.6, steps 15 to 20)
 *   acquire  the protocol's ACQUIRE rules: at the beginning of a kernel, for caches that may hold old data
 *
 * Example of a flush, nmoesi, an L1 with A in N and B in S: for A the L2 sends a write probe, and the L1 replies with a
 * write-back of A's modified bytes; for B the L1 replies with an acknowledgement. Both blocks are then in I.
 */

/* Action in addition to gpci_sweep: evict the detached copies, which no directory lists, above the flushed module. */
#define DETACHED UINT32_MAX

/*
 * Action of a flush. In a protocol without a directory, a low module cannot probe the modules above: each module evicts
 * the block by itself.
 */
static uint32_t flush_of(const gpc_coherence *coherence) {
    return gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY) ? GPCI_SWEEP_FLUSH : GPCI_SWEEP_EVICT;
}

/* True if `low` is `module`, or lies on the block's way from `module` to memory. */
static bool leads_to(const gpc_coherence *coherence, const gpci_module *module, uint64_t tag, const gpci_module *low) {
    while (module != low && module->place != GPCI_PLACE_MEMORY)
        module = gpci_module_at(coherence, gpci_module_low(coherence, module, tag));
    return module == low;
}

/* First valid block of a cache from `block` on; `module->blocks` if no block is valid. */
static uint32_t next_valid(const gpci_module *module, uint32_t block) {
    const uint8_t *states = module->states;
    const uint32_t blocks = module->blocks;
    while (block < blocks && (module->full_map || states[block] == GPC_LINE_I))
        block++;
    return block;
}

/*
 * True if action `act` applies to a valid block. `low` not NULL: only to blocks whose way to memory leads through
 * `low`.
 */
static bool concerns(const gpc_coherence *coherence, const gpci_module *module, uint32_t block, const gpci_module *low,
                     uint32_t act) {
    const uint8_t state = module->states[block];
    if (!gpci_module_owns(module, block) || (low && !leads_to(coherence, module, gpci_module_tag(module, block), low)))
        return false;
    const uint32_t actions = module->rules[state][GPC_EVENT_ACQUIRE].actions;
    return act == DETACHED             ? gpci_tree_is_detached(coherence, state)
           : act == GPCI_SWEEP_RELEASE ? (actions & GPC_DO_WRITE_BACK) != 0
           : act == GPCI_SWEEP_ACQUIRE ? actions != GPC_DO_IGNORE
                                       : true;
}

/*
 * Apply an action to all valid blocks of a module, or (`low` not NULL) to the blocks whose way to memory leads through
 * `low`. Memory for a block's steps is reserved before the first step, so no block is left half done.
 */
static gpc_status each_block(gpc_coherence *coherence, gpci_module *module, const gpci_module *low, uint32_t act,
                             gpc_error *error) {
    const uint32_t kind = act == DETACHED ? (uint32_t)GPCI_SWEEP_EVICT : act;
    gpc_status status = GPC_OK;
    for (uint32_t block = 0; status == GPC_OK && (block = next_valid(module, block)) < module->blocks; block++)
        if (concerns(coherence, module, block, low, act))
            status = gpci_alone_block(coherence, module->index, block, kind, error);
    return status;
}

/*
 * Apply an action to the blocks of a module; GPC_NO_MODULE: of all modules with a place among `places`, first level
 * first. A flush of a module also reaches the modules above. If there is a directory, the flush sends probes; if not,
 * each module above evicts the blocks whose way leads through the flushed module. An acquire concerns only the module
 * itself.
 */
static gpc_status each_module(gpc_coherence *coherence, uint32_t module, uint32_t places, uint32_t act,
                              gpc_error *error) {
    gpc_status status = GPC_OK;
    const gpci_module *low = module == GPC_NO_MODULE ? NULL : gpci_module_at(coherence, module);
    for (uint32_t i = 0;
         low && act == GPCI_SWEEP_FLUSH && coherence->detaches && i < coherence->module_count && status == GPC_OK; i++)
        status = each_block(coherence, gpci_module_at(coherence, i), low, DETACHED, error);
    if (status == GPC_OK && low && act != GPCI_SWEEP_EVICT)
        return each_block(coherence, gpci_module_at(coherence, module), NULL, act, error);
    for (uint32_t level = 1; level <= coherence->levels; level++)
        for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++) {
            gpci_module *m = gpci_module_at(coherence, i);
            if (m->level == level && places >> m->place & 1)
                status = each_block(coherence, m, low, act, error);
        }
    return status;
}

static gpc_status run(gpc_coherence *coherence, uint32_t module, uint32_t places, uint32_t act, uint64_t cycle,
                      gpc_error *error, gpc_coherence_result *result) {
    gpc_status status = gpci_alone_begin(coherence, cycle, error);
    if (status == GPC_OK)
        status = each_module(coherence, module, places, act, error);
    return status == GPC_OK ? gpci_alone_end(coherence, module == GPC_NO_MODULE ? 0 : module, result) : status;
}

static gpc_status check_cache(const gpc_coherence *coherence, const char *call, uint32_t module, gpc_error *error) {
    if (module >= coherence->module_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %u of %u", call, module, coherence->module_count);
    if (coherence->modules[module].place == GPCI_PLACE_MEMORY)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %s is no cache", call,
                         coherence->modules[module].given.name);
    return GPC_OK;
}

gpc_status gpci_tree_check_acquire(const gpc_coherence *coherence, const char *call,
                                   const gpc_coherence_request *request, gpc_error *error) {
    if (coherence->failed != GPC_OK)
        return gpci_tree_engine_failure(coherence, error);
    if (request->bytes || request->mask || request->out || request->atomics || request->flags)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s has no bytes, mask, out, atomics or flags", call,
                         request->kind == GPC_COHERENCE_RELEASE ? "a RELEASE" : "an ACQUIRE");
    return check_cache(coherence, call, request->module, error);
}

static gpc_status check(const gpc_coherence *coherence, const char *call, uint32_t module,
                        const gpc_coherence_result *result, gpc_error *error) {
    if (!coherence)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: coherence is NULL", call);
    if (result && gpci_can_give(result, "gpc_coherence_result", error) < 0)
        return GPC_ERROR_ABI;
    if (coherence->failed != GPC_OK)
        return gpci_tree_engine_failure(coherence, error);
    if (coherence->busy)
        return gpci_tree_engine_check_idle(coherence, call, error);
    return module == GPC_NO_MODULE ? GPC_OK : check_cache(coherence, call, module, error);
}

gpc_status gpc_coherence_flush(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_coherence_result *result,
                               gpc_error *error) {
    gpc_status status = check(coherence, "gpc_coherence_flush", module, result, error);
    uint32_t caches = 1u << GPCI_PLACE_FIRST | 1u << GPCI_PLACE_BETWEEN | 1u << GPCI_PLACE_LAST;
    return status == GPC_OK ? run(coherence, module, caches, flush_of(coherence), cycle, error, result) : status;
}

gpc_status gpc_coherence_acquire(gpc_coherence *coherence, uint32_t module, uint64_t cycle,
                                 gpc_coherence_result *result, gpc_error *error) {
    gpc_status status = check(coherence, "gpc_coherence_acquire", module, result, error);
    uint32_t own = 1u << GPCI_PLACE_FIRST | 1u << GPCI_PLACE_BETWEEN;
    return status == GPC_OK ? run(coherence, module, own, GPCI_SWEEP_ACQUIRE, cycle, error, result) : status;
}

gpc_status gpci_tree_order(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_error *error,
                           gpc_coherence_result *result) {
    gpc_status status = gpci_tree_check_acquire(coherence, "gpc_coherence_access", request, error);
    if (status == GPC_OK)
        status = check(coherence, "gpc_coherence_access", request->module, result, error);
    if (status != GPC_OK)
        return status;
    return run(coherence, request->module, 0,
               request->kind == GPC_COHERENCE_RELEASE ? GPCI_SWEEP_RELEASE : GPCI_SWEEP_ACQUIRE, request->cycle, error,
               result);
}
