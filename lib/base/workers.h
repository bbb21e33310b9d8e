/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_WORKERS_H
#define GPC_BASE_WORKERS_H

#include "base/base.h"

/*
 * Threads that share work in rounds, thousands of rounds a second. The calling thread is the first worker. Between two
 * rounds the other threads wait for the caller. At the end of a round the caller waits for the other threads.
 *
 * A waiting thread polls for a while, and then sleeps until another thread wakes the sleeper. If processors are fewer
 * than threads, a waiting thread sleeps at once. The number of threads is at most the number of processors that the
 * process may use, unless a test says otherwise.
 */
typedef struct gpci_workers gpci_workers;

/* Do the share of worker `worker` in a round, from 0 (the caller) to count - 1. */
typedef void (*gpci_work_fn)(void *user_data, uint32_t worker);

typedef struct gpci_workers_options {
    uint32_t count; /* threads, including the caller: 1 or more */
    bool exactly;   /* for tests: use `count` threads, whatever the number of processors */
    uint64_t delay; /* for tests: if not 0, each share begins after a random time; the value is the random seed */
} gpci_workers_options;

/* Number of processors that the process may use, 1 or more. */
uint32_t gpci_processors(void);

/* Make the threads. GPC_ERROR_MEMORY: no memory, or the system gives no thread. */
gpc_status gpci_workers_create(gpc_context *context, const gpci_workers_options *options, gpc_error *error,
                               gpci_workers **out);
/* End the threads. NULL is allowed. */
void gpci_workers_destroy(gpci_workers *workers);

uint32_t gpci_workers_count(const gpci_workers *workers);

/* Run a round: all workers call `work`. On return all shares are done; later code of any worker sees their writes. */
void gpci_workers_run(gpci_workers *workers, gpci_work_fn work, void *user_data);

/*
 * Seconds that the caller has waited for other threads in gpci_workers_run, and number of rounds, since the first call.
 */
double gpci_workers_waited(gpci_workers *workers, uint64_t *out_runs);

#endif
