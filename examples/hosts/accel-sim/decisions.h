/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ACCEL_SIM_DECISIONS_H
#define GPUCACHE_ACCEL_SIM_DECISIONS_H

#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

/* Decisions alone: Accel-Sim's tag_array, MSHRs and queues, and a replacement policy of the library. */
#include "requests.h"

class gpucache_decisions {
  public:
    /* Make in the constructor of every tag_array. `cores`: caches of the level; `core_id`: number of the cache. */
    gpucache_decisions(gpc_context *context, const char *policy, const cache_config &config, unsigned core_id,
                       unsigned cores, uint64_t seed, gpucache_decisions *first)
        : m_config(config), m_core_id(core_id) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
        options.policy = policy;
        options.sets = config.get_nset();
        options.ways = config.get_assoc();
        options.line_bytes = config.get_line_sz();
        options.sectors = config.get_line_sz() / SECTOR_SIZE;
        options.instance = core_id;
        options.instances = cores;
        options.seed = seed;
        options.share_with = first ? first->m_replacement : nullptr;
        /* a tag_array always allocates: policies with bypass are refused */
        options.tells = GPC_READS_OF_REQUESTS & ~static_cast<uint64_t>(GPC_READS_ADMISSION);
        if (gpc_replacement_create(context, &options, &m_replacement, &error) < 0)
            throw std::runtime_error(error.message);
    }
    ~gpucache_decisions() { gpc_replacement_destroy(m_replacement); }
    gpucache_decisions(const gpucache_decisions &) = delete;
    gpucache_decisions &operator=(const gpucache_decisions &) = delete;

    /*
     * tag_array::probe, without an invalid line, in place of `valid_line`: index of the victim. `candidates`:
     * unreserved ways. data_cache::access probes, and tag_array::access probes again: the second probe gets the first
     * answer.
     */
    unsigned victim(unsigned set, const uint64_t *candidates, mem_fetch *mf) {
        if (m_asked != mf) {
            const gpc_request request = request_of(mf);
            uint32_t way;
            gpc_error error = GPC_ERROR_INIT;
            if (gpc_replacement_choose(m_replacement, set, candidates, &request, &way, &error) < 0)
                throw std::runtime_error(error.message);
            m_asked = mf;
            m_victim = set * m_config.get_assoc() + way;
        }
        return m_victim;
    }

    /*
     * tag_array::access, after the switch: status, index, and the former block of `idx`, if a MISS replaces a valid
     * block (otherwise `evicted` is null). Not for RESERVATION_FAIL: the access is repeated.
     */
    void accessed(cache_request_status status, unsigned idx, const new_addr_type *evicted, mem_fetch *mf) {
        const unsigned set = idx / m_config.get_assoc(), way = idx % m_config.get_assoc();
        const gpc_request request = request_of(mf);
        m_asked = nullptr;
        m_last_line = m_config.block_addr(mf->get_addr());
        m_last_uid = mf->get_inst().get_uid();
        if (status == HIT || status == HIT_RESERVED)
            return report(GPC_ON_HIT, set, way, &request);
        if (status == SECTOR_MISS)
            return report(GPC_ON_SECTOR_MISS, set, way, &request);
        report(GPC_ON_MISS, set, way, &request);
        if (evicted) {
            gpc_eviction eviction = {};
            eviction.line_address = *evicted;
            eviction.set = set;
            eviction.way = way;
            report(GPC_ON_EVICT, set, way, &request, &eviction);
        }
        report(GPC_ON_FILL, set, way, &request);
    }

    /* tag_array::flush and invalidate, for every dropped line. */
    void dropped(unsigned idx) {
        report(GPC_ON_INVALIDATE, idx / m_config.get_assoc(), idx % m_config.get_assoc(), nullptr);
    }

  private:
    void report(gpc_policy_event_kind kind, uint32_t set, uint32_t way, const gpc_request *request,
                const gpc_eviction *eviction = nullptr) {
        gpc_policy_event event = {};
        event.kind = kind;
        event.set = set;
        event.way = way;
        event.request = request;
        event.eviction = eviction;
        gpucache_glue::call(gpc_replacement_event, m_replacement, &event, 1, nullptr);
    }

    /* A further sector of an instruction's line is no reuse of the line. */
    gpc_request request_of(mem_fetch *mf) const {
        gpc_request r = gpucache_glue::request_of(mf->get_m_access(), &mf->get_inst(), m_core_id);
        r.continues = mf->get_inst().get_uid() == m_last_uid && m_config.block_addr(mf->get_addr()) == m_last_line;
        return r;
    }

    const cache_config &m_config;
    const unsigned m_core_id;
    gpc_replacement *m_replacement = nullptr;
    mem_fetch *m_asked = nullptr;
    unsigned m_victim = 0, m_last_uid = 0;
    new_addr_type m_last_line = ~new_addr_type{0};
};

#endif
