/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sampling/sampling.h"

#include "base/array.h"
#include "level/access/local_memory.h"
#include "trace/rewind.h"
#include "trace/windows.h"

#include <math.h>
#include <string.h>

/*
 * Groups of similar launches. The features of a launch come from its first sample.look blocks, and do not depend on the
 * configuration. Then the trace is rewound, so that the launch can run. A launch joins the first group with a similar
 * first launch, or begins a new group.
 */

#define LINE_SHIFT 7u /* lines of 128 bytes, independent of the caches' line size */
#define SECTOR_SHIFT 5u

typedef struct look {
    gpci_features features;
    uint64_t looked_at, warps, instructions, accesses, lanes, sectors;
} look;

/*
 * Count the sector of an address if the sector differs from the sector of the lane before (`last`). Put the line into
 * the set of touched lines.
 */
static gpc_status look_at_address(gpc_replay *replay, uint64_t address, uint64_t *last, look *looked) {
    const uint64_t sector = address >> SECTOR_SHIFT;
    if (sector == *last)
        return GPC_OK;
    *last = sector;
    looked->sectors++;
    return gpci_map_at(replay->context, &replay->sampling->lines, address >> LINE_SHIFT) ? GPC_OK : GPC_ERROR_MEMORY;
}

/* Address of a word of local memory. A warp's words at the same offset are adjacent; warps share no line. */
#define WARP_SHIFT 8u
#define WORD_SHIFT 28u
static uint64_t local_word(const look *looked, uint64_t offset, uint32_t lane) {
    return GPCI_LOCAL_MEMORY | offset / 4 << WORD_SHIFT | looked->warps << WARP_SHIFT | lane * 4;
}

static gpc_status look_at_access(gpc_replay *replay, const gpc_instruction *instruction, look *looked) {
    const gpci_windows windows = gpci_windows_of(&replay->kernel);
    const bool mixed = instruction->space == GPC_SPACE_MIXED;
    const uint32_t words = instruction->space == GPC_SPACE_GLOBAL ? 1 : gpci_local_words(instruction->width);
    gpc_status status = GPC_OK;
    looked->accesses++;
    looked->features.values[GPCI_FEATURE_KIND + instruction->kind]++;
    for (uint32_t word = 0; word < words; word++) {
        const uint64_t *address = instruction->addresses;
        uint64_t last = UINT64_MAX;
        for (uint64_t mask = instruction->mask; mask && status == GPC_OK; mask &= mask - 1, address++) {
            const gpc_space space = mixed ? gpci_window_at(&windows, *address) : instruction->space;
            if (space == GPC_SPACE_LOCAL)
                status = look_at_address(
                    replay, local_word(looked, gpci_window_offset(&windows, *address) + 4 * word, gpci_lowest(mask)),
                    &last, looked);
            else if (space == GPC_SPACE_GLOBAL && !word)
                status = look_at_address(replay, *address, &last, looked);
        }
    }
    return status;
}

static gpc_status look_at_warp(gpc_replay *replay, const gpc_warp *warp, look *looked) {
    gpc_status status = GPC_OK;
    looked->warps++;
    for (uint64_t n = 0; n < warp->count && status == GPC_OK; n++) {
        const gpc_instruction *instruction = &warp->instructions[n];
        looked->instructions++;
        looked->lanes += gpci_popcount(instruction->mask);
        looked->features.values[GPCI_FEATURE_CLASS + instruction->op_class]++;
        if (!gpci_map_at(replay->context, &replay->sampling->pcs, instruction->pc))
            return GPC_ERROR_MEMORY;
        if (instruction->op_class != GPC_OP_MEMORY)
            continue;
        if (instruction->addresses && (instruction->space <= GPC_SPACE_LOCAL || instruction->space == GPC_SPACE_MIXED))
            status = look_at_access(replay, instruction, looked);
        else
            looked->features.values[GPCI_FEATURE_SHARED]++;
    }
    return status;
}

static void finish_look(const gpc_replay *replay, look *looked) {
    double *values = looked->features.values, blocks = (double)looked->looked_at,
           instructions = (double)looked->instructions;
    values[GPCI_FEATURE_LANES] = (double)looked->lanes / replay->kernel.warp_lanes;
    for (unsigned n = 0; n < GPCI_FEATURE_SHARES && looked->instructions; n++)
        values[n] /= instructions;
    values[GPCI_FEATURE_STATIC] = (double)replay->sampling->pcs.count;
    if (looked->accesses)
        values[GPCI_FEATURE_SECTORS] = (double)looked->sectors / (double)looked->accesses;
    if (!looked->looked_at)
        return;
    values[GPCI_FEATURE_INSTRUCTIONS] = instructions / blocks;
    values[GPCI_FEATURE_WARPS] = (double)looked->warps / blocks;
    values[GPCI_FEATURE_LINES] = (double)replay->sampling->lines.count / blocks;
}

