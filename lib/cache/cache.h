/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_CACHE_H
#define GPC_CACHE_CACHE_H

#include "cache/index/index.h"
#include "cache/tag_store.h"
#include "policies/replacement/lru.h"
#include "registry/registry.h"
#include "stats/stats.h"

/* Kinds of requests, and checks of requests. */

GPCI_INLINE bool gpci_is_read(const gpc_request *request) {
    return request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
}

GPCI_INLINE bool gpci_is_write(const gpc_request *request) {
    return request->kind == GPC_STORE;
}

GPCI_INLINE bool gpci_is_atomic(const gpc_request *request) {
    return request->kind == GPC_ATOMIC || request->kind == GPC_REDUCTION;
}

/*
 * Classes of the fields of a gpc_request. If a request is made from another request, the class of a field tells whether
 * the new request copies the field. A field without a class does not compile.
 *   ACCESS  copied from the field of the same name of the gpc_warp_access: equal in all requests of the access
 *   ASKER   equal in all requests of a warp access, but computed when the first request is made
 *   LINE    about the bytes of a line: copied by a request for the same line, but not for another line
 *   LEVEL   decided anew at each level
 */
#define GPCI_REQUEST_ACCESS(X) \
    X(pc), X(sm), X(warp), X(warp_age), X(block), X(space), X(hint), X(scope), X(order), X(stream), X(copy), X(process)
#define GPCI_REQUEST_ASKER(X) X(cycle), X(kernel), X(transactions), X(priority)
#define GPCI_REQUEST_LINE(X) X(address), X(byte_mask), X(size), X(bytes_used), X(sector_mask), X(continues)
#define GPCI_REQUEST_LEVEL(X) X(kind)
/* Classes of the fields of gpc_request.policy: ACCESS; and the others, `next_use` LINE, the rest LEVEL. */
#define GPCI_REQUEST_POLICY_ACCESS(X) X(token), X(token_l2)
#define GPCI_REQUEST_POLICY_OTHERS(X) X(next_use), X(policy_word), X(admitted)

#define GPCI_FIELD_BYTES(field) field[sizeof(((gpc_request *)0)->field)]
#define GPCI_POLICY_BYTES(field) field[sizeof(((gpc_request *)0)->policy.field)]
_Static_assert(sizeof(struct {
                   uint8_t GPCI_REQUEST_ACCESS(GPCI_FIELD_BYTES), GPCI_REQUEST_ASKER(GPCI_FIELD_BYTES),
                       GPCI_REQUEST_LINE(GPCI_FIELD_BYTES), GPCI_REQUEST_LEVEL(GPCI_FIELD_BYTES), unused;
               }) == offsetof(gpc_request, policy),
               "each field of a request is in one class");
_Static_assert(sizeof(struct {
                   uint8_t GPCI_REQUEST_POLICY_ACCESS(GPCI_POLICY_BYTES), GPCI_REQUEST_POLICY_OTHERS(GPCI_POLICY_BYTES),
                       unused;
               }) == sizeof(gpc_request_policy),
               "each field of the extension, too");
_Static_assert(sizeof(gpc_request) == 128, "the size that hosts and snapshots know");

/* Make a request for another line, such as a prefetch, which the request `requester` causes. */
GPCI_INLINE gpc_request gpci_request_inherit(const gpc_request *requester) {
    gpc_request request = {0};
#define TAKE(field) request.field = requester->field
    GPCI_REQUEST_ACCESS(TAKE);
    GPCI_REQUEST_ASKER(TAKE);
#undef TAKE
#define TAKE(field) request.policy.field = requester->policy.field
    GPCI_REQUEST_POLICY_ACCESS(TAKE);
#undef TAKE
    return request;
}

/* True if caches keep lines of the request's memory space. In read-only spaces, false for anything but a read. */
GPCI_INLINE bool gpci_space_is_cached(const gpc_request *request) {
    const uint8_t space = request->space;
    return GPCI_LIKELY(space <= GPC_SPACE_LOCAL) ||
           ((space == GPC_SPACE_CONSTANT || space == GPC_SPACE_TEXTURE || space == GPC_SPACE_INSTRUCTION) &&
            gpci_is_read(request));
}

