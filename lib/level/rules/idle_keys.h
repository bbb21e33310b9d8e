/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_IDLE_KEYS_H
#define GPC_LEVEL_IDLE_KEYS_H

#include "level/rules/hierarchy.h"

/*
 * Keys without effect under a hierarchy's protocol. A value set by the host is rejected. A value of a preset or of
 * imported options is only written to the context's log, because a preset describes a machine under any protocol.
 *
 * Example: kepler sets l2.banks = 32. With `coherence = nmoesi` the log mentions l2.banks = 32; if a host sets l2.banks
 * = 16, creation fails.
 */

typedef struct gpci_idle {
    gpci_key key;
    const char *why;
} gpci_idle;

/* The index-th idle key with a value other than the default, set by the host (`own`) or by a preset; false: no more. */
bool gpci_idle_key(const gpc_hierarchy *hierarchy, bool own, size_t index, gpci_idle *out);

/* Without a tree: GPC_ERROR_RANGE for a key set by the host, with its name. */
gpc_status gpci_check_idle(const gpc_hierarchy *hierarchy, gpc_error *error);

/* Log idle keys of presets, and keys set by the host for the other mode or for a part that is not there. */
void gpci_report_idle_keys(const gpc_hierarchy *hierarchy);

#endif
