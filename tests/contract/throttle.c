/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Throttles: on a scheduler and alone, with equal decisions; cost, repeatability, and all warps come to an end, from 1
 * slot to 1024.
 */

static const char *const own_rows[] = {
    "warps",
    "warps(limit=1)",
    "warps(limit=1024)",
    "blocks",
    "blocks(limit=1)",
    "blocks(limit=3)",
    "ccws",
    "ccws(tags=1, k=1024)",
    "ccws(base=65535)",
    "dyncta",
    "dyncta(period=1)",
    "pcal",
    "pcal(warps=1)",
    "pcal(warps=3, ebt=2)",
    "pcal(warps=4, ebt=-3)",
    "pcal(warps=2, ebt=auto)",
};

static const uint32_t shapes[] = {1, 2, 7, 48, 65, 1024};

#define EACH(i, array) for (size_t i = 0; i < sizeof array / sizeof *array; i++)
#define EACH_ROW(row) for (const char *const *row = rows(); *row; row++)

static bool has_row(const char *name) {
    bool found = false;
    EACH(row, own_rows)
    found |= is_named(own_rows[row], name);
    return found;
}

static const char *all_rows[64]; /* ended by NULL */
static size_t row_count;

static void add_row(const char *name) {
    cr_assert_lt(row_count + 1, sizeof all_rows / sizeof *all_rows);
    all_rows[row_count++] = name;
}

/* The rows above, and the names of throttles without rows. */
static const char *const *rows(void) {
    if (!row_count) {
        memcpy(all_rows, own_rows, sizeof own_rows);
        row_count = sizeof own_rows / sizeof *own_rows;
        each_without_row(GPC_POLICY_THROTTLE, has_row, add_row);
    }
    return all_rows;
}

/* Stated, for all accepted sizes, and no smaller for more warps. */
Test(throttle_contract, states_its_cost) {
    gpc_context *context = open_context(1);
    EACH_ROW(row) {
        char spec[96];
        uint64_t before = 0;
        snprintf(spec, sizeof spec, "lrr + %s", *row);
        for (uint32_t warps = 2; warps <= 1024; warps *= 2) {
            uint64_t bits = 0, policy = 0;
            cr_assert_eq(gpc_scheduler_cost(context, spec, warps, &bits, NULL), GPC_OK);
            cr_assert_eq(gpc_scheduler_cost(context, "lrr", warps, &policy, NULL), GPC_OK);
            cr_expect(bits > policy && bits - policy >= before, "%s, %u warps", spec, warps);
            before = bits - policy;
        }
    }
    gpc_context_destroy(context);
}

/*
 * A host of one scheduler: every warp issues some instructions, and some lose lines to one another. The throttle alone
 * gets equal events, and must decide equally.
 */
typedef struct host {
    gpc_scheduler *s;
    gpc_throttle *alone;
    uint32_t warps, left, running;
    uint8_t *place; /* instructions issued, by slot */
    uint64_t random, digest, cycle;
} host;

enum { LENGTH = 6 };

static uint64_t draw(host *h) {
    h->random = h->random * 6364136223846793005u + 1442695040888963407u;
    return h->random >> 24;
}

static void digest(host *h, uint64_t value) {
    h->digest = (h->digest ^ value) * 0x9e3779b97f4a7c15u;
    h->digest ^= h->digest >> 29;
}

