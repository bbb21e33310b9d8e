/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SST_STUB_H
#define SST_STUB_H

/*
 * Part of sst-core used by the elements: names and signatures of src/sst/core/interfaces/stdMem.h (037825f, 15.0),
 * link.h, event.h, clock.h, component.h, params.h and output.h. The test's implementation: one clock, links
 * without latency and with immediate delivery.
 */
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#define SST_ELI_REGISTER_SUBCOMPONENT(...)
#define SST_ELI_REGISTER_COMPONENT(...)
#define SST_ELI_DOCUMENT_PORTS(...)
#define SST_ELI_DOCUMENT_PARAMS(...)
#define NotSerializable(...)
#define CALL_INFO __LINE__, __FILE__, __FUNCTION__

namespace SST {

typedef uint64_t ComponentId_t;
typedef uint64_t Cycle_t;

class TimeConverter {};

class Output {
  public:
    enum output_location_t { NONE, STDOUT, STDERR, FILE };
    Output(const std::string &prefix, uint32_t, uint32_t, output_location_t) : m_prefix(prefix) {}
    [[noreturn]] void fatal(uint32_t, const char *, const char *, int exit_code, const char *format, ...) const
        __attribute__((format(printf, 6, 7))) {
        va_list arguments;
        std::fputs(m_prefix.c_str(), stderr);
        va_start(arguments, format);
        std::vfprintf(stderr, format, arguments);
        va_end(arguments);
        std::exit(exit_code & 0xff);
    }

  private:
    std::string m_prefix;
};

class Params {
  public:
    template <class T> T find(const std::string &k, const T &default_value) const {
        const auto found = values.find(k);
        if (found == values.end())
            return default_value;
        std::istringstream text(found->second);
        T value;
        text >> value;
        return value;
    }
    template <class T> void find_array(const std::string &k, std::vector<T> &vec) const {
        const auto found = arrays.find(k);
        if (found != arrays.end())
            vec = found->second;
    }
    std::map<std::string, std::string> values;
    std::map<std::string, std::vector<std::string>> arrays;
};

template <typename Argument, typename Returned = void> using StubHandler = std::function<Returned(Argument)>;

class Event {
  public:
    virtual ~Event() {}
    struct HandlerBase {
        std::function<void(Event *)> call;
    };
    template <typename classT, auto funcT, typename dataT = void> struct Handler2 : HandlerBase {
        Handler2(classT *object, dataT data) {
            call = [object, data](Event *event) { (object->*funcT)(event, data); };
        }
    };
    template <typename classT, auto funcT> struct Handler2<classT, funcT, void> : HandlerBase {
        explicit Handler2(classT *object) {
            call = [object](Event *event) { (object->*funcT)(event); };
        }
    };
};

struct Clock {
    struct HandlerBase {
        std::function<bool(Cycle_t)> call;
    };
    template <typename classT, auto funcT> struct Handler2 : HandlerBase {
        explicit Handler2(classT *object) {
            call = [object](Cycle_t cycle) { return (object->*funcT)(cycle); };
        }
    };
};

class Link {
  public:
    void send(Event *event) {
        if (peer->handler)
            peer->handler->call(event);
        else
            peer->waiting.push_back(event);
    }
    Event *recv() { return take(waiting); }
    void sendUntimedData(Event *data) { peer->untimed.push_back(data); }
    Event *recvUntimedData() { return take(untimed); }

    Link *peer = nullptr;
    Event::HandlerBase *handler = nullptr;
    std::deque<Event *> waiting, untimed;

