/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Plain loop for policies given as a table. Instruction fetch limits the loop: the code is short, in separate
 * functions, and results are preset to hits. The shortest version serves a policy that reads only places, in a full
 * cache: two calls for a miss, one for a hit, and no request to fill in.
 */

/*
 * Data of the loops for a table policy, behind one pointer. Call arguments are read at their use, because only a few
 * registers survive the calls.
 */
typedef struct table {
    void *self;
    uint32_t *tags, *states;
    void (*on_hit)(void *, uint32_t, uint32_t, const gpc_request *);
    void (*on_miss)(void *, uint32_t, const gpc_request *);
    uint32_t (*choose_victim)(void *, uint32_t, const uint64_t *, const gpc_request *);
    void (*on_fill)(void *, uint32_t, uint32_t, const gpc_request *);
    gpc_cache *cache;
    /* only guarded caches: */
    uint64_t *orders; /* LRU's orders, for LRU without calls; NULL: another policy */
    void *guard;
    const gpc_predictor_ops *guard_ops;
    uint64_t asked;            /* number of questions to the predictor */
    uint64_t skipped;          /* reads that skipped the tags by the predictor's decision */
    const uint64_t *addresses; /* arrays of the block, like the next four */
    const uint64_t *pcs, *next_uses;
    const uint32_t *warps;
    const uint8_t *kinds; /* NULL if the batch has no kinds */
    bool described;       /* the batch has PCs, warps or next uses */
    bool prepares;        /* a miss needs more than a victim */
    bool tell_evict;
    gpc_eviction eviction; /* constant fields are set */
    gpc_request request;
    block block;
} table;

/* Report a leaving line to the tables of the policies. */
GPCI_INLINE void tell_evict(table *t, uint32_t set, uint32_t way, size_t slot) {
    const gpc_cache *cache = t->cache;
    uint32_t dirty = GPCI_DIRTY(t->states[slot]);
    uint64_t line = (uint64_t)cache->high << GPCI_TAG_BITS | (t->tags[slot] & ~GPCI_TAG_VALID);
    t->eviction.line_address = line << cache->line_shift;
    t->eviction.set = set;
    t->eviction.way = way;
    t->eviction.dirty_sectors = (uint8_t)dirty;
    gpci_bytes bytes = dirty && cache->options.line_bytes <= 128 ? gpci_bytes_of(cache, 1) : (gpci_bytes){{0, 0}};
    t->eviction.dirty_bytes[0] = bytes.word[0];
    t->eviction.dirty_bytes[1] = bytes.word[1];
    if (cache->replacement_ops->on_evict)
        cache->replacement_ops->on_evict(t->self, set, way, &t->eviction, &t->request);
    if (cache->predictor_ops->on_evict)
        cache->predictor_ops->on_evict(t->guard, set, way, &t->eviction, &t->request);
}

/* Handle a refusal by the policy. False: the way is invalid and no bypass; the general path must report an error. */
static GPCI_NOINLINE bool decline(table *t, uint32_t at, uint32_t way) {
    uint32_t store = t->kinds ? t->kinds[at] : 0;
    t->block.results[at] = (uint8_t)(GPC_BATCH_BYPASSED | store * GPC_BATCH_WRITE_BELOW);
    return way == GPC_WAY_BYPASS;
}

/* Take a free way of a set, or GPCI_NO_WAY. */
static GPCI_NOINLINE uint32_t claim_free_way(gpc_cache *cache, size_t base) {
    uint32_t way = gpci_match(cache->tags + base, 0, cache->row, 0);
    if (way >= cache->ways)
        return GPCI_NO_WAY;
    cache->free_ways--;
    return way;
}

GPCI_INLINE void touch(table *t, uint32_t set, uint32_t way, bool guarded) {
    if (guarded && t->orders)
        t->orders[set] = gpci_recency_touch(t->orders[set], way);
    else if (t->on_hit)
        t->on_hit(t->self, set, way, &t->request);
    if (guarded && t->guard_ops->on_hit)
        t->guard_ops->on_hit(t->guard, set, way, &t->request);
}

GPCI_INLINE void fill(table *t, uint32_t set, uint32_t way, bool guarded) {
    if (guarded && t->orders)
        t->orders[set] = gpci_recency_touch(t->orders[set], way);
    else if (t->on_fill)
        t->on_fill(t->self, set, way, &t->request);
    if (guarded && t->guard_ops->on_fill)
        t->guard_ops->on_fill(t->guard, set, way, &t->request);
}

