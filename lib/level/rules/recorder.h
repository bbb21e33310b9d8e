/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_RECORDER_H
#define GPC_LEVEL_RECORDER_H

#include "level/rules/hierarchy.h"

#include <gpucache/ext/policies.h>
#include <gpucache/hierarchy.h>

/*
 * Recorder of a host's calls (record/record.c). The public functions of a hierarchy call the recorder after a
 * successful call. Replays do not call the public functions, and are not recorded.
 */
typedef struct gpci_recorder gpci_recorder;

typedef struct gpci_recorder_ops {
    void (*access)(gpci_recorder *recorder, const gpc_warp_access *access); /* `access` has the host's struct_size */
    void (*fence)(gpci_recorder *recorder, const gpc_fence *fence);         /* `fence` has the host's struct_size */
    /* `launch` is a complete copy; NULL: the host has passed NULL */
    void (*kernel)(gpci_recorder *recorder, const gpc_launch *launch);
    void (*event)(gpci_recorder *recorder, const gpc_warp_event *event);
    void (*flush)(gpci_recorder *recorder);
    void (*count)(gpci_recorder *recorder, uint64_t warp_instructions, uint64_t thread_instructions, uint64_t blocks);
    void (*cannot)(gpci_recorder *recorder,
                   const char *call); /* the host made a call that a recording cannot express */
    void (*destroy)(gpci_recorder *recorder);
} gpci_recorder_ops;

struct gpci_recorder {
    const gpci_recorder_ops *ops;
};

/* GPCI_RECORD(h, access, (h->recorder, access)): inform the recorder, if present. */
#define GPCI_RECORD(h, what, arguments)           \
    do {                                          \
        if (GPCI_UNLIKELY((h)->recorder != NULL)) \
            (h)->recorder->ops->what arguments;   \
    } while (0)

#endif
