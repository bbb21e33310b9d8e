/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_BELOW_L1_H
#define GPUCACHE_ACCEL_SIM_BELOW_L1_H

#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

/* L2 and DRAM by the library, under Accel-Sim's L1s: in place of interconnect, memory partitions and DRAM. */
#include "icnt_wrapper.h"
#include "requests.h"

#include <list>
#include <vector>

class gpucache_below_l1 {
  public:
    /*
     * Make in gpgpu_sim::gpgpu_sim, after icnt_create: the functions of the network are the library's from then on.
     * `replies`: replies of an SM outside the library, until simt_core_cluster::icnt_cycle takes them.
     */
    gpucache_below_l1(gpc_hierarchy *hierarchy, const shader_core_config *config, unsigned replies = 8)
        : m_hierarchy(hierarchy), m_config(config), m_replies(config->n_simt_clusters) {
        gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
        callbacks.user_data = this;
        callbacks.on_complete = on_complete;
        gpucache_glue::call(gpc_hierarchy_set_callbacks, m_hierarchy, &callbacks);
        for (uint32_t sid = 0; sid < m_config->num_shader(); sid++)
            gpucache_glue::call(gpc_hierarchy_set_reply_credits, m_hierarchy, sid, replies);
        network() = this; /* the functions of icnt_wrapper.h have no argument for an object */
        icnt_has_buffer = [](unsigned cluster, unsigned) { return network()->has_room(cluster); };
        icnt_push = [](unsigned, unsigned, void *data, unsigned) { network()->push(static_cast<mem_fetch *>(data)); };
        icnt_pop = [](unsigned cluster) { return static_cast<void *>(network()->pop(cluster)); };
        icnt_transfer = [] {};
        icnt_busy = [] { return network()->busy(); };
    }
    virtual ~gpucache_below_l1() = default;

    /*
     * gpgpu_sim::launch. A kernel beside another with accesses in flight keeps the L1s of the other. Write-backs of an
     * earlier kernel are finished first.
     */
    void launch(unsigned threads, unsigned registers, unsigned shared_bytes) {
        if (gpc_hierarchy_in_flight(m_hierarchy) > 0)
            return;
        gpc_launch launch = GPC_LAUNCH_INIT;
        launch.threads = threads;
        launch.registers = registers;
        launch.shared_bytes = shared_bytes;
        gpucache_glue::call(gpc_hierarchy_drain, m_hierarchy);
        gpucache_glue::call(gpc_hierarchy_begin_kernel, m_hierarchy, &launch);
    }

    /* gpgpu_sim::perf_memcpy_to_gpu: lines of a copy are in L2. No effect while a kernel accesses memory. */
    void copy(uint64_t address, uint64_t bytes) {
        if (!busy())
            gpucache_glue::call(gpc_hierarchy_preload, m_hierarchy, 2u, 0u, address, bytes);
    }

    /* gpgpu_sim::cycle, once per cycle of the CORE clock, before the clusters' icnt_cycle. */
    void cycle() {
        gpucache_glue::call(gpc_hierarchy_advance, m_hierarchy, 1);
        for (uint32_t sid : m_returned) /* never grant credits from within a callback */
            gpucache_glue::call(gpc_hierarchy_add_reply_credits, m_hierarchy, sid, 1);
        m_returned.clear();
    }

    bool busy() const {
        for (const auto &replies : m_replies)
            if (!replies.empty())
                return true;
        return !gpc_hierarchy_is_idle(m_hierarchy);
    }

    gpc_hierarchy *hierarchy() const { return m_hierarchy; }

  protected:
    /* Completion of a token that is no mem_fetch. */
    virtual void completed(const gpc_completion &) {}

    gpc_hierarchy *m_hierarchy;

  private:
    static gpucache_below_l1 *&network() {
        static gpucache_below_l1 *only = nullptr;
        return only;
    }

