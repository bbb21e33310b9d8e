/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ASK_H
#define GPUCACHE_ASK_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * What a host may ask a hierarchy before it acts, and what it may put there before it begins. Asking changes nothing:
 * it counts no refusal, and no on_ready follows from it.
 */

/*
 * Would gpc_hierarchy_try_issue or gpc_hierarchy_try_fence, or gpc_hierarchy_try_miss, be accepted now, as far as room
 * goes? What has the room is the next that is offered; so it stays until then, or until the clock moves.
 *   sm        below sm.count
 *   out_busy  receives what is in the way, GPC_BUSY_NOT if nothing is; may be NULL
 * False for NULL, without such an SM, without a clock, and of misses where there can be none (gpc_hierarchy_try_miss):
 * GPC_BUSY_NOT, then. Since: 0.2.
 */
GPC_API bool gpc_hierarchy_can_accept(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);
GPC_API bool gpc_hierarchy_can_accept_miss(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);

/*
 * Why would gpc_hierarchy_try_miss refuse a request for good, or gpc_hierarchy_advance not go on? Those say no more
 * than a status; gpc_hierarchy_check_access is the same of gpc_hierarchy_access and gpc_hierarchy_try_issue. Each
 * returns what its call would, GPC_OK where that would be accepted but for room, and says in `error` which argument is
 * wrong, or what is the matter with the hierarchy: what a protocol found without a rule, whose policy chose an
 * impossible victim. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_check_miss(const gpc_hierarchy *hierarchy, const gpc_request *request,
                                            gpc_error *error);
GPC_API gpc_status gpc_hierarchy_check_advance(const gpc_hierarchy *hierarchy, uint64_t cycles, gpc_error *error);

/*
 * Is nothing under way in caches, networks and queues, so that gpc_hierarchy_begin_kernel and gpc_hierarchy_flush are
 * allowed? gpc_hierarchy_in_flight says that nobody waits for an answer; write-backs may still be on their way then.
 * Writes that DRAM has taken do not count. True without a clock; false for NULL. Since: 0.2.
 */
GPC_API bool gpc_hierarchy_is_idle(const gpc_hierarchy *hierarchy);

/* The place of a number that there is none of. */
#define GPC_NOWHERE UINT32_MAX

/* Where an address is in L2 and in memory. */
typedef struct gpc_location {
    size_t struct_size;
    uint64_t line;          /* address of its line of L2 */
    uint64_t slice_address; /* of that line within its slice: what a slice's cache and on_evict call it */
    uint64_t row;           /* of DRAM's bank; 0 where that is GPC_NOWHERE */
    uint32_t partition;     /* that owns the line */
    uint32_t slice;         /* that owns it, counted over all partitions */
    uint32_t near_slice;    /* that the SM asks: the same, or of two partitions the one in the SM's own */
    uint32_t set;           /* in either; GPC_NOWHERE without L2 */
    uint32_t channel;       /* of memory; GPC_NOWHERE without a clock */
    uint32_t bank;     /* of DRAM, its group and pseudo channel included; GPC_NOWHERE: it has none, or is the host's */
    uint32_t column;   /* of the row, in bytes; 0 where `bank` is GPC_NOWHERE */
    uint32_t reserved; /* 0 */
} gpc_location;

#define GPC_LOCATION_INIT \
    { sizeof(gpc_location), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/*
 * Where is an address, for an SM?
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL, no such SM); GPC_ERROR_UNSUPPORTED (a tree of coherent
 * modules: gpc_hierarchy_coherence tells of its). Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_locate(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address,
                                        gpc_location *location);

/* What a hierarchy has at present. Sizes in bytes; 0 of what there is not. */
typedef struct gpc_shape {
    size_t struct_size;
    uint64_t l1_bytes;        /* of an SM's lines; of a unified memory, what the present kernel leaves */
    uint64_t shared_bytes;    /* of a unified memory: the carve-out in force */
    uint64_t l2_bytes;        /* of all slices' lines */
    uint32_t sms, partitions; /* partitions of L2 */
    uint32_t slices;          /* of all of them */
    uint32_t channels;        /* of memory, with a clock */
    uint32_t l1_sets, l1_ways, l1_line, l1_sectors; /* sets as of the present kernel */
    uint32_t l2_sets, l2_ways, l2_line, l2_sectors; /* of a slice */
    uint32_t lanes;                                 /* of a warp */
    uint32_t reserved;
} gpc_shape;

#define GPC_SHAPE_INIT \
    { sizeof(gpc_shape), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL). Since: 0.2. */
GPC_API gpc_status gpc_hierarchy_get_shape(const gpc_hierarchy *hierarchy, gpc_shape *shape);

/*
 * Have the lines of a range of addresses in a cache, as after a copy by the host or a kernel before: in no time, clean,
 * and counted nowhere. They take ways as fills do, so that of more than fits the last ones stay; policies are told, and
 * may decline. Dirty lines that make room have been written back.
 *   level  1: that of SM `sm`; 2: L2, the slices that own the lines, and `sm` says nothing
 *   bytes  0: nothing
 * Returns GPC_OK; GPC_ERROR_ARGUMENT and GPC_ERROR_RANGE (`error` says what); GPC_ERROR_STATE (something is under way);
 * GPC_ERROR_UNSUPPORTED (a tree of coherent modules; L2 is inclusive; accesses carry values); GPC_ERROR_CALLBACK.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_preload(gpc_hierarchy *hierarchy, unsigned level, uint32_t sm, uint64_t address,
                                         uint64_t bytes, gpc_error *error);

GPC_END_DECLS

#endif
