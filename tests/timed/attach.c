/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>

/* Hosts with L1s in front, with memory behind, or both. */

static rig r;

static gpc_status try_miss(rig *host, gpc_request request, gpc_busy *busy) {
    gpc_status status = gpc_hierarchy_try_miss(host->hierarchy, &request, host->issued, busy, NULL);
    host->issued += status == GPC_OK;
    return status;
}

static uint64_t miss_latency(rig *host, gpc_request request) {
    gpc_busy busy;
    cr_assert_eq(try_miss(host, request, &busy), GPC_OK);
    cr_expect_eq(busy, GPC_BUSY_NOT);
    uint64_t token = host->issued - 1;
    rig_wait(host, token);
    rig_finish(host);
    cr_expect_eq(host->done[token].times, 1);
    cr_expect_eq(host->done[token].kind, request.kind);
    return host->done[token].cycle - host->done[token].issued;
}

#define MISS(...) ((gpc_request){__VA_ARGS__})

Test(timed_attach, in_front) {
    rig_open(&r, NULL, 200);
    uint64_t dram = miss_latency(&r, MISS(.address = 0));
    uint64_t l2 = miss_latency(&r, MISS(.address = 0));
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_eq(r.done[1].level, 2);
    cr_expect_geq(dram, 200 + 20);
    cr_expect_leq(l2 + 200, dram + 1, "%u and %u", (unsigned)l2, (unsigned)dram);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.accepted, 2);
    cr_expect_eq(s.l1_load_lines + s.l1_load_sector_hits, 0, "L1 is the host's");
    cr_expect_eq(s.l2_read_sectors, 8);
    cr_expect_eq(s.network_reply_bytes, 2 * 136);
    gpc_line line;
    uint64_t cursor = 0;
    cr_expect_eq(gpc_cache_next_line(gpc_hierarchy_cache(r.hierarchy, 1, 0), &cursor, &line, NULL), GPC_END);
    rig_close(&r);
}

Test(timed_attach, segments_and_kinds) {
    rig_open(&r, NULL, 100);
    miss_latency(&r, MISS(.address = 0, .sector_mask = 0x5));
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l2_read_sectors, 2);
    cr_expect_eq(s.network_reply_bytes, 8 + 64);
    gpc_hierarchy_reset_stats(r.hierarchy);
    miss_latency(&r, MISS(.address = 4096, .kind = GPC_STORE));
    s = rig_stats(&r);
    cr_expect_eq(s.l2_write_sectors, 4);
    cr_expect_eq(s.network_request_bytes, 8 + 128);
    cr_expect_eq(s.dram_read_sectors, 0);
    gpc_hierarchy_reset_stats(r.hierarchy);
    miss_latency(&r, MISS(.address = 8192, .kind = GPC_STORE, .sector_mask = 1, .byte_mask = {0xf}));
    s = rig_stats(&r);
    cr_expect_eq(s.l2_write_sectors, 1);
    cr_expect_eq(s.dram_read_sectors, 1, "four bytes of a sector: L2 fetches the rest");
    gpc_hierarchy_reset_stats(r.hierarchy);
    miss_latency(&r, MISS(.address = 0, .kind = GPC_ATOMIC, .sector_mask = 2));
    miss_latency(&r, MISS(.address = 0, .kind = GPC_REDUCTION, .sector_mask = 1));
    miss_latency(&r, MISS(.address = 16384, .kind = GPC_PREFETCH));
    s = rig_stats(&r);
    cr_expect_eq(s.l2_atomic_sectors, 2);
    cr_expect_eq(s.l2_atomic_sector_hits, 1);
    rig_close(&r);
}

static struct { uint32_t asked, fetched; /* fills of L2's slices for loads of some bytes, and for fetches */ } seen;

static void see(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    *(request->byte_mask[0] | request->byte_mask[1] ? &seen.asked : &seen.fetched) += 1;
}

static uint32_t lowest(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

/* A host's load of four bytes of the other half's line: the own half's slice asks for sectors, not for the bytes. */
Test(timed_attach, fetches_of_the_other_half) {
    static const gpc_replacement_ops seeing = {
        .struct_size = sizeof seeing, .name = "seeing", .on_fill = see, .choose_victim = lowest};
    gpc_error error = GPC_ERROR_INIT;
    rig_open(&r, NULL, 100);
    cr_assert_eq(gpc_context_register_replacement(r.context, &seeing, NULL, NULL, &error), GPC_OK);
    rig_reopen(&r, "l2.slices = 2\nl2.partitions = 2\nl2.replacement = seeing\n", 100);
    for (uint64_t page = 0; page < 16; page++)
        miss_latency(&r, MISS(.address = page * 4096, .sector_mask = 1, .byte_mask = {0xf}));
    const measured_stats s = rig_stats(&r);
    cr_expect(s.l2_remote_sectors > 0 && s.l2_remote_sectors < 16);
    cr_expect_eq(seen.asked, 16);
    cr_expect_eq(seen.fetched, s.l2_remote_sectors, "%u, %u", seen.fetched, (unsigned)s.l2_remote_sectors);
    rig_close(&r);
}

/* A host's L1 and the library's, in parallel: the SM's port is shared. */
Test(timed_attach, beside_the_own_l1) {
    rig_open(&r, "sm.count = 2\n", 100);
    for (uint64_t i = 0; i < 50; i++) {
        rig_issue(&r, LINE(GPC_LOAD, i * 128));
        cr_assert_eq(try_miss(&r, MISS(.address = i * 128, .sm = 1), NULL), GPC_OK);
        rig_step(&r);
    }
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.network_requests, 100);
    cr_expect_eq(s.dram_read_sectors, 50 * 4, "the second to ask finds or shares what the first one fetches");
    rig_close(&r);
}

