/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/module/transaction.h"

/*
 * Hits of the first level. A hit needs no other module and hence no engine: a hit can be performed while other accesses
 * are in flight. gpci_tree_engine_hit is the fast path for plain hits, the most frequent accesses; gpci_tree_engine_own
 * performs hits with policies, callbacks, flags or atomics. All other accesses go to engine_alone.c.
 */

/*
 * True if gpci_tree_engine_hit can perform the access, if the access hits. If arguments are incorrect, returns false:
 * tree_engine.c reports the errors.
 */
static bool is_plain(const gpc_coherence *coherence, const gpc_coherence_request *request,
                     const gpc_coherence_result *result) {
    if (request->module >= coherence->module_count || request->kind > GPC_COHERENCE_N_STORE ||
        (request->flags & ~(uint32_t)GPC_ACCESS_RETURNS) | request->atomic_count ||
        request->struct_size != sizeof *request || (result && result->struct_size != sizeof *result))
        return false;
    const gpci_module *module = &coherence->modules[request->module];
    const uint32_t offset = (uint32_t)request->address & (module->given.block_bytes - 1);
    return module->plain && !coherence->busy && !coherence->callbacks.on_message &&
           !coherence->callbacks.on_transition && request->size - 1 < module->given.block_bytes - offset &&
           request->address - module->first <= module->last - module->first;
}

/* Separate function, so that the common path needs fewer registers. */
static GPCI_NOINLINE uint32_t older_way_of(const gpci_module *module, uint32_t base, uint64_t number) {
    if (GPCI_LIKELY(!module->sector_mask))
        return gpci_find_wide(&module->tags, base, module->all_ways, number, false);
    const uint32_t block = gpci_module_find(module, number << module->block_shift);
    return block == GPCI_TREE_NO_BLOCK ? GPCI_NO_WAY : block - base;
}

/*
 * Way of a valid block in the row, or GPCI_NO_WAY. The two most recent ways are looked at first. `place`: receives the
 * found way's place in the order, or 2 for older ways. If `order` is not a word of ways but belongs to a list (lru.h),
 * the bits may name any ways, which does no harm. If the row has a single way, the second tag compared is of the next
 * row, and no block of this row has such a tag.
 */
GPCI_INLINE uint32_t way_of(const gpci_module *module, uint32_t base, uint64_t order, uint64_t number,
                            uint32_t *place) {
    for (*place = module->sector_mask ? 2 : 0; *place < 2; ++*place) {
        const uint32_t recent = order >> 4 * *place & 15;
        if (module->tags.words[base + recent] == gpci_tag(number) &&
            module->tags.highs[base + recent] == (uint32_t)(number >> GPCI_TAG_BITS))
            return recent;
    }
    return older_way_of(module, base, number);
}

/* Cycle of the access plus `after`; 0 in a tree without timing. */
GPCI_INLINE uint64_t cycle_of(const gpc_coherence *coherence, const gpc_coherence_request *request, uint32_t after) {
    return coherence->timing ? request->cycle + after : 0;
}

/* Perform a store that hits: the transition and the bytes. */
static void write_state(gpc_coherence *coherence, gpci_module *module, const gpc_coherence_request *request,
                        uint64_t tag, uint32_t row, uint32_t way, uint8_t state, uint8_t next) {
    const bool coherent = request->kind == GPC_COHERENCE_STORE;
    const uint32_t block = row * module->all_ways + way;
    const uint32_t origin = coherent ? GPC_ORIGIN_STORE : GPC_ORIGIN_N_STORE;
    gpci_module_count(module, state, next, origin);
    coherence->transition_count = 1;
    *coherence->transitions =
        (gpc_coherence_transition){.cycle = cycle_of(coherence, request, module->given.directory_latency),
                                   .tag_before = tag,
                                   .tag = tag,
                                   .module = module->index,
                                   .set = row,
                                   .way = way,
                                   .origin = origin,
                                   .from = state,
                                   .to = next};
    module->states[block] = next;
    if (coherence->with_data) {
        const gpci_tree_payload store = gpci_tree_payload_of(request);
        if (gpci_tree_may_be_full(coherence, next) && gpci_tree_has(coherence, GPC_PROTOCOL_WHOLE_BLOCKS))
            gpci_tree_data_mark_full(coherence, module, block);
        gpci_tree_data_store(coherence, module, block, &store);
    }
}

GPCI_INLINE void count(gpci_coherence_stats *stats, uint32_t kind) {
    stats->accesses++;
    stats->directory_accesses++;
    stats->data_accesses++;
    stats->hits++;
    gpci_tree_count_access(stats, kind, true);
}

#ifdef GPCI_CHECK
static void count_again(gpci_module *module, uint32_t kind) {
    module->again.hits++;
    module->again.data_accesses++;
    gpci_tree_count_access_again(module, kind, true);
}
#endif

/* Record FINISH, the only step of a hit. */
GPCI_INLINE void finish(gpc_coherence *coherence, const gpci_module *module, const gpc_coherence_request *request,
                        uint64_t tag) {
    const uint32_t directory = module->given.directory_latency, delay = directory + module->given.latency;
    const uint64_t cycle = cycle_of(coherence, request, delay);
    coherence->message_count = 1;
    coherence->deepest = 1;
    *coherence->messages = (gpc_coherence_message){.address = tag,
                                                   .sent = cycle,
                                                   .received = cycle,
                                                   .kind = GPC_MESSAGE_FINISH,
                                                   .from = module->index,
                                                   .to = module->index,
                                                   .network = GPC_NO_MODULE,
                                                   .after = GPC_NO_MESSAGE,
                                                   .join = GPC_NO_MESSAGE,
                                                   .delay = delay,
                                                   .directory = directory,
                                                   .request = GPC_NO_MESSAGE,
                                                   .block = GPC_NO_MODULE,
                                                   .looks = 1};
}

