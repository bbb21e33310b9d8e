/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_SST_H
#define GPUCACHE_SST_H

/* In memHierarchy's place, for SST 15 and 16: `Interface`, a StandardMem per core, and `Memory`, linked to each. */
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <gpucache/gpucache.h>
#include <sst/core/component.h>
#include <sst/core/interfaces/stdMem.h>
#include <sst/core/output.h>

namespace SST::GpuCache {

using Interfaces::StandardMem;

/* A handler that calls `object`'s method: Event::Handler of SST 16, the same class as Event::Handler2 of SST 15. */
template <typename Of, auto method, typename Data = void, typename T, typename... Words>
auto handler(int, T *object, Words... data) -> typename Of::template Handler<T, method, Data> * {
    return new typename Of::template Handler<T, method, Data>(object, data...);
}
template <typename Of, auto method, typename Data = void, typename T, typename... Words>
auto handler(long, T *object, Words... data) -> typename Of::template Handler2<T, method, Data> * {
    return new typename Of::template Handler2<T, method, Data>(object, data...);
}

/* A request or a response between the two elements of one process. */
class RequestEvent : public Event {
  public:
    explicit RequestEvent(StandardMem::Request *req) : request(req) {}
    static StandardMem::Request *take(Event *event) {
        std::unique_ptr<RequestEvent> received(static_cast<RequestEvent *>(event));
        return received ? received->request : nullptr;
    }
    StandardMem::Request *request;
    NotSerializable(SST::GpuCache::RequestEvent)
};

class Interface : public StandardMem {
  public:
    SST_ELI_REGISTER_SUBCOMPONENT(Interface, "gpucache_sst", "Interface", SST_ELI_ELEMENT_VERSION(1, 0, 0),
                                  "StandardMem of a core over gpucache_sst.Memory", SST::Interfaces::StandardMem)
    SST_ELI_DOCUMENT_PARAMS({"line", "bytes of an L1 line", "128"})
    SST_ELI_DOCUMENT_PORTS({"lowlink", "Port sm%d of a gpucache_sst.Memory", {}})

    /* Time: TimeConverter * of SST 15, TimeConverter of SST 16. */
    template <typename Time>
    Interface(ComponentId_t id, Params &params, Time time, HandlerBase *called)
        : StandardMem(id, params, time, called), m_handler(called), m_line(params.find<Addr>("line", 128)) {
        m_link = configureLink("lowlink", TimeConverter(time),
                               called ? handler<Event, &Interface::receive>(0, this) : nullptr);
        if (!m_link)
            fatal(CALL_INFO, -1, "gpucache_sst.Interface: port lowlink has no link\n");
    }
    void send(Request *req) override { m_link->send(new RequestEvent(req)); }
    Request *poll() override { return RequestEvent::take(m_link->recv()); }
    void sendUntimedData(Request *req) override { m_link->sendUntimedData(new RequestEvent(req)); }
    Request *recvUntimedData() override { return RequestEvent::take(m_link->recvUntimedData()); }
    Addr getLineSize() override { return m_line; }
    void setMemoryMappedAddressRegion(Addr, Addr) override {}

  private:
    void receive(Event *event) { (*m_handler)(RequestEvent::take(event)); }
    HandlerBase *m_handler;
    Link *m_link;
    const Addr m_line;
};

/* The bytes: read and written when a request is done. */
class Store : public StandardMem::RequestHandler {
  public:
    using RequestHandler::RequestHandler;
    void handle(StandardMem::Read *r) override { bytes = r->size; }
    void handle(StandardMem::WriteResp *) override {}
    void handle(StandardMem::ReadResp *r) override {
        for (uint64_t i = 0; i < r->size; i++)
            r->data[i] = at(r->pAddr + i);
    }
    void handle(StandardMem::Write *r) override {
        bytes = r->size;
        for (uint64_t i = 0; i < r->size; i++)
            at(r->pAddr + i) = r->data[i];
    }
    uint64_t bytes = 0; /* size of the last Read or Write */

  private:
    uint8_t &at(uint64_t address) { return m_pages[address / 4096][address % 4096]; }
    std::unordered_map<uint64_t, std::array<uint8_t, 4096>> m_pages;
};

/* Lines of a Read or a Write for the hierarchy; further kinds of requests are errors of RequestHandler. */
class Ask : public StandardMem::RequestHandler {
  public:
    using RequestHandler::RequestHandler;
    void handle(StandardMem::Read *r) override { add(GPC_LOAD, *r); }
    void handle(StandardMem::Write *r) override { add(GPC_STORE, *r); }
    std::vector<gpc_request> lines;
    uint32_t sm = 0, line = 0;

