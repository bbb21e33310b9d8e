/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"

/*
 * Operations on all blocks of a module, or of all caches, one block after another:
 *   flush    write modified bytes back and invalidate, as at the end of a program (Table 2.6, steps 15 to 20)
 *   acquire  the protocol's ACQUIRE rules: at the beginning of a kernel, for caches that may hold old data
 *
 * Example of a flush, nmoesi, an L1 that holds A in N and B in S: for A the L2 sends a write probe and the L1 replies
 * with a write-back of A's modified bytes; for B the L1 replies with an acknowledgement. Both are then in I.
 */

/*
 * The low module T sends X a write probe, as for another module's write request; X first invalidates the copies above
 * it, then replies with a write-back, or an acknowledgement if it has modified nothing.
 */
static gpci_tree_point flush_block(gpc_coherence *c, gpci_module *x, uint32_t block, gpci_tree_point at) {
    uint64_t tag = gpci_module_tag(x, block);
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, x, tag));
    at = gpci_tree_send(c, t, t, x, GPC_MESSAGE_WRITE_PROBE, tag, c->control_bytes, at);
    uint32_t request = at.after;
    x->stats.write_probes++;
    at = gpci_tree_read_directory(c, x, at);
    gpci_tree_message_found(c, request, &(gpci_tree_lookup){block, x->states[block], true});
    gpci_tree_write_probe all = {.block = block, .last = UINT64_MAX};
    at = gpci_tree_probe_copies(c, x, &all, at);
    bool modified = gpci_tree_is_modified(c, x->states[block]);
    x->stats.invalidations++;
    if (modified) {
        at = gpci_tree_use_data(c, x, at, false);
        at = gpci_tree_write_back_and_leave(c, x, block, at);
    } else {
        uint32_t low = gpci_module_find(t, gpci_module_tag_of(t, tag));
        if (low != GPCI_TREE_NO_BLOCK)
            gpci_tree_drop_sharers(c, t, low, x, tag);
        at = gpci_tree_send_reply(c, request, t, x, t, GPC_MESSAGE_ACK, tag, c->control_bytes, at);
    }
    gpci_tree_set_state(c, x, block, 0, GPC_LINE_I, GPC_ORIGIN_WRITE_DOWN_UP, at);
    return at;
}

/* The rule may write the block back, invalidate it, both or neither. */
static gpci_tree_point acquire_block(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    gpc_protocol_rule rule = gpci_tree_rule(c, m, m->states[block], GPC_EVENT_ACQUIRE);
    if (rule.actions & GPC_DO_WRITE_BACK)
        at = gpci_tree_write_back_upon(c, m, block, GPC_EVENT_ACQUIRE, at);
    if (rule.actions & GPC_DO_IGNORE)
        return at;
    m->stats.invalidations += rule.next == GPC_LINE_I;
    gpci_tree_set_state(c, m, block, gpci_module_tag(m, block), rule.next, GPC_ORIGIN_ACQUIRE, at);
    return at;
}

/* The same where the rule writes back. */
static gpci_tree_point release_block(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    return m->rules[m->states[block]][GPC_EVENT_ACQUIRE].actions & GPC_DO_WRITE_BACK ? acquire_block(c, m, block, at)
                                                                                     : at;
}

/* A copy above the module that is flushed, which its directory has not. */
static gpci_tree_point flush_detached(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    return gpci_tree_is_detached(c, m->states[block]) ? gpci_tree_evict(c, m, block, at) : at;
}

typedef gpci_tree_point (*flush_block_fn)(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);

/* Without a directory T does not know of X, and cannot probe it: X evicts the block by itself. */
static flush_block_fn flush_of(const gpc_coherence *c) {
    return gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY) ? flush_block : gpci_tree_evict;
}

/* Is `low` on the way of this block from m to memory, or m itself? */
static bool leads_to(const gpc_coherence *c, const gpci_module *m, uint64_t tag, const gpci_module *low) {
    while (m != low && m->place != GPCI_PLACE_MEMORY)
        m = gpci_module_at(c, gpci_module_low(c, m, tag));
    return m == low;
}

/*
 * Do it to all valid blocks of a module; unless `low` is NULL, to those only that are written back towards `low`.
 * Memory for a block's steps is reserved before the block is begun, so that no block is left half done.
 */
static gpc_status each_block(gpc_coherence *c, gpci_module *m, const gpci_module *low, flush_block_fn act,
                             gpci_tree_point *at, gpc_error *error) {
    uint32_t blocks = m->full_map ? 0 : m->blocks;
    for (uint32_t block = 0; block < blocks && c->failed == GPC_OK; block++) {
        if (m->states[block] == GPC_LINE_I || !gpci_module_owns(m, block) ||
            (low && !leads_to(c, m, gpci_module_tag(m, block), low)))
            continue;
        gpc_status status = gpci_tree_engine_reserve(c, gpci_module_tag(m, block));
        if (status != GPC_OK)
            return gpci_out_of_memory(error);
        *at = act(c, m, block, *at);
    }
    return c->failed == GPC_OK ? GPC_OK : gpci_tree_engine_failure(c, error);
}

