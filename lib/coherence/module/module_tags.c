/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"

#include "base/array.h"
#include "policies/replacement/candidates.h"

#include <string.h>

/*
 * Tags, sets, and replacement within a set.
 *
 * A block's set is (tag / block_bytes) mod sets. An interleaved module serves only every modulus-th stretch of
 * addresses, and divides the modulus out to use all its sets: ((tag / block_bytes) / modulus) mod sets. If
 * gpc_coherence_module.index or `dense` asks for other sets, a selector computes the set (addresses.c).
 *
 * The ways of a set are in an order, most recent first; initially way 0 is first. If no way is invalid, the last way is
 * the victim. A way moves to the front by:
 *   LRU   every lookup that finds the way, by a processor, a request, a probe or a write-back
 *   FIFO  a write that changes the tag, and a lookup while the way is invalid
 *   both  the choice as victim
 *
 * Example, LRU, 2 ways, both invalid at first; among invalid ways the lowest is taken:
 *   A misses   way 0, order 0 1
 *   B misses   way 1, order 1 0
 *   A hits     way 0, order 0 1
 *   C misses   the victim is way 1, with B; order 1 0
 * Under FIFO, the hit of A would change nothing, and the victim of C would be A.
 *
 * If a line has several blocks, the rules hold for lines: a block of a present line goes to the line's way without a
 * choice of a victim, and a victim leaves with all its blocks.
 */

/*
 * Row by division: for interleaved modules whose lines have several blocks, and for numbers that are no powers of two.
 */
static uint32_t divided_row(const gpci_module *module, uint64_t tag) {
    const uint32_t sector = (uint32_t)(tag >> module->block_shift) & module->sector_mask;
    const uint32_t set = gpci_modulo(&module->sets, gpci_quotient(&module->apart, tag >> module->line_shift));
    return set << module->sector_shift | sector;
}

/* Row of a module without selector. */
GPCI_INLINE uint32_t plain_row(const gpci_module *module, uint64_t tag) {
    return GPCI_LIKELY(!module->divides) ? (uint32_t)((tag >> module->index_shift) & module->row_mask)
                                         : divided_row(module, tag);
}

static uint32_t selected_row(const gpci_module *module, uint64_t tag) {
    const uint32_t sector = (uint32_t)(tag >> module->block_shift) & module->sector_mask;
    return gpci_tree_selected_set(module, tag) << module->sector_shift | sector;
}

static uint32_t row_of(const gpci_module *module, uint64_t tag) {
    return GPCI_UNLIKELY(module->selector != NULL) ? selected_row(module, tag) : plain_row(module, tag);
}

uint32_t gpci_module_row(const gpci_module *module, uint64_t tag) {
    return module->full_map ? 0 : row_of(module, tag);
}

static uint32_t find_in_map(const gpci_module *module, uint64_t tag) {
    const gpci_map_entry *entry = gpci_map_find(&module->map, tag >> module->block_shift);
    return entry && module->states[entry->value] != GPC_LINE_I ? (uint32_t)entry->value : GPCI_TREE_NO_BLOCK;
}

/* Regular way with a line that has a valid block. */
GPCI_INLINE uint32_t find_line(const gpci_module *module, uint64_t tag, uint32_t row) {
    return gpci_find_wide(&module->tags, gpci_module_slot(module, row), module->given.ways, tag >> module->line_shift,
                          false);
}

/* Find a block, if lines have several blocks: first in the line's regular way, then in the ways without lines. */
static uint32_t find_sector(const gpci_module *module, uint64_t tag, uint32_t row) {
    const uint32_t base = row * module->all_ways, line = find_line(module, tag, row);
    if (line != GPCI_NO_WAY && module->states[base + line] != GPC_LINE_I)
        return base + line;
    const uint32_t own = gpci_find_wide(&module->own_tags, gpci_tags_slot(&module->own_tags, row, 0), module->own_ways,
                                        tag >> module->block_shift, false);
    return own == GPCI_NO_WAY ? GPCI_TREE_NO_BLOCK : base + module->given.ways + own;
}

