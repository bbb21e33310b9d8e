/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"
#include "coherence/tree/tree_build.h"

#include <string.h>

/*
 * Memory of a tree. A single slab holds, module after module: tags, sharers, owners, order, states, masks of modified
 * bytes, data; arrays begin on cache lines. Full maps grow during use, so their arrays are separate. Also made here:
 * replacement policies, the turns of networks, and lists of an access.
 */

#define LINE 64u
#define MOST_MESSAGES (1u << 24)
/*
 * First size of the lists: enough for an empty flush. The first access enlarges the lists (gpci_tree_engine_reserve).
 */
#define FIRST_STEPS 16u

/*
 * Take the next array of the slab, at *at, and advance *at. If `slab` is NULL, only *at advances, to compute the slab's
 * size.
 */
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

/* Take the memory of the recency order of each row, and initialise the orders. */
static void place_order(gpci_lru_state *order, uint32_t rows, uint32_t ways, char *slab, size_t *at, bool *overflow) {
    uint64_t *orders = take(slab, at, ways ? rows : 0, sizeof *orders, overflow);
    gpci_lru_link *links = take(slab, at, ways > GPCI_RECENCY_WAYS ? (size_t)rows * ways : 0, sizeof *links, overflow);
    if (slab && ways)
        gpci_lru_start(order, rows, ways, orders, links);
}

/*
 * Take the memory of tags. The upper bits of the tags (`highs`) lie behind the tags, because comparisons may read
 * behind the last row.
 */
static void place_tags(gpci_tags *tags, size_t rows, uint32_t row, char *slab, size_t *at, bool *overflow) {
    uint32_t *words = take(slab, at, rows * row, 2 * sizeof *words, overflow);
    if (slab)
        *tags = (gpci_tags){.words = words, .highs = words + rows * row, .row = row, .wide = true};
}

static void place_module(const gpc_coherence *coherence, gpci_module *module, char *slab, size_t *at, bool *overflow) {
    const size_t blocks = module->full_map ? 0 : module->blocks, subs = blocks * module->sub_blocks;
    const size_t with_data = coherence->with_data && !module->given.memory ? blocks : 0;
    const bool parts = module->sector_mask;
    place_tags(&module->tags, blocks ? module->given.sets : 0, parts ? module->given.ways : module->all_ways, slab, at,
               overflow);
    place_tags(&module->own_tags, parts ? module->rows : 0, module->own_ways, slab, at, overflow);
    const size_t rows = gpci_sharers_rows(module, subs);
    module->sharers = take(slab, at, subs * gpci_sharers_elements(module, subs), sizeof *module->sharers, overflow);
    module->shared_rows = take(slab, at, rows ? 2 : 0, sizeof *module->shared_rows, overflow);
    module->shared = take(slab, at, rows * module->sharer_words, sizeof *module->shared, overflow);
    module->shared = rows ? module->shared : NULL;
    module->owners = take(slab, at, subs, sizeof *module->owners, overflow);
    module->alone = take(slab, at, rows ? (subs + 7) / 8 : 0, sizeof *module->alone, overflow);
    module->alone = rows ? module->alone : NULL;
    module->parted = rows && module->given.directory_ways;
    place_order(&module->order, module->given.sets, module->given.ways, slab, at, overflow);
    place_order(&module->own_order, module->rows, module->own_ways, slab, at, overflow);
    module->states = take(slab, at, blocks, sizeof *module->states, overflow);
    module->lacks = take(slab, at, module->given.byte_masks ? blocks : 0, module->mask_bytes, overflow);
    module->dirty = take(slab, at, with_data, module->mask_bytes, overflow);
    module->data = take(slab, at, with_data, module->given.block_bytes, overflow);
    if (!with_data)
        module->dirty = module->data = NULL;
    if (!module->given.byte_masks)
        module->lacks = NULL;
}

/* Initialise: all blocks are in I. All other memory is 0, which also means: no owners. */
static void start_module(gpci_module *module) {
    if (module->full_map) {
        module->sharers = NULL, module->owners = NULL, module->states = NULL;
        return;
    }
    memset(module->states, GPC_LINE_I, module->blocks);
}

/* Compute the fields that map tags to sets (module_tags.c). */
static void index_module(const gpc_coherence *coherence, gpci_module *module) {
    const gpc_coherence_module *given = &module->given;
    const uint64_t modulus = module->interleaved ? given->modulus : 1;
    module->full_map = given->memory && !given->ways;
    module->fill_ways = module->place == GPCI_PLACE_FIRST ? coherence->telling.fill_ways : 0;
    module->split = module->sector_mask || module->full_map;
    module->own_ways = given->directory_ways + module->fill_ways;
    module->all_ways = module->full_map ? UINT32_MAX : given->ways + module->own_ways;
    module->rows = given->sets << module->sector_shift;
    module->blocks = module->full_map ? 0 : module->rows * module->all_ways;
    module->apart = gpci_divisor_of((uint32_t)modulus);
    module->sets = gpci_divisor_of(given->sets);
    module->row_mask = module->rows - 1;
    module->index_shift = module->block_shift + gpci_log2(modulus);
    module->divides = module->selector || !gpci_power_of_two(given->sets) || !gpci_power_of_two(modulus) ||
                      (module->sectors > 1 && modulus > 1);
}

