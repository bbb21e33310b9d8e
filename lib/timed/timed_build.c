/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent.h"

/* From configuration keys to stages, networks and channels. */

static uint32_t number(const gpci_timed *t, gpci_key key) {
    uint64_t value = gpci_number(t->h, key);
    return value >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)value;
}

static gpci_clock clock_of(const gpci_timed *t, gpci_key key) {
    return gpci_clock_make(gpci_number(t->h, key), gpci_number(t->h, GPCI_KEY_CLOCK_CORE));
}

static void read_options(gpci_timed *t) {
    t->l1_options = (gpci_stage_options){.latency = number(t, GPCI_KEY_L1_LATENCY),
                                         .ports = number(t, GPCI_KEY_L1_PORTS),
                                         .banks = number(t, GPCI_KEY_L1_BANKS),
                                         .data_width = number(t, GPCI_KEY_L1_DATA_WIDTH),
                                         .fill_width = number(t, GPCI_KEY_L1_FILL_WIDTH),
                                         .entries = gpci_number(t->h, GPCI_KEY_L1_MSHR),
                                         .merges = gpci_number(t->h, GPCI_KEY_L1_MERGES),
                                         .on_miss = gpci_number(t->h, GPCI_KEY_L1_ALLOCATE) == GPC_ALLOCATE_ON_MISS,
                                         .part = gpci_number(t->h, GPCI_KEY_L1_BYPASS_FETCH) == GPC_BYPASS_FETCH_NEEDED,
                                         .clock = {1, 1}};
    t->l2_options = (gpci_stage_options){.latency = number(t, GPCI_KEY_L2_LATENCY),
                                         .ports = number(t, GPCI_KEY_L2_PORTS),
                                         .banks = number(t, GPCI_KEY_L2_BANKS),
                                         .data_width = number(t, GPCI_KEY_L2_DATA_WIDTH),
                                         .fill_width = number(t, GPCI_KEY_L2_FILL_WIDTH),
                                         .entries = gpci_number(t->h, GPCI_KEY_L2_MSHR),
                                         .merges = gpci_number(t->h, GPCI_KEY_L2_MERGES),
                                         .on_miss = true,
                                         .clock = clock_of(t, GPCI_KEY_CLOCK_L2)};
    t->reorder_options =
        (gpci_reorder_options){.signature = (gpci_reorder_signature)gpci_number(t->h, GPCI_KEY_L1_REORDER),
                               .drain = (gpci_drain)gpci_number(t->h, GPCI_KEY_L1_REORDER_DRAIN),
                               .greedy = gpci_number(t->h, GPCI_KEY_L1_REORDER_GREEDY) != 0,
                               .queues = number(t, GPCI_KEY_L1_REORDER_QUEUES),
                               .entries = number(t, GPCI_KEY_L1_REORDER_ENTRIES)};
    t->network_clock = clock_of(t, GPCI_KEY_CLOCK_NETWORK);
    t->dram_clock = clock_of(t, GPCI_KEY_CLOCK_DRAM);
    t->header = number(t, GPCI_KEY_NETWORK_HEADER);
    t->rop_latency = number(t, GPCI_KEY_L2_ROP);
    t->bypass_room = number(t, GPCI_KEY_L1_BYPASS_QUEUE);
    t->l1_queue = number(t, GPCI_KEY_L1_QUEUE);
    t->l1_queue = t->l1_queue ? t->l1_queue : 1;
    t->interleave_bytes = gpci_number(t->h, GPCI_KEY_L2_INTERLEAVE_BYTES);
}

