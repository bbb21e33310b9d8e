/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "hierarchy/snapshot_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Snapshots: a hierarchy continued from a snapshot behaves as without. If a snapshot lacks a field, some of these
 * configurations notice.
 */

/* All policies of a kind, in every mode; returns the number checked. */
static unsigned check_policies(gpc_policy_kind kind, const char *form) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *names;
    unsigned made = 0;
    cr_assert_eq(gpc_context_create(NULL, &names, &error), GPC_OK);
    for (size_t i = 0; i < gpc_policy_count(names, kind); i++)
        for (int clock = 0; clock < 2; clock++) {
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            char settings[512];
            cr_assert_eq(gpc_policy_at(names, kind, i, &info, NULL), GPC_OK);
            snprintf(settings, sizeof settings, form, info.name, info.name);
            made += snapshot_check(settings, clock);
        }
    gpc_context_destroy(names);
    cr_expect_gt(2 * snapshot_saved_in_flight, snapshot_saved, "%u of %u with accesses in flight",
                 snapshot_saved_in_flight, snapshot_saved);
    return made;
}

/* opt and opt-bypass need to know the future. */
Test(hierarchy_snapshots, replacement) {
    cr_expect_gt(check_policies(GPC_POLICY_REPLACEMENT, "l1.replacement = %s\nl2.replacement = %s\n"), 40);
}

/* Predictors that read a profile need the file. */
Test(hierarchy_snapshots, predictors) {
    cr_expect_gt(check_policies(GPC_POLICY_PREDICTOR, "l1.bypass = %s\n"), 18);
}

/* Only with a clock. */
Test(hierarchy_snapshots, prefetchers) {
    cr_expect_gt(check_policies(GPC_POLICY_PREFETCHER, "l1.prefetcher = %s\nl2.prefetcher = %s\n"), 4);
}

Test(hierarchy_snapshots, protocols) {
    cr_expect_gt(check_policies(GPC_POLICY_PROTOCOL, "l1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\n"
                                                     "l1.write_policy_local = back\nl1.write_allocate = fetch\n"
                                                     "l1.write_allocate_local = fetch\nl2.inclusion = inclusive\n"
                                                     "l2.interleave_bytes = 128\ncoherence = %s\n"),
                 10);
}

#define COHERENT                                                                                                   \
    "l1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n"                       \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\nl2.interleave_bytes = " \
    "128\n"
/* The GPU of the rest, in two parts. */
#define GPUS "gpu.count = 2\nsm.count = 2\nl2.size = 8KiB\nl2.slices = 1\ndram.channels = 1\n"

