/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_CACHE_H
#define GPUCACHE_CACHE_H

#include <gpucache/predictor.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * A cache: tags, state and policies, without a clock. An object serves every level. The cache holds no data, only the
 * valid and dirty bytes of every line.
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
    GPC_ALLOCATE_STREAMING = 2,  /* as on fill; an in-flight miss reserves no line */
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
    GPC_ADMITTED = 1, /* set gpc_request.admitted in the fill's request */
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
    uint32_t reserved;
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
#define GPC_BATCH_WRITE_BACK 0x04u /* a line with dirty bytes left */
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
    const uint64_t *next_uses; /* as gpc_request.next_use [0] */
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

/*
 * Compute for every access of a stream the index of the next access to the same line, or UINT64_MAX. The policy `opt`
 * needs the index in gpc_request.next_use.
 *   addresses, next_uses  `count` elements
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_next_uses(gpc_context *context, const uint64_t *addresses, size_t count, uint32_t line_bytes,
                                 uint64_t *next_uses, gpc_error *error);

/*
 * Look a request up without effect on recency, policies or statistics. `result` gets outcome (HIT, PENDING_HIT,
 * SECTOR_MISS or MISS), needed_sectors, hit_sectors, set and way. Predictors are not asked.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_probe(const gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                   gpc_error *error);

/*
 * Look a request up as gpc_cache_probe, and find the effect of a miss: the way that the miss would take, and the line
 * that would leave. `result` is as in gpc_cache_probe. For a MISS `way` is set too, and `eviction` if evicted = 1.
 * Further outcomes:
 *   GPC_NO_VICTIM  every way of the set is pending
 *   GPC_BYPASSED   no allocation: a store without write allocation, an atomic that is not performed in this cache, a
 *                  replacement policy that declines, a missing token. Predictors are not asked
 * The result is bit for bit the next result of gpc_cache_access, or of gpc_cache_lookup and gpc_cache_reserve, if the
 * predictor lets the request allocate. The equality holds also for policies that draw by chance, learn or vote: the
 * function really asks the policy, then restores the policy's whole state, including state shared with other caches.
 * Therefore a probe of a large cache under a policy other than lru copies as much as a snapshot. No callback is called.
 * Returns as gpc_cache_probe; GPC_ERROR_UNSUPPORTED (the replacement policy's table has no `state`, so its state cannot
 * be restored); GPC_ERROR_CALLBACK (the policy chose an impossible victim); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_probe_victim(gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                          gpc_error *error);

/*
 * First step: compare tags, notify the policies, serve a hit, ask the predictor on a miss. Nothing is replaced. Check
 * for room (a full queue) before the call: a lookup cannot be undone. A pending hit needs no further step: its data
 * come with the fill in flight. If lines are allocated on fill, a replacement policy that may decline is asked too. If
 * the host looks up a further sector of the same instruction's line, set gpc_request.continues: the lookup is then no
 * reuse. Returns as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_lookup(gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                    gpc_error *error);

/*
 * Second step, after a lookup with outcome MISS or SECTOR_MISS: give the line a way, evict if needed, and mark
 * `sectors` pending, the fetch_sectors of the lookup. A resident line only gets more pending sectors. Bytes that a
 * store writes without a fetch (whole sectors, or with lazy fetch any bytes) are in the line from now on. If `sectors`
 * is 0, no fill needs to follow.
 * Outcome GPC_NO_VICTIM: nothing changed; try again when a fill has freed a way. GPC_BYPASSED: the policy declined, and
 * fetch_sectors and write_sectors are the requests to the level below instead; or the request never allocates (a store
 * without write allocation), and the lookup's result is complete. Returns as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_reserve(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                     gpc_access_result *result, gpc_error *error);

/*
 * Last step: `sectors` of the request's line have arrived. Pending sectors become valid. A line without a way gets a
 * way first (on fill, streaming, or dropped since gpc_cache_reserve). If a store waited for the fetch, its bytes become
 * dirty now. Outcomes GPC_NO_VICTIM and GPC_BYPASSED as in gpc_cache_reserve. Returns as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_fill(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                  gpc_access_result *result, gpc_error *error);

/*
 * Give the predictor the policy word of a reply from below. Returns the decision that holds, which may overturn
 * `predicted`. Since: 0.1.
 */
GPC_API gpc_decision gpc_cache_reply(gpc_cache *cache, const gpc_request *request, gpc_decision predicted,
                                     uint32_t word);

/* Word that the predictor of this level sends up with its reply to `request`. Since: 0.1. */
GPC_API uint32_t gpc_cache_respond(gpc_cache *cache, const gpc_request *request);

/*
 * Drop lines. Dirty bytes are lost unless on_evict takes them. Pending sectors of a dropped line are forgotten; their
 * fill then allocates again.
 *   range: every line touched by [address, address + bytes), in no particular order
 * Returns GPC_OK, even if no line was resident; GPC_ERROR_ARGUMENT (NULL, or a range beyond the last address). Since:
 * 0.1.
 */
GPC_API gpc_status gpc_cache_invalidate_line(gpc_cache *cache, uint64_t address, gpc_error *error);
GPC_API gpc_status gpc_cache_invalidate_range(gpc_cache *cache, uint64_t address, uint64_t bytes, gpc_error *error);
GPC_API gpc_status gpc_cache_invalidate_all(gpc_cache *cache, gpc_error *error);

/*
 * Write all dirty bytes back through on_evict (forced = 1), in order of set and way. Lines stay, clean. With lazy
 * fetch, bytes of the dirty sectors that are not valid yet are forgotten.
 *   out_sectors  receives the number of dirty sectors written; may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (`cache` is NULL). Since: 0.1.
 */
