/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Verification through L2: the word of a prediction reaches L2's predictor with the same request, and the answer
 * returns to the same. A load's word is the line number + 1; L2 answers twice that, and the lowest bit says whether the
 * line's predictions are to be overturned.
 */

#define MEMORY 200u
#define SET 4096u

/* Bypassing loads of L1, and lines whose predictions L2 overturns. Line n: bit n % 16. */
typedef struct talk {
    uint32_t bypasses, overturns;
    uint32_t replies, answered, wrong, overturned; /* heard in L1: in all, with a word */
    uint32_t requests, without;                    /* heard in L2: with a word and without */
    uint32_t last_word;
} talk;

typedef struct talker {
    talk *talk;
} talker;

static uint32_t line_bit(uint64_t address) {
    return (uint32_t)1 << address / 128 % 16;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((talker *)self)->talk = env->user_data;
    return GPC_OK;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)set;
    const talk *t = ((talker *)self)->talk;
    prediction->policy_word = (uint32_t)(request->address / 128) + 1;
    prediction->decision = t->bypasses & line_bit(request->address) ? GPC_BYPASS : GPC_CACHE;
}

static gpc_decision on_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    talk *t = ((talker *)self)->talk;
    uint32_t line = (uint32_t)(request->address / 128), overturn = (t->overturns & line_bit(request->address)) != 0;
    t->replies++;
    if (word == 0) { /* the line was resident without the sector: no predictor was asked, and the sector is fetched */
        t->wrong += predicted != GPC_CACHE;
        return predicted;
    }
    t->answered++;
    t->wrong += word != 2 * (line + 1) + overturn;
    t->wrong += predicted != (t->bypasses & line_bit(request->address) ? GPC_BYPASS : GPC_CACHE);
    t->overturned += overturn;
    return overturn ? (predicted == GPC_BYPASS ? GPC_CACHE : GPC_BYPASS) : predicted;
}

static uint32_t respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)way;
    talk *t = ((talker *)self)->talk;
    uint32_t word = request->policy.policy_word;
    t->last_word = word;
    t->requests += word != 0;
    t->without += word == 0;
    return word ? 2 * word + ((t->overturns & line_bit((uint64_t)(word - 1) * 128)) != 0) : 0;
}

