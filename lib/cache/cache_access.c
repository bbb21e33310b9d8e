/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/cache.h"
#include "policies/replacement/candidates.h"

#include <string.h>

/*
 * The three steps of an access: lookup, reserve, fill. Example, 2 sectors (masks in binary), allocate on miss:
 *
 *   load sector 0 of A   lookup MISS, fetch 01   reserve: way 0, pending 01   fill: valid 01
 *   load sectors 0, 1    lookup SECTOR_MISS, hit 01, fetch 10   reserve: pending 10   fill: valid 11
 *   load sectors 0, 1    lookup HIT
 */

/* If a request lacks a token that it needs, let the request bypass; no policy is asked. */
bool gpci_bars(gpc_cache *cache, const gpc_request *request, gpc_access_result *result) {
    if (!gpci_may_not_fill(cache, request))
        return false;
    cache->stats.token_bypasses++;
    result->admission = GPC_DECLINED;
    return true;
}

gpc_decision gpci_predict(gpc_cache *cache, const gpc_request *request, uint32_t set, uint32_t *word) {
    gpc_prediction prediction = {GPC_CACHE, 0};
    if (!cache->always_cache && !(cache->by_hint && request->hint == GPC_HINT_NONE)) {
        cache->stats.predictions += cache->predicts;
        cache->predictor_ops->predict(cache->predictor_self, set, gpci_shown(cache, request), &prediction);
        *word = prediction.policy_word;
    }
    gpc_decision decision = prediction.decision == GPC_BYPASS ? GPC_BYPASS : GPC_CACHE;
    if (GPCI_UNLIKELY(cache->next_uses != NULL))
        gpci_oracle_compare(cache, request, set, decision);
    return decision;
}

static void count_bypass(gpc_cache *cache, const gpci_view *view, gpc_access_result *result) {
    bool all = cache->options.bypass_fetch == GPC_BYPASS_FETCH_ALL;
    uint8_t fetch = all ? gpci_widen(cache, view->need) : view->need;
    result->outcome = GPC_BYPASSED;
    result->fetch_sectors = fetch;
    cache->stats.bypasses++;
    cache->stats.bypassed_sectors += gpci_count_sectors(fetch);
    cache->stats.fetched_sectors += gpci_count_sectors(fetch);
}

static void count_warp_reuse(gpc_cache *cache, const gpc_request *request, size_t slot) {
    if (cache->reuse)
        cache->reuse[slot] += !request->continues;
    if (cache->warps) {
        if (cache->warps[slot] == request->warp)
            cache->stats.intra_warp_hits++;
        else
            cache->stats.inter_warp_hits++;
    }
}

/* Lazy fetch: true if a byte of the sectors has been stored. */
static GPCI_COLD bool was_written(const gpc_cache *cache, size_t slot, uint8_t sectors) {
    const gpci_bytes bytes = gpci_bytes_of(cache, sectors), *written = &cache->written[slot];
    return ((written->word[0] & bytes.word[0]) | (written->word[1] & bytes.word[1])) != 0;
}

/*
 * True if the request uses its line again: a needed sector is valid or pending, or has stored bytes. False if the
 * needed sectors are used for the first time. False if the request is a further part of the access before (continues).
 */
GPCI_INLINE bool uses_again(const gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way) {
    const size_t slot = gpci_slot(cache, view->set, way);
    const uint32_t state = cache->states[slot];
    if (GPCI_UNLIKELY(request->continues))
        return false;
    return GPCI_LIKELY(view->need & (GPCI_VALID(state) | GPCI_PENDING(state))) ||
           (cache->written && was_written(cache, slot, view->need));
}

static GPCI_COLD void tell_sector_miss(gpc_cache *cache, const gpc_request *request, uint32_t set, uint32_t way) {
    if (!cache->lru && cache->replacement_ops->on_sector_miss)
        cache->replacement_ops->on_sector_miss(cache->replacement_self, set, way, gpci_shown(cache, request));
    if (cache->predictor_ops->on_sector_miss)
        cache->predictor_ops->on_sector_miss(cache->predictor_self, set, way, gpci_shown(cache, request));
}