static void fill_result(const gpc_coherence *coherence, gpc_coherence_result *result, uint8_t before, uint8_t after) {
    result->completed = coherence->messages->received;
    result->messages = coherence->messages;
    result->transitions = coherence->transitions;
    result->message_count = 1;
    result->transition_count = coherence->transition_count;
    result->hit = 1;
    result->found = before;
    result->state = after;
    result->level = 1;
}

bool gpci_tree_engine_hit(gpc_coherence *coherence, const gpc_coherence_request *request,
                          gpc_coherence_result *result) {
    if (!is_plain(coherence, request, result))
        return false;
    gpci_module *module = &coherence->modules[request->module];
    const uint64_t number = request->address >> module->block_shift, tag = number << module->block_shift;
    const uint32_t row = GPCI_LIKELY(!module->selector) ? (uint32_t)((tag >> module->index_shift) & module->row_mask)
                                                        : gpci_module_row(module, tag);
    const uint32_t base = row * module->all_ways;
    uint32_t place;
    uint64_t *order = &module->order.orders[GPCI_LIKELY(!module->sector_mask) ? row : row >> module->sector_shift];
    const uint32_t way = way_of(module, base, *order, number, &place);
    if (way == GPCI_NO_WAY)
        return false;
    const uint8_t state = module->states[base + way];
    /* gpc_coherence_kind numbers LOAD, STORE and N_STORE like gpc_coherence_event */
    const gpc_protocol_rule *rule = &module->rules[state][request->kind];
    if (rule->actions != GPC_DO_HIT || rule->next == GPC_LINE_I)
        return false;
    if (GPCI_LIKELY(module->in_word))
        *order = place < 2 ? *order ^ ((*order >> 4 * place ^ *order) & 15) * 0x11 : gpci_recency_touch(*order, way);
    else if (!module->fifo)
        gpci_lru_touch(&module->order, row >> module->sector_shift, way);
    count(&module->stats, request->kind);
    GPCI_AGAIN(count_again(module, request->kind));
    coherence->transition_count = 0;
    if (request->kind != GPC_COHERENCE_LOAD)
        write_state(coherence, module, request, tag, row, way, state, rule->next);
    if (coherence->with_data)
        gpci_tree_data_load(coherence, module, base + way, request->address, request->size, request->out);
    finish(coherence, module, request, tag);
    if (result)
        fill_result(coherence, result, state, module->states[base + way]);
    return true;
}

/* Block that an access hits, and the rule for the access. GPCI_TREE_NO_BLOCK: the access needs other modules. */
static uint32_t own_block(const gpc_coherence *coherence, const gpci_module *module,
                          const gpc_coherence_request *request, gpc_protocol_rule *rule) {
    const uint32_t block = gpci_module_find(module, gpci_module_tag_of(module, request->address));
    if (block == GPCI_TREE_NO_BLOCK || gpci_tree_evicts(request->flags) ||
        gpci_tree_goes_through(module, request->kind, request->flags))
        return GPCI_TREE_NO_BLOCK;
    *rule =
        *gpci_module_rule(module, module->states[block], gpci_tree_event_of(coherence, request->kind, request->flags));
    return rule->actions == GPC_DO_HIT && rule->next != GPC_LINE_I ? block : GPCI_TREE_NO_BLOCK;
}

static void store_here(gpc_coherence *coherence, gpci_module *module, const gpc_coherence_request *request,
                       uint32_t block, uint8_t next) {
    const uint64_t after = cycle_of(coherence, request, module->given.directory_latency);
    const uint32_t origin = request->kind == GPC_COHERENCE_STORE ? GPC_ORIGIN_STORE : GPC_ORIGIN_N_STORE;
    const gpci_tree_payload store = gpci_tree_payload_of(request);
    if (request->atomic_count)
        gpci_tree_atomics_begin(request->atomics, request->atomic_count);
    gpci_tree_set_state(coherence, module, block, gpci_module_tag(module, block), next, origin, after);
    gpci_tree_data_store(coherence, module, block, &store);
}

bool gpci_tree_engine_own(gpc_coherence *coherence, const gpc_coherence_request *request, const gpc_request *carried,
                          gpc_coherence_result *result, gpc_status *status) {
    gpci_module *module = &coherence->modules[request->module];
    gpc_protocol_rule rule;
    const bool notified = coherence->callbacks.on_message || coherence->callbacks.on_transition || coherence->busy;
    /* gpci_tree_engine_hit has already found no hit */
    if (module->plain && !notified && !request->flags && !request->atomic_count)
        return false;
    const uint32_t block = own_block(coherence, module, request, &rule);
    if (block == GPCI_TREE_NO_BLOCK)
        return false;
    const uint8_t before = module->states[block];
    coherence->request = carried;
    coherence->overturned = false;
    coherence->transition_count = 0;
    gpci_module_touch(module, block);
    count(&module->stats, request->kind);
    GPCI_AGAIN(count_again(module, request->kind));
    if (request->kind != GPC_COHERENCE_LOAD)
        store_here(coherence, module, request, block, rule.next);
    gpci_tree_data_load(coherence, module, block, request->address, request->size, request->out);
    coherence->request = NULL;
    finish(coherence, module, request, gpci_module_tag(module, block));
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    done.completed = coherence->messages->received;
    done.hit = 1;
    done.found = before;
    done.state = module->states[block];
    *status = gpci_tree_engine_result(coherence, &done, result);
    return true;
}
