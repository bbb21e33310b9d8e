/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/hierarchy_snapshot.h"

#include "base/file.h"
#include "coherence/module/tree.h"
#include "config/config_object.h"
#include "level/access/tlb.h"
#include "level/access/warp_ranks.h"
#include "level/rules/driver.h"
#include "level/rules/events.h"
#include "level/rules/kernels.h"
#include "timed/core/coherent.h"
#include "timed/core/kept_access.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An object in a snapshot: the configuration to create it, then its contents and counters. */

#define ORDER 6u /* version of the order in which stretches of memory are saved; add 1 if the order changes */

/*
 * Kind of a snapshot, with a hash of the sizes of all saved structs and of ORDER. If the layout of a snapshot changes,
 * the hash changes, and older snapshots are refused.
 */
static gpci_archive_kind archive_kind(const gpci_saved_kind *kind) {
    const uint64_t sizes[] = {GPCI_KEY_COUNT,
                              sizeof(gpc_stats),
                              sizeof(gpci_sm_counts),
                              sizeof(gpci_slice_counts),
                              sizeof(gpci_l1_share),
                              sizeof(gpci_cache_stats),
                              sizeof(gpci_module),
                              sizeof(gpci_packet),
                              sizeof(gpci_inflight),
                              sizeof(gpci_ctrl),
                              sizeof(gpci_network),
                              sizeof(gpci_task),
                              sizeof(gpci_tree_inflight),
                              sizeof(gpci_engine_unit),
                              sizeof(gpci_lock),
                              sizeof(gpci_wheel),
                              sizeof(gpci_kept_access),
                              sizeof(gpci_coherent_origin),
                              sizeof(gpci_timed),
                              sizeof(gpci_engine),
                              ORDER};
    gpci_crc crc;
    gpci_crc_init(&crc);
    const uint32_t ours = gpci_crc_of(&crc, 0, sizes, sizeof sizes);
    return (gpci_archive_kind){kind->kind,
                               gpci_crc_of(&crc, ours, kind->sizes, kind->size_count * sizeof *kind->sizes)};
}

static gpc_status archive_config(const gpc_config *config, gpci_archive *archive, gpc_config **out) {
    gpci_archive_section(archive, "config");
    gpci_archive_same(archive, GPCI_KEY_COUNT, "another number of configuration keys");
    const char *preset = gpci_archive_text(archive, archive->loading || !config->preset ? "" : config->preset);
    gpc_status status = archive->loading && archive->status == GPC_OK
                            ? gpc_config_create(archive->context, out, archive->error)
                            : archive->status;
    if (archive->loading && status == GPC_OK && archive->status == GPC_OK && *preset)
        status = gpc_config_load_preset(*out, preset, archive->error);
    for (uint32_t key = 0; key < GPCI_KEY_COUNT && status == GPC_OK && archive->status == GPC_OK; key++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(key, &info, NULL);
        const char *name = gpci_archive_text(archive, info.name),
                   *value = gpci_archive_text(archive, archive->loading ? "" : gpci_config_text(config, (gpci_key)key));
        if (archive->loading && archive->status == GPC_OK)
            status = gpci_config_assign_named(*out, name, value, archive->error);
    }
    return status < 0 ? status : archive->status;
}

/* Save or load L1's share of unified memory, and resize the L1s. */
static void archive_share(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    gpci_l1_share share = hierarchy->share;
    gpci_archive_bytes(archive, &share, sizeof share);
    if (archive->status < 0 || !archive->loading)
        return;
    if (!gpci_is_shape(&share, &hierarchy->share)) {
        gpc_error reason = GPC_ERROR_INIT;
        gpc_status status = hierarchy->levels->resize(hierarchy, &share, &reason);
        if (status < 0)
            gpci_archive_fail(archive, status, reason.message);
    }
    hierarchy->share = share;
}

void gpci_hierarchy_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    gpci_archive_section(archive, "hierarchy");
    archive_share(hierarchy, archive);
    gpci_kernels_archive(hierarchy, archive);
    gpci_archive_bytes(archive, &hierarchy->kernel, sizeof hierarchy->kernel);
    gpci_archive_bytes(archive, &hierarchy->cold, sizeof hierarchy->cold);
    gpci_archive_bytes(archive, &hierarchy->processes, sizeof hierarchy->processes);
#ifdef GPCI_CHECK
    gpci_archive_bytes(archive, &hierarchy->counts_all, sizeof hierarchy->counts_all);
    gpci_archive_bytes(archive, &hierarchy->counts_fresh, sizeof hierarchy->counts_fresh);
    gpci_archive_bytes(archive, &hierarchy->resident_again, sizeof hierarchy->resident_again);
    gpci_archive_bytes(archive, &hierarchy->lent, sizeof hierarchy->lent);
#endif
    gpci_archive_bytes(archive, &hierarchy->window, sizeof hierarchy->window);
    gpci_archive_bytes(archive, &hierarchy->stats, sizeof hierarchy->stats);
    gpci_archive_bytes(archive, hierarchy->of_sm, hierarchy->sms * sizeof *hierarchy->of_sm);
    gpci_archive_bytes(archive, hierarchy->of_slice, hierarchy->slices * sizeof *hierarchy->of_slice);
    if (hierarchy->of_stream)
        gpci_archive_bytes(archive, hierarchy->of_stream,
                           (hierarchy->sms + hierarchy->slices) * ((size_t)hierarchy->streams + 1) *
                               sizeof *hierarchy->of_stream);
    gpci_warp_ranks_archive(hierarchy, archive);
    if (hierarchy->tlbs)
        gpci_tlbs_state(hierarchy->tlbs, gpci_archive_bytes, archive);
    gpci_archive_section(archive, "levels");
    hierarchy->levels->archive(hierarchy, archive);
    gpci_archive_section(archive, "driver");
    hierarchy->driver->archive(hierarchy, archive);
    hierarchy->counts_all &=
        archive->status == GPC_OK || !archive->loading; /* a failed load leaves incomplete counters */
}