/* Other parts of a hierarchy. */
Test(hierarchy_snapshots, configurations) {
    static const char *const settings[] = {
        "coherence = viper\nkernels.flush = l1\n",
        "l1.enabled = false\n",
        "l1.combine_lines = 8\nl1.combine_stores = buffer\n",
        "l1.data_banks = 1\nl1.data_bank_width = 128\nl1.tag_ports = 4\nl1.banks = 4\nl1.line_order = banks\n",
        "const.size = 1KiB\nconst.mshr_entries = 1\nconst.mshr_merges = 2\n",
        "const.size = 1KiB\nl15.size = 4KiB\nl15.sms = 2\nl15.mshr_entries = 1\nl15.queue = 1\nl15.miss_queue = 1\n",
        "gl1.size = 4KiB\ngl1.ways = 2\ngl1.sms = 2\ngl1.mshr_entries = 3\ngl1.mshr_merges = 2\ngl1.queue = 2\n"
        "gl1.miss_queue = 2\ncoherence = viper\nkernels.flush = l1\n",
        "l2.enabled = false\n",
        "l2.size = 4KiB\nl2.ways = 2\nmemory_cache.size = 8KiB\nmemory_cache.ways = 2\nmemory_cache.mshr_entries = 2\n",
        "l2.partitions = 2\nl2.link_buffer = 2\n",
        "l1.write_policy = back\nl1.write_allocate = lazy\nl2.write_allocate = lazy\nl2.inclusion = inclusive\n",
        "l1.ways = 16\nl2.size = 64KiB\nl2.ways = 128\nl1.track_reuse = true\nl1.track_warps = true\n",
        "l1.tokens = strict\nl2.tokens = strict\n",
        "l1.tokens = opportunistic\nl1.token_clear = owners\nl2.tokens = opportunistic\n",
        "l1.tokens = opportunistic\nl1.token_clear = last-owner\nl2.tokens = opportunistic\n"
        "l2.token_clear = periodic\nl2.token_period = 50\n",
        "l1.tokens = opportunistic\nl1.token_clear = periodic\nl1.token_period = 50\n",
        "lrc.sms = 2\nl1.reorder = warp\n",
        "l1.reorder = pc\nl1.reorder_drain = longest\nmemory.link_width = 32\nmemory.link_buffer = 2\n",
        "network.queues = virtual\nnetwork.input_buffer = 2\nnetwork.width = 8B\nclock.network = 700\nclock.dram = "
        "1300\n",
        "tlb.page = 4KiB\ntlb.l1_entries = 2\ntlb.l1_mshr_entries = 2\ntlb.l2_entries = 8\ntlb.l2_ways = 4\n"
        "tlb.l2_mshr_entries = 3\ntlb.walkers = 2\ntlb.walk_latency = 200\n",
        COHERENT "coherence = mesi\ntlb.page = 8KiB\ntlb.l1_entries = 1\ntlb.l2_entries = 0\n",
        "dram.model = fixed\ndram.fixed_latency = 200\nl2.atomic_cycles = 4\nl2.mshr_entries = 4\n"
        "l2.write_to_read = 90\n",
        COHERENT "coherence = nmoesi\ncluster.sms = 2\nmemory.link_width = 32\n",
        COHERENT "coherence = nmoesi\nl1.coalescer = multi2sim\ndram.model = fixed\ndram.fixed_latency = 90\n",
        COHERENT "coherence = mesi\nl1.tokens = opportunistic\nl1.replacement = srrip\nl1.bypass = random-p(p=0.2)\n",
        COHERENT "coherence = vi\nl2.partitions = 2\n",
        COHERENT "coherence = nmoesi\nstats.stages = true\n",
        COHERENT "coherence = vi\ncluster.sms = 2\nstats.stages = true\n",
        COHERENT GPUS "coherence = hmg\n",
        /* queues that are full when a snapshot is taken, and state of a cycle of a slower clock */
        "l1.allocate = replaceable\nl1.mshr_entries = 3\n",
        "l2.intake = queue\nl2.rop_latency = 100\nl2.queue = 4\n",
        "clock.l2 = 200\nl2.tag_ports = 4\nl2.banks = 4\nl2.size = 8KiB\nl2.slices = 1\n",
        "l2.partitions = 2\nl2.link_width = 1B\nl2.link_buffer = 1\nl2.mshr_entries = 1\nl2.miss_queue = 1\n",
        "l2.partitions = 2\nl2.mshr_entries = 1\nl2.miss_queue = 1\nl2.queue = 2\nl1.queue = 1\n",
        "l1.queue = 1\nl1.mshr_entries = 1\n",
        "l1.coalescer = sector\nl1.sectors = 4\nl1.size = 32KiB\nl1.tag_ports = 8\nl1.data_width = 64B\n",
        "l1.reorder = warp\nl1.miss_queue = 1\nl1.queue = 16\nnetwork.input_buffer = 1\nnetwork.width = 4B\n",
        "l2.write_to_read = 1000\nl2.size = 64KiB\nl2.slices = 1\n",
        "l1.collectors = 2\nl1.queue = 5\nl1.latency = 0\n",
        "l1.enabled = false\nl2.write_to_read = 2000\nl2.size = 64KiB\nl2.slices = 1\n",
        COHERENT "coherence = vi\nl2.partitions = 2\nl2.link_width = 1B\nl2.link_buffer = 1\n",
        /* prefetches that find no line */
        "l2.prefetcher = next-line\nl2.size = 4KiB\nl2.slices = 4\nl2.ways = 1\n",
    };
    unsigned made[2] = {0, 0};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int clock = 0; clock < 2; clock++)
            made[clock] += snapshot_check(settings[i], clock);
    cr_expect_eq(made[1], sizeof settings / sizeof *settings);
    cr_expect_eq(made[0], made[1] - 5); /* multi2sim, a buffer of stores, stages and prefetchers need a clock */
}

