/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "functional/functional.h"
#include "hierarchy/ledger_check.h"
#include "hierarchy/objects.h"
#include "level/access/processes.h"
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
#include "registry/registry.h"
#include "stats/stats.h"
#include "timed/core/shards.h"
#include "timed/ctrl/drain.h"
#include "timed/ctrl/plain_values.h"
#include "timed/l2/port.h"

#include <inttypes.h>
#include <string.h>

/* Hierarchy object: creation, launches, statistics. */

/* Choose the levels (plain caches, or a tree) and the driver (functional or timed) from the configuration. */
static void choose(gpc_hierarchy *hierarchy, const gpc_config *config) {
    hierarchy->viper = !strcmp(gpci_config_text(config, GPCI_KEY_COHERENCE), GPCI_VIPER);
    bool tree = !hierarchy->viper && strcmp(gpci_config_text(config, GPCI_KEY_COHERENCE), "none") != 0;
    bool clock = gpci_config_number(config, GPCI_KEY_MODE) == 1;
    hierarchy->levels = tree ? &gpci_tree_levels : &gpci_cache_levels;
    hierarchy->driver = clock ? (tree ? &gpci_timed_tree : &gpci_timed_caches)
                              : (tree ? &gpci_functional_tree : &gpci_functional_caches);
    hierarchy->has_l1 = tree || gpci_config_number(config, GPCI_KEY_L1_ENABLED);
    hierarchy->with_data = gpci_config_number(config, GPCI_KEY_COHERENCE_DATA) != 0;
    hierarchy->streams = (uint32_t)gpci_config_number(config, GPCI_KEY_STREAMS);
    hierarchy->lane_packets = gpci_config_number(config, GPCI_KEY_L1_COALESCER) == 1;
    hierarchy->line_order = (uint8_t)gpci_config_number(config, GPCI_KEY_L1_LINE_ORDER);
    hierarchy->sector_packets = gpci_config_number(config, GPCI_KEY_L1_COALESCER) == 2;
}

/* Check l1.mshr_free (when an MSHR entry of L1 becomes free again). */
static gpc_status check_mshr_free(const gpc_hierarchy *hierarchy, gpc_error *error) {
    if (gpci_number(hierarchy, GPCI_KEY_L1_MSHR_FREE) &&
        (!gpci_number(hierarchy, GPCI_KEY_L1_RELEASE_WIDTH) || gpci_number(hierarchy, GPCI_KEY_L1_SECTORS) != 1 ||
         hierarchy->with_data))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.mshr_free = drained needs l1.release_width, l1.sectors = 1 and coherence.data = false: an "
                         "access has its turn with a whole line");
    if (gpci_number(hierarchy, GPCI_KEY_L1_MSHR_FREE) == GPCI_MSHR_RESERVING &&
        gpci_number(hierarchy, GPCI_KEY_L1_ALLOCATE) != GPC_ALLOCATE_ON_MISS)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.mshr_free = drained-reserving needs l1.allocate = on-miss: else misses reserve no lines");
    return GPC_OK;
}

/* Reject l1.bypass_mshrs = false beside keys that need the fetches of MSHR entries. */
static gpc_status check_bypass(const gpc_hierarchy *hierarchy, gpc_error *error) {
    if (gpci_number(hierarchy, GPCI_KEY_L1_BYPASS_MSHRS))
        return GPC_OK;
    if (gpci_number(hierarchy, GPCI_KEY_L1_BYPASS_FETCH))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.bypass_mshrs = false needs l1.bypass_fetch = segments: only an MSHR entry fetches more");
    const char *predictor = gpci_config_text(hierarchy->config, GPCI_KEY_L1_BYPASS);
    uint64_t reads = 0;
    gpc_status status = gpci_policy_reads(hierarchy->context, GPC_POLICY_PREDICTOR, predictor, error, &reads);
    if (status == GPC_OK && reads & GPC_READS_POLICY_WORD)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.bypass_mshrs = false: l1.bypass = %s learns from the replies of MSHR entries", predictor);
    return status;
}