static void all_in(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

static const gpc_predictor_ops above = {.struct_size = sizeof above,
                                        .name = "above",
                                        .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_POLICY_WORD,
                                        .instance_bytes = sizeof(talker),
                                        .init = init,
                                        .predict = predict,
                                        .on_reply = on_reply},
                               beneath = {.struct_size = sizeof beneath,
                                          .name = "beneath",
                                          .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_POLICY_WORD,
                                          .instance_bytes = sizeof(talker),
                                          .init = init,
                                          .predict = all_in,
                                          .respond = respond};

static void start(rig *r, talk *t, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    char text[512];
    rig_open(r, NULL, MEMORY);
    cr_assert_eq(gpc_context_register_predictor(r->context, &above, t, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_predictor(r->context, &beneath, t, NULL, &error), GPC_OK, "%s", error.message);
    snprintf(text, sizeof text, "l1.bypass = above\nl2.bypass = beneath\n%s", settings);
    rig_reopen(r, text, MEMORY);
}

static uint32_t lines_in_l1(rig *r, uint32_t sm) {
    gpc_line line;
    uint32_t count = 0;
    for (uint64_t cursor = 0;
         gpc_cache_next_line(gpc_hierarchy_cache(r->hierarchy, 1, sm), &cursor, &line, NULL) == GPC_OK;)
        count++;
    return count;
}

/* A bypass overturned by L2: the word arrives with the first 32 bytes, the other 96 of the line follow. */
Test(timed_verify, overturned_bypass) {
    static const char *const settings[] = {"l1.sectors = 1\n", "l1.sectors = 1\nl1.allocate = on-fill\n"};
    for (unsigned i = 0; i < 2; i++) {
        rig r;
        talk t = {.bypasses = 0xffff, .overturns = 0x1};
        start(&r, &t, settings[i]);
        uint64_t plain = rig_latency(&r, WORD(GPC_LOAD, 128));
        cr_expect_eq(lines_in_l1(&r, 0), 0);
        cr_expect_eq(rig_latency(&r, WORD(GPC_LOAD, 0)), plain, "it does not wait for the rest");
        rig_finish(&r);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(t.wrong, 0);
        cr_expect_eq(t.answered, 2);
        cr_expect_eq(t.replies, 2, "the rest is no prediction's");
        cr_expect_eq(t.requests, 2);
        cr_expect_eq(t.without, 1);
        cr_expect_eq(s.l1_fetches[1], 2);
        cr_expect_eq(s.l1_fetches[3], 1);
        cr_expect_eq(s.l1_bypass_fetches[1], 1);
        cr_expect_eq(s.l1_bypasses, 1);
        cr_expect_eq(s.l1_bypassed_sectors, 1);
        cr_expect_eq(s.l1_overturned_bypasses, 1);
        cr_expect_eq(s.l1_predictions, 2);
        cr_expect_eq(s.network_reply_bytes, 3 * 8 + 32 + 128);
        cr_expect_eq(s.l1_load_dram_lines, 2);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        cr_expect_eq(r.done[r.issued - 1].level, 1, "now all of the line is here");
        rig_close(&r);
    }
}

/* Bytes brought by a fill anyway are not fetched again: sectors, or l1.bypass_fetch = line. */
Test(timed_verify, nothing_is_left_to_fetch) {
    static const struct {
        const char *settings;
        unsigned segments;
    } cases[] = {{"l1.sectors = 4\n", 1}, {"l1.sectors = 1\nl1.bypass_fetch = line\n", 4}};
    for (unsigned i = 0; i < 2; i++) {
        rig r;
        talk t = {.bypasses = 0xffff, .overturns = 0xffff};
        start(&r, &t, cases[i].settings);
        rig_latency(&r, WORD(GPC_LOAD, 0));
        rig_finish(&r);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.network_requests, 1);
        cr_expect_eq(s.l1_fetches[cases[i].segments], 1);
        cr_expect_eq(s.l1_bypasses, 0);
        cr_expect_eq(s.l1_bypassed_sectors, 0);
        rig_latency(&r, WORD(GPC_LOAD, 4));
        cr_expect_eq(r.done[1].level, 1);
        cr_expect_eq(t.wrong, 0);
        rig_close(&r);
    }
}

/* Loads waiting in one MSHR entry: the word is of the sent load, and the answer holds for all. */
Test(timed_verify, merged) {
    rig r;
    talk t = {.bypasses = 0xffff, .overturns = 0x1};
    start(&r, &t, "l1.sectors = 1\n");
    uint64_t first = rig_issue(&r, WORD(GPC_LOAD, 0));
    uint64_t second = rig_issue(&r, WORD(GPC_LOAD, 4, .warp = 1));
    uint64_t third = rig_issue(&r, WORD(GPC_LOAD, 64, .warp = 2)); /* another segment: a separate fetch */
    rig_finish(&r);
    cr_expect_eq(t.wrong, 0);
    cr_expect_eq(t.replies, 2);
    cr_expect_leq(r.done[second].cycle, r.done[first].cycle + 1);
    cr_expect_eq(r.done[third].times, 1);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_predictions, 3);
    cr_expect_eq(s.l1_overturned_bypasses, 2);
    cr_expect_eq(lines_in_l1(&r, 0), 1);
    cr_expect_leq(s.l1_fetched_sectors, 1 + 1 + 4, "the line comes once, beside what was asked for");
    rig_close(&r);
}

/* A tree of modules; with lanes that are accesses of their own. */
#define TREE                                                                                                   \
    "coherence = nmoesi\nl2.inclusion = non-inclusive\nl1.write_policy = back\nl1.write_policy_local = back\n" \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl1.sectors = 1\nl2.sectors = 1\n"

static void never_falls(uint64_t *before, uint64_t now, const char *name, const char *settings) {
    cr_assert_geq(now, *before, "%s: %s: %llu, %llu before", settings, name, (unsigned long long)now,
                  (unsigned long long)*before);
    *before = now;
}