/* A kernel that leaves L1s a different share of a unified memory. */
static void check_launched(const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host a;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make(settings, false, &a, &error), GPC_OK, "%s", error.message);
    gpc_launch launch = GPC_LAUNCH_INIT;
    snapshot_drive(&a, 50);
    launch.threads = 128;
    launch.shared_bytes = 40 << 10;
    cr_assert_eq(gpc_hierarchy_begin_kernel(a.hierarchy, &launch, &error), GPC_OK, "%s", error.message);
    snapshot_drive(&a, 50);
    snapshot_bytes file = snapshot_save(&a);
    snapshot_host b = snapshot_load(&a, &file);
    snapshot_drive(&a, 100), snapshot_drive(&b, 100);
    snapshot_expect_same(&a, &b, settings);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_hierarchy_destroy(b.hierarchy);
    gpc_context_destroy(snapshot_context);
    free(file.data);
}

/* Policies changed since creation continue, too. */
Test(hierarchy_snapshots, other_policies) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host a;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make("", false, &a, &error), GPC_OK);
    snapshot_drive(&a, 100);
    cr_assert_eq(gpc_cache_set_replacement(gpc_hierarchy_cache(a.hierarchy, 1, 2), "drrip", &error), GPC_OK);
    cr_assert_eq(gpc_cache_set_predictor(gpc_hierarchy_cache(a.hierarchy, 1, 1), "random-p", &error), GPC_OK);
    snapshot_drive(&a, 100);
    snapshot_bytes file = snapshot_save(&a);
    snapshot_host b = snapshot_load(&a, &file);
    snapshot_drive(&a, 300), snapshot_drive(&b, 300);
    snapshot_expect_same(&a, &b, "other policies");
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_hierarchy_destroy(b.hierarchy);
    gpc_context_destroy(snapshot_context);
    free(file.data);
    check_launched("l1.size = 128KiB\nl1.unified = true\nl1.carveout = auto\nl1.carveouts = 0B 64KiB\n");
}

/* The host's memory: pending requests are also answered to the copy, with equal numbers. */
typedef struct pending {
    uint64_t ids[4096];
    unsigned first, count;
} pending;

typedef struct memory_host {
    snapshot_host at;
    pending pending;
} memory_host;

static bool on_memory(void *user_data, const gpc_memory_request *request) {
    pending *m = &((memory_host *)user_data)->pending;
    if (!request->write)
        m->ids[m->count++ % 4096] = request->id;
    return true;
}

static void on_complete_there(void *user_data, const gpc_completion *c) {
    snapshot_on_complete(&((memory_host *)user_data)->at, c);
}

static void attach_memory(memory_host *m) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = m;
    callbacks.on_complete = on_complete_there;
    callbacks.on_memory = on_memory;
    cr_assert_eq(gpc_hierarchy_set_callbacks(m->at.hierarchy, &callbacks, NULL), GPC_OK);
}

static void drive_memory(memory_host *m, unsigned steps) {
    for (unsigned i = 0; i < steps; i++) {
        snapshot_access_one(&m->at);
        if (m->pending.first < m->pending.count && snapshot_below(&m->at, 2))
            cr_assert_eq(gpc_hierarchy_memory_reply(m->at.hierarchy, m->pending.ids[m->pending.first++ % 4096], NULL),
                         GPC_OK);
    }
}

