/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_PROCESSES_H
#define GPC_LEVEL_PROCESSES_H

#include "level/rules/driver.h"

/*
 * Door of a hierarchy with several processes (types.h). A host's address and process become one address here, and code
 * behind the door knows no processes. gpci_process_of and gpci_process_plain are the way out. An access without a
 * process (gpci_has_process) does not pass the door.
 */

/* Counterparts of gpci_driver.access, and of gpci_clock_calls.issue, .miss and .transactions. */
GPCI_COLD gpc_status gpci_processes_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                           gpc_warp_result *result, gpc_error *error);
GPCI_COLD gpc_status gpci_processes_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                          gpc_busy *out_busy, gpc_error *error);
GPCI_COLD gpc_status gpci_processes_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                         gpc_busy *out_busy, gpc_error *error);
GPCI_COLD gpc_status gpci_processes_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                                 uint64_t token, gpc_busy *out_busy, gpc_error *error);

#endif