  private:
    static Event *take(std::deque<Event *> &queue) {
        Event *event = queue.empty() ? nullptr : queue.front();
        if (event)
            queue.pop_front();
        return event;
    }
};

class BaseComponent {
  public:
    virtual ~BaseComponent() {
        for (auto &each : links)
            delete each.second.handler;
    }
    Link *configureLink(const std::string &name, Event::HandlerBase *handler = nullptr) {
        links[name].handler = handler;
        return &links[name];
    }
    Link *configureLink(const std::string &name, TimeConverter *, Event::HandlerBase *handler = nullptr) {
        return configureLink(name, handler);
    }
    std::map<std::string, Link> links;
};

class Component : public BaseComponent {
  public:
    explicit Component(ComponentId_t) {}
    ~Component() override { delete clock; }
    virtual void init(unsigned) {}
    TimeConverter *registerClock(const std::string &, Clock::HandlerBase *handler) {
        clock = handler;
        return nullptr;
    }
    Clock::HandlerBase *clock = nullptr;
};

class SubComponent : public BaseComponent {
  public:
    explicit SubComponent(ComponentId_t) {}
};

namespace Interfaces {

class StandardMem : public SubComponent {
  public:
    using Addr = uint64_t;
    class Request;
    class RequestHandler;
    struct HandlerBase {
        std::function<void(Request *)> call;
        void operator()(Request *request) { call(request); }
    };

    class Request {
      public:
        virtual ~Request() {}
        virtual Request *makeResponse() = 0;
        virtual bool needsResponse() = 0;
        virtual void handle(RequestHandler *handler) = 0;
        bool getNoncacheable() { return false; }
    };
    class Read;
    class ReadResp;
    class Write;
    class WriteResp;

    class RequestHandler {
      public:
        RequestHandler(Output *o) : out(o) {}
        virtual ~RequestHandler() {}
        virtual void handle(Read *) { out->fatal(CALL_INFO, -1, "Error: RequestHandler for Read\n"); }
        virtual void handle(ReadResp *) { out->fatal(CALL_INFO, -1, "Error: RequestHandler for ReadResp\n"); }
        virtual void handle(Write *) { out->fatal(CALL_INFO, -1, "Error: RequestHandler for Write\n"); }
        virtual void handle(WriteResp *) { out->fatal(CALL_INFO, -1, "Error: RequestHandler for WriteResp\n"); }
        Output *out;
    };

    class ReadResp : public Request {
      public:
        Request *makeResponse() override { return nullptr; }
        bool needsResponse() override { return false; }
        void handle(RequestHandler *handler) override { handler->handle(this); }
        Addr pAddr = 0;
        uint64_t size = 0;
        std::vector<uint8_t> data;
        uint32_t tid = 0;
    };
    class Read : public Request {
      public:
        Request *makeResponse() override {
            auto *response = new ReadResp;
            response->pAddr = pAddr;
            response->size = size;
            response->data.resize(size);
            response->tid = tid;
            return response;
        }
        bool needsResponse() override { return true; }
        void handle(RequestHandler *handler) override { handler->handle(this); }
        Addr pAddr = 0;
        uint64_t size = 0;
        Addr iPtr = 0;
        uint32_t tid = 0;
    };
    class WriteResp : public ReadResp {
      public:
        void handle(RequestHandler *handler) override { handler->handle(this); }
    };
    class Write : public Request {
      public:
        Request *makeResponse() override { return new WriteResp; }
        bool needsResponse() override { return !posted; }
        void handle(RequestHandler *handler) override { handler->handle(this); }
        Addr pAddr = 0;
        uint64_t size = 0;
        std::vector<uint8_t> data;
        bool posted = false;
        Addr iPtr = 0;
        uint32_t tid = 0;
    };

    StandardMem(ComponentId_t id, Params &, TimeConverter *&, HandlerBase *&) : SubComponent(id) {}
    virtual void sendUntimedData(Request *req) = 0;
    virtual Request *recvUntimedData() = 0;
    virtual void send(Request *req) = 0;
    virtual Request *poll() = 0;
    virtual Addr getLineSize() = 0;
    virtual void setMemoryMappedAddressRegion(Addr start, Addr size) = 0;
};

} // namespace Interfaces
} // namespace SST

#endif
