/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore_families.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * All reachable states of small trees, under every protocol. GPUCACHE_EXPLORE=full includes larger trees. The log gives
 * the numbers of states and edges. Quick runs and sanitizers use some of the trees (effort.h).
 */

static gpc_context *context;

static void set_up(void) {
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
}

static void tear_down(void) {
    gpc_context_destroy(context);
}

TestSuite(explore, .init = set_up, .fini = tear_down);

static bool is_full(void) {
    const char *wish = getenv("GPUCACHE_EXPLORE");
    return wish && strcmp(wish, "full") == 0;
}

static explore_report explored(const explore_setup *setup) {
    explore_report report;
    explore_run(setup, &report);
    fprintf(stderr, "%-16s %-26s %u blocks %u bytes %8llu states %9llu edges%s\n", setup->protocol, setup->tree.name,
            setup->blocks, setup->positions, (unsigned long long)report.states, (unsigned long long)report.edges,
            report.complete ? "" : ", not all");
    return report;
}

/* Blocks and bytes per tree; 0: skipped. The first pair always, the second with GPUCACHE_EXPLORE=full. */
static const struct size {
    const char *tree;
    uint32_t blocks, positions, full_blocks, full_positions;
} sizes[] = {
    {"2 over memory", 1, 2, 2, 2},
    {"2 over memory", 2, 1, 0, 0},
    {"3 over memory", 1, 1, 1, 2},
    {"3 over memory", 0, 0, 2, 1},
    {"2 over memory of 1 entry", 2, 1, 2, 2},
    {"3 over memory of 1 entry", 2, 1, 0, 0},
    {"2 over L2", 1, 1, 1, 2},
    {"2 over L2", 0, 0, 2, 1},
    {"3 over L2", 1, 1, 0, 0},
    {"2 over L2 of 1 block", 2, 1, 2, 2},
    {"3 over L2 of 1 block", 1, 1, 2, 1},
    {"2 over L2 of sub-blocks", 1, 1, 2, 1},
    {"3 over L2 of sub-blocks", 1, 1, 0, 0},
    {"2 over a loose L2", 1, 1, 2, 1},
    {"2 writing through to L2", 2, 1, 2, 2},
    {"2 writing around to L2", 2, 1, 2, 2},
    {"2 L2 of 1", 1, 1, 2, 1},
    {"2 L2 of 2", 0, 0, 1, 1},
    {"2 L2 of 1, memory of 1", 1, 1, 2, 1},
    {"2 L2 of 1, L3", 1, 1, 2, 1},
    {"2 L2 of 2, L3", 0, 0, 1, 1},
    {"2 L2 of 1, sub-blocks", 1, 1, 2, 1},
};

enum { MOST_STATES = 1000000 }; /* larger trees, breadth first: nmoesi and slc-glc have more states */

static void explore_all(const char *protocol) {
    const explore_family *family = explore_family_of(protocol);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int full = 0; full <= is_full(); full++) {
            const uint32_t blocks = full ? sizes[i].full_blocks : sizes[i].blocks;
            if (!blocks || !effort_takes(i))
                continue;
            explore_setup setup = explore_setup_of(context, family, gpci_verify_tree_of(sizes[i].tree), blocks,
                                                   full ? sizes[i].full_positions : sizes[i].positions);
            setup.most = full ? MOST_STATES : 0;
            const explore_report report = explored(&setup);
            cr_expect(report.complete || report.states > MOST_STATES, "%s", report.text);
            cr_expect(!report.violations && !report.failed, "%s", report.text);
        }
}

Test(explore, msi) {
    explore_all("msi");
}

Test(explore, mesi) {
    explore_all("mesi");
}

Test(explore, mosi) {
    explore_all("mosi");
}

Test(explore, moesi) {
    explore_all("moesi");
}

Test(explore, nmoesi, .timeout = 3600) {
    explore_all("nmoesi");
}

Test(explore, vi) {
    explore_all("vi");
}

Test(explore, none) {
    explore_all("none");
}

Test(explore, slc_glc, .timeout = 3600) {
    explore_all("slc-glc");
}

/*
 * Two branches, each with a non-inclusive L2 that may keep only a directory entry of a block still in L1: two blocks
 * and two bytes, the smallest case in which data can be older than another branch's. Only the first states, by loads
 * and stores alone: with flushes it takes many more to come as far.
 */
Test(explore, two_loose_branches, .timeout = 3600) {
    for (size_t f = 0; f < EXPLORE_FAMILIES; f++) {
        if (!effort_takes(f))
            continue;
        explore_setup setup =
            explore_setup_of(context, &explore_families[f], gpci_verify_tree_of("2 loose L2, room above"), 2, 2);
        if (!is_full())
            setup.kinds = EXPLORE_BIT(LOAD) | EXPLORE_BIT(STORE) | EXPLORE_BIT(N_STORE);
        setup.most = is_full() ? MOST_STATES : effort_of(30000);
        const explore_report report = explored(&setup);
        cr_expect(!report.violations && !report.failed, "%s", report.text);
        cr_expect(report.complete || report.states > setup.most, "%s", report.text);
    }
}

