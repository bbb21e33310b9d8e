/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/objects.h"
#include "replay/core/timed_replay.h"
#include "replay/sm/together.h"

#include <string.h>

/*
 * Dispatch of thread blocks of concurrent kernels to SMs.
 *
 * Example, 2 SMs with 8 warp slots; kernel A has 2 blocks of 6 warps, kernel B has 4 blocks of 2 warps. A gets a block
 * on each SM. Two blocks of B get the remaining 2 slots of each SM; the other two blocks of B wait until a block ends.
 */

GPCI_INLINE uint64_t bit(uint32_t n) {
    return (uint64_t)1 << (n & 63);
}

uint32_t gpci_together_age(const gpci_sm_run *sm, uint32_t place, uint32_t warp) {
    uint32_t age = warp;
    for (uint32_t i = 0; i < place; i++)
        age += sm->resident[i]->block->warp_count;
    return age;
}

gpc_status gpci_together_read(const gpc_replay *replay, gpci_stream_run *stream, gpc_error *error) {
    gpc_status status = gpci_trace_next_packed(stream->trace, &stream->next, error);
    if (status != GPC_END)
        return status;
    stream->next = NULL;
    stream->state = GPCI_STREAM_PLACED;
    stream->dispatched = gpci_replay_now(replay);
    return GPC_OK;
}

/* First of `count` consecutive free warp slots of an SM; together->slots: no such slots. */
static uint32_t find_warps(const gpci_together *together, uint32_t sm, uint32_t count) {
    const uint64_t *used = together->warps + (size_t)sm * together->warp_words;
    uint32_t free = 0;
    for (uint32_t slot = 0; slot < together->slots; slot++) {
        free = used[slot / 64] & bit(slot) ? 0 : free + 1;
        if (free == count)
            return slot + 1 - count;
    }
    return together->slots;
}

static void mark_warps(const gpci_together *together, uint32_t sm, uint32_t first, uint32_t count) {
    for (uint32_t slot = first; slot < first + count; slot++)
        together->warps[(size_t)sm * together->warp_words + slot / 64] ^= bit(slot);
}

/* True if a block of the stream fits on the SM beside blocks of other kernels: registers and shared memory suffice. */
static bool leaves_room(const gpc_replay *replay, const gpci_stream_run *stream, uint32_t sm) {
    const gpci_together *together = replay->together;
    const gpci_sm_use *use = &together->sms[sm];
    const uint64_t shared = together->unified ? replay->hierarchy->kernels->shares[sm].carveout : together->shared;
    return !together->one_kernel && use->registers + stream->needs.registers <= together->registers &&
           use->shared + stream->needs.shared <= shared;
}

static bool has_room(const gpc_replay *replay, const gpci_stream_run *stream, uint32_t sm) {
    const gpci_together *together = replay->together;
    const uint32_t residents = replay->sms[sm].residents;
    return stream->sms[sm / 64] & bit(sm) && residents < together->most && stream->on_sm[sm] < stream->occupancy &&
           (residents == stream->on_sm[sm] || leaves_room(replay, stream, sm)) &&
           find_warps(together, sm, stream->next->warp_count) < together->slots;
}

static void tell_schedulers(const gpc_replay *replay, uint32_t sm, const char *name) {
    for (uint32_t n = 0; replay->timed && n < replay->timed->schedulers; n++)
        gpc_scheduler_begin_kernel(replay->timed->sms[sm].issuers[n].scheduler, name, NULL);
}

/* Prepare the L1 of an SM without blocks for a kernel (gpci_sm_use.owner). GPC_BUSY: L1 has accesses in flight. */
static gpc_status take_over(gpc_replay *replay, const gpci_stream_run *stream, uint32_t sm, gpc_error *error) {
    gpci_together *together = replay->together;
    gpci_sm_use *use = &together->sms[sm];
    if (replay->sms[sm].residents || use->owner == stream->number)
        return GPC_OK;
    memset(together->one, 0, together->words * sizeof *together->one);
    together->one[sm / 64] = bit(sm);
    gpc_status status = gpci_kernels_prepare(replay->hierarchy, together->one, &stream->share, false, error);
    if (status != GPC_OK)
        return status;
    if (use->owner)
        gpci_kernels_tell(replay->hierarchy, sm, use->owner, GPC_KERNEL_END);
    use->owner = stream->number;
    gpci_kernels_tell(replay->hierarchy, sm, stream->number, GPC_KERNEL_START);
    tell_schedulers(replay, sm, stream->kernel.name);
    return GPC_OK;
}

