/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEM5_STUB_HH
#define GEM5_STUB_HH

/*
 * Part of gem5 used by the SimObject: names, signatures and assertions of v24.0.0.1 (b1a44b89): mem/port.hh, mem/qport.hh,
 * mem/token_port.hh, mem/packet.hh, mem/request.hh, mem/abstract_mem.cc, base/amo.hh, sim/clocked_object.hh,
 * gpu-compute/compute_unit.hh and gpu-compute/gpu_dyn_inst.hh. The test's implementation: one clock, one queue of events,
 * ports without limits, and a memory below every RequestPort.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gem5 {

typedef uint64_t Tick;
typedef uint64_t Addr;
typedef int16_t PortID;
const PortID InvalidPortID = -1;

class Cycles {
  public:
    explicit constexpr Cycles(uint64_t _c) : c(_c) {}
    constexpr operator uint64_t() const { return c; }
    Cycles operator+(const Cycles &b) const { return Cycles(c + b.c); }

  private:
    uint64_t c;
};

class AddrRange {};
typedef std::list<AddrRange> AddrRangeList;

#define fatal_if(condition, ...)               \
    do {                                       \
        if (condition) {                       \
            std::fprintf(stderr, __VA_ARGS__); \
            std::exit(1);                      \
        }                                      \
    } while (0)

/* Events by tick. Within a tick, the last scheduled is the first, as in EventQueue::insert. */
struct EventFunctionWrapper {
    EventFunctionWrapper(const std::function<void(void)> &callback, const std::string &) : callback(callback) {}
    bool scheduled() const { return due; }
    std::function<void(void)> callback;
    bool due = false;
};
inline Tick stubTick = 0;
inline std::multimap<Tick, std::function<void(void)>> stubQueue;
inline void stubSchedule(Tick when, std::function<void(void)> callback) {
    stubQueue.emplace_hint(stubQueue.lower_bound(when), when, std::move(callback));
}
inline Tick curTick() {
    return stubTick;
}

#define panic_if(condition, ...)             \
    do {                                     \
        if (condition) {                     \
            std::fputs(__VA_ARGS__, stderr); \
            std::abort();                    \
        }                                    \
    } while (0)

struct AtomicOpFunctor {
    virtual void operator()(uint8_t *p) = 0;
    virtual ~AtomicOpFunctor() {}
};

class Request {
  public:
    bool hasInstSeqNum() const { return numbered; }
    uint64_t getReqInstSeqNum() const {
        panic_if(!hasInstSeqNum(), "Request::getReqInstSeqNum: hasInstSeqNum()\n");
        return seq;
    }
    void setReqInstSeqNum(const uint64_t seq_num) {
        numbered = true;
        seq = seq_num;
    }
    bool hasPC() const { return pc != 0; }
    Addr getPC() const { return pc; }
    bool isInvL1() const { return invL1; }
    bool isInvL2() const { return invL2; }
    bool isGLCSet() const { return false; }
    bool isAtomic() const { return atomicOp != nullptr; }
    AtomicOpFunctor *getAtomicOpFunctor() { return atomicOp.get(); }
    Addr paddr = 0, pc = 0;
    unsigned size = 0;
    bool numbered = false, invL1 = false, invL2 = false;
    std::unique_ptr<AtomicOpFunctor> atomicOp;

  private:
    uint64_t seq = 0;
};
typedef std::shared_ptr<Request> RequestPtr;

class MemCmd {
  public:
    enum Command {
        ReadReq,
        ReadResp,
        WriteReq,
        WriteResp,
        SwapReq,
        SwapResp,
        MemSyncReq,
        MemSyncResp,
        WriteCompleteResp
    };
    MemCmd(Command _cmd) : cmd(_cmd) {}
    bool operator==(MemCmd c2) const { return cmd == c2.cmd; }
    bool operator!=(MemCmd c2) const { return cmd != c2.cmd; }
    Command cmd;
};