GPCI_INLINE uint32_t find_in_row(const gpci_module *module, uint64_t tag, uint32_t row) {
    if (module->sector_mask)
        return find_sector(module, tag, row);
    const uint32_t base = row * module->all_ways,
                   way = gpci_find_wide(&module->tags, base, module->all_ways, tag >> module->block_shift, false);
    return way == GPCI_NO_WAY ? GPCI_TREE_NO_BLOCK : base + way;
}

/* Separate function, so that the common path of gpci_module_find has no calls. */
static GPCI_NOINLINE uint32_t find_selected(const gpci_module *module, uint64_t tag) {
    return find_in_row(module, tag, selected_row(module, tag));
}

uint32_t gpci_module_find(const gpci_module *module, uint64_t tag) {
    if (GPCI_UNLIKELY(module->full_map))
        return find_in_map(module, tag);
    if (GPCI_UNLIKELY(module->selector != NULL))
        return find_selected(module, tag);
    return find_in_row(module, tag, plain_row(module, tag));
}

uint32_t gpci_module_find_in(const gpci_module *module, uint64_t tag, uint32_t row) {
    return GPCI_UNLIKELY(module->full_map) ? find_in_map(module, tag) : find_in_row(module, tag, row);
}

static void bring_to_front(gpci_module *module, uint32_t block) {
    const uint32_t row = block / module->all_ways, way = block - row * module->all_ways;
    const uint32_t ways = module->given.ways;
    if (GPCI_LIKELY(way < ways))
        gpci_lru_touch(&module->order, row >> module->sector_shift, way);
    else
        gpci_lru_touch(&module->own_order, row, way - ways);
}

bool gpci_module_has_company(const gpci_module *module, uint32_t block) {
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t other = gpci_module_sector(module, block, sector);
        if (other != block && module->states[other] != GPC_LINE_I)
            return true;
    }
    return false;
}

uint32_t gpci_module_line_in(const gpci_module *module, uint64_t tag, uint32_t row) {
    return module->sector_mask ? find_line(module, tag, row) : GPCI_TREE_NO_BLOCK;
}

uint32_t gpci_module_way_of_line(const gpci_module *module, uint64_t tag) {
    return find_line(module, tag, gpci_module_row(module, tag));
}

uint64_t gpci_module_split_tag(const gpci_module *module, uint32_t block) {
    if (module->states[block] == GPC_LINE_I)
        return 0;
    if (module->full_map)
        return module->map.entries[block].key << module->block_shift;
    const uint32_t row = block / module->all_ways, way = block - row * module->all_ways, ways = module->given.ways;
    if (way >= ways)
        return gpci_wide_line_at(&module->own_tags, gpci_tags_slot(&module->own_tags, row, way - ways))
               << module->block_shift;
    return gpci_wide_line_at(&module->tags, gpci_module_slot(module, row) + way) << module->line_shift |
           (uint64_t)(row & module->sector_mask) << module->block_shift;
}

/*
 * Request shown to a replacement policy for a line of this module. If the line is the line of the current access, the
 * policy sees the access, extended to the whole line. If the access moves another block, such as a victim written back,
 * the policy sees a store with the access's cycle, SM and kernel, but without PC and warp, because the warp did not
 * request the block. Without an access, only the address is set.
 */
gpc_request gpci_module_policy_request(const gpci_module *module, uint64_t tag, const gpc_request *access) {
    tag = tag >> module->line_shift << module->line_shift;
    if (!access)
        return (gpc_request){.address = tag};
    if (!gpci_module_same_line(module, access->address, tag))
        return (gpc_request){
            .address = tag, .cycle = access->cycle, .sm = access->sm, .kernel = access->kernel, .kind = GPC_STORE};
    gpc_request request = *access;
    memset(request.reserved, 0, sizeof request.reserved); /* the reserved bytes belong to the access, not to policies */
    request.address = tag;
    if (module->above_count)
        request.policy.token = request.policy.token_l2;
    request.byte_mask[0] = request.byte_mask[1] = 0;
    request.size = 0;
    request.sector_mask = 0;
    return request;
}

