/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/table.h"

/*
 * MESI, seeds/002 section 2.2.3, Table 2.2: MSI with E, the only copy, unchanged. Who is in E may store without asking.
 *
 * Example, two caches, memory holds 3 (steps 1 to 6 of Table 2.2):
 *   cache 0 reads       3 (E)   -        read request; nobody else has a copy
 *   cache 0 writes 6    6 (M)   -        no message: the request of MSI's step 3 is saved
 *   cache 1 reads       6 (S)   6 (S)    cache 0 sends the data to cache 1 and writes them back
 *
 * A read request for a block that is only in S is answered by one of those that have it (steps 7 and 8).
 * A store knows no other kind: the N-Store column is the Store column.
 */

/*            Load        Store     N-Store   Eviction  Read Req.      Write Req. */
#define ROW_M HIT(M),     HIT(M),   HIT(M),   BACK,     SEND_BACK(S),  SEND(I)
#define ROW_E HIT(E),     HIT(M),   HIT(M),   DROP,     SEND(S),       SEND(I)
#define ROW_S HIT(S),     WRITE(M), WRITE(M), DROP,     SEND(S),       DROP
#define ROW_I READ(E, S), WRITE(M), WRITE(M), NONE(I),  NONE(I),       NONE(I)

static const gpc_protocol_rules first = {
    [GPC_LINE_M] = {ROW_M, ACQUIRE(NONE(M))},
    [GPC_LINE_E] = {ROW_E, ACQUIRE(NONE(E))},
    [GPC_LINE_S] = {ROW_S, ACQUIRE(NONE(S))},
    [GPC_LINE_I] = {ROW_I, ACQUIRE(NONE(I))},
};

/*
 * Caches below the first level: E where only modules above it have copies, modified by one of them or not, and M once
 * modified data came back. In S nobody above can have modified anything.
 */
static const gpc_protocol_rules below = {
    /*                     Read ab.    Write ab. Data ab. N data   Probe data Invalidate data */
    [GPC_LINE_M] = {ROW_M, HIT(M),     HIT(M),   NONE(M), NONE(M), NONE(M),   NONE(M), ACQUIRE(NONE(M))},
    [GPC_LINE_E] = {ROW_E, HIT(E),     HIT(E),   HIT(M),  HIT(M),  HIT(M),    HIT(M),  ACQUIRE(NONE(E))},
    [GPC_LINE_S] = {ROW_S, HIT(S),     WRITE(E), NEVER,   NEVER,   NEVER,     NEVER,   ACQUIRE(NONE(S))},
    [GPC_LINE_I] = {ROW_I, READ(E, S), WRITE(E), NEVER,   NEVER,   NEVER,     NEVER,   ACQUIRE(NONE(I))},
};

const gpc_protocol gpci_mesi = {
    .struct_size = sizeof(gpc_protocol),
    .name = "mesi",
    .summary = "MSI with an exclusive state: a lone copy is modified without asking",
    .source = "seeds/002 section 2.2.3, Table 2.2",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PEER,
    .first = &first,
    .between = &below,
    .memory = &gpci_memory_rules,
};
