/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_host.h"

/*
 * Invalidations without acknowledgement (GPC_PROTOCOL_INVALIDATES), and markers. The target informs the caches in its
 * directory that their copies are stale, and continues without waiting. An informed cache drops the block, and informs
 * the caches in its own directory.
 *
 * The directory lists the middle caches that have read the block. When a requester's bytes are stored in the target's
 * block, the target informs all listed caches except the requester, which has the bytes. When the target's block
 * leaves, the target informs all listed caches, because the list leaves with the block. An informed cache is no longer
 * listed.
 *
 * An invalidation is an access of its own, like a neighbour (engine_fetch.c). If the informed cache has the block
 * locked, the data on the way to the cache may be stale: the invalidation waits for the unlock, then drops the block.
 * The invalidation holds no lock while it waits, and only markers wait for the invalidation.
 *
 * A marker of a release goes from the first-level module down to all low modules, and through middle caches further
 * down. Every module below sends markers up to the middle caches that the module may have informed, except the cache
 * that the marker came from (the cache's processors already see the data). In a middle cache, the marker waits until
 * all invalidations that the sender sent before the marker are done; then the marker goes further up, if there are more
 * levels. Invalidations have numbers, so messages need not stay in order.
 *
 * Example, hmg, L1s over near halves a0 and b0 of the L2s of two GPUs, and home halves a1 and b1. A page of l1-0 has
 * its home in b1, which c0, the near half of another GPU, has also read:
 *   l1-0 stores    WRITE_THROUGH to a0, then b1; b1 sends c0 INVALIDATION 7, and an ACK
 *   l1-0 releases  MARKER to a0 and a1; a0 to b1; b1 to c0, behind number 7. c0 answers when 7 is done, then b1, a0,
 *                  and a1 (after its own copies answered); the release ends
 */

/* Invalidations. */

static gpci_tree_copies copies_of(const gpci_module *target, const gpci_tree_notification *notified) {
    return (gpci_tree_copies){.block = notified->block,
                              .except = notified->except,
                              .first = notified->first >> target->sub_shift << target->sub_shift,
                              .last = notified->last};
}

/* Invalidate the informed cache's copy. */
static void drop_notified(gpc_coherence *coherence, gpci_module *probed, uint32_t block, uint64_t at) {
    const gpc_protocol_rule rule = gpci_tree_rule(coherence, probed, probed->states[block], GPC_EVENT_WRITE_PROBE);
    probed->stats.invalidations++;
    gpci_tree_set_state(coherence, probed, block, 0, rule.next, GPC_ORIGIN_WRITE_DOWN_UP, at);
}

static void tell(gpci_engine *engine, uint32_t inflight, const gpci_module *target, uint32_t x, uint64_t tag) {
    uint32_t task;
    gpci_task *invalidation = gpci_internal_begin(engine, inflight, tag, 1, target->index, x, &task);
    invalidation->sort = GPCI_TASK_TOLD;
    invalidation->number = (uint32_t)engine->neighbours;
    invalidation->behind = engine->units[x].notified;
    engine->units[x].notified = task;
    gpci_step_in(engine, task, GPCI_STEP_tell_send, 0);
}

void gpci_notify_copies(gpci_engine *engine, uint32_t task, gpci_module *target,
                        const gpci_tree_notification *notified) {
    const uint32_t inflight = gpci_task_at(engine, task)->inflight;
    if (engine->alone)
        gpci_trail_start(engine, task);
    gpci_tree_copies copies = copies_of(target, notified);
    for (uint64_t tag; gpci_tree_next_copy(engine->tree, target, &copies, &tag);)
        tell(engine, inflight, target, copies.module, tag);
}

/* Send an INVALIDATION to the informed cache. The task is no probe (`down`), because a probe would pass locks. */
void gpci_step_tell_send(gpci_engine *engine, uint32_t task) {
    gpci_message message =
        gpci_request_message(engine, task, GPC_MESSAGE_INVALIDATION, GPCI_STEP_tell_come, GPCI_STEP_tell_send);
    message.low = message.from;
    gpci_send(engine, &message);
}

void gpci_step_tell_come(gpci_engine *engine, uint32_t task) {
    const gpci_task *invalidation = gpci_task_at(engine, task);
    gpci_find_begin(engine, task,
                    &(gpci_look){.address = invalidation->address,
                                 .module = invalidation->module,
                                 .resumes = GPCI_STEP_tell_found,
                                 .blocking = true,
                                 .goes_first = true});
}

