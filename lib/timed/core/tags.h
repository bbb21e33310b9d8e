/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_TAGS_H
#define GPC_TIMED_TAGS_H

#include "timed/core/event_log.h"

/*
 * The first packet of a queue at a controller's tags. The packet leaves the queue before passing, because it may enter
 * another queue there, and counts as in the queue until passed.
 */

/* Returns the next packet. */
GPCI_INLINE uint32_t gpci_tags_take(const gpci_timed *timed, gpci_queue *queue) {
    return queue->first = timed->pool.links[queue->first].next;
}

/* Put a held-up packet back as first of the queue, before `next`. */
GPCI_INLINE void gpci_tags_put_back(gpci_timed *timed, const gpci_ctrl *ctrl, gpci_queue *queue, uint32_t packet,
                                    uint32_t next, const gpci_tag_access *access) {
    gpci_log_blocked(timed, ctrl, gpci_packet_at(&timed->pool, packet), access);
    timed->pool.links[packet].next = next;
    queue->first = packet;
}

/* A packet has passed; the tags are free for the next. */
GPCI_INLINE void gpci_tags_free(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now) {
    gpci_ctrl_unblock(ctrl, access, now);
    access->looked = false;
}

/* A packet has passed, and is out of the queue. */
GPCI_INLINE void gpci_tags_passed(gpci_ctrl *ctrl, gpci_queue *queue, gpci_tag_access *access, uint64_t now) {
    gpci_gauge_go(&queue->gauge, now, 1);
    gpci_gauge_set(&queue->gauge, now, --queue->count);
    gpci_tags_free(ctrl, access, now);
}

#endif
