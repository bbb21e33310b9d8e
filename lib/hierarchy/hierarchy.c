/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "functional/functional.h"
#include "hierarchy/ledger_check.h"
#include "hierarchy/objects.h"
#include "hierarchy/processes.h"
#include "level/access/tlb.h"
#include "level/access/warp_ranks.h"
#include "level/coherent/coherent_level.h"
#include "level/observe/energy.h"
#include "level/rules/driver.h"
#include "level/rules/events.h"
#include "level/rules/idle_keys.h"
#include "level/rules/kernels.h"
#include "level/rules/level_count.h"
#include "level/rules/recorder.h"
#include "stats/stats.h"
#include "timed/core/shards.h"
#include "timed/ctrl/drain.h"
#include "timed/ctrl/plain_values.h"
#include "timed/l2/port.h"

#include <inttypes.h>
#include <string.h>

/* Hierarchy object: creation, launches, statistics. */

/* Choose levels and driver from the configuration; only here. */
static void choose(gpc_hierarchy *h, const gpc_config *config) {
    h->viper = !strcmp(gpci_config_text(config, GPCI_KEY_COHERENCE), GPCI_VIPER);
    bool tree = !h->viper && strcmp(gpci_config_text(config, GPCI_KEY_COHERENCE), "none") != 0;
    bool clock = gpci_config_number(config, GPCI_KEY_MODE) == 1;
    h->levels = tree ? &gpci_tree_levels : &gpci_cache_levels;
    h->driver = clock ? (tree ? &gpci_timed_tree : &gpci_timed_caches)
                      : (tree ? &gpci_functional_tree : &gpci_functional_caches);
    h->has_l1 = tree || gpci_config_number(config, GPCI_KEY_L1_ENABLED);
    h->with_data = gpci_config_number(config, GPCI_KEY_COHERENCE_DATA) != 0;
    h->streams = (uint32_t)gpci_config_number(config, GPCI_KEY_STREAMS);
    h->lane_packets = gpci_config_number(config, GPCI_KEY_L1_COALESCER) == 1;
    h->line_order = (uint8_t)gpci_config_number(config, GPCI_KEY_L1_LINE_ORDER);
    h->sector_packets = gpci_config_number(config, GPCI_KEY_L1_COALESCER) == 2;
}

/* Check l1.mshr_free (when an MSHR entry of L1 becomes free again). */
static gpc_status check_mshr_free(const gpc_hierarchy *h, gpc_error *error) {
    if (gpci_number(h, GPCI_KEY_L1_MSHR_FREE) &&
        (!gpci_number(h, GPCI_KEY_L1_RELEASE_WIDTH) || gpci_number(h, GPCI_KEY_L1_SECTORS) != 1 || h->with_data))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.mshr_free = drained needs l1.release_width, l1.sectors = 1 and coherence.data = false: an "
                         "access has its turn with a whole line");
    if (gpci_number(h, GPCI_KEY_L1_MSHR_FREE) == GPCI_MSHR_RESERVING &&
        gpci_number(h, GPCI_KEY_L1_ALLOCATE) != GPC_ALLOCATE_ON_MISS)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.mshr_free = drained-reserving needs l1.allocate = on-miss: else misses reserve no lines");
    return GPC_OK;
}

