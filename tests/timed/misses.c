/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Requests of gpc_hierarchy_try_miss: bytes, spaces; and reasons of refusals. */

static rig r;

static void miss(gpc_request request) {
    gpc_busy busy;
    cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, r.issued, &busy, NULL), GPC_OK);
    rig_wait(&r, r.issued++);
    rig_finish(&r);
}

#define EXPECT_SECTORS(field, n, ...)                                                      \
    do {                                                                                   \
        gpc_hierarchy_reset_stats(r.hierarchy);                                            \
        miss((gpc_request){__VA_ARGS__});                                                  \
        cr_expect_eq(rig_stats(&r).field, n, "%u sectors", (unsigned)rig_stats(&r).field); \
    } while (0)

Test(timed_misses, sizes) {
    rig_open(&r, NULL, 50);
    EXPECT_SECTORS(l2_read_sectors, 4, .address = 4096);
    EXPECT_SECTORS(l2_read_sectors, 1, .address = 4096 + 64, .size = 32);
    EXPECT_SECTORS(l2_read_sectors, 1, .address = 4096 + 127, .size = 1);
    EXPECT_SECTORS(l2_read_sectors, 2, .address = 4096 + 31, .size = 2);
    EXPECT_SECTORS(l2_read_sectors, 4, .address = 4096, .size = 128);
    EXPECT_SECTORS(l2_read_sectors, 3, .address = 4096 + 64, .size = 32, .sector_mask = 7);
    EXPECT_SECTORS(l2_atomic_sectors, 1, .address = 4096 + 40, .size = 4, .kind = GPC_ATOMIC);
    EXPECT_SECTORS(l2_write_sectors, 4, .address = 8192, .kind = GPC_STORE);
    EXPECT_SECTORS(l2_write_sectors, 1, .address = 12288 + 8, .size = 4, .kind = GPC_STORE);
    EXPECT_SECTORS(dram_read_sectors, 1, .address = 16384 + 8, .size = 4, .kind = GPC_STORE);
    EXPECT_SECTORS(dram_read_sectors, 0, .address = 20480 + 32, .size = 32, .kind = GPC_STORE);
    EXPECT_SECTORS(l2_write_sectors, 2, .address = 24576 + 30, .size = 4, .kind = GPC_STORE);
    EXPECT_SECTORS(l2_write_sectors, 1, .address = 28672, .size = 64, .byte_mask = {0xff}, .kind = GPC_STORE);
    EXPECT_SECTORS(network_request_bytes, 8 + 32, .address = 8, .size = 4, .kind = GPC_STORE);
    EXPECT_SECTORS(network_reply_bytes, 8 + 32, .address = 64, .size = 32);
    rig_close(&r);
}

/* The bytes of a store are as in a cache with the same request, with any of mask, size, bytes. */
Test(timed_misses, as_a_cache_has_it) {
    rig_open(&r, NULL, 20);
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sectors = 4;
    options.write_policy = GPC_WRITE_EVICT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    cr_assert_eq(gpc_cache_create(r.context, &options, &cache, &error), GPC_OK);
    uint64_t state = 3;
    unsigned refused = 0;
    for (unsigned i = 0; i < 2000; i++) {
        gpc_request request = {.address = i * 4096ull + rig_below(&state, 128),
                               .kind = rig_below(&state, 2) ? GPC_STORE : GPC_LOAD,
                               .sector_mask = rig_below(&state, 3) ? 0 : (uint8_t)rig_below(&state, 20),
                               .size = rig_below(&state, 2) ? 0 : rig_below(&state, 140)};
        if (request.kind == GPC_STORE && rig_below(&state, 2))
            request.byte_mask[rig_below(&state, 2)] = rig_random(&state) << rig_below(&state, 64);
        gpc_access_result want;
        const gpc_status status = gpc_cache_access(cache, &request, &want, NULL);
        const bool nothing =
            request.kind == GPC_STORE && status == GPC_OK && !(want.write_bytes[0] | want.write_bytes[1]);
        const gpc_status checked = gpc_hierarchy_try_miss(r.hierarchy, &request, r.issued, NULL, &error);
        cr_assert_eq(checked, nothing ? GPC_ERROR_ARGUMENT : status, "%u: %s", i, error.message);
        refused += checked < 0;
        if (checked < 0)
            continue;
        gpc_hierarchy_reset_stats(r.hierarchy);
        rig_wait(&r, r.issued++);
        rig_finish(&r);
        const measured_stats s = rig_stats(&r);
        unsigned sectors = 0;
        for (unsigned n = 0; n < 4; n++)
            sectors += request.kind == GPC_LOAD ? want.needed_sectors >> n & 1
                                                : (want.write_bytes[n / 2] >> n % 2 * 32 & UINT32_MAX) != 0;
        cr_assert_eq(request.kind == GPC_LOAD ? s.l2_read_sectors : s.l2_write_sectors, sectors, "%u", i);
    }
    cr_expect(refused > 100 && refused < 1500, "%u", refused);
    gpc_cache_destroy(cache);
    rig_close(&r);
}

