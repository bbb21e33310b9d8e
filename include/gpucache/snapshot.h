/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_SNAPSHOT_H
#define GPUCACHE_SNAPSHOT_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/* Snapshots of a hierarchy; hierarchy.h includes this header. For snapshots of a replay see replay.h. */

/*
 * A snapshot contains the whole content, activity and statistics of a hierarchy, in either mode, between two calls,
 * even with accesses in flight. A hierarchy made from a snapshot continues exactly as the saved hierarchy would, byte
 * for byte.
 *
 * Not in a snapshot: callbacks, a trace of events, and settings that the host made on single caches or on a tree. Set
 * them again. With callbacks.on_memory, a snapshot includes the requests that the host's memory holds, with their
 * numbers: the host sets its callbacks first, and answers the requests. With `coherence.data`, accesses in flight
 * continue without `out`, which is memory of the old host. The new host gets the data from gpc_completion.values, by
 * token.
 *
 *   gpc_hierarchy_save  save to a file, which gets its name when complete; _save_to: in pieces to `write`
 *   gpc_hierarchy_load  create a hierarchy of the saved configuration from a file; _load_from: from `read`, to its end;
 *                       _load_with and _load_from_with: with another value of the key `threads`; NULL: the saved value
 *   gpc_hierarchy_copy  create an independent hierarchy that continues from the present state; in memory, of the same
 *                       context
 *   context             must have the seed and the registered policies of the saved hierarchy's context
 *
 * A file belongs to a single version and build of the library and to a single kind of machine. Checksums detect damage,
 * not malice: never load a file from people whom you do not trust. A snapshot may be loaded with every number of
 * threads; `auto` takes the number that the loading machine allows. Files saved at equal points with different numbers
 * of threads differ in their bytes, and with a clock in the packet numbers; hierarchies that continue from them behave
 * alike.
 *
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_MEMORY; GPC_ERROR_IO, or the status of the callback;
 * GPC_ERROR_CALLBACK (`read` says that it has read more bytes than asked for); GPC_ERROR_FORMAT (damaged, cut, or no
 * snapshot: the message names the offset); GPC_ERROR_ABI (another version, build or machine); GPC_ERROR_STATE (another
 * seed; the hierarchy has failed; called from within a call); GPC_ERROR_UNSUPPORTED, with the name: a policy without
 * `state`, or callbacks.on_memory if the new hierarchy has several threads; GPC_ERROR_RANGE as for a new hierarchy (the
 * number of threads makes no difference). *out is written only with GPC_OK. Thread rule: the hierarchy's; the saved
 * hierarchy does not change. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_save(const gpc_hierarchy *hierarchy, const char *path, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_save_to(const gpc_hierarchy *hierarchy, gpc_write_fn write, void *user_data,
                                         gpc_error *error);
GPC_API gpc_status gpc_hierarchy_load(gpc_context *context, const char *path, gpc_error *error, gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_load_with(gpc_context *context, const char *path, const char *threads,
                                           gpc_error *error, gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_load_from(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                                           gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_load_from_with(gpc_context *context, gpc_read_fn read, void *user_data,
                                                const char *threads, gpc_error *error, gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_copy(const gpc_hierarchy *hierarchy, gpc_error *error, gpc_hierarchy **out);

GPC_END_DECLS

#endif
