/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* A probe that predicts the leaving line, and caches of another shape. */

static gpc_access_result probe(rig *r, gpc_request request) {
    gpc_access_result result;
    cr_assert_eq(gpc_cache_probe_victim(r->cache, &request, &result, NULL), GPC_OK);
    return result;
}

Test(cache_victim, says_what_leaves) {
    rig r;
    rig_init(&r);
    rig_listen(&r);
    rig_open(&r);
    rig_load(&r, 0);
    cr_expect(probe(&r, LOAD_LINE(0)).outcome == GPC_HIT);
    gpc_access_result free_way = probe(&r, LOAD_LINE(128));
    cr_expect(free_way.outcome == GPC_MISS && free_way.way == 1 && !free_way.evicted);
    rig_access(&r, STORE_LINE(128));
    rig_load(&r, 0); /* the store's line is the least recent */
    const unsigned told = r.evictions;
    gpc_access_result full = probe(&r, LOAD_LINE(256));
    cr_expect(full.outcome == GPC_MISS && full.evicted && full.way == 1);
    cr_expect(full.eviction.line_address == 128 && full.eviction.dirty_sectors == 1 && !full.eviction.forced);
    cr_expect_eq(r.evictions, told, "nobody is told");
    cr_expect(rig_holds(&r, 128));
    rig_close(&r);
}

Test(cache_victim, reservation_failure) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    for (unsigned i = 0; i < 2; i++) {
        rig_lookup(&r, LOAD_LINE(i * 128));
        rig_reserve(&r, LOAD_LINE(i * 128), 1);
    }
    const measured_cache before = rig_stats(&r);
    gpc_access_result none = probe(&r, LOAD_LINE(256));
    cr_expect(none.outcome == GPC_NO_VICTIM && !none.evicted && none.way == NO_WAY);
    cr_expect_eq(rig_stats(&r).no_victims, before.no_victims, "asking is not failing");
    rig_fill(&r, LOAD_LINE(0), 1);
    cr_expect_eq(probe(&r, LOAD_LINE(256)).eviction.line_address, 0);
    rig_close(&r);
}

Test(cache_victim, what_is_not_allocated) {
    rig r;
    rig_init(&r);
    r.options.write_allocate = GPC_WRITE_NO_ALLOCATE;
    rig_open(&r);
    rig_load(&r, 0);
    rig_load(&r, 128);
    cr_expect_eq(probe(&r, STORE_LINE(256)).outcome, GPC_BYPASSED);
    cr_expect_eq(probe(&r, ATOMIC(256, .size = 4)).outcome, GPC_BYPASSED);
    cr_expect_eq(probe(&r, LOAD_LINE(256)).outcome, GPC_MISS);
    gpc_access_result result;
    const gpc_request wrong = {.kind = GPC_KIND_COUNT}, right = {.address = 0};
    cr_expect_eq(gpc_cache_probe_victim(r.cache, &wrong, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_probe_victim(NULL, &right, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_probe_victim(r.cache, &right, NULL, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

/* Constants, textures and code are read as such. */
Test(cache_spaces, read_only) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    static const gpc_space spaces[] = {GPC_SPACE_CONSTANT, GPC_SPACE_TEXTURE, GPC_SPACE_INSTRUCTION};
    for (size_t i = 0; i < 3; i++) {
        const gpc_request load = {.address = i * 128, .space = (uint8_t)spaces[i]},
                          store = {.address = i * 128, .space = (uint8_t)spaces[i], .kind = GPC_STORE},
                          atomic = {.address = i * 128, .space = (uint8_t)spaces[i], .kind = GPC_ATOMIC};
        cr_expect_eq(rig_access(&r, load).outcome, GPC_MISS);
        cr_expect_eq(rig_access(&r, load).outcome, GPC_HIT);
        cr_expect_eq(gpc_cache_access(r.cache, &store, NULL, NULL), GPC_ERROR_ARGUMENT);
        cr_expect_eq(gpc_cache_access(r.cache, &atomic, NULL, NULL), GPC_ERROR_ARGUMENT);
    }
    const gpc_request shared = {.space = GPC_SPACE_SHARED};
    cr_expect_eq(gpc_cache_access(r.cache, &shared, NULL, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

Test(cache_resize, another_shape) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    rig_init(&r);
    rig_listen(&r);
    r.options.sets = 4;
    r.options.ways = 2;
    r.options.replacement = "mru";
    rig_open(&r);
    for (uint64_t line = 0; line < 8; line++)
        rig_access(&r, line == 5 ? STORE_LINE(line * 128) : LOAD_LINE(line * 128));
    const measured_cache before = rig_stats(&r);
    const unsigned told = r.evictions;
    cr_assert_eq(gpc_cache_resize(r.cache, 3, 5, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(r.evictions, told + 8, "of every line");
    cr_expect(r.eviction.forced && rig_lines(&r) == 0);
    measured_cache after = rig_stats(&r);
    cr_expect_eq(after.reads, before.reads);
    cr_expect_eq(after.write_back_sectors, before.write_back_sectors + 1, "the one that was stored to");
    cr_expect_eq(after.invalidations, before.invalidations + 8);
    for (uint64_t line = 0; line < 15; line++)
        cr_expect_eq(rig_load(&r, line * 128), GPC_MISS);
    cr_expect_eq(rig_lines(&r), 15);
    cr_expect_eq(rig_line(&r, 14 * 128).set, 2);
    /* still mru: the last of set 0's five lines leaves */
    gpc_access_result full = probe(&r, LOAD_LINE(15 * 128));
    cr_expect_eq(full.eviction.line_address, 12 * 128);
    cr_expect_eq(rig_stats(&r).reads, before.reads + 15);
    rig_close(&r);
}

/* With the present policy, not the initial one; refusals change nothing. */
Test(cache_resize, policies_and_refusals) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    rig_init(&r);
    rig_open(&r);
    cr_assert_eq(gpc_cache_set_replacement(r.cache, "mru", &error), GPC_OK);
    rig_load(&r, 0);
    cr_expect_eq(gpc_cache_resize(r.cache, 0, 2, &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "sets"), "%s", error.message);
    cr_expect_eq(gpc_cache_resize(r.cache, 4, GPC_MAX_WAYS + 1, &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_cache_resize(NULL, 1, 1, &error), GPC_ERROR_ARGUMENT);
    cr_expect(rig_holds(&r, 0));
    cr_assert_eq(gpc_cache_resize(r.cache, 1, 2, &error), GPC_OK, "the same: it is emptied");
    cr_expect_not(rig_holds(&r, 0));
    rig_load(&r, 0);
    rig_load(&r, 128);
    cr_expect_eq(probe(&r, LOAD_LINE(256)).eviction.line_address, 128);
    rig_close(&r);
}

/* A hierarchy's are its launches' to resize. */
Test(cache_resize, of_a_hierarchy) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK);
    for (unsigned level = 1; level <= 2; level++) {
        cr_expect_eq(gpc_cache_resize(gpc_hierarchy_cache(h, level, 0), 4, 4, &error), GPC_ERROR_STATE);
        cr_expect(strstr(error.message, "launches"), "%s", error.message);
    }
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}
