/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_PREFETCH_SCRIPT_H
#define TESTS_TIMED_PREFETCH_SCRIPT_H

#include "timed/rig.h"

#define LINES(n) ((uint64_t)(n)*128)

/* A scripted prefetcher: at every load it asks for the test's lines, and records outcomes. Registered as `scripted`. */
typedef struct prefetch_script {
    gpc_prefetch next[GPC_MAX_PREFETCHES]; /* lines for the next load, */
    uint32_t count;                        /* so many */
    gpc_prefetch_access seen[64];
    gpc_request requests[64];
    uint32_t accesses;
    char outcomes[128]; /* U, L, N (unused), R, D, in order */
    uint64_t lines[128];
    uint32_t told;
} prefetch_script;

extern prefetch_script script;

/* The rig, with a memory of `memory` cycles, the settings and `key = scripted`; the script is empty. */
void script_open(rig *r, const char *key, const char *settings, uint64_t memory);
/* The next load asks for a number of lines, by line number. */
void script_ask(uint32_t count, uint64_t first);
void script_expect_outcomes(int line, const char *outcomes);
#define OUTCOMES(outcomes) script_expect_outcomes(__LINE__, outcomes)
/* Outcomes recorded by the script, by kind: must equal a level's counts. */
void script_expect_counts(const uint64_t counted[5]);

#endif
