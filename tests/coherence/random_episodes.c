/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * Programs without races, after Ta et al., "Autonomous Data-Race-Free GPU Testing", IISWC 2019. Every first-level
 * module runs episodes: it acquires, accesses some bytes, releases. The accesses are drawn at the beginning and claimed
 * until the end: a byte has one storing module, or any number of loading modules, or none. Claims are of bytes, so
 * several modules store to a block at once. The last byte of every eight is for atomics: any module stores to it
 * coherently, if the protocol supports it. An acquire drops all old data that the module may have, nearest to memory
 * first; a release writes all back.
 */

#define EPISODE_STEPS 16u

typedef struct episode {
    random_step steps[EPISODE_STEPS];
    uint16_t claimed[EPISODE_STEPS]; /* bytes of a load */
    uint32_t count, next;            /* next: 0 = acquire first */
    bool active;
} episode;

typedef struct claims {
    random_program *p;
    uint64_t *random;
    uint8_t *loads;  /* [bytes] number of loading modules */
    uint8_t *stores; /* [bytes] 1 + storing module */
    episode episodes[TREE_FIRST];
    uint32_t hot;
    bool atomics;
    bool acquires; /* the protocol's caches give up old data on an acquire */
} claims;

static uint32_t below(claims *k, uint32_t bound) {
    return gpci_random_below(k->random, bound);
}

static bool is_atomic(const claims *k, uint64_t at) {
    return k->atomics && at % 8 == 7;
}

/* True if module m may load (or store to) this byte at present. */
static bool may_claim(const claims *k, uint32_t m, uint64_t at, bool store) {
    if (is_atomic(k, at))
        return !store;
    if (k->stores[at])
        return k->stores[at] == m + 1;
    return !store || !k->loads[at];
}

/* Draw place, extent and purpose. */
static random_step draw(claims *k, uint32_t m) {
    const tree *t = &k->p->tree;
    random_step s = {.module = m, .kind = RANDOM_LOAD, .mask = 0xffff};
    uint32_t at = below(k, t->bytes), block = t->modules[m].block_bytes, room;
    if (below(k, 2))
        at = (uint32_t)(gpci_mix(k->hot + below(k, 3)) % t->bytes) / 64 * 64 + at % 64;
    s.address = t->base + at;
    room = block - at % block;
    s.size = (uint8_t)(1 + below(k, room < RANDOM_BYTES ? room : RANDOM_BYTES));
    s.kind = below(k, 2) ? RANDOM_LOAD : below(k, 8) ? RANDOM_N_STORE : RANDOM_STORE;
    if (!strcmp(k->p->protocol, "slc-glc"))
        s.flags = (uint8_t)(below(k, 3) ? 0 : below(k, 4));
    if (gpci_mix(k->p->seed) % 3 == 0 && !below(k, 4)) /* through the module, past it, or the block is evicted */
        s.flags |= (uint8_t)(GPC_ACCESS_THROUGH << below(k, 3));
    for (uint32_t i = 0; i < s.size; i++)
        s.bytes[i] = (uint8_t)(gpci_random(k->random) >> 16);
    return s;
}

/* Claim the bytes of a step; false: none is left. A store leaves out bytes by the mask, a load is cut. */
static bool claim(claims *k, random_step *s, uint16_t *claimed) {
    uint64_t first = s->address - k->p->tree.base;
    uint32_t size = 0;
    *claimed = 0;
    if (s->kind == RANDOM_LOAD) {
        while (size < s->size && may_claim(k, s->module, first + size, false))
            size++;
        s->size = (uint8_t)size;
        for (uint32_t i = 0; i < size; i++)
            if (!k->stores[first + i] && !is_atomic(k, first + i)) {
                k->loads[first + i]++;
                *claimed |= (uint16_t)(1u << i);
            }
        return size > 0;
    }
    s->mask = below(k, 3) ? 0xffff : (uint16_t)gpci_random(k->random);
    for (uint32_t i = 0; i < s->size; i++) {
        if (!may_claim(k, s->module, first + i, true))
            s->mask &= (uint16_t) ~(1u << i);
        if (s->mask >> i & 1)
            k->stores[first + i] = (uint8_t)(s->module + 1);
    }
    return (s->mask & ((1u << s->size) - 1)) != 0;
}

/* An atomic byte of a hot block: coherent, unclaimed. */
static random_step draw_atomic(claims *k, uint32_t m) {
    random_step s = draw(k, m);
    s.address |= 7;
    s.size = 1;
    s.mask = 0xffff;
    s.kind = below(k, 3) ? RANDOM_STORE : RANDOM_LOAD;
    return s;
}

static void begin(claims *k, uint32_t m) {
    episode *e = &k->episodes[m];
    uint32_t wanted = 1 + below(k, EPISODE_STEPS);
    *e = (episode){.active = true};
    while (e->count < wanted) {
        bool atomic = k->atomics && !below(k, 8);
        random_step s = atomic ? draw_atomic(k, m) : draw(k, m);
        e->claimed[e->count] = 0;
        wanted--;
        if (atomic || claim(k, &s, &e->claimed[e->count]))
            e->steps[e->count++] = s;
    }
}

/* Steps that leave no data in module m, and in the private caches on the ways towards memory. */
static void synchronise(claims *k, uint32_t m, bool release) {
    const tree *t = &k->p->tree;
    bool flush = release || !k->acquires || below(k, 2);
    if (release && k->p->rules == RANDOM_THROUGH && below(k, 2))
        return; /* nothing to release */
    for (uint32_t i = t->module_count; i-- > 0;) {
        if (i != m && (i < t->first_count || t->modules[i].memory || tree_public(t, i) || !tree_reaches(t, m, i)))
            continue;
        random_step s = {.module = i, .kind = flush ? RANDOM_FLUSH : RANDOM_ACQUIRE};
        random_add(k->p, &s);
    }
}

static void end(claims *k, uint32_t m) {
    episode *e = &k->episodes[m];
    synchronise(k, m, true);
    for (uint32_t i = 0; i < k->p->tree.bytes; i++)
        if (k->stores[i] == m + 1)
            k->stores[i] = 0;
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t b = 0; b < RANDOM_BYTES; b++)
            if (e->claimed[i] >> b & 1)
                k->loads[e->steps[i].address - k->p->tree.base + b]--;
    e->active = false;
}

/* A module's next step. */
static void go_on(claims *k, uint32_t m) {
    episode *e = &k->episodes[m];
    if (!e->active) {
        begin(k, m);
        synchronise(k, m, false);
    } else if (e->next < e->count) {
        random_add(k->p, &e->steps[e->next++]);
    } else {
        end(k, m);
    }
}

void random_episodes(random_program *p, uint64_t *random, size_t count) {
    claims k = {.p = p, .random = random, .hot = (uint32_t)gpci_random(random), .atomics = p->rules == RANDOM_MIXED};
    k.acquires = !strcmp(p->protocol, "vi") || !strcmp(p->protocol, "slc-glc") || !strcmp(p->protocol, "hmg");
    k.loads = calloc(p->tree.bytes, 1);
    k.stores = calloc(p->tree.bytes, 1);
    cr_assert(k.loads && k.stores);
    while (p->count < count)
        go_on(&k, below(&k, p->tree.first_count));
    free(k.loads);
    free(k.stores);
}
