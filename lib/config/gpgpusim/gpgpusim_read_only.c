/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/gpgpusim/gpgpusim.h"
#include "config/gpgpusim/gpgpusim_import.h"

/*
 * Options of the caches of instructions and of constants. With -gpgpu_perfect_inst_const_cache 1 the caches do not
 * exist. By default, and in 3.x, the caches exist.
 */

static gpc_status read_cache(const gpci_import *import, gpci_option_id option, gpci_gpgpusim_cache *cache) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_gpgpusim_cache_read_only(import->options[option].text, cache, &reason);
    if (status == GPC_OK && !cache->none && cache->index != 'L')
        status = gpci_fail(&reason, GPC_ERROR_UNSUPPORTED, "a cache that is only read is indexed linearly (L)");
    if (status == GPC_OK && !cache->none && cache->allocate != 'f')
        status = gpci_fail(&reason, GPC_ERROR_UNSUPPORTED, "a cache that is only read allocates when it is filled (f)");
    if (status < 0)
        return gpci_import_fail(import, import->options[option].line, gpci_option_name(option), status, reason.message);
    return GPC_OK;
}

static uint64_t bytes_of(const gpci_gpgpusim_cache *cache) {
    return (uint64_t)cache->sets * cache->line * cache->ways;
}

/*
 * Set the instruction cache. An SM with an instruction cache has a buffer of two instructions, with a cycle each for
 * fetch and decode (shader.cc).
 */
static gpc_status apply_instructions(const gpci_import *import, const gpci_gpgpusim_cache *cache) {
    const gpci_option_id option = GPCI_OPTION_IL1;
    gpc_status status = GPC_OK;
    if (!gpci_import_now(import, GPCI_KEY_SM_FETCH))
        status = GPCI_SET_NUMBERS(import, option, {GPCI_KEY_SM_FETCH, 2}, {GPCI_KEY_SM_FETCH_LATENCY, 2});
    if (status == GPC_OK)
        status = gpci_import_set(import, option, GPCI_KEY_L1I_REPLACEMENT, gpci_gpgpusim_replacement(cache));
    return status < 0
               ? status
               : GPCI_SET_NUMBERS(import, option, {GPCI_KEY_L1I_SIZE, bytes_of(cache)},
                                  {GPCI_KEY_L1I_WAYS, cache->ways}, {GPCI_KEY_L1I_LINE, cache->line},
                                  {GPCI_KEY_L1I_MSHR, cache->mshr_entries}, {GPCI_KEY_L1I_MERGES, cache->mshr_merges});
}

static gpc_status apply_constants(const gpci_import *import, const gpci_gpgpusim_cache *cache) {
    const gpci_option_id option = GPCI_OPTION_CONST;
    gpc_status status = gpci_import_set(import, option, GPCI_KEY_CONST_REPLACEMENT, gpci_gpgpusim_replacement(cache));
    if (status == GPC_OK)
        status =
            GPCI_SET_NUMBERS(import, option, {GPCI_KEY_CONST_SIZE, bytes_of(cache)}, {GPCI_KEY_CONST_WAYS, cache->ways},
                             {GPCI_KEY_CONST_LINE, cache->line}, {GPCI_KEY_CONST_MSHR, cache->mshr_entries},
                             {GPCI_KEY_CONST_MERGES, cache->mshr_merges});
    return status < 0 || !cache->miss_queue
               ? status
               : gpci_import_set_number(import, option, GPCI_KEY_CONST_MISS_QUEUE, cache->miss_queue);
}

typedef gpc_status (*apply_fn)(const gpci_import *import, const gpci_gpgpusim_cache *cache);

static gpc_status apply(const gpci_import *import, gpci_option_id option, gpci_key size, apply_fn apply_cache) {
    gpci_gpgpusim_cache cache = {.none = true};
    const bool given = import->options[option].given, perfect = gpci_import_or(import, GPCI_OPTION_PERFECT, 0) != 0;
    gpc_status status = given ? read_cache(import, option, &cache) : GPC_OK;
    if (status < 0 || (!given && !perfect))
        return status;
    if (cache.none || perfect)
        return gpci_import_set(import, perfect ? GPCI_OPTION_PERFECT : option, size, "0B");
    return apply_cache(import, &cache);
}

gpc_status gpci_import_read_only(const gpci_import *import) {
    gpc_status status = apply(import, GPCI_OPTION_IL1, GPCI_KEY_L1I_SIZE, apply_instructions);
    return status < 0 ? status : apply(import, GPCI_OPTION_CONST, GPCI_KEY_CONST_SIZE, apply_constants);
}
