/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BENCH_SYNC_KERNELS_H
#define GPC_BENCH_SYNC_KERNELS_H

#include <gpucache/gpucache.h>

/*
 * Kernels whose warps wait for one another, on a timed hierarchy with coherence.data: what a warp does next depends on
 * what it has read. They are those of HeteroSync (Sinclair, Alsop, Adve: HeteroSync: A Benchmark Suite for Fine-Grained
 * Synchronization on Tightly Coupled GPUs, IISWC 2017; github.com/mattsinc/heterosync, cuda/syncPrims/uvm), after
 * Stuart and Owens (Efficient Synchronization Primitives for GPUs, arXiv 1110.4623), whose names are given below; the
 * last is of flags alone, as its relaxedAtomics/flags. A warp stands for a thread block, whose first thread
 * synchronizes, and of whose data each of 32 lanes has a word.
 *
 *   mutex      spinMutexEBO: compare-and-swap until it succeeds, waiting longer each time; add to the data; exchange
 *   ticket     faMutex: take a number, wait until it is called; add to the data; call the next
 *   semaphore  spinSemEBO: a writer on each SM adds to the data, readers, several at a time, read them
 *   barrier    atomicTreeBarrUniq: warps of an SM, then one of each SM, then those of the SM again; between two barriers
 *              each writes its own line, and reads its neighbour's
 *   pipe       one warp writes lines and raises a flag, another reads them and lowers it
 *
 * In the local scope all that warps share is their SM's, and fences are those of a thread block; the barrier is then
 * among the warps of each SM alone.
 *
 * Each checks itself: no addition is lost, readers never see a line half written, nobody reads what is old.
 */
typedef enum sync_kernel { SYNC_MUTEX, SYNC_TICKET, SYNC_SEMAPHORE, SYNC_BARRIER, SYNC_PIPE, SYNC_KERNELS } sync_kernel;

extern const char *const sync_names[SYNC_KERNELS];

typedef struct sync_setup {
    sync_kernel kernel;
    gpc_scope scope;     /* CTA: local; GPU */
    uint32_t sms, warps; /* warps of each SM, an even number */
    uint32_t rounds;     /* critical sections, barriers, or messages of each warp */
    uint32_t lines;      /* of 128 bytes, of shared data, at most SYNC_LINES */
    bool
        coherent_stores; /* data are stored by coherent stores: where a protocol's others are not published by fences */
    bool polls_by_load;  /* who waits for a value loads it and acquires, in place of an atomic that changes nothing */
    uint64_t most_cycles; /* it is given up then */
} sync_setup;

#define SYNC_LINES 8u
#define SYNC_WARPS 1024u /* at most, of all SMs */

typedef struct sync_result {
    uint64_t cycles;
    uint64_t expected, wrong; /* additions, or words read; of them lost, or old */
    uint64_t attempts;        /* atomics and loads by which somebody found that he has to wait */
    bool over;                /* false: it was given up */
    gpc_stats stats;          /* of the hierarchy when it was over, before sums are read */
} sync_result;

/* Runs a kernel on a hierarchy in which nothing is in flight, and whose callbacks it sets. A status below 0: it failed. */
gpc_status sync_run(gpc_hierarchy *hierarchy, const sync_setup *setup, sync_result *result);

#endif
