/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "effort.h"
#include "hierarchy/snapshot_rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A hierarchy replaced by the loaded snapshot in each cycle behaves as a hierarchy without snapshots. A field left out
 * of a list of state is lost in each cycle. The rows have machines where the fields matter (tests/mutation/state.py).
 */

enum { SMS = 4, IDS = 1024, KERNELS = 8, PATIENCE = 100000 };

/* Differences between rows. */
enum {
    MEMORY = 1,     /* the host's memory, sometimes refusing */
    CREDITS = 2,    /* limited replies */
    NARROW = 4,     /* few lines, for conflicts */
    RUSH = 8,       /* several operations in a cycle, for full queues */
    ORDERS = 16,    /* fences and ordered accesses in place of copies */
    KERNEL = 32,    /* gpc_hierarchy_begin_kernel now and then */
    STREAMS = 64,   /* kernels at once, by stream */
    CONTROLS = 128, /* fences that also write back or empty the whole L1 */
    WORDS = 256     /* few words of a line, for stores to bytes with loads in flight */
};

typedef struct row {
    const char *settings;
    unsigned does, cycles;
} row;

typedef struct cycles_host {
    snapshot_host at;
    const row *row;
    bool data;
    uint64_t ids[IDS];
    uint32_t first, count, kernels[KERNELS], kernel_count;
} cycles_host;

static void note(snapshot_host *at, uint64_t value) {
    at->trail = (at->trail ^ value) * 0x100000001b3u + 1;
}

static void on_complete(void *user_data, const gpc_completion *c) {
    snapshot_host *at = &((cycles_host *)user_data)->at;
    snapshot_on_complete(at, c);
    note(at, c->sm);
    for (uint32_t i = 0; i < c->stage_count; i++)
        note(at, c->stages[i]);
}

static void on_ready(void *user_data, uint32_t sm) {
    snapshot_host *at = &((cycles_host *)user_data)->at;
    note(at, 1000 + sm), note(at, gpc_hierarchy_now(at->hierarchy));
}

static bool on_memory(void *user_data, const gpc_memory_request *request) {
    cycles_host *host = user_data;
    note(&host->at, request->address), note(&host->at, gpc_hierarchy_now(host->at.hierarchy));
    note(&host->at, request->process);
    if (!snapshot_below(&host->at, 3))
        return false;
    if (!request->write)
        host->ids[host->count++ % IDS] = request->id;
    return true;
}

static void attach(cycles_host *host) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = host;
    callbacks.on_complete = on_complete;
    callbacks.on_ready = on_ready;
    callbacks.on_memory = host->row->does & MEMORY ? on_memory : NULL;
    cr_assert_eq(gpc_hierarchy_set_callbacks(host->at.hierarchy, &callbacks, NULL), GPC_OK);
}

/* Arguments of an access, kept for the call. */
typedef struct lanes {
    uint64_t addresses[32], bytes[32], compare[32];
    uint32_t sms[2];
} lanes;

static void make_copy(snapshot_host *at, gpc_warp_access *w, lanes *l) {
    w->copy = snapshot_below(at, 4) ? GPC_COPY_BULK : GPC_COPY_ASYNC;
    w->kind = w->copy == GPC_COPY_ASYNC || snapshot_below(at, 2) ? GPC_LOAD : GPC_STORE;
    if (w->copy == GPC_COPY_ASYNC)
        return;
    w->width = 64 * (1 + snapshot_below(at, 16));
    w->mask = 1;
    l->addresses[0] &= ~(uint64_t)127;
    l->sms[0] = w->sm, l->sms[1] = (w->sm + 1) % SMS;
    w->multicast = w->kind == GPC_LOAD && snapshot_below(at, 2) ? l->sms : NULL;
    w->multicast_count = w->multicast ? 2 : 0;
}

