/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_pool.h"

void gpci_items_init(gpci_items *pool, size_t item_bytes) {
    *pool = (gpci_items){.item_bytes = item_bytes, .free = GPCI_NO_ITEM};
}

/* Enlarge an array with room for `*room` items, so that `more` fit behind `count`. NULL: out of memory. */
static void *enlarge(gpc_context *context, void *items, size_t *room, size_t count, size_t more, size_t bytes) {
    const size_t larger = gpci_array_larger(*room, count, more, bytes);
    void *memory = larger ? gpci_array_enlarge(context, items, *room * bytes, larger * bytes) : NULL;
    if (memory)
        *room = larger;
    return memory;
}

bool gpci_items_room(gpc_context *context, gpci_items *pool, uint32_t more) {
    if (GPCI_LIKELY(gpci_items_have(pool, more)))
        return true;
    /* freed items are reused before the end: room for all is room for `more` */
    char *items = enlarge(context, pool->items, &pool->room, pool->count, more, pool->item_bytes);
    pool->items = items ? items : pool->items;
    return items;
}

void gpci_items_free(gpc_context *context, gpci_items *pool) {
    gpci_array_free(context, pool->items, pool->room * pool->item_bytes);
}

uint32_t gpci_items_take(gpci_items *pool) {
    const uint32_t item = gpci_items_take_any(pool);
    memset(gpci_items_at(pool, item), 0, pool->item_bytes);
    return item;
}

static bool grow_ring(gpc_context *context, gpci_calendar *c, uint32_t more) {
    size_t room = c->today_room ? c->today_room : 64;
    while (room - c->today_count < more && room <= UINT32_MAX / 2)
        room *= 2;
    gpci_due *larger = room > UINT32_MAX / 2 ? NULL : gpci_array_enlarge(context, NULL, 0, room * sizeof *larger);
    if (!larger)
        return false;
    for (uint32_t i = 0; i < c->today_count; i++)
        larger[i] = c->today[(c->today_first + i) & (c->today_room - 1)];
    gpci_array_free(context, c->today, c->today_room * sizeof *c->today);
    c->today = larger;
    c->today_room = room;
    c->today_first = 0;
    return true;
}

bool gpci_calendar_room(gpc_context *context, gpci_calendar *c, uint32_t more) {
    if (GPCI_UNLIKELY(c->today_room - c->today_count < more) && !grow_ring(context, c, more))
        return false;
    if (GPCI_LIKELY(c->later_room - c->later_count >= more))
        return true;
    gpci_dated *later = enlarge(context, c->later, &c->later_room, c->later_count, more, sizeof *later);
    c->later = later ? later : c->later;
    return later;
}

void gpci_calendar_free(gpc_context *context, gpci_calendar *c) {
    gpci_array_free(context, c->later, c->later_room * sizeof *c->later);
    gpci_array_free(context, c->today, c->today_room * sizeof *c->today);
}

static bool before(const gpci_dated *a, const gpci_dated *b) {
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

void gpci_calendar_later(gpci_calendar *c, uint64_t cycle, gpci_due due) {
    const gpci_dated dated = {cycle, c->order++, due};
    uint32_t at = c->later_count++;
    for (; at && before(&dated, &c->later[(at - 1) / 2]); at = (at - 1) / 2)
        c->later[at] = c->later[(at - 1) / 2];
    c->later[at] = dated;
}

void gpci_calendar_remove(gpci_calendar *c, uint32_t at) {
    if (at == --c->later_count)
        return;
    const gpci_dated last = c->later[c->later_count];
    for (; at && before(&last, &c->later[(at - 1) / 2]); at = (at - 1) / 2)
        c->later[at] = c->later[(at - 1) / 2];
    for (uint32_t child; (child = 2 * at + 1) < c->later_count; at = child) {
        if (child + 1 < c->later_count && before(&c->later[child + 1], &c->later[child]))
            child++;
        if (!before(&c->later[child], &last))
            break;
        c->later[at] = c->later[child];
    }
    c->later[at] = last;
}

void gpci_calendar_state(gpci_calendar *c, gpci_state_fn visit, void *user_data) {
    visit(user_data, &c->later_count, sizeof c->later_count);
    visit(user_data, &c->order, sizeof c->order);
    visit(user_data, c->later, c->later_count * sizeof *c->later);
    /* from the ring's first item on: the position in memory depends on how the ring grew */
    uint32_t count = c->today_count;
    visit(user_data, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = (c->today_first + i) & (uint32_t)(c->today_room - 1);
        visit(user_data, &c->today[at], sizeof *c->today);
    }
    c->today_count = count;
}

static uint32_t waiter_of(gpci_items *waiters, gpci_due due) {
    const uint32_t item = gpci_items_take_any(waiters);
    *(gpci_waiter *)gpci_items_at(waiters, item) = (gpci_waiter){.next = GPCI_NO_ITEM, .due = due};
    return item;
}

void gpci_due_queue_join(gpci_items *waiters, gpci_due_queue *queue, gpci_due due) {
    const uint32_t item = waiter_of(waiters, due);
    if (queue->head == GPCI_NO_ITEM)
        queue->head = item;
    else
        ((gpci_waiter *)gpci_items_at(waiters, queue->tail))->next = item;
    queue->tail = item;
}

void gpci_due_queue_lead(gpci_items *waiters, gpci_due_queue *queue, gpci_due due) {
    const uint32_t item = waiter_of(waiters, due);
    ((gpci_waiter *)gpci_items_at(waiters, item))->next = queue->head;
    if (queue->head == GPCI_NO_ITEM)
        queue->tail = item;
    queue->head = item;
}

bool gpci_due_queue_leave(gpci_items *waiters, gpci_due_queue *queue, gpci_due *due) {
    const uint32_t item = queue->head;
    if (item == GPCI_NO_ITEM)
        return false;
    const gpci_waiter *waiter = gpci_items_at(waiters, item);
    *due = waiter->due;
    queue->head = waiter->next;
    gpci_items_give(waiters, item);
    return true;
}
