/* SPDX-License-Identifier: BSD-2-Clause */
#include "../measured.h"
#include "torture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Replays. The accesses of a case's program become traces, with a synthetic kernel beside them. A replay runs the
 * traces one after another, then as streams at once. A replay with pauses, snapshots and copies, and a replay with
 * threads, must tell the same as an undisturbed replay: statuses, statistics of kernels, time series, estimates.
 */

enum { MOST_TRACES = 3, MOST_PAUSES = 12, TRACE_LANES = 32, TRACE_BLOCKS = 6, TRACE_WARPS = 3, MOST_KERNELS = 100 };

typedef struct replay_run {
    gpc_context *context;
    const torture_case *c;
    torture_way how;
    const char *threads;
    unsigned fault;
    record *r;
    failure *f;
    gpc_replay *replay;
    char sources[MOST_TRACES][160];
    unsigned count; /* of sources */
    dice dice;      /* of pauses */
    unsigned pauses;
    uint64_t interval, samples;
} replay_run;

/* Traces. */

static void name_trace(char *name, size_t size, long process, unsigned n) {
    const char *folder = getenv("TMPDIR");
    snprintf(name, size, "%.100s/gpucache-torture-%ld-%u.gct", folder ? folder : "/tmp", process, n);
}

void remove_traces(long process) {
    char name[160];
    for (unsigned n = 0; n < MOST_TRACES; n++) {
        name_trace(name, sizeof name, process, n);
        unlink(name);
    }
}

static gpc_status write_kernel(gpc_trace_writer *writer, unsigned number, gpc_error *error) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    kernel.name = number % 2 ? "even" : "odd"; /* some launches are similar, for samples of kernels */
    kernel.file = "torture";
    kernel.id = number + 1, kernel.index = number;
    kernel.grid[0] = TRACE_BLOCKS, kernel.grid[1] = kernel.grid[2] = 1;
    kernel.block[0] = TRACE_WARPS * TRACE_LANES, kernel.block[1] = kernel.block[2] = 1;
    kernel.registers = 16, kernel.shared_bytes = number % 3 * 128;
    kernel.warp_lanes = TRACE_LANES;
    kernel.block_count = TRACE_BLOCKS;
    return gpc_trace_writer_kernel(writer, &kernel, error);
}

static gpc_status write_access(gpc_trace_writer *writer, const op *o, gpc_error *error) {
    gpc_trace_accesses accesses = GPC_TRACE_ACCESSES_INIT;
    uint64_t addresses[TRACE_LANES], mask = o->mask & UINT32_MAX;
    const uint32_t block = o->sm % TRACE_BLOCKS, warp = o->warp % TRACE_WARPS;
    const uint8_t kind = o->kind == GPC_PREFETCH ? GPC_LOAD : o->kind;
    mask += !mask;
    for (uint32_t lane = 0; lane < TRACE_LANES; lane++)
        addresses[lane] = o->address + lane * o->stride;
    accesses.count = 1;
    accesses.lanes = TRACE_LANES;
    accesses.width = 4;
    while (accesses.width < 16 && accesses.width < o->width)
        accesses.width *= 2;
    accesses.addresses = addresses, accesses.masks = &mask, accesses.pcs = &o->pc;
    accesses.blocks = &block, accesses.warps = &warp, accesses.kinds = &kind;
    return gpc_trace_writer_accesses(writer, &accesses, error);
}

/* Writes every `step`th operation from `first` on: a kernel ends after some accesses, or at an operation of kernels. */
static void write_trace(replay_run *at, const char *name, unsigned first, unsigned step) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace_writer *writer = NULL;
    unsigned kernels = 0, accesses = 0;
    gpc_status status = gpc_trace_writer_create(at->context, name, GPC_TRACE_BINARY, &writer, &error);
    if (status == GPC_OK)
        status = write_kernel(writer, kernels++, &error);
    for (unsigned n = first; n < at->c->op_count && status == GPC_OK; n += step) {
        const op *o = &at->c->ops[n];
        const bool ends = o->what == OP_BEGIN || o->what == OP_START || accesses == 24;
        if (ends && accesses && kernels < MOST_KERNELS)
            status = write_kernel(writer, kernels++, &error), accesses = 0;
        if (status == GPC_OK && o->what <= OP_MISS)
            status = write_access(writer, o, &error), accesses++;
    }
    if (status == GPC_OK)
        status = gpc_trace_writer_finish(writer, &error);
    gpc_trace_writer_destroy(writer);
    if (status != GPC_OK)
        fail(at->f, "trace written", "%s", error.message);
}

