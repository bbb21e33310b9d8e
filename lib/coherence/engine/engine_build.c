/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_hold.h"
#include "coherence/engine/engine_host.h"
#include "coherence/module/tree_engine.h"

#include <string.h>

/* Memory of overlapping accesses in addition to the tree. */

#define BACK_OFF_WORDS 31u

static uint32_t draw(gpci_engine *e) {
    uint32_t *word = &e->random[e->drawn % BACK_OFF_WORDS];
    *word += e->random[(e->drawn + BACK_OFF_WORDS - 3) % BACK_OFF_WORDS];
    e->drawn = (e->drawn + 1) % BACK_OFF_WORDS;
    return *word >> 1;
}

static void seed_back_off(gpci_engine *e, uint64_t seed) {
    const uint32_t folded = (uint32_t)(seed ^ seed >> 32);
    e->random[0] = folded ? folded : 1;
    for (uint32_t i = 1; i < BACK_OFF_WORDS; i++) /* minimal standard generator of Park and Miller */
        e->random[i] = (uint32_t)((uint64_t)e->random[i - 1] * 16807 % 2147483647);
    e->drawn = 3;
    for (uint32_t i = 0; i < 10 * BACK_OFF_WORDS; i++)
        (void)draw(e);
}

uint32_t gpci_back_off(gpci_engine *e, uint32_t bound) {
    return e->hold ? 1 : draw(e) % bound; /* held tree: when chosen */
}

/* Networks. */

static bool on_network(const gpci_module *m, uint32_t network) {
    return m->given.low_network == network || m->given.high_network == network;
}

static bool make_net(gpci_engine *e, uint32_t network) {
    const gpc_coherence *c = e->tree;
    gpci_net *net = &e->nets[network];
    const gpc_coherence_network *given = &c->stars[network].given;
    for (uint32_t i = 0; i < c->module_count; i++)
        if (on_network(&c->modules[i], network))
            e->places[(size_t)network * c->module_count + i] = net->count++;
    if (!net->count)
        return true;
    net->buffers = gpci_zalloc(e->context, (size_t)net->count * GPCI_BUFFER_COUNT, sizeof *net->buffers);
    for (uint32_t i = 0; net->buffers && i < net->count * GPCI_BUFFER_COUNT; i++) {
        const bool out = i % GPCI_BUFFER_COUNT == GPCI_BUFFER_OUT || i % GPCI_BUFFER_COUNT == GPCI_BUFFER_SWITCH_OUT;
        net->buffers[i].row = net->buffers[i].waiters = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
        net->buffers[i].size = out ? given->output_buffer : given->input_buffer;
    }
    return net->buffers != NULL;
}

static bool make_nets(gpci_engine *e) {
    const gpc_coherence *c = e->tree;
    if (!c->star_count)
        return true;
    e->nets = gpci_zalloc(e->context, c->star_count, sizeof *e->nets);
    e->places = gpci_zalloc(e->context, (size_t)c->star_count * c->module_count, sizeof *e->places);
    if (!e->nets || !e->places)
        return false;
    for (uint32_t i = 0; i < c->star_count; i++)
        if (!make_net(e, i))
            return false;
    return true;
}

/* Modules. */

/*
 * Number of lock buckets of a module. Few of many blocks are locked at once; in a shared cache a smaller part than in a
 * cache with the MSHRs of one processor. In a small cache, such as an L1 with hundreds of ways per set, any block may
 * be locked, and has a bucket of its own. A lone access locks few blocks.
 */
static uint32_t buckets_of(const gpci_engine *e, const gpci_module *m) {
    const uint32_t most = 4096, few = 64, part = m->place == GPCI_PLACE_FIRST ? 8 : 32;
    const uint32_t needed = m->full_map || e->alone ? few : m->blocks <= most ? m->blocks : m->blocks / part;
    uint32_t buckets = 1;
    while (buckets < needed)
        buckets *= 2;
    return buckets;
}

