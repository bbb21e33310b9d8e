/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"
#include "guarded.h"
#include "policies/protocol/protocols.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Protocols by name: built-in, a host's, and in configuration text. */

static const char *const built_in[] = {
    "none", "msi", "mesi", "mesif", "mosi", "moesi", "nmoesi", "nmoesi-d", "nmoesi-multi2sim", "vi", "hmg", "slc-glc"};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

Test(coherence_registry, built_in_protocols_are_listed) {
    rig r;
    rig_open(&r);
    cr_assert_eq(gpc_policy_count(r.context, GPC_POLICY_PROTOCOL), BUILT_IN);
    for (size_t i = 0; i < BUILT_IN; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(r.context, GPC_POLICY_PROTOCOL, i, &info, NULL), GPC_OK);
        cr_expect_str_eq(info.name, built_in[i]);
        cr_expect(*info.summary);
        cr_expect(info.source);
        cr_expect(info.builtin);
        cr_expect_eq(info.parameter_count + info.text_count, 0);
        const gpc_protocol *found = gpc_protocol_find(r.context, built_in[i]);
        cr_assert(found);
        cr_expect_eq(found->name, info.name);
    }
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    cr_expect_eq(gpc_policy_at(r.context, GPC_POLICY_PROTOCOL, BUILT_IN, &info, NULL), GPC_ERROR_RANGE);
    cr_expect_null(gpc_protocol_find(r.context, "mosei"));
    cr_expect_null(gpc_protocol_find(r.context, "moes"));
    cr_expect_null(gpc_protocol_find(r.context, NULL));
    cr_expect_null(gpc_protocol_find(NULL, "moesi"));
    uint64_t bits;
    cr_expect_eq(gpc_policy_cost(r.context, GPC_POLICY_PROTOCOL, "moesi", 1, 1, 64, 1, &bits, &r.error),
                 GPC_ERROR_ARGUMENT); /* a protocol's cost is the tree's, not a cache's */
    rig_close(&r);
}

/* A table in separate memory, freed as soon as registered. */
typedef struct lent {
    gpc_protocol protocol;
    gpc_protocol_rules first, memory;
    char name[16], summary[16], source[16], letters[8];
} lent;

static lent *lend(const char *name) {
    lent *l = calloc(1, sizeof *l);
    memcpy(l->first, *gpci_mesi.first, sizeof l->first);
    memcpy(l->memory, *gpci_mesi.memory, sizeof l->memory);
    strcpy(l->name, name);
    strcpy(l->summary, "as MESI");
    strcpy(l->source, "a test");
    strcpy(l->letters, "NDOESI");
    l->protocol = (gpc_protocol){.struct_size = sizeof l->protocol,
                                 .name = l->name,
                                 .summary = l->summary,
                                 .source = l->source,
                                 .flags = GPC_PROTOCOL_DIRECTORY,
                                 .first = (const gpc_protocol_rules *)&l->first,
                                 .memory = (const gpc_protocol_rules *)&l->memory,
                                 .letters = l->letters};
    return l;
}

static void take_back(lent *l) {
    memset(l, 0xA5, sizeof *l);
    free(l);
}

Test(coherence_registry, a_hosts_table_is_copied) {
    rig r;
    rig_open(&r);
    for (int i = 0; i < 3; i++) {
        const char *const names[] = {"mine", "yours", "x-1"};
        lent *l = lend(names[i]);
        cr_assert_eq(gpc_context_register_protocol(r.context, &l->protocol, &r.error), GPC_OK, "%s", r.error.message);
        take_back(l);
    }
    const gpc_protocol *found = gpc_protocol_find(r.context, "mine");
    cr_assert(found);
    cr_expect_str_eq(found->summary, "as MESI");
    cr_expect_str_eq(found->source, "a test");
    cr_expect_str_eq(found->letters, "NDOESI");
    cr_expect_eq(found->flags, GPC_PROTOCOL_DIRECTORY);
    cr_expect_null(found->between);
    cr_expect_null(found->shared);
    cr_expect_eq(memcmp(*found->first, *gpci_mesi.first, sizeof *found->first), 0);
    cr_expect_eq(memcmp(*found->memory, *gpci_mesi.memory, sizeof *found->memory), 0);
    cr_expect_eq(gpc_policy_count(r.context, GPC_POLICY_PROTOCOL), BUILT_IN + 3);
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    cr_assert_eq(gpc_policy_at(r.context, GPC_POLICY_PROTOCOL, BUILT_IN + 1, &info, NULL), GPC_OK);
    cr_expect_str_eq(info.name, "yours");
    cr_expect_not(info.builtin);
    rig_close(&r);
}

