/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/tokens.h"
#include "scheduler/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Static PCAL: Table 4.3, tokens passed from warp to warp, and counts by class. */

/* Class per slot: C, B or T; '.' if empty. */
static const char *classes(const rig *r) {
    static char text[128];
    for (uint32_t slot = 0; slot < r->warps; slot++)
        text[slot] = gpc_scheduler_age_of(r->scheduler, slot) == GPC_NO_WARP ? '.' : "CBT"[rig_class(r, slot)];
    text[r->warps] = '\0';
    return text;
}

/* Tokens of requests at a level: H or N, '.' without a warp. */
static const char *tokens(const rig *r, unsigned level) {
    static char text[128];
    for (uint32_t slot = 0; slot < r->warps; slot++) {
        bool held = gpc_scheduler_token_of(r->scheduler, slot, level) == GPC_TOKEN_HELD;
        text[slot] = gpc_scheduler_age_of(r->scheduler, slot) == GPC_NO_WARP ? '.' : held ? 'H' : 'N';
    }
    text[r->warps] = '\0';
    return text;
}

Test(pcal, table_4_3) {
    static const struct {
        uint32_t warp_opt;
        int32_t ebt;
        uint32_t cache, bypass;
    } rows[] = {
        {6, 0, 6, 0},                  /* throttling */
        {6, 1, 6, 1},  {6, 10, 6, 10}, /* strategy one */
        {6, -1, 5, 1}, {6, -5, 1, 5},  /* strategy two */
        {6, -6, 1, 5}, {6, -99, 1, 5}, /* one keeps the token */
        {1, -6, 1, 0}, {1, 3, 1, 3},   {1024, -1024, 1, 1023}, {1024, 1024, 1024, 1024},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpci_tokens got = gpci_tokens_of(rows[i].warp_opt, rows[i].ebt);
        cr_expect_eq(got.cache, rows[i].cache, "row %zu: %u", i, got.cache);
        cr_expect_eq(got.bypass, rows[i].bypass, "row %zu: %u", i, got.bypass);
    }
}

static void expect_eight(const char *policy, const char *expected) {
    rig r;
    rig_open_full(&r, policy, 8, 0);
    cr_expect_str_eq(classes(&r), expected, "%s: %s", policy, classes(&r));
    rig_close(&r);
}

Test(pcal, classes_of_the_table) {
    expect_eight("gto + pcal", "CCCCCCCC");
    expect_eight("gto + pcal(warps=3)", "CCCTTTTT");
    expect_eight("gto + pcal(warps=3, ebt=2)", "CCCBBTTT");
    expect_eight("gto + pcal(warps=3, ebt=-2)", "CBBTTTTT");
    expect_eight("gto + pcal(warps=3, ebt=-7)", "CBBTTTTT");
    expect_eight("gto + pcal(warps=3, ebt=50)", "CCCBBBBB");
    expect_eight("gto + pcal(warps=50, ebt=-45)", "CCCCCBBB");
    expect_eight("gto + pcal(ebt=-3)", "CCCCCBBB");
    expect_eight("gto + pcal(ebt=3)", "CCCCCCCC");
}

/* The worked example of tokens.h, one slot more. */
Test(pcal, a_tokens_life) {
    rig r;
    rig_open_full(&r, "lrr + pcal(warps=2, ebt=1)", 5, 0);
    rig_set_all(&r, GPC_STATE_READY);
    cr_expect_str_eq(classes(&r), "CCBTT");
    rig_set(&r, 1, GPC_STATE_WAITING); /* a warp waiting for memory keeps the place */
    cr_expect_str_eq(classes(&r), "CCBTT");
    rig_set(&r, 1, GPC_STATE_BARRIER);
    cr_expect_str_eq(classes(&r), "CCCBT");
    rig_end(&r, 0);
    cr_expect_str_eq(classes(&r), ".CCCB");
    rig_set(&r, 1, GPC_STATE_READY);
    cr_expect_str_eq(classes(&r), ".CCBT");
    rig_start(&r, 0); /* the youngest now */
    cr_expect_str_eq(classes(&r), "TCCBT");
    rig_end(&r, 3); /* a warp without a token ends: no token moves */
    cr_expect_str_eq(classes(&r), "TCC.B");
    rig_end(&r, 2); /* to the oldest without a token: 4 */
    cr_expect_str_eq(classes(&r), "BC..C");
    rig_end(&r, 1);
    cr_expect_str_eq(classes(&r), "C...C");
    rig_close(&r);
}

