/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/gpgpusim/gpgpusim_import.h"

#include <string.h>

/*
 * Classes of instructions: latencies, intervals and units.
 *
 * An option's latency is the unit's latency. The simulator's SM has stages around the unit (shader.cc). An instruction
 * issued at cycle t is in its operand collector at t + 1, and has its operands after three steps of the collectors
 * (-gpgpu_reg_file_port_throughput is the number of steps a cycle). A cycle later the instruction is in the unit. After
 * the unit's latency two more cycles pass until the release of its registers. With a throughput of 2, an addition of
 * latency 2 thus follows a dependent addition by 2 + 5 cycles.
 */
#define COLLECTOR_STEPS 3u
#define STAGES 3u      /* stages around the unit, without the steps of the collectors */
#define STAGES_OF_3 5u /* stages in 3.x, beside a cycle for each operand */

/*
 * Set sm.latency_stages for the latencies of a file. A trace.config, imported after gpgpusim.config, keeps the stages
 * of gpgpusim.config.
 */
static gpc_status apply_stages(const gpci_import *import, gpci_option_id option_id) {
    const gpci_option *option = GPCI_OPTION(PORTS);
    if (gpci_import_is_3(import)) /* in 3.x an opcode in no list has a unit latency of 1 (set_opcode_and_latency) */
        return GPCI_SET_NUMBERS(import, option_id, {GPCI_KEY_SM_LATENCY_STAGES, STAGES_OF_3},
                                {GPCI_KEY_SM_LATENCY_OPERAND, 1}, {GPCI_KEY_SM_LATENCY_MOVE, 1});
    if (!option->given && gpci_import_now(import, GPCI_KEY_SM_LATENCY_STAGES))
        return GPC_OK;
    const uint64_t ports = option->given && option->number ? option->number : 1;
    return gpci_import_set_number(import, option->given ? GPCI_OPTION_PORTS : option_id, GPCI_KEY_SM_LATENCY_STAGES,
                                  (COLLECTOR_STEPS + ports - 1) / ports + STAGES);
}

/* Number `index` of the option's list of latencies or intervals, and the key that gets the number. */
typedef struct times {
    gpci_option_id option;
    size_t index;
    gpci_key key;
} times;

/* Order matters: a later row overrides. Without an own option, SFU's time is the time of FP division. */
static const times latencies[] = {
    {GPCI_OPTION_LATENCY_INT, 0, GPCI_KEY_SM_LATENCY_INT},
    {GPCI_OPTION_LATENCY_FP, 0, GPCI_KEY_SM_LATENCY_FP},
    {GPCI_OPTION_LATENCY_FP, 3, GPCI_KEY_SM_LATENCY_FMA},
    {GPCI_OPTION_LATENCY_FP, 4, GPCI_KEY_SM_LATENCY_SFU},
    {GPCI_OPTION_LATENCY_DP, 0, GPCI_KEY_SM_LATENCY_DOUBLE},
    {GPCI_OPTION_LATENCY_SFU, 0, GPCI_KEY_SM_LATENCY_SFU},
    {GPCI_OPTION_LATENCY_TENSOR, 0, GPCI_KEY_SM_LATENCY_TENSOR},
    {GPCI_OPTION_TRACE_INT, 0, GPCI_KEY_SM_LATENCY_INT},
    {GPCI_OPTION_TRACE_INT, 0, GPCI_KEY_SM_LATENCY_CONSTANT}, /* in volta_opcode.h, LDC is an ALU_OP */
    {GPCI_OPTION_TRACE_SP, 0, GPCI_KEY_SM_LATENCY_FP},
    {GPCI_OPTION_TRACE_DP, 0, GPCI_KEY_SM_LATENCY_DOUBLE},
    {GPCI_OPTION_TRACE_SFU, 0, GPCI_KEY_SM_LATENCY_SFU},
    {GPCI_OPTION_TRACE_TENSOR, 0, GPCI_KEY_SM_LATENCY_TENSOR},
};
static const times intervals[] = {
    {GPCI_OPTION_INTERVAL_INT, 0, GPCI_KEY_SM_INTERVAL_INT},
    {GPCI_OPTION_INTERVAL_FP, 0, GPCI_KEY_SM_INTERVAL_FP},
    {GPCI_OPTION_INTERVAL_FP, 4, GPCI_KEY_SM_INTERVAL_SFU},
    {GPCI_OPTION_INTERVAL_DP, 0, GPCI_KEY_SM_INTERVAL_DOUBLE},
    {GPCI_OPTION_INTERVAL_SFU, 0, GPCI_KEY_SM_INTERVAL_SFU},
    {GPCI_OPTION_INTERVAL_TENSOR, 0, GPCI_KEY_SM_INTERVAL_TENSOR},
    {GPCI_OPTION_TRACE_INT, 1, GPCI_KEY_SM_INTERVAL_INT},
    {GPCI_OPTION_TRACE_INT, 1, GPCI_KEY_SM_INTERVAL_CONSTANT},
    {GPCI_OPTION_TRACE_SP, 1, GPCI_KEY_SM_INTERVAL_FP},
    {GPCI_OPTION_TRACE_DP, 1, GPCI_KEY_SM_INTERVAL_DOUBLE},
    {GPCI_OPTION_TRACE_SFU, 1, GPCI_KEY_SM_INTERVAL_SFU},
    {GPCI_OPTION_TRACE_TENSOR, 1, GPCI_KEY_SM_INTERVAL_TENSOR},
};

