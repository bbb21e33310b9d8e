/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* GPGPU-Sim's stages between parts: collectors before L1, writeback behind, way into L2, flits, DRAM's queue. */

#define MEMORY 200u
#define COLLECTORS "l1.collectors = 2\nl1.queue = 5\nl1.latency = 0\n"

static rig r; /* too large for a stack of many */

static uint64_t latency(const char *settings, shot s) {
    rig_open(&r, settings, MEMORY);
    const uint64_t cycles = rig_latency(&r, s);
    rig_close(&r);
    return cycles;
}

static uint64_t hit(const char *settings, shot s) {
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    const uint64_t cycles = rig_latency(&r, s);
    rig_close(&r);
    return cycles;
}

static void expect_refused(const char *settings, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused(settings, &error), GPC_ERROR_RANGE, "%s", settings);
    cr_expect(strstr(error.message, what), "%s: %s", settings, error.message);
}

/* Into a unit, the single operand, out of the unit: at the tags in the fourth cycle. A store has a further operand. */
Test(timed_simulated, way_to_the_tags) {
    cr_expect_eq(hit(COLLECTORS, LINE(GPC_LOAD, 0)), 4);
    cr_expect_eq(hit(COLLECTORS "l1.latency = 10\n", LINE(GPC_LOAD, 0)), 14);
    const uint64_t one = latency(COLLECTORS, LINE(GPC_STORE, 0)), two = latency(COLLECTORS, LINE(GPC_LOAD, 0));
    cr_expect_eq(latency(NULL, LINE(GPC_LOAD, 0)) - latency(NULL, LINE(GPC_STORE, 0)), two - one + 1);
}

/* While one is at the tags for long, a register, two units and a register hold four more. */
Test(timed_simulated, five_instructions) {
    gpc_busy busy;
    rig_open(&r, COLLECTORS "l1.mshr_entries = 1\n", MEMORY);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 8);
    for (uint64_t n = 1; n <= 5; n++) {
        cr_expect_eq(rig_try(&r, LINE(GPC_LOAD, n * 128), &busy), GPC_OK, "%llu", (unsigned long long)n);
        cr_expect_eq(rig_try(&r, LINE(GPC_LOAD, 4096), &busy), GPC_BUSY, "one a cycle");
        rig_steps(&r, 8);
    }
    cr_expect_eq(rig_try(&r, LINE(GPC_LOAD, 4096), &busy), GPC_BUSY);
    rig_finish(&r);
    rig_close(&r);
}

/* 32 lines are at the tags. Behind, unit 0 went last, so B, in unit 1, goes before A; C and D follow. */
Test(timed_simulated, units_take_turns) {
    uint64_t tokens[4];
    rig_open(&r, COLLECTORS, MEMORY);
    for (uint64_t n = 0; n < 32; n++)
        rig_latency(&r, LINE(GPC_LOAD, n * 128));
    rig_issue(&r, WORDS(GPC_LOAD, 0, 32, 128));
    rig_steps(&r, 5);
    rig_push(&r, LINE(GPC_LOAD, 0)); /* waits in the register before the tags */
    rig_steps(&r, 5);
    for (unsigned n = 0; n < 4; n++)
        tokens[n] = rig_push(&r, LINE(GPC_LOAD, n * 128));
    rig_finish(&r);
    const uint64_t a = r.done[tokens[0]].cycle, b = r.done[tokens[1]].cycle, c = r.done[tokens[2]].cycle;
    cr_expect_eq(a, b + 1, "%llu %llu", (unsigned long long)a, (unsigned long long)b);
    cr_expect_eq(c, a + 1);
    cr_expect(r.done[tokens[3]].cycle > c);
    rig_close(&r);
}

Test(timed_simulated, collectors_refused) {
    expect_refused("l1.collectors = 2\nl1.queue = 4\n", "l1.queue must be 5 with l1.collectors = 2");
    expect_refused(COLLECTORS "l1.issue_latency = 1\n", "l1.collectors needs");
    expect_refused(COLLECTORS "l1.reorder = pc\n", "l1.collectors needs");
    expect_refused(COLLECTORS "tlb.page = 64KiB\n", "l1.collectors needs");
    expect_refused(COLLECTORS "coherence = nmoesi\n", "l1.collectors = 0");
    expect_refused("coherence = nmoesi\nl2.intake = queue\n", "l2.intake = pipeline");
    expect_refused("coherence = nmoesi\ndram.latency_at = request\n", "dram.latency_at = data");
    expect_refused("l1.release_latency = 1\n", "l1.release_latency needs l1.release_width");
}

/* Constants go the same way, to the constant cache, one access at the tags of both. */
Test(timed_simulated, constants) {
    const char settings[] = COLLECTORS "const.size = 2KiB\nconst.latency = 0\n";
    const shot s = WORD(GPC_LOAD, 0x100, .space = GPC_SPACE_CONSTANT);
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, s);
    cr_expect_eq(rig_latency(&r, s), 4);
    rig_latency(&r, WORDS(GPC_LOAD, 0, 32, 128));
    const uint64_t first = rig_issue(&r, WORDS(GPC_LOAD, 0, 32, 128));
    rig_step(&r);
    const uint64_t then = rig_issue(&r, s);
    rig_finish(&r);
    cr_expect_eq(r.done[first].cycle, r.done[first].issued + 4 + 31);
    cr_expect_eq(r.done[then].cycle, r.done[first].cycle + 1);
    rig_close(&r);
}

