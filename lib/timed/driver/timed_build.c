/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/kept_access.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/core/timed.h"
#include "timed/ctrl/drain.h"
#include "timed/ctrl/plain_values.h"

/* Configuration keys of a timed hierarchy, and creation. Groups create their objects: components.c. */

static uint32_t number(const gpci_timed *timed, gpci_key key) {
    uint64_t value = gpci_number(timed->hierarchy, key);
    return value >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)value;
}

static gpci_clock clock_of(const gpci_timed *timed, gpci_key key) {
    return gpci_clock_make(gpci_number(timed->hierarchy, key), gpci_number(timed->hierarchy, GPCI_KEY_CLOCK_CORE));
}

static gpci_data_banks read_data_banks(const gpci_timed *timed) {
    const uint32_t width = number(timed, GPCI_KEY_L1_DATA_BANK_WIDTH);
    gpci_data_banks banks = {.count = timed->hierarchy->has_l1 ? number(timed, GPCI_KEY_L1_DATA_BANKS) : 0,
                             .shift = gpci_log2(width),
                             .width = number(timed, GPCI_KEY_L1_DATA_WIDTH)};
    banks.moved = banks.count * width;
    banks.full_line = banks.moved >= number(timed, GPCI_KEY_L1_LINE);
    return banks;
}

static gpci_ctrl_options l1_options(const gpci_timed *timed) {
    return (gpci_ctrl_options){
        .latency = number(timed, GPCI_KEY_L1_LATENCY),
        .ports = number(timed, GPCI_KEY_L1_PORTS),
        .banks = number(timed, GPCI_KEY_L1_BANKS),
        .data_width = number(timed, GPCI_KEY_L1_DATA_WIDTH),
        .fill_width = number(timed, GPCI_KEY_L1_FILL_WIDTH),
        .entries = gpci_number(timed->hierarchy, GPCI_KEY_L1_MSHR),
        .merges = gpci_number(timed->hierarchy, GPCI_KEY_L1_MERGES),
        .by_sector = gpci_number(timed->hierarchy, GPCI_KEY_L1_MERGED) != 0,
        .on_miss = gpci_l1_takes_at_miss(timed->hierarchy),
        .replaceable = gpci_number(timed->hierarchy, GPCI_KEY_L1_ALLOCATE) == GPC_ALLOCATE_REPLACEABLE,
        .drains = gpci_number(timed->hierarchy, GPCI_KEY_L1_MSHR_FREE) != GPCI_MSHR_FILLED,
        .reserves = gpci_number(timed->hierarchy, GPCI_KEY_L1_MSHR_FREE) == GPCI_MSHR_RESERVING,
        .sector_packets = timed->hierarchy->sector_packets,
        .packed = timed->hierarchy->sector_packets,
        .hashed = timed->hierarchy->tag_banks.hashed,
        .part = gpci_number(timed->hierarchy, GPCI_KEY_L1_BYPASS_FETCH) == GPC_BYPASS_FETCH_NEEDED,
        .clock = {1, 1}};
}

static gpci_ctrl_options l2_options(const gpci_timed *timed) {
    return (gpci_ctrl_options){.latency = number(timed, GPCI_KEY_L2_LATENCY),
                               .ports = number(timed, GPCI_KEY_L2_PORTS),
                               .banks = number(timed, GPCI_KEY_L2_BANKS),
                               .data_width = number(timed, GPCI_KEY_L2_DATA_WIDTH),
                               .fill_width = number(timed, GPCI_KEY_L2_FILL_WIDTH),
                               .entries = gpci_number(timed->hierarchy, GPCI_KEY_L2_MSHR),
                               .merges = gpci_number(timed->hierarchy, GPCI_KEY_L2_MERGES),
                               .by_sector = gpci_number(timed->hierarchy, GPCI_KEY_L2_MERGED) != 0,
                               .on_miss = true,
                               .clock = clock_of(timed, GPCI_KEY_CLOCK_L2)};
}