/* Set an interval; 0 means 1: the next instruction follows a cycle later. */
static gpc_status set_interval(const gpci_import *import, gpci_option_id option, gpci_key key, uint64_t cycles) {
    return gpci_import_set_number(import, option, key, cycles ? cycles : 1);
}

static gpc_status set_latency(const gpci_import *import, gpci_option_id option, gpci_key key, uint64_t cycles) {
    const gpc_status status = apply_stages(import, option);
    return status < 0 ? status : gpci_import_set_number(import, option, key, cycles ? cycles : 1);
}

static gpc_status apply_row(const gpci_import *import, const times *t,
                            gpc_status (*set)(const gpci_import *, gpci_option_id, gpci_key, uint64_t)) {
    uint64_t n[8];
    if (!import->options[t->option].given || (t->key == GPCI_KEY_SM_LATENCY_FMA && !gpci_import_is_3(import)))
        return GPC_OK;
    const size_t count = gpci_import_list(import->options[t->option].text, ',', n, 1, 8);
    if (!count)
        return gpci_import_refuse(import, t->option, GPC_ERROR_FORMAT, "is not a list of at most 8 numbers of cycles");
    if (t->index < count)
        return set(import, t->option, t->key, n[t->index]);
    return t->option < GPCI_OPTION_TRACE_INT
               ? GPC_OK
               : gpci_import_refuse(import, t->option, GPC_ERROR_FORMAT, "is not latency,initiation");
}

static gpc_status apply_times(const gpci_import *import) {
    gpc_status status = GPC_OK;
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies && status == GPC_OK; i++)
        status = apply_row(import, &latencies[i], set_latency);
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals && status == GPC_OK; i++)
        status = apply_row(import, &intervals[i], set_interval);
    if (status == GPC_OK && GPCI_OPTION(SHARED_LATENCY)->given)
        status = set_latency(import, GPCI_OPTION_SHARED_LATENCY, GPCI_KEY_SM_LATENCY_SHARED,
                             GPCI_OPTION(SHARED_LATENCY)->number);
    return status;
}

/* Set the numbers of units. As in the simulator, SP units replace missing integer units, SFU units missing DP units. */
static gpc_status apply_numbers(const gpci_import *import) {
    static const struct {
        gpci_option_id option;
        gpci_key key;
    } units[] = {{GPCI_OPTION_UNITS_SP, GPCI_KEY_SM_UNITS_FP},
                 {GPCI_OPTION_UNITS_INT, GPCI_KEY_SM_UNITS_INT},
                 {GPCI_OPTION_UNITS_DP, GPCI_KEY_SM_UNITS_DOUBLE},
                 {GPCI_OPTION_UNITS_SFU, GPCI_KEY_SM_UNITS_SFU},
                 {GPCI_OPTION_UNITS_TENSOR, GPCI_KEY_SM_UNITS_TENSOR}};
    gpc_status status = GPC_OK;
    bool any = GPCI_OPTION(SUB_CORES)->given;
    for (size_t i = 0; i < sizeof units / sizeof *units && status == GPC_OK; i++) {
        const gpci_option *o = &import->options[units[i].option];
        const bool none = units[i].option == GPCI_OPTION_UNITS_TENSOR && !o->number;
        any |= o->given;
        if (o->given && !none)
            status = gpci_import_set_number(import, units[i].option, units[i].key, o->number);
    }
    if (status < 0 || !any)
        return status;
    const gpci_option_id option_id = GPCI_OPTION(SUB_CORES)->given ? GPCI_OPTION_SUB_CORES : GPCI_OPTION_UNITS_SP;
    return gpci_import_set(import, option_id, GPCI_KEY_SM_UNIT_SHARING,
                           GPCI_OPTION(SUB_CORES)->number ? "scheduler" : "sm");
}

