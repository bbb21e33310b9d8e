/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/warps.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* age-lru: the worked example, and a naive definition. */

/*
 * Steps of two characters through one set: a letter and a warp is an access, '+' starts a warp, '|' takes it to a
 * barrier, '.' ends it. Per access: h = hit, - = miss into a free way, b = bypassed, a letter = the evicted line.
 */
static void check(const char *spec, uint32_t ways, const char *steps, const char *expected) {
    char got[65] = "";
    size_t count = 0;
    rig r;
    rig_open(&r, spec, 1, ways, 1);
    for (; *steps; steps += 2) {
        uint32_t warp = (uint32_t)(steps[1] - '0');
        if (*steps == '+' || *steps == '|' || *steps == '.') {
            tell(&r, *steps == '+' ? GPC_WARP_START : *steps == '|' ? GPC_WARP_BARRIER : GPC_WARP_EXIT, warp);
            continue;
        }
        r.also.warp = r.also.warp_age = warp;
        rig_outcome o = rig_access(&r, (unsigned char)*steps, 0);
        got[count++] = o.hit ? 'h' : o.bypassed ? 'b' : o.evicted ? (char)o.victim : '-';
    }
    cr_expect_str_eq(got, expected, "%s: %s, not %s", spec, got, expected);
    rig_close(&r);
}

Test(ages, example) {
    check("age-lru", 2, "+0+1+2A0B1C2D1.0E2", "--BCA");
    check("age-lru(bypass=1)", 2, "+0+1+2A0B1C2D1.0E2", "--bBA");
    check("lru", 2, "A0B1C2D1E2", "--ABC");
}

/* The youngest warp's lines: the least recent of them, though older warps' are older still. */
Test(ages, least_recent_of_the_youngest) {
    check("age-lru", 4, "+0+1A0B1C1D0B1E0", "----hC");
    check("age-lru", 4, "+0+1A0B1C1D0B1E0F0G0", "----hCBA");
}

/* A line belongs to the fetching warp, with hits by any warp. */
Test(ages, hits_do_not_change_owners) {
    check("age-lru", 2, "+0+1A1B0A0C0", "--hA");
}

/* At a barrier a warp's lines leave first; remaining lines belong to it again on return. */
Test(ages, barrier) {
    check("age-lru", 3, "+0+1A0B0C1|0D1", "---A");
    check("age-lru", 3, "+0+1A0B0C1|0D1B0E1F0", "---AhCD");
    check("age-lru(bypass=1)", 3, "+0+1A0B0C1|0D1B0E1F0", "---AhCD");
}

/* A warp that ends between older and younger ones is still within the window; with exact=1 the lines go first. */
Test(ages, exact) {
    check("age-lru", 2, "+0+1+2A1B2.1C0", "--B");
    check("age-lru(exact=1)", 2, "+0+1+2A1B2.1C0", "--A");
    check("age-lru(exact=1)", 2, "+0+1+2A1B2|1C0", "--A");
    check("age-lru(exact=1)", 2, "+0+1+2A1B2|1A1C0", "--hB");
    check("age-lru(exact=1,bypass=1)", 2, "+0+1+2A1B0.1C2", "--A");
    check("age-lru(bypass=1)", 2, "+0+1+2A1B0.1C2", "--b");
    check("age-lru(exact=1)", 2, "A0B1C2D1", "--BC"); /* without events: all are active */
}

/* Without active warps: of all inactive ones the least recent; an ended warp is younger than any. */
Test(ages, inactive_warps) {
    check("age-lru", 2, "+0+1A0B1.0.1C0", "--A");
    check("age-lru(bypass=1)", 2, "+0+1A1B1.0C0", "--b");
}

/* Without events: the requests' ages. Without ages, too: LRU. */
Test(ages, without_events) {
    check("age-lru", 2, "A0B1C2D1", "--BC");
    check("age-lru(bypass=1)", 2, "A0B1C2D1", "--bB");
    check("age-lru", 3, "A0B0C0A0D0E0", "---hBC");
    check("age-lru(bypass=1)", 3, "A0B0C0A0D0E0", "---hBC");
}

/* Ids wrap under staying lines: warp 1's line leaves before warp 0's at any place of the window. */
Test(ages, wrap_around) {
    rig r;
    rig_open(&r, "age-lru", 1, 2, 1);
    for (uint64_t round = 0; round < 600; round++) {
        tell(&r, GPC_WARP_START, 0);
        tell(&r, GPC_WARP_START, 1);
        r.also.warp = 1;
        uint64_t young = rig_access(&r, 3 * round, 0).way;
        r.also.warp = 0;
        uint64_t old = rig_access(&r, 3 * round + 1, 0).way;
        cr_assert_neq(young, old, "round %d: the line of a warp that has ended leaves first", (int)round);
        rig_access(&r, 3 * round, 0); /* most recent, but still the victim */
        cr_assert_eq(rig_access(&r, 3 * round + 2, 0).victim, 3 * round, "round %d", (int)round);
        tell(&r, GPC_WARP_EXIT, 1);
        tell(&r, GPC_WARP_EXIT, 0);
    }
    rig_close(&r);
}

