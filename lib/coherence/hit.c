/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/recency.h"
#include "coherence/tree_engine.h"

/*
 * Fast path for plain hits of the first level, the most frequent accesses: equal states, statistics, data and steps as
 * tree_engine.c, without the calls. Other accesses go to tree_engine.c; nothing is changed here.
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
static uint32_t way_of(const gpci_module *m, uint32_t base, uint32_t recent, uint64_t tag) {
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
static uint64_t cycle_of(const gpc_coherence *c, const gpc_coherence_request *request, uint32_t after) {
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

static void count(gpc_coherence_stats *stats, uint32_t kind) {
    stats->accesses++;
    stats->directory_accesses++;
    stats->data_accesses++;
    stats->hits++;
    gpci_tree_count_access(stats, kind, true);
}

/* Record FINISH, the only step of a hit. */
static void finish(gpc_coherence *c, const gpci_module *m, const gpc_coherence_request *request, uint64_t tag) {
    const uint32_t directory = m->given.directory_latency, delay = directory + m->given.latency;
    const uint64_t cycle = cycle_of(c, request, delay);
    c->message_count = 1;
    c->reply_count = 0;
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
    uint16_t *order = gpci_module_order(m, row, false);
    const uint32_t way = way_of(m, base, *order, tag);
    if (way == UINT32_MAX)
        return false;
    const uint8_t state = m->states[base + way];
    /* gpc_coherence_kind numbers LOAD, STORE and N_STORE like gpc_coherence_event */
    const gpc_protocol_rule *rule = &m->rules[state][request->kind];
    if (rule->actions != GPC_DO_HIT || rule->next == GPC_LINE_I)
        return false;
    if (!m->fifo)
        gpci_recency_touch(order, way);
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
