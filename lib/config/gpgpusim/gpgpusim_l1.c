/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/gpgpusim/gpgpusim.h"
#include "config/gpgpusim/gpgpusim_import.h"

#include <stdlib.h>
#include <string.h>

/* Options of L1, and of the unified memory of L1 and shared memory. */

/*
 * Value of l1.mshr_free. An entry of a whole line stays until all waiting accesses have their data (drained). If lines
 * are reserved at their miss, a miss that finds its line's entry draining also reserves the line.
 */
static const char *mshr_free(const gpci_gpgpusim_cache *cache) {
    if (cache->sectors)
        return "filled";
    return strcmp(gpci_gpgpusim_allocate(cache), "on-miss") ? "drained" : "drained-reserving";
}

static gpc_status apply_policies(const gpci_import *import, const gpci_gpgpusim_cache *cache) {
    const char *write_allocate = gpci_gpgpusim_write_allocate(cache);
    return GPCI_SET_ALL(
        import, GPCI_OPTION_L1, {GPCI_KEY_L1_SECTORS, cache->sectors ? "4" : "1"}, {GPCI_KEY_L1_FETCH, "1"},
        {GPCI_KEY_L1_MERGED, cache->sectors ? "sector" : "line"}, {GPCI_KEY_L1_MSHR_FREE, mshr_free(cache)},
        {GPCI_KEY_L1_INDEX, gpci_gpgpusim_index(cache)}, {GPCI_KEY_L1_REPLACEMENT, gpci_gpgpusim_replacement(cache)},
        {GPCI_KEY_L1_WRITE, gpci_gpgpusim_write(cache)}, {GPCI_KEY_L1_WRITE_LOCAL, gpci_gpgpusim_write_local(cache)},
        {GPCI_KEY_L1_WRITE_ALLOCATE, write_allocate}, {GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL, write_allocate},
        {GPCI_KEY_L1_ALLOCATE, gpci_gpgpusim_allocate(cache)});
}

/*
 * Set the resources of L1. Every bank looks up an access and has a port; one fill port serves all banks. Accesses that
 * waited for a fill go through the unit's writeback (ldst_unit::writeback), an access a cycle: a sector, or all
 * requested bytes of a whole line. Until then an access keeps its MSHR entry (mshr_table::next_access), modelled for
 * whole lines.
 */
static gpc_status apply_resources(const gpci_import *import, const gpci_gpgpusim_cache *cache) {
    gpc_status status = GPCI_SET_NUMBERS(
        import, GPCI_OPTION_L1, {GPCI_KEY_L1_MSHR, cache->mshr_entries}, {GPCI_KEY_L1_MERGES, cache->mshr_merges},
        {GPCI_KEY_L1_DATA_WIDTH, cache->port * gpci_import_now(import, GPCI_KEY_L1_BANKS)},
        {GPCI_KEY_L1_FILL_WIDTH, cache->port},
        {GPCI_KEY_L1_RELEASE_WIDTH, cache->sectors ? cache->line / 4 : cache->line},
        {GPCI_KEY_L1_RELEASE_LATENCY, gpci_import_is_3(import) ? 1 : 0});
    if (status == GPC_OK && cache->miss_queue)
        status = gpci_import_set_number(import, GPCI_OPTION_L1, GPCI_KEY_L1_MISS_QUEUE, cache->miss_queue);
    return status;
}

/*
 * Adaptive L1 of release 4.0, whose files have neither size nor carve-outs: Volta's, with four times the ways
 * (get_max_assoc), 128 KiB (shader_core_config::max_cta).
 */
#define VOLTA_BYTES (128u << 10)
#define VOLTA_CARVEOUTS "0B 8KiB 16KiB 32KiB 64KiB 96KiB"

static bool is_volta(const gpci_import *import, uint64_t bytes) {
    return GPCI_OPTION(ADAPTIVE)->number && GPCI_OPTION(L1)->given && !GPCI_OPTION(UNIFIED)->given &&
           !GPCI_OPTION(CARVEOUTS)->given && bytes * 4 == VOLTA_BYTES;
}

/*
 * Set the size of L1. For an adaptive cache, the option gives the sets and the least number of ways. The number of ways
 * grows with the capacity, up to the whole unified memory.
 */
