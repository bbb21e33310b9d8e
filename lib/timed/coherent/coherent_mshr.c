/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/event_log_coherent.h"

/*
 * MSHR entries of a coherent slice (l2.mshr_entries). A request that must ask memory has an entry from the lookup until
 * the reply (or refusal) is sent. While a request waits for a locked block, it has none.
 *
 * Requests pass the tags in order: if no entry is free, the first request that needs one waits, and all requests behind
 * it wait too (in queue `returned`). Replies, probes and write-backs pass them; so do requests that would be refused
 * instead of waiting (gpci_task.forwarded). With coherence.conflict = retry a request is refused instead. Requests for
 * sectors of a line share an entry.
 *
 * No deadlock, for any number of entries: a waiting request is not served, so probes pass the locks of the access
 * nearer to the processors (coherence/requests/engine_find.c), and it holds no lock in the slice. A request with an
 * entry waits for memory, whose locks are held only by such requests and write-backs, and for probes and write-backs,
 * which never wait here. So requests with entries complete, and free them.
 *
 * Near halves of slices share the entries and leave one free. Their requests wait in the controller, so that no request
 * of the home half is behind one (level/coherent/coherent_level.h).
 *
 * Example, one entry: loads of lines A and B that memory has, and C that the slice has. A takes the entry; B waits, and
 * C behind it. When A's data are sent, B takes the entry, and C passes the tags a cycle later.
 */

static bool has_room(const gpci_ctrl *ctrl) {
    return ctrl->mshr.used[0] < ctrl->options->entries;
}

/* Requests of near halves wait for other slices, and leave an entry for lines at home. */
static bool has_room_for(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t module) {
    const uint32_t kept = gpci_is_near(timed->hierarchy->coherent, module) ? 1 : 0;
    return ctrl->mshr.used[0] + kept < ctrl->options->entries;
}

static bool is_request(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    return gpci_engine_of(timed)->waits && ctrl->level == 2 &&
           (pkt->message.step == GPCI_STEP_read_come || pkt->message.step == GPCI_STEP_write_come) &&
           gpci_is_slice(timed->hierarchy->coherent, pkt->message.module) && !gpci_message_task(timed, pkt)->down &&
           !gpci_message_task(timed, pkt)->forwarded;
}

/* Head of the list of requests with entries for a line, if sectors share entries. */
static uint32_t *line_of(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address) {
    const uint64_t hash = address / timed->bundle_line * 0x9e3779b97f4a7c15u >> 32;
    return &ctrl->mshr.buckets[hash & ctrl->mshr.mask].mshr_entry;
}

/* True if another request for the line has an entry, in the same half of the slice. */
static bool is_shared(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_task *task) {
    if (GPCI_LIKELY(!timed->bundle_line))
        return false;
    const gpci_engine *engine = gpci_engine_of(timed);
    for (uint32_t i = *line_of(timed, ctrl, task->address); i != GPCI_NO_ITEM;
         i = gpci_task_at(engine, i)->next_of_line) {
        const gpci_task *other = gpci_task_at(engine, i);
        if (other->module == task->module && (other->address ^ task->address) < timed->bundle_line)
            return true;
    }
    return false;
}

static void list(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number) {
    gpci_task *task = gpci_task_at(gpci_engine_of(timed), number);
    if (GPCI_LIKELY(!timed->bundle_line))
        return;
    uint32_t *first = line_of(timed, ctrl, task->address);
    task->next_of_line = *first;
    *first = number;
}

static void strike_out(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number) {
    const gpci_engine *engine = gpci_engine_of(timed);
    if (GPCI_LIKELY(!timed->bundle_line))
        return;
    uint32_t *at = line_of(timed, ctrl, gpci_task_at(engine, number)->address);
    while (*at != number)
        at = &gpci_task_at(engine, *at)->next_of_line;
    *at = gpci_task_at(engine, number)->next_of_line;
}

