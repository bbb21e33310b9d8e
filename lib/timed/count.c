/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/timed.h"

/* Statistics of the parts, gathered when they are asked for. */

static void add_reorder(gpci_reorder_counts counts, gpc_stats *s) {
    s->l1_reorder_cycles += counts.cycles;
    s->l1_reorder_stalls += counts.stalls;
    s->l1_reordered += counts.reordered;
    s->l1_reorder_switches += counts.switches;
    s->l1_reorder_flushes += counts.flushes;
}

void gpci_timed_add_sm(const gpci_timed *t, uint32_t sm, gpc_stats *s) {
    uint64_t now = t->wheel.now;
    const gpci_stage *stage = &t->l1[sm];
    const gpci_stage_counts *c = &stage->counts;
    s->l1_line_failures += c->failures[GPC_BUSY_LINE];
    s->l1_mshr_failures += c->failures[GPC_BUSY_MSHR];
    s->l1_merge_failures += c->failures[GPC_BUSY_MERGE];
    s->l1_queue_failures += c->failures[GPC_BUSY_MISS_QUEUE];
    s->l1_bank_failures += c->bank_failures;
    if (stage->reorder)
        add_reorder(gpci_reorder_get_counts(stage->reorder, now), s);
    s->l1_line_bypasses += c->passed[GPC_BUSY_LINE];
    s->l1_mshr_bypasses += c->passed[GPC_BUSY_MSHR];
    s->l1_queue_bypasses += c->passed[GPC_BUSY_MISS_QUEUE];
    uint64_t stalls[GPC_BUSY_COUNT];
    for (unsigned r = 0; r < GPC_BUSY_COUNT; r++)
        stalls[r] = c->stalls[r] + (r && stage->held[0].reason == r ? now - stage->held[0].since : 0);
    s->l1_line_stalls += stalls[GPC_BUSY_LINE];
    s->l1_mshr_stalls += stalls[GPC_BUSY_MSHR];
    s->l1_merge_stalls += stalls[GPC_BUSY_MERGE];
    s->l1_queue_stalls += stalls[GPC_BUSY_MISS_QUEUE];
    s->l1_network_stalls += stage->unsent + (stage->unsent_since != GPCI_NEVER ? now - stage->unsent_since : 0);
    s->l1_queue_cycles += gpci_gauge_sum(&stage->waiting_gauge, now);
    s->l1_mshr_cycles += gpci_gauge_sum(&stage->mshr.gauge, now);
    s->l1_miss_queue_cycles += gpci_gauge_sum(&stage->out.gauge, now);
}

static void add_l2(const gpci_timed *t, gpc_stats *s) {
    uint64_t now = t->wheel.now;
    for (uint32_t i = 0; i < t->h->slices; i++) {
        const gpci_stage *stage = &t->l2[i];
        const gpci_stage_counts *c = &stage->counts;
        s->l2_line_failures += c->failures[GPC_BUSY_LINE];
        s->l2_mshr_failures += c->failures[GPC_BUSY_MSHR];
        s->l2_merge_failures += c->failures[GPC_BUSY_MERGE];
        s->l2_queue_failures += c->failures[GPC_BUSY_MISS_QUEUE] + c->failures[GPC_BUSY_NETWORK];
        s->l2_bank_failures += c->bank_failures;
        uint64_t stalls[GPC_BUSY_COUNT];
        for (unsigned r = 0; r < GPC_BUSY_COUNT; r++) {
            stalls[r] = c->stalls[r];
            for (unsigned client = 0; client < 2; client++)
                stalls[r] += r && stage->held[client].reason == r ? now - stage->held[client].since : 0;
        }
        s->l2_line_stalls += stalls[GPC_BUSY_LINE];
        s->l2_mshr_stalls += stalls[GPC_BUSY_MSHR];
        s->l2_merge_stalls += stalls[GPC_BUSY_MERGE];
        s->l2_queue_stalls += stalls[GPC_BUSY_MISS_QUEUE] + stalls[GPC_BUSY_NETWORK];
        s->l2_congested_cycles +=
            stage->congested + (stage->congested_since != GPCI_NEVER ? now - stage->congested_since : 0);
        s->l2_queue_cycles += gpci_gauge_sum(&stage->in.gauge, now);
        s->l2_mshr_cycles += gpci_gauge_sum(&stage->mshr.gauge, now);
        s->l2_miss_queue_cycles += gpci_gauge_sum(&stage->out.gauge, now) + gpci_gauge_sum(&stage->link.gauge, now);
        s->l2_reply_queue_cycles += gpci_gauge_sum(&stage->served.gauge, now);
    }
}