/* Reject keys of L1's inputs and outputs that have no effect in combination. */
static gpc_status check_l1(const gpc_hierarchy *h, gpc_error *error) {
    const bool most = gpci_number(h, GPCI_KEY_SM_LSU_IN_FLIGHT) != UINT64_MAX,
               waits = gpci_number(h, GPCI_KEY_SM_LSU_WAITS);
    if (h->sector_packets && (h->with_data || gpci_has_prefetcher(h, GPCI_KEY_L1_PREFETCHER)))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.coalescer = sector: neither l1.prefetcher nor coherence.data knows parts of a line");
    if (gpci_number(h, GPCI_KEY_L1_COMBINE_STORES) &&
        (!gpci_number(h, GPCI_KEY_L1_COMBINE_LINES) || h->driver != &gpci_timed_caches))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.combine_stores = buffer needs l1.combine_lines above 0, mode = timed, and coherence = "
                         "none or viper");
    if ((gpci_number(h, GPCI_KEY_SM_LSUS) != 1 || most || !waits) && !h->lane_packets)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "sm.lsus, sm.lsu_in_flight and sm.lsu_waits need l1.coalescer = multi2sim");
    if (gpci_number(h, GPCI_KEY_L1_ISSUE_LATENCY) && (h->lane_packets || gpci_number(h, GPCI_KEY_L1_REORDER)))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.issue_latency needs l1.coalescer = warp and l1.reorder = none: one queue before the tags");
    const uint64_t collectors = gpci_number(h, GPCI_KEY_L1_COLLECTORS);
    if (collectors && (h->lane_packets || gpci_number(h, GPCI_KEY_L1_REORDER) ||
                       gpci_number(h, GPCI_KEY_L1_ISSUE_LATENCY) || gpci_number(h, GPCI_KEY_TLB_PAGE) != GPCI_WORD))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.collectors needs l1.coalescer = warp or sector, l1.reorder = none, l1.issue_latency = 0 "
                         "and no tlb.page: its way to the tags alone");
    if (collectors && gpci_number(h, GPCI_KEY_L1_QUEUE) != collectors + 3)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.queue must be %llu with l1.collectors = %llu: the units, the registers before and behind "
                         "them, and the instruction at the tags",
                         (unsigned long long)collectors + 3, (unsigned long long)collectors);
    if (gpci_number(h, GPCI_KEY_L1_RELEASE_LATENCY) && !gpci_number(h, GPCI_KEY_L1_RELEASE_WIDTH))
        return gpci_fail(error, GPC_ERROR_RANGE, "l1.release_latency needs l1.release_width: else there are no turns");
    if (h->line_order && h->lane_packets)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.line_order = descending or banks needs l1.coalescer = warp or sector: lanes have no lines "
                         "together");
    if (gpci_check_l1_banks(h, error) < 0)
        return GPC_ERROR_RANGE;
    if (check_mshr_free(h, error) < 0)
        return GPC_ERROR_RANGE;
    if (most && !waits)
        return gpci_fail(error, GPC_ERROR_RANGE, "sm.lsu_in_flight needs sm.lsu_waits = true: nothing is awaited");
    return GPC_OK;
}

/* Reject keys of the whole configuration that have no effect in combination. */
static gpc_status check_combination(gpc_hierarchy *h, gpc_error *error) {
    if (h->with_data && h->levels != &gpci_tree_levels && gpci_plain_values_check(h, error) < 0)
        return GPC_ERROR_RANGE;
    if (gpci_number(h, GPCI_KEY_THREADS) != 1 && gpci_number(h, GPCI_KEY_THREADS) != UINT64_MAX &&
        h->driver != &gpci_timed_caches && h->driver != &gpci_timed_tree)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "threads = %" PRIu64 " has no effect without mode = timed, but in replays",
                         gpci_number(h, GPCI_KEY_THREADS));
    if (gpci_number(h, GPCI_KEY_STATS_STAGES) && gpci_number(h, GPCI_KEY_MODE) != 1)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "stats.stages = true needs mode = timed: without a clock nothing takes time");
    if (gpci_build_window(h, error) < 0)
        return GPC_ERROR_RANGE;
    if (h->gpus > 1 && h->levels != &gpci_tree_levels)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "gpu.count = %u needs coherence = PROTOCOL: other caches are one GPU's", h->gpus);
    if (h->cpus && h->cpus >= h->gpus)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "cpu.count = %u needs gpu.count = %u or more: they are the last of these", h->cpus,
                         h->cpus + 1);
    if (h->lane_packets && h->driver != &gpci_timed_tree)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.coalescer = multi2sim needs mode = timed and coherence = PROTOCOL: lanes are joined while "
                         "they are in flight, in a coherent L1");
    if (h->streams > 1 && h->levels == &gpci_tree_levels)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "streams = %u needs coherence = none or viper: messages of a tree name no stream", h->streams);
    if (h->sector_packets && h->levels == &gpci_tree_levels)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.coalescer = sector needs coherence = none or viper: modules of a tree take lines");
    if (h->levels != &gpci_tree_levels && gpci_check_idle(h, error) < 0)
        return GPC_ERROR_RANGE;
    return check_l1(h, error);
}

