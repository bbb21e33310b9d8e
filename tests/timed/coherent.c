/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * Single transactions of a coherent hierarchy, to the cycle: time of messages in networks, at tags and in data arrays,
 * in sequence or in parallel, added up by hand.
 */

/* A hit sends no message. */
Test(timed_coherent, hits) {
    rig r;
    coherent_open(&r, "nmoesi", NULL);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), TAGS + L1_DATA);
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_eq(r.done[1].level, 1);
    EXPECT_CYCLES(&r, LINE(GPC_STORE, 0), TAGS + L1_DATA);
    cr_expect_eq(rig_stats(&r).network_requests, rig_stats(&r).network_replies);
    coherent_close(&r);
}

/* Without a directory there are no probes: L2's data alone. */
Test(timed_coherent, l2_hit) {
    rig r;
    coherent_open(&r, "vi", NULL);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0, .sm = 1), TAGS + CROSS + ENTER + L2_DATA + CROSS);
    cr_expect_eq(r.done[1].level, 2);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l2_read_sectors, 8);
    cr_expect_eq(s.l2_read_sector_hits, 4);
    cr_expect_eq(s.dram_read_sectors, 4);
    cr_expect_eq(s.l1_fetched_sectors, 8);
    cr_expect_eq(s.network_requests, 2);
    cr_expect_eq(s.network_request_bytes, 2 * 8);
    cr_expect_eq(s.network_reply_bytes, 2 * (8 + 128));
    coherent_close(&r);
}

/* Requests of an LRC's L1s for one line go to the slice together, and the slice serves and answers each. */
Test(timed_coherent, requests_go_along) {
    static const char *const protocols[] = {"vi", "mesi", "nmoesi-multi2sim"};
    uint64_t apart = 0, bytes = 0;
    for (unsigned i = 0; i < 2 * 3; i++) {
        rig r;
        coherent_open(&r, protocols[i / 2], i % 2 ? "lrc.sms = 2\n" : NULL);
        rig_issue(&r, LINE(GPC_LOAD, 0));
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 3, NULL), GPC_OK);
        rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1));
        rig_issue(&r, LINE(GPC_LOAD, 256, .sm = 1));
        cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        const measured_stats s = rig_stats(&r);
        if (i % 2) {
            cr_expect_eq(s.network_requests, apart - 1, "%s", protocols[i / 2]);
            cr_expect_eq(s.network_request_bytes, bytes - 8, "%s", protocols[i / 2]);
        }
        apart = s.network_requests;
        bytes = s.network_request_bytes;
        cr_expect_eq(s.dram_read_sectors, 8);
        cr_expect_eq(coherent_stats(&r, "l2-0").read_requests, 3);
        cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_S, "%s", protocols[i / 2]);
        cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_S, "%s", protocols[i / 2]);
        rig_finish(&r);
        rig_close(&r);
    }
}

/*
 * Loads that L1 cannot accept bypass L1, for the reasons named by the predictor: they do not wait, and leave no line.
 */
Test(timed_coherent, held_up_loads_go_past) {
    static const struct {
        const char *settings;
        uint32_t loads;
        bool past;
    } rows[] = {{"l1.mshr_entries = 1\nl1.bypass = mrpb\n", 2, true},
                {"l1.mshr_entries = 1\nl1.bypass = mrpb(mshr=0)\n", 2, false},
                {"l1.bypass = mrpb\n", 5, true}, /* a set of 4 ways */
                {"l1.bypass = mrpb(line=0)\n", 5, false}};
    for (unsigned i = 0; i < 4 * 2; i++) {
        rig r;
        coherent_open(&r, i % 2 ? "vi" : "mesi", rows[i / 2].settings);
        const uint64_t last = (rows[i / 2].loads - 1) * (uint64_t)SET;
        for (uint32_t n = 0; n < rows[i / 2].loads; n++)
            rig_issue(&r, LINE(GPC_LOAD, n * (uint64_t)SET));
        cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l1_bypassed_sectors, rows[i / 2].past ? 4 : 0, "%s", rows[i / 2].settings);
        cr_expect_eq(s.l1_bypasses, rows[i / 2].past, "%s", rows[i / 2].settings);
        cr_expect_eq(coherent_state(&r, "l1-0", last) == GPC_LINE_I, rows[i / 2].past, "%s", rows[i / 2].settings);
        cr_expect_eq(coherent_state(&r, "l2-0", last) == GPC_LINE_I, false, "%s", rows[i / 2].settings);
        cr_expect_eq(rig_now(&r) < 2 * MEMORY, rows[i / 2].past, "%s: %u cycles", rows[i / 2].settings,
                     (unsigned)rig_now(&r));
        coherent_close(&r);
    }
}

/* The first cycle of rop_latency, a slice's pipeline before the tags, exists in any case. */
Test(timed_coherent, rop_latency) {
    rig r;
    coherent_open(&r, "vi", "l2.rop_latency = 30\n");
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS - ENTER + 30);
    coherent_close(&r);
}

