/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/drive.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/*
 * Order forced, each access done before the next: the clock is all that a timed hierarchy adds. Whatever the caches
 * are, it finds, moves and keeps what the functional one does.
 */

static gpc_hierarchy *functional_twin(rig *r) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *twin = NULL;
    cr_assert_eq(gpc_config_set(r->config, "mode", "functional", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &error, &twin), GPC_OK, "%s", error.message);
    return twin;
}

static void access_twin(gpc_hierarchy *twin, shot s) {
    uint64_t addresses[64];
    for (uint32_t i = 0; i < s.lanes; i++)
        addresses[i] = s.address + i * s.stride;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = s.sm;
    access.warp = s.warp;
    access.warp_age = s.age;
    access.pc = s.pc;
    access.mask = ((uint64_t)1 << s.lanes) - 1;
    access.addresses = addresses;
    access.width = s.width;
    access.kind = s.kind;
    access.space = s.space;
    access.hint = s.hint;
    cr_assert_eq(gpc_hierarchy_access(twin, &access, NULL), GPC_OK);
}

/* Counters up to the first that has to do with time. */
static void same_counters(const gpc_stats *timed, const gpc_stats *functional, const char *text, uint64_t seed) {
    for (size_t i = 0; i < gpc_counter_count(); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_at(i, &info), GPC_OK);
        if (!strcmp(info.name, "cycles"))
            return;
        uint64_t a, b;
        memcpy(&a, (const char *)timed + info.offset, sizeof a);
        memcpy(&b, (const char *)functional + info.offset, sizeof b);
        cr_expect_eq(a, b, "seed %" PRIu64 ": %s is %" PRIu64 " timed, %" PRIu64 " functional\n%s", seed, info.name, a,
                     b, text);
    }
    cr_assert_fail("no counter is called cycles");
}

static void same_lines(gpc_hierarchy *timed, gpc_hierarchy *functional, unsigned level, uint32_t instances,
                       uint64_t seed, const char *text) {
    for (uint32_t i = 0; i < instances; i++) {
        const gpc_cache *a = gpc_hierarchy_cache(timed, level, i), *b = gpc_hierarchy_cache(functional, level, i);
        uint64_t at_a = 0, at_b = 0;
        gpc_line x = {0}, y = {0};
        if (!a && !b)
            continue;
        for (gpc_status s = GPC_OK; s == GPC_OK;) {
            s = gpc_cache_next_line(a, &at_a, &x);
            cr_assert_eq(gpc_cache_next_line(b, &at_b, &y), s, "seed %" PRIu64 ": %s", seed, text);
            cr_assert_eq(memcmp(&x, &y, sizeof x), 0, "seed %" PRIu64 ": level %u, set %u: other lines\n%s", seed,
                         level, x.set, text);
        }
    }
}

/*
 * Within 32 bytes, the least that a line may be: the lines of one instruction would be on their way together, and so
 * find, in one set, what they would not find one after another.
 */
static shot one_line(shot s) {
    s.stride = s.stride > s.width ? s.width : s.stride;
    s.lanes = s.lanes * s.stride > 32 ? 32 / (uint32_t)s.stride : s.lanes;
    uint64_t bytes = s.stride ? s.lanes * s.stride : s.width;
    s.address &= ~(uint64_t)31;
    s.address += s.lanes % 4 * (32 - bytes) / 4;
    return s;
}

static void agree(uint64_t seed) {
    static rig r;
    uint64_t state = seed;
    machine m;
    draw_machine(&state, false, &m);
    stream s = {.seed = seed, .sms = m.sms, .bytes = 1024u << rig_below(&state, 6), .loads = 8, .stores = 5};
    rig_open(&r, m.text, 1);
    gpc_hierarchy *twin = functional_twin(&r);
    for (uint32_t n = 0; n < 150; n++) {
        shot a = one_line(stream_shot(&s, rig_below(&state, m.sms), n));
        rig_issue(&r, a);
        rig_finish(&r);
        access_twin(twin, a);
    }
    gpc_stats timed = rig_stats(&r), functional;
    gpc_stats_init(&functional);
    cr_assert_eq(gpc_hierarchy_get_stats(twin, &functional), GPC_OK);
    same_counters(&timed, &functional, m.text, seed);
    cr_expect_eq(memcmp(timed.l1_transactions_per_load, functional.l1_transactions_per_load,
                        sizeof timed.l1_transactions_per_load), 0);
    same_lines(r.hierarchy, twin, 1, m.sms, seed, m.text);
    same_lines(r.hierarchy, twin, 2, m.slices, seed, m.text);
    cr_expect_eq(gpc_hierarchy_flush(r.hierarchy), GPC_OK);
    cr_expect_eq(gpc_hierarchy_flush(twin), GPC_OK);
    timed = rig_stats(&r);
    cr_assert_eq(gpc_hierarchy_get_stats(twin, &functional), GPC_OK);
    same_counters(&timed, &functional, m.text, seed);
    gpc_hierarchy_destroy(twin);
    rig_close(&r);
}

Test(timed_agree, with_the_functional_hierarchy) {
    for (uint64_t seed = 0; seed < 400; seed++)
        agree(seed);
}
