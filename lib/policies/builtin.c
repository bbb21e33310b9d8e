/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"
#include "policies/prefetcher/prefetchers.h"
#include "policies/protocol/protocols.h"
#include "policies/replacement/replacement.h"
#include "policies/scheduler/schedulers.h"
#include "policies/throttle/throttles.h"
#include "registry/registry.h"

#include <stddef.h>

/* Built-in policies of each kind, for the registry. */

#define POLICY(table, file) &table,

const void *const gpci_builtin_replacements[] = {
#include "policies/replacement/list.def"
    NULL,
};

const void *const gpci_builtin_predictors[] = {
#include "policies/predictor/list.def"
    NULL,
};

const void *const gpci_builtin_schedulers[] = {
#include "policies/scheduler/list.def"
    NULL,
};

const void *const gpci_builtin_throttles[] = {
#include "policies/throttle/list.def"
    NULL,
};

const void *const gpci_builtin_prefetchers[] = {
#include "policies/prefetcher/list.def"
    NULL,
};

const void *const gpci_builtin_protocols[] = {
#include "policies/protocol/list.def"
    NULL,
};
