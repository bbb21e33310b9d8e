/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/warps.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * RPR and `combined` compared with a naive version of chapter 6 of seeds/004: searched lists, times that never wrap,
 * scores by the equations; on random streams with random warp events, candidates and invalidations.
 */
typedef enum model_score { BY_AGE, BY_DISTANCE, BY_COUNT } model_score;

typedef struct model_entry {
    uint32_t signature;
    int distance_sum, reuses, fetches;
    bool averaged;
    int distance, count;
} model_entry;

typedef struct model_tag {
    uint64_t line;
    int64_t last;
    uint32_t signature;
} model_tag;

typedef struct model_line {
    int64_t warp, used;
    bool dead;
    int distance, count;
} model_line;

typedef struct model {
    naive_warps warps;
    model_score score;
    uint32_t sets, ways, bits, every;
    bool unpredicted_dead, combined;
    int low;
    int64_t clock;
    model_entry entries[512]; /* the longest in the table first */
    uint32_t entry_count;
    model_line *lines;   /* [sets][ways] */
    model_tag *tags;     /* [sets][ways], the first tag_counts of every set */
    uint32_t *tag_count; /* [sets] */
    int64_t *accesses;   /* [sets] */
} model;

static model_entry *entry_of(model *m, uint32_t signature) {
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (m->entries[i].signature == signature)
            return &m->entries[i];
    return NULL;
}

static void update(model *m, uint32_t signature, int64_t distance) { /* 0 = a miss */
    model_entry *e = entry_of(m, signature);
    if (!e) {
        if (m->entry_count == 512)
            memmove(m->entries, m->entries + 1, (size_t)--m->entry_count * sizeof *m->entries);
        e = &m->entries[m->entry_count++];
        *e = (model_entry){.signature = signature};
    }
    if (distance) {
        e->reuses++;
        e->distance_sum = e->distance_sum + distance > 2047 ? 2047 : e->distance_sum + (int)distance;
    } else {
        e->fetches++;
    }
    if (e->distance_sum == 2047 || e->reuses == 255 || e->fetches == 31) {
        int distances = e->reuses ? e->distance_sum / e->reuses : 15;
        int count = e->fetches ? e->reuses / e->fetches : 15;
        e->averaged = true;
        e->distance = distances > 15 ? 15 : distances;
        e->count = count > 15 ? 15 : count;
        e->distance_sum = e->reuses = e->fetches = 0;
    }
}

static uint32_t signature_of(const model *m, const gpc_request *request) {
    uint64_t age = (uint64_t)naive_age(&m->warps, naive_number(&m->warps, request->warp, request->warp_age));
    return (uint32_t)(gpci_mix(request->pc * 512 + age) >> (64 - m->bits));
}

static model_tag *tag_of(model *m, uint32_t set, uint64_t line) {
    for (uint32_t i = 0; i < m->tag_count[set]; i++)
        if (m->tags[(size_t)set * m->ways + i].line == line)
            return &m->tags[(size_t)set * m->ways + i];
    return NULL;
}

static void access_set(model *m, uint32_t set, uint64_t line) {
    for (uint32_t way = 0; way < m->ways; way++) {
        model_line *l = &m->lines[(size_t)set * m->ways + way];
        if (l->distance > 0 && !l->dead)
            l->distance--;
    }
    if (set % m->every)
        return;
    m->accesses[set]++;
    model_tag *tag = tag_of(m, set, line);
    if (!tag)
        return;
    update(m, tag->signature, m->accesses[set] - tag->last);
    tag->last = m->accesses[set];
}

static void enter(model *m, uint32_t set, uint64_t line, const gpc_request *request) {
    if (set % m->every || tag_of(m, set, line))
        return;
    model_tag *tags = &m->tags[(size_t)set * m->ways], *oldest = tags;
    if (m->tag_count[set] < m->ways)
        oldest = &tags[m->tag_count[set]++];
    else
        for (uint32_t i = 1; i < m->ways; i++)
            oldest = tags[i].last < oldest->last ? &tags[i] : oldest;
    *oldest = (model_tag){line, m->accesses[set], signature_of(m, request)};
    update(m, oldest->signature, 0);
}

static void hit(model *m, uint32_t set, uint32_t way) {
    model_line *l = &m->lines[(size_t)set * m->ways + way];
    if (l->count > 0)
        l->dead = --l->count == 0;
    l->used = ++m->clock;
}

