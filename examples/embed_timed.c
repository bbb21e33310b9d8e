/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host simulator with a clock. Warps on the host's SMs load a stream; a load
 * waits for the previous load. The timed hierarchy reports the arrival of data:
 *   embed_timed [own-l1] [own-dram]
 * own-l1: the host has L1s without hits, and attaches the hierarchy below L1.
 * own-dram: the host's memory replaces DRAM.
 */
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SMS = 132, WARPS = 8, LOADS = 16, LANES = 32, LINE = 128, MEMORY_LATENCY = 2000, MEMORY_QUEUE = 4096 };

typedef struct host {
    gpc_hierarchy *memory;
    bool own_l1;
    bool stalled[SMS];         /* refused; waits for on_ready */
    bool waiting[SMS][WARPS];  /* for its load */
    uint32_t next[SMS][WARPS]; /* load of each warp */
    uint64_t completed, refused, latency;
    uint64_t ids[MEMORY_QUEUE], due[MEMORY_QUEUE], taken, replied; /* reads of the host's memory, in order */
} host;

/* The host chooses the token: the number of the warp. */
static void on_complete(void *user_data, const gpc_completion *completion) {
    host *h = user_data;
    h->waiting[completion->token / WARPS][completion->token % WARPS] = false;
    h->latency += completion->cycle - completion->issued;
    h->completed++;
}

static void on_ready(void *user_data, uint32_t sm) {
    ((host *)user_data)->stalled[sm] = false;
}

/* The host's memory answers each read after a fixed time. It may refuse: the transfer comes again after a reply. */
static bool on_memory(void *user_data, const gpc_memory_request *request) {
    host *h = user_data;
    if (request->write)
        return true;
    if (h->taken - h->replied == MEMORY_QUEUE)
        return false;
    h->ids[h->taken % MEMORY_QUEUE] = request->id;
    h->due[h->taken++ % MEMORY_QUEUE] = gpc_hierarchy_now(h->memory) + MEMORY_LATENCY;
    return true;
}

/* Offer a load of one line. */
static gpc_status offer(host *h, uint32_t sm, uint32_t warp, uint64_t line, gpc_error *error) {
    uint64_t token = sm * WARPS + warp, addresses[LANES];
    if (h->own_l1) { /* below L1 lines are asked for, not lanes */
        gpc_request miss = {.address = line, .sm = sm, .warp = warp, .kind = GPC_LOAD};
        return gpc_hierarchy_try_miss(h->memory, &miss, token, NULL, error);
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = line + lane * sizeof(float);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = sm;
    access.warp = warp;
    access.mask = 0xffffffff;
    access.addresses = addresses;
    access.width = sizeof(float);
    access.kind = GPC_LOAD;
    return gpc_hierarchy_try_issue(h->memory, &access, token, NULL, error);
}

/* Offer loads of an SM's warps until the first refusal. */
static gpc_status step_sm(host *h, uint32_t sm, gpc_error *error) {
    for (uint32_t warp = 0; warp < WARPS && !h->stalled[sm]; warp++) {
        if (h->waiting[sm][warp] || h->next[sm][warp] == LOADS)
            continue;
        uint64_t stream = (uint64_t)sm * WARPS + warp, line = 0x10000000 + (stream * LOADS + h->next[sm][warp]) * LINE;
        gpc_status status = offer(h, sm, warp, line, error);
        h->stalled[sm] = status == GPC_BUSY; /* ended by on_ready */
        h->refused += status == GPC_BUSY;
        if (status != GPC_OK)
            return status == GPC_BUSY ? GPC_OK : status;
        h->waiting[sm][warp] = true;
        h->next[sm][warp]++;
    }
    return GPC_OK;
}

/* Whether an SM has a load to offer in the next cycle. */
static bool busy(const host *h) {
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint32_t warp = 0; warp < WARPS && !h->stalled[sm]; warp++)
            if (!h->waiting[sm][warp] && h->next[sm][warp] < LOADS)
                return true;
    return false;
}