/* Possible faults of a request: X(field, true if faulty). `line_bytes`, `sectors`: lines of the cache. */
#define GPCI_REQUEST_FAULTS(X, request, line_bytes, sectors)                                    \
    X(kind, (request)->kind >= GPC_KIND_COUNT)                                                  \
    X(hint, (request)->hint >= GPC_HINT_COUNT)                                                  \
    X(priority, (request)->priority >= GPC_PRIORITY_COUNT)                                      \
    X(space, !gpci_space_is_cached(request))                                                    \
    X(policy.token, (request)->policy.token >= GPC_TOKEN_COUNT)                                 \
    X(continues, (request)->continues > 1)                                                      \
    X(size, (request)->size > (line_bytes) - ((uint32_t)(request)->address & ((line_bytes)-1))) \
    X(sector_mask, (request)->sector_mask & ~(sectors))

/*
 * True if kind, space, hint, priority and continues have values that every request may have. The fields from
 * sector_mask to continues are eight bytes, and are compared together. False: the caller must check each field.
 */
GPCI_INLINE bool gpci_request_is_usual(const gpc_request *request) {
    static const uint8_t unusual[8] = {0, 0xfc, 0xfe, 0xf8, 0xfe, 0, 0, 0xfe};
    uint64_t fields, mask;
    memcpy(&fields, (const char *)request + offsetof(gpc_request, sector_mask), sizeof fields);
    memcpy(&mask, unusual, sizeof mask);
    return !(fields & mask);
}

_Static_assert(offsetof(gpc_request, kind) - offsetof(gpc_request, sector_mask) == 1 &&
                   offsetof(gpc_request, continues) - offsetof(gpc_request, sector_mask) == 7 && GPC_REDUCTION == 3 &&
                   GPC_SPACE_LOCAL == 1 && GPC_HINT_COUNT == 8 && GPC_EVICT_FIRST == 1,
               "the mask of gpci_request_is_usual has a byte per field");

/* True if the request has no fault. `sectors`: a bit for each sector of the line. */
GPCI_INLINE bool gpci_request_is_sound(const gpc_request *request, uint32_t line_bytes, uint8_t sectors) {
#define X(field, fault) || (fault)
    if (GPCI_UNLIKELY(!gpci_request_is_usual(request)))
        return !(false GPCI_REQUEST_FAULTS(X, request, line_bytes, sectors));
#undef X
    return request->policy.token < GPC_TOKEN_COUNT && !(request->sector_mask & ~sectors) &&
           request->size <= line_bytes - ((uint32_t)request->address & (line_bytes - 1));
}

/*
 * True if a host has set a byte without a meaning (`reserved`, `unused`). Packets use the bytes (component/packet.h).
 */
GPCI_INLINE bool gpci_request_has_unknown(const gpc_request *request) {
    uint64_t words[sizeof request->reserved / sizeof(uint64_t)];
    memcpy(words, request->reserved, sizeof words);
    return (words[0] | words[1] | words[2] | words[3] | request->unused | request->policy.unused) != 0;
}

/* Name of a faulty field; NULL if the request has no fault. */
GPCI_INLINE const char *gpci_request_fault(const gpc_request *request, uint32_t line_bytes, uint8_t sectors) {
#define X(field, fault) \
    if (fault)          \
        return #field;
    GPCI_REQUEST_FAULTS(X, request, line_bytes, sectors)
#undef X
    return gpci_request_has_unknown(request) ? "reserved" : NULL;
}

/* gpc_cache_stall: ask the predictor about a stalled read. Without a question (no read, other reasons): GPC_CACHE. */
GPCI_INLINE gpc_decision gpci_predictor_stall(const gpc_predictor_ops *ops, void *self, const gpc_request *request,
                                              uint32_t reason) {
    const bool asked = ops->on_stall && gpci_is_read(request) &&
                       (reason == GPC_BUSY_LINE || reason == GPC_BUSY_MSHR || reason == GPC_BUSY_MISS_QUEUE);
    return asked && ops->on_stall(self, request, reason) == GPC_BYPASS ? GPC_BYPASS : GPC_CACHE;
}