/* True if a request of a packet needs an entry and no entry is free. */
static bool lacks(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet) {
    if (has_room(ctrl))
        return false;
    for (const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);;
         pkt = gpci_packet_at(&timed->pool, gpci_bundle_next(pkt))) {
        const gpci_packet_message *message = &pkt->message;
        if (gpci_engine_asks_below(gpci_engine_of(timed), message->task, (gpci_step)message->step) &&
            !is_shared(timed, ctrl, gpci_message_task(timed, pkt)))
            return true;
        if (GPCI_LIKELY(!(pkt->flags & GPCI_PACKET_BUNDLE)))
            return false;
    }
}

bool gpci_coherent_mshr_stall(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue) {
    const uint32_t packet = queue->first;
    if (!is_request(timed, ctrl, gpci_packet_at(&timed->pool, packet)) ||
        (!ctrl->returned.count && !lacks(timed, ctrl, packet)))
        return false;
    gpci_queue_pop(queue, &timed->pool, timed->wheel.now);
    if (!ctrl->returned.count)
        gpci_ctrl_block(ctrl, &ctrl->tag_access[0], timed->wheel.now, GPC_BUSY_MSHR);
    gpci_log_blocked(timed, ctrl, gpci_packet_at(&timed->pool, packet), &ctrl->tag_access[0]);
    gpci_queue_push(&ctrl->returned, &timed->pool, timed->wheel.now, packet);
    return true;
}

bool gpci_coherent_mshr_is_stalled(gpci_timed *timed, gpci_ctrl *ctrl) {
    if (!lacks(timed, ctrl, ctrl->returned.first)) {
        gpci_ctrl_unblock(ctrl, &ctrl->tag_access[0], timed->wheel.now);
        return false;
    }
    gpci_ctrl_block(ctrl, &ctrl->tag_access[0], timed->wheel.now, GPC_BUSY_MSHR);
    gpci_log_blocked(timed, ctrl, gpci_packet_at(&timed->pool, ctrl->returned.first), &ctrl->tag_access[0]);
    return true;
}

bool gpci_coherent_mshr_allocate(void *timed, uint32_t number) {
    gpci_timed *t = timed;
    gpci_task *task = gpci_task_at(gpci_engine_of(t), number);
    if (!gpci_is_slice(t->hierarchy->coherent, task->module) && !gpci_is_near(t->hierarchy->coherent, task->module))
        return true;
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(t, task->module);
    const bool shared = is_shared(t, ctrl, task);
    if (!shared && !has_room_for(t, ctrl, task->module))
        return false;
    task->mshr = true;
    list(t, ctrl, number);
    gpci_log_entry(t, GPC_WHAT_MSHR_ALLOCATE, number);
    ctrl->mshr.used[0] += !shared;
    gpci_gauge_set(&ctrl->mshr.gauge, t->wheel.now, ctrl->mshr.used[0]);
    return true;
}

void gpci_coherent_mshr_free(void *timed, uint32_t number) {
    gpci_timed *t = timed;
    gpci_task *task = gpci_task_at(gpci_engine_of(t), number);
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(t, task->module);
    task->mshr = false;
    gpci_log_entry(t, GPC_WHAT_MSHR_FREE, number);
    strike_out(t, ctrl, number);
    ctrl->mshr.used[0] -= !is_shared(t, ctrl, task);
    gpci_gauge_set(&ctrl->mshr.gauge, t->wheel.now, ctrl->mshr.used[0]);
    const gpci_coherent *coherent = t->hierarchy->coherent;
    const uint32_t slice = gpci_slice_number(coherent, task->module);
    gpci_engine_entry_free(gpci_engine_of(t), coherent->first_slice + slice);
    if (GPCI_UNLIKELY(gpci_near_of(coherent, slice) != GPC_NO_MODULE))
        gpci_engine_entry_free(gpci_engine_of(t), gpci_near_of(coherent, slice));
    if (ctrl->returned.count)
        gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
}