static uint64_t counter(const char *name, gpc_object kind) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    uint64_t value;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name, &info, NULL), GPC_OK, "%s", name);
    cr_assert_eq(gpc_hierarchy_read(r.hierarchy, kind, 0, &info.id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

/* Counted by space, and also as reads of L2; policies see the space. */
Test(timed_misses, spaces) {
    static const struct {
        gpc_space space;
        const char *reads, *hits;
    } kinds[] = {
        {GPC_SPACE_CONSTANT, "l2.constant_read_sectors", "l2.constant_read_sector_hits"},
        {GPC_SPACE_TEXTURE, "l2.texture_read_sectors", "l2.texture_read_sector_hits"},
        {GPC_SPACE_INSTRUCTION, "l2.instruction_read_sectors", "l2.instruction_read_sector_hits"},
    };
    for (size_t k = 0; k < 3; k++) {
        rig_open(&r, NULL, 50);
        for (size_t i = 0; i < 3; i++)
            cr_expect_eq(counter(kinds[i].reads, GPC_OBJECT_WHOLE), GPC_ABSENT, "nobody has given L2 a miss");
        miss((gpc_request){.address = 4096, .space = (uint8_t)kinds[k].space});
        miss((gpc_request){.address = 4096, .space = (uint8_t)kinds[k].space, .size = 32});
        miss((gpc_request){.address = 8192, .space = (uint8_t)kinds[k].space, .kind = GPC_PREFETCH, .size = 64});
        miss((gpc_request){.address = 4096});
        for (size_t i = 0; i < 3; i++) {
            cr_expect_eq(counter(kinds[i].reads, GPC_OBJECT_WHOLE), i == k ? 4 + 1 + 2 : 0);
            cr_expect_eq(counter(kinds[i].hits, GPC_OBJECT_WHOLE), i == k ? 1 : 0);
            cr_expect_eq(counter(kinds[i].reads, GPC_OBJECT_SLICE), i == k ? 4 + 1 + 2 : 0);
        }
        cr_expect_eq(counter("l2.read_sectors", GPC_OBJECT_WHOLE), 4 + 1 + 2 + 4);
        cr_expect_eq(counter("l2.read_sector_hits", GPC_OBJECT_WHOLE), 1 + 4, "a later load finds what they brought");
        rig_close(&r);
    }
}

#define REFUSED(why, ...)                                                                                  \
    do {                                                                                                   \
        const gpc_request request = {__VA_ARGS__};                                                         \
        gpc_error reason = GPC_ERROR_INIT;                                                                 \
        cr_expect_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, 0, NULL, &reason), GPC_ERROR_ARGUMENT); \
        cr_expect(strstr(reason.message, why) && strstr(reason.message, "gpc_request: "), "%s: %s", why,   \
                  reason.message);                                                                         \
    } while (0)

