/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/gpgpusim/gpgpusim.h"
#include "config/gpgpusim/gpgpusim_import.h"

#include <string.h>

/* Options of networks, of L2, and of the spread of addresses over L2. */

/* Network options. A separate file, which is not read, describes Intersim's networks (mode 1). */
static gpc_status apply_network(const gpci_import *import) {
    gpc_status status = GPC_OK;
    if (GPCI_OPTION(NETWORK_SUBNETS)->given && GPCI_OPTION(NETWORK_SUBNETS)->number != 2)
        return gpci_import_refuse(import, GPCI_OPTION_NETWORK_SUBNETS, GPC_ERROR_UNSUPPORTED,
                                  "networks: there are two here, of requests and of replies");
    /* the local crossbar has no stages; an input offers only its first packet, and the next packet a cycle later */
    if (GPCI_OPTION(NETWORK_MODE)->number == 2)
        status = GPCI_SET_ALL(import, GPCI_OPTION_NETWORK_MODE, {GPCI_KEY_NETWORK_LATENCY, "1"},
                              {GPCI_KEY_NETWORK_QUEUES, "fifo"}, {GPCI_KEY_NETWORK_TURNAROUND, "0"});
    if (status == GPC_OK)
        status = gpci_import_copy(import, GPCI_OPTION_NETWORK_INPUT, GPCI_KEY_NETWORK_INPUT);
    if (status == GPC_OK)
        status = gpci_import_copy(import, GPCI_OPTION_NETWORK_OUTPUT, GPCI_KEY_NETWORK_OUTPUT);
    if (status == GPC_OK && GPCI_OPTION(NETWORK_FLIT)->given) /* header: READ_PACKET_SIZE of mem_fetch.h */
        status = GPCI_SET_NUMBERS(
            import, GPCI_OPTION_NETWORK_FLIT, {GPCI_KEY_NETWORK_WIDTH, GPCI_OPTION(NETWORK_FLIT)->number},
            {GPCI_KEY_NETWORK_REPLY_WIDTH, GPCI_OPTION(NETWORK_FLIT)->number}, {GPCI_KEY_NETWORK_HEADER, 8});
    return status;
}

/*
 * Length of the simulator's queue from L2 to DRAM, which is behind L2's miss queue. If slice and channel have no link
 * between them, both queues are one queue here, l2.miss_queue. 0: slice and channel have a link, or no length is given.
 */
static uint64_t behind_misses(const gpci_import *import) {
    uint64_t n[4];
    const gpci_option *option = GPCI_OPTION(L2_QUEUES);
    return option->given && !gpci_import_now(import, GPCI_KEY_MEMORY_LINK_WIDTH) &&
                   gpci_import_list(option->text, ':', n, 4, 4)
               ? n[1]
               : 0;
}

static gpc_status apply_l2_cache(const gpci_import *import, const gpci_gpgpusim_cache *cache, uint64_t slices) {
    const gpci_option_id option = GPCI_OPTION_L2;
    if (cache->write == 'L' || cache->allocate != 'm')
        return gpci_import_fail(import, GPCI_OPTION(L2)->line, gpci_option_name(option), GPC_ERROR_UNSUPPORTED,
                                "an L2 writes by one policy (B, T or E) and allocates on a miss (m)");
    gpc_status status = GPCI_SET_ALL(
        import, option, {GPCI_KEY_L2_SECTORS, cache->sectors ? "4" : "1"}, {GPCI_KEY_L2_FETCH, "1"},
        {GPCI_KEY_L2_MERGED, cache->sectors ? "sector" : "line"}, {GPCI_KEY_L2_INDEX, gpci_gpgpusim_index(cache)},
        {GPCI_KEY_L2_REPLACEMENT, gpci_gpgpusim_replacement(cache)}, {GPCI_KEY_L2_WRITE, gpci_gpgpusim_write(cache)},
        {GPCI_KEY_L2_WRITE_ALLOCATE, cache->write_allocate == 'W' ? "naive" : gpci_gpgpusim_write_allocate(cache)});
    if (status == GPC_OK)
        status = GPCI_SET_NUMBERS(import, option, {GPCI_KEY_L2_LINE, cache->line}, {GPCI_KEY_L2_WAYS, cache->ways},
                                  {GPCI_KEY_L2_SIZE, (uint64_t)cache->sets * cache->line * cache->ways * slices},
                                  {GPCI_KEY_L2_MSHR, cache->mshr_entries}, {GPCI_KEY_L2_MERGES, cache->mshr_merges},
                                  {GPCI_KEY_L2_DATA_WIDTH, cache->port}, {GPCI_KEY_L2_FILL_WIDTH, cache->port},
                                  {GPCI_KEY_L2_PORTS, 1}, {GPCI_KEY_L2_BANKS, 1}); /* a lookup a cycle */
    return status < 0 || !cache->miss_queue ? status
                                            : gpci_import_set_number(import, option, GPCI_KEY_L2_MISS_QUEUE,
                                                                     cache->miss_queue + behind_misses(import));
}

