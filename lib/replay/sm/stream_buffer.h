/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_STREAM_BUFFER_H
#define GPC_REPLAY_STREAM_BUFFER_H

#include "replay/sm/icache.h"

/*
 * Stream buffer beside an instruction cache, for `l1i.prefetch` prefetched lines.
 *
 * A miss begins a stream. After the missed line, the next l1i.prefetch lines are requested, except lines in the cache
 * or in flight. Prefetched lines stay outside the cache. A fetch looks up the buffer and the tags in parallel. If the
 * buffer has the line, the line moves into the cache without a miss. If the line is in flight, the warp waits for the
 * line. In both cases earlier lines of the buffer are discarded, and further lines are requested, up to l1i.prefetch
 * lines after the fetched line. A fetch that misses the cache and the buffer discards the stream, and begins a new
 * stream. A discarded line in flight keeps its place until the line arrives.
 *
 * Example, four places: a miss of line 10 requests 10, then 11 to 14. A fetch of 12 finds its line: 11 is discarded, 15
 * and 16 are requested.
 *
 * [Jouppi, ISCA 1990; here any line of the buffer can hit, not only the first.] Known about NVIDIA: each L0 has a
 * prefetcher. Suspected: a stream buffer of 8 lines, the model with the smallest error [Huerta et al., MICRO 2025, 5.2
 * and 7.3].
 */

/* After a fetch missed the cache: if the buffer has the line, move the line into the cache, and return true. */
bool gpci_stream_take(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_icache *icache, uint64_t line,
                      uint8_t stream);
/*
 * gpci_stream_wanted: a warp begins to wait for a prefetched line in flight. gpci_stream_missed: a warp begins to wait
 * for a line that was not prefetched.
 */
void gpci_stream_wanted(gpci_timed_sm *core, gpci_icache *icache, gpci_icache_miss *ahead);
void gpci_stream_missed(gpci_timed_sm *core, gpci_icache *icache, const gpci_icache_miss *miss);
/* gpci_stream_sent: note that a prefetch was sent. gpci_stream_came: note that a prefetched line has arrived. */
void gpci_stream_sent(gpci_timed_sm *core);
void gpci_stream_came(gpci_timed_sm *core, gpci_icache *icache, gpci_icache_miss *ahead);
/* Request further lines of the stream, while the buffer has free places. */
void gpci_stream_go_on(gpci_icache *icache, uint8_t stream);
/* Discard all lines of the buffer for which no warp waits. */
void gpci_stream_drop(gpci_timed_sm *core, gpci_icache *icache);

#endif
