/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"
#include "stats/stats.h"

#include <string.h>

/* Functions by which the calling program reads a tree: blocks, directories, modules, statistics. */

/* Block at a set and way, or GPCI_TREE_NO_BLOCK. */
static uint32_t block_at(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way) {
    if (module >= coherence->module_count)
        return GPCI_TREE_NO_BLOCK;
    const gpci_module *m = &coherence->modules[module];
    if (m->full_map)
        return set == 0 && way < m->map.count ? way : GPCI_TREE_NO_BLOCK;
    return set < m->rows && way < m->all_ways ? set * m->all_ways + way : GPCI_TREE_NO_BLOCK;
}

static GPCI_COLD gpc_status refuse_null(const gpc_coherence *coherence, const char *call, const char *other,
                                        gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", call, coherence ? other : "coherence");
}

static GPCI_COLD gpc_status refuse_module(const gpc_coherence *coherence, uint32_t module, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "module %u of %u", module, coherence->module_count);
}

/* Report the error of a place (module, set, way) for which block_at returned GPCI_TREE_NO_BLOCK. */
static GPCI_COLD gpc_status refuse_place(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                         gpc_error *error) {
    if (module >= coherence->module_count)
        return refuse_module(coherence, module, error);
    const gpci_module *m = &coherence->modules[module];
    const uint32_t sets = m->full_map ? 1 : m->rows;
    return set < sets ? gpci_fail(error, GPC_ERROR_RANGE, "module %s: way %u of %u", m->given.name, way,
                                  m->full_map ? m->map.count : m->all_ways)
                      : gpci_fail(error, GPC_ERROR_RANGE, "module %s: set %u of %u", m->given.name, set, sets);
}

/* Place of a block in the set's LRU or FIFO order, 0 most recent; also 0 if the module keeps no order. */
static uint32_t recency_of(const gpci_module *module, uint32_t block) {
    if (module->full_map)
        return 0;
    const uint32_t row = block / module->all_ways, way = block % module->all_ways, ways = module->given.ways;
    if (way >= ways)
        return gpci_lru_place(&module->own_order, row, way - ways);
    return module->policy ? 0 : gpci_lru_place(&module->order, row >> module->sector_shift, way);
}

gpc_status gpc_coherence_get_block(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                   gpc_coherence_block *block, gpc_error *error) {
    if (!coherence || !block)
        return refuse_null(coherence, "gpc_coherence_get_block", "block", error);
    const uint32_t at = block_at(coherence, module, set, way);
    if (at == GPCI_TREE_NO_BLOCK)
        return refuse_place(coherence, module, set, way, error);
    const gpci_module *m = &coherence->modules[module];
    gpc_coherence_block ours = GPC_COHERENCE_BLOCK_INIT;
    const bool own = gpci_module_owns(m, at);
    ours.tag = own ? gpci_module_tag(m, at) : 0;
    ours.state = own ? m->states[at] : GPC_LINE_I;
    ours.recency = recency_of(m, at);
    ours.sub_blocks = m->sub_blocks;
    ours.sub_block_bytes = 1u << m->sub_shift;
    if (m->data && !gpci_module_directory_only(m, at)) {
        ours.bytes = gpci_module_data_of(m, at);
        ours.dirty = gpci_module_dirty_of(m, at);
    }
    return gpci_give(block, &ours, sizeof ours, "gpc_coherence_block", error);
}

gpc_status gpc_coherence_get_directory(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                       uint32_t sub_block, uint32_t *out_owner, uint32_t *sharers, size_t capacity,
                                       size_t *out_count, gpc_error *error) {
    if (!coherence || !out_owner || !out_count || (capacity && !sharers))
        return refuse_null(coherence, "gpc_coherence_get_directory",
                           !out_owner   ? "out_owner"
                           : !out_count ? "out_count"
                                        : "sharers",
                           error);
    const uint32_t at = block_at(coherence, module, set, way);
    if (at == GPCI_TREE_NO_BLOCK)
        return refuse_place(coherence, module, set, way, error);
    const gpci_module *m = &coherence->modules[module];
    if (sub_block >= m->sub_blocks)
        return gpci_fail(error, GPC_ERROR_RANGE, "module %s: sub_block %u of %u", m->given.name, sub_block,
                         m->sub_blocks);
    const uint16_t owner = gpci_module_owner_of(m, at, sub_block);
    size_t count = 0;
    if (!gpci_module_owns(m, at)) {
        *out_owner = GPC_NO_MODULE;
        *out_count = 0;
        return GPC_OK;
    }
    for (uint32_t w = 0; w < m->sharer_words; w++)
        for (uint64_t left = gpci_sharers_word(m, at, sub_block, w); left; left &= left - 1, count++)
            if (count < capacity)
                sharers[count] = m->above[w * GPCI_SHARERS + gpci_lowest(left)];
    *out_owner = owner == GPCI_TREE_NO_OWNER ? GPC_NO_MODULE : m->above[owner];
    *out_count = count;
    return GPC_OK;
}