static void fill(model *m, uint32_t set, uint32_t way, const gpc_request *request) {
    const model_entry *e = entry_of(m, signature_of(m, request));
    model_line l = {.warp = naive_number(&m->warps, request->warp, request->warp_age), .used = ++m->clock};
    if (e && e->averaged) {
        l.distance = e->count == 0 && e->distance == 15 ? 14 : e->distance; /* the bits of 15 mark dead lines */
        l.count = e->count;
    }
    m->lines[(size_t)set * m->ways + way] = l;
}

static bool is_dead(const model *m, const model_line *l) {
    return l->dead || naive_age(&m->warps, l->warp) == NAIVE_INACTIVE ||
           (m->unpredicted_dead && l->count == 0 && l->distance == 0);
}

static int score_of(const model *m, const model_line *l) {
    switch (m->score) {
    case BY_AGE:
        return 256 - naive_age(&m->warps, l->warp); /* 6.3 */
    case BY_DISTANCE:
        return 256 - l->distance; /* 6.4 */
    default:
        return l->count > 0 ? 256 + l->count : 0; /* 6.5 */
    }
}

static uint32_t victim_of(const model *m, uint32_t set, const uint64_t *candidates, const model_line **out) {
    const model_line *best = NULL;
    uint32_t victim = RIG_NO_WAY;
    for (uint32_t way = 0; way < m->ways; way++) {
        const model_line *l = &m->lines[(size_t)set * m->ways + way];
        if (!(candidates[way / 64] >> (way % 64) & 1))
            continue;
        bool dead = is_dead(m, l), best_dead = best && is_dead(m, best);
        bool lower = best && (dead != best_dead                              ? dead
                              : !dead && score_of(m, l) != score_of(m, best) ? score_of(m, l) < score_of(m, best)
                                                                             : l->used < best->used);
        if (!best || lower) {
            best = l;
            victim = way;
        }
    }
    *out = best;
    return victim;
}

/* Section 7.2: a cache warp's misses are sampled, with or without entering. */
static void miss(model *m, uint32_t set, uint64_t line, const gpc_request *request) {
    access_set(m, set, line);
    if (m->combined && request->policy.token != GPC_TOKEN_NONE)
        enter(m, set, line, request);
}

static bool kept_out(model *m, const gpc_request *request) {
    const model_entry *e = entry_of(m, signature_of(m, request));
    return m->combined && (request->policy.token == GPC_TOKEN_NONE || (e && e->averaged && e->count <= m->low));
}

static uint32_t replace(rig *r, model *m, uint32_t set, uint64_t line, const gpc_request *request, uint64_t *random) {
    uint64_t words[16];
    const model_line *l;
    r->ops->on_miss(r->self, set, request);
    miss(m, set, line, request);
    random_candidates(random, m->ways, words);
    uint32_t expected = victim_of(m, set, words, &l);
    if (!is_dead(m, l) && kept_out(m, request))
        expected = RIG_NO_WAY;
    rig_outcome o = rig_replace(r, set, words, line, 0);
    cr_assert_eq(o.way, expected, "%u ways: way %d, not %d", m->ways, (int)o.way, (int)expected);
    return o.way;
}

static void step_both(rig *r, model *m, uint64_t line, uint64_t *random) {
    uint32_t set = (uint32_t)(line % m->sets), way;
    gpc_request request = r->also;
    request.address = line * 128;
    naive_use(&m->warps, request.warp);
    bool resident = rig_is_resident(r, set, line);
    if (rig_is_full(r, set) && !resident) {
        way = replace(r, m, set, line, &request, random);
    } else {
        way = rig_access(r, line, 0).way;
        if (resident)
            access_set(m, set, line);
        else
            miss(m, set, line, &request);
    }
    if (way == RIG_NO_WAY)
        return;
    if (resident)
        hit(m, set, way);
    else
        fill(m, set, way, &request);
    enter(m, set, line, &request);
}

typedef struct shape {
    const char *spec;
    model_score score;
    uint32_t bits, every;
    bool unpredicted_dead, combined;
    int low;
} shape;

