/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_archive.h"

/* Controllers in a snapshot, with a host (no messages of their own): see gpci_engine_state. */

#define POOLS 5

static bool make_room(gpci_engine *e, const uint32_t counts[POOLS], uint32_t later) {
    gpci_items *const pools[POOLS] = {&e->tasks, &e->inflights, &e->sent_messages, &e->waiters, &e->locks};
    for (size_t i = 0; i < POOLS; i++)
        if (!gpci_items_room(e->context, pools[i], counts[i]))
            return false;
    /* due items, today or later, plus all tasks and waiters, as in gpci_engine_grow */
    later += (uint32_t)(e->tasks.room + e->waiters.room);
    return gpci_calendar_room(e->context, &e->calendar, later) && gpci_engine_make_inflights(e, 0);
}

void gpci_engine_archive_room(gpci_engine *e, gpci_archive *a) {
    const gpci_items *const pools[POOLS] = {&e->tasks, &e->inflights, &e->sent_messages, &e->waiters, &e->locks};
    uint32_t counts[POOLS];
    for (size_t i = 0; i < POOLS; i++)
        counts[i] = (uint32_t)gpci_archive_count(a, pools[i]->count, 1);
    const uint32_t later = (uint32_t)gpci_archive_count(a, e->calendar.later_count, 1),
                   today = (uint32_t)gpci_archive_count(a, e->calendar.today_count, 1);
    e->crowded = true;
    if (e->stepping)
        gpci_archive_fail(a, GPC_ERROR_STATE, "in the middle of a step: not from a callback");
    if (a->loading && a->status == GPC_OK && !make_room(e, counts, later > today ? later : today))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
}
