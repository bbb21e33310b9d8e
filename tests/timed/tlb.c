/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "measured.h"
#include "timed/drive.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Address translation with a clock. Lines meant to hit in L1 lie in consecutive pages, each in another set. */

#define MEMORY 200u
#define KIB UINT64_C(1024)
/* One word per page: 128 of them fit into L1. */
#define PAGE_WORD(page, bytes) ((page) * (bytes) + (page) % 32 * 128)
/* TLBs with short latencies. */
#define SMALL "tlb.page = 4KiB\ntlb.l1_latency = 1\ntlb.l2_latency = 20\ntlb.walk_latency = 300\n"

static uint64_t chase(rig *r, uint64_t pages, uint64_t bytes) {
    uint64_t cycles = 0;
    for (uint64_t page = 0; page < pages; page++)
        cycles += rig_latency(r, WORD(GPC_LOAD, PAGE_WORD(page, bytes)));
    return cycles;
}

/* Cycles of a load of a chase over a number of pages, in the steady state: all equally long. */
static uint64_t step_of(const char *settings, uint64_t pages, uint64_t bytes) {
    rig r;
    rig_open(&r, settings, MEMORY);
    chase(&r, pages, bytes);
    chase(&r, pages, bytes);
    const uint64_t cycles = chase(&r, pages, bytes);
    rig_close(&r);
    cr_assert_eq(cycles % pages, 0, "%llu pages: %llu cycles", (unsigned long long)pages, (unsigned long long)cycles);
    return cycles / pages;
}

/* The reach of a TLB is entries times page size, to the page: with LRU, one page more than that always misses. */
Test(tlb, reach_of_both_is_entries_times_page_size) {
    static const char *const names[] = {"4KiB", "64KiB", "2MiB"};
    static const uint64_t bytes[] = {4 * KIB, 64 * KIB, 2048 * KIB};
    for (size_t i = 0; i < 3; i++) {
        char settings[256];
        snprintf(settings, sizeof settings,
                 SMALL "tlb.page = %s\ntlb.l1_entries = 8\ntlb.l2_entries = 32\n"
                       "tlb.l2_ways = full\n",
                 names[i]);
        const uint64_t hit = step_of("", 1, bytes[i]);
        for (uint64_t pages = 1; pages <= 40; pages++) {
            const uint64_t found = step_of(settings, pages, bytes[i]),
                           expected = hit + 1 + (pages > 8 ? 20 : 0) + (pages > 32 ? 300 : 0);
            cr_expect_eq(found, expected, "%s, %u pages: %u cycles, not %u", names[i], (unsigned)pages, (unsigned)found,
                         (unsigned)expected);
        }
    }
}

/* Beside the tags, or before them; for accesses past L1's tags alike. */
Test(tlb, latency_of_a_hit) {
    const uint64_t none = step_of("", 1, 4 * KIB);
    cr_expect_eq(step_of(SMALL "tlb.l1_latency = 0\n", 1, 4 * KIB), none);
    cr_expect_eq(step_of(SMALL "tlb.l1_latency = 7\n", 1, 4 * KIB), none + 7);
    cr_expect_eq(step_of(SMALL "l1.enabled = false\n", 1, 4 * KIB), step_of("l1.enabled = false\n", 1, 4 * KIB) + 1);
}

static void expect(const rig *r, uint64_t l1[3], uint64_t l2[3], uint64_t walks) {
    const measured_stats s = rig_stats(r);
    cr_expect(s.tlb_l1_accesses == l1[0] && s.tlb_l1_hits == l1[1] && s.tlb_l1_merges == l1[2], "L1 TLBs: %u, %u, %u",
              (unsigned)s.tlb_l1_accesses, (unsigned)s.tlb_l1_hits, (unsigned)s.tlb_l1_merges);
    cr_expect(s.tlb_l2_accesses == l2[0] && s.tlb_l2_hits == l2[1] && s.tlb_l2_merges == l2[2], "L2 TLB: %u, %u, %u",
              (unsigned)s.tlb_l2_accesses, (unsigned)s.tlb_l2_hits, (unsigned)s.tlb_l2_merges);
    cr_expect_eq(s.tlb_walks, walks, "%u walks", (unsigned)s.tlb_walks);
}
#define THREE(...) ((uint64_t[3]){__VA_ARGS__})