static void carry_values(snapshot_host *at, gpc_warp_access *w, lanes *l) {
    for (uint32_t i = 0; i < 32; i++)
        l->bytes[i] = snapshot_below(at, 1000), l->compare[i] = snapshot_below(at, 2) ? 0 : l->bytes[i];
    if (w->kind == GPC_LOAD || w->kind == GPC_PREFETCH || w->copy)
        return;
    w->bytes = (const uint8_t *)l->bytes;
    w->atomic = w->kind == GPC_STORE
                    ? GPC_OP_NONE
                    : (uint8_t)(snapshot_below(at, 3) ? snapshot_below(at, GPC_OP_COUNT) : GPC_OP_COMPARE_SWAP);
    w->compare = w->atomic == GPC_OP_COMPARE_SWAP ? (const uint8_t *)l->compare : NULL;
}

static void make_rest(const cycles_host *host, snapshot_host *at, gpc_warp_access *w) {
    w->sm = snapshot_below(at, SMS), w->warp = snapshot_below(at, 8), w->warp_age = w->warp, w->block = w->warp / 4;
    w->pc = 16 * snapshot_below(at, 12);
    w->stream = (uint8_t)(host->row->does & STREAMS ? snapshot_below(at, 2) : 0);
    w->process = (uint8_t)(host->row->does & STREAMS && !snapshot_below(at, 8));
    w->space = !w->pc && w->kind == GPC_LOAD ? GPC_SPACE_CONSTANT : GPC_SPACE_GLOBAL;
    if (!snapshot_below(at, host->row->does & ORDERS ? 2 : 6))
        w->hint = (uint8_t)snapshot_below(at, GPC_HINT_COUNT);
    if (!snapshot_below(at, 3))
        w->token = (uint8_t)snapshot_below(at, GPC_TOKEN_COUNT), w->token_l2 = (uint8_t)snapshot_below(at, 3);
    if (!snapshot_below(at, 4))
        w->priority = (uint8_t)snapshot_below(at, GPC_PRIORITY_COUNT);
    if (host->row->does & ORDERS && !snapshot_below(at, 3))
        w->order = (uint8_t)snapshot_below(at, GPC_ORDER_SC), w->scope = w->order ? GPC_SCOPE_GPU : 0;
}

/* An access of any kind; contradictory accesses are refused, with and without snapshots. */
static void access_one(cycles_host *host) {
    static const uint8_t kinds[] = {GPC_LOAD,  GPC_LOAD,   GPC_LOAD,      GPC_STORE,
                                    GPC_STORE, GPC_ATOMIC, GPC_REDUCTION, GPC_PREFETCH};
    static const uint32_t strides[] = {4, 4, 4, 8, 68, 128}, masks[] = {1, 3, 0xff, 0xffffffff};
    snapshot_host *at = &host->at;
    lanes l;
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    const uint32_t stride = strides[snapshot_below(at, 6)];
    const uint64_t from = 8 * (uint64_t)snapshot_below(at, host->row->does & WORDS    ? 4
                                                           : host->row->does & NARROW ? 96
                                                                                      : 4096);
    w.kind = kinds[snapshot_below(at, 8)];
    w.mask = masks[snapshot_below(at, 4)];
    w.width = w.kind == GPC_ATOMIC && snapshot_below(at, 2) ? 8 : 4;
    w.addresses = l.addresses;
    for (uint32_t i = 0; i < 32; i++)
        l.addresses[i] = (from + (uint64_t)i * stride) / w.width * w.width;
    make_rest(host, at, &w);
    if (!snapshot_below(at, 8))
        make_copy(at, &w, &l);
    if (host->data)
        carry_values(at, &w, &l);
    note(at, (uint64_t)gpc_hierarchy_try_issue(at->hierarchy, &w, at->tokens++, NULL, NULL));
}

static void transactions(snapshot_host *at, bool miss) {
    gpc_request requests[3] = {0};
    const uint32_t sm = snapshot_below(at, SMS), kind = snapshot_below(at, 4);
    for (uint32_t i = 0; i < 3; i++)
        requests[i] = (gpc_request){.address = (uint64_t)1 << (miss ? 32 : 12) | snapshot_below(at, 96) << 7,
                                    .sm = sm,
                                    .kind = kind ? GPC_LOAD : GPC_STORE,
                                    .space = miss ? GPC_SPACE_INSTRUCTION : GPC_SPACE_GLOBAL};
    note(at, (uint64_t)(miss ? gpc_hierarchy_try_miss(at->hierarchy, requests, at->tokens++, NULL, NULL)
                             : gpc_hierarchy_try_transactions(at->hierarchy, requests, 1 + snapshot_below(at, 3),
                                                              at->tokens++, NULL, NULL)));
}