/* Reject keys of L1's inputs and outputs that have no effect in combination. */
static gpc_status check_l1(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const bool most = gpci_number(hierarchy, GPCI_KEY_SM_LSU_IN_FLIGHT) != UINT64_MAX,
               waits = gpci_number(hierarchy, GPCI_KEY_SM_LSU_WAITS);
    if (hierarchy->sector_packets && (hierarchy->with_data || gpci_has_prefetcher(hierarchy, GPCI_KEY_L1_PREFETCHER)))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.coalescer = sector: neither l1.prefetcher nor coherence.data knows parts of a line");
    if (gpci_number(hierarchy, GPCI_KEY_L1_COMBINE_STORES) &&
        (!gpci_number(hierarchy, GPCI_KEY_L1_COMBINE_LINES) || hierarchy->driver != &gpci_timed_caches))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.combine_stores = buffer needs l1.combine_lines above 0, mode = timed, and coherence = "
                         "none or viper");
    if (gpci_number(hierarchy, GPCI_KEY_L1_INDEX_BITS) &&
        gpci_index_number(hierarchy, GPCI_KEY_L1_INDEX) != GPC_INDEX_XOR)
        return gpci_fail(error, GPC_ERROR_RANGE, "l1.index_bits needs l1.index = xor");
    if ((gpci_number(hierarchy, GPCI_KEY_SM_LSUS) != 1 || most || !waits) && !hierarchy->lane_packets)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "sm.lsus, sm.lsu_in_flight and sm.lsu_waits need l1.coalescer = multi2sim");
    if (gpci_number(hierarchy, GPCI_KEY_L1_ISSUE_LATENCY) &&
        (hierarchy->lane_packets || gpci_number(hierarchy, GPCI_KEY_L1_REORDER)))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.issue_latency needs l1.coalescer = warp and l1.reorder = none: one queue before the tags");
    const uint64_t collectors = gpci_number(hierarchy, GPCI_KEY_L1_COLLECTORS);
    if (collectors &&
        (hierarchy->lane_packets || gpci_number(hierarchy, GPCI_KEY_L1_REORDER) ||
         gpci_number(hierarchy, GPCI_KEY_L1_ISSUE_LATENCY) || gpci_number(hierarchy, GPCI_KEY_TLB_PAGE) != GPCI_WORD))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.collectors needs l1.coalescer = warp or sector, l1.reorder = none, l1.issue_latency = 0 "
                         "and no tlb.page: its way to the tags alone");
    if (collectors && gpci_number(hierarchy, GPCI_KEY_L1_QUEUE) != collectors + 3)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.queue must be %llu with l1.collectors = %llu: the units, the registers before and behind "
                         "them, and the instruction at the tags",
                         (unsigned long long)collectors + 3, (unsigned long long)collectors);
    if (gpci_number(hierarchy, GPCI_KEY_L1_RELEASE_LATENCY) && !gpci_number(hierarchy, GPCI_KEY_L1_RELEASE_WIDTH))
        return gpci_fail(error, GPC_ERROR_RANGE, "l1.release_latency needs l1.release_width: else there are no turns");
    if (hierarchy->line_order && hierarchy->lane_packets)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.line_order = descending or banks needs l1.coalescer = warp or sector: lanes have no lines "
                         "together");
    if (gpci_check_l1_banks(hierarchy, error) < 0 || check_mshr_free(hierarchy, error) < 0 ||
        check_bypass(hierarchy, error) < 0)
        return GPC_ERROR_RANGE;
    if (most && !waits)
        return gpci_fail(error, GPC_ERROR_RANGE, "sm.lsu_in_flight needs sm.lsu_waits = true: nothing is awaited");
    return GPC_OK;
}

/* Reject keys of the whole configuration that have no effect in combination. */
static gpc_status check_combination(gpc_hierarchy *hierarchy, gpc_error *error) {
    if (hierarchy->with_data && hierarchy->levels != &gpci_tree_levels && gpci_plain_values_check(hierarchy, error) < 0)
        return GPC_ERROR_RANGE;
    if (gpci_number(hierarchy, GPCI_KEY_THREADS) != 1 && gpci_number(hierarchy, GPCI_KEY_THREADS) != UINT64_MAX &&
        hierarchy->driver != &gpci_timed_caches && hierarchy->driver != &gpci_timed_tree)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "threads = %" PRIu64 " has no effect without mode = timed, but in replays",
                         gpci_number(hierarchy, GPCI_KEY_THREADS));
    if (gpci_number(hierarchy, GPCI_KEY_STATS_STAGES) && gpci_number(hierarchy, GPCI_KEY_MODE) != 1)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "stats.stages = true needs mode = timed: without a clock nothing takes time");
    if (gpci_build_window(hierarchy, error) < 0)
        return GPC_ERROR_RANGE;
    if (hierarchy->cpus && hierarchy->cpus >= hierarchy->gpus)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "cpu.count = %u needs gpu.count = %u or more: they are the last of these", hierarchy->cpus,
                         hierarchy->cpus + 1);
    if (hierarchy->lane_packets && hierarchy->driver != &gpci_timed_tree)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.coalescer = multi2sim needs mode = timed and coherence = PROTOCOL: lanes are joined while "
                         "they are in flight, in a coherent L1");
    if (hierarchy->streams > 1 && hierarchy->levels == &gpci_tree_levels)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "streams = %u needs coherence = none or viper: messages of a tree name no stream",
                         hierarchy->streams);
    if (hierarchy->sector_packets && hierarchy->levels == &gpci_tree_levels)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.coalescer = sector needs coherence = none or viper: modules of a tree take lines");
    if (hierarchy->levels != &gpci_tree_levels && gpci_check_idle(hierarchy, error) < 0)
        return GPC_ERROR_RANGE;
    return check_l1(hierarchy, error);
}

