/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Plain loop for replacement policies given as a table of functions (gpc_replacement_ops), and for caches with a
 * predictor (guarded). Instruction fetch limits the loop: therefore the code is short, in separate functions, and
 * results are preset to hits. The shortest version, short_block, serves a full cache with a policy that reads only set
 * and way: two calls for a miss, a call for a hit, and no request to fill in.
 */

/*
 * All data of the loops, behind one pointer. The loops read the data from memory where needed, because only a few
 * registers keep their values over the calls of the policy.
 */
typedef struct table {
    void *self;
    uint32_t *tags, *states;
    void (*on_hit)(void *, uint32_t, uint32_t, const gpc_request *);
    void (*on_miss)(void *, uint32_t, const gpc_request *);
    uint32_t (*choose_victim)(void *, uint32_t, const uint64_t *, const gpc_request *);
    void (*on_fill)(void *, uint32_t, uint32_t, const gpc_request *);
    gpc_cache *cache;
    /* the next five only for guarded caches: */
    uint64_t *orders; /* recency orders, if the policy is LRU, which then needs no calls; NULL: another policy */
    void *guard;      /* the predictor */
    const gpc_predictor_ops *guard_ops;
    uint64_t asked;            /* number of questions to the predictor */
    uint64_t skipped;          /* number of reads that bypassed the tags, as a before_lookup predictor decided */
    const uint64_t *addresses; /* this and the next four: the batch's arrays, from the block's first access on */
    const uint64_t *pcs, *next_uses;
    const uint32_t *warps;
    const uint8_t *kinds;  /* NULL if the batch has no kinds */
    bool described;        /* the batch has PCs, warps or next uses */
    bool prepares;         /* a miss needs more than a victim: a call of on_miss, or a search for a free way */
    bool tell_evict;       /* a policy has an on_evict */
    gpc_eviction eviction; /* for on_evict; fields that never change are already set */
    gpc_request request;
    block block;
} table;

/* Report an evicted line to the on_evict functions of the policies. */
GPCI_INLINE void tell_evict(table *batch, uint32_t set, uint32_t way, size_t slot) {
    const gpc_cache *cache = batch->cache;
    uint32_t dirty = GPCI_DIRTY(batch->states[slot]);
    uint64_t line = (uint64_t)cache->tags.high << GPCI_TAG_BITS | (batch->tags[slot] & ~GPCI_TAG_VALID);
    batch->eviction.line_address = line << cache->line_shift;
    batch->eviction.set = set;
    batch->eviction.way = way;
    batch->eviction.dirty_sectors = (uint8_t)dirty;
    gpci_bytes bytes = dirty && cache->options.line_bytes <= 128 ? gpci_bytes_of(cache, 1) : (gpci_bytes){{0, 0}};
    batch->eviction.dirty_bytes[0] = bytes.word[0];
    batch->eviction.dirty_bytes[1] = bytes.word[1];
    if (cache->replacement_ops->on_evict)
        cache->replacement_ops->on_evict(batch->self, set, way, &batch->eviction, &batch->request);
    if (cache->predictor_ops->on_evict)
        cache->predictor_ops->on_evict(batch->guard, set, way, &batch->eviction, &batch->request);
}

/*
 * Handle a policy's answer that is no way of the set. True: the answer is GPC_WAY_BYPASS, and the access bypasses.
 * False: an impossible answer; the loop must stop, and the general path reports the error.
 */
static GPCI_NOINLINE bool decline(table *batch, uint32_t at, uint32_t way) {
    uint32_t store = batch->kinds ? batch->kinds[at] : 0;
    batch->block.results[at] = (uint8_t)(GPC_BATCH_BYPASSED | store * GPC_BATCH_WRITE_BELOW);
    return way == GPC_WAY_BYPASS;
}

