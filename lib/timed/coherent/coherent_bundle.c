/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"

/*
 * Messages for sectors of a line that leave together (l1.sectors > 1). For engine every sector is a block with its
 * own lock and messages. If the last message in the sender's queue has the same kind, sender and receiver, and belongs
 * to another sector of the line, a new message joins it: one packet with one header, one place in queues and one tag
 * port at the receiver. Accesses of memory do the same. The last but one also qualifies, because an owner's data to
 * another L1 and the answer to the slice alternate. Messages of one sector keep their order.
 *
 * When a packet arrives, all its messages arrive, one after the other, and every continues by itself: one may wait for
 * a lock or be refused while others are served. No message waits for another of the packet, and an arrived packet holds
 * nothing. Dependencies are therefore as if messages had come alone.
 *
 * Data read or written by the messages of a packet pass the data port together, like a single request. So their answers
 * leave together too, except answers that wait for something else.
 *
 * Messages of a packet are packets themselves; the first stands in queues, and `beside` links the others. The first has
 * the size of the whole packet, the others only of their data.
 *
 * Example, a load of a line of four sectors of 32 bytes, missing in L1 and present in the slice, headers of 8 bytes:
 * four controller accesses, a packet of 8 bytes and one of 136. A sector locked in the slice comes in a packet of 40.
 */

static bool is_together(const gpci_timed *t, uint64_t address, uint64_t other) {
    return address != other && (address ^ other) < t->bundle_line;
}

/* As gpci_task.forwarded: a refusable request must not wait behind waiting requests. */
static bool is_forwarded(const gpci_timed *t, uint32_t task) {
    return gpci_task_at(gpci_engine_of(t), task)->forwarded;
}

static bool has(const gpci_timed *t, const gpci_packet *p, uint64_t address) {
    while (p->address != address && p->flags & GPCI_PACKET_BUNDLE)
        p = gpci_packet_at(&t->pool, gpci_bundle_next(p));
    return p->address == address;
}

/* True if a message of a task may join a packet. */
static bool fits(const gpci_timed *t, const gpci_packet *p, uint64_t address, uint32_t to,
                 const gpci_packet_message *m) {
    return is_together(t, p->address, address) && p->message.module == to && p->message.kind == m->kind &&
           p->message.step == m->step && is_forwarded(t, p->message.task) == is_forwarded(t, m->task) &&
           !has(t, p, address);
}

/* Last or second-last packet of a queue, joinable by a message; or NULL. */
static gpci_packet *place_beside(const gpci_timed *t, const gpci_queue *queue, uint64_t address, uint32_t to,
                                 const gpci_packet_message *m) {
    if (GPCI_LIKELY(!t->bundle_line) || !queue->count)
        return NULL;
    gpci_packet *last = gpci_packet_at(&t->pool, queue->last);
    if (fits(t, last, address, to, m))
        return last;
    const gpci_coherent_host *host = t->coherent;
    if (queue->count < 2 || host->behind != queue || t->pool.links[host->before].next != queue->last ||
        has(t, last, address))
        return NULL;
    gpci_packet *before = gpci_packet_at(&t->pool, host->before);
    return fits(t, before, address, to, m) ? before : NULL;
}

static void append(const gpci_timed *t, gpci_packet *first, uint32_t packet) {
    while (first->flags & GPCI_PACKET_BUNDLE)
        first = gpci_packet_at(&t->pool, gpci_bundle_next(first));
    first->flags |= GPCI_PACKET_BUNDLE;
    if (first->type == GPCI_REPLY)
        first->path.beside = packet;
    else
        first->path.with = packet;
}

bool gpci_bundle_takes(const gpci_timed *t, const gpci_queue *queue, const gpci_message *l) {
    const gpci_packet_message m = {.task = l->receiver, .step = (uint8_t)l->arrives, .kind = (uint8_t)l->kind};
    return place_beside(t, queue, l->address, l->to, &m) != NULL;
}

bool gpci_bundle_goes_with(const gpci_timed *t, const gpci_queue *queue, uint64_t address) {
    return t->bundle_line && queue->count && is_together(t, gpci_packet_at(&t->pool, queue->last)->address, address);
}

bool gpci_bundle_push(gpci_timed *t, gpci_queue *queue, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet *last = place_beside(t, queue, p->address, p->message.module, &p->message);
    if (GPCI_LIKELY(!last)) {
        t->coherent->behind = queue;
        t->coherent->before = queue->last;
        gpci_queue_push(queue, &t->pool, t->wheel.now, packet);
        return false;
    }
    p->path.size -= t->header;
    last->path.size += p->path.size;
    append(t, last, packet);
    return true;
}

/* The first packet of a channel may be partly processed and is not joined. */
void gpci_bundle_push_access(gpci_timed *t, gpci_queue *queue, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet *last = queue->count ? gpci_packet_at(&t->pool, queue->last) : NULL;
    if (GPCI_LIKELY(!t->bundle_line) || !last || t->pool.links[queue->last].due == GPCI_NEVER ||
        last->type != p->type || last->inner != p->inner || !is_together(t, last->address, p->address) ||
        last->segments & p->segments) {
        gpci_queue_push(queue, &t->pool, t->wheel.now, packet);
        return;
    }
    last->segments |= p->segments;
    append(t, last, packet);
}

uint32_t gpci_bundle_split(gpci_packet *p) {
    if (GPCI_LIKELY(!(p->flags & GPCI_PACKET_BUNDLE)))
        return GPCI_NO_PACKET;
    p->flags &= (uint8_t)~GPCI_PACKET_BUNDLE;
    return gpci_bundle_next(p);
}

uint8_t gpci_bundle_sectors(const gpci_timed *t, const gpci_packet *p) {
    const uint32_t block = t->h->l1_level.line_bytes;
    uint32_t sectors = 0;
    for (;; p = gpci_packet_at(&t->pool, gpci_bundle_next(p))) {
        sectors |= 1u << (p->address & (t->bundle_line - 1)) / block;
        if (!(p->flags & GPCI_PACKET_BUNDLE))
            return (uint8_t)sectors;
    }
}
