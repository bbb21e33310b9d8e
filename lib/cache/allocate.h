/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_ALLOCATE_H
#define GPC_CACHE_ALLOCATE_H

#include "base/base.h"

/* True if a line takes a way when the line misses; false if the line takes a way only when its data come. */
GPCI_INLINE bool gpci_takes_at_miss(uint64_t allocate) {
    return allocate == GPC_ALLOCATE_ON_MISS || allocate == GPC_ALLOCATE_REPLACEABLE;
}

#endif
