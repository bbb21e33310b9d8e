/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/coherent.h"

#include "suited.h"

#include <string.h>

/* Questions to policies of a tree with a clock. Each access has a PC of its own, which counts the questions. */

enum { ACCESSES = 400 };

typedef struct questions {
    uint32_t predictions[ACCESSES], replies[ACCESSES]; /* asked by L1s */
    uint32_t below[ACCESSES], answers[ACCESSES];       /* asked by slices: predictions and responses */
    uint64_t random;
} questions;

static questions asked; /* count for the hierarchy under test */

static uint32_t draw(uint32_t limit) {
    asked.random = asked.random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(asked.random >> 33) % limit;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set;
    asked.predictions[request->pc]++;
    prediction->decision = draw(3) ? GPC_CACHE : GPC_BYPASS;
    prediction->policy_word = 1;
}

static void predict_below(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set;
    asked.below[request->pc]++;
    prediction->decision = draw(3) ? GPC_CACHE : GPC_BYPASS;
}

static gpc_decision on_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    (void)self, (void)word;
    asked.replies[request->pc]++;
    return draw(2) ? GPC_CACHE : predicted;
}

static uint32_t respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    asked.answers[request->pc]++;
    return 1 + draw(8);
}

static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return draw(2);
}

static uint32_t first_candidate(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    uint32_t way = 0;
    while (candidates && !(candidates[0] >> way & 1))
        way++;
    return way;
}

static void open_asking(rig *r, const char *settings) {
    char text[2048];
    gpc_error error = GPC_ERROR_INIT;
    gpc_predictor_ops predictor = {.struct_size = sizeof predictor,
                                   .name = "asked",
                                   .below = "asked-below",
                                   .predict = predict,
                                   .on_reply = on_reply,
                                   .reads = GPC_READS_PC};
    const gpc_predictor_ops below = {.struct_size = sizeof below,
                                     .name = "asked-below",
                                     .predict = predict_below,
                                     .respond = respond,
                                     .reads = GPC_READS_PC};
    const gpc_replacement_ops keeper = {.struct_size = sizeof keeper,
                                        .name = "declining",
                                        .choose_victim = first_candidate,
                                        .declines = declines,
                                        .reads = GPC_READS_ADMISSION};
    *r = (rig){0};
    snprintf(text, sizeof text,
             "%s" COHERENT
             "mode = timed\nl2.inclusion = non-inclusive\nl1.size = 1KiB\nl2.size = 4KiB\nl2.bypass = asked-below\n%s",
             rig_base, settings);
    cr_assert_eq(gpc_context_create(NULL, &r->context, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_predictor(r->context, &predictor, NULL, NULL, &error), GPC_OK);
    cr_assert_eq(gpc_context_register_predictor(r->context, &below, NULL, NULL, &error), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(r->context, &keeper, NULL, NULL, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(r->context, &r->config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r->config, text, "settings", &error), GPC_OK, "%s", error.message);
    suit(r->context, r->config);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &r->hierarchy, &error), GPC_OK, "%s", error.message);
}

/* Loads, and some stores, of a few lines. `segments`: most sectors of an access. */
static void run(rig *r, uint32_t segments) {
    gpc_error error = GPC_ERROR_INIT;
    for (uint32_t n = 0; n < ACCESSES; n++) {
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        uint64_t addresses[4];
        const uint32_t lanes = 1 + draw(segments);
        for (uint32_t lane = 0; lane < lanes; lane++)
            addresses[lane] = draw(40) * 128 + lane * 32;
        for (uint32_t lane = 1; lane < lanes; lane++)
            addresses[lane] = addresses[0] + lane * 32;
        w.sm = draw(2), w.warp = draw(4), w.pc = n, w.mask = (1u << lanes) - 1, w.width = 4, w.addresses = addresses;
        w.kind = draw(5) ? GPC_LOAD : GPC_STORE;
        while (gpc_hierarchy_try_issue(r->hierarchy, &w, n, NULL, NULL) == GPC_BUSY)
            cr_assert_eq(gpc_hierarchy_advance(r->hierarchy, 1, NULL), GPC_OK);
        if (!draw(3))
            cr_assert_eq(gpc_hierarchy_advance(r->hierarchy, draw(40), NULL), GPC_OK);
    }
    for (unsigned i = 0; i < 1000 && !gpc_hierarchy_is_idle(r->hierarchy); i++)
        cr_assert_eq(gpc_hierarchy_advance(r->hierarchy, 1000, NULL), GPC_OK);
    cr_assert(gpc_hierarchy_is_idle(r->hierarchy), "no end after 1000000 cycles");
    cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, &error), GPC_OK, "%s", error.message);
}

static const char *const protocols[] = {"msi", "mesi", "moesi", "nmoesi", "nmoesi-d", "vi", "hmg", "slc-glc"};
static const char *const narrow[] = {"", "l1.mshr_entries = 1\n", "l1.miss_queue = 1\nl1.mshr_merges = 2\n",
                                     "l2.mshr_entries = 1\nnetwork.input_buffer = 1\n"};

/* An access that waits, is retried, or loses its place at the tags, asks each policy once, and is answered once. */
Test(coherent, one_access_asks_once) {
    for (unsigned i = 0; i < 2 * 4 * 8; i++) {
        rig r;
        char settings[256];
        snprintf(settings, sizeof settings, "coherence = %s\nl1.bypass = asked\n%s%s", protocols[i / 8], narrow[i % 4],
                 i / 4 % 2 ? "l1.replacement = declining\n" : "");
        memset(&asked, 0, sizeof asked);
        asked.random = i;
        open_asking(&r, settings);
        run(&r, 1);
        uint64_t predictions = 0, replies = 0;
        for (unsigned n = 0; n < ACCESSES; n++) {
            cr_expect(asked.predictions[n] <= 1 && asked.replies[n] <= 1 && asked.below[n] <= 1 &&
                          asked.answers[n] <= 1,
                      "%s: access %u: %u predictions, %u replies; below %u, %u", settings, n, asked.predictions[n],
                      asked.replies[n], asked.below[n], asked.answers[n]);
            predictions += asked.predictions[n];
            replies += asked.replies[n];
        }
        cr_expect(replies > 50 && predictions >= replies, "%s", settings);
        cr_expect_eq(rig_stats(&r).l1_predictions, predictions, "%s", settings);
        rig_close(&r);
    }
}

