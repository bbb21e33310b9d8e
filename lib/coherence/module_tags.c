/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree.h"

#include "base/array.h"

#include <string.h>

/*
 * Tags, and the order in which the ways of a set leave.
 *
 * A block's set is (tag / block_bytes) mod sets; an interleaved module leaves out the part that all its blocks share:
 * ((tag / block_bytes) / modulus) mod sets. Ways stand in order, the most recent first, to begin with as they are
 * numbered. LRU: each lookup that finds a block moves it to the front. FIFO: only a lookup of an invalid one does, and
 * a write that changes the tag. Both: who is chosen as victim moves to the front at once.
 *
 * Example, LRU, 2 ways, order 0 1: a block comes to way 1 (order 1 0), the next to way 0 (0 1), the first is found
 * again (1 0), and way 0 goes.
 */

static uint32_t set_of(const gpci_module *m, uint64_t tag) {
    if (GPCI_LIKELY(!m->divides))
        return (uint32_t)((tag >> m->index_shift) & m->set_mask);
    const uint32_t sets = m->given.sets;
    uint64_t line = tag >> m->block_shift;
    const uint64_t modulus = m->interleaved ? m->given.modulus : 1;
    if (GPCI_LIKELY(!((line | modulus) >> 32))) /* several times faster than 64 bits on many processors */
        return (uint32_t)line / (uint32_t)modulus % sets;
    return (uint32_t)(line / modulus % sets);
}

static uint32_t base_of(const gpci_module *m, uint64_t tag) {
    return m->full_map ? 0 : set_of(m, tag) * m->all_ways;
}

uint32_t gpci_module_set(const gpci_module *m, uint64_t tag) {
    return m->full_map ? 0 : set_of(m, tag);
}

static uint32_t find_in_map(const gpci_module *m, uint64_t tag) {
    const gpci_map_entry *entry = gpci_map_find(&m->map, tag >> m->block_shift);
    return entry && m->states[entry->value] != GPC_LINE_I ? (uint32_t)entry->value : GPCI_TREE_NO_BLOCK;
}

uint32_t gpci_module_find(const gpci_module *m, uint64_t tag) {
    if (GPCI_UNLIKELY(m->full_map))
        return find_in_map(m, tag);
    const uint32_t base = set_of(m, tag) * m->all_ways;
    const uint64_t *tags = m->tags + base;
    for (uint32_t way = 0; way < m->all_ways; way++)
        if (tags[way] == tag && m->states[base + way] != GPC_LINE_I)
            return base + way;
    return GPCI_TREE_NO_BLOCK;
}

static void bring_to_front(gpci_module *m, uint32_t block) {
    const uint32_t way = block % m->all_ways, base = block - way;
    gpci_module_make_recent(m->order + base + (way < m->given.ways ? 0 : m->given.ways), (uint16_t)way);
}

/*
 * The request that a registered policy is shown: the access that the transaction is for, as one of a whole block of
 * this module. Blocks other than the access's move because of it, as write-backs of what made room: of these the policy
 * learns whose access it was, not by which instruction. Where the tree knows no more, the address is all.
 */
static gpc_request request_of(const gpci_module *m, uint64_t tag) {
    const gpc_request *access = m->tree->request;
    if (!access)
        return (gpc_request){.address = tag};
    if (gpci_module_tag_of(m, access->address) != tag)
        return (gpc_request){
            .address = tag, .cycle = access->cycle, .sm = access->sm, .kernel = access->kernel, .kind = GPC_STORE};
    gpc_request request = *access;
    request.address = tag;
    request.byte_mask[0] = request.byte_mask[1] = 0;
    request.size = 0;
    request.sector_mask = 0;
    return request;
}

/* Is the block's way under a policy other than lru and fifo? Those of the directory alone are not. */
static bool has_policy(const gpci_module *m, uint32_t block) {
    return m->policy && block % m->all_ways < m->given.ways;
}

static GPCI_NOINLINE void notify_hit(gpci_module *m, uint32_t block) {
    const gpc_replacement_ops *ops = m->policy->ops;
    const gpc_request request = request_of(m, m->tags[block]);
    if (ops->on_hit)
        ops->on_hit(m->policy->self, block / m->all_ways, block % m->all_ways, &request);
}

void gpci_module_touch(gpci_module *m, uint32_t block) {
    if (m->full_map || (m->fifo && m->states[block] != GPC_LINE_I))
        return;
    if (GPCI_UNLIKELY(m->policy && has_policy(m, block)))
        notify_hit(m, block);
    else
        bring_to_front(m, block);
}