    bool has_room(unsigned cluster) const {
        for (unsigned core = 0; core < m_config->n_simt_cores_per_cluster; core++)
            if (!gpc_hierarchy_can_accept_miss(m_hierarchy, m_config->cid_to_sid(core, cluster), nullptr))
                return false;
        return true;
    }

    void push(mem_fetch *mf) { /* a mem_fetch serves as token */
        const gpc_request request = gpucache_glue::request_of(mf, mf->get_sid());
        gpucache_glue::call(gpc_hierarchy_try_miss, m_hierarchy, &request, reinterpret_cast<uintptr_t>(mf), nullptr);
    }

    mem_fetch *pop(unsigned cluster) {
        if (m_replies[cluster].empty())
            return nullptr;
        const reply next = m_replies[cluster].front();
        m_replies[cluster].pop_front();
        if (next.last)
            m_returned.push_back(next.mf->get_sid());
        return next.mf;
    }

    static void on_complete(void *user_data, const gpc_completion *completion) {
        auto *self = static_cast<gpucache_below_l1 *>(user_data);
        if (completion->fence || completion->token & 1) {
            self->m_returned.push_back(completion->sm);
            self->completed(*completion);
        } else {
            self->answer(reinterpret_cast<mem_fetch *>(static_cast<uintptr_t>(completion->token)));
        }
    }

    /* As memory_sub_partition::pop. */
    void answer(mem_fetch *mf) {
        if (mf->get_access_type() == L1_WRBK_ACC) { /* no core waits */
            m_returned.push_back(mf->get_sid());
            delete mf;
            return;
        }
        if (mf->isatomic())
            mf->do_atomic();
        const bool write = mf->get_is_write();
        const unsigned pieces = pieces_of(mf);
        for (unsigned i = 0; i < pieces; i++) {
            mem_fetch *piece = pieces > 1 ? piece_of(mf, i) : mf;
            piece->set_reply();
            m_replies[piece->get_tpc()].push_back({piece, i + 1 == pieces});
        }
        if (pieces > 1 && write)
            delete mf; /* baseline_cache::fill needs the whole of a read */
    }

    /* Replies that a cache with MSHRs of sectors waits for, as breakdown_request_to_sector_requests gives. */
    unsigned pieces_of(const mem_fetch *mf) const {
        const mem_access_type type = mf->get_access_type();
        const cache_config &cache = type == INST_ACC_R      ? m_config->m_L1I_config
                                    : type == CONST_ACC_R   ? m_config->m_L1C_config
                                    : type == TEXTURE_ACC_R ? m_config->m_L1T_config
                                                            : m_config->m_L1D_config;
        const mshr_config_t mshr = cache.get_mshr_type();
        const bool sectors = mshr == SECTOR_ASSOC || mshr == SECTOR_TEX_FIFO;
        return !cache.disabled() && sectors && mf->get_data_size() > SECTOR_SIZE ? mf->get_data_size() / SECTOR_SIZE
                                                                                 : 1;
    }

    static mem_fetch *piece_of(mem_fetch *mf, unsigned i) {
        const new_addr_type address = mf->get_addr() + i * SECTOR_SIZE;
        mem_access_sector_mask_t sector;
        sector.set(address / SECTOR_SIZE % SECTOR_CHUNCK_SIZE);
        const mem_access_t access(mf->get_access_type(), address, SECTOR_SIZE, mf->get_is_write(),
                                  mf->get_access_warp_mask(), mf->get_access_byte_mask(), sector,
                                  mf->get_mem_config()->gpgpu_ctx);
        return new mem_fetch(access, nullptr, mf->get_streamID(), mf->get_ctrl_size(), mf->get_wid(), mf->get_sid(),
                             mf->get_tpc(), mf->get_mem_config(), 0, mf);
    }

    struct reply {
        mem_fetch *mf;
        bool last; /* last piece of a mem_fetch: gives back the credit */
    };

    const shader_core_config *m_config;
    std::vector<std::list<reply>> m_replies; /* [cluster] */
    std::vector<uint32_t> m_returned;        /* credits to give back, by sid */
};

#endif
