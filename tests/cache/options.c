/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Creating a cache: defaults, every option out of range, sizes of structures. */

static gpc_context *context;

static void set_up(void) {
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
}

static void tear_down(void) {
    gpc_context_destroy(context);
}

TestSuite(options, .init = set_up, .fini = tear_down);

Test(options, struct_init_is_the_macro) {
    gpc_cache_options macro = GPC_CACHE_OPTIONS_INIT, made;
    memset(&made, 0xa5, sizeof made);
    cr_assert_eq(gpc_struct_init("gpc_cache_options", sizeof made, &made, NULL), GPC_OK);
    cr_expect_eq(made.struct_size, sizeof made);
#define SAME(field, value) cr_expect(made.field == (value) && macro.field == (value), #field)
    SAME(sets, 32);
    SAME(ways, 4);
    SAME(line_bytes, 128);
    SAME(sectors, 0);
    SAME(fetch_sectors, 0);
    SAME(index, GPC_INDEX_MODULO);
    SAME(write_policy, GPC_WRITE_BACK);
    SAME(write_policy_local, GPC_WRITE_BACK);
    SAME(write_allocate, GPC_WRITE_FETCH);
    SAME(write_allocate_local, GPC_WRITE_FETCH);
    SAME(allocate, GPC_ALLOCATE_ON_MISS);
    SAME(atomics_here, 0);
    SAME(track_reuse, 0);
    SAME(track_warps, 0);
    SAME(instance, 0);
    SAME(instances, 0);
    SAME(replacement, NULL);
    SAME(predictor, NULL);
    SAME(index_fn, NULL);
    SAME(index_data, NULL);
    SAME(on_fill, NULL);
    SAME(on_evict, NULL);
    SAME(callback_data, NULL);
    SAME(seed, 0);
#undef SAME
}

Test(options, null_is_the_defaults) {
    gpc_cache *cache;
    cr_assert_eq(gpc_cache_create(context, NULL, &cache, NULL), GPC_OK);
    for (uint64_t line = 0; line < 200; line++) {
        gpc_request request = {.address = line * 128};
        gpc_access_result result;
        cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
        cr_expect_eq(result.set, line % 32);
        cr_expect_eq(result.evicted, line >= 128, "the cache holds 128 lines");
    }
    gpc_cache_destroy(cache);
}

Test(options, null_arguments) {
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache = NULL;
    cr_expect_eq(gpc_cache_create(NULL, &o, &cache, &error), GPC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "context"), "%s", error.message);
    cr_expect_eq(gpc_cache_create(context, &o, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "out"), "%s", error.message);
    cr_expect_eq(gpc_cache_create(NULL, &o, &cache, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_null(cache);
    gpc_cache_destroy(NULL);
}

static void refused(const gpc_cache_options *o, gpc_status status, const char *field, const char *detail) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *mark = (gpc_cache *)(void *)&error, *cache = mark;
    gpc_status got = gpc_cache_create(context, o, &cache, &error);
    cr_expect_eq(got, status, "%s: %d, not %d", field, (int)got, (int)status);
    cr_expect_eq(error.status, status);
    cr_expect_eq(cache, mark, "%s: out was written", field);
    const char *at = strstr(error.message, field);
    cr_expect(at && (at[strlen(field)] == ':' || at[strlen(field)] == '\''), "'%s' does not name %s", error.message,
              field);
    cr_expect_not_null(strstr(error.message, detail), "'%s' does not say '%s'", error.message, detail);
    cr_expect_eq(gpc_cache_create(context, o, &cache, NULL), status);
}