Test(timed_misses, refused) {
    rig_open(&r, NULL, 50);
    REFUSED("sm is not below sm.count", .sm = 1);
    REFUSED("kind is out of range", .kind = GPC_KIND_COUNT);
    REFUSED("space is out of range", .space = GPC_SPACE_COUNT);
    REFUSED("none that L2 has", .space = GPC_SPACE_SHARED);
    REFUSED("none that L2 has", .space = GPC_SPACE_NONE);
    REFUSED("only read", .space = GPC_SPACE_CONSTANT, .kind = GPC_STORE);
    REFUSED("only read", .space = GPC_SPACE_INSTRUCTION, .kind = GPC_ATOMIC);
    REFUSED("hint, priority", .hint = GPC_HINT_COUNT);
    REFUSED("hint, priority", .priority = GPC_PRIORITY_COUNT);
    REFUSED("reserved", .reserved = {[31] = 1});
    REFUSED("unused", .unused = 1);
    REFUSED("token", .policy.token_l2 = GPC_TOKEN_COUNT);
    REFUSED("copy is BULK", .copy = GPC_COPY_BULK);
    REFUSED("copy is neither", .copy = GPC_COPY_WAIT);
    REFUSED("size goes beyond", .address = 4096 + 100, .size = 29);
    REFUSED("sector_mask has sectors", .sector_mask = 0x10);
    REFUSED("no byte in common", .kind = GPC_STORE, .sector_mask = 1, .byte_mask = {0, 1});
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
    const gpc_request good = {.address = 4096};
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_try_miss(NULL, &good, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_try_miss(r.hierarchy, NULL, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    miss(good); /* the hierarchy continues */
    rig_close(&r);
    rig_open(&r, "l1.line = 64B\nl1.sectors = 2\n", 50);
    REFUSED("byte_mask has bytes beyond", .kind = GPC_STORE, .byte_mask = {0, 1});
    rig_close(&r);
}

static void make(const char *settings, gpc_context **context, gpc_config **config, gpc_hierarchy **h) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(*context, config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(*config, settings, "settings", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(*context, *config, h, &error), GPC_OK, "%s", error.message);
}

static uint32_t impossible(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 99;
}

/* Messages beyond a status. */
Test(timed_misses, said_in_words) {
    static const struct {
        const char *settings, *why;
        gpc_status miss, advance;
    } rows[] = {
        {"mode = functional\n", "functional", GPC_ERROR_STATE, GPC_ERROR_STATE},
        {"mode = timed\nl1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n"
         "l1.write_allocate_local = none\ncoherence.data = true\n",
         "carries no values", GPC_ERROR_UNSUPPORTED, GPC_OK},
        {"mode = timed\ncoherence = mesi\nl1.write_policy = back\nl1.write_policy_local = back\n"
         "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl1.sectors = 1\nl2.sectors = 1\n",
         "coherent modules", GPC_ERROR_UNSUPPORTED, GPC_OK},
    };
    const gpc_request good = {.address = 0};
    gpc_error error = GPC_ERROR_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_context *context;
        gpc_config *config;
        gpc_hierarchy *h;
        make(rows[i].settings, &context, &config, &h);
        cr_expect_eq(gpc_hierarchy_try_miss(h, &good, 0, NULL, &error), rows[i].miss, "%s", rows[i].settings);
        cr_expect(strstr(error.message, rows[i].why), "%s: %s", rows[i].why, error.message);
        cr_expect_eq(gpc_hierarchy_advance(h, 1, &error), rows[i].advance);
        gpc_hierarchy_destroy(h);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
    }
    cr_expect_eq(gpc_hierarchy_advance(NULL, 1, &error), GPC_ERROR_ARGUMENT);
    rig_open(&r, NULL, 50);
    cr_expect_eq(gpc_hierarchy_advance(r.hierarchy, UINT64_MAX, NULL), GPC_OK, "up to the last cycle; nothing is due");
    cr_expect_eq(gpc_hierarchy_now(r.hierarchy), UINT64_MAX);
    cr_expect_eq(rig_stats(&r).dram_reads, 0, "counters can be read there");
    rig_reopen(&r, "", 50);
    rig_step(&r);
    cr_expect_eq(gpc_hierarchy_advance(r.hierarchy, UINT64_MAX, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "cycles"), "%s", error.message);
    const gpc_replacement_ops ops = {.struct_size = sizeof ops, .name = "impossible", .choose_victim = impossible};
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &error), GPC_OK);
    rig_reopen(&r, "l1.replacement = impossible\n", 50);
    for (unsigned i = 0; i < 4; i++)
        rig_latency(&r, WORD(GPC_LOAD, i * 4096));
    rig_issue(&r, WORD(GPC_LOAD, 4 * 4096));
    while (gpc_hierarchy_advance(r.hierarchy, 1, NULL) == GPC_OK)
        cr_assert_lt(rig_now(&r), 1000);
    cr_expect_eq(gpc_hierarchy_advance(r.hierarchy, 1, &error), GPC_ERROR_CALLBACK);
    cr_expect(strstr(error.message, "impossible victim"), "%s", error.message);
    rig_abandon(&r);
}