/*
 * A bypass counts when it holds for good: a count never falls, and bypasses open at a reset count behind the reset. Loads
 * of lines 0, 4, 8 and 12 are overturned. With one MSHR entry loads are held up at the tags, their decisions made.
 */
Test(timed_verify, counts_never_fall) {
    static const char *const settings[] = {
        "l1.sectors = 1\n",           "l1.mshr_entries = 1\n",
        "l1.combine_lines = 4\n",     TREE,
        TREE "l1.mshr_entries = 1\n", TREE "l1.coalescer = multi2sim\nl1.queue = 100\n"};
    for (unsigned i = 0; i < 12; i++) {
        rig r;
        talk t = {.bypasses = 0xffff, .overturns = 0x1111};
        start(&r, &t, settings[i % 6]);
        for (uint32_t line = 0; line < 16; line++)
            rig_push(&r, WORD(GPC_LOAD, line * 128));
        uint64_t bypasses = 0, sectors = 0;
        for (uint32_t cycle = 0; gpc_hierarchy_in_flight(r.hierarchy); cycle++) {
            const measured_stats s = rig_stats(&r);
            never_falls(&bypasses, s.l1_bypasses, "bypasses", settings[i % 6]);
            never_falls(&sectors, s.l1_bypassed_sectors, "bypassed sectors", settings[i % 6]);
            rig_steps(&r, 1);
            if (i >= 6 && cycle == 100) /* before the first reply */
                gpc_hierarchy_reset_stats(r.hierarchy), bypasses = sectors = 0;
        }
        cr_expect_eq(rig_stats(&r).l1_bypasses, 12, "%s", settings[i % 6]);
        /* sectors asked for before the reset do not count */
        const bool asked_later = i < 6 || strstr(settings[i % 6], "l1.mshr_entries");
        cr_expect_eq(rig_stats(&r).l1_bypassed_sectors, asked_later ? 12 : 0, "%u: %s", i, settings[i % 6]);
        rig_close(&r);
    }
}

/*
 * Instructions of whole lines in trees with four sectors a line: a line access has a prediction, an answer and a bypass
 * or an overturned bypass, although the sectors of many SMs' lines travel side by side. Lines with a sector in flight, or
 * half in L1, too.
 */
Test(timed_verify, lines_of_sectors_are_asked_once) {
    static const char *const settings[] = {"", "l1.mshr_entries = 1\n", "l2.mshr_entries = 1\n", "l1.miss_queue = 1\n",
                                           "l2.slices = 2\n"};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        static rig r;
        talk t = {.bypasses = 0xffff, .overturns = 0x1111};
        char text[512];
        snprintf(text, sizeof text, TREE "sm.count = 4\nl1.sectors = 4\nl2.sectors = 4\n%s", settings[i]);
        start(&r, &t, text);
        for (uint32_t line = 0; line < 64; line++)
            rig_push(&r, LINE(GPC_LOAD, line * 128, .sm = line % 4));
        rig_finish(&r);
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l1_predictions, 64, "%s: %llu", settings[i], (unsigned long long)s.l1_predictions);
        cr_expect_eq(t.requests, 64, "%s: %u", settings[i], t.requests);
        cr_expect_eq(t.replies, 64, "%s: %u", settings[i], t.replies);
        cr_expect_eq(t.overturned, 16, "%s: %u", settings[i], t.overturned);
        cr_expect_eq(s.l1_overturned_bypasses, 16, "%s: %llu", settings[i],
                     (unsigned long long)s.l1_overturned_bypasses);
        cr_expect_eq(s.l1_bypasses, 48, "%s: %llu", settings[i], (unsigned long long)s.l1_bypasses);
        cr_expect_eq(t.wrong, 0, "%s: %u", settings[i], t.wrong);
        rig_close(&r);
    }
}

/* Events that a replacement policy was told of. */
typedef struct told {
    uint32_t hits, misses, sector_misses, fills;
} told;

typedef struct listener {
    told *told;
} listener;

static gpc_status listen_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((listener *)self)->told = env->user_data;
    return GPC_OK;
}

