/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree_engine.h"

/*
 * Hits of the first level, which need no other module and hence no controller: they are performed with other accesses
 * in flight, too. gpci_tree_engine_hit is the fast path for plain hits, the most frequent accesses;
 * gpci_tree_engine_own performs hits with policies, callbacks, flags or atomics. All other accesses go to
 * engine_alone.c.
 */

/* True if the access can be done here, in case of a hit. Arguments must be correct; tree_engine.c reports errors. */
static bool is_plain(const gpc_coherence *c, const gpc_coherence_request *request, const gpc_coherence_result *result) {
    if (request->module >= c->module_count || request->kind > GPC_COHERENCE_N_STORE ||
        (request->flags & ~(uint32_t)GPC_ACCESS_RETURNS) | request->atomic_count ||
        request->struct_size != sizeof *request || (result && result->struct_size != sizeof *result))
        return false;
    const gpci_module *m = &c->modules[request->module];
    const uint32_t offset = (uint32_t)request->address & (m->given.block_bytes - 1);
    return m->plain && !c->busy && !c->callbacks.on_message && !c->callbacks.on_transition &&
           request->size - 1 < m->given.block_bytes - offset && request->address - m->first <= m->last - m->first;
}

/* Way of a valid block in the row, looking at `recent` first, or UINT32_MAX. */
GPCI_INLINE uint32_t way_of(const gpci_module *m, uint32_t base, uint32_t recent, uint64_t tag) {
    if (GPCI_UNLIKELY(m->sector_mask)) {
        const uint32_t block = gpci_module_find(m, tag);
        return block == GPCI_TREE_NO_BLOCK ? UINT32_MAX : block - base;
    }
    const uint64_t *tags = m->tags + base;
    const uint8_t *states = m->states + base;
    if (tags[recent] == tag && states[recent] != GPC_LINE_I)
        return recent;
    for (uint32_t way = 0; way < m->all_ways; way++)
        if (tags[way] == tag && states[way] != GPC_LINE_I)
            return way;
    return UINT32_MAX;
}

/* Cycle of the access plus `after`; 0 in a tree without timing. */
GPCI_INLINE uint64_t cycle_of(const gpc_coherence *c, const gpc_coherence_request *request, uint32_t after) {
    return c->timing ? request->cycle + after : 0;
}

/* Perform a store: transition and bytes. */
static void write_state(gpc_coherence *c, gpci_module *m, const gpc_coherence_request *request, uint32_t row,
                        uint32_t way, uint8_t state, uint8_t next) {
    const bool coherent = request->kind == GPC_COHERENCE_STORE;
    const uint32_t block = row * m->all_ways + way;
    const uint64_t tag = gpci_module_tag(m, block);
    const uint32_t origin = coherent ? GPC_ORIGIN_STORE : GPC_ORIGIN_N_STORE;
    gpci_module_count(m, state, next, origin);
    c->transition_count = 1;
    *c->transitions = (gpc_coherence_transition){.cycle = cycle_of(c, request, m->given.directory_latency),
                                                 .tag_before = tag,
                                                 .tag = tag,
                                                 .module = m->index,
                                                 .set = row,
                                                 .way = way,
                                                 .origin = origin,
                                                 .from = state,
                                                 .to = next};
    m->states[block] = next;
    if (c->with_data) {
        const gpci_tree_payload store = gpci_tree_payload_of(request);
        if (gpci_tree_is_whole(c, next) && gpci_tree_has(c, GPC_PROTOCOL_WHOLE_BLOCKS))
            gpci_tree_data_whole(c, m, block);
        gpci_tree_data_store(c, m, block, &store);
    }
}

GPCI_INLINE void count(gpc_coherence_stats *stats, uint32_t kind) {
    stats->accesses++;
    stats->directory_accesses++;
    stats->data_accesses++;
    stats->hits++;
    gpci_tree_count_access(stats, kind, true);
}

/* Record FINISH, the only step of a hit. */
GPCI_INLINE void finish(gpc_coherence *c, const gpci_module *m, const gpc_coherence_request *request, uint64_t tag) {
    const uint32_t directory = m->given.directory_latency, delay = directory + m->given.latency;
    const uint64_t cycle = cycle_of(c, request, delay);
    c->message_count = 1;
    c->deepest = 1;
    *c->messages = (gpc_coherence_message){.address = tag,
                                           .sent = cycle,
                                           .received = cycle,
                                           .kind = GPC_MESSAGE_FINISH,
                                           .from = m->index,
                                           .to = m->index,
                                           .network = GPC_NO_MODULE,
                                           .after = GPC_NO_MESSAGE,
                                           .join = GPC_NO_MESSAGE,
                                           .delay = delay,
                                           .directory = directory,
                                           .request = GPC_NO_MESSAGE,
                                           .block = GPC_NO_MODULE,
                                           .looks = 1};
}

