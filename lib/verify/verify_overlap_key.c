/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/module.h"
#include "verify/verify.h"

#include <string.h>

/*
 * Canonical form of a state with accesses in flight. Left out: the parts left out by verify_key.c; places in pools,
 * numbers of accesses, cycles. Tasks are numbered by a walk through the state: the accesses of each module from the
 * oldest on, the queues of locks, messages by sender and receiver, and tasks waiting for a cycle, sorted by content. A
 * task left by its starter (gpci_task.left) belongs to no access.
 */

enum { BLOCKS = 16, CHANNELS = 256, LATER = 64 };

typedef struct overlap_writer {
    const gpci_explorer *e;
    const gpci_engine *c;
    const uint8_t *turn;                        /* [place]: module at the place */
    uint8_t place[GPCI_VERIFY_MODULES];         /* [module] */
    uint8_t ranks[GPCI_VERIFY_MODULES][BLOCKS]; /* [module][block]: 1 + rank of the block; 0 = no rank */
    uint32_t *tasks, *inflights, task_count;    /* numbers from 1 on; 0 = no number yet */
    gpci_verify_hash hash;
} overlap_writer;

static void put(overlap_writer *w, uint64_t word) {
    gpci_verify_put(&w->hash, word);
}

static uint32_t place_of(const overlap_writer *w, uint32_t module) {
    return module < w->e->c->module_count ? w->place[module] : module;
}

static uint32_t rank_of(const overlap_writer *w, uint32_t module, uint32_t block) {
    return module < w->e->c->module_count && block < BLOCKS ? w->ranks[module][block] : UINT8_MAX;
}

/* -- tasks */

/*
 * Number of earlier invalidations. Invalidations are numbered when sent, and markers have the number of the last
 * invalidation before them. Only the order of the invalidations in flight matters.
 */
static uint32_t invalidations_before(const overlap_writer *w, const gpci_task *t) {
    uint32_t count = 0;
    for (uint32_t at = w->c->units[t->module].notified; at != GPCI_NO_ITEM; at = gpci_task_at(w->c, at)->behind)
        count += gpci_was_notified_before(gpci_task_at(w->c, at), t);
    return count;
}

/* Copy the part of a task that does not depend on memory places. All bytes are copied; padding must be 0. */
static void content_of(const overlap_writer *w, const gpci_task *t, gpci_task *content) {
    const bool access = t->parent == GPCI_NO_ITEM; /* a task of an access has unset fields */
    memcpy(content, t, sizeof *content);
    content->inflight = content->behind = 0;
    content->parent = !access && !t->left;
    content->block = rank_of(w, t->module, t->block);
    content->own = access ? 0 : rank_of(w, t->from, t->own);
    content->from = (uint16_t)place_of(w, t->from);
    content->module = (uint16_t)place_of(w, t->module);
    if (t->sort == GPCI_TASK_LOOKUP || t->sort == GPCI_TASK_EVICTION)
        content->entry = rank_of(w, t->from, t->entry);
    else if (t->sort == GPCI_TASK_INVALIDATION)
        content->ask = t->ask != GPCI_NO_ITEM, content->except = (uint16_t)place_of(w, t->except);
    else if (t->sort == GPCI_TASK_PUT && !t->stored)
        content->carried = rank_of(w, t->carrier, t->carried), content->carrier = (uint16_t)place_of(w, t->carrier);
    else if (t->sort == GPCI_TASK_TOLD && t->module < w->e->c->module_count)
        content->number = invalidations_before(w, t);
}

/* Access of a task; 0: no access. */
static uint32_t inflight_of(const overlap_writer *w, uint32_t task) {
    const gpci_task *t = gpci_task_at(w->c, task);
    while (!t->left && t->parent != GPCI_NO_ITEM)
        t = gpci_task_at(w->c, t->parent);
    return t->left ? 0 : w->inflights[t->inflight];
}

static void put_task(overlap_writer *w, uint32_t task) {
    if (task == GPCI_NO_ITEM) {
        put(w, UINT64_MAX);
        return;
    }
    put(w, w->tasks[task]);
    if (w->tasks[task])
        return;
    w->tasks[task] = ++w->task_count;
    const gpci_task *t = gpci_task_at(w->c, task);
    gpci_task content;
    content_of(w, t, &content);
    gpci_verify_put_bytes(&w->hash, &content, sizeof content);
    put(w, inflight_of(w, task));
    if (t->sort == GPCI_TASK_INVALIDATION && content.ask)
        put_task(w, t->ask);
    if (content.parent)
        put_task(w, t->parent);
}

