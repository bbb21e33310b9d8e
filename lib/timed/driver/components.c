/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

/* Table of components, and operations on all components. */

static const gpci_component_class *const classes[GPCI_GROUP_COUNT] = {
#define X(name, class, text) [GPCI_GROUP_##name] = &gpci_##class##_class,
    GPCI_GROUPS(X)
#undef X
};

static const char *const names[GPCI_GROUP_COUNT] = {
#define X(name, class, text) [GPCI_GROUP_##name] = (text),
    GPCI_GROUPS(X)
#undef X
};

const gpci_component_class *gpci_class_of(gpci_group_kind kind) {
    return classes[kind];
}

const char *gpci_group_name(gpci_group_kind kind) {
    return names[kind];
}

/* Number the components of all groups. Returns the number of components. */
static uint32_t number_groups(gpci_timed *timed) {
    uint32_t next = 0;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        gpci_group_size size = classes[kind]->size(timed, (gpci_group_kind)kind);
        timed->groups[kind] = (gpci_group){.class = classes[kind],
                                           .timed = timed,
                                           .step = classes[kind]->step,
                                           .expect = classes[kind]->expect,
                                           .first = next,
                                           .components = size.components,
                                           .objects = size.objects,
                                           .kind = kind};
        next += size.components;
    }
    return next;
}

/* Map components to groups, and find the first and last component with prefetched steps. */
static void index_groups(gpci_timed *timed) {
    timed->expect_from = UINT32_MAX;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        const gpci_group *group = &timed->groups[kind];
        for (uint32_t i = group->first; i < group->first + group->components; i++) {
            timed->group_of[i] = (uint8_t)kind;
            timed->expected[i / 64] |= (uint64_t)(group->expect != NULL) << (i & 63);
        }
        if (!group->expect || !group->components)
            continue;
        timed->expect_from = timed->expect_from == UINT32_MAX ? group->first : timed->expect_from;
        timed->expect_to = group->first + group->components - 1;
    }
}

/* Most lines of a group's prefetchers in a cycle: each takes a tag port. */
static uint32_t fetched_ahead(const gpci_timed *timed, gpci_group_kind kind, const gpci_ctrl *ctrls) {
    const uint32_t objects = timed->groups[kind].objects;
    return objects && gpci_part_is_there(ctrls, GPCI_PART_PREFETCH) ? objects * ctrls->options->ports : 0;
}

gpc_status gpci_groups_make(gpci_timed *timed, gpc_error *error) {
    uint32_t components = number_groups(timed);
    gpc_status status = gpci_wheel_create(timed->context, components, error, &timed->wheel);
    if (status < 0)
        return status;
    timed->group_of = gpci_zalloc(timed->context, components, sizeof *timed->group_of);
    timed->expected = gpci_zalloc(timed->context, timed->wheel.words, sizeof *timed->expected);
    if (!timed->group_of || !timed->expected)
        return gpci_out_of_memory(error);
    index_groups(timed);
    for (uint32_t kind = 0; status == GPC_OK && kind < GPCI_GROUP_COUNT; kind++)
        if (timed->groups[kind].objects)
            status = classes[kind]->make(&timed->groups[kind], error);
    if (status == GPC_OK)
        timed->self_started = timed->groups[GPCI_GROUP_PORTS].components +
                              fetched_ahead(timed, GPCI_GROUP_L1S, timed->l1) +
                              fetched_ahead(timed, GPCI_GROUP_SLICES, timed->l2);
    return status;
}

void gpci_groups_destroy(gpci_timed *timed) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (timed->groups[kind].objects)
            classes[kind]->destroy(&timed->groups[kind]);
    gpci_wheel_destroy(&timed->wheel);
    gpci_free(timed->context, timed->group_of);
    gpci_free(timed->context, timed->expected);
}

void gpci_groups_count_sm(const gpci_timed *timed, uint32_t sm, gpc_stats *stats) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (classes[kind]->scope == GPCI_SCOPE_SM && timed->groups[kind].objects)
            classes[kind]->count(&timed->groups[kind], sm, stats);
}

void gpci_groups_count_rest(const gpci_timed *timed, gpc_stats *stats) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; classes[kind]->scope != GPCI_SCOPE_SM && i < timed->groups[kind].objects; i++)
            classes[kind]->count(&timed->groups[kind], i, stats);
}

void gpci_timed_add_object(const gpci_timed *timed, gpci_scope scope, uint32_t index, gpc_stats *stats) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (classes[kind]->scope == scope && index < timed->groups[kind].objects)
            classes[kind]->count(&timed->groups[kind], index, stats);
}

/*
 * Group of network number `*index`, counted over the groups in use. NULL: no such network; `*index` is then less by the
 * number of networks.
 */
static const gpci_group *network_at(const gpci_timed *timed, uint32_t *index) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (classes[kind] == &gpci_network_class && timed->groups[kind].objects && !(*index)--)
            return &timed->groups[kind];
    return NULL;
}

uint32_t gpci_timed_networks(const gpci_timed *timed) {
    uint32_t left = UINT32_MAX;
    network_at(timed, &left);
    return UINT32_MAX - left;
}

const char *gpci_timed_network_name(const gpci_timed *timed, uint32_t index) {
    return gpci_group_name((gpci_group_kind)network_at(timed, &index)->kind);
}

gpci_network_stats gpci_timed_network_stats(const gpci_timed *timed, uint32_t index) {
    return gpci_network_get_stats(network_at(timed, &index)->self);
}

#ifdef GPCI_CHECK
gpci_network_stats gpci_timed_network_stats_again(const gpci_timed *timed, uint32_t index) {
    return gpci_network_get_stats_again(network_at(timed, &index)->self);
}
#endif

void gpci_groups_reset(gpci_timed *timed, uint64_t now) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < timed->groups[kind].objects; i++)
            classes[kind]->reset(&timed->groups[kind], i, now);
}

void gpci_groups_state(const gpci_timed *timed, gpci_state_fn visit, void *user_data) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < timed->groups[kind].objects; i++)
            classes[kind]->state(&timed->groups[kind], i, visit, user_data);
}

void gpci_step_nothing(const gpci_group *group, uint32_t index) {
    (void)group;
    (void)index;
}

void gpci_count_nothing(const gpci_group *group, uint32_t object, gpc_stats *stats) {
    (void)group;
    (void)object;
    (void)stats;
}

void gpci_reset_nothing(const gpci_group *group, uint32_t object, uint64_t now) {
    (void)group;
    (void)object;
    (void)now;
}

void gpci_state_nothing(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data) {
    (void)group;
    (void)object;
    (void)visit;
    (void)user_data;
}

void gpci_hold_nothing(const gpci_group *group, uint32_t object, gpci_holders *holders) {
    (void)group;
    (void)object;
    (void)holders;
}
