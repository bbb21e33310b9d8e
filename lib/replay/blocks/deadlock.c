/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "replay/blocks/copies.h"

#include <stdio.h>

/* Text about a deadlock: the waiting warps, and the cause of each wait. */

#define WARPS_NAMED 4u

/* Name, as in a trace, of the first register for which the warp's next instruction waits; NULL: no register. */
static const char *register_of(const uint32_t *board, const gpc_instruction *instruction, char name[8]) {
    static const char *const files[] = {"R", "UR", "P", "UP"};
    for (uint32_t n = 0; n < (uint32_t)instruction->destinations + instruction->sources && n < GPC_MAX_OPERANDS; n++)
        if (!(instruction->registers[n] & (GPC_REGISTER_BARRIER | GPC_REGISTER_NUMBER)) &&
            board[gpci_register_entry(instruction->registers[n])] == GPCI_IN_FLIGHT) {
            snprintf(name, 8, "%s%u", files[instruction->registers[n] >> 8 & 3], instruction->registers[n] & 255u);
            return name;
        }
    return NULL;
}

static void describe_wait(const gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, gpci_text *text) {
    const gpci_timed_sm *core = &timed_replay->sms[sm];
    const gpci_timed_warp *warp = &core->warps[slot];
    char name[8];
    const gpc_scheduler *scheduler = core->issuers[warp->issuer].scheduler;
    const char *missing = register_of(gpci_board_of(core, slot).entries, &warp->next->form->instruction, name);
    switch (gpci_warp_state(core, warp)) {
    case GPC_STATE_WAITING:
        if (warp->next->form->operands.copy == GPC_COPY_BARRIER && !missing)
            gpci_text_put(text, "bulk copies that complete at the barrier at 0x%x of shared memory, or its phase",
                          8 * gpci_barrier_of(&warp->next->form->instruction));
        else if (warp->next->form->operands.copy > GPC_COPY_ASYNC && !missing)
            gpci_text_put(text, "groups of its copies, of which %u are under way",
                          core->copies[slot].open - core->copies[slot].oldest);
        else if (missing)
            gpci_text_put(text, "%s, with %u loads in flight", missing, warp->loads);
        else
            gpci_text_put(text, "its %u loads and %u other accesses in flight", warp->loads, warp->others);
        break;
    case GPC_STATE_BARRIER:
        gpci_text_put(text, "its block at a barrier, %u of %u warps there", warp->run->at_barrier, warp->run->live);
        break;
    case GPC_STATE_READY:
    case GPC_STATE_READY_MEMORY:
        if (gpci_scheduler_throttle_of(scheduler, warp->place))
            gpci_text_put(text, "its throttle, %s", gpci_scheduler_throttle_of(scheduler, warp->place));
        else
            gpci_text_put(text, "%s",
                          gpci_warp_state(core, warp) == GPC_STATE_READY_MEMORY && core->refused ? "the memory pipeline"
                                                                                                 : "its scheduler");
        break;
    default:
        gpci_text_put(text, "its scheduler");
        break;
    }
}

static void describe_warp(const gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, gpci_text *text) {
    const gpci_timed_warp *warp = &timed_replay->sms[sm].warps[slot];
    const gpc_instruction *next = &warp->next->form->instruction;
    gpci_text_put(text, "%sSM %u, block %u, warp %u at pc 0x%llx (%s) waits for ", text->length ? "; " : "", sm,
                  warp->run->block->index, slot - warp->run->first, (unsigned long long)next->pc,
                  gpc_trace_opcode(warp->run->trace, next->opcode));
    describe_wait(timed_replay, sm, slot, text);
}

/* Describe the first WARPS_NAMED warps, and count the other warps. */
static void describe_warps(const gpci_timed_replay *timed_replay, gpci_text *text) {
    uint32_t found = 0;
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++)
        for (uint32_t slot = 0; slot < timed_replay->slots; slot++)
            if (timed_replay->sms[sm].warps[slot].run && ++found <= WARPS_NAMED)
                describe_warp(timed_replay, sm, slot, text);
    if (!found)
        gpci_text_put(text, "no warp is left");
    if (found > WARPS_NAMED)
        gpci_text_put(text, "; and %u more warps", found - WARPS_NAMED);
}

gpc_status gpci_timed_stuck(const gpci_timed_replay *timed_replay, gpc_error *error) {
    uint64_t now = gpci_timed_now(timed_replay->replay->hierarchy);
    char warps[672], report[256] = "";
    gpci_text text = gpci_text_of(warps, sizeof warps);
    describe_warps(timed_replay, &text);
    gpci_timed_report(timed_replay->replay->hierarchy, report, sizeof report);
    return gpci_fail(
        error, GPC_ERROR_STATE,
        "%s: no progress since cycle %llu of the kernel, now %llu: %s. %llu accesses in flight. %s",
        timed_replay->replay->kernel.file, (unsigned long long)(timed_replay->progress - timed_replay->launched),
        (unsigned long long)(now - timed_replay->launched), warps, (unsigned long long)timed_replay->in_flight, report);
}
