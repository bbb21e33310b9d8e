/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_STATE_H
#define GPC_BASE_STATE_H

#include "base/base.h"

#include <stddef.h>

/*
 * The order of a struct's fields is the list of the struct's state: addresses and what creation sets stand first, and
 * all fields from one field on change during a run. Snapshots have these fields, up to the end of the struct. A field
 * added behind them is saved and loaded without a further line.
 */
#define GPCI_STATE_FROM(visit, user_data, type, object, first) \
    (visit)((user_data), (char *)(object) + offsetof(type, first), sizeof(type) - offsetof(type, first))

#endif
