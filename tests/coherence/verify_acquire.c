/* SPDX-License-Identifier: BSD-2-Clause */
/* Acquires overlapping with accesses, in all orders of messages. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "effort.h"
#include "policies/protocol/protocols.h"
#include "verify/verify.h"

static gpc_context *context;

static void set_up(void) {
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
}

static void tear_down(void) {
    gpc_context_destroy(context);
}

TestSuite(verify_acquire, .init = set_up, .fini = tear_down);

static gpci_verify_found *explore(const char *protocol, const char *tree, uint32_t blocks, uint32_t positions,
                                  uint32_t faults, uint64_t most) {
    gpci_verify_found *found = calloc(1, sizeof *found);
    cr_assert(found);
    gpci_verify_setup setup = {.context = context,
                               .protocol = protocol,
                               .tree = *gpci_verify_tree_of(tree),
                               .blocks = blocks,
                               .positions = positions,
                               .in_flight = 1,
                               .symmetric = true,
                               .faults = faults,
                               .most = most};
    gpci_verify_promises(gpc_protocol_find(context, protocol), &setup);
    setup.steered = false;
    setup.kinds = GPC_VERIFY_LOADS | GPC_VERIFY_STORES | GPC_VERIFY_N_STORES | GPC_VERIFY_ACQUIRES;
    gpci_verify_overlap(&setup, found);
    cr_assert_eq(found->status, GPC_OK, "%s", found->text);
    return found;
}

/* All of vi's states with two caches over memory; the first ones of others. */
Test(verify_acquire, nothing_old_is_read) {
    static const char *const trees[] = {"2 over memory", "2 over L2", "3 over memory", "2 L2 of 1"};
    static const char *const protocols[] = {"vi", "slc-glc", "hmg"};
    for (unsigned t = 0; t < sizeof trees / sizeof *trees; t++)
        for (unsigned p = t == 3 ? 2 : 0; p < 3; p++) {
            const bool whole = effort_wanted() == EFFORT_THOROUGH && t + p == 0;
            gpci_verify_found *found = explore(protocols[p], trees[t], 1, 1, 0, whole ? 0 : effort_of(20000));
            cr_expect_eq(found->verdict, GPC_VERIFY_PASSED, "%s, %s: %s", protocols[p], trees[t], found->text);
            cr_expect_eq(found->limit, whole ? GPC_VERIFY_ALL : GPC_VERIFY_LIMIT_STATES);
            free(found);
        }
}

/* Data in flight while L1 acquires may be old. */
Test(verify_acquire, one_that_does_not_wait) {
    static const char *const protocols[] = {"vi", "slc-glc"};
    for (unsigned p = 0; p < 2; p++) {
        gpci_verify_found *found = explore(protocols[p], "2 over memory", 1, 1, GPCI_FAULT_BLIND_ACQUIRE, 100000);
        cr_expect_eq(found->verdict, GPC_VERIFY_VALUE, "%s: %s", protocols[p], found->text);
        cr_expect(strstr(found->text, "old when it began to acquire"), "%s", found->text);
        free(found);
    }
}

/* A table that keeps stored data in L1, with bytes beside, perhaps stored by others since. */
Test(verify_acquire, a_table_that_keeps_too_much) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_protocol keeps = gpci_slc_glc;
    static gpc_protocol_rules first;
    memcpy(first, *gpci_slc_glc.first, sizeof first);
    first[GPC_LINE_N][GPC_EVENT_ACQUIRE] = (gpc_protocol_rule){.actions = GPC_DO_IGNORE, .next = GPC_LINE_N};
    keeps.name = "keeps";
    keeps.first = (const gpc_protocol_rules *)&first;
    cr_assert_eq(gpc_context_register_protocol(context, &keeps, &error), GPC_OK, "%s", error.message);
    gpci_verify_found *found = explore("keeps", "2 over memory", 1, 2, 0, 100000);
    cr_expect_eq(found->verdict, GPC_VERIFY_VALUE, "%s", found->text);
    cr_expect(strstr(found->text, "old when it began to acquire"), "%s", found->text);
    free(found);
}

/* A table that keeps a detached copy. */
Test(verify_acquire, a_table_that_keeps_detached_copies) {
    enum { D = GPC_LINE_COUNT, STATES };
    gpc_error error = GPC_ERROR_INIT;
    gpc_protocol keeps = gpci_nmoesi_d;
    static gpc_protocol_rule first[STATES][GPC_EVENT_COUNT];
    memcpy(first, *gpci_nmoesi_d.first, sizeof first);
    first[D][GPC_EVENT_ACQUIRE] = (gpc_protocol_rule){.actions = GPC_DO_IGNORE, .next = D, .next_shared = D};
    keeps.name = "keeps";
    keeps.first = (const gpc_protocol_rules *)&first;
    cr_assert_eq(gpc_context_register_protocol(context, &keeps, &error), GPC_OK, "%s", error.message);
    gpci_verify_found *found = explore("keeps", "2 over memory of 1 entry", 2, 1, 0, 100000);
    cr_expect_eq(found->verdict, GPC_VERIFY_VALUE, "%s", found->text);
    cr_expect(strstr(found->text, "detached still, after an acquire"), "%s", found->text);
    free(found);
}

static gpc_verify_report run(const char *protocol, uint32_t kinds) {
    gpc_verify_options o = GPC_VERIFY_OPTIONS_INIT;
    gpc_verify_report report = GPC_VERIFY_REPORT_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_verify *v = NULL;
    o.protocol = protocol;
    o.tree = "2 over memory";
    o.blocks = 1;
    o.in_flight = 1;
    o.states = 400;
    o.kinds = kinds;
    cr_assert_eq(gpc_verify_run(context, &o, &v, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_verify_get_report(v, &report, NULL), GPC_OK);
    gpc_verify_destroy(v);
    report.text = NULL;
    return report;
}

/* Without kinds, the kinds with promises of the protocol are tried: n-stores and acquires not everywhere. */
Test(verify_acquire, tried_where_something_is_promised) {
    static const struct {
        const char *protocol;
        uint32_t besides;
    } defaults[] = {{"moesi", 0},
                    {"nmoesi", GPC_VERIFY_N_STORES},
                    {"nmoesi-d", GPC_VERIFY_N_STORES | GPC_VERIFY_ACQUIRES},
                    {"vi", GPC_VERIFY_N_STORES | GPC_VERIFY_ACQUIRES}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        const uint32_t kinds = GPC_VERIFY_LOADS | GPC_VERIFY_STORES | defaults[i].besides;
        const gpc_verify_report unsaid = run(defaults[i].protocol, 0);
        const gpc_verify_report said = run(defaults[i].protocol, kinds);
        cr_expect_eq(unsaid.edges, said.edges, "%s", defaults[i].protocol);
        cr_expect_eq(unsaid.depth, said.depth, "%s", defaults[i].protocol);
    }
}
