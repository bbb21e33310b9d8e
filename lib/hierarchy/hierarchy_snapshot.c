/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/hierarchy_snapshot.h"

#include "base/buffer.h"
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

#define READ_STEP 65536u
#define ORDER 3u /* one more for stretches in another order */

/*
 * Hash of the sizes of saved structs, of the hierarchy and of the object, and of a number for the order of stretches.
 * The hash changes with the layout of a snapshot.
 */
static gpci_archive_kind archive_kind(const gpci_saved_kind *kind) {
    const uint64_t sizes[] = {GPCI_KEY_COUNT,
                              sizeof(gpc_stats),
                              sizeof(gpci_sm_counts),
                              sizeof(gpci_slice_counts),
                              sizeof(gpci_l1_share),
                              sizeof(gpc_cache_stats),
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

static gpc_status archive_config(const gpc_config *config, gpci_archive *a, gpc_config **out) {
    gpci_archive_section(a, "config");
    gpci_archive_same(a, GPCI_KEY_COUNT, "another number of configuration keys");
    const char *preset = gpci_archive_text(a, a->loading || !config->preset ? "" : config->preset);
    gpc_status status = a->loading && a->status == GPC_OK ? gpc_config_create(a->context, a->error, out) : a->status;
    if (a->loading && status == GPC_OK && a->status == GPC_OK && *preset)
        status = gpc_config_load_preset(*out, preset, a->error);
    for (uint32_t key = 0; key < GPCI_KEY_COUNT && status == GPC_OK && a->status == GPC_OK; key++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(key, &info);
        const char *name = gpci_archive_text(a, info.name),
                   *value = gpci_archive_text(a, a->loading ? "" : gpci_config_text(config, (gpci_key)key));
        if (a->loading && a->status == GPC_OK)
            status = gpci_config_assign_named(*out, name, value, a->error);
    }
    return status < 0 ? status : a->status;
}

/* Save or load L1's share of unified memory, and resize the L1s. */
static void archive_share(gpc_hierarchy *h, gpci_archive *a) {
    gpci_l1_share share = h->share;
    gpci_archive_bytes(a, &share, sizeof share);
    if (a->status < 0 || !a->loading)
        return;
    if (!gpci_is_shape(&share, &h->share)) {
        gpc_error reason = GPC_ERROR_INIT;
        gpc_status status = h->levels->resize(h, &share, &reason);
        if (status < 0)
            gpci_archive_fail(a, status, reason.message);
    }
    h->share = share;
}

void gpci_hierarchy_archive(gpc_hierarchy *h, gpci_archive *a) {
    gpci_archive_section(a, "hierarchy");
    archive_share(h, a);
    gpci_kernels_archive(h, a);
    gpci_archive_bytes(a, &h->kernel, sizeof h->kernel);
    gpci_archive_bytes(a, &h->cold, sizeof h->cold);
    gpci_archive_bytes(a, &h->processes, sizeof h->processes);
#ifdef GPCI_CHECK
    gpci_archive_bytes(a, &h->counts_all, sizeof h->counts_all);
    gpci_archive_bytes(a, &h->counts_fresh, sizeof h->counts_fresh);
    gpci_archive_bytes(a, &h->resident_again, sizeof h->resident_again);
    gpci_archive_bytes(a, &h->lent, sizeof h->lent);
#endif
    gpci_archive_bytes(a, &h->window, sizeof h->window);
    gpci_archive_bytes(a, &h->stats, sizeof h->stats);
    gpci_archive_bytes(a, h->of_sm, h->sms * sizeof *h->of_sm);
    gpci_archive_bytes(a, h->of_slice, h->slices * sizeof *h->of_slice);
    if (h->of_stream)
        gpci_archive_bytes(a, h->of_stream, (h->sms + h->slices) * ((size_t)h->streams + 1) * sizeof *h->of_stream);
    gpci_warp_ranks_archive(h, a);
    if (h->tlbs)
        gpci_tlbs_state(h->tlbs, gpci_archive_bytes, a);
    gpci_archive_section(a, "levels");
    h->levels->archive(h, a);
    gpci_archive_section(a, "driver");
    h->driver->archive(h, a);
    h->counts_all &= a->status == GPC_OK || !a->loading; /* half a snapshot has half of the counts */
}

static gpc_status write_all(const gpci_archive *a, gpc_write_fn write, void *user_data, gpc_error *error) {
    for (size_t at = 0; at < a->size;) {
        const size_t part = a->size - at < READ_STEP ? a->size - at : READ_STEP;
        gpc_status status = write(user_data, a->data + at, part);
        if (status < 0)
            return gpci_fail(error, status, "snapshot, offset %zu: it cannot be written: %s", at,
                             gpc_status_string(status));
        at += part;
    }
    return GPC_OK;
}

static gpc_status read_all(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                           gpci_buffer *out) {
    *out = (gpci_buffer){.context = context};
    for (;;) {
        size_t got = 0;
        if (!gpci_buffer_room(out, READ_STEP))
            return gpci_out_of_memory(error);
        gpc_status status = read(user_data, out->data + out->length, READ_STEP, &got);
        if (status == GPC_OK && got > READ_STEP)
            status = GPC_ERROR_CALLBACK;
        if (status < 0)
            return gpci_fail(error, status, "snapshot, offset %zu: it cannot be read: %s", out->length,
                             gpc_status_string(status));
        if (!got)
            return GPC_OK;
        out->length += got;
    }
}

static gpc_status save(const gpci_saved *from, gpci_archive *a, gpc_error *error) {
    gpci_archive_save(a, from->context, error, archive_kind(from->kind));
    gpc_status status = archive_config(from->config, a, NULL);
    if (status == GPC_OK) /* a saving archive only reads the object */
        from->kind->archive((void *)(uintptr_t)from->object, a);
    return a->status == GPC_OK ? gpci_archive_finish(a) : a->status;
}

static gpc_status restore(const gpci_saved_kind *kind, gpci_archive *a, const char *threads, void **out) {
    gpc_config *config = NULL;
    void *object = NULL;
    gpc_status status = archive_config(NULL, a, &config);
    if (status == GPC_OK && threads)
        status = gpc_config_set(config, gpci_key_name(GPCI_KEY_THREADS), threads, a->error);
    if (status == GPC_OK)
        status = kind->create(a->context, config, a->error, &object);
    gpc_config_destroy(config);
    if (status < 0)
        return status;
    kind->archive(object, a);
    status = gpci_archive_end(a);
    if (status == GPC_OK)
        *out = object;
    else
        kind->destroy(object);
    return status;
}

static gpc_status load(const gpci_saved_kind *kind, gpc_context *context, void *data, size_t size, const char *threads,
                       gpc_error *error, void **out) {
    gpci_archive a;
    gpc_status status = gpci_archive_load(&a, context, data, size, error, archive_kind(kind));
    if (status == GPC_OK)
        status = restore(kind, &a, threads, out);
    gpci_archive_close(&a);
    return status;
}

gpc_status gpci_save_to(const gpci_saved *from, gpc_write_fn write, void *user_data, gpc_error *error) {
    gpci_archive a;
    gpc_status status = save(from, &a, error);
    if (status == GPC_OK)
        status = write_all(&a, write, user_data, error);
    gpci_archive_close(&a);
    return status;
}

gpc_status gpci_load_from(const gpci_saved_kind *kind, gpc_context *context, const gpci_loaded_from *from,
                          gpc_error *error, void **out) {
    gpci_buffer file;
    gpc_status status = read_all(context, from->read, from->user_data, error, &file);
    if (status == GPC_OK)
        return load(kind, context, file.data, file.length, from->threads, error, out);
    gpci_buffer_clear(&file);
    return status;
}

gpc_status gpci_copy(const gpci_saved *from, gpc_error *error, void **out) {
    gpci_archive a;
    gpc_status status = save(from, &a, error);
    if (status == GPC_OK)
        return load(from->kind, from->context, a.data, a.size, NULL, error, out);
    gpci_archive_close(&a);
    return status;
}

static gpc_status create_hierarchy(gpc_context *context, const gpc_config *config, gpc_error *error, void **out) {
    gpc_hierarchy *h = NULL;
    gpc_status status = gpc_hierarchy_create(context, config, error, &h);
    *out = h;
    return status;
}

static void destroy_hierarchy(void *h) {
    gpc_hierarchy_destroy(h);
}

static void archive_hierarchy(void *h, gpci_archive *a) {
    gpci_hierarchy_archive(h, a);
}

static const gpci_saved_kind hierarchies = {.kind = GPCI_SNAPSHOT_HIERARCHY,
                                            .create = create_hierarchy,
                                            .destroy = destroy_hierarchy,
                                            .archive = archive_hierarchy};

static gpci_saved saved(const gpc_hierarchy *h) {
    return (gpci_saved){&hierarchies, h, h->context, h->config};
}

gpc_status gpc_hierarchy_save_to(const gpc_hierarchy *h, gpc_write_fn write, void *user_data, gpc_error *error) {
    if (!h || !write)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_save_to: %s is NULL", h ? "write" : "hierarchy");
    if (h->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_save_to: called from within a callback");
    const gpci_saved from = saved(h);
    return gpci_save_to(&from, write, user_data, error);
}

gpc_status gpci_hierarchy_load(gpc_context *context, const gpci_loaded_from *from, gpc_error *error, void **out) {
    return gpci_load_from(&hierarchies, context, from, error, out);
}

gpc_status gpc_hierarchy_load_from_with(gpc_context *context, gpc_read_fn read, void *user_data, const char *threads,
                                        gpc_error *error, gpc_hierarchy **out) {
    if (!context || !read || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_load_from: %s is NULL",
                         !context ? "context"
                         : read   ? "out"
                                  : "read");
    void *h = NULL;
    gpc_status status = gpci_hierarchy_load(context, &(gpci_loaded_from){read, user_data, threads}, error, &h);
    if (status == GPC_OK)
        *out = h;
    return status;
}

gpc_status gpc_hierarchy_load_from(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                                   gpc_hierarchy **out) {
    return gpc_hierarchy_load_from_with(context, read, user_data, NULL, error, out);
}

gpc_status gpc_hierarchy_copy(const gpc_hierarchy *h, gpc_error *error, gpc_hierarchy **out) {
    if (!h || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_copy: %s is NULL", h ? "out" : "hierarchy");
    if (h->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_copy: called from within a callback");
    const gpci_saved from = saved(h);
    void *copy = NULL;
    gpc_status status = gpci_copy(&from, error, &copy);
    if (status == GPC_OK)
        *out = copy;
    return status;
}
