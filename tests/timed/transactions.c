/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/rig.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* gpc_hierarchy_try_transactions: transactions coalesced by a host equal the library's coalescing of lanes. */

#define MEMORY 200u
#define MOST 64u

static rig lanes, lines; /* twice the same, except for the coalescing side */

/* By definition: lines in the order of first touch, or sectors; `out` of GPC_MAX_TRANSACTIONS. */
static uint32_t coalesce(shot s, bool sectors, gpc_request *out) {
    uint32_t count = 0;
    for (uint32_t byte = 0; byte < s.lanes * s.width; byte++) {
        const uint64_t address = s.address + byte / s.width * s.stride + byte % s.width, line = address & ~127ull;
        const unsigned offset = address & 127;
        uint32_t at = 0;
        while (at < count && out[at].address != line)
            at++;
        if (at == count)
            out[count++] = (gpc_request){.address = line,
                                         .pc = s.pc,
                                         .sm = s.sm,
                                         .warp = s.warp,
                                         .warp_age = s.age,
                                         .kind = s.kind,
                                         .space = s.space,
                                         .hint = s.hint,
                                         .scope = s.scope,
                                         .order = s.order};
        out[at].sector_mask |= (uint8_t)(1u << offset / 32);
        out[at].byte_mask[offset / 64] |= 1ull << offset % 64;
    }
    if (!sectors)
        return count;
    gpc_request apart[GPC_MAX_TRANSACTIONS];
    uint32_t parts = 0;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned s32 = 0; s32 < 4; s32++)
            if (out[i].sector_mask >> s32 & 1) {
                apart[parts] = out[i];
                apart[parts].sector_mask = (uint8_t)(1u << s32);
                for (unsigned word = 0; word < 2; word++)
                    apart[parts].byte_mask[word] &= word == s32 / 2 ? (uint64_t)UINT32_MAX << s32 % 2 * 32 : 0;
                parts++;
            }
    memcpy(out, apart, parts * sizeof *out);
    return parts;
}

static shot any_shot(uint64_t *state) {
    static const uint32_t strides[] = {0, 4, 8, 32, 36, 128, 132};
    const uint8_t kind = rig_below(state, 4) ? GPC_LOAD : rig_below(state, 3) ? GPC_STORE : GPC_REDUCTION;
    shot s = {.kind = kind,
              .lanes = 1 + rig_below(state, 32),
              .width = 4,
              .stride = strides[rig_below(state, 7)],
              .warp = rig_below(state, 8),
              .pc = 16 * rig_below(state, 5)};
    s.age = s.warp;
    s.address = (uint64_t)rig_below(state, 256) * 36 / 4 * 4;
    s.hint = rig_below(state, 8) ? GPC_HINT_NONE : GPC_HINT_CG;
    if (kind == GPC_STORE && !rig_below(state, 6)) {
        s.order = GPC_ORDER_RELEASE;
        s.scope = GPC_SCOPE_GPU;
    }
    return s;
}

static gpc_status offer_lines(shot s, bool sectors, gpc_busy *busy) {
    gpc_request each[GPC_MAX_TRANSACTIONS];
    const uint32_t count = coalesce(s, sectors, each);
    gpc_error error = GPC_ERROR_INIT;
    const gpc_status status = gpc_hierarchy_try_transactions(lines.hierarchy, each, count, lines.issued, busy, &error);
    cr_assert_geq(status, 0, "%s", error.message);
    if (status == GPC_OK)
        lines.done[lines.issued++].accepted = true;
    return status;
}

static uint64_t hits; /* in L1, of all compared accesses */

static void compare(const char *settings) {
    measured_stats a = measured(rig_stats(&lanes)), b = measured(rig_stats(&lines));
    cr_expect_gt(a.thread_instructions, 0);
    cr_expect_eq(b.thread_instructions, 0, "of which no transaction tells");
    b.thread_instructions = a.thread_instructions;
    cr_expect_eq(memcmp(&a, &b, sizeof a), 0, "%s: other counters", settings);
    cr_expect_eq(lanes.trail, lines.trail, "%s: other completions, or in other cycles", settings);
    cr_expect_eq(lanes.completed, lines.completed);
    cr_expect_gt(a.l2_read_sectors, 0);
    hits += a.l1_load_sector_hits;
}

Test(timed_transactions, as_the_library_coalesces) {
    static const char *const rows[] = {
        "l1.queue = 3\n",
        "l1.coalescer = sector\nl1.queue = 3\n",
        "l1.coalescer = sector\nl1.mshr_entries = 4\nl1.replacement = dip(bypass=1)\n",
        "l1.enabled = false\nl1.miss_queue = 4\n",
        "l1.spaces = local\n",
        "l1.write_policy = back\nl1.write_allocate = lazy\nl1.bypass = always-bypass\n",
        "l1.prefetcher = next-line\nl1.mshr_merges = 2\nl1.issue_latency = 3\n",
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        const bool sectors = strstr(rows[row], "coalescer = sector") != NULL;
        uint64_t state = 11 + row;
        rig_open(&lanes, rows[row], MEMORY);
        rig_open(&lines, rows[row], MEMORY);
        for (uint32_t n = effort_of(600); n;) {
            const shot s = any_shot(&state);
            gpc_busy a = GPC_BUSY_NOT, b = GPC_BUSY_NOT;
            const gpc_status status = rig_try(&lanes, s, &a);
            cr_assert_eq(offer_lines(s, sectors, &b), status);
            cr_assert_eq(a, b);
            n -= status == GPC_OK;
            for (uint32_t cycles = status == GPC_OK ? rig_below(&state, 3) : 1; cycles; cycles--) {
                rig_step(&lanes);
                rig_step(&lines);
            }
        }
        rig_finish(&lanes);
        rig_finish(&lines);
        compare(rows[row]);
        rig_close(&lanes);
        rig_close(&lines);
    }
    cr_expect_gt(hits, 100);
}

