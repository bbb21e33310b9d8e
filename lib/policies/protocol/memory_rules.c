/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * Memory's directory, of all protocols that do not give a table of their own. Memory has the bytes of every block, so
 * there is nothing to ask for and nothing that it could not take; E and M tell whether it was written since the block's
 * entry was made.
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
