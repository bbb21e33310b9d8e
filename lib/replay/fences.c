/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/fence.h"
#include "replay/replay.h"
#include "trace/rewind.h"

/*
 * Fences of a trace. MEMBAR, FENCE, CCTL.IVALL and CCTL.WBALL are the hierarchy's: their warp waits until it has
 * carried them out. ERRBAR, and CCTL of single lines, of which a trace does not say which, and of other caches, only
 * wait for what their warp has under way.
 */

const gpci_opcode *gpci_replay_opcode(const gpc_replay *r, const gpc_instruction *instruction) {
    return gpci_opcodes_at(gpci_trace_opcodes(r->trace), instruction->opcode);
}

bool gpci_replay_fence(const gpc_replay *r, const gpc_instruction *i, uint32_t sm, uint32_t warp, gpc_fence *fence) {
    const gpci_opcode *opcode = gpci_replay_opcode(r, i);
    if (i->op_class != GPC_OP_FENCE || !i->mask || r->hierarchy->coherent ||
        !gpci_fence_is_whole(opcode->order, opcode->control))
        return false;
    *fence = (gpc_fence){.struct_size = sizeof *fence,
                         .sm = sm,
                         .warp = warp,
                         .scope = opcode->scope,
                         .order = opcode->order,
                         .control = opcode->control};
    return true;
}
