/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace through each of the three, called where README.md says:
 *   accel-sim PLACE SOURCE PRESET [KEY=VALUE]...
 * PLACE: whole-l1, below-l1, decisions; whole-l1-ascending: with access queues the other way round, as the library's own
 * coalescer would have them (Accel-Sim takes an instruction's highest address first).
 */
#include "../../stub/drive.h"
#include "below_l1.h"
#include "decisions.h"
#include "whole_l1.h"

namespace {

struct machine : drive::Machine {
    using drive::Machine::Machine;
    unsigned uid = 0;
    bool ascending = false;

    warp_inst_t issue(const drive::Instruction &i) {
        warp_inst_t inst;
        inst.stub_issue(++uid, i.warp, i.pc, active_mask_t(i.mask), i.kind == GPC_STORE, i.kind == GPC_ATOMIC,
                        i.addresses.data(), i.width, ascending);
        return inst;
    }
};

/* ldst_unit with the library as m_L1D. */
struct unit_above_library final : gpucache_replies {
    std::vector<drive::Sm> &sms;
    unsigned sid;
    std::map<unsigned, unsigned> pending; /* m_pending_writes, by warp */

    unit_above_library(std::vector<drive::Sm> &all, unsigned number) : sms(all), sid(number) {}
    void gpucache_done(const warp_inst_t &inst, unsigned accesses) override {
        auto at = pending.find(inst.warp_id());
        if (at == pending.end())
            return; /* a store */
        if (!(at->second -= accesses)) {
            pending.erase(at);
            drive::done(sms, sid, inst.warp_id());
        }
    }
};

void whole_l1(gpc_context *context, gpc_config *config, const char *source, bool ascending) {
    machine m(context, config, source);
    m.ascending = ascending;
    std::list<unit_above_library> units;
    std::vector<gpucache_replies *> replies;
    for (unsigned sid = 0; sid < m.sms.size(); sid++) {
        units.emplace_back(m.sms, sid);
        replies.push_back(&units.back());
    }
    gpucache_whole_l1 memory(m.hierarchy, replies);
    memory.cycle(); /* a replay's first instruction issues in cycle 1 */
    drive::run(
        m.sms,
        [&](const drive::Instruction &i) {
            auto *unit = static_cast<unit_above_library *>(replies[i.sm]);
            warp_inst_t inst = m.issue(i);
            const unsigned accesses = inst.accessq_count();
            if (memory.issue(i.sm, inst) != NO_RC_FAIL)
                return false;
            if (i.kind != GPC_STORE)
                unit->pending[i.warp] += accesses;
            return true;
        },
        [&] { memory.cycle(); });
    while (memory.busy())
        memory.cycle();
    drive::print(m.hierarchy);
}

/* SM with loads past L1 (gmem_skip_L1D): memory_cycle's second branch, an access at a time. */
void below_l1(gpc_context *context, gpc_config *config, const char *source) {
    machine m(context, config, source);
    std::vector<shader_core_ctx> cores(m.sms.size());
    std::vector<shader_core_ctx *> places;
    std::vector<std::map<unsigned, unsigned>> pending(m.sms.size());
    std::vector<std::list<warp_inst_t>> dispatched(m.sms.size());
    for (shader_core_ctx &core : cores)
        places.push_back(&core);
    gpucache_below_l1 memory(m.hierarchy, places, 2);
    const auto cycle = [&] {
        for (unsigned sid = 0; sid < cores.size(); sid++) {
            auto &fifo = cores[sid].m_response_fifo;
            if (!fifo.empty()) { /* ldst_unit::cycle */
                mem_fetch *mf = fifo.front();
                fifo.pop_front();
                memory.taken(sid);
                if (mf->get_type() == READ_REPLY && !--pending[sid][mf->get_wid()])
                    drive::done(m.sms, sid, mf->get_wid());
                delete mf;
            }
            if (!dispatched[sid].empty()) { /* memory_cycle */
                warp_inst_t &inst = dispatched[sid].front();
                if (!memory.full(sid)) {
                    memory.push(new mem_fetch(inst.accessq_back(), &inst, inst.warp_id(), sid));
                    inst.accessq_pop_back();
                    if (inst.accessq_empty())
                        dispatched[sid].clear();
                }
            }
        }
        memory.cycle();
    };
    drive::run(
        m.sms,
        [&](const drive::Instruction &i) {
            if (!dispatched[i.sm].empty())
                return false;
            dispatched[i.sm].push_back(m.issue(i));
            if (i.kind != GPC_STORE)
                pending[i.sm][i.warp] += dispatched[i.sm].front().accessq_count();
            return true;
        },
        cycle);
    bool left = true;
    while (left || memory.busy()) {
        cycle();
        left = false;
        for (unsigned sid = 0; sid < cores.size(); sid++)
            left |= !dispatched[sid].empty() || !cores[sid].m_response_fifo.empty();
    }
    drive::print(m.hierarchy);
}

/* tag_array: sectors valid or not, filled at once. Its victims are the library's. */
class tag_array {
  public:
    tag_array(gpc_context *context, const char *policy, const cache_config &config)
        : m_config(config), m_lines(config.get_nset() * config.get_assoc()),
          m_policy(context, policy, m_config, 0, 1, 0, nullptr) {}

    enum cache_request_status probe(new_addr_type addr, unsigned &idx, mem_fetch *mf) {
        const unsigned set = m_config.set_index(addr), assoc = m_config.get_assoc();
        std::vector<uint64_t> candidates((assoc + 63) / 64);
        unsigned invalid_line = ~0u;
        for (unsigned way = 0; way < assoc; way++) {
            line &l = m_lines[set * assoc + way];
            if (l.sectors.any() && l.block == m_config.block_addr(addr)) {
                idx = set * assoc + way;
                return (l.sectors & mf->get_access_sector_mask()).any() ? HIT : SECTOR_MISS;
            }
            if (l.sectors.none() && invalid_line == ~0u)
                invalid_line = set * assoc + way;
            candidates[way / 64] |= uint64_t{1} << way % 64;
        }
        idx = invalid_line != ~0u ? invalid_line : m_policy.victim(set, candidates.data(), mf);
        return MISS;
    }

    enum cache_request_status access(new_addr_type addr, unsigned &idx, mem_fetch *mf) {
        const enum cache_request_status status = probe(addr, idx, mf);
        line &l = m_lines[idx];
        const new_addr_type old = l.block;
        const bool replaces = status == MISS && l.sectors.any();
        if (status == MISS) {
            l.block = m_config.block_addr(addr);
            l.sectors.reset();
        }
        l.sectors |= mf->get_access_sector_mask();
        m_policy.accessed(status, idx, replaces ? &old : nullptr, mf);
        return status;
    }

  private:
    struct line {
        new_addr_type block = 0;
        mem_access_sector_mask_t sectors;
    };
    cache_config m_config;
    std::vector<line> m_lines;
    gpucache_decisions m_policy;
};

/* data_cache::access of an SM's loads, with no time between a miss and its fill. */
void decisions(gpc_context *context, gpc_config *config, const char *source) {
    machine m(context, config, source);
    const char *policy = nullptr;
    m.ascending = true; /* as the library's coalescer has lines of an instruction */
    gpc_error error = GPC_ERROR_INIT;
    drive::check(gpc_config_get(config, "l1.replacement", &policy, &error), error);
    tag_array tags(context, policy, cache_config(m.shape.l1_sets, m.shape.l1_ways, m.shape.l1_line));
    unsigned long long sectors = 0, hits = 0, misses = 0;
    for (const drive::Warp &warp : m.sms[0])
        for (const drive::Instruction &i : warp.instructions)
            for (warp_inst_t inst = m.issue(i); !inst.accessq_empty(); inst.accessq_pop_back(), sectors++) {
                mem_fetch mf(inst.accessq_back(), &inst, inst.warp_id(), 0);
                unsigned idx;
                tags.probe(mf.get_addr(), idx, &mf); /* data_cache::access, before tag_array::access */
                const enum cache_request_status status = tags.access(mf.get_addr(), idx, &mf);
                hits += status == HIT;
                misses += status == MISS;
            }
    std::printf("l1.load_sectors %llu\nl1.load_sector_hits %llu\nmisses %llu\n", sectors, hits, misses);
}

} // namespace

int main(int argc, char **argv) {
    const std::string place = argc > 1 ? argv[1] : "";
    return drive::main(argc - 1, argv + 1, [&](gpc_context *context, gpc_config *config, const char *source) {
        if (place == "below-l1")
            below_l1(context, config, source);
        else if (place == "decisions")
            decisions(context, config, source);
        else
            whole_l1(context, config, source, place == "whole-l1-ascending");
    });
}
