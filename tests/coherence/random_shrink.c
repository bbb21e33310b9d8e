/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <stdlib.h>
#include <string.h>

/*
 * Shrinking of a failing program: steps are left out, in halves, quarters, down to one by one (Zeller and Hildebrandt's
 * delta debugging); then unneeded modules; then the rest is simplified. Repeated until nothing more can be removed. A
 * change is kept only if the program still fails, as a run and not for an impossible tree.
 */

/* If the change fails, replace p. Otherwise free the change. */
static bool keep(random_program *p, random_program *tried, random_failure *failure) {
    random_failure found;
    bool fails = !random_run(tried, &found, NULL) && found.built;
    if (fails) {
        random_step *steps = p->steps;
        *p = *tried;
        tried->steps = steps;
        *failure = found;
    }
    random_free(tried);
    return fails;
}

static bool leave_out(random_program *p, size_t first, size_t count, random_failure *failure) {
    random_program *tried = random_copy(p);
    memmove(tried->steps + first, tried->steps + first + count, (p->count - first - count) * sizeof(*p->steps));
    tried->count -= count;
    return keep(p, tried, failure);
}

static bool drop_steps(random_program *p, random_failure *failure) {
    size_t before = p->count;
    if (failure->step + 1 < p->count)
        leave_out(p, failure->step + 1, p->count - failure->step - 1, failure);
    for (size_t chunk = p->count / 2 ? p->count / 2 : 1; chunk; chunk /= 2)
        for (size_t at = p->count; at > 0;) {
            at = at > chunk ? at - chunk : 0;
            size_t count = chunk < p->count - at ? chunk : p->count - at;
            if (count)
                leave_out(p, at, count, failure);
            if (at > p->count)
                at = p->count;
        }
    return p->count != before;
}

/* Without a first-level module, or (GPC_NO_MODULE) without modules out of reach of every first-level module. */
static bool prune(random_program *p, random_program *tried, uint32_t without, random_failure *failure) {
    uint32_t map[TREE_MODULES];
    bool used = false;
    tree_prune(&tried->tree, without, map);
    for (size_t i = 0; i < tried->count; i++) {
        uint32_t *module = &tried->steps[i].module;
        if (*module != GPC_NO_MODULE) {
            *module = map[*module];
            used |= *module == GPC_NO_MODULE;
        }
    }
    if (!used)
        return keep(p, tried, failure);
    random_free(tried);
    return false;
}

/* One bank serves the addresses of several. */
static bool drop_banks(random_program *p, uint32_t bank, random_failure *failure) {
    if (p->tree.modules[bank].served == GPC_SERVES_ALL)
        return false;
    random_program *tried = random_copy(p);
    tree *t = &tried->tree;
    t->modules[bank].served = GPC_SERVES_ALL;
    for (uint32_t i = 0; i < t->module_count; i++)
        for (uint32_t k = 0; k < t->modules[i].low_count; k++)
            if (t->lows[i][k] == bank) {
                t->modules[i].low_count = 1;
                t->lows[i][0] = bank;
            }
    return prune(p, tried, GPC_NO_MODULE, failure);
}

/* Skip a level: modules above a cache go above the modules below it. */
static bool drop_level(random_program *p, uint32_t cache, random_failure *failure) {
    if (cache < p->tree.first_count || p->tree.modules[cache].memory)
        return false;
    random_program *tried = random_copy(p);
    tree *t = &tried->tree;
    for (uint32_t i = 0; i < t->module_count; i++)
        for (uint32_t k = 0; k < t->modules[i].low_count; k++)
            if (t->lows[i][k] == cache) {
                t->modules[i].low_count = t->modules[cache].low_count;
                t->modules[i].low_network = t->modules[cache].low_network;
                memcpy(t->lows[i], t->lows[cache], sizeof(t->lows[i]));
                break;
            }
    return prune(p, tried, GPC_NO_MODULE, failure);
}