class Packet {
  public:
    struct SenderState {
        virtual ~SenderState() {}
    };
    Packet(const RequestPtr &_req, MemCmd _cmd) : cmd(_cmd), req(_req), addr(_req->paddr), size(_req->size) { alive++; }
    ~Packet() { alive--; }
    Packet(const Packet &) = delete;
    static inline int alive = 0; /* test's count: a compute unit deletes the responses */
    Addr getAddr() const { return addr; }
    void setAddr(Addr _addr) { addr = _addr; }
    unsigned getSize() const { return size; }
    bool isRead() const { return cmd.cmd == MemCmd::ReadReq || cmd.cmd == MemCmd::SwapReq; }
    bool isWrite() const { return cmd.cmd == MemCmd::WriteReq || cmd.cmd == MemCmd::SwapReq; }
    bool isResponse() const { return cmd.cmd % 2 || cmd == MemCmd::WriteCompleteResp; }
    void makeResponse() {
        panic_if(isResponse(), "Packet::makeResponse: isRequest()\n");
        cmd = MemCmd(static_cast<MemCmd::Command>(cmd.cmd + 1));
    }
    void makeTimingResponse() { makeResponse(); }
    template <typename T> void dataStatic(T *p) {
        panic_if(data, "Packet::dataStatic: STATIC_DATA\n");
        data = p;
    }
    template <typename T> T *getPtr() {
        panic_if(!data, "Packet::getPtr: no data\n");
        return data;
    }
    void setData(const uint8_t *p) { std::memcpy(getPtr<uint8_t>(), p, getSize()); }
    void writeData(uint8_t *p) { std::memcpy(p, getPtr<uint8_t>(), getSize()); }
    AtomicOpFunctor *getAtomicOp() const { return req->getAtomicOpFunctor(); }
    bool isAtomicOp() const { return req->isAtomic(); }
    MemCmd cmd;
    RequestPtr req;
    SenderState *senderState = nullptr;

  private:
    uint8_t *data = nullptr;
    Addr addr;
    unsigned size;
};
typedef Packet *PacketPtr;

class Port {
  public:
    Port(const std::string &_name, PortID _id) : portName(_name), id(_id) {}
    virtual ~Port() {}

  private:
    const std::string portName;
    const PortID id;
};

/* AbstractMemory: a SwapReq is a read here, too. */
class StubMemory {
  public:
    void functionalAccess(PacketPtr pkt) {
        uint8_t *host_addr = at(pkt->getAddr());
        panic_if(pkt->getAddr() % 64 + pkt->getSize() > 64, "functional access of two lines\n");
        if (pkt->isRead())
            pkt->setData(host_addr);
        else if (pkt->isWrite())
            pkt->writeData(host_addr);
        else
            panic_if(true, "AbstractMemory: unimplemented functional command\n");
        pkt->makeResponse();
    }
    uint8_t *at(Addr addr) {
        std::vector<uint8_t> &line = lines[addr / 64];
        line.resize(64);
        return &line[addr % 64];
    }

  private:
    std::map<Addr, std::vector<uint8_t>> lines;
};
inline StubMemory stubMemory;

class RequestPort : public Port {
  public:
    RequestPort(const std::string &name, PortID id = InvalidPortID) : Port(name, id) {}
    void sendFunctional(PacketPtr pkt) const { stubMemory.functionalAccess(pkt); }
    Tick sendAtomic(PacketPtr) { return 0; }
    virtual bool recvTimingResp(PacketPtr pkt) = 0;
    virtual void recvReqRetry() = 0;
};

class ResponsePort : public Port {
  public:
    ResponsePort(const std::string &name, PortID id = InvalidPortID) : Port(name, id) {}
    virtual AddrRangeList getAddrRanges() const = 0;
    virtual bool recvTimingReq(PacketPtr pkt) = 0;
    virtual Tick recvAtomic(PacketPtr pkt) = 0;
    virtual void recvFunctional(PacketPtr pkt) = 0;
    RequestPort *stubPeer = nullptr;
};

