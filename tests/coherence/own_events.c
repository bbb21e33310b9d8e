/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/small.h"
#include "effort.h"
#include "measured.h"
#include "policies/protocol/protocols.h"

#include <gpucache/experimental/experimental.h>

#include <stdlib.h>
#include <string.h>

/*
 * Protocols with new events. A protocol in which every access, request, probe and write-back is a new event, with
 * copies of the usual columns, acts like the original, step by step. The usual columns, no longer reached, are then
 * forbidden.
 */

enum { BESIDE = 9, EVENTS = GPC_EVENT_COUNT + BESIDE, FIRST_OWN = GPC_EVENT_COUNT, PLACES = 4 };

static const uint32_t likes[BESIDE] = {
    GPC_EVENT_LOAD,       GPC_EVENT_STORE,       GPC_EVENT_N_STORE,    GPC_EVENT_READ_PROBE,   GPC_EVENT_WRITE_PROBE,
    GPC_EVENT_READ_ABOVE, GPC_EVENT_WRITE_ABOVE, GPC_EVENT_DATA_ABOVE, GPC_EVENT_N_DATA_ABOVE,
};
static const char *const names[BESIDE] = {"ld", "st", "n-st", "r_probe", "w_probe", "r-above", "w-above", "d", "n-d"};

typedef struct doubled {
    gpc_protocol protocol;
    gpc_protocol_event events[BESIDE];
    gpc_protocol_rule usual[PLACES][GPC_LINE_COUNT][GPC_EVENT_COUNT];
    gpc_protocol_rule own[PLACES][GPC_LINE_COUNT][BESIDE];
    gpc_protocol_raise raises[PLACES][GPC_LINE_COUNT][EVENTS];
} doubled;

/* The new event like one of the sixteen. */
static uint8_t own_of(uint32_t like) {
    for (uint8_t i = 0; i < BESIDE; i++)
        if (likes[i] == like)
            return (uint8_t)(FIRST_OWN + i);
    return 0;
}

/* Messages of a cell, all as new events. */
static gpc_protocol_raise raise_of(uint32_t like, gpc_protocol_rule rule, bool first, bool masked) {
    gpc_protocol_raise raise = {0, 0};
    const bool back = rule.actions & (GPC_DO_WRITE_BACK | GPC_DO_WRITE_THROUGH);
    if (rule.actions & GPC_DO_READ_REQUEST)
        raise.below = own_of(GPC_EVENT_READ_ABOVE);
    else if (rule.actions & GPC_DO_WRITE_REQUEST)
        raise.below = own_of(GPC_EVENT_WRITE_ABOVE);
    else if (back)
        raise.below = own_of(masked ? GPC_EVENT_N_DATA_ABOVE : GPC_EVENT_DATA_ABOVE);
    if (!first && (like == GPC_EVENT_READ_ABOVE || like == GPC_EVENT_READ_PROBE))
        raise.above = own_of(GPC_EVENT_READ_PROBE);
    if (!first && (like == GPC_EVENT_WRITE_ABOVE || like == GPC_EVENT_WRITE_PROBE || like == GPC_EVENT_EVICTION))
        raise.above = own_of(GPC_EVENT_WRITE_PROBE);
    return raise;
}

static void double_table(doubled *d, uint32_t place, const gpc_protocol_rule (*from)[GPC_EVENT_COUNT]) {
    for (uint32_t state = 0; state < GPC_LINE_COUNT; state++)
        for (uint32_t event = 0; event < GPC_EVENT_COUNT; event++) {
            const gpc_protocol_rule rule = from[state][event];
            const gpc_protocol_raise raise = raise_of(event, rule, place == 0, state == GPC_LINE_N);
            const uint8_t own = own_of(event);
            d->usual[place][state][event] = rule;
            d->raises[place][state][event] = raise;
            if (!own)
                continue;
            d->own[place][state][own - FIRST_OWN] = rule;
            d->raises[place][state][own] = raise;
        }
}

