/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_HOLD_H
#define GPC_COHERENCE_CONTROLLER_HOLD_H

#include "coherence/controller.h"

#include <gpucache/held.h>

/*
 * A held tree: time stands still, messages wait between two modules, and what is to happen at a later cycle waits, too,
 * until somebody chooses which of them comes next (gpc_coherence_hold). What follows at once happens at once.
 *
 * With `entries`, a queue from a module to another has room for so many messages; who would send one more waits, as
 * for a full buffer of a network. And a probe that finds its block locked stays where it is, before those behind it:
 * its receiver has no other place for it.
 */

enum { GPCI_CHANNEL_REQUEST, GPCI_CHANNEL_FORWARD, GPCI_CHANNEL_RESPONSE };

typedef struct gpci_held_channel {
    uint32_t from, to, kind;
    uint32_t used;
    gpci_due_queue row, waiters; /* parcels, by `behind`; who waits for room */
} gpci_held_channel;

struct gpci_hold {
    uint32_t entries, classes;   /* 0: no bound; 1 or 3 */
    gpci_held_channel *channels; /* [count] in the order of first use */
    size_t room;
    uint32_t count;
};

/* The choices: the heads of channels that have any, then what waits for a cycle. */
uint32_t gpci_hold_choices(const gpci_controllers *e);
bool gpci_hold_choice(const gpci_controllers *e, uint32_t index, gpc_coherence_choice *choice);
/* It is ready, and there is room. */
void gpci_hold_take(gpci_controllers *e, uint32_t index);

/* controller_hold.c, for controllers: instead of a network; as gpci_send. */
bool gpci_hold_send(gpci_controllers *e, const gpci_letter *letter);
/* Room for what the next step sends. False: out of memory. */
bool gpci_hold_room(gpci_controllers *e);
gpc_status gpci_hold_begin(gpci_controllers *e, uint32_t entries, uint32_t classes);
void gpci_hold_end(gpci_controllers *e);

#endif
