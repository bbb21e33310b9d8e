/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"
#include "hierarchy/hierarchy_snapshot.h"
#include "replay/core/replay.h"
#include "trace/files/output.h"

/* Write snapshots to streams. A file has a temporary name until the file is complete. */

static gpc_status write_archive(gpc_context *context, const gpc_stream *to, const gpci_archive *archive,
                                gpc_error *error) {
    gpci_output *output = NULL;
    gpc_status status = gpci_output_open_stream(context, to, "snapshot", error, &output);
    if (status < 0)
        return status;
    status = gpci_output_write(output, archive->data, archive->size, error);
    if (status == GPC_OK)
        return gpci_output_commit(output, error);
    gpci_output_discard(output);
    return status;
}

static gpc_status save(const gpci_saved *from, const gpc_stream *to, gpc_error *error) {
    gpc_stream stream;
    gpci_archive archive;
    gpc_status status = gpci_host_stream_take(&stream, to, "to", true, error);
    if (status < 0)
        return status;
    status = gpci_save(from, &archive, error);
    if (status == GPC_OK)
        status = write_archive(from->context, &stream, &archive, error);
    gpci_archive_close(&archive);
    return status;
}

gpc_status gpc_hierarchy_save(const gpc_hierarchy *hierarchy, const gpc_stream *to, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_save: hierarchy is NULL");
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_save: called from within a callback");
    const gpci_saved from = gpci_hierarchy_saved(hierarchy);
    return save(&from, to, error);
}

gpc_status gpc_replay_save(const gpc_replay *replay, const gpc_stream *to, gpc_error *error) {
    if (!replay)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_save: replay is NULL");
    const gpci_saved from = gpci_replay_saved(replay);
    return save(&from, to, error);
}
