/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BENCH_BARE_H
#define GPC_BENCH_BARE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Least cost of a cache of 4 or 16 ways with LRU: only tags in order of recency, with dirty bits. No ways, counters,
 * policies, errors or other geometries; lines of 128 bytes, line numbers below 2^30, fewer than 1024 sets. Results are
 * those of gpc_cache_access_many: GPC_BATCH_ flags, and addresses of evicted lines.
 */
typedef struct bare_cache {
    uint32_t *rows; /* [sets][ways]: bit 31 valid, bit 30 dirty, line number */
    uint32_t sets, ways;
} bare_cache;

/* 0: out of memory. */
int bare_create(bare_cache *cache, uint32_t sets, uint32_t ways);
void bare_destroy(bare_cache *cache);
/* Parameters as the fields of gpc_batch; `kinds` NULL: loads only, in a cache without earlier stores. */
void bare_access_many(bare_cache *cache, const uint64_t *addresses, const uint8_t *kinds, size_t count,
                      uint8_t *results, uint64_t *evicted);
/* Name of the instruction set in use: the processor's, or less if limited to "none", "sse2" or "avx2". */
const char *bare_simd(void);
void bare_limit(const char *simd);

#endif