#define REFUSED(status, field, value, detail)                     \
    do {                                                          \
        gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;             \
        o.field = value;                                          \
        refused(&o, status, "gpc_cache_options." #field, detail); \
    } while (0)

Test(options, out_of_range) {
    REFUSED(GPC_ERROR_RANGE, sets, 0, "0");
    REFUSED(GPC_ERROR_RANGE, sets, UINT64_MAX, "18446744073709551615");
    REFUSED(GPC_ERROR_RANGE, sets, (uint64_t)1 << 32, "4294967296");
    REFUSED(GPC_ERROR_RANGE, ways, 0, "0");
    REFUSED(GPC_ERROR_RANGE, ways, GPC_MAX_WAYS + 1, "1025");
    REFUSED(GPC_ERROR_RANGE, line_bytes, 0, "0");
    REFUSED(GPC_ERROR_RANGE, line_bytes, 4, "4");
    REFUSED(GPC_ERROR_RANGE, line_bytes, 96, "96");
    REFUSED(GPC_ERROR_RANGE, line_bytes, 8192, "8192");
    REFUSED(GPC_ERROR_RANGE, sectors, 3, "3");
    REFUSED(GPC_ERROR_RANGE, sectors, 16, "16");
    REFUSED(GPC_ERROR_RANGE, fetch_sectors, 2, "2");
    REFUSED(GPC_ERROR_RANGE, index, GPC_INDEX_COUNT, "6");
    REFUSED(GPC_ERROR_ARGUMENT, index_fn, NULL; o.index = GPC_INDEX_USER, "NULL");
    REFUSED(GPC_ERROR_RANGE, index, GPC_INDEX_FERMI; o.sets = 16, "16");
    REFUSED(GPC_ERROR_RANGE, index_bits, 5, "5 without GPC_INDEX_XOR");
    REFUSED(GPC_ERROR_RANGE, write_policy, GPC_WRITE_EVICT + 1, "3");
    REFUSED(GPC_ERROR_RANGE, write_policy_local, 77, "77");
    REFUSED(GPC_ERROR_RANGE, write_allocate, GPC_WRITE_NAIVE_FETCH + 1, "4");
    REFUSED(GPC_ERROR_RANGE, write_allocate_local, 88, "88");
    REFUSED(GPC_ERROR_RANGE, allocate, GPC_ALLOCATE_REPLACEABLE + 1, "4");
    REFUSED(GPC_ERROR_RANGE, lines, 129, "129");
    REFUSED(GPC_ERROR_RANGE, instance, 1, "1");
    REFUSED(GPC_ERROR_RANGE, instance, 4; o.instances = 4, "4");
}

/* Byte masks end at 128 bytes, and so do dependent options. */
Test(options, lazy_fetch_beyond_byte_masks) {
    REFUSED(GPC_ERROR_RANGE, write_allocate, GPC_WRITE_LAZY_FETCH; o.line_bytes = 256, "256");
    REFUSED(GPC_ERROR_RANGE, write_allocate_local, GPC_WRITE_LAZY_FETCH; o.line_bytes = 4096, "4096");
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    gpc_cache *cache;
    o.write_allocate = o.write_allocate_local = GPC_WRITE_LAZY_FETCH;
    cr_assert_eq(gpc_cache_create(context, &o, &cache, NULL), GPC_OK);
    gpc_cache_destroy(cache);
}

Test(options, groups_of_sectors) {
    static const struct {
        uint32_t sectors, fetch;
        bool good;
    } cases[] = {{0, 0, true},  {1, 1, true},  {0, 1, true},  {4, 4, true},  {8, 2, true},  {8, 8, true},
                 {4, 8, false}, {8, 3, false}, {2, 4, false}, {1, 2, false}, {8, 16, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
        gpc_cache *cache = NULL;
        o.sectors = cases[i].sectors;
        o.fetch_sectors = cases[i].fetch;
        if (!cases[i].good) {
            refused(&o, GPC_ERROR_RANGE, "gpc_cache_options.fetch_sectors", "");
            continue;
        }
        cr_expect_eq(gpc_cache_create(context, &o, &cache, NULL), GPC_OK, "%u of %u", cases[i].fetch, cases[i].sectors);
        gpc_cache_destroy(cache);
    }
}

Test(options, extremes) {
    static const struct {
        uint64_t sets;
        uint32_t ways, line_bytes, sectors;
    } cases[] = {{1, 1, 8, 8}, {1, 1024, 128, 4}, {3, 1, 4096, 8}, {100003, 1, 8, 0}, {1, 1, 4096, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
        gpc_cache *cache = NULL;
        o.sets = cases[i].sets, o.ways = cases[i].ways, o.line_bytes = cases[i].line_bytes,
        o.sectors = cases[i].sectors;
        cr_expect_eq(gpc_cache_create(context, &o, &cache, NULL), GPC_OK, "case %zu", i);
        gpc_request request = {.address = UINT64_MAX};
        gpc_access_result first, second;
        cr_expect_eq(gpc_cache_access(cache, &request, &first, NULL), GPC_OK);
        cr_expect_eq(gpc_cache_access(cache, &request, &second, NULL), GPC_OK);
        cr_expect(first.outcome == GPC_MISS && second.outcome == GPC_HIT, "the last byte of memory");
        cr_expect_eq(first.set, UINT64_MAX / o.line_bytes % o.sets);
        gpc_cache_destroy(cache);
    }
}

Test(options, struct_size) {
    struct {
        gpc_cache_options known;
        unsigned char later[16];
    } big = {.known = GPC_CACHE_OPTIONS_INIT};
    gpc_cache *cache = NULL;
    gpc_error error = GPC_ERROR_INIT;
    big.known.struct_size = sizeof big;
    cr_assert_eq(gpc_cache_create(context, &big.known, &cache, &error), GPC_OK, "a newer caller that uses nothing new");
    gpc_cache_destroy(cache);
    cache = NULL;
    big.later[15] = 1;
    cr_expect_eq(gpc_cache_create(context, &big.known, &cache, &error), GPC_ERROR_ABI);
    cr_expect_not_null(strstr(error.message, "gpc_cache_options"), "%s", error.message);
    const size_t first = offsetof(gpc_cache_options, tells); /* size in version 0.1 */
    const size_t small[] = {0, 1, sizeof(size_t), first - 1};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        big.known.struct_size = small[i];
        cr_expect_eq(gpc_cache_create(context, &big.known, &cache, &error), GPC_ERROR_ABI, "%zu bytes", small[i]);
        cr_expect_not_null(strstr(error.message, "struct_size"), "%s", error.message);
    }
    cr_expect_null(cache);
    big.known.struct_size = first;
    big.known.tells = UINT64_MAX; /* beyond the size, and not read */
    cr_expect_eq(gpc_cache_create(context, &big.known, &cache, &error), GPC_OK);
    gpc_cache_destroy(cache);
}

Test(options, policies_by_name) {
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    o.replacement = "lruu";
    refused(&o, GPC_ERROR_NOT_FOUND, "lruu", "'lru'");
    o.replacement = "lru";
    o.predictor = "hints";
    refused(&o, GPC_ERROR_NOT_FOUND, "hints", "'hint'");
    o.predictor = "hint(strict=1)";
    gpc_cache *cache = NULL;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_lt(gpc_cache_create(context, &o, &cache, &error), 0);
    cr_expect_not_null(strstr(error.message, "hint"), "%s", error.message);
    cr_expect_null(cache);
}

/* Texts belong to the caller. */
Test(options, strings_are_copied) {
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    char *replacement = malloc(8), *predictor = malloc(8);
    gpc_cache *cache;
    o.sets = 1;
    o.ways = 2;
    o.replacement = strcpy(replacement, "fifo");
    o.predictor = strcpy(predictor, "hint");
    cr_assert_eq(gpc_cache_create(context, &o, &cache, NULL), GPC_OK);
    memset(replacement, 'x', 8);
    memset(predictor, 'x', 8);
    free(replacement);
    free(predictor);
    static const uint64_t lines[] = {0, 1, 0, 2, 1};
    static const gpc_outcome outcomes[] = {GPC_MISS, GPC_MISS, GPC_HIT, GPC_MISS,
                                           GPC_HIT}; /* 2 replaces 0, the first in */
    for (size_t i = 0; i < 5; i++) {
        gpc_request request = {.address = lines[i] * 128};
        gpc_access_result result;
        cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
        cr_expect_eq(result.outcome, outcomes[i], "access %zu", i);
    }
    gpc_cache_destroy(cache);
}

static gpc_status no_init(void *self, const gpc_policy_env *env, char *message) {
    (void)self;
    (void)env;
    strcpy(message, "only on Tuesdays");
    return GPC_ERROR_UNSUPPORTED;
}

static uint32_t way_zero(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

Test(options, a_policy_may_refuse) {
    gpc_replacement_ops ops = {.struct_size = sizeof ops, .name = "moody", .init = no_init, .choose_victim = way_zero};
    cr_assert_eq(gpc_context_register_replacement(context, &ops, NULL, NULL, NULL), GPC_OK);
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    o.replacement = "moody";
    refused(&o, GPC_ERROR_UNSUPPORTED, "moody", "only on Tuesdays");
}

/* A cache keeps the context alive. */
Test(options, outlives_the_callers_hold) {
    gpc_context *own;
    gpc_cache *cache;
    cr_assert_eq(gpc_context_create(NULL, &own, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_create(own, NULL, &cache, NULL), GPC_OK);
    gpc_context_destroy(own);
    gpc_request request = {.address = 4096};
    cr_expect_eq(gpc_cache_access(cache, &request, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_cache_set_replacement(cache, "fifo", NULL), GPC_OK);
    gpc_cache_destroy(cache);
}
