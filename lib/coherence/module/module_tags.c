/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/sharers.h"

#include "base/array.h"
#include "policies/replacement/candidates.h"

#include <string.h>

/*
 * Tags, sets, and replacement within a set.
 *
 * A block's set is (tag / block_bytes) mod sets. An interleaved module serves only every modulus-th stretch of
 * addresses, and divides the modulus out to use all its sets: ((tag / block_bytes) / modulus) mod sets. Other modules
 * have a selector (selector.c), by gpc_coherence_module.index and dense.
 *
 * The ways of a set are in an order, most recent first; initially way 0 is first. If no way is invalid, the last is the
 * victim. Moves to the front:
 *   LRU   every lookup that finds the way, by a processor, a request, a probe or a write-back
 *   FIFO  a write that changes the tag, and a lookup while the way is invalid
 *   both  the choice as victim
 *
 * Example, LRU, 2 ways, both invalid at first; among invalid ways the lowest is taken:
 *   A misses   way 0, order 0 1
 *   B misses   way 1, order 1 0
 *   A hits     way 0, order 0 1
 *   C misses   the victim is way 1, with B; order 1 0
 * Under FIFO A's hit would change nothing, and C's victim would be A.
 *
 * If a line has several blocks, the rules hold for lines: a block of a present line goes to the line's way without a
 * choice of a victim, and a victim leaves with all its blocks.
 */

/* Row for interleaved lines of several blocks, and for sizes that are no powers of two. */
static uint32_t divided_row(const gpci_module *m, uint64_t tag) {
    const uint32_t sector = (uint32_t)(tag >> m->block_shift) & m->sector_mask;
    const uint32_t set = gpci_modulo(&m->sets, gpci_quotient(&m->apart, tag >> m->line_shift));
    return set << m->sector_shift | sector;
}

/* Row of a module without selector. */
GPCI_INLINE uint32_t plain_row(const gpci_module *m, uint64_t tag) {
    return GPCI_LIKELY(!m->divides) ? (uint32_t)((tag >> m->index_shift) & m->row_mask) : divided_row(m, tag);
}

static uint32_t selected_row(const gpci_module *m, uint64_t tag) {
    const uint32_t sector = (uint32_t)(tag >> m->block_shift) & m->sector_mask;
    return gpci_tree_selected_set(m, tag) << m->sector_shift | sector;
}

static uint32_t row_of(const gpci_module *m, uint64_t tag) {
    return GPCI_UNLIKELY(m->selector != NULL) ? selected_row(m, tag) : plain_row(m, tag);
}

static uint32_t base_of(const gpci_module *m, uint64_t tag) {
    return m->full_map ? 0 : row_of(m, tag) * m->all_ways;
}

uint32_t gpci_module_row(const gpci_module *m, uint64_t tag) {
    return m->full_map ? 0 : row_of(m, tag);
}

/* Index of a way in the first row of the line, where the line's order is. `base`: of any of the rows. */
static uint32_t line_base(const gpci_module *m, uint32_t base) {
    return m->sector_mask ? base - (base / m->all_ways & m->sector_mask) * m->all_ways : base;
}

static uint32_t find_in_map(const gpci_module *m, uint64_t tag) {
    const gpci_map_entry *entry = gpci_map_find(&m->map, tag >> m->block_shift);
    return entry && m->states[entry->value] != GPC_LINE_I ? (uint32_t)entry->value : GPCI_TREE_NO_BLOCK;
}

/* Find a block of a line with several blocks. */
static uint32_t find_sector(const gpci_module *m, uint64_t tag, uint32_t row) {
    const uint32_t base = row * m->all_ways, ways = m->given.ways;
    const uint64_t line = tag >> m->line_shift << m->line_shift, *lines = gpci_module_line_tags(m, row);
    for (uint32_t way = 0; way < ways; way++)
        if (lines[way] == line && m->states[base + way] != GPC_LINE_I)
            return base + way;
    const uint64_t *own = gpci_module_own_tags(m, row);
    for (uint32_t way = 0; way < m->own_ways; way++)
        if (own[way] == tag && m->states[base + ways + way] != GPC_LINE_I)
            return base + ways + way;
    return GPCI_TREE_NO_BLOCK;
}

