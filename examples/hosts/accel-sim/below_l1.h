/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_BELOW_L1_H
#define GPUCACHE_ACCEL_SIM_BELOW_L1_H

#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>
#include <gpucache/gpucache.h>

/* L2 and DRAM by the library, under Accel-Sim's L1s: in place of interconnect, memory partitions and DRAM. */
#include "requests.h"

class gpucache_below_l1 {
  public:
    /* `cores` by sid. `replies`: ldst_unit_response_queue_size, replies held by a core. */
    gpucache_below_l1(gpc_hierarchy *hierarchy, std::vector<shader_core_ctx *> cores, unsigned replies)
        : m_hierarchy(hierarchy), m_cores(std::move(cores)) {
        gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
        callbacks.user_data = this;
        callbacks.on_complete = on_complete;
        gpucache_glue::call(gpc_hierarchy_set_callbacks, m_hierarchy, &callbacks);
        for (uint32_t sid = 0; sid < m_cores.size(); sid++)
            gpucache_glue::call(gpc_hierarchy_set_reply_credits, m_hierarchy, sid, replies);
    }

    /* shader_memory_interface::full, which calls simt_core_cluster::icnt_injection_buffer_full. */
    bool full(unsigned sid) const { return !gpc_hierarchy_can_accept_miss(m_hierarchy, sid, nullptr); }

    /* simt_core_cluster::icnt_inject_request_packet. Room must exist: ask full() first. */
    void push(mem_fetch *mf) {
        const gpc_request request = gpucache_glue::request_of(mf->get_m_access(), &mf->get_inst(), mf->get_sid());
        gpucache_glue::call(gpc_hierarchy_try_miss, m_hierarchy, &request, reinterpret_cast<uintptr_t>(mf), nullptr);
    }

    /* ldst_unit::cycle, at the removal from m_response_fifo; shader_core_ctx::fetch for code. */
    void taken(unsigned sid) { gpucache_glue::call(gpc_hierarchy_add_reply_credits, m_hierarchy, sid, 1); }

    /*
     * gpgpu_sim::cycle, once per cycle of the CORE clock, in place of the clusters' icnt_cycle; do not call the work of
     * the clocks ICNT, L2 and DRAM.
     */
    void cycle() {
        gpucache_glue::call(gpc_hierarchy_advance, m_hierarchy, 1);
        for (uint32_t sid : m_returned) /* never grant credits from within a callback */
            taken(sid);
        m_returned.clear();
    }

    bool busy() const { return !gpc_hierarchy_is_idle(m_hierarchy); }

  private:
    /* As memory_sub_partition::pop and simt_core_cluster::icnt_cycle. A mem_fetch serves as token. */
    static void on_complete(void *user_data, const gpc_completion *completion) {
        auto *self = static_cast<gpucache_below_l1 *>(user_data);
        auto *mf = reinterpret_cast<mem_fetch *>(static_cast<uintptr_t>(completion->token));
        if (mf->get_access_type() == L1_WRBK_ACC) { /* no core waits */
            self->m_returned.push_back(completion->sm);
            delete mf;
            return;
        }
        if (mf->isatomic())
            mf->do_atomic();
        mf->set_reply();
        shader_core_ctx *core = self->m_cores[completion->sm];
        if (mf->get_access_type() == INST_ACC_R)
            core->accept_fetch_response(mf);
        else
            core->accept_ldst_unit_response(mf);
    }

    gpc_hierarchy *m_hierarchy;
    std::vector<shader_core_ctx *> m_cores;
    std::vector<uint32_t> m_returned; /* credits of replies not removed by a core, by sid */
};

#endif
