/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_FETCH_H
#define GPC_REPLAY_FETCH_H

#include "replay/core/timed_replay.h"
#include "replay/sm/icache.h"

/*
 * Instruction fetch with `sm.fetch` above 0. A warp has a buffer of `sm.fetch` instructions. When the buffer is empty,
 * the SM or the warp's scheduler (`sm.fetch_by`) fetches for the warp; it fetches for one warp a cycle. The first
 * fetched instruction can issue `sm.fetch_latency` cycles later. At a taken branch, the instructions in the buffer are
 * dropped, and the warp fetches at the target in the next cycle. If the branch was the last instruction of the buffer,
 * the instructions after the branch are fetched first, and dropped when they could issue. Instructions are always
 * present, or come from a cache (replay/sm/icache.h). [GPGPU-Sim 3.2.1, shader.cc: fetch, decode,
 * scheduler_unit::cycle] GPGPU-Sim fetches for the warps in turn; here the warp that has waited longest is served
 * first.
 */

/* Largest distance between consecutive instructions, in bytes. If the next PC is farther, the branch was taken. */
#define GPCI_INSTRUCTION_BYTES 16u

/* Fetcher of an SM, or of a scheduler (`sm.fetch_by`): one fetch a cycle. */
typedef struct gpci_fetcher {
    uint64_t since; /* core cycle of bit 0 of `taken` */
    uint64_t taken; /* bit n: the fetch of cycle since + n is taken */
} gpci_fetcher;

/* Number of the fetcher (and of the instruction cache) of a warp within its SM. */
GPCI_INLINE uint32_t gpci_fetcher_of(const gpci_timed_replay *timed_replay, const gpci_timed_warp *warp) {
    return timed_replay->fetchers > 1 ? warp->issuer : 0;
}

/* Take the first free cycle of the fetcher from `from` on. Returns the cycle. */
GPCI_INLINE uint64_t gpci_fetch_slot(gpci_fetcher *fetcher, uint64_t from, uint64_t now) {
    const uint64_t passed = now - fetcher->since, ahead = from - now;
    fetcher->taken = passed < 64 ? fetcher->taken >> passed : 0;
    fetcher->since = now;
    if (ahead > 63)
        return from;
    const uint64_t free = ~fetcher->taken >> ahead;
    const uint64_t place = ahead + (free ? gpci_lowest(free) : 0);
    fetcher->taken |= (uint64_t)1 << place;
    return now + place;
}

/* Fetch for a warp, in the first free cycle from `from` on. An instruction cache must also have the line. */
GPCI_INLINE void gpci_fetch_turn(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp,
                                 uint64_t from, uint64_t now) {
    const uint64_t ready =
        gpci_fetch_slot(&core->fetchers[gpci_fetcher_of(timed_replay, warp)], from, now) + timed_replay->fetch_latency;
    warp->buffered = (uint8_t)timed_replay->fetch;
    warp->not_before = ready > warp->not_before ? ready : warp->not_before;
}

GPCI_INLINE void gpci_fetch(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp,
                            uint64_t now) {
    gpci_fetch_turn(timed_replay, core, warp, now, now);
    if (GPCI_UNLIKELY(core->icache != NULL))
        gpci_icache_fetch(timed_replay, core, warp, now);
}

/* Update the buffer after a warp has issued an instruction. `next`: the instruction that the warp executes next. */
GPCI_INLINE void gpci_fetch_issued(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp,
                                   const gpc_instruction *issued, const gpc_instruction *next, uint64_t now) {
    const bool empty = !--warp->buffered;
    const bool taken = next->pc - issued->pc - 1 >= GPCI_INSTRUCTION_BYTES;
    if (empty)
        gpci_fetch_turn(timed_replay, core, warp, now, now);
    if (taken)
        gpci_fetch_turn(timed_replay, core, warp, empty ? warp->not_before : now + 1, now);
    if (GPCI_UNLIKELY(core->icache != NULL) && (empty || taken))
        gpci_icache_fetch(timed_replay, core, warp, now);
}

#endif
