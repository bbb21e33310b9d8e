/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * HMG, for several GPUs, or partitions of an L2, whose caches keep copies of each other's pages. First-level caches are
 * as in vi: they write through, do not know each other, and drop all blocks when a warp acquires. Caches between the
 * first level and memory drop no blocks on an acquire. The module below, the page's home, lists the caches that have a
 * copy of a block. After another cache's store to the block, the home sends the listed caches an invalidation, without
 * waiting and without an acknowledgement. A load may therefore read an old value in a cache while another cache has the
 * new value. A release waits until its markers have followed all invalidations sent before.
 *
 * A valid block is in state S, shown as V. Evictions of clean blocks are silent: a listed cache without a copy may get
 * a useless invalidation.
 *
 * Example, caches 0 and 1 below two L2s, a and b, which are over one memory that holds 3:
 *   cache 0 and 1 load     0: 3 (V)   a: 3 (V)   1: 3 (V)   b: 3 (V)   memory lists a and b
 *   cache 0 stores 6       0: 6 (V)   a: 6 (V)   1: 3 (V)   b: 3 (V)   memory has 6, and sends b an invalidation
 *   b gets the message     0: 6 (V)   a: 6 (V)   1: 3 (V)   b: -       cache 1 still reads 3
 *   cache 1 acquires       0: 6 (V)   a: 6 (V)   1: -       b: -
 *   cache 1 loads          0: 6 (V)   a: 6 (V)   1: 6 (V)   b: 6 (V)
 *
 * Source: Ren et al., "HMG: Extending Cache Coherence Protocols Across Modern Hierarchical Multi-GPU Systems", HPCA
 * 2020. HMG performs stores and atomics at a home of their scope; here they are performed at the page's single home.
 */

/* clang-format off */
static const gpc_protocol_rules first = {
    /* columns: FIRST in table.h; Read Req. and Write Req. are probes for a request of another cache */
    /*       Load        Store N-Store     Eviction Read Req. Write Req. Acquire */
    FIRST(S, HIT(S),     PASS, THROUGH(S), DROP,    NEVER,    NEVER,     DROP),
    FIRST(I, READ(S, S), PASS, PASS,       NONE(I), NEVER,    NEVER,     NONE(I)),
};

static const gpc_protocol_rules between = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(S, DROP,    NEVER,    DROP,      HIT(S),     NEVER,    THROUGH(S), THROUGH(S), NEVER,   NEVER,    NONE(S)),
    BELOW(I, NONE(I), NEVER,    NONE(I),   READ(S, S), NEVER,    PASS,       PASS,       NEVER,   NEVER,    NONE(I)),
};

static const gpc_protocol_rules shared = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*       Eviction Read Req. Write Req. Read ab.    Write ab. Data ab.    N data      Probe d. Inval. d. Acquire */
    BELOW(M, BACK,    NEVER,    NEVER,     HIT(M),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(M)),
    BELOW(E, DROP,    NEVER,    NEVER,     HIT(E),     NEVER,    HIT(M),     HIT(M),     NEVER,   NEVER,    NONE(E)),
    BELOW(I, NONE(I), NEVER,    NEVER,     READ(E, E), NEVER,    READ(M, M), READ(M, M), NEVER,   NEVER,    NONE(I)),
};
/* clang-format on */

const gpc_protocol gpci_hmg = {
    .struct_size = sizeof(gpc_protocol),
    .name = "hmg",
    .summary = "vi, but caches between are kept coherent by invalidations that nobody acknowledges",
    .source = "Ren et al., HPCA 2020",
    .flags = GPC_PROTOCOL_INVALIDATES,
    .first = &first,
    .between = &between,
    .shared = &shared,
    .memory = &gpci_memory_rules,
    .letters = "NMOEVI",
};
