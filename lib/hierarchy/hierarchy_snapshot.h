/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H
#define GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H

#include "base/archive.h"

#include <gpucache/hierarchy.h>

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

/* Source of a snapshot, and key `threads` for the new object; NULL: as in the snapshot. */
typedef struct gpci_loaded_from {
    gpc_read_fn read;
    void *user_data;
    const char *threads;
} gpci_loaded_from;

/* Calls of gpucache/hierarchy.h without argument checks. */
gpc_status gpci_save_to(const gpci_saved *from, gpc_write_fn write, void *user_data, gpc_error *error);
gpc_status gpci_load_from(const gpci_saved_kind *kind, gpc_context *context, const gpci_loaded_from *from,
                          gpc_error *error, void **out);
gpc_status gpci_hierarchy_load(gpc_context *context, const gpci_loaded_from *from, gpc_error *error, void **out);
gpc_status gpci_replay_load(gpc_context *context, const gpci_loaded_from *from, gpc_error *error, void **out);
gpc_status gpci_copy(const gpci_saved *from, gpc_error *error, void **out);

/* Save or load a hierarchy, alone or as part of a replay. */
void gpci_hierarchy_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

#endif
