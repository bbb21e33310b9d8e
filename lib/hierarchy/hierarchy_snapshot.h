/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H
#define GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H

#include "base/archive.h"

#include <gpucache/ext/replay.h>

/* Functions for snapshots, common to hierarchies and replays. */

enum { GPCI_SNAPSHOT_HIERARCHY = 1, GPCI_SNAPSHOT_REPLAY = 2 };

/* Kind of a saved object. To load an object, create the object from the saved configuration, then load the state. */
typedef struct gpci_saved_kind {
    uint32_t kind;
    const uint64_t *sizes; /* [size_count] sizes of structs saved by this kind only */
    size_t size_count;
    gpc_status (*create)(gpc_context *context, const gpc_config *config, gpc_error *error, void **out);
    void (*destroy)(void *object);
    void (*archive)(void *object, gpci_archive *archive); /* saves or loads the sections after the configuration */
} gpci_saved_kind;

/* An object to save, with its kind and its configuration. */
typedef struct gpci_saved {
    const gpci_saved_kind *kind;
    const void *object;
    gpc_context *context;
    const gpc_config *config;
} gpci_saved;

/*
 * gpci_save: save an object to a new archive. Call gpci_archive_close after every status. gpci_load: check a stream,
 * and make a new object from the snapshot in the stream. gpci_copy: save and load in memory, without a stream.
 */
gpc_status gpci_save(const gpci_saved *from, gpci_archive *archive, gpc_error *error);
gpc_status gpci_load(const gpci_saved_kind *kind, gpc_context *context, const gpc_stream *from,
                     const gpc_load_options *options, gpc_error *error, void **out);
gpc_status gpci_copy(const gpci_saved *from, gpc_error *error, void **out);
/* Describe a hierarchy or a replay for gpci_save and gpci_copy. */
gpci_saved gpci_hierarchy_saved(const gpc_hierarchy *hierarchy);
gpci_saved gpci_replay_saved(const gpc_replay *replay);

/* Save or load a hierarchy, alone or as part of a replay. */
void gpci_hierarchy_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

#endif
