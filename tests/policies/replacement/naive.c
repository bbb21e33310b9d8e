/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/naive.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

naive_line *naive_at(const naive *n, uint32_t set, uint32_t way) {
    return &n->lines[(size_t)set * n->ways + way];
}

uint32_t naive_oldest(const naive *n, uint32_t set, const bool *candidate) {
    uint32_t best = RIG_NO_WAY;
    for (uint32_t way = 0; way < n->ways; way++)
        if (candidate[way] && (best == RIG_NO_WAY || naive_at(n, set, way)->stamp < naive_at(n, set, best)->stamp))
            best = way;
    return best;
}

void naive_touch(naive *n, uint32_t set, uint32_t way) {
    naive_at(n, set, way)->stamp = ++n->newest;
}

void naive_demote(naive *n, uint32_t set, uint32_t way) {
    naive_at(n, set, way)->stamp = --n->oldest;
}

/* Random, but at least one; NULL words stand for all. */
static const uint64_t *choose_candidates(uint64_t *random, uint32_t ways, uint64_t words[16], bool *candidate) {
    unsigned rarity = gpci_random_below(random, 4);
    memset(words, 0, 16 * sizeof *words);
    memset(candidate, 1, ways);
    if (gpci_random_below(random, 3))
        return NULL;
    uint32_t sure = gpci_random_below(random, ways);
    for (uint32_t way = 0; way < ways; way++) {
        candidate[way] = way == sure || gpci_random_below(random, rarity * rarity * 8 + 1) == 0;
        words[way / 64] |= (uint64_t)candidate[way] << (way % 64);
    }
    return words;
}

typedef struct pair {
    rig r;
    naive n;
    const naive_ops *ops;
    uint64_t random;
} pair;

static void fill_both(pair *p, uint32_t set, uint32_t way, const gpc_request *request) {
    p->r.lines[(size_t)set * p->n.ways + way] = request->address / 128;
    if (p->r.ops->on_fill)
        p->r.ops->on_fill(p->r.self, set, way, request);
    *naive_at(&p->n, set, way) = (naive_line){0};
    p->ops->fill(&p->n, set, way, request);
}

static void replace_both(pair *p, uint32_t set, const gpc_request *request, uint32_t step) {
    uint64_t words[16];
    bool candidate[GPC_MAX_WAYS];
    const uint64_t *mask = choose_candidates(&p->random, p->n.ways, words, candidate);
    uint32_t expected = p->ops->victim(&p->n, set, candidate, request);
    uint32_t got = p->r.ops->choose_victim(p->r.self, set, mask, request);
    cr_assert_eq(got, expected, "%s, %u x %u, step %u: way %u, not %u", p->r.ops->name, p->n.sets, p->n.ways, step, got,
                 expected);
    if (got == GPC_WAY_BYPASS)
        return;
    gpc_eviction eviction = {.line_address = p->r.lines[(size_t)set * p->n.ways + got] * 128, .set = set, .way = got};
    if (p->r.ops->on_evict)
        p->r.ops->on_evict(p->r.self, set, got, &eviction, request);
    if (p->ops->evict)
        p->ops->evict(&p->n, set, got);
    fill_both(p, set, got, request);
}

static void access_both(pair *p, uint64_t line, uint32_t step) {
    gpc_request request = {.address = line * 128, .pc = 8 * (line % 5 + gpci_random_below(&p->random, 3))};
    uint32_t set = (uint32_t)(line % p->n.sets), free_way = RIG_NO_WAY;
    const uint64_t *lines = &p->r.lines[(size_t)set * p->n.ways];
    for (uint32_t way = p->n.ways; way-- > 0;) {
        if (lines[way] == line) {
            if (p->r.ops->on_hit)
                p->r.ops->on_hit(p->r.self, set, way, &request);
            p->ops->hit(&p->n, set, way, &request);
            return;
        }
        free_way = lines[way] == RIG_FREE ? way : free_way;
    }
    if (p->r.ops->on_miss)
        p->r.ops->on_miss(p->r.self, set, &request);
    if (p->ops->miss)
        p->ops->miss(&p->n, set, &request);
    if (free_way != RIG_NO_WAY)
        fill_both(p, set, free_way, &request);
    else
        replace_both(p, set, &request, step);
}

void naive_compare(const char *spec, const naive_ops *ops, uint32_t sets, uint32_t ways, void *extra) {
    pair p = {.ops = ops, .random = ways * 31 + sets};
    rig_open(&p.r, spec, sets, ways, 1);
    p.n = (naive){.sets = sets, .ways = ways, .extra = extra};
    p.n.lines = calloc((size_t)sets * ways, sizeof *p.n.lines);
    cr_assert_not_null(p.n.lines);
    uint64_t distinct = (uint64_t)sets * (ways + ways / 2 + 1), loop = 0;
    uint32_t steps = effort_of(4000) + (effort_is_small() ? 5 : 20) * (ways + sets);
    for (uint32_t step = 0; step < steps; step++) {
        bool looping = step / (steps / 8) % 2; /* phases: random lines, and a loop over more than fit */
        uint64_t line = looping ? loop++ % distinct : gpci_random(&p.random) % distinct;
        access_both(&p, line, step);
        uint32_t set = (uint32_t)(line % sets), way = gpci_random_below(&p.random, ways);
        if (step % 7 == 0 && p.r.lines[(size_t)set * ways + way] != RIG_FREE)
            rig_invalidate(&p.r, set, way);
    }
    cr_expect(rig_guards_intact(&p.r), "%s, %u x %u wrote beside its state", spec, sets, ways);
    rig_close(&p.r);
    free(p.n.lines);
}

void naive_compare_shapes(const char *spec, const naive_ops *ops, void *extra) {
    static const uint32_t ways[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 1024};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        naive_compare(spec, ops, 1, ways[i], extra);
        naive_compare(spec, ops, 3, ways[i], extra);
    }
}
