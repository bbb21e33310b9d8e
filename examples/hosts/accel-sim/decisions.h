/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_DECISIONS_H
#define GPUCACHE_ACCEL_SIM_DECISIONS_H

/* Decisions alone: Accel-Sim's tag_array, MSHRs and queues, and a replacement policy of the library. */
#include "requests.h"

#include <gpucache/ext/parts.h>

class gpucache_decisions {
  public:
    /* Candidates of a victim: a bit per way, set for ways that may be replaced. */
    struct ways {
        uint64_t bits[GPC_MAX_WAYS / 64] = {};
        void add(unsigned way) {
            if (way < GPC_MAX_WAYS)
                bits[way / 64] |= uint64_t{1} << way % 64;
        }
        bool has(unsigned way) const { return bits[way / 64] >> way % 64 & 1; }
    };

    /* tag_array::init: caches of a level have a context, and share what the policy shares. */
    static gpucache_decisions *make(const char *policy, const cache_config &config, unsigned core_id, unsigned cores) {
        static gpc_context *context = nullptr;
        static gpucache_decisions *first = nullptr;
        if (!context)
            gpucache_glue::call(gpc_context_create, nullptr, &context);
        auto *made = new gpucache_decisions(context, policy, config, core_id, cores, 0, first);
        return first = first ? first : made, made;
    }

    /* `cores`: caches of the level; `core_id`: number of the cache. */
    gpucache_decisions(gpc_context *context, const char *policy, const cache_config &config, unsigned core_id,
                       unsigned cores, uint64_t seed = 0, gpucache_decisions *first = nullptr)
        : m_config(config), m_core_id(core_id) {
        gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
        options.policy = policy;
        options.sets = config.get_nset();
        /* An adaptive L1 changes its ways with each kernel. More ways than the library's are refused when used. */
        options.ways = config.get_max_assoc() < GPC_MAX_WAYS ? config.get_max_assoc() : GPC_MAX_WAYS;
        options.line_bytes = config.get_line_sz();
        options.sectors = config.get_line_sz() / config.get_atom_sz();
        options.instance = core_id;
        options.instances = cores;
        options.seed = seed;
        options.share_with = first ? first->m_replacement : nullptr;
        /* a tag_array always allocates: policies with bypass are refused */
        options.tells = GPC_READS_OF_REQUESTS & ~static_cast<uint64_t>(GPC_READS_ADMISSION);
        gpucache_glue::call(gpc_replacement_create, context, &options, &m_replacement);
    }
    ~gpucache_decisions() { gpc_replacement_destroy(m_replacement); }
    gpucache_decisions(const gpucache_decisions &) = delete;
    gpucache_decisions &operator=(const gpucache_decisions &) = delete;

    /*
     * tag_array::probe, without an invalid line, in place of `valid_line`: index of the victim. `mf` is NULL in
     * tag_array::fill of a cache that allocates on fill. data_cache::access probes, and tag_array::access probes again:
     * without an event in between, the second probe gets the first answer.
     */
    unsigned victim(new_addr_type address, const ways &candidates, mem_fetch *mf) {
        const new_addr_type line = m_config.block_addr(address);
        if (m_asked != line || !candidates.has(m_way)) {
            const gpc_request request = request_of(line, mf);
            gpucache_glue::call(gpc_replacement_choose, m_replacement, m_config.set_index(address), candidates.bits,
                                &request, &m_way);
            m_asked = line;
        }
        return m_config.set_index(address) * assoc() + m_way;
    }

    /*
     * tag_array::access, after the probe and before the switch. `on_miss`: the cache allocates on a miss, and
     * `evicted` is the valid block that a MISS replaces, otherwise NULL.
     */
    void accessed(cache_request_status status, unsigned idx, bool on_miss, const new_addr_type *evicted,
                  mem_fetch *mf) {
        if (status == RESERVATION_FAIL) /* the access is repeated */
            return;
        const new_addr_type line = m_config.block_addr(mf->get_addr());
        const gpc_request request = request_of(line, mf);
        m_last_line = line;
        m_last_uid = mf->get_inst().get_uid();
        if (status == HIT || status == HIT_RESERVED)
            report(GPC_ON_HIT, idx, &request);
        else if (status == SECTOR_MISS && on_miss)
            report(GPC_ON_SECTOR_MISS, idx, &request);
        else if (status == MISS && on_miss)
            replaced(idx, evicted, &request);
        else if (status == MISS)
            report(GPC_ON_MISS, idx, &request);
    }

    /* tag_array::fill with an address, after the probe: `status` and `evicted` as for `accessed`. */
    void filled(cache_request_status status, unsigned idx, const new_addr_type *evicted, new_addr_type address) {
        const gpc_request request = request_of(m_config.block_addr(address), nullptr);
        if (status == SECTOR_MISS)
            report(GPC_ON_SECTOR_MISS, idx, &request);
        else if (status == MISS)
            replaced(idx, evicted, &request, false);
    }

    /* tag_array::flush and invalidate, for every dropped line. */
    void dropped(unsigned idx) { report(GPC_ON_INVALIDATE, idx, nullptr); }

  private:
    unsigned assoc() const { return m_config.get_num_lines() / m_config.get_nset(); }

    void replaced(unsigned idx, const new_addr_type *evicted, const gpc_request *request, bool missed = true) {
        if (missed)
            report(GPC_ON_MISS, idx, request);
        if (evicted)
            report(GPC_ON_EVICT, idx, request, evicted);
        report(GPC_ON_FILL, idx, request);
    }

    void report(gpc_policy_event_kind kind, unsigned idx, const gpc_request *request,
                const new_addr_type *evicted = nullptr) {
        gpc_policy_event event = {};
        gpc_eviction eviction = {};
        event.kind = kind;
        event.set = eviction.set = idx / assoc();
        event.way = eviction.way = idx % assoc();
        event.request = request;
        if (evicted) {
            eviction.line_address = *evicted;
            event.eviction = &eviction;
        }
        m_asked = ~new_addr_type{0};
        gpucache_glue::call(gpc_replacement_event, m_replacement, &event, 1, nullptr);
    }

    /* A further sector of an instruction's line is no reuse of the line. */
    gpc_request request_of(new_addr_type line, mem_fetch *mf) const {
        gpc_request r = {};
        if (mf)
            r = gpucache_glue::request_of(mf, m_core_id);
        r.address = mf ? r.address : line;
        r.sm = m_core_id;
        r.continues = mf && mf->get_inst().get_uid() == m_last_uid && line == m_last_line;
        return r;
    }

    const cache_config &m_config;
    const unsigned m_core_id;
    gpc_replacement *m_replacement = nullptr;
    new_addr_type m_asked = ~new_addr_type{0}, m_last_line = ~new_addr_type{0};
    unsigned m_way = 0, m_last_uid = 0;
};

#endif
