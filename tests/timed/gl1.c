/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* GL1s: caches of data between L1s and L2, for some SMs each. */

#define MEMORY 200u
#define SHARED "sm.count = 4\ngl1.size = 8KiB\ngl1.ways = 4\ngl1.sms = 2\ngl1.latency = 30\ngl1.data_width = 128B\n"
#define ISSUE 1u /* an access is at L1's tags in the cycle after its issue */
#define WAY 1u   /* a packet is at the GL1's tags in the cycle after it has left L1 */
#define LATENCY 30u

static uint64_t plain(const char *settings, shot s) {
    rig r;
    rig_open(&r, settings, MEMORY);
    const uint64_t cycles = rig_latency(&r, s);
    rig_close(&r);
    return cycles;
}

/* The second SM of a GL1 finds the first SM's line; an SM of another GL1 reads L2. */
Test(gl1, is_shared) {
    rig r;
    rig_open(&r, SHARED, MEMORY);
    const uint64_t miss = rig_latency(&r, LINE(GPC_LOAD, 256)), hit = rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 1)),
                   other = rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 2));
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_eq(r.done[1].level, 1);
    cr_expect_eq(r.done[2].level, 2);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.gl1_read_sectors, 12);
    cr_expect_eq(s.gl1_read_sector_hits, 4);
    cr_expect_eq(s.gl1_fetched_sectors, 8);
    cr_expect_eq(s.l2_read_sectors, 8);
    cr_expect_eq(s.l2_read_sector_hits, 4);
    cr_expect_eq(rig_latency(&r, LINE(GPC_LOAD, 256)), ISSUE + 10, "L1 keeps its copy");
    cr_expect_eq(rig_stats(&r).gl1_read_sectors, 12);
    rig_close(&r);
    cr_expect_eq(miss, plain("", LINE(GPC_LOAD, 256)) + WAY + LATENCY);
    cr_expect_lt(hit, other);
    cr_expect_eq(hit, ISSUE + WAY + LATENCY);
}

/* The cycle before the data of a hit have come, and the cycle in which the data have come. */
Test(gl1, latency_of_a_hit) {
    for (uint32_t latency = 1; latency <= 61; latency += 20) {
        rig r;
        char settings[200];
        snprintf(settings, sizeof settings, SHARED "gl1.latency = %u\n", latency);
        rig_open(&r, settings, MEMORY);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        const uint64_t issued = rig_now(&r), token = rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1));
        while (rig_now(&r) < issued + ISSUE + WAY + latency - 1)
            rig_step(&r);
        cr_expect_eq(r.done[token].times, 0);
        rig_step(&r);
        cr_expect_eq(r.done[token].times, 1, "%u", latency);
        rig_close(&r);
    }
}

/* Stores and atomics of any SM drop the line, and go on to L2. */
Test(gl1, writes_drop_lines) {
    static const uint8_t kinds[] = {GPC_STORE, GPC_ATOMIC, GPC_REDUCTION};
    for (size_t i = 0; i < sizeof kinds; i++) {
        rig r;
        rig_open(&r, SHARED "gl1.sms = 4\n", MEMORY);
        rig_latency(&r, LINE(GPC_LOAD, 256));
        rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 1));
        cr_expect_eq(rig_stats(&r).l2_read_sectors, 4);
        rig_latency(&r, WORD(kinds[i], 256, .sm = 2));
        rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 3));
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.gl1_read_sector_hits, 4);
        cr_expect_eq(s.l2_read_sectors, 8);
        cr_expect_eq(s.l2_write_sectors + s.l2_atomic_sectors, 1);
        rig_close(&r);
    }
}

/* Loads that ask for data of L2 pass the GL1, and leave nothing there. */
Test(gl1, some_loads_pass) {
    const shot shots[] = {LINE(GPC_LOAD, 256, .hint = GPC_HINT_CG), LINE(GPC_LOAD, 256, .hint = GPC_HINT_CV),
                          LINE(GPC_LOAD, 256, .order = GPC_ORDER_RELAXED, .scope = GPC_SCOPE_GPU),
                          LINE(GPC_LOAD, 256, .hint = GPC_HINT_CG, .copy = GPC_COPY_ASYNC)};
    for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
        rig r;
        shot again = shots[i];
        again.sm = 1;
        rig_open(&r, SHARED, MEMORY);
        rig_latency(&r, shots[i]);
        rig_latency(&r, again);
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.gl1_read_sectors, 0);
        cr_expect_eq(s.l2_read_sectors, 8);
        rig_close(&r);
    }
    cr_expect_eq(plain(SHARED, shots[0]), plain("", shots[0]) + WAY);
}

