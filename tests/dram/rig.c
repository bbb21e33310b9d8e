/* SPDX-License-Identifier: BSD-2-Clause */
#include "rig.h"
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char small[] =
    "dram.channels=1 dram.trcd=7 dram.trcd_write=6 dram.trp=5 dram.tcl=9 dram.tcwl=4 dram.tras=20 dram.trc=26 "
    "dram.trrd_s=3 dram.trrd_l=5 dram.tfaw=30 dram.twr=11 dram.twtr_s=6 dram.twtr_l=8 dram.trtw=2 dram.trtp=4 "
    "dram.tccd_s=2 dram.tccd_l=4 dram.refresh=none dram.trefi=1000 dram.trfc=60 dram.trfc_bank=40 dram.trrefd=9 "
    "dram.pseudo_channels=1 "
    "dram.bank_groups=2 dram.group_banks=2 dram.row_bytes=256B dram.burst_bytes=64B dram.burst_cycles=2 "
    "dram.command_bus=single dram.bank_hash=none dram.age_cap=unlimited";

static void set_pairs(gpc_config *config, const char *pairs) {
    char text[1024], *next;
    snprintf(text, sizeof text, "%s", pairs);
    for (char *pair = text; pair && *pair; pair = next) {
        next = strchr(pair, ' ');
        if (next)
            *next++ = '\0';
        gpc_error error = GPC_ERROR_INIT;
        cr_assert_eq(gpc_config_set_pair(config, pair, &error), GPC_OK, "%s", error.message);
    }
}

static void on_command(void *user_data, const gpci_dram_event *event) {
    rig *r = user_data;
    cr_assert_lt(r->event_count, MOST);
    r->events[r->event_count++] = *event;
}

static void on_done(void *user_data, uint64_t token, bool write, uint64_t cycle) {
    rig *r = user_data;
    cr_assert_lt(r->done_count, MOST);
    r->done[r->done_count++] = (done_row){token, cycle, write};
}

rig *rig_open(const char *more) {
    rig *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &r->context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(r->context, &r->config, &error), GPC_OK);
    set_pairs(r->config, small);
    cr_assert_eq(gpc_config_set(r->config, "dram.mapping", "row bank group pseudo column", &error), GPC_OK);
    if (more)
        set_pairs(r->config, more);
    cr_assert_eq(gpc_dram_create(r->context, r->config, &r->dram, &error), GPC_OK, "%s", error.message);
    gpci_dram_on_command(r->dram, on_command, r);
    gpc_dram_on_done(r->dram, on_done, r);
    return r;
}

void rig_close(rig *r) {
    gpc_dram_destroy(r->dram);
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
    free(r);
}

void rig_request(rig *r, uint64_t address, bool write, uint64_t token) {
    cr_assert_eq(gpc_dram_try_request(r->dram, 0, address, write, token, NULL), GPC_OK);
}

void rig_advance(rig *r, uint64_t cycles) {
    cr_assert_eq(gpc_dram_advance(r->dram, cycles, NULL), GPC_OK);
}

void rig_drain(rig *r) {
    for (uint64_t next; (next = gpc_dram_next_event(r->dram)) != UINT64_MAX;) {
        uint64_t now = gpc_dram_now(r->dram);
        rig_advance(r, next > now ? next - now : 1);
    }
}

uint64_t at(uint64_t row, uint32_t bank, uint32_t column) {
    return (row * 16 + (bank & 1) * 8 + (bank >> 1) * 4 + column) * 64;
}

uint64_t nth(const rig *r, gpci_dram_command command, size_t n) {
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].command == command && !n--)
            return r->events[i].cycle;
    return UINT64_MAX;
}

uint64_t done_at(const rig *r, uint64_t token) {
    for (size_t i = 0; i < r->done_count; i++)
        if (r->done[i].token == token)
            return r->done[i].cycle;
    return UINT64_MAX;
}

measured_stats rig_stats(const rig *r) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_dram(r->dram, &stats), GPC_OK);
    return stats;
}
