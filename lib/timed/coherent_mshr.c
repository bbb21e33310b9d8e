/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

/*
 * MSHR entries of a coherent slice (l2.mshr_entries). A request for which the slice asks memory has one from its lookup
 * until its reply is sent, or until it is refused. A request that only waits for a blocked line has none.
 *
 * Requests pass the tags in order: where no entry is free, the first request that needs one waits, and all requests
 * behind it (`returned` is their queue). Replies, probes and write-backs go past them.
 *
 * Why there is no deadlock, however few entries there are: a request that waits here has blocked no line of the slice,
 * at most one of a cluster. A request with an entry waits only for lines of the slice or its memory, which are blocked
 * by requests that have passed already, and for probes, write-backs and replies, which never wait here or for a
 * cluster's line. So requests with entries complete, and free them.
 *
 * Example, one entry: loads of lines A and B that memory has, and C that the slice has. A takes the entry; B waits, and
 * C behind it; when A's data are sent, B takes the entry and C passes the tags a cycle later.
 */

static bool is_request(const gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    if (stage->level != 2 || gpci_packet_at(&t->pool, packet)->flags & GPCI_PACKET_REFUSED)
        return false;
    const gpci_coherent_step *s = gpci_coherent_step_of(t, packet);
    return s->kind <= GPC_MESSAGE_WRITE_REQUEST && gpci_is_slice(t->h->coherent, s->to);
}

/* Does it need an entry, and is none free? */
static bool lacks(const gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    return gpci_coherent_step_of(t, packet)->asks_memory && stage->mshr.used[0] >= stage->options->entries;
}

void gpci_coherent_mshr_mark(const gpci_timed *t, gpci_coherent_transaction *x) {
    const gpci_coherent *c = t->h->coherent;
    for (uint32_t i = 1; c->l2 && i < x->count; i++) {
        const gpci_coherent_step *asked = &x->steps[i]; /* by a slice, of memory */
        if (asked->kind > GPC_MESSAGE_WRITE_REQUEST || !gpci_is_memory(c, asked->to))
            continue;
        uint64_t line = gpci_l2_line(t, asked->address);
        for (uint32_t j = i; j-- > 0;) {
            gpci_coherent_step *s = &x->steps[j];
            s->asks_memory |=
                s->kind <= GPC_MESSAGE_WRITE_REQUEST && s->to == asked->from && gpci_l2_line(t, s->address) == line;
        }
    }
}

bool gpci_coherent_mshr_stall(gpci_timed *t, gpci_stage *stage, gpci_queue *queue) {
    uint32_t packet = queue->first;
    if (!is_request(t, stage, packet) || (!stage->returned.count && !lacks(t, stage, packet)))
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

void gpci_coherent_mshr_allocate(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    gpci_coherent_step *s = gpci_coherent_step_of(t, packet);
    if (!s->asks_memory || s->has_mshr || !is_request(t, stage, packet))
        return;
    s->has_mshr = true;
    gpci_see(t, GPC_WHAT_MSHR_ALLOCATE, stage, gpci_packet_at(&t->pool, packet), 0);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, ++stage->mshr.used[0]);
}

void gpci_coherent_mshr_free(gpci_timed *t, gpci_coherent_step *s) {
    if (!s->has_mshr)
        return;
    gpci_stage *stage = gpci_coherent_stage_of(t, s->to, s->address);
    s->has_mshr = false;
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, --stage->mshr.used[0]);
    if (stage->returned.count)
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now);
}
