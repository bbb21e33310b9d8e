/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace through the SimObject: compute units that send a packet a lane, as ComputeUnit's memPorts do. */
#include "../../stub/drive.h"
#include "gpu_cache.hh"

using namespace gem5;

namespace {

struct State : Packet::SenderState {
    uint32_t sm, warp;
    unsigned *left; /* lanes of the instruction waiting for a response */
};

struct Sms {
    std::vector<drive::Sm> all;
};

/* ComputeUnit::DataPort: recvTimingResp and the work of processMemRespEvent. */
struct DataPort : RequestPort {
    DataPort(Sms &sms, const std::string &name) : RequestPort(name), sms(sms) {}
    bool recvTimingResp(PacketPtr pkt) override {
        auto *state = static_cast<State *>(pkt->senderState);
        if (!(pkt->cmd == MemCmd::WriteResp)) { /* for a store, count the WriteCompleteResp */
            if (!--*state->left) {
                delete state->left;
                if (!(pkt->cmd == MemCmd::WriteCompleteResp))
                    drive::done(sms.all, state->sm, state->warp);
            }
            delete state;
        }
        delete pkt;
        return true;
    }
    void recvReqRetry() override {}
    Sms &sms;
};

void program(gpc_context *context, gpc_config *config, const char *source, int count, char **words) {
    Sms sms;
    gpc_launch launch = GPC_LAUNCH_INIT;
    uint64_t number = 0, seq = 0;
    gpc_error error = GPC_ERROR_INIT;
    drive::check(gpc_config_get_u64(config, "sm.count", &number, &error), error);
    sms.all = drive::read_trace(context, source, static_cast<uint32_t>(number), launch);
    GpuCacheParams params;
    params.lanes = 32;
    params.preset = words[0];
    params.settings.assign(words + 1, words + count);
    params.port_cpu_side_ports_connection_count = static_cast<unsigned>(number) * params.lanes;
    params.port_token_ports_connection_count = static_cast<unsigned>(number);
    GpuCache cache(params);
    std::vector<std::unique_ptr<DataPort>> ports;
    std::vector<ResponsePort *> lanes;
    for (unsigned i = 0; i < params.port_cpu_side_ports_connection_count; i++) {
        ports.push_back(std::make_unique<DataPort>(sms, "CU"));
        lanes.push_back(dynamic_cast<ResponsePort *>(&cache.getPort("cpu_side_ports", static_cast<PortID>(i))));
        lanes.back()->stubPeer = ports.back().get();
    }
    std::vector<int> tokens(number, 4); /* GlobalMemPipeline: tokens of the CU */
    std::vector<TokenResponsePort *> returned;
    for (unsigned cu = 0; cu < number; cu++)
        returned.push_back(dynamic_cast<TokenResponsePort *>(&cache.getPort("token_ports", static_cast<PortID>(cu))));
    drive::run(
        sms.all,
        [&](const drive::Instruction &i) {
            if (tokens[i.sm] + returned[i.sm]->stubTokens == 0)
                return false;
            tokens[i.sm]--;
            seq++;
            auto *left = new unsigned(static_cast<unsigned>(i.addresses.size()));
            for (uint64_t mask = i.mask, n = 0; mask; mask &= mask - 1, n++) {
                auto request = std::make_shared<Request>();
                request->seq = seq;
                request->pc = i.pc;
                auto *pkt = new Packet(request, i.kind == GPC_STORE ? MemCmd::WriteReq : MemCmd::ReadReq);
                auto *state = new State;
                state->sm = i.sm;
                state->warp = i.warp;
                state->left = left;
                pkt->senderState = state;
                pkt->addr = i.addresses[n];
                pkt->size = i.width;
                lanes[i.sm * params.lanes + static_cast<unsigned>(__builtin_ctzll(mask))]->recvTimingReq(pkt);
            }
            return true;
        },
        [&] { /* run the events of the next cycle */
              const Tick end = stubTick / 1000 * 1000 + 1000;
              while (!stubQueue.empty() && stubQueue.begin()->first <= end) {
                  auto event = stubQueue.begin();
                  stubTick = event->first;
                  auto callback = std::move(event->second);
                  stubQueue.erase(event);
                  callback();
              }
              stubTick = end;
        });
    while (!stubQueue.empty()) {
        auto event = stubQueue.begin();
        stubTick = event->first;
        auto callback = std::move(event->second);
        stubQueue.erase(event);
        callback();
    }
    drive::print(cache.hierarchy());
}

} // namespace

int main(int argc, char **argv) {
    return drive::main(argc, argv, [&](gpc_context *context, gpc_config *config, const char *source) {
        program(context, config, source, argc - 2, argv + 2);
    });
}
