/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

/*
 * MSHR entries of a coherent slice (l2.mshr_entries). A request that the slice can only serve by asking memory has one
 * from its lookup until its reply is sent, a refusal or not. A request that waits for a locked block has none
 * meanwhile.
 *
 * Requests pass the tags in order: where no entry is free, the first request that needs one waits, and all requests
 * behind it (`returned` is their queue). Replies, probes and write-backs go past them; so do requests that are to be
 * refused where they would have to wait (gpci_task.forwarded). With coherence.conflict = retry none waits here: it is
 * refused.
 *
 * Why there is no deadlock, however few entries there are: a request that waits here has not been served, so probes
 * pass the locks that its access holds nearer to the processors (coherence/controller_find.c), and none of the slice. A
 * request with an entry waits for memory, whose locks are held by such requests and write-backs alone, and for probes
 * and write-backs, which never wait here. So requests with entries complete, and free them.
 *
 * Near halves of slices share these entries, and leave one; their requests wait in the controller, by themselves, so
 * that none of the home half is behind one (level/coherent_level.h).
 *
 * Example, one entry: loads of lines A and B that memory has, and C that the slice has. A takes the entry; B waits, and
 * C behind it; when A's data are sent, B takes the entry and C passes the tags a cycle later.
 */

static bool has_room(const gpci_stage *stage) {
    return stage->mshr.used[0] < stage->options->entries;
}

/* Requests of near halves, which wait for others' slices, leave an entry to those of lines that are at home. */
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

/* Does it need an entry, and is none free? */
static bool lacks(const gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    const gpci_packet_message *m = &gpci_packet_at(&t->pool, packet)->message;
    return !has_room(stage) && gpci_controllers_asks_below(gpci_controllers_of(t), m->task, (gpci_step)m->step);
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
    if (!has_room_for(t, stage, task->module))
        return false;
    task->mshr = true;
    gpci_see_entry(t, GPC_WHAT_MSHR_ALLOCATE, number);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, ++stage->mshr.used[0]);
    return true;
}

void gpci_coherent_mshr_free(void *timed, uint32_t number) {
    gpci_timed *t = timed;
    gpci_task *task = gpci_task_at(gpci_controllers_of(t), number);
    gpci_stage *stage = gpci_coherent_stage_of(t, task->module);
    task->mshr = false;
    gpci_see_entry(t, GPC_WHAT_MSHR_FREE, number);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, --stage->mshr.used[0]);
    const gpci_coherent *c = t->h->coherent;
    const uint32_t slice = gpci_slice_number(c, task->module);
    gpci_controllers_entry_free(gpci_controllers_of(t), c->first_slice + slice);
    if (GPCI_UNLIKELY(gpci_near_of(c, slice) != GPC_NO_MODULE))
        gpci_controllers_entry_free(gpci_controllers_of(t), gpci_near_of(c, slice));
    if (stage->returned.count)
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now);
}