static void read_options(gpci_timed *timed) {
    timed->l1_options = l1_options(timed);
    timed->l2_options = l2_options(timed);
    timed->reorder_options =
        (gpci_reorder_options){.signature = (gpci_reorder_signature)gpci_number(timed->hierarchy, GPCI_KEY_L1_REORDER),
                               .drain = (gpci_drain)gpci_number(timed->hierarchy, GPCI_KEY_L1_REORDER_DRAIN),
                               .greedy = gpci_number(timed->hierarchy, GPCI_KEY_L1_REORDER_GREEDY) != 0,
                               .queues = number(timed, GPCI_KEY_L1_REORDER_QUEUES),
                               .entries = number(timed, GPCI_KEY_L1_REORDER_ENTRIES)};
    timed->network_clock = clock_of(timed, GPCI_KEY_CLOCK_NETWORK);
    timed->dram_clock = clock_of(timed, GPCI_KEY_CLOCK_DRAM);
    timed->header = number(timed, GPCI_KEY_NETWORK_HEADER);
    timed->write_mask = number(timed, GPCI_KEY_NETWORK_MASK);
    timed->rop_latency = number(timed, GPCI_KEY_L2_ROP);
    timed->miss_latency = number(timed, GPCI_KEY_L1_MISS_LATENCY);
    const uint64_t past = gpci_number(timed->hierarchy, GPCI_KEY_L1_BYPASS_LATENCY);
    timed->bypass_latency = past == GPCI_WORD || timed->hierarchy->coherent ? timed->miss_latency : (uint32_t)past;
    timed->longest_way = timed->miss_latency > timed->bypass_latency ? timed->miss_latency : timed->bypass_latency;
    timed->miss_interval = number(timed, GPCI_KEY_L1_MISS_INTERVAL);
    timed->release_width = number(timed, GPCI_KEY_L1_RELEASE_WIDTH);
    timed->release_latency = number(timed, GPCI_KEY_L1_RELEASE_LATENCY);
    timed->rop_queue = gpci_number(timed->hierarchy, GPCI_KEY_L2_INTAKE) != 0;
    const uint32_t part = number(timed, GPCI_KEY_L2_ATOMIC_WIDTH);
    timed->atomic_unit = (gpci_atomic_options){number(timed, GPCI_KEY_L2_ATOMIC_CYCLES), part < 128 ? part : 128,
                                               gpci_number(timed->hierarchy, GPCI_KEY_L2_ATOMIC_LANES)};
    timed->write_to_read = number(timed, GPCI_KEY_L2_WRITE_TO_READ);
    if (timed->hierarchy->coherent && timed->hierarchy->line_blocks > 1)
        timed->bundle_line = timed->hierarchy->l1_level.line_bytes * timed->hierarchy->line_blocks;
    timed->data_banks = read_data_banks(timed);
    timed->bypass_alone = !gpci_number(timed->hierarchy, GPCI_KEY_L1_BYPASS_MSHRS);
    timed->bypass_capacity = number(timed, GPCI_KEY_L1_BYPASS_QUEUE);
    timed->l1_queue = number(timed, GPCI_KEY_L1_QUEUE);
    timed->l1_queue = timed->l1_queue ? timed->l1_queue : 1;
    timed->issue_latency = number(timed, GPCI_KEY_L1_ISSUE_LATENCY);
    timed->deadlock_cycles = gpci_number(timed->hierarchy, GPCI_KEY_DEADLOCK);
}

gpc_status gpci_timed_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpci_timed *timed = gpci_zalloc(hierarchy->context, 1, sizeof *timed);
    if (!timed)
        return gpci_out_of_memory(error);
    hierarchy->timed = timed;
    hierarchy->now = &timed->wheel.now;
    timed->hierarchy = hierarchy;
    timed->context = hierarchy->context;
    timed->inflight_free = UINT32_MAX;
    timed->error = (gpc_error)GPC_ERROR_INIT;
    timed->channels = hierarchy->memory.channels;
    gpci_pool_init(&timed->pool, hierarchy->context);
    if (hierarchy->coherent)
        gpci_pool_expect_messages(&timed->pool);
    read_options(timed);
    gpc_status status = hierarchy->with_data && !hierarchy->coherent ? gpci_plain_values_create(timed, error) : GPC_OK;
    if (status == GPC_OK)
        status = gpci_stage_times_create(timed, error);
    if (status == GPC_OK)
        status = gpci_groups_make(timed, error);
    if (status < 0)
        return status;
    gpci_stages_connect(timed);
    gpci_timed_relink(timed);
    if ((timed->values || timed->stage_times) && gpci_timed_watch(timed, NULL) < 0)
        return gpci_out_of_memory(error);
    status = gpci_shards_create(timed, error);
    if (status < 0 || timed->shards)
        return status;
    /* room for the first instruction */
    return gpci_reserve_inflights(timed, GPCI_MAX_TRANSACTIONS) == GPC_OK ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_timed_destroy(gpci_timed *timed) {
    if (!timed)
        return;
    gpci_shards_destroy(timed);
    gpci_groups_destroy(timed);
    gpci_plain_values_destroy(timed);
    gpci_stage_times_destroy(timed);
    gpci_kept_free(timed);
    gpci_pool_destroy(&timed->pool);
    gpci_free(timed->context, timed->inflights);
    gpci_free(timed->context, timed);
}

void gpci_timed_relink(gpci_timed *timed) {
    for (uint32_t i = 0; i < timed->hierarchy->sms; i++)
        timed->l1[i].cache = timed->hierarchy->l1 ? timed->hierarchy->l1[i] : NULL;
    for (uint32_t i = 0; i < timed->hierarchy->slices; i++)
        timed->l2[i].cache = timed->hierarchy->l2 ? timed->hierarchy->l2[i] : NULL;
    gpci_timed_hook(timed);
}