static doubled *double_events(gpc_context *context, const char *name) {
    const gpc_protocol *of = gpc_protocol_find(context, name);
    doubled *d = calloc(1, sizeof *d);
    cr_assert(d && of);
    d->protocol = *of;
    d->protocol.name = "again";
    const gpc_protocol_rules **places[PLACES] = {&d->protocol.first, &d->protocol.between, &d->protocol.shared,
                                                 &d->protocol.memory};
    for (uint32_t i = 0; i < PLACES; i++) {
        if (!*places[i])
            continue;
        double_table(d, i, **places[i]);
        *places[i] = (const gpc_protocol_rules *)&d->usual[i];
        d->protocol.event_rules[i] = *d->own[i];
        d->protocol.raises[i] = *d->raises[i];
    }
    for (uint32_t i = 0; i < BESIDE; i++)
        d->events[i] = (gpc_protocol_event){names[i], likes[i], 0};
    d->protocol.events = d->events;
    d->protocol.event_count = BESIDE;
    return d;
}

/* A protocol without N: requests and data come only by the other columns. */
static void forbid_usual(doubled *d) {
    for (uint32_t place = 0; place < PLACES; place++)
        for (uint32_t state = 0; state < GPC_LINE_COUNT; state++)
            for (uint32_t event = GPC_EVENT_READ_ABOVE; event <= GPC_EVENT_N_DATA_ABOVE && place; event++)
                if (d->usual[place][state][event].actions) {
                    d->usual[place][state][event] = (gpc_protocol_rule){GPC_DO_FORBID, GPC_LINE_I, GPC_LINE_I};
                    d->raises[place][state][event] = (gpc_protocol_raise){0, 0};
                }
}

static void register_it(gpc_context *context, const doubled *d) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_register_protocol(context, &d->protocol, &error), GPC_OK, "%s", error.message);
}

static uint32_t draw(uint64_t *random, uint32_t below) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

static gpc_coherence_request any_request(uint64_t *random, uint64_t cycle) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = draw(random, 2);
    request.kind = draw(random, 3);
    request.address = draw(random, 40) * 64 + draw(random, 15) * 4;
    request.size = 4;
    request.cycle = cycle;
    return request;
}

static void expect_same_counts(small *s[2]) {
    for (uint32_t m = 0; m < s[0]->options.module_count; m++) {
        measured_module one, other;
        measured_clear(&one);
        measured_clear(&other);
        cr_assert_eq(measure_module(s[0]->tree, m, &one), GPC_OK);
        cr_assert_eq(measure_module(s[1]->tree, m, &other), GPC_OK);
        cr_assert_arr_eq(&one, &other, sizeof one);
    }
}

static void play(small *s[2], uint64_t random) {
    for (int n = 0; n < 300; n++) {
        const uint8_t bytes[4] = {(uint8_t)n, 1, 2, 3};
        gpc_coherence_request request = any_request(&random, (uint64_t)n * 1000);
        gpc_coherence_result results[2] = {GPC_COHERENCE_RESULT_INIT, GPC_COHERENCE_RESULT_INIT};
        uint8_t out[2][4];
        request.bytes = bytes;
        for (uint32_t k = 0; k < 2; k++) {
            request.out = out[k];
            request.flags = k ? GPC_ACCESS_EVENT(FIRST_OWN + request.kind) : 0;
            cr_assert_eq(gpc_coherence_access(s[k]->tree, &request, &results[k], &s[k]->error), GPC_OK, "%s",
                         s[k]->error.message);
        }
        cr_assert_eq(results[0].completed, results[1].completed);
        cr_assert_eq(results[0].message_count, results[1].message_count);
        cr_assert_arr_eq(results[0].messages, results[1].messages,
                         results[0].message_count * sizeof *results[0].messages);
        cr_assert_eq(results[0].transition_count, results[1].transition_count);
        cr_assert_arr_eq(results[0].transitions, results[1].transitions,
                         results[0].transition_count * sizeof *results[0].transitions);
        cr_assert(!memcmp(out[0], out[1], 4));
    }
    expect_same_counts(s);
}

