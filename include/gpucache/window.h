/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_WINDOW_H
#define GPUCACHE_WINDOW_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Which lines persist in L2, as on GPUs from compute capability 8.0 on (CUDA programming guide, "L2 Cache Control";
 * CUDA driver API, CUaccessPolicyWindow). Keys say the same from the beginning on: `l2.window_*`; how much of L2 is set
 * aside for lines that persist says `l2.persisting` (cudaLimitPersistingL2CacheSize).
 *
 * Accesses of a line within the window are of the priority `hit` at L2, those of its other lines of `miss`: which are
 * which is as drawn by lot, `hit_ratio` in 100 of them, and always the same. What an instruction says itself (its
 * priority, or hint CS) stands. L1 does not know of the window.
 *
 * Example, a table of 2 MiB that each kernel reads, beside streams: `bytes` 2 MiB, hit = LAST, l2.persisting = 2MiB.
 * One of 8 MiB with 2 MiB set aside: hit_ratio = 25, so that the lines that persist do not replace one another.
 */
typedef struct gpc_access_window {
    size_t struct_size;
    uint64_t begin;     /* address of its first byte */
    uint64_t bytes;     /* of it; 0: there is none, and the rest says nothing */
    uint32_t hit_ratio; /* % of its lines, 0 to 100 */
    uint8_t hit;        /* gpc_priority of these: LAST persists, FIRST streams, NORMAL */
    uint8_t miss;       /* of the others: NORMAL or FIRST */
    uint8_t process;    /* of `begin` (types.h); the keys l2.window_* are for process 0 */
    uint8_t reserved[1];
} gpc_access_window;

#define GPC_ACCESS_WINDOW_INIT                                                       \
    {                                                                                \
        sizeof(gpc_access_window), 0, 0, 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL, 0, { \
            0                                                                        \
        }                                                                            \
    }

/*
 * Another window from now on, in place of the one that there is; NULL: none. Lines in L2 keep the priority that they
 * have.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT, `error` naming the field; GPC_ERROR_STATE (something is under
 * way); GPC_ERROR_UNSUPPORTED (without L2, in a tree of coherent modules, or hit LAST where `l2.persisting` = 0B).
 * Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_set_window(gpc_hierarchy *hierarchy, const gpc_access_window *window,
                                            gpc_error *error);

/*
 * Lines of L2 that persist do so no longer (cudaCtxResetPersistingL2Cache): they are of priority NORMAL.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_UNSUPPORTED likewise. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_reset_persisting(gpc_hierarchy *hierarchy);

GPC_END_DECLS

#endif
