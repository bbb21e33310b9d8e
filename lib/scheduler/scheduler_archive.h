/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_SCHEDULER_SCHEDULER_ARCHIVE_H
#define GPC_SCHEDULER_SCHEDULER_ARCHIVE_H

#include "base/archive.h"
#include "scheduler/scheduler.h"

/* Save a scheduler into a snapshot, or load a snapshot into a scheduler that was created from the same options. */
void gpci_scheduler_archive(gpc_scheduler *scheduler, gpci_archive *archive);

#endif
