/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * NMOESI as the simulator of seeds/002 implements it (Multi2Sim 5.0), transition for transition. Differences from Table
 * 2.5:
 *   - no rule leads to O: a read request takes M to S. O's row follows the simulator's code
 *   - an n-store to M or O evicts the block, reads the block again, and ends in N; an n-store to E sends CLEAR_OWNER
 *     to the low module
 *   - evictions of E and S notify the low module
 *   - E replies to probes with an acknowledgement, and the low module sends the data; no peer transfers
 *   - a write request takes the low module to E from any state, and memory too
 *   - three defects lose data. Each defect is a flag here; without the flags the cells are correct:
 *       DROP_PROBE_DATA  the low module stays in E when an owner replies to a read probe with modified data, and
 *                        never writes the data back
 *       STALE_REPLY      a middle cache replies to a write probe by its state before the replies of the modules above
 *       BARE_ACK         a middle cache in M, whose owner above is clean, replies to a read probe without data
 * NEVER: in this case Multi2Sim itself stops (an assertion, or "invalid state").
 *
 * Example, two caches below a memory:
 *   cache 0 loads       E   I    memory E, owner 0
 *   cache 0 stores      M   I    no message
 *   cache 1 loads       S   S    cache 0 sends the data to memory, memory sends them to cache 1 and stays in E
 *   cache 1 n-stores    S   N    no message
 */

#define REFETCH GPCI_DO(GPC_DO_EVICT_FIRST | GPC_DO_READ_REQUEST, N)
#define UNOWN GPCI_DO(GPC_DO_HIT | GPC_DO_CLEAR_OWNER, N)

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store     N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(N, HIT(N),     WRITE(M), HIT(N),     BACK,    NEVER,    SEND(I),   NONE(N)),
    FIRST(M, HIT(M),     HIT(M),   REFETCH,    BACK,    SEND(S),  SEND(I),   NONE(M)),
    FIRST(O, HIT(O),     WRITE(M), REFETCH,    BACK,    SEND(S),  SEND(I),   NONE(O)),
    FIRST(E, HIT(E),     HIT(M),   UNOWN,      NOTIFY,  HIT(S),   DROP,      NONE(E)),
    FIRST(S, HIT(S),     WRITE(M), HIT(N),     NOTIFY,  NEVER,    DROP,      NONE(S)),
    FIRST(I, READ(E, S), WRITE(M), READ(N, N), NONE(I), NEVER,    NONE(I),   NONE(I)),
};

static const gpc_protocol_rules below = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(N, BACK,    NEVER,    SEND(I),   HIT(N),     WRITE(E), NEVER,   HIT(N),  NONE(N), NONE(N),  NONE(N)),
    BELOW(M, BACK,    SEND(S),  SEND(I),   HIT(M),     HIT(E),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(O, BACK,    SEND(S),  SEND(I),   HIT(O),     WRITE(E), NEVER,   NONE(O), NONE(O), NONE(O),  NONE(O)),
    BELOW(E, NOTIFY,  HIT(S),   DROP,      HIT(E),     HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   NONE(E)),
    BELOW(S, NOTIFY,  NEVER,    DROP,      HIT(S),     WRITE(E), NEVER,   HIT(N),  HIT(N),  HIT(N),   NONE(S)),
    BELOW(I, NONE(I), NEVER,    NONE(I),   READ(E, S), WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
};

static const gpc_protocol_rules memory = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*        Read ab. Write ab. Data ab. N data   Probe d. Inval. d. Eviction */
    MEMORY(M, HIT(M),  HIT(E),   NONE(M), NONE(M), NONE(M), NONE(M),  DROP),
    MEMORY(E, HIT(E),  HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   DROP),
};
/* clang-format on */

const gpc_protocol gpci_nmoesi_multi2sim = {
    .struct_size = sizeof(gpc_protocol),
    .name = "nmoesi-multi2sim",
    .summary = "NMOESI as Multi2Sim 5.0 implements it, lost data included",
    .source = "seeds/002 chapter 4, Multi2Sim 5.0",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PROBE_WHOLE | GPC_PROTOCOL_COUNT_REPLIES |
             GPC_PROTOCOL_WHOLE_BLOCKS | GPC_PROTOCOL_DROP_PROBE_DATA | GPC_PROTOCOL_STALE_REPLY |
             GPC_PROTOCOL_BARE_ACK | GPC_PROTOCOL_RETRY,
    .first = &first,
    .between = &below,
    .memory = &memory,
};