/* State word of a line: sector masks and flags. */
#define GPCI_VALID_SHIFT 0u
#define GPCI_DIRTY_SHIFT 8u
#define GPCI_PENDING_SHIFT 16u
#define GPCI_PRIORITY_SHIFT 24u
#define GPCI_VALID(state) ((uint8_t)(state))
#define GPCI_DIRTY(state) ((uint8_t)((state) >> GPCI_DIRTY_SHIFT))
#define GPCI_PENDING(state) ((uint8_t)((state) >> GPCI_PENDING_SHIFT))
#define GPCI_PRIORITY(state) ((state) >> GPCI_PRIORITY_SHIFT & 3u)
#define GPCI_PENDING_MASK (0xffu << GPCI_PENDING_SHIFT)
#define GPCI_PRIORITY_MASK (3u << GPCI_PRIORITY_SHIFT)
#define GPCI_PRIORITISED (1u << 26) /* a request with a token filled or hit the line: cache_tokens.c */
#define GPCI_USED_AGAIN (1u << 28)  /* hit since the clock's last visit (`hand`); only with spare ways */

/* Mask of bytes of a line of at most 128 bytes. */
typedef struct gpci_bytes {
    uint64_t word[2];
} gpci_bytes;

/* Counters of the fast paths (plain.c, batch_loop.h); gpci_settle computes all statistics from the counters. */
typedef struct gpci_counts {
    uint64_t accesses, stores, hits, store_hits, evictions, write_backs, bypasses, store_bypasses;
} gpci_counts;

/* Add the counts of fast accesses to `stats`. `fills_lines`: stores wrote whole lines. */
void gpci_settle(gpci_cache_stats *stats, const gpci_counts *counts, bool fills_lines);

/* Give lines that persist (GPC_EVICT_LAST) normal priority. */
void gpci_cache_reset_last(gpc_cache *cache);

/* Counters since creation or the last reset. */
gpci_cache_stats gpci_cache_get_stats(const gpc_cache *cache);

/* Opportunistic tokens: rules for the end of a line's priority (cache_tokens.c). */
typedef struct gpci_token_rules {
    uint32_t clear, warps; /* clear: gpc_token_clear. warps: number of warp slots */
    uint64_t period;       /* GPC_CLEAR_PERIODIC: time between two clearings */
} gpci_token_rules;

typedef struct gpci_token_state {
    gpci_token_rules rules;
    uint32_t *states; /* [slots]: the cache's `states`; GPCI_PRIORITISED marks lines with priority */
    size_t slots;
    uint64_t *owners; /* [slots][words], a bit for each warp slot; only with GPC_CLEAR_OWNERS */
    uint32_t *last;   /* [slots], warp slot of the last owner; only with GPC_CLEAR_LAST_OWNER */
    uint32_t words;
    uint64_t next, lookups; /* GPC_CLEAR_PERIODIC. next: time of the next clearing. lookups: time without a clock */
    bool any;               /* false: no line has priority */
} gpci_token_state;

struct gpc_cache {
    /* read by an access, kept together */
    gpci_tags tags;
    uint32_t *states; /* [sets][tags.row] */
    uint32_t sets, ways;
    uint32_t line_shift, sector_shift;
    bool priorities;            /* a line with an eviction priority has been filled */
    bool plain;                 /* only tags, dirty bits, a replacement policy and a predictor: see batch_loop.h */
    bool guarded;               /* the predictor is neither always-cache nor the hint: fills depend on the predictor */
    bool quick;                 /* plain, not guarded, LRU, modulo, and neither wide nor with priorities: see plain.c */
    bool lru;                   /* the replacement policy is the built-in LRU */
    bool always_cache, by_hint; /* the predictor is always-cache (always_cache), or the instruction's hint (by_hint) */
    bool predicts;              /* the predictor is not always-cache, always-bypass or the instruction's hint */
    bool unusual;               /* strong_passes is true, or token_state is not NULL */
    bool strong_passes;         /* strong loads with a scope wider than the SM bypass the cache */
    bool hosts;                 /* the host has implemented a policy of the cache: gpci_shown */
    bool tracks;                /* one of written, reuse, warps and next_uses is not NULL */
    uint8_t sectors, all_sectors, fetch;
    uint8_t tokens;                /* gpc_tokens */
    gpci_token_state *token_state; /* NULL except with opportunistic tokens */
    uint32_t pending_lines;        /* lines with a pending sector */
    uint32_t free_ways;            /* ways without a line */
    uint32_t spare_ways;           /* ways that stay free, as the cache has data for fewer lines than ways; mostly 0 */
    uint32_t hand;                 /* with spare ways: line that the clock visits next, set * ways + way */
    uint32_t held;                 /* state bits that keep a line from eviction: GPCI_PENDING_MASK, or 0 */
    const gpc_replacement_ops *replacement_ops;
    void *replacement_self;
    const gpc_predictor_ops *predictor_ops;
    void *predictor_self;
    gpci_bytes *written;     /* [sets][row], lazy fetch only: bytes written since the fill */
    uint32_t *reuse, *warps; /* [sets][row], if tracked */
    uint64_t *next_uses;     /* [sets][row], if tracked */
    gpci_index index;
    gpci_counts quick_counts; /* counts of plain.c, not yet in `stats` */
    gpci_cache_stats stats;
    /* remaining members */
    gpc_context *context;
    gpci_policy *replacement, *predictor;
    uint64_t sampled_reads, sampled_hits; /* counters read_sectors, read_sector_hits at the last gpci_cache_sample */
    uint64_t declined;     /* 1 + line number of the last request, if the policy refused a way; 0: no refusal */
    uint64_t notified;     /* GPC_READS_ bits of the calls that the host has made: gpc_cache_lacks */
    gpci_commons *commons; /* policy state shared with other caches: of the level, or `share_with`; NULL: not shared */
    bool lone;             /* the cache is not in a hierarchy, and owns a reference to its commons */
    bool refused;          /* a choice was refused (gpci_cache_refuse): `refused_way` of `refused_set` */
    uint32_t refused_set, refused_way;
    gpc_request last_policy_request; /* last request shown to a host's policy */
    gpc_cache_options options;
#ifdef GPCI_CHECK
    gpci_cache_stats again; /* second counts (cache_again.c) */
    uint32_t seen_way;      /* before the lookup: the line's way, or GPCI_NO_WAY */
    uint32_t seen;          /* before the lookup: the line's state word; 0 without a line */
#endif
};

