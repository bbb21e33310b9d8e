/* SPDX-License-Identifier: BSD-2-Clause */
#include "profiler/profiler.h"

#include <string.h>

/* Profiles that count: created from a configuration; then a trace runs, or the host makes the accesses. */

static gpc_status make_replay(gpc_profile *profile, const gpc_config *config, gpc_error *error) {
    const char *protocol = gpci_config_text(config, GPCI_KEY_COHERENCE);
    if (strcmp(protocol, "none") && strcmp(protocol, GPCI_VIPER))
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "coherence = %s: there is no profile of coherent modules",
                         protocol);
    const char *sample = gpci_config_text(config, GPCI_KEY_SAMPLE);
    if (strcmp(sample, "none"))
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "sample = %s: a profile is of all accesses", sample);
    uint64_t flush = gpci_config_number(config, GPCI_KEY_KERNELS_FLUSH); /* 0: none, 1: l1, 2: all */
    gpc_status status = gpc_replay_create(profile->context, config, &profile->live->profiler->replay, error);
    if (status < 0)
        return status;
    gpc_hierarchy *hierarchy = profile->live->profiler->hierarchy = profile->live->profiler->replay->hierarchy;
    if (!hierarchy->l1)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "l1.enabled = false: there is no L1 to profile");
    profile->live->flushes = flush >= 1;
    profile->line_bytes = hierarchy->l1_level.line_bytes;
    profile->line_shift = hierarchy->l1_level.line_shift;
    profile->sm_count = hierarchy->sms;
    return GPC_OK;
}

static gpc_status make_live(gpc_profile *profile, gpc_error *error) {
    gpci_live *live = profile->live;
    live->kernel = live->host_kernel = GPCI_NONE;
    live->sms = gpci_zalloc(profile->context, profile->sm_count, sizeof *live->sms);
    live->profiler->observer.cache_data =
        gpci_zalloc(profile->context, profile->sm_count, sizeof *live->profiler->observer.cache_data);
    profile->distances = gpci_zalloc(profile->context, profile->sm_count, sizeof *profile->distances);
    if (!live->sms || !live->profiler->observer.cache_data || !profile->distances)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        live->sms[i].profile = profile;
        live->sms[i].stack.context = profile->context;
        live->sms[i].row.sm = i;
        live->profiler->observer.cache_data[i] = &live->sms[i];
    }
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++)
        live->classes[i].transactions = i + 1;
    gpci_profile_observer(profile);
    gpci_hierarchy_observe(live->profiler->hierarchy, &live->profiler->observer);
    return GPC_OK;
}

static void destroy_live(gpc_profile *profile) {
    gpci_live *live = profile->live;
    gpc_replay_destroy(live->profiler->replay);
    for (uint32_t i = 0; live->sms && i < profile->sm_count; i++)
        if (live->sms[i].profile)
            gpci_live_sm_clear(&live->sms[i]);
    gpci_free(profile->context, live->sms);
    gpci_free(profile->context, live->profiler->observer.cache_data);
    gpci_free(profile->context, live->instructions);
    gpci_slots_free(profile->context, &live->instruction_slots);
    gpci_free(profile->context, live->profiler);
}

static gpc_status make_profiler(gpc_profile *profile, gpc_error *error) {
    gpci_profiler *profiler = gpci_zalloc(profile->context, 1, sizeof *profiler);
    if (!profiler)
        return gpci_out_of_memory(error);
    profile->live = &profiler->live;
    profile->live->profiler = profiler;
    profile->live->destroy = destroy_live;
    return GPC_OK;
}

gpc_status gpc_profile_create(gpc_context *context, const gpc_config *config, gpc_profile **out, gpc_error *error) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    gpc_profile *profile = gpci_zalloc(context, 1, sizeof *profile);
    if (!profile)
        return gpci_out_of_memory(error);
    profile->context = gpci_retain(context);
    gpc_status status = make_profiler(profile, error);
    if (status == GPC_OK)
        status = make_replay(profile, config, error);
    if (status == GPC_OK)
        status = make_live(profile, error);
    if (status < 0) {
        gpc_profile_destroy(profile);
        return status;
    }
    *out = profile;
    return GPC_OK;
}

