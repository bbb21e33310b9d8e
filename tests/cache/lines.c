/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Callbacks, invalidation, flush, iteration, statistics. */

#define A 0u
#define B 128u
#define C 256u

/* -- callbacks */

Test(lines, fill_callback) {
    rig r;
    rig_init(&r);
    r.options.sets = 3;
    r.options.sectors = 4;
    rig_listen(&r);
    rig_open(&r);
    rig_access(&r, LOAD(4 * 128 + 40, .size = 60, .pc = 77));
    cr_expect_eq(r.fills, 1);
    cr_expect(r.fill_line == 4 * 128 && r.fill_set == 1 && r.fill_way == 0 && r.fill_sectors == 14);
    cr_expect(r.fill_request.address == 4 * 128 + 40 && r.fill_request.pc == 77);
    rig_access(&r, LOAD(4 * 128 + 40, .size = 60));
    cr_expect_eq(r.fills, 1, "a hit brings nothing");
    rig_access(&r, LOAD_LINE(4 * 128));
    cr_expect(r.fills == 2 && r.fill_sectors == 1);
    rig_access(&r, STORE(7 * 128, .sector_mask = 6));
    cr_expect(r.fills == 3 && r.fill_sectors == 6 && r.fill_way == 1, "written whole, they are here");
    rig_access(&r, STORE(7 * 128, .sector_mask = 8));
    cr_expect(r.fills == 4 && r.fill_sectors == 8 && r.fill_way == 1);
    rig_access(&r, STORE(7 * 128 + 4, .size = 4));
    cr_expect(r.fills == 5 && r.fill_sectors == 1 && r.fill_request.kind == GPC_STORE);
    cr_expect_eq(r.evictions, 0);
    gpc_request more = LOAD_LINE(10 * 128);
    rig_lookup(&r, more);
    rig_reserve(&r, more, 15);
    cr_expect_eq(r.fills, 5, "reserved, not filled");
    cr_expect_eq(r.evictions, 1);
    rig_fill(&r, more, 3);
    cr_expect(r.fills == 6 && r.fill_sectors == 3);
    rig_close(&r);
}

Test(lines, eviction_callback) {
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    r.options.track_reuse = 1;
    rig_listen(&r);
    rig_open(&r);
    rig_access(&r, LOAD_LINE(A));
    rig_access(&r, STORE(A + 32, .size = 32));
    rig_access(&r, LOAD_LINE(A));
    rig_access(&r, LOAD(B, .size = 64));
    cr_expect_eq(r.evictions, 0);
    rig_access(&r, LOAD_LINE(C)); /* A: two hits, one by the store */
    cr_expect(r.evictions == 1 && r.eviction_has_request && r.eviction_request == C);
    cr_expect(r.eviction.line_address == A && r.eviction.set == 0 && r.eviction.way == 0 &&
              r.eviction.reuse_count == 2);
    cr_expect(r.eviction.valid_sectors == 15 && r.eviction.dirty_sectors == 2 && !r.eviction.forced);
    cr_expect(r.eviction.dirty_bytes[0] == (uint64_t)0xffffffff << 32 && !r.eviction.dirty_bytes[1]);
    cr_assert_eq(gpc_cache_invalidate_line(r.cache, B + 127, NULL), GPC_OK);
    cr_expect(r.evictions == 2 && !r.eviction_has_request && r.eviction.forced);
    cr_expect(r.eviction.line_address == B && r.eviction.valid_sectors == 3 && !r.eviction.dirty_sectors);
    cr_expect_eq(rig_stats(&r).zero_reuse_evictions, 0, "an invalidation is no eviction");
    unsigned before = r.evictions;
    rig_close(&r);
    cr_expect_eq(r.evictions, before, "destroying tells nobody");
}

/* -- invalidation */