/* A request resolved: line, set and sectors of the cache. */
typedef struct gpci_view {
    uint64_t line; /* line number: address / line size */
    uint32_t set;
    uint8_t need;     /* sectors that the request reads or writes */
    uint8_t covered;  /* sectors that the store writes whole; 0 for a read, an atomic, and write-evict */
    gpci_bytes bytes; /* bytes that the store or atomic writes; 0 for longer lines than 128 bytes */
} gpci_view;

GPCI_INLINE size_t gpci_slot(const gpc_cache *cache, uint32_t set, uint32_t way) {
    return gpci_tags_slot(&cache->tags, set, way);
}

/* True if the line of an address is resident. */
GPCI_INLINE bool gpci_holds(const gpc_cache *cache, uint64_t address) {
    const uint64_t line = address >> cache->line_shift;
    return gpci_find(&cache->tags, gpci_index_of(&cache->index, line), line) != GPCI_NO_WAY;
}

/* Lowest way without a line; a number of `ways` or more if the set is full. */
GPCI_INLINE uint32_t gpci_free_way(const gpc_cache *cache, uint32_t set) {
    if (!cache->free_ways)
        return GPCI_NO_WAY;
    if (cache->tags.places)
        return gpci_places_free(cache->tags.places, set);
    return gpci_match(cache->tags.words + gpci_slot(cache, set, 0), 0, cache->tags.row, 0, true);
}

/* Sectors to fetch for the missing sectors: whole aligned groups of cache->fetch sectors. */
GPCI_INLINE uint8_t gpci_widen(const gpc_cache *cache, uint8_t missing) {
    if (cache->fetch <= 1 || !missing)
        return missing;
    uint8_t wide = 0, group = (uint8_t)((1u << cache->fetch) - 1);
    for (unsigned first = 0; first < cache->sectors; first += cache->fetch)
        if (missing & group << first)
            wide |= (uint8_t)(group << first);
    return wide;
}

/* Sectors of a request found in a resident line. */
typedef struct gpci_findings {
    uint8_t hit;     /* needed sectors that are valid or pending */
    uint8_t waiting; /* sectors of `hit` that are pending, and that the request does not write whole */
    uint8_t missing; /* needed sectors, neither valid nor pending, that the request does not write whole */
} gpci_findings;

GPCI_INLINE gpci_findings gpci_examine(const gpci_view *view, uint32_t state) {
    uint8_t valid = GPCI_VALID(state), present = valid | GPCI_PENDING(state);
    return (gpci_findings){.hit = view->need & present,
                           .waiting = view->need & present & (uint8_t) ~(valid | view->covered),
                           .missing = view->need & (uint8_t) ~(present | view->covered)};
}

GPCI_INLINE gpc_outcome gpci_outcome_of(gpci_findings found) {
    return found.missing ? GPC_SECTOR_MISS : found.waiting ? GPC_PENDING_HIT : GPC_HIT;
}

