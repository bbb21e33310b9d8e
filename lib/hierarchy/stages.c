/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/stage_times.h"

#include <stdlib.h>
#include <string.h>

/* Cycles of accesses by latency stage, for a host: names, and sums as rows. */

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

/* Descending order of cycles; ties in a fixed order on every platform. */
static int compare(const void *one, const void *other) {
    const gpci_stage_sum *a = *(const gpci_stage_sum *const *)one, *b = *(const gpci_stage_sum *const *)other;
    if (a->latency != b->latency)
        return a->latency < b->latency ? 1 : -1;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    return a->kind != b->kind ? a->kind - b->kind : a->level - b->level;
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

gpc_status gpc_hierarchy_stages(const gpc_hierarchy *h, gpc_stage_fn on_row, void *user_data) {
    if (!h || !on_row)
        return GPC_ERROR_ARGUMENT;
    const gpci_stage_times *s = h->timed ? h->timed->stage_times : NULL;
    if (!s)
        return GPC_ERROR_STATE;
    if (!s->sum_count)
        return GPC_OK;
    const gpci_stage_sum **order = gpci_alloc(h->context, s->sum_count * sizeof(const gpci_stage_sum *));
    if (!order)
        return GPC_ERROR_MEMORY;
    for (uint32_t i = 0; i < s->sum_count; i++)
        order[i] = &s->sums[i];
    qsort(order, s->sum_count, sizeof(const gpci_stage_sum *), compare);
    for (uint32_t i = 0; i < s->sum_count; i++)
        tell(order[i], on_row, user_data);
    gpci_free(h->context, order);
    return GPC_OK;
}
