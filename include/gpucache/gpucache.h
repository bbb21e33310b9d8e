/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_GPUCACHE_H
#define GPUCACHE_GPUCACHE_H

/*
 * libgpucache: the memory hierarchy of a GPU, to embed or to run by itself.
 *
 * Objects
 *   gpc_context    allocator, log, seed, registries of policies; owns all state
 *   gpc_config     keys and values, from presets, files and settings
 *   gpc_cache      one cache: tags, sectors, write policies, pluggable replacement and bypass
 *   gpc_hierarchy  coalescer, L1 per SM, networks, L2 slices, DRAM, made from a gpc_config; with or without a clock
 *   gpc_scheduler  which warp issues next
 *   gpc_replacement, gpc_predictor, gpc_throttle  decisions alone, for caches and schedulers of a host's own
 *   gpc_dram       DRAM channels by themselves
 *   gpc_coherence  a tree of caches over memories, kept coherent by a protocol that is a table
 *   gpc_trace      kernels, thread blocks and warps from files or generators
 *   gpc_replay     runs a gpc_trace through a gpc_hierarchy
 *   gpc_profile    tells what the loads of a trace do in L1, by SM, instruction and line
 *
 * Errors. Calls return gpc_status: negative on failure, and then nothing has
 * changed and no out-parameter was written, except where a comment says more. A
 * `gpc_error *` may be NULL; it receives a sentence that names what was wrong.
 * The library never prints, exits, aborts, or asserts on input.
 *
 * Threads. A context and everything made from it may be used by one thread at a
 * time. Different contexts share nothing. Functions marked "any thread" touch
 * no object.
 *
 * Ownership. `_create` and `_open` hand out an object, `_destroy` and `_close`
 * take it back; NULL is allowed there. Strings and tables passed in are copied.
 * Pointers handed out are borrowed, for as long as the comment says. Destroying
 * a context before its objects is allowed: the last one frees it.
 *
 * Callbacks run on the thread of the call that caused them and may not call
 * into the object they come from. `user_data` is theirs; where a `destroy` goes
 * with it, it runs exactly once, also when the registration itself fails.
 *
 * Structures. Option and result structures begin with `size_t struct_size`;
 * fill them with the `_INIT` macro, or by name with gpc_struct_init. The library takes a
 * smaller, older structure as if the missing fields had their defaults, and a
 * larger, newer one if the bytes it does not know are zero, and are no more than
 * GPC_STRUCT_GROWTH. gpc_request,
 * gpc_access_result, gpc_instruction and the like are plain records of fixed size.
 *
 * Statistics. Structures of counters (gpc_stats and the like) have the fields that the host's header knows; each
 * counter has an id that is its own in all versions (counters.h), by which the library fills them in. So a program
 * reads right numbers from a later library of the same SONAME, wherever counters were added; stats.h says how.
 *
 * Events. gpc_hierarchy_set_trace has a function called for every step that a request takes through a hierarchy: what
 * happens where, to which packet, for which instruction of which warp (events.h). Without it nothing is slower.
 *
 * Determinism. The same calls with the same seed give the same results on
 * every machine, compiler and build.
 */

#include <gpucache/ask.h>
#include <gpucache/cache.h>
#include <gpucache/coherence.h>
#include <gpucache/config.h>
#include <gpucache/context.h>
#include <gpucache/counters.h>
#include <gpucache/counters_parts.h>
#include <gpucache/decisions.h>
#include <gpucache/dram.h>
#include <gpucache/error.h>
#include <gpucache/events.h>
#include <gpucache/held.h>
#include <gpucache/hierarchy.h>
#include <gpucache/host.h>
#include <gpucache/kernels.h>
#include <gpucache/modules.h>
#include <gpucache/policy.h>
#include <gpucache/port.h>
#include <gpucache/predictor.h>
#include <gpucache/prefetcher.h>
#include <gpucache/profile.h>
#include <gpucache/protocol.h>
#include <gpucache/ratios.h>
#include <gpucache/record.h>
#include <gpucache/replay.h>
#include <gpucache/scheduler.h>
#include <gpucache/snapshot.h>
#include <gpucache/stages.h>
#include <gpucache/stats.h>
#include <gpucache/trace.h>
#include <gpucache/types.h>
#include <gpucache/verify.h>
#include <gpucache/version.h>
#include <gpucache/window.h>

#endif
