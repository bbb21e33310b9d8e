/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

#include <string.h>

/*
 * Caches below each other for different addresses (gpc_coherence_module.near_of). Each cache is two modules that share
 * tags, ways, data and locks. The home half has the pages at home in the cache, over the pages' memory. The near half
 * keeps copies of all other pages, over the caches where the pages are at home. An address belongs to one half alone.
 * The halves meet only when one evicts a block of the other to make room; the block leaves as in its own half.
 * Between modules there is no circle: levels, directories, inclusion and probes are as in any tree.
 *
 * Example, two caches a and b, l1-0 over a, l1-1 over b; pages at home in a, and in b:
 *   of a's pages   l1-0 over a's home half; l1-1 over b's near half, over a's home half; that over a's memory
 *   of b's pages   the same the other way round
 *
 * Ways could still form a circle: a request of a's near half holds a way of a while the request waits for a way of b.
 * If all ways of both were held in this manner, no way would come free. Requests of near halves therefore leave at
 * least one way of a set unlocked (engine_find.c). A home half then always finds a way; requests of home halves
 * wait for memory alone, and requests of near halves for home halves. A lookup never waits for a lock if a way is
 * enough: the lock may be the other half's (gpci_halves_move). A near half is inclusive, whatever is given: a directory
 * entry kept for a leaving block might first evict an entry of the home half, whose copies may be leaving too.
 */

static gpc_status check_half(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    if (g->near_of >= c->module_count || g->near_of == m->index)
        GPCI_TREE_REFUSE(ARGUMENT, m, "near_of", "is %u, no other of %u modules", g->near_of, c->module_count);
    const gpci_module *other = &c->modules[g->near_of];
    const char *name = other->given.name;
    if (!other->given.home || other->given.memory || other->given.near_of != GPC_NO_MODULE)
        GPCI_TREE_REFUSE(ARGUMENT, m, "near_of", "is '%s', which is no cache with a home", name);
    if (other->twin)
        GPCI_TREE_REFUSE(ARGUMENT, m, "near_of", "is '%s', of which '%s' is, too", name, other->twin->given.name);
    if (g->memory || g->byte_masks || (g->home && g->home != other->given.home))
        GPCI_TREE_REFUSE(ARGUMENT, m, "near_of", "is '%s', so it has no memory, byte_masks or home", name);
    if ((uint64_t)g->block_bytes * g->sectors > (uint64_t)1 << c->page_shift)
        GPCI_TREE_REFUSE(ARGUMENT, m, "sectors", "make lines of %u bytes, larger than a page",
                         g->block_bytes * g->sectors);
    if (g->ways < 2)
        GPCI_TREE_REFUSE(ARGUMENT, m, "ways", "is %u: two halves of a cache need two", g->ways);
    return GPC_OK;
}

/* Refuse halves that differ in a field about ways. */
static gpc_status compare(const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given, *h = &m->twin->given;
    const struct {
        const char *field;
        uint64_t own, other;
    } fields[] = {
        {"sets", g->sets, h->sets},
        {"ways", g->ways, h->ways},
        {"block_bytes", g->block_bytes, h->block_bytes},
        {"sectors", g->sectors, h->sectors},
        {"index", g->index, h->index},
        {"dense", g->dense, h->dense},
        {"served", g->served, h->served},
        {"first", g->first, h->first},
        {"last", g->last, h->last},
        {"divisor", g->divisor, h->divisor},
        {"modulus", g->modulus, h->modulus},
        {"residue", g->residue, h->residue},
        {"non_inclusive", g->non_inclusive, h->non_inclusive},
        {"directory_ways", g->directory_ways, h->directory_ways},
        {"any_victim", g->any_victim, h->any_victim},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].own != fields[i].other)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.%s is %llu, of '%s', the other half, %llu",
                             gpci_tree_title_of(m).text, fields[i].field, (unsigned long long)fields[i].own, h->name,
                             (unsigned long long)fields[i].other);
    if (strcmp(g->replacement, h->replacement) != 0)
        GPCI_TREE_REFUSE(ARGUMENT, m, "replacement", "is '%s', of '%s', the other half, '%s'", g->replacement, h->name,
                         h->replacement);
    return GPC_OK;
}

gpc_status gpci_tree_find_halves(gpc_coherence *c, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++) {
        gpci_module *m = &c->modules[i];
        m->store = m;
        if (m->given.near_of == GPC_NO_MODULE)
            continue;
        if ((status = check_half(c, m, error)) != GPC_OK)
            return status;
        m->twin = m->store = &c->modules[m->given.near_of];
        m->twin->twin = m;
        m->near = true;
        m->given.home = m->twin->given.home;
        status = compare(m, error);
    }
    return status;
}

/* Give both halves directory entries of the larger size. */
gpc_status gpci_tree_join_halves(gpc_coherence *c, gpc_error *error) {
    for (uint32_t i = 0; i < c->module_count; i++) {
        gpci_module *m = &c->modules[i], *home = m->twin;
        if (!m->near)
            continue;
        if (!m->above_count || !home->above_count)
            GPCI_TREE_REFUSE(ARGUMENT, m, "near_of", "is '%s', but no module is above %s", home->given.name,
                             m->above_count ? "that" : "this");
        const bool smaller = m->sub_shift < home->sub_shift;
        m->sub_shift = home->sub_shift = smaller ? m->sub_shift : home->sub_shift;
        m->sub_blocks = home->sub_blocks = m->given.block_bytes >> m->sub_shift;
        const bool wider = m->sharer_words > home->sharer_words;
        m->sharer_words = home->sharer_words = wider ? m->sharer_words : home->sharer_words;
    }
    return GPC_OK;
}
