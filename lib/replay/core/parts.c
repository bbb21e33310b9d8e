/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/local_memory.h"
#include "level/rules/level_count.h"
#include "replay/core/replay.h"
#include "trace/rewind.h"
#include "trace/windows.h"

/* Split accesses outside global space: sort lanes by space, and turn local addresses into offsets. */

/* Spaces of the parts of a MIXED access, in order. */
static const uint8_t spaces[GPCI_ACCESS_PARTS] = {GPC_SPACE_GLOBAL, GPC_SPACE_LOCAL, GPC_SPACE_SHARED};

/*
 * Put each active lane of a MIXED access into the mask of its space (`in`). A lane outside of all windows is global. If
 * all lanes are in shared memory, count the lanes as global.
 */
static void sort_lanes(const gpci_windows *windows, const gpc_warp_access *access, uint64_t in[GPCI_ACCESS_PARTS]) {
    const uint64_t *address = access->addresses;
    for (uint64_t mask = access->mask; mask; mask &= mask - 1) {
        const gpc_space space = gpci_window_at(windows, *address++);
        in[space == GPC_SPACE_GLOBAL ? 0 : space == GPC_SPACE_LOCAL ? 1 : 2] |= mask & -mask;
    }
    if (!(in[0] | in[1])) {
        in[0] = in[2];
        in[2] = 0;
    }
}

/* Copy the addresses of the lanes in `in` to `to`. `from` has one address per lane of `all`. */
static uint64_t *take(const uint64_t *from, uint64_t all, uint64_t in, uint64_t *to) {
    for (; all; all &= all - 1, from++)
        if (in & all & -all)
            *to++ = *from;
    return to;
}

static uint32_t divide(const gpci_windows *windows, const gpc_warp_access *access, uint64_t *addresses,
                       gpc_warp_access *parts) {
    uint64_t in[GPCI_ACCESS_PARTS] = {0}, sorted[GPCI_MOST_LANES], *end = sorted;
    uint32_t count = 0;
    sort_lanes(windows, access, in);
    for (uint32_t n = 0; n < GPCI_ACCESS_PARTS; n++) {
        if (!in[n])
            continue;
        gpc_warp_access *part = &parts[count++];
        *part = *access;
        part->mask = in[n];
        part->space = spaces[n];
        part->addresses = addresses + (end - sorted);
        end = take(access->addresses, access->mask, in[n], end);
    }
    for (uint64_t *one = sorted; one < end; one++)
        addresses[one - sorted] = *one;
    return count;
}

/*
 * True if the lanes cannot touch more than GPCI_MAX_TRANSACTIONS lines. A lane touches at most three lines of global
 * memory, or one line per word of local memory.
 */
static bool fits(const gpc_warp_access *access) {
    const uint32_t words = gpci_local_words(access->width), lines = words < 3 ? 3 : words;
    return gpci_popcount(access->mask) * lines <= GPCI_MAX_TRANSACTIONS;
}

static void say_offsets(const gpci_windows *windows, gpc_warp_access *part, uint64_t *addresses) {
    uint64_t *own = addresses + (part->addresses - addresses);
    for (uint32_t n = 0; n < gpci_popcount(part->mask); n++)
        own[n] = gpci_window_offset(windows, own[n]);
    part->local_offsets = 1;
}

uint32_t gpci_replay_parts(const gpci_block_run *run, const gpci_path_step *step, const gpc_warp_access *access,
                           uint64_t *addresses, gpc_warp_access *parts) {
    const gpci_windows *windows = gpci_trace_windows(run->trace);
    const bool mapped = gpci_replay_opcode(run, &step->form->instruction)->mapped;
    uint32_t count = 1;
    parts[0] = *access;
    if (access->space != GPC_SPACE_MIXED && (access->space != GPC_SPACE_LOCAL || mapped))
        return 1;
    if (!fits(access))
        return 0;
    if (access->space == GPC_SPACE_MIXED)
        count = divide(windows, access, addresses, parts);
    for (uint32_t n = 0; n < count; n++)
        if (parts[n].space == GPC_SPACE_LOCAL)
            say_offsets(windows, &parts[n], addresses);
    return count;
}

bool gpci_replay_enter_parts(const gpc_replay *replay, const gpci_block_run *run, const gpc_warp_access *parts,
                             uint32_t count, uint64_t *addresses) {
    bool enters = true;
    for (uint32_t n = 0; n < count && enters; n++)
        enters = parts[n].local_offsets || gpci_replay_enter(replay, run, addresses + (parts[n].addresses - addresses),
                                                             gpci_popcount(parts[n].mask), parts[n].width);
    return enters;
}

gpc_status gpci_replay_other(const gpc_replay *replay, gpc_hierarchy *hierarchy, const gpci_block_run *run,
                             const gpci_path_step *step, const gpc_warp_access *access, uint64_t *addresses) {
    gpc_warp_access parts[GPCI_ACCESS_PARTS];
    const uint32_t count = gpci_replay_parts(run, step, access, addresses, parts);
    gpc_status status = count || replay->learning ? GPC_OK : GPC_ERROR_RANGE;
    if (!gpci_replay_enter_parts(replay, run, parts, count, addresses))
        status = GPC_ERROR_FORMAT;
    for (uint32_t n = 0; n < count && status == GPC_OK; n++) {
        status = replay->learning ? gpci_replay_record(replay, &parts[n])
                                  : replay->driver->access(hierarchy, &parts[n], NULL, NULL);
        if (n && !replay->learning)
            gpci_count_as_one(hierarchy, access->sm);
    }
    return status;
}
