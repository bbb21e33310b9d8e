/* SPDX-License-Identifier: BSD-2-Clause */
/* Hierarchies with a clock, and DRAM alone. */
#include "level/rules/hierarchy.h"
#include "measured.h"
#include "oom/heap.h"
#include "timed/core/shards.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char settings[] =
    "mode = timed\nsm.count = 2\nl1.size = 2KiB\nl1.mshr_entries = 4\nl2.size = 8KiB\n"
    "l2.slices = 2\nl2.partitions = 2\nl2.ways = 2\ndram.channels = 2\n"
    "memory.link_width = 32\nl1.queue = 4\nl1.reorder = block\nl1.reorder_queues = 3\n"
    "l1.bypass = mrpb(mshr=1, queue=1)\nl1.prefetcher = mta(throttle=off)\nl2.prefetcher = next-line\ntlb.page = 4KiB\n"
    "tlb.l1_entries = 2\nconst.size = 512B\nl15.size = 2KiB\n";

static unsigned completions;
static bool prefetches = true; /* a prefetcher's lines need memory in later cycles */

static void on_complete(void *user_data, const gpc_completion *completion) {
    (void)user_data, (void)completion;
    completions++;
}

/* An access without memory to store it was not accepted, and a cycle without memory was not begun: try again. */
static gpc_status issue(gpc_hierarchy *hierarchy, uint32_t i) {
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = (uint64_t)i * 37 * 4 + (uint64_t)lane * (i % 64) * 4;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.space = i % 5 ? GPC_SPACE_GLOBAL : GPC_SPACE_CONSTANT;
    access.sm = i % 2;
    access.mask = 0xffffffffu;
    access.addresses = addresses;
    access.width = 4;
    access.kind = (uint8_t)(i % GPC_KIND_COUNT);
    gpc_status status;
    while ((status = gpc_hierarchy_try_issue(hierarchy, &access, i, NULL, NULL)) == GPC_BUSY)
        if ((status = gpc_hierarchy_advance(hierarchy, 1, NULL)) < 0) {
            cr_assert(prefetches || gpc_hierarchy_threads(hierarchy) > 1, "one thread needs no memory to go on");
            break;
        }
    return status;
}

static gpc_status use(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    gpc_status first = GPC_OK;
    completions = 0;
    for (uint32_t i = 0; i < 128; i++) {
        gpc_status status = issue(hierarchy, i);
        if (status != GPC_OK) {
            cr_assert_eq(status, GPC_ERROR_MEMORY);
            first = status;
            oom_heal(heap);
            cr_assert_eq(issue(hierarchy, i), GPC_OK);
        }
    }
    gpc_status status = gpc_hierarchy_drain(hierarchy, error);
    if (status != GPC_OK) {
        cr_assert_eq(status, GPC_ERROR_MEMORY, "%s", error->message);
        cr_assert(prefetches || gpc_hierarchy_threads(hierarchy) > 1, "one thread needs no memory to go on");
        first = status;
        oom_heal(heap);
        status = gpc_hierarchy_drain(hierarchy, error);
    }
    cr_assert_eq(status, GPC_OK, "%s", error->message);
    cr_assert_eq(completions, 128);
    if (first != GPC_OK) { /* the call has no gpc_error */
        error->status = first;
        snprintf(error->message, sizeof error->message, "try_issue");
    }
    return first;
}

/* Hierarchy with a number of threads, on machines with any number of processors. */
static gpc_status create(gpc_context *context, const char *threads, bool stages, gpc_error *error,
                         gpc_hierarchy **out) {
    gpc_config *config = NULL;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, settings, "settings", error);
    if (status == GPC_OK)
        status = gpc_config_set(config, "threads", threads, error);
    if (status == GPC_OK && stages)
        status = gpc_config_set(config, "stats.stages", "true", error);
    if (status == GPC_OK && !prefetches)
        status = gpc_config_load_text(config, "l1.prefetcher = none\nl2.prefetcher = none\n", "prefetchers", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, out, error);
    cr_assert_eq(*out != NULL, status == GPC_OK);
    if (status == GPC_OK && strcmp(threads, "1")) {
        status = gpci_shards_test((*out)->timed, 0, error);
        if (status == GPC_OK)
            cr_assert_eq(gpc_hierarchy_threads(*out), 2);
    }
    gpc_config_destroy(config);
    return status;
}

