/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_archive.h"

/* Memory for loading a host's engine from a snapshot (gpci_engine_state). The host saves the messages. */

static bool reserve(gpci_engine *engine, const uint32_t counts[GPCI_POOL_COUNT], uint32_t later) {
    gpci_items *const pools[GPCI_POOL_COUNT] = GPCI_POOLS_OF(engine);
    for (size_t i = 0; i < GPCI_POOL_COUNT; i++)
        if (!gpci_items_reserve(engine->context, pools[i], counts[i]))
            return false;
    /* room for all saved steps, and for all tasks and waiters, as in gpci_engine_grow */
    later += (uint32_t)(engine->tasks.capacity + engine->waiters.capacity);
    return gpci_calendar_reserve(engine->context, &engine->calendar, later) && gpci_engine_make_inflights(engine, 0);
}

void gpci_engine_archive_counts(gpci_engine *engine, gpci_archive *archive) {
    const gpci_items *const pools[GPCI_POOL_COUNT] = GPCI_POOLS_OF(engine);
    uint32_t counts[GPCI_POOL_COUNT];
    for (size_t i = 0; i < GPCI_POOL_COUNT; i++)
        counts[i] = (uint32_t)gpci_archive_count(archive, pools[i]->count, 1);
    const uint32_t later = (uint32_t)gpci_archive_count(archive, engine->calendar.later_count, 1),
                   today = (uint32_t)gpci_archive_count(archive, engine->calendar.today_count, 1);
    engine->crowded = true;
    if (engine->stepping)
        gpci_archive_fail(archive, GPC_ERROR_STATE, "in the middle of a step: not from a callback");
    if (archive->loading && archive->status == GPC_OK && !reserve(engine, counts, later > today ? later : today))
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
}