static void check_memory(const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    static memory_host a, b;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make(settings, true, &a.at, &error), GPC_OK, "%s", error.message);
    a.pending = (pending){.count = 0};
    attach_memory(&a);
    drive_memory(&a, 100);
    snapshot_bytes file = {NULL, 0, 0};
    for (unsigned i = 0; i < 100 || !a.pending.count; i++) { /* steps of a tree may be due in the reply's cycle */
        free(file.data);
        drive_memory(&a, 1);
        file = snapshot_save(&a.at);
    }
    b = a;
    b.at = snapshot_load(&a.at, &file);
    cr_assert_neq(gpc_hierarchy_in_flight(b.at.hierarchy), 0);
    cr_assert_eq(gpc_hierarchy_set_callbacks(b.at.hierarchy, NULL, NULL), GPC_ERROR_STATE);
    attach_memory(&b);
    drive_memory(&a, 300), drive_memory(&b, 300);
    snapshot_expect_same(&a.at, &b.at, "the host's memory");
    gpc_hierarchy_destroy(a.at.hierarchy);
    gpc_hierarchy_destroy(b.at.hierarchy);
    gpc_context_destroy(snapshot_context);
    free(file.data);
}

Test(hierarchy_snapshots, memory_of_the_host) {
    check_memory("");
    check_memory(COHERENT "coherence = slc-glc\n");
    check_memory(COHERENT "coherence = nmoesi\ncluster.sms = 2\nmemory.link_width = 32\n");
}

/* Refusals. */

static gpc_status load_damaged(snapshot_bytes *b, gpc_error *error) {
    gpc_hierarchy *none = (gpc_hierarchy *)b;
    b->at = 0;
    gpc_status status =
        gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_READ(snapshot_read_bytes, b), NULL, &none, error);
    cr_expect(status < 0 && none == (gpc_hierarchy *)b);
    return status;
}

Test(hierarchy_snapshots, damage) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host a;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make("", true, &a, &error), GPC_OK);
    snapshot_drive(&a, 50);
    snapshot_bytes file = snapshot_save(&a);
    const size_t size = file.size, step = size / effort_of_checks(2048) + 1;
    for (size_t at = 0; at < size; at += at < 128 ? 1 : step) {
        file.data[at] ^= (uint8_t)(1u << at % 8);
        gpc_status status = load_damaged(&file, &error);
        cr_expect(status == GPC_ERROR_FORMAT || status == GPC_ERROR_ABI || status == GPC_ERROR_STATE, "byte %zu", at);
        cr_expect(strstr(error.message, "offset "), "byte %zu: %s", at, error.message);
        file.data[at] ^= (uint8_t)(1u << at % 8);
        file.size = at;
        cr_expect_eq(load_damaged(&file, &error), GPC_ERROR_FORMAT, "cut at %zu", at);
        cr_expect(strstr(error.message, "offset "), "cut at %zu: %s", at, error.message);
        file.size = size;
    }
    snapshot_host b = snapshot_load(&a, &file);
    gpc_hierarchy_destroy(b.hierarchy);
    file.data[8]++; /* the format's version, not protected by the checksum alone */
    cr_expect_eq(load_damaged(&file, &error), GPC_ERROR_ABI);
    cr_expect_str_eq(error.message, "snapshot, offset 8: it is of another version of the format");
    file.data[8]--;
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_context_destroy(snapshot_context);
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.seed = 5;
    cr_assert_eq(gpc_context_create(&options, &snapshot_context, &error), GPC_OK);
    cr_expect_eq(load_damaged(&file, &error), GPC_ERROR_STATE);
    gpc_context_destroy(snapshot_context);
    free(file.data);
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

/*
 * A host's policy states the size of state, or the hierarchy is refused with the policy's name; in another's list, too.
 */
