/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_hold.h"
#include "coherence/engine/engine_host.h"

#include <string.h>

/* Creation of an engine, and its memory; the table of steps. */

const gpci_task_step_fn gpci_steps[] = {
#define X(name) gpci_step_##name,
    GPCI_STEPS(X)
#undef X
};

#define BACK_OFF_WORDS 31u

static uint32_t draw(gpci_engine *engine) {
    uint32_t *word = &engine->random[engine->drawn % BACK_OFF_WORDS];
    *word += engine->random[(engine->drawn + BACK_OFF_WORDS - 3) % BACK_OFF_WORDS];
    engine->drawn = (engine->drawn + 1) % BACK_OFF_WORDS;
    return *word >> 1;
}

static void seed_back_off(gpci_engine *engine, uint64_t seed) {
    const uint32_t folded = (uint32_t)(seed ^ seed >> 32);
    engine->random[0] = folded ? folded : 1;
    for (uint32_t i = 1; i < BACK_OFF_WORDS; i++) /* the minimal standard generator of Park and Miller */
        engine->random[i] = (uint32_t)((uint64_t)engine->random[i - 1] * 16807 % 2147483647);
    engine->drawn = 3;
    for (uint32_t i = 0; i < 10 * BACK_OFF_WORDS; i++)
        (void)draw(engine);
}

uint32_t gpci_back_off(gpci_engine *engine, uint32_t bound) {
    /* in a held tree the calling program chooses when the access begins again */
    return engine->hold ? 1 : draw(engine) % bound;
}

/* Networks. */

static bool on_network(const gpci_module *module, uint32_t network) {
    return module->given.low_network == network || module->given.high_network == network;
}

static uint64_t room_of(uint32_t bytes) {
    return bytes ? bytes : UINT64_MAX;
}

static bool make_net(gpci_engine *engine, uint32_t network) {
    const gpc_coherence *coherence = engine->tree;
    gpci_net *net = &engine->nets[network];
    const gpc_coherence_network *given = &coherence->stars[network].given;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (on_network(&coherence->modules[i], network))
            engine->places[(size_t)network * coherence->module_count + i] = net->count++;
    if (!net->count)
        return true;
    net->link = (gpci_link){.width = gpci_divisor_of(given->bandwidth), .unit = GPCI_ROOM_BYTES};
    net->words = (net->count + 63) / 64;
    net->requests = gpci_zalloc(engine->context, (size_t)net->count * net->words, sizeof *net->requests);
    net->buffers = gpci_zalloc(engine->context, (size_t)net->count * GPCI_BUFFER_COUNT, sizeof *net->buffers);
    net->used = gpci_zalloc(engine->context, net->count, sizeof *net->used);
    for (uint32_t i = 0; net->buffers && i < net->count * GPCI_BUFFER_COUNT; i++) {
        const bool out = i % GPCI_BUFFER_COUNT == GPCI_BUFFER_OUT || i % GPCI_BUFFER_COUNT == GPCI_BUFFER_SWITCH_OUT;
        net->buffers[i].row = net->buffers[i].waiters = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
        net->buffers[i].room.capacity = room_of(out ? given->output_buffer : given->input_buffer);
    }
    return net->requests && net->buffers && net->used;
}

static bool make_nets(gpci_engine *engine) {
    const gpc_coherence *coherence = engine->tree;
    if (!coherence->star_count)
        return true;
    engine->nets = gpci_zalloc(engine->context, coherence->star_count, sizeof *engine->nets);
    engine->places =
        gpci_zalloc(engine->context, (size_t)coherence->star_count * coherence->module_count, sizeof *engine->places);
    if (!engine->nets || !engine->places)
        return false;
    for (uint32_t i = 0; i < coherence->star_count; i++)
        if (!make_net(engine, i))
            return false;
    return true;
}

/* Modules. */

/*
 * Number of lock buckets of a module. In a large module only a small part of the blocks is locked at once; in a shared
 * cache, a smaller part than in a cache with the MSHRs of one processor. In a small module, such as an L1 with hundreds
 * of ways per set, all blocks may be locked, and each block has a bucket. A lone access locks few blocks.
 */
static uint32_t buckets_of(const gpci_engine *engine, const gpci_module *module) {
    const uint32_t most = 4096, few = 64, part = module->place == GPCI_PLACE_FIRST ? 8 : 32;
    const uint32_t needed = module->full_map || engine->alone ? few
                            : module->blocks <= most          ? module->blocks
                                                              : module->blocks / part;
    uint32_t buckets = 1;
    while (buckets < needed)
        buckets *= 2;
    return buckets;
}

