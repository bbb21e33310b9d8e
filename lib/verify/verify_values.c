/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/*
 * Effect of one access on the values. Model checkers keep the last write of each byte, the ghost, beside the state.
 * Here the ghost is in the state: the byte's home value (invariants.h) before the access. Each access is checked
 * against the ghost; by induction over the accesses, the home value is the last write.
 *
 * A "held" byte was stored in a module and is not yet merged below: n-stores in N; in protocols without a directory all
 * modified bytes above the cache shared by all. The sink of a held byte is the next module towards memory that also
 * holds the byte, or the byte's home. Checks for each byte:
 *   - a store ends at its own module, which holds the byte, or at the sink, with the stored value;
 *   - a byte no longer held has been merged into its sink: the sink's value is one of the merged values, and no store
 *     is
 *     lost (no rule says which of several racing stores is last);
 *     If an owner in M or O n-stored the byte, the owner raced with the holders; its value may stay (`raced`);
 *   - every other sink is unchanged; no byte is held without a store or a merge;
 *   - a copy is unchanged, or equals its home's present value; in coherent protocols always the latter;
 *   - a new copy has the home's value, or the value of the held or shared copy that it came from;
 *   - a load returns its module's copy; without a copy the home's value;
 *   - after a refreshing acquire, the module's copies equal the home's; after a flush, no copy is in the module or
 *     above.
 * Bytes n-stored by only one cache are therefore visible to this cache at once, and to another cache that fetches
 * (first access, acquire, store) after their write-back. A coherent store to the block merges all held bytes of the
 * block.
 */

static bool is_held(const gpci_explorer *e, const gpci_module *m, uint32_t block, uint64_t address) {
    const uint64_t at = address % m->given.block_bytes;
    const uint32_t bytes = (m->given.block_bytes + 7) / 8;
    if (!(m->dirty[(size_t)block * bytes + at / 8] >> at % 8 & 1))
        return false;
    return e->tracked ? gpci_tree_is_masked(e->c, m->states[block]) : m->place != GPCI_PLACE_LAST;
}

void gpci_verify_look(const gpci_explorer *e, gpci_verify_picture *picture) {
    memset(picture, 0, sizeof *picture);
    memset(picture->state, GPC_LINE_I, sizeof picture->state);
    for (uint32_t b = 0; b < e->setup->blocks; b++)
        for (uint32_t p = 0; p < e->setup->positions; p++) {
            const uint64_t address = gpci_verify_address(b, p);
            picture->home[b][p] = gpci_invariants_home(e->c, address);
            for (uint32_t i = 0; i < e->c->module_count; i++) {
                const gpci_module *m = &e->c->modules[i];
                const uint32_t block = m->given.memory ? GPCI_TREE_NO_BLOCK : gpci_invariants_copy(m, address);
                if (block == GPCI_TREE_NO_BLOCK)
                    continue;
                picture->state[i][b] = m->states[block];
                const uint64_t at = address % m->given.block_bytes;
                const bool come = gpci_module_has_byte(m, block, at);
                /* otherwise no module's byte */
                picture->byte[i][b][p] =
                    come ? m->data[(size_t)block * m->given.block_bytes + at] : picture->home[b][p];
                picture->held[i][b][p] = is_held(e, m, block, address);
            }
        }
}

/* Byte of the window, before and after. */
typedef struct view {
    gpci_explorer *e;
    const gpci_verify_action *action;
    const gpci_verify_picture *before, *after;
    uint32_t b, p;
    uint32_t stored_to; /* sink of a store; GPC_NO_MODULE: the home */
    bool stored;
    char *text;
    size_t size;
} view;

static bool wrong(const view *v, uint32_t module, const char *what, uint32_t found) {
    char place[16] = "home";
    v->e->wrong = (gpci_verify_byte){true, (uint8_t)found, module, v->b, v->p};
    if (module != GPC_NO_MODULE)
        snprintf(place, sizeof place, "m%u", module);
    snprintf(v->text, v->size, "data value: %c[%u] is %u in %s: %s", 'A' + v->b, v->p, found, place, what);
    return false;
}

