/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <string.h>

/* Calls of a single policy; and omitted, impossible calls. */

enum { MOST = 16 };

typedef struct told {
    const char *calls[MOST];
    uint32_t sets[MOST], ways[MOST];
    unsigned count;
} told;

static told all;

static void note(const char *call, uint32_t set, uint32_t way) {
    cr_assert_lt(all.count, MOST);
    all.calls[all.count] = call;
    all.sets[all.count] = set;
    all.ways[all.count++] = way;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)request;
    note("hit", set, way);
}

static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)request;
    note("sector miss", set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)request;
    note("miss", set, 0);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)request;
    note("fill", set, way);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)self, (void)eviction, (void)request;
    note("evict", set, way);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    (void)self;
    note("invalidate", set, way);
}

static uint32_t chosen;

static uint32_t choose(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return chosen;
}

static void bypass(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set;
    prediction->decision = 7 * (request->warp == 1) + GPC_BYPASS * (request->warp == 2);
    prediction->policy_word = request->warp;
}

static uint32_t respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)request;
    return 100 * set + (way == UINT32_MAX ? 99 : way);
}

static const gpc_replacement_ops watcher = {.struct_size = sizeof watcher,
                                            .name = "watcher",
                                            .choose_victim = choose,
                                            .on_hit = on_hit,
                                            .on_sector_miss = on_sector_miss,
                                            .on_miss = on_miss,
                                            .on_fill = on_fill,
                                            .on_evict = on_evict,
                                            .on_invalidate = on_invalidate};
static const gpc_predictor_ops own_predictor = {.struct_size = sizeof own_predictor,
                                                .name = "watcher",
                                                .predict = bypass,
                                                .on_hit = on_hit,
                                                .on_sector_miss = on_sector_miss,
                                                .on_fill = on_fill,
                                                .on_evict = on_evict,
                                                .on_invalidate = on_invalidate,
                                                .respond = respond};

/* Policy and predictor of 4 sets with 70 ways, lines of 2 sectors. */
static gpc_context *context;
static gpc_replacement *replacement;
static gpc_predictor *predictor;

static void open_both(void) {
    gpc_replacement_options r = GPC_REPLACEMENT_OPTIONS_INIT;
    gpc_predictor_options p = GPC_PREDICTOR_OPTIONS_INIT;
    r.policy = p.policy = "watcher";
    r.sets = p.sets = 4;
    r.ways = p.ways = 70;
    r.sectors = p.sectors = 2;
    all.count = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(context, &watcher, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_predictor(context, &own_predictor, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_replacement_create(context, &r, &replacement, NULL), GPC_OK);
    cr_assert_eq(gpc_predictor_create(context, &p, &predictor, NULL), GPC_OK);
}

static void close_both(void) {
    gpc_replacement_destroy(replacement);
    gpc_predictor_destroy(predictor);
    gpc_context_destroy(context);
}

TestSuite(decisions, .init = open_both, .fini = close_both);

static void expect(const char *const *calls, unsigned count) {
    cr_assert_eq(all.count, count, "%u calls, not %u", all.count, count);
    for (unsigned i = 0; i < count; i++)
        cr_expect_str_eq(all.calls[i], calls[i], "call %u is %s, not %s", i, all.calls[i], calls[i]);
    all.count = 0;
}

/* A second sector of an instruction's line is no reuse, in every call. */
Test(decisions, what_continues) {
    const gpc_request first = {.address = 128, .sector_mask = 1},
                      second = {.address = 128, .sector_mask = 2, .continues = 1};
    cr_expect_eq(gpc_replacement_event(
                     replacement, &(gpc_policy_event){.kind = GPC_ON_MISS, .set = 1, .request = &first}, 1, NULL, NULL),
                 GPC_OK);
    cr_expect_eq(gpc_replacement_event(replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_MISS, .set = 1, .request = &second}, 1, NULL,
                                       NULL),
                 GPC_OK);
    cr_expect_eq(gpc_replacement_event(replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_FILL, .set = 1, .way = 5, .request = &first},
                                       1, NULL, NULL),
                 GPC_OK);
    cr_expect_eq(gpc_replacement_event(replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_HIT, .set = 1, .way = 5, .request = &second},
                                       1, NULL, NULL),
                 GPC_OK);
    cr_expect_eq(gpc_replacement_event(replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_HIT, .set = 1, .way = 5, .request = &first},
                                       1, NULL, NULL),
                 GPC_OK);
    cr_expect_eq(all.ways[1], 5);
    expect((const char *const[]){"miss", "fill", "sector miss", "hit"}, 4);
    const gpc_policy_event events[] = {{.kind = GPC_ON_HIT, .set = 1, .way = 5, .request = &second},
                                       {.kind = GPC_ON_SECTOR_MISS, .set = 1, .way = 5, .request = &first},
                                       {.kind = GPC_ON_MISS, .set = 1, .way = 99, .request = &first},
                                       {.kind = GPC_ON_HIT, .set = 1, .way = 69, .request = &first}};
    size_t done = 0;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_predictor_event(predictor, events, 4, &done, &error), GPC_OK, "%s", error.message);
    cr_expect(done == 4 && all.ways[0] == 5 && all.ways[2] == 69);
    expect((const char *const[]){"sector miss", "sector miss", "hit"}, 3);
}

