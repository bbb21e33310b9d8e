/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/timed_replay.h"

#include <stdio.h>
#include <string.h>

/* Nothing moves any more: who waits for what. */

#define WARPS_NAMED 4u

static void append(char *text, size_t size, const char *more) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

/* First register that a warp's next instruction waits for, as a trace writes it. */
static const char *register_of(const uint64_t *board, const gpc_instruction *i, char name[8]) {
    static const char *const files[] = {"R", "UR", "P", "UP"};
    for (uint32_t n = 0; n < (uint32_t)i->destinations + i->sources && n < GPC_MAX_OPERANDS; n++)
        if (board[gpci_scoreboard_entry(i->registers[n])] == GPCI_NEVER) {
            snprintf(name, 8, "%s%u", files[i->registers[n] >> 8 & 3], i->registers[n] & 255u);
            return name;
        }
    return NULL;
}

static void describe_wait(const gpci_timed_replay *t, uint32_t sm, uint32_t slot, char *text, size_t size) {
    const gpci_timed_sm *m = &t->sms[sm];
    const gpci_timed_warp *w = &m->warps[slot];
    char name[8];
    const gpc_scheduler *scheduler = m->issuers[w->issuer].scheduler;
    const char *missing = register_of(gpci_board_of(m, slot), w->next, name);
    switch (gpci_warp_state(m, w)) {
    case GPC_STATE_WAITING:
        if (missing)
            snprintf(text, size, "%s, with %u loads in flight", missing, w->loads);
        else
            snprintf(text, size, "its %u loads and %u other accesses in flight", w->loads, w->others);
        break;
    case GPC_STATE_BARRIER:
        snprintf(text, size, "its block at a barrier, %u of %u warps there", w->run->at_barrier, w->run->live);
        break;
    case GPC_STATE_READY:
    case GPC_STATE_READY_MEMORY:
        if (gpci_scheduler_throttle_of(scheduler, w->place))
            snprintf(text, size, "its throttle, %s", gpci_scheduler_throttle_of(scheduler, w->place));
        else
            snprintf(text, size, "%s",
                     gpci_warp_state(m, w) == GPC_STATE_READY_MEMORY && m->refused ? "the memory pipeline"
                                                                                   : "its scheduler");
        break;
    default:
        snprintf(text, size, "its scheduler");
        break;
    }
}

static void describe_warp(const gpci_timed_replay *t, uint32_t sm, uint32_t slot, char *text, size_t size) {
    const gpci_timed_warp *w = &t->sms[sm].warps[slot];
    char wait[64], line[192];
    describe_wait(t, sm, slot, wait, sizeof wait);
    snprintf(line, sizeof line, "%sSM %u, block %u, warp %u at pc 0x%llx (%s) waits for %s", *text ? "; " : "", sm,
             w->run->block->index, slot - w->run->slot * w->run->block->warp_count, (unsigned long long)w->next->pc,
             gpc_trace_opcode(t->r->trace, w->next->opcode), wait);
    append(text, size, line);
}

/* The first few warps; all others are counted. Returns how many there are. */
static uint32_t describe_warps(const gpci_timed_replay *t, char *text, size_t size) {
    uint32_t found = 0;
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++)
        for (uint32_t slot = 0; slot < t->slots; slot++)
            if (t->sms[sm].warps[slot].run && ++found <= WARPS_NAMED)
                describe_warp(t, sm, slot, text, size);
    return found;
}

gpc_status gpci_timed_stuck(const gpci_timed_replay *t, gpc_error *error) {
    uint64_t now = gpci_timed_now(t->r->hierarchy);
    char warps[640] = "", more[32] = "", report[256] = "";
    uint32_t found = describe_warps(t, warps, sizeof warps);
    if (found > WARPS_NAMED)
        snprintf(more, sizeof more, "; and %u more warps", found - WARPS_NAMED);
    gpci_timed_report(t->r->hierarchy, report, sizeof report);
    return gpci_fail(error, GPC_ERROR_STATE,
                     "%s: no progress since cycle %llu of the kernel, now %llu: %s%s. %llu accesses in flight. %s",
                     t->r->kernel.file, (unsigned long long)(t->progress - t->launched),
                     (unsigned long long)(now - t->launched), found ? warps : "no warp is left", more,
                     (unsigned long long)t->in_flight, report);
}