static void put_queue(overlap_writer *w, const gpci_due_queue *queue) {
    const gpci_waiter *waiter;
    for (uint32_t item = queue->head; item != GPCI_NO_ITEM; item = waiter->next) {
        waiter = gpci_items_at(&w->c->waiters, item);
        put(w, 1 + waiter->due.step);
        put_task(w, waiter->due.subject);
    }
    put(w, 0);
}

/* -- modules */

static bool is_there(const overlap_writer *w, const gpci_module *m, uint32_t block) {
    return m->states[block] != GPC_LINE_I || gpci_is_locked(w->c, m->index, block);
}

/* Tag of a resident block, or of a block being fetched. */
static uint64_t tag_of(const overlap_writer *w, const gpci_module *m, uint32_t block) {
    return m->states[block] != GPC_LINE_I ? gpci_module_tag(m, block) : gpci_lock_of(w->c, m->index, block)->tag;
}

/* True if each block of the window has a way. Then a block is never evicted for another, and recency has no effect. */
static bool is_roomy(const overlap_writer *w, const gpci_module *m) {
    const uint32_t window = w->e->setup->blocks * GPCI_VERIFY_BLOCK;
    return !m->given.directory_ways && (uint64_t)m->given.ways * m->sectors * m->given.block_bytes >= window;
}

static void rank(overlap_writer *w, const gpci_module *m) {
    uint8_t *ranks = w->ranks[m->index], next = 0;
    memset(ranks, 0, BLOCKS);
    for (uint32_t i = 0; i < m->blocks; i++) {
        const uint32_t way = i % m->all_ways, own = way < m->given.ways ? 0 : m->given.ways,
                       recent = m->full_map ? i : own + gpci_module_way_at(m, i / m->all_ways, own != 0, way - own);
        if (is_roomy(w, m) && is_there(w, m, i))
            ranks[i] = (uint8_t)(1 + (tag_of(w, m, i) - GPCI_VERIFY_BASE) / m->given.block_bytes);
        else if (!is_roomy(w, m) && is_there(w, m, recent))
            ranks[recent] = ++next;
    }
}

static void put_directory(overlap_writer *w, const gpci_module *m, uint32_t block, uint32_t sub) {
    const uint16_t owner = gpci_module_owner_of(m, block, sub);
    uint64_t word = 0;
    for (uint32_t i = 0; i < m->above_count; i++)
        word |= (uint64_t)gpci_tree_has_sharer(m, block, sub, i) << w->place[m->above[i]] |
                (uint64_t)(owner == i) << (w->place[m->above[i]] + 32);
    put(w, word);
}

static uint64_t bytes_of(const overlap_writer *w, const gpci_module *m, uint32_t block) {
    uint64_t word = 0;
    for (uint32_t b = 0; m->data && b < w->e->setup->blocks; b++)
        for (uint32_t p = 0; p < w->e->setup->positions; p++) {
            const uint64_t address = gpci_verify_address(b, p), at = address % m->given.block_bytes;
            word <<= m->lacks ? 3 : 2;
            if (gpci_module_tag_of(m, address) != tag_of(w, m, block))
                continue;
            const bool come = gpci_module_has_byte(m, block, at);
            word |= (uint64_t)(come ? gpci_module_data_of(m, block)[at] & 1 : 0) |
                    (uint64_t)(gpci_module_dirty_of(m, block)[at / 8] >> at % 8 & 1) << 1;
            if (m->lacks)
                word |= (uint64_t)come << 2;
        }
    return m->lacks ? word << 1 | gpci_module_is_partial(m, block) : word;
}

static void put_block(overlap_writer *w, const gpci_module *m, uint32_t block) {
    const gpci_lock *lock = gpci_lock_of(w->c, m->index, block);
    const bool valid = m->states[block] != GPC_LINE_I, locked = lock->holder != GPCI_NO_ITEM;
    put(w, w->ranks[m->index][block] | (uint64_t)m->states[block] << 8 | (uint64_t)locked << 14 |
               (uint64_t)gpci_module_directory_only(m, block) << 15 | bytes_of(w, m, block) << 16);
    put(w, tag_of(w, m, block));
    if (locked) {
        put(w, lock->tag);
        put(w, lock->asks == GPCI_ANSWERED);
        put_task(w, lock->asks == GPCI_ANSWERED ? GPCI_NO_ITEM : lock->asks);
        put_task(w, lock->probe);
    }
    if (locked && gpci_lock_is_of(w->c, lock, lock->holder)) /* the holder finds its own lock */
        put(w, w->inflights[lock->holder]);
    for (uint32_t sub = 0; valid && sub < m->sub_blocks; sub++)
        put_directory(w, m, block, sub);
    put_queue(w, &lock->waiters);
}

