/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/protocols.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The check of a table: missing cells are named, contradictions refused, unneeded cells may be absent. */

static const char *const place_names[] = {"first", "between", "shared", "memory"};

enum { FIRST = 1, BETWEEN = 2, SHARED = 4, MEMORY = 8, CACHES = 7, BELOW = 14 };

#define BIT(event) (1u << GPC_EVENT_##event)
#define ALL_EVENTS ((1u << GPC_EVENT_COUNT) - 1)
#define ALL_STATES ((1u << GPC_LINE_COUNT) - 1)

/* Cells with an unreachable rule, for the reader or for trees made by hand. */
static const struct {
    const char *protocol;
    uint32_t places, states, events;
    const char *why;
} spare[] = {
    {"nmoesi-multi2sim", FIRST | BETWEEN, 1 << GPC_LINE_O, ALL_EVENTS, "nothing ever comes to O (D6)"},
    {"nmoesi-multi2sim", BELOW, ALL_STATES, BIT(PROBE_DATA), "DROP_PROBE_DATA: such data change no state (D3)"},
    {"none", CACHES, ALL_STATES, BIT(READ_PROBE) | BIT(WRITE_PROBE), "without a directory nobody is probed"},
    {"none", BELOW, ALL_STATES, BIT(PROBE_DATA) | BIT(INVALIDATE_DATA), "without a directory nobody is probed"},
    {"vi", CACHES, ALL_STATES, BIT(READ_PROBE) | BIT(WRITE_PROBE), "without a directory nobody is probed"},
    {"vi", BELOW, ALL_STATES, BIT(PROBE_DATA) | BIT(INVALIDATE_DATA), "without a directory nobody is probed"},
    {"hmg", CACHES, ALL_STATES, BIT(READ_PROBE), "nobody is asked"},
    {"hmg", FIRST, ALL_STATES, BIT(WRITE_PROBE), "first-level caches are not told either"},
    {"hmg", BELOW, ALL_STATES, BIT(PROBE_DATA) | BIT(INVALIDATE_DATA), "nobody is asked"},
    {"slc-glc", CACHES, ALL_STATES, BIT(READ_PROBE) | BIT(WRITE_PROBE), "without a directory nobody is probed"},
    {"slc-glc", BELOW, ALL_STATES, BIT(PROBE_DATA) | BIT(INVALIDATE_DATA), "without a directory nobody is probed"},
};

static bool is_spare(const gpc_protocol *protocol, int place, uint32_t state, uint32_t event) {
    for (size_t i = 0; i < sizeof spare / sizeof *spare; i++)
        if (!strcmp(spare[i].protocol, protocol->name) && spare[i].places >> place & 1 &&
            spare[i].states >> state & 1 && spare[i].events >> event & 1)
            return true;
    return false;
}

/* A protocol with changeable tables. */
typedef struct changed {
    gpc_protocol protocol;
    gpc_protocol_rule rules[4][GPC_MAX_STATES][GPC_EVENT_COUNT];
    gpc_error error;
} changed;

static uint32_t rows_of(const gpc_protocol *protocol, int place) {
    return GPC_LINE_COUNT + (place < 3 ? protocol->state_count : 0);
}

static void change(changed *c, const gpc_protocol *from) {
    *c = (changed){.protocol = *from};
    c->error = (gpc_error)GPC_ERROR_INIT;
    const gpc_protocol_rules **tables[] = {&c->protocol.first, &c->protocol.between, &c->protocol.shared,
                                           &c->protocol.memory};
    for (int place = 0; place < 4; place++)
        if (*tables[place]) {
            memcpy(c->rules[place], *tables[place], rows_of(from, place) * sizeof c->rules[place][0]);
            *tables[place] = (const gpc_protocol_rules *)&c->rules[place];
        }
}

typedef const gpc_protocol_rule (*rows)[GPC_EVENT_COUNT];

static rows table_of(const gpc_protocol *protocol, int place) {
    const gpc_protocol_rules *const tables[] = {protocol->first, protocol->between, protocol->shared, protocol->memory};
    return tables[place] ? *tables[place] : NULL;
}

Test(coherence_check, built_in_tables_pass) {
    for (size_t i = 0; gpci_builtin_protocols[i]; i++) {
        changed c;
        change(&c, gpci_builtin_protocols[i]);
        cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_OK, "%s", c.error.message);
        cr_expect(c.protocol.between, "%s: no rules for caches between", c.protocol.name);
        cr_expect(*c.protocol.summary && strlen(c.protocol.summary) <= 100, "%s", c.protocol.name);
    }
}

