/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ASK_H
#define GPUCACHE_ASK_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Questions of a host to a hierarchy before the host acts, and lines that the host puts into caches before a run. A
 * question changes nothing: no refusal is counted, and no on_ready follows.
 */

/*
 * Room for the next request: would gpc_hierarchy_try_issue and gpc_hierarchy_try_fence (_can_accept), or
 * gpc_hierarchy_try_miss (_can_accept_miss), accept a request now? The answer holds for the next request offered, until
 * the next offer or until the clock moves. A bulk copy may still be refused, for a full queue of
 * copies (sm.bulk_queue).
 *   sm        below sm.count
 *   out_busy  receives the reason for a refusal, GPC_BUSY_NOT if accepted; may be NULL
 * False, with GPC_BUSY_NOT, for NULL, for an unknown SM, without a clock, and for misses if the hierarchy takes none
 * (gpc_hierarchy_try_miss). Since: 0.2.
 */
GPC_API bool gpc_hierarchy_can_accept(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);
GPC_API bool gpc_hierarchy_can_accept_miss(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);

/*
 * Reason of a permanent refusal by gpc_hierarchy_try_miss, or of a failure of gpc_hierarchy_advance. The calls
 * themselves return a status only. gpc_hierarchy_check_access is the counterpart for gpc_hierarchy_access and
 * gpc_hierarchy_try_issue. Every check function returns the status of its call, and GPC_OK if the call would succeed or
 * would only lack room. `error` names the wrong argument, or the fault of the hierarchy: an event without a rule in the
 * protocol, a policy that chose an impossible victim. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_check_miss(const gpc_hierarchy *hierarchy, const gpc_request *request,
                                            gpc_error *error);
GPC_API gpc_status gpc_hierarchy_check_advance(const gpc_hierarchy *hierarchy, uint64_t cycles, gpc_error *error);

/*
 * True if nothing is in flight in caches, networks and queues: gpc_hierarchy_begin_kernel and gpc_hierarchy_flush are
 * allowed. gpc_hierarchy_in_flight counts only requests with an answer to come; when the count is 0, write-backs may
 * still be in flight. Writes that DRAM has taken do not count. True without a clock; false for NULL. Since: 0.2.
 */
GPC_API bool gpc_hierarchy_is_idle(const gpc_hierarchy *hierarchy);

/* Index of a place that does not exist. */
#define GPC_NOWHERE UINT32_MAX

/* Place of an address in L2 and in memory. */
typedef struct gpc_location {
    size_t struct_size;
    uint64_t line;          /* address of the line in L2 */
    uint64_t slice_address; /* address of the line within its slice, as used by the slice's cache and on_evict */
    uint64_t row;           /* row of DRAM's bank; 0 if `bank` is GPC_NOWHERE */
    uint32_t partition;     /* partition that owns the line */
    uint32_t slice;         /* slice that owns the line, counted over all partitions */
    /* slice that the SM asks: the owner, or with two partitions the slice in the SM's own partition */
    uint32_t near_slice;
    uint32_t set;     /* set in `slice` and in `near_slice`; GPC_NOWHERE without L2 */
    uint32_t channel; /* channel of memory; GPC_NOWHERE without a clock */
    /* bank of DRAM, including bank group and pseudo channel; GPC_NOWHERE if the memory has no banks or is the host's */
    uint32_t bank;
    uint32_t column;   /* byte within the row; 0 if `bank` is GPC_NOWHERE */
    uint32_t reserved; /* 0 */
} gpc_location;

#define GPC_LOCATION_INIT \
    { sizeof(gpc_location), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/*
 * Find the place of an address, as seen from an SM.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL, unknown SM); GPC_ERROR_UNSUPPORTED (a tree of coherent
 * modules: see gpc_hierarchy_coherence). Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_locate(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address,
                                        gpc_location *location);

/* Present shape of a hierarchy. Sizes in bytes. A field of an absent part is 0. */
typedef struct gpc_shape {
    size_t struct_size;
    /* lines of an SM's L1; in a unified memory the part left by the present kernel */
    uint64_t l1_bytes;
    uint64_t shared_bytes;                          /* carve-out in force, in a unified memory */
    uint64_t l2_bytes;                              /* lines of all slices */
    uint32_t sms, partitions;                       /* partitions of L2 */
    uint32_t slices;                                /* slices of all partitions */
    uint32_t channels;                              /* channels of memory, with a clock */
    uint32_t l1_sets, l1_ways, l1_line, l1_sectors; /* `l1_sets`: for the present kernel */
    uint32_t l2_sets, l2_ways, l2_line, l2_sectors; /* `l2_sets`: of a slice */
    uint32_t lanes;                                 /* lanes of a warp */
    uint32_t reserved;
} gpc_shape;

#define GPC_SHAPE_INIT \
    { sizeof(gpc_shape), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Get the present shape. Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL). Since: 0.2. */
GPC_API gpc_status gpc_hierarchy_get_shape(const gpc_hierarchy *hierarchy, gpc_shape *shape);

/*
 * Load the lines of an address range into a cache, as after a copy by the host or after an earlier kernel. The load
 * takes no time, makes clean lines, and is not counted. Lines take ways as fills do: if the range is larger than the
 * cache, the last lines stay. Policies are notified, and may decline. Dirty lines that make room count as written back.
 *   level  1: L1 of SM `sm`; 2: the slices of L2 that own the lines, `sm` is ignored
 *   bytes  0: no line
 * Returns GPC_OK; GPC_ERROR_ARGUMENT and GPC_ERROR_RANGE (`error` gives the reason); GPC_ERROR_STATE (something is in
 * flight); GPC_ERROR_UNSUPPORTED (a tree of coherent modules; L2 is inclusive; accesses carry values);
 * GPC_ERROR_CALLBACK. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_preload(gpc_hierarchy *hierarchy, unsigned level, uint32_t sm, uint64_t address,
                                         uint64_t bytes, gpc_error *error);

GPC_END_DECLS

#endif