/* Unchanged numbers of states and edges: states are told apart neither less nor more. */
Test(explore, counts) {
    static const struct {
        const char *protocol, *tree;
        uint32_t positions;
        uint64_t states, edges;
    } known[] = {
        {"msi", "2 L2 of 1, memory of 1", 1, 88, 1584},  {"moesi", "2 over memory", 2, 271, 6504},
        {"nmoesi", "2 over a loose L2", 1, 646, 10982},  {"none", "2 over a loose L2", 1, 196, 3332},
        {"slc-glc", "2 over a loose L2", 1, 234, 10998}, {"nmoesi", "2 writing to a masking L2", 2, 676, 16900}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const explore_setup setup = explore_setup_of(context, explore_family_of(known[i].protocol),
                                                     gpci_verify_tree_of(known[i].tree), 1, known[i].positions);
        const explore_report report = explored(&setup);
        cr_expect(report.complete && report.states == known[i].states && report.edges == known[i].edges,
                  "%s, %s: %llu states, %llu edges", known[i].protocol, known[i].tree,
                  (unsigned long long)report.states, (unsigned long long)report.edges);
    }
}

/* Depth first and from the last choice on: equal states, edges and messages. */
Test(explore, order_does_not_matter) {
    static const char *const names[] = {"2 over memory of 1 entry", "2 over L2 of sub-blocks", "2 L2 of 1",
                                        "2 writing around to L2", "2 over a loose L2"};
    for (size_t f = 0; f < EXPLORE_FAMILIES; f++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (!effort_takes(f * 5 + i))
                continue;
            const uint32_t blocks = i == 0 ? 2 : 1;
            explore_setup setup =
                explore_setup_of(context, &explore_families[f], gpci_verify_tree_of(names[i]), blocks, 1);
            explore_report one, other;
            explore_run(&setup, &one);
            setup.backwards = true;
            explore_run(&setup, &other);
            cr_expect(one.complete && other.complete, "%s", other.text);
            cr_expect_eq(one.states, other.states, "%s: %llu and %llu states", setup.protocol,
                         (unsigned long long)one.states, (unsigned long long)other.states);
            cr_expect_eq(one.edges, other.edges);
            cr_expect_eq(one.print, other.print, "%s, %s: other edges", setup.protocol, names[i]);
        }
}

/* -- nmoesi-multi2sim */

/* Section 6 of the specification about states holds, whatever happens to the data. */
Test(explore, multi2sim_states) {
    static const char *const names[] = {"2 over memory", "3 over memory", "2 over memory of 1 entry",
                                        "2 over L2",     "3 over L2",     "2 over L2 of sub-blocks",
                                        "2 L2 of 1",     "2 L2 of 1, L3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        explore_setup setup = explore_setup_of(context, &explore_mended, gpci_verify_tree_of(names[i]), 1, 1);
        setup.structure_only = true;
        const explore_report report = explored(&setup);
        cr_expect(report.complete, "%s", report.text);
    }
    if (effort_is_small())
        return; /* the largest */
    explore_setup setup =
        explore_setup_of(context, &explore_mended, gpci_verify_tree_of("2 over L2 of sub-blocks"), 2, 1);
    setup.structure_only = true;
    const explore_report report = explored(&setup);
    cr_expect(report.complete, "%s", report.text);
}

#define LOSSES (GPC_PROTOCOL_DROP_PROBE_DATA | GPC_PROTOCOL_STALE_REPLY | GPC_PROTOCOL_BARE_ACK)

static explore_report mended(const char *tree, uint32_t blocks, uint32_t positions, uint32_t flags, bool go_on) {
    gpc_protocol protocol = *gpc_protocol_find(context, "nmoesi-multi2sim");
    protocol.name = "mended";
    protocol.flags &= ~(uint32_t)LOSSES;
    if (!gpc_protocol_find(context, "mended"))
        cr_assert_eq(gpc_context_register_protocol(context, &protocol, NULL), GPC_OK);
    explore_setup setup = explore_setup_of(context, &explore_mended, gpci_verify_tree_of(tree), blocks, positions);
    setup.protocol = "mended";
    setup.protocol_flags = flags;
    setup.go_on = go_on;
    return explored(&setup);
}