/* The lowest invalid way from `first` to before `end`, of a set; `end` if there is none. */
static uint32_t free_way(const gpci_module *m, uint32_t base, uint32_t first, uint32_t end) {
    const uint8_t *states = m->states + base, *found = memchr(states + first, GPC_LINE_I, end - first);
    return found ? (uint32_t)(found - states) : end;
}

static uint32_t victim_in_order(gpci_module *m, uint32_t base, uint32_t first, uint32_t end) {
    uint16_t *order = m->order + base;
    uint32_t way = m->given.any_victim ? end : free_way(m, base, first, end);
    if (way != end) {
        gpci_module_make_recent(order + first, (uint16_t)way);
        return base + way;
    }
    way = order[end - 1];
    memmove(order + first + 1, order + first, (end - 1 - first) * sizeof *order);
    order[first] = (uint16_t)way;
    return base + way;
}

static void notify_eviction(gpci_module *m, uint32_t block, const gpc_request *request) {
    const gpc_replacement_ops *ops = m->policy->ops;
    const gpc_eviction eviction = {.line_address = m->tags[block],
                                   .set = block / m->all_ways,
                                   .way = block % m->all_ways,
                                   .valid_sectors = 1,
                                   .dirty_sectors = m->states[block] <= GPC_LINE_O};
    m->leaving = block;
    if (ops->on_evict)
        ops->on_evict(m->policy->self, eviction.set, eviction.way, &eviction, request);
}

static uint32_t policy_victim(gpci_module *m, uint64_t tag, uint32_t base) {
    const gpc_replacement_ops *ops = m->policy->ops;
    const gpc_request request = request_of(m, tag);
    const uint32_t set = base / m->all_ways, ways = m->given.ways;
    if (ops->on_miss)
        ops->on_miss(m->policy->self, set, &request);
    uint32_t way = m->given.any_victim ? ways : free_way(m, base, 0, ways);
    if (way == ways)
        way = ops->choose_victim(m->policy->self, set, NULL, &request);
    if (way >= ways)
        return GPCI_TREE_NO_BLOCK;
    if (m->states[base + way] != GPC_LINE_I)
        notify_eviction(m, base + way, &request);
    return base + way;
}

/* An invalid entry of the block's own is used again. */
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
    const uint32_t base = base_of(m, tag);
    return m->policy ? policy_victim(m, tag, base) : victim_in_order(m, base, 0, m->given.ways);
}

uint32_t gpci_module_directory_victim(gpci_module *m, uint64_t tag) {
    return victim_in_order(m, base_of(m, tag), m->given.ways, m->all_ways);
}

static void notify_write(gpci_module *m, uint32_t block, uint64_t tag, uint8_t state) {
    const gpc_replacement_ops *ops = m->policy->ops;
    const uint32_t set = block / m->all_ways, way = block % m->all_ways;
    const bool was = m->states[block] != GPC_LINE_I, is = state != GPC_LINE_I, other = m->tags[block] != tag;
    if (was && (!is || other)) {
        if (m->leaving != block && ops->on_invalidate)
            ops->on_invalidate(m->policy->self, set, way);
        m->leaving = GPCI_TREE_NO_BLOCK;
    }
    if (is && (!was || other) && ops->on_fill) {
        const gpc_request request = request_of(m, tag);
        ops->on_fill(m->policy->self, set, way, &request);
    }
}

void gpci_module_write(gpci_module *m, uint32_t block, uint64_t tag, uint8_t state) {
    if (state == GPC_LINE_I)
        tag = 0;
    if (GPCI_UNLIKELY(m->policy && has_policy(m, block)))
        notify_write(m, block, tag, state);
    else if (m->fifo && !m->full_map && m->tags[block] != tag)
        bring_to_front(m, block);
    m->tags[block] = tag;
    m->states[block] = state;
    if (state == GPC_LINE_I && m->sub_blocks) {
        memset(gpci_module_owner_of(m, block, 0), 0xff, m->sub_blocks * sizeof *m->owners);
        memset(gpci_module_sharers_of(m, block, 0), 0, (size_t)m->sub_blocks * m->sharer_words * sizeof *m->sharers);
    }
}

/* A larger array, the first `used` elements as they were, the rest `fill`ed with a byte. */
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
    /* an array that has grown serves as before, should a later one fail */
    if (!grow(context, (void **)&m->tags, used, (uint32_t)room, sizeof *m->tags, 0) ||
        !grow(context, (void **)&m->states, used, (uint32_t)room, sizeof *m->states, GPC_LINE_I) ||
        !grow(context, (void **)&m->owners, used, (uint32_t)room, m->sub_blocks * sizeof *m->owners, 0xff) ||
        !grow(context, (void **)&m->sharers, used, (uint32_t)room, words * sizeof *m->sharers, 0))
        return GPC_ERROR_MEMORY;
    m->blocks = (uint32_t)room;
    return GPC_OK;
}
