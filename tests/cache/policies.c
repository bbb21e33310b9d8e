/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A cache and policies: calls, possible answers, and changes. */

#define A 0u
#define B 128u
#define C 256u
#define D 384u

/* A policy, and a predictor, that log events: "hit 0.1 fill 0.0 ". */
typedef struct diary {
    char text[2000];
    uint32_t victim;     /* answer of choose_victim */
    bool no_candidates;  /* no candidates in the last call */
    uint64_t candidates; /* candidates of the last call */
    gpc_prediction prediction;
    gpc_decision verdict;
    uint32_t word;
    int inits, finishes;
    gpc_policy_env env; /* environment of the last init */
    gpc_warp_event event;
} diary;

static void note(diary *d, const char *what, uint32_t set, uint32_t way) {
    size_t length = strlen(d->text);
    if (way == NO_WAY)
        snprintf(d->text + length, sizeof d->text - length, "%s %u ", what, set);
    else
        snprintf(d->text + length, sizeof d->text - length, "%s %u.%u ", what, set, way);
}

static diary *of(void *self) {
    return *(diary **)self;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    diary *d = *(diary **)self = env->user_data;
    (void)message;
    d->inits++;
    d->env = *env;
    return GPC_OK;
}

static void finish(void *self) {
    of(self)->finishes++;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    note(of(self), "hit", set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)request;
    note(of(self), "miss", set, NO_WAY);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    diary *d = of(self);
    (void)request;
    note(d, "choose", set, NO_WAY);
    d->no_candidates = !candidates;
    d->candidates = candidates ? *candidates : 0;
    return d->victim;
}

static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    note(of(self), "sector", set, way);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    note(of(self), "fill", set, way);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    note(of(self), "evict", set, way);
    cr_expect(eviction->set == set && eviction->way == way && request);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    note(of(self), "drop", set, way);
}

static void on_warp_event(void *self, const gpc_warp_event *event) {
    of(self)->event = *event;
    note(of(self), "event", event->kind, NO_WAY);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)request;
    note(of(self), "predict", set, NO_WAY);
    *prediction = of(self)->prediction;
}

static gpc_decision on_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    (void)request;
    note(of(self), "reply", word, predicted);
    return of(self)->verdict;
}

static uint32_t respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    note(of(self), "respond", set, way);
    return of(self)->word;
}

