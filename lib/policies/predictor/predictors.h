/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREDICTOR_PREDICTORS_H
#define GPC_POLICIES_PREDICTOR_PREDICTORS_H

#include "base/base.h"

#include <gpucache/ext/policies.h>

#define POLICY(table, file) extern const gpc_predictor_ops table;
#include "policies/predictor/list.def"
#undef POLICY

#endif