/* Ask the predictor about access `at`. True if the access bypasses. */
static bool guarded_off(table *t, uint32_t at, uint32_t set) {
    gpc_prediction prediction = {GPC_CACHE, 0};
    t->asked++;
    t->guard_ops->predict(t->guard, set, &t->request, &prediction);
    if (prediction.decision != GPC_BYPASS)
        return false;
    decline(t, at, GPC_WAY_BYPASS);
    return true;
}

/* Handle a miss of access `at`. False: the general path must report an error. */
GPCI_INLINE bool table_miss(table *t, uint32_t at, uint32_t set, size_t base, uint32_t ways, bool stores,
                            bool guarded) {
    uint32_t flags = 0, way = GPCI_NO_WAY;
    if (guarded || t->prepares) {
        if (t->on_miss)
            t->on_miss(t->self, set, &t->request);
        if (guarded && (t->request.kind || !t->guard_ops->before_lookup) && guarded_off(t, at, set))
            return true;
        if (GPCI_UNLIKELY(t->cache->free_ways))
            way = claim_free_way(t->cache, base);
    }
    if (way == GPCI_NO_WAY) {
        way = guarded && t->orders ? gpci_recency_last(t->orders[set], ways)
                                   : t->choose_victim(t->self, set, NULL, &t->request);
        if (GPCI_UNLIKELY(way >= ways))
            return decline(t, at, way);
        flags = GPC_BATCH_EVICTED | (t->states[base + way] >> GPCI_DIRTY_SHIFT & 1) * GPC_BATCH_WRITE_BACK;
        t->block.left[at] = t->tags[base + way];
        if (t->tell_evict)
            tell_evict(t, set, way, base + way);
    }
    t->tags[base + way] = t->block.tags[at];
    t->states[base + way] = 1u | (stores ? (uint32_t)t->kinds[at] << GPCI_DIRTY_SHIFT : 0);
    t->block.results[at] = (uint8_t)flags;
    fill(t, set, way, guarded);
    return true;
}

GPCI_INLINE void describe_access(table *t, uint32_t at) {
    t->request.pc = t->pcs[at];
    t->request.warp = t->warps[at];
    t->request.next_use = t->next_uses[at];
}

/* Run a block; results are preset to hits. Returns the number of accesses done: fewer if an error must be reported. */
GPCI_INLINE uint32_t table_block(table *t, uint32_t fixed, bool stores, bool guarded) {
    const uint32_t length = t->block.length;
    for (uint32_t at = 0; at < length; at++) {
        uint32_t set = t->block.sets[at];
        size_t base = (size_t)set * (fixed ? fixed : t->cache->row);
        t->request.address = t->addresses[at];
        if (stores)
            t->request.kind = t->kinds[at];
        if (t->described)
            describe_access(t, at);
        if (guarded && t->guard_ops->before_lookup && !t->request.kind && guarded_off(t, at, set)) {
            t->skipped++;
            continue;
        }
        uint32_t way = find_in_row(t->tags + base, t->cache->row, t->block.tags[at], (int)fixed);
        if (way == GPCI_NO_WAY) {
            if (GPCI_UNLIKELY(!table_miss(t, at, set, base, fixed ? fixed : t->cache->ways, stores, guarded)))
                return at;
            continue;
        }
        if (stores)
            t->states[base + way] |= (uint32_t)t->kinds[at] << GPCI_DIRTY_SHIFT;
        touch(t, set, way, guarded);
    }
    return length;
}

/* As table_block, for a full cache and a policy with only hit and fill functions. */
GPCI_INLINE uint32_t short_block(table *t, uint32_t ways, bool stores) {
    const uint32_t length = t->block.length;
    for (uint32_t at = 0; at < length; at++) {
        uint32_t set = t->block.sets[at];
        size_t base = (size_t)set * ways;
        uint32_t way = find_in_row(t->tags + base, ways, t->block.tags[at], (int)ways);
        if (way != GPCI_NO_WAY) {
            if (stores)
                t->states[base + way] |= (uint32_t)t->kinds[at] << GPCI_DIRTY_SHIFT;
            t->on_hit(t->self, set, way, &t->request);
            continue;
        }
        way = t->choose_victim(t->self, set, NULL, &t->request);
        if (GPCI_UNLIKELY(way >= ways)) {
            if (!decline(t, at, way))
                return at;
            continue;
        }
        uint32_t *tag = t->tags + base + way, *state = t->states + base + way;
        t->block.left[at] = *tag;
        t->block.results[at] = (uint8_t)(GPC_BATCH_EVICTED | (*state >> GPCI_DIRTY_SHIFT & 1) * GPC_BATCH_WRITE_BACK);
        *tag = t->block.tags[at];
        *state = 1u | (stores ? (uint32_t)t->kinds[at] << GPCI_DIRTY_SHIFT : 0);
        t->on_fill(t->self, set, way, &t->request);
    }
    return length;
}