static void play_overlapping(small *s[2], uint64_t random) {
    uint64_t cycle = 0;
    for (int n = 0; n < 300; n++) {
        const gpc_coherence_request request = any_request(&random, cycle);
        const uint64_t next = draw(&random, 3) ? cycle : cycle + draw(&random, 40);
        for (uint32_t k = 0; k < 2; k++) {
            uint64_t token;
            cr_assert_eq(gpc_coherence_issue(s[k]->tree, &request, &token, &s[k]->error), GPC_OK);
            cr_assert_eq(gpc_coherence_advance(s[k]->tree, next, &s[k]->error), GPC_OK, "%s", s[k]->error.message);
        }
        cycle = next;
        cr_assert_eq(gpc_coherence_next_event(s[0]->tree), gpc_coherence_next_event(s[1]->tree));
    }
    for (uint32_t k = 0; k < 2; k++)
        cr_assert_eq(gpc_coherence_advance(s[k]->tree, UINT64_MAX - 1, &s[k]->error), GPC_OK, "%s",
                     s[k]->error.message);
    expect_same_counts(s);
}

static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi", "nmoesi", "vi", "slc-glc", "none"};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols, WITHOUT_N = 4 };

Test(coherence_own_events, whose_columns_are_alike) {
    for (uint32_t p = 0; p < PROTOCOLS; p++)
        for (uint32_t seed = 0; seed < 6; seed++) {
            small *s[2] = {small_open(), small_open()};
            doubled *d = double_events(s[1]->context, protocols[p]);
            if (p < WITHOUT_N && !(seed & 1))
                forbid_usual(d);
            register_it(s[1]->context, d);
            for (uint32_t k = 0; k < 2; k++) {
                s[k]->options.protocol = k ? "again" : protocols[p];
                s[k]->options.data = true;
                s[k]->modules[2].non_inclusive = seed & 1;
                s[k]->modules[2].directory_ways = seed & 1 ? 2 : 0;
                s[k]->modules[0].write_through = seed == 5;
                small_tree(s[k]);
            }
            (seed % 3 == 2 ? play_overlapping : play)(s, seed);
            small_close(s[0]);
            small_close(s[1]);
            free(d);
        }
}

static void refuse(const doubled *d, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_protocol_check(&d->protocol, &error), GPC_ERROR_ARGUMENT, "%s", text);
    cr_expect(strstr(error.message, text), "'%s' is not in '%s'", text, error.message);
}