static void fence(cycles_host *host) {
    snapshot_host *at = &host->at;
    gpc_fence f = GPC_FENCE_INIT;
    f.sm = snapshot_below(at, SMS), f.warp = snapshot_below(at, 8);
    f.order = (uint8_t)(GPC_ORDER_ACQUIRE + snapshot_below(at, 3));
    f.scope = (uint8_t)snapshot_below(at, GPC_SCOPE_COUNT);
    if (host->row->does & CONTROLS)
        f.control = snapshot_below(at, 4) ? GPC_CONTROL_WRITE_BACK_ALL : GPC_CONTROL_INVALIDATE_ALL;
    note(at, (uint64_t)gpc_hierarchy_try_fence(at->hierarchy, &f, at->tokens++, NULL, NULL));
}

static void port(snapshot_host *at) {
    gpc_port_request request = GPC_PORT_REQUEST_INIT;
    request.address = 64 * (uint64_t)snapshot_below(at, 512), request.bytes = 1 + snapshot_below(at, 700);
    request.port = snapshot_below(at, 2);
    request.kind = snapshot_below(at, 2) ? GPC_LOAD : GPC_STORE;
    note(at, (uint64_t)gpc_hierarchy_try_port(at->hierarchy, &request, at->tokens++, NULL));
}

/* Kernels at once, and the end of the oldest. */
static void kernels(cycles_host *host) {
    snapshot_host *at = &host->at;
    gpc_kernel_options options = GPC_KERNEL_OPTIONS_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    const uint32_t sms[] = {snapshot_below(at, 2), 2 + snapshot_below(at, 2)};
    launch.threads = 64, launch.shared_bytes = 512 * snapshot_below(at, 3);
    options.launch = &launch, options.sms = sms, options.sm_count = 1 + snapshot_below(at, 2);
    options.stream = snapshot_below(at, 2);
    if (snapshot_below(at, 2) && host->kernel_count < KERNELS) {
        const gpc_status status =
            gpc_hierarchy_start_kernel(at->hierarchy, &options, &host->kernels[host->kernel_count], NULL);
        host->kernel_count += status == GPC_OK;
        note(at, (uint64_t)status);
    } else if (host->kernel_count) {
        const gpc_status status = gpc_hierarchy_end_kernel(at->hierarchy, host->kernels[0], NULL);
        note(at, (uint64_t)status);
        if (status == GPC_OK)
            memmove(host->kernels, host->kernels + 1, --host->kernel_count * sizeof *host->kernels);
    }
}

/* Notes all counters of all objects. */
static void note_counters(snapshot_host *at, gpc_counter_table table) {
    for (size_t i = 0; i < gpc_counter_table_count(table); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_table_at(table, i, &info, NULL), GPC_OK);
        if (info.ratio || info.kind == GPC_COUNTER_HISTOGRAM)
            continue;
        for (unsigned kind = 0; kind < GPC_OBJECT_COUNT; kind++)
            for (uint32_t n = 0; info.objects >> kind & 1 && n < gpc_hierarchy_object_count(at->hierarchy, kind); n++) {
                uint64_t value = 0;
                if (gpc_hierarchy_read(at->hierarchy, kind, n, &info.id, 1, &value, 1, NULL) == GPC_OK)
                    note(at, value);
            }
    }
}

static void note_stages(void *user_data, const gpc_stage_row *s) {
    note(user_data, s->pc), note(user_data, s->accesses);
}

/* Notes transitions among all states of a protocol, and their origins. */
static void note_matrices(snapshot_host *at, const gpc_coherence *tree, uint32_t module) {
    const uint32_t states = GPC_LINE_COUNT + gpc_coherence_protocol(tree)->state_count;
    uint64_t transitions[GPC_MAX_STATES * GPC_MAX_STATES] = {0};
    uint32_t origins[GPC_MAX_STATES * GPC_MAX_STATES] = {0};
    cr_assert_eq(gpc_coherence_get_matrices(tree, module, states, transitions, origins, NULL), GPC_OK);
    for (uint32_t i = 0; i < states * states; i++)
        note(at, transitions[i]), note(at, origins[i]);
}