static void register_diaries(gpc_context *context, diary *policy, diary *predictor) {
    gpc_replacement_ops r = {.struct_size = sizeof r,
                             .name = "diary",
                             .instance_bytes = sizeof(diary *),
                             .set_bytes = 3,
                             .line_bytes = 5,
                             .init = init,
                             .finish = finish,
                             .on_hit = on_hit,
                             .on_sector_miss = on_sector_miss,
                             .on_miss = on_miss,
                             .choose_victim = choose_victim,
                             .on_fill = on_fill,
                             .on_evict = on_evict,
                             .on_invalidate = on_invalidate,
                             .on_warp_event = on_warp_event};
    gpc_predictor_ops p = {.struct_size = sizeof p,
                           .name = "diary",
                           .instance_bytes = sizeof(diary *),
                           .init = init,
                           .finish = finish,
                           .predict = predict,
                           .on_reply = on_reply,
                           .respond = respond,
                           .on_hit = on_hit,
                           .on_fill = on_fill,
                           .on_evict = on_evict,
                           .on_invalidate = on_invalidate,
                           .on_warp_event = on_warp_event};
    cr_assert_eq(gpc_context_register_replacement(context, &r, policy, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_predictor(context, &p, predictor, NULL, NULL), GPC_OK);
    p.name = "diary-before";
    p.before_lookup = true;
    cr_assert_eq(gpc_context_register_predictor(context, &p, predictor, NULL, NULL), GPC_OK);
}

typedef struct notes {
    rig rig;
    diary policy, predictor;
} notes;

static void open_notes(notes *n, const char *replacement, const char *predictor) {
    rig_init(&n->rig);
    memset(&n->policy, 0, sizeof n->policy);
    memset(&n->predictor, 0, sizeof n->predictor);
    cr_assert_eq(gpc_context_create(NULL, &n->rig.context, NULL), GPC_OK);
    register_diaries(n->rig.context, &n->policy, &n->predictor);
    n->rig.options.replacement = replacement;
    n->rig.options.predictor = predictor;
}

static void expect_text(diary *d, const char *expected, const char *what) {
    cr_expect_str_eq(d->text, expected, "%s: '%s', not '%s'", what, d->text, expected);
    d->text[0] = '\0';
}

/* -- information for policies */

Test(policies, order_of_calls) {
    static notes n;
    open_notes(&n, "diary", "diary");
    rig_open(&n.rig);
    rig_load(&n.rig, A);
    expect_text(&n.policy, "miss 0 fill 0.0 ", "a miss with room");
    expect_text(&n.predictor, "predict 0 fill 0.0 ", "a miss with room");
    rig_load(&n.rig, A);
    expect_text(&n.policy, "hit 0.0 ", "a hit");
    expect_text(&n.predictor, "hit 0.0 ", "a hit");
    rig_load(&n.rig, B);
    n.policy.text[0] = n.predictor.text[0] = '\0';
    n.policy.victim = 1;
    rig_load(&n.rig, C);
    expect_text(&n.policy, "miss 0 choose 0 evict 0.1 fill 0.1 ", "a miss without room");
    expect_text(&n.predictor, "predict 0 evict 0.1 fill 0.1 ", "a miss without room");
    n.predictor.prediction.decision = GPC_BYPASS;
    cr_expect_eq(rig_load(&n.rig, D), GPC_BYPASSED);
    expect_text(&n.policy, "miss 0 ", "a bypass");
    expect_text(&n.predictor, "predict 0 ", "a bypass");
    rig_access(&n.rig, ATOMIC(D, .size = 4));
    expect_text(&n.policy, "", "an atomic that passes a line that is not here");
    rig_access(&n.rig, ATOMIC(A, .size = 4));
    expect_text(&n.policy, "drop 0.0 ", "an atomic that passes");
    expect_text(&n.predictor, "drop 0.0 ", "an atomic that passes");
    cr_assert_eq(gpc_cache_invalidate_all(n.rig.cache, NULL), GPC_OK);
    expect_text(&n.policy, "drop 0.1 ", "invalidation");
    expect_text(&n.predictor, "drop 0.1 ", "invalidation");
    rig_close(&n.rig);
    cr_expect(n.policy.inits == 1 && n.policy.finishes == 1 && n.predictor.inits == 1 && n.predictor.finishes == 1);
}

/* Consecutive sectors of a line are no reuse, nor are a line's further parts of the same access. */
Test(policies, sector_misses_are_no_hits) {
    static notes n;
    open_notes(&n, "diary", "diary");
    n.rig.options.sectors = 4;
    rig_open(&n.rig);
    rig_access(&n.rig, LOAD(A, .size = 4));
    n.policy.text[0] = n.predictor.text[0] = '\0';
    n.predictor.prediction.decision = GPC_BYPASS;
    cr_expect_eq(rig_access(&n.rig, LOAD(A + 64, .size = 4)).outcome, GPC_SECTOR_MISS);
    expect_text(&n.policy, "sector 0.0 ", "the line is resident");
    expect_text(&n.predictor, "", "and nothing is to be predicted");
    cr_expect_eq(rig_line(&n.rig, A).valid_sectors, 5);
    cr_expect_eq(rig_access(&n.rig, STORE(A + 32, .size = 32)).outcome, GPC_HIT);
    expect_text(&n.policy, "sector 0.0 ", "a store brings a sector");
    rig_access(&n.rig, STORE(A + 32, .size = 32));
    expect_text(&n.policy, "hit 0.0 ", "and writes it again");
    cr_expect_eq(rig_access(&n.rig, LOAD(A + 64, .size = 4, .continues = 1)).outcome, GPC_HIT);
    expect_text(&n.policy, "sector 0.0 ", "a part of the access before");
    expect_text(&n.predictor, "hit 0.0 ", "but for the second store");
    rig_access(&n.rig, LOAD(A, .size = 4));
    expect_text(&n.policy, "hit 0.0 ", "a hit");
    gpc_access_result ignored;
    cr_expect_eq(gpc_cache_access(n.rig.cache, &LOAD(A, .continues = 2), &ignored, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&n.rig);
}

Test(policies, their_environment) {
    static notes n;
    open_notes(&n, "diary(some text)", "diary");
    n.rig.options.sets = 5;
    n.rig.options.ways = 7;
    n.rig.options.line_bytes = 64;
    n.rig.options.sectors = 4;
    n.rig.options.instance = 2;
    n.rig.options.instances = 3;
    rig_open(&n.rig);
    const gpc_policy_env *e = &n.policy.env;
    cr_expect_eq(e->struct_size, sizeof *e);
    cr_expect(e->sets == 5 && e->ways == 7 && e->line_bytes == 64 && e->sectors == 4 && e->index == 2 && e->count == 3);
    cr_expect_str_eq(e->arguments, "some text");
    for (size_t i = 0; i < 5 * 3; i++)
        cr_expect_eq(((const char *)e->set_state)[i], 0);
    for (size_t i = 0; i < 5 * 7 * 5; i++)
        cr_expect_eq(((const char *)e->line_state)[i], 0);
    cr_expect(!n.predictor.env.set_state && !n.predictor.env.line_state, "it asked for none");
    cr_expect(n.predictor.env.sets == 5 && n.predictor.env.index == 2);
    uint64_t seed = e->seed;
    gpc_cache *other;
    n.rig.options.instance = 1;
    cr_assert_eq(gpc_cache_create(n.rig.context, &n.rig.options, &other, NULL), GPC_OK);
    cr_expect_neq(e->seed, seed, "each cache has its own");
    gpc_cache_destroy(other);
    n.rig.options.instance = 2;
    n.rig.options.seed = 1;
    cr_assert_eq(gpc_cache_create(n.rig.context, &n.rig.options, &other, NULL), GPC_OK);
    cr_expect_neq(e->seed, seed, "and each level");
    gpc_cache_destroy(other);
    n.rig.options.seed = 0;
    cr_assert_eq(gpc_cache_create(n.rig.context, &n.rig.options, &other, NULL), GPC_OK);
    cr_expect_eq(e->seed, seed, "but the same one again");
    gpc_cache_destroy(other);
    rig_close(&n.rig);
}

Test(policies, warp_events) {
    static notes n;
    open_notes(&n, "diary", "diary");
    rig_open(&n.rig);
    gpc_warp_event event = {.kind = GPC_WARP_BARRIER, .sm = 1, .warp = 2, .block = 3, .kernel = 4, .cycle = 5};
    cr_expect_eq(gpc_cache_warp_event(n.rig.cache, &event, NULL), GPC_OK);
    expect_text(&n.policy, "event 1 ", "policy");
    expect_text(&n.predictor, "event 1 ", "predictor");
    cr_expect(n.policy.event.sm == 1 && n.policy.event.warp == 2 && n.policy.event.block == 3 &&
              n.policy.event.kernel == 4 && n.policy.event.cycle == 5);
    event.kind = GPC_KERNEL_END;
    cr_expect_eq(gpc_cache_warp_event(n.rig.cache, &event, NULL), GPC_OK);
    event.kind = GPC_KERNEL_END + 1;
    cr_expect_eq(gpc_cache_warp_event(n.rig.cache, &event, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_warp_event(n.rig.cache, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_warp_event(NULL, &event, NULL), GPC_ERROR_ARGUMENT);
    expect_text(&n.policy, "event 4 ", "a kind that is none tells nobody");
    cr_assert_eq(gpc_cache_set_replacement(n.rig.cache, "lru", NULL), GPC_OK);
    event.kind = GPC_WARP_START;
    cr_expect_eq(gpc_cache_warp_event(n.rig.cache, &event, NULL), GPC_OK, "a policy without an ear");
    rig_close(&n.rig);
}

/* -- answers of policies */

static void expect_impossible(notes *n, gpc_request request, uint32_t victim, const char *what) {
    measured_cache before = rig_stats(&n->rig);
    n->policy.victim = victim;
    cr_expect_eq(gpc_cache_access(n->rig.cache, &request, NULL, NULL), GPC_ERROR_CALLBACK, "%s", what);
    size_t done = 9;
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = 1, batch.addresses = &request.address;
    cr_expect_eq(gpc_cache_access_many(n->rig.cache, &batch, &done, NULL), GPC_ERROR_CALLBACK, "%s, in a batch", what);
    cr_expect_eq(done, 0);
    cr_expect_eq(gpc_cache_reserve(n->rig.cache, &request, 1, NULL, NULL), GPC_ERROR_CALLBACK, "%s, reserving", what);
    cr_expect_eq(gpc_cache_fill(n->rig.cache, &request, 1, NULL, NULL), GPC_ERROR_CALLBACK, "%s, filling", what);
    measured_cache after = rig_stats(&n->rig);
    cr_expect(after.fills == before.fills && after.evictions == before.evictions && after.bypasses == before.bypasses);
    cr_expect(rig_holds(&n->rig, A) && rig_holds(&n->rig, B) && rig_lines(&n->rig) == 2, "%s: a line moved", what);
}

Test(policies, impossible_victims) {
    static notes n;
    open_notes(&n, "diary", NULL);
    rig_open(&n.rig);
    rig_load(&n.rig, A);
    rig_load(&n.rig, B);
    expect_impossible(&n, LOAD_LINE(C), 2, "a way that is none");
    expect_impossible(&n, LOAD_LINE(C), UINT32_MAX - 1, "no way at all");
    cr_expect(n.policy.no_candidates);
    rig_access(&n.rig, LOAD(A, .priority = GPC_EVICT_LAST));
    expect_impossible(&n, LOAD_LINE(C), 0, "a way that is no candidate");
    cr_expect(!n.policy.no_candidates && n.policy.candidates == 2);
    n.policy.victim = 1;
    cr_expect_eq(rig_load(&n.rig, C), GPC_MISS, "and life goes on");
    cr_expect(rig_holds(&n.rig, A) && !rig_holds(&n.rig, B));
    rig_close(&n.rig);
}

Test(policies, pending_lines_are_no_candidates) {
    static notes n;
    open_notes(&n, "diary", NULL);
    n.rig.options.ways = 3;
    rig_open(&n.rig);
    gpc_request b = LOAD_LINE(B);
    rig_load(&n.rig, A);
    rig_lookup(&n.rig, b);
    rig_reserve(&n.rig, b, 1);
    rig_load(&n.rig, C);
    n.policy.victim = 2;
    rig_load(&n.rig, D);
    cr_expect_eq(n.policy.candidates, 5);
    rig_fill(&n.rig, b, 1);
    rig_load(&n.rig, C);
    cr_expect(n.policy.no_candidates, "all");
    rig_close(&n.rig);
}

/* The mask costs time: the request for a mask ends when no way is pending. */
Test(policies, candidates_are_all_once_nothing_is_pending) {
    static notes n;
    open_notes(&n, "diary", NULL);
    n.rig.options.sectors = 4;
    rig_open(&n.rig);
    gpc_request a = LOAD_LINE(A), b = LOAD_LINE(B);
    rig_lookup(&n.rig, a);
    rig_reserve(&n.rig, a, 3);
    rig_reserve(&n.rig, a, 12);
    rig_fill(&n.rig, a, 5);
    rig_fill(&n.rig, a, 10);
    rig_lookup(&n.rig, b);
    rig_reserve(&n.rig, b, 15);
    cr_assert_eq(gpc_cache_invalidate_line(n.rig.cache, B, NULL), GPC_OK);
    rig_load(&n.rig, C);
    rig_load(&n.rig, D);
    cr_expect(n.policy.no_candidates);
    rig_close(&n.rig);
}

Test(policies, a_policy_may_decline) {
    static notes n;
    open_notes(&n, "diary", NULL);
    n.rig.options.sectors = 4;
    n.rig.options.fetch_sectors = 4;
    n.rig.options.atomics_here = 1;
    rig_open(&n.rig);
    rig_load(&n.rig, A);
    rig_load(&n.rig, B);
    n.policy.victim = GPC_WAY_BYPASS;
    gpc_cache_reset_stats(n.rig.cache);
    gpc_access_result got = rig_access(&n.rig, LOAD(C, .size = 4));
    cr_expect(got.outcome == GPC_BYPASSED && got.fetch_sectors == 1 && got.way == NO_WAY && !got.evicted,
              "no more is fetched than is needed");
    got = rig_access(&n.rig, STORE(C + 16, .size = 48)); /* half of sector 0, all of sector 1 */
    cr_expect(got.outcome == GPC_BYPASSED && !got.fetch_sectors && got.write_sectors == 3);
    cr_expect_eq(got.write_bytes[0], ~(uint64_t)0xffff);
    got = rig_access(&n.rig, ATOMIC(C, .size = 4));
    cr_expect(got.outcome == GPC_BYPASSED && got.fetch_sectors == 1 && got.write_sectors == 1,
              "read, and written back");
    cr_expect(rig_holds(&n.rig, A) && rig_holds(&n.rig, B) && !rig_holds(&n.rig, C));
    measured_cache s = rig_stats(&n.rig);
    cr_expect(s.bypasses == 3 && s.bypassed_sectors == 1 && s.fetched_sectors == 2 && s.write_below_sectors == 3);
    cr_expect(s.write_hits == 0 && s.write_sector_hits == 0 && s.line_misses == 3 && s.fills == 0);
    n.policy.text[0] = '\0';
    gpc_request load = LOAD(C, .size = 4);
    got = rig_lookup(&n.rig, load);
    cr_expect_eq(got.fetch_sectors, 15);
    got = rig_reserve(&n.rig, load, 15);
    cr_expect(got.outcome == GPC_BYPASSED && got.fetch_sectors == 1 && got.way == NO_WAY);
    expect_text(&n.policy, "miss 0 choose 0 ", "neither evicted nor filled");
    rig_close(&n.rig);
}

/* -- the predictor's protocol */

Test(policies, predictions) {
    static notes n;
    open_notes(&n, NULL, "diary");
    rig_open(&n.rig);
    n.predictor.prediction = (gpc_prediction){GPC_CACHE, 42};
    gpc_access_result got = rig_access(&n.rig, LOAD_LINE(A));
    cr_expect(got.outcome == GPC_MISS && got.policy_word == 42);
    got = rig_access(&n.rig, LOAD_LINE(A));
    cr_expect(got.outcome == GPC_HIT && got.policy_word == 0);
    n.predictor.prediction = (gpc_prediction){GPC_BYPASS, 43};
    got = rig_access(&n.rig, LOAD_LINE(B));
    cr_expect(got.outcome == GPC_BYPASSED && got.policy_word == 43 && got.fetch_sectors == 1 && !rig_holds(&n.rig, B));
    got = rig_access(&n.rig, STORE(B, .size = 4));
    cr_expect(got.outcome == GPC_BYPASSED && got.policy_word == 43 && got.write_sectors == 1 && !got.fetch_sectors);
    cr_expect_eq(rig_load(&n.rig, A), GPC_HIT, "resident lines hit");
    measured_cache s = rig_stats(&n.rig);
    cr_expect(s.bypasses == 2 && s.bypassed_sectors == 1 && s.fetched_sectors == 2 && s.line_misses == 3);
    n.predictor.prediction = (gpc_prediction){GPC_CACHE, 44};
    got = rig_access(&n.rig, STORE_LINE(C));
    cr_expect(got.outcome == GPC_MISS && !got.fetch_sectors && got.policy_word == 0, "nothing goes below");
    rig_close(&n.rig);
}

Test(policies, predictions_before_the_tags) {
    static notes n;
    open_notes(&n, "diary", "diary-before");
    rig_open(&n.rig);
    n.predictor.prediction = (gpc_prediction){GPC_CACHE, 7};
    gpc_access_result got = rig_access(&n.rig, LOAD_LINE(A));
    cr_expect(got.outcome == GPC_MISS && got.policy_word == 7);
    expect_text(&n.predictor, "predict 0 fill 0.0 ", "asked once");
    got = rig_access(&n.rig, LOAD_LINE(A));
    cr_expect(got.outcome == GPC_HIT && got.policy_word == 0);
    expect_text(&n.predictor, "predict 0 hit 0.0 ", "for hits too");
    n.policy.text[0] = '\0';
    n.predictor.prediction.decision = GPC_BYPASS;
    got = rig_access(&n.rig, LOAD_LINE(A));
    cr_expect(got.outcome == GPC_BYPASSED && got.way == NO_WAY && !got.hit_sectors && got.fetch_sectors == 1);
    expect_text(&n.policy, "", "the tags are not looked up");
    expect_text(&n.predictor, "predict 0 ", "the tags are not looked up");
    cr_expect(rig_holds(&n.rig, A));
    got = rig_access(&n.rig, STORE(A, .size = 4));
    cr_expect(got.outcome == GPC_HIT && rig_line(&n.rig, A).dirty_sectors,
              "a store must find the copy that it changes");
    expect_text(&n.predictor, "hit 0.0 ", "a store");
    got = rig_access(&n.rig, STORE(B, .size = 4));
    cr_expect(got.outcome == GPC_BYPASSED && got.write_sectors == 1);
    expect_text(&n.predictor, "predict 0 ", "a store that misses");
    cr_expect_eq(rig_stats(&n.rig).reads, 3);
    cr_expect_eq(rig_stats(&n.rig).line_misses, 2);
    rig_close(&n.rig);
}

Test(policies, words_with_replies) {
    static notes n;
    open_notes(&n, NULL, "diary");
    n.rig.options.sets = 4;
    rig_open(&n.rig);
    gpc_request request = LOAD_LINE(5 * 128 + 9);
    n.predictor.verdict = GPC_BYPASS;
    cr_expect_eq(gpc_cache_reply(n.rig.cache, &request, GPC_CACHE, 99), GPC_BYPASS);
    n.predictor.verdict = GPC_CACHE;
    cr_expect_eq(gpc_cache_reply(n.rig.cache, &request, GPC_BYPASS, 98), GPC_CACHE);
    expect_text(&n.predictor, "reply 99.0 reply 98.1 ", "replies");
    n.predictor.word = 0xabc;
    cr_expect_eq(gpc_cache_respond(n.rig.cache, &request), 0xabc);
    rig_load(&n.rig, 5 * 128);
    n.predictor.text[0] = '\0';
    cr_expect_eq(gpc_cache_respond(n.rig.cache, &request), 0xabc);
    expect_text(&n.predictor, "respond 1.0 ", "resident");
    cr_assert_eq(gpc_cache_invalidate_all(n.rig.cache, NULL), GPC_OK);
    n.predictor.text[0] = '\0';
    gpc_cache_respond(n.rig.cache, &request);
    expect_text(&n.predictor, "respond 1 ", "not resident");
    cr_assert_eq(gpc_cache_set_predictor(n.rig.cache, "always-cache", NULL), GPC_OK);
    cr_expect_eq(gpc_cache_reply(n.rig.cache, &request, GPC_BYPASS, 1), GPC_BYPASS, "the prediction holds");
    cr_expect_eq(gpc_cache_respond(n.rig.cache, &request), 0);
    cr_expect_eq(gpc_cache_reply(NULL, &request, GPC_BYPASS, 1), GPC_BYPASS);
    cr_expect_eq(gpc_cache_respond(NULL, &request), 0);
    cr_expect_eq(gpc_cache_respond(n.rig.cache, NULL), 0);
    rig_close(&n.rig);
}

Test(policies, hints) {
    rig r;
    rig_init(&r);
    r.options.predictor = "hint";
    rig_open(&r);
    rig_load(&r, A);
    for (uint8_t hint = 0; hint < GPC_HINT_COUNT; hint++) {
        bool bypasses = hint == GPC_HINT_CG || hint == GPC_HINT_CV || hint == GPC_HINT_NO_ALLOCATE;
        cr_expect_eq(rig_access(&r, LOAD(A, .hint = hint)).outcome, bypasses ? GPC_BYPASSED : GPC_HIT, "hint %u", hint);
        cr_expect_eq(rig_access(&r, LOAD(B, .hint = hint)).outcome, bypasses ? GPC_BYPASSED : GPC_MISS, "hint %u",
                     hint);
        cr_expect_eq(rig_holds(&r, B), !bypasses, "hint %u", hint);
        cr_assert_eq(gpc_cache_invalidate_line(r.cache, B, NULL), GPC_OK);
    }
    rig_close(&r);
}

/* -- changing them */

Test(policies, set_replacement) {
    rig r;
    rig_init(&r);
    r.options.ways = 3;
    rig_open(&r);
    rig_load(&r, A);
    rig_load(&r, B);
    rig_load(&r, C);
    rig_load(&r, A); /* LRU would evict B; FIFO, after A, B, C in this order, evicts A */
    cr_assert_eq(gpc_cache_set_replacement(r.cache, "fifo", NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 3);
    cr_expect_eq(rig_access(&r, LOAD_LINE(D)).eviction.line_address, A);
    rig_load(&r, B);
    cr_expect_eq(rig_access(&r, LOAD_LINE(4 * 128)).eviction.line_address, B);
    cr_assert_eq(gpc_cache_set_replacement(r.cache, "lru", NULL), GPC_OK);
    cr_expect_eq(rig_access(&r, LOAD_LINE(5 * 128)).eviction.line_address, D, "way 0 was filled first, as it is told");
    rig_close(&r);
}

Test(policies, a_refused_policy_leaves_the_old_one) {
    static notes n;
    open_notes(&n, "diary", "diary");
    rig_open(&n.rig);
    rig_load(&n.rig, A);
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_cache_set_replacement(n.rig.cache, "diarx", &error), GPC_ERROR_NOT_FOUND);
    cr_expect_not_null(strstr(error.message, "diarx"), "%s", error.message);
    cr_expect_eq(gpc_cache_set_predictor(n.rig.cache, "hunt", &error), GPC_ERROR_NOT_FOUND);
    cr_expect_not_null(strstr(error.message, "hunt"), "%s", error.message);
    cr_expect_eq(gpc_cache_set_replacement(n.rig.cache, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "spec"), "%s", error.message);
    cr_expect_eq(gpc_cache_set_predictor(n.rig.cache, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_set_replacement(NULL, "lru", &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_set_predictor(NULL, "hint", &error), GPC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "cache"), "%s", error.message);
    cr_expect(!n.policy.finishes && !n.predictor.finishes);
    n.policy.text[0] = n.predictor.text[0] = '\0';
    rig_load(&n.rig, A);
    expect_text(&n.policy, "hit 0.0 ", "the old one");
    expect_text(&n.predictor, "hit 0.0 ", "the old one");
    rig_close(&n.rig);
}

Test(policies, new_ones_see_resident_lines) {
    static notes n;
    open_notes(&n, NULL, NULL);
    n.rig.options.sets = 2;
    rig_open(&n.rig);
    rig_load(&n.rig, 1 * 128);
    rig_load(&n.rig, 0 * 128);
    rig_load(&n.rig, 3 * 128);
    cr_assert_eq(gpc_cache_set_replacement(n.rig.cache, "diary", NULL), GPC_OK);
    expect_text(&n.policy, "fill 0.0 fill 1.0 fill 1.1 ", "policy");
    cr_assert_eq(gpc_cache_set_predictor(n.rig.cache, "diary", NULL), GPC_OK);
    expect_text(&n.predictor, "fill 0.0 fill 1.0 fill 1.1 ", "predictor");
    cr_expect_eq(rig_load(&n.rig, 3 * 128), GPC_HIT);
    cr_assert_eq(gpc_cache_set_replacement(n.rig.cache, "lru", NULL), GPC_OK);
    cr_expect(n.policy.inits == 1 && n.policy.finishes == 1);
    cr_assert_eq(gpc_cache_set_replacement(n.rig.cache, "diary", NULL), GPC_OK);
    cr_assert_eq(gpc_cache_set_replacement(n.rig.cache, "diary", NULL), GPC_OK, "made anew, though the same");
    cr_expect(n.policy.inits == 3 && n.policy.finishes == 2);
    rig_close(&n.rig);
    cr_expect(n.policy.finishes == 3 && n.predictor.finishes == 1);
}
