/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_IDLE_KEYS_H
#define GPC_LEVEL_IDLE_KEYS_H

#include "level/hierarchy.h"

/*
 * Keys without effect under a hierarchy's protocol. A host's own value is refused; a value of a preset or of imported
 * options is told in the context's log, because a preset describes a machine under any protocol.
 *
 * Example: kepler says l2.banks = 32. With `coherence = nmoesi` the log tells of l2.banks = 32, and l2.banks = 16 of a
 * host is refused.
 */

typedef struct gpci_idle {
    gpci_key key;
    const char *why;
} gpci_idle;

/* The index-th idle key with a value beside the default, set by the host (`own`) or by others; false: no more. */
bool gpci_idle_key(const gpc_hierarchy *h, bool own, size_t index, gpci_idle *out);

/* Without a tree: GPC_ERROR_RANGE for a key of the host's own, by name. */
gpc_status gpci_check_idle(const gpc_hierarchy *h, gpc_error *error);

/* Write into the log: idle keys of others, and the host's own keys of the other mode. */
void gpci_tell_idle(const gpc_hierarchy *h);

#endif
