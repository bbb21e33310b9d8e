/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * HMG, for several GPUs, or partitions of an L2, whose caches keep copies of each other's pages. First-level caches are
 * as in vi: they write through, know nothing of each other, and drop all blocks when a warp acquires. Caches between
 * drop nothing then: the module below, where a page is at home, lists them, and when somebody else stores to a block it
 * sends them an invalidation, for which it does not wait, and which nobody acknowledges. A load may so read what is old
 * here and new elsewhere; a release waits until its markers have followed all invalidations that were sent before.
 *
 * Valid is the state S, shown as V. Evictions of clean blocks are silent: who is listed may be told in vain.
 *
 * Example, caches 0 and 1 below two L2s, a and b, which are over one memory that holds 3:
 *   cache 0 and 1 load     0: 3 (V)   a: 3 (V)   1: 3 (V)   b: 3 (V)   memory lists a and b
 *   cache 0 stores 6       0: 6 (V)   a: 6 (V)   1: 3 (V)   b: 3 (V)   memory has 6, and sends b an invalidation
 *   it comes               0: 6 (V)   a: 6 (V)   1: 3 (V)   b: -       cache 1 still reads 3
 *   cache 1 acquires       0: 6 (V)   a: 6 (V)   1: -       b: -
 *   cache 1 loads          0: 6 (V)   a: 6 (V)   1: 6 (V)   b: 6 (V)
 *
 * Source: Ren et al., "HMG: Extending Cache Coherence Protocols Across Modern Hierarchical Multi-GPU Systems", HPCA
 * 2020. There stores and atomics are performed at a home of their scope; here at the one home of the page.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /*       Load        Store N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(S, HIT(S),     PASS, THROUGH(S), DROP,    NEVER,    NEVER,     DROP),
    FIRST(I, READ(S, S), PASS, PASS,       NONE(I), NEVER,    NEVER,     NONE(I)),
};

static const gpc_protocol_rules between = {
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(S, DROP,    NEVER,    DROP,      HIT(S),     NEVER,    THROUGH(S), THROUGH(S), NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NEVER,    NONE(I),   READ(S, S), NEVER,    PASS,       PASS,       NEVER,   NEVER,    NONE(I)),
};

static const gpc_protocol_rules shared = {
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    NEVER,    NEVER,     HIT(M),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(M)),
    BELOW(E, DROP,    NEVER,    NEVER,     HIT(E),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(E)),
    BELOW(I, NONE(I), NEVER,    NEVER,     READ(E, E), NEVER,    READ(M, M), READ(M, M), NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_hmg = {
    .struct_size = sizeof(gpc_protocol),
    .name = "hmg",
    .summary = "vi, but caches between are kept coherent by invalidations that nobody acknowledges",
    .source = "Ren et al., HPCA 2020",
    .flags = GPC_PROTOCOL_INVALIDATES,
    .first = &first,
    .between = &between,
    .shared = &shared,
    .memory = &gpci_memory_rules,
    .letters = "NMOEVI",
};
