/* SPDX-License-Identifier: BSD-2-Clause */
#include "oom/heap.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool fails(oom_heap *heap) {
    size_t call = ++heap->calls;
    bool failed = heap->fail_at && (heap->persistent ? call >= heap->fail_at : call == heap->fail_at);
    heap->failures += failed;
    return failed;
}

static void *heap_allocate(void *user_data, size_t bytes) {
    oom_heap *heap = user_data;
    void *memory = fails(heap) ? NULL : malloc(bytes);
    heap->live += memory != NULL;
    return memory;
}

static void *heap_resize(void *user_data, void *memory, size_t bytes) {
    oom_heap *heap = user_data;
    void *larger = fails(heap) ? NULL : realloc(memory, bytes);
    heap->live += larger && !memory;
    return larger;
}

static void heap_release(void *user_data, void *memory) {
    oom_heap *heap = user_data;
    heap->live -= memory != NULL;
    free(memory);
}

gpc_context_options oom_options(oom_heap *heap) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = heap_allocate;
    options.resize = heap_resize;
    options.release = heap_release;
    options.allocator_data = heap;
    return options;
}

void oom_heal(oom_heap *heap) {
    heap->fail_at = 0;
}

void oom_told(oom_heap *heap) {
    if (++heap->told == 3)
        oom_heal(heap);
}

/* Run a scenario once; returns true after a failure. */
static bool run(oom_scenario scenario, size_t fail_at, bool persistent) {
    oom_heap heap = {.fail_at = fail_at, .persistent = persistent};
    gpc_context_options options = oom_options(&heap);
    gpc_context *context = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status = gpc_context_create(&options, &context, &error);
    if (status == GPC_OK)
        status = scenario(context, &heap, &error);
    else
        cr_assert_null(context);
    gpc_context_destroy(context);

    cr_assert_eq(heap.live, 0, "allocation %zu fails: %zu blocks are left", fail_at, heap.live);
    bool may_fail = heap.failures > 0, may_succeed = !heap.failures || !persistent;
    cr_assert((status == GPC_OK && may_succeed) || (status == GPC_ERROR_MEMORY && may_fail),
              "allocation %zu fails%s: %s (%s)", fail_at, persistent ? " and all after it" : "",
              gpc_status_string(status), error.message);
    if (status == GPC_ERROR_MEMORY) {
        cr_assert_eq(error.status, GPC_ERROR_MEMORY, "allocation %zu fails: gpc_error has %d", fail_at, error.status);
        cr_assert(strlen(error.message) > 0);
    }
    return heap.failures > 0;
}

void oom_check(oom_scenario scenario, size_t least) {
    const size_t step = effort_wanted() < EFFORT_FULL ? 4 : 1;
    for (int persistent = 0; persistent <= 1; persistent++) {
        size_t n = 1;
        while (run(scenario, n, persistent))
            n += step;
        cr_assert_geq(n - 1, least, "only %zu allocations were met", n - 1);
    }
}
