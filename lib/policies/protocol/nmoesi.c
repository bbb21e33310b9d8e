/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * NMOESI, seeds/002 section 2.2.3, Tables 2.3 to 2.6: MOESI, and N for what GPU kernels do most, stores that need not
 * be coherent. Who is in N has modified bytes of the block on its own; others may have done so too. Which bytes is a
 * mask, and a write-back merges only these.
 *
 * Example, blocks of four bytes, memory holds 10 20 30 40 (steps 1 to 11 of Table 2.6):
 *   cache 0 reads             10 20 30 40 (E)   -
 *   cache 1 reads             10 20 30 40 (S)   10 20 30 40 (S)   cache 0 sends the data
 *   cache 0 n-stores 15 25    15 25 30 40 (N)   10 20 30 40 (S)   no message
 *   cache 1 n-stores 35 45    15 25 30 40 (N)   10 20 35 45 (N)   no message
 *   cache 0 evicts            -                 10 20 35 45 (N)   writes back 15 25 under mask 1100
 *
 * Where the document is of two minds: Table 2.5 lets a load of an invalid block go to S or E, the text beside Figure
 * 2.3 speaks of "owned or exclusive". Owned is modified data with the duty to write them back (Table 2.3); a cache that
 * just read has modified nothing, who did keeps the duty (M -> O), and two would have it. So: S.
 *
 * Where the cells alone would lose a store: cache 0 stores (M), cache 1 reads (0 is in O), n-stores the same byte and
 * evicts; were 0 to keep its copy, it would later write its older byte back over 1's. So who takes N data in first
 * takes the bytes of an owner beside them, by a write request (O -> I).
 *
 * N needs no owner: E -> N is silent, and the directory below takes the block for owned until a probe finds it in N and
 * is ignored. Nor does an acquire do anything: what N hides is made seen by a flush, as at the end of Table 2.6.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /*       Load        Store     N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(N, HIT(N),     WRITE(M), HIT(N),     BACK,    NONE(N),  SEND(I),   NONE(N)),
    FIRST(M, HIT(M),     HIT(M),   HIT(M),     BACK,    SEND(O),  SEND(I),   NONE(M)),
    FIRST(O, HIT(O),     WRITE(M), HIT(O),     BACK,    SEND(O),  SEND(I),   NONE(O)),
    FIRST(E, HIT(E),     HIT(M),   HIT(N),     DROP,    SEND(S),  SEND(I),   NONE(E)),
    FIRST(S, HIT(S),     WRITE(M), HIT(N),     DROP,    NONE(S),  DROP,      NONE(S)),
    FIRST(I, READ(E, S), WRITE(M), READ(N, N), NONE(I), NONE(I),  NONE(I),   NONE(I)),
};

/*
 * Caches below the first level follow MOESI, but for one case: the document's have each block in one L2 only; in a tree
 * of three levels a cache in S, which other branches have copies beside, may receive N data. It would have to ask for
 * the only copy to become M, which is the traffic that N saves; it becomes N and hands on the mask.
 */
static const gpc_protocol_rules below = {
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
