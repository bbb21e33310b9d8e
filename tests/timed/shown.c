/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Requests as functions of a host are shown them: packets keep much in their reserved bytes, where a host finds 0. */

typedef enum call {
    ON_HIT,
    ON_MISS,
    CHOOSE_VICTIM,
    ON_FILL,
    ON_EVICT,
    ON_SECTOR_MISS,
    DECLINES,
    PREDICT,
    PREDICTOR_HIT,
    PREDICTOR_FILL,
    PREDICTOR_EVICT,
    ON_REPLY,
    RESPOND,
    ON_STALL,
    ON_ACCESS,
    CALLS
} call;

static unsigned calls[CALLS], dirty[CALLS];

static void look(call which, const gpc_request *request) {
    static const uint8_t zeros[sizeof request->reserved];
    calls[which]++;
    dirty[which] += memcmp(request->reserved, zeros, sizeof zeros) != 0;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    look(ON_HIT, request);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    look(ON_MISS, request);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set;
    look(CHOOSE_VICTIM, request);
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    look(ON_FILL, request);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)self, (void)set, (void)way, (void)eviction;
    look(ON_EVICT, request);
}

static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    look(ON_SECTOR_MISS, request);
}

static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates;
    look(DECLINES, request);
    return false;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)prediction;
    look(PREDICT, request);
}

static void predictor_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    look(PREDICTOR_HIT, request);
}

static void predictor_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    look(PREDICTOR_FILL, request);
}

static void predictor_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction,
                            const gpc_request *request) {
    (void)self, (void)set, (void)way, (void)eviction;
    look(PREDICTOR_EVICT, request);
}

static gpc_decision on_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    (void)self, (void)word;
    look(ON_REPLY, request);
    return predicted;
}

static uint32_t respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    look(RESPOND, request);
    return 0;
}

static gpc_decision on_stall(void *self, const gpc_request *request, uint32_t reason) {
    (void)self, (void)reason;
    look(ON_STALL, request);
    return GPC_CACHE;
}

static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    (void)self;
    look(ON_ACCESS, access->request);
    out[0] = (gpc_prefetch){.address = access->request->address + 1024};
    return 1;
}

static const gpc_replacement_ops replacement = {.struct_size = sizeof replacement,
                                                .name = "looker",
                                                .on_hit = on_hit,
                                                .on_miss = on_miss,
                                                .choose_victim = choose_victim,
                                                .on_fill = on_fill,
                                                .on_evict = on_evict,
                                                .declines = declines,
                                                .on_sector_miss = on_sector_miss,
                                                .reads = GPC_READS_ADDRESS};
static const gpc_predictor_ops predictor = {.struct_size = sizeof predictor,
                                            .name = "looker",
                                            .predict = predict,
                                            .on_hit = predictor_hit,
                                            .on_fill = predictor_fill,
                                            .on_evict = predictor_evict,
                                            .on_reply = on_reply,
                                            .respond = respond,
                                            .on_stall = on_stall,
                                            .reads = GPC_READS_ADDRESS};
static const gpc_prefetcher_ops prefetcher = {
    .struct_size = sizeof prefetcher, .name = "looker", .on_access = on_access};

static bool ignore(void *user_data, const gpc_event *event) {
    (void)user_data, (void)event;
    return true;
}

/* Loads, stores and atomics of a few lines, followed by a trace of events. */
static void run(const char *settings) {
    rig r;
    rig_open(&r, NULL, 60);
    cr_assert_eq(gpc_context_register_replacement(r.context, &replacement, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_predictor(r.context, &predictor, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_prefetcher(r.context, &prefetcher, NULL, NULL, NULL), GPC_OK);
    rig_reopen(&r, settings, 60);
    gpc_event_options trace = GPC_EVENT_OPTIONS_INIT;
    trace.on_event = ignore;
    cr_assert_eq(gpc_hierarchy_set_trace(r.hierarchy, &trace, NULL), GPC_OK);
    static const uint8_t kinds[] = {GPC_LOAD, GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_ATOMIC};
    uint64_t random = 7;
    for (int i = 0; i < 2000; i++) {
        const uint8_t kind = kinds[rig_below(&random, sizeof kinds)];
        const uint64_t address = (uint64_t)rig_below(&random, 24) * 4096 + rig_below(&random, 4) * 32;
        rig_push(&r, WORDS(kind, address, 4, 4, .warp = rig_below(&random, 8)));
    }
    rig_finish(&r);
    rig_close(&r);
}

/* So many of the functions have been called, and none has found another byte. */
static void check(const char *settings, const call *expected, size_t count) {
    memset(calls, 0, sizeof calls);
    memset(dirty, 0, sizeof dirty);
    run(settings);
    for (size_t i = 0; i < count; i++)
        cr_expect_gt(calls[expected[i]], 0, "%s: function %u was not called", settings, (unsigned)expected[i]);
    for (unsigned i = 0; i < CALLS; i++)
        cr_expect_eq(dirty[i], 0, "%s: function %u, %u of %u calls", settings, i, dirty[i], calls[i]);
}

#define BOTH                                                                                                          \
    "l1.replacement = looker\nl1.bypass = looker\nl1.mshr_entries = 2\nl2.replacement = looker\nl2.bypass = looker\n" \
    "l2.size = 64KiB\n"

Test(shown, reserved_bytes_are_zero) {
    static const call plain[] = {ON_HIT,         ON_MISS, CHOOSE_VICTIM, ON_FILL,        ON_EVICT,
                                 ON_SECTOR_MISS, PREDICT, PREDICTOR_HIT, PREDICTOR_FILL, PREDICTOR_EVICT,
                                 ON_REPLY,       RESPOND, ON_STALL};
    check(BOTH, plain, sizeof plain / sizeof *plain);
    check(BOTH "l1.write_policy = back\nl1.write_allocate = fetch\n", plain, sizeof plain / sizeof *plain);
    static const call late[] = {DECLINES, ON_FILL};
    check(BOTH "l1.allocate = on-fill\n", late, sizeof late / sizeof *late);
    static const call ahead[] = {ON_ACCESS};
    check("l1.prefetcher = looker\nl2.prefetcher = looker\n", ahead, sizeof ahead / sizeof *ahead);
    static const call tree[] = {ON_HIT, ON_MISS, CHOOSE_VICTIM, ON_FILL, ON_EVICT, PREDICT};
    check(BOTH "coherence = nmoesi\n", tree, sizeof tree / sizeof *tree);
}
