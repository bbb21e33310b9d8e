/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"
#include "policies/prefetcher/prefetchers.h"
#include "policies/protocol/protocols.h"
#include "policies/replacement/replacement.h"
#include "policies/scheduler/schedulers.h"
#include "policies/throttle/throttles.h"
#include "registry/registry.h"

#include <stddef.h>

/* Create contexts. The registry of a new context has the built-in policies of each kind. */

#define POLICY(table, file) &table,

static const void *const replacements[] = {
#include "policies/replacement/list.def"
    NULL,
};

static const void *const predictors[] = {
#include "policies/predictor/list.def"
    NULL,
};

static const void *const schedulers[] = {
#include "policies/scheduler/list.def"
    NULL,
};

static const void *const throttles[] = {
#include "policies/throttle/list.def"
    NULL,
};

static const void *const prefetchers[] = {
#include "policies/prefetcher/list.def"
    NULL,
};

const void *const gpci_builtin_protocols[] = {
#include "policies/protocol/list.def"
    NULL,
};

static const void *const *const builtins[GPC_POLICY_KIND_COUNT] = {
    [GPC_POLICY_REPLACEMENT] = replacements, [GPC_POLICY_PREDICTOR] = predictors,
    [GPC_POLICY_SCHEDULER] = schedulers,     [GPC_POLICY_THROTTLE] = throttles,
    [GPC_POLICY_PREFETCHER] = prefetchers,   [GPC_POLICY_PROTOCOL] = gpci_builtin_protocols,
};

gpc_status gpc_context_create(const gpc_context_options *options, gpc_context **out, gpc_error *error) {
    return gpci_context_make(options, builtins, error, out);
}
