/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_POOL_H
#define GPC_COHERENCE_CONTROLLER_POOL_H

#include "base/array.h"
#include "base/check.h"

#include <string.h>

/*
 * Arrays whose items are taken and given back, queues of steps, and the calendar of steps that are to come. Memory is
 * asked for between steps alone (the _room functions), so that no step can fail half way.
 */

#define GPCI_NO_ITEM UINT32_MAX

/* Items begin with a uint32_t, by which those that are free are chained. */
typedef struct gpci_items {
    char *items;
    size_t room, item_bytes;
    uint32_t count, free, used; /* items that were ever used; the first that is free again; those in use */
} gpci_items;

void gpci_items_init(gpci_items *pool, size_t item_bytes);
/* False: out of memory. Items may move. */
bool gpci_items_room(gpc_context *context, gpci_items *pool, uint32_t more);
void gpci_items_free(gpc_context *context, gpci_items *pool);
GPCI_INLINE bool gpci_items_have(const gpci_items *pool, uint32_t more) {
    return pool->room - pool->used >= more;
}
GPCI_INLINE void *gpci_items_at(const gpci_items *pool, uint32_t item) {
    return pool->items + item * pool->item_bytes;
}

/* An item, where there is room, for whoever writes all of it. */
GPCI_INLINE uint32_t gpci_items_take_any(gpci_items *pool) {
    uint32_t item = pool->free;
    pool->used++;
    if (item != GPCI_NO_ITEM)
        memcpy(&pool->free, gpci_items_at(pool, item), sizeof pool->free);
    else
        item = pool->count++;
    return item;
}

/* The same, zeroed. */
uint32_t gpci_items_take(gpci_items *pool);

GPCI_INLINE void gpci_items_give(gpci_items *pool, uint32_t item) {
    GPCI_POISON(gpci_items_at(pool, item), pool->item_bytes);
    memcpy(gpci_items_at(pool, item), &pool->free, sizeof pool->free);
    pool->free = item;
    pool->used--;
}

/* A step, and of which task or message it is. */
typedef struct gpci_due {
    uint32_t subject, step;
} gpci_due;

/* Those who wait for something, the first first. */
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

/* Steps by cycle; those of a cycle in the order in which they were put down. */
typedef struct gpci_calendar {
    gpci_dated *later; /* a heap */
    gpci_due *today;   /* a ring of a power of two */
    size_t later_room, today_room;
    uint32_t later_count, today_first, today_count;
    uint64_t order;
} gpci_calendar;

bool gpci_calendar_room(gpc_context *context, gpci_calendar *calendar, uint32_t more);
void gpci_calendar_free(gpc_context *context, gpci_calendar *calendar);
GPCI_INLINE bool gpci_calendar_has(const gpci_calendar *c, uint32_t more) {
    return c->today_room - c->today_count >= more && c->later_room - c->later_count >= more;
}
GPCI_INLINE void gpci_calendar_today(gpci_calendar *c, gpci_due due) {
    c->today[(c->today_first + c->today_count++) & (c->today_room - 1)] = due;
}
void gpci_calendar_later(gpci_calendar *calendar, uint64_t cycle, gpci_due due);
/* The next step of a cycle; false: there is none. What is dated comes first: it was put down before. */
bool gpci_calendar_take(gpci_calendar *calendar, uint64_t now, gpci_due *due);
/* Take out one of `later`. */
void gpci_calendar_remove(gpci_calendar *calendar, uint32_t at);
/* All steps, for a snapshot. Room for as many as were saved has been made before. */
void gpci_calendar_state(gpci_calendar *calendar, gpci_state_fn visit, void *user_data);
/* The cycle of the next step; UINT64_MAX. */
uint64_t gpci_calendar_next(const gpci_calendar *calendar, uint64_t now);

void gpci_due_queue_join(gpci_items *waiters, gpci_due_queue *queue, gpci_due due);
void gpci_due_queue_lead(gpci_items *waiters, gpci_due_queue *queue, gpci_due due); /* before all others */
/* False: nobody waits. */
bool gpci_due_queue_leave(gpci_items *waiters, gpci_due_queue *queue, gpci_due *due);

#endif
