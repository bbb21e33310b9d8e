/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_CACHE_H
#define GPUCACHE_CACHE_H

#include <gpucache/counters.h>

GPC_BEGIN_DECLS

/*
 * A cache: tags, state and policies, without a clock. An object can be a cache of any level. The cache has no data: it
 * only knows which bytes of every line are valid and dirty.
 *
 * Every access consists of three steps without time:
 *   lookup   compare tags. A hit ends the access. On a miss the predictor is asked, and the result has the sectors to
 *            fetch
 *   reserve  choose a victim, evict the victim, mark the missing sectors pending
 *   fill     the data have arrived: pending sectors become valid. A line without a way gets a way first
 *
 * gpc_cache_access runs the three steps at once, as if memory below were instant. A host with a clock calls
 * gpc_cache_lookup and gpc_cache_reserve when the request passes the tags, and gpc_cache_fill when the reply arrives.
 * If every miss is filled at once, the two ways give equal results, state and counters.
 *
 * Allocation. Reads allocate unless the predictor or the policy declines. Stores allocate if the write policy and write
 * allocation of their space say so, and unless the predictor or the policy declines. Atomics performed in this cache
 * allocate unless the policy declines. A request that may not allocate passes: a read fetches only the sectors that it
 * needs, a write goes below.
 */

/* Set index function. */
typedef enum gpc_index {
    GPC_INDEX_MODULO = 0, /* line number modulo sets */
    GPC_INDEX_XOR = 1,    /* line number modulo sets, after XOR of the upper bits of the line number onto the index */
    GPC_INDEX_FERMI = 2,  /* Fermi's L1 hash (Nugteren et al., HPCA 2014); 32 or 64 sets */
    GPC_INDEX_IPOLY = 3,  /* irreducible-polynomial interleaving (Rau, ISCA 1991) */
    GPC_INDEX_USER = 4,   /* gpc_cache_options.index_fn */
    GPC_INDEX_HOPPER = 5, /* L1 of an H100, as measured (tests/hardware/micro); for 512 sets. Since: 0.2 */
    GPC_INDEX_COUNT
} gpc_index;

typedef enum gpc_write_policy {
    GPC_WRITE_BACK = 0,
    GPC_WRITE_THROUGH = 1,
    GPC_WRITE_EVICT = 2 /* write through; a hit drops the line, a miss does not allocate (Fermi's global stores) */
} gpc_write_policy;

typedef enum gpc_write_allocate {
    GPC_WRITE_NO_ALLOCATE = 0,
    /* a partly written sector is fetched before the write; a fully written sector is not fetched */
    GPC_WRITE_FETCH = 1,
    GPC_WRITE_LAZY_FETCH = 2, /* written bytes are kept under a byte mask; a later read fetches the rest */
    /*
     * a store miss is written below, and its sectors are fetched, even fully written sectors: GPGPU-Sim 3.2
     * gpu-cache.cc, wr_miss_wa. Since 0.2
     */
    GPC_WRITE_NAIVE_FETCH = 3
} gpc_write_allocate;

typedef enum gpc_allocate {
    GPC_ALLOCATE_ON_MISS = 0,    /* the way is reserved while the data are fetched */
    GPC_ALLOCATE_ON_FILL = 1,    /* the way is taken when the data arrive */
    GPC_ALLOCATE_STREAMING = 2,  /* the same as ON_FILL; the name is GPGPU-Sim's */
    GPC_ALLOCATE_REPLACEABLE = 3 /* on a miss; the line may be replaced before its data arrive. Since: 0.2 */
} gpc_allocate;

/* Sectors fetched by a read that may not allocate (seeds/004 section 4.5, bypassing traffic optimisation). */
typedef enum gpc_bypass_fetch {
    GPC_BYPASS_FETCH_NEEDED = 0, /* the sectors that the read needs */
    GPC_BYPASS_FETCH_ALL = 1     /* the sectors that the read would fetch with allocation */
} gpc_bypass_fetch;