/* Number of persisting lines (GPC_EVICT_LAST) in the set. */
static uint32_t count_last(const gpc_cache *cache, uint32_t set) {
    const uint32_t *states = cache->states + gpci_slot(cache, set, 0),
                   *tags = cache->tags.words + gpci_slot(cache, set, 0);
    uint32_t count = 0;
    for (uint32_t way = 0; way < cache->ways; way++)
        count += tags[way] && GPCI_PRIORITY(states[way]) == GPC_EVICT_LAST;
    return count;
}

/* True if the request asks for a persisting line, but its set already has as many as options.last_ways allows. */
GPCI_INLINE bool is_beyond(const gpc_cache *cache, const gpc_request *request, uint32_t set) {
    if (GPCI_LIKELY(!cache->options.last_ways) || request->priority != GPC_EVICT_LAST)
        return false;
    return cache->options.last_ways == GPC_NO_LAST_WAYS || count_last(cache, set) >= cache->options.last_ways;
}

/* On a hit, give the line the request's priority. The request's priority is not GPC_EVICT_NORMAL. */
static void change_priority(gpc_cache *cache, const gpc_request *request, uint32_t set, uint32_t way) {
    uint32_t *state = &cache->states[gpci_slot(cache, set, way)];
    if (GPCI_PRIORITY(*state) == request->priority || is_beyond(cache, request, set))
        return;
    *state = (*state & ~GPCI_PRIORITY_MASK) | (uint32_t)request->priority << GPCI_PRIORITY_SHIFT;
    cache->priorities = true;
    gpci_classify_quick(cache);
}

/*
 * Update a line that a lookup has found, and tell the policies. `again`: the policies are told a hit. Not `again`: the
 * needed sectors are used for the first time, and the policies are told a sector miss.
 */
static void tell_found(gpc_cache *cache, const gpc_request *request, uint32_t set, uint32_t way, bool again) {
    if (request->priority != GPC_EVICT_NORMAL)
        change_priority(cache, request, set, way);
    if (cache->next_uses)
        cache->next_uses[gpci_slot(cache, set, way)] = request->policy.next_use;
    if (GPCI_UNLIKELY(cache->spare_ways))
        cache->states[gpci_slot(cache, set, way)] |= GPCI_USED_AGAIN;
    if (GPCI_UNLIKELY(cache->token_state != NULL))
        gpci_tokens_own(cache->token_state, request, gpci_slot(cache, set, way));
    if (cache->lru)
        gpci_lru_touch(cache->replacement_self, set, way);
    if (GPCI_UNLIKELY(!again)) {
        if (!cache->lru || !cache->always_cache)
            tell_sector_miss(cache, request, set, way);
        return;
    }
    if (!cache->lru && cache->replacement_ops->on_hit)
        cache->replacement_ops->on_hit(cache->replacement_self, set, way, gpci_shown(cache, request));
    if (!cache->always_cache && cache->predictor_ops->on_hit)
        cache->predictor_ops->on_hit(cache->predictor_self, set, way, gpci_shown(cache, request));
}

static void lookup_read(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                        gpc_access_result *result) {
    gpci_cache_stats *stats = &cache->stats;
    stats->reads++;
    stats->read_sectors += gpci_count_sectors(view->need);
    if (way == GPCI_NO_WAY) {
        stats->line_misses++;
        result->outcome = GPC_MISS;
        if (gpci_bars(cache, request, result) ||
            (!cache->predictor_ops->before_lookup &&
             gpci_predict(cache, request, view->set, &result->policy_word) == GPC_BYPASS)) {
            count_bypass(cache, view, result);
            return;
        }
        result->fetch_sectors = gpci_widen(cache, view->need);
        stats->fetched_sectors += gpci_count_sectors(result->fetch_sectors);
        return;
    }
    size_t slot = gpci_slot(cache, view->set, way);
    uint32_t state = cache->states[slot];
    gpci_findings found = gpci_examine(view, state);
    result->outcome = (uint8_t)gpci_outcome_of(found);
    result->hit_sectors = found.hit;
    stats->read_sector_hits += gpci_count_sectors(found.hit);
    stats->pending_sector_hits += gpci_count_sectors(found.waiting);
    if (!found.missing) {
        stats->read_hits++;
        count_warp_reuse(cache, request, slot);
        return;
    }
    stats->sector_misses++;
    result->fetch_sectors = gpci_widen(cache, found.missing) & (uint8_t) ~(GPCI_VALID(state) | GPCI_PENDING(state));
    stats->fetched_sectors += gpci_count_sectors(result->fetch_sectors);
}

