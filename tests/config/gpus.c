/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"
#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Every preset as it is, several times (gpu.count): each GPU has what the preset has, and GPUs do not share. */

static const char *const modes[] = {"functional", "timed"};

static gpc_hierarchy *hierarchy_of(rig *r, const char *preset, const char *mode, unsigned gpus) {
    char count[8];
    gpc_hierarchy *hierarchy = NULL;
    snprintf(count, sizeof count, "%u", gpus);
    rig_open(r);
    cr_assert_eq(gpc_config_load_preset(r->config, preset, &r->error), GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_config_set(r->config, "mode", mode, &r->error), GPC_OK);
    cr_assert_eq(gpc_config_set(r->config, "gpu.count", count, &r->error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &hierarchy, &r->error), GPC_OK, "%s, %s, %u: %s", preset,
                 mode, gpus, r->error.message);
    return hierarchy;
}

static void close_all(rig *r, gpc_hierarchy *hierarchy) {
    gpc_hierarchy_destroy(hierarchy);
    rig_close(r);
}

static gpc_shape shape_of(const gpc_hierarchy *hierarchy) {
    gpc_shape shape = GPC_SHAPE_INIT;
    cr_assert_eq(gpc_hierarchy_get_shape(hierarchy, &shape, NULL), GPC_OK);
    return shape;
}

/* Load of a word by one lane, alone. Returns the sectors read from DRAM so far. */
static uint64_t load(gpc_hierarchy *hierarchy, bool timed, uint32_t sm, uint64_t address) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    measured_stats stats;
    access.sm = sm;
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    if (timed) {
        cr_assert_eq(gpc_hierarchy_try_issue(hierarchy, &access, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(hierarchy, NULL), GPC_OK);
    } else
        cr_assert_eq(gpc_hierarchy_access(hierarchy, &access, NULL, NULL), GPC_OK);
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(hierarchy, &stats), GPC_OK);
    return stats.dram_read_sectors;
}

/*
 * Sectors read from DRAM by loads of one word by three SMs of each GPU: the L2 of another GPU has none of them, and each
 * GPU reads its own memory.
 */
static uint64_t reads_of(gpc_hierarchy *hierarchy, bool timed, uint32_t sms, unsigned gpus) {
    enum { ADDRESS = 0x12300 };
    uint64_t read = 0;
    for (uint32_t turn = 0; turn < 3; turn++)
        for (unsigned gpu = 0; gpu < gpus; gpu++)
            read = load(hierarchy, timed, gpu * sms + turn * (sms - 1) / 2, ADDRESS);
    return read;
}

static void expect_shape(const gpc_hierarchy *hierarchy, const gpc_shape *one, const char *preset, unsigned gpus) {
    const gpc_shape shape = shape_of(hierarchy);
    cr_expect_eq(shape.sms, gpus * one->sms, "%s", preset);
    cr_expect_eq(shape.slices, gpus * one->slices, "%s", preset);
    cr_expect_eq(shape.partitions, gpus * one->partitions, "%s", preset);
    cr_expect_eq(shape.channels, gpus * one->channels, "%s", preset);
    cr_expect_eq(shape.l2_bytes, gpus * one->l2_bytes, "%s", preset);
    cr_expect_eq(shape.l2_sets, one->l2_sets, "%s", preset);
    cr_expect_eq(shape.l1_bytes, one->l1_bytes, "%s", preset);
}

Test(gpus, every_preset) {
    static const unsigned counts[] = {2, 3, 4, 8};
    for (size_t i = 0; i < 2 * gpc_preset_count(); i++) {
        const char *preset, *mode = modes[i % 2];
        rig r;
        gpc_preset_at(i / 2, &preset, NULL, NULL);
        gpc_hierarchy *hierarchy = hierarchy_of(&r, preset, mode, 1);
        const gpc_shape one = shape_of(hierarchy);
        const uint64_t reads = reads_of(hierarchy, i % 2, one.sms, 1);
        close_all(&r, hierarchy);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            hierarchy = hierarchy_of(&r, preset, mode, counts[c]);
            expect_shape(hierarchy, &one, preset, counts[c]);
            cr_expect_eq(reads_of(hierarchy, i % 2, one.sms, counts[c]), counts[c] * reads, "%s, %s, %u", preset, mode,
                         counts[c]);
            close_all(&r, hierarchy);
        }
    }
}

enum { LINES = 24, BLOCK = 1 << 16 };

/*
 * Line loads of every SM, with addresses of its own within the GPU; equal numbers of SMs in all GPUs have equal
 * addresses. Returns the cycles until all are done.
 */
