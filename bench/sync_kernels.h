/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BENCH_SYNC_KERNELS_H
#define GPC_BENCH_SYNC_KERNELS_H

#include "../tests/measured.h"

#include <gpucache/gpucache.h>

/*
 * Kernels with warps that wait for each other, on a timed hierarchy with coherence.data: a warp's next step depends on
 * read values. The kernels are HeteroSync's (Sinclair, Alsop, Adve: HeteroSync: A Benchmark Suite for Fine-Grained
 * Synchronization on Tightly Coupled GPUs, IISWC 2017; github.com/mattsinc/heterosync, cuda/syncPrims/uvm), after
 * Stuart and Owens (Efficient Synchronization Primitives for GPUs, arXiv 1110.4623), with the names below; the last
 * uses flags only, as its relaxedAtomics/flags. A warp stands for a thread block: the first thread synchronizes, and
 * each of 32 lanes has a word of data.
 *
 *   mutex      spinMutexEBO: compare-and-swap until success, with longer and longer waits; add to the data; exchange
 *   ticket     faMutex: take a number, wait until it is called; add to the data; call the next
 *   semaphore  spinSemEBO: a writer on each SM adds to the data, readers, several at a time, read them
 *   barrier    atomicTreeBarrUniq: warps of an SM, a warp of each SM, warps of the SM again; between barriers
 *              each writes its own line, and reads its neighbour's
 *   pipe       one warp writes lines and raises a flag, another reads them and lowers it
 *
 * In the local scope shared data belong to an SM, and fences are a thread block's; the barrier then joins the warps of
 * an SM.
 *
 * Each kernel checks itself: no lost addition, no half-written line, no stale read.
 */
typedef enum sync_kernel { SYNC_MUTEX, SYNC_TICKET, SYNC_SEMAPHORE, SYNC_BARRIER, SYNC_PIPE, SYNC_KERNELS } sync_kernel;

extern const char *const sync_names[SYNC_KERNELS];

typedef struct sync_setup {
    sync_kernel kernel;
    gpc_scope scope;     /* CTA: local; GPU */
    uint32_t sms, warps; /* warps of an SM, an even number */
    uint32_t rounds;     /* critical sections, barriers, or messages of a warp */
    uint32_t lines;      /* lines of shared data, 128 bytes each, at most SYNC_LINES */
    bool
        coherent_stores; /* store data by coherent stores, for protocols with other stores that fences do not publish */
    bool polls_by_load;  /* wait by loads with an acquire, instead of atomics without effect */
    uint64_t most_cycles; /* limit of cycles */
} sync_setup;

#define SYNC_LINES 8u
#define SYNC_WARPS 1024u /* limit of warps on all SMs */

typedef struct sync_result {
    uint64_t cycles;
    uint64_t expected, wrong; /* additions, or read words; lost additions, or stale words */
    uint64_t attempts;        /* atomics and loads with the result "wait" */
    bool over;                /* false: over the limit of cycles */
    measured_stats stats;     /* hierarchy's statistics at the end, before reads of the sums */
} sync_result;

/* Run a kernel on a hierarchy without accesses in flight, and set its callbacks. A status below 0 is a failure. */
gpc_status sync_run(gpc_hierarchy *hierarchy, const sync_setup *setup, sync_result *result);

#endif
