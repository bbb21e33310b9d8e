/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/hierarchy.h"
#include "trace/output.h"

#include <gpucache/hierarchy.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Snapshots in files: under a temporary name until they are complete. */

typedef struct sink {
    gpci_output *output;
    gpc_error *error;
} sink;

static gpc_status write_part(void *user_data, const void *data, size_t bytes) {
    const sink *s = user_data;
    return gpci_output_write(s->output, data, bytes, s->error);
}

static gpc_status read_part(void *user_data, void *data, size_t bytes, size_t *out_read) {
    *out_read = fread(data, 1, bytes, user_data);
    return *out_read < bytes && ferror((FILE *)user_data) ? GPC_ERROR_IO : GPC_OK;
}

gpc_status gpc_hierarchy_save(const gpc_hierarchy *h, const char *path, gpc_error *error) {
    if (!h || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_save: %s is NULL", h ? "path" : "hierarchy");
    sink s = {.error = error};
    gpc_context *context = h->context;
    gpc_status status = gpci_output_open(context, path, error, &s.output);
    if (status < 0)
        return status;
    status = gpc_hierarchy_save_to(h, write_part, &s, error);
    if (status == GPC_OK)
        return gpci_output_commit(s.output, error);
    gpci_output_discard(s.output);
    return status;
}

gpc_status gpc_hierarchy_load(gpc_context *context, const char *path, gpc_error *error, gpc_hierarchy **out) {
    if (!context || !path || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_load: %s is NULL",
                         !context ? "context"
                         : path   ? "out"
                                  : "path");
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return gpci_fail(error, GPC_ERROR_IO, "%s: %s", path, strerror(errno));
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpc_hierarchy_load_from(context, read_part, file, &reason, out);
    fclose(file);
    return status < 0 ? gpci_fail(error, status, "%s: %s", path, reason.message) : status;
}
