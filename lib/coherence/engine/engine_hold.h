/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_HOLD_H
#define GPC_COHERENCE_ENGINE_HOLD_H

#include "coherence/engine/engine.h"

#include <gpucache/experimental/experimental.h>

/*
 * A held tree: time stands still. Messages wait between modules, and events of later cycles wait, until the calling
 * program chooses the next message or event (gpc_coherence_hold). Steps without delay run at once.
 *
 * With `entries` above 0, a channel from a module to another module holds at most `entries` messages; a further sender
 * waits, as for a full network buffer. A probe that finds its block locked stays at the head of the channel: the
 * receiver has no other place for the probe.
 */

enum { GPCI_CHANNEL_REQUEST, GPCI_CHANNEL_FORWARD, GPCI_CHANNEL_RESPONSE };

typedef struct gpci_held_channel {
    uint32_t from, to, kind;
    uint32_t used;
    gpci_due_queue row, waiters; /* row: messages, chained by `behind`; waiters: tasks that wait for room */
} gpci_held_channel;

struct gpci_hold {
    /* entries: capacity of a channel, 0: unbounded; classes: 1 channel per pair of modules, or 3 by GPCI_CHANNEL_ */
    uint32_t entries, classes;
    gpci_held_channel *channels; /* [count] in order of first use */
    size_t capacity;
    uint32_t count;
};

/* Number of choices: heads of non-empty channels, then scheduled events. gpci_hold_choice: describe a choice. */
uint32_t gpci_hold_choices(const gpci_engine *engine);
bool gpci_hold_choice(const gpci_engine *engine, uint32_t index, gpc_coherence_choice *choice);
/* Perform choice `index`, which must be ready. Room has been made. */
void gpci_hold_take(gpci_engine *engine, uint32_t index);

/* gpci_send of a held tree: put the message into a channel, not into a network. False: the channel is full. */
bool gpci_hold_send(gpci_engine *engine, const gpci_message *message);
/* Make room for the messages of the next step. False: out of memory. */
bool gpci_hold_reserve(gpci_engine *engine);
gpc_status gpci_hold_begin(gpci_engine *engine, uint32_t entries, uint32_t classes);
void gpci_hold_end(gpci_engine *engine);

#endif
