/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_SYNTHETIC_MATCHES_H
#define GPC_TRACE_SYNTHETIC_SYNTHETIC_MATCHES_H

#include "trace/synthetic/synthetic_suffix.h"

/* Reads searched in a reference: the first part of rodinia-mummergpu's data. */
typedef struct gpci_reads {
    gpci_suffix_tree tree;
    uint64_t queries, length, least; /* bases of a read, and of a match */
    uint64_t errors, seed;           /* errors: wrong bases of 100 */
    uint32_t *matches, *alignments;  /* [queries + 1], [i]: sum over the reads before read i */
} gpci_reads;

#define GPCI_NO_BASE 255u /* mark before a read, and its end */

/* Base `at` of a read, from 1 on. */
uint8_t gpci_reads_base(const gpci_reads *reads, uint64_t query, uint64_t at);

/* Progress in following a read. */
typedef struct gpci_match {
    uint64_t query, start;
    uint32_t current, previous; /* nodes: below the edge, above the edge */
    uint64_t length, must;      /* length: matching bases + 1; must: further bases known to match */
    uint32_t at, from, end;     /* at: place in the reference; from, end: the edge's range in the reference */
} gpci_match;

/* begin with the next shorter suffix of the read */
void gpci_match_begin(gpci_match *match);
uint8_t gpci_match_base(const gpci_reads *reads, const gpci_match *match); /* next base of the read */
bool gpci_match_follow(const gpci_reads *reads, gpci_match *match);        /* follow an edge; false: no edge */
/* enter the edge, up to its known matching bases */
void gpci_match_enter(const gpci_reads *reads, gpci_match *match);
bool gpci_match_compares(const gpci_reads *reads, const gpci_match *match); /* true if both edge and read go on */
/* true if the next bases of edge and read are equal */
bool gpci_match_same(const gpci_reads *reads, const gpci_match *match);
void gpci_match_record(gpci_match *match);                        /* record, after a mismatch or the read's end */
void gpci_match_next(const gpci_reads *reads, gpci_match *match); /* go on along the suffix link */

/* Recorded match: node, and position on the edge to the node. */
typedef struct gpci_found {
    uint64_t query, start, edge;
    uint32_t node;
    uint32_t first; /* first alignment */
} gpci_found;

/* Match `index` of all matches, in the order of reads. */
gpci_found gpci_reads_match(const gpci_reads *reads, uint64_t index);

/* State of printing a match's alignments: a walk over the tree below the match. */
typedef struct gpci_printing {
    gpci_found found;
    uint32_t top, current, above; /* nodes: where printing begins, where it is, where it ends */
    uint32_t child, golden;       /* child being tried; child on the path to the match */
    uint32_t depth, alignment;    /* depth below the path to the match; next alignment to write */
    bool to_parent;
} gpci_printing;

/* Actions of a printing step. */
typedef struct gpci_printed {
    bool up, prints, on_way, asks, enters, beyond, beyond_edge;
} gpci_printed;

void gpci_printing_begin(const gpci_reads *reads, gpci_printing *printing, uint64_t match);
bool gpci_printing_is_over(const gpci_printing *printing);
gpci_printed gpci_printing_step(const gpci_reads *reads, gpci_printing *printing);

/* Find all matches: fills `matches` and `alignments`. False: more matches than 32 bits can count. */
bool gpci_reads_find(gpci_reads *reads);

#endif