/* Compute the features of a launch from its first blocks, and rewind the trace. */
static gpc_status look_at_launch(gpc_replay *replay, look *looked, gpc_error *error) {
    gpci_sampling *sampling = replay->sampling;
    gpc_status status = GPC_OK;
    memset(looked, 0, sizeof *looked);
    gpci_map_clear(&sampling->pcs);
    gpci_map_clear(&sampling->lines);
    while (looked->looked_at < sampling->look && status == GPC_OK) {
        const gpc_block *block;
        status = gpc_trace_next_block(replay->trace, &block, error);
        if (status != GPC_OK)
            break;
        looked->looked_at++;
        for (uint32_t w = 0; w < block->warp_count && status == GPC_OK; w++)
            status = look_at_warp(replay, &block->warps[w], looked);
        gpc_trace_release_block(replay->trace, block);
        if (status == GPC_ERROR_MEMORY)
            return gpci_out_of_memory(error);
    }
    finish_look(replay, looked);
    return status < 0 || !sampling->look ? status : gpci_trace_rewind(replay->trace, &replay->kernel, error);
}

static bool alike(const gpci_features *left, const gpci_features *right, double distance) {
    for (unsigned n = 0; n < GPCI_FEATURE_COUNT; n++) {
        double x = left->values[n], y = right->values[n];
        double scale = n < GPCI_FEATURE_SHARES ? 1 : x > y ? x : y;
        if (fabs(x - y) > distance * scale)
            return false;
    }
    return true;
}

static uint64_t hash_text(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_of(const gpc_kernel *kernel) {
    uint64_t state = hash_text(kernel->name);
    const uint64_t numbers[] = {kernel->grid[0],  kernel->grid[1],  kernel->grid[2],   kernel->block[0],
                                kernel->block[1], kernel->block[2], kernel->registers, kernel->shared_bytes};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        state ^= numbers[n];
        state = gpci_random(&state);
    }
    return state;
}

static gpc_status group_of(gpc_replay *replay, const look *looked, uint32_t *out, gpc_error *error) {
    gpci_sampling *sampling = replay->sampling;
    uint64_t name = hash_of(&replay->kernel);
    for (*out = 0; *out < sampling->group_count; (*out)++)
        if (sampling->groups[*out]->name == name &&
            alike(&sampling->groups[*out]->features, &looked->features, sampling->distance))
            return GPC_OK;
    gpci_alike *group = gpci_zalloc(replay->context, 1, sizeof *group);
    if (!group ||
        !GPCI_ARRAY_RESERVE(replay->context, sampling->groups, sampling->group_capacity, sampling->group_count, 1)) {
        gpci_free(replay->context, group);
        return gpci_out_of_memory(error);
    }
    group->name = name;
    group->features = looked->features;
    sampling->groups[sampling->group_count++] = group;
    return GPC_OK;
}

/*
 * True if the next launch of a group is timed: the first sample.launches launches, and then one launch, drawn at
 * random, of every sample.every launches.
 */
static bool is_timed(const gpc_replay *replay, uint32_t number) {
    const gpci_sampling *sampling = replay->sampling;
    gpci_alike *group = sampling->groups[number];
    if (group->launches < sampling->launches)
        return true;
    if (!sampling->every)
        return false;
    uint64_t place = (group->launches - sampling->launches) % sampling->every;
    uint64_t state = replay->context->seed ^ gpci_hash((uint64_t)number << 32 ^ (group->launches - place));
    if (!place)
        group->place = gpci_random_below(&state, (uint32_t)sampling->every);
    return place == group->place;
}

gpc_status gpci_launch_choose(gpc_replay *replay, bool *out_timed, gpc_error *error) {
    look looked;
    uint32_t group;
    gpc_status status = look_at_launch(replay, &looked, error);
    if (status == GPC_OK)
        status = group_of(replay, &looked, &group, error);
    if (status != GPC_OK)
        return status;
    replay->sampling->of_last.group = group;
    *out_timed = is_timed(replay, group);
    return GPC_OK;
}

void gpci_alike_units(const gpci_alike *group, gpci_units *units) {
    *units = group->units;
    if (units->count < 2)
        gpci_units_add(units, &group->first, 1);
}