/* The owner sends data to the requester, by way of the slice, without a lookup there. */
Test(timed_coherent, peer) {
    rig r;
    coherent_open(&r, "moesi", NULL);
    rig_latency(&r, LINE(GPC_ATOMIC, 0));
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0, .sm = 1), TAGS + CROSS + ENTER + CROSS + L1_DATA + CROSS + ENTER + CROSS);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_O);
    cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_S);
    cr_expect_eq(coherent_stats(&r, "l1-0").peer_transfers, 1);
    coherent_close(&r);
}

/* Multi2Sim's owner sends data to L2, and L2 sends them on. */
Test(timed_coherent, through_l2) {
    rig r;
    coherent_open(&r, "nmoesi-multi2sim", NULL);
    rig_latency(&r, LINE(GPC_ATOMIC, 0));
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0, .sm = 1),
                  TAGS + CROSS + ENTER + CROSS + L1_DATA + CROSS + ENTER + L2_DATA + CROSS);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_S);
    coherent_close(&r);
}

/* A store to shared data: the copies are invalidated, without data to send. */
Test(timed_coherent, upgrade) {
    rig r;
    coherent_open(&r, "nmoesi-multi2sim", NULL);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 0, .sm = 1));
    EXPECT_CYCLES(&r, LINE(GPC_ATOMIC, 0), TAGS + CROSS + ENTER + CROSS + CROSS + ENTER + L2_DATA + CROSS);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_M);
    cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_I);
    coherent_close(&r);
}

/* Several are probed in parallel: answers arrive one a cycle, the last decides. */
Test(timed_coherent, probes_go_together) {
    for (uint64_t sharers = 1; sharers <= 3; sharers++) {
        rig r;
        coherent_open(&r, "nmoesi-multi2sim", "sm.count = 4\n");
        for (uint32_t sm = 0; sm <= sharers; sm++)
            rig_latency(&r, LINE(GPC_LOAD, 0, .sm = sm));
        /* a probe leaves the slice every cycle, and the answer enters the slice's tags separately */
        EXPECT_CYCLES(&r, LINE(GPC_ATOMIC, 0),
                      TAGS + CROSS + ENTER + (sharers - 1) + CROSS + CROSS + ENTER + L2_DATA + CROSS);
        coherent_close(&r);
    }
}

/* Multi2Sim evicts before asking, and waits until the slice has noted it. */
Test(timed_coherent, eviction_first) {
    rig r;
    coherent_open(&r, "nmoesi-multi2sim", NULL);
    for (uint64_t line = 0; line < 4; line++)
        rig_latency(&r, LINE(GPC_LOAD, line * SET));
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 4 * SET), MISS + CROSS + ENTER + L2_DATA + CROSS);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_I);
    coherent_close(&r);
}

/* L1, cluster, slice, memory: a further network in every direction, and the cluster's data. */
Test(timed_coherent, clusters) {
    rig r;
    coherent_open(&r, "nmoesi", "sm.count = 4\ncluster.sms = 2\n");
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS + CROSS + ENTER + CROSS + CLUSTER_DATA);
    cr_expect_eq(coherent_state(&r, "cluster-0", 0), GPC_LINE_E);
    cr_expect_eq(coherent_state(&r, "cluster-1", 0), GPC_LINE_I);
    coherent_close(&r);
    coherent_open(&r, "vi", "sm.count = 4\ncluster.sms = 2\n");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0, .sm = 1), TAGS + CROSS + ENTER + CLUSTER_DATA + CROSS);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0, .sm = 2), TAGS + 2 * (CROSS + ENTER) + L2_DATA + CROSS + CLUSTER_DATA + CROSS);
    cr_expect_eq(r.done[1].level, 2);
    cr_expect_eq(r.done[2].level, 2);
    coherent_close(&r);
}

/* Data to a peer pass through the slice between clusters, and through the cluster within one. */
Test(timed_coherent, peers_of_clusters) {
    rig r;
    coherent_open(&r, "moesi", "sm.count = 4\ncluster.sms = 2\n");
    rig_latency(&r, LINE(GPC_ATOMIC, 0));
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0, .sm = 1), TAGS + CROSS + ENTER + CROSS + L1_DATA + CROSS + ENTER + CROSS);
    coherent_close(&r);
}

/* Cycles of a load that misses everywhere, and of a load that hits in the cluster. */
static void through_clusters(const char *settings, uint64_t *miss, uint64_t *hit) {
    static rig r;
    char text[256];
    snprintf(text, sizeof text, "sm.count = 4\ncluster.sms = 2\n%s", settings);
    coherent_open(&r, "vi", text);
    *miss = rig_latency(&r, LINE(GPC_LOAD, 0));
    *hit = rig_latency(&r, LINE(GPC_LOAD, 0, .sm = 1));
    coherent_close(&r);
}

/*
 * Networks of clusters run at the network's clock: at a quarter of the core's, a further cycle of latency is four core
 * cycles on each of the four networks crossed by a miss, and on the two of a hit in the cluster; so are three further
 * cycles for 136 bytes at 34 a cycle, on every network on the way back.
 */
