/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rig.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * Every policy compared with a naive definition, on random streams of hits, fills, invalidations and victims among
 * random candidates.
 */
typedef struct model {
    uint32_t ways;
    uint64_t clock;
    uint64_t used[GPC_MAX_WAYS];   /* time of the last hit or fill */
    uint64_t filled[GPC_MAX_WAYS]; /* time of the fill */
    uint64_t next_use[GPC_MAX_WAYS];
    bool referenced[GPC_MAX_WAYS];
    bool right[2 * GPC_MAX_WAYS]; /* plru: the tree in heap order */
} model;

typedef uint32_t (*victim_fn)(model *m, const bool *candidate);

static uint32_t oldest(const model *m, const uint64_t *times, const bool *candidate) {
    uint32_t best = RIG_NO_WAY;
    for (uint32_t way = 0; way < m->ways; way++)
        if (candidate[way] && (best == RIG_NO_WAY || times[way] < times[best]))
            best = way;
    return best;
}

static uint32_t newest(const model *m, const uint64_t *times, const bool *candidate) {
    uint32_t best = RIG_NO_WAY;
    for (uint32_t way = 0; way < m->ways; way++)
        if (candidate[way] && (best == RIG_NO_WAY || times[way] > times[best]))
            best = way;
    return best;
}

static uint32_t lru(model *m, const bool *candidate) {
    return oldest(m, m->used, candidate);
}

static uint32_t fifo(model *m, const bool *candidate) {
    return oldest(m, m->filled, candidate);
}

static uint32_t mru(model *m, const bool *candidate) {
    return newest(m, m->used, candidate);
}

static uint32_t opt(model *m, const bool *candidate) {
    return newest(m, m->next_use, candidate);
}

static uint32_t nru(model *m, const bool *candidate) {
    for (int attempt = 0; attempt < 2; attempt++) {
        for (uint32_t way = 0; way < m->ways; way++)
            if (candidate[way] && !m->referenced[way])
                return way;
        memset(m->referenced, 0, sizeof m->referenced);
    }
    return RIG_NO_WAY;
}

static uint32_t leaves_of(uint32_t ways) {
    uint32_t leaves = 1;
    while (leaves < ways)
        leaves *= 2;
    return leaves;
}

/* Leaf below `node`, for ways [first, first + span), or RIG_NO_WAY without a candidate. */
static uint32_t plru_below(const model *m, const bool *candidate, uint32_t node, uint32_t first, uint32_t span) {
    if (first >= m->ways)
        return RIG_NO_WAY;
    if (span == 1)
        return candidate[first] ? first : RIG_NO_WAY;
    span /= 2;
    uint32_t left = plru_below(m, candidate, 2 * node, first, span);
    uint32_t right = plru_below(m, candidate, 2 * node + 1, first + span, span);
    if (m->right[node])
        return right != RIG_NO_WAY ? right : left;
    return left != RIG_NO_WAY ? left : right;
}

static uint32_t plru(model *m, const bool *candidate) {
    return plru_below(m, candidate, 1, 0, leaves_of(m->ways));
}

static void use(model *m, uint32_t way, uint64_t next_use) {
    m->used[way] = ++m->clock;
    m->next_use[way] = next_use;
    m->referenced[way] = true;
    for (uint32_t node = leaves_of(m->ways) + way; node > 1; node /= 2)
        m->right[node / 2] = node % 2 == 0;
}

/* Random, but at least one. */
static void choose_candidates(uint64_t *random, uint32_t ways, uint64_t *words, bool *candidate) {
    memset(words, 0, 16 * sizeof *words);
    unsigned rarity = gpci_random_below(random, 4);
    uint32_t sure = gpci_random_below(random, ways);
    for (uint32_t way = 0; way < ways; way++) {
        candidate[way] = way == sure || gpci_random_below(random, rarity * rarity * 8 + 1) == 0;
        words[way / 64] |= (uint64_t)candidate[way] << (way % 64);
    }
}

/* One step: access line `line`; a miss in a full set must choose the model's victim. */
static void step_both(rig *r, model *m, victim_fn victim, uint64_t line, uint64_t *random, bool masked) {
    uint32_t set = (uint32_t)(line % r->env.sets), ways = m->ways;
    uint64_t words[16], next_use = gpci_random(random) % 1000;
    bool candidate[GPC_MAX_WAYS], full = true, resident = false;
    for (uint32_t way = 0; way < ways; way++) {
        full &= r->lines[(size_t)set * ways + way] != RIG_FREE;
        resident |= r->lines[(size_t)set * ways + way] == line;
    }
    rig_outcome o;
    if (full && !resident) {
        choose_candidates(random, ways, words, candidate);
        if (!masked)
            memset(candidate, 1, sizeof candidate);
        o = rig_replace(r, set, masked ? words : NULL, line, next_use);
        uint32_t expected = victim(m, candidate);
        cr_assert_eq(o.way, expected, "%s, %u ways: way %u, not %u", r->ops->name, ways, o.way, expected);
    } else {
        o = rig_access(r, line, next_use);
    }
    use(m, o.way, next_use);
    if (!o.hit)
        m->filled[o.way] = m->clock;
}

