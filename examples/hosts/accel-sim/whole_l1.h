/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_WHOLE_L1_H
#define GPUCACHE_ACCEL_SIM_WHOLE_L1_H

/*
 * L1 and all below by the library: in place of ldst_unit::m_L1D, interconnect, L2 and DRAM. Misses of the host's caches
 * of code, constants and textures go to L2 as with below_l1.h. A friend of ldst_unit and shader_core_ctx.
 */
#include "below_l1.h"

#include <memory>

class gpucache_whole_l1 final : public gpucache_below_l1 {
  public:
    gpucache_whole_l1(gpc_hierarchy *hierarchy, const shader_core_config *config)
        : gpucache_below_l1(hierarchy, config), m_used(config->num_shader()) {}

    /*
     * In place of process_memory_access_queue_l1cache and of the bypass, in ldst_unit::memory_cycle: all accesses of an
     * instruction, coalesced by Accel-Sim, in a single call, or none.
     */
    mem_stage_stall_type issue(ldst_unit &unit, warp_inst_t &inst) {
        gpc_busy busy;
        if (!gpc_hierarchy_can_accept(m_hierarchy, unit.m_sid, &busy))
            return busy == GPC_BUSY_NETWORK ? ICNT_RC_FAIL : BK_CONF;
        m_requests.clear();
        for (; !inst.accessq_empty(); inst.accessq_pop_back())
            m_requests.push_back(gpucache_glue::request_of(inst.accessq_back(), inst, unit.m_sid));
        const auto count = static_cast<uint32_t>(m_requests.size());
        std::unique_ptr<in_flight> flight(new in_flight{&unit, inst, count}); /* token, made odd */
        gpucache_glue::call(gpc_hierarchy_try_transactions, m_hierarchy, m_requests.data(), count,
                            reinterpret_cast<uintptr_t>(flight.get()) | 1, nullptr);
        flight.release(); /* owned by the token now */
        gpc_hierarchy_count_instructions(m_hierarchy, 0, inst.active_count(), 0);
        m_used[unit.m_sid] = true;
        if (inst.is_store()) /* once an instruction, and not for a refused instruction */
            unit.m_core->inc_store_req(inst.warp_id());
        return NO_RC_FAIL;
    }

    /* ldst_unit::invalidate, which Accel-Sim calls in every cycle of an SM without a thread: empty an SM's L1. */
    void invalidate(unsigned sid) {
        gpc_fence fence = GPC_FENCE_INIT;
        fence.sm = sid;
        fence.control = GPC_CONTROL_INVALIDATE_ALL;
        if (!m_used[sid] || !gpc_hierarchy_can_accept(m_hierarchy, sid, nullptr))
            return;
        gpucache_glue::call(gpc_hierarchy_try_fence, m_hierarchy, &fence, 1, nullptr);
        m_used[sid] = false;
    }

  private:
    struct in_flight {
        ldst_unit *unit;
        warp_inst_t inst;
        unsigned accesses;
    };

    void completed(const gpc_completion &completion) override {
        if (completion.fence)
            return;
        const auto token = static_cast<uintptr_t>(completion.token - 1);
        const std::unique_ptr<in_flight> flight(reinterpret_cast<in_flight *>(token));
        if (flight->inst.is_store())
            flight->unit->m_core->m_warp[flight->inst.warp_id()]->dec_store_req();
        else
            loaded(*flight->unit, flight->inst, flight->accesses);
    }

    /* As ldst_unit::writeback and L1_latency_queue_cycle. */
    static void loaded(ldst_unit &unit, warp_inst_t &inst, unsigned accesses) {
        const unsigned warp = inst.warp_id();
        bool complete = false;
        if (inst.isatomic()) {
            inst.do_atomic();
            unit.m_core->decrement_atomic_count(warp, inst.active_count());
        }
        for (unsigned reg : inst.out) {
            if (!reg || (unit.m_pending_writes[warp][reg] -= accesses))
                continue;
            unit.m_pending_writes[warp].erase(reg);
            unit.m_scoreboard->releaseRegister(warp, reg);
            complete = true;
        }
        const bool copied = inst.m_is_ldgsts && !(unit.m_pending_ldgsts[warp][inst.pc][inst.get_addr(0)] -= accesses);
        if (complete || copied)
            unit.m_core->warp_inst_complete(inst);
        if (copied)
            unit.m_core->unset_depbar(inst);
    }

    std::vector<gpc_request> m_requests;
    std::vector<bool> m_used; /* [sid]: L1 may have lines */
};

#endif