/* The warp of a line that stayed through 256 ids passes for another, inevitable with eight bits. */
Test(ages, a_line_may_outlive_its_id) {
    rig r;
    rig_open(&r, "age-lru", 1, 2, 1);
    tell(&r, GPC_WARP_START, 0);
    r.also.warp = 0;
    rig_access(&r, 'A', 0);
    tell(&r, GPC_WARP_EXIT, 0);
    for (uint32_t i = 1; i < 255; i++) {
        tell(&r, GPC_WARP_START, 0);
        tell(&r, GPC_WARP_EXIT, 0);
    }
    tell(&r, GPC_WARP_START, 1); /* the 256th id, then A's */
    tell(&r, GPC_WARP_START, 2);
    r.also.warp = 1;
    rig_access(&r, 'B', 0);
    rig_access(&r, 'A', 0);
    cr_expect_eq(rig_access(&r, 'C', 0).victim, 'A', "the younger warp's");
    tell(&r, GPC_WARP_EXIT, 2);
    rig_close(&r);
}

typedef struct model {
    naive_warps *warps;
    uint64_t clock, used[GPC_MAX_WAYS];
    int64_t numbers[GPC_MAX_WAYS];
} model;

/* RIG_NO_WAY = bypass. */
static uint32_t victim_of(const model *m, uint32_t ways, const uint64_t *candidates, int requests_age, bool bypass) {
    uint32_t best = RIG_NO_WAY;
    int best_age = -1;
    for (uint32_t way = 0; way < ways; way++) {
        if (!(candidates[way / 64] >> (way % 64) & 1))
            continue;
        int age = naive_age(m->warps, m->numbers[way]);
        if (age > best_age || (age == best_age && m->used[way] < m->used[best])) {
            best = way;
            best_age = age;
        }
    }
    return bypass && requests_age > best_age ? RIG_NO_WAY : best;
}

static void step_both(rig *r, model *m, uint64_t line, uint64_t *random, bool bypass) {
    uint32_t set = (uint32_t)(line % r->env.sets), ways = r->env.ways;
    uint32_t slot = r->also.warp, warp_age = r->also.warp_age;
    uint64_t words[16];
    rig_outcome o;
    if (!rig_is_full(r, set) || rig_is_resident(r, set, line)) {
        o = rig_access(r, line, 0);
        naive_use(m->warps, slot);
    } else {
        gpc_request request = r->also;
        request.address = line * 128;
        r->ops->on_miss(r->self, set, &request);
        naive_use(m->warps, slot);
        random_candidates(random, ways, words);
        int age = naive_age(m->warps, naive_number(m->warps, slot, warp_age));
        o = rig_replace(r, set, words, line, 0);
        uint32_t expected = victim_of(m, ways, words, age, bypass);
        cr_assert_eq(o.way, expected, "%u ways: way %d, not %d", ways, (int)o.way, (int)expected);
        if (o.bypassed)
            return;
    }
    m->used[o.way] = ++m->clock;
    if (!o.hit)
        m->numbers[o.way] = naive_number(m->warps, slot, warp_age);
}

static void compare(const char *spec, bool bypass, uint32_t sets, uint32_t ways, uint32_t slots, bool events) {
    model *models = calloc(sets, sizeof *models);
    naive_warps warps;
    rig r;
    cr_assert_not_null(models);
    naive_open(&warps);
    rig_open(&r, spec, sets, ways, 1);
    uint64_t random = ways * 31 + sets + slots, distinct = (uint64_t)sets * (ways + ways / 2 + 1);
    for (uint32_t step = 0; step < effort_of(2000) + (effort_is_small() ? 4 : 10) * ways; step++) {
        uint64_t line = gpci_random(&random) % distinct;
        model *m = &models[line % sets];
        m->warps = &warps;
        r.also.warp = gpci_random_below(&random, slots);
        r.also.warp_age = gpci_random_below(&random, slots) * 5;
        step_both(&r, m, line, &random, bypass);
        uint32_t set = (uint32_t)(line % sets), way = gpci_random_below(&random, ways);
        if (step % 7 == 0 && r.lines[(size_t)set * ways + way] != RIG_FREE)
            rig_invalidate(&r, set, way);
        for (uint32_t i = gpci_random_below(&random, 3); events && i--;) {
            gpc_warp_event event = random_event(&random, slots, true);
            r.ops->on_warp_event(r.self, &event);
            naive_event(&warps, &event);
        }
    }
    cr_expect(rig_guards_intact(&r));
    rig_close(&r);
    free(models);
}

Test(ages, agrees_with_its_definition) {
    static const uint32_t ways[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 24, 63, 64, 65, 128, 1024};
    size_t cases = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int bypass = 0; bypass < 2; bypass++)
            for (uint32_t slots = 1; slots < NAIVE_SLOTS; slots = 3 * slots + 1) {
                if (!effort_takes(cases++))
                    continue;
                const char *spec = bypass ? "age-lru(bypass=1)" : "age-lru";
                compare(spec, bypass, 1, ways[i], slots, true);
                compare(spec, bypass, 3, ways[i], slots, true);
                compare(spec, bypass, 2, ways[i], slots, false);
            }
}
