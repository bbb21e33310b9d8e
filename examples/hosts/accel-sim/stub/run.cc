/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace through each of the three, called where README.md says:
 *   accel-sim PLACE[+VARIANT]... SOURCE PRESET [KEY=VALUE]...
 * PLACE: whole-l1, below-l1, decisions. VARIANT:
 *   ascending  access queues the other way round, as the library's own coalescer would have them (Accel-Sim takes an
 *              instruction's highest address first)
 *   atomics    loads are atomics, which a warp's exit waits for
 *   copies     loads are LDGSTS, without a register
 *   code       instructions are fetched through an L1I with MSHRs of sectors (-gpgpu_perfect_inst_const_cache 0)
 *   kernels    the trace twice; in the first run another kernel is launched, with accesses in flight
 *   fill       tag_array allocates on fill
 *   adaptive   tag_array has a quarter of the ways when it is made
 */
#include "../../stub/drive.h"
#include "below_l1.h"
#include "decisions.h"
#include "whole_l1.h"

namespace {

gpgpu_context context_of_all;
const memory_config memory_of_all = {&context_of_all};

struct machine : drive::Machine {
    using drive::Machine::Machine;
    unsigned uid = 0;
    bool ascending = false, atomics = false, copies = false, code = false, kernels = false;

    void vary(const std::string &place) {
        const auto has = [&](const char *variant) { return place.find(variant) != std::string::npos; };
        ascending = has("+ascending");
        atomics = has("+atomics");
        copies = has("+copies");
        code = has("+code");
        kernels = has("+kernels");
    }

    warp_inst_t issue(const drive::Instruction &i) {
        warp_inst_t inst;
        const bool load = i.kind == GPC_LOAD;
        inst.stub_issue(++uid, i.warp, i.pc, active_mask_t(i.mask), i.kind == GPC_STORE,
                        i.kind == GPC_ATOMIC || (atomics && load), i.addresses.data(), i.width, ascending);
        inst.m_is_ldgsts = copies && load;
        if (i.kind != GPC_STORE && !inst.m_is_ldgsts)
            inst.out[0] = 1;
        return inst;
    }
};

/* m_L1I: a miss asks for a line, and baseline_cache::fill waits for its sectors. */
class code_cache {
  public:
    /* True if the code is present. Otherwise a request is sent, if the network has room. */
    bool fetch(unsigned sid, new_addr_type pc, unsigned line_sz) {
        const new_addr_type line = pc / line_sz * line_sz;
        if (m_lines.count(line))
            return m_lines[line];
        if (!icnt_has_buffer(sid, 8))
            return false;
        const mem_access_t access(INST_ACC_R, pc, 16, false, active_mask_t(), mem_access_byte_mask_t(),
                                  mem_access_sector_mask_t(), &context_of_all);
        auto *mf = new mem_fetch(access, nullptr, 0, 8, 0, sid, sid, &memory_of_all, 0);
        mf->set_data_size(line_sz); /* baseline_cache::send_read_request */
        mf->set_addr(line);
        m_extra_mf_fields[mf] = line_sz / SECTOR_SIZE;
        m_lines[line] = false;
        icnt_push(sid, 0, mf, 8);
        return false;
    }

    void fill(mem_fetch *mf) {
        stub_assert(mf->get_original_mf(), "mf->get_original_mf()");
        auto e = m_extra_mf_fields.find(mf->get_original_mf());
        stub_assert(e != m_extra_mf_fields.end(), "e != m_extra_mf_fields.end()");
        mem_fetch *whole = mf->get_original_mf();
        delete mf;
        if (--e->second)
            return;
        m_extra_mf_fields.erase(e);
        m_lines[whole->get_addr()] = true;
        delete whole;
    }

  private:
    std::map<new_addr_type, bool> m_lines; /* true: present; false: requested */
    std::map<mem_fetch *, unsigned> m_extra_mf_fields;
};

/* SM: the part of ldst_unit beside the adapter, and its core. */
class unit : public ldst_unit {
  public:
    shader_core_ctx core;
    code_cache code;
    std::list<mem_fetch *> m_response_fifo;
    std::list<warp_inst_t> dispatched; /* m_dispatch_reg */

