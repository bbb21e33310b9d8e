/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/small.h"
#include "effort.h"
#include "measured.h"
#include "policies/protocol/protocols.h"

#include <gpucache/experimental/experimental.h>
#include <gpucache/gpucache.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Protocols with states beside the six. A tree goes by a state's meaning: a protocol whose N, M, O, E and S are new
 * states, with other numbers and names, acts like the original, step by step.
 */

static gpc_context *new_context(void) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    return context;
}

enum { BESIDE = 5, STATES = GPC_LINE_COUNT + BESIDE };

typedef gpc_protocol_rule table[STATES][GPC_EVENT_COUNT];

typedef struct renamed {
    gpc_protocol protocol;
    gpc_protocol_state states[BESIDE];
    table tables[3];
} renamed;

/* N to S are 6 to 10, in the reverse order; I stays. */
static uint8_t number_of(uint8_t state) {
    return state < GPC_LINE_I ? (uint8_t)(STATES - 1 - state) : state;
}

static void rename_rows(const gpc_protocol_rule (*from)[GPC_EVENT_COUNT], table to) {
    for (uint8_t state = 0; state < GPC_LINE_COUNT; state++)
        for (uint32_t event = 0; event < GPC_EVENT_COUNT; event++) {
            gpc_protocol_rule rule = from[state][event];
            if (!rule.actions)
                continue;
            rule.next = number_of(rule.next);
            rule.next_shared = number_of(rule.next_shared);
            to[number_of(state)][event] = rule;
        }
}

/* "again": the protocol with renamed states, registered. */
static renamed *rename_states(gpc_context *context, const char *name) {
    static const char *const names[] = {"S", "exclusive", "own-ed", "MODIFIED_BY_ONE", "n"};
    static const uint32_t means[] = {GPC_MEANS_S, GPC_MEANS_E, GPC_MEANS_O, GPC_MEANS_M, GPC_MEANS_N};
    const gpc_protocol *of = gpc_protocol_find(context, name);
    renamed *r = calloc(1, sizeof *r);
    cr_assert(r && of);
    r->protocol = *of;
    r->protocol.name = "again";
    r->protocol.letters = "ABCDXI";
    const gpc_protocol_rules **places[] = {&r->protocol.first, &r->protocol.between, &r->protocol.shared};
    for (size_t i = 0; i < 3; i++)
        if (*places[i]) {
            rename_rows(**places[i], r->tables[i]);
            *places[i] = (const gpc_protocol_rules *)&r->tables[i];
        }
    for (size_t i = 0; i < BESIDE; i++)
        r->states[i] = (gpc_protocol_state){names[i], means[i], 0};
    r->protocol.states = r->states;
    r->protocol.state_count = BESIDE;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_register_protocol(context, &r->protocol, &error), GPC_OK, "%s", error.message);
    return r;
}

static uint32_t draw(uint64_t *random, uint32_t below) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

static bool in_memory(const small *s, uint32_t module) {
    return s->modules[module].memory;
}

static void expect_same_steps(const small *a, const gpc_coherence_result *one, const gpc_coherence_result *other) {
    cr_assert_eq(one->completed, other->completed);
    cr_assert_eq(one->message_count, other->message_count);
    cr_assert_arr_eq(one->messages, other->messages, one->message_count * sizeof *one->messages);
    cr_assert_eq(one->transition_count, other->transition_count);
    for (uint32_t i = 0; i < one->transition_count; i++) {
        gpc_coherence_transition t = one->transitions[i];
        t.from = in_memory(a, t.module) ? t.from : number_of((uint8_t)t.from);
        t.to = in_memory(a, t.module) ? t.to : number_of((uint8_t)t.to);
        cr_assert_arr_eq(&t, &other->transitions[i], sizeof t);
    }
}

