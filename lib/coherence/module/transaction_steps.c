/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/module/transaction.h"

#include <stdarg.h>
#include <stdio.h>

/* Actions shared by all rules: write a state by the table and list the transition; count bytes; fail. */

void gpci_tree_fail(gpc_coherence *c, gpc_status status, const char *format, ...) {
    if (c->failed != GPC_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->failure, sizeof c->failure, format, arguments);
    va_end(arguments);
    c->failed = status;
    c->busy = true;
}

void gpci_tree_fail_victim(gpc_coherence *c, const gpci_module *m) {
    gpci_tree_fail(c, GPC_ERROR_CALLBACK, "replacement of module %s chose a way that is none", m->given.name);
}

/* Count network bytes on the side of a module where they are sent or received: towards memory, or processors. */
void gpci_tree_count_bytes(const gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                           gpc_message_kind kind, uint32_t bytes) {
    *(from == t ? &from->stats.high_sent : &from->stats.low_sent) += bytes;
    *(to == t ? &to->stats.high_received : &to->stats.low_received) += bytes;
    if (bytes > c->control_bytes) {
        from->stats.data_sent++;
        from->stats.peer_transfers += kind == GPC_MESSAGE_DATA && from != t && to != t;
    }
}

void gpci_tree_uncount_bytes(const gpci_module *t, gpci_module *from, gpci_module *to, uint32_t bytes) {
    *(from == t ? &from->stats.high_sent : &from->stats.low_sent) -= bytes;
    *(to == t ? &to->stats.high_received : &to->stats.low_received) -= bytes;
}

void gpci_tree_set_state(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, uint8_t state, uint32_t origin,
                         uint64_t at) {
    uint8_t before = m->states[block];
    gpci_module_count(m, before, state, origin);
    GPCI_AGAIN(m->invalidations_again +=
               state == GPC_LINE_I && (origin == GPC_ORIGIN_WRITE_DOWN_UP || origin == GPC_ORIGIN_ACQUIRE));
    if (c->transition_count < c->transition_room) {
        gpc_coherence_transition *t = &c->transitions[c->transition_count++];
        *t = (gpc_coherence_transition){.cycle = at,
                                        .tag_before = gpci_module_tag(m, block),
                                        .tag = state == GPC_LINE_I ? 0 : tag,
                                        .module = m->index,
                                        .set = block / m->all_ways,
                                        .way = block % m->all_ways,
                                        .origin = origin,
                                        .from = before,
                                        .to = state};
    }
    if (state == GPC_LINE_I)
        gpci_tree_data_clean(c, m, block);
    else if (gpci_tree_is_whole(c, state) && gpci_tree_has(c, GPC_PROTOCOL_WHOLE_BLOCKS))
        gpci_tree_data_whole(c, m, block);
    if (GPCI_UNLIKELY(m->lacks != NULL) && before == GPC_LINE_I)
        gpci_module_complete(m, block);
    gpci_module_write(m, block, state == GPC_LINE_I ? 0 : tag, state);
}

uint8_t gpci_module_raises(const gpci_module *m, uint8_t state, uint32_t event, uint32_t usual, bool above) {
    const gpc_protocol_raise *raise = &m->raises[state * (GPC_EVENT_COUNT + m->named) + event];
    const uint8_t raised = above ? raise->above : raise->below;
    return raised && gpci_like(m->tree->protocol, raised) == usual ? raised : 0;
}

gpc_protocol_rule gpci_tree_rule(gpc_coherence *c, const gpci_module *m, uint8_t state, uint32_t event) {
    const gpc_protocol_rule rule = *gpci_module_rule(m, state, event);
    if (GPCI_LIKELY(rule.actions && !(rule.actions & GPC_DO_FORBID)))
        return rule;
    gpci_tree_fail(c, GPC_ERROR_STATE, "%s: module %s in %s cannot have %s", c->protocol->name, m->given.name,
                   gpci_name_of_state(c->protocol, state).text, gpci_name_of_event(c->protocol, event).text);
    return (gpc_protocol_rule){GPC_DO_IGNORE, state, state};
}

void gpci_tree_apply(gpc_coherence *c, gpci_module *m, uint32_t block, gpc_coherence_event event, uint32_t origin,
                     uint64_t at) {
    gpc_protocol_rule rule = gpci_tree_rule(c, m, m->states[block], event);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, m, block, gpci_module_tag(m, block), rule.next, origin, at);
}