gpc_status gpc_hierarchy_create(gpc_context *context, const gpc_config *config, gpc_error *error, gpc_hierarchy **out) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    gpc_hierarchy *h = gpci_zalloc(context, 1, sizeof *h);
    if (!h)
        return gpci_out_of_memory(error);
    h->context = gpci_retain(context);
    h->cold = true;
    gpc_stats_init(&h->stats);
    choose(h, config);
    gpc_status status = gpc_config_copy(config, error, &h->config);
    if (status == GPC_OK)
        status = gpci_build_levels(h, error);
    if (status == GPC_OK)
        status = check_combination(h, error);
    if (status == GPC_OK)
        status = gpci_ports_check(h, error);
    if (status == GPC_OK)
        status = h->levels->check(h, error);
    if (status == GPC_OK) {
        h->of_sm = gpci_zalloc(context, h->sms, sizeof *h->of_sm);
        h->of_slice = gpci_zalloc(context, h->slices, sizeof *h->of_slice);
        if (h->streams > 1)
            h->of_stream = gpci_zalloc(context, (h->sms + h->slices) * ((size_t)h->streams + 1), sizeof *h->of_stream);
        status = h->of_sm && h->of_slice && (h->of_stream || h->streams == 1) ? GPC_OK : gpci_out_of_memory(error);
    }
    if (status == GPC_OK)
        status = gpci_launch_l1_share(h, NULL, &h->share, error);
    if (status == GPC_OK)
        status = h->levels->create(h, error);
    if (status == GPC_OK)
        status = gpci_tlbs_create(h, error);
    if (status == GPC_OK)
        status = h->driver->create(h, error);
    if (status < 0) {
        gpc_hierarchy_destroy(h);
        return status;
    }
    h->counts_all = h->counts_fresh = true;
    gpci_report_idle_keys(h);
    *out = h;
    return GPC_OK;
}

void gpc_hierarchy_destroy(gpc_hierarchy *h) {
    if (!h)
        return;
    gpc_context *context = h->context;
    gpci_ledger_check(h);
    if (h->recorder)
        h->recorder->ops->destroy(h->recorder);
    gpci_trace_destroy(h);
    h->driver->destroy(h);
    h->levels->destroy(h);
    gpci_commons_release(h->l1_commons);
    gpci_commons_release(h->l2_commons);
    gpci_warp_ranks_destroy(h);
    gpci_tlbs_destroy(h);
    gpci_kernels_destroy(h);
    gpci_free(context, h->sm_partition);
    gpci_free(context, h->sm_coalescer);
    gpci_free(context, h->address_map);
    gpci_free(context, h->of_sm);
    gpci_free(context, h->of_slice);
    gpci_free(context, h->of_stream);
    gpc_config_destroy(h->config);
    gpci_free(context, h);
    gpci_release(context);
}

gpc_status gpc_hierarchy_get_config(const gpc_hierarchy *h, gpc_error *error, gpc_config **out) {
    return h && out
               ? gpc_config_copy(h->config, error, out)
               : gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_get_config: %s is NULL", h ? "out" : "hierarchy");
}

void gpci_hierarchy_tell_policies(gpc_hierarchy *h, gpc_warp_event_kind kind) {
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        gpc_warp_event event = {.kind = kind, .sm = sm, .kernel = h->kernel};
        h->levels->warp_event(h, &event);
    }
    /* L2's policies see no warps, but tokens protect L2 lines for warps of a kernel */
    gpc_warp_event event = {.kind = kind, .kernel = h->kernel};
    for (uint32_t slice = 0; h->l2 && slice < h->slices; slice++)
        gpci_tokens_event(h->l2[slice]->token_state, &event);
    for (uint32_t slice = 0; h->coherent && h->coherent->l2_asks && slice < h->slices; slice++)
        gpci_module_token_event(gpci_module_at(h->coherent->tree, h->coherent->first_slice + slice), &event);
}

gpc_status gpc_hierarchy_access(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result) {
    if (!h || !access)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = GPCI_UNLIKELY(gpci_has_process(h, access)) ? gpci_processes_access(h, access, result)
                                                                   : h->driver->access(h, access, result);
    if (status == GPC_OK)
        GPCI_RECORD(h, access, (h->recorder, access));
    return status;
}

