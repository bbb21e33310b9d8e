/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Acquires and flushes of a tree take time, and move bytes: by fences, and between kernels. */

static uint64_t cycles_of(const rig *r, uint64_t token) {
    return r->done[token].cycle - r->done[token].issued;
}

static uint64_t acquire(rig *r, uint32_t sm) {
    return rig_fence(r, (fence_shot){.order = GPC_ORDER_ACQUIRE, .scope = GPC_SCOPE_GPU, .sm = sm});
}

static void begin_kernel(rig *r) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_hierarchy_begin_kernel(r->hierarchy, NULL, &error), GPC_OK, "%s", error.message);
}

/* Lines leave at the rate of l1.invalidate_rate, and the tags stand still meanwhile. */
Test(timed_coherent_sweeps, lines_go_at_a_rate) {
    for (uint32_t lines = 0; lines <= 8; lines += 4) {
        rig r;
        coherent_open(&r, "vi", "l1.invalidate_rate = 2\n");
        for (uint32_t i = 0; i < lines; i++)
            rig_latency(&r, LINE(GPC_LOAD, i * 128));
        rig_latency(&r, LINE(GPC_LOAD, 0, .sm = 1));
        const uint64_t fence = acquire(&r, 0), load = rig_issue(&r, LINE(GPC_LOAD, 0));
        rig_finish(&r);
        cr_expect_eq(cycles_of(&r, fence), TAGS + (lines ? lines / 2 : 1), "%u lines: %u cycles", lines,
                     (unsigned)cycles_of(&r, fence));
        cr_expect_eq(rig_stats(&r).fence_lines, lines);
        cr_expect_eq(rig_stats(&r).fence_cycles, cycles_of(&r, fence));
        cr_expect_geq(r.done[load].cycle, r.done[fence].cycle + CROSS + L2_DATA + CROSS, "it has to be fetched again");
        cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_S, "another SM's stays");
        coherent_close(&r);
    }
}

/* Data in flight may be old: awaited, passed to waiting loads, and not kept. */
Test(timed_coherent_sweeps, what_is_on_its_way_is_not_kept) {
    rig r;
    coherent_open(&r, "vi", "");
    const uint64_t load = rig_issue(&r, LINE(GPC_LOAD, 0)), fence = acquire(&r, 0);
    rig_wait(&r, fence);
    cr_expect_eq(r.done[load].times, 1);
    cr_expect_geq(r.done[fence].cycle, r.done[load].cycle);
    cr_expect_leq(r.done[fence].cycle, r.done[load].cycle + 2);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_I);
    cr_expect_eq(rig_stats(&r).fence_lines, 1);
    coherent_close(&r);
}

/* slc-glc's L1s keep stored data until a release, which moves them, and ends with data in L2. */
Test(timed_coherent_sweeps, a_release_writes_back) {
    for (unsigned lines = 0; lines <= 4; lines += 4) {
        rig r;
        coherent_open(&r, "slc-glc", "");
        for (unsigned i = 0; i < lines; i++)
            rig_latency(&r, LINE(GPC_STORE, i * 128));
        const uint64_t before = coherent_stats(&r, "l1-0").low_sent;
        const uint64_t fence = rig_fence(&r, (fence_shot){.order = GPC_ORDER_RELEASE, .scope = GPC_SCOPE_GPU});
        rig_finish(&r);
        cr_expect_eq(coherent_stats(&r, "l1-0").low_sent - before, lines * (8 + 128));
        cr_expect_eq(rig_stats(&r).l1_write_back_sectors, lines * 4);
        if (lines) /* a line a cycle; L2 looks the last up, writes, and acknowledges */
            cr_expect_eq(cycles_of(&r, fence), TAGS + (lines - 1) + CROSS + ENTER + L2_DATA + CROSS + 1, "%u cycles",
                         (unsigned)cycles_of(&r, fence));
        coherent_close(&r);
    }
}