/* Without D3, D4 and D5 no data are lost; each defect alone loses data, where possible. */
Test(explore, multi2sim_loses_by_its_flags_alone) {
    static const struct loss {
        uint32_t flag;
        const char *tree, *name;
        bool loses;
    } losses[] = {
        {0, "2 over memory", "none", false},
        {0, "2 over L2", "none", false},
        {0, "2 L2 of 1", "none", false},
        {0, "2 L2 of 1, L3", "none", false},
        /* m0 stores, m1 loads: the L2 stays in E, and drops the data on eviction */
        {GPC_PROTOCOL_DROP_PROBE_DATA, "2 over L2", "D3", true},
        {GPC_PROTOCOL_DROP_PROBE_DATA, "2 over memory", "D3", false}, /* memory has the bytes, in any state */
        /* a middle cache answers by the state before invalidations above: a middle cache is needed */
        {GPC_PROTOCOL_STALE_REPLY, "2 L2 of 1, L3", "D4", true},
        {GPC_PROTOCOL_STALE_REPLY, "2 over memory", "D4", false},
        /* a middle cache in M below a clean owner: likewise */
        {GPC_PROTOCOL_BARE_ACK, "2 L2 of 1", "D5", true},
        {GPC_PROTOCOL_BARE_ACK, "2 over L2", "D5", false},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        const struct loss *l = &losses[i];
        const explore_report report = mended(l->tree, 1, 1, l->flag, true);
        cr_expect(!report.failed, "%s", report.text);
        if (report.violations)
            fprintf(stderr, "%s: %llu edges lose data: %s\n", l->name, (unsigned long long)report.violations,
                    report.text);
        cr_expect_eq(report.violations != 0, l->loses, "%s, %s: %llu: %s", l->name, l->tree,
                     (unsigned long long)report.violations, report.text);
        cr_expect(!report.violations || strstr(report.text, "data value"), "%s", report.text);
    }
}

/*
 * A loss without a flag, or a number in the specification: a block in M is modified whole, and a store to a copy in S
 * is answered without data. Other bytes n-stored by another cache meanwhile are overwritten.
 */
Test(explore, multi2sim_overwrites_what_others_n_stored) {
    const explore_report report = mended("2 over memory", 1, 2, 0, false);
    cr_expect(strstr(report.text, "not what was written back. After: m0 load A; m1 n-store A[0]=1; m0 store A[1]=0"),
              "%s", report.text);
}

/* -- faults put into what is sound */

static explore_report broken(const char *protocol, const char *tree, uint32_t blocks, uint32_t faults, uint32_t flags) {
    explore_setup setup = explore_setup_of(context, explore_family_of(protocol), gpci_verify_tree_of(tree), blocks, 1);
    setup.faults = faults;
    setup.protocol_flags = flags;
    setup.structure_only = faults == GPCI_FAULT_CLEAR_WRONG; /* only multi2sim has the message, and it loses data */
    setup.letters = NULL;
    return explored(&setup);
}

static void is_caught(const explore_report *report, const char *name, const char *by) {
    fprintf(stderr, "%s: %s\n", name, report->text);
    cr_expect(strstr(report->text, by), "%s: not caught by '%s': %s", name, by, report->text);
}

Test(explore, faults_are_caught) {
    explore_report report = broken("nmoesi-multi2sim", "2 over L2 of sub-blocks", 2, GPCI_FAULT_CLEAR_WRONG, 0);
    is_caught(&report, "D2", "owners: ");
    report = broken("nmoesi-multi2sim", "2 over L2 of sub-blocks", 2, 0, 0);
    cr_expect_not(strstr(report.text, "owners: "), "without D2: %s", report.text);
    report = broken("moesi", "2 over memory", 1, GPCI_FAULT_TWICE, 0);
    is_caught(&report, "D9", "done 2 times");
    report = broken("mesi", "2 over L2", 1, 0, GPC_PROTOCOL_DROP_PROBE_DATA);
    is_caught(&report, "D3 in mesi", "clean: ");
    report = broken("moesi", "2 L2 of 1, L3", 1, 0, GPC_PROTOCOL_STALE_REPLY);
    is_caught(&report, "D4 in moesi", "clean: ");
    report = broken("moesi", "2 L2 of 1", 1, 0, GPC_PROTOCOL_BARE_ACK);
    is_caught(&report, "D5 in moesi", "data value: ");
}

/* Systems explored by name: none twice; and two accesses at once, with by far the most states, in the smallest. */
Test(explore, systems) {
    gpc_verify_options all[64];
    uint32_t count = 0, twice = 0;
    for (gpc_verify_options one = GPC_VERIFY_OPTIONS_INIT; gpc_verify_system(count, &one, NULL) == GPC_OK; count++) {
        cr_assert_lt(count, 64);
        all[count] = one;
        cr_expect(one.blocks >= 1 && one.bytes >= 1 && one.blocks * one.bytes <= 4 && one.in_flight <= 2, "%s",
                  one.tree);
        if (one.in_flight == 2) {
            cr_expect(!strcmp(one.tree, "2 over memory") && one.blocks == 1 && one.bytes == 1, "%s", one.tree);
            twice++;
        }
        for (uint32_t n = 0; n < count; n++)
            cr_expect(strcmp(all[n].tree, one.tree) != 0 || all[n].blocks != one.blocks || all[n].bytes != one.bytes ||
                          all[n].in_flight != one.in_flight,
                      "%s: %u and %u are the same", one.tree, n, count);
    }
    cr_expect_gt(count, 30);
    cr_expect_eq(twice, 1);
    gpc_verify_options past = GPC_VERIFY_OPTIONS_INIT;
    cr_expect_eq(gpc_verify_system(count, &past, NULL), GPC_END);
}