static void number_components(gpci_timed *t) {
    bool link = t->h->partitions == 2 && t->h->l2, memory = gpci_number(t->h, GPCI_KEY_MEMORY_LINK_WIDTH) != 0;
    uint32_t sms = t->h->sms, slices = t->h->slices, clusters = t->h->coherent ? t->h->coherent->clusters : 0;
    t->at_channels = t->h->coherent ? 1 : 0;
    t->at_memory_replies = t->at_channels + t->channels;
    t->at_link_replies = t->at_memory_replies + (memory ? slices : 0);
    t->at_slices = t->at_link_replies + (link ? slices : 0);
    t->at_down = t->at_slices + slices;
    t->at_clusters = t->at_down + clusters;
    t->at_replies = t->at_clusters + clusters;
    t->at_l1 = t->at_replies + sms;
    t->at_front = t->at_l1 + sms;
    t->at_requests = t->at_front + sms;
    t->at_link_requests = t->at_requests + (clusters ? clusters : slices);
    t->at_memory_requests = t->at_link_requests + (link ? slices : 0);
    t->at_up = t->at_memory_requests + (memory ? t->channels : 0);
    t->at_end = t->at_up + (clusters ? slices : 0);
}

/* Buckets enough for the entries that a table may have, or for many where it has no limit. */
static gpc_status make_mshr(gpci_timed *t, gpci_stage *stage) {
    uint64_t entries = stage->options->entries, buckets = 16;
    while (buckets < 2 * entries && buckets < 2048)
        buckets *= 2;
    stage->mshr.mask = (uint32_t)buckets - 1;
    stage->mshr.buckets = gpci_alloc(t->context, buckets * sizeof *stage->mshr.buckets);
    if (!stage->mshr.buckets)
        return GPC_ERROR_MEMORY;
    for (uint64_t i = 0; i < buckets; i++)
        stage->mshr.buckets[i].leader = GPCI_NO_PACKET;
    return GPC_OK;
}

static gpc_status make_stage(gpci_timed *t, gpci_stage *stage, uint8_t level, uint32_t index) {
    bool first = level == 1;
    *stage = (gpci_stage){.options = first ? &t->l1_options : &t->l2_options,
                          .line = first ? &t->h->l1_level : &t->h->l2_level,
                          .component = (first ? t->at_l1 : t->at_slices) + index,
                          .index = index,
                          .level = level,
                          .link_at = GPCI_NO_PACKET,
                          .tag_cycle = GPCI_NEVER,
                          .congested_since = GPCI_NEVER,
                          .unsent_since = GPCI_NEVER,
                          .first_due = UINT32_MAX};
    uint64_t in = gpci_number(t->h, GPCI_KEY_L2_QUEUE);
    gpci_queue_init(&stage->in, first || in >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (in ? in : 1) + t->rop_latency);
    gpci_queue_init(&stage->out, gpci_number(t->h, first ? GPCI_KEY_L1_MISS_QUEUE : GPCI_KEY_L2_MISS_QUEUE));
    gpci_queue_init(&stage->link, gpci_number(t->h, GPCI_KEY_L2_MISS_QUEUE));
    uint64_t replies = gpci_number(t->h, GPCI_KEY_L2_REPLIES);
    gpci_queue_init(&stage->served, replies >= GPCI_UNLIMITED ? replies : replies + t->l2_options.latency);
    gpci_queue_init(&stage->returned, GPCI_UNLIMITED);
    gpci_queue_init(&stage->fills, GPCI_UNLIMITED);
    gpc_status status = make_mshr(t, stage);
    if (status == GPC_OK && first && t->reorder_options.signature != GPCI_REORDER_NONE)
        status = gpci_reorder_create(t->context, &t->reorder_options, &stage->reorder);
    return status;
}

static gpc_status make_stages(gpci_timed *t, gpc_error *error) {
    t->l1 = gpci_zalloc(t->context, t->h->sms, sizeof *t->l1);
    t->l2 = gpci_zalloc(t->context, t->h->slices, sizeof *t->l2);
    gpc_status status = t->l1 && t->l2 ? GPC_OK : GPC_ERROR_MEMORY;
    for (uint32_t i = 0; status == GPC_OK && i < t->h->sms; i++)
        status = make_stage(t, &t->l1[i], 1, i);
    for (uint32_t i = 0; status == GPC_OK && i < t->h->slices; i++)
        status = make_stage(t, &t->l2[i], 2, i);
    return status == GPC_OK ? GPC_OK : gpci_out_of_memory(error);
}

/* A network between components; `keys` of its own. */
static gpc_status make_network(gpci_timed *t, gpci_network_options o, gpc_error *error, gpci_network **out) {
    o.clock = t->network_clock;
    return gpci_network_create(t->context, &o, &t->pool, &t->wheel, error, out);
}