/* The throttle's statements on all warps at this cycle equal the scheduler's use, warp by warp. */
static void compare(host *h) {
    uint64_t throttled[16], held[16], bypassing[16], bypassing_l2[16];
    gpc_throttle_classes classes = GPC_THROTTLE_CLASSES_INIT;
    classes.throttled = throttled;
    classes.held = held;
    classes.bypassing = bypassing;
    classes.bypassing_l2 = bypassing_l2;
    cr_assert_eq(gpc_throttle_classify(h->alone, h->cycle, &classes, NULL), GPC_OK);
    cr_assert_eq(classes.again, gpc_scheduler_next_change(h->s));
    for (uint32_t slot = 0; slot < h->warps; slot++) {
        const unsigned bit = slot % 64, word = slot / 64;
        const gpc_warp_class class_of = gpc_scheduler_class_of(h->s, slot);
        const bool runs = gpc_scheduler_age_of(h->s, slot) != GPC_NO_WARP;
        cr_assert_eq(gpc_throttle_class_of(h->alone, slot), class_of, "slot %u", slot);
        cr_assert_eq(throttled[word] >> bit & 1, runs && class_of == GPC_CLASS_THROTTLED, "slot %u", slot);
        cr_assert_eq(gpc_throttle_held(h->alone, slot), held[word] >> bit & 1, "slot %u", slot);
        cr_assert(!runs || class_of != GPC_CLASS_BYPASS || bypassing[word] >> bit & 1, "slot %u", slot);
        for (unsigned level = 1; level <= 2; level++)
            cr_assert_eq(gpc_throttle_token_of(h->alone, slot, level), gpc_scheduler_token_of(h->s, slot, level));
        cr_assert(!runs || gpc_scheduler_token_of(h->s, slot, 2) ==
                               (bypassing_l2[word] >> bit & 1 ? GPC_TOKEN_NONE : GPC_TOKEN_HELD));
    }
}

static void set_state(host *h, uint32_t slot, gpc_warp_state state) {
    cr_assert_eq(gpc_scheduler_set_state(h->s, slot, state, NULL), GPC_OK);
    cr_assert_eq(gpc_throttle_set_state(h->alone, slot, state, NULL), GPC_OK);
}

static void tell(host *h, const gpc_cache_event *event) {
    gpc_scheduler_cache_event(h->s, event);
    gpc_throttle_cache_event(h->alone, event);
}

static void note_classes(host *h) {
    compare(h);
    uint32_t sum = 0;
    for (int c = 0; c < GPC_CLASS_COUNT; c++) {
        uint32_t count = gpc_scheduler_class_count(h->s, (gpc_warp_class)c);
        digest(h, count);
        sum += count;
    }
    cr_assert_eq(sum, h->running);
    digest(h, gpc_scheduler_next_change(h->s));
}

static void lose_lines(host *h, uint32_t slot) {
    gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT, .warp = slot, .cycle = h->cycle};
    event.owner = (uint32_t)draw(h) % h->warps;
    event.line_address = draw(h) % 8 * 128;
    tell(h, &event);
    event.kind = draw(h) & 1 ? GPC_CACHE_EVENT_MISS : GPC_CACHE_EVENT_HIT;
    event.owner = slot;
    tell(h, &event);
}

static void issue(host *h, uint32_t slot) {
    cr_assert_eq(gpc_scheduler_issued(h->s, slot, h->cycle, NULL), GPC_OK);
    cr_assert_eq(gpc_throttle_issued(h->alone, slot, h->cycle, NULL), GPC_OK);
    gpc_warp_state next = draw(h) & 1 ? GPC_STATE_READY : GPC_STATE_READY_MEMORY;
    lose_lines(h, slot);
    if (++h->place[slot] < (effort_is_small() ? 2 : LENGTH)) {
        set_state(h, slot, next);
        return;
    }
    set_state(h, slot, GPC_STATE_ABSENT);
    h->running--;
}

static void start_some(host *h) {
    for (uint32_t slot = 0; slot < h->warps && h->left; slot++) {
        if (gpc_scheduler_age_of(h->s, slot) != GPC_NO_WARP)
            continue;
        cr_assert_eq(gpc_scheduler_start_block(h->s, slot, h->left / 4, NULL), GPC_OK);
        cr_assert_eq(gpc_throttle_start(h->alone, slot, h->left / 4, NULL), GPC_OK);
        set_state(h, slot, GPC_STATE_READY);
        h->place[slot] = 0;
        h->left--;
        h->running++;
    }
}

