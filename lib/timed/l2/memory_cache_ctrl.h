/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_MEMORY_CACHE_CTRL_H
#define GPC_TIMED_MEMORY_CACHE_CTRL_H

#include "level/rules/memory_cache.h"
#include "timed/core/timed.h"

/*
 * Caches beside memory with a clock: a controller (ctrl.h) in each memory channel, stepped by the channel. Packets of
 * slices pass the tags, one per L2 cycle. A hit leaves through the data port after `memory_cache.latency`. A miss takes
 * an MSHR entry, or joins the entry of its line, and the fetch enters DRAM's queue. Written data take no data port, as
 * in slices.
 *
 *  slices, or their links -> in -> tags -> out -> DRAM's queue
 *                                   |                 |
 *  slices, or their links <- served <- MSHR entry, data
 *
 * Example, memory_cache.latency = 100: a read reaches the tags in cycle 50, and hits. Its data leave the channel in
 * cycle 150. A read of the same line that misses leaves 100 cycles after the data of DRAM.
 */

GPCI_INLINE gpci_ctrl *gpci_memory_cache_of(const gpci_timed *timed, uint32_t channel) {
    return &timed->memory_caches[channel];
}

/* memory_cache_ctrl.c */
/* Make the controllers, if hierarchy->memory_caches exist. GPC_ERROR_MEMORY. */
gpc_status gpci_memory_caches_make(gpci_timed *timed);
void gpci_memory_caches_unmake(gpci_timed *timed);
/* Put a packet of a slice before the tags; `in` must have room. */
void gpci_memory_cache_enter(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet);
/* Pass packets through the tags. */
void gpci_memory_cache_pass(gpci_timed *timed, gpci_ctrl *ctrl);
/* DRAM has read a fetch of the cache. */
void gpci_memory_cache_fill(gpci_timed *timed, uint32_t packet);
/* Return packets whose data are out of the port to their slices. */
void gpci_memory_cache_answer(gpci_timed *timed, gpci_ctrl *ctrl);
/* Line of a packet of the cache within its slice, for the address of a host's memory. */
uint64_t gpci_memory_cache_inner(const gpci_timed *timed, const gpci_packet *pkt);
void gpci_memory_cache_hold(const gpci_timed *timed, uint32_t channel, gpci_holders *holders);

/* memory_channel.c: return a packet that has its data to its slice. */
void gpci_channel_return(gpci_timed *timed, uint32_t packet);

#endif
