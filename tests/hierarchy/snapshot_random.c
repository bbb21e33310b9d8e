/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/snapshot_rig.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Random snapshots: of any preset and policies, at any access or cycle, and with any damage. */

static const char *random_policy(snapshot_host *dice, gpc_policy_kind kind) {
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    const uint32_t count = (uint32_t)gpc_policy_count(snapshot_context, kind);
    cr_assert_eq(gpc_policy_at(snapshot_context, kind, snapshot_below(dice, count), &info, NULL), GPC_OK);
    return info.name;
}

/* With as many SMs as covered by the rig's accesses. */
static void random_settings(snapshot_host *dice, bool clock, char *text, size_t size) {
    const char *preset, *summary;
    cr_assert_eq(gpc_preset_at(snapshot_below(dice, (uint32_t)gpc_preset_count()), &preset, &summary, NULL), GPC_OK);
    const char *l1 = random_policy(dice, GPC_POLICY_REPLACEMENT), *l2 = random_policy(dice, GPC_POLICY_REPLACEMENT),
               *bypass = random_policy(dice, GPC_POLICY_PREDICTOR),
               *threads = clock && snapshot_below(dice, 3) ? "auto" : "1";
    snprintf(text, size,
             "preset = %s\nmode = %s\nsm.count = 4\nkernels.flush = none\nl1.replacement = %s\n"
             "l2.replacement = %s\nl1.bypass = %s\nthreads = %s\n",
             preset, clock ? "timed" : "functional", l1, l2, bypass, threads);
}

/* True if such a hierarchy is possible. */
static bool check_random(snapshot_host *dice) {
    gpc_error error = GPC_ERROR_INIT;
    char settings[512];
    snapshot_host a;
    const bool clock = snapshot_below(dice, 2);
    random_settings(dice, clock, settings, sizeof settings);
    if (snapshot_make(settings, clock, &a, &error) < 0)
        return false;
    a.random = dice->random;
    snapshot_drive(&a, 1 + snapshot_below(dice, 400));
    if (clock)
        cr_assert_eq(gpc_hierarchy_advance(a.hierarchy, snapshot_below(dice, 300), NULL), GPC_OK);
    snapshot_bytes file = snapshot_save(&a);
    snapshot_host b = snapshot_load(&a, &file);
    snapshot_attach(&b);
    snapshot_expect_same(&a, &b, settings);
    snapshot_drive(&a, 200), snapshot_drive(&b, 200);
    snapshot_finish(&a), snapshot_finish(&b);
    snapshot_expect_same(&a, &b, settings);
    snapshot_expect_same_bytes(&a, &b, settings);
    for (unsigned i = 0; i < 8; i++)
        snapshot_check_damaged(dice, &file);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_hierarchy_destroy(b.hierarchy);
    free(file.data);
    return true;
}

Test(hierarchy_snapshots, random) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host dice = {.random = 20};
    const unsigned rounds = effort_is_small() ? 12 : 60;
    unsigned made = 0;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    for (unsigned i = 0; i < rounds; i++)
        made += check_random(&dice);
    cr_expect_gt(2 * made, rounds, "%u of %u", made, rounds);
    gpc_context_destroy(snapshot_context);
}

/* Fresh memory has bytes of this value; its size stands before the memory. */
static uint8_t fill;
enum { FILL_HEAD = 16 };

static void *fill_take(void *user_data, size_t bytes) {
    char *start = malloc(FILL_HEAD + bytes);
    (void)user_data;
    if (!start)
        return NULL;
    memcpy(start, &bytes, sizeof bytes);
    memset(start + FILL_HEAD, fill, bytes);
    return start + FILL_HEAD;
}

static void fill_give(void *user_data, void *old) {
    (void)user_data;
    free(old ? (char *)old - FILL_HEAD : NULL);
}

static void *fill_resize(void *user_data, void *old, size_t bytes) {
    void *fresh = fill_take(user_data, bytes);
    size_t before = 0;
    if (old && fresh)
        memcpy(&before, (char *)old - FILL_HEAD, sizeof before);
    if (before)
        memcpy(fresh, old, before < bytes ? before : bytes);
    if (fresh)
        fill_give(user_data, old);
    return fresh;
}

/* A snapshot in the middle of a load, of a hierarchy that was loaded from an idle one. */
static snapshot_bytes save_after_load(const char *settings, uint8_t value) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host a;
    options.allocate = fill_take, options.resize = fill_resize, options.release = fill_give;
    fill = value;
    cr_assert_eq(gpc_context_create(&options, &snapshot_context, &error), GPC_OK);
    cr_assert_eq(snapshot_make(settings, true, &a, &error), GPC_OK, "%s", error.message);
    snapshot_drive(&a, 60);
    snapshot_finish(&a);
    snapshot_bytes idle = snapshot_save(&a);
    snapshot_host b = snapshot_load(&a, &idle);
    snapshot_attach(&b);
    const uint64_t address = 1 << 20;
    gpc_warp_access load = GPC_WARP_ACCESS_INIT;
    load.mask = 1, load.width = 4, load.addresses = &address;
    cr_assert_eq(gpc_hierarchy_try_issue(b.hierarchy, &load, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_advance(b.hierarchy, 30, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_in_flight(b.hierarchy), 1);
    snapshot_bytes later = snapshot_save(&b);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_hierarchy_destroy(b.hierarchy);
    gpc_context_destroy(snapshot_context);
    free(idle.data);
    return later;
}

/* Memory never written is in no snapshot. */
Test(hierarchy_snapshots, have_no_fresh_memory) {
    static const char *const protocols[] = {"none", "viper", "nmoesi", "moesi", "slc-glc", "hmg"};
    for (unsigned i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        char settings[256];
        snprintf(settings, sizeof settings, "mode = timed\nsm.count = 4\nkernels.flush = l1\ncoherence = %s\n%s",
                 protocols[i], i == 4 ? "l1.write_policy = back\n" : "");
        snapshot_bytes a = save_after_load(settings, 0x11), b = save_after_load(settings, 0xee);
        cr_assert_eq(a.size, b.size, "%s", protocols[i]);
        size_t at = 0;
        while (at < a.size && a.data[at] == b.data[at])
            at++;
        cr_expect_eq(at, a.size, "%s: byte %zu of %zu", protocols[i], at, a.size);
        free(a.data), free(b.data);
    }
}