gpc_status gpci_save(const gpci_saved *from, gpci_archive *archive, gpc_error *error) {
    gpci_archive_save(archive, from->context, error, archive_kind(from->kind));
    gpc_status status = archive_config(from->config, archive, NULL);
    if (status == GPC_OK) /* the cast drops const: an archive that saves only reads the object */
        from->kind->archive((void *)(uintptr_t)from->object, archive);
    return archive->status == GPC_OK ? gpci_archive_finish(archive) : archive->status;
}

static gpc_status restore(const gpci_saved_kind *kind, gpci_archive *archive, const char *threads, void **out) {
    gpc_config *config = NULL;
    void *object = NULL;
    gpc_status status = archive_config(NULL, archive, &config);
    if (status == GPC_OK && threads)
        status = gpc_config_set(config, gpci_key_name(GPCI_KEY_THREADS), threads, archive->error);
    if (status == GPC_OK)
        status = kind->create(archive->context, config, archive->error, &object);
    gpc_config_destroy(config);
    if (status < 0)
        return status;
    kind->archive(object, archive);
    status = gpci_archive_end(archive);
    if (status == GPC_OK)
        *out = object;
    else
        kind->destroy(object);
    return status;
}

static gpc_status load(const gpci_saved_kind *kind, gpc_context *context, void *data, size_t size, const char *threads,
                       gpc_error *error, void **out) {
    gpci_archive archive;
    gpc_status status = gpci_archive_load(&archive, context, data, size, error, archive_kind(kind));
    if (status == GPC_OK)
        status = restore(kind, &archive, threads, out);
    gpci_archive_close(&archive);
    return status;
}

/* Put the name of the snapshot's file before the message of the archive. */
static gpc_status blame(const gpc_stream *from, gpc_status status, const gpc_error *reason, gpc_error *error) {
    return from->path ? gpci_fail(error, status, "%s: %s", from->path, reason->message)
                      : gpci_fail(error, status, "%s", reason->message);
}

gpc_status gpci_load(const gpci_saved_kind *kind, gpc_context *context, const gpc_stream *from,
                     const gpc_load_options *options, gpc_error *error, void **out) {
    gpc_stream stream;
    gpc_load_options load_options = GPC_LOAD_OPTIONS_INIT;
    gpc_status status = gpci_host_stream_take(&stream, from, "from", false, error);
    if (status == GPC_OK)
        status = gpci_take(&load_options, sizeof load_options, sizeof load_options, options, "gpc_load_options", error);
    if (status < 0)
        return status;
    gpci_buffer file;
    gpc_error reason = GPC_ERROR_INIT;
    status = gpci_host_stream_read(context, &stream, "snapshot", &file, error);
    if (status < 0) {
        gpci_buffer_clear(&file);
        return status;
    }
    status = load(kind, context, file.data, file.length, load_options.threads, &reason, out);
    return status < 0 ? blame(&stream, status, &reason, error) : status;
}

gpc_status gpci_copy(const gpci_saved *from, gpc_error *error, void **out) {
    gpci_archive archive;
    gpc_status status = gpci_save(from, &archive, error);
    if (status == GPC_OK)
        return load(from->kind, from->context, archive.data, archive.size, NULL, error, out);
    gpci_archive_close(&archive);
    return status;
}

static gpc_status create_hierarchy(gpc_context *context, const gpc_config *config, gpc_error *error, void **out) {
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = gpc_hierarchy_create(context, config, &hierarchy, error);
    *out = hierarchy;
    return status;
}

static void destroy_hierarchy(void *h) {
    gpc_hierarchy_destroy(h);
}

static void archive_hierarchy(void *h, gpci_archive *archive) {
    gpci_hierarchy_archive(h, archive);
}

static const gpci_saved_kind hierarchies = {.kind = GPCI_SNAPSHOT_HIERARCHY,
                                            .create = create_hierarchy,
                                            .destroy = destroy_hierarchy,
                                            .archive = archive_hierarchy};

gpci_saved gpci_hierarchy_saved(const gpc_hierarchy *hierarchy) {
    return (gpci_saved){&hierarchies, hierarchy, hierarchy->context, hierarchy->config};
}

gpc_status gpc_hierarchy_load(gpc_context *context, const gpc_stream *from, const gpc_load_options *options,
                              gpc_hierarchy **out, gpc_error *error) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_load: %s is NULL", context ? "out" : "context");
    void *h = NULL;
    gpc_status status = gpci_load(&hierarchies, context, from, options, error, &h);
    if (status == GPC_OK)
        *out = h;
    return status;
}

gpc_status gpc_hierarchy_copy(const gpc_hierarchy *hierarchy, gpc_hierarchy **out, gpc_error *error) {
    if (!hierarchy || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_copy: %s is NULL", hierarchy ? "out" : "hierarchy");
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_copy: called from within a callback");
    const gpci_saved from = gpci_hierarchy_saved(hierarchy);
    void *copy = NULL;
    gpc_status status = gpci_copy(&from, error, &copy);
    if (status == GPC_OK)
        *out = copy;
    return status;
}