GPC_API gpc_status gpc_cache_flush(gpc_cache *cache, uint64_t *out_sectors, gpc_error *error);

/*
 * Give a cache another shape: `sets` and `ways` as in gpc_cache_options. The cache is then empty, as after
 * gpc_cache_invalidate_all: on_evict is called for every line (forced = 1), dirty or clean. Policies and tokens start
 * again, with the policy names of the last gpc_cache_set_replacement and _set_predictor. Counters continue. A call with
 * the present shape empties the cache too.
 * Returns GPC_OK; GPC_ERROR_RANGE naming the field; GPC_ERROR_STATE (the cache belongs to a hierarchy, whose launches
 * resize the L1s; or other caches share state with the cache); GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY; or the status of a
 * policy's init. On failure nothing has changed. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_resize(gpc_cache *cache, uint64_t sets, uint32_t ways, gpc_error *error);

/* A resident line. */
typedef struct gpc_line {
    uint64_t line_address;
    uint32_t set, way;
    uint32_t reuse_count; /* 0 unless track_reuse */
    uint32_t warp;        /* warp that filled the line; 0 unless track_warps */
    uint8_t valid_sectors, dirty_sectors, pending_sectors;
    uint8_t priority;    /* gpc_priority */
    uint8_t prioritised; /* 1 = a request without a token may not evict the line (GPC_TOKENS_OPPORTUNISTIC) */
    uint8_t reserved[3];
    uint64_t written_bytes[2]; /* with lazy fetch: bytes written since the fill or the last flush; else 0 */
} gpc_line;

/*
 * Iterate over resident lines in order of set and way; start with *cursor = 0. Returns GPC_OK with a line;
 * GPC_END; GPC_ERROR_ARGUMENT (a NULL).
 * The cache must not change during the iteration. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_next_line(const gpc_cache *cache, uint64_t *cursor, gpc_line *line, gpc_error *error);

/*
 * Pass a warp event to the policies, and to the owners of lines' priority. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL,
 * kind). Since: 0.1.
 */
GPC_API gpc_status gpc_cache_warp_event(gpc_cache *cache, const gpc_warp_event *event, gpc_error *error);

/*
 * Pass the sample of a period to the policies that decide by samples (vote, dynamic-age-lru, dynamic-rpr). The host's
 * calls set the length of the period. For the caches of a hierarchy call gpc_hierarchy_sample.
 *   sample  figures of the cache's SM. The host fills in cycle, cycles, active_cycles and instructions. The library
 *           fills in reads and read_hits: those of the cache since the last sample
 * If caches vote together (`instances`, share_with), sample every cache once a period, in order of `instance`.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL). Since: 0.2.
 */
GPC_API gpc_status gpc_cache_sample(gpc_cache *cache, const gpc_sample *sample, gpc_error *error);

/*
 * Question for a missed request that waits in the host's queues: go below without this cache
 * (gpc_predictor_ops.on_stall, `mrpb`)? Ask once for each reason of the wait.
 *   reason  gpc_busy: GPC_BUSY_LINE, GPC_BUSY_MSHR or GPC_BUSY_MISS_QUEUE
 * Returns GPC_BYPASS (go below) or GPC_CACHE (wait). GPC_CACHE also for NULL, for another reason, and for predictors
 * without on_stall. Since: 0.2.
 */
GPC_API gpc_decision gpc_cache_stall(gpc_cache *cache, const gpc_request *request, uint32_t reason);

/*
 * Replace the policy of a live cache. Resident lines stay. The new policy gets every line as a fill, in order of set
 * and way. On failure the old policy stays. Returns as gpc_cache_create. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_set_replacement(gpc_cache *cache, const char *spec, gpc_error *error);
GPC_API gpc_status gpc_cache_set_predictor(gpc_cache *cache, const char *spec, gpc_error *error);

/*
 * Counters published by the cache's policies ("replacement.dip.selector", "bypass.agcb.replies").
 *   index  from 0; counters of the replacement policy first, then of the predictor
 *   value  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE past the last; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_policy_value(const gpc_cache *cache, size_t index, gpc_policy_value *value,
                                          gpc_error *error);

/*
 * Inputs that the cache's policies need and have not been given yet, as bits: GPC_READS_SAMPLES (gpc_cache_sample,
 * gpc_hierarchy_sample), GPC_READS_WARP_EVENTS (gpc_cache_warp_event) and GPC_READS_POLICY_WORD (gpc_cache_reply). 0:
 * no input is missing. Without samples a vote stays with its first candidate. Without replies agcb never detects a
 * wrong bypass. A gpc_cache outside a hierarchy gets samples and replies only from its host. If the host has not stated
 * them in gpc_cache_options.tells, creating such a policy writes a warning to the context's log. Since: 0.2.
 */
GPC_API uint64_t gpc_cache_lacks(const gpc_cache *cache);

/*
 * Hardware storage of the lines' priority, in bits. 0 unless tokens are opportunistic. Otherwise a bit per line; with
 * GPC_CLEAR_OWNERS a bit per line and warp; with GPC_CLEAR_LAST_OWNER a bit and a warp number per line; with
 * GPC_CLEAR_PERIODIC a bit per line and the period counter. Since: 0.1.
 */
GPC_API uint64_t gpc_cache_token_bits(const gpc_cache *cache);

/* Read counters since creation or the last reset, as gpc_hierarchy_read: the table GPC_TABLE_CACHE. Since: 0.3. */
GPC_API gpc_status gpc_cache_read(const gpc_cache *cache, const uint32_t *ids, size_t count, uint64_t *values,
                                  gpc_error *error);
GPC_API void gpc_cache_reset_stats(gpc_cache *cache);

GPC_END_DECLS

#endif