static bool drop_modules(random_program *p, random_failure *failure) {
    bool changed = false;
    for (uint32_t i = p->tree.first_count; i-- > 0;)
        if (p->tree.first_count > 1)
            changed |= prune(p, random_copy(p), i, failure);
    for (uint32_t i = 0; i < p->tree.module_count; i++)
        changed |= drop_banks(p, i, failure);
    for (uint32_t i = p->tree.module_count; i-- > 0;)
        if (i < p->tree.module_count)
            changed |= drop_level(p, i, failure);
    return changed;
}

/* Set a field of a module or a step of p to a simpler value. */
#define PLAIN(part, index, field, value)            \
    do {                                            \
        if (p->part[index].field != (value)) {      \
            random_program *tried = random_copy(p); \
            tried->part[index].field = (value);     \
            changed |= keep(p, tried, failure);     \
        }                                           \
    } while (0)

static bool plain_modules(random_program *p, random_failure *failure) {
    bool changed = false;
    for (uint32_t i = 0; i < p->tree.module_count; i++) {
        if (p->tree.modules[i].non_inclusive) {
            random_program *tried = random_copy(p);
            tried->tree.modules[i].non_inclusive = false;
            tried->tree.modules[i].directory_ways = 0;
            changed |= keep(p, tried, failure);
        }
        if (strcmp(p->tree.modules[i].replacement ? p->tree.modules[i].replacement : "lru", "lru")) {
            random_program *tried = random_copy(p);
            tried->tree.modules[i].replacement = NULL;
            changed |= keep(p, tried, failure);
        }
        PLAIN(tree.modules, i, write_through, false);
        PLAIN(tree.modules, i, no_write_allocate, false);
        PLAIN(tree.modules, i, directory_pointers, 0);
        PLAIN(tree.modules, i, any_victim, false);
        PLAIN(tree.modules, i, latency, 1);
        PLAIN(tree.modules, i, directory_latency, 0);
        PLAIN(tree.modules, i, sets, 1);
        PLAIN(tree.modules, i, ways, p->tree.modules[i].memory ? 0u : 1u);
    }
    return changed;
}

static bool plain_steps(random_program *p, random_failure *failure) {
    bool changed = false;
    for (size_t i = 0; i < p->count; i++) {
        if (p->steps[i].kind > RANDOM_N_STORE)
            continue;
        uint64_t block = p->tree.modules[p->steps[i].module].block_bytes;
        PLAIN(steps, i, size, 1);
        PLAIN(steps, i, mask, 0xffff);
        PLAIN(steps, i, flags, 0);
        PLAIN(steps, i, address, p->steps[i].address / block * block);
        PLAIN(steps, i, address, p->tree.base);
        if (p->steps[i].kind != RANDOM_LOAD)
            PLAIN(steps, i, bytes[0], (uint8_t)(i + 1));
        for (uint32_t m = 0; m < p->steps[i].module; m++)
            PLAIN(steps, i, module, m);
    }
    return changed;
}

/* All addresses from 0 on. */
static bool plain_base(random_program *p, random_failure *failure) {
    if (!p->tree.base)
        return false;
    random_program *tried = random_copy(p);
    for (uint32_t i = 0; i < tried->tree.module_count; i++) {
        gpc_coherence_module *m = &tried->tree.modules[i];
        if (m->served == GPC_SERVES_RANGE) {
            m->first -= m->first ? p->tree.base : 0;
            m->last -= m->last != UINT64_MAX ? p->tree.base : 0;
        }
    }
    for (size_t i = 0; i < tried->count; i++)
        tried->steps[i].address -= tried->steps[i].kind > RANDOM_N_STORE ? 0 : p->tree.base;
    tried->tree.base = 0;
    return keep(p, tried, failure);
}

void random_shrink(random_program *p, random_failure *failure) {
    random_program *closer = random_copy(p);
    closer->check_every = 1;
    keep(p, closer, failure);
    drop_steps(p, failure);
    plain_base(p, failure);
    for (bool changed = true; changed;) {
        changed = drop_modules(p, failure);
        changed |= plain_modules(p, failure);
        changed |= plain_steps(p, failure);
        changed |= drop_steps(p, failure);
    }
}
