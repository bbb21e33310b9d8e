/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_L15_H
#define GPC_LEVEL_L15_H

#include "level/constants.h"

/*
 * L1.5s, where `l15.size` says so: a cache of instructions and constants between SMs and L2, of one SM or several
 * (`l15.sms`). What an SM's instruction and constant caches lack is looked up there, and so are reads in these spaces
 * of a host's own such caches; what it lacks is a read of L2 of its whole line. Lines are never dirty.
 *
 * Known: Volta to Hopper have such a level, of each SM: 128 KiB [Jia et al. 2018, "Dissecting the NVIDIA Volta GPU
 * Architecture via Microbenchmarking", which calls it L1.5]; the caches of instructions of an SM's four schedulers,
 * and of constants, are connected to it [Huerta et al., MICRO 2025, "Dissecting and Modeling the Architecture of Modern
 * GPU Cores", 5.2 and 6, which calls it the L1 instruction/constant cache]. Assumed: ways, ports, MSHRs and queues.
 */

/* Addresses of replayed code: beyond what programs have. */
#define GPCI_CODE ((uint64_t)1 << 56)

/* SMs are those of one L2 request coalescer, if there are any: so what they share is of one strand. */
gpc_status gpci_l15_create(gpc_hierarchy *h, gpc_error *error);
void gpci_l15_destroy(gpc_hierarchy *h);
void gpci_l15_archive(gpc_hierarchy *h, gpci_archive *archive);
/* Everything leaves them; or, where a kernel begins: everything if `kernels.code` says so, else `constants`. */
void gpci_l15_drop(gpc_hierarchy *h);
void gpci_l15_begin(gpc_hierarchy *h, bool constants);
/* An SM's constants leave, if it has an L1.5 alone. */
void gpci_l15_drop_constants(gpc_hierarchy *h, uint32_t sm);
/* Its lines and their one sector. */
gpci_level gpci_l15_level(const gpc_hierarchy *h);

/* Of an SM, which has one. */
GPCI_INLINE gpc_cache *gpci_l15_of(const gpc_hierarchy *h, uint32_t sm) {
    return h->l15[h->sm_l15[sm]];
}

/* A line of code or of constants has been looked up, for an SM. `merges`: it is on its way. */
GPCI_INLINE void gpci_l15_looked(gpc_hierarchy *h, const gpc_request *request, bool hit, bool merges) {
    gpci_sm_counts *c = &h->of_sm[request->sm];
    const bool code = request->space == GPC_SPACE_INSTRUCTION;
    c->l15_lines++;
    c->l15_line_hits += hit;
    c->l15_line_merges += merges;
    c->l15_code_lines += code;
    c->l15_code_line_hits += code && hit;
}

#endif