/* Answer of a replacement policy to a miss before the data are requested (gpc_replacement_ops.declines). */
typedef enum gpc_admission {
    GPC_NOT_ASKED = 0,
    GPC_ADMITTED = 1, /* set gpc_request.policy.admitted in the fill's request */
    /* the outcome is GPC_BYPASSED, and no predictor may overturn the outcome; also for lack of a token */
    GPC_DECLINED = 2
} gpc_admission;

/*
 * Effect of a request without a token (GPC_TOKEN_NONE, seeds/004 sections 4.3 and 4.6). Such a request may always hit,
 * also on missing sectors of a resident line, and the replacement policy is notified of the hit. With opportunistic
 * tokens, every request replaces lines without priority first.
 */
typedef enum gpc_tokens {
    GPC_TOKENS_IGNORE = 0, /* no effect; predictors and policies still see the token */
    GPC_TOKENS_STRICT = 1, /* a miss bypasses, as if the predictor had decided so */
    /* a miss may take a free way or the way of a line without priority; otherwise the miss bypasses */
    GPC_TOKENS_OPPORTUNISTIC = 2
} gpc_tokens;

/*
 * End of a line's priority (seeds/004 section 4.6). Every request with a token that fills or hits a line gives the line
 * priority. The start and the end of a kernel end all owners too.
 */
typedef enum gpc_token_clear {
    GPC_CLEAR_KERNEL = 0, /* when the kernel ends */
    GPC_CLEAR_OWNERS = 1, /* when all owners have ended: warps that filled or hit the line with a token */
    /* when the last owner has ended: the warp that filled or hit the line last with a token */
    GPC_CLEAR_LAST_OWNER = 2,
    GPC_CLEAR_PERIODIC = 3 /* with the first access of every token_period */
} gpc_token_clear;

/* Outcome of an access. */
typedef enum gpc_outcome {
    GPC_HIT = 0,
    GPC_PENDING_HIT = 1, /* resident, but a needed sector is still in flight */
    GPC_SECTOR_MISS = 2, /* resident, but a needed sector is not valid */
    GPC_MISS = 3,        /* not resident */
    GPC_BYPASSED = 4,    /* not resident, and may not allocate */
    GPC_NO_VICTIM = 5    /* not resident, and every way is pending: line reservation failure */
} gpc_outcome;

/*
 * Result of a step or an access; every field is written. `fetch_sectors` and the two write fields are the requests to
 * the level below. gpc_cache_access has already filled the fetched sectors. If atomics_here = 0, an atomic goes below
 * itself: the cache looks up no sector and fetches no sector.
 */
typedef struct gpc_access_result {
    uint8_t outcome;        /* gpc_outcome */
    uint8_t needed_sectors; /* sectors that the request touches */
    uint8_t hit_sectors;    /* needed sectors that were valid or pending before the access */
    uint8_t fetch_sectors;  /* sectors to read from below, fetch granularity included */
    uint8_t write_sectors;  /* sectors to write below: write through, evict, no-allocate, bypassed */
    uint8_t evicted;        /* 1 = `eviction` is filled in: a clean or dirty line was replaced or dropped */
    uint8_t admission;      /* gpc_admission */
    uint8_t reserved;
    uint32_t set;
    uint32_t way;            /* UINT32_MAX if the line has no way, or has lost its way */
    uint32_t policy_word;    /* with a fetch or a write: word of the predictor for the level below; else 0 */
    uint64_t write_bytes[2]; /* bytes to write below, within write_sectors; lines of at most 128 bytes */
    gpc_eviction eviction;
} gpc_access_result;

/*
 * Called after a line got sectors (`sectors`: bit per sector), by arrival of data or by a store of whole sectors.
 * `request` is the cause. May not call into the same cache.
 */
typedef void (*gpc_fill_fn)(void *user_data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                            const gpc_request *request);

/*
 * Called after a clean or dirty line left, before the new line is filled. `request` is the cause, NULL for invalidate
 * and flush. May not call into the same cache.
 */
typedef void (*gpc_evict_fn)(void *user_data, const gpc_eviction *eviction, const gpc_request *request);

/*
 * Return the set of a line number (address / line size); the cache takes the value modulo `sets`. Must be a pure
 * function.
 */
