/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/sharers.h"
#include "coherence/tree/tree_build.h"

#include <string.h>

/*
 * Memory of a tree. A single slab holds, module after module: tags, sharers, owners, order, states, masks of modified
 * bytes, data; arrays begin on cache lines. Full maps grow during use, so their arrays are separate. Also made here:
 * replacement policies, the turns of networks, and lists of an access.
 */

#define LINE 64u
#define MOST_MESSAGES (1u << 24)
/* Enough for an empty flush; the first access makes room for the steps (gpci_tree_engine_reserve). */
#define FIRST_STEPS 16u

/* Take the next array of the slab at *at, and move *at. If slab is NULL, only add up the size. */
static void *take(char *slab, size_t *at, size_t count, size_t bytes, bool *overflow) {
    const size_t most = SIZE_MAX / 4;
    void *here = slab ? slab + *at : NULL;
    if (count && bytes > most / count) {
        *overflow = true;
        return NULL;
    }
    *at += (count * bytes + LINE - 1) / LINE * LINE;
    *overflow |= *at > most;
    return here;
}

/* Take and start the order of the ways of each of `rows` rows. */
static void place_order(gpci_lru_state *order, uint32_t rows, uint32_t ways, char *slab, size_t *at, bool *overflow) {
    uint64_t *orders = take(slab, at, ways ? rows : 0, sizeof *orders, overflow);
    gpci_lru_link *links = take(slab, at, ways > GPCI_RECENCY_WAYS ? (size_t)rows * ways : 0, sizeof *links, overflow);
    if (slab && ways)
        gpci_lru_start(order, rows, ways, orders, links);
}

static void place_module(const gpc_coherence *c, gpci_module *m, char *slab, size_t *at, bool *overflow) {
    const size_t blocks = m->full_map ? 0 : m->blocks, subs = blocks * m->sub_blocks;
    const size_t with_data = c->with_data && !m->given.memory ? blocks : 0;
    const size_t lines = m->sector_mask ? (size_t)m->given.sets * m->given.ways : blocks,
                 own = m->sector_mask ? (size_t)m->rows * m->own_ways : 0;
    m->tags = take(slab, at, lines, sizeof *m->tags, overflow);
    m->own_tags = take(slab, at, own, sizeof *m->own_tags, overflow);
    const size_t rows = gpci_sharers_rows(m, subs);
    m->sharers = take(slab, at, subs * gpci_sharers_elements(m, subs), sizeof *m->sharers, overflow);
    m->shared_rows = take(slab, at, rows ? 2 : 0, sizeof *m->shared_rows, overflow);
    m->shared = take(slab, at, rows * m->sharer_words, sizeof *m->shared, overflow);
    m->shared = rows ? m->shared : NULL;
    m->owners = take(slab, at, subs, sizeof *m->owners, overflow);
    m->alone = take(slab, at, rows ? (subs + 7) / 8 : 0, sizeof *m->alone, overflow);
    m->alone = rows ? m->alone : NULL;
    m->parted = rows && m->given.directory_ways;
    place_order(&m->order, m->given.sets, m->given.ways, slab, at, overflow);
    place_order(&m->own_order, m->rows, m->own_ways, slab, at, overflow);
    m->states = take(slab, at, blocks, sizeof *m->states, overflow);
    m->lacks = take(slab, at, m->given.byte_masks ? blocks : 0, m->mask_bytes, overflow);
    m->dirty = take(slab, at, with_data, m->mask_bytes, overflow);
    m->data = take(slab, at, with_data, m->given.block_bytes, overflow);
    if (!with_data)
        m->dirty = m->data = NULL;
    if (!m->given.byte_masks)
        m->lacks = NULL;
}

/* Initialise: all blocks invalid, everything else 0: no owners. */
static void start_module(gpci_module *m) {
    if (m->full_map) {
        m->tags = NULL, m->sharers = NULL, m->owners = NULL, m->states = NULL;
        return;
    }
    memset(m->states, GPC_LINE_I, m->blocks);
}

/* Prepare the mapping of tags to sets (module_tags.c). */
static void index_module(const gpc_coherence *c, gpci_module *m) {
    const gpc_coherence_module *g = &m->given;
    const uint64_t modulus = m->interleaved ? g->modulus : 1;
    m->full_map = g->memory && !g->ways;
    m->fill_ways = m->place == GPCI_PLACE_FIRST ? c->telling.fill_ways : 0;
    m->own_ways = g->directory_ways + m->fill_ways;
    m->all_ways = m->full_map ? UINT32_MAX : g->ways + m->own_ways;
    m->rows = g->sets << m->sector_shift;
    m->blocks = m->full_map ? 0 : m->rows * m->all_ways;
    m->apart = gpci_divisor_of((uint32_t)modulus);
    m->sets = gpci_divisor_of(g->sets);
    m->row_mask = m->rows - 1;
    m->index_shift = m->block_shift + gpci_log2(modulus);
    m->divides =
        m->selector || !gpci_power_of_two(g->sets) || !gpci_power_of_two(modulus) || (m->sectors > 1 && modulus > 1);
}

