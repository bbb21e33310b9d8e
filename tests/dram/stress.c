/* SPDX-License-Identifier: BSD-2-Clause */
#include "rig.h"

#include "effort.h"
#include "measured.h"

#include <stdio.h>

#include <string.h>

/* Random streams on many configurations: every rule kept, every request completed once, every run equal. */

static const char *const configurations[] = {
    "dram.refresh=all-bank",
    "dram.refresh=all-bank dram.command_bus=dual dram.tccd_s=1 dram.burst_cycles=1",
    "dram.refresh=all-bank dram.page=closed dram.trefi=333",
    "dram.scheduler=fcfs dram.refresh=all-bank",
    "dram.scheduler=fcfs dram.page=closed",
    "dram.age_cap=50 dram.bank_hash=xor",
    "dram.age_cap=0 dram.refresh=all-bank",
    "dram.bank_groups=4 dram.group_banks=4 dram.tfaw=60 dram.refresh=all-bank dram.age_cap=300",
    "dram.read_queue=1 dram.write_queue=1 dram.write_high=1 dram.write_low=0",
    "dram.pseudo_channels=2 dram.refresh=all-bank dram.age_cap=200",
    "dram.pseudo_channels=4 dram.page=closed dram.command_bus=dual dram.refresh=all-bank",
    "dram.refresh=per-bank",
    "dram.refresh=per-bank dram.command_bus=dual dram.page=closed dram.trefi=700",
    "dram.refresh=per-bank dram.scheduler=fcfs dram.pseudo_channels=2",
    "dram.refresh=per-bank dram.age_cap=0 dram.bank_groups=4 dram.group_banks=4 dram.trefi=3000 dram.trfc_bank=400",
    "dram.refresh=same-bank dram.age_cap=200",
    "dram.refresh=same-bank dram.page=closed dram.bank_groups=4 dram.trefi=900 dram.trrefd=30",
    "dram.scheduler=by-bank dram.tfaw=0",
    "dram.scheduler=by-bank dram.tfaw=0 dram.read_queue=5 dram.bank_groups=4 dram.group_banks=4",
    "dram.scheduler=by-bank dram.tfaw=0 dram.pseudo_channels=2 dram.latency=20",
    "dram.scheduler=by-bank dram.tfaw=0 dram.command_bus=dual",
    "dram.read_queue=200 dram.write_queue=7 dram.write_high=5 dram.write_low=1 dram.latency=77",
};

#define COUNT 700

/* Requests by `seed`: hot rows, writes, pauses. */
static void feed(rig *r, uint64_t seed) {
    for (uint64_t i = 0; i < COUNT;) {
        uint64_t draw = gpci_random(&seed), row = draw % 3 ? draw >> 8 & 1 : draw >> 8 & 15;
        uint64_t address = (row * 64 + (draw >> 16 & 63)) * 64;
        bool write = draw >> 32 & 1 && i % 500 > 200;
        while (gpc_dram_try_request(r->dram, 0, address, write, i, NULL) == GPC_BUSY)
            rig_advance(r, 1);
        i++;
        if ((draw >> 40) % 7 == 0)
            rig_advance(r, (draw >> 44) % (i % 900 < 300 ? 400 : 20));
    }
    rig_drain(r);
}

static void check_all_done(const rig *r) {
    static bool seen[COUNT];
    memset(seen, 0, sizeof seen);
    cr_assert_eq(r->done_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_lt(r->done[i].token, COUNT);
        cr_assert_not(seen[r->done[i].token]);
        seen[r->done[i].token] = true;
        cr_assert(i == 0 || r->done[i].cycle >= r->done[i - 1].cycle);
    }
    measured_stats stats = rig_stats(r);
    cr_assert_eq(stats.dram_reads + stats.dram_writes, COUNT);
    cr_assert_leq(stats.dram_busy_cycles, stats.dram_cycles);
}

Test(dram_stress, every_rule_is_kept) {
    for (size_t c = 0; c < sizeof configurations / sizeof *configurations; c++) {
        rig *r = rig_open(configurations[c]);
        feed(r, c + 1);
        check_all_done(r);
        if (effort_takes(c)) /* a part of the pairs of commands */
            cr_assert_eq(violations(r), 0, "%s", configurations[c]);
        rig_close(r);
    }
}

Test(dram_stress, checker_sees_what_is_too_soon) {
    rig *r = rig_open(NULL);
    feed(r, 5);
    cr_assert_eq(violations(r), 0);
    gpc_error error = GPC_ERROR_INIT;
    static const char *const longer[] = {"dram.trcd",   "dram.trp",  "dram.tras",   "dram.trc",    "dram.trrd_s",
                                         "dram.trrd_l", "dram.tfaw", "dram.twr",    "dram.twtr_s", "dram.twtr_l",
                                         "dram.trtw",   "dram.trtp", "dram.tccd_s", "dram.tccd_l"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        uint64_t value;
        char text[32];
        if (!effort_takes(i))
            continue;
        cr_assert_eq(gpc_config_get_u64(r->config, longer[i], &value, NULL), GPC_OK);
        snprintf(text, sizeof text, "%u", (unsigned)value + 30);
        cr_assert_eq(gpc_config_set(r->config, longer[i], text, &error), GPC_OK);
        cr_assert_gt(violations(r), 0, "%s", longer[i]);
        snprintf(text, sizeof text, "%u", (unsigned)value);
        cr_assert_eq(gpc_config_set(r->config, longer[i], text, &error), GPC_OK);
    }
    rig_close(r);
}

Test(dram_stress, same_twice) {
    rig *a = rig_open("dram.refresh=all-bank dram.age_cap=100"),
        *b = rig_open("dram.refresh=all-bank dram.age_cap=100");
    feed(a, 9);
    feed(b, 9);
    cr_assert_eq(a->event_count, b->event_count);
    for (size_t i = 0; i < a->event_count; i++)
        cr_assert(a->events[i].cycle == b->events[i].cycle && a->events[i].command == b->events[i].command &&
                  a->events[i].bank == b->events[i].bank);
    rig_close(a);
    rig_close(b);
}
