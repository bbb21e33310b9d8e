/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sm/together.h"

#include "hierarchy/objects.h"
#include "level/rules/observer.h"
#include "replay/blocks/clusters.h"
#include "replay/core/timed_replay.h"
#include "replay/sm/icache.h"

#include <inttypes.h>
#include <string.h>

/* Concurrent kernels of several streams: order of launches, end of kernels, and statistics. */

/* Kernels */

/* Read the stream's next kernel. At the end of the trace, the state becomes GPCI_STREAM_OVER. */
static gpc_status next_kernel(gpci_stream_run *stream, gpc_error *error) {
    gpc_status status;
    do {
        stream->kernel = (gpc_kernel)GPC_KERNEL_INIT;
        status = gpc_trace_next_kernel(stream->trace, &stream->kernel, error);
    } while (status == GPC_OK && stream->select && stream->kernel.stream != stream->id);
    stream->state = status == GPC_OK ? GPCI_STREAM_WAITS : GPCI_STREAM_OVER;
    return status == GPC_END ? GPC_OK : status;
}

/* True if the kernel of `left` launches first. If kernels of two traces have equal indices, the first stream does. */
static bool launches_before(const gpci_stream_run *left, const gpci_stream_run *right) {
    return left->kernel.index < right->kernel.index || (left->kernel.index == right->kernel.index && left < right);
}

/*
 * True if the stream's kernel may be queued. Rules N1 and N2 (gpucache/ext/replay.h): kernels of a process's default
 * stream (null_stream) stay in launch order with kernels of the process's other streams.
 */
static bool may_queue(const gpci_together *together, const gpci_stream_run *stream) {
    bool may = true;
    for (uint32_t i = 0; i < together->count; i++) {
        const gpci_stream_run *other = &together->each[i];
        if (other != stream && other->state != GPCI_STREAM_OVER && other->process == stream->process &&
            (stream->null_stream || other->null_stream))
            may &= launches_before(stream, other);
    }
    return may;
}

/* Stream with the next kernel to queue; NULL: no kernel may be queued. */
static gpci_stream_run *first_to_queue(const gpci_together *together) {
    gpci_stream_run *found = NULL;
    for (uint32_t i = 0; i < together->count; i++) {
        gpci_stream_run *stream = &together->each[i];
        if (stream->state == GPCI_STREAM_WAITS && may_queue(together, stream) &&
            (!found || (stream->select && found->select && stream->kernel.index < found->kernel.index)))
            found = stream;
    }
    return found;
}

static gpc_status find_launch(gpc_replay *replay, const gpci_stream_run *stream, gpc_launch *launch, gpc_error *error) {
    const gpc_kernel before = replay->kernel;
    replay->kernel = stream->kernel;
    gpc_status status = gpci_clusters_refuse(replay, error);
    if (status == GPC_OK)
        status = gpci_replay_launch(replay, launch, error);
    replay->kernel = before;
    return status;
}

static gpc_status queue(gpc_replay *replay, gpci_stream_run *stream_run, gpc_error *error) {
    gpci_together *together = replay->together;
    gpc_hierarchy *hierarchy = replay->hierarchy;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_error detail = GPC_ERROR_INIT;
    const uint32_t stream = (uint32_t)(stream_run - together->each);
    const uint64_t limit = gpci_config_number(replay->config, GPCI_KEY_SM_BLOCK_LIMIT);
    gpc_status status = find_launch(replay, stream_run, &launch, error);
    if (status < 0)
        return status;
    status = gpci_launch_l1_share(hierarchy, &launch, &stream_run->share, &detail);
    if (status < 0)
        return gpci_fail(error, status, "%s: %s", stream_run->kernel.file, detail.message);
    status = gpci_replay_copies(replay, stream_run->trace, stream_run->process, error);
    if (status < 0)
        return status;
    stream_run->needs = gpci_launch_needs(hierarchy, &launch);
    stream_run->occupancy = gpc_hierarchy_occupancy(hierarchy, &launch);
    stream_run->occupancy = limit && stream_run->occupancy > limit ? (uint32_t)limit : stream_run->occupancy;
    gpci_kernels_begin(hierarchy, stream, &launch, &stream_run->share);
    stream_run->number = hierarchy->kernel;
    stream_run->launched = stream_run->started = gpci_replay_now(replay);
    if (replay->timed)
        gpci_icaches_begin(replay->timed, &stream_run->kernel, stream, stream_run->process);
    stream_run->first_start = replay->timed ? stream_run->launched + 1 + replay->timed->launch_cycles : 0;
    stream_run->next_sm = 0;
    stream_run->done = stream_run->issued = stream_run->threads = 0;
    gpci_stats_init(&stream_run->before);
    if (hierarchy->of_stream)
        gpci_hierarchy_add_stream(hierarchy, stream, &stream_run->before);
    stream_run->state = GPCI_STREAM_QUEUED;
    stream_run->order = together->queued++;
    together->stirred = true;
    return gpci_together_read(replay, stream_run, error);
}

