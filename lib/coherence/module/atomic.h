/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ATOMIC_H
#define GPC_COHERENCE_ATOMIC_H

#include "base/base.h"

#include <gpucache/types.h>

/* Read or write a value of `width` bytes (4 or 8), lowest byte first. */
uint64_t gpci_atomic_read(const uint8_t *bytes, uint32_t width);
void gpci_atomic_write(uint8_t *bytes, uint32_t width, uint64_t value);
/* New value after an atomic that found `old`. */
uint64_t gpci_atomic_result(const gpc_atomic *atomic);

#endif
