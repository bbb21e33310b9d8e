/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/coalesce.h"
#include "level/rules/level_count.h"
#include "replay/blocks/clusters.h"
#include "replay/blocks/copies.h"
#include "replay/blocks/mbarriers.h"
#include "replay/core/sm_tokens.h"
#include "replay/sm/icache.h"
#include "replay/sm/together.h"

/* Send one instruction of a warp to the memory pipeline. */

/*
 * Token of an access (sm_tokens.h). `holds`: a load or atomic, before whose completion the warp does not end; the token
 * names the instruction, and so the result registers. Stores and other accesses may complete after the warp's end; the
 * token names the warp by the number of warps that the slot has had. A token has no pointer, because snapshots save
 * tokens.
 */
static uint64_t token_of(const gpci_timed_replay *timed_replay, const gpci_timed_warp *warp, bool holds) {
    if (holds)
        return (uint64_t)(warp->end - warp->next) << 1;
    const uint64_t stream = GPCI_UNLIKELY(timed_replay->at_once) ? (uint64_t)warp->run->stream << GPCI_TOKEN_STREAM : 0;
    return stream | (uint64_t)warp->starts << 1 | 1;
}

/*
 * Issue a bulk copy into the shared memory of several blocks of the cluster. `mask`: ranks of the blocks. Ended blocks
 * receive nothing. GPC_END: all blocks have ended, and nothing was issued.
 */
static GPCI_COLD gpc_status multicast(gpci_timed_replay *timed_replay, gpci_block_run *run, gpc_warp_access *access,
                                      const gpc_instruction *instruction, uint32_t mask, gpc_busy *busy) {
    uint32_t sms[GPCI_CLUSTER_BLOCKS], places[GPCI_CLUSTER_BLOCKS], count = 0;
    uint64_t tokens[GPCI_CLUSTER_BLOCKS];
    const uint64_t bytes = (uint64_t)gpci_popcount(access->mask) * access->width;
    for (; mask; mask &= mask - 1) {
        gpci_block_run *other = gpci_cluster_member(timed_replay->replay, run, gpci_lowest(mask));
        if (!other || !other->live)
            continue;
        for (uint32_t n = 0; n < count; n++)
            if (sms[n] == other->sm)
                return GPC_ERROR_RANGE;
        const uint32_t place = gpci_mbarrier_place(&timed_replay->sms[other->sm], other, gpci_barrier_of(instruction));
        if (place == GPCI_MBARRIERS)
            return gpci_timed_refuse(timed_replay->replay->hierarchy, access->sm, busy);
        sms[count] = other->sm;
        places[count] = place;
        tokens[count++] = GPCI_TOKEN_MULTICAST | gpci_token_copies(GPCI_COPY_GROUPS + 1 + place, bytes) |
                          (uint64_t)other->block->index << 1 | 1;
    }
    if (!count)
        return GPC_END;
    access->multicast = sms;
    access->multicast_count = count;
    const gpc_status status = gpci_timed_multicast(timed_replay->replay->hierarchy, access, tokens, busy);
    access->multicast = NULL;
    for (uint32_t n = 0; n < count && status == GPC_OK; n++) {
        gpci_mbarrier_send(&timed_replay->sms[sms[n]], places[n]);
        timed_replay->sms[sms[n]].deeds->in_flight++;
    }
    return status;
}

/* Mask of the ranks of a bulk copy's destination blocks; 0: the copy goes only to its own block. */
static GPCI_COLD uint32_t targets_of(const gpci_timed_replay *timed_replay, const gpc_instruction *instruction) {
    uint32_t mask = 0;
    if (timed_replay->replay->cluster_blocks > 1 && instruction->kind == GPC_LOAD)
        gpci_number_of_barrier(instruction, 0, &mask);
    return mask;
}

/* Send a multicast copy, and count its instruction. */
static GPCI_COLD gpc_status send_multicast(gpci_timed_replay *timed_replay, uint32_t slot, const gpci_path_step *step,
                                           gpc_warp_access *access, uint32_t mask, const gpci_address_cursor *behind,
                                           gpc_busy *busy) {
    gpci_timed_sm *core = &timed_replay->sms[access->sm];
    gpci_block_run *run = core->warps[slot].run;
    const gpc_status status = multicast(timed_replay, run, access, &step->form->instruction, mask, busy);
    if (status == GPC_BUSY || status < 0)
        return status;
    run->warps[slot - run->first].addresses = *behind;
    if (status == GPC_END)
        gpci_sm_count(core, step);
    else
        core->deeds->told++;
    return GPC_OK;
}

