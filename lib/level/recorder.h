/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_RECORDER_H
#define GPC_LEVEL_RECORDER_H

#include "level/hierarchy.h"

#include <gpucache/hierarchy.h>

/*
 * Who writes down what a host has a hierarchy do (record/record.c): told at the public calls, of what they have
 * accepted. Replays do not come this way.
 */
typedef struct gpci_recorder gpci_recorder;

typedef struct gpci_recorder_ops {
    void (*access)(gpci_recorder *recorder, const gpc_warp_access *access); /* the host's: of any struct_size */
    void (*fence)(gpci_recorder *recorder, const gpc_fence *fence);         /* likewise */
    void (*kernel)(gpci_recorder *recorder, const gpc_launch *launch);      /* ours; NULL: the host gave none */
    void (*event)(gpci_recorder *recorder, const gpc_warp_event *event);
    void (*flush)(gpci_recorder *recorder);
    void (*count)(gpci_recorder *recorder, uint64_t warp_instructions, uint64_t thread_instructions, uint64_t blocks);
    void (*cannot)(gpci_recorder *recorder, const char *call); /* what no trace can hold was done */
    void (*destroy)(gpci_recorder *recorder);
} gpci_recorder_ops;

struct gpci_recorder {
    const gpci_recorder_ops *ops;
};

/* GPCI_RECORD(h, access, (h->recorder, access)): tell the recorder, if there is one. */
#define GPCI_RECORD(h, what, arguments)           \
    do {                                          \
        if (GPCI_UNLIKELY((h)->recorder != NULL)) \
            (h)->recorder->ops->what arguments;   \
    } while (0)

#endif
