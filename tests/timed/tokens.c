/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/drive.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Bypassing warps never evict: a policy watches L1 and L2 of functional and timed hierarchies, and records the lines
 * used by token holders. With strict tokens, a request without a token fills nothing; with opportunistic tokens, it
 * evicts no such line.
 */

typedef struct watch {
    bool strict[3]; /* by level */
    uint64_t fills[3], held_fills[3], evictions[3], violations[3];
} watch;

typedef struct watcher {
    watch *seen;
    bool *priority; /* [sets][ways] */
    uint32_t ways, next;
    unsigned level;
} watcher;

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(watcher *)self = (watcher){env->user_data, env->line_state, env->ways, 0, (unsigned)env->parameters[0]};
    return GPC_OK;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    watcher *w = self;
    if (request->policy.token != GPC_TOKEN_NONE)
        w->priority[set * w->ways + way] = true;
}

/* In turn. */
static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    watcher *w = self;
    (void)set, (void)request;
    for (;;) {
        uint32_t way = w->next++ % w->ways;
        if (!candidates || candidates[way / 64] >> way % 64 & 1)
            return way;
    }
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    watcher *w = self;
    (void)eviction;
    if (request->policy.token != GPC_TOKEN_NONE)
        return;
    w->seen->evictions[w->level]++;
    w->seen->violations[w->level] += w->priority[set * w->ways + way];
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    watcher *w = self;
    bool none = request->policy.token == GPC_TOKEN_NONE;
    w->priority[set * w->ways + way] = !none;
    w->seen->fills[w->level] += none;
    w->seen->held_fills[w->level] += !none;
    w->seen->violations[w->level] += none && w->seen->strict[w->level];
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    watcher *w = self;
    w->priority[set * w->ways + way] = false;
}

static const gpc_parameter parameters[] = {{"level", 1, 1, 2, true, "of the cache"}};

static const gpc_replacement_ops watch_ops = {
    .struct_size = sizeof(gpc_replacement_ops),
    .name = "watch",
    .summary = "notes who evicts what",
    .source = "",
    .instance_bytes = sizeof(watcher),
    .line_bytes = sizeof(bool),
    .parameters = parameters,
    .parameter_count = 1,
    .init = init,
    .on_hit = on_hit,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_invalidate = on_invalidate,
};

static void functional(gpc_hierarchy *h, const stream *s) {
    for (uint32_t n = 0; n < s->accesses; n++)
        for (uint32_t sm = 0; sm < s->sms; sm++) {
            shot a = stream_shot(s, sm, n);
            uint64_t addresses[64];
            for (uint32_t i = 0; i < a.lanes; i++)
                addresses[i] = a.address + i * a.stride;
            gpc_warp_access access = GPC_WARP_ACCESS_INIT;
            access.sm = sm, access.warp = a.warp, access.addresses = addresses, access.width = a.width;
            access.mask = ((uint64_t)1 << a.lanes) - 1;
            access.kind = a.kind, access.space = a.space, access.hint = a.hint;
            access.token = a.token, access.token_l2 = a.token_l2;
            cr_assert_eq(gpc_hierarchy_access(h, &access, NULL, NULL), GPC_OK);
        }
}

static watch run(uint64_t seed, bool timed) {
    static rig r;
    static machine m;
    static const char *const names[] = {"strict", "opportunistic"};
    uint64_t state = seed;
    watch seen = {.strict = {false, seed % 2 == 0, seed / 2 % 2 == 0}};
    char more[256];
    draw_machine(&state, true, &m);
    stream s = {
        .seed = seed, .sms = m.sms, .accesses = 120, .bytes = 1024u << rig_below(&state, 5), .loads = 9, .stores = 4};
    rig_open(&r, m.text, 30);
    cr_assert_eq(gpc_context_register_replacement(r.context, &watch_ops, &seen, NULL, NULL), GPC_OK);
    snprintf(more, sizeof more,
             "l1.replacement = watch\nl2.replacement = watch(level=2)\nl1.token_clear = kernel\n"
             "l2.token_clear = kernel\nl1.tokens = %s\nl2.tokens = %s\n%s",
             names[!seen.strict[1]], names[!seen.strict[2]], timed ? "" : "mode = functional\n");
    gpc_hierarchy *twin = NULL;
    if (timed) {
        rig_reopen(&r, more, 30);
        drive(&r, &s, HOST_SKIPS);
    } else {
        gpc_error error = GPC_ERROR_INIT;
        cr_assert_eq(gpc_config_load_text(r.config, more, "more", &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &twin, &error), GPC_OK, "%s", error.message);
        functional(twin, &s);
    }
    measured_stats stats = rig_stats(&r);
    if (twin)
        cr_assert_eq(measure_hierarchy(twin, &stats), GPC_OK);
    cr_expect_eq(seen.violations[1] + seen.violations[2], 0, "seed %u, timed %d: %u in L1, %u in L2\n%s",
                 (unsigned)seed, timed, (unsigned)seen.violations[1], (unsigned)seen.violations[2], m.text);
    cr_expect_eq(stats.l1_opportunistic_fills, seen.fills[1]);
    cr_expect_eq(stats.l2_opportunistic_fills, seen.fills[2]);
    gpc_hierarchy_destroy(twin);
    rig_close(&r);
    return seen;
}

