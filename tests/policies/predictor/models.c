/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/naive.h"

#include "base/base.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* agcb and the bits below compared with naive rules, on random streams. */

typedef struct agcb_model {
    naive cache, below;
    int counters[4096];
    uint32_t entries, bits, threshold, initial, shift;
    int hash;
    bool report, early, on_miss;
    uint32_t sectors;
} agcb_model;

/* Sectors of the line needed by a request. */
static uint8_t needs(const agcb_model *m, const gpc_request *request) {
    return m->sectors > 1 ? request->sector_mask : 1;
}

static uint32_t hash_of(const agcb_model *m, uint64_t pc) {
    unsigned width = 0;
    for (uint32_t n = 1; n < m->entries; n *= 2)
        width++;
    pc >>= m->shift;
    uint32_t hash = 0;
    if (m->hash == 0)
        return (uint32_t)(pc % m->entries);
    for (unsigned bit = 0; bit < 64 && width; bit++) {
        uint64_t product = pc * 11400714819323198485u;
        if (m->hash == 1)
            hash ^= (uint32_t)(pc >> bit & 1) << bit % width;
        else if (bit < width)
            hash |= (uint32_t)(product >> (63 - bit) & 1) << (width - 1 - bit);
    }
    return hash;
}

static void add(agcb_model *m, uint32_t counter, int by) {
    int most = (1 << m->bits) - 1, value = m->counters[counter] + by;
    m->counters[counter] = value < 0 ? 0 : value > most ? most : value;
}

/* The line comes into the cache; the evicted line counts. */
static void keep(agcb_model *m, uint64_t line, const gpc_request *request) {
    const uint64_t pc = request->pc;
    naive_line *way = naive_free(&m->cache, line);
    if (!way) {
        way = naive_oldest(&m->cache, line, NULL, NULL);
        uint32_t own = hash_of(m, pc);
        if (!m->report)
            add(m, way->pc, 1);
        else if ((uint32_t)m->counters[own] < m->threshold)
            add(m, own, 1);
    }
    naive_put(&m->cache, way, line);
    way->pc = hash_of(m, pc);
    way->sectors = needs(m, request);
}

/* Answer of the level below about a load missed by L1. */
static bool was_bypassed(agcb_model *m, uint64_t line, bool judged, bool bypass) {
    naive_line *found = naive_find(&m->below, line);
    if (!found) {
        naive_line *way = naive_free(&m->below, line);
        way = way ? way : naive_oldest(&m->below, line, NULL, NULL);
        naive_put(&m->below, way, line);
        way->bit = judged && bypass && m->on_miss;
        return false;
    }
    naive_use(&m->below, found);
    bool bit = found->bit;
    if (judged)
        found->bit = bypass && !bit;
    return judged && bit;
}

static char fetch(agcb_model *m, uint64_t line, const gpc_request *request, bool judged, bool bypass) {
    bool overridden = was_bypassed(m, line, judged, bypass) && bypass;
    if (bypass && !overridden)
        return 'b';
    naive_line *there = naive_find(&m->cache, line); /* agcb-early did not look */
    if (there)
        there->sectors |= needs(m, request);
    else
        keep(m, line, request);
    return overridden ? 'o' : 'm';
}

static char model_access(agcb_model *m, const gpc_request *request) {
    uint64_t line = request->address / 128;
    naive_line *found = naive_find(&m->cache, line);
    bool load = request->kind == GPC_LOAD, judged = load && request->space == GPC_SPACE_GLOBAL;
    bool bypass = judged && (uint32_t)m->counters[hash_of(m, request->pc)] >= m->threshold;
    if (request->kind == GPC_ATOMIC) {
        if (found)
            found->valid = false;
        return 'p';
    }
    if (found && !(m->early && bypass)) {
        if (load) {
            add(m, found->pc, -1);
            found->pc = hash_of(m, request->pc);
        }
        naive_use(&m->cache, found);
        if (!(needs(m, request) & ~found->sectors))
            return 'h';
        found->sectors |= needs(m, request);
        if (request->kind == GPC_STORE) /* a store brings the written data */
            return 'h';
        if (load) /* more of a resident line: judged by predictors that do not look at tags before */
            was_bypassed(m, line, m->early && judged, false);
        return 's';
    }
    if (load)
        return fetch(m, line, request, judged, bypass);
    keep(m, line, request);
    return 'm';
}