/* A read of a line in flight waits for the read before. */
Test(gl1, reads_merge) {
    rig r;
    rig_open(&r, SHARED, MEMORY);
    const uint64_t a = rig_issue(&r, LINE(GPC_LOAD, 256)), b = rig_issue(&r, LINE(GPC_LOAD, 256, .sm = 1));
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l2_read_sectors, 4);
    cr_expect_eq(s.gl1_read_sector_hits, 4);
    cr_expect_eq(s.gl1_pending_sector_hits, 4);
    cr_expect_eq(r.done[a].level, 3);
    cr_expect_eq(r.done[b].level, 3);
    const uint64_t first = r.done[a].cycle, second = r.done[b].cycle;
    cr_expect_eq(first > second ? first - second : second - first, 1, "the data port has 128 bytes a cycle");
    rig_close(&r);
}

/* A store while the line is in flight: waiting reads are served, the line is not kept, and a later read asks again. */
Test(gl1, outdated_reads_are_not_kept) {
    rig r;
    rig_open(&r, SHARED "gl1.sms = 4\n", MEMORY);
    rig_issue(&r, LINE(GPC_LOAD, 256));
    rig_steps(&r, 5);
    rig_issue(&r, WORD(GPC_STORE, 256, .sm = 1));
    rig_steps(&r, 5);
    rig_issue(&r, LINE(GPC_LOAD, 256, .sm = 2));
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.gl1_fetched_sectors, 8);
    cr_expect_gt(s.gl1_stalls, 100, "it waits at the tags until the read has returned");
    rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 3));
    cr_expect_eq(rig_stats(&r).gl1_fetched_sectors, 8);
    rig_close(&r);
}

/* An acquire of an SM empties the SM's L1 and GL1; data in flight then are not kept. */
Test(gl1, fences_drop_lines) {
    for (unsigned flying = 0; flying < 2; flying++) {
        rig r;
        rig_open(&r, SHARED "coherence = viper\nkernels.flush = l1\n", MEMORY);
        rig_issue(&r, LINE(GPC_LOAD, 256));
        rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 2));
        if (!flying)
            rig_finish(&r);
        else
            rig_issue(&r, LINE(GPC_LOAD, 512));
        rig_steps(&r, 6);
        rig_wait(&r, rig_fence(&r, (fence_shot){GPC_SCOPE_GPU, GPC_ORDER_ACQUIRE, GPC_CONTROL_NONE, .sm = 1}));
        rig_finish(&r);
        const uint64_t before = rig_stats(&r).gl1_fetched_sectors;
        rig_latency(&r, LINE(GPC_LOAD, flying ? 512 : 256, .sm = 1));
        cr_expect_eq(rig_stats(&r).gl1_fetched_sectors, before + 4, "%u", flying);
        rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 3));
        cr_expect_eq(rig_stats(&r).gl1_fetched_sectors, before + 4, "the other GL1 keeps its lines");
        rig_close(&r);
    }
}

/* A kernel begins with empty GL1s, where L1s are emptied. */
Test(gl1, kernels_drop_lines) {
    for (unsigned flush = 0; flush < 2; flush++) {
        rig r;
        rig_open(&r, flush ? SHARED "kernels.flush = l1\n" : SHARED, MEMORY);
        rig_latency(&r, LINE(GPC_LOAD, 256));
        const gpc_launch launch = GPC_LAUNCH_INIT;
        cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, &launch, NULL), GPC_OK);
        gpc_hierarchy_reset_stats(r.hierarchy);
        rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 1));
        cr_expect_eq(rig_stats(&r).gl1_read_sector_hits, flush ? 0 : 4);
        rig_close(&r);
    }
}