Test(hierarchy_snapshots, policy_of_the_host) {
    gpc_error error = GPC_ERROR_INIT;
    const gpc_replacement_ops ops = {.struct_size = sizeof ops, .name = "mine", .choose_victim = first_way};
    snapshot_host a;
    snapshot_bytes b = {NULL, 0, 0};
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(snapshot_context, &ops, NULL, NULL, &error), GPC_OK);
    cr_assert_eq(snapshot_make("l1.replacement = mine\n", false, &a, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_save(a.hierarchy, &(gpc_stream)GPC_STREAM_WRITE(snapshot_write_bytes, &b), &error),
                 GPC_ERROR_UNSUPPORTED);
    cr_expect_str_eq(error.message, "snapshot: 'mine' does not say what its state is (`state` is NULL)");
    cr_expect_eq(b.size, 0);
    snapshot_drive(&a, 10);
    gpc_hierarchy_destroy(a.hierarchy);
    cr_assert_eq(snapshot_make("l1.replacement = vote(lru, mine)\n", false, &a, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(gpc_hierarchy_copy(a.hierarchy, &a.hierarchy, &error), GPC_ERROR_UNSUPPORTED);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_context_destroy(snapshot_context);
}

/* No file holds an address: every block of this heap is in one stretch, searched for. */
static struct {
    _Alignas(64) char memory[96u << 20];
    size_t used;
} arena;

static void *arena_allocate(void *user_data, size_t size) {
    (void)user_data;
    const size_t at = arena.used + 64;
    if (size > sizeof arena.memory - at - 64)
        return NULL;
    memcpy(arena.memory + at - sizeof size, &size, sizeof size);
    arena.used = (at + size + 63) & ~(size_t)63;
    return arena.memory + at;
}

static void *arena_resize(void *user_data, void *memory, size_t size) {
    size_t had = 0;
    void *larger = arena_allocate(user_data, size);
    if (memory)
        memcpy(&had, (char *)memory - sizeof had, sizeof had);
    if (larger && memory)
        memcpy(larger, memory, had < size ? had : size);
    return larger;
}

static void arena_release(void *user_data, void *memory) {
    (void)user_data, (void)memory;
}

static void check_addresses(const char *settings, bool clock) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = arena_allocate;
    options.resize = arena_resize;
    options.release = arena_release;
    memset(&arena, 0, arena.used + sizeof arena - sizeof arena.memory);
    snapshot_host a;
    cr_assert_eq(gpc_context_create(&options, &snapshot_context, &error), GPC_OK);
    if (snapshot_make(settings, clock, &a, &error) == GPC_OK) {
        snapshot_drive(&a, 200);
        snapshot_bytes file = snapshot_save(&a);
        for (size_t at = 0; at + sizeof(uintptr_t) <= file.size; at += 4) {
            uintptr_t word;
            memcpy(&word, file.data + at, sizeof word);
            cr_expect(word - (uintptr_t)arena.memory >= sizeof arena.memory, "%s: an address at %zu", settings, at);
        }
        gpc_hierarchy_destroy(a.hierarchy);
        free(file.data);
    }
    gpc_context_destroy(snapshot_context);
}

Test(hierarchy_snapshots, addresses) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *names;
    cr_assert_eq(gpc_context_create(NULL, &names, &error), GPC_OK);
    for (size_t i = 0; i < gpc_policy_count(names, GPC_POLICY_REPLACEMENT); i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        char settings[256];
        cr_assert_eq(gpc_policy_at(names, GPC_POLICY_REPLACEMENT, i, &info, NULL), GPC_OK);
        snprintf(settings, sizeof settings, "l1.replacement = %s\nl1.bypass = random-p\n", info.name);
        check_addresses(settings, false);
    }
    check_addresses("l1.reorder = warp\nlrc.sms = 2\nmemory.link_width = 32\nl1.bypass = agcb\n", true);
    check_addresses("l1.bypass = vote(always-cache, random-p)\nl2.partitions = 2\n", true);
    check_addresses(COHERENT "coherence = nmoesi\ncluster.sms = 2\n", true);
    gpc_context_destroy(names);
}