    unit(std::vector<drive::Sm> &all, unsigned sid) : core(static_cast<unsigned>(all[sid].size())), m_all(all) {
        m_core = &core;
        m_sid = sid;
        m_scoreboard = &m_released;
    }

    void issue(const warp_inst_t &inst, unsigned accesses) { /* ldst_unit::issue, func_exec_inst */
        for (unsigned lane = 0; inst.isatomic() && lane < inst.active_count(); lane++)
            core.stub_warp(inst.warp_id()).inc_n_atomic();
        for (unsigned reg : inst.out)
            if (reg && inst.is_load())
                m_pending_writes[inst.warp_id()][reg] += accesses;
        if (inst.m_is_ldgsts)
            m_pending_ldgsts[inst.warp_id()][inst.pc][inst.get_addr(0)] += accesses;
    }

    void answer(mem_fetch *mf) { /* ldst_unit::cycle and writeback, past L1D */
        if (mf->get_type() == WRITE_ACK) {
            core.store_ack(mf);
        } else {
            const unsigned warp = mf->get_wid();
            if (mf->isatomic())
                core.decrement_atomic_count(warp, static_cast<unsigned>(mf->get_access_warp_mask().count()));
            if (!--m_pending_writes[warp][1]) {
                m_pending_writes[warp].erase(1);
                m_scoreboard->releaseRegister(warp, 1);
            }
        }
        delete mf;
    }

    /* Tell the SM of finished loads. */
    void finish() {
        for (const auto &released : m_released.stub_released)
            drive::done(m_all, m_sid, released.first);
        for (unsigned warp : core.stub_copied)
            drive::done(m_all, m_sid, warp);
        m_released.stub_released.clear();
        core.stub_copied.clear();
    }

    /* A warp exits when it waits for nothing. */
    void check_exit() {
        for (unsigned warp = 0; warp < core.stub_warps(); warp++) {
            stub_assert(core.stub_warp(warp).stores_done(), "a warp waits for stores");
            stub_assert(!core.stub_warp(warp).get_n_atomic(), "a warp waits for atomics");
            stub_assert(m_pending_writes[warp].empty(), "a warp waits for a register");
        }
    }

  private:
    std::vector<drive::Sm> &m_all;
    Scoreboard m_released;
};

/* Common parts of the two places of a network. */
struct host {
    machine &m;
    shader_core_config config;
    std::list<unit> units;
    std::vector<unit *> at;
    gpc_hierarchy *hierarchy;
    unsigned long cycles = 0;

    explicit host(machine &all) : m(all), hierarchy(all.hierarchy) {
        config.n_simt_clusters = static_cast<unsigned>(m.sms.size());
        config.m_L1I_config = cache_config(64, 16, 128, 1, SECTOR_ASSOC);
        for (unsigned sid = 0; sid < m.sms.size(); sid++) {
            units.emplace_back(m.sms, sid);
            at.push_back(&units.back());
        }
    }

    void icnt_cycle() { /* simt_core_cluster::icnt_cycle: a reply a cycle, while there is room */
        stub_assert(++cycles < 1000000, "deadlock"); /* -gpgpu_deadlock_detect */
        for (unsigned sid = 0; sid < at.size(); sid++) {
            if (at[sid]->m_response_fifo.size() >= 2)
                continue;
            auto *mf = static_cast<mem_fetch *>(icnt_pop(sid));
            if (!mf)
                continue;
            stub_assert(mf->get_type() == READ_REPLY || mf->get_type() == WRITE_ACK, "a reply of another type");
            if (mf->get_access_type() == INST_ACC_R)
                at[sid]->code.fill(mf);
            else
                at[sid]->m_response_fifo.push_back(mf);
        }
    }

    bool fetched(const drive::Instruction &i) {
        return !m.code || at[i.sm]->code.fetch(i.sm, 0xF0000000 + i.pc, config.m_L1I_config.get_line_sz());
    }

