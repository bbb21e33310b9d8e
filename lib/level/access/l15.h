/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_L15_H
#define GPC_LEVEL_L15_H

#include "level/access/constants.h"

/*
 * L1.5 caches, with `l15.size` above 0: caches of instructions and constants between SMs and L2, for one SM or several
 * (`l15.sms`). A miss of an SM's instruction cache or constant cache looks up the L1.5. A read of instructions or
 * constants by a host's own caches looks up the L1.5, too. A miss of L1.5 reads the whole line from L2. Lines are never
 * dirty.
 *
 * Known: Volta to Hopper have such a level in every SM: 128 KiB [Jia et al. 2018, "Dissecting the NVIDIA Volta GPU
 * Architecture via Microbenchmarking", under the name L1.5]. The instruction caches of an SM's four schedulers and the
 * constant cache are connected to it [Huerta et al., MICRO 2025, "Dissecting and Modeling the Architecture of Modern
 * GPU Cores", 5.2 and 6, under the name L1 instruction/constant cache]. Assumed: ways, ports, MSHRs and queues.
 */

/* First address of replayed code, above all addresses of data. */
#define GPCI_CODE ((uint64_t)1 << 56)

/*
 * Create the L1.5s. If L2 request coalescers exist, all SMs of an L1.5 have the same coalescer. All these SMs are then
 * simulated by the same thread of the CPU (timed/core/shards.h).
 */
gpc_status gpci_l15_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_l15_destroy(gpc_hierarchy *hierarchy);
void gpci_l15_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);
/*
 * gpci_l15_drop: drop all lines. gpci_l15_begin: call at the begin of a kernel. If `kernels.code` is not kept, drop all
 * lines; otherwise, if `constants`, drop the lines with constants.
 */
void gpci_l15_drop(gpc_hierarchy *hierarchy);
void gpci_l15_begin(gpc_hierarchy *hierarchy, bool constants);
/* Drop the constants in the L1.5 of an SM, if each L1.5 belongs to a single SM. */
void gpci_l15_drop_constants(gpc_hierarchy *hierarchy, uint32_t sm);
/* Description of the level L1.5, with one sector per line. */
gpci_level gpci_l15_level(const gpc_hierarchy *hierarchy);

/* L1.5 of an SM. Call only if the hierarchy has L1.5s. */
GPCI_INLINE gpc_cache *gpci_l15_of(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return hierarchy->l15[hierarchy->sm_l15[sm]];
}

/* Count a lookup of a line of code or constants for an SM. `merges`: the line is absent, but already in flight. */
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
