/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "rig.h"

/* Order of requests. */

static void expect_order(const rig *r, const uint64_t *tokens, size_t count) {
    cr_assert_eq(r->done_count, count);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(r->done[i].token, tokens[i], "place %zu has %llu", i, (unsigned long long)r->done[i].token);
}

static void three_of_a_bank(rig *r) {
    rig_request(r, at(0, 0, 0), false, 1);
    rig_request(r, at(1, 0, 0), false, 2);
    rig_request(r, at(0, 0, 1), false, 3);
    rig_drain(r);
}

Test(dram_order, row_hits_go_first) {
    rig *r = rig_open(NULL);
    three_of_a_bank(r);
    expect_order(r, (uint64_t[]){1, 3, 2}, 3);
    cr_assert_eq(rig_stats(r).dram_row_hits, 1);
    cr_assert_eq(rig_stats(r).dram_activates, 2);
    rig_close(r);
}

Test(dram_order, fcfs_keeps_to_arrival) {
    rig *r = rig_open("dram.scheduler=fcfs");
    three_of_a_bank(r);
    expect_order(r, (uint64_t[]){1, 2, 3}, 3);
    cr_assert_eq(rig_stats(r).dram_row_hits, 0);
    cr_assert_eq(rig_stats(r).dram_activates, 3);
    rig_close(r);
}

Test(dram_order, by_bank_row_hits_go_first) {
    rig *r = rig_open("dram.scheduler=by-bank");
    three_of_a_bank(r);
    expect_order(r, (uint64_t[]){1, 3, 2}, 3);
    cr_assert_eq(rig_stats(r).dram_row_hits, 1);
    cr_assert_eq(rig_stats(r).dram_activates, 2);
    for (size_t i = 0; i < r->event_count; i++)
        cr_expect(!r->events[i].auto_precharge, "command %zu: rows stay open here", i);
    rig_close(r);
}

/* A bank that has taken a write keeps it; under fr-fcfs the read would pass. */
Test(dram_order, by_bank_reads_and_writes_wait_together) {
    static const char *const schedulers[] = {"dram.scheduler=by-bank", "dram.scheduler=fr-fcfs"};
    for (unsigned i = 0; i < 2; i++) {
        rig *r = rig_open(schedulers[i]);
        rig_request(r, at(0, 0, 0), true, 1);
        rig_request(r, at(0, 0, 1), false, 2);
        rig_drain(r);
        expect_order(r, i ? (uint64_t[]){2, 1} : (uint64_t[]){1, 2}, 2);
        rig_close(r);
    }
}

/* Four wait, reads and writes together, and each of the two banks has one present. */
Test(dram_order, by_bank_has_one_queue) {
    rig *r = rig_open("dram.scheduler=by-bank dram.read_queue=4");
    for (uint64_t i = 0; i < 4; i++)
        rig_request(r, at(0, (uint32_t)i & 1, 0), i & 2, i);
    cr_assert_eq(gpc_dram_try_request(r->dram, 0, at(0, 0, 0), true, 4, NULL), GPC_BUSY);
    rig_advance(r, 2);
    rig_request(r, at(0, 0, 0), true, 4);
    rig_request(r, at(0, 1, 0), false, 5);
    cr_assert_eq(gpc_dram_try_request(r->dram, 0, at(0, 0, 0), false, 6, NULL), GPC_BUSY);
    rig_drain(r);
    cr_assert_eq(r->done_count, 6);
    rig_close(r);
}

/* The first bank writes after tRCD, when the third, tRRD after the second, may be activated: at once on two buses. */
Test(dram_order, by_bank_commands_have_a_bus_or_two) {
    static const char *const settings[] = {"dram.scheduler=by-bank dram.command_bus=single",
                                           "dram.scheduler=by-bank dram.command_bus=dual"};
    for (unsigned dual = 0; dual < 2; dual++) {
        rig *r = rig_open(settings[dual]);
        rig_request(r, at(0, 0, 0), true, 1);
        rig_request(r, at(0, 2, 0), true, 2);
        rig_request(r, at(0, 1, 0), true, 3);
        rig_drain(r);
        cr_expect_eq(nth(r, GPCI_DRAM_WRITE, 0), 6);
        cr_expect_eq(nth(r, GPCI_DRAM_ACTIVATE, 2), dual ? 6 : 7);
        rig_close(r);
    }
}

/* Hits arrive forever, every tCCD_L, one of them at 99; the request to another row waits for the cap. */
static uint64_t precharge_under(const char *cap) {
    rig *r = rig_open(cap);
    rig_request(r, at(0, 0, 0), false, 0);
    rig_request(r, at(1, 0, 0), false, 1);
    for (uint64_t i = 2; i < 60; i++) {
        rig_request(r, at(0, 0, (uint32_t)i & 3), false, i);
        rig_advance(r, 4);
    }
    rig_drain(r);
    uint64_t cycle = nth(r, GPCI_DRAM_PRECHARGE, 0);
    rig_close(r);
    return cycle;
}