gpc_status gpc_hierarchy_create(gpc_context *context, const gpc_config *config, gpc_hierarchy **out, gpc_error *error) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    gpc_hierarchy *hierarchy = gpci_zalloc(context, 1, sizeof *hierarchy);
    if (!hierarchy)
        return gpci_out_of_memory(error);
    hierarchy->context = gpci_retain(context);
    hierarchy->cold = true;
    gpci_stats_init(&hierarchy->stats);
    choose(hierarchy, config);
    gpc_status status = gpc_config_copy(config, &hierarchy->config, error);
    if (status == GPC_OK)
        status = gpci_build_levels(hierarchy, error);
    if (status == GPC_OK)
        status = check_combination(hierarchy, error);
    if (status == GPC_OK)
        status = gpci_ports_check(hierarchy, error);
    if (status == GPC_OK)
        status = hierarchy->levels->check(hierarchy, error);
    if (status == GPC_OK) {
        hierarchy->of_sm = gpci_zalloc(context, hierarchy->sms, sizeof *hierarchy->of_sm);
        hierarchy->of_slice = gpci_zalloc(context, hierarchy->slices, sizeof *hierarchy->of_slice);
        if (hierarchy->streams > 1)
            hierarchy->of_stream =
                gpci_zalloc(context, (hierarchy->sms + hierarchy->slices) * ((size_t)hierarchy->streams + 1),
                            sizeof *hierarchy->of_stream);
        status = hierarchy->of_sm && hierarchy->of_slice && (hierarchy->of_stream || hierarchy->streams == 1)
                     ? GPC_OK
                     : gpci_out_of_memory(error);
    }
    if (status == GPC_OK)
        status = gpci_launch_l1_share(hierarchy, NULL, &hierarchy->share, error);
    if (status == GPC_OK)
        status = hierarchy->levels->create(hierarchy, error);
    if (status == GPC_OK)
        status = gpci_tlbs_create(hierarchy, error);
    if (status == GPC_OK)
        status = hierarchy->driver->create(hierarchy, error);
    if (status < 0) {
        gpc_hierarchy_destroy(hierarchy);
        return status;
    }
    hierarchy->counts_all = hierarchy->counts_fresh = true;
    gpci_report_idle_keys(hierarchy);
    *out = hierarchy;
    return GPC_OK;
}

void gpc_hierarchy_destroy(gpc_hierarchy *hierarchy) {
    if (!hierarchy)
        return;
    gpc_context *context = hierarchy->context;
    gpci_ledger_check(hierarchy);
    if (hierarchy->recorder)
        hierarchy->recorder->ops->destroy(hierarchy->recorder);
    gpci_trace_destroy(hierarchy);
    hierarchy->driver->destroy(hierarchy);
    hierarchy->levels->destroy(hierarchy);
    gpci_commons_release(hierarchy->l1_commons);
    gpci_commons_release(hierarchy->l2_commons);
    gpci_warp_ranks_destroy(hierarchy);
    gpci_tlbs_destroy(hierarchy);
    gpci_kernels_destroy(hierarchy);
    gpci_free(context, hierarchy->sm_partition);
    gpci_free(context, hierarchy->sm_coalescer);
    gpci_free(context, hierarchy->address_map);
    gpci_free(context, hierarchy->of_sm);
    gpci_free(context, hierarchy->of_slice);
    gpci_free(context, hierarchy->of_stream);
    gpc_config_destroy(hierarchy->config);
    gpci_free(context, hierarchy);
    gpci_release(context);
}

