/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_CACHE_H
#define GPUCACHE_CACHE_H

#include <gpucache/predictor.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * A cache: tags, state and policies, without a clock. One object serves every
 * level. It holds no data, only which bytes are valid and dirty.
 *
 * Three timeless steps make every access:
 *   lookup   compare tags; on a hit the access is done, on a miss the predictor
 *            is asked and the result says what to fetch
 *   reserve  choose a victim, evict it, mark the missing sectors pending
 *   fill     the data are here: pending sectors become valid (allocating first,
 *            if the line has no way yet)
 * gpc_cache_access runs all of them at once, as if memory below were instant.
 * A host with a clock calls gpc_cache_lookup and gpc_cache_reserve when the
 * request passes the tags and gpc_cache_fill when the reply arrives. Where each
 * miss is filled at once, both ways lead to the same results, state and counters.
 *
 * Who allocates: reads, unless the predictor or the policy keeps them from it;
 * stores as the write policy and write allocation of their space say, likewise;
 * atomics performed here always, unless the policy declines. What may not
 * allocate passes: a read fetches just the sectors it needs, a write goes below.
 */

/* Where a line is looked for. */
typedef enum gpc_index {
    GPC_INDEX_MODULO = 0, /* line number modulo sets */
    GPC_INDEX_XOR = 1,    /* modulo of the line number with its upper bits folded onto the index by XOR */
    GPC_INDEX_FERMI = 2,  /* Fermi's L1 hash (Nugteren et al., HPCA 2014); 32 or 64 sets */
    GPC_INDEX_IPOLY = 3,  /* irreducible-polynomial interleaving (Rau, ISCA 1991) */
    GPC_INDEX_USER = 4,   /* gpc_cache_options.index_fn */
    GPC_INDEX_HOPPER = 5, /* L1 of an H100, as measured (tests/hardware/micro); made for 512 sets. Since: 0.2 */
    GPC_INDEX_COUNT
} gpc_index;

typedef enum gpc_write_policy {
    GPC_WRITE_BACK = 0,
    GPC_WRITE_THROUGH = 1,
    GPC_WRITE_EVICT = 2 /* write through; a hit drops the line, a miss does not allocate (Fermi's global stores) */
} gpc_write_policy;

typedef enum gpc_write_allocate {
    GPC_WRITE_NO_ALLOCATE = 0,
    GPC_WRITE_FETCH = 1,      /* a partial sector is fetched before it is written; a whole one is not */
    GPC_WRITE_LAZY_FETCH = 2, /* written bytes are kept under a byte mask; a later read fetches the rest */
    GPC_WRITE_NAIVE_FETCH = 3 /* what misses is written below, and its sectors are fetched, whole ones too: GPGPU-Sim
                                 3.2 gpu-cache.cc, wr_miss_wa. Since 0.2 */
} gpc_write_allocate;

typedef enum gpc_allocate {
    GPC_ALLOCATE_ON_MISS = 0,    /* the way is reserved while the data are fetched */
    GPC_ALLOCATE_ON_FILL = 1,    /* the way is taken when the data arrive */
    GPC_ALLOCATE_STREAMING = 2,  /* as on fill, with no line reserved for a miss in flight */
    GPC_ALLOCATE_REPLACEABLE = 3 /* on a miss; what is fetched may be replaced before it has come. Since: 0.2 */
} gpc_allocate;

/* What a read fetches that may not allocate (seeds/004 section 4.5, bypassing traffic optimisation). */
typedef enum gpc_bypass_fetch {
    GPC_BYPASS_FETCH_NEEDED = 0, /* the sectors that it needs */
    GPC_BYPASS_FETCH_ALL = 1     /* what it would fetch if it allocated */
} gpc_bypass_fetch;

/* What a replacement policy said of a miss before its data were sent for (gpc_replacement_ops.declines). */
typedef enum gpc_admission {
    GPC_NOT_ASKED = 0,
    GPC_ADMITTED = 1, /* the fill's request says so: gpc_request.admitted */
    GPC_DECLINED = 2  /* the outcome is GPC_BYPASSED, and no predictor may overturn it; for lack of a token, too */
} gpc_admission;

/*
 * What a cache does with a request whose warp holds no token (GPC_TOKEN_NONE, seeds/004 sections 4.3 and 4.6). It may
 * always hit, in a line's missing sectors too, and tell the replacement policy that it did. Where tokens are
 * opportunistic, lines without priority go first, whoever needs their way.
 */