static void compare(const shape *s, uint32_t sets, uint32_t ways, uint32_t slots, uint32_t pcs, bool events) {
    model *m = calloc(1, sizeof *m);
    rig r;
    cr_assert_not_null(m);
    *m = (model){.score = s->score, .sets = sets, .ways = ways, .bits = s->bits, .every = s->every, .low = s->low};
    m->unpredicted_dead = s->unpredicted_dead;
    m->combined = s->combined;
    m->lines = calloc((size_t)sets * ways, sizeof *m->lines);
    m->tags = calloc((size_t)sets * ways, sizeof *m->tags);
    m->tag_count = calloc(sets, sizeof *m->tag_count);
    m->accesses = calloc(sets, sizeof *m->accesses);
    cr_assert(m->lines && m->tags && m->tag_count && m->accesses);
    naive_open(&m->warps);
    rig_open(&r, s->spec, sets, ways, 1);
    uint64_t random = ways * 31 + sets + slots, distinct = (uint64_t)sets * (ways + ways / 2 + 1);
    for (uint32_t step = 0; step < effort_of(3000) + (effort_is_small() ? 4 : 10) * ways; step++) {
        uint64_t line = gpci_random(&random) % distinct;
        r.also.warp = gpci_random_below(&random, slots);
        r.also.warp_age = gpci_random_below(&random, slots) * 5;
        r.also.pc = gpci_random_below(&random, pcs) * (1 + line % 2);
        bool in_use = s->combined && step > effort_of(500);
        r.also.policy.token = !in_use ? GPC_TOKEN_UNUSED : r.also.warp % 3 ? GPC_TOKEN_NONE : GPC_TOKEN_HELD;
        step_both(&r, m, line, &random);
        uint32_t set = (uint32_t)(line % sets), way = gpci_random_below(&random, ways);
        if (step % 7 == 0 && r.lines[(size_t)set * ways + way] != RIG_FREE)
            rig_invalidate(&r, set, way);
        if (events && step % 5 == 0) {
            gpc_warp_event event = random_event(&random, slots, true);
            r.ops->on_warp_event(r.self, &event);
            naive_event(&m->warps, &event);
        }
    }
    cr_expect(rig_guards_intact(&r));
    rig_close(&r);
    free(m->lines);
    free(m->tags);
    free(m->tag_count);
    free(m->accesses);
    free(m);
}

static void compare_all(const shape *s) {
    static const uint32_t ways[] = {1, 2, 3, 4, 8, 16, 17, 64, 65, 128, 1024};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        compare(s, 1, ways[i], 3, 2, true);
        if (effort_is_small() && ways[i] > 200)
            continue;
        compare(s, 8, ways[i], 48, 5, true);
        compare(s, 8, ways[i], 2, 1, false);
        compare(s, 5, ways[i], 70, 1000, false);
    }
}

Test(rpr_model, by_age) {
    compare_all(&(shape){.spec = "rpr-age", .score = BY_AGE, .bits = 8, .every = 4});
}

Test(rpr_model, by_distance) {
    compare_all(&(shape){.spec = "rpr", .score = BY_DISTANCE, .bits = 8, .every = 4});
    compare_all(&(shape){.spec = "rpr-distance(sample=1,signature=3)", .score = BY_DISTANCE, .bits = 3, .every = 1});
}

Test(rpr_model, by_count) {
    compare_all(&(shape){.spec = "rpr-count", .score = BY_COUNT, .bits = 8, .every = 4});
    compare_all(&(shape){.spec = "rpr(score=count,sample=1,signature=2)", .score = BY_COUNT, .bits = 2, .every = 1});
}

/* 4,096 signatures: the table of 512 is full. */
Test(rpr_model, wide_signatures) {
    compare_all(&(shape){.spec = "rpr(signature=12,sample=1)", .score = BY_DISTANCE, .bits = 12, .every = 1});
}

Test(rpr_model, unpredicted_dead) {
    compare_all(&(shape){.spec = "rpr(unpredicted=1,signature=4)",
                         .score = BY_DISTANCE,
                         .bits = 4,
                         .every = 4,
                         .unpredicted_dead = true});
}

Test(rpr_model, combined) {
    compare_all(&(shape){.spec = "combined(signature=3)", .score = BY_AGE, .bits = 3, .every = 4, .combined = true});
    compare_all(&(shape){.spec = "combined(low=2,sample=2,signature=4)",
                         .score = BY_AGE,
                         .bits = 4,
                         .every = 2,
                         .combined = true,
                         .low = 2});
}
