/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_archive.h"

#include "cache/cache_archive.h"

/*
 * A tree in a snapshot: everything later accesses can see, and all counters. If you add such a field to gpc_coherence
 * or gpci_module, save it here. The state of accesses in flight belongs to the engine (gpci_engine_archive).
 */

/* Directory of a memory, with an entry for every block ever cached. */
static void archive_full_map(gpc_context *context, gpci_module *m, gpci_archive *a) {
    const size_t words = (size_t)m->sub_blocks * m->sharer_words;
    uint32_t count = (uint32_t)gpci_archive_count(a, m->map.count, sizeof *m->map.entries);
    if (a->loading && a->status == GPC_OK && count > m->map.count &&
        gpci_module_reserve(context, m, count - m->map.count) < 0)
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    gpci_map_archive(context, &m->map, a);
    if (m->map.count != count)
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "a directory of another length than its map's");
    if (a->status < 0)
        return;
    gpci_archive_bytes(a, m->tags, count * sizeof *m->tags);
    gpci_archive_bytes(a, m->states, count * sizeof *m->states);
    gpci_archive_bytes(a, m->owners, count * m->sub_blocks * sizeof *m->owners);
    gpci_archive_bytes(a, m->sharers, count * words * sizeof *m->sharers);
}

static void archive_policies(gpci_module *m, gpci_archive *a) {
    gpci_policy *const policies[] = {m->policy, m->predictor};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (policies[i] && gpci_policy_can_be_saved(policies[i], a))
            gpci_policy_state(policies[i], gpci_archive_bytes, a);
    uint32_t *const marks[] = {m->warps, m->reuse, m->marks};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i])
            gpci_archive_bytes(a, marks[i], m->blocks * sizeof *marks[i]);
    gpci_tokens_archive(m->tokens, a);
}

static void archive_module(gpc_coherence *c, gpci_module *m, gpci_archive *a) {
    const size_t states = (size_t)c->states * c->states;
    if (m->full_map)
        archive_full_map(c->context, m, a);
    else
        gpci_archive_same(a, m->blocks, "a module has another number of blocks");
    archive_policies(m, a);
    GPCI_ARCHIVE_FIELD(a, m->through), GPCI_ARCHIVE_FIELD(a, m->leaving), GPCI_ARCHIVE_FIELD(a, m->notified_line),
        GPCI_ARCHIVE_FIELD(a, m->notified_access), GPCI_ARCHIVE_FIELD(a, m->notified_again);
    GPCI_ARCHIVE_FIELD(a, m->kept_out), GPCI_ARCHIVE_FIELD(a, m->asked_line), GPCI_ARCHIVE_FIELD(a, m->asked_access);
    GPCI_ARCHIVE_FIELD(a, m->word), GPCI_ARCHIVE_FIELD(a, m->answer), GPCI_ARCHIVE_FIELD(a, m->answered_line),
        GPCI_ARCHIVE_FIELD(a, m->answered_access);
    GPCI_ARCHIVE_FIELD(a, m->decided), GPCI_ARCHIVE_FIELD(a, m->let_in), GPCI_ARCHIVE_FIELD(a, m->seen);
    GPCI_ARCHIVE_FIELD(a, m->counts), GPCI_ARCHIVE_FIELD(a, m->sampled_reads), GPCI_ARCHIVE_FIELD(a, m->sampled_hits),
        GPCI_ARCHIVE_FIELD(a, m->stats);
#ifdef GPCI_CHECK
    GPCI_ARCHIVE_FIELD(a, m->invalidations_again);
#endif
    if (m->transitions)
        gpci_archive_bytes(a, m->transitions, states * sizeof *m->transitions);
    if (m->origins)
        gpci_archive_bytes(a, m->origins, states * sizeof *m->origins);
}

static void archive_memory(gpc_coherence *c, gpci_archive *a) {
    const size_t bytes = (size_t)1 << c->memory_shift;
    gpci_map_archive(c->context, &c->memory_map, a);
    if (a->loading && c->memory_map.count > c->memory_room && a->status == GPC_OK) {
        uint8_t *larger = gpci_resize(c->context, c->memory_bytes, c->memory_map.count, bytes);
        if (!larger) {
            gpci_map_clear(&c->memory_map);
            gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
            return;
        }
        c->memory_bytes = larger;
        c->memory_room = c->memory_map.count;
    }
    gpci_archive_bytes(a, c->memory_bytes, c->memory_map.count * bytes);
}

void gpci_coherence_archive(gpc_coherence *c, gpci_archive *a) {
    if (c->failed < 0)
        gpci_archive_fail(a, GPC_ERROR_STATE, "the tree has failed: it can only be destroyed");
    gpci_archive_same(a, c->module_count, "a tree of another number of modules");
    gpci_archive_same(a, c->slab_bytes, "a tree of another size");
    gpci_archive_bytes(a, c->slab, c->slab_bytes);
    for (uint32_t i = 0; i < c->module_count; i++)
        archive_module(c, &c->modules[i], a);
    gpci_map_archive(c->context, &c->pages, a);
    archive_memory(c, a);
    for (uint32_t i = 0; c->timing && i < c->star_count; i++)
        for (uint32_t m = 0; m < c->module_count; m++)
            GPCI_ARCHIVE_FIELD(a, c->stars[i].last[m]);
    GPCI_ARCHIVE_FIELD(a, c->line_access), GPCI_ARCHIVE_FIELD(a, c->line_accesses), GPCI_ARCHIVE_FIELD(a, c->follows),
        GPCI_ARCHIVE_FIELD(a, c->overturned);
    GPCI_ARCHIVE_FIELD(a, c->asks), GPCI_ARCHIVE_FIELD(a, c->deepest), GPCI_ARCHIVE_FIELD(a, c->busy);
}
