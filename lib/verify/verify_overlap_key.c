/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/module.h"
#include "verify/verify.h"

#include <string.h>

/*
 * Canonical form of a state with accesses in flight. Left out are the parts that verify_key.c leaves out, and places in
 * pools, numbers of accesses, and cycles. Instead, tasks are numbered by a walk through the state: the accesses of each
 * module from the oldest on; the queues of locks; the messages by sender and receiver; the tasks that wait for a cycle,
 * sorted by content. A task whose parent has continued (gpci_task.left) belongs to no access.
 */

enum { BLOCKS = 16, CHANNELS = 256, LATER = 64 };

typedef struct overlap_writer {
    const gpci_explorer *explorer;
    const gpci_engine *engine;
    const uint8_t *permutation;         /* [place]: module at the place */
    uint8_t place[GPCI_VERIFY_MODULES]; /* [module] */
    /* [module][block] 1 + rank of the block in the canonical form; 0: no rank */
    uint8_t ranks[GPCI_VERIFY_MODULES][BLOCKS];
    uint32_t *tasks, *inflights, task_count; /* numbers of tasks and accesses, from 1 on; 0: no number yet */
    gpci_verify_hash hash;
} overlap_writer;

static void put(overlap_writer *writer, uint64_t word) {
    gpci_verify_put(&writer->hash, word);
}

static uint32_t place_of(const overlap_writer *writer, uint32_t module) {
    return module < writer->explorer->coherence->module_count ? writer->place[module] : module;
}

static uint32_t rank_of(const overlap_writer *writer, uint32_t module, uint32_t block) {
    return module < writer->explorer->coherence->module_count && block < BLOCKS ? writer->ranks[module][block]
                                                                                : UINT8_MAX;
}

/* -- tasks */

/*
 * Number of invalidations in flight that were sent before a task, an invalidation or a marker. Invalidations are
 * numbered when sent, and a marker has the number of the last invalidation before it. Only the order of the
 * invalidations in flight matters.
 */
static uint32_t invalidations_before(const overlap_writer *writer, const gpci_task *work) {
    uint32_t count = 0;
    for (uint32_t at = writer->engine->units[work->module].notified; at != GPCI_NO_ITEM;
         at = gpci_task_at(writer->engine, at)->behind)
        count += gpci_was_notified_before(gpci_task_at(writer->engine, at), work);
    return count;
}

/*
 * Copy the part of a task that does not depend on places in pools. The copy is compared with all bytes; so padding must
 * be 0.
 */
static void content_of(const overlap_writer *writer, const gpci_task *work, gpci_task *content) {
    const bool access = work->parent == GPCI_NO_ITEM; /* the root task of an access has unset fields */
    memcpy(content, work, sizeof *content);
    content->inflight = content->behind = 0;
    content->parent = !access && !work->left;
    content->block = rank_of(writer, work->module, work->block);
    content->own = access ? 0 : rank_of(writer, work->from, work->own);
    content->from = (uint16_t)place_of(writer, work->from);
    content->module = (uint16_t)place_of(writer, work->module);
    if (work->sort == GPCI_TASK_LOOKUP || work->sort == GPCI_TASK_EVICTION)
        content->entry = rank_of(writer, work->from, work->entry);
    else if (work->sort == GPCI_TASK_INVALIDATION)
        content->ask = work->ask != GPCI_NO_ITEM, content->except = (uint16_t)place_of(writer, work->except);
    else if (work->sort == GPCI_TASK_PUT && !work->stored)
        content->carried = rank_of(writer, work->carrier, work->carried),
        content->carrier = (uint16_t)place_of(writer, work->carrier);
    else if (work->sort == GPCI_TASK_TOLD && work->module < writer->explorer->coherence->module_count)
        content->number = invalidations_before(writer, work);
}