/* Two loads of one page, then one more: the second merges, the third hits. */
Test(tlb, misses_of_a_page_merge) {
    rig r;
    rig_open(&r, SMALL "tlb.l1_latency = 0\n", MEMORY);
    const uint64_t a = rig_issue(&r, WORD(GPC_LOAD, 0x10000)), b = rig_issue(&r, WORD(GPC_LOAD, 0x10080, .warp = 1));
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    expect(&r, THREE(2, 0, 1), THREE(1, 0, 0), 1);
    cr_expect_eq(s.tlb_walk_cycles, 300);
    cr_expect_eq(s.tlb_walk_waits, 20); /* the L2 TLB's lookup */
    cr_expect_eq(s.tlb_wait_cycles, 2 * 320);
    /* both are at the tags in the cycle when the page is known; one lookup a cycle there */
    cr_expect_eq(r.done[b].cycle, r.done[a].cycle + 1);
    rig_wait(&r, rig_issue(&r, WORD(GPC_LOAD, 0x10100)));
    expect(&r, THREE(3, 1, 1), THREE(1, 0, 0), 1);
    rig_close(&r);
}

/*
 * A page's walk for two SMs: one walk, and both have the page 320 cycles after their lookup; a third hits in the L2
 * TLB.
 */
Test(tlb, walks_of_a_page_merge) {
    rig r;
    rig_open(&r, SMALL "sm.count = 3\n", MEMORY);
    const uint64_t a = rig_issue(&r, WORD(GPC_LOAD, 0x10000)), b = rig_issue(&r, WORD(GPC_LOAD, 0x10000, .sm = 1));
    rig_steps(&r, 200);
    const uint64_t late = rig_issue(&r, WORD(GPC_LOAD, 0x10000, .sm = 2)); /* joins the running walk */
    rig_finish(&r);
    expect(&r, THREE(3, 0, 0), THREE(3, 0, 2), 1);
    cr_expect_lt(r.done[a].cycle, r.done[a].issued + 321 + 2 * MEMORY);
    cr_expect_leq(r.done[b].cycle, r.done[a].cycle + 2);
    cr_expect_leq(r.done[late].cycle, r.done[a].cycle + 3);
    rig_close(&r);
}

/* Cycles until two loads are done, each of a separate page and in L1. */
static uint64_t two_pages(const char *settings, uint64_t *second) {
    rig r;
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, PAGE_WORD(1, 4 * KIB)));
    rig_latency(&r, WORD(GPC_LOAD, PAGE_WORD(2, 4 * KIB)));
    for (uint64_t page = 3; page < 3 + 16; page++) /* both pages leave the TLBs, not L1 */
        rig_latency(&r, WORD(GPC_LOAD, PAGE_WORD(page, 4 * KIB)));
    gpc_hierarchy_reset_stats(r.hierarchy);
    const uint64_t a = rig_issue(&r, WORD(GPC_LOAD, PAGE_WORD(1, 4 * KIB))),
                   b = rig_issue(&r, WORD(GPC_LOAD, PAGE_WORD(2, 4 * KIB), .warp = 1));
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.tlb_walks, 2);
    cr_expect_eq(s.tlb_walk_cycles, 600);
    cr_expect_eq(s.tlb_l1_stalls, strstr(settings, "l1_mshr_entries = 1\n") ? 320 : 0, "%u", (unsigned)s.tlb_l1_stalls);
    cr_expect_eq(s.tlb_l2_stalls, strstr(settings, "l2_mshr_entries = 1\n") ? 320 : 0, "%u", (unsigned)s.tlb_l2_stalls);
    *second = r.done[b].cycle - r.done[b].issued;
    const uint64_t first = r.done[a].cycle - r.done[a].issued;
    rig_close(&r);
    return first;
}

/* A scarce resource makes the second page wait: an MSHR entry of either TLB, or a walker. */
Test(tlb, limits) {
    static const struct {
        const char *settings;
        uint64_t behind;
    } cases[] = {
        {"", 1}, /* limit of the tags: one lookup a cycle */
        {"tlb.l1_mshr_entries = 1\n", 320},
        {"tlb.l2_mshr_entries = 1\n", 320},
        {"tlb.walkers = 1\n", 300},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char settings[512];
        uint64_t second;
        snprintf(settings, sizeof settings, SMALL "tlb.l1_entries = 2\ntlb.l2_entries = 4\ntlb.l2_ways = full\n%s",
                 cases[i].settings);
        const uint64_t first = two_pages(settings, &second);
        cr_expect_eq(second - first, cases[i].behind, "%s: %u cycles behind", cases[i].settings,
                     (unsigned)(second - first));
    }
}