/* Let a near half share the arrays of the home half. A near half keeps no partial blocks, and so needs no `lacks`. */
static void share_arrays(gpci_module *module) {
    const gpci_module *home = module->twin;
    module->tags = home->tags, module->sharers = home->sharers, module->owners = home->owners,
    module->alone = home->alone, module->parted = home->parted;
    module->shared = home->shared, module->shared_rows = home->shared_rows;
    module->order = home->order, module->own_order = home->own_order;
    module->own_tags = home->own_tags, module->states = home->states;
    module->dirty = home->dirty, module->data = home->data;
}

static gpc_status make_slab(gpc_coherence *coherence, gpc_error *error) {
    size_t bytes = 0, at = 0;
    bool overflow = false;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        index_module(coherence, &coherence->modules[i]);
        if (!coherence->modules[i].near)
            place_module(coherence, &coherence->modules[i], NULL, &bytes, &overflow);
    }
    if (overflow || !(coherence->slab = gpci_zalloc_lines(coherence->context, 1, bytes)))
        return gpci_out_of_memory(error);
    coherence->slab_bytes = bytes;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        if (coherence->modules[i].near)
            continue;
        place_module(coherence, &coherence->modules[i], coherence->slab, &at, &overflow);
        start_module(&coherence->modules[i]);
    }
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (coherence->modules[i].near)
            share_arrays(&coherence->modules[i]);
    return GPC_OK;
}

/* Make a policy, as for a hierarchy's caches. Policies of the modules in gpci_tree_telling.peers share state. */
static gpc_status make_shared(const gpc_coherence *coherence, const gpci_module *module, gpc_policy_kind kind,
                              const char *text, gpc_error *error, gpci_policy **out) {
    gpc_policy_env geometry = {.sets = module->given.sets,
                               .ways = module->given.ways,
                               .line_bytes = module->given.block_bytes << module->sector_shift,
                               .sectors = (uint8_t)module->sectors,
                               .index = module->index,
                               .count = coherence->module_count};
    gpci_commons *commons = NULL;
    for (unsigned i = 0; i < 2; i++) {
        const gpci_tree_peers *peers = &coherence->telling.peers[i];
        if (module->index < peers->first || module->index - peers->first >= peers->count)
            continue;
        commons = peers->commons;
        geometry.index = module->index - peers->first;
        geometry.count = peers->count;
        geometry.seed = peers->seed;
    }
    return gpci_policy_create(coherence->context, kind, text, &geometry, commons, error, out);
}

/*
 * Make a module's replacement policy. lru and fifo are built in (module_tags.c), and need none. Another policy is
 * refused if it reads fields that requests do not carry.
 */
static gpc_status make_policy(gpc_coherence *coherence, gpci_module *module, gpc_error *error) {
    const char *text = module->given.replacement;
    module->fifo = !strcmp(text, "fifo");
    if (module->fifo || !strcmp(text, "lru") || module->near)
        return GPC_OK;
    if (module->full_map)
        GPCI_TREE_REFUSE(ARGUMENT, module, "replacement", "is '%s', but with ways 0 nothing is replaced", text);
    gpc_status status = make_shared(coherence, module, GPC_POLICY_REPLACEMENT, text, error, &module->policy);
    if (status < 0)
        return status;
    if (((const gpc_replacement_ops *)module->policy->ops)->needs_future &&
        !(coherence->telling.reads & GPC_READS_NEXT_USE))
        GPCI_TREE_REFUSE(ARGUMENT, module, "replacement", "'%s' needs to know the future", text);
    uint64_t reads;
    status = gpci_policy_reads(coherence->context, GPC_POLICY_REPLACEMENT, text, error, &reads);
    if (status < 0)
        return status;
    char unknown[GPCI_READS_TEXT];
    gpci_reads_text(reads & ~(uint64_t)coherence->telling.reads, unknown);
    if (!reads || *unknown)
        GPCI_TREE_REFUSE(ARGUMENT, module, "replacement",
                         "'%s' reads %s; a tree's requests tell address, cycle, sm and kind", text,
                         reads ? unknown : "what it has not declared");
    coherence->has_policies = module->notified = true;
    return GPC_OK;
}

gpc_status gpci_module_predict(gpc_coherence *coherence, gpci_module *module, const char *spec, gpc_error *error) {
    const gpc_status status = make_shared(coherence, module, GPC_POLICY_PREDICTOR, spec, error, &module->predictor);
    if (status == GPC_OK)
        coherence->has_policies = module->notified = true;
    module->plain &= !module->notified;
    return status;
}

gpc_status gpci_module_keep(gpc_coherence *coherence, gpci_module *module, bool warps, bool reuse, gpc_error *error) {
    if (warps && !(module->warps = gpci_zalloc(coherence->context, module->blocks, sizeof *module->warps)))
        return gpci_out_of_memory(error);
    if (reuse && !(module->reuse = gpci_zalloc(coherence->context, module->blocks, sizeof *module->reuse)))
        return gpci_out_of_memory(error);
    coherence->has_policies = module->notified = true;
    module->plain = false;
    return GPC_OK;
}

