/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/event_log.h"
#include "timed/core/kept_access.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/ctrl/drain.h"
#include "timed/ctrl/plain_values.h"

/* Configuration keys of a timed hierarchy, and creation. Groups create their objects: components.c. */

static uint32_t number(const gpci_timed *t, gpci_key key) {
    uint64_t value = gpci_number(t->h, key);
    return value >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)value;
}

static gpci_clock clock_of(const gpci_timed *t, gpci_key key) {
    return gpci_clock_make(gpci_number(t->h, key), gpci_number(t->h, GPCI_KEY_CLOCK_CORE));
}

static gpci_data_banks read_data_banks(const gpci_timed *t) {
    const uint32_t width = number(t, GPCI_KEY_L1_DATA_BANK_WIDTH);
    gpci_data_banks banks = {.count = t->h->has_l1 ? number(t, GPCI_KEY_L1_DATA_BANKS) : 0, .shift = gpci_log2(width)};
    banks.whole = banks.count * width >= number(t, GPCI_KEY_L1_LINE);
    return banks;
}

static gpci_ctrl_options l1_options(const gpci_timed *t) {
    return (gpci_ctrl_options){.latency = number(t, GPCI_KEY_L1_LATENCY),
                               .ports = number(t, GPCI_KEY_L1_PORTS),
                               .banks = number(t, GPCI_KEY_L1_BANKS),
                               .data_width = number(t, GPCI_KEY_L1_DATA_WIDTH),
                               .fill_width = number(t, GPCI_KEY_L1_FILL_WIDTH),
                               .entries = gpci_number(t->h, GPCI_KEY_L1_MSHR),
                               .merges = gpci_number(t->h, GPCI_KEY_L1_MERGES),
                               .by_sector = gpci_number(t->h, GPCI_KEY_L1_MERGED) != 0,
                               .on_miss = gpci_l1_takes_at_miss(t->h),
                               .replaceable = gpci_number(t->h, GPCI_KEY_L1_ALLOCATE) == GPC_ALLOCATE_REPLACEABLE,
                               .drains = gpci_number(t->h, GPCI_KEY_L1_MSHR_FREE) != GPCI_MSHR_FILLED,
                               .reserves = gpci_number(t->h, GPCI_KEY_L1_MSHR_FREE) == GPCI_MSHR_RESERVING,
                               .sector_packets = t->h->sector_packets,
                               .hashed = t->h->tag_banks.hashed,
                               .part = gpci_number(t->h, GPCI_KEY_L1_BYPASS_FETCH) == GPC_BYPASS_FETCH_NEEDED,
                               .clock = {1, 1}};
}

static gpci_ctrl_options l2_options(const gpci_timed *t) {
    return (gpci_ctrl_options){.latency = number(t, GPCI_KEY_L2_LATENCY),
                               .ports = number(t, GPCI_KEY_L2_PORTS),
                               .banks = number(t, GPCI_KEY_L2_BANKS),
                               .data_width = number(t, GPCI_KEY_L2_DATA_WIDTH),
                               .fill_width = number(t, GPCI_KEY_L2_FILL_WIDTH),
                               .entries = gpci_number(t->h, GPCI_KEY_L2_MSHR),
                               .merges = gpci_number(t->h, GPCI_KEY_L2_MERGES),
                               .by_sector = gpci_number(t->h, GPCI_KEY_L2_MERGED) != 0,
                               .on_miss = true,
                               .clock = clock_of(t, GPCI_KEY_CLOCK_L2)};
}

