/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/run_ahead.h"
#include "timed/core/timed.h"

/*
 * SMs as components, if part of this library (timed/core/sm_front_end.h): the replay's, or absent. Also L2 request
 * coalescers, between the L1s of neighbouring SMs and the request network.
 */

static gpci_group_size sm_size(const gpci_timed *timed, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){timed->hierarchy->sms, timed->hierarchy->sms};
}

/* The SMs are attached later (gpci_timed_attach); the caller of gpci_timed_attach owns the SMs. */
static gpc_status sm_make(gpci_group *group, gpc_error *error) {
    (void)error;
    group->timed->front = (gpci_sm_front_end){0};
    return GPC_OK;
}

static void sm_destroy(gpci_group *group) {
    group->timed->front = (gpci_sm_front_end){0};
}

static void sm_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *timed = group->timed;
    const gpci_sm_front_end *front = &timed->front;
    const gpci_ctrl *ctrl = &timed->l1[sm];
    if (gpci_is_behind(timed, ctrl)) {
        if (ctrl->ahead.until == timed->wheel.now && front->hand_over)
            front->hand_over(front->user_data, sm);
        return;
    }
    if (front->step)
        front->step(front->user_data, sm);
    if (timed->ahead_limit)
        gpci_run_ahead(timed, sm);
}

static void sm_expect(const gpci_group *group, uint32_t sm, unsigned pass) {
    const gpci_sm_front_end *front = &group->timed->front;
    if (front->expect)
        front->expect(front->user_data, sm, pass);
}

/* SMs have no counters or holders in the hierarchy: the replay counts and reports instructions. */
const gpci_component_class gpci_sm_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SM, sm_size, sm_make, sm_destroy, sm_step, sm_expect, gpci_count_nothing,
                         gpci_reset_nothing, gpci_state_nothing, gpci_hold_nothing);

static uint32_t number(const gpci_timed *timed, gpci_key key) {
    uint64_t value = gpci_number(timed->hierarchy, key);
    return value >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)value;
}

static gpci_group_size coalescer_size(const gpci_timed *timed, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){timed->hierarchy->coalescers != 0, 0};
}

static gpc_status coalescer_make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    gpci_lrc_options lrc_options = {.sms = timed->hierarchy->sms,
                                    .groups = timed->hierarchy->coalescers,
                                    .group_of = timed->hierarchy->sm_coalescer,
                                    .entries = number(timed, GPCI_KEY_LRC_ENTRIES),
                                    .merges = number(timed, GPCI_KEY_LRC_MERGES),
                                    .window = number(timed, GPCI_KEY_LRC_WINDOW),
                                    .line = timed->bundle_line,
                                    .equal = gpci_number(timed->hierarchy, GPCI_KEY_LRC_MATCH) != 0,
                                    .messages = timed->hierarchy->coherent != NULL};
    gpci_lrc *lrc;
    gpc_status status = gpci_lrc_create(timed->context, &lrc_options, &timed->pool, error, &lrc);
    group->self = lrc;
    return status;
}

static void coalescer_destroy(gpci_group *group) {
    gpci_lrc_destroy(group->self);
}

static void coalescer_reset(const gpci_group *group, uint32_t object, uint64_t now) {
    (void)object;
    (void)now;
    gpci_lrc_reset_stats(group->self);
}

static void coalescer_state(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data) {
    (void)object;
    gpci_lrc_state(group->self, visit, user_data);
}

static void coalescer_hold(const gpci_group *group, uint32_t object, gpci_holders *holders) {
    (void)object;
    gpci_held(holders, "reads that wait for another SM's", gpci_lrc_count(group->self), gpci_by_any());
}

const gpci_component_class gpci_coalescer_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_HIERARCHY, coalescer_size, coalescer_make, coalescer_destroy, gpci_step_nothing,
                         NULL, gpci_count_nothing, coalescer_reset, coalescer_state, coalescer_hold);
