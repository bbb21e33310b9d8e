/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H
#define GPC_HIERARCHY_HIERARCHY_SNAPSHOT_H

#include "base/archive.h"
#include "base/buffer.h"

#include <gpucache/hierarchy.h>

/* Snapshots of a hierarchy, alone or as part of another object's. */

enum { GPCI_SNAPSHOT_HIERARCHY = 1, GPCI_SNAPSHOT_REPLAY = 2 };

gpci_archive_kind gpci_snapshot_kind(uint32_t kind);

/* Every key of a configuration with its value, by name; loading, a new configuration in `out`. */
gpc_status gpci_snapshot_config(const gpc_config *config, gpci_archive *archive, gpc_config **out);
/* Its sections, configuration first. */
gpc_status gpci_hierarchy_save(const gpc_hierarchy *hierarchy, gpci_archive *archive);
/* A hierarchy of that configuration, with that state. */
gpc_status gpci_hierarchy_restore(gpci_archive *archive, gpc_hierarchy **out);
/* The sections behind the configuration, either way. */
void gpci_hierarchy_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

/* A whole archive to its host; and from its host, into memory that is the caller's either way. */
gpc_status gpci_snapshot_write(const gpci_archive *archive, gpc_write_fn write, void *user_data, gpc_error *error);
gpc_status gpci_snapshot_read(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                              gpci_buffer *out);

#endif
