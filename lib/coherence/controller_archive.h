/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_ARCHIVE_H
#define GPC_COHERENCE_CONTROLLER_ARCHIVE_H

#include "base/archive.h"
#include "coherence/controller.h"

/* Room for as many accesses, tasks and so on as were saved; before gpci_controllers_state names them. */
void gpci_controllers_archive_room(gpci_controllers *controllers, gpci_archive *archive);

#endif
