/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_FETCH_H
#define GPC_REPLAY_FETCH_H

#include "replay/icache.h"
#include "replay/timed_replay.h"

/*
 * Instruction fetch, where `sm.fetch` says so: a warp has a buffer of so many instructions, an SM, or each scheduler,
 * fetches for one warp a cycle when its buffer is empty, and the first of them can issue `sm.fetch_latency` cycles
 * later. What was fetched behind a taken branch is dropped in the next cycle; where the branch was the last of its
 * buffer, its successors in memory are fetched first, and dropped when they could issue. Instructions are there, or in
 * a cache (replay/icache.h). [GPGPU-Sim 3.2.1, shader.cc: fetch, decode, scheduler_unit::cycle] There the warp is the
 * next in turn; here it is the one that has waited longest.
 */

/* A successor further away than this, in bytes, is not what was fetched with an instruction. */
#define GPCI_INSTRUCTION_BYTES 16u

/* Cycles in which an SM, or a scheduler (`sm.fetch_by`), fetches for a warp. */
typedef struct gpci_fetcher {
    uint64_t since; /* core cycle of the first bit of: */
    uint64_t taken;
} gpci_fetcher;

/* Which of its SM's fetches for a warp, and has its instruction cache. */
GPCI_INLINE uint32_t gpci_fetcher_of(const gpci_timed_replay *t, const gpci_timed_warp *w) {
    return t->fetchers > 1 ? w->issuer : 0;
}

/* The first cycle from `from` on in which nobody is fetched for is taken. */
GPCI_INLINE uint64_t gpci_fetch_slot(gpci_fetcher *f, uint64_t from, uint64_t now) {
    const uint64_t passed = now - f->since, ahead = from - now;
    f->taken = passed < 64 ? f->taken >> passed : 0;
    f->since = now;
    if (ahead > 63)
        return from;
    const uint64_t free = ~f->taken >> ahead;
    const uint64_t place = ahead + (free ? gpci_lowest(free) : 0);
    f->taken |= (uint64_t)1 << place;
    return now + place;
}

/* A warp's buffer is filled, from a cycle on; where there is a cache, if that has what is fetched. */
GPCI_INLINE void gpci_fetch_turn(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w, uint64_t from,
                                 uint64_t now) {
    const uint64_t ready = gpci_fetch_slot(&m->fetchers[gpci_fetcher_of(t, w)], from, now) + t->fetch_latency;
    w->buffered = (uint8_t)t->fetch;
    w->not_before = ready > w->not_before ? ready : w->not_before;
}

GPCI_INLINE void gpci_fetch(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w, uint64_t now) {
    gpci_fetch_turn(t, m, w, now, now);
    if (GPCI_UNLIKELY(m->icache != NULL))
        gpci_icache_fetch(t, m, w, now);
}

/* A warp has issued an instruction, and `next` is what it executes then. */
GPCI_INLINE void gpci_fetch_issued(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w,
                                   const gpc_instruction *issued, const gpc_instruction *next, uint64_t now) {
    const bool empty = !--w->buffered;
    const bool taken = next->pc - issued->pc - 1 >= GPCI_INSTRUCTION_BYTES;
    if (empty)
        gpci_fetch_turn(t, m, w, now, now);
    if (taken)
        gpci_fetch_turn(t, m, w, empty ? w->not_before : now + 1, now);
    if (GPCI_UNLIKELY(m->icache != NULL) && (empty || taken))
        gpci_icache_fetch(t, m, w, now);
}

#endif
