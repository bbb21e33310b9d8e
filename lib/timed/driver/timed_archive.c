/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/driver/timed_archive.h"

#include "base/array.h"
#include "coherence/engine/engine_archive.h"
#include "timed/core/coherent.h"
#include "timed/core/kept_access.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/ctrl/plain_values.h"

/*
 * The clock's part of a snapshot: room for all work under way, then the stretches of gpci_timed_state. Growing arrays
 * get memory first, because stretches cannot fail. Shards are joined, so a snapshot can be loaded with any number of
 * threads. The bytes differ with the number of threads: packets and in-flight accesses have other numbers, due to a
 * different order of freeing.
 */

/* In place of a host's memory, until the host sets callbacks: refuses all requests. */
static bool no_memory(void *user_data, const gpc_memory_request *request) {
    (void)user_data;
    (void)request;
    return false;
}

static void archive_room(gpci_timed *t, gpci_archive *a) {
    const uint32_t packets = (uint32_t)gpci_archive_count(a, gpci_pool_place(&t->pool, t->pool.fresh), 1),
                   messages = (uint32_t)gpci_archive_count(a, t->pool.message_fresh, 1),
                   waiters = (uint32_t)gpci_archive_count(a, t->pool.waiter_fresh, 1),
                   inflights = (uint32_t)gpci_archive_count(a, t->inflight_fresh, 1);
    if (t->coherent)
        gpci_engine_archive_room(gpci_engine_of(t), a);
    if (!a->loading || a->status < 0)
        return;
    gpc_status status = gpci_pool_reserve(&t->pool, packets);
    if (status == GPC_OK)
        status = gpci_pool_grow_waiters(&t->pool, waiters);
    if (status == GPC_OK && messages)
        status = gpci_pool_reserve_messages(&t->pool, messages);
    if (status == GPC_OK && inflights)
        status = gpci_make_inflights(t, inflights);
    if (status == GPC_OK && t->coherent)
        status = gpci_coherent_make_origins(t);
    if (status < 0)
        gpci_archive_fail(a, status, "");
}

static void archive_values(gpci_timed *t, gpci_archive *a) {
    gpci_kept_archive(t, a);
    if (t->values)
        gpci_plain_values_archive(t, a);
    if (!t->coherent)
        return;
    gpci_coherent_values_archive(t, a);
    if (a->status == GPC_OK || !a->loading)
        gpci_coherent_values_know(t, true);
}

void gpci_timed_archive(gpc_hierarchy *h, gpci_archive *a) {
    gpci_timed *t = h->timed;
    if (t->failed < 0)
        gpci_archive_fail(a, GPC_ERROR_STATE, "the hierarchy has failed: it can only be destroyed");
    if (t->wheel.at != t->wheel.components)
        gpci_archive_fail(a, GPC_ERROR_STATE, "in the middle of a cycle: not from a callback");
    gpci_archive_same(a, t->wheel.components, "another number of components");
    const bool host = gpci_archive_number(a, t->callbacks.on_memory != NULL) != 0;
    if (a->loading && host && t->shards)
        gpci_archive_fail(a, GPC_ERROR_UNSUPPORTED, "a host's memory with several threads");
    gpci_shards_join(t);
    archive_room(t, a);
    if (a->status < 0) {
        gpci_shards_split(t);
        return;
    }
    if (a->loading && host)
        t->callbacks.on_memory = no_memory;
    if (t->coherent && h->with_data)
        gpci_coherent_values_know(t, false);
    gpci_timed_state(t, gpci_archive_bytes, a);
    if (h->with_data)
        archive_values(t, a);
    if (t->stage_times)
        gpci_stage_times_archive(t, a);
    /* threads make room for a cycle's packets before each cycle */
    if (a->loading && a->status == GPC_OK && !t->shards && gpci_make_packets(t, 0) < 0)
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
}
