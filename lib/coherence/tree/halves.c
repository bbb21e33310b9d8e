/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

#include <string.h>

/*
 * Caches of two halves (gpc_coherence_module.near_of). Two caches may each lie below the other, for different
 * addresses. Such a cache is two modules that share tags, ways, data and locks. The home half has the blocks of the
 * pages whose home is the cache; below the home half is the memory of these pages. The near half has copies of all
 * other pages; below the near half are the home halves of other caches. An address belongs to only one half of a cache.
 * The halves meet only when one half evicts a block of the other half to make room; the block then leaves as its own
 * half would evict it. Modules form no circle: levels, directories, inclusion and probes are as in any tree.
 *
 * Example, two caches a and b, l1-0 over a, l1-1 over b; pages at home in a, and in b:
 *   of a's pages   l1-0 over a's home half; l1-1 over b's near half, over a's home half; that over a's memory
 *   of b's pages   the same the other way round
 *
 * Waiting requests could still form a circle: a request of a's near half locks a way of a while the request waits for a
 * way of b, and the same the other way round. If all ways were locked in this manner, no way would come free. Requests
 * of near halves therefore leave at least one way of a set unlocked (engine_find.c). So a home half always finds a way;
 * requests of home halves wait only for memory, and requests of near halves wait only for home halves. If a lookup only
 * needs some way, it never waits for a certain lock, because the lock may belong to the other half (gpci_halves_move).
 * A near half is always inclusive, whatever the options say: a directory entry kept for a leaving block might first
 * evict an entry of the home half, whose copies may be leaving, too.
 */

static gpc_status check_half(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    if (given->near_of >= coherence->module_count || given->near_of == module->index)
        GPCI_TREE_REFUSE(ARGUMENT, module, "near_of", "is %u, no other of %u modules", given->near_of,
                         coherence->module_count);
    const gpci_module *other = &coherence->modules[given->near_of];
    const char *name = other->given.name;
    if (!other->given.home || other->given.memory || other->given.near_of != GPC_NO_MODULE)
        GPCI_TREE_REFUSE(ARGUMENT, module, "near_of", "is '%s', which is no cache with a home", name);
    if (other->twin)
        GPCI_TREE_REFUSE(ARGUMENT, module, "near_of", "is '%s', of which '%s' is, too", name, other->twin->given.name);
    if (given->memory || given->byte_masks || (given->home && given->home != other->given.home))
        GPCI_TREE_REFUSE(ARGUMENT, module, "near_of", "is '%s', so it has no memory, byte_masks or home", name);
    if ((uint64_t)given->block_bytes * given->sectors > (uint64_t)1 << coherence->page_shift)
        GPCI_TREE_REFUSE(ARGUMENT, module, "sectors", "make lines of %u bytes, larger than a page",
                         given->block_bytes * given->sectors);
    if (given->ways < 2)
        GPCI_TREE_REFUSE(ARGUMENT, module, "ways", "is %u: two halves of a cache need two", given->ways);
    return GPC_OK;
}

/* Refuse a near half that differs from its home half in a field about sets, ways or addresses. */
static gpc_status compare(const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *given = &m->given, *module = &m->twin->given;
    const struct {
        const char *field;
        uint64_t own, other;
    } fields[] = {
        {"sets", given->sets, module->sets},
        {"ways", given->ways, module->ways},
        {"block_bytes", given->block_bytes, module->block_bytes},
        {"sectors", given->sectors, module->sectors},
        {"index", given->index, module->index},
        {"dense", given->dense, module->dense},
        {"served", given->served, module->served},
        {"first", given->first, module->first},
        {"last", given->last, module->last},
        {"divisor", given->divisor, module->divisor},
        {"modulus", given->modulus, module->modulus},
        {"residue", given->residue, module->residue},
        {"non_inclusive", given->non_inclusive, module->non_inclusive},
        {"directory_ways", given->directory_ways, module->directory_ways},
        {"any_victim", given->any_victim, module->any_victim},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].own != fields[i].other)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.%s is %llu, of '%s', the other half, %llu",
                             gpci_tree_title_of(m).text, fields[i].field, (unsigned long long)fields[i].own,
                             module->name, (unsigned long long)fields[i].other);
    if (strcmp(given->replacement, module->replacement) != 0)
        GPCI_TREE_REFUSE(ARGUMENT, m, "replacement", "is '%s', of '%s', the other half, '%s'", given->replacement,
                         module->name, module->replacement);
    return GPC_OK;
}

gpc_status gpci_tree_find_halves(gpc_coherence *coherence, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++) {
        gpci_module *module = &coherence->modules[i];
        module->store = module;
        if (module->given.near_of == GPC_NO_MODULE)
            continue;
        if ((status = check_half(coherence, module, error)) != GPC_OK)
            return status;
        module->twin = module->store = &coherence->modules[module->given.near_of];
        module->twin->twin = module;
        module->near = true;
        module->given.home = module->twin->given.home;
        status = compare(module, error);
    }
    return status;
}

/*
 * Give both halves of a cache the same directory entries: the smaller sub-blocks and the larger sets of sharers of the
 * two.
 */
gpc_status gpci_tree_join_halves(gpc_coherence *coherence, gpc_error *error) {
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        gpci_module *module = &coherence->modules[i], *home = module->twin;
        if (!module->near)
            continue;
        if (!module->above_count || !home->above_count)
            GPCI_TREE_REFUSE(ARGUMENT, module, "near_of", "is '%s', but no module is above %s", home->given.name,
                             module->above_count ? "that" : "this");
        const bool smaller = module->sub_shift < home->sub_shift;
        module->sub_shift = home->sub_shift = smaller ? module->sub_shift : home->sub_shift;
        module->sub_blocks = home->sub_blocks = module->given.block_bytes >> module->sub_shift;
        const bool wider = module->sharer_words > home->sharer_words;
        module->sharer_words = home->sharer_words = wider ? module->sharer_words : home->sharer_words;
    }
    return GPC_OK;
}