static void put_module(overlap_writer *w, const gpci_module *m) {
    for (uint32_t i = 1; i <= BLOCKS; i++)
        for (uint32_t block = 0; block < m->blocks; block++)
            if (w->ranks[m->index][block] == i)
                put_block(w, m, block);
    put_queue(w, &w->c->units[m->index].address_waiters);
    put(w, 0);
    for (uint32_t at = w->c->units[m->index].notified; at != GPCI_NO_ITEM; at = gpci_task_at(w->c, at)->behind)
        put_task(w, at);
    put_queue(w, &w->c->units[m->index].notified_waiters);
}

/* -- accesses */

static void number_inflights(overlap_writer *w) {
    uint32_t number = 0;
    for (uint32_t place = 0; place < w->e->setup->tree.caches; place++)
        for (uint32_t f = w->c->units[w->turn[place]].oldest; f != GPCI_NO_ITEM;
             f = gpci_inflight_rest_of(w->c, f)->newer)
            w->inflights[f] = ++number;
    if (w->e->ghost.acquire)
        w->inflights[w->e->ghost.acquire - 1] = ++number;
    for (uint32_t place = 0; place < w->e->c->module_count; place++)
        for (uint32_t at = w->c->units[w->turn[place]].notified; at != GPCI_NO_ITEM;
             at = gpci_task_at(w->c, at)->behind)
            w->inflights[gpci_task_at(w->c, at)->inflight] = ++number;
}

static void put_inflight(overlap_writer *w, uint32_t inflight) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(w->c, inflight);
    const gpci_module *m = gpci_module_at(w->e->c, a->module);
    const uint8_t *payload = gpci_payload_of(w->c, inflight), *whole = gpci_whole_of(w->c, inflight);
    const bool stores = a->kind != GPC_COHERENCE_LOAD && a->kind != GPC_COHERENCE_ACQUIRE && !a->applied;
    put(w, w->place[a->module] | (uint64_t)a->kind << 8 | (uint64_t)a->found << 16 | (uint64_t)a->holds_port << 24 |
               (uint64_t)a->unlocked << 25 | (uint64_t)a->ended << 26 | (uint64_t)a->applied << 27 |
               (uint64_t)a->hit << 28 | (uint64_t)a->alone << 29 | (uint64_t)a->through << 30 |
               (uint64_t)a->flags << 32 | (uint64_t)(stores ? payload[0] : 0) << 40);
    put(w, a->address);
    put(w, a->master == GPCI_NO_ITEM ? 0 : w->inflights[a->master]);
    for (uint32_t p = 0; a->unlocked && p < w->e->setup->positions; p++)
        put(w, whole[p + (a->address & (m->given.block_bytes - 1) & ~(uint64_t)(GPCI_VERIFY_BLOCK - 1))]);
    put_task(w, a->task);
    put_queue(w, &gpci_inflight_rest_of(w->c, inflight)->waiters);
}

static void put_inflights(overlap_writer *w) {
    for (uint32_t place = 0; place < w->e->setup->tree.caches; place++)
        for (uint32_t f = w->c->units[w->turn[place]].oldest; f != GPCI_NO_ITEM;
             f = gpci_inflight_rest_of(w->c, f)->newer)
            put_inflight(w, f);
    put(w, 0);
    if (w->e->ghost.acquire)
        put_inflight(w, w->e->ghost.acquire - 1);
}

/* -- messages, and tasks waiting for a cycle */

static void put_parcels(overlap_writer *w, const gpci_held_channel *channel) {
    const gpci_sent_message *p;
    for (uint32_t item = channel->row.head; item != GPCI_NO_ITEM; item = p->behind) {
        p = gpci_items_at(&w->c->sent_messages, item);
        put(w, 1 + p->step + ((uint64_t)p->kind << 8) + ((uint64_t)p->masked << 16));
        put(w, p->address);
        put_task(w, p->task);
    }
    put(w, 0);
    put_queue(w, &channel->waiters);
}

/* Indices by key: insertion, of few. */
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

