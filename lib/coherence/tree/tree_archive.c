/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_archive.h"

#include "base/check.h"
#include "cache/cache_archive.h"

/*
 * A tree in a snapshot: all counters, and all fields that later accesses can see. If you add such a field to
 * gpc_coherence or gpci_module, save the field here. The engine saves the state of accesses in flight
 * (gpci_engine_state).
 */

/* Save or load the full map of a memory: an entry for every block that a cache ever had. */
static void archive_full_map(gpc_context *context, gpci_module *module, gpci_archive *archive) {
    const size_t words = (size_t)module->sub_blocks * module->sharer_words;
    uint32_t count = (uint32_t)gpci_archive_count(archive, module->map.count, sizeof *module->map.entries);
    if (archive->loading && archive->status == GPC_OK && count > module->map.count &&
        gpci_module_reserve(context, module, count - module->map.count) < 0)
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    gpci_map_archive(context, &module->map, archive);
    if (module->map.count != count)
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "a directory of another length than its map's");
    if (archive->status < 0)
        return;
    gpci_archive_bytes(archive, module->states, count * sizeof *module->states);
    gpci_archive_bytes(archive, module->owners, count * module->sub_blocks * sizeof *module->owners);
    gpci_archive_bytes(archive, module->sharers, count * words * sizeof *module->sharers);
}

static void archive_policies(gpci_module *module, gpci_archive *archive) {
    gpci_policy *const policies[] = {module->policy, module->predictor};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (policies[i] && gpci_policy_can_be_saved(policies[i], archive))
            gpci_policy_state(policies[i], gpci_archive_bytes, archive);
    uint32_t *const marks[] = {module->warps, module->reuse, module->marks};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i])
            gpci_archive_bytes(archive, marks[i], module->blocks * sizeof *marks[i]);
    gpci_tokens_archive(module->tokens, archive);
}

static void archive_module(gpc_coherence *coherence, gpci_module *module, gpci_archive *archive) {
    const size_t states = (size_t)coherence->states * coherence->states;
    if (module->full_map)
        archive_full_map(coherence->context, module, archive);
    else
        gpci_archive_same(archive, module->blocks, "a module has another number of blocks");
    archive_policies(module, archive);
    GPCI_ENSURE(module->leaving == GPCI_TREE_NO_BLOCK, "%s: a line leaves between two steps", module->given.name);
    GPCI_ARCHIVE_FIELD(archive, module->counts), GPCI_ARCHIVE_FIELD(archive, module->sampled_reads),
        GPCI_ARCHIVE_FIELD(archive, module->sampled_hits), GPCI_ARCHIVE_FIELD(archive, module->stats);
#ifdef GPCI_CHECK
    GPCI_ARCHIVE_FIELD(archive, module->again), GPCI_ARCHIVE_FIELD(archive, module->refused_again),
        GPCI_ARCHIVE_FIELD(archive, module->remote_again);
#endif
    if (module->transitions)
        gpci_archive_bytes(archive, module->transitions, states * sizeof *module->transitions);
    if (module->origins)
        gpci_archive_bytes(archive, module->origins, states * sizeof *module->origins);
}

static void archive_memory(gpc_coherence *coherence, gpci_archive *archive) {
    const size_t bytes = (size_t)1 << coherence->memory_shift;
    gpci_map_archive(coherence->context, &coherence->memory_map, archive);
    if (archive->loading && coherence->memory_map.count > coherence->memory_capacity && archive->status == GPC_OK) {
        uint8_t *larger = gpci_resize(coherence->context, coherence->memory_bytes, coherence->memory_map.count, bytes);
        if (!larger) {
            gpci_map_clear(&coherence->memory_map);
            gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
            return;
        }
        coherence->memory_bytes = larger;
        coherence->memory_capacity = coherence->memory_map.count;
    }
    gpci_archive_bytes(archive, coherence->memory_bytes, coherence->memory_map.count * bytes);
}

void gpci_coherence_archive(gpc_coherence *coherence, gpci_archive *archive) {
    if (coherence->failed < 0)
        gpci_archive_fail(archive, GPC_ERROR_STATE, "the tree has failed: it can only be destroyed");
    gpci_archive_same(archive, coherence->module_count, "a tree of another number of modules");
    gpci_archive_same(archive, coherence->slab_bytes, "a tree of another size");
    gpci_archive_bytes(archive, coherence->slab, coherence->slab_bytes);
    for (uint32_t i = 0; i < coherence->module_count; i++)
        archive_module(coherence, &coherence->modules[i], archive);
    coherence->entries++;
    gpci_map_archive(coherence->context, &coherence->pages, archive);
    archive_memory(coherence, archive); /* a hierarchy's tree has no timing, and so no turns of switches to save */
}
