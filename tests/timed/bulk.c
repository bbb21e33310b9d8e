/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Bulk copies of a host. In the rig: a request crosses in 6 cycles, L2 hits after 20, memory is the host's, replies
 * cross in 6. A load past L1 measures the time of a line.
 */

#define LATENCY 100u

/* Rows of `width` bytes, `stride` apart. */
static shot rows(gpc_kind kind, uint64_t address, uint32_t count, uint32_t width, uint64_t stride) {
    return (shot){.address = address,
                  .stride = stride,
                  .lanes = count,
                  .width = width,
                  .kind = (uint8_t)kind,
                  .copy = GPC_COPY_BULK};
}

/* One line from memory: as a load with hint CG, passed by L1's tags in the cycle after the issue, like the engine. */
Test(bulk, a_line_takes_what_a_load_past_l1_does) {
    rig r;
    rig_open(&r, "l1.bypass = hint\n", LATENCY);
    const uint64_t load = rig_latency(&r, LINE(GPC_LOAD, 0x10000, .hint = GPC_HINT_CG));
    const uint64_t copy = rig_latency(&r, rows(GPC_LOAD, 0x20000, 1, 128, 0));
    cr_expect_eq(copy, load, "%llu, %llu", (unsigned long long)copy, (unsigned long long)load);
    const measured_stats s = rig_stats(&r);
    cr_expect(s.bulk_copies == 1 && s.bulk_requests == 1 && s.bulk_bytes == 128 && s.bulk_read_sectors == 4);
    cr_expect(s.bulk_completed == 1 && s.bulk_cycles == copy && s.bulk_stalls == 0);
    cr_expect_eq(s.l1_load_requests, 1); /* of the load */
    rig_close(&r);
}

static uint64_t alone(const char *settings, shot s) {
    rig r;
    rig_open(&r, settings, LATENCY);
    const uint64_t cycles = rig_latency(&r, s);
    rig_close(&r);
    return cycles;
}

/* 16 lines: the last request starts 15 cycles after the first, or 7; later by the engine's latency; two at a time. */
Test(bulk, rate_latency_and_requests_under_way) {
    const shot all = rows(GPC_LOAD, 0x10000, 1, 2048, 0);
    const uint64_t line = alone(NULL, rows(GPC_LOAD, 0x10000, 1, 128, 0)), copy = alone(NULL, all);
    cr_expect_eq(copy, line + 15, "%llu, %llu", (unsigned long long)copy, (unsigned long long)line);
    cr_expect_eq(alone("sm.bulk_latency = 40\n", all), copy + 39);
    cr_expect_eq(alone("sm.bulk_latency = 1\n", all), copy);
    cr_expect_eq(alone("sm.bulk_requests = 1\n", rows(GPC_LOAD, 0x10000, 1, 512, 0)), 4 * line - 3);
    const uint64_t two = alone("sm.bulk_requests = 2\n", all);
    cr_expect_gt(two, 7 * line);
    cr_expect_lt(two, 9 * line);
}

/* A copy of 16 lines, one by one, takes longer than deadlock.cycles; each request is progress. */
Test(bulk, a_long_copy_is_no_standstill) {
    char settings[80];
    const uint64_t line = alone(NULL, rows(GPC_LOAD, 0x10000, 1, 128, 0));
    snprintf(settings, sizeof settings, "sm.bulk_requests = 1\ndeadlock.cycles = %u\n", (unsigned)(3 * line));
    cr_expect_gt(alone(settings, rows(GPC_LOAD, 0x10000, 1, 2048, 0)), 15 * (line - 2));
}

/* Cutting: a range at line ends; adjacent rows like one row; a box row by row. */
Test(bulk, requests) {
    static const struct {
        uint64_t address, stride;
        uint32_t count, width, requests, sectors;
    } cases[] = {
        {0x10000, 0, 1, 128, 1, 4},        {0x10010, 0, 1, 128, 2, 5},   {0x10010, 0, 1, 16, 1, 1},
        {0x10010, 192, 2, 192, 4, 13},     {0x10010, 0, 1, 384, 4, 13},  {0x10000, 0x1000, 8, 64, 8, 16},
        {0x10040, 0x1000, 8, 128, 16, 32}, {0x10000, 16, 32, 16, 4, 16}, {0x10000, 0, 1, 65536, 512, 2048},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig r;
        rig_open(&r, NULL, LATENCY);
        rig_latency(&r, rows(GPC_LOAD, cases[n].address, cases[n].count, cases[n].width, cases[n].stride));
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.bulk_requests, cases[n].requests, "%zu: %llu", n, (unsigned long long)s.bulk_requests);
        cr_expect_eq(s.bulk_read_sectors, cases[n].sectors, "%zu: %llu", n, (unsigned long long)s.bulk_read_sectors);
        cr_expect_eq(s.bulk_bytes, (uint64_t)cases[n].count * cases[n].width);
        cr_expect_eq(s.l2_read_sectors, cases[n].sectors);
        cr_expect_eq(s.l1_fetched_sectors, 0);
        rig_close(&r);
    }
}

