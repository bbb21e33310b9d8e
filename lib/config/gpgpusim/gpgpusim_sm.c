/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/gpgpusim/gpgpusim_import.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Options of SMs: resident warps and blocks, issue, and latencies of instructions. */

/* Set the warps of an SM and the lanes of a warp from `threads:warp size`. */
static gpc_status apply_pipeline(const gpci_import *import) {
    uint64_t n[2];
    if (!GPCI_OPTION(PIPELINE)->given)
        return GPC_OK;
    if (!gpci_import_list(GPCI_OPTION(PIPELINE)->text, ':', n, 2, 2) || !n[1] || n[0] % n[1])
        return gpci_import_refuse(import, GPCI_OPTION_PIPELINE, GPC_ERROR_FORMAT,
                                  "is not threads:warp size, the first a multiple of the second");
    return GPCI_SET_NUMBERS(import, GPCI_OPTION_PIPELINE, {GPCI_KEY_SM_LANES, n[1]}, {GPCI_KEY_SM_WARPS, n[0] / n[1]});
}

/*
 * Set the blocks of an SM, and when a block's room is free. In shader_core_ctx::fetch a warp leaves after its stores
 * are acknowledged, and the block leaves with its last warp.
 */
static gpc_status apply_blocks(const gpci_import *import) {
    if (!GPCI_OPTION(BLOCKS)->given)
        return GPC_OK;
    const gpc_status status = gpci_import_copy(import, GPCI_OPTION_BLOCKS, GPCI_KEY_SM_BLOCKS);
    return status < 0 ? status : gpci_import_set(import, GPCI_OPTION_BLOCKS, GPCI_KEY_BLOCKS_RELEASE, "writes");
}

static gpc_status apply_occupancy(const gpci_import *import) {
    gpc_status status = apply_pipeline(import);
    /* 10 clusters of 3 cores are the simulator's defaults */
    gpci_option_id clusters = GPCI_OPTION(CLUSTERS)->given ? GPCI_OPTION_CLUSTERS : GPCI_OPTION_CORES;
    if (status == GPC_OK && import->options[clusters].given)
        status = gpci_import_set_number(import, clusters, GPCI_KEY_SM_COUNT,
                                        gpci_import_or(import, GPCI_OPTION_CLUSTERS, 10) *
                                            gpci_import_or(import, GPCI_OPTION_CORES, 3));
    if (status == GPC_OK)
        status = apply_blocks(import);
    /* shader_core_config::max_cta rounds registers per thread up to 4; warps are not rounded */
    if (status == GPC_OK && GPCI_OPTION(REGISTERS)->given)
        status = GPCI_SET_NUMBERS(
            import, GPCI_OPTION_REGISTERS, {GPCI_KEY_SM_REGISTERS, GPCI_OPTION(REGISTERS)->number},
            {GPCI_KEY_SM_REGISTER_UNIT, 4 * gpci_import_now(import, GPCI_KEY_SM_LANES)}, {GPCI_KEY_SM_WARP_UNIT, 1});
    if (status == GPC_OK && GPCI_OPTION(SHARED)->given)
        status = GPCI_SET_NUMBERS(import, GPCI_OPTION_SHARED, {GPCI_KEY_SM_SHARED, GPCI_OPTION(SHARED)->number},
                                  {GPCI_KEY_SM_SHARED_UNIT, 1}, {GPCI_KEY_SM_SHARED_RESERVED, 0});
    return status;
}

/* Read a clock like 1132.0, rounded to MHz; .5 goes up. Returns the text behind the clock; NULL: not a number. */
static const char *read_clock(const char *text, uint64_t *mhz) {
    const char *at = text;
    for (*mhz = 0; *at >= '0' && *at <= '9' && *mhz <= UINT32_MAX; at++)
        *mhz = *mhz * 10 + (uint64_t)(*at - '0');
    if (at == text)
        return NULL;
    if (*at == '.') {
        *mhz += at[1] >= '5' && at[1] <= '9';
        for (at++; *at >= '0' && *at <= '9'; at++)
            ;
    }
    return at;
}

/*
 * Network clock, with the width of the network's ports. If the file has no flit size (intersim has a separate file), a
 * port keeps its bandwidth in bytes per second.
 */