/* Number of a task's access; 0: the task belongs to no access. */
static uint32_t inflight_of(const overlap_writer *writer, uint32_t task) {
    const gpci_task *work = gpci_task_at(writer->engine, task);
    while (!work->left && work->parent != GPCI_NO_ITEM)
        work = gpci_task_at(writer->engine, work->parent);
    return work->left ? 0 : writer->inflights[work->inflight];
}

static void put_task(overlap_writer *writer, uint32_t task) {
    if (task == GPCI_NO_ITEM) {
        put(writer, UINT64_MAX);
        return;
    }
    put(writer, writer->tasks[task]);
    if (writer->tasks[task])
        return;
    writer->tasks[task] = ++writer->task_count;
    const gpci_task *work = gpci_task_at(writer->engine, task);
    gpci_task content;
    content_of(writer, work, &content);
    gpci_verify_put_bytes(&writer->hash, &content, sizeof content);
    put(writer, inflight_of(writer, task));
    if (work->sort == GPCI_TASK_INVALIDATION && content.ask)
        put_task(writer, work->ask);
    if (content.parent)
        put_task(writer, work->parent);
}

static void put_queue(overlap_writer *writer, const gpci_due_queue *queue) {
    const gpci_waiter *waiter;
    for (uint32_t item = queue->head; item != GPCI_NO_ITEM; item = waiter->next) {
        waiter = gpci_items_at(&writer->engine->waiters, item);
        put(writer, 1 + waiter->due.step);
        put_task(writer, waiter->due.subject);
    }
    put(writer, 0);
}

/* -- modules */

static bool is_there(const overlap_writer *writer, const gpci_module *module, uint32_t block) {
    return module->states[block] != GPC_LINE_I || gpci_is_locked(writer->engine, module->index, block);
}

/* Tag of a valid block, or of a block on its way to the module. */
static uint64_t tag_of(const overlap_writer *writer, const gpci_module *module, uint32_t block) {
    return module->states[block] != GPC_LINE_I ? gpci_module_tag(module, block)
                                               : gpci_lock_of(writer->engine, module->index, block)->tag;
}

/*
 * True if the module has a way for each explored block. Then a block is never evicted for another block, and recency
 * has no effect.
 */
static bool is_roomy(const overlap_writer *writer, const gpci_module *module) {
    const uint32_t window = writer->explorer->setup->blocks * GPCI_VERIFY_BLOCK;
    return !module->given.directory_ways &&
           (uint64_t)module->given.ways * module->sectors * module->given.block_bytes >= window;
}

static void rank(overlap_writer *writer, const gpci_module *module) {
    uint8_t *ranks = writer->ranks[module->index], next = 0;
    memset(ranks, 0, BLOCKS);
    for (uint32_t i = 0; i < module->blocks; i++) {
        const uint32_t way = i % module->all_ways, own = way < module->given.ways ? 0 : module->given.ways,
                       recent = module->full_map
                                    ? i
                                    : own + gpci_module_way_at(module, i / module->all_ways, own != 0, way - own);
        if (is_roomy(writer, module) && is_there(writer, module, i))
            ranks[i] = (uint8_t)(1 + (tag_of(writer, module, i) - GPCI_VERIFY_BASE) / module->given.block_bytes);
        else if (!is_roomy(writer, module) && is_there(writer, module, recent))
            ranks[recent] = ++next;
    }
}

static void put_directory(overlap_writer *writer, const gpci_module *module, uint32_t block, uint32_t sub) {
    const uint16_t owner = gpci_module_owner_of(module, block, sub);
    uint64_t word = 0;
    for (uint32_t i = 0; i < module->above_count; i++)
        word |= (uint64_t)gpci_tree_has_sharer(module, block, sub, i) << writer->place[module->above[i]] |
                (uint64_t)(owner == i) << (writer->place[module->above[i]] + 32);
    put(writer, word);
}

