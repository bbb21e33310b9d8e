/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/naive.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Dead block prediction, as replacement policy and as bypass predictor, compared with naive rules: counters counted up
 * singly, a sampler of entries with times.
 */
typedef enum part { REPLACES, REPLACES_AND_BYPASSES, PREDICTS } part;

/* -- counter-based */

typedef struct entry {
    uint32_t count;
    bool sure;
} entry;

typedef struct counter_model {
    naive cache;
    part role;
    bool live_time;
    uint32_t rows, columns, most, retry, refused;
    const naive_line *newest; /* newest line of the evicting set */
    entry *table;
} counter_model;

static uint32_t fold(uint64_t value, uint32_t size) {
    uint32_t width = 0, folded = 0;
    while (1u << width < size)
        width++;
    for (unsigned bit = 0; bit < 64 && width; bit++)
        folded ^= (uint32_t)(value >> bit & 1) << bit % width;
    return folded;
}

static entry *entry_of(const counter_model *m, uint32_t row, uint64_t line) {
    return &m->table[row * m->columns + fold(line, m->columns)];
}

static bool expired(const void *model, const naive_line *line) {
    const counter_model *m = model;
    if (line == m->newest || !line->sure || line->past == m->most)
        return false;
    return m->live_time ? line->count >= line->past : line->count > line->longest && line->count > line->past;
}

static void count(counter_model *m, uint32_t *counter) {
    *counter += *counter < m->most;
}

/* Every access of a set makes the set's lines wait longer. */
static void wait(counter_model *m, uint64_t line) {
    naive_line *set = naive_set(&m->cache, line);
    for (uint32_t way = 0; way < m->cache.ways && !m->live_time; way++)
        if (set[way].valid)
            count(m, &set[way].count);
}

static void hit(counter_model *m, naive_line *line) {
    if (m->live_time) {
        count(m, &line->count);
    } else {
        line->longest = line->count > line->longest ? line->count : line->longest;
        line->count = 0;
    }
    naive_use(&m->cache, line);
}

static bool refuses(counter_model *m, const entry *known) {
    if (known->count || !known->sure)
        return false;
    m->refused++;
    if (m->retry && m->refused == m->retry) {
        m->refused = 0;
        return false;
    }
    return true;
}

static char counter_access(counter_model *m, const gpc_request *request) {
    uint64_t line = request->address / 128;
    naive_line *found = naive_find(&m->cache, line);
    if (request->kind == GPC_ATOMIC) {
        if (found)
            found->valid = false;
        return 'p';
    }
    wait(m, line);
    if (found) {
        hit(m, found);
        return 'h';
    }
    uint32_t row = fold(request->pc, m->rows);
    const entry *known = entry_of(m, row, line);
    if (m->role == PREDICTS && refuses(m, known))
        return 'b';
    naive_line *way = naive_free(&m->cache, line), *set = naive_set(&m->cache, line);
    m->newest = set;
    for (uint32_t i = 1; i < m->cache.ways; i++)
        m->newest = set[i].used > m->newest->used ? &set[i] : m->newest;
    if (!way) {
        way = m->role == PREDICTS ? NULL : naive_oldest(&m->cache, line, expired, m);
        if (!way && m->role == REPLACES_AND_BYPASSES && !known->count && known->sure)
            return 'b';
        way = way ? way : naive_oldest(&m->cache, line, NULL, NULL);
        uint32_t came_to = m->live_time ? way->count : way->longest;
        *entry_of(m, way->row, way->line) = (entry){came_to, came_to == way->past};
    }
    naive_put(&m->cache, way, line);
    way->row = row;
    way->past = known->count;
    way->sure = known->sure;
    return 'm';
}

static void compare_counters(counter_model m, uint32_t sets, uint32_t ways) {
    char spec[160], *end = spec;
    unsigned bits = 0;
    while (1u << bits <= m.most)
        bits++;
    end += snprintf(end, 160, "counter-based(rows=%u,columns=%u,bits=%u", m.rows, m.columns, bits);
    if (m.role == PREDICTS)
        snprintf(end, 80, ",retry=%u)", m.retry);
    else
        snprintf(end, 80, ",variant=%s,bypass=%d)", m.live_time ? "lvp" : "aip", m.role == REPLACES_AND_BYPASSES);
    rig r;
    rig_open(&r, (rig_plan){.predictor = m.role == PREDICTS ? spec : NULL,
                            .replacement = m.role == PREDICTS ? NULL : spec,
                            .sets = sets,
                            .ways = ways});
    naive_open(&m.cache, sets, ways);
    m.table = calloc((size_t)m.rows * m.columns, sizeof *m.table);
    uint64_t random = sets * 31 + ways, bypassed = 0;
    for (int step = 0; step < STEPS(ways); step++) {
        gpc_request request = rig_random(&random, 2 * (uint64_t)sets * ways + 1, 12);
        char expected = counter_access(&m, &request), got = rig_access(&r, request);
        cr_assert_eq(got, expected, "%s, %u x %u, step %d, kind %u: %c, not %c", spec, sets, ways, step, request.kind,
                     got, expected);
        bypassed += got == 'b';
    }
    cr_assert_eq(bypassed > 0, m.role != REPLACES, "%s, %u x %u", spec, sets, ways);
    free(m.table);
    naive_close(&m.cache);
    rig_close(&r);
}

