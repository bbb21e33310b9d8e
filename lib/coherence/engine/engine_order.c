/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"

#include <string.h>

/*
 * Order among a first-level module's accesses in flight, in engines that list them (gpci_engine.lists). A store waits
 * for all older accesses; a load or n-store waits for the nearest older store, and for older accesses to the same
 * block. An access can join an older access (its master), share the master's result, and end with the master. A load
 * joins an older load of the same block, if no store or n-store lies between. A store or n-store joins the access just
 * before, if that access is of the same kind and block, and is not being looked up.
 *
 * Example, nmoesi, an empty L1: a load of A is looked up, locks a way and sends a request to L2. Another load of A
 * joins the first load. A store to A waits until both loads have ended, then finds A in state E and writes.
 */

static uint32_t event_of(const gpci_engine *engine, const gpci_tree_inflight *access) {
    return gpci_tree_event_of(engine->tree, access->kind, access->flags);
}

bool gpci_goes_alone(const gpci_engine *engine, const gpci_tree_inflight *access) {
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    const uint32_t event = event_of(engine, access);
    bool alone = event >= GPC_EVENT_COUNT || gpci_tree_goes_through(module, access->kind, access->flags) ||
                 gpci_tree_bypasses(module, event, access->kind, access->flags);
    for (uint32_t state = 0; state < engine->tree->states; state++)
        alone |= (gpci_module_rule(module, (uint8_t)state, event)->actions & (GPC_DO_PASS | GPC_DO_WRITE_THROUGH)) != 0;
    return alone;
}

static bool same_block(const gpci_engine *engine, const gpci_tree_inflight *left, const gpci_tree_inflight *right) {
    const gpci_module *module = gpci_module_at(engine->tree, left->module);
    return gpci_module_tag_of(module, left->address) == gpci_module_tag_of(module, right->address);
}

/* Read the bytes of a load that joins an access whose block is already unlocked: the bytes were saved at the unlock. */
static void read_of_master(const gpci_engine *engine, uint32_t inflight) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    access->applied = true;
    if (engine->tree->with_data)
        memcpy(gpci_payload_of(engine, inflight),
               gpci_block_copy_of(engine, access->master) + (access->address & (module->given.block_bytes - 1)),
               access->size);
}

/*
 * True if an access or acquire of the module itself has locked the block, to evict it. A store to such a block would be
 * lost.
 */
static bool is_leaving(const gpci_engine *engine, const gpci_module *module, uint32_t block) {
    const uint32_t holder = gpci_lock_of(engine, module->index, block)->holder;
    return holder != GPCI_NO_ITEM && gpci_tree_inflight_at(engine, holder)->module == module->index;
}

/*
 * True if a store may join a store that was already performed: the module's block still allows a store without a
 * request or a change of the state, and is not about to leave.
 */
static bool still_writes(const gpci_engine *engine, const gpci_tree_inflight *access, uint32_t *block) {
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    *block = gpci_module_find(module, gpci_module_tag_of(module, access->address));
    if (*block == GPCI_TREE_NO_BLOCK)
        return false;
    const gpc_protocol_rule rule = *gpci_module_rule(module, module->states[*block], event_of(engine, access));
    return rule.actions == GPC_DO_HIT && rule.next == module->states[*block] && !is_leaving(engine, module, *block);
}

static uint32_t master_of(const gpci_engine *engine, uint32_t inflight) {
    const uint32_t master = gpci_tree_inflight_at(engine, inflight)->master;
    return master == GPCI_NO_ITEM ? inflight : master;
}

/* Next older and next newer access of the same module. */
static uint32_t older_than(const gpci_engine *engine, uint32_t inflight) {
    return engine->rests[inflight].older;
}

static uint32_t newer_than(const gpci_engine *engine, uint32_t inflight) {
    return engine->rests[inflight].newer;
}

/*
 * Access that a new access can join because of the older access `other`: the master of `other`, or GPCI_NO_ITEM if
 * `other` has ended. A joined access ends after its master, in the same cycle. Multi2Sim lets accesses join between
 * these two ends: `other` itself is then the master.
 */
static uint32_t joinable(const gpci_engine *engine, uint32_t other) {
    if (GPCI_LIKELY(!gpci_tree_inflight_at(engine, other)->ended))
        return master_of(engine, other);
    return gpci_tree_has(engine->tree, GPC_PROTOCOL_RETRY) ? other : GPCI_NO_ITEM;
}

static uint32_t who_is_joined(const gpci_engine *engine, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    uint32_t other = older_than(engine, inflight), block;
    if (access->alone)
        return GPCI_NO_ITEM;
    if (access->kind == GPC_COHERENCE_LOAD) {
        for (; other != GPCI_NO_ITEM; other = older_than(engine, other)) {
            const gpci_tree_inflight *o = gpci_tree_inflight_at(engine, other);
            if (o->kind != GPC_COHERENCE_LOAD)
                return GPCI_NO_ITEM;
            if (same_block(engine, o, access))
                return o->alone ? GPCI_NO_ITEM : joinable(engine, other);
        }
        return GPCI_NO_ITEM;
    }
    if (other == GPCI_NO_ITEM)
        return other;
    const gpci_tree_inflight *tree_inflight = gpci_tree_inflight_at(engine, other);
    const uint32_t master = joinable(engine, other);
    if (tree_inflight->kind != access->kind || tree_inflight->alone || tree_inflight->holds_port ||
        master == GPCI_NO_ITEM || !same_block(engine, tree_inflight, access))
        return GPCI_NO_ITEM;
    return gpci_tree_inflight_at(engine, master)->unlocked && !still_writes(engine, access, &block) ? GPCI_NO_ITEM
                                                                                                    : master;
}