static gpc_request request_of(const gpci_module *module, uint64_t tag) {
    return gpci_module_policy_request(module, tag, module->tree->request);
}

/*
 * True if a registered policy (not lru or fifo) chooses among ways that include the block's way; false for ways without
 * lines.
 */
static bool has_policy(const gpci_module *module, uint32_t block) {
    return module->policy && block % module->all_ways < module->given.ways;
}

static uint32_t set_of(const gpci_module *module, uint32_t block) {
    return block / module->all_ways >> module->sector_shift;
}

/*
 * True if the policy was already notified of the line in the current line access; if not, note the line as notified. In
 * a line access, the blocks of a line count as a single use, or miss, of the line. `again`: the event is a hit or miss;
 * false: a block of the line arrives, which counts only if the policy was not notified before.
 */
static bool was_notified(const gpci_module *module, uint64_t tag, bool again) {
    gpci_line_record *record = module->tree->line;
    const uint32_t line = (uint32_t)(tag >> module->line_shift);
    const uint16_t store = (uint16_t)module->store->index;
    if (!module->sector_mask)
        return false;
    for (uint32_t i = 0; i < record->notified_count; i++) {
        const gpci_notified *notified = &record->notified[i];
        if (notified->line[0] != (uint16_t)line || notified->line[1] != line >> 16 || notified->module != store)
            continue;
        const bool seen = record->notified_again >> i & 1 || !again;
        record->notified_again |= (uint8_t)(again << i);
        return seen;
    }
    const uint32_t place = record->notified_next++ % GPCI_NOTIFIED;
    record->notified_count += record->notified_count < GPCI_NOTIFIED;
    record->notified[place] = (gpci_notified){{(uint16_t)line, (uint16_t)(line >> 16)}, store};
    record->notified_again = (uint8_t)((record->notified_again & ~(1u << place)) | (uint32_t)again << place);
    return false;
}

/* True if policy and predictor are notified of events in the block's way: not for ways without lines. */
static bool is_notified(const gpci_module *module, uint32_t block) {
    return module->notified && block % module->all_ways < module->given.ways;
}

static const gpc_replacement_ops *policy_of(const gpci_module *module) {
    return module->policy ? module->policy->ops : NULL;
}

static const gpc_predictor_ops *predictor_of(const gpci_module *module) {
    return module->predictor ? module->predictor->ops : NULL;
}

/* Notify policies of a use of the block's line. `again`: a hit; false: a block that was missing in the line arrives. */
static GPCI_NOINLINE void notify_use(gpci_module *module, uint32_t block, uint64_t tag, bool again) {
    const gpc_replacement_ops *ops = policy_of(module);
    const gpc_predictor_ops *predictor = predictor_of(module);
    const gpc_request request = request_of(module, tag);
    const uint32_t set = set_of(module, block), way = block % module->all_ways;
    if (was_notified(module, tag, again))
        return;
    if (module->tokens)
        gpci_module_token_hit(module, block, &request);
    if (ops && again && ops->on_hit)
        ops->on_hit(module->policy->self, set, way, &request);
    if (ops && !again && ops->on_sector_miss)
        ops->on_sector_miss(module->policy->self, set, way, &request);
    if (predictor && again && predictor->on_hit)
        predictor->on_hit(module->predictor->self, set, way, &request);
    if (predictor && !again && predictor->on_sector_miss)
        predictor->on_sector_miss(module->predictor->self, set, way, &request);
}

