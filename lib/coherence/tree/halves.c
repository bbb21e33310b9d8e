/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

#include <string.h>

/*
 * Caches that are below each other for different addresses (gpc_coherence_module.near_of): each is two modules, which
 * share tags, ways, data and locks. One half is home of its pages, over their memory; the other, near, keeps copies of
 * all other pages, over the caches where these are at home. An address is in one half or the other, so they never meet
 * but where one makes room for itself by evicting a block of the other's, which leaves as that half's own does. Between
 * modules, then, there is no circle, and levels, directories, inclusion and probes are as in any tree.
 *
 * Example, two caches a and b, l1-0 over a, l1-1 over b; pages at home in a, and in b:
 *   of a's pages   l1-0 over a's home half; l1-1 over b's near half, over a's home half; that over a's memory
 *   of b's pages   the same the other way round
 *
 * What is left of the circle are the ways. A request of a's near half holds a way of a while it waits for a way of b;
 * if all ways of both were held so, none would come free. So near halves' requests lock all ways of a set but one at
 * most (controller_find.c): then a home half always finds a way in the end, its requests wait for memory alone, and
 * those of near halves for home halves. Nor does anybody wait for a lock where a way would do: it may be the other
 * half's (gpci_halves_move). And a near half is inclusive, whatever is given: if it kept an entry of its directory for
 * a block that leaves, it might have to evict one of the home half's first, whose copies may be leaving likewise.
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

/* Properties that decide about ways must be equal. */
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

/* Entries of the directory are as large as the greater of the two needs them. */
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