Test(lines, invalidate) {
    rig r;
    rig_init(&r);
    r.options.sets = 4;
    r.options.ways = 4;
    rig_open(&r);
    for (uint64_t line = 0; line < 16; line++)
        rig_load(&r, line * 128);
    cr_assert_eq(gpc_cache_invalidate_line(r.cache, 5 * 128 + 3, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_invalidate_line(r.cache, 99 * 128, NULL), GPC_OK, "not resident is no error");
    cr_expect_eq(rig_lines(&r), 15);
    cr_assert_eq(gpc_cache_invalidate_range(r.cache, 7 * 128 + 127, 2, NULL), GPC_OK);
    cr_expect(!rig_holds(&r, 7 * 128) && !rig_holds(&r, 8 * 128) && rig_holds(&r, 9 * 128) && rig_holds(&r, 6 * 128));
    cr_assert_eq(gpc_cache_invalidate_range(r.cache, 9 * 128, 0, NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 13);
    cr_assert_eq(gpc_cache_invalidate_range(r.cache, 9 * 128, 128, NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 12);
    cr_assert_eq(gpc_cache_invalidate_range(r.cache, 3 * 128, UINT64_MAX - 3 * 128, NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 3);
    cr_expect(rig_holds(&r, 0) && rig_holds(&r, 128) && rig_holds(&r, 256));
    cr_assert_eq(gpc_cache_invalidate_all(r.cache, NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 0);
    cr_expect_eq(rig_stats(&r).invalidations, 16);
    cr_expect_eq(rig_stats(&r).evictions, 0);
    cr_expect_eq(rig_load(&r, 0), GPC_MISS);
    cr_expect_eq(rig_probe(&r, 0).way, 0);
    rig_close(&r);
}

Test(lines, invalidate_to_the_end_of_memory) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    uint64_t last = UINT64_MAX - 127;
    rig_load(&r, last);
    cr_expect_eq(gpc_cache_invalidate_range(r.cache, last, 129, NULL), GPC_ERROR_ARGUMENT, "beyond it");
    cr_expect_eq(gpc_cache_invalidate_range(r.cache, 1, UINT64_MAX, NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 0);
    rig_load(&r, last);
    cr_expect_eq(gpc_cache_invalidate_range(r.cache, last, 128, NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 0);
    rig_load(&r, last);
    cr_expect_eq(gpc_cache_invalidate_all(r.cache, NULL), GPC_OK);
    cr_expect_eq(rig_lines(&r), 0);
    cr_expect_eq(gpc_cache_invalidate_line(NULL, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_invalidate_range(NULL, 0, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_invalidate_all(NULL, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

/* -- flush */

Test(lines, flush) {
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    rig_listen(&r);
    rig_open(&r);
    rig_access(&r, STORE(A, .sector_mask = 9));
    rig_access(&r, LOAD_LINE(B));
    uint64_t sectors = 99;
    cr_assert_eq(gpc_cache_flush(r.cache, &sectors, NULL), GPC_OK);
    cr_expect_eq(sectors, 2);
    cr_expect(r.evictions == 1 && r.eviction.forced && !r.eviction_has_request && r.eviction.line_address == A);
    cr_expect(r.eviction.dirty_sectors == 9 && r.eviction.dirty_bytes[0] == 0xffffffff &&
              r.eviction.dirty_bytes[1] == (uint64_t)0xffffffff << 32);
    cr_expect(rig_lines(&r) == 2 && rig_line(&r, A).valid_sectors == 9 && !rig_line(&r, A).dirty_sectors);
    cr_assert_eq(gpc_cache_flush(r.cache, &sectors, NULL), GPC_OK);
    cr_expect(sectors == 0 && r.evictions == 1, "clean");
    cr_expect_eq(gpc_cache_flush(r.cache, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_cache_flush(NULL, &sectors, NULL), GPC_ERROR_ARGUMENT);
    measured_cache s = rig_stats(&r);
    cr_expect(s.write_backs == 1 && s.write_back_sectors == 2 && !s.evictions && !s.invalidations);
    rig_close(&r);
}

/* -- iteration */

Test(lines, in_order_of_set_and_way) {
    static const uint64_t lines[] = {5, 2, 8, 1, 4, 6, 3};
    static const uint64_t expected[] = {6, 3, 1, 4, 5, 2, 8}; /* sets 0, 1 and 2, each in order of arrival */
    rig r;
    rig_init(&r);
    r.options.sets = 3;
    r.options.ways = 5;
    r.options.track_reuse = r.options.track_warps = 1;
    rig_open(&r);
    for (size_t i = 0; i < 7; i++)
        rig_access(&r, LOAD(lines[i] * 128, .warp = (uint32_t)lines[i] + 10, .priority = GPC_EVICT_LAST));
    rig_load(&r, 4 * 128);
    uint64_t cursor = 0;
    gpc_line line;
    for (size_t i = 0; i < 7; i++) {
        memset(&line, 0xa5, sizeof line);
        cr_assert_eq(gpc_cache_next_line(r.cache, &cursor, &line, NULL), GPC_OK);
        cr_expect_eq(line.line_address, expected[i] * 128, "line %zu", i);
        cr_expect_eq(line.set, expected[i] % 3);
        cr_expect(line.valid_sectors == 1 && !line.dirty_sectors && !line.pending_sectors && !line.prioritised);
        cr_expect(line.warp == expected[i] + 10 && line.priority == GPC_EVICT_LAST);
        cr_expect_eq(line.reuse_count, expected[i] == 4);
    }
    cr_expect_eq(gpc_cache_next_line(r.cache, &cursor, &line, NULL), GPC_END);
    cr_expect_eq(gpc_cache_next_line(r.cache, &cursor, &line, NULL), GPC_END);
    cr_expect_eq(gpc_cache_next_line(NULL, &cursor, &line, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_next_line(r.cache, NULL, &line, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_next_line(r.cache, &cursor, NULL, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

/* -- probe */

Test(lines, probe_touches_nothing) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    rig_load(&r, A);
    rig_load(&r, B);
    measured_cache before = rig_stats(&r), after;
    for (int i = 0; i < 3; i++)
        cr_expect_eq(rig_probe(&r, A).outcome, GPC_HIT);
    cr_expect_eq(rig_probe(&r, C).outcome, GPC_MISS);
    cr_expect_eq(rig_probe(&r, C).way, NO_WAY);
    after = rig_stats(&r);
    cr_expect_eq(memcmp(&before, &after, sizeof before), 0);
    cr_expect_eq(rig_access(&r, LOAD_LINE(C)).eviction.line_address, A, "still the least recently used");
    rig_close(&r);
}

/* -- statistics */

Test(lines, statistics_by_id) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    rig_load(&r, A);
    rig_load(&r, A);
    const uint32_t ids[] = {GPC_ID_CACHE_read_hits, GPC_ID_cycles, GPC_ID_CACHE_reads};
    uint64_t values[] = {7, 7, 7, 7};
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_cache_read(r.cache, ids, 3, values, sizeof values / sizeof *values, &error), GPC_OK);
    cr_expect(values[0] == 1 && values[1] == GPC_ABSENT && values[2] == 2 && values[3] == 7);
    cr_expect_eq(gpc_cache_read(NULL, ids, 1, values, sizeof values / sizeof *values, &error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "gpc_cache_read: cache is NULL");
    cr_expect_eq(gpc_cache_read(r.cache, NULL, 1, values, sizeof values / sizeof *values, &error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "gpc_cache_read: ids is NULL");
    cr_expect_eq(gpc_cache_read(r.cache, ids, 1, NULL, 1, &error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "gpc_cache_read: values is NULL");
    gpc_cache_reset_stats(NULL);
    gpc_cache_reset_stats(r.cache);
    cr_expect_eq(rig_stats(&r).reads, 0);
    cr_expect_eq(rig_load(&r, A), GPC_HIT, "lines stay");
    rig_close(&r);
}

/* After a reset between, differences of counters never become negative. */
Test(lines, a_reset_between_steps) {
    rig r;
    rig_init(&r);
    r.options.replacement = "opt(bypass=1)";
    rig_open(&r);
    rig_access(&r, LOAD(A, .policy.next_use = 10));
    rig_access(&r, LOAD(B, .policy.next_use = 11));
    gpc_request store = STORE(C, .policy.next_use = 12);
    rig_lookup(&r, store);
    gpc_cache_reset_stats(r.cache);
    cr_expect_eq(rig_reserve(&r, store, 0).outcome, GPC_BYPASSED);
    measured_cache s = rig_stats(&r);
    cr_expect(s.write_hits == 0 && s.write_sector_hits == 0 && s.fetched_sectors == 0 && s.bypasses == 1);
    rig_close(&r);
}