static uint64_t bytes_of(const overlap_writer *writer, const gpci_module *module, uint32_t block) {
    uint64_t word = 0;
    for (uint32_t b = 0; module->data && b < writer->explorer->setup->blocks; b++)
        for (uint32_t p = 0; p < writer->explorer->setup->positions; p++) {
            const uint64_t address = gpci_verify_address(b, p), at = address % module->given.block_bytes;
            word <<= module->lacks ? 3 : 2;
            if (gpci_module_tag_of(module, address) != tag_of(writer, module, block))
                continue;
            const bool come = gpci_module_has_byte(module, block, at);
            word |= (uint64_t)(come ? gpci_module_data_of(module, block)[at] & 1 : 0) |
                    (uint64_t)(gpci_module_dirty_of(module, block)[at / 8] >> at % 8 & 1) << 1;
            if (module->lacks)
                word |= (uint64_t)come << 2;
        }
    return module->lacks ? word << 1 | gpci_module_is_partial(module, block) : word;
}

static void put_block(overlap_writer *writer, const gpci_module *module, uint32_t block) {
    const gpci_lock *lock = gpci_lock_of(writer->engine, module->index, block);
    const bool valid = module->states[block] != GPC_LINE_I, locked = lock->holder != GPCI_NO_ITEM;
    put(writer, writer->ranks[module->index][block] | (uint64_t)module->states[block] << 8 | (uint64_t)locked << 14 |
                    (uint64_t)gpci_module_directory_only(module, block) << 15 | bytes_of(writer, module, block) << 16);
    put(writer, tag_of(writer, module, block));
    if (locked) {
        put(writer, lock->tag);
        put(writer, lock->asks == GPCI_ANSWERED);
        put_task(writer, lock->asks == GPCI_ANSWERED ? GPCI_NO_ITEM : lock->asks);
        put_task(writer, lock->probe);
    }
    /* the holder of a lock is treated otherwise than other accesses */
    if (locked && gpci_lock_is_of(writer->engine, lock, lock->holder))
        put(writer, writer->inflights[lock->holder]);
    for (uint32_t sub = 0; valid && sub < module->sub_blocks; sub++)
        put_directory(writer, module, block, sub);
    put_queue(writer, &lock->waiters);
}

static void put_module(overlap_writer *writer, const gpci_module *module) {
    for (uint32_t i = 1; i <= BLOCKS; i++)
        for (uint32_t block = 0; block < module->blocks; block++)
            if (writer->ranks[module->index][block] == i)
                put_block(writer, module, block);
    put_queue(writer, &writer->engine->units[module->index].address_waiters);
    put(writer, 0);
    for (uint32_t at = writer->engine->units[module->index].notified; at != GPCI_NO_ITEM;
         at = gpci_task_at(writer->engine, at)->behind)
        put_task(writer, at);
    put_queue(writer, &writer->engine->units[module->index].notified_waiters);
}

/* -- accesses */

static void number_inflights(overlap_writer *writer) {
    uint32_t number = 0;
    for (uint32_t place = 0; place < writer->explorer->setup->tree.caches; place++)
        for (uint32_t f = writer->engine->units[writer->permutation[place]].oldest; f != GPCI_NO_ITEM;
             f = gpci_inflight_rest_of(writer->engine, f)->newer)
            writer->inflights[f] = ++number;
    if (writer->explorer->ghost.acquire)
        writer->inflights[writer->explorer->ghost.acquire - 1] = ++number;
    for (uint32_t place = 0; place < writer->explorer->coherence->module_count; place++)
        for (uint32_t at = writer->engine->units[writer->permutation[place]].notified; at != GPCI_NO_ITEM;
             at = gpci_task_at(writer->engine, at)->behind)
            writer->inflights[gpci_task_at(writer->engine, at)->inflight] = ++number;
}