static void never_evict(bool timed, uint64_t first, uint64_t seeds) {
    watch all = {.fills = {0}};
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        watch one = run(seed, timed);
        for (unsigned level = 1; level < 3; level++) {
            all.fills[level] += one.fills[level];
            all.held_fills[level] += one.held_fills[level];
            all.evictions[level] += one.evictions[level];
        }
    }
    for (unsigned level = 1; level < 3; level++) /* the check was effective */
        cr_expect(all.fills[level] > 100 && all.held_fills[level] > 100 && all.evictions[level] > 20, "L%u", level);
}

Test(tokens, bypassing_warps_never_evict_functional) {
    never_evict(false, 1000, effort_is_small() ? 20 : 160);
}

Test(tokens, bypassing_warps_never_evict_timed) {
    never_evict(true, 2000, effort_is_small() ? 20 : 160);
}

static const char one_way[] = "l1.size = 128\nl1.ways = 1\nl2.size = 128\nl2.ways = 1\n";

static void load(rig *r, uint64_t line, gpc_token token, gpc_token token_l2, uint8_t level) {
    uint64_t number = rig_issue(r, LINE(GPC_LOAD, line * 128, .token = (uint8_t)token, .token_l2 = (uint8_t)token_l2));
    rig_wait(r, number);
    cr_expect_eq(r->done[number].level, level, "line %u", (unsigned)line);
    rig_finish(r);
}

/* The two levels have separate tokens. */
Test(tokens, of_each_level) {
    char text[512];
    rig r;
    snprintf(text, sizeof text, "%sl2.tokens = strict\n", one_way);
    rig_open(&r, text, 50);
    load(&r, 0, GPC_TOKEN_NONE, GPC_TOKEN_HELD, 3);
    load(&r, 0, GPC_TOKEN_HELD, GPC_TOKEN_NONE, 2); /* hits in L2 */
    load(&r, 0, GPC_TOKEN_NONE, GPC_TOKEN_NONE, 1);
    load(&r, 1, GPC_TOKEN_HELD, GPC_TOKEN_NONE, 3); /* kept by L1, not by L2 */
    load(&r, 1, GPC_TOKEN_NONE, GPC_TOKEN_NONE, 1);
    load(&r, 0, GPC_TOKEN_NONE, GPC_TOKEN_NONE, 2);
    measured_stats s = rig_stats(&r);
    cr_expect(s.l1_cache_warp_lines == 2 && s.l1_cache_warp_misses == 2);
    cr_expect(s.l1_bypass_warp_lines == 4 && s.l1_bypass_warp_misses == 2);
    cr_expect(s.l1_token_bypasses == 2 && s.l2_token_bypasses == 1 && s.l1_evictions == 1 && s.l2_evictions == 0);
    rig_close(&r);
}

/* Two in flight for one line, the first without a token: the line is kept for the second, with a token. */
Test(tokens, of_those_who_wait_together) {
    static const char *const when[] = {"on-miss", "on-fill"};
    for (unsigned i = 0; i < 2; i++) {
        char text[512];
        rig r;
        snprintf(text, sizeof text, "l1.allocate = %s\n", when[i]);
        rig_open(&r, text, 50);
        rig_issue(&r, LINE(GPC_LOAD, 0, .token = GPC_TOKEN_NONE));
        rig_steps(&r, 3);
        rig_issue(&r, LINE(GPC_LOAD, 0, .token = GPC_TOKEN_HELD));
        rig_finish(&r);
        load(&r, 0, GPC_TOKEN_NONE, GPC_TOKEN_NONE, 1);
        rig_close(&r);
    }
}
