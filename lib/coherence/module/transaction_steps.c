/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/module/transaction.h"

#include <stdarg.h>
#include <stdio.h>

/* Actions shared by all rules: write a state by the table and list the transition; count bytes; fail. */

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
/* Count sectors between a near half and the home half below. */
static void count_remote_again(const gpc_coherence *coherence, const gpci_module *target, gpci_module *from,
                               gpci_module *receiver, uint32_t bytes) {
    gpci_module *near = target == receiver ? from : target == from ? receiver : NULL;
    if (near && near->near && bytes > coherence->control_bytes)
        near->remote_again += (bytes - coherence->control_bytes + 31) / 32;
}
#endif

/* Count network bytes on the side of a module where they are sent or received: towards memory, or processors. */
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