static gpc_status make_crossbars(gpci_timed *t, gpc_error *error) {
    uint32_t clusters = t->h->coherent ? t->h->coherent->clusters : 0, units = clusters ? clusters : t->h->slices;
    gpci_network_options o = {.inputs = t->h->sms,
                              .outputs = units,
                              .width = number(t, GPCI_KEY_NETWORK_WIDTH),
                              .latency = number(t, GPCI_KEY_NETWORK_LATENCY),
                              .input_room = gpci_number(t->h, GPCI_KEY_NETWORK_INPUT),
                              .output_room = gpci_number(t->h, GPCI_KEY_NETWORK_OUTPUT),
                              .queues = (gpci_queues)gpci_number(t->h, GPCI_KEY_NETWORK_QUEUES),
                              .first_output = t->at_requests,
                              .first_receiver = clusters ? t->at_clusters : t->at_slices,
                              .first_sender = t->at_l1};
    gpc_status status = make_network(t, o, error, &t->requests);
    if (status == GPC_OK && clusters)
        status = gpci_play_connect(t, o, error);
    o.first_sender = o.first_receiver;
    o.inputs = units;
    o.outputs = t->h->sms;
    o.width = number(t, GPCI_KEY_NETWORK_REPLY_WIDTH);
    o.first_output = t->at_replies;
    o.first_receiver = t->at_l1;
    return status == GPC_OK ? make_network(t, o, error, &t->replies) : status;
}

static gpc_status make_lrc(gpci_timed *t, gpc_error *error) {
    gpci_lrc_options o = {
        .sms = t->h->sms, .sharing = number(t, GPCI_KEY_LRC_SMS), .entries = number(t, GPCI_KEY_LRC_ENTRIES)};
    return o.sharing ? gpci_lrc_create(t->context, &o, &t->pool, error, &t->lrc) : GPC_OK;
}

static gpc_status make_links(gpci_timed *t, gpc_error *error) {
    if (t->at_slices == t->at_link_replies)
        return GPC_OK;
    gpci_network_options o = {.inputs = t->h->slices,
                              .outputs = t->h->slices,
                              .width = number(t, GPCI_KEY_L2_LINK_WIDTH),
                              .latency = number(t, GPCI_KEY_L2_LINK_LATENCY),
                              .input_room = gpci_number(t->h, GPCI_KEY_L2_LINK_BUFFER),
                              .output_room = gpci_number(t->h, GPCI_KEY_L2_LINK_BUFFER),
                              .first_output = t->at_link_requests,
                              .first_receiver = t->at_slices,
                              .first_sender = t->at_slices};
    gpc_status status = make_network(t, o, error, &t->link_requests);
    o.first_output = t->at_link_replies;
    return status == GPC_OK ? make_network(t, o, error, &t->link_replies) : status;
}

static gpc_status make_memory_links(gpci_timed *t, gpc_error *error) {
    if (t->at_up == t->at_memory_requests)
        return GPC_OK;
    gpci_network_options o = {.inputs = t->h->slices,
                              .outputs = t->channels,
                              .width = number(t, GPCI_KEY_MEMORY_LINK_WIDTH),
                              .latency = number(t, GPCI_KEY_MEMORY_LINK_LATENCY),
                              .input_room = gpci_number(t->h, GPCI_KEY_MEMORY_LINK_BUFFER),
                              .output_room = gpci_number(t->h, GPCI_KEY_MEMORY_LINK_BUFFER),
                              .first_output = t->at_memory_requests,
                              .first_receiver = t->at_channels,
                              .first_sender = t->at_slices};
    gpc_status status = make_network(t, o, error, &t->memory_requests);
    o.inputs = t->channels;
    o.outputs = t->h->slices;
    o.first_output = t->at_memory_replies;
    o.first_receiver = t->at_slices;
    o.first_sender = t->at_channels;
    return status == GPC_OK ? make_network(t, o, error, &t->memory_replies) : status;
}