/* With warps=0 tokens are counted from the largest number running: as warps end, none loses the token. */
Test(pcal, without_a_limit_holders_keep_their_tokens) {
    rig r;
    rig_open(&r, "gto + pcal(ebt=-2)", 6, 0);
    rig_start(&r, 0);
    cr_expect_str_eq(classes(&r), "C.....");
    for (uint32_t slot = 1; slot < 5; slot++)
        rig_start(&r, slot);
    cr_expect_str_eq(classes(&r), "CCCBB.");
    rig_end(&r, 4);
    cr_expect_str_eq(classes(&r), "CCCB..");
    rig_end(&r, 0);
    cr_expect_str_eq(classes(&r), ".CCC..");
    for (uint32_t slot = 1; slot < 4; slot++)
        rig_end(&r, slot);
    rig_start(&r, 5); /* one of at most three warps holds a token */
    rig_start(&r, 0);
    rig_start(&r, 1);
    cr_expect_str_eq(classes(&r), "BB...C");
    rig_close(&r);
}

/* All of a block beyond the limit reach the barrier: every arrival lets the next run. */
Test(pcal, barriers_hold_nobody) {
    static const char *const specs[] = {"oldest + pcal(warps=1)", "oldest + pcal(warps=1, ebt=1)",
                                        "oldest + pcal(warps=2, ebt=-1)"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rig r;
        rig_open_full(&r, specs[i], 70, 0);
        rig_set_all(&r, GPC_STATE_READY);
        for (uint32_t slot = 0; slot < 70; slot++) {
            cr_assert_eq(rig_issue(&r, true), slot, "%s", specs[i]);
            cr_expect_eq(rig_class(&r, slot), GPC_CLASS_CACHE, "%s: it has the token by now", specs[i]);
            rig_set(&r, slot, GPC_STATE_BARRIER);
        }
        cr_expect_eq(rig_pick(&r, true), GPC_NO_WARP);
        rig_close(&r);
    }
}

static void expect_levels(const char *policy, const char *l1, const char *l2) {
    rig r;
    rig_open_full(&r, policy, 6, 0);
    cr_expect_str_eq(tokens(&r, 1), l1, "%s, L1: %s", policy, tokens(&r, 1));
    cr_expect_str_eq(tokens(&r, 2), l2, "%s, L2: %s", policy, tokens(&r, 2));
    rig_close(&r);
}

Test(pcal, levels) {
    expect_levels("gto + pcal(warps=4, ebt=-2)", "HHNNHH", "HHHHHH");
    expect_levels("gto + pcal(warps=4, ebt=-2, level=both)", "HHNNHH", "HHNNHH");
    expect_levels("gto + pcal(warps=6, ebt=-4, level=separate, tokens-l2=3)", "HHNNNN", "HHHNNN");
    expect_levels("gto + pcal(warps=6, ebt=-4, level=separate, tokens-l2=3, sets=exclusive)", "HHNNNN", "NNHHHN");
    expect_levels("gto + pcal(warps=6, ebt=-4, level=separate)", "HHNNNN", "NNNNNN");
}

/* The test's independent knowledge of the warps. */
typedef struct model {
    gpc_warp_state state[80];
    uint64_t random;
} model;

static uint32_t below(model *m, uint32_t bound) {
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % bound;
}

