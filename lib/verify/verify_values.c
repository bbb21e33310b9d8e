/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/*
 * Check of the values after a single access. Other model checkers keep the last write of each byte, the ghost, beside
 * the state. Here the state itself has the ghost: the byte's home value (invariants.h) before the access. Each access
 * is checked against the home value; by induction over the accesses, the home value is the last write.
 *
 * A module holds a byte if the byte was stored in the module and is not merged below yet. In N, all n-stored bytes are
 * held; in protocols without a directory, all modified bytes above the cache shared by all processors. The sink of a
 * held byte is the next module towards memory that also holds the byte; if there is none, the home. Checks of a byte:
 *   - a store goes to its own module, if the module then holds the byte, or else to the sink, with the stored value
 *   - a byte that is no longer held was merged into its sink: the sink's value is one of the merged values, and no
 *     store is lost (no rule says which of several racing stores is last). If an owner in M or O n-stored the byte, the
 *     owner raced with the holders, and its value may stay (`raced`)
 *   - all other sinks are unchanged; no byte becomes held without a store or a merge
 *   - a copy is unchanged, or equals its home's present value; in coherent protocols, it always equals the home's value
 *   - a new copy has the home's value, or the value of the held or shared copy that the new copy came from
 *   - a load returns the value of its module's copy; without a copy, the home's value
 *   - after an acquire that refreshes, the module's copies equal the home's; after a flush, neither the module nor a
 *     module above has a copy
 * If only one cache n-stores bytes, the cache sees the bytes at once; another cache sees the bytes if it fetches the
 * block (first access, acquire, store) after the write-back. A coherent store to a block merges all held bytes of the
 * block.
 */

static bool is_held(const gpci_explorer *explorer, const gpci_module *module, uint32_t block, uint64_t address) {
    const uint64_t at = address % module->given.block_bytes;
    const uint32_t bytes = (module->given.block_bytes + 7) / 8;
    if (!(module->dirty[(size_t)block * bytes + at / 8] >> at % 8 & 1))
        return false;
    return explorer->tracked ? gpci_tree_is_masked(explorer->coherence, module->states[block])
                             : module->place != GPCI_PLACE_LAST;
}

void gpci_verify_look(const gpci_explorer *explorer, gpci_verify_picture *picture) {
    memset(picture, 0, sizeof *picture);
    memset(picture->state, GPC_LINE_I, sizeof picture->state);
    for (uint32_t b = 0; b < explorer->setup->blocks; b++)
        for (uint32_t p = 0; p < explorer->setup->positions; p++) {
            const uint64_t address = gpci_verify_address(b, p);
            picture->home[b][p] = gpci_invariants_home(explorer->coherence, address);
            for (uint32_t i = 0; i < explorer->coherence->module_count; i++) {
                const gpci_module *module = &explorer->coherence->modules[i];
                const uint32_t block =
                    module->given.memory ? GPCI_TREE_NO_BLOCK : gpci_invariants_copy(module, address);
                if (block == GPCI_TREE_NO_BLOCK)
                    continue;
                picture->state[i][b] = module->states[block];
                const uint64_t at = address % module->given.block_bytes;
                const bool come = gpci_module_has_byte(module, block, at);
                /* a byte that the module lacks counts as the home's */
                picture->byte[i][b][p] =
                    come ? module->data[(size_t)block * module->given.block_bytes + at] : picture->home[b][p];
                picture->held[i][b][p] = is_held(explorer, module, block, address);
            }
        }
}

/* Check of an explored byte: the access, and the values before and after the access. */
typedef struct view {
    gpci_explorer *explorer;
    const gpci_verify_action *action;
    const gpci_verify_picture *before, *after;
    uint32_t b, p;
    uint32_t stored_to; /* sink of the store; GPC_NO_MODULE: the home */
    bool stored;
    char *text;
    size_t size;
} view;

static bool wrong(const view *step, uint32_t module, const char *what, uint32_t found) {
    char place[16] = "home";
    step->explorer->wrong = (gpci_verify_byte){true, (uint8_t)found, module, step->b, step->p};
    if (module != GPC_NO_MODULE)
        snprintf(place, sizeof place, "m%u", module);
    snprintf(step->text, step->size, "data value: %c[%u] is %u in %s: %s", 'A' + step->b, step->p, found, place, what);
    return false;
}