Test(coherence_own_events, refusals) {
    small *s = small_open();
    doubled *d = double_events(s->context, "nmoesi");
    const doubled right = *d;
#define REFUSED(text, change) \
    do {                      \
        change;               \
        refuse(d, text);      \
        *d = right;           \
    } while (0)
    REFUSED("events[1].name", d->events[1].name = "ld");
    REFUSED("events[2].name", d->events[2].name = "st");
    REFUSED("events[0].name", d->events[0].name = "Load");
    REFUSED("events[0].name", d->events[0].name = NULL);
    REFUSED("events[8].name", d->events[8].name = "sixteen-or-more-");
    REFUSED("event st is like 3", d->events[1].like = GPC_EVENT_EVICTION);
    REFUSED("event st is like 16", d->events[1].like = FIRST_OWN);
    REFUSED("event_count is 49", d->protocol.event_count = GPC_MAX_EVENTS - GPC_EVENT_COUNT + 1);
    REFUSED("events is NULL", d->protocol.events = NULL);
    REFUSED("first, E, st: no rule", d->own[0][GPC_LINE_E][1].actions = 0);
    REFUSED("memory, E, r-above: no rule", d->own[3][GPC_LINE_E][5].actions = 0);
    REFUSED("between, S, w_probe: the block is to go", d->own[1][GPC_LINE_S][4].next = GPC_LINE_S);
    REFUSED("first, N, Load: what it raises above", d->raises[0][GPC_LINE_N][0].above = own_of(GPC_EVENT_READ_PROBE));
    REFUSED("first, I, ld: what it raises below",
            d->raises[0][GPC_LINE_I][FIRST_OWN].below = own_of(GPC_EVENT_WRITE_ABOVE));
    REFUSED("first, I, ld: what it raises below", d->raises[0][GPC_LINE_I][FIRST_OWN].below = own_of(GPC_EVENT_LOAD));
    REFUSED("between, M, Read Above: what it raises above", d->raises[1][GPC_LINE_M][6].above = EVENTS);
    REFUSED("first, I, Load: an action that means nothing", d->usual[0][GPC_LINE_I][0].actions = GPC_DO_WRITE_REQUEST;
            d->raises[0][GPC_LINE_I][0].below = 0);
    d->events[8].name = "fifteen-letters";
    d->own[0][GPC_LINE_I][0] = (gpc_protocol_rule){GPC_DO_WRITE_REQUEST, GPC_LINE_M, GPC_LINE_M};
    d->raises[0][GPC_LINE_I][FIRST_OWN].below = own_of(GPC_EVENT_WRITE_ABOVE);
    cr_expect_eq(gpci_protocol_check(&d->protocol, NULL), GPC_OK);
    char name[16];
    cr_expect_eq(gpc_protocol_event_name(&d->protocol, FIRST_OWN + 4, name, sizeof name), 7);
    cr_expect_str_eq(name, "w_probe");
    cr_expect_eq(gpc_protocol_event_name(&d->protocol, EVENTS, name, sizeof name), 0);
    cr_expect_eq(gpc_protocol_event_name(NULL, GPC_EVENT_ACQUIRE, name, sizeof name), 7);
    small_close(s);
    free(d);
}

/* A load before a store asks for the only copy; an access names an event of the same kind. */
Test(coherence_own_events, loads_that_store_next) {
    small *s = small_open();
    doubled *d = double_events(s->context, "mesi");
    for (uint32_t state = GPC_LINE_S; state <= GPC_LINE_I; state++) {
        d->own[0][state][0] = (gpc_protocol_rule){GPC_DO_WRITE_REQUEST, GPC_LINE_M, GPC_LINE_M};
        d->raises[0][state][FIRST_OWN].below = own_of(GPC_EVENT_WRITE_ABOVE);
    }
    register_it(s->context, d);
    s->options.protocol = "again";
    s->options.data = true;
    gpc_coherence *c = small_tree(s);
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    uint8_t read = 0;
    small_access(c, 0, GPC_COHERENCE_STORE, 0x40, 7);
    request.module = 1;
    request.address = 0x40;
    request.out = &read;
    request.flags = GPC_ACCESS_EVENT(FIRST_OWN);
    cr_assert_eq(gpc_coherence_access(c, &request, &result, &s->error), GPC_OK, "%s", s->error.message);
    cr_expect(read == 7 && !result.hit && result.state == GPC_LINE_M);
    cr_assert_eq(gpc_coherence_access(c, &request, &result, &s->error), GPC_OK);
    cr_expect(result.hit);
    request.module = 0;
    request.flags = 0;
    cr_assert_eq(gpc_coherence_access(c, &request, &result, &s->error), GPC_OK);
    cr_expect_eq(result.state, GPC_LINE_S, "it was taken from there");
    static const uint32_t none[] = {FIRST_OWN + 1, FIRST_OWN + 5, EVENTS, GPC_EVENT_STORE, 255};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        request.flags = GPC_ACCESS_EVENT(none[i]);
        cr_expect_eq(gpc_coherence_access(c, &request, &result, &s->error), GPC_ERROR_ARGUMENT);
        cr_expect(strstr(s->error.message, "that is like a Load"), "%s", s->error.message);
    }
    small_close(s);
    free(d);
}