/* The message about a removed cell names exactly this cell. */
static void expect_named(const gpc_protocol *protocol, int place, uint32_t state, uint32_t event) {
    changed c;
    char expected[160];
    change(&c, protocol);
    memset(&c.rules[place][state][event], 0, sizeof(gpc_protocol_rule));
    gpc_status status = gpci_protocol_check(&c.protocol, &c.error);
    snprintf(expected, sizeof expected, "gpc_protocol '%s': %s, %s, %s: no rule", protocol->name, place_names[place],
             gpci_name_of_state(protocol, state).text, gpc_coherence_event_name((gpc_coherence_event)event));
    if (is_spare(protocol, place, state, event)) {
        cr_expect_eq(status, GPC_OK, "listed as unreachable, and refused: %s", c.error.message);
    } else {
        cr_expect_eq(status, GPC_ERROR_ARGUMENT, "%s", expected);
        cr_expect_str_eq(c.error.message, expected);
    }
}

Test(coherence_check, every_missing_cell_is_named) {
    size_t named = 0;
    for (size_t i = 0; gpci_builtin_protocols[i]; i++)
        for (int place = 0; place < 4; place++)
            for (uint32_t cell = 0; cell < rows_of(gpci_builtin_protocols[i], place) * GPC_EVENT_COUNT; cell++) {
                const rows table = table_of(gpci_builtin_protocols[i], place);
                uint32_t state = cell / GPC_EVENT_COUNT, event = cell % GPC_EVENT_COUNT;
                if (!table || !table[state][event].actions)
                    continue;
                expect_named(gpci_builtin_protocols[i], place, state, event);
                named++;
            }
    cr_log_info("%zu cells", named);
    cr_expect_gt(named, 9 * (2 * 7 + 2 * 10 + 2 * 7)); /* two states in first, between and memory, at the least */
}

/* An entry of the list without a cell would hide nothing, and be wrong. */
Test(coherence_check, the_list_of_spare_cells_is_not_longer_than_needed) {
    for (size_t k = 0; k < sizeof spare / sizeof *spare; k++) {
        size_t cells = 0;
        for (size_t i = 0; gpci_builtin_protocols[i]; i++)
            for (int place = 0; place < 4; place++)
                for (uint32_t cell = 0; cell < GPC_LINE_COUNT * GPC_EVENT_COUNT; cell++) {
                    const gpc_protocol *p = gpci_builtin_protocols[i];
                    const rows table = table_of(p, place);
                    uint32_t state = cell / GPC_EVENT_COUNT, event = cell % GPC_EVENT_COUNT;
                    cells += table && table[state][event].actions && !strcmp(spare[k].protocol, p->name) &&
                             spare[k].places >> place & 1 && spare[k].states >> state & 1 &&
                             spare[k].events >> event & 1;
                }
        cr_expect_gt(cells, 0, "%s: %s", spare[k].protocol, spare[k].why);
    }
}

/* One cell of MOESI made wrong. */
typedef struct wrong {
    int place;
    gpc_coherence_state state;
    gpc_coherence_event event;
    gpc_protocol_rule rule;
    const char *message;
} wrong;

#define RULE(actions, next) \
    { (uint16_t)(actions), next, next }

