/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/drive.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Order forced, every access done before the next: a timed hierarchy only adds the clock. With any caches, it finds,
 * moves and keeps the same as the functional hierarchy.
 */

static gpc_hierarchy *functional_twin(rig *r) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *twin = NULL;
    cr_assert_eq(gpc_config_set(r->config, "mode", "functional", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &twin, &error), GPC_OK, "%s", error.message);
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
    access.token = s.token;
    access.token_l2 = s.token_l2;
    cr_assert_eq(gpc_hierarchy_access(twin, &access, NULL, NULL), GPC_OK);
}

/* Counters up to the first that depends on time. `what` came last. */
static bool same_counters(const measured_stats *timed, const measured_stats *functional, const char *text,
                          const char *what) {
    const measured_stats a_stats = measured(*timed), b_stats = measured(*functional);
    bool same = true;
    for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL), GPC_OK);
        if (!strcmp(info.name, "cycles"))
            return same;
        uint64_t a, b;
        memcpy(&a, (const char *)&a_stats + measured_offset(info.id), sizeof a);
        memcpy(&b, (const char *)&b_stats + measured_offset(info.id), sizeof b);
        cr_expect_eq(a, b, "%s: %s is %" PRIu64 " timed, %" PRIu64 " functional\n%s", what, info.name, a, b, text);
        same &= a == b;
    }
    cr_assert_fail("no counter is called cycles");
    return false;
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
            s = gpc_cache_next_line(a, &at_a, &x, NULL);
            cr_expect_eq(gpc_cache_next_line(b, &at_b, &y, NULL), s, "seed %" PRIu64 ": %s", seed, text);
            if (memcmp(&x, &y, sizeof x)) {
                cr_expect_fail("seed %" PRIu64 ": level %u, set %u: other lines\n%s", seed, level, x.set, text);
                return;
            }
        }
    }
}

/*
 * Within 32 bytes, the smallest line: several lines of one instruction would be in flight together, and so find, in one
 * set, other lines than in sequence.
 */
static shot one_line(shot s) {
    s.stride = s.stride > s.width ? s.width : s.stride;
    if (s.stride && (s.lanes - 1) * s.stride + s.width > 32)
        s.lanes = (32 - s.width) / (uint32_t)s.stride + 1;
    s.address &= ~(uint64_t)31;
    s.address += s.lanes % 4 * (32 - (s.lanes - 1) * s.stride - s.width) / 4;
    return s;
}

/*
 * L1's victim leaves when the miss takes a way, in a timed hierarchy before L2 sees the miss, in a functional one
 * after. For L2 the order differs if the victim is dirty, or if L2 takes lines from L1: then L2 gets room for
 * everything, so that order is irrelevant. Likewise a store that is both written through and fetched: the read and the
 * write are under way together.
 */
static void force_order(uint64_t *state, machine *m) {
    size_t used = strlen(m->text);
    static const char *const writes[] = {"through", "evict", "back"}, *const allocations[] = {"none", "lazy"};
    char *end = m->text + used;
    size_t left = sizeof m->text - used;
    int length;
    switch (rig_below(state, 3)) {
    case 0:
        length = snprintf(end, left, "l2.size = %u\nl1.write_policy = %s\nl1.write_policy_local = %s\n",
                          m->slices << 18, writes[1 + rig_below(state, 2)], writes[1 + rig_below(state, 2)]);
        break;
    case 1:
        length = snprintf(end, left,
                          "l2.inclusion = non-inclusive\nl1.write_policy = %s\nl1.write_policy_local = %s\n"
                          "l1.write_allocate = %s\nl1.write_allocate_local = %s\n",
                          writes[rig_below(state, 2)], writes[rig_below(state, 2)], allocations[rig_below(state, 2)],
                          allocations[rig_below(state, 2)]);
        break;
    default:
        length = snprintf(end, left,
                          "l1.write_policy = evict\nl1.write_policy_local = evict\nl1.allocate = on-fill\n"
                          "l1.write_allocate = none\nl1.write_allocate_local = none\n");
        break;
    }
    cr_assert(length > 0 && (size_t)length < left);
    /* without a clock, periods count accesses */
    cr_assert_lt(strlen(m->text) + 96, sizeof m->text);
    strcat(m->text, "l1.token_clear = owners\nl2.token_clear = kernel\n");
    strcat(m->text, rig_below(state, 2) ? "l1.coalescer = sector\n" : "");
}