gpc_status gpc_hierarchy_get_config(const gpc_hierarchy *hierarchy, gpc_config **out, gpc_error *error) {
    return hierarchy && out ? gpc_config_copy(hierarchy->config, out, error)
                            : gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_get_config: %s is NULL",
                                        hierarchy ? "out" : "hierarchy");
}

void gpci_hierarchy_tell_policies(gpc_hierarchy *hierarchy, gpc_warp_event_kind kind) {
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        gpc_warp_event event = {.kind = kind, .sm = sm, .kernel = hierarchy->kernel};
        hierarchy->levels->warp_event(hierarchy, &event);
    }
    /* policies of L2 receive no events; only the tokens, which protect L2 lines, need a kernel's start and end */
    gpc_warp_event event = {.kind = kind, .kernel = hierarchy->kernel};
    for (uint32_t slice = 0; hierarchy->l2 && slice < hierarchy->slices; slice++)
        gpci_tokens_event(hierarchy->l2[slice]->token_state, &event);
    for (uint32_t slice = 0; hierarchy->coherent && hierarchy->coherent->l2_asks && slice < hierarchy->slices; slice++)
        gpci_module_token_event(gpci_module_at(hierarchy->coherent->tree, hierarchy->coherent->first_slice + slice),
                                &event);
}

gpc_status gpc_hierarchy_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpc_warp_result *result,
                                gpc_error *error) {
    if (!hierarchy || !access)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_access: %s is NULL",
                         hierarchy ? "access" : "hierarchy");
    gpc_status status = GPCI_UNLIKELY(gpci_has_process(hierarchy, access))
                            ? gpci_processes_access(hierarchy, access, result, error)
                            : hierarchy->driver->access(hierarchy, access, result, error);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, access, (hierarchy->recorder, access));
    return status;
}

gpc_status gpc_hierarchy_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error) {
    if (!hierarchy || !fence)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_fence: %s is NULL",
                         hierarchy ? "fence" : "hierarchy");
    gpc_status status = hierarchy->driver->fence(hierarchy, fence, error);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, fence, (hierarchy->recorder, fence));
    return status;
}

void gpci_hierarchy_launch(gpc_hierarchy *hierarchy, const gpc_launch *launch, const gpci_l1_share *share) {
    hierarchy->kernel++;
    hierarchy->stats.kernels++;
    hierarchy->stats.l1_capacity = hierarchy->has_l1 ? share->l1_bytes : 0;
    hierarchy->stats.resident_blocks = launch ? gpc_hierarchy_occupancy(hierarchy, launch) : 0;
    GPCI_AGAIN(hierarchy->resident_again = launch ? gpci_launch_occupancy_again(hierarchy, launch) : 0);
    gpci_count_dram_launch(hierarchy, gpci_number(hierarchy, GPCI_KEY_LAUNCH_SECTORS));
    GPCI_AGAIN(hierarchy->of_sm[0].again.dram_launch_sectors += gpci_number(hierarchy, GPCI_KEY_LAUNCH_SECTORS));
    gpci_launch_code(hierarchy, launch ? launch->code_bytes : 0);
}

gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *hierarchy, const gpc_launch *launch, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_begin_kernel: hierarchy is NULL");
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_begin_kernel: called from within a callback");
    if (!hierarchy->driver->idle(hierarchy))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_begin_kernel: accesses are in flight");
    if (hierarchy->kernels && hierarchy->kernels->running)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_hierarchy_begin_kernel: kernels run that gpc_hierarchy_end_kernel has not ended");
    gpci_ledger_check(hierarchy);
    gpc_launch l = GPC_LAUNCH_INIT;
    gpci_l1_share share;
    gpc_status status = gpci_take(&l, sizeof l, sizeof l, launch, "gpc_launch", error);
    if (status == GPC_OK)
        status = gpci_launch_l1_share(hierarchy, launch ? &l : NULL, &share, error);
    if (status < 0)
        return status;
    const bool same = gpci_is_shape(&share, &hierarchy->share) && gpci_kernels_uniform(hierarchy);
    if (!same && (status = hierarchy->levels->resize(hierarchy, &share, error)) < 0)
        return status;
    hierarchy->share = share;
    gpci_kernels_shared(hierarchy, &share);
    status = (hierarchy->driver->begin ? hierarchy->driver->begin : hierarchy->levels->begin)(hierarchy);
    if (status < 0) /* the kernel is not counted as launched: the host may begin the kernel again */
        return gpci_fail_by_status(error, status, "gpc_hierarchy_begin_kernel");
    gpci_hierarchy_launch(hierarchy, launch ? &l : NULL, &share);
    gpci_hierarchy_tell_policies(hierarchy, GPC_KERNEL_START);
    GPCI_RECORD(hierarchy, kernel, (hierarchy->recorder, launch ? &l : NULL));
    status = hierarchy->observer ? hierarchy->observer->on_kernel(hierarchy->observer->data) : GPC_OK;
    return status < 0 ? gpci_fail_by_status(error, status, "gpc_hierarchy_begin_kernel") : GPC_OK;
}

