/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HELD_H
#define GPUCACHE_HELD_H

#include <gpucache/coherence.h>

GPC_BEGIN_DECLS

/*
 * Held trees: time stands still, and the host says what happens next, so that it can have messages arrive in any order
 * (verify.h does so in all). What gpc_coherence_issue begins, and what follows from a choice at once, happens at once;
 * then each message waits between its two modules, in order, and what would take cycles, or is a refused access that
 * begins again, waits as well, until it is chosen.
 */
typedef enum gpc_choice_kind {
    GPC_CHOICE_MESSAGE = 0, /* the first message from one module to another arrives */
    GPC_CHOICE_STEP = 1,    /* what takes cycles in a module ends: a lookup, reading or writing data */
    GPC_CHOICE_RETRY = 2    /* a refused access begins again */
} gpc_choice_kind;

typedef struct gpc_coherence_choice {
    size_t struct_size;
    uint64_t address;  /* of the block */
    uint32_t kind;     /* gpc_choice_kind */
    uint32_t message;  /* gpc_message_kind */
    uint32_t from, to; /* indices of modules; the same, where it is no message */
    uint8_t ready; /* 0: it cannot be chosen yet: the message's receiver has the block locked, and no place for it */
    uint8_t reserved[7];
} gpc_coherence_choice;

#define GPC_COHERENCE_CHOICE_INIT                         \
    {                                                     \
        sizeof(gpc_coherence_choice), 0, 0, 0, 0, 0, 0, { \
            0                                             \
        }                                                 \
    }

/*
 * Hold a tree in which nothing has been issued yet, for good. gpc_coherence_advance, at whatever cycle, then begins
 * what was issued and finds deadlocks; gpc_coherence_next_event says nothing of use.
 *   entries   messages that a queue from a module to another has room for: who would send one more waits, and a probe
 *             that finds its block locked waits in its queue, before those behind it; 0: no bound, and none waits there
 *   channels  queues from a module to another: 1, or 3: requests, forwarded ones (probes), responses
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (accesses have been issued); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_hold(gpc_coherence *coherence, uint32_t entries, uint32_t channels, gpc_error *error);

/*
 * What may happen next in a held tree, from 0 on.
 * Returns GPC_OK; GPC_ERROR_RANGE (there are less); GPC_ERROR_ARGUMENT (the tree is not held); GPC_ERROR_ABI.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_choice(const gpc_coherence *coherence, uint32_t index,
                                            gpc_coherence_choice *choice);

/*
 * Have it happen, with all that follows at once; numbers are new then.
 * Returns GPC_OK; GPC_ERROR_RANGE (there is none of this number, or it is not ready); GPC_ERROR_ARGUMENT (the tree is
 * not held); GPC_ERROR_STATE as gpc_coherence_advance: a forbidden cell, a deadlock; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_choose(gpc_coherence *coherence, uint32_t index, gpc_error *error);

GPC_END_DECLS

#endif