static gpc_status run_threads(gpc_context *context, oom_heap *heap, const char *threads, bool stages,
                              gpc_error *error) {
    gpc_hierarchy *hierarchy = NULL;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.on_complete = on_complete;
    gpc_status status = create(context, threads, stages, error, &hierarchy);
    if (status == GPC_OK) {
        status = gpc_hierarchy_set_callbacks(hierarchy, &callbacks, NULL);
        if (status == GPC_OK) {
            status = use(hierarchy, heap, error);
        } else { /* likewise */
            error->status = status;
            snprintf(error->message, sizeof error->message, "set_callbacks");
        }
    }
    gpc_hierarchy_destroy(hierarchy);
    return status;
}

static gpc_status run(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_threads(context, heap, "1", false, error);
}

Test(oom, timed_hierarchy) {
    oom_check(run, 20);
}

static gpc_status run_two(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_threads(context, heap, "2", false, error);
}

Test(oom, timed_threads) {
    oom_check(run_two, 20);
}

static gpc_status run_stages(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_threads(context, heap, "1", true, error);
}

Test(oom, timed_stages) {
    oom_check(run_stages, 20);
}

/* Only calls that bring accesses need memory, without prefetchers and further threads. */
Test(oom, timed_without_prefetchers) {
    prefetches = false;
    oom_check(run, 20);
    oom_check(run_stages, 20);
}

/* Bytes of a snapshot. */
typedef struct saved {
    uint8_t bytes[1 << 20];
    size_t size;
} saved;

static gpc_status keep(void *user_data, const void *data, size_t size) {
    saved *s = user_data;
    cr_assert_leq(size, sizeof s->bytes - s->size);
    memcpy(s->bytes + s->size, data, size);
    s->size += size;
    return GPC_OK;
}

/* Copy while memory fails: the original does not change. */
static gpc_status copy_of(gpc_hierarchy *h, oom_heap *heap, size_t fail_at, gpc_error *error, gpc_hierarchy **copy) {
    static saved before, after;
    gpc_error ignored = GPC_ERROR_INIT;
    before.size = after.size = 0;
    cr_assert_eq(gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_WRITE(keep, &before), &ignored), GPC_OK, "%s",
                 ignored.message);
    heap->fail_at = fail_at ? heap->calls + fail_at : 0;
    const gpc_status status = gpc_hierarchy_copy(h, copy, error);
    cr_assert_eq(*copy != NULL, status == GPC_OK);
    oom_heal(heap);
    cr_assert_eq(gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_WRITE(keep, &after), &ignored), GPC_OK, "%s",
                 ignored.message);
    cr_assert(before.size == after.size && !memcmp(before.bytes, after.bytes, before.size), "changed");
    return status;
}

