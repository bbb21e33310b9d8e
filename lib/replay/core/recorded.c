/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/replay.h"

#include "base/array.h"
#include "base/map.h"
#include "level/access/future.h"
#include "trace/rewind.h"

#include <inttypes.h>

/*
 * warps.order = recorded: replay the calls (turns) of a host, from a file of gpc_hierarchy_record. All blocks of the
 * kernel are present at once, even if the SMs lack room. Each turn names the warp, its SM and its slot. Counted
 * instructions and warp events for policies are those of the recording.
 */

typedef struct recorded {
    gpc_replay *replay;
    gpci_block_run **runs; /* [count] */
    size_t count, capacity;
    gpci_map number; /* block index -> index in `runs` */
} recorded;

gpc_status gpci_recorded_check(const gpc_replay *replay, gpc_error *error) {
    const gpc_recording *recording = replay->kernel.recording;
    if (!recording)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: warps.order = recorded, but the trace has no recording",
                         replay->kernel.file);
    for (uint64_t n = 0; n < recording->turn_count; n++)
        if (recording->turns[n].what != GPC_TURN_FLUSH && recording->turns[n].sm >= replay->sm_count)
            return gpci_fail(error, GPC_ERROR_RANGE, "%s: recorded on SM %u, but sm.count is %u", replay->kernel.file,
                             recording->turns[n].sm, replay->sm_count);
    return GPC_OK;
}

bool gpci_recorded_launch(const gpc_replay *replay, gpc_launch *launch) {
    const gpc_recording *recording = replay->kernel.recording;
    launch->threads = recording->threads;
    launch->registers = recording->registers;
    launch->shared_bytes = recording->shared_bytes;
    launch->code_bytes = recording->code_bytes;
    return recording->launched;
}

static void begin_warps(gpci_block_run *run) {
    for (uint32_t w = 0; w < run->block->warp_count; w++)
        run->warps[w] = gpci_warp_run_begin(&run->block->warps[w], 0);
}

static gpc_status add_block(recorded *all, const gpci_packed_block *block) {
    gpc_replay *replay = all->replay;
    if (!GPCI_ARRAY_RESERVE(replay->context, all->runs, all->capacity, all->count, 1) ||
        !gpci_map_reserve(replay->context, &all->number, 1))
        return GPC_ERROR_MEMORY;
    gpci_block_run *run = gpci_dispatch_take(replay, block);
    if (!run)
        return GPC_ERROR_MEMORY;
    begin_warps(run);
    gpci_map_add(&all->number, block->index, all->count);
    all->runs[all->count++] = run;
    return GPC_OK;
}

static gpc_status read_blocks(recorded *all, gpc_error *error) {
    for (;;) {
        const gpci_packed_block *block;
        gpc_status status = gpci_trace_next_packed(all->replay->trace, &block, error);
        if (status != GPC_OK)
            return status == GPC_END ? GPC_OK : status;
        if (add_block(all, block) < 0) {
            gpci_trace_release_packed(all->replay->trace, block);
            return gpci_out_of_memory(error);
        }
    }
}

/*
 * Warp of a turn; NULL: the trace lacks the block, or the warp has no instruction left. The trace reader has checked
 * the number of the warp.
 */
static gpci_warp_run *warp_of(const recorded *all, const gpc_turn *turn) {
    const gpci_map_entry *entry = gpci_map_find(&all->number, turn->block);
    if (!entry)
        return NULL;
    gpci_warp_run *warp = &all->runs[entry->value]->warps[turn->warp];
    return warp->next < warp->end && warp->next->form->instruction.op_class != GPC_OP_EXIT ? warp : NULL;
}

static gpc_status fence(const gpc_replay *replay, const gpc_turn *turn, gpc_error *error) {
    const gpc_fence f = {.struct_size = sizeof f,
                         .sm = turn->sm,
                         .warp = turn->slot,
                         .scope = turn->scope,
                         .order = turn->order,
                         .control = turn->control};
    return replay->learning ? GPC_OK : replay->driver->fence(replay->hierarchy, &f, error);
}

