/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace through the SimObject: compute units that send a packet a lane, as ComputeUnit does. Places, before the source:
 * `launch` invalidates the L1s and a line of L2; `atomics` adds to words; `tlb` sends the lanes of an instruction in two
 * cycles; `split` moves addresses by two bytes, so that some lanes have bytes of two lines.
 */
#include "../../stub/drive.h"
#include "gpu-compute/compute_unit.hh"
#include "gpu_cache.hh"

#include <algorithm>

using namespace gem5;

namespace {

constexpr int CU_TOKENS = 4;

struct Add : AtomicOpFunctor {
    void operator()(uint8_t *p) override {
        uint32_t value;
        std::memcpy(&value, p, sizeof value);
        value++;
        std::memcpy(p, &value, sizeof value);
    }
};

struct Host {
    std::string place;
    std::vector<drive::Sm> sms;
    ComputeUnit cu;
    std::vector<std::unique_ptr<TokenManager>> tokens;
    std::map<const GPUDynInst *, std::vector<uint8_t>> data; /* d_data, 4 bytes a lane */
    uint64_t seq = 0, answers = 0, wrong = 0, returned = 0;
    std::map<Addr, uint64_t> added; /* atomics by word */

    bool does(const char *what) const { return place.find(what) != std::string::npos; }
};

uint8_t stored(Addr addr) {
    return static_cast<uint8_t>(addr * 37 + 11);
}

/* ComputeUnit::DataPort: handleResponse and the work of processMemRespEvent. */
struct MemPort : ComputeUnit::DataPort {
    MemPort(Host &host, const std::string &name) : DataPort(name), host(host) {}
    bool recvTimingResp(PacketPtr pkt) override {
        auto *state = dynamic_cast<SenderState *>(pkt->senderState);
        if (pkt->cmd == MemCmd::MemSyncResp) {
            host.answers++;
            delete state;
        } else if (pkt->cmd != MemCmd::WriteResp) {
            lane(pkt, *state->_gpuDynInst, state->port_index);
            delete state;
        }
        delete pkt;
        return true;
    }
    void recvReqRetry() override {}
    void lane(PacketPtr pkt, GPUDynInst &inst, PortID index) {
        if (pkt->cmd == MemCmd::SwapResp) {
            uint32_t old;
            std::memcpy(&old, pkt->getPtr<uint8_t>(), sizeof old);
            host.returned += old;
        }
        for (unsigned i = 0; pkt->cmd == MemCmd::ReadResp && i < pkt->getSize(); i++)
            host.wrong += pkt->getPtr<uint8_t>()[i] != 0;
        inst.statusVector.at(static_cast<size_t>(index))--;
        for (int left : inst.statusVector)
            if (left)
                return;
        host.data.erase(&inst);
        if (pkt->cmd != MemCmd::WriteCompleteResp)
            drive::done(host.sms, inst.stubSm, inst.stubWarp);
    }
    Host &host;
};

/* Compute units of one GpuCache. */
struct Gpu {
    Gpu(Host &host, const GpuCacheParams &params, unsigned cus) : host(host), cache(params), lanes(params.lanes) {
        for (unsigned i = 0; i < params.port_cpu_side_ports_connection_count; i++) {
            peers.push_back(std::make_unique<MemPort>(host, "CU"));
            ports.push_back(dynamic_cast<ResponsePort *>(&cache.getPort("cpu_side_ports", static_cast<PortID>(i))));
            ports.back()->stubPeer = peers.back().get();
        }
        for (unsigned i = 0; i < cus; i++) {
            host.tokens.push_back(std::make_unique<TokenManager>(CU_TOKENS));
            Port &port = cache.getPort("token_ports", static_cast<PortID>(i));
            dynamic_cast<TokenResponsePort &>(port).stubTokens = host.tokens.back().get();
        }
    }

    /* ComputeUnit::injectGlobalMemFence at a launch, and sendInvL2, which sets no instruction's number. */
    void launch(unsigned sm) {
        for (bool l2 : {false, true}) {
            auto request = std::make_shared<Request>();
            request->invL1 = !l2;
            request->invL2 = l2;
            if (!l2)
                request->setReqInstSeqNum(host.seq++);
            auto *pkt = new Packet(request, MemCmd::MemSyncReq);
            if (l2)
                pkt->senderState = new MemPort::SenderState(&host.cu, 0);
            else
                pkt->senderState = new MemPort::SenderState(std::make_shared<GPUDynInst>(), 0);
            ports[sm * lanes]->recvTimingReq(pkt);
        }
    }

    /* Send the packets of a lane: one, or one of each line. */
    void send(const drive::Instruction &i, const GPUDynInstPtr &inst, unsigned lane, Addr addr, uint8_t *bytes) {
        const bool atomic = host.does("atomics"), store = i.kind == GPC_STORE;
        for (unsigned done = 0, size = inFirstLine(i, addr); done < i.width; done += size, size = i.width - done) {
            auto request = std::make_shared<Request>();
            request->setReqInstSeqNum(host.seq);
            request->pc = i.pc;
            request->paddr = addr + done;
            request->size = size;
            if (atomic) {
                request->atomicOp = std::make_unique<Add>();
                host.added[addr]++;
            }
            auto *pkt = new Packet(request, atomic ? MemCmd::SwapReq : store ? MemCmd::WriteReq : MemCmd::ReadReq);
            pkt->dataStatic(bytes + done);
            pkt->senderState = new MemPort::SenderState(inst, static_cast<PortID>(lane));
            for (unsigned b = 0; b < size; b++)
                bytes[done + b] = store ? stored(addr + done + b) : 0xee;
            ResponsePort *port = ports[i.sm * lanes + lane];
            const Tick late = host.does("tlb") && lane >= lanes / 2 ? 2000 : 0;
            stubSchedule(stubTick + late, [port, pkt] { port->recvTimingReq(pkt); });
        }
    }