/* Pass an atomic to the level that performs the atomic. The line is dropped: its copy would be stale. */
static void pass_atomic(gpc_cache *cache, const gpci_view *view, uint32_t way, gpc_access_result *result) {
    cache->stats.atomics++;
    cache->stats.atomic_sectors += gpci_count_sectors(view->need);
    result->outcome = GPC_BYPASSED;
    if (way != GPCI_NO_WAY) {
        result->evicted = 1;
        gpci_drop(cache, view->set, way, NULL, &result->eviction);
    }
}

bool gpci_passes_strongly(const gpc_cache *cache, const gpc_request *request) {
    return cache->strong_passes && gpci_is_read(request) && request->order != GPC_ORDER_WEAK &&
           request->scope != GPC_SCOPE_CTA && request->space == GPC_SPACE_GLOBAL;
}

/*
 * Do the rare steps before a lookup: move the tokens' clock, and let a strong load bypass. True if a strong load has
 * bypassed: the lookup is complete. Clean sectors of the line are dropped (GPU_VIPER-TCP.sm, LoadBypassEvict).
 */
static GPCI_COLD bool passes_unusually(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                                       gpc_access_result *result) {
    if (cache->token_state)
        gpci_tokens_tick(cache->token_state, request);
    if (!gpci_passes_strongly(cache, request))
        return false;
    cache->stats.reads++;
    cache->stats.read_sectors += gpci_count_sectors(view->need);
    gpci_forget_sectors(cache, request->address, view->need);
    count_bypass(cache, view, result);
    return true;
}

GPCI_INLINE void look_up(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                         gpc_access_result *result) {
    result->needed_sectors = view->need;
    result->set = view->set;
    result->way = GPCI_NO_WAY;
    if (GPCI_UNLIKELY(cache->unusual) && passes_unusually(cache, request, view, result))
        return;
    bool read = gpci_is_read(request);
    if (read && cache->predictor_ops->before_lookup &&
        gpci_predict(cache, request, view->set, &result->policy_word) == GPC_BYPASS) {
        cache->stats.reads++;
        cache->stats.read_sectors += gpci_count_sectors(view->need);
        count_bypass(cache, view, result);
        return;
    }
    uint32_t way = gpci_find(&cache->tags, view->set, view->line);
    if (gpci_is_atomic(request) && !cache->options.atomics_here) {
        pass_atomic(cache, view, way, result);
        return;
    }
    result->way = way;
    if (way != GPCI_NO_WAY)
        tell_found(cache, request, view->set, way, uses_again(cache, request, view, way));
    else if (cache->replacement_ops->on_miss && !request->continues)
        cache->replacement_ops->on_miss(cache->replacement_self, view->set, gpci_shown(cache, request));
    if (read)
        lookup_read(cache, request, view, way, result);
    else if (gpci_is_write(request))
        gpci_lookup_store(cache, request, view, way, result);
    else
        gpci_lookup_atomic(cache, request, view, way, result);
    if (!(result->fetch_sectors | result->write_sectors))
        result->policy_word = 0;
}

void gpci_lookup(gpc_cache *cache, const gpc_request *request, const gpci_view *view, gpc_access_result *result) {
    GPCI_AGAIN(gpci_cache_see(cache, view));
    look_up(cache, request, view, result);
    GPCI_AGAIN(gpci_cache_count_lookup(cache, request, view, result));
}

/* State bits: a request may not evict a line with one of the bits. `lacking`: the request has no token. */
static uint32_t excluded_by(const gpc_cache *cache, bool lacking) {
    return cache->held | (lacking ? GPCI_PRIORITISED : 0);
}

/*
 * Find the candidates for eviction. A candidate is not pending (cache->held). If `lacking`, a candidate has no priority
 * by tokens. Candidates have the lowest eviction priority among these lines. If the request asks for a persisting line
 * beyond last_ways, the candidates are the persisting lines. `*out`: mask of ways; NULL: all ways. False: none.
 */