static gpc_status apply_size(const gpci_import *import, gpci_option_id option, uint64_t sets, uint64_t line,
                             uint64_t ways) {
    bool adaptive = gpci_import_or(import, GPCI_OPTION_ADAPTIVE, gpci_import_now(import, GPCI_KEY_L1_UNIFIED));
    uint64_t bytes = sets * line * ways;
    if (adaptive) {
        uint64_t unified = gpci_import_now(import, GPCI_KEY_L1_UNIFIED) ? gpci_import_now(import, GPCI_KEY_L1_SIZE) : 0;
        unified = GPCI_OPTION(UNIFIED)->given ? GPCI_OPTION(UNIFIED)->number * 1024 : unified;
        if (!unified && is_volta(import, bytes)) {
            unified = VOLTA_BYTES;
            gpc_status status = gpci_import_set(import, GPCI_OPTION_ADAPTIVE, GPCI_KEY_L1_CARVEOUTS, VOLTA_CARVEOUTS);
            if (status < 0)
                return status;
        }
        if (!unified || unified % bytes) {
            option = GPCI_OPTION(UNIFIED)->given    ? GPCI_OPTION_UNIFIED
                     : GPCI_OPTION(ADAPTIVE)->given ? GPCI_OPTION_ADAPTIVE
                                                    : option;
            return gpci_import_fail(import, import->options[option].line, gpci_option_name(option), GPC_ERROR_FORMAT,
                                    "an adaptive L1 needs -gpgpu_unified_l1d_size, a multiple of -gpgpu_cache:dl1");
        }
        ways *= unified / bytes;
        bytes = unified;
    }
    gpc_status status =
        GPCI_SET_NUMBERS(import, option, {GPCI_KEY_L1_SIZE, bytes}, {GPCI_KEY_L1_LINE, line}, {GPCI_KEY_L1_WAYS, ways});
    return status < 0 ? status
                      : GPCI_SET_ALL(import, option, {GPCI_KEY_L1_UNIFIED, adaptive ? "true" : "false"},
                                     {GPCI_KEY_L1_RESIZE, adaptive ? "ways" : "sets"}, {GPCI_KEY_L1_CARVEOUT, "auto"});
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Set l1.carveouts from a list like 0,8,16,32,64,96: sizes in KiB, in any order. */
static gpc_status apply_carveouts(const gpci_import *import) {
    enum { MOST = 64 };
    uint64_t sizes[MOST];
    if (!GPCI_OPTION(CARVEOUTS)->given)
        return GPC_OK;
    size_t count = gpci_import_list(GPCI_OPTION(CARVEOUTS)->text, ',', sizes, 1, MOST);
    if (!count)
        return gpci_import_refuse(import, GPCI_OPTION_CARVEOUTS, GPC_ERROR_FORMAT,
                                  "is not a list of at most 64 sizes in KiB");
    qsort(sizes, count, sizeof *sizes, compare_numbers);
    char list[MOST * GPCI_SIZE_TEXT];
    gpci_text text = gpci_text_of(list, sizeof list);
    for (size_t i = 0; i < count; i++) {
        char size[GPCI_SIZE_TEXT];
        gpci_size_text(sizes[i] * 1024, size);
        if (!i || sizes[i] != sizes[i - 1])
            gpci_text_put(&text, "%s%s", i ? " " : "", size);
    }
    return gpci_import_set(import, GPCI_OPTION_CARVEOUTS, GPCI_KEY_L1_CARVEOUTS, list);
}

/* Apply -gpgpu_adaptive_cache_config or -gpgpu_unified_l1d_size without -gpgpu_cache:dl1: keep the number of sets. */
static gpc_status apply_resized(const gpci_import *import) {
    gpci_option_id option = GPCI_OPTION(ADAPTIVE)->given ? GPCI_OPTION_ADAPTIVE : GPCI_OPTION_UNIFIED;
    bool was = gpci_import_now(import, GPCI_KEY_L1_UNIFIED),
         adaptive = gpci_import_or(import, GPCI_OPTION_ADAPTIVE, was);
    if (!adaptive)
        return !was ? GPC_OK
                    : gpci_import_fail(import, import->options[option].line, gpci_option_name(option), GPC_ERROR_FORMAT,
                                       "an L1 of its own size needs -gpgpu_cache:dl1");
    uint64_t line = gpci_import_now(import, GPCI_KEY_L1_LINE), ways = gpci_import_now(import, GPCI_KEY_L1_WAYS);
    uint64_t sets = gpci_import_now(import, GPCI_KEY_L1_SIZE) / (line * ways);
    /* the present ways of a unified memory are the ways of its whole size; the new size may be smaller: begin with 1 */
    return apply_size(import, option, sets ? sets : 1, line, was ? 1 : ways);
}

static gpc_status apply_cache(const gpci_import *import) {
    gpci_gpgpusim_cache cache;
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_gpgpusim_cache_read(GPCI_OPTION(L1)->text, &cache, &reason);
    if (status < 0)
        return gpci_import_fail(import, GPCI_OPTION(L1)->line, gpci_option_name(GPCI_OPTION_L1), status,
                                reason.message);
    status = gpci_import_set(import, GPCI_OPTION_L1, GPCI_KEY_L1_ENABLED, cache.none ? "false" : "true");
    if (status < 0 || cache.none)
        return status;
    status = apply_policies(import, &cache);
    if (status == GPC_OK)
        status = apply_resources(import, &cache);
    return status < 0 ? status : apply_size(import, GPCI_OPTION_L1, cache.sets, cache.line, cache.ways);
}

/*
 * Set the latencies of L1. The simulator's L1 looks an access up after its latency (L1_latency_queue_cycle). A miss
 * therefore also pays the latency, and leaves a cycle later. Before the latency the access reads its operands, and
 * stands in a register of the unit for a cycle. Here an access takes a cycle from its issue to the tags.
 */
static gpc_status apply_l1_latency(const gpci_import *import) {
    if (!GPCI_OPTION(L1_LATENCY)->given)
        return GPC_OK;
    const uint64_t before =
        gpci_import_now(import, GPCI_KEY_SM_LATENCY_STAGES); /* two of the stages are behind the unit */
    const uint64_t cycles = GPCI_OPTION(L1_LATENCY)->number + (before > 2 ? before - 2 : 0);
    return GPCI_SET_NUMBERS(import, GPCI_OPTION_L1_LATENCY, {GPCI_KEY_L1_LATENCY, cycles},
                            {GPCI_KEY_L1_MISS_LATENCY, cycles + 1},
                            {GPCI_KEY_L1_BYPASS_LATENCY, before > 2 ? before - 2 : 0});
}

/*
 * Architecture from which on a warp's requests to L1 are sectors, each an access with a packet: Maxwell
 * (memory_coalescing_arch). Until Kepler the requests are lines, if L1 caches global memory.
 */
#define SECTORS_FROM 40u

static gpc_status apply_coalescing(const gpci_import *import) {
    const gpci_option *option = GPCI_OPTION(COALESCE);
    if (!option->given)
        return GPC_OK;
    return gpci_import_set(import, GPCI_OPTION_COALESCE, GPCI_KEY_L1_COALESCER,
                           option->number >= SECTORS_FROM ? "sector" : "warp");
}

gpc_status gpci_import_l1(const gpci_import *import) {
    gpc_status status = apply_l1_latency(import);
    if (status == GPC_OK)
        status = apply_coalescing(import);
    if (status == GPC_OK && GPCI_OPTION(L1_BANKS)->given)
        status = GPCI_SET_NUMBERS(import, GPCI_OPTION_L1_BANKS, {GPCI_KEY_L1_PORTS, GPCI_OPTION(L1_BANKS)->number},
                                  {GPCI_KEY_L1_BANKS, GPCI_OPTION(L1_BANKS)->number});
    if (status == GPC_OK && GPCI_OPTION(L1)->given)
        status = apply_cache(import);
    else if (status == GPC_OK && (GPCI_OPTION(ADAPTIVE)->given || GPCI_OPTION(UNIFIED)->given))
        status = apply_resized(import);
    if (status == GPC_OK && GPCI_OPTION(SKIP_L1)->given)
        status = gpci_import_set(import, GPCI_OPTION_SKIP_L1, GPCI_KEY_L1_SPACES,
                                 GPCI_OPTION(SKIP_L1)->number ? "local" : "all");
    return status < 0 ? status : apply_carveouts(import);
}
