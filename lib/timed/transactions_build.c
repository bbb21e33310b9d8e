/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/transactions.h"

#include "base/array.h"
#include "coherence/tree.h"

#include <stddef.h>

/*
 * The memory of transactions. Before the tree is accessed, room is made for the longest list of messages that an access
 * can lead to, since nothing may fail once the tree has changed. Where a transaction's own steps cannot be had after
 * that, it takes the spare ones, which are as many.
 */

gpc_status gpci_transactions_create(gpci_timed *t, gpc_error *error) {
    gpci_transactions *all = gpci_zalloc(t->context, 1, sizeof *all);
    if (!all)
        return gpci_out_of_memory(error);
    t->transactions = all;
    all->free = GPCI_NO_TRANSACTION;
    all->blocked_free = GPCI_NOT_BLOCKED;
    all->ready_step = GPCI_NO_STEP;
    all->refuses = gpci_number(t->h, GPCI_KEY_COHERENCE_CONFLICT) == 0;
    all->random = gpci_mix(t->context->seed ^ 0x636f6865u);
    for (uint32_t i = 0; i < GPCI_BLOCKED_BUCKETS; i++)
        all->buckets[i] = GPCI_NOT_BLOCKED;
    return GPC_OK;
}

void gpci_transactions_destroy(gpci_timed *t) {
    gpci_transactions *all = t->transactions;
    if (!all)
        return;
    for (uint32_t i = 0; i < all->fresh; i++)
        gpci_free(t->context, all->transactions[i].steps);
    gpci_free(t->context, all->transactions);
    gpci_free(t->context, all->spare);
    gpci_free(t->context, all->due);
    gpci_free(t->context, all->blocked);
    gpci_free(t->context, all);
}

/* How many there are comes before what there are so many of. */
void gpci_transactions_state(gpci_timed *t, gpci_state_fn visit, void *user_data) {
    gpci_transactions *all = t->transactions;
    visit(user_data, (char *)all + offsetof(gpci_transactions, fresh),
          sizeof *all - offsetof(gpci_transactions, fresh));
    visit(user_data, all->due, all->due_count * sizeof *all->due);
    visit(user_data, all->blocked, all->blocked_fresh * sizeof *all->blocked);
    for (uint32_t i = 0; i < all->fresh; i++) {
        gpci_coherent_transaction *x = &all->transactions[i];
        visit(user_data, (char *)x + offsetof(gpci_coherent_transaction, count),
              sizeof *x - offsetof(gpci_coherent_transaction, count));
        visit(user_data, x->steps, x->count * sizeof *x->steps);
    }
}

gpc_status gpci_transactions_reserve(gpci_timed *t) {
    gpci_transactions *all = t->transactions;
    uint64_t steps = t->h->coherent->tree->message_bound; /* each may have a packet, and one for memory */
    if (!GPCI_ARRAY_ROOM(t->context, all->due, all->due_room, 0, all->steps + steps) ||
        !GPCI_ARRAY_ROOM(t->context, all->blocked, all->blocked_room, 0, all->steps + steps) ||
        gpci_pool_reserve(&t->pool, all->reserved_packets + 2 * steps) < 0 ||
        !GPCI_ARRAY_ROOM(t->context, all->transactions, all->room, all->fresh, 1) ||
        !GPCI_ARRAY_ROOM(t->context, all->spare, all->spare_room, 0, steps))
        return GPC_ERROR_MEMORY;
    return GPC_OK;
}

uint32_t gpci_transaction_take(gpci_timed *t, const gpc_coherence_result *r) {
    gpci_transactions *all = t->transactions;
    uint32_t transaction = all->free, packets = r->message_count;
    if (transaction == GPCI_NO_TRANSACTION) {
        transaction = all->fresh++;
        all->transactions[transaction] = (gpci_coherent_transaction){.next = GPCI_NO_TRANSACTION};
    } else {
        all->free = all->transactions[transaction].next;
    }
    gpci_coherent_transaction *x = &all->transactions[transaction];
    if (!GPCI_ARRAY_ROOM(t->context, x->steps, x->room, 0, r->message_count)) {
        gpci_free(t->context, x->steps);
        x->steps = all->spare;
        x->room = all->spare_room;
        all->spare = NULL;
        all->spare_room = 0;
    }
    for (uint32_t i = 0; i < r->message_count; i++)
        packets += r->messages[i].memory != 0;
    x->reserved_packets = packets;
    all->reserved_packets += packets;
    all->steps += r->message_count;
    all->live++;
    return transaction;
}
