/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_pool.h"

void gpci_items_init(gpci_items *pool, size_t item_bytes) {
    *pool = (gpci_items){.item_bytes = item_bytes, .free = GPCI_NO_ITEM};
}

/* Enlarge an array with room for `*room` items, so that `more` fit behind `count`. NULL: out of memory. */
static void *enlarge(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more, size_t bytes) {
    const size_t larger = gpci_array_larger(*capacity, count, more, bytes);
    void *memory = larger ? gpci_array_enlarge(context, items, *capacity * bytes, larger * bytes) : NULL;
    if (memory)
        *capacity = larger;
    return memory;
}

bool gpci_items_reserve(gpc_context *context, gpci_items *pool, uint32_t more) {
    if (GPCI_LIKELY(gpci_items_have(pool, more)))
        return true;
    /* freed items are reused before the end: room for all is room for `more` */
    char *items = enlarge(context, pool->items, &pool->capacity, pool->count, more, pool->item_bytes);
    pool->items = items ? items : pool->items;
    return items;
}

void gpci_items_free(gpc_context *context, gpci_items *pool) {
    gpci_array_free(context, pool->items, pool->capacity * pool->item_bytes);
}

uint32_t gpci_items_take(gpci_items *pool) {
    const uint32_t item = gpci_items_take_any(pool);
    memset(gpci_items_at(pool, item), 0, pool->item_bytes);
    return item;
}

static bool grow_ring(gpc_context *context, gpci_calendar *calendar, uint32_t more) {
    size_t capacity = calendar->today_capacity ? calendar->today_capacity : 64;
    while (capacity - calendar->today_count < more && capacity <= UINT32_MAX / 2)
        capacity *= 2;
    gpci_due *larger =
        capacity > UINT32_MAX / 2 ? NULL : gpci_array_enlarge(context, NULL, 0, capacity * sizeof *larger);
    if (!larger)
        return false;
    for (uint32_t i = 0; i < calendar->today_count; i++)
        larger[i] = calendar->today[(calendar->today_first + i) & (calendar->today_capacity - 1)];
    gpci_array_free(context, calendar->today, calendar->today_capacity * sizeof *calendar->today);
    calendar->today = larger;
    calendar->today_capacity = capacity;
    calendar->today_first = 0;
    return true;
}

bool gpci_calendar_reserve(gpc_context *context, gpci_calendar *calendar, uint32_t more) {
    if (GPCI_UNLIKELY(calendar->today_capacity - calendar->today_count < more) && !grow_ring(context, calendar, more))
        return false;
    if (GPCI_LIKELY(calendar->later_capacity - calendar->later_count >= more))
        return true;
    gpci_dated *later =
        enlarge(context, calendar->later, &calendar->later_capacity, calendar->later_count, more, sizeof *later);
    calendar->later = later ? later : calendar->later;
    return later;
}

void gpci_calendar_free(gpc_context *context, gpci_calendar *calendar) {
    gpci_array_free(context, calendar->later, calendar->later_capacity * sizeof *calendar->later);
    gpci_array_free(context, calendar->today, calendar->today_capacity * sizeof *calendar->today);
}

static bool before(const gpci_dated *left, const gpci_dated *right) {
    return left->cycle != right->cycle ? left->cycle < right->cycle : left->order < right->order;
}

void gpci_calendar_later(gpci_calendar *calendar, uint64_t cycle, gpci_due due) {
    const gpci_dated dated = {cycle, calendar->order++, due};
    uint32_t at = calendar->later_count++;
    for (; at && before(&dated, &calendar->later[(at - 1) / 2]); at = (at - 1) / 2)
        calendar->later[at] = calendar->later[(at - 1) / 2];
    calendar->later[at] = dated;
}

void gpci_calendar_remove(gpci_calendar *calendar, uint32_t at) {
    if (at == --calendar->later_count)
        return;
    const gpci_dated last = calendar->later[calendar->later_count];
    for (; at && before(&last, &calendar->later[(at - 1) / 2]); at = (at - 1) / 2)
        calendar->later[at] = calendar->later[(at - 1) / 2];
    for (uint32_t child; (child = 2 * at + 1) < calendar->later_count; at = child) {
        if (child + 1 < calendar->later_count && before(&calendar->later[child + 1], &calendar->later[child]))
            child++;
        if (!before(&calendar->later[child], &last))
            break;
        calendar->later[at] = calendar->later[child];
    }
    calendar->later[at] = last;
}

void gpci_calendar_state(gpci_calendar *calendar, gpci_state_fn visit, void *user_data) {
    visit(user_data, &calendar->later_count, sizeof calendar->later_count);
    visit(user_data, &calendar->order, sizeof calendar->order);
    visit(user_data, calendar->later, calendar->later_count * sizeof *calendar->later);
    /* from the ring's first item on: the position in memory depends on how the ring grew */
    uint32_t count = calendar->today_count;
    visit(user_data, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = (calendar->today_first + i) & (uint32_t)(calendar->today_capacity - 1);
        visit(user_data, &calendar->today[at], sizeof *calendar->today);
    }
    calendar->today_count = count;
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