Test(timed_coherent, clusters_and_the_network_s_clock) {
    uint64_t miss, hit, m, h;
    through_clusters("clock.network = 250\n", &miss, &hit);
    through_clusters("clock.network = 250\nnetwork.latency = 6\n", &m, &h);
    cr_expect(m - miss == 4 * 4 && h - hit == 2 * 4, "%d and %d", (int)(m - miss), (int)(h - hit));
    through_clusters("clock.network = 250\nnetwork.reply_width = 34B\n", &m, &h);
    cr_expect(m - miss == 2 * 3 * 4 && h - hit == 3 * 4, "%d and %d", (int)(m - miss), (int)(h - hit));
    through_clusters("", &m, &h);
    /* less up to three core cycles of a begun network cycle */
    int slower = (int)(miss - m), at_most = 4 * 3 * CROSS;
    cr_expect(slower <= at_most && slower >= at_most - 4 * 3, "%d of a miss", slower);
    slower = (int)(hit - h);
    cr_expect(slower <= at_most / 2 && slower >= at_most / 2 - 2 * 3, "%d of a hit", slower);
}

/*
 * Lines read by two SMs of a cluster arrive over the port of the cluster network in sequence, 4 cycles of the network
 * each.
 */
Test(timed_coherent, bytes_per_cycle_of_a_cluster) {
    static const struct {
        const char *clock;
        uint64_t cycles; /* from line to line */
    } cases[] = {{"clock.network = 1000\n", 4}, {"clock.network = 250\n", 16}, {"clock.network = 2000\n", 2}};
    enum { LINES = 16 };
    static rig r;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        uint64_t first = UINT64_MAX, last = 0;
        snprintf(text, sizeof text, "sm.count = 4\ncluster.sms = 2\nnetwork.reply_width = 34B\n%s", cases[i].clock);
        coherent_open(&r, "vi", text);
        for (uint64_t n = 0; n < LINES; n++)
            rig_issue(&r, LINE(GPC_LOAD, n * 128, .sm = n % 2));
        rig_finish(&r);
        for (unsigned n = 0; n < LINES; n++) {
            first = r.done[n].cycle < first ? r.done[n].cycle : first;
            last = r.done[n].cycle > last ? r.done[n].cycle : last;
        }
        cr_expect_eq(last - first, (LINES - 1) * cases[i].cycles, "%s: %d", cases[i].clock, (int)(last - first));
        cr_expect_eq(rig_stats(&r).cluster_network_reply_bytes, LINES * 136);
        coherent_close(&r);
    }
}

/* L1s next to memory. */
Test(timed_coherent, no_l2) {
    rig r;
    coherent_open(&r, "nmoesi", "l2.enabled = false\n");
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), TAGS + CROSS + ENTER + MEMORY + CROSS);
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_eq(rig_stats(&r).l2_read_sectors, 0);
    coherent_close(&r);
}

/* A link to memory takes a transfer and the latency in every direction, and data pass the slice's fill port. */
Test(timed_coherent, memory_link) {
    rig r;
    coherent_open(&r, "nmoesi", "memory.link_width = 256B\nmemory.link_latency = 3\n");
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS + 4 + 4);
    cr_expect_eq(rig_stats(&r).link_packets, 2);
    coherent_close(&r);
}

/* Only memory's directory was asked: no DRAM, just the latency. */
Test(timed_coherent, directory_of_memory) {
    rig r;
    coherent_open(&r, "nmoesi-multi2sim", "l2.enabled = false\n");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 0, .sm = 1));
    uint64_t reads = rig_stats(&r).dram_read_sectors;
    EXPECT_CYCLES(&r, LINE(GPC_ATOMIC, 0), TAGS + CROSS + ENTER + CROSS + CROSS + ENTER + MEMORY + CROSS);
    cr_expect_eq(rig_stats(&r).dram_read_sectors, reads);
    coherent_close(&r);
}

/* Stores go on to the slice, which answers; L1 keeps no data. */
Test(timed_coherent, write_through) {
    rig r;
    coherent_open(&r, "vi",
                  "l1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n"
                  "l1.write_allocate_local = none\n");
    rig_latency(&r, LINE(GPC_LOAD, 0, .sm = 1));
    uint64_t token = rig_issue(&r, WORD(GPC_STORE, 0));
    rig_finish(&r);
    cr_expect_gt(r.done[token].cycle - r.done[token].issued, TAGS + CROSS + ENTER + CROSS);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_I);
    cr_expect_eq(coherent_stats(&r, "l2-0").write_throughs_received, 1);
    coherent_close(&r);
}

/* Data entering and leaving a module pass ports: a line of 128 bytes by 32 takes four cycles. */
Test(timed_coherent, data_port) {
    rig r;
    coherent_open(&r, "vi", "sm.count = 3\nl2.data_width = 32\nl2.slices = 1\n");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 128));
    uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1)), second = rig_issue(&r, LINE(GPC_LOAD, 128, .sm = 2));
    rig_finish(&r);
    uint64_t apart = r.done[second].cycle - r.done[first].cycle;
    cr_expect_eq(apart, 4, "%u cycles apart", (unsigned)apart);
    coherent_close(&r);
}
