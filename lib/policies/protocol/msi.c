/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * MSI, seeds/002 section 2.2.3, Table 2.1: the least with which caches are coherent. S may be read, M may be written,
 * and a cache comes to M only when all other copies are gone.
 *
 * Example, two caches, memory holds 3 (steps 1 to 7 of Table 2.1):
 *   cache 0 reads       3 (S)   -        read request; nobody else has a copy, yet there is no state that says so
 *   cache 0 writes 6    6 (M)   -        write request, which no copy elsewhere would have needed
 *   cache 1 reads       6 (S)   6 (S)    cache 0 sends the data to cache 1 and writes them back
 *
 * A read request for a block that is only in S is answered by one of those that have it (steps 8 and 9), as memory is
 * far. A store knows no other kind: the N-Store column is the Store column.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /*       Load        Store     N-Store   Eviction Read Req.     Write Req. Acquire */
    FIRST(M, HIT(M),     HIT(M),   HIT(M),   BACK,    SEND_BACK(S), SEND(I),   NONE(M)),
    FIRST(S, HIT(S),     WRITE(M), WRITE(M), DROP,    SEND(S),      DROP,      NONE(S)),
    FIRST(I, READ(S, S), WRITE(M), WRITE(M), NONE(I), NONE(I),      NONE(I),   NONE(I)),
};

/*
 * Caches below the first level. Once a module above has asked for the only copy, the cache has the right to modify and
 * is in M, there being no E, though its own bytes may be those of memory. In S nobody above can have modified anything.
 */
static const gpc_protocol_rules below = {
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
