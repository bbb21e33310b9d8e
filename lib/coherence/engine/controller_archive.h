/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_ARCHIVE_H
#define GPC_COHERENCE_CONTROLLER_ARCHIVE_H

#include "base/archive.h"
#include "coherence/engine/controller.h"

/* Make room for the saved number of accesses, tasks and so on; call before gpci_controllers_state. */
void gpci_controllers_archive_room(gpci_controllers *controllers, gpci_archive *archive);

#endif
