/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "record/host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A replay of a host's accesses has the counts of the host's hierarchy. */

static void check(const char *settings, unsigned what) {
    host h;
    measured_stats replayed;
    host_open(&h, settings);
    host_record(&h);
    host_drive(&h, 1, what);
    const measured_stats hosted = host_stats(h.hierarchy);
    host_end(&h);
    gpc_status status = host_replay(&h, "warps.order = recorded\n", &replayed);
    cr_assert_eq(status, GPC_OK, "%s: %s", settings, h.error.message);
    host_expect_same(&hosted, &replayed);
    cr_expect_gt(hosted.l1_load_sector_hits, 0);
    cr_expect_gt(hosted.l2_read_sector_hits, 0);
    host_close(&h);
}

Test(record_repeats, lru) {
    check("", HOST_EVENTS | HOST_FENCES | HOST_ORDERS);
}

Test(record_repeats, every_replacement) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *names;
    unsigned checked = 0;
    cr_assert_eq(gpc_context_create(NULL, &names, &error), GPC_OK);
    for (size_t i = 0; i < gpc_policy_count(names, GPC_POLICY_REPLACEMENT); i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        char settings[160];
        cr_assert_eq(gpc_policy_at(names, GPC_POLICY_REPLACEMENT, i, &info, NULL), GPC_OK);
        if (!strncmp(info.name, "opt", 3)) /* know the future, unlike a host */
            continue;
        snprintf(settings, sizeof settings, "l1.replacement = %s\nl2.replacement = %s\n", info.name, info.name);
        check(settings, HOST_EVENTS);
        checked++;
    }
    gpc_context_destroy(names);
    cr_expect_gt(checked, 20);
}

Test(record_repeats, tokens) {
    check("l1.tokens = strict\nl2.tokens = strict\n", HOST_TOKENS);
    check("l1.bypass = agcb\n", HOST_EVENTS);
}

Test(record_repeats, write_back) {
    check("l1.write_policy = back\nl1.write_allocate = fetch\nkernels.flush = all\n", HOST_FENCES);
}

Test(record_repeats, coherence) {
    check("coherence = viper\n", HOST_FENCES | HOST_ORDERS);
    check("l1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n"
          "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\n"
          "l2.interleave_bytes = 128\ncoherence = mesi\nl1.track_reuse = false\nl1.track_warps = false\n",
          0);
}

/* Ages ranked by the library are those of the file. */
Test(record_repeats, ranked) {
    host h;
    measured_stats replayed;
    host_open(&h, "l1.replacement = age-lru\n");
    cr_assert_eq(gpc_hierarchy_rank_warps(h.hierarchy, true, &h.error), GPC_OK);
    host_record(&h);
    for (uint32_t slot = 0; slot < 8; slot++) {
        const gpc_warp_event event = {.kind = GPC_WARP_START, .warp = 7 - slot};
        cr_assert_eq(gpc_hierarchy_warp_event(h.hierarchy, &event, NULL), GPC_OK);
    }
    for (uint32_t n = 0; n < 4000; n++)
        host_load(&h, 0, 0, n % 8, n * 7 % 500 * 128);
    const measured_stats hosted = host_stats(h.hierarchy);
    host_end(&h);
    cr_assert_eq(host_replay(&h, "warps.order = recorded\n", &replayed), GPC_OK, "%s", h.error.message);
    host_expect_same(&hosted, &replayed);
    host_close(&h);
}

/* In another order the same accesses find other lines: the order is recorded, and kept. */
Test(record_repeats, order_matters) {
    host h;
    measured_stats recorded, turns;
    host_open(&h, "");
    host_record(&h);
    host_drive(&h, 3, 0);
    host_end(&h);
    cr_assert_eq(host_replay(&h, "warps.order = recorded\n", &recorded), GPC_OK, "%s", h.error.message);
    cr_assert_eq(host_replay(&h, "", &turns), GPC_OK, "%s", h.error.message);
    cr_expect_eq(recorded.l1_load_requests, turns.l1_load_requests);
    cr_expect_eq(recorded.l1_load_sectors, turns.l1_load_sectors);
    cr_expect_eq(recorded.l1_store_sectors, turns.l1_store_sectors);
    cr_expect_neq(recorded.l1_load_sector_hits, turns.l1_load_sector_hits);
    host_close(&h);
}

