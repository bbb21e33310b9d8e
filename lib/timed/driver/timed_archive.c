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

static void archive_counts(gpci_timed *timed, gpci_archive *archive) {
    const uint32_t packets = (uint32_t)gpci_archive_count(archive, gpci_pool_place(&timed->pool, timed->pool.fresh), 1),
                   messages = (uint32_t)gpci_archive_count(archive, timed->pool.message_fresh, 1),
                   waiters = (uint32_t)gpci_archive_count(archive, timed->pool.waiter_fresh, 1),
                   inflights = (uint32_t)gpci_archive_count(archive, timed->inflight_fresh, 1);
    if (timed->coherent)
        gpci_engine_archive_counts(gpci_engine_of(timed), archive);
    if (!archive->loading || archive->status < 0)
        return;
    gpc_status status = gpci_pool_reserve(&timed->pool, packets);
    if (status == GPC_OK)
        status = gpci_pool_grow_waiters(&timed->pool, waiters);
    if (status == GPC_OK && messages)
        status = gpci_pool_reserve_messages(&timed->pool, messages);
    if (status == GPC_OK && inflights)
        status = gpci_make_inflights(timed, inflights);
    if (status == GPC_OK && timed->coherent)
        status = gpci_coherent_make_origins(timed);
    if (status < 0)
        gpci_archive_fail(archive, status, "");
}

static void archive_values(gpci_timed *timed, gpci_archive *archive) {
    gpci_kept_archive(timed, archive);
    if (timed->values)
        gpci_plain_values_archive(timed, archive);
    if (!timed->coherent)
        return;
    gpci_coherent_values_archive(timed, archive);
    if (archive->status == GPC_OK || !archive->loading)
        gpci_coherent_values_know(timed, true);
}

static uint64_t count_starters(const gpci_timed *timed) {
    uint64_t count = 0;
    for (uint32_t sm = 0; sm < timed->hierarchy->sms; sm++)
        count += (uint64_t)gpci_part_is_active(&timed->l1[sm], GPCI_PART_FENCES) +
                 gpci_part_is_active(&timed->l1[sm], GPCI_PART_COPIES);
    return count;
}

/* After a load: find the fields that follow from the loaded state. */
static void resume(gpci_timed *timed) {
    timed->starters = count_starters(timed);
    for (uint32_t sm = 0; sm < timed->hierarchy->sms; sm++)
        timed->l1[sm].reads_anew = true; /* gpci_reads_anew may be true for a waiting load */
    if (timed->coherent)
        gpci_engine_resume(gpci_engine_of(timed), timed->wheel.now);
}

void gpci_timed_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    gpci_timed *timed = hierarchy->timed;
    if (timed->failed < 0)
        gpci_archive_fail(archive, GPC_ERROR_STATE, "the hierarchy has failed: it can only be destroyed");
    if (timed->wheel.at != timed->wheel.components)
        gpci_archive_fail(archive, GPC_ERROR_STATE, "in the middle of a cycle: not from a callback");
    gpci_archive_same(archive, timed->wheel.components, "another number of components");
    const bool host = gpci_archive_number(archive, timed->callbacks.on_memory != NULL) != 0;
    if (archive->loading && host && timed->shards)
        gpci_archive_fail(archive, GPC_ERROR_UNSUPPORTED, "a host's memory with several threads");
    gpci_shards_join(timed);
    archive_counts(timed, archive);
    if (archive->status < 0) {
        gpci_shards_split(timed);
        return;
    }
    if (archive->loading && host)
        timed->callbacks.on_memory = no_memory;
    if (timed->coherent && hierarchy->with_data)
        gpci_coherent_values_know(timed, false);
    GPCI_ENSURE(archive->loading || timed->starters == count_starters(timed), "%llu parts begin lines by themselves",
                (unsigned long long)timed->starters);
    gpci_timed_state(timed, gpci_archive_bytes, archive);
    if (archive->loading && archive->status == GPC_OK)
        resume(timed);
    if (hierarchy->with_data)
        archive_values(timed, archive);
    if (timed->stage_times)
        gpci_stage_times_archive(timed, archive);
    /* threads make room for a cycle's packets before each cycle */
    if (archive->loading && archive->status == GPC_OK && !timed->shards && gpci_make_packets(timed, 0) < 0)
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
}
