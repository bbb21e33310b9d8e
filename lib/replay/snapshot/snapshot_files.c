/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/hierarchy_snapshot.h"
#include "replay/core/replay.h"
#include "trace/files/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Snapshots in files, written under a temporary name until complete. */

typedef struct sink {
    gpci_output *output;
    gpc_error error; /* error of the file, more specific than the snapshot's */
} sink;

static gpc_status write_part(void *user_data, const void *data, size_t bytes) {
    sink *s = user_data;
    return gpci_output_write(s->output, data, bytes, &s->error);
}

static gpc_status read_part(void *user_data, void *data, size_t bytes, size_t *out_read) {
    *out_read = fread(data, 1, bytes, user_data);
    return *out_read < bytes && ferror((FILE *)user_data) ? GPC_ERROR_IO : GPC_OK;
}

typedef gpc_status (*save_fn)(const void *object, gpc_write_fn write, void *user_data, gpc_error *error);
typedef gpc_status (*load_fn)(gpc_context *context, const gpci_loaded_from *from, gpc_error *error, void **out);

static gpc_status save_file(gpc_context *context, const void *object, save_fn save, const char *path,
                            gpc_error *error) {
    sink s = {.error = GPC_ERROR_INIT};
    gpc_status status = gpci_output_open(context, path, error, &s.output);
    if (status < 0)
        return status;
    status = save(object, write_part, &s, error);
    if (status == GPC_OK)
        return gpci_output_commit(s.output, error);
    gpci_output_discard(s.output);
    return s.error.status < 0 ? gpci_fail(error, s.error.status, "%s", s.error.message) : status;
}

static gpc_status load_file(gpc_context *context, load_fn load, const char *path, const char *threads, gpc_error *error,
                            void **out) {
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return gpci_fail(error, GPC_ERROR_IO, "%s: %s", path, strerror(errno));
    const gpci_loaded_from from = {read_part, file, threads};
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = load(context, &from, &reason, out);
    fclose(file);
    return status < 0 ? gpci_fail(error, status, "%s: %s", path, reason.message) : status;
}

static gpc_status save_hierarchy(const void *h, gpc_write_fn write, void *user_data, gpc_error *error) {
    return gpc_hierarchy_save_to(h, write, user_data, error);
}

static gpc_status save_replay(const void *r, gpc_write_fn write, void *user_data, gpc_error *error) {
    return gpc_replay_save_to(r, write, user_data, error);
}

gpc_status gpc_hierarchy_save(const gpc_hierarchy *hierarchy, const char *path, gpc_error *error) {
    if (!hierarchy || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_save: %s is NULL", hierarchy ? "path" : "hierarchy");
    return save_file(hierarchy->context, hierarchy, save_hierarchy, path, error);
}

gpc_status gpc_replay_save(const gpc_replay *replay, const char *path, gpc_error *error) {
    if (!replay || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_save: %s is NULL", replay ? "path" : "replay");
    return save_file(replay->context, replay, save_replay, path, error);
}

gpc_status gpc_hierarchy_load_with(gpc_context *context, const char *path, const char *threads, gpc_error *error,
                                   gpc_hierarchy **out) {
    if (!context || !path || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_load: %s is NULL",
                         !context ? "context"
                         : path   ? "out"
                                  : "path");
    void *loaded = NULL;
    gpc_status status = load_file(context, gpci_hierarchy_load, path, threads, error, &loaded);
    if (status == GPC_OK)
        *out = loaded;
    return status;
}

gpc_status gpc_hierarchy_load(gpc_context *context, const char *path, gpc_error *error, gpc_hierarchy **out) {
    return gpc_hierarchy_load_with(context, path, NULL, error, out);
}

gpc_status gpc_replay_load_with(gpc_context *context, const char *path, const char *threads, gpc_error *error,
                                gpc_replay **out) {
    if (!context || !path || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_load: %s is NULL",
                         !context ? "context"
                         : path   ? "out"
                                  : "path");
    void *loaded = NULL;
    gpc_status status = load_file(context, gpci_replay_load, path, threads, error, &loaded);
    if (status == GPC_OK)
        *out = loaded;
    return status;
}

gpc_status gpc_replay_load(gpc_context *context, const char *path, gpc_error *error, gpc_replay **out) {
    return gpc_replay_load_with(context, path, NULL, error, out);
}
