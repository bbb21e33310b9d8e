/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/scheduler_archive.h"

#include "cache/cache_archive.h"

static void archive_policy(gpci_policy *policy, gpci_archive *a) {
    if (gpci_policy_can_be_saved(policy, a))
        gpci_policy_state(policy, gpci_archive_bytes, a);
}

void gpci_scheduler_archive(gpc_scheduler *s, gpci_archive *a) {
    gpci_archive_same(a, s->warps, "a scheduler has another number of warps");
    GPCI_ARCHIVE_FIELD(a, s->running), GPCI_ARCHIVE_FIELD(a, s->counts), GPCI_ARCHIVE_FIELD(a, s->next_order),
        GPCI_ARCHIVE_FIELD(a, s->own_admissions), GPCI_ARCHIVE_FIELD(a, s->cycle);
    GPCI_ARCHIVE_FIELD(a, s->again);
    gpci_archive_bytes(a, s->states, s->warps * sizeof *s->states);
    gpci_archive_bytes(a, s->ages, s->warps * sizeof *s->ages);
    gpci_archive_bytes(a, s->by_age, s->warps * sizeof *s->by_age);
    gpci_archive_bytes(a, s->blocks, s->warps * sizeof *s->blocks);
    gpci_archive_bytes(a, s->map, s->words * sizeof *s->map);
    archive_policy(s->policy, a);
    for (uint32_t i = 0; i < s->throttle_count; i++) {
        gpci_archive_bytes(a, s->throttles[i].bits, GPCI_THROTTLE_BITMAPS * s->words * sizeof *s->throttles[i].bits);
        archive_policy(s->throttles[i].policy, a);
    }
}
