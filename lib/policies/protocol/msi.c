/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * MSI, seeds/002 section 2.2.3, Table 2.1: the simplest protocol. A block in S may be read, a block in M may also be
 * written, and a cache gets to M only after the invalidation of all other copies.
 *
 * Example, two caches, memory holds 3 (steps 1 to 7 of Table 2.1):
 *   cache 0 reads       3 (S)   -        read request; no other copy exists, but MSI has no state for this
 *   cache 0 writes 6    6 (M)   -        write request, although no other copy exists
 *   cache 1 reads       6 (S)   6 (S)    cache 0 sends the data to cache 1 and writes them back
 *
 * If a block is in S in some caches, one of the caches sends the block to a reading cache (steps 8 and 9), because
 * memory is far away. MSI does not distinguish kinds of stores: the N-Store column equals the Store column.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store     N-Store   Eviction Read Req.     Write Req. Acquire */
    FIRST(M, HIT(M),     HIT(M),   HIT(M),   BACK,    SEND_BACK(S), SEND(I),   NONE(M)),
    FIRST(S, HIT(S),     WRITE(M), WRITE(M), DROP,    SEND(S),      DROP,      NONE(S)),
    FIRST(I, READ(S, S), WRITE(M), WRITE(M), NONE(I), NONE(I),      NONE(I),   NONE(I)),
};

/*
 * Caches below the first level. A request of a module above for the only copy puts the cache into M. As MSI has no E, M
 * means the right to modify, even if the cache's own bytes equal memory's. S: no module above has modified data.
 */
static const gpc_protocol_rules below = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req.     Write Req. Read ab.    Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    SEND_BACK(S), SEND(I),   HIT(M),     HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(S, DROP,    SEND(S),      DROP,      HIT(S),     WRITE(M), NEVER,   NEVER,   NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NONE(I),      NONE(I),   READ(S, S), WRITE(M), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_msi = {
    .struct_size = sizeof(gpc_protocol),
    .name = "msi",
    .summary = "modified, shared, invalid: every first store asks for rights",
    .source = "seeds/002 section 2.2.3, Table 2.1",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PEER,
    .first = &first,
    .between = &below,
    .memory = &gpci_memory_rules,
};
