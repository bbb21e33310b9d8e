/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sm/together.h"

#include "hierarchy/objects.h"
#include "level/rules/observer.h"
#include "replay/blocks/clusters.h"
#include "replay/core/timed_replay.h"
#include "replay/sm/icache.h"

#include <inttypes.h>
#include <string.h>

/* Kernels of several streams: launch order, end, and statistics. */

/* Kernels */

/* Read the stream's next kernel; at the end of the trace the stream is over. */
static gpc_status next_kernel(gpci_stream_run *k, gpc_error *error) {
    gpc_status status;
    do {
        k->kernel = (gpc_kernel)GPC_KERNEL_INIT;
        status = gpc_trace_next_kernel(k->trace, &k->kernel, error);
    } while (status == GPC_OK && k->select && k->kernel.stream != k->id);
    k->state = status == GPC_OK ? GPCI_STREAM_WAITS : GPCI_STREAM_OVER;
    return status == GPC_END ? GPC_OK : status;
}

/* Order of launches. Kernels of different traces may have equal positions: then the first stream launches first. */
static bool launches_before(const gpci_stream_run *a, const gpci_stream_run *b) {
    return a->kernel.index < b->kernel.index || (a->kernel.index == b->kernel.index && a < b);
}

/* Rules N1 and N2: launches of the default stream stay in order with launches of other streams of its process. */
static bool may_queue(const gpci_together *s, const gpci_stream_run *k) {
    bool may = true;
    for (uint32_t i = 0; i < s->count; i++) {
        const gpci_stream_run *other = &s->each[i];
        if (other != k && other->state != GPCI_STREAM_OVER && other->process == k->process &&
            (k->null_stream || other->null_stream))
            may &= launches_before(k, other);
    }
    return may;
}

/* First launched kernel ready for the queue, or NULL. */
static gpci_stream_run *first_to_queue(const gpci_together *s) {
    gpci_stream_run *found = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        gpci_stream_run *k = &s->each[i];
        if (k->state == GPCI_STREAM_WAITS && may_queue(s, k) &&
            (!found || (k->select && found->select && k->kernel.index < found->kernel.index)))
            found = k;
    }
    return found;
}

static gpc_status find_launch(gpc_replay *r, const gpci_stream_run *k, gpc_launch *launch, gpc_error *error) {
    const gpc_kernel before = r->kernel;
    r->kernel = k->kernel;
    gpc_status status = gpci_clusters_refuse(r, error);
    if (status == GPC_OK)
        status = gpci_replay_launch(r, launch, error);
    r->kernel = before;
    return status;
}

static gpc_status queue(gpc_replay *r, gpci_stream_run *k, gpc_error *error) {
    gpci_together *s = r->together;
    gpc_hierarchy *h = r->hierarchy;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_error detail = GPC_ERROR_INIT;
    const uint32_t stream = (uint32_t)(k - s->each);
    const uint64_t limit = gpci_config_number(r->config, GPCI_KEY_SM_BLOCK_LIMIT);
    gpc_status status = find_launch(r, k, &launch, error);
    if (status < 0)
        return status;
    status = gpci_launch_l1_share(h, &launch, &k->share, &detail);
    if (status < 0)
        return gpci_fail(error, status, "%s: %s", k->kernel.file, detail.message);
    status = gpci_replay_copies(r, k->trace, k->process, error);
    if (status < 0)
        return status;
    k->needs = gpci_launch_needs(h, &launch);
    k->room = gpc_hierarchy_occupancy(h, &launch);
    k->room = limit && k->room > limit ? (uint32_t)limit : k->room;
    gpci_kernels_begin(h, stream, &launch, &k->share);
    k->number = h->kernel;
    k->launched = k->started = gpci_replay_now(r);
    if (r->timed)
        gpci_icaches_begin(r->timed, &k->kernel, stream, k->process);
    k->first_start = r->timed ? k->launched + 1 + r->timed->launch_cycles : 0;
    k->next_sm = 0;
    k->done = k->issued = k->threads = 0;
    gpc_stats_init(&k->before);
    if (h->of_stream)
        gpci_hierarchy_add_stream(h, stream, &k->before);
    k->state = GPCI_STREAM_QUEUED;
    k->order = s->queued++;
    s->stirred = true;
    return gpci_together_read(r, k, error);
}