GPCI_INLINE void touch(table *batch, uint32_t set, uint32_t way, bool guarded) {
    if (guarded && batch->orders)
        batch->orders[set] = gpci_recency_touch(batch->orders[set], way);
    else if (batch->on_hit)
        batch->on_hit(batch->self, set, way, &batch->request);
    if (guarded && batch->guard_ops->on_hit)
        batch->guard_ops->on_hit(batch->guard, set, way, &batch->request);
}

GPCI_INLINE void fill(table *batch, uint32_t set, uint32_t way, bool guarded) {
    if (guarded && batch->orders)
        batch->orders[set] = gpci_recency_touch(batch->orders[set], way);
    else if (batch->on_fill)
        batch->on_fill(batch->self, set, way, &batch->request);
    if (guarded && batch->guard_ops->on_fill)
        batch->guard_ops->on_fill(batch->guard, set, way, &batch->request);
}

/* Ask the predictor about access `at`. True if the access bypasses. */
static bool guarded_off(table *batch, uint32_t at, uint32_t set) {
    gpc_prediction prediction = {GPC_CACHE, 0};
    batch->asked++;
    batch->guard_ops->predict(batch->guard, set, &batch->request, &prediction);
    if (prediction.decision != GPC_BYPASS)
        return false;
    decline(batch, at, GPC_WAY_BYPASS);
    return true;
}

/* Handle a miss of access `at`. False: the loop must stop before the access; the general path reports an error. */
GPCI_INLINE bool table_miss(table *batch, uint32_t at, uint32_t set, size_t base, uint32_t ways, bool stores,
                            bool guarded) {
    uint32_t flags = 0, way = GPCI_NO_WAY;
    if (guarded || batch->prepares) {
        if (batch->on_miss)
            batch->on_miss(batch->self, set, &batch->request);
        if (guarded && (batch->request.kind || !batch->guard_ops->before_lookup) && guarded_off(batch, at, set))
            return true;
        if (GPCI_UNLIKELY(batch->cache->free_ways))
            way = claim_free_way(batch->cache, base);
    }
    if (way == GPCI_NO_WAY) {
        way = guarded && batch->orders ? gpci_recency_last(batch->orders[set], ways)
                                       : batch->choose_victim(batch->self, set, NULL, &batch->request);
        if (GPCI_UNLIKELY(way >= ways))
            return decline(batch, at, way);
        flags = GPC_BATCH_EVICTED | (batch->states[base + way] >> GPCI_DIRTY_SHIFT & 1) * GPC_BATCH_WRITE_BACK;
        batch->block.left[at] = batch->tags[base + way];
        if (batch->tell_evict)
            tell_evict(batch, set, way, base + way);
    }
    batch->tags[base + way] = batch->block.tags[at];
    batch->states[base + way] = 1u | (stores ? (uint32_t)batch->kinds[at] << GPCI_DIRTY_SHIFT : 0);
    batch->block.results[at] = (uint8_t)flags;
    fill(batch, set, way, guarded);
    return true;
}

GPCI_INLINE void describe_access(table *batch, uint32_t at) {
    batch->request.pc = batch->pcs[at];
    batch->request.warp = batch->warps[at];
    batch->request.policy.next_use = batch->next_uses[at];
}

/*
 * Run a block; results are preset to hits. Returns the number of accesses done: fewer than the block's after an error.
 */
GPCI_INLINE uint32_t table_block(table *batch, uint32_t fixed, bool stores, bool guarded) {
    const uint32_t length = batch->block.length;
    for (uint32_t at = 0; at < length; at++) {
        uint32_t set = batch->block.sets[at];
        size_t base = (size_t)set * (fixed ? fixed : batch->cache->tags.row);
        batch->request.address = batch->addresses[at];
        if (stores)
            batch->request.kind = batch->kinds[at];
        if (batch->described)
            describe_access(batch, at);
        if (guarded && batch->guard_ops->before_lookup && !batch->request.kind && guarded_off(batch, at, set)) {
            batch->skipped++;
            continue;
        }
        uint32_t way = find_in_row(batch->tags + base, batch->cache->tags.row, batch->block.tags[at], (int)fixed);
        if (way == GPCI_NO_WAY) {
            if (GPCI_UNLIKELY(!table_miss(batch, at, set, base, fixed ? fixed : batch->cache->ways, stores, guarded)))
                return at;
            continue;
        }
        if (stores)
            batch->states[base + way] |= (uint32_t)batch->kinds[at] << GPCI_DIRTY_SHIFT;
        touch(batch, set, way, guarded);
    }
    return length;
}

