/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/watch_coherent.h"

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
 * nearer to the processors (coherence/requests/controller_find.c), and it holds no lock in the slice. A request with an
 * entry waits for memory, whose locks are held only by such requests and write-backs, and for probes and write-backs,
 * which never wait here. So requests with entries complete, and free them.
 *
 * Near halves of slices share the entries and leave one free. Their requests wait in the controller, so that no request
 * of the home half is behind one (level/coherent/coherent_level.h).
 *
 * Example, one entry: loads of lines A and B that memory has, and C that the slice has. A takes the entry; B waits, and
 * C behind it. When A's data are sent, B takes the entry, and C passes the tags a cycle later.
 */

static bool has_room(const gpci_stage *stage) {
    return stage->mshr.used[0] < stage->options->entries;
}

/* Requests of near halves wait for other slices, and leave an entry for lines at home. */
static bool has_room_for(const gpci_timed *t, const gpci_stage *stage, uint32_t module) {
    const uint32_t kept = gpci_is_near(t->h->coherent, module) ? 1 : 0;
    return stage->mshr.used[0] + kept < stage->options->entries;
}

static bool is_request(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *p) {
    return gpci_controllers_of(t)->waits && stage->level == 2 &&
           (p->message.step == GPCI_STEP_read_come || p->message.step == GPCI_STEP_write_come) &&
           gpci_is_slice(t->h->coherent, p->message.module) && !gpci_message_task(t, p)->down &&
           !gpci_message_task(t, p)->forwarded;
}

/* Head of the list of requests with entries for a line, if sectors share entries. */
static uint32_t *line_of(const gpci_timed *t, const gpci_stage *stage, uint64_t address) {
    const uint64_t hash = address / t->bundle_line * 0x9e3779b97f4a7c15u >> 32;
    return &stage->mshr.buckets[hash & stage->mshr.mask].leader;
}

/* True if another request for the line has an entry, in the same half of the slice. */
static bool is_shared(const gpci_timed *t, const gpci_stage *stage, const gpci_task *task) {
    if (GPCI_LIKELY(!t->bundle_line))
        return false;
    const gpci_controllers *e = gpci_controllers_of(t);
    for (uint32_t i = *line_of(t, stage, task->address); i != GPCI_NO_ITEM; i = gpci_task_at(e, i)->beside) {
        const gpci_task *other = gpci_task_at(e, i);
        if (other->module == task->module && (other->address ^ task->address) < t->bundle_line)
            return true;
    }
    return false;
}

static void list(const gpci_timed *t, const gpci_stage *stage, uint32_t number) {
    gpci_task *task = gpci_task_at(gpci_controllers_of(t), number);
    if (GPCI_LIKELY(!t->bundle_line))
        return;
    uint32_t *first = line_of(t, stage, task->address);
    task->beside = *first;
    *first = number;
}

static void strike_out(const gpci_timed *t, const gpci_stage *stage, uint32_t number) {
    const gpci_controllers *e = gpci_controllers_of(t);
    if (GPCI_LIKELY(!t->bundle_line))
        return;
    uint32_t *at = line_of(t, stage, gpci_task_at(e, number)->address);
    while (*at != number)
        at = &gpci_task_at(e, *at)->beside;
    *at = gpci_task_at(e, number)->beside;
}

/* True if a request of a packet needs an entry and no entry is free. */
static bool lacks(const gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    if (has_room(stage))
        return false;
    for (const gpci_packet *p = gpci_packet_at(&t->pool, packet);; p = gpci_packet_at(&t->pool, gpci_bundle_next(p))) {
        const gpci_packet_message *m = &p->message;
        if (gpci_controllers_asks_below(gpci_controllers_of(t), m->task, (gpci_step)m->step) &&
            !is_shared(t, stage, gpci_message_task(t, p)))
            return true;
        if (GPCI_LIKELY(!(p->flags & GPCI_PACKET_BUNDLE)))
            return false;
    }
}

bool gpci_coherent_mshr_stall(gpci_timed *t, gpci_stage *stage, gpci_queue *queue) {
    const uint32_t packet = queue->first;
    if (!is_request(t, stage, gpci_packet_at(&t->pool, packet)) || (!stage->returned.count && !lacks(t, stage, packet)))
        return false;
    gpci_queue_pop(queue, &t->pool, t->wheel.now);
    if (!stage->returned.count)
        gpci_stage_block(stage, &stage->tag_access[0], t->wheel.now, GPC_BUSY_MSHR);
    gpci_see_blocked(t, stage, gpci_packet_at(&t->pool, packet), &stage->tag_access[0]);
    gpci_queue_push(&stage->returned, &t->pool, t->wheel.now, packet);
    return true;
}

bool gpci_coherent_mshr_is_stalled(gpci_timed *t, gpci_stage *stage) {
    if (!lacks(t, stage, stage->returned.first)) {
        gpci_stage_unblock(stage, &stage->tag_access[0], t->wheel.now);
        return false;
    }
    gpci_stage_block(stage, &stage->tag_access[0], t->wheel.now, GPC_BUSY_MSHR);
    gpci_see_blocked(t, stage, gpci_packet_at(&t->pool, stage->returned.first), &stage->tag_access[0]);
    return true;
}

bool gpci_coherent_mshr_allocate(void *timed, uint32_t number) {
    gpci_timed *t = timed;
    gpci_task *task = gpci_task_at(gpci_controllers_of(t), number);
    if (!gpci_is_slice(t->h->coherent, task->module) && !gpci_is_near(t->h->coherent, task->module))
        return true;
    gpci_stage *stage = gpci_coherent_stage_of(t, task->module);
    const bool shared = is_shared(t, stage, task);
    if (!shared && !has_room_for(t, stage, task->module))
        return false;
    task->mshr = true;
    list(t, stage, number);
    gpci_see_entry(t, GPC_WHAT_MSHR_ALLOCATE, number);
    stage->mshr.used[0] += !shared;
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, stage->mshr.used[0]);
    return true;
}

void gpci_coherent_mshr_free(void *timed, uint32_t number) {
    gpci_timed *t = timed;
    gpci_task *task = gpci_task_at(gpci_controllers_of(t), number);
    gpci_stage *stage = gpci_coherent_stage_of(t, task->module);
    task->mshr = false;
    gpci_see_entry(t, GPC_WHAT_MSHR_FREE, number);
    strike_out(t, stage, number);
    stage->mshr.used[0] -= !is_shared(t, stage, task);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, stage->mshr.used[0]);
    const gpci_coherent *c = t->h->coherent;
    const uint32_t slice = gpci_slice_number(c, task->module);
    gpci_controllers_entry_free(gpci_controllers_of(t), c->first_slice + slice);
    if (GPCI_UNLIKELY(gpci_near_of(c, slice) != GPC_NO_MODULE))
        gpci_controllers_entry_free(gpci_controllers_of(t), gpci_near_of(c, slice));
    if (stage->returned.count)
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now);
}
