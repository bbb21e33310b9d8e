/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_OOM_HEAP_H
#define TESTS_OOM_HEAP_H

/* A heap that fails on demand, and the loop that fails every allocation of a scenario in turn. */

#include <gpucache/gpucache.h>

typedef struct oom_heap {
    size_t calls;    /* allocations and resizes so far */
    size_t fail_at;  /* number of the failing call, from 1; 0 = none */
    bool persistent; /* all later calls fail, too */
    size_t failures; /* number of failures */
    size_t live;     /* blocks not yet released */
} oom_heap;

/* Options whose hooks are this heap. */
gpc_context_options oom_options(oom_heap *heap);

/*
 * A scenario creates, uses and destroys objects of `context`, on every way out, and returns the first status other than
 * GPC_OK. It may call oom_heal to continue without failures and check that the object still works.
 */
typedef gpc_status (*oom_scenario)(gpc_context *context, oom_heap *heap, gpc_error *error);

void oom_heal(oom_heap *heap);

/*
 * Run the scenario with the first allocation failing, then the second, and so on until it ends without a failure; once
 * with a single failure, once with every later allocation failing too. No run may leave a block behind. A failing run
 * returns GPC_ERROR_MEMORY with a message. Persistent failure must fail; after a single one the library may also try
 * again and succeed, which the scenario must distinguish from a loss. `least` is the smallest number of failures.
 */
void oom_check(oom_scenario scenario, size_t least);

#endif