static bool valid(const gpci_verify_picture *p, uint32_t module, uint32_t b) {
    return p->state[module][b] != GPC_LINE_I;
}

/* First module from `module` on (towards memory) that holds the byte afterwards; GPC_NO_MODULE: the home. */
static uint32_t sink_from(const view *v, uint32_t module) {
    while (module != GPC_NO_MODULE && !v->after->held[module][v->b][v->p])
        module = v->e->low[module][v->b];
    return module;
}

static bool is_above(const view *v, uint32_t upper, uint32_t lower) {
    while (upper != GPC_NO_MODULE && upper != lower)
        upper = v->e->low[upper][v->b];
    return upper == lower;
}

/* True if `module` held the byte before, and not after. */
static bool release(const view *v, uint32_t module) {
    return v->before->held[module][v->b][v->p] && !v->after->held[module][v->b][v->p];
}

static bool sink_is_right(const view *v, uint32_t sink) {
    const bool home = sink == GPC_NO_MODULE;
    const uint8_t now = home ? v->after->home[v->b][v->p] : v->after->byte[sink][v->b][v->p];
    if (v->stored && v->stored_to == sink)
        return now == v->action->value || wrong(v, sink, "not what was stored", now);
    bool any = false;
    for (uint32_t i = 0; i < v->e->c->module_count; i++) {
        if (!release(v, i) || sink_from(v, i) != sink)
            continue;
        any = true;
        if (v->before->byte[i][v->b][v->p] == now)
            return true;
    }
    if (any && home && v->e->ghost.raced[v->b][v->p] && now == v->before->home[v->b][v->p])
        return true;
    if (any)
        return wrong(v, sink, "not what was written back", now);
    if (home)
        return now == v->before->home[v->b][v->p] || wrong(v, sink, "not the last write", now);
    if (!v->before->held[sink][v->b][v->p])
        return wrong(v, sink, "held, though neither stored nor merged", now);
    return now == v->before->byte[sink][v->b][v->p] || wrong(v, sink, "changed by nobody", now);
}

/* True if a new copy may come from a copy beside the home: a module below that is not on the way to the home. */
static bool came_from_below(const view *v, uint32_t module, uint8_t now) {
    for (uint32_t i = v->e->low[module][v->b]; i != GPC_NO_MODULE; i = v->e->low[i][v->b]) {
        const uint8_t state = v->after->state[i][v->b];
        const uint8_t means = gpci_tree_means(v->e->c, state);
        const bool clean = means == GPC_MEANS_S || means == GPC_MEANS_F;
        const bool aside = means == GPC_MEANS_N || (clean && v->e->c->modules[i].place == GPCI_PLACE_BETWEEN);
        if (aside && v->after->byte[i][v->b][v->p] == now)
            return true;
    }
    return false;
}

/* True if a copy is readable: no module above has rights. */
static bool is_readable(const view *v, uint32_t module) {
    const gpci_module *m = &v->e->c->modules[module];
    for (uint32_t i = 0; i < m->above_count; i++) {
        const uint8_t means = gpci_tree_means(v->e->c, v->after->state[m->above[i]][v->b]);
        if (means & GPC_MEANS_OWNER && means != GPC_MEANS_F)
            return false;
    }
    return true;
}

static bool may_be_stale(const view *v, uint32_t module) {
    const gpci_verify_action *a = v->action;
    if (v->e->coherent)
        return false;
    if (!v->e->setup->refreshes || a->kind != GPCI_VERIFY_ACQUIRE)
        return true;
    const gpci_module_place place = v->e->c->modules[module].place;
    const bool all = a->module == GPC_NO_MODULE && (place == GPCI_PLACE_FIRST || place == GPCI_PLACE_BETWEEN);
    return !all && a->module != module;
}