/* While a kernel begins, dirty lines and lines of the kernel before leave. A snapshot in each of those cycles. */
static void check_begin(const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host a, b;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make(settings, true, &a, &error), GPC_OK, "%s: %s", settings, error.message);
    cr_assert_eq(snapshot_make(settings, true, &b, &error), GPC_OK);
    for (unsigned kernel = 0; kernel < 3; kernel++) {
        if (kernel)
            snapshot_drive(&a, 200), snapshot_drive(&b, 200);
        snapshot_finish(&a), snapshot_finish(&b);
        cr_assert_eq(gpc_hierarchy_begin_kernel(a.hierarchy, NULL, &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_hierarchy_begin_kernel(b.hierarchy, NULL, &error), GPC_OK, "%s", error.message);
        /* a fence needs a packet, but no room for values or stages */
        gpc_fence fence = GPC_FENCE_INIT;
        fence.order = GPC_ORDER_ACQ_REL, fence.scope = GPC_SCOPE_GPU;
        cr_assert_eq(gpc_hierarchy_try_fence(a.hierarchy, &fence, a.tokens++, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_try_fence(b.hierarchy, &fence, b.tokens++, NULL, NULL), GPC_OK);
        for (unsigned i = 0; i < 250; i++) {
            if (i % 16 == 3)
                snapshot_access_one(&a), snapshot_access_one(&b);
            cr_assert_eq(gpc_hierarchy_advance(a.hierarchy, 1, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_advance(b.hierarchy, 1, NULL), GPC_OK);
            snapshot_bytes file = snapshot_save(&b);
            const snapshot_host loaded = snapshot_load(&b, &file);
            const snapshot_bytes again = snapshot_save(&loaded);
            cr_assert(again.size == file.size && !memcmp(again.data, file.data, file.size), "%s: other bytes",
                      settings);
            gpc_hierarchy_destroy(b.hierarchy);
            b = loaded;
            snapshot_attach(&b);
            free(file.data), free(again.data);
        }
        snapshot_finish(&a), snapshot_finish(&b);
        snapshot_expect_same(&a, &b, settings);
    }
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_hierarchy_destroy(b.hierarchy);
    gpc_context_destroy(snapshot_context);
}

Test(hierarchy_snapshots, begin_of_a_kernel) {
    check_begin(COHERENT "coherence = nmoesi\nkernels.flush = l1\n");
    check_begin(COHERENT "coherence = nmoesi\nkernels.flush = all\ncluster.sms = 2\n");
    check_begin(COHERENT "coherence = mesi\ncoherence.data = true\n");
    check_begin(COHERENT "coherence = mesi\nstats.stages = true\n");
    check_begin(
        "stats.stages = true\ncoherence.data = true\nl1.write_policy = through\nl1.write_policy_local = through\n"
        "l1.write_allocate = none\nl1.write_allocate_local = none\n");
    check_begin(COHERENT "coherence = vi\nkernels.flush = l1\n");
    check_begin(COHERENT "coherence = slc-glc\nkernels.flush = all\nl2.partitions = 2\n");
    check_begin("kernels.flush = l1\nl1.write_policy = back\nl1.write_allocate = fetch\n");
}

Test(hierarchy_snapshots, files) {
    gpc_error error = GPC_ERROR_INIT;
    char path[] = "/tmp/gpucache-snapshot-XXXXXX";
    snapshot_host a;
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make("", true, &a, &error), GPC_OK);
    snapshot_drive(&a, 100);
    cr_assert_eq(gpc_hierarchy_save(a.hierarchy, &(gpc_stream)GPC_STREAM_FILE(path), &error), GPC_OK, "%s",
                 error.message);
    snapshot_host b = a;
    cr_assert_eq(gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_FILE(path), NULL, &b.hierarchy, &error),
                 GPC_OK, "%s", error.message);
    snapshot_attach(&b);
    snapshot_drive(&a, 100), snapshot_drive(&b, 100);
    snapshot_expect_same(&a, &b, "a file");
    gpc_hierarchy_destroy(b.hierarchy);
    cr_assert_eq(truncate(path, 100), 0);
    cr_expect_eq(gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_FILE(path), NULL, &b.hierarchy, &error),
                 GPC_ERROR_FORMAT);
    cr_expect(!strncmp(error.message, path, strlen(path)), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_save(a.hierarchy, &(gpc_stream)GPC_STREAM_FILE("/nowhere/at/all"), &error),
                 GPC_ERROR_IO);
    close(file);
    remove(path);
    cr_expect_eq(gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_FILE(path), NULL, &b.hierarchy, &error),
                 GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_hierarchy_save(NULL, &(gpc_stream)GPC_STREAM_FILE(path), &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_load(snapshot_context, NULL, NULL, &b.hierarchy, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_copy(a.hierarchy, NULL, &error), GPC_ERROR_ARGUMENT);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_context_destroy(snapshot_context);
}