/*
 * Read the addresses of an instruction's lanes, and advance the cursor. If the lanes touch a range of adjacent bytes,
 * `addresses` receives only the first address, and the result is the number of bytes. Otherwise `addresses` receives
 * all addresses, and the result is 0.
 */
GPCI_INLINE uint32_t take_addresses(const gpci_timed_replay *timed_replay, const gpci_path_step *step, unsigned lanes,
                                    gpci_address_cursor *cursor, uint64_t *addresses) {
    const gpc_instruction *instruction = &step->form->instruction;
    if (step->form->operands.copy != GPC_COPY_BULK && instruction->space == GPC_SPACE_GLOBAL &&
        gpci_timed_takes_range(timed_replay->replay->hierarchy, instruction->kind)) {
        const gpci_address_cursor start = *cursor;
        const uint32_t range = gpci_packed_range(cursor, lanes, instruction->width, addresses);
        if (range && GPCI_LIKELY(gpci_is_range(addresses[0], range)))
            return range;
        *cursor = start;
    }
    gpci_packed_take(cursor, lanes, addresses);
    return 0;
}

GPCI_INLINE gpc_warp_access access_of(const gpci_timed_sm *core, uint32_t number, uint32_t slot,
                                      const gpci_path_step *step, const uint64_t *addresses) {
    const gpci_timed_warp *warp = &core->warps[slot];
    const gpc_scheduler *scheduler = core->issuers[warp->issuer].scheduler;
    gpc_warp_access access = gpci_replay_access(warp->run, step, addresses);
    access.sm = number;
    access.warp = slot;
    access.warp_age = warp->age;
    access.block = warp->run->block->index;
    access.token = (uint8_t)gpci_scheduler_token(scheduler, warp->place, 1);
    access.token_l2 = (uint8_t)gpci_scheduler_token(scheduler, warp->place, 2);
    return access;
}

/* Issue an access outside global space, in parts (parts.c). */
static GPCI_NOINLINE gpc_status issue_other(gpci_timed_replay *timed_replay, const gpci_block_run *run,
                                            const gpci_path_step *step, const gpc_warp_access *access,
                                            uint64_t *addresses, uint64_t token, gpc_busy *busy) {
    gpc_hierarchy *hierarchy = timed_replay->replay->hierarchy;
    gpc_warp_access parts[GPCI_ACCESS_PARTS];
    const uint32_t count = gpci_replay_parts(run, step, access, addresses, parts);
    if (!count)
        return GPC_ERROR_RANGE;
    if (!gpci_replay_enter_parts(timed_replay->replay, run, parts, count, addresses))
        return GPC_ERROR_FORMAT;
    const uint64_t others = parts[count - 1].space == GPC_SPACE_SHARED ? parts[count - 1].mask : 0;
    if (count - (others != 0) > 1)
        return gpci_timed_issue_both(hierarchy, parts, others, token, busy);
    const gpc_status status = gpci_timed_issue(hierarchy, &parts[0], 0, token, busy);
    if (status == GPC_OK)
        gpci_count_lanes(hierarchy, access->sm, others);
    return status;
}