/* table_block for a full cache, and a policy without on_miss and on_evict that reads only set and way. */
GPCI_INLINE uint32_t short_block(table *batch, uint32_t ways, bool stores) {
    const uint32_t length = batch->block.length;
    for (uint32_t at = 0; at < length; at++) {
        uint32_t set = batch->block.sets[at];
        size_t base = (size_t)set * ways;
        uint32_t way = find_in_row(batch->tags + base, ways, batch->block.tags[at], (int)ways);
        if (way != GPCI_NO_WAY) {
            if (stores)
                batch->states[base + way] |= (uint32_t)batch->kinds[at] << GPCI_DIRTY_SHIFT;
            batch->on_hit(batch->self, set, way, &batch->request);
            continue;
        }
        way = batch->choose_victim(batch->self, set, NULL, &batch->request);
        if (GPCI_UNLIKELY(way >= ways)) {
            if (!decline(batch, at, way))
                return at;
            continue;
        }
        uint32_t *tag = batch->tags + base + way, *state = batch->states + base + way;
        batch->block.left[at] = *tag;
        batch->block.results[at] =
            (uint8_t)(GPC_BATCH_EVICTED | (*state >> GPCI_DIRTY_SHIFT & 1) * GPC_BATCH_WRITE_BACK);
        *tag = batch->block.tags[at];
        *state = 1u | (stores ? (uint32_t)batch->kinds[at] << GPCI_DIRTY_SHIFT : 0);
        batch->on_fill(batch->self, set, way, &batch->request);
    }
    return length;
}

typedef uint32_t (*block_fn)(table *batch);

#define BLOCK_FN(name, ways, stores, guarded)             \
    static GPCI_NOINLINE uint32_t name(table *batch) {    \
        return table_block(batch, ways, stores, guarded); \
    }
BLOCK_FN(loads_of_4, 4, false, false)
BLOCK_FN(accesses_of_4, 4, true, false)
BLOCK_FN(guarded_of_4, 4, batch->kinds, true)
BLOCK_FN(loads_of_16, 16, false, false)
BLOCK_FN(accesses_of_16, 16, true, false)
BLOCK_FN(guarded_of_16, 16, batch->kinds, true)
BLOCK_FN(accesses_of_any, 0, batch->kinds, false)
BLOCK_FN(guarded_of_any, 0, batch->kinds, true)
#undef BLOCK_FN

#define SHORT_FN(name, ways, stores)                   \
    static GPCI_NOINLINE uint32_t name(table *batch) { \
        return short_block(batch, ways, stores);       \
    }
SHORT_FN(short_loads_of_4, 4, false)
SHORT_FN(short_accesses_of_4, 4, true)
SHORT_FN(short_loads_of_16, 16, false)
SHORT_FN(short_accesses_of_16, 16, true)
#undef SHORT_FN

/* Variant of short_block for the row length; NULL if the policy or the cache needs table_block. */
static block_fn short_fn_for(const table *batch, uint32_t fixed) {
    const gpc_replacement_ops *ops = batch->cache->replacement_ops;
    if (!fixed || batch->cache->guarded || batch->prepares || batch->tell_evict || ops->reads != GPC_READS_PLACE ||
        ops->reads_with || !batch->on_hit || !batch->on_fill)
        return NULL;
    if (fixed == 4)
        return batch->kinds ? short_accesses_of_4 : short_loads_of_4;
    return batch->kinds ? short_accesses_of_16 : short_loads_of_16;
}