Test(dram_order, age_cap_ends_the_row_hits) {
    cr_assert_eq(precharge_under("dram.trtp=1 dram.age_cap=100"), 100);
    cr_assert_eq(precharge_under("dram.trtp=1 dram.age_cap=101"), 101);
    cr_assert_eq(precharge_under("dram.trtp=1 dram.age_cap=0"), 20); /* tRAS: no younger request passes at all */
    cr_assert_gt(precharge_under("dram.trtp=1 dram.age_cap=unlimited"), 58 * 4);
}

Test(dram_order, writes_wait_until_there_are_many) {
    rig *r = rig_open("dram.write_high=4 dram.write_low=2 dram.write_queue=8");
    for (uint64_t i = 0; i < 8; i++)
        rig_request(r, at(0, 0, (uint32_t)i & 3), false, i);
    for (uint64_t i = 0; i < 3; i++)
        rig_request(r, at(0, 2, (uint32_t)i), true, 100 + i);
    rig_drain(r);
    cr_assert_gt(nth(r, GPCI_DRAM_WRITE, 0), nth(r, GPCI_DRAM_READ, 7));
    rig_close(r);
    r = rig_open("dram.write_high=3 dram.write_low=1 dram.write_queue=8");
    for (uint64_t i = 0; i < 8; i++)
        rig_request(r, at(0, 0, (uint32_t)i & 3), false, i);
    for (uint64_t i = 0; i < 3; i++)
        rig_request(r, at(0, 2, (uint32_t)i), true, 100 + i);
    rig_drain(r);
    cr_assert_lt(nth(r, GPCI_DRAM_WRITE, 1), nth(r, GPCI_DRAM_READ, 0)); /* two go, then one is left */
    cr_assert_gt(nth(r, GPCI_DRAM_WRITE, 2), nth(r, GPCI_DRAM_READ, 7));
    rig_close(r);
}

Test(dram_order, closed_page_closes_after_the_last) {
    rig *r = rig_open("dram.page=closed");
    rig_request(r, at(0, 0, 0), false, 1);
    rig_request(r, at(0, 0, 1), false, 2);
    rig_advance(r, 100);
    cr_assert_eq(rig_stats(r).dram_precharges, 1);
    cr_assert_eq(rig_stats(r).dram_row_hits, 1);
    rig_request(r, at(1, 0, 0), false, 3);
    rig_drain(r);
    cr_assert_eq(done_at(r, 3), 100 + 7 + 9 + 2);
    rig_close(r);
}

Test(dram_order, full_queue_is_busy) {
    rig *r = rig_open("dram.read_queue=2");
    rig_request(r, at(0, 0, 0), false, 1);
    rig_request(r, at(0, 0, 1), false, 2);
    cr_assert_eq(gpc_dram_try_request(r->dram, 0, 0, false, 3, NULL), GPC_BUSY);
    cr_assert_eq(gpc_dram_try_request(r->dram, 0, at(0, 2, 0), true, 4, NULL), GPC_OK);
    rig_advance(r, 6);
    cr_assert_eq(gpc_dram_try_request(r->dram, 0, 0, false, 3, NULL), GPC_BUSY);
    rig_advance(r, 1); /* the read at tRCD leaves the queue */
    cr_assert_eq(gpc_dram_try_request(r->dram, 0, 0, false, 3, NULL), GPC_OK);
    rig_drain(r);
    cr_assert_eq(r->done_count, 4);
    rig_close(r);
}

/* A queue of one read: free again when the command is sent, while earlier data are under way. */
Test(dram_order, queues_do_not_bound_what_is_under_way) {
    rig *r = rig_open("dram.read_queue=1 dram.write_queue=1 dram.write_high=1 dram.write_low=0");
    uint64_t sent = 0, most = 0;
    while (sent < 40) {
        if (gpc_dram_try_request(r->dram, 0, at(0, sent % 2 * 2, (uint32_t)(sent / 2 % 4)), false, sent, NULL) ==
            GPC_OK)
            sent++;
        rig_advance(r, 1);
        if (sent - r->done_count > most)
            most = sent - r->done_count;
    }
    cr_expect_eq(most, 6, "%llu: one each 2 cycles, whose data take 9 and 2", (unsigned long long)most);
    rig_drain(r);
    cr_assert_eq(r->done_count, 40);
    rig_close(r);
}

Test(dram_order, gauges_by_hand) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 1); /* queued 0 to 7 */
    rig_request(r, at(0, 0, 1), false, 2); /* 0 to 11, tCCD_L later */
    rig_advance(r, 50);
    measured_stats stats = rig_stats(r);
    cr_assert_eq(stats.dram_queue_cycles, 7 + 11);
    cr_assert_eq(stats.dram_read_cycles, 18 + 22);
    cr_assert_eq(stats.dram_busy_cycles, 4);
    cr_assert_eq(stats.dram_cycles, 50);
    cr_assert_eq(stats.dram_reads, 2);
    cr_assert_eq(stats.dram_writes, 0);
    rig_close(r);
}