/* Way that the next miss in a set would take; GPC_NO_MODULE: unknown, as the replacement policy will decide. */
static uint32_t next_way(const gpci_module *module, uint32_t row, uint64_t tag) {
    if (module->full_map)
        return module->map.count;
    uint32_t way = gpci_module_way_of_line(module, tag);
    if (way == GPCI_NO_WAY && !module->given.any_victim)
        way = gpci_module_free_way(module, row, false, NULL);
    if (way != GPCI_NO_WAY)
        return way;
    return module->policy ? GPC_NO_MODULE : gpci_module_way_at(module, row, false, module->given.ways - 1);
}

gpc_status gpc_coherence_find(const gpc_coherence *coherence, uint32_t module, uint64_t address, uint32_t *out_set,
                              uint32_t *out_way, gpc_error *error) {
    if (!coherence || !out_set || !out_way)
        return refuse_null(coherence, "gpc_coherence_find", out_set ? "out_way" : "out_set", error);
    if (module >= coherence->module_count)
        return refuse_module(coherence, module, error);
    const gpci_module *m = &coherence->modules[module];
    if (!gpci_module_serves(m, address))
        return gpci_fail(error, GPC_ERROR_RANGE, "module %s does not serve address %#llx", m->given.name,
                         (unsigned long long)address);
    const uint64_t tag = gpci_module_tag_of(m, address);
    const uint32_t block = gpci_module_find(m, tag);
    *out_set = gpci_module_row(m, tag);
    *out_way = block == GPCI_TREE_NO_BLOCK ? next_way(m, *out_set, tag) : block % m->all_ways;
    return block == GPCI_TREE_NO_BLOCK ? GPC_END : GPC_OK;
}

uint32_t gpc_coherence_module_index(const gpc_coherence *coherence, const char *name) {
    for (uint32_t i = 0; coherence && name && i < coherence->module_count; i++)
        if (!strcmp(coherence->modules[i].given.name, name))
            return i;
    return GPC_NO_MODULE;
}

gpc_status gpc_coherence_get_module(const gpc_coherence *coherence, uint32_t module, gpc_coherence_module *out,
                                    gpc_error *error) {
    if (!coherence || !out)
        return refuse_null(coherence, "gpc_coherence_get_module", "out", error);
    if (module >= coherence->module_count)
        return refuse_module(coherence, module, error);
    return gpci_give(out, &coherence->modules[module].given, sizeof *out, "gpc_coherence_module", error);
}

void gpci_coherence_add_stats(gpci_coherence_stats *sum, const gpci_coherence_stats *s) {
#define X(id, field, ...) sum->field += s->field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    for (int from = 0; from < GPC_LINE_COUNT; from++)
        for (int to = 0; to < GPC_LINE_COUNT; to++) {
            sum->transitions[from][to] += s->transitions[from][to];
            sum->origins[from][to] |= s->origins[from][to];
        }
}

/* Add the statistics of `module` to `sum`; GPC_NO_MODULE: of all modules. */
static void sum_up(const gpc_coherence *coherence, uint32_t module, gpci_coherence_stats *sum) {
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (module == GPC_NO_MODULE || module == i)
            gpci_coherence_add_stats(sum, &coherence->modules[i].stats);
}