typedef uint32_t (*gpc_index_fn)(void *user_data, uint64_t line_number, uint32_t sets);

typedef struct gpc_cache_options {
    size_t struct_size;
    uint64_t sets;       /* 1 or more; need not be a power of two */
    uint32_t ways;       /* 1 to GPC_MAX_WAYS */
    uint32_t line_bytes; /* power of two, 8 to 4096 */
    uint32_t sectors;    /* per line: 0 or 1 = not sectored, 2, 4 or 8 */
    /* sectors fetched by a miss of part of a line, an aligned group; 0 or 1 = only the missing sectors */
    uint32_t fetch_sectors;
    uint32_t index;        /* gpc_index */
    uint32_t write_policy; /* gpc_write_policy, global space */
    uint32_t write_policy_local;
    uint32_t write_allocate; /* gpc_write_allocate, global space */
    uint32_t write_allocate_local;
    uint32_t allocate; /* gpc_allocate */
    /* 1 = the cache performs atomics and reductions (L2); 0 = atomics and reductions pass, and drop their line */
    uint32_t atomics_here;
    uint32_t track_reuse;    /* 1 = count hits per line, for evictions and reuse statistics */
    uint32_t track_warps;    /* 1 = count intra-warp and inter-warp hits separately */
    uint32_t instance;       /* index of the cache in its level, for policies that differ by SM */
    uint32_t instances;      /* caches of the level; 0 = 1 */
    const char *replacement; /* `name` or `name(parameter=value, ...)`; NULL = "lru" */
    const char *predictor;   /* `name` or `name(parameter=value, ...)`; NULL = "always-cache" */
    gpc_index_fn index_fn;   /* with GPC_INDEX_USER */
    void *index_data;
    gpc_fill_fn on_fill;   /* NULL = not called */
    gpc_evict_fn on_evict; /* NULL = not called */
    void *callback_data;   /* passed to on_fill and on_evict */
    uint64_t seed;         /* mixed with the context's seed; give caches of different levels different seeds */
    uint32_t bypass_fetch; /* gpc_bypass_fetch */
    uint32_t track_future; /* 1 = requests have their next_use: compare the predictor with an oracle */
    uint32_t tokens;       /* gpc_tokens */
    uint32_t token_clear;  /* gpc_token_clear, with opportunistic tokens */
    uint64_t token_period; /* for GPC_CLEAR_PERIODIC: cycles, or accesses if requests have no cycle; 0 = 5000 */
    /* number of warp slots told apart as owners; a warp counts modulo the number; 0 = 64, at most 1024 */
    uint32_t token_warps;
    /*
     * GPC_INDEX_XOR: number of bits above the index in a line number that are XORed onto the index. As many bits as the
     * index has: GPGPU-Sim's BITWISE_XORING_FUNCTION. 0 = all bits. Since: 0.3
     */
    uint32_t index_bits;
    /*
     * GPC_READS_ bits of the inputs that the host will give, for example GPC_READS_OF_REQUESTS | GPC_READS_SAMPLES. A
     * policy that reads more is refused. 0 = not stated: no policy is refused, and gpc_cache_lacks returns the missing
     * inputs. Since: 0.2
     */
    uint64_t tells;
    /*
     * Another cache among the `instances` of the level, of the same context and shape, outside a hierarchy. Policies of
     * equal name and arguments share state (gpc_policy_env.shared_state), as in a level of a hierarchy. NULL: the cache
     * is the first of its level. Since: 0.2
     */
    gpc_cache *share_with;
    /*
     * Largest number of ways in a set for lines of GPC_EVICT_LAST. If the set has reached the limit, a request with
     * LAST takes the way of another line of LAST. If the request takes a free way, or hits a line of another priority,
     * the line does not become LAST. Ways below the limit may hold lines of every priority. 0 = all ways;
     * GPC_NO_LAST_WAYS = no ways, LAST acts as NORMAL. Since: 0.2
     */
    uint32_t last_ways;
    /*
     * Number of lines that have data at the same time, fewer than sets x ways: the cache has more tags than data. If a
     * miss finds a free way but all data are in use, the miss replaces a line of any set. A clock hand goes through the
     * lines and takes the next line without a use since the hand's last pass. The replacement policy decides only
     * within full sets. An H100's L1 behaves so (tests/hardware/micro/README.md). 0 = sets x ways. Since: 0.2
     */
    uint32_t lines;
} gpc_cache_options;

