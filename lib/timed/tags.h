/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_TAGS_H
#define GPC_TIMED_TAGS_H

#include "timed/watch.h"

/*
 * The first packet of a queue at a stage's tags. It leaves the queue before it passes, for it may enter another there,
 * and counts as in it until it has passed.
 */

/* Returns who is behind it. */
GPCI_INLINE uint32_t gpci_tags_take(const gpci_timed *t, gpci_queue *queue) {
    return queue->first = t->pool.links[queue->first].next;
}

/* It is held up, and first in its queue again, before `next`. */
GPCI_INLINE void gpci_tags_put_back(gpci_timed *t, const gpci_stage *stage, gpci_queue *queue, uint32_t packet,
                                    uint32_t next, const gpci_tag_access *access) {
    gpci_see_blocked(t, stage, gpci_packet_at(&t->pool, packet), access);
    t->pool.links[packet].next = next;
    queue->first = packet;
}

/* A packet has passed, and the tags are the next one's. */
GPCI_INLINE void gpci_tags_free(gpci_stage *stage, gpci_tag_access *access, uint64_t now) {
    gpci_stage_unblock(stage, access, now);
    access->looked = false;
}

/* It has passed, and is out of its queue. */
GPCI_INLINE void gpci_tags_passed(gpci_stage *stage, gpci_queue *queue, gpci_tag_access *access, uint64_t now) {
    gpci_gauge_set(&queue->gauge, now, --queue->count);
    gpci_tags_free(stage, access, now);
}

#endif
