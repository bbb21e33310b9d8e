/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>

#include <stdio.h>

/* Data carried between policies by the hierarchy: words down and back with a request, last words, launches. */

/* A predictor with given answers, recording calls. */
typedef struct talk {
    gpc_decision first, last; /* before and after the reply */
    uint32_t down, up;        /* words of L1's and of L2's predictor */
    uint32_t heard_down, heard_up, replies;
    uint32_t request_kernel, event_kernel, kernel_starts;
} talk;

typedef struct talker {
    talk *told;
} talker;

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((talker *)self)->told = env->user_data;
    return GPC_OK;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)set;
    talk *t = ((talker *)self)->told;
    t->request_kernel = request->kernel;
    *prediction = (gpc_prediction){.decision = t->first, .policy_word = t->down};
}

static gpc_decision on_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    (void)request;
    talk *t = ((talker *)self)->told;
    cr_assert_eq(predicted, t->first);
    t->heard_up = word;
    t->replies++;
    return t->last;
}

static uint32_t respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)way;
    talk *t = ((talker *)self)->told;
    t->heard_down = request->policy.policy_word;
    return t->up;
}

static void on_warp_event(void *self, const gpc_warp_event *event) {
    talk *t = ((talker *)self)->told;
    t->kernel_starts += event->kind == GPC_KERNEL_START;
    t->event_kernel = event->kernel;
}

