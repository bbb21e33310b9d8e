/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/registry.h"

#include "predictor/predictors.h"

/* One line per predictor; the order is that of `gpucache policies`. */
const gpc_predictor_ops *const gpci_builtin_predictors[] = {
    &gpci_always_cache,
    &gpci_always_bypass,
    &gpci_hint,
    NULL,
};