/*
 * Do it to the blocks of one module or, with GPC_NO_MODULE, of all modules at these places, those of the first level
 * first. A flush of one module has to reach the modules above it, too: with a directory the probes do that; without,
 * all modules above it evict what leads to it. An acquire is the module's own matter.
 */
static gpc_status each_module(gpc_coherence *c, uint32_t module, uint32_t places, flush_block_fn act, uint64_t cycle,
                              gpc_error *error, gpc_coherence_result *result) {
    gpci_tree_point at = gpci_tree_engine_begin(c, cycle);
    gpc_status status = GPC_OK;
    const gpci_module *low = module == GPC_NO_MODULE ? NULL : gpci_module_at(c, module);
    for (uint32_t i = 0; low && act == flush_block && c->detaches && i < c->module_count && status == GPC_OK; i++)
        status = each_block(c, gpci_module_at(c, i), low, flush_detached, &at, error);
    if (status != GPC_OK)
        return status;
    if (low && act != gpci_tree_evict)
        status = each_block(c, gpci_module_at(c, module), NULL, act, &at, error);
    else
        for (uint32_t level = 1; level <= c->levels; level++)
            for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++) {
                gpci_module *m = gpci_module_at(c, i);
                if (m->level == level && places >> m->place & 1)
                    status = each_block(c, m, low, act, &at, error);
            }
    if (status != GPC_OK)
        return status;
    at = gpci_tree_mark(c, gpci_module_at(c, module == GPC_NO_MODULE ? 0 : module), GPC_MESSAGE_FINISH, 0, at);
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    done.completed = at.cycle;
    done.found = done.state = GPC_LINE_I;
    return gpci_tree_engine_result(c, &done, result);
}

/* No processor's access causes what moves: policies are shown it as stores. */
static gpc_status run(gpc_coherence *c, uint32_t module, uint32_t places, flush_block_fn act, uint64_t cycle,
                      gpc_error *error, gpc_coherence_result *result) {
    const gpc_request shown = {.cycle = cycle, .kind = GPC_STORE};
    c->request = &shown;
    gpc_status status = each_module(c, module, places, act, cycle, error, result);
    c->request = NULL;
    return status;
}

static gpc_status check_cache(const gpc_coherence *c, const char *call, uint32_t module, gpc_error *error) {
    if (module >= c->module_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %u of %u", call, module, c->module_count);
    if (c->modules[module].place == GPCI_PLACE_MEMORY)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %s is no cache", call, c->modules[module].given.name);
    return GPC_OK;
}

gpc_status gpci_tree_check_acquire(const gpc_coherence *c, const char *call, const gpc_coherence_request *request,
                                   gpc_error *error) {
    if (c->failed != GPC_OK)
        return gpci_tree_engine_failure(c, error);
    if (request->bytes || request->mask || request->out || request->atomics || request->flags)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s has no bytes, mask, out, atomics or flags", call,
                         request->kind == GPC_COHERENCE_RELEASE ? "a RELEASE" : "an ACQUIRE");
    return check_cache(c, call, request->module, error);
}

static gpc_status check(const gpc_coherence *c, const char *call, uint32_t module, gpc_error *error) {
    if (!c)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: coherence is NULL", call);
    if (c->failed != GPC_OK)
        return gpci_tree_engine_failure(c, error);
    if (c->busy)
        return gpci_tree_engine_check_idle(c, call, error);
    return module == GPC_NO_MODULE ? GPC_OK : check_cache(c, call, module, error);
}

gpc_status gpc_coherence_flush(gpc_coherence *c, uint32_t module, uint64_t cycle, gpc_error *error,
                               gpc_coherence_result *result) {
    gpc_status status = check(c, "gpc_coherence_flush", module, error);
    uint32_t caches = 1u << GPCI_PLACE_FIRST | 1u << GPCI_PLACE_BETWEEN | 1u << GPCI_PLACE_LAST;
    return status == GPC_OK ? run(c, module, caches, flush_of(c), cycle, error, result) : status;
}

gpc_status gpc_coherence_acquire(gpc_coherence *c, uint32_t module, uint64_t cycle, gpc_error *error,
                                 gpc_coherence_result *result) {
    gpc_status status = check(c, "gpc_coherence_acquire", module, error);
    uint32_t own = 1u << GPCI_PLACE_FIRST | 1u << GPCI_PLACE_BETWEEN;
    return status == GPC_OK ? run(c, module, own, acquire_block, cycle, error, result) : status;
}

gpc_status gpci_tree_order(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                           gpc_coherence_result *result) {
    gpc_status status = gpci_tree_check_acquire(c, "gpc_coherence_access", request, error);
    if (status == GPC_OK)
        status = check(c, "gpc_coherence_access", request->module, error);
    if (status != GPC_OK)
        return status;
    return run(c, request->module, 0, request->kind == GPC_COHERENCE_RELEASE ? release_block : acquire_block,
               request->cycle, error, result);
}