void gpci_module_touch(gpci_module *module, uint32_t block) {
    if (module->full_map)
        return;
    if (GPCI_UNLIKELY(module->notified && is_notified(module, block)))
        notify_use(module, block, gpci_module_tag(module, block), true);
    if (!has_policy(module, block) && (!module->fifo || module->states[block] == GPC_LINE_I))
        bring_to_front(module, block);
}

void gpci_module_miss(gpci_module *module, uint64_t tag, const gpc_request *carried) {
    const gpc_replacement_ops *ops = policy_of(module);
    const gpc_request request = gpci_module_policy_request(module, tag, carried);
    if (ops && ops->on_miss)
        ops->on_miss(module->policy->self, gpci_module_row(module, tag) >> module->sector_shift, &request);
}

void gpci_module_warp_event(gpci_module *module, const gpc_warp_event *event) {
    const gpc_replacement_ops *ops = policy_of(module);
    const gpc_predictor_ops *predictor = predictor_of(module);
    if (module->tokens)
        gpci_module_token_event(module, event);
    if (ops && ops->on_warp_event)
        ops->on_warp_event(module->policy->self, event);
    if (predictor && predictor->on_warp_event)
        predictor->on_warp_event(module->predictor->self, event);
}

void gpci_module_probe(gpci_module *module, uint32_t block) {
    if (GPCI_UNLIKELY(has_policy(module, block)) || module->full_map)
        return;
    if (!module->fifo || module->states[block] == GPC_LINE_I)
        bring_to_front(module, block);
}

uint32_t gpci_module_free_way(const gpci_module *module, uint32_t row, bool own, const uint64_t *candidates) {
    const bool apart = own && module->split;
    const uint32_t *tags = apart ? module->own_tags.words + gpci_tags_slot(&module->own_tags, row, 0)
                                 : module->tags.words + gpci_module_slot(module, row) + (own ? module->given.ways : 0);
    const uint32_t ways = own ? module->own_ways : module->given.ways;
    uint32_t way = gpci_match(tags, 0, ways, 0, false);
    while (way < ways && !gpci_is_candidate(candidates, way))
        way = gpci_match(tags, way + 1, ways, 0, false);
    return way < ways ? way : GPCI_NO_WAY;
}

/* Masks of the valid and of the modified blocks of a line. */
static uint8_t valid_sectors(const gpci_module *module, uint32_t block, uint64_t *tag, uint8_t *modified) {
    uint8_t valid = 0;
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t at = gpci_module_sector(module, block, sector);
        if (module->states[at] == GPC_LINE_I)
            continue;
        valid |= (uint8_t)(1u << sector);
        *modified |= (uint8_t)(gpci_tree_is_modified(module->tree, module->states[at]) << sector);
        *tag = gpci_module_tag(module, at);
    }
    return valid;
}

static void notify_eviction(gpci_module *module, uint32_t block, bool dirty, const gpc_request *request) {
    const gpc_replacement_ops *ops = policy_of(module);
    const gpc_predictor_ops *predictor = predictor_of(module);
    uint64_t tag = gpci_module_tag(module, block);
    uint8_t modified = 0;
    const uint8_t valid = valid_sectors(module, block, &tag, &modified);
    gpc_eviction eviction = {.line_address = tag >> module->line_shift << module->line_shift,
                             .set = set_of(module, block),
                             .way = block % module->all_ways,
                             .valid_sectors = valid,
                             .dirty_sectors = module->sector_mask ? modified : dirty};
    module->store->leaving = gpci_module_sector(module, block, 0);
    if (module->reuse) {
        eviction.reuse_count = module->reuse[module->store->leaving];
        module->counts.zero_reuse_evictions += !eviction.reuse_count;
    }
    if (module->tokens)
        gpci_module_token_evict(module, module->store->leaving);
    if (ops && ops->on_evict)
        ops->on_evict(module->policy->self, eviction.set, eviction.way, &eviction, request);
    if (predictor && predictor->on_evict)
        predictor->on_evict(module->predictor->self, eviction.set, eviction.way, &eviction, request);
    if (module->warps && module->tree->evicted)
        module->tree->evicted(module->tree->evicted_data, module, eviction.line_address,
                              module->warps[module->store->leaving], request);
}

