/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_GPGPUSIM_H
#define GPC_CONFIG_GPGPUSIM_H

#include "base/base.h"

/* Cache in GPGPU-Sim's syntax, `S:4:128:64,L:T:m:L:L,A:512:8,16:0,32`. */
typedef struct gpci_gpgpusim_cache {
    bool none;    /* the text is `none` */
    bool sectors; /* S */
    uint32_t sets, line, ways;
    char replacement;    /* L or F */
    char write;          /* B, T, E, or L (evict for global, back for local stores); R for read-only caches */
    char allocate;       /* m, f or s */
    char write_allocate; /* N, W, F or L */
    char index;          /* L, H, P or X */
    uint32_t mshr_entries, mshr_merges;
    uint32_t miss_queue; /* 0: not given */
    uint32_t port;       /* bytes of the data port; default: a line */
} gpci_gpgpusim_cache;

/*
 * Read a cache's text as GPGPU-Sim's cache_config::init, with the same errors. Also reads the forms of 3.x, without the
 * first letter and the index function. GPC_ERROR_FORMAT, or GPC_ERROR_UNSUPPORTED for a user's index function.
 */
gpc_status gpci_gpgpusim_cache_read(const char *text, gpci_gpgpusim_cache *out, gpc_error *error);
/* Read the text of a read-only cache: write policy R. */
gpc_status gpci_gpgpusim_cache_read_only(const char *text, gpci_gpgpusim_cache *out, gpc_error *error);

/* Values of keys here for the letters. */
const char *gpci_gpgpusim_index(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_replacement(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write_local(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_write_allocate(const gpci_gpgpusim_cache *cache);
const char *gpci_gpgpusim_allocate(const gpci_gpgpusim_cache *cache);

#endif