typedef enum gpc_tokens {
    GPC_TOKENS_IGNORE = 0,       /* as with any other; predictors and policies still see what it says */
    GPC_TOKENS_STRICT = 1,       /* its misses bypass, as if the predictor had said so */
    GPC_TOKENS_OPPORTUNISTIC = 2 /* it may take a free way, or that of a line without priority; else it bypasses */
} gpc_tokens;

/*
 * When a line loses the priority that any other request gives it that fills or hits it (seeds/004 section 4.6). A
 * kernel that begins or ends ends all owners too.
 */
typedef enum gpc_token_clear {
    GPC_CLEAR_KERNEL = 0,     /* when the kernel ends */
    GPC_CLEAR_OWNERS = 1,     /* when all warps have ended that filled or hit it, with a token */
    GPC_CLEAR_LAST_OWNER = 2, /* when the last of these to do so has ended */
    GPC_CLEAR_PERIODIC = 3    /* with the first access of each token_period */
} gpc_token_clear;

/* What became of an access. */
typedef enum gpc_outcome {
    GPC_HIT = 0,
    GPC_PENDING_HIT = 1, /* resident, but a needed sector is still on its way */
    GPC_SECTOR_MISS = 2, /* resident, a needed sector is not valid */
    GPC_MISS = 3,        /* not resident */
    GPC_BYPASSED = 4,    /* not resident, and not to be allocated */
    GPC_NO_VICTIM = 5    /* not resident, and every way is pending: line reservation failure */
} gpc_outcome;

/*
 * Result of one step or access; every field is written.
 * `fetch_sectors` and the two write fields are what the level below must be
 * asked; in gpc_cache_access the fetch has already been filled. An atomic that
 * passes (atomics_here = 0) goes below itself: it looks at no sector and asks for none.
 */
typedef struct gpc_access_result {
    uint8_t outcome;        /* gpc_outcome */
    uint8_t needed_sectors; /* sectors that the request touches */
    uint8_t hit_sectors;    /* of these, valid or pending before the access */
    uint8_t fetch_sectors;  /* to read from below, fetch granularity included */
    uint8_t write_sectors;  /* to write below: write through, evict, no-allocate, bypassed */
    uint8_t evicted;        /* 1 = `eviction` is filled in: a line, clean or dirty, was replaced or dropped */
    uint8_t admission;      /* gpc_admission */
    uint8_t reserved;
    uint32_t set;
    uint32_t way;            /* UINT32_MAX where the line has none (any more) */
    uint32_t policy_word;    /* with a fetch or a write: the predictor's word for the level below; else 0 */
    uint64_t write_bytes[2]; /* bytes to write below, all in write_sectors; lines of at most 128 bytes */
    gpc_eviction eviction;
} gpc_access_result;

/*
 * Called after a line got sectors (`sectors`: bit per sector): they arrived, or a
 * store wrote them whole. `request` is the one that caused it. May not call into
 * the same cache.
 */
typedef void (*gpc_fill_fn)(void *user_data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                            const gpc_request *request);

/*
 * Called after a line left, clean or dirty, before the new one is filled.
 * `request` is the one that caused it, NULL for invalidate and flush. May not
 * call into the same cache.
 */
typedef void (*gpc_evict_fn)(void *user_data, const gpc_eviction *eviction, const gpc_request *request);

/* Returns the set of a line number (address / line size), taken modulo `sets`. Must be a pure function. */
typedef uint32_t (*gpc_index_fn)(void *user_data, uint64_t line_number, uint32_t sets);