static void note_rest(snapshot_host *at) {
    (void)gpc_hierarchy_stages(at->hierarchy, note_stages, at, NULL);
    const gpc_coherence *tree = gpc_hierarchy_coherence(at->hierarchy);
    gpc_coherence_module module = {.struct_size = sizeof module};
    note_counters(at, GPC_TABLE_HIERARCHY), note_counters(at, GPC_TABLE_NETWORK);
    note_counters(at, GPC_TABLE_CACHE), note_counters(at, GPC_TABLE_COHERENCE);
    for (uint32_t i = 0; i < gpc_hierarchy_ports(at->hierarchy); i++) {
        gpc_port_stats stats = GPC_PORT_STATS_INIT;
        gpc_hierarchy_port_stats(at->hierarchy, i, &stats, NULL);
        for (size_t n = 0; n < sizeof stats; n++)
            note(at, ((const uint8_t *)&stats)[n]);
    }
    for (uint32_t i = 0; tree && gpc_coherence_get_module(tree, i, &module, NULL) == GPC_OK; i++) {
        measured_module stats;
        measured_clear(&stats);
        measure_module(tree, i, &stats);
        for (size_t n = 0; n < sizeof stats; n++)
            note(at, ((const uint8_t *)&stats)[n]);
        note_matrices(at, tree, i);
    }
}

static void tell(snapshot_host *at) {
    gpc_warp_event event = {
        .kind = snapshot_below(at, 3), .sm = snapshot_below(at, SMS), .warp = snapshot_below(at, 8)};
    gpc_sample samples[SMS];
    event.block = event.warp / 4;
    note(at, (uint64_t)gpc_hierarchy_warp_event(at->hierarchy, &event, NULL));
    for (unsigned sm = 0; sm < SMS; sm++) {
        samples[sm] = (gpc_sample)GPC_SAMPLE_INIT;
        samples[sm].cycle = samples[sm].cycles = 1000, samples[sm].active_cycles = 900;
        samples[sm].instructions = 100 + snapshot_below(at, 100);
    }
    note(at, (uint64_t)gpc_hierarchy_sample(at->hierarchy, samples, NULL));
    gpc_hierarchy_count_instructions(at->hierarchy, 1, 32, 0);
    if (snapshot_below(at, 8))
        return;
    note_rest(at); /* counts lost before a reset */
    gpc_hierarchy_reset_stats(at->hierarchy);
}

static void operate(cycles_host *host) {
    snapshot_host *at = &host->at;
    const uint32_t n = snapshot_below(at, 24);
    if (n < 14)
        access_one(host);
    else if (n < 16)
        transactions(at, n == 15);
    else if (n < (host->row->does & ORDERS ? 19u : 17u))
        fence(host);
    else if (n < 20)
        port(at);
    else if (n == 20 && host->row->does & CREDITS)
        note(at, (uint64_t)gpc_hierarchy_set_reply_credits(at->hierarchy, snapshot_below(at, SMS),
                                                           snapshot_below(at, 4), NULL));
    else if (n == 21 && host->row->does & STREAMS)
        kernels(host);
    else if (n == 22)
        tell(at);
}

static void memory(cycles_host *host) {
    gpc_hierarchy *h = host->at.hierarchy;
    if (host->first < host->count && snapshot_below(&host->at, 2))
        cr_assert_eq(gpc_hierarchy_memory_reply(h, host->ids[host->first++ % IDS], NULL), GPC_OK);
    if (!snapshot_below(&host->at, 4))
        note(&host->at, (uint64_t)gpc_hierarchy_memory_ready(h, snapshot_below(&host->at, 2), NULL));
}

/* Replace a hierarchy by its loaded snapshot. */
static void renew(cycles_host *host) {
    snapshot_bytes file = snapshot_save(&host->at);
    const snapshot_host loaded = snapshot_load(&host->at, &file);
    gpc_hierarchy_destroy(host->at.hierarchy);
    host->at = loaded;
    attach(host);
    free(file.data);
}