/* A bypassing load that L1's replacement policy has declined takes the bytes, whatever the slice answers. */
Test(coherent, declined_loads_end) {
    for (unsigned i = 0; i < 8; i++) {
        rig r;
        char settings[128];
        snprintf(settings, sizeof settings, "coherence = %s\nl1.replacement = declining\n", protocols[i]);
        memset(&asked, 0, sizeof asked);
        asked.random = i;
        open_asking(&r, settings);
        run(&r, 1);
        cr_expect_gt(rig_stats(&r).l1_bypasses, 3, "%s", settings);
        rig_close(&r);
    }
}

/* A machine whose L2 has fewer lines than accesses are under way, and the first draw of a program. */
typedef struct small_machine {
    uint64_t random;
    uint32_t sms;
    const char *settings;
} small_machine;

static const small_machine small_machines[] = {
    {6438220901576052853u, 4,
     "l1.size = 2KiB\nl2.size = 1KiB\ncoherence = mesi\nl2.replacement = random\nl1.latency = 16\nl1.miss_queue = 1\n"
     "network.latency = 7\nl2.partitions = 2\n"},
    {4064111938876891547u, 3,
     "l1.size = 2KiB\nl2.size = 1KiB\ncoherence = mosi\nl1.replacement = ship\nl2.bypass = random-p\nl1.sectors = 1\n"
     "coherence.directory_ways = 1\ncoherence.any_victim = true\ncluster.sms = 2\n"},
    {7831696334797088587u, 3,
     "l1.size = 512B\nl2.size = 1KiB\ncoherence = msi\nl2.replacement = fifo\nl2.bypass = always-bypass\n"
     "l1.sectors = 1\nl2.sectors = 2\nl2.inclusion = non-inclusive\ncoherence.directory_ways = 1\ncluster.sms = 2\n"
     "network.latency = 12\nl2.latency = 9\n"},
    {9055243388273439934u, 4,
     "l1.size = 512B\nl2.size = 2KiB\ncoherence = mosi\nl1.replacement = random\nl2.replacement = ship\n"
     "l2.bypass = random-p\nl1.sectors = 2\ncoherence.directory_ways = 1\n"},
};

/* Offer an access, and perhaps a fence before the access. */
static void offer(gpc_hierarchy *h, uint32_t sms, uint32_t range) {
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    uint64_t addresses[32];
    const uint32_t first = draw(range) & ~3u, stride = 4u << draw(6);
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = first + lane * stride;
    w.sm = draw(sms), w.warp = draw(8), w.pc = draw(6) * 16, w.mask = draw(2) ? UINT32_MAX : 1u << draw(32);
    w.width = 4, w.addresses = addresses;
    w.kind = (uint8_t)(draw(2) ? GPC_LOAD : draw(3) ? GPC_STORE : draw(GPC_KIND_COUNT));
    w.hint = (uint8_t)(draw(8) ? GPC_HINT_NONE : draw(GPC_HINT_COUNT));
    if (!draw(12)) {
        gpc_fence fence = GPC_FENCE_INIT;
        fence.sm = w.sm, fence.warp = w.warp, fence.order = GPC_ORDER_ACQ_REL, fence.scope = GPC_SCOPE_GPU;
        (void)gpc_hierarchy_try_fence(h, &fence, 1, NULL, NULL);
    }
    (void)gpc_hierarchy_try_issue(h, &w, 1, NULL, NULL);
}

/* Refused accesses leave room for the requests that the accesses wait for. */
Test(coherent, refused_accesses_end) {
    for (unsigned i = 0; i < sizeof small_machines / sizeof *small_machines; i++) {
        const small_machine *m = &small_machines[i];
        rig r = {0};
        gpc_error error = GPC_ERROR_INIT;
        char text[1024];
        snprintf(text, sizeof text,
                 "mode = timed\nsm.count = %u\nl2.slices = 2\ndram.channels = 2\nl1.ways = 4\nl2.ways = 4\n%s", m->sms,
                 m->settings);
        cr_assert_eq(gpc_context_create(NULL, &r.context, NULL), GPC_OK);
        cr_assert_eq(gpc_config_create(r.context, &r.config, NULL), GPC_OK);
        cr_assert_eq(gpc_config_load_text(r.config, text, "settings", &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.hierarchy, &error), GPC_OK, "%s", error.message);
        asked.random = m->random;
        const uint32_t range = 1u << (10 + draw(5)), abreast = draw(3) ? 4 : 1, count = 60 + draw(240);
        for (uint32_t n = 0; n < count; n++) {
            for (uint32_t k = 0; k < abreast; k++)
                offer(r.hierarchy, m->sms, range);
            const bool pause = !draw(6);
            cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1 + pause * draw(40), NULL), GPC_OK);
        }
        for (unsigned n = 0; n < 300 && !gpc_hierarchy_is_idle(r.hierarchy); n++)
            cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1000, NULL), GPC_OK);
        cr_expect(gpc_hierarchy_is_idle(r.hierarchy), "no end after 300000 cycles: %s", m->settings);
        rig_close(&r);
    }
}
