/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PREDICTOR_PREDICTORS_H
#define GPC_PREDICTOR_PREDICTORS_H

#include <gpucache/predictor.h>

extern const gpc_predictor_ops gpci_always_cache;
extern const gpc_predictor_ops gpci_always_bypass;
extern const gpc_predictor_ops gpci_hint;

#endif
