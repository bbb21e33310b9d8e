/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H
#define GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H

#include "base/archive.h"

#include <gpucache/hierarchy.h>

/* Snapshots: one way for all objects that have them. */

enum { GPCI_SNAPSHOT_HIERARCHY = 1, GPCI_SNAPSHOT_REPLAY = 2 };

/* A kind of object that is made from a configuration, and then given a state. */
typedef struct gpci_saved_kind {
    uint32_t kind;
    const uint64_t *sizes; /* [size_count] of structs of its own whose memory is saved */
    size_t size_count;
    gpc_status (*create)(gpc_context *context, const gpc_config *config, gpc_error *error, void **out);
    void (*destroy)(void *object);
    void (*archive)(void *object, gpci_archive *archive); /* the sections behind the configuration, either way */
} gpci_saved_kind;

/* An object of that kind. */
typedef struct gpci_saved {
    const gpci_saved_kind *kind;
    const void *object;
    gpc_context *context;
    const gpc_config *config;
} gpci_saved;

/* Where a snapshot comes from, and the key `threads` of the new object; NULL: as the snapshot has it. */
typedef struct gpci_loaded_from {
    gpc_read_fn read;
    void *user_data;
    const char *threads;
} gpci_loaded_from;

/* As those of gpucache/hierarchy.h, without a look at what they are given. */
gpc_status gpci_save_to(const gpci_saved *from, gpc_write_fn write, void *user_data, gpc_error *error);
gpc_status gpci_load_from(const gpci_saved_kind *kind, gpc_context *context, const gpci_loaded_from *from,
                          gpc_error *error, void **out);
gpc_status gpci_hierarchy_load(gpc_context *context, const gpci_loaded_from *from, gpc_error *error, void **out);
gpc_status gpci_replay_load(gpc_context *context, const gpci_loaded_from *from, gpc_error *error, void **out);
gpc_status gpci_copy(const gpci_saved *from, gpc_error *error, void **out);

/* The archive of a hierarchy, alone or as part of another object's. */
void gpci_hierarchy_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

#endif
