/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent.h"

/* The components that a coherent hierarchy alone has: controllers, and the caches of clusters of SMs. */

static gpci_group_size controllers_size(const gpci_timed *t, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){t->h->coherent != NULL, t->h->coherent != NULL};
}

static gpc_status controllers_make(gpci_group *group, gpc_error *error) {
    return gpci_coherent_host_create(group->timed, error);
}

static void controllers_destroy(gpci_group *group) {
    gpci_coherent_host_destroy(group->timed);
}

static bool controllers_idle(const gpci_group *group, uint32_t object) {
    (void)object;
    return gpci_controllers_idle(gpci_controllers_of(group->timed)) && !group->timed->coherent->sealed;
}

static void controllers_state(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data) {
    (void)object;
    gpci_coherent_host *host = group->timed->coherent;
    visit(user_data, &host->sealed, sizeof host->sealed);
    visit(user_data, &host->stretch, sizeof host->stretch);
    visit(user_data, &host->at, sizeof host->at);
    visit(user_data, &host->sweeps, sizeof host->sweeps);
    gpci_controllers_state(gpci_controllers_of(group->timed), visit, user_data);
}

static void controllers_report(const gpci_group *group, uint32_t object, gpci_text *report) {
    (void)object;
    gpci_controllers_report(gpci_controllers_of(group->timed), report);
}

/* What controllers do is counted by their modules (gpc_coherence_get_stats). */
const gpci_component_class gpci_controllers_class = GPCI_COMPONENT_CLASS(
    GPCI_SCOPE_HIERARCHY, controllers_size, controllers_make, controllers_destroy, gpci_controllers_step, NULL,
    gpci_count_nothing, gpci_reset_nothing, controllers_idle, controllers_state, controllers_report);

static gpci_group_size cluster_size(const gpci_timed *t, gpci_group_kind kind) {
    uint32_t clusters = t->h->coherent ? t->h->coherent->clusters : 0;
    (void)kind;
    return (gpci_group_size){clusters, clusters};
}

static gpc_status cluster_make(gpci_group *group, gpc_error *error) {
    gpci_timed *t = group->timed;
    t->cluster_options = t->l2_options; /* the ports of a slice, at the core's clock */
    t->cluster_options.clock = (gpci_clock){1, 1};
    t->clusters = gpci_zalloc(t->context, group->objects, sizeof *t->clusters);
    if (!t->clusters)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < group->objects; i++) {
        gpci_stage *stage = &t->clusters[i];
        *stage = (gpci_stage){.options = &t->cluster_options,
                              .line = &t->h->l1_level,
                              .timed = t,
                              .component = group->first + i,
                              .index = i,
                              .level = GPCI_LEVEL_CLUSTER,
                              .tag_cycle = GPCI_NEVER,
                              .congested_since = GPCI_NEVER,
                              .unsent_since = GPCI_NEVER};
        gpci_stage_queues(t, stage);
    }
    return GPC_OK;
}

static void cluster_destroy(gpci_group *group) {
    gpci_free(group->timed->context, group->timed->clusters);
}

static void cluster_reset(const gpci_group *group, uint32_t cluster, uint64_t now) {
    gpci_stage_reset(&group->timed->clusters[cluster], now);
}

static bool cluster_idle(const gpci_group *group, uint32_t cluster) {
    return gpci_stage_idle(&group->timed->clusters[cluster]);
}

static void cluster_state(const gpci_group *group, uint32_t cluster, gpci_state_fn visit, void *user_data) {
    gpci_stage_state(&group->timed->clusters[cluster], visit, user_data);
}

static void cluster_report(const gpci_group *group, uint32_t cluster, gpci_text *report) {
    gpci_stage_report(group, &group->timed->clusters[cluster], "the network", report);
}

const gpci_component_class gpci_cluster_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_CLUSTER, cluster_size, cluster_make, cluster_destroy, gpci_coherent_cluster_step,
                         NULL, gpci_count_nothing, cluster_reset, cluster_idle, cluster_state, cluster_report);