Test(decisions, lines_that_leave) {
    const gpc_request load = {.address = 0};
    const gpc_eviction eviction = {.line_address = 512, .set = 0, .way = 69};
    cr_expect_eq(gpc_replacement_event(replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_EVICT,
                                                           .set = eviction.set,
                                                           .way = eviction.way,
                                                           .eviction = &eviction,
                                                           .request = &load},
                                       1, NULL, NULL),
                 GPC_OK);
    cr_expect_eq(gpc_replacement_event(replacement, &(gpc_policy_event){.kind = GPC_ON_INVALIDATE, .set = 3, .way = 2},
                                       1, NULL, NULL),
                 GPC_OK);
    cr_expect(all.ways[0] == 69 && all.sets[1] == 3 && all.ways[1] == 2);
    expect((const char *const[]){"evict", "invalidate"}, 2);
    const gpc_policy_event events[] = {
        {.kind = GPC_ON_EVICT, .set = 0, .way = 69, .request = &load, .eviction = &eviction},
        {.kind = GPC_ON_FILL, .set = 0, .way = 69, .request = &load},
        {.kind = GPC_ON_INVALIDATE, .set = 0, .way = 69}};
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(gpc_predictor_event(predictor, &events[i], 1, NULL, NULL), GPC_OK);
    expect((const char *const[]){"evict", "fill", "invalidate"}, 3);
}

/* A sample in a struct that no library knows. */
Test(decisions, sample_of_no_size) {
    const gpc_sample sample = {.struct_size = 1};
    const gpc_policy_event event = {.kind = GPC_ON_SAMPLE, .sample = &sample};
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_replacement_event(replacement, &event, 1, NULL, &error), GPC_ERROR_ABI);
    cr_expect(strstr(error.message, "gpc_sample.struct_size"), "%s", error.message);
    cr_expect_eq(gpc_predictor_event(predictor, &event, 1, NULL, NULL), GPC_ERROR_ABI);
}

static void refused(gpc_policy_event event, const char *text) {
    const gpc_request load = {.address = 0};
    const gpc_policy_event events[] = {{.kind = GPC_ON_HIT, .request = &load}, event, {.request = &load}};
    gpc_error error = GPC_ERROR_INIT;
    size_t done = 77;
    cr_expect_eq(gpc_replacement_event(replacement, events, 3, &done, &error), GPC_ERROR_ARGUMENT, "%s", text);
    cr_expect(!strcmp(error.message, text), "%s", error.message);
    cr_expect_eq(done, 1);
    expect((const char *const[]){"hit"}, 1);
    error.message[0] = '\0';
    cr_expect_eq(gpc_predictor_event(predictor, events, 3, &done, &error), GPC_ERROR_ARGUMENT, "%s", text);
    cr_expect(!strcmp(error.message, text), "%s", error.message);
    cr_expect_eq(done, 1);
    expect((const char *const[]){"hit"}, 1);
}

