/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef __GPUCACHE_GPU_CACHE_HH__
#define __GPUCACHE_GPU_CACHE_HH__

/* Coalescers, L1s and all below by the library, in Ruby's place: what compute units' memory ports are connected to. */
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <gpucache/gpucache.h>

#include "mem/qport.hh"
#include "mem/token_port.hh"
#include "params/GpuCache.hh"
#include "sim/clocked_object.hh"

namespace gem5 {

class GpuCache : public ClockedObject {
  public:
    GpuCache(const GpuCacheParams &p);
    ~GpuCache();
    Port &getPort(const std::string &if_name, PortID idx = InvalidPortID) override;
    gpc_hierarchy *hierarchy() const { return memory; }

  private:
    /* Port of a lane of a compute unit: refused responses wait in the queue. */
    struct LanePort : public QueuedResponsePort {
        LanePort(const std::string &name, GpuCache &owner, unsigned number)
            : QueuedResponsePort(name, queue), cache(owner), number(number), queue(owner, *this) {}
        bool recvTimingReq(PacketPtr pkt) override { return cache.receive(number, pkt); }
        Tick recvAtomic(PacketPtr pkt) override { return cache.memSide.sendAtomic(pkt); }
        void recvFunctional(PacketPtr pkt) override { cache.moveBytes(pkt); }
        AddrRangeList getAddrRanges() const override { return AddrRangeList(); }
        GpuCache &cache;
        const unsigned number;
        RespPacketQueue queue;
    };
    struct TokenPort : public TokenResponsePort {
        using TokenResponsePort::TokenResponsePort;
        bool recvTimingReq(PacketPtr) override { return false; }
        Tick recvAtomic(PacketPtr) override { return 0; }
        void recvFunctional(PacketPtr) override {}
        AddrRangeList getAddrRanges() const override { return AddrRangeList(); }
    };
    struct MemPort : public RequestPort {
        using RequestPort::RequestPort;
        bool recvTimingResp(PacketPtr) override { return true; }
        void recvReqRetry() override {}
    };
    typedef std::pair<unsigned, uint64_t> Key; /* CU, and number of an instruction */
    /* Access of a wavefront: packets of one size, by port. */
    struct Instruction {
        Key key;
        std::map<unsigned, PacketPtr> lanes;
    };

    bool receive(unsigned port, PacketPtr pkt);
    gpc_status offer(Instruction &instruction);
    void returnToken(const Instruction &instruction);
    void moveBytes(PacketPtr pkt);
    void tick();
    void complete(const Instruction &instruction);
    static void onComplete(void *user_data, const gpc_completion *completion);

    gpc_context *context = nullptr;
    gpc_hierarchy *memory = nullptr;
    const unsigned lanes;
    MemPort memSide;
    std::vector<std::unique_ptr<LanePort>> lanePorts;
    std::vector<std::unique_ptr<TokenPort>> tokenPorts;
    std::deque<std::unique_ptr<Instruction>> arriving; /* not yet in the hierarchy; in order per CU */
    std::map<Key, unsigned> left;                      /* packets of an instruction not yet in the hierarchy */
    EventFunctionWrapper tickEvent;
    Cycles next = Cycles(0); /* ticks ahead of the library's clock */
};

} // namespace gem5

#endif