static bool copy_is_right(const view *v, uint32_t module) {
    const uint8_t now = v->after->byte[module][v->b][v->p];
    const gpci_verify_action *a = v->action;
    if (gpci_tree_is_detached(v->e->c, v->after->state[module][v->b]) && a->kind == GPCI_VERIFY_ACQUIRE &&
        (a->module == module || a->module == GPC_NO_MODULE))
        return wrong(v, module, "detached still, after an acquire", now);
    if (!valid(v->after, module, v->b) || now == v->after->home[v->b][v->p] || !is_readable(v, module))
        return true;
    if (v->after->held[module][v->b][v->p]) /* checked as a sink */
        return may_be_stale(v, module) || wrong(v, module, "held after an acquire", now);
    if (!may_be_stale(v, module))
        return wrong(v, module, v->e->coherent ? "not the last write" : "stale after an acquire", now);
    if (v->stored && is_above(v, v->action->module, module) && now == v->action->value)
        return true;
    if (valid(v->before, module, v->b) && now == v->before->byte[module][v->b][v->p])
        return true;
    return came_from_below(v, module, now) || wrong(v, module, "from nowhere", now);
}

static bool load_is_right(const view *v) {
    const gpci_verify_action *a = v->action;
    if (a->kind != GPCI_VERIFY_LOAD || a->block != v->b)
        return true;
    const uint8_t loaded = v->e->loaded[v->p];
    const bool copy = valid(v->after, a->module, v->b);
    const uint8_t expected = copy ? v->after->byte[a->module][v->b][v->p] : v->after->home[v->b][v->p];
    if (loaded == expected || (!copy && came_from_below(v, a->module, loaded)))
        return true;
    return wrong(v, a->module, "loaded, and not what is there", loaded);
}

static bool byte_is_right(view *v) {
    const gpci_verify_action *a = v->action;
    v->stored =
        (a->kind == GPCI_VERIFY_STORE || a->kind == GPCI_VERIFY_N_STORE) && a->block == v->b && a->position == v->p;
    v->stored_to = v->stored ? sink_from(v, a->module) : GPC_NO_MODULE;
    if (!sink_is_right(v, GPC_NO_MODULE) || !load_is_right(v))
        return false;
    for (uint32_t i = 0; i < v->e->c->module_count; i++) {
        if (v->e->c->modules[i].given.memory)
            continue;
        if (a->kind == GPCI_VERIFY_FLUSH && (a->module == GPC_NO_MODULE || is_above(v, i, a->module)) &&
            valid(v->after, i, v->b))
            return wrong(v, i, "a copy after a flush", v->after->byte[i][v->b][v->p]);
        if (v->after->held[i][v->b][v->p] && !sink_is_right(v, i))
            return false;
        if (!copy_is_right(v, i))
            return false;
    }
    if (!v->e->coherent || gpci_invariants_of_home(v->e->c, gpci_verify_address(v->b, v->p), v->text, v->size))
        return true;
    v->e->wrong = (gpci_verify_byte){true, v->after->home[v->b][v->p] ^ 1u, GPC_NO_MODULE, v->b, v->p};
    return false;
}

/* True if a first-level cache is an owner; its n-stores may be in the home. */
static bool is_owned(const gpci_explorer *e, const gpci_verify_picture *after, uint32_t b) {
    bool owned = false;
    for (uint32_t i = 0; i < e->setup->tree.caches; i++)
        owned |= gpci_tree_is_whole(e->c, after->state[i][b]);
    return owned;
}

static void remember_race(gpci_explorer *e, const view *v) {
    const gpci_verify_action *a = v->action;
    const bool here = a->block == v->b && a->position == v->p;
    bool raced = e->ghost.raced[v->b][v->p];
    if (here && a->kind == GPCI_VERIFY_STORE)
        raced = false;
    if (here && a->kind == GPCI_VERIFY_N_STORE)
        raced |= sink_from(v, a->module) == GPC_NO_MODULE;
    e->ghost.raced[v->b][v->p] = raced && e->tracked && e->setup->races && is_owned(e, v->after, v->b);
}

void gpci_verify_judge(gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                       const gpci_verify_picture *after, char *text, size_t size) {
    view v = {e, action, before, after, 0, 0, 0, false, text, size};
    *text = '\0';
    for (v.b = 0; v.b < e->setup->blocks; v.b++)
        for (v.p = 0; v.p < e->setup->positions; v.p++)
            if (!byte_is_right(&v))
                return;
    for (v.b = 0; v.b < e->setup->blocks; v.b++)
        for (v.p = 0; v.p < e->setup->positions; v.p++)
            remember_race(e, &v);
}