typedef struct gpc_cache_options {
    size_t struct_size;
    uint64_t sets;       /* 1 or more; no power of two needed */
    uint32_t ways;       /* 1 to GPC_MAX_WAYS */
    uint32_t line_bytes; /* power of two, 8 to 4096 */
    uint32_t sectors;    /* per line: 0 or 1 = not sectored, 2, 4 or 8 */
    uint32_t
        fetch_sectors; /* sectors that a miss of part of a line fetches, an aligned group; 0 or 1 = just the missing */
    uint32_t index;    /* gpc_index */
    uint32_t write_policy; /* gpc_write_policy, global space */
    uint32_t write_policy_local;
    uint32_t write_allocate; /* gpc_write_allocate, global space */
    uint32_t write_allocate_local;
    uint32_t allocate;     /* gpc_allocate */
    uint32_t atomics_here; /* 1 = atomics and reductions are performed here (L2); 0 = they pass, and drop their line */
    uint32_t track_reuse;  /* 1 = count hits per line, for evictions and reuse statistics */
    uint32_t track_warps;  /* 1 = tell intra-warp from inter-warp hits */
    uint32_t instance;     /* which of the caches of its level, for policies that differ by SM */
    uint32_t instances;    /* caches of its level; 0 = 1 */
    const char *replacement; /* `name` or `name(parameter=value, ...)`; NULL = "lru" */
    const char *predictor;   /* likewise; NULL = "always-cache" */
    gpc_index_fn index_fn;   /* with GPC_INDEX_USER */
    void *index_data;
    gpc_fill_fn on_fill;   /* NULL = not called */
    gpc_evict_fn on_evict; /* NULL = not called */
    void *callback_data;   /* for both */
    uint64_t seed;         /* mixed with the context's: caches of different levels want different ones */
    uint32_t bypass_fetch; /* gpc_bypass_fetch */
    uint32_t track_future; /* 1 = requests have their next_use: compare the predictor with an oracle */
    uint32_t tokens;       /* gpc_tokens */
    uint32_t token_clear;  /* gpc_token_clear, where tokens are opportunistic */
    uint64_t token_period; /* of GPC_CLEAR_PERIODIC: cycles, or accesses where requests have no cycle; 0 = 5000 */
    uint32_t token_warps;  /* warp slots that owners are told apart by, others modulo this; 0 = 64, at most 1024 */
    uint32_t reserved;
    /*
     * GPC_READS_ bits of what the host will tell, such as GPC_READS_OF_REQUESTS | GPC_READS_SAMPLES: policies that read
     * more are refused. 0 = not said: none is, and gpc_cache_lacks tells what has not come. Since: 0.2
     */
    uint64_t tells;
    /*
     * Another of the `instances` of a level that no hierarchy has, of the same context and shape: policies of the same
     * name and arguments share what they share (gpc_policy_env.shared_state), as those of a hierarchy's level do.
     * NULL: it is the first of them. Since: 0.2
     */
    gpc_cache *share_with;
    /*
     * Most ways of a set that lines of GPC_EVICT_LAST have. A request for one more takes the way of another of them;
     * where it takes a free way, or hits a line of another priority, that is not LAST. While they have fewer, others
     * use the rest. 0 = all; GPC_NO_LAST_WAYS = none, LAST is as NORMAL. Since: 0.2
     */
    uint32_t last_ways;
    /*
     * Lines that have room at the same time, fewer than sets x ways: tags for more than there are data. A miss that
     * finds a free way when all are taken replaces a line of any set: a clock goes through them, and takes the next
     * that has not been used again since it last came by; the replacement policy decides within full sets alone. So an
     * H100's L1 does (tests/hardware/micro/README.md). 0 = sets x ways. Since: 0.2
     */
    uint32_t lines;
} gpc_cache_options;

#define GPC_NO_LAST_WAYS UINT32_MAX

/* 16 KiB, 4-way, 128-byte lines, LRU, write-back with fetch on write: every other field 0 or NULL. */
#define GPC_CACHE_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpc_cache_options), 32, 4, 128, 0, 0, GPC_INDEX_MODULO, GPC_WRITE_BACK, GPC_WRITE_BACK,                 \
            GPC_WRITE_FETCH, GPC_WRITE_FETCH, GPC_ALLOCATE_ON_MISS, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, 0, GPC_BYPASS_FETCH_NEEDED, 0, GPC_TOKENS_IGNORE, GPC_CLEAR_KERNEL, 0, 0, 0, 0, NULL, 0, 0           \
    }

/* Make `options` what GPC_CACHE_OPTIONS_INIT makes it. Any thread. Since: 0.1. */
GPC_API void gpc_cache_options_init(gpc_cache_options *options);

