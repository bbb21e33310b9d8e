/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify.h"

#include <string.h>

/*
 * Complete image of a held tree, as bytes: the ghost, accesses in flight, and the tree. Beside the data saved by
 * snapshot.c, the image has the bytes of invalid blocks: a locked block has its bytes before its state.
 */

typedef enum direction { COUNT, SAVE, LOAD } direction;

typedef struct stream {
    char *at;
    size_t bytes;
    direction way;
} stream;

static void move(stream *s, void *memory, size_t bytes) {
    if (s->way == SAVE)
        memcpy(s->at + s->bytes, memory, bytes);
    else if (s->way == LOAD)
        memcpy(memory, s->at + s->bytes, bytes);
    s->bytes += bytes;
}

/* Move a pool. Pools never shrink: items of an older state always fit. */
static void move_items(stream *s, gpci_items *pool) {
    move(s, &pool->count, sizeof pool->count);
    move(s, &pool->free, sizeof pool->free);
    move(s, &pool->used, sizeof pool->used);
    if (pool->count)
        move(s, pool->items, pool->count * pool->item_bytes);
}

static void move_calendar(stream *s, gpci_calendar *calendar) {
    move(s, &calendar->later_count, sizeof calendar->later_count);
    move(s, &calendar->order, sizeof calendar->order);
    if (calendar->later_count)
        move(s, calendar->later, calendar->later_count * sizeof *calendar->later);
}

static void move_units(stream *s, gpci_engine *c) {
    for (uint32_t i = 0; i < c->tree->module_count; i++) {
        gpci_engine_unit *unit = &c->units[i];
        move(s, &unit->ports_used, sizeof unit->ports_used);
        move(s, &unit->port_waiters, sizeof unit->port_waiters);
        move(s, &unit->oldest, sizeof unit->oldest);
        move(s, &unit->youngest, sizeof unit->youngest);
        move(s, &unit->address_blocked, sizeof unit->address_blocked);
        move(s, &unit->address_waiters, sizeof unit->address_waiters);
        move(s, &unit->notified, sizeof unit->notified);
        move(s, &unit->notified_waiters, sizeof unit->notified_waiters);
        move(s, unit->locks, ((size_t)unit->lock_mask + 1) * sizeof *unit->locks);
    }
}

static void move_engine(stream *s, gpci_engine *c) {
    gpci_items *const pools[] = {&c->tasks, &c->inflights, &c->sent_messages, &c->waiters, &c->locks};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        move_items(s, pools[i]);
    move_calendar(s, &c->calendar);
    move_units(s, c);
    move(s, &c->live, sizeof c->live);
    move(s, &c->neighbours, sizeof c->neighbours);
    move(s, &c->hold->count, sizeof c->hold->count);
    if (c->hold->count)
        move(s, c->hold->channels, c->hold->count * sizeof *c->hold->channels);
    if (c->inflights.count)
        move(s, c->rests, c->inflights.count * sizeof *c->rests);
    if (c->inflights.count)
        move(s, c->payload, c->inflights.count * c->payload_bytes);
}

static void move_all(stream *s, gpci_explorer *e) {
    move(s, &e->ghost, sizeof e->ghost);
    move_engine(s, e->c->engine);
}

size_t gpci_verify_overlap_bytes(const gpci_explorer *e) {
    stream s = {NULL, 0, COUNT};
    gpci_explorer copy = *e;
    move_all(&s, &copy);
    return s.bytes + gpci_coherence_saved_bytes(e->c);
}

void gpci_verify_overlap_save(gpci_explorer *e, char *image) {
    stream s = {image, 0, SAVE};
    move_all(&s, e);
    gpci_coherence_save(e->c, image + s.bytes);
    memcpy(image + s.bytes, e->c->slab, e->c->slab_bytes);
}

void gpci_verify_overlap_load(gpci_explorer *e, const char *image) {
    stream s = {(char *)(uintptr_t)image, 0, LOAD};
    gpci_engine *c = e->c->engine;
    move_all(&s, e);
    gpci_coherence_load(e->c, image + s.bytes);
    c->calendar.today_count = c->calendar.today_first = 0;
    c->ended = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
    c->stepping = c->telling = false;
    c->crowded = true;
    e->c->busy = c->inflights.used != 0;
}

void gpci_verify_overlap_scrub(gpci_explorer *e) {
    const gpci_engine *c = e->c->engine;
    for (uint32_t i = 0; i < e->c->module_count; i++) {
        gpci_module *m = &e->c->modules[i];
        for (uint32_t block = 0; m->data && block < m->blocks; block++) {
            if (m->states[block] != GPC_LINE_I || gpci_is_locked(c, i, block))
                continue;
            memset(gpci_module_data_of(m, block), 0, m->given.block_bytes);
            memset(gpci_module_dirty_of(m, block), 0, m->mask_bytes);
        }
    }
}
