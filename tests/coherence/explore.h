/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_EXPLORE_H
#define TESTS_COHERENCE_EXPLORE_H

#include "verify/verify.h"

/* The library's exploration (lib/verify), each access also held against what documents say of a protocol. */

typedef struct explore_setup {
    gpc_context *context;
    const char *protocol;
    gpci_verify_tree tree;
    uint32_t blocks, positions;
    uint32_t kinds;                  /* bit per gpci_verify_kind that is a choice */
    bool steered;                    /* accesses with GLC and with SLC too */
    bool races;                      /* the protocol has N, and n-stores are a choice: copies may differ */
    bool refreshes;                  /* the protocol promises that who acquires has nothing old */
    bool structure_only;             /* values are not looked at */
    const char *letters;             /* of its states; not NULL: first-level caches are held against explore_table.c */
    bool go_on;                      /* past violations: they are counted, what they led to is not explored */
    bool backwards;                  /* depth first, and a state's choices from the last one on */
    bool multi2sim;                  /* likewise, against what the specification says of Multi2Sim's */
    const char *plain;               /* vi, none or slc-glc: it is held against explore_plain.c */
    uint32_t faults, protocol_flags; /* gpci_coherence_inject */
    uint32_t most;                   /* states; 0: no bound */
} explore_setup;

typedef struct explore_report {
    uint64_t states, edges, violations;
    uint64_t print;  /* of all states, edges and messages, whatever their order */
    uint64_t shape;  /* likewise, without messages */
    bool complete;   /* all that can be reached was; false: `most` or a violation ended it */
    bool failed;     /* no memory, or the tree was refused: `text` says */
    char text[1536]; /* the first violation: what, and the accesses that lead to it */
} explore_report;

/* What is handed through the library. */
typedef struct explore_told {
    const explore_setup *setup;
    explore_report *report;
} explore_told;

GPCI_INLINE const explore_setup *explore_asked(const gpci_explorer *e) {
    return ((const explore_told *)e->setup->data)->setup;
}

void explore_run(const explore_setup *setup, explore_report *report);

/* explore_table.c: "" or what an access did otherwise than Table 2.5, and its likes of the lesser protocols, say. */
void explore_look_up(const gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                     const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size);

/* explore_plain.c: likewise of protocols without a directory. */
void explore_look_plain(const gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                        const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size);

#endif
