/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_GPUCACHE_H
#define GPUCACHE_GPUCACHE_H

/*
 * libgpucache: the memory hierarchy of a GPU, to embed in a simulator or to run by itself.
 *
 * Objects
 *   gpc_context    allocator, log, seed, registries of policies; owns all state
 *   gpc_config     keys and values, from presets, files and settings
 *   gpc_cache      a single cache: tags, sectors, write policies, pluggable replacement and bypass
 *   gpc_hierarchy  coalescer, L1 per SM, networks, L2 slices, DRAM, made from a gpc_config; with or without a clock
 *   gpc_scheduler  chooses the warp that issues next
 *   gpc_replacement, gpc_predictor, gpc_throttle  decisions alone, for a host with its own caches and schedulers
 *   gpc_dram       DRAM channels alone
 *   gpc_coherence  a tree of caches over memories; a protocol (a table of rules) keeps the caches coherent
 *   gpc_trace      kernels, thread blocks and warps from files or generators
 *   gpc_replay     runs a gpc_trace through a gpc_hierarchy
 *   gpc_profile    counts hits and misses of a trace's loads in L1, by SM, instruction and line
 *
 * Errors. Calls return gpc_status. A negative status is a failure: nothing has changed and no out-parameter was
 * written, unless a comment says otherwise. A `gpc_error *` may be NULL. If not NULL, the error receives a sentence
 * with the name of the wrong argument, key or file. The library never prints, exits, aborts, or asserts on input.
 *
 * Threads. Only one thread at a time may use a context and the objects made from the context. Different contexts share
 * nothing. Functions marked "any thread" touch no object.
 *
 * Ownership. `_create` and `_open` hand out an object. `_destroy` and `_close` take the object back, and accept NULL.
 * The library copies strings and tables that a caller passes in. Pointers handed out are borrowed, for as long as the
 * comment says. A context may be destroyed before its objects: the last object frees the context.
 *
 * Callbacks run on the thread of the call that caused them. A callback may not call into the object that called the
 * callback. `user_data` belongs to the callback's author. If a `destroy` function is given with `user_data`, `destroy`
 * runs exactly once, also when the registration fails.
 *
 * Structures. Option and result structures begin with `size_t struct_size`. Fill a structure with the `_INIT` macro, or
 * by name with gpc_struct_init. In a smaller (older) structure the missing fields have their defaults. A larger (newer)
 * structure is accepted if the unknown bytes are zero and are at most GPC_STRUCT_GROWTH. Plain records have a fixed
 * size and no struct_size: gpc_request, gpc_access_result, gpc_instruction and a few more.
 *
 * Statistics. Every counter has an id of its own in all versions (counters.h). A host reads values of an object by ids
 * (stats.h). An unmeasured value is absent, never 0. Therefore a program reads right numbers from a later library of
 * the same SONAME, wherever counters were added.
 *
 * Events. gpc_hierarchy_set_trace registers a function. The library calls the function for every step of a request
 * through a hierarchy: step, place, packet, instruction and warp (events.h). Without a registered function nothing is
 * slower.
 *
 * Determinism. Equal calls with an equal seed give equal results on every machine, compiler and build.
 */

#include <gpucache/ask.h>
#include <gpucache/cache.h>
#include <gpucache/coherence.h>
#include <gpucache/config.h>
#include <gpucache/context.h>
#include <gpucache/counters.h>
#include <gpucache/counters_clock.h>
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
