/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOSTS_STUB_DRIVE_H
#define HOSTS_STUB_DRIVE_H

/*
 * Common part of the simulators' stubs: a trace's instructions, SMs with in-order issue, and the final figures of the
 * hierarchy, one per line. An SM offers an instruction per cycle, from the first warp without a load in flight; block b
 * is on SM b modulo sm.count. The stubs need no further core model.
 */
#include <gpucache/gpucache.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace drive {

struct Instruction {
    uint64_t pc, mask;
    std::vector<uint64_t> addresses; // an address for each set bit of mask
    uint32_t width, sm, warp, block;
    uint8_t kind, space, hint;
};

struct Warp {
    std::vector<Instruction> instructions;
    size_t next = 0;
    unsigned loads = 0; // under way
};

using Sm = std::vector<Warp>;

inline void check(gpc_status status, const gpc_error &error) {
    if (status < 0)
        throw std::runtime_error(std::string(gpc_status_string(status)) + ": " + error.message);
}

/* A configuration from `PRESET [KEY=VALUE]...`. */
inline gpc_config *configure(gpc_context *context, int count, char **words) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = nullptr;
    check(gpc_config_create(context, &config, &error), error);
    for (int i = 0; i < count; i++)
        check(i ? gpc_config_set_pair(config, words[i], &error) : gpc_config_load_preset(config, words[0], &error),
              error);
    return config;
}

/* Memory instructions of a trace's first kernel, by SM and warp, and the kernel's needs of an SM. */
inline std::vector<Sm> read_trace(gpc_context *context, const char *source, uint32_t sms, gpc_launch &launch) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace = nullptr;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block = nullptr;
    std::vector<Sm> all(sms);
    check(gpc_trace_open(context, source, &trace, &error), error);
    check(gpc_trace_next_kernel(trace, &kernel, &error), error);
    launch.threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    launch.registers = kernel.registers;
    launch.shared_bytes = kernel.shared_bytes;
    for (gpc_status status; (status = gpc_trace_next_block(trace, &block, &error)) != GPC_END;) {
        check(status, error);
        Sm &sm = all[block->index % sms];
        for (uint32_t w = 0; w < block->warp_count; w++) {
            sm.emplace_back();
            for (uint64_t n = 0; n < block->warps[w].count; n++) {
                const gpc_instruction &i = block->warps[w].instructions[n];
                if (i.op_class != GPC_OP_MEMORY || !i.mask || i.space > GPC_SPACE_LOCAL)
                    continue;
                const size_t lanes = static_cast<size_t>(__builtin_popcountll(i.mask));
                sm.back().instructions.push_back({i.pc,
                                                  i.mask,
                                                  {i.addresses, i.addresses + lanes},
                                                  i.width,
                                                  block->index % sms,
                                                  static_cast<uint32_t>(sm.size() - 1),
                                                  block->index,
                                                  i.kind,
                                                  i.space,
                                                  i.hint});
            }
        }
        gpc_trace_release_block(trace, block);
    }
    gpc_trace_close(trace);
    return all;
}

/*
 * Run until every instruction is issued and done. `offer(instruction)` returns true if the simulator takes the
 * instruction. `cycle()` runs a cycle of the simulator and reports finished instructions by `done`.
 */
template <typename Offer, typename Cycle> void run(std::vector<Sm> &all, Offer offer, Cycle cycle) {
    for (bool left = true; left; cycle()) {
        left = false;
        for (Sm &sm : all) {
            bool offered = false;
            for (Warp &warp : sm) {
                const bool has = warp.next < warp.instructions.size();
                left |= has || warp.loads;
                if (!has || warp.loads || offered)
                    continue;
                offered = true;
                const Instruction &i = warp.instructions[warp.next];
                if (!offer(i))
                    continue;
                warp.next++;
                warp.loads += i.kind == GPC_LOAD || i.kind == GPC_ATOMIC;
            }
        }
    }
}

inline void done(std::vector<Sm> &all, uint32_t sm, uint32_t warp) {
    all[sm][warp].loads--;
}

/* A hierarchy, and the instructions of the SMs, at the beginning of the kernel. */
struct Machine {
    gpc_context *context;
    gpc_hierarchy *hierarchy = nullptr;
    gpc_shape shape = GPC_SHAPE_INIT;
    std::vector<Sm> sms;

    Machine(gpc_context *owner, gpc_config *config, const char *source) : context(owner) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_launch launch = GPC_LAUNCH_INIT;
        check(gpc_hierarchy_create(context, config, &hierarchy, &error), error);
        check(gpc_hierarchy_get_shape(hierarchy, &shape, &error), error);
        sms = read_trace(context, source, shape.sms, launch);
        check(gpc_hierarchy_begin_kernel(hierarchy, &launch, &error), error);
        check(gpc_hierarchy_get_shape(hierarchy, &shape, &error), error);
    }
    ~Machine() { gpc_hierarchy_destroy(hierarchy); }
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;
};

/* Print every measured counter. */
inline void print(const gpc_hierarchy *hierarchy) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    std::printf("now %llu\n", static_cast<unsigned long long>(gpc_hierarchy_now(hierarchy)));
    for (size_t i = 0; gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, nullptr) == GPC_OK; i++) {
        gpc_error error = GPC_ERROR_INIT;
        uint64_t value = GPC_ABSENT;
        if (info.values == 1)
            check(gpc_hierarchy_read(hierarchy, GPC_OBJECT_WHOLE, 0, &info.id, 1, &value, 1, &error), error);
        if (value != GPC_ABSENT)
            std::printf("%s %llu\n", info.name, static_cast<unsigned long long>(value));
    }
}

/* `main` of every stub. */
template <typename Program> int main(int argc, char **argv, Program program) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s SOURCE PRESET [KEY=VALUE]...\n", argv[0]);
        return 2;
    }
    try {
        gpc_error error = GPC_ERROR_INIT;
        gpc_context *context = nullptr;
        check(gpc_context_create(nullptr, &context, &error), error);
        gpc_config *config = configure(context, argc - 2, argv + 2);
        program(context, config, argv[1]);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    return 0;
}

} // namespace drive

#endif
