/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Two GPUs of an SM, a slice and a channel each, pages of 4 KiB in turn, so that page 1 is at home with GPU 1; a
 * message crosses the link in a cycle plus a latency of 30.
 */

#define PAGE 4096
#define TWO                                                                                                \
    "gpu.count = 2\nsm.count = 1\nl2.slices = 1\nl2.size = 256KiB\ndram.channels = 1\npage.bytes = 4KiB\n" \
    "page.placement = round-robin\ngpu.link_latency = 30\ngpu.link_width = 256\ngpu.link_buffer = unlimited\n"

enum {
    LINK = 31,
    PORT = 1, /* from a slice to the link */
};

/* A page's GPU accesses it as usual; for the other every direction takes the link. */
Test(timed_coherent_gpus, remote) {
    rig r;
    coherent_open(&r, "nmoesi", TWO);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, PAGE, .sm = 1), MISS);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 128, .sm = 1), MISS + PORT + 2 * LINK);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, PAGE + 128), MISS + PORT + 2 * LINK);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.local_requests, 2);
    cr_expect_eq(s.remote_requests, 2);
    cr_expect_eq(s.gpu_link_packets, 4);
    cr_expect_eq(s.gpu_link_bytes, 2 * (8 + 136));
    cr_expect_eq(coherent_state(&r, "memory-1", 0), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "memory-1", PAGE), GPC_LINE_E);
    cr_expect_eq(coherent_state(&r, "l2-0", PAGE + 128), GPC_LINE_E);
    coherent_close(&r);
}

/* Lines modified by another GPU come from an L1 to the L2, and over the link: only from there, if it is home. */
Test(timed_coherent_gpus, modified_elsewhere) {
    rig r;
    coherent_open(&r, "msi", TWO);
    rig_latency(&r, LINE(GPC_ATOMIC, PAGE, .sm = 1));
    cr_expect_eq(coherent_state(&r, "l1-1", PAGE), GPC_LINE_M);
    cr_expect_eq(rig_stats(&r).gpu_link_packets, 0);
    rig_latency(&r, LINE(GPC_LOAD, PAGE));
    cr_expect_eq(coherent_state(&r, "l1-1", PAGE), GPC_LINE_S);
    cr_expect_eq(coherent_state(&r, "l1-0", PAGE), GPC_LINE_S);
    rig_latency(&r, LINE(GPC_ATOMIC, PAGE));
    cr_expect_eq(coherent_state(&r, "l1-1", PAGE), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l2-1", PAGE), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l1-0", PAGE), GPC_LINE_M);
    coherent_close(&r);
}

/* If the home is an L2, it reads from memory for all, and a second GPU finds lines requested by the first there. */
Test(timed_coherent_gpus, home_in_l2) {
    rig r;
    coherent_open(&r, "nmoesi", TWO "gpu.home = l2\n");
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS);
    rig_latency(&r, LINE(GPC_LOAD, PAGE));
    cr_expect_eq(coherent_state(&r, "near-0", PAGE), GPC_LINE_E);
    cr_expect_eq(coherent_state(&r, "l2-1", PAGE), GPC_LINE_E);
    cr_expect_eq(coherent_state(&r, "l2-0", PAGE), GPC_LINE_I);
    measured_stats s = rig_stats(&r);
    cr_expect(s.local_requests == 2 && s.remote_requests == 1 && s.gpu_link_packets == 2);
    rig_latency(&r, LINE(GPC_LOAD, PAGE, .sm = 1));
    cr_expect_eq(rig_stats(&r).dram_read_sectors, s.dram_read_sectors, "it is in the L2 that is its home");
    rig_latency(&r, LINE(GPC_ATOMIC, PAGE, .sm = 1));
    cr_expect_eq(coherent_state(&r, "near-0", PAGE), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l1-0", PAGE), GPC_LINE_I);
    coherent_close(&r);
}

static uint64_t fence_latency(rig *r, gpc_order order, gpc_scope scope) {
    const uint64_t fence = rig_fence(r, (fence_shot){.order = order, .scope = scope, .sm = 1});
    const uint64_t begun = rig_stats(r).cycles;
    rig_finish(r);
    return r->done[fence].cycle - begun;
}