static bool has_ended(const gpc_replay *replay, const gpci_stream_run *stream) {
    const gpci_together *together = replay->together;
    uint64_t under_way = 0;
    if (stream->state != GPCI_STREAM_PLACED || stream->resident)
        return false;
    for (uint32_t sm = 0; replay->timed && sm < replay->sm_count; sm++)
        under_way += together->under_way[(size_t)sm * together->stride + (size_t)(stream - together->each)];
    return !under_way;
}

/* Counters of a kernel's result that are computed here; the other counters of the result are counted by stream. */
static const size_t by_kernel[] = {offsetof(gpc_stats, kernels), offsetof(gpc_stats, blocks),
                                   offsetof(gpc_stats, warp_instructions), offsetof(gpc_stats, thread_instructions),
                                   offsetof(gpc_stats, cycles)};

static bool is_counted(const gpc_hierarchy *hierarchy, const gpci_counter_row *info) {
    bool counted = hierarchy->of_stream && info->objects >> GPC_OBJECT_STREAM & 1;
    for (size_t i = 0; i < sizeof by_kernel / sizeof *by_kernel; i++)
        counted |= info->offset == by_kernel[i];
    return counted;
}

static void get_stats(const gpc_replay *replay, const gpci_stream_run *stream, gpc_stats *stats) {
    size_t rows;
    const gpci_counter_row *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    gpci_stats_init(stats);
    if (replay->hierarchy->of_stream)
        gpci_hierarchy_add_stream(replay->hierarchy, (uint32_t)(stream - replay->together->each), stats);
    gpci_stats_subtract(stats, &stream->before);
    const uint64_t own[] = {1, stream->done, stream->issued, stream->threads,
                            gpci_replay_now(replay) - stream->launched};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        memcpy((char *)stats + by_kernel[i], &own[i], sizeof own[i]);
    gpci_hierarchy_forget(replay->hierarchy, true, stats);
    for (size_t i = 0; i < rows; i++)
        if (!info[i].ratio && !is_counted(replay->hierarchy, &info[i]))
            gpci_stats_forget(stats, &info[i]);
}

static void tell_host(const gpc_replay *replay, const gpci_stream_run *stream) {
    const gpci_together *together = replay->together;
    gpc_stats stats;
    const gpc_kernel_result result = {.struct_size = sizeof result,
                                      .kernel = &stream->kernel,
                                      .stats = &stats,
                                      .launched = stream->launched,
                                      .ended = gpci_replay_now(replay),
                                      .started = stream->started,
                                      .dispatched = stream->dispatched,
                                      .stream = (uint32_t)(stream - together->each),
                                      .process = stream->process};
    if (!together->on_kernel)
        return;
    get_stats(replay, stream, &stats);
    together->on_kernel(together->user_data, &result);
}

/*
 * Inform the policies of the kernel's L1s on SMs without blocks that the kernel has ended. Policies of other L1s are
 * informed when another kernel takes over the SM.
 */
static void end_on_sms(gpc_replay *replay, const gpci_stream_run *stream) {
    gpci_sm_use *sms = replay->together->sms;
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        if (sms[sm].owner == stream->number && !replay->sms[sm].residents) {
            sms[sm].owner = 0;
            gpci_kernels_tell(replay->hierarchy, sm, stream->number, GPC_KERNEL_END);
        }
}

static gpc_status end(gpc_replay *replay, gpci_stream_run *stream, gpc_error *error) {
    tell_host(replay, stream);
    end_on_sms(replay, stream);
    gpci_kernels_finish(replay->hierarchy, (uint32_t)(stream - replay->together->each));
    replay->together->stirred = true;
    return next_kernel(stream, error);
}

/* End finished kernels, and queue new kernels. `more`: receives true if a kernel was ended or queued. */
static gpc_status go_on(gpc_replay *replay, bool *more, gpc_error *error) {
    gpci_together *together = replay->together;
    gpc_status status = GPC_OK;
    *more = false;
    for (uint32_t i = 0; status == GPC_OK && i < together->count; i++)
        if (has_ended(replay, &together->each[i])) {
            *more = true;
            status = end(replay, &together->each[i], error);
        }
    for (gpci_stream_run *stream; status == GPC_OK && (stream = first_to_queue(together)) != NULL;) {
        *more = true;
        status = queue(replay, stream, error);
    }
    return status;
}

