/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HOST_H
#define GPUCACHE_HOST_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/* Settings of a hierarchy for a host with its own SMs: reply credits, ages of warps, coalesced instructions. */

/*
 * Reply credits. A host's queue of replies is finite. With a clock the host may grant credits per SM. Every on_complete
 * of the SM takes a credit, for every kind of completion (an access, a fence, gpc_hierarchy_try_miss), except a
 * completion within gpc_hierarchy_try_issue. An SM without credits holds its replies back, in order. While a reply is
 * held:
 *   - nothing passes L1's tags: issued accesses wait, and are refused when l1.queue is full (GPC_BUSY_REPLY);
 *   - L1's fill port takes nothing: replies wait in the output buffer of the reply network. When the buffer is full,
 *     replies of other SMs wait too, and then L2's reply queues. In a tree of coherent modules the fill port continues,
 *     because messages that other modules wait for take the same path.
 * Replies of a single fill, and hits that had passed the tags, are held together: their places are L1's output. Entries
 * of L1's miss queue continue. A held store is not done for a later fence.
 *
 * Example, a response queue of eight: set 8 credits, and add 1 for every reply taken out of the queue.
 *
 *   GPC_UNLIMITED_CREDITS            no limit: the initial value of every SM
 *   gpc_hierarchy_set_reply_credits  set the number of credits
 *   gpc_hierarchy_add_reply_credits  add credits
 *   gpc_hierarchy_reply_credits      number of credits left; 0 also for NULL, for an unknown SM, and without a clock
 * The functions take effect in the next cycle; if replies wait, gpc_hierarchy_next_event returns this cycle. Credits
 * are part of a snapshot. Cycles with held replies count in l1.reply_stalls. Return GPC_OK; GPC_ERROR_ARGUMENT (NULL,
 * unknown SM); GPC_ERROR_STATE (no clock; a replay's SMs; _add without a limit); GPC_ERROR_RANGE (_add: more than
 * GPC_UNLIMITED_CREDITS - 1 in total). Not from within a callback. Since: 0.2.
 */
#define GPC_UNLIMITED_CREDITS UINT64_MAX
GPC_API gpc_status gpc_hierarchy_set_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits);
GPC_API gpc_status gpc_hierarchy_add_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits);
GPC_API uint64_t gpc_hierarchy_reply_credits(const gpc_hierarchy *hierarchy, uint32_t sm);

/*
 * Ages of warps. Either the host sets gpc_warp_access.warp_age, or the library ranks the warps of every SM by the
 * reported starts (gpc_hierarchy_warp_event): the oldest warp that has not exited is 0, the next is 1, as in a replay
 * with a clock.
 *   on  true: from now on `warp_age` of accesses is ignored. Accesses of a warp that has not started, or that has
 *       exited, are refused (GPC_ERROR_ARGUMENT; gpc_hierarchy_check_access gives the reason). A start of a running
 *       warp, and an exit of a warp that does not run, are refused too. If the warp of a gpc_hierarchy_try_miss request
 *       does not run, the request keeps its age, because L1's requests may outlive the warp. false: the host sets ages,
 *       and known warps are forgotten.
 * Warps are slots of an SM, below 65536. Works in either mode; part of a snapshot. Off by default, without cost.
 * Returns GPC_OK (also without a change); GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (the hierarchy belongs to a
 * replay, which ranks its own warps); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_rank_warps(gpc_hierarchy *hierarchy, bool on, gpc_error *error);

/*
 * Offer a warp instruction that the host has coalesced: as gpc_hierarchy_try_issue, with line transactions instead of
 * lanes. The transactions pass L1's tags unchanged and in order; `l1.coalescer` has no effect. Either all transactions
 * are accepted or none. They take a single place of `l1.queue`, and complete together, when the last is done. Therefore
 * a host's token (for example a pointer to its instruction) comes back with the completion, and the host needs no
 * look-up.
 *   requests  [count], transactions of a single instruction with equal fields pc, sm, warp, warp_age, block, kind,
 *             space (GLOBAL or LOCAL), hint, priority, token, token_l2, scope, order, stream, copy (no BULK). A
 *             transaction is of a line of l1.line, or without L1 of l2.line. sector_mask, size or a store's byte_mask
 *             select the bytes, as in gpc_request; a load may have a byte_mask too, for the counters of bytes used. The
 *             library sets cycle, transactions, bytes_used, kernel, and `continues`, which must be 0: if a transaction
 *             has the line of the transaction before, the library treats it as a further sector, no reuse for policies
 *   count     1 to GPC_MAX_TRANSACTIONS
 * The instruction is counted without threads: see gpc_hierarchy_count_instructions. Atomics are serialised by the words
 * that they touch. Prefetchers get the first address as lane 0's address. gpc_hierarchy_can_accept reports room. A
 * recording (record.h) ends, because recorded instructions have lanes.
 * Return as gpc_hierarchy_try_issue; GPC_ERROR_ARGUMENT for faults named by gpc_hierarchy_check_transactions;
 * GPC_ERROR_UNSUPPORTED with coherence.data and in trees of coherent modules; GPC_ERROR_STATE (no clock). Since: 0.2.
 */
#define GPC_MAX_TRANSACTIONS 192u
GPC_API gpc_status gpc_hierarchy_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                                  uint64_t token, gpc_busy *out_busy);
GPC_API gpc_status gpc_hierarchy_check_transactions(const gpc_hierarchy *hierarchy, const gpc_request *requests,
                                                    uint32_t count, gpc_error *error);

GPC_END_DECLS

#endif
