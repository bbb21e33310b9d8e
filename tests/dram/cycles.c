/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "rig.h"

#include <stdio.h>

/* Every time alone, on the rig's small channel: not ended at cycle n - 1, ended at n. */

/* Data of `token` are ready at `cycle`, not the cycle before. */
static void expect_done(rig *r, uint64_t token, uint64_t cycle) {
    rig_advance(r, cycle - 1 - gpc_dram_now(r->dram));
    cr_assert_eq(done_at(r, token), UINT64_MAX);
    rig_advance(r, 1);
    cr_assert_eq(done_at(r, token), cycle);
}

Test(dram_cycles, idle_read_is_activation_read_and_burst) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 1);
    expect_done(r, 1, 7 + 9 + 2);
    rig_close(r);
}

Test(dram_cycles, latency_is_added_to_reads_alone) {
    rig *r = rig_open("dram.latency=30");
    rig_request(r, at(0, 0, 0), false, 1);
    expect_done(r, 1, 7 + 9 + 2 + 30);
    rig_close(r);
    r = rig_open("dram.latency=30");
    rig_request(r, at(0, 0, 0), true, 1);
    expect_done(r, 1, 6 + 4 + 2);
    rig_close(r);
}

Test(dram_cycles, row_hit_has_no_activation) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 1);
    rig_advance(r, 100);
    rig_request(r, at(0, 0, 1), false, 2);
    expect_done(r, 2, 100 + 9 + 2);
    rig_close(r);
}

Test(dram_cycles, row_conflict_precharges_first) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 1);
    rig_advance(r, 100);
    rig_request(r, at(1, 0, 0), false, 2);
    expect_done(r, 2, 100 + 5 + 7 + 9 + 2);
    rig_close(r);
}

Test(dram_cycles, conflict_at_once_waits_for_tras_and_trc) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 1);
    rig_request(r, at(1, 0, 0), false, 2);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_PRECHARGE, 0), 20); /* tRAS */
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 1), 26);  /* tRC, one more than tRAS + tRP */
    rig_close(r);
}

Test(dram_cycles, reads_of_one_group_and_of_two) {
    rig *r = rig_open("dram.trrd_s=1 dram.trrd_l=1");
    for (uint32_t bank = 0; bank < 3; bank++)
        rig_request(r, at(0, bank, 0), false, bank);
    rig_advance(r, 200);
    size_t before = r->event_count;
    rig_request(r, at(0, 0, 1), false, 3);
    rig_request(r, at(0, 1, 1), false, 4);
    rig_drain(r);
    cr_assert_eq(r->events[before + 1].cycle - r->events[before].cycle, 4); /* tCCD_L: banks 0 and 1 share a group */
    rig_advance(r, 100);
    before = r->event_count;
    rig_request(r, at(0, 0, 2), false, 5);
    rig_request(r, at(0, 2, 2), false, 6);
    rig_drain(r);
    cr_assert_eq(r->events[before + 1].cycle - r->events[before].cycle, 2); /* tCCD_S */
    rig_close(r);
}

Test(dram_cycles, activations_of_one_group_and_of_two) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 0);
    rig_request(r, at(0, 1, 0), false, 1);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 1), 5); /* tRRD_L */
    rig_close(r);
    r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 0);
    rig_request(r, at(0, 2, 0), false, 1);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 1), 3); /* tRRD_S */
    rig_close(r);
}

Test(dram_cycles, fifth_activation_waits_for_the_window) {
    rig *r = rig_open("dram.bank_groups=4 dram.tfaw=40");
    for (uint64_t i = 0; i < 5; i++)
        rig_request(r, i * 4 * 64, false, i); /* four groups, then the next bank */
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 3), 9);  /* three tRRD_S */
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 4), 40); /* tFAW */
    rig_close(r);
}

Test(dram_cycles, write_to_read_and_read_to_write) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), true, 0);
    rig_advance(r, 6); /* the write went at 6 */
    rig_request(r, at(0, 0, 1), false, 1);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_WRITE, 0), 6);
    cr_assert_eq(nth(r, GPCI_DRAM_READ, 0), 6 + 4 + 2 + 8); /* tCWL, burst, tWTR_L */
    uint64_t read = nth(r, GPCI_DRAM_READ, 0);
    rig_close(r);
    r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), false, 0);
    rig_advance(r, 7);
    rig_request(r, at(0, 0, 1), true, 1);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_WRITE, 0), 7 + 9 + 2 + 2 - 4); /* tCL, burst, tRTW, less tCWL */
    rig_close(r);
    cr_assert_eq(read, 20);
}

Test(dram_cycles, write_recovers_before_its_row_closes) {
    rig *r = rig_open(NULL);
    rig_request(r, at(0, 0, 0), true, 0);
    rig_request(r, at(1, 0, 0), true, 1);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_PRECHARGE, 0), 6 + 4 + 2 + 11); /* tRCD, tCWL, burst, tWR: past tRAS */
    rig_close(r);
}

