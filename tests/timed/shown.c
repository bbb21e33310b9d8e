/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* Requests as seen by functions of a host: packets use reserved bytes, and a host finds 0 there. */

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

/* The functions have been called often enough, and none has found another byte. */
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

/*
 * Requests made for an access, at each level and on each way: all fields of the classes ACCESS and ASKER
 * (cache/cache.h) are those of the access. An access has its number in `pc`; a request of nobody has no `pc`.
 */

enum { MOST_ASKED = 64 };
static gpc_request asked[MOST_ASKED];
static unsigned asked_count, reached[MOST_ASKED], strangers, lost;

#define ASKED_PC(n) (4096 + 16 * (uint64_t)(n))

static void lose(const gpc_request *request, const char *field) {
    lost++;
    cr_expect(false, "the request for pc %#" PRIx64 ", kind %u, has another %s", request->pc, request->kind, field);
}

static void compare_asked(const gpc_request *request, bool below) {
    if (!request->pc) {
        strangers++;
        cr_expect_eq(request->stream, UINT8_MAX, "a request of nobody is of stream %u", request->stream);
        return;
    }
    const unsigned n = (unsigned)((request->pc - ASKED_PC(0)) / 16);
    gpc_request expected = asked[n];
    cr_assert_lt(n, asked_count);
    if (below)
        expected.policy.token =
            request->policy.token == expected.policy.token_l2 ? expected.policy.token_l2 : UINT8_MAX;
    if (below && request->kind == GPC_PREFETCH && expected.kind != GPC_PREFETCH)
        expected.copy = GPC_COPY_NONE; /* a slice's own prefetch copies nothing */
    reached[n] += below;
#define COMPARE(field) \
    (memcmp(&request->field, &expected.field, sizeof expected.field) ? lose(request, #field) : (void)0)
    GPCI_REQUEST_ACCESS(COMPARE), GPCI_REQUEST_ASKER(COMPARE);
#undef COMPARE
}

static void near_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    compare_asked(request, false);
}

static void near_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    compare_asked(request, false);
}

static void below_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    compare_asked(request, true);
}

static void below_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    compare_asked(request, true);
}

static void below_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    if (request->pc)
        compare_asked(request, true);
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

static const gpc_replacement_ops near_policy = {.struct_size = sizeof near_policy,
                                                .name = "near",
                                                .on_hit = near_hit,
                                                .on_miss = near_miss,
                                                .choose_victim = first_way,
                                                .reads = GPC_READS_ADDRESS};
static const gpc_replacement_ops below_policy = {.struct_size = sizeof below_policy,
                                                 .name = "below",
                                                 .on_hit = below_hit,
                                                 .on_miss = below_miss,
                                                 .on_fill = below_fill,
                                                 .choose_victim = first_way,
                                                 .reads = GPC_READS_ADDRESS};

