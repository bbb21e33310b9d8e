/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * NMOESI with the state D, detached, suggested by seeds/002 section 5.2. A small L2 that evicts a block invalidates all
 * copies in L1s, and "this new state could be used to reduce the number of invalidations".
 *
 * A cache that evicts a block, and a memory whose directory evicts an entry, probe the copies above. The probe raises
 * the event `detach`, which this protocol defines. A copy sends its modified bytes, the directory forgets the copy, and
 * the copy stays, in D. Loads read the copy as before. A store requests the block again, as after a miss, and the
 * directory then lists the copy again.
 *
 * What D promises: a load of a copy in D reads values that were right when the copy was detached. The copy is dropped
 * when its L1 acquires, or when a kernel begins. A coherent store of another module cannot find the copy. Loads are
 * therefore coherent, except loads of copies in D. Atomics are stores, and always coherent. A program that synchronizes
 * by acquire and release, as in GPU memory models, reads the right values. A copy in S also becomes old, if another
 * module n-stores to the block (nmoesi.c), and no acquire drops the copy.
 *
 * Example, two L1s over an L2 of one way:
 *   l1-0 loads A      A in E         -
 *   l1-1 loads B      A in D         B in E    the L2 evicts A for B, and detaches A
 *   l1-0 loads A      A in D         B in E    a hit, without a message; under nmoesi a miss, which evicts B
 *   l1-1 stores A     A in D         A in M    the L2 has no sharer of A; B leaves l1-1's way
 *   l1-0 acquires     -              A in M
 *   l1-0 loads A      A in S         A in O    the value stored by l1-1
 */

enum { D = GPC_LINE_COUNT, STATES };
enum { DETACH = GPC_EVENT_COUNT, EVENTS };

static const gpc_protocol_state states[] = {{.name = "D", .means = GPC_MEANS_DETACHED}};
static const gpc_protocol_event events[] = {{.name = "detach", .like = GPC_EVENT_WRITE_PROBE}};

#define STAYS \
    { GPC_DO_HIT, D, D }
#define NONE_D \
    { GPC_DO_IGNORE, D, D }
#define SEND_D \
    { GPC_DO_SEND_DATA, D, D }
#define ANEW(request, state) GPCI_DO(GPC_DO_EVICT_FIRST | (request), state)

/* clang-format off */
static const gpc_protocol_rule first[STATES][GPC_EVENT_COUNT] = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store     N-Store   Eviction Read Req. Write Req. Acquire */
    FIRST(N, HIT(N),     WRITE(M), HIT(N),     BACK,    NONE(N),  SEND(I),   NONE(N)),
    FIRST(M, HIT(M),     HIT(M),   HIT(M),     BACK,    SEND(O),  SEND(I),   NONE(M)),
    FIRST(O, HIT(O),     WRITE(M), HIT(O),     BACK,    SEND(O),  SEND(I),   NONE(O)),
    FIRST(E, HIT(E),     HIT(M),   HIT(N),     DROP,    SEND(S),  SEND(I),   NONE(E)),
    FIRST(S, HIT(S),     WRITE(M), HIT(N),     DROP,    NONE(S),  DROP,      NONE(S)),
    FIRST(I, READ(E, S), WRITE(M), READ(N, N), NONE(I), NONE(I),  NONE(I),   NONE(I)),
    [D] = {STAYS, ANEW(GPC_DO_WRITE_REQUEST, M), ANEW(GPC_DO_READ_REQUEST, N), DROP, NONE_D, DROP,
           [GPC_EVENT_ACQUIRE] = DROP},
};

static const gpc_protocol_rule first_named[STATES][EVENTS - GPC_EVENT_COUNT] = {
    /*             Detach */
    [GPC_LINE_N] = {SEND_D},
    [GPC_LINE_M] = {SEND_D},
    [GPC_LINE_O] = {SEND_D},
    [GPC_LINE_E] = {STAYS},
    [GPC_LINE_S] = {STAYS},
    [GPC_LINE_I] = {NONE(I)},
    [D]          = {NONE_D},
};

/* The rules are those of NMOESI (nmoesi.c). */
static const gpc_protocol_rule below[STATES][GPC_EVENT_COUNT] = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab. N data   Probe d. Inval. d. Acquire */
    BELOW(N, BACK,    NONE(N),  SEND(I),   HIT(N),     WRITE(M), NEVER,   HIT(N),  NEVER,   NONE(N),  NONE(N)),
    BELOW(M, BACK,    SEND(O),  SEND(I),   HIT(M),     HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  NONE(M)),
    BELOW(O, BACK,    SEND(O),  SEND(I),   HIT(O),     WRITE(M), NONE(O), NONE(O), NONE(O), NONE(O),  NONE(O)),
    BELOW(E, DROP,    SEND(S),  SEND(I),   HIT(E),     HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   NONE(E)),
    BELOW(S, DROP,    NONE(S),  DROP,      HIT(S),     WRITE(E), NEVER,   HIT(N),  NEVER,   HIT(N),   NONE(S)),
    BELOW(I, NONE(I), NONE(I),  NONE(I),   READ(E, S), WRITE(E), NEVER,   NEVER,   NEVER,   NEVER,    NONE(I)),
};

/*
 * If the event `detach` comes from below, the cache's copy leaves, as by a write probe; the copies above are detached
 * (below_raises).
 */
static const gpc_protocol_rule below_named[STATES][EVENTS - GPC_EVENT_COUNT] = {
    [GPC_LINE_N] = {SEND(I)},
    [GPC_LINE_M] = {SEND(I)},
    [GPC_LINE_O] = {SEND(I)},
    [GPC_LINE_E] = {SEND(I)},
    [GPC_LINE_S] = {DROP},
    [GPC_LINE_I] = {NONE(I)},
};
/* clang-format on */

#define DETACHES                                                                \
    {                                                                           \
        [GPC_EVENT_EVICTION] = {.above = DETACH}, [DETACH] = {.above = DETACH } \
    }
static const gpc_protocol_raise below_raises[STATES][EVENTS] = {
    [GPC_LINE_N] = DETACHES, [GPC_LINE_M] = DETACHES, [GPC_LINE_O] = DETACHES,
    [GPC_LINE_E] = DETACHES, [GPC_LINE_S] = DETACHES,
};
static const gpc_protocol_raise memory_raises[GPC_LINE_COUNT][EVENTS] = {
    [GPC_LINE_M] = {[GPC_EVENT_EVICTION] = {.above = DETACH}},
    [GPC_LINE_E] = {[GPC_EVENT_EVICTION] = {.above = DETACH}},
};

const gpc_protocol gpci_nmoesi_d = {
    .struct_size = sizeof(gpc_protocol),
    .name = "nmoesi-d",
    .summary = "NMOESI, and copies that are read on when the cache below has evicted their block, until an acquire",
    .source = "seeds/002 section 5.2",
    .flags = GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PEER,
    .first = (const gpc_protocol_rules *)&first,
    .between = (const gpc_protocol_rules *)&below,
    .memory = &gpci_memory_rules,
    .states = states,
    .state_count = STATES - GPC_LINE_COUNT,
    .events = events,
    .event_count = EVENTS - GPC_EVENT_COUNT,
    .event_rules = {*first_named, *below_named},
    .raises = {NULL, *below_raises, NULL, *memory_raises},
};
