/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * VI, as in GPUs: first-level caches write through and do not know each other. If a kernel begins or a warp acquires,
 * the first-level caches invalidate all blocks, which may be old. A valid block is in state S, shown as V. VI has no
 * directory.
 *
 * Example, two first-level caches below one L2, which holds 3:
 *   cache 0 and 1 load     3 (V)   3 (V)
 *   cache 0 stores 6       6 (V)   3 (V)   the L2 has 6 at once; cache 1 still reads 3, as allowed
 *   cache 1 acquires       6 (V)   -
 *   cache 1 loads          6 (V)   6 (V)
 *
 * The cache shared by all processors performs a store (an atomic). The store bypasses the caches on the way, and they
 * drop their copies. An n-store writes a present copy, and is written through; a miss does not allocate. The shared
 * cache writes back: E is clean, M is modified. A cache between, below only some of the processors, writes through like
 * the first level: without a directory no other cache could find its modified data.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(S, HIT(S),     PASS, THROUGH(S), DROP,    NEVER,    NEVER,     DROP),
    FIRST(I, READ(S, S), PASS, PASS,       NONE(I), NEVER,    NEVER,     NONE(I)),
};

static const gpc_protocol_rules between = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(S, DROP,    NEVER,    NEVER,     HIT(S),     NEVER,    THROUGH(S), THROUGH(S), NEVER,   NEVER,    DROP),
    BELOW(I, NONE(I), NEVER,    NEVER,     READ(S, S), NEVER,    PASS,       PASS,       NEVER,   NEVER,    NONE(I)),
};

static const gpc_protocol_rules shared = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    NEVER,    NEVER,     HIT(M),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(M)),
    BELOW(E, DROP,    NEVER,    NEVER,     HIT(E),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(E)),
    BELOW(I, NONE(I), NEVER,    NEVER,     READ(E, E), NEVER,    READ(M, M), READ(M, M), NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_vi = {
    .struct_size = sizeof(gpc_protocol),
    .name = "vi",
    .summary = "valid, invalid: write-through, invalidated by acquires, as GPUs do",
    .source = "seeds/002 section 2.2.2",
    .first = &first,
    .between = &between,
    .shared = &shared,
    .memory = &gpci_memory_rules,
    .letters = "NMOEVI",
};
