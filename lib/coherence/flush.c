/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"

/* Block after block of a module, or of all: flushes, as at the end of the worked example (Table 2.6), and acquires. */

/* The low module's write request to X, and X's write-back or acknowledgement. */
static gpci_point flush_block(gpc_coherence *c, gpci_module *x, uint32_t block, gpci_point at) {
    uint64_t tag = x->tags[block];
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, x, tag));
    at = gpci_send(c, t, t, x, GPC_MESSAGE_WRITE_PROBE, tag, c->control_bytes, at);
    uint32_t request = at.after;
    x->stats.write_probes++;
    at = gpci_look(c, x, at);
    gpci_message_found(c, request, &(gpci_found){block, x->states[block], true});
    gpci_invalidation all = {.block = block, .last = UINT64_MAX};
    at = gpci_invalidate(c, x, &all, at);
    bool modified = gpci_modified(x->states[block]);
    x->stats.invalidations++;
    if (modified) {
        at = gpci_use_data(c, x, at, false);
        at = gpci_give_up(c, x, block, at);
    } else {
        uint32_t low = gpci_module_find(t, gpci_tag_of(t, tag));
        if (low != GPCI_NO_BLOCK)
            gpci_forget(c, t, low, x, tag);
        at = gpci_answer_to(c, request, t, x, t, GPC_MESSAGE_ACK, tag, c->control_bytes, at);
    }
    gpci_set(c, x, block, 0, GPC_LINE_I, GPC_ORIGIN_WRITE_DOWN_UP, at);
    return at;
}

static gpci_point acquire_block(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at) {
    gpc_protocol_rule rule = gpci_rule(c, m, m->states[block], GPC_EVENT_ACQUIRE);
    if (rule.actions & GPC_DO_WRITE_BACK)
        at = gpci_write_back(c, m, block, at);
    if (rule.actions & GPC_DO_IGNORE)
        return at;
    m->stats.invalidations += rule.next == GPC_LINE_I;
    gpci_set(c, m, block, m->tags[block], rule.next, GPC_ORIGIN_ACQUIRE, at);
    return at;
}

typedef gpci_point (*flush_block_fn)(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at);

/* Without a directory nobody asks: the module evicts by itself. */
static flush_block_fn flush_of(const gpc_coherence *c) {
    return gpci_flag(c, GPC_PROTOCOL_DIRECTORY) ? flush_block : gpci_evict;
}

/* Does what leaves m come to `low`? */
static bool leads_to(const gpc_coherence *c, const gpci_module *m, uint64_t tag, const gpci_module *low) {
    while (m != low && m->place != GPCI_MEMORY)
        m = gpci_module_at(c, gpci_module_low(c, m, tag));
    return m == low;
}

/* All valid blocks of a module (that lie above `low`, unless NULL). Room for each is made before it is begun. */
static gpc_status each_block(gpc_coherence *c, gpci_module *m, const gpci_module *low, flush_block_fn act,
                             gpci_point *at, gpc_error *error) {
    uint32_t blocks = m->full_map ? 0 : m->blocks;
    for (uint32_t block = 0; block < blocks && c->failed == GPC_OK; block++) {
        if (m->states[block] == GPC_LINE_I || (low && !leads_to(c, m, m->tags[block], low)))
            continue;
        gpc_status status = gpci_engine_room(c, m->tags[block]);
        if (status != GPC_OK)
            return gpci_out_of_memory(error);
        *at = act(c, m, block, *at);
    }
    return c->failed == GPC_OK ? GPC_OK : gpci_engine_failure(c, error);
}

/* Those above come first; a directory finds them by itself, and an acquire is one module's own. */
static gpc_status each_module(gpc_coherence *c, uint32_t module, uint32_t places, flush_block_fn act, uint64_t cycle,
                              gpc_error *error, gpc_coherence_result *result) {
    gpci_point at = gpci_engine_begin(c, cycle);
    gpc_status status = GPC_OK;
    const gpci_module *low = module == GPC_NO_MODULE ? NULL : gpci_module_at(c, module);
    if (low && act != gpci_evict)
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
    at = gpci_mark(c, gpci_module_at(c, module == GPC_NO_MODULE ? 0 : module), GPC_MESSAGE_FINISH, 0, at);
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    done.completed = at.cycle;
    done.found = done.state = GPC_LINE_I;
    return gpci_engine_result(c, &done, result);
}

static gpc_status check(const gpc_coherence *c, const char *call, uint32_t module, gpc_error *error) {
    if (!c)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: coherence is NULL", call);
    if (c->failed != GPC_OK)
        return gpci_engine_failure(c, error);
    if (module == GPC_NO_MODULE)
        return GPC_OK;
    if (module >= c->module_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %u of %u", call, module, c->module_count);
    if (c->modules[module].place == GPCI_MEMORY)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %s is no cache", call, c->modules[module].given.name);
    return GPC_OK;
}

gpc_status gpc_coherence_flush(gpc_coherence *c, uint32_t module, uint64_t cycle, gpc_error *error,
                               gpc_coherence_result *result) {
    gpc_status status = check(c, "gpc_coherence_flush", module, error);
    uint32_t caches = 1u << GPCI_FIRST | 1u << GPCI_BETWEEN | 1u << GPCI_SHARED;
    return status == GPC_OK ? each_module(c, module, caches, flush_of(c), cycle, error, result) : status;
}

gpc_status gpc_coherence_acquire(gpc_coherence *c, uint32_t module, uint64_t cycle, gpc_error *error,
                                 gpc_coherence_result *result) {
    gpc_status status = check(c, "gpc_coherence_acquire", module, error);
    uint32_t own = 1u << GPCI_FIRST | 1u << GPCI_BETWEEN;
    return status == GPC_OK ? each_module(c, module, own, acquire_block, cycle, error, result) : status;
}
