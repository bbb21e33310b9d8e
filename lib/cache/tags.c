/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/cache.h"

/* Removal of lines, and views of resident lines. */

void gpci_describe(const gpc_cache *cache, uint32_t set, uint32_t way, gpc_eviction *eviction) {
    size_t slot = gpci_slot(cache, set, way);
    uint32_t state = cache->states[slot];
    gpci_bytes dirty = {{0, 0}};
    if (GPCI_DIRTY(state) && cache->options.line_bytes <= 128) {
        dirty = gpci_bytes_of(cache, GPCI_DIRTY(state));
        if (cache->written) {
            dirty.word[0] &= cache->written[slot].word[0];
            dirty.word[1] &= cache->written[slot].word[1];
        }
    }
    *eviction = (gpc_eviction){.line_address = gpci_line_at(&cache->tags, slot) << cache->line_shift,
                               .set = set,
                               .way = way,
                               .reuse_count = cache->reuse ? cache->reuse[slot] : 0,
                               .valid_sectors = GPCI_VALID(state),
                               .dirty_sectors = GPCI_DIRTY(state),
                               .dirty_bytes = {dirty.word[0], dirty.word[1]}};
}

static void count_write_back(gpc_cache *cache, uint8_t dirty) {
    cache->stats.write_backs += dirty != 0;
    cache->stats.write_back_sectors += gpci_count_sectors(dirty);
}

static void tell_policies(gpc_cache *cache, uint32_t set, uint32_t way, const gpc_request *request,
                          const gpc_eviction *eviction) {
    const gpc_replacement_ops *replacement = cache->replacement_ops;
    const gpc_predictor_ops *predictor = cache->predictor_ops;
    if (request) {
        if (replacement->on_evict)
            replacement->on_evict(cache->replacement_self, set, way, eviction, gpci_shown(cache, request));
        if (predictor->on_evict)
            predictor->on_evict(cache->predictor_self, set, way, eviction, gpci_shown(cache, request));
    } else {
        if (replacement->on_invalidate)
            replacement->on_invalidate(cache->replacement_self, set, way);
        if (predictor->on_invalidate)
            predictor->on_invalidate(cache->predictor_self, set, way);
    }
}

void gpci_drop(gpc_cache *cache, uint32_t set, uint32_t way, const gpc_request *request, gpc_eviction *eviction) {
    gpci_describe(cache, set, way, eviction);
    eviction->forced = request == NULL;
    size_t slot = gpci_slot(cache, set, way);
    GPCI_AGAIN(cache->again.priority_evictions += request && cache->states[slot] & GPCI_PRIORITISED);
    GPCI_AGAIN(cache->again.write_backs += GPCI_DIRTY(cache->states[slot]) != 0);
    GPCI_AGAIN(cache->again.write_back_sectors += gpci_count_sectors(GPCI_DIRTY(cache->states[slot])));
    GPCI_AGAIN(cache->again.invalidations += !request);
    cache->pending_lines -= (cache->states[slot] & GPCI_PENDING_MASK) != 0;
    cache->free_ways++;
    gpci_tags_remove(&cache->tags, slot);
    cache->states[slot] = 0;
    if (request) {
        cache->stats.evictions++;
        cache->stats.zero_reuse_evictions += cache->reuse && !eviction->reuse_count;
    } else {
        cache->stats.invalidations++;
    }
    count_write_back(cache, eviction->dirty_sectors);
    tell_policies(cache, set, way, request, eviction);
    if (cache->options.on_evict)
        cache->options.on_evict(cache->options.callback_data, eviction, request);
}

static void drop_line(gpc_cache *cache, uint64_t line) {
    uint32_t set = gpci_index_of(&cache->index, line), way = gpci_find(&cache->tags, set, line);
    gpc_eviction eviction;
    if (way != GPCI_NO_WAY)
        gpci_drop(cache, set, way, NULL, &eviction);
}

