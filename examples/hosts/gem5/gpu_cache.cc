/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu_cache.hh"

#include <algorithm>

#include "base/logging.hh"
#include "gpu-compute/compute_unit.hh"
#include "gpu-compute/gpu_dyn_inst.hh"

namespace gem5 {

static gpc_status check(gpc_status status, const char *what) {
    fatal_if(status < 0, "gpucache: %s: %s", gpc_status_string(status), what);
    return status;
}

GpuCache::GpuCache(const GpuCacheParams &p)
    : ClockedObject(p), lanes(p.lanes), memSide(name() + ".mem_side_port"),
      tickEvent([this] { tick(); }, name() + ".tick") {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = nullptr;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = this;
    callbacks.on_complete = onComplete;
    check(gpc_context_create(nullptr, &context, &error), error.message);
    check(gpc_config_create(context, &config, &error), error.message);
    check(gpc_config_load_preset(config, p.preset.c_str(), &error), error.message);
    for (const std::string &pair : p.settings)
        check(gpc_config_set_pair(config, pair.c_str(), &error), error.message);
    check(gpc_config_set_pair(config, "mode=timed", &error), error.message);
    check(gpc_hierarchy_create(context, config, &memory, &error), error.message);
    check(gpc_hierarchy_set_callbacks(memory, &callbacks, &error), error.message);
    check(gpc_hierarchy_begin_kernel(memory, nullptr, &error), error.message);
    gpc_config_destroy(config);
    for (unsigned i = 0; i < p.port_cpu_side_ports_connection_count; i++)
        lanePorts.push_back(std::make_unique<LanePort>(name() + ".cpu_side_ports", *this, i));
    for (unsigned i = 0; i < p.port_token_ports_connection_count; i++)
        tokenPorts.push_back(std::make_unique<TokenPort>(name() + ".token_ports"));
}

GpuCache::~GpuCache() {
    gpc_hierarchy_destroy(memory);
    gpc_context_destroy(context);
}

Port &GpuCache::getPort(const std::string &if_name, PortID idx) {
    if (if_name == "cpu_side_ports")
        return *lanePorts.at(idx);
    if (if_name == "token_ports")
        return *tokenPorts.at(idx);
    return if_name == "mem_side_port" ? memSide : ClockedObject::getPort(if_name, idx);
}

/* Count the packets of an instruction, by lane, as GPUCoalescer does. Numbers of the protocol tester have one packet. */
static unsigned countPackets(PacketPtr pkt, unsigned lanes) {
    auto *state = dynamic_cast<ComputeUnit::DataPort::SenderState *>(pkt->senderState);
    unsigned count = !state;
    for (unsigned lane = 0; state && lane < lanes; lane++)
        count += state->_gpuDynInst->getLaneStatus(lane);
    return count;
}

/*
 * Gather the lanes of an instruction for the next clock edge. Events of a tick run last in, first out, and timed TLBs answer
 * in several ticks. A second packet of a lane, whose bytes are of two lines, begins another access, and so does another
 * size. sendInvL2 tells of a host's write, without an instruction: bytes are functional, so no line is stale.
 */
bool GpuCache::receive(unsigned port, PacketPtr pkt) {
    if (pkt->req->isInvL2()) {
        pkt->makeTimingResponse();
        lanePorts[port]->schedTimingResp(pkt, clockEdge(Cycles(1)));
        return true;
    }
    const Key key(port / lanes, pkt->req->getReqInstSeqNum());
    const auto same = std::find_if(arriving.rbegin(), arriving.rend(), [&](const auto &each) {
        return each->key == key && !each->lanes.count(port) && each->lanes.begin()->second->getSize() == pkt->getSize();
    });
    if (same == arriving.rend())
        arriving.push_back(std::make_unique<Instruction>(Instruction{key, {{port, pkt}}}));
    else
        (*same)->lanes.emplace(port, pkt);
    if (pkt->cmd != MemCmd::MemSyncReq && !left.count(key))
        left[key] = countPackets(pkt, lanes);
    if (!tickEvent.scheduled())
        schedule(tickEvent, clockEdge(Cycles(1)));
    return true;
}

/* Return the token of an instruction whose packets are all in the hierarchy. A MemSyncReq took no token. */
void GpuCache::returnToken(const Instruction &taken) {
    if (taken.lanes.begin()->second->cmd == MemCmd::MemSyncReq || (left[taken.key] -= taken.lanes.size()))
        return;
    left.erase(taken.key);
    if (taken.key.first < tokenPorts.size())
        tokenPorts[taken.key.first]->sendTokens(1);
}

/* Turn a synchronisation into a fence of the CU: an acquire, which invalidates L1, or a release. */
gpc_status GpuCache::offer(Instruction &instruction) {
    PacketPtr first = instruction.lanes.begin()->second;
    const RequestPtr &req = first->req;
    const auto token = reinterpret_cast<uintptr_t>(&instruction);
    gpc_error error = GPC_ERROR_INIT;
    if (first->cmd == MemCmd::MemSyncReq) {
        gpc_fence fence = GPC_FENCE_INIT;
        fence.sm = instruction.key.first;
        fence.scope = GPC_SCOPE_GPU;
        fence.order = req->isInvL1() ? GPC_ORDER_ACQUIRE : GPC_ORDER_RELEASE;
        return check(gpc_hierarchy_try_fence(memory, &fence, token, nullptr, &error), error.message);
    }
    std::vector<uint64_t> addresses;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    for (const auto &[port, pkt] : instruction.lanes) {
        access.mask |= uint64_t{1} << port % lanes;
        addresses.push_back(pkt->getAddr());
    }
    access.addresses = addresses.data();
    access.sm = instruction.key.first;
    access.pc = req->hasPC() ? req->getPC() : 0;
    access.width = first->getSize();
    access.kind = first->isAtomicOp() ? GPC_ATOMIC : first->isWrite() ? GPC_STORE : GPC_LOAD;
    access.hint = req->isGLCSet() ? GPC_HINT_CG : GPC_HINT_NONE;
    return check(gpc_hierarchy_try_issue(memory, &access, token, nullptr, &error), error.message);
}

/* Run a cycle: offer arrived packets, then move the library's clock, past idle cycles too. */
void GpuCache::tick() {
    gpc_error error = GPC_ERROR_INIT;
    std::vector<bool> refused(lanePorts.size() / lanes + 1);
    if (curCycle() > next)
        check(gpc_hierarchy_advance(memory, curCycle() - next, &error), error.message);
    for (auto i = arriving.begin(); i != arriving.end();) {
        const unsigned cu = (*i)->key.first;
        if ((refused[cu] = refused[cu] || offer(**i) == GPC_BUSY)) {
            ++i;
            continue;
        }
        returnToken(**i);
        i->release(); /* the packet is the token now */
        i = arriving.erase(i);
    }
    check(gpc_hierarchy_advance(memory, 1, &error), error.message);
    next = curCycle() + Cycles(1);
    if (!arriving.empty() || !gpc_hierarchy_is_idle(memory))
        schedule(tickEvent, clockEdge(Cycles(1)));
}

void GpuCache::onComplete(void *user_data, const gpc_completion *completion) {
    std::unique_ptr<Instruction> done(reinterpret_cast<Instruction *>(static_cast<uintptr_t>(completion->token)));
    static_cast<GpuCache *>(user_data)->complete(*done);
}

/* Move the bytes of a packet. A memory's functionalAccess only reads for a SwapReq: an atomic is a read and a write. */
void GpuCache::moveBytes(PacketPtr pkt) {
    if (!pkt->isAtomicOp())
        return memSide.sendFunctional(pkt);
    std::vector<uint8_t> bytes(pkt->getSize());
    Packet read(pkt->req, MemCmd::ReadReq), write(pkt->req, MemCmd::WriteReq);
    read.dataStatic(bytes.data());
    write.dataStatic(bytes.data());
    memSide.sendFunctional(&read);
    pkt->setData(bytes.data());
    (*pkt->getAtomicOp())(bytes.data());
    memSide.sendFunctional(&write);
}

/* Bytes move now. Compute units wait for a WriteCompleteResp of each store besides, as VIPERCoalescer sends it. */
void GpuCache::complete(const Instruction &instruction) {
    for (const auto &[port, pkt] : instruction.lanes) {
        const bool stores = pkt->cmd == MemCmd::WriteReq;
        if (pkt->cmd != MemCmd::MemSyncReq)
            moveBytes(pkt);
        if (!pkt->isResponse())
            pkt->makeTimingResponse();
        lanePorts[port]->schedTimingResp(pkt, curTick());
        if (!stores)
            continue;
        auto *completes = new Packet(pkt->req, MemCmd::WriteCompleteResp);
        completes->setAddr(pkt->getAddr());
        completes->senderState = pkt->senderState;
        lanePorts[port]->schedTimingResp(completes, curTick());
    }
}

} // namespace gem5
