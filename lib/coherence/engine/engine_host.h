/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_HOST_H
#define GPC_COHERENCE_ENGINE_HOST_H

#include "base/text.h"
#include "coherence/engine/engine.h"

/*
 * The protocol engine inside a host with its own clock, networks, ports, MSHRs and memories (a hierarchy:
 * timed/coherent/coherent_host.c). The host reports arrived messages; the engine decides the consequences and sends
 * messages through the host. `send` and `use` never call back: the host schedules the task's next step
 * (gpci_engine_put) and runs steps (gpci_engine_run).
 *
 * The host decides the order of a processor's accesses and which accesses merge; or the engine does, as in trees
 * without a host, if it is created with `orders` (engine_order.c).
 *
 * Example, a load that misses (run is gpci_engine_run, put is gpci_engine_put). The host calls gpci_engine_access; run
 * locks a way of L1 and calls `send` (READ_REQUEST). When the packet has passed the slice's tags, the host calls put
 * (step read_come); run locks the slice's block, and calls `use` for the slice's data. When the data are read, the host
 * calls put (step read_reply); run unlocks the block and calls `send` (DATA), and so on, up to `ended`.
 */

/* Event of a lookup, for traces: waits for a lock; is refused; evicts a victim. */
typedef enum gpci_met { GPCI_MET_WAIT, GPCI_MET_REFUSE, GPCI_MET_EVICT } gpci_met;

/* Reading or writing of a module's data for a task; `step` runs afterwards. */
typedef struct gpci_use {
    uint32_t task, module;
    gpci_step step;
    uint64_t address;
    uint32_t bytes; /* 0: only the module's latency passes */
    bool write;
} gpci_use;

struct gpci_engine_host {
    void *self;
    /*
     * True if the sender's queue has room for the message. `behind`: other messages already wait for the queue. If
     * false, the sender waits until gpci_engine_sent.
     */
    bool (*takes)(void *self, const gpci_message *message, bool behind);
    uint32_t (*send)(void *self, const gpci_message *message); /* returns the header bytes saved by sharing a packet */
    void (*use)(void *self, const gpci_use *use);
    /* The host's cycle that is `cycles` cycles of the module's clock after the present cycle. */
    uint64_t (*after)(void *self, uint32_t module, uint64_t cycles);
    /*
     * Take an MSHR entry for a request that its module can only serve by asking below. False: none is free; the request
     * is refused, or, if requests wait, looks again after gpci_engine_entry_free. The host frees the entry when
     * the task's answer is sent, or at `release` if there is no answer.
     */
    bool (*allocate)(void *self, uint32_t task);
    void (*release)(void *self, uint32_t task);
    void (*met)(void *self, gpci_met what, uint32_t task, uint32_t module);
    void (*left)(void *self, uint32_t inflight);   /* a store has released its block: later stores may begin */
    void (*joined)(void *self, uint32_t inflight); /* an access joined another; only with `orders` */
    void (*ended)(void *self, uint32_t inflight);
    /*
     * An internal access began, caused by the host's access `cause`: report the internal access's messages for `cause`.
     * The internal access ends without a call of `ended`.
     */
    void (*begun)(void *self, uint32_t inflight, uint32_t cause);
    gpc_status (*reserve_step)(void *self); /* make memory for the messages of the next step */
};

/*
 * Create the engine, with the memory of a first access. `waits`: accesses wait for a locked block; false: they are
 * refused. `orders`: the engine orders and joins accesses at their first-level module.
 */
gpc_status gpci_engine_create_for(gpc_coherence *coherence, const gpci_engine_host *host, bool waits, bool orders,
                                  gpc_error *error);
/*
 * Create the engine of a tree that replaces another, with the host of `from`, if any. Nothing may be in flight in
 * either.
 */
gpc_status gpci_engine_inherit(gpc_coherence *coherence, const gpc_coherence *from, gpc_error *error);
/* Begin a valid access; `carried`: request shown to policies. Room has been made. */
uint32_t gpci_engine_access(gpci_engine *engine, const gpc_coherence_request *request, const gpc_request *carried);
/*
 * Prediction for an access. MISS: needs a request below, or its block is absent; TOLD: a hit that needs messages, or
 * waits for a lock; HIT: a plain hit.
 */
typedef enum gpci_sight { GPCI_SIGHT_MISS, GPCI_SIGHT_TOLD, GPCI_SIGHT_HIT } gpci_sight;
gpci_sight gpci_engine_look(const gpci_engine *engine, const gpc_coherence_request *request);
/* True if the missing block of an access is on its way to the module as a neighbour of another missed block. */
bool gpci_engine_bring(const gpci_engine *engine, const gpc_coherence_request *request);
/* True if all regular ways of an address's set are locked. */
bool gpci_engine_all_locked(const gpci_engine *engine, uint32_t module, uint64_t address);
/* Perform an access that is a plain hit, before returning. */
gpc_status gpci_engine_hit(gpci_engine *engine, const gpc_coherence_request *request, const gpc_request *carried,
                           gpc_error *error);
/* After a snapshot was loaded: set the cycle, and compute the fields that are not saved. */
void gpci_engine_resume(gpci_engine *engine, uint64_t cycle);
/* Schedule a task's step at a cycle, not in the past. */
void gpci_engine_put(gpci_engine *engine, uint32_t task, gpci_step step, uint64_t cycle);
/* Run a step in the present cycle, and the steps that follow without delay. Returns as gpci_engine_run. */
gpc_status gpci_engine_do(gpci_engine *engine, uint32_t task, gpci_step step, gpc_error *error);
/* Run all steps up to a cycle, with their consequences. GPC_ERROR_MEMORY: the rest remains to be run. */
gpc_status gpci_engine_run(gpci_engine *engine, uint64_t cycle, gpc_error *error);
/* Cycle of the next step, or UINT64_MAX. */
uint64_t gpci_engine_next(const gpci_engine *engine);
bool gpci_engine_idle(const gpci_engine *engine);
/* True if a request that arrives now would need data or permission from below its module. */
bool gpci_engine_asks_below(const gpci_engine *engine, uint32_t task, gpci_step step);
void gpci_engine_entry_free(gpci_engine *engine, uint32_t module);
/* Note that a message left a module's queue, up or down: the queue has room for a message in the next cycle. */
void gpci_engine_sent(gpci_engine *engine, uint32_t module, bool up);
/* True if a message's arrival begins with a lookup at the receiver. */
bool gpci_step_looks(gpci_step step);
/* Append to `report` which tasks wait, and for which locks, to explain a deadlock. */
void gpci_engine_report(const gpci_engine *engine, gpci_text *report);
/* Visit the whole state, piece by piece, for snapshots. */
void gpci_engine_state(gpci_engine *engine, gpci_state_fn visit, void *user_data);

/* engine_find.c: tell the host of an event of a lookup; pass the port of a lookup to the first waiter. */
void gpci_find_tell(const gpci_engine *engine, gpci_met what, const gpci_task *lookup);
void gpci_find_release_port(gpci_engine *engine, const gpci_task *lookup);

#endif
