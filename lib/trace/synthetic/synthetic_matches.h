/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_SYNTHETIC_MATCHES_H
#define GPC_TRACE_SYNTHETIC_SYNTHETIC_MATCHES_H

#include "trace/synthetic/synthetic_suffix.h"

/* Reads that are looked for in a reference: what rodinia-mummergpu's kernels walk over, the first of its data. */
typedef struct gpci_reads {
    gpci_suffix_tree tree;
    uint64_t queries, length, least; /* bases of a read, and of a match */
    uint64_t errors, seed;           /* of 100 bases, how many are read wrongly */
    uint32_t *matches, *alignments;  /* of the reads before one; one more */
} gpci_reads;

#define GPCI_NO_BASE 255u /* the mark before a read, and its end */

/* Base `at` of a read, from 1 on. */
uint8_t gpci_reads_base(const gpci_reads *reads, uint64_t query, uint64_t at);

/* How far a read has been followed. */
typedef struct gpci_match {
    uint64_t query, start;
    uint32_t current, previous; /* nodes */
    uint64_t length, must;      /* bases that match, one more; and those further down that are known to */
    uint32_t at, from, end;     /* in the reference; of the edge */
} gpci_match;

void gpci_match_begin(gpci_match *match);                               /* with the next shorter rest of the read */
uint8_t gpci_match_base(const gpci_reads *reads, const gpci_match *m);  /* the next of the read */
bool gpci_match_follow(const gpci_reads *reads, gpci_match *match);     /* an edge; false where there is none */
void gpci_match_enter(const gpci_reads *reads, gpci_match *match);      /* the edge, as far as it is known to match */
bool gpci_match_compares(const gpci_reads *reads, const gpci_match *m); /* whether edge and read go on */
bool gpci_match_same(const gpci_reads *reads, const gpci_match *match); /* whether their next bases are the same */
void gpci_match_record(gpci_match *match);                              /* after a mismatch or the read's end */
void gpci_match_next(const gpci_reads *reads, gpci_match *match);       /* along the suffix link */

/* A match that is recorded: its node, and how far along the edge to it. */
typedef struct gpci_found {
    uint64_t query, start, edge;
    uint32_t node;
    uint32_t first; /* alignment */
} gpci_found;

/* Match `index` of all, in the order of reads. */
gpci_found gpci_reads_match(const gpci_reads *reads, uint64_t index);

/* How a match's alignments are printed: a walk over the tree below it. */
typedef struct gpci_printing {
    gpci_found found;
    uint32_t top, current, above; /* nodes: where it begins, is, and ends */
    uint32_t child, golden;       /* the child that is tried, and the one on the way to the match */
    uint32_t depth, alignment;    /* below the way to the match; the next to be written */
    bool to_parent;
} gpci_printing;

/* What a step of it does. */
typedef struct gpci_printed {
    bool up, prints, on_way, asks, enters, beyond, beyond_edge;
} gpci_printed;

void gpci_printing_begin(const gpci_reads *reads, gpci_printing *printing, uint64_t match);
bool gpci_printing_is_over(const gpci_printing *printing);
gpci_printed gpci_printing_step(const gpci_reads *reads, gpci_printing *printing);

/*
 * Find all matches: fills `matches` and `alignments`. False where there are more than 32 bits can count.
 */
bool gpci_reads_find(gpci_reads *reads);

#endif
