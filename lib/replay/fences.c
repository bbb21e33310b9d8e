/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/fence.h"
#include "replay/replay.h"
#include "trace/rewind.h"

/*
 * Fences of a trace. MEMBAR, FENCE, CCTL.IVALL and CCTL.WBALL are the hierarchy's: their warp waits until it has
 * carried them out. ERRBAR, and CCTL of single lines, of which a trace does not say which, and of other caches, only
 * wait for what their warp has under way.
 */

const gpci_opcode *gpci_replay_opcode(const gpci_block_run *run, const gpc_instruction *instruction) {
    return gpci_opcodes_at(gpci_trace_opcodes(run->trace), instruction->opcode);
}

/* In a tree L1s are the protocol's: CCTL.IVALL is an acquire, and CCTL.WBALL a release, of the whole GPU. */
static void order_by_control(gpc_fence *fence) {
    fence->order = fence->control == GPC_CONTROL_INVALIDATE_ALL ? GPC_ORDER_ACQUIRE : GPC_ORDER_RELEASE;
    fence->scope = GPC_SCOPE_GPU;
    fence->control = GPC_CONTROL_NONE;
}

bool gpci_replay_fence(const gpc_replay *r, const gpci_block_run *run, const gpc_instruction *i, uint32_t sm,
                       uint32_t warp, gpc_fence *fence) {
    const gpci_opcode *opcode = gpci_replay_opcode(run, i);
    if (i->op_class != GPC_OP_FENCE || !i->mask || !gpci_fence_is_whole(opcode->order, opcode->control))
        return false;
    *fence = (gpc_fence){.struct_size = sizeof *fence,
                         .sm = sm,
                         .warp = warp,
                         .scope = opcode->scope,
                         .order = opcode->order,
                         .control = opcode->control};
    if (r->hierarchy->coherent && fence->control != GPC_CONTROL_NONE)
        order_by_control(fence);
    return !r->hierarchy->lanes_apart; /* whose warps wait */
}