void gpc_profile_on_progress(gpc_profile *profile, gpc_progress_fn on_progress, void *user_data) {
    if (profile && profile->live)
        gpc_replay_on_progress(profile->live->profiler->replay, on_progress, user_data);
}

static gpc_status refuse(const gpc_profile *profile, const char *function, gpc_error *error) {
    if (!profile)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: profile is NULL", function);
    return profile->live ? GPC_OK : gpci_fail(error, GPC_ERROR_STATE, "%s: the profile was read from a file", function);
}

gpc_status gpc_profile_kernel(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel, gpc_error *error) {
    gpc_status status = refuse(profile, "gpc_profile_kernel", error);
    if (status < 0)
        return status;
    profile->live->host_kernel = GPCI_NONE;
    profile->settled = false;
    return gpc_replay_kernel(profile->live->profiler->replay, trace, kernel, error);
}

gpc_status gpc_profile_read_kernel(const gpc_profile *profile, const uint32_t *ids, size_t count, uint64_t *values,
                                   size_t value_count, gpc_error *error) {
    const gpc_status status = refuse(profile, "gpc_profile_read_kernel", error);
    return status < 0 ? status
                      : gpci_replay_read(profile->live->profiler->replay, GPC_OBJECT_WHOLE, 0, ids, count, values,
                                         value_count, "gpc_profile_read_kernel", error);
}

gpc_status gpc_profile_run(gpc_profile *profile, gpc_trace *trace, gpc_error *error) {
    gpc_status status;
    do
        status = gpc_profile_kernel(profile, trace, NULL, error);
    while (status == GPC_OK);
    return status == GPC_END ? GPC_OK : status;
}

gpc_status gpc_profile_begin_kernel(gpc_profile *profile, const char *name, const gpc_launch *launch,
                                    gpc_error *error) {
    gpc_status status = refuse(profile, "gpc_profile_begin_kernel", error);
    if (status < 0)
        return status;
    uint32_t kernel;
    if (gpci_profile_name(profile, name ? name : "", &kernel) < 0)
        return gpci_out_of_memory(error);
    profile->live->host_kernel = kernel;
    profile->settled = false;
    return gpc_hierarchy_begin_kernel(profile->live->profiler->hierarchy, launch, error);
}

gpc_status gpc_profile_access(gpc_profile *profile, const gpc_warp_access *access, gpc_warp_result *result,
                              gpc_error *error) {
    gpc_status status = refuse(profile, "gpc_profile_access", error);
    if (status < 0)
        return status;
    return gpc_hierarchy_access(profile->live->profiler->hierarchy, access, result, error);
}

static void reset_sm(gpc_profile *profile, gpci_live_sm *sm) {
    sm->row = (gpc_profile_sm){.sm = sm->row.sm};
    for (size_t i = 0; i < sm->line_count; i++) {
        const gpci_line_row *old = &sm->lines[i];
        sm->lines[i] =
            (gpci_line_row){.number = old->number, .last = old->last, .first = GPCI_NONE, .place = old->place};
    }
    gpci_map_clear(&sm->pairs);
    /*
     * later hits in lines that are resident now belong to residences from before the reset, and are not counted as
     * reuses
     */
    for (size_t i = 0; i < (size_t)sm->sets * sm->ways; i++)
        sm->residences[i].filler = GPCI_NONE;
    profile->distances[sm->row.sm].count = 0;
}

gpc_status gpc_profile_reset(gpc_profile *profile, gpc_error *error) {
    gpc_status status = refuse(profile, "gpc_profile_reset", error);
    if (status < 0)
        return status;
    gpci_live *live = profile->live;
    for (uint32_t i = 0; i < profile->sm_count; i++)
        reset_sm(profile, &live->sms[i]);
    for (size_t i = 0; i < live->instruction_count; i++)
        live->instructions[i].counts = (gpc_profile_counts){0};
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++)
        live->classes[i].counts = (gpc_profile_counts){0};
    profile->settled = false;
    return GPC_OK;
}