static void read_options(gpci_timed *t) {
    t->l1_options = l1_options(t);
    t->l2_options = l2_options(t);
    t->reorder_options =
        (gpci_reorder_options){.signature = (gpci_reorder_signature)gpci_number(t->h, GPCI_KEY_L1_REORDER),
                               .drain = (gpci_drain)gpci_number(t->h, GPCI_KEY_L1_REORDER_DRAIN),
                               .greedy = gpci_number(t->h, GPCI_KEY_L1_REORDER_GREEDY) != 0,
                               .queues = number(t, GPCI_KEY_L1_REORDER_QUEUES),
                               .entries = number(t, GPCI_KEY_L1_REORDER_ENTRIES)};
    t->network_clock = clock_of(t, GPCI_KEY_CLOCK_NETWORK);
    t->dram_clock = clock_of(t, GPCI_KEY_CLOCK_DRAM);
    t->header = number(t, GPCI_KEY_NETWORK_HEADER);
    t->write_mask = number(t, GPCI_KEY_NETWORK_MASK);
    t->rop_latency = number(t, GPCI_KEY_L2_ROP);
    t->miss_latency = number(t, GPCI_KEY_L1_MISS_LATENCY);
    const uint64_t past = gpci_number(t->h, GPCI_KEY_L1_BYPASS_LATENCY);
    t->bypass_latency = past == GPCI_WORD || t->h->coherent ? t->miss_latency : (uint32_t)past;
    t->longest_way = t->miss_latency > t->bypass_latency ? t->miss_latency : t->bypass_latency;
    t->release_width = number(t, GPCI_KEY_L1_RELEASE_WIDTH);
    t->release_latency = number(t, GPCI_KEY_L1_RELEASE_LATENCY);
    t->rop_apart = gpci_number(t->h, GPCI_KEY_L2_INTAKE) != 0;
    const uint32_t part = number(t, GPCI_KEY_L2_ATOMIC_WIDTH);
    t->atomic_unit = (gpci_atomic_options){number(t, GPCI_KEY_L2_ATOMIC_CYCLES), part < 128 ? part : 128,
                                           gpci_number(t->h, GPCI_KEY_L2_ATOMIC_LANES)};
    t->write_to_read = number(t, GPCI_KEY_L2_WRITE_TO_READ);
    if (t->h->coherent && t->h->line_blocks > 1)
        t->bundle_line = t->h->l1_level.line_bytes * t->h->line_blocks;
    t->data_banks = read_data_banks(t);
    t->bypass_room = number(t, GPCI_KEY_L1_BYPASS_QUEUE);
    t->l1_queue = number(t, GPCI_KEY_L1_QUEUE);
    t->l1_queue = t->l1_queue ? t->l1_queue : 1;
    t->issue_latency = number(t, GPCI_KEY_L1_ISSUE_LATENCY);
    t->interleave_bytes = gpci_number(t->h, GPCI_KEY_L2_INTERLEAVE_BYTES);
    t->deadlock_cycles = gpci_number(t->h, GPCI_KEY_DEADLOCK);
}

gpc_status gpci_timed_create(gpc_hierarchy *h, gpc_error *error) {
    gpci_timed *t = gpci_zalloc(h->context, 1, sizeof *t);
    if (!t)
        return gpci_out_of_memory(error);
    h->timed = t;
    h->now = &t->wheel.now;
    t->h = h;
    t->context = h->context;
    t->inflight_free = UINT32_MAX;
    t->error = (gpc_error)GPC_ERROR_INIT;
    t->channels = (uint32_t)gpci_number(h, GPCI_KEY_DRAM_CHANNELS);
    gpci_pool_init(&t->pool, h->context);
    if (h->coherent)
        gpci_pool_expect_messages(&t->pool);
    read_options(t);
    gpc_status status = h->with_data && !h->coherent ? gpci_plain_values_create(t, error) : GPC_OK;
    if (status == GPC_OK)
        status = gpci_stage_times_create(t, error);
    if (status == GPC_OK)
        status = gpci_groups_make(t, error);
    if (status < 0)
        return status;
    gpci_stages_connect(t);
    gpci_timed_relink(t);
    if ((t->values || t->stage_times) && gpci_timed_watch(t, NULL) < 0)
        return gpci_out_of_memory(error);
    return gpci_shards_create(t, error);
}

void gpci_timed_destroy(gpci_timed *t) {
    if (!t)
        return;
    gpci_shards_destroy(t);
    gpci_groups_destroy(t);
    gpci_plain_values_destroy(t);
    gpci_stage_times_destroy(t);
    gpci_kept_free(t);
    gpci_pool_destroy(&t->pool);
    gpci_free(t->context, t->inflights);
    gpci_free(t->context, t);
}

void gpci_timed_relink(gpci_timed *t) {
    for (uint32_t i = 0; i < t->h->sms; i++)
        t->l1[i].cache = t->h->l1 ? t->h->l1[i] : NULL;
    for (uint32_t i = 0; i < t->h->slices; i++)
        t->l2[i].cache = t->h->l2 ? t->h->l2[i] : NULL;
    gpci_timed_hook(t);
}
