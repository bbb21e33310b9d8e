/* SPDX-License-Identifier: BSD-2-Clause */
#include "profiler/profiler.h"

#include <string.h>

/* Profile that counts: created from a configuration, then run over traces or fed by a host. */

static gpc_status make_replay(gpc_profile *p, const gpc_config *config, gpc_error *error) {
    const char *protocol = gpci_config_text(config, GPCI_KEY_COHERENCE);
    if (strcmp(protocol, "none") && strcmp(protocol, GPCI_VIPER))
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "coherence = %s: there is no profile of coherent modules",
                         protocol);
    const char *sample = gpci_config_text(config, GPCI_KEY_SAMPLE);
    if (strcmp(sample, "none"))
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "sample = %s: a profile is of all accesses", sample);
    uint64_t flush = gpci_config_number(config, GPCI_KEY_KERNELS_FLUSH); /* 0: none, 1: l1, 2: all */
    gpc_status status = gpc_replay_create(p->context, config, error, &p->live->profiler->replay);
    if (status < 0)
        return status;
    gpc_hierarchy *h = p->live->profiler->hierarchy = p->live->profiler->replay->hierarchy;
    if (!h->l1)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "l1.enabled = false: there is no L1 to profile");
    p->live->flushes = flush >= 1;
    p->line_bytes = h->l1_level.line_bytes;
    p->line_shift = h->l1_level.line_shift;
    p->sm_count = h->sms;
    return GPC_OK;
}

static gpc_status make_live(gpc_profile *p, gpc_error *error) {
    gpci_live *l = p->live;
    l->kernel = l->host_kernel = GPCI_NONE;
    l->sms = gpci_zalloc(p->context, p->sm_count, sizeof *l->sms);
    l->profiler->observer.cache_data = gpci_zalloc(p->context, p->sm_count, sizeof *l->profiler->observer.cache_data);
    p->distances = gpci_zalloc(p->context, p->sm_count, sizeof *p->distances);
    if (!l->sms || !l->profiler->observer.cache_data || !p->distances)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < p->sm_count; i++) {
        l->sms[i].profile = p;
        l->sms[i].stack.context = p->context;
        l->sms[i].row.sm = i;
        l->profiler->observer.cache_data[i] = &l->sms[i];
    }
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++)
        l->classes[i].transactions = i + 1;
    gpci_profile_observer(p);
    gpci_hierarchy_observe(l->profiler->hierarchy, &l->profiler->observer);
    return GPC_OK;
}

static void destroy_live(gpc_profile *p) {
    gpci_live *l = p->live;
    gpc_replay_destroy(l->profiler->replay);
    for (uint32_t i = 0; l->sms && i < p->sm_count; i++)
        if (l->sms[i].profile)
            gpci_live_sm_clear(&l->sms[i]);
    gpci_free(p->context, l->sms);
    gpci_free(p->context, l->profiler->observer.cache_data);
    gpci_free(p->context, l->instructions);
    gpci_slots_free(p->context, &l->instruction_slots);
    gpci_free(p->context, l->profiler);
}

static gpc_status make_profiler(gpc_profile *p, gpc_error *error) {
    gpci_profiler *profiler = gpci_zalloc(p->context, 1, sizeof *profiler);
    if (!profiler)
        return gpci_out_of_memory(error);
    p->live = &profiler->live;
    p->live->profiler = profiler;
    p->live->destroy = destroy_live;
    return GPC_OK;
}

gpc_status gpc_profile_create(gpc_context *context, const gpc_config *config, gpc_error *error, gpc_profile **out) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    gpc_profile *p = gpci_zalloc(context, 1, sizeof *p);
    if (!p)
        return gpci_out_of_memory(error);
    p->context = gpci_retain(context);
    gpc_status status = make_profiler(p, error);
    if (status == GPC_OK)
        status = make_replay(p, config, error);
    if (status == GPC_OK)
        status = make_live(p, error);
    if (status < 0) {
        gpc_profile_destroy(p);
        return status;
    }
    *out = p;
    return GPC_OK;
}