/* The cluster's cache is told first, by a message, and acknowledges; the other SM's copy stays. */
Test(timed_coherent_sweeps, through_a_cluster) {
    rig r;
    coherent_open(&r, "vi", "sm.count = 4\ncluster.sms = 2\n");
    rig_latency(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_latency(&r, LINE(GPC_LOAD, 0));
    const uint64_t sent = coherent_stats(&r, "l1-0").low_sent, received = coherent_stats(&r, "l1-0").low_received;
    const uint64_t fence = acquire(&r, 0);
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, fence), TAGS + CROSS + ENTER + CROSS + 1, "%u cycles", (unsigned)cycles_of(&r, fence));
    cr_expect_eq(coherent_stats(&r, "l1-0").low_sent - sent, 8);
    cr_expect_eq(coherent_stats(&r, "l1-0").low_received - received, 8);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "cluster-0", 0), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_S);
    coherent_close(&r);
}

/* Fences of many warps at once, among loads and stores: each ends once. */
Test(timed_coherent_sweeps, many_at_once) {
    /* not nmoesi-multi2sim, whose defects lose data */
    static const char *const protocols[] = {"vi",    "slc-glc", "hmg",    "msi",     "mesi",
                                            "mesif", "moesi",   "nmoesi", "nmoesi-d"};
    for (unsigned p = 0; p < 2; p++) {
        uint64_t random = 5;
        rig r;
        coherent_open(&r, protocols[p], "sm.count = 4\ncluster.sms = 2\nl1.size = 2KiB\n");
        for (uint32_t i = 0; i < 1500; i++) {
            const uint32_t sm = rig_below(&random, 4), what = rig_below(&random, 8);
            const uint64_t address = 128u * rig_below(&random, 64);
            if (!what)
                (void)rig_try_fence(&r,
                                    (fence_shot){.order = rig_below(&random, 2) ? GPC_ORDER_SC : GPC_ORDER_ACQUIRE,
                                                 .scope = GPC_SCOPE_GPU,
                                                 .sm = sm,
                                                 .warp = rig_below(&random, 8)},
                                    NULL);
            else
                (void)rig_try(&r,
                              LINE(what < 3   ? GPC_STORE
                                   : what < 4 ? GPC_ATOMIC
                                              : GPC_LOAD,
                                   address, .sm = sm),
                              NULL);
            rig_steps(&r, rig_below(&random, 6));
        }
        coherent_close(&r);
    }
}

/* -- between kernels */

/* With empty caches a kernel begins at once. */
Test(timed_coherent_sweeps, nothing_to_flush) {
    rig r;
    coherent_open(&r, "nmoesi", "kernels.flush = l1\n");
    begin_kernel(&r);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0), MISS);
    coherent_close(&r);
}

/* Two L1s have each stored to half a line: the slice takes both halves back before the next kernel's loads. */
Test(timed_coherent_sweeps, a_kernels_stores_leave) {
    rig r;
    coherent_open(&r, "nmoesi", "kernels.flush = l1\n");
    for (uint32_t sm = 0; sm < 2; sm++)
        rig_latency(&r, WORDS(GPC_STORE, 64 * sm, 16, 4, .sm = sm));
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_N);
    cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_N);
    const measured_module slice = coherent_stats(&r, "l2-0");
    begin_kernel(&r);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 1, "the kernel waits");
    cr_expect_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, NULL), GPC_ERROR_STATE, "one after the other");
    const uint64_t load = rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_finish(&r);
    cr_expect_eq(coherent_stats(&r, "l2-0").write_probes - slice.write_probes, 0);
    cr_expect_eq(coherent_stats(&r, "l1-0").write_probes + coherent_stats(&r, "l1-1").write_probes, 2);
    cr_expect_eq(coherent_stats(&r, "l1-0").low_sent, 2 * 8 + 8 + 128, "its requests, and what it had stored");
    cr_expect_geq(cycles_of(&r, load), 2 * CROSS + L1_DATA + CROSS + ENTER + L2_DATA + CROSS);
    cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_I);
    cr_expect_eq(r.done[load].level, 2);
    coherent_close(&r);
}