static bool valid(const gpci_verify_picture *picture, uint32_t module, uint32_t b) {
    return picture->state[module][b] != GPC_LINE_I;
}

/* First module from `module` on towards memory that holds the byte after the access; GPC_NO_MODULE: the home. */
static uint32_t sink_from(const view *step, uint32_t module) {
    while (module != GPC_NO_MODULE && !step->after->held[module][step->b][step->p])
        module = step->explorer->low[module][step->b];
    return module;
}

static bool is_above(const view *step, uint32_t upper, uint32_t lower) {
    while (upper != GPC_NO_MODULE && upper != lower)
        upper = step->explorer->low[upper][step->b];
    return upper == lower;
}

/* True if `module` held the byte before the access, and does not hold the byte after. */
static bool release(const view *step, uint32_t module) {
    return step->before->held[module][step->b][step->p] && !step->after->held[module][step->b][step->p];
}

static bool sink_is_right(const view *step, uint32_t sink) {
    const bool home = sink == GPC_NO_MODULE;
    const uint8_t now = home ? step->after->home[step->b][step->p] : step->after->byte[sink][step->b][step->p];
    if (step->stored && step->stored_to == sink)
        return now == step->action->value || wrong(step, sink, "not what was stored", now);
    bool any = false;
    for (uint32_t i = 0; i < step->explorer->coherence->module_count; i++) {
        if (!release(step, i) || sink_from(step, i) != sink)
            continue;
        any = true;
        if (step->before->byte[i][step->b][step->p] == now)
            return true;
    }
    if (any && home && step->explorer->ghost.raced[step->b][step->p] && now == step->before->home[step->b][step->p])
        return true;
    if (any)
        return wrong(step, sink, "not what was written back", now);
    if (home)
        return now == step->before->home[step->b][step->p] || wrong(step, sink, "not the last write", now);
    if (!step->before->held[sink][step->b][step->p])
        return wrong(step, sink, "held, though neither stored nor merged", now);
    return now == step->before->byte[sink][step->b][step->p] || wrong(step, sink, "changed by nobody", now);
}

/* True if a new copy may come from a module below that is not on the way to the home and has the value `now`. */
static bool came_from_below(const view *step, uint32_t module, uint8_t now) {
    for (uint32_t i = step->explorer->low[module][step->b]; i != GPC_NO_MODULE; i = step->explorer->low[i][step->b]) {
        const uint8_t state = step->after->state[i][step->b];
        const uint8_t means = gpci_tree_means(step->explorer->coherence, state);
        const bool clean = means == GPC_MEANS_S || means == GPC_MEANS_F;
        const bool aside =
            means == GPC_MEANS_N || (clean && step->explorer->coherence->modules[i].place == GPCI_PLACE_BETWEEN);
        if (aside && step->after->byte[i][step->b][step->p] == now)
            return true;
    }
    return false;
}

/* True if a module's copy can be read: no module above has M, O or E. */
static bool is_readable(const view *step, uint32_t module) {
    const gpci_module *m = &step->explorer->coherence->modules[module];
    for (uint32_t i = 0; i < m->above_count; i++) {
        const uint8_t means = gpci_tree_means(step->explorer->coherence, step->after->state[m->above[i]][step->b]);
        if (means & GPC_MEANS_OWNER && means != GPC_MEANS_F)
            return false;
    }
    return true;
}

static bool may_be_stale(const view *step, uint32_t module) {
    const gpci_verify_action *action = step->action;
    if (step->explorer->coherent)
        return false;
    if (!step->explorer->setup->refreshes || action->kind != GPCI_VERIFY_ACQUIRE)
        return true;
    const gpci_module_place place = step->explorer->coherence->modules[module].place;
    const bool all = action->module == GPC_NO_MODULE && (place == GPCI_PLACE_FIRST || place == GPCI_PLACE_BETWEEN);
    return !all && action->module != module;
}

