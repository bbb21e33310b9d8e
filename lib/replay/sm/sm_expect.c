/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"

/* Prefetch (host memory) for an SM's next step, before any component of the cycle is stepped. */

static inline void fetch_lines(const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64)
        GPCI_PREFETCH((const char *)from + at);
}

/* Pass 0: the SM and its schedulers. Pass 1: state of stirred schedulers and the calendar. */
void gpci_sm_expect(void *replay, uint32_t number, unsigned pass) {
    const gpci_timed_replay *t = replay;
    const gpci_timed_sm *m = &t->sms[number];
    if (pass == 0) {
        fetch_lines(m, offsetof(gpci_timed_sm, warps_gauge));
        fetch_lines(&m->live, sizeof *m - offsetof(gpci_timed_sm, live));
        fetch_lines(&t->issuers[(size_t)number * t->schedulers], t->schedulers * sizeof(gpci_issuer));
        return;
    }
    if (pass != 1)
        return;
    GPCI_PREFETCH(m->calendar + (unsigned)gpci_timed_now(t->r->hierarchy) % GPCI_CALENDAR * t->words);
    for (uint32_t stirred = m->stirred; stirred; stirred &= stirred - 1)
        fetch_lines(m->issuers[gpci_lowest(stirred)].scheduler, sizeof(gpc_scheduler) + sizeof(gpci_warp_word));
}