/*
 * Create a cache, empty.
 *   options  NULL for the defaults
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE (a field,
 * named in `error`); GPC_ERROR_NOT_FOUND (a policy); GPC_ERROR_UNSUPPORTED (a policy
 * reads more than `tells`); GPC_ERROR_MEMORY; what a policy's init returned. Strings
 * are copied. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_create(gpc_context *context, const gpc_cache_options *options, gpc_error *error,
                                    gpc_cache **out);

/* Destroy without write-backs or callbacks. NULL is allowed. Since: 0.1. */
GPC_API void gpc_cache_destroy(gpc_cache *cache);

/*
 * One whole access, memory below being instant.
 *   result  may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, kind, space, hint, priority or token out
 * of range, sectors or bytes beyond the line, a byte mask for a line beyond 128
 * bytes); GPC_ERROR_CALLBACK (a policy chose an impossible victim: no line moved,
 * but the lookup has been counted). Since: 0.1.
 */
GPC_API gpc_status gpc_cache_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result);

/* Flags of one access in a batch. */
#define GPC_BATCH_HIT 0x01u        /* every needed sector was valid */
#define GPC_BATCH_EVICTED 0x02u    /* a line left */
#define GPC_BATCH_WRITE_BACK 0x04u /* with dirty bytes */
#define GPC_BATCH_BYPASSED 0x08u
#define GPC_BATCH_SECTOR_MISS 0x10u
#define GPC_BATCH_WRITE_BELOW 0x20u /* the level below gets a write */

/* A batch of accesses as parallel arrays of `count` elements; NULL arrays take the value in brackets. */
typedef struct gpc_batch {
    size_t struct_size;
    size_t count;
    const uint64_t *addresses; /* bytes; required */
    const uint8_t *kinds;      /* gpc_kind [GPC_LOAD] */
    const uint64_t *pcs;       /* [0] */
    const uint32_t *warps;     /* [0] */
    const uint64_t *next_uses; /* as gpc_request.next_use [0] */
    uint32_t size;             /* bytes of every access; 0 = the whole line */
    uint32_t sm;               /* of every access */
    uint8_t *results;          /* out: GPC_BATCH_ flags [not wanted] */
    uint64_t *evicted;         /* out: line address that left, UINT64_MAX if none [not wanted] */
} gpc_batch;

#define GPC_BATCH_INIT \
    { sizeof(gpc_batch), 0, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL }

/*
 * The accesses of a batch in order, exactly as gpc_cache_access would make
 * them, many times faster. Stops at the first that fails.
 *   out_done  receives the number completed; may be NULL
 * Returns as gpc_cache_access, and GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_access_many(gpc_cache *cache, const gpc_batch *batch, size_t *out_done);

/*
 * For each access of a stream, the index of the next one to the same line, or
 * UINT64_MAX: the future that the `opt` policy needs in gpc_request.next_use.
 *   addresses, next_uses  `count` elements
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_next_uses(gpc_context *context, const uint64_t *addresses, size_t count, uint32_t line_bytes,
                                 uint64_t *next_uses);

/*
 * Look without touching: what an access would find, with no effect on recency,
 * policies or statistics. `result` gets outcome (HIT, PENDING_HIT, SECTOR_MISS
 * or MISS), needed_sectors, hit_sectors, set and way. Predictors are not asked.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_probe(const gpc_cache *cache, const gpc_request *request, gpc_access_result *result);

/*
 * The same, and what a miss would do: which way it would take, and whose line would leave. `result` as of
 * gpc_cache_probe; of a MISS besides `way`, and with evicted = 1 `eviction`; and further outcomes:
 *   GPC_NO_VICTIM  every way of the set is pending
 *   GPC_BYPASSED   it would not be allocated: a store without write allocation, an atomic that is not performed here, a
 *                  replacement policy that declines, a token that lacks. Predictors are not asked
 * It is what gpc_cache_access of this request, or gpc_cache_lookup and gpc_cache_reserve, would do next, if the
 * predictor lets it allocate: to the bit, of policies that draw by chance, learn or vote, too. For that the policy is
 * asked in earnest, and what it keeps is put back as it was, all of it, what it shares with other caches included: so a
 * probe of a large cache under another policy than lru copies as much as a snapshot would. No callback is called.
 * Returns as gpc_cache_probe; GPC_ERROR_UNSUPPORTED (the replacement policy's table has no `state`, so what choosing
 * changes could not be put back); GPC_ERROR_CALLBACK (it chose an impossible victim); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_probe_victim(gpc_cache *cache, const gpc_request *request, gpc_access_result *result);

/*
 * First step: compare tags, tell the policies, serve a hit, ask the predictor on
 * a miss. Nothing is replaced. A host that cannot go on (its queue is full) must
 * find that out before. A pending hit needs no further step: its data come with
 * the fill under way. Where lines are allocated on fill, a replacement policy that
 * may decline is asked too. A further sector of the same instruction's line, looked up by itself, is no reuse of it
 * where the request says so (gpc_request.continues). Returns as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_lookup(gpc_cache *cache, const gpc_request *request, gpc_access_result *result);

/*
 * Second step, after a lookup whose outcome was MISS or SECTOR_MISS: give the
 * line a way, evicting if needed, and mark `sectors`, those that the lookup said
 * to fetch, pending. A line that is resident only gets more sectors pending. What
 * a store writes without a fetch (whole sectors, or with lazy fetch any bytes) is
 * in the line now; where `sectors` is 0 no fill need follow.
 * Outcome GPC_NO_VICTIM: nothing changed, try again when a fill has freed a way.
 * GPC_BYPASSED: the policy declined, and fetch_sectors and write_sectors say what
 * the request asks of the level below instead; or the request never allocates (a
 * store without write allocation), and its lookup said everything. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_reserve(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                     gpc_access_result *result);

/*
 * Last step: `sectors` of the request's line arrived. Pending sectors become
 * valid; a line without a way gets one first (on fill, streaming, or dropped since
 * it was reserved). A store that waited for its fetch marks its bytes dirty now.
 * Outcomes GPC_NO_VICTIM and GPC_BYPASSED as in gpc_cache_reserve. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_fill(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                  gpc_access_result *result);

/*
 * A reply came from below with a policy word: what the predictor makes of its
 * own decision. Returns the decision that holds. Since: 0.1.
 */
