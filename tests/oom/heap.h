/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_OOM_HEAP_H
#define TESTS_OOM_HEAP_H

/* Heap that fails on demand, and the loop that fails every allocation of a scenario in turn. */

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

typedef struct oom_heap {
    size_t calls;    /* allocations and resizes so far */
    size_t fail_at;  /* number of the failing call, from 1; 0 = none */
    bool persistent; /* later calls fail, too */
    size_t failures; /* number of failures */
    size_t live;     /* blocks not yet released */
    unsigned told;   /* failures of which the scenario has heard */
} oom_heap;

/* Options with the heap as hooks. */
gpc_context_options oom_options(oom_heap *heap);

/*
 * A scenario creates, uses and destroys objects of `context`, on every way out, and returns the first status other than
 * GPC_OK. A scenario may call oom_heal to continue without failures and check that the object still works.
 */
typedef gpc_status (*oom_scenario)(gpc_context *context, oom_heap *heap, gpc_error *error);

void oom_heal(oom_heap *heap);

/* Tell the heap of a call that failed. Memory is there again after a few: the library tries more than once. */
void oom_told(oom_heap *heap);

/*
 * Run the scenario with the first allocation failing, then the second, and so on until a run ends without a failure.
 * Each allocation fails twice: alone, and with every later allocation. No run may leave a block behind. A failing run
 * returns GPC_ERROR_MEMORY with a message. Persistent failure must fail. After a single failure the library may also
 * try again and succeed; the scenario must distinguish success from a loss. `least` is the smallest number of failures.
 */
void oom_check(oom_scenario scenario, size_t least);

#endif