static void random_step(rig *r, model *m) {
    uint32_t slot = below(m, r->warps), draw = below(m, 24);
    if (m->state[slot] == GPC_STATE_ABSENT) {
        rig_start(r, slot);
        m->state[slot] = GPC_STATE_STALLED;
    } else {
        m->state[slot] = draw < 2 ? GPC_STATE_ABSENT : (gpc_warp_state)(1 + draw % (GPC_STATE_COUNT - 1));
        rig_set(r, slot, m->state[slot]);
    }
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Every running warp is in one class; of warps not at a barrier, every class has Table 4.3's number. */
static void check_counts(const rig *r, const model *m, const gpci_tokens *sizes, const char *spec) {
    uint32_t running = 0, moving = 0, sum = 0, of[GPC_CLASS_COUNT] = {0};
    for (uint32_t slot = 0; slot < r->warps; slot++) {
        bool moves = m->state[slot] != GPC_STATE_ABSENT && m->state[slot] != GPC_STATE_BARRIER;
        running += m->state[slot] != GPC_STATE_ABSENT;
        moving += moves;
        of[rig_class(r, slot)] += moves;
    }
    for (uint32_t c = 0; c < GPC_CLASS_COUNT; c++)
        sum += gpc_scheduler_class_count(r->scheduler, (gpc_warp_class)c);
    cr_assert_eq(sum, running, "%s", spec);
    uint32_t cache = least(moving, sizes->cache), bypass = least(moving - cache, sizes->bypass);
    cr_assert_eq(of[GPC_CLASS_CACHE], cache, "%s", spec);
    cr_assert_eq(of[GPC_CLASS_BYPASS], bypass, "%s", spec);
    cr_assert_eq(of[GPC_CLASS_THROTTLED], moving - cache - bypass, "%s", spec);
}

Test(pcal, class_counts_sum_to_those_that_run) {
    static const struct {
        uint32_t warps;
        int32_t ebt;
    } cases[] = {{1, 0}, {1, -4}, {3, 0}, {3, 2}, {3, -1}, {8, -5}, {24, 12}, {100, -60}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char spec[64];
        rig r;
        model m = {.random = i};
        snprintf(spec, sizeof spec, "gto + pcal(warps=%u, ebt=%d)", cases[i].warps, (int)cases[i].ebt);
        rig_open(&r, spec, 80, 0);
        gpci_tokens sizes = gpci_tokens_of(cases[i].warps, cases[i].ebt);
        for (int step = 0; step < 4000; step++) {
            random_step(&r, &m);
            check_counts(&r, &m, &sizes, spec);
        }
        rig_close(&r);
    }
}

/* EBTNum 0 is only throttling: the same warps run as under a limit. */
Test(pcal, zero_is_a_limit) {
    for (uint32_t warps = 1; warps <= 80; warps += 13) {
        char spec[64];
        rig limited, r;
        model m = {.random = warps}, same = m;
        snprintf(spec, sizeof spec, "gto + pcal(warps=%u)", warps);
        rig_open(&r, spec, 80, 0);
        rig_open(&limited, "gto", 80, warps);
        for (int step = 0; step < 4000; step++) {
            random_step(&r, &m);
            random_step(&limited, &same);
            for (uint32_t slot = 0; slot < 80; slot++)
                cr_assert_eq(rig_class(&r, slot), rig_class(&limited, slot), "%u warps, slot %u", warps, slot);
        }
        rig_close(&r);
        rig_close(&limited);
    }
}

Test(pcal, refuses_what_is_no_number) {
    static const char *const wrong[] = {"", "two", "2x", "1.5", "-1025", "1025", "99999999999999999999", "AUTO"};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char spec[64];
        gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
        gpc_error error = GPC_ERROR_INIT;
        gpc_scheduler *scheduler = NULL;
        snprintf(spec, sizeof spec, "gto + pcal(ebt=%s)", wrong[i]);
        options.policy = spec;
        cr_expect_eq(gpc_scheduler_create(context, &options, &scheduler, &error), GPC_ERROR_ARGUMENT, "%s", spec);
        cr_expect(strstr(error.message, "pcal"), "%s: %s", spec, error.message);
        gpc_scheduler_destroy(scheduler);
    }
    gpc_context_destroy(context);
}
