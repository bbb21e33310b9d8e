/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TORTURE_HOST_H
#define TESTS_TORTURE_HOST_H

#include "torture.h"

/* A host with a hierarchy, in the middle of a program. */

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
    uint8_t *completions; /* [op_count] to come, by operation */
    uint64_t calls, memory_random;
    reply replies[MOST_REPLIES];
    unsigned reply_count;
    uint64_t ready[MOST_CHANNELS]; /* cycle at which a refused channel is ready again; 0: not refused */
    uint64_t due;                  /* next cycle with a reply or a ready channel; UINT64_MAX: never */
    uint64_t grant;                /* next cycle with new credits; UINT64_MAX: never */
    uint32_t kernels[MOST_KERNELS], kernel_count;
    uint64_t events[GPC_WHAT_COUNT][GPC_COMPONENT_COUNT], bytes[GPC_WHAT_COUNT][GPC_COMPONENT_COUNT];
    bool ranked;
    dice hunger; /* of failing allocations */
    bool fed;    /* the clock always has memory */
} host;

/*
 * Makes a call of the library. In a starved run an allocation of the call may fail. A failed call
 * is made again, with memory: the run must be as a run without failures.
 */
#define HOST_CALL(at, status, call)         \
    do {                                    \
        host_starve(at);                    \
        (status) = (call);                  \
        if (host_feed(at, (status), #call)) \
            (status) = (call);              \
    } while (0)

/* Moves the clock. No allocation fails in a tree, where L1s try again later. */
gpc_status host_advance(host *at, uint64_t cycles, gpc_error *error);
void host_starve(host *at);
/* Ends the hunger. Returns true if a call has to be made again. */
bool host_feed(host *at, gpc_status status, const char *call);

/* Gives memory's answers and credits of the present cycle; finds the next cycle with an answer or credits. */
void host_give(host *at);
uint64_t host_due(const host *at);
bool host_on_memory(void *user_data, const gpc_memory_request *request);
void host_limit_credits(host *at);
void host_free_credits(host *at);

/* Moves the clock, to `limit` at most. Returns false if no event is left, or a call failed. */
bool host_go_on(host *at, uint64_t limit);
/* Waits until nothing is under way. */
void host_wait(host *at);
void host_attach(host *at);
/* Goes on with a hierarchy loaded from a snapshot. A snapshot of the loaded hierarchy has the same bytes. */
void host_renew(host *at);
void host_operate(host *at, unsigned op);

#endif