static gpc_verify_report explored(gpc_context *context, const char *protocol) {
    gpc_verify_options o = GPC_VERIFY_OPTIONS_INIT;
    gpc_verify_report report = GPC_VERIFY_REPORT_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_verify *v;
    o.protocol = protocol;
    o.tree = "2 over memory";
    o.bytes = 2;
    o.in_flight = 0;
    o.kinds = GPC_VERIFY_LOADS | GPC_VERIFY_STORES;
    cr_assert_eq(gpc_verify_run(context, &o, &v, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_verify_get_report(v, &report, NULL), GPC_OK);
    cr_expect_eq(report.verdict, GPC_VERIFY_PASSED, "%s", report.text);
    gpc_verify_destroy(v);
    return report;
}

/* In every state two caches each have a load, and stores of two values to two bytes; again by the new names. */
Test(coherence_own_events, explored_by_their_names) {
    small *s = small_open();
    doubled *d = double_events(s->context, "mesi");
    register_it(s->context, d);
    const gpc_verify_report usual = explored(s->context, "mesi"), again = explored(s->context, "again");
    cr_expect_eq(again.states, usual.states);
    cr_expect_eq(usual.edges, usual.states * 2 * (1 + 2 * 2));
    cr_expect_eq(again.edges, 2 * usual.edges);
    small_close(s);
    free(d);
}

/* nmoesi-d: blocks evicted by L2 are still read above, without requests; a store, acquire or flush ends this. */
Test(coherence_own_events, detached_copies) {
    enum { D = GPC_LINE_COUNT };
    small *s = small_open_bare(4);
    for (uint32_t i = 0; i < 3; i++)
        small_link(s, i, i < 2 ? 2 : 3);
    s->modules[0].ways = s->modules[1].ways = 4;
    s->modules[2].sets = s->modules[2].ways = 1;
    s->modules[3].memory = true;
    s->modules[3].ways = 0;
    s->options.protocol = "nmoesi-d";
    s->options.data = true;
    gpc_coherence *c = small_tree(s);
    measured_module stats;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    const uint64_t a = 0x40, b = 0x80;
    small_access(c, 0, GPC_COHERENCE_STORE, a, 5);
    small_access(c, 1, GPC_COHERENCE_LOAD, b, 0);
    uint32_t set, way;
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    cr_assert_eq(gpc_coherence_find(c, 0, a, &set, &way, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_get_block(c, 0, set, way, &block, NULL), GPC_OK);
    cr_expect_eq(block.state, D);
    cr_expect_eq(small_access(c, 0, GPC_COHERENCE_LOAD, a, 0), 5);
    cr_expect_eq(gpc_coherence_find(c, 2, b, &set, &way, NULL), GPC_OK, "L2 still has the other: nobody asked it");
    measured_clear(&stats);
    cr_assert_eq(measure_module(c, 0, &stats), GPC_OK);
    cr_expect_eq(stats.invalidations, 0);
    cr_expect_eq(stats.load_hits, 1);
    small_access(c, 1, GPC_COHERENCE_STORE, a, 6);
    cr_expect_eq(small_access(c, 0, GPC_COHERENCE_LOAD, a, 0), 5, "what it was when it was detached");
    cr_assert_eq(gpc_coherence_acquire(c, 0, 0, &result, &s->error), GPC_OK);
    cr_expect_eq(small_access(c, 0, GPC_COHERENCE_LOAD, a, 0), 6);
    small_access(c, 1, GPC_COHERENCE_LOAD, b + 0x40, 0); /* detaches the two copies of A */
    small_access(c, 0, GPC_COHERENCE_STORE, a, 9);
    cr_expect_eq(small_access(c, 1, GPC_COHERENCE_LOAD, a, 0), 6);
    cr_assert_eq(gpc_coherence_flush(c, 2, 0, &result, &s->error), GPC_OK);
    cr_expect_eq(gpc_coherence_find(c, 1, a, &set, &way, NULL), GPC_END, "a flush of L2 ends it, too");
    cr_expect_eq(small_access(c, 1, GPC_COHERENCE_LOAD, a, 0), 9);
    cr_assert_eq(gpc_coherence_check(c, 0, 0x100, &s->error), GPC_OK, "%s", s->error.message);
    small_close(s);
}