static bool has_ended(const gpc_replay *r, const gpci_stream_run *k) {
    const gpci_together *s = r->together;
    uint64_t under_way = 0;
    if (k->state != GPCI_STREAM_PLACED || k->resident)
        return false;
    for (uint32_t sm = 0; r->timed && sm < r->sm_count; sm++)
        under_way += s->under_way[(size_t)sm * s->stride + (size_t)(k - s->each)];
    return !under_way;
}

/* Counters kept per kernel in addition to those kept per stream. */
static const size_t by_kernel[] = {offsetof(gpc_stats, kernels), offsetof(gpc_stats, blocks),
                                   offsetof(gpc_stats, warp_instructions), offsetof(gpc_stats, thread_instructions),
                                   offsetof(gpc_stats, cycles)};

static bool is_counted(const gpc_hierarchy *h, const gpc_counter_info *info) {
    bool counted = h->of_stream && info->objects >> GPC_OBJECT_STREAM & 1;
    for (size_t i = 0; i < sizeof by_kernel / sizeof *by_kernel; i++)
        counted |= info->offset == by_kernel[i];
    return counted;
}

static void get_stats(const gpc_replay *r, const gpci_stream_run *k, gpc_stats *stats) {
    size_t rows;
    const gpc_counter_info *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    gpc_stats_init(stats);
    if (r->hierarchy->of_stream)
        gpci_hierarchy_add_stream(r->hierarchy, (uint32_t)(k - r->together->each), stats);
    gpci_stats_subtract(stats, &k->before);
    const uint64_t own[] = {1, k->done, k->issued, k->threads, gpci_replay_now(r) - k->launched};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        memcpy((char *)stats + by_kernel[i], &own[i], sizeof own[i]);
    gpci_hierarchy_forget(r->hierarchy, true, stats);
    for (size_t i = 0; i < rows; i++)
        if (!info[i].ratio && !is_counted(r->hierarchy, &info[i]))
            gpci_stats_forget(stats, &info[i]);
}

static void tell_host(const gpc_replay *r, const gpci_stream_run *k) {
    const gpci_together *s = r->together;
    const gpc_kernel_result result = {.struct_size = sizeof result,
                                      .kernel = &k->kernel,
                                      .stats = s->stats,
                                      .launched = k->launched,
                                      .ended = gpci_replay_now(r),
                                      .started = k->started,
                                      .dispatched = k->dispatched,
                                      .stream = (uint32_t)(k - s->each),
                                      .process = k->process};
    gpc_stats ours;
    if (!s->on_kernel)
        return;
    get_stats(r, k, &ours);
    gpci_layout_give(s->layout, GPC_TABLE_HIERARCHY, &ours, s->stats);
    s->on_kernel(s->user_data, &result);
}

/*
 * Tell the policies of L1s without blocks that the kernel has ended. Other L1s are told when another kernel takes them.
 */
static void end_on_sms(gpc_replay *r, const gpci_stream_run *k) {
    gpci_sm_use *sms = r->together->sms;
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        if (sms[sm].owner == k->number && !r->sms[sm].residents) {
            sms[sm].owner = 0;
            gpci_kernels_tell(r->hierarchy, sm, k->number, GPC_KERNEL_END);
        }
}

static gpc_status end(gpc_replay *r, gpci_stream_run *k, gpc_error *error) {
    tell_host(r, k);
    end_on_sms(r, k);
    gpci_kernels_finish(r->hierarchy, (uint32_t)(k - r->together->each));
    r->together->stirred = true;
    return next_kernel(k, error);
}

/* End finished kernels, and queue new kernels in their place. */
static gpc_status go_on(gpc_replay *r, bool *more, gpc_error *error) {
    gpci_together *s = r->together;
    gpc_status status = GPC_OK;
    *more = false;
    for (uint32_t i = 0; status == GPC_OK && i < s->count; i++)
        if (has_ended(r, &s->each[i])) {
            *more = true;
            status = end(r, &s->each[i], error);
        }
    for (gpci_stream_run *k; status == GPC_OK && (k = first_to_queue(s)) != NULL;) {
        *more = true;
        status = queue(r, k, error);
    }
    return status;
}

gpc_status gpci_together_fill(gpc_replay *r, gpc_error *error) {
    gpc_status status;
    bool more, over = true;
    if (r->lanes)
        gpci_round_lanes_fold(r->lanes);
    do {
        status = go_on(r, &more, error);
        if (status == GPC_OK)
            status = gpci_together_dispatch(r, error);
    } while (status == GPC_OK && more);
    for (uint32_t i = 0; i < r->together->count; i++)
        over &= r->together->each[i].state == GPCI_STREAM_OVER;
    r->ended = over;
    return status;
}