/* Another GPU's copy is invalidated, and only a release of the system's scope waits for it. */
Test(timed_coherent_gpus, invalidations_without_answers) {
    rig r;
    coherent_open(&r, "hmg", TWO "gpu.home = l2\n");
    rig_latency(&r, LINE(GPC_LOAD, PAGE));
    cr_expect_eq(coherent_state(&r, "near-0", PAGE), GPC_LINE_S);
    const measured_stats before = rig_stats(&r);
    rig_latency(&r, LINE(GPC_ATOMIC, PAGE, .sm = 1));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).gpu_link_packets, before.gpu_link_packets + 1, "no answer");
    cr_expect_eq(coherent_state(&r, "near-0", PAGE), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l1-0", PAGE), GPC_LINE_S, "until it acquires");
    cr_expect_lt(fence_latency(&r, GPC_ORDER_RELEASE, GPC_SCOPE_GPU), LINK);
    cr_expect_gt(fence_latency(&r, GPC_ORDER_RELEASE, GPC_SCOPE_SYS), 2 * LINK);
    cr_expect_lt(fence_latency(&r, GPC_ORDER_ACQUIRE, GPC_SCOPE_SYS), LINK, "nothing is dropped below L1");
    cr_expect_eq(rig_stats(&r).gpu_link_packets, before.gpu_link_packets + 5,
                 "a marker to near-0, another by near-1 to l2-0, and their answers");
    coherent_close(&r);
}

/* In two partitions a GPU's own threads meet behind the link; without caches between, there are no invalidations. */
Test(timed_coherent_gpus, releases_of_a_gpu) {
    rig r;
    coherent_open(&r, "hmg", "sm.count = 2\nl2.slices = 2\nl2.partitions = 2\nl2.link_latency = 30\n");
    rig_latency(&r, LINE(GPC_STORE, 0, .sm = 1));
    cr_expect_gt(fence_latency(&r, GPC_ORDER_RELEASE, GPC_SCOPE_GPU), 2 * 30);
    cr_expect_lt(fence_latency(&r, GPC_ORDER_RELEASE, GPC_SCOPE_CTA), 30);
    coherent_close(&r);
    coherent_open(&r, "hmg", "sm.count = 2\n");
    rig_latency(&r, LINE(GPC_STORE, 0, .sm = 1));
    cr_expect_lt(fence_latency(&r, GPC_ORDER_RELEASE, GPC_SCOPE_SYS), 30);
    coherent_close(&r);
}

/* By first touch a page belongs to the first requesting GPU, and stays there. */
Test(timed_coherent_gpus, first_touch) {
    rig r;
    coherent_open(&r, "nmoesi", TWO "page.placement = first-touch\n");
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 5 * PAGE), MISS);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 5 * PAGE + 128, .sm = 1), MISS + PORT + 2 * LINK);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 4 * PAGE, .sm = 1), MISS);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 5 * PAGE + 256), MISS);
    coherent_close(&r);
}

/* A GPU's link carries a number of bytes a cycle per direction, for any destination. */
Test(timed_coherent_gpus, bandwidth) {
    enum { LINES = 20, WIDTH = 8, REPLY = 136 };
    rig r;
    coherent_open(&r, "vi", TWO "gpu.link_width = 8\n");
    const uint64_t spread = rig_spread(&r, LINE(GPC_LOAD, PAGE), LINES, 128);
    cr_expect_eq(spread, (LINES - 1) * REPLY / WIDTH, "%u cycles", (unsigned)spread);
    coherent_close(&r);
}

static void refused(const char *settings, const char *what) {
    char text[1024];
    gpc_error error = GPC_ERROR_INIT;
    snprintf(text, sizeof text, "%scoherence = nmoesi\n%s%s", coherent_base, TWO, settings);
    cr_expect_eq(rig_refused(text, &error), GPC_ERROR_RANGE, "%s", settings);
    cr_expect(strstr(error.message, what), "'%s' is not in '%s'", what, error.message);
}

Test(timed_coherent_gpus, refusals) {
    refused("coherence = none\n", "has no effect with coherence = none: each GPU has a memory of its own");
    refused("sm.count = 3\ncluster.sms = 2\n", "needs sm.count = 4 (only SMs of one GPU share a cluster");
    refused("l2.partitions = 2\nl2.slices = 2\n", "an L2 of several GPUs has no partitions");
    refused("gpu.count = 64\nsm.count = 100\n", "gpu.count = 64 times sm.count = 100 is more than 4096");
    refused("page.bytes = 3000\n", "page.bytes");
    refused("l2.enabled = false\n", "needs l2.enabled = true");
    refused("cpu.count = 2\n", "cpu.count = 2 needs gpu.count = 3 or more");
}