GPCI_INLINE uint32_t find_in_row(const gpci_module *m, uint64_t tag, uint32_t row) {
    if (m->sector_mask)
        return find_sector(m, tag, row);
    const uint32_t base = row * m->all_ways;
    const uint64_t *tags = m->tags + base;
    for (uint32_t way = 0; way < m->all_ways; way++)
        if (tags[way] == tag && m->states[base + way] != GPC_LINE_I)
            return base + way;
    return GPCI_TREE_NO_BLOCK;
}

/* Separate function: keeps calls out of the common path. */
static GPCI_NOINLINE uint32_t find_selected(const gpci_module *m, uint64_t tag) {
    return find_in_row(m, tag, selected_row(m, tag));
}

uint32_t gpci_module_find(const gpci_module *m, uint64_t tag) {
    if (GPCI_UNLIKELY(m->full_map))
        return find_in_map(m, tag);
    if (GPCI_UNLIKELY(m->selector != NULL))
        return find_selected(m, tag);
    return find_in_row(m, tag, plain_row(m, tag));
}

static void bring_to_front(gpci_module *m, uint32_t block) {
    const uint32_t row = block / m->all_ways, way = block - row * m->all_ways;
    const uint32_t ways = m->given.ways;
    if (GPCI_LIKELY(way < ways))
        gpci_lru_touch(&m->order, row >> m->sector_shift, way);
    else
        gpci_lru_touch(&m->own_order, row, way - ways);
}

bool gpci_module_has_company(const gpci_module *m, uint32_t block) {
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (other != block && m->states[other] != GPC_LINE_I)
            return true;
    }
    return false;
}

uint32_t gpci_module_way_of_line(const gpci_module *m, uint64_t tag) {
    const uint32_t first = line_base(m, base_of(m, tag));
    for (uint32_t sector = 0; sector < m->sectors; sector++)
        for (uint32_t way = 0; way < m->given.ways; way++) {
            const uint32_t block = first + sector * m->all_ways + way;
            if (m->states[block] != GPC_LINE_I && gpci_module_same_line(m, gpci_module_tag(m, block), tag))
                return way;
        }
    return GPCI_TREE_NO_BLOCK;
}

/*
 * Request shown to a replacement policy for a line of this module. For the line of the current access: the access, for
 * the whole line. For other blocks moved by the access, such as a victim written back: a store with the access's cycle,
 * SM and kernel, but without PC and warp, which did not ask for the block. Without an access, only the address is set.
 */
gpc_request gpci_module_policy_request(const gpci_module *m, uint64_t tag, const gpc_request *access) {
    tag = tag >> m->line_shift << m->line_shift;
    if (!access)
        return (gpc_request){.address = tag};
    if (!gpci_module_same_line(m, access->address, tag))
        return (gpc_request){
            .address = tag, .cycle = access->cycle, .sm = access->sm, .kernel = access->kernel, .kind = GPC_STORE};
    gpc_request request = *access;
    memset(request.reserved, 0, sizeof request.reserved); /* the reserved bytes belong to the access, not to policies */
    request.address = tag;
    if (m->above_count)
        request.token = request.token_l2;
    request.byte_mask[0] = request.byte_mask[1] = 0;
    request.size = 0;
    request.sector_mask = 0;
    return request;
}

static gpc_request request_of(const gpci_module *m, uint64_t tag) {
    return gpci_module_policy_request(m, tag, m->tree->request);
}

/* True if a registered policy decides about this way; never for directory-only ways. */
static bool has_policy(const gpci_module *m, uint32_t block) {
    return m->policy && block % m->all_ways < m->given.ways;
}

static uint32_t set_of(const gpci_module *m, uint32_t block) {
    return block / m->all_ways >> m->sector_shift;
}

/*
 * The blocks of a line in an access count as a single use or miss of the line. True if the policy has already seen the
 * line; otherwise note the line as seen. `again`: for a hit or miss; newly arrived blocks count only without an earlier
 * report.
 */
static bool was_notified(gpci_module *m, uint64_t tag, bool again) {
    gpci_module *store = m->store;
    const uint64_t line = tag >> m->line_shift, access = m->tree->line_access;
    if (m->sector_mask && store->notified_line == line && store->notified_access == access &&
        (store->notified_again || !again))
        return true;
    store->notified_line = line;
    store->notified_access = access;
    store->notified_again = again;
    return false;
}