static const wrong wrongs[] = {
    {0, GPC_LINE_S, GPC_EVENT_LOAD, RULE(GPC_DO_HIT | GPC_DO_IGNORE, GPC_LINE_S),
     "first, S, Load: IGNORE and FORBID stand alone"},
    {0, GPC_LINE_E, GPC_EVENT_READ_PROBE, RULE(GPC_DO_FORBID | GPC_DO_SEND_DATA, GPC_LINE_S),
     "first, E, Read Req.: IGNORE and FORBID stand alone"},
    {0, GPC_LINE_S, GPC_EVENT_READ_PROBE, RULE(GPC_DO_IGNORE, GPC_LINE_I),
     "first, S, Read Req.: IGNORE leaves the state"},
    {0, GPC_LINE_S, GPC_EVENT_LOAD, RULE(GPC_DO_HIT, GPC_LINE_I),
     "first, S, Load: the block is lost: the next state is I"},
    {0, GPC_LINE_I, GPC_EVENT_LOAD, RULE(GPC_DO_HIT, GPC_LINE_S), "first, I, Load: HIT, and there is nothing"},
    {0,
     GPC_LINE_I,
     GPC_EVENT_LOAD,
     {GPC_DO_READ_REQUEST, GPC_LINE_E, GPC_LINE_I},
     "first, I, Load: the block is lost: the next state is I"},
    {0, GPC_LINE_S, GPC_EVENT_STORE, RULE(GPC_DO_WRITE_REQUEST | GPC_DO_HIT, GPC_LINE_M),
     "first, S, Store: HIT asks for nothing"},
    {0, GPC_LINE_S, GPC_EVENT_STORE, RULE(GPC_DO_WRITE_REQUEST | GPC_DO_READ_REQUEST, GPC_LINE_M),
     "first, S, Store: READ_REQUEST and WRITE_REQUEST exclude each other"},
    {0, GPC_LINE_S, GPC_EVENT_STORE, RULE(GPC_DO_IGNORE, GPC_LINE_S),
     "first, S, Store: an action that means nothing upon this event"},
    {0, GPC_LINE_E, GPC_EVENT_N_STORE, RULE(GPC_DO_CLEAR_OWNER, GPC_LINE_M),
     "first, E, N-Store: the access gets no answer"},
    {0, GPC_LINE_M, GPC_EVENT_LOAD, RULE(GPC_DO_HIT | GPC_DO_WRITE_BACK, GPC_LINE_M),
     "first, M, Load: WRITE_BACK of an access goes before PASS"},
    {0, GPC_LINE_E, GPC_EVENT_EVICTION, RULE(GPC_DO_WRITE_BACK, GPC_LINE_I),
     "first, E, Eviction: WRITE_BACK, and nothing is modified"},
    {0, GPC_LINE_M, GPC_EVENT_READ_PROBE, RULE(GPC_DO_WRITE_BACK, GPC_LINE_S),
     "first, M, Read Req.: WRITE_BACK upon a probe goes with SEND_DATA"},
    {0, GPC_LINE_M, GPC_EVENT_N_STORE, RULE(GPC_DO_PASS, GPC_LINE_M),
     "first, M, N-Store: PASS keeps no copy: the next state must be I"},
    {0, GPC_LINE_M, GPC_EVENT_N_STORE, RULE(GPC_DO_HIT | GPC_DO_EVICT_FIRST, GPC_LINE_N),
     "first, M, N-Store: HIT asks for nothing"},
    {0, GPC_LINE_M, GPC_EVENT_N_STORE, RULE(GPC_DO_EVICT_FIRST, GPC_LINE_N),
     "first, M, N-Store: the access gets no answer"},
    {0, GPC_LINE_M, GPC_EVENT_EVICTION, RULE(GPC_DO_WRITE_BACK, GPC_LINE_S),
     "first, M, Eviction: the block is to go: the next state must be I"},
    {0, GPC_LINE_S, GPC_EVENT_WRITE_PROBE, RULE(GPC_DO_IGNORE, GPC_LINE_S),
     "first, S, Write Req.: the block is to go: the next state must be I"},
    {0, GPC_LINE_M, GPC_EVENT_EVICTION, RULE(GPC_DO_WRITE_REQUEST, GPC_LINE_I),
     "first, M, Eviction: an action that means nothing upon this event"},
    {0, GPC_LINE_I, GPC_EVENT_READ_PROBE, RULE(GPC_DO_SEND_DATA, GPC_LINE_I),
     "first, I, Read Req.: SEND_DATA, and there are none"},
    {0, GPC_LINE_M, GPC_EVENT_LOAD, RULE(GPC_DO_HIT, GPC_LINE_COUNT), "first, M, Load: the next state is none"},
    {0, GPC_LINE_M, GPC_EVENT_LOAD, {GPC_DO_HIT, GPC_LINE_M, 200}, "first, M, Load: the next state is none"},
    {0, GPC_LINE_M, GPC_EVENT_LOAD, RULE(GPC_DO_HIT | 1 << 12, GPC_LINE_M), "first, M, Load: unknown action"},
    {1, GPC_LINE_I, GPC_EVENT_READ_ABOVE, RULE(GPC_DO_HIT, GPC_LINE_S),
     "between, I, Read Above: HIT, and there is nothing"},
    {1, GPC_LINE_E, GPC_EVENT_READ_ABOVE, RULE(GPC_DO_SEND_DATA | GPC_DO_READ_REQUEST, GPC_LINE_S),
     "between, E, Read Above: an action that means nothing upon this event"},
    {0, GPC_LINE_M, GPC_EVENT_READ_PROBE, RULE(GPC_DO_SEND_DATA, GPC_LINE_I),
     "first, M, Read Req.: the block is lost: the next state is I"},
    {1, GPC_LINE_E, GPC_EVENT_DATA_ABOVE, RULE(GPC_DO_HIT, GPC_LINE_I),
     "between, E, Data Above: the block is lost: the next state is I"},
    {1, GPC_LINE_E, GPC_EVENT_PROBE_DATA, RULE(GPC_DO_HIT, GPC_LINE_I),
     "between, E, Probe Data: the block is lost: the next state is I"},
    {1, GPC_LINE_E, GPC_EVENT_DATA_ABOVE, RULE(GPC_DO_READ_REQUEST, GPC_LINE_M),
     "between, E, Data Above: there is a block to write"},
    {1, GPC_LINE_I, GPC_EVENT_N_DATA_ABOVE, RULE(GPC_DO_HIT, GPC_LINE_M),
     "between, I, N-Data Above: there is no block to write"},
    {1, GPC_LINE_S, GPC_EVENT_ACQUIRE, RULE(GPC_DO_HIT, GPC_LINE_I),
     "between, S, Acquire: modules above would keep their copies"},
    {3, GPC_LINE_M, GPC_EVENT_N_DATA_ABOVE, RULE(GPC_DO_HIT, GPC_LINE_I),
     "memory, M, N-Data Above: the block is lost: the next state is I"},
    {3, GPC_LINE_E, GPC_EVENT_READ_ABOVE, RULE(GPC_DO_READ_REQUEST, GPC_LINE_E),
     "memory, E, Read Above: memory has no low module"},
    {3, GPC_LINE_M, GPC_EVENT_EVICTION, RULE(GPC_DO_WRITE_BACK, GPC_LINE_I),
     "memory, M, Eviction: memory has no low module"},
    {3, GPC_LINE_E, GPC_EVENT_WRITE_ABOVE, RULE(GPC_DO_HIT, GPC_LINE_S),
     "memory, E, Write Above: the next state is none of E, M, I"},
    /* an unreachable cell obeys the same rules */
    {0, GPC_LINE_N, GPC_EVENT_LOAD, RULE(GPC_DO_HIT, GPC_LINE_I),
     "first, N, Load: the block is lost: the next state is I"},
};