/* Clock of the host: cycle by cycle with work to do, else straight to the next event. */
static gpc_status simulate(host *h, gpc_error *error) {
    gpc_status status = GPC_OK;
    while (status == GPC_OK && h->completed < SMS * WARPS * LOADS) {
        for (uint32_t sm = 0; status == GPC_OK && sm < SMS; sm++)
            status = step_sm(h, sm, error);
        uint64_t now = gpc_hierarchy_now(h->memory), next = gpc_hierarchy_next_event(h->memory);
        if (h->taken > h->replied && h->due[h->replied % MEMORY_QUEUE] < next)
            next = h->due[h->replied % MEMORY_QUEUE];
        bool step = busy(h) || next <= now;
        if (!step && next == UINT64_MAX)
            return GPC_ERROR_STATE; /* stands still: no event is left */
        if (status == GPC_OK)
            status = gpc_hierarchy_advance(h->memory, step ? 1 : next - now, error);
        now = gpc_hierarchy_now(h->memory);
        while (status == GPC_OK && h->taken > h->replied && h->due[h->replied % MEMORY_QUEUE] <= now)
            status = gpc_hierarchy_memory_reply(h->memory, h->ids[h->replied++ % MEMORY_QUEUE], error);
    }
    return status;
}

/* Counters of the report. */
enum { L1_SECTORS, L2_SECTORS, DRAM_READS, COUNTERS };
static const uint32_t counter_ids[COUNTERS] = {
    [L1_SECTORS] = GPC_ID_l1_load_sectors, [L2_SECTORS] = GPC_ID_l2_read_sectors, [DRAM_READS] = GPC_ID_dram_reads};

static void report(const host *h, const uint64_t *counters) {
    printf("cycles %" PRIu64 "\nloads %" PRIu64 "\nrefused %" PRIu64 "\nlatency %.1f\n", gpc_hierarchy_now(h->memory),
           h->completed, h->refused, (double)h->latency / (double)h->completed);
    printf("l1_load_sectors %" PRIu64 "\nl2_read_sectors %" PRIu64 "\n", counters[L1_SECTORS], counters[L2_SECTORS]);
    printf("memory_reads %" PRIu64 "\n", h->taken);
    if (counters[DRAM_READS] != GPC_ABSENT) /* with a memory of the host's own there is no DRAM to count */
        printf("dram_bursts %" PRIu64 "\n", counters[DRAM_READS]);
}

int main(int argc, char **argv) {
    static host h; /* zero: no warp has loaded anything */
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_config *config = NULL;
    uint64_t counters[COUNTERS];
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = &h;
    callbacks.on_complete = on_complete;
    callbacks.on_ready = on_ready;
    for (int i = 1; i < argc; i++) {
        h.own_l1 |= !strcmp(argv[i], "own-l1");
        if (!strcmp(argv[i], "own-dram"))
            callbacks.on_memory = on_memory;
    }
    bool done = gpc_context_create(NULL, &context, &error) == GPC_OK &&
                gpc_config_create(context, &config, &error) == GPC_OK &&
                gpc_config_load_preset(config, "h100", &error) == GPC_OK &&
                gpc_config_set_pair(config, "mode=timed", &error) == GPC_OK &&
                gpc_hierarchy_create(context, config, &h.memory, &error) == GPC_OK &&
                gpc_hierarchy_set_callbacks(h.memory, &callbacks, &error) == GPC_OK &&
                gpc_hierarchy_begin_kernel(h.memory, NULL, &error) == GPC_OK && simulate(&h, &error) == GPC_OK &&
                gpc_hierarchy_drain(h.memory, &error) == GPC_OK &&
                gpc_hierarchy_read(h.memory, GPC_OBJECT_WHOLE, 0, counter_ids, COUNTERS, counters,
                                   sizeof counters / sizeof *counters, &error) == GPC_OK;
    if (done)
        report(&h, counters);
    else
        fprintf(stderr, "failed: %s\n", error.message);
    gpc_hierarchy_destroy(h.memory);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return done ? 0 : 1;
}