static void make_sources(replay_run *at) {
    static const char *const kernels[] = {
        "vectoradd:2KiB",
        "fastwalsh:2KiB",
        "histogram:2KiB:blocks=3",
        "bulk-copy:4KiB",
        "dsmem:16KiB:count=16",
        "multicast:8KiB",
        "stream:2KiB",
        "chase:4KiB",
        "gather:2KiB",
        "private-reuse:16KiB:repeats=2",
        "cppoverload:2KiB",
        "kmeans:2KiB:features=4",
        "transpose-tiled:4KiB",
        "accesses:4KiB:count=20",
        "maxpool:4KiB",
        "string-match:4KiB",
    };
    dice d = {at->c->seed * 2 + 0x3333333333u};
    const unsigned written = 1 + dice_below(&d, 2);
    for (; at->count < written; at->count++)
        name_trace(at->sources[at->count], sizeof *at->sources, (long)getpid(), at->count);
    if (dice_one_in(&d, 2))
        snprintf(at->sources[at->count++], sizeof *at->sources, "synthetic:%s",
                 kernels[dice_below(&d, sizeof kernels / sizeof *kernels)]);
    at->interval = 1 + dice_below(&d, 400);
    for (unsigned n = 0; n < written && at->how == WAY_REPLAY; n++)
        write_trace(at, at->sources[n], n, written);
}

static gpc_trace *open_trace(replay_run *at, unsigned n) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace = NULL;
    if (gpc_trace_open(at->context, at->sources[n], &trace, &error) != GPC_OK)
        fail(at->f, "trace", "%s: %s", at->sources[n], error.message);
    return trace;
}

/* Results of a replay. */

static void tell_bytes(record *r, const void *bytes, size_t size) {
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + i, sizeof word);
        record_tell(r, word);
    }
}

static void on_sample(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    replay_run *at = user_data;
    if (at->fault == FAULT_SAMPLE && at->how == WAY_PAUSED && ++at->samples == 2)
        return;
    record_tell(at->r, cycle);
    tell_bytes(at->r, stats, sizeof *stats);
}

static void on_kernel(void *user_data, const gpc_kernel_result *k) {
    replay_run *at = user_data;
    const uint64_t times[] = {k->launched, k->ended, k->started, k->dispatched, k->stream, k->process};
    measured_stats stats;
    tell_bytes(at->r, times, sizeof times);
    measure_sample(k->stats, &stats);
    tell_bytes(at->r, &stats, sizeof stats);
}

static void tell_estimates(replay_run *at) {
    gpc_sampling sampling = GPC_SAMPLING_INIT;
    if (gpc_replay_get_sampling(at->replay, GPC_SAMPLING_ALL, &sampling, NULL) != GPC_OK)
        return;
    tell_bytes(at->r, &sampling, sizeof sampling);
    for (size_t n = 0; n < gpc_counter_table_count(GPC_TABLE_HIERARCHY); n++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        gpc_estimate e = GPC_ESTIMATE_INIT;
        if (gpc_counter_table_at(GPC_TABLE_HIERARCHY, n, &info, NULL) == GPC_OK &&
            gpc_replay_estimate(at->replay, GPC_SAMPLING_ALL, info.id, &e, NULL) == GPC_OK)
            tell_bytes(at->r, &e, sizeof e);
    }
}

