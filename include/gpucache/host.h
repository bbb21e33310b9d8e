/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HOST_H
#define GPUCACHE_HOST_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/* What a host with SMs of its own settles with a hierarchy beside its accesses. */

/*
 * Room for replies. A host's queue of replies is finite: with a clock it may grant credits, SM by SM, and each
 * on_complete of that SM takes one, whatever it is of (an access, a fence, gpc_hierarchy_try_miss), but for what
 * completes within gpc_hierarchy_try_issue. An SM that has none left holds its replies up, in order, and as long as any
 * is held:
 *   - nothing passes L1's tags, so what is issued waits, and is refused once l1.queue is full (GPC_BUSY_REPLY);
 *   - L1's fill port takes nothing, so replies wait in the output buffer of the reply network, and behind them, once
 *     that is full, those of other SMs, and L2's reply queues. In a tree of coherent modules it goes on, for messages
 *     come the same way that others wait for.
 * What a fill releases at once, and hits that had passed the tags, are held together: their places are L1's output.
 * What L1 has in its miss queue goes on. A store that is held is not done to a fence behind it.
 *
 * Example: a response queue of eight: set 8, and add 1 for each reply that is taken out of it.
 *
 *   GPC_UNLIMITED_CREDITS  as many as there are replies: what every SM begins with
 *   gpc_hierarchy_set_reply_credits  from now on there are just so many
 *   gpc_hierarchy_add_reply_credits  so many more
 *   gpc_hierarchy_reply_credits      what is left; 0 also for NULL, without such an SM, and without a clock
 * They take effect from the next cycle on, which gpc_hierarchy_next_event then names if replies wait; and are part of a
 * snapshot. Cycles in which replies are held count in l1.reply_stalls. Return GPC_OK; GPC_ERROR_ARGUMENT (NULL, no such
 * SM); GPC_ERROR_STATE (no clock; SMs that are a replay's; of _add: there is no limit); GPC_ERROR_RANGE (of _add: more
 * than GPC_UNLIMITED_CREDITS - 1 in all). Not from within a callback. Since: 0.2.
 */
#define GPC_UNLIMITED_CREDITS UINT64_MAX
GPC_API gpc_status gpc_hierarchy_set_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits);
GPC_API gpc_status gpc_hierarchy_add_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits);
GPC_API uint64_t gpc_hierarchy_reply_credits(const gpc_hierarchy *hierarchy, uint32_t sm);

/*
 * Ages of warps. gpc_warp_access.warp_age is the host's to say; or the library ranks the warps of each SM by when it
 * was told of their starts (gpc_hierarchy_warp_event): the oldest that has not exited is 0, the next 1, as a replay
 * with a clock counts them.
 *   on  true: from now on `warp_age` of accesses is not looked at, and accesses of a warp that has not started, or has
 *       exited, are refused (GPC_ERROR_ARGUMENT; gpc_hierarchy_check_access says so); likewise a start of a warp that
 *       runs, and an exit of one that does not. A request of gpc_hierarchy_try_miss keeps its age where its warp does
 *       not run, for what L1 sends may outlive it. false: the host says, and what was known of warps is forgotten.
 * Warps are slots of an SM, below 65536. Either mode; part of a snapshot. Off at first: accesses cost what they did.
 * Returns GPC_OK (also where it was so before); GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (the hierarchy is a
 * replay's, which ranks its own); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_rank_warps(gpc_hierarchy *hierarchy, bool on, gpc_error *error);

/*
 * Warp instructions that the host has coalesced by itself: as gpc_hierarchy_try_issue, of line transactions in place of
 * lanes, which pass L1's tags as they are, in their order, whatever `l1.coalescer` says. All are accepted or none, they
 * take one place of `l1.queue`, and there is one completion, when the last is done. So a host's token (a pointer to its
 * instruction, say) comes back with it, and nothing has to be looked up.
 *   requests  [count] of one instruction, on whose fields they agree: pc, sm, warp, warp_age, block, kind, space
 *             (GLOBAL or LOCAL), hint, priority, token, token_l2, scope, order, stream, copy (no BULK). Each is of a
 *             line of l1.line, or without L1 of l2.line: sector_mask, size or a store's byte_mask say of which bytes,
 *             as gpc_request has it; of a load byte_mask, too, for the counters of bytes used. What follows from all is
 *             the library's: cycle, transactions, bytes_used, kernel, and `continues`, which is 0 here: a transaction
 *             of the line that the one before it is of, a further sector of it, is no reuse of it to policies
 *   count     1 to GPC_MAX_TRANSACTIONS
 * It counts a warp instruction, without threads: gpc_hierarchy_count_instructions. Atomics take turns by the words that
 * they touch, prefetchers are told of the first address as that of lane 0. gpc_hierarchy_can_accept says whether there
 * is room. A recording (record.h), whose instructions have lanes, ends.
 * Return as gpc_hierarchy_try_issue; GPC_ERROR_ARGUMENT for what gpc_hierarchy_check_transactions names;
 * GPC_ERROR_UNSUPPORTED with coherence.data and in trees of coherent modules; GPC_ERROR_STATE (no clock). Since: 0.2.
 */
#define GPC_MAX_TRANSACTIONS 192u
GPC_API gpc_status gpc_hierarchy_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                                  uint64_t token, gpc_busy *out_busy);
GPC_API gpc_status gpc_hierarchy_check_transactions(const gpc_hierarchy *hierarchy, const gpc_request *requests,
                                                    uint32_t count, gpc_error *error);

GPC_END_DECLS

#endif