static void agree(uint64_t seed) {
    static rig r;
    uint64_t state = seed;
    machine m;
    draw_machine(&state, false, &m);
    force_order(&state, &m);
    stream s = {.seed = seed, .sms = m.sms, .bytes = 1024u << rig_below(&state, 6), .loads = 8, .stores = 5};
    rig_open(&r, m.text, 1);
    gpc_hierarchy *twin = functional_twin(&r);
    bool same = true;
    measured_stats timed, functional;
    measured_clear(&functional);
    for (uint32_t n = 0; n < 150 && same; n++) {
        char what[160];
        shot a = one_line(stream_shot(&s, rig_below(&state, m.sms), n));
        snprintf(what, sizeof what,
                 "seed %u, access %u: kind %d, space %d, hint %d, SM %u, address %u, %u times %u bytes", (unsigned)seed,
                 n, a.kind, a.space, a.hint, a.sm, (unsigned)a.address, a.lanes, a.width);
        rig_issue(&r, a);
        rig_finish(&r);
        access_twin(twin, a);
        timed = rig_stats(&r);
        cr_assert_eq(measure_hierarchy(twin, &functional), GPC_OK);
        same = same_counters(&timed, &functional, m.text, what);
    }
    cr_expect_eq(memcmp(timed.l1_transactions_per_load, functional.l1_transactions_per_load,
                        sizeof timed.l1_transactions_per_load),
                 0);
    same_lines(r.hierarchy, twin, 1, m.sms, seed, m.text);
    same_lines(r.hierarchy, twin, 2, m.slices, seed, m.text);
    cr_expect_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
    cr_expect_eq(gpc_hierarchy_flush(twin, NULL), GPC_OK);
    timed = rig_stats(&r);
    cr_assert_eq(measure_hierarchy(twin, &functional), GPC_OK);
    if (same)
        same_counters(&timed, &functional, m.text, "flush");
    gpc_hierarchy_destroy(twin);
    rig_close(&r);
}

Test(timed_agree, with_the_functional_hierarchy) {
    for (uint64_t seed = 0; seed < effort_of(400); seed++)
        agree(seed);
}

/* The policies of the two levels decline lines; lines admitted by L1's may still be declined by L2's. */
Test(timed_agree, where_both_levels_decline) {
    static const char settings[] = "l1.size = 512\nl1.ways = 2\nl1.allocate = on-fill\nl1.replacement = bip(bypass=1)\n"
                                   "l1.write_policy = through\nl1.write_allocate = lazy\n"
                                   "l2.size = 2048\nl2.ways = 4\nl2.replacement = bip(bypass=1)\n";
    static rig r;
    uint64_t state = 3;
    rig_open(&r, settings, 1);
    gpc_hierarchy *twin = functional_twin(&r);
    measured_stats timed = {0}, functional;
    measured_clear(&functional);
    bool same = true;
    for (uint32_t n = 0; n < 600 && same; n++) {
        shot a = LINE(rig_below(&state, 2) ? GPC_STORE : GPC_LOAD, 128 * rig_below(&state, 64));
        rig_issue(&r, a);
        rig_finish(&r);
        access_twin(twin, a);
        timed = rig_stats(&r);
        cr_assert_eq(measure_hierarchy(twin, &functional), GPC_OK);
        same = same_counters(&timed, &functional, settings, "store or load");
    }
    cr_expect_gt(timed.l2_write_sector_hits, 0, "some of what was let through was kept");
    gpc_hierarchy_destroy(twin);
    rig_close(&r);
}