/* False: the hierarchy stands still. */
static bool finish(cycles_host *host) {
    gpc_hierarchy *h = host->at.hierarchy;
    gpc_error error = GPC_ERROR_INIT;
    for (uint32_t sm = 0; host->row->does & CREDITS && sm < SMS; sm++)
        cr_assert_eq(gpc_hierarchy_set_reply_credits(h, sm, GPC_UNLIMITED_CREDITS, NULL), GPC_OK);
    for (unsigned i = 0; host->row->does & MEMORY && i < PATIENCE && !gpc_hierarchy_is_idle(h); i++) {
        memory(host);
        cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
    }
    const gpc_status status = gpc_hierarchy_drain(h, NULL);
    note(&host->at, (uint64_t)status), note(&host->at, gpc_hierarchy_now(h));
    if (status == GPC_OK && gpc_hierarchy_coherence(h))
        cr_expect_eq(gpc_coherence_check(gpc_hierarchy_coherence(h), 0, 1 << 16, &error), GPC_OK, "%s", error.message);
    return status == GPC_OK;
}

static void set_window(snapshot_host *at) {
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    window.bytes = 8192, window.hit_ratio = 50, window.hit = GPC_EVICT_LAST, window.miss = GPC_EVICT_FIRST;
    cr_assert_eq(gpc_hierarchy_set_window(at->hierarchy, &window, NULL), GPC_OK);
}

static void begin_kernel(cycles_host *host) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert(finish(host));
    while (host->kernel_count)
        gpc_hierarchy_end_kernel(host->at.hierarchy, host->kernels[--host->kernel_count], NULL);
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 64, launch.shared_bytes = 512 * snapshot_below(&host->at, 3), launch.code_bytes = 1000;
    if (strstr(host->row->settings, "l2.persisting"))
        set_window(&host->at);
    for (unsigned i = 0; i < 6 && host->row->does & STREAMS; i++)
        kernels(host);
    if (!host->kernel_count)
        cr_assert_eq(gpc_hierarchy_begin_kernel(host->at.hierarchy, &launch, &error), GPC_OK, "%s", error.message);
}

/* `last`: the snapshot in the last cycle, with accesses in flight. False: the hierarchy stands still. */
static bool run(cycles_host *host, const row *r, bool renews, snapshot_bytes *last) {
    gpc_error error = GPC_ERROR_INIT;
    char text[1024];
    snprintf(text, sizeof text, "l1.latency = 4\nl1.queue = 4\nl2.latency = 8\nnetwork.latency = 2\n%s", r->settings);
    *host = (cycles_host){.row = r, .data = strstr(r->settings, "coherence.data = true")};
    cr_assert_eq(snapshot_make(text, true, &host->at, &error), GPC_OK, "%s: %s", r->settings, error.message);
    host->row = r;
    attach(host);
    for (unsigned cycle = 0; cycle < r->cycles; cycle++) {
        if (r->does & KERNEL && cycle % 150 == 149)
            begin_kernel(host);
        for (uint32_t i = 0; i < (r->does & RUSH ? 4 : 1); i++)
            if (snapshot_below(&host->at, 3))
                operate(host);
        if (r->does & MEMORY)
            memory(host);
        if (renews)
            renew(host);
        const gpc_status status = gpc_hierarchy_advance(host->at.hierarchy, 1, NULL);
        cr_assert(status == GPC_OK || strstr(r->settings, "deadlock.cycles"), "%s", r->settings);
        note(&host->at, (uint64_t)status);
    }
    *last = snapshot_save(&host->at);
    if (!finish(host))
        return false;
    note_rest(&host->at);
    return true;
}

#define COHERENT                                                                                                   \
    "l1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n"                       \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\nl2.interleave_bytes = " \
    "128\n"
/* The GPU of the rest, in two parts. */
#define GPUS "gpu.count = 2\nsm.count = 2\nl2.size = 8KiB\nl2.slices = 1\ndram.channels = 1\n"
#define VALUES                                                                            \
    "coherence.data = true\nl1.write_policy = through\nl1.write_policy_local = through\n" \
    "l1.write_allocate = none\nl1.write_allocate_local = none\n"