/* Loads of many lines under way when saved: a loaded hierarchy has room for all packets that the lines lead to. */
Test(hierarchy_snapshots, room_for_what_is_under_way) {
    static const char *const settings[] = {"", "stats.stages = true\n", COHERENT "coherence = mesi\n",
                                           "coherence.data = true\nl1.write_policy = through\n"
                                           "l1.write_policy_local = through\nl1.write_allocate = none\n"
                                           "l1.write_allocate_local = none\n"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        gpc_error error = GPC_ERROR_INIT;
        char text[512];
        uint64_t addresses[32];
        snapshot_host a;
        snprintf(text, sizeof text, "%sl1.queue = unlimited\nl1.mshr_entries = unlimited\n", settings[i]);
        cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
        cr_assert_eq(snapshot_make(text, true, &a, &error), GPC_OK, "%s: %s", text, error.message);
        for (uint64_t load = 0; load < 32; load++) { /* as many packets as memory comes for at once */
            gpc_warp_access access = GPC_WARP_ACCESS_INIT;
            access.mask = UINT32_MAX, access.addresses = addresses, access.width = 4;
            for (uint64_t lane = 0; lane < 32; lane++)
                addresses[lane] = (load * 32 + lane) * 128;
            cr_assert_eq(gpc_hierarchy_try_issue(a.hierarchy, &access, a.tokens++, NULL, NULL), GPC_OK);
        }
        snapshot_bytes file = snapshot_save(&a);
        snapshot_host b = snapshot_load(&a, &file);
        snapshot_attach(&a), snapshot_attach(&b);
        snapshot_finish(&a), snapshot_finish(&b);
        snapshot_expect_same(&a, &b, text);
        gpc_hierarchy_destroy(a.hierarchy), gpc_hierarchy_destroy(b.hierarchy);
        free(file.data);
        gpc_context_destroy(snapshot_context);
    }
}

/* A kernel refused by gpc_hierarchy_start_kernel changes no byte of a snapshot. */
Test(hierarchy_snapshots, refused_kernels) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_kernel_options options = GPC_KERNEL_OPTIONS_INIT;
    uint32_t number;
    snapshot_host a;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make("streams = 2\n", true, &a, &error), GPC_OK, "%s", error.message);
    const snapshot_bytes before = snapshot_save(&a);
    options.stream = 2;
    cr_expect_eq(gpc_hierarchy_start_kernel(a.hierarchy, &options, &number, &error), GPC_ERROR_ARGUMENT);
    const snapshot_bytes after = snapshot_save(&a);
    cr_expect(before.size == after.size && !memcmp(before.data, after.data, before.size));
    gpc_hierarchy_destroy(a.hierarchy);
    free(before.data), free(after.data);
    gpc_context_destroy(snapshot_context);
}