void gpc_hierarchy_count_instructions(gpc_hierarchy *hierarchy, uint64_t warp_instructions,
                                      uint64_t thread_instructions, uint64_t blocks) {
    if (!hierarchy)
        return;
    hierarchy->stats.warp_instructions += warp_instructions; /* the caller names no SM */
    hierarchy->stats.thread_instructions += thread_instructions;
    GPCI_AGAIN(hierarchy->of_sm[0].again.thread_instructions += thread_instructions);
    hierarchy->stats.blocks += blocks;
    GPCI_RECORD(hierarchy, count, (hierarchy->recorder, warp_instructions, thread_instructions, blocks));
}

gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event, gpc_error *error) {
    if (!hierarchy || !event)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_warp_event: %s is NULL",
                         hierarchy ? "event" : "hierarchy");
    if (event->sm >= hierarchy->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_event.sm: %u is not below sm.count", event->sm);
    if (event->kind > GPC_KERNEL_END)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_event.kind: %u is no gpc_warp_event_kind", event->kind);
    gpc_status status = hierarchy->warp_ranks ? gpci_warp_ranks_event(hierarchy, event, error) : GPC_OK;
    if (status == GPC_OK)
        status = hierarchy->levels->warp_event(hierarchy, event);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, event, (hierarchy->recorder, event));
    return status;
}

gpc_status gpc_hierarchy_flush(gpc_hierarchy *hierarchy, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_flush: hierarchy is NULL");
    if (hierarchy->called_back || !hierarchy->driver->idle(hierarchy))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_flush: %s",
                         hierarchy->called_back ? "called from within a callback" : "accesses are in flight");
    gpc_status status = hierarchy->levels->flush(hierarchy);
    if (status < 0)
        return gpci_fail_by_status(error, status, "gpc_hierarchy_flush");
    hierarchy->cold = true;
    GPCI_RECORD(hierarchy, flush, (hierarchy->recorder));
    return status;
}

void gpci_hierarchy_add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *s) {
    const gpci_sm_counts *c = &hierarchy->of_sm[sm];
#define ADD(field) s->field += c->field;
#define X(id, field, name, unit, kind, objects, ...) GPCI_SM_##objects(ADD, field)
    GPC_COUNTERS(X)
#undef X
#undef ADD
    hierarchy->levels->add_sm(hierarchy, sm, s);
    hierarchy->driver->add_sm(hierarchy, sm, s);
}

static void add_buckets(uint64_t *restrict into, const uint64_t *restrict more, size_t buckets) {
    for (size_t k = 0; k < buckets; k++)
        into[k] += more[k];
}

void gpci_hierarchy_add_sm_histograms(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *s) {
    const gpci_sm_counts *c = &hierarchy->of_sm[sm];
#define X(id, field, name, buckets, ...) add_buckets(s->field, c->field, buckets);
    GPC_HISTOGRAMS(X)
#undef X
}

void gpci_hierarchy_add_slice(const gpc_hierarchy *hierarchy, uint32_t slice, gpc_stats *s) {
    const gpci_slice_counts *c = &hierarchy->of_slice[slice];
#define ADD(field) s->field += c->field;
#define X(id, field, name, unit, kind, objects, ...) GPCI_SLICE_##objects(ADD, field)
    GPC_COUNTERS(X)
#undef X
#undef ADD
    hierarchy->levels->add_slice(hierarchy, slice, s);
}

void gpci_hierarchy_add_stream(const gpc_hierarchy *hierarchy, uint32_t stream, gpc_stats *s) {
    for (size_t place = 0; place < hierarchy->sms + hierarchy->slices; place++) {
        const gpci_stream_counts *c = &hierarchy->of_stream[place * (hierarchy->streams + 1) + stream];
#define ADD(field) s->field += c->field;
#define X(id, field, name, unit, kind, objects, ...) GPCI_STREAM_##objects(ADD, field)
        GPC_COUNTERS(X)
#undef X
#undef ADD
    }
}

