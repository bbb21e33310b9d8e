/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/data_banks.h"

/* Lines have at most 128 bytes, and all banks together at least 32 bytes (gpci_check_l1_banks). */
#define MOST_TURNS (GPCI_MAX_TRANSACTIONS * 4u)

/* Bit i of the result: bits 2 i or 2 i + 1 of `x`. */
static uint64_t halve(uint64_t x) {
    x = (x | x >> 1) & 0x5555555555555555u;
    x = (x | x >> 1) & 0x3333333333333333u;
    x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
    x = (x | x >> 8) & 0x0000ffff0000ffffu;
    return (x | x >> 16) & 0xffffffffu;
}

/* Touched words of 2^shift bytes (at least 4). */
static uint64_t words_of(const uint64_t bytes[2], unsigned shift) {
    uint64_t half[2] = {bytes[0], bytes[1]};
    for (unsigned i = 0; i < shift && i < 6; i++) {
        half[0] = halve(half[0]);
        half[1] = halve(half[1]);
    }
    return shift > 6 ? half[0] | half[1] : half[0] | half[1] << (64u >> shift);
}

uint32_t gpci_data_turns(const gpci_data_banks *banks, const gpci_transaction *lines, uint32_t count) {
    if (count == 1 && banks->whole)
        return 1;
    const uint64_t all = banks->count < 64 ? ((uint64_t)1 << banks->count) - 1 : UINT64_MAX;
    uint64_t taken[MOST_TURNS]; /* in turn k, banks with more than k words */
    uint32_t turns = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t words = words_of(lines[i].bytes, banks->shift);
        words <<= (lines[i].address >> banks->shift) & (banks->count - 1);
        for (; words; words = banks->count < 64 ? words >> banks->count : 0) {
            uint64_t more = words & all;
            for (uint32_t turn = 0; turn < turns && more; turn++) {
                const uint64_t next = taken[turn] & more;
                taken[turn] |= more;
                more = next;
            }
            if (more)
                taken[turns++] = more;
        }
    }
    return turns;
}

gpc_status gpci_data_queue_create(const gpci_timed *t, gpci_ctrl *ctrl) {
    const uint32_t room = t->l1_options.latency ? t->l1_options.latency : 1;
    if (!t->data_banks.count)
        return GPC_OK;
    ctrl->data_queue = gpci_zalloc(t->context, 1, sizeof *ctrl->data_queue + room * sizeof *ctrl->data_queue->starts);
    if (!ctrl->data_queue)
        return GPC_ERROR_MEMORY;
    ctrl->data_queue->room = room;
    return GPC_OK;
}

void gpci_data_queue_destroy(const gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_free(t->context, ctrl->data_queue);
}

void gpci_data_queue_state(gpci_data_queue *queue, gpci_state_fn visit, void *user_data) {
    visit(user_data, &queue->next, sizeof queue->next);
    visit(user_data, queue->starts, queue->room * sizeof *queue->starts);
}

/* Take the banks' next turns. Returns the cycle of the first. */
static uint64_t take(const gpci_timed *t, gpci_ctrl *ctrl, uint32_t turns) {
    const uint64_t now = t->wheel.now, start = ctrl->data_free > now ? ctrl->data_free : now;
    gpci_data_queue *q = ctrl->data_queue;
    q->starts[q->next] = start;
    q->next = q->next + 1 < q->room ? q->next + 1 : 0;
    ctrl->data_free = start + turns;
    ctrl->counts.data_turns += turns;
    ctrl->counts.data_conflicts += turns - 1;
    ctrl->counts.data_waits += start - now;
    return start;
}

bool gpci_data_read(gpci_timed *t, gpci_ctrl *ctrl, gpci_inflight *inflight) {
    const uint64_t now = t->wheel.now, way = inflight->due > now ? inflight->due - now : 0;
    inflight->due = take(t, ctrl, inflight->turns) + inflight->turns - 1 + way;
    GPCI_AGAIN(ctrl->counts.data_waits_again += inflight->due - way - now - (inflight->turns - 1));
    return !way;
}

uint64_t gpci_data_passed(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p, const gpci_inflight *inflight) {
    if (p->line.kind == GPC_STORE && p->flags & GPCI_PACKET_LAST) {
        take(t, ctrl, inflight->turns);
        GPCI_AGAIN(ctrl->counts.data_waits_again += ctrl->data_free - t->wheel.now - inflight->turns);
    }
    return t->wheel.now + ctrl->options->latency;
}
