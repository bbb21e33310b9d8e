/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_STREAM_BUFFER_H
#define GPC_REPLAY_STREAM_BUFFER_H

#include "replay/icache.h"

/*
 * A stream buffer beside an instruction cache, where `l1i.prefetch` says so: of so many lines, asked for ahead.
 *
 * A miss begins a stream: the lines behind the one that was missed, as many as there are places, are asked for after
 * it, but for those that the cache has or that are on their way. They stay outside of the cache. A fetch looks into
 * the buffer beside the tags: a line that is there goes into the cache, and is found, without a miss; one on its way
 * is waited for. In both cases the lines before it have been for nothing, and the stream goes on: so many lines behind
 * that one are there, or on their way. A miss of both begins another stream, and nothing of the old one is kept; a
 * line that is on its way takes its place until it has come.
 *
 * Example, four places: a miss of line 10 asks for 10, then 11 to 14. A fetch of 12 finds it: 11 has been for nothing,
 * 15 and 16 are asked for.
 *
 * [Jouppi, ISCA 1990; any of its lines can be found, not the first alone.] Known of NVIDIA: that each L0 has a
 * prefetcher. Suspected: that it is such a buffer, of 8 lines, with which a model errs least [Huerta et al., MICRO
 * 2025, 5.2 and 7.3].
 */

/* A fetch that the cache lacks. Is its line there? It is in the cache then. */
bool gpci_stream_take(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_icache *icache, uint64_t line, uint8_t stream);
/* A warp waits for a line: for one that was asked for ahead, or for a miss of its own. */
void gpci_stream_wanted(gpci_timed_sm *m, gpci_icache *icache, gpci_icache_miss *ahead);
void gpci_stream_missed(gpci_timed_sm *m, gpci_icache *icache, const gpci_icache_miss *miss);
/* A line that nobody waits for is asked for; it has come. */
void gpci_stream_sent(gpci_timed_sm *m);
void gpci_stream_came(gpci_timed_sm *m, gpci_icache *icache, gpci_icache_miss *ahead);
/* A place has come free. */
void gpci_stream_go_on(gpci_icache *icache, uint8_t stream);
/* Nothing of it is of use any more. */
void gpci_stream_drop(gpci_timed_sm *m, gpci_icache *icache);

#endif