static gpc_status access(const gpc_replay *replay, gpci_warp_run *warp, const gpci_path_step *step,
                         const gpc_turn *turn) {
    const gpc_instruction *instruction = &step->form->instruction;
    if (instruction->addresses)
        gpci_packed_take(&warp->addresses, gpci_path_lanes(step), replay->turn_addresses);
    const gpci_block_run run = {.trace = replay->trace, .stream = replay->stream};
    gpc_warp_access warp_access = gpci_replay_access(&run, step, replay->turn_addresses);
    warp_access.sm = turn->sm;
    warp_access.warp = turn->slot;
    warp_access.warp_age = turn->warp_age;
    warp_access.block = turn->block;
    warp_access.token = turn->token;
    warp_access.token_l2 = turn->token_l2;
    warp_access.scope = turn->scope;
    warp_access.order = turn->order;
    if (warp_access.space != GPC_SPACE_GLOBAL)
        return gpci_replay_other(replay, replay->hierarchy, &run, step, &warp_access, replay->turn_addresses);
    if (!gpci_replay_enter(replay, &run, replay->turn_addresses, gpci_path_lanes(step), warp_access.width))
        return GPC_ERROR_FORMAT;
    return replay->learning ? gpci_replay_record(replay, &warp_access)
                            : replay->driver->access(replay->hierarchy, &warp_access, NULL, NULL);
}

static gpc_status instruction(recorded *all, const gpc_turn *turn, gpc_error *error) {
    gpc_replay *replay = all->replay;
    gpci_warp_run *warp = warp_of(all, turn);
    if (!warp)
        return gpci_fail(error, GPC_ERROR_FORMAT,
                         "%s: the recording has a turn of block %u, warp %u, that its instructions have not",
                         replay->kernel.file, turn->block, turn->warp);
    const gpci_path_step *step = warp->next++;
    if (step->form->instruction.op_class == GPC_OP_FENCE)
        return fence(replay, turn, error);
    gpc_status status = access(replay, warp, step, turn);
    if (status < 0)
        return gpci_fail(error, status, "%s: block %u, pc 0x%" PRIx64 ": %s", replay->kernel.file, turn->block,
                         step->form->instruction.pc, gpc_status_string(status));
    replay->instructions_told++;
    return GPC_OK;
}

static gpc_status take_turn(recorded *all, const gpc_turn *turn, gpc_error *error) {
    gpc_replay *replay = all->replay;
    const gpc_warp_event event = {.kind = turn->event,
                                  .sm = turn->sm,
                                  .warp = turn->slot,
                                  .block = turn->block,
                                  .kernel = replay->hierarchy->kernel};
    switch ((gpc_turn_what)turn->what) {
    case GPC_TURN_EVENT:
        return replay->learning ? GPC_OK : gpc_hierarchy_warp_event(replay->hierarchy, &event, NULL);
    case GPC_TURN_FLUSH:
        return replay->learning ? GPC_OK : gpc_hierarchy_flush(replay->hierarchy, NULL);
    default:
        return instruction(all, turn, error);
    }
}

static gpc_status take_turns(recorded *all, gpc_error *error) {
    gpc_replay *replay = all->replay;
    const gpc_recording *recording = replay->kernel.recording;
    const uint64_t limit = gpci_config_number(replay->config, GPCI_KEY_LIMIT_INSTRUCTIONS);
    gpc_status status = GPC_OK;
    for (uint64_t n = 0; n < recording->turn_count && status == GPC_OK && (!limit || replay->instructions_told < limit);
         n++) {
        replay->all_rounds += !replay->learning;
        status = take_turn(all, &recording->turns[n], error);
        if (status == GPC_OK)
            status = gpci_replay_progress(replay, error);
    }
    return status;
}

gpc_status gpci_recorded_run(gpc_replay *replay, gpc_error *error) {
    recorded all = {.replay = replay};
    const gpc_recording *recording = replay->kernel.recording;
    gpc_status status = read_blocks(&all, error);
    if (status == GPC_OK)
        status = take_turns(&all, error);
    for (size_t n = 0; n < all.count; n++)
        gpci_dispatch_give(replay, all.runs[n]);
    gpci_free(replay->context, all.runs);
    gpci_map_free(replay->context, &all.number);
    if (status == GPC_OK && !replay->learning)
        gpc_hierarchy_count_instructions(replay->hierarchy, recording->warp_instructions,
                                         recording->thread_instructions, recording->blocks);
    return status;
}
