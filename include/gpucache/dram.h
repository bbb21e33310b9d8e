/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_DRAM_H
#define GPUCACHE_DRAM_H

#include <gpucache/config.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * DRAM with a clock: channels of banks, each with a queue and a scheduler of its
 * own. The timed hierarchy has one below its L2; here it stands alone, for a host
 * with caches of its own. Configured by the keys `dram.*` and `clock.dram`.
 */

/* The data of a read have come (dram.latency included), or those of a write have gone over the bus. */
typedef void (*gpc_dram_done_fn)(void *user_data, uint64_t token, bool write, uint64_t cycle);

/*
 * Create all channels, idle, at DRAM cycle 0.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE naming the key; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_dram_create(gpc_context *context, const gpc_config *config, gpc_error *error, gpc_dram **out);
GPC_API void gpc_dram_destroy(gpc_dram *dram);

/* Called from gpc_dram_advance for every completed request; may not call into the object. NULL clears. Since: 0.1. */
GPC_API void gpc_dram_on_done(gpc_dram *dram, gpc_dram_done_fn on_done, void *user_data);

/* Bytes of one request: a burst. Since: 0.1. */
GPC_API uint32_t gpc_dram_burst_bytes(const gpc_dram *dram);

/*
 * Offer one burst to a channel at the present cycle.
 *   address  within the channel, bytes
 * Returns GPC_OK; GPC_BUSY (its queue is full); GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_dram_try_request(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token);

/* Move the clock by `cycles` DRAM cycles. Since: 0.1. */
GPC_API gpc_status gpc_dram_advance(gpc_dram *dram, uint64_t cycles);

/* The present DRAM cycle, and the next at which a command can issue or data end; UINT64_MAX if idle. Since: 0.1. */
GPC_API uint64_t gpc_dram_now(const gpc_dram *dram);
GPC_API uint64_t gpc_dram_next_event(const gpc_dram *dram);

/* The dram.* counters since creation, in the host's struct. GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2. */
GPC_API gpc_status gpc_dram_get_stats_as(const gpc_dram *dram, const gpc_layout *layout, void *stats);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_dram_get_stats(const gpc_dram *dram, gpc_stats *stats) {
    return gpc_dram_get_stats_as(dram, gpc_stats_layout(), stats);
}

GPC_END_DECLS

#endif
