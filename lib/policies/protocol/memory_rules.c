/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * Memory's directory, for all protocols without a table of their own. Memory has the bytes of every block, so it never
 * sends a request and accepts all data. E: the block has not been written since its directory entry was made; M: it
 * has.
 *
 * Example: a cache loads A (I -> E), modifies it, writes it back (E -> M); the directory has room for one block, and B
 * is loaded: A's entry goes (M -> I), and with it all copies above.
 */

/* clang-format off */
const gpc_protocol_rules gpci_memory_rules = {
    /*        Read ab. Write ab. Data ab. N data   Probe d. Inval. d. Eviction */
    MEMORY(M, HIT(M),  HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  DROP),
    MEMORY(E, HIT(E),  HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   DROP),
};
/* clang-format on */
