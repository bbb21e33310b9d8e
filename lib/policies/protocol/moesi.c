/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * MOESI, seeds/002 section 2.2.3: MESI's exclusive and MOSI's owned state together.
 *
 * Example, two caches, memory holds 3:
 *   cache 0 reads       3 (E)   -        read request; there is no other copy
 *   cache 0 writes 6    6 (M)   -        no message
 *   cache 1 reads       6 (O)   6 (S)    cache 0 sends the data; memory still holds 3
 *   cache 1 writes 9    -       9 (M)    write request; cache 0's duty to write back ends with its copy
 *
 * Rows M, O, E, S, I of Table 2.5. MOESI does not distinguish kinds of stores: the N-Store column equals the Store
 * column.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store     N-Store   Eviction Read Req. Write Req. Acquire */
    FIRST(M, HIT(M),     HIT(M),   HIT(M),   BACK,    SEND(O),  SEND(I),   NONE(M)),
    FIRST(O, HIT(O),     WRITE(M), WRITE(M), BACK,    SEND(O),  SEND(I),   NONE(O)),
    FIRST(E, HIT(E),     HIT(M),   HIT(M),   DROP,    SEND(S),  SEND(I),   NONE(E)),
    FIRST(S, HIT(S),     WRITE(M), WRITE(M), DROP,    NONE(S),  DROP,      NONE(S)),
    FIRST(I, READ(E, S), WRITE(M), WRITE(M), NONE(I), NONE(I),  NONE(I),   NONE(I)),
};

/*
 * Caches below the first level. E: only modules above have copies, and a module above may have modified its copy. M:
 * modified data have come from above. O: modified data have come from above, and another branch of the tree has a copy.
 * S: no module above has modified data.
 */
static const gpc_protocol_rules below = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    SEND(O),  SEND(I),   HIT(M),     HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(O, BACK,    SEND(O),  SEND(I),   HIT(O),     WRITE(M), NONE(O), NONE(O), NONE(O), NONE(O),  NONE(O)),
    BELOW(E, DROP,    SEND(S),  SEND(I),   HIT(E),     HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   NONE(E)),
    BELOW(S, DROP,    NONE(S),  DROP,      HIT(S),     WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NONE(I),  NONE(I),   READ(E, S), WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_moesi = {
    .struct_size = sizeof(gpc_protocol),
    .name = "moesi",
    .summary = "exclusive and owned states: the protocol of multi-core processors",
    .source = "seeds/002 section 2.2.3, Table 2.5",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PEER,
    .first = &first,
    .between = &below,
    .memory = &gpci_memory_rules,
};
