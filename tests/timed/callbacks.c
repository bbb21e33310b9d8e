/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* What a timed hierarchy tells its host beside completions, and a policy that lets it down. */

#define SET 4096u

typedef struct told {
    unsigned fills[3], evictions[3];
    uint64_t filled_line, evicted_line;
    uint8_t filled_sectors, dirty, forced;
    uint32_t instance, sm;
    uint64_t completions, last_token;
    uint32_t warp;
} told;

static void note_complete(void *user_data, const gpc_completion *c) {
    told *t = user_data;
    t->completions++;
    t->last_token = c->token;
    t->sm = c->sm;
    t->warp = c->warp;
}

static void note_fill(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                      const gpc_request *request) {
    told *t = user_data;
    t->fills[level]++;
    if (level == 1) {
        t->filled_line = line_address;
        t->filled_sectors = sectors;
        t->instance = instance;
        cr_expect_eq(request->sm, instance);
        cr_expect_eq(request->address / 128, line_address / 128);
    }
}

static void note_evict(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction) {
    told *t = user_data;
    (void)instance;
    t->evictions[level]++;
    t->evicted_line = eviction->line_address;
    t->dirty = eviction->dirty_sectors;
    t->forced = eviction->forced;
}

static void listen(gpc_hierarchy *hierarchy, told *t) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    *t = (told){0};
    callbacks.user_data = t;
    callbacks.on_complete = note_complete;
    callbacks.on_fill = note_fill;
    callbacks.on_evict = note_evict;
    cr_assert_eq(gpc_hierarchy_set_callbacks(hierarchy, &callbacks), GPC_OK);
}

static void issue(rig *r, shot s, uint64_t token) {
    uint64_t addresses[32];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    for (uint32_t i = 0; i < s.lanes; i++)
        addresses[i] = s.address + i * s.stride;
    access.sm = s.sm;
    access.warp = s.warp;
    access.mask = ((uint64_t)1 << s.lanes) - 1;
    access.addresses = addresses;
    access.width = s.width;
    access.kind = s.kind;
    cr_assert_eq(gpc_hierarchy_try_issue(r->hierarchy, &access, token, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, &error), GPC_OK, "%s", error.message);
}

Test(timed_callbacks, fills_and_evictions) {
    rig r;
    told t;
    rig_open_dram(&r, "sm.count = 2\nl1.ways = 1\nl1.size = 4KiB\nl1.write_policy = back\nl1.write_allocate = fetch\n");
    listen(r.hierarchy, &t);
    issue(&r, WORD(GPC_LOAD, 128 + 36, .sm = 1, .warp = 9), 77);
    cr_expect_eq(t.completions, 1);
    cr_expect_eq(t.last_token, 77);
    cr_expect_eq(t.sm, 1);
    cr_expect_eq(t.warp, 9);
    cr_expect_eq(t.fills[1], 1);
    cr_expect_eq(t.fills[2], 1);
    cr_expect_eq(t.filled_line, 128);
    cr_expect_eq(t.filled_sectors, 2, "bytes 36 to 39 are in the second sector");
    cr_expect_eq(t.instance, 1);
    /* written whole: the line has its sectors without a reply */
    issue(&r, LINE(GPC_STORE, 256), UINT64_MAX);
    cr_expect_eq(t.last_token, UINT64_MAX, "any token will do");
    cr_expect_eq(t.filled_line, 256);
    cr_expect_eq(t.filled_sectors, 15);
    cr_expect_eq(t.evictions[1], 0);
    /* the next line of its set drives it out, dirty */
    issue(&r, LINE(GPC_LOAD, 256 + SET), 1);
    cr_expect_eq(t.evictions[1], 1);
    cr_expect_eq(t.evicted_line, 256);
    cr_expect_eq(t.dirty, 15);
    cr_expect_eq(t.forced, 0);
    cr_expect_eq(t.completions, 3);
    rig_abandon(&r);
}

/* Callbacks are each their own: without them everything goes on. */
Test(timed_callbacks, none_is_needed) {
    rig r;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    rig_open_dram(&r, NULL);
    cr_assert_eq(gpc_hierarchy_set_callbacks(r.hierarchy, &callbacks), GPC_OK);
    issue(&r, LINE(GPC_LOAD, 0), 0);
    issue(&r, LINE(GPC_STORE, 0), 0);
    cr_expect_eq(rig_stats(&r).completed, 2);
    rig_abandon(&r);
}

/* A replacement policy that names a way that is none. */
static uint32_t no_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 99;
}

Test(timed_callbacks, impossible_victim) {
    const gpc_replacement_ops wrong = {.struct_size = sizeof wrong,
                                       .name = "wrong",
                                       .summary = "names no way",
                                       .source = "a test",
                                       .choose_victim = no_way};
    gpc_error error = GPC_ERROR_INIT;
    rig r;
    rig_open_dram(&r, NULL);
    cr_assert_eq(gpc_context_register_replacement(r.context, &wrong, NULL, NULL, &error), GPC_OK, "%s", error.message);
    gpc_hierarchy_destroy(r.hierarchy);
    r.hierarchy = NULL;
    cr_assert_eq(gpc_config_set(r.config, "l1.replacement", "wrong", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &error, &r.hierarchy), GPC_OK, "%s", error.message);
    uint64_t address = 0;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.width = 4;
    access.addresses = &address;
    gpc_status status = GPC_OK;
    for (unsigned i = 0; i < 8 && status == GPC_OK; i++, address += SET) { /* four ways, then a victim is asked for */
        cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, i, NULL), GPC_OK);
        status = gpc_hierarchy_advance(r.hierarchy, 2000);
        cr_expect_eq(status, i < 4 ? GPC_OK : GPC_ERROR_CALLBACK, "line %u", i);
    }
    cr_expect_eq(status, GPC_ERROR_CALLBACK);
    cr_expect_eq(gpc_hierarchy_advance(r.hierarchy, 1), GPC_ERROR_CALLBACK, "and so it stays");
    cr_expect_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_ERROR_CALLBACK);
    rig_abandon(&r);
}

/* `kernels.flush`: what a kernel leaves behind is written and gone before the next, in no time. */
Test(timed_callbacks, flush_between_kernels) {
    static const char *const settings[] = {"kernels.flush = none\n", "kernels.flush = l1\n", "kernels.flush = all\n"};
    static const uint8_t levels[] = {1, 2, 3};
    for (unsigned i = 0; i < 3; i++) {
        static rig r;
        gpc_error error = GPC_ERROR_INIT;
        rig_open(&r, settings[i], 100);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        rig_latency(&r, LINE(GPC_STORE, 1 << 16));
        uint64_t now = rig_now(&r);
        cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_OK, "%s", error.message);
        cr_expect_eq(rig_now(&r), now);
        cr_expect_eq(rig_stats(&r).dram_write_sectors, i == 2 ? 4 : 0, "%s", settings[i]);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        cr_expect_eq(r.done[2].level, levels[i], "%s", settings[i]);
        rig_close(&r);
    }
}