/* Find the next SM with room for a block, and prepare the SM (take_over). `out_sm` sm_count: no SM has room. */
static gpc_status find_sm(gpc_replay *replay, const gpci_stream_run *stream, uint32_t *out_sm, gpc_error *error) {
    *out_sm = replay->sm_count;
    for (uint32_t i = 0; i < replay->block_sms; i++) {
        const uint32_t sm = (stream->next_sm + i) % replay->block_sms;
        if (!has_room(replay, stream, sm))
            continue;
        gpc_status status = take_over(replay, stream, sm, error);
        if (status == GPC_OK)
            *out_sm = sm;
        if (status == GPC_OK || status < 0)
            return status;
        replay->together->stirred = true; /* the L1 is busy: try again in the next cycle */
    }
    return GPC_OK;
}

static gpc_status place(gpc_replay *replay, gpci_stream_run *stream, uint32_t sm, gpc_error *error) {
    gpci_together *together = replay->together;
    gpci_block_run *run = gpci_dispatch_take(replay, stream->next);
    if (!run)
        return gpci_out_of_memory(error);
    if (!stream->done && !stream->resident)
        stream->started = gpci_replay_now(replay);
    run->trace = stream->trace;
    run->stream = (uint8_t)(stream - together->each);
    run->process = stream->process;
    run->first = find_warps(together, sm, run->block->warp_count);
    mark_warps(together, sm, run->first, run->block->warp_count);
    together->sms[sm].registers += stream->needs.registers;
    together->sms[sm].shared += stream->needs.shared;
    stream->on_sm[sm]++;
    stream->resident++;
    stream->next_sm = (sm + 1) % replay->block_sms;
    stream->next = NULL;
    replay->blocks_read++;
    if (replay->timed)
        replay->timed->first_start = stream->first_start;
    gpci_dispatch_start_block(replay, sm, run);
    return gpci_together_read(replay, stream, error);
}

/* Count the instructions of an ended block for its kernel. */
static void count(gpci_stream_run *stream, const gpci_packed_block *block) {
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const gpci_path *path = block->warps[w].path;
        stream->issued += path->count;
        for (size_t n = 0; n < path->count; n++)
            stream->threads += gpci_path_lanes(&path->steps[n]);
    }
}

void gpci_together_retire(gpc_replay *replay, uint32_t sm, const gpci_block_run *run) {
    gpci_together *together = replay->together;
    gpci_stream_run *stream = &together->each[run->stream];
    mark_warps(together, sm, run->first, run->block->warp_count);
    together->sms[sm].registers -= stream->needs.registers;
    together->sms[sm].shared -= stream->needs.shared;
    stream->on_sm[sm]--;
    stream->resident--;
    stream->done++;
    count(stream, run->block);
    together->stirred = true;
}

/* Kernel after `last` in the queue, or, with `last` NULL, the first kernel; NULL: no further kernel. */
static gpci_stream_run *next_queued(const gpci_together *together, const gpci_stream_run *last) {
    gpci_stream_run *found = NULL;
    for (uint32_t i = 0; i < together->count; i++) {
        gpci_stream_run *stream = &together->each[i];
        if (stream->state != GPCI_STREAM_QUEUED ||
            (last && (stream->priority < last->priority ||
                      (stream->priority == last->priority && stream->order <= last->order))))
            continue;
        if (!found || stream->priority < found->priority ||
            (stream->priority == found->priority && stream->order < found->order))
            found = stream;
    }
    return found;
}

static bool is_behind(const gpci_together *together, const gpci_stream_run *stream) {
    uint64_t common = 0;
    for (uint32_t word = 0; word < together->words; word++)
        common |= together->taken[word] & stream->sms[word];
    return common != 0;
}

static gpc_status place_all(gpc_replay *replay, gpci_stream_run *stream, gpc_error *error) {
    while (stream->state == GPCI_STREAM_QUEUED) {
        uint32_t sm;
        gpc_status status = find_sm(replay, stream, &sm, error);
        if (status < 0 || sm == replay->sm_count)
            return status;
        status = place(replay, stream, sm, error);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

gpc_status gpci_together_dispatch(gpc_replay *replay, gpc_error *error) {
    gpci_together *together = replay->together;
    if (!together->stirred)
        return GPC_OK;
    together->stirred = false;
    memset(together->taken, 0, together->words * sizeof *together->taken);
    for (gpci_stream_run *stream = next_queued(together, NULL); stream; stream = next_queued(together, stream)) {
        gpc_status status = is_behind(together, stream) ? GPC_OK : place_all(replay, stream, error);
        if (status < 0)
            return status;
        for (uint32_t word = 0; stream->state == GPCI_STREAM_QUEUED && word < together->words; word++)
            together->taken[word] |= stream->sms[word];
    }
    return GPC_OK;
}
