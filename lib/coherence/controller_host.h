/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_HOST_H
#define GPC_COHERENCE_CONTROLLER_HOST_H

#include "base/text.h"
#include "coherence/controller.h"

/*
 * Controllers inside something larger that has a clock, networks, ports, MSHRs and memories of its own (a hierarchy:
 * timed/coherent_host.c). The host says when a message has come; controllers say what follows from it, and send the
 * messages that follow through the host. Nothing is called back from within `send` and `use`: the host puts down the
 * task's next step when its time has come (gpci_controllers_put), and lets steps be done (gpci_controllers_run).
 *
 * The order among a processor's accesses to different blocks, and which accesses to one block are one, is the host's;
 * or, if it says so (gpci_controllers_order), that of trees by themselves (controller_access.c).
 *
 * Example, a load that misses: gpci_controllers_access; run() locks a way of the L1 and calls send(READ_REQUEST). When
 * its packet has passed the slice's tags, put(task, read_come); run() locks the slice's block, and calls use() for the
 * slice's data; when these have been read, put(task, read_reply); run() unlocks the block and calls send(DATA), and so
 * on, up to ended().
 */

/* What a lookup meets, told to who traces. */
typedef enum gpci_met { GPCI_MET_WAIT, GPCI_MET_REFUSE, GPCI_MET_EVICT } gpci_met;

/* A module's data are used for a task, whose `step` comes when that is done. */
typedef struct gpci_use {
    uint32_t task, module;
    gpci_step step;
    uint64_t address;
    uint32_t bytes; /* 0: its latency alone */
    bool write;
} gpci_use;

struct gpci_controller_host {
    void *self;
    /*
     * Is there room for it where its sender's messages stand, if others wait for room there (`behind`) or not? If not,
     * it waits for gpci_controllers_sent.
     */
    bool (*takes)(void *self, const gpci_letter *letter, bool behind);
    uint32_t (*send)(void *self, const gpci_letter *letter); /* returns bytes that it does without, beside others */
    void (*use)(void *self, const gpci_use *use);
    /* The host's cycle that is `cycles` of a module's from here. */
    uint64_t (*after)(void *self, uint32_t module, uint64_t cycles);
    /*
     * A request that its module can only serve by asking below takes an MSHR entry there. False: none is free; it is
     * refused, or where requests wait looks again after gpci_controllers_entry_free. The host takes it back when the
     * task's answer is sent, or upon `release`, where there is no such answer.
     */
    bool (*allocate)(void *self, uint32_t task);
    void (*release)(void *self, uint32_t task);
    void (*met)(void *self, gpci_met what, uint32_t task, uint32_t module);
    void (*left)(void *self, uint32_t flight);   /* a store needs its block no more, and goes before later ones */
    void (*joined)(void *self, uint32_t flight); /* an access has become part of another; where controllers order */
    void (*ended)(void *self, uint32_t flight);
    /* One has begun that is not the host's, for one that is: what of that is told is told of it, too. It just ends. */
    void (*begun)(void *self, uint32_t flight, uint32_t cause);
    gpc_status (*room)(void *self); /* memory for what the next step sends */
};

/* Accesses wait for a block that is locked (`waits`), or are refused. */
gpc_status gpci_controllers_create_for(gpc_coherence *c, const gpci_controller_host *host, bool waits,
                                       gpc_error *error);
/* Accesses are ordered, and joined, at their first-level module. There are none yet. */
void gpci_controllers_order(gpci_controllers *e);
/* Controllers for a tree that takes another's place, with its host, if it has one. Nothing is under way in either. */
gpc_status gpci_controllers_inherit(gpc_coherence *c, const gpc_coherence *from, gpc_error *error);
/* An access, known to be sound; `carried`: what policies are shown of it. There is room. */
uint32_t gpci_controllers_access(gpci_controllers *e, const gpc_coherence_request *request, const gpc_request *carried);
/* What an access would find: nothing of use; all that it needs, though others are to be told; or just that. */
typedef enum gpci_sight { GPCI_SIGHT_MISS, GPCI_SIGHT_TOLD, GPCI_SIGHT_HIT } gpci_sight;
gpci_sight gpci_controllers_look(const gpci_controllers *e, const gpc_coherence_request *request);
/* Is the block of an access, which is not there, coming as a neighbour of what another has missed? */
bool gpci_controllers_bring(const gpci_controllers *e, const gpc_coherence_request *request);
/* Are all ways with data of an address's set locked? */
bool gpci_controllers_all_locked(const gpci_controllers *e, uint32_t module, uint64_t address);
/* An access that would just hit, at once. */
gpc_status gpci_controllers_hit(gpci_controllers *e, const gpc_coherence_request *request, const gpc_request *carried,
                                gpc_error *error);
/* It is this cycle. */
GPCI_INLINE void gpci_controllers_at(gpci_controllers *e, uint64_t cycle) {
    e->now = cycle;
}
/* A task's step is due at a cycle that is not past. */
void gpci_controllers_put(gpci_controllers *e, uint32_t task, gpci_step step, uint64_t cycle);
/* The same in this cycle, and all that follows from it. As gpci_controllers_run. */
gpc_status gpci_controllers_do(gpci_controllers *e, uint32_t task, gpci_step step, gpc_error *error);
/* All steps up to a cycle, and what follows from them in it. GPC_ERROR_MEMORY: the rest is still to be done. */
gpc_status gpci_controllers_run(gpci_controllers *e, uint64_t cycle, gpc_error *error);
/* The cycle of the next step; UINT64_MAX. */
uint64_t gpci_controllers_next(const gpci_controllers *e);
bool gpci_controllers_idle(const gpci_controllers *e);
/* Would a request that arrives now ask its module for what that can only have from below? */
bool gpci_controllers_asks_below(const gpci_controllers *e, uint32_t task, gpci_step step);
void gpci_controllers_entry_free(gpci_controllers *e, uint32_t module);
/* A message of a module has gone on its way, up or down: there is room for one more in the next cycle. */
GPCI_INLINE bool gpci_controllers_wait(const gpci_controllers *e, uint32_t module, bool up) {
    return e->units[module].senders[up].head != GPCI_NO_ITEM;
}
void gpci_controllers_sent(gpci_controllers *e, uint32_t module, bool up);
/* Does a message's arrival begin with a lookup at its receiver? */
bool gpci_step_looks(gpci_step step);
/* What waits for what, for who asks why nothing moves. */
void gpci_controllers_report(const gpci_controllers *e, gpci_text *report);
/* All that is under way, piece by piece. */
void gpci_controllers_state(gpci_controllers *e, gpci_state_fn visit, void *user_data);

#endif
