/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Actions shared by all rules: write the next state and list the transition; count bytes; fail the tree. Also states
 * and directory entries after evictions and write-backs.
 */

void gpci_tree_fail(gpc_coherence *coherence, gpc_status status, const char *format, ...) {
    if (coherence->failed != GPC_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(coherence->failure, sizeof coherence->failure, format, arguments);
    va_end(arguments);
    coherence->failed = status;
    coherence->busy = true;
}

void gpci_tree_fail_victim(gpc_coherence *coherence, const gpci_module *module) {
    gpci_tree_fail(coherence, GPC_ERROR_CALLBACK, "replacement of module %s chose a way that is none",
                   module->given.name);
}

#ifdef GPCI_CHECK
/* Count the sectors of 32 bytes that a message carries between a near half and the home half below. */
static void count_remote_again(const gpc_coherence *coherence, const gpci_module *target, gpci_module *from,
                               gpci_module *receiver, uint32_t bytes) {
    gpci_module *near = target == receiver ? from : target == from ? receiver : NULL;
    if (near && near->near && bytes > coherence->control_bytes)
        near->remote_again += (bytes - coherence->control_bytes + 31) / 32;
}
#endif

/*
 * Count a message's bytes at each end, on the side that the message uses: high (towards processors), or low (towards
 * memory).
 */
void gpci_tree_count_bytes(const gpc_coherence *coherence, const gpci_module *target, gpci_module *from,
                           gpci_module *receiver, gpc_message_kind kind, uint32_t bytes) {
    *(from == target ? &from->stats.high_sent : &from->stats.low_sent) += bytes;
    *(receiver == target ? &receiver->stats.high_received : &receiver->stats.low_received) += bytes;
    if (bytes > coherence->control_bytes) {
        from->stats.data_sent++;
        from->stats.peer_transfers += kind == GPC_MESSAGE_DATA && from != target && receiver != target;
        GPCI_AGAIN(from->again.peer_transfers +=
                   kind == GPC_MESSAGE_DATA && target->index != from->index && target->index != receiver->index);
    }
    GPCI_AGAIN(from->again.data_sent += bytes > coherence->control_bytes);
    GPCI_AGAIN(count_remote_again(coherence, target, from, receiver, bytes));
}

void gpci_tree_uncount_bytes(const gpci_module *target, gpci_module *from, gpci_module *receiver, uint32_t bytes) {
    *(from == target ? &from->stats.high_sent : &from->stats.low_sent) -= bytes;
    *(receiver == target ? &receiver->stats.high_received : &receiver->stats.low_received) -= bytes;
}

void gpci_tree_set_state(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint64_t tag, uint8_t state,
                         uint32_t origin, uint64_t at) {
    uint8_t before = module->states[block];
    gpci_module_count(module, before, state, origin);
    GPCI_AGAIN(module->again.invalidations +=
               origin == GPC_ORIGIN_WRITE_DOWN_UP || (origin == GPC_ORIGIN_ACQUIRE && state == GPC_LINE_I));
    if (coherence->transition_count < coherence->transition_capacity) {
        gpc_coherence_transition *transition = &coherence->transitions[coherence->transition_count++];
        *transition = (gpc_coherence_transition){.cycle = at,
                                                 .tag_before = gpci_module_tag(module, block),
                                                 .tag = state == GPC_LINE_I ? 0 : tag,
                                                 .module = module->index,
                                                 .set = block / module->all_ways,
                                                 .way = block % module->all_ways,
                                                 .origin = origin,
                                                 .from = before,
                                                 .to = state};
    }
    if (state == GPC_LINE_I)
        gpci_tree_data_clean(coherence, module, block);
    else if (gpci_tree_may_be_full(coherence, state) && gpci_tree_has(coherence, GPC_PROTOCOL_WHOLE_BLOCKS))
        gpci_tree_data_mark_full(coherence, module, block);
    if (GPCI_UNLIKELY(module->lacks != NULL) && before == GPC_LINE_I)
        gpci_module_complete(module, block);
    gpci_module_write(module, block, state == GPC_LINE_I ? 0 : tag, state);
}

uint8_t gpci_module_raises(const gpci_module *module, uint8_t state, uint32_t event, uint32_t usual, bool above) {
    const gpc_protocol_raise *raise = &module->raises[state * (GPC_EVENT_COUNT + module->named) + event];
    const uint8_t raised = above ? raise->above : raise->below;
    return raised && gpci_like(module->tree->protocol, raised) == usual ? raised : 0;
}

gpc_protocol_rule gpci_tree_rule(gpc_coherence *coherence, const gpci_module *module, uint8_t state, uint32_t event) {
    const gpc_protocol_rule rule = *gpci_module_rule(module, state, event);
    if (GPCI_LIKELY(rule.actions && !(rule.actions & GPC_DO_FORBID)))
        return rule;
    gpci_tree_fail(coherence, GPC_ERROR_STATE, "%s: module %s in %s cannot have %s", coherence->protocol->name,
                   module->given.name, gpci_name_of_state(coherence->protocol, state).text,
                   gpci_name_of_event(coherence->protocol, event).text);
    return (gpc_protocol_rule){GPC_DO_IGNORE, state, state};
}

void gpci_tree_apply(gpc_coherence *coherence, gpci_module *module, uint32_t block, gpc_coherence_event event,
                     uint32_t origin, uint64_t at) {
    gpc_protocol_rule rule = gpci_tree_rule(coherence, module, module->states[block], event);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(coherence, module, block, gpci_module_tag(module, block), rule.next, origin, at);
}

/* -- evictions */

/*
 * Evictions: a block leaves a module. An inclusive module first invalidates all copies in modules above, and receives
 * their modified bytes. The protocol's EVICTION rule then decides: write modified bytes back to the low module, tell
 * the low module that a clean copy is gone (NOTIFY), or send nothing.
 *
 * A non-inclusive module may evict the data while modules above keep their copies. The directory still needs the
 * block's tag, state, owners and sharers: they move to one of the `directory_ways` of the set, an entry without data.
 *
 * Example, an L2 of 2 ways and 1 directory way. The set is full with blocks A and B; L1s have copies of both:
 *   C misses     A, the victim, is written back if modified; its entry moves to the directory way; C takes A's way
 *   L1 asks A    only the entry is present: the lookup evicts a victim and reads A's data from the low module
 * If D misses in place of L1's request, the victim B needs the directory way: A's entry is evicted for good, the L1s'
 * copies of A are invalidated, and B's entry moves to the directory way.
 */

bool gpci_module_has_sharers(const gpci_module *module, uint32_t block) {
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++)
        if (gpci_sharers_any(module, block, sub))
            return true;
    return false;
}