void gpc_profile_on_progress(gpc_profile *p, gpc_progress_fn on_progress, void *user_data) {
    if (p && p->live)
        gpc_replay_on_progress(p->live->profiler->replay, on_progress, user_data);
}

static gpc_status refuse(const gpc_profile *p, const char *function, gpc_error *error) {
    if (!p)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: profile is NULL", function);
    return p->live ? GPC_OK : gpci_fail(error, GPC_ERROR_STATE, "%s: the profile was read from a file", function);
}

gpc_status gpc_profile_kernel_as(gpc_profile *p, gpc_trace *trace, gpc_kernel *kernel, const gpc_layout *layout,
                                 void *stats, gpc_error *error) {
    gpc_status status = refuse(p, "gpc_profile_kernel", error);
    if (status < 0)
        return status;
    p->live->host_kernel = GPCI_NONE;
    p->settled = false;
    return gpc_replay_kernel_as(p->live->profiler->replay, trace, kernel, layout, stats, error);
}

gpc_status gpc_profile_run(gpc_profile *p, gpc_trace *trace, gpc_error *error) {
    gpc_status status;
    do
        status = gpc_profile_kernel(p, trace, NULL, NULL, error);
    while (status == GPC_OK);
    return status == GPC_END ? GPC_OK : status;
}

gpc_status gpc_profile_begin_kernel(gpc_profile *p, const char *name, const gpc_launch *launch, gpc_error *error) {
    gpc_status status = refuse(p, "gpc_profile_begin_kernel", error);
    if (status < 0)
        return status;
    uint32_t kernel;
    if (gpci_profile_name(p, name ? name : "", &kernel) < 0)
        return gpci_out_of_memory(error);
    p->live->host_kernel = kernel;
    p->settled = false;
    gpc_error detail = GPC_ERROR_INIT;
    status = gpc_hierarchy_begin_kernel(p->live->profiler->hierarchy, launch, &detail);
    if (status < 0)
        gpci_fail(error, status, "%s", detail.message[0] ? detail.message : gpc_status_string(status));
    return status;
}

gpc_status gpc_profile_access(gpc_profile *p, const gpc_warp_access *access, gpc_warp_result *result) {
    gpc_status status = refuse(p, "gpc_profile_access", NULL);
    return status < 0 ? status : gpc_hierarchy_access(p->live->profiler->hierarchy, access, result);
}

static void reset_sm(gpc_profile *p, gpci_live_sm *sm) {
    sm->row = (gpc_profile_sm){.sm = sm->row.sm};
    for (size_t i = 0; i < sm->line_count; i++) {
        const gpci_line_row *old = &sm->lines[i];
        sm->lines[i] =
            (gpci_line_row){.number = old->number, .last = old->last, .first = GPCI_NONE, .place = old->place};
    }
    gpci_map_clear(&sm->pairs);
    /* later hits in lines resident now count for no residence */
    for (size_t i = 0; i < (size_t)sm->sets * sm->ways; i++)
        sm->residences[i].filler = GPCI_NONE;
    p->distances[sm->row.sm].count = 0;
}

gpc_status gpc_profile_reset(gpc_profile *p) {
    gpc_status status = refuse(p, "gpc_profile_reset", NULL);
    if (status < 0)
        return status;
    gpci_live *l = p->live;
    for (uint32_t i = 0; i < p->sm_count; i++)
        reset_sm(p, &l->sms[i]);
    for (size_t i = 0; i < l->instruction_count; i++)
        l->instructions[i].counts = (gpc_profile_counts){0};
    for (uint32_t i = 0; i < GPC_PROFILE_CLASSES; i++)
        l->classes[i].counts = (gpc_profile_counts){0};
    p->settled = false;
    return GPC_OK;
}
