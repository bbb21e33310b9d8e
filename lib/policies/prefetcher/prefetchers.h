/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREFETCHER_PREFETCHERS_H
#define GPC_POLICIES_PREFETCHER_PREFETCHERS_H

#include "base/base.h"

#include <gpucache/prefetcher.h>

#define GPCI_ADDRESS_BITS 40u /* of costs: addresses, */
#define GPCI_PC_BITS 32u      /* program counters, */
#define GPCI_STRIDE_BITS 24u  /* distances between addresses, with a sign, */
#define GPCI_SLOT_BITS 6u     /* and warps of an SM */

/* Which warp a load is of: an L1 has those of one SM, a slice those of all. */
GPCI_INLINE uint32_t gpci_warp_of(const gpc_request *load) {
    return load->sm << 16 | load->warp;
}

#define POLICY(table, file) extern const gpc_prefetcher_ops table;
#include "policies/prefetcher/list.def"
#undef POLICY

#endif