/* The near half of a cache shares the arrays of the home half, except `lacks`: it keeps no partial blocks. */
static void share_arrays(gpci_module *m) {
    const gpci_module *home = m->twin;
    m->tags = home->tags, m->sharers = home->sharers, m->owners = home->owners, m->alone = home->alone,
    m->parted = home->parted;
    m->shared = home->shared, m->shared_rows = home->shared_rows;
    m->order = home->order, m->own_order = home->own_order;
    m->own_tags = home->own_tags, m->states = home->states;
    m->dirty = home->dirty, m->data = home->data;
}

static gpc_status make_slab(gpc_coherence *c, gpc_error *error) {
    size_t bytes = 0, at = 0;
    bool overflow = false;
    for (uint32_t i = 0; i < c->module_count; i++) {
        index_module(c, &c->modules[i]);
        if (!c->modules[i].near)
            place_module(c, &c->modules[i], NULL, &bytes, &overflow);
    }
    if (overflow || !(c->slab = gpci_zalloc_lines(c->context, 1, bytes)))
        return gpci_out_of_memory(error);
    c->slab_bytes = bytes;
    for (uint32_t i = 0; i < c->module_count; i++) {
        if (c->modules[i].near)
            continue;
        place_module(c, &c->modules[i], c->slab, &at, &overflow);
        start_module(&c->modules[i]);
    }
    for (uint32_t i = 0; i < c->module_count; i++)
        if (c->modules[i].near)
            share_arrays(&c->modules[i]);
    return GPC_OK;
}

/* Make a policy like those of a hierarchy's caches, with state shared within a level. */
static gpc_status make_shared(const gpc_coherence *c, const gpci_module *m, gpc_policy_kind kind, const char *text,
                              gpc_error *error, gpci_policy **out) {
    gpc_policy_env geometry = {.sets = m->given.sets,
                               .ways = m->given.ways,
                               .line_bytes = m->given.block_bytes << m->sector_shift,
                               .sectors = (uint8_t)m->sectors,
                               .index = m->index,
                               .count = c->module_count};
    gpci_commons *commons = NULL;
    for (unsigned i = 0; i < 2; i++) {
        const gpci_tree_peers *peers = &c->telling.peers[i];
        if (m->index < peers->first || m->index - peers->first >= peers->count)
            continue;
        commons = peers->commons;
        geometry.index = m->index - peers->first;
        geometry.count = peers->count;
        geometry.seed = peers->seed;
    }
    return gpci_policy_create(c->context, kind, text, &geometry, commons, error, out);
}

/* lru and fifo are built in (module_tags.c); other policies are made if requests carry the fields they read. */
static gpc_status make_policy(gpc_coherence *c, gpci_module *m, gpc_error *error) {
    const char *text = m->given.replacement;
    m->fifo = !strcmp(text, "fifo");
    if (m->fifo || !strcmp(text, "lru") || m->near)
        return GPC_OK;
    if (m->full_map)
        GPCI_TREE_REFUSE(ARGUMENT, m, "replacement", "is '%s', but with ways 0 nothing is replaced", text);
    gpc_status status = make_shared(c, m, GPC_POLICY_REPLACEMENT, text, error, &m->policy);
    if (status < 0)
        return status;
    if (((const gpc_replacement_ops *)m->policy->ops)->needs_future && !(c->telling.reads & GPC_READS_NEXT_USE))
        GPCI_TREE_REFUSE(ARGUMENT, m, "replacement", "'%s' needs to know the future", text);
    uint64_t reads;
    status = gpci_policy_reads(c->context, GPC_POLICY_REPLACEMENT, text, error, &reads);
    if (status < 0)
        return status;
    char unknown[GPCI_READS_TEXT];
    gpci_reads_text(reads & ~(uint64_t)c->telling.reads, unknown);
    if (!reads || *unknown)
        GPCI_TREE_REFUSE(ARGUMENT, m, "replacement",
                         "'%s' reads %s; a tree's requests tell address, cycle, sm and kind", text,
                         reads ? unknown : "what it has not declared");
    c->has_policies = m->notified = true;
    return GPC_OK;
}

gpc_status gpci_module_predict(gpc_coherence *c, gpci_module *m, const char *spec, gpc_error *error) {
    const gpc_status status = make_shared(c, m, GPC_POLICY_PREDICTOR, spec, error, &m->predictor);
    if (status == GPC_OK)
        c->has_policies = m->notified = true;
    m->plain &= !m->notified;
    return status;
}