/* Two copies not completely requested, and no third: accepted once the first is requested, while all are under way. */
Test(bulk, the_queue_refuses) {
    rig r;
    gpc_busy busy;
    rig_open(&r, "sm.bulk_queue = 2\n", LATENCY);
    rig_issue(&r, rows(GPC_LOAD, 0x10000, 1, 512, 0));
    rig_issue(&r, rows(GPC_LOAD, 0x20000, 1, 512, 0));
    const shot third = rows(GPC_LOAD, 0x30000, 1, 512, 0);
    const uint64_t ready = r.ready;
    for (unsigned cycle = 0; cycle < 4; cycle++) { /* the last request leaves in the fourth */
        cr_expect_eq(r.ready, ready);
        cr_expect_eq(rig_try(&r, third, &busy), GPC_BUSY, "%u", cycle);
        cr_expect_eq(busy, GPC_BUSY_PIPELINE);
        rig_step(&r);
    }
    cr_expect_eq(r.ready, ready + 1);
    cr_expect_eq(rig_try(&r, third, &busy), GPC_OK);
    cr_expect_eq(rig_stats(&r).bulk_completed, 0);
    /* the memory pipeline is independent */
    rig_issue(&r, LINE(GPC_LOAD, 0x40000));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).bulk_completed, 3);
    rig_close(&r);
}

/* Stores and reductions are acknowledged; they are written in L2, and a later load finds them there. */
Test(bulk, stores_and_reductions) {
    rig r;
    rig_open(&r, NULL, LATENCY);
    const uint64_t store = rig_issue(&r, rows(GPC_STORE, 0x10010, 1, 240, 0));
    rig_wait(&r, store);
    cr_expect_eq(r.done[store].kind, GPC_STORE);
    const uint64_t sum = rig_issue(&r, rows(GPC_REDUCTION, 0x20000, 1, 256, 0));
    rig_wait(&r, sum);
    cr_expect_eq(r.done[sum].kind, GPC_REDUCTION);
    rig_latency(&r, LINE(GPC_LOAD, 0x10080));
    const measured_stats s = rig_stats(&r);
    cr_expect(s.l2_write_sectors == 8 && s.l2_atomic_sectors == 8 && s.bulk_write_sectors == 16);
    cr_expect_eq(s.l1_store_requests, 0);
    cr_expect_eq(s.l2_read_sector_hits, 4);
    rig_close(&r);
}

/* Stores of copies leave L1 together: every reply frees a place under way for every joined request. */
Test(bulk, combined_requests_come_back) {
    rig r;
    rig_open(&r, "sm.bulk_requests = 2\nl1.combine_lines = 4\nl1.combine_cycles = 8\n", LATENCY);
    for (uint32_t n = 0; n < 3; n++) {
        rig_issue(&r, rows(GPC_STORE, 0x10000, 4, 16, 0)); /* of one line */
        rig_issue(&r, WORD(GPC_STORE, 0x10040));
        rig_finish(&r);
        cr_expect(gpc_hierarchy_is_idle(r.hierarchy));
    }
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.bulk_completed, 3);
    cr_expect_eq(s.bulk_requests, 12);
    cr_expect_eq(s.l1_combined_requests, 9, "%llu", (unsigned long long)s.l1_combined_requests);
    rig_close(&r);
}

/* A fence waits for the SM's stores, but not for copies on another way to memory. */
Test(bulk, fences_do_not_wait) {
    rig r;
    rig_open(&r, NULL, LATENCY);
    const uint64_t copy = rig_issue(&r, rows(GPC_LOAD, 0x10000, 1, 8192, 0));
    const uint64_t fence = rig_fence(&r, (fence_shot){.scope = GPC_SCOPE_GPU, .order = GPC_ORDER_ACQ_REL});
    rig_wait(&r, fence);
    cr_expect_eq(r.done[copy].times, 0);
    rig_finish(&r);
    cr_expect_eq(r.done[copy].times, 1);
    rig_close(&r);
}

