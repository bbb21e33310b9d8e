/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_GPGPUSIM_H
#define GPC_CONFIG_GPGPUSIM_H

#include "base/base.h"

/* Cache in GPGPU-Sim's syntax, `S:4:128:64,L:T:m:L:L,A:512:8,16:0,32`. */
typedef struct gpci_gpgpusim_cache {
    bool none;    /* the text is `none` */
    bool sectors; /* the type is S (sectored) */
    uint32_t sets, line, ways;
    char replacement; /* L (LRU) or F (FIFO) */
    /* B (back), T (through), E (evict), L (evict for global, back for local stores); R (a read-only cache) */
    char write;
    char allocate;       /* m (on miss), f (on fill) or s (streaming) */
    char write_allocate; /* N (none), W (fetch, and write through), F (fetch) or L (lazy) */
    char index;          /* L (linear), H (Fermi's hash), P (polynomial) or X (XOR) */
    uint32_t mshr_entries, mshr_merges;
    uint32_t miss_queue; /* packets; 0 = not given */
    uint32_t port;       /* bytes of the data port; default: a line */
} gpci_gpgpusim_cache;

/*
 * Read a cache's text as GPGPU-Sim's cache_config::init, with the same errors. Also reads the forms of 3.x, without the
 * first letter and the index function. GPC_ERROR_FORMAT, or GPC_ERROR_UNSUPPORTED for a user's index function.
 */
gpc_status gpci_gpgpusim_cache_read(const char *text, gpci_gpgpusim_cache *out, gpc_error *error);
/* Read the text of a read-only cache: write policy R. */
gpc_status gpci_gpgpusim_cache_read_only(const char *text, gpci_gpgpusim_cache *out, gpc_error *error);

/* Values of the library's keys for the letters of a cache. */
const char *gpci_gpgpusim_index(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_replacement(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write_local(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write_allocate(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_allocate(const gpci_gpgpusim_cache *cache);

#endif
