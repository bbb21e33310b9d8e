/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

/*
 * What the modifiers of SASS say of order and scope. How ptxas writes PTX's memory model, as cuobjdump shows it:
 *
 *   ld.relaxed.gpu           LD.STRONG.GPU
 *   ld.acquire.gpu           LD.STRONG.GPU; CCTL.IVALL
 *   st.release.gpu           MEMBAR.ALL.GPU; ST.STRONG.GPU
 *   atom.gpu                 ATOM.STRONG.GPU
 *   fence.acq_rel.gpu        MEMBAR.ALL.GPU; CCTL.IVALL
 *   fence.sc, __threadfence  MEMBAR.SC.GPU; ERRBAR; CCTL.IVALL
 *   fence.cta                MEMBAR.ALL.CTA
 *
 * So an access of a trace is WEAK or RELAXED, and acquire and release stand before and behind it by themselves. What a
 * scope of a cluster becomes is GPU.
 */

/* Where none is named: `otherwise`. Pascal and before call the GPU GL; VC, a level of its own, counts as not named. */
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

/* Shared memory is a thread block's own; atomics elsewhere that name nothing are relaxed, and the GPU's, as in PTX. */
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

/* CCTL's operations. Those of the caches of constants, instructions and textures concern no L1 of data. */
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

/* Before Volta a MEMBAR names its level alone, and is what PTX now calls fence.sc. */
static void order_fence(const char *text, gpci_opcode *opcode) {
    gpci_opcode_part name = gpci_opcode_first(text);
    if (gpci_opcode_is(name, "MEMBAR")) {
        opcode->order = gpci_opcode_has(text, "ALL") ? GPC_ORDER_ACQ_REL : GPC_ORDER_SC;
        opcode->scope = scope_of(text, GPC_SCOPE_SYS);
    } else if (gpci_opcode_is(name, "FENCE")) { /* between ways to memory of one SM, such as bulk copies */
        opcode->order = GPC_ORDER_ACQ_REL;
        opcode->scope = scope_of(text, GPC_SCOPE_CTA);
    } else if (gpci_opcode_is(name, "CCTL")) {
        opcode->control = control_of(text);
    } else if (gpci_opcode_is(name, "CCTLL")) { /* the same of local memory, which lies in the same L1 */
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