static gpc_status apply_network_clock(const gpci_import *import, uint64_t mhz) {
    static const gpci_key widths[] = {GPCI_KEY_NETWORK_WIDTH, GPCI_KEY_NETWORK_REPLY_WIDTH};
    const uint64_t before = gpci_import_now(import, GPCI_KEY_CLOCK_NETWORK);
    gpc_status status = gpci_import_set_number(import, GPCI_OPTION_CLOCKS, GPCI_KEY_CLOCK_NETWORK, mhz);
    for (int i = 0; i < 2 && status == GPC_OK && !GPCI_OPTION(NETWORK_FLIT)->given && mhz != before; i++) {
        const uint64_t bytes = (gpci_import_now(import, widths[i]) * before + mhz - 1) / mhz;
        status = gpci_import_set_number(import, GPCI_OPTION_CLOCKS, widths[i], bytes);
    }
    return status;
}

/* True if the text has only further clocks, or nothing: `:1620`, perhaps repeated. Forks have more than four clocks. */
static bool are_clocks(const char *at) {
    uint64_t mhz;
    while (at && *at == ':')
        at = read_clock(at + 1, &mhz);
    return at && !*at;
}

/* Set the clocks from `core:network:L2:DRAM`. GPGPU-Sim ignores further clocks (init_clock_domains). */
static gpc_status apply_clocks(const gpci_import *import) {
    static const gpci_key keys[] = {GPCI_KEY_CLOCK_CORE, GPCI_KEY_CLOCK_NETWORK, GPCI_KEY_CLOCK_L2,
                                    GPCI_KEY_CLOCK_DRAM};
    uint64_t mhz[4];
    const char *at = GPCI_OPTION(CLOCKS)->text;
    if (!GPCI_OPTION(CLOCKS)->given)
        return GPC_OK;
    for (int i = 0; i < 4; i++) {
        at = read_clock(at, &mhz[i]);
        if (!at || (i < 3 ? *at != ':' : !are_clocks(at)))
            return gpci_import_refuse(import, GPCI_OPTION_CLOCKS, GPC_ERROR_FORMAT,
                                      "is not core:network:L2:DRAM, each in MHz");
        at++;
    }
    if (at[-1])
        *import->clocks = (gpci_import_rest){GPCI_OPTION_CLOCKS, at, "has a clock beyond the four that are known"};
    gpc_status status = GPC_OK;
    for (int i = 0; i < 4 && status == GPC_OK; i++)
        status = i == 1 ? apply_network_clock(import, mhz[i])
                        : gpci_import_set_number(import, GPCI_OPTION_CLOCKS, keys[i], mhz[i]);
    return status;
}

/* Set the scheduler: `lrr`, `gto`, `old`, `two_level_active:warps:inner:outer` or `warp_limiting:inner:warps`. */
static gpc_status apply_scheduler(const gpci_import *import) {
    static const char two_level[] = "two_level_active:", limit[] = "warp_limiting:";
    const gpci_option_id option = GPCI_OPTION_SCHEDULER;
    const char *text = GPCI_OPTION(SCHEDULER)->text;
    uint64_t n[3];
    char name[48];
    if (!GPCI_OPTION(SCHEDULER)->given)
        return GPC_OK;
    if (!strcmp(text, "lrr") || !strcmp(text, "gto"))
        return gpci_import_set(import, option, GPCI_KEY_SCHEDULER, text);
    if (!strcmp(text, "old"))
        return gpci_import_set(import, option, GPCI_KEY_SCHEDULER, "oldest");
    if (!strncmp(text, two_level, strlen(two_level)) && gpci_import_list(text + strlen(two_level), ':', n, 3, 3)) {
        snprintf(name, sizeof name, "two-level(group=%" PRIu64 ")", n[0]);
        return gpci_import_set(import, option, GPCI_KEY_SCHEDULER, name);
    }
    if (!strncmp(text, limit, strlen(limit)) && gpci_import_list(text + strlen(limit), ':', n, 2, 2)) {
        gpc_status status = gpci_import_set(import, option, GPCI_KEY_SCHEDULER, "gto");
        return status < 0 ? status : gpci_import_set_number(import, option, GPCI_KEY_SM_WARP_LIMIT, n[1]);
    }
    return gpci_import_refuse(
        import, option, GPC_ERROR_UNSUPPORTED,
        "is none of lrr, gto, old, two_level_active:warps:inner:outer, warp_limiting:inner:warps");
}

#define COLLECTORS_MEMORY 2 /* the simulator's default */

/*
 * Set the properties of an SM that have no option in 3.x, and are constants in shader.cc. A fetch is decoded into an
 * instruction buffer of two, with a cycle each for fetch and decode. A branch's target is known with its issue. A
 * memory instruction passes ID_OC_MEM, a collector unit, OC_EX_MEM and the dispatch register; modelled if each register
 * holds one instruction. L1 hits in the cycle of its tags. The tags take an instruction's accesses from the last to the
 * first (process_memory_access_queue).
 */
