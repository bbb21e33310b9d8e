/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"

/*
 * Invalidations without acknowledgement (GPC_PROTOCOL_INVALIDATES), and markers: T informs the caches it lists that
 * their copies are stale, and continues. A cache that has the block drops it, and informs the caches it lists itself.
 *
 * Listed: a middle cache that has read the block. Informed: when R's bytes are stored in T's block, all listed caches
 * except R, which has the bytes; when T's block leaves, all, because T would forget them. Informed caches are no longer
 * listed.
 *
 * An invalidation is an access of its own, like a neighbour (engine_fetch.c). If X has the block locked, the data
 * being brought may be stale: the invalidation waits for them, then drops the block. It holds no lock meanwhile, and
 * only markers wait for it.
 *
 * A marker of a release goes from the first-level module down to all low modules, and through middle caches further
 * down. From every module below, markers go up to the middle caches the module may have invalidated, except the one the
 * marker came from (its processors already see its data). There the marker waits until the invalidations sent by that
 * module before the marker are done, and goes further up if there are more levels. Invalidations have numbers, so no
 * order of messages is required.
 *
 * Example, hmg, L1s over near halves a0 and b0 of the L2s of two GPUs, and home halves a1 and b1. A page of l1-0 has
 * its home in b1, which c0, the near half of another GPU, has also read:
 *   l1-0 stores    WRITE_THROUGH to a0, then b1; b1 sends c0 INVALIDATION 7, and an ACK
 *   l1-0 releases  MARKER to a0 and a1; a0 to b1; b1 to c0, behind number 7. c0 answers when 7 is done, then b1, a0,
 *                  and a1 (after its own copies answered); the release ends
 */

/* Invalidations. */

static gpci_tree_copies copies_of(const gpci_module *t, const gpci_tree_notification *notified) {
    return (gpci_tree_copies){.block = notified->block,
                              .except = notified->except,
                              .first = notified->first >> t->sub_shift << t->sub_shift,
                              .last = notified->last};
}

/* Invalidate X's copy. */
static void drop_notified(gpc_coherence *c, gpci_module *x, uint32_t block, uint64_t at) {
    const gpc_protocol_rule rule = gpci_tree_rule(c, x, x->states[block], GPC_EVENT_WRITE_PROBE);
    x->stats.invalidations++;
    gpci_tree_set_state(c, x, block, 0, rule.next, GPC_ORIGIN_WRITE_DOWN_UP, at);
}

static void tell(gpci_engine *e, uint32_t inflight, const gpci_module *t, uint32_t x, uint64_t tag) {
    uint32_t task;
    gpci_task *i = gpci_side_begin(e, inflight, tag, 1, t->index, x, &task);
    i->sort = GPCI_TASK_TOLD;
    i->number = (uint32_t)e->neighbours;
    i->behind = e->units[x].notified;
    e->units[x].notified = task;
    gpci_step_in(e, task, GPCI_STEP_tell_send, 0);
}

void gpci_notify_copies(gpci_engine *e, uint32_t task, gpci_module *t, const gpci_tree_notification *notified) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    if (e->alone)
        gpci_trail_start(e, task);
    gpci_tree_copies copies = copies_of(t, notified);
    for (uint64_t tag; gpci_tree_next_copy(e->tree, t, &copies, &tag);)
        tell(e, inflight, t, copies.module, tag);
}

/* Not sent as a probe: a probe would pass locks. */
void gpci_step_tell_send(gpci_engine *e, uint32_t task) {
    gpci_message message =
        gpci_request_message(e, task, GPC_MESSAGE_INVALIDATION, GPCI_STEP_tell_come, GPCI_STEP_tell_send);
    message.low = message.from;
    gpci_send(e, &message);
}

void gpci_step_tell_come(gpci_engine *e, uint32_t task) {
    const gpci_task *i = gpci_task_at(e, task);
    gpci_find_begin(e, task,
                    &(gpci_look){.address = i->address,
                                 .module = i->module,
                                 .resumes = GPCI_STEP_tell_found,
                                 .blocking = true,
                                 .goes_first = true});
}