#define GPC_NO_LAST_WAYS UINT32_MAX

/* 16 KiB, 4-way, 128-byte lines, LRU, write-back with fetch on write. Other fields are 0 or NULL. */
#define GPC_CACHE_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpc_cache_options), 32, 4, 128, 0, 0, GPC_INDEX_MODULO, GPC_WRITE_BACK, GPC_WRITE_BACK,                 \
            GPC_WRITE_FETCH, GPC_WRITE_FETCH, GPC_ALLOCATE_ON_MISS, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, 0, GPC_BYPASS_FETCH_NEEDED, 0, GPC_TOKENS_IGNORE, GPC_CLEAR_KERNEL, 0, 0, 0, 0, NULL, 0, 0           \
    }

/*
 * Create an empty cache. Strings are copied.
 *   options  NULL for the defaults
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE (a field, named in `error`); GPC_ERROR_NOT_FOUND
 * (a policy); GPC_ERROR_UNSUPPORTED (a policy reads more than `tells`); GPC_ERROR_MEMORY; or the status of a policy's
 * init. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_create(gpc_context *context, const gpc_cache_options *options, gpc_cache **out,
                                    gpc_error *error);

/* Destroy without write-backs or callbacks. NULL is allowed. Since: 0.1. */
GPC_API void gpc_cache_destroy(gpc_cache *cache);

/*
 * Run a whole access, with instant memory below.
 *   result  may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, kind, space, hint, priority or token out of range, sectors or bytes beyond
 * the line, a byte mask for a line beyond 128 bytes); GPC_ERROR_CALLBACK (a policy chose an impossible victim: no line
 * moved, but the lookup has been counted). Since: 0.1.
 */
GPC_API gpc_status gpc_cache_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                    gpc_error *error);

/* Flags of an access in a batch. */
#define GPC_BATCH_HIT 0x01u        /* every needed sector was valid */
#define GPC_BATCH_EVICTED 0x02u    /* a line left */
#define GPC_BATCH_WRITE_BACK 0x04u /* the line that left had dirty bytes */
#define GPC_BATCH_BYPASSED 0x08u
#define GPC_BATCH_SECTOR_MISS 0x10u
#define GPC_BATCH_WRITE_BELOW 0x20u /* the level below gets a write */

/*
 * Batch of accesses as parallel arrays of `count` elements. A NULL array has the value in brackets for every element.
 */
typedef struct gpc_batch {
    size_t struct_size;
    size_t count;
    const uint64_t *addresses; /* bytes; required */
    const uint8_t *kinds;      /* gpc_kind [GPC_LOAD] */
    const uint64_t *pcs;       /* [0] */
    const uint32_t *warps;     /* [0] */
    const uint64_t *next_uses; /* as gpc_request.policy.next_use [0] */
    uint32_t size;             /* bytes of every access; 0 = the whole line */
    uint32_t sm;               /* SM of every access */
    uint8_t *results;          /* out: GPC_BATCH_ flags [not wanted] */
    uint64_t *evicted;         /* out: address of the line that left, UINT64_MAX if no line left [not wanted] */
} gpc_batch;

#define GPC_BATCH_INIT \
    { sizeof(gpc_batch), 0, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL }

/*
 * Run the accesses of a batch in order. Results equal gpc_cache_access, many times faster. Stops at the first access
 * that fails.
 *   out_done  receives the number of completed accesses; may be NULL
 * Returns as gpc_cache_access, and GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_access_many(gpc_cache *cache, const gpc_batch *batch, size_t *out_done, gpc_error *error);

/* Read counters since creation or the last reset, as gpc_hierarchy_read: the table GPC_TABLE_CACHE. Since: 0.3. */
GPC_API gpc_status gpc_cache_read(const gpc_cache *cache, const uint32_t *ids, size_t count, uint64_t *values,
                                  size_t value_count, gpc_error *error);