static gpc_status send(gpci_timed_replay *timed_replay, uint32_t number, uint32_t slot, const gpci_path_step *step,
                       gpc_busy *busy) {
    const gpc_instruction *instruction = &step->form->instruction;
    const unsigned lanes = gpci_path_lanes(step);
    gpci_timed_sm *core = &timed_replay->sms[number];
    gpci_timed_warp *timed_warp = &core->warps[slot];
    const uint8_t copy = step->form->operands.copy;
    const bool copies = copy == GPC_COPY_ASYNC || copy == GPC_COPY_BULK,
               holds = !copies && (instruction->kind == GPC_LOAD || instruction->kind == GPC_ATOMIC);
    gpci_block_run *run = timed_warp->run;
    gpci_warp_run *warp = &run->warps[slot - run->first];
    uint64_t addresses[GPCI_MOST_LANES];
    gpci_address_cursor cursor = warp->addresses;
    const uint32_t range = take_addresses(timed_replay, step, lanes, &cursor, addresses);
    if (GPCI_LIKELY(instruction->space == GPC_SPACE_GLOBAL) &&
        !gpci_replay_enter(timed_replay->replay, run, addresses, range ? 1 : lanes, range ? range : instruction->width))
        return GPC_ERROR_FORMAT;
    gpc_warp_access access = access_of(core, number, slot, step, addresses);
    uint64_t token = token_of(timed_replay, timed_warp, holds), place = 0;
    gpc_status status = GPC_OK;
    const uint32_t mask = GPCI_UNLIKELY(copy == GPC_COPY_BULK) ? targets_of(timed_replay, instruction) : 0;
    if (GPCI_UNLIKELY(mask != 0))
        return send_multicast(timed_replay, slot, step, &access, mask, &cursor, busy);
    if (GPCI_UNLIKELY(copies)) {
        place = gpci_bulk_place(core, slot, run, instruction);
        token = (uint64_t)timed_warp->starts << 1 | 1;
        token |= gpci_token_copies(place, place > GPCI_COPY_GROUPS ? lanes * instruction->width : 0);
        status = place ? GPC_OK : gpci_timed_refuse(timed_replay->replay->hierarchy, number, busy);
    }
    if (!range && GPCI_UNLIKELY(instruction->space != GPC_SPACE_GLOBAL))
        status = issue_other(timed_replay, run, step, &access, addresses, token, busy);
    else if (GPCI_LIKELY(status == GPC_OK))
        status = gpci_timed_issue(timed_replay->replay->hierarchy, &access, range, token, busy);
    if (status != GPC_OK)
        return status;
    if (GPCI_UNLIKELY(copies))
        gpci_bulk_send(core, slot, place);
    if (holds) {
        timed_warp->loads++;
        gpci_scoreboard_send(gpci_board_of(core, slot), &step->form->operands);
    } else {
        timed_warp->others++;
    }
    warp->addresses = cursor;
    core->deeds->in_flight++;
    core->deeds->told++;
    if (GPCI_UNLIKELY(timed_replay->at_once))
        gpci_together_sent(timed_replay->replay, number, run->stream);
    return GPC_OK;
}

/* Send a fence. The warp continues when the fence completes. */
static GPCI_COLD gpc_status send_fence(gpci_timed_replay *timed_replay, uint32_t number, uint32_t slot,
                                       const gpci_path_step *step, gpc_busy *busy) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    gpci_timed_warp *warp = &core->warps[slot];
    gpc_fence fence = GPC_FENCE_INIT;
    gpci_replay_fence(timed_replay->replay, warp->run, &step->form->instruction, number, slot, &fence);
    const gpc_status status =
        gpci_timed_fence(timed_replay->replay->hierarchy, &fence, token_of(timed_replay, warp, false), busy);
    if (status != GPC_OK)
        return status;
    warp->held |= GPCI_HELD_FENCE;
    core->deeds->in_flight++;
    if (GPCI_UNLIKELY(timed_replay->at_once))
        gpci_together_sent(timed_replay->replay, number, warp->run->stream);
    gpci_sm_count(core, step);
    return GPC_OK;
}

void gpci_sm_pass_by(const gpci_timed_sm *core, uint32_t slot, const gpci_path_step *step) {
    gpci_block_run *run = core->warps[slot].run;
    uint64_t addresses[GPCI_MOST_LANES];
    gpci_packed_take(&run->warps[slot - run->first].addresses, gpci_path_lanes(step), addresses);
}

gpc_status gpci_sm_send(gpci_timed_replay *timed_replay, uint32_t number, uint32_t slot, const gpci_path_step *step) {
    const bool memory = GPCI_LIKELY(step->form->instruction.op_class == GPC_OP_MEMORY);
    gpc_busy busy = GPC_BUSY_NOT;
    gpci_timed_sm *core = &timed_replay->sms[number];
    const gpc_status status =
        memory ? send(timed_replay, number, slot, step, &busy) : send_fence(timed_replay, number, slot, step, &busy);
    if (status == GPC_BUSY) { /* the SM sends no further access until the memory pipeline has room */
        core->refused = true;
        core->stirred = timed_replay->all_schedulers;
    }
    return status;
}