static void take_sample(host *h) {
    measured_stats stats;
    measured_clear(&stats);
    stats.scheduler_cycles = 256;
    stats.scheduler_load_stalls = draw(h) % 256;
    stats.scheduler_empty = draw(h) % 8;
    give_sample(h->s, &stats, h->cycle);
    cr_assert_eq(give_throttle_sample(h->alone, &stats, h->cycle), GPC_OK);
}

/* Nothing happens while no warp issues: the throttle alone has to release a warp, at the named cycle. */
static uint64_t run(gpc_context *context, const char *throttle, uint32_t warps, uint64_t seed) {
    static uint8_t place[1024];
    char spec[96];
    host h = {.warps = warps, .left = warps + warps / 2 + 3, .place = place, .random = seed};
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    snprintf(spec, sizeof spec, "gto + %s", throttle);
    options.policy = spec;
    options.warps = warps;
    cr_assert_eq(gpc_scheduler_create(context, &options, &h.s, &error), GPC_OK, "%s: %s", spec, error.message);
    gpc_throttle_options alone = GPC_THROTTLE_OPTIONS_INIT;
    alone.throttles = throttle;
    alone.warps = warps;
    cr_assert_eq(gpc_throttle_create(context, &alone, &h.alone, &error), GPC_OK, "%s: %s", throttle, error.message);
    cr_assert_eq(gpc_throttle_begin_kernel(h.alone, "k", NULL), gpc_scheduler_begin_kernel(h.s, "k", NULL));
    for (uint32_t step = 0; h.left || h.running; step++) {
        uint32_t slot;
        if (step % 4 == 0 || !h.running)
            start_some(&h);
        if (step % 64 == 63)
            take_sample(&h);
        cr_assert_eq(gpc_scheduler_pick(h.s, h.cycle, true, &slot, NULL), GPC_OK);
        cr_assert_eq(gpc_throttle_classify(h.alone, h.cycle, NULL, NULL), GPC_OK);
        cr_assert(slot == GPC_NO_WARP || gpc_throttle_class_of(h.alone, slot) != GPC_CLASS_THROTTLED);
        digest(&h, slot);
        if (slot != GPC_NO_WARP) {
            issue(&h, slot);
            h.cycle++;
        } else {
            uint64_t change = gpc_scheduler_next_change(h.s);
            cr_assert_neq(change, UINT64_MAX, "%s, %u warps: %u run and none ever issues", spec, warps, h.running);
            h.cycle = change > h.cycle ? change : h.cycle + 1;
        }
        if (step % 16 == 0)
            note_classes(&h);
        cr_assert_lt(step, 64u * LENGTH * (warps + 100), "%s, %u warps: no end", spec, warps);
    }
    gpc_scheduler_destroy(h.s);
    gpc_throttle_destroy(h.alone);
    return h.digest;
}

Test(throttle_contract, all_warps_end_and_alike_each_time, .timeout = 120) {
    gpc_context *context = open_context(1);
    size_t cases = 0, largest = 0;
    EACH_ROW(row)
    EACH(shape, shapes) {
        if (shapes[shape] > 100 && !effort_takes(largest++))
            continue;
        uint64_t once = run(context, *row, shapes[shape], 7);
        if (effort_takes(cases++))
            cr_expect_eq(run(context, *row, shapes[shape], 7), once, "%s, %u warps", *row, shapes[shape]);
    }
    gpc_context_destroy(context);
}

Test(throttle_contract, twice_on_a_scheduler_is_refused) {
    gpc_context *context = open_context(1);
    EACH_ROW(row) {
        char spec[128];
        gpc_scheduler *s;
        gpc_error error = GPC_ERROR_INIT;
        gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
        snprintf(spec, sizeof spec, "gto + %s + %s", *row, *row);
        options.policy = spec;
        cr_expect_eq(gpc_scheduler_create(context, &options, &s, &error), GPC_ERROR_ARGUMENT, "%s", spec);
        cr_expect(strstr(error.message, "twice"), "%s", error.message);
    }
    gpc_context_destroy(context);
}