static const uint32_t shapes[][2] = {{1, 1}, {1, 2}, {4, 4}, {7, 3}, {32, 4}, {3, 20}, {1, 128}, {1, 1024}};
#define EACH_SHAPE(i) for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)

Test(predictor_models, counter_based) {
    EACH_SHAPE(i) {
        for (int variant = 0; variant < 2; variant++)
            for (part role = REPLACES; role <= REPLACES_AND_BYPASSES; role++)
                compare_counters(
                    (counter_model){.role = role, .live_time = variant, .rows = 256, .columns = 256, .most = 15},
                    shapes[i][0], shapes[i][1]);
        compare_counters((counter_model){.role = PREDICTS, .live_time = true, .rows = 256, .columns = 256, .most = 15},
                         shapes[i][0], shapes[i][1]);
    }
}

/* Counters of one bit to seven, which saturate early or never, and tables with collisions. */
Test(predictor_models, counter_based_sizes) {
    for (uint32_t most = 1; most < 128; most = 2 * most + 1) {
        for (int variant = 0; variant < 2; variant++)
            compare_counters(
                (counter_model){
                    .role = REPLACES, .live_time = variant, .rows = 1 + most / 2, .columns = 64, .most = most},
                4, 8);
        compare_counters(
            (counter_model){
                .role = PREDICTS, .live_time = true, .rows = 1, .columns = 64, .most = most, .retry = most + 1},
            4, 8);
    }
}

/* -- sdbp */

typedef struct sample {
    bool valid, dead;
    uint64_t tag, pc, used;
} sample;

typedef struct sdbp_model {
    naive cache;
    part role;
    uint32_t tables, entries, threshold, most, samplers, ways, tag_bits, pc_bits;
    uint32_t *counters[8];
    sample *samples; /* [sets][ways] */
    uint64_t clock;
} sdbp_model;

static uint32_t *counter_of(const sdbp_model *m, uint32_t table, uint64_t pc) {
    static const uint32_t factors[8] = {2654435761, 2246822507, 3266489909, 668265263,
                                        374761393,  3550635117, 4251993797, 3042594569};
    uint64_t product = (uint32_t)(pc * factors[table]);
    return &m->counters[table][product * m->entries >> 32];
}

static bool is_dead(const sdbp_model *m, uint64_t pc) {
    uint32_t sum = 0;
    for (uint32_t table = 0; table < m->tables; table++)
        sum += *counter_of(m, table, pc);
    return sum >= m->threshold;
}

static void learn(sdbp_model *m, uint64_t pc, bool dead) {
    for (uint32_t table = 0; table < m->tables; table++) {
        uint32_t *counter = counter_of(m, table, pc);
        if (dead && *counter < m->most)
            ++*counter;
        else if (!dead && *counter)
            --*counter;
    }
}

static bool comes_before(const sample *a, const sample *b) {
    if (a->valid != b->valid)
        return !a->valid;
    if (a->dead != b->dead)
        return a->dead;
    return a->used < b->used;
}

/* The sampler of a set, or NULL: `samplers` of them, evenly apart. */
static sample *sampler_of(const sdbp_model *m, uint64_t set) {
    for (uint32_t i = 0; i < m->samplers; i++)
        if ((uint64_t)i * m->cache.sets / m->samplers == set)
            return m->samples + (size_t)i * m->ways;
    return NULL;
}

static bool observe(sdbp_model *m, uint64_t line, uint64_t pc) {
    sample *entries = sampler_of(m, line % m->cache.sets), *at = NULL;
    uint64_t tag = line / m->cache.sets % (1u << m->tag_bits);
    pc %= 1u << m->pc_bits;
    for (uint32_t i = 0; entries && i < m->ways; i++)
        if (entries[i].valid && entries[i].tag == tag)
            at = &entries[i];
    if (at)
        learn(m, at->pc, false);
    for (uint32_t i = 0; entries && !at && i < m->ways; i++)
        if (i + 1 == m->ways) {
            at = &entries[0];
            for (uint32_t j = 1; j < m->ways; j++)
                at = comes_before(&entries[j], at) ? &entries[j] : at;
            if (at->valid)
                learn(m, at->pc, true);
        }
    if (at)
        *at = (sample){true, is_dead(m, pc), tag, pc, ++m->clock};
    return is_dead(m, pc);
}

