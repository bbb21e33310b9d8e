/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_HOLD_H
#define GPC_COHERENCE_ENGINE_HOLD_H

#include "coherence/engine/engine.h"

#include <gpucache/experimental/experimental.h>

/*
 * A held tree: time stands still. Messages wait between modules, and later events wait, until the host chooses the next
 * (gpc_coherence_hold). Immediate consequences run at once.
 *
 * With `entries` above 0, the queue from one module to another holds so many messages; a further sender waits, as for a
 * full network buffer. A probe that finds its block locked stays at the head of the queue: its receiver has no other
 * place for it.
 */

enum { GPCI_CHANNEL_REQUEST, GPCI_CHANNEL_FORWARD, GPCI_CHANNEL_RESPONSE };

typedef struct gpci_held_channel {
    uint32_t from, to, kind;
    uint32_t used;
    gpci_due_queue row, waiters; /* row: messages, chained by `behind`; waiters: for room */
} gpci_held_channel;

struct gpci_hold {
    uint32_t entries, classes;   /* entries: 0: unbounded; classes: 1 or 3 */
    gpci_held_channel *channels; /* [count] in order of first use */
    size_t capacity;
    uint32_t count;
};

/* Choices: heads of non-empty channels, then scheduled events. */
uint32_t gpci_hold_choices(const gpci_engine *engine);
bool gpci_hold_choice(const gpci_engine *engine, uint32_t index, gpc_coherence_choice *choice);
/* Call only for a ready choice, with room made. */
void gpci_hold_take(gpci_engine *engine, uint32_t index);

/* Send a message in a held tree, without a network. As gpci_send. */
bool gpci_hold_send(gpci_engine *engine, const gpci_message *message);
/* Make room for the messages of the next step. False: out of memory. */
bool gpci_hold_reserve(gpci_engine *engine);
gpc_status gpci_hold_begin(gpci_engine *engine, uint32_t entries, uint32_t classes);
void gpci_hold_end(gpci_engine *engine);

#endif