  private:
    template <typename T> void add(gpc_kind kind, T &r) {
        for (uint64_t at = r.pAddr, end = r.pAddr + r.size; at < end; at += lines.back().size) {
            gpc_request one = {};
            one.address = at;
            one.size = static_cast<uint32_t>(at / line * line + line < end ? line - at % line : end - at);
            one.pc = r.iPtr;
            one.sm = sm;
            one.warp = r.tid;
            one.kind = static_cast<uint8_t>(kind);
            one.hint = r.getNoncacheable() ? GPC_HINT_CV : GPC_HINT_NONE;
            lines.push_back(one);
        }
    }
};

class Memory : public Component {
  public:
    SST_ELI_REGISTER_COMPONENT(Memory, "gpucache_sst", "Memory", SST_ELI_ELEMENT_VERSION(1, 0, 0),
                               "L1s, networks, L2 and DRAM of libgpucache", COMPONENT_CATEGORY_MEMORY)
    SST_ELI_DOCUMENT_PARAMS({"clock", "of the cores", "clock.core"}, {"preset", "of the library", "h100"},
                            {"settings", "[KEY=VALUE, ...] over the preset; sm.count: the ports", "[]"})
    SST_ELI_DOCUMENT_PORTS({"sm%(sm.count)d", "An Interface's lowlink", {}})
    /* Figures of each finished request; then counters of the library, from finish(), with '_' for the first '.'. */
    enum { READS, WRITES, BYTES, LATENCY, HITS, MISSES, COUNTERS };
    SST_ELI_DOCUMENT_STATISTICS({"reads", "", "requests", 1}, {"writes", "", "requests", 1},
                                {"bytes", "read and written", "bytes", 1}, {"latency", "until completion", "cycles", 1},
                                {"hits", "Reads, from L1", "requests", 1},
                                {"misses", "Reads, from below", "requests", 1}, {"l1_load_sectors", "", "32 bytes", 1},
                                {"l1_load_sector_hits", "", "32 bytes", 1}, {"l1_store_sectors", "", "32 bytes", 1},
                                {"l1_store_sector_hits", "", "32 bytes", 1}, {"l2_read_sectors", "", "32 bytes", 1},
                                {"l2_read_sector_hits", "", "32 bytes", 1}, {"l2_write_sectors", "", "32 bytes", 1},
                                {"l2_write_sector_hits", "", "32 bytes", 1}, {"dram_read_sectors", "", "32 bytes", 1},
                                {"dram_write_sectors", "", "32 bytes", 1})

    Memory(ComponentId_t id, Params &params) : Component(id) {
        gpc_config *config = nullptr;
        gpc_shape shape = GPC_SHAPE_INIT;
        gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
        uint64_t megahertz = 0;
        callbacks.user_data = this;
        callbacks.on_complete = onComplete;
        std::vector<std::string> settings;
        params.find_array<std::string>("settings", settings);
        settings.push_back("mode=timed");
        check(gpc_context_create(nullptr, &m_context, &m_error));
        check(gpc_config_create(m_context, &config, &m_error));
        check(gpc_config_load_preset(config, params.find<std::string>("preset", "h100").c_str(), &m_error));
        for (const std::string &pair : settings)
            check(gpc_config_set_pair(config, pair.c_str(), &m_error));
        check(gpc_hierarchy_create(m_context, config, &m_hierarchy, &m_error));
        check(gpc_hierarchy_set_callbacks(m_hierarchy, &callbacks, &m_error));
        check(gpc_hierarchy_begin_kernel(m_hierarchy, nullptr, &m_error));
        check(gpc_hierarchy_get_shape(m_hierarchy, &shape, &m_error));
        check(gpc_config_get_u64(config, "clock.core", &megahertz, &m_error));
        gpc_config_destroy(config);
        for (const ElementInfoStatistic &each : documented())
            m_statistics.push_back(registerStatistic<uint64_t>(each.name));
        m_ask.line = shape.l1_line;
        m_waiting.resize(shape.sms);
        for (int sm = 0; sm < static_cast<int>(shape.sms); sm++)
            m_links.push_back(
                configureLink("sm" + std::to_string(sm), handler<Event, &Memory::receive, int>(0, this, sm)));
        const std::string clock = std::to_string(megahertz) + "MHz";
        registerClock(params.find<std::string>("clock", clock), handler<Clock, &Memory::tick>(0, this));
    }
    ~Memory() override {
        gpc_hierarchy_destroy(m_hierarchy);
        gpc_context_destroy(m_context);
    }
    /* Writes and reads of the cores before time begins; only reads have a response, as with memHierarchy. */
    void init(unsigned) override {
        for (Link *link : m_links)
            while (StandardMem::Request *request = link ? RequestEvent::take(link->recvUntimedData()) : nullptr)
                if (RequestEvent *event = answer(request, dynamic_cast<StandardMem::Read *>(request)))
                    link->sendUntimedData(event);
    }
    void finish() override {
        for (size_t i = COUNTERS; i < m_statistics.size(); i++) {
            gpc_counter_info info = GPC_COUNTER_INFO_INIT;
            uint64_t value = 0;
            std::string name = documented()[i].name;
            name[name.find('_')] = '.';
            check(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name.c_str(), &info, &m_error));
            check(gpc_hierarchy_read(m_hierarchy, GPC_OBJECT_WHOLE, 0, &info.id, 1, &value, 1, &m_error));
            m_statistics[i]->addData(value);
        }
    }
    gpc_hierarchy *hierarchy() const { return m_hierarchy; }