static bool copy_is_right(const view *step, uint32_t module) {
    const uint8_t now = step->after->byte[module][step->b][step->p];
    const gpci_verify_action *action = step->action;
    if (gpci_tree_is_detached(step->explorer->coherence, step->after->state[module][step->b]) &&
        action->kind == GPCI_VERIFY_ACQUIRE && (action->module == module || action->module == GPC_NO_MODULE))
        return wrong(step, module, "detached still, after an acquire", now);
    if (!valid(step->after, module, step->b) || now == step->after->home[step->b][step->p] ||
        !is_readable(step, module))
        return true;
    if (step->after->held[module][step->b][step->p]) /* sink_is_right checks the value */
        return may_be_stale(step, module) || wrong(step, module, "held after an acquire", now);
    if (!may_be_stale(step, module))
        return wrong(step, module, step->explorer->coherent ? "not the last write" : "stale after an acquire", now);
    if (step->stored && is_above(step, step->action->module, module) && now == step->action->value)
        return true;
    if (valid(step->before, module, step->b) && now == step->before->byte[module][step->b][step->p])
        return true;
    return came_from_below(step, module, now) || wrong(step, module, "from nowhere", now);
}

static bool load_is_right(const view *step) {
    const gpci_verify_action *action = step->action;
    if (action->kind != GPCI_VERIFY_LOAD || action->block != step->b)
        return true;
    const uint8_t loaded = step->explorer->loaded[step->p];
    const bool copy = valid(step->after, action->module, step->b);
    const uint8_t expected =
        copy ? step->after->byte[action->module][step->b][step->p] : step->after->home[step->b][step->p];
    if (loaded == expected || (!copy && came_from_below(step, action->module, loaded)))
        return true;
    return wrong(step, action->module, "loaded, and not what is there", loaded);
}

static bool byte_is_right(view *step) {
    const gpci_verify_action *action = step->action;
    step->stored = (action->kind == GPCI_VERIFY_STORE || action->kind == GPCI_VERIFY_N_STORE) &&
                   action->block == step->b && action->position == step->p;
    step->stored_to = step->stored ? sink_from(step, action->module) : GPC_NO_MODULE;
    if (!sink_is_right(step, GPC_NO_MODULE) || !load_is_right(step))
        return false;
    for (uint32_t i = 0; i < step->explorer->coherence->module_count; i++) {
        if (step->explorer->coherence->modules[i].given.memory)
            continue;
        if (action->kind == GPCI_VERIFY_FLUSH &&
            (action->module == GPC_NO_MODULE || is_above(step, i, action->module)) && valid(step->after, i, step->b))
            return wrong(step, i, "a copy after a flush", step->after->byte[i][step->b][step->p]);
        if (step->after->held[i][step->b][step->p] && !sink_is_right(step, i))
            return false;
        if (!copy_is_right(step, i))
            return false;
    }
    if (!step->explorer->coherent ||
        gpci_invariants_of_home(step->explorer->coherence, gpci_verify_address(step->b, step->p), step->text,
                                step->size))
        return true;
    step->explorer->wrong =
        (gpci_verify_byte){true, step->after->home[step->b][step->p] ^ 1u, GPC_NO_MODULE, step->b, step->p};
    return false;
}

/* True if a first-level cache is in M or O: its n-stores may be in the home. */
static bool is_owned(const gpci_explorer *explorer, const gpci_verify_picture *after, uint32_t b) {
    bool owned = false;
    for (uint32_t i = 0; i < explorer->setup->tree.caches; i++)
        owned |= gpci_tree_may_be_full(explorer->coherence, after->state[i][b]);
    return owned;
}

static void remember_race(gpci_explorer *explorer, const view *step) {
    const gpci_verify_action *action = step->action;
    const bool here = action->block == step->b && action->position == step->p;
    bool raced = explorer->ghost.raced[step->b][step->p];
    if (here && action->kind == GPCI_VERIFY_STORE)
        raced = false;
    if (here && action->kind == GPCI_VERIFY_N_STORE)
        raced |= sink_from(step, action->module) == GPC_NO_MODULE;
    explorer->ghost.raced[step->b][step->p] =
        raced && explorer->tracked && explorer->setup->races && is_owned(explorer, step->after, step->b);
}

void gpci_verify_judge(gpci_explorer *explorer, const gpci_verify_action *action, const gpci_verify_picture *before,
                       const gpci_verify_picture *after, char *text, size_t size) {
    view step = {explorer, action, before, after, 0, 0, 0, false, text, size};
    *text = '\0';
    for (step.b = 0; step.b < explorer->setup->blocks; step.b++)
        for (step.p = 0; step.p < explorer->setup->positions; step.p++)
            if (!byte_is_right(&step))
                return;
    for (step.b = 0; step.b < explorer->setup->blocks; step.b++)
        for (step.p = 0; step.p < explorer->setup->positions; step.p++)
            remember_race(explorer, &step);
}
