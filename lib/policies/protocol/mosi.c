/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * MOSI, seeds/002 section 2.2.3: MSI with the state O: modified data, of which other caches have copies. The cache in O
 * has to write the data back. Caches get modified data from each other, and memory is written only when O is evicted.
 *
 * Example, two caches, memory holds 3:
 *   cache 0 reads       3 (S)   -        read request; MOSI has no E
 *   cache 0 writes 6    6 (M)   -        write request
 *   cache 1 reads       6 (O)   6 (S)    cache 0 sends the data; memory keeps 3
 *   cache 0 evicts      -       6 (S)    and only now memory holds 6
 *
 * Only O and M reply to a read request with data; a copy in S does not reply, because either a cache is in O or memory
 * is up to date (Table 2.5). The document also mentions an eviction of O after which a copy in S becomes O. The
 * document's tables instead write the data back. MOSI does not distinguish kinds of stores: the N-Store column equals
 * the Store column.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store     N-Store   Eviction Read Req. Write Req. Acquire */
    FIRST(M, HIT(M),     HIT(M),   HIT(M),   BACK,    SEND(O),  SEND(I),   NONE(M)),
    FIRST(O, HIT(O),     WRITE(M), WRITE(M), BACK,    SEND(O),  SEND(I),   NONE(O)),
    FIRST(S, HIT(S),     WRITE(M), WRITE(M), DROP,    NONE(S),  DROP,      NONE(S)),
    FIRST(I, READ(S, S), WRITE(M), WRITE(M), NONE(I), NONE(I),  NONE(I),   NONE(I)),
};

/*
 * Caches below the first level. M: the cache has the right to modify, which a module above may have used (MOSI has no
 * E). O: data were modified in this branch of the tree, and another branch has a copy. S: no module above has modified
 * data.
 */
static const gpc_protocol_rules below = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    SEND(O),  SEND(I),   HIT(M),     HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(O, BACK,    SEND(O),  SEND(I),   HIT(O),     WRITE(M), NONE(O), NONE(O), NONE(O), NONE(O),  NONE(O)),
    BELOW(S, DROP,    NONE(S),  DROP,      HIT(S),     WRITE(M), NEVER,   NEVER,   NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NONE(I),  NONE(I),   READ(S, S), WRITE(M), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_mosi = {
    .struct_size = sizeof(gpc_protocol),
    .name = "mosi",
    .summary = "MSI with an owned state: modified data are shared without writing them back",
    .source = "seeds/002 section 2.2.3",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PEER,
    .first = &first,
    .between = &below,
    .memory = &gpci_memory_rules,
};