gpc_status gpc_hierarchy_fence(gpc_hierarchy *h, const gpc_fence *fence, gpc_error *error) {
    if (!h || !fence)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_fence: %s is NULL", h ? "fence" : "hierarchy");
    gpc_status status = h->driver->fence(h, fence, error);
    if (status == GPC_OK)
        GPCI_RECORD(h, fence, (h->recorder, fence));
    return status;
}

void gpci_hierarchy_launch(gpc_hierarchy *h, const gpc_launch *launch, const gpci_l1_share *share) {
    h->kernel++;
    h->stats.kernels++;
    h->stats.l1_capacity = h->has_l1 ? share->l1_bytes : 0;
    h->stats.resident_blocks = launch ? gpc_hierarchy_occupancy(h, launch) : 0;
    GPCI_AGAIN(h->resident_again = launch ? gpci_launch_occupancy_again(h, launch) : 0);
    gpci_count_dram_launch(h, gpci_number(h, GPCI_KEY_LAUNCH_SECTORS));
    gpci_launch_code(h, launch ? launch->code_bytes : 0);
}

gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *h, const gpc_launch *launch, gpc_error *error) {
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_begin_kernel: hierarchy is NULL");
    if (h->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_begin_kernel: called from within a callback");
    if (!h->driver->idle(h))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_begin_kernel: accesses are in flight");
    if (h->kernels && h->kernels->running)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_hierarchy_begin_kernel: kernels run that gpc_hierarchy_end_kernel has not ended");
    gpci_ledger_check(h);
    gpc_launch l = GPC_LAUNCH_INIT;
    gpci_l1_share share;
    gpc_status status = gpci_take(&l, sizeof l, sizeof l, launch, "gpc_launch", error);
    if (status == GPC_OK)
        status = gpci_launch_l1_share(h, launch ? &l : NULL, &share, error);
    if (status < 0)
        return status;
    const bool same = gpci_is_shape(&share, &h->share) && gpci_kernels_uniform(h);
    if (!same && (status = h->levels->resize(h, &share, error)) < 0)
        return status;
    h->share = share;
    gpci_kernels_shared(h, &share);
    status = (h->driver->begin ? h->driver->begin : h->levels->begin)(h);
    if (status < 0) /* no launch: the host may begin the kernel again */
        return status;
    gpci_hierarchy_launch(h, launch ? &l : NULL, &share);
    gpci_hierarchy_tell_policies(h, GPC_KERNEL_START);
    GPCI_RECORD(h, kernel, (h->recorder, launch ? &l : NULL));
    return h->observer ? h->observer->on_kernel(h->observer->data) : GPC_OK;
}

void gpc_hierarchy_count_instructions(gpc_hierarchy *h, uint64_t warp_instructions, uint64_t thread_instructions,
                                      uint64_t blocks) {
    if (!h)
        return;
    h->stats.warp_instructions += warp_instructions; /* instructions without an SM */
    h->stats.thread_instructions += thread_instructions;
    h->stats.blocks += blocks;
    GPCI_RECORD(h, count, (h->recorder, warp_instructions, thread_instructions, blocks));
}

gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *h, const gpc_warp_event *event) {
    if (!h || !event || event->sm >= h->sms || event->kind > GPC_KERNEL_END)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = h->warp_ranks ? gpci_warp_ranks_event(h, event) : GPC_OK;
    if (status == GPC_OK)
        status = h->levels->warp_event(h, event);
    if (status == GPC_OK)
        GPCI_RECORD(h, event, (h->recorder, event));
    return status;
}

gpc_status gpc_hierarchy_flush(gpc_hierarchy *h) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    if (h->called_back || !h->driver->idle(h))
        return GPC_ERROR_STATE;
    gpc_status status = h->levels->flush(h);
    h->cold |= status == GPC_OK;
    if (status == GPC_OK)
        GPCI_RECORD(h, flush, (h->recorder));
    return status;
}

void gpci_hierarchy_add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *s) {
    const gpci_sm_counts *c = &h->of_sm[sm];
#define ADD(field) s->field += c->field;
#define X(id, field, name, unit, kind, objects, ...) GPCI_SM_##objects(ADD, field)
    GPC_COUNTERS(X)
#undef X
#undef ADD
    h->levels->add_sm(h, sm, s);
    h->driver->add_sm(h, sm, s);
}

static void add_buckets(uint64_t *restrict into, const uint64_t *restrict more, size_t buckets) {
    for (size_t k = 0; k < buckets; k++)
        into[k] += more[k];
}