Test(dram_cycles, refresh_holds_up_what_comes_with_it) {
    rig *r = rig_open("dram.refresh=all-bank");
    rig_advance(r, 999);
    rig_request(r, at(0, 0, 0), false, 1); /* activation at 999, then the refresh is due */
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_PRECHARGE_ALL, 0), 999 + 20);
    cr_assert_eq(nth(r, GPCI_DRAM_REFRESH, 0), 999 + 26);
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 1), 999 + 26 + 60);
    cr_assert_eq(rig_stats(r).dram_row_hits, 0);
    rig_close(r);
    r = rig_open("dram.refresh=all-bank");
    rig_advance(r, 1000);
    rig_request(r, at(0, 0, 0), false, 1);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 0), 1060);
    rig_close(r);
}

Test(dram_cycles, idle_channel_refreshes_all_the_same) {
    rig *r = rig_open("dram.refresh=all-bank");
    gpci_dram_on_command(r->dram, NULL, NULL); /* as without an observer */
    cr_assert_eq(gpc_dram_next_event(r->dram), UINT64_MAX);
    rig_advance(r, 4999999);
    cr_assert_eq(rig_stats(r).dram_refreshes, 4999);
    rig_advance(r, 1);
    cr_assert_eq(rig_stats(r).dram_refreshes, 5000);
    rig_request(r, at(0, 0, 0), false, 1);
    rig_drain(r);
    cr_assert_eq(done_at(r, 1), 5000000 + 60 + 18);
    cr_assert_eq(rig_stats(r).dram_refreshes, 5000);
    rig_close(r);
}

/* More channels than bits in a word: one channel's work is known, and only this channel is due. */
Test(dram_cycles, many_channels) {
    rig *one = rig_open(NULL), *many = rig_open("dram.channels=70");
    rig_request(one, 0, false, 1);
    cr_assert_eq(gpc_dram_try_request(many->dram, 69, 0, false, 1, NULL), GPC_OK);
    do {
        const uint64_t next = gpc_dram_next_event(one->dram);
        cr_assert_eq(gpc_dram_next_event(many->dram), next);
        if (next == UINT64_MAX)
            break;
        const uint64_t now = gpc_dram_now(one->dram);
        rig_advance(one, next > now ? next - now : 1);
        rig_advance(many, next > now ? next - now : 1);
    } while (gpc_dram_now(one->dram) < 1000);
    cr_assert_eq(one->done_count, 1);
    cr_assert_eq(done_at(many, 1), done_at(one, 1));
    rig_close(one);
    rig_close(many);
}

/* A longer wait between groups than within one holds within one, too. */
Test(dram_cycles, reads_after_writes_of_a_group) {
    for (unsigned bank = 0; bank < 3; bank++) { /* banks 0 and 1 are of a group */
        rig *r = rig_open("dram.twtr_s=12 dram.twtr_l=3");
        rig_request(r, at(0, 0, 0), false, 1);
        rig_request(r, at(0, bank, 1), false, 2);
        rig_drain(r); /* both rows are open */
        rig_request(r, at(0, 0, 2), true, 3);
        rig_advance(r, 1);
        rig_request(r, at(0, bank, 3), false, 4);
        rig_drain(r);
        const uint64_t written = done_at(r, 3);
        cr_expect_eq(nth(r, GPCI_DRAM_READ, 2), written + 12, "bank %u: %llu, written %llu", bank,
                     (unsigned long long)nth(r, GPCI_DRAM_READ, 2), (unsigned long long)written);
        rig_close(r);
    }
}

/* All times count: a refresh period is refused unless longer than all of them together. */
Test(dram_cycles, refresh_leaves_time) {
    /* timings of the rig, in the order of the settings, and the burst */
    const unsigned together = 7 + 6 + 5 + 9 + 4 + 20 + 26 + 3 + 5 + 30 + 11 + 6 + 8 + 2 + 4 + 2 + 4 + 60 + 2;
    char settings[64];
    snprintf(settings, sizeof settings, "dram.refresh=all-bank dram.trefi=%u", together + 1);
    rig *r = rig_open(settings);
    gpc_error error = GPC_ERROR_INIT;
    gpc_dram *dram = NULL;
    char number[16];
    snprintf(number, sizeof number, "%u", together);
    cr_assert_eq(gpc_config_set(r->config, "dram.trefi", number, &error), GPC_OK);
    cr_expect_eq(gpc_dram_create(r->context, r->config, &dram, &error), GPC_ERROR_RANGE, "%s", error.message);
    cr_expect_null(dram);
    rig_close(r);
}