GPC_API gpc_decision gpc_cache_reply(gpc_cache *cache, const gpc_request *request, gpc_decision predicted,
                                     uint32_t word);

/* The word that this level's predictor sends up with its reply to `request`. Since: 0.1. */
GPC_API uint32_t gpc_cache_respond(gpc_cache *cache, const gpc_request *request);

/*
 * Drop lines. Dirty bytes are lost to the caller unless on_evict takes them.
 * Pending sectors of a dropped line are forgotten; their fill then allocates anew.
 *   range: every line that [address, address + bytes) touches, in no particular order
 * Returns GPC_OK, also where nothing was resident; GPC_ERROR_ARGUMENT (NULL, or a
 * range beyond the last address). Since: 0.1.
 */
GPC_API gpc_status gpc_cache_invalidate_line(gpc_cache *cache, uint64_t address);
GPC_API gpc_status gpc_cache_invalidate_range(gpc_cache *cache, uint64_t address, uint64_t bytes);
GPC_API gpc_status gpc_cache_invalidate_all(gpc_cache *cache);

/*
 * Write all dirty bytes back through on_evict (forced = 1), in order of set and
 * way; lines stay, clean. With lazy fetch, bytes of their sectors that are not
 * valid yet are forgotten.
 *   out_sectors  receives the dirty sectors written; may be NULL
 * Since: 0.1.
 */
GPC_API gpc_status gpc_cache_flush(gpc_cache *cache, uint64_t *out_sectors);

/*
 * Give a cache another shape: `sets` and `ways` as of gpc_cache_options. It is empty then, as after
 * gpc_cache_invalidate_all, which tells on_evict of every line (forced = 1), dirty ones among them; its policies and
 * tokens begin anew, as they were named, last by gpc_cache_set_replacement and _set_predictor; counters go on. The same
 * shape empties it, too.
 * Returns GPC_OK; GPC_ERROR_RANGE naming the field; GPC_ERROR_STATE (a hierarchy's: launches resize its L1s; or others
 * share with it); GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY; what a policy's init returned. On failure nothing has changed.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_cache_resize(gpc_cache *cache, uint64_t sets, uint32_t ways, gpc_error *error);

/* A resident line. */
typedef struct gpc_line {
    uint64_t line_address;
    uint32_t set, way;
    uint32_t reuse_count; /* 0 unless track_reuse */
    uint32_t warp;        /* that filled it; 0 unless track_warps */
    uint8_t valid_sectors, dirty_sectors, pending_sectors;
    uint8_t priority;    /* gpc_priority */
    uint8_t prioritised; /* 1 = a request without a token may not evict it (GPC_TOKENS_OPPORTUNISTIC) */
    uint8_t reserved[3];
    uint64_t written_bytes[2]; /* with lazy fetch: bytes written since the fill or the last flush; else 0 */
} gpc_line;