/* Two loads of a known page take the ports needed by a third, of an unknown page. */
static uint64_t behind_two(const char *settings) {
    rig r;
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, 0x20000));
    rig_latency(&r, WORD(GPC_LOAD, 0x10000));
    rig_issue(&r, WORD(GPC_LOAD, 0x10000));
    rig_issue(&r, WORD(GPC_LOAD, 0x10000, .warp = 1));
    const uint64_t third = rig_issue(&r, WORD(GPC_LOAD, 0x20000, .warp = 2));
    rig_finish(&r);
    const uint64_t cycles = r.done[third].cycle - r.done[third].issued;
    rig_close(&r);
    return cycles;
}

/* Lookups per cycle: of an L1 TLB; of the L2 TLB, which takes SMs in turn. */
Test(tlb, ports) {
    const uint64_t many = behind_two(SMALL "tlb.l1_entries = 1\n");
    cr_expect_eq(behind_two(SMALL "tlb.l1_entries = 1\ntlb.l1_ports = 3\n"), many);
    cr_expect_eq(behind_two(SMALL "tlb.l1_entries = 1\ntlb.l1_ports = 2\n"), many + 1);
    cr_expect_eq(behind_two(SMALL "tlb.l1_entries = 1\ntlb.l1_ports = 1\n"), many + 2);
    for (uint32_t ports = 1; ports <= 3; ports++) {
        char settings[200];
        rig r;
        snprintf(settings, sizeof settings, SMALL "sm.count = 3\ntlb.l2_ports = %u\n", ports);
        rig_open(&r, settings, MEMORY);
        for (uint32_t sm = 0; sm < 3; sm++)
            rig_issue(&r, WORD(GPC_LOAD, 0x10000 * (sm + 1), .sm = sm));
        rig_finish(&r);
        cr_expect_eq(rig_stats(&r).tlb_wait_cycles, 3 * 320 + (ports == 1 ? 1 + 2 : ports == 2), "%u ports: %u", ports,
                     (unsigned)rig_stats(&r).tlb_wait_cycles);
        rig_close(&r);
    }
}

/* The SM behind the last SM is first, in the same word of 64 SMs and in the next. */
Test(tlb, sms_in_turn) {
    static const uint32_t last[] = {0, 1, 62, 63, 64, 69};
    for (unsigned i = 0; i < sizeof last / sizeof *last; i++) {
        rig r;
        rig_open(&r, SMALL "sm.count = 70\ntlb.l2_ports = 1\n", MEMORY);
        rig_latency(&r, WORD(GPC_LOAD, 0x10000, .sm = last[i]));
        const uint64_t again = rig_issue(&r, WORD(GPC_LOAD, 0x20000, .sm = last[i])),
                       next = rig_issue(&r, WORD(GPC_LOAD, 0x30000, .sm = (last[i] + 1) % 70));
        rig_finish(&r);
        cr_expect_eq(r.done[again].cycle, r.done[next].cycle + 1, "behind SM %u", last[i]);
        rig_close(&r);
    }
}

/* GPUs have equal L2 TLBs, one each: a walk in one is no walk in another, and takes no port of another. */
Test(tlb, gpus) {
    uint64_t cycles[2][2];
    for (unsigned gpus = 1; gpus <= 2; gpus++) {
        rig r;
        rig_open(&r,
                 gpus == 1 ? SMALL "sm.count = 2\ntlb.l2_ports = 1\n"
                           : SMALL "sm.count = 2\ntlb.l2_ports = 1\ngpu.count = 2\n",
                 MEMORY);
        for (uint32_t sm = 0; sm < 2 * gpus; sm++)
            rig_issue(&r, WORD(GPC_LOAD, 0x10000 + sm % 2 * 0x1000, .sm = sm));
        rig_finish(&r);
        for (uint32_t sm = 0; sm < 2 * gpus; sm++) {
            const uint64_t end = r.done[sm].cycle;
            if (sm < 2)
                cycles[gpus - 1][sm] = end;
            cr_expect_eq(end, cycles[0][sm % 2], "SM %u of %u GPUs: %u, not %u cycles", sm, gpus, (unsigned)end,
                         (unsigned)cycles[0][sm % 2]);
        }
        expect(&r, THREE(2 * gpus, 0, 0), THREE(2 * gpus, 0, 0), 2 * gpus);
        rig_close(&r);
    }
}

