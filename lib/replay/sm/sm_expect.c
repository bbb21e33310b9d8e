/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"

/* Prefetch the data of an SM's next step into the CPU's cache, before any component of the cycle is stepped. */

static inline void fetch_lines(const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64)
        GPCI_PREFETCH((const char *)from + at);
}

/* Pass 0: prefetch the SM and its issuers. Pass 1: the calendar, and the schedulers with a bit in `stirred`. */
void gpci_sm_expect(void *replay, uint32_t number, unsigned pass) {
    const gpci_timed_replay *timed_replay = replay;
    const gpci_timed_sm *core = &timed_replay->sms[number];
    if (pass == 0) {
        fetch_lines(core, offsetof(gpci_timed_sm, warps_gauge));
        fetch_lines(&core->live, sizeof *core - offsetof(gpci_timed_sm, live));
        fetch_lines(&timed_replay->issuers[(size_t)number * timed_replay->schedulers],
                    timed_replay->schedulers * sizeof(gpci_issuer));
        return;
    }
    if (pass != 1)
        return;
    GPCI_PREFETCH(core->calendar +
                  (unsigned)gpci_timed_now(timed_replay->replay->hierarchy) % GPCI_CALENDAR * timed_replay->words);
    for (uint32_t stirred = core->stirred; stirred; stirred &= stirred - 1)
        fetch_lines(core->issuers[gpci_lowest(stirred)].scheduler, sizeof(gpc_scheduler) + sizeof(gpci_warp_word));
}
