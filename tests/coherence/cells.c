/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/stage.h"
#include "policies/protocol/protocols.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
/*
 * Every cell of Table 2.5, for every protocol: cache 1 of three is brought to the state by accesses, every
 * column is applied, and what the cell says is compared with what happened. The text of a cell is the document's where
 * it has one; its words are what is looked for:
 *   hit              no request          Read Req., Write Req.   to the low module
 *   Send Data        to who asked        Write Back              to the low module
 *   -> X             the next state      -                       nothing happens
 * What protocols of the project say beyond it: Notice, Clear Owner, Write Through, Pass.
 */

enum { SUBJECT = 1, OTHER = 2, COLUMNS = 6 };

/* Plays of the columns: the processor's, the eviction by another address, another cache's load and store. */
static const char *const plays[COLUMNS] = {"L1", "S1", "N1", "X1", "L2", "S2"};
static const char *const columns[COLUMNS] = {"Load", "Store", "N-Store", "Eviction", "Read Req.", "Write Req."};
static const unsigned origins[COLUMNS] = {GPC_ORIGIN_LOAD_MISS, GPC_ORIGIN_STORE,          GPC_ORIGIN_N_STORE,
                                          GPC_ORIGIN_EVICTED,   GPC_ORIGIN_READ_DOWN_UP_3, GPC_ORIGIN_WRITE_DOWN_UP};

typedef struct row {
    char state;
    const char *setup;
    const char *cells[COLUMNS];
} row;

typedef struct table {
    const char *protocol;
    row rows[8];
} table;