/*
 * Allocate the buckets of all modules in one piece (untouched pages cost no memory). A near half shares the buckets of
 * the home half.
 */
static bool make_buckets(gpci_engine *engine) {
    const gpc_coherence *coherence = engine->tree;
    size_t count = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        count += coherence->modules[i].near ? 0 : buckets_of(engine, &coherence->modules[i]);
    uint32_t *next = engine->buckets = gpci_zalloc(engine->context, count, sizeof *engine->buckets);
    for (uint32_t i = 0; next && i < coherence->module_count; i++) {
        if (coherence->modules[i].near)
            continue;
        engine->units[i].locks = next;
        engine->units[i].lock_mask = buckets_of(engine, &coherence->modules[i]) - 1;
        next += engine->units[i].lock_mask + 1;
    }
    for (uint32_t i = 0; next && i < coherence->module_count; i++)
        if (coherence->modules[i].near) {
            engine->units[i].locks = engine->units[coherence->modules[i].given.near_of].locks;
            engine->units[i].lock_mask = engine->units[coherence->modules[i].given.near_of].lock_mask;
        }
    return next;
}

/* Make lock 0, the lock of all unlocked blocks. */
static bool make_free_lock(gpci_engine *engine) {
    if (!gpci_items_reserve(engine->context, &engine->locks, 1))
        return false;
    *(gpci_lock *)gpci_items_at(&engine->locks, gpci_items_take(&engine->locks)) = GPCI_LOCK_FREE;
    return true;
}

static bool make_units(gpci_engine *engine) {
    const gpc_coherence *coherence = engine->tree;
    engine->units = gpci_zalloc(engine->context, coherence->module_count, sizeof *engine->units);
    if (!engine->units || !make_buckets(engine))
        return false;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        gpci_engine_unit *unit = &engine->units[i];
        unit->port_waiters = unit->address_waiters = unit->entry_waiters = unit->notified_waiters =
            (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
        unit->senders[0] = unit->senders[1] = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
        unit->oldest = unit->youngest = unit->address_blocked = unit->notified = GPCI_NO_ITEM;
        unit->halved = coherence->modules[i].twin != NULL;
        for (uint32_t k = 0; k < coherence->modules[i].above_count; k++)
            unit->mixed |= coherence->modules[coherence->modules[i].above[k]].given.block_bytes !=
                           1u << coherence->modules[i].sub_shift;
    }
    return true;
}

/* Upper bound of the tasks made by a step and the steps run at once, without probes. */
#define STEP_TASKS 8u

/*
 * Upper bound of the probes, evictions and markers begun by a step: a probe for each copy above each block of a line;
 * for each further block of a line, a request and an eviction; a marker for each neighbouring module.
 */
static uint32_t fan_out_of(const gpc_coherence *coherence) {
    uint32_t most = 0, sectors = 1, neighbours = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        const gpci_module *module = &coherence->modules[i];
        uint32_t copies = 0;
        sectors = module->sectors > sectors ? module->sectors : sectors;
        for (uint32_t k = 0; k < module->above_count; k++)
            copies += module->given.block_bytes / coherence->modules[module->above[k]].given.block_bytes;
        most = copies > most ? copies : most;
        if (gpci_tree_has(coherence, GPC_PROTOCOL_INVALIDATES) &&
            module->above_count + module->given.low_count > neighbours)
            neighbours = module->above_count + module->given.low_count;
    }
    return (most + 1) * sectors + 2 * (sectors - 1) + neighbours;
}

static uint32_t largest_first(const gpc_coherence *coherence) {
    uint32_t largest = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (!coherence->modules[i].above_count && coherence->modules[i].given.block_bytes > largest)
            largest = coherence->modules[i].given.block_bytes;
    return largest;
}

/* True if a module needs the byte masks of stores. */
static bool has_masks(const gpc_coherence *coherence) {
    bool any = false;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        any |= coherence->modules[i].lacks != NULL || (coherence->modules[i].lazy && coherence->modules[i].above_count);
    return any;
}

/*
 * Number of entries for which a full map must have room before an access. A lone access's steps cannot be refused, so
 * the number is larger.
 */
static uint32_t kept_entries(const gpci_engine *engine) {
    return (engine->alone ? 2 : 1) * engine->most;
}