    void end(gpucache_below_l1 &memory) {
        for (unit &u : units)
            u.check_exit();
        stub_assert(!memory.busy() && !icnt_busy(), "the network is busy");
        stub_assert(!mem_fetch::stub_live(), "a mem_fetch is not deleted");
        drive::print(hierarchy);
    }
};

void whole_l1(machine &m) {
    host h(m);
    gpucache_whole_l1 memory(m.hierarchy, &h.config);
    const std::vector<drive::Sm> again = m.sms;
    const auto cycle = [&] {
        memory.cycle();
        h.icnt_cycle();
        for (unit &u : h.units)
            u.finish();
        if (m.kernels && h.cycles == 100) {
            stub_assert(gpc_hierarchy_in_flight(h.hierarchy) > 0, "nothing is in flight");
            memory.launch(32, 16, 0);
        }
    };
    memory.cycle(); /* a replay's first instruction issues in cycle 1 */
    for (unsigned kernel = 0; kernel < 1u + m.kernels; kernel++) {
        drive::run(
            m.sms,
            [&](const drive::Instruction &i) {
                if (!h.fetched(i))
                    return false;
                warp_inst_t inst = m.issue(i);
                const unsigned accesses = inst.accessq_count();
                if (memory.issue(*h.at[i.sm], inst) != NO_RC_FAIL)
                    return false;
                h.at[i.sm]->issue(inst, accesses);
                return true;
            },
            cycle);
        for (unsigned sid = 0; m.kernels && sid < h.at.size(); sid++) /* with SMs at rest */
            memory.invalidate(sid);
        while (memory.busy())
            cycle();
        if (m.kernels && !kernel) {
            m.sms = again;
            memory.launch(32, 16, 0);
        }
    }
    h.end(memory);
}

/* SM with loads past L1 (gmem_skip_L1D): memory_cycle's second branch, an access at a time. */
void below_l1(machine &m) {
    host h(m);
    gpucache_below_l1 memory(m.hierarchy, &h.config, 2);
    const auto cycle = [&] {
        for (unsigned sid = 0; sid < h.at.size(); sid++) {
            unit &u = *h.at[sid];
            if (!u.m_response_fifo.empty()) { /* ldst_unit::cycle */
                mem_fetch *mf = u.m_response_fifo.front();
                u.m_response_fifo.pop_front();
                u.answer(mf);
            }
            u.finish();
            if (!u.dispatched.empty() && icnt_has_buffer(sid, 40)) { /* memory_cycle */
                warp_inst_t &inst = u.dispatched.front();
                auto *mf = new mem_fetch(inst.accessq_back(), &inst, 0, 8, inst.warp_id(), sid, sid, &memory_of_all, 0);
                if (inst.is_store())
                    u.core.inc_store_req(inst.warp_id());
                icnt_push(sid, 0, mf, 40);
                inst.accessq_pop_back();
                if (inst.accessq_empty())
                    u.dispatched.clear();
            }
        }
        memory.cycle();
        h.icnt_cycle();
    };
    drive::run(
        m.sms,
        [&](const drive::Instruction &i) {
            if (!h.at[i.sm]->dispatched.empty() || !h.fetched(i))
                return false;
            h.at[i.sm]->dispatched.push_back(m.issue(i));
            warp_inst_t &inst = h.at[i.sm]->dispatched.front();
            h.at[i.sm]->issue(inst, inst.accessq_count());
            return true;
        },
        cycle);
    bool left = true;
    while (left || memory.busy()) {
        cycle();
        left = false;
        for (unit *u : h.at)
            left |= !u->dispatched.empty() || !u->m_response_fifo.empty();
    }
    h.end(memory);
}

} // namespace

/* Sectors valid or not, filled at once. Its victims are the library's. */
class tag_array {
  public:
    tag_array(const char *policy, const cache_config &config)
        : m_config(config), m_lines(config.get_max_num_lines()),
          m_gpucache(gpucache_decisions::make(policy, m_config, 0, 1)) {}
    ~tag_array() { delete m_gpucache; }
    tag_array(const tag_array &) = delete;
    tag_array &operator=(const tag_array &) = delete;
    cache_config &config() { return m_config; }

    enum cache_request_status probe(new_addr_type addr, unsigned &idx, mem_access_sector_mask_t mask,
                                    mem_fetch *mf = nullptr) const {
        const unsigned set = m_config.set_index(addr), assoc = m_config.m_assoc;
        gpucache_decisions::ways candidates;
        unsigned invalid_line = ~0u;
        for (unsigned way = 0; way < assoc; way++) {
            const line &l = m_lines[set * assoc + way];
            if (l.sectors.any() && l.block == m_config.block_addr(addr)) {
                idx = set * assoc + way;
                return (l.sectors & mask).any() ? HIT : SECTOR_MISS;
            }
            if (l.sectors.none() && invalid_line == ~0u)
                invalid_line = set * assoc + way;
            candidates.add(way);
        }
        idx = invalid_line != ~0u ? invalid_line : m_gpucache->victim(addr, candidates, mf);
        return MISS;
    }