static gpc_status apply_pipeline_of_3(const gpci_import *import, uint64_t collectors, bool single) {
    gpc_status status =
        GPCI_SET_NUMBERS(import, GPCI_OPTION_WIDTHS, {GPCI_KEY_SM_FETCH, 2}, {GPCI_KEY_SM_FETCH_LATENCY, 2},
                         {GPCI_KEY_SM_LATENCY_CONTROL, 1}, {GPCI_KEY_L1_COLLECTORS, single ? collectors : 0},
                         {GPCI_KEY_L1_ISSUE_LATENCY, single ? 0 : 4});
    if (status == GPC_OK)
        status = gpci_import_set(import, GPCI_OPTION_WIDTHS, GPCI_KEY_L1_LINE_ORDER, "descending");
    if (status == GPC_OK && !GPCI_OPTION(L1_LATENCY)->given)
        status = gpci_import_set_number(import, GPCI_OPTION_WIDTHS, GPCI_KEY_L1_LATENCY, 0);
    return status;
}

bool gpci_import_is_3(const gpci_import *import) {
    uint64_t n[16];
    const size_t count = GPCI_OPTION(WIDTHS)->given ? gpci_import_list(GPCI_OPTION(WIDTHS)->text, ',', n, 7, 16) : 0;
    return count && count < 11;
}

/*
 * Set the length of L1's queue from the widths: numbers of registers between the pipeline's stages. In 3.x,
 * instructions waiting for the memory unit stand in the registers from ID to its operand collectors, in the collectors,
 * in the registers from the collectors to EX, and one in its dispatch register. Later releases may share the unit's
 * collectors with other units, and only the first registers count.
 */
static gpc_status apply_widths(const gpci_import *import) {
    uint64_t n[16];
    size_t count = 0;
    if (!GPCI_OPTION(WIDTHS)->given)
        return GPC_OK;
    count = gpci_import_list(GPCI_OPTION(WIDTHS)->text, ',', n, 7, 16);
    if (!count)
        return gpci_import_refuse(import, GPCI_OPTION_WIDTHS, GPC_ERROR_FORMAT, "is not a list of 7 to 16 widths");
    /* units in the order of the widths; 3.x: SP, SFU, MEM; later: SP, DP, INT, SFU, MEM */
    const uint64_t collectors = gpci_import_or(import, GPCI_OPTION_COLLECTORS_MEMORY, COLLECTORS_MEMORY);
    gpc_status status = gpci_import_set_number(import, GPCI_OPTION_WIDTHS, GPCI_KEY_L1_QUEUE,
                                               count < 11 ? n[2] + collectors + n[5] + 1 : n[4]);
    if (status == GPC_OK) /* shader_core_ctx::issue begins with another scheduler each cycle; in 3.x with the first */
        status = gpci_import_set(import, GPCI_OPTION_WIDTHS, GPCI_KEY_SM_MEMORY_ORDER, count < 11 ? "fixed" : "turns");
    if (status == GPC_OK && count >= 11)
        return gpci_import_set_number(import, GPCI_OPTION_WIDTHS, GPCI_KEY_L1_COLLECTORS, 0);
    return status < 0 ? status : apply_pipeline_of_3(import, collectors, n[2] == 1 && n[5] == 1 && collectors);
}

static gpc_status apply_issue(const gpci_import *import) {
    gpc_status status = apply_clocks(import);
    if (status == GPC_OK)
        status = apply_scheduler(import);
    if (status == GPC_OK)
        status = apply_widths(import);
    if (status == GPC_OK)
        status = gpci_import_copy(import, GPCI_OPTION_SCHEDULERS, GPCI_KEY_SM_SCHEDULERS);
    if (status == GPC_OK)
        status = gpci_import_copy(import, GPCI_OPTION_ISSUE, GPCI_KEY_SM_ISSUE);
    if (status == GPC_OK)
        status = gpci_import_copy(import, GPCI_OPTION_LAUNCH, GPCI_KEY_LAUNCH_CYCLES);
    if (status == GPC_OK && GPCI_OPTION(BLOCK_LAUNCH)->number)
        status = gpci_import_refuse(import, GPCI_OPTION_BLOCK_LAUNCH, GPC_ERROR_UNSUPPORTED,
                                    "makes a launch longer by its blocks");
    return status;
}

gpc_status gpci_import_sm(const gpci_import *import) {
    gpc_status status = apply_occupancy(import);
    if (status == GPC_OK)
        status = apply_issue(import);
    return status < 0 ? status : gpci_import_classes(import);
}
