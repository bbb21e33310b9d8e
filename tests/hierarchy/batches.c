/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Many warp instructions in one call: equal to single calls. */

enum { COUNT = 300, LANES = 8 };

typedef struct fields {
    uint64_t addresses[COUNT][LANES], masks[COUNT], pcs[COUNT];
    uint32_t sms[COUNT], warps[COUNT];
    uint8_t kinds[COUNT];
    gpc_warp_result results[COUNT];
} fields;

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void fill(fields *f) {
    uint64_t state = 7;
    for (size_t n = 0; n < COUNT; n++) {
        f->masks[n] = n % 3 ? next(&state) & ((1u << LANES) - 1) : (1u << LANES) - 1;
        f->pcs[n] = n % 5 * 16;
        f->sms[n] = (uint32_t)(n % 2);
        f->warps[n] = (uint32_t)(n % 7);
        f->kinds[n] = n % 4 ? GPC_LOAD : GPC_STORE;
        for (size_t lane = 0; lane < LANES; lane++)
            f->addresses[n][lane] = next(&state) % 4096 * 8;
    }
}

static gpc_access_batch batch_of(fields *f) {
    gpc_access_batch batch = GPC_ACCESS_BATCH_INIT;
    batch.count = COUNT;
    batch.lanes = LANES;
    batch.width = 8;
    batch.addresses = &f->addresses[0][0];
    batch.masks = f->masks;
    batch.pcs = f->pcs;
    batch.sms = f->sms;
    batch.warps = f->warps;
    batch.kinds = f->kinds;
    batch.results = f->results;
    return batch;
}

static gpc_status one(gpc_hierarchy *h, const fields *f, size_t n, gpc_warp_result *result) {
    uint64_t addresses[LANES];
    size_t lanes = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        if (f->masks[n] >> lane & 1)
            addresses[lanes++] = f->addresses[n][lane];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = f->sms[n];
    access.warp = f->warps[n];
    access.pc = f->pcs[n];
    access.mask = f->masks[n];
    access.addresses = addresses;
    access.width = 8;
    access.kind = f->kinds[n];
    return gpc_hierarchy_access(h, &access, result, NULL);
}

Test(batches, as_one_by_one) {
    rig a, b;
    rig_open(&a, "sm.count = 2\nl1.size = 2KiB\n");
    rig_open(&b, "sm.count = 2\nl1.size = 2KiB\n");
    static fields f;
    fill(&f);
    gpc_access_batch batch = batch_of(&f);
    size_t done;
    cr_assert_eq(gpc_hierarchy_access_many(a.hierarchy, &batch, &done, NULL), GPC_OK);
    cr_expect_eq(done, COUNT);
    for (size_t n = 0; n < COUNT; n++) {
        gpc_warp_result result = GPC_WARP_RESULT_INIT;
        cr_assert_eq(one(b.hierarchy, &f, n, &result), GPC_OK);
        cr_assert(!memcmp(&result, &f.results[n], sizeof result), "%zu", n);
    }
    measured_stats s = rig_stats(&a), t = rig_stats(&b);
    cr_expect(!memcmp(&s, &t, sizeof s));
    cr_expect_gt(s.l1_load_sector_hits, 0);
    rig_close(&a);
    rig_close(&b);
}

/* Accesses before the failing access are done, and counted. */
Test(batches, failures) {
    rig r;
    rig_open(&r, "sm.count = 2\n");
    static fields f;
    fill(&f);
    gpc_access_batch batch = batch_of(&f);
    size_t done;
    f.sms[100] = 2;
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, &done, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(done, 100);
    cr_expect_eq(rig_stats(&r).warp_instructions, 100);
    f.sms[100] = 0;
    f.masks[3] = 1u << LANES;
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, &done, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(done, 3, "a lane that is not there");
    batch.lanes = 65;
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, &done, NULL), GPC_ERROR_ARGUMENT);
    batch.lanes = 0;
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, &done, NULL), GPC_ERROR_ARGUMENT);
    batch.lanes = LANES;
    batch.addresses = NULL;
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, NULL, NULL), GPC_ERROR_ARGUMENT);
    batch.count = 0;
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, &done, NULL), GPC_OK);
    cr_expect_eq(gpc_hierarchy_access_many(NULL, &batch, &done, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, NULL, &done, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
    rig_open(&r, "mode = timed\n");
    batch = batch_of(&f);
    cr_expect_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, &done, NULL), GPC_ERROR_STATE);
    cr_expect_eq(done, 0);
    rig_close(&r);
}

/* Defaults of a batch equal the defaults of an access: for example SM 0. */
Test(batches, by_sm_0_unless_said) {
    rig r;
    rig_open(&r, "sm.count = 2\n");
    const uint64_t address = 0;
    gpc_access_batch batch = GPC_ACCESS_BATCH_INIT;
    batch.count = batch.lanes = 1;
    batch.addresses = &address;
    cr_assert_eq(gpc_hierarchy_access_many(r.hierarchy, &batch, NULL, NULL), GPC_OK);
    cr_expect_eq(rig_fire(&r, WORD(GPC_LOAD, 0)).l1_sector_hits, 1);
    cr_expect_eq(rig_fire(&r, WORD_BY(GPC_LOAD, 0, .sm = 1)).l1_sector_hits, 0);
    rig_close(&r);
}