gpc_status gpc_coherence_read(const gpc_coherence *coherence, uint32_t module, const uint32_t *ids, size_t count,
                              uint64_t *values, size_t value_count, gpc_error *error) {
    if (!coherence)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_read: coherence is NULL");
    if (module != GPC_NO_MODULE && module >= coherence->module_count)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_read: module is %u, and the tree has %u modules",
                         module, coherence->module_count);
    gpci_coherence_stats sum = {0};
    sum_up(coherence, module, &sum);
    return gpci_read_table(GPC_TABLE_COHERENCE, &sum, ids, count, values, value_count, "gpc_coherence_read", error);
}

const gpc_protocol *gpc_coherence_protocol(const gpc_coherence *coherence) {
    return coherence ? coherence->protocol : NULL;
}

void gpci_module_count_more(gpci_module *module, uint8_t from, uint8_t to, uint32_t origin) {
    static const uint8_t like[GPCI_MEANS_I + 1] = {
        [GPC_MEANS_N] = GPC_LINE_N,  [GPC_MEANS_M] = GPC_LINE_M,        [GPC_MEANS_O] = GPC_LINE_O,
        [GPC_MEANS_E] = GPC_LINE_E,  [GPC_MEANS_S] = GPC_LINE_S,        [GPC_MEANS_F] = GPC_LINE_S,
        [GPCI_MEANS_I] = GPC_LINE_I, [GPC_MEANS_DETACHED] = GPC_LINE_S,
    };
    const uint8_t *means = module->tree->means;
    const size_t at = (size_t)from * module->tree->states + to;
    module->transitions[at]++;
    module->origins[at] |= origin;
    module->stats.transitions[like[means[from]]][like[means[to]]]++;
    module->stats.origins[like[means[from]]][like[means[to]]] |= origin;
}

static void add_matrices(const gpci_module *module, uint32_t states, uint64_t *transitions, uint32_t *origins) {
    const bool every = module->transitions && states != GPC_LINE_COUNT;
    for (uint32_t i = 0; i < states * states; i++) {
        transitions[i] += every ? module->transitions[i] : (&module->stats.transitions[0][0])[i];
        origins[i] |= every ? module->origins[i] : (&module->stats.origins[0][0])[i];
    }
}

gpc_status gpc_coherence_get_matrices(const gpc_coherence *coherence, uint32_t module, uint32_t states,
                                      uint64_t *transitions, uint32_t *origins, gpc_error *error) {
    if (!coherence || !transitions || !origins)
        return refuse_null(coherence, "gpc_coherence_get_matrices", transitions ? "origins" : "transitions", error);
    if (module != GPC_NO_MODULE && module >= coherence->module_count)
        return refuse_module(coherence, module, error);
    if (states != coherence->states && states != GPC_LINE_COUNT)
        return gpci_fail(error, GPC_ERROR_RANGE, "states is %u, but the protocol has %u", states, coherence->states);
    memset(transitions, 0, (size_t)states * states * sizeof *transitions);
    memset(origins, 0, (size_t)states * states * sizeof *origins);
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (module == GPC_NO_MODULE || module == i)
            add_matrices(&coherence->modules[i], states, transitions, origins);
    return GPC_OK;
}

void gpc_coherence_reset_stats(gpc_coherence *coherence) {
    for (uint32_t i = 0; coherence && i < coherence->module_count; i++) {
        gpci_module *module = &coherence->modules[i];
        const size_t cells = (size_t)coherence->states * coherence->states;
        module->stats = (gpci_coherence_stats){0};
#ifdef GPCI_CHECK
        module->again = (gpci_coherence_stats){0};
        module->refused_again = module->remote_again = 0;
#endif
        if (module->transitions) {
            memset(module->transitions, 0, cells * sizeof *module->transitions);
            memset(module->origins, 0, cells * sizeof *module->origins);
        }
    }
}

gpc_status gpc_coherence_set_callbacks(gpc_coherence *coherence, const gpc_coherence_callbacks *callbacks,
                                       gpc_error *error) {
    if (!coherence)
        return refuse_null(coherence, "gpc_coherence_set_callbacks", NULL, error);
    gpc_coherence_callbacks ours = GPC_COHERENCE_CALLBACKS_INIT;
    const size_t least = offsetof(gpc_coherence_callbacks, on_message) + sizeof ours.on_message;
    gpc_status status = gpci_take(&ours, sizeof ours, least, callbacks, "gpc_coherence_callbacks", error);
    if (status == GPC_OK)
        coherence->callbacks = ours;
    return status;
}