static const row rows[] = {
    {"", RUSH, 150},
    {"coherence = viper\nkernels.flush = l1\n", ORDERS | KERNEL, 300},
    {"l1.enabled = false\nl2.atomic_cycles = 8\n", RUSH, 150},
    {"l1.combine_lines = 8\nl1.combine_stores = buffer\n", NARROW | RUSH, 200},
    {"l1.size = 32KiB\nl1.data_banks = 1\nl1.data_bank_width = 128\nl1.tag_ports = 4\nl1.banks = 4\nl1.line_order = "
     "banks\nl1.latency = "
     "1\n",
     RUSH | NARROW, 200},
    {"l1.size = 32KiB\nl1.mshr_entries = 32\nconst.size = 1KiB\nconst.mshr_entries = 1\nconst.mshr_merges = 2\n",
     CREDITS | RUSH | NARROW, 300},
    {"const.size = 1KiB\nl15.size = 4KiB\nl15.sms = 2\nl15.mshr_entries = 1\nl15.queue = 1\nl15.miss_queue = 1\n", 0,
     200},
    {"gl1.size = 4KiB\ngl1.ways = 2\ngl1.sms = 2\ngl1.mshr_entries = 3\ngl1.mshr_merges = 2\ngl1.queue = 2\n"
     "gl1.miss_queue = 1\nnetwork.input_buffer = 1\ncoherence = viper\nkernels.flush = l1\n",
     ORDERS | KERNEL | RUSH, 300},
    {"l1.enabled = false\nl2.size = 4KiB\nl2.ways = 2\nmemory_cache.size = 8KiB\nmemory_cache.ways = 2\n"
     "memory_cache.mshr_entries = 2\nmemory_cache.queue = 1\nmemory_cache.miss_queue = 1\nmemory.link_width = 8B\n",
     RUSH, 300},
    {"l2.partitions = 2\nl2.link_width = 1B\nl2.link_buffer = 1\nl2.mshr_entries = 1\nl2.miss_queue = 1\n", RUSH, 300},
    {"l2.partitions = 2\nl2.mshr_entries = 1\nl2.miss_queue = 1\nl2.queue = 2\nl1.queue = 1\ndram.channels = 1\n",
     MEMORY | RUSH, 300},
    {"l1.write_policy = back\nl1.write_allocate = lazy\nl2.write_allocate = lazy\nl2.inclusion = inclusive\n",
     KERNEL | ORDERS, 300},
    {"l1.tokens = opportunistic\nl1.token_clear = last-owner\nl2.tokens = opportunistic\n"
     "l2.token_clear = periodic\nl2.token_period = 50\n",
     0, 150},
    {"lrc.sms = 2\nl1.reorder = warp\n", RUSH | NARROW | KERNEL, 320},
    {"l1.reorder = block\nl1.miss_queue = 1\nl1.queue = 16\nnetwork.input_buffer = 1\nnetwork.width = 4B\n", RUSH, 200},
    {"l1.reorder = pc\nl1.reorder_drain = longest\nmemory.link_width = 32\nmemory.link_buffer = 2\ndram.read_queue = "
     "4\n",
     RUSH, 150},
    {"network.queues = virtual\nnetwork.input_buffer = 2\nnetwork.width = 8B\nclock.network = 700\nclock.dram = 1300\n",
     RUSH, 150},
    {"tlb.page = 4KiB\ntlb.l1_entries = 2\ntlb.l1_mshr_entries = 2\ntlb.l2_entries = 8\ntlb.l2_ways = 4\n"
     "tlb.l2_mshr_entries = 3\ntlb.walkers = 2\ntlb.walk_latency = 200\n",
     0, 300},
    {"l2.intake = queue\nl2.rop_latency = 100\nl2.queue = 4\nl2.write_to_read = 90\n", RUSH, 200},
    {"clock.l2 = 200\nl2.tag_ports = 2\nl2.banks = 4\nl2.size = 8KiB\nl2.slices = 1\n", RUSH, 200},
    {"l1.coalescer = sector\nl1.sectors = 4\nl1.size = 32KiB\nl1.tag_ports = 8\nl1.data_width = 16B\n", RUSH | NARROW,
     400},
    {"l1.collectors = 2\nl1.queue = 5\nl1.latency = 0\n", RUSH, 150},
    {"ports = 2\n", RUSH, 200},
    {"ports = 2\nl2.partitions = 2\n", RUSH, 200},
    {"streams = 2\nl1.unified = true\nl1.size = 4KiB\nsm.shared = 2KiB\nl1.carveouts = 0B 1KiB 2KiB\n",
     STREAMS | KERNEL, 400},
    {"l1.release_width = 4B\nl1.mshr_free = drained\n", NARROW | RUSH, 200},
    {"l1.release_width = 4B\nl1.release_latency = 3\n", NARROW | RUSH, 200},
    {"l1.prefetcher = next-line\nl2.prefetcher = stride\n", 0, 200},
    {"stats.stages = true\nl1.mshr_entries = 2\n", RUSH, 150},
    {"dram.latency = 50\ndram.latency_at = request\n", RUSH, 200},
    {VALUES, NARROW | ORDERS, 200},
    {VALUES "coherence = viper\nkernels.flush = l1\ntlb.page = 4KiB\ntlb.l1_entries = 2\n", NARROW | ORDERS | RUSH,
     200},
    {COHERENT "coherence = mesi\ntlb.page = 8KiB\ntlb.l1_entries = 1\ntlb.l2_entries = 0\n", ORDERS, 200},
    {COHERENT "coherence = nmoesi\ncluster.sms = 2\ncluster.latency = 3\nmemory.link_width = 32\n", RUSH, 300},
    {COHERENT "coherence = nmoesi\nl1.coalescer = multi2sim\ndram.model = fixed\ndram.fixed_latency = 90\n", RUSH, 200},
    {COHERENT "coherence = mesi\nl1.tokens = opportunistic\nl1.replacement = srrip\nl1.bypass = random-p(p=0.2)\n",
     RUSH, 200},
    {COHERENT "coherence = vi\nl2.partitions = 2\nl2.link_width = 1B\nl2.link_buffer = 1\nl1.write_policy = back\n",
     RUSH, 300},
    {COHERENT "coherence = nmoesi\nstats.stages = true\n", RUSH | NARROW, 200},
    {COHERENT "coherence = vi\ncluster.sms = 2\nstats.stages = true\n", RUSH, 200},
    {COHERENT GPUS "coherence = hmg\ngpu.link_latency = 10\n", RUSH | ORDERS, 300},
    {COHERENT "coherence = nmoesi\ncoherence.data = true\n", RUSH | NARROW, 200},
    {COHERENT "coherence = nmoesi-d\nkernels.flush = l1\n", RUSH | KERNEL, 400},
    {COHERENT "coherence = slc-glc\n", RUSH | ORDERS | MEMORY, 300},
    {COHERENT "coherence = moesi\ncoherence.conflict = retry\n", RUSH | NARROW, 300},
    {COHERENT "coherence = vi\nl1.mshr_entries = 1\nl2.mshr_entries = 1\n", RUSH | ORDERS, 300},
    {"deadlock.cycles = 2\n", 0, 150},
    {"deadlock.cycles = 40\n", MEMORY, 200},
    {"l1.bypass = mrpb\nl1.miss_queue = 1\n", RUSH, 200},
    {"l1.write_policy = back\nl1.write_allocate = fetch\nl1.miss_queue = 1\n", RUSH | ORDERS, 300},
    {"lrc.sms = 2\ncoherence = viper\nkernels.flush = l1\n", RUSH | ORDERS | NARROW | KERNEL, 320},
    {"memory.link_width = 32\nmemory.link_buffer = 2\ndram.model = fixed\n", MEMORY | RUSH, 200},
    {"launch.code = true\nl1.unified = true\nl1.size = 4KiB\nsm.shared = 2KiB\nl1.carveouts = 0B 1KiB 2KiB\n"
     "l2.size = 8KiB\nl2.slices = 1\nl2.persisting = 2KiB\n",
     KERNEL | RUSH, 400},
    {"deadlock.cycles = 2\ndram.model = fixed\ndram.fixed_latency = 900\n", 0, 200},
    {"l1.write_policy = back\nl1.write_allocate = lazy\nl1.miss_queue = 1\nnetwork.width = 4B\n",
     ORDERS | NARROW | RUSH | CONTROLS, 300},
    {COHERENT "coherence = vi\nl1.write_policy = back\nl1.bypass = agcb\nl2.bypass = agcb-below\nl1.sectors = 4\n"
              "l2.sectors = 4\n",
     RUSH | NARROW | ORDERS, 300},
    {COHERENT "coherence = vi\nl1.write_policy = back\nl1.replacement = witness\nl1.bypass = witness\n"
              "l2.replacement = witness-below\nl1.sectors = 4\nl2.sectors = 4\nl1.track_reuse = true\n"
              "l1.track_warps = true\n",
     NARROW, 300},
    {COHERENT "coherence = mesi\nl1.sectors = 4\nl2.sectors = 4\nl1.latency = 0\nl2.latency = 0\nnetwork.latency = 0\n"
              "network.width = 2B\nl1.data_width = 32B\n",
     RUSH | NARROW, 300},
    {"streams = 2\nl1.replacement = witness\n", STREAMS | KERNEL, 300},
    {COHERENT GPUS "coherence = hmg\ngpu.link_latency = 10\nl2.size = 1KiB\n", RUSH, 250},
    {"l1.size = 32KiB\nl1.latency = 1\nl1.data_banks = 1\nl1.data_bank_width = 32\nl1.data_width = 32B\n",
     RUSH | NARROW, 300},
    {"l1.coalescer = sector\nl1.sectors = 4\nl1.size = 32KiB\nl1.tag_ports = 5\nl1.data_width = 128B\nl1.banks = 32\n",
     RUSH | WORDS, 400},
    {VALUES, RUSH | WORDS | ORDERS, 400},
    {COHERENT "coherence = mesi\nl2.mshr_entries = 2\nl2.partitions = 2\n", RUSH | NARROW, 300},
    {COHERENT "coherence = vi\nl1.allocate = on-fill\n", RUSH | ORDERS | NARROW, 200},
    {COHERENT GPUS "coherence = hmg\ngpu.link_latency = 10\nl1.queue = 16\n", RUSH | ORDERS | NARROW, 600},
    {COHERENT GPUS "coherence = nmoesi\n", RUSH | NARROW, 200},
    {COHERENT "coherence = mesi\nl1.sectors = 4\nl2.sectors = 4\nl1.bypass = witness\nl2.bypass = witness-below\n"
              "l2.inclusion = non-inclusive\nl2.size = 1KiB\n",
     RUSH | NARROW, 600},
    {"l2.write_to_read = 30\n", RUSH | NARROW, 300},
    {"l1.allocate = replaceable\n", RUSH | NARROW, 300},
    {"l1.sectors = 4\nl1.size = 32KiB\nl1.combine_lines = 8\n", RUSH | NARROW, 300},
    {"dram.latency = 50\ndram.latency_at = request\nclock.dram = 200\n", RUSH, 200},
    {"streams = 2\n", STREAMS | MEMORY, 200},
    {"l1.size = 32KiB\nl1.data_banks = 1\nl1.data_bank_width = 32\nl1.data_width = 32B\n", RUSH | NARROW, 300},
};

Test(hierarchy_snapshots, of_each_cycle) {
    static cycles_host a, b;
    snapshot_bytes files[2];
    gpc_error error = GPC_ERROR_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        if (EFFORT_SANITIZED && !effort_takes(i))
            continue;
        cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
        snapshot_register_witnesses(snapshot_context);
        const bool ended = run(&a, r, false, &files[0]);
        cr_assert_eq(run(&b, r, true, &files[1]), ended, "%s", r->settings);
        cr_assert(ended || strstr(r->settings, "deadlock.cycles"), "%s", r->settings);
        cr_assert_eq(a.at.trail, b.at.trail, "%s", r->settings);
        if (ended) {
            snapshot_expect_same(&a.at, &b.at, r->settings);
            snapshot_expect_same_bytes(&a.at, &b.at, r->settings);
            snapshot_expect_equal(&files[0], &files[1], r->settings);
        }
        free(files[0].data), free(files[1].data);
        gpc_hierarchy_destroy(a.at.hierarchy), gpc_hierarchy_destroy(b.at.hierarchy);
        gpc_context_destroy(snapshot_context);
    }
}