static void put_inflight(overlap_writer *writer, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(writer->engine, inflight);
    const gpci_module *module = gpci_module_at(writer->explorer->coherence, access->module);
    const uint8_t *payload = gpci_payload_of(writer->engine, inflight),
                  *whole = gpci_block_copy_of(writer->engine, inflight);
    const bool stores = access->kind != GPC_COHERENCE_LOAD && access->kind != GPC_COHERENCE_ACQUIRE && !access->applied;
    put(writer, writer->place[access->module] | (uint64_t)access->kind << 8 | (uint64_t)access->found << 16 |
                    (uint64_t)access->holds_port << 24 | (uint64_t)access->unlocked << 25 |
                    (uint64_t)access->ended << 26 | (uint64_t)access->applied << 27 | (uint64_t)access->hit << 28 |
                    (uint64_t)access->alone << 29 | (uint64_t)access->through << 30 | (uint64_t)access->flags << 32 |
                    (uint64_t)(stores ? payload[0] : 0) << 40);
    put(writer, access->address);
    put(writer, access->master == GPCI_NO_ITEM ? 0 : writer->inflights[access->master]);
    for (uint32_t p = 0; access->unlocked && p < writer->explorer->setup->positions; p++)
        put(writer,
            whole[p + (access->address & (module->given.block_bytes - 1) & ~(uint64_t)(GPCI_VERIFY_BLOCK - 1))]);
    put_task(writer, access->task);
    put_queue(writer, &gpci_inflight_rest_of(writer->engine, inflight)->waiters);
}

static void put_inflights(overlap_writer *writer) {
    for (uint32_t place = 0; place < writer->explorer->setup->tree.caches; place++)
        for (uint32_t f = writer->engine->units[writer->permutation[place]].oldest; f != GPCI_NO_ITEM;
             f = gpci_inflight_rest_of(writer->engine, f)->newer)
            put_inflight(writer, f);
    put(writer, 0);
    if (writer->explorer->ghost.acquire)
        put_inflight(writer, writer->explorer->ghost.acquire - 1);
}

/* -- messages, and tasks waiting for a cycle */

static void put_parcels(overlap_writer *writer, const gpci_held_channel *channel) {
    const gpci_sent_message *sent;
    for (uint32_t item = channel->row.head; item != GPCI_NO_ITEM; item = sent->behind) {
        sent = gpci_items_at(&writer->engine->sent_messages, item);
        put(writer, 1 + sent->step + ((uint64_t)sent->kind << 8) + ((uint64_t)sent->masked << 16));
        put(writer, sent->address);
        put_task(writer, sent->task);
    }
    put(writer, 0);
    put_queue(writer, &channel->waiters);
}

/* Sort indices by their keys; insertion sort, as there are few. */
static void sort(uint64_t *keys, uint32_t *indices, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k && keys[k] < keys[k - 1]; k--) {
            const uint64_t key = keys[k];
            const uint32_t index = indices[k];
            keys[k] = keys[k - 1];
            indices[k] = indices[k - 1];
            keys[k - 1] = key;
            indices[k - 1] = index;
        }
}

static void put_channels(overlap_writer *writer) {
    const gpci_hold *hold = writer->engine->hold;
    uint64_t keys[CHANNELS];
    uint32_t indices[CHANNELS], count = 0;
    for (uint32_t i = 0; i < hold->count && count < CHANNELS; i++) {
        const gpci_held_channel *held = &hold->channels[i];
        if (!held->used && held->waiters.head == GPCI_NO_ITEM)
            continue;
        keys[count] = (uint64_t)writer->place[held->from] << 16 | (uint64_t)writer->place[held->to] << 8 | held->kind;
        indices[count++] = i;
    }
    sort(keys, indices, count);
    for (uint32_t i = 0; i < count; i++) {
        put(writer, keys[i] + 1);
        put_parcels(writer, &hold->channels[indices[i]]);
    }
    put(writer, 0);
}

/* Hash of a step, and of the contents of its task and the task's parents. */
static uint64_t content_hash(const overlap_writer *writer, gpci_due due) {
    gpci_verify_hash hash = {due.step, 0};
    for (uint32_t task = due.subject; task != GPCI_NO_ITEM;) {
        const gpci_task *work = gpci_task_at(writer->engine, task);
        gpci_task content;
        content_of(writer, work, &content);
        gpci_verify_put_bytes(&hash, &content, sizeof content);
        gpci_verify_put(&hash, inflight_of(writer, task));
        task = work->left ? GPCI_NO_ITEM : work->parent;
    }
    return hash.one;
}