Test(decisions, what_cannot_have_happened) {
    const gpc_request load = {.address = 0}, kind = {.kind = GPC_KIND_COUNT}, sector = {.sector_mask = 4},
                      size = {.address = 120, .size = 16};
    const gpc_eviction eviction = {.way = 2};
    refused((gpc_policy_event){.kind = GPC_POLICY_EVENT_COUNT}, "events[1]: 8 is no gpc_policy_event_kind");
    const gpc_warp_event warp_event = {.kind = GPC_KERNEL_END + 1};
    refused((gpc_policy_event){.kind = GPC_ON_WARP_EVENT}, "events[1]: warp_event is NULL");
    refused((gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &warp_event},
            "events[1]: 5 is no gpc_warp_event_kind");
    refused((gpc_policy_event){.kind = GPC_ON_SAMPLE}, "events[1]: sample is NULL");
    refused((gpc_policy_event){.set = 4, .request = &load}, "events[1]: set 4 of 4");
    refused((gpc_policy_event){.way = 70, .request = &load}, "events[1]: way 70 of 70");
    refused((gpc_policy_event){.kind = GPC_ON_FILL}, "events[1]: request is NULL");
    refused((gpc_policy_event){.kind = GPC_ON_EVICT, .request = &load}, "events[1]: eviction is NULL");
    refused((gpc_policy_event){.kind = GPC_ON_EVICT, .way = 1, .request = &load, .eviction = &eviction},
            "events[1]: of set 0, way 1, its eviction of 0, 2");
    refused((gpc_policy_event){.request = &kind}, "events[1]: gpc_request.kind cannot be what it is");
    refused((gpc_policy_event){.request = &sector}, "events[1]: gpc_request.sector_mask cannot be what it is");
    refused((gpc_policy_event){.request = &size}, "events[1]: gpc_request.size cannot be what it is");
    cr_expect_eq(gpc_replacement_event(replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_HIT, .set = 4, .way = 0, .request = &load}, 1,
                                       NULL, NULL),
                 GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_event(replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_FILL, .set = 0, .way = 70, .request = &load},
                                       1, NULL, NULL),
                 GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_event(replacement, &(gpc_policy_event){.kind = GPC_ON_MISS, .set = 0}, 1, NULL, NULL),
                 GPC_ERROR_ARGUMENT);
    cr_expect_eq(
        gpc_replacement_event(replacement, &(gpc_policy_event){.kind = GPC_ON_EVICT, .request = &load}, 1, NULL, NULL),
        GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_event(
                     replacement, &(gpc_policy_event){.kind = GPC_ON_SECTOR_MISS, .set = 0, .way = 0, .request = &kind},
                     1, NULL, NULL),
                 GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_event(
                     replacement,
                     &(gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &(gpc_warp_event){.kind = 5}}, 1,
                     NULL, NULL),
                 GPC_ERROR_ARGUMENT);
    expect(NULL, 0);
}

static gpc_status choose_among(uint64_t low, uint64_t high, uint32_t *way) {
    const gpc_request load = {.address = 0};
    const uint64_t candidates[] = {low, high};
    *way = 77;
    return gpc_replacement_choose(replacement, 0, candidates, &load, way, NULL);
}