gpc_status gpci_together_fill(gpc_replay *replay, gpc_error *error) {
    gpc_status status;
    bool more, over = true;
    if (replay->lanes)
        gpci_round_lanes_fold(replay->lanes);
    do {
        status = go_on(replay, &more, error);
        if (status == GPC_OK)
            status = gpci_together_dispatch(replay, error);
    } while (status == GPC_OK && more);
    for (uint32_t i = 0; i < replay->together->count; i++)
        over &= replay->together->each[i].state == GPCI_STREAM_OVER;
    replay->ended = over;
    return status;
}

/* Whole replay */

static void destroy(gpc_replay *replay) {
    gpci_together *together = replay->together;
    gpc_context *context = replay->context;
    gpci_free(context, together->each);
    gpci_free(context, together->bitmaps);
    gpci_free(context, together->on_sms);
    gpci_free(context, together->sms);
    gpci_free(context, together->warps);
    gpci_free_lines(context, together->under_way);
    gpci_free(context, together);
    replay->together = NULL;
}

static void read_limits(const gpc_replay *replay, gpci_together *together) {
    const uint64_t limit = gpci_config_number(replay->config, GPCI_KEY_SM_BLOCK_LIMIT);
    together->slots = (uint32_t)gpci_config_number(replay->config, GPCI_KEY_SM_WARPS);
    together->most = (uint32_t)gpci_config_number(replay->config, GPCI_KEY_SM_BLOCKS);
    together->most = limit && limit < together->most ? (uint32_t)limit : together->most;
    together->registers = gpci_config_number(replay->config, GPCI_KEY_SM_REGISTERS);
    together->shared = gpci_config_number(replay->config, GPCI_KEY_SM_SHARED);
    together->unified = gpci_config_number(replay->config, GPCI_KEY_L1_UNIFIED) != 0;
    for (uint32_t n = 0; replay->timed && n < replay->timed->schedulers; n++)
        together->one_kernel |= gpci_scheduler_heeds_kernels(replay->timed->sms[0].issuers[n].scheduler);
}

static gpc_status create(gpc_replay *replay, size_t count, gpc_error *error) {
    gpci_together *together = gpci_zalloc(replay->context, 1, sizeof *together);
    if (!together)
        return gpci_out_of_memory(error);
    replay->together = together;
    together->count = (uint32_t)count;
    together->words = (replay->sm_count + 63) / 64;
    together->stride = (together->count + 15) / 16 * 16;
    read_limits(replay, together);
    together->warp_words = (together->slots + 63) / 64;
    together->each = gpci_zalloc(replay->context, count, sizeof *together->each);
    together->bitmaps = gpci_zalloc(replay->context, (count + 2) * together->words, sizeof *together->bitmaps);
    together->on_sms = gpci_zalloc(replay->context, count * replay->sm_count, sizeof *together->on_sms);
    together->sms = gpci_zalloc(replay->context, replay->sm_count, sizeof *together->sms);
    together->warps =
        gpci_zalloc(replay->context, (size_t)replay->sm_count * together->warp_words, sizeof *together->warps);
    together->under_way =
        gpci_zalloc_lines(replay->context, (size_t)replay->sm_count * together->stride, sizeof *together->under_way);
    if (!together->each || !together->bitmaps || !together->on_sms || !together->sms || !together->warps ||
        !together->under_way)
        return gpci_out_of_memory(error);
    together->taken = together->bitmaps + count * together->words;
    together->one = together->taken + together->words;
    return gpci_dispatch_occupancy(replay, together->most, error);
}

static gpc_status take_sms(const gpc_replay *replay, gpci_stream_run *stream, const gpc_replay_stream *from, size_t at,
                           gpc_error *error) {
    if (!from->sms != !from->sm_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_streams: streams[%zu]: sms is %s, but sm_count is %u",
                         at, from->sms ? "given" : "NULL", from->sm_count);
    for (uint32_t i = 0; i < (from->sms ? from->sm_count : replay->block_sms); i++) {
        const uint32_t sm = from->sms ? from->sms[i] : i;
        if (sm >= replay->block_sms)
            return gpci_fail(error, GPC_ERROR_RANGE,
                             "gpc_replay_streams: streams[%zu].sms[%u] is %u, but %u SMs run blocks", at, i, sm,
                             replay->block_sms);
        gpci_bit_set(stream->sms, sm);
    }
    return GPC_OK;
}

