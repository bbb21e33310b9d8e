/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_STREAM_BUFFER_H
#define GPC_REPLAY_STREAM_BUFFER_H

#include "replay/sm/icache.h"

/*
 * Stream buffer beside an instruction cache: `l1i.prefetch` lines, prefetched.
 *
 * A miss begins a stream. The lines behind the missed line, as many as the buffer has places, are requested after it,
 * except lines cached or in flight. Prefetched lines stay outside the cache. A fetch looks up the buffer and the tags
 * in parallel. If the buffer has the line, the line moves into the cache without a miss; if the line is in flight, the
 * warp waits for it. In both cases earlier lines of the buffer are discarded and the stream continues, up to the same
 * number of lines ahead. A fetch that misses both begins a new stream and discards the old; a line in flight keeps its
 * place until it arrives.
 *
 * Example, four places: a miss of line 10 requests 10, then 11 to 14. A fetch of 12 finds its line: 11 is discarded, 15
 * and 16 are requested.
 *
 * [Jouppi, ISCA 1990; here any line of the buffer can hit, not only the first.] Known about NVIDIA: each L0 has a
 * prefetcher. Suspected: a stream buffer of 8 lines, the model with the smallest error [Huerta et al., MICRO 2025, 5.2
 * and 7.3].
 */

/* A fetch missed the cache. If the buffer has the line, move it into the cache and return true. */
bool gpci_stream_take(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_icache *icache, uint64_t line,
                      uint8_t stream);
/* A warp waits for a prefetched line in flight. gpci_stream_missed: a warp waits for a miss of its own. */
void gpci_stream_wanted(gpci_timed_sm *core, gpci_icache *icache, gpci_icache_miss *ahead);
void gpci_stream_missed(gpci_timed_sm *core, gpci_icache *icache, const gpci_icache_miss *miss);
/* A prefetch was sent. gpci_stream_came: a prefetched line arrived. */
void gpci_stream_sent(gpci_timed_sm *core);
void gpci_stream_came(gpci_timed_sm *core, gpci_icache *icache, gpci_icache_miss *ahead);
/* A place became free: continue the stream. */
void gpci_stream_go_on(gpci_icache *icache, uint8_t stream);
/* Discard the whole buffer. */
void gpci_stream_drop(gpci_timed_sm *core, gpci_icache *icache);

#endif