/* A protocol with one changed cell is refused. */
static void refuse(const gpc_protocol *protocol, const wrong *w) {
    changed c;
    char expected[200];
    change(&c, protocol);
    c.rules[w->place][w->state][w->event] = w->rule;
    snprintf(expected, sizeof expected, "gpc_protocol '%s': %s", protocol->name, w->message);
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_ERROR_ARGUMENT, "%s", expected);
    cr_expect_str_eq(c.error.message, expected);
}

Test(coherence_check, contradictions_are_refused) {
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        refuse(&gpci_moesi, &wrongs[i]);
}

/* One cell of NMOESI-D: of D, the new state with copies unknown to the level below, or leading to D. */
#define D ((gpc_coherence_state)GPC_LINE_COUNT)

static const wrong detached_wrongs[] = {
    {1, GPC_LINE_S, GPC_EVENT_READ_ABOVE, RULE(GPC_DO_HIT, D),
     "between, S, Read Above: only the first level keeps detached copies"},
    {0,
     D,
     GPC_EVENT_LOAD,
     {GPC_DO_HIT, D, GPC_LINE_S},
     "first, D, Load: a copy is detached, or not, whether or not others have copies"},
    {0, GPC_LINE_S, GPC_EVENT_LOAD, RULE(GPC_DO_HIT, D),
     "first, S, Load: the next state is detached: only an event of the protocol's own that is like WRITE_PROBE leads "
     "there"},
    {0, D, GPC_EVENT_WRITE_PROBE, RULE(GPC_DO_SEND_DATA, GPC_LINE_I),
     "first, D, Write Req.: SEND_DATA, and the copy is detached"},
    {0, D, GPC_EVENT_STORE, RULE(GPC_DO_WRITE_REQUEST, GPC_LINE_M),
     "first, D, Store: the low module does not know of a detached copy: EVICT_FIRST"},
    {0, D, GPC_EVENT_STORE, RULE(GPC_DO_HIT, D), "first, D, Store: a detached copy is not modified"},
    {0, D, GPC_EVENT_N_STORE, RULE(GPC_DO_HIT, D), "first, D, N-Store: a detached copy is not modified"},
    {0, D, GPC_EVENT_LOAD, RULE(GPC_DO_HIT, GPC_LINE_S),
     "first, D, Load: a detached copy that nobody asks for stays so, or goes"},
};

