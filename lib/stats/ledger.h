/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_STATS_LEDGER_H
#define GPC_STATS_LEDGER_H

#include "stats/stats.h"

/*
 * Ledger of the counters: clauses that the counters must fulfil, such as "reads = hits + misses". The clauses are in
 * the column "equals" of the tables of counters (counters.h has the grammar). A clause is evaluated on the values of
 * one object.
 */

/* Owner of a term's value: the object itself (GPCI_PART_OWN), or the objects of a kind, a gpc_object (by a prefix). */
typedef enum gpci_ledger_part {
    GPCI_PART_OWN = GPC_OBJECT_COUNT,
} gpci_ledger_part;

/* Sum over events: their number, or a field of the events. SECTORS: bytes / 32. */
typedef enum gpci_ledger_sum {
    GPCI_LEDGER_NONE,
    GPCI_LEDGER_COUNT,
    GPCI_LEDGER_BYTES,
    GPCI_LEDGER_SECTORS,
    GPCI_LEDGER_VALUES,
    GPCI_LEDGER_CYCLES
} gpci_ledger_sum;

typedef struct gpci_ledger_term {
    const gpci_counter_row *counter; /* NULL: a number, a sum over events, `held` or `again` */
    int64_t factor;                  /* number in front of the term, with the sign of the term */
    bool indexed;                    /* the value is the sum of the histogram's buckets, each times its index */
    bool optional;                   /* an absent counter counts as 0 */
    bool held;                       /* the value is the number of lines that the cache has now */
    bool again;                      /* the value is the second count of the clause's own counter (checking build) */
    uint8_t part;                    /* gpci_ledger_part */
    uint8_t sum;                     /* gpci_ledger_sum */
    const char *words;               /* the words that select the events, [length] characters in the row's text */
    const char *key; /* key of the configuration whose value is a further factor, [key_length]; NULL: none */
    uint32_t length, key_length;
} gpci_ledger_term;

typedef struct gpci_ledger_clause {
    const gpci_counter_row *row;
    const char *text, *conditions; /* text: the clause, in the row's text. conditions: its conditions; NULL: none */
    uint32_t length, conditions_length;
    uint32_t first, terms; /* first: index of the first term in gpci_ledger.terms. terms: number of terms */
    char relation;         /* '=', '<' for <=, '>' for >= */
    bool indexed;          /* the left side is the sum of the row's buckets, each times its index */
    uint64_t divisor;      /* divides the sum; 1: none */
    bool events;           /* a term is a sum over events */
} gpci_ledger_clause;

typedef struct gpci_ledger {
    gpci_ledger_clause *clauses;
    gpci_ledger_term *terms;
    uint32_t count, term_count;
    size_t capacity, term_capacity;
} gpci_ledger;

/* Functions that give the values for a clause. If one of the values is absent, the clause counts as fulfilled. */
typedef struct gpci_ledger_view {
    void *data;
    /* Value of a counter, or the buckets of a histogram, of the object `part` (gpci_ledger_part). NULL: absent. */
    const uint64_t *(*value)(void *data, const gpci_counter_row *counter, uint8_t part);
    /* Second count of a row's counter; false: absent. The pointer is NULL if nothing was counted a second time. */
    bool (*again)(void *data, const gpci_counter_row *counter, uint64_t *out);
    /* Number of lines that the object has; false: absent. The pointer is NULL if nothing was counted a second time. */
    bool (*held)(void *data, uint64_t *out);
    /* Value of a numeric key of the configuration; false: unknown. */
    bool (*key)(void *data, const char *name, uint32_t length, uint64_t *out);
    /* Sum over the events selected by `words`; false: absent. The pointer is NULL if no events were recorded. */
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
