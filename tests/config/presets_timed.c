/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Presets with a clock: all run, and a single access takes the documents' time. */

static void note(void *data, const gpc_completion *completion) {
    *(gpc_completion *)data = *completion;
}

typedef struct timed {
    rig rig;
    gpc_hierarchy *hierarchy;
    gpc_completion last;
} timed;

static void open_timed(timed *t, const char *name) {
    memset(t, 0, sizeof *t);
    rig_open(&t->rig);
    gpc_error *error = &t->rig.error;
    cr_assert_eq(gpc_config_load_preset(t->rig.config, name, error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_config_set(t->rig.config, "mode", "timed", error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_hierarchy_create(t->rig.context, t->rig.config, &t->hierarchy, error), GPC_OK, "%s: %s", name,
                 error->message);
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = &t->last;
    callbacks.on_complete = note;
    cr_assert_eq(gpc_hierarchy_set_callbacks(t->hierarchy, &callbacks, NULL), GPC_OK);
}

static void close_timed(timed *t) {
    gpc_hierarchy_destroy(t->hierarchy);
    rig_close(&t->rig);
}

/* Cycles of a load of four bytes by one thread, served by `level`. */
static uint64_t load(timed *t, uint32_t sm, uint64_t address, unsigned level) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = sm;
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    cr_assert_eq(gpc_hierarchy_try_issue(t->hierarchy, &access, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(t->hierarchy, &t->rig.error), GPC_OK, "%s", t->rig.error.message);
    cr_expect_eq(t->last.level, level, "from level %u, not %u", t->last.level, level);
    return t->last.cycle - t->last.issued;
}

enum { ADDRESS = 0x12300 };

Test(presets_timed, run) {
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name;
        gpc_preset_at(i, &name, NULL, NULL);
        timed t;
        open_timed(&t, name);
        const uint32_t other = strcmp(name, "rx6900xt") ? 1 : 10; /* not of the same GL1 */
        uint64_t dram = load(&t, 0, ADDRESS, 3), l1 = load(&t, 0, ADDRESS, 1), l2 = load(&t, other, ADDRESS, 2);
        cr_expect(l1 < l2 && l2 < dram, "%s: %llu, %llu, %llu cycles", name, (unsigned long long)l1,
                  (unsigned long long)l2, (unsigned long long)dram);
        close_timed(&t);
    }
}

static void expect_near(uint64_t cycles, uint64_t least, uint64_t most) {
    cr_expect(cycles >= least && cycles <= most, "%llu is not within %llu to %llu", (unsigned long long)cycles,
              (unsigned long long)least, (unsigned long long)most);
}

/*
 * Kotas, Table 3.1: 6, 20 and 300 cycles. A network takes a transfer of a cycle (136 of 264 bytes) and two more, in
 * each direction; further cycles are for tags and fill.
 */
Test(presets_timed, kepler) {
    timed t;
    open_timed(&t, "kepler");
    uint64_t dram = load(&t, 0, ADDRESS, 3), l1 = load(&t, 0, ADDRESS, 1), l2 = load(&t, 1, ADDRESS, 2);
    expect_near(l1, 6, 7);
    expect_near(l2, 20 + 2 * 3, 20 + 2 * 3 + 3);
    expect_near(dram - l2, 300 + 2 * 3, 300 + 2 * 3 + 1);
    close_timed(&t);
}

/* Li, section 4.1.3: "The minimal round-trip latency is about 200 cycles", from the L1 miss to DRAM and back. */
Test(presets_timed, gtx480) {
    timed t;
    open_timed(&t, "gtx480");
    expect_near(load(&t, 0, ADDRESS, 3), 200, 270); /* GPGPU-Sim states 120 before L2 and 100 before DRAM */
    expect_near(load(&t, 0, ADDRESS, 1), 35, 36);
    close_timed(&t);
}

/* A pointer chase on an H100: 39.6 cycles in L1, 291 in L2; within a twentieth. */
Test(presets_timed, h100) {
    timed t;
    open_timed(&t, "h100");
    load(&t, 0, ADDRESS, 3);
    expect_near(load(&t, 0, ADDRESS, 1), 38, 41);
    expect_near(load(&t, 1, ADDRESS, 2), 277, 305);
    close_timed(&t);
}
