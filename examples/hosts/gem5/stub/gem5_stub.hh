/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GEM5_STUB_HH
#define GEM5_STUB_HH

/*
 * Part of gem5 used by the SimObject: names and signatures of src/mem/port.hh (012c4a3), mem/qport.hh,
 * mem/token_port.hh, mem/packet.hh, mem/request.hh and sim/clocked_object.hh as of release 23.0 and later. The
 * test's implementation: one clock, one queue of events, ports without limits.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

/* Events by tick, in order of scheduling. */
struct EventFunctionWrapper {
    EventFunctionWrapper(const std::function<void(void)> &callback, const std::string &) : callback(callback) {}
    bool scheduled() const { return due; }
    std::function<void(void)> callback;
    bool due = false;
};
inline Tick stubTick = 0;
inline std::multimap<Tick, std::function<void(void)>> stubQueue;
inline Tick curTick() {
    return stubTick;
}

class Request {
  public:
    uint64_t getReqInstSeqNum() const { return seq; }
    bool hasPC() const { return true; }
    Addr getPC() const { return pc; }
    bool isInvL1() const { return false; }
    bool isGLCSet() const { return false; }
    uint64_t seq = 0;
    Addr pc = 0;
};
typedef std::shared_ptr<Request> RequestPtr;

class MemCmd {
  public:
    enum Command {
        ReadReq,
        ReadResp,
        WriteReq,
        WriteResp,
        WriteCompleteResp,
        SwapReq,
        SwapResp,
        MemSyncReq,
        MemSyncResp
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
    Packet(const RequestPtr &_req, MemCmd _cmd) : cmd(_cmd), req(_req) {}
    Addr getAddr() const { return addr; }
    void setAddr(Addr _addr) { addr = _addr; }
    unsigned getSize() const { return size; }
    bool isWrite() const { return cmd == MemCmd::WriteReq || cmd == MemCmd::SwapReq; }
    bool isAtomicOp() const { return cmd == MemCmd::SwapReq; }
    bool isResponse() const { return cmd.cmd % 2 || cmd == MemCmd::WriteCompleteResp; }
    void makeTimingResponse() { cmd = MemCmd(static_cast<MemCmd::Command>(cmd.cmd + 1)); }
    MemCmd cmd;
    RequestPtr req;
    SenderState *senderState = nullptr;
    Addr addr = 0;
    unsigned size = 0;
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

class RequestPort : public Port {
  public:
    RequestPort(const std::string &name, PortID id = InvalidPortID) : Port(name, id) {}
    void sendFunctional(PacketPtr) const {}
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

class TokenResponsePort : public ResponsePort {
  public:
    TokenResponsePort(const std::string &name, PortID id = InvalidPortID) : ResponsePort(name, id) {}
    void sendTokens(int num_tokens) { stubTokens += num_tokens; }
    int stubTokens = 0;
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
        stubQueue.emplace(when, [&event] {
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