/* The final state equals a flush without a clock. */
Test(timed_coherent_sweeps, as_without_a_clock) {
    static const char *const protocols[] = {"msi", "mesi", "moesi", "nmoesi", "vi", "slc-glc"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (unsigned clusters = 0; clusters < 3; clusters++) {
            static const char *const shapes[] = {"", "cluster.sms = 2\n", "l2.enabled = false\n"};
            char settings[128];
            uint64_t random = 11;
            rig r;
            snprintf(settings, sizeof settings, "sm.count = 4\nkernels.flush = l1\nl1.size = 4KiB\n%s",
                     shapes[clusters]);
            coherent_open(&r, protocols[p], settings);
            for (uint32_t i = 0; i < 300; i++)
                rig_latency(&r, LINE(rig_below(&random, 2) ? GPC_STORE : GPC_LOAD, 128u * rig_below(&random, 48),
                                     .sm = rig_below(&random, 4)));
            begin_kernel(&r);
            cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
            cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
            for (uint32_t i = 0; i < 48; i++) {
                char name[8];
                for (uint32_t sm = 0; sm < 4; sm++) {
                    snprintf(name, sizeof name, "l1-%u", sm);
                    cr_expect_eq(coherent_state(&r, name, 128u * i), GPC_LINE_I, "%s, %s: %s has line %u", protocols[p],
                                 shapes[clusters], name, i);
                }
            }
            begin_kernel(&r);
            cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0, "%s, %s: once more", protocols[p], shapes[clusters]);
            coherent_close(&r);
        }
}

#define READERS 3u
#define LINES 6u

typedef struct kernel_run {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint64_t random;
    uint32_t found, words[LINES][READERS];
} kernel_run;

/* Store `value` into a word of a line, or load r->found, and wait. */
static void access_word(kernel_run *r, gpc_kind kind, uint32_t sm, uint32_t line, uint32_t word, uint32_t value) {
    gpc_error error = GPC_ERROR_INIT;
    const uint64_t address = 0x10000 + line * 128 + word * 8;
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.sm = sm;
    a.mask = 1;
    a.width = 4;
    a.kind = (uint8_t)kind;
    a.addresses = &address;
    a.bytes = kind == GPC_STORE ? (const uint8_t *)&value : NULL;
    a.out = kind == GPC_LOAD ? (uint8_t *)&r->found : NULL;
    cr_assert_eq(gpc_hierarchy_try_issue(r->h, &a, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r->h, &error), GPC_OK, "%s", error.message);
}

/* SMs store to separate words in more lines than fit in L2; all SMs of the next kernel read all words. */
static void two_kernels(const char *protocol, uint32_t seed) {
    gpc_error error = GPC_ERROR_INIT;
    kernel_run r = {.random = seed};
    char text[256];
    snprintf(text, sizeof text,
             "coherence = %s\ncoherence.data = true\nsm.count = %u\nl2.slices = 1\nl2.size = 256B\nl2.ways = 2\n"
             "l1.size = 512B\nkernels.flush = l1\nl2.inclusion = non-inclusive\n",
             protocol, READERS);
    coherent_make(text, &r.context, &r.config, &r.h);
    for (uint32_t n = 0; n < 16; n++) {
        const uint32_t sm = rig_below(&r.random, READERS), line = rig_below(&r.random, LINES);
        if (rig_below(&r.random, 3))
            access_word(&r, GPC_STORE, sm, line, sm, r.words[line][sm] = rig_below(&r.random, 1000));
        else
            access_word(&r, GPC_LOAD, sm, line, sm, 0);
    }
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.h, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_drain(r.h, &error), GPC_OK, "%s", error.message);
    for (uint32_t n = 0; n < READERS * LINES * READERS; n++) {
        const uint32_t line = n / READERS % LINES, word = n % READERS;
        access_word(&r, GPC_LOAD, n / READERS / LINES, line, word, 0);
        cr_assert_eq(r.found, r.words[line][word], "%s, seed %u: SM %u has %u in word %u of line %u, not %u", protocol,
                     seed, n / READERS / LINES, r.found, word, line, r.words[line][word]);
    }
    gpc_hierarchy_destroy(r.h);
    gpc_config_destroy(r.config);
    gpc_context_destroy(r.context);
}

Test(timed_coherent_sweeps, the_next_kernel_reads_what_was_stored) {
    /* not nmoesi-multi2sim, whose defects lose data */
    static const char *const protocols[] = {"vi",    "slc-glc", "hmg",    "msi",     "mesi",
                                            "mesif", "moesi",   "nmoesi", "nmoesi-d"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (uint32_t seed = 1; seed <= effort_of(160); seed++)
            two_kernels(protocols[p], seed);
}
