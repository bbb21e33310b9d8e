/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_RECORD_HOST_H
#define TESTS_RECORD_HOST_H

#include "measured.h"

#include <gpucache/gpucache.h>

/* A host that drives a hierarchy, and the file of the recording. */
typedef struct host {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    gpc_error error;
    char folder[40], path[64];
    char log[512];   /* the last line at WARNING or above */
    size_t fails_at; /* number of allocations until a single failure; or 0 */
} host;

/* Four SMs with a small unified L1, and `settings`: lines of a configuration. */
void host_open(host *h, const char *settings);
void host_close(host *h);

/* An SM's warp in `slot` loads a line; must be accepted. */
void host_load(host *h, uint32_t sm, uint32_t block, uint32_t slot, uint64_t address);

/* Events of the random host beside accesses. */
enum { HOST_EVENTS = 1, HOST_FENCES = 2, HOST_ORDERS = 4, HOST_TOKENS = 8 };
/* Kernels of random accesses of every kind, from a seed; with a clock, if the hierarchy has one. */
void host_drive(host *h, uint64_t seed, unsigned what);

measured_stats host_stats(const gpc_hierarchy *hierarchy);
void host_expect_same(const measured_stats *expected, const measured_stats *actual);

/* Replay the file with the configuration and further settings: the statistics of the replay's hierarchy. */
gpc_status host_replay(host *h, const char *settings, measured_stats *stats);

/* Start and end a recording; both must succeed. */
void host_record(host *h);
void host_end(host *h);

#endif
