/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * A host with warps ranked by the library, compared with a replay (with replay warps): equal starts, exits and
 * accesses, in equal order, give equal ages, and age-lru then acts equally.
 */

enum { MOST = 200000 };

typedef struct record {
    enum { STARTS, EXITS, ISSUES } what;
    uint32_t sm, warp, age; /* age: of an access seen by L1's policy; or UINT32_MAX */
    uint64_t cycle, address, pc;
    uint8_t kind;
} record;

static record records[MOST];
static unsigned count;
static bool recording;
static uint32_t told;

static void note(const gpc_request *request) {
    told = request->warp_age;
    for (unsigned i = count; recording && i-- > 0;)
        if (records[i].what == ISSUES && records[i].sm == request->sm && records[i].warp == request->warp &&
            records[i].cycle == request->cycle) {
            records[i].age = request->warp_age;
            return;
        }
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    note(request);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    note(request);
}

static uint32_t first(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    return candidates ? (uint32_t)__builtin_ctzll(candidates[0]) : 0;
}

static void on_warp_event(void *self, const gpc_warp_event *event) {
    (void)self;
    if (!recording || (event->kind != GPC_WARP_START && event->kind != GPC_WARP_EXIT))
        return;
    cr_assert_lt(count, MOST);
    records[count++] = (record){.what = event->kind == GPC_WARP_START ? STARTS : EXITS,
                                .sm = event->sm,
                                .warp = event->warp,
                                .age = UINT32_MAX};
}

static bool on_event(void *user_data, const gpc_event *e) {
    (void)user_data;
    cr_assert_lt(count, MOST);
    records[count++] = (record){ISSUES, e->sm, e->warp, UINT32_MAX, e->cycle, e->address, e->pc, e->kind};
    return true;
}

static const gpc_replacement_ops watch = {.struct_size = sizeof watch,
                                          .name = "watch",
                                          .choose_victim = first,
                                          .on_miss = on_miss,
                                          .on_hit = on_hit,
                                          .on_sector_miss = on_hit,
                                          .on_warp_event = on_warp_event};

static gpc_config *configure(gpc_context *context, const char *mode, const char *policy) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, "gtx480", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(config, "mode", mode, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(config, "sm.count", "3", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(config, "l1.replacement", policy, &error), GPC_OK, "%s", error.message);
    return config;
}

static void record_replay(gpc_context *context, const char *name) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = configure(context, "timed", "watch");
    gpc_replay *replay;
    gpc_trace *trace;
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(context, name, &trace, &error), GPC_OK, "%s", error.message);
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    options.on_event = on_event;
    options.whats = 1 << GPC_WHAT_ISSUE;
    cr_assert_eq(gpc_hierarchy_set_trace(gpc_replay_hierarchy(replay), &options, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_rank_warps(gpc_replay_hierarchy(replay), true, &error), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_set_reply_credits(gpc_replay_hierarchy(replay), 0, 1, NULL), GPC_ERROR_STATE);
    count = 0;
    recording = true;
    while (gpc_replay_kernel(replay, trace, NULL, &error) == GPC_OK)
        ;
    recording = false;
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
}

/* Recorded accesses as accesses of a host: with ages from the host, or from the library. */
static measured_stats drive(gpc_context *context, const char *policy, bool ranked, unsigned *out_compared) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = configure(context, "functional", policy);
    gpc_hierarchy *h;
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_rank_warps(h, ranked, &error), GPC_OK);
    for (unsigned i = 0; i < count; i++) {
        const record *r = &records[i];
        const gpc_warp_event event = {
            .kind = r->what == STARTS ? GPC_WARP_START : GPC_WARP_EXIT, .sm = r->sm, .warp = r->warp};
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.sm = r->sm;
        access.warp = r->warp;
        access.warp_age = ranked ? 1000 : r->age;
        access.pc = r->pc;
        access.kind = r->kind;
        access.width = 4;
        access.mask = 1;
        access.addresses = &r->address;
        if (r->what != ISSUES) {
            cr_assert_eq(gpc_hierarchy_warp_event(h, &event, NULL), GPC_OK, "%u", i);
        } else if (r->age != UINT32_MAX) {
            cr_assert_eq(gpc_hierarchy_access(h, &access, NULL, NULL), GPC_OK, "%u", i);
            cr_assert(strcmp(policy, "watch") || told == r->age, "%u: age %u, not %u", i, told, r->age);
            ++*out_compared;
        }
    }
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(h, &stats), GPC_OK);
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    return stats;
}

Test(warp_ages, as_a_replay_has_them) {
    static const char *const traces[] = {"synthetic:bfs:64KiB", "synthetic:gather:64KiB", "synthetic:warp-reuse:64KiB"};
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(context, &watch, NULL, NULL, &error), GPC_OK, "%s", error.message);
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
        unsigned compared[3] = {0}, highest = 0, exits = 0;
        record_replay(context, traces[t]);
        drive(context, "watch", true, &compared[0]);
        for (unsigned i = 0; i < count; i++) {
            exits += records[i].what == EXITS;
            highest = records[i].age != UINT32_MAX && records[i].age > highest ? records[i].age : highest;
        }
        cr_expect(compared[0] > 200 && highest > 8 && exits > 10, "%s: %u accesses, ages to %u, %u exits", traces[t],
                  compared[0], highest, exits);
        const measured_stats given = drive(context, "age-lru", false, &compared[1]),
                             ranked = drive(context, "age-lru", true, &compared[2]);
        cr_expect(!memcmp(&given, &ranked, sizeof given), "%s", traces[t]);
        cr_expect_gt(given.l1_load_lines, 0);
    }
    gpc_context_destroy(context);
}