/* True if policy and predictor see the way. */
static bool is_notified(const gpci_module *m, uint32_t block) {
    return m->notified && block % m->all_ways < m->given.ways;
}

static const gpc_replacement_ops *policy_of(const gpci_module *m) {
    return m->policy ? m->policy->ops : NULL;
}

static const gpc_predictor_ops *predictor_of(const gpci_module *m) {
    return m->predictor ? m->predictor->ops : NULL;
}

/* A block's line is used: `again`: a hit; otherwise a block of the line that was missing. */
static GPCI_NOINLINE void notify_use(gpci_module *m, uint32_t block, uint64_t tag, bool again) {
    const gpc_replacement_ops *ops = policy_of(m);
    const gpc_predictor_ops *predictor = predictor_of(m);
    const gpc_request request = request_of(m, tag);
    const uint32_t set = set_of(m, block), way = block % m->all_ways;
    if (was_notified(m, tag, again))
        return;
    if (m->tokens)
        gpci_module_token_hit(m, block, &request);
    if (ops && again && ops->on_hit)
        ops->on_hit(m->policy->self, set, way, &request);
    if (ops && !again && ops->on_sector_miss)
        ops->on_sector_miss(m->policy->self, set, way, &request);
    if (predictor && again && predictor->on_hit)
        predictor->on_hit(m->predictor->self, set, way, &request);
    if (predictor && !again && predictor->on_sector_miss)
        predictor->on_sector_miss(m->predictor->self, set, way, &request);
}

void gpci_module_touch(gpci_module *m, uint32_t block) {
    if (m->full_map)
        return;
    if (GPCI_UNLIKELY(m->notified && is_notified(m, block)))
        notify_use(m, block, gpci_module_tag(m, block), true);
    if (!has_policy(m, block) && (!m->fifo || m->states[block] == GPC_LINE_I))
        bring_to_front(m, block);
}

void gpci_module_miss(gpci_module *m, uint64_t tag, const gpc_request *carried) {
    const gpc_replacement_ops *ops = policy_of(m);
    const gpc_request request = gpci_module_policy_request(m, tag, carried);
    if (ops && ops->on_miss)
        ops->on_miss(m->policy->self, gpci_module_row(m, tag) >> m->sector_shift, &request);
}

void gpci_module_warp_event(gpci_module *m, const gpc_warp_event *event) {
    const gpc_replacement_ops *ops = policy_of(m);
    const gpc_predictor_ops *predictor = predictor_of(m);
    if (m->tokens)
        gpci_module_token_event(m, event);
    if (ops && ops->on_warp_event)
        ops->on_warp_event(m->policy->self, event);
    if (predictor && predictor->on_warp_event)
        predictor->on_warp_event(m->predictor->self, event);
}

void gpci_module_probe(gpci_module *m, uint32_t block) {
    if (GPCI_UNLIKELY(has_policy(m, block)) || m->full_map)
        return;
    if (!m->fifo || m->states[block] == GPC_LINE_I)
        bring_to_front(m, block);
}

/* Lowest free way of a row in [first, end), without a valid block of any line; `end`: none. */
static uint32_t free_way(const gpci_module *m, uint32_t base, uint32_t first, uint32_t end) {
    const uint8_t *states = m->states + base;
    for (;;) {
        const uint8_t *found = first < end ? memchr(states + first, GPC_LINE_I, end - first) : NULL;
        if (!found)
            return end;
        const uint32_t way = (uint32_t)(found - states);
        if (GPCI_LIKELY(!m->sector_mask) || way >= m->given.ways || !gpci_module_has_company(m, base + way))
            return way;
        first = way + 1;
    }
}

static uint64_t line_of(const gpci_module *m, uint64_t tag) {
    return tag >> m->line_shift << m->line_shift;
}

/* Masks of the valid and of the modified blocks of a line. */
static uint8_t valid_sectors(const gpci_module *m, uint32_t block, uint64_t *tag, uint8_t *modified) {
    uint8_t valid = 0;
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t at = gpci_module_sector(m, block, sector);
        if (m->states[at] == GPC_LINE_I)
            continue;
        valid |= (uint8_t)(1u << sector);
        *modified |= (uint8_t)(gpci_tree_is_modified(m->tree, m->states[at]) << sector);
        *tag = gpci_module_tag(m, at);
    }
    return valid;
}

