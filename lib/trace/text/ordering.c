/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

/*
 * Order and scope from the modifiers of SASS. ptxas writes PTX's memory model as follows (output of cuobjdump):
 *
 *   ld.relaxed.gpu           LD.STRONG.GPU
 *   ld.acquire.gpu           LD.STRONG.GPU; CCTL.IVALL
 *   st.release.gpu           MEMBAR.ALL.GPU; ST.STRONG.GPU
 *   atom.gpu                 ATOM.STRONG.GPU
 *   fence.acq_rel.gpu        MEMBAR.ALL.GPU; CCTL.IVALL
 *   fence.sc, __threadfence  MEMBAR.SC.GPU; ERRBAR; CCTL.IVALL
 *   fence.cta                MEMBAR.ALL.CTA
 *
 * An access of a trace is therefore WEAK or RELAXED; acquire and release are separate instructions before and behind
 * the access. A scope of a cluster becomes GPU.
 */

/* Scope of an opcode, or `otherwise`. Opcodes of Pascal and earlier have GL for GPU. VC counts as no scope. */
static uint8_t scope_of(const char *text, gpc_scope otherwise) {
    static const struct {
        const char *modifier;
        uint8_t scope;
    } scopes[] = {{"SYS", GPC_SCOPE_SYS},
                  {"GPU", GPC_SCOPE_GPU},
                  {"GL", GPC_SCOPE_GPU},
                  {"CTA", GPC_SCOPE_CTA},
                  {"SM", GPC_SCOPE_CTA}};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (gpci_opcode_has(text, scopes[i].modifier))
            return scopes[i].scope;
    return (uint8_t)otherwise;
}

/*
 * Order of an access. Only the thread block uses shared memory; other atomics default to relaxed and GPU scope, as in
 * PTX.
 */
static void order_access(const char *text, gpci_opcode *opcode) {
    bool atomic = opcode->kind == GPC_ATOMIC || opcode->kind == GPC_REDUCTION;
    bool strong = gpci_opcode_has(text, "STRONG") || gpci_opcode_has(text, "MMIO");
    if (!atomic && !strong)
        return;
    bool shared = opcode->space == GPC_SPACE_SHARED;
    opcode->order = GPC_ORDER_RELAXED;
    const bool cluster = opcode->space == GPC_SPACE_CLUSTER;
    opcode->scope = scope_of(text, shared    ? GPC_SCOPE_CTA
                                   : cluster ? GPC_SCOPE_CLUSTER
                                   : atomic  ? GPC_SCOPE_GPU
                                             : GPC_SCOPE_SYS);
}

/* CCTL's operations. Operations on caches of constants, instructions and textures do not concern L1's data. */
static uint8_t control_of(const char *text) {
    static const struct {
        const char *modifier;
        uint8_t control;
    } controls[] = {{"IVALL", GPC_CONTROL_INVALIDATE_ALL},
                    {"IVALLP", GPC_CONTROL_INVALIDATE_ALL},
                    {"WBALL", GPC_CONTROL_WRITE_BACK_ALL},
                    {"IV", GPC_CONTROL_INVALIDATE},
                    {"WB", GPC_CONTROL_WRITE_BACK}};
    static const char *const others[] = {"C", "I", "U", "T"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (gpci_opcode_has(text, others[i]))
            return GPC_CONTROL_OTHER;
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (gpci_opcode_has(text, controls[i].modifier))
            return controls[i].control;
    return GPC_CONTROL_OTHER;
}

/* Order of a fence. Before Volta a MEMBAR names only its level, and equals today's fence.sc of PTX. */
static void order_fence(const char *text, gpci_opcode *opcode) {
    gpci_opcode_part name = gpci_opcode_first(text);
    if (gpci_opcode_is(name, "MEMBAR")) {
        opcode->order = gpci_opcode_has(text, "ALL") ? GPC_ORDER_ACQ_REL : GPC_ORDER_SC;
        opcode->scope = scope_of(text, GPC_SCOPE_SYS);
    } else if (gpci_opcode_is(name, "FENCE")) { /* between an SM's paths to memory, such as bulk copies */
        opcode->order = GPC_ORDER_ACQ_REL;
        opcode->scope = scope_of(text, GPC_SCOPE_CTA);
    } else if (gpci_opcode_is(name, "CCTL")) {
        opcode->control = control_of(text);
    } else if (gpci_opcode_is(name, "CCTLL")) { /* CCTL for local memory, in the same L1 */
        opcode->control = control_of(text);
    } else if (gpci_opcode_is(name, "CCTLT")) {
        opcode->control = GPC_CONTROL_OTHER;
    }
}

void gpci_opcode_order(const char *text, gpci_opcode *opcode) {
    if (opcode->op_class == GPC_OP_MEMORY)
        order_access(text, opcode);
    else if (opcode->op_class == GPC_OP_FENCE)
        order_fence(text, opcode);
}
