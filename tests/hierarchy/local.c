/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Local memory for hosts: mapped by the host, or by threads' offsets (gpc_warp_access.local_offsets). */

#define REGION ((uint64_t)3 << 55)

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Word w of thread t at 4 (w T + t): every byte of every thread has a place, and no two share a place. */
Test(memory_local, addresses) {
    enum { SMS = 3, WARPS = 5, LANES = 32, BYTES = 24, ALL = SMS * WARPS * LANES * BYTES };
    static uint64_t all[ALL];
    rig r;
    rig_open(&r, "sm.count = 3\nsm.warps = 5\n");
    size_t count = 0;
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint32_t warp = 0; warp < WARPS; warp++)
            for (uint32_t lane = 0; lane < LANES; lane++)
                for (uint64_t byte = 0; byte < BYTES; byte++) {
                    const uint64_t thread = (sm * WARPS + warp) * LANES + lane;
                    all[count] = gpc_hierarchy_local_address(r.hierarchy, sm, warp, lane, byte);
                    cr_assert_eq(all[count], REGION + (byte / 4 * SMS * WARPS * LANES + thread) * 4 + byte % 4);
                    count++;
                }
    qsort(all, ALL, sizeof *all, compare);
    for (size_t n = 0; n < ALL; n++)
        cr_assert_eq(all[n], REGION + n);
    cr_expect_eq(gpc_hierarchy_local_address(r.hierarchy, SMS, 0, 0, 0), 0);
    cr_expect_eq(gpc_hierarchy_local_address(r.hierarchy, 0, WARPS, 0, 0), 0);
    cr_expect_eq(gpc_hierarchy_local_address(r.hierarchy, 0, 0, LANES, 0), 0);
    cr_expect_eq(gpc_hierarchy_local_address(NULL, 0, 0, 0, 0), 0);
    rig_close(&r);
    rig_open(&r, "sm.count = 4096\nsm.warps = 1024\nsm.lanes = 64\n"); /* the largest values */
    cr_expect_eq(gpc_hierarchy_local_address(r.hierarchy, 4095, 1023, 63, UINT64_MAX), (UINT64_C(1) << 57) - 1);
    cr_expect_eq(gpc_hierarchy_local_address(r.hierarchy, 0, 0, 0, UINT64_C(1) << 27), REGION);
    rig_close(&r);
}

typedef struct asked {
    uint64_t mask, addresses[64];
    uint32_t sm, warp, width;
    uint8_t kind, offsets;
} asked;

static gpc_warp_access access_of(const asked *a) {
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.mask = a->mask;
    w.addresses = a->addresses;
    w.sm = a->sm;
    w.warp = a->warp;
    w.width = a->width;
    w.kind = a->kind;
    w.space = GPC_SPACE_LOCAL;
    w.local_offsets = a->offsets;
    return w;
}

static gpc_warp_result fire(const rig *r, asked a) {
    const gpc_warp_access w = access_of(&a);
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    cr_assert_eq(gpc_hierarchy_access(r->hierarchy, &w, &result, NULL), GPC_OK);
    return result;
}

/* Without the flag an address is the host's: two SMs with an equal address meet in L2. With the flag they do not. */
Test(memory_local, as_given_or_offsets) {
    rig r;
    rig_open(&r, "sm.count = 2\n");
    cr_expect_eq(fire(&r, (asked){.mask = 3, .addresses = {0x1000, 0x1000}, .width = 4}).dram_sectors, 1);
    cr_expect_eq(fire(&r, (asked){.mask = 3, .addresses = {0x1000, 0x1000}, .width = 4, .sm = 1}).l2_sector_hits, 1);
    gpc_warp_result one = fire(&r, (asked){.mask = 3, .addresses = {0x1000, 0x1000}, .width = 8, .offsets = 1});
    cr_expect_eq(one.lines, 2);
    cr_expect_eq(one.dram_sectors, 2);
    one = fire(&r, (asked){.mask = 3, .addresses = {0x1000, 0x1000}, .width = 8, .offsets = 1, .sm = 1});
    cr_expect_eq(one.dram_sectors, 2);
    /* local_address names the same word */
    const uint64_t word = gpc_hierarchy_local_address(r.hierarchy, 1, 0, 1, 0x1004);
    cr_expect_eq(fire(&r, (asked){.mask = 1, .addresses = {word}, .width = 4, .sm = 1}).l1_sector_hits, 1);
    rig_close(&r);
}

/* 64 lanes of 16 bytes, all apart: as many lines as words, even if all are of one bank. */
Test(memory_local, as_many_lines_as_words) {
    static const char *const settings[] = {"", "l1.line_order = banks\nl1.banks = 2\nl1.tag_ports = 2\n",
                                           "l1.line_order = descending\n", "mode = timed\n",
                                           "mode = timed\nl1.line_order = banks\nl1.banks = 2\nl1.tag_ports = 2\n"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        char text[128];
        rig r;
        snprintf(text, sizeof text, "sm.lanes = 64\n%s", settings[n]);
        rig_open(&r, text);
        asked a = {.mask = UINT64_MAX, .width = 16, .offsets = 1};
        for (unsigned lane = 0; lane < 64; lane++)
            a.addresses[lane] = lane * 256;
        const gpc_warp_access w = access_of(&a);
        if (strstr(settings[n], "timed")) {
            cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &w, 0, NULL, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        } else {
            cr_expect_eq(fire(&r, a).lines, 256, "%s", settings[n]);
        }
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l1_load_requests, 1);
        cr_expect_eq(s.l1_load_lines, 256, "%s: %" PRIu64, settings[n], s.l1_load_lines);
        cr_expect_eq(s.dram_read_sectors, 256, "%s: %" PRIu64, settings[n], s.dram_read_sectors);
        rig_close(&r);
    }
}

static void refused(const rig *r, gpc_warp_access access, const char *part) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_access(r->hierarchy, &access, NULL, NULL), GPC_ERROR_ARGUMENT, "%s", part);
    cr_expect_eq(gpc_hierarchy_access(r->hierarchy, &access, NULL, &error), GPC_ERROR_ARGUMENT, "%s", part);
    cr_expect_not_null(strstr(error.message, part), "%s", error.message);
}

Test(memory_local, refused) {
    rig r;
    rig_open(&r, "sm.warps = 8\nsm.lanes = 64\n");
    const asked good = {.mask = UINT64_MAX, .width = 16, .warp = 7, .offsets = 1};
    gpc_warp_access w = access_of(&good);
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &w, NULL, NULL), GPC_OK);
    w.width = 17;
    refused(&r, w, "more than 256 words");
    w = access_of(&good);
    w.warp = 8;
    refused(&r, w, "warp is not below sm.warps");
    w = access_of(&good);
    w.local_offsets = 2;
    refused(&r, w, "neither 0 nor 1");
    w = access_of(&good);
    w.space = GPC_SPACE_GLOBAL;
    refused(&r, w, "space is not LOCAL");
    w.local_offsets = 0;
    w.space = GPC_SPACE_MIXED;
    refused(&r, w, "space is MIXED");
    rig_close(&r);
    uint8_t bytes[4] = {0};
    rig_open(&r, "coherence = msi\ncoherence.data = true\nl1.write_policy = back\n");
    const asked store = {.mask = 1, .width = 4, .kind = GPC_STORE, .offsets = 1};
    w = access_of(&store);
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &w, NULL, NULL), GPC_OK);
    w.bytes = bytes;
    refused(&r, w, "with bytes, out, compare or atomic");
    rig_close(&r);
}
