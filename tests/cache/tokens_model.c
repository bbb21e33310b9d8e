/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * Tokens compared with a naive model: lines in order of use, each with the set of owning warps, and clearing as worded
 * in seeds/004 section 4.6; on random loads, stores, invalidations and warp events. With strict tokens bypassing warps
 * never evict, with opportunistic tokens never a line with priority; other warps only if all lines have priority.
 */

#define WARPS 70u /* two words of owners */
#define LINES 24u

typedef struct model_line {
    uint64_t line, used;
    bool valid, priority;
    bool owners[WARPS];
    uint32_t last;
} model_line;

typedef struct model {
    uint32_t sets, ways, tokens, clear;
    uint64_t period, accesses, epoch, clock;
    model_line lines[64]; /* [sets][ways] */
    uint64_t evictions, priority_evictions, bypasses, opportunistic;
} model;

typedef enum became { HIT, FILLED, REPLACED, BYPASSED } became;

static void own(model *m, model_line *l, const gpc_request *q) {
    l->used = ++m->clock;
    if (q->policy.token == GPC_TOKEN_NONE)
        return;
    l->priority = true;
    l->owners[q->warp] = true;
    l->last = q->warp;
}

static void clear_all(model *m) {
    for (uint32_t i = 0; i < m->sets * m->ways; i++) {
        m->lines[i].priority = false;
        memset(m->lines[i].owners, 0, sizeof m->lines[i].owners);
    }
}

static became model_access(model *m, const gpc_request *q, uint64_t *victim) {
    uint64_t line = q->address / 128, now = q->cycle ? q->cycle : m->accesses++;
    model_line *set = m->lines + line % m->sets * m->ways, *way = NULL;
    bool none = q->policy.token == GPC_TOKEN_NONE && m->tokens != GPC_TOKENS_IGNORE;
    if (m->clear == GPC_CLEAR_PERIODIC && now / m->period > m->epoch) {
        m->epoch = now / m->period;
        clear_all(m);
    }
    for (uint32_t i = 0; i < m->ways; i++)
        if (set[i].valid && set[i].line == line) {
            own(m, &set[i], q);
            return HIT;
        }
    for (uint32_t i = m->ways; i-- > 0;)
        if (!set[i].valid)
            way = &set[i];
    const bool opportunistic = m->tokens == GPC_TOKENS_OPPORTUNISTIC;
    for (uint32_t i = 0; i < m->ways && !(way && !way->valid); i++)
        if (!((none || opportunistic) && set[i].priority) && (!way || set[i].used < way->used))
            way = &set[i];
    for (uint32_t i = 0; opportunistic && !none && !(way && !way->priority) && i < m->ways; i++)
        if (!way || set[i].used < way->used)
            way = &set[i];
    if (!way || (none && m->tokens == GPC_TOKENS_STRICT)) {
        m->bypasses++;
        return BYPASSED;
    }
    bool replaces = way->valid;
    *victim = way->line;
    m->evictions += replaces;
    m->priority_evictions += replaces && way->priority && m->tokens == GPC_TOKENS_OPPORTUNISTIC;
    m->opportunistic += none;
    *way = (model_line){.line = line, .valid = true};
    own(m, way, q);
    return replaces ? REPLACED : FILLED;
}

static void model_event(model *m, const gpc_warp_event *e) {
    if (e->kind >= GPC_KERNEL_START && m->clear != GPC_CLEAR_PERIODIC)
        clear_all(m);
    for (uint32_t i = 0; e->kind == GPC_WARP_EXIT && i < m->sets * m->ways; i++) {
        model_line *l = &m->lines[i];
        bool owned = false, was = l->owners[e->warp];
        l->owners[e->warp] = false;
        for (uint32_t w = 0; w < WARPS; w++)
            owned |= l->owners[w];
        if ((m->clear == GPC_CLEAR_OWNERS && was && !owned) || (m->clear == GPC_CLEAR_LAST_OWNER && l->last == e->warp))
            l->priority = false;
    }
}

static uint32_t draw(unsigned limit) {
    return (uint32_t)((unsigned)rand() % limit);
}

static void compare(rig *r, model *m, const gpc_request *q, bool steps) {
    uint64_t victim = 0;
    became expected = model_access(m, q, &victim);
    gpc_access_result a;
    if (steps) {
        a = rig_lookup(r, *q);
        if (a.outcome == GPC_MISS) {
            a = rig_reserve(r, *q, a.fetch_sectors);
            if (a.outcome == GPC_MISS && a.fetch_sectors)
                cr_expect_eq(rig_fill(r, *q, a.fetch_sectors).outcome, GPC_SECTOR_MISS);
        }
    } else {
        a = rig_access(r, *q);
    }
    became got = a.outcome == GPC_HIT ? HIT : a.outcome == GPC_BYPASSED ? BYPASSED : a.evicted ? REPLACED : FILLED;
    cr_assert_eq(got, expected, "mode %u, clear %u: %d, not %d", m->tokens, m->clear, (int)got, (int)expected);
    if (got == REPLACED)
        cr_assert_eq(a.eviction.line_address, victim * 128);
    cr_assert(got != REPLACED || q->policy.token != GPC_TOKEN_NONE || m->tokens != GPC_TOKENS_STRICT);
}