/*
 * Request to show to a policy. The library may use the request's reserved bytes (timed/component/packet.h). A policy
 * that the host has implemented may pass the request on, and so gets a copy with reserved bytes of 0.
 */
GPCI_COLD const gpc_request *gpci_show(gpc_cache *cache, const gpc_request *request);
GPCI_INLINE const gpc_request *gpci_shown(gpc_cache *cache, const gpc_request *request) {
    return GPCI_LIKELY(!cache->hosts) ? request : gpci_show(cache, request);
}

GPCI_INLINE uint32_t gpci_write_policy(const gpc_cache *cache, const gpc_request *request) {
    return request->space == GPC_SPACE_LOCAL ? cache->options.write_policy_local : cache->options.write_policy;
}

GPCI_INLINE uint32_t gpci_write_allocate(const gpc_cache *cache, const gpc_request *request) {
    return request->space == GPC_SPACE_LOCAL ? cache->options.write_allocate_local : cache->options.write_allocate;
}

/*
 * victim.c. gpci_cache_refuse: note that the replacement policy chose a way that is no candidate; returns
 * GPC_ERROR_CALLBACK. gpci_cache_fault: false without such a choice; true: `text` names policy, way and set.
 */
gpc_status gpci_cache_refuse(gpc_cache *cache, uint32_t set, uint32_t way);
bool gpci_cache_fault(const gpc_cache *cache, char *text, size_t size);
/* gpc_cache_sample; first sets sample->reads and sample->read_hits to the counts since the last sample. */
void gpci_cache_sample(gpc_cache *cache, gpc_sample *sample);

/*
 * gpc_cache_create for a cache of a hierarchy. `commons`: policy state that the caches of the level share; must outlive
 * the cache. NULL: a cache without a hierarchy.
 */
gpc_status gpci_cache_create(gpc_context *context, const gpc_cache_options *options, gpci_commons *commons,
                             gpc_error *error, gpc_cache **out);

/* Number of ways that stay free. The cache has data for options.lines lines; options.lines 0: for all ways. */
GPCI_INLINE uint32_t gpci_spare_ways(const gpc_cache *cache) {
    return cache->options.lines ? cache->sets * cache->ways - (uint32_t)cache->options.lines : 0;
}

/* Exchange the contents of two caches. Pointers stay valid: a borrowed `left` becomes a cache of another shape. */
void gpci_cache_exchange(gpc_cache *left, gpc_cache *right);

/* Sectors that a request names: by mask, by bytes from the address on, or all. */
GPCI_INLINE uint8_t gpci_needed_sectors(const gpc_cache *cache, const gpc_request *request) {
    if (GPCI_LIKELY(request->sector_mask))
        return request->sector_mask;
    if (!request->size || cache->sectors == 1)
        return cache->all_sectors;
    const uint32_t offset = (uint32_t)request->address & (cache->options.line_bytes - 1),
                   low = offset >> cache->sector_shift, high = (offset + request->size - 1) >> cache->sector_shift;
    return (uint8_t)((2u << high) - (1u << low));
}

/* True if only the lines and their LRU order depend on past accesses: gpci_cache_renew can reset such a cache. */
bool gpci_cache_forgets(const gpc_cache *cache);
/* Reset a cache to a new cache with data for `lines` lines (0: all). No memory is allocated. Dirty lines are lost. */
void gpci_cache_renew(gpc_cache *cache, uint64_t lines);

/* Resolve a request without a fault; completely only for a read. */
GPCI_INLINE void gpci_view_read(const gpc_cache *cache, const gpc_request *request, gpci_view *view) {
    view->line = request->address >> cache->line_shift;
    view->set = gpci_index_of(&cache->index, view->line);
    view->need = gpci_needed_sectors(cache, request);
    view->covered = 0;
    view->bytes = (gpci_bytes){{0, 0}};
}

/* view.c: resolve the bytes of a store or an atomic, after gpci_view_read. GPC_ERROR_ARGUMENT: wrong byte mask. */
gpc_status gpci_view_change(const gpc_cache *cache, const gpc_request *request, gpci_view *view, gpc_error *error);

/* view.c: refuse a request with a fault, and name the field. Returns GPC_ERROR_ARGUMENT. */
GPCI_COLD gpc_status gpci_refuse_request(const gpc_cache *cache, const gpc_request *request, gpc_error *error);

