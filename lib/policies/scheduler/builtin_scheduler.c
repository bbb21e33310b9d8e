/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/registry.h"

#include "policies/scheduler/schedulers.h"

/* One line per scheduler; the order is that of `gpucache policies`. */
const gpc_scheduler_ops *const gpci_builtin_schedulers[] = {
    &gpci_gto, &gpci_lrr, &gpci_oldest, &gpci_two_level, NULL,
};
