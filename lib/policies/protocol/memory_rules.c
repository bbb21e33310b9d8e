/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/table.h"

/*
 * Directory of memory, for protocols without a memory table. Memory has the bytes of every block: memory never sends a
 * request and accepts all data. E: the block has not been written since its directory entry was made. M: the block has
 * been written.
 *
 * Example: a cache loads A (I -> E), modifies A, writes A back (E -> M). The directory has room for one block, and B is
 * loaded: A's entry goes (M -> I), and with the entry all copies above.
 */

/* clang-format off */
const gpc_protocol_rules gpci_memory_rules = {
    /* columns: BELOW in table.h; ab.: from a module above; d.: modified data in reply to a probe */
    /*        Read ab. Write ab. Data ab. N data   Probe d. Inval. d. Eviction */
    MEMORY(M, HIT(M),  HIT(M),   NONE(M), NONE(M), NONE(M), NONE(M),  DROP),
    MEMORY(E, HIT(E),  HIT(E),   HIT(M),  HIT(M),  HIT(M),  HIT(M),   DROP),
};
/* clang-format on */
