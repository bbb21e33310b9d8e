/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify.h"

#include <string.h>

/*
 * Complete image of a held tree, as bytes: the ghost, accesses in flight, and the tree. In addition to the data saved
 * by snapshot.c, the image has the bytes of invalid blocks: a locked block may receive bytes before it gets a valid
 * state.
 */

typedef enum direction { COUNT, SAVE, LOAD } direction;

typedef struct stream {
    char *at;
    size_t bytes;
    direction way;
} stream;

static void move(stream *image, void *memory, size_t bytes) {
    if (image->way == SAVE)
        memcpy(image->at + image->bytes, memory, bytes);
    else if (image->way == LOAD)
        memcpy(memory, image->at + image->bytes, bytes);
    image->bytes += bytes;
}

/* Count, save or load a pool. Pools never shrink, so the items of an earlier state always fit. */
static void move_items(stream *image, gpci_items *pool) {
    move(image, &pool->count, sizeof pool->count);
    move(image, &pool->free, sizeof pool->free);
    move(image, &pool->used, sizeof pool->used);
    if (pool->count)
        move(image, pool->items, pool->count * pool->item_bytes);
}

static void move_calendar(stream *image, gpci_calendar *calendar) {
    move(image, &calendar->later_count, sizeof calendar->later_count);
    move(image, &calendar->order, sizeof calendar->order);
    if (calendar->later_count)
        move(image, calendar->later, calendar->later_count * sizeof *calendar->later);
}

static void move_units(stream *image, gpci_engine *engine) {
    for (uint32_t i = 0; i < engine->tree->module_count; i++) {
        gpci_engine_unit *unit = &engine->units[i];
        move(image, &unit->held, sizeof unit->held);
        move(image, &unit->ports_used, sizeof unit->ports_used);
        move(image, &unit->port_waiters, sizeof unit->port_waiters);
        move(image, &unit->oldest, sizeof unit->oldest);
        move(image, &unit->youngest, sizeof unit->youngest);
        move(image, &unit->address_blocked, sizeof unit->address_blocked);
        move(image, &unit->address_waiters, sizeof unit->address_waiters);
        move(image, &unit->notified, sizeof unit->notified);
        move(image, &unit->notified_waiters, sizeof unit->notified_waiters);
        move(image, unit->locks, ((size_t)unit->lock_mask + 1) * sizeof *unit->locks);
    }
}

static void move_engine(stream *image, gpci_engine *engine) {
    gpci_items *const pools[] = {&engine->tasks, &engine->inflights, &engine->sent_messages, &engine->waiters,
                                 &engine->locks};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        move_items(image, pools[i]);
    move_calendar(image, &engine->calendar);
    move_units(image, engine);
    move(image, &engine->live, sizeof engine->live);
    move(image, &engine->neighbours, sizeof engine->neighbours);
    move(image, &engine->hold->count, sizeof engine->hold->count);
    if (engine->hold->count)
        move(image, engine->hold->channels, engine->hold->count * sizeof *engine->hold->channels);
    if (engine->inflights.count)
        move(image, engine->rests, engine->inflights.count * sizeof *engine->rests);
    if (engine->inflights.count)
        move(image, engine->payload, engine->inflights.count * engine->payload_bytes);
}

static void move_all(stream *image, gpci_explorer *explorer) {
    move(image, &explorer->ghost, sizeof explorer->ghost);
    move_engine(image, explorer->coherence->engine);
}

size_t gpci_verify_overlap_bytes(const gpci_explorer *explorer) {
    stream image = {NULL, 0, COUNT};
    gpci_explorer copy = *explorer;
    move_all(&image, &copy);
    return image.bytes + gpci_coherence_saved_bytes(explorer->coherence);
}

void gpci_verify_overlap_save(gpci_explorer *explorer, char *image) {
    stream s = {image, 0, SAVE};
    move_all(&s, explorer);
    gpci_coherence_save(explorer->coherence, image + s.bytes);
    memcpy(image + s.bytes, explorer->coherence->slab, explorer->coherence->slab_bytes);
}

void gpci_verify_overlap_load(gpci_explorer *explorer, const char *image) {
    stream s = {(char *)(uintptr_t)image, 0, LOAD};
    gpci_engine *engine = explorer->coherence->engine;
    move_all(&s, explorer);
    gpci_coherence_load(explorer->coherence, image + s.bytes);
    engine->calendar.today_count = engine->calendar.today_first = 0;
    engine->ended = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
    engine->stepping = engine->telling = false;
    engine->crowded = true;
    explorer->coherence->busy = engine->inflights.used != 0;
}

void gpci_verify_overlap_scrub(gpci_explorer *explorer) {
    const gpci_engine *engine = explorer->coherence->engine;
    for (uint32_t i = 0; i < explorer->coherence->module_count; i++) {
        gpci_module *module = &explorer->coherence->modules[i];
        for (uint32_t block = 0; module->data && block < module->blocks; block++) {
            if (module->states[block] != GPC_LINE_I || gpci_is_locked(engine, i, block))
                continue;
            memset(gpci_module_data_of(module, block), 0, module->given.block_bytes);
            memset(gpci_module_dirty_of(module, block), 0, module->mask_bytes);
        }
    }
}