    static unsigned inFirstLine(const drive::Instruction &i, Addr addr) {
        return std::min<unsigned>(i.width, 64 - addr % 64);
    }

    bool issue(const drive::Instruction &i) {
        if (!host.tokens[i.sm]->haveTokens(1))
            return false;
        host.tokens[i.sm]->acquireTokens(1);
        host.seq++;
        auto inst = std::make_shared<GPUDynInst>();
        inst->statusVector.resize(lanes);
        inst->stubSm = i.sm;
        inst->stubWarp = i.warp;
        std::vector<uint8_t> &bytes = host.data[inst.get()];
        bytes.resize(size_t{lanes} * i.width);
        for (bool counted : {true, false}) /* all packets are counted before the first one is sent */
            for (uint64_t mask = i.mask, n = 0; mask; mask &= mask - 1, n++) {
                const auto lane = static_cast<unsigned>(__builtin_ctzll(mask));
                const Addr addr = i.addresses[n] + (host.does("split") ? 2 : 0);
                if (counted)
                    inst->statusVector[lane] = inFirstLine(i, addr) < i.width ? 2 : 1;
                else
                    send(i, inst, lane, addr, &bytes[lane * i.width]);
            }
        return true;
    }

    Host &host;
    GpuCache cache;
    const unsigned lanes;
    std::vector<std::unique_ptr<MemPort>> peers;
    std::vector<ResponsePort *> ports;
};

/* Run the events until a tick. */
void events(Tick end) {
    while (!stubQueue.empty() && stubQueue.begin()->first <= end) {
        auto event = stubQueue.begin();
        stubTick = event->first;
        auto callback = std::move(event->second);
        stubQueue.erase(event);
        callback();
    }
}

/* Count bytes that memory should not have. */
uint64_t wrong_in_memory(const std::vector<drive::Sm> &sms, Addr apart) {
    uint64_t wrong = 0;
    for (const drive::Sm &sm : sms)
        for (const drive::Warp &warp : sm)
            for (const drive::Instruction &i : warp.instructions)
                for (size_t n = 0; i.kind == GPC_STORE && n < i.addresses.size(); n++)
                    for (Addr at = i.addresses[n] + apart, end = at + i.width; at < end; at++)
                        wrong += *stubMemory.at(at) != stored(at);
    return wrong;
}

void print(Host &host) {
    uint64_t wrong = host.wrong + wrong_in_memory(host.sms, host.does("split") ? 2 : 0), full = 0, olds = 0;
    for (const auto &[addr, times] : host.added) {
        uint32_t value;
        std::memcpy(&value, stubMemory.at(addr), sizeof value);
        wrong += value != times;
        olds += times * (times - 1) / 2;
    }
    for (const auto &each : host.tokens)
        full += each->haveTokens(CU_TOKENS);
    const struct {
        const char *name;
        uint64_t value;
    } all[] = {{"wrong", wrong},          {"wrong_olds", olds - host.returned},
               {"answers", host.answers}, {"alive", static_cast<uint64_t>(Packet::alive)},
               {"full_tokens", full},     {"unfinished", host.data.size()}};
    for (const auto &each : all)
        std::printf("%s %llu\n", each.name, static_cast<unsigned long long>(each.value));
}

void program(gpc_context *context, gpc_config *config, const char *source, const std::string &place, char **words,
             int count) {
    Host host;
    gpc_launch launch = GPC_LAUNCH_INIT;
    uint64_t number = 0;
    gpc_error error = GPC_ERROR_INIT;
    drive::check(gpc_config_get_u64(config, "sm.count", &number, &error), error);
    const auto cus = static_cast<unsigned>(number);
    host.place = place;
    host.sms = drive::read_trace(context, source, cus, launch);
    GpuCacheParams params;
    params.lanes = 32;
    params.preset = words[0];
    params.settings.assign(words + 1, words + count);
    params.port_cpu_side_ports_connection_count = cus * params.lanes;
    params.port_token_ports_connection_count = cus;
    Gpu gpu(host, params, cus);
    for (unsigned sm = 0; sm < cus && host.does("launch"); sm++)
        gpu.launch(sm);
    drive::run(
        host.sms, [&](const drive::Instruction &i) { return gpu.issue(i); }, [&] { /* run the next cycle */
                                                                                   const Tick end =
                                                                                       stubTick / 1000 * 1000 + 1000;
                                                                                   events(end);
                                                                                   stubTick = end;
        });
    events(~Tick{0});
    drive::print(gpu.cache.hierarchy());
    print(host);
}

} // namespace

/* `[PLACE] SOURCE PRESET [KEY=VALUE]...`. */
int main(int argc, char **argv) {
    const bool placed = argc > 1 && !std::strchr(argv[1], ':');
    const std::string place = placed ? argv[1] : "";
    return drive::main(argc - placed, argv + placed, [&](gpc_context *context, gpc_config *config, const char *source) {
        program(context, config, source, place, argv + placed + 2, argc - placed - 2);
    });
}
