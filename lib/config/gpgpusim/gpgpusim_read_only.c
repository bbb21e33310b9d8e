/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/gpgpusim/gpgpusim.h"
#include "config/gpgpusim/gpgpusim_import.h"

/*
 * Caches of instructions and of constants. With -gpgpu_perfect_inst_const_cache 1 they do not exist. By default, and in
 * 3.x, they exist.
 */

static gpc_status read_cache(const gpci_import *im, gpci_option_id id, gpci_gpgpusim_cache *c) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_gpgpusim_cache_read_only(im->options[id].text, c, &reason);
    if (status == GPC_OK && !c->none && c->index != 'L')
        status = gpci_fail(&reason, GPC_ERROR_UNSUPPORTED, "a cache that is only read is indexed linearly (L)");
    if (status == GPC_OK && !c->none && c->allocate != 'f')
        status = gpci_fail(&reason, GPC_ERROR_UNSUPPORTED, "a cache that is only read allocates when it is filled (f)");
    if (status < 0)
        return gpci_import_fail(im, im->options[id].line, gpci_option_name(id), status, reason.message);
    return GPC_OK;
}

static uint64_t bytes_of(const gpci_gpgpusim_cache *c) {
    return (uint64_t)c->sets * c->line * c->ways;
}

/*
 * An SM with an instruction cache has a buffer of two instructions, with a cycle each for fetch and decode (shader.cc).
 */
static gpc_status apply_instructions(const gpci_import *im, const gpci_gpgpusim_cache *c) {
    const gpci_option_id id = GPCI_OPTION_IL1;
    gpc_status status = GPC_OK;
    if (!gpci_import_now(im, GPCI_KEY_SM_FETCH))
        status = GPCI_SET_NUMBERS(im, id, {GPCI_KEY_SM_FETCH, 2}, {GPCI_KEY_SM_FETCH_LATENCY, 2});
    if (status == GPC_OK)
        status = gpci_import_set(im, id, GPCI_KEY_L1I_REPLACEMENT, gpci_gpgpusim_replacement(c));
    return status < 0 ? status
                      : GPCI_SET_NUMBERS(im, id, {GPCI_KEY_L1I_SIZE, bytes_of(c)}, {GPCI_KEY_L1I_WAYS, c->ways},
                                         {GPCI_KEY_L1I_LINE, c->line}, {GPCI_KEY_L1I_MSHR, c->mshr_entries},
                                         {GPCI_KEY_L1I_MERGES, c->mshr_merges});
}

static gpc_status apply_constants(const gpci_import *im, const gpci_gpgpusim_cache *c) {
    const gpci_option_id id = GPCI_OPTION_CONST;
    gpc_status status = gpci_import_set(im, id, GPCI_KEY_CONST_REPLACEMENT, gpci_gpgpusim_replacement(c));
    if (status == GPC_OK)
        status = GPCI_SET_NUMBERS(im, id, {GPCI_KEY_CONST_SIZE, bytes_of(c)}, {GPCI_KEY_CONST_WAYS, c->ways},
                                  {GPCI_KEY_CONST_LINE, c->line}, {GPCI_KEY_CONST_MSHR, c->mshr_entries},
                                  {GPCI_KEY_CONST_MERGES, c->mshr_merges});
    return status < 0 || !c->miss_queue ? status
                                        : gpci_import_set_number(im, id, GPCI_KEY_CONST_MISS_QUEUE, c->miss_queue);
}

typedef gpc_status (*apply_fn)(const gpci_import *im, const gpci_gpgpusim_cache *cache);

static gpc_status apply(const gpci_import *im, gpci_option_id id, gpci_key size, apply_fn apply_cache) {
    gpci_gpgpusim_cache c = {.none = true};
    const bool given = im->options[id].given, perfect = gpci_import_or(im, GPCI_OPTION_PERFECT, 0) != 0;
    gpc_status status = given ? read_cache(im, id, &c) : GPC_OK;
    if (status < 0 || (!given && !perfect))
        return status;
    if (c.none || perfect)
        return gpci_import_set(im, perfect ? GPCI_OPTION_PERFECT : id, size, "0B");
    return apply_cache(im, &c);
}

gpc_status gpci_import_read_only(const gpci_import *im) {
    gpc_status status = apply(im, GPCI_OPTION_IL1, GPCI_KEY_L1I_SIZE, apply_instructions);
    return status < 0 ? status : apply(im, GPCI_OPTION_CONST, GPCI_KEY_CONST_SIZE, apply_constants);
}