static void take_out(const gpci_engine *e, uint32_t task) {
    const gpci_task *i = gpci_task_at(e, task);
    uint32_t *at = &e->units[i->module].notified;
    while (*at != task)
        at = &gpci_task_at(e, *at)->behind;
    *at = i->behind;
}

void gpci_step_tell_found(gpci_engine *e, uint32_t task) {
    const gpci_task *i = gpci_task_at(e, task);
    gpci_module *x = gpci_task_module(e, i);
    if (!i->missing) {
        const gpci_tree_notification all = {.block = i->block, .last = UINT64_MAX};
        gpci_engine_notify(e, task, x, &all);
        i = gpci_task_at(e, task);
        drop_notified(e->tree, x, i->block, e->now);
        gpci_unlock(e, x->index, i->block);
    }
    take_out(e, task);
    gpci_wake(e, &e->units[x->index].notified_waiters, 0);
    gpci_side_end(e, task);
}

/* Markers. */

/* True for modules that a module below may invalidate. */
static bool is_notified(const gpci_engine *e, uint32_t module) {
    return gpci_module_at(e->tree, module)->place == GPCI_PLACE_BETWEEN;
}

static void mark(gpci_engine *e, uint32_t parent, gpci_step resumes, uint32_t from, uint32_t module) {
    uint32_t task;
    gpci_task *m = gpci_task_begin(e, parent, resumes, from, module, gpci_task_at(e, parent)->address, &task);
    m->sort = GPCI_TASK_TOLD;
    m->down = gpci_module_at(e->tree, module)->level < gpci_module_at(e->tree, from)->level;
    gpci_task_at(e, parent)->pending++;
    gpci_step_in(e, task, GPCI_STEP_mark_send, 0);
}

void gpci_mark_from(gpci_engine *e, uint32_t task, gpci_step resumes) {
    const gpci_task *m = gpci_task_at(e, task);
    const gpci_module *at = gpci_task_module(e, m);
    const uint32_t from = m->from;
    const bool down = m->down;
    for (uint32_t i = 0; i < at->above_count; i++)
        if (at->above[i] != from && is_notified(e, at->above[i]))
            mark(e, task, resumes, at->index, at->above[i]);
    for (uint32_t i = 0; !down && i < at->given.low_count && at->place <= GPCI_PLACE_BETWEEN; i++)
        mark(e, task, resumes, at->index, at->given.low[i]);
}

void gpci_step_mark_send(gpci_engine *e, uint32_t task) {
    gpci_task_at(e, task)->number = (uint32_t)e->neighbours;
    const gpci_message message =
        gpci_request_message(e, task, GPC_MESSAGE_MARKER, GPCI_STEP_mark_come, GPCI_STEP_mark_send);
    gpci_send(e, &message);
}

/* True if an earlier INVALIDATION from the same sender is still in progress at the module. */
static bool is_behind(const gpci_engine *e, const gpci_task *m) {
    for (uint32_t at = e->units[m->module].notified; at != GPCI_NO_ITEM; at = gpci_task_at(e, at)->behind)
        if (gpci_task_at(e, at)->from == m->from && gpci_was_notified_before(gpci_task_at(e, at), m))
            return true;
    return false;
}

void gpci_step_mark_come(gpci_engine *e, uint32_t task) {
    gpci_task *m = gpci_task_at(e, task);
    if (m->down && is_behind(e, m)) {
        gpci_due_queue_join(&e->waiters, &e->units[m->module].notified_waiters, (gpci_due){task, GPCI_STEP_mark_come});
        return;
    }
    m->pending = 1;
    gpci_mark_from(e, task, GPCI_STEP_mark_joined);
    gpci_step_mark_joined(e, task);
}

void gpci_step_mark_joined(gpci_engine *e, uint32_t task) {
    if (!--gpci_task_at(e, task)->pending)
        gpci_then(e, task, GPCI_STEP_mark_reply);
}

void gpci_step_mark_reply(gpci_engine *e, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(e, task, GPC_MESSAGE_ACK, GPCI_STEP_mark_replied, GPCI_STEP_mark_reply);
    gpci_send(e, &message);
}

void gpci_step_mark_replied(gpci_engine *e, uint32_t task) {
    gpci_task_end(e, task);
}