static bool candidates_of(const gpc_cache *cache, const gpc_request *request, uint32_t set, bool lacking,
                          uint64_t *words, const uint64_t **out) {
    *out = NULL;
    if (!(cache->held && cache->pending_lines) && !cache->priorities && !lacking)
        return true;
    const uint32_t excluded = excluded_by(cache, lacking);
    static const uint8_t rank[4] = {1, 0, 2, 3}; /* by gpc_priority: normal, first, last, unused */
    const uint32_t *states = cache->states + gpci_slot(cache, set, 0);
    const bool own = cache->options.last_ways != GPC_NO_LAST_WAYS && is_beyond(cache, request, set);
    unsigned lowest = 3;
    for (uint32_t way = 0; way < cache->ways; way++)
        if (!(states[way] & excluded) && (!own || GPCI_PRIORITY(states[way]) == GPC_EVICT_LAST) &&
            rank[GPCI_PRIORITY(states[way])] < lowest)
            lowest = rank[GPCI_PRIORITY(states[way])];
    if (lowest == 3)
        return false;
    memset(words, 0, gpci_way_words(cache->ways) * sizeof *words);
    for (uint32_t way = 0; way < cache->ways; way++)
        if (!(states[way] & excluded) && rank[GPCI_PRIORITY(states[way])] == lowest)
            gpci_bit_set(words, way);
    *out = words;
    return true;
}

/* candidates_of for any request. A request with a token evicts prioritised lines only if no other candidate exists. */
static bool candidates_for(const gpc_cache *cache, const gpc_request *request, uint32_t set, uint64_t *words,
                           const uint64_t **out) {
    const bool lacking = gpci_lacks_token(cache, request);
    return (GPCI_UNLIKELY(cache->token_state != NULL) && candidates_of(cache, request, set, true, words, out)) ||
           candidates_of(cache, request, set, lacking, words, out);
}

/*
 * Least recent line among the candidates of candidates_for, for LRU without eviction priorities; GPCI_NO_WAY: none. The
 * function seldom looks at every way.
 */
static uint32_t lru_candidate(const gpc_cache *cache, uint32_t set, bool lacking) {
    const uint32_t *states = cache->states + gpci_slot(cache, set, 0);
    uint32_t way = GPCI_NO_WAY;
    if (cache->token_state && !lacking)
        way = gpci_lru_last_without(cache->replacement_self, set, states, excluded_by(cache, true));
    return way == GPCI_NO_WAY ? gpci_lru_last_without(cache->replacement_self, set, states, excluded_by(cache, lacking))
                              : way;
}

/*
 * True if the request is a further part of an access (continues), and the policy has refused the line for the first
 * part. The policy is not asked again: a random policy would draw again, and other policies would count another miss.
 */
GPCI_INLINE bool was_declined(const gpc_cache *cache, const gpc_request *request) {
    return GPCI_UNLIKELY(request->continues) && cache->declined == (request->address >> cache->line_shift) + 1;
}

/* Remember the policy's answer to the first part of an access; returns the answer. */
GPCI_INLINE bool note_declined(gpc_cache *cache, const gpc_request *request, bool declined) {
    if (!request->continues)
        cache->declined = declined ? (request->address >> cache->line_shift) + 1 : 0;
    return declined;
}

void gpci_ask_admission(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                        gpc_access_result *result) {
    uint64_t words[GPC_MAX_WAYS / 64];
    const uint64_t *candidates;
    if (!gpci_bars(cache, request, result)) {
        bool lacking = gpci_lacks_token(cache, request);
        if (gpci_free_way(cache, view->set) < cache->ways)
            return;
        if (candidates_for(cache, request, view->set, words, &candidates)) {
            if (!cache->replacement_ops->declines)
                return;
            result->admission = GPC_ADMITTED;
            if (!was_declined(cache, request) &&
                !note_declined(cache, request,
                               cache->replacement_ops->declines(cache->replacement_self, view->set, candidates,
                                                                gpci_shown(cache, request))))
                return;
        } else if (!lacking) {
            return;
        } else {
            cache->stats.token_bypasses++;
        }
        result->admission = GPC_DECLINED;
    }
    GPCI_AGAIN(cache->again.token_bypasses +=
               gpci_lacks_token(cache, request) &&
               (gpci_may_not_fill(cache, request) || !candidates_for(cache, request, view->set, words, &candidates)));
    result->outcome = GPC_BYPASSED;
    gpci_decline(cache, request, view, result->fetch_sectors, result);
}

