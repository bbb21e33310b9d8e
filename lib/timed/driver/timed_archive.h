/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_TIMED_ARCHIVE_H
#define GPC_TIMED_TIMED_ARCHIVE_H

#include "base/archive.h"
#include "timed/core/timed.h"

/* As gpci_driver.archive. */
void gpci_timed_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

#endif