static uint64_t stream(gpc_hierarchy *hierarchy, uint32_t sms, unsigned gpus) {
    uint32_t done[4096] = {0};
    uint64_t lanes[64];
    measured_stats stats;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = UINT32_MAX;
    access.addresses = lanes;
    access.width = 4;
    for (bool left = true; left;) {
        left = false;
        for (uint32_t sm = 0; sm < gpus * sms; sm++) {
            if (done[sm] == LINES)
                continue;
            left = true;
            for (uint64_t lane = 0; lane < 32; lane++)
                lanes[lane] = (uint64_t)(sm % sms) * BLOCK + done[sm] * 128 + lane * 4;
            access.sm = sm;
            const gpc_status status = gpc_hierarchy_try_issue(hierarchy, &access, 0, NULL, NULL);
            cr_assert(status == GPC_OK || status == GPC_BUSY);
            done[sm] += status == GPC_OK;
        }
        cr_assert_eq(gpc_hierarchy_advance(hierarchy, 1, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_drain(hierarchy, NULL), GPC_OK);
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(hierarchy, &stats), GPC_OK);
    cr_expect_eq(stats.l1_load_sectors, (uint64_t)gpus * sms * LINES * 4);
    cr_expect_eq(stats.dram_read_sectors % gpus, 0);
    return stats.cycles;
}

/* Two GPUs with data of their own do twice the work of one in the time of one. */
Test(gpus, twice_the_work) {
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *preset;
        uint64_t cycles[2];
        gpc_preset_at(i, &preset, NULL, NULL);
        for (unsigned gpus = 1; gpus <= 2; gpus++) {
            rig r;
            gpc_hierarchy *hierarchy = hierarchy_of(&r, preset, "timed", gpus);
            cycles[gpus - 1] = stream(hierarchy, shape_of(hierarchy).sms / gpus, gpus);
            close_all(&r, hierarchy);
        }
        cr_expect_eq(cycles[1], cycles[0], "%s: %llu and %llu cycles", preset, (unsigned long long)cycles[1],
                     (unsigned long long)cycles[0]);
    }
}

/* A kernel runs on the SMs of all GPUs, and makes the accesses that it makes on one. */
Test(gpus, kernels) {
    for (size_t i = 0; i < 4 * gpc_preset_count(); i++) {
        const char *preset, *mode = modes[i % 2];
        const unsigned counts[2] = {1, i / 2 % 2 ? 8 : 2};
        measured_stats stats[2];
        gpc_preset_at(i / 4, &preset, NULL, NULL);
        for (unsigned n = 0; n < 2; n++) {
            rig r;
            gpc_replay *replay;
            gpc_trace *trace;
            gpc_kernel kernel = GPC_KERNEL_INIT;
            gpc_hierarchy_destroy(hierarchy_of(&r, preset, mode, counts[n]));
            cr_assert_eq(gpc_replay_create(r.context, r.config, &replay, &r.error), GPC_OK, "%s", r.error.message);
            cr_assert_eq(gpc_trace_open(r.context, "synthetic:vectoradd:16KiB", &trace, &r.error), GPC_OK);
            measured_clear(&stats[n]);
            cr_assert_eq(measure_kernel(replay, trace, &kernel, &stats[n], &r.error), GPC_OK, "%s: %s", preset,
                         r.error.message);
            gpc_trace_close(trace);
            gpc_replay_destroy(replay);
            rig_close(&r);
        }
        cr_expect_eq(stats[1].l1_load_sectors, stats[0].l1_load_sectors, "%s", preset);
        cr_expect_eq(stats[1].blocks, stats[0].blocks, "%s", preset);
    }
}

/* A tree of several GPUs takes the place of what presets say of one GPU's L2, unless the host has said so. */
Test(gpus, in_a_tree) {
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *preset;
        rig r;
        gpc_hierarchy *hierarchy = NULL;
        gpc_error alone = GPC_ERROR_INIT, together = GPC_ERROR_INIT;
        gpc_preset_at(i, &preset, NULL, NULL);
        rig_open(&r);
        cr_assert_eq(gpc_config_load_preset(r.config, preset, &r.error), GPC_OK);
        cr_assert_eq(gpc_config_set(r.config, "coherence", "nmoesi", &r.error), GPC_OK);
        const gpc_status first = gpc_hierarchy_create(r.context, r.config, &hierarchy, &alone);
        gpc_hierarchy_destroy(hierarchy), hierarchy = NULL;
        cr_assert_eq(gpc_config_set(r.config, "gpu.count", "2", &r.error), GPC_OK);
        const gpc_status second = gpc_hierarchy_create(r.context, r.config, &hierarchy, &together);
        cr_expect_eq(first, second, "%s: '%s', '%s'", preset, alone.message, together.message);
        cr_expect_str_eq(together.message, alone.message, "%s", preset);
        close_all(&r, hierarchy);
    }
}