static bool make_entries(gpci_engine *engine) {
    const gpc_coherence *coherence = engine->tree;
    for (uint32_t i = coherence->first_map; i < coherence->module_count; i++)
        if (gpci_module_reserve(coherence->context, &coherence->modules[i], kept_entries(engine)) != GPC_OK)
            return false;
    engine->crowded = false;
    return true;
}

gpc_status gpci_engine_create(gpc_coherence *coherence, bool alone, gpc_error *error, gpci_engine **out) {
    gpci_engine *engine = gpci_zalloc(coherence->context, 1, sizeof *engine);
    if (!engine)
        return gpci_out_of_memory(error);
    engine->tree = coherence;
    engine->context = coherence->context;
    engine->alone = alone;
    engine->waits = engine->passes = !gpci_tree_has(coherence, GPC_PROTOCOL_RETRY);
    engine->lists = true;
    seed_back_off(engine, coherence->context->seed);
    engine->ended = (gpci_due_queue)GPCI_DUE_QUEUE_INIT;
    gpci_items_init(&engine->tasks, sizeof(gpci_task));
    gpci_items_init(&engine->inflights, sizeof(gpci_tree_inflight));
    gpci_items_init(&engine->lines, sizeof(gpci_line_record));
    gpci_items_init(&engine->sent_messages, sizeof(gpci_sent_message));
    gpci_items_init(&engine->waiters, sizeof(gpci_waiter));
    gpci_items_init(&engine->locks, sizeof(gpci_lock));
    const uint32_t fan_out = fan_out_of(coherence) + 2 * coherence->neighbour_limit;
    const uint32_t filled = coherence->telling.fill_ways ? GPCI_TREE_SECTORS + 1 : 0; /* a line leaves, and a block */
    engine->most = fan_out + filled + STEP_TASKS;
    engine->internals =
        coherence->neighbour_limit + (gpci_tree_has(coherence, GPC_PROTOCOL_INVALIDATES) ? fan_out : 0) + filled;
    engine->largest = largest_first(coherence);
    engine->payload_bytes = coherence->with_data || has_masks(coherence)
                                ? (engine->largest + 7) / 8 + (coherence->with_data ? engine->largest * 2 : 0)
                                : 0;
    if (!make_nets(engine) || !make_free_lock(engine) || !make_units(engine) || !make_entries(engine)) {
        gpci_engine_destroy(engine);
        return gpci_out_of_memory(error);
    }
    *out = engine;
    return GPC_OK;
}

void gpci_engine_destroy(gpci_engine *engine) {
    if (!engine)
        return;
    gpc_context *context = engine->context;
    for (uint32_t i = 0; engine->nets && i < engine->tree->star_count; i++) {
        gpci_free(context, engine->nets[i].requests);
        gpci_free(context, engine->nets[i].buffers);
        gpci_free(context, engine->nets[i].used);
    }
    gpci_free(context, engine->buckets);
    gpci_hold_end(engine);
    gpci_free(context, engine->nets);
    gpci_free(context, engine->places);
    gpci_free(context, engine->units);
    gpci_array_free(context, engine->payload, engine->payload_capacity * engine->payload_bytes);
    gpci_array_free(context, engine->policy_request, engine->policy_request_capacity * sizeof *engine->policy_request);
    gpci_array_free(context, engine->labels, engine->label_capacity * sizeof *engine->labels);
    gpci_array_free(context, engine->rests, engine->rest_capacity * sizeof *engine->rests);
    gpci_array_free(context, engine->trails, engine->trail_capacity * sizeof *engine->trails);
    gpci_calendar_free(context, &engine->calendar);
    gpci_items *const pools[GPCI_POOL_COUNT] = GPCI_POOLS_OF(engine);
    for (size_t i = 0; i < GPCI_POOL_COUNT; i++)
        gpci_items_free(context, pools[i]);
    gpci_free(context, engine);
}

/* Enlarge an array parallel to a pool to the pool's capacity. `items`: address of the pointer to the array. */
static bool reserve_parallel(gpc_context *context, const gpci_items *pool, void *items, size_t *capacity,
                             size_t bytes) {
    if (GPCI_LIKELY(*capacity >= pool->capacity))
        return true;
    void *memory;
    memcpy(&memory, items, sizeof memory); /* copies a pointer of any type: a cast would break the aliasing rules */
    memory = gpci_array_enlarge(context, memory, *capacity * bytes, pool->capacity * bytes);
    if (!memory)
        return false;
    memcpy(items, &memory, sizeof memory);
    *capacity = pool->capacity;
    return true;
}