static void take_out(const gpci_engine *engine, uint32_t task) {
    const gpci_task *invalidation = gpci_task_at(engine, task);
    uint32_t *at = &engine->units[invalidation->module].notified;
    while (*at != task)
        at = &gpci_task_at(engine, *at)->behind;
    *at = invalidation->behind;
}

void gpci_step_tell_found(gpci_engine *engine, uint32_t task) {
    const gpci_task *invalidation = gpci_task_at(engine, task);
    gpci_module *probed = gpci_task_module(engine, invalidation);
    if (!invalidation->missing) {
        const gpci_tree_notification all = {.block = invalidation->block, .last = UINT64_MAX};
        gpci_engine_notify(engine, task, probed, &all);
        invalidation = gpci_task_at(engine, task);
        drop_notified(engine->tree, probed, invalidation->block, engine->now);
        gpci_unlock(engine, probed->index, invalidation->block);
    }
    take_out(engine, task);
    gpci_wake(engine, &engine->units[probed->index].notified_waiters, 0);
    gpci_internal_end(engine, task);
}

/* Markers. */

/* True for a module to which a module below may send INVALIDATIONs. */
static bool is_notified(const gpci_engine *engine, uint32_t module) {
    return gpci_module_at(engine->tree, module)->place == GPCI_PLACE_BETWEEN;
}

static void mark(gpci_engine *engine, uint32_t parent, gpci_step resumes, uint32_t from, uint32_t module) {
    uint32_t task;
    gpci_task *message =
        gpci_task_begin(engine, parent, resumes, from, module, gpci_task_at(engine, parent)->address, &task);
    message->sort = GPCI_TASK_TOLD;
    message->down = gpci_module_at(engine->tree, module)->level < gpci_module_at(engine->tree, from)->level;
    gpci_task_at(engine, parent)->pending++;
    gpci_step_in(engine, task, GPCI_STEP_mark_send, 0);
}

void gpci_mark_from(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    const gpci_task *message = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, message);
    const uint32_t from = message->from;
    const bool down = message->down;
    for (uint32_t i = 0; i < module->above_count; i++)
        if (module->above[i] != from && is_notified(engine, module->above[i]))
            mark(engine, task, resumes, module->index, module->above[i]);
    for (uint32_t i = 0; !down && i < module->given.low_count && module->place <= GPCI_PLACE_BETWEEN; i++)
        mark(engine, task, resumes, module->index, module->given.low[i]);
}

void gpci_step_mark_send(gpci_engine *engine, uint32_t task) {
    gpci_task_at(engine, task)->number = (uint32_t)engine->neighbours;
    const gpci_message message =
        gpci_request_message(engine, task, GPC_MESSAGE_MARKER, GPCI_STEP_mark_come, GPCI_STEP_mark_send);
    gpci_send(engine, &message);
}

/* True if an INVALIDATION that the marker's sender sent before the marker is still in progress in the module. */
static bool is_behind(const gpci_engine *engine, const gpci_task *message) {
    for (uint32_t at = engine->units[message->module].notified; at != GPCI_NO_ITEM;
         at = gpci_task_at(engine, at)->behind)
        if (gpci_task_at(engine, at)->from == message->from &&
            gpci_was_notified_before(gpci_task_at(engine, at), message))
            return true;
    return false;
}

void gpci_step_mark_come(gpci_engine *engine, uint32_t task) {
    gpci_task *message = gpci_task_at(engine, task);
    if (message->down && is_behind(engine, message)) {
        gpci_due_queue_join(&engine->waiters, &engine->units[message->module].notified_waiters,
                            (gpci_due){task, GPCI_STEP_mark_come});
        return;
    }
    message->pending = 1;
    gpci_mark_from(engine, task, GPCI_STEP_mark_joined);
    gpci_step_mark_joined(engine, task);
}

void gpci_step_mark_joined(gpci_engine *engine, uint32_t task) {
    if (!--gpci_task_at(engine, task)->pending)
        gpci_then(engine, task, GPCI_STEP_mark_reply);
}

void gpci_step_mark_reply(gpci_engine *engine, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(engine, task, GPC_MESSAGE_ACK, GPCI_STEP_mark_replied, GPCI_STEP_mark_reply);
    gpci_send(engine, &message);
}

void gpci_step_mark_replied(gpci_engine *engine, uint32_t task) {
    gpci_task_end(engine, task);
}
