/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_ALONE_H
#define GPC_COHERENCE_ENGINE_ALONE_H

#include "coherence/engine/engine.h"

/*
 * Lone accesses: each runs from issue to end before the next begins (gpc_coherence_access, flushes, acquires). Lone
 * accesses have an engine of their own (gpc_coherence.lone), without other accesses in flight. In a tree without
 * `timing`, all delays are 0. Messages and transitions of an access are listed (gpc_coherence.messages).
 */

/* Perform a checked access. `carried`: request shown to policies, or NULL in a tree without policies. */
gpc_status gpci_alone_access(gpc_coherence *coherence, const gpc_coherence_request *request, const gpc_request *carried,
                             gpc_error *error, gpc_coherence_result *result);
/* Begin work on many blocks, one after another: empty the lists of messages and transitions. */
gpc_status gpci_alone_begin(gpc_coherence *coherence, uint64_t cycle, gpc_error *error);
/* Perform `kind` (gpci_sweep) on a valid block of a module. GPC_ERROR_MEMORY: nothing was done. */
gpc_status gpci_alone_block(gpc_coherence *coherence, uint32_t module, uint32_t block, uint32_t kind, gpc_error *error);
/* End the work: append the FINISH of a module, and report the result. */
gpc_status gpci_alone_end(gpc_coherence *coherence, uint32_t module, gpc_coherence_result *result);

/* Positions of tasks in the list of a lone access's steps. */
/* A new task begins at the position of its parent. */
void gpci_trail_begin(gpci_engine *engine, uint32_t task, uint32_t parent);
/*
 * gpci_trail_end: the parent continues at the position of an ended task. gpci_trail_finish: append the FINISH of a
 * task's access.
 */
void gpci_trail_end(gpci_engine *engine, uint32_t parent, uint32_t task);
void gpci_trail_finish(gpci_engine *engine, uint32_t task);
/* Append a message. Returns its index. */
uint32_t gpci_trail_send(gpci_engine *engine, const gpci_message *message);
/* Move a task's position behind the messages that peers have sent for the task. */
void gpci_trail_join_peers(gpci_engine *engine, uint32_t task);
/*
 * Change a task's position. _look: add the delay of a lookup. _found: note the block that the task's message found.
 * _use: add the delay of reading or writing data. _evict: append an EVICTION. _start: the next access begins at the
 * task's position.
 */
void gpci_trail_look(gpci_engine *engine, uint32_t task, const gpci_module *module);
void gpci_trail_found(gpci_engine *engine, uint32_t task, uint32_t block, bool hit);
void gpci_trail_use(gpci_engine *engine, uint32_t task, const gpci_module *module, bool write);
void gpci_trail_evict(gpci_engine *engine, uint32_t task, const gpci_module *module, uint32_t block);
void gpci_trail_start(gpci_engine *engine, uint32_t task);

#endif