static gpc_status make_memory(gpci_timed *t, gpc_error *error) {
    gpc_status status = gpc_dram_create(t->context, t->h->config, error, &t->dram);
    if (status < 0)
        return status;
    t->burst = gpc_dram_burst_bytes(t->dram);
    if (t->burst < 16)
        return gpci_fail(error, GPC_ERROR_RANGE, "dram: a burst of %u bytes is less than the 16 of a hierarchy",
                         t->burst);
    t->channel_replies = gpci_zalloc(t->context, t->channels, sizeof *t->channel_replies);
    t->channel_at = gpci_zalloc(t->context, t->channels, sizeof *t->channel_at);
    t->host_full = gpci_zalloc(t->context, t->channels, sizeof *t->host_full);
    if (!t->channel_replies || !t->channel_at || !t->host_full)
        return gpci_out_of_memory(error);
    for (uint32_t channel = 0; channel < t->channels; channel++) {
        gpci_queue_init(&t->channel_replies[channel], GPCI_UNLIMITED);
        t->channel_at[channel] = GPCI_NO_PACKET;
    }
    uint32_t slices = t->h->slices;
    t->slices_per_channel = (slices + t->channels - 1) / t->channels;
    t->channels_per_slice = t->channels / slices ? t->channels / slices : 1;
    return GPC_OK;
}

gpc_status gpci_timed_create(gpc_hierarchy *h, gpc_error *error) {
    gpci_timed *t = gpci_zalloc(h->context, 1, sizeof *t);
    if (!t)
        return gpci_out_of_memory(error);
    h->timed = t;
    t->h = h;
    t->context = h->context;
    t->flight_free = UINT32_MAX;
    t->channels = (uint32_t)gpci_number(h, GPCI_KEY_DRAM_CHANNELS);
    gpci_pool_init(&t->pool, h->context);
    read_options(t);
    number_components(t);
    gpc_status status = gpci_wheel_create(h->context, t->at_end, error, &t->wheel);
    if (status == GPC_OK)
        status = make_stages(t, error);
    if (status == GPC_OK && h->coherent)
        status = gpci_play_create(t, error);
    if (status == GPC_OK)
        status = make_crossbars(t, error);
    if (status == GPC_OK)
        status = make_lrc(t, error);
    if (status == GPC_OK)
        status = make_links(t, error);
    if (status == GPC_OK)
        status = make_memory(t, error);
    if (status == GPC_OK)
        status = make_memory_links(t, error);
    if (status == GPC_OK)
        gpci_timed_relink(t);
    return status;
}

void gpci_timed_destroy(gpci_timed *t) {
    if (!t)
        return;
    gpci_network *networks[] = {t->requests,     t->replies,         t->link_requests,
                                t->link_replies, t->memory_requests, t->memory_replies};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        gpci_network_destroy(networks[i]);
    for (uint32_t i = 0; t->l1 && i < t->h->sms; i++) {
        gpci_free(t->context, t->l1[i].mshr.buckets);
        gpci_reorder_destroy(t->l1[i].reorder);
    }
    for (uint32_t i = 0; t->l2 && i < t->h->slices; i++)
        gpci_free(t->context, t->l2[i].mshr.buckets);
    gpci_play_destroy(t);
    gpci_lrc_destroy(t->lrc);
    gpc_dram_destroy(t->dram);
    gpci_wheel_destroy(&t->wheel);
    gpci_pool_destroy(&t->pool);
    gpci_free(t->context, t->flights);
    gpci_free(t->context, t->l1);
    gpci_free(t->context, t->l2);
    gpci_free(t->context, t->channel_replies);
    gpci_free(t->context, t->channel_at);
    gpci_free(t->context, t->host_full);
    gpci_free(t->context, t);
}

void gpci_timed_relink(gpci_timed *t) {
    for (uint32_t i = 0; i < t->h->sms; i++)
        t->l1[i].cache = t->h->l1 ? t->h->l1[i] : NULL;
    for (uint32_t i = 0; i < t->h->slices; i++)
        t->l2[i].cache = t->h->l2 ? t->h->l2[i] : NULL;
    gpci_timed_hook(t);
}