/*
 * Enlarge the payload, and zero the new part: a snapshot without accesses in flight saves no payload, and later
 * snapshots of the loaded tree must have zeros.
 */
static bool reserve_payload(gpci_engine *engine) {
    const size_t had = engine->payload_capacity;
    if (!engine->payload_bytes)
        return true;
    if (!reserve_parallel(engine->context, &engine->inflights, &engine->payload, &engine->payload_capacity,
                          engine->payload_bytes))
        return false;
    if (GPCI_UNLIKELY(engine->payload_capacity > had))
        memset((char *)engine->payload + had * engine->payload_bytes, 0,
               (engine->payload_capacity - had) * engine->payload_bytes);
    return true;
}

static bool reserve_shown(gpci_engine *engine) {
    return !engine->tree->has_policies ||
           (reserve_parallel(engine->context, &engine->inflights, &engine->policy_request,
                             &engine->policy_request_capacity, sizeof *engine->policy_request) &&
            (engine->alone || gpci_engine_make_lines(engine, 0)));
}

static bool reserve_rests(gpci_engine *engine) {
    const bool wanted = !engine->host || engine->orders || engine->tree->with_data;
    return !wanted || reserve_parallel(engine->context, &engine->inflights, &engine->rests, &engine->rest_capacity,
                                       sizeof *engine->rests);
}

bool gpci_engine_make_inflights(gpci_engine *engine, uint32_t more) {
    if (!gpci_items_reserve(engine->context, &engine->inflights, more) || !reserve_payload(engine) ||
        !reserve_shown(engine) || !reserve_rests(engine))
        return false;
    engine->inflight_room = engine->inflights.capacity;
    return true;
}

bool gpci_engine_make_trails(gpci_engine *engine) {
    return !engine->alone || reserve_parallel(engine->context, &engine->tasks, &engine->trails, &engine->trail_capacity,
                                              sizeof *engine->trails);
}

bool gpci_engine_make_labels(gpci_engine *engine) {
    const size_t had = engine->label_capacity;
    if (!reserve_parallel(engine->context, &engine->tasks, &engine->labels, &engine->label_capacity,
                          sizeof *engine->labels))
        return false;
    if (GPCI_UNLIKELY(engine->label_capacity > had))
        memset(engine->labels + had, 0, (engine->label_capacity - had) * sizeof *engine->labels);
    return true;
}

bool gpci_engine_grow(gpci_engine *engine) {
    const uint32_t tasks = 2 * engine->most; /* room for two steps: so the next step finds room, too */
    if ((engine->crowded && !make_entries(engine)) || !gpci_items_reserve(engine->context, &engine->locks, tasks))
        return false;
    /* each task of a step may send a message, and may wait */
    if (!gpci_engine_make_inflights(engine, engine->internals + 1) ||
        !gpci_items_reserve(engine->context, &engine->tasks, tasks) ||
        !gpci_items_reserve(engine->context, &engine->sent_messages, tasks) ||
        !gpci_items_reserve(engine->context, &engine->waiters, tasks) || !gpci_engine_make_trails(engine))
        return false;
    engine->task_room = engine->tasks.capacity;
    /* a step may wake all waiters; with a host, all tasks may be due in the same cycle, when their messages arrive */
    return gpci_calendar_reserve(engine->context, &engine->calendar,
                                 (uint32_t)(engine->tasks.capacity + engine->waiters.capacity)) &&
           gpci_hold_reserve(engine);
}

/*
 * Decide `crowded` again for all full maps: entries may have been made since, by this engine or by the tree's other
 * engine.
 */
static void look_for_crowds(gpci_engine *engine) {
    const gpc_coherence *coherence = engine->tree;
    for (uint32_t i = coherence->first_map; i < coherence->module_count && !engine->crowded; i++)
        engine->crowded = coherence->modules[i].full_map &&
                          coherence->modules[i].blocks - coherence->modules[i].map.count < kept_entries(engine);
    engine->entries = coherence->entries;
}

gpc_status gpci_engine_reserve_access(gpci_engine *engine, uint64_t address) {
    const gpc_coherence *coherence = engine->tree;
    if (gpci_tree_engine_reserve(engine->tree, address) != GPC_OK)
        return GPC_ERROR_MEMORY;
    if (engine->entries != coherence->entries)
        look_for_crowds(engine);
    return gpci_engine_reserve_step(engine) && gpci_engine_make_inflights(engine, 1) ? GPC_OK : GPC_ERROR_MEMORY;
}
