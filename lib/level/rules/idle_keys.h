/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_IDLE_KEYS_H
#define GPC_LEVEL_IDLE_KEYS_H

#include "level/rules/hierarchy.h"

/*
 * Idle keys: keys without effect under the protocol of a hierarchy. If the host has set an idle key, the hierarchy is
 * rejected. If a preset or imported options have set the key, the context's log has a message: a preset describes a
 * machine, for any protocol.
 *
 * Example: kepler sets l2.banks = 32. With `coherence = nmoesi` the log mentions l2.banks = 32; if a host sets l2.banks
 * = 16, creation fails.
 */

typedef struct gpci_idle {
    gpci_key key;
    const char *why;
} gpci_idle;

/*
 * Find idle key number `index` among the idle keys with a value other than the default, set by the host (`own`) or by a
 * preset. False: no further key.
 */
bool gpci_idle_key(const gpc_hierarchy *hierarchy, bool own, size_t index, gpci_idle *out);

/* For plain caches: GPC_ERROR_RANGE if the host has set an idle key. The error message names the first key. */
gpc_status gpci_check_idle(const gpc_hierarchy *hierarchy, gpc_error *error);

/* Log idle keys set by a preset, and keys set by the host for the other mode or for a part that does not exist. */
void gpci_report_idle_keys(const gpc_hierarchy *hierarchy);

#endif
