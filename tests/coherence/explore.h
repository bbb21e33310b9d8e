/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_EXPLORE_H
#define TESTS_COHERENCE_EXPLORE_H

#include "verify/verify.h"

/* The library's exploration (lib/verify), with every access also compared with the documents' rules of a protocol. */

typedef struct explore_setup {
    gpc_context *context;
    const char *protocol;
    gpci_verify_tree tree;
    uint32_t blocks, positions;
    uint32_t kinds;      /* bit per gpci_verify_kind that is a choice */
    bool steered;        /* accesses with GLC and with SLC too */
    bool races;          /* the protocol has N, and n-stores are a choice: copies may differ */
    bool refreshes;      /* the protocol promises that an acquire leaves no old data */
    bool structure_only; /* values are not checked */
    const char *letters; /* letters of the states; not NULL: first-level caches are compared with explore_table.c */
    bool go_on;          /* beyond violations: counted, but their successors are not explored */
    bool backwards;      /* depth first, with a state's choices from the last one on */
    bool multi2sim;      /* first-level caches are compared with the specification of Multi2Sim's protocol */
    const char *plain;   /* vi, none or slc-glc: compared with explore_plain.c */
    uint32_t faults, protocol_flags; /* gpci_coherence_inject */
    uint32_t most;                   /* states; 0: no bound */
} explore_setup;

typedef struct explore_report {
    uint64_t states, edges, violations;
    uint64_t print;  /* digest of all states, edges and messages, in any order */
    uint64_t shape;  /* likewise, without messages */
    bool complete;   /* everything reachable was reached; false: ended by `most` or a violation */
    bool failed;     /* no memory, or the tree was refused: see `text` */
    char text[1536]; /* the first violation, and the accesses leading to the violation */
} explore_report;

/* User data passed through the library. */
typedef struct explore_told {
    const explore_setup *setup;
    explore_report *report;
} explore_told;

GPCI_INLINE const explore_setup *explore_asked(const gpci_explorer *e) {
    return ((const explore_told *)e->setup->data)->setup;
}

void explore_run(const explore_setup *setup, explore_report *report);

/* explore_table.c: "" or the deviation of an access from Table 2.5, and from the tables of lesser protocols. */
void explore_look_up(const gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                     const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size);

/* explore_plain.c: likewise of protocols without a directory. */
void explore_look_plain(const gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                        const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size);

#endif