gpc_status gpc_cache_invalidate_line(gpc_cache *cache, uint64_t address, gpc_error *error) {
    if (!cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_invalidate_line: cache is NULL");
    drop_line(cache, address >> cache->line_shift);
    return GPC_OK;
}

gpc_status gpc_cache_invalidate_range(gpc_cache *cache, uint64_t address, uint64_t bytes, gpc_error *error) {
    if (!cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_invalidate_range: cache is NULL");
    if (bytes && address > UINT64_MAX - (bytes - 1))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_invalidate_range: bytes go beyond the last address");
    if (!bytes)
        return GPC_OK;
    uint64_t first = address >> cache->line_shift, last = (address + bytes - 1) >> cache->line_shift;
    if (last - first < (uint64_t)cache->sets * cache->ways) {
        for (uint64_t line = first; line <= last; line++)
            drop_line(cache, line);
        return GPC_OK;
    }
    /* a range larger than the cache: looking at every line is cheaper */
    gpc_eviction eviction;
    for (uint32_t set = 0; set < cache->sets; set++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            const size_t slot = gpci_slot(cache, set, way);
            const uint64_t line = gpci_line_at(&cache->tags, slot);
            if (cache->tags.words[slot] && line >= first && line <= last)
                gpci_drop(cache, set, way, NULL, &eviction);
        }
    return GPC_OK;
}

gpc_status gpc_cache_invalidate_all(gpc_cache *cache, gpc_error *error) {
    if (!cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_invalidate_all: cache is NULL");
    return gpc_cache_invalidate_range(cache, 0, UINT64_MAX, error);
}

/*
 * Forget the clean ones of `sectors`. If no valid, dirty or pending sector is left, remove the line, and return true.
 */
static bool forget(gpc_cache *cache, uint32_t set, uint32_t way, uint8_t sectors) {
    uint32_t *state = &cache->states[gpci_slot(cache, set, way)];
    uint8_t goes = sectors & (uint8_t)~GPCI_DIRTY(*state);
    gpc_eviction eviction;
    if ((GPCI_VALID(*state) & (uint8_t)~goes) | GPCI_DIRTY(*state) | GPCI_PENDING(*state)) {
        *state &= ~(uint32_t)goes;
        return false;
    }
    gpci_drop(cache, set, way, NULL, &eviction);
    return true;
}

uint64_t gpci_forget_clean(gpc_cache *cache) {
    uint64_t lines = 0;
    if (cache->free_ways == cache->sets * cache->ways)
        return 0;
    for (uint32_t set = 0; set < cache->sets; set++)
        for (uint32_t way = 0; way < cache->ways; way++)
            lines += cache->tags.words[gpci_slot(cache, set, way)] && forget(cache, set, way, cache->all_sectors);
    return lines;
}

void gpci_forget_sectors(gpc_cache *cache, uint64_t address, uint8_t sectors) {
    uint64_t line = address >> cache->line_shift;
    uint32_t set = gpci_index_of(&cache->index, line), way = gpci_find(&cache->tags, set, line);
    if (way != GPCI_NO_WAY)
        forget(cache, set, way, sectors);
}

void gpci_clean_line(gpc_cache *cache, const gpc_line *line) {
    size_t slot = gpci_slot(cache, line->set, line->way);
    count_write_back(cache, GPCI_DIRTY(cache->states[slot]));
    GPCI_AGAIN(cache->again.write_backs += GPCI_DIRTY(cache->states[slot]) != 0);
    GPCI_AGAIN(cache->again.write_back_sectors += gpci_count_sectors(GPCI_DIRTY(cache->states[slot])));
    cache->states[slot] &= ~(0xffu << GPCI_DIRTY_SHIFT);
    /* lazy fetch: bytes of sectors that are not valid have now been written below; the cache forgets the bytes */
    if (cache->written)
        cache->written[slot] = (gpci_bytes){{0, 0}};
}

gpc_status gpc_cache_flush(gpc_cache *cache, uint64_t *out_sectors, gpc_error *error) {
    if (!cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_flush: cache is NULL");
    uint64_t sectors = 0;
    for (uint32_t set = 0; set < cache->sets; set++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            size_t slot = gpci_slot(cache, set, way);
            uint8_t dirty = GPCI_DIRTY(cache->states[slot]);
            if (!dirty)
                continue;
            gpc_eviction eviction;
            gpci_describe(cache, set, way, &eviction);
            eviction.forced = 1;
            gpci_clean_line(cache, &(gpc_line){.set = set, .way = way});
            sectors += gpci_count_sectors(dirty);
            if (cache->options.on_evict)
                cache->options.on_evict(cache->options.callback_data, &eviction, NULL);
        }
    if (out_sectors)
        *out_sectors = sectors;
    return GPC_OK;
}

static void describe_line(const gpc_cache *cache, uint32_t set, uint32_t way, gpc_line *line) {
    size_t slot = gpci_slot(cache, set, way);
    uint32_t state = cache->states[slot];
    *line = (gpc_line){.line_address = gpci_line_at(&cache->tags, slot) << cache->line_shift,
                       .set = set,
                       .way = way,
                       .reuse_count = cache->reuse ? cache->reuse[slot] : 0,
                       .warp = cache->warps ? cache->warps[slot] : 0,
                       .valid_sectors = GPCI_VALID(state),
                       .dirty_sectors = GPCI_DIRTY(state),
                       .pending_sectors = GPCI_PENDING(state),
                       .priority = (uint8_t)GPCI_PRIORITY(state),
                       .prioritised = (state & GPCI_PRIORITISED) != 0};
    if (cache->written) {
        line->written_bytes[0] = cache->written[slot].word[0];
        line->written_bytes[1] = cache->written[slot].word[1];
    }
}

bool gpci_line_of(const gpc_cache *cache, uint64_t address, gpc_line *line) {
    uint64_t number = address >> cache->line_shift;
    uint32_t set = gpci_index_of(&cache->index, number), way = gpci_find(&cache->tags, set, number);
    if (way == GPCI_NO_WAY)
        return false;
    describe_line(cache, set, way, line);
    return true;
}

gpc_status gpc_cache_next_line(const gpc_cache *cache, uint64_t *cursor, gpc_line *line, gpc_error *error) {
    if (!cache || !cursor || !line)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_next_line: %s is NULL",
                         !cache    ? "cache"
                         : !cursor ? "cursor"
                                   : "line");
    for (uint64_t lines = (uint64_t)cache->sets * cache->ways; *cursor < lines;) {
        uint32_t set = (uint32_t)(*cursor / cache->ways), way = (uint32_t)(*cursor % cache->ways);
        ++*cursor;
        if (cache->tags.words[gpci_slot(cache, set, way)]) {
            describe_line(cache, set, way, line);
            return GPC_OK;
        }
    }
    return GPC_END;
}
