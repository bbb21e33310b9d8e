/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/scheduler_archive.h"

#include "cache/cache_archive.h"

static void archive_policy(gpci_policy *policy, gpci_archive *archive) {
    if (gpci_policy_can_be_saved(policy, archive))
        gpci_policy_state(policy, gpci_archive_bytes, archive);
}

void gpci_scheduler_archive(gpc_scheduler *scheduler, gpci_archive *archive) {
    gpci_archive_same(archive, scheduler->warps, "a scheduler has another number of warps");
    GPCI_ARCHIVE_FIELD(archive, scheduler->running), GPCI_ARCHIVE_FIELD(archive, scheduler->counts),
        GPCI_ARCHIVE_FIELD(archive, scheduler->next_order), GPCI_ARCHIVE_FIELD(archive, scheduler->own_admissions),
        GPCI_ARCHIVE_FIELD(archive, scheduler->cycle);
    GPCI_ARCHIVE_FIELD(archive, scheduler->again);
    gpci_archive_bytes(archive, scheduler->states, scheduler->warps * sizeof *scheduler->states);
    gpci_archive_bytes(archive, scheduler->ages, scheduler->warps * sizeof *scheduler->ages);
    gpci_archive_bytes(archive, scheduler->by_age, scheduler->warps * sizeof *scheduler->by_age);
    gpci_archive_bytes(archive, scheduler->blocks, scheduler->warps * sizeof *scheduler->blocks);
    gpci_archive_bytes(archive, scheduler->map, scheduler->words * sizeof *scheduler->map);
    archive_policy(scheduler->policy, archive);
    for (uint32_t i = 0; i < scheduler->throttle_count; i++) {
        gpci_archive_bytes(archive, scheduler->throttles[i].bits,
                           GPCI_THROTTLE_BITMAPS * scheduler->words * sizeof *scheduler->throttles[i].bits);
        archive_policy(scheduler->throttles[i].policy, archive);
    }
}
