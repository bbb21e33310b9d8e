/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_SNAPSHOT_H
#define GPUCACHE_SNAPSHOT_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/* Snapshots of a hierarchy; hierarchy.h includes this header. For snapshots of a replay see replay.h. */

/* Options of a hierarchy or a replay made from a snapshot. */
typedef struct gpc_load_options {
    size_t struct_size;
    const char *threads; /* value of the key `threads`; NULL: the saved value */
} gpc_load_options;

#define GPC_LOAD_OPTIONS_INIT \
    { sizeof(gpc_load_options), NULL }

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
 *   gpc_hierarchy_save  save to a stream
 *   gpc_hierarchy_load  create a hierarchy of the saved configuration from a stream, read to its end
 *   gpc_hierarchy_copy  create an independent hierarchy that continues from the present state; in memory, of the same
 *                       context
 *   options             NULL for the defaults
 *   context             must have the seed and the registered policies of the saved hierarchy's context
 *
 * A file belongs to a single version and build of the library and to a single kind of machine. Checksums detect damage,
 * not malice: never load a file from people whom you do not trust. A snapshot may be loaded with every number of
 * threads; `auto` takes the number that the loading machine allows. Files saved at equal points with different numbers
 * of threads differ in their bytes, and with a clock in the packet numbers; hierarchies that continue from them behave
 * alike.
 *
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL, a stream without or with two sources); GPC_ERROR_MEMORY;
 * GPC_ERROR_NOT_FOUND (the file does not exist); GPC_ERROR_IO, or the status of the stream's function;
 * GPC_ERROR_CALLBACK (gpc_read_fn); GPC_ERROR_FORMAT (damaged, cut, or no snapshot: the message names the offset);
 * GPC_ERROR_ABI (another version, build or machine; a struct_size); GPC_ERROR_STATE (another
 * seed; the hierarchy has failed; called from within a call); GPC_ERROR_UNSUPPORTED, with the name: a policy without
 * `state`, or callbacks.on_memory if the new hierarchy has several threads; GPC_ERROR_RANGE as for a new hierarchy (the
 * number of threads makes no difference). *out is written only with GPC_OK. Thread rule: the hierarchy's; the saved
 * hierarchy does not change. Since: 0.3.
 */
GPC_API gpc_status gpc_hierarchy_save(const gpc_hierarchy *hierarchy, const gpc_stream *to, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_load(gpc_context *context, const gpc_stream *from, const gpc_load_options *options,
                                      gpc_hierarchy **out, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_copy(const gpc_hierarchy *hierarchy, gpc_hierarchy **out, gpc_error *error);

GPC_END_DECLS

#endif