static void expect_same_counts(small *s[2]) {
    uint64_t transitions[STATES * STATES];
    uint32_t origins[STATES * STATES];
    for (uint32_t m = 0; m < s[0]->options.module_count; m++) {
        measured_module one, other;
        measured_clear(&one);
        measured_clear(&other);
        cr_assert_eq(measure_module(s[0]->tree, m, &one), GPC_OK);
        cr_assert_eq(measure_module(s[1]->tree, m, &other), GPC_OK);
        cr_assert_arr_eq(&one, &other, sizeof one, "as the states of the six that mean the same");
        cr_assert_eq(gpc_coherence_get_matrices(s[1]->tree, m, STATES, transitions, origins, NULL), GPC_OK);
        for (uint8_t i = 0; i < GPC_LINE_COUNT * GPC_LINE_COUNT; i++) {
            const uint8_t from = i / GPC_LINE_COUNT, to = i % GPC_LINE_COUNT;
            const uint32_t cell =
                in_memory(s[0], m) ? (uint32_t)from * STATES + to : (uint32_t)number_of(from) * STATES + number_of(to);
            cr_assert_eq(transitions[cell], one.transitions[from][to]);
            cr_assert_eq(origins[cell], one.origins[from][to]);
        }
    }
}

static void play(small *s[2], uint64_t seed) {
    uint64_t random = seed;
    for (int n = 0; n < 400; n++) {
        const uint8_t bytes[4] = {(uint8_t)n, 1, 2, 3};
        gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
        request.module = draw(&random, 2);
        request.kind = draw(&random, 3);
        request.address = draw(&random, 40) * 64 + draw(&random, 15) * 4;
        request.size = 4;
        request.bytes = bytes;
        request.cycle = (uint64_t)n * 1000;
        uint8_t out[2][4];
        gpc_coherence_result results[2] = {GPC_COHERENCE_RESULT_INIT, GPC_COHERENCE_RESULT_INIT};
        const bool acquires = !draw(&random, 30);
        for (int k = 0; k < 2; k++) {
            request.out = out[k];
            const gpc_status status =
                acquires ? gpc_coherence_acquire(s[k]->tree, request.module, request.cycle, &results[k], &s[k]->error)
                         : gpc_coherence_access(s[k]->tree, &request, &results[k], &s[k]->error);
            cr_assert_eq(status, GPC_OK, "%s", s[k]->error.message);
        }
        expect_same_steps(s[0], &results[0], &results[1]);
        cr_assert(acquires || request.kind != GPC_COHERENCE_LOAD || !memcmp(out[0], out[1], 4));
    }
    expect_same_counts(s);
}

static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi", "nmoesi", "vi", "slc-glc", "none"};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

Test(coherence_states, names_and_numbers_do_not_matter) {
    for (size_t p = 0; p < PROTOCOLS; p++)
        for (uint32_t seed = 0; seed < 6; seed++) {
            small *s[2] = {small_open(), small_open()};
            renamed *r = rename_states(s[1]->context, protocols[p]);
            for (int k = 0; k < 2; k++) {
                s[k]->options.protocol = k ? "again" : protocols[p];
                s[k]->options.data = true;
                s[k]->modules[2].non_inclusive = seed & 1;
                s[k]->modules[2].directory_ways = seed & 1 ? 2 : 0;
                s[k]->modules[0].write_through = seed == 4;
                small_tree(s[k]);
            }
            play(s, seed);
            small_close(s[0]);
            small_close(s[1]);
            free(r);
        }
}

/* The explorer, too: equally many states and steps, with and without overlapping accesses. */
Test(coherence_states, explored_alike) {
    for (size_t p = 0; p < PROTOCOLS; p++)
        for (uint32_t in_flight = 0; in_flight < 2; in_flight++) {
            if (!effort_takes(p + in_flight))
                continue;
            gpc_context *context = new_context();
            renamed *r = rename_states(context, protocols[p]);
            gpc_verify_report reports[2] = {GPC_VERIFY_REPORT_INIT, GPC_VERIFY_REPORT_INIT};
            for (int k = 0; k < 2; k++) {
                gpc_verify_options o = GPC_VERIFY_OPTIONS_INIT;
                o.protocol = k ? "again" : protocols[p];
                o.tree = "2 L2 of 1";
                o.blocks = o.bytes = 1;
                o.in_flight = in_flight;
                o.states = 3000;
                gpc_verify *verify = NULL;
                gpc_error error = GPC_ERROR_INIT;
                cr_assert_eq(gpc_verify_run(context, &o, &verify, &error), GPC_OK, "%s", error.message);
                cr_assert_eq(gpc_verify_get_report(verify, &reports[k], NULL), GPC_OK);
                gpc_verify_destroy(verify);
            }
            cr_expect_eq(reports[1].verdict, GPC_VERIFY_PASSED);
            cr_expect_eq(reports[0].states, reports[1].states, "%s", protocols[p]);
            cr_expect_eq(reports[0].edges, reports[1].edges, "%s", protocols[p]);
            gpc_context_destroy(context);
            free(r);
        }
}

