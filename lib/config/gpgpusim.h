/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_GPGPUSIM_H
#define GPC_CONFIG_GPGPUSIM_H

#include "base/base.h"

/* A cache as GPGPU-Sim writes it, `S:4:128:64,L:T:m:L:L,A:512:8,16:0,32`. */
typedef struct gpci_gpgpusim_cache {
    bool none;    /* the word `none` */
    bool sectors; /* S */
    uint32_t sets, line, ways;
    char replacement;    /* L or F */
    char write;          /* B, T, E, or L: evict for global, back for local stores; R of those that are only read */
    char allocate;       /* m, f or s */
    char write_allocate; /* N, W, F or L */
    char index;          /* L, H, P or X */
    uint32_t mshr_entries, mshr_merges;
    uint32_t miss_queue; /* 0: not given */
    uint32_t port;       /* bytes of the data port; of a line where it is not given */
} gpci_gpgpusim_cache;

/*
 * Read one as GPGPU-Sim's cache_config::init does, and refuse what it refuses;
 * also the forms of 3.x, which lack the first letter and the index function.
 * GPC_ERROR_FORMAT, or GPC_ERROR_UNSUPPORTED for an index function of the user's.
 */
gpc_status gpci_gpgpusim_cache_read(const char *text, gpci_gpgpusim_cache *out, gpc_error *error);
/* The same of a cache that is only read: R. */
gpc_status gpci_gpgpusim_cache_read_only(const char *text, gpci_gpgpusim_cache *out, gpc_error *error);

/* What the letters are in keys here. */
const char *gpci_gpgpusim_index(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_replacement(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write_local(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write_allocate(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_allocate(const gpci_gpgpusim_cache *cache);

#endif