/* Counters of the last kernel by object. */
static void tell_objects(replay_run *at) {
    const gpc_hierarchy *h = gpc_replay_hierarchy(at->replay);
    for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        if (gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL) != GPC_OK || info.ratio ||
            info.kind == GPC_COUNTER_HISTOGRAM)
            continue;
        for (unsigned kind = GPC_OBJECT_SM; kind < GPC_OBJECT_COUNT; kind++)
            for (uint32_t n = 0; info.objects >> kind & 1 && n < gpc_hierarchy_object_count(h, (gpc_object)kind); n++) {
                uint64_t value = 0;
                gpc_replay_read(at->replay, (gpc_object)kind, n, &info.id, 1, &value, 1, NULL);
                record_tell(at->r, value);
            }
    }
}

/* Pauses. */

static void attach(replay_run *at) {
    if (gpc_replay_on_sample(at->replay, at->interval, on_sample, at, NULL) != GPC_OK)
        fail(at->f, "sample", "gpc_replay_on_sample fails");
}

static gpc_status save_and_load(replay_run *at, gpc_error *error, gpc_replay **out) {
    static const char *const threads[] = {NULL, NULL, "1", "2", "3"};
    snapshot_bytes first = {NULL, 0, 0, 0}, second = {NULL, 0, 0, 0};
    const char *wanted = threads[dice_below(&at->dice, 5)];
    gpc_status status = gpc_replay_save(at->replay, &(gpc_stream)GPC_STREAM_WRITE(write_bytes, &first), error);
    if (status == GPC_OK)
        status = gpc_replay_load(at->context, &(gpc_stream)GPC_STREAM_READ(read_bytes, &first),
                                 &(gpc_load_options){sizeof(gpc_load_options), wanted}, out, error);
    if (wanted && is_refusal(status)) { /* one thread has to do */
        first.at = 0, wanted = NULL;
        status = gpc_replay_load(at->context, &(gpc_stream)GPC_STREAM_READ(read_bytes, &first), NULL, out, error);
    }
    if (status == GPC_OK && !wanted) {
        status = gpc_replay_save(*out, &(gpc_stream)GPC_STREAM_WRITE(write_bytes, &second), error);
        if (status == GPC_OK && (first.size != second.size || memcmp(first.data, second.data, first.size) != 0))
            fail(at->f, "saved twice", "a snapshot of a loaded replay has %zu bytes, others than the %zu loaded",
                 second.size, first.size);
    }
    at->r->renewals += status == GPC_OK;
    free(first.data), free(second.data);
    return status;
}

/* Goes on with another replay in the place of a paused replay, and with the trace read anew. */
static void change_replay(replay_run *at, gpc_trace **trace) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_replay *other = NULL;
    gpc_status status =
        dice_one_in(&at->dice, 3) ? gpc_replay_copy(at->replay, &other, &error) : save_and_load(at, &error, &other);
    if (status == GPC_ERROR_UNSUPPORTED) /* a policy has no state */
        return;
    if (status == GPC_OK) {
        gpc_replay_destroy(at->replay);
        at->replay = other;
        gpc_trace_close(*trace);
        *trace = open_trace(at, 0);
        attach(at);
        status = *trace ? gpc_replay_resume(at->replay, *trace, &error) : GPC_OK;
    }
    if (status != GPC_OK)
        fail(at->f, "snapshot", "a paused replay, at %" PRIu64 ": %s", gpc_replay_now(at->replay), error.message);
}

/* Runs all kernels of a trace. Only the first trace can be read anew, because gpc_replay_resume knows one trace. */
static gpc_status run_trace(replay_run *at, unsigned n) {
    static const uint32_t steps[] = {2, 20, 200, 2000};
    const uint32_t step = steps[dice_below(&at->dice, 4)];
    gpc_trace *trace = open_trace(at, n);
    gpc_status status = GPC_OK;
    while (trace && !at->f->failed && (status == GPC_OK || status == GPC_BUSY)) {
        gpc_error error = GPC_ERROR_INIT;
        measured_stats stats;
        const bool pauses = at->how == WAY_PAUSED && at->pauses < MOST_PAUSES;
        measured_clear(&stats);
        gpc_replay_pause_at(at->replay,
                            pauses ? gpc_replay_now(at->replay) + 1 + dice_below(&at->dice, step) : UINT64_MAX, NULL);
        status = measure_kernel(at->replay, trace, NULL, &stats, &error);
        if (status == GPC_BUSY) {
            at->pauses++;
            if (n == 0 && !dice_one_in(&at->dice, 3))
                change_replay(at, &trace);
            continue;
        }
        record_tell(at->r, (uint64_t)status);
        if (status == GPC_OK)
            tell_bytes(at->r, &stats, sizeof stats);
        if (status == GPC_ERROR_STATE)
            fail(at->f, "hang", "a replay of %s: %.900s", at->sources[n], error.message);
    }
    gpc_trace_close(trace);
    return status;
}

