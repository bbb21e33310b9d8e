/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/fence.h"
#include "replay/core/replay.h"
#include "trace/rewind.h"

/*
 * Fences of a trace. The hierarchy executes MEMBAR, FENCE, CCTL.IVALL and CCTL.WBALL, and the warp waits for the
 * completion. At ERRBAR, CCTL of a line (a trace does not record the line) and CCTL of other caches, the warp only
 * waits for its accesses in flight.
 */

const gpci_opcode *gpci_replay_opcode(const gpci_block_run *run, const gpc_instruction *instruction) {
    return gpci_opcodes_at(gpci_trace_opcodes(run->trace), instruction->opcode);
}

/*
 * In a coherent tree the protocol controls L1: CCTL.IVALL becomes an acquire at GPU scope, CCTL.WBALL a release at GPU
 * scope.
 */
static void order_by_control(gpc_fence *fence) {
    fence->order = fence->control == GPC_CONTROL_INVALIDATE_ALL ? GPC_ORDER_ACQUIRE : GPC_ORDER_RELEASE;
    fence->scope = GPC_SCOPE_GPU;
    fence->control = GPC_CONTROL_NONE;
}

bool gpci_replay_fence(const gpc_replay *replay, const gpci_block_run *run, const gpc_instruction *instruction,
                       uint32_t sm, uint32_t warp, gpc_fence *fence) {
    const gpci_opcode *opcode = gpci_replay_opcode(run, instruction);
    if (instruction->op_class != GPC_OP_FENCE || !instruction->mask ||
        !gpci_fence_is_full(opcode->order, opcode->control))
        return false;
    *fence = (gpc_fence){.struct_size = sizeof *fence,
                         .sm = sm,
                         .warp = warp,
                         .scope = opcode->scope,
                         .order = opcode->order,
                         .control = opcode->control};
    if (replay->hierarchy->coherent && fence->control != GPC_CONTROL_NONE)
        order_by_control(fence);
    return !replay->hierarchy->lane_packets; /* with l1.coalescer = multi2sim the hierarchy executes no fences */
}