static void put_channels(overlap_writer *w) {
    const gpci_hold *hold = w->c->hold;
    uint64_t keys[CHANNELS];
    uint32_t indices[CHANNELS], count = 0;
    for (uint32_t i = 0; i < hold->count && count < CHANNELS; i++) {
        const gpci_held_channel *c = &hold->channels[i];
        if (!c->used && c->waiters.head == GPCI_NO_ITEM)
            continue;
        keys[count] = (uint64_t)w->place[c->from] << 16 | (uint64_t)w->place[c->to] << 8 | c->kind;
        indices[count++] = i;
    }
    sort(keys, indices, count);
    for (uint32_t i = 0; i < count; i++) {
        put(w, keys[i] + 1);
        put_parcels(w, &hold->channels[indices[i]]);
    }
    put(w, 0);
}

/* Hash of the contents of a task and of its parents. */
static uint64_t content_hash(const overlap_writer *w, gpci_due due) {
    gpci_verify_hash hash = {due.step, 0};
    for (uint32_t task = due.subject; task != GPCI_NO_ITEM;) {
        const gpci_task *t = gpci_task_at(w->c, task);
        gpci_task content;
        content_of(w, t, &content);
        gpci_verify_put_bytes(&hash, &content, sizeof content);
        gpci_verify_put(&hash, inflight_of(w, task));
        task = t->left ? GPCI_NO_ITEM : t->parent;
    }
    return hash.one;
}

static void put_later(overlap_writer *w) {
    const gpci_calendar *calendar = &w->c->calendar;
    uint64_t keys[LATER];
    uint32_t indices[LATER], count = calendar->later_count < LATER ? calendar->later_count : LATER;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = content_hash(w, calendar->later[i].due);
        indices[i] = i;
    }
    sort(keys, indices, count);
    for (uint32_t i = 0; i < count; i++) {
        const gpci_due due = calendar->later[indices[i]].due;
        put(w, 1 + due.step);
        put_task(w, due.subject);
    }
    put(w, 0);
}

/* -- memory and the ghost */

static void put_values(overlap_writer *w) {
    const gpci_verify_ghost *g = &w->e->ghost;
    for (uint32_t b = 0; b < w->e->setup->blocks; b++)
        for (uint32_t p = 0; p < w->e->setup->positions; p++) {
            uint8_t byte = 0;
            (void)gpc_coherence_read_memory(w->e->c, gpci_verify_address(b, p), &byte, 1);
            uint64_t word = byte | (uint64_t)g->value[b][p] << 8;
            for (uint32_t place = 0; place < w->e->setup->tree.caches; place++)
                word |= (uint64_t)(g->last[w->turn[place]][b][p] | g->stored[w->turn[place]][b][p] << 2 |
                                   g->old[w->turn[place]][b][p] << 4 | g->aging[w->turn[place]][b][p] << 6)
                        << (16 + 8 * place);
            put(w, word);
        }
    for (uint32_t place = 0; w->e->setup->detaches && place < w->e->setup->tree.caches; place++)
        for (uint32_t b = 0; b < w->e->setup->blocks; b++)
            put(w, g->detached[w->turn[place]][b]);
}

static gpci_verify_hash key_of(const gpci_explorer *e, const uint8_t *turn) {
    const gpci_engine *c = e->c->engine;
    const uint32_t modules = e->c->module_count;
    overlap_writer w = {.e = e, .c = c, .turn = turn, .tasks = e->numbers, .inflights = e->numbers + c->tasks.count};
    memset(e->numbers, 0, (c->tasks.count + c->inflights.count) * sizeof *e->numbers);
    for (uint32_t place = 0; place < modules; place++)
        w.place[turn[place]] = (uint8_t)place;
    for (uint32_t i = 0; i < modules; i++)
        rank(&w, &e->c->modules[i]);
    number_inflights(&w);
    put_inflights(&w);
    for (uint32_t place = 0; place < modules; place++)
        put_module(&w, &e->c->modules[turn[place]]);
    put_channels(&w);
    put_later(&w);
    put_values(&w);
    return w.hash;
}

bool gpci_verify_overlap_key(gpci_explorer *e, gpci_verify_hash *hash) {
    const gpci_engine *c = e->c->engine;
    if (!GPCI_ARRAY_ROOM(e->setup->context, e->numbers, e->number_room, 0,
                         (size_t)c->tasks.count + c->inflights.count + 1))
        return false;
    *hash = key_of(e, e->turns[0]);
    for (uint32_t i = 1; i < e->turn_count; i++) {
        const gpci_verify_hash other = key_of(e, e->turns[i]);
        if (other.one < hash->one || (other.one == hash->one && other.other < hash->other))
            *hash = other;
    }
    return true;
}
