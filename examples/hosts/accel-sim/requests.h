/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_REQUESTS_H
#define GPUCACHE_ACCEL_SIM_REQUESTS_H

/* Accel-Sim's access as a gpc_request, and a hierarchy by Accel-Sim's option file. */
#include "gpu-sim.h"
#include "icnt_wrapper.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/gpucache.h>

#include <initializer_list>
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

/* Make a hierarchy by the simulator's option file. `settings`: further KEY=VALUE. Lives as long as the simulator. */
inline gpc_hierarchy *make_hierarchy(const char *option_file, std::initializer_list<const char *> settings = {}) {
    gpc_context *context = nullptr;
    gpc_config *config = nullptr;
    gpc_hierarchy *hierarchy = nullptr;
    call(gpc_context_create, nullptr, &context);
    call(gpc_config_create, context, &config);
    call(gpc_config_import_gpgpusim, config, option_file, nullptr, nullptr);
    /*
     * Accel-Sim coalesces, waits at a launch, and empties L1 (ldst_unit::invalidate) by itself. Its L1 sends a packet a
     * cycle (baseline_cache::cycle).
     */
    for (const char *pair :
         {"mode=timed", "l1.coalescer=sector", "launch.cycles=0", "kernels.flush=none", "l1.miss_interval=1"})
        call(gpc_config_set_pair, config, pair);
    if (g_network_mode == LOCAL_XBAR) /* xbar_router::iSLIP_Advance */
        call(gpc_config_set_pair, config, "network.queues=bursts");
    for (const char *pair : settings)
        call(gpc_config_set_pair, config, pair);
    call(gpc_hierarchy_create, context, config, &hierarchy);
    gpc_config_destroy(config);
    return hierarchy;
}

inline uint8_t space_of(mem_access_type type) {
    switch (type) {
    case CONST_ACC_R:
        return GPC_SPACE_CONSTANT;
    case TEXTURE_ACC_R:
        return GPC_SPACE_TEXTURE;
    case INST_ACC_R:
        return GPC_SPACE_INSTRUCTION;
    case LOCAL_ACC_R:
    case LOCAL_ACC_W:
        return GPC_SPACE_LOCAL;
    default:
        return GPC_SPACE_GLOBAL;
    }
}

/* `inst` is empty for a write-back, and for code. */
inline gpc_request request_of(new_addr_type address, unsigned size, const mem_access_byte_mask_t &bytes, bool write,
                              mem_access_type type, const warp_inst_t &inst, unsigned sid) {
    gpc_request r = {};
    const mem_access_byte_mask_t low(~0ull);
    r.address = address;
    r.size = size;
    r.byte_mask[0] = (bytes & low).to_ullong();
    r.byte_mask[1] = (bytes >> 64).to_ullong();
    r.sm = sid;
    r.kind = write ? GPC_STORE : GPC_LOAD;
    r.space = space_of(type);
    if (inst.empty())
        return r;
    r.pc = inst.pc;
    r.warp = inst.warp_id();
    if (inst.isatomic())
        r.kind = GPC_ATOMIC;
    r.hint = inst.cache_op == CACHE_GLOBAL     ? GPC_HINT_CG
             : inst.cache_op == CACHE_VOLATILE ? GPC_HINT_CV
                                               : GPC_HINT_NONE;
    return r;
}

/* An access of an instruction, before a mem_fetch exists. */
inline gpc_request request_of(const mem_access_t &access, const warp_inst_t &inst, unsigned sid) {
    return request_of(access.get_addr(), access.get_size(), access.get_byte_mask(), access.is_write(),
                      access.get_type(), inst, sid);
}

/* A miss, a write or a write-back: an L1 has set address and size. */
inline gpc_request request_of(mem_fetch *mf, unsigned sid) {
    gpc_request r = request_of(mf->get_addr(), mf->get_data_size(), mf->get_access_byte_mask(), mf->get_is_write(),
                               mf->get_access_type(), mf->get_inst(), sid);
    if (mf->get_access_type() == L1_WRBK_ACC) { /* dirty sectors need not be side by side */
        r.size = 0;
        r.sector_mask = static_cast<uint8_t>(mf->get_access_sector_mask().to_ulong());
    }
    return r;
}

} // namespace gpucache_glue

#endif
