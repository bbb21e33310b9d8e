/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/stage_times.h"

#include <stdlib.h>
#include <string.h>

/* Cycles that accesses spend in each latency stage, for a host: names of the stages, and rows of sums. */

static const char *const names[] = {
#define X(id, value, name, meaning) [id] = name,
    GPC_STAGE_LIST(X)
#undef X
};

static const char *const meanings[] = {
#define X(id, value, name, meaning) [id] = meaning,
    GPC_STAGE_LIST(X)
#undef X
};

const char *gpc_stage_name(unsigned stage) {
    return stage < GPC_STAGE_COUNT ? names[stage] : "";
}

const char *gpc_stage_meaning(unsigned stage) {
    return stage < GPC_STAGE_COUNT ? meanings[stage] : "";
}

/* Order rows by cycles, descending. Rows with equal cycles have the same order on every platform. */
static int compare(const void *one, const void *other) {
    const gpci_stage_sum *left = *(const gpci_stage_sum *const *)one, *right = *(const gpci_stage_sum *const *)other;
    if (left->latency != right->latency)
        return left->latency < right->latency ? 1 : -1;
    if (left->kernel != right->kernel)
        return left->kernel < right->kernel ? -1 : 1;
    if (left->pc != right->pc)
        return left->pc < right->pc ? -1 : 1;
    return left->kind != right->kind ? left->kind - right->kind : left->level - right->level;
}

static void tell(const gpci_stage_sum *sum, gpc_stage_fn on_row, void *user_data) {
    const gpc_stage_row row = {.pc = sum->pc,
                               .kernel = sum->kernel,
                               .kind = sum->kind,
                               .level = sum->level,
                               .accesses = sum->accesses,
                               .latency = sum->latency,
                               .longest = sum->longest,
                               .stages = sum->spent,
                               .stage_count = GPC_STAGE_COUNT};
    on_row(user_data, &row);
}

gpc_status gpc_hierarchy_stages(const gpc_hierarchy *hierarchy, gpc_stage_fn on_row, void *user_data,
                                gpc_error *error) {
    if (!hierarchy || !on_row)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_stages: %s is NULL",
                         hierarchy ? "on_row" : "hierarchy");
    const gpci_stage_times *times = hierarchy->timed ? hierarchy->timed->stage_times : NULL;
    if (!times)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_stages: stats.stages = false");
    if (!times->sum_count)
        return GPC_OK;
    const gpci_stage_sum **order = gpci_alloc(hierarchy->context, times->sum_count * sizeof(const gpci_stage_sum *));
    if (!order)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < times->sum_count; i++)
        order[i] = &times->sums[i];
    qsort(order, times->sum_count, sizeof(const gpci_stage_sum *), compare);
    for (uint32_t i = 0; i < times->sum_count; i++)
        tell(order[i], on_row, user_data);
    gpci_free(hierarchy->context, order);
    return GPC_OK;
}
