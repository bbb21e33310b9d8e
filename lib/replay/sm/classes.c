/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"

/* Classes of instructions: latencies, and the units that an instruction of a class occupies. */

static uint64_t number(const gpci_timed_replay *timed_replay, gpci_key key) {
    return gpci_config_number(timed_replay->replay->config, key);
}

/* Value of a class's key. If the value is auto, the value of the key `otherwise`. */
static uint64_t number_or(const gpci_timed_replay *timed_replay, gpci_key key, gpci_key otherwise) {
    const uint64_t own = number(timed_replay, key);
    return own == GPCI_WORD ? number(timed_replay, otherwise) : own;
}

static bool is_pooled(const gpci_timed_replay *timed_replay, gpci_unit unit) {
    return unit < GPCI_UNIT_NONE &&
           (timed_replay->pools[unit].each > 1 || timed_replay->pools[unit].groups < timed_replay->schedulers);
}

static gpc_status make_pool(gpci_timed_replay *timed_replay, gpci_unit unit, gpci_key key, gpc_error *error) {
    const bool shared = unit == GPCI_UNIT_SHARED || unit == GPCI_UNIT_CLUSTER;
    uint64_t units = shared ? 1 : number(timed_replay, key);
    units = units == GPCI_WORD ? timed_replay->schedulers : units;
    if (!units)
        return GPC_OK; /* units of another kind execute the instructions (read_ops) */
    const bool shared_by_sm = shared || number(timed_replay, GPCI_KEY_SM_UNIT_SHARING) != 0;
    if (!shared_by_sm && units % timed_replay->schedulers && timed_replay->schedulers % units)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "%s: %llu units are neither a multiple nor a part of sm.schedulers (%u); with "
                         "sm.unit_sharing = sm each scheduler uses any of them",
                         gpci_key_name(key), (unsigned long long)units, timed_replay->schedulers);
    gpci_unit_pool *pool = &timed_replay->pools[unit];
    pool->groups = shared_by_sm ? 1 : units < timed_replay->schedulers ? (uint32_t)units : timed_replay->schedulers;
    pool->each = (uint32_t)units / pool->groups;
    pool->first = timed_replay->unit_count;
    timed_replay->unit_count += is_pooled(timed_replay, unit) ? pool->groups * pool->each : 0;
    return GPC_OK;
}

static gpc_status make_pools(gpci_timed_replay *timed_replay, gpc_error *error) {
    static const gpci_key keys[GPCI_UNIT_NONE] = {[GPCI_UNIT_INT] = GPCI_KEY_SM_UNITS_INT,
                                                  [GPCI_UNIT_FP] = GPCI_KEY_SM_UNITS_FP,
                                                  [GPCI_UNIT_DOUBLE] = GPCI_KEY_SM_UNITS_DOUBLE,
                                                  [GPCI_UNIT_SFU] = GPCI_KEY_SM_UNITS_SFU,
                                                  [GPCI_UNIT_TENSOR] = GPCI_KEY_SM_UNITS_TENSOR,
                                                  [GPCI_UNIT_UNIFORM] = GPCI_KEY_SM_UNITS_UNIFORM,
                                                  [GPCI_UNIT_CONTROL] = GPCI_KEY_SM_UNITS_CONTROL,
                                                  [GPCI_UNIT_SHARED] = GPCI_KEY_COUNT,
                                                  [GPCI_UNIT_CLUSTER] = GPCI_KEY_COUNT};
    gpc_status status = GPC_OK;
    for (unsigned unit = 0; unit < GPCI_UNIT_NONE && status == GPC_OK; unit++)
        status = make_pool(timed_replay, (gpci_unit)unit, keys[unit], error);
    return status;
}