/* 16 lines for three SMs: L2 reads them once, every SM gets a reply, and the asker's own counts as the copy's end. */
Test(bulk, multicast_is_read_once) {
    static const uint32_t sms[] = {3, 0, 2};
    rig r;
    rig_open(&r, "sm.count = 4\nsm.bulk_requests = 2\n", LATENCY);
    shot all = rows(GPC_LOAD, 0x10000, 1, 2048, 0);
    const uint64_t alone = rig_latency(&r, all);
    const uint64_t replies = rig_stats(&r).network_replies;
    all.address = 0x20000;
    all.multicast = sms;
    all.multicast_count = 3;
    const uint64_t token = rig_issue(&r, all);
    while (r.done[token].times < 3)
        rig_step(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect(s.bulk_copies == 2 && s.bulk_completed == 2 && s.bulk_multicast_copies == 1);
    cr_expect(s.bulk_requests == 32 && s.bulk_read_sectors == 128 && s.l2_read_sectors == 128);
    cr_expect_eq(s.bulk_multicast_sectors, 128);
    cr_expect_eq(s.network_requests, 32);
    cr_expect_eq(s.network_replies - replies, 48, "%llu", (unsigned long long)s.network_replies);
    /* the slice sends three replies instead of one, in turn */
    cr_expect_geq(r.done[token].cycle - r.done[token].issued, alone);
    r.done[token].times = 1;
    r.completed -= 2;
    rig_close(&r);
}

/* SMs without the asker: the engine continues when the reply reaches another. */
Test(bulk, multicast_to_others_alone) {
    static const uint32_t sms[] = {1};
    rig r;
    rig_open(&r, "sm.count = 4\nsm.bulk_requests = 1\n", LATENCY);
    shot four = rows(GPC_LOAD, 0x10000, 1, 512, 0);
    const uint64_t own = rig_latency(&r, four);
    four.address = 0x20000;
    four.multicast = sms;
    four.multicast_count = 1;
    const uint64_t other = rig_latency(&r, four);
    cr_expect_geq(other, own);
    cr_expect_leq(other, own + 4);
    cr_expect_eq(rig_stats(&r).bulk_multicast_sectors, 0);
    rig_close(&r);
}

/* Equal history with SMs divided among threads: a reply to one SM lets the engine of another thread's SM continue. */
Test(bulk, multicast_with_threads) {
    static const uint32_t others[] = {2}, all[] = {3, 0, 2, 5};
    uint64_t trails[3];
    for (uint32_t threads = 1; threads <= 3; threads++) {
        rig r;
        char settings[96];
        snprintf(settings, sizeof settings, "sm.count = 6\nsm.bulk_requests = 1\nthreads = %u\n", threads);
        rig_open_dram(&r, settings);
        shot copy = rows(GPC_LOAD, 0x10000, 1, 2048, 0);
        copy.multicast = others;
        copy.multicast_count = 1;
        rig_issue(&r, copy);
        copy.address = 0x20000;
        copy.multicast = all;
        copy.multicast_count = 4;
        const uint64_t token = rig_issue(&r, copy);
        for (uint32_t sm = 0; sm < 6; sm++)
            rig_issue(&r, LINE(GPC_LOAD, 0x30000 + 4096 * sm, .sm = sm));
        rig_finish(&r);
        cr_expect_eq(r.done[token].times, 4, "%u", threads);
        cr_expect_eq(rig_stats(&r).bulk_completed, 2);
        trails[threads - 1] = r.trail;
        r.done[token].times = 1;
        r.completed -= 3;
        rig_close(&r);
    }
    cr_expect(trails[0] == trails[1] && trails[0] == trails[2]);
}

/* Refused multicast copies. */
Test(bulk, multicast_that_is_refused) {
    static const uint32_t twice[] = {0, 1, 0}, beyond[] = {0, 4}, good[] = {0, 1};
    static const struct {
        const uint32_t *sms;
        uint32_t count;
        uint8_t kind, copy;
        const char *expected;
    } cases[] = {{twice, 3, GPC_LOAD, GPC_COPY_BULK, "an SM twice"},
                 {beyond, 2, GPC_LOAD, GPC_COPY_BULK, "not below sm.count"},
                 {good, 17, GPC_LOAD, GPC_COPY_BULK, "1 to 16"},
                 {good, 0, GPC_LOAD, GPC_COPY_BULK, "1 to 16"},
                 {NULL, 2, GPC_LOAD, GPC_COPY_BULK, "1 to 16"},
                 {good, 2, GPC_STORE, GPC_COPY_BULK, "is no load"},
                 {good, 2, GPC_LOAD, GPC_COPY_NONE, "copy is not BULK"},
                 {good, 2, GPC_LOAD, GPC_COPY_ASYNC, "copy is not BULK"},
                 {good, 2, GPC_LOAD, GPC_COPY_BULK, NULL}};
    rig r;
    rig_open(&r, "sm.count = 4\n", LATENCY);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const uint64_t address = 0x1000;
        gpc_error error = GPC_ERROR_INIT;
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = 1;
        access.addresses = &address;
        access.width = 16;
        access.kind = cases[n].kind;
        access.copy = cases[n].copy;
        access.multicast = cases[n].sms;
        access.multicast_count = cases[n].count;
        const gpc_status status = gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, &error);
        cr_expect_eq(status, cases[n].expected ? GPC_ERROR_ARGUMENT : GPC_OK, "%zu", n);
        cr_expect(!cases[n].expected || strstr(error.message, cases[n].expected), "%zu: %s", n, error.message);
    }
    rig_abandon(&r); /* the accepted copy is in flight */
}