void gpci_hierarchy_add_rest(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    gpci_stats_add(stats, &hierarchy->stats);
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        gpci_hierarchy_add_sm_histograms(hierarchy, sm, stats);
        stats->l2_merged_sectors += hierarchy->of_sm[sm].merged_sectors;
    }
    for (uint32_t slice = 0; slice < hierarchy->slices; slice++) {
        gpci_hierarchy_add_slice(hierarchy, slice, stats);
        stats->l2_merged_sectors += hierarchy->of_slice[slice].merged_sectors;
        stats->dram_read_sectors += hierarchy->of_slice[slice].memory_reads;
        stats->dram_write_sectors += hierarchy->of_slice[slice].memory_writes;
        stats->memory_cache_read_sectors += hierarchy->of_slice[slice].memory_cache.reads;
        stats->memory_cache_read_sector_hits += hierarchy->of_slice[slice].memory_cache.hits;
        stats->memory_cache_write_sectors += hierarchy->of_slice[slice].memory_cache.writes;
        stats->memory_cache_write_back_sectors += hierarchy->of_slice[slice].memory_cache.write_backs;
    }
    hierarchy->driver->add_rest(hierarchy, stats);
}

uint64_t gpci_unfilled_sectors(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index) {
    uint64_t sectors = 0;
    if (kind == GPC_OBJECT_SM || kind == GPC_OBJECT_L1)
        return hierarchy->of_sm[index].unfilled_sectors;
    for (uint32_t sm = 0; sm < hierarchy->sms && kind == GPC_OBJECT_WHOLE; sm++)
        sectors += hierarchy->of_sm[sm].unfilled_sectors;
    return sectors;
}

void gpci_hierarchy_stats(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    gpci_stats_init(stats);
    gpci_hierarchy_add_rest(hierarchy, stats);
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++)
        gpci_hierarchy_add_sm(hierarchy, sm, stats);
    gpci_energy_of(hierarchy->config, gpci_unfilled_sectors(hierarchy, GPC_OBJECT_WHOLE, 0), stats);
}

void gpc_hierarchy_reset_stats(gpc_hierarchy *hierarchy) {
    if (!hierarchy)
        return;
    gpci_ledger_check(hierarchy);
    hierarchy->counts_all = hierarchy->driver->idle(hierarchy);
    hierarchy->counts_fresh = false;
    uint64_t capacity = hierarchy->stats.l1_capacity, resident = hierarchy->stats.resident_blocks;
    gpci_stats_init(&hierarchy->stats);
    hierarchy->stats.l1_capacity = capacity;
    hierarchy->stats.resident_blocks = resident;
    memset(hierarchy->of_sm, 0, hierarchy->sms * sizeof *hierarchy->of_sm);
    memset(hierarchy->of_slice, 0, hierarchy->slices * sizeof *hierarchy->of_slice);
    if (hierarchy->of_stream)
        memset(hierarchy->of_stream, 0,
               (hierarchy->sms + hierarchy->slices) * ((size_t)hierarchy->streams + 1) * sizeof *hierarchy->of_stream);
    hierarchy->levels->reset_stats(hierarchy);
    hierarchy->driver->reset_stats(hierarchy);
}

uint32_t gpc_hierarchy_threads(const gpc_hierarchy *hierarchy) {
    if (hierarchy && hierarchy->timed)
        return gpci_shards_threads(hierarchy->timed);
    return hierarchy && hierarchy->round_threads ? hierarchy->round_threads : 1;
}

gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *hierarchy, unsigned level, uint32_t instance) {
    gpc_cache *const *caches = !hierarchy ? NULL : level == 1 ? hierarchy->l1 : level == 2 ? hierarchy->l2 : NULL;
    if (!caches || instance >= (level == 1 ? hierarchy->sms : hierarchy->slices))
        return NULL;
    hierarchy->lent = true;
    return caches[instance];
}

gpc_status gpc_hierarchy_drain(gpc_hierarchy *hierarchy, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_drain: hierarchy is NULL");
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_drain: called from within a callback");
    gpc_status status = hierarchy->driver->clock->drain(hierarchy, error);
    hierarchy->drains += GPCI_CHECKING;
    if (GPCI_CHECKING && status == GPC_OK && !(hierarchy->drains & (hierarchy->drains - 1)))
        gpci_ledger_check(hierarchy);
    return status;
}
