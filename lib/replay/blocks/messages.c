/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/archive.h"
#include "base/array.h"
#include "replay/blocks/mbarriers.h"

/* Messages in flight between blocks of a cluster. */

gpc_status gpci_cluster_tell(gpci_timed_replay *timed_replay, const gpci_cluster_message *message) {
    gpci_cluster_messages *all = &timed_replay->messages;
    if (!GPCI_ARRAY_RESERVE(timed_replay->replay->context, all->each, all->capacity, all->count, 1))
        return GPC_ERROR_MEMORY;
    all->each[all->count++] = *message;
    return GPC_OK;
}

void gpci_cluster_messages_archive(gpci_timed_replay *timed_replay, gpci_archive *archive) {
    gpci_cluster_messages *all = &timed_replay->messages;
    const size_t count = (size_t)gpci_archive_count(archive, all->count - all->first, sizeof *all->each);
    if (archive->loading) {
        if (archive->status < 0 ||
            !GPCI_ARRAY_RESERVE(timed_replay->replay->context, all->each, all->capacity, 0, count + 1)) {
            gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
            return;
        }
        all->first = 0;
        all->count = count;
    }
    if (count)
        gpci_archive_bytes(archive, all->each + all->first, count * sizeof *all->each);
}

gpci_block_run *gpci_run_of_block(const gpci_timed_replay *timed_replay, uint32_t number, uint32_t block) {
    const gpci_sm_run *sm = &timed_replay->replay->sms[number];
    for (uint32_t n = 0; n < sm->residents; n++)
        if (sm->resident[n]->block->index == block && sm->resident[n]->live)
            return sm->resident[n];
    return NULL;
}