static gpc_status take_stream(const gpc_replay *replay, size_t at, const void *from, gpc_error *error) {
    gpci_together *together = replay->together;
    gpci_stream_run *stream_run = &together->each[at];
    gpc_replay_stream stream = GPC_REPLAY_STREAM_INIT;
    gpc_status status = gpci_take(&stream, sizeof stream, sizeof stream, from, "gpc_replay_stream", error);
    if (status < 0)
        return status;
    if (!stream.trace || stream.select > 1 || stream.null_stream > 1 ||
        (stream.process >= GPC_PROCESSES && stream.process != GPC_PROCESS_OWN))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_streams: streams[%zu].%s", at,
                         !stream.trace            ? "trace is NULL"
                         : stream.select > 1      ? "select is neither 0 nor 1"
                         : stream.null_stream > 1 ? "null_stream is neither 0 nor 1"
                                                  : "process is neither below 128 nor GPC_PROCESS_OWN");
    for (size_t i = 0; i < at; i++)
        if (together->each[i].trace == stream.trace)
            return gpci_fail(error, GPC_ERROR_STATE,
                             "gpc_replay_streams: streams[%zu] has the trace of streams[%zu]: each needs another, "
                             "opened for itself",
                             at, i);
    stream_run->trace = stream.trace;
    stream_run->priority = stream.priority;
    stream_run->select = stream.select;
    stream_run->null_stream = stream.null_stream;
    stream_run->process = stream.process;
    stream_run->id = stream.id;
    stream_run->sms = together->bitmaps + at * together->words;
    stream_run->on_sm = together->on_sms + at * replay->sm_count;
    return take_sms(replay, stream_run, &stream, at, error);
}

static bool is_used(const gpci_together *together, uint32_t process) {
    bool used = false;
    for (uint32_t i = 0; i < together->count; i++)
        used |= together->each[i].process == process;
    return used;
}

/*
 * Choose a process for a stream with process GPC_PROCESS_OWN. Such streams with `select` of the same trace share a
 * process. `named`: streams with a process given by the host.
 */
static gpc_status find_process(const gpci_together *together, gpci_stream_run *stream, const bool *named,
                               gpc_error *error) {
    uint32_t process = 0;
    for (const gpci_stream_run *other = together->each; stream->select && other < stream; other++)
        if (!named[other - together->each] && other->select && gpci_trace_is_same(other->trace, stream->trace)) {
            stream->process = other->process;
            return GPC_OK;
        }
    while (process < GPC_PROCESSES && is_used(together, process))
        process++;
    if (process == GPC_PROCESSES)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_replay_streams: streams[%zu] is of more than %d processes",
                         (size_t)(stream - together->each), GPC_PROCESSES);
    stream->process = (uint8_t)process;
    return GPC_OK;
}

/* Choose a process for every stream with process GPC_PROCESS_OWN. */
static gpc_status find_processes(const gpc_replay *replay, gpc_error *error) {
    gpci_together *together = replay->together;
    bool named[UINT8_MAX + 1];
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < together->count; i++)
        named[i] = together->each[i].process != GPC_PROCESS_OWN;
    for (uint32_t i = 0; i < together->count && status == GPC_OK; i++) {
        status = named[i] ? GPC_OK : find_process(together, &together->each[i], named, error);
        replay->hierarchy->processes |= status == GPC_OK && together->each[i].process;
    }
    return status;
}

static const char *unsupported(const gpc_replay *replay) {
    const gpc_config *config = replay->config;
    return replay->sampling                                          ? "sample takes kernels one after the other"
           : replay->recorded_order                                  ? "warps.order = recorded is of one kernel"
           : replay->future                                          ? "l1.future is known of one kernel at a time"
           : gpci_config_number(config, GPCI_KEY_LIMIT_INSTRUCTIONS) ? "limit.instructions is of one kernel"
           : gpci_config_number(config, GPCI_KEY_LIMIT_CYCLES)       ? "limit.cycles is of one kernel"
           : gpci_config_number(config, GPCI_KEY_KERNELS_FLUSH) == 2 ? "kernels.flush = all would empty L2 under others"
           : gpci_config_number(config, GPCI_KEY_BLOCKS_PLACEMENT) == 2 ? "blocks.placement = map is of kernels alone"
           : replay->hierarchy->observer                                ? "a profile counts one kernel at a time"
           : replay->pause_at != UINT64_MAX                             ? "gpc_replay_pause_at does not hold them"
                                                                        : NULL;
}