  private:
    /* A copy: ELI_getStatistics writes its list at each call, and components of two threads are built together. */
    static const std::vector<ElementInfoStatistic> &documented() {
        static const std::vector<ElementInfoStatistic> all = ELI_getStatistics();
        return all;
    }
    gpc_status check(gpc_status status) {
        if (status < 0)
            m_output.fatal(CALL_INFO, -1, "%s: %s\n", gpc_status_string(status), m_error.message);
        return status;
    }
    void receive(Event *event, int sm) { m_waiting[sm].push_back(RequestEvent::take(event)); }

    /* Run a cycle of the cores: requests in order, per SM until a refusal; then the clock. */
    bool tick(Cycle_t) {
        for (size_t sm = 0; sm < m_waiting.size(); sm++)
            while (!m_waiting[sm].empty() && offer(static_cast<uint32_t>(sm), m_waiting[sm].front()))
                m_waiting[sm].pop_front();
        check(gpc_hierarchy_advance(m_hierarchy, 1, &m_error));
        return false; /* continue */
    }
    bool offer(uint32_t sm, StandardMem::Request *request) {
        m_ask.lines.clear();
        m_ask.sm = sm;
        request->handle(&m_ask);
        const auto count = static_cast<uint32_t>(m_ask.lines.size());
        const auto token = reinterpret_cast<uintptr_t>(request);
        return check(gpc_hierarchy_try_transactions(m_hierarchy, m_ask.lines.data(), count, token, nullptr,
                                                    &m_error)) == GPC_OK;
    }
    /* Read or write the bytes, and delete the request. */
    RequestEvent *answer(StandardMem::Request *request, bool wanted) {
        request->handle(&m_store);
        StandardMem::Request *response = wanted ? request->makeResponse() : nullptr;
        if (response)
            response->handle(&m_store);
        delete request;
        return response ? new RequestEvent(response) : nullptr;
    }
    static void onComplete(void *user_data, const gpc_completion *completion) {
        auto *self = static_cast<Memory *>(user_data);
        auto *request = reinterpret_cast<StandardMem::Request *>(static_cast<uintptr_t>(completion->token));
        RequestEvent *event = self->answer(request, request->needsResponse());
        self->m_statistics[completion->kind == GPC_LOAD ? READS : WRITES]->addData(1);
        self->m_statistics[BYTES]->addData(self->m_store.bytes);
        self->m_statistics[LATENCY]->addData(completion->cycle - completion->issued);
        if (completion->kind == GPC_LOAD)
            self->m_statistics[completion->level == 1 ? HITS : MISSES]->addData(1);
        if (event)
            self->m_links[completion->sm]->send(event);
    }

    Output m_output{"gpucache_sst: ", 1, 0, Output::STDERR};
    gpc_error m_error = GPC_ERROR_INIT;
    gpc_context *m_context = nullptr;
    gpc_hierarchy *m_hierarchy = nullptr;
    std::vector<Statistic<uint64_t> *> m_statistics;
    std::vector<Link *> m_links;
    std::vector<std::deque<StandardMem::Request *>> m_waiting; /* by SM: not in the hierarchy yet */
    Store m_store{&m_output};
    Ask m_ask{&m_output};
};

} // namespace SST::GpuCache

#endif