/* Back-pressure reaches the host's L1, with a reason and a call at the end. */
Test(timed_attach, refusals_in_front) {
    rig_open(&r,
             "l1.miss_queue = 2\nnetwork.input_buffer = 2\nnetwork.output_buffer = 2\nl2.queue = 2\n"
             "l2.miss_queue = 2\n",
             100);
    r.memory.refuse = true;
    gpc_busy busy = GPC_BUSY_NOT;
    while (busy == GPC_BUSY_NOT)
        try_miss(&r, MISS(.address = r.issued * 128), &busy);
    cr_expect_eq(busy, GPC_BUSY_MISS_QUEUE, "%d: the network has refused nothing yet", (int)busy);
    for (unsigned i = 0; i < 100; i++) {
        rig_step(&r);
        try_miss(&r, MISS(.address = r.issued * 128), &busy);
    }
    cr_expect_lt(r.issued, 12);
    cr_expect_eq(busy, GPC_BUSY_NETWORK, "%d", (int)busy);
    uint64_t accepted = r.issued;
    uint64_t ready = r.ready;
    rig_steps(&r, 500);
    cr_expect_eq(r.ready, ready, "nothing moves");
    rig_release(&r);
    while (r.ready == ready && rig_now(&r) < 10000)
        rig_step(&r);
    cr_expect_eq(try_miss(&r, MISS(.address = 1 << 20), NULL), GPC_OK);
    cr_expect_eq(r.issued, accepted + 1);
    rig_close(&r);
}

/* Memory that answers out of order, late, and accepts few at once: every load waits for the right data. */
Test(timed_attach, behind) {
    rig_open(&r, NULL, 100);
    r.memory.order = RIG_BACKWARDS;
    r.memory.room = 3;
    for (uint64_t i = 0; i < 40; i++)
        rig_issue(&r, LINE(GPC_LOAD, i * 128));
    rig_finish(&r);
    cr_expect_gt(r.memory.refusals, 0);
    cr_expect_eq(r.memory.read_bytes, 40 * 128);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.dram_read_sectors, 160);
    /* three at a time, a hundred cycles each */
    cr_expect_geq(rig_now(&r), 1300);
    rig_close(&r);
}

/* Later reads first: the second load completes a thousand cycles before the first. */
Test(timed_attach, replies_in_another_order) {
    rig_open(&r, NULL, 1 << 30);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_issue(&r, LINE(GPC_LOAD, 128));
    rig_steps(&r, 200);
    cr_assert_eq(r.memory.count, 2);
    r.memory.reads[1].due = rig_now(&r) + 1;
    r.memory.reads[0].due = rig_now(&r) + 1001;
    rig_finish(&r);
    cr_expect_eq(r.done[0].cycle, r.done[1].cycle + 1000);
    rig_close(&r);
}

Test(timed_attach, replies_that_nobody_waits_for) {
    rig_open(&r, NULL, 1 << 30);
    cr_expect_eq(gpc_hierarchy_memory_reply(r.hierarchy, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_memory_reply(r.hierarchy, UINT64_MAX, NULL), GPC_ERROR_ARGUMENT);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 200);
    uint64_t id = r.memory.reads[0].id;
    cr_expect_eq(gpc_hierarchy_memory_reply(r.hierarchy, id + 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_memory_reply(r.hierarchy, id, NULL), GPC_OK);
    cr_expect_eq(gpc_hierarchy_memory_reply(r.hierarchy, id, NULL), GPC_ERROR_ARGUMENT, "once");
    r.memory.count = 0;
    rig_finish(&r);
    cr_expect_eq(gpc_hierarchy_memory_reply(r.hierarchy, id, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_memory_ready(r.hierarchy, 0, NULL), GPC_OK, "a word to a channel that waits for none");
    cr_expect_eq(gpc_hierarchy_memory_ready(r.hierarchy, 1, NULL), GPC_ERROR_ARGUMENT, "there is one channel");
    rig_close(&r);
}

/* At both sides: the library is only the network and L2. */
Test(timed_attach, in_front_and_behind) {
    rig_open(&r, "sm.count = 4\nl2.slices = 3\nl2.size = 192KiB\nl2.ways = 4\ndram.channels = 3\nl1.miss_queue = 2\n",
             150);
    r.memory.order = RIG_BACKWARDS;
    r.memory.room = 6;
    uint64_t state = 5;
    for (unsigned i = 0; i < 3000; i++) {
        static const uint8_t kinds[] = {GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_ATOMIC, GPC_REDUCTION, GPC_PREFETCH};
        try_miss(&r,
                 MISS(.address = rig_below(&state, 8192) * 128ull, .sm = rig_below(&state, 4),
                      .kind = kinds[rig_below(&state, 6)], .sector_mask = (uint8_t)(1 + rig_below(&state, 15))),
                 NULL);
        if (rig_below(&state, 2))
            rig_step(&r);
    }
    cr_expect_gt(r.issued, 500);
    rig_close(&r);
}
