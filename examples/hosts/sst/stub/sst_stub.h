/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SST_STUB_H
#define SST_STUB_H

/*
 * Part of sst-core used by the elements: names, signatures and deprecations of the headers stdMem, timeConverter,
 * baseComponent, ssthandler, event, clock, link, params, output, statsInfo and statbase in src/sst/core of v15.1.2_Final
 * (f51ff346; SST_STUB 15) and v16.0.0_Final (ffd71527; SST_STUB 16). The test's implementation: one clock, links without
 * latency and with immediate delivery, statistics that add.
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

#define SST_ELI_REGISTER(library, element)      \
    static const std::string ELI_getLibrary() { \
        return library;                         \
    }                                           \
    static const std::string ELI_getName() {    \
        return element;                         \
    }
#define SST_ELI_REGISTER_SUBCOMPONENT(type, library, element, version, text, api) SST_ELI_REGISTER(library, element)
#define SST_ELI_REGISTER_COMPONENT(type, library, element, version, text, category) SST_ELI_REGISTER(library, element)
#define SST_ELI_DOCUMENT_PORTS(...)
#define SST_ELI_DOCUMENT_PARAMS(...)
#define SST_ELI_DOCUMENT_STATISTICS(...)                                         \
    static const std::vector<SST::ElementInfoStatistic> &ELI_getStatistics() {   \
        static const std::vector<SST::ElementInfoStatistic> all = {__VA_ARGS__}; \
        return all;                                                              \
    }
#define NotSerializable(...)
#define CALL_INFO __LINE__, __FILE__, __FUNCTION__

namespace SST {

typedef uint64_t ComponentId_t;
typedef uint64_t Cycle_t;

struct ElementInfoStatistic {
    const char *name, *description, *units;
    const uint8_t enable_level;
};

namespace Statistics {

/* An accumulator. */
template <typename T> class Statistic {
  public:
    void addData(T value) {
        sum += value;
        count++;
    }
    T sum = 0;
    uint64_t count = 0;
};

} // namespace Statistics

class TimeConverter {
  public:
    TimeConverter() {}
#if SST_STUB == 15
    TimeConverter(TimeConverter *tc) : factor(tc->factor) {}
    TimeConverter(std::nullptr_t) {}
#else
    TimeConverter(const std::string &) {}
#endif

  private:
    uint64_t factor = 1;
};

#if SST_STUB == 15
typedef TimeConverter *SharedTime;
#else
typedef TimeConverter SharedTime;
#endif

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

template <typename returnT, typename argT> struct SSTHandlerBase {
    std::function<returnT(argT)> call;
    returnT operator()(argT arg) { return call(arg); }
};

/* SSTHandler2 of 15, which 16 calls SSTHandler. */
template <typename returnT, typename argT, typename classT, typename dataT, auto funcT>
struct MethodHandler : SSTHandlerBase<returnT, argT> {
    MethodHandler(classT *object, dataT data) {
        this->call = [object, data](argT arg) { return (object->*funcT)(arg, data); };
    }
};
template <typename returnT, typename argT, typename classT, auto funcT>
struct MethodHandler<returnT, argT, classT, void, funcT> : SSTHandlerBase<returnT, argT> {
    explicit MethodHandler(classT *object) {
        this->call = [object](argT arg) { return (object->*funcT)(arg); };
    }
};

/* Handler and Handler2 of Event and Clock. */
template <typename returnT, typename argT> struct Handlers {
    using HandlerBase = SSTHandlerBase<returnT, argT>;
#if SST_STUB == 15
    template <typename classT, typename dataT = void> using Handler [[deprecated]] = HandlerBase;
    template <typename classT, auto funcT, typename dataT = void>
    using Handler2 = MethodHandler<returnT, argT, classT, dataT, funcT>;
#else
    template <typename classT, auto funcT, typename dataT = void>
    using Handler = MethodHandler<returnT, argT, classT, dataT, funcT>;
    template <typename classT, auto funcT, typename dataT = void>
    using Handler2 [[deprecated]] = MethodHandler<returnT, argT, classT, dataT, funcT>;
#endif
};

class Event : public Handlers<void, Event *> {
  public:
    virtual ~Event() {}
};

struct Clock : Handlers<bool, Cycle_t> {};

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
    template <typename T> using Statistic = Statistics::Statistic<T>;

    virtual ~BaseComponent() {
        for (auto &each : links)
            delete each.second.handler;
    }
    virtual void init(unsigned) {}
    virtual void finish() {}
    Link *configureLink(const std::string &name, TimeConverter, Event::HandlerBase *handler = nullptr) {
        return configureLink(name, handler);
    }
#if SST_STUB == 15
    [[deprecated]] Link *configureLink(const std::string &name, TimeConverter *, Event::HandlerBase *handler) {
        return configureLink(name, handler);
    }
#endif
    Link *configureLink(const std::string &name, Event::HandlerBase *handler = nullptr) {
        links[name].handler = handler;
        return &links[name];
    }
    template <typename T> Statistic<T> *registerStatistic(const std::string &name) {
        return &statistics[name];
    }
    [[noreturn]] void fatal(uint32_t, const char *, const char *, int exit_code, const char *text) const {
        std::fputs(text, stderr);
        std::exit(exit_code & 0xff);
    }
    std::map<std::string, Link> links;
    std::map<std::string, Statistic<uint64_t>> statistics;
};

class Component : public BaseComponent {
  public:
    explicit Component(ComponentId_t) {}
    ~Component() override { delete clock; }
    SharedTime registerClock(const std::string &freq, Clock::HandlerBase *handler) {
        frequency = freq;
        clock = handler;
        return {};
    }
    Clock::HandlerBase *clock = nullptr;
    std::string frequency;
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
    using HandlerBase = SSTHandlerBase<void, Request *>;

    class Request {
      public:
        Request() { alive++; }
        virtual ~Request() { alive--; }
        static inline int64_t alive = 0; /* test's count: the receiver of a request deletes the request */
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
    class WriteResp : public Request {
      public:
        Request *makeResponse() override { return nullptr; }
        bool needsResponse() override { return false; }
        void handle(RequestHandler *handler) override { handler->handle(this); }
        Addr pAddr = 0;
        uint64_t size = 0;
        uint32_t tid = 0;
    };
    class Write : public Request {
      public:
        Request *makeResponse() override {
            auto *response = new WriteResp;
            response->pAddr = pAddr;
            response->size = size;
            response->tid = tid;
            return response;
        }
        bool needsResponse() override { return !posted; }
        void handle(RequestHandler *handler) override { handler->handle(this); }
        Addr pAddr = 0;
        uint64_t size = 0;
        std::vector<uint8_t> data;
        bool posted = false;
        Addr iPtr = 0;
        uint32_t tid = 0;
    };

#if SST_STUB == 15
    StandardMem(ComponentId_t id, Params &, TimeConverter *&, HandlerBase *&) : SubComponent(id) {}
#else
    StandardMem(ComponentId_t id, Params &, TimeConverter, HandlerBase *&) : SubComponent(id) {}
#endif
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