static void enlist(gpci_engine *engine, uint32_t inflight) {
    gpci_engine_unit *unit = &engine->units[gpci_tree_inflight_at(engine, inflight)->module];
    engine->rests[inflight].older = unit->youngest;
    engine->rests[inflight].newer = GPCI_NO_ITEM;
    if (unit->youngest == GPCI_NO_ITEM)
        unit->oldest = inflight;
    else
        engine->rests[unit->youngest].newer = inflight;
    unit->youngest = inflight;
    unit->listed++;
}

/*
 * Copy the result of an ending master to an access that joined it. With data, also copy the block, because a later load
 * may join the joined access.
 */
static void take_over(gpci_engine *engine, uint32_t master, uint32_t joined) {
    const gpci_tree_inflight *inflight = gpci_tree_inflight_at(engine, master);
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, joined);
    access->ended = true;
    access->unlocked = inflight->unlocked;
    access->deepest = inflight->deepest;
    if (GPCI_UNLIKELY(gpci_tree_has(engine->tree, GPC_PROTOCOL_RETRY)) && engine->tree->with_data)
        memcpy(gpci_block_copy_of(engine, joined), gpci_block_copy_of(engine, master),
               gpci_module_at(engine->tree, access->module)->given.block_bytes);
}

void gpci_strike_off(gpci_engine *engine, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    gpci_engine_unit *unit = &engine->units[access->module];
    const uint32_t older = older_than(engine, inflight), newer = newer_than(engine, inflight);
    uint32_t other = access->master == GPCI_NO_ITEM ? newer : GPCI_NO_ITEM;
    for (; other != GPCI_NO_ITEM; other = newer_than(engine, other))
        if (gpci_tree_inflight_at(engine, other)->master == inflight)
            take_over(engine, inflight, other);
    unit->listed--;
    unit->joined -= access->master != GPCI_NO_ITEM;
    if (older == GPCI_NO_ITEM)
        unit->oldest = newer;
    else
        engine->rests[older].newer = newer;
    if (newer == GPCI_NO_ITEM)
        unit->youngest = older;
    else
        engine->rests[newer].older = older;
    gpci_wake(engine, &engine->rests[inflight].waiters, 0);
}

void gpci_perform_joined(gpci_engine *engine, uint32_t inflight, uint32_t block) {
    for (uint32_t other = newer_than(engine, inflight); other != GPCI_NO_ITEM; other = newer_than(engine, other))
        if (gpci_tree_inflight_at(engine, other)->master == inflight)
            gpci_perform(engine, other, block);
}

static void join(gpci_engine *engine, uint32_t task, uint32_t master) {
    const uint32_t inflight = gpci_task_at(engine, task)->inflight;
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight),
                       *tree_inflight = gpci_tree_inflight_at(engine, master);
    uint32_t block;
    access->master = master;
    gpci_due_queue_join(&engine->waiters, &engine->rests[master].waiters, (gpci_due){task, GPCI_STEP_access_end});
    if (tree_inflight->unlocked && access->kind == GPC_COHERENCE_LOAD)
        read_of_master(engine, inflight);
    else if (tree_inflight->unlocked && still_writes(engine, access, &block))
        gpci_perform(engine, inflight, block);
    if (GPCI_UNLIKELY(tree_inflight->ended))
        take_over(engine, master, inflight);
    engine->units[access->module].joined++;
    if (engine->host)
        engine->host->joined(engine->host->self, inflight);
}

void gpci_step_access_begin(gpci_engine *e, uint32_t task) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    gpci_tree_inflight_at(e, inflight)->alone = gpci_goes_alone(e, gpci_tree_inflight_at(e, inflight));
    enlist(e, inflight);
    const uint32_t master = who_is_joined(e, inflight);
    if (master != GPCI_NO_ITEM)
        join(e, task, master);
    else
        gpci_then(e, task, GPCI_STEP_access_order);
}

uint32_t gpci_who_comes_first(const gpci_engine *engine, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    uint32_t found = GPCI_NO_ITEM;
    if (access->kind == GPC_COHERENCE_STORE)
        return older_than(engine, inflight);
    for (uint32_t other = older_than(engine, inflight); other != GPCI_NO_ITEM; other = older_than(engine, other)) {
        const gpci_tree_inflight *tree_inflight = gpci_tree_inflight_at(engine, other);
        if (tree_inflight->kind == GPC_COHERENCE_STORE)
            return other;
        if (same_block(engine, tree_inflight, access))
            found = other;
    }
    return found;
}
