/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent.h"

/*
 * Messages of a line's sectors that leave together (l1.sectors > 1). To controllers each sector is a block with a lock
 * and messages of its own; on its way a message that finds one of the same kind, for another sector of the line and
 * from and to the same modules, last in the queue that it is to leave by, goes with it: one packet, with one header,
 * one place in queues and one tag port where it arrives. So do accesses of memory. Last but one will do, for an owner's
 * data to another L1 and its answer to the slice take turns; messages of one sector keep their order.
 *
 * Where a packet arrives all its messages do, one after the other, and each goes on by itself: one may wait for a lock,
 * or be refused, while others are served. No message waits for another of its packet, and a packet that has arrived
 * holds nothing, so who waits for whom is as if each had come alone.
 *
 * What the messages of a packet read, or write, of their module's data passes its port together, as one request's
 * would: so their answers leave together, too, but for those that have to wait for something else.
 *
 * Messages of a packet are packets themselves, of which the first stands in queues; `beside` links them. Its size is
 * that of all, those of others are of their data alone.
 *
 * Example, a load of a line of four sectors of 32 bytes, which L1 has not and its slice has, headers of 8 bytes: four
 * accesses of controllers, a packet of 8 bytes and one of 136. A sector that is locked there comes in one of 40.
 */

static bool is_together(const gpci_timed *t, uint64_t address, uint64_t other) {
    return address != other && (address ^ other) < t->bundle_line;
}

/* As gpci_task.forwarded: a request that is to be refused, where others wait, is not held up by such. */
static bool is_forwarded(const gpci_timed *t, uint32_t task) {
    return gpci_task_at(gpci_controllers_of(t), task)->forwarded;
}

static bool has(const gpci_timed *t, const gpci_packet *p, uint64_t address) {
    while (p->address != address && p->flags & GPCI_PACKET_BUNDLE)
        p = gpci_packet_at(&t->pool, gpci_bundle_next(p));
    return p->address == address;
}

/* May a message of a task go with a packet? */
static bool fits(const gpci_timed *t, const gpci_packet *p, uint64_t address, uint32_t to,
                 const gpci_packet_message *m) {
    return is_together(t, p->address, address) && p->message.module == to && p->message.kind == m->kind &&
           p->message.step == m->step && is_forwarded(t, p->message.task) == is_forwarded(t, m->task) &&
           !has(t, p, address);
}

/* The last packet of a queue, or that before it, if a message may go with it. */
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

bool gpci_bundle_takes(const gpci_timed *t, const gpci_queue *queue, const gpci_letter *l) {
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

/* One whose turn has come may be half taken by its channel. */
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
