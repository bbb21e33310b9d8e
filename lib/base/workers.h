/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_WORKERS_H
#define GPC_BASE_WORKERS_H

#include "base/base.h"

/*
 * Threads that share a piece of work again and again, thousands of times a second. The thread that asks is the first
 * of them; the others wait for it, and it waits for them.
 *
 * Who waits looks a while whether there is something to do, and then sleeps until it is woken; it sleeps at once where
 * there are fewer processors than threads. There are never more threads than processors that the process may run on,
 * unless a test says so.
 */
typedef struct gpci_workers gpci_workers;

/* The share of worker `worker`, from 0, the caller, to count - 1. */
typedef void (*gpci_work_fn)(void *user_data, uint32_t worker);

typedef struct gpci_workers_options {
    uint32_t count; /* threads, the caller among them: 1 or more */
    bool exactly;   /* for tests: whatever processors there are */
    uint64_t delay; /* for tests: not 0: each share waits a while first, by a generator of this seed */
} gpci_workers_options;

/* Processors that this process may run on, 1 or more. */
uint32_t gpci_processors(void);

/* GPC_ERROR_MEMORY, also where a thread cannot be made. */
gpc_status gpci_workers_create(gpc_context *context, const gpci_workers_options *options, gpc_error *error,
                               gpci_workers **out);
/* Ends the threads. NULL is allowed. */
void gpci_workers_destroy(gpci_workers *workers);

uint32_t gpci_workers_count(const gpci_workers *workers);

/* All shares are done when this returns; what they have written is seen by the caller, and by all shares to come. */
void gpci_workers_run(gpci_workers *workers, gpci_work_fn work, void *user_data);

/* Seconds that the caller has waited for the others so far, and how often. Measured from the first call on. */
double gpci_workers_waited(gpci_workers *workers, uint64_t *out_runs);

#endif