/* Allocate the buckets at once (untouched pages cost no memory). A near half shares the buckets of the home half. */
static bool make_buckets(gpci_engine *e) {
    const gpc_coherence *c = e->tree;
    size_t count = 0;
    for (uint32_t i = 0; i < c->module_count; i++)
        count += c->modules[i].near ? 0 : buckets_of(e, &c->modules[i]);
    uint32_t *next = e->buckets = gpci_zalloc(e->context, count, sizeof *e->buckets);
    for (uint32_t i = 0; next && i < c->module_count; i++) {
        if (c->modules[i].near)
            continue;
        e->units[i].locks = next;
        e->units[i].lock_mask = buckets_of(e, &c->modules[i]) - 1;
        next += e->units[i].lock_mask + 1;
    }
    for (uint32_t i = 0; next && i < c->module_count; i++)
        if (c->modules[i].near) {
            e->units[i].locks = e->units[c->modules[i].given.near_of].locks;
            e->units[i].lock_mask = e->units[c->modules[i].given.near_of].lock_mask;
        }
    return next;
}

/* Make lock 0, shared by unlocked blocks. */
static bool make_free_lock(gpci_engine *e) {
    if (!gpci_items_room(e->context, &e->locks, 1))
        return false;
    *(gpci_lock *)gpci_items_at(&e->locks, gpci_items_take(&e->locks)) = GPCI_LOCK_FREE;
    return true;
}