static void notify_eviction(gpci_module *m, uint32_t block, bool dirty, const gpc_request *request) {
    const gpc_replacement_ops *ops = policy_of(m);
    const gpc_predictor_ops *predictor = predictor_of(m);
    uint64_t tag = gpci_module_tag(m, block);
    uint8_t modified = 0;
    const uint8_t valid = valid_sectors(m, block, &tag, &modified);
    gpc_eviction eviction = {.line_address = line_of(m, tag),
                             .set = set_of(m, block),
                             .way = block % m->all_ways,
                             .valid_sectors = valid,
                             .dirty_sectors = m->sector_mask ? modified : dirty};
    m->store->leaving = gpci_module_sector(m, block, 0);
    if (m->reuse) {
        eviction.reuse_count = m->reuse[m->store->leaving];
        m->counts.zero_reuse_evictions += !eviction.reuse_count;
    }
    if (m->tokens)
        gpci_module_token_evict(m, m->store->leaving);
    if (ops && ops->on_evict)
        ops->on_evict(m->policy->self, eviction.set, eviction.way, &eviction, request);
    if (predictor && predictor->on_evict)
        predictor->on_evict(m->predictor->self, eviction.set, eviction.way, &eviction, request);
    if (m->warps && m->tree->evicted)
        m->tree->evicted(m->tree->evicted_data, m, eviction.line_address, m->warps[m->store->leaving], request);
}

bool gpci_module_is_full(const gpci_module *m, uint64_t tag) {
    return free_way(m, base_of(m, tag), 0, m->given.ways) == m->given.ways;
}

/* Lowest free candidate in [first, end), of which bit 0 is `first`; `end`: none. */
static uint32_t free_candidate(const gpci_module *m, uint32_t base, uint32_t first, uint32_t end,
                               const uint64_t *candidates) {
    uint32_t way = free_way(m, base, first, end);
    while (way != end && !gpci_is_candidate(candidates, way - first))
        way = free_way(m, base, way + 1, end);
    return way;
}

/*
 * A policy that prefers a bypass was already asked (level/coherent/coherent_predict.c, module_ask.c). If it answers
 * bypass only now, because lines have changed meanwhile, it must admit the line.
 */
static uint32_t insist(gpci_module *m, uint32_t set, const uint64_t *candidates, gpc_request *request) {
    const gpc_replacement_ops *ops = m->policy->ops;
    uint32_t way = ops->choose_victim(m->policy->self, set, candidates, request);
    if (way == GPC_WAY_BYPASS && !request->admitted) {
        request->admitted = 1;
        way = ops->choose_victim(m->policy->self, set, candidates, request);
    }
    for (uint32_t i = 0; way == GPC_WAY_BYPASS && i < m->given.ways; i++)
        way = gpci_is_candidate(candidates, i) ? i : way;
    return way;
}

static uint32_t policy_choice(gpci_module *m, uint64_t tag, uint32_t base, const uint64_t *candidates) {
    const gpc_replacement_ops *ops = m->policy->ops;
    gpc_request request = request_of(m, tag);
    const uint32_t set = set_of(m, base), ways = m->given.ways;
    (void)was_notified(m, tag, true);
    if (m->above_count)
        request.admitted = gpci_module_was_asked(m, tag);
    /* a policy asked for admission already knows the miss (gpci_module_miss) */
    if (ops->on_miss && !request.admitted)
        ops->on_miss(m->policy->self, set, &request);
    uint64_t words[GPC_MAX_WAYS / 64];
    candidates = gpci_module_unmarked(m, tag, candidates, words);
    uint32_t way = m->given.any_victim ? ways : free_candidate(m, base, 0, ways, candidates);
    if (way == ways)
        way = insist(m, set, candidates, &request);
    return way < ways && gpci_is_candidate(candidates, way) ? base + way : GPCI_TREE_NO_BLOCK;
}