/* Resolve a request made by the library: the reserved bytes may be in use. GPC_ERROR_ARGUMENT: the request is wrong. */
static inline gpc_status gpci_view_of_own(const gpc_cache *cache, const gpc_request *request, gpci_view *view,
                                          gpc_error *error) {
    if (GPCI_UNLIKELY(!gpci_request_is_sound(request, cache->options.line_bytes, cache->all_sectors)))
        return gpci_refuse_request(cache, request, error);
    gpci_view_read(cache, request, view);
    return gpci_is_read(request) ? GPC_OK : gpci_view_change(cache, request, view, error);
}

/* Resolve a request of a host: the reserved bytes must be 0. */
static inline gpc_status gpci_view_of(const gpc_cache *cache, const gpc_request *request, gpci_view *view,
                                      gpc_error *error) {
    return GPCI_UNLIKELY(gpci_request_has_unknown(request)) ? gpci_refuse_request(cache, request, error)
                                                            : gpci_view_of_own(cache, request, view, error);
}

/*
 * gpc_cache_reserve of a resolved request. `way`: the line's way; GPCI_NO_WAY if the line is known to be absent;
 * GPCI_ANY_WAY if the caller does not know.
 */
#define GPCI_ANY_WAY (UINT32_MAX - 1)
gpc_status gpci_reserve(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                        uint8_t sectors, gpc_access_result *result);
/*
 * Reserve for an absent line after gpci_reserve has found no victim. Pending lines may be evicted, too: the caller has
 * checked that the fetches of the set's pending lines have not been sent.
 */
gpc_status gpci_reserve_over_pending(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                                     uint8_t sectors, gpc_access_result *result);
/* gpc_cache_fill: gpci_fill_own for a request made by the library, gpci_fill for a resolved request. */
gpc_status gpci_fill_own(gpc_cache *cache, const gpc_request *request, uint8_t sectors, gpc_access_result *result);
gpc_status gpci_fill(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint8_t sectors,
                     gpc_access_result *result);

/* Mask of the bytes of sectors; of the bytes of a line from `first` on, before `end`. */
gpci_bytes gpci_bytes_of(const gpc_cache *cache, uint8_t sectors);
gpci_bytes gpci_bytes_between(uint32_t first, uint32_t end);
/* Sectors with all bytes in the mask `bytes`. */
uint8_t gpci_covered_by(const gpc_cache *cache, const gpci_bytes *bytes);

/* Record the upper bits of a line number before the line becomes resident: gpci_tags.high and wide. */
void gpci_admit_high(gpc_cache *cache, uint64_t line);

/* Make sectors of the line in a slot valid and not pending: the data have come. */
GPCI_INLINE void gpci_arrive(gpc_cache *cache, size_t slot, uint8_t sectors) {
    uint32_t state = cache->states[slot];
    if (GPCI_PENDING(state)) {
        state &= ~((uint32_t)sectors << GPCI_PENDING_SHIFT);
        cache->pending_lines -= !GPCI_PENDING(state);
    }
    cache->states[slot] = state | sectors;
}

/*
 * gpc_cache_fill of a read with a line reserved in `slot`. False: nothing was done; the caller must call gpci_fill_own.
 * Causes: the line has left the slot, or the general path is needed (wide tags, no read, a callback).
 */
GPCI_INLINE bool gpci_fill_reserved(gpc_cache *cache, const gpc_request *request, size_t slot, uint8_t sectors) {
    const uint64_t line = request->address >> cache->line_shift;
    if (slot >= (size_t)cache->sets * cache->tags.row || cache->tags.words[slot] != gpci_tag(line) ||
        GPCI_UNLIKELY(cache->tags.wide || line >> GPCI_TAG_BITS != cache->tags.high || !gpci_is_read(request) ||
                      cache->options.on_fill))
        return false;
    gpci_arrive(cache, slot, sectors);
    return true;
}

/*
 * cache_access.c. The gpci_sw_prefetch_ functions load the simulator's own tables into the CPU's cache before a coming
 * lookup, and affect only the simulator's speed. _set: tags, states and recency order of an address's set.
 */
void gpci_sw_prefetch_set(const gpc_cache *cache, uint64_t address);
/* Prefetch the tag and state of a slot, if the slot exists. */
void gpci_sw_prefetch_slot(const gpc_cache *cache, size_t slot);
/*
 * With tags.places: prefetch the slot that the table names, or the entry of the LRU victim. Call some time after
 * gpci_sw_prefetch_set, when its data are in the CPU's cache.
 */
