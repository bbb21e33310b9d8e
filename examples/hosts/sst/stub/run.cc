/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a trace through the elements: cores send a request for each coalesced line of an instruction. */
#include "../../stub/drive.h"
#include "gpucache_sst.h"

#include <memory>

using namespace SST;
using Interfaces::StandardMem;

namespace {

/* Write and read as memHierarchy's standardCPU does in `init`: only the read has a response. */
uint64_t before_time(GpuCache::Interface &core, GpuCache::Memory &memory, const std::vector<uint8_t> &written,
                     uint64_t &answered) {
    uint64_t wrong = 0;
    auto *write = new StandardMem::Write;
    write->data = written;
    write->size = written.size();
    core.sendUntimedData(write);
    memory.init(0);
    auto *read = new StandardMem::Read;
    read->size = written.size();
    core.sendUntimedData(read);
    memory.init(1);
    while (StandardMem::Request *response = core.recvUntimedData()) {
        auto *bytes = dynamic_cast<StandardMem::ReadResp *>(response);
        wrong += !bytes || bytes->data != written;
        answered++;
        delete response;
    }
    return wrong;
}

void program(gpc_context *context, gpc_config *config, const char *source, int count, char **words) {
    gpc_launch launch = GPC_LAUNCH_INIT;
    uint64_t sms = 0;
    Params params;
    gpc_error error = GPC_ERROR_INIT;
    drive::check(gpc_config_get_u64(config, "sm.count", &sms, &error), error);
    std::vector<drive::Sm> all = drive::read_trace(context, source, static_cast<uint32_t>(sms), launch);
    params.values["preset"] = words[0];
    params.arrays["settings"].assign(words + 1, words + count);
    GpuCache::Memory memory(0, params);
    for (const auto &each : memory.statistics) {
        bool documented = false;
        for (const ElementInfoStatistic &one : GpuCache::Memory::ELI_getStatistics())
            documented |= each.first == one.name;
        if (!documented)
            memory.fatal(CALL_INFO, 1, "a registered statistic is not found in ELI\n");
    }
    TimeConverter time;
#if SST_STUB == 15
    SharedTime shared = &time;
#else
    SharedTime shared = time;
#endif
    std::vector<StandardMem::HandlerBase> handlers(sms);
    std::vector<std::unique_ptr<GpuCache::Interface>> cores;
    std::vector<uint8_t> written(256, 7);
    uint64_t wrong = 0;
    for (uint32_t sm = 0; sm < sms; sm++) {
        handlers[sm].call = [&, sm](StandardMem::Request *request) {
            if (auto *read = dynamic_cast<StandardMem::ReadResp *>(request)) {
                for (uint8_t byte : read->data)
                    wrong += byte != 0 && byte != 7;
                drive::done(all, sm, read->tid);
            }
            delete request;
        };
        cores.push_back(std::make_unique<GpuCache::Interface>(sm + 1, params, shared, &handlers[sm]));
        Link &above = cores[sm]->links["lowlink"], &below = memory.links["sm" + std::to_string(sm)];
        above.peer = &below;
        below.peer = &above;
    }
    uint64_t answered = 0;
    wrong += before_time(*cores[0], memory, written, answered);
    Cycle_t cycle = 0;
    const auto tick = [&] { memory.clock->call(cycle++); };
    tick(); /* a replay's first instruction issues in cycle 1 */
    drive::run(
        all,
        [&](const drive::Instruction &i) { /* lanes side by side: a range of bytes, of a line or two */
                                           const uint64_t first = i.addresses.front(),
                                                          size = i.addresses.back() + i.width - first;
                                           StandardMem::Request *request;
                                           if (i.kind == GPC_STORE) {
                                               auto *write = new StandardMem::Write;
                                               write->pAddr = first;
                                               write->size = size;
                                               write->data.assign(size, 7);
                                               write->iPtr = i.pc;
                                               write->tid = i.warp;
                                               request = write;
                                           } else {
                                               auto *read = new StandardMem::Read;
                                               read->pAddr = first;
                                               read->size = size;
                                               read->iPtr = i.pc;
                                               read->tid = i.warp;
                                               request = read;
                                           }
                                           cores[i.sm]->send(request);
                                           return true;
        },
        tick);
    while (!gpc_hierarchy_is_idle(memory.hierarchy()))
        tick();
    memory.finish();
    drive::print(memory.hierarchy());
    std::printf("answered_before_time %llu\n", static_cast<unsigned long long>(answered));
    std::printf("megahertz %d\n", std::stoi(memory.frequency)); /* without a parameter `clock` */
    std::printf("wrong_bytes %llu\n", static_cast<unsigned long long>(wrong));
    std::printf("alive %lld\n", static_cast<long long>(StandardMem::Request::alive));
    for (const auto &each : memory.statistics)
        std::printf("statistic.%s %llu\n", each.first.c_str(), static_cast<unsigned long long>(each.second.sum));
}

} // namespace

/* `--elements`: names of the elements, as an input file writes them. Otherwise as drive::main. */
int main(int argc, char **argv) {
    using GpuCache::Interface, GpuCache::Memory;
    if (argc == 2 && std::string(argv[1]) == "--elements") {
        std::printf("%s.%s\n", Memory::ELI_getLibrary().c_str(), Memory::ELI_getName().c_str());
        std::printf("%s.%s\n", Interface::ELI_getLibrary().c_str(), Interface::ELI_getName().c_str());
        return 0;
    }
    return drive::main(argc, argv, [&](gpc_context *context, gpc_config *config, const char *source) {
        program(context, config, source, argc - 2, argv + 2);
    });
}