/* Free or least recent candidate, with data or (`own`) without lines; moves to the front. */
static uint32_t choose_in_order(gpci_module *m, uint32_t row, bool own, const uint64_t *candidates) {
    gpci_lru_state *order = own ? &m->own_order : &m->order;
    const uint32_t first = own ? m->given.ways : 0, end = first + order->ways, base = row * m->all_ways,
                   set = own ? row : row >> m->sector_shift;
    uint32_t way = end;
    if (!m->given.any_victim)
        way = candidates ? free_candidate(m, base, first, end, candidates) : free_way(m, base, first, end);
    if (way == end)
        way = first + gpci_lru_last(order, set, candidates);
    gpci_lru_touch(order, set, way - first);
    return base + way;
}

static uint32_t choose_in_row(gpci_module *m, uint64_t tag, uint32_t row, bool own, const uint64_t *candidates) {
    if (m->policy && !own)
        return policy_choice(m, tag, row * m->all_ways, candidates);
    uint64_t words[GPC_MAX_WAYS / 64];
    if (GPCI_UNLIKELY(m->tokens != NULL) && !own)
        candidates = gpci_module_unmarked(m, tag, candidates, words);
    return choose_in_order(m, row, own, candidates);
}

void gpci_module_leave(gpci_module *m, uint32_t block, uint64_t tag, bool dirty) {
    const gpc_request request = request_of(m, tag);
    if (is_notified(m, block))
        notify_eviction(m, block, dirty, &request);
}

void gpci_module_join_line(gpci_module *m, uint32_t block, uint64_t tag) {
    if (m->notified)
        notify_use(m, block, tag, false);
    if (!m->policy && !m->fifo)
        bring_to_front(m, block);
}

void gpci_module_pass_line(gpci_module *m, uint64_t tag) {
    const uint32_t way = m->sector_mask ? gpci_module_way_of_line(m, tag) : GPCI_TREE_NO_BLOCK;
    if (way != GPCI_TREE_NO_BLOCK)
        gpci_module_join_line(m, base_of(m, tag) + way, tag);
}

/* Entry of a block in a full map, existing or new; the map has an entry for every block, valid or not. */
static uint32_t map_entry(gpci_module *m, uint64_t tag) {
    const uint64_t number = tag >> m->block_shift;
    const gpci_map_entry *entry = gpci_map_find(&m->map, number);
    if (!entry && m->map.count == m->blocks)
        return GPCI_TREE_NO_BLOCK;
    if (!entry)
        entry = gpci_map_add(&m->map, number, m->map.count);
    return (uint32_t)entry->value;
}

uint32_t gpci_module_victim(gpci_module *m, uint64_t tag) {
    if (m->full_map)
        return map_entry(m, tag);
    const uint32_t row = row_of(m, tag), way = m->sector_mask ? gpci_module_way_of_line(m, tag) : GPCI_TREE_NO_BLOCK;
    if (way == GPCI_TREE_NO_BLOCK)
        return choose_in_row(m, tag, row, false, NULL);
    gpci_module_join_line(m, row * m->all_ways + way, tag);
    return row * m->all_ways + way;
}

uint32_t gpci_module_choose(gpci_module *m, uint64_t tag, bool directory, const uint64_t *candidates) {
    return choose_in_row(m, tag, row_of(m, tag), directory, candidates);
}

static void notify_invalidation(const gpci_module *m, uint32_t set, uint32_t way) {
    const gpc_replacement_ops *ops = policy_of(m);
    const gpc_predictor_ops *predictor = predictor_of(m);
    if (ops && ops->on_invalidate)
        ops->on_invalidate(m->policy->self, set, way);
    if (predictor && predictor->on_invalidate)
        predictor->on_invalidate(m->predictor->self, set, way);
}

static void notify_fill(gpci_module *m, uint32_t block, uint64_t tag) {
    const gpc_replacement_ops *ops = policy_of(m);
    const gpc_predictor_ops *predictor = predictor_of(m);
    const uint32_t set = set_of(m, block), way = block % m->all_ways;
    const gpc_request request = request_of(m, tag);
    if (m->warps)
        m->warps[gpci_module_sector(m, block, 0)] = request.warp;
    if (m->reuse)
        m->reuse[gpci_module_sector(m, block, 0)] = 0;
    if (m->tokens)
        gpci_module_token_fill(m, block, &request);
    if (ops && ops->on_fill)
        ops->on_fill(m->policy->self, set, way, &request);
    if (predictor && predictor->on_fill)
        predictor->on_fill(m->predictor->self, set, way, &request);
}