#define TELLS(name, field)                                                                 \
    static void name(void *self, uint32_t set, uint32_t way, const gpc_request *request) { \
        (void)set, (void)way, (void)request;                                               \
        ((listener *)self)->told->field++;                                                 \
    }
TELLS(tell_hit, hits)
TELLS(tell_sector_miss, sector_misses)
TELLS(tell_fill, fills)

static void tell_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)set, (void)request;
    ((listener *)self)->told->misses++;
}

static uint32_t first_candidate(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    uint32_t way = 0;
    while (!(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

/* A policy is told once of a line access that hits or misses, of whole lines of four sectors, under way side by side. */
Test(timed_verify, policies_are_told_once_of_a_line) {
    gpc_replacement_ops ops = {.struct_size = sizeof ops,
                               .reads = GPC_READS_PLACE | GPC_READS_ADDRESS,
                               .instance_bytes = sizeof(listener),
                               .init = listen_init,
                               .on_hit = tell_hit,
                               .on_miss = tell_miss,
                               .on_sector_miss = tell_sector_miss,
                               .on_fill = tell_fill,
                               .choose_victim = first_candidate};
    static const char *const names[] = {"upper", "lower"};
    for (unsigned i = 0; i < 3; i++) {
        static rig r;
        static const char *const settings[] = {"", "l1.mshr_entries = 1\n", "l2.mshr_entries = 1\n"};
        told all[2] = {{0}, {0}};
        char text[512];
        rig_open(&r, NULL, MEMORY);
        for (unsigned n = 0; n < 2; n++) {
            ops.name = names[n];
            cr_assert_eq(gpc_context_register_replacement(r.context, &ops, &all[n], NULL, NULL), GPC_OK);
        }
        snprintf(text, sizeof text,
                 TREE
                 "sm.count = 4\nl1.replacement = upper\nl2.replacement = lower\nl1.sectors = 4\nl2.sectors = 4\n%s",
                 settings[i]);
        rig_reopen(&r, text, MEMORY);
        for (uint32_t round = 0; round < 2; round++, rig_finish(&r))
            for (uint32_t n = 0; n < 128; n++) /* a line of four SMs at once */
                rig_push(&r, LINE(GPC_LOAD, n / 4 * 128, .sm = n % 4));
        cr_expect_eq(all[0].misses, 128, "%s: %u", settings[i], all[0].misses);
        cr_expect_eq(all[0].fills, 128, "%s: %u", settings[i], all[0].fills);
        cr_expect_eq(all[0].hits, 128, "%s: %u", settings[i], all[0].hits);
        cr_expect_eq(all[1].misses, 32, "%s: %u", settings[i], all[1].misses);
        cr_expect_eq(all[1].fills, 32, "%s: %u", settings[i], all[1].fills);
        cr_expect_eq(all[1].hits, 96, "%s: %u", settings[i], all[1].hits);
        cr_expect_eq(all[0].sector_misses + all[1].sector_misses, 0, "%s: %u", settings[i],
                     all[0].sector_misses + all[1].sector_misses);
        rig_close(&r);
    }
}

/* A line of four sectors, on the machine without a clock. */
static void load_at_once(gpc_hierarchy *hierarchy, const shot *s) {
    uint64_t addresses[32];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = s->address + lane * s->stride;
    access.sm = s->sm;
    access.pc = s->pc;
    access.mask = UINT32_MAX;
    access.width = s->width;
    access.addresses = addresses;
    cr_assert_eq(gpc_hierarchy_access(hierarchy, &access, NULL, NULL), GPC_OK);
}

/* Lines of sectors, one after the other, take the same decisions with a clock and without. */
Test(timed_verify, lines_of_sectors_agree_without_a_clock) {
    static const char *const predictors[] = {"agcb", "agcb-early", "agcb(bits=2, threshold=2, initial=3)"};
    for (unsigned i = 0; i < 3; i++) {
        static rig r;
        gpc_hierarchy *without;
        gpc_error error = GPC_ERROR_INIT;
        measured_stats stats;
        uint64_t state = 7 + i;
        char text[512];
        snprintf(text, sizeof text,
                 TREE "sm.count = 4\nl1.sectors = 4\nl2.sectors = 4\nl1.size = 4096\nl1.bypass = %s\n", predictors[i]);
        rig_open_dram(&r, text);
        cr_assert_eq(gpc_config_load_text(r.config, "mode = functional\n", "mode", &error), GPC_OK);
        cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &without, &error), GPC_OK, "%s", error.message);
        for (unsigned n = 0; n < 600; n++) {
            const shot s = LINE(GPC_LOAD, rig_below(&state, 300) * 128, .sm = (uint32_t)rig_below(&state, 4),
                                .pc = rig_below(&state, 4) * 16);
            rig_latency(&r, s);
            load_at_once(without, &s);
        }
        rig_finish(&r);
        measured_clear(&stats);
        const measured_stats with = rig_stats(&r);
        cr_assert_eq(measure_hierarchy(without, &stats), GPC_OK);
        cr_expect_gt(with.l1_overturned_bypasses, 50, "%s", predictors[i]);
        cr_expect_eq(with.l1_overturned_bypasses, stats.l1_overturned_bypasses, "%s: %llu, %llu", predictors[i],
                     (unsigned long long)with.l1_overturned_bypasses, (unsigned long long)stats.l1_overturned_bypasses);
        cr_expect_eq(with.l1_bypasses, stats.l1_bypasses, "%s: %llu, %llu", predictors[i],
                     (unsigned long long)with.l1_bypasses, (unsigned long long)stats.l1_bypasses);
        cr_expect_eq(with.l1_predictions, stats.l1_predictions, "%s: %llu, %llu", predictors[i],
                     (unsigned long long)with.l1_predictions, (unsigned long long)stats.l1_predictions);
        gpc_hierarchy_destroy(without);
        rig_close(&r);
    }
}

/* A fill turned into a bypass by L2: the reserved way is free again, unless a store has written to it. */
Test(timed_verify, overturned_fill) {
    static const char *const settings[] = {"l1.allocate = on-miss\n", "l1.allocate = on-fill\n", "l1.sectors = 1\n"};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        talk t = {.bypasses = 0, .overturns = 0x1};
        start(&r, &t, settings[i]);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        rig_latency(&r, LINE(GPC_LOAD, 128));
        rig_finish(&r);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(t.wrong, 0);
        cr_expect_eq(lines_in_l1(&r, 0), 1, "%s", settings[i]);
        cr_expect_eq(s.l1_overturned_fills, 1);
        cr_expect_eq(s.l1_bypasses, 1);
        cr_expect_eq(s.l1_bypass_fetches[4], 1);
        rig_close(&r);
    }
    rig r;
    talk t = {.bypasses = 0, .overturns = 0x1};
    start(&r, &t, "l1.write_policy = back\nl1.write_allocate = fetch\n");
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 40);
    rig_issue(&r, WORD(GPC_STORE, 4)); /* into the sector in flight */
    rig_finish(&r);
    gpc_line line;
    uint64_t cursor = 0;
    cr_assert_eq(gpc_cache_next_line(gpc_hierarchy_cache(r.hierarchy, 1, 0), &cursor, &line, NULL), GPC_OK,
                 "what was written is not lost");
    cr_expect_eq(line.dirty_sectors, 1);
    cr_expect_eq(line.valid_sectors, 1);
    rig_close(&r);
}