/* Make the counters of transitions for a protocol with more states than gpci_coherence_stats. */
static gpc_status make_matrices(gpc_coherence *coherence, gpci_module *module, gpc_error *error) {
    module->transitions =
        gpci_zalloc(coherence->context, (size_t)coherence->states * coherence->states, sizeof *module->transitions);
    module->origins =
        gpci_zalloc(coherence->context, (size_t)coherence->states * coherence->states, sizeof *module->origins);
    return module->transitions && module->origins ? GPC_OK : gpci_out_of_memory(error);
}

static gpc_status make_star(gpc_coherence *coherence, gpci_tree_star *star, gpc_error *error) {
    star->last = gpci_zalloc(coherence->context, coherence->module_count, sizeof *star->last);
    return star->last ? GPC_OK : gpci_out_of_memory(error);
}

/* Upper bound of the neighbours read for a block, at all levels on the way to memory. */
static uint32_t most_neighbours(gpc_coherence *coherence) {
    uint32_t all = 1;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        const uint64_t bytes = (uint64_t)(coherence->modules[i].fetch_mask + 1) << coherence->modules[i].block_shift;
        coherence->group_mask = bytes - 1 > coherence->group_mask ? bytes - 1 : coherence->group_mask;
    }
    for (uint32_t level = 1; level <= coherence->levels; level++) {
        uint32_t most = 1;
        for (uint32_t i = 0; i < coherence->module_count; i++)
            if (coherence->modules[i].level == level && coherence->modules[i].given.fetch_blocks > most)
                most = coherence->modules[i].given.fetch_blocks;
        all *= most;
    }
    return all - 1;
}

/*
 * Make the lists of a transaction, and compute the upper bound of the steps. A request visits every level once and may
 * evict a block at every level; the visit and the eviction may probe all modules above, for all blocks that lie within
 * the largest block of the tree. The bound is the product of: levels; blocks of all modules within the largest block;
 * 16, which leaves a reserve; blocks of a line, which leave together; blocks read for an access. 64 more for small
 * trees.
 *
 * Example: 2 L1s with blocks of 64 bytes, an L2 with blocks of 128 bytes, a memory with blocks of 256 bytes. 256 bytes
 * have 4 blocks in each L1, 2 in the L2 and 1 in memory: (4 + 4 + 2 + 1) x 3 levels x 16 + 64 = 592 steps.
 */
static gpc_status make_lists(gpc_coherence *coherence, gpc_error *error) {
    uint32_t largest = 0, sectors = 1;
    uint64_t parts = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        largest = coherence->modules[i].given.block_bytes > largest ? coherence->modules[i].given.block_bytes : largest;
        sectors = coherence->modules[i].sectors > sectors ? coherence->modules[i].sectors : sectors;
    }
    for (uint32_t i = 0; i < coherence->module_count; i++)
        parts += largest / coherence->modules[i].given.block_bytes;
    coherence->neighbour_limit = most_neighbours(coherence);
    const uint64_t bound = 64 + 16 * coherence->levels * parts * sectors * (1 + coherence->neighbour_limit);
    if (bound > MOST_MESSAGES)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "gpc_coherence_options.modules: a transaction may take %llu messages, more than %u",
                         (unsigned long long)bound, MOST_MESSAGES);
    coherence->message_bound = (uint32_t)bound;
    coherence->message_capacity = coherence->transition_capacity = FIRST_STEPS;
    coherence->messages = gpci_alloc(coherence->context, FIRST_STEPS * sizeof *coherence->messages);
    coherence->transitions = gpci_alloc(coherence->context, FIRST_STEPS * sizeof *coherence->transitions);
    return coherence->messages && coherence->transitions ? GPC_OK : gpci_out_of_memory(error);
}

gpc_status gpci_tree_layout(gpc_coherence *coherence, gpc_error *error) {
    gpc_status status = gpci_tree_select(coherence, error);
    if (status == GPC_OK)
        status = make_slab(coherence, error);
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++) {
        gpci_module *module = &coherence->modules[i];
        status = make_policy(coherence, module, error);
        if (status == GPC_OK && coherence->states > GPC_LINE_COUNT)
            status = make_matrices(coherence, module, error);
        module->plain = module->place == GPCI_PLACE_FIRST && !module->policy &&
                        (!module->divides || module->selector) && !module->interleaved && !module->given.write_through;
        module->in_word = !module->policy && !module->fifo && module->given.ways <= GPCI_RECENCY_WAYS;
        if (module->given.memory && module->block_shift > coherence->memory_shift)
            coherence->memory_shift = module->block_shift;
    }
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++)
        if (coherence->modules[i].near) {
            coherence->modules[i].policy = coherence->modules[i].twin->policy;
            coherence->modules[i].notified = coherence->modules[i].twin->notified;
        }
    for (uint32_t i = 0; i < coherence->star_count && status == GPC_OK; i++)
        status = make_star(coherence, &coherence->stars[i], error);
    return status == GPC_OK ? make_lists(coherence, error) : status;
}