bool gpci_module_is_full(const gpci_module *module, uint64_t tag) {
    return gpci_module_free_way(module, gpci_module_row(module, tag), false, NULL) == GPCI_NO_WAY;
}

/*
 * Make a policy choose a way. A policy that prefers a bypass was asked before (level/coherent/coherent_predict.c,
 * module_ask.c), and let the line in. If the policy answers bypass only now, because lines have changed meanwhile, it
 * is asked again with `admitted`, and at last the first candidate is taken.
 */
static uint32_t insist(gpci_module *module, uint32_t set, const uint64_t *candidates, gpc_request *request) {
    const gpc_replacement_ops *ops = module->policy->ops;
    uint32_t way = ops->choose_victim(module->policy->self, set, candidates, request);
    if (way == GPC_WAY_BYPASS && !request->policy.admitted) {
        request->policy.admitted = 1;
        way = ops->choose_victim(module->policy->self, set, candidates, request);
    }
    for (uint32_t i = 0; way == GPC_WAY_BYPASS && i < module->given.ways; i++)
        way = gpci_is_candidate(candidates, i) ? i : way;
    return way;
}

static uint32_t policy_choice(gpci_module *module, uint64_t tag, uint32_t row, const uint64_t *candidates) {
    const gpc_replacement_ops *ops = module->policy->ops;
    gpc_request request = request_of(module, tag);
    const uint32_t set = row >> module->sector_shift, base = row * module->all_ways;
    if (module->above_count)
        request.policy.admitted = gpci_module_was_asked(module, tag);
    /* a policy that was asked for admission has been notified of the miss (gpci_module_miss) */
    if (ops->on_miss && !request.policy.admitted)
        ops->on_miss(module->policy->self, set, &request);
    uint64_t words[GPC_MAX_WAYS / 64];
    candidates = gpci_module_unmarked(module, tag, candidates, words);
    uint32_t way = module->given.any_victim ? GPCI_NO_WAY : gpci_module_free_way(module, row, false, candidates);
    if (way == GPCI_NO_WAY)
        way = insist(module, set, candidates, &request);
    return gpci_is_choice(candidates, module->given.ways, way) ? base + way : GPCI_TREE_NO_BLOCK;
}

/*
 * Choose a free way, or else the least recent candidate, and make it the most recent. `own`: among the ways without
 * lines.
 */
static uint32_t choose_in_order(gpci_module *module, uint32_t row, bool own, const uint64_t *candidates) {
    gpci_lru_state *order = own ? &module->own_order : &module->order;
    const uint32_t set = own ? row : row >> module->sector_shift;
    uint32_t way = module->given.any_victim ? GPCI_NO_WAY : gpci_module_free_way(module, row, own, candidates);
    if (way == GPCI_NO_WAY)
        way = gpci_lru_last(order, set, candidates);
    gpci_lru_touch(order, set, way);
    return row * module->all_ways + (own ? module->given.ways : 0) + way;
}

static uint32_t choose_in_row(gpci_module *module, uint64_t tag, uint32_t row, bool own, const uint64_t *candidates) {
    if (module->notified && !own)
        (void)was_notified(module, tag, true); /* note the line: further blocks of the line access are no new use */
    if (module->policy && !own)
        return policy_choice(module, tag, row, candidates);
    uint64_t words[GPC_MAX_WAYS / 64];
    if (GPCI_UNLIKELY(module->tokens != NULL) && !own)
        candidates = gpci_module_unmarked(module, tag, candidates, words);
    return choose_in_order(module, row, own, candidates);
}

