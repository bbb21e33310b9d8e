/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_WHOLE_L1_H
#define GPUCACHE_ACCEL_SIM_WHOLE_L1_H

/* L1 and all below by the library: in place of ldst_unit::m_L1D, interconnect, L2 and DRAM. */
#include "requests.h"

#include <memory>

/* Receiver of finished accesses: a few lines of ldst_unit (README.md). */
class gpucache_replies {
  public:
    virtual ~gpucache_replies() = default;
    /* `accesses`: count in the access queue. */
    virtual void gpucache_done(const warp_inst_t &inst, unsigned accesses) = 0;
};

class gpucache_whole_l1 {
  public:
    /* `units` by sid; the hierarchy is timed, with the simulator's SMs. */
    gpucache_whole_l1(gpc_hierarchy *hierarchy, std::vector<gpucache_replies *> units)
        : m_hierarchy(hierarchy), m_units(std::move(units)) {
        gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
        callbacks.user_data = this;
        callbacks.on_complete = on_complete;
        gpucache_glue::call(gpc_hierarchy_set_callbacks, m_hierarchy, &callbacks);
    }

    /*
     * In place of process_memory_access_queue_l1cache, in ldst_unit::memory_cycle: all accesses of an instruction,
     * coalesced by Accel-Sim, in a single call, or none.
     */
    mem_stage_stall_type issue(unsigned sid, warp_inst_t &inst) {
        if (inst.accessq_empty())
            return NO_RC_FAIL;
        gpc_busy busy;
        if (!gpc_hierarchy_can_accept(m_hierarchy, sid, &busy))
            return busy == GPC_BUSY_NETWORK ? ICNT_RC_FAIL : BK_CONF;
        m_requests.clear();
        auto flight = std::make_unique<in_flight>(in_flight{inst, inst.accessq_count()});
        for (; !inst.accessq_empty(); inst.accessq_pop_back())
            m_requests.push_back(gpucache_glue::request_of(inst.accessq_back(), &inst, sid));
        const auto count = static_cast<uint32_t>(m_requests.size());
        gpucache_glue::call(gpc_hierarchy_try_transactions, m_hierarchy, m_requests.data(), count,
                            reinterpret_cast<uintptr_t>(flight.get()), nullptr);
        flight.release(); /* now owned through the token */
        gpc_hierarchy_count_instructions(m_hierarchy, 0, inst.active_count(), 0);
        return NO_RC_FAIL;
    }

    /* gpgpu_sim::cycle, once per cycle of the CORE clock, before the clusters' core_cycle. */
    void cycle() { gpucache_glue::call(gpc_hierarchy_advance, m_hierarchy, 1); }

    /* gpgpu_sim::active, and before a kernel ends: true with accesses under way. */
    bool busy() const { return !gpc_hierarchy_is_idle(m_hierarchy); }

  private:
    struct in_flight {
        warp_inst_t inst;
        unsigned accesses;
    };

    static void on_complete(void *user_data, const gpc_completion *completion) {
        auto *self = static_cast<gpucache_whole_l1 *>(user_data);
        std::unique_ptr<in_flight> flight(reinterpret_cast<in_flight *>(static_cast<uintptr_t>(completion->token)));
        self->m_units[completion->sm]->gpucache_done(flight->inst, flight->accesses);
    }

    gpc_hierarchy *m_hierarchy;
    std::vector<gpucache_replies *> m_units;
    std::vector<gpc_request> m_requests;
};

#endif