/*
 * Set the outcome if no line can be evicted. A request without a token (`lacking`) bypasses. For any other request all
 * lines are pending: the outcome is GPC_NO_VICTIM, and the request must wait.
 */
static void find_none(gpc_cache *cache, bool lacking, gpc_access_result *result) {
    result->outcome = lacking ? GPC_BYPASSED : GPC_NO_VICTIM;
    GPCI_AGAIN(cache->again.token_bypasses += result->outcome == GPC_BYPASSED);
    cache->stats.token_bypasses += lacking;
    cache->stats.no_victims += !lacking;
}

/* Let the policy choose a way in a full set. GPCI_NO_WAY: result->outcome has the reason. */
static gpc_status choose_of(gpc_cache *cache, const gpc_request *request, uint32_t set, gpc_access_result *result,
                            uint32_t *out_way) {
    uint64_t words[GPC_MAX_WAYS / 64];
    const uint64_t *candidates;
    bool lacking = gpci_lacks_token(cache, request);
    *out_way = GPCI_NO_WAY;
    if (cache->lru && !cache->priorities && (cache->pending_lines || lacking || cache->token_state)) {
        *out_way = lru_candidate(cache, set, lacking);
        if (*out_way == GPCI_NO_WAY)
            find_none(cache, lacking, result);
        return GPC_OK;
    }
    if (!candidates_for(cache, request, set, words, &candidates)) {
        find_none(cache, lacking, result);
        return GPC_OK;
    }
    if (was_declined(cache, request)) {
        result->outcome = GPC_BYPASSED;
        return GPC_OK;
    }
    uint32_t way = cache->lru ? gpci_lru_last(cache->replacement_self, set, candidates)
                              : cache->replacement_ops->choose_victim(cache->replacement_self, set, candidates,
                                                                      gpci_shown(cache, request));
    if (note_declined(cache, request, way == GPC_WAY_BYPASS)) {
        result->outcome = GPC_BYPASSED;
        return GPC_OK;
    }
    if (!gpci_is_choice(candidates, cache->ways, way))
        return gpci_cache_refuse(cache, set, way);
    *out_way = way;
    return GPC_OK;
}

/*
 * Choose the line to evict if the set has a free way, but the cache has no data for another line (gpci_is_full). A
 * clock goes through all sets, and takes the first line not hit since the clock's last visit; persisting lines only in
 * the third round. The replacement policy, which decides within a set, does not choose.
 *
 * Example, 2 sets of 2 ways, data for 3 lines: A and B in set 0, C in set 1; A and C have been hit. For D of set 1 the
 * clock passes A, clears A's GPCI_USED_AGAIN, and takes B. For E of set 0 the clock passes C, clears C's flag, and
 * takes D.
 */
static void choose_by_clock(gpc_cache *cache, const gpc_request *request, uint32_t *set, gpc_access_result *result,
                            uint32_t *out_way) {
    const bool lacking = gpci_lacks_token(cache, request);
    const uint32_t slots = cache->sets * cache->ways, excluded = excluded_by(cache, lacking);
    *out_way = GPCI_NO_WAY;
    for (uint64_t passed = 0; passed < 3 * (uint64_t)slots; passed++) {
        const uint32_t at = cache->hand, way = at % cache->ways;
        const size_t slot = gpci_slot(cache, at / cache->ways, way);
        uint32_t *state = &cache->states[slot];
        cache->hand = at + 1 < slots ? at + 1 : 0;
        const bool persists = GPCI_PRIORITY(*state) == GPC_EVICT_LAST && passed < 2 * (uint64_t)slots;
        if (!cache->tags.words[slot] || *state & excluded || persists)
            continue;
        if (!(*state & GPCI_USED_AGAIN)) {
            *set = at / cache->ways;
            *out_way = way;
            return;
        }
        *state &= ~GPCI_USED_AGAIN;
    }
    find_none(cache, lacking, result);
}

gpc_status gpci_choose(gpc_cache *cache, const gpc_request *request, uint32_t *set, bool full,
                       gpc_access_result *result, uint32_t *out_way) {
    if (GPCI_LIKELY(full))
        return choose_of(cache, request, *set, result, out_way);
    choose_by_clock(cache, request, set, result, out_way);
    return GPC_OK;
}