static void open_asked(rig *r, const char *settings) {
    rig_open(r, "sm.count = 4\nstreams = 5\nl1.replacement = lru\n", 60);
    cr_assert_eq(gpc_context_register_replacement(r->context, &near_policy, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(r->context, &below_policy, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_prefetcher(r->context, &prefetcher, NULL, NULL, NULL), GPC_OK);
    rig_reopen(r, "l1.replacement = near\nl2.replacement = below\nl2.size = 64KiB\n", 60);
    rig_reopen(r, settings, 60);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(gpc_hierarchy_begin_kernel(r->hierarchy, NULL, NULL), GPC_OK);
    memset(reached, 0, sizeof reached);
    asked_count = strangers = lost = 0;
}

/* A request for one line with a value of its own in each field of the asker, as far as the kind allows. */
static gpc_request *ask(const rig *r, uint8_t kind, uint8_t space) {
    const unsigned n = asked_count++;
    gpc_request *a = &asked[n];
    cr_assert_lt(n, MOST_ASKED);
    *a = (gpc_request){.address = (uint64_t)(n + 1) << 16,
                       .pc = ASKED_PC(n),
                       .cycle = rig_now(r),
                       .sm = n % 4,
                       .warp = 1 + n % 7,
                       .warp_age = 100 + n,
                       .block = 200 + n,
                       .kernel = 3,
                       .transactions = 1,
                       .kind = kind,
                       .space = space,
                       .hint = n % 2 ? GPC_HINT_CS : GPC_HINT_WB,
                       .priority = n % 3 ? GPC_EVICT_LAST : GPC_EVICT_FIRST,
                       .policy.token = 0,
                       .policy.token_l2 = 1 + n % 2,
                       .stream = (uint8_t)(1 + n % 4)};
    if (kind == GPC_STORE || kind == GPC_ATOMIC)
        a->order = GPC_ORDER_RELAXED, a->scope = (uint8_t)(GPC_SCOPE_GPU + n % 2);
    return a;
}

static void issue_asked(rig *r, gpc_request *a, uint32_t width) {
    const uint64_t addresses[] = {a->address};
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.mask = 1;
    w.addresses = addresses;
    w.width = width;
    w.kind = a->kind;
    w.priority = a->priority;
#define GIVE(field) w.field = a->field
    GPCI_REQUEST_ACCESS(GIVE);
#undef GIVE
    rig_finish(r);
    a->cycle = rig_now(r);
    const gpc_status status = gpc_hierarchy_try_issue(r->hierarchy, &w, r->issued, NULL, NULL);
    cr_assert_eq(status, GPC_OK, "kind %u, space %u, copy %u: %s", w.kind, w.space, w.copy, gpc_status_string(status));
    r->done[r->issued++].accepted = true;
    rig_finish(r);
}

static void close_asked(rig *r, const char *settings) {
    for (unsigned n = 0; n < asked_count; n++)
        cr_expect_gt(reached[n], 0, "%s: access %u, kind %u, is unknown to L2", settings, n, asked[n].kind);
    cr_expect_eq(lost, 0, "%s", settings);
    rig_close(r);
}

static void run_asked(const char *settings, const uint8_t *kinds, uint8_t space) {
    rig r;
    open_asked(&r, settings);
    for (unsigned i = 0; i < 24; i++)
        issue_asked(&r, ask(&r, kinds[i % 4], space), 4);
    close_asked(&r, settings);
}

static const uint8_t loads[] = {GPC_LOAD, GPC_LOAD, GPC_LOAD, GPC_LOAD};

Test(shown, accesses_are_known_below) {
    static const uint8_t kinds[] = {GPC_LOAD, GPC_STORE, GPC_ATOMIC, GPC_PREFETCH};
    run_asked("l1.latency = 9\n", kinds, GPC_SPACE_GLOBAL);
    run_asked("l1.enabled = false\n", kinds, GPC_SPACE_GLOBAL);
    run_asked("l1.write_policy = back\nl1.write_allocate = fetch\n", loads, GPC_SPACE_GLOBAL);
    run_asked("l1.combine_lines = 2\n", loads, GPC_SPACE_GLOBAL);
    run_asked("l2.slices = 4\nl2.partitions = 2\nl2.link_latency = 30\n", kinds, GPC_SPACE_GLOBAL);
    run_asked("l2.slices = 4\nl2.partitions = 2\nl2.link_latency = 30\nlrc.sms = 2\n", loads, GPC_SPACE_GLOBAL);
    run_asked("tlb.page = 64KiB\n", kinds, GPC_SPACE_GLOBAL);
}

Test(shown, prefetches_are_known_below) {
    run_asked("l1.prefetcher = looker\n", loads, GPC_SPACE_GLOBAL);
    run_asked("l2.prefetcher = looker\n", loads, GPC_SPACE_GLOBAL);
}

#define CONSTANTS "const.size = 1KiB\nconst.ways = 4\nconst.line = 64B\n"

Test(shown, constants_are_known_below) {
    run_asked(CONSTANTS, loads, GPC_SPACE_CONSTANT);
    run_asked(CONSTANTS "l15.size = 4KiB\nl15.ways = 4\n", loads, GPC_SPACE_CONSTANT);
}

Test(shown, copies_are_known_below) {
    rig r;
    open_asked(&r, "l1.latency = 9\n");
    for (unsigned i = 0; i < 12; i++) {
        gpc_request *a = ask(&r, i % 3 == 1 ? GPC_STORE : GPC_LOAD, GPC_SPACE_GLOBAL);
        a->copy = i % 3 ? GPC_COPY_BULK : GPC_COPY_ASYNC;
        a->order = a->scope = 0;
        issue_asked(&r, a, i % 3 ? 128 : 16);
    }
    close_asked(&r, "copies");
}

/* Lines of a host: its misses, which are past L1, and transactions. */
Test(shown, requests_of_hosts_are_known_below) {
    static const uint8_t kinds[] = {GPC_LOAD, GPC_STORE, GPC_ATOMIC};
    rig r;
    open_asked(&r, "l1.latency = 9\n");
    for (unsigned i = 0; i < 24; i++) {
        gpc_request *a = ask(&r, kinds[i % 3], GPC_SPACE_GLOBAL);
        if (i % 2)
            a->order = a->scope = 0;
        gpc_request given = *a;
        given.kernel = 0;
        given.size = 4;
        a->cycle = i % 2 ? rig_now(&r) : a->cycle;
        cr_assert_eq(i % 2 ? gpc_hierarchy_try_transactions(r.hierarchy, &given, 1, r.issued, NULL, NULL)
                           : gpc_hierarchy_try_miss(r.hierarchy, &given, r.issued, NULL, NULL),
                     GPC_OK);
        r.done[r.issued++].accepted = true;
        rig_finish(&r);
    }
    close_asked(&r, "requests of hosts");
}

/* Dirty lines that leave L1, and lines put into L2, are of no access. */
Test(shown, requests_of_nobody_have_no_stream) {
    static const uint8_t stores[] = {GPC_STORE, GPC_STORE, GPC_STORE, GPC_LOAD};
    rig r;
    open_asked(&r, "l1.write_policy = back\nl1.write_allocate = lazy\nl1.size = 2KiB\n");
    for (unsigned i = 0; i < 48; i++)
        issue_asked(&r, ask(&r, stores[i % 4], GPC_SPACE_GLOBAL), 4);
    cr_assert_eq(gpc_hierarchy_preload(r.hierarchy, 2, 0, (uint64_t)1 << 40, 4096, NULL), GPC_OK);
    cr_expect_gt(strangers, 0);
    cr_expect_eq(lost, 0);
    rig_close(&r);
}
