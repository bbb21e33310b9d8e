/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_WINDOW_H
#define GPUCACHE_WINDOW_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Lines that persist in L2, as on GPUs from compute capability 8.0 on (CUDA programming guide, "L2 Cache Control"; CUDA
 * driver API, CUaccessPolicyWindow). The keys `l2.window_*` set a window from the start. The key `l2.persisting` sets
 * the part of L2 that is set aside for persisting lines (cudaLimitPersistingL2CacheSize).
 *
 * A window splits its lines at random: `hit_ratio` % of the lines have the priority `hit` in L2, the rest has the
 * priority `miss`. The choice of a line never changes. An instruction's own priority, or its hint CS, takes precedence.
 * L1 ignores the window.
 *
 * Example, a table of 2 MiB that every kernel reads, beside streams: `bytes` 2 MiB, hit = LAST, l2.persisting = 2MiB.
 * For a table of 8 MiB with 2 MiB set aside: hit_ratio = 25, so that the persisting lines fit the part set aside.
 */
typedef struct gpc_access_window {
    size_t struct_size;
    uint64_t begin;     /* address of the first byte */
    uint64_t bytes;     /* length; 0: no window, and the other fields are ignored */
    uint32_t hit_ratio; /* percentage of the lines, 0 to 100 */
    uint8_t hit;        /* gpc_priority of `hit_ratio` % of the lines: LAST persists, FIRST streams, NORMAL */
    uint8_t miss;       /* gpc_priority of the rest: NORMAL or FIRST */
    uint8_t process;    /* process of `begin` (types.h); the keys l2.window_* are for process 0 */
    uint8_t reserved[1];
} gpc_access_window;

#define GPC_ACCESS_WINDOW_INIT                                                       \
    {                                                                                \
        sizeof(gpc_access_window), 0, 0, 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL, 0, { \
            0                                                                        \
        }                                                                            \
    }

/*
 * Replace the window from now on; NULL: no window. Lines in L2 keep their priority. Returns GPC_OK; GPC_ERROR_ABI;
 * GPC_ERROR_ARGUMENT, `error` naming the field; GPC_ERROR_STATE (something is in flight); GPC_ERROR_UNSUPPORTED
 * (without L2, in a tree of coherent modules, or hit LAST with `l2.persisting` = 0B). Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_set_window(gpc_hierarchy *hierarchy, const gpc_access_window *window,
                                            gpc_error *error);

/*
 * End the persistence of lines in L2 (cudaCtxResetPersistingL2Cache): their priority becomes NORMAL. Returns GPC_OK;
 * GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_UNSUPPORTED as gpc_hierarchy_set_window. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_reset_persisting(gpc_hierarchy *hierarchy);

GPC_END_DECLS

#endif