static void tell_fill(gpc_cache *cache, const gpc_request *request, uint32_t set, uint32_t way) {
    if (cache->lru)
        gpci_lru_touch(cache->replacement_self, set, way);
    else if (cache->replacement_ops->on_fill)
        cache->replacement_ops->on_fill(cache->replacement_self, set, way, gpci_shown(cache, request));
    if (!cache->always_cache && cache->predictor_ops->on_fill)
        cache->predictor_ops->on_fill(cache->predictor_self, set, way, gpci_shown(cache, request));
}

void gpci_classify_quick(gpc_cache *cache) {
    cache->quick = cache->plain && !cache->guarded && cache->lru && cache->tags.started && !cache->tags.wide &&
                   !cache->priorities && cache->options.index == GPC_INDEX_MODULO;
}

void gpci_admit_high(gpc_cache *cache, uint64_t line) {
    uint32_t high = (uint32_t)(line >> GPCI_TAG_BITS);
    gpci_tags *tags = &cache->tags;
    if (!tags->started) {
        tags->started = true;
        tags->high = high;
    } else if (!tags->wide && high != tags->high) {
        tags->wide = true;
        for (size_t slot = 0; slot < (size_t)cache->sets * tags->row; slot++)
            tags->highs[slot] = tags->high;
    } else {
        return;
    }
    gpci_classify_quick(cache);
}

/* Set the tracked values of a new line (reuse, next use, warp, written bytes). */
GPCI_INLINE void start_line(gpc_cache *cache, const gpc_request *request, size_t slot) {
    if (cache->reuse)
        cache->reuse[slot] = 0;
    if (cache->next_uses)
        cache->next_uses[slot] = request->policy.next_use;
    if (cache->warps)
        cache->warps[slot] = request->warp;
    if (cache->written)
        cache->written[slot] = (gpci_bytes){{0, 0}};
}

gpc_status gpci_take_way(gpc_cache *cache, const gpc_request *request, const gpci_view *view, gpc_access_result *result,
                         uint32_t *out_way) {
    *out_way = GPCI_NO_WAY;
    if (gpci_bars(cache, request, result)) {
        GPCI_AGAIN(cache->again.token_bypasses++);
        result->outcome = GPC_BYPASSED;
        return GPC_OK;
    }
    uint32_t way = gpci_free_way(cache, view->set);
    const bool full = way >= cache->ways;
    if (full || GPCI_UNLIKELY(gpci_is_full(cache))) {
        uint32_t set = view->set, leaves;
        gpc_status status = gpci_choose(cache, request, &set, full, result, &leaves);
        if (status < 0 || leaves == GPCI_NO_WAY)
            return status;
        result->evicted = 1;
        if (GPCI_UNLIKELY(cache->token_state != NULL))
            cache->stats.priority_evictions += (cache->states[gpci_slot(cache, set, leaves)] & GPCI_PRIORITISED) != 0;
        gpci_drop(cache, set, leaves, request, &result->eviction);
        GPCI_AGAIN(cache->again.evictions++);
        GPCI_AGAIN(cache->again.zero_reuse_evictions += cache->reuse && !result->eviction.reuse_count);
        way = full ? leaves : way;
    }
    cache->free_ways--;
    gpci_admit_high(cache, view->line);
    size_t slot = gpci_slot(cache, view->set, way);
    gpci_tags_put(&cache->tags, slot, view->line);
    cache->states[slot] = 0; /* clear first: the leaving line does not count among the persisting lines */
    const uint32_t priority = is_beyond(cache, request, view->set) ? GPC_EVICT_NORMAL : request->priority;
    cache->states[slot] = priority << GPCI_PRIORITY_SHIFT;
    if (priority != GPC_EVICT_NORMAL && !cache->priorities) {
        cache->priorities = true;
        gpci_classify_quick(cache);
    }
    if (GPCI_UNLIKELY(cache->token_state != NULL)) {
        cache->stats.opportunistic_fills += request->policy.token == GPC_TOKEN_NONE;
        gpci_tokens_fill(cache->token_state, request, slot);
    }
    if (cache->tracks)
        start_line(cache, request, slot);
    cache->stats.fills++;
    GPCI_AGAIN(cache->again.opportunistic_fills += cache->token_state && request->policy.token == GPC_TOKEN_NONE);
    tell_fill(cache, request, view->set, way);
    *out_way = way;
    return GPC_OK;
}