/* Table 2.5 literally; protocols without N have the Store column in place of the N-Store column. */
static const table tables[] = {
    {"nmoesi",
     {{'N', "N1", {"hit", "Write Req. ->M", "hit", "Write Back ->I", "-", "Send Data ->I"}},
      {'M', "S1", {"hit", "hit", "hit", "Write Back ->I", "Send Data ->O", "Send Data ->I"}},
      {'O', "S1 L0", {"hit", "Write Req. ->M", "hit", "Write Back ->I", "Send Data", "Send Data ->I"}},
      {'E', "L1", {"hit", "hit ->M", "hit ->N", "->I", "Send Data ->S", "Send Data ->I"}},
      {'S', "L0 L1", {"hit", "Write Req. ->M", "hit ->N", "->I", "-", "->I"}},
      {'I', "", {"Read Req. ->E", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->S", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}},
      /* the text allowing O here is wrong: cache 0 keeps the duty to write back */
      {'I', "S0", {"Read Req. ->S", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}}}},
    {"nmoesi-d",
     {{'N', "N1", {"hit", "Write Req. ->M", "hit", "Write Back ->I", "-", "Send Data ->I"}},
      {'M', "S1", {"hit", "hit", "hit", "Write Back ->I", "Send Data ->O", "Send Data ->I"}},
      {'O', "S1 L0", {"hit", "Write Req. ->M", "hit", "Write Back ->I", "Send Data", "Send Data ->I"}},
      {'E', "L1", {"hit", "hit ->M", "hit ->N", "->I", "Send Data ->S", "Send Data ->I"}},
      {'S', "L0 L1", {"hit", "Write Req. ->M", "hit ->N", "->I", "-", "->I"}},
      {'I', "", {"Read Req. ->E", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->S", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}},
      /* the text allowing O here is wrong: cache 0 keeps the duty to write back */
      {'I', "S0", {"Read Req. ->S", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}}}},
    {"moesi",
     {{'M', "S1", {"hit", "hit", "hit", "Write Back ->I", "Send Data ->O", "Send Data ->I"}},
      {'O', "S1 L0", {"hit", "Write Req. ->M", "Write Req. ->M", "Write Back ->I", "Send Data", "Send Data ->I"}},
      {'E', "L1", {"hit", "hit ->M", "hit ->M", "->I", "Send Data ->S", "Send Data ->I"}},
      {'S', "L0 L1", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "-", "->I"}},
      {'I', "", {"Read Req. ->E", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "S0", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}}}},
    {"mosi", /* no E: a single load goes to S */
     {{'M', "S1", {"hit", "hit", "hit", "Write Back ->I", "Send Data ->O", "Send Data ->I"}},
      {'O', "S1 L0", {"hit", "Write Req. ->M", "Write Req. ->M", "Write Back ->I", "Send Data", "Send Data ->I"}},
      {'S', "L0 L1", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "-", "->I"}},
      {'S', "L1", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "-", "->I"}},
      {'I', "", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "S0", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}}}},
    {"mesi", /* Table 2.2: M answers a read request and writes back, S supplies data */
     {{'M', "S1", {"hit", "hit", "hit", "Write Back ->I", "Send Data, Write Back ->S", "Send Data ->I"}},
      {'E', "L1", {"hit", "hit ->M", "hit ->M", "->I", "Send Data ->S", "Send Data ->I"}},
      {'S', "L0 L1", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "Send Data", "->I"}},
      {'I', "", {"Read Req. ->E", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "S0", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}}}},
    {"mesif", /* the latest of several copies is in F; copies in S are not asked */
     {{'M', "S1", {"hit", "hit", "hit", "Write Back ->I", "Send Data, Write Back ->S", "Send Data ->I"}},
      {'E', "L1", {"hit", "hit ->M", "hit ->M", "->I", "Send Data ->S", "Send Data ->I"}},
      {'F', "L0 L1", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "Send Data ->S", "Send Data ->I"}},
      {'S', "L1 L0", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "-", "->I"}},
      {'I', "", {"Read Req. ->E", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->F", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "S0", {"Read Req. ->F", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}}}},
    {"msi", /* Table 2.1 */
     {{'M', "S1", {"hit", "hit", "hit", "Write Back ->I", "Send Data, Write Back ->S", "Send Data ->I"}},
      {'S', "L1", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "Send Data", "->I"}},
      {'S', "L0 L1", {"hit", "Write Req. ->M", "Write Req. ->M", "->I", "Send Data", "->I"}},
      {'I', "", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}},
      {'I', "S0", {"Read Req. ->S", "Write Req. ->M", "Write Req. ->M", "-", "-", "-"}}}},
    {"nmoesi-multi2sim", /* the specification, section 3; O cannot be reached, nor a probe of N or S */
     {{'N', "N1", {"hit", "Write Req. ->M", "hit", "Write Back ->I", "-", "Send Data ->I"}},
      {'M', "S1", {"hit", "hit", "Write Back, Read Req. ->N", "Write Back ->I", "Send Data ->S", "Send Data ->I"}},
      {'E', "L1", {"hit", "hit ->M", "hit, Clear Owner ->N", "Notice ->I", "->S", "->I"}},
      {'S', "L0 L1", {"hit", "Write Req. ->M", "hit ->N", "Notice ->I", "-", "->I"}},
      {'I', "", {"Read Req. ->E", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->S", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}},
      {'I', "S0", {"Read Req. ->S", "Write Req. ->M", "Read Req. ->N", "-", "-", "-"}}}},
    {"vi", /* V is S */
     {{'S', "L1", {"hit", "Pass ->I", "hit, Write Through", "->I", "-", "-"}},
      {'I', "", {"Read Req. ->S", "Pass", "Pass", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->S", "Pass", "Pass", "-", "-", "-"}}}},
    {"hmg",
     {{'S', "L1", {"hit", "Pass ->I", "hit, Write Through", "->I", "-", "-"}},
      {'I', "", {"Read Req. ->S", "Pass", "Pass", "-", "-", "-"}},
      {'I', "L0", {"Read Req. ->S", "Pass", "Pass", "-", "-", "-"}}}},
    {"none",
     {{'N', "S1", {"hit", "hit", "hit", "Write Back ->I", "-", "-"}},
      {'S', "L1", {"hit", "hit ->N", "hit ->N", "->I", "-", "-"}},
      {'I', "", {"Read Req. ->S", "Read Req. ->N", "Read Req. ->N", "-", "-", "-"}},
      {'I', "S0", {"Read Req. ->S", "Read Req. ->N", "Read Req. ->N", "-", "-", "-"}}}},
    {"slc-glc",
     {{'N', "N1", {"hit", "Write Back, Pass ->I", "hit", "Write Back ->I", "-", "-"}},
      {'S', "L1", {"hit", "Pass ->I", "hit ->N", "->I", "-", "-"}},
      {'I', "", {"Read Req. ->S", "Pass", "Read Req. ->N", "-", "-", "-"}}}},
};

/* One cell under test. */
typedef struct trial {
    stage s;
    const table *table;
    const row *row;
    int column;
    const char *cell;
    char next;
    char where[160];
} trial;

static bool says(const trial *t, const char *word) {
    return strstr(t->cell, word) != NULL;
}

/* Messages of the cell's words, in order. Data go to the requester, or through memory. */
static void expect_messages(const trial *t) {
    bool peer = gpc_protocol_find(t->s.small->context, t->table->protocol)->flags & GPC_PROTOCOL_PEER;
    char expected[64] = "", found[128];
    const struct {
        const char *word, *message;
    } words[] = {{"Send Data", peer ? "D2 " : "D3 "}, {"Write Back", t->row->state == 'N' ? "b3 " : "B3 "},
                 {"Read Req.", "R3 "},                {"Write Req.", "W3 "},
                 {"Notice", "n3 "},                   {"Clear Owner", "c3 "},
                 {"Write Through", "t3 "},            {"Pass", "t3 "}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (says(t, words[i].word))
            strcat(expected, words[i].message);
    if (*expected)
        expected[strlen(expected) - 1] = '\0';
    stage_messages(&t->s, SUBJECT, found);
    cr_expect_str_eq(found, expected, "%s: sent '%s', not '%s'", t->where, found, expected);
}

static void expect_transitions(const trial *t) {
    char expected[64] = "", found[128], from = t->row->state;
    bool processor = t->column <= GPC_EVENT_N_STORE, dash = !strcmp(t->cell, "-"), load = t->column == GPC_EVENT_LOAD;
    if (processor && says(t, "Write Back") && !says(t, "Pass")) { /* out and in again */
        snprintf(expected, sizeof expected, "%c>I@200 ", from);
        from = 'I';
    }
    size_t length = strlen(expected);
    unsigned origin = says(t, "Pass") ? (unsigned)GPC_ORIGIN_PASS : origins[t->column];
    if (!dash && !(load && says(t, "hit")) && !(says(t, "Pass") && from == 'I'))
        snprintf(expected + length, sizeof expected - length, "%c>%c@%X", from, t->next, origin);
    stage_transitions(&t->s, SUBJECT, found);
    cr_expect_str_eq(found, expected, "%s: '%s', not '%s'", t->where, found, expected);
}

static bool is_message(const gpc_coherence_message *m) {
    return m->kind < GPC_MESSAGE_JOIN;
}

static void try_cell(const table *of, const row *in, int column) {
    trial t = {.table = of, .row = in, .column = column, .cell = in->cells[column], .next = in->state};
    const char *arrow = strstr(t.cell, "->");
    if (arrow)
        t.next = arrow[2];
    snprintf(t.where, sizeof t.where, "%s, %c (%s), %s: %s", of->protocol, in->state, in->setup, columns[column],
             t.cell);
    stage_open(&t.s, STAGE_FLAT, of->protocol);
    stage_play(&t.s, in->setup);
    cr_assert_eq(STAGE_STATES[stage_state(&t.s, SUBJECT)], in->state, "%s: set up in %c", t.where,
                 STAGE_STATES[stage_state(&t.s, SUBJECT)]);
    stage_play(&t.s, plays[column]);
    cr_expect_eq(STAGE_STATES[stage_state(&t.s, SUBJECT)], t.next, "%s: is in %c", t.where,
                 STAGE_STATES[stage_state(&t.s, SUBJECT)]);
    expect_messages(&t);
    expect_transitions(&t);
    if (column <= GPC_EVENT_N_STORE) {
        cr_expect_eq(t.s.result.hit, says(&t, "hit"), "%s", t.where);
        for (uint32_t i = 0; says(&t, "hit") && !strchr(t.cell, ',') && i < t.s.result.message_count; i++)
            cr_expect_not(is_message(&t.s.result.messages[i]), "%s: message %u", t.where, i);
    }
    stage_close(&t.s);
}

Test(coherence_cells, each_protocol_its_own) {
    size_t cells = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const row *r = tables[i].rows; r < tables[i].rows + 8 && r->state; r++)
            for (int column = 0; column < COLUMNS; column++, cells++)
                try_cell(&tables[i], r, column);
    cr_log_info("%zu cells", cells);
}

/* No protocol, and no reachable state of a protocol, is left out. */
Test(coherence_cells, no_row_is_missing) {
    for (size_t p = 0; gpci_builtin_protocols[p]; p++) {
        const gpc_protocol *protocol = gpci_builtin_protocols[p];
        const table *found = NULL;
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
            if (!strcmp(tables[i].protocol, protocol->name))
                found = &tables[i];
        cr_assert(found, "%s", protocol->name);
        for (uint32_t state = 0; state < gpci_states_of(protocol); state++) {
            const gpc_protocol_rule(*rules)[GPC_EVENT_COUNT] = *protocol->first;
            bool has_rules = rules[state][GPC_EVENT_LOAD].actions != 0, listed = false;
            for (const row *r = found->rows; r < found->rows + 8 && r->state; r++)
                listed |= r->state == STAGE_STATES[state];
            if (protocol == &gpci_nmoesi_multi2sim && state == GPC_LINE_O)
                has_rules = false; /* no transition leads to O */
            if (protocol == &gpci_nmoesi_d && state == GPC_LINE_COUNT)
                has_rules = false; /* no copy is detached without evictions below */
            cr_expect_eq(listed, has_rules, "%s: %c", protocol->name, STAGE_STATES[state]);
        }
    }
}
/* clang-format on */