static void add_networks(const gpci_timed *t, gpc_stats *s) {
    gpci_network_stats n = gpci_network_get_stats(t->requests);
    s->network_requests += n.packets;
    s->network_request_cycles += n.cycles;
    s->network_request_bytes += n.bytes;
    s->network_input_cycles += n.input_cycles;
    s->network_output_cycles += n.output_cycles;
    n = gpci_network_get_stats(t->replies);
    s->network_replies += n.packets;
    s->network_reply_cycles += n.cycles;
    s->network_reply_bytes += n.bytes;
    s->network_input_cycles += n.input_cycles;
    s->network_output_cycles += n.output_cycles;
    const gpci_network *links[] = {t->link_requests, t->link_replies, t->memory_requests, t->memory_replies};
    for (unsigned i = 0; i < 4; i++)
        if (links[i]) {
            n = gpci_network_get_stats(links[i]);
            s->link_packets += n.packets;
            s->link_cycles += n.cycles;
        }
}

void gpci_timed_add_rest(const gpci_timed *t, gpc_stats *s) {
    uint64_t cycles = t->wheel.now - t->counted_from;
    s->cycles += cycles;
    s->sm_cycles += cycles * t->h->sms;
    s->l2_cycles += cycles * t->h->slices;
    s->accepted += t->accepted;
    s->completed += t->completed;
    add_l2(t, s);
    add_networks(t, s);
    gpci_dram_add_stats(t->dram, gpci_clock_own(t->dram_clock, t->wheel.now), s);
}

static void reset_gauge(gpci_gauge *gauge, uint64_t now) {
    gauge->since = now;
    gauge->sum = 0;
}

static void reset_stage(gpci_stage *stage, uint64_t now) {
    stage->counts = (gpci_stage_counts){.bank_failures = 0};
    if (stage->reorder)
        gpci_reorder_reset_counts(stage->reorder, now);
    stage->congested = stage->unsent = 0;
    for (unsigned client = 0; client < 2; client++)
        stage->held[client].since = now;
    stage->congested_since = stage->congested_since == GPCI_NEVER ? GPCI_NEVER : now;
    stage->unsent_since = stage->unsent_since == GPCI_NEVER ? GPCI_NEVER : now;
    gpci_gauge *gauges[] = {&stage->waiting_gauge, &stage->mshr.gauge, &stage->in.gauge,
                            &stage->out.gauge,     &stage->link.gauge, &stage->served.gauge};
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
        reset_gauge(gauges[i], now);
}

void gpci_timed_reset_stats(gpci_timed *t) {
    uint64_t now = t->wheel.now;
    t->counted_from = now;
    t->accepted = t->in_flight; /* so that those that are under way are not missed when they complete */
    t->completed = 0;
    for (uint32_t i = 0; i < t->h->sms; i++)
        reset_stage(&t->l1[i], now);
    for (uint32_t i = 0; i < t->h->slices; i++)
        reset_stage(&t->l2[i], now);
    gpci_network *networks[] = {t->requests,     t->replies,         t->link_requests,
                                t->link_replies, t->memory_requests, t->memory_replies};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (networks[i])
            gpci_network_reset_stats(networks[i]);
    gpci_dram_reset_stats(t->dram, gpci_clock_own(t->dram_clock, now));
}
