/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_GL1_H
#define GPC_LEVEL_GL1_H

#include "level/access/fence.h"
#include "level/rules/cache_lines.h"
#include "level/rules/events.h"
#include "level/rules/level_count.h"

/*
 * GL1s, with `gl1.size` above 0: caches of data between L1s and L2, each for `gl1.sms` neighbouring SMs. A GL1 has
 * lines and sectors of L1. A read that leaves an L1 looks up the GL1; a miss reads the missing sectors from L2. A GL1
 * is only read: a write or an atomic drops the line, and goes on to L2. A GL1 drops all lines when an L1 above does.
 *
 * Source: AMD, "RDNA Architecture", white paper, 2019: the graphics L1 of a shader array has 128 KiB of 16 ways and
 * lines of 128 bytes; "a write to any line in the graphics L1 will invalidate that line and hit in the L2 or memory";
 * a load can pass the graphics L1. AMD, LLVM's "User Guide for AMDGPU Backend", memory model of GFX10: an acquire of
 * scope agent is buffer_gl0_inv and buffer_gl1_inv.
 */

struct gpci_archive;

/* Create the GL1s. GPC_ERROR_RANGE: the configuration has keys that a GL1 excludes. */
gpc_status gpci_gl1_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_gl1_destroy(gpc_hierarchy *hierarchy);
void gpci_gl1_archive(gpc_hierarchy *hierarchy, struct gpci_archive *archive);

/* Number of an SM's GL1, and the GL1. Call only if the hierarchy has GL1s. */
GPCI_INLINE uint32_t gpci_gl1_index(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return sm / hierarchy->gl1_sms;
}
GPCI_INLINE gpc_cache *gpci_gl1_of(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return hierarchy->gl1[gpci_gl1_index(hierarchy, sm)];
}

/*
 * True if a read looks up the GL1. Reads of code, constants and textures, reads of bulk copies and of copies past L1,
 * loads with hint .cg or .cv, and strong loads of a wide scope pass.
 */
GPCI_INLINE bool gpci_gl1_takes(const gpc_request *request) {
    const bool strong = request->order != GPC_ORDER_WEAK && gpci_scope_is_wide(request->scope);
    return request->space <= GPC_SPACE_LOCAL && request->copy != GPC_COPY_BULK &&
           !gpci_copy_passes(request->copy, request->hint) && request->hint != GPC_HINT_CG &&
           request->hint != GPC_HINT_CV && !strong;
}

/* Turn an L1's request for segments of a line into a request to the GL1. A GL1 knows no tokens. */
GPCI_INLINE void gpci_gl1_ask(const gpc_hierarchy *hierarchy, uint8_t segments, gpc_request *request) {
    request->policy.token = GPC_TOKEN_UNUSED;
    request->sector_mask = hierarchy->l1_level.sectors_of[segments];
}

/* Drop the line of an address, because a write or an atomic of the SM changes the line. */
GPCI_INLINE void gpci_gl1_change(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address) {
    gpc_cache *gl1 = gpci_gl1_of(hierarchy, sm);
    gpci_log_dropped(hierarchy, gl1, GPC_COMPONENT_GL1, gpci_gl1_index(hierarchy, sm), address, address);
    gpc_cache_invalidate_line(gl1, address, NULL);
}

#endif