bool gpci_tree_keeps_entry(const gpc_coherence *coherence, const gpci_module *module, uint32_t block) {
    return gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY) && module->given.directory_ways && !module->near &&
           !gpci_module_directory_only(module, block) && gpci_module_has_sharers(module, block);
}

/*
 * Remove a module as owner of a block from the low module's directory: the module has written the block back and goes
 * to S.
 */
static void drop_ownership(const gpc_coherence *coherence, const gpci_module *module, uint32_t block) {
    const gpci_module *target =
        gpci_module_at(coherence, gpci_module_low(coherence, module, gpci_module_tag(module, block)));
    uint32_t entry = gpci_module_find(target, gpci_module_tag_of(target, gpci_module_tag(module, block)));
    if (entry == GPCI_TREE_NO_BLOCK || !gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_tree_span span = gpci_tree_span_of(target, module, gpci_module_tag(module, block));
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_tree_drop_owner(target, entry, sub, target->slots[module->index]);
}

/* True if any module above owns any part of the block. */
static bool has_owner(const gpci_module *module, uint32_t block) {
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++)
        if (gpci_module_owner_of(module, block, sub) != GPCI_TREE_NO_OWNER)
            return true;
    return false;
}

/*
 * State of a block whose modified bytes were written back: E for M, S for O and N. If the protocol lacks E or S, take a
 * state of the protocol with the same meaning. If no such state exists, the state stays.
 */
