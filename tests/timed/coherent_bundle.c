/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"

#include "measured.h"
#include "timed/core/coherent.h"

#include <criterion/criterion.h>

/* Messages of a line's sectors that leave together are a packet: with one header, tag port and MSHR entry. */

#define SECTORS "l1.sectors = 4\nl2.sectors = 4\n"
#define HEADER 8u

typedef struct traffic {
    uint64_t requests, request_bytes, replies, reply_bytes, cycles;
} traffic;

/* Traffic of an access between L1s and slices. */
static traffic moved(rig *r, shot s) {
    const measured_stats before = rig_stats(r);
    const uint64_t cycles = rig_latency(r, s);
    rig_finish(r);
    const measured_stats after = rig_stats(r);
    return (traffic){
        after.network_requests - before.network_requests, after.network_request_bytes - before.network_request_bytes,
        after.network_replies - before.network_replies, after.network_reply_bytes - before.network_reply_bytes, cycles};
}

#define EXPECT_TRAFFIC(t, a, b, c, d) expect_traffic(&(t), &(traffic){a, b, c, d, 0}, __LINE__)
static void expect_traffic(const traffic *is, const traffic *due, int line) {
    cr_expect(is->requests == due->requests && is->request_bytes == due->request_bytes,
              "line %d: %u requests of %u bytes, not %u of %u", line, (unsigned)is->requests,
              (unsigned)is->request_bytes, (unsigned)due->requests, (unsigned)due->request_bytes);
    cr_expect(is->replies == due->replies && is->reply_bytes == due->reply_bytes,
              "line %d: %u replies of %u bytes, not %u of %u", line, (unsigned)is->replies, (unsigned)is->reply_bytes,
              (unsigned)due->replies, (unsigned)due->reply_bytes);
}

/* A line of four sectors takes the packets and cycles of a line of one, even with one entry and one place. */
Test(timed_coherent_bundle, a_line_is_a_packet) {
    static const char *const protocols[] = {"mesi", "nmoesi", "vi"};
    static const char *const settings[] = {
        SECTORS, SECTORS "l2.mshr_entries = 1\nl1.mshr_entries = 1\nl1.miss_queue = 2\nl2.miss_queue = 2\n",
        SECTORS "l2.data_width = 64\nl2.fill_width = 64\nl1.fill_width = 64\nmemory.link_width = 72\n"};
    static const char *const whole[] = {
        "", "", "l2.data_width = 64\nl2.fill_width = 64\nl1.fill_width = 64\nmemory.link_width = 72\n"};
    for (unsigned i = 0; i < 9; i++) {
        rig four, one;
        const char *protocol = protocols[i % 3];
        coherent_open(&four, protocol, settings[i / 3]);
        coherent_open(&one, protocol, whole[i / 3]);
        const shot shots[] = {LINE(GPC_STORE, 1024), LINE(GPC_LOAD, 0), LINE(GPC_LOAD, 0, .sm = 1),
                              LINE(GPC_STORE, 0, .sm = 1)};
        for (unsigned n = 0; n < sizeof shots / sizeof *shots; n++) {
            const traffic is = moved(&four, shots[n]), due = moved(&one, shots[n]);
            EXPECT_TRAFFIC(is, due.requests, due.request_bytes, due.replies, due.reply_bytes);
            cr_expect(!due.requests || is.cycles == due.cycles, "%s, setting %u, access %u: %u cycles, not %u",
                      protocol, i / 3, n, (unsigned)is.cycles, (unsigned)due.cycles);
        }
        coherent_close(&four);
        coherent_close(&one);
    }
}

/* Sectors elsewhere, or in several places, arrive separately, and hold up no other. */
Test(timed_coherent_bundle, each_sector_goes_on_by_itself) {
    rig r;
    coherent_open(&r, "msi", SECTORS "sm.count = 3\n");
    moved(&r, LINE(GPC_LOAD, 0));
    moved(&r, LINE(GPC_LOAD, 0, .sm = 1));
    moved(&r, WORD(GPC_STORE, 32)); /* SM 0 owns the second sector */
    /* a request; three sectors from one L1 with the answer; the second from SM 0, with a write-back */
    const traffic t = moved(&r, LINE(GPC_LOAD, 0, .sm = 2));
    EXPECT_TRAFFIC(t, 5, HEADER + (HEADER + 96) + HEADER + (HEADER + 32) + (HEADER + 32), 4,
                   HEADER + HEADER + (HEADER + 96) + (HEADER + 32));
    cr_expect_eq(coherent_state(&r, "l1-2", 32), GPC_LINE_S);
    /* a request and two answers; two probes, to SM 0 for all; the second sector, absent from SM 1, arrives first */
    const traffic taken = moved(&r, LINE(GPC_STORE, 0, .sm = 2));
    EXPECT_TRAFFIC(taken, 3, 3 * HEADER, 4, 4 * HEADER);
    cr_expect_eq(coherent_state(&r, "l1-0", 64), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l1-2", 64), GPC_LINE_M);
    coherent_close(&r);
}

/* A request sent with another access's request must ask only for the same sectors. */
Test(timed_coherent_bundle, requests_of_an_lrc) {
    rig r;
    coherent_open(&r, "vi", SECTORS "lrc.sms = 2\nlrc.entries = 4\n");
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_step(&r);
    rig_issue(&r, WORDS(GPC_LOAD, 64, 2, 32, .sm = 1)); /* the last two sectors */
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).network_requests, 1);
    cr_expect_eq(rig_stats(&r).network_reply_bytes, HEADER + 128 + HEADER + 64);
    rig_issue(&r, WORD(GPC_LOAD, 1024));
    rig_step(&r);
    rig_issue(&r, LINE(GPC_LOAD, 1024, .sm = 1));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).network_requests, 3);
    rig_close(&r);
}

/* Cycles of two loads that find their lines in a slice. */
static uint64_t cycles_of_two(const char *settings) {
    rig r;
    coherent_open(&r, "vi", settings);
    moved(&r, LINE(GPC_LOAD, 0));
    moved(&r, LINE(GPC_LOAD, 1024));
    const uint64_t begin = gpc_hierarchy_now(r.hierarchy);
    rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_issue(&r, LINE(GPC_LOAD, 1024, .sm = 1));
    rig_finish(&r);
    const uint64_t cycles = gpc_hierarchy_now(r.hierarchy) - begin;
    coherent_close(&r);
    return cycles;
}

/* The second line waits until all sectors of the first line are out of the slice's data port. */
Test(timed_coherent_bundle, sectors_take_the_data_port_together) {
    const uint64_t cycles = cycles_of_two(SECTORS "l2.data_width = 8\n");
    cr_expect_eq(cycles, cycles_of_two("l2.data_width = 8\n"));
    cr_expect_gt(cycles, cycles_of_two(SECTORS "l2.data_width = 128\n"));
}