Test(timed_simulated, release_latency) {
    const uint64_t turn = latency("l1.release_width = 128B\n", LINE(GPC_LOAD, 0));
    cr_expect_eq(turn, latency(NULL, LINE(GPC_LOAD, 0)) + 1);
    cr_expect_eq(latency("l1.release_width = 128B\nl1.release_latency = 7\n", LINE(GPC_LOAD, 0)), turn + 7);
}

#define WAY "sm.count = 2\nl2.rop_latency = 100\nl2.mshr_entries = 1\n"

/*
 * L2 has the line, but the load arrives while a miss waits for another's MSHR entry at the tags. From issue to
 * completion.
 */
static uint64_t behind(const char *settings) {
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 1));
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_step(&r);
    rig_issue(&r, LINE(GPC_LOAD, 128));
    rig_steps(&r, 150);
    const uint64_t token = rig_issue(&r, LINE(GPC_LOAD, 256));
    rig_finish(&r);
    rig_close(&r);
    return r.done[token].cycle - r.done[token].issued;
}

/* In a pipeline it continues even with the queue full; otherwise it starts a cycle after the queue has room. */
Test(timed_simulated, intake) {
    static const char full[] = WAY "l2.intake = queue\nl2.queue = 1\n",
                      roomy[] = WAY "l2.intake = queue\nl2.queue = 2\n";
    const uint64_t pipeline = behind(WAY "l2.queue = 1\n");
    cr_expect_eq(latency(full, LINE(GPC_LOAD, 0)), latency(WAY, LINE(GPC_LOAD, 0)) + 1);
    cr_expect_eq(behind(roomy), pipeline + 1);
    cr_expect_eq(behind(full), pipeline + 102, "%llu, %llu", (unsigned long long)behind(full),
                 (unsigned long long)pipeline);
}

/* A store is 5 flits: two have room at once, or the second as the first leaves. */
Test(timed_simulated, flits) {
    static const char base[] = "network.width = 32B\nnetwork.buffer_unit = flits\nnetwork.output_buffer = 64\n";
    char settings[256];
    uint64_t apart[2];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(settings, sizeof settings, "%snetwork.input_buffer = %u\n", base, i ? 5u : 10u);
        rig_open(&r, settings, MEMORY);
        apart[i] = rig_spread(&r, LINE(GPC_STORE, 0), 12, 128);
        rig_close(&r);
    }
    cr_expect_eq(apart[0], 11 * 5, "%llu", (unsigned long long)apart[0]);
    cr_expect_eq(apart[1], 11 * 5, "%llu", (unsigned long long)apart[1]);
    expect_refused("network.buffer_unit = flits\nnetwork.width = 32B\nnetwork.input_buffer = 4\n",
                   "network.input_buffer = 4, with network.buffer_unit = flits, does not hold a packet of 5 flits");
}

static uint64_t from_dram(const char *settings, unsigned count) {
    rig_open_dram(&r, settings);
    const uint64_t cycles =
        count == 1 ? rig_latency(&r, LINE(GPC_LOAD, 0)) : rig_spread(&r, LINE(GPC_LOAD, 0), count, 128);
    rig_close(&r);
    return cycles;
}

/* A single request takes as long; many wait before the channel's queue, which has no room for requests on the way. */
Test(timed_simulated, latency_of_requests) {
    static const char data[] = "dram.latency = 100\n", request[] = "dram.latency = 100\ndram.latency_at = request\n";
    const uint64_t one = from_dram(data, 1), other = from_dram(request, 1);
    cr_expect(other >= one && other <= one + 2, "%llu %llu", (unsigned long long)one, (unsigned long long)other);
    cr_expect_eq(from_dram("", 1) + 100, one);
    rig_open_dram(&r, request);
    rig_spread(&r, LINE(GPC_LOAD, 0), 40, 4096);
    const uint64_t waited = rig_stats(&r).dram_queue_cycles;
    rig_close(&r);
    rig_open_dram(&r, data);
    rig_spread(&r, LINE(GPC_LOAD, 0), 40, 4096);
    cr_expect(waited <= rig_stats(&r).dram_queue_cycles + 40);
    rig_close(&r);
    /* packets that nobody answers leave a full miss queue for the way, and the tags go on */
    rig_open_dram(&r, "dram.latency = 4\ndram.latency_at = request\nclock.dram = 20\nl2.size = 256B\nl2.ways = "
                      "2\nl2.miss_queue = 1\n");
    for (uint64_t i = 0; i < 8; i++)
        rig_push(&r, LINE(GPC_STORE, i * 128));
    rig_finish(&r);
    rig_close(&r);
    expect_refused("dram.latency = 1\ndram.latency_at = request\nl2.slices = 2\n", "dram.latency_at = request needs");
    expect_refused("dram.latency = 1\ndram.latency_at = request\nmemory.link_width = 32B\n", "needs");
}