gpc_status gpci_module_keep(gpc_coherence *c, gpci_module *m, bool warps, bool reuse, gpc_error *error) {
    if (warps && !(m->warps = gpci_zalloc(c->context, m->blocks, sizeof *m->warps)))
        return gpci_out_of_memory(error);
    if (reuse && !(m->reuse = gpci_zalloc(c->context, m->blocks, sizeof *m->reuse)))
        return gpci_out_of_memory(error);
    c->has_policies = m->notified = true;
    m->plain = false;
    return GPC_OK;
}

/* Matrices for a protocol with more states than gpc_coherence_stats. */
static gpc_status make_matrices(gpc_coherence *c, gpci_module *m, gpc_error *error) {
    m->transitions = gpci_zalloc(c->context, (size_t)c->states * c->states, sizeof *m->transitions);
    m->origins = gpci_zalloc(c->context, (size_t)c->states * c->states, sizeof *m->origins);
    return m->transitions && m->origins ? GPC_OK : gpci_out_of_memory(error);
}

static gpc_status make_star(gpc_coherence *c, gpci_tree_star *star, gpc_error *error) {
    star->last = gpci_zalloc(c->context, c->module_count, sizeof *star->last);
    return star->last ? GPC_OK : gpci_out_of_memory(error);
}

/* Most neighbours read for a block on the way to memory. */
static uint32_t most_neighbours(gpc_coherence *c) {
    uint32_t all = 1;
    for (uint32_t i = 0; i < c->module_count; i++) {
        const uint64_t bytes = (uint64_t)(c->modules[i].fetch_mask + 1) << c->modules[i].block_shift;
        c->group_mask = bytes - 1 > c->group_mask ? bytes - 1 : c->group_mask;
    }
    for (uint32_t level = 1; level <= c->levels; level++) {
        uint32_t most = 1;
        for (uint32_t i = 0; i < c->module_count; i++)
            if (c->modules[i].level == level && c->modules[i].given.fetch_blocks > most)
                most = c->modules[i].given.fetch_blocks;
        all *= most;
    }
    return all - 1;
}

/*
 * Lists for the most steps of a transaction. A request visits every level once, may evict a block at each, and each of
 * these probes all modules above for all their blocks within the largest block of the tree. Bound: levels x (blocks of
 * all modules within the largest block) x 16 (reserve), times the blocks of a line (evicted together), times the blocks
 * read for one access.
 *
 * Example: 2 L1s with blocks of 64, an L2 of 128, memory of 256: (4 + 4 + 2 + 1) x 3 levels x 16 + 64 = 592 steps.
 */
static gpc_status make_lists(gpc_coherence *c, gpc_error *error) {
    uint32_t largest = 0, sectors = 1;
    uint64_t parts = 0;
    for (uint32_t i = 0; i < c->module_count; i++) {
        largest = c->modules[i].given.block_bytes > largest ? c->modules[i].given.block_bytes : largest;
        sectors = c->modules[i].sectors > sectors ? c->modules[i].sectors : sectors;
    }
    for (uint32_t i = 0; i < c->module_count; i++)
        parts += largest / c->modules[i].given.block_bytes;
    c->neighbour_limit = most_neighbours(c);
    const uint64_t bound = 64 + 16 * c->levels * parts * sectors * (1 + c->neighbour_limit);
    if (bound > MOST_MESSAGES)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "gpc_coherence_options.modules: a transaction may take %llu messages, more than %u",
                         (unsigned long long)bound, MOST_MESSAGES);
    c->message_bound = (uint32_t)bound;
    c->message_room = c->transition_room = FIRST_STEPS;
    c->messages = gpci_alloc(c->context, FIRST_STEPS * sizeof *c->messages);
    c->transitions = gpci_alloc(c->context, FIRST_STEPS * sizeof *c->transitions);
    return c->messages && c->transitions ? GPC_OK : gpci_out_of_memory(error);
}

gpc_status gpci_tree_layout(gpc_coherence *c, gpc_error *error) {
    gpc_status status = gpci_tree_select(c, error);
    if (status == GPC_OK)
        status = make_slab(c, error);
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++) {
        gpci_module *m = &c->modules[i];
        m->stats.struct_size = sizeof m->stats;
        m->through = m->given.write_through;
        status = make_policy(c, m, error);
        if (status == GPC_OK && c->states > GPC_LINE_COUNT)
            status = make_matrices(c, m, error);
        m->plain = m->place == GPCI_PLACE_FIRST && !m->policy && (!m->divides || m->selector) && !m->interleaved &&
                   !m->given.write_through;
        m->in_word = !m->policy && !m->fifo && m->given.ways <= GPCI_RECENCY_WAYS;
        if (m->given.memory && m->block_shift > c->memory_shift)
            c->memory_shift = m->block_shift;
    }
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        if (c->modules[i].near) {
            c->modules[i].policy = c->modules[i].twin->policy;
            c->modules[i].notified = c->modules[i].twin->notified;
        }
    for (uint32_t i = 0; i < c->star_count && status == GPC_OK; i++)
        status = make_star(c, &c->stars[i], error);
    return status == GPC_OK ? make_lists(c, error) : status;
}