static gpc_status copied_functional(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL, *copy = NULL;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    const uint64_t address = 4096;
    const size_t fail_at = heap->fail_at ? heap->fail_at - heap->calls : 0; /* from here on */
    oom_heal(heap);
    cr_assert_eq(gpc_config_create(context, &config, error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, "l1.size = 1KiB\nl2.size = 12KiB\nsm.count = 2\n", "", error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(context, config, &hierarchy, error), GPC_OK, "%s", error->message);
    gpc_config_destroy(config);
    access.mask = 1, access.addresses = &address, access.width = 4, access.kind = GPC_STORE;
    cr_assert_eq(gpc_hierarchy_access(hierarchy, &access, NULL, NULL), GPC_OK);
    const gpc_status status = copy_of(hierarchy, heap, fail_at, error, &copy);
    gpc_hierarchy_destroy(copy);
    gpc_hierarchy_destroy(hierarchy);
    return status;
}

Test(oom, snapshot_functional) {
    oom_check(copied_functional, 20);
}

/* A copy with accesses in flight: complete, or absent; the original continues in every case. */
static gpc_status copied(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_hierarchy *hierarchy = NULL, *copy = NULL;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    const size_t fail_at = heap->fail_at ? heap->fail_at - heap->calls : 0; /* from here on */
    callbacks.on_complete = on_complete;
    oom_heal(heap);
    cr_assert_eq(create(context, "1", true, error, &hierarchy), GPC_OK);
    cr_assert_eq(gpc_hierarchy_set_callbacks(hierarchy, &callbacks, NULL), GPC_OK);
    for (uint32_t i = 0; i < 16; i++)
        cr_assert_eq(issue(hierarchy, i), GPC_OK);
    cr_assert_neq(gpc_hierarchy_in_flight(hierarchy), 0);
    const gpc_status status = copy_of(hierarchy, heap, fail_at, error, &copy);
    cr_assert_eq(gpc_hierarchy_drain(hierarchy, error), GPC_OK);
    if (copy)
        cr_assert_eq(gpc_hierarchy_drain(copy, error), GPC_OK);
    gpc_hierarchy_destroy(copy);
    gpc_hierarchy_destroy(hierarchy);
    return status;
}

Test(oom, snapshot) {
    oom_check(copied, 20);
}

/* Write lines that stay dirty in the L1s of both SMs. */
static void dirty_l1s(gpc_hierarchy *hierarchy) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    const bool timed = hierarchy->timed != NULL;
    for (uint32_t i = 0; i < 400; i++) {
        const uint64_t address = 4096 + i * 128;
        access.sm = i % 2, access.mask = 1, access.addresses = &address, access.width = 4, access.kind = GPC_STORE;
        cr_assert_eq(timed ? gpc_hierarchy_try_issue(hierarchy, &access, i, NULL, NULL)
                           : gpc_hierarchy_access(hierarchy, &access, NULL, NULL),
                     GPC_OK);
        cr_assert(!timed || gpc_hierarchy_drain(hierarchy, &error) == GPC_OK, "%s", error.message);
    }
}

/* Start a kernel while memory fails: without the kernel no line has left, and no byte of a snapshot differs. */
static gpc_status start_of(gpc_hierarchy *h, oom_heap *heap, size_t fail_at, gpc_error *error) {
    static saved before, after;
    gpc_error ignored = GPC_ERROR_INIT;
    uint32_t kernel = 0;
    gpc_kernel_options options = GPC_KERNEL_OPTIONS_INIT;
    before.size = after.size = 0;
    cr_assert_eq(gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_WRITE(keep, &before), &ignored), GPC_OK, "%s",
                 ignored.message);
    heap->fail_at = fail_at ? heap->calls + fail_at : 0;
    const gpc_status status = gpc_hierarchy_start_kernel(h, &options, &kernel, error);
    oom_heal(heap);
    cr_assert_eq(kernel != 0, status == GPC_OK);
    cr_assert_eq(gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_WRITE(keep, &after), &ignored), GPC_OK, "%s",
                 ignored.message);
    const bool same = before.size == after.size && !memcmp(before.bytes, after.bytes, before.size);
    cr_assert_eq(same, status != GPC_OK, "status %d", (int)status);
    if (status != GPC_OK)
        cr_assert_eq(gpc_hierarchy_start_kernel(h, &options, &kernel, &ignored), GPC_OK, "%s", ignored.message);
    return status;
}

/* A hierarchy on a heap that fails on demand, with settings of one or two texts (NULL: none). */
typedef struct machine {
    oom_heap heap;
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    gpc_error error;
} machine;