Test(decisions, candidates) {
    const gpc_request load = {.address = 0};
    uint32_t way = 77;
    chosen = 69;
    cr_expect_eq(gpc_replacement_choose(replacement, 0, NULL, &load, &way, NULL), GPC_OK);
    cr_expect_eq(way, 69);
    cr_expect_eq(choose_among(1, 0x20, &way), GPC_OK);
    cr_expect_eq(way, 69);
    cr_expect_eq(choose_among(0, 0, &way), GPC_ERROR_ARGUMENT, "no candidate");
    cr_expect_eq(choose_among(0, 0x40, &way), GPC_ERROR_ARGUMENT, "way 70");
    cr_expect_eq(choose_among(1, 0, &way), GPC_ERROR_CALLBACK, "not among them");
    cr_expect_eq(way, 77);
    chosen = 64;
    cr_expect_eq(choose_among(0, 1, &way), GPC_OK);
    cr_expect_eq(choose_among(1, 2, &way), GPC_ERROR_CALLBACK);
    way = 77;
    chosen = 70;
    cr_expect_eq(gpc_replacement_choose(replacement, 0, NULL, &load, &way, NULL), GPC_ERROR_CALLBACK);
    cr_expect_eq(gpc_replacement_choose(replacement, 4, NULL, &load, &way, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replacement_choose(replacement, 0, NULL, NULL, &way, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(way, 77);
    chosen = GPC_WAY_BYPASS;
    cr_expect_eq(choose_among(1, 0, &way), GPC_OK);
    cr_expect_eq(way, GPC_WAY_BYPASS);
    cr_expect(!gpc_replacement_declines(replacement, 0, NULL, &load), "it has no say in it");
    expect(NULL, 0);
}

/* Bits beyond the ways: ways that end with a word, and words behind. */
Test(decisions, candidates_of_words) {
    static const uint64_t all_ones[2] = {UINT64_MAX, UINT64_MAX}, one_more[2] = {UINT64_MAX, 1};
    const gpc_request load = {.address = 0};
    chosen = 5;
    for (uint32_t ways = 64; ways <= 65; ways++) {
        gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
        gpc_replacement *words;
        uint32_t way = 77;
        options.policy = "watcher";
        options.sets = 1;
        options.ways = ways;
        cr_assert_eq(gpc_replacement_create(context, &options, &words, NULL), GPC_OK);
        cr_expect_eq(gpc_replacement_choose(words, 0, ways == 64 ? all_ones : one_more, &load, &way, NULL), GPC_OK);
        cr_expect_eq(way, 5);
        const gpc_status beyond = gpc_replacement_choose(words, 0, all_ones, &load, &way, NULL);
        cr_expect_eq(beyond, ways == 64 ? GPC_OK : GPC_ERROR_ARGUMENT);
        gpc_replacement_destroy(words);
    }
}

/* Words for the level above: from a line, from a line without a word, and from an absent place. */
Test(decisions, responses) {
    const gpc_request load = {.address = 0};
    cr_expect_eq(gpc_predictor_respond(predictor, 3, 69, &load), 369);
    cr_expect_eq(gpc_predictor_respond(predictor, 3, UINT32_MAX, &load), 399);
    cr_expect_eq(gpc_predictor_respond(predictor, 3, 70, &load), 0);
    cr_expect_eq(gpc_predictor_respond(predictor, 4, 0, &load), 0);
    cr_expect_eq(gpc_predictor_respond(NULL, 3, 0, &load), 0);
    expect(NULL, 0);
}

Test(decisions, predictions) {
    const gpc_request requests[] = {{.warp = 0}, {.warp = 1}, {.warp = 2}, {.kind = 99}};
    const uint32_t sets[] = {0, 1, 2, 3}, beyond[] = {4};
    gpc_prediction predictions[4] = {{9, 9}, {9, 9}, {9, 9}, {9, 9}}, one;
    gpc_error error = GPC_ERROR_INIT;
    size_t done;
    cr_expect_eq(gpc_predictor_predict_many(predictor, sets, requests, 4, predictions, &done, &error),
                 GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "requests[3]: gpc_request.kind cannot be what it is");
    cr_expect_eq(done, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_eq(gpc_predictor_predict(predictor, sets[i], &requests[i], &one, NULL), GPC_OK);
        cr_expect(one.decision == predictions[i].decision && one.policy_word == i && predictions[i].policy_word == i);
        cr_expect_eq(one.decision, i == 2 ? GPC_BYPASS : GPC_CACHE);
    }
    cr_expect_eq(predictions[3].decision, 9, "it was left alone");
    cr_expect_eq(gpc_predictor_predict_many(predictor, beyond, requests, 1, predictions, NULL, &error),
                 GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "requests[0]: set 4 of 4");
    cr_expect_eq(gpc_predictor_predict(predictor, 4, requests, &one, NULL), GPC_ERROR_ARGUMENT);
    cr_expect(!gpc_predictor_before_lookup(predictor));
}