static void put_later(overlap_writer *writer) {
    const gpci_calendar *calendar = &writer->engine->calendar;
    uint64_t keys[LATER];
    uint32_t indices[LATER], count = calendar->later_count < LATER ? calendar->later_count : LATER;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = content_hash(writer, calendar->later[i].due);
        indices[i] = i;
    }
    sort(keys, indices, count);
    for (uint32_t i = 0; i < count; i++) {
        const gpci_due due = calendar->later[indices[i]].due;
        put(writer, 1 + due.step);
        put_task(writer, due.subject);
    }
    put(writer, 0);
}

/* -- memory and the ghost */

static void put_values(overlap_writer *writer) {
    const gpci_verify_ghost *ghost = &writer->explorer->ghost;
    for (uint32_t b = 0; b < writer->explorer->setup->blocks; b++)
        for (uint32_t p = 0; p < writer->explorer->setup->positions; p++) {
            uint8_t byte = 0;
            (void)gpc_coherence_read_memory(writer->explorer->coherence, gpci_verify_address(b, p), &byte, 1, NULL);
            uint64_t word = byte | (uint64_t)ghost->value[b][p] << 8;
            for (uint32_t place = 0; place < writer->explorer->setup->tree.caches; place++)
                word |= (uint64_t)(ghost->last[writer->permutation[place]][b][p] |
                                   ghost->stored[writer->permutation[place]][b][p] << 2 |
                                   ghost->old[writer->permutation[place]][b][p] << 4 |
                                   ghost->aging[writer->permutation[place]][b][p] << 6)
                        << (16 + 8 * place);
            put(writer, word);
        }
    for (uint32_t place = 0; writer->explorer->setup->detaches && place < writer->explorer->setup->tree.caches; place++)
        for (uint32_t b = 0; b < writer->explorer->setup->blocks; b++)
            put(writer, ghost->detached[writer->permutation[place]][b]);
}

static gpci_verify_hash key_of(const gpci_explorer *explorer, const uint8_t *permutation) {
    const gpci_engine *engine = explorer->coherence->engine;
    const uint32_t modules = explorer->coherence->module_count;
    overlap_writer writer = {.explorer = explorer,
                             .engine = engine,
                             .permutation = permutation,
                             .tasks = explorer->numbers,
                             .inflights = explorer->numbers + engine->tasks.count};
    memset(explorer->numbers, 0, (engine->tasks.count + engine->inflights.count) * sizeof *explorer->numbers);
    for (uint32_t place = 0; place < modules; place++)
        writer.place[permutation[place]] = (uint8_t)place;
    for (uint32_t i = 0; i < modules; i++)
        rank(&writer, &explorer->coherence->modules[i]);
    number_inflights(&writer);
    put_inflights(&writer);
    for (uint32_t place = 0; place < modules; place++)
        put_module(&writer, &explorer->coherence->modules[permutation[place]]);
    put_channels(&writer);
    put_later(&writer);
    put_values(&writer);
    return writer.hash;
}

bool gpci_verify_overlap_key(gpci_explorer *explorer, gpci_verify_hash *hash) {
    const gpci_engine *engine = explorer->coherence->engine;
    if (!GPCI_ARRAY_RESERVE(explorer->setup->context, explorer->numbers, explorer->number_capacity, 0,
                            (size_t)engine->tasks.count + engine->inflights.count + 1))
        return false;
    *hash = key_of(explorer, explorer->permutations[0]);
    for (uint32_t i = 1; i < explorer->permutation_count; i++) {
        const gpci_verify_hash other = key_of(explorer, explorer->permutations[i]);
        if (other.one < hash->one || (other.one == hash->one && other.other < hash->other))
            *hash = other;
    }
    return true;
}