void gpci_complete(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way, uint8_t sectors) {
    gpci_arrive(cache, gpci_slot(cache, view->set, way), sectors);
    if (!gpci_is_read(request) && !(gpci_is_write(request) && /* a naive store has gone below */
                                    gpci_write_allocate(cache, request) == GPC_WRITE_NAIVE_FETCH))
        sectors |= gpci_apply_write(cache, request, view, way, view->need);
    gpci_notify_sectors(cache, request, view, way, sectors);
}

void gpci_notify_sectors(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                         uint8_t sectors) {
    if (sectors && cache->options.on_fill)
        cache->options.on_fill(cache->options.callback_data, view->line << cache->line_shift, view->set, way, sectors,
                               request);
}

void gpci_cache_reset_last(gpc_cache *cache) {
    for (size_t slot = 0; slot < (size_t)cache->sets * cache->tags.row; slot++)
        if (GPCI_PRIORITY(cache->states[slot]) == GPC_EVICT_LAST)
            cache->states[slot] &= ~GPCI_PRIORITY_MASK;
}

/* Prefetch tag, state and links of the least recent line of a set: a miss evicts the line. */
static void expect_oldest(const gpc_cache *cache, uint32_t set) {
    const gpci_lru_state *lru = cache->replacement_self;
    const uint32_t oldest = lru->ends[set].oldest;
    const size_t slot = gpci_slot(cache, set, oldest);
    GPCI_PREFETCH(cache->tags.words + slot);
    GPCI_PREFETCH(cache->states + slot);
    GPCI_PREFETCH(gpci_lru_links(lru, set) + oldest);
}

void gpci_sw_prefetch_slot(const gpc_cache *cache, size_t slot) {
    if (slot >= (size_t)cache->sets * cache->tags.row)
        return;
    GPCI_PREFETCH(cache->tags.words + slot);
    GPCI_PREFETCH(cache->states + slot);
}

void gpci_sw_prefetch_place(const gpc_cache *cache, uint64_t address) {
    const gpci_places *places = cache->tags.places;
    if (!places)
        return;
    const uint64_t line = address >> cache->line_shift;
    const uint32_t hash = gpci_places_hash(line), entry = places->table[hash >> places->home];
    if (entry && !((entry ^ hash) & ~places->slot)) {
        gpci_sw_prefetch_slot(cache, (entry & places->slot) - (size_t)1);
    } else if (cache->lru && !cache->free_ways) {
        const uint32_t set = gpci_index_of(&cache->index, line);
        const gpci_lru_state *lru = cache->replacement_self;
        const uint64_t leaves = gpci_line_at(&cache->tags, gpci_slot(cache, set, lru->ends[set].oldest));
        GPCI_PREFETCH(places->table + (gpci_places_hash(leaves) >> places->home));
    }
}

void gpci_sw_prefetch_set(const gpc_cache *cache, uint64_t address) {
    uint32_t set = gpci_index_of(&cache->index, address >> cache->line_shift);
    size_t slot = gpci_slot(cache, set, 0);
    if (cache->tags.places) {
        GPCI_PREFETCH(cache->tags.places->table +
                      (gpci_places_hash(address >> cache->line_shift) >> cache->tags.places->home));
        if (cache->lru && !cache->free_ways)
            expect_oldest(cache, set);
        return;
    }
    for (uint32_t way = 0; way < cache->tags.row; way += 16) {
        GPCI_PREFETCH(cache->tags.words + slot + way);
        GPCI_PREFETCH(cache->states + slot + way);
    }
    if (!cache->lru)
        return;
    const gpci_lru_state *lru = cache->replacement_self;
    GPCI_PREFETCH(lru->orders + set);
    if (lru->ways > GPCI_RECENCY_WAYS) {
        GPCI_PREFETCH(gpci_lru_links(lru, set));
        GPCI_PREFETCH(gpci_lru_links(lru, set) + lru->ways - 1);
    }
}
