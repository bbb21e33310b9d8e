/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * MESIF, Goodman and Hum, MESIF: A Two-Hop Cache Coherency Protocol for Point-to-Point Interconnects, University of
 * Auckland 2004: MESI with the state F, forward. F is an unmodified copy, and other caches have copies as well. The
 * cache in F sends the block to the next reader. The reader is then in F, and the sender in S: so the latest copy,
 * which is probably the last to be evicted, answers requests. A cache in S gets no requests for data. If no copy is in
 * F, the data come from below.
 *
 * Example, three caches, memory holds 3:
 *   cache 0 reads       3 (E)   -       -       there is no other copy
 *   cache 1 reads       3 (S)   3 (F)   -       cache 0 sends the data
 *   cache 2 reads       3 (S)   3 (S)   3 (F)   cache 1 sends the data
 *   cache 2 evicts      3 (S)   3 (S)   -       without a message
 *   cache 2 reads       3 (S)   3 (S)   3 (F)   no cache is asked: memory sends the data
 *
 * A modified block is written back at the first read by another cache (M to S): there is no O.
 */

enum { F = GPC_LINE_COUNT, STATES };
#define FORWARDED \
    { GPC_DO_SEND_DATA, GPC_LINE_S, GPC_LINE_S }
#define READ_F \
    { GPC_DO_READ_REQUEST, GPC_LINE_E, F }
#define STAYS_F \
    { GPC_DO_HIT, F, F }
#define NONE_F \
    { GPC_DO_IGNORE, F, F }

static const gpc_protocol_state states[] = {{.name = "F", .means = GPC_MEANS_F}};

/* clang-format off */
static const gpc_protocol_rule first[STATES][GPC_EVENT_COUNT] = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load     Store     N-Store   Eviction Read Req.     Write Req. Acquire */
    FIRST(M, HIT(M),  HIT(M),   HIT(M),   BACK,    SEND_BACK(S), SEND(I),   NONE(M)),
    FIRST(E, HIT(E),  HIT(M),   HIT(M),   DROP,    SEND(S),      SEND(I),   NONE(E)),
    FIRST(S, HIT(S),  WRITE(M), WRITE(M), DROP,    NONE(S),      DROP,      NONE(S)),
    FIRST(I, READ_F,  WRITE(M), WRITE(M), NONE(I), NONE(I),      NONE(I),   NONE(I)),
       [F] = {STAYS_F, WRITE(M), WRITE(M), DROP,    FORWARDED,    SEND(I),   [GPC_EVENT_ACQUIRE] = NONE_F},
};

/*
 * Caches below the first level, as in MESI. If a cache is in F, read requests of other branches of the tree go to the
 * cache.
 */
static const gpc_protocol_rule below[STATES][GPC_EVENT_COUNT] = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req.     Write Req. Read ab. Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    SEND_BACK(S), SEND(I),   HIT(M),  HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(E, DROP,    SEND(S),      SEND(I),   HIT(E),  HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   NONE(E)),
    BELOW(S, DROP,    NONE(S),      DROP,      HIT(S),  WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NONE(I),      NONE(I),   READ_F,  WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
    [F] = {[GPC_EVENT_EVICTION] = DROP, FORWARDED,  SEND(I),   STAYS_F, WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,
           [GPC_EVENT_ACQUIRE] = NONE_F},
};
/* clang-format on */

const gpc_protocol gpci_mesif = {
    .struct_size = sizeof(gpc_protocol),
    .name = "mesif",
    .summary = "MESI with a forwarding state: of several copies the latest answers reads",
    .source = "Goodman and Hum 2004",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PEER,
    .first = (const gpc_protocol_rules *)&first,
    .between = (const gpc_protocol_rules *)&below,
    .memory = &gpci_memory_rules,
    .states = states,
    .state_count = STATES - GPC_LINE_COUNT,
};