static void open_machine(machine *m, const char *base, const char *text) {
    *m = (machine){.error = GPC_ERROR_INIT};
    const gpc_context_options options = oom_options(&m->heap);
    cr_assert_eq(gpc_context_create(&options, &m->context, &m->error), GPC_OK);
    cr_assert_eq(gpc_config_create(m->context, &m->config, &m->error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(m->config, base, "base", &m->error), GPC_OK, "%s", m->error.message);
    cr_assert(!text || gpc_config_load_text(m->config, text, "settings", &m->error) == GPC_OK, "%s", m->error.message);
    cr_assert_eq(gpc_hierarchy_create(m->context, m->config, &m->hierarchy, &m->error), GPC_OK, "%s", m->error.message);
}

static void close_machine(machine *m) {
    gpc_hierarchy_destroy(m->hierarchy);
    gpc_config_destroy(m->config);
    gpc_context_destroy(m->context);
    cr_assert_eq(m->heap.live, 0);
}

/* Every allocation fails in turn. Returns the number of allocations. */
static size_t start_without_memory(const char *text) {
    gpc_status status = GPC_ERROR_MEMORY;
    size_t fail_at = 0;
    while (status == GPC_ERROR_MEMORY) {
        machine m;
        open_machine(&m, text, NULL);
        dirty_l1s(m.hierarchy);
        status = start_of(m.hierarchy, &m.heap, ++fail_at, &m.error);
        close_machine(&m);
    }
    cr_assert_eq(status, GPC_OK);
    return fail_at - 1;
}

#define KERNELS "sm.count = 2\nl1.size = 32KiB\nl2.size = 64KiB\nl1.write_policy = back\nl1.write_allocate = fetch\n"

Test(oom, kernels_at_once) {
    cr_expect_gt(start_without_memory(KERNELS "mode = functional\nkernels.flush = all\n"), 5);
    cr_expect_gt(start_without_memory(KERNELS "mode = timed\nkernels.flush = all\n"), 5);
    cr_expect_gt(start_without_memory(KERNELS "mode = timed\nkernels.flush = l1\n"), 6);
    cr_expect_gt(start_without_memory(KERNELS "mode = timed\nkernels.flush = l1\nstats.stages = true\n"), 6);
}

/*
 * Lines that begin without an issue: of bulk copies (0), one copy to several SMs (1), a fence (2), a port (3), an L1's
 * prefetcher (4), a slice's (5). A call that fails for lack of memory, made again, gives the run without failures.
 */
static const char *const starters[] = {
    "sm.count = 2\nsm.bulk_rate = 32\nl1.miss_queue = unlimited\n",
    "sm.count = 8\nsm.bulk_rate = 16\nl1.miss_queue = unlimited\n",
    "sm.count = 2\nl1.size = 64KiB\nl1.write_policy = back\nl1.write_allocate = fetch\nl1.tag_ports = 32\n"
    "l1.miss_queue = unlimited\nl2.latency = 400\n",
    "sm.count = 2\nports = 2\nport.lines = 2048\nport.latency = 1000\nport.width = 128\n",
    "l1.prefetcher = next-line(degree=32)\nl1.prefetch_queue = 1024\nl1.tag_ports = 64\nl1.mshr_entries = 1024\n"
    "l1.miss_queue = unlimited\nl1.size = 256KiB\nl1.ways = 64\n",
    "l2.prefetcher = next-line(degree=32)\nl2.prefetch_queue = 1024\nl2.tag_ports = 64\nl2.mshr_entries = 1024\n"
    "l2.miss_queue = unlimited\nl2.slices = 1\n",
};

static gpc_status begin(gpc_hierarchy *hierarchy, unsigned program) {
    static const uint32_t sms[] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint64_t address = 4096, addresses[32];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_fence fence = GPC_FENCE_INIT;
    gpc_port_request port = GPC_PORT_REQUEST_INIT;
    if (program == 3) {
        port.bytes = 64 << 10;
        port.kind = GPC_LOAD;
        return gpc_hierarchy_try_port(hierarchy, &port, 1, NULL);
    }
    if (program == 2) {
        fence.order = GPC_ORDER_SC;
        fence.scope = GPC_SCOPE_GPU;
        fence.control = GPC_CONTROL_WRITE_BACK_ALL;
        return gpc_hierarchy_try_fence(hierarchy, &fence, 1, NULL, NULL);
    }
    if (program > 3) {
        for (uint64_t i = 0; i < 32; i++)
            addresses[i] = i << 20;
        access.mask = UINT32_MAX, access.addresses = addresses, access.width = 4;
        return gpc_hierarchy_try_issue(hierarchy, &access, 1, NULL, NULL);
    }
    access.mask = 1, access.addresses = &address, access.width = 32 << 10, access.copy = GPC_COPY_BULK;
    access.multicast = program == 1 ? sms : NULL;
    access.multicast_count = program == 1 ? 8 : 0;
    return gpc_hierarchy_try_issue(hierarchy, &access, 1, NULL, NULL);
}

/* Make calls up to the end, with failures from the `fail_at`-th allocation on; a failed call is made again. */
static bool begin_again(unsigned program, size_t fail_at, measured_stats *out) {
    machine m;
    open_machine(&m, "mode = timed\nl2.size = 64KiB\n", starters[program]);
    if (program == 2)
        dirty_l1s(m.hierarchy);
    m.heap.fail_at = fail_at ? m.heap.calls + fail_at : 0, m.heap.persistent = true;
    for (gpc_status status; (status = begin(m.hierarchy, program)) != GPC_OK; oom_heal(&m.heap))
        cr_assert_eq(status, GPC_ERROR_MEMORY);
    for (gpc_status status; (status = gpc_hierarchy_drain(m.hierarchy, &m.error)) != GPC_OK; oom_heal(&m.heap))
        cr_assert_eq(status, GPC_ERROR_MEMORY, "%s", m.error.message);
    measured_clear(out);
    cr_assert_eq(measure_hierarchy(m.hierarchy, out), GPC_OK);
    const bool failed = m.heap.failures > 0;
    close_machine(&m);
    return failed;
}

Test(oom, timed_lines_begun_without_an_issue) {
    static measured_stats without, with;
    for (unsigned program = 0; program < sizeof starters / sizeof *starters; program++) {
        begin_again(program, 0, &without);
        size_t n = 1;
        for (; begin_again(program, n, &with); n++)
            cr_expect(!memcmp(&with, &without, sizeof with), "program %u, allocation %zu: %llu cycles, not %llu",
                      program, n, (unsigned long long)with.cycles, (unsigned long long)without.cycles);
        cr_expect_gt(n, 1, "program %u: no allocation", program);
    }
}

/* A trace of events: number of reports, and of calls of `destroy`. */
typedef struct watcher {
    unsigned events, destroyed;
} watcher;

static bool count_event(void *user_data, const gpc_event *event) {
    (void)event;
    ((watcher *)user_data)->events++;
    return true;
}

static void count_destroy(void *user_data) {
    ((watcher *)user_data)->destroyed++;
}

static gpc_status watch(gpc_hierarchy *hierarchy, watcher *w, gpc_error *error) {
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    options.on_event = count_event;
    options.user_data = w;
    options.destroy = count_destroy;
    return gpc_hierarchy_set_trace(hierarchy, &options, error);
}

/* A trace that cannot be set is destroyed; the earlier trace stays. */
static gpc_status watch_twice(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    watcher first = {0}, second = {0};
    gpc_status status = watch(hierarchy, &first, error);
    cr_assert_eq(first.destroyed, status != GPC_OK);
    if (status == GPC_OK)
        status = watch(hierarchy, &second, error);
    bool replaced = status == GPC_OK;
    cr_assert_eq(second.destroyed, !replaced && !first.destroyed);
    oom_heal(heap);
    bool kept = !replaced && !first.destroyed;
    cr_assert_eq(issue(hierarchy, 0), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(hierarchy, NULL), GPC_OK);
    cr_assert(kept == (first.events > 0) && replaced == (second.events > 0));
    cr_assert_eq(gpc_hierarchy_set_trace(hierarchy, NULL, NULL), GPC_OK);
    cr_assert_eq(first.destroyed + second.destroyed, kept || replaced ? 2 : 1);
    return status;
}

static gpc_status watched(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, settings, "settings", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &hierarchy, error);
    if (status == GPC_OK)
        status = watch_twice(hierarchy, heap, error);
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    return status;
}

Test(oom, trace_of_events) {
    oom_check(watched, 20);
}

static gpc_status only_dram(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_dram *dram = NULL;
    (void)heap;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_dram_create(context, config, &dram, error);
    cr_assert_eq(dram != NULL, status == GPC_OK);
    if (status == GPC_OK) {
        cr_assert_eq(gpc_dram_try_request(dram, 0, 0, false, 1, NULL), GPC_OK);
        cr_assert_eq(gpc_dram_advance(dram, 1000, NULL), GPC_OK);
    }
    gpc_dram_destroy(dram);
    gpc_config_destroy(config);
    return status;
}

Test(oom, dram) {
    oom_check(only_dram, 3);
}
