/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

gpci_tree_exchange gpci_tree_open(gpc_coherence *c, gpci_module *r, gpc_message_kind kind, uint64_t address,
                                  uint32_t bytes, bool allocates, gpci_tree_point *at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, address));
    *at = gpci_tree_send(c, t, r, t, kind, address, bytes, *at);
    gpci_tree_exchange exchange = {.low = t, .message = at->after};
    exchange.found = allocates ? gpci_tree_find_or_allocate(c, t, address, at) : gpci_tree_find(c, t, address, at);
    gpci_tree_message_found(c, exchange.message, &exchange.found);
    return exchange;
}

gpci_tree_point gpci_tree_close(gpc_coherence *c, const gpci_tree_exchange *exchange, gpci_module *r,
                                gpc_message_kind kind, uint64_t address, uint32_t bytes, gpci_tree_point at) {
    gpci_module *t = exchange->low;
    return gpci_tree_send_reply(c, exchange->message, t, t, r, kind, address, c->control_bytes + bytes, at);
}
