/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <string.h>

/* Caches with data for fewer lines than tags (gpc_cache_options.lines). */

static void open(rig *r, uint64_t sets, uint32_t ways, uint32_t lines, const char *replacement) {
    rig_init(r);
    r->options.sets = sets;
    r->options.ways = ways;
    r->options.lines = lines;
    r->options.replacement = replacement;
    rig_open(r);
}

static gpc_access_result load(rig *r, uint64_t line) {
    return rig_access(r, LOAD_LINE(line * 128));
}

/* 2 sets of 2 ways, 3 lines: A and B in set 0, C in set 1, with A and C used twice (cache_access.c). */
Test(few_lines, a_clock_passes_by_what_is_used_again) {
    enum { A = 0, B = 2, C = 1, D = 3, E = 4 };
    rig r;
    open(&r, 2, 2, 3, NULL);
    static const uint64_t first[] = {A, B, C, A, C};
    for (unsigned i = 0; i < 5; i++)
        cr_expect(!load(&r, first[i]).evicted);
    gpc_access_result result = load(&r, D);
    cr_expect(result.evicted && result.eviction.line_address == B * 128 && result.eviction.set == 0);
    cr_expect(result.set == 1 && result.way == 1, "it takes the way that is free");
    result = load(&r, E);
    cr_expect(result.evicted && result.eviction.line_address == D * 128);
    cr_expect_eq(rig_lines(&r), 3);
    cr_expect(rig_holds(&r, A * 128) && rig_holds(&r, C * 128));
    rig_close(&r);
}

/* A set without a free way evicts a line of the set. */
Test(few_lines, full_sets) {
    rig r;
    open(&r, 4, 2, 3, NULL);
    load(&r, 0);
    load(&r, 4);
    load(&r, 1);
    const gpc_access_result result = load(&r, 8);
    cr_expect(result.evicted && result.eviction.line_address == 0 && result.way == 0);
    cr_expect(rig_holds(&r, 128), "set 1 is left alone");
    rig_close(&r);
}

/* Lines that may not leave are skipped; if no line may, a miss waits as in a full set. */
Test(few_lines, what_is_pending_stays) {
    rig r;
    open(&r, 4, 2, 2, NULL);
    rig_lookup(&r, LOAD_LINE(0));
    rig_reserve(&r, LOAD_LINE(0), 1);
    load(&r, 3);
    cr_expect_eq(load(&r, 1).eviction.line_address, 3 * 128, "set 0's is on its way");
    rig_lookup(&r, LOAD_LINE(2 * 128));
    rig_reserve(&r, LOAD_LINE(2 * 128), 1);
    cr_expect_eq(rig_reserve(&r, LOAD_LINE(3 * 128), 1).outcome, GPC_NO_VICTIM);
    cr_expect_eq(rig_lines(&r), 2);
    rig_close(&r);
}

/* ... but not with GPC_ALLOCATE_REPLACEABLE. */
Test(few_lines, replaceable) {
    rig r;
    rig_init(&r);
    r.options.allocate = GPC_ALLOCATE_REPLACEABLE;
    rig_open(&r);
    for (uint64_t line = 0; line < 3; line++) {
        rig_lookup(&r, LOAD_LINE(line * 128));
        const gpc_access_result result = rig_reserve(&r, LOAD_LINE(line * 128), 1);
        cr_expect_eq(result.evicted, line == 2);
    }
    cr_expect(!rig_holds(&r, 0) && rig_line(&r, 256).pending_sectors == 1);
    cr_expect_eq(rig_fill(&r, LOAD_LINE(256), 1).evicted, 0);
    rig_close(&r);
}

enum { SETS = 8, WAYS = 4, LINES = 21, NUMBERS = 96, NONE = -1 };

/* Reference model, written differently. */
typedef struct model {
    int line[SETS][WAYS];
    unsigned used[SETS][WAYS];
    bool again[SETS][WAYS];
    unsigned time, lines, hand;
} model;

static int find(const model *m, unsigned set, int line) {
    for (int way = 0; way < WAYS; way++)
        if (m->line[set][way] == line)
            return way;
    return NONE;
}

/* Returns the leaving line, or NONE. */
static int leave(model *m, unsigned set, unsigned *way) {
    const int empty = find(m, set, NONE);
    *way = (unsigned)empty;
    if (empty == NONE) {
        *way = 0;
        for (unsigned other = 1; other < WAYS; other++)
            *way = m->used[set][other] < m->used[set][*way] ? other : *way;
        return m->line[set][*way];
    }
    if (m->lines < LINES) {
        m->lines++;
        return NONE;
    }
    for (;; m->hand = (m->hand + 1) % (SETS * WAYS)) {
        int *line = &m->line[m->hand / WAYS][m->hand % WAYS];
        bool *again = &m->again[m->hand / WAYS][m->hand % WAYS];
        if (*line != NONE && !*again) {
            const int left = *line;
            *line = NONE;
            m->hand = (m->hand + 1) % (SETS * WAYS);
            return left;
        }
        *again = false;
    }
}

/* A probe predicts the access. */
static void compare(uint64_t random) {
    model m = {.time = 0};
    rig r;
    memset(m.line, 0xff, sizeof m.line);
    open(&r, SETS, WAYS, LINES, NULL);
    for (unsigned i = 0; i < 4000; i++) {
        const int line = (int)gpci_random_below(&random, NUMBERS);
        const unsigned set = (unsigned)line % SETS;
        const gpc_request request = LOAD_LINE((uint64_t)line * 128);
        gpc_access_result told;
        cr_assert_eq(gpc_cache_probe_victim(r.cache, &request, &told, NULL), GPC_OK);
        const gpc_access_result result = load(&r, (uint64_t)line);
        const int there = find(&m, set, line);
        unsigned way = (unsigned)there;
        const int left = there == NONE ? leave(&m, set, &way) : NONE;
        cr_assert_eq(result.outcome, there == NONE ? GPC_MISS : GPC_HIT);
        cr_assert(result.way == way && result.evicted == (left != NONE));
        cr_assert(left == NONE || result.eviction.line_address == (uint64_t)left * 128);
        cr_assert(told.outcome == result.outcome && told.evicted == result.evicted && told.way == result.way);
        cr_assert_eq(told.eviction.line_address, result.eviction.line_address);
        m.line[set][way] = line;
        m.used[set][way] = ++m.time;
        m.again[set][way] = there != NONE;
    }
    cr_expect_eq(rig_lines(&r), LINES);
    rig_close(&r);
}

Test(few_lines, as_modelled) {
    for (uint64_t random = 1; random <= 20; random++)
        compare(random);
}

/* All policies respect the number of lines: batches, too, then without the quick path. */
Test(few_lines, batches_keep_to_them) {
    static const char *const replacements[] = {"lru", "srrip", "nru(random=1)", "age-lru", "bip", "random"};
    for (size_t p = 0; p < sizeof replacements / sizeof *replacements; p++) {
        uint64_t addresses[3000], random = 7;
        rig r;
        open(&r, 16, 4, 50, replacements[p]);
        for (size_t i = 0; i < 3000; i++)
            addresses[i] = gpci_random_below(&random, 200) * 128;
        gpc_batch batch = GPC_BATCH_INIT;
        batch.count = 3000;
        batch.addresses = addresses;
        cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_OK);
        cr_expect_eq(rig_lines(&r), 50, "%s", replacements[p]);
        rig_close(&r);
    }
}
