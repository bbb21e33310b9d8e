/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ATOMIC_H
#define GPC_COHERENCE_ATOMIC_H

#include "base/base.h"

#include <gpucache/types.h>

/* Values of 4 or 8 bytes, the lowest address first, and what atomics make of them. */
uint64_t gpci_atomic_read(const uint8_t *bytes, uint32_t width);
void gpci_atomic_write(uint8_t *bytes, uint32_t width, uint64_t value);
/* What an atomic leaves where it has found `old`. */
uint64_t gpci_atomic_result(const gpc_atomic *atomic);

#endif