/* Whole replay */

static void destroy(gpc_replay *r) {
    gpci_together *s = r->together;
    gpc_context *context = r->context;
    gpci_free(context, s->each);
    gpci_free(context, s->bitmaps);
    gpci_free(context, s->on_sms);
    gpci_free(context, s->sms);
    gpci_free(context, s->warps);
    gpci_free_lines(context, s->under_way);
    gpci_free(context, s->stats);
    gpci_free(context, s);
    r->together = NULL;
}

static void read_limits(const gpc_replay *r, gpci_together *s) {
    const uint64_t limit = gpci_config_number(r->config, GPCI_KEY_SM_BLOCK_LIMIT);
    s->slots = (uint32_t)gpci_config_number(r->config, GPCI_KEY_SM_WARPS);
    s->most = (uint32_t)gpci_config_number(r->config, GPCI_KEY_SM_BLOCKS);
    s->most = limit && limit < s->most ? (uint32_t)limit : s->most;
    s->registers = gpci_config_number(r->config, GPCI_KEY_SM_REGISTERS);
    s->shared = gpci_config_number(r->config, GPCI_KEY_SM_SHARED);
    s->unified = gpci_config_number(r->config, GPCI_KEY_L1_UNIFIED) != 0;
    for (uint32_t n = 0; r->timed && n < r->timed->schedulers; n++)
        s->one_kernel |= gpci_scheduler_heeds_kernels(r->timed->sms[0].issuers[n].scheduler);
}

static gpc_status create(gpc_replay *r, size_t count, const gpc_layout *layout, gpc_error *error) {
    gpci_together *s = gpci_zalloc(r->context, 1, sizeof *s);
    if (!s)
        return gpci_out_of_memory(error);
    r->together = s;
    s->layout = layout;
    s->count = (uint32_t)count;
    s->words = (r->sm_count + 63) / 64;
    s->stride = (s->count + 15) / 16 * 16;
    read_limits(r, s);
    s->warp_words = (s->slots + 63) / 64;
    s->each = gpci_zalloc(r->context, count, sizeof *s->each);
    s->bitmaps = gpci_zalloc(r->context, (count + 2) * s->words, sizeof *s->bitmaps);
    s->on_sms = gpci_zalloc(r->context, count * r->sm_count, sizeof *s->on_sms);
    s->sms = gpci_zalloc(r->context, r->sm_count, sizeof *s->sms);
    s->warps = gpci_zalloc(r->context, (size_t)r->sm_count * s->warp_words, sizeof *s->warps);
    s->under_way = gpci_zalloc_lines(r->context, (size_t)r->sm_count * s->stride, sizeof *s->under_way);
    s->stats = gpci_zalloc(r->context, 1, layout->bytes);
    if (!s->each || !s->bitmaps || !s->on_sms || !s->sms || !s->warps || !s->under_way || !s->stats)
        return gpci_out_of_memory(error);
    memcpy(s->stats, &layout->bytes, sizeof layout->bytes);
    s->taken = s->bitmaps + count * s->words;
    s->one = s->taken + s->words;
    return gpci_dispatch_room(r, s->most, error);
}

static gpc_status take_sms(const gpc_replay *r, gpci_stream_run *k, const gpc_replay_stream *from, size_t at,
                           gpc_error *error) {
    if (!from->sms != !from->sm_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_streams: streams[%zu]: sms is %s, but sm_count is %u",
                         at, from->sms ? "given" : "NULL", from->sm_count);
    for (uint32_t i = 0; i < (from->sms ? from->sm_count : r->block_sms); i++) {
        const uint32_t sm = from->sms ? from->sms[i] : i;
        if (sm >= r->block_sms)
            return gpci_fail(error, GPC_ERROR_RANGE,
                             "gpc_replay_streams: streams[%zu].sms[%u] is %u, but %u SMs run blocks", at, i, sm,
                             r->block_sms);
        gpci_bit_set(k->sms, sm);
    }
    return GPC_OK;
}

