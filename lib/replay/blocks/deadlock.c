/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "replay/blocks/copies.h"

#include <stdio.h>

/* Report of a deadlock: warps, and the cause of every wait. */

#define WARPS_NAMED 4u

/* First register the warp's next instruction waits for, written as in a trace. */
static const char *register_of(const uint32_t *board, const gpc_instruction *i, char name[8]) {
    static const char *const files[] = {"R", "UR", "P", "UP"};
    for (uint32_t n = 0; n < (uint32_t)i->destinations + i->sources && n < GPC_MAX_OPERANDS; n++)
        if (!(i->registers[n] & (GPC_REGISTER_BARRIER | GPC_REGISTER_NUMBER)) &&
            board[gpci_register_entry(i->registers[n])] == GPCI_IN_FLIGHT) {
            snprintf(name, 8, "%s%u", files[i->registers[n] >> 8 & 3], i->registers[n] & 255u);
            return name;
        }
    return NULL;
}

static void describe_wait(const gpci_timed_replay *t, uint32_t sm, uint32_t slot, gpci_text *text) {
    const gpci_timed_sm *m = &t->sms[sm];
    const gpci_timed_warp *w = &m->warps[slot];
    char name[8];
    const gpc_scheduler *scheduler = m->issuers[w->issuer].scheduler;
    const char *missing = register_of(gpci_board_of(m, slot).entries, &w->next->form->instruction, name);
    switch (gpci_warp_state(m, w)) {
    case GPC_STATE_WAITING:
        if (w->next->form->operands.copy == GPC_COPY_BARRIER && !missing)
            gpci_text_put(text, "bulk copies that complete at the barrier at 0x%x of shared memory, or its phase",
                          8 * gpci_barrier_of(&w->next->form->instruction));
        else if (w->next->form->operands.copy > GPC_COPY_ASYNC && !missing)
            gpci_text_put(text, "groups of its copies, of which %u are under way",
                          m->copies[slot].open - m->copies[slot].oldest);
        else if (missing)
            gpci_text_put(text, "%s, with %u loads in flight", missing, w->loads);
        else
            gpci_text_put(text, "its %u loads and %u other accesses in flight", w->loads, w->others);
        break;
    case GPC_STATE_BARRIER:
        gpci_text_put(text, "its block at a barrier, %u of %u warps there", w->run->at_barrier, w->run->live);
        break;
    case GPC_STATE_READY:
    case GPC_STATE_READY_MEMORY:
        if (gpci_scheduler_throttle_of(scheduler, w->place))
            gpci_text_put(text, "its throttle, %s", gpci_scheduler_throttle_of(scheduler, w->place));
        else
            gpci_text_put(text, "%s",
                          gpci_warp_state(m, w) == GPC_STATE_READY_MEMORY && m->refused ? "the memory pipeline"
                                                                                        : "its scheduler");
        break;
    default:
        gpci_text_put(text, "its scheduler");
        break;
    }
}

static void describe_warp(const gpci_timed_replay *t, uint32_t sm, uint32_t slot, gpci_text *text) {
    const gpci_timed_warp *w = &t->sms[sm].warps[slot];
    const gpc_instruction *next = &w->next->form->instruction;
    gpci_text_put(text, "%sSM %u, block %u, warp %u at pc 0x%llx (%s) waits for ", text->length ? "; " : "", sm,
                  w->run->block->index, slot - w->run->first, (unsigned long long)next->pc,
                  gpc_trace_opcode(w->run->trace, next->opcode));
    describe_wait(t, sm, slot, text);
}

/* Describe the first few warps and count the rest. */
static void describe_warps(const gpci_timed_replay *t, gpci_text *text) {
    uint32_t found = 0;
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++)
        for (uint32_t slot = 0; slot < t->slots; slot++)
            if (t->sms[sm].warps[slot].run && ++found <= WARPS_NAMED)
                describe_warp(t, sm, slot, text);
    if (!found)
        gpci_text_put(text, "no warp is left");
    if (found > WARPS_NAMED)
        gpci_text_put(text, "; and %u more warps", found - WARPS_NAMED);
}

gpc_status gpci_timed_stuck(const gpci_timed_replay *t, gpc_error *error) {
    uint64_t now = gpci_timed_now(t->r->hierarchy);
    char warps[672], report[256] = "";
    gpci_text text = gpci_text_of(warps, sizeof warps);
    describe_warps(t, &text);
    gpci_timed_report(t->r->hierarchy, report, sizeof report);
    return gpci_fail(error, GPC_ERROR_STATE,
                     "%s: no progress since cycle %llu of the kernel, now %llu: %s. %llu accesses in flight. %s",
                     t->r->kernel.file, (unsigned long long)(t->progress - t->launched),
                     (unsigned long long)(now - t->launched), warps, (unsigned long long)t->in_flight, report);
}