/* MESIF: exactly the latest copy is asked; a directory that has lost the copy sends no request. */
Test(coherence_states, the_forwarding_copy_is_the_latest) {
    small *s = small_open_bare(4);
    for (uint32_t i = 0; i < 3; i++)
        small_link(s, i, 3);
    s->modules[3].memory = true;
    s->modules[3].ways = 0;
    s->options.protocol = "mesif";
    gpc_coherence *c = small_tree(s);
    uint32_t owner, set, way, sharers[3];
    size_t count;
    for (uint32_t i = 0; i < 3; i++) {
        small_access(c, i, GPC_COHERENCE_LOAD, 0x40, 0);
        cr_assert_eq(gpc_coherence_find(c, 3, 0x40, &set, &way, NULL), GPC_OK);
        cr_assert_eq(gpc_coherence_get_directory(c, 3, set, way, 0, &owner, sharers, 3, &count, NULL), GPC_OK);
        cr_expect_eq(owner, i);
    }
    measured_module stats;
    measured_clear(&stats);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(measure_module(c, i, &stats), GPC_OK);
        cr_expect_eq(stats.read_probes, i < 2, "each is asked by the next");
        cr_expect_eq(stats.peer_transfers, i < 2);
    }
    uint64_t transitions[49];
    uint32_t origins[49];
    cr_assert_eq(gpc_coherence_get_matrices(c, GPC_NO_MODULE, 7, transitions, origins, NULL), GPC_OK);
    cr_expect_eq(transitions[GPC_LINE_I * 7 + 6], 2);
    cr_expect_eq(transitions[6 * 7 + GPC_LINE_S], 1);
    cr_expect_eq(gpc_coherence_get_matrices(c, 0, 5, transitions, origins, NULL), GPC_ERROR_RANGE);
    cr_assert_eq(gpc_coherence_get_matrices(c, GPC_NO_MODULE, GPC_LINE_COUNT, transitions, origins, NULL), GPC_OK);
    cr_expect_eq(transitions[GPC_LINE_I * GPC_LINE_COUNT + GPC_LINE_S], 2, "F as S");
    cr_expect_eq(gpc_coherence_get_matrices(c, 4, 7, transitions, origins, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_coherence_get_matrices(c, 0, 7, NULL, origins, NULL), GPC_ERROR_ARGUMENT);
    gpc_coherence_reset_stats(c);
    cr_assert_eq(gpc_coherence_get_matrices(c, GPC_NO_MODULE, 7, transitions, origins, NULL), GPC_OK);
    for (int i = 0; i < 49; i++)
        cr_expect(!transitions[i] && !origins[i]);
    small_close(s);
}

Test(coherence_states, matrices_as_text) {
    gpc_context *context = new_context();
    const gpc_protocol *mesif = gpc_protocol_find(context, "mesif");
    uint64_t transitions[49] = {[GPC_LINE_I * 7 + 6] = 12};
    uint32_t origins[49] = {[GPC_LINE_I * 7 + 6] = 0x1};
    char text[1024], name[4];
    cr_assert_lt(gpc_protocol_matrices_text(mesif, transitions, origins, "L1", text, sizeof text), sizeof text);
    cr_expect(strstr(text, "L1     N   M   O   E   S   I   F    L1    N  M  O  E  S  I  F\n"), "%s", text);
    cr_expect(strstr(text, "   I   0   0   0   0   0   0  12       I  0  0  0  0  0  0  1\n"), "%s", text);
    cr_expect_eq(gpc_protocol_matrices_text(NULL, NULL, origins, "", text, sizeof text), 0);
    cr_expect_eq(gpc_protocol_state_name(mesif, 6, name, sizeof name), 1);
    cr_expect_str_eq(name, "F");
    cr_expect_eq(gpc_protocol_state_name(mesif, 7, name, sizeof name), 0);
    cr_expect_eq(gpc_protocol_state_name(NULL, 4, name, sizeof name), 1);
    cr_expect_str_eq(name, "S");
    cr_expect_eq(gpc_coherence_protocol(NULL), NULL);
    gpc_context_destroy(context);
}