static gpc_status take_stream(const gpc_replay *r, size_t at, const void *from, gpc_error *error) {
    gpci_together *s = r->together;
    gpci_stream_run *k = &s->each[at];
    gpc_replay_stream o = GPC_REPLAY_STREAM_INIT;
    gpc_status status = gpci_take(&o, sizeof o, sizeof o, from, "gpc_replay_stream", error);
    if (status < 0)
        return status;
    if (!o.trace || o.select > 1 || o.null_stream > 1 || (o.process >= GPC_PROCESSES && o.process != GPC_PROCESS_OWN))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_streams: streams[%zu].%s", at,
                         !o.trace            ? "trace is NULL"
                         : o.select > 1      ? "select is neither 0 nor 1"
                         : o.null_stream > 1 ? "null_stream is neither 0 nor 1"
                                             : "process is neither below 128 nor GPC_PROCESS_OWN");
    for (size_t i = 0; i < at; i++)
        if (s->each[i].trace == o.trace)
            return gpci_fail(error, GPC_ERROR_STATE,
                             "gpc_replay_streams: streams[%zu] has the trace of streams[%zu]: each needs another, "
                             "opened for itself",
                             at, i);
    k->trace = o.trace;
    k->priority = o.priority;
    k->select = o.select;
    k->null_stream = o.null_stream;
    k->process = o.process;
    k->id = o.id;
    k->sms = s->bitmaps + at * s->words;
    k->on_sm = s->on_sms + at * r->sm_count;
    return take_sms(r, k, &o, at, error);
}

static bool is_used(const gpci_together *s, uint32_t process) {
    bool used = false;
    for (uint32_t i = 0; i < s->count; i++)
        used |= s->each[i].process == process;
    return used;
}

/* Choose a process for a stream without a number. `named`: streams with a number. */
static gpc_status find_process(const gpci_together *s, gpci_stream_run *k, const bool *named, gpc_error *error) {
    uint32_t process = 0;
    for (const gpci_stream_run *other = s->each; k->select && other < k; other++)
        if (!named[other - s->each] && other->select && gpci_trace_is_same(other->trace, k->trace)) {
            k->process = other->process;
            return GPC_OK;
        }
    while (process < GPC_PROCESSES && is_used(s, process))
        process++;
    if (process == GPC_PROCESSES)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_replay_streams: streams[%zu] is of more than %d processes",
                         (size_t)(k - s->each), GPC_PROCESSES);
    k->process = (uint8_t)process;
    return GPC_OK;
}

/* Choose a process for every stream. */
static gpc_status find_processes(const gpc_replay *r, gpc_error *error) {
    gpci_together *s = r->together;
    bool named[UINT8_MAX + 1];
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < s->count; i++)
        named[i] = s->each[i].process != GPC_PROCESS_OWN;
    for (uint32_t i = 0; i < s->count && status == GPC_OK; i++) {
        status = named[i] ? GPC_OK : find_process(s, &s->each[i], named, error);
        r->hierarchy->processes |= status == GPC_OK && s->each[i].process;
    }
    return status;
}

static const char *unsupported(const gpc_replay *r) {
    const gpc_config *c = r->config;
    return r->sampling                                             ? "sample takes kernels one after the other"
           : r->recorded_order                                     ? "warps.order = recorded is of one kernel"
           : r->future                                             ? "l1.future is known of one kernel at a time"
           : gpci_config_number(c, GPCI_KEY_LIMIT_INSTRUCTIONS)    ? "limit.instructions is of one kernel"
           : gpci_config_number(c, GPCI_KEY_LIMIT_CYCLES)          ? "limit.cycles is of one kernel"
           : gpci_config_number(c, GPCI_KEY_KERNELS_FLUSH) == 2    ? "kernels.flush = all would empty L2 under others"
           : gpci_config_number(c, GPCI_KEY_BLOCKS_PLACEMENT) == 2 ? "blocks.placement = map is of kernels alone"
           : r->hierarchy->observer                                ? "a profile counts one kernel at a time"
           : r->pause_at != UINT64_MAX                             ? "gpc_replay_pause_at does not hold them"
                                                                   : NULL;
}

