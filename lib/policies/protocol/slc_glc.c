/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * AMD Southern Islands, as seeds/002 section 2.3 reports from Candel et al.: in place of a protocol, an instruction has
 * two bits.
 *   SLC, system level coherent:  "should bypass cache completely and access main memory". Every cache on the way is
 *        bypassed: the cache first writes its modified bytes of the block back, and drops its copy, which would
 *        become old.
 *   GLC, global level coherent, of a load:  "bypass L1 and search L2". L1 also writes back and drops its copy.
 *   GLC, of a store:  "the data gets written to L1, and the GLC bit determines if the evicted line gets written back
 *        to L2" - "the L1 caches use a write through policy". Taken literally both contradict each other, and a line
 *        never written back would lose its data. Here a store is always written to L1. With GLC the store is also
 *        written through to L2 at once, and no bytes are left to write back. Without GLC the bytes stay in L1 under a
 *        mask (N). L1 writes the bytes to L2 on an eviction of the line, at the begin of a kernel, on a warp's
 *        acquire, and on a flush of the caches. Two stores to a line may thus be a single write to L2: the bit's
 *        purpose.
 *
 * Example, one L1, L2 and memory hold 3:
 *   load             L1 3 (V)   L2 3 (E)
 *   store 6          L1 6 (N)   L2 3 (E)   stays
 *   store 7, GLC     L1 7 (V)   L2 7 (M)   at once; with other bytes of the line modified L1 would still be in N
 *   store 8          L1 8 (N)   L2 7 (M)
 *   load, GLC        L1 -       L2 8 (M)   L1 writes back and drops, L2 replies
 *   load, SLC        L1 -       L2 -       memory replies, and has 8
 *
 * L2 performs atomics (Store), which bypass L1. The document has no cache between L1 and L2. Here such a cache writes
 * through, to pass L1's data on to L2; GLC loads do not bypass such a cache.
 */

#define FETCH_THROUGH GPCI_DO(GPC_DO_READ_REQUEST | GPC_DO_WRITE_THROUGH, S)

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store      N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(N, HIT(N),     PASS_BACK, HIT(N),     BACK,    NEVER,    NEVER,     BACK),
    FIRST(S, HIT(S),     PASS,      HIT(N),     DROP,    NEVER,    NEVER,     DROP),
    FIRST(I, READ(S, S), PASS,      READ(N, N), NONE(I), NEVER,    NEVER,     NONE(I)),
    /*         Passing Load Passing Store Through Store */
    STEERED(N, PASS_BACK,   PASS_BACK,    THROUGH(N)),
    STEERED(S, PASS,        PASS,         THROUGH(S)),
    STEERED(I, PASS,        PASS,         FETCH_THROUGH),
};

static const gpc_protocol_rules between = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(S, DROP,    NEVER,    NEVER,     HIT(S),     NEVER,    THROUGH(S), THROUGH(S), NEVER,   NEVER,    DROP),
    BELOW(I, NONE(I), NEVER,    NEVER,     READ(S, S), NEVER,    PASS,       PASS,       NEVER,   NEVER,    NONE(I)),
    /*         Passing Load Passing Store */
    PASSING(S, PASS,        PASS),
    PASSING(I, PASS,        PASS),
};

static const gpc_protocol_rules shared = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    NEVER,    NEVER,     HIT(M),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(M)),
    BELOW(E, DROP,    NEVER,    NEVER,     HIT(E),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(E)),
    BELOW(I, NONE(I), NEVER,    NEVER,     READ(E, E), NEVER,    READ(M, M), READ(M, M), NEVER,   NEVER,    NONE(I)),
    /*         Passing Load Passing Store */
    PASSING(M, PASS_BACK,   PASS_BACK),
    PASSING(E, PASS,        PASS),
    PASSING(I, PASS,        PASS),
};
/* clang-format on */

const gpc_protocol gpci_slc_glc = {
    .struct_size = sizeof(gpc_protocol),
    .name = "slc-glc",
    .summary = "AMD: two bits of an instruction send it past L1, or past all caches",
    .source = "seeds/002 section 2.3 (Candel et al.)",
    .pass_loads = {GPC_ACCESS_GLC | GPC_ACCESS_SLC, GPC_ACCESS_SLC},
    .pass_stores = {GPC_ACCESS_SLC, GPC_ACCESS_SLC},
    .through_stores = GPC_ACCESS_GLC,
    .first = &first,
    .between = &between,
    .shared = &shared,
    .memory = &gpci_memory_rules,
    .letters = "NMOEVI",
};
