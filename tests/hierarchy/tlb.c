/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Address translation without a clock: hits and misses of TLBs. */

#define KIB UINT64_C(1024)

static void expect(const rig *r, uint64_t l1, uint64_t l1_hits, uint64_t l2, uint64_t l2_hits, uint64_t walks,
                   int line) {
    const measured_stats s = rig_stats(r);
    cr_expect(s.tlb_l1_accesses == l1 && s.tlb_l1_hits == l1_hits && s.tlb_l2_accesses == l2 &&
                  s.tlb_l2_hits == l2_hits && s.tlb_walks == walks,
              "line %d: %u, %u, %u, %u, %u", line, (unsigned)s.tlb_l1_accesses, (unsigned)s.tlb_l1_hits,
              (unsigned)s.tlb_l2_accesses, (unsigned)s.tlb_l2_hits, (unsigned)s.tlb_walks);
}
#define TLBS(r, ...) expect((r), __VA_ARGS__, __LINE__)

/* The example of lib/level/access/tlb.h. */
Test(tlbs, example) {
    rig r;
    rig_open(&r, "tlb.page = 64KiB\ntlb.l1_entries = 2\ntlb.l2_entries = 4\ntlb.l2_ways = full\n");
    for (const char *page = "ABACB"; *page; page++)
        rig_load(&r, (uint64_t)(*page - 'A') * 64 * KIB);
    TLBS(&r, 5, 1, 4, 1, 3);
    rig_close(&r);
}

/* Counters of time are absent without a clock; without pages all are absent. */
Test(tlbs, absent_counters) {
    rig r;
    rig_open(&r, "tlb.page = 4KiB\n");
    measured_stats s = rig_stats(&r);
    cr_expect(s.tlb_l1_accesses == 0 && s.tlb_l1_merges == GPC_ABSENT && s.tlb_walk_cycles == GPC_ABSENT);
    rig_close(&r);
    rig_open(&r, NULL);
    s = rig_stats(&r);
    cr_expect(s.tlb_l1_accesses == GPC_ABSENT && s.tlb_walks == GPC_ABSENT);
    rig_close(&r);
}

/* Every line of an instruction is looked up; stores and atomics, too. An SM has an L1 TLB; the L2 TLB is common. */
Test(tlbs, lines_kinds_and_sms) {
    rig r;
    rig_open(&r, "sm.count = 2\ntlb.page = 4KiB\n");
    rig_fire(&r, (shot){.kind = GPC_LOAD, .address = 0, .stride = 256, .lanes = 32, .width = 4}); /* two pages */
    TLBS(&r, 32, 30, 2, 0, 2);
    rig_fire(&r, WORD_BY(GPC_STORE, 0x80, .sm = 1));
    TLBS(&r, 33, 30, 3, 1, 2);
    rig_fire(&r, WORD_BY(GPC_ATOMIC, 0x1000, .sm = 1));
    rig_fire(&r, WORD_BY(GPC_REDUCTION, 0x1000, .sm = 1));
    TLBS(&r, 35, 31, 4, 2, 2);
    uint64_t of_sm[2];
    const uint32_t ids[] = {352, 353};
    cr_assert_eq(gpc_hierarchy_read(r.hierarchy, GPC_OBJECT_SM, 1, ids, 2, of_sm, sizeof of_sm / sizeof *of_sm, NULL),
                 GPC_OK);
    cr_expect(of_sm[0] == 3 && of_sm[1] == 1, "%u, %u", (unsigned)of_sm[0], (unsigned)of_sm[1]);
    rig_flush(&r); /* pages stay */
    rig_load(&r, 0);
    TLBS(&r, 36, 32, 4, 2, 2);
    rig_close(&r);
}

/* Least recently used, set by set, slowly. */
typedef struct naive {
    uint64_t pages[64], used[64];
    unsigned sets, ways;
} naive;

static bool naive_look(naive *n, uint64_t page, uint64_t now) {
    const unsigned first = (unsigned)(page % n->sets) * n->ways;
    unsigned oldest = first;
    for (unsigned i = first; i < first + n->ways; i++) {
        if (n->used[i] && n->pages[i] == page) {
            n->used[i] = now;
            return true;
        }
        if (n->used[i] < n->used[oldest])
            oldest = i;
    }
    n->pages[oldest] = page;
    n->used[oldest] = now;
    return false;
}