void gpci_sw_prefetch_place(const gpc_cache *cache, uint64_t address);
/* First step of an access, on a resolved request. The caller has cleared the result. */
void gpci_lookup(gpc_cache *cache, const gpc_request *request, const gpci_view *view, gpc_access_result *result);
/* True if the request may leave a line in the cache after its lookup. */
GPCI_INLINE bool gpci_leaves_something(const gpc_cache *cache, const gpc_request *request) {
    if (gpci_is_write(request))
        return gpci_write_policy(cache, request) != GPC_WRITE_EVICT &&
               gpci_write_allocate(cache, request) != GPC_WRITE_NO_ALLOCATE;
    return gpci_is_read(request) || cache->options.atomics_here;
}

/* True if the request has no token, and the cache's tokens forbid or restrict its fill. */
GPCI_INLINE bool gpci_lacks_token(const gpc_cache *cache, const gpc_request *request) {
    return GPCI_UNLIKELY(request->policy.token == GPC_TOKEN_NONE) && cache->tokens != GPC_TOKENS_IGNORE;
}

/* True if the request has no token, and may not fill at all. */
GPCI_INLINE bool gpci_may_not_fill(const gpc_cache *cache, const gpc_request *request) {
    return GPCI_UNLIKELY(request->policy.token == GPC_TOKEN_NONE) && cache->tokens == GPC_TOKENS_STRICT;
}

/*
 * After the lookup of a miss, before the fetch: check the token, and ask a replacement policy with `declines`. If the
 * request is refused, set the outcome to GPC_BYPASSED.
 */
void gpci_ask_admission(gpc_cache *cache, const gpc_request *request, const gpci_view *view, gpc_access_result *result);
GPCI_INLINE void gpci_admit(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                            gpc_access_result *result) {
    if ((cache->replacement_ops->declines || gpci_lacks_token(cache, request)) && result->outcome == GPC_MISS &&
        gpci_leaves_something(cache, request))
        gpci_ask_admission(cache, request, view, result);
}

/* True if the cache has no data for another line, although a way may be free. */
GPCI_INLINE bool gpci_is_full(const gpc_cache *cache) {
    return cache->free_ways <= cache->spare_ways;
}

/*
 * Choose the line to evict. `full`: the set has no free way, and the replacement policy chooses a line of the set. Not
 * `full`: the clock chooses a line of any set, returned in `*set`. GPCI_NO_WAY: none; result->outcome has the reason.
 */
gpc_status gpci_choose(gpc_cache *cache, const gpc_request *request, uint32_t *set, bool full,
                       gpc_access_result *result, uint32_t *out_way);
/* Give the line a way; evict if needed. If refused, set result->outcome, and `*out_way` to GPCI_NO_WAY. */
gpc_status gpci_take_way(gpc_cache *cache, const gpc_request *request, const gpci_view *view, gpc_access_result *result,
                         uint32_t *out_way);

/* write.c: stores, and atomics performed here. */
/* Outcome of an access to a resident line with the state word `state`. */
gpc_outcome gpci_outcome_at(const gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t state);
void gpci_lookup_store(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                       gpc_access_result *result);
void gpci_lookup_atomic(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                        gpc_access_result *result);
/*
 * Write the bytes of a store, or of an atomic performed in this cache, into `sectors` of a resident line. A second
 * equal call changes nothing. Returns the sectors that became valid.
 */
uint8_t gpci_apply_write(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                         uint8_t sectors);
/*
 * Finish a request that was refused a way: a write goes below. `fetch`: sectors that the lookup has counted as fetched;
 * sectors of `fetch` that are not fetched for a bypass are taken back from the counters.
 */
void gpci_decline(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint8_t fetch,
                  gpc_access_result *result);

/* Call the callback options.on_fill, if set, for sectors that became valid. */
void gpci_notify_sectors(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                         uint8_t sectors);

/* Make sectors of a resident line valid and not pending, and apply a write that waited for the sectors. */
void gpci_complete(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way, uint8_t sectors);

/* Fill in `eviction` for a resident line. */
void gpci_describe(const gpc_cache *cache, uint32_t set, uint32_t way, gpc_eviction *eviction);
/*
 * Remove a line, call policies and the eviction callback, and describe the line in `eviction`. `request`: the request
 * that needs the way; NULL: a forced removal.
 */
