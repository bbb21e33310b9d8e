/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/build/gl1.h"
#include "cache/cache.h"
#include "cache/cache_archive.h"
#include "level/rules/events.h"

static gpc_status refuse(const gpc_hierarchy *hierarchy, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(GPCI_KEY_GL1_SIZE),
                     gpci_config_text(hierarchy->config, GPCI_KEY_GL1_SIZE), why);
}

/* Reason why the configuration has no room for GL1s; NULL: none. */
static const char *wrong(const gpc_hierarchy *hierarchy) {
    if (!hierarchy->has_l1)
        return "needs l1.enabled = true: a GL1 is below L1s";
    if (hierarchy->with_data)
        return "needs coherence.data = false: lines of a GL1 have no values";
    if (hierarchy->partitions > 1)
        return "needs l2.partitions = 1: SMs of a GL1 would read through both";
    if (hierarchy->gpus > 1 && gpci_number(hierarchy, GPCI_KEY_SM_COUNT) % gpci_number(hierarchy, GPCI_KEY_GL1_SMS))
        return "needs an sm.count that is a multiple of gl1.sms: a GL1 is of one GPU";
    if (hierarchy->inclusive)
        return "needs l2.inclusion = non-inclusive: L2 takes no lines from a GL1";
    if (hierarchy->coalescers)
        return "needs lrc.sms = 0: a GL1 is where reads of several SMs meet";
    if (hierarchy->l15 && gpci_number(hierarchy, GPCI_KEY_GL1_SMS) % gpci_number(hierarchy, GPCI_KEY_L15_SMS))
        return "needs a gl1.sms that is a multiple of l15.sms";
    if (hierarchy->l1 && hierarchy->l1[0]->predictor_ops->on_reply)
        return "needs an l1.bypass that hears no replies of L2, which a GL1 keeps from L1s";
    return NULL;
}

static gpc_status read_options(const gpc_hierarchy *hierarchy, gpc_cache_options *options, gpc_error *error) {
    *options = (gpc_cache_options)GPC_CACHE_OPTIONS_INIT;
    options->ways = (uint32_t)gpci_number(hierarchy, GPCI_KEY_GL1_WAYS);
    options->line_bytes = hierarchy->l1_level.line_bytes;
    options->sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_SECTORS);
    options->fetch_sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_FETCH);
    options->sets = gpci_number(hierarchy, GPCI_KEY_GL1_SIZE) / options->line_bytes / options->ways;
    options->allocate = GPC_ALLOCATE_ON_FILL;
    options->replacement = gpci_config_text(hierarchy->config, GPCI_KEY_GL1_REPLACEMENT);
    options->seed = 11;
    return options->sets ? GPC_OK : refuse(hierarchy, "is less than one set of gl1.ways lines", error);
}

gpc_status gpci_gl1_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_cache_options options;
    if (!gpci_number(hierarchy, GPCI_KEY_GL1_SIZE))
        return GPC_OK;
    const char *why = wrong(hierarchy);
    if (why)
        return refuse(hierarchy, why, error);
    gpc_status status = read_options(hierarchy, &options, error);
    if (status < 0)
        return status;
    hierarchy->gl1_sms = (uint32_t)gpci_number(hierarchy, GPCI_KEY_GL1_SMS);
    const uint32_t count = (hierarchy->sms + hierarchy->gl1_sms - 1) / hierarchy->gl1_sms;
    hierarchy->gl1 = gpci_zalloc(hierarchy->context, count, sizeof(gpc_cache *));
    if (!hierarchy->gl1)
        return gpci_out_of_memory(error);
    hierarchy->gl1_count = count;
    options.instances = count;
    for (uint32_t i = 0; i < count && status == GPC_OK; i++) {
        gpc_error detail = GPC_ERROR_INIT;
        options.instance = i;
        options.share_with = i ? hierarchy->gl1[0] : NULL;
        status = gpc_cache_create(hierarchy->context, &options, &hierarchy->gl1[i], &detail);
        if (status < 0)
            return gpci_fail(error, status, "gl1: %s", detail.message);
    }
    return status;
}

void gpci_gl1_destroy(gpc_hierarchy *hierarchy) {
    for (uint32_t i = hierarchy->gl1_count; i--;)
        gpc_cache_destroy(hierarchy->gl1[i]);
    gpci_free(hierarchy->context, hierarchy->gl1);
}

void gpci_gl1_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    for (uint32_t i = 0; i < hierarchy->gl1_count; i++)
        gpci_cache_archive(hierarchy->gl1[i], archive);
}
