/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_SIBLINGS_H
#define GPC_POLICIES_THROTTLE_SIBLINGS_H

#include "base/base.h"

/*
 * Instances of a throttle on the schedulers of one SM know each other. The shared state is an array of instances by SM
 * and index; an entry is empty if the instance does not exist yet, or if the schedulers do not share. The first
 * existing instance keeps the SM's single state.
 */
typedef struct gpci_siblings {
    void **of_sm; /* [count]: instances on the SM's schedulers; NULL = no instance */
    uint32_t index, count;
} gpci_siblings;

/* Value of shared_scheduler_bytes in the ops table of a throttle with siblings. */
#define GPCI_SIBLING_BYTES sizeof(void *)

GPCI_INLINE gpci_siblings gpci_siblings_join(void *self, const gpc_scheduler_env *env) {
    void **all = env->shared_state;
    gpci_siblings siblings = {all + (size_t)env->sm * env->count, env->index, env->count};
    siblings.of_sm[env->index] = self;
    return siblings;
}

/* Remove an instance. If two instances had the same SM and index, the array has only the later instance. */
GPCI_INLINE void gpci_siblings_leave(gpci_siblings siblings, const void *self) {
    if (siblings.of_sm[siblings.index] == self)
        siblings.of_sm[siblings.index] = NULL;
}

GPCI_INLINE void *gpci_siblings_first(gpci_siblings siblings, void *self) {
    for (uint32_t n = 0; n < siblings.count; n++)
        if (siblings.of_sm[n])
            return siblings.of_sm[n];
    return self;
}

#endif
