/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TORTURE_HOST_H
#define TESTS_TORTURE_HOST_H

#include "torture.h"

/* One host with its hierarchy, at some point of a case's program. */

enum { MOST_REPLIES = 8192, MOST_CHANNELS = 1024, MOST_KERNELS = 8, MOST_TRANSACTIONS = 40 };

typedef struct reply {
    uint64_t id, due;
} reply;

typedef struct host {
    gpc_context *context;
    gpc_hierarchy *h;
    const torture_case *c;
    torture_way how;
    const char *threads;
    unsigned fault;
    record *r;
    failure *f;
    gpc_shape shape;
    uint32_t streams, slots; /* warps of an SM */
    bool data;               /* accesses carry values */
    expected *expected;
    uint8_t *completions; /* [op_count] that are still to come of each operation */
    uint64_t calls, memory_random;
    reply replies[MOST_REPLIES];
    unsigned reply_count;
    uint64_t ready[MOST_CHANNELS]; /* cycle at which a channel that was refused is ready again; 0: none was */
    uint64_t grant;                /* next cycle at which credits are given; UINT64_MAX: none ever */
    uint32_t kernels[MOST_KERNELS], kernel_count;
    uint64_t traced, issued, told; /* events in all; of these, issues and completions */
    bool ranked;
} host;

/* Memory, credits: what a host owes at the present cycle; and the next at which it owes something. */
void host_give(host *at);
uint64_t host_due(const host *at);
bool host_on_memory(void *user_data, const gpc_memory_request *request);
void host_limit_credits(host *at);
void host_free_credits(host *at);

/* Move the clock on, to `limit` at most; false where nothing will ever happen, or a call failed. */
bool host_go_on(host *at, uint64_t limit);
/* Wait until nothing is under way. */
void host_wait(host *at);
void host_attach(host *at);
void host_operate(host *at, unsigned op);

#endif