/* A bypass overturned while another load has requested the whole line: that fetch brings the rest. */
Test(timed_verify, rest_is_on_its_way) {
    rig r;
    talk t = {.bypasses = 0x1, .overturns = 0x1};
    start(&r, &t, "l1.sectors = 1\n");
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 40);
    t.bypasses = 0;
    uint64_t kept = rig_issue(&r, WORD(GPC_LOAD, 32));
    rig_steps(&r, 20);
    t.bypasses = 0x1;
    t.overturns = 0x1;
    while (!t.replies)
        rig_step(&r);
    t.bypasses = t.overturns = 0;
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_fetches[1], 1);
    cr_expect_eq(s.l1_fetches[4], 1);
    cr_expect_eq(s.l1_fetched_sectors, 5);
    cr_expect_eq(r.done[kept].times, 1);
    cr_expect_eq(lines_in_l1(&r, 0), 1);
    rig_close(&r);
}

/* Stores and atomics carry no load's word, and their replies answer no prediction. */
Test(timed_verify, loads_alone) {
    rig r;
    talk t = {.bypasses = 0xffff};
    start(&r, &t, "");
    rig_latency(&r, WORD(GPC_STORE, 0));
    rig_latency(&r, WORD(GPC_ATOMIC, 128));
    rig_latency(&r, WORD(GPC_REDUCTION, 256));
    cr_expect_eq(t.replies + t.requests + t.without, 0);
    rig_close(&r);
}

