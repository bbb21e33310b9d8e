/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sampling/sampling.h"

#include "base/array.h"
#include "level/access/local_memory.h"
#include "trace/rewind.h"
#include "trace/windows.h"

#include <math.h>
#include <string.h>

/*
 * Groups of similar launches. The features of a launch do not depend on the machine and come from its first blocks; if
 * the launch runs, these blocks are read again. A launch joins the first group whose first launch is similar.
 */

#define LINE_SHIFT 7u /* lines of 128 bytes, independent of the caches' line size */
#define SECTOR_SHIFT 5u

typedef struct look {
    gpci_features f;
    uint64_t looked_at, warps, instructions, accesses, lanes, sectors;
} look;

/* Count a sector if it differs from the last (lanes ascend), and a line if no earlier block touched it. */
static gpc_status look_at_address(gpc_replay *r, uint64_t address, uint64_t *last, look *l) {
    const uint64_t sector = address >> SECTOR_SHIFT;
    if (sector == *last)
        return GPC_OK;
    *last = sector;
    l->sectors++;
    return gpci_map_at(r->context, &r->sampling->lines, address >> LINE_SHIFT) ? GPC_OK : GPC_ERROR_MEMORY;
}

/* Address of a word of local memory: every warp has its own words, and lanes are adjacent. */
#define WARP_SHIFT 8u
#define WORD_SHIFT 28u
static uint64_t local_word(const look *l, uint64_t offset, uint32_t lane) {
    return GPCI_LOCAL_MEMORY | offset / 4 << WORD_SHIFT | l->warps << WARP_SHIFT | lane * 4;
}

static gpc_status look_at_access(gpc_replay *r, const gpc_instruction *i, look *l) {
    const gpci_windows windows = gpci_windows_of(&r->kernel);
    const bool mixed = i->space == GPC_SPACE_MIXED;
    const uint32_t words = i->space == GPC_SPACE_GLOBAL ? 1 : gpci_local_words(i->width);
    gpc_status status = GPC_OK;
    l->accesses++;
    l->f.values[GPCI_FEATURE_KIND + i->kind]++;
    for (uint32_t word = 0; word < words; word++) {
        const uint64_t *address = i->addresses;
        uint64_t last = UINT64_MAX;
        for (uint64_t mask = i->mask; mask && status == GPC_OK; mask &= mask - 1, address++) {
            const gpc_space space = mixed ? gpci_window_at(&windows, *address) : i->space;
            if (space == GPC_SPACE_LOCAL)
                status = look_at_address(
                    r, local_word(l, gpci_window_offset(&windows, *address) + 4 * word, gpci_lowest(mask)), &last, l);
            else if (space == GPC_SPACE_GLOBAL && !word)
                status = look_at_address(r, *address, &last, l);
        }
    }
    return status;
}

static gpc_status look_at_warp(gpc_replay *r, const gpc_warp *warp, look *l) {
    gpc_status status = GPC_OK;
    l->warps++;
    for (uint64_t n = 0; n < warp->count && status == GPC_OK; n++) {
        const gpc_instruction *i = &warp->instructions[n];
        l->instructions++;
        l->lanes += gpci_popcount(i->mask);
        l->f.values[GPCI_FEATURE_CLASS + i->op_class]++;
        if (!gpci_map_at(r->context, &r->sampling->pcs, i->pc))
            return GPC_ERROR_MEMORY;
        if (i->op_class != GPC_OP_MEMORY)
            continue;
        if (i->addresses && (i->space <= GPC_SPACE_LOCAL || i->space == GPC_SPACE_MIXED))
            status = look_at_access(r, i, l);
        else
            l->f.values[GPCI_FEATURE_SHARED]++;
    }
    return status;
}

static void finish_look(const gpc_replay *r, look *l) {
    double *values = l->f.values, blocks = (double)l->looked_at, instructions = (double)l->instructions;
    values[GPCI_FEATURE_LANES] = (double)l->lanes / r->kernel.warp_lanes;
    for (unsigned n = 0; n < GPCI_FEATURE_SHARES && l->instructions; n++)
        values[n] /= instructions;
    values[GPCI_FEATURE_STATIC] = (double)r->sampling->pcs.count;
    if (l->accesses)
        values[GPCI_FEATURE_SECTORS] = (double)l->sectors / (double)l->accesses;
    if (!l->looked_at)
        return;
    values[GPCI_FEATURE_INSTRUCTIONS] = instructions / blocks;
    values[GPCI_FEATURE_WARPS] = (double)l->warps / blocks;
    values[GPCI_FEATURE_LINES] = (double)r->sampling->lines.count / blocks;
}

