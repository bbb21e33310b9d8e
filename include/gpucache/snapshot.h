/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_SNAPSHOT_H
#define GPUCACHE_SNAPSHOT_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/* Snapshots of a hierarchy, part of hierarchy.h, which includes this. Those of a replay are in replay.h. */

/*
 * Snapshots: all that a hierarchy holds, does and has counted, in either mode, between any two calls, with accesses in
 * flight. One that goes on from it does what this one would, byte for byte. Callbacks, a trace of events and what the
 * host has set on caches or a tree by itself are not in it: set them anew. With callbacks.on_memory, requests that the
 * host's memory has are in it, with their numbers: the host answers those, too, and sets its callbacks before.
 * With `coherence.data` accesses in flight go on without `out`, which is memory of the host that issued them: one that
 * goes on from a snapshot has what they find from gpc_completion.values, by their tokens.
 *
 *   gpc_hierarchy_save  to a file, which gets its name when it is complete; _save_to: in pieces to `write`
 *   gpc_hierarchy_load  a new hierarchy, of the same configuration, from a file; _load_from: from `read`, to its end;
 *                       _load_with, _load_from_with: of the same but for `threads`, a value of that key; NULL: as it
 *                       was configured
 *   gpc_hierarchy_copy  a new one that goes on from here by itself; in memory, of the same context
 *   context             has the same seed, and the same policies registered, as that of the one that was saved
 *
 * A file is of one version and build of the library and one kind of machine. It is checked by checksums against damage,
 * not against malice: do not load what comes from people that you do not trust. Return GPC_OK; GPC_ERROR_MEMORY;
 * GPC_ERROR_IO, or what the callback returned; GPC_ERROR_FORMAT (damaged, cut, or none: the message names the offset);
 * GPC_ERROR_ABI (of another version, build or machine); GPC_ERROR_STATE (another seed; the hierarchy has failed; not
 * between two calls); GPC_ERROR_UNSUPPORTED, named: a policy whose table has no `state`, and callbacks.on_memory where
 * the new one has several threads; GPC_ERROR_RANGE, as when it is created (so many threads make no difference). What is
 * saved is for any number of threads: `auto` has as many as the machine allows that loads it. Files that were saved
 * at one point with other numbers of threads differ in their bytes, with a clock in the numbers that packets have,
 * too; all that goes on from them is the same. *out is written upon GPC_OK alone. Thread rule: the hierarchy's, which
 * stays as it is. Since: 0.2.
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