void gpci_drop(gpc_cache *cache, uint32_t set, uint32_t way, const gpc_request *request, gpc_eviction *eviction);

/*
 * Forget clean sectors; dirty and pending sectors stay. gpci_forget_clean works on every line and returns the number of
 * lines removed. gpci_forget_sectors works on the given sectors of the address's line, if present.
 */
uint64_t gpci_forget_clean(gpc_cache *cache);
void gpci_forget_sectors(gpc_cache *cache, uint64_t address, uint8_t sectors);
/* Mark a line's dirty bytes as written to the level below. */
void gpci_clean_line(gpc_cache *cache, const gpc_line *line);

/* Describe the resident line of an address; false if absent. */
bool gpci_line_of(const gpc_cache *cache, uint64_t address, gpc_line *line);

/* Predictor's decision on a miss; `word` is for the level below. */
gpc_decision gpci_predict(gpc_cache *cache, const gpc_request *request, uint32_t set, uint32_t *word);

/* True if the request must bypass for lack of a token, even if a way is free. Counts the bypass. */
bool gpci_bars(gpc_cache *cache, const gpc_request *request, gpc_access_result *result);

/* oracle.c: compare the predictor's decision with the oracle's. Only with tracked next uses. */
void gpci_oracle_compare(gpc_cache *cache, const gpc_request *request, uint32_t set, gpc_decision decision);

/* cache_tokens.c: opportunistic tokens of `slots` lines. If the call fails, `out` must be destroyed as well. */
gpc_status gpci_tokens_create(gpc_context *context, const gpci_token_rules *rules, uint32_t *states, size_t slots,
                              gpci_token_state **out);
void gpci_tokens_destroy(gpc_context *context, gpci_token_state *state);
/* Events: a request hits or fills a line; a request is looked up; a warp or kernel begins or ends. */
void gpci_tokens_own(gpci_token_state *state, const gpc_request *request, size_t slot);
void gpci_tokens_fill(gpci_token_state *state, const gpc_request *request, size_t slot);
void gpci_tokens_tick(gpci_token_state *state, const gpc_request *request);
void gpci_tokens_event(gpci_token_state *state, const gpc_warp_event *event);

#ifdef GPCI_CHECK
/*
 * cache_again.c: second counts for the ledger, in the checking build (base/check.h). gpci_cache_see records the line's
 * state before a lookup. The counting functions use the recorded state and the result. gpci_cache_stats_again reads.
 */
void gpci_cache_see(gpc_cache *cache, const gpci_view *view);
void gpci_cache_count_lookup(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                             const gpc_access_result *result);
void gpci_cache_count_refusal(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint8_t fetch,
                              const gpc_access_result *result);
gpci_cache_stats gpci_cache_stats_again(const gpc_cache *cache);
/* A decision of the oracle, and of the predictor. */
void gpci_cache_count_oracle(gpc_cache *cache, bool bypass, gpc_decision decision);
/* Number of resident lines. */
uint64_t gpci_cache_lines(const gpc_cache *cache);
#endif

/* True for a strong load that must see stores of other SMs, and so bypasses this cache (strong_passes). */
bool gpci_passes_strongly(const gpc_cache *cache, const gpc_request *request);

/*
 * gpc_cache_access: for any cache (cache_steps.c), and for a cache that is `quick` (plain.c). The quick path calls the
 * general one last, and so saves no arguments for a second call.
 */
gpc_status gpci_access_any(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error);
gpc_status gpci_quick_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error);
/* Set a cache's flags for the fast paths; gpci_classify_quick sets only `quick`. */
void gpci_classify(gpc_cache *cache);
void gpci_classify_quick(gpc_cache *cache);

/*
 * Batch loops (batch_loop.h, compiled once per instruction set). Run accesses from `first` on, until the end or until
 * an access needs the general path. Returns the index reached.
 */
typedef size_t (*gpci_batch_fn)(gpc_cache *cache, const gpc_batch *batch, size_t first);
size_t gpci_batch_none(gpc_cache *cache, const gpc_batch *batch, size_t first);
size_t gpci_batch_sse2(gpc_cache *cache, const gpc_batch *batch, size_t first);
size_t gpci_batch_avx2(gpc_cache *cache, const gpc_batch *batch, size_t first);
size_t gpci_batch_avx512(gpc_cache *cache, const gpc_batch *batch, size_t first);

#endif