void gpci_unit_take(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t scheduler, uint8_t unit,
                    uint64_t until) {
    const gpci_unit_pool *pool = &timed_replay->pools[unit];
    const uint32_t group = scheduler % pool->groups;
    uint64_t *units = core->units + pool->first + group * pool->each, next = GPCI_NEVER;
    uint32_t taken = 0;
    for (uint32_t n = 1; n < pool->each; n++)
        taken = units[n] < units[taken] ? n : taken;
    units[taken] = until;
    for (uint32_t n = 0; n < pool->each; n++)
        next = units[n] < next ? units[n] : next;
    for (uint32_t n = group; n < timed_replay->schedulers; n += pool->groups)
        gpci_unit_is_free_at(&core->issuers[n], unit, next);
}

static gpci_op make_op(const gpci_timed_replay *timed_replay, gpci_unit unit, uint64_t latency, uint64_t interval) {
    return (gpci_op){.unit = (uint8_t)unit,
                     .latency = (uint16_t)(latency + number(timed_replay, GPCI_KEY_SM_LATENCY_STAGES)),
                     .interval = (uint16_t)interval,
                     .writes = true,
                     .pooled = is_pooled(timed_replay, unit)};
}

static gpci_op make_op_by(const gpci_timed_replay *timed_replay, gpci_unit unit, gpci_key latency, gpci_key interval) {
    return make_op(timed_replay, unit, number(timed_replay, latency), number(timed_replay, interval));
}

/* Timing of branches. With a unit per scheduler and an interval of 1, branches never conflict, and need no unit. */
static gpci_op make_branch(const gpci_timed_replay *timed_replay, gpci_op control) {
    const uint64_t interval = number(timed_replay, GPCI_KEY_SM_INTERVAL_CONTROL);
    if (interval == 1 && timed_replay->pools[GPCI_UNIT_CONTROL].groups == timed_replay->schedulers)
        return control;
    gpci_op branch = make_op(timed_replay, GPCI_UNIT_CONTROL, 0, interval);
    branch.latency = control.latency;
    branch.holds = control.holds;
    return branch;
}

/* Set the timing of moves and multiply-adds: as additions, but with latencies of their own. */
static void read_work(gpci_timed_replay *timed_replay) {
    static const gpci_key keys[] = {GPCI_KEY_SM_LATENCY_MOVE, GPCI_KEY_SM_LATENCY_FMA};
    for (unsigned work = 0; work < 2; work++)
        for (unsigned fp = 0; fp < 2; fp++) {
            gpci_op *op = &timed_replay->ops[GPCI_USE_WORK + 2 * work + fp];
            const uint64_t latency = number(timed_replay, keys[work]);
            *op = timed_replay->ops[fp ? GPC_OP_FP : GPC_OP_ALU];
            if (latency != GPCI_WORD)
                op->latency = (uint16_t)(latency + number(timed_replay, GPCI_KEY_SM_LATENCY_STAGES));
        }
}