void gpci_module_leave(gpci_module *module, uint32_t block, uint64_t tag, bool dirty) {
    const gpc_request request = request_of(module, tag);
    if (is_notified(module, block))
        notify_eviction(module, block, dirty, &request);
}

void gpci_module_join_line(gpci_module *module, uint32_t block, uint64_t tag) {
    if (module->notified)
        notify_use(module, block, tag, false);
    if (!module->policy && !module->fifo)
        bring_to_front(module, block);
}

void gpci_module_pass_line(gpci_module *module, uint64_t tag) {
    const uint32_t row = module->sector_mask ? gpci_module_row(module, tag) : 0,
                   way = gpci_module_line_in(module, tag, row);
    if (way != GPCI_TREE_NO_BLOCK)
        gpci_module_join_line(module, row * module->all_ways + way, tag);
}

/*
 * Entry of a block in a full map. A new entry is made if the map has none; GPCI_TREE_NO_BLOCK: no room for a new entry.
 * Blocks that became invalid keep their entries.
 */
static uint32_t map_entry(gpci_module *module, uint64_t tag) {
    const uint64_t number = tag >> module->block_shift;
    const gpci_map_entry *entry = gpci_map_find(&module->map, number);
    if (!entry && module->map.count == module->blocks)
        return GPCI_TREE_NO_BLOCK;
    if (!entry)
        entry = gpci_map_add(&module->map, number, module->map.count);
    return (uint32_t)entry->value;
}

uint32_t gpci_module_victim(gpci_module *module, uint64_t tag, uint32_t row) {
    if (module->full_map)
        return map_entry(module, tag);
    const uint32_t way = gpci_module_line_in(module, tag, row);
    if (way == GPCI_TREE_NO_BLOCK)
        return choose_in_row(module, tag, row, false, NULL);
    gpci_module_join_line(module, row * module->all_ways + way, tag);
    return row * module->all_ways + way;
}

uint32_t gpci_module_choose(gpci_module *module, uint64_t tag, uint32_t row, bool directory,
                            const uint64_t *candidates) {
    return choose_in_row(module, tag, row, directory, candidates);
}

static void notify_invalidation(const gpci_module *module, uint32_t set, uint32_t way) {
    const gpc_replacement_ops *ops = policy_of(module);
    const gpc_predictor_ops *predictor = predictor_of(module);
    if (ops && ops->on_invalidate)
        ops->on_invalidate(module->policy->self, set, way);
    if (predictor && predictor->on_invalidate)
        predictor->on_invalidate(module->predictor->self, set, way);
}

static void notify_fill(gpci_module *module, uint32_t block, uint64_t tag) {
    const gpc_replacement_ops *ops = policy_of(module);
    const gpc_predictor_ops *predictor = predictor_of(module);
    const uint32_t set = set_of(module, block), way = block % module->all_ways;
    const gpc_request request = request_of(module, tag);
    if (module->warps)
        module->warps[gpci_module_sector(module, block, 0)] = request.warp;
    if (module->reuse)
        module->reuse[gpci_module_sector(module, block, 0)] = 0;
    if (module->tokens)
        gpci_module_token_fill(module, block, &request);
    if (ops && ops->on_fill)
        ops->on_fill(module->policy->self, set, way, &request);
    if (predictor && predictor->on_fill)
        predictor->on_fill(module->predictor->self, set, way, &request);
}

/*
 * Notify policies before a line's block gets a new tag or state: of the old line's departure, and of the new line's
 * arrival.
 */
static void notify_write(gpci_module *module, uint32_t block, uint64_t tag, uint8_t state) {
    const bool was = module->states[block] != GPC_LINE_I, is = state != GPC_LINE_I,
               other = gpci_module_tag(module, block) != tag;
    if (was && (!is || other)) {
        if (module->store->leaving != gpci_module_sector(module, block, 0))
            notify_invalidation(module, set_of(module, block), block % module->all_ways);
        module->store->leaving = GPCI_TREE_NO_BLOCK;
        if (module->marks)
            module->marks[gpci_module_sector(module, block, 0)] = 0;
    }
    if (is && (!was || other))
        notify_fill(module, block, tag);
}