/* Merges: the third load of a page is held up until the page is known, and later loads, too. */
Test(tlb, merges_are_limited) {
    rig r;
    rig_open(&r, SMALL "tlb.l1_mshr_merges = 2\n", MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, 0x40000));
    gpc_hierarchy_reset_stats(r.hierarchy);
    for (uint32_t i = 0; i < 3; i++)
        rig_issue(&r, WORD(GPC_LOAD, 0x10000, .warp = i));
    const uint64_t behind = rig_issue(&r, WORD(GPC_LOAD, 0x40000, .warp = 3));
    rig_finish(&r);
    cr_expect_gt(r.done[behind].cycle - r.done[behind].issued, 320);
    cr_expect_eq(rig_stats(&r).tlb_l1_stalls, 320, "%u", (unsigned)rig_stats(&r).tlb_l1_stalls);
    expect(&r, THREE(4, 2, 1), THREE(1, 0, 0), 1);
    rig_close(&r);
    rig_open(&r, SMALL "sm.count = 3\ntlb.l2_mshr_merges = 2\n", MEMORY);
    for (uint32_t i = 0; i < 3; i++)
        rig_issue(&r, WORD(GPC_LOAD, 0x10000, .sm = i));
    rig_finish(&r);
    expect(&r, THREE(3, 0, 0), THREE(3, 1, 1), 1);
    cr_expect_eq(rig_stats(&r).tlb_l2_stalls, 320 - 1, "%u", (unsigned)rig_stats(&r).tlb_l2_stalls);
    rig_close(&r);
}

/* A load with a known page does not wait for a load with an unknown page; a fence does. */
Test(tlb, hits_pass_misses_and_fences_do_not) {
    rig r;
    rig_open(&r, SMALL, MEMORY);
    const uint64_t hit = rig_latency(&r, WORD(GPC_LOAD, 0x10000)), alone = rig_latency(&r, WORD(GPC_LOAD, 0x10000));
    cr_expect_gt(hit, alone + 320);
    const uint64_t store = rig_issue(&r, WORD(GPC_STORE, 0x90000)),
                   load = rig_issue(&r, WORD(GPC_LOAD, 0x10000, .warp = 1)),
                   fence = rig_fence(&r, (fence_shot){.scope = GPC_SCOPE_GPU, .order = GPC_ORDER_ACQ_REL, .warp = 1}),
                   behind = rig_issue(&r, WORD(GPC_LOAD, 0x10000, .warp = 1));
    rig_finish(&r);
    cr_expect_eq(r.done[load].cycle - r.done[load].issued, alone);
    cr_expect_geq(r.done[fence].cycle, r.done[store].cycle);
    cr_expect_gt(r.done[behind].cycle - r.done[behind].issued, 320);
    rig_close(&r);
}

/* The pages of a bulk copy, one by one; the engine knows the last page. */
Test(tlb, bulk_copies) {
    rig r;
    rig_open(&r, "", MEMORY);
    const shot copy = {.address = 0x10f00, .lanes = 1, .width = 512, .kind = GPC_LOAD, .copy = GPC_COPY_BULK};
    const uint64_t plain = rig_latency(&r, copy);
    rig_close(&r);
    rig_open(&r, SMALL, MEMORY);
    const uint64_t walked = rig_latency(&r, copy);
    expect(&r, THREE(2, 0, 0), THREE(2, 0, 0), 2);
    cr_expect_geq(walked, plain + 320);
    rig_latency(&r, copy);
    expect(&r, THREE(4, 2, 0), THREE(2, 0, 0), 2);
    cr_expect_eq(rig_stats(&r).bulk_completed, 2);
    rig_close(&r);
}

/* Pages of a multicast copy are looked up by the asker; a reply to another SM needs none. */
Test(tlb, multicast_copies) {
    static const uint32_t sms[] = {0, 1};
    rig r;
    const shot copy = {.address = 0x10f00,
                       .lanes = 1,
                       .width = 512,
                       .kind = GPC_LOAD,
                       .copy = GPC_COPY_BULK,
                       .multicast = sms,
                       .multicast_count = 2};
    rig_open(&r, SMALL "sm.count = 2\n", MEMORY);
    const uint64_t token = rig_issue(&r, copy);
    while (r.done[token].times < 2)
        rig_step(&r);
    expect(&r, THREE(2, 0, 0), THREE(2, 0, 0), 2);
    cr_expect_geq(r.done[token].cycle - r.done[token].issued, 320);
    rig_abandon(&r);
}

