/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_SIBLINGS_H
#define GPC_POLICIES_THROTTLE_SIBLINGS_H

#include "base/base.h"

/*
 * The instances of a throttle on the schedulers of one SM know each other: the shared
 * state is an array of instances by SM and index, empty where none has been made yet or
 * the schedulers do not share. The first present one keeps what the SM has once.
 */
typedef struct gpci_siblings {
    void **of_sm; /* [count] */
    uint32_t index, count;
} gpci_siblings;

/* A throttle's shared_scheduler_bytes. */
#define GPCI_SIBLING_BYTES sizeof(void *)

GPCI_INLINE gpci_siblings gpci_siblings_join(void *self, const gpc_scheduler_env *env) {
    void **all = env->shared_state;
    gpci_siblings siblings = {all + (size_t)env->sm * env->count, env->index, env->count};
    siblings.of_sm[env->index] = self;
    return siblings;
}

/* The last of two with one SM and index to come is the one that the others know. */
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
