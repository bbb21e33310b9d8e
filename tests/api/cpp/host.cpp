/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/observe.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <gpucache/gpucache.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

/* A C++ host: a hierarchy, a recording of it and a replay; what is moved, given away and refused. */

static void expect(bool good, const char *what) {
    if (!good) {
        std::printf("not so: %s\n", what);
        std::exit(1);
    }
}

static_assert(!std::is_copy_constructible_v<gpucache::Hierarchy>);
static_assert(std::is_nothrow_move_constructible_v<gpucache::Hierarchy>);
static_assert(sizeof(gpucache::Trace) == sizeof(gpc_trace *));

static void drive(gpucache::Hierarchy &memory) {
    std::array<uint64_t, 32> addresses{};
    for (std::size_t lane = 0; lane < addresses.size(); lane++)
        addresses[lane] = 4 * lane;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 0xffffffff;
    access.addresses = addresses.data();
    access.width = 4;
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    for (int n = 0; n < 2; n++)
        gpucache::checked(gpc_hierarchy_access(memory, &access, &result, NULL));
    expect(result.l1_sector_hits == 4, "the second access hits");
}

static void replay(gpc_context *context, gpucache::Config &config, const char *path) {
    gpucache::call(gpc_config_set, config, "warps.order", "recorded");
    gpucache::Replay replay(context, config);
    gpucache::Trace trace(context, path);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const uint32_t id = GPC_ID_l1_load_sector_hits;
    uint64_t hits = 0;
    expect(gpucache::call(gpc_replay_kernel, replay, trace, &kernel) == GPC_OK, "a kernel");
    gpucache::call(gpc_replay_read, replay, GPC_OBJECT_WHOLE, 0u, &id, 1u, &hits, 1u);
    expect(hits == 4, "it hits as it did");
    expect(gpucache::call(gpc_replay_kernel, replay, trace, &kernel) == GPC_END, "there is one");
}

static void refused(gpc_context *context) {
    try {
        gpucache::Trace trace(context, "no/such/file");
        expect(false, "a trace of nothing");
    } catch (const gpucache::Error &error) {
        expect(error.status() == GPC_ERROR_NOT_FOUND, "the status");
        expect(std::string(error.what()).find("no/such/file") != std::string::npos, "the sentence names the file");
    }
}

int main(int count, char **arguments) {
    expect(count == 2, "host FILE");
    gpucache::Context context(nullptr);
    gpucache::Config config(context);
    gpucache::call(gpc_config_load_preset, config, "gtx480");
    gpucache::Hierarchy memory(context, config);
    gpucache::call(gpc_hierarchy_record, memory, arguments[1]);
    drive(memory);
    auto copy = gpucache::make<gpucache::Hierarchy>(gpc_hierarchy_copy, memory);
    expect(copy.get() && copy.get() != memory.get(), "a copy");
    gpucache::call(gpc_hierarchy_record_end, memory);
    replay(context, config, arguments[1]);
    std::vector<gpucache::Hierarchy> kept;
    kept.push_back(std::move(memory));
    expect(!memory && kept[0], "it was moved");
    gpc_hierarchy_destroy(copy.release());
    expect(!copy, "it was given away");
    refused(context);
    std::puts("good");
    return 0;
}
