/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/replay.h"

#include "base/array.h"
#include "base/map.h"
#include "level/access/future.h"
#include "trace/rewind.h"

#include <inttypes.h>

/*
 * warps.order = recorded: replay the turns of a host, from a file of gpc_hierarchy_record. All blocks of the kernel are
 * present at once, regardless of the room on an SM. Each turn names the warp, its SM and its slot. The hierarchy counts
 * instructions, and policies see warp events, exactly as recorded.
 */

typedef struct recorded {
    gpc_replay *r;
    gpci_block_run **runs; /* [count] */
    size_t count, capacity;
    gpci_map number; /* block index -> index in `runs` */
} recorded;

gpc_status gpci_recorded_check(const gpc_replay *r, gpc_error *error) {
    const gpc_recording *recording = r->kernel.recording;
    if (!recording)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: warps.order = recorded, but the trace has no recording",
                         r->kernel.file);
    for (uint64_t n = 0; n < recording->turn_count; n++)
        if (recording->turns[n].what != GPC_TURN_FLUSH && recording->turns[n].sm >= r->sm_count)
            return gpci_fail(error, GPC_ERROR_RANGE, "%s: recorded on SM %u, but sm.count is %u", r->kernel.file,
                             recording->turns[n].sm, r->sm_count);
    return GPC_OK;
}

bool gpci_recorded_launch(const gpc_replay *r, gpc_launch *launch) {
    const gpc_recording *recording = r->kernel.recording;
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
    gpc_replay *r = all->r;
    if (!GPCI_ARRAY_ROOM(r->context, all->runs, all->capacity, all->count, 1) ||
        !gpci_map_reserve(r->context, &all->number, 1))
        return GPC_ERROR_MEMORY;
    gpci_block_run *run = gpci_dispatch_take(r, block);
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
        gpc_status status = gpci_trace_next_packed(all->r->trace, &block, error);
        if (status != GPC_OK)
            return status == GPC_END ? GPC_OK : status;
        if (add_block(all, block) < 0) {
            gpci_trace_release_packed(all->r->trace, block);
            return gpci_out_of_memory(error);
        }
    }
}

/* Warp of a turn; NULL: block not in the trace, or no instruction left. Readers check the warp against the kernel. */
static gpci_warp_run *warp_of(const recorded *all, const gpc_turn *turn) {
    const gpci_map_entry *entry = gpci_map_find(&all->number, turn->block);
    if (!entry)
        return NULL;
    gpci_warp_run *warp = &all->runs[entry->value]->warps[turn->warp];
    return warp->next < warp->end && warp->next->form->instruction.op_class != GPC_OP_EXIT ? warp : NULL;
}

static gpc_status fence(const gpc_replay *r, const gpc_turn *turn, gpc_error *error) {
    const gpc_fence f = {.struct_size = sizeof f,
                         .sm = turn->sm,
                         .warp = turn->slot,
                         .scope = turn->scope,
                         .order = turn->order,
                         .control = turn->control};
    return r->learning ? GPC_OK : r->driver->fence(r->hierarchy, &f, error);
}

static gpc_status access(const gpc_replay *r, gpci_warp_run *warp, const gpci_path_step *step, const gpc_turn *turn) {
    const gpc_instruction *i = &step->form->instruction;
    if (i->addresses)
        gpci_packed_take(&warp->addresses, gpci_path_lanes(step), r->turn_addresses);
    const gpci_block_run run = {.trace = r->trace, .stream = r->stream};
    gpc_warp_access a = gpci_replay_access(&run, step, r->turn_addresses);
    a.sm = turn->sm;
    a.warp = turn->slot;
    a.warp_age = turn->warp_age;
    a.block = turn->block;
    a.token = turn->token;
    a.token_l2 = turn->token_l2;
    a.scope = turn->scope;
    a.order = turn->order;
    if (a.space != GPC_SPACE_GLOBAL)
        return gpci_replay_other(r, r->hierarchy, &run, step, &a, r->turn_addresses);
    if (!gpci_replay_enter(r, &run, r->turn_addresses, gpci_path_lanes(step), a.width))
        return GPC_ERROR_FORMAT;
    return r->learning ? gpci_replay_record(r, &a) : r->driver->access(r->hierarchy, &a, NULL);
}

static gpc_status instruction(recorded *all, const gpc_turn *turn, gpc_error *error) {
    gpc_replay *r = all->r;
    gpci_warp_run *warp = warp_of(all, turn);
    if (!warp)
        return gpci_fail(error, GPC_ERROR_FORMAT,
                         "%s: the recording has a turn of block %u, warp %u, that its instructions have not",
                         r->kernel.file, turn->block, turn->warp);
    const gpci_path_step *step = warp->next++;
    if (step->form->instruction.op_class == GPC_OP_FENCE)
        return fence(r, turn, error);
    gpc_status status = access(r, warp, step, turn);
    if (status < 0)
        return gpci_fail(error, status, "%s: block %u, pc 0x%" PRIx64 ": %s", r->kernel.file, turn->block,
                         step->form->instruction.pc, gpc_status_string(status));
    r->instructions_told++;
    return GPC_OK;
}

static gpc_status take_turn(recorded *all, const gpc_turn *turn, gpc_error *error) {
    gpc_replay *r = all->r;
    const gpc_warp_event event = {
        .kind = turn->event, .sm = turn->sm, .warp = turn->slot, .block = turn->block, .kernel = r->hierarchy->kernel};
    switch ((gpc_turn_what)turn->what) {
    case GPC_TURN_EVENT:
        return r->learning ? GPC_OK : gpc_hierarchy_warp_event(r->hierarchy, &event);
    case GPC_TURN_FLUSH:
        return r->learning ? GPC_OK : gpc_hierarchy_flush(r->hierarchy);
    default:
        return instruction(all, turn, error);
    }
}

static gpc_status take_turns(recorded *all, gpc_error *error) {
    gpc_replay *r = all->r;
    const gpc_recording *recording = r->kernel.recording;
    const uint64_t limit = gpci_config_number(r->config, GPCI_KEY_LIMIT_INSTRUCTIONS);
    gpc_status status = GPC_OK;
    for (uint64_t n = 0; n < recording->turn_count && status == GPC_OK && (!limit || r->instructions_told < limit);
         n++) {
        r->all_rounds += !r->learning;
        status = take_turn(all, &recording->turns[n], error);
        if (status == GPC_OK)
            status = gpci_replay_progress(r, error);
    }
    return status;
}

gpc_status gpci_recorded_run(gpc_replay *r, gpc_error *error) {
    recorded all = {.r = r};
    const gpc_recording *recording = r->kernel.recording;
    gpc_status status = read_blocks(&all, error);
    if (status == GPC_OK)
        status = take_turns(&all, error);
    for (size_t n = 0; n < all.count; n++)
        gpci_dispatch_give(r, all.runs[n]);
    gpci_free(r->context, all.runs);
    gpci_map_free(r->context, &all.number);
    if (status == GPC_OK && !r->learning)
        gpc_hierarchy_count_instructions(r->hierarchy, recording->warp_instructions, recording->thread_instructions,
                                         recording->blocks);
    return status;
}