static block_fn block_fn_for(const gpc_cache *cache, uint32_t fixed, bool stores) {
    if (fixed == 4)
        return cache->guarded ? guarded_of_4 : stores ? accesses_of_4 : loads_of_4;
    if (fixed == 16)
        return cache->guarded ? guarded_of_16 : stores ? accesses_of_16 : loads_of_16;
    return cache->guarded ? guarded_of_any : accesses_of_any;
}

static void count_results(const uint8_t *restrict results, uint32_t length, gpci_counts *counts) {
    uint32_t hits = 0, evictions = 0, write_backs = 0, bypasses = 0, store_bypasses = 0;
    for (uint32_t i = 0; i < length; i++) {
        hits += results[i] & 1u;
        evictions += results[i] >> 1 & 1u;
        write_backs += results[i] >> 2 & 1u;
        bypasses += results[i] >> 3 & 1u;
        store_bypasses += results[i] >> 5 & 1u;
    }
    counts->hits += hits;
    counts->evictions += evictions;
    counts->write_backs += write_backs;
    counts->bypasses += bypasses;
    counts->store_bypasses += store_bypasses;
}

static void open_table(table *t, gpc_cache *cache, const gpc_batch *batch) {
    const gpc_replacement_ops *ops = cache->replacement_ops;
    t->self = cache->replacement_self;
    t->tags = cache->tags.words;
    t->states = cache->states;
    t->on_hit = ops->on_hit;
    t->on_miss = ops->on_miss;
    t->choose_victim = ops->choose_victim;
    t->on_fill = ops->on_fill;
    t->tell_evict = ops->on_evict || cache->predictor_ops->on_evict;
    t->cache = cache;
    t->orders = cache->lru ? ((gpci_lru_state *)cache->replacement_self)->orders : NULL;
    t->guard = cache->predictor_self;
    t->guard_ops = cache->predictor_ops;
    t->asked = t->skipped = 0;
    t->described = batch->pcs || batch->warps || batch->next_uses;
    t->eviction = (gpc_eviction){.valid_sectors = 1};
    t->request = (gpc_request){.size = batch->size, .sm = batch->sm};
}

static const uint64_t no_words[BLOCK];
static const uint32_t no_warps[BLOCK];

static void aim_table(table *t, const gpc_batch *batch, size_t first) {
    t->addresses = batch->addresses + first;
    t->pcs = batch->pcs ? batch->pcs + first : no_words;
    t->warps = batch->warps ? batch->warps + first : no_warps;
    t->next_uses = batch->next_uses ? batch->next_uses + first : no_words;
    t->kinds = batch->kinds ? batch->kinds + first : NULL;
    t->prepares = t->on_miss || t->cache->free_ways;
    memset(t->block.results, GPC_BATCH_HIT, t->block.length);
    memset(t->block.left, 0, t->block.length * sizeof *t->block.left);
}

static size_t run_table(gpc_cache *cache, const gpc_batch *batch, size_t first, uint32_t fixed) {
    table t;
    gpci_counts counts = {0};
    size_t at = first;
    uint32_t length;
    block_fn run = block_fn_for(cache, fixed, batch->kinds);
    open_table(&t, cache, batch);
    do {
        resolve(cache, batch, at, &t.block);
        aim_table(&t, batch, at);
        length = t.block.length;
        block_fn quick = short_fn_for(&t, fixed);
        t.block.length = quick ? quick(&t) : run(&t);
        count_results(t.block.results, t.block.length, &counts);
        if (t.kinds)
            count_stores(t.kinds, t.block.results, t.block.length, &counts);
        if (batch->results)
            memcpy(batch->results + at, t.block.results, t.block.length);
        if (batch->evicted)
            report_evicted(cache, &t.block, batch->evicted + at);
        at += t.block.length;
    } while (at < batch->count && t.block.length && t.block.length == length);
    counts.accesses = at - first;
    gpci_settle(&cache->stats, &counts, !batch->size || batch->size == cache->options.line_bytes);
    cache->stats.predictions += cache->predicts ? t.asked : 0;
    cache->stats.line_misses -= t.skipped;
    return at;
}