static void compare(const char *name, victim_fn victim, uint32_t sets, uint32_t ways) {
    model *models = calloc(sets, sizeof *models);
    cr_assert_not_null(models);
    rig r;
    rig_open(&r, name, sets, ways, 1);
    uint64_t random = ways * 31 + sets, distinct = (uint64_t)sets * (ways + ways / 2 + 1);
    for (uint32_t step = 0; step < effort_of(3000) + (effort_is_small() ? 5 : 20) * ways; step++) {
        uint64_t line = gpci_random(&random) % distinct;
        model *m = &models[line % sets];
        m->ways = ways;
        step_both(&r, m, victim, line, &random, step % 3 == 0);
        uint32_t set = (uint32_t)(line % sets), way = gpci_random_below(&random, ways);
        if (step % 7 == 0 && r.lines[(size_t)set * ways + way] != RIG_FREE)
            rig_invalidate(&r, set, way);
    }
    cr_expect(rig_guards_intact(&r), "%s, %u x %u wrote beside its state", name, sets, ways);
    rig_close(&r);
    free(models);
}

static void compare_all(const char *name, victim_fn victim) {
    static const uint32_t ways[] = {1,  2,  3,  4,  5,  8,  12,  15,  16,  17,  24,   31,
                                    32, 33, 48, 63, 64, 65, 127, 128, 129, 200, 1000, 1024};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        compare(name, victim, 1, ways[i]);
        compare(name, victim, 3, ways[i]);
    }
}

Test(models, lru) {
    compare_all("lru", lru);
}

Test(models, fifo) {
    compare_all("fifo", fifo);
}

Test(models, mru) {
    compare_all("mru", mru);
}

Test(models, nru) {
    compare_all("nru", nru);
}

Test(models, plru) {
    compare_all("plru", plru);
}

Test(models, opt) {
    compare_all("opt", opt);
}

/*
 * Random: every candidate equally often. With 8000 draws over n candidates a count is binomial, with deviation
 * sqrt(8000 (n - 1)) / n; five deviations bound it.
 */
Test(models, random_is_uniform) {
    static const uint32_t ways[] = {1, 2, 3, 16, 24, 64, 65, 100};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint32_t n = ways[i], counts[128] = {0}, masked[128] = {0};
        uint64_t odd[2] = {0xaaaaaaaaaaaaaaaau, 0xaaaaaaaaaaaaaaaau};
        rig r;
        rig_open(&r, "random", 1, n, 42);
        for (int draw = 0; draw < 8000; draw++) {
            counts[rig_replace(&r, 0, NULL, 1, 0).way]++;
            if (n > 1)
                masked[rig_replace(&r, 0, odd, 1, 0).way]++;
        }
        rig_close(&r);
        for (uint32_t way = 0; way < n; way++) {
            double m = n / 2, mean = 8000.0 / n, half = m > 0 ? 8000.0 / m : 0;
            double off = counts[way] - mean, masked_off = way % 2 ? masked[way] - half : masked[way];
            cr_expect_leq(off * off, 25 * mean, "way %u of %u: %u", way, n, counts[way]);
            cr_expect_leq(masked_off * masked_off, way % 2 ? 25 * half : 0, "way %u of odd %u: %u", way, n,
                          masked[way]);
        }
    }
}

/* Policies with different seeds differ; with equal seeds they do not. */
Test(models, random_follows_its_seed) {
    rig r[3];
    for (int i = 0; i < 3; i++)
        rig_open(&r[i], "random", 1, 64, i == 2 ? 8 : 7);
    int same = 0;
    for (int draw = 0; draw < 200; draw++) {
        uint32_t a = rig_replace(&r[0], 0, NULL, 1, 0).way;
        cr_assert_eq(a, rig_replace(&r[1], 0, NULL, 1, 0).way);
        same += a == rig_replace(&r[2], 0, NULL, 1, 0).way;
    }
    cr_expect_lt(same, 30, "two seeds agree in %d of 200 draws; 3 are to be expected", same);
    for (int i = 0; i < 3; i++)
        rig_close(&r[i]);
}
