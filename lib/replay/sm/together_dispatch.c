/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/objects.h"
#include "replay/core/timed_replay.h"
#include "replay/sm/together.h"

#include <string.h>

/*
 * Dispatch of thread blocks of concurrent kernels to SMs.
 *
 * Example, 2 SMs of 8 warps; kernel A has 2 blocks of 6 warps, B has 4 blocks of 2 warps: A gets a block on each SM and
 * is placed. B gets the remaining 2 warps of each SM; its other two blocks wait for the first block to end.
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

gpc_status gpci_together_read(const gpc_replay *r, gpci_stream_run *k, gpc_error *error) {
    gpc_status status = gpci_trace_next_packed(k->trace, &k->next, error);
    if (status != GPC_END)
        return status;
    k->next = NULL;
    k->state = GPCI_STREAM_PLACED;
    k->dispatched = gpci_replay_now(r);
    return GPC_OK;
}

/* First of `count` consecutive free warp slots; `slots`: none. */
static uint32_t find_warps(const gpci_together *s, uint32_t sm, uint32_t count) {
    const uint64_t *used = s->warps + (size_t)sm * s->warp_words;
    uint32_t free = 0;
    for (uint32_t slot = 0; slot < s->slots; slot++) {
        free = used[slot / 64] & bit(slot) ? 0 : free + 1;
        if (free == count)
            return slot + 1 - count;
    }
    return s->slots;
}

static void mark_warps(const gpci_together *s, uint32_t sm, uint32_t first, uint32_t count) {
    for (uint32_t slot = first; slot < first + count; slot++)
        s->warps[(size_t)sm * s->warp_words + slot / 64] ^= bit(slot);
}

/* True if registers and shared memory suffice next to blocks of other kernels. */
static bool leaves_room(const gpc_replay *r, const gpci_stream_run *k, uint32_t sm) {
    const gpci_together *s = r->together;
    const gpci_sm_use *use = &s->sms[sm];
    const uint64_t shared = s->unified ? r->hierarchy->kernels->shares[sm].carveout : s->shared;
    return !s->one_kernel && use->registers + k->needs.registers <= s->registers &&
           use->shared + k->needs.shared <= shared;
}

static bool has_room(const gpc_replay *r, const gpci_stream_run *k, uint32_t sm) {
    const gpci_together *s = r->together;
    const uint32_t residents = r->sms[sm].residents;
    return k->sms[sm / 64] & bit(sm) && residents < s->most && k->on_sm[sm] < k->room &&
           (residents == k->on_sm[sm] || leaves_room(r, k, sm)) && find_warps(s, sm, k->next->warp_count) < s->slots;
}

static void tell_schedulers(const gpc_replay *r, uint32_t sm, const char *name) {
    for (uint32_t n = 0; r->timed && n < r->timed->schedulers; n++)
        gpc_scheduler_begin_kernel(r->timed->sms[sm].issuers[n].scheduler, name);
}

/* Give an SM without blocks to a kernel. GPC_BUSY: its L1 has accesses in flight. */
static gpc_status take_over(gpc_replay *r, const gpci_stream_run *k, uint32_t sm, gpc_error *error) {
    gpci_together *s = r->together;
    gpci_sm_use *use = &s->sms[sm];
    if (r->sms[sm].residents || use->owner == k->number)
        return GPC_OK;
    memset(s->one, 0, s->words * sizeof *s->one);
    s->one[sm / 64] = bit(sm);
    gpc_status status = gpci_kernels_prepare(r->hierarchy, s->one, &k->share, false, error);
    if (status != GPC_OK)
        return status;
    if (use->owner)
        gpci_kernels_tell(r->hierarchy, sm, use->owner, GPC_KERNEL_END);
    use->owner = k->number;
    gpci_kernels_tell(r->hierarchy, sm, k->number, GPC_KERNEL_START);
    tell_schedulers(r, sm, k->kernel.name);
    return GPC_OK;
}

