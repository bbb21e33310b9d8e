/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_PROCESSES_H
#define GPC_LEVEL_PROCESSES_H

#include "level/rules/driver.h"

/*
 * Entry of accesses into a hierarchy with several processes (gpucache/types.h). These functions join the host's address
 * and process to one address (gpc_process_address), and pass the access on. All code after the entry uses joined
 * addresses and ignores processes. gpci_process_of and gpci_process_plain take a joined address apart. If
 * gpci_has_process is false for an access, the access needs none of these functions.
 */

/* Join the process to the addresses, then call gpci_driver.access, gpci_clock_calls.issue, .miss or .transactions. */
GPCI_COLD gpc_status gpci_processes_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                           gpc_warp_result *result, gpc_error *error);
GPCI_COLD gpc_status gpci_processes_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                          gpc_busy *out_busy, gpc_error *error);
GPCI_COLD gpc_status gpci_processes_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                         gpc_busy *out_busy, gpc_error *error);
GPCI_COLD gpc_status gpci_processes_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                                 uint64_t token, gpc_busy *out_busy, gpc_error *error);

#endif