static void compare(agcb_model m, uint32_t sets, uint32_t ways, uint32_t pcs) {
    static const char *const hashes[] = {"modulo", "xor", "multiply"};
    char spec[160];
    snprintf(spec, sizeof spec, "%s(entries=%u,bits=%u,threshold=%u,initial=%u,shift=%u,hash=%s,update=%s)",
             m.early ? "agcb-early" : "agcb", m.entries, m.bits, m.threshold, m.initial, m.shift, hashes[m.hash],
             m.report ? "report" : "victim");
    rig r;
    uint32_t below_ways = ways < GPC_MAX_WAYS ? ways + 1 : ways;
    rig_open(&r, (rig_plan){.predictor = spec,
                            .sets = sets,
                            .ways = ways,
                            .below_sets = 2 * sets,
                            .below_ways = below_ways,
                            .sectors = m.sectors,
                            .below = m.on_miss ? "agcb-below(on-miss=1)" : "agcb-below"});
    naive_open(&m.cache, sets, ways);
    naive_open(&m.below, 2 * sets, below_ways);
    for (uint32_t i = 0; i < m.entries; i++) {
        m.counters[i] = 0;
        add(&m, i, (int)m.initial);
    }
    uint64_t random = sets * 131 + ways, seen[256] = {0};
    for (int step = 0; step < STEPS(ways); step++) {
        gpc_request request = rig_random(&random, 3 * (uint64_t)sets * ways, pcs);
        request.pc |= request.pc << 50; /* a hash reads the PC's high bits, too */
        if (m.sectors > 1)
            request.sector_mask = (uint8_t)(1 + gpci_random_below(&random, (1u << m.sectors) - 1));
        char expected = model_access(&m, &request), got = rig_access(&r, request);
        cr_assert_eq(got, expected, "%s, %u x %u, step %d, kind %u: %c, not %c", spec, sets, ways, step, request.kind,
                     got, expected);
        seen[(unsigned char)got]++;
    }
    measured_cache stats = rig_stats(&r);
    cr_assert_eq(stats.overturned_bypasses, seen['o']);
    cr_assert_eq(stats.bypasses, seen['o'] + seen['b']);
    cr_assert_eq(stats.overturned_fills, 0);
    cr_assert_eq(seen['s'] != 0, m.sectors > 1);
    cr_assert(!m.initial || seen['o'], "%s, %u x %u: nothing was overturned", spec, sets, ways);
    naive_close(&m.cache);
    naive_close(&m.below);
    rig_close(&r);
}

#define DEFAULT \
    { .entries = 256, .bits = 4, .threshold = 8, .initial = 15 }

Test(predictor_models, agcb) {
    static const uint32_t shapes[][2] = {{1, 1}, {1, 128}, {4, 4}, {7, 3}, {32, 4}, {1, 1024}};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        agcb_model m = DEFAULT;
        compare(m, shapes[i][0], shapes[i][1], 12);
        m.on_miss = true;
        compare(m, shapes[i][0], shapes[i][1], 12);
    }
}

/* Sector caches: a matching tag is a hit to the table, and no question to the predictor. */
Test(predictor_models, agcb_sectors) {
    static const uint32_t shapes[][2] = {{1, 1}, {4, 4}, {7, 3}, {32, 4}, {1, 128}};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint32_t sectors = 2; sectors <= 4; sectors += 2) {
            agcb_model m = DEFAULT;
            m.sectors = sectors;
            compare(m, shapes[i][0], shapes[i][1], 12);
            m.on_miss = true;
            compare(m, shapes[i][0], shapes[i][1], 12);
            m.report = true;
            m.initial = 4;
            compare(m, shapes[i][0], shapes[i][1], 12);
            m.early = true;
            compare(m, shapes[i][0], shapes[i][1], 12);
        }
}

/* Every hash and width, with few counters, shared by PCs. */
Test(predictor_models, agcb_tables) {
    for (int hash = 0; hash < 3; hash++)
        for (uint32_t entries = 1; entries <= 4096; entries *= 8)
            for (uint32_t bits = 1; bits <= 8; bits += 3) {
                agcb_model m = {.entries = entries,
                                .bits = bits,
                                .threshold = 1u << (bits - 1),
                                .initial = 255,
                                .shift = entries % 3,
                                .hash = hash};
                compare(m, 4, 4, 40);
            }
}

Test(predictor_models, agcb_of_the_authors) {
    agcb_model m = DEFAULT;
    m.report = true;
    compare(m, 4, 4, 12);
    m.initial = 4;
    compare(m, 8, 2, 12);
    m.early = true;
    compare(m, 4, 4, 12);
    m.report = false;
    compare(m, 4, 4, 12);
    m.initial = 15;
    compare(m, 4, 4, 12);
}