/*
 * Iterate over resident lines in order of set and way: start with *cursor = 0.
 * Returns GPC_OK with a line, or GPC_END. The cache must not change between. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_next_line(const gpc_cache *cache, uint64_t *cursor, gpc_line *line);

/* Pass a warp event to the policies, and to the owners of lines' priority. Since: 0.1. */
GPC_API gpc_status gpc_cache_warp_event(gpc_cache *cache, const gpc_warp_event *event);

/*
 * A period ended: policies that decide by samples (vote, dynamic-age-lru, dynamic-rpr) decide. A host calls this as
 * often as they are to; gpc_hierarchy_sample does so for the caches of a hierarchy.
 *   sample  of the SM that the cache is of; the host fills in cycle, cycles, active_cycles and instructions, the
 *           library reads and read_hits: the cache's own since the last sample
 * Caches that vote together (`instances` of them, share_with) are each sampled once a period, in order of `instance`.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL). Since: 0.2.
 */
GPC_API gpc_status gpc_cache_sample(gpc_cache *cache, const gpc_sample *sample);

/*
 * The host's queues hold a request up that missed: shall it go below without this cache (gpc_predictor_ops.on_stall,
 * `mrpb`)? Ask once for each reason that holds it up.
 *   reason  gpc_busy: GPC_BUSY_LINE, GPC_BUSY_MSHR or GPC_BUSY_MISS_QUEUE
 * GPC_CACHE, wait, also for NULL, another reason, and predictors that have no say in it. Since: 0.2.
 */
GPC_API gpc_decision gpc_cache_stall(gpc_cache *cache, const gpc_request *request, uint32_t reason);

/*
 * Replace the policy of a live cache. Resident lines stay; the new policy sees
 * each as filled, in order of set and way. On failure the old one stays.
 * Returns as gpc_cache_create. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_set_replacement(gpc_cache *cache, const char *spec, gpc_error *error);
GPC_API gpc_status gpc_cache_set_predictor(gpc_cache *cache, const char *spec, gpc_error *error);

/*
 * Counters that the cache's policies publish of themselves ("replacement.dip.selector", "bypass.agcb.replies").
 *   index  from 0; the replacement policy's, then the predictor's
 *   value  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE past the last; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_policy_value(const gpc_cache *cache, size_t index, gpc_policy_value *value);

/*
 * What its policies live on and have not been given yet: GPC_READS_ bits of GPC_READS_SAMPLES (gpc_cache_sample,
 * gpc_hierarchy_sample), GPC_READS_WARP_EVENTS (gpc_cache_warp_event) and GPC_READS_POLICY_WORD (gpc_cache_reply). A
 * vote without samples stays with its first candidate; agcb without replies never finds out a wrong bypass. A cache by
 * itself gets samples and replies from its host alone: where that has not said by gpc_cache_options.tells that it gives
 * them, such a policy of a new or living cache is a warning of the context's log. 0: nothing. Since: 0.2.
 */
GPC_API uint64_t gpc_cache_lacks(const gpc_cache *cache);

/*
 * Storage that the priority of lines would take in hardware, in bits: 0 unless tokens are opportunistic; then a bit per
 * line, for owners one per line and warp, for the last owner a bit and its number, for periods a bit and the counter.
 * Since: 0.1.
 */
GPC_API uint64_t gpc_cache_token_bits(const gpc_cache *cache);

/*
 * Counters since creation or the last reset.
 *   layout, stats  the host's struct, which keeps its struct_size
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_get_stats_as(const gpc_cache *cache, const gpc_layout *layout, void *stats);
GPC_API void gpc_cache_reset_stats(gpc_cache *cache);

/* The same for gpc_cache_stats. Since: 0.1. */
static inline gpc_status gpc_cache_get_stats(const gpc_cache *cache, gpc_cache_stats *stats) {
    return gpc_cache_get_stats_as(cache, gpc_cache_stats_layout(), stats);
}

GPC_END_DECLS

#endif
