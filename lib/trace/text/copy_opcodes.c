/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

/*
 * Copies that run beside their warp. DEPBAR waits for a counter, which each LDGDEPBAR raises and its copies lower. A
 * warp has six counters. No tracer writes the counter of a DEPBAR, and so all are taken as the same counter, as in
 * Accel-Sim.
 */
uint8_t gpci_opcode_copy(const char *text) {
    static const struct {
        const char *name;
        uint8_t copy;
    } copies[] = {{"LDGSTS", GPC_COPY_ASYNC},  {"LDGDEPBAR", GPC_COPY_COMMIT}, {"UTMACMDFLUSH", GPC_COPY_COMMIT},
                  {"DEPBAR", GPC_COPY_WAIT},   {"UBLKCP", GPC_COPY_BULK},      {"UBLKRED", GPC_COPY_BULK},
                  {"UBLKPF", GPC_COPY_BULK},   {"UTMALDG", GPC_COPY_BULK},     {"UTMASTG", GPC_COPY_BULK},
                  {"UTMAREDG", GPC_COPY_BULK}, {"UTMAPF", GPC_COPY_BULK}};
    if (gpci_opcode_is(gpci_opcode_first(text), "SYNCS"))
        return gpci_opcode_has(text, "PHASECHK") ? GPC_COPY_BARRIER
               : gpci_opcode_has(text, "EXCH")   ? GPC_COPY_BARRIER_INIT
               : gpci_opcode_has(text, "ARRIVE") ? GPC_COPY_BARRIER_ARRIVE
                                                 : GPC_COPY_NONE;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (gpci_opcode_is(gpci_opcode_first(text), copies[i].name))
            return copies[i].copy;
    return GPC_COPY_NONE;
}