/* A prefetch of a page absent from the L1 TLB is dropped. */
Test(tlb, prefetches_do_not_walk) {
    rig r;
    rig_open(&r, SMALL "l1.prefetcher = next-line\n", MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, 0x10000));
    rig_latency(&r, WORD(GPC_LOAD, 0x11f80));
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect(s.l1_prefetches == 1 && s.l1_dropped_prefetches == 1, "%u, %u", (unsigned)s.l1_prefetches,
              (unsigned)s.l1_dropped_prefetches);
    expect(&r, THREE(2, 0, 0), THREE(2, 0, 0), 2);
    rig_close(&r);
}

/* TLBs that always hit, beside the tags, change no cycle at all; without tlb.page TLBs are absent. */
Test(tlb, that_always_hit_change_nothing) {
    uint64_t trails[2];
    for (int on = 0; on < 2; on++) {
        rig r;
        const stream s = {.seed = 5, .sms = 2, .accesses = 300, .bytes = 1 << 18, .loads = 10, .stores = 4};
        rig_open(&r, on ? "sm.count = 2\ntlb.page = 2MiB\ntlb.l1_latency = 0\ntlb.l1_ports = 64\n" : "sm.count = 2\n",
                 150);
        for (uint32_t sm = 0; sm < 2; sm++)
            rig_wait(&r, rig_issue(&r, WORD(GPC_LOAD, 0, .sm = sm)));
        rig_steps(&r, 2000 - rig_now(&r));
        r.trail = 0;
        gpc_hierarchy_reset_stats(r.hierarchy);
        drive(&r, &s, HOST_SKIPS);
        trails[on] = r.trail;
        const measured_stats stats = rig_stats(&r);
        cr_expect_eq(stats.tlb_l1_accesses, stats.tlb_l1_hits);
        cr_expect_eq(stats.tlb_l1_accesses > 0, on);
        rig_close(&r);
    }
    cr_expect_eq(trails[0], trails[1]);
}

/* With any scarce resource, all accepted accesses complete, and counts add up. */
Test(tlb, random_machines) {
    uint64_t state = 17;
    for (unsigned round = 0; round < effort_of(24); round++) {
        rig r;
        machine m;
        draw_machine(&state, true, &m);
        size_t used = strlen(m.text);
        snprintf(
            m.text + used, sizeof m.text - used,
            "tlb.page = %u\ntlb.l1_entries = %u\ntlb.l1_latency = %u\ntlb.l1_ports = %u\ntlb.l1_mshr_entries = %u\n"
            "tlb.l1_mshr_merges = %u\ntlb.l2_entries = %u\ntlb.l2_ways = full\ntlb.l2_latency = %u\n"
            "tlb.l2_ports = %u\ntlb.l2_mshr_entries = %u\ntlb.l2_mshr_merges = %u\ntlb.walkers = %u\n"
            "tlb.walk_latency = %u\n",
            4096u << rig_below(&state, 3), 1 + rig_below(&state, 4), rig_below(&state, 4), 1 + rig_below(&state, 3),
            1 + rig_below(&state, 3), 1 + rig_below(&state, 3), rig_below(&state, 6), 1 + rig_below(&state, 30),
            1 + rig_below(&state, 2), 1 + rig_below(&state, 3), 1 + rig_below(&state, 3), 1 + rig_below(&state, 2),
            1 + rig_below(&state, 1200));
        const stream s = {.seed = round, .sms = m.sms, .accesses = 60, .bytes = 1 << 17, .loads = 9, .stores = 4};
        rig_open_dram(&r, m.text);
        drive(&r, &s, (host_kind)(round % 3));
        const measured_stats a = rig_stats(&r);
        cr_expect_eq(a.tlb_l1_accesses, a.tlb_l1_hits + a.tlb_l1_merges + a.tlb_l2_accesses, "%s", m.text);
        cr_expect_eq(a.tlb_l2_accesses, a.tlb_l2_hits + a.tlb_l2_merges + a.tlb_walks, "%s", m.text);
        cr_expect_gt(a.tlb_walks, 0);
        rig_close(&r);
    }
}

Test(tlb, what_has_no_effect_is_refused) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("tlb.l1_entries = 32\n", &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "tlb.l1_entries = 32: needs tlb.page"), "%s", error.message);
    cr_expect_eq(rig_refused("tlb.walk_latency = 101\n", &error), GPC_ERROR_RANGE);
    cr_expect_eq(rig_refused("tlb.page = 5000\n", &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "power of two"), "%s", error.message);
    cr_expect_eq(rig_refused("tlb.page = 4KiB\ntlb.l2_ways = 48\n", &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "tlb.l2_ways = 48: must divide"), "%s", error.message);
}