/* Apply the options of L2. -gpgpu_cache:dl2 describes a slice; the number of slices is in the file or a present key. */
static gpc_status apply_l2(const gpci_import *import) {
    uint64_t before = gpci_import_now(import, GPCI_KEY_L2_SLICES),
             channels = gpci_import_now(import, GPCI_KEY_DRAM_CHANNELS);
    uint64_t slice_bytes = gpci_import_now(import, GPCI_KEY_L2_SIZE) / before, slices = before;
    gpci_gpgpusim_cache cache = {.none = true};
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status =
        GPCI_OPTION(L2)->given ? gpci_gpgpusim_cache_read(GPCI_OPTION(L2)->text, &cache, &reason) : GPC_OK;
    if (status < 0)
        return gpci_import_fail(import, GPCI_OPTION(L2)->line, gpci_option_name(GPCI_OPTION_L2), status,
                                reason.message);
    gpci_option_id option = GPCI_OPTION(CHANNELS)->given ? GPCI_OPTION_CHANNELS : GPCI_OPTION_SUBPARTITIONS;
    if (import->options[option].given) {
        uint64_t per_channel = before % channels ? 1 : before / channels;
        channels = gpci_import_or(import, GPCI_OPTION_CHANNELS, channels);
        slices = channels * gpci_import_or(import, GPCI_OPTION_SUBPARTITIONS, per_channel);
        status = GPCI_SET_NUMBERS(import, option, {GPCI_KEY_DRAM_CHANNELS, channels}, {GPCI_KEY_L2_SLICES, slices},
                                  {GPCI_KEY_L2_SIZE, slice_bytes * slices});
    }
    if (status == GPC_OK && GPCI_OPTION(L2)->given)
        status = gpci_import_set(import, GPCI_OPTION_L2, GPCI_KEY_L2_ENABLED, cache.none ? "false" : "true");
    return status < 0 || cache.none ? status : apply_l2_cache(import, &cache, slices);
}

/* Set the lengths of queues: `network to L2:L2 to DRAM:DRAM to L2:L2 to network`. The third length has no key. */
static gpc_status apply_queues(const gpci_import *import) {
    uint64_t n[4];
    if (!GPCI_OPTION(L2_QUEUES)->given)
        return GPC_OK;
    if (!gpci_import_list(GPCI_OPTION(L2_QUEUES)->text, ':', n, 4, 4))
        return gpci_import_refuse(import, GPCI_OPTION_L2_QUEUES, GPC_ERROR_FORMAT,
                                  "is not four lengths with ':' between");
    return GPCI_SET_NUMBERS(import, GPCI_OPTION_L2_QUEUES, {GPCI_KEY_L2_QUEUE, n[0]},
                            {GPCI_KEY_MEMORY_LINK_BUFFER, n[1]}, {GPCI_KEY_L2_REPLIES, n[3]});
}