static bool marked_dead(const void *model, const naive_line *line) {
    (void)model;
    return line->dead;
}

static char sdbp_access(sdbp_model *m, const gpc_request *request) {
    uint64_t line = request->address / 128;
    naive_line *found = naive_find(&m->cache, line);
    if (request->kind == GPC_ATOMIC) {
        if (found)
            found->valid = false;
        return 'p';
    }
    bool dead = observe(m, line, request->pc);
    if (found) {
        found->dead = dead;
        naive_use(&m->cache, found);
        return 'h';
    }
    if (m->role == PREDICTS && dead)
        return 'b';
    naive_line *way = naive_free(&m->cache, line);
    if (!way && m->role == REPLACES_AND_BYPASSES && dead)
        return 'b';
    if (!way && m->role != PREDICTS)
        way = naive_oldest(&m->cache, line, marked_dead, m);
    naive_put(&m->cache, way ? way : naive_oldest(&m->cache, line, NULL, NULL), line);
    naive_find(&m->cache, line)->dead = dead;
    return 'm';
}

static void compare_sdbp(sdbp_model m, uint32_t sets, uint32_t ways, uint32_t share) {
    char spec[200], *end = spec;
    unsigned bits = 0;
    while (1u << bits <= m.most)
        bits++;
    end += snprintf(end, 80, "sdbp(tables=%u,entries=%u,bits=%u,threshold=%u,", m.tables, m.entries, bits, m.threshold);
    end += snprintf(end, 80, "sampler-ways=%u,tag-bits=%u,pc-bits=%u,share=%u", m.ways, m.tag_bits, m.pc_bits, share);
    snprintf(end, 40, m.role == PREDICTS ? ")" : ",bypass=%d)", m.role == REPLACES_AND_BYPASSES);
    rig r;
    rig_open(&r, (rig_plan){.predictor = m.role == PREDICTS ? spec : NULL,
                            .replacement = m.role == PREDICTS ? NULL : spec,
                            .sets = sets,
                            .ways = ways});
    naive_open(&m.cache, sets, ways);
    m.samplers = (sets + share - 1) / share < 32 ? (sets + share - 1) / share : 32;
    m.ways = m.ways ? m.ways : ways > 1 ? ways * 3 / 4 : 1;
    m.samples = calloc((size_t)m.samplers * m.ways, sizeof *m.samples);
    for (uint32_t table = 0; table < m.tables; table++)
        m.counters[table] = calloc(m.entries, sizeof **m.counters);
    uint64_t random = sets * 31 + ways, seen[256] = {0};
    for (int step = 0; step < STEPS(ways); step++) {
        gpc_request request = rig_random(&random, 4 * (uint64_t)sets * ways + 1, 12);
        char expected = sdbp_access(&m, &request), got = rig_access(&r, request);
        cr_assert_eq(got, expected, "%s, %u x %u, step %d, kind %u: %c, not %c", spec, sets, ways, step, request.kind,
                     got, expected);
        seen[(unsigned char)got]++;
    }
    cr_assert_eq(seen['b'] > 0, m.role != REPLACES, "%s, %u x %u", spec, sets, ways);
    for (uint32_t table = 0; table < m.tables; table++)
        free(m.counters[table]);
    free(m.samples);
    naive_close(&m.cache);
    rig_close(&r);
}

#define PAPER .tables = 3, .entries = 4096, .threshold = 8, .most = 3, .tag_bits = 15, .pc_bits = 15

Test(predictor_models, sdbp) {
    EACH_SHAPE(i)
    for (part role = REPLACES; role <= PREDICTS; role++) {
        compare_sdbp((sdbp_model){.role = role, PAPER}, shapes[i][0], shapes[i][1], 4);
        compare_sdbp((sdbp_model){.role = role, PAPER}, shapes[i][0], shapes[i][1], 1);
    }
}

/* One table to eight, one counter to many, full tags and hardly any, samplers narrower and wider than the cache. */
Test(predictor_models, sdbp_sizes) {
    static const uint32_t entries[] = {1, 8, 64, 512, 4096, 32768, 64, 16};
    for (uint32_t tables = 1; tables <= 8; tables++)
        for (part role = REPLACES; role <= PREDICTS; role++)
            compare_sdbp((sdbp_model){.role = role,
                                      .tables = tables,
                                      .entries = entries[tables - 1],
                                      .most = (1u << tables) - 1,
                                      .threshold = tables > 1 ? 2 : 1,
                                      .ways = tables * 3,
                                      .tag_bits = tables == 1 ? 31 : 2 * tables,
                                      .pc_bits = tables == 2 ? 31 : 4 + tables},
                         tables * 3, 6, 1 + tables % 3);
}