static void fill_result(const gpc_coherence *c, gpc_coherence_result *result, uint8_t before, uint8_t after) {
    result->completed = c->messages->received;
    result->messages = c->messages;
    result->transitions = c->transitions;
    result->message_count = 1;
    result->transition_count = c->transition_count;
    result->hit = 1;
    result->found = before;
    result->state = after;
    result->level = 1;
}

bool gpci_tree_engine_hit(gpc_coherence *c, const gpc_coherence_request *request, gpc_coherence_result *result) {
    if (!is_plain(c, request, result))
        return false;
    gpci_module *m = &c->modules[request->module];
    const uint64_t tag = gpci_module_tag_of(m, request->address);
    const uint32_t row =
        GPCI_LIKELY(!m->selector) ? (uint32_t)((tag >> m->index_shift) & m->row_mask) : gpci_module_row(m, tag);
    const uint32_t base = row * m->all_ways;
    uint64_t *order = &m->order.orders[GPCI_LIKELY(!m->sector_mask) ? row : row >> m->sector_shift];
    const uint32_t way = way_of(m, base, *order & 15, tag); /* in lists, these bits may be of another way */
    if (way == UINT32_MAX)
        return false;
    const uint8_t state = m->states[base + way];
    /* gpc_coherence_kind numbers LOAD, STORE and N_STORE like gpc_coherence_event */
    const gpc_protocol_rule *rule = &m->rules[state][request->kind];
    if (rule->actions != GPC_DO_HIT || rule->next == GPC_LINE_I)
        return false;
    if (GPCI_LIKELY(m->in_word))
        *order = gpci_recency_use(*order, way);
    else if (!m->fifo)
        gpci_lru_touch(&m->order, row >> m->sector_shift, way);
    count(&m->stats, request->kind);
    c->transition_count = 0;
    if (request->kind != GPC_COHERENCE_LOAD)
        write_state(c, m, request, row, way, state, rule->next);
    if (c->with_data)
        gpci_tree_data_load(c, m, base + way, request->address, request->size, request->out);
    finish(c, m, request, tag);
    if (result)
        fill_result(c, result, state, m->states[base + way]);
    return true;
}

/* Block hit by an access, with its rule; GPCI_TREE_NO_BLOCK: the access needs more than a hit. */
static uint32_t own_block(const gpc_coherence *c, const gpci_module *m, const gpc_coherence_request *request,
                          gpc_protocol_rule *rule) {
    const uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, request->address));
    if (block == GPCI_TREE_NO_BLOCK || gpci_tree_evicts(request->flags) ||
        gpci_tree_goes_through(m, request->kind, request->flags))
        return GPCI_TREE_NO_BLOCK;
    *rule = *gpci_module_rule(m, m->states[block], gpci_tree_event_of(c, request->kind, request->flags));
    return rule->actions == GPC_DO_HIT && rule->next != GPC_LINE_I ? block : GPCI_TREE_NO_BLOCK;
}

static void store_here(gpc_coherence *c, gpci_module *m, const gpc_coherence_request *request, uint32_t block,
                       uint8_t next) {
    const uint64_t after = cycle_of(c, request, m->given.directory_latency);
    const uint32_t origin = request->kind == GPC_COHERENCE_STORE ? GPC_ORIGIN_STORE : GPC_ORIGIN_N_STORE;
    const gpci_tree_payload store = gpci_tree_payload_of(request);
    if (request->atomic_count)
        gpci_tree_atomics_begin(request->atomics, request->atomic_count);
    gpci_tree_set_state(c, m, block, gpci_module_tag(m, block), next, origin, after);
    gpci_tree_data_store(c, m, block, &store);
}

bool gpci_tree_engine_own(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                          gpc_coherence_result *result, gpc_status *status) {
    gpci_module *m = &c->modules[request->module];
    gpc_protocol_rule rule;
    const bool notified = c->callbacks.on_message || c->callbacks.on_transition || c->busy;
    if (m->plain && !notified && !request->flags && !request->atomic_count) /* the fast path has looked */
        return false;
    const uint32_t block = own_block(c, m, request, &rule);
    if (block == GPCI_TREE_NO_BLOCK)
        return false;
    const uint8_t before = m->states[block];
    c->request = carried;
    c->line_access = c->line_accesses += !c->follows;
    c->overturned = false;
    c->transition_count = 0;
    gpci_module_touch(m, block);
    count(&m->stats, request->kind);
    if (request->kind != GPC_COHERENCE_LOAD)
        store_here(c, m, request, block, rule.next);
    gpci_tree_data_load(c, m, block, request->address, request->size, request->out);
    c->request = NULL;
    finish(c, m, request, gpci_module_tag(m, block));
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    done.completed = c->messages->received;
    done.hit = 1;
    done.found = before;
    done.state = m->states[block];
    *status = gpci_tree_engine_result(c, &done, result);
    return true;
}