static gpc_status run_streams(replay_run *at, uint64_t most) {
    gpc_replay_stream streams[MOST_TRACES];
    gpc_trace *traces[MOST_TRACES] = {NULL};
    gpc_error error = GPC_ERROR_INIT;
    measured_stats stats;
    const unsigned count = at->count < most ? at->count : (unsigned)most;
    measured_clear(&stats);
    for (unsigned n = 0; n < count; n++) {
        streams[n] = (gpc_replay_stream)GPC_REPLAY_STREAM_INIT;
        streams[n].trace = traces[n] = open_trace(at, n);
        streams[n].priority = at->c->seed % 5 == n ? -1 : 0;
        streams[n].process = at->c->seed % 3 ? GPC_PROCESS_OWN : 0;
        streams[n].null_stream = at->c->seed % 7 == n;
    }
    gpc_replay_pause_at(at->replay, UINT64_MAX, NULL);
    gpc_status status = measure_streams(at->replay, streams, count, on_kernel, at, &stats, &error);
    record_tell(at->r, (uint64_t)status);
    if (status == GPC_OK)
        tell_bytes(at->r, &stats, sizeof stats);
    if (status == GPC_ERROR_STATE)
        fail(at->f, "hang", "a replay of %u streams: %.900s", count, error.message);
    for (unsigned n = 0; n < count; n++)
        gpc_trace_close(traces[n]);
    return status;
}

static void run_all(replay_run *at, const gpc_config *config) {
    uint64_t streams = 1;
    measured_stats total;
    gpc_status status = GPC_OK;
    attach(at);
    gpc_replay_keep_objects(at->replay, at->c->seed % 3 == 0, NULL);
    for (unsigned n = 0; n < at->count && status >= 0 && !at->f->failed; n++)
        status = run_trace(at, n);
    if (status >= 0 && gpc_config_get_u64(config, "streams", &streams, NULL) == GPC_OK && !at->f->failed)
        status = run_streams(at, streams);
    if (at->f->failed)
        return;
    tell_estimates(at);
    if (at->c->seed % 3 == 0)
        tell_objects(at);
    measured_clear(&total);
    measure_total(at->replay, &total);
    tell_bytes(at->r, &total, sizeof total);
    at->r->end = gpc_replay_now(at->replay);
    record_read(gpc_replay_hierarchy(at->replay), at->r);
}

void run_replay(gpc_context *context, const torture_case *c, torture_way how, const char *threads, unsigned fault,
                record *r, failure *f) {
    replay_run *at = calloc(1, sizeof *at);
    gpc_error error = GPC_ERROR_INIT;
    if (!at)
        abort();
    *at = (replay_run){.context = context, .c = c, .how = how, .threads = threads, .fault = fault, .r = r, .f = f};
    at->dice.state = c->seed * 2 + 0x1111111111u;
    make_sources(at);
    gpc_config *config = case_config(context, c, threads, &error);
    gpc_status status = config ? gpc_replay_create(context, config, &at->replay, &error) : error.status;
    if (status == GPC_OK && !f->failed)
        run_all(at, config);
    else if (!is_refusal(status) || !*error.message)
        fail(f, "create", "gpc_replay_create returns %s: %.300s", gpc_status_string(status), error.message);
    gpc_replay_destroy(at->replay);
    gpc_config_destroy(config);
    free(at);
}