GPC_API void gpc_cache_reset_stats(gpc_cache *cache);

/* clang-format off */

/* Counters of a gpc_cache. Hits are counted per sector; a cache without sectors counts per line. */
#define GPC_CACHE_COUNTERS(X)                                                                                         \
    X(175, reads, "reads", "requests", SUM, CACHE, NOTHING, "0.1", "loads and prefetches that passed the tags",       \
      "= again; >= read_hits")                                                                                        \
    X(176, read_hits, "read_hits", "requests", SUM, CACHE, NOTHING, "0.1",                                            \
      "of these, all needed sectors valid or pending",                                                                \
      "= again; <= reads")                                                                                            \
    X(177, read_sectors, "read_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that reads needed",          \
      "= again; >= read_sector_hits; >= reads")                                                                       \
    X(178, read_sector_hits, "read_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1", "of these, valid or pending", \
      "= again; <= read_sectors")                                                                                     \
    X(179, pending_sector_hits, "pending_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                         \
      "of these, still on their way",                                                                                 \
      "= again; <= read_sector_hits")                                                                                 \
    X(180, writes, "writes", "requests", SUM, CACHE, NOTHING, "0.1", "stores that passed the tags",                   \
      "= again; >= write_hits")                                                                                       \
    X(181, write_hits, "write_hits", "requests", SUM, CACHE, NOTHING, "0.1",                                          \
      "stores that found all their sectors, or wrote them whole",                                                     \
      "= again; <= writes")                                                                                           \
    X(182, write_sectors, "write_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that stores touched",      \
      "= again; >= write_sector_hits")                                                                                \
    X(183, write_sector_hits, "write_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                             \
      "of these, valid, pending, or written whole and kept",                                                          \
      "= again; <= write_sectors")                                                                                    \
    X(184, atomics, "atomics", "requests", SUM, CACHE, NOTHING, "0.1",                                                \
      "atomics and reductions performed or passed here",                                                              \
      "= again; <= atomic_sectors")                                                                                   \
    X(185, atomic_sectors, "atomic_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that they touched",      \
      "= again; >= atomic_sector_hits")                                                                               \
    X(186, atomic_sector_hits, "atomic_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                           \
      "of these, valid or pending before",                                                                            \
      "= again; <= atomic_sectors")                                                                                   \
    X(187, sector_misses, "sector_misses", "requests", SUM, CACHE, NOTHING, "0.1",                                    \
      "line resident, a needed sector not",                                                                           \
      "= again; <= reads + writes + atomics - read_hits - line_misses")                                               \
    X(188, line_misses, "line_misses", "requests", SUM, CACHE, NOTHING, "0.1", "line not resident",                   \
      "= again; <= reads + writes + atomics - read_hits - sector_misses")                                             \
    X(189, bypasses, "bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                                              \
      "requests that the predictor or the policy kept from allocating",                                               \
      "= again; >= token_bypasses")                                                                                   \
    X(190, bypassed_sectors, "bypassed_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                               \
      "sectors that bypassing reads fetched; an overturned bypass keeps its own",                                     \
      "= again; <= fetched_sectors + 8 overturned_bypasses")                                                          \
    X(191, token_bypasses, "token_bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                                  \
      "of bypasses, those for lack of a cache token",                                                                 \
      "= again; <= bypasses")                                                                                         \
    X(192, opportunistic_fills, "opportunistic_fills", "lines", SUM, CACHE, NOTHING, "0.1",                           \
      "of fills, those by requests without a cache token",                                                            \
      "= again; <= fills")                                                                                            \
    X(193, priority_evictions, "priority_evictions", "lines", SUM, CACHE, NOTHING, "0.1",                             \
      "of evictions, lines with the priority of token holders",                                                       \
      "= again; <= evictions")                                                                                        \
    X(194, no_victims, "no_victims", "requests", SUM, CACHE, NOTHING, "0.1",                                          \
      "allocations refused: every way pending",                                                                       \
      "if functional: = 0; = again")                                                                                  \
    X(195, fetched_sectors, "fetched_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                                 \
      "sectors read from below, bypasses included",                                                                   \
      "= again; >= bypassed_sectors - 8 overturned_bypasses")                                                         \
    X(196, fills, "fills", "lines", SUM, CACHE, NOTHING, "0.1", "lines that were given a way",                        \
      "if fresh: = evictions + invalidations + held")                                                                 \
    X(197, evictions, "evictions", "lines", SUM, CACHE, NOTHING, "0.1", "lines replaced",                             \
      "= again; if fresh: = fills - invalidations - held")                                                            \
    X(198, zero_reuse_evictions, "zero_reuse_evictions", "lines", SUM, CACHE, REUSE, "0.1",                           \
      "of these, never hit (needs track_reuse)",                                                                      \
      "= again; <= evictions")                                                                                        \
    X(199, write_backs, "write_backs", "lines", SUM, CACHE, NOTHING, "0.1",                                           \
      "lines whose dirty sectors left: replaced, dropped or flushed",                                                 \
      "= again; <= write_back_sectors")                                                                               \
    X(200, write_back_sectors, "write_back_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                           \
      "dirty sectors that left: replaced, dropped or flushed",                                                        \
      "= again; >= write_backs")                                                                                      \
    X(201, write_below_sectors, "write_below_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                         \
      "sectors written below by stores passing through",                                                              \
      "= again; <= write_sectors + atomic_sectors")                                                                   \
    X(202, invalidations, "invalidations", "lines", SUM, CACHE, NOTHING, "0.1",                                       \
      "lines dropped by invalidation or write-evict",                                                                 \
      "= again; if fresh: = fills - evictions - held")                                                                \
    X(203, intra_warp_hits, "intra_warp_hits", "requests", SUM, CACHE, WARPS, "0.1",                                  \
      "read hits by the warp that filled the line (track_warps)",                                                     \
      "= read_hits - inter_warp_hits")                                                                                \
    X(204, inter_warp_hits, "inter_warp_hits", "requests", SUM, CACHE, WARPS, "0.1",                                  \
      "read hits by another warp (track_warps)",                                                                      \
      "= read_hits - intra_warp_hits")                                                                                \
    X(205, predictions, "predictions", "requests", SUM, CACHE, NOTHING, "0.1",                                        \
      "requests that a predictor was asked about; always-*, hint do not count",                                       \
      "= again; <= reads + writes + atomics")                                                                         \
    X(206, overturned_bypasses, "overturned_bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                        \
      "of bypasses, made fills by the reply from below: mispredictions found out",                                    \
      "= again; <= predictions")                                                                                      \
    X(207, overturned_fills, "overturned_fills", "requests", SUM, CACHE, NOTHING, "0.1",                              \
      "fills that the reply from below made bypasses",                                                                \
      "= again; <= reads + writes + atomics")                                                                         \
    X(208, oracle_decisions, "oracle_decisions", "requests", SUM, CACHE, FUTURE, "0.1",                               \
      "read misses of a predictor that an oracle decided on too (track_future)",                                      \
      "= again; >= oracle_bypasses; >= oracle_agreements")                                                            \
    X(209, oracle_bypasses, "oracle_bypasses", "requests", SUM, CACHE, FUTURE, "0.1",                                 \
      "of these, the oracle would bypass",                                                                            \
      "= again; <= oracle_decisions")                                                                                 \
    X(210, oracle_agreements, "oracle_agreements", "requests", SUM, CACHE, FUTURE, "0.1",                             \
      "of these, the predictor decided as the oracle",                                                                \
      "= again; <= oracle_decisions")                                                                                 \
    X(211, oracle_agreed_bypasses, "oracle_agreed_bypasses", "requests", SUM, CACHE, FUTURE, "0.1",                   \
      "of these, both bypass",                                                                                        \
      "= again; <= oracle_bypasses")

/* clang-format on */

/* Ids of the counters of a cache, for reads. */
typedef enum gpc_cache_counter_id {
#define X(id, field, ...) GPC_ID_CACHE_##field = id,
    GPC_CACHE_COUNTERS(X)
#undef X
} gpc_cache_counter_id;

GPC_END_DECLS

#endif