static gpc_status check(const gpc_replay *replay, size_t count, gpc_error *error) {
    if (replay->inside || replay->trace || replay->parked)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_replay_streams: %s",
                         replay->inside ? "from within a callback of the replay" : "a kernel is at hand");
    if (count > replay->hierarchy->streams)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_replay_streams: %zu streams, but streams = %u", count,
                         replay->hierarchy->streams);
    const char *what = unsupported(replay);
    return what ? gpci_fail(error, GPC_ERROR_UNSUPPORTED, "gpc_replay_streams: %s", what) : GPC_OK;
}

/* Begin the replay of concurrent kernels. Accesses in flight complete first; they belong to none of the kernels. */
static gpc_status begin(gpc_replay *replay, gpc_error *error) {
    gpc_status status = GPC_OK;
    replay->kernel = (gpc_kernel){.struct_size = sizeof replay->kernel, .name = "streams", .file = "streams"};
    replay->trace = replay->together->each[0].trace;
    for (uint32_t i = 0; status == GPC_OK && i < replay->together->count; i++)
        status = next_kernel(&replay->together->each[i], error);
    if (status == GPC_OK && gpc_hierarchy_in_flight(replay->hierarchy))
        status = gpc_hierarchy_drain(replay->hierarchy, error);
    if (status < 0)
        return status;
    gpci_replay_begin(replay);
    gpci_replay_stats(replay, &replay->before);
    if (replay->objects)
        gpci_replay_note_objects(replay);
    replay->by_map = replay->ended = false;
    replay->cluster_blocks = 1;
    replay->blocks_read = 0;
    replay->policies_vote = gpc_hierarchy_wants_samples(replay->hierarchy);
    if (replay->timed) {
        replay->timed->at_once = true;
        gpci_timed_begin(replay->timed);
    }
    return GPC_OK;
}

static void finish(gpc_replay *replay, gpc_status status, gpc_stats *stats) {
    gpc_stats after;
    gpci_together *together = replay->together;
    gpci_dispatch_abandon(replay);
    for (uint32_t i = 0; i < together->count; i++) {
        if (together->each[i].next)
            gpci_trace_release_packed(together->each[i].trace, together->each[i].next);
        if (replay->hierarchy->kernels->of_stream[i])
            gpci_kernels_finish(replay->hierarchy, i);
    }
    if (replay->last_pc >= replay->first_pc && !gpci_replay_reads_code(replay))
        gpci_launch_code(replay->hierarchy, replay->last_pc - replay->first_pc + 16);
    gpci_replay_count(replay);
    gpci_replay_stats(replay, &after);
    if (replay->timed) {
        replay->timed->at_once = false;
        if (status == GPC_OK)
            gpci_timed_last_sample(replay->timed, &after);
    }
    *stats = after;
    gpci_stats_subtract(stats, &replay->before);
    gpci_stats_add(&replay->total, stats);
}

static gpc_status run(gpc_replay *replay, gpc_stats *stats, gpc_error *error) {
    gpc_status status = begin(replay, error);
    if (status < 0)
        return status;
    status = replay->timed ? gpci_timed_run(replay->timed, error) : gpci_replay_rounds(replay, error);
    finish(replay, status, stats);
    return status;
}

gpc_status gpc_replay_streams(gpc_replay *replay, const gpc_replay_stream *streams, size_t count,
                              gpc_kernel_result_fn on_kernel, void *user_data, gpc_error *error) {
    if (!replay || !streams || !count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_streams: %s",
                         !replay    ? "replay is NULL"
                         : !streams ? "streams is NULL"
                                    : "count is 0");
    gpc_status status = check(replay, count, error);
    if (status == GPC_OK)
        status = gpci_kernels_create(replay->hierarchy, error);
    if (status == GPC_OK)
        status = create(replay, count, error);
    const char *from = (const char *)streams;
    for (size_t i = 0; status == GPC_OK && i < count; i++, from += streams->struct_size)
        status = take_stream(replay, i, from, error);
    if (status == GPC_OK)
        status = find_processes(replay, error);
    gpc_stats own;
    if (status == GPC_OK) {
        replay->together->on_kernel = on_kernel;
        replay->together->user_data = user_data;
        replay->inside = true;
        status = run(replay, &own, error);
        replay->inside = false;
        replay->trace = NULL;
    }
    if (replay->together)
        destroy(replay);
    if (status == GPC_OK) {
        replay->last = own;
        replay->has_last = true;
    }
    return status;
}
