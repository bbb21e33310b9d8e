/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * NMOESI, seeds/002 section 2.2.3, Tables 2.3 to 2.6: MOESI with the state N for the most frequent accesses of GPU
 * kernels: non-coherent stores. A cache in N has modified bytes of the block without a request; other caches may have
 * modified bytes, too. Each cache has a mask of its modified bytes, and a write-back merges only the masked bytes.
 *
 * Example, blocks of four bytes, memory holds 10 20 30 40 (steps 1 to 11 of Table 2.6):
 *   cache 0 reads             10 20 30 40 (E)   -
 *   cache 1 reads             10 20 30 40 (S)   10 20 30 40 (S)   cache 0 sends the data
 *   cache 0 n-stores 15 25    15 25 30 40 (N)   10 20 30 40 (S)   no message
 *   cache 1 n-stores 35 45    15 25 30 40 (N)   10 20 35 45 (N)   no message
 *   cache 0 evicts            -                 10 20 35 45 (N)   writes back 15 25 under mask 1100
 *
 * The document contradicts itself about a load of an invalid block: Table 2.5 says that the next state is S or E, and
 * the text beside Figure 2.3 says "owned or exclusive". Here the state is S, if other copies exist. Owned means
 * modified data and the duty to write the data back (Table 2.3). A cache that has just read has modified no data, and
 * the modifying cache keeps the duty (M -> O).
 *
 * The cells of the table would lose a store. Cache 0 stores a byte (M). Cache 1 reads the block (cache 0 is then in O),
 * n-stores the same byte, and evicts the block. If cache 0 kept its copy, cache 0 would later write its older byte back
 * over the byte of cache 1. Therefore a module that receives data from a cache in N first probes another owner above,
 * merges the owner's bytes, and invalidates the owner (O -> I).
 *
 * A cache that goes from E to N sends no message: the directory still lists the cache as the owner. An owner in N
 * ignores read probes. An acquire has no effect: stores in N become visible by a flush, as at the end of Table 2.6.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store     N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(N, HIT(N),     WRITE(M), HIT(N),     BACK,    NONE(N),  SEND(I),   NONE(N)),
    FIRST(M, HIT(M),     HIT(M),   HIT(M),     BACK,    SEND(O),  SEND(I),   NONE(M)),
    FIRST(O, HIT(O),     WRITE(M), HIT(O),     BACK,    SEND(O),  SEND(I),   NONE(O)),
    FIRST(E, HIT(E),     HIT(M),   HIT(N),     DROP,    SEND(S),  SEND(I),   NONE(E)),
    FIRST(S, HIT(S),     WRITE(M), HIT(N),     DROP,    NONE(S),  DROP,      NONE(S)),
    FIRST(I, READ(E, S), WRITE(M), READ(N, N), NONE(I), NONE(I),  NONE(I),   NONE(I)),
};

/*
 * Caches below the first level follow MOESI, with an exception. The document has each block in one L2 only. In a tree
 * of three levels, a cache in S may receive N data while other branches have copies. To become M, the cache would have
 * to request the only copy, and such requests are the traffic that N saves. Instead, the cache goes to N, and passes
 * the mask on with its own write-back.
 */
static const gpc_protocol_rules below = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(N, BACK,    NONE(N),  SEND(I),   HIT(N),     WRITE(M), NEVER,   HIT(N),  NEVER,   NONE(N),  NONE(N)),
    BELOW(M, BACK,    SEND(O),  SEND(I),   HIT(M),     HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(O, BACK,    SEND(O),  SEND(I),   HIT(O),     WRITE(M), NONE(O), NONE(O), NONE(O), NONE(O),  NONE(O)),
    BELOW(E, DROP,    SEND(S),  SEND(I),   HIT(E),     HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   NONE(E)),
    BELOW(S, DROP,    NONE(S),  DROP,      HIT(S),     WRITE(E), NEVER,   HIT(N),  NEVER,   HIT(N),   NONE(S)),
    BELOW(I, NONE(I), NONE(I),  NONE(I),   READ(E, S), WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_nmoesi = {
    .struct_size = sizeof(gpc_protocol),
    .name = "nmoesi",
    .summary = "MOESI with a non-coherent state: GPU stores cost no coherence traffic",
    .source = "seeds/002 section 2.2.3, Table 2.5",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PEER,
    .first = &first,
    .between = &below,
    .memory = &gpci_memory_rules,
};