static void read_ops(gpci_timed_replay *timed_replay) {
    const gpci_unit integer = number(timed_replay, GPCI_KEY_SM_UNITS_INT) ? GPCI_UNIT_INT : GPCI_UNIT_FP;
    const gpci_unit twice = number(timed_replay, GPCI_KEY_SM_UNITS_DOUBLE) ? GPCI_UNIT_DOUBLE : GPCI_UNIT_SFU;
    const gpci_op alu =
        make_op(timed_replay, integer, number_or(timed_replay, GPCI_KEY_SM_LATENCY_INT, GPCI_KEY_SM_LATENCY_ALU),
                number_or(timed_replay, GPCI_KEY_SM_INTERVAL_INT, GPCI_KEY_SM_INTERVAL_ALU));
    const uint64_t hold = number(timed_replay, GPCI_KEY_SM_INTERVAL_CONSTANT);
    const gpci_op constant = make_op(timed_replay, hold ? integer : GPCI_UNIT_NONE,
                                     number(timed_replay, GPCI_KEY_SM_LATENCY_CONSTANT), hold);
    gpci_op control = make_op(timed_replay, GPCI_UNIT_NONE, 0, 0), *spaces;
    control.latency = (uint16_t)number(timed_replay, GPCI_KEY_SM_LATENCY_CONTROL);
    timed_replay->ops[GPC_OP_ALU] = alu;
    timed_replay->ops[GPC_OP_FP] =
        make_op(timed_replay, GPCI_UNIT_FP, number_or(timed_replay, GPCI_KEY_SM_LATENCY_FP, GPCI_KEY_SM_LATENCY_ALU),
                number_or(timed_replay, GPCI_KEY_SM_INTERVAL_FP, GPCI_KEY_SM_INTERVAL_ALU));
    read_work(timed_replay);
    timed_replay->ops[GPC_OP_DOUBLE] =
        make_op_by(timed_replay, twice, GPCI_KEY_SM_LATENCY_DOUBLE, GPCI_KEY_SM_INTERVAL_DOUBLE);
    timed_replay->ops[GPC_OP_SFU] =
        make_op_by(timed_replay, GPCI_UNIT_SFU, GPCI_KEY_SM_LATENCY_SFU, GPCI_KEY_SM_INTERVAL_SFU);
    timed_replay->ops[GPC_OP_TENSOR] =
        make_op_by(timed_replay, GPCI_UNIT_TENSOR, GPCI_KEY_SM_LATENCY_TENSOR, GPCI_KEY_SM_INTERVAL_TENSOR);
    timed_replay->ops[GPC_OP_UNIFORM] =
        make_op_by(timed_replay, GPCI_UNIT_UNIFORM, GPCI_KEY_SM_LATENCY_UNIFORM, GPCI_KEY_SM_INTERVAL_UNIFORM);
    timed_replay->ops[GPC_OP_EXIT] = control;
    control.holds = control.latency;
    timed_replay->ops[GPC_OP_BARRIER] = timed_replay->ops[GPC_OP_FENCE] = control;
    timed_replay->ops[GPC_OP_CONTROL] = make_branch(timed_replay, control);
    timed_replay->ops[GPC_OP_MEMORY] =
        (gpci_op){.unit = GPCI_UNIT_MEMORY, .holds = (uint16_t)number(timed_replay, GPCI_KEY_SM_HOLD_MEMORY)};
    spaces = timed_replay->ops + GPCI_USE_SPACE;
    for (uint32_t space = 0; space < GPC_SPACE_COUNT; space++)
        spaces[space] = alu;
    spaces[GPC_SPACE_SHARED] =
        make_op_by(timed_replay, GPCI_UNIT_SHARED, GPCI_KEY_SM_LATENCY_SHARED, GPCI_KEY_SM_INTERVAL_SHARED);
    spaces[GPC_SPACE_CLUSTER] =
        make_op_by(timed_replay, GPCI_UNIT_CLUSTER, GPCI_KEY_SM_LATENCY_CLUSTER, GPCI_KEY_SM_INTERVAL_CLUSTER);
    spaces[GPC_SPACE_CONSTANT] = spaces[GPC_SPACE_TEXTURE] = constant;
    timed_replay->ops[GPCI_USE_CONSTANT] =
        timed_replay->replay->hierarchy->constants ? (gpci_op){.unit = GPCI_UNIT_MEMORY} : constant;
    timed_replay->ops[GPCI_USE_NOTHING] = (gpci_op){.unit = GPCI_UNIT_NONE};
    timed_replay->latency_control = control.latency;
    timed_replay->latency_operand = (uint32_t)number(timed_replay, GPCI_KEY_SM_LATENCY_OPERAND);
    timed_replay->latency_cluster = gpci_config_number(timed_replay->replay->config, GPCI_KEY_SM_LATENCY_CLUSTER);
}

gpc_status gpci_classes_read(gpci_timed_replay *timed_replay, gpc_error *error) {
    gpc_status status = make_pools(timed_replay, error);
    if (status == GPC_OK)
        read_ops(timed_replay);
    return status;
}