/*
 * Write the tag of a block, if `split`. The blocks of a line share a tag: the tag is removed only if `alone`, when no
 * other block of the line is valid.
 */
static GPCI_NOINLINE void write_split_tag(gpci_module *module, uint32_t block, uint64_t tag, bool valid, bool alone) {
    const uint32_t row = block / module->all_ways, way = block - row * module->all_ways, ways = module->given.ways;
    if (module->full_map || !(valid || alone))
        return;
    if (way < ways)
        gpci_wide_put(&module->tags, gpci_module_slot(module, row) + way, tag >> module->line_shift, valid);
    else
        gpci_wide_put(&module->own_tags, gpci_tags_slot(&module->own_tags, row, way - ways), tag >> module->block_shift,
                      valid);
}

void gpci_module_write(gpci_module *module, uint32_t block, uint64_t tag, uint8_t state) {
    if (state == GPC_LINE_I)
        tag = 0;
    /* only the first block that comes, and the last that leaves, change the way's line */
    const bool alone = !module->sector_mask || block % module->all_ways >= module->given.ways ||
                       !gpci_module_has_company(module, block);
    if (GPCI_UNLIKELY(module->notified && is_notified(module, block)) && alone)
        notify_write(module, block, tag, state);
    if (module->fifo && !module->full_map && gpci_module_tag(module, block) != tag && alone)
        bring_to_front(module, block);
    if (GPCI_LIKELY(!module->split))
        gpci_wide_put(&module->tags, block, tag >> module->block_shift, state != GPC_LINE_I);
    else
        write_split_tag(module, block, tag, state != GPC_LINE_I, alone);
    module->states[block] = state;
    if (state == GPC_LINE_I && module->sub_blocks) {
        for (uint32_t sub = 0; sub < module->sub_blocks; sub++)
            gpci_module_set_owner(module, block, sub, GPCI_TREE_NO_OWNER);
        gpci_sharers_clear(module, block);
    }
}

/*
 * Enlarge an array to `capacity` elements of `bytes` bytes. The first `used` elements stay; bytes of new elements are
 * `fill`.
 */
static bool grow(gpc_context *context, void **array, uint32_t used, uint32_t capacity, size_t bytes, int fill) {
    char *larger = gpci_resize(context, *array, capacity, bytes);
    if (!larger)
        return false;
    *array = larger;
    memset(larger + used * bytes, fill, (capacity - used) * bytes);
    return true;
}

gpc_status gpci_module_reserve(gpc_context *context, gpci_module *module, uint32_t blocks) {
    if (!module->full_map || module->blocks - module->map.count >= blocks)
        return GPC_OK;
    const uint32_t used = module->map.count;
    const size_t words = (size_t)module->sub_blocks * module->sharer_words;
    const size_t capacity = gpci_array_larger(module->blocks, used, blocks, 1);
    if (!capacity || capacity >= GPCI_TREE_NO_BLOCK ||
        !gpci_map_reserve(context, &module->map, (uint32_t)capacity - used))
        return GPC_ERROR_MEMORY;
    /* if an allocation fails, arrays already enlarged do no harm */
    if (!grow(context, (void **)&module->states, used, (uint32_t)capacity, sizeof *module->states, GPC_LINE_I) ||
        !grow(context, (void **)&module->owners, used, (uint32_t)capacity, module->sub_blocks * sizeof *module->owners,
              0) ||
        !grow(context, (void **)&module->sharers, used, (uint32_t)capacity, words * sizeof *module->sharers, 0))
        return GPC_ERROR_MEMORY;
    module->blocks = (uint32_t)capacity;
    return GPC_OK;
}