static uint8_t clean_state(const gpc_coherence *coherence, const gpci_module *module, uint8_t state) {
    const uint8_t means = gpci_tree_means(coherence, state);
    if (!(means & GPC_MEANS_MODIFIED))
        return state;
    const uint8_t wanted = means == GPC_MEANS_M ? GPC_MEANS_E : GPC_MEANS_S;
    const uint8_t usual = means == GPC_MEANS_M ? GPC_LINE_E : GPC_LINE_S;
    if (GPCI_LIKELY(module->rules[usual][GPC_EVENT_EVICTION].actions))
        return usual;
    for (uint32_t i = GPC_LINE_COUNT; i < coherence->states; i++)
        if (gpci_tree_means(coherence, (uint8_t)i) == wanted && module->rules[i][GPC_EVENT_EVICTION].actions)
            return (uint8_t)i;
    return state;
}

void gpci_tree_written_back(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint32_t origin,
                            uint64_t at) {
    const uint8_t state = module->states[block], clean = clean_state(coherence, module, state);
    const bool above_too =
        /* an owner above may still have modified bytes */
        gpci_tree_means(coherence, state) == GPC_MEANS_O && has_owner(module, block);
    if (clean == state || above_too)
        return;
    if (gpci_tree_means(coherence, clean) == GPC_MEANS_S)
        drop_ownership(coherence, module, block);
    gpci_tree_set_state(coherence, module, block, gpci_module_tag(module, block), clean, origin, at);
}

void gpci_tree_written_through(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                               const gpci_tree_payload *store, bool was_modified, uint64_t at) {
    if (store->bytes || !store->mask)
        gpci_tree_data_written(coherence, module, block, store);
    if (!(coherence->with_data ? gpci_tree_data_dirty(coherence, module, block) : was_modified))
        gpci_tree_written_back(coherence, module, block, GPC_ORIGIN_WRITE_THROUGH, at);
}

/* True if a block still has modified bytes, because a write-back was refused. */
static bool holds_data(const gpc_coherence *coherence, const gpci_module *module, uint32_t block) {
    return !gpci_tree_has(coherence, GPC_PROTOCOL_WHOLE_BLOCKS) && gpci_tree_data_dirty(coherence, module, block);
}

bool gpci_tree_entry_holds(const gpc_coherence *coherence, const gpci_module *module, uint32_t block) {
    return gpci_module_directory_only(module, block) && holds_data(coherence, module, block);
}

static void move_bytes(gpc_coherence *coherence, const gpci_module *module, uint32_t from, uint32_t to) {
    if (!holds_data(coherence, module, from))
        return;
    memcpy(gpci_module_data_of(module, to), gpci_module_data_of(module, from), module->given.block_bytes);
    memcpy(gpci_module_dirty_of(module, to), gpci_module_dirty_of(module, from), module->mask_bytes);
}

void gpci_tree_move_entry(gpc_coherence *coherence, gpci_module *module, uint32_t from, uint32_t to, uint64_t at) {
    uint64_t tag = gpci_module_tag(module, from);
    uint8_t state = module->states[from];
    gpci_sharers_move(module, from, to);
    move_bytes(coherence, module, from, to);
    gpci_tree_set_state(coherence, module, from, 0, GPC_LINE_I, GPC_ORIGIN_DIRECTORY_ONLY, at);
    gpci_tree_set_state(coherence, module, to, tag, state, GPC_ORIGIN_DIRECTORY_ONLY, at);
}

gpc_coherence_event gpci_tree_put_event(bool non_coherent) {
    return non_coherent ? GPC_EVENT_N_DATA_ABOVE : GPC_EVENT_DATA_ABOVE;
}

uint32_t gpci_tree_put_origin(const gpc_coherence *coherence, gpc_message_kind kind, bool non_coherent, uint8_t state) {
    if (kind == GPC_MESSAGE_WRITE_THROUGH)
        return GPC_ORIGIN_WRITE_THROUGH;
    if (!non_coherent)
        return GPC_ORIGIN_EVICT_DATA;
    return gpci_tree_means(coherence, state) == GPC_MEANS_E ? GPC_ORIGIN_N_EVICT_DATA_1 : GPC_ORIGIN_N_EVICT_DATA_2;
}
