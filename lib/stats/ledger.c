/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/ledger.h"
#include "base/array.h"

#include <ctype.h>
#include <string.h>

/*
 * Reader and evaluation of clauses. Example, the row of l1.lookups: "= l1:reads + l1:writes + l1:atomics" is one clause
 * of three terms. By the prefix l1:, each term is a counter of GPC_TABLE_CACHE, and its value is a sum over L1s.
 */

typedef struct clause_reader {
    gpc_context *context;
    gpci_ledger *ledger;
    const char *at;
    gpc_status status;
} clause_reader;

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static void skip_space(clause_reader *clause) {
    while (*clause->at == ' ')
        clause->at++;
}

static bool take(clause_reader *clause, const char *text) {
    skip_space(clause);
    const size_t length = strlen(text);
    if (strncmp(clause->at, text, length) != 0)
        return false;
    clause->at += length;
    return true;
}

static const gpci_counter_row *find(gpc_counter_table table, const char *name, size_t length) {
    size_t count;
    const gpci_counter_row *rows = gpci_counters(table, &count);
    for (size_t i = 0; i < count; i++)
        if (!strncmp(rows[i].name, name, length) && !rows[i].name[length] && !rows[i].ratio)
            return &rows[i];
    return NULL;
}

/* Prefixes of counters; the kind of object of each prefix (gpc_object), and the table of its counters. */
static const struct {
    const char *prefix;
    uint8_t part, table;
} prefixes[] = {
    {"l1:", GPC_OBJECT_L1, GPC_TABLE_CACHE},
    {"l2:", GPC_OBJECT_SLICE, GPC_TABLE_CACHE},
    {"l1-module:", GPC_OBJECT_L1, GPC_TABLE_COHERENCE},
    {"cluster-module:", GPC_OBJECT_CLUSTER, GPC_TABLE_COHERENCE},
    {"l2-module:", GPC_OBJECT_SLICE, GPC_TABLE_COHERENCE},
    {"net:", GPC_OBJECT_NETWORK, GPC_TABLE_NETWORK},
};

static const char *const sums[] = {
    [GPCI_LEDGER_COUNT] = "count(",   [GPCI_LEDGER_BYTES] = "bytes(",   [GPCI_LEDGER_SECTORS] = "sectors(",
    [GPCI_LEDGER_VALUES] = "values(", [GPCI_LEDGER_CYCLES] = "cycles(",
};

/* Read a sum over events, such as "count(lookup l1 load)". False: the text is no such sum. */
static bool read_events(clause_reader *clause, gpci_ledger_term *term) {
    for (int sum = GPCI_LEDGER_COUNT; sum <= GPCI_LEDGER_CYCLES; sum++) {
        if (!take(clause, sums[sum]))
            continue;
        term->sum = (uint8_t)sum;
        term->words = clause->at;
        term->length = (uint32_t)strcspn(clause->at, ")");
        clause->at += term->length;
        return take(clause, ")");
    }
    return false;
}

/* Read a counter, such as "l1:reads" or "cluster_network.request_bytes?". False: no counter has the name. */
static bool read_counter(clause_reader *clause, const gpci_counter_row *row, gpci_ledger_term *term) {
    uint8_t table = (uint8_t)row->table;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (take(clause, prefixes[i].prefix)) {
            term->part = prefixes[i].part;
            table = prefixes[i].table;
            break;
        }
    const char *name = clause->at;
    while (is_name(*clause->at))
        clause->at++;
    term->counter = find((gpc_counter_table)table, name, (size_t)(clause->at - name));
    term->optional = *clause->at == '?';
    clause->at += term->optional;
    return term->counter != NULL;
}

/* Read the key in "[network.header] network.requests": the term is multiplied by the value of the key. */
static bool read_key(clause_reader *clause, gpci_ledger_term *term) {
    const char *end = take(clause, "[") ? strchr(clause->at, ']') : NULL;
    if (!end)
        return false;
    term->key = clause->at;
    term->key_length = (uint32_t)(end - clause->at);
    clause->at = end + 1;
    skip_space(clause);
    return true;
}

static bool read_term(clause_reader *clause, const gpci_counter_row *row, int64_t sign) {
    gpci_ledger *ledger = clause->ledger;
    if (!GPCI_ARRAY_RESERVE(clause->context, ledger->terms, ledger->term_capacity, ledger->term_count, 1)) {
        clause->status = GPC_ERROR_MEMORY;
        return false;
    }
    gpci_ledger_term *term = &ledger->terms[ledger->term_count];
    *term = (gpci_ledger_term){.factor = sign, .part = GPCI_PART_OWN};
    skip_space(clause);
    if (isdigit((unsigned char)*clause->at)) {
        int64_t number = 0;
        for (; isdigit((unsigned char)*clause->at); clause->at++)
            number = number * 10 + (*clause->at - '0');
        term->factor *= number;
        skip_space(clause);
    }
    if (*clause->at == '[' && !read_key(clause, term))
        return false;
    term->indexed = clause->at[0] == 'n' && clause->at[1] == ' ';
    clause->at += term->indexed;
    skip_space(clause);
    const bool lone = !*clause->at || *clause->at == ';' || *clause->at == '/' || *clause->at == '+' ||
                      *clause->at == '-'; /* the term is only a number */
    term->again = !lone && take(clause, "again");
    term->held = !lone && take(clause, "held");
    if (!lone && !term->again && !term->held && !read_events(clause, term) && !read_counter(clause, row, term))
        return false;
    ledger->clauses[ledger->count].events |= term->sum != GPCI_LEDGER_NONE;
    ledger->term_count++;
    return true;
}