Test(coherence_check, detached_copies_contradict) {
    for (size_t i = 0; i < sizeof detached_wrongs / sizeof *detached_wrongs; i++)
        refuse(&gpci_nmoesi_d, &detached_wrongs[i]);
}

/* A path to a new state makes its row necessary: MESI's M, asked for a copy, goes to O, without rules. */
Test(coherence_check, a_new_state_needs_its_row) {
    changed c;
    change(&c, &gpci_mesi);
    c.rules[0][GPC_LINE_M][GPC_EVENT_READ_PROBE].next = GPC_LINE_O;
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(c.error.message, "gpc_protocol 'mesi': first, O, Load: no rule");
    change(&c, &gpci_mesi);
    c.rules[0][GPC_LINE_I][GPC_EVENT_LOAD].next_shared = GPC_LINE_O; /* the other next state counts as well */
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(c.error.message, "gpc_protocol 'mesi': first, O, Load: no rule");
    change(&c, &gpci_mesi);
    c.rules[0][GPC_LINE_M][GPC_EVENT_LOAD].next_shared = GPC_LINE_O; /* but not without a request */
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_OK, "%s", c.error.message);
}

/* The flags and bits of a protocol decide the needed columns. */
Test(coherence_check, columns_follow_flags_and_bits) {
    changed c;
    change(&c, &gpci_no_coherence);
    c.protocol.pass_loads[1] = GPC_ACCESS_SLC;
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(c.error.message, "gpc_protocol 'none': between, N, Passing Load: no rule");
    change(&c, &gpci_no_coherence);
    c.protocol.pass_stores[0] = GPC_ACCESS_SLC;
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(c.error.message, "gpc_protocol 'none': first, N, Passing Store: no rule");
    change(&c, &gpci_no_coherence);
    c.protocol.through_stores = GPC_ACCESS_GLC;
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(c.error.message, "gpc_protocol 'none': first, N, Through Store: no rule");
    change(&c, &gpci_no_coherence);
    memset(&c.rules[0][GPC_LINE_S][GPC_EVENT_READ_PROBE], 0, sizeof(gpc_protocol_rule));
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_OK, "%s", c.error.message);
    c.protocol.flags = GPC_PROTOCOL_DIRECTORY;
    cr_expect_eq(gpci_protocol_check(&c.protocol, &c.error), GPC_ERROR_ARGUMENT);
    /* By the protocol's letter. */
    cr_expect_str_eq(c.error.message, "gpc_protocol 'none': first, V, Read Req.: no rule");
}

static void refuse_head(const gpc_protocol *protocol, const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_protocol_check(protocol, &error), GPC_ERROR_ARGUMENT, "%s", message);
    cr_expect(strstr(error.message, message), "%s", error.message);
}

Test(coherence_check, what_stands_before_the_tables) {
    gpc_protocol p = gpci_moesi;
    const char *const names[] = {NULL, "", "Moesi", "mo esi",
                                 "a234567890123456789012345678901234567890123456789012345678901234"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        p.name = names[i];
        refuse_head(&p, "gpc_protocol.name must be 1 to 63 characters");
    }
    p = gpci_moesi;
    p.first = NULL;
    refuse_head(&p, "first is NULL");
    p = gpci_moesi;
    p.memory = NULL;
    refuse_head(&p, "memory is NULL");
    p = gpci_moesi;
    p.flags |= 1u << 31;
    refuse_head(&p, "flags has unknown bits 0x80000000");
    p = gpci_moesi;
    p.flags |= GPC_PROTOCOL_INVALIDATES;
    refuse_head(&p, "INVALIDATES goes without DIRECTORY");
    for (unsigned i = 0; i < 5; i++) {
        p = gpci_moesi;
        *(i == 4 ? &p.through_stores : i < 2 ? &p.pass_loads[i] : &p.pass_stores[i - 2]) = 4;
        refuse_head(&p, "unknown bits 0x4 of an access");
    }
    p = gpci_moesi;
    p.letters = "NMOES";
    refuse_head(&p, "letters must be 6 of A to Z");
    p.letters = "NMOES\n";
    refuse_head(&p, "letters must be 6 of A to Z");
    p.letters = "NMOEVI";
    p.between = p.shared = NULL; /* trees of two levels, and without caches between */
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_protocol_check(&p, &error), GPC_OK, "%s", error.message);
}