static uint64_t instructions_of(const gpc_replay *replay, gpc_object kind, uint32_t index) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    uint64_t value;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "warp_instructions", &info, NULL), GPC_OK);
    cr_assert_eq(gpc_replay_read(replay, kind, index, &info.id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

/* The host told instructions without an SM: an SM's instructions are unknown. */
Test(record_repeats, instructions_of_no_sm) {
    host h;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_config *config;
    measured_stats stats;
    host_open(&h, "");
    host_record(&h);
    host_drive(&h, 9, 0);
    host_end(&h);
    cr_assert_eq(gpc_config_copy(h.config, &config, &h.error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "warps.order", "recorded", &h.error), GPC_OK);
    cr_assert_eq(gpc_replay_create(h.context, config, &replay, &h.error), GPC_OK, "%s", h.error.message);
    cr_assert_eq(gpc_replay_keep_objects(replay, true, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_open(h.context, h.path, &trace, &h.error), GPC_OK, "%s", h.error.message);
    measured_clear(&stats);
    cr_assert_eq(measure_kernel(replay, trace, NULL, &stats, &h.error), GPC_OK, "%s", h.error.message);
    cr_expect_eq(stats.warp_instructions, 1500 + 700);
    cr_expect_eq(instructions_of(replay, GPC_OBJECT_WHOLE, 0), 1500 + 700);
    for (uint32_t sm = 0; sm < 4; sm++)
        cr_expect_eq(instructions_of(replay, GPC_OBJECT_SM, sm), GPC_ABSENT, "SM %u", sm);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    host_close(&h);
}

/* Accesses in batches equal single accesses. */
Test(record_repeats, batches) {
    enum { COUNT = 200 };
    static uint64_t addresses[COUNT][32], masks[COUNT];
    static uint32_t sms[COUNT], warps[COUNT];
    host h;
    measured_stats replayed;
    host_open(&h, "");
    for (size_t n = 0; n < COUNT; n++) {
        masks[n] = n % 3 ? 0xffff0f : 0xffffffff;
        sms[n] = n % 4;
        warps[n] = n % 5;
        for (size_t lane = 0; lane < 32; lane++)
            addresses[n][lane] = n * 7 % 64 * 128 + lane * 4;
    }
    gpc_access_batch batch = GPC_ACCESS_BATCH_INIT;
    batch.count = COUNT;
    batch.addresses = &addresses[0][0];
    batch.masks = masks;
    batch.sms = sms;
    batch.warps = warps;
    host_record(&h);
    cr_assert_eq(gpc_hierarchy_access_many(h.hierarchy, &batch, NULL, NULL), GPC_OK);
    const measured_stats hosted = host_stats(h.hierarchy);
    host_end(&h);
    cr_assert_eq(host_replay(&h, "warps.order = recorded\n", &replayed), GPC_OK, "%s", h.error.message);
    host_expect_same(&hosted, &replayed);
    cr_expect_eq(replayed.warp_instructions, COUNT);
    host_close(&h);
}

/* With a clock the file has the accepted accesses; hits are decided by the replay. */
Test(record_repeats, timed) {
    host h;
    measured_stats replayed, again;
    host_open(&h, "mode = timed\n");
    host_record(&h);
    host_drive(&h, 5, HOST_FENCES);
    const measured_stats hosted = host_stats(h.hierarchy);
    host_end(&h);
    gpc_status status = host_replay(&h, "mode = functional\nwarps.order = recorded\n", &replayed);
    cr_assert_eq(status, GPC_OK, "%s", h.error.message);
#define SAME(field) cr_expect_eq(hosted.field, replayed.field, #field)
    SAME(warp_instructions);
    SAME(thread_instructions);
    SAME(blocks);
    SAME(kernels);
    SAME(l1_load_requests);
    SAME(l1_store_requests);
    SAME(l1_load_sectors);
    SAME(l1_store_sectors);
    cr_expect(!memcmp(hosted.l1_transactions_per_load, replayed.l1_transactions_per_load,
                      sizeof hosted.l1_transactions_per_load));
#undef SAME
    cr_assert_eq(host_replay(&h, "", &again), GPC_OK, "a replay with a clock: %s", h.error.message);
    cr_expect_eq(again.l1_load_requests, hosted.l1_load_requests);
    cr_expect_eq(again.l1_store_sectors, hosted.l1_store_sectors);
    cr_expect_gt(again.cycles, 0);
    host_close(&h);
}