/* MSHR entries, merges and queues of a GL1 hold reads up. */
Test(gl1, entries_merges_and_queues) {
    static const struct {
        const char *settings;
        uint64_t apart; /* bytes between lines of four SMs */
        bool stalls;
    } rows[] = {
        {"", 128, false},
        {"gl1.mshr_entries = 1\n", 128, true},
        {"gl1.mshr_merges = 1\n", 0, true},
        {"gl1.miss_queue = 1\nnetwork.width = 1B\nnetwork.input_buffer = 1\n", 512, true},
        {"gl1.queue = 1\n", 128, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig r;
        char settings[300];
        snprintf(settings, sizeof settings, SHARED "gl1.sms = 4\n%s", rows[i].settings);
        rig_open(&r, settings, MEMORY);
        for (uint32_t n = 0; n < 32; n++)
            rig_issue(&r, LINE(GPC_LOAD, (n + 1) * rows[i].apart, .sm = n % 4));
        rig_finish(&r);
        cr_expect_eq(rig_stats(&r).gl1_stalls > 0, rows[i].stalls, "%s: %u", rows[i].settings,
                     (unsigned)rig_stats(&r).gl1_stalls);
        rig_close(&r);
    }
}

/* Cycles in which four SMs each read 16 lines that the GL1 has. */
static uint64_t cycles_of_hits(const char *settings, uint64_t apart) {
    rig r;
    char all[300];
    snprintf(all, sizeof all, SHARED "sm.count = 5\ngl1.sms = 5\ngl1.size = 64KiB\n%s", settings);
    rig_open(&r, all, MEMORY);
    for (uint64_t i = 0; i < 64; i++)
        rig_latency(&r, LINE(GPC_LOAD, i * apart, .sm = 4));
    uint64_t last = 0;
    for (uint32_t n = 0; n < 64; n++)
        rig_issue(&r, LINE(GPC_LOAD, n * apart, .sm = n % 4));
    rig_finish(&r);
    for (uint32_t n = 64; n < 128; n++)
        last = r.done[n].cycle > last ? r.done[n].cycle : last;
    const uint64_t cycles = last - r.done[64].issued;
    cr_expect_geq(rig_stats(&r).gl1_read_sector_hits, 4 * 60, "%s", settings);
    rig_close(&r);
    return cycles;
}

/* A hit takes a bank of the tags and its part of the data port. */
Test(gl1, bandwidth) {
    const uint64_t one = cycles_of_hits("gl1.banks = 1\n", 128), four = cycles_of_hits("gl1.data_width = 512B\n", 128);
    cr_expect_geq(one, 64);
    cr_expect_lt(four, one - 30, "four lines a cycle: %u, %u", (unsigned)four, (unsigned)one);
    cr_expect_geq(cycles_of_hits("gl1.data_width = 512B\n", 512), 64, "all lines are in one bank");
    const uint64_t narrow = cycles_of_hits("gl1.data_width = 32B\n", 128);
    cr_expect_geq(narrow, 256);
}

/* SMs of a GL1 have equal shares of a busy GL1. */
Test(gl1, is_fair) {
    rig r;
    uint64_t last[4] = {0}, least = UINT64_MAX, most = 0;
    rig_open(&r, SHARED "gl1.sms = 4\ngl1.mshr_entries = 2\ngl1.queue = 2\n", MEMORY);
    for (uint32_t n = 0; n < 128; n++)
        rig_issue(&r, LINE(GPC_LOAD, n * 4096, .sm = n % 4));
    rig_finish(&r);
    for (uint32_t n = 0; n < 128; n++)
        last[n % 4] = r.done[n].cycle > last[n % 4] ? r.done[n].cycle : last[n % 4];
    for (unsigned sm = 0; sm < 4; sm++) {
        least = last[sm] < least ? last[sm] : least;
        most = last[sm] > most ? last[sm] : most;
    }
    cr_expect_lt(most - least, (most - r.done[0].issued) / 8);
    rig_close(&r);
}

/* A host's own L1s read through the GL1. */
Test(gl1, misses_of_a_host) {
    rig r;
    rig_open(&r, SHARED, MEMORY);
    for (uint32_t sm = 0; sm < 2; sm++) {
        const gpc_request request = {.address = 256, .sm = sm, .kind = GPC_LOAD};
        cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, r.issued, NULL, NULL), GPC_OK);
        r.done[r.issued++].accepted = true;
        rig_finish(&r);
    }
    cr_expect_eq(r.done[1].cycle - r.done[1].issued, ISSUE + WAY + LATENCY);
    cr_expect_eq(rig_stats(&r).gl1_read_sector_hits, 4);
    rig_close(&r);
}

/* Settings that exclude a GL1 are refused by the name of its key. */
Test(gl1, refused) {
    static const char *const rows[][2] = {
        {"l1.enabled = false\n", "gl1.size = 8KiB: needs l1.enabled = true"},
        {"l2.partitions = 2\nl2.slices = 2\n", "gl1.size = 8KiB: needs l2.partitions = 1"},
        {"l2.inclusion = inclusive\n", "gl1.size = 8KiB: needs l2.inclusion = non-inclusive"},
        {"lrc.sms = 2\n", "gl1.size = 8KiB: needs lrc.sms = 0"},
        {"l15.size = 1KiB\nl15.sms = 3\n", "gl1.size = 8KiB: needs a gl1.sms that is a multiple of l15.sms"},
        {"l1.bypass = agcb\n", "gl1.size = 8KiB: needs an l1.bypass that hears no replies of L2"},
        {"gl1.size = 128B\n", "gl1.size = 128B: is less than one set of gl1.ways lines"},
        {"coherence.data = true\nl1.write_policy = through\nl1.write_policy_local = through\n",
         "gl1.size = 8KiB: needs coherence.data = false"},
        {"coherence = nmoesi\nl1.write_policy = back\nl1.write_policy_local = back\n", "gl1.size = 0B"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[400];
        gpc_error error = GPC_ERROR_INIT;
        snprintf(settings, sizeof settings, SHARED "%s", rows[i][0]);
        cr_expect_lt(rig_refused(settings, &error), 0, "%s", rows[i][0]);
        cr_expect(strstr(error.message, rows[i][1]), "%s: %s", rows[i][0], error.message);
    }
}