static gpc_status check(const gpc_replay *r, size_t count, const gpc_layout *layout, const void *stats,
                        gpc_error *error) {
    size_t given = SIZE_MAX;
    if (stats)
        memcpy(&given, stats, sizeof given);
    if (given <= sizeof(size_t))
        return gpci_fail(error, GPC_ERROR_ABI, "gpc_replay_streams: struct_size of gpc_stats is not set");
    gpc_status status = gpci_layout_check(layout, GPC_TABLE_HIERARCHY);
    if (status < 0)
        return gpci_fail(error, status, "gpc_replay_streams: the library does not know the layout of stats");
    if (r->inside || r->trace || r->parked)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_replay_streams: %s",
                         r->inside ? "from within a callback of the replay" : "a kernel is at hand");
    if (count > r->hierarchy->streams)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_replay_streams: %zu streams, but streams = %u", count,
                         r->hierarchy->streams);
    const char *what = unsupported(r);
    return what ? gpci_fail(error, GPC_ERROR_UNSUPPORTED, "gpc_replay_streams: %s", what) : GPC_OK;
}

/* Accesses in flight and counts from before belong to no kernel. */
static gpc_status begin(gpc_replay *r, gpc_error *error) {
    gpc_status status = GPC_OK;
    r->kernel = (gpc_kernel){.struct_size = sizeof r->kernel, .name = "streams", .file = "streams"};
    r->trace = r->together->each[0].trace;
    for (uint32_t i = 0; status == GPC_OK && i < r->together->count; i++)
        status = next_kernel(&r->together->each[i], error);
    if (status == GPC_OK && gpc_hierarchy_in_flight(r->hierarchy))
        status = gpc_hierarchy_drain(r->hierarchy, error);
    if (status < 0)
        return status;
    gpci_replay_begin(r);
    gpci_replay_stats(r, &r->before);
    if (r->objects)
        gpci_replay_note_objects(r);
    r->by_map = r->ended = false;
    r->cluster_blocks = 1;
    r->blocks_read = 0;
    r->policies_vote = gpc_hierarchy_wants_samples(r->hierarchy);
    if (r->timed) {
        r->timed->at_once = true;
        gpci_timed_begin(r->timed);
    }
    return GPC_OK;
}

static void finish(gpc_replay *r, gpc_status status, gpc_stats *stats) {
    gpc_stats after;
    gpci_together *s = r->together;
    gpci_dispatch_abandon(r);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->each[i].next)
            gpci_trace_release_packed(s->each[i].trace, s->each[i].next);
        if (r->hierarchy->kernels->of_stream[i])
            gpci_kernels_finish(r->hierarchy, i);
    }
    if (r->last_pc >= r->first_pc && !gpci_replay_reads_code(r))
        gpci_launch_code(r->hierarchy, r->last_pc - r->first_pc + 16);
    gpci_replay_count(r);
    gpci_replay_stats(r, &after);
    if (r->timed) {
        r->timed->at_once = false;
        if (status == GPC_OK)
            gpci_timed_last_sample(r->timed, &after);
    }
    *stats = after;
    gpci_stats_subtract(stats, &r->before);
    gpci_stats_add(&r->total, stats);
}

static gpc_status run(gpc_replay *r, gpc_stats *stats, gpc_error *error) {
    gpc_status status = begin(r, error);
    if (status < 0)
        return status;
    status = r->timed ? gpci_timed_run(r->timed, error) : gpci_replay_rounds(r, error);
    finish(r, status, stats);
    return status;
}

gpc_status gpc_replay_streams_as(gpc_replay *r, const gpc_replay_stream *streams, size_t count,
                                 const gpc_layout *layout, gpc_kernel_result_fn on_kernel, void *user_data, void *stats,
                                 gpc_error *error) {
    if (!r || !streams || !count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_streams: %s",
                         !r         ? "replay is NULL"
                         : !streams ? "streams is NULL"
                                    : "count is 0");
    gpc_status status = check(r, count, layout, stats, error);
    if (status == GPC_OK)
        status = gpci_kernels_create(r->hierarchy, error);
    if (status == GPC_OK)
        status = create(r, count, layout, error);
    const char *from = (const char *)streams;
    for (size_t i = 0; status == GPC_OK && i < count; i++, from += streams->struct_size)
        status = take_stream(r, i, from, error);
    if (status == GPC_OK)
        status = find_processes(r, error);
    gpc_stats own;
    if (status == GPC_OK) {
        r->together->on_kernel = on_kernel;
        r->together->user_data = user_data;
        r->inside = true;
        status = run(r, &own, error);
        r->inside = false;
        r->trace = NULL;
    }
    if (r->together)
        destroy(r);
    if (status == GPC_OK && stats)
        gpci_replay_give(r, &own, layout, stats);
    return status;
}
