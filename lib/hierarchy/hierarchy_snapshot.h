/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H
#define GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H

#include "base/archive.h"

#include <gpucache/ext/replay.h>

/* Snapshots, common to all kinds of objects. */

enum { GPCI_SNAPSHOT_HIERARCHY = 1, GPCI_SNAPSHOT_REPLAY = 2 };

/* Kind of object: created from a configuration, then loaded with a state. */
typedef struct gpci_saved_kind {
    uint32_t kind;
    const uint64_t *sizes; /* [size_count] sizes of its saved structs */
    size_t size_count;
    gpc_status (*create)(gpc_context *context, const gpc_config *config, gpc_error *error, void **out);
    void (*destroy)(void *object);
    void (*archive)(void *object, gpci_archive *archive); /* saves or loads the sections after the configuration */
} gpci_saved_kind;

/* An object with its kind. */
typedef struct gpci_saved {
    const gpci_saved_kind *kind;
    const void *object;
    gpc_context *context;
    const gpc_config *config;
} gpci_saved;

/*
 * Save an object to a new archive. Call gpci_archive_close in any case. The next layers write the archive to streams,
 * and load it from a checked stream.
 */
gpc_status gpci_save(const gpci_saved *from, gpci_archive *archive, gpc_error *error);
gpc_status gpci_load(const gpci_saved_kind *kind, gpc_context *context, const gpc_stream *from,
                     const gpc_load_options *options, gpc_error *error, void **out);
gpc_status gpci_copy(const gpci_saved *from, gpc_error *error, void **out);
/* A hierarchy or a replay to save. */
gpci_saved gpci_hierarchy_saved(const gpc_hierarchy *hierarchy);
gpci_saved gpci_replay_saved(const gpc_replay *replay);

/* Save or load a hierarchy, alone or as part of a replay. */
void gpci_hierarchy_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

#endif