void gpci_hierarchy_add_sm_histograms(const gpc_hierarchy *h, uint32_t sm, gpc_stats *s) {
    const gpci_sm_counts *c = &h->of_sm[sm];
#define X(id, field, name, buckets, ...) add_buckets(s->field, c->field, buckets);
    GPC_HISTOGRAMS(X)
#undef X
}

void gpci_hierarchy_add_slice(const gpc_hierarchy *h, uint32_t slice, gpc_stats *s) {
    const gpci_slice_counts *c = &h->of_slice[slice];
#define ADD(field) s->field += c->field;
#define X(id, field, name, unit, kind, objects, ...) GPCI_SLICE_##objects(ADD, field)
    GPC_COUNTERS(X)
#undef X
#undef ADD
    h->levels->add_slice(h, slice, s);
}

void gpci_hierarchy_add_stream(const gpc_hierarchy *h, uint32_t stream, gpc_stats *s) {
    for (size_t place = 0; place < h->sms + h->slices; place++) {
        const gpci_stream_counts *c = &h->of_stream[place * (h->streams + 1) + stream];
#define ADD(field) s->field += c->field;
#define X(id, field, name, unit, kind, objects, ...) GPCI_STREAM_##objects(ADD, field)
        GPC_COUNTERS(X)
#undef X
#undef ADD
    }
}

void gpci_hierarchy_add_rest(const gpc_hierarchy *h, gpc_stats *s) {
    gpci_stats_add(s, &h->stats);
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        gpci_hierarchy_add_sm_histograms(h, sm, s);
        s->l2_merged_sectors += h->of_sm[sm].merged_sectors;
    }
    for (uint32_t slice = 0; slice < h->slices; slice++) {
        gpci_hierarchy_add_slice(h, slice, s);
        s->l2_merged_sectors += h->of_slice[slice].merged_sectors;
        s->dram_read_sectors += h->of_slice[slice].memory_reads;
        s->dram_write_sectors += h->of_slice[slice].memory_writes;
    }
    h->driver->add_rest(h, s);
}

void gpci_hierarchy_stats(const gpc_hierarchy *h, gpc_stats *stats) {
    gpc_stats_init(stats);
    gpci_hierarchy_add_rest(h, stats);
    for (uint32_t sm = 0; sm < h->sms; sm++)
        gpci_hierarchy_add_sm(h, sm, stats);
    gpci_energy_of(h->config, stats);
}

gpc_status gpc_hierarchy_get_stats_as(const gpc_hierarchy *h, const gpc_layout *layout, void *stats) {
    if (!h || !stats)
        return GPC_ERROR_ARGUMENT;
    gpc_stats ours;
    gpci_hierarchy_stats(h, &ours);
    gpci_hierarchy_forget(h, false, &ours);
    return gpci_layout_give(layout, GPC_TABLE_HIERARCHY, &ours, stats);
}

void gpc_hierarchy_reset_stats(gpc_hierarchy *h) {
    if (!h)
        return;
    gpci_ledger_check(h);
    h->counts_all = h->driver->idle(h);
    h->counts_fresh = false;
    uint64_t capacity = h->stats.l1_capacity, resident = h->stats.resident_blocks;
    gpc_stats_init(&h->stats);
    h->stats.l1_capacity = capacity;
    h->stats.resident_blocks = resident;
    memset(h->of_sm, 0, h->sms * sizeof *h->of_sm);
    memset(h->of_slice, 0, h->slices * sizeof *h->of_slice);
    if (h->of_stream)
        memset(h->of_stream, 0, (h->sms + h->slices) * ((size_t)h->streams + 1) * sizeof *h->of_stream);
    h->levels->reset_stats(h);
    h->driver->reset_stats(h);
}

uint32_t gpc_hierarchy_threads(const gpc_hierarchy *h) {
    if (h && h->timed)
        return gpci_shards_threads(h->timed);
    return h && h->round_threads ? h->round_threads : 1;
}

gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *h, unsigned level, uint32_t instance) {
    gpc_cache *const *caches = !h ? NULL : level == 1 ? h->l1 : level == 2 ? h->l2 : NULL;
    if (!caches || instance >= (level == 1 ? h->sms : h->slices))
        return NULL;
    h->lent = true;
    return caches[instance];
}
