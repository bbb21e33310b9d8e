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
 * Messages of a packet are packets themselves; the first stands in queues, and `next_of_bundle` links the others. The
 * first has the size of the whole packet, the others only of their data.
 *
 * Example, a load of a line of four sectors of 32 bytes, missing in L1 and present in the slice, headers of 8 bytes:
 * four controller accesses, a packet of 8 bytes and one of 136. A sector locked in the slice comes in a packet of 40.
 */

static bool is_together(const gpci_timed *timed, uint64_t address, uint64_t other) {
    return address != other && (address ^ other) < timed->bundle_line;
}

/* As gpci_task.forwarded: a refusable request must not wait behind waiting requests. */
static bool is_forwarded(const gpci_timed *timed, uint32_t task) {
    return gpci_task_at(gpci_engine_of(timed), task)->forwarded;
}

static bool has(const gpci_timed *timed, const gpci_packet *pkt, uint64_t address) {
    while (pkt->address != address && pkt->flags & GPCI_PACKET_BUNDLE)
        pkt = gpci_packet_at(&timed->pool, gpci_bundle_next(pkt));
    return pkt->address == address;
}

/* True if a message of a task may join a packet. */
static bool fits(const gpci_timed *timed, const gpci_packet *pkt, uint64_t address, uint32_t to,
                 const gpci_packet_message *message) {
    return is_together(timed, pkt->address, address) && pkt->message.module == to &&
           pkt->message.kind == message->kind && pkt->message.step == message->step &&
           is_forwarded(timed, pkt->message.task) == is_forwarded(timed, message->task) && !has(timed, pkt, address);
}

/* Last or second-last packet of a queue, joinable by a message; or NULL. */
static gpci_packet *joinable_packet(const gpci_timed *timed, const gpci_queue *queue, uint64_t address, uint32_t to,
                                    const gpci_packet_message *message) {
    if (GPCI_LIKELY(!timed->bundle_line) || !queue->count)
        return NULL;
    gpci_packet *last = gpci_packet_at(&timed->pool, queue->last);
    if (fits(timed, last, address, to, message))
        return last;
    const gpci_coherent_host *host = timed->coherent;
    if (queue->count < 2 || host->unbundled != queue->last || timed->pool.links[host->before].next != queue->last ||
        has(timed, last, address))
        return NULL;
    gpci_packet *before = gpci_packet_at(&timed->pool, host->before);
    return fits(timed, before, address, to, message) ? before : NULL;
}

static void append(const gpci_timed *timed, gpci_packet *first, uint32_t packet) {
    while (first->flags & GPCI_PACKET_BUNDLE)
        first = gpci_packet_at(&timed->pool, gpci_bundle_next(first));
    first->flags |= GPCI_PACKET_BUNDLE;
    if (first->type == GPCI_REPLY)
        first->path.next_of_bundle = packet;
    else
        first->path.with = packet;
}

bool gpci_bundle_takes(const gpci_timed *timed, const gpci_queue *queue, const gpci_message *message) {
    const gpci_packet_message packet_message = {
        .task = message->receiver, .step = (uint8_t)message->arrives, .kind = (uint8_t)message->kind};
    return joinable_packet(timed, queue, message->address, message->to, &packet_message) != NULL;
}

bool gpci_bundle_goes_with(const gpci_timed *timed, const gpci_queue *queue, uint64_t address) {
    return timed->bundle_line && queue->count &&
           is_together(timed, gpci_packet_at(&timed->pool, queue->last)->address, address);
}

bool gpci_bundle_push(gpci_timed *timed, gpci_queue *queue, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_packet *last = joinable_packet(timed, queue, pkt->address, pkt->message.module, &pkt->message);
    if (GPCI_LIKELY(!last)) {
        timed->coherent->unbundled = packet;
        timed->coherent->before = queue->last;
        gpci_queue_push(queue, &timed->pool, timed->wheel.now, packet);
        return false;
    }
    pkt->path.size -= timed->header;
    last->path.size += pkt->path.size;
    append(timed, last, packet);
    return true;
}

/* The first packet of a channel may be partly processed and is not joined. */
void gpci_bundle_push_access(gpci_timed *timed, gpci_queue *queue, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_packet *last = queue->count ? gpci_packet_at(&timed->pool, queue->last) : NULL;
    if (GPCI_LIKELY(!timed->bundle_line) || !last || timed->pool.links[queue->last].due == GPCI_NEVER ||
        last->type != pkt->type || last->inner != pkt->inner || !is_together(timed, last->address, pkt->address) ||
        last->segments & pkt->segments) {
        gpci_queue_push(queue, &timed->pool, timed->wheel.now, packet);
        return;
    }
    last->segments |= pkt->segments;
    append(timed, last, packet);
}

uint32_t gpci_bundle_split(gpci_packet *pkt) {
    if (GPCI_LIKELY(!(pkt->flags & GPCI_PACKET_BUNDLE)))
        return GPCI_NO_PACKET;
    pkt->flags &= (uint8_t)~GPCI_PACKET_BUNDLE;
    return gpci_bundle_next(pkt);
}

uint8_t gpci_bundle_sectors(const gpci_timed *timed, const gpci_packet *pkt) {
    const uint32_t block = timed->hierarchy->l1_level.line_bytes;
    uint32_t sectors = 0;
    for (;; pkt = gpci_packet_at(&timed->pool, gpci_bundle_next(pkt))) {
        sectors |= 1u << (pkt->address & (timed->bundle_line - 1)) / block;
        if (!(pkt->flags & GPCI_PACKET_BUNDLE))
            return (uint8_t)sectors;
    }
}