static void predict_cache(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

static const gpc_predictor_ops upper = {.struct_size = sizeof upper,
                                        .name = "upper",
                                        .instance_bytes = sizeof(talker),
                                        .init = init,
                                        .predict = predict,
                                        .on_reply = on_reply,
                                        .on_warp_event = on_warp_event},
                               deaf = {.struct_size = sizeof deaf,
                                       .name = "deaf",
                                       .reads = GPC_READS_PLACE | GPC_READS_POLICY_WORD,
                                       .instance_bytes = sizeof(talker),
                                       .init = init,
                                       .predict = predict},
                               quiet = {.struct_size = sizeof quiet, .name = "quiet", .predict = predict_cache},
                               lower = {.struct_size = sizeof lower,
                                        .name = "lower",
                                        .reads = GPC_READS_PLACE | GPC_READS_POLICY_WORD,
                                        .instance_bytes = sizeof(talker),
                                        .init = init,
                                        .predict = predict_cache,
                                        .respond = respond};

/* A replacement policy without victims. */
static uint32_t decline(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return GPC_WAY_BYPASS;
}

static const gpc_replacement_ops miser = {.struct_size = sizeof miser, .name = "miser", .choose_victim = decline};

static void open_with(rig *r, talk *t, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    rig_open(r, NULL);
    gpc_hierarchy_destroy(r->hierarchy);
    cr_assert_eq(gpc_context_register_predictor(r->context, &upper, t, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_predictor(r->context, &deaf, t, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_predictor(r->context, &quiet, t, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_predictor(r->context, &lower, t, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_replacement(r->context, &miser, NULL, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(r->config, settings, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &r->hierarchy, &error), GPC_OK, "%s", error.message);
}

/* A word of a line without sectors in L1: moved sectors, and whether a second load hits. */
static void check_decisions(talk t, unsigned moved, bool bypassed) {
    rig r;
    t.down = 7;
    t.up = 9;
    open_with(&r, &t, "l1.sectors = 1\nl1.bypass = upper\nl2.bypass = lower\n");
    rig_fire(&r, WORD(GPC_LOAD, 0x40));
    cr_assert_eq(t.replies, 1);
    bool again = t.first == GPC_BYPASS && t.last == GPC_CACHE; /* for the rest, which sends no further word */
    cr_assert_eq(t.heard_down, again ? 0 : 7);
    cr_assert_eq(t.heard_up, 9);
    cr_assert_eq(rig_lines(&r, 1, 1), !bypassed);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_load_requests = 1, .l1_load_lines = 1,
           .l1_touched_lines = 1, .l1_load_sectors = 1, .l1_load_bytes_used = 4, .l1_load_bytes_moved = 128,
           .l1_bypasses = bypassed, .l1_predictions = 1, .l1_overturned_bypasses = t.first > t.last,
           .l1_overturned_fills = t.first < t.last, .l1_bypassed_sectors = bypassed ? moved : 0,
           .l1_fetched_sectors = moved, .l2_read_sectors = moved, .dram_read_sectors = moved);
    rig_fire(&r, WORD(GPC_LOAD, 0x40));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_load_requests = 1, .l1_load_lines = 1,
           .l1_touched_lines = 1, .l1_load_sectors = 1, .l1_load_sector_hits = !bypassed, .l1_load_bytes_used = 4,
           .l1_load_bytes_moved = 128, .l1_bypasses = bypassed, .l1_bypassed_sectors = bypassed ? moved : 0,
           .l1_predictions = bypassed, .l1_overturned_fills = bypassed && t.first < t.last,
           .l1_fetched_sectors = bypassed ? moved : 0, .l2_read_sectors = bypassed ? moved : 0,
           .l2_read_sector_hits = bypassed ? moved : 0);
    rig_close(&r);
}

/* A bypass moves needed sectors, a fill whole lines; the reply decides finally, and is counted. */
Test(memory_links, decisions_and_words) {
    check_decisions((talk){.first = GPC_CACHE, .last = GPC_CACHE}, 4, false);
    check_decisions((talk){.first = GPC_BYPASS, .last = GPC_BYPASS}, 1, true);
    check_decisions((talk){.first = GPC_CACHE, .last = GPC_BYPASS}, 4, true);
    check_decisions((talk){.first = GPC_BYPASS, .last = GPC_CACHE}, 4, false);
}

/* A predictor without on_reply: L2's word does not overturn the decision, in caches and in trees. */
Test(memory_links, deaf_predictor_keeps_its_decision) {
    static const char *const settings[] = {"", "coherence = nmoesi\n"};
    for (unsigned i = 0; i < 2; i++) {
        rig r;
        talk t = {.first = GPC_BYPASS, .down = 7, .up = 9};
        char text[128];
        snprintf(text, sizeof text, "%sl1.bypass = deaf\nl2.bypass = lower\n", settings[i]);
        open_with(&r, &t, text);
        rig_load(&r, 0x80);
        rig_load(&r, 0x80);
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(t.heard_down, 7, "%s", settings[i]);
        cr_expect_eq(s.l1_bypasses, 2, "%s", settings[i]);
        cr_expect_eq(s.l1_overturned_bypasses, 0, "%s", settings[i]);
        rig_close(&r);
    }
}

/* A predictor that leaves the word alone sends 0, also as a candidate of a vote. */
Test(memory_links, untouched_words_are_0) {
    static const char *const predictors[] = {"quiet", "vote(quiet, always-cache)", "vote(always-cache, quiet)"};
    for (unsigned i = 0; i < sizeof predictors / sizeof *predictors; i++) {
        rig r;
        talk t = {.heard_down = 5};
        char text[128];
        snprintf(text, sizeof text, "l1.bypass = %s\nl2.bypass = lower\n", predictors[i]);
        open_with(&r, &t, text);
        rig_load(&r, 0x80);
        cr_expect_eq(t.heard_down, 0, "%s: %u", predictors[i], t.heard_down);
        rig_close(&r);
    }
}

/* L1 keeps existing lines; declined lines count as bypasses. */
Test(memory_links, policy_declines) {
    rig r;
    talk t = {.first = GPC_CACHE, .last = GPC_CACHE};
    open_with(&r, &t, "l1.size = 128B\nl1.ways = 1\nl1.replacement = miser\n");
    rig_load(&r, 0);
    rig_load(&r, 0x80);
    rig_load(&r, 0);
    EXPECT(&r, .warp_instructions = 3, .thread_instructions = 96, .l1_load_requests = 3, .l1_load_lines = 3,
           .l1_touched_lines = 3, .l1_load_sectors = 12, .l1_load_sector_hits = 4, .l1_load_bytes_used = 384,
           .l1_load_bytes_moved = 384, .l1_bypasses = 1, .l1_bypassed_sectors = 4, .l1_fetched_sectors = 8,
           .l2_read_sectors = 8, .dram_read_sectors = 8);
    rig_close(&r);
}

/* Dirty bytes declined by L2 go on to DRAM. */
Test(memory_links, l2_declines_a_store) {
    rig r;
    talk t = {.first = GPC_CACHE, .last = GPC_CACHE};
    open_with(&r, &t, "l2.size = 512B\nl2.replacement = miser\nl1.enabled = false\n");
    for (uint64_t line = 0; line < 6; line++) /* four ways */
        rig_store(&r, line * 128);
    EXPECT(&r, .warp_instructions = 6, .thread_instructions = 192, .l1_store_requests = 6, .l1_store_sectors = 24,
           .l2_write_sectors = 24, .l2_write_sector_hits = 24, .dram_write_sectors = 8);
    rig_flush(&r);
    EXPECT(&r, .l2_write_back_sectors = 16, .dram_write_sectors = 16);
    rig_close(&r);
}

/* Requests and events number a launch equally. */
Test(memory_links, launches_have_numbers) {
    rig r;
    talk t = {.first = GPC_CACHE, .last = GPC_CACHE};
    open_with(&r, &t, "l1.bypass = upper\n");
    for (uint32_t launch = 1; launch <= 3; launch++) {
        rig_begin(&r, NULL);
        cr_assert_eq(t.kernel_starts, launch);
        rig_load(&r, launch * 128);
        cr_assert_eq(t.request_kernel, t.event_kernel, "launch %u", launch);
        cr_assert_eq(t.event_kernel, launch);
    }
    rig_close(&r);
}

static uint32_t words_of_stores, stores;

static void note_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    words_of_stores |= request->policy.policy_word;
    stores += request->kind == GPC_STORE;
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static gpc_status open_without_l1(rig *r, const gpc_replacement_ops *ops, const char *settings) {
    cr_assert_eq(gpc_context_create(NULL, &r->context, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(r->context, ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(r->context, &r->config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r->config, rig_base, "base", NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r->config, settings, "more", NULL), GPC_OK);
    return gpc_hierarchy_create(r->context, r->config, &r->hierarchy, NULL);
}

/* Without an L1, no predictor has sent L2 a word about a store. */
Test(memory_links, stores_without_l1_have_no_word) {
    const gpc_replacement_ops noting = {
        .struct_size = sizeof noting, .name = "noting", .on_miss = note_miss, .choose_victim = first_way};
    rig r;
    words_of_stores = stores = 0;
    cr_assert_eq(open_without_l1(&r, &noting, "l1.enabled = false\nl2.replacement = noting\n"), GPC_OK);
    rig_store(&r, 0);
    rig_store(&r, 128);
    cr_expect_eq(stores, 2);
    cr_expect_eq(words_of_stores, 0);
    rig_close(&r);
}

static uint32_t no_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 1000;
}

/* A miss made impossible by L2's policy still counts as a miss. */
Test(memory_links, what_l2_refuses_is_no_hit) {
    const gpc_replacement_ops wrong = {.struct_size = sizeof wrong, .name = "wrong", .choose_victim = no_way};
    rig r;
    cr_assert_eq(open_without_l1(&r, &wrong, "l1.enabled = false\nl2.replacement = wrong\n"), GPC_OK);
    gpc_status status = GPC_OK;
    for (uint64_t line = 0; line < 100 && status == GPC_OK; line++) {
        const uint64_t address = line * 2048;
        gpc_warp_access load = GPC_WARP_ACCESS_INIT;
        load.mask = 1;
        load.addresses = &address;
        load.width = 4;
        status = gpc_hierarchy_access(r.hierarchy, &load, NULL, NULL);
    }
    cr_expect_eq(status, GPC_ERROR_CALLBACK);
    cr_expect_eq(rig_stats(&r).l2_read_sector_hits, 0);
    rig_close(&r);
}