/* Read the divisor in "/ 1000": the sum is divided, and rounded down. 1: no divisor. */
static uint64_t read_divisor(clause_reader *clause) {
    uint64_t number = 0;
    if (!take(clause, "/"))
        return 1;
    for (skip_space(clause); isdigit((unsigned char)*clause->at); clause->at++)
        number = number * 10 + (uint64_t)(*clause->at - '0');
    skip_space(clause);
    return number;
}

static bool read_sides(clause_reader *input, gpci_ledger_clause *clause) {
    clause->indexed = take(input, "n ");
    clause->relation = take(input, "<=") ? '<' : take(input, ">=") ? '>' : take(input, "=") ? '=' : '\0';
    if (!clause->relation)
        return false;
    int64_t sign = 1;
    do {
        if (!read_term(input, clause->row, sign))
            return false;
        skip_space(input);
        sign = *input->at == '-' ? -1 : 1;
    } while (take(input, "+") || take(input, "-"));
    clause->divisor = read_divisor(input);
    if (!clause->divisor)
        return false;
    return !*input->at || *input->at == ';';
}

static bool read_clause(clause_reader *input, const gpci_counter_row *row) {
    gpci_ledger *ledger = input->ledger;
    if (!GPCI_ARRAY_RESERVE(input->context, ledger->clauses, ledger->capacity, ledger->count, 1)) {
        input->status = GPC_ERROR_MEMORY;
        return false;
    }
    skip_space(input);
    gpci_ledger_clause *clause = &ledger->clauses[ledger->count];
    *clause = (gpci_ledger_clause){.row = row, .text = input->at, .first = ledger->term_count};
    if (take(input, "if ")) {
        const char *end = strchr(input->at, ':');
        if (!end)
            return false;
        clause->conditions = input->at;
        clause->conditions_length = (uint32_t)(end - input->at);
        input->at = end + 1;
    }
    if (!read_sides(input, clause))
        return false;
    clause->length = (uint32_t)(input->at - clause->text);
    clause->terms = ledger->term_count - clause->first;
    ledger->count++;
    return true;
}

gpc_status gpci_ledger_read(gpc_context *context, gpci_ledger *ledger, const gpci_counter_row **wrong) {
    *ledger = (gpci_ledger){0};
    for (unsigned table = 0; table < GPC_TABLE_COUNT; table++) {
        size_t count;
        const gpci_counter_row *rows = gpci_counters((gpc_counter_table)table, &count);
        for (size_t i = 0; i < count; i++) {
            clause_reader clause = {context, ledger, rows[i].equals, GPC_ERROR_FORMAT};
            bool good = !rows[i].ratio;
            while (good && *clause.at) {
                good = read_clause(&clause, &rows[i]);
                clause.at += good && *clause.at == ';';
            }
            if (good || rows[i].ratio)
                continue;
            if (wrong)
                *wrong = &rows[i];
            return clause.status;
        }
    }
    return GPC_OK;
}

void gpci_ledger_free(gpc_context *context, gpci_ledger *ledger) {
    gpci_free(context, ledger->clauses);
    gpci_free(context, ledger->terms);
    *ledger = (gpci_ledger){0};
}

static bool is_absent(const uint64_t *value) {
    return !value || *value == GPC_ABSENT;
}

static bool value_of(const gpci_counter_row *row, const gpci_ledger_term *term, const gpci_ledger_view *view,
                     uint64_t *out) {
    *out = 1;
    if (term->again)
        return view->again && view->again(view->data, row, out);
    if (term->held)
        return view->held && view->held(view->data, out);
    if (term->sum != GPCI_LEDGER_NONE)
        return view->events && view->events(view->data, (gpci_ledger_sum)term->sum, term->words, term->length, out);
    if (!term->counter)
        return true;
    const uint64_t *found = view->value(view->data, term->counter, term->part);
    *out = 0;
    if (is_absent(found))
        return term->optional;
    for (size_t k = 0; k < term->counter->buckets; k++)
        *out += found[k] * (term->indexed ? k : 1);
    return true;
}

/* Value of a term, times its number and the value of its key. False: a value is absent. */
static bool product_of(const gpci_counter_row *row, const gpci_ledger_term *term, const gpci_ledger_view *view,
                       uint64_t *out) {
    uint64_t key = 1;
    if (!value_of(row, term, view, out) ||
        (term->key && (!view->key || !view->key(view->data, term->key, term->key_length, &key))))
        return false;
    *out *= (uint64_t)term->factor * key;
    return true;
}

bool gpci_ledger_holds(const gpci_ledger *ledger, const gpci_ledger_clause *clause, const gpci_ledger_view *view,
                       uint64_t *left, uint64_t *right) {
    const gpci_ledger_term own = {
        .counter = clause->row, .factor = 1, .indexed = clause->indexed, .part = GPCI_PART_OWN};
    if (!value_of(clause->row, &own, view, left))
        return true;
    *right = 0;
    for (uint32_t i = clause->first; i < clause->first + clause->terms; i++) {
        uint64_t value;
        if (!product_of(clause->row, &ledger->terms[i], view, &value))
            return true;
        *right += value;
    }
    if (clause->divisor > 1)
        *right = (int64_t)*right > 0 ? *right / clause->divisor : 0;
    const int64_t more = (int64_t)(*left - *right);
    return clause->relation == '=' ? !more : clause->relation == '<' ? more <= 0 : more >= 0;
}
