/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent.h"

#include "base/array.h"
#include "coherence/tree.h"

#include <stddef.h>

/*
 * What exchanges need, made and grown. There is room for the longest list before the tree is accessed, so that nothing
 * fails once it has changed: if a list's own steps cannot be had then, it takes the spare ones.
 */

gpc_status gpci_play_create(gpci_timed *t, gpc_error *error) {
    gpci_play *p = gpci_zalloc(t->context, 1, sizeof *p);
    if (!p)
        return gpci_out_of_memory(error);
    t->play = p;
    p->free = GPCI_NO_EXCHANGE;
    p->lock_free = GPCI_NO_LOCK;
    p->ready_step = GPCI_NO_STEP;
    p->retry = gpci_number(t->h, GPCI_KEY_COHERENCE_CONFLICT) == 0;
    p->random = gpci_mix(t->context->seed ^ 0x636f6865u);
    for (uint32_t i = 0; i < GPCI_LOCK_BUCKETS; i++)
        p->buckets[i] = GPCI_NO_LOCK;
    return GPC_OK;
}

void gpci_play_destroy(gpci_timed *t) {
    gpci_play *p = t->play;
    if (!p)
        return;
    for (uint32_t i = 0; i < p->fresh; i++)
        gpci_free(t->context, p->exchanges[i].steps);
    gpci_free(t->context, p->exchanges);
    gpci_free(t->context, p->spare);
    gpci_free(t->context, p->events);
    gpci_free(t->context, p->locks);
    gpci_free(t->context, p);
}

/* How many there are comes before what there are so many of. */
void gpci_play_state(gpci_timed *t, gpci_state_fn visit, void *user_data) {
    gpci_play *p = t->play;
    visit(user_data, (char *)p + offsetof(gpci_play, fresh), sizeof *p - offsetof(gpci_play, fresh));
    visit(user_data, p->events, p->event_count * sizeof *p->events);
    visit(user_data, p->locks, p->lock_fresh * sizeof *p->locks);
    for (uint32_t i = 0; i < p->fresh; i++) {
        gpci_exchange *e = &p->exchanges[i];
        visit(user_data, (char *)e + offsetof(gpci_exchange, count), sizeof *e - offsetof(gpci_exchange, count));
        visit(user_data, e->steps, e->count * sizeof *e->steps);
    }
}

gpc_status gpci_play_reserve(gpci_timed *t) {
    gpci_play *p = t->play;
    uint64_t steps = t->h->coherent->tree->message_bound; /* each may have a packet, and one for memory */
    if (!GPCI_ARRAY_ROOM(t->context, p->events, p->event_room, 0, p->steps + steps) ||
        !GPCI_ARRAY_ROOM(t->context, p->locks, p->lock_room, 0, p->steps + steps) ||
        gpci_pool_reserve(&t->pool, p->promised + 2 * steps) < 0 ||
        !GPCI_ARRAY_ROOM(t->context, p->exchanges, p->room, p->fresh, 1) ||
        !GPCI_ARRAY_ROOM(t->context, p->spare, p->spare_room, 0, steps))
        return GPC_ERROR_MEMORY;
    return GPC_OK;
}

uint32_t gpci_play_take_exchange(gpci_timed *t, const gpc_coherence_result *r) {
    gpci_play *p = t->play;
    uint32_t exchange = p->free, packets = r->message_count;
    if (exchange == GPCI_NO_EXCHANGE) {
        exchange = p->fresh++;
        p->exchanges[exchange] = (gpci_exchange){.next = GPCI_NO_EXCHANGE};
    } else {
        p->free = p->exchanges[exchange].next;
    }
    gpci_exchange *e = &p->exchanges[exchange];
    if (!GPCI_ARRAY_ROOM(t->context, e->steps, e->room, 0, r->message_count)) {
        gpci_free(t->context, e->steps);
        e->steps = p->spare;
        e->room = p->spare_room;
        p->spare = NULL;
        p->spare_room = 0;
    }
    for (uint32_t i = 0; i < r->message_count; i++)
        packets += r->messages[i].memory != 0;
    e->promised = packets;
    p->promised += packets;
    p->steps += r->message_count;
    p->live++;
    return exchange;
}