static void step_both(rig *r, model *m) {
    gpc_request q = {.address = (uint64_t)draw(LINES) * 128, .warp = draw(4) ? draw(4) + 63 : draw(WARPS)};
    q.kind = draw(4) ? GPC_LOAD : GPC_STORE;
    q.policy.token = (uint8_t)(q.warp % 2 ? GPC_TOKEN_NONE : draw(8) ? GPC_TOKEN_HELD : GPC_TOKEN_UNUSED);
    if (draw(12) == 0) {
        gpc_warp_event event = {.kind = draw(6) ? GPC_WARP_EXIT : draw(GPC_KERNEL_END + 1), .warp = q.warp};
        cr_assert_eq(gpc_cache_warp_event(r->cache, &event, NULL), GPC_OK);
        model_event(m, &event);
    } else if (draw(50) == 0) {
        gpc_cache_invalidate_line(r->cache, q.address, NULL);
        model_line *set = m->lines + q.address / 128 % m->sets * m->ways;
        for (uint32_t i = 0; i < m->ways; i++)
            if (set[i].line == q.address / 128)
                set[i] = (model_line){.valid = false};
    } else {
        compare(r, m, &q, draw(2));
    }
}

static void same_lines(const rig *r, const model *m) {
    gpc_line line;
    unsigned lines = 0;
    for (uint64_t cursor = 0; gpc_cache_next_line(r->cache, &cursor, &line, NULL) == GPC_OK; lines++) {
        const model_line *l = &m->lines[line.set * m->ways + line.way];
        cr_assert(l->valid && l->line == line.line_address / 128);
        cr_assert_eq(line.prioritised, l->priority && m->tokens == GPC_TOKENS_OPPORTUNISTIC);
    }
    for (uint32_t i = 0; i < m->sets * m->ways; i++)
        lines -= m->lines[i].valid;
    cr_assert_eq(lines, 0);
}

Test(tokens_model, random_streams) {
    srand(23);
    for (uint32_t round = 0; round < 240; round++) {
        rig r;
        model m = {.sets = 1 + draw(3), .ways = 1 + draw(20), .tokens = round % 3, .clear = round / 3 % 4};
        m.period = 1 + draw(40);
        rig_init(&r);
        r.options.sets = m.sets, r.options.ways = m.ways;
        r.options.tokens = m.tokens, r.options.token_clear = m.clear;
        r.options.token_period = m.period, r.options.token_warps = WARPS;
        rig_open(&r);
        for (uint32_t step = 0; step < 400; step++) {
            step_both(&r, &m);
            if (step % 16 == 0)
                same_lines(&r, &m);
        }
        measured_cache s = rig_stats(&r);
        cr_expect(s.evictions == m.evictions && s.token_bypasses == m.bypasses && s.bypasses == m.bypasses);
        cr_expect_eq(s.priority_evictions, m.priority_evictions);
        cr_expect_eq(s.opportunistic_fills, m.opportunistic);
        rig_close(&r);
    }
}

/* Without requests lacking a token, tokens have no effect; and a batch has no tokens. */
Test(tokens_model, nothing_changes_without_such_requests) {
    srand(5);
    uint64_t addresses[2000];
    uint8_t kinds[2000], results[3][2000];
    for (size_t i = 0; i < 2000; i++) {
        addresses[i] = (uint64_t)draw(64) * 128;
        kinds[i] = (uint8_t)draw(2);
    }
    measured_cache stats[3];
    for (uint32_t mode = 0; mode < 3; mode++) {
        rig r;
        rig_init(&r);
        r.options.sets = 4, r.options.ways = 4, r.options.tokens = mode;
        rig_open(&r);
        gpc_batch batch = GPC_BATCH_INIT;
        batch.count = 1000, batch.addresses = addresses, batch.kinds = kinds, batch.results = results[mode];
        cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_OK);
        for (size_t i = 1000; i < 2000; i++) {
            gpc_request q = {.address = addresses[i], .kind = kinds[i], .policy.token = (uint8_t)draw(2)};
            results[mode][i] = rig_access(&r, q).outcome;
        }
        stats[mode] = rig_stats(&r);
        stats[mode].priority_evictions = 0;
        cr_expect_eq(memcmp(results[mode], results[0], sizeof results[0]), 0);
        cr_expect_eq(memcmp(&stats[mode], &stats[0], sizeof stats[0]), 0);
        rig_close(&r);
    }
}
