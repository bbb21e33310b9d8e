/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREFETCHER_PREFETCHERS_H
#define GPC_POLICIES_PREFETCHER_PREFETCHERS_H

#include "base/base.h"

#include <gpucache/ext/policies.h>

#define GPCI_ADDRESS_BITS 40u /* bits of an address, for costs */
#define GPCI_PC_BITS 32u      /* bits of a program counter, for costs */
#define GPCI_STRIDE_BITS 24u  /* bits of a signed distance between addresses, for costs */
#define GPCI_SLOT_BITS 6u     /* bits of a warp slot of an SM, for costs */

/* Warp of a load, with its SM: an L1 serves one SM, a slice serves all SMs. */
GPCI_INLINE uint32_t gpci_warp_of(const gpc_request *load) {
    return load->sm << 16 | load->warp;
}

#define POLICY(table, file) extern const gpc_prefetcher_ops table;
#include "policies/prefetcher/list.def"
#undef POLICY

#endif