/* Without L2 there is no answer. */
static gpc_decision hear(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    (void)request;
    talk *t = ((talker *)self)->talk;
    t->replies++;
    t->wrong += word != 0;
    return predicted;
}

Test(timed_verify, no_l2) {
    const gpc_predictor_ops alone = {.struct_size = sizeof alone,
                                     .name = "alone",
                                     .instance_bytes = sizeof(talker),
                                     .init = init,
                                     .predict = predict,
                                     .on_reply = hear};
    rig r;
    talk t = {.bypasses = 0xffff};
    gpc_error error = GPC_ERROR_INIT;
    rig_open(&r, NULL, MEMORY);
    cr_assert_eq(gpc_context_register_predictor(r.context, &alone, &t, NULL, &error), GPC_OK);
    rig_reopen(&r, "l1.bypass = alone\nl2.enabled = false\n", MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, 0));
    cr_expect_eq(t.replies, 1);
    cr_expect_eq(t.wrong, 0, "its own word does not come back");
    rig_close(&r);
}

/* Loads of two SMs on every kind of hierarchy: every word finds the request, and every load completes. */
static void many(const char *settings, uint64_t seed) {
    static rig r;
    talk t = {.bypasses = 0xa5c3, .overturns = 0x9669};
    start(&r, &t, settings);
    uint64_t state = seed;
    for (unsigned i = 0; i < 400; i++) {
        uint64_t line = rig_below(&state, 48) * (rig_below(&state, 2) ? 128 : SET);
        rig_push(&r, WORDS(GPC_LOAD, line + 32 * rig_below(&state, 4), 1 + rig_below(&state, 8), 4,
                           .sm = rig_below(&state, 2), .warp = rig_below(&state, 8)));
        rig_steps(&r, rig_below(&state, 12));
    }
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(t.wrong, 0, "%s: %u of %u replies", settings, t.wrong, t.replies);
    cr_expect_gt(t.answered, 50, "%s", settings);
    cr_expect_eq(s.l1_overturned_bypasses + s.l1_overturned_fills, t.overturned, "%s", settings);
    if (strstr(settings, "lrc"))
        cr_expect_leq(t.requests, t.answered, "%s: a coalescer's reply answers more than went to L2", settings);
    else
        cr_expect_eq(t.requests, t.answered, "%s", settings);
    rig_close(&r);
}

Test(timed_verify, everywhere) {
    static const char *const sectors[] = {"l1.sectors = 4\n", "l1.sectors = 2\n", "l1.sectors = 1\n"};
    static const char *const allocate[] = {"on-miss", "on-fill", "streaming"};
    static const char *const others[] = {"", "lrc.sms = 2\n", "l2.slices = 2\nl2.partitions = 2\n",
                                         "l2.slices = 4\nl2.partitions = 2\nlrc.sms = 2\nl1.mshr_entries = 2\n",
                                         "l1.mshr_merges = 2\nl2.mshr_entries = 2\nl2.sectors = 1\n"};
    for (unsigned s = 0; s < 3; s++)
        for (unsigned a = 0; a < 3; a++)
            for (unsigned o = 0; o < sizeof others / sizeof *others; o++) {
                char text[256];
                snprintf(text, sizeof text, "sm.count = 2\n%sl1.allocate = %s\n%s", sectors[s], allocate[a], others[o]);
                many(text, 1 + s * 100 + a * 10 + o);
            }
}
