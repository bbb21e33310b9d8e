/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_REQUESTS_H
#define GPUCACHE_ACCEL_SIM_REQUESTS_H

/* Accel-Sim's access as a gpc_request. In the simulator: gpgpu-sim/shader.h. */
#include "shader.h"

#include <gpucache/gpucache.h>

#include <stdexcept>
#include <string>

namespace gpucache_glue {

/* Make a call, which takes an error last. Unless the call returns GPC_OK, throw the error's sentence. */
template <typename Function, typename... Arguments> void call(Function function, Arguments... arguments) {
    gpc_error error = GPC_ERROR_INIT;
    const gpc_status status = function(arguments..., &error);
    if (status != GPC_OK) /* also for a full queue: the caller has asked for room */
        throw std::runtime_error(std::string(gpc_status_string(status)) + (*error.message ? ": " : "") + error.message);
}

inline gpc_request request_of(const mem_access_t &access, const warp_inst_t *inst, unsigned sid) {
    gpc_request r = {};
    const mem_access_byte_mask_t low(~0ull), bytes = access.get_byte_mask();
    r.address = access.get_addr();
    r.size = access.get_size();
    r.byte_mask[0] = (bytes & low).to_ullong();
    r.byte_mask[1] = (bytes >> 64).to_ullong();
    r.sm = sid;
    r.kind = access.is_write() ? GPC_STORE : GPC_LOAD;
    switch (access.get_type()) {
    case CONST_ACC_R:
        r.space = GPC_SPACE_CONSTANT;
        break;
    case TEXTURE_ACC_R:
        r.space = GPC_SPACE_TEXTURE;
        break;
    case INST_ACC_R:
        r.space = GPC_SPACE_INSTRUCTION;
        break;
    case LOCAL_ACC_R:
    case LOCAL_ACC_W:
        r.space = GPC_SPACE_LOCAL;
        break;
    default:
        r.space = GPC_SPACE_GLOBAL;
    }
    if (!inst || inst->empty())
        return r; /* a write-back, or code: no instruction */
    r.pc = inst->pc;
    r.warp = inst->warp_id();
    if (inst->isatomic())
        r.kind = GPC_ATOMIC;
    r.hint = inst->cache_op == CACHE_GLOBAL     ? GPC_HINT_CG
             : inst->cache_op == CACHE_VOLATILE ? GPC_HINT_CV
                                                : GPC_HINT_NONE;
    return r;
}

} // namespace gpucache_glue

#endif