class TokenManager {
  public:
    TokenManager(int init_tokens) : availableTokens(init_tokens), maxTokens(init_tokens) {}
    bool haveTokens(int num_tokens) { return availableTokens >= num_tokens; }
    void acquireTokens(int num_tokens) { availableTokens -= num_tokens; }
    void recvTokens(int num_tokens) {
        availableTokens += num_tokens;
        panic_if(availableTokens > maxTokens, "More tokens available than the maximum after recvTokens!\n");
    }

  private:
    int availableTokens, maxTokens;
};

class TokenResponsePort : public ResponsePort {
  public:
    TokenResponsePort(const std::string &name, PortID id = InvalidPortID) : ResponsePort(name, id) {}
    void sendTokens(int num_tokens) {
        fatal_if(!stubTokens, "Tried sendTokens to non-token requestor!\n");
        stubTokens->recvTokens(num_tokens);
    }
    TokenManager *stubTokens = nullptr; /* tokens of the port at the other end */
};

class GPUDynInst {
  public:
    int getLaneStatus(int lane) const { return statusVector.at(static_cast<size_t>(lane)); }
    std::vector<int> statusVector; /* packets of a lane without a response */
    uint32_t stubSm = 0, stubWarp = 0;
};
typedef std::shared_ptr<GPUDynInst> GPUDynInstPtr;

class ComputeUnit {
  public:
    class DataPort : public RequestPort {
      public:
        using RequestPort::RequestPort;
        struct SenderState : public Packet::SenderState {
            ComputeUnit *computeUnit = nullptr;
            GPUDynInstPtr _gpuDynInst;
            PortID port_index;
            SenderState(GPUDynInstPtr gpuDynInst, PortID _port_index)
                : _gpuDynInst(gpuDynInst), port_index(_port_index) {}
            SenderState(ComputeUnit *cu, PortID _port_index) : computeUnit(cu), port_index(_port_index) {}
        };
    };
};

struct ClockedObjectParams {
    std::string name = "memory";
};

class ClockedObject {
  public:
    ClockedObject(const ClockedObjectParams &p) : objectName(p.name) {}
    virtual ~ClockedObject() {}
    virtual Port &getPort(const std::string &, PortID = InvalidPortID) { std::abort(); }
    std::string name() const { return objectName; }
    Cycles curCycle() const { return Cycles(curTick() / clockPeriod()); }
    Tick clockPeriod() const { return 1000; }
    Tick clockEdge(Cycles cycles = Cycles(0)) const {
        return (curTick() + clockPeriod() - 1) / clockPeriod() * clockPeriod() + cycles * clockPeriod();
    }
    void schedule(EventFunctionWrapper &event, Tick when) {
        event.due = true;
        stubSchedule(when, [&event] {
            event.due = false;
            event.callback();
        });
    }

  private:
    const std::string objectName;
};

class RespPacketQueue {
  public:
    RespPacketQueue(ClockedObject &, ResponsePort &) {}
};

class QueuedResponsePort : public ResponsePort {
  public:
    QueuedResponsePort(const std::string &name, RespPacketQueue &, PortID id = InvalidPortID)
        : ResponsePort(name, id) {}
    void schedTimingResp(PacketPtr pkt, Tick when) {
        stubQueue.emplace(when, [this, pkt] { stubPeer->recvTimingResp(pkt); });
    }
};

/* Class that gem5 makes of GpuCache.py. */
class GpuCache;
struct GpuCacheParams : ClockedObjectParams {
    unsigned lanes = 64;
    std::string preset;
    std::vector<std::string> settings;
    unsigned port_cpu_side_ports_connection_count = 0, port_token_ports_connection_count = 0;
};

} // namespace gem5

#endif