/* Sectors of a line, one transaction each, in a hierarchy that coalesces lines: policies see one use of the line. */
Test(timed_transactions, a_further_sector_is_no_reuse) {
    rig_open(&lines, "l1.track_reuse = true\n", MEMORY);
    gpc_busy busy;
    const shot s = LINE(GPC_LOAD, 4096);
    cr_assert_eq(offer_lines(s, true, &busy), GPC_OK);
    rig_finish(&lines);
    cr_assert_eq(offer_lines(s, true, &busy), GPC_OK);
    rig_finish(&lines);
    gpc_line line = {0};
    uint64_t at = 0;
    cr_assert_eq(gpc_cache_next_line(gpc_hierarchy_cache(lines.hierarchy, 1, 0), &at, &line, NULL), GPC_OK);
    cr_expect_eq(line.reuse_count, 1, "%u", (unsigned)line.reuse_count);
    cr_expect_eq(rig_stats(&lines).l1_load_sector_hits, 4);
    cr_expect_eq(rig_stats(&lines).l1_load_lines, 8, "transactions");
    cr_expect_eq(rig_stats(&lines).l1_touched_lines, 2);
    rig_close(&lines);
}

#define REFUSED(why, ...)                                                                                             \
    do {                                                                                                              \
        const gpc_request each[] = {{.address = 128}, {__VA_ARGS__}};                                                 \
        gpc_error reason = GPC_ERROR_INIT;                                                                            \
        cr_expect_eq(gpc_hierarchy_try_transactions(lines.hierarchy, each, 2, 0, NULL, &reason), GPC_ERROR_ARGUMENT); \
        cr_expect(strstr(reason.message, why) && strstr(reason.message, "gpc_request 1: "), "%s: %s", why,            \
                  reason.message);                                                                                    \
    } while (0)

Test(timed_transactions, refused) {
    rig_open(&lines, NULL, MEMORY);
    REFUSED("sm is not below sm.count", .sm = 1);
    REFUSED("kind is out of range", .kind = GPC_KIND_COUNT);
    REFUSED("neither GLOBAL nor LOCAL", .space = GPC_SPACE_TEXTURE);
    REFUSED("continues is not 0", .continues = 1);
    REFUSED("copy is BULK", .copy = GPC_COPY_BULK);
    REFUSED("not that of the first", .kind = GPC_STORE);
    REFUSED("not that of the first", .pc = 1);
    REFUSED("not that of the first", .space = GPC_SPACE_LOCAL);
    REFUSED("size goes beyond", .address = 100, .size = 29);
    REFUSED("sector_mask has sectors", .sector_mask = 0x10);
    REFUSED("no byte in common", .sector_mask = 1, .byte_mask = {0, 1});
    gpc_request each[GPC_MAX_TRANSACTIONS + 1] = {{.order = GPC_ORDER_RELEASE}};
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_try_transactions(lines.hierarchy, each, 1, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "order"), "%s", error.message);
    each[0].order = GPC_ORDER_WEAK;
    for (uint32_t count = 0; count <= GPC_MAX_TRANSACTIONS + 1; count += GPC_MAX_TRANSACTIONS + 1) {
        cr_expect_eq(gpc_hierarchy_try_transactions(lines.hierarchy, each, count, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    }
    cr_expect_eq(gpc_hierarchy_try_transactions(lines.hierarchy, NULL, 1, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_try_transactions(NULL, each, 1, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_in_flight(lines.hierarchy), 0);
    cr_expect_eq(rig_stats(&lines).warp_instructions, 0);
    rig_close(&lines);
}

/* Unsupported: without a clock, in trees, with values. */
Test(timed_transactions, unsupported) {
    static const struct {
        const char *settings, *why;
        gpc_status status;
    } rows[] = {
        {"mode = functional\n", "functional", GPC_ERROR_STATE},
        {"mode = timed\ncoherence.data = true\nl1.write_policy = through\nl1.write_policy_local = through\n"
         "l1.write_allocate = none\nl1.write_allocate_local = none\n",
         "carries no values", GPC_ERROR_UNSUPPORTED},
        {"mode = timed\ncoherence = mesi\nl1.write_policy = back\nl1.write_policy_local = back\n"
         "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl1.sectors = 1\nl2.sectors = 1\n",
         "coherent modules", GPC_ERROR_UNSUPPORTED},
    };
    const gpc_request good = {.address = 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_context *context;
        gpc_config *config;
        gpc_hierarchy *h;
        cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
        cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
        cr_assert_eq(gpc_config_load_text(config, rows[i].settings, "settings", &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
        cr_expect_eq(gpc_hierarchy_try_transactions(h, &good, 1, 0, NULL, &error), rows[i].status);
        cr_expect(strstr(error.message, rows[i].why), "%s", error.message);
        gpc_hierarchy_destroy(h);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
    }
}