/* A protocol may have as many states as there is room for: the last acts like the first. */
Test(coherence_states, as_many_as_there_is_room_for) {
    enum { MOST = GPC_MAX_STATES - GPC_LINE_COUNT };
    static gpc_protocol_state states[MOST];
    static char names[MOST][4];
    static const gpc_protocol_rule rules[GPC_MAX_STATES][GPC_EVENT_COUNT];
    gpc_context *context = new_context();
    gpc_error error = GPC_ERROR_INIT;
    gpc_protocol protocol = *gpc_protocol_find(context, "nmoesi");
    for (uint32_t i = 0; i < MOST; i++) {
        snprintf(names[i], sizeof names[i], "x%u", (unsigned)i);
        states[i] = (gpc_protocol_state){names[i], i + 1 < MOST ? GPC_MEANS_S : 0x20, 0};
    }
    protocol.states = states;
    protocol.state_count = MOST;
    protocol.first = protocol.between = protocol.shared = (const gpc_protocol_rules *)&rules;
    cr_expect_eq(gpci_protocol_check(&protocol, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "state x57 means 0x20"), "%s", error.message);
    gpc_context_destroy(context);
}

static void refuse(renamed *r, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_protocol_check(&r->protocol, &error), GPC_ERROR_ARGUMENT, "%s", text);
    cr_expect(strstr(error.message, text), "'%s' is not in '%s'", text, error.message);
}

Test(coherence_states, refusals) {
    gpc_context *context = new_context();
    renamed *r = rename_states(context, "nmoesi");
    const renamed right = *r;
#define REFUSED(text, change)           \
    do {                                \
        change;                         \
        refuse(r, text);                \
        *r = right;                     \
        r->protocol.states = r->states; \
    } while (0)
    REFUSED("states[1].name", r->states[1].name = "n\n");
    REFUSED("states[1].name", r->states[1].name = "");
    REFUSED("states[1].name", r->states[1].name = NULL);
    REFUSED("states[1].name", r->states[1].name = "S");
    REFUSED("states[4].name", r->states[4].name = "X");
    REFUSED("states[0].name", r->states[0].name = "sixteen_or_more_");
    REFUSED("exclusive means 0x2", r->states[1].means = GPC_MEANS_ONLY);
    REFUSED("exclusive means 0x1", r->states[1].means = GPC_MEANS_MODIFIED);
    REFUSED("exclusive means 0xd", r->states[1].means = GPC_MEANS_N | GPC_MEANS_OWNER);
    REFUSED("exclusive means 0x20", r->states[1].means = 0x20);
    REFUSED("exclusive means 0x12", r->states[1].means = GPC_MEANS_DETACHED | GPC_MEANS_ONLY);
    REFUSED("state_count is 59", r->protocol.state_count = GPC_MAX_STATES - GPC_LINE_COUNT + 1);
    REFUSED("states is NULL", r->protocol.states = NULL);
    REFUSED("first, own-ed, Store: no rule", r->tables[0][8][GPC_EVENT_STORE].actions = 0);
    REFUSED("first, n, Load: the next state is none", r->tables[0][10][GPC_EVENT_LOAD].next = STATES);
    REFUSED("first, exclusive, Eviction: WRITE_BACK, and nothing is modified",
            r->tables[0][7][GPC_EVENT_EVICTION].actions = GPC_DO_WRITE_BACK);
    r->tables[0][8][GPC_EVENT_LOAD].next = r->tables[0][8][GPC_EVENT_LOAD].next_shared = 8;
    cr_expect_eq(gpci_protocol_check(&r->protocol, NULL), GPC_OK);
    gpc_context_destroy(context);
    free(r);
}

/* A host built against a header without states, with a shorter struct. */
Test(coherence_states, a_smaller_struct_has_six) {
    gpc_context *context = new_context();
    gpc_protocol old = gpci_moesi;
    old.name = "old";
    old.struct_size = offsetof(gpc_protocol, states);
    old.state_count = 77;
    cr_assert_eq(gpc_context_register_protocol(context, &old, NULL), GPC_OK);
    cr_expect_eq(gpc_protocol_find(context, "old")->state_count, 0);
    gpc_context_destroy(context);
}