/* Special unit of trace.config, found by its name. The opcode tables have the names of the third and fourth unit. */
typedef struct special {
    const char *name;
    gpci_key latency, interval, units;
} special;

static const special specials[] = {
    {",BRA", GPCI_KEY_SM_LATENCY_CONTROL, GPCI_KEY_SM_INTERVAL_CONTROL, GPCI_KEY_SM_UNITS_CONTROL},
    {",TENSOR", GPCI_KEY_SM_LATENCY_TENSOR, GPCI_KEY_SM_INTERVAL_TENSOR, GPCI_KEY_SM_UNITS_TENSOR},
    {",UDP", GPCI_KEY_SM_LATENCY_UNIFORM, GPCI_KEY_SM_INTERVAL_UNIFORM, GPCI_KEY_SM_UNITS_UNIFORM},
    {",UDI", GPCI_KEY_SM_LATENCY_UNIFORM, GPCI_KEY_SM_INTERVAL_UNIFORM, GPCI_KEY_SM_UNITS_UNIFORM},
};

static const special *find_special(const char *name) {
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (!strcmp(specials[i].name, name))
            return &specials[i];
    return NULL; /* the unit of textures has no keys */
}

/*
 * Apply a special unit: `enabled,units,latency,registers,registers,NAME`. A separate option has the times. The latency
 * of branches becomes 1 cycle, because a trace tells the target of a branch.
 */
static gpc_status apply_unit(const gpci_import *import, gpci_option_id unit, gpci_option_id unit_times) {
    const gpci_option *option = &import->options[unit];
    const char *name = option->given ? strrchr(option->text, ',') : NULL,
               *count = option->given ? strchr(option->text, ',') : NULL;
    uint64_t n[2], units = 0;
    char number[8] = "";
    if (!option->given || option->text[0] == '0' || !import->options[unit_times].given)
        return GPC_OK;
    if (!name)
        return gpci_import_refuse(import, unit, GPC_ERROR_FORMAT, "does not end in a unit's name");
    if (!gpci_import_list(import->options[unit_times].text, ',', n, 2, 2))
        return gpci_import_refuse(import, unit_times, GPC_ERROR_FORMAT, "is not latency,initiation");
    const special *s = find_special(name);
    if (!s)
        return GPC_OK;
    gpc_status status = s->latency == GPCI_KEY_SM_LATENCY_CONTROL
                            ? gpci_import_set_number(import, unit_times, s->latency, 1)
                            : set_latency(import, unit_times, s->latency, n[0]);
    if (status == GPC_OK)
        status = set_interval(import, unit_times, s->interval, n[1]);
    const size_t length = strcspn(count + 1, ",");
    if (length && length < sizeof number)
        memcpy(number, count + 1, length);
    if (status == GPC_OK && gpci_import_number(number, &units))
        status = gpci_import_set_number(import, unit, s->units, units);
    return status;
}

gpc_status gpci_import_classes(const gpci_import *import) {
    gpc_status status = GPCI_OPTION(PORTS)->given ? apply_stages(import, GPCI_OPTION_PORTS) : GPC_OK;
    if (status == GPC_OK)
        status = apply_times(import);
    if (status == GPC_OK)
        status = apply_numbers(import);
    for (int i = 0; i < 8 && status == GPC_OK; i++)
        status = apply_unit(import, (gpci_option_id)(GPCI_OPTION_UNIT_1 + i),
                            (gpci_option_id)(GPCI_OPTION_UNIT_TIMES_1 + i));
    return status;
}