/* Four banks, tREFI 1000: one each 250 cycles, for 40. Bank 1's is due at 500; bank 0 is served meanwhile. */
Test(dram_cycles, refresh_of_a_bank_holds_up_that_bank) {
    rig *r = rig_open("dram.refresh=per-bank");
    rig_advance(r, 495);
    rig_request(r, at(0, 1, 0), false, 1); /* activation at 495: the refresh waits for tRAS and tRP */
    rig_advance(r, 10);
    rig_request(r, at(0, 0, 0), false, 0);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_REFRESH_BANK, 0), 250);
    cr_assert_eq(nth(r, GPCI_DRAM_PRECHARGE, 0), 495 + 20);
    cr_assert_eq(nth(r, GPCI_DRAM_REFRESH_BANK, 1), 495 + 26);
    cr_assert_eq(done_at(r, 0), 505 + 7 + 9 + 2);
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 2), 495 + 26 + 40); /* bank 1 again: the read came too late at 500 */
    cr_assert_eq(nth(r, GPCI_DRAM_REFRESH, 0), UINT64_MAX);
    rig_close(r);
    r = rig_open("dram.refresh=per-bank");
    rig_advance(r, 502);
    rig_request(r, at(0, 2, 0), false, 1); /* tRREFD of 9 from the refresh of bank 1 */
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_ACTIVATE, 0), 500 + 9);
    rig_close(r);
}

/* Two banks in a group: each pair of one number twice in 1000 cycles. */
Test(dram_cycles, refresh_of_the_same_bank_of_each_group) {
    rig *r = rig_open("dram.refresh=same-bank");
    rig_advance(r, 252);
    for (uint32_t bank = 0; bank < 4; bank++)
        rig_request(r, at(0, bank, 0), false, bank);
    rig_drain(r);
    cr_assert_eq(nth(r, GPCI_DRAM_REFRESH_BANK, 0), 250);
    for (uint32_t bank = 0; bank < 4; bank++)
        cr_assert(bank & 1 ? done_at(r, bank) < 290 : done_at(r, bank) >= 290 + 18, "bank %u", bank);
    rig_close(r);
}

/* Banks that could close in one cycle close in order, a command a cycle. */
Test(dram_cycles, banks_close_in_order_before_their_refresh) {
    rig *r = rig_open("dram.refresh=same-bank");
    uint32_t closed = 0;
    rig_request(r, at(0, 2, 0), false, 0);
    rig_request(r, at(0, 0, 0), false, 1);
    rig_advance(r, 300);
    rig_request(r, at(0, 1, 0), false, 2); /* refreshes are carried out before the next request */
    rig_drain(r);
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].command == GPCI_DRAM_PRECHARGE)
            cr_expect_eq(r->events[i].bank, 2 * closed++);
    cr_assert_eq(closed, 2);
    cr_expect_eq(nth(r, GPCI_DRAM_PRECHARGE, 1), nth(r, GPCI_DRAM_PRECHARGE, 0) + 1);
    rig_close(r);
}

/* After any idle time, the banks' turns, counters and times equal those of a channel run continuously. */
Test(dram_cycles, idle_channel_refreshes_its_banks_in_turn) {
    static const char *const kinds[] = {"dram.refresh=per-bank", "dram.refresh=per-bank dram.trfc_bank=700",
                                        "dram.refresh=same-bank"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint64_t idle = 247; idle < 253; idle++) {
            rig *all = rig_open(kinds[k]), *lazy = rig_open(kinds[k]);
            gpci_dram_on_command(lazy->dram, NULL, NULL);
            rig_request(all, at(3, 1, 0), false, 9);
            rig_request(lazy, at(3, 1, 0), false, 9);
            rig_advance(all, 5000 + idle);
            rig_advance(lazy, 5000 + idle);
            const measured_stats a = rig_stats(all), b = rig_stats(lazy);
            cr_assert_eq(a.dram_refreshes, b.dram_refreshes);
            cr_assert_eq(a.dram_refreshes, (5000 + idle) / 250);
            cr_assert(a.dram_precharges == 1 && b.dram_precharges == 1);
            for (uint32_t bank = 0; bank < 4; bank++) {
                rig_request(all, at(0, bank, 0), false, bank);
                rig_request(lazy, at(0, bank, 0), false, bank);
            }
            rig_drain(all);
            rig_drain(lazy);
            for (uint32_t bank = 0; bank < 4; bank++)
                cr_assert_eq(done_at(all, bank), done_at(lazy, bank), "%s, %u: %llu", kinds[k], bank,
                             (unsigned long long)done_at(all, bank));
            cr_assert_eq(rig_stats(all).dram_refreshes, rig_stats(lazy).dram_refreshes);
            cr_assert_eq(violations(all), 0);
            rig_close(all);
            rig_close(lazy);
        }
}
