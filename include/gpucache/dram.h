/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_DRAM_H
#define GPUCACHE_DRAM_H

#include <gpucache/config.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * DRAM with a clock: channels of banks, with a queue and a scheduler per channel. The timed hierarchy has a DRAM below
 * its L2. A gpc_dram stands alone, for a host with its own caches. The keys `dram.*` and `clock.dram` configure the
 * DRAM.
 */

/*
 * Called when the data of a read have arrived (dram.latency included), or when the data of a write have crossed the
 * bus.
 */
typedef void (*gpc_dram_done_fn)(void *user_data, uint64_t token, bool write, uint64_t cycle);

/*
 * Create all channels, idle, at DRAM cycle 0.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT, GPC_ERROR_RANGE or GPC_ERROR_FORMAT (dram.mapping), naming the key;
 * GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_dram_create(gpc_context *context, const gpc_config *config, gpc_dram **out, gpc_error *error);
GPC_API void gpc_dram_destroy(gpc_dram *dram);

/*
 * Set the callback for completed requests. gpc_dram_advance calls `on_done`, which may not call into the object. NULL
 * clears. Since: 0.1.
 */
GPC_API void gpc_dram_on_done(gpc_dram *dram, gpc_dram_done_fn on_done, void *user_data);

/* Bytes of a request: a burst. Since: 0.1. */
GPC_API uint32_t gpc_dram_burst_bytes(const gpc_dram *dram);

/*
 * Offer a burst to a channel at the present cycle.
 *   address  within the channel, bytes
 * Returns GPC_OK; GPC_BUSY (the channel's queue is full); GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_dram_try_request(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token);

/*
 * Move the clock by `cycles` DRAM cycles. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL; from within `on_done`);
 * GPC_ERROR_RANGE (a cycle beyond the last). Since: 0.1.
 */
GPC_API gpc_status gpc_dram_advance(gpc_dram *dram, uint64_t cycles);

/*
 * Present DRAM cycle (_now), and next cycle in which a command can issue or data can end (_next_event); UINT64_MAX if
 * idle. Since: 0.1.
 */
GPC_API uint64_t gpc_dram_now(const gpc_dram *dram);
GPC_API uint64_t gpc_dram_next_event(const gpc_dram *dram);

/* Read the dram.* counters since creation by id, as gpc_hierarchy_read. Since: 0.3. */
GPC_API gpc_status gpc_dram_read(const gpc_dram *dram, const uint32_t *ids, size_t count, uint64_t *values,
                                 gpc_error *error);

GPC_END_DECLS

#endif