/* The longest name of a state, too, is in the copy, without writing beyond. */
Test(coherence_registry, longest_names_are_copied) {
    static const char name[] = "of-fifteen-long";
    static const gpc_protocol_rule no_rules[512];
    static const gpc_protocol_raise no_raises[512];
    unsigned broken = 0;
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    const gpc_context_options options = guarded_options(&broken);
    cr_assert_eq(gpc_context_create(&options, &context, NULL), GPC_OK);
    gpc_protocol protocol = *gpc_protocol_find(context, "nmoesi-d");
    gpc_protocol_state state = *protocol.states;
    cr_assert_eq(protocol.state_count, 1);
    state.name = name;
    protocol.name = "mine";
    protocol.states = &state;
    protocol.letters = "NDOESI"; /* and every possible table */
    protocol.shared = protocol.between;
    protocol.event_rules[2] = protocol.event_rules[1];
    protocol.raises[2] = protocol.raises[1];
    protocol.event_rules[3] = no_rules;
    protocol.raises[0] = no_raises;
    for (unsigned n = 0; n < 8; n++) { /* with any length of the adjacent texts */
        protocol.name = &"mine-too"[n];
        cr_assert_eq(gpc_context_register_protocol(context, &protocol, &error), GPC_OK, "%s", error.message);
        cr_expect_str_eq(gpc_protocol_find(context, protocol.name)->states->name, name);
    }
    gpc_context_destroy(context);
    cr_expect_eq(broken, 0, "%u bytes", broken);
}

Test(coherence_registry, what_may_be_null_is_empty) {
    rig r;
    rig_open(&r);
    lent *l = lend("plain");
    l->protocol.summary = l->protocol.source = l->protocol.letters = NULL;
    cr_assert_eq(gpc_context_register_protocol(r.context, &l->protocol, &r.error), GPC_OK, "%s", r.error.message);
    take_back(l);
    const gpc_protocol *found = gpc_protocol_find(r.context, "plain");
    cr_expect_str_eq(found->summary, "");
    cr_expect_str_eq(found->source, "");
    cr_expect_null(found->letters);
    rig_close(&r);
}

static void refuse(rig *r, const gpc_protocol *protocol, gpc_status expected, const char *part) {
    size_t before = gpc_policy_count(r->context, GPC_POLICY_PROTOCOL);
    expect_failure(r, gpc_context_register_protocol(r->context, protocol, &r->error), expected, part);
    cr_expect_eq(gpc_policy_count(r->context, GPC_POLICY_PROTOCOL), before);
}

Test(coherence_registry, refusals) {
    rig r;
    rig_open(&r);
    lent *l = lend("moesi");
    refuse(&r, &l->protocol, GPC_ERROR_EXISTS, "'moesi' is registered already");
    strcpy(l->name, "mine");
    cr_assert_eq(gpc_context_register_protocol(r.context, &l->protocol, &r.error), GPC_OK);
    refuse(&r, &l->protocol, GPC_ERROR_EXISTS, "'mine' is registered already");
    strcpy(l->name, "other");
    l->protocol.struct_size = offsetof(gpc_protocol, states) - 8;
    refuse(&r, &l->protocol, GPC_ERROR_ABI, "gpc_protocol");
    l->protocol.struct_size = sizeof l->protocol;
    memset(&l->first[GPC_LINE_E][GPC_EVENT_STORE], 0, sizeof(gpc_protocol_rule));
    refuse(&r, &l->protocol, GPC_ERROR_ARGUMENT, "'other': first, E, Store: no rule");
    refuse(&r, NULL, GPC_ERROR_ARGUMENT, "protocol is NULL");
    cr_expect_eq(gpc_context_register_protocol(NULL, &l->protocol, &r.error), GPC_ERROR_ARGUMENT);
    take_back(l);
    rig_close(&r);
}

/* Every allocation in turn fails: nothing is registered or lost, and the next try succeeds. */
Test(coherence_registry, no_memory) {
    rig r;
    rig_open(&r);
    lent *l = lend("mine");
    int failures = 0;
    for (long n = 1;; n++) {
        r.heap.fail_at = r.heap.calls + n;
        gpc_status status = gpc_context_register_protocol(r.context, &l->protocol, &r.error);
        r.heap.fail_at = 0;
        if (status == GPC_OK)
            break;
        cr_assert_eq(status, GPC_ERROR_MEMORY);
        cr_expect_null(gpc_protocol_find(r.context, "mine"));
        failures++;
    }
    cr_expect_eq(failures, 2, "the list, and the copy");
    cr_expect(gpc_protocol_find(r.context, "mine"));
    take_back(l);
    rig_close(&r);
}

Test(coherence_registry, the_key_names_a_protocol) {
    rig r;
    rig_open(&r);
    EXPECT(&r, {"coherence", "none"});
    for (size_t i = 0; i < BUILT_IN; i++) {
        cr_expect_eq(gpc_config_set(r.config, "coherence", built_in[i], &r.error), GPC_OK, "%s", r.error.message);
        EXPECT(&r, {"coherence", built_in[i]});
    }
    expect_failure(&r, gpc_config_set(r.config, "coherence", "mosei", &r.error), GPC_ERROR_NOT_FOUND,
                   "no protocol is named 'mosei'; did you mean '");
    expect_failure(&r, gpc_config_set(r.config, "coherence", "moesi(a=1)", &r.error), GPC_ERROR_NOT_FOUND,
                   "no protocol is named 'moesi(a=1)'");
    expect_failure(&r, gpc_config_set(r.config, "coherence", "lru", &r.error), GPC_ERROR_NOT_FOUND,
                   "no protocol is named 'lru'");
    EXPECT(&r, {"coherence", "slc-glc"});
    lent *l = lend("mine");
    cr_assert_eq(gpc_context_register_protocol(r.context, &l->protocol, &r.error), GPC_OK, "%s", r.error.message);
    take_back(l);
    cr_expect_eq(gpc_config_set(r.config, "coherence", "mine", &r.error), GPC_OK, "%s", r.error.message);
    EXPECT(&r, {"coherence", "mine"});
    rig_close(&r);
}