Test(tlbs, random_streams_as_a_naive_model_has_them) {
    static const struct {
        unsigned l1, l1_ways, l2, l2_ways;
    } shapes[] = {{1, 1, 1, 1}, {4, 4, 16, 4}, {8, 2, 16, 16}, {6, 3, 0, 16}, {16, 1, 24, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        rig r;
        char settings[256];
        naive l1 = {.sets = shapes[i].l1 / shapes[i].l1_ways, .ways = shapes[i].l1_ways},
              l2 = {.sets = shapes[i].l2 ? shapes[i].l2 / shapes[i].l2_ways : 1,
                    .ways = shapes[i].l2 ? shapes[i].l2_ways : 0};
        uint64_t state = i, hits[2] = {0, 0}, misses = 0;
        snprintf(settings, sizeof settings,
                 "tlb.page = 8KiB\ntlb.l1_entries = %u\ntlb.l1_ways = %u\ntlb.l2_entries = %u\ntlb.l2_ways = %u\n",
                 shapes[i].l1, shapes[i].l1_ways, shapes[i].l2, shapes[i].l2_ways);
        rig_open(&r, settings);
        for (uint64_t n = 1; n <= effort_of(8000); n++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const uint64_t page = (state >> 33) % 40;
            rig_fire(&r, WORD(GPC_LOAD, page * 8 * KIB + (state >> 50) % 2048 * 4));
            if (naive_look(&l1, page, n))
                hits[0]++;
            else if (misses++, l2.ways && naive_look(&l2, page, n))
                hits[1]++;
        }
        const measured_stats s = rig_stats(&r);
        cr_expect(s.tlb_l1_hits == hits[0] && s.tlb_l2_accesses == misses && s.tlb_l2_hits == hits[1], "%s", settings);
        cr_expect_eq(s.tlb_walks, misses - hits[1]);
        rig_close(&r);
    }
}

/* A tree of coherent modules is asked by equal lines. */
Test(tlbs, coherent_trees) {
    rig r;
    rig_open(&r, "coherence = mesi\nl1.write_policy = back\nl1.write_policy_local = back\nl1.write_allocate = fetch\n"
                 "l1.write_allocate_local = fetch\nl2.inclusion = inclusive\nl2.interleave_bytes = 128\n"
                 "tlb.page = 4KiB\ntlb.l1_entries = 1\n");
    rig_load(&r, 0);
    rig_store(&r, 128);
    rig_load(&r, 4 * KIB);
    rig_load(&r, 0);
    TLBS(&r, 4, 1, 3, 1, 2);
    rig_close(&r);
}

/* A bulk copy is translated at every new page. */
Test(tlbs, bulk_copies) {
    rig r;
    rig_open(&r, "tlb.page = 4KiB\n");
    uint64_t address = 0x10f00;
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.addresses = &address;
    w.mask = 1;
    w.width = 512;
    w.copy = GPC_COPY_BULK;
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &w, NULL, NULL), GPC_OK);
    TLBS(&r, 2, 0, 2, 0, 2);
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &w, NULL, NULL), GPC_OK);
    TLBS(&r, 4, 2, 2, 0, 2);
    rig_close(&r);
}

/* Each of several GPUs has an L2 TLB of its own. */
Test(tlbs, gpus) {
    rig r;
    rig_open(&r, "gpu.count = 3\nsm.count = 2\ntlb.page = 4KiB\ntlb.l2_entries = 2\ntlb.l2_ways = full\n");
    for (uint32_t sm = 0; sm < 6; sm++)
        rig_fire(&r, WORD_BY(GPC_LOAD, 0, .sm = sm));
    TLBS(&r, 6, 0, 6, 3, 3);
    rig_fire(&r, WORD_BY(GPC_LOAD, 4 * KIB, .sm = 0));
    rig_fire(&r, WORD_BY(GPC_LOAD, 8 * KIB, .sm = 0)); /* the first page leaves the first GPU's L2 TLB */
    rig_fire(&r, WORD_BY(GPC_LOAD, 4 * KIB, .sm = 3));
    rig_fire(&r, WORD_BY(GPC_LOAD, 0, .sm = 4));
    TLBS(&r, 10, 1, 9, 3, 6);
    rig_close(&r);
}

Test(tlbs, what_cannot_be_is_refused) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("tlb.l1_ports = 2\n", &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "tlb.l1_ports = 2: needs tlb.page"), "%s", error.message);
    cr_expect_eq(rig_refused("tlb.page = 4KiB\ntlb.l1_ways = 5\n", &error), GPC_ERROR_RANGE);
}