typedef uint32_t (*block_fn)(table *t);

#define BLOCK_FN(name, ways, stores, guarded)         \
    static GPCI_NOINLINE uint32_t name(table *t) {    \
        return table_block(t, ways, stores, guarded); \
    }
BLOCK_FN(loads_of_4, 4, false, false)
BLOCK_FN(accesses_of_4, 4, true, false)
BLOCK_FN(guarded_of_4, 4, t->kinds, true)
BLOCK_FN(loads_of_16, 16, false, false)
BLOCK_FN(accesses_of_16, 16, true, false)
BLOCK_FN(guarded_of_16, 16, t->kinds, true)
BLOCK_FN(accesses_of_any, 0, t->kinds, false)
BLOCK_FN(guarded_of_any, 0, t->kinds, true)
#undef BLOCK_FN

#define SHORT_FN(name, ways, stores)               \
    static GPCI_NOINLINE uint32_t name(table *t) { \
        return short_block(t, ways, stores);       \
    }
SHORT_FN(short_loads_of_4, 4, false)
SHORT_FN(short_accesses_of_4, 4, true)
SHORT_FN(short_loads_of_16, 16, false)
SHORT_FN(short_accesses_of_16, 16, true)
#undef SHORT_FN

/* Short loop, or NULL if policy or cache need more. */
static block_fn short_fn_for(const table *t, uint32_t fixed) {
    const gpc_replacement_ops *ops = t->cache->replacement_ops;
    if (!fixed || t->cache->guarded || t->prepares || t->tell_evict || ops->reads != GPC_READS_PLACE ||
        ops->reads_with || !t->on_hit || !t->on_fill)
        return NULL;
    if (fixed == 4)
        return t->kinds ? short_accesses_of_4 : short_loads_of_4;
    return t->kinds ? short_accesses_of_16 : short_loads_of_16;
}

static block_fn block_fn_for(const gpc_cache *cache, uint32_t fixed, bool stores) {
    if (fixed == 4)
        return cache->guarded ? guarded_of_4 : stores ? accesses_of_4 : loads_of_4;
    if (fixed == 16)
        return cache->guarded ? guarded_of_16 : stores ? accesses_of_16 : loads_of_16;
    return cache->guarded ? guarded_of_any : accesses_of_any;
}

static void count_results(const uint8_t *restrict results, uint32_t length, gpci_counts *n) {
    uint32_t hits = 0, evictions = 0, write_backs = 0, bypasses = 0, store_bypasses = 0;
    for (uint32_t i = 0; i < length; i++) {
        hits += results[i] & 1u;
        evictions += results[i] >> 1 & 1u;
        write_backs += results[i] >> 2 & 1u;
        bypasses += results[i] >> 3 & 1u;
        store_bypasses += results[i] >> 5 & 1u;
    }
    n->hits += hits;
    n->evictions += evictions;
    n->write_backs += write_backs;
    n->bypasses += bypasses;
    n->store_bypasses += store_bypasses;
}

static void open_table(table *t, gpc_cache *cache, const gpc_batch *batch) {
    const gpc_replacement_ops *ops = cache->replacement_ops;
    t->self = cache->replacement_self;
    t->tags = cache->tags;
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
    gpci_counts n = {0};
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
        count_results(t.block.results, t.block.length, &n);
        if (t.kinds)
            count_stores(t.kinds, t.block.results, t.block.length, &n);
        if (batch->results)
            memcpy(batch->results + at, t.block.results, t.block.length);
        if (batch->evicted)
            report_evicted(cache, &t.block, batch->evicted + at);
        at += t.block.length;
    } while (at < batch->count && t.block.length && t.block.length == length);
    n.accesses = at - first;
    gpci_settle(&cache->stats, &n, !batch->size || batch->size == cache->options.line_bytes);
    cache->stats.predictions += cache->predicts ? t.asked : 0;
    cache->stats.line_misses -= t.skipped;
    return at;
}