/* Read the first blocks of a launch, then rewind the trace. */
static gpc_status look_at_launch(gpc_replay *r, look *l, gpc_error *error) {
    gpci_sampling *s = r->sampling;
    gpc_status status = GPC_OK;
    memset(l, 0, sizeof *l);
    gpci_map_clear(&s->pcs);
    gpci_map_clear(&s->lines);
    while (l->looked_at < s->look && status == GPC_OK) {
        const gpc_block *block;
        status = gpc_trace_next_block(r->trace, &block, error);
        if (status != GPC_OK)
            break;
        l->looked_at++;
        for (uint32_t w = 0; w < block->warp_count && status == GPC_OK; w++)
            status = look_at_warp(r, &block->warps[w], l);
        gpc_trace_release_block(r->trace, block);
        if (status == GPC_ERROR_MEMORY)
            return gpci_out_of_memory(error);
    }
    finish_look(r, l);
    return status < 0 || !s->look ? status : gpci_trace_rewind(r->trace, &r->kernel, error);
}

static bool alike(const gpci_features *a, const gpci_features *b, double distance) {
    for (unsigned n = 0; n < GPCI_FEATURE_COUNT; n++) {
        double x = a->values[n], y = b->values[n];
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

static uint64_t hash_of(const gpc_kernel *k) {
    uint64_t state = hash_text(k->name);
    const uint64_t numbers[] = {k->grid[0],  k->grid[1],  k->grid[2],   k->block[0],
                                k->block[1], k->block[2], k->registers, k->shared_bytes};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        state ^= numbers[n];
        state = gpci_random(&state);
    }
    return state;
}

static gpc_status group_of(gpc_replay *r, const look *l, uint32_t *out, gpc_error *error) {
    gpci_sampling *s = r->sampling;
    uint64_t name = hash_of(&r->kernel);
    for (*out = 0; *out < s->group_count; (*out)++)
        if (s->groups[*out]->name == name && alike(&s->groups[*out]->features, &l->f, s->distance))
            return GPC_OK;
    gpci_alike *group = gpci_zalloc(r->context, 1, sizeof *group);
    if (!group || !GPCI_ARRAY_ROOM(r->context, s->groups, s->group_room, s->group_count, 1)) {
        gpci_free(r->context, group);
        return gpci_out_of_memory(error);
    }
    group->name = name;
    group->features = l->f;
    s->groups[s->group_count++] = group;
    return GPC_OK;
}

/*
 * True if the launch is timed: one of every `every` launches after the first ones, drawn at random when the `every`
 * launches begin.
 */
static bool is_timed(const gpc_replay *r, uint32_t number) {
    const gpci_sampling *s = r->sampling;
    gpci_alike *group = s->groups[number];
    if (group->launches < s->launches)
        return true;
    if (!s->every)
        return false;
    uint64_t place = (group->launches - s->launches) % s->every;
    uint64_t state = r->context->seed ^ gpci_hash((uint64_t)number << 32 ^ (group->launches - place));
    if (!place)
        group->place = gpci_random_below(&state, (uint32_t)s->every);
    return place == group->place;
}

gpc_status gpci_launch_choose(gpc_replay *r, bool *out_timed, gpc_error *error) {
    look l;
    uint32_t group;
    gpc_status status = look_at_launch(r, &l, error);
    if (status == GPC_OK)
        status = group_of(r, &l, &group, error);
    if (status != GPC_OK)
        return status;
    r->sampling->of_last.group = group;
    *out_timed = is_timed(r, group);
    return GPC_OK;
}

void gpci_alike_units(const gpci_alike *group, gpci_units *units) {
    *units = group->units;
    if (units->count < 2)
        gpci_units_add(units, &group->first, 1);
}
