/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * MESI, seeds/002 section 2.2.3, Table 2.2: MSI with the state E: the only copy, unchanged. A cache in E may store
 * without a request.
 *
 * Example, two caches, memory holds 3 (steps 1 to 6 of Table 2.2):
 *   cache 0 reads       3 (E)   -        read request; there is no other copy
 *   cache 0 writes 6    6 (M)   -        no message, where MSI sends a write request (step 3 of Table 2.1)
 *   cache 1 reads       6 (S)   6 (S)    cache 0 sends the data to cache 1 and writes them back
 *
 * If a block is in S in some caches, one of the caches sends the block to a reading cache (steps 7 and 8). MESI does
 * not distinguish kinds of stores: the N-Store column equals the Store column.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store     N-Store   Eviction Read Req.     Write Req. Acquire */
    FIRST(M, HIT(M),     HIT(M),   HIT(M),   BACK,    SEND_BACK(S), SEND(I),   NONE(M)),
    FIRST(E, HIT(E),     HIT(M),   HIT(M),   DROP,    SEND(S),      SEND(I),   NONE(E)),
    FIRST(S, HIT(S),     WRITE(M), WRITE(M), DROP,    SEND(S),      DROP,      NONE(S)),
    FIRST(I, READ(E, S), WRITE(M), WRITE(M), NONE(I), NONE(I),      NONE(I),   NONE(I)),
};

/*
 * Caches below the first level. E: only modules above have copies, and a module above may have modified its copy. M:
 * modified data have come from above. S: no module above has modified data.
 */
static const gpc_protocol_rules below = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req.     Write Req. Read ab.    Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    SEND_BACK(S), SEND(I),   HIT(M),     HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(E, DROP,    SEND(S),      SEND(I),   HIT(E),     HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   NONE(E)),
    BELOW(S, DROP,    SEND(S),      DROP,      HIT(S),     WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NONE(I),      NONE(I),   READ(E, S), WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

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