/* Find the next SM with room and give it to the kernel; sm_count: none. */
static gpc_status find_sm(gpc_replay *r, const gpci_stream_run *k, uint32_t *out_sm, gpc_error *error) {
    *out_sm = r->sm_count;
    for (uint32_t i = 0; i < r->block_sms; i++) {
        const uint32_t sm = (k->next_sm + i) % r->block_sms;
        if (!has_room(r, k, sm))
            continue;
        gpc_status status = take_over(r, k, sm, error);
        if (status == GPC_OK)
            *out_sm = sm;
        if (status == GPC_OK || status < 0)
            return status;
        r->together->stirred = true; /* try again in the next cycle */
    }
    return GPC_OK;
}

static gpc_status place(gpc_replay *r, gpci_stream_run *k, uint32_t sm, gpc_error *error) {
    gpci_together *s = r->together;
    gpci_block_run *run = gpci_dispatch_take(r, k->next);
    if (!run)
        return gpci_out_of_memory(error);
    if (!k->done && !k->resident)
        k->started = gpci_replay_now(r);
    run->trace = k->trace;
    run->stream = (uint8_t)(k - s->each);
    run->process = k->process;
    run->first = find_warps(s, sm, run->block->warp_count);
    mark_warps(s, sm, run->first, run->block->warp_count);
    s->sms[sm].registers += k->needs.registers;
    s->sms[sm].shared += k->needs.shared;
    k->on_sm[sm]++;
    k->resident++;
    k->next_sm = (sm + 1) % r->block_sms;
    k->next = NULL;
    r->blocks_read++;
    if (r->timed)
        r->timed->first_start = k->first_start;
    gpci_dispatch_start_block(r, sm, run);
    return gpci_together_read(r, k, error);
}

/* Count the instructions of an ended block for its kernel. */
static void count(gpci_stream_run *k, const gpci_packed_block *block) {
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const gpci_path *path = block->warps[w].path;
        k->issued += path->count;
        for (size_t n = 0; n < path->count; n++)
            k->threads += gpci_path_lanes(&path->steps[n]);
    }
}

void gpci_together_retire(gpc_replay *r, uint32_t sm, const gpci_block_run *run) {
    gpci_together *s = r->together;
    gpci_stream_run *k = &s->each[run->stream];
    mark_warps(s, sm, run->first, run->block->warp_count);
    s->sms[sm].registers -= k->needs.registers;
    s->sms[sm].shared -= k->needs.shared;
    k->on_sm[sm]--;
    k->resident--;
    k->done++;
    count(k, run->block);
    s->stirred = true;
}

/* First kernel in the queue behind `last`; NULL: none. */
static gpci_stream_run *next_queued(const gpci_together *s, const gpci_stream_run *last) {
    gpci_stream_run *found = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        gpci_stream_run *k = &s->each[i];
        if (k->state != GPCI_STREAM_QUEUED ||
            (last && (k->priority < last->priority || (k->priority == last->priority && k->order <= last->order))))
            continue;
        if (!found || k->priority < found->priority || (k->priority == found->priority && k->order < found->order))
            found = k;
    }
    return found;
}

static bool is_behind(const gpci_together *s, const gpci_stream_run *k) {
    uint64_t common = 0;
    for (uint32_t word = 0; word < s->words; word++)
        common |= s->taken[word] & k->sms[word];
    return common != 0;
}

static gpc_status place_all(gpc_replay *r, gpci_stream_run *k, gpc_error *error) {
    while (k->state == GPCI_STREAM_QUEUED) {
        uint32_t sm;
        gpc_status status = find_sm(r, k, &sm, error);
        if (status < 0 || sm == r->sm_count)
            return status;
        status = place(r, k, sm, error);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

gpc_status gpci_together_dispatch(gpc_replay *r, gpc_error *error) {
    gpci_together *s = r->together;
    if (!s->stirred)
        return GPC_OK;
    s->stirred = false;
    memset(s->taken, 0, s->words * sizeof *s->taken);
    for (gpci_stream_run *k = next_queued(s, NULL); k; k = next_queued(s, k)) {
        gpc_status status = is_behind(s, k) ? GPC_OK : place_all(r, k, error);
        if (status < 0)
            return status;
        for (uint32_t word = 0; k->state == GPCI_STREAM_QUEUED && word < s->words; word++)
            s->taken[word] |= k->sms[word];
    }
    return GPC_OK;
}
