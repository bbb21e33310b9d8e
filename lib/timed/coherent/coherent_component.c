/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"
#include "timed/core/ctrl_holders.h"

/* Components only of coherent hierarchies: engine, and caches of clusters of SMs. */

static gpci_group_size engine_size(const gpci_timed *timed, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){timed->hierarchy->coherent != NULL, timed->hierarchy->coherent != NULL};
}

static gpc_status engine_make(gpci_group *group, gpc_error *error) {
    return gpci_coherent_host_create(group->timed, error);
}

static void engine_destroy(gpci_group *group) {
    gpci_coherent_host_destroy(group->timed);
}

static void engine_state(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data) {
    (void)object;
    gpci_coherent_host *host = group->timed->coherent;
    GPCI_STATE_FROM(visit, user_data, gpci_coherent_host, host, unbundled);
    gpci_engine_state(gpci_engine_of(group->timed), visit, user_data);
}

/* Holders: messages of a module without room in the queues of the controller. */
static void hold_unit(const gpci_timed *timed, uint32_t module, gpci_holders *holders) {
    const gpci_engine_unit *unit = &gpci_engine_of(timed)->units[module];
    for (uint32_t up = 0; up < 2; up++)
        gpci_held(holders, "message that finds no room", unit->senders[up].head != GPCI_NO_ITEM,
                  gpci_message_queue_full(timed, module, up) ? gpci_by_any() : gpci_by_clock(0));
}

static void engine_hold(const gpci_group *group, uint32_t object, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_engine *engine = gpci_engine_of(timed);
    (void)object;
    gpci_held(holders, "kernel that begins", timed->coherent->sealed,
              timed->coherent->sweeps ? gpci_by_any() : gpci_by_clock(0));
    gpci_held(holders, "steps to do", engine->calendar.today_count + engine->calendar.later_count, gpci_by_clock(0));
    gpci_held(holders, "accesses under way", engine->inflights.used, gpci_by_any());
    gpci_held(holders, "transactions under way", engine->tasks.used, gpci_by_any());
    for (uint32_t module = 0; module < timed->hierarchy->coherent->modules; module++)
        hold_unit(timed, module, holders);
    if (holders->report)
        gpci_engine_report(engine, holders->report);
}

/* The engine's work is counted by module (gpc_coherence_get_stats). */
const gpci_component_class gpci_engine_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_HIERARCHY, engine_size, engine_make, engine_destroy, gpci_engine_step, NULL,
                         gpci_count_nothing, gpci_reset_nothing, engine_state, engine_hold);

static gpci_group_size cluster_size(const gpci_timed *timed, gpci_group_kind kind) {
    uint32_t clusters = timed->hierarchy->coherent ? timed->hierarchy->coherent->clusters : 0;
    (void)kind;
    return (gpci_group_size){clusters, clusters};
}

static gpc_status cluster_make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    timed->cluster_options = timed->l2_options; /* the ports of a slice, at the core clock */
    timed->cluster_options.clock = (gpci_clock){1, 1};
    group->self = timed->clusters = gpci_zalloc(timed->context, group->objects, sizeof *timed->clusters);
    if (!timed->clusters)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < group->objects; i++) {
        gpci_ctrl *ctrl = &timed->clusters[i];
        *ctrl = (gpci_ctrl){.options = &timed->cluster_options,
                            .line = &timed->hierarchy->l1_level,
                            .timed = timed,
                            .component = group->first + i,
                            .index = i,
                            .level = GPCI_LEVEL_CLUSTER,
                            .tag_port = {.cycle = GPCI_NEVER},
                            .congested = {.since = GPCI_NEVER},
                            .unsent = {.since = GPCI_NEVER}};
        gpci_ctrl_queues(timed, ctrl);
    }
    return GPC_OK;
}

static void cluster_destroy(gpci_group *group) {
    gpci_free(group->timed->context, group->timed->clusters);
}

const gpci_component_class gpci_cluster_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_CLUSTER, cluster_size, cluster_make, cluster_destroy, gpci_coherent_cluster_step,
                         NULL, gpci_count_nothing, gpci_ctrls_reset, gpci_ctrls_state, gpci_cluster_hold);