/* A block gets a new tag or state: report the departure and the arrival. */
static void notify_write(gpci_module *m, uint32_t block, uint64_t tag, uint8_t state) {
    const bool was = m->states[block] != GPC_LINE_I, is = state != GPC_LINE_I, other = gpci_module_tag(m, block) != tag;
    if (was && (!is || other)) {
        if (m->store->leaving != gpci_module_sector(m, block, 0))
            notify_invalidation(m, set_of(m, block), block % m->all_ways);
        m->store->leaving = GPCI_TREE_NO_BLOCK;
        if (m->marks)
            m->marks[gpci_module_sector(m, block, 0)] = 0;
    }
    if (is && (!was || other))
        notify_fill(m, block, tag);
}

/* `alone`: no other block of the line is valid. The blocks of a line share a tag. */
static void write_tag(gpci_module *m, uint32_t block, uint64_t tag, bool alone) {
    if (GPCI_LIKELY(!m->sector_mask)) {
        m->tags[block] = tag;
        return;
    }
    const uint32_t row = block / m->all_ways, way = block - row * m->all_ways, ways = m->given.ways;
    if (way >= ways)
        gpci_module_own_tags(m, row)[way - ways] = tag;
    else if (tag || alone)
        gpci_module_line_tags(m, row)[way] = tag >> m->line_shift << m->line_shift;
}

void gpci_module_write(gpci_module *m, uint32_t block, uint64_t tag, uint8_t state) {
    if (state == GPC_LINE_I)
        tag = 0;
    /* the first block to come and the last to leave are the line's arrival and departure */
    const bool alone = !m->sector_mask || block % m->all_ways >= m->given.ways || !gpci_module_has_company(m, block);
    if (GPCI_UNLIKELY(m->notified && is_notified(m, block)) && alone)
        notify_write(m, block, tag, state);
    if (m->fifo && !m->full_map && gpci_module_tag(m, block) != tag && alone)
        bring_to_front(m, block);
    write_tag(m, block, tag, alone);
    m->states[block] = state;
    if (state == GPC_LINE_I && m->sub_blocks) {
        for (uint32_t sub = 0; sub < m->sub_blocks; sub++)
            gpci_module_set_owner(m, block, sub, GPCI_TREE_NO_OWNER);
        gpci_sharers_clear(m, block);
    }
}

/* Enlarge an array to `room` elements. The first `used` stay; new bytes are `fill`. */
static bool grow(gpc_context *context, void **array, uint32_t used, uint32_t room, size_t bytes, int fill) {
    char *larger = gpci_resize(context, *array, room, bytes);
    if (!larger)
        return false;
    *array = larger;
    memset(larger + used * bytes, fill, (room - used) * bytes);
    return true;
}

gpc_status gpci_module_reserve(gpc_context *context, gpci_module *m, uint32_t blocks) {
    if (!m->full_map || m->blocks - m->map.count >= blocks)
        return GPC_OK;
    const uint32_t used = m->map.count;
    const size_t words = (size_t)m->sub_blocks * m->sharer_words;
    const size_t room = gpci_array_larger(m->blocks, used, blocks, 1);
    if (!room || room >= GPCI_TREE_NO_BLOCK || !gpci_map_reserve(context, &m->map, (uint32_t)room - used))
        return GPC_ERROR_MEMORY;
    /* if an allocation fails, arrays already enlarged do no harm */
    if (!grow(context, (void **)&m->tags, used, (uint32_t)room, sizeof *m->tags, 0) ||
        !grow(context, (void **)&m->states, used, (uint32_t)room, sizeof *m->states, GPC_LINE_I) ||
        !grow(context, (void **)&m->owners, used, (uint32_t)room, m->sub_blocks * sizeof *m->owners, 0) ||
        !grow(context, (void **)&m->sharers, used, (uint32_t)room, words * sizeof *m->sharers, 0))
        return GPC_ERROR_MEMORY;
    m->blocks = (uint32_t)room;
    return GPC_OK;
}