static bool make_units(gpci_engine *e) {
    const gpc_coherence *c = e->tree;
    e->units = gpci_zalloc(e->context, c->module_count, sizeof *e->units);
    if (!e->units || !make_buckets(e))
        return false;
    for (uint32_t i = 0; i < c->module_count; i++) {
        gpci_engine_unit *unit = &e->units[i];
        unit->port_waiters = unit->address_waiters = unit->entry_waiters = unit->notified_waiters =
            (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
        unit->senders[0] = unit->senders[1] = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
        unit->oldest = unit->youngest = unit->address_blocked = unit->notified = GPCI_NO_ITEM;
        unit->halved = c->modules[i].twin != NULL;
        for (uint32_t k = 0; k < c->modules[i].above_count; k++)
            unit->mixed |= c->modules[c->modules[i].above[k]].given.block_bytes != 1u << c->modules[i].sub_shift;
    }
    return true;
}

/*
 * Most tasks made by a step: copies above the blocks of a line; per block a request and the eviction; for a marker the
 * neighbouring modules.
 */
static uint32_t fan_out_of(const gpc_coherence *c) {
    uint32_t most = 0, sectors = 1, neighbours = 0;
    for (uint32_t i = 0; i < c->module_count; i++) {
        const gpci_module *m = &c->modules[i];
        uint32_t copies = 0;
        sectors = m->sectors > sectors ? m->sectors : sectors;
        for (uint32_t k = 0; k < m->above_count; k++)
            copies += m->given.block_bytes / c->modules[m->above[k]].given.block_bytes;
        most = copies > most ? copies : most;
        if (gpci_tree_has(c, GPC_PROTOCOL_INVALIDATES) && m->above_count + m->given.low_count > neighbours)
            neighbours = m->above_count + m->given.low_count;
    }
    return (most + 1) * sectors + 2 * (sectors - 1) + neighbours;
}

static uint32_t largest_first(const gpc_coherence *c) {
    uint32_t largest = 0;
    for (uint32_t i = 0; i < c->module_count; i++)
        if (!c->modules[i].above_count && c->modules[i].given.block_bytes > largest)
            largest = c->modules[i].given.block_bytes;
    return largest;
}

/* True if a module wants the byte mask of stores. */
static bool has_masks(const gpc_coherence *c) {
    bool any = false;
    for (uint32_t i = 0; i < c->module_count; i++)
        any |= c->modules[i].lacks != NULL || (c->modules[i].lazy && c->modules[i].above_count);
    return any;
}

gpc_status gpci_engine_create(gpc_coherence *c, bool alone, gpc_error *error, gpci_engine **out) {
    gpci_engine *e = gpci_zalloc(c->context, 1, sizeof *e);
    if (!e)
        return gpci_out_of_memory(error);
    e->tree = c;
    e->context = c->context;
    e->alone = alone;
    e->waits = e->passes = !gpci_tree_has(c, GPC_PROTOCOL_RETRY);
    e->lists = true;
    seed_back_off(e, c->context->seed);
    e->ended = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
    gpci_items_init(&e->tasks, sizeof(gpci_task));
    gpci_items_init(&e->inflights, sizeof(gpci_tree_inflight));
    gpci_items_init(&e->sent_messages, sizeof(gpci_sent_message));
    gpci_items_init(&e->waiters, sizeof(gpci_waiter));
    gpci_items_init(&e->locks, sizeof(gpci_lock));
    e->fan_out = fan_out_of(c) + 2 * c->neighbour_limit;
    e->sides = c->neighbour_limit + (gpci_tree_has(c, GPC_PROTOCOL_INVALIDATES) ? e->fan_out : 0);
    if (c->telling.fill_ways) { /* a line leaves, and a block that just arrived */
        e->fan_out += GPCI_TREE_SECTORS + 1;
        e->sides += GPCI_TREE_SECTORS + 1;
    }
    e->grows = e->sides;
    e->largest = largest_first(c);
    e->payload_bytes = c->with_data || has_masks(c) ? (e->largest + 7) / 8 + (c->with_data ? e->largest * 2 : 0) : 0;
    e->crowded = c->first_map < c->module_count;
    if (!make_nets(e) || !make_free_lock(e) || !make_units(e)) {
        gpci_engine_destroy(e);
        return gpci_out_of_memory(error);
    }
    *out = e;
    return GPC_OK;
}

void gpci_engine_destroy(gpci_engine *e) {
    if (!e)
        return;
    gpc_context *context = e->context;
    for (uint32_t i = 0; e->nets && i < e->tree->star_count; i++)
        gpci_free(context, e->nets[i].buffers);
    gpci_free(context, e->buckets);
    gpci_hold_end(e);
    gpci_free(context, e->nets);
    gpci_free(context, e->places);
    gpci_free(context, e->units);
    gpci_array_free(context, e->payload, e->payload_room * e->payload_bytes);
    gpci_array_free(context, e->policy_request, e->policy_request_room * sizeof *e->policy_request);
    gpci_array_free(context, e->labels, e->label_room * sizeof *e->labels);
    gpci_array_free(context, e->rests, e->rest_room * sizeof *e->rests);
    gpci_array_free(context, e->trails, e->trail_room * sizeof *e->trails);
    gpci_calendar_free(context, &e->calendar);
    gpci_items *const pools[] = {&e->tasks, &e->inflights, &e->sent_messages, &e->waiters, &e->locks};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        gpci_items_free(context, pools[i]);
    gpci_free(context, e);
}

/* Make room in an array parallel to a pool (`items`: address of the pointer), as much as the pool has. */
static bool reserve_beside(gpc_context *context, const gpci_items *pool, void *items, size_t *room, size_t bytes) {
    if (GPCI_LIKELY(*room >= pool->room))
        return true;
    void *memory;
    memcpy(&memory, items, sizeof memory); /* a pointer of any type, without breaking aliasing rules */
    memory = gpci_array_enlarge(context, memory, *room * bytes, pool->room * bytes);
    if (!memory)
        return false;
    memcpy(items, &memory, sizeof memory);
    *room = pool->room;
    return true;
}

/* A snapshot without accesses in flight has no payload: later snapshots of the loaded tree have zeros. */
static bool reserve_payload(gpci_engine *e) {
    const size_t had = e->payload_room;
    if (!e->payload_bytes)
        return true;
    if (!reserve_beside(e->context, &e->inflights, &e->payload, &e->payload_room, e->payload_bytes))
        return false;
    if (GPCI_UNLIKELY(e->payload_room > had))
        memset((char *)e->payload + had * e->payload_bytes, 0, (e->payload_room - had) * e->payload_bytes);
    return true;
}

static bool reserve_shown(gpci_engine *e) {
    return !e->tree->has_policies || reserve_beside(e->context, &e->inflights, &e->policy_request,
                                                    &e->policy_request_room, sizeof *e->policy_request);
}

static bool reserve_rests(gpci_engine *e) {
    const bool wanted = !e->host || e->orders || e->tree->with_data;
    return !wanted || reserve_beside(e->context, &e->inflights, &e->rests, &e->rest_room, sizeof *e->rests);
}

bool gpci_engine_make_inflights(gpci_engine *e, uint32_t more) {
    return gpci_items_room(e->context, &e->inflights, more) && reserve_payload(e) && reserve_shown(e) &&
           reserve_rests(e);
}

bool gpci_engine_make_trails(gpci_engine *e) {
    return !e->alone || reserve_beside(e->context, &e->tasks, &e->trails, &e->trail_room, sizeof *e->trails);
}

bool gpci_engine_make_labels(gpci_engine *e) {
    const size_t had = e->label_room;
    if (!reserve_beside(e->context, &e->tasks, &e->labels, &e->label_room, sizeof *e->labels))
        return false;
    if (GPCI_UNLIKELY(e->label_room > had))
        memset(e->labels + had, 0, (e->label_room - had) * sizeof *e->labels);
    return true;
}

/* Most entries a step makes in a full map: at most one per task. */
static uint32_t step_entries(const gpci_engine *e) {
    return e->fan_out + GPCI_STEP_TASKS;
}

bool gpci_engine_crowd(const gpci_engine *e, const gpci_module *m) {
    return m->full_map && m->blocks - m->map.count < step_entries(e);
}

static bool make_entries(gpci_engine *e) {
    const gpc_coherence *c = e->tree;
    for (uint32_t i = c->first_map; i < c->module_count; i++)
        if (gpci_engine_crowd(e, &c->modules[i]) &&
            gpci_module_reserve(c->context, &c->modules[i], step_entries(e)) != GPC_OK)
            return false;
    e->crowded = false;
    return true;
}

bool gpci_engine_grow(gpci_engine *e) {
    const uint32_t tasks = e->fan_out + GPCI_STEP_TASKS;
    if ((e->crowded && !make_entries(e)) || !gpci_items_room(e->context, &e->locks, tasks))
        return false;
    /* each task of a step may send a message, and wait for a place */
    if (!gpci_engine_make_inflights(e, e->sides) || !gpci_items_room(e->context, &e->tasks, tasks) ||
        !gpci_items_room(e->context, &e->sent_messages, tasks) || !gpci_items_room(e->context, &e->waiters, tasks) ||
        !gpci_engine_make_trails(e))
        return false;
    /* a step wakes at most all waiters; with a host, every task may be due when its message arrives */
    return gpci_calendar_room(e->context, &e->calendar, (uint32_t)(e->tasks.room + e->waiters.room)) &&
           gpci_hold_room(e);
}

gpc_status gpci_engine_reserve(gpci_engine *e, uint64_t address) {
    const gpc_coherence *c = e->tree;
    if (gpci_tree_engine_reserve(e->tree, address) != GPC_OK)
        return GPC_ERROR_MEMORY;
    for (uint32_t i = c->first_map; i < c->module_count && !e->crowded; i++)
        e->crowded = gpci_engine_crowd(e, &c->modules[i]); /* blocks taken by accesses outside the engine */
    return gpci_engine_room(e) && gpci_engine_make_inflights(e, 1) ? GPC_OK : GPC_ERROR_MEMORY;
}
