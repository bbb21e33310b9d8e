/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_STATS_LEDGER_H
#define GPC_STATS_LEDGER_H

#include "stats/stats.h"

/*
 * Ledger of the counters: the column "equals" of the tables (counters.h has the grammar), read into clauses. A clause
 * is evaluated on the values of one object.
 */

/* Owner of a term's value: the object itself, or by a prefix the objects of a kind (gpc_object). */
typedef enum gpci_ledger_part {
    GPCI_PART_OWN = GPC_OBJECT_COUNT,
} gpci_ledger_part;

/* Sum over events: their number, or a field. SECTORS: bytes / 32. */
typedef enum gpci_ledger_sum {
    GPCI_LEDGER_NONE,
    GPCI_LEDGER_COUNT,
    GPCI_LEDGER_BYTES,
    GPCI_LEDGER_SECTORS,
    GPCI_LEDGER_VALUES,
    GPCI_LEDGER_CYCLES
} gpci_ledger_sum;

typedef struct gpci_ledger_term {
    const gpci_counter_row *counter; /* NULL: the term is of events, or a number */
    int64_t factor;
    bool indexed;      /* a histogram's buckets times their number */
    bool optional;     /* absent is 0 */
    bool held;         /* lines that a cache holds */
    bool again;        /* the row's own counter, counted a second time by the checking build */
    uint8_t part;      /* gpci_ledger_part */
    uint8_t sum;       /* gpci_ledger_sum */
    const char *words; /* words of the events, [length], in the row's text */
    const char *key;   /* key of the configuration, [key_length], in the row's text: a further factor; or NULL */
    uint32_t length, key_length;
} gpci_ledger_term;

typedef struct gpci_ledger_clause {
    const gpci_counter_row *row;
    const char *text, *conditions; /* both in the row's text */
    uint32_t length, conditions_length;
    uint32_t first, terms; /* in gpci_ledger.terms */
    char relation;         /* '=', '<' for <=, '>' for >= */
    bool indexed;          /* the row's buckets times their number */
    uint64_t divisor;      /* divides the sum; 1: none */
    bool events;           /* some term sums over events */
} gpci_ledger_clause;

typedef struct gpci_ledger {
    gpci_ledger_clause *clauses;
    gpci_ledger_term *terms;
    uint32_t count, term_count;
    size_t capacity, term_capacity;
} gpci_ledger;

/* Values for a clause. Without one of the values, the clause says nothing. */
typedef struct gpci_ledger_view {
    void *data;
    /* Value of a counter, or its buckets; NULL: absent. */
    const uint64_t *(*value)(void *data, const gpci_counter_row *counter, uint8_t part);
    /* Second count of a row's counter; false: none. NULL: nothing was counted again. */
    bool (*again)(void *data, const gpci_counter_row *counter, uint64_t *out);
    /* Number of lines that the object holds; false: none is known. NULL: nothing was counted again. */
    bool (*held)(void *data, uint64_t *out);
    /* Value of a numeric key of the configuration; false: unknown. */
    bool (*key)(void *data, const char *name, uint32_t length, uint64_t *out);
    /* Sum over events; false: no such sum. NULL: events were not followed. */
    bool (*events)(void *data, gpci_ledger_sum sum, const char *words, uint32_t length, uint64_t *out);
} gpci_ledger_view;

/*
 * Read the clauses of all tables. Call gpci_ledger_free after every status.
 *   wrong  receives the row with a bad text, after GPC_ERROR_FORMAT; may be NULL
 * Returns GPC_OK; GPC_ERROR_MEMORY; GPC_ERROR_FORMAT.
 */
gpc_status gpci_ledger_read(gpc_context *context, gpci_ledger *ledger, const gpci_counter_row **wrong);
void gpci_ledger_free(gpc_context *context, gpci_ledger *ledger);

/* True if a clause holds, or if a value is absent. `left` and `right` receive both sides. */
bool gpci_ledger_holds(const gpci_ledger *ledger, const gpci_ledger_clause *clause, const gpci_ledger_view *view,
                       uint64_t *left, uint64_t *right);

#endif