    enum cache_request_status access(new_addr_type addr, unsigned &idx, mem_fetch *mf) {
        const bool on_miss = m_config.m_alloc_policy == ON_MISS;
        const enum cache_request_status status = probe(addr, idx, mf->get_access_sector_mask(), mf);
        m_gpucache->accessed(status, idx, on_miss, m_lines[idx].sectors.any() ? &m_lines[idx].block : nullptr, mf);
        if (on_miss)
            place(status, idx, addr, mf->get_access_sector_mask());
        return status;
    }

    void fill(new_addr_type addr, mem_access_sector_mask_t mask) { /* in a cache that allocates on fill */
        unsigned idx;
        const enum cache_request_status status = probe(addr, idx, mask);
        m_gpucache->filled(status, idx, m_lines[idx].sectors.any() ? &m_lines[idx].block : nullptr, addr);
        place(status, idx, addr, mask);
    }

  private:
    struct line {
        new_addr_type block = 0;
        mem_access_sector_mask_t sectors;
    };

    void place(enum cache_request_status status, unsigned idx, new_addr_type addr, mem_access_sector_mask_t mask) {
        if (status == MISS) {
            m_lines[idx].block = m_config.block_addr(addr);
            m_lines[idx].sectors.reset();
        }
        m_lines[idx].sectors |= mask;
    }

    cache_config m_config;
    std::vector<line> m_lines;
    gpucache_decisions *m_gpucache;
};

namespace {

/* data_cache::access of an SM's loads, with no time between a miss and its fill. */
void decisions(machine &m, gpc_config *config, const std::string &place) {
    const char *policy = nullptr;
    m.ascending = true; /* as the library's coalescer has lines of an instruction */
    gpc_error error = GPC_ERROR_INIT;
    drive::check(gpc_config_get(config, "l1.replacement", &policy, &error), error);
    const bool fill = place.find("+fill") != std::string::npos;
    const unsigned parts = place.find("+adaptive") != std::string::npos ? 4 : 1;
    tag_array tags(policy, cache_config(m.shape.l1_sets, m.shape.l1_ways / parts, m.shape.l1_line, parts));
    tags.config().set_assoc(m.shape.l1_ways); /* shader_core_config::max_cta */
    tags.config().set_allocation_policy(fill ? ON_FILL : ON_MISS);
    unsigned long long sectors = 0, hits = 0, misses = 0;
    for (const drive::Warp &warp : m.sms[0])
        for (const drive::Instruction &i : warp.instructions)
            for (warp_inst_t inst = m.issue(i); !inst.accessq_empty(); inst.accessq_pop_back(), sectors++) {
                mem_fetch mf(inst.accessq_back(), &inst, 0, 8, inst.warp_id(), 0, 0, &memory_of_all, 0);
                const mem_access_sector_mask_t mask = mf.get_access_sector_mask();
                unsigned idx;
                tags.probe(mf.get_addr(), idx, mask, &mf); /* data_cache::access, before tag_array::access */
                const enum cache_request_status status = tags.access(mf.get_addr(), idx, &mf);
                if (fill && status != HIT)
                    tags.fill(mf.get_addr(), mask);
                hits += status == HIT;
                misses += status == MISS;
            }
    std::printf("l1.load_sectors %llu\nl1.load_sector_hits %llu\nmisses %llu\n", sectors, hits, misses);
}

} // namespace

int main(int argc, char **argv) {
    const std::string place = argc > 1 ? argv[1] : "";
    return drive::main(argc - 1, argv + 1, [&](gpc_context *context, gpc_config *config, const char *source) {
        machine m(context, config, source);
        m.vary(place);
        if (place.find("below-l1") == 0)
            below_l1(m);
        else if (place.find("decisions") == 0)
            decisions(m, config, place);
        else
            whole_l1(m);
    });
}
