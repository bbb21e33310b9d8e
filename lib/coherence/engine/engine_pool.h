/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_POOL_H
#define GPC_COHERENCE_ENGINE_POOL_H

#include "base/array.h"
#include "base/check.h"

#include <string.h>

/*
 * Pools of items, queues of steps, and the calendar of future steps. Memory is allocated only between steps (functions
 * _reserve), so that no step fails half way.
 */

#define GPCI_NO_ITEM UINT32_MAX

/* Pool of items of equal size. An item begins with a uint32_t, which chains the free items. */
typedef struct gpci_items {
    char *items;
    size_t capacity, item_bytes;
    /* state */
    uint32_t count, free, used; /* count: items ever used; free: first free item; used: items in use */
} gpci_items;

void gpci_items_init(gpci_items *pool, size_t item_bytes);
/* Make room for `more` items; items may move in memory. False: out of memory. */
bool gpci_items_reserve(gpc_context *context, gpci_items *pool, uint32_t more);
void gpci_items_free(gpc_context *context, gpci_items *pool);
GPCI_INLINE bool gpci_items_have(const gpci_items *pool, uint32_t more) {
    return pool->capacity - pool->used >= more;
}
GPCI_INLINE void *gpci_items_at(const gpci_items *pool, uint32_t item) {
    return pool->items + item * pool->item_bytes;
}

/* Take an item without clearing it; room has been made. The caller writes every byte. */
GPCI_INLINE uint32_t gpci_items_take_any(gpci_items *pool) {
    uint32_t item = pool->free;
    GPCI_ENSURE(pool->used < pool->capacity, "%zu items of %zu bytes in use: no room was made", pool->capacity,
                pool->item_bytes);
    pool->used++;
    if (item != GPCI_NO_ITEM)
        memcpy(&pool->free, gpci_items_at(pool, item), sizeof pool->free);
    else
        item = pool->count++;
    return item;
}

/* Take a zeroed item. */
uint32_t gpci_items_take(gpci_items *pool);

GPCI_INLINE void gpci_items_give(gpci_items *pool, uint32_t item) {
    GPCI_POISON(gpci_items_at(pool, item), pool->item_bytes);
    memcpy(gpci_items_at(pool, item), &pool->free, sizeof pool->free);
    pool->free = item;
    pool->used--;
}

/* A step to run, and its subject: a task, or a message. */
typedef struct gpci_due {
    uint32_t subject, step;
} gpci_due;

/* Queue of waiters, first come first served. */
typedef struct gpci_due_queue {
    uint32_t head, tail;
} gpci_due_queue;

#define GPCI_DUE_QUEUE_INIT \
    { GPCI_NO_ITEM, GPCI_NO_ITEM }

typedef struct gpci_waiter {
    uint32_t next;
    gpci_due due;
} gpci_waiter;

typedef struct gpci_dated {
    uint64_t cycle, order;
    gpci_due due;
} gpci_dated;

/* Steps by cycle; steps of a cycle in order of scheduling. */
typedef struct gpci_calendar {
    gpci_dated *later; /* a heap */
    gpci_due *today;   /* a ring; size is a power of two */
    size_t later_capacity, today_capacity;
    uint32_t later_count, today_first, today_count;
    uint64_t order;
} gpci_calendar;

bool gpci_calendar_reserve(gpc_context *context, gpci_calendar *calendar, uint32_t more);
void gpci_calendar_free(gpc_context *context, gpci_calendar *calendar);
GPCI_INLINE void gpci_calendar_today(gpci_calendar *calendar, gpci_due due) {
    calendar->today[(calendar->today_first + calendar->today_count++) & (calendar->today_capacity - 1)] = due;
}
void gpci_calendar_later(gpci_calendar *calendar, uint64_t cycle, gpci_due due);
/* Remove an item of `later`. */
void gpci_calendar_remove(gpci_calendar *calendar, uint32_t at);
/*
 * Take the next step, and go to the step's cycle; false: none. Steps from `later` come first, because they were
 * scheduled earlier.
 */
GPCI_INLINE bool gpci_calendar_take(gpci_calendar *calendar, uint64_t *now, gpci_due *due) {
    if (calendar->later_count && (!calendar->today_count || calendar->later->cycle <= *now)) {
        *now = calendar->later->cycle;
        *due = calendar->later->due;
        gpci_calendar_remove(calendar, 0);
        return true;
    }
    if (!calendar->today_count)
        return false;
    *due = calendar->today[calendar->today_first];
    calendar->today_first = (calendar->today_first + 1) & (uint32_t)(calendar->today_capacity - 1);
    calendar->today_count--;
    return true;
}
/* Visit all steps for a snapshot. When loading, room for the saved number was made before. */
void gpci_calendar_state(gpci_calendar *calendar, gpci_state_fn visit, void *user_data);
/* Cycle of the next step, or UINT64_MAX. */
GPCI_INLINE uint64_t gpci_calendar_next(const gpci_calendar *calendar, uint64_t now) {
    return calendar->today_count ? now : calendar->later_count ? calendar->later->cycle : UINT64_MAX;
}

void gpci_due_queue_join(gpci_items *waiters, gpci_due_queue *queue, gpci_due due);
void gpci_due_queue_lead(gpci_items *waiters, gpci_due_queue *queue, gpci_due due); /* at the head */
/* Take the first waiter from the queue. False: the queue is empty. */
bool gpci_due_queue_leave(gpci_items *waiters, gpci_due_queue *queue, gpci_due *due);

#endif
