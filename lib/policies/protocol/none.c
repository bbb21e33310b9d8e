/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * No coherence at all. Caches do not know each other. Each cache writes its modified bytes back under a mask, as if
 * every processor had separate data. The cost of other protocols is measured against this base.
 *
 * Example, two caches over a memory that holds 10 20:
 *   cache 0 and 1 load    10 20 (V)   10 20 (V)
 *   cache 0 stores 15     15 20 (N)   10 20 (V)   no message
 *   cache 1 stores 25     15 20 (N)   10 25 (N)
 *   both evict            memory holds 15 25: the masks do not overlap
 *
 * A valid block is in S, shown as V, or in N. N: the block is modified, and other caches may have copies, modified or
 * not. Atomics are plain stores. A store that misses reads the block first, because caches hold whole blocks.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store       N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(N, HIT(N),     HIT(N),     HIT(N),     BACK,    NEVER,    NEVER,     NONE(N)),
    FIRST(S, HIT(S),     HIT(N),     HIT(N),     DROP,    NEVER,    NEVER,     NONE(S)),
    FIRST(I, READ(S, S), READ(N, N), READ(N, N), NONE(I), NEVER,    NEVER,     NONE(I)),
};

static const gpc_protocol_rules below = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(N, BACK,    NEVER,    NEVER,     HIT(N),     NEVER,    HIT(N),     HIT(N),     NEVER,   NEVER,    NONE(N)),
    BELOW(S, DROP,    NEVER,    NEVER,     HIT(S),     NEVER,    HIT(N),     HIT(N),     NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NEVER,    NEVER,     READ(S, S), NEVER,    READ(N, N), READ(N, N), NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_no_coherence = {
    .struct_size = sizeof(gpc_protocol),
    .name = "none",
    .summary = "no coherence: write-back caches with byte masks that know nothing of each other",
    .source = "baseline",
    .first = &first,
    .between = &below,
    .memory = &gpci_memory_rules,
    .letters = "NMOEVI",
};