/*
 * Set the latencies of L2. GPGPU-Sim's L2 hits in the cycle of its tags: the whole latency, in core cycles, is before
 * the tags. After the latency a request comes to the tags a step later (memory_sub_partition::cache_cycle), modelled
 * for files of 3.x.
 */
static gpc_status apply_latency(const gpci_import *import) {
    const bool is_3 = gpci_import_is_3(import);
    gpc_status status = GPC_OK;
    if (is_3)
        status = gpci_import_set_number(import, GPCI_OPTION_WIDTHS, GPCI_KEY_L2_LATENCY, 0);
    if (status == GPC_OK && (is_3 || GPCI_OPTION(L2_ROP)->given))
        status = gpci_import_set(import, is_3 ? GPCI_OPTION_WIDTHS : GPCI_OPTION_L2_ROP, GPCI_KEY_L2_INTAKE,
                                 is_3 ? "queue" : "pipeline");
    if (status < 0 || !GPCI_OPTION(L2_ROP)->given)
        return status;
    if (is_3)
        return gpci_import_set_number(import, GPCI_OPTION_L2_ROP, GPCI_KEY_L2_ROP,
                                      gpci_import_cycles(import, GPCI_OPTION(L2_ROP)->number, GPCI_KEY_CLOCK_L2));
    return GPCI_SET_NUMBERS(
        import, GPCI_OPTION_L2_ROP,
        {GPCI_KEY_L2_ROP, gpci_import_cycles(import, GPCI_OPTION(L2_ROP)->number, GPCI_KEY_CLOCK_L2) + 1},
        {GPCI_KEY_L2_LATENCY, 1});
}

static gpc_status apply_flush(const gpci_import *import) {
    if (!GPCI_OPTION(FLUSH_L1)->given && !GPCI_OPTION(FLUSH_L2)->given)
        return GPC_OK;
    const char *flushed = gpci_config_text(import->stage, GPCI_KEY_KERNELS_FLUSH);
    bool l1 = gpci_import_or(import, GPCI_OPTION_FLUSH_L1, strcmp(flushed, "none") != 0);
    bool l2 = gpci_import_or(import, GPCI_OPTION_FLUSH_L2, strcmp(flushed, "all") == 0);
    return gpci_import_set(import, GPCI_OPTION(FLUSH_L2)->given ? GPCI_OPTION_FLUSH_L2 : GPCI_OPTION_FLUSH_L1,
                           GPCI_KEY_KERNELS_FLUSH,
                           l2   ? "all"
                           : l1 ? "l1"
                                : "none");
}

/* Set kernels.copies. A file with an L2 and without the option has upstream's default, 1. */
static gpc_status apply_copies(const gpci_import *import) {
    if (!GPCI_OPTION(COPIES)->given && !GPCI_OPTION(L2)->given)
        return GPC_OK;
    return gpci_import_set(import, GPCI_OPTION(COPIES)->given ? GPCI_OPTION_COPIES : GPCI_OPTION_L2,
                           GPCI_KEY_KERNELS_COPIES, gpci_import_or(import, GPCI_OPTION_COPIES, 1) ? "l2" : "none");
}

gpc_status gpci_import_memory(const gpci_import *import) {
    gpc_status status = apply_network(import);
    if (status == GPC_OK)
        status = apply_l2(import);
    if (status == GPC_OK)
        status = apply_queues(import);
    if (status == GPC_OK)
        status = apply_latency(import);
    if (status == GPC_OK && GPCI_OPTION(L2_TEXTURE)->number)
        status = gpci_import_set(import, GPCI_OPTION_L2_TEXTURE, GPCI_KEY_L2_ENABLED, "false");
    if (status == GPC_OK && GPCI_OPTION(PARTITIONS)->given)
        status = gpci_import_set_number(import, GPCI_OPTION_PARTITIONS, GPCI_KEY_L2_PARTITIONS,
                                        GPCI_OPTION(PARTITIONS)->number ? GPCI_OPTION(PARTITIONS)->number : 1);
    if (status == GPC_OK)
        status = apply_flush(import);
    return status < 0 ? status : apply_copies(import);
}
