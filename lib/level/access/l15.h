/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_L15_H
#define GPC_LEVEL_L15_H

#include "level/access/constants.h"

/*
 * L1.5 caches, with `l15.size` above 0: caches of instructions and constants between SMs and L2, for one SM or several
 * (`l15.sms`). Misses of an SM's instruction and constant caches look up the L1.5, as do reads in these spaces by a
 * host's own caches. A miss of L1.5 reads its whole line from L2. Lines are never dirty.
 *
 * Known: Volta to Hopper have such a level in every SM: 128 KiB [Jia et al. 2018, "Dissecting the NVIDIA Volta GPU
 * Architecture via Microbenchmarking", under the name L1.5]. The instruction caches of an SM's four schedulers and the
 * constant cache are connected to it [Huerta et al., MICRO 2025, "Dissecting and Modeling the Architecture of Modern
 * GPU Cores", 5.2 and 6, under the name L1 instruction/constant cache]. Assumed: ways, ports, MSHRs and queues.
 */

/* Addresses of replayed code, above program data. */
#define GPCI_CODE ((uint64_t)1 << 56)

/* Create the L1.5s. The SMs of an L1.5 share a coalescer, if there are coalescers, and thus a shard. */
gpc_status gpci_l15_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_l15_destroy(gpc_hierarchy *hierarchy);
void gpci_l15_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);
/*
 * Drop all lines. gpci_l15_begin: a kernel begins; drop all lines if `kernels.code` says so, otherwise constants if
 * `constants`.
 */
void gpci_l15_drop(gpc_hierarchy *hierarchy);
void gpci_l15_begin(gpc_hierarchy *hierarchy, bool constants);
/* Drop an SM's constants, if no other SM shares its L1.5. */
void gpci_l15_drop_constants(gpc_hierarchy *hierarchy, uint32_t sm);
/* Level of L1.5: one sector per line. */
gpci_level gpci_l15_level(const gpc_hierarchy *hierarchy);

/* L1.5 of an SM; call only if there is one. */
GPCI_INLINE gpc_cache *gpci_l15_of(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return hierarchy->l15[hierarchy->sm_l15[sm]];
}

/* Count a lookup of a line of code or constants for an SM. `merges`: the line is in flight. */
GPCI_INLINE void gpci_l15_looked(gpc_hierarchy *hierarchy, const gpc_request *request, bool hit, bool merges) {
    gpci_sm_counts *counts = &hierarchy->of_sm[request->sm];
    const bool code = request->space == GPC_SPACE_INSTRUCTION;
    counts->l15_lines++;
    counts->l15_line_hits += hit;
    counts->l15_line_merges += merges;
    counts->l15_code_lines += code;
    counts->l15_code_line_hits += code && hit;
}

#endif
