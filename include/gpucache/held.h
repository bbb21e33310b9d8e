/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HELD_H
#define GPUCACHE_HELD_H

#include <gpucache/coherence.h>

GPC_BEGIN_DECLS

/*
 * Held trees: time stands still, and the host chooses the next event. The host can make messages arrive in every order
 * (verify.h tries all orders). Work that gpc_coherence_issue begins, or that follows from a choice at once, happens at
 * once. Then every message waits in order between its two modules, until the host chooses the message. Work that would
 * take cycles, and a refused access that begins again, wait for a choice too.
 */
typedef enum gpc_choice_kind {
    GPC_CHOICE_MESSAGE = 0, /* the first message from a module to another module arrives */
    GPC_CHOICE_STEP = 1,    /* work in a module ends: a lookup, reading or writing data */
    GPC_CHOICE_RETRY = 2    /* a refused access begins again */
} gpc_choice_kind;

typedef struct gpc_coherence_choice {
    size_t struct_size;
    uint64_t address;  /* address of the block */
    uint32_t kind;     /* gpc_choice_kind */
    uint32_t message;  /* gpc_message_kind */
    uint32_t from, to; /* indices of modules; equal if the choice is no message */
    /* 0: cannot be chosen yet, because the receiver has locked the block and has no room for the message */
    uint8_t ready;
    uint8_t reserved[7];
} gpc_coherence_choice;

#define GPC_COHERENCE_CHOICE_INIT                         \
    {                                                     \
        sizeof(gpc_coherence_choice), 0, 0, 0, 0, 0, 0, { \
            0                                             \
        }                                                 \
    }

/*
 * Hold a tree forever, before the first gpc_coherence_issue. From then on gpc_coherence_advance, with any cycle, begins
 * the issued accesses and detects deadlocks; the result of gpc_coherence_next_event is meaningless.
 *   entries   capacity of a queue between two modules, in messages. If the queue is full, a sender waits. A probe that
 *             finds its block locked waits in its queue, in front of later messages. 0: unlimited, and no probe waits
 *             in a queue
 *   channels  queues from a module to another: 1, or 3: requests, forwarded requests (probes), responses
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (accesses have been issued); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_hold(gpc_coherence *coherence, uint32_t entries, uint32_t channels, gpc_error *error);

/*
 * Get a possible next event of a held tree, by index from 0. Returns GPC_OK; GPC_ERROR_RANGE (past the last);
 * GPC_ERROR_ARGUMENT (the tree is not held); GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_choice(const gpc_coherence *coherence, uint32_t index,
                                            gpc_coherence_choice *choice);

/*
 * Choose the next event, and perform the event and its immediate consequences. All indices change. Returns GPC_OK;
 * GPC_ERROR_RANGE (unknown index, or not ready); GPC_ERROR_ARGUMENT (the tree is not held); GPC_ERROR_STATE as
 * gpc_coherence_advance: an event that the protocol forbids, a deadlock; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_choose(gpc_coherence *coherence, uint32_t index, gpc_error *error);

GPC_END_DECLS

#endif
